"""The sections on differences: mean differences with intervals, and differences per query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport.charts import MOST_MARKS
from rankreport.comparison import MIN_CHANGED, Comparison, Pair
from rankreport.frames import BASELINE, MEASURE, QUERY_ID, SYSTEM
from rankreport.measures import Measure
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Intervals, MeasureRow, Picture, Section, Tone
from rankreport.reports.sections._parts import pairs_shown, picture
from rankreport.text import say

if TYPE_CHECKING:
    from rankreport.charts import Chart


__all__ = ["differences_of", "winners_of"]


def differences_of(content: Content) -> Iterable[Section]:
    """Yield the section with the differences on all measures."""
    comparison = content.comparison
    if comparison is None:
        return
    is_pair = len(comparison.pairs) == 1
    rows = tuple(_rows(comparison, comparison.pairs[0])) if is_pair else ()
    if comparison.judges is not None:
        label = say("Other measures, by people alone")
    elif content.gate is None:
        label = say("Other measures (they describe, and do not decide)")
    else:
        label = say("Other measures (only the requirements of the gate decide)")
    table = replace(comparison._shown(), folded=say("All figures, with intervals and p-values"))
    yield Section(
        "differences",
        say("By measure"),
        (),
        (*((Intervals(label, rows),) if rows else ()), table),
        leads=is_pair,
    )


def _rows(comparison: Comparison, pair: Pair) -> Iterable[MeasureRow]:
    """Yield the measures that do not decide, in the order given."""
    measures = {str(measure): measure for measure in comparison.evaluation.measures}
    # Nothing is shown as better or worse where the verdict has to wait.
    stopped = any(each.severity == "stop" for each in comparison.cautions)
    doubted = stopped or comparison._differences[pair].word == "check first"
    for row in comparison.table().iter_rows(named=True):
        name = row[MEASURE]
        if Pair(row[BASELINE], row[SYSTEM]) != pair or name == str(comparison.primary):
            continue
        if row["delta"] is None:
            continue
        before, after = row["mean_baseline"], row["mean_system"]
        ends = (row["ci_low"], row["ci_high"])
        shown = comparison.evaluation._shown_name(name)
        yield MeasureRow(
            shown,
            before,
            after,
            row["delta"],
            *ends,
            "open" if doubted else _tone(measures[name], row),
        )


def _tone(measure: Measure, row: Mapping[str, Any]) -> Tone:
    """Return the side of 0 on which an interval lies, if enough queries changed."""
    if row["ci_low"] is None or (row["n_changed"] or 0) < MIN_CHANGED:
        return "open"
    up, down = row["ci_low"] > 0, row["ci_high"] < 0
    if measure.declaration.better != "high":
        up, down = (down, up) if measure.declaration.better == "low" else (False, False)
    return "better" if up else "worse" if down else "open"


_SECTION = "winners-"
"""Prefix of the section ids; the index of the pair follows."""


_MOST_PAIRS = 1
"""With more pairs, only the leading one has a section."""


_ROWS = 200
"""The maximum number of rows under a chart; the middle of longer tables is left out."""


def winners_of(content: Content) -> Iterable[Section]:
    """Yield a section on the differences per query of each pair, or of the leading one of many."""
    comparison = content.comparison
    if comparison is None:
        return
    for pair in pairs_shown(comparison, _MOST_PAIRS):
        yield _winners(comparison, pair)


def _winners(comparison: Comparison, pair: Pair) -> Section:
    place, title = comparison.pairs.index(pair), say("Distribution")
    named = pair._asdict()
    charts = {
        "histogram": comparison.plot_histogram(**named),
        "scatter": comparison.plot_scatter(**named),
    }
    shown = {name: _shown(chart.data) for name, chart in charts.items()}
    # The full rows of the queries plotted; the charts have only their differences.
    deltas = comparison.plot_deltas(**named).data
    # The section on wins and losses has the histogram where there are too many bars.
    drawn_here = ("histogram", "scatter") if len(deltas) <= MOST_MARKS else ("scatter",)
    drawn = pl.col(QUERY_ID).is_in(_shown(deltas)[QUERY_ID].implode())
    scores = comparison._with_unjudged(comparison.deltas(**pair._asdict()).filter(drawn), pair)
    scores = scores.drop(BASELINE, SYSTEM)
    of_pair = [pl.lit(name).alias(side) for side, name in pair._asdict().items()]
    return Section(
        f"{_SECTION}{place}",
        title,
        (),
        tuple(_picture(charts[name], shown[name]) for name in drawn_here),
        folded=title,
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
