"""Tables of the page: whole and in order as they are written, sorted and filtered by a script."""

from __future__ import annotations

import base64
import hashlib
import re

import polars as pl
import pytest
from hostile_texts import HOSTILE
from markup import by_id, named, parsed, rows, skeleton, words

import rankreport as rr
from rankreport.reports.html import render_page
from rankreport.reports.page import Page, Section
from rankreport.reports.sections import queries as every_query
from rankreport.tables.table import Table, to_table
from rankreport.text.format import visible

PAGE = Page("title", "", "sentence", "", (), (), (), (), {})


def written(folder, *tables):
    """Write a page of tables alone."""
    path = folder / "tables.html"
    page = Page(**{**vars(PAGE), "sections": (Section("tables", "Tables", (), tables),)})
    path.write_text(render_page(page), encoding="utf-8")
    return path


# As they are written


def test_cells_that_read_alike_hold_their_numbers_unrounded(tmp_path):
    frame = pl.DataFrame(
        {
            "q": ["a", "b", "c", "d"],
            "x": [1 / 3, None, float("-inf"), 0.33331],
            "n": [3, -2, 10, 3],
        },
        strict=False,
    )
    (table,) = named(parsed(written(tmp_path, to_table(frame)).read_text("utf-8")), "table")
    held = [[cell.get("data-value") for cell in row] for row in named(table, "tr")[1:]]
    assert held == [
        [None, "0.3333333333333333", None],
        [None, None, None],
        [None, None, None],
        [None, "0.33331", None],
    ]
    assert [words(row[1]) for row in named(table, "tr")[1:]] == ["0.3333", "–", "-∞", "0.3333"]
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
    assert not [cell for table in drawn for cell in table.iter() if cell.get("data-value")]
    for table in named(tree, "table"):
        if len(named(table, "tr")) <= 3:
            assert "sortable" not in table.get("class")


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


# Every query


def listed(made):
    return named(by_id(parsed(made.html), "all-queries"), "table")


def test_every_query_of_every_pair_is_listed(four, example):
    texts = dict(rr.read_queries(example.queries).select("query_id", "text").iter_rows())
    tables = listed(four)
    assert len(tables) == 3
    for table, pair in zip(tables, four.comparison.pairs, strict=True):
        deltas = four.comparison.deltas(**pair._asdict()).sort("query_id")
        shown = rows(table)
        assert sorted(row["query"] for row in shown) == deltas["query_id"].to_list()
        sizes = [abs(float(row["delta"])) for row in shown]
        assert sizes == sorted(sizes, reverse=True)
        exact = {row[0]: row[1:] for row in deltas.drop("baseline", "system").iter_rows()}
        for row in named(table, "tr")[1:]:
            for cell, value in zip(row[1:4], exact[words(row[0])], strict=True):
                hidden = cell.get("data-value")
                assert float(words(cell)) == pytest.approx(value, abs=0.5001e-4)
                assert hidden is None or float(hidden) == value
        for row in shown:
            assert row["text"] == texts[row["query"]]


def test_one_system_has_its_queries_the_lowest_first(alone):
    (table,) = listed(alone)
    shown = rows(table)
    values = [float(row["nDCG@10"]) for row in shown]
    assert values == sorted(values)
    assert len(shown) == 60
    assert list(shown[0]) == ["query", "nDCG@10", "AP", "RR@10", "P@10", "R@100"]


def of_many(n_queries, n_systems=2):
    """Compare systems of which each finds the document at another place, query by query."""
    ids = [f"q{at:05}" for at in range(n_queries)]
    qrels = pl.DataFrame({"query_id": ids, "doc_id": "d", "relevance": 1})
    runs = {
        f"s{system}": pl.DataFrame(
            {
                "query_id": ids * 2,
                "doc_id": ["d"] * n_queries + ["x"] * n_queries,
                "score": [1.0] * n_queries
                + [float((at * (system + 1)) % 3) for at in range(n_queries)],
            }
        )
        for system in range(n_systems)
    }
    evaluation = rr.evaluate(qrels, runs, ["RR@10"])
    queries = pl.DataFrame({"query_id": ids, "text": [f"text of {name}" for name in ids]})
    comparison = rr.compare(evaluation, resamples=100) if n_systems > 1 else None
    return rr.report(comparison or evaluation, queries=queries)


