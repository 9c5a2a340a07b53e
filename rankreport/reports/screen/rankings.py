"""The first screen of two rankings without judgments: how similar, and where they differ most."""

from __future__ import annotations

import polars as pl

from rankreport.labels import RankingComparison, ranks_the_same
from rankreport.reports.content import RankingContent
from rankreport.reports.page import Amount, Badge, IntervalStrip, ListedQuery, Screen, Spread
from rankreport.reports.screen._common import (
    SHOWN_QUERIES,
    cautions_shown,
    interval_of_mean,
    listed_query,
    queries_in_words,
)
from rankreport.reports.sections.rankings import DIFFERING, most_different, n_shared_at_top
from rankreport.text import number, say

_MOST, _LITTLE = 2 / 3, 1 / 3
"""The shares of the first documents from which most are shared, and below which few are."""


def screen_of_rankings(content: RankingContent) -> Screen:
    """Return the first screen of two rankings."""
    found = content.rankings
    k = found.settings["k"][0]
    means = {row["measure"]: row for row in found.summary().iter_rows(named=True)}
    overlap = means[f"overlap@{k}"]
    values = tuple(found.per_query()[f"overlap@{k}"])
    measure = say("overlap at {k}", k=k)
    queries = tuple(_listed(content))
    return Screen(
        badges=(Badge("●", say("Two rankings"), "open"),),
        headline=_headline(found, overlap["mean"]),
        plain=_plain(found),
        amount=Amount(
            number(overlap["mean"], 3),
            say("mean share of the top {k} that both have", k=k),
            interval_of_mean(overlap, found.settings["confidence"]),
            "open",
        ),
        strip=None
        if overlap["ci_low"] is None
        else IntervalStrip(
            measure,
            overlap["mean"],
            overlap["ci_low"],
            overlap["ci_high"],
            confidence=found.settings["confidence"],
            tone="open",
            scale=(0.0, 1.0),
        ),
        spread=Spread(measure, values, (0.0, 1.0)) if len(set(values)) > 1 else None,
        judged=say("No judgments"),
        listed=say("Most different on") if queries else "",
        queries=queries,
        more=say("both lists of the queries that differ most") if queries else "",
        href=f"#{DIFFERING}" if queries else "",
        action=_action(found, differ=bool(queries)),
        **cautions_shown(found.cautions),
    )


def _headline(found: RankingComparison, mean: float) -> str:
    fields = dict(zip(("one", "other"), found.names, strict=True)) | {"k": found.settings["k"][0]}
    if ranks_the_same(found):
        return say("{one} and {other} rank the same documents in the same order", **fields)
    if mean == 1:
        return say("{one} and {other} have the same top {k}, in another order", **fields)
    if mean >= _MOST:
        return say("{one} and {other} agree on most of the top {k}", **fields)
    if mean >= _LITTLE:
        return say("{one} and {other} agree on part of the top {k}", **fields)
    if mean > 0:
        return say("{one} and {other} agree on little of the top {k}", **fields)
    return say("{one} and {other} share no document of the top {k}", **fields)


def _plain(found: RankingComparison) -> str:
    first = found.by_depth().row(by_predicate=(pl.col("measure") == "overlap") & (pl.col("k") == 1))
    n_queries = len(found.per_query())
    n = round(dict(zip(found.by_depth().columns, first, strict=True))["mean"] * n_queries)
    return say(
        "The first document is the same for {n} of {queries}.",
        n=f"{n:,}",
        queries=queries_in_words(n_queries),
    )


def _listed(content: RankingContent) -> list[ListedQuery]:
    """Return the queries that differ most, each with a link to its two lists."""
    found = content.rankings
    k = found.settings["k"][0]
    made = []
    for at, row in enumerate(most_different(content, SHOWN_QUERIES).iter_rows(named=True), 1):
        n, of = n_shared_at_top(found, row)
        made.append(
            listed_query(
                row,
                number(row[f"overlap@{k}"], 2),
                say("{n} of {all} shared", n=n, all=of),
                f"#{DIFFERING}-{at}",
            )
        )
    return made


def _action(found: RankingComparison, *, differ: bool) -> str:
    if any(each.severity == "stop" for each in found.cautions):
        return say("Check the ids of the documents first: nothing else can be said.")
    if not differ:
        return say("Users would see no difference: there is nothing to judge.")
    return say(
        "This says how similar the rankings are, not which is better: judge the queries on which "
        "they differ most."
    )
