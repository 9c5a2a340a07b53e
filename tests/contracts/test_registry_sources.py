"""The same data give the same scores of every measure, whatever they are stored in."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
import pytest
from drawn import collections
from hypothesis import given, settings
from hypothesis import strategies as st
from variants import known_items

import rankreport as rr
from rankreport.io import guarded

EVERY = [m @ 2 if m.takes_cutoff else m for m in rr.catalogue()]
GRADES = st.one_of(st.integers(-2, 4), st.floats(-1, 4, allow_nan=False))


def tables(qrels, run):
    judged = [
        (query, subtopic, document, float(grade))
        for query, row in qrels.items()
        for document, of_subtopics in row.items()
        for subtopic, grade in of_subtopics.items()
    ]
    found = [(q, d, float(score)) for q, row in run.items() for d, score in row.items()]
    return (
        pl.DataFrame(judged, ["query_id", "subtopic", "doc_id", "relevance"], orient="row"),
        pl.DataFrame(found, ["query_id", "doc_id", "score"], orient="row"),
    )


def written(folder, suffix, qrels, run):
    write = {".csv": "write_csv", ".parquet": "write_parquet", ".jsonl": "write_ndjson"}[suffix]
    paths = folder / f"qrels{suffix}", folder / f"run{suffix}"
    for path, frame in zip(paths, (qrels, run), strict=True):
        # In CSV, an apostrophe before a minus sign is none of the text's own.
        getattr(guarded(frame) if suffix == ".csv" else frame, write)(path)
    return paths


def as_text(folder, qrels, run):
    paths = folder / "qrels.txt", folder / "run.txt"
    judged = (f"{q} {s} {d} {grade!r}\n" for q, s, d, grade in qrels.rows())
    found = (f"{q} Q0 {d} 1 {score!r} tag\n" for q, d, score in run.rows())
    paths[0].write_text("".join(judged), encoding="utf-8")
    paths[1].write_text("".join(found), encoding="utf-8")
    return paths


WAYS = {
    "polars": lambda _, qrels, run: (qrels, run),
    "lazy": lambda _, qrels, run: (qrels.lazy(), run.lazy()),
    "pandas": lambda _, qrels, run: (qrels.to_pandas(), run.to_pandas()),
    "arrow": lambda _, qrels, run: (qrels.to_arrow(), run.to_arrow()),
    "csv": lambda folder, qrels, run: written(folder, ".csv", qrels, run),
    "parquet": lambda folder, qrels, run: written(folder, ".parquet", qrels, run),
    "json lines": lambda folder, qrels, run: written(folder, ".jsonl", qrels, run),
    "trec text": as_text,
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@given(collection=collections(grades=GRADES))
@settings(max_examples=6)
def test_every_way_of_giving_the_data_gives_the_same_scores(way, collection):
    grades, run = collection
    qrels = {q: {d: {"s1": g, "s2": -1} for d, g in row.items()} for q, row in grades.items()}
    nested = rr.evaluate(qrels, {"mine": run}, EVERY, subtopics=True, **known_items(qrels))
    with tempfile.TemporaryDirectory() as folder:
        given_qrels, given_run = WAYS[way](Path(folder), *tables(qrels, run))
        other = rr.evaluate(
            given_qrels, {"mine": given_run}, EVERY, subtopics=True, **known_items(qrels)
        )
        assert other.per_query().equals(nested.per_query())
        assert other.summary().equals(nested.summary())
