"""Measures as Polars expressions, on frames of anybody's."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import polars as pl
import pytest
from variants import variants

import rankreport as rr
from rankreport.measures import JudgedRows, declare, expression_of

NAMES = {"relevance": "grade", "rank": "place", "n_retrieved": "n", "top_grade": "best"}
COLUMNS = ("grade", "place")
OTHERS = {"score": "score", "n_retrieved": "n", "top_grade": "best"}
KEYS = ("system", "query_id")


def judged_rows(grades, n_lists=20, length=9):
    """Make judged rows of random lists, in rank order, then documents that were not returned."""
    rng = np.random.default_rng(3)
    rows = []
    for number in range(n_lists):
        n_returned = rng.integers(0, length)
        places = sorted(rng.choice(2 * length, n_returned, replace=False) + 1)
        n = max(places, default=0) + int(rng.integers(0, 3))
        for i in range(length):
            place = places[i] if i < n_returned else None
            score = None if place is None else -float(place // 2)  # some are equal
            rows.append((f"s{number % 2}", f"q{number // 2:02}", f"d{i}", place, score, n))
    names = ["system", "query_id", "doc_id", "rank", "score", "n_retrieved"]
    types = {"rank": pl.UInt32, "n_retrieved": pl.UInt32, "score": pl.Float64}
    frame = pl.DataFrame(rows, names, schema_overrides=types, orient="row")
    drawn = pl.Series(rng.choice(grades, len(frame)), dtype=pl.Float64)
    frame = frame.with_columns(relevance=drawn, top_grade=float(max(grades)))
    return frame.sort("system", "query_id", maintain_order=True)


def a_strangers(frame, seed):
    """Give the columns other names, shuffle the rows, and add columns with the names of ours."""
    mixed = frame.sample(fraction=1.0, shuffle=True, seed=seed).rename(NAMES)
    return mixed.with_columns(rank=pl.lit(7), relevance=pl.lit("high"))


def same_bits(one, other):
    """Whether two columns are equal to the last bit."""
    bits = [each.fill_null(-1.0).to_numpy().view(np.int64) for each in (one, other)]
    return one.is_null().equals(other.is_null()) and np.array_equal(*bits)


def usable(measure):
    with suppress(rr.MeasureError):
        expression_of(measure)
        return measure.declaration.aggregate != "pooled"
    return False


OF_DOCUMENTS = [each for each in rr.catalogue() if each.declaration.rows == "documents"]
CUT = [plain @ 3 for plain in OF_DOCUMENTS if plain.takes_cutoff]
EVERY = [each for plain in OF_DOCUMENTS for each in variants(plain)]
GRADES = {
    "binary": (0, 1),
    "negative": (-2, -1, 0, 1, 2),
    "fractional": (0, 0.25, 0.5, 1, 3),
    "nothing relevant": (0, -1),
}


def assert_equal(measures, grades, engine):
    measures = list(filter(usable, dict.fromkeys(measures)))
    rows = judged_rows(GRADES[grades])
    wanted = JudgedRows(rows).of_queries(measures)
    expressions = [measure.expr(*COLUMNS, **OTHERS) for measure in measures]
    found = a_strangers(rows, 5).lazy().group_by(KEYS).agg(expressions).collect(engine=engine)
    found = found.sort(KEYS)
    assert found.select(KEYS).equals(wanted.select(KEYS))
    assert not [m for m in map(str, measures) if not same_bits(found[m], wanted[m])]


@pytest.mark.parametrize("grades", ["negative"])
def test_values_are_those_of_the_engine_to_the_last_bit(grades):
    assert_equal([*OF_DOCUMENTS, *CUT], grades, "in-memory")


@pytest.mark.slow
@pytest.mark.parametrize("grades", GRADES)
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_values_of_every_variant_are_those_of_the_engine_to_the_last_bit(grades, engine):
    assert_equal(EVERY, grades, engine)


JUDGED = pl.DataFrame(
    {
        "user": ["b", "a", "b", "a", "a", "b"],
        "day": [1, 1, 2, 1, 1, 2],
        "grade": [1, 0, 2, 3, 1, None],
        "place": [2, 1, None, 3, 2, 1],
    }
)


def test_lists_may_have_several_keys_and_documents_without_a_grade():
    found = JUDGED.group_by("user", "day").agg(rr.AP.expr(*COLUMNS), (rr.R @ 2).expr(*COLUMNS))
    # AP of a: documents at ranks 2 and 3; of b: one at rank 2, one that was not returned.
    assert found.sort("user", "day").rows() == [
        ("a", 1, (1 / 2 + 2 / 3) / 2, 0.5),
        ("b", 1, 0.5, 1.0),
        ("b", 2, 0.0, 0.0),
    ]


def test_it_can_be_used_over_lists():
    found = JUDGED.select((rr.RR @ 3).expr(*COLUMNS).over("user", "day"))
    assert found.to_series().to_list() == [0.5, 0.5, 0.0, 0.5, 0.5, 0.0]


def test_a_measure_that_needs_the_length_of_the_list_names_its_column():
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="n_retrieved"):
        JUDGED.group_by("user").agg(rr.P.expr(*COLUMNS))
    found = (
        JUDGED.with_columns(n=pl.lit(4)).group_by("user").agg(rr.P.expr(*COLUMNS, n_retrieved="n"))
    )
    assert sorted(found.rows()) == [("a", 0.5), ("b", 0.25)]


def test_ranks_from_0_are_refused():
    with pytest.raises(pl.exceptions.InvalidOperationError, match=r"'place'.*-1"):
        JUDGED.with_columns(pl.col("place") - 1).select((rr.nDCG @ 3).expr(*COLUMNS))


def own(name, formula):
    formula.__name__ = formula.__qualname__ = name
    return rr.measure(title=name, family="example", formula="x", source="none", range=(None, None))(
        formula
    )


def test_measures_of_ones_own_can_be_used(monkeypatch):
    monkeypatch.setattr(declare, "_REGISTRY", dict(declare._REGISTRY))
    last = own("LastGrade", lambda: pl.col("relevance").filter(pl.col("rank") > 0).last())
    both = own("Both", lambda: rr.R.declaration.formulate(2) + pl.col("relevance").max())
    found = JUDGED.group_by("user").agg(last.expr(*COLUMNS), both.expr(*COLUMNS))
    assert sorted(found.rows()) == [("a", 3.0, 3.5), ("b", 1.0, 2.5)]
    of_names = own("OfNames", lambda: pl.col("doc_id").n_unique())
    with pytest.raises(rr.MeasureError, match="OfNames reads doc_id, besides"):
        of_names.expr(*COLUMNS)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (rr.alpha_nDCG @ 5, "alpha_nDCG@5 is computed from judgments of subtopics"),
        (rr.PooledAUC, "PooledAUC is computed from the rows of all queries"),
        (rr.RBP(p=2), "p=2 must lie"),
    ],
    ids=str,
)
def test_measures_that_need_more_are_refused_by_name(measure, words):
    with pytest.raises(rr.MeasureError, match=words):
        measure.expr(*COLUMNS)
