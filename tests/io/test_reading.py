from __future__ import annotations

import gzip
import io
import json
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from drawn import collections
from hypothesis import given, settings
from hypothesis import strategies as st

import rankreport as rr
from rankreport.io import QRELS as QRELS_LAYOUT
from rankreport.io import RUN as RUN_LAYOUT
from rankreport.io import RowFaults, open_source
from rankreport.io.reading import pairs_of

MEASURES = ["nDCG", "AP", "RR@2", "P@3", "NumRet", "Judged", "ERR"]
QRELS = ["query_id", "doc_id", "relevance"]
RUN = ["query_id", "doc_id", "score"]
SUBTOPIC_QRELS = ["query_id", "subtopic", "doc_id", "relevance"]


def scores(qrels, run):
    return rr.evaluate(qrels, {"mine": run}, MEASURES).scores


KNOWN = {}
"""Scores of mappings, which each form of them is held against."""


def expected(qrels, run):
    key = repr((qrels, run))
    if key not in KNOWN:
        KNOWN[key] = scores(qrels, run)
    return KNOWN[key]


def rows_of(nested):
    return [(q, d, value) for q, row in nested.items() for d, value in row.items()]


# --- the forms an input may have, each written from the same rows ---------------------------------


def trec(rows, columns, gap=" ", end="\n"):
    """Write TREC text; the ranks are nonsense on purpose, since scores alone decide."""
    if columns == RUN:
        fields = [[q, "Q0", d, "7", repr(v), "tag"] for q, d, v in rows]
    elif columns == SUBTOPIC_QRELS:
        fields = [[q, s, d, repr(v)] for q, s, d, v in rows]
    else:
        fields = [[q, "0", d, repr(v)] for q, d, v in rows]
    return "".join(gap.join(line) + end for line in fields).encode()


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def table(rows, columns):
    return pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)


def stored(write):
    """Turn a function to bytes into one to a file's name."""

    def form(rows, columns, folder, ending):
        path = Path(folder) / f"{'run' if columns == RUN else 'qrels'}{ending}"
        path.write_bytes(write(rows, columns))
        return path

    return form


def parquet(rows, columns):
    file = io.BytesIO()
    table(rows, columns).write_parquet(file)
    return file.getvalue()


def csv(separator, names):
    def write(rows, columns):
        named = table(rows, columns).rename(names, strict=False)
        quoting = "never" if separator == "\t" else "necessary"  # TSV has no quoting
        return named.write_csv(separator=separator, quote_style=quoting).encode()

    return write


def jsonl(rows, columns):
    return table(rows, columns).write_ndjson().encode()


ALIASED = {
    "query_id": "QID",
    "doc_id": "docno",
    "relevance": "Label",
    "score": "sim",
    "subtopic": "Intent",
}
LAST_FIRST = {
    "query_id": "topic",
    "doc_id": "item-id",
    "relevance": "rating",
    "score": "Prediction",
    "subtopic": "aspect",
}

FILES = {
    "spaces": (".txt", trec),
    "tabs": (".txt", lambda r, c: trec(r, c, "\t")),
    "runs of white space": (".txt", lambda r, c: trec(r, c, " \t  ", "  \n\n")),
    "indented": (".txt", lambda r, c: b"\n" + trec(r, c).replace(b"\n", b"\n ").strip(b" ")),
    "no line feed at the end": (".txt", lambda r, c: trec(r, c).removesuffix(b"\n")),
    "CRLF": (".txt", lambda r, c: trec(r, c, end="\r\n")),
    "CRLF and runs": (".txt", lambda r, c: trec(r, c, "  ", "\r\n")),
    "byte-order mark": (".txt", lambda r, c: b"\xef\xbb\xbf" + trec(r, c)),
    "byte-order mark and runs": (".txt", lambda r, c: b"\xef\xbb\xbf" + trec(r, c, "  ")),
    "gzip": (".txt.gz", lambda r, c: gzip.compress(trec(r, c))),
    "gzip, no ending": ("", lambda r, c: gzip.compress(trec(r, c, "\t"))),
    "zstd": (".txt.zst", lambda r, c: zstd(trec(r, c))),
    "csv": (".csv", csv(",", ALIASED)),
    "csv, no ending": ("", csv(",", LAST_FIRST)),
    "csv with a byte-order mark": (".csv", lambda r, c: b"\xef\xbb\xbf" + csv(",", {})(r, c)),
    "csv with blank lines": (".csv", lambda r, c: csv(",", {})(r, c).replace(b"\n", b"\n\n")),
    "tsv": (".tsv", csv("\t", LAST_FIRST)),
    "csv, gzip": (".csv.gz", lambda r, c: gzip.compress(csv(",", ALIASED)(r, c))),
    "parquet": (".parquet", parquet),
    "json lines": (".jsonl", jsonl),
    "json lines, zstd": (".jsonl.zst", lambda r, c: zstd(jsonl(r, c))),
    "a name like a pattern": ("[1]*.txt", trec),
    "json lines, a name like a pattern": ("[1].jsonl", jsonl),
}
TABLES = {
    "polars": table,
    "polars, lazy": lambda r, c: table(r, c).lazy(),
    "polars, categories": lambda r, c: table(r, c).cast({pl.String: pl.Categorical}),
    "polars, 32 bit": lambda r, c: table(r, c).cast({pl.Int64: pl.Int8}),
    "pandas": lambda r, c: table(r, c).to_pandas(),
    "pyarrow": lambda r, c: table(r, c).to_arrow(),
    "duckdb": lambda r, c: duckdb.from_arrow(table(r, c).to_arrow()),
    "renamed and with more columns": lambda r, c: (
        table(r, c).rename(ALIASED, strict=False).with_columns(pl.lit(1).alias("other"))
    ),
}


