"""Charts lay themselves out for the size that they are given, and draw where they are told to."""

import base64
import doctest
import inspect
import io
import itertools
import pickle
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import unquote

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from chart_frames import deltas_of, differences_of, levels_of, rows_of
from matplotlib.figure import Figure
from matplotlib.text import Text

import rankreport as rr
from rankreport import charts
from rankreport.charts import (
    Chart,
    curves,
    delta_histogram,
    forest,
    levels,
    position_bias,
    power_curve,
    precision_recall_curves,
    ranks,
    roc_curves,
    score_scatter,
    segment_forest,
    sorted_deltas,
    trend,
)
from rankreport.charts.canvas import Canvas, resized
from rankreport.charts.svg import NARROW, WIDE, both_widths, inline_svg, png_of

NAMES = [
    *("a-very-long-name-of-a-system-that-goes-on-and-on", "CROSS-ENCODER-LARGE-WITH-CLICKS"),
    *"BCDEFG",
]
KS = [1, 2, 3, 5, 10, 20, 30, 50, 100]
PAIR = {"measure": "nDCG@10", "baseline": NAMES[0], "system": NAMES[1]}
RNG = np.random.default_rng(0)
DELTAS = deltas_of(RNG.normal(0.02, 0.2, 100).round(3)).with_columns(
    query_id="a-rather-long-query-" + pl.col("query_id")
)
SCORES = DELTAS.with_columns(score_baseline=RNG.uniform(0, 1, 100)).with_columns(
    score_system=pl.col("score_baseline") + pl.col("delta")
)
MANY = deltas_of([0.5] * 2000 + [0.0] * 4210 + [-0.2] * 790)
ROWS = rows_of(*[(name, m, 0.01234, -0.02, 0.05) for m in ("nDCG@10", "AP") for name in NAMES[:4]])
SEGMENTS = pl.DataFrame(
    {
        "column": "type of the query",
        "segment": ["brand or manufacturer", "place"],
        "n_queries": [1280, 40],
        "delta": [0.05, -0.01],
        "ci_low": [0.02, -0.06],
        "ci_high": [0.08, 0.04],
        "delta_of_all": 0.03,
        "differs": [True, False],
        "disagrees": False,
    }
)
MEANS = pl.DataFrame(
    {
        "system": NAMES[:4] * 2,
        "measure": ["AP"] * 4 + ["nDCG@10"] * 4,
        "mean": 0.5,
        "ci_low": 0.4,
        "ci_high": 0.6,
    }
)
DETECTABLE = pl.DataFrame(
    {
        "system": [name for name in NAMES[:3] for _ in range(2)],
        "n_queries": [50, 2000] * 3,
        "detectable": [0.1, 0.02] * 3,
        "detectable_low": [0.08, 0.015] * 3,
        "detectable_high": [0.12, 0.03] * 3,
    }
)
BIAS = pl.DataFrame({"rank": range(1, 21), "bias": 0.85 ** np.arange(20)}).with_columns(
    ci_low=0.9 * pl.col("bias"), ci_high=1.1 * pl.col("bias")
)
PILOT = pl.DataFrame({"system": NAMES[:3], "n_queries": [50] * 3, "detectable": [0.1] * 3})
POINTS = pl.DataFrame(
    {
        "threshold": [np.inf, 0.9, 0.5, 0.1],
        "fpr": [0.0, 0.0, 0.5, 1.0],
        "tpr": [0.0, 0.5, 1.0, 1.0],
        "recall": [0.0, 0.5, 0.5, 1.0],
        "precision": [1.0, 1.0, 0.5, 0.5],
    }
)


def points(n: int) -> pl.DataFrame:
    return pl.concat([POINTS.with_columns(system=pl.lit(name)) for name in NAMES[:n]])


def steady(n: int) -> pl.DataFrame:
    return differences_of({name: [0.04] * len(KS) for name in NAMES[1:n]}, KS)


