"""The section on all queries: what it lists, how rows are chosen, and links that lead to them."""

from __future__ import annotations

from html import escape
from pathlib import Path

import polars as pl
import pytest
from hostile_texts import HOSTILE
from markup import by_id, figure, named, parsed, rows, words
from pages import page_of_sections

import rankreport as rr
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.reports.html import render_page
from rankreport.reports.page import Picture, Section
from rankreport.reports.sections import all_queries as every_query
from rankreport.tables.table import Table
from rankreport.text import visible
from rankreport.text.markup import fragment


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
            for cell, value in zip(row[2:5], exact[words(row[0])], strict=True):
                assert float(figure(cell)) == pytest.approx(value, abs=0.5001e-4)
        for row in shown:
            assert row["text"] == texts[row["query"]]


def test_one_system_has_its_queries_the_lowest_first(alone):
    (table,) = listed(alone)
    shown = rows(table)
    values = [float(row["nDCG@10"]) for row in shown]
    assert values == sorted(values)
    assert len(shown) == 60
    assert list(shown[0]) == ["query", "nDCG@10", "AP", "RR@10", "P@10", "R@100", "why not higher"]


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
    assert leading_pair_of(content.comparison).system == "s2"  # the verdict's comes first
    assert listed == [f"RR@10, s{system} minus s0" for system in (2, 1, 3, 4, 5)]
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
    assert leading_pair_of(content.comparison).system in table.caption
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
    left_out = (
        f"The 500 that change most, better or worse, are listed; left out: {n_queries - 500:,} "
    )
    assert (left_out in section.paragraphs[0]) is cut


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
    assert [len(row[0]), len(row[1])] == [60, 200]


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


def test_of_many_queries_the_ends_are_listed():
    """The largest losses and wins, as many of each if there are."""
    deltas = (
        [0.001 * at for at in range(1, 1001)] + [-0.0001 * at for at in range(1, 901)] + [0.0] * 9
    )
    frame = pl.DataFrame({"query_id": [f"q{at}" for at in range(1909)], "delta": deltas})
    every = frame.sort(pl.col("delta").abs(), descending=True, maintain_order=True)
    shown = every_query._ends(every)["delta"].to_list()
    assert sorted(delta for delta in shown if delta > 0) == sorted(deltas[750:1000])
    assert sorted(delta for delta in shown if delta < 0) == sorted(deltas[1650:1900])
    assert [abs(each) for each in shown] == sorted(map(abs, shown), reverse=True)


@pytest.mark.parametrize(
    ("n_up", "n_down", "shown"),
    [
        (900, 20, (480, 20, 0)),
        (20, 900, (20, 480, 0)),
        (30, 40, (30, 40, 430)),
        (0, 0, (0, 0, 500)),
    ],
)
def test_where_few_queries_are_lost_or_won_others_fill_the_table(n_up, n_down, shown):
    n_same = 1000 - n_up - n_down
    deltas = [0.5] * n_up + [-0.1] * n_down + [0.0] * (n_same - 1) + [None] * min(1, n_same)
    every = pl.DataFrame({"delta": deltas}, schema={"delta": pl.Float64})
    found = every_query._ends(every)["delta"]
    assert len(found) == 500
    assert ((found > 0).sum(), (found < 0).sum(), (found == 0).sum()) == shown


SEGMENTS = {f"q{i}": "short" if i % 3 else "long" for i in range(24)}


@pytest.fixture(scope="module")
def segmented():
    """A pair of systems with segments, two queries without, and unjudged documents."""
    queries = [*SEGMENTS, "q 24", "ö25"]
    qrels = {query: {"a": 1, "b": 0} for query in queries}
    runs = {
        "old": {query: {"a": 1.0, "x": i % 4, "y": 0.5} for i, query in enumerate(queries)},
        "new": {query: {"a": 1.0, "b": i % 3, "y": i % 2} for i, query in enumerate(queries)},
    }
    metadata = pl.DataFrame(
        {
            "query_id": queries,
            "text": [f"what is {query}" for query in queries],
            "length": [SEGMENTS.get(query) for query in queries],
        }
    )
    evaluation = rr.evaluate(qrels, runs, ["RR@10"])
    return rr.report(rr.compare(evaluation, queries=metadata, segments="length", resamples=100))


