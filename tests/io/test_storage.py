"""Files at web addresses and in object stores, patterns of names, and partitioned folders."""

from __future__ import annotations

import gzip
import json
import re
import threading
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import polars as pl
import pytest

import rankreport as rr

RUN = pl.DataFrame(
    {
        "query_id": ["q1", "q1", "q2", "q3"],
        "doc_id": ["d1", "d2", "d7", "d1"],
        "score": [2.5, 0.1 + 0.2, 1.0, 3.0],
    }
)
TREC = "".join(f"{q} Q0 {d} 0 {s!r} t\n" for q, d, s in RUN.rows())
NESTED = {
    q: dict(part.select("doc_id", "score").iter_rows())
    for (q,), part in RUN.partition_by("query_id", as_dict=True, maintain_order=True).items()
}


def stored(tmp_path):
    """Write the run in every format, and return the files by name."""
    texts = {
        "run.txt": TREC,
        "run.csv": RUN.write_csv(),
        "run.tsv": RUN.write_csv(separator="\t"),
        "run.jsonl": RUN.write_ndjson(),
        "run.json": json.dumps(NESTED),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    RUN.write_parquet(tmp_path / "run.parquet")
    return sorted(path.name for path in tmp_path.iterdir())


class Shelf(BaseHTTPRequestHandler):
    """Answers HEAD and GET with ranges, and lists a bucket, as stores of objects do."""

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, *, body):
        path, _, asked = self.path.partition("?")
        if "list-type=2" in asked:
            self.listed()
            return
        file = Path(self.server.folder, *path.split("/")[-1:])
        if not file.is_file():
            self.send_error(404)
            return
        data = file.read_bytes()
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if found and self.server.ranges:
            first, last = found.groups()
            begin = int(first) if first else max(0, len(data) - int(last))
            end = min(int(last) + 1, len(data)) if first and last else len(data)
            part = data[begin:end]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{len(data)}")
        else:
            part = data
            self.send_response(200)
        self.head(len(part))
        if body:
            self.wfile.write(part)

    def listed(self):
        keys = "".join(
            f"<Contents><Key>{path.name}</Key><Size>{path.stat().st_size}</Size>"
            f'<LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"e"</ETag></Contents>'
            for path in sorted(Path(self.server.folder).glob("part-*"))
        )
        text = f"<ListBucketResult><IsTruncated>false</IsTruncated>{keys}</ListBucketResult>"
        self.send_response(200)
        self.head(len(text))
        self.wfile.write(text.encode())

    def head(self, length):
        self.send_header("Content-Length", str(length))
        self.send_header("ETag", '"e"')
        self.send_header("Last-Modified", formatdate(0, usegmt=True))
        self.end_headers()


@pytest.fixture
def server(tmp_path):
    made = ThreadingHTTPServer(("127.0.0.1", 0), Shelf)
    made.folder, made.ranges = tmp_path, False
    thread = threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def test_every_format_is_read_from_a_web_address(server, tmp_path):
    for name in stored(tmp_path):
        address = f"http://127.0.0.1:{server.server_port}/{name}?version=2"
        found = rr.read_run(address).collect().select(RUN.columns)
        assert found.equals(RUN), name
    qrels = {"q1": {"d1": 1}}
    evaluation = rr.evaluate(qrels, [address], ["RR"])
    assert evaluation.systems == ("run",)
    assert len(evaluation.inputs[1]["sha256"]) == 64


def test_what_a_server_refuses_is_told_without_secrets(server):
    address = f"http://me:secret@127.0.0.1:{server.server_port}/none.csv?token=secret"
    with pytest.raises(rr.DataError) as refused:
        rr.read_run(address)
    assert "none.csv cannot be read" in str(refused.value)
    assert "secret" not in str(refused.value)
    with pytest.raises(rr.DataError, match="the server answers 404"):
        rr.read_run(f"http://127.0.0.1:{server.server_port}/none.csv")


@pytest.fixture
def store(server, monkeypatch):
    server.ranges = True
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "none-1",
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    return "s3://bucket"


def test_every_format_is_read_from_a_store(store, tmp_path):
    for name in stored(tmp_path):
        found = rr.read_run(f"{store}/{name}").collect().select(RUN.columns)
        assert found.equals(RUN), name


