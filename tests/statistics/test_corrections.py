"""Several systems at once: max-t against loops written out, and what no correction may do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from statsmodels.stats.multitest import multipletests

from rankreport import statistics
from rankreport.statistics.random_draws import draw_counts, draw_signs

NAN = float("nan")
KINDS = list(statistics.TESTS)
CORRECTIONS = list(statistics.CORRECTIONS)
DRAWS = {"resamples": 299, "seed": 4}

systems = hnp.arrays(
    np.float64,
    st.tuples(st.integers(6, 20), st.sampled_from([2, 4, 6])),
    elements=st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, 1 / 3, -1 / 7]),
)


@pytest.fixture(scope="module")
def related() -> np.ndarray:
    """Three systems on two measures, against one baseline, some queries without a change."""
    rng = np.random.default_rng(21)
    baseline = rng.normal(0, 1, (60, 1))
    values = rng.normal([0.5, 0.2, 0, 0.1, 0.3, 0], 1, (60, 6)) - baseline
    return np.where(rng.random((60, 6)) < 0.3, 0.0, values)


def step_down_by_loops(observed: list[float], drawn: list[list[float]]) -> list[float]:
    """Follow the definition, one draw, one test and one step at a time."""
    order = sorted(range(len(observed)), key=lambda test: -observed[test])
    adjusted, least = [0.0] * len(observed), 0.0
    for step, test in enumerate(order):
        still_there = order[step:]
        as_far = 1
        for draw in drawn:
            greatest = max(draw[other] for other in still_there)
            if greatest >= observed[test] - 1e-9:
                as_far += 1
        least = max(least, as_far / (len(drawn) + 1))
        adjusted[test] = least
    return adjusted


def t_by_hand(deltas: np.ndarray) -> float:
    """Student's t, infinite where nothing varies, 0 where nothing changed."""
    if not deltas.any():
        return 0.0
    spread = deltas.std(ddof=1)
    return abs(deltas.mean()) / (spread / len(deltas) ** 0.5) if spread > 1e-12 else np.inf


@pytest.mark.parametrize("kind", ["sign-flip", "t"])
def test_max_t_of_the_mean_is_the_loop_over_flipped_signs(related: np.ndarray, kind: str) -> None:
    # Student's t itself, made anew under each draw: our statistic only has to order as it does.
    p_values = statistics.p_values(kind, related, exact_limit=0, **DRAWS)
    ours = statistics.max_t(kind, related, p_values, n_tests=3, **DRAWS)
    kept = np.concatenate(list(draw_signs(60, **DRAWS))).astype(int)
    for family in range(2):
        columns = related[:, family::2]
        observed = [t_by_hand(column) for column in columns.T]
        drawn = [[t_by_hand((2 * k - 1) * column) for column in columns.T] for k in kept]
        expected = np.maximum(step_down_by_loops(observed, drawn), p_values[family::2])
        np.testing.assert_allclose(ours[family::2], expected, rtol=1e-12)


def test_max_t_of_the_bootstrap_is_the_loop_over_its_draws(related: np.ndarray) -> None:
    ours = statistics.max_t("bootstrap", related, np.zeros(6), n_tests=3, **DRAWS)
    counts = np.concatenate(list(draw_counts(60, **DRAWS))).astype(int)
    samples = [np.repeat(np.arange(60), row) for row in counts]
    for family in range(2):
        columns = related[:, family::2]
        observed = [t_by_hand(column) for column in columns.T]
        drawn = [
            [t_by_hand_about(column[rows], column.mean()) for column in columns.T]
            for rows in samples
        ]
        np.testing.assert_allclose(ours[family::2], step_down_by_loops(observed, drawn), rtol=1e-12)


def test_replicates_without_spread_are_farther_than_any() -> None:
    # A replicate of the second query alone, one in 27, has the observed mean and no spread.
    values = np.array([[0.0, 0.1], [0.5, 0.2], [1.0, 0.3]])
    ours = statistics.max_t("bootstrap", values, np.zeros(2), n_tests=2, **DRAWS)
    counts = np.concatenate(list(draw_counts(3, **DRAWS))).astype(int)
    drawn = [
        [t_by_hand_about(np.repeat(column, row), column.mean()) for column in values.T]
        for row in counts
    ]
    expected = step_down_by_loops([t_by_hand(column) for column in values.T], drawn)
    np.testing.assert_allclose(ours, expected, rtol=1e-12)
    assert any(np.ptp(np.repeat(values[:, 0], row)) == 0 and row[1] == 3 for row in counts)


