"""Generated collections, one for each shape of data that is fast or slow for reasons of its own.

    python benchmarks/shapes.py FOLDER [--shape tied ...] [--systems 1] [--form text] [--shuffled]
    python benchmarks/shapes.py FOLDER --large QUERIES

writes for each shape a folder with ``qrels`` and ``run-1``, ``run-2`` and so on, as TREC text, as
gzip of it or as Parquet. The same arguments give the same bytes. Scores have six decimals; rows are
sorted by query, then by score, unless the shape or ``--shuffled`` says otherwise. With ``--large``
it writes one run of so many queries, block by block, for runs larger than memory: in all forms, or
in the one that ``--form`` names.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

SEED = 20
FORMS = {"text": ".txt", "gzip": ".txt.gz", "parquet": ".parquet"}
"""The suffix of each form of file."""

Numbers = np.ndarray


@dataclass(frozen=True)
class Collection:
    """Judgments and runs, with the columns of TREC text.

    Attributes
    ----------
    qrels
        ``query_id, iteration, doc_id, relevance``.
    runs
        For each system: ``query_id, iteration, doc_id, rank, score, tag``.
    """

    qrels: pl.DataFrame
    runs: Mapping[str, pl.DataFrame]

    def shuffled(self) -> Collection:
        """Return it with all rows in random order, as a database returns them."""
        rows = {name: run.sample(fraction=1, shuffle=True, seed=SEED) for name, run in self._runs}
        return Collection(self.qrels.sample(fraction=1, shuffle=True, seed=SEED), rows)

    def write(self, folder: Path, form: str = "text") -> tuple[Path, ...]:
        """Write the judgments and the runs, and return their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        rows = {"qrels": self.qrels, **self.runs}
        paths = tuple(folder / f"{name}{FORMS[form]}" for name in rows)
        for path, frame in zip(paths, rows.values(), strict=True):
            if form == "parquet":
                frame.write_parquet(path)
            else:
                frame.write_csv(
                    path,
                    include_header=False,
                    separator=" ",
                    float_precision=6,
                    compression="gzip" if form == "gzip" else "uncompressed",
                )
        return paths

    @property
    def _runs(self) -> list[tuple[str, pl.DataFrame]]:
        return list(self.runs.items())


def ms_marco(systems: int = 1) -> Collection:
    """6,980 queries x 1,000 passages, of which one is relevant and alone judged."""
    return _collection(6_980, 1_000, 1, systems, ids="passages", found=0.9, grades=1)


def recommender(systems: int = 1) -> Collection:
    """300,000 users x 20 items; 5 of a user's items are held out, of which some are recommended."""
    return _collection(300_000, 20, 5, systems, ids="items", found=0.3, grades=1)


def tied(systems: int = 1) -> Collection:
    """2,000 queries x 1,000 documents, 50 judged; a list has 20 different scores."""
    return _collection(2_000, 1_000, 50, systems, ids="pages", found=0.6, different=20)


def unsorted(systems: int = 1) -> Collection:
    """2,000 queries x 1,000 documents, 50 judged; the rows of a list are in random order."""
    made = _collection(2_000, 1_000, 50, systems, ids="pages", found=0.6)
    order = np.random.default_rng(SEED).permuted(np.arange(2_000_000).reshape(2_000, -1), axis=1)
    return Collection(made.qrels, {name: run[order.ravel()] for name, run in made.runs.items()})


def robust(systems: int = 1) -> Collection:
    """250 topics x 1,000 documents of newswire, 600 judged with grades 0 to 2."""
    return _collection(250, 1_000, 600, systems, ids="newswire", found=0.4)


def small(systems: int = 1) -> Collection:
    """50 queries x 100 documents, 20 judged: what an evaluation costs beside its rows."""
    return _collection(50, 100, 20, systems, ids="pages", found=0.6)


def pair(systems: int = 2) -> Collection:
    """100 queries x 100 documents, 20 judged: what a report costs beside its rows."""
    return _collection(100, 100, 20, systems, ids="pages", found=0.6)


def every_pair(systems: int = 50) -> Collection:
    """50 queries x 20 documents, all judged, of 50 systems in a planted order."""
    return _ordered(50, 20, 20, systems)


def one_baseline(systems: int = 300) -> Collection:
    """50 queries x 20 documents, all judged, of 300 systems in a planted order."""
    return _ordered(50, 20, 20, systems)


def many_systems(systems: int = 2_000) -> Collection:
    """50 queries x 20 documents, all judged, of 2,000 systems in a planted order."""
    return _ordered(50, 20, 20, systems)


def many_queries(systems: int = 4) -> Collection:
    """20,000 queries x 10 documents, all judged."""
    return _ordered(20_000, 10, 10, systems)


def half_judged(systems: int = 2) -> Collection:
    """200,000 queries x 10 documents, half of them judged."""
    return _ordered(200_000, 10, 5, systems)


