"""CSV by RFC 4180, TSV without quoting; every line becomes a row or is reported."""

from __future__ import annotations

import csv
import gzip
import io
import time

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankreport as rr


def write(folder, name, text):
    data = text if isinstance(text, bytes) else text.encode()
    (folder / name).write_bytes(data)
    return folder / name


def refusal(read, path):
    with pytest.raises(rr.DataError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def ids(path):
    return rr.read_qrels(path).collect()["doc_id"].to_list()


# --- TSV ------------------------------------------------------------------------------------------


def test_a_mark_in_tsv_is_a_character(tmp_path):
    text = 'qid\tdocno\trel\n1\t"d1\t1\n1\td2\t0\n1\td"3"\t1\n1\td4"\t0\n1\t"d5"\t1\n'
    assert ids(write(tmp_path, "q.tsv", text)) == ['"d1', "d2", 'd"3"', 'd4"', '"d5"']


def test_texts_of_queries_in_tsv_keep_their_marks(tmp_path):
    read = rr.read_queries(
        write(tmp_path, "q.tsv", 'qid\ttext\n1\t"free jazz"\n2\t5" pipe\n3\tc\n')
    )
    assert read["text"].to_list() == ['"free jazz"', '5" pipe', "c"]


@pytest.mark.parametrize("names", ["query-id\tcorpus-id\tscore", "query_id\tCorpus_ID\tscore"])
def test_judgments_of_beir_are_minimally_quoted(names, tmp_path):
    made = io.StringIO()
    rows = [["1", 'a "b"', 1], ["1", '"', 2], ["1", "c", 0]]
    csv.writer(made, delimiter="\t", lineterminator="\n").writerows(rows)
    path = write(tmp_path, "test.tsv", f"{names}\n{made.getvalue()}")
    read = rr.read_run(path).collect()
    assert read["doc_id"].to_list() == ['a "b"', '"', "c"]


# --- CSV ------------------------------------------------------------------------------------------

TEXTS = st.text(st.sampled_from('a",\t" é中;'), max_size=6)


@given(rows=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8), packed=st.booleans())
def test_csv_gives_back_what_csv_wrote(rows, packed, tmp_path):
    made = io.StringIO()
    writer = csv.writer(made)
    writer.writerow(["qid", "text", "more,of", "it"])
    writer.writerows([[f"q{i}", one, two, "x"] for i, (one, two) in enumerate(rows)])
    data = made.getvalue().encode()
    path = write(tmp_path, "q.csv", gzip.compress(data) if packed else data)
    read = rr.read_queries(path)
    assert read["query_id"].to_list() == [f"q{i}" for i in range(len(rows))]
    assert read["text"].to_list() == [one or None for one, _ in rows]
    assert read["more,of"].to_list() == [two or None for _, two in rows]


def test_a_field_may_hold_line_breaks_and_what_follows_keeps_its_line(tmp_path):
    text = 'qid,text\n1,"a\nb"\n\n2,"c ""d"", e"\n,"no id"\n'
    message = refusal(rr.read_queries, write(tmp_path, "q.csv", text))
    assert "line 6 has no query_id" in message
    read = rr.read_queries(write(tmp_path, "q.csv", text.rsplit(",", 1)[0].rstrip(",") + "\n"))
    assert read["text"].to_list() == ["a\nb", 'c "d", e']


