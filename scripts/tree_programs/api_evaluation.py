"""Show all that an evaluation has to say, under several rules."""

from __future__ import annotations

from pathlib import Path

import rankreport as rr
from tree_programs.showing import called, show, show_refusal

MEASURES = ["nDCG@10", "AP", "RR@10", "NumRelRet@5", "GMAP", "GAUC"]
RUNS = {"old": "inputs/bm25.run", "new": "inputs/noisy.run"}
QUERIES = ["q01", "q07", "q33"]


def main() -> None:
    """Evaluate the example, and collections written as Python values."""
    show("example", [Path(path).name for path in rr.load_example().runs.values()])
    show("profiles", rr.PROFILES)
    evaluation = rr.evaluate("inputs/qrels.txt", RUNS, MEASURES)
    _everything(evaluation)
    evaluation.write_parquet(
        "kept.parquet", also=["P@3", "nDCG@5"], documents=evaluation.documents(QUERIES, 5)
    )
    loaded = rr.load_evaluation("kept.parquet")
    _loaded(loaded)
    loaded.write_parquet("again.parquet")
    _rules()
    _values()


def _everything(evaluation: rr.Evaluation) -> None:
    show("evaluation", evaluation)
    called(evaluation, "systems", "measures", "primary", "settings", "query_ids", "inputs")
    called(evaluation, "scores", "per_query", "summary", "quality", "unanswered", "cautions")
    called(evaluation, "ties", "coverage", "means", "hardest", "roc", "precision_recall")
    called(evaluation, "to_markdown", "to_latex", "to_polars")
    weights = {query: 1.0 + at for at, query in enumerate(evaluation.query_ids)}
    show("weighted", evaluation.summary(weights))
    show("curve", evaluation.curve(["nDCG", "P"], k=[1, 5, 200]))
    show("documents", evaluation.documents(QUERIES, 3, systems=["new"]))
    show("relevant", evaluation.relevant(QUERIES, rel=2))
    show("hardest of one", evaluation.hardest(3, "old"))
    show("t intervals", evaluation.means("t", 0.9))
    show("bca intervals", evaluation.means("bca", resamples=400, seed=3))
    show("roc by query", evaluation.roc(2, per_query=True).head(60))
    show("bands", evaluation.operating_bands(resamples=100, seed=1))
    show("written", evaluation.to_markdown("table.md"))
    show("written as LaTeX", evaluation.to_latex("table.tex"))


def _loaded(evaluation: rr.Evaluation) -> None:
    show("loaded", evaluation)
    called(evaluation, "settings", "inputs", "scores", "summary", "quality", "unanswered")
    called(evaluation, "cautions", "ties", "coverage", "means", "hardest")
    show("documents", evaluation.documents(QUERIES, 5))
    show("values", evaluation.values([rr.parse("P@3")]))
    show_refusal("no such curve", lambda: evaluation.curve("ERR", k=[1]))
    show_refusal("no such documents", lambda: evaluation.documents(["q02"]))
    show_refusal("no scores of documents", evaluation.roc)


def _rules() -> None:
    """Evaluate under every rule of ties and queries, and every profile."""
    rules: list[dict[str, str]] = [
        *({"ties": ties} for ties in ("trec", "input", "expected", "best", "worst")),
        *({"queries": queries} for queries in ("judged", "answered", "intersection")),
        *({"no_relevant": rule} for rule in ("zero", "one", "skip")),
        {"precision": "single"},
        *({"profile": profile} for profile in rr.PROFILES if profile != "rectools"),
    ]
    runs = {"rounded": "inputs/rounded.run", "noisy": "inputs/noisy.run"}
    for rule in rules:
        made = rr.evaluate("inputs/odd-qrels.txt", runs, ["nDCG@10", "AP", "RR"], **rule)
        show(str(rule), made)
        called(made, "settings", "measures", "cautions", "quality", "ties")
    ranked = rr.evaluate("inputs/qrels.txt", "inputs/ranked.csv", ["AP"], profile="rectools")
    show("rectools", ranked)
    alone = rr.evaluate("inputs/qrels.txt", "inputs/ranks-alone.csv", ["AP"], ties="rank")
    called(alone, "cautions", "per_query")


def _values() -> None:
    """Evaluate what is no file."""
    qrels = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}, "q3": {"d1": 0}}
    runs = {"a": {"q1": {"d1": 1.5, "d2": 1.5, "d9": 1}, "q2": {"d4": 2}}, "b": {"q1": {"d2": 1}}}
    made = rr.evaluate(qrels, runs, ["AP", "Bpref", "Tau"], primary="Bpref")
    called(made, "primary", "summary", "per_query", "inputs", "cautions")
    frames = {name: rr.read_run(run).collect() for name, run in runs.items()}
    show("frames", rr.evaluate(rr.read_qrels(qrels).collect(), frames, "AP").per_query())
    show("qrels", rr.read_qrels("inputs/subtopics.txt", subtopics=True).collect().head(9))
    show("queries", rr.read_queries("inputs/queries.tsv").head(5))
    show_refusal("one name of two", lambda: rr.evaluate(qrels, ["x/a.run", "y/a.run"]))


if __name__ == "__main__":
    main()