def curves_of(n: int, **options: Any) -> "partial[Chart]":
    fields = {"measure": "nDCG", "baseline": NAMES[0], **options}
    return partial(curves, levels_of(NAMES[:n], KS), steady(n) if n > 1 else None, **fields)


RANKS = pl.DataFrame(
    {
        "system": NAMES[:4],
        "place": [1, 2, 3, 4],
        "rank_highest": [1, 1, 2, 4],
        "rank_lowest": [2, 3, 3, 4],
        "seen_highest": [1, 2, 3, 4],
        "seen_lowest": [1, 2, 3, 4],
        "doubts": ["", "", "unjudged documents", ""],
    }
)

TREND = pl.DataFrame(
    {
        "number": range(1, 9),
        "date": [f"2026-01-{day:02}" for day in range(1, 9)],
        "commit": [f"{day:07}" for day in range(1, 9)],
        "note": NAMES[:8],
        "against": [1, 1, 1, 1, 5, 5, 5, 5],
        "break": [*[None] * 4, "judgments", "queries", None, None],
        "judged_again": [False] * 8,
        "delta": [0.0, 0.01, -0.04, 0.02, 0.0, 0.03, 0.05, 0.04],
        "ci_low": [None, -0.01, -0.06, 0.01, None, 0.01, 0.02, 0.01],
        "ci_high": [None, 0.03, -0.02, 0.04, None, 0.06, 0.09, 0.08],
    }
)

CHARTS: "dict[str, partial[Chart]]" = {
    "deltas": partial(sorted_deltas, DELTAS, **PAIR),
    "many deltas": partial(sorted_deltas, MANY, **PAIR),
    "histogram": partial(delta_histogram, DELTAS, **PAIR),
    "many in a histogram": partial(delta_histogram, MANY, **PAIR),
    "scatter": partial(score_scatter, SCORES, **PAIR),
    "forest": partial(forest, ROWS, baseline=NAMES[0], margin=0.01, n_simultaneous=4),
    "small forest": partial(forest, ROWS.filter(system="B"), baseline="bm25"),
    "ranks": partial(ranks, RANKS),
    "segments": partial(segment_forest, SEGMENTS, **PAIR),
    "levels": partial(levels, MEANS),
    "curve": curves_of(1),
    "curves of a pair": curves_of(2, n_simultaneous=3),
    "curves of four": curves_of(4),
    "panels of curves": curves_of(8),
    "power": partial(power_curve, DETECTABLE, PILOT, measure="nDCG@10"),
    "position bias": partial(position_bias, BIAS),
    "roc": partial(roc_curves, points(2)),
    "panels of roc": partial(roc_curves, points(8)),
    "precision and recall": partial(precision_recall_curves, points(2)),
    "panels of precision": partial(precision_recall_curves, points(8)),
    "trend": partial(trend, TREND, measure="nDCG@10"),
    "nothing": partial(sorted_deltas, DELTAS.clear(), **PAIR),
}
FUNCTIONS = set(filter(inspect.isfunction, map(charts.__getattr__, charts.__all__)))


def example_of(plot: Callable[..., Any]) -> "partial[Chart]":
    """The first chart that the docstring of a function draws."""
    calls = []

    def recorded(*given: Any, **options: Any) -> Any:
        calls.append(partial(plot, *given, **options))
        return calls[-1]()

    names = {**vars(sys.modules[plot.__module__]), plot.__name__: recorded}
    for each in doctest.DocTestParser().get_examples(inspect.getdoc(plot) or ""):
        exec(each.source, names)
    return calls[0]


OTHERS = FUNCTIONS - {each.func for each in CHARTS.values()}
CHARTS |= {name: example_of(plot) for name, plot in sorted((f.__name__, f) for f in OTHERS)}
ONE_PANEL = [
    *("deltas", "histogram", "scatter", "forest", "segments", "levels", "curve", "power"),
    *("position bias", "roc", "precision and recall", "trend", "nothing"),
]


