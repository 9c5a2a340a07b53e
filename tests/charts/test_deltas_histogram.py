"""What is drawn of how many queries changed is what the frame says, and so is the sentence."""

from fractions import Fraction
from itertools import product
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from chart_frames import deltas_of, texts
from hypothesis import given
from hypothesis import strategies as st

from rankreport import charts
from rankreport.charts import Chart, delta_histogram
from rankreport.charts.svg import inline_svg
from rankreport.errors import OptionError


def heading(chart: Chart) -> str:
    return " ".join(texts(chart))


def draw(values: Any, better: str = "high") -> Chart:
    names = {"measure": "AP", "baseline": "bm25", "system": "dense"}
    return delta_histogram(deltas_of(values), better=better, **names)


def bars(chart: Chart) -> list[tuple[float, float, float, str]]:
    """Give the ends, the height and the colour of each bar, the ends without the air between."""
    drawn = [bar for bars in chart.axes[0].containers for bar in bars]
    return sorted(
        (
            round(bar.get_x() + bar.get_width() / 2 - bar.get_width() / 1.84, 6),
            round(bar.get_x() + bar.get_width() / 2 + bar.get_width() / 1.84, 6),
            bar.get_height(),
            mpl.colors.to_hex(bar.get_facecolor()).upper(),
        )
        for bar in drawn
    )


def test_bars_count_the_queries_of_their_class() -> None:
    # From -0.4 to 0.6 in ten classes of 0.1, each with its end farther from zero.
    chart = draw([0.6, 0.55, 0.1, 0.05, 0.0, 0.0, 0.0, -0.1, -0.11, -0.4, None, np.nan])
    assert chart.data.rows() == [
        (-0.4, -0.3, 1),
        (-0.2, -0.1, 1),
        (-0.1, 0.0, 1),
        (0.0, 0.0, 3),
        (0.0, 0.1, 2),
        (0.5, 0.6, 2),
    ]
    loss, win = charts.VERMILLION, charts.BLUE
    assert bars(chart) == [
        (-0.4, -0.3, 1, loss),
        (-0.2, -0.1, 1, loss),
        (-0.1, 0.0, 1, loss),
        (0.0, 0.1, 2, win),
        (0.5, 0.6, 2, win),
    ]
    assert "▲ 4 better   ▼ 3 worse   3 of 10 unchanged" in heading(chart)
    assert chart.alt == (
        "AP by query, dense minus bm25: 4 better, 3 unchanged and 3 worse; 2 queries without a "
        "difference left out."
    )


def test_where_less_is_better_what_is_below_zero_is_won() -> None:
    chart = draw([0.2, 0.1, -0.3], better="low")
    assert "▼ 1 better   ▲ 2 worse" in heading(chart)
    assert [color for *_, color in bars(chart)] == [charts.BLUE, *[charts.VERMILLION] * 2]
    assert ": 1 better, 0 unchanged and 2 worse." in chart.alt


def test_where_neither_is_better_nothing_is_won() -> None:
    chart = draw([0.2, 0.1, -0.3], better="neither")
    assert "▲ 2 higher   ▼ 1 lower" in heading(chart)
    assert "better" not in chart.alt


def test_no_other_direction_is_known() -> None:
    with pytest.raises(OptionError, match="better"):
        draw([0.1], better="up")


def test_ties_draw_no_bar_that_dwarfs_the_others() -> None:
    chart = draw([0.0] * 4_210 + [0.1] * 1_500 + [-0.1] * 1_290)
    assert max(height for _, _, height, _ in bars(chart)) == 1_500
    assert "4,210 of 7,000 unchanged" in heading(chart)
    assert "1,500 better, 4,210 unchanged and 1,290 worse" in chart.alt


def test_where_nothing_changed_it_is_said() -> None:
    chart = draw([0.0, 0.0])
    assert "2 of 2 unchanged" in texts(chart)
    assert chart.alt.endswith(": 0 better, 2 unchanged and 0 worse.")


def test_where_nothing_can_be_drawn_it_is_said() -> None:
    for values in ([], [None, np.nan]):
        chart = draw(values)
        assert "no query has a value for both systems" in texts(chart)
        assert chart.alt.endswith(": no query has a value for both systems.")


@pytest.mark.parametrize("n", [7_000, 100_000])
def test_weighs_little(n: int) -> None:
    chart = draw(np.random.default_rng(0).normal(0, 0.2, n))
    assert len(inline_svg(chart, chart.alt).encode()) < 12_000


@given(st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=1, max_size=200))
def test_every_query_is_in_one_class_that_holds_it(values: list[float]) -> None:
    data = draw(values).data
    assert data["n_queries"].sum() == len(values)
    assert dict(zip(data["low"], data["high"], strict=True)).get(0.0) is not None or 0 not in values
    for low, high, n in data.rows():
        if low == high:
            inside = [v for v in values if v == 0]
        elif high > 0:
            inside = [v for v in values if low + 1e-7 < v < high + 1e-7]
        else:
            inside = [v for v in values if low - 1e-7 < v < high - 1e-7]
        assert len(inside) == n


@pytest.mark.parametrize("parts", [3, 5, 7, 10, 20, 100])
def test_differences_of_fractions_are_in_the_class_of_their_exact_value(parts: int) -> None:
    pairs = list(product(range(parts + 1), repeat=2))
    data = draw([new / parts - old / parts for old, new in pairs]).data
    exact = [
        abs(Fraction(system - baseline, parts)) for baseline, system in pairs if system > baseline
    ]
    for low, high, n in data.filter(data["high"] > 0).rows():
        assert n == sum(Fraction(str(low)) < value <= Fraction(str(high)) for value in exact)
    assert data["n_queries"].to_list() == data["n_queries"].to_list()[::-1]
