"""Damaged files are refused with their name and the reason, whatever the library beneath says."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankreport as rr
from rankreport.io.parquet import check_parquet
from rankreport.io.source import Contents

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


def with_footer(data, footer):
    """Return a Parquet file with another footer."""
    length = int.from_bytes(data[-8:-4], "little")
    return data[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def footer_of(data):
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


# A list of 2^61 structures as the second field, which is that of the columns.
HUGE = b"\x15\x02\x19\xfc" + b"\x80" * 8 + b"\x20" + b"\x00"

FOOTERS = {
    "2^61 columns": HUGE,
    "nothing": b"",
    "an end": b"\x00",
    "an unknown kind": b"\x1f",
    "cut": footer_of(parquet())[:60],
    "cut in a text": footer_of(parquet())[:12],
    "a deep nest": b"\x1c" * 500,
    "a long number": b"\x15" + b"\xff" * 30,
}


@pytest.mark.parametrize("fault", FOOTERS)
def test_a_footer_is_checked_before_polars_reads_it(fault, tmp_path):
    path = tmp_path / "run.parquet"
    path.write_bytes(with_footer(parquet(), FOOTERS[fault]))
    assert "is no whole Parquet file" in refusal(rr.read_run, path)


def test_a_footer_that_asks_for_2_61_rows_does_not_end_the_process(tmp_path):
    path = tmp_path / "run.parquet"
    path.write_bytes(with_footer(parquet(), HUGE))
    code = (
        "import rankreport as rr, sys\n"
        "try: rr.read_run(sys.argv[1])\n"
        "except rr.DataError as e: print(e)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0
    assert "is no whole Parquet file" in ended.stdout


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
    check_parquet(Contents(str(path), path=path))
    for data in (parquet(), parquet(compression="uncompressed"), parquet(row_group_size=3)):
        check_parquet(Contents("bytes", data=data))


def test_sizes_that_differ_are_refused():
    data = parquet(compression="uncompressed")
    refused = 0
    for place in range(len(data) - 8 - len(footer_of(data)), len(data)):
        changed = bytearray(data)
        changed[place] ^= 0x40
        try:
            check_parquet(Contents("changed", data=bytes(changed)))
        except rr.DataError as error:
            refused += "changed is no whole Parquet file" in str(error)
    assert refused > 50
