"""A trend: differences of stored results from a frozen baseline, in the order of the results."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from rankreport.charts._alt_text import FEW, sentence_of
from rankreport.charts._chart import BLUE, Mark, checked, report_style
from rankreport.charts._panel import (
    drawable,
    fit_height,
    line_height,
    line_width,
    note,
    panel_size,
    titled_panel,
)
from rankreport.charts.canvas import ChartOptions, inked, sizable
from rankreport.charts.curve_charts import ENDS, draw_bands
from rankreport.charts.deltas import MOST_MARKS
from rankreport.charts.sides import sides_of
from rankreport.text import (
    comma_separated,
    counted,
    percent,
    say,
    separated,
    short,
    signed,
    visible,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts._chart import Chart


@sizable
def trend(
    rows: pl.DataFrame,
    *,
    measure: str,
    better: str = "high",
    confidence: float = 0.95,
    **options: Unpack[ChartOptions],
) -> "Chart":
    """Draw differences from a baseline result by result, with intervals and breaks.

    A result whose interval lies on one side of zero is a triangle that points there. At a break
    there is a dashed line with the name of what changed; over it, the line of differences goes on
    where the baseline was judged again.

    Parameters
    ----------
    rows
        What `History.trend` returns.
    measure
        What was measured.
    better
        Whether ``"high"`` or ``"low"`` values are better, or ``"neither"``.
    confidence
        The confidence that the intervals were made for.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> rows = pl.DataFrame({"number": [1, 2], "date": ["2026-01-03", "2026-01-04"],
    ...                      "commit": ["2e8d1f0", "90a7b11"], "note": [None, "new stemmer"],
    ...                      "against": [1, 1], "break": [None, "judgments"],
    ...                      "judged_again": [False, True], "delta": [0.0, 0.02],
    ...                      "ci_low": [None, 0.01], "ci_high": [None, 0.03]})
    >>> trend(rows, measure="RR").alt  # doctest: +NORMALIZE_WHITESPACE
    'RR, 2 results: result 2 of 2026-01-04, +0.020 from result 1; changed before result 2:
    judgments.'
    """
    del options
    named = ("number", "date", "commit", "note", "against", "break", "judged_again")
    drawn = checked(rows, *named, numbers=("delta", *ENDS)).with_row_index("k")
    drawn = drawn.with_columns(pl.col("date").cast(pl.String).str.head(len("2026-01-03")))
    title = say("{measure}: difference from the baseline, on these queries", measure=short(measure))
    level = percent(confidence)
    shade = say("shaded: {confidence} interval, for queries like these", confidence=level)
    with report_style():
        chart, axes = titled_panel(
            f"{title}\n{shade}", over=38, high=190, foot=24, right=34, above=32
        )
        ends = np.concatenate([drawable(drawn[name]) for name in ("delta", *ENDS)])
        fit_height(axes, ends, zero=True, margin=0.08)
        axes.set_xlim(-0.5, max(len(drawn), 2) - 0.5)
        breaks = pl.col("break").is_not_null() & ~pl.col("judged_again")
        for _, course in drawn.group_by(breaks.cum_sum(), maintain_order=True):
            draw_bands(axes, course, BLUE)
            axes.plot(course["k"], drawable(course["delta"]), color=BLUE, marker="", zorder=2.5)
        _draw_results(axes, drawn, better)
        _name_breaks(axes, drawn)
        _mark_dates(axes, drawn["date"].to_list())
    if len(drawn) <= MOST_MARKS:
        chart.marks = tuple(
            Mark(
                axes,
                str(row["number"]),
                _event(row),
                (row["k"] - 0.5, row["k"] + 0.5),
                axes.get_ylim(),
            )
            for row in drawn.to_dicts()
        )
    head = counted(len(drawn), "result", "results")
    chart.alt = sentence_of(f"{short(measure)}, {head}", _in_words(drawn))
    chart.data = drawn.drop("k", "judged_again")
    return chart


def _event(row: Mapping[str, Any]) -> str:
    """Return the date and difference of a result, its commit and its note."""
    known = (row["date"], signed(row["delta"]), row["commit"], row["note"])
    return separated("; ", (visible(each, _LONGEST) for each in known if each))


_LONGEST = 200
"""The most characters of a note that a pointer shows."""

_FEW = 60
"""Of more results, markers are small."""


def _draw_results(axes: "Axes", drawn: pl.DataFrame, better: str) -> None:
    """Draw a marker for each result, a triangle where its interval leaves out zero."""
    look: dict[str, Any] = {
        "linestyle": "",
        "markersize": 5 if len(drawn) <= _FEW else 3,
        "zorder": 3,
    }
    apart = {1: pl.col("ci_low") > 0, -1: pl.col("ci_high") < 0}
    dots = drawn.remove(pl.any_horizontal(*apart.values()))
    axes.plot(dots["k"], drawable(dots["delta"]), marker="o", color=BLUE, **look)
    for side in sides_of(better):
        rows = drawn.filter(apart[side.sign])
        marker = "^" if side.sign > 0 else "v"
        axes.plot(rows["k"], drawable(rows["delta"]), marker=marker, color=side.color, **look)


def _name_breaks(axes: "Axes", drawn: pl.DataFrame) -> None:
    """Draw a line where something changed, and name it where names leave room."""
    width, free = panel_size(axes)[0] / max(len(drawn), 2), [0.0, 0.0]
    for k, changed, again in drawn.drop_nulls("break").select("k", "break", "judged_again").rows():
        axes.axvline(k - 0.5, color=inked(), linewidth=0.8, linestyle=(0, (3, 2)))
        words = say("{changed}, judged again", changed=_said(changed)) if again else _said(changed)
        place = next((line for line, at in enumerate(free) if at <= k * width), None)
        if place is not None:
            offset = (2, 3 + place * line_height(""))
            note(axes, words, (k - 0.5, 1), ("data", "axes fraction"), offset=offset)
            free[place] = k * width + line_width(words) + 8


def _said(changed: str) -> str:
    """Return the names of what changed in the current language."""
    return comma_separated([say(each) for each in changed.split(", ")])


def _mark_dates(axes: "Axes", dates: list[str]) -> None:
    """Write the first and the last date, and as many between them as there is room for."""
    width = panel_size(axes)[0] / max(len(dates), 2)
    apart = -int(-(line_width(dates[0]) + 12) // width)
    places = np.linspace(0, len(dates) - 1, 1 + (len(dates) - 1) // apart).round().astype(int)
    axes.set_xticks(places, labels=[dates[place] for place in places])


def _in_words(drawn: pl.DataFrame) -> Iterator[str]:
    """Say the last difference, the lowest one, and where something changed."""
    apart = drawn.filter(pl.col("number") != pl.col("against"))
    ends = {
        row["number"]: row
        for row in (*apart.tail(1).to_dicts(), *apart.bottom_k(1, by="delta").to_dicts())
    }
    for row in ends.values():
        yield say(
            "result {number} of {date}, {delta} from result {against}",
            **{name: row[name] for name in ("number", "date", "against")},
            delta=signed(row["delta"]),
        )
    for number, changed in drawn.drop_nulls("break").select("number", "break").head(FEW).rows():
        yield say(
            "changed before result {number}: {changed}", number=number, changed=_said(changed)
        )
