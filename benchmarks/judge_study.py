"""How often intervals hold the truth where people corrected a model's judgments.

    python benchmarks/judge_study.py --data FOLDER [--samples 4000] [--write]

`FOLDER` holds collections of real runs (`interval_study/real.py` names them). Of each, two runs are
compared by people's judgments and by those of judges made from them: documents get wrong grades,
one by one, or differences rare errors (`JUDGES`). N queries are drawn with replacement from those
of the collection, so that the truth is the mean difference by people over the collection. People
judged n of them. With `--write` the claims go to benchmarks/studies/claims.md and all cells to
benchmarks/studies/judges.md, otherwise both are printed.
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

HEADING: Final = "## A model as judge: how often the interval holds the truth\n"
DRAWN: Final = (
    *((200, 20), (200, 50), (200, 100)),
    *((1_000, 20), (1_000, 50), (1_000, 200)),
    *((10_000, 50), (10_000, 200)),
)
"""How many queries there are, and how many of them people judged."""
MOST_DRAWN: Final = 2_000_000
"""The most differences drawn in a cell: of many queries, fewer samples."""
MEASURES: Final = ("nDCG@10", "RR@10")
RELIED: Final = 10
"""The model is relied upon with so many changed queries."""
LOWEST: Final = 93.0
"""The coverage in per cent that is claimed."""
LARGEST_ERROR: Final = 0.5
"""The largest error that intervals allow for: by default, half the range of these measures."""
FEWEST: Final = 200
"""The fewest samples of a cell that is shown."""


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
    *(
        Judge(name, f"people's difference and {words}", _right)
        for name, words in {
            "nearly equal": "a noise of 0.01, in 2 % of queries 0.8 more",
            "rarely wrong": "in 4 % of queries 0.6 more",
            "beyond the limit": "a noise of 0.002, in 0.5 % of queries 1 less",
        }.items()
    ),
)
ERRORS: Final = {
    "nearly equal": (0.01, 0.02, 0.8),
    "rarely wrong": (0.0, 0.04, 0.6),
    "beyond the limit": (0.002, 0.005, -1.0),
}
"""The noise, share and size of errors of judges whose differences are made of people's."""


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


