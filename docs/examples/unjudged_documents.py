"""
What if nobody has judged what the new system finds?
====================================================

Unjudged documents count as not relevant, so that a system that finds new documents looks worse than
it is. Here every eighth judgment is missing.
"""

import polars as pl

import rankreport as rr

example = rr.load_example()
judged = rr.read_qrels(example.qrels).collect().filter(pl.int_range(pl.len()) % 8 > 0)
runs = {name: example.runs[name] for name in ("char-ngrams", "bm25-names")}
comparison = rr.compare(judged, runs, measures="nDCG@10")
print(rr.judge_next(comparison).tipping)

# %%
report = rr.report(comparison, queries=example.queries, title="With missing judgments")
report.to_html("report.html")

# %%
# ``rr.judge_next(comparison).write("tasks.csv")`` writes the documents whose judgment may change
# the result, the most important first.
