"""The check of data on Spark: what `rankreport.check` finds, in the same words."""

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
from rankreport.errors import OptionError
from rankreport.spark import data_check

MEASURES = ["nDCG@10", "AP"]
COUNTS = ["system", "n_rows", "n_queries", "n_missing", "n_extra", "shortest", "median", "longest"]


def check_equal(remote, qrels, runs, measures=MEASURES, **options):
    """Check that the check on Spark finds what a check finds here, and return it."""
    runs = {name: in_order(run) for name, run in runs.items()}
    expected = rr.check(in_order(qrels), runs, measures, **options)
    there = {name: remote(run) for name, run in runs.items()}
    found = spark.check(remote(qrels), there, measures, n_buckets=2, **options)
    assert said(found) == said(expected)
    assert found.table().columns == expected.table().columns
    assert found.table().select(COUNTS).equals(expected.table().select(COUNTS))
    for name in found.table().columns[len(COUNTS) :]:
        of_each = zip(found.table()[name], expected.table()[name], strict=True)
        assert all(a == pytest.approx(b, abs=1e-12) for a, b in of_each)
    assert found.passed == expected.passed
    return found


def said(checked):
    return [
        (
            each.severity,
            each.code,
            told_alike(each.text),
            each.remedy,
            each.count,
            each.examples,
            each.concerns,
        )
        for each in checked.cautions
    ]


def test_whole_floats_among_ids_are_counted(remote):
    number = pl.col("query_id").str.slice(1)
    floats = RUN.with_columns(number.cast(pl.Float64))
    qrels = QRELS.with_columns(number.cast(pl.Float32))
    found = check_equal(remote, qrels, {"mine": floats, "other": RUN.with_columns(number)})
    assert [c.count for c in found.cautions if c.code == "float_ids"] == [len(QRELS) + len(RUN)]
    named = {"a": floats, "b": floats.head(5)}.items()
    both = pl.concat(rows.with_columns(system=pl.lit(name)) for name, rows in named)
    made = spark.evaluate(remote(QRELS.with_columns(number)), remote(both), MEASURES, n_buckets=4)
    assert [c.count for c in made.compare().cautions if c.code == "float_ids"] == [len(RUN) + 5]


def test_what_is_wrong_with_runs(remote):
    """Each of a system of its own, which is named."""
    found = check_equal(remote, QRELS, {**INVALID_RUNS, "valid": RUN})
    severe = {name for each in found.cautions if each.severity == "stop" for name in each.concerns}
    assert {name for (name, *_) in severe} >= {*INVALID_RUNS} - {"floats for ids", "other floats"}


@pytest.mark.parametrize("fault", INVALID_QRELS)
def test_what_is_wrong_with_judgments(remote, fault):
    assert not check_equal(remote, INVALID_QRELS[fault], {"mine": RUN}).passed


def test_all_faults_are_listed_with_the_first_rows(remote):
    qrels = INVALID_QRELS["several grades"]
    found = spark.check(remote(qrels), {"mine": remote(INVALID_RUNS["several"])}, MEASURES)
    texts = [each.text for each in found.cautions if each.severity == "stop"]
    assert texts[0] == (
        "2 judged documents with different grades, such as 'd03' of query 'q1': 1, 7, 8 (rows "
        "'q1 d03 1', 'q1 d03 7', 'q1 d03 8')."
    )
    assert texts[1:3] == [
        "run 'mine', row 'null d00 1.0' has no query_id.",
        "run 'mine', row 'q1 d77 null' has no value where the score belongs; a number is expected.",
    ]
    assert "row 'q0 e0 inf' has score inf for document 'e0' of query 'q0'" in texts[3]
    assert "The same is wrong with 30 more rows: 'q0 e12 inf', 'q0 e18 inf'" in texts[3]
    assert "row 'q1 d03 99.0' repeats document 'd03' of query 'q1', which is on row" in texts[4]


def prefixed(frame, column, prefix):
    return frame.with_columns((pl.lit(prefix) + pl.col(column)).alias(column))


