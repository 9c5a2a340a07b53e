"""What is drawn of a measure by cut-off is what the frames say, and so is the sentence."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from chart_frames import differences_of, levels_of, texts

from rankreport import charts
from rankreport.charts import Chart, curves
from rankreport.charts._panel import line_width
from rankreport.charts.svg import INK, inline_svg
from rankreport.evaluation.curves import CUTOFFS


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
    assert delta.get_color() == dense.get_color() == charts.GREEN
    assert bm25.get_color() == INK  # neither looks like a verdict: blue wins, vermillion loses
    assert upper.get_xlim() == lower.get_xlim() == (1, 50)
    band = upper.collections[1].get_paths()[0].vertices[:, 1]
    drawn = levels.filter(system="dense")
    assert (band.min(), band.max()) == (drawn["ci_low"].min(), drawn["ci_high"].max())
    assert chart.data.columns[-3:] == ["delta", "delta_low", "delta_high"]


def test_four_are_told_apart_by_more_than_colour() -> None:
    lines = curves(levels_of("abcd", [1, 5, 10]), measure="P").axes[0].lines
    assert len({line.get_marker() for line in lines}) == 4
    assert len({str(line._dash_pattern) for line in lines}) == 4


def many(n: int, ks: Sequence[int] = (1, 10, 100)) -> Chart:
    """Draw systems of which each lies a hundredth above the one before, the first the baseline."""
    names = [f"s{place}" for place in range(n)]
    deltas = {name: [place / 100] * len(ks) for place, name in enumerate(names) if place}
    return curves(levels_of(names, ks), differences_of(deltas, ks), measure="P", baseline="s0")


def test_of_more_than_four_each_difference_has_a_panel() -> None:
    chart = many(6)
    headings = [text for text in texts(chart) if text.endswith("at k = 10")]
    assert headings == [f"s{n}\n+0.0{n}0 at k = 10" for n in (5, 4, 3, 2, 1)]
    for axes, place in zip(chart.axes, (5, 4, 3, 2, 1), strict=True):
        (own,) = (line for line in axes.lines if line.get_color() == charts.BLUE)
        assert own.get_ydata().tolist() == [place / 100] * 3
        grey = [line for line in axes.lines if line.get_color() == charts.GREY]
        assert len(grey) == 4
        # On a scale of its own: from 0 to the end of its interval.
        low, high = axes.get_ylim()
        top = place / 100 + 0.01
        assert (low, high) == pytest.approx((-0.05 * top, 1.05 * top))
        assert axes.yaxis.get_tick_params()["labelleft"]
    band = chart.axes[0].collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == pytest.approx((0.04, 0.06))
    assert chart.data["system"].unique(maintain_order=True).to_list() == [
        "s1",
        "s2",
        "s3",
        "s4",
        "s5",
    ]
    assert chart.alt.startswith(
        "P by cut-off, differences to s0: at k = 10, with 95 % intervals, s1 +0.010 "
    )


def test_of_more_than_twelve_the_lower_ones_are_counted() -> None:
    chart = many(50)
    assert len(chart.axes) == 12
    assert chart.alt.endswith(" and s49 +0.490 (+0.480 to +0.500); 37 lower systems are left out.")
    assert any("37 lower systems are left out" in text for text in texts(chart))
    assert set(chart.data["system"]) == {f"s{n}" for n in range(38, 50)}


def test_a_panel_without_a_value_is_drawn_too() -> None:
    levels = levels_of("abcde", [1, 10]).with_columns(
        pl.when(pl.col("system") == "e").then(None).otherwise(pl.col(name)).alias(name)
        for name in ("mean", "ci_low", "ci_high")
    )
    chart = curves(levels, measure="P")
    assert [line.get_color() for line in chart.axes[-1].lines].count(charts.GREY) == 4
    assert np.isfinite(chart.axes[-1].get_ylim()).all()


def test_of_many_without_a_baseline_each_level_has_a_panel() -> None:
    chart = curves(levels_of("abcde", [1, 10]), measure="P")
    assert [text[0] for text in texts(chart) if text.endswith("at k = 10")] == list("edcba")
    assert chart.alt.startswith("P by cut-off: at k = 10, with 95 % intervals, a 0.351 (0.331 to ")


def test_names_too_wide_for_their_panels_are_cut_and_stay_apart() -> None:
    names = [f"{'W' * 39}{at}" for at in range(2)]
    headings = texts(curves(levels_of([*names, *"abcd"], [1, 10]), measure="P"))
    cut = [text for text in headings if text.startswith("WWW")]
    assert sorted(text.split("\n")[1][-2:] for text in cut) == ["W0", "W1"]
    assert [text.count("…") for text in cut] == [1, 1]
    assert max(line_width(line) for text in cut for line in text.split("\n")) < 150


def test_four_are_drawn_together() -> None:
    assert len(many(4).axes) == 2


@pytest.mark.parametrize(
    ("ks", "told"),
    [
        (
            [5, 10, 20],
            "at k = 10, with 95 % intervals, dense +0.10",
        ),
        (
            [5, 20, 50],
            "at k = 50, with 95 % intervals, dense +0.50",
        ),
        ([10], "at k = 10, with 95 % intervals, dense +0.10"),
    ],
)
def test_the_sentence_gives_the_difference_at_ten_or_at_the_last_cut_off(
    ks: Sequence[int], told: str
) -> None:
    levels = levels_of(["bm25", "dense"], ks)
    shifts = differences_of({"dense": [k / 100 for k in ks]}, ks)
    chart = curves(levels, shifts, measure="nDCG", baseline="bm25")
    assert chart.alt.startswith(f"nDCG by cut-off, differences to bm25: {told}")


def test_the_sentence_gives_each_difference_with_its_interval() -> None:
    ks = [5, 10, 20]
    shifts = differences_of({"dense": [0.1, 0.0213, 0.3], "hybrid": [0.1, None, 0.3]}, ks)
    levels = levels_of(["bm25", "dense", "hybrid", "sparse"], ks)
    chart = curves(levels, shifts, measure="nDCG", baseline="bm25", confidence=0.9)
    assert chart.alt == (
        "nDCG by cut-off, differences to bm25: at k = 10, with 90 % intervals, dense +0.021 "
        "(+0.011 to +0.031) and hybrid \N{EN DASH}."
    )
    assert "difference to bm25, with its 90 % interval" in texts(chart)


def test_without_a_baseline_the_sentence_gives_each_level_with_its_interval() -> None:
    levels = levels_of(["bm25", "dense"], [1, 10]).with_columns(
        mean=pl.Series([0.1, 0.2, 0.3, 0.4]),
        ci_low=pl.Series([0.0, 0.1, 0.2, None]),
        ci_high=pl.Series([0.2, 0.3, 0.4, None]),
    )
    assert curves(levels, measure="P").alt == (
        "P by cut-off: at k = 10, with 95 % intervals, bm25 0.200 (0.100 to 0.300) and dense 0.400."
    )


def test_a_small_difference_is_told_with_the_decimals_that_it_takes() -> None:
    shifts = differences_of({"dense": [0.00007]}, [10]).with_columns(ci_low=0.00003, ci_high=0.0001)
    chart = curves(levels_of(["bm25", "dense"], [10]), shifts, measure="P", baseline="bm25")
    assert chart.alt.endswith(" dense +0.00007 (+0.00003 to +0.00010).")


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
        ((1, 2, 3, 5, 10, 20, 50, 10**6), [1, 2, 3, 5, 10, 20, 50, 10**6]),
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
    assert "no query has a value for both systems" in texts(chart)
    assert chart.alt.endswith(": at k = 10, with 95 % intervals, dense \N{EN DASH}.")


def test_an_interval_is_named_only_where_there_is_one() -> None:
    levels = levels_of("ab", [1, 10])
    bare = levels.with_columns(ci_low=None, ci_high=None)
    assert "mean P, with its 95 % interval" in texts(curves(levels, measure="P"))
    assert "mean P" in texts(curves(bare, measure="P"))


def banded(*halves: float | None) -> pl.DataFrame:
    """Differences at k = 1, 2, 3 and so on, of each half of its band's width."""
    ks = range(1, len(halves) + 1)
    half = pl.Series(halves, dtype=pl.Float64)
    return differences_of({"dense": [0.1] * len(halves)}, ks).with_columns(
        band_low=0.1 - half, band_high=0.1 + half
    )


