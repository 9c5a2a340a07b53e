"""Columns of one's own: latency and cost as measures, from a table."""

from __future__ import annotations

import math
import pickle

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankreport as rr
from rankreport.errors import DataError, MeasureError, OptionError

QUERIES = [f"q{i:03}" for i in range(1, 6)]
QRELS = {query: {"d1": 1} for query in QUERIES}
RUNS = {"old": {q: ["d2", "d1"] for q in QUERIES}, "new": {q: ["d1"] for q in QUERIES}}
LATENCY = {"old": [10.0, 20.0, 30.0, 40.0, 100.0], "new": [13.0, 22.0, 35.0, 44.0, 96.0]}
HOW = {"better": {"latency": "low"}, "unit": {"latency": "ms"}}


def table(values=LATENCY, name="latency", queries=QUERIES):
    rows = [
        (query, system, name, value)
        for system, each in values.items()
        for query, value in zip(queries, each, strict=True)
    ]
    return pl.DataFrame(rows, ["query_id", "system", "name", "value"], orient="row")


def evaluated(**options):
    return rr.evaluate(QRELS, RUNS, ["nDCG@10", "RR"], **options)


def test_means_and_quantiles_are_those_worked_by_hand():
    joined = evaluated().with_columns(table(), **HOW)
    assert joined["latency"].to_list() == joined["latency [ms]"].to_list() == [40.0, 42.0]
    assert joined.summary(aggregate="p50")["latency"].to_list() == [30.0, 35.0]
    # Linear between values: 0.95 * 4 = 3.8, so 40 + 0.8 * 60 and 44 + 0.8 * 52.
    assert joined.summary(aggregate="p95")["latency"].to_list() == pytest.approx([88.0, 85.6])
    assert joined.primary == rr.nDCG @ 10
    latency = joined.measures[-1]
    assert (latency.declaration.better, latency.declaration.unit) == ("low", "ms")
    assert pickle.loads(pickle.dumps(latency)) == latency


def test_differences_are_paired_by_query():
    comparison = rr.compare(evaluated().with_columns(table(), **HOW))
    row = comparison.table().row(by_predicate=pl.col("measure") == "latency", named=True)
    deltas = np.array([3.0, 2.0, 5.0, 4.0, -4.0])
    assert row["delta"] == pytest.approx(deltas.mean()) == 2.0
    assert (row["mean_baseline"], row["mean_system"]) == (40.0, 42.0)
    # Higher is worse: four queries are slower.
    assert (row["wins"], row["losses"]) == (1, 4)
    of_t = rr.compare(comparison.evaluation, interval="t").table()
    row = of_t.row(by_predicate=pl.col("measure") == "latency", named=True)
    low, high = stats.t.interval(0.95, 4, deltas.mean(), stats.sem(deltas))
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high))
    delta = comparison.aggregates("p95").filter(measure="latency")["delta"].item()
    assert delta == pytest.approx(85.6 - 88.0)


def test_intervals_of_quantiles_agree_with_scipy():
    rng = np.random.default_rng(4)
    queries = [f"q{i:03}" for i in range(400)]
    values = rng.lognormal(4, 0.5, 400).round(2)
    made = rr.evaluate({q: {"d": 1} for q in queries}, {"a": {q: ["d"] for q in queries}}, "RR")
    joined = made.with_columns(table({"a": values}, queries=queries), **HOW)
    for aggregate, percent in (("p50", 50), ("p95", 95)):
        row = joined.means(aggregate=aggregate).filter(measure="latency").row(0, named=True)
        assert row[aggregate] == pytest.approx(np.percentile(values, percent))
        theirs = stats.bootstrap(
            (values,),
            lambda sample, axis, q=percent: np.percentile(sample, q, axis=axis),
            method="percentile",
            n_resamples=2000,
            rng=rng,
        ).confidence_interval
        # Ends are values of the sample: those of two draws are a few places apart at most.
        places = [np.searchsorted(np.sort(values), end) for end in (*theirs,)]
        ours = [np.searchsorted(np.sort(values), row[end]) for end in ("ci_low", "ci_high")]
        assert np.abs(np.subtract(places, ours)).max() <= 2


def test_a_wide_table_is_the_long_one(tmp_path):
    long = pl.concat([table(), table({"old": [0.5] * 5, "new": [0.25] * 5}, "cost")])
    how = {"better": {"latency": "low", "cost": "low"}}
    wide = long.pivot("name", index=["query_id", "system"], values="value")
    wide.write_csv(tmp_path / "own.csv")
    found = [evaluated().with_columns(each, **how) for each in (long, wide, tmp_path / "own.csv")]
    assert all(each.scores.equals(found[0].scores) for each in found)
    assert found[2].inputs[-1]["role"] == "columns"
    assert tmp_path / "own.csv" in found[2].files
    assert found[2].inputs[-1]["name"].endswith("own.csv")


def test_direction_and_unit_may_stand_in_the_table():
    stated = table().with_columns(better=pl.lit("low"), unit=pl.lit("ms"))
    joined = evaluated().with_columns(stated)
    assert joined.measures == evaluated().with_columns(table(), **HOW).measures