def t_by_hand_about(drawn: np.ndarray, mean: float) -> float:
    error = drawn.std(ddof=1) / len(drawn) ** 0.5
    return abs(drawn.mean() - mean) / error if error > 1e-12 else np.inf


def test_max_t_of_wilcoxon_flips_ranks(related: np.ndarray) -> None:
    p_values = statistics.p_values("wilcoxon", related)
    ours = statistics.max_t("wilcoxon", related, p_values, n_tests=3, **DRAWS)
    kept = np.concatenate(list(draw_signs(60, **DRAWS))).astype(int)
    columns = related[:, ::2]
    ranks = [
        np.where(c == 0, 0, np.sign(c) * stats.rankdata(np.where(c == 0, -1, abs(c))))
        for c in columns.T
    ]
    ranks = [np.where(r == 0, 0, r - np.sign(r) * (r == 0).sum()) for r in ranks]
    scale = [(r**2).sum() ** 0.5 for r in ranks]
    observed = [abs(r.sum()) / s for r, s in zip(ranks, scale, strict=True)]
    drawn = [
        [abs(((2 * k - 1) * r).sum()) / s for r, s in zip(ranks, scale, strict=True)] for k in kept
    ]
    expected = np.maximum(step_down_by_loops(observed, drawn), p_values[::2])
    np.testing.assert_allclose(ours[::2], expected, rtol=1e-12)


def test_step_down_by_hand() -> None:
    # |t| of 2 and 1; greatest of both: 2.5, 1.5, 0.3; of the second alone: 2.5, 0.1, 0.2.
    draws = np.array([[[0.5], [2.5]], [[1.5], [0.1]], [[0.3], [0.2]]])
    adjusted = statistics.step_down([[2.0], [-1.0]], [draws], at_least=[[0.0], [0.0]])
    # The first: 1 of 3 is as far, (1 + 1) / 4; the second: 1 of 3 too, and not below the first.
    np.testing.assert_array_equal(adjusted.ravel(), [0.5, 0.5])
    adjusted = statistics.step_down([[2.0], [0.15]], [draws], at_least=[[0.0], [0.0]])
    np.testing.assert_array_equal(adjusted.ravel(), [0.5, 0.75])
    # In pieces, and with an alone p-value above it.
    pieces = [draws[:1], draws[1:]]
    adjusted = statistics.step_down([[2.0], [0.15]], pieces, at_least=[[0.6], [0.1]])
    np.testing.assert_array_equal(adjusted.ravel(), [0.6, 0.75])


def test_a_test_that_could_not_be_made_leaves_the_others_alone() -> None:
    rng = np.random.default_rng(5)
    whole = rng.normal(0.3, 1, (50, 2))
    beside = np.column_stack([whole[:, 0], np.full(50, NAN), whole[:, 1]])
    for kind in KINDS:
        p_values = statistics.p_values(kind, beside, **DRAWS)
        found = statistics.max_t(kind, beside, p_values, n_tests=3, **DRAWS)
        expected = statistics.max_t(kind, whole, p_values[[0, 2]], n_tests=2, **DRAWS)
        np.testing.assert_array_equal(found[[0, 2]], expected)
        assert np.isnan(found[1])


@pytest.mark.parametrize("kind", KINDS)
@given(values=systems)
def test_adjusted_p_values_keep_their_bounds(kind: str, values: np.ndarray) -> None:
    raw = statistics.p_values(kind, values, **DRAWS)
    for correction in CORRECTIONS:
        found = statistics.adjusted(correction, kind, values, raw, n_tests=2, **DRAWS)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(raw))
        made = ~np.isnan(raw)
        assert (found[made] >= raw[made]).all()
        assert (found[made] <= 1).all()
        if correction in {"none", "holm", "bonferroni", "bh"}:
            assert (found[made] <= 2 * raw[made] + 1e-15).all()


@given(values=systems, factor=st.sampled_from([-1.0, 1e-6, 30.0]), order=st.permutations(range(6)))
def test_max_t_does_not_depend_on_unit_direction_or_order(
    values: np.ndarray, factor: float, order: list[int]
) -> None:
    n_tests = values.shape[1]
    for kind in ("sign-flip", "bootstrap"):
        found = statistics.max_t(kind, values, np.zeros(n_tests), n_tests=n_tests, **DRAWS)
        scaled = statistics.max_t(
            kind, factor * values, np.zeros(n_tests), n_tests=n_tests, **DRAWS
        )
        np.testing.assert_allclose(scaled, found, rtol=1e-12)
        to = [place for place in order if place < n_tests]
        moved = statistics.max_t(kind, values[:, to], np.zeros(n_tests), n_tests=n_tests, **DRAWS)
        np.testing.assert_allclose(moved, found[to], rtol=1e-12)


