"""A stored system as the baseline of a new evaluation."""

from __future__ import annotations

import subprocess

import polars as pl
import pytest

import rankreport as rr
from rankreport.evaluation import data_facts_of
from rankreport.history import DIMENSIONS

QRELS = {f"q{n}": {"d1": 1 + n % 2, "d2": 0, "d3": n % 3} for n in range(12)}
OLD = {query: {"d2": 3.0, "d1": 2.0, "d9": 1.0} for query in QRELS}
NEW = {query: {"d1": 3.0, "d2": 2.0 + (query > "q3"), "d8": 1.0} for query in QRELS}
MEASURES = ["nDCG@2", "AP"]


def stored(tmp_path, qrels=QRELS, runs=None, *, keep_runs=False, **options):
    """Return a history of one evaluation."""
    history = rr.History(tmp_path / "history")
    made = rr.evaluate(qrels, runs or {"mine": OLD}, MEASURES, **options)
    history.add(made, date="2026-11-27", keep_runs=keep_runs)
    return history


def new(qrels=QRELS, measures=MEASURES, **options):
    return rr.evaluate(qrels, {"mine": NEW}, measures, **options)


def codes(evaluation):
    return {each.code: each for each in evaluation.cautions}


def test_a_stored_system_and_a_new_one_are_compared(tmp_path):
    joined = stored(tmp_path).with_baseline(new())
    assert joined.systems == ("mine 2026-11-27", "mine")
    both = rr.evaluate(QRELS, {"mine 2026-11-27": OLD, "mine": NEW}, MEASURES)
    assert joined.scores.equals(both.scores)
    tables = [rr.compare(each, resamples=100).table() for each in (joined, both)]
    assert tables[0].equals(tables[1])
    assert "mine 2026-11-27 is entry 1 of the history" in codes(joined)["stored_baseline"].text
    assert codes(joined).keys() - codes(both).keys() == {"stored_baseline"}


@pytest.mark.parametrize("outcome", ["fail", "inconclusive", "pass"])
def test_a_baseline_that_did_not_pass_is_looked_at(tmp_path, outcome):
    history = rr.History(tmp_path / "history")
    history.add(rr.evaluate(QRELS, {"mine": OLD}, MEASURES), outcome=outcome)
    caution = codes(history.with_baseline(new()))["stored_baseline"]
    said = f"It was stored with the outcome {outcome}." in caution.text
    assert (caution.severity, said) == (("note", False) if outcome == "pass" else ("look", True))


DIFFERENT = {
    "queries": {"qrels": {**QRELS, "q99": {"d1": 1, "d2": 0}}},
    "judgments": {"qrels": {**QRELS, "q1": {"d1": 2, "d2": 1, "d4": 1}}},
    "corpus": {"corpus": ["d1", "d2", "d3", "d8", "d9", "d10"]},
    "grades": {"qrels": {**QRELS, "q1": {"d1": 3, "d2": 0, "d3": 1}}},
    "measures": {"measures": ["AP", "RR"]},
    "ties": {"ties": "input"},
    "query_set": {"no_relevant": "skip"},
    "unanswerable": {"unanswerable": ["q70"]},
    "passages": {"collapse": "max", "document_of": {f"d{n}": f"d{n}" for n in range(10)}},
    "profile": {"profile": "trec_eval-9"},
    "labels": {
        "qrels": rr.qrels_from_judges(
            pl.DataFrame(
                [
                    (q, d, judge, g)
                    for q, of in QRELS.items()
                    for d, g in of.items()
                    for judge in "ab"
                ],
                schema=["query_id", "doc_id", "judge", "relevance"],
                orient="row",
            )
        )
    },
    "items": {"items": "items.csv"},
}


def test_every_dimension_is_tried():
    assert DIFFERENT.keys() == DIMENSIONS.keys()


