# {{ say("Of many segments, some differ by chance alone: those that differ are marked.") }}
rows = comparison.segments()
names = ["column", "segment", "baseline", "system", "n_queries", "delta", "ci_low"]
names += ["ci_high", "p_adjusted", "differs", "disagrees", "caution"]
display(comparison.plot_segments(), rr.to_table(rows.select(names)))