@pytest.mark.slow
@pytest.mark.parametrize("n_systems", [1, 2])
def test_too_many_queries_are_some_and_the_others_beside(tmp_path, n_systems):
    report = of_many(2001, n_systems)
    report.to_html(tmp_path / "big.html")
    files = {path.name for path in tmp_path.iterdir()}
    assert files == {"big.html", "big.per-query.parquet", "big.per-query.csv"}
    section = by_id(parsed((tmp_path / "big.html").read_text("utf-8")), "all-queries")
    text = " ".join(words(node) for node in named(section, "p"))
    assert "500" in text
    assert ".per-query.parquet and .per-query.csv" in text
    (table,) = named(section, "table")
    shown = rows(table)
    assert len(shown) == 500
    whole = pl.read_parquet(tmp_path / "big.per-query.parquet")
    assert whole.equals(pl.read_csv(tmp_path / "big.per-query.csv"))
    assert len(whole) == 2001
    assert whole.columns[-1] == "text"
    if n_systems == 2:
        smallest = min(abs(float(row["delta"])) for row in shown)
        left_out = whole.filter(~pl.col("query_id").is_in([row["query"] for row in shown]))
        assert left_out["delta"].abs().max() <= smallest + 1e-4


@pytest.mark.slow
def test_as_many_as_fit_stand_on_the_page_alone(tmp_path):
    of_many(2000).to_html(tmp_path / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    section = by_id(parsed((tmp_path / "page.html").read_text("utf-8")), "all-queries")
    assert len(rows(named(section, "table")[0])) == 2000
    assert "files beside" not in " ".join(words(node) for node in named(section, "p"))


def test_rows_of_all_pairs_are_counted_together():
    content = of_many(700, 4).content
    (section,) = every_query.queries_of(content)
    assert [len(table.rows) for table in section.parts] == [500] * 3
    assert {name: len(frame) for name, frame in every_query.side_files(content).items()} == {
        ".per-query.parquet": 2100,
        ".per-query.csv": 2100,
    }


def test_every_query_of_six_systems_is_listed_where_they_are_few():
    content = of_many(225, 6).content
    (section,) = every_query.queries_of(content)
    assert [len(table.rows) for table in section.parts] == [225] * 5
    listed = [table.caption for table in section.parts]
    assert listed == [f"RR@10, s{system} minus s0" for system in range(1, 6)]
    assert section.paragraphs == ("The largest changes come first.",)
    assert every_query.side_files(content) == {}


def beside_of(content, parts):
    """Return the section and the files beside its page, which hold each query of so many parts."""
    (section,) = every_query.queries_of(content)
    beside = every_query.side_files(content)
    assert set(beside) == {".per-query.parquet", ".per-query.csv"}
    assert (
        "Every query of every system is in the files written next to the report"
        in section.paragraphs[0]
    )
    for frame in beside.values():
        of = ["baseline", "system"] if "baseline" in frame.columns else ["system"]
        assert len(frame.unique(["query_id", *of])) == len(frame) == parts
        assert frame["text"].null_count() == 0
    return section


def test_of_many_pairs_the_leading_one_is_listed_and_all_stand_beside():
    content = of_many(30, 12).content
    section = beside_of(content, 11 * 30)
    (table,) = section.parts
    assert len(table.rows) == 30
    assert content.comparison.leading().system in table.caption
    assert "Of 11 pairs, the one" in section.paragraphs[0]
    assert "30 largest" not in section.paragraphs[0]


@pytest.mark.parametrize(("n_queries", "n_systems"), [(400, 6), (500, 5), (200, 11)])
def test_two_thousand_rows_of_ten_pairs_stand_on_the_page_alone(n_queries, n_systems):
    content = of_many(n_queries, n_systems).content
    (section,) = every_query.queries_of(content)
    assert [len(table.rows) for table in section.parts] == [n_queries] * (n_systems - 1)
    assert every_query.side_files(content) == {}


@pytest.mark.parametrize(
    ("n_queries", "n_systems", "listed"),
    [
        (401, 6, [401]),
        (501, 5, [500] * 4),  # 2,000 rows of 2,004
        (2000, 6, [2000]),
        (2001, 6, [500]),
        (30, 12, [30]),
    ],
)
def test_what_does_not_fit_a_page_stands_beside_it(n_queries, n_systems, listed):
    content = of_many(n_queries, n_systems).content
    section = beside_of(content, n_queries * (n_systems - 1))
    assert [len(table.rows) for table in section.parts] == listed
    cut = listed[0] < n_queries
    assert ("The 500 largest are listed." in section.paragraphs[0]) is cut


def test_of_many_systems_alone_all_stand_beside():
    evaluation = of_many(30, 12).content.evaluation
    texts = pl.DataFrame({"query_id": [f"q{at:05}" for at in range(30)], "text": "text"})
    section = beside_of(rr.report(evaluation, queries=texts).content, 12 * 30)
    (table,) = section.parts
    assert evaluation.best_system() in table.caption
    assert "Of 12 systems, the one" in section.paragraphs[0]


def test_long_texts_are_cut():
    comparison = rr.compare(
        rr.evaluate({"q" * 99: {"d": 1}}, {n: {"q" * 99: {"d": 1.0}} for n in "ab"}, ["RR"]),
        resamples=100,
    )
    queries = pl.DataFrame({"query_id": ["q" * 99], "text": ["long " * 9999]})
    (section,) = every_query.queries_of(rr.report(comparison, queries=queries).content)
    (row,) = section.parts[0].rows
    assert [len(row[0]), len(row[-1])] == [60, 200]


@pytest.mark.slow
@pytest.mark.parametrize("n_systems", [1, 2])
def test_long_ids_are_cut_wherever_they_stand_and_whole_in_the_json(n_systems, tmp_path):
    long = "x" * 3000
    queries = [f"q{i}-{long}-{i}" for i in range(12)]
    good, bad = f"good-{long}-1", f"bad-{long}-2"
    qrels = {query: {good: 1, bad: 0} for query in queries}
    runs = {
        f"s{at}": {q: {good: 1.0, bad: float((i + at) % 3)} for i, q in enumerate(queries)}
        for at in range(n_systems)
    }
    subject = rr.evaluate(qrels, runs, ["nDCG@10"])
    subject = subject if n_systems == 1 else rr.compare(subject, resamples=200)
    made = rr.report(subject)
    made.to_html(tmp_path / "page.html")
    tree = parsed((tmp_path / "page.html").read_text(encoding="utf-8"))
    cells = {words(cell) for cell in named(tree, "td")}
    assert [cell for cell in cells if "x" * 61 in cell] == []
    assert {query[:30] + "…" + query[-29:] for query in queries} & cells
    assert all(name in made.to_json() for name in (queries[0], good))


# In a browser

ROWS = Table(
    ("query", "delta", "w / t / l"),
    (
        *(("q10", "0.10", "1 / 2 / 3"), ("Q2", "0.10", "9 / 2 / 3"), ("q1", "–", "5 / 0 / 0")),
        *(("ärger", "-3,000", "1 / 1 / 1"), ("q3", "+∞", "0 / 0 / 0")),
    ),
    frozenset({1, 2}),
    values=(
        *((None, 0.1001, None), (None, 0.1002, None), (None, None, None)),
        *((None, -3000.0, None), (None, float("inf"), None)),
    ),
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
        assert column(page) == ["q3", "Q2", "q10", "ärger", "q1"]  # by what was not printed
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
        for _ in range(3):  # past the link and the box that scrolls
            page.keyboard.press("Tab")
        focus = "document.activeElement.textContent"
        assert page.evaluate(focus) == "query"
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
        page.locator("summary").click()
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
        assert page.locator("main img, main a, main script, main style").count() == 0
    assert bones == skeleton(parsed(written(tmp_path, tame).read_text("utf-8")))


@pytest.mark.browser
def test_report_sorts_and_filters(tab, four):
    with tab(four.page) as (page, watch):
        section = page.locator("#all-queries")
        section.locator("summary").first.click()
        section.get_by_role("searchbox").first.fill("q1")
        assert re.fullmatch(r"\d+ of 60 rows", section.get_by_role("status").first.inner_text())
        section.get_by_role("button", name="delta").first.click()
        deltas = [float(text) for text in column(page, 3, "#all-queries details[open]")]
        assert deltas == sorted(deltas, reverse=True)
        assert watch.messages == watch.dialogs == []


@pytest.mark.browser
def test_paper_shows_no_controls(tab, four):
    with tab(four.page) as (page, _):
        page.emulate_media(media="print")
        assert page.locator(".filter:visible").count() == 0
        assert not page.locator("#all-queries").is_visible()
