"""Curves: a measure against the cut-off and, beneath it, the differences to a baseline.

A few systems share one panel; many get a panel each, so that none hides another. Lines are drawn
over their intervals and bands; the axis is the cut-off. The alt text gives the values at k = 10.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from rankreport.charts._alt_text import baseline_name, sentence_of
from rankreport.charts._chart import (
    BLUE,
    GREEN,
    GREY,
    NO_VALUE,
    NO_VALUE_FOR_BOTH,
    PURPLE,
    SHADE,
    WIDTH,
    checked,
    has_values,
    new_chart,
    report_style,
)
from rankreport.charts._panel import (
    LEFT,
    MOST_PANELS,
    Values,
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
    mark_lowest,
    mark_steps,
    note,
    page_of,
    panel_grid,
    panel_size,
    spread,
)
from rankreport.charts.svg import INK
from rankreport.text import counted, decimals, listed, number, percent, say, short, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts._chart import Chart


ENDS = ("ci_low", "ci_high")


BAND = ("band_low", "band_high")


def draw_bands(axes: "Axes", course: pl.DataFrame, color: str) -> None:
    """Fill a system's intervals, and draw the edges of its band for all cut-offs.

    So each is told from the other also where one of them is missing, in grey and on dark ground. A
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


def with_interval(what: str, frame: pl.DataFrame, confidence: str) -> str:
    """Say of what is drawn that it has intervals, if it has."""
    if not has_values(frame[ENDS[0]]):
        return what
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


_COLUMNS = 3


_HEIGHT = 84


def curve_panels(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None,
    *,
    measure: str,
    baseline: str | None,
    confidence: float,
) -> "Chart":
    """Draw each system's difference to the baseline, or its level, in a panel of its own.

    The highest at the cut-off that is told come first; of more than twelve the others are counted.

    Parameters
    ----------
    levels, differences, measure, baseline, confidence
        As for `rankreport.charts.curves`; the frames have been checked, and hold numbers.
    """
    against = differences is not None and has_values(differences["delta"])
    name = "delta" if against else "mean"
    frame = differences if differences is not None and against else levels
    told = shown_cutoff(frame["k"].unique().sort().to_list())
    order = _highest_first(frame, name, told)
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
            k=told,
        ),
        say(
            "{own}, the others in grey",
            own=with_interval(say("in blue"), drawn, percent(confidence)),
        ),
    ]
    if against and (band := about_band(drawn)):
        words.append(band)
    if left_out:
        n = len(left_out)
        words.append(counted(n, "lower system is left out", "lower systems are left out"))
    chart = _panels(drawn, shown, name, "\n".join(words), told)
    chart.alt = panels_in_words(
        frame,
        shown,
        name=name,
        left_out=len(left_out),
        measure=measure,
        baseline=baseline,
        confidence=confidence,
    )
    chart.data = drawn
    return chart


def _highest_first(frame: pl.DataFrame, name: str, told: int) -> list[str]:
    """Order the systems by their value at one cut-off; those without one come last."""
    at_told = frame.filter(pl.col("k") == told)
    best = at_told.sort(name, descending=True, nulls_last=True, maintain_order=True)["system"]
    return list(dict.fromkeys([*best, *frame["system"]]))


def _panels(
    frame: pl.DataFrame, systems: "Sequence[str]", name: str, title: str, told: int
) -> "Chart":
    ks = frame["k"].unique().sort().to_list()
    courses = {system: frame.filter(pl.col("system") == system).sort("k") for system in systems}
    headings = [(system, _value(courses[system], name, told)) for system in systems]
    bands = [column for column in BAND if column in frame.columns]
    held = np.concatenate([drawable(frame[column]) for column in (name, *ENDS, *bands)])
    with report_style():
        chart, panels = panel_grid(title, headings, columns=_COLUMNS, height=_HEIGHT)
        for axes, system in zip(panels, systems, strict=True):
            fit_height(axes, held, zero=name == "delta")
            _draw_panel_curves(axes, courses, system, name)
            mark_cutoffs(axes, ks)
        mark_lowest(panels, _COLUMNS, "k")
    return chart


def _value(course: pl.DataFrame, name: str, told: int) -> str:
    """Tell a system's value at one cut-off."""
    found = course.filter(pl.col("k") == told)[name].to_list()
    value = found[0] if found else None
    shown = signed(value) if name == "delta" else number(value, 3)
    return say("{value} at k = {k}", value=shown, k=told)


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


POSITIONS = {
    ("above", "at the only k"): "{system} lies above {baseline}",
    ("below", "at the only k"): "{system} lies below {baseline}",
    ("equal", "at the only k"): "{system} equals {baseline}",
    ("above", "at every k"): "{system} lies above {baseline} at every k",
    ("below", "at every k"): "{system} lies below {baseline} at every k",
    ("equal", "at every k"): "{system} equals {baseline} at every k",
    ("above", "at some k"): "{system} lies above {baseline} at {some} of {n} cut-offs and equals "
    "it at the others",
    ("below", "at some k"): "{system} lies below {baseline} at {some} of {n} cut-offs and equals "
    "it at the others",
    ("above", "at all k but one"): "{system} lies above {baseline} at {some} of {n} cut-offs and "
    "equals it at the other",
    ("below", "at all k but one"): "{system} lies below {baseline} at {some} of {n} cut-offs and "
    "equals it at the other",
}
"""How it is said that a system lies on one side of the baseline, and at how many cut-offs."""


