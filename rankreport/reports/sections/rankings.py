"""The sections of two rankings without judgments: how similar they are, and where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from rankreport.comparison import RANKS
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, TEXT
from rankreport.labels import RANKING_TIES, RankingComparison, ranks_the_same
from rankreport.reports.content import RankingContent
from rankreport.reports.page import ChangeList, Drilldown, Figures, ListedDocument, Section, Term
from rankreport.reports.sections._parts import described, picture, with_text_last
from rankreport.reports.sections.all_queries import MOST_ROWS, SOME_ROWS
from rankreport.reports.sections.drilldown import (
    FIRST_DOCUMENTS,
    SOME_QUERIES,
    ShownQueries,
    Texts,
    change_of,
)
from rankreport.reports.sections.method import inputs_in_words, versions_of
from rankreport.statistics import INTERVALS
from rankreport.tables import readable_table
from rankreport.text import counted, labelled, percent, say

DIFFERING = "differing"
"""The id of the section on the queries that differ most, and the start of those of its queries."""

RANKINGS = "rankings"
"""The name of the means in the figures."""

_SHOWN_QUERIES = 10
"""Queries whose lists are shown."""

_MOST_DOCUMENTS = 10
"""Documents of each list."""

_RANKS = ("rank_a", "rank_b")


def ranking_title(found: RankingComparison) -> str:
    """Return the default title of a report on two rankings."""
    one, other = found.names
    return say("{one} and {other}: how similarly they rank", one=one, other=other)


def most_different(content: RankingContent, n: int) -> pl.DataFrame:
    """Return the rows of the queries that share the fewest of the first documents.

    The text of the query is the last column, if known. Queries with equal lists are left out.
    """
    found = content.rankings
    rows = found.per_query().sort(f"overlap@{found.settings['k'][0]}", "rbo", QUERY_ID)
    # Equal scores keep the overlap of equal lists below 1.
    different = rows.clear() if ranks_the_same(found) else rows.filter(pl.col("rbo") < 1)
    return with_text_last(different.head(n), content.queries)


def n_shared_at_top(found: RankingComparison, row: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many of the first documents of a query both lists have, and of how many."""
    k = found.settings["k"][0]
    of = min(k, max(row["n_a"], row["n_b"]))
    return round(row[f"overlap@{k}"] * of), of


def ranking_sections(content: RankingContent) -> Iterable[Section]:
    """Yield how similar two rankings are at which depth, where they differ, data and method."""
    found = content.rankings
    yield Section(
        "alike",
        say("How similar are the two rankings?"),
        tuple(_about_depth(found)),
        (readable_table(found), picture(found.plot())),
        figures=tuple(ranking_figures(found)),
        linked=True,
    )
    yield _differing(content)
    yield _data(found)
    yield _all_queries(content)
    yield _method(found)


def ranking_figures(found: RankingComparison) -> Iterator[Figures]:
    """Yield the means, the agreement by depth, and the values of all queries."""
    names = dict(zip(("ranking_a", "ranking_b"), found.names, strict=True))
    yield Figures(RANKINGS, found.summary())
    yield Figures("rankings_by_depth", found.by_depth(), ("measure",))
    rows = found.per_query().select(*(pl.lit(v).alias(n) for n, v in names.items()), pl.all())
    yield Figures("rankings_per_query", rows, tuple(names))


def ranking_provenance(content: RankingContent) -> Iterator[tuple[str, str]]:
    """Yield inputs, settings and versions by name."""
    yield from inputs_in_words([*content.rankings.inputs, content.queries_input])
    if content.corpus is not None:
        yield "documents", content.corpus.label
    for name, value in content.rankings.settings.items():
        if value is not None:
            yield name, ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    yield from versions_of(content.command, content.date)


# Sections


def _about_depth(found: RankingComparison) -> Iterator[str]:
    """Say how much the whole lists share."""
    overlap = found.by_depth().filter(pl.col("measure") == "overlap")
    deepest, mean = overlap.select("k", "mean").row(-1)
    if deepest > found.settings["k"][0]:
        yield say(
            "Of all documents down to rank {deepest}, {all} are shared.",
            deepest=f"{deepest:,}",
            all=percent(round(mean, 2)),
        )


