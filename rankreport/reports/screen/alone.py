"""The first screen of an evaluation without a comparison: levels, spread, hardest queries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation import (
    DEFAULT_INTERVAL,
    HARDLY_JUDGED,
    Evaluation,
    depth_of,
    hardest_rows,
    label_source_of,
    least_relevant,
    ties_by,
    unjudged_at_top,
)
from rankreport.frames import MEASURE, N_UNJUDGED, QUERY_ID, RANK, SYSTEM, VALUE
from rankreport.measures import EQUAL, Measure, best_first, is_averaged
from rankreport.reports.content import Content
from rankreport.reports.page import Amount, Badge, Board, IntervalStrip, Screen, Spread, Standing
from rankreport.reports.screen._common import (
    SHOWN_QUERIES,
    Early,
    Shown,
    cautions_shown,
    early_figures,
    interval_of_mean,
    judged_figures,
    judged_in_words,
    listed_query,
    n_found,
    queries_in_words,
    relevant_document,
    scale_of,
)
from rankreport.reports.sections._parts import with_text_last
from rankreport.reports.sections.hardest import HARDEST_SECTION, has_hardest
from rankreport.text import decimals, number, say, separated


def screen_of_one(content: Content) -> Shown:
    """Return the first screen of one system alone."""
    evaluation = content.evaluation
    system, primary = evaluation.systems[0], evaluation.primary
    row = _levels(evaluation)[system, str(primary)]
    values = evaluation.per_query()[str(primary)].drop_nulls()
    early, n = n_found(evaluation), row["n_queries"]
    few_judged = any(each.code == HARDLY_JUDGED.code for each in evaluation.cautions)
    headline = _headline(early, system, n, evaluation)
    if row["mean"] is None:
        headline = say("{measure} has no value on any query", measure=primary.shown)
    n_failed = int((values == 0).sum()) if primary.declaration.better == "high" else 0
    failed = say(
        "{system} scores 0 on {queries}.", system=system, queries=queries_in_words(n_failed)
    )
    figures = {
        **judged_figures(evaluation),
        **early_figures(early),
        "n_zero": n_failed,
        "interval": {name: row[name] for name in ("mean", "ci_low", "ci_high", "n_queries")},
    }
    screen = Screen(
        badges=(Badge("●", say("One system"), "open"),),
        headline=headline,
        plain=failed if n_failed else "",
        amount=_amount(primary, row, few_judged=few_judged),
        strip=_strip(primary, row),
        spread=_spread(primary, values),
        judged=judged_in_words(evaluation, (system,), label_source_of(evaluation)),
        action=say("Judge its top documents first; then compare it with another system.")
        if few_judged
        else say("Look at the hardest queries; to decide, compare it with another system."),
        notes=_notes(evaluation, few_judged=few_judged),
        **cautions_shown(evaluation.cautions),
        **_hardest(content, system),
    )
    return Shown(screen, figures)


def _notes(evaluation: Evaluation, *, few_judged: bool) -> tuple[str, ...]:
    """Return what to do about the data; how much to judge where few documents are judged."""
    looks = [each for each in evaluation.cautions if each.severity == "look" and each.remedy]
    notes = [each.remedy for each in looks if each.code != HARDLY_JUDGED.code]
    unjudged = unjudged_at_top(evaluation) if few_judged else None
    if unjudged is not None:
        n, k = unjudged.documents.height, depth_of(evaluation.primary)
        notes.insert(0, say("{n} documents of the top {k} are unjudged.", n=f"{n:,}", k=k))
    return tuple(notes[:SHOWN_QUERIES])


def _headline(early: Early | None, system: str, n: int, evaluation: Evaluation) -> str:
    """Return in how many queries a system finds something at once."""
    if early is None or n == 0:
        of = {"system": system, "measure": evaluation.primary.shown}
        return say("The level of {system} on {measure}", **of)
    return say(
        "{system} has {relevant} in the top {k} for {n} of {queries}",
        system=system,
        relevant=relevant_document(evaluation),
        k=early.k,
        n=f"{round(early.n_of[system]):,}",
        queries=queries_in_words(n),
    )


def screen_of_several_levels(content: Content) -> Shown:
    """Return the first screen of several systems that were not compared."""
    evaluation, levels = content.evaluation, _levels(content.evaluation)
    primary, best = evaluation.primary, evaluation.best_system()
    measures = [primary, *(each for each in evaluation.measures if each != primary)]
    of_primary = evaluation.means().filter(pl.col(MEASURE) == str(primary))
    order = best_first(of_primary, (primary,), "mean")[SYSTEM].to_list()
    means = {m: {of: levels[of, str(m)]["mean"] for of in order} for m in measures}
    best_of = {m: _best(m, known) for m, known in means.items()}
    digits = {m: decimals(*known.values()) for m, known in means.items()}
    rows = tuple(
        Standing(
            f"{place}",
            system,
            tuple(number(means[m][system], digits[m]) for m in measures),
            frozenset(i for i, m in enumerate(measures) if system in best_of[m]),
            frozenset(),
        )
        for place, system in enumerate(order, 1)
    )
    fields, n_equal = {"best": best, "measure": primary.shown}, len(best_of[primary])
    headline = say("{best} is best by mean {measure}; no systems were compared", **fields)
    if means[primary][best] is None:
        headline = say("{measure} has no value on any query", **fields)
    elif n_equal > 1:
        headline = say("{n} systems share the best mean {measure}", n=n_equal, **fields)
    early = n_found(evaluation)
    figures = {
        **judged_figures(evaluation),
        **early_figures(early),
    }
    screen = Screen(
        badges=(Badge("●", say("Not compared"), "open"),),
        headline=headline,
        plain=_plain(early, best, levels[best, str(primary)]["n_queries"]),
        board=Board(
            tuple(each.shown for each in measures),
            rows,
            "",
            say("bold: best of its column"),
            DEFAULT_INTERVAL.confidence,
        ),
        judged=judged_in_words(evaluation, evaluation.systems, label_source_of(evaluation)),
        action=say("Compare the systems to decide between them: means alone do not tell."),
        **cautions_shown(evaluation.cautions),
        **_hardest(content, best),
    )
    return Shown(screen, figures)


def _levels(evaluation: Evaluation) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows of the means by system and measure."""
    rows = evaluation.means().iter_rows(named=True)
    return {(row[SYSTEM], row[MEASURE]): row for row in rows}