@pytest.mark.parametrize("dimension", DIFFERENT)
def test_each_dimension_that_differs_is_refused_by_its_name(dimension, tmp_path):
    given = dict(DIFFERENT[dimension])
    if dimension == "items":
        path = tmp_path / "items.csv"
        path.write_text("item,category\nd1,a\nd2,b\n", encoding="utf-8")
        given["items"] = path
    before = {"corpus": ["d1", "d2", "d3", "d8", "d9"]} if dimension == "corpus" else {}
    history, made = stored(tmp_path, **before), new(**given)
    with pytest.raises(rr.DataError, match=DIMENSIONS[dimension]) as error:
        history.with_baseline(made)
    if dimension in {"measures", "unanswerable"}:  # which adds two measures
        assert "Stored are nDCG@2, AP: compare on these" in str(error.value)
        with pytest.raises(rr.OptionError, match="allow='measures' is not one of"):
            history.with_baseline(made, allow=["measures"])
        return
    assert f"--allow {dimension}" in str(error.value)
    found = history.load().signature.differences(rr.history.signature_of(made))
    joined = history.with_baseline(made, allow={each.dimension for each in found})
    said = [each.text for each in joined.cautions if each.code == "allowed_difference"]
    assert len(said) == len(found)
    assert any(each.startswith(DIMENSIONS[dimension].capitalize()) for each in said)


@pytest.mark.parametrize("dimension", ["judgments", "ties"])
def test_every_output_says_what_was_allowed(dimension, tmp_path):
    history, made = stored(tmp_path), new(**DIFFERENT[dimension])
    found = history.load().signature.differences(rr.history.signature_of(made))
    joined = history.with_baseline(made, allow={each.dimension for each in found})
    comparison = rr.compare(joined, resamples=100)
    gate = rr.gate(comparison, ["AP > -0.1"])
    for output in (str(comparison), str(gate), rr.report(comparison, gate=gate).to_json()):
        assert DIMENSIONS[dimension].capitalize() in output


def test_queries_that_both_have_with_the_same_judgments_are_compared(tmp_path):
    changed = {**QRELS, "q1": {"d1": 2, "d2": 1, "d3": 1}, "q99": {"d1": 1}}
    del changed["q5"]
    history = stored(tmp_path)
    with pytest.raises(rr.DataError, match="queries differ: 1 of 13 added, 1 removed; judgments"):
        history.with_baseline(new(changed))
    with pytest.raises(rr.DataError, match=r"judgments differ: .* pairs"):
        history.with_baseline(new(changed), allow=["queries"])
    joined = history.with_baseline(new(changed), allow=["queries", "judgments"])
    same = sorted({*QRELS} - {"q1", "q5"})
    assert joined.query_ids == same
    alone = rr.evaluate(
        {q: QRELS[q] for q in same}, {"mine 2026-11-27": OLD, "mine": NEW}, MEASURES
    )
    assert joined.scores.equals(alone.scores)
    assert joined.quality["n_queries"].to_list() == [10, 10]
    assert "10 of 12 queries are compared" in codes(joined)["allowed_difference"].text


def test_no_query_with_the_same_judgments_is_refused(tmp_path):
    other = {query: {"d1": 1, "d2": 0, "d3": 2, "d4": 1} for query in QRELS}
    with pytest.raises(rr.DataError, match="shares no query"):
        stored(tmp_path).with_baseline(new(other), allow=["judgments"])


def test_what_is_not_known_is_refused_and_allowed_by_name(tmp_path):
    history = rr.History(tmp_path / "history")
    rr.evaluate(QRELS, {"mine": OLD}, MEASURES).write_parquet(tmp_path / "s.parquet")
    history.add(rr.load_evaluation(tmp_path / "s.parquet"), date="2026-11-27")
    with pytest.raises(rr.DataError, match=r"judgments differ: .* not known"):
        history.with_baseline(new())
    joined = history.with_baseline(new(), allow=["judgments", "grades"])
    assert "not known" in codes(joined)["allowed_difference"].text
    assert len(joined.query_ids) == len(QRELS)


@pytest.mark.parametrize("several", [False, True])
def test_a_run_that_is_kept_is_judged_by_later_judgments(several, tmp_path):
    later = {**QRELS, "q1": {"d1": 0, "d2": 3, "d8": 1}, "q2": {**QRELS["q2"], "d9": 2}}
    old = [OLD, NEW, OLD] if several else OLD
    history = stored(tmp_path, runs={"mine": old}, keep_runs=True)
    joined = history.with_baseline(new(later))
    once = rr.evaluate(later, {"mine 2026-11-27": old, "mine": NEW}, MEASURES)
    assert joined.scores.equals(once.scores)
    assert joined.ties().equals(once.ties())
    assert joined.repeats().equals(once.repeats())
    shown = joined.query_ids[:3]
    assert joined.documents(shown).equals(once.documents(shown))
    assert codes(joined).keys() - codes(once).keys() == {"stored_baseline"}
    text = codes(joined)["stored_baseline"].text
    assert "its run was evaluated again" in text
    assert "judgments differ: 2 of 38 pairs added, 2 changed, 1 removed" in text
    tables = [rr.compare(each, resamples=100).table() for each in (joined, once)]
    assert tables[0].equals(tables[1])


