"""Differences on judged documents alone, of pairs with many unjudged documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankreport.comparison.columns import OF_JUDGED
from rankreport.comparison.contrasts import Contrasts, contrasts_of
from rankreport.comparison.difference import Difference
from rankreport.comparison.pairs import Pair, systems_of
from rankreport.comparison.unjudged import difference_bounds
from rankreport.comparison.unseen import losses_of, with_ends
from rankreport.comparison.values import ComparisonValues, family_of
from rankreport.evaluation import UNEVEN, WELL_JUDGED, score_matrices, unjudged_at_top
from rankreport.frames import BASELINE, SYSTEM
from rankreport.keeping import kept
from rankreport.measures import TIES


def is_uneven(comparison: ComparisonValues, pair: Pair) -> bool:
    """Return whether a system has many unjudged documents, or more than its baseline."""
    one, other = (comparison.evaluation.judged_share.get(name, 1.0) for name in pair)
    return min(one, other) < WELL_JUDGED or abs(one - other) > UNEVEN


@kept
def condensed_of(comparison: ComparisonValues) -> Contrasts | None:
    """Return the differences on judged documents alone; None where unjudged ones do not matter."""
    contrasts = contrasts_of(comparison)
    unjudged = unjudged_at_top(comparison.evaluation)
    if unjudged is None:
        return None
    name = str(comparison.primary)
    column = contrasts.measures.index(name)
    values = score_matrices(
        unjudged.lists, systems_of(comparison.pairs), ["value"], comparison.evaluation.query_ids
    )
    return replace(
        contrasts,
        scores=values,
        measures=(name,),
        goals=contrasts.goals[column : column + 1],
        ranges=contrasts.ranges[:, column : column + 1],
        family=replace(family_of(comparison), across="systems", n_measures=1),
    )


@kept
def on_judged_of(comparison: ComparisonValues) -> dict[Pair, dict[str, Any]]:
    """Return the differences on judged documents alone, with bounds, of pairs unevenly judged."""
    condensed = condensed_of(comparison)
    if condensed is None:
        return {}
    pairs = [pair for pair in comparison.pairs if is_uneven(comparison, pair)]
    rows = with_ends(comparison, condensed)
    bounds: Mapping[Pair, tuple[float, float]] = {}
    if not TIES[comparison.evaluation.settings["ties"]].expected:
        bounds = _mean_bounds(comparison, condensed, pairs)
    found = {}
    for row in rows.iter_rows(named=True):
        pair = Pair(row[BASELINE], row[SYSTEM])
        if pair in pairs:
            lowest, highest = bounds.get(pair, (None, None))
            found[pair] = {**row, "lowest": lowest, "highest": highest}
    return found


def _mean_bounds(
    comparison: ComparisonValues, condensed: Contrasts, pairs: Sequence[Pair]
) -> Mapping[Pair, tuple[float, float]]:
    """Return how low and high mean differences could be; empty if that is not known."""
    contrasts = contrasts_of(comparison)
    unjudged = unjudged_at_top(comparison.evaluation)
    if unjudged is None:
        return {}
    column = contrasts.measures.index(str(comparison.primary))
    scores = {system: each[:, column] for system, each in contrasts.scores.items()}
    bounds = difference_bounds(
        unjudged, comparison.primary, pairs, scores, comparison.evaluation.query_ids
    )
    found = {}
    for pair, ends in (bounds or {}).items():
        lowest, highest = condensed.sampled(np.column_stack(ends)).mean
        found[pair] = (float(lowest), float(highest))
    return found


def with_judged_only(comparison: ComparisonValues, found: Difference) -> Difference:
    """Return a difference with what judged documents alone say, where others might matter."""
    pair = Pair(found.baseline, found.system)
    if found.measure != str(comparison.primary) or pair not in on_judged_of(comparison):
        return found
    other = on_judged_of(comparison)[pair]
    return replace(
        found,
        on_judged=replace(found, unseen=None, **{name: other[name] for name in OF_JUDGED}),
        lowest=other["lowest"],
        highest=other["highest"],
    )


def ends_on_judged(
    comparison: ComparisonValues, pair: Pair, confidence: float | None
) -> tuple[float, float]:
    """Return the ends that decide on a pair's primary difference on judged documents alone.

    Both ends are the difference where there is no interval, or without a `confidence`.
    """
    condensed = condensed_of(comparison)
    delta = on_judged_of(comparison)[pair]["delta"]
    if condensed is None or confidence is None:
        return delta, delta
    losses = losses_of(comparison, condensed)
    found = condensed.decided(comparison.interval, confidence, losses)
    column = condensed.column(pair, str(comparison.primary))
    low, high = (end[column] for end in found[2:])
    return (delta, delta) if low is None else (low, high)
