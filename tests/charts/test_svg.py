"""The pass over matplotlib's SVG: plain shapes, texts that stay texts, the same bytes."""

import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import html5lib
import matplotlib as mpl
import matplotlib.image
import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Circle

from rankreport.charts import levels
from rankreport.charts.canvas import resized
from rankreport.charts.svg import (
    INK,
    both_widths,
    drawn_for_pages,
    inline_svg,
    notebook_image,
    standalone_svg,
)

HOSTILE = """</text></svg></script><script>alert(1)</script><img src=x onerror="a()"> $x^2$ '"&"""
DRAWN_WITH = {"svg", "g", "path", "circle", "rect", "text", "tspan", "title", "desc"}
FORBIDDEN = {"style", "id", "class", "clip-path", "href", "src", "xlink:href"}
SVG = "{http://www.w3.org/2000/svg}"


def parsed(source: str) -> ET.Element:
    return ET.fromstring(source)


def drawn() -> tuple[Figure, Axes]:
    figure = Figure((4, 3))
    axes = figure.add_subplot()
    axes.plot([0, 1, 2], [0, 2, 1], "o--", color="#0072B2")
    axes.fill_between([0, 1, 2], [0, 1, 0], [1, 3, 2], alpha=0.2)
    axes.scatter([0.5, 1.5], [1, 1], marker=MarkerStyle("^"), c=["#D55E00", "#009E73"])
    axes.bar([1], [1], hatch="/")
    axes.imshow([[1, 2], [3, 4]], extent=(0, 1, 0, 1), aspect="auto")
    axes.text(1, 1, HOSTILE, parse_math=False, color=INK)
    axes.set_ylabel("turned")
    axes.set(xlim=(-0.5, 2.5), ylim=(-0.5, 3.5))
    return figure, axes


@pytest.mark.parametrize("write", [inline_svg, standalone_svg])
def test_plain_shapes_with_presentation_attributes_only(
    write: Callable[[Figure, str], str],
) -> None:
    figure, _ = drawn()
    root = parsed(write(figure, "Topic: finding."))
    nodes = list(root.iter())
    assert {node.tag.removeprefix(SVG) for node in nodes} <= DRAWN_WITH
    names = {name for node in nodes for name in node.attrib}
    assert not names & FORBIDDEN
    assert not {name for name in names if name.startswith("on") or "}" in name}
    assert "url(" not in write(figure, "")
    assert [child.tag.removeprefix(SVG) for child in root[:2]] == ["title", "desc"]
    assert (root[0].text, root[1].text) == ("Topic", "Topic: finding.")
    assert (root.get("role"), root.get("aria-label")) == ("img", "Topic: finding.")
    assert root.get("viewBox") == "0 0 288 216"


@pytest.mark.parametrize("write", [inline_svg, standalone_svg])
def test_hostile_text_stays_text(write: Callable[[Figure, str], str]) -> None:
    figure, _ = drawn()
    source = write(figure, HOSTILE + "\x00\u202e\ud800")
    root = parsed(source)
    assert HOSTILE in ["".join(node.itertext()) for node in root.iter() if "text" in node.tag]
    assert root.get("aria-label") == HOSTILE + "⟨U+0000⟩⟨U+202E⟩⟨U+D800⟩"
    page = html5lib.parse(f"<!DOCTYPE html><title>t</title>{source}", namespaceHTMLElements=False)
    assert not {"script", "img"} & {str(node.tag).rpartition("}")[2] for node in page.iter()}
    attributes = {name for node in page.iter() for name in node.attrib}
    assert not {name for name in attributes if str(name).startswith("on")}


def test_ink_follows_the_page_and_is_fixed_in_a_document() -> None:
    figure, _ = drawn()
    inline, alone = inline_svg(figure, ""), standalone_svg(figure, "")
    assert "currentColor" in inline
    assert INK not in inline
    assert "#ffffff" not in inline.replace('fill="#ffffff"', "", 1)  # the axes of this figure
    assert "currentColor" not in alone
    assert '<rect width="100%" height="100%" fill="#ffffff"/>' in alone
    assert 'width="384" height="288"' in alone
    assert 'width="100%"' in inline


def test_a_text_that_looks_like_an_attribute_stays_as_it_is() -> None:
    figure, axes = drawn()
    axes.text(0, 0, 'a="currentColor"')
    assert 'a="currentColor"' in "".join(parsed(standalone_svg(figure, "")).itertext())


def test_steps_of_paths_have_one_decimal_at_most() -> None:
    figure, axes = drawn()
    axes.plot([0, 1 / 3], [1 / 7, 1e-9])
    root = parsed(inline_svg(figure, ""))
    shapes = " ".join(node.get("d", "") + node.get("points", "") for node in root.iter())
    assert set(shapes) <= set("mlhvcqz0123456789.- ")
    numbers = re.findall(r"-?\d+(?:\.\d+)?", shapes)
    assert re.sub(r"[mlhvcqz ]", "", shapes) == "".join(numbers)
    assert max(len(n.partition(".")[2]) for n in numbers) == 1
    assert "-0" not in numbers


def test_rounded_steps_do_not_drift() -> None:
    figure = Figure((1, 1))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, 72), ylim=(0, 72))
    xs = np.linspace(1, 71, 901)  # steps of 0.0778: rounded by themselves, they would end at 91
    axes.plot(xs, 36 + 30 * np.cos(xs * 7))
    root = parsed(inline_svg(figure, ""))
    longest = max((node.get("d", "") for node in root.iter()), key=len)
    x, y = 0.0, 0.0
    for letter, numbers in re.findall(r"([mlhv])([^mlhv]*)", longest):
        steps = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", numbers)]
        x += sum(steps if letter == "h" else [] if letter == "v" else steps[::2])
        y += sum(steps if letter == "v" else [] if letter == "h" else steps[1::2])
    assert x == pytest.approx(71, abs=0.05)
    assert y == pytest.approx(36 - 30 * np.cos(71 * 7), abs=0.05)


