"""The sections on queries: wins and losses with both document lists, and all queries.

If there are too many queries to list, they are written to files next to the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple

import polars as pl

from rankreport.comparison import Comparison, Pair, systems_of
from rankreport.errors import OptionError
from rankreport.evaluation import least_relevant
from rankreport.frames import BASELINE, DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM, TEXT
from rankreport.measures import TIES, Measure
from rankreport.reports.content import Content
from rankreport.reports.page import (
    Change,
    Figures,
    Group,
    Lists,
    Part,
    Place,
    Section,
    TopList,
)
from rankreport.reports.sections._parts import (
    as_listed,
    pairs_shown,
    with_texts,
)
from rankreport.tables import Table, to_table
from rankreport.text import counted, paragraph, say, short

__all__ = [
    "LOSSES",
    "QUERY_SECTION",
    "both_lists",
    "changes_of",
    "depth",
    "queries_of",
    "side_by_side",
    "side_files",
]


_SHOWN_QUERIES = 10
"""The number of biggest wins and of biggest losses listed."""


_MOST_PAIRS = 3
"""With more pairs, only the leading one has a section of its own."""


_SOME_QUERIES = 3
"""The number of wins and of losses with documents, for pairs other than the leading one."""


QUERY_SECTION = "queries-"
"""Prefix of the id of a pair's section; the index of the pair follows."""


LOSSES = "losses-"
"""Prefix of the id of a pair's table of losses; the index of the pair follows."""


def changes_of(content: Content) -> Iterable[Section]:
    """Yield a section per pair: the biggest wins and losses, with both document lists.

    With many pairs, the leading one has a section, and the others share one.
    """
    comparison = content.comparison
    if comparison is None:
        return
    full = _in_full(comparison)
    documents = _documents(content, full)
    for changes in full:
        yield _section(content, changes, documents)
    shown_pairs = [changes.pair for changes in full]
    others = [_Changes(comparison, pair) for pair in comparison.pairs if pair not in shown_pairs]
    if others:
        title = say("Where do the other systems win and lose?")
        shown = tuple(filter(None, (_folded(content, changes) for changes in others)))
        figures = tuple(changes.figures for changes in others)
        yield Section(f"{QUERY_SECTION}others", title, (), shown, figures=figures)


@dataclass(frozen=True)
class _Changes:
    """The queries on which one pair of systems differs most."""

    comparison: Comparison
    pair: Pair

    @cached_property
    def biggest(self) -> dict[str, pl.DataFrame]:
        """The listed wins and losses, the biggest first."""
        named = self.pair._asdict()
        return {
            "wins": self.comparison.wins(**named).head(_SHOWN_QUERIES),
            "losses": self.comparison.losses(**named).head(_SHOWN_QUERIES),
        }

    @property
    def n_opened(self) -> int:
        """The number of wins and of losses with documents."""
        return _SHOWN_QUERIES if self.pair == self.comparison.leading() else _SOME_QUERIES

    @property
    def opened(self) -> dict[str, pl.DataFrame]:
        """The wins and losses with documents."""
        return {side: changes.head(self.n_opened) for side, changes in self.biggest.items()}

    @property
    def queries(self) -> list[str]:
        """The queries with documents."""
        return [query for changes in self.opened.values() for query in changes[QUERY_ID]]

    @property
    def place(self) -> int:
        """The index of the pair."""
        return self.comparison.pairs.index(self.pair)

    @property
    def figures(self) -> Figures:
        """The figures of the listed queries."""
        return Figures("deltas", pl.concat(self.biggest.values()), by=(BASELINE, SYSTEM))


def _in_full(comparison: Comparison) -> list[_Changes]:
    """Return the changes of the pairs that have a section of their own."""
    return [_Changes(comparison, pair) for pair in pairs_shown(comparison, _MOST_PAIRS)]


def _documents(content: Content, full: Sequence[_Changes]) -> pl.DataFrame | None:
    queries = [query for changes in full for query in changes.queries]
    systems, k = systems_of(changes.pair for changes in full), depth(content.evaluation.primary)
    try:
        return content.evaluation.documents(queries, k, systems=systems)
    except OptionError:  # the evaluation was loaded without documents
        return None