RUNS = {
    "good": RUN,
    "the same": RUN,
    "backwards": RUN.with_columns(-pl.col("score")),
    "other documents": prefixed(RUN, "doc_id", "doc_"),
    "some other documents": pl.concat([RUN[::2], prefixed(RUN[1::2], "doc_id", "x")]),
    "other queries": pl.concat([RUN[:36], prefixed(RUN[36:], "query_id", "topic-")]),
    "short": RUN.filter(pl.col("doc_id") < pl.col("query_id"))[:30],
    "few answered": RUN[:20],
    "the judgments": QRELS.rename({"relevance": "score"}),
    "grades for scores": RUN.with_columns(pl.col("score").cast(pl.Int64) % 3),
    "ranks alone": RUN.select(
        "query_id",
        "doc_id",
        rank=pl.col("score").rank("ordinal").over("query_id").cast(pl.Int64),
    ),
}


def test_what_is_to_be_known_of_valid_runs(remote):
    check_said(remote, QRELS, RUNS)


@pytest.mark.parametrize(
    "qrels",
    [
        RUN.rename({"score": "relevance"}),
        QRELS.with_columns(rating=pl.col("relevance") + 1).drop("relevance"),
    ],
    ids=["a run", "ratings"],
)
def test_what_is_to_be_known_of_valid_judgments(remote, qrels):
    check_said(remote, qrels, {"mine": RUN})


def check_said(remote, qrels, runs):
    """Check that the check on Spark says what a check says here."""
    order = [pl.col("query_id"), pl.col("doc_id")]
    expected = rr.check(qrels.sort(order), runs, MEASURES)
    there = {name: remote(run) for name, run in runs.items()}
    assert said(spark.check(remote(qrels), there, MEASURES, n_buckets=2)) == said(expected)


@pytest.mark.parametrize(
    "options",
    [
        {"queries": "intersection", "no_relevant": "skip", "scale": (0, 2), "strict": True},
        {"measures": ["P@5", "GMAP", "NumRel", "ERR@20"], "primary": "GMAP"},
        {"measures": ["AUC", "PooledAUC"]},
    ],
    ids=str,
)
def test_generated_data_under_options(remote, options):
    qrels, runs = generated(n_queries=15, depth=12)
    check_equal(remote, qrels, by_system(runs), **options)


def test_no_query_is_left(remote):
    fewer = pl.col("query_id").is_in(["q0", "q1"])
    runs = {"mine": RUN.filter(~fewer), "other": RUN.filter(fewer)}
    found = check_equal(remote, QRELS, runs, queries="intersection")
    assert [each.code for each in found.cautions] == ["no_shared_queries"]


def test_ranks_that_order_no_documents(remote):
    rank = pl.col("score").rank("ordinal").over("query_id").cast(pl.Int64)
    run = RUN.with_columns(rank=rank)
    twice = run.with_columns(
        pl.when(pl.col("query_id") == "q3").then(pl.lit(4)).otherwise("rank").alias("rank")
    )
    found = check_equal(remote, QRELS, {"good": run, "bad": twice}, ties="rank")
    assert "query 'q3' has rank 4 more than once" in found.cautions[0].text


def test_ranks_with_gaps_and_from_0(remote):
    ranked = RUN.with_columns(rank=pl.int_range(pl.len()).over("query_id") * 2)
    found = check_equal(remote, QRELS, {"mine": ranked}, ties="rank")
    assert {"rank_gaps", "ranks_from_0"} <= {each.code for each in found.cautions}


def test_faults_beside_what_is_allowed(remote):
    """Repeated documents where rows are folded, and a mark beside conflicting grades."""
    nameless = pl.concat([RUN, RUN[5:40], RUN[:1].with_columns(doc_id=None)])
    found = check_equal(remote, QRELS, {"mine": nameless}, collapse="max")
    assert [each.code for each in found.cautions] == ["invalid_rows", "folded"]
    marked = QRELS[:1].with_columns(query_id=pl.lit("\ufeffq0"))
    qrels = pl.concat([INVALID_QRELS["several grades"], marked])
    found = check_equal(remote, qrels, {"mine": RUN})
    assert [each.code for each in found.cautions][:2] == ["invalid_rows", "conflicting_grades"]