def test_parquet_in_a_store_is_scanned_and_may_be_a_pattern(store, tmp_path):
    for n, part in enumerate((RUN.head(2), RUN.tail(2))):
        part.write_parquet(tmp_path / f"part-{n}.parquet")
    qrels = {"q1": {"d2": 1}, "q2": {"d7": 1}}
    found = rr.evaluate(qrels, {"mine": f"{store}/part-*.parquet"}, ["RR"])
    assert found.summary()["RR"].item() == 0.75
    assert [(i["name"], i["sha256"]) for i in found.inputs[1:]] == [("part-*.parquet", None)]


def test_what_a_store_refuses_is_told(store):
    for name in ("none.csv", "none.parquet"):
        with pytest.raises(rr.DataError, match=f"{name} cannot be read"):
            rr.read_run(f"{store}/{name}").collect()
    with pytest.raises(rr.DataError, match="names Parquet files"):
        rr.read_run(f"{store}/part-*.csv")


@pytest.mark.parametrize("name", ["run.txt", "run.csv", "run.tsv", "run.jsonl", "run.parquet"])
def test_a_pattern_names_the_parts_of_one_table(name, tmp_path):
    writers = {
        "run.txt": lambda rows: "".join(f"{q} Q0 {d} 0 {s!r} t\n" for q, d, s in rows.rows()),
        "run.csv": pl.DataFrame.write_csv,
        "run.tsv": lambda rows: rows.write_csv(separator="\t"),
        "run.jsonl": pl.DataFrame.write_ndjson,
    }
    stem, _, suffix = name.partition(".")
    for n, rows in enumerate((RUN.head(2), RUN.tail(2))):
        path = tmp_path / f"{stem}-{n}.{suffix}"
        if name in writers:
            path.write_text(writers[name](rows))
        else:
            rows.write_parquet(path)
    found = rr.read_run(tmp_path / f"{stem}-*.{suffix}").collect()
    assert found.select(RUN.columns).equals(RUN)
    whole = rr.evaluate({"q1": {"d1": 1}}, {"mine": str(tmp_path / f"{stem}-*.{suffix}")}, ["RR"])
    by_frame = rr.evaluate({"q1": {"d1": 1}}, {"mine": RUN}, ["RR"])
    assert whole.scores.equals(by_frame.scores)
    assert [i["rows"] for i in whole.inputs] == [1, 4]


def test_a_fault_in_one_part_is_told_with_its_line(tmp_path):
    (tmp_path / "a-0.csv").write_text("query_id,doc_id,score\nq1,d1,1\n")
    (tmp_path / "a-1.csv").write_text("query_id,doc_id,score\nq1,d2,1\nq1,d3,high\n")
    with pytest.raises(rr.DataError, match=r"a-1\.csv, line 3 has 'high'"):
        rr.read_run(tmp_path / "a-*.csv")
    (tmp_path / "a-1.csv").write_text("query_id,doc_id,score\nq1,d1,2\n")
    with pytest.raises(rr.DataError, match=r"a-\*\.csv, row 2 repeats document 'd1'"):
        rr.read_run(tmp_path / "a-*.csv")
    (tmp_path / "a-1.csv").write_text("query_id,doc_id,rank\nq1,d2,2\n")
    with pytest.raises(rr.DataError, match="one has scores and one only ranks"):
        rr.read_run(tmp_path / "a-*.csv")


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tmp_path):
    (tmp_path / "run[1].csv").write_text(RUN.write_csv())
    (tmp_path / "run1.csv").write_text(RUN.head(1).write_csv())
    assert rr.read_run(tmp_path / "run[1].csv").collect().height == len(RUN)
    with pytest.raises(rr.DataError, match="does not exist"):
        rr.read_run(tmp_path / "none-*.csv")


@pytest.mark.parametrize("pattern", ["", "*/*.parquet"])
def test_partitions_are_columns(pattern, tmp_path):
    folder = tmp_path / "run"
    for query in ("q1", "q2", "q3"):
        part = folder / f"query_id={query}"
        part.mkdir(parents=True)
        RUN.filter(query_id=query).drop("query_id").write_parquet(part / "0.parquet")
    found = rr.read_run(folder / pattern).collect().sort("query_id", "doc_id")
    assert found.select(RUN.columns).equals(RUN)
    (read,) = rr.evaluate({"q1": {"d1": 1}}, [folder], ["RR"]).inputs[1:]
    assert (read["name"], read["rows"], len(read["sha256"])) == ("run", 4, 64)
    (again,) = rr.evaluate({"q1": {"d1": 1}}, {"run": folder / pattern}, ["RR"]).inputs[1:]
    assert again["sha256"] == read["sha256"]


