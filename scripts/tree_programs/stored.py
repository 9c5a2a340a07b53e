"""Store reports, evaluations and pickles, read them again, and show what was read.

python -m tree_programs.stored reports
"""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

import rankreport as rr
from tree_programs.api_comparison import SIX
from tree_programs.api_reports import reports
from tree_programs.showing import called, found, show, show_refusal

CHARTS = ("deltas", "histogram", "scatter", "forest", "segments")


def main(kind: str) -> None:
    """Store and read everything of a kind."""
    {"reports": _reports, "evaluations": _evaluations, "pickles": _pickles}[kind]()


def _reports() -> None:
    for name, report in reports().items():
        path = f"{name}.json"
        report.to_json(path)
        loaded = rr.load_report(path)
        show(name, loaded)
        called(loaded, "to_markdown", "to_latex", "to_polars", "to_json")
        loaded.to_html(f"{name}.html")
        print("written again as it was:", loaded.to_json() == report.to_json())


def _evaluations() -> None:
    plain = _evaluation()
    rules = {"ties": "expected", "queries": "answered", "no_relevant": "skip"}
    runs = {name: SIX[name] for name in ("bm25", "noisy")}
    other = rr.evaluate("inputs/qrels.txt", runs, ["AP", "GAUC", "PooledAUC", "NumRel"], **rules)
    documents = plain.documents(["q01", "q02"], 5)
    _stored("plain", plain)
    _stored("documents", plain, also=["P@1", "P@5"], documents=documents)
    _stored("rules", other)


def _evaluation() -> rr.Evaluation:
    runs = {name: SIX[name] for name in ("bm25", "noisy")}
    return rr.evaluate("inputs/qrels.txt", runs, ["nDCG@10", "AP"])


def _stored(name: str, evaluation: rr.Evaluation, **options: Any) -> None:
    evaluation.write_parquet(f"{name}.parquet", **options)
    loaded = rr.load_evaluation(f"{name}.parquet")
    show(name, loaded)
    called(loaded, "settings", "scores", "summary", "quality", "unanswered", "cautions")
    called(loaded, "ties", "coverage", "means", "hardest", "inputs")
    loaded.write_parquet(f"{name}-again.parquet")
    rr.report(loaded).to_json(f"{name}.json")
    show_refusal("compared", lambda: rr.compare(loaded, resamples=200))


def _pickles() -> None:
    """Show what comes back; pickles themselves name private classes, and are not compared."""
    for measure in sorted(rr.catalogue(), key=str):
        show(str(measure), (_again(measure) == measure, copy.deepcopy(measure) == measure))
    for name, make in _pickled():
        show_refusal(name, lambda make=make: _again(make()))


def _again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - written on this line


def _pickled() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what to pickle, and how it is made."""
    evaluation = _evaluation()
    evaluation.write_parquet("scores.parquet")
    loaded = rr.load_evaluation("scores.parquet")
    comparison = rr.compare(loaded, resamples=200, queries="inputs/queries.csv", segments="topic")
    texts = ("nDCG(gain='exp')@10", "nDCG(gains={1: 1, 2: 4})@5", "RBP(p=0.9)", "AP(rel=2)")
    values = rr.evaluate({"q": {"d": 1}}, {"a": {"q": {"d": 1.0}}})
    yield "parameters", lambda: list(map(rr.parse, texts))
    yield "of files", lambda: evaluation
    yield "of values", lambda: values
    yield "loaded", lambda: loaded
    yield "comparison", lambda: comparison
    yield "gate", lambda: rr.gate(comparison, ["AP > 0", "abs(AP) < 0.01"])
    yield "leaderboard", lambda: found(rr, "places")(comparison)
    yield "report", lambda: rr.report(comparison)
    yield "plan", lambda: found(rr, "power")(comparison)
    yield "verdict", comparison.verdict
    yield "table", lambda: found(rr, "table_of")(comparison.table())
    yield "theme", lambda: rr.Theme(accent="#0072B2", closing="End.")
    yield "profile", lambda: rr.PROFILES["ranx"]
    yield "pair", lambda: comparison.pairs[0]
    yield "error", lambda: rr.DataError("No such file.")
    for name in CHARTS:
        yield name, getattr(comparison, f"plot_{name}")
    yield "curve", lambda: rr.compare(evaluation, resamples=200).plot_curve("P", k=[1, 5, 10])
    yield "means", evaluation.plot_means
    yield "roc", evaluation.plot_roc


if __name__ == "__main__":
    main(sys.argv[1])
