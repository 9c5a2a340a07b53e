"""Comparisons on Spark: equal to local ones, and made without a row of any query at home."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from pyspark.sql.connect.dataframe import DataFrame
from spark_tables import by_system, generated
from xxhash64 import xxhash64

import rankreport as rr
from rankreport import spark
from rankreport.comparison import ScoreSums, SummedContrasts
from rankreport.errors import DataError, OptionError
from rankreport.evaluation import score_matrices
from rankreport.statistics import BUCKETS, Draws

QRELS = {"query_id": ["q1", "q2"], "doc_id": ["d1", "d1"], "relevance": [1, 0]}
RUN = {"query_id": ["q1", "q2"], "doc_id": ["d1", "d1"], "score": [1.0, 2.0]}
TWICE = {"query_id": ["q2", "q1", "q1"], "doc_id": ["d1", "d1", "d1"], "score": [1.0, 2.0, 3.0]}
NOT_SHARED = {**RUN, "query_id": ["7", "8"]}
MEASURES = ["nDCG@10", "AP", "RR", "AUC"]
RESAMPLED = ["p_value", "p_adjusted"]


def both(remote, options=None, measures=MEASURES, n_systems=2, **compared):
    """Return the same comparison on Spark and on one machine."""
    qrels, runs = generated(n_queries=120, n_systems=n_systems, depth=12)
    options = options or {}
    made = spark.evaluate(remote(qrels), remote(runs), measures, n_buckets=8, **options)
    local = rr.evaluate(qrels, by_system(runs), measures, **options)
    return made.compare(**compared), rr.compare(local, **compared)


def check_equal(made, expected, *, but=()):
    """Check that two frames of figures are equal to 1e-9 but for these columns."""
    assert_frame_equal(made.drop(but), expected.drop(but), rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"queries": "intersection", "no_relevant": "skip"},
        {"queries": "answered"},
        {"ties": "expected", "no_relevant": "one"},
    ],
    ids=str,
)
def test_a_pair_is_told_as_on_one_machine(remote, options):
    """Intervals in closed form, counts, verdict, margin, judged documents alone, all cautions."""
    measures = [each for each in MEASURES if each != "AUC" or "ties" not in options]
    made, expected = both(remote, options, measures, margin=0.2)
    check_equal(made.table(), expected.table(), but=RESAMPLED)
    assert made.verdict() == expected.verdict()
    codes = {caution.code for caution in made.cautions}
    assert {"judged_only", "ties_reverse"} & codes, "nothing to say of the data"
    check_equal(made.means(), expected.means())
    check_equal(made.evaluation.summary(), expected.evaluation.summary())
    check_equal(made.evaluation.quality, expected.evaluation.quality)
    for kind in ("auto", "t"):
        check_equal(made.intervals([kind], 0.8), expected.intervals([kind], 0.8))
    check_equal(made.tests(["t"]), expected.tests(["t"]))


def test_a_verdict_waits_for_judged_documents_alone(remote):
    qrels, runs = generated(n_queries=300, n_systems=3, depth=12)
    runs = runs.filter(pl.col("system") != "system 2")
    made = spark.evaluate(remote(qrels), remote(runs), ["nDCG@10"], n_buckets=5).compare()
    expected = rr.compare(rr.evaluate(qrels, by_system(runs), ["nDCG@10"]))
    assert made.verdict() == expected.verdict()
    assert made.verdict().word == "check first"


@pytest.mark.parametrize(
    ("pairs", "correction"), [("baseline", "holm"), ("all", "bh"), ("all", "none")]
)
def test_several_systems_by_closed_forms(remote, pairs, correction):
    chosen = {"correction": correction, "test": "t", "interval": "t", "across": "measures"}
    baseline = ["system 2", "system 0"]
    made, expected = both(remote, n_systems=4, pairs=pairs, baseline=baseline, **chosen)
    check_equal(made.table().drop("caution"), expected.table().drop("caution"))
    assert made.verdict().sentence == expected.verdict().sentence
    assert made.verdict().others == expected.verdict().others
    places = [each.table() for each in (rr.leaderboard(made), rr.leaderboard(expected))]
    check_equal(*places)


def units_of(queries, seed):
    return np.array([xxhash64(f"{seed}:{query}") % BUCKETS for query in queries])


@pytest.mark.parametrize("seed", [0, 7])
def test_what_is_resampled_is_that_of_the_same_units_here(remote, seed):
    """The units of all queries, summed here in one part, give the same draws and figures."""
    qrels, runs = generated(n_queries=120, n_systems=3, depth=12)
    local = rr.evaluate(qrels, by_system(runs), MEASURES)
    kinds = ["percentile", "basic", "bca", "auto"]
    made = spark.evaluate(remote(qrels), remote(runs), MEASURES, n_buckets=8).compare(seed=seed)
    scores = score_matrices(local.per_query(), local.systems, MEASURES)
    nobody = dict.fromkeys(local.systems, np.zeros(len(local.query_ids), dtype=bool))
    here = SummedContrasts.of_sums(
        ScoreSums.of(scores, MEASURES, units_of(local.query_ids, seed), nobody),
        local.measures,
        made.pairs,
        correction="max-t",
        across="systems",
        draws=Draws(10_000, seed),
    )
    p_values = here.p_values("sign-flip", "nDCG@10")
    order = ["baseline", "system", "measure"]
    rows = here.labels().with_columns(p_values, here.adjusted("sign-flip", p_values)).sort(order)
    check_equal(made.table().select(*order, *RESAMPLED).sort(order), rows)
    for kind in kinds:
        ends = here.labels().with_columns(*here.intervals(kind, 0.95))
        check_equal(made.intervals([kind]).drop("interval"), ends)


def test_units_agree_with_the_row_bootstrap(remote):
    made, expected = both(remote, n_systems=2, correction="none")
    error = (pl.col("ci_high") - pl.col("ci_low")) / 3.9
    for kind in ("percentile", "bca"):
        ends = [each.intervals([kind]) for each in (made, expected)]
        widths = expected.intervals(["t"]).select(error).to_series()
        for end in ("ci_low", "ci_high"):
            assert ((ends[0][end] - ends[1][end]).abs() / widths).max() < 0.15
    apart = made.table()["p_value"] - expected.table()["p_value"]
    assert apart.abs().max() < 0.05


def test_neither_buckets_nor_partitions_matter(remote):
    qrels, runs = generated(n_queries=60, n_systems=2, depth=8)
    tables = [
        spark.evaluate(given(qrels), given(runs), MEASURES, n_buckets=n).compare().table()
        for n, given in [(1, remote), (16, lambda rows: remote(rows).repartition(7))]
    ]
    assert tables[0].select(RESAMPLED).equals(tables[1].select(RESAMPLED))
    check_equal(*tables)


@pytest.fixture
def brought(monkeypatch):
    """Return the list of all tables that Spark sends while a test runs."""
    tables = []
    whole = DataFrame.toArrow

    def counted(frame, *args, **kwargs):
        tables.append(whole(frame, *args, **kwargs))
        return tables[-1]

    monkeypatch.setattr(DataFrame, "toArrow", counted)
    for name in ("collect", "toPandas", "toLocalIterator"):
        monkeypatch.setattr(DataFrame, name, None)
    return tables


def test_no_row_of_any_query_comes_home(remote, brought):
    own = "the query " + pl.col("query_id")
    qrels, runs = (
        rows.with_columns(query_id=own) for rows in generated(n_queries=500, n_systems=2, depth=6)
    )
    n_buckets = 4
    made = spark.evaluate(remote(qrels), remote(runs), MEASURES, n_buckets=n_buckets)
    compared = made.compare()
    rr.report(compared).to_markdown()
    assert compared.table()["n_queries"].max() > 450
    passes = [table.num_rows for table in brought if table.column_names == ["found"]]
    assert passes == [n_buckets] * len(passes), "a row per bucket and pass"
    assert 1 <= len(passes) <= 2
    assert sum(table.num_rows for table in brought) <= n_buckets * len(passes) + 5
    held = b"".join(
        value.as_py() if isinstance(value.as_py(), bytes) else str(value.as_py()).encode()
        for table in brought
        for column in table.columns
        for value in column
    )
    unanswered = rr.evaluate(qrels, by_system(runs), ["AP"]).unanswered["query_id"]
    short = runs.group_by("system", "query_id").len().filter(pl.col("len") < 10)["query_id"]
    may_be_named = {*unanswered, *short} | {*runs["query_id"]} - {*qrels["query_id"]}
    named = {name.decode() for name in re.findall(rb"the query q\d+", held)}
    assert named <= may_be_named, "but for queries that a caution may name"
    assert len(named) <= 5 * 3 * 2 * n_buckets, "at most five of a kind, system and bucket"
    brought.clear()
    rr.compare(made.to_evaluation()).table()
    sizes = sum(table.nbytes for table in brought)
    assert sizes > len(held), "which is what bringing rows home would have shown"


def test_the_report_says_what_it_does_not_hold(remote, tmp_path):
    made, _ = both(remote, margin=0.1)
    report = rr.report(made, date="2026-11-23")
    report.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "What this page does not hold" in page
    assert "queries won and lost, with the documents of both systems" in page
    assert "queries-0" not in page, "a link to queries that are not there"
    assert "shows no single query" in report.to_markdown()
    assert "filled by a hash of their names" in repr(rr.report(made)) or "hash" in page
    report.to_json(tmp_path / "page.json")
    again = rr.load_report(tmp_path / "page.json")
    assert again.to_markdown() == report.to_markdown()
    report.to_png(tmp_path / "page.png")
    assert r"\toprule" in report.to_latex()
    assert rr.gate(made, ["nDCG@10 >= -0.2"]).outcome == "pass"
    with pytest.raises(OptionError, match="A notebook needs the scores of single queries"):
        report.to_notebook(tmp_path / "page.ipynb")
    for option in ({"curves": "nDCG"}, {"queries": {"q1": "text"}}, {"roc": True}):
        with pytest.raises(OptionError, match=f"{next(iter(option))} needs the scores of single"):
            rr.report(made, **option)


def test_gates_where_few_queries_changed(remote):
    """Of a few changed queries, all differences are known; of more, none but their sums."""
    n = 40
    qrels = {"query_id": [f"q{q}" for q in range(n)], "doc_id": ["a"] * n, "relevance": [1] * n}
    lists = {
        "query_id": [f"q{q}" for q in range(n) for _ in "ab"],
        "doc_id": ["a", "b"] * n,
        "score": [2.0, 1.0] * n,
    }
    runs = {"old": pl.DataFrame(lists), "same": pl.DataFrame(lists), "new": pl.DataFrame(lists)}
    changed = pl.col("query_id").is_in([f"q{q}" for q in range(4)])
    score = pl.when(changed).then(-pl.col("score")).otherwise("score")
    runs["new"] = runs["new"].with_columns(score)
    given = {name: remote(rows) for name, rows in runs.items()}
    made = spark.evaluate(remote(qrels), given, ["RR"], n_buckets=3).compare(correction="none")
    local = rr.compare(rr.evaluate(pl.DataFrame(qrels), runs, ["RR"]), correction="none")
    ends = [rr.gate(each, "RR >= -0.1").table() for each in (made, local)]
    check_equal(ends[0].select(pl.selectors.float()), ends[1].select(pl.selectors.float()))
    runs["new"] = runs["new"].with_columns(score=-pl.col("score"))
    given["new"] = remote(runs["new"])
    many = spark.evaluate(remote(qrels), given, ["RR"], n_buckets=3).compare()
    with pytest.raises(OptionError, match="fewer than 10 queries are harmed needs the scores"):
        rr.gate(many, "RR <= 0.1")


def test_a_report_of_several_systems(remote, tmp_path):
    made, _ = both(remote, n_systems=5)
    rr.report(made).to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "up to 10,000 buckets of the queries, filled by a hash of their names" in page
    assert "Leaderboard" in page


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ({"interval": "studentized"}, "interval 'studentized' needs the differences of single"),
        ({"test": "wilcoxon"}, "test 'wilcoxon' needs the differences .* use 'sign-flip', 't'"),
        ({"weights": "traffic"}, "weights needs the scores of single queries"),
        ({"segments": "category"}, "segments needs the scores of single queries"),
        ({"judges": {}}, "judges needs the scores of single queries"),
        ({"baseline": "nobody"}, "baseline"),
        ({"resamples": 5}, "resamples=5 is too few"),
        ({"margin": -1}, "margin=-1 must be above 0"),
    ],
    ids=str,
)
def test_options_that_sums_do_not_allow(remote, option, text):
    runs = {name: remote(RUN) for name in ("old", "new")}
    made = spark.evaluate(remote(QRELS), runs, ["AP"], n_buckets=2)
    with pytest.raises(OptionError, match=text):
        made.compare(**option)
    with pytest.raises(OptionError, match=r"'basline'\. Did you mean 'baseline'"):
        made.compare(basline="old")
    alone = spark.evaluate(remote(QRELS), remote(RUN), ["AP"])
    with pytest.raises(OptionError, match="two systems or more"):
        alone.compare()


def test_what_needs_single_queries_is_refused(remote):
    made, _ = both(remote, measures=["nDCG@10"])
    calls = (made.deltas, made.wins, made.losses, made.effects, made.segments, made.plot_deltas)
    for call in (*calls, made.plot_curve, made.evaluation.per_query, made.evaluation.means):
        with pytest.raises(OptionError, match="single queries, and this comparison holds sums"):
            call()
    with pytest.raises(OptionError, match="single queries"):
        made.side_by_side(["q5"])
    with pytest.raises(OptionError, match="single queries"):
        made.curve("nDCG")
    for function in (rr.plan, rr.judge_next):
        with pytest.raises(
            OptionError, match=rf"{function.__name__}\(\) needs the scores of single"
        ):
            function(made)


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (TWICE, "run 'old', row 'q1 d1 3.0' repeats document 'd1' of query 'q1'"),
        (NOT_SHARED, "run 'old' has no query in common with the qrels: one has queries such as"),
    ],
    ids=["twice", "not shared"],
)
def test_invalid_rows_are_named(remote, run, text):
    runs = {"old": remote(run), "new": remote(RUN)}
    made = spark.evaluate(remote(QRELS), runs, ["AP"], n_buckets=3).compare()
    with pytest.raises(DataError) as raised:
        made.table()
    assert text in str(raised.value)
    assert "PythonException" not in str(raised.value)


def test_no_query_is_left(remote):
    unanswered = remote({**QRELS, "relevance": [0, -1]})
    runs = {name: remote(RUN) for name in ("old", "new")}
    made = spark.evaluate(unanswered, runs, ["AP"], no_relevant="skip", n_buckets=3).compare()
    with pytest.raises(DataError, match="No query is left"):
        made.table()
