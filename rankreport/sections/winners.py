"""Which queries a system wins and loses, all of them at a glance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import polars as pl

from rankreport.comparison import Comparison
from rankreport.pairing import Pair
from rankreport.rendering.context import Picture, Section
from rankreport.rendering.language import say
from rankreport.rendering.text import paragraph
from rankreport.sections.content import Content
from rankreport.sections.parts import leading_pairs, named_in_code, output, picture

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["WINNERS_SECTION", "winners_of"]

WINNERS_SECTION = "winners-"
"""What the id of a section on one pair begins with; its place among the pairs follows."""

_FULL_PAIRS = 1
"""Of more pairs, only the leading one has a section."""

_ROWS = 200
"""Of the table under a chart; of longer ones the first and the last rows are shown."""

_CHARTS = {"deltas": "plot_deltas", "histogram": "plot_histogram", "scatter": "plot_scatter"}
"""The charts of a pair, in their order: how their cells begin, and what draws them."""


def winners_of(content: Content) -> Iterable[Section]:
    """Yield a section per pair with the differences of its queries; of many, of the leading one."""
    comparison = content.comparison
    if comparison is None:
        return
    for pair in leading_pairs(comparison, _FULL_PAIRS):
        yield _winners(comparison, pair)


def _winners(comparison: Comparison, pair: Pair) -> Section:
    place, pairs = comparison.pairs.index(pair), comparison.pairs
    words = say(
        "Each query's {measure}, {system} against {baseline}. The mean may hide many small wins "
        "behind a few large losses, or the other way round.",
        measure=comparison.primary,
        **pair._asdict(),
    )
    if len(pairs) > _FULL_PAIRS:
        of_many = say(
            "Of {n} pairs, the one with the largest mean difference is shown.", n=len(pairs)
        )
        words = paragraph(words, of_many)
    named = named_in_code(comparison, pair)
    charts = {name: getattr(comparison, drawn)(**pair._asdict()) for name, drawn in _CHARTS.items()}
    return Section(
        f"{WINNERS_SECTION}{place}",
        say("Who wins and loses: {system} against {baseline}", **pair._asdict()),
        (words,),
        tuple(map(_picture, charts.values())),
        outputs=tuple(
            output(f"{name}-{place}", f"comparison.{_CHARTS[name]}({named})", chart)
            for name, chart in charts.items()
        ),
    )


def _picture(chart: Chart) -> Picture:
    """Return a chart for the page, the long middle of its table left out."""
    data, half = chart.data, _ROWS // 2
    if len(data) <= _ROWS:
        return picture(chart)
    caption = say("The first and the last of {n} rows", n=f"{len(data):,}")
    return picture(chart, pl.concat([data.head(half), data.tail(half)]), caption)
