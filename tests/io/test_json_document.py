"""JSON documents: told from JSON lines, and read without losing a value."""

from __future__ import annotations

import gzip
import json

import pyarrow as pa
import pytest

import rankreport as rr

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d7": 2}}
RUN = {"q1": {"d2": 2.5, "d1": 1.0}, "q2": {"d7": 1.0}}


def rows(nested):
    return [(q, d, float(v)) for q, docs in nested.items() for d, v in docs.items()]


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("suffix", "pack"),
    [(".json", bytes), (".json.gz", gzip.compress), (".json.zst", zstd), ("", bytes)],
)
def test_nested_objects_in_a_file_are_judgments_and_runs(indent, suffix, pack, tmp_path):
    path = tmp_path / f"given{suffix}"
    path.write_bytes(pack(json.dumps(QRELS, indent=indent).encode()))
    assert rr.read_qrels(path).collect().rows() == rows(QRELS)
    path.write_bytes(pack(json.dumps(RUN, indent=indent).encode()))
    assert rr.read_run(path).collect().rows() == rows(RUN)


def test_scores_are_equal_to_the_last_bit_to_those_of_a_dictionary(tmp_path):
    run = {"q1": {"a": 0.1 + 0.2, "b": 1 / 3}, "q2": {"d7": 1e-300}}
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {"d7": 3}}
    (tmp_path / "qrels.json").write_text(json.dumps(qrels))
    (tmp_path / "mine.json").write_text(json.dumps(run))
    by_path = rr.evaluate(tmp_path / "qrels.json", tmp_path / "mine.json")
    assert by_path.scores.equals(rr.evaluate(qrels, {"mine": run}).scores)
    assert [(i["name"], i["rows"], len(i["sha256"])) for i in by_path.inputs] == [
        ("qrels.json", 3, 64),
        ("mine.json", 3, 64),
    ]


def test_one_line_longer_than_any_line_may_be_is_a_document(tmp_path, monkeypatch):
    monkeypatch.setattr("rankreport.io.formats.declare.LONGEST", 1 << 17)
    run = {"q1": {f"document {i}": float(i) for i in range(20_000)}}
    for name in ("long.json", "long"):
        (tmp_path / name).write_text(json.dumps(run))
        assert rr.read_run(tmp_path / name).collect().height == 20_000


def test_json_lines_are_lines_whatever_their_suffix(tmp_path):
    line = '{"qid": "q1", "docno": "d1", "score": 2}\n'
    for name in ("run.json", "run.jsonl", "run"):
        for n in (1, 2):
            (tmp_path / name).write_text("".join(line.replace("d1", f"d{i}") for i in range(n)))
            assert rr.read_run(tmp_path / name).collect().height == n


def test_subtopics_are_a_level_deeper(tmp_path):
    nested = {"q1": {"d1": {"price": 1, "place": 0}}}
    (tmp_path / "qrels.json").write_text(json.dumps(nested))
    found = rr.read_qrels(tmp_path / "qrels.json", subtopics=True).collect().rows()
    assert found == [("q1", "price", "d1", 1.0), ("q1", "place", "d1", 0.0)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"q1": {"d1": 1, "d1": 2}}', "the key 'd1' twice in one object"),
        ('{"q1": {"d1": 1}, "q1": {"d2": 2}}', "the key 'q1' twice"),
        ('{"q1": {"d1": 1}, "q2": 3}', "expected {query: {document: score}}, found int for 'q2'"),
        ('{"q1": {"d1": NaN}}', "score NaN for document 'd1' of query 'q1'"),
        ('{"q1": {"d1": "x"}}', "query 'q1', document 'd1' has 'x' where the score belongs"),
        ('{"q1":\n {"d1": 1,', "line 2, column 11 is no valid JSON"),
        ("nothing", "line 1, column 1 is no valid JSON"),
        ('{"test": {"q1": {"d1": 1}}}', "Is 'test' a split or a system?"),
        ("{}", "has no rows. Expected a run."),
        ("[]", "holds a list. Expected of JSON: {query: {document: score}}"),
        ('["d1", "d2"]', "holds a list."),
        ('{"q1": {"\\ud800": 1}}', "is not valid Unicode"),
        ('{"q1": {"d1": 1' + "0" * 5000 + "}}", "cannot be read as JSON"),
        ('{"a":' * 3000 + "1" + "}" * 3000, "cannot be read as JSON"),
    ],
)
def test_a_fault_is_named(text, words, tmp_path):
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(rr.DataError) as refused:
        rr.read_run(path).collect()
    assert words in str(refused.value)
    assert "run.json" in str(refused.value)


def test_other_encodings_and_cut_files_are_refused(tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes('{"q1": {"é": 1}}'.encode("latin-1"))
    with pytest.raises(rr.DataError, match="is not UTF-8"):
        rr.read_run(path)
    path.write_bytes(gzip.compress(json.dumps(RUN).encode())[:-9])
    with pytest.raises(rr.DataError, match=r"decompressed|to its end"):
        rr.read_run(path)


def test_a_mark_at_the_begin_is_no_part_of_a_document(tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(RUN).encode())
    assert rr.read_run(path).collect().rows() == rows(RUN)
