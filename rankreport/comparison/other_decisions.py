"""What is decided on each measure that is not primary, with the doubts about its data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import polars as pl

from rankreport.caching import cached
from rankreport.comparison.decision import PairDecision
from rankreport.comparison.difference import MIN_CHANGED
from rankreport.comparison.differences import differences_on_measures, missing_of, with_judged_only
from rankreport.comparison.leading_pair import decided_on, decided_without_model
from rankreport.comparison.other_measures import DOUBTS, OpenBy, OtherMeasure
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.pairs import Pair
from rankreport.comparison.values import ComparisonValues
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import shown_name


@cached
def decided_on_measure(comparison: ComparisonValues, name: str) -> dict[Pair, PairDecision]:
    """Return the decision on each pair by its numbers on any measure, without a model's."""
    if name == str(comparison.primary):
        return decided_without_model(comparison)
    missing, found = missing_of(comparison, name), {}
    for each in differences_on_measures(comparison):
        if each.measure == name:
            judged = with_judged_only(comparison, each)
            decided = decided_on(comparison, judged, judged, missing.get(each.pair))
            found[each.pair] = decided
    return found


@cached
def other_measures_of(comparison: ComparisonValues) -> dict[Pair, tuple[OtherMeasure, ...]]:
    """Return what happens to the measures that do not decide, of each pair."""
    contrasts = contrasts_of(comparison)
    measures = {str(each): each for each in comparison.evaluation.measures}
    if len(measures) == 1:
        return {}
    ends = contrasts.across_measures(comparison.interval, comparison.confidence)
    rows = contrasts.frame().with_columns(*ends)
    found: dict[Pair, list[OtherMeasure]] = {pair: [] for pair in comparison.pairs}
    of_primary = comparison.primary.declaration.range
    alone = {(d.pair, d.measure): d for d in differences_on_measures(comparison)}
    for row in rows.filter(pl.col(MEASURE) != str(comparison.primary)).iter_rows(named=True):
        name, delta, low, high = (row[key] for key in (MEASURE, "delta", "ci_low", "ci_high"))
        declared = measures[name].declaration
        decides = low is not None and row["n_changed_effective"] >= MIN_CHANGED
        pair = Pair(row[BASELINE], row[SYSTEM])
        own = alone[pair, name]
        open_by: OpenBy = ""
        moves = (low > 0) - (high < 0) if decides else 0
        asked = moves or own.direction or own.is_turned_by_depth
        if asked and (basis := decided_on_measure(comparison, name)[pair].decided_by) in DOUBTS:
            moves, open_by = 0, cast("OpenBy", basis.value)
        elif not row["n_changed"]:
            open_by = "unchanged"
        elif own.direction and not moves:
            open_by = "together"
        on_scale = comparison.margin is not None and declared.range == of_primary
        other = OtherMeasure(
            name,
            shown_name(comparison.evaluation.measures, name),
            delta,
            low,
            high,
            # What is beyond accuracy decides only where it is asked for.
            goal=0 if declared.rows == "shown" else own.goal,
            moves=moves,
            matters=not on_scale or abs(delta or 0.0) > (comparison.margin or 0.0),
            open_by=open_by,
            at_depth=None if own.at_depth is None else own.at_depth.delta,
            seen_only=bool(moves) and own.seen_only,
        )
        found[pair].append(other)
    return {pair: tuple(each) for pair, each in found.items()}


@cached
def open_by_of(comparison: ComparisonValues) -> Mapping[tuple[str, str, str], OpenBy]:
    """Return what leaves each pair open on each measure that is clear alone."""
    primary = str(comparison.primary)
    if not any(d.direction for d in differences_on_measures(comparison) if d.measure != primary):
        return {}  # without the intervals across measures
    return {
        (*pair, each.measure): each.open_by
        for pair, of_pair in other_measures_of(comparison).items()
        for each in of_pair
    }
