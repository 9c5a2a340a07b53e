"""Limits of memory, and the number of slices that follows from them."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from peak_memory import peak_of, write_long_run

import rankreport as rr
from rankreport.evaluation.memory import bytes_of, check_collected, check_unjudged, in_slices
from rankreport.evaluation.quality import unjudged_at_top
from rankreport.io import QRELS, RUN, open_source


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        *[("1GB", 10**9), ("1 GB", 10**9), ("1g", 10**9), ("0.5tb", 5 * 10**11)],
        *[
            ("1GiB", 2**30),
            ("600mib", 600 * 2**20),
            ("700000000", 7 * 10**8),
            (6 * 10**8, 6 * 10**8),
        ],
    ],
)
def test_sizes_are_written_with_or_without_units(given, expected):
    assert bytes_of(given) == expected


@pytest.mark.parametrize("given", ["", "GB", "1 GB RAM", "-1GB", "1,5GB", "a lot"])
def test_what_is_no_size_is_refused(given):
    with pytest.raises(rr.OptionError, match="is not a size; expected one such as '2GB'"):
        rr.evaluate({"q": {"d": 1}}, {"q": ["d"]}, memory_limit=given)


@pytest.mark.parametrize("given", [0, 2, "2MB", "499MB", True])
def test_less_than_the_program_needs_is_refused(given):
    with pytest.raises(rr.OptionError, match="is too little: Python and its libraries take"):
        rr.evaluate({"q": {"d": 1}}, {"q": ["d"]}, memory_limit=given)


def test_another_type_is_refused():
    with pytest.raises(rr.OptionError, match=r"takes a size such as '2GB'.*found float"):
        rr.evaluate({"q": {"d": 1}}, {"q": ["d"]}, memory_limit=1e9)


@pytest.fixture
def judged():
    return open_source({"q1": {"d1": 1}}, QRELS)


def written(path, n, of_query):
    """Write so many rows of TREC text, with some rows of each query."""
    rows = pl.select(
        query_id=(pl.int_range(n).floordiv(of_query) + 10**6).cast(pl.String),
        q0=pl.lit("0"),
        doc_id=(pl.int_range(n) + 10**7).cast(pl.String),
        rank=pl.lit(1),
        score=-pl.int_range(n) % 1000 / 8,
        tag=pl.lit("tag"),
    )
    judgments = path.name.startswith("qrels")
    kept = rows.select("query_id", "q0", "doc_id", "rank") if judgments else rows
    kept.write_csv(path, include_header=False, separator=" ")
    return rows


@pytest.fixture
def files(tmp_path):
    """Return the same rows as text, gzip and Parquet, of about 30 MB as text."""
    text = tmp_path / "run.txt"
    rows = written(text, 10**6, 1000)
    (tmp_path / "run.txt.gz").write_bytes(gzip.compress(text.read_bytes(), 1))
    rows.write_parquet(tmp_path / "run.parquet")
    return tmp_path


def n_slices(path, judged, limit, copies=1):
    """Return the number of slices of a run that is as many times as large."""
    runs = {"mine": open_source(path, RUN)}
    room = limit // copies + 350 * 10**6 * (copies - 1) // copies
    judged, found = in_slices(judged, runs, room, 5)
    assert judged.n_slices == 1
    return found["mine"].n_slices


@pytest.mark.parametrize("name", ["run.txt", "run.txt.gz", "run.parquet"])
def test_slices_follow_from_the_size_of_the_input_and_the_limit(files, judged, name):
    path = files / name
    assert n_slices(path, judged, 2 * 10**9) == 1
    small, large = (n_slices(path, judged, limit, copies=100) for limit in (10**9, 4 * 10**9))
    assert 2 < large < small < 1024
    assert 4 < small / large < 7  # (4000 - 350) / (1000 - 350) times the room


def test_without_a_limit_runs_are_read_at_once(files, judged):
    runs = {"mine": open_source(files / "run.txt", RUN)}
    assert in_slices(judged, runs, None, 5) == (judged, runs)


def test_all_systems_are_read_in_the_same_slices(files, judged):
    runs = {"large": files / "run.txt", "small": {"q1": {"d1": 1.0}}}
    opened = {name: open_source(run, RUN) for name, run in runs.items()}
    _, found = in_slices(judged, opened, 400 * 10**6, 5)
    assert found["small"].n_slices == found["large"].n_slices > 1


@pytest.fixture
def many_judged(tmp_path):
    """Return a million judgments of 1,000 queries, and two runs of one query."""
    written(tmp_path / "qrels.txt", 10**6, 1000)
    runs = {name: open_source({"1": {"d1": 1.0}}, RUN) for name in "ab"}
    return open_source(tmp_path / "qrels.txt", QRELS), runs


def test_judgments_that_do_not_fit_are_read_in_the_slices_of_the_runs(many_judged):
    qrels, runs = many_judged
    found, sliced = in_slices(qrels, runs, 10**9, 5)
    assert found.n_slices == sliced["a"].n_slices == sliced["b"].n_slices > 1
    assert in_slices(qrels, runs, 2 * 10**9, 5) == (qrels, runs)


def test_judgments_that_must_be_read_at_once_are_refused_where_they_do_not_fit(many_judged):
    qrels, runs = many_judged
    found = r"the judged documents of 2 systems take about 1 GB\. Give at least '1\.7GB'"
    with pytest.raises(rr.OptionError, match=found):
        in_slices(qrels, runs, 10**9, 5, whole=True)
    assert in_slices(qrels, runs, 17 * 10**8, 5, whole=True) == (qrels, runs)


def test_scores_of_more_queries_than_fit_are_refused(tmp_path):
    written(tmp_path / "qrels.txt", 10**6, 1)
    qrels = open_source(tmp_path / "qrels.txt", QRELS)
    runs = {name: open_source({"1": {"d1": 1.0}}, RUN) for name in "ab"}
    with pytest.raises(rr.OptionError) as raised:
        in_slices(qrels, runs, 10**9, 5)
    said = (
        r"some 1,[01]00,000 queries and 2 systems take about 1\.[345] GB\. Give at least '(.*)', or"
    )
    found = re.search(said, str(raised.value))
    assert found is not None, raised.value
    in_slices(qrels, runs, bytes_of(found[1]), 5)
    with pytest.raises(rr.OptionError, match="GB is too little"):
        in_slices(qrels, runs, bytes_of(found[1]), 20)


def test_queries_of_shuffled_judgments_are_counted(tmp_path):
    """Their first rows would say that every row has a query of its own."""
    written(tmp_path / "qrels.txt", 10**6, 1000)
    rows = pl.Series((tmp_path / "qrels.txt").read_text().splitlines())
    (tmp_path / "qrels.txt").write_text("\n".join(rows.shuffle(seed=0)))
    qrels = open_source(tmp_path / "qrels.txt", QRELS)
    runs = {name: open_source({"1": {"d1": 1.0}}, RUN) for name in "abcdef"}
    found, _ = in_slices(qrels, runs, 6 * 10**8, 5)
    assert found.n_slices > 1


def test_unjudged_documents_that_do_not_fit_are_refused():
    run = {f"q{i}": {f"d{i}-{j}": 1.0 / j for j in range(1, 11)} for i in range(50)}
    qrels = {f"q{i}": {f"d{i}-1": 1, "x": 0} for i in range(50)}
    evaluation = rr.evaluate(qrels, {"mine": run}, ["nDCG@10"], memory_limit="1GB")
    shares = evaluation.judged_share
    tight = replace(evaluation, _origin=replace(evaluation._origin, memory_limit=25 * 10**7))
    assert len(evaluation._origin.unjudged(evaluation.primary, shares, 1).documents) == 450
    found = "the 450 unjudged documents at the top of the lists"
    with pytest.raises(rr.OptionError, match=found) as raised:
        tight._origin.unjudged(tight.primary, shares, 1)
    assert "or evaluate fewer systems at a time" in str(raised.value)


@pytest.mark.parametrize(("n_measures", "least"), [(1, "1.5"), (5, "2")])
def test_unjudged_documents_are_held_beside_the_scores(n_measures, least):
    """Those of 1,000,000 queries and two systems: evaluated and written, 1.92 GB were measured."""
    with pytest.raises(rr.OptionError, match=rf"Give at least '{least}GB'"):
        check_unjudged(18_144_152, 2_000_000, n_measures, 14 * 10**8)
    check_unjudged(18_144_152, 2_000_000, n_measures, 2 * 10**9)


PROGRAM = """
import sys
import rankreport as rr