def test_true_and_false_are_1_and_0():
    wide = pl.DataFrame({"query_id": ["q001", "q002"], "system": "new", "correct": [True, False]})
    joined = evaluated().with_columns(wide, better={"correct": "high"}, primary="correct")
    assert joined["correct"].to_list() == [None, 0.5]
    assert str(joined.primary) == "correct"


def test_a_query_without_a_value_is_left_out_and_named():
    some = table({"old": [10.0, None, math.nan, 40.0, 100.0], "new": LATENCY["new"]})
    joined = evaluated().with_columns(some, **HOW)
    assert joined["latency"].to_list() == [50.0, 42.0]
    found = joined.means().filter(measure="latency")["n_queries"].to_list()
    assert found == [3, 5]
    [caution] = [each for each in joined.cautions if each.code == "undefined"]
    assert "old (2 of 5 queries: q002, q003)" in str(caution)
    row = rr.compare(joined).table().filter(measure="latency").row(0, named=True)
    # Of the three queries with both values: +3, +4, -4.
    assert (row["n_queries"], row["delta"]) == (3, 1.0)


def test_queries_that_are_not_evaluated_are_reported(tmp_path):
    more = table({s: [*v, 1.0] for s, v in LATENCY.items()}, queries=[*QUERIES, "q777"])
    joined = evaluated().with_columns(more, **HOW)
    assert joined["latency"].to_list() == [40.0, 42.0]
    [caution] = [each for each in joined.cautions if each.code == "columns_left_out"]
    assert "1 query: q777" in str(caution)
    joined.write_parquet(tmp_path / "scores.parquet")
    stored = rr.load_evaluation(tmp_path / "scores.parquet")
    assert list(map(str, stored.cautions)) == list(map(str, joined.cautions))


def test_stored_scores_keep_them(tmp_path):
    joined = evaluated().with_columns(table(), **HOW, primary="latency")
    joined.write_parquet(tmp_path / "scores.parquet")
    stored = rr.load_evaluation(tmp_path / "scores.parquet")
    assert stored.measures == joined.measures
    assert [each.shown for each in stored.measures] == ["nDCG@10", "RR", "latency [ms]"]
    assert stored.primary == joined.primary
    assert stored.scores.equals(joined.scores)
    assert stored.inputs == joined.inputs
    some = rr.load_evaluation(tmp_path / "scores.parquet", measures="latency", systems="new")
    assert some["latency"].to_list() == [42.0]
    more = stored.with_columns(
        table({"old": [1.0] * 5, "new": [2.0] * 5}, "cost"), better={"cost": "low"}
    )
    more.write_parquet(tmp_path / "again.parquet")
    assert rr.load_evaluation(tmp_path / "again.parquet")["cost"].to_list() == [1.0, 2.0]


@pytest.mark.parametrize("limit", [None, "500MB"])
def test_labelled_lists_and_slices_have_them(limit):
    if limit is None:
        labelled = pl.DataFrame({"qid": QUERIES, "label": 1, "score": 0.5})
        made = rr.evaluate_labelled(labelled, measures="RR")
    else:
        made = rr.evaluate(QRELS, RUNS, "RR", memory_limit=limit)
    values = dict.fromkeys(made.systems, LATENCY["old"])
    joined = made.with_columns(table(values), **HOW)
    assert joined["latency"].to_list() == [40.0] * len(made.systems)
    assert joined["RR"].to_list() == made["RR"].to_list()


