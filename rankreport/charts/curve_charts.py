"""Curves: a measure against the cut-off and, beneath it, the differences to a baseline.

A few systems share one panel; many get a panel each, so that none hides another. Lines are drawn
over their intervals and bands; the axis is the cut-off. The alt text gives the values at one of
them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt
import polars as pl

from rankreport.charts._alt_text import baseline_name, sentence_of, valued
from rankreport.charts._chart import (
    BLUE,
    GREEN,
    GREY,
    NO_VALUE,
    NO_VALUE_FOR_BOTH,
    PURPLE,
    SHADE,
    checked,
    has_values,
    new_chart,
    report_style,
)
from rankreport.charts._end_labels import label_ends
from rankreport.charts._key import KeyEntry, draw_key, key_height
from rankreport.charts._panel import (
    LEFT,
    MOST_PANELS,
    Values,
    add_panel,
    caption,
    drawable,
    empty_chart,
    fit_height,
    fitted,
    in_two_lines,
    leave_empty,
    line_height,
    line_width,
    mark_factors,
    mark_steps,
    panel_grid,
    wrapped,
)
from rankreport.charts.canvas import INK, ChartOptions, current_page, inked, sizable
from rankreport.text import counted, listed, number, percent, say, short, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts._chart import Chart


ENDS = ("ci_low", "ci_high")


BAND = ("band_low", "band_high")


def draw_bands(axes: "Axes", course: pl.DataFrame, color: str) -> None:
    """Fill a system's intervals, and draw the edges of its band for all cut-offs.

    So each differs from the other also where one of them is missing, in grey and on dark ground. A
    cut-off whose neighbours have none is a line, or a stroke at each edge.
    """
    ks = course["k"].to_numpy()
    low, high = (drawable(course[column]) for column in ENDS)
    axes.fill_between(ks, low, high, color=color, alpha=SHADE, linewidth=0)
    alone = _alone(low + high)
    if alone.any():
        axes.vlines(ks[alone], low[alone], high[alone], color=color, linewidth=1.2)
    for edge in (drawable(course[column]) for column in BAND if column in course.columns):
        axes.plot(
            ks,
            edge,
            color=color,
            linewidth=0.7,
            marker="_",
            markevery=_alone(edge),
            label="_band",
        )


def _alone(values: Values) -> npt.NDArray[np.bool_]:
    """Tell which values have no neighbour that a line could lead to."""
    known = np.pad(np.isfinite(values), 1)
    alone: npt.NDArray[np.bool_] = known[1:-1] & ~known[:-2] & ~known[2:]
    return alone


def with_interval(what: str, frame: pl.DataFrame, confidence: str, n_simultaneous: int = 1) -> str:
    """Say of what is drawn that it has intervals, if it has, and for how many at once."""
    if not has_values(frame[ENDS[0]]):
        return what
    if n_simultaneous > 1:
        return say(
            "{what}, with its {confidence} interval, simultaneous for {n} differences",
            what=what,
            confidence=confidence,
            n=n_simultaneous,
        )
    return say("{what}, with its {confidence} interval", what=what, confidence=confidence)


def about_band(differences: pl.DataFrame) -> str:
    """Say what the band is drawn as, if there is one, and why there may be none at some k."""
    known = differences.drop_nulls("delta")
    if BAND[0] not in known.columns or not has_values(known[BAND[0]]):
        return ""
    if known[BAND[0]].null_count():
        return say("thin lines: simultaneous band for all k, where enough queries changed")
    return say("thin lines: simultaneous band for all k")


def mark_cutoffs(axes: "Axes", ks: Sequence[int]) -> None:
    """Mark the cut-offs, on a scale of factors if that is how they grow."""
    grows = len(ks) > 2 and ks[-1] - ks[-2] > 4 * (ks[1] - ks[0])
    axes.set_xscale("log" if grows else "linear")
    room = 0 if len(ks) > 1 else 0.5
    axes.set_xlim(ks[0] - room, ks[-1] + room)
    mark = mark_factors if grows else mark_steps
    mark(axes, ks)


@sizable
def curves(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None = None,
    *,
    measure: str,
    baseline: str | None = None,
    confidence: float = 0.95,
    n_simultaneous: int = 1,
    **options: Unpack[ChartOptions],
) -> "Chart":
    """Draw a measure against the cut-off and, beneath it, the paired differences to a baseline.

    Bands of two systems may overlap where their paired difference is clear, so the difference is
    what to look at; the levels of more than two systems are drawn without bands. Of more than four
    systems each has a panel of its own, in which its difference is drawn in colour and those of the
    others in grey, on a scale of its own.

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
    n_simultaneous
        For how many differences the intervals hold at once.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> levels = pl.DataFrame({"system": ["bm25", "dense"], "k": [10, 10], "mean": [0.4, 0.5],
    ...                        "ci_low": [0.3, 0.4], "ci_high": [0.5, 0.6]})
    >>> curves(levels, measure="nDCG").alt  # doctest: +NORMALIZE_WHITESPACE
    'nDCG by cut-off: at k = 10, with 95 % intervals, bm25 0.400 (0.300 to 0.500) and dense 0.500
    (0.400 to 0.600).'
    """
    del options
    levels = checked(levels, "system", "k", numbers=("mean", *ENDS))
    if differences is not None:
        bands = [column for column in BAND if column in differences.columns]
        differences = checked(differences, "system", "k", numbers=("delta", *ENDS, *bands))
    names: dict[str, Any] = {"measure": measure, "baseline": baseline, "confidence": confidence}
    drawn = {**names, "n_simultaneous": n_simultaneous}
    if not has_values(levels["mean"]):
        chart = empty_chart(say("mean {measure}", measure=short(measure)), say(NO_VALUE))
        head = say("{measure} by cut-off", measure=short(measure))
        chart.alt = sentence_of(head, [say(NO_VALUE)])
    elif levels["system"].n_unique() > MOST_IN_ONE_PANEL:
        return curve_panels(levels, differences, **drawn)
    else:
        chart = _drawn(levels, differences, **drawn)
        chart.alt = curves_in_words(levels, differences, **names)
    chart.data = _data(levels, differences)
    return chart


def _data(levels: pl.DataFrame, differences: pl.DataFrame | None) -> pl.DataFrame:
    if differences is None:
        return levels
    renamed = differences.rename({"ci_low": "delta_low", "ci_high": "delta_high"})
    return levels.join(renamed, on=["system", "k"], how="left", maintain_order="left")


# How a system looks: by colour, dashes and marker. Elsewhere blue wins and vermillion loses, so the
# baseline is drawn in ink, and only the last of four systems in one of those.

Dash = str | tuple[float, tuple[float, ...]]

LOOKS: Sequence[tuple[str, Dash, str]] = (
    (INK, "-", "o"),
    (GREEN, (0, (5, 1.5)), "s"),
    (PURPLE, (0, (1.2, 1.2)), "^"),
    (BLUE, (0, (5, 1.5, 1.2, 1.5)), "D"),
)

MOST_IN_ONE_PANEL = len(LOOKS)
"""More systems have a panel each."""

MOST_WITH_BANDS = 2
"""Of levels; those of more lie over each other until none differs from the next."""


@dataclass(frozen=True)
class _Look:
    label: str
    color: str
    dash: Dash
    marker: str

    def entry(self, width: float) -> KeyEntry:
        """Its entry in a key of some width."""
        name = fitted(self.label.replace("\n", ""), width)
        return KeyEntry(name, self.color, self.dash, self.marker)


def _looks(levels: pl.DataFrame, baseline: str | None) -> dict[str, _Look]:
    """Give each system a look, the baseline the first."""
    named = levels["system"].unique(maintain_order=True).to_list()
    named.sort(key=lambda system: system != baseline)
    return {
        system: _Look(in_two_lines(short(system)), inked(color), dash, marker)
        for system, (color, dash, marker) in zip(named, LOOKS, strict=False)
    }


# The drawing.


def _drawn(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None,
    *,
    measure: str,
    baseline: str | None,
    confidence: float,
    n_simultaneous: int,
) -> "Chart":
    looks, level, page = _looks(levels, baseline), percent(confidence), current_page()
    names = max(line_width(look.label) for look in looks.values())
    has_room = page.width - LEFT - 24 - names >= _LEAST_PANEL
    width = page.width - LEFT - (24 + names if has_room else 16)
    key = [] if has_room else [look.entry(page.width - 40) for look in looks.values()]
    banded = len(looks) <= MOST_WITH_BANDS
    high, beneath = (180, 94) if banded else (150, 124)
    title = wrapped(_about_levels(measure, levels, level, banded=banded), page.width - 4)
    top, foot, under = 10.5 + line_height(title) + key_height(key), 40.0, ""
    if differences is None:
        beneath, between = 0, 0.0
    else:
        what = say("difference to {baseline}", baseline=baseline_name(baseline))
        words = (with_interval(what, differences, level, n_simultaneous), about_band(differences))
        under = wrapped("\n".join(filter(None, words)), page.width - 4)
        between = 19 + line_height(under)
    total = page.height(top + high + between + beneath + foot)
    share = (total - top - between - foot) / (high + beneath)
    place: dict[str, Any] = {"left": LEFT, "width": width}
    with report_style():
        chart = new_chart(total)
        axes = add_panel(chart, top=top, height=high * share, **place)
        caption(axes, title, above=8 + key_height(key))
        draw_key(axes, key, (0, 1), (2 - LEFT, 4 + key_height(key)))
        _draw_curves(axes, levels.rename({"mean": "value"}), looks, banded=banded, named=has_room)
        if differences is not None:
            axes.tick_params(labelbottom=False, bottom=False)
            lower = top + high * share + between
            axes = add_panel(chart, top=lower, height=beneath * share, beneath=axes, **place)
            caption(axes, under)
            if has_values(differences["delta"]):
                values = differences.rename({"delta": "value"})
                _draw_curves(axes, values, looks, zero=True, named=has_room)
            else:
                leave_empty(axes, say(NO_VALUE_FOR_BOTH))
        mark_cutoffs(axes, levels["k"].unique().sort().to_list())
        axes.set_xlabel(say("cut-off k"))
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
    named: bool = True,
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
            ends.append((look.label, look.color, float(values[np.isfinite(values)][-1])))
    if named:
        label_ends(axes, ends)


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


_LEAST_PANEL = 200
"""The width of a panel next to the names of its lines; with less they stand above it."""

_HEIGHT = 84


def curve_panels(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None,
    *,
    measure: str,
    baseline: str | None,
    confidence: float,
    n_simultaneous: int = 1,
) -> "Chart":
    """Draw each system's difference to the baseline, or its level, in a panel of its own.

    The highest at the cut-off shown come first; of more than twelve the others are counted.

    Parameters
    ----------
    levels, differences, measure, baseline, confidence, n_simultaneous
        As for `rankreport.charts.curves`; the frames have been checked, and hold numbers.
    """
    against = differences is not None and has_values(differences["delta"])
    name = "delta" if against else "mean"
    frame = differences if differences is not None and against else levels
    ks = frame["k"].unique().sort().to_list()
    cutoff = shown_cutoff(ks)
    order = _highest_first(frame, name, cutoff)
    shown, left_out = order[:MOST_PANELS], order[MOST_PANELS:]
    drawn = frame.filter(pl.col("system").is_in(shown))
    what = say("mean")
    if against:
        what = say("difference to {baseline}", baseline=baseline_name(baseline))
    words = [
        say(
            "{measure}: {what}, a panel per system, the highest at k = {k} first",
            measure=short(measure),
            what=what,
            k=cutoff,
        ),
        say(
            "{own}, the others in grey; each panel has its own scale",
            own=with_interval(
                say("in blue"), drawn, percent(confidence), n_simultaneous if against else 1
            ),
        ),
    ]
    words.append(about_band(drawn) if against else "")
    words.append(_left_out(len(left_out)))
    chart = _panels(drawn, shown, name, "\n".join(filter(None, words)), cutoff)
    chart.alt = curves_in_words(
        drawn,
        drawn if against else None,
        measure=measure,
        baseline=baseline,
        confidence=confidence,
        left_out=len(left_out),
    )
    chart.data = drawn
    return chart


def _highest_first(frame: pl.DataFrame, name: str, cutoff: int) -> list[str]:
    """Order the systems by their value at one cut-off; those without one come last."""
    at_cutoff = frame.filter(pl.col("k") == cutoff)
    best = at_cutoff.sort(name, descending=True, nulls_last=True, maintain_order=True)["system"]
    return list(dict.fromkeys([*best, *frame["system"]]))


def _panels(
    frame: pl.DataFrame, systems: "Sequence[str]", name: str, title: str, cutoff: int
) -> "Chart":
    ks = frame["k"].unique().sort().to_list()
    courses = {system: frame.filter(pl.col("system") == system).sort("k") for system in systems}
    headings = [(system, _value(courses[system], name, cutoff)) for system in systems]
    held = [name, *(column for column in (*ENDS, *BAND) if column in frame.columns)]
    with report_style():
        chart, panels = panel_grid(title, headings, say("cut-off k"), height=_HEIGHT)
        for axes, system in zip(panels, systems, strict=True):
            own = np.concatenate([drawable(courses[system][column]) for column in held])
            known = own[np.isfinite(own)]
            fit_height(axes, known if len(known) else np.zeros(1), zero=name == "delta")
            _draw_panel_curves(axes, courses, system, name)
            mark_cutoffs(axes, ks)
    return chart


def _value(course: pl.DataFrame, name: str, cutoff: int) -> str:
    """Tell a system's value at one cut-off."""
    found = course.filter(pl.col("k") == cutoff)[name].to_list()
    value = found[0] if found else None
    shown = signed(value) if name == "delta" else number(value, 3)
    return say("{value} at k = {k}", value=shown, k=cutoff)


