"""Every query on a page, and beside it where there are too many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from rankreport.columns import BASELINE, QUERY_ID, SYSTEM, TEXT
from rankreport.comparison import Comparison
from rankreport.pairing import Pair
from rankreport.rendering.context import Figures, Output, Section
from rankreport.rendering.language import say
from rankreport.rendering.table import Table, table_of
from rankreport.rendering.text import counted, paragraph, short
from rankreport.sections.content import Content
from rankreport.sections.parts import (
    as_listed,
    named_in_code,
    pairs_shown,
    queries_output,
    with_texts,
)

__all__ = ["queries_of", "side_files"]

MOST_ROWS = 2000
"""How many rows a page lists; where there are more, it lists some."""

SOME_ROWS = 500
"""How many of those that changed most are listed of each pair where there are more."""

MOST_TABLES = 10
"""Of how many pairs, or systems, the queries are listed.

They are folded, a line each, and ten lines are looked through. The queries of fifty systems are a
question for the files beside the page, which sort and join.
"""

OUTPUT_ROWS = 200
"""How many rows of a pair, or of a system, a notebook shows."""

ENDING = ".per-query"
"""What the names of the files beside a page end in, before .parquet and .csv."""


def queries_of(content: Content) -> Iterable[Section]:
    """Yield the section that lists every query, the largest change first."""
    comparison, extent = content.comparison, _Extent.of(content)
    listed = (
        _of_systems(content, extent)
        if comparison is None
        else _of_pairs(content, comparison, extent)
    )
    tables, outputs, figures = zip(*listed, strict=True)
    yield Section(
        "all-queries",
        say("All queries"),
        (paragraph(*_order_and_choice(content, extent), *_of_page(content, extent)),),
        tables,
        outputs=outputs,
        figures=figures,
        in_notebook=(paragraph(*_order_and_choice(content, extent), *_of_notebook(extent)),),
    )


def side_files(content: Content) -> Mapping[str, pl.DataFrame]:
    """Return what is written beside a page that cannot list every query.

    Returns
    -------
    mapping of str to DataFrame
        By what the file's name ends in, after the page's own without its suffix: every query of
        every pair on the primary measure (of every system on every measure, where nothing is
        compared), with its text if that is known. Empty where the page lists them all.
    """
    if _Extent.of(content).all_listed:
        return {}
    comparison = content.comparison
    rows = content.evaluation.per_query() if comparison is None else comparison.deltas()
    whole = with_texts(rows, content)
    return {f"{ENDING}.parquet": whole, f"{ENDING}.csv": whole}


class _Extent(NamedTuple):
    """How much there is to list, and how much of it a page lists.

    Attributes
    ----------
    n_whole
        How many pairs there are, or systems where nothing is compared.
    n_queries
        How many queries each of them has.
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
        """Of how many queries are listed: all where they fit, whole or cut, or the leading one."""
        whole_fit = self.n_whole <= MOST_TABLES and self.n_whole * self.n_queries <= MOST_ROWS
        return self.n_whole if whole_fit or self.n_whole * SOME_ROWS <= MOST_ROWS else 1

    @property
    def cut(self) -> bool:
        """Whether some queries are left out of what is listed."""
        return self.n_tables * self.n_queries > MOST_ROWS

    @property
    def all_listed(self) -> bool:
        return self.n_tables == self.n_whole and not self.cut

    def listed(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of one of them that are listed."""
        return rows.head(SOME_ROWS) if self.cut else rows


def _order_and_choice(content: Content, extent: _Extent) -> Iterable[str]:
    """Say what stands first, and whose queries are listed where not everyone's are."""
    n = extent.n_whole
    if content.comparison is not None:
        yield say("The largest changes stand first.")
        if extent.n_tables < n:
            yield say("Of {n} pairs, the one with the largest mean difference is listed.", n=n)
        return
    yield say("The highest stand first.") if _falling(content) else say("The lowest stand first.")
    if extent.n_tables < n:
        yield say("Of {n} systems, the one with the best mean is listed.", n=n)


def _of_page(content: Content, extent: _Extent) -> Iterable[str]:
    """Say what the page does not list, and where it is."""
    if extent.cut:
        if content.comparison is not None:
            yield say("The {n} largest are listed.", n=SOME_ROWS)
        elif _falling(content):
            yield say("The {n} highest are listed.", n=SOME_ROWS)
        else:
            yield say("The {n} lowest are listed.", n=SOME_ROWS)
    if not extent.all_listed:
        yield say(
            "Every query of every system stands in the files that were written beside the report "
            "when it was made, whose names end in {ending}.parquet and {ending}.csv.",
            ending=ENDING,
        )


def _of_notebook(extent: _Extent) -> Iterable[str]:
    """Say what the cells do not show, and how they would: no file lies beside a notebook."""
    if extent.n_queries > OUTPUT_ROWS:
        yield say(
            "The first {n} are shown: without {call} in its code, a cell shows every query.",
            n=OUTPUT_ROWS,
            call=f".head({OUTPUT_ROWS})",
        )
    if extent.n_tables < extent.n_whole:
        yield say("With another system named in its code, it shows the queries of that one.")


def _falling(content: Content) -> bool:
    """Return whether the highest are the worst, and so stand first where nothing is compared."""
    return content.evaluation.primary.declaration.better == "low"


def _of_pairs(
    content: Content, comparison: Comparison, extent: _Extent
) -> Iterable[tuple[Table, Output, Figures]]:
    for place, pair in enumerate(pairs_shown(comparison, extent.n_tables)):
        deltas = comparison.deltas(**pair._asdict())
        # The order of the deltas, which no order of rows or threads changes, is kept among equals.
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
        figures = Figures("deltas", rows, by=(BASELINE, SYSTEM))
        cell = _output_of_pair(content, comparison, place, pair, every.drop(BASELINE, SYSTEM))
        yield table, cell, figures


def _sides(pair: Pair) -> tuple[str, str]:
    """Name both systems of a pair: briefly, or in full where that would give them one name."""
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
    for place, system in enumerate(evaluation.systems if whole else [evaluation.foremost()]):
        rows = evaluation.per_query().filter(system=system)
        hardest = rows.sort(primary, QUERY_ID, descending=falling, nulls_last=True)
        some = extent.listed(hardest)
        told = some.select(QUERY_ID, primary, pl.exclude(SYSTEM, QUERY_ID, primary))
        caption = say(
            "{measure} of {system}, and what else was measured", measure=primary, system=system
        )
        headers = (say("query"), *told.columns[1:])
        table = _listed(told, content, headers, caption, system)
        source = f"evaluation.per_query().filter(system={system!r}).sort({primary!r}, 'query_id'"
        source += f", descending={falling}" if any(falling) else ""
        source += f", nulls_last=True).head({OUTPUT_ROWS})"
        rows = hardest.head(OUTPUT_ROWS)
        made = queries_output(f"all-queries-{place}", source, rows, content)
        yield table, made, Figures("scores", some, by=(SYSTEM,))


def _listed(
    rows: pl.DataFrame, content: Content, headers: Sequence[str], caption: str, of: str
) -> Table:
    """Return rows as a folded table."""
    shown = as_listed(with_texts(rows, content))
    words = counted(len(rows), "query", "queries")
    return table_of(
        shown,
        headers=(*headers, *((say("text"),) if TEXT in shown.columns else ())),
        caption=caption,
        folded=say("{queries} of {system}", queries=words, system=short(of)),
    )
