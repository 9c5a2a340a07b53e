"""Grades: the one that counts of several, and those that stand out, such as negative ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from rankreport.frames import RELEVANCE
from rankreport.measures import MAX_EXPONENT

UNUSUAL_GRADES = ("far", "large", "negative", "below 1", "fractional")
"""What may be unusual of grades."""

_JUMP = 2
"""A grade more than so many times the next lower one stands alone."""

_FAR = 100
"""A grade more than so many times the next lower one is out of scale, however frequent."""

_RARE = 0.01
"""Of a grade that stands alone, at most this share of the judgments."""


def once_each(usable: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return judgments with each document once, under its highest grade."""
    if not usable.select(keys).is_duplicated().any():
        return usable
    best = usable.sort(RELEVANCE, descending=True, maintain_order=True)
    return best.unique(keys, keep="first", maintain_order=True)


def grade_counts(judgments: pl.DataFrame) -> pl.DataFrame:
    """Return how often each grade occurs, the lowest first: ``relevance, count``."""
    return judgments[RELEVANCE].value_counts().sort(RELEVANCE)


def unusual_grades(
    counts: pl.DataFrame, *, fractions_meant: bool = False
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield what is unusual of some grades, a value of `UNUSUAL_GRADES`, and these grades.

    Parameters
    ----------
    counts
        The result of `grade_counts`.
    fractions_meant
        Whether fractions are usual, as values of clicks and means of judges are.

    Examples
    --------
    >>> counts = grade_counts(pl.DataFrame({"relevance": [-1.0, *[0.0, 1.0] * 100]}))
    >>> [(what, grades.rows()) for what, grades in unusual_grades(counts)]
    [('negative', [(-1.0, 1)])]
    """
    positive = counts.filter(pl.col(RELEVANCE) > 0)
    far = _above_gap(positive, _JUMP) if len(positive) > 2 else positive.clear()
    if far.is_empty() or far["count"].sum() > _RARE * int(counts["count"].sum()):
        far = _above_gap(positive, _FAR)
    # Exponential gain takes no larger grades.
    large = positive.filter(pl.col(RELEVANCE) > MAX_EXPONENT).join(far, on=RELEVANCE, how="anti")
    negative = counts.filter(pl.col(RELEVANCE) < 0)
    fractional = counts.filter(pl.col(RELEVANCE) != pl.col(RELEVANCE).floor())
    if fractions_meant:
        fractional = fractional.clear()
    below = pl.col(RELEVANCE).is_between(0, 1, closed="none")
    parts = (far, large, negative, fractional.filter(below), fractional.filter(~below))
    found = zip(UNUSUAL_GRADES, parts, strict=True)
    yield from ((what, grades) for what, grades in found if not grades.is_empty())


def _above_gap(grades: pl.DataFrame, factor: float) -> pl.DataFrame:
    """Return the grades after the first that is so many times the one before it."""
    jumps = pl.col(RELEVANCE) > factor * pl.col(RELEVANCE).shift(1)
    return grades.filter(jumps.cum_sum() > 0)
