"""How deep the lists of systems are, and of which they are cut.

A measure that looks beyond the lists of one system can differ for that reason alone. Lists that a
query matches few documents of are short too, but they have many lengths: lists are cut where many
have exactly the length of the longest.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import polars as pl

_LEAST = 10
"""Of fewer lists, the lengths may be equal by chance."""


class Depth(NamedTuple):
    """The number of documents of a system's longest list, and of how many lists, of how many."""

    longest: int
    n_longest: int
    n_lists: int

    @property
    def is_cut(self) -> bool:
        """Whether at least a quarter of the lists are as long as the longest.

        >>> Depth(100, 98, 100).is_cut, Depth(873, 2, 100).is_cut
        (True, False)
        """
        return self.n_longest >= max(_LEAST, self.n_lists / 4)

    def equal_to(self, other: Depth) -> int | None:
        """Return the depth of the shorter lists of two systems, if they are cut; None if none are.

        >>> Depth(100, 98, 100).equal_to(Depth(1000, 99, 100))
        100
        """
        shorter, longer = sorted((self, other))
        return shorter.longest if shorter.is_cut and shorter.longest < longer.longest else None


def depths_of(rows: pl.DataFrame) -> dict[str, Depth]:
    """Return the depth of each system, of rows of ``system`` and the fields of `Depth`."""
    return {system: Depth(*each) for system, *each in rows.iter_rows()}


def equal_depths(depths: Mapping[str, Depth]) -> list[int]:
    """Return the depths at which some of these systems are to be compared."""
    found = {one.equal_to(other) for one, other in combinations(depths.values(), 2)}
    return sorted(depth for depth in found if depth is not None)
