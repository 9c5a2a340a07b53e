"""Replicates: equal to SciPy's for the same samples, and to themselves however they are made."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from numpy.random import PCG64, SeedSequence
from scipy import stats

from rankreport import statistics
from rankreport.statistics.random_draws import draw_counts, draw_signs, in_floats

NAN = float("nan")
SEED = 11


@pytest.fixture(scope="module")
def deltas() -> np.ndarray:
    """Ninety queries: a continuous column, a tied one, a skewed one, and one with gaps."""
    rng = np.random.default_rng(7)
    tied = rng.choice([0, 0, 0, 0.5, -0.5, 1 / 3], 90)
    gaps = np.where(rng.random(90) < 0.2, NAN, rng.normal(0.1, 0.2, 90))
    return np.column_stack([rng.normal(0.02, 0.2, 90), tied, rng.exponential(1, 90), gaps])


def counts_of(indices: np.ndarray, n: int) -> np.ndarray:
    return np.array([np.bincount(sample, minlength=n) for sample in indices])


def test_replicates_equal_those_of_scipy_for_the_same_indices(deltas: np.ndarray) -> None:
    n, resamples, whole = len(deltas), 1_000, deltas[:, :3]
    theirs = stats.bootstrap(
        (whole,), np.mean, axis=0, n_resamples=resamples, rng=np.random.default_rng(3)
    ).bootstrap_distribution
    counts = counts_of(np.random.default_rng(3).integers(0, n, (resamples, n)), n)
    ours = statistics.weighted_means(counts, whole)
    np.testing.assert_allclose(ours, theirs.T, rtol=0, atol=1e-13)


def test_a_block_is_the_documented_stream(deltas: np.ndarray) -> None:
    n = len(deltas)
    # 32 bits of the second block's stream for each row, the lower half of a word first.
    words = PCG64(SeedSequence(SEED, spawn_key=(1,))).random_raw(40 * -(-n // 2)).tolist()
    halves = [half for word in words for half in (word % 2**32, word >> 32)]
    per_replicate = 2 * -(-n // 2)
    starts = range(0, 40 * per_replicate, per_replicate)
    indices = np.array([[half * n >> 32 for half in halves[s : s + n]] for s in starts])
    replicates = statistics.replicate_means(deltas, resamples=256 + 40, seed=SEED)
    np.testing.assert_allclose(replicates[256:], np.nanmean(deltas[indices], axis=1), atol=1e-13)


@pytest.mark.parametrize("draw", [draw_counts, draw_signs])
def test_more_replicates_begin_with_the_fewer_ones(draw) -> None:
    few = np.concatenate(list(draw(70, resamples=300, seed=SEED)))
    many = np.concatenate(list(draw(70, resamples=700, seed=SEED)))
    np.testing.assert_array_equal(few, many[:300])


@pytest.mark.parametrize("draw", [draw_counts, draw_signs])
@pytest.mark.parametrize("memory", [0, 8 * 70 * 37, 2**30])
def test_memory_decides_the_pieces_and_nothing_else(draw, memory: int) -> None:
    pieces = list(draw(70, resamples=600, seed=SEED, memory=memory))
    assert len(pieces[0]) == {0: 16, 8 * 70 * 37: 37, 2**30: 256}[memory]
    whole = np.concatenate(list(draw(70, resamples=600, seed=SEED)))
    np.testing.assert_array_equal(np.concatenate(pieces), whole)


def test_replicates_do_not_depend_on_memory(deltas: np.ndarray) -> None:
    usual = statistics.replicate_moments(deltas, resamples=600, seed=SEED)
    scant = statistics.replicate_moments(deltas, resamples=600, seed=SEED, memory=1)
    np.testing.assert_allclose(scant.means, usual.means, rtol=0, atol=1e-12)
    np.testing.assert_allclose(scant.standard_errors, usual.standard_errors, rtol=0, atol=1e-12)


STRATA = np.arange(70) % 3


@pytest.mark.parametrize("room", [0, 70 * 256, statistics.random_draws.MOST_KEPT])
def test_kept_draws_are_those_that_would_be_drawn_again(monkeypatch, room: int) -> None:
    monkeypatch.setattr(statistics.random_draws, "MOST_KEPT", room)
    wanted = [
        {"resamples": 600, "seed": SEED},
        {"resamples": 599, "seed": SEED, "memory": 8 * 70 * 37},
        {"resamples": 700, "seed": SEED},
        {"resamples": 600, "seed": SEED + 1},
        {"resamples": 600, "seed": SEED, "strata": STRATA},
        {"resamples": 600, "seed": SEED, "strata": (STRATA + 1) % 3},
    ]
    alone = [np.concatenate(list(draw_counts(70, **options))) for options in wanted]
    with statistics.kept_draws():
        for _ in range(2):
            for expected, options in zip(alone, wanted, strict=True):
                kept = np.concatenate(list(draw_counts(70, **options)))
                np.testing.assert_array_equal(kept, expected)


def test_kept_draws_are_drawn_once_and_forgotten_afterwards(monkeypatch) -> None:
    drawn = []
    tallied = statistics.random_draws._tallied
    monkeypatch.setattr(
        statistics.random_draws, "_tallied", lambda *of: drawn.append(of) or tallied(*of)
    )
    with statistics.kept_draws():
        for resamples in (512, 512, 300):
            list(draw_counts(70, resamples=resamples, seed=SEED))
        assert len(drawn) == 2
    list(draw_counts(70, resamples=512, seed=SEED))
    assert len(drawn) == 4


def test_blocks_and_seeds_and_kinds_of_draw_share_no_stream() -> None:
    blocks = list(draw_counts(70, resamples=512, seed=SEED))
    assert not np.array_equal(blocks[0], blocks[1])
    assert not np.array_equal(blocks[0], next(draw_counts(70, resamples=256, seed=SEED + 1)))
    signs = list(draw_signs(70, resamples=512, seed=SEED))
    assert not np.array_equal(signs[0], signs[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pieces_in_floats_are_the_pieces_in_one_place(dtype) -> None:
    pieces = [np.arange(n * 7, dtype=np.uint8).reshape(n, 7) for n in (3, 2, 5, 5)]
    found = [(piece.copy(), piece) for piece in in_floats(pieces, dtype)]
    for (kept, _), piece in zip(found, pieces, strict=True):
        assert kept.dtype == dtype
        np.testing.assert_array_equal(kept, piece)
    places = [place for _, place in found]
    assert np.shares_memory(places[0], places[1])
    assert np.shares_memory(places[2], places[3])


def test_counts_add_up_and_spread_as_a_multinomial() -> None:
    counts = np.concatenate(list(draw_counts(50, resamples=5_000, seed=SEED)))
    np.testing.assert_array_equal(counts.sum(axis=1), 50)
    # The variance of a count is 1 - 1/n; over 250,000 counts its own error is some 0.003.
    assert counts.var() == pytest.approx(1 - 1 / 50, abs=0.02)


def test_signs_are_fair_and_independent() -> None:
    coins = np.concatenate(list(draw_signs(100, resamples=10_000, seed=SEED)))
    signs = 2.0 * coins - 1
    products = signs.T @ signs / len(signs)
    off_diagonal = products[~np.eye(100, dtype=bool)]
    assert np.abs(signs.mean(axis=0)).max() < 0.05
    assert np.abs(off_diagonal).max() < 0.06


def test_the_first_signs_are_the_bits_of_the_generator() -> None:
    word = int(PCG64(SeedSequence(SEED, spawn_key=(0, 1))).random_raw())
    signs = next(draw_signs(64, resamples=1, seed=SEED))[0]
    assert [int(sign) for sign in signs] == [word >> bit & 1 for bit in range(64)]


def test_a_column_with_gaps_averages_what_it_drew() -> None:
    values = np.array([[1.0, NAN], [2.0, 5.0], [6.0, 7.0]])
    means = statistics.weighted_means([[1, 2, 0], [3, 0, 0], [0, 1, 2]], values)
    np.testing.assert_allclose(means, [[5 / 3, 5.0], [1.0, NAN], [14 / 3, 19 / 3]])


def test_standard_errors_are_those_of_the_drawn_values(deltas: np.ndarray) -> None:
    n = len(deltas)
    indices = np.random.default_rng(5).integers(0, n, (60, n))
    moments = statistics.weighted_moments(counts_of(indices, n), deltas)
    drawn = deltas[indices]
    np.testing.assert_allclose(moments.means, np.nanmean(drawn, axis=1), atol=1e-13)
    errors = stats.sem(drawn, axis=1, nan_policy="omit")
    np.testing.assert_allclose(moments.standard_errors, errors, rtol=1e-12)


def test_standard_errors_survive_a_mean_far_from_zero() -> None:
    near = np.random.default_rng(2).normal(size=(30, 1))
    counts = np.concatenate(list(draw_counts(30, resamples=50, seed=SEED)))
    far = statistics.weighted_moments(counts, near + 1e6).standard_errors
    expected = statistics.weighted_moments(counts, near).standard_errors
    np.testing.assert_allclose(far, expected, rtol=1e-8)


def test_moments_draw_the_samples_of_the_means(deltas: np.ndarray) -> None:
    moments = statistics.replicate_moments(deltas, resamples=300, seed=SEED)
    means = statistics.replicate_means(deltas, resamples=300, seed=SEED)
    np.testing.assert_allclose(moments.means, means, rtol=0, atol=1e-13)


def test_a_replicate_without_spread_has_no_error_and_no_finite_pivot() -> None:
    values = np.array([[0.1, 0.3, NAN], [0.2, 0.3, NAN], [0.7, 0.3, 1.0]])
    counts = [[3, 0, 0], [0, 0, 3], [1, 1, 1]]
    moments = statistics.weighted_moments(counts, values)
    np.testing.assert_array_equal(moments.standard_errors[:2, 0], 0.0)
    pivots = statistics.pivots(values, moments)
    np.testing.assert_array_equal(pivots[:2, 0], [-np.inf, np.inf])
    assert pivots[2, 0] == pytest.approx(0, abs=1e-12)
    assert np.isnan(pivots[:, 1]).all()
    assert np.isnan(pivots[0, 2])


def test_progress_adds_up_to_the_resamples(deltas: np.ndarray) -> None:
    told: list[int] = []
    statistics.replicate_means(deltas, resamples=600, seed=SEED, progress=told.append)
    assert told == [256, 256, 88]


@pytest.mark.parametrize(
    ("values", "message"),
    [([1.0, 2.0], "shape"), ([[1.0, 2.0], [3.0, float("inf")]], "row 1, column 1")],
)
def test_values_that_have_no_mean_are_refused(values: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        statistics.replicate_means(values, resamples=10, seed=SEED)


@pytest.mark.parametrize("resamples", [0, -1])
def test_no_resamples_are_refused(resamples: int) -> None:
    with pytest.raises(ValueError, match="at least 1 resample"):
        statistics.replicate_means([[1.0]], resamples=resamples, seed=SEED)


def test_no_queries_make_no_means() -> None:
    assert np.isnan(statistics.replicate_means(np.empty((0, 2)), resamples=4, seed=SEED)).all()
    assert statistics.replicate_means(np.empty((3, 0)), resamples=4, seed=SEED).shape == (4, 0)


def test_the_package_does_not_import_scipy() -> None:
    code = "import sys, rankreport.statistics.tests; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
