"""What is drawn of a forest is what the frame says, and so is the sentence."""

import polars as pl
import pytest
from chart_frames import rows_of, texts

import rankreport as rr
from rankreport import charts
from rankreport.charts import Chart, forest
from rankreport.charts.svg import INK
from rankreport.text import MISSING

ROWS = (
    ("dense", "nDCG@10", 0.0213, 0.0121, 0.0305),
    ("hybrid", "nDCG@10", -0.0213, -0.0305, -0.0121),
    ("dense", "AP", 0.001, -0.01, 0.012),
    ("hybrid", "AP", 0.0, None, None),
    ("dense", "RR", None, None, None),
)


def test_draws_what_the_frame_says() -> None:
    chart = forest(rows_of(*ROWS), baseline="bm25")
    (axes,) = chart.axes
    points = {line.get_ydata()[0]: line.get_xdata()[0] for line in axes.lines[1:]}
    assert [points[y] for y in (1, 2, 4, 5)] == [0.0213, -0.0213, 0.001, 0.0]
    spans = [tuple(c.get_segments()[0].ravel()) for c in axes.collections]
    assert spans == [(0.0121, 1, 0.0305, 1), (-0.0305, 2, -0.0121, 2), (-0.01, 4, 0.012, 4)]
    markers = [line.get_marker() for line in axes.lines[1:5]]
    assert markers == [">", "<", "o", "o"]
    told = texts(chart)
    assert "+0.021 [+0.012, +0.030]" in told
    assert "0.000 no query changed" in told
    assert f"{MISSING} no value for both systems" in told
    assert [text for text in told if text in ("nDCG@10", "AP", "RR")] == ["nDCG@10", "AP", "RR"]


def test_the_sentence_tells_few_rows_as_they_are_printed() -> None:
    assert forest(rows_of(*ROWS), baseline="bm25", confidence=0.99).alt == (
        "difference to bm25, with its 99 % interval: dense, nDCG@10: +0.021 [+0.012, +0.030]; "
        "hybrid, nDCG@10: -0.021 [-0.030, -0.012]; dense, AP: +0.001 [-0.010, +0.012]; "
        f"hybrid, AP: 0.000 no query changed; dense, RR: {MISSING} no value for both systems."
    )


def test_a_small_difference_is_told_with_the_decimals_that_it_takes() -> None:
    # 0.00003 is 0.0000 with four decimals, and 0.0002 is 0.0002.
    small = (
        ("dense", "nDCG@10", 0.00007, 0.00003, 0.00011),
        ("dense", "AP", 0.0213, -0.0002, 0.05),
        ("dense", "RR", -0.00007, None, None),
    )
    chart = forest(rows_of(*small), baseline="bm25")
    assert chart.alt.endswith(
        ": dense, nDCG@10: +0.00007 [+0.00003, +0.00011]; dense, AP: +0.0213 [-0.0002, +0.0500]; "
        "dense, RR: -0.0001 no interval."
    )
    assert "+0.00007 [+0.00003, +0.00011]" in texts(chart)


def test_many_rows_are_counted() -> None:
    many = [(f"s{i}", *row[1:]) for i in range(3) for row in ROWS]
    assert forest(rows_of(*many), baseline="bm25").alt == (
        "difference to bm25, with its 95 % interval: of 15 intervals there are 3 above zero, 3 "
        "below zero, 3 across zero, 3 missing as no query changed and 3 missing as the "
        "difference is undefined."
    )


FEW = (
    ("dense", "AP", 0.05, 0.001, 0.1, 9),
    ("dense", "RR", -0.05, -0.1, -0.001, 1),
    ("dense", "P", 0.05, 0.001, 0.1, 10),
    ("dense", "R", 0.0, None, None, 0),
    ("dense", "F", 0.02, 0.01, 0.03, None),
)


