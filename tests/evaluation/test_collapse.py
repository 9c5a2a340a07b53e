"""Passages folded into documents: each rule by hand, and what copies of rows must not change."""

from __future__ import annotations

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankreport as rr
from rankreport.evaluation.applied_rules import COLLAPSE

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}}
ROWS = [
    ("q1", "a#1", 1.0, 5, "a"),
    ("q1", "b#1", 5.0, 2, "b"),
    ("q1", "a#2", 4.5, 3, "a"),
    ("q1", "c#1", 3.0, 1, "c"),
    ("q1", "c#2", 2.0, 4, "c"),
]
RUN = pl.DataFrame(ROWS, ["query_id", "doc_id", "score", "rank", "parent"], orient="row")
UNRANKED = RUN.drop("rank")
PASSAGES = {"a#1": "a", "a#2": "a", "b#1": "b", "c#1": "c", "c#2": "c"}


def lists(run=UNRANKED, qrels=QRELS, **options):
    """Return the documents of each query with their scores, in rank order."""
    made = rr.evaluate(qrels, {"mine": run}, ["nDCG"], **options)
    shown = made.documents(made.query_ids, 100)
    return [(row["doc_id"], row["score"]) for row in shown.iter_rows(named=True)]


# Each rule by hand


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("max", [("b", 5.0), ("a", 4.5), ("c", 3.0)]),
        ("first", [("b", 5.0), ("a", 4.5), ("c", 3.0)]),
        ("sum", [("a", 5.5), ("c", 5.0), ("b", 5.0)]),  # equal scores by id, descending
        ("mean", [("b", 5.0), ("a", 2.75), ("c", 2.5)]),
    ],
)
def test_a_rule_by_hand(rule, expected):
    assert set(COLLAPSE) == {"max", "first", "sum", "mean"}
    assert lists(collapse=rule, document_of="#") == expected


@pytest.mark.parametrize("rule", ["max", "first"])
def test_by_rank_the_best_ranked_passage_stands_for_its_document(rule):
    found = lists(RUN, collapse=rule, document_of="#", ties="rank")
    assert found == [("c", 3.0), ("b", 5.0), ("a", 4.5)]


@pytest.mark.parametrize("rule", ["max", "first"])
def test_a_run_without_scores_is_folded_by_rank(rule):
    assert [doc for doc, _ in lists(RUN.drop("score"), collapse=rule, document_of="#")] == list(
        "cba"
    )


@pytest.mark.parametrize("rule", ["sum", "mean"])
@pytest.mark.parametrize(
    ("run", "ties", "words"),
    [(RUN.drop("score"), None, "has ranks alone"), (RUN, "rank", "which ties='rank' ignores")],
)
def test_sums_of_ranks_are_refused(rule, run, ties, words):
    with pytest.raises(rr.OptionError, match=f"collapse='{rule}' needs scores.*{words}.*'max'"):
        lists(run, collapse=rule, document_of="#", ties=ties)


def test_in_input_order_a_document_stands_where_its_best_passage_stood():
    # a has its best score in the third row, after b with the same score.
    rows = [("q1", "a#1", 1.0), ("q1", "b#1", 2.0), ("q1", "a#2", 2.0), ("q1", "c#1", 2.0)]
    run = pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row")
    by = {"collapse": "max", "document_of": "#"}
    assert [doc for doc, _ in lists(run, ties="input", **by)] == ["b", "a", "c"]
    assert [doc for doc, _ in lists(run, ties="trec", **by)] == ["c", "b", "a"]
    assert [doc for doc, _ in lists(run.reverse(), ties="input", **by)] == ["c", "a", "b"]


def test_the_whole_evaluation_is_that_of_the_folded_run():
    folded = pl.DataFrame(
        [("q1", "a", 4.5), ("q1", "b", 5.0), ("q1", "c", 3.0)],
        ["query_id", "doc_id", "score"],
        orient="row",
    )
    measures = ["nDCG@2", "AP", "NumRet", "P@3", "Judged@3"]
    alone = rr.evaluate(QRELS, {"mine": folded}, measures)
    made = rr.evaluate(QRELS, {"mine": UNRANKED}, measures, collapse="max", document_of="#")
    assert made.scores.equals(alone.scores)
    assert made.quality.equals(alone.quality)
    assert made.ties().equals(alone.ties())
    assert made.documents(["q1"]).equals(alone.documents(["q1"]))


# How the documents of passages are found


