labels = evaluation.labels
display(rr.compare_by_judge(comparison), labels)
display(rr.to_table(labels.per_judge()), rr.to_table(labels.per_grade()))
display(rr.to_table(labels.most_different(10)))
