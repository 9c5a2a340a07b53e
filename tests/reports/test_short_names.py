"""Long names: shortened on the screen, whole for those who ask and for those who listen."""

from __future__ import annotations

import pytest
from hostile_texts import HOSTILE
from markup import named, parsed, tag, words
from pages import page_of_sections

from rankreport.reports.html import naming, render_page
from rankreport.reports.sections._names import LONGEST_NAME
from rankreport.text import both_ends
from rankreport.text.format import visible

LONG = "dense_retriever_msmarco_distilbert_v3_" + "tuned_on_clicks_" * 6 + "k100"
BRIEF = "dense_retrie…clicks_k100"


def written(folder, *names):
    """Write a page that begins with these names."""
    short = {name: both_ends(name, LONGEST_NAME) for name in names}
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
