"""What is drawn of both scores of every query is what the frame says, and so is the sentence."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from chart_frames import texts
from matplotlib.collections import PathCollection

from rankreport import charts
from rankreport.charts import Chart, score_scatter
from rankreport.charts.svg import inline_svg

NAMES = {"measure": "AP", "baseline": "bm25", "system": "dense"}


def scores_of(pairs: Sequence[tuple[float | None, float | None]]) -> pl.DataFrame:
    baseline, system = zip(*pairs, strict=True)
    return pl.DataFrame(
        {
            "query_id": [f"q{n}" for n in range(len(pairs))],
            "score_baseline": baseline,
            "score_system": system,
        },
        schema_overrides={"score_baseline": pl.Float64, "score_system": pl.Float64},
    ).with_columns(delta=pl.col("score_system") - pl.col("score_baseline"))


def many(n: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    baseline = rng.random(n)
    return scores_of(
        list(zip(baseline, np.clip(baseline + rng.normal(0, 0.2, n), 0, 1), strict=True))
    )


def dots(chart: Chart) -> dict[tuple[float, float], tuple[str, float]]:
    """Give the colour and the area of each dot by its place."""
    (drawn,) = (c for c in chart.axes[0].collections if isinstance(c, PathCollection))
    colors = [mpl.colors.to_hex(color).upper() for color in drawn.get_facecolor()]
    places = [(round(float(x), 6), round(float(y), 6)) for x, y in drawn.get_offsets()]
    looks = zip(colors, drawn.get_sizes(), strict=True)
    return dict(zip(places, looks, strict=True))


def test_dots_are_the_scores_in_the_colour_of_their_side() -> None:
    chart = score_scatter(
        scores_of([(0.1, 0.9), (0.5, 0.25), (0.5, 0.5), (0.1, 0.9), (None, 0.2)]), **NAMES
    )
    found = dots(chart)
    assert {place: color for place, (color, _) in found.items()} == {
        (0.1, 0.9): charts.BLUE,
        (0.5, 0.25): charts.VERMILLION,
        (0.5, 0.5): charts.GREY.upper(),
    }
    assert found[0.1, 0.9][1] == 2 * found[0.5, 0.5][1]
    assert [row[2] for row in chart.data.rows()] == [2, 1, 1]
    assert {"q0\n+0.8000", "q3\n+0.8000", "q1\n−0.2500", "2 better", "1 worse"} <= set(texts(chart))
    assert {"with dense", "with bm25"} <= {
        line for text in texts(chart) for line in text.split("\n")
    }
    assert chart.alt == (
        "AP by query, dense against bm25: 2 better, 1 unchanged and 1 worse; the biggest changes "
        "are +0.800 (query q0), +0.800 (query q3) and -0.250 (query q1); 1 query without a "
        "difference left out."
    )


def test_each_side_has_a_shape_of_its_own() -> None:
    frame = scores_of([(0.1, 0.9), (0.5, 0.25), (0.5, 0.5)])
    (drawn,) = (c for c in score_scatter(frame, **NAMES).axes[0].collections)
    widest = {
        tuple(place): path.vertices[path.vertices[:, 0].argmax(), 1]
        for place, path in zip(drawn.get_offsets().tolist(), drawn.get_paths(), strict=True)
    }
    # A triangle is widest at its base: below if it points up, above if it points down.
    assert widest[0.1, 0.9] < 0 < widest[0.5, 0.25]
    assert abs(widest[0.5, 0.5]) < 0.2  # a dot, of which the corners of a curve are all there is


def test_both_axes_are_one_scale_with_the_diagonal() -> None:
    (axes,) = score_scatter(many(50), **NAMES).axes
    assert axes.get_xlim() == axes.get_ylim()
    diagonal = axes.lines[0]
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata()) == list(axes.get_xlim())
    box = axes.get_window_extent()
    assert box.width == pytest.approx(box.height)


@pytest.mark.parametrize("has_grid", [False, True])
def test_the_grid_of_matplotlib_is_that_of_its_settings(*, has_grid: bool) -> None:
    with mpl.rc_context({"axes.grid": has_grid}):
        (axes,) = score_scatter(many(5), style="matplotlib", **NAMES).axes
    lines = [*axes.get_xgridlines(), *axes.get_ygridlines()]
    assert {line.get_visible() for line in lines} == {has_grid}


def test_texts_are_as_large_as_others_are_at_the_size_of_half_a_page() -> None:
    chart = score_scatter(many(50), figsize=(5, 3.4), **NAMES)
    assert min(text.get_fontsize() for text in chart.axes[0].texts) == 9


def test_rings_are_around_the_biggest_changes() -> None:
    frame = scores_of([(0.0, 1.0), (0.9, 0.1), (0.2, 0.3), (0.1, 0.6)])
    (axes,) = score_scatter(frame, **NAMES).axes
    rings = [(*line.get_xdata(), *line.get_ydata()) for line in axes.lines[1:]]
    assert rings == [(0.0, 1.0), (0.9, 0.1), (0.1, 0.6)]
    numbers = {note.get_text(): note.xy for note in axes.texts if note.xycoords == "data"}
    assert numbers == {str(n): ring for n, ring in enumerate(rings, 1)}


def test_equal_changes_share_a_ring() -> None:
    (axes,) = score_scatter(scores_of([(0.0, 1.0), (0.9, 0.1), (0.0, 1.0)]), **NAMES).axes
    assert len(axes.lines[1:]) == 2
    assert [n.get_text() for n in axes.texts if n.xycoords == "data"] == ["1 and 2", "3"]


def test_no_number_stands_on_another_dot() -> None:
    # The place off the diagonal of the biggest change is that of the next.
    frame = scores_of([(0.5, 1.0), (0.46, 0.95), (0.0, 0.0), (1.0, 1.0), (0.5, 0.9)])
    chart = score_scatter(frame, **NAMES)
    chart.draw_without_rendering()
    (axes,) = chart.axes
    places = axes.transData.transform(frame.select("score_baseline", "score_system").to_numpy())
    for text in (text for text in axes.texts if text.xycoords == "data"):
        box = text.get_window_extent()
        assert not any(box.contains(*place) for place in places)


@pytest.mark.parametrize("n", [7_000, 100_000])
def test_of_many_neighbours_are_one_dot_on_their_own_side(n: int) -> None:
    frame = many(n)
    chart = score_scatter(frame, **NAMES)
    assert len(chart.data) <= 400
    assert chart.data["n_queries"].sum() == n
    side = (chart.data["score_system"] - chart.data["score_baseline"]).sign()
    counts = dict(zip(side, chart.data["n_queries"], strict=False))
    assert set(counts) <= {-1.0, 0.0, 1.0}
    for sign in (-1.0, 1.0):
        on_side = chart.data.filter(side == sign)["n_queries"].sum()
        assert on_side == (frame["delta"] * sign > 0).sum()
    assert len(inline_svg(chart, chart.alt).encode()) < 70_000


def test_where_less_is_better_wins_are_below_the_diagonal() -> None:
    chart = score_scatter(scores_of([(0.1, 0.9), (0.5, 0.2)]), better="low", **NAMES)
    assert dots(chart)[0.5, 0.2][0] == charts.BLUE
    assert "1 better, 0 unchanged and 1 worse" in chart.alt


def test_the_order_of_rows_changes_nothing() -> None:
    frame = many(900)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)
    first, second = (score_scatter(f, **NAMES) for f in (frame, shuffled))
    assert inline_svg(first, first.alt) == inline_svg(second, second.alt)


def test_where_all_scores_are_one_it_is_drawn() -> None:
    chart = score_scatter(scores_of([(1.0, 1.0)] * 3), **NAMES)
    assert chart.data.rows() == [(1.0, 1.0, 3)]
    assert chart.alt.endswith(": 0 better, 3 unchanged and 0 worse.")


def test_where_nothing_can_be_drawn_it_is_said() -> None:
    chart = score_scatter(scores_of([(None, 1.0), (float("nan"), 0.5)]), **NAMES)
    assert "no query has a value for both systems" in texts(chart)
    assert chart.alt.endswith(": no query has a value for both systems.")
    assert score_scatter(many(1).clear(), **NAMES).data.is_empty()
