"""The pieces that sections are made of: what a page shows, and the code that makes it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport.charts import inline_svg
from rankreport.comparison import HEADINGS, Comparison, Pair
from rankreport.frames import QUERY_ID, TEXT
from rankreport.reports.content import Content
from rankreport.reports.page import LONGEST_ID, LONGEST_TEXT, Output, Picture
from rankreport.tables import Table, to_table
from rankreport.text import both_ends, say, visible

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = [
    "CALLED",
    "as_listed",
    "named_in_code",
    "output",
    "pairs_shown",
    "picture",
    "queries_output",
    "table_output",
    "with_texts",
]


_OF_COMPARISON = ("system", "measure", "delta", "ci_low", "ci_high", "n_changed", "n_queries")

CALLED = {
    **{name: HEADINGS[name] for name in _OF_COMPARISON},
    "query_id": "query",
    "score_baseline": "baseline's score",
    "score_system": "system's score",
    "mean": "mean",
    "delta_low": "delta from",
    "delta_high": "delta to",
    "band_low": "band from",
    "band_high": "band to",
    "low": "change from",
    "high": "change to",
    "fpr": "false positive rate",
    "tpr": "true positive rate",
    "recall": "recall",
    "precision": "precision",
    "column": "column",
    "segment": "segment",
    "differs": "differs from 0",
}
"""What columns of charts are called on a page."""

_DIFFERENCES = ("delta", "delta_low", "delta_high", "band_low", "band_high", "low", "high")
"""Columns whose numbers have a sign."""


# What is shown


def pairs_shown(comparison: Comparison, most: int) -> tuple[Pair, ...]:
    """Return all pairs; of more than so many, the leading one alone."""
    pairs = comparison.pairs
    return pairs if len(pairs) <= most else (comparison.leading(),)


def with_texts(rows: pl.DataFrame, content: Content) -> pl.DataFrame:
    """Return rows with the texts of their queries last, where they are known."""
    queries = content.queries
    if queries is None or TEXT not in queries.columns:
        return rows
    return _joined(rows, queries.select(QUERY_ID, TEXT))


def as_listed(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows of queries as tables list them: ids and texts are cut, which may hold anything.

    An id is cut in its middle, as names are. The figures behind a section have all of it.
    """
    return rows.with_columns(
        pl.Series(name, [text and cut(text) for text in rows[name]], dtype=pl.String)
        for name, cut in _CUT.items()
        if name in rows.columns
    )


_CUT: Mapping[str, Callable[[str], str]] = {
    QUERY_ID: partial(both_ends, limit=LONGEST_ID),
    TEXT: partial(visible, limit=LONGEST_TEXT),
}


def picture(chart: Chart, shown: pl.DataFrame | None = None, caption: str = "") -> Picture:
    """Return a chart for the page: drawn, in a sentence, and as a table.

    Of a long table, the rows that are `shown`; the caption says so where they are not all.
    """
    rows = chart.data if shown is None else shown
    shown_caption = caption if len(rows) < len(chart.data) else ""
    return Picture(inline_svg(chart, chart.alt), chart.alt, _data_of(rows, shown_caption))


def _data_of(rows: pl.DataFrame, caption: str) -> Table:
    """Return what is drawn as a table, its columns as people call them, differences with signs."""
    of_delta = "delta" in rows.columns and "mean" not in rows.columns
    ends = ("ci_low", "ci_high") if of_delta else ()
    headers = [say(CALLED[name]) if name in CALLED else name for name in rows.columns]
    return to_table(
        as_listed(rows), headers=headers, signed=(*_DIFFERENCES, *ends), caption=caption
    )


# The code that makes it again


def named_in_code(comparison: Comparison, pair: Pair) -> str:
    """Return the arguments that name a pair: its baseline, too, where there are several."""
    system, baseline = f"system={pair.system!r}", f"baseline={pair.baseline!r}"
    return f"{system}, {baseline}" if comparison.one_baseline is None else system


def output(name: str, source: str, value: Any) -> Output:
    """Return a notebook's cell: the code, and what it shows."""
    return Output(name, source, value._repr_mimebundle_)


def table_output(name: str, source: str, frame: pl.DataFrame, before: str = "") -> Output:
    """Return a notebook's cell that shows a frame as a table to read.

    The lines `before` make what the source names.
    """
    return output(name, f"{before}rr.to_table({source})", to_table(frame))


def queries_output(
    name: str, source: str, rows: pl.DataFrame, content: Content, before: str = ""
) -> Output:
    """Return the same of rows of queries, with their texts; without any, what else is known."""
    queries = content.queries
    if queries is not None:
        known = "queries"
        if TEXT in queries.columns:
            known, queries = (
                f"queries.select({QUERY_ID!r}, {TEXT!r})",
                queries.select(QUERY_ID, TEXT),
            )
        source += f'.join({known}, on="query_id", how="left", maintain_order="left")'
        rows = _joined(rows, queries)
    return table_output(name, source, rows, before)


def _joined(rows: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    return rows.join(queries, on=QUERY_ID, how="left", maintain_order="left")
