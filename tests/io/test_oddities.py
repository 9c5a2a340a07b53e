"""Sources that end badly or never, marks inside files, and columns of one meaning."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from datetime import UTC, datetime
from types import SimpleNamespace

import pandas as pd
import polars as pl
import pytest

import rankreport as rr
from rankreport.io import opening

LINE = b"q1 Q0 d1 1 2.5 t\n"


def refusal(read, given):
    with pytest.raises(rr.DataError) as caught:
        read(given)
    return str(caught.value)


@pytest.mark.parametrize("kind", ["none", "closed", "descriptor"])
def test_closed_standard_input_is_refused(kind, monkeypatch):
    def read():
        raise OSError(9, "Bad file descriptor")

    streams = {
        "none": None,
        "closed": io.TextIOWrapper(io.BytesIO()),
        "descriptor": SimpleNamespace(buffer=SimpleNamespace(read=lambda _: read())),
    }
    if kind == "closed":
        streams[kind].close()
    monkeypatch.setattr(sys, "stdin", streams[kind])
    assert refusal(rr.read_run, "-").startswith("Standard input ")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device")  # noqa: PTH110
def test_a_device_without_end_is_refused():
    assert "/dev/zero is binary" in refusal(rr.read_run, "/dev/zero")


def test_a_line_without_end_is_refused(monkeypatch, tmp_path):
    class Endless:
        def read(self, size):
            return b"y" * size

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Endless()))
    assert "has a line of more than 64 MB" in refusal(rr.read_run, "-")
    monkeypatch.setattr("rankreport.io.formats.declare.LONGEST", 1 << 18)
    (tmp_path / "run").write_bytes(b"y" * (1 << 19))
    assert "has a line of more than" in refusal(rr.read_run, tmp_path / "run")


class Repeating:
    """A stream that repeats a line, as ``yes`` does."""

    def __init__(self, line):
        self.line, self.n_bytes = line, 0

    def read(self, size):
        self.n_bytes += size
        return self.line * (size // len(self.line))


def test_a_stream_has_a_limit(monkeypatch):
    monkeypatch.setattr(opening, "_MOST_STREAMED", 3 << 20)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Repeating(LINE)))
    message = refusal(rr.read_run, "-")
    assert "Standard input has more than" in message
    assert "Write it to a file" in message


# --- white space and marks ------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [b"\f", b"\v"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("place", range(5))
def test_form_feeds_and_vertical_tabs_separate_in_both_readers(gap, packed, place, tmp_path):
    fields = LINE.split()
    line = b" ".join(fields[: place + 1]) + gap + b" ".join(fields[place + 1 :]) + b"\n"
    for first in (b"q0 Q0 d1 1 2.5 t\n", b"q0 Q0  d1 1 2.5 t\n"):  # the second needs the other scan
        data = first + line
        (tmp_path / "run").write_bytes(gzip.compress(data) if packed else data)
        rows = rr.read_run(tmp_path / "run").collect().rows()
        assert rows == [("q0", "d1", 2.5, 1), ("q1", "d1", 2.5, 1)]


@pytest.mark.parametrize("gap", [b" ", b"  ", b"\t"])
def test_a_byte_order_mark_inside_a_file_is_refused(gap, tmp_path):
    line = gap.join(LINE.split()) + b"\n"
    (tmp_path / "run").write_bytes(b"\xef\xbb\xbf" + line + b"\n\xef\xbb\xbf" + line)
    message = refusal(rr.read_run, tmp_path / "run")
    assert "line 3 begins with a byte-order mark" in message
    assert "byte-order mark" in refusal(rr.read_run, {"\ufeffq": {"d": 1}})


@pytest.mark.parametrize(
    "text", ["qid,text\n1,a\n\n\ufeffqid,text\n2,b\n", "qid\ttext\n1\ta\n\n\ufeff2\tb\n"]
)
def test_a_byte_order_mark_inside_query_metadata_is_refused(text, tmp_path):
    (tmp_path / "queries").write_text(text, encoding="utf-8")
    message = refusal(rr.read_queries, tmp_path / "queries")
    assert "line 4 begins with a byte-order mark" in message


# --- columns --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "names"),
    [
        ({"query_id": ["2"]}, "query_id: 'query_id' and 'qid'"),
        ({"QID": ["2"]}, "query_id: "),
        ({"doc_id": ["2"]}, "doc_id: 'doc_id' and 'docno'"),
        ({"sim": [2]}, "score: 'score' and 'sim'"),
        ({"Rank": [1], "rank": [1]}, "rank: "),
    ],
)
def test_two_columns_of_one_meaning_are_refused(more, names, tmp_path):
    table = pl.DataFrame({"qid": ["1"], "docno": ["d"], "score": [1.0], **more})
    table.write_csv(tmp_path / "run.csv")
    for given in (table, tmp_path / "run.csv"):
        message = refusal(rr.read_run, given)
        assert "has two columns for" in message
        assert names in message


@pytest.mark.parametrize("separator", [",", "\t"])
@pytest.mark.parametrize("twice", ["qid", "docno", "score"])
def test_two_columns_of_one_name_are_refused(twice, separator, tmp_path):
    names = ["qid", "docno", "score", twice]
    lines = (separator.join(line) for line in (names, ["1", "2", "3", "4"]))
    (tmp_path / "run").write_text("\n".join(lines) + "\n", encoding="utf-8")
    message = refusal(rr.read_run, tmp_path / "run")
    assert "has two columns for" in message
    assert f"both named {twice!r}" in message


def test_results_of_pyterrier_are_read():
    columns = {"qid": ["1"], "docid": [7], "docno": ["d"], "rank": [0], "score": [1.0]}
    read = rr.read_run(pl.DataFrame({**columns, "query": ["free jazz"]})).collect()
    assert read.rows() == [("1", "d", 1.0, 0)]


def test_queries_with_two_ids_are_refused():
    message = refusal(rr.read_queries, pl.DataFrame({"qid": ["1"], "query_id": ["2"]}))
    assert "has two columns for query_id: 'query_id' and 'qid'" in message


def test_a_backend_that_is_none_does_not_matter():
    code = (
        "import rankreport as rr; e = rr.load_example();"
        "c = rr.compare(rr.evaluate(e.qrels, dict(list(e.runs.items())[:2]), ['AP']));"
        "c.plot_deltas().savefig(__import__('io').BytesIO(), format='svg');"
        "import os; print(os.environ['MPLBACKEND'])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "MPLBACKEND": "nonsense"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, "nonsense\n"), ended.stderr


DAY = datetime(2010, 1, 1, tzinfo=UTC)
NO_NUMBERS = {
    "a date": DAY.date(),
    "a time": DAY,
    "a duration": DAY - DAY,
    "a record": {"grade": 1},
    "a list": [1],
    "bytes": b"1",
}


@pytest.mark.parametrize("form", ["frame", "parquet"])
@pytest.mark.parametrize("value", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_columns_that_hold_no_numbers_are_refused(value, form, tmp_path):
    rows = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "value": [value] * 2})

    def refused(read, column, **others):
        given = rows.rename({"value": column}).with_columns(**others)
        if form == "parquet":
            given.write_parquet(tmp_path / "rows.parquet")
            given = tmp_path / "rows.parquet"
        assert f"column '{column}' holds " in refusal(read, given)

    refused(rr.read_qrels, "relevance")
    refused(rr.read_run, "score")
    refused(rr.read_run, "rank", score=1)
    refused(rr.read_labelled, "label", score=1)
    refused(rr.read_labelled, "score", label=1)
    refused(rr.qrels_from_judges, "relevance", judge=pl.lit("j"))
    refused(rr.read_judged_tasks, "relevance")
    refused(rr.qrels_from_clicks, "clicked", rank=1)
    refused(rr.qrels_from_clicks, "rank", clicked=1)
    refused(rr.interleaving, "clicks", session=1, team=pl.lit("a"))


@pytest.mark.parametrize("value", [{"id": "q"}, ["q"]], ids=["a record", "a list"])
def test_columns_that_hold_no_identifiers_are_refused(value, tmp_path):
    rows = pl.DataFrame({"value": [value] * 2, "doc_id": ["a", "b"], "score": 1, "clicked": 1})
    rows = rows.with_columns(relevance=1, rank=1, judge=pl.lit("j"))
    rows.rename({"value": "query_id"}).write_parquet(tmp_path / "rows.parquet")
    reads = [rr.read_run, rr.read_qrels, rr.read_queries, rr.read_labelled]
    for read in [*reads, rr.qrels_from_clicks, rr.qrels_from_judges, rr.read_judged_tasks]:
        assert "'query_id' holds " in refusal(read, tmp_path / "rows.parquet")


def test_frames_of_pandas_without_pyarrow(monkeypatch):
    def missing(*_, **__):
        raise ModuleNotFoundError("pyarrow is required")

    qrels = pd.DataFrame({"qid": ["q", "q"], "doc": ["a", "b"], "label": [1, 0], "by": ["x", "y"]})
    run = pd.DataFrame({"qid": ["q", "q"], "doc": ["a", "b"], "score": [0.1, 0.2]})
    missing_some = pd.DataFrame({"qid": ["q", "q"], "doc": ["a", "b"], "label": [1, None]})
    monkeypatch.setattr("polars.dataframe.frame.pandas_to_pydf", missing)
    types = {"qid": "category", "label": "Int64"}
    assert (
        rr.evaluate(qrels.astype(types), run.astype({"doc": "category"}), "RR")
        .summary()["RR"]
        .item()
        == 0.5
    )
    with pytest.raises(rr.DataError, match="row 2 has no value where the grade belongs"):
        rr.evaluate(missing_some.astype(types), run, "RR").summary()["RR"].item()
    with pytest.raises(rr.DataError, match="row 1 has 'x' where the grade belongs"):
        rr.evaluate(
            qrels.drop(columns="label").rename(columns={"by": "label"}), run, "RR"
        ).summary()["RR"].item()
