"""Means of a model's judgments, corrected by people's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import stats

from rankreport.statistics import FEWEST_JUDGED, corrected_mean, random_part_p

HUMAN = [0.0, 1.0, 2.0, 3.0, 1.0]
MODEL = [0.0, 1.0, 1.0, 2.0, 1.0]
REST = [2.0, 3.0, 0.0, 1.0, 1.0]


def column(values):
    return np.array(values)[:, np.newaxis]


def found_of(human, model, rest):
    return corrected_mean(column(human), column(model), column(rest))


def test_a_value_worked_by_hand():
    """Means 1.4, 1 and 1.2; var_n(m) = 2 / 4, cov_n(h, m) = 3 / 4, so that lambda = 1.5.

    e = (0, -.5, .5, 0, -.5), of mean -.1: s2_e = (.01 + .16 + .36 + .01 + .16) / 3. s2_h = 5.2 / 4.
    """
    found = found_of(HUMAN, MODEL, REST)
    assert found.weight == pytest.approx([1.5])
    assert found.estimate == pytest.approx([1.4 + 1.5 * (1.2 - 1.0)])
    variance = 1.3 / 10 + (1 / 5 - 1 / 10) * (0.7 / 3) * (1 + 1 / 2)
    assert found.variance(5) == pytest.approx([variance])
    # The means of the model lie 0.2 apart, and its sum of squares is 2.
    assert found.standard_error == pytest.approx([np.sqrt(variance + (0.7 / 3) * 0.2**2 / 2)])


def test_the_third_cumulant_is_that_of_independent_terms():
    found = found_of(HUMAN, MODEL, REST)
    h, m, every = np.array(HUMAN), np.array(MODEL), np.array([*MODEL, *REST])
    sampled = (h - 1.5 * m) / 5 + 1.5 * m / 10
    expected = 5 * stats.kstat(sampled, 3) + 5 * stats.kstat(1.5 * every / 10, 3)
    assert found.third_cumulant == pytest.approx([expected])


def test_the_interval_is_the_hull_of_two():
    found = found_of(HUMAN, MODEL, REST)
    low, high = found.interval(0.95)
    error, z = found.standard_error[0], stats.norm.ppf(0.975)
    half = stats.t.ppf(0.975, 3) * error
    shift = found.third_cumulant[0] / error**3 * (2 * z**2 + 1) / 6
    assert low == pytest.approx([min(1.7 - half, 1.7 + error * (shift - z))])
    assert high == pytest.approx([max(1.7 + half, 1.7 + error * (shift + z))])


def test_rare_errors_of_a_known_size_move_both_ends():
    """c = E (1 - 0.025^(1/5)) = 0.5218 E: added to h in part, or the whole distance."""
    found = found_of(HUMAN, MODEL, REST)
    own = found.interval(0.95)
    c = 1.0 * 0.52182
    for end, sign in ((0, -1), (1, 1)):
        h = sign * (own[end] - found.estimate)
        assert sign * (found.interval(0.95, 1.0)[end] - found.estimate) == pytest.approx(
            np.hypot(h, c / 2), rel=1e-4
        )
    exact = found_of(MODEL, MODEL, REST)  # a model that never erred on what people judged
    low, high = exact.interval(0.95, 10.0)
    assert high - exact.estimate == pytest.approx([5.2182], rel=1e-4)
    assert exact.estimate - low == pytest.approx([5.2182], rel=1e-4)


def test_rows_chosen_at_random_are_those_of_a_random_part():
    rng = np.random.default_rng(8)
    values = np.column_stack([rng.normal(size=500), rng.exponential(size=500) ** 2])
    ps = np.array([random_part_p(values, rng.permutation(500) < 60) for _ in range(1_000)])
    assert (np.abs((ps < 0.05).mean(axis=0) - 0.05) < 0.025).all()
    top = random_part_p(values, values[:, 0] >= np.sort(values[:, 0])[-60])
    assert top[0] < 1e-20
    assert top[1] > 1e-3
    # z of three of four by hand: (1.5 - 2) / sqrt(3.3333 (1/3 - 1/4)), no row, and all rows.
    by_hand = np.array([[0.0], [1.0], [3.5], [3.5]])
    assert random_part_p(by_hand, np.array([1, 1, 1, 0])) == pytest.approx(
        2 * stats.norm.cdf(-0.5 / np.sqrt(np.var(by_hand, ddof=1) / 12))
    )
    assert random_part_p(by_hand, np.ones(4)) == random_part_p(by_hand, np.zeros(4)) == [1.0]


def test_skewed_differences_move_the_interval_to_their_long_side():
    rng = np.random.default_rng(3)
    human = rng.exponential(size=60) ** 2
    found = found_of(human, human + rng.normal(size=60), rng.exponential(size=140) ** 2)
    low, high = found.interval(0.95)
    assert high - found.estimate > 1.05 * (found.estimate - low)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_a_higher_confidence_is_wider(confidence):
    found = found_of(HUMAN, MODEL, REST)
    (low,), (high,) = found.interval(confidence)
    (lower,), (higher,) = found.interval(confidence + 0.005)
    assert lower < low < high < higher


def test_columns_are_independent_and_may_have_their_own_confidence():
    both = corrected_mean(
        np.column_stack([HUMAN, MODEL]),
        np.column_stack([MODEL, HUMAN]),
        np.column_stack([REST] * 2),
    )
    one, other = found_of(HUMAN, MODEL, REST), found_of(MODEL, HUMAN, REST)
    assert both.estimate == pytest.approx([one.estimate[0], other.estimate[0]])
    low, _ = both.interval(np.array([0.9, 0.99]))
    assert low == pytest.approx([one.interval(0.9).low[0], other.interval(0.99).low[0]])


def test_a_model_that_does_not_vary_is_not_relied_upon():
    found = found_of(HUMAN, [0.1] * 5, REST)
    assert found.weight.tolist() == [0.0]
    assert found.estimate == pytest.approx([np.mean(HUMAN)])


def test_nothing_that_varies_has_no_interval():
    found = found_of([0.1] * 5, [0.3] * 5, [0.3] * 5)
    assert found.estimate == pytest.approx([0.1])
    assert np.isnan(found.interval(0.95)).all()


def test_people_who_judged_every_query_are_not_corrected():
    found = corrected_mean(column(HUMAN), column(MODEL), np.empty((0, 1)))
    assert found.estimate == pytest.approx([np.mean(HUMAN)])
    assert found.standard_error == pytest.approx([stats.sem(HUMAN)])
    assert found.third_cumulant == pytest.approx([stats.kstat(HUMAN, 3) / 25])


def test_the_width_to_expect_of_as_many_queries_is_that_of_the_t_interval():
    found = found_of(HUMAN, MODEL, REST)
    half = stats.t.ppf(0.975, 3) * np.sqrt(found.variance(5))
    assert found.width(0.95, 5) == pytest.approx(2 * half)
    c = 4.0 * (1 - 0.025 ** (1 / 5))
    assert found.width(0.95, 5, 4.0) == pytest.approx(2 * np.maximum(c, np.hypot(half, c / 2)))
    widths = [found.width(0.95, n)[0] for n in range(FEWEST_JUDGED, 11)]
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("n", [3, 11])
def test_no_width_of_fewer_or_more_queries_than_there_are(n):
    with pytest.raises(ValueError, match=f"expected 4 to 10 queries, found {n}"):
        found_of(HUMAN, MODEL, REST).variance(n)


@pytest.mark.parametrize(
    ("human", "model", "rest", "why"),
    [
        (HUMAN[:3], MODEL[:3], REST, "found 3"),
        (HUMAN, MODEL[:4], REST, "expected shapes"),
        ([*HUMAN[:4], np.nan], MODEL, REST, "finite"),
        (HUMAN, MODEL, [np.inf], "finite"),
    ],
)
def test_what_cannot_be_used_is_refused(human, model, rest, why):
    with pytest.raises(ValueError, match=why):
        found_of(human, model, rest)


VALUES = npst.arrays(
    np.float64, (30, 2), elements=st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.0, 0.25, 0.5, 1.0])
)


def close(ends):
    return pytest.approx(ends, abs=1e-9, nan_ok=True)


@given(VALUES, st.integers(5, 25))
def test_properties(values, n):
    human, model = values[:, :1], values[:, 1:]
    found = corrected_mean(human[:n], model[:n], model[n:])
    low, high = ends = np.concatenate(found.interval(0.95))
    shifted = corrected_mean(human[:n], model[:n] + 0.5, model[n:] + 0.5)
    scaled = corrected_mean(human[:n], -2 * model[:n], -2 * model[n:])
    mirrored = corrected_mean(-human[:n], model[:n], model[n:])
    larger = corrected_mean(4 * human[:n], model[:n], model[n:])
    order = np.random.default_rng(0).permutation(n)
    shuffled = corrected_mean(human[order], model[order], model[: n - 1 : -1])
    for other in (shifted, scaled, shuffled):
        assert other.estimate == pytest.approx(found.estimate, abs=1e-12)
        assert np.concatenate(other.interval(0.95)) == close(ends)
    assert scaled.weight == pytest.approx(-found.weight / 2)
    assert np.concatenate(mirrored.interval(0.95)) == close(-ends[::-1])
    assert np.concatenate(larger.interval(0.95)) == close(4 * ends)
    if not np.isnan(low):
        assert low <= found.estimate <= high


def test_the_estimate_is_unbiased_whatever_the_judge():
    rng = np.random.default_rng(5)
    human = rng.normal(0.1, 1.0, (200, 4_000))
    model = 0.5 * human + rng.normal(0.8, 0.5, human.shape)
    found = corrected_mean(human[:30], model[:30], model[30:])
    error = found.estimate.std() / np.sqrt(4_000)
    assert abs(found.estimate.mean() - 0.1) < 4 * error
    low, high = found.interval(0.95)
    assert 0.935 < ((low < 0.1) & (high > 0.1)).mean() < 0.965
    assert (high - low).mean() < 0.8 * 2 * stats.t.ppf(0.975, 29) / np.sqrt(30)
