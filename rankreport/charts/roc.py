"""What systems do at every threshold of their scores: ROC and precision-recall curves.

The lines of ROC and precision-recall curves: their points, the areas beneath, fewer points.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import polars as pl

from rankreport.charts._alt_text import sentence_of
from rankreport.charts._chart import BLUE, GREY, SHADE, checked, new_chart, report_style
from rankreport.charts._key import KeyEntry, draw_key, key_height, key_width
from rankreport.charts._panel import (
    LEFT,
    MOST_PANELS,
    add_panel,
    caption,
    empty_chart,
    fitted,
    line_height,
    literal,
    panel_grid,
    wrapped,
)
from rankreport.charts.canvas import ChartOptions, current_page, inked, sizable
from rankreport.charts.curve_charts import LOOKS, MOST_IN_ONE_PANEL, MOST_WITH_BANDS
from rankreport.text import counted, number, say, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankreport.charts._chart import Chart


NO_SCORE = "no judged document has a score"
"""What stands in the place of curves for which there are no scores."""
_FINE, _SOFT, _COARSE = 1 / 200, 1 / 120, 1 / 60
"""How far what is drawn of a curve, of a band, and of the curves behind may be from it, roughly."""

_TOLD = 4
"""So many areas are given in words."""

_EQUAL = 1e-12
"""Areas no further apart than this are equal."""


@sizable
def roc_curves(
    points: pl.DataFrame,
    bands: pl.DataFrame | None = None,
    areas: pl.DataFrame | None = None,
    **options: Unpack[ChartOptions],
) -> "Chart":
    """Draw ROC curves: which share of the other documents comes with which of the relevant ones.

    Up to four systems share one panel. Of more each has a panel, with the others behind it in
    grey; of more than twelve the others are counted. The largest area comes first.

    Parameters
    ----------
    points
        `system` (String), `threshold`, `fpr`, `tpr` (Float64), thresholds falling from infinity; a
        rate is null where there is nothing to count.
    bands
        `system`, `fpr`, `tpr`, `ci_low`, `ci_high`, an interval of each place by itself, null where
        nothing varies; or None.
    areas
        `system`, `curve` (`"roc"`), `area`, `ci_low`, `ci_high` likewise.
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> points = pl.DataFrame({"system": "dense", "threshold": [float("inf"), 0.9, 0.5, 0.1],
    ...                        "fpr": [0.0, 0.0, 0.5, 1.0], "tpr": [0.0, 0.5, 1.0, 1.0]})
    >>> roc_curves(points).alt
    'ROC curves: dense, AUC 0.875.'
    """
    del options
    return _chart(points, bands, areas, ROC)


@sizable
def precision_recall_curves(
    points: pl.DataFrame,
    bands: pl.DataFrame | None = None,
    areas: pl.DataFrame | None = None,
    **options: Unpack[ChartOptions],
) -> "Chart":
    """Draw precision-recall curves: how pure the result is at each recall.

    A line shows what chance reaches: the precision of all documents together, their prevalence.
    Panels and their order are as for `roc_curves`.

    Parameters
    ----------
    points
        `system` (String), `threshold`, `recall`, `precision` (Float64), thresholds falling from
        infinity to the lowest score.
    bands, areas
        As for `roc_curves`, of `recall` and `precision` (the curve `"precision_recall"`).
    options
        Where and how large it is drawn, and in which style: see `ChartOptions`.

    Examples
    --------
    >>> points = pl.DataFrame({"system": "dense", "threshold": [float("inf"), 0.9, 0.5, 0.1],
    ...                        "recall": [0.0, 0.5, 0.5, 1.0], "precision": [1.0, 1.0, 0.5, 0.5]})
    >>> precision_recall_curves(points).alt
    'precision-recall curves: dense, area 0.750, chance 0.500.'
    """
    del options
    return _chart(points, bands, areas, PRECISION_RECALL)


class _Kind(NamedTuple):
    """What is drawn against what, and how that is called."""

    curve: str
    across: str
    upwards: str
    name: str
    title: str
    upright: str
    axis: str
    area: str
    steps: bool = False


ROC = _Kind(
    "roc",
    "fpr",
    "tpr",
    "ROC curves",
    "ROC curves, the largest area (pooled AUC) first",
    "true positive rate",
    "false positive rate",
    "AUC {area}",
)
PRECISION_RECALL = _Kind(
    "precision_recall",
    "recall",
    "precision",
    "precision-recall curves",
    "precision-recall curves, the largest area first",
    "precision (dashed line: of all documents)",
    "recall",
    "area {area}",
    steps=True,
)


def _chart(
    points: pl.DataFrame, bands: pl.DataFrame | None, areas: pl.DataFrame | None, kind: _Kind
) -> "Chart":
    points = checked(points, "system", numbers=("threshold", kind.across, kind.upwards))
    curves = every = curves_of(points, kind.across, kind.upwards)
    chance: dict[str, float] = {}
    if kind.steps:
        curves = {name: from_first_hit(own) for name, own in every.items()}
        chance = {name: float(own[-1, 1]) for name, own in every.items()}
    area_of = area_of_steps if kind.steps else area_of_lines
    sizes = largest_first({name: area_of(own) for name, own in curves.items()})
    ends, shaded = _ends(areas, kind.curve), _shaded(bands, kind)

    def heading(system: str) -> str:
        words = [say(kind.area, area=_figure(sizes[system], ends.get(system)))]
        if chance:
            words.append(say("chance {chance}", chance=number(chance[system], 3)))
        return "\n".join(words)

    def behind(axes: "Axes", system: str, color: str | None) -> None:
        if color is not None:
            shaded(axes, system, color)
        if chance:
            axes.axhline(chance[system], color=GREY, linewidth=0.8, linestyle=(0, (4, 2)))
        else:
            axes.plot((0, 1), (0, 1), color=GREY, linewidth=0.8)

    shown = list(sizes)[:MOST_PANELS]
    fine = {
        name: thinned(in_steps(curves[name]) if kind.steps else curves[name], _FINE)
        for name in shown
    }
    if shown:
        both = {name: (line, thinned(line, _COARSE)) for name, line in fine.items()}
        together = partial(_together, order=list(curves))
        draw = together if len(shown) <= MOST_IN_ONE_PANEL else _apart
        chart = draw(both, kind, heading, behind)
    else:
        chart = empty_chart(say(kind.name), say(NO_SCORE))
    texts = [
        say("{name}, {found}", name=short(name), found=heading(name).replace("\n", ", "))
        for name in shown[:_TOLD]
    ]
    chart.alt = sentence_of(say(kind.name), [*texts, *_others(list(sizes.values()))])
    chart.areas = _of_systems(sizes, ends, **({"chance": chance} if kind.steps else {}))
    schema = {"system": pl.String, kind.across: pl.Float64, kind.upwards: pl.Float64}
    rows = [(name, *map(float, point)) for name in shown for point in fine[name]]
    chart.data = pl.DataFrame(rows, schema=schema, orient="row")
    if bands is not None:  # instead of the points of the line
        known = checked(bands, "system", numbers=(kind.across, kind.upwards, *_ENDS))
        of_shown = pl.DataFrame({"system": shown}, schema={"system": pl.String})
        chart.data = of_shown.join(known, on="system", maintain_order="left_right")
    return chart


def _of_systems(
    sizes: Mapping[str, float], ends: Mapping[str, "_Ends"], **more: Mapping[str, float]
) -> pl.DataFrame:
    """Return figures as a frame, in the order of the areas; ends that nobody gave are null."""
    low, high = ({name: own[end] for name, own in ends.items()} for end in (0, 1))
    columns = {"area": sizes, "ci_low": low, "ci_high": high, **more}
    return pl.DataFrame(
        {"system": list(sizes), **{of: [by.get(s) for s in sizes] for of, by in columns.items()}},
        schema={"system": pl.String, **dict.fromkeys(columns, pl.Float64)},
    )


def _others(areas: Sequence[float]) -> Iterator[str]:
    """Count the systems after the first, whose areas are no larger."""
    n_systems = len(areas)
    if not n_systems:
        yield say(NO_SCORE)
    if n_systems > _TOLD:
        others = counted(n_systems - _TOLD, "other system", "other systems")
        if areas[_TOLD - 1] - areas[_TOLD] <= _EQUAL:
            yield say("no higher with {systems}", systems=others)
        else:
            yield say("lower with {systems}", systems=others)
    if n_systems > MOST_PANELS:
        yield say("{n} of them left out", n=f"{n_systems - MOST_PANELS:,}")


# How sure that is.

_Ends = tuple[float, float]
_ENDS = ("ci_low", "ci_high")


def _ends(areas: pl.DataFrame | None, curve: str) -> dict[str, _Ends]:
    """Give the interval of each system's area, where it has one."""
    if areas is None:
        return {}
    own = checked(areas.filter(pl.col("curve") == curve), "system", numbers=_ENDS)
    return {system: (low, high) for system, low, high in own.drop_nulls().rows()}