qrels, run, target, limit = sys.argv[1:]
evaluation = rr.evaluate(qrels, {"mine": run}, memory_limit=limit or None)
evaluation.write_parquet(target)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux: peak memory")
def test_the_process_stays_within_the_limit(tmp_path):
    qrels, run = write_long_run(tmp_path, 16_000_000, first_id=10**7)
    check_limit(tmp_path, qrels, run, above=800 * 10**6)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux: peak memory")
def test_the_process_stays_within_the_limit_where_judgments_are_many(tmp_path):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "mine.run"
    written(qrels, 4 * 10**6, 1000)
    written(run, 4 * 10**6, 1000)
    check_limit(tmp_path, qrels, run, above=10**9)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux: peak memory")
def test_the_process_stays_within_the_limit_where_documents_are_unjudged(tmp_path):
    """Of the first 10 documents of 250,000 queries, 8 each, which the scores file holds."""
    n, depth = 5_000_000, 20
    rows = pl.LazyFrame({"place": pl.int_range(n, eager=True)}).select(
        query_id=pl.col("place").floordiv(depth).cast(pl.String),
        q0=pl.lit("Q0"),
        doc_id=(pl.col("place") * 7919 % 99_991).cast(pl.String),
        grade=pl.col("place") % 3,
        score=-pl.col("place") % depth,
        tag=pl.lit("tag"),
    )
    run, qrels = tmp_path / "mine.run", tmp_path / "qrels.txt"
    rows.sink_csv(run, include_header=False, separator=" ")
    judged = rows.gather_every(5).select("query_id", "q0", "doc_id", "grade")
    judged.sink_csv(qrels, include_header=False, separator=" ")
    check_limit(tmp_path, qrels, run, above=700 * 10**6)
    stored = unjudged_at_top(rr.load_evaluation(tmp_path / "limited.parquet"))
    assert len(stored.documents) == 2_000_000


