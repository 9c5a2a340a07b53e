"""How much sooner "judge these next" reaches the verdict of full judgments than random order.

    python benchmarks/judging_order_study.py --data FOLDER [--repeats 3] [--write]

`FOLDER` holds collections of real runs (`interval_study/real.py` names them). Of each, two runs are
compared with only judged documents left in their lists, so that all is judged; that verdict is the
one to reach. Then judgments of a share `REMOVED` of the documents within the cut-off are removed at
random, and given back a tenth at a time: in the order of `rr.judge_next`, asked anew each time,
or in random order. What is counted is the share of the removed judgments that it took until the
verdict by the interval was that of full judgments, and stayed. With `--write` the figures go to
docs/unjudged.md, otherwise they are printed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars as pl
from interval_study import real

import rankreport as rr
from rankreport import statistics

PAGE = Path(__file__).parents[1] / "docs" / "unjudged.md"
HEADING: Final = "## How much sooner\n"
REMOVED: Final = 0.7
STEPS: Final = 10
MEASURE: Final = "nDCG@10"
DEPTH: Final = 10
QUERIES: Final = 100
"""The most queries of a collection."""
KEYS: Final = ["query_id", "doc_id"]


def subjects(data: Path) -> Iterator[tuple[str, pl.DataFrame, dict[str, pl.DataFrame]]]:
    """Yield each collection: its name, judgments, and two runs of judged documents alone."""
    for collection in sorted((*real.COLLECTIONS, real.LEARNED)):
        given, runs = real.first_two(data / collection)
        qrels = rr.read_qrels(given).collect()
        if qrels["relevance"].min() > 0:
            continue  # relevant documents alone: all others count as judged
        first = {
            name: rr.read_run(run)
            .collect()
            .join(qrels, on=KEYS, how="semi", maintain_order="left")
            .sort("query_id", "score", "doc_id", descending=[False, True, True])
            .group_by("query_id", maintain_order=True)
            .head(DEPTH)
            .select(*KEYS, "score")
            for name, run in runs.items()
        }
        # The first queries in random order, so that the study takes minutes.
        queries = rr.sample_queries(qrels, min(QUERIES, qrels["query_id"].n_unique()))
        qrels = qrels.filter(pl.col("query_id").is_in(queries))
        first = {name: run.filter(pl.col("query_id").is_in(queries)) for name, run in first.items()}
        yield collection, qrels.select(*KEYS, "relevance"), first


def verdict_of(qrels: pl.DataFrame, runs: dict[str, pl.DataFrame]) -> tuple[str, rr.Comparison]:
    """Return the verdict by the interval."""
    comparison = rr.compare(qrels, runs, measures=MEASURE)
    [row] = comparison._uncautioned.to_dicts()
    enough = row["ci_low"] is not None and row["n_changed_effective"] >= statistics.MIN_CHANGED
    if enough and row["ci_low"] > 0:
        return "better", comparison
    return "worse" if enough and row["ci_high"] < 0 else "inconclusive", comparison


def reached(
    qrels: pl.DataFrame, runs: dict[str, pl.DataFrame], removed: pl.DataFrame, *, ordered: bool
) -> tuple[bool, float]:
    """Return whether the verdict differs at first, and the share of judgments until it stays."""
    full, _ = verdict_of(qrels, runs)
    batch = max(1, len(removed) // STEPS)
    left, wrong, given, first = removed, 0, 0, None
    while True:
        known = qrels.join(left, on=KEYS, how="anti")
        word, comparison = verdict_of(known, runs)
        first = word if first is None else first
        if word != full:
            wrong = given + batch
        if left.is_empty():
            return first != full, min(wrong, len(removed)) / len(removed)
        if ordered:
            order = rr.judge_next(comparison).to_polars().select(KEYS)
            order = order.join(left, on=KEYS, how="semi", maintain_order="left")
            # Queries without any judgment are not evaluated, so that theirs come last.
            order = pl.concat([order, left.select(KEYS)]).unique(keep="first", maintain_order=True)
        else:
            order = left  # removed in random order
        left = left.join(order.head(batch), on=KEYS, how="anti", maintain_order="left")
        given += batch


def measured(collection: str, qrels: Any, runs: Any, repeats: int) -> dict[str, Any]:
    """Return what was counted on a collection."""
    listed = pl.concat([run.select(KEYS) for run in runs.values()]).unique().sort(KEYS)
    found: dict[str, list[float]] = {"next": [], "random": []}
    differs = 0
    for repeat in range(repeats):
        rng = np.random.default_rng((13, repeat))
        removed = listed.filter(pl.Series(rng.random(len(listed)) < REMOVED))
        removed = removed[rng.permutation(len(removed))]
        ends = [reached(qrels, runs, removed, ordered=ordered) for ordered in (True, False)]
        differs += ends[0][0]
        if ends[0][0]:
            found["next"].append(ends[0][1])
            found["random"].append(ends[1][1])
    word, comparison = verdict_of(qrels, runs)
    return {
        "collection": collection,
        "queries": len(comparison._query_ids),
        "word": word,
        "differs": differs,
        "repeats": repeats,
        **found,
    }


def page(rows: list[dict[str, Any]]) -> str:
    """Return the section of the page."""
    repeats = rows[0]["repeats"]
    about = (
        f"Written by `benchmarks/judging_order_study.py`: two runs each of {len(rows)} real "
        f"collections, at most {QUERIES} queries, {MEASURE}, with judged documents alone, so that "
        f"all is judged. Judgments of {REMOVED:.0%} of the documents were removed at random, "
        f"{repeats} times, and given back a tenth at a time. The table has the share of them that "
        f"it took until the verdict was that of full judgments, and stayed; where it was from the "
        f"start, there is nothing to reach."
    )
    lines = [
        about,
        "",
        "| collection | queries | verdict | to reach | judge these next | random order |",
        "| --- | ---: | --- | ---: | ---: | ---: |",
    ]
    every: dict[str, list[float]] = {"next": [], "random": []}
    for row in rows:
        shares = []
        for name in every:
            every[name] += row[name]
            shares.append(f"{np.mean(row[name]):.0%}" if row[name] else "")
        lines.append(
            f"| {row['collection']} | {row['queries']:,} | {row['word']} | {row['differs']} of "
            f"{repeats} | {shares[0]} | {shares[1]} |"
        )
    means = {name: float(np.mean(known)) for name, known in every.items()}
    pairs = list(zip(every["next"], every["random"], strict=True))
    found = (
        f"On average {means['next']:.0%} of the judgments in the order of judge_next, and "
        f"{means['random']:.0%} in random order; sooner in {sum(a < b for a, b in pairs)} of "
        f"{len(pairs)} cases, later in {sum(a > b for a, b in pairs)}."
    )
    return "\n".join([*lines, "", found]).replace("%", " %") + "\n"


def main() -> None:
    """Measure, and print or write the section."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder of collections")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="to docs/, instead of printing")
    given = parser.parse_args()
    start = time.monotonic()
    rows = []
    for subject in subjects(given.data):
        rows.append(measured(*subject, given.repeats))
        print(rows[-1], file=sys.stderr, flush=True)
    print(f"{time.monotonic() - start:.0f} seconds", file=sys.stderr)
    text = page(rows)
    if not given.write:
        print(text, end="")
        return
    before, _, after = PAGE.read_text(encoding="utf-8").partition(HEADING)
    _, heading, rest = after.partition("\n## ")
    PAGE.write_text(f"{before}{HEADING}\n{text}{heading}{rest}", encoding="utf-8")


if __name__ == "__main__":
    main()