def written(figure: Figure) -> list[Text]:
    """All texts that are seen: of the marks of an axis those within its limits."""
    figure.draw_without_rendering()
    marks = {
        id(label): label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        for label in (tick.label1, tick.label2)
    }
    seen = {
        id(tick.label1): tick.label1
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis._update_ticks()
        if tick.label1.get_visible()
    }
    texts = {id(text): text for text in figure.findobj(Text) if text.get_visible()}
    shown = {key: text for key, text in texts.items() if key not in marks} | seen
    return [text for text in shown.values() if text.get_text().strip()]


def faults(figure: Figure) -> list[tuple[str, ...]]:
    """Texts beyond the figure, and pairs of texts upon each other."""
    return faults_of(written(figure), figure)


def checked(figure: Figure) -> list[Text]:
    """All texts that are seen, none of them beyond the figure or upon another."""
    texts = written(figure)
    assert faults_of(texts, figure) == []
    return texts


def faults_of(texts: list[Text], figure: Figure) -> list[tuple[str, ...]]:
    frame = figure.bbox
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    found: list[tuple[str, ...]] = [
        ("outside", words)
        for words, box in boxes
        if min(box.x0 - frame.x0, box.y0 - frame.y0, frame.x1 - box.x1, frame.y1 - box.y1) < -1
    ]
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        across, up = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        if across > 1 and up > 1.5:
            found.append(("overlap", one, other))
    return found


def test_the_measuring_finds_what_overlaps_and_what_is_cropped() -> None:
    figure = Figure(figsize=(2, 2))
    figure.text(0.5, 0.5, "one")
    figure.text(0.5, 0.52, "other")
    figure.text(0.9, 0.1, "beyond the edge")
    assert faults(figure) == [("outside", "beyond the edge"), ("overlap", "one", "other")]


@pytest.mark.parametrize("name", CHARTS)
def test_nothing_overlaps_and_nothing_is_cropped(name: str) -> None:
    drawn = CHARTS[name]()
    column = CHARTS[name](width=3.3)
    assert column.get_figwidth() == pytest.approx(3.3)
    assert {round(text.get_fontsize(), 6) for text in checked(column)} == {7}
    checked(drawn)
    for width, size in ((WIDE, 13), (NARROW, 12)):
        shown = resized(drawn, Canvas(width=width * 0.75 / 72, font_size=size * 0.75))
        assert min(text.get_fontsize() for text in checked(shown)) >= 0.999 * size * 0.75


@pytest.mark.parametrize("name", ["deltas", "forest", "curves of a pair", "roc", "scatter"])
def test_a_height_is_kept(name: str) -> None:
    chart = CHARTS[name](width=5, height=6)
    assert chart.get_size_inches().tolist() == [5, 6]
    assert faults(chart) == []


@pytest.mark.parametrize("name", ONE_PANEL)
def test_axes_of_a_user_are_drawn_on(name: str) -> None:
    figure = Figure(figsize=(12, 7))
    left, right = figure.subplots(1, 2)
    right.set_title("mine")
    box = left.get_position().frozen()
    chart = CHARTS[name](ax=left)
    assert chart is left
    assert figure.axes == [left, right]
    assert right.get_title() == "mine"
    now = left.get_position()
    # What stands around the panel takes the gaps of the grid first.
    assert 0 < now.x0 < now.x1 <= box.x1 + 1e-9
    assert 0 < now.y0 < now.y1 < 1
    assert chart.alt == CHARTS[name]().alt
    assert faults(figure) == []


def test_two_charts_share_a_figure() -> None:
    figure = Figure(figsize=(10, 4))
    left, right = figure.subplots(1, 2)
    CHARTS["deltas"](ax=left)
    CHARTS["histogram"](ax=right)
    assert faults(figure) == []


def test_several_panels_share_the_room_of_axes() -> None:
    figure = Figure(figsize=(8, 6))
    axes, other = figure.subplots(1, 2)
    box = axes.get_position().frozen()
    assert CHARTS["curves of a pair"](ax=axes) is axes
    *_, beneath = figure.axes
    assert figure.axes == [axes, other, beneath]
    assert beneath.get_position().y1 < axes.get_position().y0
    assert beneath.get_position().x1 <= box.x1
    assert faults(figure) == []
    halves = Figure(figsize=(12, 6)).subfigures(1, 2)
    assert CHARTS["curves of a pair"](figure=halves[0]) is halves[0]
    assert len(halves[0].axes) == 2
    assert not halves[1].axes


