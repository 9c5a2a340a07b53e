"""
Can an LLM judge?
=================

A large language model judges all queries, people judge a random sample of them and correct it. Here
the model errs on every ninth document.
"""

import polars as pl

import rankreport as rr

example = rr.load_example()
people = rr.read_qrels(example.qrels).collect()
wrong = pl.int_range(pl.len()) % 9 == 0
model = people.with_columns(
    relevance=pl.when(wrong).then((pl.col("relevance") + 1) % 4).otherwise("relevance")
)
sample = rr.sample_queries(rr.read_queries(example.queries), 30)
judges = {"model": model, "human": people.filter(pl.col("query_id").is_in(sample))}
runs = {name: example.runs[name] for name in ("char-ngrams", "bm25-names")}
comparison = rr.compare(runs, judges=judges, measures="nDCG@10")
print(comparison.judges)

# %%
report = rr.report(comparison, title="Judged by a model, corrected by people")
report.to_html("report.html")

# %%
# A model that favours one system gets little weight, and the corrected interval is then as wide as
# that of the people alone.
