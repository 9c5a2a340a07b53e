"""A chart says what it shows, shows itself, and keeps hostile texts what they are: texts."""

import base64
import os
import pickle
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import html5lib
import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from chart_frames import deltas_of, differences_of, levels_of, rows_of, texts
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from rankreport import charts
from rankreport.charts import (
    Chart,
    curves,
    delta_histogram,
    forest,
    precision_recall_curves,
    roc_curves,
    score_scatter,
    sorted_deltas,
)
from rankreport.charts._end_labels import spread
from rankreport.charts.canvas import INK
from rankreport.charts.svg import INK_OF_IMAGES, inline_svg, standalone_svg
from rankreport.errors import DataError

HOSTILE = [
    "</script><script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "$x^2$ $\\frac",
    "'\"&\x00\u202e\u2028_",
]


SCORES = deltas_of([0.2, 0, -0.1]).with_columns(
    score_baseline=pl.lit(0.5), score_system=0.5 + pl.col("delta")
)
POINTS = pl.DataFrame(
    {
        "system": ["dense"] * 4,
        "threshold": [np.inf, 0.9, 0.5, 0.1],
        "fpr": [0.0, 0.0, 0.5, 1.0],
        "tpr": [0.0, 0.5, 1.0, 1.0],
        "recall": [0.0, 0.5, 0.5, 1.0],
        "precision": [1.0, 1.0, 0.5, 0.5],
    }
)


def every_chart() -> list[Chart]:
    ks = range(1, 21)
    levels = levels_of(["bm25", "dense"], ks)
    steady = differences_of({"dense": [0.04] * 20}, ks)
    return [
        curves(levels, steady, measure="nDCG", baseline="bm25"),
        sorted_deltas(deltas_of([0.2, 0, -0.1]), measure="AP", baseline="bm25", system="dense"),
        forest(rows_of(("dense", "AP", 0.02, 0.01, 0.03)), baseline="bm25"),
        curves(levels_of("abcdef", ks), measure="nDCG"),
        delta_histogram(deltas_of([0.2, 0, -0.1]), measure="AP", baseline="bm25", system="dense"),
        score_scatter(SCORES, measure="AP", baseline="bm25", system="dense"),
        roc_curves(POINTS),
        precision_recall_curves(POINTS),
    ]