@pytest.mark.parametrize("form", FILES)
@given(collection=collections())
@settings(max_examples=4)
def test_every_kind_of_file_gives_the_scores_of_a_dict(form, collection):
    qrels, run = collection
    ending, write = FILES[form]
    with tempfile.TemporaryDirectory() as folder:
        files = [
            stored(write)(rows_of(nested), columns, folder, ending)
            for nested, columns in ((qrels, QRELS), (run, RUN))
        ]
        assert scores(*files).equals(expected(qrels, run))


@pytest.mark.parametrize("form", TABLES)
@given(collection=collections())
@settings(max_examples=4)
def test_every_kind_of_table_gives_the_scores_of_a_dict(form, collection):
    qrels, run = collection
    make = TABLES[form]
    tables = make(rows_of(qrels), QRELS), make(rows_of(run), RUN)
    assert scores(*tables).equals(expected(qrels, run))


@pytest.mark.parametrize("form", FILES)
@given(collection=collections())
@settings(max_examples=2)
def test_standard_input_gives_the_scores_of_a_dict(form, collection):
    qrels, run = collection
    stdin = SimpleNamespace(buffer=io.BytesIO(FILES[form][1](rows_of(run), RUN)))
    with mock.patch.object(sys, "stdin", stdin):
        assert scores(qrels, "-").equals(expected(qrels, run))


@given(collection=collections(names=st.integers(0, 99)))
def test_integers_name_what_their_digits_name(collection):
    qrels, run = collection
    as_tables = table(rows_of(qrels), QRELS), table(rows_of(run), RUN).to_pandas()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        path.write_bytes(trec([(str(q), str(d), s) for q, d, s in rows_of(run)], RUN))
        expected = scores(as_tables[0].cast({"query_id": pl.String, "doc_id": pl.String}), path)
    assert scores(*as_tables).equals(expected)
    assert scores(qrels, run).equals(expected)


@given(collection=collections())
def test_reading_gives_back_the_rows_in_their_order(collection):
    qrels, run = collection
    with tempfile.TemporaryDirectory() as folder:
        path = stored(trec)(rows_of(run), RUN, folder, "")
        read = rr.read_run(path).collect()
        assert read.select(RUN).rows() == rows_of(run)
        assert set(read["rank"]) == {7}
    assert rr.read_qrels(qrels).collect().rows() == rows_of(qrels)
    assert rr.read_run(run).collect_schema() == dict.fromkeys(RUN[:2], pl.String) | {
        "score": pl.Float64
    }


def test_names_that_look_like_numbers_stay_as_they_are(tmp_path):
    file = tmp_path / "qrels.csv"
    file.write_text("qid,doc,rel\n007,1e3,1\n7,1000,2\n")
    assert rr.read_qrels(file).collect().rows() == [("007", "1e3", 1.0), ("7", "1000", 2.0)]


def test_numbers_may_be_written_in_any_usual_way(tmp_path):
    file = tmp_path / "run"
    written = ["+1.5", ".5", "5.", "1E-3", "-0", "12", "-1e+2"]
    file.write_text("".join(f"q Q0 d{i} 1 {s} t\n" for i, s in enumerate(written)))
    assert rr.read_run(file).collect()["score"].to_list() == [1.5, 0.5, 5, 1e-3, 0, 12, -100]


# --- judgments of subtopics -----------------------------------------------------------------------

ABOUT = [("q1", "1", "d1", 1), ("q1", "2", "d1", 0), ("q1", "1", "d2", 2), ("7", "x", "d1", -1)]


