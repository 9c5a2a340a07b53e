"""Tables of the page: whole and in order as they are written, sorted and filtered by a script."""

from __future__ import annotations

import base64
import hashlib
import re

import polars as pl
import pytest
from hostile_texts import HOSTILE
from markup import named, parsed, skeleton, words
from pages import page_of_sections

from rankreport.reports.html import render_page
from rankreport.reports.page import Section
from rankreport.tables.table import Table, to_table
from rankreport.text import visible


def written(folder, *tables):
    """Write a page of tables alone."""
    path = folder / "tables.html"
    page = page_of_sections(Section("tables", "Tables", (), tables))
    path.write_text(render_page(page), encoding="utf-8")
    return path


# As they are written


def test_columns_of_numbers_are_set_right(tmp_path):
    frame = pl.DataFrame({"q": ["a", "b"], "x": [1 / 3, float("-inf")], "n": [3, 10]})
    frame = pl.concat([frame, frame.with_columns(x=pl.lit(None, pl.Float64))])
    (table,) = named(parsed(written(tmp_path, to_table(frame)).read_text("utf-8")), "table")
    assert [words(row[1]) for row in named(table, "tr")[1:]] == ["0.3333", "−∞", "–", "–"]
    assert table.get("class") == "sortable one n2 n3"
    assert [head.get("class") for head in named(table, "th")] == [None, "number", "number"]


def test_columns_beyond_those_the_style_sheet_counts_are_set_right_too(tmp_path, tab):
    wide = Table(
        tuple(f"{at}" for at in range(20)),
        (tuple("x" for _ in range(20)),),
        frozenset({3, 15, 16, 19}),
    )
    with tab(written(tmp_path, wide), java_script_enabled=False) as (page, _):
        for kind in ("th", "td"):
            sides = page.locator(kind).evaluate_all(
                "cells => cells.map(cell => getComputedStyle(cell).textAlign)"
            )
            assert {at for at, side in enumerate(sides) if side == "right"} == {3, 15, 16, 19}


def test_columns_that_say_nothing_are_not_drawn(tmp_path):
    table = Table(("system", "caution"), (("a", ""), ("b", "")))
    tree = parsed(written(tmp_path, table).read_text("utf-8"))
    assert [words(head) for head in named(tree, "th")] == ["system"]


def test_small_tables_and_data_of_charts_are_left_in_peace(two):
    tree = parsed(two.html)
    drawn = [table for figure in named(tree, "figure") for table in named(figure, "table")]
    assert drawn
    assert {table.get("class").split()[0] for table in drawn} == {"still"}
    for table in named(tree, "table"):
        if len(named(table, "tr")) <= 3:
            assert "sortable" not in (table.get("class") or "")


@pytest.mark.slow
def test_policy_allows_the_one_script(each):
    tree = parsed(each.html)
    data, script = named(tree, "script")
    assert data.get("type") == "application/json"
    digest = hashlib.sha256("".join(script.itertext()).encode()).digest()
    (policy,) = [node for node in named(tree, "meta") if node.get("http-equiv")]
    directives = dict(part.strip().split(" ", 1) for part in policy.get("content").split(";"))
    assert directives["script-src"] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert directives["default-src"] == "'none'"


# In a browser

ROWS = Table(
    ("query", "delta", "w / t / l"),
    (
        *(("q10", "0.10", "1 / 2 / 3"), ("Q2", "0.10", "9 / 2 / 3"), ("q1", "–", "5 / 0 / 0")),
        *(("ärger", "-3,000", "1 / 1 / 1"), ("q3", "+∞", "0 / 0 / 0")),
    ),
    frozenset({1, 2}),
)


def column(page, at=0, table="table"):
    cells = f"{table} tbody tr:not([hidden]) > :nth-child({at + 1})"
    return page.locator(cells).all_text_contents()


def sorting(page):
    return page.locator("th").evaluate_all("heads => heads.map(h => h.getAttribute('aria-sort'))")


@pytest.mark.slow
@pytest.mark.browser
def test_headings_sort(tab, tmp_path):
    with tab(written(tmp_path, ROWS)) as (page, watch):
        given = [row[0] for row in ROWS.rows]
        assert column(page) == given
        assert sorting(page) == [None] * 3
        delta = page.get_by_role("button", name="delta", exact=True)
        delta.click()
        assert column(page) == ["q3", "q10", "Q2", "ärger", "q1"]  # equal cells as they were
        assert sorting(page) == [None, "descending", None]
        delta.click()
        assert column(page) == ["ärger", "q10", "Q2", "q3", "q1"]  # what is no number stays last
        assert sorting(page) == [None, "ascending", None]
        page.get_by_role("button", name="query", exact=True).click()
        assert column(page) == ["ärger", "q1", "Q2", "q3", "q10"]
        assert sorting(page) == ["ascending", None, None]
        delta.click(click_count=1)
        delta.click()
        delta.click()
        assert column(page) == given
        assert sorting(page) == [None] * 3
        assert watch.messages == watch.dialogs == []


@pytest.mark.browser
def test_numbers_are_read_from_cells_as_they_are_written(tab, tmp_path):
    cells = ("0.0200", "< 0.0001", "–", "1,200", "0.0003")
    table = Table(("p",), tuple((cell,) for cell in cells), frozenset({0}))
    with tab(written(tmp_path, table)) as (page, _):
        page.get_by_role("button", name="p", exact=True).click()
        assert column(page) == ["1,200", "0.0200", "0.0003", "< 0.0001", "–"]


