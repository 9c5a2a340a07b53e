"""The difference of every two systems, whether they were compared or not, and the best ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from rankreport.caching import cached
from rankreport.comparison.columns import OF_JUDGED, PAIRED
from rankreport.comparison.contrasts import Contrasts, contrasts_of, contrasts_on
from rankreport.comparison.difference import MIN_CHANGED, all_of_one_sign
from rankreport.comparison.differences import condensed_of
from rankreport.comparison.estimates import means
from rankreport.comparison.pairs import Pair, pairs_of
from rankreport.comparison.unseen import with_ends
from rankreport.comparison.values import ComparisonValues
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import Measure


@cached
def best_systems_of(comparison: ComparisonValues) -> list[str]:
    """Return all systems by their mean of the primary measure, the best first."""
    found = means(comparison).filter(pl.col(MEASURE) == str(comparison.primary))
    in_order = found.sort("mean", descending=True, nulls_last=True, maintain_order=True)
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
    rows = _every_pair_on_primary(comparison)
    order = pl.DataFrame({SYSTEM: others}, schema={SYSTEM: pl.String})
    return order.join(
        rows.filter(pl.col(BASELINE) == first).drop(BASELINE, MEASURE, "n_queries", "differs"),
        on=SYSTEM,
        how="left",
        maintain_order="left",
    )


@cached
def _every_pair_on_primary(comparison: ComparisonValues) -> pl.DataFrame:
    """Return those on the primary measure; of very many pairs, with the best."""
    return _of_every_pair(comparison, [comparison.primary], best_systems_of(comparison)[0])


@cached
def differences_of_every_pair(comparison: ComparisonValues) -> pl.DataFrame:
    """Return the difference of every two systems on every measure.

    Each pair has two rows, one for either system as the ``baseline``. ``differs`` is whether
    the interval, which holds for all pairs, excludes 0 and enough queries changed.
    """
    return _of_every_pair(comparison, list(comparison.evaluation.measures))


def _of_every_pair(
    comparison: ComparisonValues,
    measures: Sequence[Measure],
    best: str | None = None,
    *,
    condensed: bool = False,
) -> pl.DataFrame:
    """Return the differences of every two systems; of very many pairs those with the best alone.

    Their intervals hold for all pairs in either case. With `condensed`, the differences are
    those on judged documents alone.
    """
    wanted = list(map(str, measures))
    contrasts = _every_condensed(comparison) if condensed else every_contrasts(comparison, measures)
    if best is not None and contrasts.is_wide:
        contrasts = contrasts.of_pairs([pair for pair in contrasts.pairs if best in pair])
    opposite = {"ci_low": "ci_high", "deciding_low": "deciding_high"}
    opposite |= {high: low for low, high in opposite.items()}
    ends = {name: -pl.col(other) for name, other in opposite.items()}
    same = ("end_error", "n_changed", "n_changed_effective", "n_queries")
    rows = with_ends(comparison, contrasts).filter(pl.col(MEASURE).is_in(wanted))
    rows = rows.select(BASELINE, SYSTEM, MEASURE, "delta", *ends, *same)
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


@cached
def all_pairs_of(comparison: ComparisonValues) -> tuple[Pair, ...]:
    """Return all pairs of the systems compared: those of the comparison, if they are all."""
    first, *others = best_systems_of(comparison)
    every = pairs_of([first, *others], first, "all")
    return comparison.pairs if len(comparison.pairs) == len(every) else every


def every_contrasts(comparison: ComparisonValues, measures: Sequence[Measure]) -> Contrasts:
    """Return the differences of all pairs of systems on some measures, or on all."""
    if all_pairs_of(comparison) == comparison.pairs:
        return contrasts_of(comparison)
    every = replace(comparison, pairs=all_pairs_of(comparison))
    return contrasts_on(every, measures) if comparison.across == "systems" else contrasts_of(every)


def _every_condensed(comparison: ComparisonValues) -> Contrasts:
    """Return the differences of all pairs of systems on judged documents alone."""
    condensed = condensed_of(comparison)
    if condensed is None:
        raise ValueError("no documents are unjudged")
    family = replace(condensed.family, n_pairs=len(all_pairs_of(comparison)))
    return replace(condensed, pairs=all_pairs_of(comparison), family=family)


def rows_of_every_pair(
    comparison: ComparisonValues, *, condensed: bool = False
) -> dict[Pair, dict[str, Any]]:
    """Return the figures of `_every_pair_on_primary`, or those on judged documents alone."""
    rows = _every_pair_on_primary(comparison)
    if condensed:
        rows = _of_every_pair(
            comparison, [comparison.primary], best_systems_of(comparison)[0], condensed=True
        )
    figures = rows.select(*PAIRED, "n_queries", *OF_JUDGED).iter_rows(named=True)
    return {Pair(row.pop(BASELINE), row.pop(SYSTEM)): row for row in figures}