def of_subtopics(read):
    return read.collect().rows()


@pytest.mark.parametrize("form", FILES)
def test_every_kind_of_file_gives_the_judgments_of_subtopics(form, tmp_path):
    ending, write = FILES[form]
    path = stored(write)(ABOUT, SUBTOPIC_QRELS, tmp_path, ending)
    assert of_subtopics(rr.read_qrels(path, subtopics=True)) == ABOUT


@pytest.mark.parametrize("form", TABLES)
def test_every_kind_of_table_gives_the_judgments_of_subtopics(form):
    read = rr.read_qrels(TABLES[form](ABOUT, SUBTOPIC_QRELS), subtopics=True)
    assert of_subtopics(read) == ABOUT
    assert read.collect_schema() == {
        **dict.fromkeys(SUBTOPIC_QRELS[:3], pl.String),
        "relevance": pl.Float64,
    }


def test_mappings_give_the_judgments_of_subtopics():
    nested = {"q1": {"d1": {"1": 1, 2: 0}, "d2": {"1": 2}}, 7: {"d1": {"x": -1}, "d2": {}}}
    assert of_subtopics(rr.read_qrels(nested, subtopics=True)) == ABOUT


def test_without_the_option_a_second_field_is_ignored(tmp_path):
    (tmp_path / "qrels").write_bytes(trec([*ABOUT[:1], *ABOUT[2:]], SUBTOPIC_QRELS))
    expected = [("q1", "d1", 1), ("q1", "d2", 2), ("7", "d1", -1)]
    assert rr.read_qrels(tmp_path / "qrels").collect().rows() == expected


FAULTY_SUBTOPICS = {
    "judged twice": (
        b"1 a d1 1\n1 b d1 1\n2 a d1 1\n1 b d1 2\n",
        ["line 4", "'d1' of query '1' for subtopic 'b'", "line 2 already, with grades 1 and 2."],
    ),
    "a short line": (b"1 a d1 1\n1 d2 1\n", ["line 2", "3 fields", "query_id subtopic doc_id"]),
    "a word for a grade": (b"1 a d1 yes\n", ["line 1", "'yes' where the grade"]),
    "a run": (b"1 Q0 d1 1 2.5 tag\n", ["looks like a run", "judgments of subtopics"]),
    "no column": (
        b"qid,docno,rel\n1,d,1\n",
        ["no column for subtopic (or subtopic_id, intent, aspect)"],
    ),
    "no subtopic": (b"qid,subtopic,docno,rel\n1,,d,1\n", ["line 2 has no subtopic"]),
    "columns of a run": (b"qid,docno,rank,score\n1,d,1,1\n", ["columns of a run", "swapped?"]),
}


@pytest.mark.parametrize("fault", FAULTY_SUBTOPICS)
def test_what_is_wrong_with_judgments_of_subtopics_is_named(fault, tmp_path):
    data, words = FAULTY_SUBTOPICS[fault]
    message = refusal(lambda given: rr.read_qrels(given, subtopics=True), data, tmp_path)
    for word in [str(tmp_path / "input.txt"), *words]:
        assert word in message


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"q": {"d": 1}}, ["{query: {document: {subtopic: grade}}}", "int for 'q', 'd'"]),
        ({"q": 1}, ["{query: {document: {subtopic: grade}}}", "int for 'q'"]),
        ({"q": {"d": {"s": "x"}}}, ["query 'q', document 'd', subtopic 's' has 'x' where"]),
        ({"q": {"d": {}}}, ["has no rows", "judgments of subtopics"]),
        ({"q": {"d": {"\ud800": 1}}}, ["not valid Unicode"]),
        (5, ["Accepted:\n  a path\n", "{query: {document: {subtopic: grade}}}", "found int"]),
        (
            pl.DataFrame({"qid": ["1"], "subtopic": [0.5], "doc": ["d"], "rel": [1]}),
            ["row 1 has 0.5 for subtopic", "whole numbers"],
        ),
    ],
)
def test_what_is_wrong_with_subtopics_in_memory_is_named(given, words):
    message = refusal(lambda given: rr.read_qrels(given, subtopics=True), given)
    for word in words:
        assert word in message


def test_judgments_that_only_their_second_field_tells_apart_may_be_of_subtopics(tmp_path):
    data = b"1 1 d1 1\n1 2 d1 0\n"
    message = refusal(rr.read_qrels, data, tmp_path)
    assert "grades 1 and 0; they differ in the second field (1, 2)" in message
    assert "--subtopics" in message
    assert "second field" not in refusal(rr.read_qrels, b"1 1 d1 1\n1 1 d1 1\n", tmp_path)
    assert "second field" not in refusal(rr.read_run, b"1 1 d 1 1 t\n1 2 d 1 1 t\n", tmp_path)