def test_the_settings_of_matplotlib_may_be_used() -> None:
    with mpl.rc_context({"font.size": 7, "axes.spines.top": True, "axes.grid": False}):
        (axes,) = CHARTS["deltas"](style="matplotlib", width=3.3).axes
        assert axes.spines["top"].get_visible()
        assert {text.get_fontsize() for text in axes.texts} == {7}
        (axes,) = CHARTS["deltas"](width=3.3).axes
        assert not axes.spines["top"].get_visible()


@pytest.mark.parametrize("name", ["deltas", "segments", "panels of curves", "power", "roc"])
def test_small_text_of_a_user_fits_a_column(name: str) -> None:
    with mpl.rc_context({"font.size": 7}):
        assert faults(CHARTS[name](style="matplotlib", width=3.3)) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0}, "width=0 is not a size"),
        ({"height": "4"}, "height='4' is not a size"),
        ({"style": "ggplot"}, "style"),
        ({"ax": Figure().subplots(), "figure": Figure()}, "give one of them"),
        ({"figure": Figure(), "width": 3}, "has a size of its own"),
        ({"height": 0.5}, "does not fit"),
        ({"width": 0.5}, "does not fit"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rr.OptionError, match=message):
        CHARTS["deltas"](**options)


def test_lines_that_would_lie_on_each_other_have_smaller_and_fewer_texts() -> None:
    sizes, counts = [], []
    for height in (6, 2.6, 1.2):
        texts = checked(CHARTS["forest"](height=height))
        sizes.append(min(text.get_fontsize() for text in texts))
        counts.append(len(texts))
        assert {"nDCG@10", "AP"} <= {text.get_text() for text in texts}
    assert sizes[0] == 9
    assert sizes[1] < 9
    assert counts[0] == counts[1] > counts[2]


STYLES = {"default": "report", "dark_background": "matplotlib", "seaborn-v0_8": "matplotlib"}


def grids() -> "Iterator[tuple[Figure, dict[str, Any]]]":
    """All charts, four to a figure of 11 x 8 inches."""
    for first in range(0, len(CHARTS), 4):
        figure = Figure(figsize=(11, 8))
        names = list(CHARTS)[first : first + 4]
        yield figure, dict(zip(names, figure.subplots(2, 2).flat, strict=False))


@pytest.mark.slow
@pytest.mark.parametrize(("sheet", "style"), STYLES.items())
def test_a_grid_is_never_refused_and_its_texts_are_seen(sheet: str, style: Any) -> None:
    from matplotlib import style as styles
    from matplotlib.colors import to_rgb

    with styles.context(sheet):
        for figure, places in grids():
            for name, axes in places.items():
                assert CHARTS[name](ax=axes, style=style) is axes
            ground = to_rgb(figure.get_facecolor())
            for text in checked(figure):
                assert contrast(to_rgb(text.get_color()), ground) >= 3


def contrast(one: Any, other: Any) -> float:
    """The contrast of two colours, by the formula of WCAG."""

    def light(color: Any) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
        return float(np.dot([0.2126, 0.7152, 0.0722], parts)) + 0.05

    dark, bright = sorted((light(one), light(other)))
    return bright / dark


def test_what_is_open_is_seen_on_a_dark_ground() -> None:
    from matplotlib import style as styles
    from matplotlib.colors import to_rgb

    with styles.context("dark_background"):
        for style in ("matplotlib", "report"):
            axes = Figure(figsize=(8, 6)).subplots()
            CHARTS["forest"](ax=axes, style=style)
            points = [line for line in axes.lines if line.get_marker() == "o"]
            assert points
            assert all(contrast(to_rgb(each.get_color()), (0, 0, 0)) > 10 for each in points)


