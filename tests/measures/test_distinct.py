"""Lists that measures cannot tell apart are computed once, with the same values."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rankreport as rr
from rankreport.measures import _distinct, values
from rankreport.measures._distinct import distinct_lists, same_bits

MEASURES = ["nDCG@3", "nDCG(gain='exp')@3", "AP@2", "RR", "P@4", "R@1", "Bpref", "AUC", "RBP", "G"]


@pytest.fixture
def evaluated(monkeypatch):
    """Evaluate many queries of one or two judged documents, computing each list or not."""
    rng = np.random.default_rng(5)
    n = 400
    lists = [
        {f"d{at}": float(grade) for at, grade in enumerate(rng.integers(0, 3, rng.integers(1, 3)))}
        for _ in range(n)
    ]
    qrels = {f"q{at}": judged for at, judged in enumerate(lists)}
    runs = {
        system: {query: [*rng.permutation([f"d{at}" for at in range(4)])[:3]] for query in qrels}
        for system in ("old", "new")
    }

    def evaluate(many, **options):
        monkeypatch.setattr(values, "MANY", many)
        return rr.evaluate(qrels, runs, [rr.parse(name) for name in MEASURES], **options)

    return evaluate


@pytest.mark.parametrize("options", [{}, {"no_relevant": "one"}], ids=str)
def test_values_are_equal_to_the_last_bit(evaluated, options):
    each = evaluated(10**9, **options).per_query()
    evaluation = evaluated(1, **options)
    found, rows = evaluation.per_query(), evaluation._origin.rows
    few = [rr.parse("nDCG@3"), rr.parse("AP@2")]
    again = rows.of_queries(few)
    (lists,) = rows._known_distinct.values()  # that tell more measures apart, so these too
    assert len(lists.rows) < len(evaluation.judged_documents()) / 4
    for name in each.columns[2:]:
        assert same_bits(found[name], each[name]), name
    for measure in map(str, few):
        assert same_bits(again[measure], each[measure]), measure


def test_parts_are_the_values_without_equal_neighbours(evaluated):
    points = [rr.parse("R") @ k for k in (1, 2, 3, 4, 5)]
    for many in (1, 10**9):
        rows = evaluated(many)._origin.rows
        parts = list(rows.in_parts(points, 2))
        names = [part.columns[2:] for part in parts]
        assert [name for some in names for name in some] == ["R@1", "R@2", "R@3"]
        assert max(map(len, names)) == 2
        whole = rows.of_queries(points)
        for part in parts:
            assert_frame_equal(part, whole.select(part.columns))
        assert whole["R@5"].equals(whole["R@3"])


LISTS = pl.DataFrame({"number of the list": np.repeat(np.arange(6), 2)})


def test_equal_hashes_are_no_proof(monkeypatch):
    rows = LISTS.with_columns(rank=pl.Series([1, 2, 1, 3, 1, 2, 1, 2, 1, 2, 1, 3]))
    found = distinct_lists(rows, ["rank"])
    assert found.numbers.to_list() == [0, 1, 0, 0, 0, 1]
    assert found.rows["rank"].to_list() == [1, 2, 1, 3]
    monkeypatch.setattr(_distinct, "_hashed", lambda *_: pl.Series([7] * 6))
    assert distinct_lists(rows, ["rank"]) is None


def test_the_order_of_rows_and_the_sign_of_zero_tell_lists_apart():
    grades = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    rows = LISTS.with_columns(grade=pl.Series(grades))
    assert distinct_lists(rows, ["grade"]).numbers.to_list() == [0, 1, 0, 0, 0, 0]
    negative = rows.with_columns(grade=pl.Series([*grades[:-1], -0.0]))
    assert distinct_lists(negative, ["grade"]) is None
