"""The section on all queries.

If there are too many queries to list, they are written to files next to the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from rankreport.comparison import Comparison, Pair
from rankreport.frames import BASELINE, QUERY_ID, SYSTEM, TEXT
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Output, Section
from rankreport.reports.sections._parts import (
    as_listed,
    named_in_code,
    pairs_shown,
    queries_output,
    with_texts,
)
from rankreport.tables import Table, to_table
from rankreport.text import counted, paragraph, say, short

__all__ = ["queries_of", "side_files"]


MOST_ROWS = 2000
"""The maximum number of rows on a page, over all tables of queries."""

SOME_ROWS = 500
"""The number of rows per table if there are more than `MOST_ROWS`."""

MOST_TABLES = 10
"""The maximum number of tables of queries; with more pairs or systems, only one is listed."""

OUTPUT_ROWS = 200
"""The number of rows per table in a notebook."""

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
    tables, outputs, figures = zip(*listed, strict=True)
    title = say("All queries")
    yield Section(
        "all-queries",
        title,
        (paragraph(*_order_and_choice(content, extent), *_of_page(content, extent)),),
        tables,
        outputs=outputs,
        figures=figures,
        in_notebook=(paragraph(*_order_and_choice(content, extent), *_of_notebook(extent)),),
        folded=title,
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


def _of_notebook(extent: _Extent) -> Iterable[str]:
    """Yield sentences on what the cells leave out, and how to show it."""
    if extent.n_queries > OUTPUT_ROWS:
        yield say(
            "Each cell shows the first {n} queries; remove {call} from its code to see all.",
            n=OUTPUT_ROWS,
            call=f".head({OUTPUT_ROWS})",
        )
    if extent.n_tables < extent.n_whole:
        yield say("Name another system in the code to see its queries.")


def _falling(content: Content) -> bool:
    """Return whether high scores are the worst and come first, without a comparison."""
    return content.evaluation.primary.declaration.better == "low"


def _of_pairs(
    content: Content, comparison: Comparison, extent: _Extent
) -> Iterable[tuple[Table, Output, Figures]]:
    for place, pair in enumerate(pairs_shown(comparison, extent.n_tables)):
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
        cell = _output_of_pair(content, comparison, place, pair, every.drop(BASELINE, SYSTEM))
        yield table, cell, figures


def _sides(pair: Pair) -> tuple[str, str]:
    """Return the names of a pair's systems, shortened unless they would become equal."""
    baseline, system = short(pair.baseline), short(pair.system)
    return (pair.baseline, pair.system) if baseline == system else (baseline, system)


def _output_of_pair(
    content: Content, comparison: Comparison, place: int, pair: Pair, every: pl.DataFrame
) -> Output:
    named = named_in_code(comparison, pair)
    made = (
        f'deltas = comparison.deltas({named}).drop("baseline", "system")\n'
        'by_size = deltas["delta"].abs()\n'
        "deltas = deltas.sort(by_size, descending=True, nulls_last=True, maintain_order=True)\n"
    )
    shown = f"deltas.head({OUTPUT_ROWS})" if len(every) > OUTPUT_ROWS else "deltas"
    rows = every.head(OUTPUT_ROWS)
    return queries_output(f"all-queries-{place}", shown, rows, content, before=made)


def _of_systems(content: Content, extent: _Extent) -> Iterable[tuple[Table, Output, Figures]]:
    evaluation, primary = content.evaluation, str(content.evaluation.primary)
    falling = [_falling(content), False]
    whole = extent.n_tables == extent.n_whole
    for place, system in enumerate(evaluation.systems if whole else [evaluation.best_system()]):
        rows = evaluation.per_query().filter(system=system)
        hardest = rows.sort(primary, QUERY_ID, descending=falling, nulls_last=True)
        some = extent.listed(hardest)
        shown = some.select(QUERY_ID, primary, pl.exclude(SYSTEM, QUERY_ID, primary))
        caption = say(
            "{measure} and the other measures of {system}", measure=primary, system=system
        )
        headers = (say("query"), *shown.columns[1:])
        table = _listed(shown, content, headers, caption, system)
        source = f"evaluation.per_query().filter(system={system!r}).sort({primary!r}, 'query_id'"
        source += f", descending={falling}" if any(falling) else ""
        source += f", nulls_last=True).head({OUTPUT_ROWS})"
        rows = hardest.head(OUTPUT_ROWS)
        made = queries_output(f"all-queries-{place}", source, rows, content)
        yield table, made, Figures("scores", some, by=(SYSTEM,))


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
