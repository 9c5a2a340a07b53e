"""The section on the hardest queries, in reports without a comparison."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from rankreport.errors import DataError, OptionError
from rankreport.evaluation import Evaluation, hardest_rows, least_relevant
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM, TEXT, VALUE
from rankreport.io import TITLE
from rankreport.reports.content import Content
from rankreport.reports.page import LONGEST_ID, Figures, Section
from rankreport.reports.sections._parts import described, with_text_last
from rankreport.reports.sections.drilldown import Texts, of_first_runs
from rankreport.tables import Table
from rankreport.text import both_ends, comma_separated, say, separated, visible

HARDEST_SECTION = "hardest"
"""The id of the section."""

_SHOWN = 10
"""The number of queries listed per system."""

MOST_SYSTEMS = 3
"""With more systems, only the best system's hardest queries are listed."""

_RELEVANT_NAMED = 5
"""The number of relevant documents named per query."""

_FIRST = 3
"""The number of documents named that were returned first, where texts are known."""

_LONGEST_TITLE = 60
"""The maximum length of a title of a document."""


def hardest_of(content: Content) -> Iterable[Section]:
    """Yield the section on the hardest queries, in a report without a comparison."""
    evaluation = content.evaluation
    if content.comparison is not None:
        return
    hardest = {
        system: hardest_rows(evaluation, _SHOWN, system) for system in hardest_systems(evaluation)
    }
    if not hardest:
        return
    rows = pl.concat(hardest.values())
    relevant = _relevant(evaluation, rows)
    returned = None if content.corpus is None else _returned(evaluation, rows)
    known = [
        each.group_by(SYSTEM, QUERY_ID).head(_RELEVANT_NAMED).select(DOC_ID)
        for each in (relevant, returned)
        if each is not None
    ]
    texts = Texts.of(content.corpus, pl.concat(known) if known else None)
    words = [of_first_runs()] if evaluation.n_repeats else []
    if relevant is not None:
        words.append(say("Each query is listed with its relevant documents and their ranks."))
    if returned is not None and len(returned):
        unjudged = f"{returned[RELEVANCE].null_count():,}"
        words.append(
            say(
                "Of the documents returned first for these, {n} of {all} are unjudged.",
                n=unjudged,
                all=f"{len(returned):,}",
            )
        )
    words += texts.notes
    yield Section(
        HARDEST_SECTION,
        say("Hardest queries"),
        tuple(words),
        tuple(
            _table(content, system, each, _Documents(relevant, returned, texts))
            for system, each in hardest.items()
        ),
        figures=tuple(_figures(rows, relevant)),
        linked=True,
    )


def hardest_systems(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the systems whose hardest queries are listed."""
    systems = evaluation.systems
    if len(systems) > MOST_SYSTEMS:
        systems = (evaluation.best_system(),)
    return tuple(system for system in systems if has_hardest(evaluation, system))


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
        named = shown.group_by(of_query, maintain_order=True).head(_RELEVANT_NAMED)
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
        found = evaluation.relevant(rows[QUERY_ID].unique(), rel)
    except DataError:  # a loaded evaluation has no documents
        return None
    return found.join(rows, on=[SYSTEM, QUERY_ID], how="semi", maintain_order="left")


def _returned(evaluation: Evaluation, rows: pl.DataFrame) -> pl.DataFrame | None:
    """Return the first documents of the lists of these queries, or None if unknown."""
    systems = rows[SYSTEM].unique(maintain_order=True)
    try:
        found = evaluation.documents(rows[QUERY_ID].unique(), _FIRST, systems=systems)
    except OptionError:  # as above
        return None
    return found.join(rows, on=[SYSTEM, QUERY_ID], how="semi", maintain_order="left")


class _Documents(NamedTuple):
    """The relevant documents of the queries, the first ones returned, and their texts."""

    relevant: pl.DataFrame | None
    returned: pl.DataFrame | None
    texts: Texts

    def named(self, document: str) -> str:
        """Return the id of a document with its title, or the begin of its text."""
        held = self.texts.rows.get(document, {})
        title = (held.get(TITLE) or held.get(TEXT) or "").strip()
        name = both_ends(document, LONGEST_ID)
        if not title:
            return name
        return say("{document}: {title}", document=name, title=visible(title, _LONGEST_TITLE))


def _table(content: Content, system: str, rows: pl.DataFrame, documents: _Documents) -> Table:
    """Return the table of the queries, with their texts and documents if known."""
    primary, listed = content.evaluation.primary, with_text_last(rows, content.queries)
    for name, found, in_words in (
        ("relevant", documents.relevant, _in_words),
        ("returned", documents.returned, _first_in_words),
    ):
        if found is not None:
            by_query = found.filter(pl.col(SYSTEM) == system).partition_by(QUERY_ID, as_dict=True)
            of_each = (by_query.get((query,), found.clear()) for query in rows[QUERY_ID])
            named = [in_words(each, documents) for each in of_each]
            listed = listed.with_columns(pl.Series(name, named, pl.String))
    columns = {
        QUERY_ID: (say("query"), say("the id of the query")),
        TEXT: (say("text"), say("the text of the query")),
        VALUE: (primary.shown, say(primary.declaration.title)),
        "relevant": (
            say("relevant documents"),
            say("the relevant documents, and where the system returned them"),
        ),
        "returned": (
            say("returned first"),
            say("the first documents of its list, and their grades"),
        ),
    }
    caption = say("Hardest queries for {system}", system=system)
    return described(listed, columns, caption=caption)


def _in_words(relevant: pl.DataFrame, documents: _Documents) -> str:
    """List a query's relevant documents with their ranks."""
    if relevant.is_empty():
        return say("none judged relevant")
    n_found = relevant[RANK].count()
    named = [
        _place(documents.named(row[DOC_ID]), row[RELEVANCE], row[RANK])
        for row in relevant.head(_RELEVANT_NAMED).iter_rows(named=True)
    ]
    if len(relevant) > _RELEVANT_NAMED:
        named.append(say("and {n} more", n=len(relevant) - _RELEVANT_NAMED))
    returned = say("{n} of {all} returned", n=n_found, all=len(relevant))
    listed = separated("; ", named) if documents.texts.rows else comma_separated(named)
    return say("{returned}: {documents}", returned=returned, documents=listed)


def _place(document: str, grade: float, rank: int | None) -> str:
    fields = {"document": document, "grade": f"{grade:g}", "rank": rank}
    if rank is None:
        return say("{document} (grade {grade}) not returned", **fields)
    return say("{document} (grade {grade}) at rank {rank}", **fields)


def _first_in_words(returned: pl.DataFrame, documents: _Documents) -> str:
    """List the first documents of a query's list, with their grades."""
    if returned.is_empty():
        return say("nothing returned")
    named = (
        say("{document} (unjudged)", document=documents.named(row[DOC_ID]))
        if row[RELEVANCE] is None
        else say(
            "{document} (grade {grade})",
            document=documents.named(row[DOC_ID]),
            grade=f"{row[RELEVANCE]:g}",
        )
        for row in returned.iter_rows(named=True)
    )
    return separated("; ", named)
