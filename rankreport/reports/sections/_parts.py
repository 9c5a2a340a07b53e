"""Building blocks of sections: charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rankreport.charts import both_widths
from rankreport.comparison import COLUMNS, Comparison, Pair, table_of_pairs
from rankreport.evaluation import Evaluation, data_facts_of
from rankreport.frames import QUERY_ID, TEXT
from rankreport.reports.page import LONGEST_ID, LONGEST_TEXT, Picture
from rankreport.tables import Table, to_table
from rankreport.text import both_ends, say, visible

if TYPE_CHECKING:
    from rankreport.charts import Chart

_COLUMNS = {column.name: column for column in COLUMNS}
_OF_COMPARISON = ("system", "measure", "delta", "ci_low", "ci_high", "n_changed", "n_queries")

CALLED = {
    **{name: _COLUMNS[name].heading for name in _OF_COMPARISON},
    **{
        name: name
        for name in (
            *("mean", "baseline", "part", "recall", "precision", "rank", "place", "column"),
            *("segment", "date", "commit", "note"),
        )
    },
    "query_id": "query",
    "score_baseline": "baseline's score",
    "score_system": "system's score",
    "mean_baseline": "baseline's mean",
    "mean_system": "system's mean",
    "delta_low": "delta from",
    "delta_high": "delta to",
    "band_low": "band from",
    "band_high": "band to",
    "low": "change from",
    "high": "change to",
    "fpr": "false positive rate",
    "tpr": "true positive rate",
    "rank_highest": "highest rank",
    "rank_lowest": "lowest rank",
    "seen_highest": "highest by the verdicts",
    "seen_lowest": "lowest by the verdicts",
    "doubts": "depends on",
    "bias": "position bias",
    "differs": "differs from 0",
    "dataset": "data set",
    "delta_without": "delta without it",
    "low_without": "without it from",
    "high_without": "without it to",
    "verdict_without": "verdict without it",
    "number": "result",
    "against": "compared with",
    "break": "changed",
    "change": "changed before it",
}
"""Headers of the columns of charts' data."""

_DIFFERENCES = (
    *("delta", "delta_low", "delta_high", "band_low", "band_high", "low", "high"),
    *("delta_without", "low_without", "high_without"),
)
"""Columns of signed numbers."""


# Page


def pairs_shown(comparison: Comparison, most: int) -> tuple[Pair, ...]:
    """Return all pairs, or only the leading one if there are more than `most`."""
    pairs = comparison.pairs
    return pairs if len(pairs) <= most else (comparison.decision.leading,)


MANY_PAIRS = 12
"""With more pairs, a page has tables of them; only that of the verdict has charts and documents."""


def longest_list(evaluation: Evaluation) -> int | None:
    """Return the length of the longest list of all, if it is known and not a handful."""
    longest = max((depth.longest for depth in data_facts_of(evaluation).depths.values()), default=0)
    return longest if longest >= _HANDFUL else None


_HANDFUL = 10
"""Lists of examples are shorter, and no cut-off is too deep for them."""

FEW_SYSTEMS = 12
"""With more systems, long tables with a row for each are folded, and charts show a few of them."""

MOST_LISTED = 500
"""The maximum number of rows in the table of many pairs."""


def is_many(comparison: Comparison) -> bool:
    """Return whether there are so many pairs that a page has tables of them alone."""
    return len(comparison.pairs) > MANY_PAIRS


