"""Damaged files are refused with their name and the reason, whatever the library beneath says."""

from __future__ import annotations

import gzip
import io
import re
import subprocess
import sys
from pathlib import Path

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


def damaged_number(data, which):
    """Return a file of one column in which a page names a negative number of values."""
    begin = b"\x15\x00\x15\x10\x15\x10\x2c\x15\x02"  # 8 bytes, 8 stored: 1 value
    places = [found.start() for found in re.finditer(re.escape(begin), data)]
    at = places[which] + len(begin) - 1
    return data[:at] + b"\x01" + data[at + 1 :], len(places)


def test_the_last_of_many_pages_is_checked_too():
    file = io.BytesIO()
    options = {"use_dictionary": False, "compression": "none", "write_statistics": False}
    small = {"data_page_size": 1, "write_batch_size": 1, "row_group_size": 22_000}
    schema = pa.schema([pa.field("score", pa.float64(), nullable=False)])
    rows = pa.table({"score": [0.5] * 25_000}, schema=schema)
    pq.write_table(rows, file, **options, **small)
    check_parquet(Contents("whole", data=file.getvalue()))
    data, n_pages = damaged_number(file.getvalue(), -1)
    assert n_pages == 25_000
    with pytest.raises(rr.DataError, match=r"whole Parquet file \(the number of values is -1\)"):
        check_parquet(Contents("many", data=data))


def test_a_large_footer_is_checked_too(tmp_path):
    path = tmp_path / "run.parquet"
    frame().write_parquet(path, metadata={"note": "x" * 5_000_000})
    assert rr.read_run(path).collect().height == 50
    data = path.read_bytes()
    assert len(footer_of(data)) > 5_000_000
    path.write_bytes(with_footer(data, HUGE + bytes(5_000_000)))
    assert "is no whole Parquet file" in refusal(rr.read_run, path)


def test_the_header_of_a_page_may_hold_long_texts():
    file = io.BytesIO()
    long = pa.table({"a": [f"{i}{'x' * 3_000}" for i in range(9)]})
    pq.write_table(long, file, use_dictionary=False, data_page_size=1, write_batch_size=1)
    check_parquet(Contents("long", data=file.getvalue()))


@pytest.mark.slow
def test_no_damage_to_metadata_ends_the_process_or_changes_the_rows(tmp_path):
    """The bytes that name sizes, kinds and places, each replaced at random, as Polars takes them.

    Other tests of damage seldom hit them. It runs in a process of its own, which would be ended.
    """
    ended = subprocess.run(
        [sys.executable, "-c", METADATA, tmp_path / "run.parquet"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    refused, whole = map(int, ended.stdout.split())
    assert refused > 2_000
    assert refused + whole == 4_000


METADATA = """
import io, os, random, sys
from pathlib import Path
import polars as pl, pyarrow.parquet as pq
import rankreport as rr
from rankreport.io.parquet import _footer, _page

os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # panics print their place
rng, path = random.Random(1), Path(sys.argv[1])
frame = pl.DataFrame({
    "qid": [f"q{i // 20}" for i in range(200)],
    "docno": [f"d{i}" for i in range(200)],
    "score": [i * 0.5 for i in range(200)],
})
files = []
for options in (
    {},
    {"data_page_size": 100, "write_batch_size": 10, "compression": "none"},
    {"data_page_version": "2.0", "use_dictionary": False},
):
    file = io.BytesIO()
    if options:
        pq.write_table(frame.to_arrow(), file, row_group_size=50, **options)
    else:
        frame.write_parquet(file, row_group_size=50)
    data = file.getvalue()
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    spans = []
    for group in _footer(data[end:-8])[4]:
        for chunk in group[1]:
            held = chunk[3]
            at = min(held[9], held.get(11) or held[9])
            stop = at + held[7]
            while at < stop:
                header, behind = _page(data, at, stop)
                spans.append((at, behind))
                at = behind + header[3]
    files.append((data, [*spans, *[(end, len(data) - 4)] * len(spans)]))

refused = whole = 0
for _ in range(4_000):
    data, spans = rng.choice(files)
    data, (begin, end) = bytearray(data), rng.choice(spans)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(begin, end)
        if rng.random() < 0.3:
            data[at : at + 4] = b"\\xff\\xff\\xff\\xff"[: min(4, end - at)]
        else:
            data[at] = rng.choice([data[at] ^ 1 << rng.randrange(8), 0, 127, 128, 255])
    path.write_bytes(data)
    try:
        rows = rr.read_run(path).collect()
    except rr.DataError:
        refused += 1
    else:
        whole += rows.height == 200
print(refused, whole)
"""


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


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file that fails to be read")
@pytest.mark.parametrize("read", [rr.read_qrels, rr.read_run, rr.read_queries, rr.read_mteb])
def test_an_error_of_reading_an_open_file_is_one_of_the_data(read):
    with pytest.raises(rr.DataError, match=r"^/proc/self/mem cannot be read: Input/output error\."):
        read("/proc/self/mem")