def test_a_message_has_values_as_they_were_given(remote):
    """Of systems with scores of different types, and of ranks, in the same check."""
    kinds = {"text": pl.String, "single": pl.Float32, "whole": pl.Int64, "double": pl.Float64}
    scored = RUN.with_columns(pl.col("score").floor() + 0.5)
    runs = {name: scored.cast({"score": kind}) for name, kind in kinds.items()}
    runs["ranked"] = RUN.select("query_id", "doc_id", rank=pl.int_range(1, len(RUN) + 1))
    runs = {name: pl.concat([run, run.head(1)]) for name, run in runs.items()}
    there = {name: remote(run) for name, run in runs.items()}
    found = spark.check(remote(QRELS), there, MEASURES, n_buckets=2).cautions
    values = {"text": "0.5", "single": "0.5", "whole": "0", "double": "0.5", "ranked": "1"}
    for name, value in values.items():
        [again] = [each for each in found if each.concerns == ((name,),) and "repeats" in each.text]
        assert again.text.startswith(f"run {name!r}, row 'q0 d00 {value}' repeats document 'd00'")


def test_passages(remote):
    passages = RUN.with_columns(
        doc_id=pl.col("doc_id") + "#" + (pl.col("score") * 7).cast(pl.Int64).cast(pl.String)
    )
    several = pl.concat([passages, RUN.with_columns(pl.col("score") + 0.5)])
    options = {"collapse": "max", "document_of": "#"}
    found = check_equal(remote, QRELS, {"mine": several}, **options)
    assert [each.code for each in found.cautions] == ["folded"]
    found = check_equal(remote, QRELS, {"mine": several, "other": RUN}, **options)
    assert "document_of='#' is neither a column nor in any id" in found.cautions[0].text


def test_subtopics(remote):
    both = pl.concat([QRELS.with_columns(subtopic=pl.lit(number)) for number in "12"])
    options = {"measures": ["alpha_nDCG@10"], "subtopics": True}
    check_equal(remote, both, {"mine": RUN}, **options)
    check_equal(remote, pl.concat([both, both[:3]]), {"mine": RUN}, **options)


def test_a_column_names_the_systems(remote):
    qrels, runs = generated(n_queries=12, depth=10)
    expected = rr.check(qrels, by_system(runs), MEASURES)
    # In some of so many buckets, no query is judged.
    found = spark.check(remote(qrels), remote(runs), MEASURES, n_buckets=16)
    assert said(found) == said(expected)
    assert repr(found) == repr(expected)


def test_what_cannot_be_opened_does_not_hide_the_rest(remote):
    lost = RUN.drop("score")
    check_equal(remote, QRELS, {"lost": lost, "mine": RUN})
    check_equal(remote, QRELS.drop("doc_id"), {"mine": INVALID_RUNS["repeated"]})
    check_equal(remote, QRELS.drop("doc_id"), {"lost": lost})


def test_few_names_of_many_queries_are_kept(remote, monkeypatch):
    monkeypatch.setattr(data_check, "kept_of_each", lambda _: (20, 20))
    names = [f"topic {n:03}" for n in range(600)]
    pairs = {"query_id": names, "doc_id": ["d"] * 600}
    qrels = pl.DataFrame({**pairs, "relevance": [1] * 600})
    own = [name if n < 30 else name.replace("topic ", "") for n, name in enumerate(names)]
    run = pl.DataFrame({**pairs, "query_id": own, "score": [1.0] * 600})
    found = spark.check(remote(qrels), {"mine": remote(run)}, MEASURES, n_buckets=2)
    [spelled] = [each for each in found.cautions if each.code == "nearly_equal_ids"]
    n = spelled.count
    assert "strip 'topic ' from both. " in spelled.remedy
    assert spelled.remedy.endswith(f"Then {n + 30} of at most {n + 30} ids match (30 do now).")
    assert "of 570 queries)" in spelled.text
    assert 20 <= spelled.count <= 40


def test_options(remote):
    qrels, run = remote(QRELS), remote(RUN)
    with pytest.raises(OptionError, match="rows on Spark have no order"):
        spark.check(qrels, run, ties="input")
    with pytest.raises(OptionError, match="n_buckets=0"):
        spark.check(qrels, run, n_buckets=0)
    with pytest.raises(OptionError, match=r"scale=\(3, 0\)"):
        spark.check(qrels, run, scale=(3, 0))
