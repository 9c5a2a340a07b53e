# {{ say("The pairs of systems with the largest mean difference.") }}
primary = pl.col("measure") == str(evaluation.primary)
pairs = (
    comparison.table()
    .filter(primary)
    .sort("delta", descending=True, nulls_last=True, maintain_order=True)
    .head({{ n_pairs }})
    .select("baseline", "system")
    .rows(named=True)
)
for pair in pairs:
    display(comparison.plot_deltas(**pair))
    display(comparison.losses(**pair).head({{ n_queries }}), comparison.wins(**pair).head({{ n_queries }}))
