"""Runs that are read in slices: every result is that of reading them at once."""

from __future__ import annotations

import gzip
from contextlib import contextmanager
from dataclasses import replace

import polars as pl
import pytest
from drawn import collections
from hypothesis import given, settings
from hypothesis import strategies as st
from sliced import found_in, in_slices

import rankreport as rr
from rankreport.evaluation import judged_slices, parts
from rankreport.evaluation.documents import same_lists
from rankreport.io import RUN as RUN_LAYOUT
from rankreport.io import Partition, open_source

MEASURES = ["nDCG@3", "AP", "RR", "ERR@5"]
OPTIONS = (
    {"ties": "trec", "queries": "answered"},
    {"ties": "input", "queries": "intersection", "no_relevant": "skip"},
    {"ties": "rank", "no_relevant": "one"},
    {"ties": "best", "precision": "single"},
    {"ties": "worst"},
    {"profile": "trec_eval-9"},
    {"profile": "beir"},
)
SLICES = [2, 7]
WHICH = pytest.mark.parametrize("judgments", [False, True], ids=["runs", "all"])
"""Whether judgments are in slices too."""


@pytest.fixture(scope="module")
def example():
    return rr.load_example()


# --- all options ----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@given(
    drawn=collections(systems=2),
    n=st.sampled_from(SLICES),
    judgments=st.booleans(),
)
@settings(max_examples=2)
def test_small_collections_with_ties_and_gaps(drawn, options, n, judgments):
    qrels, *runs = drawn
    names = {"one": runs[0], "two": runs[1]}
    if options.get("ties") == "rank":
        names = {name: ranked(run) for name, run in names.items()}
    evaluation = rr.evaluate(qrels, names, MEASURES, **options)
    assert found_in(in_slices(evaluation, n, judgments=judgments)) == found_in(evaluation)