def test_damage_in_a_partition_is_an_error(tmp_path):
    folder = tmp_path / "query_id=1"
    folder.mkdir()
    (folder / "0.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(rr.DataError, match=r"0\.parquet"):
        rr.read_run(tmp_path).collect()


@pytest.mark.parametrize(
    ("pattern", "name"),
    [("parts/*.csv", "parts"), ("parts/bm25-*.csv", "bm25"), ("parts/bm25-[12].csv", "bm25")],
)
def test_files_of_a_pattern_are_named_by_what_they_have_in_common(tmp_path, pattern, name):
    (tmp_path / "parts").mkdir()
    for n, query in enumerate(["q1", "q2"], 1):
        RUN.filter(query_id=query).write_csv(tmp_path / "parts" / f"bm25-{n}.csv")
    assert rr.evaluate({"q1": {"d1": 1}}, str(tmp_path / pattern), ["RR"]).systems == (name,)


def test_a_file_with_a_bracket_in_its_name_keeps_it(tmp_path):
    RUN.write_csv(tmp_path / "bm25[1].csv")
    found = rr.evaluate({"q1": {"d1": 1}}, tmp_path / "bm25[1].csv", ["RR"])
    assert found.systems == ("bm25[1]",)


def check_all_are_read(place, tmp_path):
    """Check that files of all kinds are read, each by its address."""
    queries = pl.DataFrame({"query_id": ["q1", "q2"], "text": ["jazz", "blues"]})
    texts = pl.DataFrame({"doc_id": ["d1", "d2"], "text": ["all that jazz", "more"]})
    labelled = pl.DataFrame({"label": [1.0, 0.0], "qid": ["7", "7"], "score": [0.5, 0.25]})
    for name, rows in {"queries": queries, "texts": texts, "labelled": labelled}.items():
        rows.write_parquet(tmp_path / f"{name}.parquet")
    assert rr.read_queries(f"{place}/queries.parquet").equals(queries)
    assert rr.read_labelled(f"{place}/labelled.parquet").collect()["score"].to_list() == [0.5, 0.25]
    evaluation = rr.evaluate({"q1": {"d1": 1}}, {"a": {"q1": ["d2", "d1"]}}, ["RR@10"])
    evaluation.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(f"{place}/scores.parquet").scores.equals(evaluation.scores)
    tasks = rr.judging_tasks({"q1": ["d1"]}, documents=f"{place}/texts.parquet")
    assert tasks["document"].to_list() == ["all that jazz"]
    made = rr.report(evaluation).to_json()
    (tmp_path / "report.json").write_text(made)
    assert rr.load_report(f"{place}/report.json").to_json() == made


def test_files_of_this_machine_are_read_by_their_addresses(tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    check_all_are_read(f"file://{folder}".replace(" ", "%20"), folder)
    RUN.write_parquet(folder / "run.parquet")
    evaluation = rr.evaluate({"q1": {"d1": 1}}, [f"FILE://{folder}/run.parquet"], ["RR"])
    assert evaluation.systems == ("run",)
    assert len(evaluation.inputs[1]["sha256"]) == 64
    with pytest.raises(rr.DataError, match=r"none\.csv does not exist"):
        rr.read_run(f"file://{folder}/none.csv")


def test_parquet_in_a_store_is_read_wherever_a_file_is(store, tmp_path):
    check_all_are_read(store, tmp_path)


@pytest.mark.parametrize("others", [[], ["README.md", "old/.part.parquet.crc", "_SUCCESS"]])
def test_a_folder_partitioned_by_system_holds_a_run_of_each(others, tmp_path):
    for system, score in (("old", 1.0), ("new", 3.0)):
        folder = tmp_path / "runs" / f"system={system}"
        folder.mkdir(parents=True)
        rows = pl.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [score, 2.0]})
        rows.write_parquet(folder / "part.parquet")
    for other in others:
        file = tmp_path / "runs" / other.replace("old", "system=old")
        file.write_text("no Parquet")
    for given in (tmp_path / "runs", str(tmp_path / "runs" / "*" / "*.parquet")):
        found = rr.evaluate({"q": {"a": 1}}, given, "RR")
        assert found.summary().rows() == [("new", 1.0), ("old", 0.5)]
