"""The small drawings of the first screen, from its plain values; they escape all text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from rankreport.charts import (
    Estimate,
    difference_strip,
    distribution_strip,
    estimates_strip,
    level_strip,
    opaque_strip,
    row_axis,
    row_intervals,
    strip_image,
    tally_strip,
)
from rankreport.reports.page import (
    Board,
    Intervals,
    IntervalStrip,
    MeasureRow,
    Spread,
    Standing,
    WinBar,
)

if TYPE_CHECKING:
    from rankreport.charts import Strip as Drawn


_ROW = 130
"""The width of the interval of a row of a leaderboard."""


def strip(shown: IntervalStrip) -> str:
    """Draw an interval: of a difference, or of a level on the scale of its measure."""
    if shown.scale is not None:
        ends, confidence = (shown.low, shown.high), shown.confidence
        level = level_strip(
            shown.measure, shown.value, *ends, scale=shown.scale, confidence=confidence
        )
        return _both(level)
    return _both(
        difference_strip(
            _estimate(shown.measure, shown.value, shown, digits=shown.digits),
            margin=shown.margin,
            limit=shown.limit,
            of_groups=shown.of_groups,
            rare=shown.rare,
            confidence=shown.confidence,
            decisive=shown.decisive,
        )
    )


def _estimate(
    name: str, value: float, shown: IntervalStrip | MeasureRow | Standing, **about: Any
) -> Estimate:
    tone: Literal["better", "worse", "open"] = "open" if shown.tone == "check" else shown.tone
    return Estimate(measure=name, delta=value, low=shown.low, high=shown.high, tone=tone, **about)


def bar(shown: WinBar) -> str:
    """Draw the numbers of queries won, tied and lost."""
    return _both(
        tally_strip(
            shown.wins,
            shown.ties,
            shown.losses,
            mean_win=shown.mean_win,
            mean_loss=shown.mean_loss,
        )
    )


def spread(shown: Spread) -> str:
    """Draw the distribution of a system's values."""
    return _both(distribution_strip(shown.measure, shown.values, scale=shown.scale))


def intervals(shown: Intervals) -> str:
    """Draw the differences on several measures."""
    estimates = [
        _estimate(
            row.name,
            row.value,
            row,
            levels=None if row.before is None or row.after is None else (row.before, row.after),
            signed=not shown.levels,
        )
        for row in shown.intervals
        if math.isfinite(row.value)
    ]
    return _both(estimates_strip(estimates, confidence=shown.confidence))


def rows(board: Board, width: int = _ROW) -> list[str]:
    """Draw the difference of each row of a leaderboard; empty without one."""
    made = row_intervals(
        _estimates(board),
        width=width,
        confidence=board.confidence,
        limits=_limits(board),
        decisive=[row.ends for row in board.rows if row.value is not None] if board.limits else (),
    )
    drawn = iter(made)
    return ["" if row.value is None else next(drawn) for row in board.rows]


def axis(board: Board) -> str:
    """Draw the axis of the rows of a leaderboard; empty without differences."""
    estimates = _estimates(board)
    return row_axis(estimates, width=_ROW, limits=_limits(board)) if estimates else ""


def _limits(board: Board) -> list[float]:
    """Return the limits but for 0, which is drawn anyway."""
    return [each for each in board.limits if each]


def _estimates(board: Board) -> list[Estimate]:
    return [
        _estimate(row.system, row.value, row, digits=board.digits)
        for row in board.rows
        if row.value is not None
    ]


def image(svg: str) -> str:
    """Return the wide of two drawings as an image, for notebooks that show no SVG."""
    return strip_image(_wide(svg))


def opaque(svg: str, ink: str) -> str:
    """Return the wide of two drawings in the colours of a light page, with this ink."""
    return opaque_strip(_wide(svg), ink)


def _wide(svg: str) -> str:
    return svg.partition("</svg>")[0] + "</svg>"


def _both(drawn: Drawn) -> str:
    """Join both widths."""
    return drawn.wide + drawn.narrow