@given(values=systems)
def test_a_smaller_statistic_has_no_smaller_adjusted_p(values: np.ndarray) -> None:
    n_tests = values.shape[1]
    found = statistics.max_t("sign-flip", values, np.zeros(n_tests), n_tests=n_tests, **DRAWS)
    sizes = np.sqrt(np.square(values).sum(axis=0))
    far = np.abs(values.sum(axis=0)) / np.where(sizes > 0, sizes, 1)
    assert (np.diff(found[np.argsort(-far, kind="stable")]) >= -1e-15).all()


@given(values=systems)
def test_unchanged_systems_add_nothing_to_the_price(values: np.ndarray) -> None:
    n_tests = values.shape[1]
    padded = np.column_stack([values, np.zeros(len(values))])
    for kind in ("sign-flip", "bootstrap"):
        found = statistics.max_t(kind, values, np.zeros(n_tests), n_tests=n_tests, **DRAWS)
        more = statistics.max_t(kind, padded, np.zeros(n_tests + 1), n_tests=n_tests + 1, **DRAWS)
        np.testing.assert_array_equal(more[:-1], found)
        assert more[-1] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_related_systems_cost_less_than_holm_has_it(kind: str) -> None:
    rng = np.random.default_rng(6)
    n_tests, draws = 8, {"resamples": 1_999, "seed": 1}
    shared = rng.normal(0.25, 1, (80, 1))
    values = shared + rng.normal(0, 0.1, (80, n_tests))
    raw = statistics.p_values(kind, values, **draws)
    found = statistics.max_t(kind, values, raw, n_tests=n_tests, **draws)
    error = 4 * np.sqrt(found * (1 - found) / draws["resamples"])
    assert (found <= np.minimum(n_tests * raw, 1) + error).all()
    assert (found < statistics.holm(raw)).mean() > 0.8


def test_max_t_keeps_the_chance_of_any_false_finding() -> None:
    # Eight nulls against one baseline, 300 times: 5 % but for chance, the uncorrected some 25 %.
    rng = np.random.default_rng(7)
    false, uncorrected, repeats = 0, 0, 300
    for repeat in range(repeats):
        values = rng.normal(0, 1, (40, 8)) - rng.normal(0, 1, (40, 1))
        draws = {"resamples": 199, "seed": repeat}
        raw = statistics.sign_flip(values, exact_limit=0, **draws)
        adjusted = statistics.max_t("sign-flip", values, raw, n_tests=8, **draws)
        false += adjusted.min() <= 0.05
        uncorrected += raw.min() <= 0.05
    assert false / repeats <= 0.05 + 3 * (0.05 * 0.95 / repeats) ** 0.5
    assert uncorrected / repeats > 0.15


def test_max_t_does_not_depend_on_memory(related: np.ndarray) -> None:
    raw = statistics.sign_flip(related, **DRAWS)
    usual, scant = (
        statistics.max_t("sign-flip", related, raw, n_tests=3, **DRAWS, memory=memory)
        for memory in (2**26, 1)
    )
    np.testing.assert_array_equal(usual, scant)


def test_one_system_needs_no_correction(related: np.ndarray) -> None:
    for kind in KINDS:
        raw = statistics.p_values(kind, related, **DRAWS)
        for correction in CORRECTIONS:
            found = statistics.adjusted(correction, kind, related, raw, n_tests=1, **DRAWS)
            np.testing.assert_array_equal(found, raw)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("correction", "theirs"),
    [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh"), ("by", "fdr_by")],
)
def test_families_are_corrected_apart(related: np.ndarray, correction: str, theirs: str) -> None:
    raw = statistics.p_values("t", related)
    found = statistics.adjusted(correction, "t", related, raw, n_tests=3)
    for family in range(2):
        expected = multipletests(raw[family::2], method=theirs)[1]
        np.testing.assert_allclose(found[family::2], expected, rtol=1e-13)


# Intervals


def replicated(values: np.ndarray, **draws: int) -> statistics.Moments:
    return statistics.replicate_moments(values, **{**DRAWS, **draws})


