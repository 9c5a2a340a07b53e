"""Labelled lists in files and tables."""

from __future__ import annotations

import gzip
import io
import sys

import pandas as pd
import polars as pl
import pytest
from suggestions import suggested

import rankreport as rr

ROWS = [("7", "1", 2.0, 0.5), ("7", "2", 0.0, 0.25), ("8", "3", 1.0, -1.0)]
JSON_LINES = """
{"qid": "7", "label": 2, "score": 0.5}
{"qid": "7", "label": 0, "score": 0.25}
{"qid": "8", "label": 1, "score": -1}
"""
TEXT = "2 7 0.5\n0 7 0.25\n1 8 -1e0\n"


def rows(source, *given, **options):
    return rr.read_labelled(source, *given, **options).collect().rows()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("list.txt", TEXT),
        ("list.txt", TEXT.replace(" ", "\t")),
        ("list.txt", TEXT.replace(" ", "   ").replace("\n", "\r\n\r\n")),
        ("list.csv", TEXT),  # the content decides
        ("list.tsv", TEXT.replace(" ", "\t")),
        ("list.tsv", "label\tqid\tscore\n" + TEXT.replace(" ", "\t")),
        ("list.csv", "qid,rating,prediction\n7,2,0.5\n7,0,0.25\n8,1,-1\n"),
        ("list.jsonl", JSON_LINES),
    ],
)  # fmt: skip
@pytest.mark.parametrize("packed", [False, True])
def test_files(tmp_path, name, data, packed):
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(data.encode()) if packed else data.encode())
    assert rows(path) == ROWS