# --- what is refused, and how ---------------------------------------------------------------------

RUN_LINE = b"1 Q0 d1 1 2.5 tag\n"
QRELS_LINE = b"1 0 d1 1\n"


def refusal(read, given, folder=None, name="input.txt"):
    if isinstance(given, bytes):
        path = Path(folder) / name
        path.write_bytes(given)
        given = path
    with pytest.raises(rr.DataError) as caught:
        read(given)
    return str(caught.value)


FAULTY_RUNS = {
    "a short first line": (b"1 Q0 d1\n" + RUN_LINE, ["line 1", "3 fields", "6", "'1 Q0 d1'"]),
    "a short later line": (RUN_LINE + b"1 Q0 d2 2 1\n", ["line 2", "5 fields", "1 Q0 d2 2 1"]),
    "a short line behind a space": (RUN_LINE + b" 1 Q0 d2 2 1\n", ["line 2", "5 fields"]),
    "a short line with two spaces": (RUN_LINE + b"1 Q0  d2 2 1\n", ["line 2", "5 fields"]),
    "a long first line": (b"1 Q0 d1 1 2 x y\n", ["line 1", "7 fields", "1 Q0 d1 1 2 x y"]),
    "a long later line": (RUN_LINE + b"1 Q0 d2 1 2 x y\n", ["line 2", "7 fields"]),
    "lines counted as an editor does": (b"\n\n" + RUN_LINE + b"\n1 Q0\n", ["line 5", "2 fields"]),
    "one more like it": (RUN_LINE + b"1 Q0\n1 Q0\n", ["line 2", "1 more line: 3"]),
    "seven more like it": (
        RUN_LINE + b"a b\n" * 8,
        ["line 2", "7 more lines: 3, 4, 5, 6, 7, and 2 more."],
    ),
    "a word for a score": (
        RUN_LINE + b"1 Q0 d2 2 high t\n1 Q0 d3 3 low t\n",
        ["line 2", "'high' where the score belongs", "1 more line: 3"],
    ),
    "a decimal comma": (b"1 Q0 d1 1 2,5 t\n", ["line 1", "'2,5' where the score belongs"]),
    "not a number": (
        RUN_LINE + b"1 Q0 d2 2 NaN t\n",
        ["line 2", "NaN", "'d2' of query '1'", "finite"],
    ),
    "infinity": (RUN_LINE + b"1 Q0 d2 2 -inf t\n", ["line 2", "-inf", "'d2' of query '1'"]),
    "more than a double holds": (RUN_LINE + b"1 Q0 d2 2 1e999 t\n", ["line 2", "1e999"]),
    "a document twice": (
        RUN_LINE + b"2 Q0 d1 1 2 t\n1 Q0 d1 2 2.5 t\n1 Q0 d1 3 2 t\n",
        ["line 3", "'d1' of query '1'", "line 1 already", "1 more line: 4"],
    ),
    "judgments": (QRELS_LINE, ["looks like judgments", "4 fields", "swapped?"]),
    "nothing": (b"", ["is empty", "Expected a run"]),
    "blanks": (b" \n\t\n\r\n", ["is empty", "Expected a run"]),
    "nothing, compressed": (gzip.compress(b""), ["is empty"]),
    "an image": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", ["is binary", "gzip or zstd"]),
    "half a gzip file": (
        gzip.compress(b"".join(b"1 Q0 d%d 1 2 t\n" % i for i in range(99)))[:-90],
        ["cannot be decompressed"],
    ),
    "no zstd file": (b"\x28\xb5\x2f\xfdnonsense", ["cannot be decompressed"]),
    "Latin-1": (RUN_LINE + "1 Q0 d\xe9 1 2 t\n".encode("latin-1"), ["not UTF-8", "iconv"]),
}


@pytest.mark.parametrize("fault", FAULTY_RUNS)
def test_what_is_wrong_with_a_run_is_named(fault, tmp_path):
    data, words = FAULTY_RUNS[fault]
    message = refusal(rr.read_run, data, tmp_path)
    for word in [str(tmp_path / "input.txt"), *words]:
        assert word in message


@pytest.mark.parametrize("fault", FAULTY_RUNS)
def test_an_evaluation_refuses_a_run_with_the_words_of_read_run(fault, tmp_path):
    message = refusal(rr.read_run, FAULTY_RUNS[fault][0], tmp_path)
    with pytest.raises(rr.DataError) as caught:
        _ = rr.evaluate({"1": {"d1": 1}}, {"mine": tmp_path / "input.txt"}).scores
    assert str(caught.value) == message