def curves_in_words(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None,
    *,
    measure: str,
    baseline: str | None,
    confidence: float,
) -> str:
    """Say what is shown of each system, with the interval at k = 10 if there is one."""
    systems = levels["system"].unique(maintain_order=True).to_list()
    ks = levels["k"].unique().sort().to_list()
    told = shown_cutoff(ks)
    if differences is None:
        found = _levels_at(levels.filter(pl.col("k") == told), systems, confidence)
        return sentence_of(_head(measure, ks), [_at(told, found, ks)])
    clauses = []
    for system in systems:
        if system != baseline:
            course = differences.filter(pl.col("system") == system).sort("k")
            names = {"system": short(system), "baseline": baseline_name(baseline)}
            clauses.append(_course(course, names, several=len(ks) > 1))
            clauses.append(_difference_at(course, told, confidence, several=len(ks) > 1))
            clauses.append(_leaving_out_zero(course, several=len(ks) > 1))
            clauses.append(_without_band(course, several=len(ks) > 1))
    return sentence_of(_head(measure, ks), clauses)


def shown_cutoff(ks: Sequence[int]) -> int:
    """Choose the cut-off at which values are given, and by which panels are ordered."""
    return 10 if 10 in ks else ks[-1]


def _head(measure: str, ks: Sequence[int]) -> str:
    if len(ks) == 1:
        return say("{measure} at k = {k}", measure=short(measure), k=ks[0])
    return say(
        "{measure} at k from {first} to {last}", measure=short(measure), first=ks[0], last=ks[-1]
    )


def _at(k: int, found: str, ks: Sequence[int]) -> str:
    """Say at which cut-off something was found, if there are several."""
    return say("at k = {k}, {found}", k=k, found=found) if len(ks) > 1 else found


def _levels_at(levels: pl.DataFrame, systems: Sequence[str], confidence: float) -> str:
    best_first = levels.filter(pl.col("system").is_in(systems)).sort(
        "mean", descending=True, nulls_last=True
    )
    told = []
    for place, row in enumerate(best_first.iter_rows(named=True)):
        named = {"system": short(row["system"]), "level": _level(row, "mean", confidence)}
        if place:
            told.append(say("{system} {level}", **named))
        else:
            told.append(say("{system} reaches {level}", **named))
    return listed(told)


def _level(row: Mapping[str, Any], name: str, confidence: float) -> str:
    """Write a mean or a difference and, where there is one, its interval."""
    figures, with_sign = [row[each] for each in (name, *ENDS)], name == "delta"
    digits = decimals(*figures) if with_sign else 3
    value, low, high = (number(figure, digits, signed=with_sign) for figure in figures)
    if None in (row["ci_low"], row["ci_high"]):
        return value
    return say(
        "{value} ({confidence} interval {low} to {high})",
        value=value,
        confidence=percent(confidence),
        low=low,
        high=high,
    )


def _course(differences: pl.DataFrame, names: Mapping[str, str], *, several: bool) -> str:
    """Say on which side of the baseline a system lies, at the cut-offs where both are defined."""
    defined = differences.drop_nulls("delta")
    above = defined.filter(pl.col("delta") > 0)["k"].to_list()
    below = defined.filter(pl.col("delta") < 0)["k"].to_list()
    n = len(defined)
    if not n:
        return say("{system} cannot be compared with {baseline}", **names)
    if above and below:
        return _crossing(above, below, defined["k"].to_list(), names)
    side = "above" if above else "below" if below else "equal"
    some = len(above) or len(below) or n
    if some < n:
        where = "at all k but one" if some == n - 1 else "at some k"
        return say(POSITIONS[side, where], some=some, n=n, **names)
    return say(POSITIONS[side, "at every k" if several else "at the only k"], **names)


def _crossing(
    above: Sequence[int], below: Sequence[int], cutoffs: Sequence[int], names: Mapping[str, str]
) -> str:
    unequal = [*above, *below]
    # Equal in between goes without saying; equal at either end does not.
    to_the_ends = min(unequal) == min(cutoffs) and max(unequal) == max(cutoffs)
    if to_the_ends and max(above) < min(below):
        return say(
            "{system} lies above {baseline} up to k = {last} and below from k = {first}",
            last=max(above),
            first=min(below),
            **names,
        )
    if to_the_ends and max(below) < min(above):
        return say(
            "{system} lies below {baseline} up to k = {last} and above from k = {first}",
            last=max(below),
            first=min(above),
            **names,
        )
    return say(
        "{system} lies above {baseline} at {above} and below at {below} of {n} cut-offs",
        above=len(above),
        below=len(below),
        n=len(cutoffs),
        **names,
    )