def test_a_byte_order_mark_is_no_part_of_the_first_label(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text(TEXT, encoding="utf-8-sig")
    assert rows(path) == ROWS


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert rows("-") == ROWS


TABLE = pl.DataFrame({"label": [2, 0, 1], "qid": [7, 7, 8], "score": [0.5, 0.25, -1.0]})


@pytest.mark.parametrize(
    "table", [TABLE, TABLE.lazy(), TABLE.to_pandas(), TABLE.to_arrow()], ids=lambda t: str(type(t))
)
def test_tables(table):
    assert rows(table) == ROWS


def test_documents_have_names():
    named = TABLE.with_columns(docno=pl.Series(["a", "b", "a"]))
    assert [row[1] for row in rows(named)] == ["a", "b", "a"]
    with pytest.raises(rr.DataError, match="row 2 repeats document 'a' of query '7'"):
        rows(TABLE.with_columns(docno=pl.lit("a")))
    with pytest.raises(rr.DataError, match="row 2 has no doc_id"):
        rows(TABLE.with_columns(docno=pl.Series(["a", None, "a"])))


def test_several_scores_on_a_line(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("2 7 0.5 3\n0 7 0.25 4\n")
    found = rr.read_labelled(path).collect()
    assert found.columns == ["query_id", "doc_id", "relevance", "score1", "score2"]
    assert found["score2"].to_list() == [3.0, 4.0]
    assert rr.evaluate_labelled(path).systems == ("score1", "score2")


def test_columns_of_a_table_are_named():
    table = TABLE.rename({"score": "lgbm"}).with_columns(xgb=pl.Series([1, 2, 3]))
    found = rr.read_labelled(table, ["xgb", "lgbm"]).collect()
    assert found.columns[3:] == ["xgb", "lgbm"]
    assert found["xgb"].to_list() == [1.0, 2.0, 3.0]
    assert rows(table, "lgbm") == ROWS
    with pytest.raises(rr.OptionError, match=r"Name those with scores, or give them: scores=\['"):
        rr.read_labelled(table)
    with pytest.raises(rr.DataError, match="has no column 'lgb'"):
        rr.read_labelled(table, ["xgb", "lgb"])


def test_scores_beside_a_table(tmp_path):
    for name, numbers in (("old", "0.5\n0.25\n-1\n"), ("new", " 3 \n2\r\n1\n")):
        (tmp_path / f"{name}.txt").write_text(numbers)
    table = TABLE.drop("score")
    several = rr.read_labelled(table, [str(tmp_path / "old.txt"), str(tmp_path / "new.txt")])
    assert several.collect().columns[3:] == ["old", "new"]
    assert rows(table, tmp_path / "old.txt") == ROWS
    assert rows(table, pd.Series([0.5, 0.25, -1.0])) == ROWS
    assert rows(table, {"old": tmp_path / "old.txt"}) == ROWS
    assert rows(table.drop("qid"), [0.5, 0.25, -1.0], group=[2, 1]) == [
        (str(int(row[0]) - 6), *row[1:]) for row in ROWS
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty. Expected a labelled list"),
        ("2 7\n", r"no labelled list: it begins with '2 7'"),
        ("label qid score\n2 7 0.5\n", "no labelled list: it begins with 'label qid score'"),
        ("q1 Q0 d1 1 0.5 tag\n", "no labelled list"),
        ("2 7 0.5\n1 7\n", r"line 2 has 2 fields where 3 are expected \(relevance query_id"),
        ("2 7 0.5\n1 7 0.5 9\n0 7 1 2\n", "line 2 has 4 fields.* wrong with 1 more line: 3"),
        ("2 7 0.5\n1 7 high\n", "line 2 has 'high' where the score belongs"),
        ("2 7 0.5\n1 7 nan\n", "line 2 has score nan for query '7'; a finite number"),
        ("2 7 0.5\n1 7 -inf\n", "line 2 has score -inf for query '7'; a finite number"),
        ("2 7 0.5\nx 7 0.5\n", "line 2 has 'x' where the label belongs"),
        ("301 0 FR940202-2-00150 1\n", "line 1 has 'FR940202-2-00150' where the score"),
        ("label,qid,score\n2,7,0.5\n2,,0.5\n", "line 3 has no query_id"),
        ("label,qid\n2,7\n", "has no column for score"),
        ("label,score\n2,7\n", "no column for query_id"),
    ],
)  # fmt: skip
def test_faults_name_the_line(tmp_path, text, message):
    path = tmp_path / ("list.csv" if "," in text else "list.txt")
    path.write_text(text)
    with pytest.raises(rr.RankReportError, match=message):
        rr.read_labelled(path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scores": [1, 2]}, "'run': 2 numbers, but the labelled list has 3 documents"),
        ({"scores": {"a": [1, 2, float("nan")]}}, "'a' is nan at 2, the first of 1"),
        ({"scores": {}}, "scores is empty"),
        ({"scores": [1, 2, 3], "group": [3]}, "has queries of its own, so group="),
    ],
)
def test_scores_that_do_not_fit(given, message):
    with pytest.raises(rr.RankReportError, match=message):
        rr.read_labelled(TABLE.drop("score"), **given)


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ([2, 2], "2 sizes add up to 4, but the labelled list has 3 documents"),
        ([7, 7, 8], "one entry per document, so these may be ids: give them as qid="),
        ([1.5, 1.5], "group holds 1.5 at 0"),
        ([-1, 4], "group holds -1 at 0"),
    ],
)
def test_sizes_that_do_not_fit(group, message):
    with pytest.raises(rr.DataError, match=message):
        rr.read_labelled(TABLE.drop("qid"), group=group)


def test_a_file_of_scores_with_several_fields(tmp_path):
    path = tmp_path / "ranklib.txt"  # RankLib writes: query, index, score
    path.write_text("7\t0\t0.5\n7\t1\t0.25\n8\t0\t-1\n")
    with pytest.raises(rr.DataError, match=r"line 1 has .*one score is expected.*cut -f3 FILE"):
        rr.read_labelled(TABLE.drop("score"), path)


def test_files_of_one_name(tmp_path):
    paths = [tmp_path / name / "scores.txt" for name in ("a", "b")]
    for path in paths:
        path.parent.mkdir()
        path.write_text("1\n2\n3\n")
    with pytest.raises(rr.OptionError, match="Two runs would be named 'scores'"):
        rr.read_labelled(TABLE.drop("score"), paths)


def test_a_refused_shape_says_which_are_accepted():
    with pytest.raises(rr.DataError, match=r"found list. Arrays go to evaluate_labelled\(y_true"):
        rr.read_labelled([2, 0, 1])


# --- fields in another order ----------------------------------------------------------------------


def lines(n_queries=6, n_documents=5, order="{label} {qid} {score}"):
    return "".join(
        order.format(label=(q + d) % 3, qid=q + 10, score=(7 * q + 3 * d) % 11 / 16, doc=d + 50)
        + "\n"
        for q in range(n_queries)
        for d in range(n_documents)
    )