def test_a_gzip_file_cut_far_down_is_refused(tmp_path):
    lines = b"".join(b"1 Q0 d%d 1 %d.37 t\n" % (i, i * 7919 % 99991) for i in range(60_000))
    message = refusal(rr.read_run, gzip.compress(lines)[:-1000], tmp_path)
    assert "cannot be read to its end" in message
    assert "input.txt" in message


FAULTY_QRELS = {
    "judged twice alike": (QRELS_LINE * 2, ["line 2", "'d1' of query '1'", "line 1 already."]),
    "judged twice otherwise": (
        QRELS_LINE + b"2 0 d1 1\n1 0 d1 2\n",
        ["line 3", "'d1' of query '1'", "line 1 already, with grades 1 and 2"],
    ),
    "a long later line": (QRELS_LINE + b"1 0 d2 1 5\n", ["line 2", "5 fields", "1 0 d2 1 5"]),
    "a short line behind a space": (QRELS_LINE + b" 1 0 d2\n", ["line 2", "3 fields"]),
    "a word for a grade": (QRELS_LINE + b"1 0 d2 yes\n", ["line 2", "'yes' where the grade"]),
    "a run": (RUN_LINE, ["looks like a run", "6 fields", "swapped?"]),
    "Latin-1": (QRELS_LINE + b"1 0 d\xe9 1\n", ["not UTF-8"]),
}


@pytest.mark.parametrize("fault", FAULTY_QRELS)
def test_what_is_wrong_with_judgments_is_named(fault, tmp_path):
    data, words = FAULTY_QRELS[fault]
    message = refusal(rr.read_qrels, data, tmp_path)
    for word in [str(tmp_path / "input.txt"), *words]:
        assert word in message


FAULTY_TABLES = {
    "no column for the score": ("run.csv", b"qid,docno\n1,d\n", ["score (or sim", "qid, docno"]),
    "columns of judgments": ("run.csv", b"qid,docno,label\n1,d,1\n", ["judgments", "swapped?"]),
    "a header alone": ("run.csv", b"qid,docno,score\n", ["has no rows"]),
    "a word": ("run.csv", b"qid,docno,score\n1,d,1\n1,e,x\n", ["line 3", "'x' where the score"]),
    "a short row": ("run.csv", b"qid,docno,score\n1,d,1\n1,e\n", ["line 3", "no value"]),
    "a long row": (
        "run.csv",
        b"qid,docno,score\n1,d,1\n1,e,2,3\n",
        ["line 3 has 4 fields"],
    ),
    "no query": ("run.csv", b"qid,docno,score\n,d,1\n,e,2\n", ["line 2 has no query", "1 more"]),
    "Latin-1": ("run.csv", b"qid,docno,score\n1,\xe9,1\n", ["not UTF-8"]),
    "half a line of JSON": (
        "run.jsonl",
        b'{"qid":1,"docno":2,"score":3}\n\n{"qi',
        ["line 3 is no JSON object", '{"qi'],
    ),
    "JSON without a key": (
        "run.jsonl",
        b'{"qid":1,"docno":2,"score":3}\n{"docno":2,"score":3}\n',
        ["line 2 has no query_id"],
    ),
    "JSON in Latin-1": ("run.jsonl", b'{"qid":"\xe9","docno":2,"score":3}', ["not UTF-8", "iconv"]),
    "a list in JSON": ("run.jsonl", b'{"qid":1,"docno":2,"score":3}\n[1]\n', ["line 2", "list"]),
    "two objects on a line": (
        "run.jsonl",
        b'{"qid":1,"docno":2,"score":3}\n{"qid":1,"docno":3,"score":3}{"qid":1}\n',
        ["line 2 is no JSON object"],
    ),
    "JSON with a word for a score": (
        "run.jsonl",
        b'{"qid":1,"docno":2,"score":3}\n\n{"qid":1,"docno":3,"score":"x"}\n',
        ["line 3 has 'x' where the score"],
    ),
    "JSON behind a mark": ("run.jsonl", b'\xef\xbb\xbf{"qid":1}', ["byte-order mark"]),
    "no Parquet": ("run.parquet", b"PAR1 and then something else", ["as a Parquet file"]),
}


@pytest.mark.parametrize("fault", FAULTY_TABLES)
def test_what_is_wrong_with_a_stored_table_is_named(fault, tmp_path):
    name, data, words = FAULTY_TABLES[fault]
    message = refusal(rr.read_run, data, tmp_path, name)
    for word in [str(tmp_path / name), *words]:
        assert word in message


