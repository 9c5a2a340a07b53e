"""Five questions that a newcomer has, each answered in the first window, or one click from it."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

import rankreport as rr

pytestmark = pytest.mark.browser

WINDOW = {"width": 1280, "height": 800}
N_QUERIES = 60


def collection(first_in):
    """Return lists in which the relevant document stands first where `first_in` says so."""
    return {
        f"q{i:02}": {"r": 3.0 if first_in(i) else 1.0, "x": 2.0, "y": 1.5} for i in range(N_QUERIES)
    }


QRELS = {f"q{i:02}": {"r": 1, "x": 0, "y": 0} for i in range(N_QUERIES)}
HALF = collection(lambda i: i % 2 == 0)


@dataclass(frozen=True)
class Case:
    """What a new system did, and what the page has to say of it."""

    new: dict[str, dict[str, float]]
    word: str
    how_much: str
    how_sure: str
    worse: str
    trust: str
    caution: str


# RR is 1 where the document stands first, and 1/3 where it does not: 2/3 in the mean of the half.
CASES = {
    # 24 of the 30 others are won.
    "win": Case(
        collection(lambda i: i % 2 == 0 or i % 10 != 9),
        "Better",
        r"\+0\.267 RR \(\+40\.0 %\)",
        r"\+0\.18\d to \+0\.35\d",
        "worse on 0 of 60 queries",
        "No caution",
        "",
    ),
    "loss": Case(
        collection(lambda i: i % 4 == 0),
        "Worse",
        r"-0\.167 RR \(-25\.0 %\)",
        r"-0\.24\d to -0\.09\d",
        "worse on 15 of 60 queries",
        "caution",
        "Few queries changed",
    ),
    "tie": Case(
        HALF,
        "Unchanged",
        r"0\.000 RR \(0\.0 %\)",
        "–",
        "worse on 0 of 60 queries",
        "No caution",
        "",
    ),
    "broken": Case(
        {q: {f"doc-{d}": s for d, s in lists.items()} for q, lists in HALF.items()},
        "Worse",
        r"-0\.667 RR \(-100\.0 %\)",
        r"-0\.\d+ to -0\.\d+",
        "worse on 60 of 60 queries",
        "caution",
        "do its document ids match",
    ),
}


@pytest.fixture(scope="module", params=CASES)
def opened(request, tmp_path_factory):
    case = CASES[request.param]
    comparison = rr.compare(rr.evaluate(QRELS, {"old": HALF, "new": case.new}, ["RR"]))
    path = tmp_path_factory.mktemp(request.param) / "report.html"
    rr.report(comparison).to_html(path)
    return case, path


def test_every_answer_stands_in_the_first_window(tab, opened, pictures):
    case, path = opened
    with tab(path, **WINDOW) as (page, _):
        page.screenshot(path=pictures / f"first-screen-{path.parent.name}.png")
        facts = page.locator(".facts div")
        assert facts.count() == 4
        answers = {
            "ship or not": (page.locator(".badge"), case.word),
            "in a sentence": (page.locator("h1"), "new"),
            "how much better": (facts.nth(0), case.how_much),
            "how sure": (facts.nth(1), case.how_sure),
            "where is it worse": (facts.nth(2), case.worse),
            "can I trust the data": (facts.nth(3), case.trust),
            "why not": (facts.nth(3), case.caution),
            "what is measured": (page.locator(".meaning"), "RR: One over the place"),
        }
        for question, (found, answer) in answers.items():
            box = found.bounding_box()
            assert box["x"] >= 0, question
            assert box["x"] + box["width"] <= WINDOW["width"], question
            assert box["y"] + box["height"] <= WINDOW["height"], question
            assert re.search(answer, found.inner_text()), question


@pytest.mark.parametrize(("fact", "section"), [(2, "queries-0"), (3, "data")])
def test_what_takes_more_is_one_click_away(tab, opened, fact, section):
    _, path = opened
    with tab(path, **WINDOW) as (page, watch):
        page.locator(".facts div").nth(fact).locator("a").click()
        page.wait_for_timeout(1000)  # the page scrolls smoothly
        heading = page.locator(f"#{section} h2").bounding_box()
        assert 0 <= heading["y"] < WINDOW["height"]
        assert page.evaluate("location.hash") == f"#{section}"
        assert watch.messages == []


def test_the_first_window_holds_for_four_systems(tab, four):
    with tab(four.page, **WINDOW) as (page, _):
        for name in (".badge", "h1", ".meaning", ".facts"):
            box = page.locator(name).bounding_box()
            assert box["y"] + box["height"] <= WINDOW["height"], name
        assert "p (max-t)" in page.locator(".facts div").nth(1).inner_text()
