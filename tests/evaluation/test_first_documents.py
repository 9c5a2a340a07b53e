"""The first documents of each list: ordered by the rule of ties, graded, kept in a file."""

from __future__ import annotations

import gzip

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankreport as rr
from rankreport.comparison.leading_pair import leading_pair_of

QRELS = {"q1": {"a": 2, "b": 0, "e": 1}, "q2": {"f": 1}, "q3": {"a": 1}}
# In q1, b, c and d share a score; d was never judged, and neither was c.
OLD = {"q1": {"a": 1.0, "b": 3.0, "c": 3.0, "d": 3.0, "z": 4.0}, "q2": {"f": 1.0}}
NEW = {"q1": {"e": 9.0, "a": 8.0}, "q2": {"g": 2.0, "f": 1.5}, "q9": {"a": 1.0}}
RUNS = {"old": OLD, "new": NEW}


def evaluate(**options):
    return rr.evaluate(QRELS, RUNS, ["nDCG@10"], **options)


def places(frame, system="old", query="q1"):
    rows = frame.filter(pl.col("system") == system, pl.col("query_id") == query)
    return "".join(rows["doc_id"])


def test_they_stand_query_by_query_and_system_by_system_in_the_order_asked_for():
    found = evaluate().documents(["q2", "q1"], k=2)
    assert found.schema == {
        "system": pl.String,
        "query_id": pl.String,
        "doc_id": pl.String,
        "rank": pl.UInt32,
        "score": pl.Float64,
        "relevance": pl.Float64,
    }
    assert found.rows() == [
        ("old", "q2", "f", 1, 1.0, 1.0),
        ("new", "q2", "g", 1, 2.0, None),
        ("new", "q2", "f", 2, 1.5, 1.0),
        ("old", "q1", "z", 1, 4.0, None),
        ("old", "q1", "d", 2, 3.0, None),
        ("new", "q1", "e", 1, 9.0, 1.0),
        ("new", "q1", "a", 2, 8.0, 2.0),
    ]
    turned = evaluate().documents(["q1", "q1"], k=1, systems=["new", "old"])
    assert turned.select("system", "doc_id").rows() == [("new", "e"), ("old", "z")]


def test_a_list_may_be_empty():
    assert evaluate().documents(["q3"]).is_empty()
    assert evaluate().documents([]).is_empty()
    assert evaluate().documents(["q1"], systems=[]).schema == evaluate().documents(["q1"]).schema
    assert evaluate().documents(["q3", "q2"], systems="old").rows() == [
        ("old", "q2", "f", 1, 1.0, 1.0)
    ]


@pytest.mark.parametrize(
    ("ties", "order"),
    [
        ("trec", "zdcba"),
        ("input", "zbcda"),
        ("expected", "zdcba"),  # one of the orders
        ("best", "zbdca"),  # b was judged: of what is not relevant, it comes first
        ("worst", "zcdba"),
    ],
)
def test_equal_scores_stand_by_the_rule_of_ties(ties, order):
    assert places(evaluate(ties=ties).documents(["q1"])) == order


def test_ranks_decide_where_they_are_to():
    rows = [("q1", doc, rank, 1.0) for doc, rank in (("a", 3), ("b", 1), ("c", 7))]
    run = pl.DataFrame(rows, schema=["query_id", "doc_id", "rank", "score"], orient="row")
    found = rr.evaluate(QRELS, {"old": run}, ties="rank").documents(["q1"])
    assert found.select("doc_id", "rank").rows() == [("b", 1), ("a", 3), ("c", 7)]


def test_scores_are_as_precise_as_they_are_compared():
    run = {"q1": {"a": 1.0, "b": 1.0 + 2**-40}}
    double = rr.evaluate(QRELS, {"old": run}).documents(["q1"])
    single = rr.evaluate(QRELS, {"old": run}, precision="single", ties="input").documents(["q1"])
    assert places(double) == "ba"
    assert places(single) == "ab"


def test_grades_are_those_of_the_evaluation():
    qrels = {"q1": {"a": {"s": 0, "t": 2}, "b": {"s": 1, "t": 0}}}
    found = rr.evaluate(qrels, {"old": {"q1": OLD["q1"]}}, subtopics=True).documents(["q1"])
    assert dict(found.select("doc_id", "relevance").iter_rows()) == {
        "a": 2.0,
        "b": 1.0,
        **dict.fromkeys("cdz"),
    }


