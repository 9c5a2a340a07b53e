"""What to mind before reading a score, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from rankreport.columns import MEASURE, QUERY_ID, SYSTEM
from rankreport.measures import Measure
from rankreport.profiles import PROFILES
from rankreport.ranking import TIES
from rankreport.rendering.text import counted

__all__ = ["cautions", "passes_over_unjudged"]

_UNEVEN = 0.05
"""A difference in the share judged that deserves a word."""

_HIGH = 0.5
"""A share unjudged that deserves a word by itself."""

_USUAL = 10
"""How far down a list is looked at where the measure that decides has no cut-off."""

_NAMED = 5
"""How many queries or systems are named."""


def cautions(
    measures: Sequence[Measure],
    primary: Measure,
    *,
    settings: Mapping[str, str],
    quality: pl.DataFrame,
    unanswered: pl.DataFrame,
    top_grade: float,
    ties: pl.DataFrame,
    coverage: pl.DataFrame,
    undefined: pl.DataFrame,
) -> Iterable[str]:
    """Yield what a reader of these measures must know of the data.

    Parameters
    ----------
    measures, primary, settings, quality, unanswered, ties, coverage
        As in `rankreport.Evaluation`; ties and coverage are of the primary measure alone.
    top_grade
        The highest grade of all the judgments.
    undefined
        ``system, measure, n_undefined, n_queries``: of how many queries a measure has no value.
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
    zero = all(m.declaration.nothing_returned == 0 for m in measures)
    yield from _unanswered(
        unanswered, "scores 0 there" if zero else "scores there what a measure gives for nothing"
    )
    yield from _undefined(measures, undefined)
    if settings["queries"] == "answered":
        yield from _left_out(quality)
    if not passes_over_unjudged(primary):
        yield from _unjudged(quality, coverage)
    yield from _ties(measures, quality, ties, settings["ties"])
    yield from _unscored(quality, measures)
    if "profile" in settings:
        yield from PROFILES[settings["profile"]].cautions(tuple(measures))


def passes_over_unjudged(measure: Measure) -> bool:
    """Whether a measure looks at judged documents alone, so that the others do it no harm."""
    families = {"pairs", "thresholds", "incomplete judgments"}
    return measure.declaration.family in families or measure.parameter("judged_only") is True


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


def _ties(
    measures: Sequence[Measure], quality: pl.DataFrame, bounds: pl.DataFrame, rule: str
) -> Iterable[str]:
    """Warn of what the order of equal scores could do to the measure that decides."""
    sums = {str(m) for m in measures if m.declaration.aggregate == "sum"}
    total = "sum" if sums.issuperset(bounds[MEASURE]) else "mean"
    moved = bounds.filter(pl.col("n_queries") > 0)
    each = [
        f"of {system} in {counted(n_queries, 'query', 'queries')} "
        f"({total} {worst:.4f} to {best:.4f})"
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


def _undefined(measures: Sequence[Measure], undefined: pl.DataFrame) -> Iterable[str]:
    """Say which measures have no value for some queries, and why."""
    why = {str(m): m.declaration.undefined for m in measures}
    some = undefined.filter(pl.col("n_undefined") > 0)
    for system, measure, n_undefined, n_queries in some.iter_rows():
        yield (
            f"{measure} of {system} is undefined in {n_undefined} of "
            f"{counted(n_queries, 'query', 'queries')} ({why[measure]}), which are left out of it."
        )


def _unanswered(unanswered: pl.DataFrame, what: str) -> Iterable[str]:
    for (system,), rows in unanswered.group_by(SYSTEM, maintain_order=True):
        named = ", ".join(rows[QUERY_ID].head(_NAMED)) + (", ..." if len(rows) > _NAMED else "")
        queries = counted(len(rows), "query", "queries")
        yield f"{system} returned nothing for {queries} and {what}: {named}."
