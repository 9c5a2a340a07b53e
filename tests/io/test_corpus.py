"""Texts of documents from every source, of the documents asked for alone."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple

import duckdb
import pandas as pd
import polars as pl
import pytest

import rankreport as rr
from rankreport.io import open_corpus

LINES = (
    '{"_id": "1", "title": "One", "text": "first", "metadata": {"a": [1]}}\n'
    '{"_id": "2", "title": "", "text": "second", "metadata": {}}\n'
)
TABLE = pl.DataFrame(
    {
        "DOCNO": [1, 2, 3],
        "Title": ["One", None, None],
        "body": ["first", "second", "third"],
        "link": [None, "https://example.org/2", None],
    }
)
FOUND = [("1", "One", "first", None), ("2", None, "second", "https://example.org/2")]
WANTED = ("2", "1", "4", "1")


class Record(NamedTuple):
    doc_id: str
    title: str
    body: str


@dataclass(frozen=True)
class Plain:
    docid: int
    contents: str


class Store:
    """What ir_datasets calls a docs_store: it leaves out documents that it does not have."""

    held: ClassVar = {"1": Record("1", "One", "first"), "2": Record("2", "", "second")}

    def get_many(self, ids):
        return {each: self.held[each] for each in ids if each in self.held}


class Getter:
    def get(self, doc_id):
        return Store.held[doc_id]


class DataSet:
    def docs_store(self):
        return Store()


class Terrier:
    def get_corpus_iter(self):
        yield from ({"docno": "1", "text": "first"}, {"docno": "2", "text": "second"})


def texts(given, wanted=WANTED):
    return open_corpus(given).texts(wanted).rows()


def stored(folder, name):
    """Write the documents in the format of a name."""
    path = folder / name
    if name.endswith(".jsonl"):
        path.write_text(LINES)
    elif name.endswith(".jsonl.gz"):
        path.write_bytes(gzip.compress(LINES.encode()))
    elif name.endswith(".parquet"):
        TABLE.write_parquet(path)
    elif name.endswith(".json"):
        path.write_text(json.dumps(list(map(json.loads, LINES.splitlines()))))
    else:
        TABLE.write_csv(path, separator="," if ".csv" in name else "\t")
    return path


@pytest.mark.parametrize("name", ["d.parquet", "d.csv", "d.tsv", "d.txt"])
def test_columns_are_found_by_their_aliases(tmp_path, name):
    assert texts(stored(tmp_path, name)) == FOUND


@pytest.mark.parametrize("name", ["corpus.jsonl", "c.jsonl.gz", "c.json"])
def test_lines_of_beir_are_read(tmp_path, name):
    found = [("1", "One", "first", None), ("2", "", "second", None)]
    assert texts(stored(tmp_path, name)) == found


def test_a_folder_holds_a_corpus_or_parquet(tmp_path):
    for folder, name in (("a", "corpus.jsonl"), ("b", "corpus.jsonl.gz"), ("c", "00.parquet")):
        (tmp_path / folder).mkdir()
        stored(tmp_path / folder, name)
        assert [row[2] for row in texts(tmp_path / folder)] == ["first", "second"]
    (tmp_path / "d").mkdir()
    with pytest.raises(rr.DataError, match=r"a folder without corpus.jsonl or Parquet"):
        open_corpus(tmp_path / "d")


def test_several_files_are_one_corpus(tmp_path):
    (tmp_path / "a1.jsonl").write_text(LINES.splitlines()[0])
    (tmp_path / "a2.csv").write_text("id,text\n2,second\n")
    found = [("1", "One", "first", None), ("2", None, "second", None)]
    assert texts(str(tmp_path / "a*")) == found


def test_a_header_of_four_columns_is_no_run(tmp_path):
    path = tmp_path / "documents.txt"
    path.write_text("doc_id\ttitle\ttext\turl\n1\tOne\tfirst\thttps://example.org\n")
    assert texts(path) == [("1", "One", "first", "https://example.org")]


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ('1\tsays "hello', ("1", None, 'says "hello', None)),
        ("1\tOne\tfirst", ("1", "One", "first", None)),
        ("1\thttps://a.org\tOne\tfirst", ("1", "One", "first", "https://a.org")),
    ],
)
def test_lines_of_ms_marco_need_no_header(tmp_path, line, row):
    path = tmp_path / "collection.tsv"
    path.write_text(f"{line}\n2{line[1:]}\n")
    assert texts(path, ["1"]) == [row]


def test_a_field_of_csv_holds_separators_and_line_breaks(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text('doc_id,text\n1,"a, ""b""\nc"\n2,d\n')
    assert texts(path) == [("1", None, 'a, "b"\nc', None), ("2", None, "d", None)]


@pytest.mark.parametrize(
    "convert",
    [
        lambda rows: rows,
        pl.DataFrame.lazy,
        pl.DataFrame.to_pandas,
        pl.DataFrame.to_arrow,
        lambda rows: duckdb.from_arrow(rows.to_arrow()),
    ],
)
def test_tables_of_all_libraries_are_read(convert):
    assert texts(convert(TABLE)) == FOUND


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"1": "first", "2": "second", "3": "third"}, [(None, "first"), (None, "second")]),
        ({1: "first"}, [(None, "first")]),
        ({"1": {"title": "One", "text": "first"}}, [("One", "first")]),
        (pd.Series({"1": "first"}), [(None, "first")]),
        ([{"_id": 1, "passage": "first"}], [(None, "first")]),
        (iter([{"_id": 1, "passage": "first"}]), [(None, "first")]),
        ([Plain(2, "second")], [(None, "second")]),
        (Store(), [("One", "first"), ("", "second")]),
        (DataSet(), [("One", "first"), ("", "second")]),
        (Getter(), [("One", "first"), ("", "second")]),
        (Terrier(), [(None, "first"), (None, "second")]),
    ],
)
def test_python_objects_are_looked_up(given, found):
    assert [row[1:3] for row in texts(given)] == found


def test_a_mapping_is_asked_for_the_wanted_documents_alone():
    class Asked(dict):
        keys_read: ClassVar = []

        def __getitem__(self, key):
            self.keys_read.append(key)
            return super().__getitem__(key)

    given = Asked({str(at): "text" for at in range(100)})
    assert len(texts(given, ["7", "9"])) == 2
    assert given.keys_read == ["7", "9"]


def test_an_iterator_is_left_when_all_are_found():
    def endless():
        at = 0
        while True:
            at += 1
            yield {"docno": str(at), "text": "x"}

    class Endless:
        def docs_iter(self):
            return endless()

    assert [row[0] for row in texts(Endless(), ["3", "5"])] == ["3", "5"]


def test_ids_are_text_and_the_first_of_several_counts():
    given = pl.DataFrame({"doc_id": ["007", "7", "7"], "text": ["a", "b", "c"]})
    assert texts(given, ["7"]) == [("7", None, "b", None)]
    assert texts({7: "number"}, ["007"]) == []


def test_long_texts_are_cut():
    (row,) = texts({"1": "x" * 1_000_000})
    assert len(row[2]) == 20_000


def test_lists_of_texts_are_joined(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text('{"id": 3, "contents": ["a", "b"]}\n')
    assert texts(path, ["3"]) == [("3", None, "a b", None)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "found int"),
        ([1, 2], "found rows such as 1"),
        ([], "found no rows"),
        ({"1": 3}, "document '1' is 3. Expected a text"),
        ([{"text": "a"}], "has no doc_id"),
        (pl.DataFrame({"a": [1]}), "no column for doc_id (or docno, docid"),
        (pl.DataFrame({"doc_id": ["1"], "b": [1]}), "no column for text (or body"),
        (pl.DataFrame({"doc_id": [1.5], "text": ["a"]}), "column 'doc_id' holds Float64"),
    ],
)
def test_what_is_no_corpus_is_refused(given, words):
    with pytest.raises(rr.DataError) as caught:
        texts(given)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("no.jsonl", None, "does not exist"),
        ("d.jsonl", LINES + "{bad\n", "line 3 is no JSON object (Expecting"),
        ("d.jsonl", LINES * 2000 + "{bad\n", "line 4001 is no JSON object (Expecting"),
        ("d.jsonl", '{"a": 1}\n', "no column for doc_id"),
        ("d.txt", "just a text\n", "begins with 'just a text', which names no column of ids"),
        ("d.csv", "", "is empty"),
        ("d.csv", "doc_id,text\n1,a,b,c\n2,d\n", "cannot be read as a table of documents"),
    ],
)
def test_a_faulty_file_is_an_error(tmp_path, name, content, words):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(rr.DataError) as caught:
        texts(path)
    assert words in str(caught.value)
    assert name in str(caught.value)


MEMORY = """
import sys, threading, time
import polars as pl
from rankreport.io import open_corpus