class TestChart:
    def test_is_a_figure_that_can_be_restyled_saved_and_pickled(self, tmp_path: Path) -> None:
        for chart in every_chart():
            assert isinstance(chart, Figure)
            assert isinstance(chart, charts.Chart)
            chart.axes[0].set_title("mine")
            chart.savefig(tmp_path / "chart.png")
            assert "mine" in inline_svg(chart, chart.alt)
            again = pickle.loads(pickle.dumps(chart))
            assert (again.alt, again.data.equals(chart.data)) == (chart.alt, True)

    def test_a_heading_is_a_title_that_a_user_may_replace(self) -> None:
        headed = [chart for chart in every_chart() if chart.axes[0].get_title()]
        assert len(headed) == len(every_chart()) - 1  # a forest has none
        for chart in headed:
            heading = chart.axes[0].get_title()
            assert chart.axes[0].set_title(r"$\Delta$").get_parse_math()
            assert heading not in texts(chart)
            assert "data:image/png;base64," in chart._repr_mimebundle_()["text/html"]

    def test_shows_itself_as_an_image_and_in_words(self) -> None:
        for chart in every_chart():
            shown = chart._repr_mimebundle_()
            assert set(shown) == {"text/html", "text/plain", "image/png"}
            png = base64.b64decode(shown["image/png"])
            assert png.startswith(b"\x89PNG")
            assert len(png) <= 200_000
            assert chart._repr_mimebundle_() == shown
            page = html5lib.parseFragment(shown["text/html"], namespaceHTMLElements=False)
            assert [node.tag for node in page.iter()][1:] == ["figure", "img"]
            assert page[0].get("style") == "margin: 0.5em 0"  # browsers leave 40 px at each side
            assert page[0][0].get("alt") == chart.alt
            kind, _, image = page[0][0].get("src").partition(",")
            assert kind == "data:image/svg+xml;base64"
            on_white = standalone_svg(chart, chart.alt).replace(INK, INK_OF_IMAGES)
            on_any = on_white.replace('fill="#ffffff"/>', 'fill="none"/>', 1)
            assert base64.b64decode(image).decode() == on_any
            assert shown["text/plain"].startswith(chart.alt)
            for column in chart.data.columns:
                assert column in shown["text/plain"]

    def test_matplotlib_waits_until_it_is_needed(self) -> None:
        code = "import sys, rankreport.charts; sys.exit('matplotlib' in sys.modules)"
        root = Path(__file__).parents[2]
        run = subprocess.run([sys.executable, "-c", code], cwd=root, check=False)
        assert run.returncode == 0

    def test_settings_of_the_user_are_neither_used_nor_changed(self) -> None:
        before = [inline_svg(chart, "") for chart in every_chart()]
        with mpl.rc_context({"font.size": 30, "axes.grid": False, "lines.linewidth": 9}):
            assert [inline_svg(chart, "") for chart in every_chart()] == before
            assert mpl.rcParams["font.size"] == 30

    def test_no_text_is_smaller_than_nine_points_or_outside_the_figure(self) -> None:
        names = ["a-very-long-name-of-a-system-that-goes-on-and-on", *"BCDEFG"]
        long = [
            curves(levels_of(names, range(1, 51)), measure="nDCG", baseline=names[0]),
            forest(rows_of((names[0], "AP", -0.12345, -0.2, 0.01)), baseline=names[0]),
            sorted_deltas(deltas_of([0.5] * 7000), measure="AP", baseline="a", system="b"),
            delta_histogram(deltas_of([0.5] * 7000), measure="AP", baseline="a", system="b"),
            score_scatter(
                SCORES.with_columns(query_id="a-rather-long-query-" + pl.col("query_id")),
                measure=names[0],
                baseline=names[0],
                system=names[0],
            ),
            roc_curves(POINTS.with_columns(system=pl.lit(names[0]))),
            precision_recall_curves(POINTS.with_columns(system=pl.lit("W" * 60))),
        ]
        for chart in [*every_chart(), *long]:
            chart.draw_without_rendering()
            assert min(text.get_fontsize() for text in chart.findobj(Text)) >= 9
            for axes in chart.axes:
                box = axes.get_tightbbox()
                assert box is not None
                assert min(box.x0, box.y0) >= 0, chart.alt
                assert box.x1 <= chart.bbox.x1, chart.alt
                assert box.y1 <= chart.bbox.y1, chart.alt

    @pytest.mark.slow
    def test_bytes_repeat_in_other_processes(self, tmp_path: Path) -> None:
        code = (
            "import sys, hashlib; sys.path[:0] = sys.argv[1:]\n"
            "from test_chart import *\n"
            "told = ''.join(c._repr_mimebundle_()['text/html'] for c in every_chart())\n"
            "print(hashlib.sha256(told.encode()).hexdigest())"
        )
        here = Path(__file__)
        paths = [str(here.parent), str(here.parents[1] / "helpers"), str(here.parents[2])]
        told = {
            subprocess.run(
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

    def test_where_nothing_can_be_drawn_the_chart_says_so(self) -> None:
        ks = [1, 10]
        empty = levels_of(["bm25", "dense"], ks).with_columns(mean=pl.lit(None, pl.Float64))
        nothing = differences_of({"dense": [None, np.nan]}, ks)
        names = {"measure": "AP", "baseline": "bm25", "system": "dense"}
        for chart, told in (
            (curves(empty, nothing, measure="AP", baseline="bm25"), "no query has a value"),
            (curves(empty.clear(), measure="AP"), "no query has a value"),
            (
                sorted_deltas(deltas_of([None, np.nan]), **names),
                "no query has a value for both systems",
            ),
            (sorted_deltas(deltas_of([]), **names), "no query has a value for both systems"),
            (forest(rows_of(), baseline="bm25"), "no query has a value for both systems"),
        ):
            assert told in texts(chart)
            assert chart.alt.endswith(f": {told}.")
            assert told in inline_svg(chart, chart.alt)
            assert chart._repr_mimebundle_()["text/plain"].startswith(chart.alt)


@pytest.mark.slow
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
            curves(levels_of([*HOSTILE, "a", "b"], ks), shifted, measure=first, baseline="a"),
            *(
                draw(
                    SCORES.with_columns(query_id=pl.lit(name)),
                    measure=name,
                    baseline=name,
                    system=name,
                )
                for name in HOSTILE
                for draw in (delta_histogram, score_scatter)
            ),
            *(
                draw(POINTS.with_columns(system=pl.lit(name)))
                for name in HOSTILE
                for draw in (roc_curves, precision_recall_curves)
            ),
        ]

    def test_stays_text(self) -> None:
        for chart in self.charts():
            for source in (inline_svg(chart, chart.alt), standalone_svg(chart, chart.alt)):
                root = ET.fromstring(source)
                tags = {node.tag.rpartition("}")[2] for node in root.iter()}
                assert tags <= {"svg", "g", "a", "path", "circle", "rect", "text", "title", "desc"}
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
        assert "$x^2$" in inline_svg(chart, "")
        assert "\u202e" not in chart._repr_mimebundle_()["text/plain"]
        told = [text for each in self.charts() for text in each.findobj(Text)]
        hostile = [text for text in told if "$x^2$" in text.get_text()]
        assert len(hostile) > len(self.charts()) / len(HOSTILE)
        assert not any(text.get_parse_math() for text in hostile)


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(5, 20)), min_size=1, max_size=8))
def test_labels_never_lie_on_each_other(labels: list[tuple[float, int]]) -> None:
    wanted, sizes = zip(*labels, strict=True)
    places = spread(wanted, sizes, (0, 200))
    spans = sorted((p - s / 2, p + s / 2) for p, s in zip(places, sizes, strict=True))
    assert all(a[1] <= b[0] + 1e-6 for a, b in pairwise(spans))
    assert spans[0][0] >= -1e-6
    assert spans[-1][1] <= 200 + 1e-6