def _figure(area: float, ends: _Ends | None) -> str:
    """Write an area, with its interval in brackets."""
    shown, *around = (number(each, 3) for each in (area, *(ends or ())))
    return f"{shown} [{', '.join(around)}]" if around else shown


def _shaded(bands: pl.DataFrame | None, kind: _Kind) -> Callable[["Axes", str, str], object]:
    """Give what draws a system's band, which is no wider than its line where nothing varies."""
    if bands is None:
        return lambda _axes, _system, _color: None
    known = checked(bands, "system", numbers=(kind.across, kind.upwards, *_ENDS)).with_columns(
        pl.col(_ENDS).fill_null(pl.col(kind.upwards))
    )

    def shade(axes: "Axes", system: str, color: str) -> None:
        own = known.filter(pl.col("system") == system)
        low, high = (thinned(own.select(kind.across, end).to_numpy(), _SOFT) for end in _ENDS)
        axes.fill(*np.concatenate([low, high[::-1]]).T, color=color, alpha=SHADE, linewidth=0)

    return shade


def _together(
    curves: Mapping[str, tuple[Any, Any]],
    kind: _Kind,
    heading: Callable[[str], str],
    behind: Callable[["Axes", str, str | None], object],
    *,
    order: Sequence[str],
) -> "Chart":
    """Draw few systems in one panel, which is a square, and name them next to it or above it."""
    page = current_page()
    places = {name: LOOKS[order.index(name)] for name in curves}
    looks = {name: (inked(color), dash) for name, (color, dash, _) in places.items()}

    def key_for(width: float) -> list[KeyEntry]:
        return [
            KeyEntry(f"{fitted(name, width)}\n{wrapped(heading(name), width)}", color, dash)
            for name, (color, dash) in looks.items()
        ]

    key = key_for(page.width)
    room = page.width - LEFT - 24 - key_width(key)
    has_room = room >= _LEAST_SIDE
    if not has_room:
        key, room = key_for(page.width - 40), page.width - LEFT - _RIGHT
    title = wrapped(f"{say(kind.name)}\n{say(kind.upright)}", page.width - 4)
    axis = wrapped(say(kind.axis), page.width - LEFT)
    top, foot = 10.5 + line_height(title), 30 + line_height(axis)
    top += 0 if has_room else key_height(key) + 4
    side = min(_SIDE, room)
    total = page.height(top + side + foot)
    side = min(room, total - top - foot)
    with report_style():
        chart = new_chart(total)
        axes = add_panel(chart, left=LEFT, top=top, width=side, height=side)
        caption(axes, title, above=8 if has_room else 12 + key_height(key))
        if has_room:
            draw_key(axes, key, (1, 1), (18, 0))
        else:
            draw_key(axes, key, (0, 1), (2 - LEFT, 8 + key_height(key)))
        for name, (color, dash) in looks.items():
            behind(axes, name, color if len(looks) <= MOST_WITH_BANDS else None)
            look: dict[str, Any] = {"color": color, "linestyle": dash, "label": short(name)}
            axes.plot(*curves[name][0].T, zorder=2.5, **look)
        _mark_shares(axes)
        axes.set_xlabel(axis, **literal(axis))
    return chart


