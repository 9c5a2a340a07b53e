"""
Who leads on thirteen data sets?
================================

A benchmark of folders as BEIR has them, and runs in TREC format. The leader on average may lose on
some data sets, and owe its lead to one.
"""

import json
from pathlib import Path

import numpy as np

import rankreport as rr

# Queries, and how well bm25, dense, sparse and hybrid find what is relevant.
data_sets = {
    "answers": (40, 1.2, 1.4, 1.5, 1.65),
    "arguments": (49, 2.0, 0.9, 1.7, 0.9),
    "biomedical": (50, 1.3, 1.1, 1.45, 1.6),
    "citations": (40, 0.7, 0.8, 0.8, 0.95),
    "claims": (36, 2.1, 1.4, 1.9, 1.3),
    "climate": (40, 0.6, 0.9, 0.9, 1.0),
    "duplicates": (60, 2.0, 2.3, 2.4, 2.6),
    "encyclopedia": (40, 1.5, 1.7, 1.8, 2.0),
    "entities": (40, 0.7, 2.4, 0.7, 2.9),
    "finance": (40, 0.8, 1.0, 1.1, 1.25),
    "forums": (45, 1.0, 1.1, 1.2, 1.3),
    "news": (10, 1.5, 1.2, 1.6, 1.8),
    "science": (50, 1.6, 1.4, 1.8, 1.9),
}
for number, (name, (n, *strengths)) in enumerate(data_sets.items()):
    random = np.random.default_rng((6, number))
    grades = (np.arange(60) < random.integers(2, 6, (n, 1))).astype(int)
    grades[:, 0] = 2
    ease, common = random.normal(0, 0.7, (n, 1)), random.normal(size=(n, 60))
    folder = Path("benchmark", name)
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    texts = [json.dumps({"_id": f"q{q}", "text": f"{name}, question {q}"}) for q in range(n)]
    (folder / "queries.jsonl").write_text("\n".join(texts))
    judged = [f"q{q}\td{d}\t{grades[q, d]}" for q in range(n) for d in range(60)]
    judgments = "\n".join(["query-id\tcorpus-id\tscore", *judged])
    (folder / "qrels" / "test.tsv").write_text(judgments)
    for system, strength in zip(["bm25", "dense", "sparse", "hybrid"], strengths, strict=True):
        noise = 0.75 * common + 0.75 * random.normal(size=(n, 60))
        scores = np.maximum(strength + ease, 0) * grades + noise
        run = [
            f"q{q} Q0 d{d} {rank} {scores[q, d]:.3f} {system}"
            for q in range(n)
            for rank, d in enumerate(np.argsort(-scores[q])[:20], 1)
        ]
        runs = Path("benchmark", "runs", system)
        runs.mkdir(parents=True, exist_ok=True)
        (runs / f"{name}.trec").write_text("\n".join(run))

# %%
# In a shell: ``rankreport report --datasets benchmark --all-pairs``. In Python:

evaluation = rr.evaluate("benchmark", None, ["nDCG@10", "R@10"])
comparison = rr.compare(evaluation, pairs="all")
print(comparison.verdict())
chart = comparison.plot_datasets()
report = rr.report(comparison, title="Four systems on thirteen data sets")
report.to_html("report.html")

# %%
# For these data sets hybrid is above sparse; for data sets like these that is open. Without
# entities there is no difference.
