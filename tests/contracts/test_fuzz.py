"""Damaged sources: every reader reads them or refuses them as `RankReportError`.

A sample of mutations takes less than a minute. RANKREPORT_FUZZ sets their number::

    RANKREPORT_FUZZ=10000 pytest -m slow tests/contracts/test_fuzz.py

Mutations are read in processes of their own, since a parser that aborts ends its process, and one
that hangs has to be ended.
"""

from __future__ import annotations

import gzip
import io
import json
import multiprocessing
import os
import random
import tempfile
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

import rankreport as rr
from rankreport.errors import RankReportError
from rankreport.text.language import catalogue

N = int(os.environ.get("RANKREPORT_FUZZ", "3000"))
LONGEST = 10
"""Seconds that one source may take."""

ROWS = 60


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def frame(value):
    return pl.DataFrame(
        {
            "qid": [f"q{i % 7}" for i in range(ROWS)],
            "docno": [
                f"d{i}é" if i % 9 == 0 else f'd{i}"' if i % 11 == 0 else f"d{i}"
                for i in range(ROWS)
            ],
            value: [float(i % 5) for i in range(ROWS)],
        }
    )


def trec(value):
    if value == "score":
        return "".join(f"{q} Q0 {d} {i} {v} t\n" for i, (q, d, v) in enumerate(frame(value).rows()))
    return "".join(f"{q}\t0\t{d}\t{v}\n" for q, d, v in frame(value).rows())


def parquet(value, **options):
    file = io.BytesIO()
    frame(value).write_parquet(file, **options)
    return file.getvalue()


def evaluation():
    with tempfile.TemporaryDirectory() as folder:
        made = rr.evaluate(
            frame("rel"), {"a": frame("score"), "b": frame("score").head(40)}, ["AP"]
        )
        made.write_parquet(Path(folder) / "e.parquet")
        return (Path(folder) / "e.parquet").read_bytes()


def report():
    made = rr.evaluate(frame("rel"), {"a": frame("score")}, ["AP", "nDCG@5"])
    return rr.report(made).to_json().encode()


def language():
    return '[table]\n"{n} queries changed" = "{n} requêtes"\n"Better" = "Mieux"\n'.encode()


def counted(read):
    """Read rows, and return their number."""
    return lambda path: read(path).lazy().collect().height


def labelled():
    """Return labelled lists in every format, with their suffixes."""
    rows = frame("score").select(label=pl.int_range(pl.len()) % 5, qid="qid", score="score")
    return {
        "lines": (rows.write_csv(separator=" ", include_header=False).encode(), ".txt"),
        "several": (
            rows.with_columns(b=-pl.col("score"))
            .write_csv(separator="\t", include_header=False)
            .encode(),
            ".txt",
        ),
        "csv": (rows.write_csv().encode(), ".csv"),
        "jsonl": (rows.write_ndjson().encode(), ".jsonl"),
    }


def svmlight():
    return "".join(
        f"{i % 5} qid:{i // 9} 1:{i / 7:.3f} 4:0.5 # d{i}\n" for i in range(ROWS)
    ).encode()


LIST = frame("rel").select("qid", label="rel")
BARE = LIST.select("label", score="label")


def listed(source, *given, **more):
    """Evaluate a labelled list, and return the number of its documents."""
    rr.evaluate_labelled(source, *given, measures="nDCG", **more).summary()
    return rr.read_labelled(source, *given, **more).collect().height


def values(path):
    rr.load_evaluation(path).summary()


def page(path):
    rr.load_report(path).to_markdown()


def words(path):
    catalogue("fr", path.parent)


def file_name(suffix):
    """Return the name of a source; that of a language says which one it is."""
    return f"fr{suffix}" if suffix == ".toml" else f"source{suffix}"