def _mark_shares(axes: "Axes") -> None:
    """Mark both axes, which go from 0 to 1."""
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    axes.set_xticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    axes.set_yticks([0, 0.5, 1], labels=["0", "0.5", "1"])


_SIDE, _LEAST_SIDE = 250, 170
"""The side of a panel of all systems, and the least next to their names."""

_RIGHT = 14


def _apart(
    curves: Mapping[str, tuple[Any, Any]],
    kind: _Kind,
    heading: Callable[[str], str],
    behind: Callable[["Axes", str, str | None], object],
) -> "Chart":
    """Draw many systems in a panel each."""
    headings = [(name, heading(name)) for name in curves]
    with report_style():
        title = f"{say(kind.title)}\n{say(kind.upright)}"
        chart, panels = panel_grid(title, headings, say(kind.axis))
        for axes, name in zip(panels, curves, strict=True):
            behind(axes, name, BLUE)
            for other, (_, coarse) in curves.items():
                if other != name:
                    axes.plot(*coarse.T, color=GREY, linewidth=0.6, zorder=2)
            axes.plot(*curves[name][0].T, color=BLUE, label=short(name), zorder=2.5)
            _mark_shares(axes)
    return chart


def curves_of(points: pl.DataFrame, across: str, upwards: str) -> dict[str, Any]:
    """Give the points of each system that has them as an array of two columns, in their order."""
    known = points.drop_nulls([across, upwards])
    return {
        str(name): own.select(across, upwards).to_numpy()
        for (name,), own in known.group_by("system", maintain_order=True)
    }


