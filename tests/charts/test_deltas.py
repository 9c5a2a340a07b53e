"""What is drawn of sorted differences is what the frame says, and so is the sentence."""

from typing import Any

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from chart_frames import deltas_of, texts
from hypothesis import given
from hypothesis import strategies as st

from rankreport import charts
from rankreport.charts import Chart, sorted_deltas
from rankreport.charts.deltas import decimated
from rankreport.charts.svg import inline_svg


def draw(values: Any) -> Chart:
    return sorted_deltas(deltas_of(values), measure="AP", baseline="bm25", system="dense")


def test_bars_are_the_sorted_differences() -> None:
    chart = draw([0.1, -0.3, 0, 0.2, None, np.nan])
    bars = [bar for bars in chart.axes[0].containers for bar in bars]
    drawn = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in bars}
    assert drawn == {1: 0.2, 2: 0.1, 4: -0.3}
    colors = [mpl.colors.to_hex(bar.get_facecolor()).upper() for bar in bars]
    assert colors == [charts.BLUE, charts.BLUE, charts.VERMILLION]
    assert chart.data.rows() == [("q3", 0.2), ("q0", 0.1), ("q2", 0.0), ("q1", -0.3)]
    assert {"+0.2000 (query q3)", "−0.3000 (query q1)", "queries, from better to worse"} <= set(
        texts(chart)
    )
    assert chart.alt == (
        "AP by query, dense minus bm25: 2 better, 1 unchanged and 1 worse; the largest rise is "
        "+0.200 (query q3); the largest fall is -0.300 (query q1); 2 queries without a difference "
        "left out."
    )


@pytest.mark.parametrize("n", [100, 300, 7_000])
def test_an_outline_keeps_the_extremes(n: int) -> None:
    values = np.random.default_rng(0).normal(0, 0.2, n)
    values[[3, 50]] = 0.99, -0.97
    wins, losses = draw(values).axes[0].collections[:2]
    assert wins.get_paths()[0].vertices[:, 1].max() == 0.99
    assert losses.get_paths()[0].vertices[:, 1].min() == -0.97
    assert wins.get_paths()[0].vertices[:, 0].min() == 0.5
    assert losses.get_paths()[0].vertices[:, 0].max() == n + 0.5


def test_a_lone_win_among_thousands_is_drawn() -> None:
    svg = inline_svg(draw([0.5, *[0.0] * 6_999]), "")
    assert f'fill="{charts.BLUE.lower()}"' in svg


def test_nothing_changed() -> None:
    chart = draw([0.0, 0.0])
    assert chart.alt.endswith(": 0 better, 2 unchanged and 0 worse.")


def test_where_less_is_better_the_deepest_is_the_best() -> None:
    names = {"measure": "FPR", "baseline": "bm25", "system": "dense"}
    chart = sorted_deltas(deltas_of([0.1, -0.3, 0, 0.2]), better="low", **names)
    assert chart.data["delta"].to_list() == [-0.3, 0.0, 0.1, 0.2]
    bars = [bar for bars in chart.axes[0].containers for bar in bars]
    drawn = {bar.get_height(): mpl.colors.to_hex(bar.get_facecolor()).upper() for bar in bars}
    assert drawn == {-0.3: charts.BLUE, 0.1: charts.VERMILLION, 0.2: charts.VERMILLION}
    assert "1 better, 1 unchanged and 2 worse; the largest fall is -0.300 (query q1)" in chart.alt


def test_where_neither_is_better_nothing_is_won() -> None:
    names = {"measure": "NumRet", "baseline": "bm25", "system": "dense"}
    chart = sorted_deltas(deltas_of([3.0, -1.0]), better="neither", **names)
    assert "queries, from higher to lower" in texts(chart)
    assert "1 higher, 0 unchanged and 1 lower" in chart.alt


def test_the_order_of_rows_changes_nothing() -> None:
    frame = deltas_of([0.1, 0.1, 0.0, -0.2, -0.2])
    names = {"measure": "AP", "baseline": "a", "system": "b"}
    told = {inline_svg(sorted_deltas(f, **names), "") for f in (frame, frame.reverse())}
    assert len(told) == 1


@pytest.mark.parametrize("n", [80, 300, 600, 7_000, 100_000])
def test_weighs_little(n: int) -> None:
    chart = draw(np.random.default_rng(0).normal(0, 0.2, n))
    assert len(inline_svg(chart, chart.alt).encode()) < 40_000


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


def test_of_equal_losses_the_first_query_is_named():
    queries = pl.DataFrame(
        {
            "query_id": ["q1", "q14", "q32", "q6"],
            "score_baseline": [0.0, 0.5, 0.5, 0.5],
            "score_system": [0.5, 0.0, 0.0, 0.0],
            "delta": [0.5, -0.5, -0.5, -0.5],
        }
    )
    drawn = sorted_deltas(queries, measure="AP", system="new", baseline="old")
    assert "the largest fall is -0.500 (query q14)" in drawn.alt
