"""Lazy measures: `rr.scan` and `rr.scan_judged`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from awkward import AWKWARD
from peak_memory import peak_of, write_long_run

import rankreport as rr

KEYS = ["system", "query_id"]
MEASURES = [
    *("nDCG@5", "AP", "RR", "P@3", "P", "R@3", "Judged@3", "Compat", "RBP", "ERR", "INST", "Bpref"),
    *("AUC", "NumRet", "nDCG(ideal='full')@5", "hit_rate@2"),
]


def same_bits(one, other):
    bits = [each.fill_null(-1.0).to_numpy().view(np.int64) for each in (one, other)]
    return one.is_null().equals(other.is_null()) and np.array_equal(*bits)


def assert_equal(qrels, runs, measures, engine="in-memory"):
    wanted = rr.evaluate(qrels, runs, measures).per_query()
    found = rr.scan(qrels, runs, measures).collect(engine=engine)
    assert found.schema == wanted.schema
    found, wanted = found.sort(KEYS), wanted.sort(KEYS)
    assert [name for name in wanted.columns if not found[name].equals(wanted[name])] == []
    assert all(same_bits(found[name], wanted[name]) for name in wanted.columns[2:])


PLAIN = ["equal scores", "negative grades", "half of the queries missing"]
OTHERS = sorted(AWKWARD.keys() - {*PLAIN, "subtopics"})


@pytest.mark.parametrize("name", PLAIN)
def test_values_are_those_of_evaluate_to_the_last_bit(name):
    made = AWKWARD[name]()
    assert_equal(made.qrels, made.runs, MEASURES)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("name", [*PLAIN, *OTHERS])
def test_values_are_those_of_evaluate_to_the_last_bit_everywhere(name, engine):
    made = AWKWARD[name]()
    assert_equal(made.qrels, made.runs, MEASURES, engine)


QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1}, "q3": {"b": 1}}
RUN = {"q1": {"b": 1.0, "x": 2.0, "a": 1.0, "y": -1.0}, "q2": {"z": 1.0}, "q9": {"a": 1.0}}


def test_judged_rows_have_ranks_and_counts():
    """Equal scores are ordered by document, descending, so b comes before a."""
    found = rr.scan_judged(QRELS, {"mine": RUN}).sort("query_id", "doc_id").collect()
    assert found.rows() == [
        ("mine", "q1", "a", 2.0, 1.0, 3, 4, 2.0),
        ("mine", "q1", "b", 1.0, 1.0, 2, 4, 2.0),
        ("mine", "q1", "c", 0.0, None, None, 4, 2.0),
        ("mine", "q2", "a", 1.0, None, None, 1, 2.0),
        ("mine", "q3", "b", 1.0, None, None, 0, 2.0),
    ]
    assert found.schema["rank"] == found.schema["n_retrieved"] == pl.UInt32


def test_negative_zero_is_zero():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 0.0, "b": -0.0, "c": 0.0}}
    assert rr.scan(qrels, {"mine": run}, "RR").collect()["RR"].to_list() == [1 / 3]


@pytest.fixture
def files(tmp_path):
    """A run as Parquet, TREC text and TREC text with other gaps."""
    rows = [(q, d, s) for q, documents in RUN.items() for d, s in documents.items()]
    frame = pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row")
    frame.write_parquet(tmp_path / "run.parquet")
    text = "".join(f"{q} Q0 {d} 0 {s} tag\n" for q, d, s in rows)
    (tmp_path / "run.txt").write_text(text)
    (tmp_path / "gaps.txt").write_text(text.replace(" ", " \t"))
    return tmp_path


def of_query(scores):
    return scores.filter(pl.col("query_id") == "q1")


@pytest.mark.parametrize("name", ["run.parquet", "run.txt"])
def test_filters_and_projections_stand_at_the_scan_of_the_run(files, name):
    scores = of_query(rr.scan(QRELS, {"mine": files / name}, ["RR", "P"]))
    plan = scores.select("query_id", "RR").explain()
    join, scan = plan.index("JOIN"), plan.index(name)
    assert join < scan < plan.index('SELECTION: col("query_id") == "q1"')
    assert "n_retrieved" not in plan
    assert scores.collect().rows() == [("mine", "q1", 0.5, 0.5)]


def test_text_is_read_as_evaluate_reads_it(files):
    wanted = rr.evaluate(QRELS, {"mine": RUN}, MEASURES).per_query()
    for name in ("run.txt", "gaps.txt", "run.parquet"):
        found = rr.scan(QRELS, {"mine": files / name}, MEASURES).collect(engine="streaming")
        assert found.sort(KEYS).equals(wanted)


@pytest.mark.parametrize(
    "line", ["q9 Q0 a 0 1.0 tag", "q9 Q0 b 0 nan tag", "q9 Q0 b 0 high tag", "q9 Q0 b 0"]
)
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_invalid_rows_raise_an_error_when_they_are_read(files, line, engine):
    path = files / "run.txt"
    path.write_text(path.read_text() + line + "\n")
    scores = rr.scan({**QRELS, "q9": {"b": 1}}, {"mine": path}, ["RR"])
    with pytest.raises(rr.DataError, match=r"run\.txt has a row without .* document twice"):
        scores.collect(engine=engine)
    assert of_query(scores).collect(engine=engine)["RR"].to_list() == [0.5]


def test_what_is_not_lazy_is_refused():
    with pytest.raises(rr.MeasureError, match="PooledAUC"):
        rr.scan(QRELS, {"mine": RUN}, ["PooledAUC"])
    with pytest.raises(rr.MeasureError, match=r"2\^2000"):
        rr.scan({"q": {"d": 2000}}, {"mine": {"q": ["d"]}}, ["nDCG(gain='exp')"])
    with pytest.raises(rr.DataError, match="q1"):
        rr.scan([("q1", "a", 1), ("q1", "a", 2)], {"mine": RUN}, ["RR"])


PROGRAM = """
import sys
import rankreport as rr

qrels, run, target = sys.argv[1:]
rr.scan(qrels, {"mine": run}, ["nDCG@10", "P"]).collect(engine="streaming").write_parquet(target)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux: peak memory")
def test_a_run_that_does_not_fit_is_streamed(tmp_path):
    """Of 1 GB, 409 MB were measured as text, 389 MB as Parquet; this is a quarter of it."""
    qrels, run = write_long_run(tmp_path, 6_000_000, first_id=10**12)
    target = tmp_path / "scores.parquet"
    peak = peak_of(PROGRAM, qrels, run, target, POLARS_OOC_MEMORY_BUDGET_MB="150")
    assert peak // 2**20 < 450
    wanted = rr.evaluate(qrels, {"mine": run}, ["nDCG@10", "P"]).per_query()
    assert pl.read_parquet(target).sort(KEYS).equals(wanted)