def test_columns_of_a_pair(segmented):
    (section,) = every_query.queries_of(segmented.content)
    (table,) = section.parts
    assert table.headers == (
        *("query", "text", "old", "new", "delta", "why not higher"),
        *("unjudged in old", "unjudged in new", "length"),
    )
    assert table.choices == {4, 5, 8}  # by side, by reason and by segment
    assert table.help[2:5] == ("RR@10 of old", "RR@10 of new", "RR@10, new minus old")
    assert all(table.help)
    found = dict(zip(table.keys, table.rows, strict=True))
    assert set(found) == {*SEGMENTS, "q 24", "ö25"}
    # x and y are unjudged; old returned both, and new y alone. Equal scores: the last id is first.
    assert found["q1"][1:] == (
        *("what is q1", "0.5000", "0.3333", "-0.1667", "few relevant", "2", "1", "short"),
    )
    assert found["q3"][5:] == ("ranked low", "2", "1", "long")
    assert found["q 24"][8] == found["ö25"][8] == "(not known)"


def test_where_all_is_judged_nothing_is_counted():
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(4)}
    runs = {name: {query: {"a": 1.0, "b": at} for query in qrels} for at, name in enumerate("xy")}
    comparison = rr.compare(rr.evaluate(qrels, runs, ["RR@10"]), resamples=100)
    (section,) = every_query.queries_of(rr.report(comparison).content)
    assert section.parts[0].headers == ("query", "x", "y", "delta", "why not higher")


def test_long_names_are_shortened_in_heads_and_whole_in_their_help():
    names = [f"{kind}-system-of-the-kind-2024-01" for kind in ("first", "second")]
    heads, helps = heads_of(names)
    assert heads == ("first-system…ind-2024-01", "second-syste…ind-2024-01")
    assert helps == tuple(f"RR of {name}" for name in names)
    alike = [f"system-of-the-{kind}-kind-2024-01" for kind in ("first", "second")]
    assert heads_of(alike)[0] == tuple(alike)


def heads_of(names):
    """Return the heads of the scores of two systems, and their help."""
    runs = {name: {"q": {"d": 1.0, "e": at}} for at, name in enumerate(names)}
    comparison = rr.compare(rr.evaluate({"q": {"d": 1}}, runs, ["RR"]), resamples=100)
    sections = {each.id: each for each in rr.report(comparison)._shown.page.sections}
    table = sections["all-queries"].parts[0]
    return table.headers[1:3], table.help[1:3]


def test_a_query_of_several_pairs_has_one_address(four):
    tree = parsed(four.html)
    ids = [node.get("id") for node in tree.iter() if node.get("id")]
    assert len(set(ids)) == len(ids)
    assert {f"query={name}" for name in four.evaluation.per_query()["query_id"]} <= set(ids)


# Links to queries, in a browser

NAMES = ("q1", "q 2", "größe?", "検索", "50%", "a%20b", "a b", "#x", *HOSTILE)


def linked(folder, before="", after=""):
    """Write a page with a table of queries in a fold, and other elements around."""
    cells = tuple((visible(name), f"text {at}", f"{at - 3}") for at, name in enumerate(NAMES))
    rows_of = Table(
        ("query", "text", "delta"),
        cells,
        frozenset({2}),
        folded="All",
        keys=NAMES,
        help=("", "", "x"),
    )
    page = page_of_sections(Section("s", "S", (), (rows_of,)))
    html = (
        render_page(page).replace("<main", before + "<main").replace("</main>", after + "</main>")
    )
    path = folder / "linked.html"
    path.write_text(html, encoding="utf-8")
    return path


