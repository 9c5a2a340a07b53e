"""Text without a header, as MS MARCO ships it: read where it is sure what the fields are."""

from __future__ import annotations

import gzip

import polars as pl
import pytest

import rankreport as rr
from rankreport.io.formats.headerless import checked_columns

RANKED = "1\td9\t1\n1\td8\t2\n2\td9\t1\n"
SCORED = "1\td9\t12.5\n1\td8\t11\n2\td9\t0.5\n"
DISTANCES = "1\td9\t0.1\n1\td8\t0.2\n2\td9\t0.1\n"


def stored(tmp_path, text, name="run.tsv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("name", ["run.tsv", "run.txt", "run"])
@pytest.mark.parametrize(
    "form",
    [
        lambda text: text,
        lambda text: text.replace("\t", " "),
        lambda text: text.replace("\t", "  "),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: f"\n{text}\n\n".replace("\n2", "\n\n2"),
        lambda text: text.rstrip("\n"),
    ],
)
def test_ranks_and_scores_are_told_by_their_order(form, name, tmp_path):
    ranked = rr.read_run(stored(tmp_path, form(RANKED), name)).collect()
    assert ranked.rows() == [("1", "d9", -1, 1), ("1", "d8", -2, 2), ("2", "d9", -1, 1)]
    scored = rr.read_run(stored(tmp_path, form(SCORED), name)).collect()
    assert scored.rows() == [("1", "d9", 12.5), ("1", "d8", 11.0), ("2", "d9", 0.5)]


def test_compressed_text_is_the_same(tmp_path):
    path = stored(tmp_path, gzip.compress(RANKED.encode()), "run.tsv.gz")
    assert rr.read_run(path).collect()["rank"].to_list() == [1, 2, 1]


@pytest.mark.parametrize("text", [DISTANCES, "1\td9\t5\n", "1\td9\t1\n1\td8\t3\n1\td7\t2\n"])
def test_what_may_be_either_is_refused(text, tmp_path):
    path = stored(tmp_path, text)
    with pytest.raises(rr.DataError) as caught:
        rr.read_run(path)
    for word in [str(path), "score or a rank", "--columns qid,doc,score", "columns=["]:
        assert word in str(caught.value)
    named = rr.read_run(path, columns=["qid", "doc", "score"]).collect()
    assert named.columns == ["query_id", "doc_id", "score"]
    assert rr.evaluate({"1": {"d9": 1}}, path, "RR", columns="qid,doc,score").systems == ("run",)


def test_columns_may_be_in_any_order_and_left_out(tmp_path):
    path = stored(tmp_path, "0.5,x,d1,q1\n0.25,y,d2,q1\n", "run.csv")
    rows = rr.read_run(path, columns="score,_,docno,qid").collect().rows()
    assert rows == [("q1", "d1", 0.5), ("q1", "d2", 0.25)]
    trec = stored(tmp_path, "q1 Q0 d1 1 0.5 t\n", "run.txt")
    named = rr.read_run(trec, columns="qid,_,doc,rank,_,_").collect()
    assert named["score"].to_list() == [-1.0]


def test_three_fields_of_judgments_end_in_a_grade(tmp_path):
    path = stored(tmp_path, "q1\td1\t1\nq1\td2\t0\n", "qrels.tsv")
    assert rr.read_qrels(path).collect().rows() == [("q1", "d1", 1.0), ("q1", "d2", 0.0)]
    ranks = stored(tmp_path, "".join(f"q1\td{i}\t{i}\n" for i in range(1, 9)), "qrels.tsv")
    with pytest.raises(rr.DataError, match="looks like a run: its third fields are 1, 2, 3"):
        rr.read_qrels(ranks)


def test_queries_are_an_id_and_a_text(tmp_path):
    path = stored(tmp_path, '1\twhat is "jazz"\n2\twho, where\n', "queries.tsv")
    assert rr.read_queries(path).rows() == [("1", 'what is "jazz"'), ("2", "who, where")]
    other = stored(tmp_path, "what is jazz\t1\n", "other.tsv")
    with pytest.raises(rr.DataError, match=r"has no header.*columns=\['qid', 'text'\]"):
        rr.read_queries(other)
    assert rr.read_queries(other, columns="text,qid").rows() == [("1", "what is jazz")]


FAULTS = {
    "a short line": (RANKED + "3\td1\n", None, ["line 4 has 2 fields where 3 are", "no header"]),
    "a long line": (RANKED + "3\td1\t1\tx\n", None, ["line 4 has 4 fields"]),
    "a word": (RANKED + "3\td1\tx\n", None, ["line 4 has 'x' where the score"]),
    "no document": (RANKED + "3\t\t1\n", None, ["line 4 has no doc_id"]),
    "twice": (SCORED + "2\td9\t0.25\n", None, ["line 4 repeats document 'd9' of query '2'"]),
    "a header": ("qid\tdoc\tscore\n1\td9\t2\n", "qid,doc,score", ["has a header: qid, doc, score"]),
    "too few names": (RANKED, "qid,doc", ["no column for score"]),
    "too many names": (RANKED, "qid,doc,score,rank", ["line 1 has 3 fields where 4 are expected"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_name_the_line(fault, tmp_path):
    text, columns, words = FAULTS[fault]
    path = stored(tmp_path, text)
    with pytest.raises(rr.DataError) as caught:
        rr.read_run(path, columns=columns)
    for word in [str(path), *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("qid,doc,scor", "'scor' is no name of a column. Did you mean 'score'"),
        ("qid,qid,score", "'qid' twice"),
        ("_,-", "columns is empty"),
        ([], "columns is empty"),
    ],
)
def test_wrong_names_are_refused(columns, words):
    with pytest.raises(rr.OptionError, match=words):
        checked_columns(columns)


def test_what_names_its_columns_takes_no_names(tmp_path):
    path = tmp_path / "run.parquet"
    pl.DataFrame({"qid": ["1"], "doc": ["d"], "score": [1.0]}).write_parquet(path)
    with pytest.raises(rr.DataError, match="names its columns, being parquet"):
        rr.read_run(path, columns="qid,doc,score")
    with pytest.raises(rr.OptionError, match="found DataFrame"):
        rr.read_run(pl.read_parquet(path), columns="qid,doc,score")