def _best(measure: Measure, means: Mapping[str, float | None]) -> list[str]:
    """Return the systems with the best mean; none if no direction of the measure is better."""
    known = {system: mean for system, mean in means.items() if mean is not None}
    better = measure.declaration.better
    if not known or better == "neither":
        return []
    top = max(known.values()) if better == "high" else min(known.values())
    close = {"rel_tol": EQUAL, "abs_tol": EQUAL}
    return [system for system, mean in known.items() if math.isclose(mean, top, **close)]


def _plain(early: Early | None, system: str, n: int) -> str:
    if early is None:
        return ""
    k, n_of = early
    return say(
        "A relevant document is in the top {k} for {n} of {queries}.",
        k=k,
        n=f"{round(n_of[system]):,}",
        queries=queries_in_words(n),
    )


def _amount(measure: Measure, row: dict[str, Any], *, few_judged: bool) -> Amount:
    shown, kind = _level(row["mean"], measure), _kind(measure)
    if few_judged:
        kind = say("{figure}, unjudged as not relevant", figure=kind)
    return Amount(shown, kind, _interval(measure, row), "open")


def _level(value: float | None, measure: Measure) -> str:
    """Format a value of the measure; whole counts have no decimals."""
    counts = measure.declaration.aggregate == "sum"
    return number(value, 0 if counts and value is not None and value.is_integer() else 3)


def _kind(measure: Measure) -> str:
    """Return how the values of queries are aggregated, in words."""
    match measure.declaration.aggregate:
        case "geometric":
            return say("geometric mean of {measure}", measure=measure.shown)
        case "weighted":
            return say("weighted mean of {measure}", measure=measure.shown)
        case "pooled":
            return say("{measure}, all queries pooled", measure=measure.shown)
        case "sum":
            return say("{measure} per query", measure=measure.shown)
        case _:
            return say("mean {measure}", measure=measure.shown)