def test_a_band_is_two_lines_and_an_interval_is_filled() -> None:
    ks = [1, 2, 3, 4]
    shifts = banded(None, 0.03, 0.02, None)
    chart = curves(levels_of(["bm25", "dense"], ks), shifts, measure="P", baseline="bm25")
    lower = chart.axes[1]
    lowest, highest = (line for line in lower.lines if line.get_label() == "_band")
    np.testing.assert_allclose(lowest.get_ydata(), [np.nan, 0.07, 0.08, np.nan])
    np.testing.assert_allclose(highest.get_ydata(), [np.nan, 0.13, 0.12, np.nan])
    assert not np.any([lowest.get_markevery(), highest.get_markevery()])
    filled = lower.collections[0].get_paths()[0].vertices[:, 1]
    assert (filled.min(), filled.max()) == pytest.approx((0.09, 0.11))
    assert lower.get_ylim()[1] > 0.13


def test_where_a_band_is_missing_it_is_said_why() -> None:
    levels = levels_of(["bm25", "dense"], [1, 2, 3])
    told = {"measure": "P", "baseline": "bm25"}
    whole, part, none = (
        curves(levels, banded(*halves), **told)
        for halves in ((0.03, 0.03, 0.03), (None, 0.03, 0.03), (None, None, None))
    )
    interval, band = (
        "difference to bm25, with its 95 % interval",
        "thin lines: simultaneous band for all k",
    )
    assert f"{interval}\n{band}" in texts(whole)
    assert f"{interval}\n{band}, where enough queries changed" in texts(part)
    assert interval in texts(none)


