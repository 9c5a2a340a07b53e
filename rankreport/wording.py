"""How a comparison was made, in words."""

from __future__ import annotations

from rankreport import statistics
from rankreport.comparison import Comparison
from rankreport.verdict import MIN_CHANGED

__all__ = ["averaged", "interval_title_of", "method_of"]


def method_of(comparison: Comparison) -> str:
    """Say how intervals, p-values and the verdict were made."""
    draws = (
        f"{comparison.resamples:,} paired bootstrap resamples of {_drawn(comparison)} (seed "
        f"{comparison.seed}), shared by all measures, systems and cut-offs"
    )
    needs_draws = comparison.interval != "t"
    return (
        f"Intervals: {interval_title_of(comparison)}{f', from {draws}' if needs_draws else ''}. "
        f"p: two-sided, {statistics.TESTS[comparison.test].title}.{_several(comparison)} The "
        f"verdict comes from the interval alone, and with fewer than {MIN_CHANGED} changed queries "
        f"it is never better or worse."
    )


def averaged(comparison: Comparison) -> str:
    """Say over what differences are averaged."""
    weighted = comparison.traits.weights is not None
    return "averaged over queries by their weights" if weighted else "averaged over queries"


def interval_title_of(comparison: Comparison) -> str:
    """Return what the interval is, given how the queries hang together."""
    return statistics.interval_title(comparison.interval, comparison.traits.structure_columns)


def _drawn(comparison: Comparison) -> str:
    """Say what is drawn."""
    clusters, strata = comparison.traits.clusters, comparison.traits.strata
    units = "the queries" if clusters is None else f"the clusters of queries ({clusters})"
    within = "" if strata is None else f" within strata ({strata})"
    if comparison.bucketed:
        return f"{statistics.BUCKETS:,} buckets of {units}, filled at random,{within}".rstrip(",")
    return f"{units}{within}"


def _several(comparison: Comparison) -> str:
    """Say how intervals and p-values are corrected for several differences."""
    family, correction = comparison.family, statistics.CORRECTIONS[comparison.correction]
    if family.n_tests == 1:
        return ""
    several = f"{family.n_pairs} differences" if family.n_pairs > 1 else "measures"
    if family.across == "measures":
        several = f"{family.n_tests} differences, of all measures,"
    if not correction.short:
        return (
            f" Neither intervals nor p are corrected for comparing {several}, of which the best "
            f"looks better than it is."
        )
    level = "each at Bonferroni's level"
    if comparison.correction == "max-t":
        level += ", since it is not known how this kind of interval would do by max-t"
        if comparison.interval == "studentized":
            level = "by max-t, or where that is infinite, each at Bonferroni's level"
    return (
        f" {several.capitalize()} are looked at at once, and the best of several looks better than "
        f"it is: intervals hold for all of them together ({level}), and p ({correction.short}) is "
        f"corrected by {correction.title}."
    )
