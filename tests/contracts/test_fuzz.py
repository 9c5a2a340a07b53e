"""Damaged sources: every reader reads them or refuses them as `RankReportError`.

A sample of mutations takes about a minute. RANKREPORT_FUZZ sets their number, and ``-rP`` shows
how many there were of each kind::

    RANKREPORT_FUZZ=10000 pytest -rP -m slow tests/contracts/test_fuzz.py

Some mutations change bytes at random (`DAMAGE`), the others plant what the format of the
source allows and nothing expects (`KINDS`).

Mutations are read in processes of their own, since a parser that aborts ends its process, and one
that hangs has to be ended. Where Polars aborts on a Parquet file, as it does if it allocates what a
damaged footer states, nothing can be caught: that is counted apart, and named.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import math
import multiprocessing
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankreport as rr
from rankreport.errors import RankReportError
from rankreport.io import open_corpus
from rankreport.io.expansion_limit import EXPANDED, GZIP, ZSTD
from rankreport.text.language import catalogue

N = int(os.environ.get("RANKREPORT_FUZZ", "3000"))
LONGEST = 10
"""Seconds that one source may take."""

ROWS = 60
LIMIT = 1 << 20
"""The bytes to which a source may expand here."""


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
    return parquet_of(frame(value), **options)


def parquet_of(rows, **options):
    file = io.BytesIO()
    rows.write_parquet(file, **options)
    return file.getvalue()


def evaluation():
    with tempfile.TemporaryDirectory() as folder:
        judged = frame("rel").filter(pl.int_range(pl.len()) % 2 == 0)  # others are unjudged
        made = rr.evaluate(judged, {"a": frame("score"), "b": frame("score").head(40)}, ["AP"])
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
    """Load an evaluation, and return the number of its scores."""
    found = rr.load_evaluation(path)
    found.summary()
    return found.scores.height


def page(path):
    rr.load_report(path).to_markdown()


def words(path):
    catalogue("fr", path.parent)


def checked(path):
    """Check a run, which says stop where a reader refuses it and raises that, nowhere else."""
    qrels = frame("rel").with_columns((pl.col("rel") + 1) % 3)
    found = rr.check(qrels, {"mine": path}, ["nDCG@5"])
    stops = {each.code for each in found.cautions if each.severity == "stop"}
    floats = {each.code for each in found.cautions} & {"float_ids"}
    try:
        rr.read_run(path).collect()
    except RankReportError:
        others = {"swapped", "no_shared_queries"}
        assert floats | stops & {"unreadable", "invalid_rows", "repeated", *others}
        raise
    else:
        assert not floats | stops & {"unreadable", "invalid_rows", "repeated"}


def passages(path):
    """Evaluate with a table of passages and documents."""
    names = frame("score")["docno"].to_list()
    run = {"q1": {name: -float(place) for place, name in enumerate(names)}}
    options = {"collapse": "sum", "document_of": path}
    assert len(rr.evaluate({"q1": {"a": 1}}, {"mine": run}, ["AP"], **options).scores) == 1


def headerless():
    """Return files without a header, by the name of the source, and their readers."""
    rows = frame("score")
    place = pl.int_range(1, pl.len() + 1).over("qid")
    ranked = rows.sort("qid", maintain_order=True).with_columns(place.alias("score"))
    files = {
        "bare queries": (rows.select(pl.format("{}-{}", "qid", "docno"), "docno"), rr.read_queries),
        "bare ranks": (ranked, rr.read_run),
        "bare scores": (rows.with_columns(score=-place), rr.read_run),
        "bare columns": (rows, lambda path: rr.read_run(path, columns="qid,doc,score")),
    }
    return {
        name: (
            made.write_csv(separator="\t", include_header=False, quote_style="never").encode(),
            counted(read),
        )
        for name, (made, read) in files.items()
    }


def corpora():
    """Return texts of documents as files, with their suffixes."""
    rows = pl.DataFrame(
        {
            "doc_id": [f"d{i}" for i in range(ROWS)],
            "title": [f'Title {i}, of "é"' if i % 3 else "" for i in range(ROWS)],
            "text": [f"A text.\nOf {i} = lines" if i % 5 else None for i in range(ROWS)],
            "url": [f"https://example.org/{i}" for i in range(ROWS)],
        }
    )
    flat = rows.with_columns(pl.col("text").str.replace("\n", " "))
    bare = flat.select("doc_id", "url", "title", pl.col("text").fill_null("none"))
    return {
        "jsonl": (rows.rename({"doc_id": "_id"}).write_ndjson().encode(), ".jsonl"),
        "csv": (rows.write_csv().encode(), ".csv"),
        "tsv": (flat.write_csv(separator="\t", quote_style="never").encode(), ".tsv"),
        "bare": (
            bare.write_csv(separator="\t", include_header=False, quote_style="never").encode(),
            ".tsv",
        ),
        "parquet": (parquet_of(rows), ".parquet"),
        "json": (json.dumps(dict(rows.select("doc_id", "title").iter_rows())).encode(), ".json"),
    }


def documents(path):
    """Look documents up in a corpus, as a report does with those it shows."""
    corpus = open_corpus(path)
    found = corpus.texts([f"d{i}" for i in range(0, ROWS, 7)])
    assert found.columns == ["doc_id", "title", "text", "url"]
    assert not found["doc_id"].is_duplicated().any()
    corpus.first()


def nested(value):
    """Return the rows as JSON, in one line: ``{query: {document: value}}``."""
    parts = frame(value).partition_by("qid", as_dict=True, maintain_order=True)
    return {q: dict(part.select("docno", value).iter_rows()) for (q,), part in parts.items()}


def lists_of(rows):
    return {query: list(documents) for query, documents in rows.items()}


def exports():
    """Return the exports of engines and evaluations, by the name of the source."""
    judged, ranked = nested("rel"), lists_of(nested("score"))
    meta = {"model_name": "org/small", "revision": "1"}
    ratings = {
        q: [{"_index": "i", "_id": d, "rating": int(g)} for d, g in docs.items()]
        for q, docs in judged.items()
    }
    requests = [{"id": q, "ratings": each} for q, each in ratings.items()]
    hits = {
        q: [{"hit": {"_index": "i", "_id": d, "_score": 1.5}} for d in docs]
        for q, docs in ranked.items()
    }
    details = {q: {"metric_score": 0.5, "hits": each} for q, each in hits.items()}
    failures = {"q9": {"error": {"type": "x"}}}
    found = [
        {"hits": {"total": {"value": 9}, "hits": [h["hit"] for h in each]}}
        for each in hits.values()
    ]
    lists = [
        {"query": q, "ratings": [{"docId": d, "rating": f"{g:.3f}"} for d, g in docs.items()]}
        for q, docs in judged.items()
    ]
    results = [
        {"searchConfigurationId": "c", "searchText": q, "documentIds": docs}
        for q, docs in ranked.items()
    ]
    return {
        "rel.json": (judged, counted(rr.read_qrels)),
        "score.json": (nested("score"), counted(rr.read_run)),
        "lists.json": (ranked, counted(rr.read_run)),
        "mteb.json": (
            {"mteb_model_meta": meta, "en": {"test": nested("score")}},
            unchecked(rr.read_run),
        ),
        "request.json": (
            {"requests": requests, "metric": {"dcg": {"k": 9}}},
            unchecked(rr.read_qrels),
        ),
        "answer.json": (
            {"metric_score": 0.5, "details": details, "failures": failures},
            unchecked(rr.read_run),
        ),
        "msearch.json": ({"took": 1, "responses": found}, unchecked(answers)),
        "searches.json": (dict(zip(judged, found, strict=True)), unchecked(rr.read_run)),
        "judgments.json": ({"name": "n", "judgmentRatings": lists}, unchecked(rr.read_qrels)),
        "results.json": (results, unchecked(systems)),
    }


def answers(path):
    return rr.read_run(rr.read_msearch(path, [f"q{i}" for i in range(7)]))


def systems(path):
    """Read every system of a file, and the cautions on them."""
    judged = {query: {"d1": 1} for query in ("q1", "-q1")}
    rr.evaluate(judged, [path], ["RR@1"]).cautions  # noqa: B018 - read on first use
    return pl.DataFrame()


def quepid(value):
    """Return ratings or snapshots as Quepid writes them."""
    rows = frame(value).with_columns((pl.lit(" -") + pl.col("qid")).alias("qid"))
    if value == "rel":
        return (
            "query,docid,rating\n"
            + "".join(f"{q},{d},{int(g)}\n" for q, d, g in rows.rows()).replace('"', "")
            + "none,,\n"
        )
    lines = [
        f's{i % 2},{q},{d},{i},"a, ""b"""\r\n'.replace(f"{d},", d.replace('"', '""') + ",")
        for i, (q, d, _) in enumerate(rows.rows())
    ]
    return "Snapshot Name,Query Text,Doc ID,Doc Position,title\r\n" + "".join(lines)


