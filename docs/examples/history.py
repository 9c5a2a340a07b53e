"""
Did it get better since January?
================================

Results of several days are stored, and each is compared with the first one, query by query. The
judgments change on the way: as the runs are kept, the first one is judged again.
"""

import tempfile

import polars as pl

import rankreport as rr

example = rr.load_example()
judgments = pl.read_csv(example.qrels)
days = {
    "2026-01-05": ("char-ngrams", "first version"),
    "2026-01-12": ("bm25-names", "names of functions only"),
    "2026-01-19": ("bm25", "whole descriptions"),
    "2026-01-26": ("fusion", "fused with character n-grams"),
}
folder = tempfile.TemporaryDirectory()
history = rr.History(folder.name)
for day, (run, note) in days.items():
    if day == "2026-01-26":  # somebody has looked again at some of the pairs
        again = pl.int_range(pl.len()) % 50 == 0
        judgments = judgments.with_columns(relevance=pl.when(again).then(0).otherwise("relevance"))
    evaluation = rr.evaluate(judgments, {"search": example.runs[run]}, ["nDCG@10", "RR@10"])
    history.add(evaluation, date=day, note=note, keep_runs=True)
trend = history.trend()
trend.select("date", "note", "delta", "ci_low", "ci_high", "n_queries", "break", "judged_again")

# %%
chart = rr.charts.trend(trend, measure="nDCG@10")
report = rr.history_report(history, title="Search since January")
report.to_html("report.html")

# %%
# On the command line, ``rankreport evaluate ... --store history --keep-runs`` stores a result, and
# ``rankreport history page`` writes the page.
folder.cleanup()