def test_max_t_intervals_are_as_many_errors_wide_as_the_greatest_replicate_asks() -> None:
    rng = np.random.default_rng(8)
    values = rng.normal(0.2, 1, (50, 6)) - rng.normal(0, 1, (50, 1))
    moments = replicated(values, resamples=400)
    low, high = statistics.max_t_interval(values, moments, 0.9, n_tests=3)
    counts = np.concatenate(list(draw_counts(50, resamples=400, seed=4))).astype(int)
    for family in range(2):
        columns = values[:, family::2]
        greatest = [
            max(
                t_by_hand_about(column[np.repeat(np.arange(50), row)], column.mean())
                for column in columns.T
            )
            for row in counts
        ]
        half = np.quantile(greatest, 0.9) * stats.sem(columns)
        np.testing.assert_allclose(low[family::2], columns.mean(axis=0) - half, rtol=1e-10)
        np.testing.assert_allclose(high[family::2], columns.mean(axis=0) + half, rtol=1e-10)


def test_a_system_that_hardly_changed_leaves_the_others_an_interval() -> None:
    # One changed query of 30 is drawn not at all in 36 % of the replicates.
    values = np.zeros((30, 2))
    values[:, 0] = np.random.default_rng(9).normal(0.5, 1, 30)
    values[0, 1] = 1.0
    moments = replicated(values)
    found = statistics.max_t_interval(values, moments, 0.95, n_tests=2)
    expected = statistics.studentized(values, moments, 0.975)
    np.testing.assert_array_equal(found, expected)
    assert np.isfinite(np.array(found)[:, 0]).all()


@given(values=systems)
def test_max_t_intervals_mirror_and_lie_around_the_mean(values: np.ndarray) -> None:
    n_tests = values.shape[1]
    there = statistics.max_t_interval(values, replicated(values), 0.9, n_tests=n_tests)
    back = statistics.max_t_interval(-values, replicated(-values), 0.9, n_tests=n_tests)
    np.testing.assert_allclose(there.low, -back.high, rtol=1e-9, atol=1e-9)
    varies = statistics.Sample.of(values).varies
    np.testing.assert_array_equal(np.isnan(there.low), ~varies)
    np.testing.assert_array_equal(np.isnan(there.high), ~varies)
    assert (there.low <= there.high)[varies].all()


@pytest.mark.parametrize("kind", list(statistics.INTERVALS))
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_intervals_of_one_system_are_those_of_no_correction(
    related: np.ndarray, kind: str, correction: str
) -> None:
    means, errors = replicated(related)
    found = statistics.simultaneous_interval(
        correction, kind, related, means, 0.9, n_tests=1, standard_errors=errors
    )
    expected = statistics.interval(kind, related, means, 0.9, standard_errors=errors)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", list(statistics.INTERVALS))
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_intervals_of_several_systems_are_wider_unless_nothing_is_corrected(
    related: np.ndarray, kind: str, correction: str
) -> None:
    means, errors = replicated(related)
    found = statistics.simultaneous_interval(
        correction, kind, related, means, 0.9, n_tests=3, standard_errors=errors
    )
    alone = statistics.interval(kind, related, means, 0.9, standard_errors=errors)
    bonferroni = statistics.interval(kind, related, means, 1 - 0.1 / 3, standard_errors=errors)
    if correction == "none":
        np.testing.assert_array_equal(found, alone)
    elif correction == "max-t":
        assert (found.high - found.low > alone.high - alone.low).all()
        assert np.mean((found.high - found.low) / (bonferroni.high - bonferroni.low)) < 1.05
    else:
        np.testing.assert_array_equal(found, bonferroni)


def test_the_level_of_max_t_follows_from_the_greatest_replicate_of_a_family(
    related: np.ndarray,
) -> None:
    means, _ = replicated(related)
    found = statistics.max_t_level(related, means, 0.9, n_tests=3)
    for family in range(2):
        values = related[:, family::2]
        error = values.std(axis=0, ddof=0) / np.sqrt(60)
        pivots = np.abs(means[:, family::2] - values.mean(axis=0)) / error
        level = 2 * stats.norm.cdf(np.quantile(pivots.max(axis=1), 0.9)) - 1
        np.testing.assert_allclose(found[family::2], np.clip(level, 0.9, 1 - 0.1 / 3), rtol=1e-12)
    np.testing.assert_allclose(found[0::2], found[0])