@pytest.mark.browser
def test_keyboard_sorts(tab, tmp_path):
    with tab(written(tmp_path, ROWS)) as (page, _):
        focus = "document.activeElement.textContent"
        reached = []
        while "query" not in reached:  # past the links and the box that scrolls
            page.keyboard.press("Tab")
            reached.append(page.evaluate(focus))
            assert len(reached) < 10, reached
        page.keyboard.press("Enter")
        assert sorting(page)[0] == "ascending"
        page.keyboard.press("Space")
        assert sorting(page)[0] == "descending"
        page.keyboard.press("Tab")
        assert page.evaluate(focus) == "delta"
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(outline) == "solid"


@pytest.mark.browser
def test_what_has_no_order_has_no_button(tab, tmp_path):
    with tab(written(tmp_path, ROWS)) as (page, _):
        assert page.locator("th button").all_text_contents() == ["query", "delta"]


MANY = to_table(pl.DataFrame({"query": [f"Query {at}" for at in range(25)], "n": range(25)}))


@pytest.mark.browser
def test_long_tables_filter(tab, tmp_path):
    with tab(written(tmp_path, ROWS, MANY)) as (page, watch):
        assert page.get_by_role("searchbox").count() == 1
        box, status = page.get_by_label("Filter rows"), page.get_by_role("status")
        assert status.get_attribute("aria-live") == "polite"
        assert status.inner_text() == ""
        box.fill(" qUERY 1 ".upper())
        narrowed = [f"Query {at}" for at in (1, *range(10, 20))]
        assert column(page, table="table[data-filter]") == narrowed
        assert status.inner_text() == "11 of 25 rows"
        page.locator("table[data-filter] th button").last.click()
        assert column(page, table="table[data-filter]") == narrowed[:0:-1] + narrowed[:1]
        box.fill("nothing of this kind")
        assert column(page, table="table[data-filter]") == []
        assert status.inner_text() == "0 of 25 rows"
        box.fill("")
        assert len(column(page, table="table[data-filter]")) == 25
        assert status.inner_text() == ""
        assert len(column(page)) == 25 + len(ROWS.rows)
        assert watch.messages == []


@pytest.mark.browser
def test_tables_are_whole_without_the_script(tab, tmp_path):
    with tab(written(tmp_path, ROWS, MANY), java_script_enabled=False) as (page, _):
        assert page.locator("button, input").count() == 0
        assert column(page) == [row[0] for table in (ROWS, MANY) for row in table.rows]


@pytest.mark.slow
@pytest.mark.browser
def test_buttons_take_no_room(tab, four):
    """What the script adds to headings moves nothing."""
    sizes = []
    for scripts in (True, False):
        with tab(four.page, java_script_enabled=scripts) as (page, _):
            boxes = [box.bounding_box() for box in page.locator("thead:visible").all()]
            sizes.append([(round(box["width"]), round(box["height"])) for box in boxes])
    assert sizes[0] == sizes[1]


@pytest.mark.slow
@pytest.mark.browser
def test_hostile_tables_sort_and_filter_as_text(tab, tmp_path):
    cells = tuple((text, str(at)) for at, text in enumerate(HOSTILE))
    hostile = Table((HOSTILE[1], HOSTILE[0]), cells, caption=HOSTILE[2], folded=HOSTILE[3])
    tame = Table(
        tuple("x" * len(text) for text in hostile.headers),
        tuple(("x" * len(visible(text)), at) for text, at in cells),
        caption="x",
        folded="x",
    )
    path = written(tmp_path, hostile)
    bones = skeleton(parsed(path.read_text("utf-8")))
    with tab(path) as (page, watch):
        section = page.get_by_role("region", name="Tables")
        section.locator("summary").click()
        for button in page.locator("th button").all():
            button.click()
            button.click()
        for text in HOSTILE:
            page.get_by_role("searchbox").fill(visible(text)[:80])
            assert visible(text) in column(page)
        page.get_by_role("searchbox").fill("")
        assert sorted(column(page)) == sorted(map(visible, HOSTILE))
        page.wait_for_timeout(100)
        assert watch.requests == [path.as_uri()]
        assert watch.messages == watch.dialogs == []
        assert section.locator("img, a, script, style, svg").count() == 0
    assert bones == skeleton(parsed(written(tmp_path, tame).read_text("utf-8")))


@pytest.mark.browser
def test_report_sorts_and_filters(tab, four):
    with tab(four.page) as (page, watch):
        section = page.locator("#all-queries")
        section.locator("summary").first.click()  # the section is folded, and so is each table
        section.locator("summary").nth(1).click()
        section.get_by_role("searchbox").first.fill("q1")
        assert re.fullmatch(r"\d+ of 60 rows", section.get_by_role("status").first.inner_text())
        section.get_by_role("button", name="delta").first.click()
        shown = column(page, 4, "#all-queries details details[open]")
        deltas = [float(text.replace("−", "-")) for text in shown]
        assert deltas == sorted(deltas, reverse=True)
        assert watch.messages == watch.dialogs == []


@pytest.mark.browser
def test_paper_shows_no_controls(tab, four):
    with tab(four.page) as (page, _):
        page.emulate_media(media="print")
        assert page.locator(".filter:visible").count() == 0
        assert not page.locator("#all-queries").is_visible()
