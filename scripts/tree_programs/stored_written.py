"""Store reports, evaluations and pickles: run by the base tree, for both trees to read.

python -m tree_programs.stored_written
"""

from __future__ import annotations

import pickle
import pickletools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import rankreport as rr
from tree_programs.api_comparison import SIX
from tree_programs.api_reports import reports
from tree_programs.showing import found

FOLDER = Path("inputs", "stored")
CHARTS = ("deltas", "histogram", "scatter", "forest", "segments")


def write_all() -> None:
    """Write everything that can be stored; of what cannot be pickled, say why."""
    FOLDER.mkdir(exist_ok=True)
    for name, report in reports().items():
        report.to_json(FOLDER / f"report-{name}.json")
    runs = {name: SIX[name] for name in ("bm25", "noisy")}
    evaluation = rr.evaluate("inputs/qrels.txt", runs, ["nDCG@10", "AP"])
    evaluation.write_parquet(FOLDER / "evaluation-plain.parquet")
    evaluation.write_parquet(
        FOLDER / "evaluation-documents.parquet",
        also=["P@1", "P@5"],
        documents=evaluation.documents(["q01", "q02"], 5),
    )
    rules = {"ties": "expected", "queries": "answered", "no_relevant": "skip"}
    other = rr.evaluate("inputs/qrels.txt", runs, ["AP", "GAUC", "PooledAUC", "NumRel"], **rules)
    other.write_parquet(FOLDER / "evaluation-rules.parquet")
    told = []
    for name, make in _pickled(evaluation):
        try:
            stored = pickle.dumps(make())
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            told.append(f"{name}: cannot be pickled ({error})")
            continue
        path = FOLDER / f"{name}.pickle"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(stored)
        told.append(f"{name}: {', '.join(_paths(stored)) or 'no path'}")
    (FOLDER / "pickles.txt").write_text("".join(f"{line}\n" for line in told), encoding="utf-8")


def _pickled(evaluation: rr.Evaluation) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what to pickle, and how it is made."""
    loaded = rr.load_evaluation(FOLDER / "evaluation-plain.parquet")
    comparison = rr.compare(loaded, resamples=200, queries="inputs/queries.csv", segments="topic")
    texts = ("nDCG(gain='exp')@10", "nDCG(gains={1: 1, 2: 4})@5", "RBP(p=0.9)", "AP(rel=2)")
    kinds: dict[str, dict[str, Callable[[], Any]]] = {
        "measures": {"every": rr.catalogue, "parameters": lambda: list(map(rr.parse, texts))},
        "evaluations": {
            "of-files": lambda: evaluation,
            "of-values": lambda: rr.evaluate({"q": {"d": 1}}, {"a": {"q": {"d": 1.0}}}),
            "loaded": lambda: loaded,
        },
        "comparisons": {
            "comparison": lambda: comparison,
            "gate": lambda: rr.gate(comparison, ["AP > 0", "abs(AP) < 0.01"]),
            "places": lambda: found(rr, "places")(comparison),
        },
        "reports": {
            "made": lambda: rr.report(comparison),
            "loaded": lambda: rr.load_report(FOLDER / "report-gated.json"),
        },
        "values": {
            "plan": lambda: rr.power(comparison),
            "verdict": comparison.verdict,
            "table": lambda: rr.to_table(comparison.table()),
            "theme": lambda: rr.Theme(accent="#0072B2", closing="End."),
            "profile": lambda: rr.PROFILES["ranx"],
            "pair": lambda: comparison.pairs[0],
            "error": lambda: rr.DataError("No such file."),
        },
        "charts": {
            **{name: getattr(comparison, f"plot_{name}") for name in CHARTS},
            "curve": lambda: rr.compare(evaluation, resamples=200).plot_curve("P", k=[1, 5, 10]),
            "means": evaluation.plot_means,
            "roc": evaluation.plot_roc,
            "power": lambda: rr.power(comparison).plot(),
        },
    }
    for kind, values in kinds.items():
        yield from ((f"pickled-{kind}/{name}", make) for name, make in values.items())


def _paths(stored: bytes) -> list[str]:
    """Return the names of this package that a pickle looks up."""
    texts: list[str] = []
    paths: dict[str, None] = {}
    memory: list[str | None] = []
    for operation, argument, _ in pickletools.genops(stored):
        if "UNICODE" in operation.name:
            texts.append(argument)
        elif operation.name == "MEMOIZE":
            memory.append(texts[-1] if texts else None)
        elif "BINGET" in operation.name and isinstance(memory[argument], str):
            texts.append(memory[argument] or "")
        elif operation.name == "STACK_GLOBAL":
            paths[".".join(texts[-2:])] = None
    return [path for path in paths if path.startswith("rankreport")]


if __name__ == "__main__":
    write_all()
