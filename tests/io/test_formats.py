"""A format of sources is one declaration and its place in one list, and is read in every role."""

from __future__ import annotations

import gzip
from functools import partial

import polars as pl
import pytest

import rankreport as rr
from rankreport.io import RUN, formats, open_corpus, read_log
from rankreport.io.formats import SourceFormat
from rankreport.io.reading import pairs_of
from rankreport.io.tables import Frame, table_source

# What a contributor would write: a table between bars, and an export that holds both roles.


def of_bars(contents):
    header, *rows = gzip.decompress(contents.whole()).decode().split()
    names = header.strip("|").split("|")
    values = [row.strip("|").split("|") for row in rows]
    return Frame(partial(pl.LazyFrame, values, dict.fromkeys(names, pl.String()), orient="row"))


BARS = SourceFormat("bars", lambda sample: sample.line.startswith("|"), table=of_bars)


def part(role, contents):
    found = of_bars(contents).rows().rename({"score": role.value})
    return table_source(contents.name, role, Frame(found.lazy), contents)


RESULTS = SourceFormat(
    "results",
    lambda sample: sample.line.startswith("|results"),
    "holds results of a tool",
    run=lambda sample: part(RUN, sample.contents),
    note="results of a tool",
)


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "FORMATS", [RESULTS, BARS, *formats.FORMATS])

    def write(*rows):
        path = tmp_path / "old.bars.gz"
        path.write_bytes(gzip.compress("\n".join(f"|{row}|" for row in rows).encode()))
        return path

    return write


def test_a_new_format_of_tables_is_read_in_every_role(written):
    judged = written("qid|docno|rel", "q1|a|2", "q1|b|0")
    assert rr.read_qrels(judged).collect().rows() == [("q1", "a", 2), ("q1", "b", 0)]
    ranked = written("qid|docno|score", "q1|b|2.5", "q1|a|1")
    assert rr.read_run(ranked).collect().rows() == [("q1", "b", 2.5), ("q1", "a", 1)]
    assert rr.evaluate({"q1": {"a": 1}}, ranked, "RR").summary().rows() == [("old", 0.5)]
    assert rr.read_queries(written("qid|text", "q1|jazz")).rows() == [("q1", "jazz")]
    listed = rr.read_labelled(written("label|qid|score", "1|q1|0.5"))
    assert listed.collect().rows() == [("q1", "1", 1.0, 0.5)]
    assert open_corpus(written("doc_id|text", "a|jazz")).texts(["a"])["text"].item() == "jazz"
    assert read_log(written("query|doc|clicked", "q1|a|1")).rows() == [("q1", "a", "1")]
    assert pairs_of("document_of", written("passage|document", "a1|a")).rows() == [("a1", "a")]


def test_a_new_format_names_systems_and_rows_as_all_others(written):
    several = written("system|qid|docno|score", "x|q1|a|1", "y|q1|a|2", "y|q1|b|1")
    assert rr.evaluate({"q1": {"a": 1}}, several, "RR").systems == ("x", "y")
    with pytest.raises(rr.DataError, match=r"old\.bars\.gz, row 2 repeats document 'a'"):
        rr.read_run(written("qid|docno|score", "q1|a|2", "q1|a|1")).collect()
    with pytest.raises(rr.DataError, match="no column for query_id"):
        rr.read_queries(written("text", "jazz"))
    with pytest.raises(rr.DataError, match=r"names its columns, being bars\. Give no columns"):
        rr.read_run(written("qid|docno|score", "q1|a|2"), columns="qid,doc,score")


def test_what_a_new_format_does_not_hold_is_refused_by_its_words(written):
    export = written("results|qid|docno|score", "x|q1|a|2", "x|q1|b|1")
    assert rr.read_run(export).collect()["doc_id"].to_list() == ["a", "b"]
    with pytest.raises(
        rr.DataError,
        match=r"holds results of a tool\. Expected judgments \(qrels\)\. Are the two swapped\?",
    ):
        rr.read_qrels(export)
    with pytest.raises(rr.DataError, match=r"holds results of a tool\. Expected queries: CSV"):
        rr.read_queries(export)