def sources():
    """Return the undamaged bytes of every kind of source, its suffix and its reader."""
    made = {}
    for value, read in (("rel", rr.read_qrels), ("score", rr.read_run)):
        rows = frame(value)
        texts = {
            ".txt": trec(value).encode(),
            ".csv": rows.write_csv().encode(),
            ".tsv": rows.write_csv(separator="\t", quote_style="never").encode(),
            ".jsonl": rows.write_ndjson().encode(),
        }
        for suffix, data in texts.items():
            made[f"{value}{suffix}"] = (data, suffix, counted(read))
            made[f"{value}{suffix}.gz"] = (gzip.compress(data, mtime=0), suffix, counted(read))
            made[f"{value}{suffix}.zst"] = (zstd(data), suffix, counted(read))
        made[f"{value}.parquet"] = (parquet(value), ".parquet", counted(read))
        made[f"{value}.plain.parquet"] = (
            parquet(value, compression="uncompressed"),
            ".parquet",
            counted(read),
        )
    beir = frame("score").rename({"qid": "query-id", "docno": "corpus-id"})
    made["beir.tsv"] = (beir.write_csv(separator="\t").encode(), ".tsv", counted(rr.read_run))
    texts = pl.DataFrame({"qid": ["1", "2", "3"], "text": ['a "b", c', "d\ne", "=f"]})
    made["queries.csv"] = (texts.write_csv().encode(), ".csv", counted(rr.read_queries))
    made["scores.parquet"] = (evaluation(), ".parquet", values)
    made["report.json"] = (report(), ".json", page)
    for name, (data, suffix) in labelled().items():
        for packed, compressed in (("", data), (".gz", gzip.compress(data, mtime=0))):
            made[f"labelled {name}{packed}"] = (compressed, suffix, listed)
    made["labelled.svm"] = (svmlight(), ".svm", lambda path: listed(path, [1.0] * ROWS))
    numbers = "".join(f"{i / 7!r}\n" for i in range(ROWS)).encode()
    made["labelled scores"] = (numbers, ".txt", lambda path: listed(LIST, path))
    made["labelled sizes"] = (b"20\n30\n10\n", ".query", lambda path: listed(BARE, group=path))
    made["language"] = (language(), ".toml", words)
    return made


MARKS = (
    *(b'"', b"\n", b"\r", b"\t", b",", b"{", b"\x00", b"\x01", b"\xe9", b"\xef\xbb\xbf"),
    *(b"\f", b"\\"),
)
DELIMITERS = (b" ", b"\t", b",", b'"', b"\n", b"\r\n")


def place(found, rng):
    """Return a position: anywhere, at the begin of a field, or near the end, where footers are."""
    at = rng.randrange(len(found) + 1)
    kind = rng.randrange(3)
    if kind == 0:
        at = max((found.find(mark, at) for mark in (b" ", b"\t", b",", b"\n")), default=0) + 1
    elif kind == 1:
        at = max(0, len(found) - rng.randrange(1, 700))
    return min(at, max(0, len(found) - 1))


def flip(found, at, rng):
    if found:
        found[at] ^= 1 << rng.randrange(8)
    return found


def cut(found, at, rng):
    del rng
    return found[:at]


def drop(found, at, rng):
    return found[:at] + found[at + rng.randrange(1, 40) :]


def insert(found, at, rng):
    return found[:at] + rng.randbytes(rng.randrange(1, 6)) + found[at:]


def mark(found, at, rng):
    return found[:at] + rng.choice(MARKS) + found[at:]


def quote(found, at, rng):
    """Put marks at the begin of one field and at the end of another, lines below."""
    marks = [i for i, byte in enumerate(found) if byte in b" \t,\n" and i >= at][:30]
    if len(marks) < 2:
        return found
    begin, end = sorted(rng.sample(marks, 2))
    return found[: begin + 1] + b'"' + found[begin + 1 : end] + b'"' + found[end:]


def repeat_line(found, at, rng):
    del at
    lines = bytes(found).split(b"\n")
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return bytearray(b"\n".join(lines))


def swap(found, at, rng):
    del at
    old, new = rng.sample(DELIMITERS, 2)
    return bytearray(bytes(found).replace(old, new, rng.choice([1, 5, -1])))


