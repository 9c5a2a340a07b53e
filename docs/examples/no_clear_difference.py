"""
Is a small difference real?
===========================

Fusion is 0.02 worse than BM25 here, and the interval holds both a loss and a gain. That is no
proof that the two are equal: the data cannot tell. How many queries could?
"""

import rankreport as rr

example = rr.load_example()
runs = {name: example.runs[name] for name in ("bm25", "fusion")}
comparison = rr.compare(example.qrels, runs, measures="nDCG@10", margin=0.05)
plan = rr.plan(comparison, n_queries=[100, 500, 2000], difference=0.02)
print(plan)

# %%
chart = plan.plot()
report = rr.report(comparison, title="No clear difference")
report.to_html("report.html")

# %%
# The curve is the difference that so many queries detect, found by drawing samples; the report's
# figure for these sixty is by a formula, and may differ a little. With ``margin=0.05``, the verdict
# would say *no worse* or *equivalent* if the interval were narrow enough.
