"""Comparisons where some queries have no answer."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rankreport as rr
from rankreport.errors import OptionError

QUERIES = [f"q{n:02}" for n in range(60)]
NONE = [f"u{n:02}" for n in range(30)]
QRELS = {query: {"d1": 1} for query in QUERIES}
RUNS = {
    # new is silent for 40 of 90 queries: for 20 that have an answer, and for 20 that have none.
    "old": {query: ["d1"] for query in [*QUERIES, *NONE]},
    "new": {query: ["d1"] for query in [*QUERIES[:40], *NONE[:10]]},
}
TABLE = pl.DataFrame({"query_id": [*QUERIES, *NONE], "unanswerable": [False] * 60 + [True] * 30})


@pytest.fixture(scope="module")
def comparison():
    return rr.compare(QRELS, RUNS, "RR", queries=TABLE, segments="unanswerable")


def test_a_column_of_the_queries_declares_them(comparison):
    rows = comparison.table().select("measure", "n_queries", "delta", "wins", "ties", "losses")
    assert rows.rows() == [
        ("RR", 60, pytest.approx(-20 / 60), 0, 40, 20),
        ("FalseAnswer", 30, pytest.approx(-20 / 30), 20, 10, 0),
        ("FalseAbstention", 60, pytest.approx(20 / 60), 0, 40, 20),
    ]
    before = rr.compare(rr.evaluate(QRELS, RUNS, "RR", unanswerable=NONE))
    assert before.table().equals(comparison.table())
    # Of an evaluation that did not know them, they are evaluated then.
    made = rr.compare(rr.evaluate(QRELS, RUNS, "RR"), queries=TABLE)
    assert made.table().equals(comparison.table())
    assert set(comparison.losses().to_polars()["query_id"]) == set(QUERIES[40:])


def test_a_segment_of_queries_without_an_answer_has_no_means(comparison):
    rows = comparison.segments().to_polars().select("segment", "n_queries", "delta").rows()
    assert rows == [("false", 60, pytest.approx(-1 / 3)), ("true", 0, None)]


def test_where_the_loss_is_does_not_depend_on_queries_without_an_answer():
    # Half of the queries have an unjudged document.
    qrels = {query: {"d1": 1, "d2": 0} for query in QUERIES}
    runs = {
        "old": {query: ["d1", "d2"] for query in [*QUERIES, *NONE]},
        "new": {query: ["d2", *(["d3"] if query > "q29" else []), "d1"] for query in QUERIES},
    }
    whole = rr.compare(rr.evaluate(qrels, runs, "RR", unanswerable=NONE))
    alone = rr.compare(rr.evaluate(qrels, runs, "RR"))
    assert len(whole.query_kinds())
    for found in ("query_kinds", "pool_and_order", "reasons"):
        assert_frame_equal(getattr(whole, found)(), getattr(alone, found)())


def test_silence_is_no_fault_of_the_run_where_it_may_be_right(comparison):
    assert not {each.code for each in comparison.cautions if each.severity == "stop"}
    without = rr.compare(rr.evaluate(QRELS, RUNS, "RR"))
    assert {each.code for each in without.cautions if each.severity == "stop"} == {"one_sided"}


def report_on(old, new, silent_for=0):
    """Return the first screen where systems are silent so often where nothing is the answer."""
    runs = {
        "old": {query: ["d1"] for query in [*QUERIES, *NONE[: len(NONE) - old]]},
        "new": {query: ["d1"] for query in [*QUERIES[silent_for:], *NONE[: len(NONE) - new]]},
    }
    made = rr.compare(rr.evaluate(QRELS, runs, "RR", unanswerable=NONE))
    return made.verdict(), rr.report(made)._summary.page.screen


def test_silence_that_is_clearly_better_is_in_the_verdict_and_in_the_advice():
    verdict, screen = report_on(3, 24)
    said = "new is clearly better at staying silent where there is no answer."
    assert verdict.sentence.endswith(f"none of the 60 queries changed. {said}")
    answered = "Queries without an answer: old answered 27 of 30, new 6 of 30; fewer is better."
    assert screen.plain == f"{said} {answered}"
    assert answered not in screen.judged
    assert screen.action == (
        "No clear difference in ranking, but fewer queries without an answer get results "
        "(-70 percentage points): try new live if that matters most to your users; otherwise keep "
        "old."
    )


def test_silence_that_is_clearly_worse_keeps_the_baseline():
    verdict, screen = report_on(24, 3)
    assert screen.plain.startswith("new is clearly worse at staying silent where")
    assert verdict.action.endswith("and none is better: keep old.")


def test_silence_that_is_open_is_no_part_of_the_verdict():
    verdict, screen = report_on(3, 6)
    assert "silent" not in screen.plain + verdict.sentence + verdict.action
    answered = "Queries without an answer: old answered 27 of 30, new 24 of 30; fewer is better."
    assert screen.judged.startswith(answered)


def test_silence_gained_and_lost_is_a_trade_off():
    verdict, screen = report_on(3, 24, silent_for=20)
    both = (
        "clearly better at staying silent where there is no answer and clearly worse at answering"
    )
    assert f"new is {both} where there is an answer." in screen.plain
    assert verdict.action.endswith(
        "But fewer queries without an answer get results (-70 percentage points): decide what "
        "matters more to your users."
    )


def test_a_gate_requires_that_false_answers_do_not_rise(comparison):
    found = rr.gate(comparison, ["FalseAnswer < 0.05", "FalseAbstention < 0.05"])
    assert [each.outcome for each in found.findings] == ["pass", "fail"]


def test_other_declarations_are_refused():
    made = rr.evaluate(QRELS, RUNS, "RR", unanswerable=NONE[:3])
    with pytest.raises(OptionError, match="declares 30, this evaluation 3 queries"):
        rr.compare(made, queries=TABLE)
    labels, scores = [1, 0, 1, 0], {"old": [1.0, 2.0, 3.0, 1.0], "new": [2.0, 1.0, 3.0, 1.0]}
    labelled = rr.evaluate_labelled(labels, scores, qid=["q00", "q00", "u00", "u00"])
    with pytest.raises(OptionError, match="where judgments and runs are evaluated"):
        rr.compare(labelled, queries=TABLE)
    with pytest.raises(OptionError, match=r"Give them to compare\(\)"):
        rr.report(rr.compare(rr.evaluate(QRELS, RUNS, "RR")), queries=TABLE)
