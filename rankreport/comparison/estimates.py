"""Estimates of a comparison: intervals, p-values, means, ratios and effect sizes."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from rankreport import statistics
from rankreport.caching import cached
from rankreport.comparison.differences import p_values_of
from rankreport.comparison.paired_differences import (
    Contrasts,
    contrasts_of,
    contrasts_on,
    interval_columns,
    standardized,
)
from rankreport.comparison.values import ComparisonValues, refusal_of
from rankreport.errors import OptionError, check_one_run, choose
from rankreport.measures import Measure


def intervals(
    self: ComparisonValues, kinds: Iterable[str] | None = None, confidence: float | None = None
) -> pl.DataFrame:
    """Return several kinds of interval from the same resamples.

    Parameters
    ----------
    kinds
        Kinds of interval. By default those of ``t, percentile, bca, auto`` that these queries
        allow.
    confidence
        Confidence level; that of the comparison by default. Intervals are simultaneous for as
        many differences as the comparison's.

    Returns
    -------
    DataFrame
        ``baseline, system, measure, interval`` (String), ``ci_low, ci_high`` (Float64).

    Raises
    ------
    OptionError
        If a kind is unknown, or these queries do not allow it.
    """
    return intervals_of(self, contrasts_of(self), kinds, confidence)


def intervals_of(
    comparison: ComparisonValues,
    contrasts: Contrasts,
    kinds: Iterable[str] | None = None,
    confidence: float | None = None,
) -> pl.DataFrame:
    """Return the frame of `intervals` for the pairs of these contrasts."""
    level = comparison.confidence if confidence is None else confidence
    usual, known = ("t", "percentile", "bca", "auto"), statistics.INTERVALS
    return pl.concat(
        contrasts.labels().with_columns(
            pl.lit(kind).alias("interval"), *contrasts.intervals(kind, level)
        )
        for kind in _kinds(comparison, "interval", kinds, usual, known)
    )


def tests(
    self: ComparisonValues,
    kinds: Iterable[str] | None = None,  # noqa: PT028
) -> pl.DataFrame:
    """Return the p-values of several tests.

    Parameters
    ----------
    kinds
        Names of tests. By default those of the mean that these queries allow.

    Returns
    -------
    DataFrame
        ``baseline, system, measure, test`` (String), ``p_value`` (Float64).

    Raises
    ------
    OptionError
        If a test is unknown, or these queries do not allow it.
    """
    return p_values_of_tests(self, contrasts_of(self), kinds)


def p_values_of_tests(
    comparison: ComparisonValues, contrasts: Contrasts, kinds: Iterable[str] | None = None
) -> pl.DataFrame:
    """Return the frame of `tests` for the pairs of these contrasts."""
    usual, known = ("sign-flip", "bootstrap", "t"), statistics.TESTS
    primary = str(comparison.primary)
    return pl.concat(
        contrasts.labels().with_columns(
            pl.lit(kind).alias("test"),
            p_values_of(comparison, kind)
            if contrasts is contrasts_of(comparison)
            else contrasts.p_values(kind, primary),
        )
        for kind in _kinds(comparison, "test", kinds, usual, known)
    )


def computed_otherwise(
    comparison: ComparisonValues, contrasts: Contrasts
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames of `intervals` and `tests` for the pairs of these contrasts."""
    return intervals_of(comparison, contrasts), p_values_of_tests(comparison, contrasts)


def means(self: ComparisonValues) -> pl.DataFrame:
    """Return each system's mean with its interval, from the resamples of `table`.

    Returns
    -------
    DataFrame
        ``system, measure`` (String), ``mean, ci_low, ci_high`` (Float64). Each interval is for
        one mean alone. The intervals of two systems may overlap even if their difference is
        clear: use `table` to compare them.
    """
    return contrasts_of(self).means(self.interval, self.confidence)