def few(times: int = 1) -> pl.DataFrame:
    rows = [(f"{row[0]}{n}", *row[1:]) for n in range(times) for row in FEW]
    columns = [*rows_of().schema.items(), ("n_changed", pl.Int64)]
    return pl.DataFrame(rows, schema=columns, orient="row")


def looks(chart: Chart) -> list[tuple[str, str]]:
    return [(line.get_color(), line.get_marker()) for line in chart.axes[0].lines[1:]]


RATES = (
    ("dense", "FPR", -0.264, -0.292, -0.236),
    ("hybrid", "FPR", 0.1, 0.05, 0.15),
    ("dense", "AP", 0.2, 0.1, 0.3),
    ("hybrid", "NumRet", 0.1, 0.05, 0.15),
)
BETTER = {"FPR": "low", "AP": "high", "NumRet": "neither"}


def rates(times: int = 1) -> pl.DataFrame:
    rows = [(f"{row[0]}{n}", *row[1:]) for n in range(times) for row in RATES]
    return rows_of(*rows).with_columns(better=pl.col("measure").replace_strict(BETTER))


def test_what_is_better_is_blue_also_where_that_is_less() -> None:
    chart = forest(rates(), baseline="bm25")
    better, worse = (charts.BLUE, "<"), (charts.VERMILLION, ">")
    assert looks(chart) == [better, worse, (charts.BLUE, ">"), (INK, ">")]
    assert {
        "−0.264 [−0.292, −0.236] better",
        "+0.100 [+0.050, +0.150] worse",
        "+0.200 [+0.100, +0.300]",
        "+0.100 [+0.050, +0.150]",
    } <= set(texts(chart))
    assert chart.alt == (
        "difference to bm25, with its 95 % interval: dense0, FPR: -0.264 [-0.292, -0.236] better; "
        "hybrid0, FPR: +0.100 [+0.050, +0.150] worse; dense0, AP: +0.200 [+0.100, +0.300]; "
        "hybrid0, NumRet: +0.100 [+0.050, +0.150]."
    )
    assert "better" not in chart.data.columns


def test_many_rows_are_counted_by_side_and_by_what_is_better() -> None:
    assert forest(rates(3), baseline="bm25").alt.endswith(
        ": of 12 intervals there are 6 above zero, 3 above zero (worse) and 3 below zero (better)."
    )


def test_with_too_few_changed_queries_nothing_is_called_better_or_worse() -> None:
    chart = forest(few(), baseline="bm25", min_changed=10)
    higher, neutral = (charts.BLUE, ">"), (INK, "o")
    assert looks(chart) == [neutral, neutral, higher, neutral, higher]
    assert chart.axes[0].collections[0].get_segments()[0].ravel().tolist() == [0.001, 0, 0.1, 0]
    assert {
        "+0.050 [+0.001, +0.100] too few changed",
        "−0.050 [−0.100, −0.001] too few changed",
        "+0.050 [+0.001, +0.100]",
        "0.000 no query changed",
        "+0.020 [+0.010, +0.030]",
    } <= set(texts(chart))
    assert ": dense0, AP: +0.050 [+0.001, +0.100] too few changed; " in chart.alt
    assert forest(few(2), baseline="bm25", min_changed=10).alt == (
        "difference to bm25, with its 95 % interval: of 10 intervals there are 4 above zero, 4 "
        "undecided as too few queries changed and 2 missing as no query changed."
    )
    assert chart.data["n_changed"].to_list() == [9, 1, 10, 0, None]


def test_without_a_least_number_every_interval_counts() -> None:
    chart = forest(few(), baseline="bm25")
    assert [marker for _, marker in looks(chart)] == [">", "<", ">", "o", ">"]
    assert "too few changed" not in "".join(texts(chart))


def test_a_difference_without_an_interval_is_not_called_unchanged() -> None:
    chart = forest(rows_of(("dense", "AP", 0.5, None, None)), baseline="bm25")
    assert "+0.500 no interval" in texts(chart)
    assert chart.alt.endswith(": dense, AP: +0.500 no interval.")


