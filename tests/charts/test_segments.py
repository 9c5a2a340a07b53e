"""What is drawn of segments: those with an interval, coloured where their number is allowed for."""

import numpy as np
import polars as pl
import pytest
from chart_frames import texts

import rankreport as rr
from rankreport import charts
from rankreport.charts import Chart, segment_forest
from rankreport.charts.svg import INK

SEGMENTS = pl.DataFrame(
    [
        ("type", "brand", 80, 0.05, 0.02, 0.08, True, False),
        ("type", "place", 50, -0.04, -0.07, -0.01, True, True),
        ("type", "name", 40, 0.03, 0.001, 0.06, False, False),
        ("type", "rare", 6, 0.5, None, None, False, False),
        ("device", "phone", 90, -0.01, -0.04, 0.02, False, False),
    ],
    schema=["column", "segment", "n_queries", "delta", "ci_low", "ci_high", "differs", "disagrees"],
    orient="row",
).with_columns(delta_of_all=pl.lit(0.0213))
NAMES = {"measure": "AP", "baseline": "bm25", "system": "dense"}


def points(chart: Chart) -> dict[float, tuple[float, str, str]]:
    lines = [line for line in chart.axes[0].lines if len(line.get_xdata()) == 1]
    return {
        line.get_ydata()[0]: (line.get_xdata()[0], line.get_color(), line.get_marker())
        for line in lines
        if np.isfinite(line.get_xdata()[0])
    }


def test_coloured_are_those_that_differ_allowing_for_their_number() -> None:
    chart = segment_forest(SEGMENTS, **NAMES)
    assert points(chart) == {
        1: (0.05, charts.BLUE, ">"),
        2: (-0.04, charts.VERMILLION, "<"),
        3: (0.03, INK, "o"),  # its own interval lies above zero, and that is not enough
        6: (-0.01, INK, "o"),  # after one without an interval, and a column
    }
    (whole,) = [line for line in chart.axes[0].lines if line.get_linestyle() == "--"]
    assert whole.get_xdata()[0] == 0.0213
    told = texts(chart)
    assert [text for text in told if text in ("type", "device")] == ["type", "device"]
    assert {
        "brand (80)",
        "+0.050 [+0.020, +0.080] clear change",
        "−0.040 [−0.070, −0.010] opposite sign to all queries",
        "+0.030 [+0.001, +0.060]",
    } <= set(told)
    assert any("dashed line: +0.021, over all queries" in text for text in told)
    assert {"rare (6)", "– no interval"} <= set(told)


def test_the_sentence_tells_how_many_differ_and_what_is_not_drawn() -> None:
    assert segment_forest(SEGMENTS, **NAMES).alt == (
        "AP by segment, dense minus bm25, with 95 % intervals: +0.021 over all queries; "
        "segments that differ from 0, corrected for their number: 2 of 4; 1 with the opposite sign "
        "to all queries; 1 segment with too few queries for an interval."
    )


def test_small_differences_are_told_with_the_decimals_that_they_take() -> None:
    small = SEGMENTS.head(2).with_columns(
        pl.col("delta", "ci_low", "ci_high") / 1000, delta_of_all=pl.lit(0.0003)
    )
    chart = segment_forest(small, **NAMES)
    assert ": +0.0003 over all queries; " in chart.alt
    assert "+0.000050 [+0.000020, +0.000080] clear change" in texts(chart)


def test_less_may_be_better() -> None:
    found = points(segment_forest(SEGMENTS, better="low", **NAMES))
    assert (found[1][1], found[2][1]) == (charts.VERMILLION, charts.BLUE)


def test_of_many_segments_the_largest_are_drawn() -> None:
    many = pl.concat([SEGMENTS.head(1)] * 30).with_columns(
        segment=pl.Series([f"s{n}" for n in range(30)]), differs=pl.lit(value=False)
    )
    chart = segment_forest(many, **NAMES)
    assert chart.data["segment"].to_list() == [f"s{n}" for n in range(12)]
    assert chart.alt.endswith(
        "segments that differ from 0, corrected for their number: 0 of 30; 18 smaller segments "
        "are not drawn."
    )


def test_without_an_interval_there_is_no_point_but_the_reason() -> None:
    few = "too few: 6 of 30 queries"
    chart = segment_forest(
        SEGMENTS.filter(segment="rare").with_columns(caution=pl.lit(few)), **NAMES
    )
    assert {"rare (6)", f"– {few}"} <= set(texts(chart))
    assert points(chart) == {}
    assert chart.alt.endswith("; 1 segment with too few queries for an interval.")
    assert "there are no segments" in texts(segment_forest(SEGMENTS.head(0), **NAMES))


@pytest.fixture(scope="module")
def by_user() -> rr.Comparison:
    """Compare on 120 queries: one half is won and the other lost, from 40 users of three each."""
    qrels = {f"q{i}": {"d": 1} for i in range(120)}
    runs = {
        "old": {f"q{i}": {"x": 2.0, "d": 1.0} for i in range(120)},
        "new": {f"q{i}": {"x": 2.0 if i % 3 else 0.0, "d": 1.0} for i in range(120)},
    }
    table = pl.DataFrame(
        {
            "query_id": list(qrels),
            "kind": [("won", "even", "even")[i % 3] for i in range(120)],
            "user": [f"user {i // 3:02}" for i in range(120)],
        }
    )
    evaluation = rr.evaluate(qrels, runs, ["RR"])
    return rr.compare(evaluation, queries=table, segments=["kind", "user"], interval="t", test="t")


def test_a_comparison_draws_its_segments(by_user: rr.Comparison) -> None:
    chart = by_user.plot_segments()
    # All of the won differ by one half, and none of the others: nothing varies in either.
    assert "– no query changed" in texts(chart)
    assert "RR by segment, new minus old" in chart.alt
    assert "+0.167 over all queries" in chart.alt


def test_a_page_lists_the_largest_of_many_segments(by_user: rr.Comparison) -> None:
    page = rr.report(by_user)._shown.page
    (section,) = [each for each in page.sections if each.id == "segments"]
    table = section.parts[-1]
    assert [row[0] for row in table.rows].count("user") == 12
    assert section.paragraphs[-1] == (
        "The 12 largest segments of each column are listed; 28 smaller ones are left out."
    )
    assert len(by_user.segments()) == 42
