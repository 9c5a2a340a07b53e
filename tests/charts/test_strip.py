"""Strips say what they are given, within their frame, and no label lies on another."""

import itertools
import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankreport.charts import strip as strips
from rankreport.charts.strip import NARROW, WIDE, Estimate, Strip, distribution_strip, tally_strip
from rankreport.errors import DataError, OptionError
from rankreport.text import text_width, using_language

NAMESPACE = "{http://www.w3.org/2000/svg}"
at_95 = {"confidence": 0.95}
difference_strip = partial(strips.difference_strip, **at_95)
estimates_strip = partial(strips.estimates_strip, **at_95)
level_strip = partial(strips.level_strip, **at_95)
row_intervals = partial(strips.row_intervals, **at_95)

HOSTILE = "<script>\"'&\u202e</svg>"

small = st.floats(-1, 1, allow_nan=False).map(lambda x: round(x, 4))
sizes = st.none() | st.floats(0.0001, 1).map(lambda x: round(x, 4))


def shapes(svg: str, tag: str) -> list[ET.Element]:
    return list(ET.fromstring(svg).iter(tag))


def words(svg: str) -> list[str]:
    return [node.text or "" for node in shapes(svg, "text")]


def boxes(svg: str) -> list[tuple[float, float, float]]:
    """The left and right end of each text, and its baseline."""
    found = []
    for node in shapes(svg, "text"):
        width = text_width(node.text or "") * 13
        share = {"start": 0.0, "middle": 0.5, "end": 1.0}[node.get("text-anchor", "start")]
        left = float(node.get("x", 0)) - share * width
        found.append((left, left + width, float(node.get("y", 0))))
    return found


def assert_fits(strip: Strip) -> None:
    for svg, width in zip(strip, (WIDE, NARROW), strict=True):
        for left, right, _ in boxes(svg):
            assert left >= -1
            assert right <= width + 1
        for one, other in itertools.combinations(boxes(svg), 2):
            assert one[2] != other[2] or one[1] <= other[0] or other[1] <= one[0]
        root = ET.fromstring(svg)
        height = float(root.get("height", 0))
        assert all(0 <= y <= height for *_, y in boxes(svg))
        for circle in root.iter("circle"):
            at, radius = float(circle.get("cx", 0)), float(circle.get("r", 0))
            assert radius <= at <= width - radius


ESTIMATE = Estimate(measure="nDCG@10", delta=0.129, low=0.073, high=0.186, tone="better")


def test_rare_gains_are_called_so_and_their_line_always_has_its_label() -> None:
    # The margin's label has the same place, and makes way.
    for svg in difference_strip(ESTIMATE, margin=0.02, rare=-0.001):
        assert words(svg)[0] == "rare failures"
    loss = replace(ESTIMATE, delta=-0.129, low=-0.186, high=-0.073, tone="worse")
    svg = difference_strip(loss, rare=0.001).wide
    assert words(svg)[0] == "rare gains"
    assert "rare gains as far as +0.001" in svg