FAULTS = {
    "behind a mark": ('1,d1,1\n1,"d"2,2\n', ["line 3 is no record of CSV", "expected after"]),
    "never closed": ('1,d1,1\n1,"d2,2\n1,d3,1\n', ["line 3 is no record of CSV", "unexpected end"]),
    "a break in an id": ('1,"d1,1\n1,d2",2\n', ["line 2", "line break", "doc_id"]),
    "a break in a query": ('"1\n2",d1,1\n', ["line 2", "line break", "query_id"]),
    "too many fields": ("1,d1,1\n1,d2,1,9\n", ["line 3 has 4 fields where 3 are expected"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_csv_name_the_line(fault, tmp_path):
    text, words = FAULTS[fault]
    message = refusal(rr.read_qrels, write(tmp_path, "q.csv", "qid,docno,rel\n" + text))
    for word in words:
        assert word in message


def test_a_mark_within_a_field_is_a_character(tmp_path):
    text = 'qid,docno,rel\n1,d"1,1\n1,d"2,2\n1,5" pipe,0\n'
    assert ids(write(tmp_path, "q.csv", text)) == ['d"1', 'd"2', '5" pipe']


def test_a_line_with_more_fields_is_refused_behind_columns_that_nobody_wants(tmp_path):
    text = "qid,note,docno,rel\n1,hello, world,1\n1,hello, world,d2,1\n"
    message = refusal(rr.read_qrels, write(tmp_path, "q.csv", text))
    assert "line 3 has 5 fields where 4 are expected" in message


def test_lines_of_separators_alone_are_blank_and_others_are_not(tmp_path):
    text = "\n\nqid,docno,rel,note\n1,d1,1,\n,,,\n \n\n1,d2,0,\n"
    assert ids(write(tmp_path, "q.csv", text)) == ["d1", "d2"]
    message = refusal(rr.read_qrels, write(tmp_path, "q.csv", text + ",,,a note\n"))
    assert "line 9 has no query_id" in message


def test_a_short_line_lacks_its_last_values(tmp_path):
    text = "qid,docno,rel,note,more\n1,d1,1\n1,d2,0,a,b\n"
    assert ids(write(tmp_path, "q.csv", text)) == ["d1", "d2"]


def test_a_row_in_the_line_of_the_header_is_not_lost(tmp_path):
    path = write(tmp_path, "q.csv", "qid,docno,rel,1,d1,1\n1,d2,0\n1,d3,1\n")
    message = refusal(rr.read_qrels, path)
    assert "line 1 has 6 fields, and no other line has more than 3" in message


# --- many columns ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "separator"), [("q.csv", ","), ("q.tsv", "\t"), ("q.csv.gz", ",")]
)
def test_columns_that_nobody_wants_cost_little(name, separator, tmp_path):
    """They took ten minutes at 5,000 columns, and 18 seconds at 1,000."""
    n_columns, n_rows = 5000, 1000
    more = separator + separator.join(["0.5"] * n_columns)
    names = separator.join(["qid", "docno", "rel", *(f"x{i}" for i in range(n_columns))])
    lines = [names, *(f"q{i}{separator}d{separator}1{more}" for i in range(n_rows))]
    data = ("\n".join(lines) + "\n").encode()
    path = write(tmp_path, name, gzip.compress(data, 1) if name.endswith("gz") else data)
    began = time.process_time()
    read = rr.read_qrels(path).collect()
    assert read.height == n_rows
    assert time.process_time() - began < 2


def test_repeated_names_do_not_matter_where_nobody_wants_them(tmp_path):
    path = write(tmp_path, "q.csv", "qid,docno,rel,x,x,,\n1,d1,1,2,3,4,5\n")
    assert rr.read_qrels(path).collect().rows() == [("1", "d1", 1.0)]
    assert rr.read_queries(write(tmp_path, "t.csv", "qid,x,x\n1,2,3\n")).row(0) == ("1", "2", "3")


def test_names_that_look_like_numbers_stay_as_they_are(tmp_path):
    path = write(tmp_path, "q.tsv", "qid\ttext\n007\t1e3\n")
    assert rr.read_queries(path).equals(pl.DataFrame({"query_id": ["007"], "text": ["1e3"]}))


def test_columns_that_semicolons_separate_are_listed_where_no_name_is_known(tmp_path):
    path = tmp_path / "urteile.csv"
    path.write_text("Suchanfrage;Ergebnis;Relevanz\nq1;d1;1\nq1;d2;0\n", encoding="utf-8")
    with pytest.raises(rr.DataError, match="Its columns: Suchanfrage, Ergebnis, Relevanz"):
        rr.read_qrels(path).collect()
    path.write_text("query;doc;relevance\nq1;d1;1\nq1;d2;0\n", encoding="utf-8")
    assert rr.evaluate(path, {"q1": ["d2", "d1"]}, "RR")["RR"].to_list() == [0.5]
