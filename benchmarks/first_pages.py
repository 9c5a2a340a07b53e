"""How long it takes from files and objects as tools leave them to a page, by one command or cell.

Each door starts in an empty folder, into which its data are written first: a BEIR folder of the
size of SciFact with two runs, two LightGBM models with test data, a recommender's predict and a
baseline, request and answers of _rank_eval, and ratings with snapshots of Quepid. Then the command
or cell runs in a process of its own, which starts Python, imports and writes the page.

    python benchmarks/first_pages.py [--runs 5]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from processes import machine

SEED = 17
N_DOCUMENTS, N_QUERIES, DEPTH = 5_183, 300, 100

COMMAND = (sys.executable, "-m", "rankreport")
CELL = (sys.executable, "-c")

LIGHTGBM = """
import lightgbm, numpy as np, rankreport as rr
X, y, group = (np.load(f"{name}.npy") for name in ("X", "y", "group"))
models = {name: lightgbm.Booster(model_file=f"{name}.txt") for name in ("old", "new")}
comparison = rr.compare(rr.evaluate_models(models, X, y, group=group))
rr.report(comparison).to_html("report.html")
"""

RECOMMENDER = """
import json, numpy as np, rankreport as rr
test, factors = json.load(open("test.json")), dict(np.load("factors.npz"))
place = {str(item): at for at, item in enumerate(factors["ids"])}
user = {name: at for at, name in enumerate(test)}
def predict(name, items):
    return factors["items"][[place[item] for item in items]] @ factors["users"][user[name]]
def popular(name, items):
    return [factors["counts"][place[item]] for item in items]
