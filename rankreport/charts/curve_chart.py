"""Curves: a measure against the cut-off and, beneath it, the differences to a baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankreport.charts.chart import (
    BLUE,
    GREEN,
    NO_VALUE,
    NO_VALUE_FOR_BOTH,
    PURPLE,
    WIDTH,
    checked,
    has_values,
    new_chart,
    report_style,
)
from rankreport.charts.curve_lines import (
    BAND,
    ENDS,
    about_band,
    draw_bands,
    mark_cutoffs,
    with_interval,
)
from rankreport.charts.curve_panels import curve_panels
from rankreport.charts.curve_words import curves_in_words
from rankreport.charts.panel import (
    LEFT,
    add_panel,
    caption,
    drawable,
    empty_chart,
    fit_height,
    in_two_lines,
    leave_empty,
    line_height,
    line_width,
    note,
    page_of,
    panel_size,
    spread,
)
from rankreport.charts.sentences import baseline_name, sentence_of
from rankreport.rendering.language import say
from rankreport.rendering.svg import INK
from rankreport.rendering.text import percent, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts.chart import Chart


def curves(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None = None,
    *,
    measure: str,
    baseline: str | None = None,
    confidence: float = 0.95,
) -> "Chart":
    """Draw a measure against the cut-off and, beneath it, the paired differences to a baseline.

    Bands of two systems may overlap where their paired difference is clear, so the difference is
    what to look at; the levels of more than two systems are drawn without bands. Of more than four
    systems each has a panel of its own, in which its difference is drawn in colour and those of the
    others in grey.

    Parameters
    ----------
    levels
        One row per system and cut-off: `system` (String), `k` (Int64), `mean`, `ci_low`, `ci_high`
        (Float64, null where there is none).
    differences
        System minus baseline: `system`, `k`, `delta`, `ci_low`, `ci_high` and, where there is one,
        `band_low`, `band_high`: a band that holds at all cut-offs at once, drawn lighter.
    measure
        What was measured, without a cut-off.
    baseline
        The system that the differences were taken to.
    confidence
        The confidence that the intervals were made for.

    Examples
    --------
    >>> levels = pl.DataFrame({"system": ["bm25", "dense"], "k": [10, 10], "mean": [0.4, 0.5],
    ...                        "ci_low": [0.3, 0.4], "ci_high": [0.5, 0.6]})
    >>> curves(levels, measure="nDCG").alt  # doctest: +NORMALIZE_WHITESPACE
    'nDCG at k = 10: dense reaches 0.500 (95 % interval 0.400 to 0.600) and bm25 0.400
    (95 % interval 0.300 to 0.500).'
    """
    levels = checked(levels, "system", "k", numbers=("mean", *ENDS))
    if differences is not None:
        bands = [column for column in BAND if column in differences.columns]
        differences = checked(differences, "system", "k", numbers=("delta", *ENDS, *bands))
    told: dict[str, Any] = {"measure": measure, "baseline": baseline, "confidence": confidence}
    if not has_values(levels["mean"]):
        chart = empty_chart(say("mean {measure}", measure=short(measure)), say(NO_VALUE))
        head = say("{measure} by cut-off", measure=short(measure))
        chart.alt = sentence_of(head, [say(NO_VALUE)])
    elif levels["system"].n_unique() > MOST_IN_ONE_PANEL:
        return curve_panels(levels, differences, **told)
    else:
        chart = _drawn(levels, differences, **told)
        chart.alt = curves_in_words(levels, differences, **told)
    chart.data = _data(levels, differences)
    return chart


def _data(levels: pl.DataFrame, differences: pl.DataFrame | None) -> pl.DataFrame:
    if differences is None:
        return levels
    beside = differences.rename({"ci_low": "delta_low", "ci_high": "delta_high"})
    return levels.join(beside, on=["system", "k"], how="left", maintain_order="left")


# How a system looks: told apart by colour, dashes and marker. Elsewhere blue wins and vermillion
# loses, so the baseline is drawn in ink, and only the last of four systems in one of those.

_Dash = str | tuple[float, tuple[float, ...]]

_LOOKS: Sequence[tuple[str, _Dash, str]] = (
    (INK, "-", "o"),
    (GREEN, (0, (5, 1.5)), "s"),
    (PURPLE, (0, (1.2, 1.2)), "^"),
    (BLUE, (0, (5, 1.5, 1.2, 1.5)), "D"),
)

MOST_IN_ONE_PANEL = len(_LOOKS)
"""More systems have a panel each."""

MOST_WITH_BANDS = 2
"""Of levels; those of more lie over each other until none can be told from the next."""


@dataclass(frozen=True)
class _Look:
    label: str
    color: str
    dash: _Dash
    marker: str


def _looks(levels: pl.DataFrame, baseline: str | None) -> dict[str, _Look]:
    """Give each system a look, the baseline the first."""
    named = levels["system"].unique(maintain_order=True).to_list()
    named.sort(key=lambda system: system != baseline)
    return {
        system: _Look(in_two_lines(short(system)), *look)
        for system, look in zip(named, _LOOKS, strict=False)
    }


# The drawing.


def _drawn(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None,
    *,
    measure: str,
    baseline: str | None,
    confidence: float,
) -> "Chart":
    looks, level = _looks(levels, baseline), percent(confidence)
    place: dict[str, Any] = {
        "left": LEFT,
        "width": WIDTH - LEFT - 24 - max(line_width(look.label) for look in looks.values()),
    }
    banded = len(looks) <= MOST_WITH_BANDS
    high, beneath = (180, 94) if banded else (150, 124)
    with report_style():
        chart = new_chart(242 if differences is None else 378)
        axes = add_panel(chart, top=22, height=high, **place)
        caption(axes, _about_levels(measure, levels, level, banded=banded))
        _draw_curves(axes, levels.rename({"mean": "value"}), looks, banded=banded)
        if differences is not None:
            axes.tick_params(labelbottom=False, bottom=False)
            axes = add_panel(chart, top=64 + high, height=beneath, beneath=axes, **place)
            what = say("difference to {baseline}", baseline=baseline_name(baseline))
            words = (with_interval(what, differences, level), about_band(differences))
            caption(axes, "\n".join(filter(None, words)))
            if has_values(differences["delta"]):
                _draw_curves(axes, differences.rename({"delta": "value"}), looks, zero=True)
            else:
                leave_empty(axes, say(NO_VALUE_FOR_BOTH))
        mark_cutoffs(axes, levels["k"].unique().sort().to_list())
        axes.set_xlabel("k")
    return chart


def _about_levels(measure: str, levels: pl.DataFrame, level: str, *, banded: bool) -> str:
    what = say("mean {measure}", measure=short(measure))
    if banded or not has_values(levels[ENDS[0]]):
        return with_interval(what, levels, level)
    return say("{what}; its {confidence} interval is in the data", what=what, confidence=level)


def _draw_curves(
    axes: "Axes",
    frame: pl.DataFrame,
    looks: Mapping[str, _Look],
    *,
    banded: bool = True,
    zero: bool = False,
) -> None:
    bands = [column for column in (*ENDS, *BAND) if banded and column in frame.columns]
    drawn = [drawable(frame[column]) for column in ("value", *bands)]
    fit_height(axes, np.concatenate(drawn), zero=zero)
    ends = []
    for place, (system, look) in enumerate(looks.items()):
        course = frame.filter(pl.col("system") == system).sort("k")
        values = drawable(course["value"])
        if np.isfinite(values).any():
            _draw_course(axes, course, look, place, banded=banded)
            ends.append((look, float(values[np.isfinite(values)][-1])))
    _label_ends(axes, ends)


def _draw_course(
    axes: "Axes", course: pl.DataFrame, look: _Look, place: int, *, banded: bool
) -> None:
    """Draw a system's line over its band, with about six markers, between those of the others."""
    ks = course["k"].to_numpy()
    if banded:
        draw_bands(axes, course, look.color)
    step = -(-len(ks) // 6) if len(ks) > 12 else 1
    axes.plot(
        ks,
        drawable(course["value"]),
        color=look.color,
        linestyle=look.dash,
        marker=look.marker,
        markevery=(place * step // 4 % step, step),
        zorder=2.5,
        label=look.label.replace("\n", ""),
    )


def _label_ends(axes: "Axes", ends: Sequence[tuple[_Look, float]]) -> None:
    """Name each line at its end, and where names would lie on each other lead over to them."""
    from matplotlib.lines import Line2D

    width, height = panel_size(axes)
    low, high = axes.get_ylim()
    wanted = [(value - low) / (high - low) * height for _, value in ends]
    places = spread(wanted, [line_height(look.label) for look, _ in ends], (-6, height + 6))
    for (look, _), end, place in zip(ends, wanted, places, strict=True):
        leader = Line2D(
            (1 + 4 / width, 1 + 15 / width),
            (end / height, place / height),
            transform=axes.transAxes,
            color=look.color,
            linewidth=1,
        )
        page_of(axes).add_artist(leader)
        at = (1, place / height)
        note(axes, look.label, at, "axes fraction", offset=(18, 0), va="center", linespacing=1.1)