def test_the_image_in_a_notebook_is_seen_on_light_and_dark() -> None:
    html = CHARTS["deltas"]()._repr_mimebundle_()["text/html"]
    svg = base64.b64decode(html.partition("base64,")[2].partition('"')[0]).decode()
    assert '<rect width="100%" height="100%" fill="none"/>' in svg
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', svg.lower()))
    assert used >= {"#77777b", "#0072b2"}
    white, jupyter = (1, 1, 1), (0x11 / 255,) * 3
    for color in used:
        rgb = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        assert min(contrast(rgb, white), contrast(rgb, jupyter)) >= 3, color


def test_matplotlibs_style_keeps_its_own_ground_in_a_notebook() -> None:
    from matplotlib import style as styles

    with styles.context("dark_background"):
        html = CHARTS["deltas"](style="matplotlib")._repr_mimebundle_()["text/html"]
    svg = base64.b64decode(html.partition("base64,")[2].partition('"')[0]).decode()
    assert '<rect width="100%" height="100%" fill="#000000"/>' in svg


def test_fonts_of_a_pdf_can_be_edited() -> None:
    written = io.BytesIO()
    CHARTS["position bias"]().savefig(written, format="pdf")
    assert b"/CIDFontType2" in written.getvalue()
    assert b"/Type3" not in written.getvalue()


@pytest.mark.parametrize("plot", [rr.Comparison.plot_forest, rr.Evaluation.plot_means, forest])
def test_options_are_completed(plot: Callable[..., Any]) -> None:
    assert {"figsize", "width", "ax"} <= set(inspect.signature(plot).parameters)


def test_measures_of_a_chart_are_chosen(subjects: list[Any]) -> None:
    evaluation, comparison, *_ = subjects
    for plot in (evaluation.plot_means, comparison.plot_forest):
        chart = plot(measures=["P@10", "AP"])
        assert chart.data["measure"].unique(maintain_order=True).to_list() == ["P@10", "AP"]
        with pytest.raises(rr.OptionError, match="measure"):
            plot(measures="RR@3")


def takes_chart_options(plot: Callable[..., Any]) -> bool:
    return "figsize" in inspect.signature(plot).parameters


def methods_that_plot() -> Iterator[tuple[type, str]]:
    """The methods of public classes that take the options of charts."""
    for kind in filter(inspect.isclass, map(rr.__getattribute__, dir(rr))):
        for name, method in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and takes_chart_options(method):
                yield kind, name


METHODS = {f"{kind.__name__}.{name}": (kind, name) for kind, name in methods_that_plot()}
NEEDED = {"measures": ["nDCG"]}
"""What a plot cannot do without."""


@pytest.fixture(scope="module")
def subjects() -> list[Any]:
    """A result of each class that plots."""
    example = rr.load_example()
    evaluation = rr.evaluate(example.qrels, example.runs)
    about = {"queries": example.queries, "segments": ["topic"], "resamples": 200}
    comparison = rr.compare(evaluation, baseline="bm25", **about)
    ranks = [(n, rank) for n in range(60) for rank in (1, 2, 3)]
    log = [(f"s{n}", f"q{n % 5}", f"d{rank}", rank, n % rank == 0) for n, rank in ranks]
    names = ["session", "query_id", "doc_id", "rank", "clicked"]
    return [
        *(evaluation, comparison, rr.plan(comparison), rr.leaderboard(comparison)),
        rr.compare_rankings(*list(example.runs.values())[:2], resamples=200),
        rr.qrels_from_clicks(pl.DataFrame(log, schema=names, orient="row")),
    ]


def bound(kind: type, name: str, subjects: list[Any]) -> Callable[..., Any]:
    """A method of the result of its class, with what it cannot do without."""
    (subject,) = [each for each in subjects if type(each) is kind]
    if name == "plot_datasets":
        subject = rr.compare({"one": subjects[0], "two": subjects[0]}, resamples=100)
    method = getattr(subject, name)
    taken = inspect.signature(method).parameters
    needed = [each for each in taken if each in NEEDED and taken[each].default is not None]
    return partial(method, **{each: NEEDED[each] for each in needed})


