"""The section that lists every query, to sort, to filter, and to lead to from charts.

If there are too many queries for a page, it lists the largest losses and wins, and all are written
to files next to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from rankreport.comparison import MAINLY, REASON, ComparedPair, Comparison, Pair
from rankreport.errors import RankReportError
from rankreport.frames import BASELINE, QUERY_ID, SYSTEM, TEXT
from rankreport.reports.content import Content
from rankreport.reports.formats import PER_QUERY, PER_QUERY_FILES
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import described, is_many, pairs_shown, said, with_text_last
from rankreport.tables import Table
from rankreport.text import counted, paragraph, say

ALL_QUERIES = "all-queries"
"""The id of the section."""

MOST_ROWS = 2000
"""The maximum number of rows on a page, over all tables of queries."""

SOME_ROWS = 500
"""The number of rows per table if there are more than `MOST_ROWS`."""

MOST_TABLES = 10
"""The maximum number of tables of queries; with more pairs or systems, only one is listed."""


def queries_of(content: Content) -> Iterable[Section]:
    """Yield the section that lists every query, the largest change first."""
    comparison, extent = content.comparison, _Extent.of(content)
    listed = (
        _of_systems(content, extent)
        if comparison is None
        else _of_pairs(content, comparison, extent)
    )
    tables, figures = zip(*listed, strict=True)
    title = say("All queries")
    yield Section(
        ALL_QUERIES,
        title,
        (paragraph(*_order_and_choice(content, extent), *_of_page(content, extent)),),
        tuple(_with_keys_once(tables)),
        figures=figures,
        folded=title,
    )


def is_cut(content: Content) -> bool:
    """Return whether a page lists only the queries that change most."""
    return _Extent.of(content).cut


def side_files(content: Content) -> Mapping[str, pl.DataFrame]:
    """Return the files to write next to a page that cannot list every query.

    Returns
    -------
    mapping of str to DataFrame
        Frames by the ending of the file name, which follows the stem of the page's: every query of
        every pair on the primary measure (of every system on every measure, without a comparison
        or with many pairs), with its text if known. Empty if the page lists all queries.
    """
    if _Extent.of(content).all_listed:
        return {}
    comparison = content.comparison
    if comparison is None or is_many(comparison):
        rows = content.evaluation.per_query()
    else:
        rows = comparison.deltas()
    whole = with_text_last(rows, content.queries)
    return dict.fromkeys(PER_QUERY_FILES, whole)


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
    def left_out(self) -> str:
        """The number of queries that a cut table leaves out."""
        return counted(self.n_queries - SOME_ROWS, "query", "queries")

    @property
    def all_listed(self) -> bool:
        return self.n_tables == self.n_whole and not self.cut


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
        some = {"n": SOME_ROWS, "queries": extent.left_out}
        if content.comparison is None:
            yield (
                say("The {n} highest are listed; left out: {queries}.", **some)
                if _falling(content)
                else say("The {n} lowest are listed; left out: {queries}.", **some)
            )
        else:
            yield say(
                "The {n} that change most, better or worse, are listed; left out: {queries}.",
                **some,
            )
    if not extent.all_listed:
        yield say(
            "Every query of every system is in the files written next to the report, whose "
            "names end in {ending}.parquet and {ending}.csv.",
            ending=PER_QUERY,
        )


def _falling(content: Content) -> bool:
    """Return whether high scores are the worst and come first, without a comparison."""
    return content.evaluation.primary.declaration.better == "low"


_Columns = dict[str, tuple[str, str]]
"""The columns of a table of queries: the header of each, and what it holds."""


def _query_columns() -> _Columns:
    """Return the columns that name a query."""
    return {
        QUERY_ID: (say("query"), say("the id of the query")),
        TEXT: (say("text"), say("the text of the query")),
    }


# Comparisons


def _of_pairs(
    content: Content, comparison: Comparison, extent: _Extent
) -> Iterable[tuple[Table, Figures]]:
    for pair in _in_order(comparison, extent.n_tables):
        deltas = comparison.deltas(**pair._asdict())
        # A stable sort: equal changes keep the deterministic order of `deltas`.
        by_size = deltas["delta"].abs()
        every = deltas.sort(by_size, descending=True, nulls_last=True, maintain_order=True)
        compared = ComparedPair(comparison, pair)
        some = compared.with_unjudged(_ends(every) if extent.cut else every)
        rows = compared.with_reasons(some)
        caption = say(
            "{measure}, {system} minus {baseline}",
            measure=comparison.primary,
            **pair._asdict(),
        )
        known = _with_segments(with_text_last(rows, content.queries), comparison)
        reasons = known.select(pl.coalesce(REASON, MAINLY)).to_series()
        known = known.with_columns(said(reasons))
        columns = _columns_of_pair(known, comparison, pair, caption)
        table = _listed(known, columns, caption, pair.system, len(every))
        yield table, Figures("deltas", rows, by=(BASELINE, SYSTEM))


def _in_order(comparison: Comparison, n_tables: int) -> tuple[Pair, ...]:
    """Return the pairs listed, that of the verdict first."""
    leading = comparison.decision.leading
    return tuple(sorted(pairs_shown(comparison, n_tables), key=lambda pair: pair != leading))


def _ends(every: pl.DataFrame) -> pl.DataFrame:
    """Return the largest falls and rises, as many of each if there are, the largest first.

    Queries that did not change fill up what is left.
    """
    down, up = ((pl.col("delta") * side > 0).fill_null(value=False) for side in (-1, 1))
    n_down, n_up = every.select(down=down.sum(), up=up.sum()).row(0)
    half = SOME_ROWS // 2
    most = {"down": max(half, SOME_ROWS - n_up), "up": max(half, SOME_ROWS - n_down)}
    large = (down & (down.cum_sum() <= most["down"])) | (up & (up.cum_sum() <= most["up"]))
    return pl.concat([every.filter(large), every.filter(~(down | up))]).head(SOME_ROWS)


def _with_segments(rows: pl.DataFrame, comparison: Comparison) -> pl.DataFrame:
    """Add the segments of the queries as columns numbered from 0."""
    metadata = comparison.query_metadata
    ids = rows[QUERY_ID].to_list()
    return rows.with_columns(
        metadata.titles(column, ids).alias(str(place))
        for place, column in enumerate(metadata.segments)
    )


def _columns_of_pair(
    rows: pl.DataFrame, comparison: Comparison, pair: Pair, minus: str
) -> _Columns:
    """Return the columns of a pair: both scores, their difference, and what may explain it."""
    columns = _query_columns()
    for side, system in pair._asdict().items():
        of = say("{measure} of {system}", measure=comparison.primary, system=system)
        columns[f"score_{side}"] = (system, of)
    columns["delta"] = (say("delta"), minus)
    if rows[REASON].null_count() < len(rows):
        words = say("why the query is lost; of others, what the system mainly misses")
        columns[REASON] = (say("why not higher"), words)
    for side, system in pair._asdict().items():
        if rows[f"unjudged_{side}"].null_count() < len(rows):
            header = say("unjudged in {system}", system=system)
            words = say(
                "unjudged documents at the top of the list of {system}, which count as not "
                "relevant",
                system=system,
            )
            columns[f"unjudged_{side}"] = (header, words)
    for place, column in enumerate(comparison.query_metadata.segments):
        columns[str(place)] = (column, say("the segment of the query"))
    return columns


# Systems without a comparison


def _of_systems(content: Content, extent: _Extent) -> Iterable[tuple[Table, Figures]]:
    evaluation, primary = content.evaluation, str(content.evaluation.primary)
    falling = [_falling(content), False]
    whole = extent.n_tables == extent.n_whole
    titles = {str(measure): say(measure.declaration.title) for measure in evaluation.measures}
    for system in evaluation.systems if whole else [evaluation.best_system()]:
        rows = evaluation.per_query().filter(system=system)
        with suppress(RankReportError):
            mainly = evaluation.pool_and_order(by_query=True).select(SYSTEM, QUERY_ID, MAINLY)
            rows = rows.join(mainly, on=[SYSTEM, QUERY_ID], how="left", maintain_order="left")
        hardest = rows.sort(primary, QUERY_ID, descending=falling, nulls_last=True)
        some = hardest.head(SOME_ROWS) if extent.cut else hardest
        caption = say(
            "{measure} and the other measures of {system}", measure=primary, system=system
        )
        known = with_text_last(some, content.queries)
        others = [name for name in map(str, evaluation.measures) if name != primary]
        columns = {
            **_query_columns(),
            **{name: (name, titles.get(name, "")) for name in (primary, *others)},
        }
        if MAINLY in known.columns:
            known = known.with_columns(said(known[MAINLY]))
            words = say("why most of what the value lacks of the highest possible one is missed")
            columns[MAINLY] = (say("why not higher"), words)
        table = _listed(known, columns, caption, system, len(hardest))
        yield table, Figures("scores", some, by=(SYSTEM,))


# Tables


def _listed(rows: pl.DataFrame, columns: _Columns, caption: str, of: str, n_queries: int) -> Table:
    """Return rows as a collapsed table, whose label counts the queries.

    Readers of a page choose rows by segments, by reasons, and by the sign of differences.
    """
    queries = counted(n_queries, "query", "queries")
    folded = (
        say("{queries} of {system}", queries=queries, system=of)
        if len(rows) == n_queries
        else say("{n} of {queries} of {system}", n=len(rows), queries=queries, system=of)
    )
    shown, choices = [name for name in columns if name in rows.columns], {"delta", REASON, MAINLY}
    return replace(
        described(rows, columns, caption=caption, folded=folded),
        keys=tuple(rows[QUERY_ID]),
        choices=frozenset(
            place for place, name in enumerate(shown) if name in choices or name.isdecimal()
        ),
    )


def _with_keys_once(tables: Iterable[Table]) -> Iterator[Table]:
    """Yield the tables; links lead to the first row of a query."""
    seen: set[str] = set()
    for table in tables:
        yield replace(table, keys=tuple("" if key in seen else key for key in table.keys))
        seen.update(table.keys)
