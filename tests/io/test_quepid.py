"""Exports of Quepid, in the forms that its source writes (f80322f, August 2026).

`ratings_controller.rb`, `judgements_controller.rb` and `caseCSVSvc.js`; the last one quotes a field
only where it holds a comma or a line break, and doubles quotation marks everywhere.
"""

from __future__ import annotations

import json

import pytest

import rankreport as rr

RATINGS = (
    "query,docid,rating\n"
    "projector screen,325961,3\n"
    "projector screen,47471,0\n"
    '"12"" screen, white",7,1.5\n'
    " -20 degrees,9,2\n"
    "never rated,,"
)
SNAPSHOTS = (
    "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\r\n"
    'before,2026-01-02,6,projector screen,47471,1,12"" wide\r\n'
    'before,2026-01-02,6,projector screen,325961,2,"white, 12"""\r\n'
    'before,2026-01-02,6,"12"" screen, white",7,1,""quoted""\r\n'
    "before,2026-01-02,6, -20 degrees,9,1,\r\n"
    'after,2026-01-03,6,projector screen,325961,1,"two\nlines"\r\n'
    'after,2026-01-03,6,"12"" screen, white",7,1,\r\n'
)


@pytest.fixture
def write(tmp_path):
    def written(text, name="given.csv"):
        (tmp_path / name).write_bytes(text.encode())
        return tmp_path / name

    return written


def test_ratings_are_judgments_by_text(write):
    assert rr.read_qrels(write(RATINGS)).collect().rows() == [
        ("projector screen", "325961", 3.0),
        ("projector screen", "47471", 0.0),
        ('12" screen, white', "7", 1.5),
        ("-20 degrees", "9", 2.0),
    ]


def test_a_case_as_json_holds_judgments_by_text(write):
    ratings = {"projector screen": {"325961": 3.0, "47471": 0}, "-20 degrees": {"9": 2}}
    queries = [{"query_text": q, "ratings": of} for q, of in {**ratings, "never": {}}.items()]
    case = {"case_name": "screens", "owned": True, "options": None, "queries": queries}
    path = write(json.dumps(case), "case.json")
    assert rr.read_qrels(path).collect().rows() == [
        (query, document, grade) for query, of in ratings.items() for document, grade in of.items()
    ]
    by_query = [{"query": q, "ratings": of} for q, of in ratings.items()]
    assert rr.read_qrels({"queries": by_query}).collect().equals(rr.read_qrels(path).collect())
    with pytest.raises(rr.DataError, match="is a case of Quepid, which holds judgments"):
        rr.read_run(path)


def test_snapshots_are_systems_and_are_joined_by_text(write):
    qrels, runs = write(RATINGS), write(SNAPSHOTS, "snapshots.csv")
    found = rr.evaluate(qrels, runs, ["RR@1", "Success@2"])
    assert found.systems == ("after", "before")
    assert found.per_query().rows() == [
        ("after", "-20 degrees", 0.0, 0.0),
        ("after", '12" screen, white', 1.0, 1.0),
        ("after", "projector screen", 1.0, 1.0),
        ("before", "-20 degrees", 1.0, 1.0),
        ("before", '12" screen, white', 1.0, 1.0),
        ("before", "projector screen", 0.0, 1.0),
    ]
    codes = {c.code: c for c in found.cautions}
    assert (codes["unrated"].count, codes["unrated"].examples) == (1, ("never rated",))
    assert codes["cut"].text.endswith("no deeper: after and before (each 2 documents).")


def test_a_query_with_unrated_results_is_no_query_without_ratings(write):
    given = "query,docid,rating\nq,1,2\nq,2,\nr,3,\n"
    found = rr.evaluate(write(given), {"mine": {"q": {"1": 1.0}}}, ["RR"])
    codes = {c.code: c for c in found.cautions}
    assert found.query_ids == ["q"]
    assert (codes["unrated"].examples, codes["unrated_documents"].examples) == (("r",), ("2", "3"))


