display(rr.to_table(evaluation.quality), rr.to_table(pl.DataFrame(evaluation.inputs)))
