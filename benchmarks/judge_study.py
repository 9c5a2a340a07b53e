"""How often intervals hold the truth where people corrected a model's judgments.

    python benchmarks/judge_study.py --data FOLDER [--samples 4000] [--write]

`FOLDER` holds collections of real runs (`interval_study/real.py` names them). Of each, two runs are
compared by people's judgments and by those of judges made from them: documents get wrong grades,
one by one (`JUDGES`). The queries are drawn with replacement from those of the collection, `N_ALL`
a sample, so that the truth is the mean difference by people over the collection. People judged n of
them. With `--write` the figures go to docs/judges.md, otherwise they are printed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl
from docs_section import publish
from interval_study import real
from numpy.typing import NDArray

import rankreport as rr
from rankreport import statistics

Floats = NDArray[np.float64]

HEADING: Final = "### How often it holds the truth\n"
N_ALL: Final = 200
SIZES: Final = (20, 50, 100)
MEASURES: Final = ("nDCG@10", "RR@10")
RELIED, CHANGED, DIFFERING = 10, 20, 10
"""The model is relied upon with the first number of changed and the last of differing queries; a
claim is made with the second number of changed ones."""
LOWEST, HIGHEST, WIDEST = 93.0, 97.0, 1.02
"""What is claimed: coverage in per cent, mean width in widths of people alone."""
FEWEST: Final = 500
"""The fewest samples of a cell that is shown."""
LARGE_ERRORS: Final = "large errors"


@dataclass(frozen=True)
class Judge:
    """A judge made from people's judgments."""

    name: str
    words: str
    wrong: Callable[[np.random.Generator, Floats, Floats], Floats]
    """Takes people's grades and the grades there are, and returns the judge's grades."""


def misgraded(share: float) -> Callable[[np.random.Generator, Floats, Floats], Floats]:
    """Give a share of documents any other grade."""

    def wrong(rng: np.random.Generator, grades: Floats, known: Floats) -> Floats:
        places = np.searchsorted(known, grades)
        others = (places + rng.integers(1, len(known), len(grades))) % len(known)
        return np.where(rng.random(len(grades)) < share, known[others], grades)

    return wrong


def _lenient(rng: np.random.Generator, grades: Floats, known: Floats) -> Floats:
    higher = known[np.minimum(np.searchsorted(known, grades) + 1, len(known) - 1)]
    return np.where(rng.random(len(grades)) < 0.3, higher, grades)


def _guessing(rng: np.random.Generator, grades: Floats, known: Floats) -> Floats:
    del known
    return rng.permutation(grades)


def _right(rng: np.random.Generator, grades: Floats, known: Floats) -> Floats:
    del rng, known
    return grades


JUDGES: Final = (
    Judge("5 % wrong", "5 % of documents have any other grade", misgraded(0.05)),
    Judge("15 % wrong", "15 % of documents have any other grade", misgraded(0.15)),
    Judge("30 % wrong", "30 % of documents have any other grade", misgraded(0.3)),
    Judge("lenient", "30 % of documents are graded one higher", _lenient),
    Judge("guessing", "the grades of all documents are shuffled", _guessing),
    Judge(
        LARGE_ERRORS,
        "right, but in 4 % of queries the difference is 0.6 too high",
        _right,
    ),
)


@dataclass(frozen=True)
class Subject:
    """The differences of a collection's queries by people and by a judge."""

    collection: str
    measure: str
    judge: str
    human: Floats
    model: Floats


