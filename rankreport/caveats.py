"""What to mind before reading a score, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from rankreport.columns import MEASURE, QUERY_ID, SYSTEM
from rankreport.measures import Measure
from rankreport.profiles import PROFILES
from rankreport.ranking import TIES
from rankreport.rendering.language import say
from rankreport.rendering.text import counted, percent, strung

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
        if measure.rel is not None and measure.rel > top_grade:
            yield say(
                "{measure}: no document is relevant, as the highest grade of the judgments is "
                "{top} and rel={rel}.",
                measure=measure,
                top=f"{top_grade:g}",
                rel=f"{measure.rel:g}",
            )
    if top_grade <= 0:
        yield say("No document has a positive grade, so there is nothing to find for any system.")
    zero = all(m.declaration.nothing_returned == 0 for m in measures)
    yield from _unanswered(unanswered, zero=zero)
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
            yield say(
                "{system} returned no judged document in the first {k} of any query: do its "
                "document ids match those of the judgments?",
                system=system,
                k=k,
            )
        elif unjudged > _HIGH:
            yield say(
                "Only {share} of the first {k} documents of {system} were judged; the others count "
                "as not relevant.",
                share=percent(1 - unjudged, whole=True),
                k=k,
                system=system,
            )
    shares = [unjudged for _, _, unjudged in rows] or [0.0]
    spread = max(shares) - min(shares)
    if spread > _UNEVEN:
        yield say(
            "The systems differ by {points} points in how much of their first {k} documents was "
            "judged. Unjudged documents count as not relevant, which favours the system that was "
            "judged more.",
            points=f"{100 * spread:.0f}",
            k=rows[0][1],
        )


def _ties(
    measures: Sequence[Measure], quality: pl.DataFrame, bounds: pl.DataFrame, rule: str
) -> Iterable[str]:
    """Warn of what the order of equal scores could do to the measure that decides."""
    sums = {str(m) for m in measures if m.declaration.aggregate == "sum"}
    moved = bounds.filter(pl.col("n_queries") > 0)
    if len(moved):
        yield say(
            "Equal scores: another order of them would change {measure} {systems}. Here {rule}.",
            measure=moved[MEASURE][0],
            systems=_moved(moved, are_sums=sums.issuperset(bounds[MEASURE])),
            rule=say(TIES[rule]),
        )
    tied = max(quality["n_tied"].to_list())
    if tied and bounds["n_queries"].null_count():
        yield say(
            "Equal scores touch judged documents in up to {n} queries of a system: {rule}.",
            n=tied,
            rule=say(TIES[rule]),
        )


def _moved(bounds: pl.DataFrame, *, are_sums: bool) -> str:
    """Name the systems that another order of equal scores would change, each with its bounds."""
    each = []
    for system, _, n_queries, worst, _, best in bounds.head(_NAMED).iter_rows():
        told = {
            "system": system,
            "queries": counted(n_queries, "query", "queries"),
            "worst": f"{worst:.4f}",
            "best": f"{best:.4f}",
        }
        if are_sums:
            each.append(say("of {system} in {queries} (sum {worst} to {best})", **told))
        else:
            each.append(say("of {system} in {queries} (mean {worst} to {best})", **told))
    more = len(bounds) - len(each)
    systems = strung(each)
    return say("{systems} and of {n} more systems", systems=systems, n=more) if more else systems


def _left_out(quality: pl.DataFrame) -> Iterable[str]:
    for system, n_left_out in quality.select(SYSTEM, "n_left_out").iter_rows():
        if n_left_out:
            queries = counted(n_left_out, "judged query", "judged queries")
            yield say(
                "{system} returned nothing for {queries}, left out of its means.",
                system=system,
                queries=queries,
            )


def _unscored(quality: pl.DataFrame, measures: Sequence[Measure]) -> Iterable[str]:
    """Warn of what measures of scores leave out: documents that have none."""
    of_scores = [str(m) for m in measures if m.declaration.family in {"pairs", "thresholds"}]
    for system, n_unscored in quality.select(SYSTEM, "n_unscored").iter_rows():
        if of_scores and n_unscored:
            documents = counted(n_unscored, "judged document", "judged documents")
            yield say(
                "{system} gave no score to {documents}, left out of {measures}.",
                system=system,
                documents=documents,
                measures=strung(of_scores),
            )


def _undefined(measures: Sequence[Measure], undefined: pl.DataFrame) -> Iterable[str]:
    """Say which measures have no value for some queries, and why."""
    why = {str(m): m.declaration.undefined for m in measures}
    some = undefined.filter(pl.col("n_undefined") > 0)
    for system, measure, n_undefined, n_queries in some.iter_rows():
        yield say(
            "{measure} of {system} is undefined in {n} of {queries} ({why}), which are left out of "
            "it.",
            measure=measure,
            system=system,
            n=n_undefined,
            queries=counted(n_queries, "query", "queries"),
            why=say(why[measure]),
        )


def _unanswered(unanswered: pl.DataFrame, *, zero: bool) -> Iterable[str]:
    for (system,), rows in unanswered.group_by(SYSTEM, maintain_order=True):
        told = {
            "system": system,
            "queries": counted(len(rows), "query", "queries"),
            "named": _first(rows[QUERY_ID].to_list()),
        }
        if zero:
            yield say(
                "{system} returned nothing for {queries} and scores 0 there: {named}.", **told
            )
        else:
            yield say(
                "{system} returned nothing for {queries} and scores there what a measure gives for "
                "nothing: {named}.",
                **told,
            )


def _first(queries: Sequence[str]) -> str:
    """Name the first few, and count the others."""
    n_others = len(queries) - _NAMED
    others = [say("and {n} more", n=f"{n_others:,}")] if n_others > 0 else []
    return strung([*queries[:_NAMED], *others])