ROW = "document.querySelector('tr:target')?.cells[1].textContent"
FOUND = "document.querySelector('.found')?.cells?.[1].textContent"
SEEN = """selector => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return box.height > 0 && box.top >= 0 && box.top < innerHeight;
}"""


def until(page, expression, expected=True):  # noqa: FBT002
    """Wait until the page is so: it scrolls smoothly, and its policy forbids Playwright's wait."""
    for _ in range(100):
        if page.evaluate(expression) == expected:
            return
        page.wait_for_timeout(50)
    assert page.evaluate(expression) == expected


def address(path, name):
    return f"{path.as_uri()}#query={fragment(name)}"


@pytest.mark.browser
@pytest.mark.parametrize("scripts", [True, False])
def test_links_lead_to_the_row_of_a_query(tab, tmp_path, scripts):
    """Of any name, and without a script too; some as the page opens, the others later."""
    path = linked(tmp_path)
    options = {"java_script_enabled": scripts, "reduced_motion": "reduce"}
    with tab(path, height=300, **options) as (page, watch):
        for at, name in enumerate(NAMES):
            if at % 4 == 0:
                page.goto("about:blank")
            else:
                page.evaluate("document.querySelector('details').open = false")
            page.goto(address(path, name))
            until(page, ROW, f"text {at}")
            until(page, "document.querySelector('details').open")
            until(page, f"({SEEN})('tr:target')")
            if scripts:
                until(page, FOUND, f"text {at}")
                assert page.evaluate("document.activeElement.cells[1].textContent") == f"text {at}"
                assert page.locator(".missing").inner_text() == ""
        assert watch.messages == watch.dialogs == []


@pytest.mark.browser
def test_names_typed_as_they_are_lead_to_their_row(tab, tmp_path):
    path = linked(tmp_path)
    with tab(path) as (page, _):
        for at, name in enumerate(NAMES[:4]):
            page.goto(f"{path.as_uri()}#query={name}")
            assert page.evaluate(FOUND) == f"text {at}"


@pytest.mark.browser
def test_a_query_that_is_not_listed_is_named(tab, tmp_path):
    path = linked(tmp_path)
    with tab(address(path, "q99")) as (page, watch):
        line = page.locator(".missing")
        assert line.get_attribute("role") == "status"
        assert line.inner_text() == "This page does not list the query q99."
        assert page.evaluate(SEEN, ".missing")
        page.goto(address(path, "$& <img src=x onerror=alert(1)>\u202e"))
        shown = "This page does not list the query $& <img src=x onerror=alert(1)>\ufffd."
        assert line.inner_text() == shown
        page.goto(f"{path.as_uri()}#query=%")
        assert line.inner_text() == "This page does not list the query %."
        page.goto(address(path, "q1"))
        assert line.inner_text() == ""
        assert not watch.messages
        assert page.locator("img").count() == 0


@pytest.mark.browser
def test_links_lead_to_a_query_that_filters_hide(tab, tmp_path):
    with tab(linked(tmp_path)) as (page, _):
        page.locator("summary").first.click()
        page.get_by_role("searchbox").fill("text 3")
        assert page.locator("tbody tr:visible").count() < len(NAMES)
        page.evaluate("location.hash = '#query=q1'")
        until(page, FOUND, "text 0")
        assert page.get_by_role("searchbox").input_value() == ""
        assert page.locator("tbody tr:visible").count() == len(NAMES)


def in_full(query):
    """Return a fold with what the page says of a query in full."""
    name = escape(query)
    fold = f'<details id="win-{len(query)}" data-query="{name}">'
    return f"{fold}<summary>{name} in full</summary><p>both lists</p></details>"


LISTS = (
    '<details id="outer"><summary>Losses</summary><p id="near">near</p>'
    f"{in_full('q1')}{in_full('a b')}</details>"
)