def subjects(data: Path) -> Iterator[Subject]:
    """Yield the differences of each collection, measure and judge."""
    for collection in sorted((*real.COLLECTIONS, real.LEARNED)):
        given, runs = real.first_runs(data / collection, 2)
        qrels = _with_first_ten(rr.read_qrels(given).collect(), runs)
        human = _differences(qrels, runs)
        grades = qrels["relevance"].to_numpy()
        known = np.unique(grades)
        for place, judge in enumerate(JUDGES):
            rng = np.random.default_rng((11, place))
            wrong = qrels.with_columns(relevance=pl.Series(judge.wrong(rng, grades, known)))
            model = _differences(wrong, runs)
            for measure in MEASURES:
                joined = human.join(model, on="query_id", suffix="_model", maintain_order="left")
                by_people = joined[measure].to_numpy()
                by_model = joined[f"{measure}_model"].to_numpy()
                if judge.name == LARGE_ERRORS:
                    by_model = by_people + 0.6 * (rng.random(len(by_people)) < 0.04)
                yield Subject(collection, measure, judge.name, by_people, by_model)


def _with_first_ten(qrels: pl.DataFrame, runs: dict[str, Any]) -> pl.DataFrame:
    """Add the first documents of the runs that nobody judged, as not relevant."""
    keys = ["query_id", "doc_id"]
    shown = [
        rr.read_run(run)
        .collect()
        .sort("score", descending=True, maintain_order=True)
        .group_by("query_id", maintain_order=True)
        .head(10)
        .select(keys)
        for run in runs.values()
    ]
    found = (
        pl.concat(shown)
        .unique(maintain_order=True)
        .filter(pl.col("query_id").is_in(qrels["query_id"].unique().implode()))
    )
    lacking = found.join(qrels, on=keys, how="anti").with_columns(relevance=pl.lit(0.0))
    return pl.concat([qrels.select(*keys, "relevance"), lacking]).sort(keys)


def _differences(qrels: pl.DataFrame, runs: dict[str, Any]) -> pl.DataFrame:
    scores = rr.evaluate(qrels, runs, MEASURES).per_query()
    first, second = scores["system"].unique(maintain_order=True)
    one, other = (scores.filter(pl.col("system") == name) for name in (first, second))
    joined = other.join(one, on="query_id", suffix="_first", maintain_order="left")
    return joined.select("query_id", *(pl.col(m) - pl.col(f"{m}_first") for m in MEASURES))


def measured(subject: Subject, n: int, samples: int) -> dict[str, Any]:
    """Return what was counted in the samples of a cell."""
    rng = np.random.default_rng((7, n))
    drawn = rng.integers(0, len(subject.human), (N_ALL, samples))
    # Rows are drawn at random, so that the first n are a random part.
    human, model = subject.human[drawn[:n]], subject.model[drawn[:n]]
    found = statistics.corrected_mean(human, model, subject.model[drawn[n:]])
    both = found.interval(0.95)
    alone = statistics.student_t_hull_bca(
        human, lambda: statistics.replicate_means(human, resamples=500, seed=0), 0.95
    )
    changed = (human != 0).sum(axis=0)
    differing = (np.abs(human - model) > 1e-12).sum(axis=0)
    truth = subject.human.mean()
    chosen = {
        "every": changed > 1,
        "relied": (changed >= RELIED) & (differing >= DIFFERING),
        "claimed": (changed >= CHANGED) & (differing >= DIFFERING),
    }

    def counted(of: NDArray[np.bool_]) -> dict[str, float]:
        holds = [~(ends.low > truth) & ~(ends.high < truth) for ends in (both, alone)]
        widths = [np.nansum((ends.high - ends.low)[of]) for ends in (both, alone)]
        return {
            "samples": int(of.sum()),
            "both": 100 * float(holds[0][of].mean()),
            "alone": 100 * float(holds[1][of].mean()),
            "width": float(widths[0] / widths[1]),
        }

    counts = {name: counted(of) for name, of in chosen.items() if of.sum() >= FEWEST}
    return {"subject": subject, "n": n, "relied": float(chosen["relied"].mean()), "counts": counts}