def test_a_judged_document_has_the_rank_that_measures_see():
    @given(
        st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=1, max_size=8),
        st.lists(st.sampled_from([None, 0, 1, 2]), min_size=8, max_size=8),
        st.sampled_from(["trec", "input", "best", "worst", "expected"]),
    )
    def check(scores, grades, ties):
        run = {"q": {f"d{at}": score for at, score in enumerate(scores)}}
        qrels = {"q": {f"d{at}": g for at, g in enumerate(grades) if g is not None} | {"d0": 1}}
        evaluation = rr.evaluate(qrels, {"s": run}, ["RR"], ties=ties)
        shown = evaluation.documents(["q"], k=99)
        assert shown["rank"].to_list() == list(range(1, len(scores) + 1))
        seen = evaluation._origin.judged_documents().filter(pl.col("rank").is_not_null())
        ranks = {row["doc_id"]: row["rank"] for row in seen.iter_rows(named=True)}
        judged = shown.filter(pl.col("relevance").is_not_null())
        assert dict(judged.select("doc_id", "rank").iter_rows()) == ranks

    check()


# --- wherever runs come from ----------------------------------------------------------------------


def trec(run, gap):
    return "".join(
        gap.join([query, "Q0", doc, "1", str(score), "tag"]) + "\n"
        for query, row in run.items()
        for doc, score in row.items()
    )


@pytest.mark.parametrize("gap", [" ", "\t", "  "], ids=["space", "tab", "spaces"])
@pytest.mark.parametrize("ending", ["run", "run.gz"])
def test_text_of_any_kind_gives_the_same(gap, ending, tmp_path):
    runs = {}
    for name, run in RUNS.items():
        runs[name] = tmp_path / f"{name}.{ending}"
        text = trec(run, gap).encode()
        runs[name].write_bytes(gzip.compress(text) if ending == "run.gz" else text)
    found = rr.evaluate(QRELS, runs).documents(["q1", "q2"])
    assert found.equals(evaluate().documents(["q1", "q2"]))


def test_other_fields_of_text_may_hold_what_they_like(tmp_path):
    """A rank that is no number makes the fastest reader give up: not a query of another is read."""
    path = tmp_path / "old.run"
    path.write_text(trec(OLD, " ").replace(" 1 ", " - "))
    found = rr.evaluate(QRELS, {"old": path}).documents(["q2"])
    assert found.select("query_id", "doc_id").rows() == [("q2", "f")]


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "table"])
def test_tables_of_any_kind_give_the_same(kind, tmp_path):
    runs = {}
    for name, run in RUNS.items():
        rows = [(q, d, s) for q, row in run.items() for d, s in row.items()]
        frame = pl.DataFrame(rows, schema=["qid", "docno", "score"], orient="row")
        runs[name] = frame if kind == "table" else tmp_path / f"{name}.{kind}"
        writers = {"csv": "write_csv", "parquet": "write_parquet", "jsonl": "write_ndjson"}
        if kind != "table":
            getattr(frame, writers[kind])(runs[name])
    found = rr.evaluate(QRELS, runs).documents(["q1", "q2"])
    assert found.equals(evaluate().documents(["q1", "q2"]))


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"queries": ["q1", "q9"]}, r"queries: 'q9' is not an evaluated query, such as 'q1'\."),
        ({"systems": ["odl"]}, r"systems='odl' is not one of 'old', 'new'\. Did you mean 'old'"),
        ({"k": 0}, r"k=0 is not a number of documents"),
        ({"k": True}, r"k=True is not a number of documents"),
    ],
)
def test_what_there_is_not_is_refused(options, message):
    with pytest.raises(rr.OptionError, match=message):
        evaluate().documents(**{"queries": ["q1"], **options})


def test_queries_that_do_not_count_are_refused():
    with pytest.raises(rr.OptionError, match="'q3' is not an evaluated query"):
        evaluate(queries="intersection").documents(["q3"])


# --- in a file ------------------------------------------------------------------------------------


@pytest.fixture
def stored(tmp_path):
    """Return a function that writes documents with the scores, and loads them again."""

    def back(evaluation, documents, name="scores.parquet"):
        evaluation.write_parquet(tmp_path / name, documents=documents)
        return rr.load_evaluation(tmp_path / name)

    return back


@pytest.mark.parametrize("queries", ["judged", "answered", "intersection"])
def test_a_file_gives_back_what_was_written(stored, queries):
    evaluation = evaluate(queries=queries)
    written = evaluation.documents(["q1", "q2"], k=3)
    loaded = stored(evaluation, written)
    for asked in (["q1", "q2"], ["q2"], ["q2", "q1"]):
        for k in (1, 2, 3):
            for systems in (None, ["old"], ["new", "old"]):
                wanted = evaluation.documents(asked, k=k, systems=systems)
                assert loaded.documents(asked, k=k, systems=systems).equals(wanted)
    # The lists of q2 end before the third document, so that all of them is there.
    assert loaded.documents(["q2"], k=1000).equals(evaluation.documents(["q2"]))
    again = stored(loaded, loaded.documents(["q1"], k=2), "again.parquet")
    assert again.documents(["q1"], k=2).equals(evaluation.documents(["q1"], k=2))


def test_a_list_that_is_empty_is_known_to_be(stored):
    evaluation = evaluate()
    loaded = stored(evaluation, evaluation.documents(["q3", "q2"]))
    assert loaded.documents(["q3"]).is_empty()


