"""What a difference owes to queries for which one of two systems returned nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from rankreport.columns import QUERY_ID, SYSTEM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from rankreport.contrasts import Contrasts
    from rankreport.pairing import Pair

__all__ = ["OneSided", "one_sided"]


class OneSided(NamedTuple):
    """The queries that one system of a pair answered and the other did not.

    Attributes
    ----------
    n
        How many of them count.
    share
        What share of the net difference they make: above 1 where the others lead the other way.
    delta
        The mean difference over the others; None where there are none.
    """

    n: int
    share: float
    delta: float | None


def one_sided(
    contrasts: Contrasts, measure: str, unanswered: pl.DataFrame, query_ids: Sequence[str]
) -> dict[Pair, OneSided]:
    """Return what such queries make of each pair that has a difference, and any of them.

    Parameters
    ----------
    contrasts
        Of the measure among others.
    measure
        The one that is asked about.
    unanswered
        ``system, query_id``, as `rankreport.Evaluation.unanswered`.
    query_ids
        The queries, in the order of the contrasts' rows.
    """
    silent = {
        system: np.isin(query_ids, unanswered.filter(pl.col(SYSTEM) == system)[QUERY_ID])
        for system in contrasts.scores
    }
    found = {}
    for pair in contrasts.pairs:
        alone = silent[pair.system] != silent[pair.baseline]
        deltas = contrasts.differences[:, contrasts.column(pair, measure)]
        if one := _of_pair(deltas, alone, contrasts.structure.weights):
            found[pair] = one
    return found


def _of_pair(
    deltas: NDArray[np.float64], alone: NDArray[np.bool_], weights: NDArray[np.float64] | None
) -> OneSided | None:
    """Weigh one side against both."""
    weighed = np.where(np.isnan(deltas), 0.0, 1.0 if weights is None else weights)
    counted = np.nan_to_num(deltas) * weighed
    n, net = int((alone & (weighed > 0)).sum()), counted.sum()
    if n == 0 or net == 0:
        return None
    others = weighed[~alone].sum()
    delta = float(counted[~alone].sum() / others) if others > 0 else None
    return OneSided(n, float(counted[alone].sum() / net), delta)