def page(cells: list[dict[str, Any]], samples: int) -> str:
    """Return the section of the page."""
    claimed = [cell["counts"]["claimed"] for cell in cells if "claimed" in cell["counts"]]
    outside = [each for each in claimed if _outside(each)]
    width = float(np.mean([each["width"] for each in claimed]))
    collections = {cell["subject"].collection for cell in cells}
    bad = [cell for cell in cells if cell["subject"].judge == LARGE_ERRORS]
    few = [each["counts"]["every"]["both"] for each in bad if each["n"] == SIZES[0]]
    judges = "; ".join(f"*{judge.name}*: {judge.words}" for judge in JUDGES)
    relied = 100 * float(np.mean([each["relied"] for each in bad]))
    about = (
        f"Written by `benchmarks/judge_study.py`: two runs each of {len(collections)} real "
        f"collections on {' and '.join(MEASURES)}, {N_ALL} queries a sample of which people "
        f"judged n, {samples:,} samples a cell. The judges are made of people's judgments: "
        f"{judges}. Coverage is of 95 % intervals; widths are in widths of people alone."
    )
    claim = (
        f"In samples with {CHANGED} changed and {DIFFERING} differing queries or more, intervals "
        f"are to hold the truth in {LOWEST:.0f} to {HIGHEST:.0f} % of samples, with a mean width "
        f"of at most {WIDEST}. Of {len(claimed)} cells with at least {FEWEST} such samples, "
        f"{len(outside)} are outside of these limits by more than 3 standard errors; the mean "
        f"width is {width:.2f}."
    )
    below = (
        f"With {RELIED} changed queries or more, where the correction is used, but nothing is "
        f"claimed below {CHANGED}:"
    )
    rare = (
        f"A judge that is right but for 4 % of queries, where its difference is 0.6 too high, "
        f"breaks the correction: with {SIZES[0]} queries it would hold the truth in "
        f"{min(few):.0f} to {max(few):.0f} % of samples. It differs from people on so few "
        f"queries that it is relied upon in {relied:.1f} % of samples: people alone decide."
    )
    tables = ("\n".join(_table(cells, which)) for which in ("claimed", "relied"))
    parts = (about, claim, next(tables), below, next(tables), rare)
    return "\n\n".join(parts) + "\n"


def _outside(counts: dict[str, float]) -> bool:
    """Return whether coverage is clearly outside the limits."""
    share = counts["both"] / 100
    slack = 3 * 100 * float(np.sqrt(share * (1 - share) / counts["samples"]))
    return counts["both"] + slack < LOWEST or counts["both"] - slack > HIGHEST


def _table(cells: list[dict[str, Any]], which: str) -> Iterator[str]:
    yield "| n | judge | cells | coverage | lowest to highest | people alone | width |"
    yield "| ---: | --- | ---: | ---: | --- | ---: | ---: |"
    for n in SIZES:
        for judge in JUDGES:
            found = [
                cell["counts"][which]
                for cell in cells
                if (cell["n"], cell["subject"].judge) == (n, judge.name) and which in cell["counts"]
            ]
            if not found:
                continue
            both = [each["both"] for each in found]
            alone, width = (np.mean([each[name] for each in found]) for name in ("alone", "width"))
            yield (
                f"| {n} | {judge.name} | {len(found)} | {np.mean(both):.1f} % | {min(both):.1f} to "
                f"{max(both):.1f} % | {alone:.1f} % | {width:.2f} |"
            )


def main() -> None:
    """Measure, and print or write the section."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder of collections")
    parser.add_argument("--samples", type=int, default=4_000, help="samples a cell")
    parser.add_argument("--write", action="store_true", help="to docs/, instead of printing")
    given = parser.parse_args()
    start = time.monotonic()
    cells = [measured(each, n, given.samples) for each in subjects(given.data) for n in SIZES]
    print(f"{time.monotonic() - start:.0f} seconds", file=sys.stderr)
    publish(page(cells, given.samples), "judges.md", HEADING, write=given.write)


if __name__ == "__main__":
    main()
