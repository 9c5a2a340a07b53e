"""Curves: a measure against the cut-off and, beneath it, the differences to a baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankreport.charts.chart import (
    BLUE,
    GREEN,
    GREY,
    NO_VALUE,
    NO_VALUE_FOR_BOTH,
    PURPLE,
    VERMILLION,
    WIDTH,
    checked,
    has_values,
    new_chart,
    report_style,
)
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
    mark_factors,
    mark_steps,
    note,
    page_of,
    panel_size,
    spread,
)
from rankreport.rendering.text import counted, listed, number, percent, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts.chart import Chart

_ENDS = ("ci_low", "ci_high")
_BAND = ("band_low", "band_high")


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
    what to look at. Of more than four systems the baseline and the three best at the largest k
    are drawn in colour, the others in grey.

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
    levels = checked(levels, "system", "k", numbers=("mean", *_ENDS))
    if differences is not None:
        bands = [column for column in _BAND if column in differences.columns]
        differences = checked(differences, "system", "k", numbers=("delta", *_ENDS, *bands))
    looks = _looks(levels, baseline)
    if has_values(levels["mean"]):
        chart = _drawn(
            levels,
            differences,
            looks,
            measure=short(measure),
            baseline=short(baseline or "the baseline"),
            confidence=percent(confidence),
        )
        spoken = [system for system, look in looks.items() if look.spoken]
        chart.alt = _in_words(
            levels,
            differences,
            spoken,
            measure=measure,
            baseline=baseline,
            confidence=confidence,
        )
    else:
        chart = empty_chart(f"mean {short(measure)}", NO_VALUE)
        chart.alt = f"{short(measure)} by cut-off: {NO_VALUE}."
    chart.data = _data(levels, differences)
    return chart


def _data(levels: pl.DataFrame, differences: pl.DataFrame | None) -> pl.DataFrame:
    if differences is None:
        return levels
    beside = differences.rename({"ci_low": "delta_low", "ci_high": "delta_high"})
    return levels.join(beside, on=["system", "k"], how="left", maintain_order="left")


# How a system looks: told apart by colour, dashes and marker, or in the background.

_Dash = str | tuple[float, tuple[float, ...]]

_SPOKEN: Sequence[tuple[str, _Dash, str]] = (
    (BLUE, "-", "o"),
    (VERMILLION, (0, (5, 1.5)), "s"),
    (GREEN, (0, (1.2, 1.2)), "^"),
    (PURPLE, (0, (5, 1.5, 1.2, 1.5)), "D"),
)


@dataclass(frozen=True)
class _Look:
    label: str
    color: str = GREY
    dash: _Dash = "-"
    marker: str = ""
    spoken: bool = False


def _looks(levels: pl.DataFrame, baseline: str | None) -> dict[str, _Look]:
    """Choose the systems that are spoken of: the baseline, and the best at the largest k."""
    named = levels["system"].unique(maintain_order=True).to_list()
    named.sort(key=lambda system: system != baseline)
    last = levels.filter(pl.col("k") == pl.col("k").max())
    best = last.sort("mean", descending=True, nulls_last=True)["system"]
    first = list(dict.fromkeys([*named[: baseline in named], *best, *named]))[: len(_SPOKEN)]
    spoken = [system for system in named if system in first]
    looks = {
        system: _Look(in_two_lines(short(system)), color, dash, marker, spoken=True)
        for system, (color, dash, marker) in zip(spoken, _SPOKEN, strict=False)
    }
    others = (system for system in named if system not in looks)
    return looks | {system: _Look(in_two_lines(short(system))) for system in others}


# The drawing.


def _drawn(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None,
    looks: Mapping[str, _Look],
    *,
    measure: str,
    baseline: str,
    confidence: str,
) -> "Chart":
    place: dict[str, Any] = {
        "left": LEFT,
        "width": WIDTH - LEFT - 24 - max(line_width(look.label) for look in looks.values()),
    }
    with report_style():
        chart = new_chart(242 if differences is None else 366)
        axes = add_panel(chart, top=22, height=180, **place)
        caption(axes, f"mean {measure}{_with_interval(levels, confidence)}")
        _draw_curves(axes, levels.rename({"mean": "value"}), looks)
        if differences is not None:
            axes.tick_params(labelbottom=False, bottom=False)
            axes = add_panel(chart, top=232, height=94, beneath=axes, **place)
            with_band = _with_band(differences)
            title = f"difference to {baseline}{_with_interval(differences, confidence)}{with_band}"
            caption(axes, title)
            if has_values(differences["delta"]):
                _draw_curves(axes, differences.rename({"delta": "value"}), looks, zero=True)
            else:
                leave_empty(axes, NO_VALUE_FOR_BOTH)
        _mark_cutoffs(axes, levels["k"].unique().sort().to_list())
    return chart


def _with_interval(frame: pl.DataFrame, confidence: str) -> str:
    return f", with its {confidence} interval" if has_values(frame["ci_low"]) else ""


def _with_band(differences: pl.DataFrame) -> str:
    drawn = _BAND[0] in differences.columns and has_values(differences[_BAND[0]])
    return " and a band for all k at once" if drawn else ""


def _mark_cutoffs(axes: "Axes", ks: Sequence[int]) -> None:
    """Mark the cut-offs, on a scale of factors if that is how they grow."""
    grows = len(ks) > 2 and ks[-1] - ks[-2] > 4 * (ks[1] - ks[0])
    axes.set_xscale("log" if grows else "linear")
    room = 0 if len(ks) > 1 else 0.5
    axes.set_xlim(ks[0] - room, ks[-1] + room)
    mark = mark_factors if grows else mark_steps
    mark(axes, ks)
    axes.set_xlabel("k")


def _draw_curves(
    axes: "Axes", frame: pl.DataFrame, looks: Mapping[str, _Look], *, zero: bool = False
) -> None:
    bands = [column for column in _BAND if column in frame.columns]
    drawn = [drawable(frame[column]) for column in ("value", *_ENDS, *bands)]
    fit_height(axes, np.concatenate(drawn), zero=zero)
    ends = []
    for place, (system, look) in enumerate(looks.items()):
        course = frame.filter(pl.col("system") == system).sort("k")
        values = drawable(course["value"])
        if np.isfinite(values).any():
            _draw_course(axes, course, look, place)
            ends.append((look, float(values[np.isfinite(values)][-1])))
    _label_ends(axes, _named_ends(ends, room=panel_size(axes)[1] + 12))


def _draw_course(axes: "Axes", course: pl.DataFrame, look: _Look, place: int) -> None:
    """Draw a system's line over its band, with about six markers, between those of the others."""
    ks = course["k"].to_numpy()
    values, low, high = (drawable(course[column]) for column in ("value", *_ENDS))
    if look.spoken and len(ks) > 1 and _BAND[0] in course.columns:
        lowest, highest = (drawable(course[column]) for column in _BAND)
        axes.fill_between(ks, lowest, highest, color=look.color, alpha=0.08, linewidth=0)
    if look.spoken and len(ks) > 1:
        axes.fill_between(ks, low, high, color=look.color, alpha=0.16, linewidth=0)
    elif look.spoken:
        axes.vlines(ks, low, high, color=look.color, linewidth=1.2)
    step = -(-len(ks) // 6) if len(ks) > 12 else 1
    axes.plot(
        ks,
        values,
        color=look.color,
        linestyle=look.dash,
        linewidth=1.6 if look.spoken else 0.8,
        marker=look.marker or ("." if len(ks) == 1 else ""),
        markevery=(place * step // 4 % step, step),
        zorder=2.5 if look.spoken else 2,
        label=look.label.replace("\n", ""),
    )


def _named_ends(ends: list[tuple[_Look, float]], room: float) -> list[tuple[_Look, float]]:
    """Choose the lines to name: all, or where there is no room, the grey ones together."""
    grey = [value for look, value in ends if not look.spoken]
    if sum(line_height(look.label) for look, _ in ends) <= room or not grey:
        return ends
    spoken = [(look, value) for look, value in ends if look.spoken]
    return [*spoken, (_Look(counted(len(grey), "other", "others")), fmean(grey))]


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


# The sentence.


def _in_words(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None,
    spoken: Sequence[str],
    *,
    measure: str,
    baseline: str | None,
    confidence: float,
) -> str:
    """Say what is shown: the systems in `spoken` alone, the interval at k = 10 if there is one."""
    ks = levels["k"].unique().sort().to_list()
    told = 10 if 10 in ks else ks[-1]
    cutoffs = f"from {ks[0]} to {ks[-1]}" if len(ks) > 1 else f"= {told}"
    clauses: list[str] = []
    if differences is None:
        at = f"at k = {told}, " if len(ks) > 1 else ""
        clauses = [at + _levels_at(levels.filter(pl.col("k") == told), spoken, confidence)]
    elif rest := [system for system in spoken if system != baseline]:
        against = short(baseline or "the baseline")
        for system in rest:
            course = differences.filter(pl.col("system") == system).sort("k")
            clauses.append(f"{short(system)} {_course(course, against, several=len(ks) > 1)}")
            difference = _difference_at(course, told, confidence)
            clauses.append(f"at k = {told} " * (difference > "" and len(ks) > 1) + difference)
    others = levels["system"].n_unique() - len(spoken)
    clauses += [f"{counted(others, 'other system is', 'other systems are')} in grey"] * (others > 0)
    return f"{short(measure)} at k {cutoffs}: {'; '.join(filter(None, clauses))}."


def _levels_at(levels: pl.DataFrame, spoken: Sequence[str], confidence: float) -> str:
    best_first = levels.filter(pl.col("system").is_in(spoken)).sort(
        "mean", descending=True, nulls_last=True
    )
    told = [
        f"{short(row['system'])} {'' if place else 'reaches '}{number(row['mean'], 3)}"
        f"{_interval(row, confidence)}"
        for place, row in enumerate(best_first.iter_rows(named=True))
    ]
    return listed(told)


def _interval(row: Mapping[str, Any], confidence: float, *, signed: bool = False) -> str:
    if None in (row["ci_low"], row["ci_high"]):
        return ""
    low, high = (number(row[end], 3, signed=signed) for end in _ENDS)
    return f" ({percent(confidence)} interval {low} to {high})"


def _course(differences: pl.DataFrame, baseline: str, *, several: bool) -> str:
    """Say on which side of the baseline a system lies, at the cut-offs where both are defined."""
    defined = differences.drop_nulls("delta")
    above = defined.filter(pl.col("delta") > 0)["k"].to_list()
    below = defined.filter(pl.col("delta") < 0)["k"].to_list()
    n = len(defined)
    if not n:
        return f"can't be set against {baseline}"
    if above and below:
        return _crossing(above, below, defined["k"].to_list(), baseline)
    verb, count = ("lies above", len(above)) if above else ("lies below", len(below))
    if not count:
        verb, count = "equals", n
    where = "every k" if count == n else f"{count} of {n} cut-offs and equals it at the others"
    return f"{verb} {baseline}" + f" at {where}" * several


def _crossing(
    above: Sequence[int], below: Sequence[int], cutoffs: Sequence[int], baseline: str
) -> str:
    unequal = [*above, *below]
    # Equal in between goes without saying; equal at either end does not.
    to_the_ends = min(unequal) == min(cutoffs) and max(unequal) == max(cutoffs)
    if to_the_ends and max(above) < min(below):
        return f"lies above {baseline} up to k = {max(above)} and below from k = {min(below)}"
    if to_the_ends and max(below) < min(above):
        return f"lies below {baseline} up to k = {max(below)} and above from k = {min(above)}"
    where = f"at {len(above)} and below at {len(below)} of {len(cutoffs)} cut-offs"
    return f"lies above {baseline} {where}"


def _difference_at(differences: pl.DataFrame, k: int, confidence: float) -> str:
    at_k = differences.drop_nulls("delta").filter(pl.col("k") == k)
    for row in at_k.head(1).iter_rows(named=True):
        size = number(row["delta"], 3, signed=True)
        return f"the difference is {size}{_interval(row, confidence, signed=True)}"
    return ""
