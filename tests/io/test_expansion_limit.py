"""Files that expand far are refused before they fill the memory, however they are compressed."""

from __future__ import annotations

import gzip
import io
import random
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankreport as rr
from rankreport.io import expansion_limit, open_corpus
from rankreport.io.expansion_limit import check_expansion

LINE = b"q1 Q0 d1 1 1.0 t\n"
MEMBER = gzip.compress(LINE * 500_000, 1)


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def parquet():
    """Five million rows of the same values."""
    rows = pa.table({name: [value] * 10**6 for name, value in (("qid", "q"), ("docno", "d"))})
    rows = rows.append_column("score", pa.array([1.0] * 10**6))
    file = io.BytesIO()
    with pq.ParquetWriter(file, rows.schema, compression="zstd") as writer:
        for _ in range(5):
            writer.write_table(rows)
    return file.getvalue()


BOMBS = {
    "gzip.txt": lambda: gzip.compress(LINE * 20_000_000, 1),
    "members.txt": lambda: MEMBER * 10,
    "zstd.txt": lambda: zstd(LINE * 5_000_000),
    "frames.txt": lambda: zstd(LINE * 500_000) * 10,
    "document.json": lambda: gzip.compress(b'{"q": {"d": 1' + b" " * (8 * 10**7) + b"}}", 1),
    "table.parquet": parquet,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_expands_far_is_refused(name, tmp_path, monkeypatch):
    """It holds 300 MB or more; at most a few MB of them are expanded at a time.

    Of the others than the first a quarter, with a quarter of the usual limit.
    """
    limit = 268
    if name != "gzip.txt":
        limit = 67
        monkeypatch.setattr(expansion_limit, "_ALWAYS", limit * 10**6)
    path = tmp_path / name
    path.write_bytes(BOMBS[name]())
    tracemalloc.start()
    for read in (rr.read_run, rr.read_qrels, rr.read_queries, open_corpus, rr.read_labelled):
        message = rf"expands to more than {limit} MB, so .* RANKREPORT_EXPANDED=1GB"
        with pytest.raises(rr.DataError, match=message):
            read(path)
    assert tracemalloc.get_traced_memory()[1] < 30e6
    tracemalloc.stop()


@pytest.mark.parametrize("compress", [gzip.compress, zstd], ids=["gzip", "zstd"])
def test_the_limit_is_an_option(compress, tmp_path, monkeypatch):
    lines = "".join(f"q{i} Q0 d{i} 1 {i}.5 t\n" for i in range(50_000)).encode()
    path = tmp_path / "run"
    path.write_bytes(compress(lines))
    monkeypatch.setattr(expansion_limit, "_ALWAYS", 1000)
    assert rr.read_run(path).collect().height == 50_000  # less than a hundred times its size
    monkeypatch.setenv("RANKREPORT_EXPANDED", "500kB")
    with pytest.raises(rr.DataError, match=r"expands to more than 500,000 bytes"):
        rr.read_run(path)
    monkeypatch.setenv("RANKREPORT_EXPANDED", "2 MB")
    assert rr.read_run(path).collect().height == 50_000
    monkeypatch.setenv("RANKREPORT_EXPANDED", "much")
    with pytest.raises(rr.OptionError, match="RANKREPORT_EXPANDED='much' is not a size"):
        rr.read_run(path)


@pytest.mark.parametrize("compress", [gzip.compress, zstd], ids=["gzip", "zstd"])
@pytest.mark.parametrize("size", [0, 1, 300, 70_000, 300_000])
def test_no_file_is_refused_for_less_than_it_holds(compress, size, monkeypatch):
    """A limit of what it holds, up to a block, passes, and a lower one does not."""
    data = random.Random(size).randbytes(size // 2) + b" " * (size - size // 2)
    packed = io.BytesIO(compress(data) + compress(data))
    monkeypatch.setenv("RANKREPORT_EXPANDED", f"{2 * size + 2 * 2**17}")
    check_expansion("it", packed)
    if size:
        monkeypatch.setenv("RANKREPORT_EXPANDED", f"{2 * size - 1}")
        with pytest.raises(rr.DataError, match="it has"):
            check_expansion("it", packed)


def test_random_bytes_after_a_signature_pass(monkeypatch):
    """Reading them says what is wrong."""
    monkeypatch.setattr(expansion_limit, "_ALWAYS", 100)
    rng = random.Random(1)
    for _ in range(3_000):
        head = rng.choice([expansion_limit.GZIP + b"\x08\x00", expansion_limit.ZSTD])
        file = io.BytesIO(head + rng.randbytes(rng.randrange(60)))
        try:
            check_expansion("it", file)
        except rr.DataError as error:
            assert "expands" in str(error)  # noqa: PT017 - most do not
