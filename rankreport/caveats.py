"""What to mind before reading a score, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from rankreport.columns import MEASURE, QUERY_ID, SYSTEM
from rankreport.measures import Measure
from rankreport.profiles import PROFILES
from rankreport.ranking import TIES
from rankreport.rendering.text import counted

__all__ = ["cautions"]

_UNEVEN = 0.05
"""A difference in the share judged that deserves a word."""

_HIGH = 0.5
"""A share unjudged that deserves a word by itself."""

_USUAL = 10
"""How far down a list is looked at where the measure that decides has no cut-off."""

_NAMED = 5
"""How many queries or systems are named."""


def cautions(
    measures: Iterable[Measure],
    settings: Mapping[str, str],
    quality: pl.DataFrame,
    unanswered: pl.DataFrame,
    top_grade: float,
    *,
    ties: pl.DataFrame,
    coverage: pl.DataFrame,
) -> Iterable[str]:
    """Yield what a reader of these measures must know of the data.

    Parameters
    ----------
    measures, settings, quality, unanswered, ties, coverage
        As in `rankreport.Evaluation`; the first of the measures decides.
    top_grade
        The highest grade of all the judgments.
    """
    asked = tuple(measures)
    for measure in asked:
        rel = measure.parameter("rel")
        if isinstance(rel, int | float) and rel > top_grade:
            yield (
                f"{measure}: no document is relevant, as the highest grade of the judgments is "
                f"{top_grade:g} and rel={rel:g}."
            )
    if top_grade <= 0:
        yield "No document has a positive grade, so there is nothing to find for any system."
    yield from _unanswered(unanswered)
    if settings["queries"] == "answered":
        yield from _left_out(quality)
    yield from _unjudged(quality, coverage.filter(pl.col(MEASURE) == str(asked[0])))
    yield from _ties(quality, ties.filter(pl.col(MEASURE) == str(asked[0])), settings["ties"])
    yield from _unscored(quality, asked)
    if "profile" in settings:
        yield from PROFILES[settings["profile"]].cautions(asked)


def _unjudged(quality: pl.DataFrame, coverage: pl.DataFrame) -> Iterable[str]:
    """Warn of what was not judged above the cut of the measure that decides, or of the first 10."""
    known = quality.select(SYSTEM, k=pl.lit(_USUAL), unjudged=1 - pl.col("judged_at_10"))
    if coverage["k"].drop_nulls().len():
        known = coverage.select(SYSTEM, "k", "unjudged")
    rows = known.drop_nulls().rows()
    for system, k, unjudged in rows:
        if unjudged == 1:
            yield (
                f"{system} returned no judged document in the first {k} of any query: do its "
                f"document ids match those of the judgments?"
            )
        elif unjudged > _HIGH:
            yield (
                f"Only {100 * (1 - unjudged):.0f} % of the first {k} documents of {system} were "
                f"judged; the others count as not relevant."
            )
    shares = [unjudged for _, _, unjudged in rows] or [0.0]
    spread = max(shares) - min(shares)
    if spread > _UNEVEN:
        yield (
            f"The systems differ by {100 * spread:.0f} points in how much of their first "
            f"{rows[0][1]} documents was judged. Unjudged documents count as not relevant, which "
            f"favours the system that was judged more."
        )


def _ties(quality: pl.DataFrame, bounds: pl.DataFrame, rule: str) -> Iterable[str]:
    """Warn of what the order of equal scores could do to the measure that decides."""
    moved = bounds.filter(pl.col("n_queries") > 0)
    each = [
        f"of {system} in {counted(n_queries, 'query', 'queries')} (mean {worst:.4f} to {best:.4f})"
        for system, _, n_queries, worst, _, best in moved.iter_rows()
    ]
    if each:
        more = f" and of {len(each) - _NAMED} more systems" if len(each) > _NAMED else ""
        yield (
            f"Equal scores: another order of them would change {moved[MEASURE][0]} "
            f"{', '.join(each[:_NAMED])}{more}. Here {TIES[rule]}."
        )
    tied = max(quality["n_tied"].to_list())
    if tied and bounds["n_queries"].null_count():
        yield (
            f"Equal scores touch judged documents in up to {tied} queries of a system: "
            f"{TIES[rule]}."
        )


def _left_out(quality: pl.DataFrame) -> Iterable[str]:
    for system, n_left_out in quality.select(SYSTEM, "n_left_out").iter_rows():
        if n_left_out:
            queries = counted(n_left_out, "judged query", "judged queries")
            yield f"{system} returned nothing for {queries}, left out of its means."


def _unscored(quality: pl.DataFrame, measures: Sequence[Measure]) -> Iterable[str]:
    """Warn of what measures of scores leave out: documents that have none."""
    of_scores = [str(m) for m in measures if m.declaration.family in {"pairs", "thresholds"}]
    for system, n_unscored in quality.select(SYSTEM, "n_unscored").iter_rows():
        if of_scores and n_unscored:
            documents = counted(n_unscored, "judged document", "judged documents")
            yield f"{system} gave no score to {documents}, left out of {', '.join(of_scores)}."


def _unanswered(unanswered: pl.DataFrame) -> Iterable[str]:
    for (system,), rows in unanswered.group_by(SYSTEM, maintain_order=True):
        named = ", ".join(rows[QUERY_ID].head(_NAMED)) + (", ..." if len(rows) > _NAMED else "")
        queries = counted(len(rows), "query", "queries")
        yield f"{system} returned nothing for {queries} and scores 0 there: {named}."