def folder_of(name):
    """Return a reader that puts a file into a folder of BEIR, and reads that."""

    def read(path):
        folder = path.parent / "beir"
        (folder / "qrels").mkdir(parents=True, exist_ok=True)
        (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
        (folder / name).write_bytes(path.read_bytes())
        try:
            return (rr.read_qrels if name.endswith(".tsv") else rr.read_queries)(folder)
        finally:
            shutil.rmtree(folder)

    return read


def unchecked(read):
    """Read rows, some of which are left out with a word."""

    def run(path):
        counted(read)(path)

    return run


def file_name(suffix):
    """Return the name of a source; that of a language says which one it is."""
    return f"fr{suffix}" if suffix == ".toml" else f"source{suffix}"


def of_other_tools():
    """Return tables with other separators, and hits by query."""
    rows, read = frame("score"), rr.read_run
    hits = rows.group_by("qid", maintain_order=True).agg(results=pl.struct("docno", "score"))
    return {
        "semicolons.csv": (rows.write_csv(separator=";").encode(), ".csv", counted(read)),
        "bars.csv": (rows.write_csv(separator="|").encode(), ".csv", counted(read)),
        "hits.jsonl": (hits.write_ndjson().encode(), ".jsonl", unchecked(read)),
    }


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
    for suffix in (".txt", ".csv", ".jsonl"):
        made[f"checked{suffix}"] = (made[f"score{suffix}"][0], suffix, checked)
    table = frame("score").select("docno", document=pl.lit("a"))
    made["checked.parquet"] = (made["score.parquet"][0], ".parquet", checked)
    made["passages.csv"] = (table.write_csv().encode(), ".csv", passages)
    made["passages.parquet"] = (parquet_of(table), ".parquet", passages)
    beir = frame("score").rename({"qid": "query-id", "docno": "corpus-id"})
    made["beir.tsv"] = (beir.write_csv(separator="\t").encode(), ".tsv", counted(rr.read_run))
    for name, (value, read) in exports().items():
        made[name] = (json.dumps(value).encode(), ".json", read)
    made["pretty.json"] = (
        json.dumps(nested("rel"), indent=1).encode(),
        ".json",
        counted(rr.read_qrels),
    )
    made["checked.json"] = (made["lists.json"][0], ".json", checked)
    for name in ("rel.json", "score.json", "answer.json"):
        data, suffix, read = made[name]
        made[f"{name}.gz"] = (gzip.compress(data, mtime=0), suffix, read)
    made["ratings.csv"] = (quepid("rel").encode(), ".csv", unchecked(rr.read_qrels))
    book = frame("rel").select(query="qid", docid="docno", Ann="rel", Bo=pl.col("rel") + 1)
    made["book.csv"] = (book.write_csv().encode(), ".csv", unchecked(rr.read_qrels))
    made["snapshots.csv"] = (quepid("score").encode(), ".csv", unchecked(systems))
    made |= of_other_tools()
    several = pl.concat(
        frame("score").with_columns(pl.col("score") * sign, system=pl.lit(name))
        for name, sign in (("old", 1), ("new", -1))
    )
    made["several.csv"] = (several.write_csv().encode(), ".csv", unchecked(systems))
    made["several.jsonl"] = (several.write_ndjson().encode(), ".jsonl", unchecked(systems))
    made["several.parquet"] = (parquet_of(several), ".parquet", unchecked(systems))
    tsv = beir.with_columns(pl.col("score").cast(pl.Int64)).write_csv(separator="\t")
    made["folder.tsv"] = (tsv.encode(), ".tsv", counted(folder_of("qrels/test.tsv")))
    lines = "".join(f'{{"_id": "q{i}", "text": "a \\"b\\"", "metadata": {{}}}}\n' for i in range(9))
    made["folder.jsonl"] = (lines.encode(), ".jsonl", counted(folder_of("queries.jsonl")))
    texts = pl.DataFrame({"qid": ["1", "2", "3"], "text": ['a "b", c', "d\ne", "=f"]})
    made["queries.csv"] = (texts.write_csv().encode(), ".csv", counted(rr.read_queries))
    for name, (data, read) in headerless().items():
        made[name] = (data, ".tsv", read)
    for name, (data, suffix) in corpora().items():
        made[f"corpus {name}"] = (data, suffix, documents)
    made["corpus.jsonl.gz"] = (gzip.compress(corpora()["jsonl"][0], mtime=0), ".jsonl", documents)
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


# --- kinds of damage that know the format ---------------------------------------------------------

SECRET = "sEcReT"
ADDRESSES = tuple(
    json.dumps(f"https://{user}example.org/{end}")
    for user in ("", f"me:{SECRET}@")
    for end in (
        f"d1?token={SECRET}",
        f"{'d' * 50}?X-Amz-Signature={SECRET}&b",
        f"a#access_token={SECRET}",
    )
)
NO_IDS = ("12.0", "1.5", "true", "null", "[]", '["d1"]', "{}", '{"d1": 1}', "-0.0", "1e22", "7")
INFINITE = ("Infinity", "-Infinity", "NaN", "1e999")
DEEP = ("[" * 3000 + "]" * 3000, '{"a":' * 3000 + "1" + "}" * 3000, "[" * 3000)
MARK = "\x02"
"""What stands where a text of JSON is planted that Python would not write."""


def replaced(value, rng, new):
    """Return JSON with one value or, of an object, its entries replaced by what `new` returns."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        return {**value, key: replaced(value[key], rng, new)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        return [*value[:at], replaced(value[at], rng, new), *value[at + 1 :]]
    return new(value)


def of_json(change):
    """Return a kind of damage to JSON: to a document, to lines, or to what an evaluation states."""

    def damage(data, suffix, rng):
        if suffix == ".json":
            return change([json.loads(data)], rng)
        if suffix == ".jsonl":
            return change([json.loads(line) for line in data.splitlines()], rng)
        if suffix == ".parquet":
            table = pq.read_table(io.BytesIO(data))
            about = table.schema.metadata or {}
            if b"rankreport" in about:
                made = change([json.loads(about[b"rankreport"])], rng)
                return stored(table.replace_schema_metadata({**about, b"rankreport": made}))
        return None

    return damage


def lines_of(values, text=json.dumps):
    return "\n".join(map(text, values)).encode()


def planting(texts):
    """Return a kind of damage that replaces one value of JSON, or one field of several lines."""

    def change(values, rng):
        text = rng.choice(texts)
        where, share = rng.random(), rng.choice([0, 0.5, 1])
        only = rng.randrange(len(values))
        values = [
            replaced(value, random.Random(where), lambda _: MARK)
            if n == only or rng.random() < share
            else value
            for n, value in enumerate(values)
        ]
        return lines_of(values).replace(json.dumps(MARK).encode(), text.encode())

    return of_json(change)


@of_json
def repeat_key(values, rng):
    """Give an object of JSON a key twice."""
    keys = []

    def twice(value):
        if not isinstance(value, dict) or not value:
            return value
        keys.append(rng.choice(list(value)))
        return {**value, MARK: rng.choice([value[keys[0]], None, "d2", 1])}

    found = values
    for _ in range(40):
        at = rng.randrange(len(values))
        found = [*values[:at], replaced(values[at], rng, twice), *values[at + 1 :]]
        if keys:
            return lines_of(found).replace(
                json.dumps(MARK).encode(), json.dumps(keys[0]).encode(), 1
            )
    return None


def stored(table):
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


RETYPED = (
    *(lambda v: {"id": v}, lambda v: [v], lambda v: [[v]], lambda v: str(v).encode()),
    *(
        lambda _: date(2010, 1, 1),
        lambda v: Decimal(len(str(v))),
        bool,
        lambda _: None,
    ),
    *(lambda v: float(len(str(v))), lambda v: len(str(v)) + 0.5, str),
    *(lambda v: v if len(str(v)) % 2 else None, lambda v: {"id": [v], "b": {"c": None}}),
)


def of_columns(makes, kind=None):
    """Return a kind of damage that replaces the values of a column of Parquet."""

    def damage(data, suffix, rng):
        if suffix != ".parquet":
            return None
        table = pq.read_table(io.BytesIO(data))
        places = [i for i, each in enumerate(table.schema.types) if kind is None or kind(each)]
        if not places:
            return None
        at, make = rng.choice(places), rng.choice(makes)
        name, values = table.column_names[at], table.column(at).to_pylist()
        rows = range(len(values)) if kind is None else {rng.randrange(len(values))}
        values = [make(value) if n in rows else value for n, value in enumerate(values)]
        return stored(table.set_column(at, name, pa.array(values)))

    return damage


def flip_footer(data, suffix, rng):
    """Change bytes of the metadata of a Parquet file."""
    if suffix != ".parquet":
        return None
    found = bytearray(data)
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.randrange(begin, len(data))
        found[at] = rng.choice([found[at] ^ 1 << rng.randrange(8), 0, 127, 128, 255])
    return bytes(found)


def of_packed(change):
    """Return a kind of damage to the text of a source, packed in one of two ways."""

    def damage(data, suffix, rng):
        if suffix == ".parquet":
            return None
        pack = rng.choice([lambda part: gzip.compress(part, mtime=0), zstd])
        return change(plain(data), pack, rng)

    return damage


def parts_of(text, rng):
    places = sorted(rng.randrange(len(text) + 1) for _ in range(rng.choice([1, 1, 2, 5])))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


@of_packed
def expand(text, pack, rng):
    """Let a source expand beyond the limit, in one member or several."""
    unit = rng.choice([b"\n", b" ", text or b" "])
    more = unit * (LIMIT // len(unit) + 1)
    members = rng.choice([[text + more], [text, more], [text, more[::2], more[::2]]])
    return b"".join(map(pack, members))


@of_packed
def truncate(text, pack, rng):
    found = b"".join(map(pack, parts_of(text, rng)))
    return found[: -rng.choice([1, 2, 4, 5, 8, rng.randrange(1, len(pack(text)) - 4)])]


@of_packed
def trail(text, pack, rng):
    garbage = (b"\x00" * 9, b"\x00", b"\n", b"q1 Q0 d1 1 2 t\n", b"\x1f\x8b", rng.randbytes(30))
    return pack(text) + rng.choice(garbage)


@of_packed
def split(text, pack, rng):
    return b"".join(map(pack, parts_of(text, rng)))


def address_in_line(data, suffix, rng):
    """Put an address with a secret into a field of text, and damage the line sometimes."""
    if suffix not in {".txt", ".csv", ".tsv", ".svm"}:
        return None
    found = bytearray(plain(data))
    begin = place(found, rng)
    gaps = [i for i in range(begin, len(found)) if found[i] in b" \t,\n"][:2]
    address = json.loads(rng.choice(ADDRESSES)).encode()
    if len(gaps) == 2:
        found[gaps[0] + 1 : gaps[1]] = address
    else:
        found += address
    return bytes(repeat_line(found, 0, rng) if rng.random() < 0.5 else found)


def is_float(kind):
    return pa.types.is_floating(kind)


@dataclass
class Kind:
    """A kind of damage; `refused` says whether no source with it may be read.

    In texts of documents, of which a page shows a few, what nobody asks for is not checked.
    """

    damage: Callable
    refused: bool = False


KINDS = {
    "ids that are no text": Kind(planting(NO_IDS)),
    "infinity and NaN": Kind(planting(INFINITE)),
    "deep nesting": Kind(planting(DEEP), refused=True),
    "addresses in JSON": Kind(planting(ADDRESSES)),
    "addresses in lines": Kind(address_in_line),
    "a key twice": Kind(repeat_key, refused=True),
    "columns of other types": Kind(of_columns(RETYPED)),
    "infinity and NaN in Parquet": Kind(
        of_columns(tuple(lambda _, v=v: v for v in (math.inf, -math.inf, math.nan)), is_float),
        refused=True,
    ),
    "footers": Kind(flip_footer),
    "expansion": Kind(expand, refused=True),
    "truncated members": Kind(truncate, refused=True),
    "trailing garbage": Kind(trail),
    "several members": Kind(split),
}


def spoil(name, seed):
    """Return the kind of a mutation and its bytes."""
    data, suffix, _ = SOURCES[name]
    rng = random.Random(f"{name} {seed}")
    if rng.random() < 0.3:
        return "bytes", mutated(data, rng)
    for kind in rng.sample(list(KINDS), len(KINDS)):
        damaged = KINDS[kind].damage(data if suffix == ".parquet" else plain(data), suffix, rng)
        if damaged is not None:
            packed = data.startswith(GZIP) and rng.random() < 0.5
            return kind, gzip.compress(damaged) if packed else damaged
    return "bytes", mutated(data, rng)


def plain(data):
    """Return what is within gzip or zstd, up to what is neither, or None where it is damaged."""
    try:
        if data.startswith(GZIP):
            found = b""
            while data.startswith(GZIP):
                member = zlib.decompressobj(31)
                found += member.decompress(data)
                if not member.eof:
                    return None
                data = member.unused_data
            return found
        if data.startswith(ZSTD):
            with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
                return stream.read()
    except Exception:  # noqa: BLE001 - whatever is wrong with it
        return None
    return data


def n_stored(data):
    """Count the rows of a Parquet file as pyarrow reads them, or return None."""
    try:
        return pq.read_table(io.BytesIO(data)).num_rows
    except Exception:  # noqa: BLE001 - whatever is wrong with it
        return None


def n_quoted(text, separator):
    """Count the records of a table with quoted fields as Python reads them, or return None."""
    if re.search(rb"\r(?!\n)", text):  # which ends a record for Python alone
        return None
    try:
        lines = io.StringIO(text.decode(), newline="")
        records = list(csv.reader(lines, delimiter=separator, strict=True))
    except (csv.Error, UnicodeDecodeError):
        return None
    return sum(any(field.strip() for field in record) for record in records) - 1


def n_in_document(text):
    """Count the rows of JSON, ``{query: {document: value}}``, lists or records, or return None."""
    try:
        found = json.loads(text.decode("utf-8-sig"), object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, list):  # of records
        return len(found)
    if isinstance(found, tuple) and all(isinstance(each, list | tuple) for _, each in found):
        return sum(len(each) for _, each in found)
    return None


NAMED = re.compile(rb"qid|doc|query|text|score|rel|label")
"""What stands in the header of a table, and in no row."""


def n_records(data, suffix):
    """Count the lines of a source that become rows, where one can tell; else return None."""
    if data.startswith(b"PAR1"):
        return n_stored(data)
    text = plain(data)
    if text is not None and suffix == ".json":
        return n_in_document(text)
    if text is None or suffix not in {".txt", ".tsv", ".csv", ".jsonl"}:
        return None
    if text.startswith((GZIP, ZSTD, b"PAR1")):
        return None
    text = text.removeprefix(b"\xef\xbb\xbf")
    first = next((line for line in text.split(b"\n") if line.strip()), b"")
    if b'"' in text and (suffix == ".csv" or b"-id" in first[:20]):
        return n_quoted(text, "," if b"," in first else "\t")
    lines = text.split(b"\n")
    blank = b" \t\f\v\r" + (b"," if suffix == ".csv" else b"")
    lines = [line for line in lines if line.strip(blank)]
    header = lines and suffix in {".csv", ".tsv"} and NAMED.search(lines[0])
    return len(lines) - bool(header)


def attempt(task):
    """Read one mutation; return its kind and how it went."""
    name, seed, folder = task
    suffix, read = SOURCES[name][1:]
    kind, damaged = spoil(name, seed)
    return kind, outcome(kind, damaged, read, written(damaged, suffix, seed, Path(folder)))


def written(data, suffix, seed, folder):
    """Write a mutation; some names look like an address with a secret."""
    own = folder / str(os.getpid())
    own.mkdir(exist_ok=True)
    for old in own.iterdir():
        old.unlink()
    name = f"source?token={SECRET}{suffix}" if seed % 5 == 0 else f"source{suffix}"
    path = own / (file_name(suffix) if suffix == ".toml" else name)
    path.write_bytes(data)
    return path


READ, REFUSED, ABORTED = "read", "refused", "Polars aborts"

BY_POLARS = "import polars, sys; polars.read_parquet(sys.argv[1], glob=False)"


def aborts_polars(folder):
    """Return whether the file in a folder is Parquet on which Polars alone ends a process."""
    (path,) = folder.iterdir()
    if path.suffix != ".parquet":
        return False
    ended = subprocess.run(
        [sys.executable, "-c", BY_POLARS, path], capture_output=True, check=False
    )
    return ended.returncode == -signal.SIGABRT


def outcome(kind, damaged, read, path):
    """Read a file; return whether it is read or refused, or what is wrong with how it went."""
    try:
        n_rows = read(path)
    except RankReportError as error:
        return f"a secret in: {error}" if SECRET in str(error) else REFUSED
    except BaseException as error:  # noqa: BLE001 - a panic of Polars is one
        return f"{type(error).__name__}: {str(error)[:200]}"
    if kind in KINDS and KINDS[kind].refused and read is not documents:
        return "read, and not refused"
    expected = n_records(damaged, path.suffix) if isinstance(n_rows, int) else None
    if expected is not None and n_rows != expected:
        return f"{expected} rows in, {n_rows} kept, and no word of the others"
    return READ


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
            fault = f"no end after {LONGEST} s"
        except (EOFError, OSError):
            self.process.join(5)
            fault = f"the process ended with {self.process.exitcode}"
            if aborts_polars(Path(self.folder) / str(self.process.pid)):
                fault = ABORTED
        self.end()
        self.start()
        return "ended", fault

    def end(self):
        self.process.kill()
        self.process.join()


def serve(queue, found, folder):
    SOURCES.update(sources())
    os.environ[EXPANDED] = str(LIMIT)
    # Panics print their place; nobody reads it here.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    found.send(None)
    while True:
        found.send(attempt((*queue.recv(), folder)))


def test_the_undamaged_sources_are_read(tmp_path):
    n_counted = 0
    for name, (data, suffix, read) in sources().items():
        path = tmp_path / file_name(suffix)
        path.write_bytes(data)
        n_rows = read(path)
        known = ("rel", "score.", "beir", "labelled", "bare")
        if name.startswith(known) and n_rows is not None:
            assert n_rows == ROWS
        expected = n_records(data, suffix)
        if n_rows is not None and expected is not None:
            assert expected == n_rows
            n_counted += 1
    assert n_counted >= 20  # formats with a row to a line
    assert json.loads(report())["schema"]


def test_compressed_sources_are_read_as_plain_ones(tmp_path):
    for name, (data, suffix, read) in sources().items():
        if data.startswith((b"PAR1", GZIP, ZSTD)) or name in {"report.json", "language"}:
            continue
        plain, packed = (tmp_path / f"{file_name(suffix)}{end}" for end in ("", ".gz"))
        plain.write_bytes(data)
        packed.write_bytes(gzip.compress(data, mtime=0))
        assert read(packed) == read(plain), name


@pytest.mark.slow
def test_damaged_sources_are_read_or_refused(tmp_path):
    names = list(sources())
    worker = Worker(str(tmp_path))
    found, faults = Counter(), []
    try:
        for seed in range(N):
            name = names[seed % len(names)]
            kind, went = worker.attempt(name, seed)
            found[kind, went if went in {READ, REFUSED, ABORTED} else "faulty"] += 1
            if went == ABORTED:
                print(f"{went}: {name} {seed}")  # noqa: T201
            elif went not in {READ, REFUSED}:
                faults.append(f"{name} {seed}, {kind}: {went}")
    finally:
        worker.end()
    print(*(f"{n:6,} {kind}: {went}" for (kind, went), n in sorted(found.items())), sep="\n")  # noqa: T201
    assert not faults, "\n".join([f"{len(faults)} faults:", *faults])
    if N > 1_000:
        assert all(found[kind, READ] for kind in KINDS if not KINDS[kind].refused)
        assert all(found[kind, REFUSED] for kind in KINDS)


# --- Python objects -------------------------------------------------------------------------------

ODD = (
    *(None, True, 0, -1, 10**400, 1.5, float("nan"), float("inf"), "", " ", "\ud800", "x" * 999),
    *(b"d1", [], {}, set(), (), ["d1"], {"d1": 1}, ("d1", 1), {"d1"}, [[]], [()], object(), len),
)
"""What stands where it does not belong."""


def shapes():
    """Return Python objects of every shape, made anew: what is read, and its reader."""
    rows = [(f"q{i % 3}", f"d{i}", float(9 - i)) for i in range(9)]
    names = ("qid", "docno", "score")
    records = [dict(zip(names, row, strict=True)) for row in rows]
    nested = {f"q{n}": {d: s for q, d, s in rows if q == f"q{n}"} for n in range(3)}
    lists = {q: list(row) for q, row in nested.items()}
    pairs = {q: list(row.items()) for q, row in nested.items()}
    columns = {name: [row[name] for row in records] for name in names}
    retrieved = [{"query": q, "expected_ids": d[:1], "retrieved_ids": d} for q, d in lists.items()]
    made = {"dictionaries": nested, "lists": lists, "pairs": pairs, "columns": columns}
    made |= {"tuples": [list(row) for row in rows], "records": records}
    hits = {q: [{"corpus_id": d, "score": s} for d, s in pairs[q]] for q in pairs}
    made |= {"hits": hits, "results": [{"qid": q, "results": found} for q, found in hits.items()]}
    for given in made.values():
        yield given, counted(rr.read_run)
        yield given, counted(rr.read_qrels)
        yield given, lambda x: rr.evaluate({"q0": {"d0": 1}}, x, "RR").summary()
    yield {"q0": "text", "q1": "another"}, counted(rr.read_queries)
    yield (
        [{"query_id": "q0", "text": "a"}, {"query_id": "q1", "text": "b"}],
        counted(rr.read_queries),
    )
    yield retrieved, lambda x: rr.evaluate_retrieved(x).summary()
    yield {"a": retrieved, "b": retrieved}, lambda x: rr.evaluate_retrieved(x).summary()
    yield [{"system": "a", **each} for each in records], evaluated
    embedding = {"queries": {"q0": "text"}, "corpus": {"d0": "text"}, "relevant_docs": lists}
    yield embedding, counted(rr.read_qrels)
    yield embedding, counted(rr.read_queries)
    for name in ("mteb.json", "answer.json", "results.json"):
        yield exports()[name][0], evaluated
    for name in ("request.json", "judgments.json"):
        yield exports()[name][0], counted(rr.read_qrels)
    grades, scores, ids = [1, 0, 2, 0, 1, 0], [0.5, 0.4, 0.3, 0.2, 0.9, 0.1], ["a"] * 4 + ["b"] * 2
    yield [grades, scores, [4, 2]], of_arguments(3, labelled_arrays)
    yield [grades, {"a": scores, "b": grades}, ids], of_arguments(3, labelled_arrays)
    padded = [[[1, 0, 2], [0, 1, 0]], [[0.5, 0.4, 0.3], [0.2, 0.9, 0.1]], [[1, 1, 1], [1, 1, 0]]]
    yield padded, of_arguments(3, padded_lists)
    rated = {q: {d: 1 + i % 5 for i, d in enumerate(row)} for q, row in nested.items()}
    yield rated, recommended
    yield {d: d[:1] for row in nested.values() for d in row}, lambda x: folded_by(nested, x)
    both = [list(lists.values()), list(lists.values())]
    yield both, of_arguments(2, paired)
    yield both, of_arguments(2, paired_documents)
    asked = {"question": list(lists), "docs": both[0], "outputs": both[1]}
    yield asked, columns_of_lists
    ids = [{"reference_context_ids": d[:1], "retrieved_context_ids": d} for d in lists.values()]
    texts = [{"reference_contexts": d[:1], "retrieved_contexts": d} for d in lists.values()]
    for samples in (ids, texts):
        yield [{"user_input": "who?", **each} for each in samples], sampled
    yield columns, tables
    yield {q: {"docno": d, "score": list(nested[q].values())} for q, d in lists.items()}, of_queries
    yield [list(row) for row in rows], from_database
    features = [[0.5, 1.0], [0.25, 0.0], [1.5, 2.0], [0.0, 0.0], [3.0, 1.0], [1.0, 1.0]]
    yield [features, grades, [4, 2], scores], of_arguments(4, modelled)
    yield [features, grades, ["a"] * 4 + ["b"] * 2, scores], of_arguments(4, modelled)


def evaluated(given):
    return rr.evaluate({"q0": {"d0": 1}}, given, "RR@1").summary()


def of_arguments(n, read):
    """Return a reader of arguments, whose number is not to be spoiled."""
    return lambda given: read(*given) if isinstance(given, list) and len(given) == n else None


def labelled_arrays(grades, scores, of):
    named = {"group": of} if isinstance(of, list) and 4 in of else {"qid": of}
    return rr.evaluate_labelled(grades, scores, **named).summary()


def paired(expected, retrieved):
    made = rr.evaluate_retrieved(expected=expected, retrieved=retrieved, match="text")
    return made.summary()


@dataclass
class Document:
    """What is compared of a document of Haystack."""

    content: object


@dataclass
class Sample:
    """A sample of ragas, which is not validated here."""

    user_input: object
    reference_contexts: object = None
    retrieved_contexts: object = None
    reference_context_ids: object = None
    retrieved_context_ids: object = None


def paired_documents(expected, retrieved):
    """Evaluate documents of Haystack, where there are lists of them."""

    def of(given):
        if not isinstance(given, list):
            return given
        return [[Document(d) for d in each] if isinstance(each, list) else each for each in given]

    return rr.evaluate_retrieved(expected=of(expected), retrieved=of(retrieved)).summary()


def columns_of_lists(given):
    """Evaluate columns that MLflow's users name, as a dictionary and as a table."""
    named = {"query": "question", "expected": "docs", "retrieved": "outputs"}
    for made in made_tables(given):
        with contextlib.suppress(RankReportError):
            rr.evaluate_retrieved(made, **named).summary()
    return rr.evaluate_retrieved(given, **named).summary()


def sampled(given):
    """Evaluate samples of ragas, where records have their fields."""
    if isinstance(given, list):
        known = Sample.__dataclass_fields__.keys()
        of_ragas = (isinstance(each, dict) and each.keys() <= known for each in given)
        given = [
            Sample(**{"user_input": None, **each}) if is_one else each
            for each, is_one in zip(given, of_ragas, strict=True)
        ]
    return rr.evaluate_retrieved(given).summary()


def made_tables(columns):
    """Yield the tables that pandas, PyArrow and Polars make of columns, if they do."""
    faults = (TypeError, ValueError, OverflowError, AttributeError, UnicodeEncodeError)
    for make in (pd.DataFrame, pa.table, lambda given: pl.DataFrame(given, strict=False)):
        with contextlib.suppress(*faults, pl.exceptions.PolarsError, pa.ArrowException):
            yield make(columns)


def tables(columns):
    """Read tables of three libraries, with and without an index of pandas."""
    if not isinstance(columns, dict):
        return
    for made in made_tables(columns):
        for read in (rr.read_run, rr.read_qrels):
            with contextlib.suppress(RankReportError):
                counted(read)(made)
        if isinstance(made, pd.DataFrame) and "qid" in made.columns:
            with contextlib.suppress(RankReportError):
                counted(rr.read_run)(made.set_index("qid"))
            with contextlib.suppress(RankReportError):
                counted(rr.read_run)(made[made.columns[-1]])


def of_queries(given):
    """Evaluate a table for each query."""
    if not isinstance(given, dict):
        return
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        made = {query: pd.DataFrame(columns) for query, columns in given.items()}
        evaluated(made)


def from_database(rows):
    """Read from SQLite what it accepts."""
    if not isinstance(rows, list):
        return
    plain = (str, bytes, int, float, type(None))
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("create table results (qid, docno, score)")
        for row in rows:
            if isinstance(row, list) and len(row) == 3 and all(isinstance(v, plain) for v in row):
                with contextlib.suppress(OverflowError, UnicodeEncodeError):
                    connection.execute("insert into results values (?, ?, ?)", row)
        for text in ("select * from results", "select qid, score from results", "select", ""):
            for read in (rr.read_run, rr.read_qrels):
                with contextlib.suppress(RankReportError):
                    counted(read)(rr.read_sql(text, connection))
    finally:
        connection.close()


def modelled(features, grades, of, scores):
    """Evaluate a model that predicts these scores."""

    class Model:
        def predict(self, features):
            del features
            return scores

    named = {"group": of} if isinstance(of, list) and 4 in of else {"qid": of}
    return rr.evaluate_models({"m": Model()}, features, grades, **named).summary()


def padded_lists(grades, scores, mask):
    return rr.evaluate_labelled(grades, scores, mask=mask).summary()


def recommended(test):
    def recommend(user, k):
        return [f"d{n}" for n in range(min(k, len(str(user)) + 3))]

    return rr.evaluate_recommenders({"a": recommend}, test, threshold=3).summary()


def folded_by(run, mapping):
    options = {"collapse": "max", "document_of": mapping}
    return rr.evaluate({"q0": {"d": 1}}, run, "RR", **options).summary()


def spoiled(given, rng):
    """Return an object with something odd in it, at any depth."""
    if rng.random() < 0.15 or not isinstance(given, list | tuple | dict) or not given:
        return rng.choice(ODD)
    drop, more = rng.randrange(3) == 0, rng.random() < 0.1
    if isinstance(given, dict):
        key = rng.choice(list(given))
        if drop:
            return {k: v for k, v in given.items() if k != key}
        odd = {rng.choice([None, 5, 1.5, "", "\ud800", ("q",)]): given[key]} if more else {}
        return {**odd, **given, key: spoiled(given[key], rng)}
    at = rng.randrange(len(given))
    found = [] if drop else [spoiled(given[at], rng)]
    return [*given[:at], *found, *given[at + 1 :], *([given[at]] if more else [])]


def test_the_unspoiled_objects_are_read():
    for given, read in shapes():
        read(given)


@pytest.mark.slow
def test_spoiled_objects_are_read_or_refused():
    for n in range(N // 6):
        for place, (given, read) in enumerate(shapes()):
            if n % 20 != place % 20:
                continue
            rng = random.Random(f"{place} {n}")
            damaged = spoiled(given, rng)
            try:
                read(damaged)
            except RankReportError:
                pass
            except BaseException as error:  # noqa: BLE001 - a panic of Polars is one
                pytest.fail(f"{place} {n}: {type(error).__name__}: {error}\n{damaged!r:.500}")
