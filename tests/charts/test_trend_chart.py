"""A trend is drawn as its frame says: broken where something changed, unless judged again."""

import numpy as np
import polars as pl
import pytest

from rankreport.charts import trend
from rankreport.errors import DataError

N = 8


def rows(*, again=False, n=N):
    number = range(1, n + 1)
    delta = [0.0, 0.1, -0.2, 0.02, 0.0, 0.1, 0.1, 0.12][:n]
    return pl.DataFrame(
        {
            "number": number,
            "date": [f"2026-01-{day:02}" for day in number],
            "commit": [f"c{day}" for day in number],
            "note": [None, *["<b>note</b> $x$"] * (n - 1)],
            "against": [1] * n if again else [1, 1, 1, 1, 5, 5, 5, 5][:n],
            "break": [None, None, None, None, "judgments", None, None, None][:n],
            "judged_again": [again and day > 4 for day in number],
            "delta": delta,
            "ci_low": [None if each == 0 else each - 0.05 for each in delta],
            "ci_high": [None if each == 0 else each + 0.05 for each in delta],
        },
        schema_overrides={"note": pl.String, "break": pl.String},
    )


def courses(chart):
    """Return the differences of each line without markers, besides zero and breaks."""
    (axes,) = chart.axes
    return [
        np.asarray(line.get_ydata())
        for line in axes.lines
        if line.get_marker() == "" and len(line.get_xdata()) > 2
    ]


def test_the_line_breaks_where_something_changed():
    one, two = courses(trend(rows(), measure="RR"))
    np.testing.assert_allclose(one, [0.0, 0.1, -0.2, 0.02])
    np.testing.assert_allclose(two, [0.0, 0.1, 0.1, 0.12])


def test_the_line_goes_on_where_the_baseline_was_judged_again():
    chart = trend(rows(again=True), measure="RR")
    assert [len(each) for each in courses(chart)] == [N]
    assert any(each.get_text() == "judgments, judged again" for each in chart.axes[0].texts)


@pytest.mark.parametrize(("better", "color"), [("high", "#0072B2"), ("low", "#D55E00")])
def test_results_apart_from_zero_point_there(better, color):
    (axes,) = trend(rows(), measure="RR", better=better).axes
    marked = {line.get_marker(): line for line in axes.lines if line.get_linestyle() == "None"}
    assert list(marked["^"].get_xdata()) == [1, 5, 6, 7]
    assert marked["^"].get_color() == color
    assert list(marked["v"].get_xdata()) == [2]
    assert list(marked["o"].get_xdata()) == [0, 3, 4]


def test_the_sentence_and_what_a_pointer_shows():
    chart = trend(rows(), measure="RR")
    assert chart.alt == (
        "RR, 8 results: result 8 of 2026-01-08, +0.120 from result 5; result 3 of 2026-01-03, "
        "-0.200 from result 1; changed before result 5: judgments."
    )
    assert chart.marks[2].query == "3"
    assert chart.marks[2].words == "2026-01-03; -0.200; c3; <b>note</b> $x$"
    assert chart.data.columns[:2] == ["number", "date"]


@pytest.mark.parametrize("n", [1, 2])
def test_few_results(n):
    chart = trend(rows(n=n), measure="RR", width=3.3)
    assert chart.alt.startswith(f"RR, {n} result")


def test_names_of_breaks_do_not_overlap():
    many = rows().with_columns(pl.Series("break", [None, *["judgments"] * (N - 1)]))
    chart = trend(many, measure="RR", width=3.3)
    named = [each for each in chart.axes[0].texts if each.get_text() == "judgments"]
    places = [each.get_window_extent() for each in named]
    assert named
    assert not any(a.overlaps(b) for i, a in enumerate(places) for b in places[:i])
    assert "changed before result 8: judgments" in chart.alt


def test_a_frame_without_a_column_is_refused():
    with pytest.raises(DataError, match="needs the column against"):
        trend(rows().drop("against"), measure="RR")