def check_limit(folder, qrels, run, *, above):
    """Check an evaluation within 600 MB, which takes more than ``above`` without a limit."""
    (folder / "temporary").mkdir()
    targets = folder / "limited.parquet", folder / "unlimited.parquet"
    limited, unlimited = (
        peak_of(PROGRAM, qrels, run, target, limit, TMPDIR=str(folder / "temporary"))
        for target, limit in zip(targets, ("600MB", ""), strict=True)
    )
    assert limited < 600 * 10**6 < above < unlimited, (limited, unlimited)
    one, other = (pl.read_parquet(target) for target in targets)
    assert one.equals(other)
    assert list((folder / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("n_rows", "n", "of_each", "limit"),
    [
        (3_000_000, 3_000_000, (2, 5, 10), 2 * 10**9),
        (80_000_000, 1_000_000, (3, 5, 10), 2 * 10**9),
        (10_000_000, 1_000_000, (20, 10, 100), 6 * 10**8),
        (10**9, 10**9, (2, 1, 1), 5 * 10**8),
    ],
)
def test_what_is_offered_for_too_little_memory_fits(n_rows, n, of_each, limit):
    about = dict(zip(("n_systems", "n_measures", "k"), of_each, strict=True))
    with pytest.raises(rr.OptionError) as raised:
        check_collected(n, (n_rows, n), **about, limit=limit)
    offered = r"n_queries=([\d_]+), or give memory_limit='(.*)'"
    n_queries, size = re.search(offered, str(raised.value)).groups()
    assert int(n_queries) > 1_000
    check_collected(int(n_queries), (n_rows, n), **about, limit=limit)
    check_collected(n, (n_rows, n), **about, limit=bytes_of(size))
    check_collected(n, (n_rows, n), **about, limit=None)
