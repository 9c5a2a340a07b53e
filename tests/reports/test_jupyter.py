"""The report below a cell: whole, folded, and made of what JupyterLab lets through."""

from __future__ import annotations

import time

import numpy as np
import polars as pl
import pytest
from markup import fragment, named, tag, words
from sanitiser import sanitised

import rankreport as rr
from rankreport.reports import jupyter
from rankreport.text import unbroken


@pytest.fixture(scope="module")
def shown(example):
    comparison = rr.compare(
        rr.evaluate(example.qrels, example.runs, ["nDCG@10", "AP"]),
        baseline="bm25",
        queries=example.queries,
        segments=["topic"],
        resamples=200,
    )
    gate = rr.gate(comparison, ["AP > -0.2"])
    theme = rr.Theme(introduction="Made *every night*.", closing="Ask us.")
    return rr.report(comparison, gate=gate, theme=theme)


@pytest.fixture(scope="module")
def html(shown):
    return shown._repr_mimebundle_()["text/html"]


def test_every_section_is_there_and_folded(shown, html):
    tree = fragment(html)
    (box,) = list(tree)
    folded = [node for node in box if tag(node) == "details"]
    titles = [words(named(node, "summary")[0]) for node in folded]
    sections = (section.title for section in shown._shown.page.sections)
    assert titles == ["Verdict", *sections, "Provenance"]
    assert {"Segments", "Requirements"} <= set(titles)
    assert not [node for node in named(tree, "details") if node.get("open") is not None]


def test_the_first_screen_is_not_folded(shown, html):
    """Verdict, leaderboard, state of the data, largest losses and what to do."""
    opened = words(fragment(html.partition("<details")[0]))
    page = shown._shown.page
    screen = page.screen
    said = [
        *(f"{badge.sign} {badge.text}." for badge in screen.badges),
        *(screen.headline, screen.plain, screen.judged, page.tally, screen.action, screen.detail),
        *screen.notes,
        *(line for look in screen.looks for line in (look.title, look.text)),
        *(f"{query.amount} {query.name}: {query.about}" for query in screen.queries),
    ]
    assert [each for each in said if " ".join(unbroken(each).split()) not in opened] == []
    assert len(screen.queries) == 3
    assert page.tally
    for row in screen.board.rows:
        assert row.system in opened
        assert row.levels[0] in opened
    assert "every night" in opened


def test_texts_of_queries_are_shown(html, example):
    shown = words(fragment(html))
    assert sum(text in shown for text in pl.read_csv(example.queries)["text"]) > 20


def test_it_ends_with_how_to_keep_it(html):
    assert words(fragment(html)).endswith(
        'report.to_html("report.html"), report.to_notebook("report.ipynb"), '
        'report.to_markdown("report.md")'
    )


def test_a_reader_who_trusts_nobody_sees_the_same(html):
    before, after = fragment(html), sanitised(fragment(html))
    assert words(after) == words(before)
    for name in ("img", "table", "details", "summary"):
        assert len(named(after, name)) == len(named(before, name)) > 0


def test_nothing_leaks_into_the_notebook(html):
    tree = fragment(html)
    assert {"style", "script", "svg", "link"}.isdisjoint(map(tag, tree.iter()))
    assert not [node for node in tree.iter() if node.get("id")]
    assert {node.get("class") for node in tree.iter()} <= {None, "mathjax_ignore"}
    styles = {each for node in tree.iter() for each in node.get("style", "").split("; ")}
    properties = {each.partition(":")[0] for each in styles if each}
    assert properties <= {"text-align", "white-space", "min-width", "word-break", "margin"}


def test_what_is_too_large_is_left_to_the_page(shown, html, monkeypatch):
    monkeypatch.setattr(jupyter, "LARGEST", 100_000)
    less = shown._repr_mimebundle_()["text/html"]
    assert len(less) < 160_000 < len(html) < 1_000_000
    assert "The rest is shown on the page only" in less
    assert "The rest is shown on the page only" not in html
    assert less.count("<summary>") > 8


@pytest.mark.slow
def test_200_000_queries_are_shown_in_seconds():
    n = 200_000
    queries = [f"q{i}" for i in range(n)]
    qrels = pl.DataFrame({"query_id": queries, "doc_id": "d", "relevance": 1})

    def run(seed):
        scores = np.concatenate([np.random.default_rng(seed).random(n), np.full(n, 0.5)])
        documents = ["d"] * n + ["e"] * n
        return pl.DataFrame({"query_id": queries * 2, "doc_id": documents, "score": scores})

    comparison = rr.compare(rr.evaluate(qrels, {"a": run(1), "b": run(2)}, ["RR@10", "nDCG@10"]))
    comparison.table()
    start = time.process_time()
    html = rr.report(comparison)._repr_mimebundle_()["text/html"]
    assert time.process_time() - start < 30  # of two processors
    assert len(html) < 1_000_000
