"""
Why does a query lose?
======================

Every loss has a reason: a relevant document that is not retrieved, ranked low, or below documents
that nobody judged. The page shows the two lists, with texts.
"""

import rankreport as rr

example = rr.load_example()
runs = {name: example.runs[name] for name in ("bm25", "fusion")}
comparison = rr.compare(example.qrels, runs, measures="nDCG@10", queries=example.queries)
print(comparison.reasons().head(5))

# %%
chart = comparison.plot_deltas()
report = rr.report(comparison, documents=example.documents, title="Fusion against BM25")
report.to_html("report.html")

# %%
# The bars are the queries, from the largest win to the largest loss. One query, both lists:

print(comparison.side_by_side("q17"))