def _section(content: Content, changes: _Changes, documents: pl.DataFrame | None) -> Section:
    comparison, pair = changes.comparison, changes.pair
    parts: list[Part] = list(_tables(content, changes))
    figures = [changes.figures]
    if documents is not None:
        lists = both_lists(documents, changes.queries, pair)
        if parts:
            parts.append(side_by_side(content, comparison, pair, changes.opened, lists))
        figures.append(Figures("documents", lists, by=(BASELINE, SYSTEM, QUERY_ID)))
    title = say("Where does {system} win and lose?", system=pair.system)
    if comparison.one_baseline is None:
        title = say("Where does {system} win and lose against {baseline}?", **pair._asdict())
    return Section(
        f"{QUERY_SECTION}{changes.place}",
        title,
        (),
        tuple(parts),
        figures=tuple(figures),
    )


def _tables(content: Content, changes: _Changes) -> Iterable[Table]:
    """Yield the tables of the biggest wins and losses that are not empty."""
    measure = changes.comparison.primary
    captions = {
        "wins": say("Biggest wins, {measure}", measure=measure),
        "losses": say("Biggest losses, {measure}", measure=measure),
    }
    for side, listed in changes.biggest.items():
        if not listed.is_empty():
            table = _table(content, listed, captions[side])
            yield replace(table, anchor=f"{side}-{changes.place}")


def _folded(content: Content, changes: _Changes) -> Table | None:
    """Return the biggest wins and losses as one collapsed table, or None if there are none."""
    both = pl.concat(changes.biggest.values())
    if both.is_empty():
        return None
    caption = say("Biggest wins and losses, {measure}", measure=changes.comparison.primary)
    in_order = both.sort("delta", descending=True, maintain_order=True)
    return _table(content, in_order, caption, changes.comparison.labels[changes.pair])


def _table(content: Content, changes: pl.DataFrame, caption: str, folded: str = "") -> Table:
    listed = as_listed(with_texts(changes.drop(BASELINE, SYSTEM), content))
    # The most important columns come first, for narrow screens.
    headers = {
        QUERY_ID: say("query"),
        TEXT: say("text"),
        "delta": say("delta"),
        "score_baseline": say("baseline"),
        "score_system": say("system"),
    }
    shown = listed.select(name for name in headers if name in listed.columns)
    return to_table(
        shown, headers=[headers[name] for name in shown.columns], caption=caption, folded=folded
    )


_SHOWN_DOCUMENTS = 10
"""The number of documents shown per list, unless the measure's cut-off is smaller."""


_RANKS = tuple(f"rank_{side}" for side in Pair._fields)


def depth(measure: Measure) -> int:
    """Return the number of documents to show per list."""
    return min(_SHOWN_DOCUMENTS, measure.k or _SHOWN_DOCUMENTS)


def both_lists(documents: pl.DataFrame, queries: Sequence[str], pair: Pair) -> pl.DataFrame:
    """Return the documents of both lists with their ranks, the baseline's first."""
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
    """Return the documents of these queries and systems, in this order."""
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
    """Return `both_lists` of the wins and of the losses, side by side."""
    by_query = lists.rows_by_key(QUERY_ID, named=True)
    headings = {"wins": say("Wins, side by side"), "losses": say("Losses, side by side")}
    groups = []
    for side, heading in headings.items():
        shown = tuple(
            _change(row, pair, by_query.get(row[QUERY_ID], []), comparison.primary)
            for row in with_texts(changes[side], content).iter_rows(named=True)
        )
        if shown:
            groups.append(Group(heading, shown))
    return Lists(_words(comparison, content), str(comparison.primary), tuple(groups))