class ListedRows(NamedTuple):
    """The rows of a comparison that a page lists: these pairs, on these measures.

    Attributes
    ----------
    pairs
        All of them, or of too many those with the system that has the highest mean.
    measures
        Their names: all of them, or the primary one alone.
    """

    pairs: tuple[Pair, ...]
    measures: tuple[str, ...]

    @classmethod
    def of(cls, comparison: Comparison) -> ListedRows:
        """Choose them: all of few pairs, and at most `MOST_LISTED` rows of many."""
        pairs, measures = comparison.pairs, tuple(map(str, comparison.evaluation.measures))
        if not is_many(comparison) or len(pairs) * len(measures) <= MOST_LISTED:
            return cls(pairs, measures)
        primary = (str(comparison.primary),)
        if len(pairs) <= MOST_LISTED:
            return cls(pairs, primary)
        best, leading = comparison.decision.order[0], comparison.decision.leading
        wanted = [pair for pair in pairs if best in pair and pair != leading]
        kept = {leading, *wanted[: MOST_LISTED - 1]}
        return cls(tuple(pair for pair in pairs if pair in kept), primary)

    def is_all(self, comparison: Comparison) -> bool:
        """Return whether these are all rows."""
        n_measures = len(comparison.evaluation.measures)
        return (len(self.pairs), len(self.measures)) == (len(comparison.pairs), n_measures)

    def table(self, comparison: Comparison) -> Table:
        """Return the readable table of these rows."""
        return table_of_pairs(comparison, self.pairs, self.measures)


def with_text_last(rows: pl.DataFrame, queries: pl.DataFrame | None) -> pl.DataFrame:
    """Add the texts of the queries as the last column, if known."""
    if queries is None or TEXT not in queries.columns:
        return rows
    texts = queries.select(QUERY_ID, TEXT)
    return rows.join(texts, on=QUERY_ID, how="left", maintain_order="left")


def as_listed(rows: pl.DataFrame) -> pl.DataFrame:
    """Truncate ids and texts of queries for tables; ids in the middle.

    The figures of a section keep them in full.
    """
    return rows.with_columns(
        pl.Series(name, [text and cut(text) for text in rows[name]], dtype=pl.String)
        for name, cut in _CUT.items()
        if name in rows.columns
    )


def described(rows: pl.DataFrame, columns: Mapping[str, tuple[str, str]], **about: Any) -> Table:
    """Return rows as a table of the columns that they have, each with a header and what it holds.

    Captions and other options are those of `to_table`.
    """
    known = {name: words for name, words in columns.items() if name in rows.columns}
    headers, held = zip(*known.values(), strict=True)
    return replace(to_table(as_listed(rows.select(*known)), headers=headers, **about), help=held)


_CUT: Mapping[str, Callable[[str], str]] = {
    QUERY_ID: partial(both_ends, limit=LONGEST_ID),
    TEXT: partial(visible, limit=LONGEST_TEXT),
}


def picture(chart: Chart, shown: pl.DataFrame | None = None, caption: str = "") -> Picture:
    """Return a chart for the page, with its data as a table.

    The table has the rows in `shown`; the caption is used if those are not all rows.
    """
    rows = chart.data if shown is None else shown
    shown_caption = caption if len(rows) < len(chart.data) else ""
    wide, narrow = both_widths(chart, chart.alt)
    return Picture(wide, chart.alt, data_table(rows, shown_caption), narrow)


_ROWS = 200
"""The maximum number of rows under a chart; the middle of longer tables is left out."""


def ends_of(data: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a chart's table, without the middle of a long one."""
    half = _ROWS // 2
    return data if len(data) <= _ROWS else pl.concat([data.head(half), data.tail(half)])


def picture_of_ends(chart: Chart) -> Picture:
    """Return a chart for the page, with the first and last rows of its data as a table."""
    n = f"{len(chart.data):,}"
    return picture(chart, ends_of(chart.data), say("The first and last of {n} rows", n=n))


def said(values: pl.Series) -> pl.Series:
    """Return messages in the current language; null stays null."""
    return pl.Series(values.name, [each and say(each) for each in values], pl.String)


def data_table(rows: pl.DataFrame, caption: str = "") -> Table:
    """Return rows, such as a chart's, as a table with readable headers and signed differences."""
    of_delta = "delta" in rows.columns and "mean" not in rows.columns
    ends = ("ci_low", "ci_high") if of_delta else ()
    headers = [say(CALLED[name]) if name in CALLED else name for name in rows.columns]
    table = to_table(
        as_listed(rows), headers=headers, signed=(*_DIFFERENCES, *ends), caption=caption
    )
    known = {name: say(_COLUMNS[name].help) for name in _OF_COMPARISON if name in rows.columns}
    return replace(table, help=tuple(known.get(name, "") for name in rows.columns))