def frame(**changed):
    columns = {"qid": ["1", "2", "3"], "doc": ["a", "b", "c"], "score": [1.0, 2.0, 3.0]}
    return pl.DataFrame(columns | changed)


FAULTY_FRAMES = {
    "float names": (frame(qid=[1.0, 2.5, 3.0]), ["row 2 has 2.5 for qid", "whole numbers"]),
    "lists for names": (frame(doc=[[1], [2], [3]]), ["'doc'", "List"]),
    "no query": (frame(qid=["1", None, None]), ["row 2 has no query_id", "1 more row: 3"]),
    "no document": (frame(doc=["1", "2", None]), ["row 3 has no doc_id"]),
    "no score": (frame(score=[1, None, 2]), ["row 2", "no value where the score belongs"]),
    "not a number": (frame(score=[1.0, 2.0, float("nan")]), ["row 3", "NaN", "'c' of query '3'"]),
    "twice": (frame(qid=[1, 1, 1], doc=[1, 2, 1]), ["row 3", "'1' of query '1'", "row 1 already"]),
    "no rows": (frame().clear(), ["has no rows"]),
    "no score column": (frame().drop("score"), ["no column for score", "qid, doc"]),
    "lone surrogates": ({"q": {"\ud800": 1}}, ["not valid Unicode", r"'\ud800'"]),
    "an empty dict": ({}, ["has no rows"]),
    "a set of documents": ({"q": {"d1", "d2"}}, ["'q' are in a set, which has no order"]),
    "a number for a query": ({"q": 3}, ["int for 'q'"]),
    "a word for a score": ({"q": {"d": "x"}}, ["query 'q', document 'd' has 'x' where the score"]),
    "none for a score": ({"q": {"c": 1, "d": None}}, ["query 'q', document 'd' has None where"]),
    "more than a double holds": ({"q": {"d": 10**400}}, ["query 'q', document 'd' has 1000"]),
    "infinity in a dict": ({"q": {"d": 1e999}}, ["row 1", "inf", "'d' of query 'q'"]),
    "a number": (5, ["Accepted:\n  a path\n", "{query: {document: score}}", "found int"]),
}


@pytest.mark.parametrize("fault", FAULTY_FRAMES)
def test_what_is_wrong_with_a_table_in_memory_is_named(fault):
    given, words = FAULTY_FRAMES[fault]
    message = refusal(rr.read_run, given)
    for word in ["a run", *words]:
        assert word in message


def test_a_missing_file_is_named_with_those_near_it(tmp_path):
    (tmp_path / "bm25.run").write_bytes(RUN_LINE)
    message = refusal(rr.read_run, tmp_path / "bm25.rnu")
    assert "bm25.rnu does not exist" in message
    assert "bm25.run" in message.split("Near it:")[1]


@pytest.mark.parametrize("name", ["**", "[", "a\nb"])
def test_a_missing_file_may_have_any_name(tmp_path, name):
    assert "does not exist" in refusal(rr.read_run, tmp_path / name)


@pytest.mark.parametrize(
    ("qrels", "runs"),
    [("", {"q": ["d"]}), ({"q": {"d": 1}}, ""), ({"q": {"d": 1}}, {"mine": ""})],
)
def test_an_empty_path_is_refused_wherever_it_is_given(qrels, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # of which the empty path would be the name
    pl.DataFrame({"a": [1]}).write_parquet("one.parquet")
    with pytest.raises(rr.DataError, match="path of a file is empty"):
        rr.evaluate(qrels, runs, "RR")


def test_a_folder_is_no_file(tmp_path):
    assert f"{tmp_path} is a folder" in refusal(rr.read_run, tmp_path)


def test_two_spaces_far_down_do_not_shift_the_columns(tmp_path):
    lines = [b"1 Q0 d%d 1 %d.5 t\n" % (i, 9000 - i) for i in range(5000)]
    lines[4000] = b"1 Q0  d4000 1 5000.5 t\n"
    (tmp_path / "run").write_bytes(b"".join(lines))
    assert rr.read_run(tmp_path / "run").collect().row(4000) == ("1", "d4000", 5000.5, 1)


@pytest.mark.parametrize(
    "line", [b"1 0\td2 2\n", b"1 0 d2\t 2\n", b"1\t0\td2 \t2\n", b"1 \t0\td2\t2\n", b" 1 0 d2 2\n"]
)
@pytest.mark.parametrize("first", [b"1 0 d1 1\n", b"1\t0\td1\t1\n"])
def test_no_white_space_of_any_kind_ends_up_in_a_name(tmp_path, first, line):
    (tmp_path / "qrels").write_bytes(first + line)
    assert rr.read_qrels(tmp_path / "qrels").collect().rows() == [("1", "d1", 1), ("1", "d2", 2)]


def test_standard_input_can_be_read_only_once():
    with pytest.raises(rr.OptionError, match="Only one input"):
        rr.evaluate("-", {"mine": "-"})


# --- queries --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("q.tsv", "QID\tquery\tkind\n1\tfree jazz\ta\n2\t\tb\n"),
        ("q.csv", 'qid,kind,title\n1,a,"free jazz"\n2,b,\n'),
        (
            "q.jsonl",
            '{"qid": 1, "text": "free jazz", "kind": "a"}\n{"qid": 2, "text": null, "kind": "b"}\n',
        ),
    ],
)
def test_queries_have_a_text_and_whatever_else_was_given(tmp_path, name, data):
    (tmp_path / name).write_text(data)
    expected = {"query_id": ["1", "2"], "text": ["free jazz", None], "kind": ["a", "b"]}
    assert rr.read_queries(tmp_path / name).to_dict(as_series=False) == expected