def measured(subject: Subject, drawn: tuple[int, int], samples: int) -> dict[str, Any]:
    """Return what was counted in the samples of a cell."""
    n_all, n = drawn
    rng = np.random.default_rng((7, n_all, n))
    shape = (n_all, min(samples, MOST_DRAWN // n_all))
    rows = rng.integers(0, len(subject.human), shape)
    # Rows are drawn at random, so that the first n are a random part.
    every, model = subject.human[rows], subject.model[rows]
    if subject.judge in ERRORS:
        noise, share, size = ERRORS[subject.judge]
        model = every + rng.normal(0, noise, shape) + size * (rng.random(shape) < share)
    human = every[:n]
    found = statistics.corrected_mean(human, model[:n], model[n:])
    both = found.interval(0.95, LARGEST_ERROR).within(-1.0, 1.0)
    alone = statistics.student_t_hull_bca(
        human, lambda: statistics.replicate_means(human, resamples=500, seed=0), 0.95
    )
    relied = (human != 0).sum(axis=0) >= RELIED
    truth = subject.human.mean()
    count = int(relied.sum())
    if count < FEWEST:
        return {"subject": subject, "drawn": drawn, "samples": 0}
    holds = [~(ends.low > truth) & ~(ends.high < truth) for ends in (both, alone)]
    widths = [np.nansum((ends.high - ends.low)[relied]) for ends in (both, alone)]
    return {
        "subject": subject,
        "drawn": drawn,
        "samples": count,
        "both": 100 * float(holds[0][relied].mean()),
        "alone": 100 * float(holds[1][relied].mean()),
        "width": float(widths[0] / widths[1]),
    }


def page(cells: list[dict[str, Any]], samples: int) -> str:
    """Return the section of the page: the claim, with its worst cell, and what is gained."""
    claimed = [cell for cell in cells if cell["samples"]]
    below = [cell for cell in claimed if _below(cell)]
    worst = min(claimed, key=lambda cell: cell["both"])
    error = 100 * np.sqrt(worst["both"] / 100 * (1 - worst["both"] / 100) / worst["samples"])
    collections = {cell["subject"].collection for cell in cells}
    about = (
        f"Written by `benchmarks/judge_study.py`: two runs each of {len(collections)} real "
        f"collections on {' and '.join(MEASURES)}, N queries a sample of which people judged n, "
        f"{samples:,} samples a cell (of N = 10,000 {MOST_DRAWN // 10_000}). {len(JUDGES)} "
        f"judges are made of people's judgments. Coverage is of 95 % intervals with the default "
        f"largest error of {LARGEST_ERROR}. All cells: "
        f"[benchmarks/studies/judges.md](judges.md)."
    )
    claim = (
        f"Where {RELIED} queries or more changed, which is where the correction is used, intervals "
        f"are to hold the truth in {LOWEST:.0f} % of samples or more. Of {len(claimed)} cells with "
        f"at least {FEWEST} such samples, {len(below)} are below that by more than 3 standard "
        f"errors. The worst is {worst['both']:.1f} % (standard error {error:.1f}: "
        f"{worst['subject'].judge}, {worst['subject'].collection}, {worst['subject'].measure}, "
        f"N = {worst['drawn'][0]:,}, n = {worst['drawn'][1]})."
    )
    gained = "Lowest coverage, and width in widths of people alone, from judge to judge:"
    return "\n\n".join((about, claim, gained, "\n".join(_gained(claimed)), NOT_TRIED)) + "\n"


def _gained(cells: list[dict[str, Any]]) -> Iterator[str]:
    yield "| N | n | lowest coverage | width |"
    yield "| ---: | ---: | ---: | ---: |"
    for drawn in DRAWN:
        found = [cell for cell in cells if cell["drawn"] == drawn]
        if not found:
            continue
        widths = [
            float(np.mean([each["width"] for each in found if each["subject"].judge == judge]))
            for judge in dict.fromkeys(each["subject"].judge for each in found)
        ]
        lowest = min(each["both"] for each in found)
        yield (
            f"| {drawn[0]:,} | {drawn[1]} | {lowest:.1f} % | {min(widths):.2f} to "
            f"{max(widths):.2f} |"
        )


def tables(cells: list[dict[str, Any]], samples: int) -> str:
    """Return the table of all cells."""
    judges = "; ".join(f"*{judge.name}*: {judge.words}" for judge in JUDGES)
    about = (
        f"Written by `benchmarks/judge_study.py`, {samples:,} samples a cell (of N = 10,000 "
        f"{MOST_DRAWN // 10_000}); what follows from them is in [docs/judges.md]"
        f"(../../docs/judges.md). Judges: {judges}. Widths are in widths of people alone."
    )
    title = "# How often a corrected model holds the truth: all cells"
    claimed = [cell for cell in cells if cell["samples"]]
    return "\n\n".join((title, about, "\n".join(_table(claimed)))) + "\n"


NOT_TRIED: Final = (
    "Not tried: measures without bounds, several systems at once, people who err themselves, "
    "samples that are not random, models whose errors go with the level of a query other than by "
    "wrong grades, and errors beyond the largest one given except for *beyond the limit*. Where "
    "people's queries were chosen by what people thought of the systems, no interval holds, and "
    "nothing here notices."
)


def _below(cell: dict[str, Any]) -> bool:
    """Return whether coverage is clearly below the limit."""
    share = cell["both"] / 100
    return cell["both"] + 300 * float(np.sqrt(share * (1 - share) / cell["samples"])) < LOWEST


def _table(cells: list[dict[str, Any]]) -> Iterator[str]:
    yield "| N | n | judge | cells | coverage | lowest to highest | people alone | width |"
    yield "| ---: | ---: | --- | ---: | ---: | --- | ---: | ---: |"
    for drawn in DRAWN:
        for judge in JUDGES:
            found = [
                cell
                for cell in cells
                if (cell["drawn"], cell["subject"].judge) == (drawn, judge.name)
            ]
            if not found:
                continue
            both = [each["both"] for each in found]
            alone, width = (np.mean([each[name] for each in found]) for name in ("alone", "width"))
            yield (
                f"| {drawn[0]:,} | {drawn[1]} | {judge.name} | {len(found)} | {np.mean(both):.1f} "
                f"% | {min(both):.1f} to {max(both):.1f} % | {alone:.1f} % | {width:.2f} |"
            )


def main() -> None:
    """Measure, and print or write the section."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder of collections")
    parser.add_argument("--samples", type=int, default=4_000, help="samples a cell")
    parser.add_argument("--write", action="store_true", help="to the files, instead of printing")
    given = parser.parse_args()
    start = time.monotonic()
    cells = [
        measured(each, drawn, given.samples) for each in subjects(given.data) for drawn in DRAWN
    ]
    print(f"{time.monotonic() - start:.0f} seconds", file=sys.stderr)
    publish(page(cells, given.samples), "benchmarks/studies/claims.md", HEADING, write=given.write)
    publish(tables(cells, given.samples), "benchmarks/studies/judges.md", write=given.write)


if __name__ == "__main__":
    main()
