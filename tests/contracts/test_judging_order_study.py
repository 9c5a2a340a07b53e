"""The study of the order of judging counts what it says, and finds out an order that is no good."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rankreport as rr

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import docs_section
    import judging_order_study as study
finally:
    sys.path.pop(0)

QUERIES = [f"q{n:02}" for n in range(30)]


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    """Decide ten times instead of twenty."""
    monkeypatch.setattr(study, "STEPS", 10)


def planted(seed=0):
    """Return judgments and two runs: new puts a relevant document first in every second list."""
    rng = np.random.default_rng(seed)
    qrels, runs = [], {"old": [], "new": []}
    for n, query in enumerate(QUERIES):
        grades = {f"d{i}": float(i == 0 or rng.random() < 0.1) for i in range(8)}
        qrels += [(query, *each) for each in grades.items()]
        for name, first in (("old", "d1"), ("new", "d0" if n % 2 else "d1")):
            order = [first, *rng.permutation([d for d in grades if d != first])]
            runs[name] += [(query, d, 9.0 - rank) for rank, d in enumerate(order)]
    frames = {
        name: pl.DataFrame(rows, schema=[*study.KEYS, "score"], orient="row")
        for name, rows in runs.items()
    }
    return pl.DataFrame(qrels, schema=[*study.KEYS, "relevance"], orient="row"), frames


def removed_of(qrels, share=0.75, seed=1):
    chosen = np.random.default_rng(seed).permutation(len(qrels))[: int(len(qrels) * share)]
    return qrels[chosen].select(study.KEYS)


def test_the_judgments_at_random_are_those_until_the_verdict_stays():
    qrels, runs = planted()
    full, _ = study.verdict_of(qrels, runs)
    assert full == "better"
    removed = removed_of(qrels)
    steps = study.steps_of(len(removed))
    assert (steps[0], steps[-1], len(steps)) == (0, len(removed), study.STEPS + 1)
    right = [
        study.verdict_of(qrels.join(removed[n:], on=study.KEYS, how="anti"), runs)[0] == full
        for n in steps
    ]
    needed = next(n for i, n in enumerate(steps) if all(right[i:]))
    assert 0 < needed == study.at_random(qrels, runs, removed, full)


def test_an_order_that_is_no_good_is_found_out(monkeypatch):
    qrels, runs = planted()
    full, _ = study.verdict_of(qrels, runs)
    removed = removed_of(qrels)
    judge_next = rr.judge_next

    class Backwards:
        def __init__(self, comparison):
            self.frame = judge_next(comparison).to_polars().reverse()

        def to_polars(self):
            return self.frame

    usual = study.at_random(qrels, runs, removed, full)
    assert study.in_order(qrels, runs, removed, full) < usual
    monkeypatch.setattr(rr, "judge_next", Backwards)
    assert study.in_order(qrels, runs, removed, full) > usual


def test_a_cell_has_something_to_reach_where_the_verdict_differs():
    qrels, runs = planted()
    cell = study.measured("some", qrels, runs, share=0.75, seed=0)
    assert (cell.pair, cell.verdict, cell.queries) == ("new against old", "better", 30)
    assert 0 < cell.in_order <= cell.removed
    few = study.measured("some", qrels, runs, share=0.01, seed=0)
    assert (few.in_order, few.at_random) == (None, None)
    assert (
        study.measured("some", qrels, {"a": runs["old"], "b": runs["old"]}, share=0.5, seed=0)
        is None
    )


CELL = study.Cell("web", "new against old", 0.5, 0, 30, "better", 100, 20, 40.0)


def test_the_page_says_what_was_counted():
    nothing = replace(CELL, in_order=None, at_random=None)
    every = [
        CELL,
        replace(CELL, seed=1, in_order=80, at_random=40.0),
        replace(CELL, share=0.7, in_order=10, at_random=40.0),
        replace(CELL, collection="robust", in_order=30, at_random=60.0),
        replace(nothing, collection="robust", share=0.7),
        replace(nothing, collection="other"),
    ]
    text = study.page(every)
    assert "| web | 3 | 3 | 100 | 20 | 40 | 0.63 | 2.00 |" in text
    assert "| robust | 2 | 1 | 100 | 30 | 60 | 0.50 | 0.50 |" in text
    assert "| other | 1 | 0 |  |  |  |  |  |" in text
    assert "| 50 % | 4 | 3 | 100 | 30 | 40 | 0.79 | 2.00 |" in text
    mean = (0.5 * 2 * 0.25 * 0.5) ** 0.25
    assert f"takes {mean:.2f} of the judgments of random order" in text
    assert "fewer in 75 % of 4 cases, more in 25 %" in text
    assert "web with 50 % removed, it takes 1.00 of them" in text
    value, low, high = study.mean_ratio([each for each in every if each.in_order])
    assert value == pytest.approx(mean)
    # Two pairs of runs: the mean of either is an end.
    assert (low, high) == pytest.approx((0.5, 0.25 ** (1 / 3)), rel=0.01)


def test_a_section_replaces_the_last_one(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(docs_section, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n## One\n\nold\n\n### Part\n\nold\n\n## Two\n\nrest\n", "utf-8")
    docs_section.publish("new\n", "page.md", "## One\n", write=False)
    assert capsys.readouterr().out == "new\n"
    docs_section.publish("new\n", "page.md", "## One\n", write=True)
    assert page.read_text("utf-8") == "# Page\n\n## One\n\nnew\n\n## Two\n\nrest\n"
    docs_section.publish("all cells\n", "tables.md", write=True)
    assert (tmp_path / "tables.md").read_text("utf-8") == "all cells\n"
    with pytest.raises(ValueError, match="has no line"):
        docs_section.publish("new\n", "page.md", "## Three\n", write=True)
