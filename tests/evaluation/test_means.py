"""Each system by itself: means with intervals, the hardest queries, and the chart of means."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from chart_frames import texts
from matplotlib.text import Text
from scipy import stats

import rankreport as rr
from rankreport.charts import levels
from rankreport.errors import DataError, OptionError

# Every query has one relevant document, "r", and RR is one over its place; 0 is not returned.
OLD = [1, 2, 1, 2, 4, 0, 1, 2]
NEW = [1, 1, 1, 1, 2, 4, 1, 2]


def evaluated(measures=("RR",), n=None, **systems):
    size = n or len(next(iter(systems.values())))
    qrels = {f"q{i}": {"r": 1, "s": 0} for i in range(size)}
    runs = {
        name: {f"q{i}": listed(places[i % len(places)]) for i in range(size)}
        for name, places in systems.items()
    }
    return rr.evaluate(qrels, runs, measures)


def listed(place):
    """Return a list with the relevant document at that place, and one that is not at the next."""
    documents = ["x1", "x2", "x3"]
    if place:
        documents[place - 1 : place - 1] = ["r"]
    return {doc: -float(rank) for rank, doc in enumerate([*documents, "s"])}


# Means


def test_a_mean_has_the_interval_of_student():
    values = [1, 1 / 2, 1, 1 / 2, 1 / 4, 0, 1, 1 / 2]
    (row,) = evaluated(old=OLD).means("t", 0.9).rows(named=True)
    low, high = stats.t.interval(0.9, 7, np.mean(values), stats.sem(values))
    assert row == {
        "system": "old",
        "measure": "RR",
        "mean": pytest.approx(4.75 / 8),
        "ci_low": pytest.approx(low),
        "ci_high": pytest.approx(high),
        "n_queries": 8,
    }


def test_by_hand():
    # 1, 1/2, 1, 1/2: the mean is 3/4, the standard error 1/(4 sqrt 3), and t of 3 degrees 3.1824.
    (row,) = evaluated(old=[1, 2, 1, 2]).means("t").rows(named=True)
    assert row["mean"] == 0.75
    assert row["ci_low"] == pytest.approx(0.75 - 3.182446 / (4 * math.sqrt(3)), abs=1e-6)
    assert row["ci_high"] == 1.0  # and not 1.209: no mean of RR is above 1


@pytest.mark.parametrize("kind", ["auto", "t", "percentile", "basic", "bca", "studentized"])
def test_intervals_are_those_of_a_comparison(kind):
    evaluation = evaluated(["RR", "P@2"], n=40, old=OLD, new=NEW)
    compared = rr.compare(evaluation, interval=kind, resamples=500, seed=7).means()
    alone = evaluation.means(kind, resamples=500, seed=7)
    for name in ("mean", "ci_low", "ci_high"):
        assert alone[name].to_list() == pytest.approx(compared[name].to_list(), abs=1e-12)
    assert alone.select("system", "measure").equals(compared.select("system", "measure"))


def test_the_confidence_is_of_each_system_by_itself():
    two = evaluated(n=40, old=OLD, new=NEW)
    five = evaluated(n=40, old=OLD, new=NEW, a=NEW, b=NEW, c=OLD)
    assert five.means().head(2).equals(two.means())


def test_the_same_seed_gives_the_same_figures():
    first, again = (evaluated(n=40, old=OLD) for _ in range(2))
    assert first.means().equals(again.means())
    of_seeds = [first.means("bca", seed=seed)["ci_low"][0] for seed in (0, 1)]
    assert of_seeds[0] != of_seeds[1]
    assert first.means() is first.means()  # and are made once


def test_a_stored_evaluation_has_the_same_means(tmp_path):
    evaluation = evaluated(["RR", "P@2"], n=40, old=OLD, new=NEW)
    evaluation.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet").means().equals(evaluation.means())


def test_undefined_values_are_left_out_and_counted():
    # Where "r" is not returned, no relevant document has a score, and AUC is undefined.
    (row,) = evaluated(["AUC"], old=[1, 0, 2, 0, 1]).means("t").rows(named=True)
    assert (row["n_queries"], row["mean"]) == (3, 1.0)
    assert row["ci_low"] is None  # all three are 1


def test_counts_are_per_query():
    (row,) = evaluated(["NumRelRet"], old=OLD).means("t").rows(named=True)
    assert row["mean"] == 7 / 8
    assert evaluated(["NumRelRet"], old=OLD).summary()["NumRelRet"][0] == 7


@pytest.mark.parametrize("measure", ["GMAP", "PooledAUC", "GAUC"])
def test_what_is_no_mean_stands_with_its_value_and_without_an_interval(measure):
    evaluation = evaluated([measure, "RR"], n=40, old=OLD)
    first, second = evaluation.means().rows(named=True)
    assert first["mean"] == evaluation.summary()[measure][0]
    assert first["ci_low"] is first["ci_high"] is None
    assert second["ci_low"] < second["mean"] < second["ci_high"]


def test_a_measure_that_is_the_same_everywhere_has_no_interval():
    (row,) = evaluated(old=[1, 1, 1]).means().rows(named=True)
    assert (row["mean"], row["ci_low"], row["ci_high"]) == (1.0, None, None)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"interval": "wald"}, "interval='wald' is not one of"),
        ({"confidence": 95}, "confidence=95 must lie between 0 and 1"),
        ({"confidence": "0.95"}, "confidence takes a number between 0 and 1.*; found str"),
        ({"resamples": 5}, "resamples=5 is too few"),
        ({"seed": -1}, "seed=-1 must not be negative"),
    ],
)
def test_options_that_cannot_be_are_refused(options, said):
    with pytest.raises(OptionError, match=said):
        evaluated(old=OLD).means(**options)


# The hardest queries


def test_the_hardest_queries_come_first():
    evaluation = evaluated(old=OLD, new=NEW)
    assert evaluation.hardest(3, "old").frame.rows() == [
        ("old", "q5", 0.0),
        ("old", "q4", 0.25),
        ("old", "q1", 0.5),
    ]
    assert evaluation.hardest(2).frame.rows() == [("new", "q5", 0.25), ("new", "q4", 0.5)]
    assert evaluation.hardest(100, "old").frame.height == 8


def test_where_less_is_better_the_highest_are_hardest():
    qrels = {"q1": {"r": 1, "s": 0}, "q2": {"r": 1, "s": 0}}
    run = {"q1": {"r": 2.0, "s": -1.0}, "q2": {"r": 2.0, "s": 1.0}}
    other = {"q1": {"r": 2.0, "s": 1.0}, "q2": {"r": 2.0, "s": 1.0}}
    evaluation = rr.evaluate(qrels, {"worse": other, "mine": run}, ["FPR"])
    assert evaluation.primary.declaration.better == "low"
    assert evaluation.hardest(1).frame.rows() == [("mine", "q2", 1.0)]


def test_what_cannot_be_hard_is_refused():
    with pytest.raises(OptionError, match="NumRet has no better direction"):
        evaluated(["NumRet"], old=OLD).hardest()
    with pytest.raises(OptionError, match="system='odl' is not one of"):
        evaluated(old=OLD).hardest(system="odl")


def test_relevant_documents_and_their_places(tmp_path):
    qrels = {"q1": {"a": 1, "b": 3, "c": 2, "d": 0}, "q2": {"a": 1}}
    runs = {"mine": {"q1": {"x": 3.0, "a": 2.0}, "q2": {"a": 1.0}}}
    evaluation = rr.evaluate(qrels, runs)
    assert evaluation.relevant(["q1"]).rows() == [
        ("mine", "q1", "a", 1.0, 2),
        ("mine", "q1", "b", 3.0, None),
        ("mine", "q1", "c", 2.0, None),
    ]
    assert evaluation.relevant(["q1"], rel=2)["doc_id"].to_list() == ["b", "c"]
    assert evaluation.relevant([]).is_empty()
    evaluation.write_parquet(tmp_path / "scores.parquet")
    with pytest.raises(DataError, match="contains scores, not documents"):
        rr.load_evaluation(tmp_path / "scores.parquet").relevant(["q1"])


# The chart


def frame_of(*rows):
    schema = {"system": pl.String, "measure": pl.String} | dict.fromkeys(
        ("mean", "ci_low", "ci_high"), pl.Float64
    )
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def test_the_chart_draws_what_the_frame_says():
    rows = frame_of(("old", "AP", 0.5, 0.4, 0.65), ("new", "AP", 0.6, None, None))
    chart = levels(rows)
    (axes,) = chart.axes
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines] == [
        (0.5, 1),
        (0.6, 2),
    ]
    assert [tuple(c.get_segments()[0].ravel()) for c in axes.collections] == [(0.4, 1, 0.65, 1)]
    told = texts(chart)
    assert {"AP", "old", "new", "0.5000 [0.4000, 0.6500]", "0.6000 no interval"} <= set(told)
    assert chart.data.select(rows.columns).equals(rows)
    assert chart.alt == (
        "Means with 95 % intervals: old, AP: 0.500 (0.400 to 0.650); new, AP: 0.600."
    )


def test_of_many_rows_the_ends_are_told():
    rows = frame_of(*((f"s{i}", m, i / 10, None, None) for m in ("AP", "RR") for i in range(5)))
    assert levels(rows, confidence=0.9).alt == (
        "Means with 90 % intervals: AP from 0.400 (s4) down to 0.000 (s0); RR from 0.400 (s4) down "
        "to 0.000 (s0)."
    )


def test_of_one_system_every_level_is_told():
    rows = frame_of(*(("mine", f"P@{i}", i / 10, None, None) for i in range(1, 10)))
    told = "; ".join(f"mine, P@{i}: 0.{i}00" for i in range(1, 10))
    assert levels(rows).alt == f"Means with 95 % intervals: {told}."


def test_where_nothing_has_a_value_the_chart_says_so():
    for rows in (frame_of(), frame_of(("old", "AP", None, None, None))):
        chart = levels(rows)
        assert "no query has a value" in texts(chart)
        assert chart.alt == "Means with 95 % intervals: no query has a value."


def test_long_names_stay_in_the_figure():
    wide = "a-very-long-name-of-a-system-that-goes-on"
    rows = frame_of(*((wide + str(i), "nDCG@10", 0.5, 0.25, 0.75) for i in range(50)))
    chart = levels(rows)
    chart.draw_without_rendering()
    assert min(text.get_fontsize() for text in chart.findobj(Text)) >= 9
    box = chart.axes[0].get_tightbbox()
    assert min(box.x0, box.y0) >= 0
    assert box.x1 <= chart.bbox.x1
    assert box.y1 <= chart.bbox.y1


def test_an_evaluation_draws_the_measures_of_the_primary_ones_scale():
    evaluation = evaluated(["RR", "NumRet", "P@2", "CG@2"], n=24, old=OLD, new=NEW)
    chart = evaluation.plot_means()
    assert chart.data["measure"].unique(maintain_order=True).to_list() == ["RR", "P@2"]
    means = evaluation.means()
    shown = pl.concat([means.filter(measure=name) for name in ("RR", "P@2")])
    assert chart.data["ci_low"].to_list() == shown["ci_low"].to_list()


def test_of_many_systems_the_primary_measure_is_drawn_the_best_first():
    systems = {f"s{i}": [*[1] * i, *[2] * (6 - i)] for i in range(6)}
    chart = evaluated(["RR", "P@2"], **systems).plot_means()
    assert chart.data["system"].to_list() == ["s5", "s4", "s3", "s2", "s1", "s0"]
    assert chart.data["measure"].unique().to_list() == ["RR"]


def test_a_curve_has_the_intervals_of_its_points():
    evaluation = evaluated(["RR"], n=24, old=OLD)
    chart = evaluation.plot_curve("P", k=[1, 2, 4])
    points = evaluated(["P@1", "P@2", "P@4"], n=24, old=OLD).means()
    assert chart.data["k"].to_list() == [1, 2, 4]
    for name in ("mean", "ci_low", "ci_high"):
        assert chart.data[name].to_list() == pytest.approx(points[name].to_list(), abs=1e-12)
    assert "95 % interval" in chart.alt


# Other aggregates


@pytest.mark.parametrize(
    ("aggregate", "theirs"),
    [
        ("median", pl.all().median()),
        ("p12.5", pl.all().quantile(0.125, "linear")),
        ("min", pl.all().min()),
        ("max", pl.all().max()),
        ("std", pl.all().std()),
    ],
)
def test_aggregates_are_those_of_polars_on_real_data(aggregate, theirs):
    example = rr.load_example()
    evaluation = rr.evaluate(example.qrels, example.runs, ["nDCG@10", "RR", "NumRet"])
    scores = evaluation.per_query().drop("query_id")
    expected = scores.group_by("system", maintain_order=True).agg(theirs)
    found = evaluation.summary(aggregate=aggregate)
    assert found.columns == expected.columns
    np.testing.assert_allclose(found.drop("system"), expected.drop("system"), atol=1e-7)
    alone = evaluation.means(aggregate=aggregate, resamples=100).filter(measure="RR")
    assert alone[aggregate].to_list() == pytest.approx(expected["RR"].to_list(), abs=1e-7)


def test_other_aggregates_are_of_means_and_counts_only():
    evaluation = evaluated(["GMAP", "RR"], old=OLD)
    assert evaluation.summary(aggregate="median").rows() == [("old", None, 0.5)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": {"q1": 1}, "aggregate": "median"}, "takes no weights"),
        ({"aggregate": "mdian"}, "Did you mean 'median'?"),
    ],
)
def test_a_summary_refuses(options, message):
    with pytest.raises(OptionError, match=message):
        evaluated(old=OLD).summary(**options)


def test_a_kind_of_interval_is_of_means():
    with pytest.raises(OptionError, match="interval='t' is of means"):
        evaluated(old=OLD).means("t", aggregate="median")
