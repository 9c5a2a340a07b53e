display(rr.to_table(comparison.intervals()), rr.to_table(comparison.tests()))