def test_systems_that_look_alike_when_shortened_stay_apart() -> None:
    rows = [(f"{'x' * 50}{n}", "AP", 0.1 * n, 0.0, 0.2) for n in (1, 2)]
    chart = forest(rows_of(*rows), baseline="bm25")
    assert len(chart.axes[0].lines) == 3
    assert "1, AP: +0.100 [0.000, +0.200]; " in chart.alt


def test_the_widest_names_leave_room_for_the_intervals() -> None:
    wide = "検索" * 20
    rows = few().with_columns(system=pl.Series([wide, *"abcd"]), measure=pl.lit(wide))
    (axes,) = forest(rows, baseline=wide, min_changed=10).axes
    assert axes.get_position().width > 0.1
    assert len(axes.get_xticks()) >= 2


def test_margins_are_marked_on_both_sides() -> None:
    chart = forest(rows_of(*ROWS), baseline="bm25", margin=0.015)
    broken = [line for line in chart.axes[0].lines if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in broken] == [-0.015, 0.015]
    axis = chart.axes[0].get_xlabel()
    assert axis.endswith("dashed lines: ±0.015, the margin")
    low, high = forest(rows_of(*ROWS), baseline="bm25", margin=0.5).axes[0].get_xlim()
    assert low < -0.5 < 0.5 < high


def test_without_a_margin_none_is_spoken_of() -> None:
    chart = forest(rows_of(*ROWS), baseline="bm25")
    assert "margin" not in chart.axes[0].get_xlabel()
    assert len(chart.axes[0].lines) == 1 + len(ROWS)


RANKED = {
    "old": {f"q{i}": {"d1": 1.0, "d2": 2.0} for i in range(12)},
    "new": {f"q{i}": {"d1": 2.0 - i % 2, "d2": 1.0 + i % 2} for i in range(12)},
}


def test_a_comparison_tells_its_charts_which_measures_are_better_low() -> None:
    qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(12)}
    runs = {
        "old": {f"q{i}": {"d1": 0.9, "d2": 0.9} for i in range(12)},
        "new": {f"q{i}": {"d1": 0.9, "d2": 0.1 if i else 0.9} for i in range(12)},
    }
    comparison = rr.compare(rr.evaluate(qrels, runs, ["RR", "FPR(t=0.5)"]), resamples=100)
    chart = comparison.plot_forest()
    assert chart.data["measure"].to_list() == ["RR", "FPR"]
    assert looks(chart)[1] == (charts.BLUE, "<")
    # One query of 12 lies apart, so that BCa in closed form reaches further than t, to -0.733.
    assert "; new, FPR: -0.917 [-1.000, -0.595] better." in chart.alt


@pytest.mark.parametrize(
    ("measures", "drawn"),
    [
        (["AP", "DCG@5", "NumRet", "RR"], ["AP", "RR"]),
        (["DCG@5", "AP", "CG@5", "RR"], ["DCG@5", "CG@5"]),
    ],
)
def test_a_comparison_draws_the_measures_of_the_primary_ones_scale(
    measures: list[str], drawn: list[str]
) -> None:
    qrels = {f"q{i}": {"d1": 1} for i in range(12)}
    comparison = rr.compare(rr.evaluate(qrels, RANKED, measures), resamples=100)
    chart = comparison.plot_forest()
    assert chart.data["measure"].to_list() == drawn
    assert chart.data["n_changed"][0] == 6
    assert chart.axes[0].lines[1].get_color() == INK
    assert "too few changed" in chart.alt


def test_in_the_style_of_matplotlib_no_tick_lacks_a_label() -> None:
    (axes,) = forest(rows_of(*ROWS), baseline="bm25", style="matplotlib").axes
    axes.figure.draw_without_rendering()
    ticks = axes.yaxis.get_major_ticks()
    assert [tick.tick1line.get_markersize() for tick in ticks] == [0] * len(ticks)
