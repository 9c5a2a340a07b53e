"""What to mind before reading a score, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from rankreport.columns import QUERY_ID, SYSTEM
from rankreport.measures import Measure
from rankreport.ranking import TIES
from rankreport.rendering.text import counted

__all__ = ["cautions"]

_UNEVEN = 0.05
"""A difference in the share judged that deserves a word."""

_LOW = 0.5
"""A share judged that deserves a word by itself."""

_NAMED = 5
"""How many unanswered queries are named."""


def cautions(
    measures: Iterable[Measure],
    settings: Mapping[str, str],
    quality: pl.DataFrame,
    unanswered: pl.DataFrame,
    top_grade: float,
) -> Iterable[str]:
    """Yield what a reader of these measures must know of the data.

    Parameters
    ----------
    measures, settings, quality, unanswered
        As in `rankreport.Evaluation`.
    top_grade
        The highest grade of all the judgments.
    """
    for measure in measures:
        rel = measure.parameter("rel")
        if isinstance(rel, int | float) and rel > top_grade:
            yield (
                f"{measure}: no document is relevant, as the highest grade of the judgments is "
                f"{top_grade:g} and rel={rel:g}."
            )
    if top_grade <= 0:
        yield "No document has a positive grade, so there is nothing to find for any system."
    yield from _unanswered(unanswered)
    yield from _unjudged(quality)
    shares = quality["judged_at_10"].drop_nulls().to_list() or [0.0]
    spread = max(shares) - min(shares)
    if spread > _UNEVEN:
        yield (
            f"The systems differ by {100 * spread:.0f} points in how much of their first 10 "
            f"documents was judged. Unjudged documents count as not relevant, which favours the "
            f"system that was judged more."
        )
    tied = max(quality["n_tied"].to_list())
    if tied:
        rule = TIES[settings["ties"]]
        yield f"Equal scores touch judged documents in up to {tied} queries of a system: {rule}."


def _unjudged(quality: pl.DataFrame) -> Iterable[str]:
    for system, share in quality.select(SYSTEM, "judged_at_10").drop_nulls().iter_rows():
        if share == 0:
            yield (
                f"{system} returned no judged document in the first 10 of any query: do its "
                f"document ids match those of the judgments?"
            )
        elif share < _LOW:
            yield (
                f"Only {100 * share:.0f} % of the first 10 documents of {system} were judged; the "
                f"others count as not relevant."
            )


def _unanswered(unanswered: pl.DataFrame) -> Iterable[str]:
    for (system,), rows in unanswered.group_by(SYSTEM, maintain_order=True):
        named = ", ".join(rows[QUERY_ID].head(_NAMED)) + (", ..." if len(rows) > _NAMED else "")
        queries = counted(len(rows), "query", "queries")
        yield f"{system} returned nothing for {queries} and scores 0 there: {named}."