@pytest.mark.parametrize(
    ("order", "n_queries", "message"),
    [
        ("{qid} {label} {score}", 6, "6 labels and 3 queries"),
        ("{qid} {label} {score} {score}", 6, "6 labels and 3 queries"),
        ("{qid} {label} {score}", 4, "4 labels and 3 queries"),
        ("{qid} 0 {doc} {label}", 6, "1 queries, such as '0'"),
        ("{qid} 0 {doc} {label}", 1, "1 queries, such as '0'"),
        ("{qid} {doc}{qid} {label}", 6, "30 queries.* on 30 lines"),
        ("{label} 1{doc}{qid} {qid}", 6, "30 queries.* on 30 lines"),
        ("{qid} {doc}{qid} {score}", 12, "60 queries.* on 60 lines"),
        ("{label} {score}{doc}{qid} {qid}", 6, "expected 'label qid score'"),
        ("{label} {score}{doc}{qid}e-1 {qid}", 1, "expected 'label qid score'"),
    ],
)
def test_fields_in_another_order(tmp_path, order, n_queries, message):
    path = tmp_path / "list.txt"
    path.write_text(lines(n_queries, order=order))
    with pytest.raises(rr.DataError, match=message):
        rr.read_labelled(path)


@pytest.mark.parametrize(
    "text",
    [
        lines(),
        lines(1),
        lines(1, order="{label} {qid} {score} {score}"),
        lines(1, order="{label} {qid} {doc}.5 {doc}"),
        lines(order="{label} 66.{qid} {score}"),  # as in TREC's question answering
        "".join(sorted(lines().splitlines(keepends=True))),  # by label
        "".join(reversed(lines(30, 5).splitlines(keepends=True))),
        lines(8, 1),
        lines(40, 1),
    ],
)
def test_fields_in_order(tmp_path, text):
    path = tmp_path / "list.txt"
    path.write_text(text)
    assert len(rr.read_labelled(path).collect()) == len(text.splitlines())


def test_a_header_says_what_fields_are(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("label,qid,score\n" + lines(order="{qid},{label},{score}"))
    assert len(rows(path)) == 30


def test_one_json_value_is_no_labelled_list(tmp_path):
    path = tmp_path / "list.json"
    path.write_text('[{"label": 1, "qid": 7, "score": 0.5}]')
    with pytest.raises(rr.DataError, match=r"is one JSON value\. Expected a labelled list"):
        rr.read_labelled(path)


LISTS = pl.DataFrame(
    {
        "query": ["q"] * 4,
        "doc": ["a", "b", "b", "a"],
        "label": [1, 0, 0, 1],
        "score": [0.9, 0.8, 0.9, 0.8],
        "model": ["old", "old", "new", "new"],
    }
)


def test_the_lists_of_several_systems_are_not_read_as_one(tmp_path):
    with pytest.raises(
        rr.DataError, match="has the lists of 2 systems, by its column 'model'"
    ) as e:
        rr.evaluate_labelled(LISTS, measures="RR")
    line = suggested(str(e.value), "rr.evaluate")
    found = eval(line, {"rr": rr, "frame": LISTS}).per_query()
    assert dict(found.select("system", "RR@10").rows()) == {"old": 1.0, "new": 0.5}

    LISTS.drop("doc").write_csv(tmp_path / "list.csv")
    with pytest.raises(rr.DataError, match="lists of 2 systems") as e:
        rr.evaluate_labelled(tmp_path / "list.csv", measures="RR")
    line = suggested(str(e.value), "frame.filter")
    one = eval(line, {"pl": pl, "frame": LISTS})
    assert rr.evaluate_labelled(one, measures="RR").summary()["RR"].item() == 0.5


@pytest.mark.parametrize(
    "models", [["old"] * 4, ["old", None, None, "old"], ["w", "x", "y", "z"]], ids=str
)
def test_a_column_that_does_not_name_systems_in_a_labelled_list(models):
    """Of one query with two documents each: as many models as cars, or one."""
    lists = LISTS.with_columns(model=pl.Series(models), query=pl.Series(["q", "q", "r", "r"]))
    assert rr.evaluate_labelled(lists, measures="RR").summary()["RR"].item() == 0.75