WRONG = {
    "no direction": (table(), {}, "'q1,new,latency,12.5,low'; or, in Python, better={'latency'"),
    "a direction that is none": (table(), {"better": {"latency": "down"}}, "down"),
    "a name that is none": (
        table(),
        {"better": {"latencies": "low"}},
        "'latencies' is not one of 'latency'",
    ),
    "a measure": (table(name="recall"), {"better": {"recall": "high"}}, "'recall'"),
    "an evaluated measure": (table(name="rr"), {"better": {"rr": "high"}}, "'rr'"),
    "another column": (table(name="Query_ID"), {"better": {"Query_ID": "low"}}, "'Query_ID'"),
    "no name for requirements": (table(name="p95(x)"), {"better": {"p95(x)": "low"}}, "p95"),
    "an unknown system": (table({"odl": LATENCY["old"]}), HOW, "Did you mean 'old'"),
    "no known query": (table(queries=list("abcde")), HOW, "no query that is evaluated"),
    "a value twice": (pl.concat([table(), table()]), HOW, "query 'q001'"),
    "text": (table({"new": ["1", "2", "3", "4", "fast"]}), HOW, "latency fast of system 'new'"),
    "infinity": (table({"new": [1.0, 2.0, 3.0, 4.0, math.inf]}), HOW, "latency inf of system"),
    "no system": (table().drop("system"), HOW, "no system"),
    "nothing": (table().select("query_id", "system"), HOW, "no numbers"),
    "lists": (table({"new": [[1.0]] * 5}), HOW, "expected numbers"),
    "two directions": (
        table().with_columns(better=pl.Series(["low", "high"] * 5)),
        {},
        "better of 'latency' is stated as high and low",
    ),
    "two units": (
        table().with_columns(unit=pl.lit("s")),
        HOW,
        "unit of 'latency' is stated as ms and s",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_joined_is_refused_by_name(case):
    given, how, words = WRONG[case]
    with pytest.raises((DataError, OptionError), match=words.replace("(", r"\(")):
        evaluated().with_columns(given, **how)


def test_names_that_differ_in_case_alone_are_refused():
    both = pl.concat([table(), table(name="Latency")])
    with pytest.raises(DataError, match="'Latency'"):
        evaluated().with_columns(both, better={"latency": "low", "Latency": "low"})
    joined = evaluated().with_columns(table(), **HOW)
    with pytest.raises(DataError, match="'latency'"):
        joined.with_columns(table(), **HOW)


REFUSED = {
    "curve": lambda joined: joined.curve("latency"),
    "plot_curve": lambda joined: joined.plot_curve("latency"),
    "curve of differences": lambda joined: rr.compare(joined).curve("latency"),
    "plot_curve of differences": lambda joined: rr.compare(joined).plot_curve("latency"),
    "within": lambda joined: joined.values("latency", within=10),
    "pool and order": lambda joined: joined.pool_and_order("latency"),
    "evaluate": lambda joined: rr.evaluate(QRELS, RUNS, [joined.measures[-1]]),
    "expr": lambda joined: joined.measures[-1].expr(),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_needs_a_ranking_is_refused_by_name(what):
    joined = evaluated().with_columns(table(), **HOW)
    with pytest.raises(MeasureError, match="latency"):
        REFUSED[what](joined)


def test_a_column_decides_only_where_it_is_named_and_high_is_better():
    joined = evaluated().with_columns(table(), **HOW)
    assert str(rr.compare(joined).primary) == "nDCG@10"
    with pytest.raises(MeasureError, match="latency is better where it is low"):
        rr.compare(evaluated().with_columns(table(), **HOW, primary="latency"))
    correct = table({"old": [0, 1, 0, 0, 1], "new": [1, 1, 1, 0, 1]}, "correct")
    joined = evaluated().with_columns(correct, better={"correct": "high"}, primary="correct")
    comparison = rr.compare(joined)
    assert comparison.verdict().sentence.startswith("The data cannot tell")
    assert comparison.deltas()["delta"].sum() == 2


def test_several_data_sets_have_them(tmp_path):
    sets = {name: evaluated() for name in ("law", "arts")}
    queries = [f"{name}/{query}" for name in sets for query in QUERIES]
    values = {system: [*each, *(2 * v for v in each)] for system, each in LATENCY.items()}
    joined = rr.join_datasets(sets).with_columns(table(values, queries=queries), **HOW)
    assert joined["latency"].to_list() == [60.0, 63.0]
    means = joined.by_dataset("latency")["mean"].to_list()
    assert means == [40.0, 80.0, 42.0, 84.0]
    assert rr.compare(joined).by_dataset("latency")["delta"].to_list() == [2.0, 4.0]
    joined.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet")["latency"].to_list() == [60.0, 63.0]
    with pytest.raises(OptionError, match=r"with_columns\(\)"):
        rr.join_datasets({name: each.with_columns(table(), **HOW) for name, each in sets.items()})


def test_systems_that_ran_several_times_have_one_value_for_each_query(tmp_path):
    runs = {"old": [RUNS["old"], RUNS["new"]], "new": [RUNS["new"]] * 2}
    joined = rr.evaluate(QRELS, runs, ["nDCG@10"]).with_columns(table(), **HOW)
    assert joined["latency"].to_list() == [40.0, 42.0]
    each = joined.repeats().filter(query_id="q001").select("system", "repeat", "latency").rows()
    assert each == [("old", 1, 10.0), ("old", 2, 10.0), ("new", 1, 13.0), ("new", 2, 13.0)]
    assert rr.compare(joined).table().filter(measure="latency")["delta"].item() == 2.0
    joined.write_parquet(tmp_path / "scores.parquet")
    stored = rr.load_evaluation(tmp_path / "scores.parquet")
    assert stored.repeats().equals(joined.repeats())


@pytest.mark.parametrize(
    ("unit", "better", "n"), [("ms", "low", 1), ("", "low", 1), ("s", "high", 0)]
)
def test_values_below_0_are_named_where_low_ones_are_better(unit, better, n):
    wrong = table({**LATENCY, "new": [13.0, -1.0, 35.0, -1.0, 96.0]})
    made = evaluated().with_columns(wrong, better={"latency": better}, unit={"latency": unit})
    found = [each for each in rr.compare(made).cautions if each.code == "negative_values"]
    assert [each.severity for each in found] == ["look"] * n
    assert all("new (latency in 2 queries: q002, q004)" in each.text for each in found)


def test_nan_is_a_value_that_is_missing_and_named():
    made = evaluated().with_columns(table({**LATENCY, "new": [13.0, math.nan, 35, 44, 96]}), **HOW)
    [found] = [each for each in made.cautions if each.code == "undefined"]
    assert (
        "(no value, or NaN, was given), which are left out: new (1 of 5 queries: q002)"
        in found.text
    )
