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


def test_an_evaluation_is_not_read_after_a_fork(monkeypatch):
    made = rr.evaluate({"q": {"d": 1}}, {"a": RUN}, ["AP"])
    monkeypatch.setattr("rankreport.io.process._first_use", {"process": -1})
    with pytest.raises(rr.OptionError, match="was forked"):
        _ = made.scores
