"""The difference of every two systems, whether they were compared or not, and the best ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from rankreport.caching import cached
from rankreport.comparison.columns import OF_JUDGED, PAIRED
from rankreport.comparison.difference import MIN_CHANGED, all_of_one_sign
from rankreport.comparison.estimates import means
from rankreport.comparison.paired_differences import (
    MOST_REPLICATES,
    Contrasts,
    contrasts_of,
    contrasts_on,
)
from rankreport.comparison.pairs import Pair, pairs_of, systems_of
from rankreport.comparison.unseen_failures import with_ends
from rankreport.comparison.values import ComparisonValues, compares_all
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import Measure


@cached
def best_systems_of(comparison: ComparisonValues) -> list[str]:
    """Return all systems by their mean of the primary measure, the best first."""
    return _by_mean(comparison, best_first=True)


def worst_systems_of(comparison: ComparisonValues) -> list[str]:
    """Return all systems by their mean, the worst first; those of equal means as they were given.

    So the first given of these is the baseline of the others, as elsewhere.
    """
    return _by_mean(comparison, best_first=False)


def _by_mean(comparison: ComparisonValues, *, best_first: bool) -> list[str]:
    found = means(comparison).filter(pl.col(MEASURE) == str(comparison.primary))
    in_order = found.sort("mean", descending=best_first, nulls_last=best_first, maintain_order=True)
    return in_order[SYSTEM].to_list()


@cached
def differences_from_best(comparison: ComparisonValues) -> pl.DataFrame:
    """Return the difference of each other system from the best, on the primary measure.

    Intervals are simultaneous for all pairs of systems: which system is best was seen from the
    same data, so that intervals for the pairs with it alone would be too narrow.

    The columns are ``system`` (String); ``delta, ci_low, ci_high`` (Float64) and ``end_error``,
    the standard error of the ends between seeds; ``n_changed`` (Int64) and
    ``n_changed_effective`` (Float64). In the order of the means.
    """
    first, *others = best_systems_of(comparison)
    rows = _every_pair_on(comparison, comparison.primary)
    order = pl.DataFrame({SYSTEM: others}, schema={SYSTEM: pl.String})
    return order.join(
        rows.filter(pl.col(BASELINE) == first).drop(BASELINE, MEASURE, "n_queries", "differs"),
        on=SYSTEM,
        how="left",
        maintain_order="left",
    )


def _every_pair_on(
    comparison: ComparisonValues, measure: Measure, best: tuple[str, ...] = ()
) -> pl.DataFrame:
    """Return the difference of every two systems on a measure."""
    alone = comparison.across == "systems"
    measures = (measure,) if alone else comparison.evaluation.measures
    return differences_of_every_pair(comparison, measures, best).filter(
        pl.col(MEASURE) == str(measure)
    )


@cached
def differences_of_every_pair(
    comparison: ComparisonValues, measures: tuple[Measure, ...], best: tuple[str, ...] = ()
) -> pl.DataFrame:
    """Return the difference of every two systems; of very many, those with some `best`."""
    return _both_ways(comparison, every_contrasts(comparison, measures, best))


def _both_ways(comparison: ComparisonValues, contrasts: Contrasts) -> pl.DataFrame:
    """Return the differences of each pair in either direction.

    ``differs`` is whether the interval, which holds for all pairs, excludes 0 and enough queries
    changed.
    """
    opposite = {"ci_low": "ci_high", "deciding_low": "deciding_high"}
    opposite |= {high: low for low, high in opposite.items()}
    ends = {name: -pl.col(other) for name, other in opposite.items()}
    same = ("end_error", "n_changed", "n_changed_effective", "n_queries")
    rows = with_ends(comparison, contrasts).select(BASELINE, SYSTEM, MEASURE, "delta", *ends, *same)
    turned = rows.select(
        pl.col(SYSTEM).alias(BASELINE),
        pl.col(BASELINE).alias(SYSTEM),
        MEASURE,
        -pl.col("delta"),
        *(end.alias(name) for name, end in ends.items()),
        *same,
    )
    excluded = (pl.col("ci_low") > 0) | (pl.col("ci_high") < 0)
    n_changed = pl.col("n_changed_effective")
    by_sign = all_of_one_sign(n_changed, contrasts.family.level(comparison.confidence))
    return pl.concat([rows, turned]).with_columns(
        differs=(n_changed >= MIN_CHANGED) & excluded.fill_null(by_sign)
    )


_MOST_DRAWN = 2**15
"""Of more pairs, max-t takes long: Bonferroni's intervals, 7 to 10 % wider, hold for all too."""


def has_every_pair(comparison: ComparisonValues) -> bool:
    """Return whether every two systems are compared, or few enough to compare them for ranks.

    Studentised intervals are drawn for all pairs at once, so that fewer fit into memory.
    """
    n_pairs = math.comb(len(systems_of(comparison.pairs)), 2)
    studentized = comparison.interval == "studentized"
    most = MOST_REPLICATES // comparison.resamples if studentized else _MOST_DRAWN
    return compares_all(comparison) or n_pairs <= most


def every_contrasts(
    comparison: ComparisonValues, measures: Sequence[Measure], best: Sequence[str] = ()
) -> Contrasts:
    """Return the differences of every two systems on some measures, or on all.

    Of many pairs, they are those with one of the `best` systems, if these are given; of very many,
    those with the first on the primary measure otherwise. Intervals hold for all pairs in either
    case: which systems are best was seen from the same data.
    """
    contrasts = contrasts_of(comparison)
    systems = best_systems_of(comparison)
    if not compares_all(comparison):
        if comparison.across == "systems":
            contrasts = contrasts_on(comparison, measures)
        family = replace(contrasts.family, n_pairs=math.comb(len(systems), 2))
        if not has_every_pair(comparison):
            correction = "bonferroni" if family.by_max_t else family.correction
            family = replace(family, correction=correction)
            pairs = pairs_of(systems, best or systems[:1], "baseline")
            return replace(contrasts, pairs=pairs, family=family)
        contrasts = replace(contrasts, pairs=pairs_of(systems, None, "all"), family=family)
    if best and contrasts.is_wide:
        return contrasts.of_pairs([pair for pair in contrasts.pairs if {*pair} & {*best}])
    return contrasts


def rows_of_every_pair(
    comparison: ComparisonValues,
    measure: Measure,
    best: tuple[str, ...] = (),
    on_judged: Contrasts | None = None,
) -> dict[Pair, dict[str, Any]]:
    """Return the figures of every two systems on a measure, or those on judged documents alone."""
    if on_judged is None:
        rows = _every_pair_on(comparison, measure, best)
    else:
        paired = on_judged.paired_as(every_contrasts(comparison, [measure], best))
        rows = _both_ways(comparison, paired)
    figures = rows.select(*PAIRED, "n_queries", *OF_JUDGED).iter_rows(named=True)
    return {Pair(row.pop(BASELINE), row.pop(SYSTEM)): row for row in figures}