def test_filled_bands_are_drawn_where_they_belong() -> None:
    figure = Figure((1, 1))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, 72), ylim=(0, 72))
    axes.fill_between([10, 20], [30, 30], [40, 40], color="#0072b2", linewidth=0)
    axes.plot([50], [60], "o", color="#d55e00", markersize=4, markeredgewidth=0)
    svg = inline_svg(figure, "")
    assert "m10 32v10h10v-10" in svg
    assert '<circle cx="50" cy="12" r="2"' in svg


def test_what_leaves_the_axes_is_cut_without_an_id() -> None:
    figure, axes = drawn()
    assert inline_svg(figure, "").count("<svg") == 1
    axes.set_xlim(0.9, 1.2)
    svg = inline_svg(figure, "")
    assert svg.count("<svg") > 1
    assert svg.count("<circle") == 1  # the marker at x = 1, and none beyond


def test_settings_of_the_user_change_nothing_and_are_left_alone() -> None:
    figure, _ = drawn()
    before = inline_svg(figure, "")
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": None, "path.snap": False}):
        assert inline_svg(figure, "") == before
        assert mpl.rcParams["svg.fonttype"] == "path"


def test_glyphs_that_matplotlib_lacks_warn_of_nothing() -> None:
    figure = Figure((1, 1))
    figure.text(0, 0, "検索")
    assert "検索" in inline_svg(figure, "")


def test_mathematics_of_a_user_is_kept() -> None:
    figure = Figure((1, 1))
    figure.text(0, 0, r"$x^2$")
    text = "".join(parsed(inline_svg(figure, "")).itertext())
    assert "".join(text.split()) == "x2"


def image_in(source: str) -> ET.Element:
    page = html5lib.parseFragment(source, namespaceHTMLElements=False)
    assert [node.tag for node in page.iter()][1:] == ["figure", "img"]
    return page[0][0]


def test_an_image_for_a_notebook() -> None:
    figure = Figure((1, 1))
    figure.add_subplot().plot([0, 1], "o--")
    image = image_in(notebook_image(figure, HOSTILE))
    assert set(image.attrib) == {"alt", "src"}
    assert image.get("alt") == HOSTILE
    assert image.get("src").startswith("data:image/svg+xml;base64,")


def test_a_chart_for_pages_is_drawn_for_the_wider_width_at_once() -> None:
    numbers = {"mean": [0.5], "ci_low": [0.4], "ci_high": [0.6]}
    means = pl.DataFrame({"system": ["a"], "measure": ["AP"], **numbers})
    usual = levels(means)
    with drawn_for_pages():
        chart, chosen = levels(means), levels(means, width=3.3)
    assert both_widths(chart, chart.alt) == both_widths(usual, usual.alt)
    assert resized(chart, chart.drawn_on) is chart
    assert chart.get_figwidth() == pytest.approx(740 / 96)
    assert chosen.get_figwidth() == pytest.approx(3.3)
    assert levels(means).get_figwidth() == usual.get_figwidth()


RESTYLED: dict[str, Callable[[Axes], object]] = {
    "hatched bars": lambda axes: axes.bar([1], [1], hatch="//"),
    "a hatched span": lambda axes: axes.axvspan(0.2, 0.3, hatch="x", color="gold"),
    "an image": lambda axes: axes.imshow([[1, 2], [3, 4]]),
    "mathematics": lambda axes: axes.set_title(r"$\frac{1}{2}$"),
    "powers of ten": lambda axes: axes.set(yscale="log", ylim=(1, 1e6)),
    "a smooth mesh": lambda axes: axes.pcolormesh([[1, 2], [3, 4]], shading="gouraud"),
    "a round frame": lambda axes: axes.bar([1], [1])[0].set_clip_path(Circle((1, 1), 0.3)),
    "what is rasterized": lambda axes: axes.plot([0, 1], rasterized=True),
}


@pytest.mark.parametrize("added", RESTYLED.values(), ids=RESTYLED)
def test_what_shapes_alone_cannot_show_is_shown_as_matplotlib_draws_it(
    added: Callable[[Axes], object],
) -> None:
    figure = Figure((4, 3))
    added(figure.add_subplot())
    image = image_in(notebook_image(figure, HOSTILE))
    assert (set(image.attrib), image.get("alt")) == ({"alt", "src", "width"}, HOSTILE)
    kind, _, source = image.get("src", "").partition(",")
    assert kind == "data:image/png;base64"
    seen = mpl.image.imread(io.BytesIO(base64.b64decode(source)))
    saved = io.BytesIO()
    figure.savefig(saved, dpi=192)
    by_hand = mpl.image.imread(io.BytesIO(saved.getvalue()))
    assert np.abs(seen - by_hand).mean() < 0.01 < np.abs(by_hand - by_hand[0, 0]).mean()
    assert image.get("width") == str(seen.shape[1] // 2)


def test_a_hatched_shape_keeps_its_colour() -> None:
    figure = Figure((1, 1))
    figure.add_subplot().bar([1], [1], color="#d55e00", hatch="//")
    assert '"#d55e00"' in inline_svg(figure, "")


@pytest.mark.slow
def test_bytes_repeat_in_other_processes(tmp_path: Path) -> None:
    code = (
        "import sys, hashlib; sys.path[:0] = sys.argv[1:]\n"
        "from test_svg import *\n"
        "print(hashlib.sha256(inline_svg(drawn()[0], 'a').encode()).hexdigest())"
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
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert told == {hashlib.sha256(inline_svg(drawn()[0], "a").encode()).hexdigest()}