def _words(comparison: Comparison, content: Content) -> str:
    words = say(
        "Open a query to see the first {k} documents of both systems. A ✓ marks relevant "
        "documents; unjudged documents count as not relevant. The last column gives a "
        "document's rank in the other system if it differs: new and out mean that it is not "
        "among the first {k} there.",
        k=depth(comparison.primary),
    )
    if TIES[content.evaluation.settings["ties"]].expected:
        words = paragraph(
            words, say("Documents with equal scores are shown in one of their possible orders.")
        )
    return words


def _change(
    row: dict[str, Any], pair: Pair, documents: Sequence[dict[str, Any]], primary: Measure
) -> Change:
    """Return one query with the documents of both lists."""
    before, after = (_places(documents, sides, primary) for sides in (_RANKS, _RANKS[::-1]))
    return Change(
        query=row[QUERY_ID],
        text=row.get(TEXT) or "",
        delta=row["delta"],
        before=TopList(pair.baseline, row["score_baseline"], before, row["unjudged_baseline"]),
        after=TopList(pair.system, row["score_system"], after, row["unjudged_system"]),
    )


def _places(
    documents: Sequence[dict[str, Any]], sides: Sequence[str], primary: Measure
) -> tuple[Place, ...]:
    """Return the documents of the first side's list, with their ranks in the other one."""
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


MOST_ROWS = 2000
"""The maximum number of rows on a page, over all tables of queries."""

SOME_ROWS = 500
"""The number of rows per table if there are more than `MOST_ROWS`."""

MOST_TABLES = 10
"""The maximum number of tables of queries; with more pairs or systems, only one is listed."""

ENDING = ".per-query"
"""The ending of the names of the files next to a page, before .parquet and .csv."""


def queries_of(content: Content) -> Iterable[Section]:
    """Yield the section that lists every query, the largest change first."""
    comparison, extent = content.comparison, _Extent.of(content)
    listed = (
        _of_systems(content, extent)
        if comparison is None
        else _of_pairs(content, comparison, extent)
    )
    tables, figures = zip(*listed, strict=True)
    yield Section(
        "all-queries",
        say("All queries"),
        (paragraph(*_order_and_choice(content, extent), *_of_page(content, extent)),),
        tables,
        figures=figures,
    )


def side_files(content: Content) -> Mapping[str, pl.DataFrame]:
    """Return the files to write next to a page that cannot list every query.

    Returns
    -------
    mapping of str to DataFrame
        Frames by the ending of the file name, which follows the stem of the page's: every query of
        every pair on the primary measure (of every system on every measure, without a comparison),
        with its text if known. Empty if the page lists all queries.
    """
    if _Extent.of(content).all_listed:
        return {}
    comparison = content.comparison
    rows = content.evaluation.per_query() if comparison is None else comparison.deltas()
    whole = with_texts(rows, content)
    return {f"{ENDING}.parquet": whole, f"{ENDING}.csv": whole}


