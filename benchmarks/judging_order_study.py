"""How much sooner "judge these next" reaches the verdict of full judgments than random order.

    python benchmarks/judging_order_study.py --data FOLDER [--seeds 3] [--kept FILE] [--write]

`FOLDER` holds collections of real runs (`interval_study/real.py` names them). Of each, all pairs of
the first `RUNS` runs by name are compared with only judged documents left in their lists, so that
all is judged; that verdict is the one to reach. Then judgments of a share (`REMOVED`) of the
documents within the cut-off are removed at random, and given back in `STEPS` steps: in the order of
`rr.judge_next`, asked again at each step, or in random order (the median of `ORDERS` orders). What
is counted is the number of judgments that it took until the verdict by the interval was that of
full judgments, and stayed. Where it is from the start, there is nothing to reach. With `--kept`,
cells are added to a file and not measured again. With `--write` the figures go to
benchmarks/studies/judging_order.md, otherwise they are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import combinations, islice, pairwise
from pathlib import Path
from typing import Any, Final

from rankreport.comparison.differences import plain_table_of

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl
from docs_section import publish
from interval_study import real

import rankreport as rr
from rankreport import statistics

HEADING: Final = "# How much sooner\n"
RUNS, MOST_RUNS = 4, 100
REMOVED: Final = (0.5, 0.7, 0.9)
STEPS: Final = 20
ORDERS: Final = 3
MEASURE: Final = "nDCG@10"
DEPTH: Final = 10
QUERIES: Final = 100
"""The most queries of a collection."""
KEYS: Final = ["query_id", "doc_id"]

Runs = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class Cell:
    """Two runs of a collection, and judgments removed at random.

    ``in_order`` and ``at_random`` are the numbers of judgments until the verdict was that of full
    judgments, and stayed: in the order of judge_next, and at random; None where it was from the
    start.
    """

    collection: str
    pair: str
    share: float
    seed: int
    queries: int
    verdict: str
    removed: int
    in_order: int | None = None
    at_random: float | None = None


def subjects(data: Path) -> Iterator[tuple[str, pl.DataFrame, Runs]]:
    """Yield each collection: its name, judgments, and runs of judged documents alone."""
    for collection in sorted((*real.COLLECTIONS, real.LEARNED)):
        given, paths = real.first_runs(data / collection, MOST_RUNS)
        qrels = rr.read_qrels(given).collect().select(*KEYS, "relevance")
        if qrels["relevance"].min() > 0:
            continue  # relevant documents alone: all others count as judged
        # The first queries in random order, so that the study takes minutes.
        queries = rr.sample_queries(qrels, min(QUERIES, qrels["query_id"].n_unique()))
        qrels = qrels.filter(pl.col("query_id").is_in(queries))
        runs = dict(islice(_readable(paths), RUNS))
        listed = {
            name: run.join(qrels, on=KEYS, how="semi", maintain_order="left")
            .sort("query_id", "score", "doc_id", descending=[False, True, True])
            .group_by("query_id", maintain_order=True)
            .head(DEPTH)
            .select(*KEYS, "score")
            for name, run in runs.items()
        }
        yield collection, qrels, listed


def _readable(paths: Mapping[str, Any]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the runs without faults, such as documents that are repeated."""
    for name, path in paths.items():
        with suppress(rr.DataError):
            yield name, rr.read_run(path).collect()


def verdict_of(qrels: pl.DataFrame, runs: Runs) -> tuple[str, rr.Comparison]:
    """Return the verdict by the interval."""
    comparison = rr.compare(qrels, runs, measures=MEASURE)
    [row] = plain_table_of(comparison).to_dicts()
    enough = row["ci_low"] is not None and row["n_changed_effective"] >= statistics.MIN_CHANGED
    if enough and row["ci_low"] > 0:
        return "better", comparison
    return "worse" if enough and row["ci_high"] < 0 else "inconclusive", comparison


def steps_of(n: int) -> list[int]:
    """Return how many of n judgments are known at each step."""
    return [round(n * step / STEPS) for step in range(STEPS + 1)]