def test_queries_that_a_kept_run_was_not_made_for_are_refused(tmp_path):
    old = {**OLD, "q50": {"d1": 1.0, "d2": 0.5}}
    history = stored(tmp_path, runs={"mine": old}, keep_runs=True)
    run_on = {**QRELS, "q50": {"d1": 1, "d2": 0}}
    assert len(history.with_baseline(new(run_on)).query_ids) == 13  # judged later
    other = {**run_on, "q51": {"d1": 1, "d2": 0}}
    with pytest.raises(rr.DataError, match="queries differ: 2 of 14 added"):
        history.with_baseline(new(other))
    joined = history.with_baseline(new(other), allow=["queries"])
    assert joined.query_ids == sorted(run_on)
    once = rr.evaluate(run_on, {"mine 2026-11-27": old, "mine": NEW}, MEASURES)
    assert joined.scores.equals(once.scores)
    assert "13 of 14 queries are compared" in codes(joined)["allowed_difference"].text


def test_runs_of_a_profile_that_leaves_documents_out(tmp_path):
    old = {query: {query: 9.0, **found} for query, found in OLD.items()}
    history = stored(tmp_path, runs={"old": old}, keep_runs=True, profile="beir")
    joined = history.with_baseline(new(profile="beir"))
    once = rr.evaluate(QRELS, {"old": old, "mine": NEW}, MEASURES, profile="beir")
    assert joined.scores.equals(once.scores)
    assert data_facts_of(joined).remarks[-3:] != []
    assert {"identical"} <= codes(once).keys() & codes(joined).keys()


def test_which_system_is_the_baseline(tmp_path):
    history = rr.History(tmp_path / "history")
    with pytest.raises(rr.DataError, match="holds no stored evaluation"):
        history.with_baseline(new())
    history.add(rr.evaluate(QRELS, {"a": OLD, "b": NEW}, MEASURES), date="2026-11-20")
    with pytest.raises(rr.OptionError, match=r"several systems: a, b.*such as history:a"):
        history.with_baseline(new())
    assert history.with_baseline(new(), "b").systems == ("b", "mine")
    history.add(
        rr.evaluate(QRELS, {"a": OLD, "mine": OLD}, MEASURES), date="2026-11-21", note="v:3"
    )
    assert history.with_baseline(new()).systems == ("mine 2026-11-21", "mine")
    assert history.with_baseline(new(), "v:3").systems == ("mine 2026-11-21", "mine")
    with pytest.raises(rr.OptionError, match="no entry '2026-11-19'"):
        history.with_baseline(new(), "2026-11-19")
    history.add(rr.evaluate(QRELS, {"mine": OLD}, MEASURES), date="2026-11-21")
    assert history.with_baseline(new()).systems == ("mine 2026-11-21 (3)", "mine")
    assert history.with_baseline(new(), "v:3").systems == ("mine 2026-11-21 (2)", "mine")
    text = codes(history.with_baseline(new(), "b"))["several_tests"].text
    assert text.startswith("2 evaluations are stored on these queries since b: several tests")


def test_an_entry_that_was_removed(tmp_path):
    history = stored(tmp_path)
    history.add(new(), date="2026-11-28", note="kept")
    history.prune(keep=1)
    assert history.with_baseline(new()).systems == ("mine 2026-11-28", "mine")
    with pytest.raises(rr.OptionError, match="no entry '1'"):
        history.with_baseline(new(), "1")


def test_declared_tests_share_the_error(tmp_path):
    history = stored(tmp_path)
    found = codes(history.with_baseline(new(), declared=3))["several_tests"]
    assert found.severity == "note"
    assert "shared by 3 declared tests" in found.text
    for day in range(3):
        history.add(new(), date=f"2026-11-2{7 + day}")
    found = codes(history.with_baseline(new(), 1, declared=3))["several_tests"]
    assert found.severity == "look"
    assert found.text.startswith("3 evaluations are stored")
    with pytest.raises(rr.OptionError, match="declared=0"):
        history.with_baseline(new(), declared=0)