def clicks(systems: int = 2) -> Collection:
    """1,000,000 queries x 10 documents, of which two are relevant and alone judged."""
    return _ordered(1_000_000, 10, 2, systems, relevant=True)


SHAPES: Mapping[str, Callable[..., Collection]] = {
    "ms-marco": ms_marco,
    "recommender": recommender,
    "tied": tied,
    "unsorted": unsorted,
    "robust": robust,
    "small": small,
    "pair": pair,
    "every-pair": every_pair,
    "one-baseline": one_baseline,
    "many-systems": many_systems,
    "many-queries": many_queries,
    "half-judged": half_judged,
    "clicks": clicks,
}


_NAMES: Mapping[str, tuple[int, int, str]] = {
    "passages": (1_102_432, 8_841_823, "{}"),
    "items": (2_000_000, 60_000, "i{}"),
    "pages": (100_000, 5_000_000, "page-{}"),
    "newswire": (1_000, 528_155, "FBIS3-{}"),
}
"""How many queries and documents there are, by which they are numbered, and a document's name."""


_BLOCK = 1_000
"""So many queries of a large collection are generated at a time."""

_TREC = ("query_id", "iteration", "doc_id", "rank", "score", "tag")


def write_large(folder: Path, n_queries: int, form: str | None = None) -> tuple[Path, ...]:
    """Write lists of 1,000 documents, 10 of each judged, without keeping them; return the paths.

    The judgments are text, and the run has this form, or all forms.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = (f"qrels{FORMS['text']}", *(f"run-1{suffix}" for suffix in FORMS.values()))
    paths = tuple(folder / name for name in names)
    as_text: dict[str, Any] = {"include_header": False, "separator": " ", "float_precision": 6}
    with paths[0].open("wb") as qrels, paths[1].open("wb") as run:
        for first in range(0, n_queries, _BLOCK):
            n = min(_BLOCK, n_queries - first)
            made = _collection(n, 1_000, 10, 1, ids="passages", found=0.8, first=first)
            made.qrels.write_csv(qrels, **as_text)
            made.runs["run-1"].write_csv(run, **as_text)
    dtypes = dict.fromkeys(_TREC, pl.String()) | {"rank": pl.Int64(), "score": pl.Float64()}
    rows = pl.scan_csv(paths[1], has_header=False, separator=" ", quote_char=None, schema=dtypes)
    kept = list(FORMS) if form is None else [form]
    if "gzip" in kept:
        rows.sink_csv(paths[2], compression="gzip", **as_text)
    if "parquet" in kept:
        rows.sink_parquet(paths[3])
    if "text" not in kept:
        paths[1].unlink()
    return (paths[0], *(folder / f"run-1{FORMS[each]}" for each in kept))


def _collection(
    n_queries: int,
    depth: int,
    n_judged: int,
    systems: int,
    *,
    ids: str,
    found: float,
    grades: int = 2,
    different: int | None = None,
    first: int | None = None,
) -> Collection:
    """Generate a collection.

    Parameters
    ----------
    n_queries, depth, n_judged
        The numbers of queries, and of documents returned and judged for each.
    systems
        The number of systems, each with lists of its own.
    ids
        A key of `_NAMES`.
    found
        The share of the judged documents that a system returns, most of them near the top.
    grades
        The highest grade. Where it is 1, only relevant documents are judged.
    different
        The number of different scores in a list; all of them by default.
    first
        The number of the first query, which others follow; drawn at random by default.
    """
    rng = np.random.default_rng(SEED if first is None else [SEED, first])
    all_queries, all_documents, name = _NAMES[ids]
    if first is None:
        queries = np.sort(rng.choice(all_queries, n_queries, replace=False))
    else:
        queries = np.arange(first, first + n_queries)
    known = _distinct(rng, n_queries, n_judged, all_documents)
    relevance = np.ones(known.shape, int) if grades == 1 else _grades(rng, known.shape, grades)
    qrels = pl.DataFrame(
        {
            "query_id": np.repeat(queries, n_judged),
            "iteration": "0",
            "doc_id": known.ravel(),
            "relevance": relevance.ravel(),
        }
    )
    runs = {}
    for number in range(systems):
        documents = _lists(rng, known, depth, found, all_documents)
        run = {
            "query_id": np.repeat(queries, depth),
            "iteration": "Q0",
            "doc_id": documents.ravel(),
            "rank": np.tile(np.arange(1, depth + 1), n_queries),
            "score": _scores(rng, documents.shape, different).ravel(),
            "tag": f"system-{number + 1}",
        }
        runs[f"run-{number + 1}"] = _named(pl.DataFrame(run), name)
    return Collection(_named(qrels, name), runs)


def _ordered(
    n_queries: int, depth: int, n_judged: int, systems: int, *, relevant: bool = False
) -> Collection:
    """Generate a collection in which each system is better than the ones before it.

    Every fifth is as good as the one before, so that not all are told apart.

    Parameters
    ----------
    n_queries, depth, n_judged, systems
        As for `_collection`. All systems order the same documents.
    relevant
        Whether all judged documents are relevant, as those of clicks are.
    """
    rng = np.random.default_rng(SEED)
    n_rows = n_queries * depth
    place = np.tile(np.arange(depth), n_queries)
    positive = place < n_judged if relevant else rng.random(n_rows) < 0.3
    grades = np.where(positive, rng.integers(1, 4, n_rows), 0)
    ids = {"query_id": np.repeat(np.arange(n_queries), depth), "doc_id": place}
    rows = _named(pl.DataFrame(ids), "page-{}").with_columns(pl.lit("0").alias("iteration"))
    qrels = rows.select("query_id", "iteration", "doc_id", relevance=pl.Series(grades))
    runs = {}
    for at in range(systems):
        skill = (at - (at % 5 == 4)) / systems
        scores = (grades * (0.5 + skill) + rng.normal(0, 1, n_rows)).round(6)
        order = np.argsort(-scores.reshape(-1, depth), axis=1, kind="stable")
        order += np.arange(n_queries)[:, np.newaxis] * depth
        run = rows[order.ravel()].with_columns(score=pl.Series(scores[order.ravel()]))
        ranked = {"rank": pl.Series(place + 1), "tag": pl.lit(f"system-{at + 1}")}
        runs[f"run-{at + 1:03}"] = run.with_columns(**ranked).select(
            "query_id", "iteration", "doc_id", "rank", "score", "tag"
        )
    return Collection(qrels.filter(pl.Series(place < n_judged)), runs)


def _named(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    query, document = pl.col("query_id").cast(pl.String), pl.format(name, "doc_id")
    return rows.with_columns(query, document.alias("doc_id"))


def _distinct(rng: np.random.Generator, n_rows: int, n: int, below: int) -> Numbers:
    """Return rows of different numbers, from a progression of its own each, in random order."""
    start = rng.integers(below, size=(n_rows, 1))
    step = rng.integers(1, below // (n + 1), size=(n_rows, 1))
    return rng.permuted((start + step * np.arange(n)) % below, axis=1)


def _grades(rng: np.random.Generator, shape: tuple[int, ...], highest: int) -> Numbers:
    """Return grades, of which most are 0, and the first of each query is positive."""
    grades = (rng.random(shape) ** 4 * (highest + 1)).astype(int)
    grades[:, 0] = np.maximum(grades[:, 0], 1)
    return grades


def _lists(
    rng: np.random.Generator, known: Numbers, depth: int, found: float, below: int
) -> Numbers:
    """Return lists of documents, some of the judged ones among them, most of these near the top."""
    n_queries, n_judged = known.shape
    lists = _distinct(rng, n_queries, depth + n_judged, below)
    # A document that is judged for the query by chance would be there twice: another one takes it.
    for row, (listed, judged) in enumerate(zip(lists, known, strict=True)):
        others = listed[~np.isin(listed, judged, kind="sort")]
        lists[row, :depth] = others[:depth]
    lists = lists[:, :depth]
    # Places with a chance that falls with the rank, each once (Gumbel's trick).
    weights = -np.log(10.0 + np.arange(depth)) + rng.gumbel(size=(n_queries, depth))
    n_places = min(n_judged, depth)
    places = np.argpartition(-weights, n_places - 1, axis=1)[:, :n_places]
    returned = rng.random((n_queries, n_places)) < found
    rows, columns = np.nonzero(returned)
    lists[rows, places[rows, columns]] = known[rows, columns]
    return lists


def _scores(rng: np.random.Generator, shape: tuple[int, int], different: int | None) -> np.ndarray:
    """Return descending scores; of many, about one in a hundred equals the one above it."""
    if different is not None:
        return -np.sort(-rng.integers(1, different + 1, size=shape)).astype(float)
    scores = -np.sort(-(8 + rng.gamma(4, 2, shape)).round(6))
    same = rng.random(shape) < 1 / 100
    same[:, 0] = False
    above = np.maximum.accumulate(np.where(same, 0, np.arange(shape[1])), axis=1)
    return np.take_along_axis(scores, above, axis=1)


def main() -> None:
    """Write collections."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shape", action="append", choices=SHAPES, help="all by default")
    parser.add_argument("--systems", type=int, help="by default one, or what a shape is made for")
    parser.add_argument("--form", choices=FORMS, help="text by default, with --large all")
    parser.add_argument("--shuffled", action="store_true")
    parser.add_argument("--large", type=int, metavar="QUERIES", help="one run of so many")
    given = parser.parse_args()
    if given.large is not None:
        write_large(given.folder / "large", given.large, given.form)
        return
    for shape in given.shape or SHAPES:
        made = SHAPES[shape]() if given.systems is None else SHAPES[shape](given.systems)
        made = made.shuffled() if given.shuffled else made
        made.write(given.folder / shape, given.form or "text")


if __name__ == "__main__":
    main()