def ranked(run):
    places = ((q, d, n, len(docs)) for q, docs in run.items() for n, d in enumerate(docs, 1))
    # With gaps, and from 0 in some lists.
    rows = [(q, d, n + n // 3 - length % 2) for q, d, n, length in places]
    return pl.DataFrame(rows, schema=["query_id", "doc_id", "rank"], orient="row")


@pytest.mark.parametrize("options", OPTIONS[1:4], ids=str)
def test_the_example(example, options):
    runs = {name: example.runs[name] for name in ("bm25", "fusion")}
    evaluation = rr.evaluate(example.qrels, runs, MEASURES, **options)
    place = OPTIONS.index(options)
    sliced = in_slices(evaluation, SLICES[place % 2], judgments=place % 3 > 0)
    assert found_in(sliced) == found_in(evaluation)


def test_expected_values_over_the_orders_of_equal_scores(example):
    runs = {name: example.runs[name] for name in ("bm25", "fusion")}
    evaluation = rr.evaluate(example.qrels, runs, ["AP", "RR@10"], ties="expected")
    assert found_in(in_slices(evaluation, 7, judgments=True)) == found_in(evaluation)


@WHICH
def test_judgments_of_subtopics(judgments):
    qrels = [(f"q{i % 9}", f"d{i % 7}", f"s{i % 4}", i % 3) for i in range(120)]
    schema = ["query_id", "doc_id", "subtopic", "relevance"]
    table = pl.DataFrame(qrels, schema=schema, orient="row").unique(schema[:3], keep="first")
    run = {f"q{i}": {f"d{j}": float(i * j % 5) for j in range(9)} for i in range(12)}
    measures = ["alpha_nDCG@5", "ERR_IA@5", "AP"]
    evaluation = rr.evaluate(table, {"mine": run}, measures, subtopics=True)
    assert found_in(in_slices(evaluation, 7, judgments=judgments)) == found_in(evaluation)


PASSAGES = pl.DataFrame(
    [
        (f"q{i}", f"d{j % 8}#{j}", f"d{j % 8}", float(i * j % 6), j)
        for i in range(12)
        for j in range(1, 30)
    ],
    schema=["query_id", "doc_id", "document", "score", "rank"],
    orient="row",
)


@pytest.mark.parametrize(
    ("rule", "how", "ties", "judgments"),
    [
        ("max", "#", "trec", True),
        ("first", "document", "rank", False),
        ("sum", "document", "input", True),
        ("mean", dict(PASSAGES.select("doc_id", "document").rows()), "trec", False),
    ],
)
def test_folding_of_passages(rule, how, ties, judgments):
    qrels = {f"q{i}": {f"d{j}": j % 3 for j in range(6)} for i in range(10)}
    options = {"collapse": rule, "document_of": how, "ties": ties}
    evaluation = rr.evaluate(qrels, {"mine": PASSAGES}, MEASURES, **options)
    assert found_in(in_slices(evaluation, 7, judgments=judgments)) == found_in(evaluation)


@WHICH
def test_measures_a_few_at_a_time(example, judgments):
    """More than two at a time and slice are computed and stored."""
    evaluation = rr.evaluate(example.qrels, {"mine": example.runs["bm25"]}, ["AP"])
    at_cutoffs = [rr.nDCG @ k for k in range(1, 31)]
    parts = list(
        in_slices(evaluation, 3, judgments=judgments)._origin.values_in_parts(at_cutoffs, 2)
    )
    found = pl.concat(
        [parts[0], *(each.drop("system", "query_id") for each in parts[1:])], how="horizontal"
    )
    assert len(parts) > 10
    assert found.equals(evaluation.values(at_cutoffs).select(found.columns))


def test_progress_is_counted_in_slices(example, monkeypatch):
    shown = []

    @contextmanager
    def stage(name, total=None):
        steps = []
        yield steps.append
        shown.append((name, total, sum(steps)))

    for module in (judged_slices, parts):
        monkeypatch.setattr(module, "stage", stage)
    runs = {name: example.runs[name] for name in ("bm25", "fusion")}
    in_slices(rr.evaluate(example.qrels, runs, ["AP"]), 3, judgments=True).per_query()
    assert shown == [("reading", 6, 6), ("judging", 3, 3)]


@WHICH
def test_copies_of_a_run_are_found(example, judgments):
    bm25 = example.runs["bm25"]
    reordered = rr.read_run(bm25).collect().sort("doc_id")
    runs = {"one": bm25, "copy": bm25, "reordered": reordered, "other": example.runs["fusion"]}
    evaluation = rr.evaluate(example.qrels, runs, ["AP"])
    sliced = in_slices(evaluation, 7, judgments=judgments)
    copies = [each for each in sliced._origin.remarks() if each.code == "identical_runs"]
    assert [each.system for each in copies] == ["one", "copy", "reordered"]
    assert {each.about["group"] for each in copies} == {0}
    assert sliced._origin.remarks() == evaluation._origin.remarks()
    assert same_lists(sliced, "one", "reordered")
    assert not same_lists(sliced, "one", "other")


@WHICH
def test_ids_that_nearly_match_are_found(judgments):
    qrels = {f"q{i}": {f"doc-{j}": j % 2 for j in range(5)} for i in range(20)}
    run = {f"q{i}": {f"DOC-{j}": -j for j in range(5)} for i in range(20)}
    evaluation = rr.evaluate(qrels, {"mine": run}, ["AP"])
    assert "case" in str(evaluation._origin.remarks())
    assert found_in(in_slices(evaluation, 7, judgments=judgments)) == found_in(evaluation)


def test_a_comparison(example):
    runs = {name: example.runs[name] for name in ("bm25", "fusion")}
    evaluation = rr.evaluate(example.qrels, runs, ["nDCG@10"])
    both = (evaluation, in_slices(evaluation, 7, judgments=True))
    whole, sliced = (rr.compare(each, resamples=200) for each in both)
    assert sliced.table().equals(whole.table())
    assert [str(each) for each in sliced.cautions] == [str(each) for each in whole.cautions]
    queries = evaluation.query_ids
    assert sliced.side_by_side(queries).frame.equals(whole.side_by_side(queries).frame)


# --- all formats ----------------------------------------------------------------------------------


def written(folder, form, run):
    """Write a run in a format, and return the path."""
    lines = [f"{q} Q0 {d} 1 {s} tag" for q, d, s in run.rows()]
    path = folder / f"run.{form}"
    match form:
        case "parquet":
            run.write_parquet(path)
        case "csv":
            run.write_csv(path)
        case "jsonl":
            run.write_ndjson(path)
        case "txt.gz":
            path.write_bytes(gzip.compress("\n".join(lines).encode()))
        case "gaps":  # needs the slower scan from its last line on
            path.write_text("\n".join([*lines[:-1], lines[-1].replace(" ", "   ")]))
        case _:
            path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    ("form", "judgments"),
    [
        *[("txt", False), ("txt.gz", True), ("gaps", False)],
        *[("csv", True), ("jsonl", False), ("parquet", True)],
    ],
)
def test_every_format(example, tmp_path, form, judgments):
    run = rr.read_run(example.runs["bm25"]).select("query_id", "doc_id", "score").collect()
    path = written(tmp_path, form, run.sample(fraction=1, shuffle=True, seed=0))
    evaluation = rr.evaluate(example.qrels, {"mine": path}, MEASURES)
    assert found_in(in_slices(evaluation, 3, judgments=judgments)) == found_in(evaluation)


# --- errors ---------------------------------------------------------------------------------------

LINES = [f"q{i} Q0 d{j} {j} {9 - j}.5 tag" for i in range(9) for j in range(1, 8)]
FAULTS = {
    "a field too few": {40: "q5 Q0 d6 6 3.5", 50: "q7 d1"},
    "a score that is no number": {30: "q4 Q0 d3 3 high tag", 9: "q1 Q0 d3 3 low tag"},
    "a score that is not finite": {n: f"q{n} Q0 x 1 nan tag" for n in range(20, 40)},
    "documents that are repeated": dict.fromkeys((3, 11, 33, 61), "q3 Q0 d1 1 2.5 tag"),
    "several faults": {60: "q8 Q0 d4", 10: "q1 Q0 d4 4 nan tag", 2: "q0 Q0 d1 1 1 tag"},
    "a mark before a query": {33: "\ufeffq4 Q0 d6 6 3.5 tag"},
}


@WHICH
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_told_as_of_the_whole_file(tmp_path, fault, judgments):
    path = tmp_path / "mine.run"
    lines = [FAULTS[fault].get(n, line) for n, line in enumerate(LINES)]
    path.write_text("\n".join(lines), encoding="utf-8")
    evaluation = rr.evaluate({"q1": {"d1": 1}}, {"mine": path}, ["AP"])
    found = found_in(evaluation)
    assert found.startswith("DataError")
    assert "mine.run" in found
    assert found_in(in_slices(evaluation, 7, judgments=judgments)) == found


@WHICH
def test_a_run_without_rows_is_refused_in_slices_too(judgments):
    run = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64})
    evaluation = rr.evaluate({"q1": {"d1": 1}}, {"mine": run}, ["AP"])
    found = found_in(evaluation)
    assert "has no rows" in found
    assert found_in(in_slices(evaluation, 7, judgments=judgments)) == found


