"""Replicates of many units, against resamples of another generator and what is known exactly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankreport import statistics
from rankreport.statistics import GROUPS, MOST_DRAWN, Sample, Structure, cornish_fisher, grouped
from rankreport.statistics.random_draws import draw_normals, draw_order
from rankreport.statistics.resampling import weighted_moments

NAN = float("nan")
N, B = 1_500, 2_000
DRAWS = {"resamples": B, "seed": 0}
KINDS = ("weights", "clusters", "strata")


@pytest.fixture(scope="module")
def many() -> np.ndarray:
    """More queries than are drawn: symmetric, skewed, tied, and with gaps; no few dominate."""
    rng = np.random.default_rng(39)
    gaps = np.where(rng.random(N) < 0.3, NAN, rng.gamma(4, 0.25, N))
    wins = np.where(rng.random(N) < 0.3, 1.0, 0.0)
    return np.column_stack([rng.normal(0, 1, N), rng.lognormal(0, 0.3, N), wins, gaps])


@pytest.fixture(scope="module")
def dominated() -> np.ndarray:
    """Many tiny wins, of which 3, 12 and 80 are losses of 1."""
    values = np.tile(np.random.default_rng(38).uniform(0, 0.01, (N, 1)), (1, 3))
    for column, n_losses in enumerate((3, 12, 80)):
        values[:n_losses, column] = -1.0
    return values


@pytest.fixture(scope="module")
def counts() -> np.ndarray:
    """Draw each query, by a generator of another kind."""
    rng = np.random.Generator(np.random.Philox(40))
    return rng.multinomial(N, np.full(N, 1 / N), size=B).astype(np.float64)


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca", "studentized"])
def test_intervals_are_those_of_resamples(many: np.ndarray, counts: np.ndarray, kind: str) -> None:
    assert not statistics.is_dominated(Sample.of(many).deviations).any()
    found, drawn = statistics.replicate_moments(many, **DRAWS), weighted_moments(counts, many)
    ends = [
        np.array(statistics.interval(kind, many, of.means, 0.95, standard_errors=of[1]))
        for of in (found, drawn)
    ]
    # Each stays within some 3.5 / sqrt(B) standard errors of what it would be without chance.
    strayed = np.abs(ends[0] - ends[1]) / Sample.of(many).standard_error
    assert strayed.max() < 3 * 3.5 * (2 / B) ** 0.5


def test_studentised_replicates_of_few_large_losses_are_drawn(
    dominated: np.ndarray, counts: np.ndarray
) -> None:
    replicates = statistics.replicate_moments(dominated, **DRAWS)
    found, drawn = (
        np.quantile(statistics.pivots(dominated, of), [0.05, 0.97], axis=0)
        for of in (replicates, weighted_moments(counts, dominated))
    )
    # Replicates without one of three losses have hardly any spread.
    assert drawn[1, 0] > 10
    np.testing.assert_allclose(found, drawn, rtol=0.12)


def test_columns_vary_together_as_those_of_resamples_do(many: np.ndarray) -> None:
    both = np.column_stack([many[:, 0], many[:, 0] + many[:, 1], -many[:, 0]])
    replicates = statistics.replicate_means(both, **DRAWS)
    strayed = np.corrcoef(replicates.T) - np.corrcoef(both.T)
    assert np.abs(strayed).max() < 3 / GROUPS**0.5
    assert np.corrcoef(replicates.T)[0, 2] < -0.999


@pytest.mark.parametrize("kinds", [(), ("weights",), ("strata",), KINDS])
def test_errors_are_those_of_the_structure(kinds: tuple[str, ...]) -> None:
    rng = np.random.default_rng(41)
    clusters = rng.integers(0, 4_000, 9_000)
    given = {
        "weights": rng.exponential(1, 9_000),
        "clusters": clusters,
        "strata": (clusters % 10) // 4 if "clusters" in kinds else rng.integers(0, 3, 9_000),
    }
    structure = Structure(**{kind: given[kind] for kind in kinds})
    levels = given["strata"][:, np.newaxis] + rng.normal(0, 1, (9_000, 2))
    sample = Sample.of(levels, structure)
    replicates = statistics.replicate_means(sample, **DRAWS)
    assert np.abs(replicates.std(axis=0) / sample.standard_error - 1).max() < 4 / (2 * B) ** 0.5
    ratio = Sample.ratio_of(np.exp(levels), 1 + np.exp(levels[:, ::-1]), structure)
    low, high = statistics.interval(
        "bca" if "weights" not in kinds else "basic",
        ratio,
        statistics.replicate_means(ratio, **DRAWS),
    )
    assert (low < ratio.mean).all()
    assert (ratio.mean < high).all()
    spread = statistics.replicate_means(ratio, **DRAWS).std(axis=0)
    assert np.abs(spread / ratio.standard_error - 1).max() < 6 / (2 * B) ** 0.5


def test_replicates_of_a_column_depend_on_itself_and_the_seed(many: np.ndarray) -> None:
    whole = statistics.replicate_means(many, **DRAWS)
    alone = statistics.replicate_means(many[:, [1]], resamples=300, seed=0, memory=1)
    np.testing.assert_allclose(alone[:, 0], whole[:300, 1], rtol=0, atol=1e-12)
    assert np.abs(statistics.replicate_means(many, resamples=300, seed=1) - whole[:300]).min() > 0


def test_one_unit_more_than_are_drawn_changes_ends_by_chance_alone() -> None:
    values = np.random.default_rng(42).exponential(1, (MOST_DRAWN + 1, 2))
    ends = [
        np.array(statistics.percentile(statistics.replicate_means(some, **DRAWS), 0.95))
        for some in (values, values[:-1])
    ]
    error = values.std(axis=0) / len(values) ** 0.5
    assert (np.abs(ends[0] - ends[1]) / error).max() < 3 * 3.5 * (2 / B) ** 0.5


def test_values_that_do_not_vary_have_one_replicate() -> None:
    values = np.column_stack([np.zeros(N), np.full(N, 0.25), np.full(N, NAN)])
    means, errors = statistics.replicate_moments(values, resamples=20, seed=0)
    np.testing.assert_array_equal(means, np.tile([0, 0.25, NAN], (20, 1)))
    np.testing.assert_array_equal(errors[:, :2], 0)


@pytest.mark.parametrize("n_wins", [1_050, 1_100, 1_300])
def test_signs_of_many_equal_differences_are_those_of_the_binomial(n_wins: int) -> None:
    values = np.where(np.arange(2_000) < n_wins, 0.5, -0.5)[:, np.newaxis]
    values[:1] = 0.0
    expected = stats.binomtest(n_wins - 1, 1_999).pvalue
    assert statistics.sign_flip(values)[0] == pytest.approx(expected, rel=2e-3)


def test_signs_of_many_differences_are_those_drawn_by_another_generator(many: np.ndarray) -> None:
    values = np.column_stack(
        [many[:, 0] + 0.05, many[:, 1] - many[:, 1].mean() + 0.01, many[:, 3] - 0.98]
    )
    p_values = statistics.sign_flip(values)
    rng, terms = np.random.Generator(np.random.Philox(43)), np.nan_to_num(values)
    sums = np.abs(rng.choice([-1.0, 1.0], (B, N)) @ terms)
    expected = (sums >= np.abs(terms.sum(axis=0))).mean(axis=0)
    assert (np.abs(p_values - expected) < 4 * (expected * (1 - expected) / B) ** 0.5).all()
    assert (p_values > 0.01).all()


def test_signs_of_few_large_among_many_small_differences_are_those_of_the_large() -> None:
    values = np.tile([1e-5, -1e-5], (1_100, 1))
    values[:4, 0], values[:20, 1] = -1.0, np.repeat([1.0, -1.0], [15, 5])
    expected = [stats.binomtest(4, 4).pvalue, stats.binomtest(15, 20).pvalue]
    assert statistics.sign_flip(values) == pytest.approx(expected, abs=4 * (0.1 / 9_999) ** 0.5)


def test_few_changes_among_many_queries_are_drawn_by_themselves() -> None:
    values = np.zeros((3_000, 2))
    values[::60, 0] = np.random.default_rng(44).normal(0.2, 1, 50)
    found = statistics.sign_flip(values, resamples=999, seed=3)
    assert found[0] == statistics.sign_flip(values[::60, :1], resamples=999, seed=3)[0]
    assert found[1] == 1


def test_expansion_gives_the_quantiles_of_a_gamma_distribution() -> None:
    shape, levels = 40.0, np.array([0.005, 0.025, 0.5, 0.975, 0.995])
    found = cornish_fisher(stats.norm.ppf(levels), 2 / shape**0.5, 6 / shape)
    expected = (stats.gamma.ppf(levels, shape) - shape) / shape**0.5
    np.testing.assert_allclose(found, expected, atol=3e-3)


def test_normal_numbers_are_normal_and_groups_are_filled_evenly() -> None:
    drawn = np.concatenate(list(draw_normals(200, resamples=1_000, seed=5)))
    assert stats.kstest(drawn.ravel(), "norm").pvalue > 0.001
    found = grouped(np.ones((4 * GROUPS, 1)), seed=0)
    assert not found.any()  # as many signs are kept as are turned in each group
    order = draw_order(10_000, seed=0)
    np.testing.assert_array_equal(np.sort(order), np.arange(10_000))
    assert abs(stats.spearmanr(order, np.arange(10_000)).statistic) < 4 / 100