def _draw_panel_curves(
    axes: "Axes", courses: dict[str, pl.DataFrame], current_language: str, name: str
) -> None:
    """Draw one system in colour over the others in grey."""
    for system, course in courses.items():
        own = system == current_language
        if own:
            draw_bands(axes, course, BLUE)
        axes.plot(
            course["k"].to_numpy(),
            drawable(course[name]),
            color=BLUE if own else GREY,
            linewidth=1.6 if own else 0.5,
            marker="." if len(course) == 1 else "",
            zorder=2.5 if own else 2,
            label=short(system),
        )


def curves_in_words(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None,
    *,
    measure: str,
    baseline: str | None,
    confidence: float,
    left_out: int = 0,
) -> str:
    """Say the difference of each system to the baseline at one cut-off, or else its level."""
    name, frame = ("mean", levels) if differences is None else ("delta", differences)
    ks = frame["k"].unique().sort().to_list()
    head = say("{measure} by cut-off", measure=short(measure))
    if differences is not None:
        head = say("{head}, differences to {baseline}", head=head, baseline=baseline_name(baseline))
    at_cutoff = frame.filter(pl.col("k") == shown_cutoff(ks)).iter_rows(named=True)
    each = [
        f"{short(row['system'])} {valued(row, name, *ENDS, signed=differences is not None)}"
        for row in at_cutoff
    ]
    found = say(
        "at k = {k}, with {confidence} intervals, {found}",
        k=shown_cutoff(ks),
        confidence=percent(confidence),
        found=listed(each),
    )
    return sentence_of(head, [found, _left_out(left_out)])


def _left_out(n: int) -> str:
    return counted(n, "lower system is left out", "lower systems are left out") if n else ""


def shown_cutoff(ks: Sequence[int]) -> int:
    """Choose the cut-off at which values are given, and by which panels are ordered."""
    return 10 if 10 in ks else ks[-1]
