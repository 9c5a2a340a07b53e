"""Sums of parts: joined, they are those of all values, and so is what is made of them."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rankreport import statistics
from rankreport.statistics import PowerSums, Sample, SummedSample, unit_totals

NAN = float("nan")

columns = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 30), st.just(2)),
    elements=st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, 1 / 3, -1 / 7, NAN]),
)


def check_equal(one: PowerSums, other: PowerSums) -> None:
    for field in fields(PowerSums):
        found, expected = (getattr(each, field.name) for each in (one, other))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13, err_msg=field.name)


def differences(n: int = 5_000, seed: int = 1) -> np.ndarray:
    """Return tied, skewed and symmetric differences, a few of them undefined."""
    rng = np.random.default_rng(seed)
    tied = np.where(rng.random(n) < 0.6, 0.0, rng.choice([-0.5, 0.5, 1 / 3], n))
    skewed = np.where(rng.random(n) < 0.05, rng.random(n), -0.01 * (rng.random(n) < 0.3))
    values = np.column_stack([tied, skewed, rng.normal(0.02, 0.3, n)])
    values[rng.random((n, 3)) < 0.1] = NAN
    return values


def summed(values: np.ndarray, n_parts: int = 37) -> PowerSums:
    parts = np.array_split(np.arange(len(values)), n_parts)
    return PowerSums.joined(PowerSums.of(values[part]) for part in parts)


def sample_of(values: np.ndarray, n_units: int = 1_000) -> SummedSample:
    units = np.random.default_rng(0).permutation(len(values)) % n_units
    return SummedSample.of_sums(summed(values), *unit_totals(values, units))


@given(columns, st.integers(1, 8))
def test_sums_of_parts_add_up(values, n_parts):
    check_equal(summed(values, n_parts), PowerSums.of(values))


@given(columns)
def test_a_sign_turns_the_values(values):
    places, signs = np.array([1, 0]), np.array([-1.0, 1.0])
    check_equal(
        PowerSums.of(values).columns(places, signs), PowerSums.of(values[:, places] * signs)
    )


def test_powers_keep_their_digits_far_from_zero():
    values = 1e4 + differences()[:, 2:]
    expected = Sample.of(values)
    found = summed(values)
    for name in ("squares", "cubes", "fourth_powers"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9)
    n, total = np.nansum(~np.isnan(values)), np.nansum(values)
    raw = np.nansum(np.square(values)) - total**2 / n
    assert abs(raw / expected.squares[0] - 1) > 1e-9, "sums of raw powers would do as well"


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.999])
@pytest.mark.parametrize("kind", ["t", "auto"])
def test_intervals_in_closed_form_are_those_of_all_values(kind, confidence):
    values = differences()
    made, expected = (
        statistics.interval(kind, sample, None, confidence)
        for sample in (sample_of(values), Sample.of(values))
    )
    np.testing.assert_allclose(made, expected, rtol=0, atol=1e-12)


ODD = np.array(
    [
        [0.0, 0.5, NAN, 0.3, -1.0, NAN],
        [0.0, 0.5, NAN, NAN, -1.0, 0.1 + 0.2],
        [0.0, 0.5, NAN, NAN, -1.0, 0.3],
    ]
)
"""Unchanged, equal, undefined, a single value, equal and negative, equal up to rounding."""


def test_columns_without_spread_are_told_as_such():
    made, expected = sample_of(ODD), Sample.of(ODD)
    for name in ("size", "n_changed", "n_queries", "varies", "degrees_of_freedom"):
        np.testing.assert_array_equal(getattr(made, name), getattr(expected, name))
    for name in ("mean", "standard_error", "tolerance"):
        np.testing.assert_allclose(getattr(made, name), getattr(expected, name), atol=1e-15)
    np.testing.assert_allclose(statistics.paired_t(made), statistics.paired_t(expected))
    widths = np.ones(ODD.shape[1])
    ends = [statistics.of_equal_values(each, widths, 0.95) for each in (made, expected)]
    np.testing.assert_allclose(*ends, atol=1e-15)


@pytest.mark.parametrize("n", [1, 5])
def test_the_share_of_the_largest_values(n):
    for values in (differences(), -differences(), differences(3), np.zeros((4, 1))):
        found = summed(values, 3).largest_share(n)
        np.testing.assert_allclose(found, statistics.largest_share(values, n), atol=1e-12)


def test_units_have_the_standard_error_and_the_quantiles_of_the_values():
    """The bootstrap of 1,000 units of 20 values each agrees with that of 20,000 values."""
    values = differences(20_000)
    by_unit, by_value = (
        statistics.replicate_means(units, resamples=4_000, seed=seed)
        for seed, units in ((3, sample_of(values).drawn(0)), (4, Sample.of(values)))
    )
    error = Sample.of(values).standard_error
    np.testing.assert_allclose(by_unit.std(axis=0), error, rtol=0.06)
    apart = np.quantile(by_unit, [0.025, 0.5, 0.975], 0) - np.quantile(
        by_value, [0.025, 0.5, 0.975], 0
    )
    assert np.abs(apart / error).max() < 0.15


def test_values_are_not_held():
    sample = sample_of(differences(50), 10)
    for name in ("values", "deviations"):
        with pytest.raises(ValueError, match="found one of sums"):
            getattr(sample, name)
    with pytest.raises(ValueError, match="from 1 to 5"):
        sample.summed.largest_share(6)
