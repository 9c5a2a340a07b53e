"""What is drawn of a plan is what the frames say, and so is the sentence."""

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from chart_frames import texts
from matplotlib.text import Text

from rankreport import charts
from rankreport.charts import Chart, power_curve
from rankreport.charts.svg import inline_svg
from rankreport.errors import DataError

SIZES = (25, 50, 100, 200, 500)


def courses(**spreads):
    rows = [
        (system, n, *(part * spread / np.sqrt(n) for part in (1, 0.8, 1.3)))
        for system, spread in spreads.items()
        for n in SIZES
    ]
    columns = ["system", "n_queries", "detectable", "detectable_low", "detectable_high"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def pilots(*rows):
    columns = {
        "system": pl.String,
        "n_queries": pl.Int64,
        "detectable": pl.Float64,
    }
    return pl.DataFrame(rows, schema=columns, orient="row")


def draw(**options) -> Chart:
    mark = ("dense", 50, 1 / np.sqrt(50))
    return power_curve(courses(dense=1), pilots(mark), measure="AP", **options)


def test_draws_what_the_frame_says() -> None:
    chart = draw()
    (axes,) = chart.axes
    drawn = courses(dense=1)
    line = next(line for line in axes.lines if len(line.get_xdata()) == len(SIZES))
    assert line.get_xdata().tolist() == drawn["n_queries"].to_list()
    assert line.get_ydata().tolist() == drawn["detectable"].to_list()
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert axes.get_xlim() == (25, 500)
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    ends = drawn.select("detectable_low", "detectable_high")
    assert (band.min(), band.max()) == (ends.min().row(0)[0], ends.max().row(0)[1])
    points = {
        m.get_marker(): m.get_xydata().tolist() for m in axes.lines if m.get_marker() in ("o", "D")
    }
    assert points == {"o": [[50, 1 / np.sqrt(50)]]}
    assert chart.data.equals(drawn)


def test_names_what_is_marked() -> None:
    told = texts(draw(confidence=0.9))
    assert "smallest difference in AP\ndetectable with 80 % power, with its 90 % range" in told
    assert {"50 queries so far", "dense", "queries"} <= set(told)
    assert {"0.05", "0.1", "0.2"} <= set(told)
    assert {"25", "50", "100", "200", "500"} <= set(told)


def test_the_sentence_states_the_finding() -> None:
    assert draw(power=0.9).alt == (
        "Smallest difference in AP detectable with 90 % power, by number of queries: dense, 0.141 "
        "with the current 50 and 0.045 with 500."
    )


def test_several_systems_are_told_apart_by_more_than_colour() -> None:
    names = ["a", "b", "c", "d", "e", "f"]
    spreads = {name: 1 + place for place, name in enumerate(names)}
    marks = [(name, 50, None) for name in names]
    chart = power_curve(courses(**spreads), pilots(*marks), measure="AP")
    lines = [line for line in chart.axes[0].lines if len(line.get_xdata()) == len(SIZES)]
    colors = [line.get_color() for line in lines]
    assert colors[4:] == [charts.GREY] * 2
    assert len(set(colors[:4])) == 4
    assert len({str(line._dash_pattern) for line in lines[:4]}) == 4
    assert set(names) <= set(texts(chart))
    # No room for the bands of many.
    assert not chart.axes[0].collections
    assert "range" not in "".join(texts(chart))


def test_no_text_leaves_the_figure_or_is_too_small() -> None:
    name = "a-very-long-name-of-a-system-that-goes-on-and-on"
    for n in (25, 500, 200):
        marks = pilots((name, n, 1 / np.sqrt(n)))
        chart = power_curve(courses(**{name: 1}), marks, measure="AP")
        chart.draw_without_rendering()
        assert min(text.get_fontsize() for text in chart.findobj(Text)) >= 9
        for axes in chart.axes:
            box = axes.get_tightbbox()
            assert min(box.x0, box.y0) >= 0
            assert box.x1 <= chart.bbox.x1
            assert box.y1 <= chart.bbox.y1


def test_gaps_are_left_open_and_nothing_says_so() -> None:
    some = courses(dense=1).with_columns(
        pl.when(pl.col("n_queries") > 60).then(pl.col("^detectable.*$"))
    )
    chart = power_curve(some, pilots(("dense", 50, None)), measure="AP")
    assert chart.alt.endswith(": dense, 0.045 with 500.")
    none = some.with_columns(pl.lit(None, pl.Float64).alias(name) for name in some.columns[2:])
    empty = power_curve(none, pilots(("dense", 50, None)), measure="AP")
    assert empty.alt.endswith(": the spread of the differences is unknown.")
    assert "the spread of the differences is unknown" in texts(empty)
    with pytest.raises(DataError, match="column detectable_low"):
        power_curve(some.drop("detectable_low"), pilots(), measure="AP")


def test_one_number_of_queries_is_a_point() -> None:
    one = courses(dense=1).filter(pl.col("n_queries") == 50)
    chart = power_curve(one, pilots(("dense", 50, 1 / np.sqrt(50))), measure="AP")
    assert chart.alt.endswith("dense, 0.141 with the current 50.")
    assert "50" in texts(chart)


def test_hostile_names_are_written_out() -> None:
    name = "<b>$x^2$\u202e"
    marks = pilots((name, 50, 0.14))
    chart = power_curve(courses(**{name: 1}), marks, measure=name)
    assert "\u202e" not in inline_svg(chart, chart.alt)
    assert "⟨U+202E⟩" in "".join(texts(chart)).replace("\n", "")
    assert not any(text.get_parse_math() for text in chart.findobj(Text) if "$" in text.get_text())


def test_settings_of_the_user_change_nothing() -> None:
    before = inline_svg(draw(), "")
    with mpl.rc_context({"font.size": 30, "axes.grid": False, "lines.linewidth": 9}):
        assert inline_svg(draw(), "") == before