@pytest.mark.browser
def test_links_lead_to_both_lists_of_a_query_where_there_are(tab, tmp_path):
    path = linked(tmp_path, after=LISTS)
    with tab(address(path, "q1"), height=300) as (page, _):
        assert page.get_by_text("both lists").first.is_visible()
        assert page.evaluate("document.activeElement.dataset.query") == "q1"
        until(page, f"({SEEN})('[data-query] p')")
        assert not page.evaluate("document.querySelector('details.rows').open")
        page.goto(address(path, "a b"))
        assert page.evaluate("document.activeElement.textContent").startswith("a b in full")
        # Its own address stays.
        page.goto(f"{path.as_uri()}#win-3")
        until(page, f"({SEEN})('#win-3')")
        page.goto(address(path, "a%20b"))
        assert page.evaluate(FOUND) == "text 5"
        page.goto(address(path, "q 2"))
        assert page.evaluate(FOUND) == "text 1"
        assert page.locator(".found").count() == 1


@pytest.mark.browser
def test_links_open_what_they_lead_into(tab, tmp_path):
    """Again too, after it was closed."""
    links = '<a href="#near">near</a> <a href="#outer">outer</a>'
    with tab(linked(tmp_path, links, LISTS)) as (page, _):
        for name in ("near", "outer"):
            link, fold = page.get_by_role("link", name=name), page.locator("#outer")
            for _ in range(2):
                assert fold.get_attribute("open") is None
                link.click()
                until(page, "document.querySelector('#outer').open")
                fold.locator("summary").first.click()


@pytest.mark.browser
def test_paper_opens_what_it_needs(tab, tmp_path):
    folds = (
        '<details data-print id="a"><summary>A</summary><p>first</p></details>'
        '<details id="b"><summary>B</summary><p>second</p></details>'
        '<details data-print open id="c"><summary>C</summary><p>third</p></details>'
    )
    opened = "[...document.querySelectorAll('#a, #b, #c')].map(each => each.open)"
    with tab(linked(tmp_path, after=folds)) as (page, _):
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate(opened) == [True, False, True]
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate(opened) == [False, False, True]
    with tab(linked(tmp_path, after=folds), java_script_enabled=False) as (page, _):
        page.emulate_media(media="print")
        heights = "['#a p', '#b p', '#c p'].map(s => document.querySelector(s).offsetHeight > 0)"
        assert page.evaluate(heights) == [True, False, True]


# Choosing rows


@pytest.mark.browser
def test_rows_are_chosen_by_segment_and_text(tab, segmented, tmp_path):
    segmented.to_html(tmp_path / "page.html")
    with tab(tmp_path / "page.html") as (page, watch):
        section = page.locator("#all-queries")
        for at in range(2):  # the section is folded, and so is its table
            section.locator("summary").nth(at).click()
        chips, box = section.get_by_role("group", name="length"), section.get_by_role("searchbox")
        pick = lambda name, of=chips: of.get_by_role("button", name=name, exact=True).click()  # noqa: E731
        assert chips.get_by_role("button").all_inner_texts() == [
            "all",
            "(not known)",
            "long",
            "short",
        ]
        shown = section.locator("tbody tr:visible")
        pick("long")
        assert shown.count() == 8
        assert section.get_by_role("status").inner_text() == "8 of 26 rows"
        box.fill("what is q1")
        names = {row.split("\t")[0] for row in shown.all_inner_texts()}
        assert names == {"q12", "q15", "q18"}
        pick("all")
        assert shown.count() == 11
        pick("(not known)")
        box.fill("")
        assert shown.count() == 2
        pick("all")
        pick("worse", section.get_by_role("group", name="delta"))
        assert shown.count() == 13
        pick("all", section.get_by_role("group", name="delta"))
        assert section.get_by_role("status").inner_text() == ""
        assert watch.messages == []