def _about_queries(found: RankingComparison) -> str:
    k = found.settings["k"][0]
    shared = found.per_query()[f"overlap@{k}"]
    n_none, n_all = int((shared == 0).sum()), int((shared == 1).sum())
    return say(
        "Of {queries}, {n_none} share no document of the top {k}, and {n_all} share all of them.",
        queries=counted(len(shared), "query", "queries"),
        n_none=f"{n_none:,}",
        n_all=f"{n_all:,}",
        k=k,
    )


def _differing(content: RankingContent) -> Section:
    """Return the section on the queries that differ most, with the documents of both lists."""
    found = content.rankings
    rows = most_different(content, _SHOWN_QUERIES)
    lists = _both_lists(found, rows[QUERY_ID])
    return Section(
        DIFFERING,
        say("On which queries do they differ most?"),
        (_about_queries(found),),
        () if rows.is_empty() else (_drilldown(content, rows, lists),),
        figures=(Figures("rankings_documents", lists, ("ranking_a", "ranking_b", QUERY_ID)),),
    )


def _both_lists(found: RankingComparison, queries: Iterable[str]) -> pl.DataFrame:
    """Return the first documents of both lists of these queries, with both ranks."""
    schema = {QUERY_ID: pl.String, DOC_ID: pl.String, **dict.fromkeys(_RANKS, pl.Int64)}
    parts = [pl.DataFrame(schema=schema)]
    for query in queries:
        both = found.side_by_side(query, _MOST_DOCUMENTS)
        sides = (
            both.select(doc_id="doc_a", rank_a=RANK, rank_b="rank_in_b"),
            both.select(doc_id="doc_b", rank_a="rank_in_a", rank_b=RANK),
        )
        merged = pl.concat(sides).drop_nulls(DOC_ID).unique(DOC_ID, maintain_order=True)
        parts.append(merged.select(pl.lit(query).alias(QUERY_ID), DOC_ID, *_RANKS))
    names = zip(("ranking_a", "ranking_b"), found.names, strict=True)
    return pl.concat(parts).select(*(pl.lit(name).alias(side) for side, name in names), pl.all())


def _drilldown(content: RankingContent, rows: pl.DataFrame, lists: pl.DataFrame) -> Drilldown:
    found = content.rankings
    one, other = found.names
    k, changes = found.settings["k"][0], []
    about = ShownQueries.of(content.queries, rows[QUERY_ID], Texts.of(content.corpus, lists))
    ranks = dict(zip(_RANKS, RANKS, strict=True))
    ranked = lists.rename(ranks).with_columns(pl.lit(None).alias(RELEVANCE))
    by_query = ranked.rows_by_key(QUERY_ID, named=True)
    for at, row in enumerate(rows.iter_rows(named=True)):
        n, of = n_shared_at_top(found, row)
        change = change_of(
            *(row, by_query[row[QUERY_ID]], about, lambda _: "unjudged"),
            delta=row[f"overlap@{k}"],
            before=None,
            after=None,
            won=False,
            brief=say("{n} of {all} shared", n=n, all=of),
            n_shown=FIRST_DOCUMENTS,
            anchor=f"{DIFFERING}-{at + 1}",
            opened=at < SOME_QUERIES,
        )
        changes.append(replace(change, documents=tuple(sorted(change.documents, key=_best_rank))))
    more = len(changes) - SOME_QUERIES
    return Drilldown(
        baseline=one,
        system=other,
        measure=say("overlap at {k}", k=k),
        words=say("Ranks in {one} → {other}; the first of both come first.", one=one, other=other),
        sides=(
            ChangeList(
                f"{DIFFERING}-most",
                say("Most different on"),
                tuple(changes),
                counted(more, "more query", "more queries") if more > 0 else "",
                SOME_QUERIES,
            ),
        ),
        notes=about.texts.notes,
        graded=False,
    )


def _best_rank(document: ListedDocument) -> tuple[int, int]:
    """Return the better of the two ranks of a document, and that in the first list."""
    ranks = [rank for rank in (document.before, document.after) if rank is not None]
    return min(ranks), document.before or max(ranks) + 1


def _data(found: RankingComparison) -> Section:
    """Return the section on the data: cautions, and what both rankings hold."""
    rows = found.quality()
    columns = {
        "ranking": (say("ranking"), say("the ranking")),
        "n_queries": (say("queries"), say("queries that both rankings have")),
        "n_missing": (say("left out"), say("queries that only the other ranking has")),
        "mean_length": (say("documents per query"), say("mean length of its lists")),
        "longest": (say("longest list"), say("documents of its longest list")),
        "tied": (
            say("equal scores"),
            say("share of its documents with the score of another document of the query"),
        ),
    }
    return Section(
        "data",
        say("Data"),
        (*(labelled(each, code=False) for each in found.cautions), say("There are no judgments.")),
        (described(rows, columns),),
        figures=(Figures("rankings_quality", rows),),
        linked=True,
    )


