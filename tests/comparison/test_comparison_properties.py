"""What no comparison may depend on, whatever the scores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from frames_alike import nearly
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankreport as rr

RESAMPLES = 300
GRADES = [0.0, 0.0, 0.125, 0.25, 0.5, 0.75, 1.0]
"""Eighths: sums, differences and doubles of them are exact."""

pairs_of_scores = st.lists(
    st.tuples(st.sampled_from(GRADES), st.sampled_from(GRADES)), min_size=4, max_size=16
)


@pytest.fixture
def itself():
    """A measure whose value is the score of a query's document."""

    @rr.measure(
        title="The score itself", family="test", formula="s", source="none", range=(None, None)
    )
    def Itself() -> pl.Expr:
        """Whatever the test wants it to be."""
        return pl.col("score").first()

    return Itself


def evaluated(measure, rows, names=None):
    """Evaluate two systems, given ``(old, new)`` of each query, and the queries' names."""
    names = names or [f"q{i:04}" for i in range(len(rows))]
    qrels = {name: {"d": 1} for name in names}
    runs = {
        system: {name: {"d": row[place]} for name, row in zip(names, rows, strict=True)}
        for place, system in enumerate(("old", "new"))
    }
    return rr.evaluate(qrels, runs, [measure])


def compared(measure, rows, names=None, **options):
    evaluation = evaluated(measure, rows, names)
    return rr.compare(evaluation, **{"resamples": RESAMPLES, **options})


@given(
    rows=pairs_of_scores, order=st.randoms(use_true_random=False), prefix=st.sampled_from("aZ9é")
)
@settings(max_examples=8)
def test_neither_the_order_of_rows_nor_names_in_the_same_order_matter(itself, rows, order, prefix):
    expected = compared(itself, rows).table()
    named = {f"{prefix}{i:04}": row for i, row in enumerate(rows)}
    mixed = order.sample(sorted(named), len(named))
    found = compared(itself, [named[name] for name in mixed], mixed).table()
    assert found.equals(expected)


@pytest.mark.parametrize(
    ("test", "interval"), [("sign-flip", "auto"), ("t", "percentile"), ("bootstrap", "auto")]
)
@given(rows=pairs_of_scores)
@settings(max_examples=6)
def test_swapping_the_systems_negates_the_delta_and_mirrors_the_interval(
    itself, interval, test, rows
):
    options = {"interval": interval, "test": test}
    there = compared(itself, rows, **options).table().row(0, named=True)
    back = compared(itself, [row[::-1] for row in rows], **options).table().row(0, named=True)
    assert back["delta"] == -there["delta"]
    assert back["p_value"] == pytest.approx(there["p_value"], rel=1e-9)
    assert (back["wins"], back["losses"]) == (there["losses"], there["wins"])
    assert (there["ci_low"] is None) == (back["ci_low"] is None)
    if there["ci_low"] is not None:
        assert back["ci_low"] == pytest.approx(-there["ci_high"], rel=1e-9, abs=1e-9)
        assert back["ci_high"] == pytest.approx(-there["ci_low"], rel=1e-9, abs=1e-9)


LEVELS = ["mean_baseline", "mean_system"]


@given(rows=pairs_of_scores, shift=st.sampled_from([0.25, -3.0, 1000.0]))
@settings(max_examples=8)
def test_what_both_systems_gain_changes_nothing_between_them(itself, rows, shift):
    assume(any(map(any, rows)))  # systems that have only zeros are not called alike
    expected = compared(itself, rows).table()
    found = compared(itself, [(old + shift, new + shift) for old, new in rows]).table()
    assert found.drop(LEVELS).equals(expected.drop(LEVELS))


@given(rows=pairs_of_scores, factor=st.sampled_from([0.5, 4.0]))
@settings(max_examples=8)
def test_another_unit_of_the_measure_scales_what_has_a_unit(itself, rows, factor):
    expected = compared(itself, rows).table()
    found = compared(itself, [(old * factor, new * factor) for old, new in rows]).table()
    moved = {name for name in expected.columns if not found[name].equals(expected[name])}
    scaled = moved.union(LEVELS, ("delta", "ci_low", "ci_high"))
    assert nearly(found.with_columns(pl.col(*scaled) / factor), expected)