def test_the_level_of_max_t_lies_between_the_nominal_and_bonferronis() -> None:
    rng = np.random.default_rng(31)
    copies = np.repeat(rng.normal(size=(100, 1)), 5, axis=1)
    apart = rng.normal(size=(100, 5))
    for values, expected in ((copies, 0.95), (apart, 1 - 0.05 / 5)):
        means, _ = replicated(values, resamples=9_999)
        found = statistics.max_t_level(values, means, 0.95, n_tests=5)
        np.testing.assert_allclose(found, expected, atol=0.003)
        assert ((found >= 0.95) & (found <= 0.99)).all()


def test_systems_that_changed_few_queries_have_no_say_and_no_interval() -> None:
    rng = np.random.default_rng(32)
    dense = rng.normal(0.2, 1, (60, 4))
    sparse = np.zeros((60, 6))
    sparse[:9] = rng.normal(0, 1, (9, 6))
    both = np.hstack([dense, sparse])
    means, _ = replicated(both, resamples=4_999)
    found = statistics.max_t_level(both, means, 0.95, n_tests=10)
    alone = statistics.max_t_level(dense, means[:, :4], 0.95, n_tests=4)
    np.testing.assert_array_equal(found[:4], alone)
    assert np.isnan(found[4:]).all()
    low, high = statistics.simultaneous_interval("max-t", "auto", both, means, 0.95, n_tests=10)
    assert np.isfinite(low[:4]).all()
    assert np.isnan([low[4:], high[4:]]).all()
    # A tenth changed query gives it both.
    sparse[9] = 1.0
    both = np.hstack([dense, sparse])
    means, _ = replicated(both, resamples=4_999)
    assert np.isfinite(statistics.max_t_level(both, means, 0.95, n_tests=10)).all()


def errs_together(values: np.ndarray, n_tests: int, correction: str = "max-t") -> float:
    """Return how often any of a family's intervals misses 0, in per cent."""
    means = statistics.replicate_means(values, resamples=999, seed=5)
    low, high = statistics.simultaneous_interval(
        correction, "auto", values, means, 0.95, n_tests=n_tests
    )
    wrong = ((low > 0) | (high < 0)).reshape(n_tests, -1)
    return 100 * float(wrong.any(axis=0).mean())


def test_intervals_of_near_duplicates_err_as_often_as_they_say() -> None:
    # Bonferroni's level, the default before, errs in 1.5 % of families here.
    rng = np.random.default_rng(33)
    n, systems, samples = 60, 8, 600
    shared = rng.normal(size=(n, 1, samples))
    values = (shared + 0.2 * rng.normal(size=(n, systems, samples))).reshape(n, -1)
    assert 3.2 < errs_together(values, systems) < 7.0
    assert errs_together(values, systems, "holm") < 3.0


@pytest.mark.slow
def test_many_pairs_at_the_level_of_max_t_err_in_five_of_a_hundred_families() -> None:
    # The mean plus and minus c errors would err in 9.8 of 100.
    rng = np.random.default_rng(34)
    one, other = np.triu_indices(12, 1)
    scores = rng.normal(size=(50, 12, 800))
    found = errs_together((scores[:, one] - scores[:, other]).reshape(50, -1), len(one))
    assert 3.5 < found < 7.2


# Bands


@pytest.fixture(scope="module")
def cutoffs() -> np.ndarray:
    """Eighty queries at six cut-offs of one curve, each near to the next."""
    rng = np.random.default_rng(22)
    return np.cumsum(rng.normal(0.05, 1, (80, 6)), axis=1) / np.arange(1, 7) ** 0.5


def test_a_band_is_as_many_errors_wide_as_the_greatest_replicate_asks(cutoffs: np.ndarray) -> None:
    means, errors = replicated(cutoffs)
    counts = np.concatenate(list(draw_counts(80, **DRAWS))).astype(int)
    samples = [np.repeat(np.arange(80), row) for row in counts]
    observed, error = cutoffs.mean(axis=0), stats.sem(cutoffs)
    greatest = {
        "studentised": [
            max(abs(cutoffs[rows].mean(axis=0) - observed) / stats.sem(cutoffs[rows]))
            for rows in samples
        ],
        "not": [max(abs(cutoffs[rows].mean(axis=0) - observed) / error) for rows in samples],
    }
    for name, given_errors in (("studentised", errors), ("not", None)):
        half = np.quantile(greatest[name], 0.9) * error
        found = statistics.band(cutoffs, means, 0.9, standard_errors=given_errors, min_changed=2)
        np.testing.assert_allclose(found, [observed - half, observed + half], rtol=1e-10)


