"""Pairs of systems to compare, and families of differences that are corrected together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import polars as pl

from rankreport import statistics
from rankreport.errors import OptionError, choose, expect
from rankreport.frames import BASELINE, SYSTEM
from rankreport.text import say

PAIRS = ("baseline", "all")
"""The ways to pair systems: each against the baseline or several, or against every other."""


FEW_PAIRS = 4
"""With more pairs, they are sorted, the best first, and charts show only the primary measure."""

MOST_PAIRS = 20
"""Of all pairs of systems, if they are more, those with the reference are printed."""


class Pair(NamedTuple):
    """A system and its baseline: a difference is system minus baseline.

    Examples
    --------
    >>> import rankreport as rr
    >>> rr.Pair("old", "new").system
    'new'
    """

    baseline: str
    system: str

    def __str__(self) -> str:
        """Return the difference in the words of the current language.

        >>> str(Pair("bm25", "dense"))
        'dense minus bm25'
        """
        # Names may contain hyphens, so no minus sign.
        return say("{system} minus {baseline}", system=self.system, baseline=self.baseline)


def pairs_of(
    systems: Sequence[str], baseline: str | Iterable[str] | None, pairs: str
) -> tuple[Pair, ...]:
    """Pair systems with one baseline, with several, or all with each other.

    Any two systems are paired once. A baseline is compared with those named before it.

    Parameters
    ----------
    systems
        Two or more systems, in the order of the evaluation.
    baseline
        One or several of them; the first by default. With ``"all"``, it comes first.
    pairs
        A name in `PAIRS`.

    Raises
    ------
    OptionError
        If a name is unknown, or a baseline is named twice.

    Examples
    --------
    >>> [str(pair) for pair in pairs_of(["a", "b", "c"], ["a", "b"], "baseline")]
    ['b minus a', 'c minus a', 'c minus b']
    >>> [str(pair) for pair in pairs_of(["a", "b", "c"], "c", "all")]
    ['a minus c', 'b minus c', 'b minus a']
    """
    choose("pairs", pairs, PAIRS)
    several = ", ".join(map(repr, systems))
    expect(
        baseline, (Iterable, type(None)), f"baseline takes the name of a system, one of {several}"
    )
    named = [systems[0]] if baseline is None else _several(baseline)
    for each in named:
        choose("baseline", each, systems)
    if len(set(named)) < len(named):
        twice = next(each for each in named if named.count(each) > 1)
        raise OptionError(f"baseline: {twice!r} is named twice.")
    others = [system for system in systems if system not in named]
    if pairs == "all":
        return tuple(Pair(*two) for two in combinations([*named, *others], 2))
    return tuple(
        Pair(base, system)
        for place, base in enumerate(named)
        for system in [*named[place + 1 :], *others]
    )


def systems_of(pairs: Iterable[Pair]) -> tuple[str, ...]:
    """Return the distinct systems and baselines of pairs.

    >>> systems_of([Pair("a", "b"), Pair("a", "c")])
    ('a', 'b', 'c')
    """
    return tuple(dict.fromkeys(system for pair in pairs for system in pair))


def short_labels(pairs: Sequence[Pair]) -> dict[Pair, str]:
    """Return a short name for each pair: its system if there is one baseline.

    >>> list(short_labels([Pair("a", "b"), Pair("a", "c")]).values())
    ['b', 'c']
    >>> list(short_labels([Pair("a", "b"), Pair("b", "c")]).values())
    ['b minus a', 'c minus b']
    """
    one = len({pair.baseline for pair in pairs}) == 1
    return {pair: pair.system if one else str(pair) for pair in pairs}


def labelled_by_pair(pairs: Sequence[Pair], rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows of these pairs with the short name of the pair in the system column."""
    labels = short_labels(pairs)
    names = [labels[Pair(*row)] for row in rows.select(BASELINE, SYSTEM).iter_rows()]
    return rows.with_columns(pl.Series(SYSTEM, names, pl.String))


def _several(baseline: str | Iterable[str]) -> list[str]:
    named = [baseline] if isinstance(baseline, str) else list(baseline)
    if not named:
        raise OptionError("baseline is empty: name at least one system, or omit it.")
    return named


ACROSS = ("systems", "measures")
"""What a correction for several differences counts: those of each measure, or of all."""


@dataclass(frozen=True)
class Family:
    """The differences that are corrected together.

    Attributes
    ----------
    correction, across
        As in `rankreport.compare`.
    n_pairs, n_measures
        Number of pairs and of measures.
    """

    correction: str
    across: str
    n_pairs: int
    n_measures: int

    @property
    def n_tests(self) -> int:
        """The number of differences corrected together."""
        return self.n_pairs * (self.n_measures if self.across == "measures" else 1)

    @property
    def corrects(self) -> bool:
        """Whether anything is corrected."""
        return self.correction != "none" and self.n_tests > 1

    @property
    def n_simultaneous(self) -> int:
        """For how many differences an interval holds at once."""
        return self.n_tests if self.corrects else 1

    @property
    def by_max_t(self) -> bool:
        """Whether max-t corrects several differences."""
        return self.corrects and self.correction == "max-t"

    def level(self, confidence: float) -> float:
        """Return the confidence of each interval for a simultaneous `confidence`."""
        return statistics.level_of_each(self.correction, confidence, self.n_tests)
