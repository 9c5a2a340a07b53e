"""A system that returned nothing: an error by default, or 0 everywhere under a stop."""

from __future__ import annotations

import gzip
import json

import polars as pl
import pytest

import rankreport as rr

QRELS = {f"q{i}": {"d1": 1, "d2": 0} for i in range(30)}
GOOD = {q: {"d1": 2.0 - (i % 4 == 0) * 1.5, "d2": 1.0} for i, q in enumerate(QRELS)}
MEASURES = ["RR", "FallOut@2", "AP"]


def with_empty(run, measures=MEASURES, **options):
    return rr.evaluate(QRELS, {"good": GOOD, "down": run}, measures, allow_empty=True, **options)


FILES = {
    "empty.run": b"",
    "lines.run": b"\n\n",
    "head.csv": b"query_id,doc_id,score\n",
    "empty.jsonl": b"",
    "empty.run.gz": gzip.compress(b""),
    "none.json": b"{}",
    "queries.json": json.dumps({query: {} for query in QRELS}).encode(),
}
OBJECTS = [
    {},
    [],
    {"q1": []},
    {"q1": {}},
    pl.DataFrame(),
    pl.DataFrame(schema={"query_id": pl.String}),
]


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_rows_scores_0(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(FILES[name])
    assert with_empty(path).summary().row(1) == ("down", 0, 0, 0)
    with pytest.raises(rr.DataError, match=r"is empty|has no rows"):
        rr.evaluate(QRELS, {"down": path}, "RR").summary()


@pytest.mark.parametrize("run", OBJECTS, ids=str)
def test_an_object_without_rows_scores_0(run):
    assert with_empty(run).summary().row(1) == ("down", 0, 0, 0)


@pytest.mark.parametrize(
    "options",
    [
        {"ties": "rank"},
        {"ties": "expected"},
        {"collapse": "max", "document_of": {"down": "#"}},
        {"memory_limit": "1GB"},
        {"profile": "trec_eval-9", "queries": "judged"},
        {"no_relevant": "one"},
    ],
    ids=str,
)
def test_every_rule_takes_it(options):
    good = {query: [*docs] for query, docs in GOOD.items()}
    made = rr.evaluate(QRELS, {"good": good, "down": []}, ["RR"], allow_empty=True, **options)
    assert made.summary()["RR"].to_list()[1] == 0


def test_a_stop_says_so():
    caution = with_empty([]).cautions[0]
    assert (caution.severity, caution.code) == ("stop", "unanswered")
    assert "down (30 of 30 queries" in caution.text


def test_it_leaves_the_verdict_on_others_as_it_is():
    better = {
        query: sorted(docs, key=QRELS[query].get, reverse=True) for query, docs in GOOD.items()
    }
    worse = {query: found[::-1] for query, found in better.items()}
    runs = {"old": worse, "down": [], "new": better}
    made = rr.evaluate(QRELS, runs, ["RR", "FallOut@1"], allow_empty=True)
    comparison = rr.compare(made, resamples=100)
    verdict = comparison.verdict()
    assert (verdict.decision.leading.system, verdict.word) == ("new", "better")
    assert verdict.sentence == comparison.verdict("new").sentence
    assert verdict.action.startswith("Evidence favours new over old.")
    down = comparison.verdict("down")
    assert (down.word, down.action) == (
        "check first",
        "Check the data before you act on this result.",
    )
    assert "down: " not in verdict.action
    [*_, row] = comparison.table().filter(system="down").iter_rows(named=True)
    assert (row["measure"], "depends on queries not answered" in row["caution"]) == (
        "FallOut@1",
        True,
    )


def test_what_answers_other_queries_is_no_empty_run():
    with pytest.raises(rr.DataError, match="no query in common"):
        with_empty({"other": {"d1": 1.0}}).summary()


@pytest.mark.parametrize(
    "requirement", ["RR > -0.2", "RR > 0", "FallOut@2 < 0", "abs(AP) < 0.2", "median(RR) > -0.2"]
)
@pytest.mark.parametrize("scope", ["population", "these"])
def test_no_gate_passes(requirement, scope):
    for first in ("good", "down"):
        comparison = rr.compare(with_empty([]), baseline=first, resamples=100)
        made = rr.gate(comparison, requirement, inconclusive="pass", scope=scope)
        assert (made.passed, made.exit_code) in {(False, 1), (False, 3)}


def test_it_is_not_the_best_where_low_is_better():
    evaluation = with_empty([], ["FallOut@2"])
    assert evaluation.summary()["FallOut@2"].to_list() == [1.0, 0.0]
    assert evaluation.best_system() == "good"
    comparison = rr.compare(with_empty([]), resamples=100)
    assert "leads on" not in str(rr.leaderboard(comparison))
    latex = comparison.to_latex()
    assert r"\textbf{1.0000}" in latex
    assert r"\textbf{0.0000}" not in latex


def test_it_is_stored_with_the_scores(tmp_path):
    made = with_empty([])
    made.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert loaded.settings["allow_empty"] is True
    assert loaded.cautions == made.cautions
    assert "might be" in str(rr.leaderboard(rr.compare(loaded, resamples=100)))


@pytest.mark.slow
def test_a_report_and_its_notebook_have_it(tmp_path):
    report = rr.report(with_empty([]))
    report.to_html(tmp_path / "report.html")
    report.to_notebook(tmp_path / "report.ipynb")
    assert "allow_empty=True" in (tmp_path / "report.ipynb").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"queries": "answered"}, "allow_empty is for queries='judged'"),
        ({"profile": "trec_eval-9"}, "found queries='answered'"),
    ],
)
def test_it_needs_all_judged_queries(options, message):
    with pytest.raises(rr.OptionError, match=message):
        with_empty([], **options)


def test_allow_empty_is_yes_or_no():
    with pytest.raises(rr.OptionError, match="allow_empty takes True or False"):
        rr.evaluate(QRELS, GOOD, allow_empty="yes")


def test_no_query_left_by_skipping_says_why():
    judged = {"q1": {"d1": 0}, "q2": {"d1": 0}}
    with pytest.raises(rr.DataError, match=r"2 of 2 judged queries have no document of positive"):
        rr.evaluate(judged, {"a": {"q1": ["d1"]}}, "RR", no_relevant="skip").summary()
