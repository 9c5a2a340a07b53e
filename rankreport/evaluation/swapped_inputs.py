"""Telling judgments from runs by their numbers, where the two may be swapped.

By their columns they are told apart when they are opened (`rankreport.io.roles.swapped`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from rankreport.evaluation.ranking import ranges, starts_of
from rankreport.frames import QUERY_ID

Sign = Literal["sure", "unsure", "lists"]
"""How sure it is that judgments and run are swapped; ``"lists"`` where the run has no scores that
could tell, and the grades alone look like those of a run."""

_FEW_ROWS = 20
"""In fewer rows, both sides have to tell."""

_SCALE = 12
"""Scales of grades seldom have more levels."""

_HUNDRED = 100
"""The highest grade of percentages."""

_HIGHEST_GRADE = 10
"""The highest grade of most scales with several levels."""

_USUAL_GRADE = 4
"""The highest grade of a usual scale."""

_SOME_LISTS = 3
"""That values do not fall is said of so many lists, or more."""

_FALLING = 0.95
_NOT_FALLING = 0.7
"""If values fall in this share of the lists, or more, they stand in the order of a run; if in this
share or less, they do not."""

_DIFFERENT = 0.5
_NEARLY_ALL = 0.9
"""The share of a query's values that differ, where they are like scores, and where they surely
are."""

_EVEN = 5
_LENGTH = 0.95
"""Lists of one length are those of a run from this length on; and the share of the longest that
counts as this length."""


class Numbers(NamedTuple):
    """Numbers that tell judgments from a run.

    Attributes
    ----------
    n, n_values, n_distinct
        The number of rows, of different values, and of those of each query, summed.
    n_ordered, n_falling
        The number of lists whose order may tell, with three rows and two values at least; and of
        those in which values fall, or stay, from row to row.
    low, high
        The lowest and highest value.
    whole
        Whether all values are whole numbers.
    odd
        The share of values that no usual grade has: above 10, or no multiple of a quarter. It is 0
        where all are multiples of 5 up to 100, as percentages are.
    places
        Whether the values of every query are 1, 2, 3, ..., in any order.
    even
        Whether most lists have about the length of the longest.
    """

    n: int = 0
    n_values: int = 0
    n_distinct: int = 0
    n_ordered: int = 0
    n_falling: int = 0
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    odd: float = 0.0
    places: bool = False
    even: bool = False

    @property
    def without_order(self) -> Numbers:
        """What tells them apart where rows have no order."""
        return self._replace(n_ordered=0, n_falling=0)

    @property
    def falls(self) -> bool:
        """Whether values fall in nearly all lists."""
        return self.n_ordered > 0 and self.n_falling >= _FALLING * self.n_ordered

    @property
    def does_not_fall(self) -> bool:
        """Whether there are many lists in which values do not fall."""
        return self.n_ordered >= _SOME_LISTS and self.n_falling <= _NOT_FALLING * self.n_ordered


def numbers_of(rows: pl.DataFrame, value: str) -> Numbers:
    """Return what tells judgments from a run.

    Parameters
    ----------
    rows
        Rows with ``query_id``, in the order given.
    value
        The column of grades or scores.

    Examples
    --------
    >>> rows = pl.DataFrame({"query_id": ["q1"] * 3 + ["q2"], "score": [9.0, 7.5, 2.0, 1.0]})
    >>> found = numbers_of(rows, "score")
    >>> found.n_distinct, found.n_ordered, found.n_falling
    (4, 1, 1)
    """
    adjacent = rows[QUERY_ID].rle().struct.unnest()
    if adjacent["value"].n_unique() < len(adjacent):
        return numbers_of(rows.sort(QUERY_ID, maintain_order=True), value)
    values, lengths = rows[value].cast(pl.Float64).to_numpy(), adjacent["len"].to_numpy()
    if not len(values):
        return Numbers()
    starts = starts_of(lengths)
    first = starts[:-1]
    ordered = values.copy()
    for start, end in pairwise(starts):  # in place: lists may be very long
        ordered[start:end].sort()
    differs, rises = np.diff(ordered, prepend=np.nan) != 0, np.diff(values, prepend=0.0) > 0
    differs[first], rises[first] = True, False
    n_values = np.add.reduceat(differs, first, dtype=np.int64)
    tells = (lengths > 2) & (n_values > 1)
    falls = ~np.logical_or.reduceat(rises, first)
    places = ordered == ranges(np.ones_like(first), lengths.astype(np.int64) + 1)
    long = lengths >= _LENGTH * lengths.max()
    odd = (4 * values != np.floor(4 * values)) | (values > _HIGHEST_GRADE)
    tens = (values % 5 == 0) & (values >= 0) & (values <= _HUNDRED)
    return Numbers(
        n=len(values),
        n_values=len(np.unique(values)),
        n_distinct=int(n_values.sum()),
        n_ordered=int(tells.sum()),
        n_falling=int((tells & falls).sum()),
        low=float(values.min()),
        high=float(values.max()),
        whole=bool((values == np.floor(values)).all()),
        odd=0.0 if tens.all() else float(odd.mean()),
        places=bool(places.all()),
        even=bool(long.mean() >= _DIFFERENT and lengths.max() >= _EVEN),
    )


def sign_of_swap(grades: Numbers, scores: Numbers | None, n: int) -> Sign | None:
    """Return whether grades look like scores, and scores like grades.

    Grades are few numbers, of which many documents of a query have the same, and stand in any
    order. Scores are many numbers, seldom equal, which fall from each document to the next, in
    lists that end at one length.

    Parameters
    ----------
    grades, scores
        The numbers of judgments and run, of the queries of both; None of a run without scores.
    n
        The number of all judgments or rows, whichever is more.

    Examples
    --------
    >>> of = {"query_id": ["q1", "q1", "q2"]}
    >>> grades = numbers_of(pl.DataFrame(of | {"grade": [12.5, 11.0, 9.1]}), "grade")
    >>> scores = numbers_of(pl.DataFrame(of | {"score": [1.0, 0.0, 1.0]}), "score")
    >>> sign_of_swap(grades, scores, 3)
    'unsure'
    >>> places = numbers_of(pl.DataFrame(of | {"score": [2.0, 1.0, 1.0]}), "score")
    >>> sign_of_swap(grades, places, 3) is None
    True
    """
    if not grades.n or (scores is not None and not scores.n):
        return None
    if n < _FEW_ROWS:
        return _few_swapped(grades, scores)
    if not _like_scores(grades):
        return None
    if scores is None or scores.n_values == 1:
        # Rates of clicks next to ranked lists are in order too; one score for all is that of qrels.
        alone = grades.falls and grades.even and (grades.high > 1 or scores is not None)
        return "lists" if alone and grades.n_distinct >= _NEARLY_ALL * grades.n else None
    return _by_both(grades, scores)


def _by_both(grades: Numbers, scores: Numbers) -> Sign | None:
    """Return the sign of grades like scores, and of scores that differ."""
    if scores.falls and not grades.falls:  # each side stands in the order that it should have
        return None
    in_order = grades.falls and scores.does_not_fall
    if _like_grades(scores):
        telling = not grades.whole or in_order or (grades.even and not scores.even)
        return "sure" if telling else "unsure"
    percentages = scores.whole and scores.low >= 0 and scores.high <= _HUNDRED
    repeated = scores.n_distinct <= _FALLING * scores.n
    return "unsure" if percentages and repeated and in_order else None


def looks_graded(scores: Numbers) -> bool:
    """Return whether scores look like grades, and do not stand in the order of a run.

    >>> queries = [f"q{i // 5}" for i in range(20)]
    >>> def looks(*scores):
    ...     rows = pl.DataFrame({"query_id": queries, "score": [float(s) for s in scores] * 4})
    ...     return looks_graded(numbers_of(rows, "score"))
    >>> looks(0, 2, 1, 1, 0), looks(1, 3, 2, 5, 4), looks(2, 1, 1, 0, 0)
    (True, False, False)
    """
    return scores.n >= _FEW_ROWS and scores.whole and _like_grades(scores) and not scores.falls


def _like_grades(scores: Numbers) -> bool:
    """Return whether scores are few different numbers of a usual scale, and some are equal.

    Scores that fall from each document to the next, such as 3, 2, 1, say the place in a list; a
    score that all documents have says that there are no scores.
    """
    small = scores.low >= -_HIGHEST_GRADE and scores.high <= _HIGHEST_GRADE
    few = 1 < scores.n_values <= _SCALE
    return few and small and not scores.odd and scores.n_distinct < scores.n


def _like_scores(grades: Numbers) -> bool:
    many = grades.n_values > _SCALE or grades.odd >= _DIFFERENT
    differ = grades.n_distinct >= _DIFFERENT * grades.n
    return many and (differ or grades.falls or grades.even) and not grades.places


def _few_swapped(grades: Numbers, scores: Numbers | None) -> Sign | None:
    """Return the same of few rows, of which both sides have to tell, if both have numbers.

    Grades are like scores if they differ within every query and most are no grades of a usual
    scale. Scores are like grades if all are whole numbers of a usual scale and some list does not
    count down to 1, as places would.
    """
    if grades.odd < _DIFFERENT or grades.n_distinct < grades.n:
        return None
    if scores is None:
        return "lists" if grades.falls else None
    usual = scores.whole and scores.low >= 0 and scores.high <= _USUAL_GRADE
    return "unsure" if usual and not scores.places else None
