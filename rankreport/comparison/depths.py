"""Differences at equal depth, of systems of which one returned fewer documents by a cut.

Only what a measure sees below the shorter lists can differ; other measures have no such difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rankreport.comparison.columns import OF_JUDGED
from rankreport.comparison.contrasts import Contrasts
from rankreport.comparison.difference import Difference
from rankreport.comparison.pairs import Pair
from rankreport.evaluation import Depth, equal_depth, looks_beyond
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import Measure


def at_equal_depth(
    depths: Mapping[str, Depth],
    pairs: Sequence[Pair],
    measures: Sequence[Measure],
    whole: Contrasts,
    *,
    contrast: Callable[[Sequence[Measure], int], Contrasts],
    figures: Callable[[Contrasts], pl.DataFrame],
) -> Mapping[tuple[Pair, str], dict[str, Any]]:
    """Return the figures of differences at equal depth, by pair and measure.

    Parameters
    ----------
    depths
        How deep each system's lists are.
    pairs, measures
        Those of which differences are wanted.
    whole
        The contrasts of whole lists.
    contrast
        Returns the contrasts of these pairs on some measures, of lists cut at a depth.
    figures
        Returns the differences of contrasts, with their ends.
    """
    of_pairs = {pair: equal_depth(*(depths[name] for name in pair)) for pair in pairs if depths}
    found = {}
    for depth in sorted({depth for depth in of_pairs.values() if depth is not None}):
        deeper = [measure for measure in measures if looks_beyond(measure, depth)]
        if not deeper:
            continue
        contrasts = contrast(deeper, depth)
        for row in figures(contrasts).iter_rows(named=True):
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