def _difference_at(differences: pl.DataFrame, k: int, confidence: float, *, several: bool) -> str:
    at_k = differences.drop_nulls("delta").filter(pl.col("k") == k)
    if at_k.is_empty():
        return ""
    difference = _level(at_k.row(0, named=True), "delta", confidence)
    if several:
        return say("at k = {k} the difference is {difference}", k=k, difference=difference)
    return say("the difference is {difference}", difference=difference)


def _leaving_out_zero(differences: pl.DataFrame, *, several: bool) -> str:
    """Say at how many cut-offs the interval of each leaves out 0, and at how many the band does.

    Without a band too few queries changed for a verdict, and such an interval would be read as one.
    """
    known = differences.drop_nulls("delta")
    enough = known.drop_nulls(_bands(known))
    if not several or enough["ci_low"].null_count() == len(enough):
        return ""
    told = {"n": len(_outside(enough, ENDS)), "all": len(enough)}
    whole = len(enough) == len(known)
    if not told["n"]:  # nor does the band, which is no narrower
        nowhere = say("no interval excludes 0")
        return nowhere if whole else say("{found} where enough queries changed", found=nowhere)
    found = say("the interval excludes 0 at {n} of {all} cut-offs", **told)
    if not whole:
        found = say(
            "the interval excludes 0 at {n} of the {all} cut-offs where enough queries changed",
            **told,
        )
    if not _bands(known):
        return found
    if n := len(_outside(enough, BAND)):
        return say("{found}, the simultaneous band at {n}", found=found, n=n)
    return say("{found}, the simultaneous band at none", found=found)


def _bands(differences: pl.DataFrame) -> list[str]:
    return [column for column in BAND if column in differences.columns]


def _outside(differences: pl.DataFrame, ends: tuple[str, str]) -> pl.DataFrame:
    """Return the rows of which these ends lie on one side of 0."""
    low, high = map(pl.col, ends)
    return differences.filter((low > 0) | (high < 0))


def _without_band(differences: pl.DataFrame, *, several: bool) -> str:
    """Say why there is no band for all cut-offs, where none of them has one."""
    known = differences.drop_nulls("delta")
    if not several or known.is_empty() or len(known.drop_nulls(_bands(known))):
        return ""
    return say("there is no simultaneous band, as too few queries changed")


def panels_in_words(
    frame: pl.DataFrame,
    shown: Sequence[str],
    *,
    name: str,
    left_out: int,
    measure: str,
    baseline: str | None,
    confidence: float,
) -> str:
    """Say what panels of many systems show, of which the highest at the k told come first."""
    ks = frame["k"].unique().sort().to_list()
    told, head = shown_cutoff(ks), _head(measure, ks)
    at_k = frame.filter(pl.col("k") == told)
    if name == "mean":
        clauses = [_at(told, _levels_at(at_k, shown[:3], confidence), ks)]
    else:
        clauses = [_sides(frame), _apart(frame), _at(told, _ends_at(at_k, confidence), ks)]
        head = say("{head}, differences to {baseline}", head=head, baseline=baseline_name(baseline))
    clauses.append(say("a panel for each of {n} systems", n=len(shown)))
    if left_out:
        rest = counted(left_out, "other system is left out", "other systems are left out")
        clauses.append(rest)
    return sentence_of(head, clauses)


def _sides(differences: pl.DataFrame) -> str:
    """Count the systems that lie above the baseline at every cut-off, below, and on both sides."""
    ends = differences.group_by("system").agg(
        pl.col("delta").min().alias("least"), pl.col("delta").max().alias("most")
    )
    above, below = int((ends["least"] > 0).sum()), int((ends["most"] < 0).sum())
    told = counted(above, "system lies above", "systems lie above")
    if differences["k"].n_unique() > 1:
        told = counted(above, "system lies above at every k", "systems lie above at every k")
    return say(
        "{above}, {below} below and {neither} on neither side alone",
        above=told,
        below=below,
        neither=len(ends) - above - below,
    )


def _apart(differences: pl.DataFrame) -> str:
    """Count the systems of which the band for all cut-offs leaves out 0 at one of them."""
    if not _bands(differences) or differences[BAND[0]].null_count() == len(differences):
        return ""
    return say(
        "of {n} systems, {apart} have a simultaneous band that excludes 0 at some k",
        n=differences["system"].n_unique(),
        apart=_outside(differences, BAND)["system"].n_unique(),
    )


def _ends_at(at_k: pl.DataFrame, confidence: float) -> str:
    """Name the systems with the largest and the smallest difference at a cut-off."""
    known = at_k.drop_nulls("delta").sort("delta", descending=True, maintain_order=True)
    if known.is_empty():
        return say("no system has a difference")
    if known["delta"].n_unique() == 1:
        n = counted(len(known), "system", "systems")
        return say("{difference} with {systems}", difference=signed(known["delta"][0]), systems=n)
    first, last = (
        say(
            "{system} {level}",
            system=short(row["system"]),
            level=_level(row, "delta", confidence),
        )
        for row in known[[0, -1]].iter_rows(named=True)
    )
    return say("from {first} down to {last}", first=first, last=last)
