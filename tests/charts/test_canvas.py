"""Charts lay themselves out for the size that they are given, and draw where they are told to."""

import itertools
import pickle
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
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
from rankreport.charts import (
    Chart,
    curves,
    delta_histogram,
    forest,
    forests,
    levels,
    position_bias,
    power_curve,
    precision_recall_curves,
    roc_curves,
    score_scatter,
    segment_forest,
    sorted_deltas,
)
from rankreport.charts.canvas import Canvas, resized
from rankreport.charts.svg import NARROW, WIDE, both_widths, inline_svg

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


def curves_of(n: int, **options: Any) -> Chart:
    fields = {"measure": "nDCG", "baseline": NAMES[0], **options}
    return curves(levels_of(NAMES[:n], KS), steady(n) if n > 1 else None, **fields)


CHARTS: dict[str, Callable[..., Chart]] = {
    "deltas": lambda **o: sorted_deltas(DELTAS, **PAIR, **o),
    "many deltas": lambda **o: sorted_deltas(MANY, **PAIR, **o),
    "histogram": lambda **o: delta_histogram(DELTAS, **PAIR, **o),
    "many in a histogram": lambda **o: delta_histogram(MANY, **PAIR, **o),
    "scatter": lambda **o: score_scatter(SCORES, **PAIR, **o),
    "forest": lambda **o: forest(ROWS, baseline=NAMES[0], margin=0.01, n_simultaneous=4, **o),
    "small forest": lambda **o: forest(ROWS.filter(system="B"), baseline="bm25", **o),
    "segments": lambda **o: segment_forest(SEGMENTS, **PAIR, **o),
    "levels": lambda **o: levels(MEANS, **o),
    "curve": lambda **o: curves_of(1, **o),
    "curves of a pair": lambda **o: curves_of(2, n_simultaneous=3, **o),
    "curves of four": lambda **o: curves_of(4, **o),
    "panels of curves": lambda **o: curves_of(8, **o),
    "power": lambda **o: power_curve(DETECTABLE, PILOT, measure="nDCG@10", **o),
    "position bias": lambda **o: position_bias(BIAS, **o),
    "roc": lambda **o: roc_curves(points(2), **o),
    "panels of roc": lambda **o: roc_curves(points(8), **o),
    "precision and recall": lambda **o: precision_recall_curves(points(2), **o),
    "panels of precision": lambda **o: precision_recall_curves(points(8), **o),
    "nothing": lambda **o: sorted_deltas(DELTAS.clear(), **PAIR, **o),
}
ONE_PANEL = [
    *("deltas", "histogram", "scatter", "forest", "segments", "levels", "curve", "power"),
    *("position bias", "roc", "precision and recall", "nothing"),
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
    texts = written(figure)
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
    assert {round(text.get_fontsize(), 6) for text in written(column)} == {7}
    for chart in (drawn, column):
        assert faults(chart) == []
    for width, size in ((WIDE, 13), (NARROW, 12)):
        shown = resized(drawn, Canvas(width=width * 0.75 / 72, font_size=size * 0.75))
        assert faults(shown) == []
        assert min(text.get_fontsize() for text in written(shown)) >= 0.999 * size * 0.75


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
    assert chart is figure
    assert figure.axes == [left, right]
    assert right.get_title() == "mine"
    now = left.get_position()
    assert box.x0 - 1e-9 <= now.x0 < now.x1 <= box.x1 + 1e-9
    assert box.y0 - 1e-9 <= now.y0 < now.y1 <= box.y1 + 1e-9
    assert chart.alt == CHARTS[name]().alt
    assert faults(figure) == []


def test_two_charts_share_a_figure() -> None:
    figure = Figure(figsize=(10, 4))
    left, right = figure.subplots(1, 2)
    CHARTS["deltas"](ax=left)
    CHARTS["histogram"](ax=right)
    assert faults(figure) == []


def test_several_panels_need_a_figure() -> None:
    figure = Figure(figsize=(8, 6))
    with pytest.raises(rr.OptionError, match="figure= instead"):
        CHARTS["curves of a pair"](ax=figure.subplots())
    halves = Figure(figsize=(12, 6)).subfigures(1, 2)
    assert CHARTS["curves of a pair"](figure=halves[0]) is halves[0]
    assert len(halves[0].axes) == 2
    assert not halves[1].axes


def test_one_figure_holds_one_chart() -> None:
    rows = pl.concat([ROWS.with_columns(system=pl.lit(f"s{n}")) for n in range(30)])
    with pytest.raises(rr.OptionError, match="holds one chart, and these are"):
        forests(rows, baseline="bm25", figure=Figure())


def test_the_settings_of_matplotlib_may_be_used() -> None:
    with mpl.rc_context({"font.size": 7, "axes.spines.top": True, "axes.grid": False}):
        (axes,) = CHARTS["deltas"](style="matplotlib", width=3.3).axes
        assert axes.spines["top"].get_visible()
        assert {text.get_fontsize() for text in axes.texts} == {7}
        (axes,) = CHARTS["deltas"](width=3.3).axes
        assert not axes.spines["top"].get_visible()


@pytest.mark.parametrize("name", CHARTS)
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


def test_lines_that_would_lie_on_each_other_are_refused() -> None:
    with pytest.raises(rr.OptionError, match="10 lines need a height of at least") as error:
        CHARTS["forest"](height=1.5)
    least = float(re.findall(r"least ([\d.]+) inches", str(error.value))[0])
    assert faults(CHARTS["forest"](height=least)) == []


def test_every_plot_takes_the_options() -> None:
    example = rr.load_example()
    evaluation = rr.evaluate(example.qrels, example.runs)
    comparison = rr.compare(
        evaluation, baseline="bm25", queries=example.queries, segments=["topic"]
    )
    plan = rr.plan(comparison)
    plots = [
        *(comparison.plot_deltas, comparison.plot_histogram, comparison.plot_scatter),
        *(comparison.plot_forest, comparison.plot_curve, comparison.plot_segments),
        *(evaluation.plot_means, evaluation.plot_curve, evaluation.plot_roc),
        *(evaluation.plot_precision_recall, plan.plot),
    ]
    for plot in plots:
        assert plot(width=4).get_figwidth() == 4
        figure = Figure(figsize=(8, 7))
        assert plot(figure=figure) is figure
    assert [chart.get_figwidth() for chart in comparison._plot_forests(width=4)] == [4]
    both = comparison.plot_curves(["P", "R"], width=4)
    assert [chart.get_figwidth() for chart in both] == [4, 4]
    for several in (comparison.plot_curves, evaluation.plot_curves):
        with pytest.raises(rr.OptionError, match="holds one chart, and these are 2"):
            several(["P", "R"], figure=Figure())


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