def aggregates(self: ComparisonValues, aggregate: str = "median") -> pl.DataFrame:
    """Return the difference of another aggregate than the mean, with an interval.

    It is the aggregate of the system minus that of its baseline, over the queries for which both
    have a value; not the aggregate of the differences.

    Parameters
    ----------
    aggregate
        ``"median"``, a quantile such as ``"p90"``, ``"min"``, ``"max"`` or ``"std"``, as for
        `rankreport.Evaluation.summary`.

    Returns
    -------
    DataFrame
        ``baseline, system, measure, aggregate`` (String), ``value_baseline, value_system, delta,
        ci_low, ci_high`` (Float64). Intervals are from the resamples of `table`, null as in
        `rankreport.Evaluation.means`; where several differences are corrected, they are
        simultaneous, at Bonferroni's level.

    Raises
    ------
    OptionError
        If the aggregate is unknown, or queries have weights.
    """
    return aggregates_of(self, aggregate, self.confidence, self.evaluation.measures).clone()


@cached
def aggregates_of(
    comparison: ComparisonValues, aggregate: str, confidence: float, measures: tuple[Measure, ...]
) -> pl.DataFrame:
    """Return the frame of `aggregates` at another confidence, of some measures.

    Raises
    ------
    OptionError
        If a system has several runs.
    """
    check_one_run(comparison.evaluation.n_repeats, f"aggregate={aggregate!r}")
    return contrasts_on(comparison, measures).aggregates(aggregate, confidence)


def ratios(self: ComparisonValues) -> pl.DataFrame:
    """Return the ratio of each system's mean to its baseline's, with an interval.

    It is a ratio of means over the queries for which both have a value, not a mean of ratios,
    which is undefined if a query scores 0.

    Returns
    -------
    DataFrame
        ``baseline, system, measure`` (String), ``ratio, ci_low, ci_high`` (Float64): 1.05 is
        5 % more. Null if the baseline's mean is 0. The interval uses the resamples and the kind
        of the comparison (``"auto"`` for ``"studentized"``); the t interval uses the
        leave-one-query-out jackknife standard error.
    """
    return _ratios(self).clone()


@cached
def _ratios(comparison: ComparisonValues) -> pl.DataFrame:
    kind = "auto" if comparison.interval == "studentized" else comparison.interval
    return contrasts_of(comparison).ratios(kind, comparison.confidence)


def effects(self: ComparisonValues) -> pl.DataFrame:
    """Return standardised effect sizes, and how concentrated each difference is.

    Intervals use the resamples of `table`, and are simultaneous for as many differences.

    Returns
    -------
    DataFrame
        ``baseline, system, measure, n_queries``; ``d_z``, the mean difference in standard
        deviations of the differences (0 if no query changed, null if all differences are
        equal), with its interval ``d_z_low, d_z_high`` (BCa; linearised t with weights,
        clusters or strata); ``net_wins``, the share of queries won minus the share
        lost, with its interval ``net_wins_low, net_wins_high`` of the comparison's kind;
        ``top_five``, the share of the net difference made by the five queries that changed most
        in its direction, above 1 if the others have the opposite sign in sum. Null if nothing
        varies.
    """
    contrasts = contrasts_of(self)
    d_z, of_d_z = standardized(contrasts, contrasts.levels(self.confidence))
    won = contrasts.sampled(contrasts.won)
    net = contrasts.at_once(
        self.interval, won, contrasts.draws.replicates(self.interval, won), self.confidence
    )
    return contrasts.labels().with_columns(
        pl.Series("n_queries", contrasts.sample.n_queries),
        pl.Series("d_z", d_z, nan_to_null=True),
        *interval_columns(of_d_z, "d_z_low", "d_z_high"),
        pl.Series("net_wins", won.mean, nan_to_null=True),
        *interval_columns(net, "net_wins_low", "net_wins_high"),
        pl.Series("top_five", contrasts.shares[1], nan_to_null=True),
    )


def _kinds(
    comparison: ComparisonValues,
    option: str,
    kinds: Iterable[str] | None,
    usual: Iterable[str],
    known: Iterable[str],
) -> list[str]:
    """Return the given kinds, or the usual ones that these queries allow.

    Raises
    ------
    OptionError
        If a given kind is unknown, or these queries do not allow it.
    """
    if kinds is None:
        return [kind for kind in usual if refusal_of(comparison, **{option: kind}) is None]
    names = tuple(known)
    chosen = [choose(option, kind, names) for kind in kinds]
    for kind in chosen:
        if reason := refusal_of(comparison, **{option: kind}):
            raise OptionError(reason)
    return chosen
