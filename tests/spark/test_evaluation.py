"""Scores on Spark: equal to those of `rankreport.evaluate` to the last bit."""

from __future__ import annotations

import polars as pl
import pytest
from spark_tables import (
    INVALID_QRELS,
    INVALID_RUNS,
    QRELS,
    RUN,
    by_system,
    generated,
    in_order,
    told_alike,
)

import rankreport as rr
from rankreport import spark
from rankreport.errors import DataError, OptionError, RankReportError

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "R@100", "ERR@20", "AUC", "RBP(p=0.8)", "DCG(gain='exp')"]
MEASURES += ["P(over='returned')@20", "FallOut@5", "PartialAUC@5", "MeanRank", "ARP", "OPA", "LRAP"]
MEASURES += [
    "Rprec@5",
    "AUC@5",
    "CoverageError",
    "DCG(discount='log', base=10)@5",
    "AR@5",
    "Hits@5",
]
MEASURES += ["RBP(normalize=True)@5", "AP(over='k')@5", "nDCG(ideal='length')@5"]
MEASURES += ["PartialAUC(of='first')@5", "AUC(max_fpr=0.5)", "Compat(p=1, normalize=False)"]


def sorted_scores(scores):
    return scores.sort("system", "query_id", "measure")


def check_equal(made, expected):
    """Check that the scores on Spark, and those brought home, are the expected ones."""
    scores = sorted_scores(expected.scores)
    assert sorted_scores(pl.DataFrame(made.scores.toArrow())).equals(scores)
    home = made.to_evaluation()
    assert home.scores.equals(expected.scores)
    assert home.quality.equals(expected.quality)
    assert [caution.text for caution in home.cautions] == [
        caution.text for caution in expected.cautions
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ties": "expected"},
        {"ties": "worst"},
        {"queries": "intersection", "no_relevant": "skip"},
        {"no_relevant": "one", "precision": "single"},
    ],
    ids=str,
)
def test_scores_are_equal_to_the_last_bit(remote, options):
    qrels, runs = generated(n_queries=30)
    measures = MEASURES[:4] if {"ties", "profile"} & options.keys() else MEASURES
    check_equal(
        spark.evaluate(remote(qrels), remote(runs), measures, n_buckets=3, **options),
        rr.evaluate(qrels, by_system(runs), measures, **options),
    )


@pytest.mark.parametrize("n_buckets", [1, 25])
def test_any_number_of_buckets(remote, n_buckets):
    qrels, runs = generated(n_queries=20, n_systems=3, depth=8)
    check_equal(
        spark.evaluate(remote(qrels), remote(runs), ["nDCG@5"], n_buckets=n_buckets),
        rr.evaluate(qrels, by_system(runs), ["nDCG@5"]),
    )


