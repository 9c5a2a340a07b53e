"""sample_queries(): random, repeatable, and extended by a larger sample."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

import rankreport as rr
from rankreport.labels import check_sample

QUERIES = [f"q{i}" for i in range(40)]


def test_a_larger_sample_begins_with_the_smaller_one():
    whole = rr.sample_queries(QUERIES, 40)
    assert sorted(whole) == sorted(QUERIES)
    assert [rr.sample_queries(QUERIES, n) for n in (1, 20, 39)] == [
        whole[:1],
        whole[:20],
        whole[:39],
    ]


def test_the_order_of_the_queries_does_not_matter_and_the_seed_does():
    assert rr.sample_queries(reversed(QUERIES), 10) == rr.sample_queries(QUERIES * 2, 10)
    assert rr.sample_queries(QUERIES, 10, seed=1) != rr.sample_queries(QUERIES, 10)


def test_every_query_is_as_likely():
    drawn = Counter(name for seed in range(2_000) for name in rr.sample_queries(QUERIES, 10, seed))
    assert set(drawn) == set(QUERIES)
    # 500 each, with a standard deviation of 19.4.
    assert 420 < min(drawn.values()) < max(drawn.values()) < 580


@pytest.mark.parametrize("kind", ["series", "table", "qrels", "path", "lazy"])
def test_queries_come_in_many_forms(kind, tmp_path):
    frame = pl.DataFrame({"qid": QUERIES, "text": QUERIES})
    frame.write_csv(tmp_path / "queries.csv")
    given = {
        "series": pl.Series(QUERIES),
        "table": pl.concat([frame, frame]),
        "lazy": frame.lazy(),
        "qrels": {name: {"d": 1} for name in QUERIES},
        "path": tmp_path / "queries.csv",
    }[kind]
    assert rr.sample_queries(given, 7) == rr.sample_queries(QUERIES, 7)


@pytest.mark.parametrize(
    ("given", "n", "seed", "why"),
    [
        (QUERIES, 0, 0, "n=0 must lie between 1 and 40"),
        (QUERIES, 41, 0, "n=41 must lie between 1 and 40"),
        (QUERIES, "5", 0, "n takes a whole number"),
        (QUERIES, 5, -1, "A seed is a whole number"),
        (7, 5, 0, "Expected queries: ids, a mapping or a table; found int"),
        (pl.DataFrame({"x": [1]}), 1, 0, "no column for query_id"),
    ],
)
def test_what_cannot_be_drawn_is_refused(given, n, seed, why):
    with pytest.raises((rr.OptionError, rr.DataError), match=why):
        rr.sample_queries(given, n, seed)


def test_a_sample_is_known_by_its_seed_or_declared():
    check_sample(rr.sample_queries(QUERIES, 12), QUERIES, 0)
    check_sample(rr.sample_queries(QUERIES, 12, seed=5), QUERIES, 5)
    check_sample(QUERIES[:12], QUERIES, "random")


@pytest.mark.parametrize(
    ("people", "sample", "why"),
    [
        (QUERIES[:12], 0, r"not those of sample_queries\(queries, 12, seed=0\)"),
        (rr.sample_queries(QUERIES, 12, seed=5), 0, "with another seed, by sample=SEED"),
        (["q1", "q99"], "random", "1 queries that the model did not judge, such as 'q99'"),
        (QUERIES[:12], "chosen", "sample='chosen': give the seed"),
        (QUERIES[:12], True, "A seed is a whole number"),
    ],
)
def test_other_queries_are_refused(people, sample, why):
    with pytest.raises((rr.OptionError, rr.DataError), match=why):
        check_sample(people, QUERIES, sample)
