"""Long names: shortened on the screen, whole for those who ask and for those who listen."""

from __future__ import annotations

import pytest
from hostile_texts import HOSTILE
from markup import named, parsed, tag, words
from pages import page_of_sections

import rankreport as rr
from rankreport.reports.html import naming, render_page
from rankreport.text import BRIEF_NAME, both_ends, visible

LONG = "dense_retriever_msmarco_distilbert_v3_" + "tuned_on_clicks_" * 6 + "k100"
BRIEF = "dense_retrie…clicks_k100"


def written(folder, *names):
    """Write a page that begins with these names."""
    short = {name: both_ends(name, BRIEF_NAME) for name in names}
    named_in = naming((brief, name) for name, brief in short.items() if brief != visible(name))
    shown = "".join(f"<p>{named_in(f'{brief} and more')}</p>" for brief in short.values())
    html = render_page(page_of_sections())
    path = folder / "names.html"
    path.write_text(html.replace("<header>", f"<header>{shown}"), encoding="utf-8")
    return path


def test_short_names_are_left_in_peace(tmp_path):
    (first, *_) = named(parsed(written(tmp_path, "bm25").read_text("utf-8")), "p")
    assert [tag(node) for node in first.iter()] == ["p"]
    assert words(first) == "bm25 and more"


@pytest.mark.parametrize("name", [LONG, *HOSTILE])
def test_names_are_whole_in_the_text(tmp_path, name):
    """So that they are whole without a style sheet, and when they are read out or copied."""
    (first, *_) = named(parsed(written(tmp_path, name).read_text("utf-8")), "p")
    assert words(first) == f"{' '.join(visible(name).split())} and more"
    assert {tag(node) for node in first.iter()} <= {"p", "span", "bdi"}


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_long_names_are_whole_where_the_focus_is(tab, tmp_path, width):
    with tab(written(tmp_path, LONG), width=width) as (page, watch):
        name = page.locator(".name")
        brief = "getComputedStyle(document.querySelector('.name'), '::before').content"
        assert page.evaluate(brief).startswith(f'"{BRIEF}"')
        small = name.bounding_box()
        assert small["width"] < 300
        page.locator("nav a").last.focus()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "name"
        assert page.evaluate(brief) == "none"
        whole = name.bounding_box()
        assert whole["width"] * whole["height"] > small["width"] * small["height"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.keyboard.press("Tab")
        name.hover()
        assert page.evaluate(brief) == "none"
        assert watch.messages == []


@pytest.mark.browser
def test_paper_has_whole_names(tab, tmp_path):
    with tab(written(tmp_path, LONG)) as (page, _):
        page.emulate_media(media="print")
        assert page.locator(".name bdi").bounding_box()["width"] > 300


LONGER = {
    "base-" * 8 + "a": (1, 2, 5),
    "candidate-" * 6 + "b": (2, 1, 1),
    "the-third-of-all-three-systems-2024-01-01": (3, 4, 1),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return pages on two and on three systems with long names, by the number of systems."""
    qrels = {f"q{at:02}": {"r": 1} for at in range(24)}
    runs = {
        name: {
            query: {f"x{place}": -float(place) for place in range(1, 6)}
            | {"r": 0.5 - ranks[at % 3]}
            for at, query in enumerate(qrels)
        }
        for name, ranks in LONGER.items()
    }
    folder, made = tmp_path_factory.mktemp("long"), {}
    for n in (2, 3):
        evaluation = rr.evaluate(qrels, dict(list(runs.items())[:n]), ["RR", "P@5"])
        report = rr.report(rr.compare(evaluation, resamples=200))
        (made[n],) = report.to_html(folder / f"{n}.html")
    return made


@pytest.mark.parametrize("n", [2, 3])
def test_every_short_name_stands_for_a_whole_one(pages, n):
    """In tables, labels of folds, captions and headings; drawings have their data beside them."""
    tree = parsed(pages[n].read_text("utf-8"))
    briefs = {both_ends(name, BRIEF_NAME) for name in LONGER}
    for node in tree.iter():
        if tag(node) in ("svg", "script", "title", "style"):
            continue
        for text in (node.text, *(each.tail for each in node)):
            shown = (text or "").replace("\N{MINUS SIGN}", "-")
            assert not any(brief in shown for brief in briefs), (tag(node), text)
    shown = {node.get("data-brief") for node in named(tree, "span") if node.get("class") == "name"}
    assert shown == {both_ends(name, BRIEF_NAME) for name in list(LONGER)[:n]}
    for name in ("a", "button", "summary"):
        for holder in named(tree, name):
            inside = [each for each in holder.iter() if each.get("class") == "name"]
            assert not any(each.get("tabindex") for each in inside), words(holder)


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_names_in_tables_are_whole_where_the_focus_is(tab, pages, width):
    with tab(pages[3], width=width) as (page, watch):
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        cell = page.locator("#differences td .name").first
        cell.focus()
        assert cell.evaluate("each => getComputedStyle(each, '::before').content") == "none"
        assert cell.inner_text() in LONGER
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        summary = page.locator("summary:has(.name)").first
        summary.focus()
        name = summary.locator(".name").first
        assert name.evaluate("each => getComputedStyle(each, '::before').content") == "none"
        assert watch.messages == []
