"""
May this change go live, and for whom is it worse?
==================================================

A gate decides by requirements written before, and has an exit code for continuous integration.
Segments say where the change helps: a segment that differs is a reason to look, not a verdict.
"""

import rankreport as rr

example = rr.load_example()
runs = {name: example.runs[name] for name in ("bm25", "bm25-names")}
comparison = rr.compare(
    example.qrels, runs, ["nDCG@10", "RR@10"], queries=example.queries, segments=["frequency"]
)
gate = rr.gate(comparison, ["nDCG@10 > -0.02", "RR@10 > -0.1"])
print(gate)

# %%
# Under one mean, a group of queries can fall. This fails where one is shown to:
print(rr.gate(comparison, "nDCG@10 not below -0.02 in any frequency"))

# %%
chart = comparison.plot_segments()
report = rr.report(comparison, gate=gate, title="A change before it goes live")
report.to_html("report.html")

# %%
# As a command: ``rankreport gate qrels.txt old.run new.run --require "nDCG@10 > -0.02"``, which
# exits with 1 where a requirement is not met and with 3 where the data cannot tell.