def test_queries_need_no_text():
    read = rr.read_queries(pl.DataFrame({"topic": [3], "length": [2]}))
    assert read.to_dict(as_series=False) == {"query_id": ["3"], "length": [2]}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"qid,text\n1,a\n1,b\n", ["line 3 repeats query '1', which is on line 2 already"]),
        (b"id,text\n1,a\n", ["no column for query_id", "id, text"]),
        (b"1 0 a 1\n", ["no header"]),
        (b"qid,text\n1,a\n,b\n", ["line 3 has no query_id"]),
        (b"qid,text\n1,\xe9\n", ["not UTF-8"]),
        (b"qid,text\n1,a,b\n", ["line 2", "3 fields"]),
        (b"PAR1 and then something else", ["as a Parquet file"]),
    ],
)
def test_what_is_wrong_with_queries_is_named(tmp_path, data, words):
    message = refusal(rr.read_queries, data, tmp_path, "queries.csv")
    for word in [str(tmp_path / "queries.csv"), *words]:
        assert word in message


@pytest.mark.parametrize("given", [5, pl.DataFrame({"qid": [1.5]})])
def test_queries_that_cannot_be_named_are_refused(given):
    assert "the queries" in refusal(rr.read_queries, given)


# Faults of rows, and tables of passages


def test_each_kind_of_fault_is_told_once_and_a_row_has_its_first_alone(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("qid,docno,score\nq1,a,1\n,b,high\nq1,c,low\nq1,d,inf\nq1,a,2\nq1,a,3\nq2,,1\n")
    source = open_source(path, RUN_LAYOUT)
    found = list(RowFaults.of(source.numbered().collect(), source).errors(source))
    assert [kind for kind, _ in found] == ["invalid"] * 3 + ["repeated"]
    texts = [str(error).removeprefix(f"{path}, ") for _, error in found]
    assert texts[0] == "line 3 has no query_id."
    assert texts[1].startswith("line 4 has 'low' where the score belongs; a number is expected.")
    assert texts[2].startswith("line 5 has score inf for document 'd'")
    assert "line 6 repeats document 'a' of query 'q1'" in texts[3]
    assert "1 more line: 7" in texts[3]


def test_a_row_without_faults_has_none(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("qid,docno,score\nq1,a,1\n")
    source = open_source(path, RUN_LAYOUT)
    assert list(RowFaults.of(source.numbered().collect(), source).errors(source)) == []


def test_a_further_column_is_read_by_its_own_name(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("qid,docno,score,Parent\nq1,a#1,1,007\n")
    source = open_source(path, RUN_LAYOUT)
    assert source.others == ("Parent",)
    rows = source.with_column("Parent").read("Parent")
    assert rows.select("doc_id", "Parent").rows() == [("a#1", "007")]


def test_passages_and_documents_are_text(tmp_path):
    path = tmp_path / "passages.csv"
    path.write_text('chunk,"parent"\n007,1\n"a,b",2\n')
    assert pairs_of("document_of", path).rows() == [("007", "1"), ("a,b", "2")]
    assert pairs_of("document_of", pl.DataFrame({"c": [7], "d": [1]})).rows() == [("7", "1")]
    with pytest.raises(rr.DataError, match="identifiers are text or whole numbers"):
        pairs_of("document_of", pl.DataFrame({"c": [7.0], "d": [1]}))
    with pytest.raises(rr.DataError, match=r"no\.csv does not exist"):
        pairs_of("document_of", tmp_path / "no.csv")
    (tmp_path / "bare.txt").write_text("a 0 b 1\n")
    with pytest.raises(
        rr.DataError,
        match=r"no header\. Expected a table of passages.*passage and doc",
    ):
        pairs_of("document_of", tmp_path / "bare.txt")


def test_a_text_that_can_be_no_path_is_refused_everywhere():
    long = "x" * 999
    evaluation = rr.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "RR")
    for read in (
        *(rr.read_qrels, rr.read_run, rr.read_queries, rr.read_beir, rr.read_mteb),
        *(rr.evaluate_labelled, rr.load_evaluation, rr.load_report),
        lambda path: rr.report(evaluation, documents=path),
    ):
        for path in (long, "a\0b"):
            with pytest.raises(rr.RankReportError):
                read(path)


@pytest.mark.parametrize("indent", [None, 1])
def test_queries_in_a_json_file(tmp_path, indent):
    path = tmp_path / "queries.json"
    for value in ({"q1": "jazz", "q2": "blues"}, [{"qid": q} | {"text": t} for q, t in TEXTS]):
        path.write_text(json.dumps(value, indent=indent))
        assert rr.read_queries(path).rows() == TEXTS
    path.write_text("[1]")
    with pytest.raises(rr.DataError, match="row 1 is 1"):
        rr.read_queries(path)


TEXTS = [("q1", "jazz"), ("q2", "blues")]


def test_documents_with_equal_hashes_are_not_taken_for_repeated_ones(monkeypatch):
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}
    monkeypatch.setattr(pl.Expr, "hash", lambda each, *_: each.str.len_bytes())
    assert len(rr.read_run(run).collect()) == 3
    twice = pl.DataFrame({"qid": ["q1", "q1"], "docno": ["a", "a"], "score": [2.0, 1.0]})
    with pytest.raises(rr.DataError, match="repeats document 'a' of query 'q1'"):
        rr.read_run(twice)


def test_a_document_repeated_far_from_its_first_row_is_found():
    rows = [("q1", "a", 3.0), ("q2", "a", 2.0), ("q1", "b", 2.0), ("q2", "b", 1.0)]
    schema = ["query_id", "doc_id", "score"]
    assert len(rr.read_run(pl.DataFrame(rows, schema=schema, orient="row")).collect()) == 4
    with pytest.raises(rr.DataError, match="row 5 repeats document 'a' of query 'q1'"):
        rr.read_run(pl.DataFrame([*rows, ("q1", "a", 0.0)], schema=schema, orient="row"))


def test_faults_of_parts_are_those_of_the_whole():
    """Of rows with every kind of fault, in any division by query."""
    rows = pl.DataFrame(
        {
            "query_id": [f"q{n % 9}" if n % 31 else None for n in range(400)],
            "doc_id": [f"d{n * n % 57}" if n % 23 else None for n in range(400)],
            "relevance": [["1", "2", "high", "nan", None][n % 7 % 5] for n in range(400)],
        }
    ).with_columns(pl.int_range(1, 401).alias("position"))
    marked = pl.when(pl.col("query_id") == "q7").then(pl.lit("\ufeffq7"))
    rows = rows.with_columns(marked.otherwise("query_id").alias("query_id"))
    source = open_source(rows.drop("position"), QRELS_LAYOUT, "qrels")
    part_of = pl.col("query_id").hash(0).fill_null(0) % 4
    for options in ({}, {"conflicting": True}, {"repeated": True}):
        whole = RowFaults.of(rows, source, **options)
        parts = [RowFaults.of(rows.filter(part_of == n), source, **options) for n in range(4)]
        joined = RowFaults.joined(parts)
        assert joined.n == whole.n
        expected = [(kind, str(error)) for kind, error in whole.errors(source)]
        assert [(kind, str(error)) for kind, error in joined.errors(source)] == expected
        kinds = {"invalid", "marked"} | ({"repeated"} if options != {"repeated": True} else set())
        assert {kind for kind, _ in expected} == kinds
        for kind, first in whole.first.items():
            assert joined.first[kind].equals(first)


@pytest.mark.parametrize("form", ["frame", "parquet", "jsonl"])
def test_truth_values_are_numbers_beside_faults_of_other_rows(form, tmp_path):
    """They are accepted as grades, so they are not what is wrong with a row."""
    rows = pl.DataFrame({"query_id": ["q1"] * 3, "doc_id": ["a", "b", "b"]})
    rows = rows.with_columns(relevance=pl.Series([True, False, True]))
    given = rows if form == "frame" else tmp_path / f"qrels.{form}"
    if form == "parquet":
        rows.write_parquet(given)
    elif form == "jsonl":
        rows.write_ndjson(given)
    unit = "line" if form == "jsonl" else "row"
    message = refusal(rr.read_qrels, given)
    assert f"{unit} 3 repeats document 'b' of query 'q1', which is on {unit} 2" in message