def test_a_band_costs_less_than_bonferroni_where_columns_hang_together() -> None:
    rng = np.random.default_rng(23)
    values = rng.normal(0, 1, (100, 1)) + rng.normal(0, 0.2, (100, 10))
    means, errors = replicated(values, resamples=2_000)
    low, high = statistics.band(values, means, 0.95, standard_errors=errors, min_changed=2)
    alone = statistics.student_t(values, 0.95)
    bonferroni = statistics.student_t(values, 1 - 0.05 / 10)
    assert (high - low > alone.high - alone.low).all()
    assert (high - low < 0.9 * (bonferroni.high - bonferroni.low)).all()


@pytest.mark.slow
@pytest.mark.parametrize("studentised", [True, False])
def test_a_band_holds_all_columns_as_often_as_it_says(studentised: bool) -> None:
    rng, hits, repeats = np.random.default_rng(24), 0, 300
    for seed in range(repeats):
        values = np.cumsum(rng.normal(0, 1, (60, 5)), axis=1)
        means, errors = replicated(values, resamples=499, seed=seed)
        given_errors = errors if studentised else None
        low, high = statistics.band(
            values, means, 0.95, standard_errors=given_errors, min_changed=10
        )
        hits += bool(((low < 0) & (high > 0)).all())
    error = (0.95 * 0.05 / repeats) ** 0.5
    # Without the errors of the replicates, 60 queries are a point or two short.
    assert 0.95 - 4 * error - 0.02 * (not studentised) < hits / repeats < 0.95 + 4 * error


def test_columns_that_hardly_changed_have_no_band_and_no_say(cutoffs: np.ndarray) -> None:
    rare = np.where(np.arange(80)[:, np.newaxis] < [9, 1, 0], 1.0, 0.0)
    values = np.hstack([rare, cutoffs])
    for with_errors in (True, False):
        (low, high), expected = (
            statistics.band(
                columns,
                replicated(columns).means,
                0.95,
                standard_errors=replicated(columns).standard_errors if with_errors else None,
                min_changed=10,
            )
            for columns in (values, cutoffs)
        )
        assert np.isnan(low[:3]).all()
        assert np.isnan(high[:3]).all()
        np.testing.assert_allclose([low[3:], high[3:]], expected, rtol=1e-12)


def test_a_band_that_would_be_infinite_is_bonferronis(cutoffs: np.ndarray) -> None:
    rare = np.where(np.arange(80)[:, np.newaxis] < [2], 1.0, 0.0)
    values = np.hstack([rare, cutoffs])
    means, errors = replicated(values)
    found = statistics.band(values, means, 0.95, standard_errors=errors, min_changed=2)
    np.testing.assert_array_equal(found, statistics.student_t(values, 1 - 0.05 / 7))


def test_nothing_to_band_is_no_band() -> None:
    values = np.zeros((20, 3))
    means, errors = replicated(values)
    for given_errors in (errors, None):
        found = statistics.band(values, means, 0.95, standard_errors=given_errors, min_changed=1)
        assert np.isnan(found).all()


def test_a_system_better_by_the_same_everywhere_is_corrected_by_bonferroni() -> None:
    # It has no t, and hides nothing of the others.
    values = np.random.default_rng(25).normal(0.3, 1, (30, 2))
    beside = np.column_stack([values, np.full(30, 0.5)])
    p_values = statistics.p_values("bootstrap", beside, **DRAWS)
    found = statistics.max_t("bootstrap", beside, p_values, n_tests=3, **DRAWS)
    alone = statistics.max_t("bootstrap", values, p_values[:2], n_tests=2, **DRAWS)
    assert p_values[2] == 2.0**-29
    # Not below what the draws can tell, which is more than three times its p-value.
    assert found[2] == 1 / 300
    np.testing.assert_array_equal(found[:2], alone)


def test_what_is_not_known_is_named(related: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"^correction='tukey' is not one of 'max-t'"):
        statistics.adjusted("tukey", "t", related, np.ones(6), n_tests=3)
    with pytest.raises(ValueError, match="correction='tukey' is not one of"):
        statistics.simultaneous_interval("tukey", "t", related, None, 0.9, n_tests=3)
    with pytest.raises(ValueError, match="replicate_moments"):
        statistics.simultaneous_interval("max-t", "studentized", related, None, 0.9, n_tests=3)