@pytest.mark.parametrize(
    "document_of",
    [
        "#",
        "parent",
        PASSAGES,
        pl.DataFrame({"passage": list(PASSAGES), "document": list(PASSAGES.values())}),
        {"mine": "#"},
        {"mine": "parent"},
        {"mine": PASSAGES},
    ],
    ids=["separator", "column", "dictionary", "table", *("by system",) * 3],
)
def test_every_way_to_name_the_documents_gives_the_same(document_of):
    assert lists(collapse="sum", document_of=document_of) == lists(collapse="sum", document_of="#")


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl"])
def test_a_table_in_a_file_names_the_documents(tmp_path, suffix):
    table = pl.DataFrame({"passage": list(PASSAGES), "document": list(PASSAGES.values())})
    path = tmp_path / f"passages{suffix}"
    {".csv": table.write_csv, ".parquet": table.write_parquet, ".jsonl": table.write_ndjson}[
        suffix
    ](path)
    expected = lists(collapse="max", document_of="#")
    assert lists(collapse="max", document_of=path) == expected
    assert lists(collapse="max", document_of=str(path)) == expected


def test_the_last_separator_counts_and_an_id_without_one_is_a_document():
    rows = [("q1", "a#b#1", 3.0), ("q1", "a#b#2", 2.0), ("q1", "plain", 1.0), ("q1", "#9", 0.5)]
    run = pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row")
    found = lists(run, collapse="max", document_of="#")
    assert [doc for doc, _ in found] == ["a#b", "plain", "#9"]


@pytest.mark.parametrize("separator", ["#", ".", "::", "|", "_p", "^", "\\", "$"])
def test_a_separator_is_text_and_no_pattern(separator):
    run = UNRANKED.with_columns(pl.col("doc_id").str.replace("#", separator, literal=True))
    run = run.with_columns(pl.col("doc_id").str.replace("^(.)", "${1}x"))
    qrels = {"q1": {"ax": 1}}
    found = lists(run, qrels, collapse="max", document_of=separator)
    assert [doc for doc, _ in found] == ["bx", "ax", "cx"]


def test_systems_may_be_cut_into_other_passages():
    runs = {"new": UNRANKED, "old": {"q1": {"a": 2.0, "b": 3.0}}, "third": {"q1": {"x/a": 1.0}}}
    made = rr.evaluate(
        QRELS, runs, ["NumRet"], collapse="max", document_of={"new": "#", "third": {"x/a": "a"}}
    )
    assert made.summary()["NumRet"].to_list() == [3.0, 2.0, 1.0]
    assert made.settings["document_of"] == "new: separator '#'; third: table of 1 passage"


def test_trec_text_has_columns_too(tmp_path):
    path = tmp_path / "mine.run"
    path.write_text("".join(f"{q} Q0 {d} 0 {s} {parent}\n" for q, d, s, _, parent in ROWS))
    assert lists(path, collapse="sum", document_of="tag") == lists(collapse="sum", document_of="#")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"document_of": "#"}, "document_of needs a rule to fold by"),
        ({"collapse": "maxx"}, "collapse='maxx' is not one of 'max', 'first', 'sum', 'mean'"),
        ({"collapse": "sum"}, "collapse='sum' needs document_of: without"),
        ({"collapse": "max", "document_of": ""}, "document_of is empty"),
        ({"collapse": "max", "document_of": "\ud800"}, "is not valid Unicode"),
        ({"collapse": "max", "document_of": 3}, "found int"),
        ({"collapse": "max", "document_of": "score"}, "document_of='score' is the column of the"),
        ({"collapse": "max", "document_of": {"mine": "#", "oth": "#"}}, "'oth' is not a system"),
        ({"collapse": "max", "document_of": {"mien": {}}}, "Did you mean 'mine'"),
        ({"collapse": "max", "document_of": "::"}, "neither a column nor in any id.*'a#1'"),
        ({"collapse": "max", "document_of": {"a#1": "a"}}, "no document for 4 passages, such as"),
        (
            {"collapse": "max", "document_of": pl.DataFrame({"a": ["x"]})},
            "has 1 columns: a. Expected two",
        ),
        (
            {"collapse": "max", "document_of": pl.DataFrame({"p": ["x", "x"], "d": ["a", "b"]})},
            "passage 'x' is of 'a' and of 'b'",
        ),
    ],
)
def test_a_fault_of_the_options_says_what_to_type(options, words):
    with pytest.raises((rr.OptionError, rr.DataError), match=words):
        lists(**options)


def test_a_row_without_a_document_is_an_error():
    run = UNRANKED.with_columns(parent=pl.when(pl.col("score") > 1).then("parent"))
    with pytest.raises(rr.DataError, match=r"has 1 row without a value in column 'parent'.*'a#1'"):
        lists(run, collapse="max", document_of="parent")


def test_a_sum_that_is_no_number_is_an_error():
    run = UNRANKED.with_columns(score=pl.lit(1.7e308))
    with pytest.raises(rr.DataError, match="too large for a number"):
        lists(run, collapse="sum", document_of="#")


@pytest.mark.parametrize("score", [None, float("nan"), float("inf")])
def test_rows_that_no_evaluation_can_use_are_not_folded_away(score):
    run = UNRANKED.with_columns(score=pl.when(pl.col("score") > 1).then("score").otherwise(score))
    with pytest.raises(rr.DataError, match="row 1 has"):
        lists(run, collapse="max", document_of="#")


