"""Queries without an answer: worked by hand, and the same however they are read and stored."""

import numpy as np
import polars as pl
import pytest
from sliced import found_in, in_slices

import rankreport as rr
from rankreport.errors import DataError, OptionError

RATES = ["FalseAnswer", "FalseAbstention"]
QRELS = {"a": {"d1": 1}, "b": {"d2": 1}, "c": {"d3": 2}, "d": {"d4": 1}, "u": {"d1": 0}}
NONE = ("u", "v", "w")
"""One is judged, without a relevant document; two are in no judgment."""
OLD = {"a": ["d1"], "b": ["d1", "d2"], "c": ["d3"], "u": ["d1"], "v": ["d2", "d3"]}
NEW = {"a": ["d1"], "b": ["d2"], "c": [], "d": ["d4"], "w": ["d9"], "x": ["d1"]}


def evaluated(measures=("RR",), **options):
    return rr.evaluate(QRELS, {"old": OLD, "new": NEW}, measures, unanswerable=NONE, **options)


def test_rates_are_of_the_queries_that_they_are_about():
    made = evaluated()
    # old answers a, b, c of a to d, and u, v of u, v, w; new answers a, b, d, and w.
    assert made.summary().rows() == [("old", 0.625, 2 / 3, 0.25), ("new", 0.75, 1 / 3, 0.25)]
    assert made.means()["n_queries"].to_list() == [4, 3, 4] * 2
    rows = made.per_query().filter(system="new").drop("system").rows()
    assert rows == [
        *[("a", 1, None, 0), ("b", 1, None, 0), ("c", 0, None, 1), ("d", 1, None, 0)],
        *[("u", None, 0, None), ("v", None, 0, None), ("w", None, 1, None)],
    ]
    assert made.unanswerable == NONE
    columns = ("n_queries", "n_unanswered", "n_left_out", "n_unjudged", "n_no_relevant")
    assert made.quality.select(columns).rows() == [(4, 1, 0, 0, 0), (4, 1, 0, 1, 0)]
    assert "4 queries with an answer, 3 without" in repr(made)


def test_intervals_are_those_of_the_zeros_and_ones():
    rng = np.random.default_rng(3)
    qrels = {f"q{n}": {"d": 1} for n in range(40)}
    none = [f"u{n}" for n in range(30)]
    runs = {
        system: {query: ["d"] for query in [*qrels, *none] if rng.random() < share}
        for system, share in {"old": 0.8, "new": 0.5}.items()
    }
    made = rr.evaluate(qrels, runs, "RR", unanswerable=none)
    found = made.means("t").filter(measure="FalseAnswer", system="old").row(0, named=True)
    answered = np.array([query in runs["old"] for query in none], float)
    half = 2.045229642132703 * answered.std(ddof=1) / np.sqrt(30)  # t of 29 degrees of freedom
    ends = answered.mean() - half, answered.mean() + half
    assert (found["ci_low"], found["ci_high"]) == pytest.approx(ends)

    # The difference is paired, on the same queries without an answer.
    row = rr.compare(made, interval="t", correction="none").table()
    row = row.filter(measure="FalseAnswer").row(0, named=True)
    deltas = np.array([(q in runs["new"]) - (q in runs["old"]) for q in none], float)
    half = 2.045229642132703 * deltas.std(ddof=1) / np.sqrt(30)
    assert row["n_queries"] == 30
    assert row["delta"] == pytest.approx(deltas.mean())
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(
        (deltas.mean() - half, deltas.mean() + half)
    )
    assert (row["wins"], row["losses"]) == ((deltas < 0).sum(), (deltas > 0).sum())


def test_means_are_those_without_queries_that_have_no_answer():
    measures = ["nDCG@10", "AP", "GAUC", "NumRet", "GMAP", "PooledAUC"]
    scored = {q: dict(zip(docs, [2.0, 1.0], strict=False)) for q, docs in OLD.items()}
    runs = {"old": scored, "new": {q: {"d1": 1.0, "d2": 2.0} for q in QRELS}}
    made = rr.evaluate(QRELS, runs, measures, unanswerable=NONE)
    others = {query: docs for query, docs in QRELS.items() if query not in NONE}
    expected = rr.evaluate(others, runs, measures)
    assert made.summary().drop(RATES).equals(expected.summary())
    assert made.ties().filter(~pl.col("measure").is_in(RATES)).equals(expected.ties())
    assert made.unanswered.equals(expected.unanswered)
    assert made.judged_documents().equals(expected.judged_documents())