def test_a_file_never_gives_a_part_for_the_whole(stored):
    evaluation = evaluate()
    loaded = stored(evaluation, evaluation.documents(["q1"], k=3, systems=["old"]))
    with pytest.raises(
        rr.OptionError, match=r"contains 3 of the first 4 documents of old for .*'q1'"
    ):
        loaded.documents(["q1"], k=4, systems=["old"])
    with pytest.raises(rr.OptionError, match=r"contains none of the first 3 documents of new"):
        loaded.documents(["q1"], k=3)
    with pytest.raises(
        rr.OptionError, match=r"documents of old for query 'q2'.*documents=evaluation\.documents"
    ):
        loaded.documents(["q2"])


def test_a_file_of_scores_alone_says_so(stored):
    with pytest.raises(rr.OptionError, match=r"scores\.parquet contains none of the first 10"):
        stored(evaluate(), None).documents(["q1"])


def test_documents_do_not_change_what_else_is_in_the_file(stored, tmp_path):
    evaluation = evaluate()
    plain, more = stored(evaluation, None, "a"), stored(evaluation, evaluation.documents(["q1"]))
    assert plain.scores.equals(more.scores)
    assert pl.read_parquet(tmp_path / "a").equals(pl.read_parquet(tmp_path / "scores.parquet"))


def test_what_is_no_frame_of_documents_is_refused(stored):
    with pytest.raises(rr.OptionError, match="expected what Evaluation"):
        stored(evaluate(), ["q1"])
    with pytest.raises(rr.OptionError, match="expected the columns system, query_id, doc_id"):
        stored(evaluate(), evaluate().scores)


# --- side by side ---------------------------------------------------------------------------------


def test_two_lists_stand_side_by_side_with_where_each_document_went():
    comparison = rr.compare(evaluate(), resamples=100)
    shown = comparison.side_by_side(["q2", "q3", "q1"], k=5).frame
    assert dict(shown.schema) == {
        "query_id": pl.String(),
        "rank": pl.UInt32(),
        "doc_baseline": pl.String(),
        "relevance_baseline": pl.Float64(),
        "move_baseline": pl.String(),
        "doc_system": pl.String(),
        "relevance_system": pl.Float64(),
        "move_system": pl.String(),
    }
    nothing = (None, None, None)
    assert shown.rows() == [
        ("q2", 1, "f", 1.0, "down to 2", "g", None, "new"),
        ("q2", 2, *nothing, "f", 1.0, "down from 1"),
        ("q1", 1, "z", None, "out", "e", 1.0, "new"),
        ("q1", 2, "d", None, "out", "a", 2.0, "up from 5"),
        ("q1", 3, "c", None, "out", *nothing),
        ("q1", 4, "b", 0.0, "out", *nothing),
        ("q1", 5, "a", 2.0, "up to 2", *nothing),
    ]
    # Among fewer documents a is new, and one at its own place has not moved.
    first = comparison.side_by_side(["q1"], k=2)
    assert first["move_system"].to_list() == ["new", "new"]
    same = rr.compare(rr.evaluate(QRELS, {"old": OLD, "again": OLD}), resamples=100)
    assert set(same.side_by_side(["q1"])["move_system"]) == {""}


def test_the_pair_side_by_side_is_the_one_named_or_the_leading_one():
    runs = {"old": OLD, "worse": {"q1": {"b": 1.0}}, "new": NEW}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=100)
    assert leading_pair_of(comparison).system == "new"
    assert comparison.side_by_side(["q1"], 1)["doc_system"].to_list() == ["e"]
    assert comparison.side_by_side(["q1"], 1, "worse")["doc_system"].to_list() == ["b"]
    with pytest.raises(rr.OptionError, match="is not an evaluated query"):
        comparison.side_by_side(["q9"])
    with pytest.raises(rr.OptionError, match="system"):
        comparison.side_by_side(["q1"], system="old")


@pytest.mark.parametrize("ties", ["trec", "input", "expected", "best", "worst"])
@pytest.mark.parametrize(
    "options",
    [{}, {"queries": "answered"}, {"precision": "single"}, {"collapse": "max", "document_of": "#"}],
    ids=lambda options: next(iter(options), "usual"),
)
def test_unjudged_documents_are_those_of_the_first_without_a_grade(ties, options):
    passages = {
        name: {**run, "q4": {"d#1": 2.0, "d#2": 2.0, "a": 1.0}} for name, run in RUNS.items()
    }
    origin = rr.evaluate({**QRELS, "q4": {"a": 1}}, passages, ties=ties, **options)._origin
    for k in (1, 2, 10):
        found = pl.concat(origin.unjudged_within(k))
        first = origin.first_shown(k).filter(pl.col("relevance").is_null())
        assert found.equals(first.drop("relevance", "score")), k
    assert found.schema["rank"] == pl.UInt32
    assert found.filter(pl.col("query_id") == "q4")["doc_id"].n_unique() == 1 + (
        "collapse" not in options
    )
