"""What both systems returned for a query, list beside list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import polars as pl

from rankreport.columns import DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM, TEXT
from rankreport.comparison import Comparison
from rankreport.levelling import least_relevant
from rankreport.measures import Measure
from rankreport.pairing import Pair
from rankreport.rendering.context import Change, Group, Lists, Place, TopList
from rankreport.rendering.language import say
from rankreport.rendering.text import paragraph
from rankreport.sections.content import Content
from rankreport.sections.parts import with_texts

__all__ = ["both_lists", "depth", "side_by_side"]

_SHOWN_DOCUMENTS = 10
"""How many documents of each list are shown; fewer where the measure looks at fewer."""

_RANKS = tuple(f"rank_{side}" for side in Pair._fields)


def depth(measure: Measure) -> int:
    """Return how many documents of each list are shown."""
    return min(_SHOWN_DOCUMENTS, measure.k or _SHOWN_DOCUMENTS)


def both_lists(documents: pl.DataFrame, queries: Sequence[str], pair: Pair) -> pl.DataFrame:
    """Return the documents of both lists with their places: the baseline's, then the other ones."""
    document = [QUERY_ID, DOC_ID, RELEVANCE]
    lists = _of_lists(documents, queries, pair)
    before, after = (
        lists.filter(pl.col(SYSTEM) == name).select(*document, pl.col(RANK).alias(rank))
        for rank, name in zip(_RANKS, pair, strict=True)
    )
    return before.join(
        after, on=document, how="full", nulls_equal=True, coalesce=True, maintain_order="left_right"
    ).select(*(pl.lit(name).alias(side) for side, name in pair._asdict().items()), pl.all())


def _of_lists(documents: pl.DataFrame, queries: Sequence[str], systems: Pair) -> pl.DataFrame:
    """Return those of these lists, in the order in which they would be asked for."""
    names = pl.DataFrame({QUERY_ID: queries}, schema={QUERY_ID: pl.String})
    lists = names.join(pl.DataFrame({SYSTEM: systems}), how="cross")
    found = lists.join(documents, on=[QUERY_ID, SYSTEM], maintain_order="left_right")
    return found.select(documents.columns)


def side_by_side(
    content: Content,
    comparison: Comparison,
    pair: Pair,
    changes: Mapping[str, pl.DataFrame],
    lists: pl.DataFrame,
) -> Lists:
    """Return what stands in `both_lists` for the queries of the wins, and of the losses."""
    by_query = lists.rows_by_key(QUERY_ID, named=True)
    headings = {"wins": say("The wins, list by list"), "losses": say("The losses, list by list")}
    groups = []
    for side, heading in headings.items():
        told = tuple(
            _change(row, pair, by_query.get(row[QUERY_ID], []), comparison.primary)
            for row in with_texts(changes[side], content).iter_rows(named=True)
        )
        if told:
            groups.append(Group(heading, told))
    return Lists(_words(comparison, content), str(comparison.primary), tuple(groups))


def _words(comparison: Comparison, content: Content) -> str:
    words = say(
        "Open a query for the first {k} documents of both systems. A ✓ marks those that are "
        "relevant; what nobody judged counts as not relevant. Beside each document stands where "
        "the other system has it, unless that is the same place: new and out mean that it is not "
        "among the first {k} there.",
        k=depth(comparison.primary),
    )
    if content.evaluation.settings["ties"] == "expected":
        words = paragraph(words, say("Documents of equal scores are shown in one of their orders."))
    return words


def _change(
    row: dict[str, Any], pair: Pair, documents: Sequence[dict[str, Any]], primary: Measure
) -> Change:
    """Return what one query shows, given the documents of both its lists."""
    before, after = (_places(documents, sides, primary) for sides in (_RANKS, _RANKS[::-1]))
    return Change(
        query=row[QUERY_ID],
        text=row.get(TEXT) or "",
        delta=row["delta"],
        before=TopList(pair.baseline, row["score_baseline"], before),
        after=TopList(pair.system, row["score_system"], after),
    )


def _places(
    documents: Sequence[dict[str, Any]], sides: Sequence[str], primary: Measure
) -> tuple[Place, ...]:
    """Return the places of the first side's list, with those that the other one has instead."""
    own, other = sides
    listed = (row for row in documents if row[own] is not None)
    return tuple(
        Place(
            rank=row[own],
            document=row[DOC_ID],
            grade=row[RELEVANCE],
            relevant=row[RELEVANCE] is not None and row[RELEVANCE] >= least_relevant(primary),
            elsewhere=row[other],
        )
        for row in sorted(listed, key=itemgetter(own))
    )