# What is counted and shown


def test_rows_folded_are_counted_and_shown(tmp_path):
    made = rr.evaluate(QRELS, {"mine": UNRANKED}, ["nDCG"], collapse="max", document_of="#")
    [caution] = [each for each in made.cautions if each.code == "folded"]
    assert (caution.severity, caution.count, caution.examples) == ("note", 2, ("mine",))
    assert "mine (2 of 5 rows)" in caution.text
    report = rr.report(made)
    held = report.to_json()
    assert '"rows folded": "mine: 2"' in held
    assert '"collapse": "max"' in held
    report.to_html(tmp_path / "report.html")
    assert "mine (2 of 5 rows)" in (tmp_path / "report.html").read_text("utf-8")
    made.write_parquet(tmp_path / "scores.parquet", documents=made.documents(["q1"]))
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert loaded.settings == made.settings
    assert loaded.cautions == made.cautions
    assert loaded.documents(["q1"], 3).equals(made.documents(["q1"], 3))
    assert [each["rows"] for each in loaded.inputs] == [3, 5]


def test_many_systems_share_a_caution():
    runs = {f"s{i}": UNRANKED for i in range(6)}
    made = rr.evaluate(QRELS, runs, ["nDCG"], collapse="max", document_of="#")
    [caution] = [each for each in made.cautions if each.code == "folded"]
    assert caution.count == 12
    assert len(caution.concerns) == 6


def test_nothing_folded_is_no_caution_but_recorded():
    made = rr.evaluate(QRELS, {"mine": {"q1": {"a": 1.0}}}, ["nDCG"], collapse="max")
    assert [each for each in made.cautions if each.code == "folded"] == []
    assert '"rows folded": "mine: 0"' in rr.report(made).to_json()


def test_without_a_rule_a_repeated_document_is_an_error_that_names_the_option():
    twice = pl.concat([UNRANKED, UNRANKED.head(1)])
    with pytest.raises(rr.DataError, match=r"repeats document 'a#1'.*collapse='max'.*--collapse"):
        lists(twice)


# Copies change nothing

SCORES = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0])
PASSAGE = st.tuples(
    st.sampled_from(["q1", "q2", "q3"]), st.sampled_from("abcd"), st.integers(1, 3), SCORES
)


def run_of(passages):
    distinct = {(query, f"{doc}#{n}"): score for query, doc, n, score in passages}
    rows = [(query, passage, score) for (query, passage), score in distinct.items()]
    return pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row")


@pytest.mark.slow  # compares twice in each example
@given(
    st.lists(PASSAGE, min_size=4, max_size=20),
    st.lists(PASSAGE, min_size=4, max_size=20),
    st.randoms(use_true_random=False),
    st.sampled_from(list(COLLAPSE)),
    st.sampled_from(["trec", "input", "expected", "best", "worst"]),
)
def test_copies_of_rows_never_change_a_verdict(one, other, draw: random.Random, rule, ties):
    qrels = {q: {"a": 2, "b": 1, "c": 0} for q in ("q1", "q2", "q3")}
    options = {"collapse": rule, "document_of": "#", "ties": ties}
    runs = {"one": run_of([*one, ("q1", "a", 1, 0.5)]), "other": run_of([*other, *one[:1]])}
    copied = {
        name: pl.concat([run, run.sample(n=draw.randrange(len(run)), seed=draw.randrange(9))])
        for name, run in runs.items()
    }
    measures = ["nDCG@3", "R@3"]
    made, again = (rr.evaluate(qrels, each, measures, **options) for each in (runs, copied))
    assert again.scores.equals(made.scores)
    assert again.documents(["q1", "q2", "q3"]).equals(made.documents(["q1", "q2", "q3"]))
    verdicts = [rr.compare(each, resamples=100).verdict().sentence for each in (made, again)]
    assert verdicts[0] == verdicts[1]


@given(st.lists(PASSAGE, min_size=2, max_size=20), st.randoms(use_true_random=False))
@settings(max_examples=8)
def test_the_order_of_rows_changes_no_bit_of_a_sum(passages, draw):
    run = run_of(passages).with_columns(pl.col("score") / 3 + 0.1)
    shuffled = run.sample(fraction=1, shuffle=True, seed=draw.randrange(100))
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
    for rule in ("sum", "mean"):
        one, other = (
            lists(each, qrels, collapse=rule, document_of="#") for each in (run, shuffled)
        )
        assert one == other


def test_a_mapping_of_no_passage_is_refused():
    run = {"q1": {"d1#1": 2.0, "d1#2": 1.0}}
    with pytest.raises(rr.OptionError, match="document_of is empty"):
        rr.evaluate({"q1": {"d1": 1}}, run, ["RR"], collapse="max", document_of={})
