"""What queries could tell, what it would take, and what few of them make of a difference."""

from __future__ import annotations

import numpy as np

from rankreport import statistics
from rankreport.contrasts import Contrasts
from rankreport.pairing import Pair

__all__ = ["outlook"]


def outlook(
    contrasts: Contrasts, pair: Pair, measure: str, confidence: float, margin: float | None
) -> dict[str, float | None]:
    """Return what these queries could tell, what it would take, and what few of them make.

    With 80 % power, at the level of one interval of the family.

    Returns
    -------
    dict
        ``detectable``, the smallest mean difference that these queries tell from 0; ``widest``,
        the largest that the measure allows (infinite where it has no bounds); ``needed`` and
        ``margin_needed``, how many queries tell the one found and one as large as the margin
        (infinite for 0); ``first_share`` and ``top_share``, what share of the net difference the
        query and the five queries make that changed most in its direction. None where it cannot
        be said.
    """
    column = contrasts.column(pair, measure)
    alpha, spread = 1 - contrasts.family.level(confidence), contrasts.spread[column]
    wanted = np.array([contrasts.sample.mean[column], np.nan if margin is None else margin])
    worth, n_queries = contrasts.worth[column], contrasts.sample.n_queries[column]
    # More queries like these would be worth as much each.
    needed = np.ceil(
        statistics.queries_needed(spread, wanted, alpha=alpha) * statistics.ratio(n_queries, worth)
    )
    figures = {
        "detectable": statistics.detectable_difference(spread, worth, alpha=alpha),
        "widest": contrasts.widths[column],
        "needed": needed[0],
        "margin_needed": needed[1],
        "first_share": contrasts.shares[0][column],
        "top_share": contrasts.shares[1][column],
    }
    return {name: None if np.isnan(value) else float(value) for name, value in figures.items()}
