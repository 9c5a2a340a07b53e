"""The sections of two rankings without judgments: how alike they are, and where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl

from rankreport.frames import QUERY_ID, TEXT
from rankreport.labels import RankingComparison
from rankreport.reports.page import LONGEST_ID, Figures, Section
from rankreport.reports.sections._parts import as_listed, picture
from rankreport.tables import Table, to_table
from rankreport.text import MISSING, both_ends, counted, percent, say, short, visible

__all__ = ["ranking_sections", "ranking_title"]

_MOST_QUERIES = 10
"""Queries in the table of those that differ most."""

_SIDE_BY_SIDE = 5
"""Queries whose lists are shown."""

_MOST_DOCUMENTS = 10
"""Documents of each list."""


def ranking_title(found: RankingComparison) -> str:
    """Return the default title of a report on two rankings."""
    one, other = found.names
    return say("{one} and {other}: how alike they rank", one=one, other=other)


def ranking_sections(
    found: RankingComparison, queries: pl.DataFrame | None = None
) -> Iterable[Section]:
    """Yield how alike two rankings are at which depth, and the queries on which they differ most.

    Parameters
    ----------
    found
        The comparison.
    queries
        Query metadata, whose texts are shown; or None.
    """
    yield Section(
        "alike",
        say("How alike are the two rankings?"),
        (found.sentence, *_about_depth(found), _what_it_means(found)),
        (found._shown(), picture(found.plot())),
        figures=(
            Figures("rankings", found.summary()),
            Figures("rankings_by_depth", found.by_depth(), ("measure",)),
        ),
    )
    different = _with_texts(found.most_different(_MOST_QUERIES), queries)
    yield Section(
        "differing",
        say("On which queries do they differ most?"),
        (_about_queries(found),),
        (_queries_table(found, different), *_lists(found, different)),
        figures=(Figures("rankings_per_query", found.per_query()),),
    )


def _about_depth(found: RankingComparison) -> Iterator[str]:
    """Say whether the rankings agree more at the top or further down."""
    overlap = found.by_depth().filter(pl.col("measure") == "overlap")
    k = found.settings["k"][0]
    known = dict(overlap.select("k", "mean").iter_rows())
    deepest = max(known)
    if 1 in known and deepest > k:
        yield say(
            "The first document is the same for {first} of the queries; of all documents down to "
            "rank {deepest}, {all} are shared.",
            first=percent(round(known[1], 2)),
            deepest=f"{deepest:,}",
            all=percent(round(known[deepest], 2)),
        )


def _what_it_means(found: RankingComparison) -> str:
    return say(
        "Rank-biased overlap weighs agreement by depth as a reader does who goes on to the next "
        "document with probability {p}: 1 means equal rankings, 0 means no document in common. "
        "There are no judgments, so none of this says which ranking is better.",
        p=f"{found.settings['p']:g}",
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


def _with_texts(rows: pl.DataFrame, queries: pl.DataFrame | None) -> pl.DataFrame:
    if queries is None or TEXT not in queries.columns:
        return rows
    texts = queries.select(QUERY_ID, TEXT)
    return rows.join(texts, on=QUERY_ID, how="left", maintain_order="left")


def _queries_table(found: RankingComparison, different: pl.DataFrame) -> Table:
    k = found.settings["k"][0]
    columns = {
        QUERY_ID: say("query"),
        "rbo": say("rank-biased overlap"),
        f"overlap@{k}": say("overlap at {k}", k=k),
        "tau_b": say("Kendall's tau-b"),
        "n_shared": say("shared documents"),
        TEXT: say("text"),
    }
    kept = [name for name in columns if name in different.columns]
    return to_table(
        as_listed(different.select(kept)),
        headers=[columns[name] for name in kept],
        caption=say("The queries with the lowest rank-biased overlap"),
    )


def _lists(found: RankingComparison, different: pl.DataFrame) -> Iterator[Table]:
    """Yield the lists of the queries that differ most, side by side."""
    one, other = (short(name) for name in found.names)
    for row in different.head(_SIDE_BY_SIDE).iter_rows(named=True):
        lists = found.side_by_side(row[QUERY_ID], _MOST_DOCUMENTS)
        words = both_ends(row[QUERY_ID], LONGEST_ID)
        text = visible(row.get(TEXT) or "", LONGEST_ID)
        yield Table(
            (
                say("rank"),
                one,
                say("rank in {name}", name=other),
                other,
                say("rank in {name}", name=one),
            ),
            tuple(
                (
                    str(rank),
                    MISSING if doc_a is None else both_ends(doc_a, LONGEST_ID),
                    _rank(in_b, doc_a),
                    MISSING if doc_b is None else both_ends(doc_b, LONGEST_ID),
                    _rank(in_a, doc_b),
                )
                for rank, doc_a, in_b, doc_b, in_a in lists.iter_rows()
            ),
            frozenset({0, 2, 4}),
            say("{query}: {text}", query=words, text=text) if text else words,
        )


def _rank(rank: int | None, document: str | None) -> str:
    """Return a document's rank in the other list; nothing where there is no document."""
    if document is None:
        return ""
    return MISSING if rank is None else f"{rank:,}"
