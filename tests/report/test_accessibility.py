"""What axe-core, the checker that auditors run, finds on our pages: nothing."""

from __future__ import annotations

import pytest

import rankreport as rr

pytestmark = pytest.mark.browser

OPEN_ALL = "document.querySelectorAll('details').forEach(each => { each.open = true; })"


@pytest.fixture(scope="module")
def axe():
    checker = pytest.importorskip("axe_playwright_python.sync_playwright")
    return checker.Axe()


@pytest.fixture(scope="module")
def chinese(four, tmp_path_factory):
    """The page of four systems in Chinese, and that of one by itself."""
    folder = tmp_path_factory.mktemp("chinese")
    for name, subject in (("four", four.comparison), ("alone", four.evaluation)):
        rr.report(subject, language="zh").to_html(folder / f"{name}.html")
    return folder


@pytest.fixture(params=["four", "alone", "hostile", "chinese/four", "chinese/alone"])
def address(request):
    name, _, within = request.param.partition("/")
    made = request.getfixturevalue(name)
    return made / f"{within}.html" if within else made.page


def violations(axe, page):
    """Return what is found, each with the first elements it is found at."""
    response = axe.run(page).response
    assert len(response["passes"]) > 20
    return [
        (found["id"], found["help"], [node["html"][:200] for node in found["nodes"][:3]])
        for found in response["violations"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_found(tab, axe, address, scheme):
    with tab(address, color_scheme=scheme) as (page, watch):
        assert violations(axe, page) == []
        page.evaluate(OPEN_ALL)
        assert violations(axe, page) == []
        assert watch.messages == []


def test_nothing_is_found_on_a_telephone(tab, axe, four):
    with tab(four.page, width=360) as (page, _):
        page.evaluate(OPEN_ALL)
        assert violations(axe, page) == []


def test_nothing_is_found_in_a_table_that_is_sorted_and_filtered(tab, axe, four):
    with tab(four.page) as (page, _):
        page.evaluate(OPEN_ALL)
        page.locator("#all-queries th button").nth(1).click()
        page.locator("#all-queries input").first.fill("copy")
        assert page.locator("#all-queries th[aria-sort]").count() == 1
        assert violations(axe, page) == []


def test_faults_are_found(tab, axe, four, tmp_path):
    faulty = tmp_path / "faulty.html"
    pale = '<p><a href="#findings"></a></p><h1>'
    faulty.write_text(four.html.replace('<html lang="en">', "<html>").replace("<h1>", pale, 1))
    with tab(faulty) as (page, _):
        assert {found[0] for found in violations(axe, page)} == {"html-has-lang", "link-name"}
