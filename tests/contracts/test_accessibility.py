"""What axe-core, the checker that auditors run, finds on our pages: nothing."""

from __future__ import annotations

import pytest
from pages import page_of_sections

import rankreport as rr
from rankreport.reports.html import render_page
from rankreport.reports.page import Section, Term

pytestmark = pytest.mark.browser

COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules on what light and dark may differ in."""
ALL_BUT_COLOURS = {name: {"enabled": False} for name in COLOURS}
"""Colours are those of the wide page, and looking at them takes longest."""
COLOURED = {"alone", "four"}
"""The pages whose colours are looked at in the light too: others bring no element of their own."""

OPEN_ALL = "document.querySelectorAll('details').forEach(each => { each.open = true; })"


@pytest.fixture(scope="module")
def axe():
    from axe_playwright_python.sync_playwright import Axe

    return Axe()


@pytest.fixture(scope="module")
def chinese(four, tmp_path_factory):
    """The page of four systems in Chinese, and that of one by itself."""
    folder = tmp_path_factory.mktemp("chinese")
    for name, subject in (("four", four.comparison), ("alone", four.evaluation)):
        rr.report(subject, language="zh").to_html(folder / f"{name}.html")
    return folder


SLOW = (
    pytest.param(name, marks=pytest.mark.slow)
    for name in ("four", "hostile", "chinese/four", "chinese/alone")
)


@pytest.fixture(params=["alone", *SLOW])
def address(request):
    name, _, within = request.param.partition("/")
    made = request.getfixturevalue(name)
    return made / f"{within}.html" if within else made.page


@pytest.fixture
def rules(request):
    """Return the options of axe-core: whether it looks at the colours of this page."""
    coloured = request.node.callspec.params["address"] in COLOURED
    return {} if coloured else {"rules": ALL_BUT_COLOURS}


def violations(axe, page, **options):
    """Return what is found, each with the first elements it is found at."""
    page.evaluate(OPEN_ALL)
    response = axe.run(page, options={"resultTypes": ["violations"], **options}).response
    assert response["passes"]
    return [
        (found["id"], found["help"], [node["html"][:200] for node in found["nodes"][:3]])
        for found in response["violations"]
    ]


def test_nothing_is_found(tab, axe, address, rules):
    with tab(address, color_scheme="light") as (page, watch):
        assert violations(axe, page, **rules) == []
        assert watch.messages == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["four", "alone", "hostile"])
def test_nothing_is_found_in_the_dark(tab, axe, name, request):
    made = request.getfixturevalue(name)
    with tab(made.page, color_scheme="dark") as (page, watch):
        assert violations(axe, page, runOnly=COLOURS) == []
        assert watch.messages == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["four", "alone"])
def test_chinese_fits_a_telephone(tab, chinese, name):
    with tab(chinese / f"{name}.html", width=360) as (page, _):
        page.evaluate(OPEN_ALL)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.slow
def test_nothing_is_found_on_a_telephone(tab, axe, four):
    with tab(four.page, width=360) as (page, _):
        assert violations(axe, page, rules=ALL_BUT_COLOURS) == []


@pytest.mark.slow
def test_nothing_is_found_where_a_formula_is_too_wide(tab, axe, tmp_path):
    term = Term("Long", "A long one", "It is long.", "+".join(["x"] * 99), "none")
    page_of = page_of_sections(Section("a", "A", terms=(term,)))
    path = tmp_path / "page.html"
    path.write_text(render_page(page_of), encoding="utf-8")
    with tab(path, width=360) as (page, _):
        glossary = page.locator(".glossary")
        assert glossary.evaluate("each => each.scrollWidth > each.clientWidth")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert violations(axe, page) == []


@pytest.mark.slow
def test_nothing_is_found_in_a_table_that_is_sorted_and_filtered(tab, axe, four):
    with tab(four.page) as (page, _):
        page.evaluate(OPEN_ALL)
        page.locator("#all-queries th button").nth(1).click()
        page.locator("#all-queries input").first.fill("copy")
        assert page.locator("#all-queries th[aria-sort]").count() == 1
        assert violations(axe, page, rules=ALL_BUT_COLOURS) == []


@pytest.mark.slow
def test_faults_are_found(tab, axe, alone, tmp_path):
    faulty = tmp_path / "faulty.html"
    faults = '<p><font color="#888888">pale</font><a href="#findings"></a></p><h1>'
    page_of = alone.html.replace('<html lang="en">', "<html>").replace("<h1>", faults, 1)
    faulty.write_text(page_of, encoding="utf-8")
    with tab(faulty) as (page, _):
        found = {each for each, *_ in violations(axe, page)}
        assert found == {"html-has-lang", "link-name", "color-contrast"}
        dim = violations(axe, page, runOnly=COLOURS)
        assert [each for each, *_ in dim] == ["color-contrast"]