def test_a_comparison_shares_the_error_among_declared_tests(tmp_path):
    declared = stored(tmp_path).with_baseline(new(), declared=5)
    comparison = rr.compare(declared, resamples=100)
    assert comparison.confidence == pytest.approx(0.99)
    wide, same = (
        rr.compare(rr.evaluate(QRELS, {"old": OLD, "mine": NEW}, MEASURES), confidence=level)
        for level in (0.99, 0.95)
    )
    figures = [each.deltas("nDCG@2")["delta"].to_list() for each in (comparison, wide)]
    assert figures[0] == figures[1]
    ends = [each.table()["ci_low"].to_list() for each in (rr.compare(declared), wide, same)]
    assert ends[0] == ends[1] != ends[2]
    assert rr.compare(declared, confidence=0.9).confidence == 0.9  # as it was asked for
    assert rr.compare(stored(tmp_path).with_baseline(new())).confidence == 0.95
    declared.write_parquet(tmp_path / "joined.parquet")
    loaded = rr.load_evaluation(tmp_path / "joined.parquet")
    again = rr.compare(loaded, **{**comparison.settings, "pairs": "baseline"})
    assert (rr.compare(loaded).confidence, again.confidence) == (comparison.confidence,) * 2


def test_commits_since_are_counted(tmp_path, monkeypatch):
    repository = tmp_path / "repository"
    repository.mkdir()
    monkeypatch.chdir(repository)

    def git(*words):
        user = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        made = subprocess.run(["git", *user, *words], capture_output=True, text=True, check=True)
        return made.stdout.strip()

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "one")
    history = rr.History(tmp_path / "history")
    made = rr.evaluate(QRELS, {"old": OLD}, MEASURES)
    history.add(made, commit=git("rev-parse", "HEAD"), date="2026-11-27")
    history.add(made, commit="f" * 40, date="2026-11-27")
    history.add(made, commit="--all", date="2026-11-27")
    for name in ("two", "three"):
        git("commit", "-q", "--allow-empty", "-m", name)
    assert ", 2 commits)" in codes(history.with_baseline(new(), 1))["stored_baseline"].text
    for unknown in (2, 3):
        text = codes(history.with_baseline(new(), unknown))["stored_baseline"].text
        assert "commit" not in text


def test_remarks_on_the_baseline_are_stored_with_scores(tmp_path):
    joined = stored(tmp_path).with_baseline(new(), declared=2)
    joined.write_parquet(tmp_path / "joined.parquet")
    assert rr.load_evaluation(tmp_path / "joined.parquet").cautions == joined.cautions


@pytest.mark.parametrize("keep_runs", [False, True])
def test_a_baseline_is_not_stored_again(keep_runs, tmp_path):
    history, made = stored(tmp_path, keep_runs=keep_runs), new()
    joined = history.with_baseline(made)
    comparison = rr.compare(joined, resamples=100)
    for each in (joined, comparison):
        with pytest.raises(rr.OptionError, match="by evaluation=, which takes what with_baseline"):
            history.add(each)
    entry = history.add(comparison, evaluation=made)
    assert entry.systems == ("mine",)
    assert entry.decision["word"] == comparison.decision.verdict.word
    assert entry.signature.differences(rr.history.signature_of(made)) == ()


def test_an_entry_that_is_removed_while_it_is_compared(tmp_path, monkeypatch):
    history = stored(tmp_path, keep_runs=True)
    history.add(new(), date="2026-11-28")
    whole = rr.History.entries

    def removing(self):
        self.prune(keep=1)
        return whole(self)

    monkeypatch.setattr(rr.History, "entries", removing)
    with pytest.raises(rr.DataError, match=r"000001|objects"):
        history.with_baseline(new(), 1)


def test_no_query_that_a_kept_run_was_made_for_is_refused(tmp_path):
    history = stored(tmp_path, keep_runs=True)
    other = rr.evaluate({"x1": {"d1": 1}}, {"mine": {"x1": {"d1": 1.0}}}, MEASURES)
    with pytest.raises(rr.DataError, match="queries differ"):
        history.with_baseline(other)
    with pytest.raises(rr.DataError, match="shares no query"):
        history.with_baseline(other, allow=["queries"])


def test_the_age_is_counted_up_to_a_date(tmp_path):
    joined = stored(tmp_path).with_baseline(new(), date="2026-12-02")
    assert "of 2026-11-27 (5 days)" in codes(joined)["stored_baseline"].text