made = rr.evaluate_recommenders(
    {"popular": popular, "factors": predict}, test, threshold=4, candidates=list(place)
)
rr.report(rr.compare(made)).to_html("report.html")
"""


def beir() -> tuple[str, ...]:
    """Write a BEIR folder and two runs."""
    folder = Path("scifact")
    (folder / "qrels").mkdir(parents=True)
    text = "A sentence of an abstract about cells, genes and what follows from it. " * 12
    documents = (
        json.dumps({"_id": str(n), "title": f"Title {n}", "text": text, "metadata": {}})
        for n in range(N_DOCUMENTS)
    )
    (folder / "corpus.jsonl").write_text("\n".join(documents) + "\n")
    queries = (json.dumps({"_id": str(n), "text": f"claim {n}"}) for n in range(N_QUERIES))
    (folder / "queries.jsonl").write_text("\n".join(queries) + "\n")
    judged = judgments()
    rows = "".join(f"{q}\t{d}\t1\n" for q, row in judged.items() for d in row)
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + rows)
    for name, quality in {"run": 0.5, "other": 0.6}.items():
        Path(f"{name}.json").write_text(json.dumps(results(judged, quality)))
    return (*COMMAND, "report", "--from", "beir", "scifact", "run.json", "other.json")


def judgments() -> dict[str, list[str]]:
    """Return the relevant documents of each query."""
    rng = random.Random(SEED)  # noqa: S311 - no secret
    return {str(q): [str(d) for d in rng.sample(range(N_DOCUMENTS), 1)] for q in range(N_QUERIES)}


def results(judged: dict[str, list[str]], quality: float) -> dict[str, dict[str, float]]:
    """Return lists that hold this share of the relevant documents."""
    rng = random.Random(quality)  # noqa: S311 - no secret
    found = {}
    for query, relevant in judged.items():
        listed = [str(d) for d in rng.sample(range(N_DOCUMENTS), DEPTH)]
        for document in relevant:
            if rng.random() < quality:
                listed.insert(rng.randrange(20), document)
        found[query] = {d: 1 / (1 + n) for n, d in enumerate(dict.fromkeys(listed))}
    return found


def lightgbm_models() -> tuple[str, ...]:
    """Write two models and the data to test them on."""
    import lightgbm  # of this door alone

    rng = np.random.default_rng(SEED)
    group = rng.integers(5, 40, size=500)
    features = rng.normal(size=(group.sum(), 50))
    grades = np.clip(np.floor(features[:, :5].sum(axis=1) + rng.normal(size=len(features))), 0, 4)
    for name, n_trees in {"old": 10, "new": 50}.items():
        model = lightgbm.LGBMRanker(n_estimators=n_trees, verbosity=-1, n_jobs=1)
        model.fit(features, grades.astype(int), group=group)
        model.booster_.save_model(f"{name}.txt")
    for name, array in {"X": features, "y": grades, "group": group}.items():
        np.save(f"{name}.npy", array)
    return (*CELL, LIGHTGBM)


def recommender() -> tuple[str, ...]:
    """Write a test set of ratings, and what a model and a baseline predict from."""
    rng = np.random.default_rng(SEED)
    users, items = rng.normal(size=(943, 16)), rng.normal(size=(1_682, 16))
    liked = users @ items.T + rng.normal(size=(943, 1_682))
    test = {
        f"u{n}": {
            f"i{item}": int(np.clip(np.round(3 + liked[n, item] / 4), 1, 5))
            for item in rng.choice(1_682, size=10, replace=False)
        }
        for n in range(len(users))
    }
    Path("test.json").write_text(json.dumps(test))
    ids, counts = np.array([f"i{n}" for n in range(1_682)]), rng.integers(1, 500, size=1_682)
    np.savez("factors.npz", users=users, items=items, ids=ids, counts=counts)
    return (*CELL, RECOMMENDER)


def rank_eval() -> tuple[str, ...]:
    """Write the request of _rank_eval, and two answers."""
    judged = judgments()
    requests = [
        {
            "id": q,
            "request": {"query": {"match": {"text": f"claim {q}"}}},
            "ratings": [{"_index": "i", "_id": d, "rating": 1} for d in row],
        }
        for q, row in judged.items()
    ]
    metric = {"mean_reciprocal_rank": {"k": 20, "relevant_rating_threshold": 1}}
    Path("request.json").write_text(json.dumps({"requests": requests, "metric": metric}))
    for name, quality in {"before": 0.5, "after": 0.6}.items():
        details = {
            q: {
                "metric_score": 0.5,
                "unrated_docs": [],
                "hits": [
                    {"hit": {"_index": "i", "_id": d, "_score": s}} for d, s in [*row.items()][:20]
                ],
            }
            for q, row in results(judged, quality).items()
        }
        answer = {"metric_score": 0.5, "details": details, "failures": {}}
        Path(f"{name}.json").write_text(json.dumps(answer))
    return (*COMMAND, "report", "request.json", "before.json", "after.json")


def quepid() -> tuple[str, ...]:
    """Write ratings and a file of two snapshots."""
    judged = judgments()
    rows = "".join(f"claim {q},{d},1\n" for q, row in judged.items() for d in row)
    Path("ratings.csv").write_text("query,docid,rating\n" + rows)
    lines = [
        f"{name},claim {q},{d},{n}\n"
        for name, quality in {"before": 0.5, "after": 0.6}.items()
        for q, row in results(judged, quality).items()
        for n, d in enumerate([*row][:10], 1)
    ]
    header = "Snapshot Name,Query Text,Doc ID,Doc Position\n"
    Path("snapshots.csv").write_text(header + "".join(lines))
    return (*COMMAND, "report", "ratings.csv", "snapshots.csv")


DOORS: dict[str, Callable[[], tuple[str, ...]]] = {
    "BEIR folder, two runs": beir,
    "LightGBM, two models": lightgbm_models,
    "recommender's predict": recommender,
    "_rank_eval, two answers": rank_eval,
    "Quepid, two snapshots": quepid,
}


def main() -> None:
    """Time each door several times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    n_runs = parser.parse_args().runs
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    print(machine(("rankreport", "polars")))
    print("| from | seconds: median | min | max | CPU seconds | bytes of the page |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, door in DOORS.items():
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            command = door()
            seconds, worked = [], []
            for _ in range(n_runs):
                begin, before = time.perf_counter(), os.times()
                subprocess.run(command, check=True, env=environment, capture_output=True)
                seconds.append(time.perf_counter() - begin)
                after = os.times()
                worked.append(sum(after[2:4]) - sum(before[2:4]))
            size = Path("report.html").stat().st_size
            os.chdir("/")
        times = f"{median(seconds):.1f} | {min(seconds):.1f} | {max(seconds):.1f}"
        print(f"| {name} | {times} | {median(worked):.1f} | {size:,} |", flush=True)


if __name__ == "__main__":
    main()
