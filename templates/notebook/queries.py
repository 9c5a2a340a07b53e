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
captions = {"losses": {{ say("Largest falls") | python }}, "wins": {{ say("Largest rises") | python }}}
for pair in pairs:
    for side, caption in captions.items():
        rows = getattr(comparison, side)(**pair).head({{ n_queries }})
        display(rr.to_table(rows, caption=caption))
