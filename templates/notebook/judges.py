{% if model %}
display(comparison.judges)
display(rr.to_table(comparison.judges.correlations()))
{% if model.graded %}
display(rr.to_table(comparison.judges.agreement()))
{% endif %}
display(rr.to_table(comparison.judges.expected_widths(20)))
{% endif %}
{% if several %}
by_judge = rr.compare_by_judge(comparison)
display(by_judge, by_judge.labels)
display(rr.to_table(by_judge.labels.per_judge()), rr.to_table(by_judge.labels.per_grade()))
display(rr.to_table(by_judge.labels.most_different(10)))
{% endif %}