def test_a_book_makes_one_grade_of_several_as_quepid_does(write):
    book = (
        "query,docid,Ann Lee,Bo Wu,Anonymous,Di\n"
        "q,alone,2,,,\n"
        "q,two,1,2,,\n"  # 1.5, rounded to 2
        "q,three,3,0,1,\n"  # the third highest
        "q,four,3,3,2,0\n"
        "q,none,,,,\n"
    )
    path = write(book)
    assert rr.read_qrels(path).collect().select("doc_id", "relevance").rows() == [
        ("alone", 2.0),
        ("two", 2.0),
        ("three", 0.0),
        ("four", 2.0),
    ]
    (caution,) = [
        c
        for c in rr.evaluate(path, {"mine": {"q": {"two": 1.0}}}, ["RR"]).cautions
        if c.code == "several_raters"
    ]
    assert caution.count == 3
    # Implicit judgments are no whole numbers, and not rounded.
    path = write("query,docid,A,B\nq,two,1,2\nq,half,0.5,1\n")
    assert rr.read_qrels(path).collect()["relevance"].to_list() == [1.5, 0.75]


def test_a_table_with_known_columns_is_no_book(write):
    path = write("query,docid,score\nq,1,2.5\n")
    assert rr.read_run(path).collect().rows() == [("q", "1", 2.5)]
    assert rr.read_qrels(path).collect().rows() == [("q", "1", 2.5)]  # a score is a grade there


def test_a_detailed_export_is_judgments_and_a_run(write):
    header = "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating,price\r\n"
    text = header + (
        'T,shop,6,red shoes,1,1,12"" heel,3,9\r\n'
        "T,shop,6,red shoes,2,2,x,,9\r\n"
        "T,shop,6,nothing\r\n"
    )
    path = write(text)
    assert rr.read_qrels(path).collect().rows() == [("red shoes", "1", 3.0)]
    found = rr.evaluate(path, path, ["RR@2"])
    assert found.summary().rows() == [("shop", 1.0)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("query,docid,rating\nq,,3\n", "line 2 has a rating and no document"),
        ("query,docid,rating\nq,1,high\n", "line 2 has 'high' where the grade belongs"),
        ("query,docid,rating\nq,1,1\n\nq,1,2\n", "line 4 repeats document '1' of query 'q'"),
        ("query,docid,rating\n,1,2\n", "line 2 has no query_id"),
        ("query,docid,rating\nq,,\n", "has no rows"),
        ("query,docid,Ann\nq,1,good\n", "line 2 has 'good' where the rating of 'Ann' belongs"),
        (SNAPSHOTS, "is a snapshot of Quepid, which is a run"),
    ],
)
def test_a_fault_in_judgments_is_named(text, words, write):
    with pytest.raises(rr.DataError) as refused:
        rr.read_qrels(write(text)).collect()
    assert words in str(refused.value)


HEADER = "Snapshot Name,Query Text,Doc ID,Doc Position\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (RATINGS, "has the columns of judgments (qrels): query, docid, rating"),
        (HEADER + "a,q,1,1\nb,q,1,1\n", "holds the results of 2 systems: a, b"),
        (HEADER + "a,q,1,first\n", "line 2 has 'first' where the score belongs"),
        (HEADER + "a,q,1,1\na,q,1,2\n", "line 3 repeats document '1'"),
        (HEADER + "a,q,,1\n", "line 2 has no doc_id"),
        (HEADER + "a,q,1,1,more\n", "line 2 has 5 fields where 4 are expected"),
        (HEADER, "has no rows. Expected snapshots"),
        (HEADER.replace("Snapshot Name", "Doc ID") + "1,q,1,1\n", "has no column for"),
    ],
)
def test_a_fault_in_snapshots_is_named(text, words, write):
    with pytest.raises(rr.DataError) as refused:
        rr.read_run(write(text)).collect()
    assert words in str(refused.value)


def test_an_export_in_another_encoding_is_refused(write):
    path = write("")
    path.write_bytes(HEADER.encode() + "a,caf\xe9,1,1\n".encode("latin-1"))
    for read in (rr.read_run, lambda path: rr.evaluate({"q": {"1": 1}}, path, "RR")):
        with pytest.raises(rr.DataError, match="is not UTF-8 text"):
            read(path)
