"""Differences at equal depth, of systems of which one returned fewer documents by a cut.

Only what a measure sees below the shorter lists can differ; other measures have no such difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankreport.comparison.columns import OF_JUDGED
from rankreport.comparison.contrasts import Contrasts, contrasts_of, contrasts_on
from rankreport.comparison.difference import Difference
from rankreport.comparison.pairs import Pair
from rankreport.comparison.unseen import with_ends
from rankreport.comparison.values import ComparisonValues
from rankreport.evaluation import data_facts_of, equal_depth, looks_beyond
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import Measure


def figures_at_equal_depth(
    comparison: ComparisonValues,
    pairs: Sequence[Pair],
    measures: Sequence[Measure],
    of: tuple[Pair, ...],
) -> Mapping[tuple[Pair, str], dict[str, Any]]:
    """Return the figures of differences at equal depth, where lists of a system are cut.

    Intervals hold for all the pairs `of` which these are some.
    """
    depths = data_facts_of(comparison.evaluation)["depths"]
    of_pairs = {pair: equal_depth(*(depths[name] for name in pair)) for pair in pairs if depths}
    compared, whole, found = replace(comparison, pairs=of), contrasts_of(comparison), {}
    for depth in sorted({depth for depth in of_pairs.values() if depth is not None}):
        deeper = [measure for measure in measures if looks_beyond(measure, depth)]
        if not deeper:
            continue
        values = comparison.evaluation.values(deeper, within=depth)
        contrasts = contrasts_on(compared, deeper, values=values)
        for row in with_ends(comparison, contrasts).iter_rows(named=True):
            pair, name = Pair(row[BASELINE], row[SYSTEM]), row[MEASURE]
            if of_pairs.get(pair) == depth and _differ(whole, contrasts, pair, name):
                lengths = tuple(depths[system].longest for system in pair)
                found[pair, name] = {**row, "lengths": lengths}
    return found


def _differ(whole: Contrasts, cut: Contrasts, pair: Pair, measure: str) -> bool:
    """Return whether a system has other values on lists that are cut."""
    one, other = whole.measures.index(measure), cut.measures.index(measure)
    return any(
        not np.array_equal(whole.scores[name][:, one], cut.scores[name][:, other], equal_nan=True)
        for name in pair
    )


def with_depth(found: Difference, figures: Mapping[str, Any] | None) -> Difference:
    """Return a difference with that at equal depth, if there are figures of it."""
    if figures is None:
        return found
    numbers = {name: figures[name] for name in OF_JUDGED}
    alone = replace(found, on_judged=None, lowest=None, highest=None, unseen=None)
    return replace(found, at_depth=replace(alone, **numbers), lengths=figures["lengths"])