def in_order(qrels: pl.DataFrame, runs: Runs, removed: pl.DataFrame, full: str) -> int:
    """Return how many judgments it takes in the order of judge_next, asked again at each step."""
    left, needed = removed, 0
    steps = steps_of(len(removed))
    for given, following in pairwise(steps):
        word, comparison = verdict_of(qrels.join(left, on=KEYS, how="anti"), runs)
        if word != full:
            needed = following
        listed = rr.judge_next(comparison).to_polars().select(KEYS)
        listed = listed.join(left, on=KEYS, how="semi", maintain_order="left")
        # Queries without any judgment are not evaluated, so that theirs come last.
        order = pl.concat([listed, left]).unique(keep="first", maintain_order=True)
        batch = order.head(following - given)
        left = left.join(batch, on=KEYS, how="anti", maintain_order="left")
    return needed


def at_random(qrels: pl.DataFrame, runs: Runs, removed: pl.DataFrame, full: str) -> int:
    """Return how many judgments it takes in the order given, from the last step backwards."""
    steps = steps_of(len(removed))
    for given, following in reversed(list(pairwise(steps))):
        known = qrels.join(removed[given:], on=KEYS, how="anti")
        if verdict_of(known, runs)[0] != full:
            return following
    return 0


def measured(
    collection: str, qrels: pl.DataFrame, runs: Runs, *, share: float, seed: int
) -> Cell | None:
    """Return what was counted on two runs; None if they return the same."""
    listed = pl.concat([run.select(KEYS) for run in runs.values()]).unique().sort(KEYS)
    # A document that no list has, and that is not relevant, changes no score.
    qrels = pl.concat(
        [
            qrels.join(listed, on=KEYS, how="semi"),
            qrels.join(listed, on=KEYS, how="anti").filter(pl.col("relevance") > 0),
        ]
    )
    full, comparison = verdict_of(qrels, runs)
    if not plain_table_of(comparison)["n_changed"][0]:
        return None
    rng = np.random.default_rng((13, seed))
    removed = listed.filter(pl.Series(rng.random(len(listed)) < share))
    cell = Cell(
        collection,
        " against ".join(reversed(list(runs))),
        share,
        seed,
        len(comparison.evaluation.query_ids),
        full,
        len(removed),
    )
    if verdict_of(qrels.join(removed, on=KEYS, how="anti"), runs)[0] == full:
        return cell
    orders = [removed[rng.permutation(len(removed))] for _ in range(ORDERS)]
    return Cell(
        **{
            **asdict(cell),
            "in_order": in_order(qrels, runs, removed, full),
            "at_random": float(np.median([at_random(qrels, runs, o, full) for o in orders])),
        }
    )


def cells(data: Path, seeds: int, kept: Path | None) -> list[Cell]:
    """Measure all cells, but for those in the file."""
    found = []
    if kept is not None and kept.exists():
        found = [Cell(**json.loads(line)) for line in kept.read_text("utf-8").splitlines()]
    known = {(each.collection, each.pair, each.share, each.seed) for each in found}
    every = list(subjects(data))
    for seed in range(seeds):
        for collection, qrels, runs in every:
            for one, other in combinations(runs, 2):
                for share in REMOVED:
                    if (collection, f"{other} against {one}", share, seed) in known:
                        continue
                    pair = {one: runs[one], other: runs[other]}
                    cell = measured(collection, qrels, pair, share=share, seed=seed)
                    if cell is None:
                        continue
                    found.append(cell)
                    if kept is not None:
                        with kept.open("a", encoding="utf-8") as file:
                            file.write(f"{json.dumps(asdict(cell))}\n")
        print(f"seed {seed}: {len(found)} cells", file=sys.stderr, flush=True)
    return found


