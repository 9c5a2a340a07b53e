"""
Is the new ranker better?
=========================

BM25 with and without a boost for names of functions, on sixty questions about Python's standard
library. The verdict comes from the interval of one measure; the page says where it loses.
"""

import rankreport as rr

example = rr.load_example()
runs = {name: example.runs[name] for name in ("bm25", "bm25-names")}
comparison = rr.compare(example.qrels, runs, measures="nDCG@10")
print(comparison.verdict().sentence)

# %%
report = rr.report(comparison, queries=example.queries, documents=example.documents)
report.to_html("report.html")

# %%
# The headline is the verdict, the sentence below says it for those who do not know the measure, and
# the last line says what to do.