class _Extent(NamedTuple):
    """The number of queries, and how many of them a page lists.

    Attributes
    ----------
    n_whole
        Number of pairs, or of systems without a comparison.
    n_queries
        Number of queries of each.
    """

    n_whole: int
    n_queries: int

    @classmethod
    def of(cls, content: Content) -> _Extent:
        evaluation, comparison = content.evaluation, content.comparison
        counts = evaluation.per_query().group_by(SYSTEM).len()["len"]
        whole = evaluation.systems if comparison is None else comparison.pairs
        return cls(len(whole), max(counts.to_list(), default=0))

    @property
    def n_tables(self) -> int:
        """The number of pairs or systems listed: all if they fit, whole or cut, else one."""
        whole_fit = self.n_whole <= MOST_TABLES and self.n_whole * self.n_queries <= MOST_ROWS
        return self.n_whole if whole_fit or self.n_whole * SOME_ROWS <= MOST_ROWS else 1

    @property
    def cut(self) -> bool:
        """Whether listed tables leave out queries."""
        return self.n_tables * self.n_queries > MOST_ROWS

    @property
    def all_listed(self) -> bool:
        return self.n_tables == self.n_whole and not self.cut

    def listed(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of a table that are listed."""
        return rows.head(SOME_ROWS) if self.cut else rows


def _order_and_choice(content: Content, extent: _Extent) -> Iterable[str]:
    """Yield sentences on the order, and on which pair or system is listed if not all are."""
    n = extent.n_whole
    if content.comparison is not None:
        yield say("The largest changes come first.")
        if extent.n_tables < n:
            yield say("Of {n} pairs, the one of the verdict is listed.", n=n)
        return
    yield (
        say("The highest scores come first.")
        if _falling(content)
        else say("The lowest scores come first.")
    )
    if extent.n_tables < n:
        yield say("Of {n} systems, the one with the best mean is listed.", n=n)


def _of_page(content: Content, extent: _Extent) -> Iterable[str]:
    """Yield sentences on what the page leaves out, and where to find it."""
    if extent.cut:
        if content.comparison is not None:
            yield say("The {n} largest are listed.", n=SOME_ROWS)
        elif _falling(content):
            yield say("The {n} highest are listed.", n=SOME_ROWS)
        else:
            yield say("The {n} lowest are listed.", n=SOME_ROWS)
    if not extent.all_listed:
        yield say(
            "Every query of every system is in the files written next to the report, whose "
            "names end in {ending}.parquet and {ending}.csv.",
            ending=ENDING,
        )


def _falling(content: Content) -> bool:
    """Return whether high scores are the worst and come first, without a comparison."""
    return content.evaluation.primary.declaration.better == "low"


def _of_pairs(
    content: Content, comparison: Comparison, extent: _Extent
) -> Iterable[tuple[Table, Figures]]:
    for pair in pairs_shown(comparison, extent.n_tables):
        deltas = comparison.deltas(**pair._asdict())
        # A stable sort: equal changes keep the deterministic order of `deltas`.
        by_size = deltas["delta"].abs()
        every = deltas.sort(by_size, descending=True, nulls_last=True, maintain_order=True)
        rows = extent.listed(every)
        caption = say(
            "{measure}, {system} minus {baseline}",
            measure=comparison.primary,
            **pair._asdict(),
        )
        headers = (say("query"), *_sides(pair), say("delta"))
        table = _listed(rows.drop(BASELINE, SYSTEM), content, headers, caption, pair.system)
        counted_rows = comparison.with_unjudged(rows, pair)
        figures = Figures("deltas", counted_rows, by=(BASELINE, SYSTEM))
        yield table, figures


def _sides(pair: Pair) -> tuple[str, str]:
    """Return the names of a pair's systems, shortened unless they would become equal."""
    baseline, system = short(pair.baseline), short(pair.system)
    return (pair.baseline, pair.system) if baseline == system else (baseline, system)


def _of_systems(content: Content, extent: _Extent) -> Iterable[tuple[Table, Figures]]:
    evaluation, primary = content.evaluation, str(content.evaluation.primary)
    falling = [_falling(content), False]
    whole = extent.n_tables == extent.n_whole
    for system in evaluation.systems if whole else [evaluation.best_system()]:
        rows = evaluation.per_query().filter(system=system)
        hardest = rows.sort(primary, QUERY_ID, descending=falling, nulls_last=True)
        some = extent.listed(hardest)
        shown = some.select(QUERY_ID, primary, pl.exclude(SYSTEM, QUERY_ID, primary))
        caption = say(
            "{measure} and the other measures of {system}", measure=primary, system=system
        )
        headers = (say("query"), *shown.columns[1:])
        table = _listed(shown, content, headers, caption, system)
        yield table, Figures("scores", some, by=(SYSTEM,))


def _listed(
    rows: pl.DataFrame, content: Content, headers: Sequence[str], caption: str, of: str
) -> Table:
    """Return rows as a collapsed table."""
    shown = as_listed(with_texts(rows, content))
    words = counted(len(rows), "query", "queries")
    return to_table(
        shown,
        headers=(*headers, *((say("text"),) if TEXT in shown.columns else ())),
        caption=caption,
        folded=say("{queries} of {system}", queries=words, system=short(of)),
    )