def ratios(found: Sequence[Cell]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the judgments in order over those at random, of each cell with a verdict to reach."""
    return np.array([(each.in_order or 0) / (each.at_random or 1) for each in found])


def mean_ratio(found: Sequence[Cell]) -> tuple[float, float, float]:
    """Return the geometric mean of the ratios with its 95 % interval, which draws pairs of runs."""
    logs = np.log(ratios(found))[:, np.newaxis]
    names = sorted({(each.collection, each.pair) for each in found})
    pairs = np.array([names.index((each.collection, each.pair)) for each in found])
    sample = statistics.Sample.of(logs, statistics.Structure(clusters=pairs))
    ends = statistics.Draws(10_000, 0).interval("percentile", sample, 0.95)
    low, high = (float(np.exp(end[0])) for end in ends)
    return float(np.exp(logs.mean())), low, high


def page(every: Sequence[Cell]) -> str:
    """Return the section of the page."""
    found = [each for each in every if each.in_order is not None]
    collections = sorted({each.collection for each in every})
    shares = sorted({each.share for each in every})
    seeds = len({each.seed for each in every})
    pairs = {(each.collection, each.pair) for each in every}
    about = (
        f"Written by `benchmarks/judging_order_study.py`: {len(pairs)} pairs of runs of "
        f"{len(collections)} real collections, at most {QUERIES} queries, {MEASURE}, with judged "
        f"documents alone, so that all is judged. Judgments of {_listed(shares)} of the documents "
        f"were removed at random, {seeds} times each, and given back in {STEPS} steps, in the "
        f"order of `judge_next`, asked again at each step, or in random order (the median of "
        f"{ORDERS}). Counted are the judgments until the verdict by the interval was that of full "
        f"judgments, and stayed; where it was from the start, there is nothing to reach. Numbers "
        f"of judgments are medians; the ratio is a geometric mean, and the worst one that of a "
        f"single case."
    )
    mean, low, high = mean_ratio(found)
    share = float(np.mean(ratios(found) < 1)), float(np.mean(ratios(found) > 1))
    groups = [
        (name, part, each)
        for name in collections
        for part in shares
        if (each := [c for c in found if (c.collection, c.share) == (name, part)])
    ]
    worst = max(groups, key=lambda group: np.exp(np.log(ratios(group[2])).mean()))
    result = (
        f"The order of `judge_next` takes {mean:.2f} of the judgments of random order (95 % "
        f"interval {low:.2f} to {high:.2f}, which draws pairs of runs): fewer in {share[0]:.0%} of "
        f"{len(found)} cases, more in {share[1]:.0%}. At worst among collections and shares, "
        f"{worst[0]} with {worst[1]:.0%} removed, it takes "
        f"{np.exp(np.log(ratios(worst[2])).mean()):.2f} of them."
    )
    parts = (
        about,
        _table("collection", collections, every, lambda cell: cell.collection),
        _table("removed", shares, every, lambda cell: cell.share, "{:.0%}"),
        result,
    )
    return "\n\n".join(parts).replace("%", " %").replace("  %", " %") + "\n"


def _listed(shares: Sequence[float]) -> str:
    *first, last = (f"{share:.0%}" for share in shares)
    return f"{', '.join(first)} and {last}" if first else last


def _table(
    title: str,
    groups: Iterable[object],
    every: Sequence[Cell],
    key: Callable[[Cell], object],
    shown: str = "{}",
) -> str:
    headings = (
        *(title, "cases", "to reach", "removed"),
        *("judge these next", "random order", "ratio", "worst"),
    )
    rows = [f"| {' | '.join(headings)} |", f"| --- |{' ---: |' * (len(headings) - 1)}"]
    for group in groups:
        all_of = [cell for cell in every if key(cell) == group]
        found = [cell for cell in all_of if cell.in_order is not None]
        row = [shown.format(group), f"{len(all_of)}", f"{len(found)}"]
        if found:
            medians = [
                np.median([float(getattr(cell, name)) for cell in found])
                for name in ("removed", "in_order", "at_random")
            ]
            ratio = ratios(found)
            row += [f"{number:,.0f}" for number in medians]
            row += [f"{np.exp(np.log(ratio).mean()):.2f}", f"{ratio.max():.2f}"]
        else:
            row += [""] * 5
        rows.append(f"| {' | '.join(row)} |")
    return "\n".join(rows)


def main() -> None:
    """Measure, and print or write the section."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder of collections")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--kept", type=Path, help="a file of cells, to go on with")
    parser.add_argument("--write", action="store_true", help="to a file, instead of printing")
    given = parser.parse_args()
    start = time.monotonic()
    found = cells(given.data, given.seeds, given.kept)
    print(f"{time.monotonic() - start:.0f} seconds", file=sys.stderr)
    publish(page(found), "benchmarks/studies/judging_order.md", HEADING, write=given.write)


if __name__ == "__main__":
    main()