def test_a_difference_lies_to_scale() -> None:
    svg = difference_strip(ESTIMATE, margin=0.01).wide
    paths = [node.get("d", "") for node in shapes(svg, "path")]
    (at,) = [float(node.get("cx", 0)) for node in shapes(svg, "circle")]
    upright = dict(re.findall(r"M([\d.]+) ([\d.]+)V", " ".join(paths)))
    top = sorted(upright, key=lambda x: float(upright[x]))
    zero = float(top[0])
    low, high = (float(x) for x in re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", " ".join(paths))[1])
    unit = (at - zero) / 0.129
    assert [(x - zero) / unit for x in (low, high)] == pytest.approx([0.073, 0.186], abs=1e-4)
    (margin,) = shapes(svg, "rect")
    assert float(margin.get("x", 0)) == pytest.approx(zero - 0.01 * unit, abs=0.02)
    assert float(margin.get("width", 0)) == pytest.approx(0.02 * unit, abs=0.02)
    assert words(svg) == ["margin ±0.01", "no difference"]


@pytest.mark.parametrize(("rare", "end"), [(-0.05, 0.073), (0.25, 0.186)])
def test_rare_failures_reach_on_from_the_end_on_their_side(rare: float, end: float) -> None:
    svg = difference_strip(ESTIMATE, rare=rare).wide
    (dotted,) = [node for node in shapes(svg, "path") if node.get("stroke-dasharray")]
    (at,) = [float(node.get("cx", 0)) for node in shapes(svg, "circle")]
    (zero,) = [
        float(each)
        for node in shapes(svg, "path")
        for each in re.findall(r"^M([\d.]+) [\d.]+V", node.get("d", ""))
    ][:1]
    unit = (at - zero) / 0.129
    drawn = [float(x) for x in re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", dotted.get("d", ""))[0]]
    assert [(x - zero) / unit for x in drawn] == pytest.approx([rare, end], abs=1e-4)


def test_a_difference_is_told() -> None:
    strip = difference_strip(ESTIMATE, margin=0.01)
    for svg in strip:
        assert ET.fromstring(svg).get("aria-label") == (
            "Difference in nDCG@10: +0.129, 95 % interval +0.073 to +0.186; margin ±0.01."
        )
    with using_language("zh"):
        assert "+0.129" in difference_strip(ESTIMATE).wide
        assert "no difference" not in words(difference_strip(ESTIMATE).wide)


def test_one_of_two_is_seen_without_styles() -> None:
    wide, narrow = map(ET.fromstring, difference_strip(ESTIMATE))
    assert [wide.get("class"), narrow.get("class")] == ["wide", "narrow"]
    assert [wide.get("display"), narrow.get("display")] == [None, "none"]


def test_open_ends_are_arrows() -> None:
    one = Estimate(measure="AP", delta=0.02, low=0.003, high=math.inf, tone="better")
    both = Estimate(measure="AP", delta=0.02, low=-math.inf, high=math.inf)
    arrows = [
        [node.get("d") for node in shapes(difference_strip(each).wide, "path") if node.get("fill")]
        for each in (ESTIMATE, one, both)
    ]
    assert [len(each) for each in arrows] == [0, 1, 2]
    assert "+0.003 to +∞" in difference_strip(one).wide
    assert_fits(difference_strip(both))


def test_without_an_interval_there_is_a_point_only() -> None:
    svg = difference_strip(Estimate(measure="AP", delta=-0.02)).wide
    assert len(shapes(svg, "path")) == 2  # the axis, and zero
    assert len(shapes(svg, "circle")) == 1
    assert "\N{MINUS SIGN}0.020, without an interval" in svg


@pytest.mark.parametrize("delta", [math.nan, math.inf])
def test_no_number_is_refused(delta: float) -> None:
    with pytest.raises(DataError, match="finite difference"):
        Estimate(measure="AP", delta=delta)


def test_half_an_interval_is_refused() -> None:
    with pytest.raises(DataError, match="both ends"):
        Estimate(measure="AP", delta=0.1, low=0.0)
    with pytest.raises(OptionError, match="tone"):
        Estimate(measure="AP", delta=0.1, tone="best")  # type: ignore[arg-type]


@given(small, sizes, sizes)
def test_labels_never_touch(delta: float, half: float | None, margin: float | None) -> None:
    low, high = (None, None) if half is None else (delta - half, delta + half)
    estimate = Estimate(measure="AP", delta=delta, low=low, high=high)
    strip = difference_strip(estimate, margin=margin)
    assert_fits(strip)
    assert all("no difference" in words(svg) for svg in strip)


@given(st.integers(0, 99_999), st.integers(0, 99_999), st.integers(0, 99_999), small)
def test_counts_are_in_their_parts_or_below(
    better: int, ties: int, worse: int, mean: float
) -> None:
    strip = tally_strip(better, ties, worse, mean_win=abs(mean), mean_loss=-abs(mean))
    assert_fits(strip)
    if better + ties + worse:
        for svg in strip:
            printed = " ".join(words(svg))
            assert f"{better:,} better" in printed
            assert f"{worse:,} worse" in printed


def test_parts_of_the_bar_are_shares() -> None:
    strip = tally_strip(60, 0, 40)
    widths = [float(node.get("width", 0)) for node in shapes(strip.wide, "rect")]
    assert widths == pytest.approx([0.6 * WIDE, 0.4 * WIDE], abs=3)
    assert "Query by query: 60 better, 0 unchanged and 40 worse." in strip.narrow


def test_the_bar_is_told_with_its_means() -> None:
    """Whoever does not see it hears the mean win and loss, where there are any."""
    told = [
        ET.fromstring(svg).get("aria-label")
        for strip in (
            tally_strip(62, 7, 31, mean_win=0.27, mean_loss=-0.12),
            tally_strip(62, 7, 0, mean_win=0.27),
        )
        for svg in strip
    ]
    both = "Query by query: 62 better, 7 unchanged and 31 worse; mean +0.27; mean −0.12."
    one = "Query by query: 62 better, 7 unchanged and 0 worse; mean +0.27."
    assert told == [both, both, one, one]


def test_no_query_is_said() -> None:
    assert words(tally_strip(0, 0, 0).wide) == ["no query has a value for both systems"]


def test_rows_share_an_axis() -> None:
    rows = [ESTIMATE, Estimate(measure="b", delta=-0.1, low=-0.2, high=0.0, tone="worse")]
    first, second = row_intervals(rows)
    zeros = [shapes(svg, "path")[0].get("d") for svg in (first, second)]
    assert zeros[0] == zeros[1]
    at = [float(shapes(svg, "circle")[0].get("cx", 0)) for svg in (first, second)]
    zero = float(re.findall(r"[\d.]+", zeros[0] or "")[0])
    assert (at[0] - zero) / (zero - at[1]) == pytest.approx(1.29, abs=0.01)
    assert row_intervals([]) == ()


@given(st.lists(st.tuples(small, sizes), max_size=6))
def test_lists_fit(values: list[tuple[float, float | None]]) -> None:
    rows = [
        Estimate(
            measure=f"measure of a long name {place}",
            delta=delta,
            levels=(0.5, 0.5 + delta),
            low=None if half is None else delta - half,
            high=None if half is None else delta + half,
        )
        for place, (delta, half) in enumerate(values)
    ]
    strip = estimates_strip(rows)
    assert_fits(strip)
    assert len(words(strip.narrow)) == 2 * len(rows)


@given(st.floats(-5, 5), sizes)
def test_levels_fit(mean: float, half: float | None) -> None:
    ends = (None, None) if half is None else (mean - half, mean + half)
    assert_fits(level_strip("AP", mean, *ends))


def test_a_level_lies_on_its_scale() -> None:
    svg = level_strip("AP", 0.25, 0.2, 0.3).wide
    assert float(shapes(svg, "circle")[0].get("cx", 0)) == pytest.approx(10 + 0.25 * 720)
    assert "AP: 0.250, 95 % interval 0.200 to 0.300; scale 0 to 1." in svg
    assert words(svg) == ["0", "1", "0.5"]


def test_the_spread_of_values_is_counted() -> None:
    values = [0.0, 0.0, 0.0, 0.51, 1.0, math.nan]
    svg = distribution_strip("AP", values).wide
    heights = [float(node.get("height", 0)) for node in shapes(svg, "rect")]
    assert [round(each / heights[1]) for each in heights] == [3, 1, 1]
    assert words(svg) == ["3 queries", "0", "1", "0.5"]
    assert "5 queries, median 0.000, 3 at 0, 1 at 1" in svg
    assert "no query has a value" in distribution_strip("AP", []).wide


@pytest.mark.parametrize("parts", [3, 5, 7, 10, 20, 100])
@pytest.mark.parametrize("low", [0, -1])
def test_values_on_the_end_of_a_class_are_in_it(parts: int, low: int) -> None:
    values = [Fraction(k, parts) + low for k in range(parts + 1)]
    svg = distribution_strip("P@10", map(float, values), scale=(low, low + 1)).wide
    bars = shapes(svg, "rect")
    drawn = [round(float(bar.get("x", 0)) * 20 / 740) for bar in bars]
    expected = Counter(min(20 * (value - low) // 1, 19) for value in values)
    assert drawn == sorted(expected)
    unit = min(float(bar.get("height", 0)) for bar in bars) / min(expected.values())
    heights = [round(float(bar.get("height", 0)) / unit) for bar in bars]
    assert heights == [expected[place] for place in drawn]


@given(st.lists(st.floats(-100, 1000), min_size=1))
def test_spreads_fit(values: list[float]) -> None:
    assert_fits(distribution_strip("AP", np.asarray(values)))


def test_names_are_text() -> None:
    strips = [
        difference_strip(Estimate(measure=HOSTILE, delta=0.1)),
        estimates_strip([Estimate(measure=HOSTILE, delta=0.1)]),
        level_strip(HOSTILE, 0.1),
        distribution_strip(HOSTILE, [0.1]),
        row_intervals([Estimate(measure=HOSTILE, delta=0.1)]),
    ]
    for svg in itertools.chain(*strips):
        assert not shapes(svg, "script")
        assert "⟨U+202E⟩" in (ET.fromstring(svg).get("aria-label") or "")
        assert "\u202e" not in svg


def test_no_styles_and_no_links() -> None:
    strips = (difference_strip(ESTIMATE, margin=0.1), tally_strip(1, 2, 3), level_strip("AP", 0.1))
    for svg in itertools.chain(*strips):
        names = {name for node in ET.fromstring(svg).iter() for name in node.attrib}
        assert not names & {"style", "id", "href", "clip-path"}