def pack(found, at, rng):
    packed = bytearray(gzip.compress(bytes(found), mtime=0))
    return packed if at % 3 == 0 else flip(packed, rng.randrange(len(packed)), rng)


DAMAGE = (flip, flip, cut, drop, insert, mark, quote, repeat_line, swap, pack)


def mutated(data, rng):
    """Return the bytes with one to three kinds of damage."""
    found = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        found = rng.choice(DAMAGE)(found, place(found, rng), rng)
    return bytes(found)


def plain(data):
    """Return what is within gzip, or None."""
    try:
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except Exception:  # noqa: BLE001 - whatever is wrong with it
        return None


def n_records(data, suffix):
    """Count the lines of a source that become rows, where one can tell; else return None."""
    text = plain(data)
    if text is None or suffix not in {".txt", ".tsv", ".csv", ".jsonl"}:
        return None
    quoted = b'"' in text and (suffix == ".csv" or b"-id" in text[:20])
    if quoted or text.startswith((b"\x28\xb5\x2f\xfd", b"PAR1")):
        return None
    lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    blank = b" \t\f\v\r" + (b"," if suffix == ".csv" else b"")
    lines = [line for line in lines if line.strip(blank)]
    header = lines and suffix in {".csv", ".tsv"} and b"q0" not in lines[0]
    return len(lines) - bool(header)


def attempt(task):
    """Read one mutation; return what is wrong with how it went, or None."""
    name, seed, folder = task
    data, suffix, read = SOURCES[name]
    damaged = mutated(data, random.Random(f"{name} {seed}"))
    own = Path(folder) / str(os.getpid())
    own.mkdir(exist_ok=True)
    for old in own.iterdir():
        old.unlink()
    path = own / file_name(suffix)
    path.write_bytes(damaged)
    try:
        n_rows = read(path)
    except RankReportError:
        return None
    except BaseException as error:  # noqa: BLE001 - a panic of Polars is one
        return f"{name} {seed}: {type(error).__name__}: {str(error)[:200]}"
    expected = n_records(damaged, suffix) if isinstance(n_rows, int) else None
    if expected is not None and n_rows != expected:
        return f"{name} {seed}: {expected} rows in, {n_rows} kept, and no word of the others"
    return None


SOURCES = {}


class Worker:
    """A process that reads sources one by one, and is replaced when it dies."""

    def __init__(self, folder):
        self.folder = folder
        self.start()

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.mine, theirs = context.Pipe()
        back, self.back = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, back, self.folder), daemon=True)
        self.process.start()
        theirs.close()
        back.close()
        assert self.back.poll(120)
        self.back.recv()

    def attempt(self, name, seed):
        self.mine.send((name, seed))
        try:
            if self.back.poll(LONGEST):
                return self.back.recv()
            fault = f"{name} {seed}: no end after {LONGEST} s"
        except (EOFError, OSError):
            self.process.join(5)
            fault = f"{name} {seed}: the process ended with {self.process.exitcode}"
        self.end()
        self.start()
        return fault

    def end(self):
        self.process.kill()
        self.process.join()


def serve(queue, found, folder):
    SOURCES.update(sources())
    # Panics print their place; nobody reads it here.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    found.send(None)
    while True:
        found.send(attempt((*queue.recv(), folder)))


def test_the_undamaged_sources_are_read(tmp_path):
    for name, (data, suffix, read) in sources().items():
        path = tmp_path / file_name(suffix)
        path.write_bytes(data)
        n_rows = read(path)
        if name.startswith(("rel", "score.", "labelled")) and n_rows is not None:
            assert n_rows == ROWS
    assert json.loads(report())["schema"]


@pytest.mark.slow
def test_damaged_sources_are_read_or_refused(tmp_path):
    names = list(sources())
    worker = Worker(str(tmp_path))
    try:
        faults = [worker.attempt(names[seed % len(names)], seed) for seed in range(N)]
    finally:
        worker.end()
    assert [fault for fault in faults if fault] == []