@pytest.mark.browser
def test_of_many_rows_the_first_of_any_order_are_shown(tab, tmp_path):
    deltas = [at / 1000 - 1 for at in range(2000)]
    rows = tuple((f"q{at}", f"{delta:+.3f}") for at, delta in enumerate(deltas))
    keys = tuple(name for name, _ in rows)
    table = Table(("query", "delta"), rows, frozenset({1}), keys=keys, choices=frozenset({1}))
    page_of = page_of_sections(Section("all-queries", "All", (), (table,), folded="All"))
    path = tmp_path / "page.html"
    path.write_text(render_page(page_of), encoding="utf-8")
    with tab(path) as (page, watch):
        page.goto(f"{path.as_uri()}#all-queries")  # which opens the fold
        shown = page.locator("tbody tr:visible")
        assert shown.count() == 300
        page.get_by_role("button", name="delta").click()
        assert shown.first.inner_text() == "q1999\t+0.999"
        page.get_by_role("button", name="worse").click()
        assert shown.first.inner_text() == "q999\t−0.001"
        with page.expect_download() as held:
            page.get_by_role("button", name="CSV").click()
        lines = Path(held.value.path()).read_text("utf-8-sig").splitlines()
        assert lines[:2] == ["query,delta", "q999,-0.001"]
        assert len(lines) == 1001  # all that were chosen
        page.get_by_role("button", name="Show all 1,000 rows").click()
        assert shown.count() == 1000
        page.goto(f"{path.as_uri()}#query=q1700")  # which the choice leaves out
        assert page.locator(".found").inner_text() == "q1700\t+0.700"
        assert watch.messages == []


@pytest.mark.browser
def test_what_is_saved_of_a_table_holds_no_formula(tab, tmp_path):
    rows = (('=cmd("x")', "1"), ("@a, b", "−2"), ("c", "3"))
    page_of = page_of_sections(Section("s", "S", (), (Table(("name", "n"), rows, frozenset({1})),)))
    path = tmp_path / "page.html"
    path.write_text(render_page(page_of), encoding="utf-8")
    with tab(path) as (page, _), page.expect_download() as held:
        page.get_by_role("button", name="CSV").click()
        saved = Path(held.value.path()).read_text("utf-8-sig")
    assert saved.splitlines() == ["name,n", '"\'=cmd(""x"")",1', '"\'@a, b",-2', "c,3"]


@pytest.mark.browser
def test_segments_that_look_like_markup_are_text(tab, tmp_path):
    cells = tuple((f"q{at}", text) for at, text in enumerate(HOSTILE))
    table = Table((HOSTILE[0], HOSTILE[1]), cells, choices=frozenset({1}))
    page_of = page_of_sections(Section("s", "S", (), (table,)))
    path = tmp_path / "page.html"
    path.write_text(render_page(page_of), encoding="utf-8")
    with tab(path) as (page, watch):
        options = page.locator("option").evaluate_all("all => all.map(each => each.text)")
        expected = {" ".join(visible(text).split()) for text in HOSTILE} | {"all"}
        assert set(options) == expected
        for place in range(1, len(options)):
            page.locator("select").select_option(index=place)
            assert page.locator("tbody tr:visible").count() >= 1
        assert watch.messages == watch.dialogs == []


@pytest.mark.browser
def test_headings_say_what_they_hold_when_they_have_the_focus(tab, segmented, tmp_path):
    segmented.to_html(tmp_path / "page.html")
    with tab(tmp_path / "page.html", width=390) as (page, _):
        section = page.locator("#all-queries")
        for at in range(2):  # the section is folded, and so is its table
            section.locator("summary").nth(at).click()
        button = section.get_by_role("button", name="delta", exact=True)
        button.focus()
        line = section.locator(".help")
        assert line.inner_text() == "RR@10, new minus old"
        box = line.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert button.get_attribute("title") == "RR@10, new minus old"
        page.keyboard.press("Tab")
        assert (
            line.inner_text() == "why the query is lost; of others, what the system mainly misses"
        )
        page.keyboard.press("Shift+Tab")
        page.mouse.click(5, 5)
        page.evaluate("document.activeElement.blur()")
        assert line.count() == 0


