"""Text from data stays text: on the page, in the notebook, in Markdown and on a terminal."""

from __future__ import annotations

import json
import re
import unicodedata

import mistune
import nbformat
import pytest
from hostile_texts import HOSTILE
from markdown_it import MarkdownIt
from markup import fragment, named, parsed, skeleton, tag, words
from printed import embedded

from rankreport.reports.page import LONGEST_ID
from rankreport.tables.table import Table
from rankreport.text import both_ends, visible
from rankreport.text.markup import markdown

# What stands in a text that rankreport has made safe to look at, and what must not.
ESCAPES = ("⟨U+202E⟩", "⟨U+0000⟩", "⟨U+2028⟩", "⟨U+001B⟩")


def shown(text):
    return " ".join(visible(text).split())


def unseen(text):
    """Return the characters that a terminal obeys or a reader cannot see, line ends apart."""
    return {
        f"U+{ord(c):04X}"
        for c in text
        if unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs") or c in "\u202a\u202b\u202d\u202e"
    } - {"U+000A"}


@pytest.fixture(scope="module")
def tree(hostile):
    return parsed(hostile.html)


def test_reports_are_hostile_indeed(hostile):
    table = hostile.comparison.deltas()
    assert set(table["query_id"]) == set(HOSTILE)
    assert len(hostile.comparison.systems) == 2
    assert not hostile.evaluation.unanswered.is_empty()


def test_page_has_the_elements_of_a_harmless_one(hostile, tame):
    """Bone by bone the page of another data set with texts as long."""
    assert skeleton(parsed(hostile.html)) == skeleton(parsed(tame.html))


def test_charts_hold_shapes_and_words_alone(tree):
    known = {"svg", "g", "a", "path", "circle", "rect", "text", "title", "desc"}
    for chart in named(tree, "svg"):
        assert {tag(node) for node in chart.iter()} <= known
        attributes = {str(name).lower() for node in chart.iter() for name in node.attrib}
        assert not [name for name in attributes if name.startswith("on")]
        held = [item for node in chart.iter() for item in node.attrib.items()]
        links = [link for name, link in held if "href" in name]
        assert all(re.fullmatch(r"#query=[\w.~!*'()%-]+", link) for link in links)


def test_every_hostile_text_is_there_to_read(tree):
    body = words(named(tree, "body")[0])
    for text in HOSTILE:
        assert shown(text) in body
    assert all(escape in body for escape in ESCAPES)
    assert "49" not in words(named(tree, "h1")[0])


def test_page_holds_no_character_that_nobody_sees(hostile):
    assert unseen(hostile.html) == set()


def test_json_of_the_page_is_that_of_the_report(hostile, tree):
    held = embedded(tree)
    whole = json.loads(hostile.report.to_json())
    assert whole.pop("page")  # which the page does not hold once more
    assert held == whole
    assert held["title"] == " ".join(HOSTILE)


@pytest.mark.slow
@pytest.mark.browser
def test_browser_finds_nothing_to_do(tab, hostile):
    with tab(hostile.page) as (page, watch):
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        for kind in ("h1", "td", "svg text", "summary", ".badge", ".worst a"):
            page.locator(kind).first.hover()
        page.wait_for_timeout(300)
        assert watch.requests == [hostile.page.as_uri()]
        assert watch.messages == watch.dialogs == []
        assert page.evaluate("document.querySelectorAll('img, form').length") == 0
        links = page.evaluate(
            "[...document.querySelectorAll('a')].map(a => a.attributes.href.value)"
        )
        assert "#findings" in links
        # Places on the page, under names that are ours, and queries.
        ours = r"#[a-z]+(-[a-z0-9]+)*|#query=[\w.~!*'()%-]+"
        assert [link for link in links if not re.fullmatch(ours, link)] == []