def _interval(measure: Measure, row: dict[str, Any]) -> str:
    """Return the interval of a mean, or the reason why there is none."""
    if row["ci_low"] is None and row["mean"] is None:
        return say("no interval: no query has a value")
    if row["ci_low"] is None and not is_averaged(measure):
        return say("no interval: not an arithmetic mean over queries")
    return interval_of_mean(row, DEFAULT_INTERVAL.confidence)


def _strip(measure: Measure, row: dict[str, Any]) -> IntervalStrip | None:
    scale = scale_of(measure)
    if row["mean"] is None or scale is None or row["ci_low"] is None:
        return None
    ends = (row["ci_low"], row["ci_high"])
    confidence = DEFAULT_INTERVAL.confidence
    return IntervalStrip(measure.shown, row["mean"], *ends, confidence, "open", scale=scale)


def _spread(measure: Measure, values: pl.Series) -> Spread | None:
    """Return the values of a system's queries, or None if they do not vary."""
    if values.n_unique() <= 1:
        return None
    known = values.to_list()
    return Spread(measure.shown, tuple(known), scale_of(measure) or (min(known), max(known)))


def _why(evaluation: Evaluation, system: str, queries: list[str]) -> dict[str, str]:
    """Return where the relevant documents of queries are, if documents are known."""
    try:
        relevant = evaluation.relevant(queries, least_relevant(evaluation.primary))
    except DataError:  # the evaluation was loaded without documents
        return {}
    own = relevant.filter(pl.col(SYSTEM) == system)
    found, unjudged = own.group_by(QUERY_ID).agg(pl.len(), pl.col(RANK).min()), {}
    if (at_top := unjudged_at_top(evaluation)) is not None:
        lists = at_top.lists.filter(pl.col(SYSTEM) == system)
        unjudged = dict(lists.select(QUERY_ID, N_UNJUDGED).iter_rows())
    why = {}
    for query, n, rank in found.iter_rows():
        if rank is None and n == 1:
            why[query] = say("the only relevant document was not returned")
        elif rank is None:
            why[query] = say("none of the {n} relevant documents returned", n=n)
        else:
            n_others = unjudged.get(query, 0)
            others = [say("{n} unjudged", n=n_others)] if n_others else []
            first = say("first relevant at rank {rank}", rank=rank)
            why[query] = separated("; ", [first, *others])
    return why


def _hardest(content: Content, system: str) -> dict[str, Any]:
    """Return the fields of the list of the hardest queries."""
    evaluation = content.evaluation
    if not has_hardest(evaluation, system):
        return {}
    hardest = hardest_rows(evaluation, len(evaluation.query_ids), system)
    rows = with_text_last(hardest.head(SHOWN_QUERIES), content.queries)
    # Documents of first runs do not explain values that are means over runs.
    explained = rows.clear() if system in evaluation.n_repeats else rows
    why = _why(evaluation, system, explained[QUERY_ID].to_list())
    queries = tuple(
        listed_query(row, number(row[VALUE], 2), why.get(row[QUERY_ID], ""), f"#{HARDEST_SECTION}")
        for row in rows.iter_rows(named=True)
    )
    worst = number(rows[VALUE][0], 2)
    n_alike = hardest[VALUE].is_close(hardest[VALUE][0], abs_tol=EQUAL).sum()
    listed = say("Hardest queries")
    if n_alike > SHOWN_QUERIES:
        fields, others = {"n": n_alike, "value": worst}, ties_by(evaluation)
        listed = say("Hardest queries: the first of {n} at {value}", **fields)
        if others:
            by = others[0].shown
            listed = say("Hardest queries: {n} at {value}, the worst {by} first", by=by, **fields)
    return {
        "listed": listed,
        "queries": queries,
        "more": say("more of the hardest queries"),
        "href": f"#{HARDEST_SECTION}",
    }