RANKS = [(f"q{i}", f"d{j}", j) for i in range(12) for j in range(1, 6)]


@WHICH
@pytest.mark.parametrize("faulty", [{7: 1, 30: 2}, {44: None, 20: None}, {50: 1, 3: None}])
def test_ranks_that_order_nothing_are_told_as_of_the_whole_run(faulty, judgments):
    rows = [(q, d, faulty.get(n, rank)) for n, (q, d, rank) in enumerate(RANKS)]
    run = pl.DataFrame(rows, schema=["query_id", "doc_id", "rank"], orient="row")
    run = run.with_columns(score=1.0)
    evaluation = rr.evaluate({"q1": {"d1": 1}}, {"mine": run}, ["AP"], ties="rank")
    found = found_in(evaluation)
    assert "ties='rank' needs a unique rank" in found
    assert found_in(in_slices(evaluation, 7, judgments=judgments)) == found


@WHICH
@pytest.mark.parametrize("how", ["/", "document", {"d1#1": "d1"}])
def test_passages_without_a_document_are_told_as_of_the_whole_run(how, judgments):
    some = pl.col("query_id").is_in(["q3", "q7"])
    run = PASSAGES.with_columns(pl.when(~some).then("document").alias("document"))
    options = {"collapse": "max", "document_of": how}
    evaluation = rr.evaluate({"q1": {"d1": 1}}, {"mine": run}, ["AP"], **options)
    found = found_in(evaluation)
    assert found.startswith("DataError")
    assert "document_of" in found
    assert found_in(in_slices(evaluation, 7, judgments=judgments)) == found


@WHICH
def test_a_run_without_a_judged_query_is_told_as_of_the_whole_run(judgments):
    run = {f"q{i}": {"d1": 1.0} for i in range(1, 20)}
    evaluation = rr.evaluate({"1": {"d1": 1}, "2": {"d1": 0}}, {"mine": run}, ["AP"])
    found = found_in(evaluation)
    assert "no query in common" in found
    assert "strip 'q' from the run" in found
    assert found_in(in_slices(evaluation, 7, judgments=judgments)) == found


@WHICH
def test_a_query_named_like_its_run_is_refused_in_slices_too(judgments):
    runs = {name: {name: {"d1": 1.0}} for name in ("q1", "q2")}
    evaluation = rr.evaluate({"q1": {"d1": 1}, "q2": {"d1": 1}}, runs, ["AP"])
    found = found_in(evaluation)
    assert "one query" in found
    assert found_in(in_slices(evaluation, 2, judgments=judgments)) == found


@WHICH
@pytest.mark.parametrize("hand_back", ["to_trec", "to_ranx"])
def test_whole_runs_are_not_handed_back(example, tmp_path, hand_back, judgments):
    evaluation = in_slices(rr.evaluate(example.qrels, example.runs, ["AP"]), 7, judgments=judgments)
    given = {"to_trec": [tmp_path], "to_ranx": []}[hand_back]
    with pytest.raises(rr.OptionError, match="handed back whole, which would exceed memory_limit"):
        getattr(evaluation, hand_back)(*given)


# --- the slices -----------------------------------------------------------------------------------


def test_a_slice_holds_all_rows_of_its_queries_in_their_order():
    rows = [(f"q{n % 10}", f"d{n}", float(-n)) for n in range(200)]
    run = pl.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    source = replace(open_source(run, RUN_LAYOUT), partition=Partition(4))
    parts = [part.cast({"query_id": pl.String}) for part in source.slices()]
    held = [set(part["query_id"]) for part in parts]
    assert 1 < len(parts) <= 4
    assert sum(map(len, held)) == 10
    assert len(set().union(*held)) == 10
    for part in parts:
        kept = run.filter(pl.col("query_id").is_in(part["query_id"].unique().implode()))
        assert part.sort("query_id", maintain_order=True).equals(
            kept.sort("query_id", maintain_order=True)
        )