def _all_queries(content: RankingContent) -> Section:
    """Return the table of all queries, or of those that differ most if there are too many."""
    found = content.rankings
    k = found.settings["k"][0]
    every = found.per_query().sort(f"overlap@{k}", "rbo", QUERY_ID)
    listed = every if len(every) <= MOST_ROWS else every.head(SOME_ROWS)
    sentences = [say("The queries that share the fewest documents come first.")]
    if len(listed) < len(every):
        sentences.append(
            say(
                "The first {n} of {queries} are listed; the JSON of the report has all.",
                n=f"{len(listed):,}",
                queries=counted(len(every), "query", "queries"),
            )
        )
    columns = {
        QUERY_ID: (say("query"), say("the id of the query")),
        TEXT: (say("text"), say("the text of the query")),
        f"overlap@{k}": (
            say("overlap at {k}", k=k),
            say("share of the first documents that both have"),
        ),
        "rbo": (say("rank-biased overlap"), say("agreement from the top down, 0 to 1")),
        "tau_b": (say("Kendall's tau-b"), say("order of the documents of both lists, -1 to 1")),
        "n_shared": (say("shared documents"), say("documents of both lists")),
    }
    title = say("All queries")
    table = described(with_text_last(listed, content.queries), columns, caption=title)
    table = replace(table, keys=tuple(listed[QUERY_ID]))
    return Section("all-queries", title, (" ".join(sentences),), (table,), folded=title)


# Method


def _method(found: RankingComparison) -> Section:
    settings = found.settings
    paragraphs = (
        say(
            "Means over queries, each with its {confidence} interval: {kind}.",
            confidence=percent(settings["confidence"]),
            kind=say(INTERVALS[settings["interval"]].title),
        ),
        say("Ties: {rule}.", rule=say(RANKING_TIES[settings["ties"]])),
        say("There are no judgments, so none of this says which ranking is better."),
    )
    return Section(
        "method",
        say("Method"),
        paragraphs,
        terms=tuple(_terms(settings["p"])),
        folded=say("Details and glossary"),
        linked=True,
    )


def _terms(p: float) -> Iterator[Term]:
    """Yield the measures explained."""
    endless = r"(1-p) \sum_{d=1}^{\infty} p^{d-1}"
    weight = r"\frac{1}{n} \sum_{d=1}^{n}" if p == 1 else endless
    yield Term(
        "rbo",
        say("Rank-biased overlap"),
        say(
            "The mean share of the first documents that both lists have, over the depths that a "
            "reader reaches who goes on to the next document with probability {p}. 1: equal "
            "rankings, 0: no document in common.",
            p=f"{p:g}",
        ),
        rf"{weight} \frac{{|A_d \cap B_d|}}{{d}}",
        "Webber, Moffat and Zobel, TOIS 2010; Corsi and Urbano, SIGIR 2024",
    )
    yield Term(
        "tau_b",
        say("Kendall's tau-b of shared documents"),
        say("Whether both lists have pairs of documents in the same order (1) or reversed (-1)."),
        r"\frac{C - D}{\sqrt{(C + D + T_A)(C + D + T_B)}}",
        "Kendall, Biometrika 1945",
    )
    yield Term(
        "tau_ap",
        say("AP correlation of shared documents"),
        say("As tau, but differences at the top weigh more; the mean of both directions."),
        r"\frac{2}{n-1} \sum_{i=2}^{n} \frac{C_i}{i-1} - 1",
        "Yilmaz, Aslam and Robertson, SIGIR 2008; Urbano and Marrero, ICTIR 2017",
    )
    yield Term(
        "overlap",
        say("Overlap at {k}", k="k"),
        say("The share of the first k documents that both lists have."),
        r"\frac{|A_k \cap B_k|}{k}",
        "",
    )
    yield Term(
        "jaccard",
        say("Jaccard index at {k}", k="k"),
        say("The documents among the first k of both lists, over those of either."),
        r"\frac{|A_k \cap B_k|}{|A_k \cup B_k|}",
        "",
    )