def test_runs_by_name_with_ranks_and_whole_numbers_as_ids(remote):
    qrels, runs = generated()
    number = pl.col("query_id").str.slice(1).cast(pl.Int64)
    qrels, runs = qrels.with_columns(number), runs.with_columns(number)
    scored, ranked = by_system(runs).values()
    place = pl.col("score").rank("ordinal", descending=True).over("query_id").cast(pl.Int64)
    ranked = ranked.with_columns(rank=place).drop("score")
    expected = rr.evaluate(qrels, {"b": scored, "a": ranked}, ["nDCG", "RR@10"])
    made = spark.evaluate(
        remote(qrels.rename({"query_id": "qid", "relevance": "label"})),
        {"b": remote(scored.rename({"doc_id": "docno"})), "a": remote(ranked)},
        ["nDCG", "RR@10"],
        n_buckets=5,
    )
    check_equal(made, expected)
    # With gaps, and from 0 in every other list.
    gaps = ranked.with_columns(pl.col("rank") + pl.col("rank") // 3 - pl.col("query_id") % 2)
    check_equal(
        spark.evaluate(remote(qrels), {"a": remote(gaps)}, ["nDCG"], ties="rank", n_buckets=5),
        rr.evaluate(qrels, {"a": gaps}, ["nDCG"], ties="rank"),
    )


def test_implicit_feedback(remote):
    pairs = QRELS.filter(pl.col("relevance") > 0).select(user_id="query_id", item_id="doc_id")
    qrels = pl.concat([pairs, pairs.head(3)])
    found = spark.evaluate(remote(qrels), remote(RUN), MEASURES[:4])
    check_equal(found, rr.evaluate(qrels, RUN, MEASURES[:4]))


def test_measures_beyond_accuracy_are_refused_before_anything_is_read():
    with pytest.raises(rr.MeasureError, match="Novelty@10 is of all items shown"):
        spark.evaluate(None, None, ["nDCG@10", "Novelty@10"])


def test_subtopics(remote):
    qrels, runs = generated(n_queries=12)
    both = pl.concat([qrels.with_columns(subtopic=pl.lit(number)) for number in "12"])
    both = both.with_columns(pl.col("relevance").clip(0, 1))
    options = {"measures": ["alpha_nDCG@10", "nDCG@10"], "subtopics": True}
    check_equal(
        spark.evaluate(remote(both), remote(runs), n_buckets=3, **options),
        rr.evaluate(both, by_system(runs), **options),
    )


@pytest.mark.parametrize(
    ("rule", "document_of"),
    [("first", "document"), ("sum", "#")],
)
def test_passages_are_folded(remote, rule, document_of):
    qrels, runs = generated(n_queries=15)
    passage = pl.col("doc_id") + "#" + (pl.col("score") * 7).cast(pl.Int64).cast(pl.String)
    runs = pl.concat([runs, runs.with_columns(pl.col("score") + 5)])
    runs = runs.with_columns(document=pl.col("doc_id"), doc_id=passage)
    options = {"measures": ["nDCG@10"], "collapse": rule, "document_of": document_of}
    check_equal(
        spark.evaluate(remote(qrels), remote(runs), n_buckets=4, **options),
        rr.evaluate(qrels, by_system(runs), **options),
    )


def test_documents_that_are_their_query_are_left_out_where_beir_does(remote):
    qrels, runs = generated(n_queries=15)
    own = runs.unique(["system", "query_id"], maintain_order=True)
    runs = pl.concat([runs, own.with_columns(doc_id=pl.col("query_id"), score=pl.lit(9.0))])
    check_equal(
        spark.evaluate(remote(qrels), remote(runs), ["NDCG@10"], profile="beir", n_buckets=4),
        rr.evaluate(qrels, by_system(runs), ["NDCG@10"], profile="beir"),
    )


def test_documents_and_where_they_are(remote, tmp_path):
    qrels, runs = generated(n_queries=12)
    local = rr.evaluate(qrels, by_system(runs), ["nDCG@5"])
    home = spark.evaluate(remote(qrels), remote(runs), ["nDCG@5"], n_buckets=4).to_evaluation()
    wanted = local.query_ids[:3]
    assert home.documents(wanted, k=4).equals(local.documents(wanted, k=4))
    assert {read["name"] for read in home.inputs} == {"a DataFrame of Spark"}
    with pytest.raises(DataError, match="are on Spark"):
        home.to_trec(tmp_path / "runs")


def test_empty_partitions(remote):
    qrels, runs = generated(n_queries=6)
    made = spark.evaluate(
        remote(qrels).repartition(12), remote(runs).repartition(12), ["AP"], n_buckets=16
    )
    check_equal(made, rr.evaluate(qrels, by_system(runs), ["AP"]))


NAN = float("nan")


def error_of(evaluated):
    """Return the error of a result, which may be raised when it is computed."""
    with pytest.raises(RankReportError) as raised:
        evaluated().summary()
    return type(raised.value), str(raised.value)


@pytest.mark.parametrize(
    "fault",
    [
        *("no query", "text", "repeated", "mark", "several", "no rows", "no query shared"),
        *("no column", "floats for ids", "other floats", "two queries"),
    ],
)
def test_an_invalid_run_is_told_as_on_one_machine(remote, fault):
    run = in_order(INVALID_RUNS[fault])
    kind, text = error_of(lambda: rr.evaluate(QRELS, {"mine": run, "other": RUN}, ["AP"]))
    given = {"mine": remote(run), "other": remote(RUN)}
    found, there = error_of(
        lambda: spark.evaluate(remote(QRELS), given, ["AP"], n_buckets=3).to_evaluation()
    )
    assert (found, told_alike(there)) == (kind, told_alike(text))


@pytest.mark.parametrize("fault", ["no query", "both", "subtopics", "no rows", "no column"])
def test_invalid_judgments_are_told_as_on_one_machine(remote, fault):
    qrels = in_order(INVALID_QRELS[fault])
    kind, text = error_of(lambda: rr.evaluate(qrels, {"mine": RUN}, ["AP"]))
    found, there = error_of(
        lambda: spark.evaluate(
            remote(qrels), {"mine": remote(RUN)}, ["AP"], n_buckets=3
        ).to_evaluation()
    )
    assert (found, told_alike(there)) == (kind, told_alike(text))


def test_the_first_invalid_rows_are_called_by_what_they_hold(remote):
    run = remote(INVALID_RUNS["several"])
    made = spark.evaluate(remote(QRELS), {"mine": run}, ["AP"], n_buckets=3)
    _, text = error_of(made.to_evaluation)
    assert text == "run 'mine', row 'null d00 1.0' has no query_id."
    many = remote(RUN.with_columns(score=pl.lit(NAN)))
    _, text = error_of(spark.evaluate(remote(QRELS), many, ["AP"], n_buckets=3).to_evaluation)
    assert text.startswith("run 'run', row 'q0 d00 NaN' has score NaN for document 'd00' of query")
    assert text.endswith(
        "The same is wrong with 71 more rows: 'q0 d01 NaN', 'q0 d02 NaN', 'q0 d03 NaN', "
        "'q0 d04 NaN', 'q0 d05 NaN', and 66 more."
    )


@pytest.mark.parametrize(
    "options",
    [
        {"measures": ["nDCGG@10"]},
        {"measures": ["nDCG@0"]},
        {"measures": []},
        {"queries": "some"},
        {"profile": "none such"},
        {"no_relevant": "half"},
        {"collapse": "most"},
        {"document_of": "#"},
        {"collapse": "max", "document_of": {"yours": "#"}},
        {"collapse": "sum"},
    ],
    ids=str,
)
def test_wrong_options_are_told_as_on_one_machine(remote, options):
    expected = error_of(lambda: rr.evaluate(QRELS, {"mine": RUN}, **options))
    given = {"mine": remote(RUN)}
    assert expected == error_of(lambda: spark.evaluate(remote(QRELS), given, **options))


@pytest.mark.parametrize("queries", ["judged", "answered", "intersection"])
def test_queries_of_one_table_alone(remote, queries):
    fewer = pl.col("query_id").is_in(["q0", "q1"])
    runs = {"mine": RUN.filter(~fewer), "other": RUN.filter(fewer)}
    there = {name: remote(run) for name, run in runs.items()}
    made = spark.evaluate(remote(QRELS), there, ["AP"], queries=queries, n_buckets=3)
    if queries != "intersection":
        check_equal(made, rr.evaluate(QRELS, runs, ["AP"], queries=queries))
        return
    expected = error_of(lambda: rr.evaluate(QRELS, runs, ["AP"], queries=queries))
    assert expected == error_of(made.to_evaluation)
    assert "No query is left under queries='intersection'" in expected[1]


def test_any_separator_of_passages(remote):
    """Each of a system of its own."""
    number = (pl.col("score") * 7).cast(pl.Int64).cast(pl.String)
    separators = ["#", "::", ".*", "[", "\\", "^", "$1", "\n", "—", " ", "'", "%_"]
    names = {f"s{place:02}": text for place, text in enumerate(separators)}
    own = RUN.with_columns(pl.col("score") + 0.5)
    runs = {
        name: pl.concat([RUN.with_columns(doc_id=pl.col("doc_id") + text + number), own])
        for name, text in names.items()
    }
    options = {"measures": ["nDCG@5"], "collapse": "max", "document_of": names}
    there = {name: remote(run) for name, run in runs.items()}
    check_equal(
        spark.evaluate(remote(QRELS), there, n_buckets=1, **options),
        rr.evaluate(QRELS, runs, **options),
    )


PASSAGES = RUN.with_columns(parent=pl.col("doc_id"), doc_id=pl.col("doc_id") + "#1")


@pytest.mark.parametrize(
    "options",
    [
        {"document_of": "|"},
        {"document_of": {"mine": "|"}},
        {"document_of": "parent"},
        {"document_of": {"d00#1": "d00", "d01#1": "d01"}},
    ],
    ids=str,
)
def test_passages_whose_document_is_not_known(remote, options):
    run = PASSAGES.with_columns(
        pl.when(pl.col("doc_id") != "d03#1").then(pl.col("parent")).alias("parent")
    )
    options |= {"measures": ["AP"], "collapse": "max"}
    expected = error_of(lambda: rr.evaluate(QRELS, {"mine": run}, **options))
    there = {"mine": remote(run)}
    assert expected == error_of(
        lambda: spark.evaluate(remote(QRELS), there, n_buckets=3, **options).to_evaluation()
    )


def test_a_column_of_documents_of_one_system_may_be_empty_for_others(remote):
    both = pl.concat(
        [
            PASSAGES.with_columns(system=pl.lit("new")),
            RUN.with_columns(system=pl.lit("old"), parent=pl.lit(None, pl.String)).select(
                *PASSAGES.columns, "system"
            ),
        ]
    )
    options = {"measures": ["AP"], "collapse": "max", "document_of": {"new": "parent"}}
    check_equal(
        spark.evaluate(remote(QRELS), remote(both), n_buckets=3, **options),
        rr.evaluate(QRELS, {"new": PASSAGES, "old": RUN}, **options),
    )


TWO = pl.concat([RUN.with_columns(system=pl.lit(name)) for name in "ab"])
NAMES = {
    "a row without a system": TWO.with_columns(
        pl.when(pl.col("query_id") != "q1").then("system").alias("system")
    ),
    "titles": RUN.with_columns(name=pl.col("doc_id")),
    "two systems under one name": {"mine": TWO},
    "queries for systems": {q: RUN.filter(pl.col("query_id") == q) for q in ("q0", "q1")},
    "no runs": {},
}


@pytest.mark.parametrize("fault", NAMES)
def test_wrong_names_of_systems(remote, fault):
    given = NAMES[fault]
    there = (
        {name: remote(run) for name, run in given.items()}
        if isinstance(given, dict)
        else remote(given)
    )
    kind, text = error_of(lambda: rr.evaluate(QRELS, given, ["AP"]))
    found, told = error_of(
        lambda: spark.evaluate(remote(QRELS), there, ["AP"], n_buckets=2).to_evaluation()
    )
    assert (found, told_alike(told)) == (kind, told_alike(text))
    if fault in {"a row without a system", "titles"}:
        with pytest.raises(DataError) as raised:
            spark.check(remote(QRELS), there, ["AP"])
        assert str(raised.value) == told


def test_a_column_of_one_system_and_nulls_is_no_second_system(remote):
    """Whichever comes first; a second system beside them is found."""
    tagged = RUN.with_row_index("at").with_columns(
        pl.when(pl.col("at") % 2 == 1).then(pl.lit("a")).alias("tag")
    )
    for rows in (tagged, tagged.reverse(), tagged.with_columns(tag=pl.lit(None, pl.String))):
        given = rows.drop("at")
        expected = rr.evaluate(QRELS, {"mine": given}, ["AP"])
        check_equal(
            spark.evaluate(remote(QRELS), {"mine": remote(given)}, ["AP"], n_buckets=2), expected
        )
    last = pl.concat(
        [tagged.drop("at"), TWO.rename({"system": "tag"}).filter(pl.col("tag") == "b")]
    )
    with pytest.raises(DataError, match="2 systems, which column 'tag' names: 'a', 'b'"):
        spark.evaluate(remote(QRELS), {"mine": remote(last)}, ["AP"])


def test_systems_without_a_name(remote):
    qrels, run = remote(QRELS), remote(RUN)
    expected = error_of(lambda: rr.evaluate(QRELS, {" ": RUN}))
    assert expected == error_of(lambda: spark.evaluate(qrels, {" ": run}))


def test_options_that_spark_cannot_keep(remote):
    qrels, run = remote(QRELS), remote(RUN)
    with pytest.raises(OptionError, match="rows on Spark have no order"):
        spark.evaluate(qrels, run, ties="input")
    with pytest.raises(OptionError, match="n_buckets=0"):
        spark.evaluate(qrels, run, n_buckets=0)
    with pytest.raises(OptionError, match="expected a DataFrame of Spark, found DataFrame"):
        spark.evaluate(qrels, RUN)
    with pytest.raises(DataError, match="Are the two swapped"):
        spark.evaluate(run, qrels)


@pytest.mark.parametrize("column", ["dataset", "repeat"])
def test_several_data_sets_or_runs_are_refused_by_name(remote, column):
    """On one machine they are apart; pooled, queries of one name would be one query."""
    parted = RUN.with_columns(pl.int_range(pl.len()).mod(2).cast(pl.String).alias(column))
    with pytest.raises(DataError, match=f"several values in column '{column}': '0', '1'.*filter"):
        spark.evaluate(remote(QRELS), {"a": remote(parted)}, "AP")
    one = remote(RUN.with_columns(pl.lit("x").alias(column)))
    check_equal(
        spark.evaluate(remote(QRELS), {"a": one}, "AP"), rr.evaluate(QRELS, {"a": RUN}, "AP")
    )