def test_methods_that_plot_are_found() -> None:
    assert len(METHODS) >= 16


def drawn_by(plot: Callable[..., Any], **options: Any) -> tuple[Figure, ...]:
    drawn = plot(**options)
    return drawn if isinstance(drawn, tuple) else (drawn,)


def refuse_what_no_chart_takes(plot: Callable[..., Any]) -> None:
    with pytest.raises(rr.OptionError, match=r"argument 'widths'\. Did you mean 'width'\?"):
        plot(widths=3)
    with pytest.raises(rr.OptionError, match="argument 'xyz'"):
        plot(xyz=3)


def keep_the_size(plot: Callable[..., Any]) -> None:
    for chart in drawn_by(plot, figsize=(9, 8.125)):
        assert chart.get_size_inches().tolist() == pytest.approx([9, 8.125], abs=1e-6)
        assert faults(chart) == []


def seen(figure: Figure) -> bytes:
    """What a user has on a figure."""
    return png_of(figure, 40)


def leave_axes_alone(plot: Callable[..., Any]) -> None:
    """Draw on axes of a user as a whole, or not at all."""
    for size in ((12, 7), (0.9, 0.7)):
        figure = Figure(figsize=size)
        axes, _ = figure.subplots(1, 2)
        axes.plot([1, 2], [3, 4])
        axes.set_title("mine")
        before = seen(figure)
        try:
            plot(ax=axes)
        except rr.OptionError as error:
            refused = "does not fit" in str(error)
            left = (seen(figure), axes.get_title(), refused)
        else:
            left = (before, "mine", size[0] > 1)
        assert left == (before, "mine", True)
    figure = Figure()
    round_axes = figure.add_subplot(projection="polar")
    removed = Figure().subplots()
    removed.remove()
    before = seen(figure)
    for wrong in (3, figure, [round_axes], round_axes, removed):
        with pytest.raises(rr.OptionError, match=r"^ax= "):
            plot(ax=wrong)
    assert seen(figure) == before


RULES = [refuse_what_no_chart_takes, keep_the_size, leave_axes_alone]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_that_plots(name: str, subjects: list[Any]) -> None:
    for rule in (refuse_what_no_chart_takes, keep_the_size):
        rule(bound(*METHODS[name], subjects))


ONE_EACH = [
    *{each.func: name for name, each in reversed(CHARTS.items())}.values(),
    "curves of a pair",
]
"""A chart of each function, and one of several panels."""


@pytest.mark.parametrize("name", ONE_EACH)
def test_every_function_that_plots(name: str) -> None:
    for rule in RULES:
        rule(CHARTS[name])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"width": 3}, "figsize= is a width and a height; leave out width="),
        ({"height": 3, "width": 3}, "leave out width= and height="),
        ({"figsize": 5}, "figsize=5 is not a width and a height in inches"),
        ({"figsize": (5, 3, 2)}, "is not a width and a height"),
        ({"figsize": (5, None)}, "height=None is not a size"),
        ({"figsize": (5, -1)}, "height=-1 is not a size"),
        ({"ax": Figure().subplots()}, "leave out figsize="),
        ({"figure": Figure()}, "leave out figsize="),
        ({"figure": 5}, "leave out figsize="),
    ],
)
def test_a_figsize_that_cannot_be_meant_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(rr.OptionError, match=re.escape(message)):
        CHARTS["deltas"](**{"figsize": (5, 3), **wrong})
    with pytest.raises(rr.OptionError, match="figure= takes a figure of matplotlib; found str"):
        CHARTS["deltas"](figure="mine")


def test_several_charts_need_several_figures(subjects: list[Any]) -> None:
    for several in (subjects[0].plot_curves, subjects[1].plot_curves):
        with pytest.raises(rr.OptionError, match="holds one chart, and these are 2"):
            several(["P", "R"], figure=Figure())