@given(rows=pairs_of_scores, tied=st.lists(st.sampled_from(GRADES), max_size=20))
@settings(max_examples=8)
def test_queries_that_tie_leave_the_exact_p_alone(itself, rows, tied):
    expected = compared(itself, rows).table()["p_value"].item()
    padded = [*rows, *((score, score) for score in tied)]
    assert compared(itself, padded).table()["p_value"].item() == expected


@given(rows=pairs_of_scores)
@settings(max_examples=8)
def test_every_query_twice_over_is_as_certain_as_once_where_both_hang_together(itself, rows):
    once = compared(itself, rows)
    names = [f"q{i:04}{copy}" for i in range(len(rows)) for copy in "ab"]
    of_query = {name: name[:-1] for name in names}
    doubled = [row for row in rows for _ in "ab"]
    twice = compared(itself, doubled, names, clusters=of_query)
    same = ["delta", "p_value", "mean_baseline", "mean_system"]
    assert nearly(twice.table().select(same), once.table().select(same))
    # Of clusters, BCa is drawn even by "auto": it is compared with the kind that is drawn of both.
    kinds = ["t", "percentile", "bca"]
    ends = twice.intervals(kinds)
    assert nearly(ends, once.intervals(kinds))
    hull = ends.filter(pl.col("interval").is_in(["t", "bca"])).select(
        pl.col("ci_low").min(), pl.col("ci_high").max()
    )
    assert twice.table().select("ci_low", "ci_high").equals(hull)


@given(rows=pairs_of_scores, seed=st.integers(0, 2**32), memory=st.integers(2**20, 2**26))
@settings(max_examples=8)
def test_the_same_seed_is_the_same_comparison_in_any_memory(itself, rows, seed, memory):
    first, again = (compared(itself, rows, seed=seed).table() for _ in range(2))
    assert first.equals(again)
    assert nearly(replace(compared(itself, rows, seed=seed), memory=memory).table(), first)


@given(
    rows=pairs_of_scores, test=st.sampled_from(["sign-flip", "t", "bootstrap", "wilcoxon", "sign"])
)
@settings(max_examples=8)
def test_p_is_a_probability_and_never_zero_and_the_interval_holds_the_delta(itself, rows, test):
    row = compared(itself, rows, test=test).table().row(0, named=True)
    assert 0 < row["p_value"] <= 1
    if all(old == new for old, new in rows):
        assert (row["delta"], row["p_value"], row["n_changed"]) == (0, 1, 0)
    if row["ci_low"] is not None:
        assert row["ci_low"] <= row["delta"] <= row["ci_high"]


PROGRAM = """
import json
import numpy as np
import polars as pl
import rankreport as rr

rng = np.random.default_rng(8)
runs = {
    system: {f"q{i}": {"d": float(s), "e": 0.5} for i, s in enumerate(rng.random(400))}
    for system in ("a", "b", "c")
}
qrels = {f"q{i}": {"d": 1} for i in range(400)}
evaluation = rr.evaluate(qrels, runs, ["RR", "nDCG@1"])
table = rr.compare(evaluation, resamples=2_000).table()
print(json.dumps(table.drop("caution").to_dict(as_series=False)))
"""


@pytest.mark.slow
def test_the_number_of_threads_does_not_matter():
    def output(threads):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, str(threads))}
        command = [sys.executable, "-c", PROGRAM]
        return json.loads(subprocess.check_output(command, env=environment, text=True))

    one, several = output(1), output(4)
    assert one.keys() == several.keys()
    for name, column in one.items():
        if isinstance(column[0], float):
            np.testing.assert_allclose(several[name], column, rtol=0, atol=1e-13)
        else:
            assert several[name] == column
    assert one["p_value"] == several["p_value"]
    assert one["p_adjusted"] == several["p_adjusted"]
