"""Show all that comparisons have to say: of two and six systems, with every kind of option."""

from __future__ import annotations

from typing import Any

import rankreport as rr
from rankreport import statistics
from tree_programs.showing import called, show, show_refusal

NAMES = ("bm25", "bm25-names", "char-ngrams", "fusion", "noisy", "rounded")
SIX = {name: f"inputs/{name}.run" for name in NAMES}
TABLES = ("table", "means", "ratios", "effects", "verdict", "cautions")


def main() -> None:
    """Compare in many ways."""
    six = rr.evaluate("inputs/qrels.txt", SIX, ["nDCG@10", "AP", "RR@10", "NumRelRet@10"])
    two = rr.evaluate(
        "inputs/qrels.txt", {name: SIX[name] for name in NAMES[:2]}, ["nDCG@10", "P@5"]
    )
    _everything(rr.compare(two, resamples=500))
    _everything(rr.compare(six, baseline="fusion", resamples=300, correction="holm"))
    _methods(two, six)
    _structures(two)
    _pairs(six)
    one = rr.compare(six, baseline=["bm25", "fusion"], resamples=200, across="measures")
    show("several baselines", one)
    called(one, "table", "verdict", "cautions", "baselines", "to_latex")
    show_refusal("baseline", lambda: one.baseline)


def _everything(comparison: rr.Comparison) -> None:
    show("comparison", comparison)
    called(comparison, *TABLES, "pairs", "baselines", "systems", "primary", "settings")
    called(comparison, "deltas", "wins", "losses", "intervals", "tests")
    called(comparison, "to_markdown", "to_latex", "to_polars")
    for pair in comparison.pairs:
        show(f"verdict of {pair}", comparison.verdict(pair.system, pair.baseline))
    show("every interval", comparison.intervals(statistics.INTERVALS, 0.9))
    show("every test", comparison.tests(statistics.TESTS))
    show("curve", comparison.curve("P", k=[1, 3, 10]))
    show("side by side", comparison.side_by_side(["q01", "q07"], 5))
    show_refusal("segments", comparison.segments)
    comparison.write_parquet("comparison.parquet")


def _methods(two: rr.Evaluation, six: rr.Evaluation) -> None:
    options: list[dict[str, Any]] = [
        *({"interval": kind} for kind in statistics.INTERVALS),
        *({"test": kind} for kind in statistics.TESTS),
        {"margin": 0.01},
        {"margin": 0.2},
        {"confidence": 0.8, "seed": 7},
        {"memory_limit": "600MB"},
    ]
    for each in options:
        comparison = rr.compare(two, resamples=300, **each)
        show(str(each), comparison)
        called(comparison, "table", "verdict", "cautions")
    for correction in statistics.CORRECTIONS:
        for kind in ("auto", "studentized"):
            comparison = rr.compare(six, interval=kind, correction=correction, resamples=200)
            show(f"{correction} and {kind}", comparison)
            called(comparison, "table", "means")


def _structures(two: rr.Evaluation) -> None:
    given = {"weights": "weight", "clusters": "session", "strata": "stratum"}
    for names in (["weights"], ["clusters"], ["strata"], ["weights", "clusters"], list(given)):
        comparison = rr.compare(
            two,
            queries="inputs/queries.csv",
            resamples=300,
            **{name: given[name] for name in names},
        )
        show(" and ".join(names), comparison)
        called(comparison, *TABLES, "intervals", "tests")
        show("curve", comparison.curve("P", k=[1, 3, 10]))
        show_refusal("bca", lambda c=comparison: c.intervals(["bca", "studentized"]))
    halves = {query: at % 2 for at, query in enumerate(two.query_ids)}
    comparison = rr.compare(two, clusters=halves, resamples=100)
    called(comparison, "table", "cautions")
    segmented = rr.compare(
        two, queries="inputs/queries.csv", segments=["topic", "half"], resamples=200, margin=0.02
    )
    show("segmented", segmented)
    called(segmented, "segments", "cautions")
    show("by frequency", segmented.segments("frequency", "P@5", smallest=5))


def _pairs(six: rr.Evaluation) -> None:
    every = rr.compare(six, pairs="all", resamples=200)
    show("every pair", every)
    called(every, "table", "verdict", "cautions", "ratios", "effects", "to_latex", "means")
    every.to_latex("pairs.tex")
    show("lost", every.losses("AP", "fusion", "bm25"))


if __name__ == "__main__":
    main()