def test_what_no_line_leads_to_is_still_drawn() -> None:
    shifts = banded(0.03, None, 0.03).with_columns(
        pl.when(pl.col("k") != 2).then(pl.col("ci_low")), pl.when(pl.col("k") != 2).then("ci_high")
    )
    levels = levels_of(["bm25", "dense"], [1, 2, 3])
    lower = curves(levels, shifts, measure="P", baseline="bm25").axes[1]
    edges = [line for line in lower.lines if line.get_label() == "_band"]
    assert [list(edge.get_markevery()) for edge in edges] == [[True, False, True]] * 2
    strokes = [path.vertices.round(9).tolist() for path in lower.collections[1].get_paths()]
    assert strokes == [[[1, 0.09], [1, 0.11]], [[3, 0.09], [3, 0.11]]]


def test_levels_of_three_are_drawn_without_intervals_and_say_so() -> None:
    ks = [1, 10]
    shifts = differences_of({"b": [0.1, 0.1], "c": [0.2, 0.2]}, ks)
    chart = curves(levels_of("abc", ks), shifts, measure="P", baseline="a")
    upper, lower = chart.axes
    assert not upper.collections
    assert len(lower.collections) == 2
    assert "mean P; its 95 % interval is in the data" in texts(chart)
    assert {"ci_low", "ci_high"} <= set(chart.data.columns)


def test_one_cut_off() -> None:
    chart = curves(levels_of("ab", [10]), measure="P")
    assert chart.alt.startswith("P by cut-off: at k = 10, with 95 % intervals, a ")
    assert chart.axes[0].get_xlim() == (9.5, 10.5)


def test_weighs_little() -> None:
    ks = range(1, 51)
    shifts = {name: np.sin(np.arange(50) * (i + 1)) for i, name in enumerate("bcd")}
    chart = curves(levels_of("abcd", ks), differences_of(shifts, ks), measure="P", baseline="a")
    assert len(inline_svg(chart, chart.alt).encode()) < 40_000


def test_fifty_systems_weigh_what_a_page_can_bear() -> None:
    chart = many(50, CUTOFFS)
    assert len(inline_svg(chart, chart.alt).encode()) < 100_000


def test_panels_stand_in_the_order_of_what_is_told_in_them() -> None:
    deltas = {f"s{place}": [place / 100, -place / 100] for place in range(6)}
    levels = levels_of(list(deltas), [10, 100])
    chart = curves(levels, differences_of(deltas, [10, 100]), measure="P", baseline="base")
    told = [text for text in texts(chart) if " at k = 10" in text and "first" not in text]
    assert [text.partition(" ")[0].split("\n") for text in told] == [
        [f"s{place}", f"+0.0{place}0" if place else "0.000"] for place in reversed(range(6))
    ]
    assert any("the highest at k = 10 first" in text for text in texts(chart))
