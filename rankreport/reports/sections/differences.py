"""The sections on differences: mean differences with intervals, and differences per query."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import polars as pl

from rankreport.comparison import Comparison, Pair, averaged, interval_in_words
from rankreport.frames import BASELINE, QUERY_ID, SYSTEM
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Picture, Section
from rankreport.reports.sections._parts import pairs_shown, picture
from rankreport.text import paragraph, percent, say

if TYPE_CHECKING:
    from rankreport.charts import Chart


__all__ = ["differences_of", "winners_of"]


def differences_of(content: Content) -> Iterable[Section]:
    """Yield the section with the forest plot of the differences and the table."""
    comparison = content.comparison
    if comparison is None:
        return
    words = say(
        "Differences are system minus {baseline}, {averaged}, each with its {confidence} "
        "interval ({interval}).",
        baseline=comparison.one_baseline or say("its baseline"),
        averaged=averaged(comparison.method),
        confidence=percent(comparison.confidence),
        interval=interval_in_words(comparison.method),
    )
    if len(comparison.evaluation.measures) > 1:
        decides = say(
            "The verdict uses {measure}; the other measures are descriptive.",
            measure=comparison.primary,
        )
        words = paragraph(words, decides)
    forests = comparison.plot_forests()
    yield Section(
        "differences",
        say("By how much, and how sure?"),
        (words,),
        (*map(picture, forests), comparison.shown()),
    )


_SECTION = "winners-"
"""Prefix of the section ids; the index of the pair follows."""


_MOST_PAIRS = 1
"""With more pairs, only the leading one has a section."""


_ROWS = 200
"""The maximum number of rows under a chart; the middle of longer tables is left out."""


_CHARTS = {"deltas": "plot_deltas", "histogram": "plot_histogram", "scatter": "plot_scatter"}
"""The charts of a pair, in order: prefix of the cell's name, and plotting method."""


def winners_of(content: Content) -> Iterable[Section]:
    """Yield a section on the differences per query of each pair, or of the leading one of many."""
    comparison = content.comparison
    if comparison is None:
        return
    for pair in pairs_shown(comparison, _MOST_PAIRS):
        yield _winners(comparison, pair)


def _winners(comparison: Comparison, pair: Pair) -> Section:
    place, pairs = comparison.pairs.index(pair), comparison.pairs
    words = say(
        "{measure} by query, {system} against {baseline}. The mean may hide many small wins "
        "behind a few large losses, or the reverse.",
        measure=comparison.primary,
        **pair._asdict(),
    )
    if len(pairs) > _MOST_PAIRS:
        of_many = say("Of {n} pairs, the one of the verdict is shown.", n=len(pairs))
        words = paragraph(words, of_many)
    charts = {name: getattr(comparison, drawn)(**pair._asdict()) for name, drawn in _CHARTS.items()}
    shown = {name: _shown(chart.data) for name, chart in charts.items()}
    # The full rows of the queries plotted; the chart has only their differences.
    drawn = pl.col(QUERY_ID).is_in(shown["deltas"][QUERY_ID].implode())
    scores = comparison.with_unjudged(comparison.deltas(**pair._asdict()).filter(drawn), pair)
    scores = scores.drop(BASELINE, SYSTEM)
    of_pair = [pl.lit(name).alias(side) for side, name in pair._asdict().items()]
    return Section(
        f"{_SECTION}{place}",
        say("Who wins and loses: {system} against {baseline}", **pair._asdict()),
        (words,),
        tuple(_picture(chart, shown[name]) for name, chart in charts.items()),
        figures=tuple(
            Figures(name, rows.select(*of_pair, pl.all()), by=(BASELINE, SYSTEM))
            for name, rows in {**shown, "deltas": scores}.items()
        ),
    )


def _shown(data: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a chart's table, without the middle of a long one."""
    half = _ROWS // 2
    return data if len(data) <= _ROWS else pl.concat([data.head(half), data.tail(half)])


def _picture(chart: Chart, shown: pl.DataFrame) -> Picture:
    """Return a chart for the page with these rows in its table."""
    n = f"{len(chart.data):,}"
    return picture(chart, shown, say("The first and last of {n} rows", n=n))
