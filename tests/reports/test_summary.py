"""Five questions that a newcomer has, each answered in the first window, or one click from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

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
    advice: str
    how_much: str
    how_sure: str
    worse: str
    trust: str
    caution: str
    check: str = ""
    look: str = ""
    losses: str = "losses-0"


# RR is 1 where the document stands first, and 1/3 where it does not: 2/3 in the mean of the half.
CASES = {
    # 24 of the 30 others are won.
    "win": Case(
        collection(lambda i: i % 2 == 0 or i % 10 != 9),
        "Better",
        "^Evidence favours new: try it live.$",
        r"\+0\.267 RR \(\+40\.0\s%\)",
        r"^95\s% interval: entirely above 0\s+\+0\.18\d to \+0\.35\d$",
        "worse on 0 of 60 queries",
        "No cautions",
        "data checks passed",
        losses="queries-0",
    ),
    "loss": Case(
        collection(lambda i: i % 4 == 0),
        "Worse",
        "^Evidence is against new: look at the cautions before you drop it.$",
        r"-0\.167 RR \(-25\.0\s%\)",
        r"^95\s% interval: entirely below 0\s+-0\.24\d to -0\.09\d$",
        "worse on 15 of 60 queries",
        "1 caution",
        "1 to look at",
        look="Look: Few queries changed: new against old (15 of 60). ",
    ),
    # 18 won, and 18 lost by as much.
    "tie": Case(
        collection(lambda i: i % 10 in {0, 2, 5, 7, 9}),
        "Inconclusive",
        "^Not enough evidence either way: keep old, or evaluate more queries.$",
        r"0\.000 RR \(0\.0\s%\)",
        r"^95\s% interval: includes 0, so there may be no difference\s+-0\.\d+ to \+0\.\d+$",
        "worse on 18 of 60 queries",
        "No cautions",
        "data checks passed",
    ),
    "broken": Case(
        {q: {f"doc-{d}": s for d, s in lists.items()} for q, lists in HALF.items()},
        "Worse",
        "^Check the data before you act on this result.$",
        r"-0\.667 RR \(-100\.0\s%\)",
        r"-0\.\d+ to -0\.\d+",
        "worse on 60 of 60 queries",
        "2 cautions",
        "1 to check first, 1 to look at",
        "Check the data first: new returned no judged document in the first 10 of any query. "
        "Judged 'r', returned 'doc-r': strip 'doc-' from the run.",
        look="Look: Unjudged documents count as not relevant. Of the first 10: new against old (ju",
    ),
    # 50 of 60 queries are missing, 8 of the 10 that are left are won.
    "unanswered": Case(
        dict.fromkeys(list(HALF)[:10], HALF["q00"]),
        "Worse",
        "^Check the data before you act on this result.$",
        r"-0\.\d+ RR",
        r"-0\.\d+ to -0\.\d+",
        "worse on 50 of 60 queries",
        "2 cautions",
        "2 to check first",
        "Check the data first: new answered only 10 of 60 queries",
        losses="data",
    ),
    "same": Case(
        HALF,
        "Unchanged",
        "^Check the data before you act on this result.$",
        r"0\.000 RR",
        "no query changed",
        "worse on 0 of 60 queries",
        "1 caution",
        "1 to check first",
        "Check the data first: Identical scores on every query and measure: new against old",
        losses="queries-0",
    ),
}


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in CASES if name != "unanswered"]


@pytest.fixture(scope="module", params=["unanswered", *SLOW])
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
            "so what": (page.locator(".advice"), case.advice),
            "in a sentence": (page.locator("h1"), "new"),
            "how much better": (facts.nth(0), case.how_much),
            "how sure": (facts.nth(1), case.how_sure),
            "where is it worse": (facts.nth(2), case.worse),
            "can I trust the data": (facts.nth(3), case.trust),
            "why not": (facts.nth(3), case.caution),
            "what is measured": (page.locator(".meaning"), "RR: 1 / rank of the first"),
        }
        for question, (found, answer) in answers.items():
            assert stands_in_the_window(found), question
            assert re.search(answer, found.inner_text().replace("−", "-")), question
        cautions = page.locator(".cautions li")
        assert cautions.count() == bool(case.look)
        if case.look:
            assert stands_in_the_window(cautions)
            assert cautions.inner_text().replace("\u00a0", " ").startswith(case.look)
        shown = page.locator("header").inner_text()
        assert not re.search(r"\bp\b|max-t|power", shown)
        assert not re.search(r"\d %", page.locator("h1").inner_text())  # a line could end there


def stands_in_the_window(found):
    box = found.bounding_box()
    across = box["x"] >= 0 and box["x"] + box["width"] <= WINDOW["width"]
    return across and box["y"] + box["height"] <= WINDOW["height"]


def test_what_is_severe_stands_before_the_verdict(tab, opened):
    case, path = opened
    with tab(path, **WINDOW) as (page, _):
        check = page.locator(".check")
        assert check.count() == bool(case.check)
        assert page.locator(".badge.doubted").count() == bool(case.check)
        if case.check:
            assert stands_in_the_window(check)
            assert case.check in check.inner_text()
            assert "⚠" in check.inner_text()  # a word and a shape, and not a colour alone
            assert check.bounding_box()["y"] < page.locator(".badge").bounding_box()["y"]
            size = "node => parseFloat(getComputedStyle(node).fontSize)"
            assert check.locator("strong").evaluate(size) > page.locator("p.meaning").evaluate(size)
            check.locator("a").click()
            assert page.evaluate("location.hash") == "#data"


@pytest.mark.slow
@pytest.mark.parametrize("fact", [2, 3])
def test_what_takes_more_is_one_click_away(tab, opened, fact):
    case, path = opened
    place = {2: case.losses, 3: "data"}[fact]
    with tab(path, **WINDOW) as (page, watch):
        page.locator(".facts div").nth(fact).locator("a").click()
        page.wait_for_timeout(1000)  # the page scrolls smoothly
        box = page.locator(f"#{place}").bounding_box()
        assert 0 <= box["y"] < WINDOW["height"]
        assert page.evaluate("location.hash") == f"#{place}"
        if place.startswith("losses"):
            assert page.locator(f"#{place} caption").inner_text() == "Biggest losses, RR"
        assert watch.messages == []


@pytest.mark.slow
def test_the_first_window_holds_for_four_systems(tab, four):
    with tab(four.page, **WINDOW) as (page, _):
        for name in (".badge", "h1", ".advice", ".meaning", ".facts"):
            assert stands_in_the_window(page.locator(name)), name
        assert "simultaneous for 3 differences" in page.locator(".facts div").nth(1).inner_text()


GATES = {
    "agrees": (
        "RR > 0",
        "The gate passes.",
        "✓ Gate passes",
        "Evidence favours new: try it live.",
    ),
    "does not": (
        "RR > 0.2",
        "The gate is inconclusive.",
        "? Gate inconclusive",
        "new is better, but whether it meets the requirements is open: evaluate more queries.",
    ),
    "contradicts": (
        "abs(RR) < 0.1",
        "The gate fails.",
        "✗ Gate fails",
        "new is better, but fails the gate: do not ship it as it is.",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", GATES)
def test_the_outcome_of_a_gate_stands_beside_the_verdict(tab, tmp_path, name, scheme):
    required, outcome, badge, advice = GATES[name]
    comparison = rr.compare(rr.evaluate(QRELS, {"old": HALF, "new": CASES["win"].new}, ["RR"]))
    path = tmp_path / "report.html"
    rr.report(comparison, gate=rr.gate(comparison, required)).to_html(path)
    with tab(path, **WINDOW, color_scheme=scheme) as (page, _):
        gate, verdict, gated = (
            page.locator(at) for at in (".gate", ".badge.better", ".gate-badge")
        )
        assert stands_in_the_window(gate)
        assert gate.inner_text().startswith(f"{outcome} Required: {required}.")
        why = "The verdict asks whether there is a difference, the gate whether it is allowed."
        assert (why in gate.inner_text()) is (name != "agrees")
        assert stands_in_the_window(gated)
        assert gated.inner_text() == badge
        assert gated.bounding_box()["y"] == verdict.bounding_box()["y"]
        assert page.locator(".advice").inner_text() == advice
        gate.locator("a").click()
        assert page.evaluate("location.hash") == "#gates"


def test_what_a_system_fails_is_named_first():
    comparison = rr.compare(rr.evaluate(QRELS, {"old": HALF, "new": CASES["win"].new}, ["RR"]))
    required = [*(f"RR > -0.0{i}" for i in range(1, 6)), "abs(RR) < 0.1"]
    page = rr.report(comparison, gate=rr.gate(comparison, required))._shown.page
    assert page.gate_outcome == "fail"
    assert page.gate.startswith(
        "The gate fails: of 6 requirements, 5 pass and 1 fails. Failed: abs(RR) < 0.1. Also "
        "required: RR > -0.01, RR > -0.02, RR > -0.03, 2 more."
    )


@pytest.mark.slow
def test_beside_a_verdict_stands_what_became_of_its_system(tab, tmp_path):
    runs = {"old": HALF, "new": CASES["win"].new, "same": HALF}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]))
    path = tmp_path / "report.html"
    rr.report(comparison, gate=rr.gate(comparison, "RR > 0")).to_html(path)
    with tab(path, **WINDOW) as (page, _):
        advice = page.locator(".advice").inner_text()
        # The only caution is on the other system.
        assert advice == "Evidence favours new: try it live."
        gate = page.locator(".gate")
        assert stands_in_the_window(gate)
        assert gate.inner_text().startswith(
            "new meets the requirement; of 2 candidates, 1 meets it. "
            "The gate is inconclusive: all 2 candidates must pass. Required: RR > 0. "
            "See each requirement"
        )


@pytest.mark.slow
def test_a_segment_that_is_clearly_worse_is_named():
    # On 30 of 90 queries the new system fails; on 60 it wins.
    qrels = {f"q{i:02}": {"r": 1, "x": 0, "y": 0} for i in range(90)}
    first, last = {"r": 3.0, "x": 2.0, "y": 1.5}, {"r": 1.0, "x": 2.0, "y": 1.5}
    old = {q: first if i % 3 == 0 or i % 5 == 0 else last for i, q in enumerate(qrels)}
    new = {q: last if i % 3 == 0 else first for i, q in enumerate(qrels)}
    kinds = {q: "brand" if i % 3 == 0 else "other" for i, q in enumerate(qrels)}
    evaluation = rr.evaluate(qrels, {"old": old, "new": new}, ["RR"])
    for segments, named in ((kinds, True), (dict.fromkeys(qrels, "all"), False)):
        comparison = rr.compare(evaluation, segments=segments)
        facts = rr.report(comparison)._shown.page.facts
        assert ("clearly worse where segments is brand: -0.667" in facts[2].label) is named


def test_a_measure_without_any_value_is_said_to_have_none():
    alone = {q: {"r": 1} for q in QRELS}
    page = rr.report(
        rr.compare(rr.evaluate(alone, {"old": HALF, "new": HALF}, ["AUC"]))
    )._shown.page
    assert page.sentence == (
        "The data cannot tell whether new is better or worse than old on AUC: no query has a value "
        "for both systems."
    )
    assert page.facts[1].label == "no interval: no query has a value for both systems"
    assert page.check.startswith("Check the data first: AUC of old, new is undefined for 60 of 60")


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"pairs": "all"}, "a, b, c compared with each other"),
        ({}, "b, c against a"),
        ({"baseline": ["a", "b"]}, "a, b, c compared with each other"),
    ],
)
def test_a_title_names_each_system_once(options, title):
    runs = {"a": HALF, "b": CASES["win"].new, "c": CASES["loss"].new}
    comparison = rr.compare(rr.evaluate(QRELS, runs, ["RR"]), resamples=200, **options)
    assert rr.report(comparison).content.title == title


def test_a_small_difference_is_told_with_the_decimals_that_it_takes():
    # The relevant document is at the top of 580 lists, and at place 50 instead of 51 of 20 others:
    # (1/50 - 1/51) * 20/600 is 0.0000131, and 0.00135 % of the mean, (580 + 20/51) / 600.
    qrels = {f"q{i}": {"r": 1} for i in range(600)}
    others = {f"d{place}": -float(place) for place in range(1, 52)}
    old, new = ({"r": -place, **others} for place in (50.5, 49.5))
    runs = {
        name: {q: lower if i < 20 else {"r": 1.0} for i, q in enumerate(qrels)}
        for name, lower in (("old", old), ("new", new))
    }
    facts = rr.report(rr.compare(rr.evaluate(qrels, runs, ["RR"])))._shown.page.facts
    assert facts[0].value == "+0.00001 RR (+0.001 %)"


@pytest.mark.slow
def test_every_form_says_what_to_check_first():
    case = CASES["broken"]
    report = rr.report(rr.compare(rr.evaluate(QRELS, {"old": HALF, "new": case.new}, ["RR"])))
    assert repr(report).startswith(case.check)
    assert report.to_markdown().splitlines()[2].startswith(f"**{case.check}")
    verdict = report.content.comparison.verdict()
    assert str(verdict).startswith(case.check)
    assert case.check in verdict._repr_mimebundle_()["text/latex"]
    for shown in (report, verdict):
        html = unescape(shown._repr_mimebundle_()["text/html"])
        assert html.count(f"<b>{case.check}") == 1
    sound = rr.report(
        rr.compare(rr.evaluate(QRELS, {"old": HALF, "new": CASES["win"].new}, ["RR"]))
    )
    assert sound.to_markdown().splitlines()[2].startswith("**new is better than old on RR")
    assert sound.to_markdown().splitlines()[4] == "Evidence favours new: try it live."
    stop = f"% Stop: {case.check.removeprefix('Check the data first: ')}\n"
    assert report.to_latex().startswith(stop)
    assert "Stop" not in sound.to_latex()