@pytest.mark.slow
@pytest.mark.browser
def test_browser_finds_nothing_to_do_in_links_and_filters(tab, hostile):
    with tab(hostile.page) as (page, watch):
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        box = page.locator("#all-queries input[type=search]").first
        rows = page.locator("#all-queries table").first.locator("tbody tr")
        for text in HOSTILE:
            page.evaluate("text => { location.hash = `#query=${encodeURIComponent(text)}`; }", text)
            found = page.locator(".found")
            found.wait_for()
            name = " ".join(both_ends(text, LONGEST_ID).split())
            assert name in " ".join(found.inner_text().split())
            box.fill(name)
            assert 1 <= rows.filter(visible=True).count() <= len(HOSTILE)
            box.fill(text)
        page.evaluate(
            "text => { location.hash = `#query=${text}`; }", "<img src=x onerror=alert(1)>"
        )
        page.wait_for_timeout(300)
        assert {url.partition("#")[0] for url in watch.requests} == {hostile.page.as_uri()}
        assert watch.messages == watch.dialogs == []
        assert page.locator("img, form, iframe").count() == 0


# Markdown, as readers render it

RENDER = mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "url", "math"])
ALLOWED = {
    *("h1", "h2", "p", "strong", "span", "ul", "li", "div"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


def rendered(source):
    """Return Markdown as elements."""
    return fragment(RENDER(source))


def born(tree):
    """Return what the Markdown of a report has no use for, an attribute of any kind among it."""
    found = {tag(node) for node in list(tree.iter())[1:]} - ALLOWED
    return found | {name for node in tree.iter() for name in node.attrib} - {"style"}


def test_renderer_renders():
    tree = rendered("*a* [b](c) <i>d</i> `e` $f$ ~~g~~ http://h.org")
    assert born(tree) == {"em", "a", "href", "i", "code", "class", "del"}
    assert born(rendered("    a")) == {"pre", "code"}
    assert born(rendered("1. a")) == {"ol"}


ADDRESSES = (
    *("https://evil.example/x", "HTTP://EXAMPLE.ORG", "ftp://example.org", "www.evil.example"),
    *("a@b.example", "a.b+c_@d-e.example", "mailto:a@b.example", "@torvalds", "(@torvalds)"),
    *("_@team/x", "org/repo#12", "#12", "nDCG@10, not@10.example", "P(rel=2)@5"),
)


@pytest.mark.parametrize("text", [*HOSTILE, *ADDRESSES])
def test_any_text_is_itself_in_a_cell(text):
    """Read as GitHub reads Markdown, and as CommonMark with tables."""
    source = Table((text, "n"), ((text, "1"), ("a", text))).to_markdown()
    commonmark = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for tree in (rendered(source), fragment(commonmark.render(source))):
        assert born(tree) == set()
        cells = [[words(cell) for cell in row] for row in named(tree, "tr")]
        assert cells == [[shown(text), "n"], [shown(text), "1"], ["a", shown(text)]]


LINKED = re.compile(r"(?<![A-Za-z0-9_])@\w|[\w.+-]@[\w.-]*\.\w|#\d", re.ASCII)
"""Names of people, mail addresses and issues, which GitHub looks for in what it has rendered."""


@pytest.mark.parametrize("text", [*HOSTILE, *ADDRESSES])
def test_nothing_is_left_to_make_a_link_of(text):
    escaped = markdown(text)
    pieces = [piece for node in rendered(escaped).iter() for piece in (node.text, node.tail)]
    assert not [piece for piece in pieces if LINKED.search(piece or "")]
    # Of these, GitHub reads the source.
    assert not re.search(r"(?i)(https?|ftp)://|www\.", escaped)


def test_usual_names_and_numbers_can_be_read_in_the_source():
    for text in ("bm25", "nDCG@10", "+0.012", "-0.5", "1,234", "q1_a", "ms-marco/12.3", "95 %"):
        assert markdown(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *HOSTILE,
        *ADDRESSES,
        *(
            "- a",
            " - a",
            "+ a",
            "1. a",
            "12) b",
            "1984. a",
            "# a",
            "> a",
            "===",
            "---",
            "- - -",
            "***",
            "    code",
        ),
        *("__init__", "_a_", "a_b_", "*a*", "**a**", "~~a~~", "```", "``a``", "a | b", "[a]: /b"),
        *("www.example.org", "HTTP://EXAMPLE.ORG", "ftp://example.org", "<http://example.org>"),
        *("$a$", "$$a$$", "\\(a\\)", "\\[a\\]", "\\\\(a\\\\)", "&copy;", "a &lt; b", "\\*a\\*"),
    ],
)
def test_any_text_is_itself_in_markdown(text):
    escaped = markdown(text)
    for source in (escaped, f"**{escaped}**", f"- {escaped}", f"# {escaped}", f"a {escaped} b"):
        tree = rendered(source)
        assert born(tree) == set()
        assert shown(text) in words(tree)
        assert len(named(tree, "p") + named(tree, "li") + named(tree, "h1")) == 1


def test_markdown_is_text(hostile):
    source = hostile.report.to_markdown()
    tree = rendered(source)
    assert born(tree) == set()
    assert unseen(source) == set()
    (table,) = named(tree, "table")
    assert {len(row) for row in named(table, "tr")} == {len(named(table, "th"))}
    text_of_page = words(tree)
    for system in hostile.comparison.systems:
        assert shown(system) in text_of_page


def test_cells_of_text_are_text(hostile):
    notebook = nbformat.read(hostile.notebook, as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    glossary = re.compile(r"(?m)^\*\*.*\$ \(.*$")  # our own formulas, which are mathematics
    for cell in cells:
        source = glossary.sub("", cell.source) if cell.id == "method" else cell.source
        source = source.replace("`rr.report(", "rr.report(").replace(")` in a", ") in a")  # ours
        assert born(rendered(source)) == set(), cell.id
        assert unseen(source) == set(), cell.id
    text_of_page = words(rendered(cells[0].source))
    for text in HOSTILE:
        assert shown(text) in text_of_page


def test_code_of_the_notebook_is_code(hostile):
    """Names from data stand in string literals, and nothing that looks otherwise than it runs."""
    import ast

    notebook = nbformat.read(hostile.notebook, as_version=4)
    calls = set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert unseen(cell.source) == set(), cell.id
            calls |= {
                ast.unparse(node.func)
                for node in ast.walk(ast.parse(cell.source))
                if isinstance(node, ast.Call)
            }
    assert {call.rpartition(".")[2] for call in calls} <= {
        *("evaluate", "load_evaluation", "beside_notebook", "read_queries", "read_parquet"),
        *("compare", "gate", "verdict", "leaderboard", "report", "table", "intervals", "tests"),
        *("wins", "losses", "deltas", "side_by_side", "segments", "to_table"),
        *("plot_forest", "plot_curve", "plot_deltas", "plot_segments", "score_scatter"),
        *("DataFrame", "col", "lit", "when", "then", "otherwise", "abs", "quantile", "median"),
        *(
            "head",
            "join",
            "select",
            "filter",
            "sort",
            "rows",
            "append",
            "drop",
            "group_by",
            "replace",
        ),
        *("len_chars", "index", "dict", "display", "print", "len", "str"),
    }


def outputs(made):
    notebook = nbformat.read(made.notebook, as_version=4)
    return [
        (cell.id, output.data)
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]


def test_outputs_have_the_elements_of_harmless_ones(hostile, tame):
    for (name, bad), (_, good) in zip(outputs(hostile), outputs(tame), strict=True):
        bones = [skeleton(fragment(without_drawings(data["text/html"]))) for data in (bad, good)]
        assert bones[0] == bones[1], name


def without_drawings(markup):
    return re.sub(r"base64,[A-Za-z0-9+/=]+", "base64,", markup)


def test_outputs_hold_no_character_that_nobody_sees(hostile):
    for name, data in outputs(hostile):
        for kind, text in data.items():
            assert unseen(text) == set(), (name, kind)


def test_terminal_is_given_no_orders(hostile):
    texts = [
        repr(hostile.report),
        repr(hostile.comparison),
        repr(hostile.evaluation),
        str(hostile.comparison.verdict()),
        hostile.comparison._shown().to_text(),
        hostile.report.to_markdown(),
    ]
    for text in texts:
        assert unseen(text) == set()
    _, found, table = repr(hostile.report).partition("\nmeasure ")
    assert found
    assert max(map(len, table.splitlines())) < 300
