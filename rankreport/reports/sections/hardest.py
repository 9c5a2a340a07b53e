"""The section on the hardest queries, in reports without a comparison."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation import Evaluation, least_relevant
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM, TEXT, VALUE
from rankreport.reports.content import Content
from rankreport.reports.page import LONGEST_ID, Figures, Section
from rankreport.reports.sections._parts import as_listed, with_text_last
from rankreport.tables import Table, to_table
from rankreport.text import both_ends, say, strung

__all__ = ["HARDEST_SECTION", "hardest_of", "has_hardest"]

HARDEST_SECTION = "hardest"
"""The id of the section."""

_SHOWN = 10
"""The number of queries listed per system."""

_MOST_SYSTEMS = 3
"""With more systems, only the best system's hardest queries are listed."""

_NAMED = 5
"""The number of relevant documents named per query."""


def hardest_of(content: Content) -> Iterable[Section]:
    """Yield the section on the hardest queries, in a report without a comparison."""
    evaluation = content.evaluation
    if content.comparison is not None:
        return
    systems = evaluation.systems
    if len(systems) > _MOST_SYSTEMS:
        systems = (evaluation.best_system(),)
    hardest = {
        system: evaluation._hardest(_SHOWN, system)
        for system in systems
        if has_hardest(evaluation, system)
    }
    if not hardest:
        return
    relevant = _relevant(evaluation, pl.concat(hardest.values()))
    words = []
    if relevant is not None:
        words.append(say("Each query is listed with its relevant documents and their ranks."))
    yield Section(
        HARDEST_SECTION,
        say("Hardest queries"),
        tuple(words),
        tuple(_table(content, system, rows, relevant) for system, rows in hardest.items()),
        figures=tuple(_figures(pl.concat(hardest.values()), relevant)),
    )


def _figures(hardest: pl.DataFrame, relevant: pl.DataFrame | None) -> Iterable[Figures]:
    """Yield the queries, and their relevant documents with counts if known."""
    of_query = (SYSTEM, QUERY_ID)
    if relevant is not None:
        counts = relevant.group_by(of_query).agg(
            n_relevant=pl.len(), n_returned=pl.col(RANK).count()
        )
        counted = pl.col("n_relevant", "n_returned").fill_null(0)
        hardest = hardest.join(counts, on=of_query, how="left", maintain_order="left")
        hardest = hardest.with_columns(counted)
        shown = relevant.join(hardest, on=of_query, how="semi", maintain_order="left")
        named = shown.group_by(of_query, maintain_order=True).head(_NAMED)
        yield Figures("relevant", named, by=of_query)
    yield Figures("hardest", hardest, by=(SYSTEM,))


def has_hardest(evaluation: Evaluation, system: str) -> bool:
    """Return whether a system's values of the primary measure vary over queries."""
    if evaluation.primary.declaration.better == "neither":
        return False
    values = evaluation.per_query().filter(pl.col(SYSTEM) == system)[str(evaluation.primary)]
    return values.drop_nulls().n_unique() > 1


def _relevant(evaluation: Evaluation, rows: pl.DataFrame) -> pl.DataFrame | None:
    """Return the relevant documents of these queries, or None if unknown."""
    rel = least_relevant(evaluation.primary)
    try:
        return evaluation.relevant(rows[QUERY_ID].unique(), rel)
    except DataError:  # a loaded evaluation has no documents
        return None


def _table(
    content: Content, system: str, rows: pl.DataFrame, relevant: pl.DataFrame | None
) -> Table:
    """Return the table of the queries, with their texts and relevant documents if known."""
    listed = as_listed(with_text_last(rows, content.queries))
    columns = {say("query"): listed[QUERY_ID]}
    if TEXT in listed.columns:
        columns[say("text")] = listed[TEXT]
    columns[content.evaluation.primary.shown] = rows[VALUE]
    if relevant is not None:
        of_system = relevant.filter(pl.col(SYSTEM) == system)
        named = [_in_words(of_system.filter(pl.col(QUERY_ID) == query)) for query in rows[QUERY_ID]]
        columns[say("relevant documents")] = pl.Series(named, dtype=pl.String)
    frame = pl.DataFrame(list(columns.values()), schema=list(map(str, range(len(columns)))))
    caption = say("Hardest queries for {system}", system=system)
    table = to_table(frame, headers=list(columns), caption=caption)
    returned = say("the relevant documents, and where the system returned them")
    known = {
        say("query"): say("the id of the query"),
        say("text"): say("the text of the query"),
        str(content.evaluation.primary): say(content.evaluation.primary.declaration.title),
        say("relevant documents"): returned,
    }
    return replace(table, help=tuple(known[name] for name in columns))


def _in_words(documents: pl.DataFrame) -> str:
    """List a query's relevant documents with their ranks."""
    if documents.is_empty():
        return say("none judged relevant")
    n_found = documents[RANK].count()
    named = [
        _place(row[DOC_ID], row[RELEVANCE], row[RANK])
        for row in documents.head(_NAMED).iter_rows(named=True)
    ]
    if len(documents) > _NAMED:
        named.append(say("and {n} more", n=len(documents) - _NAMED))
    returned = say("{n} of {all} returned", n=n_found, all=len(documents))
    return say("{returned}: {documents}", returned=returned, documents=strung(named))


def _place(document: str, grade: float, rank: int | None) -> str:
    fields = {"document": both_ends(document, LONGEST_ID), "grade": f"{grade:g}", "rank": rank}
    if rank is None:
        return say("{document} (grade {grade}) not returned", **fields)
    return say("{document} (grade {grade}) at rank {rank}", **fields)
