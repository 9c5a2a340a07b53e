"""What is drawn is what the frame says, and the sentence says what is drawn."""

import os
import pickle
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import html5lib
import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from rankreport import charts
from rankreport.charts import Chart, curves, forest, sorted_deltas
from rankreport.charts.delta_chart import decimated
from rankreport.charts.panel import spread
from rankreport.errors import DataError
from rankreport.rendering.svg import inline_svg, standalone_svg

HOSTILE = [
    "</script><script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "$x^2$ $\\frac",
    "'\"&\x00\u202e\u2028_",
]


def levels_of(systems: Sequence[str], ks: Sequence[int]) -> pl.DataFrame:
    rows = [
        (name, k, mean, mean - 0.02, mean + 0.02)
        for place, name in enumerate(systems)
        for k in ks
        for mean in [0.3 + 0.04 * place + 0.1 * k / (k + 9) + 0.003 * np.sin(k)]
    ]
    columns = ["system", "k", "mean", "ci_low", "ci_high"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def differences_of(deltas: dict[str, Sequence[float | None]], ks: Sequence[int]) -> pl.DataFrame:
    rows = [
        (name, k, d, None if d is None else d - 0.01, None if d is None else d + 0.01)
        for name, values in deltas.items()
        for k, d in zip(ks, values, strict=True)
    ]
    columns = {"system": pl.String, "k": pl.Int64} | dict.fromkeys(
        ("delta", "ci_low", "ci_high"), pl.Float64
    )
    return pl.DataFrame(rows, schema=columns, orient="row")


def deltas_of(values: Any) -> pl.DataFrame:
    ids = [f"q{i}" for i in range(len(values))]
    return pl.DataFrame({"query_id": ids, "delta": values}, schema_overrides={"delta": pl.Float64})


def rows_of(*rows: tuple[str, str, float | None, float | None, float | None]) -> pl.DataFrame:
    columns = dict.fromkeys(("system", "measure"), pl.String) | dict.fromkeys(
        ("delta", "ci_low", "ci_high"), pl.Float64
    )
    return pl.DataFrame(list(rows), schema=columns, orient="row")


def texts(chart: Chart) -> list[str]:
    return [text.get_text() for text in chart.findobj(Text) if text.get_text()]


def three_charts() -> list[Chart]:
    ks = range(1, 21)
    levels = levels_of(["bm25", "dense"], ks)
    steady = differences_of({"dense": [0.04] * 20}, ks)
    return [
        curves(levels, steady, measure="nDCG", baseline="bm25"),
        sorted_deltas(deltas_of([0.2, 0, -0.1]), measure="AP", baseline="bm25", system="dense"),
        forest(rows_of(("dense", "AP", 0.02, 0.01, 0.03)), baseline="bm25"),
    ]


class TestChart:
    def test_is_a_figure_that_can_be_restyled_saved_and_pickled(self, tmp_path: Path) -> None:
        for chart in three_charts():
            assert isinstance(chart, Figure)
            assert isinstance(chart, charts.Chart)
            chart.axes[0].set_title("mine")
            chart.savefig(tmp_path / "chart.png")
            assert "mine" in inline_svg(chart, chart.alt)
            again = pickle.loads(pickle.dumps(chart))  # noqa: S301 - pickled a moment ago
            assert (again.alt, again.data.equals(chart.data)) == (chart.alt, True)

    def test_shows_itself_as_an_image_and_in_words(self) -> None:
        for chart in three_charts():
            shown = chart._repr_mimebundle_()
            assert set(shown) == {"text/html", "text/plain"}
            page = html5lib.parseFragment(shown["text/html"], namespaceHTMLElements=False)
            assert [node.tag for node in page.iter()][1:] == ["figure", "img"]
            assert page[0][0].get("alt") == chart.alt
            assert shown["text/plain"].startswith(chart.alt)
            for column in chart.data.columns:
                assert column in shown["text/plain"]

    def test_matplotlib_waits_until_it_is_needed(self) -> None:
        code = "import sys, rankreport.charts; sys.exit('matplotlib' in sys.modules)"
        root = Path(__file__).parents[1]
        run = subprocess.run([sys.executable, "-c", code], cwd=root, check=False)  # noqa: S603
        assert run.returncode == 0

    def test_settings_of_the_user_are_neither_used_nor_changed(self) -> None:
        before = [inline_svg(chart, "") for chart in three_charts()]
        with mpl.rc_context({"font.size": 30, "axes.grid": False, "lines.linewidth": 9}):
            assert [inline_svg(chart, "") for chart in three_charts()] == before
            assert mpl.rcParams["font.size"] == 30

    def test_no_text_is_smaller_than_nine_points_or_outside_the_figure(self) -> None:
        names = ["a-very-long-name-of-a-system-that-goes-on-and-on", *"BCDEFG"]
        long = [
            curves(levels_of(names, range(1, 51)), measure="nDCG", baseline=names[0]),
            forest(rows_of((names[0], "AP", -0.12345, -0.2, 0.01)), baseline=names[0]),
            sorted_deltas(deltas_of([0.5] * 7000), measure="AP", baseline="a", system="b"),
        ]
        for chart in [*three_charts(), *long]:
            chart.draw_without_rendering()
            assert min(text.get_fontsize() for text in chart.findobj(Text)) >= 9
            for axes in chart.axes:
                box = axes.get_tightbbox()
                assert box is not None
                assert min(box.x0, box.y0) >= 0, chart.alt
                assert box.x1 <= chart.bbox.x1, chart.alt
                assert box.y1 <= chart.bbox.y1, chart.alt

    def test_bytes_repeat_in_other_processes(self, tmp_path: Path) -> None:
        code = (
            "import sys, hashlib; sys.path[:0] = sys.argv[1:]\n"
            "from test_charts import *\n"
            "told = ''.join(c._repr_mimebundle_()['text/html'] for c in three_charts())\n"
            "print(hashlib.sha256(told.encode()).hexdigest())"
        )
        paths = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
        told = {
            subprocess.run(  # noqa: S603 - this very interpreter
                [sys.executable, "-c", code, *paths],
                env=os.environ | {"PYTHONHASHSEED": seed},
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("1", "2")
        }
        assert len(told) == 1

    def test_what_is_missing_is_named(self) -> None:
        with pytest.raises(DataError, match=r"column delta; found query_id\."):
            sorted_deltas(pl.DataFrame({"query_id": ["q"]}), measure="", baseline="", system="")
        with pytest.raises(DataError, match="finite delta"):
            sorted_deltas(deltas_of([None, np.nan]), measure="", baseline="", system="")


class TestHostileText:
    def charts(self) -> list[Chart]:
        ks = [1, 5, 10]
        first, *others = HOSTILE
        shifted = differences_of({name: [0.1, 0.1, 0.1] for name in others}, ks)
        queries = pl.DataFrame({"query_id": HOSTILE, "delta": [0.3, 0.1, -0.1, -0.2]})
        rows = [(name, name, 0.1, 0.0, 0.2) for name in HOSTILE]
        return [
            curves(levels_of(HOSTILE, ks), shifted, measure=others[1], baseline=first),
            *(
                sorted_deltas(queries, measure=name, baseline=name + "\ud800", system=name)
                for name in HOSTILE
            ),
            forest(rows_of(*rows), baseline=first),
        ]

    def test_stays_text(self) -> None:
        for chart in self.charts():
            for source in (inline_svg(chart, chart.alt), standalone_svg(chart, chart.alt)):
                root = ET.fromstring(source)  # noqa: S314 - written by the code under test
                tags = {node.tag.rpartition("}")[2] for node in root.iter()}
                assert tags <= {"svg", "g", "path", "circle", "rect", "text", "title", "desc"}
                html = html5lib.parseFragment(source, namespaceHTMLElements=False)
                names = {str(node.tag).rpartition("}")[2] for node in html.iter()} - {
                    "DOCUMENT_FRAGMENT"
                }
                assert names == tags
                assert "\u202e" not in source
                assert "\x00" not in source

    def test_is_shown_as_it_is_written(self) -> None:
        chart = self.charts()[0]
        told = "".join(texts(chart))
        assert "$x^2$ $\\frac" in told
        assert "⟨U+0000⟩⟨U+202E⟩⟨U+2028⟩" in told.replace("\n", "")
        assert not any(text.get_parse_math() for text in chart.findobj(Text) if text.get_text())
        assert "$x^2$" in inline_svg(chart, "")
        assert "\u202e" not in chart._repr_mimebundle_()["text/plain"]


class TestCurves:
    def test_draws_what_the_frame_says(self) -> None:
        ks = range(1, 51)
        levels = levels_of(["dense", "bm25"], ks)
        shifts = differences_of({"dense": [k / 100 for k in ks]}, ks)
        chart = curves(levels, shifts, measure="nDCG", baseline="bm25")
        upper, lower = chart.axes
        bm25, dense = upper.lines
        for line, name in ((bm25, "bm25"), (dense, "dense")):
            drawn = levels.filter(system=name)
            assert line.get_label() == name
            assert line.get_xdata().tolist() == drawn["k"].to_list()
            assert line.get_ydata().tolist() == drawn["mean"].to_list()
        zero, delta = lower.lines
        assert list(zero.get_ydata()) == [0, 0]
        assert delta.get_ydata().tolist() == shifts["delta"].to_list()
        assert delta.get_color() == dense.get_color() == charts.VERMILLION
        assert upper.get_xlim() == lower.get_xlim() == (1, 50)
        band = upper.collections[1].get_paths()[0].vertices[:, 1]
        drawn = levels.filter(system="dense")
        assert (band.min(), band.max()) == (drawn["ci_low"].min(), drawn["ci_high"].max())
        assert chart.data.columns[-3:] == ["delta", "delta_low", "delta_high"]

    def test_four_are_told_apart_by_more_than_colour(self) -> None:
        lines = curves(levels_of("abcd", [1, 5, 10]), measure="P").axes[0].lines
        assert len({line.get_marker() for line in lines}) == 4
        assert len({str(line._dash_pattern) for line in lines}) == 4

    def test_of_many_the_baseline_and_the_three_best_are_in_colour(self) -> None:
        chart = curves(levels_of("abcdefg", [1, 10]), measure="P", baseline="b")
        spoken = {str(x.get_label()) for x in chart.axes[0].lines if x.get_color() != charts.GREY}
        assert spoken == set("befg")
        assert chart.alt.endswith("; 3 other systems are in grey.")
        assert set("abcdefg") <= set(texts(chart))

    def test_where_many_names_have_no_room_the_grey_ones_share_one(self) -> None:
        names = [f"system-{i}" for i in range(30)]
        told = texts(curves(levels_of(names, [1, 10]), measure="P", baseline=names[0]))
        assert "26 others" in told
        assert "system-5" not in told
        assert "system-29" in told

    @pytest.mark.parametrize(
        ("deltas", "told"),
        [
            ([0.01, 0.02, 0.03], "dense lies above bm25 at every k"),
            ([-0.01, -0.02, -0.03], "dense lies below bm25 at every k"),
            ([0, 0, 0], "dense equals bm25 at every k"),
            ([0, 0.1, 0.1], "above bm25 at 2 of 3 cut-offs and equals it at the others"),
            ([0.1, 0, -0.1], "above bm25 up to k = 5 and below from k = 20"),
            ([-0.1, 0.1, 0.1], "below bm25 up to k = 5 and above from k = 10"),
            ([-0.1, 0.1, -0.1], "above bm25 at 1 and below at 2 of 3 cut-offs"),
            ([None, 0.1, None], "above bm25 at every k; at k = 10 the difference is +0.100"),
        ],
    )
    def test_the_sentence_states_the_finding(
        self, deltas: Sequence[float | None], told: str
    ) -> None:
        ks = [5, 10, 20]
        levels = levels_of(["bm25", "dense"], ks)
        differences = differences_of({"dense": deltas}, ks)
        chart = curves(levels, differences, measure="nDCG", baseline="bm25")
        assert told in chart.alt
        assert chart.alt.startswith("nDCG at k from 5 to 20: ")

    def test_a_system_without_a_difference_is_said_to_have_none(self) -> None:
        levels = levels_of(["bm25", "dense", "hybrid"], [10])
        shifts = differences_of({"dense": [0.1]}, [10])
        told = curves(levels, shifts, measure="P", baseline="bm25").alt
        assert "hybrid can't be set against bm25." in told

    def test_the_whole_sentence(self) -> None:
        ks = [1, 10, 100]
        chart = curves(
            levels_of(["bm25", "dense"], ks),
            differences_of({"dense": [0.01, 0.0213, 0.03]}, ks),
            measure="nDCG",
            baseline="bm25",
            confidence=0.9,
        )
        assert chart.alt == (
            "nDCG at k from 1 to 100: dense lies above bm25 at every k; at k = 10 the difference "
            "is +0.021 (90 % interval +0.011 to +0.031)."
        )
        assert "difference to bm25, with its 90 % interval" in texts(chart)

    def test_gaps_and_lacking_intervals_are_left_open(self) -> None:
        levels = levels_of(["a"], [1, 2, 3, 4]).with_columns(
            mean=pl.Series([0.1, None, np.nan, 0.4]), ci_low=None, ci_high=None
        )
        (line,) = curves(levels, measure="P").axes[0].lines
        np.testing.assert_array_equal(line.get_ydata(), [0.1, np.nan, np.nan, 0.4])

    def test_cut_offs_that_grow_by_factors_are_on_a_scale_of_factors(self) -> None:
        for ks, scale in (([1, 3, 10, 100, 1000], "log"), (range(1, 101), "linear")):
            axes = curves(levels_of("ab", ks), measure="P").axes[0]
            assert axes.get_xscale() == scale
            marks = [text.get_text() for text in axes.get_xticklabels()]
            assert marks[0] == "1"
            assert marks[-1] == f"{ks[-1]:,}"

    def test_one_cut_off(self) -> None:
        chart = curves(levels_of("ab", [10]), measure="P")
        assert chart.alt.startswith("P at k = 10: b reaches ")
        assert chart.axes[0].get_xlim() == (9.5, 10.5)

    def test_weighs_little(self) -> None:
        ks = range(1, 51)
        shifts = {name: np.sin(np.arange(50) * (i + 1)) for i, name in enumerate("bcd")}
        chart = curves(levels_of("abcd", ks), differences_of(shifts, ks), measure="P", baseline="a")
        assert len(inline_svg(chart, chart.alt).encode()) < 40_000


class TestSortedDeltas:
    def draw(self, values: Any) -> Chart:
        return sorted_deltas(deltas_of(values), measure="AP", baseline="bm25", system="dense")

    def test_bars_are_the_sorted_differences(self) -> None:
        chart = self.draw([0.1, -0.3, 0, 0.2, None, np.nan])
        bars = [bar for bars in chart.axes[0].containers for bar in bars]
        drawn = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in bars}
        assert drawn == {1: 0.2, 2: 0.1, 4: -0.3}
        colors = [mpl.colors.to_hex(bar.get_facecolor()).upper() for bar in bars]
        assert colors == [charts.BLUE, charts.BLUE, charts.VERMILLION]
        assert chart.data.rows() == [("q3", 0.2), ("q0", 0.1), ("q2", 0.0), ("q1", -0.3)]
        assert {"▲ 2 wins", "1 tie", "▼ 1 loss", "+0.2000 q3", "-0.3000 q1"} <= set(texts(chart))
        assert chart.alt == (
            "AP by query, dense minus bm25: 2 wins, 1 tie and 1 loss; the biggest win is +0.200 "
            "(query q3); the biggest loss is -0.300 (query q1); 2 queries without a difference "
            "left out."
        )

    @pytest.mark.parametrize("n", [100, 300, 7_000])
    def test_an_outline_keeps_the_extremes(self, n: int) -> None:
        values = np.random.default_rng(0).normal(0, 0.2, n)
        values[[3, 50]] = 0.99, -0.97
        wins, losses = self.draw(values).axes[0].collections[:2]
        assert wins.get_paths()[0].vertices[:, 1].max() == 0.99
        assert losses.get_paths()[0].vertices[:, 1].min() == -0.97
        assert wins.get_paths()[0].vertices[:, 0].min() == 0.5
        assert losses.get_paths()[0].vertices[:, 0].max() == n + 0.5

    def test_a_lone_win_among_thousands_is_drawn(self) -> None:
        svg = inline_svg(self.draw([0.5, *[0.0] * 6_999]), "")
        assert f'fill="{charts.BLUE.lower()}"' in svg

    def test_nothing_changed(self) -> None:
        chart = self.draw([0.0, 0.0])
        assert chart.alt.endswith(": 0 wins, 2 ties and 0 losses.")
        assert "▲ 0 wins" in texts(chart)

    def test_the_order_of_rows_changes_nothing(self) -> None:
        frame = deltas_of([0.1, 0.1, 0.0, -0.2, -0.2])
        names = {"measure": "AP", "baseline": "a", "system": "b"}
        told = {inline_svg(sorted_deltas(f, **names), "") for f in (frame, frame.reverse())}
        assert len(told) == 1

    @pytest.mark.parametrize("n", [80, 300, 600, 7_000, 100_000])
    def test_weighs_little(self, n: int) -> None:
        chart = self.draw(np.random.default_rng(0).normal(0, 0.2, n))
        assert len(inline_svg(chart, chart.alt).encode()) < 40_000


class TestForest:
    ROWS = (
        ("dense", "nDCG@10", 0.0213, 0.0121, 0.0305),
        ("hybrid", "nDCG@10", -0.0213, -0.0305, -0.0121),
        ("dense", "AP", 0.001, -0.01, 0.012),
        ("hybrid", "AP", 0.0, None, None),
        ("dense", "RR", None, None, None),
    )

    def test_draws_what_the_frame_says(self) -> None:
        chart = forest(rows_of(*self.ROWS), baseline="bm25")
        (axes,) = chart.axes
        points = {line.get_ydata()[0]: line.get_xdata()[0] for line in axes.lines[1:]}
        assert [points[y] for y in (1, 2, 4, 5)] == [0.0213, -0.0213, 0.001, 0.0]
        spans = [tuple(c.get_segments()[0].ravel()) for c in axes.collections]
        assert spans == [(0.0121, 1, 0.0305, 1), (-0.0305, 2, -0.0121, 2), (-0.01, 4, 0.012, 4)]
        markers = [line.get_marker() for line in axes.lines[1:5]]
        assert markers == [">", "<", "o", "o"]
        told = texts(chart)
        assert "+0.0213 [+0.0121, +0.0305]" in told
        assert "0.0000 no query changed" in told
        assert "–" in told
        assert [text for text in told if text in ("nDCG@10", "AP", "RR")] == ["nDCG@10", "AP", "RR"]

    def test_the_sentence_states_the_finding(self) -> None:
        assert forest(rows_of(*self.ROWS), baseline="bm25", confidence=0.99).alt == (
            "Difference to bm25 with 99 % intervals: dense is higher in nDCG@10 (+0.021), not "
            "clearly different in AP (+0.001) and undefined in RR; hybrid is lower in nDCG@10 "
            "(-0.021) and unchanged in AP."
        )

    def test_many_rows_are_counted(self) -> None:
        many = [(f"s{i}", *row[1:]) for i in range(3) for row in self.ROWS]
        assert forest(rows_of(*many), baseline="bm25").alt == (
            "Difference to bm25 with 95 % intervals: of 15 intervals there are 3 above zero, 3 "
            "below zero, 3 across zero, 3 missing as no query changed and 3 missing as the "
            "difference is undefined."
        )


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=300), st.integers(1, 50))
def test_decimation_keeps_the_ends_and_the_extremes(values: list[float], columns: int) -> None:
    series = np.sort(np.array(values))[::-1]
    kept = decimated(series, columns)
    assert len(kept) <= 2 * columns
    assert series[kept].max() == series.max()
    assert series[kept].min() == series.min()
    assert (np.diff(kept) > 0).all()
    if columns >= len(values):
        assert kept.tolist() == list(range(len(values)))


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(5, 20)), min_size=1, max_size=8))
def test_labels_never_lie_on_each_other(labels: list[tuple[float, int]]) -> None:
    wanted, sizes = zip(*labels, strict=True)
    places = spread(wanted, sizes, (0, 200))
    spans = sorted((p - s / 2, p + s / 2) for p, s in zip(places, sizes, strict=True))
    assert all(a[1] <= b[0] + 1e-6 for a, b in pairwise(spans))
    assert spans[0][0] >= -1e-6
    assert spans[-1][1] <= 200 + 1e-6