def test_several_charts_are_all_shown(subjects: list[Any]) -> None:
    for several in (subjects[0].plot_curves, subjects[1].plot_curves):
        drawn = several(["P", "R"], [1, 2])
        assert isinstance(drawn, tuple)
        shown = drawn._repr_mimebundle_()
        assert shown["text/html"].count("<img ") == 2
        assert all(chart.alt in shown["text/plain"] for chart in drawn)


class TestWidths:
    def test_are_those_of_the_page(self) -> None:
        for name in ("deltas", "curves of a pair"):
            wide, narrow = map(ET.fromstring, both_widths(CHARTS[name](), "alt"))
            assert (wide.get("width"), narrow.get("width")) == (str(WIDE), str(NARROW))
            assert (wide.get("class"), narrow.get("class")) == ("wide", "narrow")
            assert (wide.get("display"), narrow.get("display")) == (None, "none")

    def test_a_pickled_chart_can_be_drawn_anew(self) -> None:
        chart = CHARTS["deltas"]()
        again = pickle.loads(pickle.dumps(chart))
        assert both_widths(again, "alt") == both_widths(chart, "alt")

    def test_another_figure_is_taken_as_it_is(self) -> None:
        figure = Figure(figsize=(4, 2))
        figure.subplots()
        assert 'viewBox="0 0 288 144"' in inline_svg(figure, "alt", width=NARROW)


HOSTILE = ["a b&c", '"><script>alert(1)</script>', "q/1?x=#y", "ß'(~)", "\u202eq", "-5"]


class TestLinks:
    def test_lead_from_each_bar_to_its_query(self) -> None:
        frame = pl.DataFrame({"query_id": HOSTILE, "delta": [0.5, 0.4, 0.3, 0.0, -0.1, -0.2]})
        for svg in both_widths(sorted_deltas(frame, **PAIR), "alt"):
            root = ET.fromstring(svg)
            links = list(root.iter("a"))
            assert [unquote(a.get("href", "").removeprefix("#query=")) for a in links] == HOSTILE
            assert all(re.fullmatch(r"#query=[\w.!~*'()%-]+", a.get("href", "")) for a in links)
            assert {a.get("tabindex") for a in links} == {"-1"}
            titles = [a[0].text or "" for a in links]
            assert titles[0] == "a b&c: +0.500"
            assert "\u202e" not in svg
            assert root.get("role") == "group"
            # From left to right they cover the panel, and do not lie on each other.
            starts = [float(re.findall(r"[\d.]+", a[1].get("d", ""))[0]) for a in links]
            steps = np.diff(starts)
            assert steps.min() > 0
            assert steps.max() - steps.min() < 0.21
            assert not list(root.iter("script"))

    def test_lead_from_dots_to_their_queries(self) -> None:
        chart = CHARTS["scatter"]()
        links = list(ET.fromstring(inline_svg(chart, "alt")).iter("a"))
        assert len(links) == 100
        first = SCORES.filter(query_id=unquote(links[0].get("href", "")[len("#query=") :]))
        low, high = first.select("score_baseline", "score_system").row(0)
        assert (links[0][0].text or "").endswith(f"{low:.3f} → {high:.3f}")
        assert float(links[0][1].get("r", 0)) >= 4

    def test_a_dot_of_several_says_so(self) -> None:
        frame = pl.DataFrame(
            {"query_id": ["a", "b"], "score_baseline": 0.5, "score_system": 0.6, "delta": 0.1}
        )
        (link,) = ET.fromstring(inline_svg(score_scatter(frame, **PAIR), "")).iter("a")
        assert link[0].text == "a: 0.500 → 0.600, and 1 other query"

    @pytest.mark.parametrize(("n", "linked"), [(400, 400), (401, 0)])
    def test_are_left_out_where_there_are_too_many(self, n: int, linked: int) -> None:
        chart = sorted_deltas(deltas_of(np.linspace(1, -1, n)), **PAIR)
        svg = inline_svg(chart, "")
        assert svg.count("<a ") == linked
        assert len(svg.encode()) < 60_000
