"""
What do clicks say of two rankings?
===================================

Documents at the top are clicked more because they are seen more. A click model separates the two,
if the log shows documents at several ranks; here neighbours were swapped at random.
"""

import numpy as np
import polars as pl

import rankreport as rr

random = np.random.default_rng(3)
attraction = {"d1": 0.1, "d2": 0.6, "d3": 0.2, "d4": 0.5, "d5": 0.1, "d6": 0.3}
log = []
for session in range(6000):
    shown, i = list(attraction), random.integers(5)
    shown[i : i + 2] = shown[i : i + 2][::-1]
    for rank, document in enumerate(shown, 1):
        clicked = int(random.random() < attraction[document] / rank)
        log.append((session, f"q{session % 12}", document, rank, clicked))
columns = ["session", "query_id", "doc_id", "rank", "clicked"]
labels = rr.qrels_from_clicks(pl.DataFrame(log, schema=columns, orient="row"), grades=1)
runs = {
    "as shown": {f"q{i}": list(attraction) for i in range(12)},
    "new": {f"q{i}": ["d2", "d4", "d6", "d3", "d5", "d1"] for i in range(12)},
}
comparison = rr.compare(labels, runs, measures="RR@5")
print(comparison.verdict().sentence)

# %%
chart = labels.plot_position_bias()
report = rr.report(comparison, title="Judged by clicks")
report.to_html("report.html")

# %%
# The curve is how often a rank is looked at. See :doc:`../clicks` for other models, and for what a
# log must show.