@pytest.mark.parametrize(
    "given",
    [
        {"u": True, "v": True, "w": True, "a": False},
        pl.DataFrame({"qid": ["u", "v", "w", "a"], "unanswerable": ["True", "1", "true", None]}),
        pl.DataFrame({"query_id": ["w", "v", "u"]}),
    ],
    ids=["mapping", "column", "table of ids"],
)
def test_queries_are_declared_in_several_forms(given):
    made = rr.evaluate(QRELS, {"old": OLD}, "RR", unanswerable=given)
    assert made.unanswerable == NONE


def test_a_file_names_queries_without_an_answer(tmp_path):
    lines, table = tmp_path / "none.txt", tmp_path / "none.csv"
    lines.write_text("u\nv\nw\n", encoding="utf-8")
    table.write_text("query_id,unanswerable\nu,true\nv,1\na,false\nw,TRUE\n", encoding="utf-8")
    for given in (lines, str(table)):
        assert rr.evaluate(QRELS, {"old": OLD}, "RR", unanswerable=given).unanswerable == NONE
    with pytest.raises(DataError, match=r"lacking.txt"):
        rr.evaluate(QRELS, {"old": OLD}, "RR", unanswerable=tmp_path / "lacking.txt")


def test_queries_with_relevant_documents_have_an_answer():
    made = rr.evaluate(QRELS, {"old": OLD}, "RR", unanswerable=["c", "a", "u"])
    with pytest.raises(DataError, match=r"unanswerable have relevant .*: 'a', 'c' \(2\)"):
        made.summary()


def test_what_is_neither_true_nor_false_is_refused():
    with pytest.raises(DataError, match="unanswerable is 'maybe' for query 'u'"):
        rr.evaluate(QRELS, {"old": OLD}, "RR", unanswerable={"u": "maybe"})
    with pytest.raises(OptionError, match="unanswerable takes"):
        rr.evaluate(QRELS, {"old": OLD}, "RR", unanswerable=7)


def test_false_answers_need_queries_without_an_answer():
    for made in (
        rr.evaluate(QRELS, {"old": OLD}, ["FalseAnswer"]),
        rr.evaluate_labelled([1, 0], [0.5, 0.7], qid=[1, 1], measures=["FalseAnswer"]),
    ):
        assert made.summary().item(0, 1) is None
        (caution,) = (each for each in made.cautions if each.code == "undefined")
        assert "declared to have no answer" in str(caution)
    # Of silence where something is, all queries tell.
    assert rr.evaluate(QRELS, {"old": OLD}, "FalseAbstention").summary().item(0, 1) == 0.2


def test_slices_and_stored_scores_say_the_same(tmp_path):
    files = {}
    for name, run in {"old": OLD, "new": NEW}.items():
        rows = [(q, doc, -rank) for q, docs in run.items() for rank, doc in enumerate(docs)]
        files[name] = tmp_path / f"{name}.parquet"
        pl.DataFrame(rows, ["qid", "doc", "score"], orient="row").write_parquet(files[name])
    qrels = tmp_path / "qrels.parquet"
    rows = [(q, doc, grade) for q, docs in QRELS.items() for doc, grade in docs.items()]
    pl.DataFrame(rows, ["qid", "doc", "rel"], orient="row").write_parquet(qrels)
    whole = rr.evaluate(qrels, files, ["AP", "RR"], unanswerable=NONE)
    assert found_in(in_slices(whole, 5, judgments=True)) == found_in(whole)
    whole.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert loaded.per_query().equals(whole.per_query())
    assert loaded.unanswerable == NONE
    assert loaded.cautions == whole.cautions
    assert repr(rr.load_evaluation(tmp_path / "scores.parquet", measures="AP")).count("without")


def test_expected_lists_may_be_empty_where_nothing_is_to_be_found():
    records = [
        {"query_id": "1", "expected": ["d1"], "retrieved": ["d1"]},
        {"query_id": "2", "expected": [], "retrieved": ["d1"]},
        {"query_id": "3", "expected": [], "retrieved": []},
    ]
    made = rr.evaluate_retrieved(records, measures="RR", unanswerable=["2", "3"])
    assert made.summary().row(0) == ("run", 1.0, 0.5, 0.0)