def area_of_lines(curve: Any) -> float:
    """Give the area under straight lines: the chance of a pair, equal scores as one half."""
    return float(np.sum(np.diff(curve[:, 0]) * (curve[1:, 1] + curve[:-1, 1])) / 2)


def area_of_steps(curve: Any) -> float:
    """Give the area under steps, each as high as its right end: the mean precision over recall."""
    return float(np.sum(np.diff(curve[:, 0]) * curve[1:, 1]))


def largest_first(areas: Mapping[str, float]) -> dict[str, float]:
    """Give the systems in the order of their panels."""
    return dict(sorted(areas.items(), key=lambda each: -each[1]))


def from_first_hit(curve: Any) -> Any:
    """Start a precision-recall curve as high as the first point that has any recall.

    What lies at a recall of 0 has no length; drawn, it is an upright line that means nothing.
    """
    hits = curve[curve[:, 0] > 0]
    return np.concatenate([[[0.0, hits[0, 1]]], hits])


def in_steps(curve: Any) -> Any:
    """Give the corners of the steps that a precision-recall curve is made of.

    >>> in_steps(np.array([[0, 1], [0.5, 1], [1, 0.6]])).tolist()
    [[0.0, 1.0], [0.0, 1.0], [0.5, 1.0], [0.5, 0.6], [1.0, 0.6]]
    """
    corners = np.repeat(curve.astype(float), 2, axis=0)[:-1]
    corners[1::2, 1] = curve[1:, 1]
    return corners


def thinned(line: Any, slack: float) -> Any:
    """Leave out the points of a line that lie near it without them, after Douglas and Peucker.

    >>> thinned(np.array([[0, 0], [0.2, 0.201], [0.5, 0.5], [1, 0.6]]), 0.01).tolist()
    [[0.0, 0.0], [0.5, 0.5], [1.0, 0.6]]
    """
    line = _spaced(line, slack / 4)
    kept = {0, len(line) - 1}
    spans = [(0, len(line) - 1)]
    while spans:
        first, last = spans.pop()
        away = _distances(line[first + 1 : last], line[first], line[last])
        if len(away) and away.max() > slack:
            farthest = first + 1 + int(away.argmax())
            kept.add(farthest)
            spans += [(first, farthest), (farthest, last)]
    return line[sorted(kept)]


def _spaced(line: Any, step: float) -> Any:
    """Leave out the points in the same square as the one before them, but for the last point.

    Of very many scores, nearly all are: without them the search for the farthest is short.
    """
    square = np.floor(line / step)
    moves = np.any(square[1:] != square[:-1], axis=1)
    moves[-1:] = True
    return line[np.concatenate([[True], moves])]


def _distances(points: Any, start: Any, end: Any) -> Any:
    """Say how far points are from what is straight between two others."""
    way = end - start
    along = (points - start) @ way / (way @ way or 1.0)
    return np.hypot(*(points - start - np.clip(along, 0, 1)[:, None] * way).T)