# Marks of charts

DRAWING = (
    '<svg viewBox="0 0 400 100" role="img" aria-label="Bars"><title>Bars</title>'
    + "".join(
        f'<a href="#query={fragment(name)}" tabindex="-1"><title>{name}: {at}</title>'
        f'<path d="M{20 * at} 0h15v80h-15z" fill="#0072b2"></path></a>'
        for at, name in enumerate(("q1", "q 2", "größe?", "q99"))
    )
    + "</svg>"
)


def charted(folder):
    """Write a page with a chart of three queries, and the table of all."""
    drawn = Picture(DRAWING, "Bars by query: three", Table(("query",), (("q1",),)))
    path = linked(folder)
    table = path.read_text("utf-8")
    page = page_of_sections(Section("c", "C", (), (drawn,)))
    figure = render_page(page).partition("<figure>")[2].partition("</figure>")[0]
    path.write_text(
        table.replace('<section id="s"', f'<figure>{figure}</figure><section id="s"'), "utf-8"
    )
    return path


def said_of(at):
    """Return what a page says of a query that its table lists: all of its row."""
    delta = str(at - 3).replace("-", "−")
    return f"query: {NAMES[at]} · text: text {at} · delta: {delta}"


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_marks_of_a_chart_are_one_stop_and_say_what_they_are(tab, tmp_path, width):
    with tab(charted(tmp_path), width=width) as (page, watch):
        stops = "[...document.querySelectorAll('svg a')].map(each => each.getAttribute('tabindex'))"
        assert page.evaluate(stops) == ["0", "-1", "-1", "-1"]
        line = page.locator(".readout")
        assert line.get_attribute("role") == "status"
        assert line.is_hidden()  # until there is something to say
        page.locator(".chart").focus()
        page.keyboard.press("Tab")
        assert line.inner_text() == said_of(0)
        for key, said in (
            *(("ArrowRight", 1), ("ArrowDown", 2), ("ArrowLeft", 1), ("ArrowUp", 0)),
            *(("End", 3), ("ArrowLeft", 2), ("Home", 0), ("ArrowRight", 1)),
        ):
            page.keyboard.press(key)
            assert line.inner_text() == ("q99: 3" if said == 3 else said_of(said))
        assert page.evaluate(stops) == ["-1", "0", "-1", "-1"]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.keyboard.press("Enter")
        until(page, FOUND, "text 1")
        assert page.url.endswith("#query=q%202")
        assert watch.messages == []


@pytest.mark.browser
def test_marks_say_what_they_are_under_the_pointer(tab, tmp_path):
    with tab(charted(tmp_path)) as (page, _):
        page.locator("svg a").nth(2).hover()
        line, mark = page.locator(".readout"), page.locator("svg a").nth(2).bounding_box()
        assert line.inner_text() == said_of(2)
        box = line.bounding_box()
        assert abs(box["x"] - mark["x"] - mark["width"] / 2 - 12) < 2  # next to the pointer
        page.locator("svg a").nth(3).hover()  # which the table leaves out
        assert page.locator(".readout").inner_text() == "q99: 3"
        page.locator("svg a").nth(2).click()
        until(page, FOUND, "text 2")


@pytest.mark.browser
def test_a_page_with_marks_is_accessible(tab, tmp_path):
    from axe_playwright_python.sync_playwright import Axe

    with tab(charted(tmp_path)) as (page, _):
        page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        page.goto(f"{page.url}#query=q1")
        page.locator("th button").last.focus()
        response = Axe().run(page, options={"resultTypes": ["violations"]}).response
        found = [
            (each["id"], [node["html"][:200] for node in each["nodes"]])
            for each in response["violations"]
        ]
        assert [each for each in found if each[0] != "page-has-heading-one"] == []
