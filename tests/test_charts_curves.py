"""What is drawn of a measure by cut-off is what the frames say, and so is the sentence."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from chart_frames import differences_of, levels_of, texts

from rankreport import charts
from rankreport.charts import curves
from rankreport.curves import CUTOFFS
from rankreport.rendering.svg import inline_svg


def test_draws_what_the_frame_says() -> None:
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


def test_four_are_told_apart_by_more_than_colour() -> None:
    lines = curves(levels_of("abcd", [1, 5, 10]), measure="P").axes[0].lines
    assert len({line.get_marker() for line in lines}) == 4
    assert len({str(line._dash_pattern) for line in lines}) == 4


def test_of_many_the_baseline_and_the_three_best_are_in_colour() -> None:
    chart = curves(levels_of("abcdefg", [1, 10]), measure="P", baseline="b")
    spoken = {str(x.get_label()) for x in chart.axes[0].lines if x.get_color() != charts.GREY}
    assert spoken == set("befg")
    assert chart.alt.endswith("; 3 other systems are in grey.")
    assert set("abcdefg") <= set(texts(chart))


def test_where_many_names_have_no_room_the_grey_ones_share_one() -> None:
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
def test_the_sentence_states_the_finding(deltas: Sequence[float | None], told: str) -> None:
    ks = [5, 10, 20]
    levels = levels_of(["bm25", "dense"], ks)
    differences = differences_of({"dense": deltas}, ks)
    chart = curves(levels, differences, measure="nDCG", baseline="bm25")
    assert told in chart.alt
    assert chart.alt.startswith("nDCG at k from 5 to 20: ")


def test_a_system_without_a_difference_is_said_to_have_none() -> None:
    levels = levels_of(["bm25", "dense", "hybrid"], [10])
    shifts = differences_of({"dense": [0.1]}, [10])
    told = curves(levels, shifts, measure="P", baseline="bm25").alt
    assert "hybrid can't be set against bm25." in told


def test_the_whole_sentence() -> None:
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


def test_gaps_and_lacking_intervals_are_left_open() -> None:
    levels = levels_of(["a"], [1, 2, 3, 4]).with_columns(
        mean=pl.Series([0.1, None, np.nan, 0.4]), ci_low=None, ci_high=None
    )
    (line,) = curves(levels, measure="P").axes[0].lines
    np.testing.assert_array_equal(line.get_ydata(), [0.1, np.nan, np.nan, 0.4])


def test_cut_offs_that_grow_by_factors_are_on_a_scale_of_factors() -> None:
    for ks, scale in (([1, 3, 10, 100, 1000], "log"), (range(1, 101), "linear")):
        axes = curves(levels_of("ab", ks), measure="P").axes[0]
        assert axes.get_xscale() == scale
        marks = [text.get_text() for text in axes.get_xticklabels()]
        assert marks[0] == "1"
        assert marks[-1] == f"{ks[-1]:,}"


@pytest.mark.parametrize(
    ("ks", "marked"),
    [
        (CUTOFFS, [1, 2, 3, 5, 10, 20, 50, 100]),
        ((1, 2, 3, 5, 10, 20, 50, 100, 1000), [1, 2, 3, 5, 10, 20, 50, 100, 1000]),
        ((1, 4, 7, 30, 300), [1, 4, 7, 30, 300]),  # none of them is round, and all have room
        ((1, 2, 3, 5, 10, 20, 50, 10**9), [1, 2, 10, 50, 10**9]),
        ((*range(1, 21), 10_000), [1, 2, 3, 5, 10, 20, 10_000]),
    ],
)
def test_an_axis_of_factors_is_marked_where_readers_look(
    ks: Sequence[int], marked: Sequence[int]
) -> None:
    axes = curves(levels_of("ab", ks), measure="P").axes[0]
    assert axes.get_xscale() == "log"
    assert axes.get_xticks().tolist() == list(marked)


def test_the_marks_of_an_axis_never_touch() -> None:
    for ks in (CUTOFFS, [*range(1, 100), 10_000], [999, *range(1_000, 1_010), 5_000]):
        chart = curves(levels_of(["a", "a-name-so-long-it-squeezes"], ks), measure="P")
        chart.draw_without_rendering()
        boxes = [label.get_window_extent() for label in chart.axes[0].get_xticklabels()]
        assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


def test_levels_without_a_difference_are_drawn_above_the_reason() -> None:
    levels = levels_of(["bm25", "dense"], [1, 10])
    nothing = differences_of({"dense": [None, None]}, [1, 10])
    chart = curves(levels, nothing, measure="P", baseline="bm25")
    assert len(chart.axes[0].lines) == 2
    assert not chart.axes[1].lines
    assert "no query has a value for both" in texts(chart)
    assert chart.alt == "P at k from 1 to 10: dense can't be set against bm25."


def test_an_interval_is_named_only_where_there_is_one() -> None:
    levels = levels_of("ab", [1, 10])
    bare = levels.with_columns(ci_low=None, ci_high=None)
    assert "mean P, with its 95 % interval" in texts(curves(levels, measure="P"))
    assert "mean P" in texts(curves(bare, measure="P"))


def test_one_cut_off() -> None:
    chart = curves(levels_of("ab", [10]), measure="P")
    assert chart.alt.startswith("P at k = 10: b reaches ")
    assert chart.axes[0].get_xlim() == (9.5, 10.5)


def test_weighs_little() -> None:
    ks = range(1, 51)
    shifts = {name: np.sin(np.arange(50) * (i + 1)) for i, name in enumerate("bcd")}
    chart = curves(levels_of("abcd", ks), differences_of(shifts, ks), measure="P", baseline="a")
    assert len(inline_svg(chart, chart.alt).encode()) < 40_000
