"""What a group of queries would show if nothing had changed, and how many queries it lacks."""

from __future__ import annotations

import math
from statistics import NormalDist

from rankreport import statistics
from rankreport.comparison import Contrasts
from rankreport.gates.outcomes import FindingValues, Unchanged

_MISSED = 0.2
"""How often a group with the queries that it lacks would still not pass."""

_MANY_QUERIES = 1e9
"""More are not named."""


def unchanged_of(
    contrasts: Contrasts, column: int, found: FindingValues, reach: float, alpha: float
) -> Unchanged | None:
    """Return what a group would show if nothing had changed; None where it is to rise.

    Parameters
    ----------
    contrasts, column
        The differences of the group, and which of them.
    found
        What was found of them.
    reach
        How much a unit can change.
    alpha
        The tail of each end.
    """
    required, difference, ends = found.requirement, found.difference, found.ends
    error = float(contrasts.sample.standard_error[column])
    if required.kind == "superiority" or difference.delta is None or ends is None:
        return None
    if math.isnan(error):
        return None
    below, above = difference.delta - ends[0], ends[1] - difference.delta
    both = required.kind == "equivalence"
    distance = max(below, above) if both else below if required.rises else above
    margin = abs(required.threshold)
    if found.identical or not error:
        passes = float(found.identical or distance < margin)
        size = float(contrasts.sample.size[column])
        needed = float(statistics.unchanged_needed(margin, reach, alpha))
    else:
        passes = NormalDist().cdf((margin - distance) / error)
        passes = max(2 * passes - 1, 0.0) if both else passes
        size = float(contrasts.worth[column])
        needed = float(
            statistics.queries_needed(
                contrasts.spread[column],
                margin,
                power=1 - _MISSED / (1 + both),
                alpha=2 * alpha,
                largest=reach,
                simultaneous=contrasts.family.corrects,
                shape=tuple(each[column] for each in contrasts.shape),
            )
        )
    lacks = (needed / size - 1) * difference.n_queries
    return Unchanged(passes, math.ceil(lacks) if 0 < lacks < _MANY_QUERIES else 0)
