display(comparison.judges)
display(rr.to_table(comparison.judges.correlations()))
{% if graded %}
display(rr.to_table(comparison.judges.agreement()))
{% endif %}
display(rr.to_table(comparison.judges.expected_widths(20)))
