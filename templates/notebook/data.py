inputs = pl.DataFrame(evaluation.inputs).select("role", "name", "rows", "sha256")
display(rr.to_table(evaluation.quality), rr.to_table(inputs))