def held():
    line = next(each for each in open("/proc/self/status") if each.startswith("RssAnon"))
    return int(line.split()[1])

peak = 0
def watch():
    global peak
    while True:
        peak = max(peak, held())
        time.sleep(0.002)

threading.Thread(target=watch, daemon=True).start()
before = held()
found = open_corpus(sys.argv[1]).texts([f"d{at * 997}" for at in range(300)])
print(len(found), peak - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_a_large_corpus_is_not_loaded(tmp_path, suffix):
    path = tmp_path / f"corpus.{suffix}"
    n, text = 400_000, "word " * 200
    rows = pl.LazyFrame({"_id": pl.int_range(n, eager=True)}).select(
        pl.format("d{}", "_id").alias("_id"),
        pl.lit("A title").alias("title"),
        pl.format("{} " + text, "_id").alias("text"),
    )
    sinks = {"jsonl": rows.sink_ndjson, "csv": rows.sink_csv, "parquet": rows.sink_parquet}
    sinks[suffix](path)
    if suffix != "parquet":
        assert path.stat().st_size > 400_000_000
    program = [sys.executable, "-c", MEMORY, str(path)]
    # Repeated words expand further than texts do.
    expanding = {**os.environ, "RANKREPORT_EXPANDED": "1GB"}
    made = subprocess.run(program, capture_output=True, text=True, check=True, env=expanding)
    n_found, grown = map(int, made.stdout.split())
    assert n_found == 300
    assert grown < 200_000  # in KB


def test_records_are_whole_in_every_block(tmp_path, monkeypatch):
    monkeypatch.setattr("rankreport.io.corpus._BLOCK", 7)
    path = tmp_path / "d.csv"
    rows = {str(at): f'line {at}\n, "quoted"' for at in range(50)}
    pl.DataFrame({"doc_id": list(rows), "text": list(rows.values())}).write_csv(path)
    assert {row[0]: row[2] for row in texts(path, rows)} == rows
    zipped = tmp_path / "d.csv.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    assert texts(zipped, rows) == texts(path, rows)


def test_zstd_is_read(tmp_path):
    path = tmp_path / "d.tsv.zst"
    TABLE.lazy().sink_csv(path, separator="\t", compression="zstd")
    assert texts(path) == FOUND


@pytest.mark.parametrize("indent", [None, 1])
def test_texts_by_document_in_a_json_file(tmp_path, indent):
    path = tmp_path / "texts.json"
    path.write_text(json.dumps({"d1": "All that jazz", "d2": "x" * 70_000}, indent=indent))
    found = open_corpus(path).texts(["d1", "d3"])
    assert found.select("doc_id", "text").rows() == [("d1", "All that jazz")]
    (tmp_path / "lines.jsonl").write_text('{"title": "no id"}\n{"title": "none"}\n')
    with pytest.raises(rr.DataError, match="no column for doc_id"):
        open_corpus(tmp_path / "lines.jsonl")
