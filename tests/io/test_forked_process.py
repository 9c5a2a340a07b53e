"""A process forked after use is refused, since Polars would wait in it forever."""

from __future__ import annotations

import multiprocessing

import pytest

import rankreport as rr

RUN = {"q": {"d": 1}}


def answer(results, work):
    try:
        results.send(work())
    except rr.OptionError as error:
        results.send(str(error))


def in_child(method, work):
    context = multiprocessing.get_context(method)
    mine, theirs = context.Pipe()
    child = context.Process(target=answer, args=(theirs, work), daemon=True)
    child.start()
    try:
        assert mine.poll(60), "no answer"
        return mine.recv()
    finally:
        child.kill()
        child.join()


def read():
    return rr.read_run(RUN).collect().rows()


def read_queries():
    return rr.read_queries(__file__)


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="nothing forks here"
)
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:.*fork:RuntimeWarning")
@pytest.mark.parametrize("work", [read, read_queries])
def test_a_process_forked_after_use_is_refused(work):
    read()
    message = in_child("fork", work)
    assert "This process was forked from one that had used rankreport" in message
    assert "multiprocessing.get_context('spawn')" in message


RESULTS = {
    "means": lambda c: c.evaluation.summary(),
    "scores by query": lambda c: c.evaluation.per_query(),
    "levels": lambda c: c.evaluation.means(),
    "stored scores": lambda c: c.evaluation.write_parquet("scores.parquet"),
    "verdict": lambda c: c.verdict(),
    "differences": lambda c: c.deltas(),
    "chart": lambda c: c.plot_deltas(),
    "gate": lambda c: rr.gate(c, ["RR > 0"]),
    "plan": rr.plan,
    "leaderboard": rr.leaderboard,
    "report": lambda c: rr.report(c).to_markdown(),
    "page": lambda c: rr.report(c).to_html("report.html"),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_results_made_before_a_fork_are_refused(kind, monkeypatch, tmp_path):
    """They are there, but Polars would wait when it computes with them."""
    monkeypatch.chdir(tmp_path)
    qrels = {f"q{i}": {"d": 1} for i in range(12)}
    old = {query: {"x": 3, "y": 2, "d": 1} for query in qrels}
    new = {query: {"x": 3 - i % 3, "y": 2, "d": 2.5} for i, query in enumerate(qrels)}
    runs = {"old": old, "new": new}
    comparison = rr.compare(rr.evaluate(qrels, runs, ["RR"]), resamples=200)
    RESULTS[kind](comparison)
    monkeypatch.setattr("rankreport.io.forked_process._first_use", {"process": -1})
    with pytest.raises(rr.OptionError, match="was forked"):
        RESULTS[kind](comparison)


def test_an_evaluation_is_not_read_after_a_fork(monkeypatch):
    made = rr.evaluate({"q": {"d": 1}}, {"a": RUN}, ["AP"])
    monkeypatch.setattr("rankreport.io.forked_process._first_use", {"process": -1})
    with pytest.raises(rr.OptionError, match="was forked"):
        _ = made.scores
