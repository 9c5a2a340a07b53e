"""Damaged files are refused with their name and the reason, whatever the library beneath says."""

from __future__ import annotations

import gzip
import io
from dataclasses import replace
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankreport as rr
from rankreport.io.formats.parquet import check_parquet
from rankreport.io.opening import open_source
from rankreport.io.partition import Partition
from rankreport.io.roles import RUN
from rankreport.io.source import Contents, Source

LINES = b"".join(b"q%d Q0 d%d 1 %d.5 t\n" % (i % 7, i, i) for i in range(300))


def refusal(read, path):
    with pytest.raises(rr.DataError) as caught:
        read(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("place", [10, 11, 12, 20, 40, 80, 200, -5, -1])
def test_a_changed_byte_in_gzip_is_refused(place, tmp_path):
    data = bytearray(gzip.compress(LINES))
    data[place] ^= 0xFF
    (tmp_path / "run.gz").write_bytes(data)
    for read in (rr.read_run, rr.read_qrels, rr.read_queries):
        refusal(read, tmp_path / "run.gz")


def frame(n=50):
    return pl.DataFrame(
        {
            "qid": [f"q{i % 7}" for i in range(n)],
            "docno": [f"d{i}" for i in range(n)],
            "score": [i * 0.5 for i in range(n)],
        }
    )


def parquet(**options):
    file = io.BytesIO()
    frame().write_parquet(file, **options)
    return file.getvalue()


@pytest.mark.parametrize("size", [0, 1, 5, 11, 12, 400, -1, -4])
def test_cut_parquet_is_refused(size, tmp_path):
    path = tmp_path / "run.parquet"
    path.write_bytes(parquet()[:size])
    refusal(rr.read_run, path)


def test_a_panic_of_polars_is_a_fault_of_the_file(tmp_path, monkeypatch):
    """Which bytes make Polars panic differs by version; the kind of exception does not."""
    from polars.exceptions import PanicException

    path = tmp_path / "run.parquet"
    path.write_bytes(parquet())

    def panic(*_, **__):
        raise PanicException("called `Option::unwrap()` on a `None` value")

    monkeypatch.setattr(pl.LazyFrame, "collect", panic)
    assert "Polars cannot parse it" in refusal(rr.read_run, path)


def test_parquet_of_other_writers_passes(tmp_path):
    rows = frame(500).with_columns(
        many=[[1, 2]] * 500, none=pl.Series([None] * 500, dtype=pl.Int64), one=[{"a": 1}] * 500
    )
    path = tmp_path / "run.parquet"
    arrow = rows.to_arrow()
    for options in (
        {"data_page_version": "2.0", "compression": "gzip", "use_dictionary": False},
        {"compression": "none", "write_page_index": True, "write_page_checksum": True},
        {"row_group_size": 70, "data_page_size": 100},
    ):
        pq.write_table(arrow, path, **options)
        assert rr.read_run(path).collect().height == 500
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), path)
    assert check_parquet(Contents(str(path), path=path)) == 0
    for data in (parquet(), parquet(compression="uncompressed"), parquet(row_group_size=3)):
        assert check_parquet(Contents("bytes", data=data)) == 50


def test_rows_that_are_stated_and_not_read_are_missed(tmp_path):
    """Polars reads as many rows as its groups name, and counts as many as the file names."""
    whole, cut = tmp_path / "whole.parquet", tmp_path / "cut.parquet"
    pq.write_table(frame(200).to_arrow(), whole, row_group_size=50, use_dictionary=False)
    data = bytearray(whole.read_bytes())
    data[data.rindex(b"\x16d&") + 1] = 2  # 1 row instead of 50 in the last group
    cut.write_bytes(data)
    words = "cut.parquet states 200 rows, and 151 can be read"
    assert words in refusal(lambda path: rr.read_run(path).collect(), cut)
    assert words in refusal(rr.load_evaluation, cut)
    both = str(tmp_path / "*.parquet")
    assert "states 400 rows, and 351 can be read" in refusal(rr.read_run, both)
    whole.unlink()
    assert "states 200 rows, and 151 can be read" in refusal(rr.read_run, tmp_path)
    sliced = replace(open_source(cut, RUN), partition=Partition(3))
    for read in (Source.n_rows, lambda source: list(source.slices())):
        with pytest.raises(rr.DataError, match=words):
            read(sliced)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file that fails to be read")
@pytest.mark.parametrize("read", [rr.read_qrels, rr.read_run, rr.read_queries, rr.read_mteb])
def test_an_error_of_reading_an_open_file_is_one_of_the_data(read):
    with pytest.raises(rr.DataError, match=r"^/proc/self/mem cannot be read: Input/output error\."):
        read("/proc/self/mem")
