r"""Formulae of measures, as text and in notebooks: all of ours, and no harm in anybody's."""

from __future__ import annotations

import re

import pytest
from hostile_texts import HOSTILE
from hypothesis import given
from hypothesis import strategies as st
from markup import parsed, tag, words
from pages import page_of_sections

import rankreport as rr
from rankreport.reports.html import render_page
from rankreport.reports.page import Section, Term
from rankreport.reports.templates import rendered
from rankreport.text.format import visible

PIECES = [
    *(
        r"\frac",
        r"\sum",
        r"\left",
        r"\right",
        r"\text",
        r"\mathrm",
        r"\mathbf",
        r"\hspace",
        r"\big",
    ),
    *(r"\begin{cases}", r"\end{cases}", r"\begin{array}", r"\end{array}", r"\\", "&", r"\quad"),
    *(r"\href", r"\class", r"\style", r"\color", r"\colorbox", r"\unicode", r"\operatorname"),
    *("{", "}", "[", "]", "(", ")", "|", "_", "^", "'", " ", "x", "12", "<", ">", '"', "%", "\x00"),
    *(r"\sqrt", r"\binom", r"\hat", r"\max", r"\ln", r"\not", r"\substack", r"\limits", r"\,"),
    *("3em", "javascript:x", "\u202e", "<script>", "&lt;", r"\{", r"\|", r"\middle", r"\verb"),
]


def on_page(latex):
    """Return the text of a formula on a page, where it is text alone."""
    shown = Section("all", "All", terms=(Term("name", "title", "meaning", latex, "source"),))
    page = parsed(render_page(page_of_sections(shown)))
    (formula,) = [node for node in page.iter() if node.get("class") == "formula"]
    assert tag(formula) == "code"
    assert list(formula) == []
    return words(formula)


@pytest.mark.parametrize("latex", [r"\frac{1}{n} \sum_i g_i", r"\begin{cases} 1 & g > 0", *HOSTILE])
def test_a_page_has_the_latex_as_text(latex):
    assert on_page(latex) == " ".join(visible(" ".join(latex.split())).split())


# In a notebook


def in_notebook(latex):
    """Return what a cell of Markdown has of a formula."""
    terms = (Term("name", "title", "meaning", latex, "source"),)
    cell = rendered("notebook/method.md", paragraphs=(), terms=terms)
    (_, markdown, _, _) = cell.strip().split("\n\n")  # between headings, a term is one paragraph
    before, after = "**name**, title. meaning ", " (source)"
    assert markdown.startswith(before)
    assert markdown.endswith(after)
    return markdown.removeprefix(before).removesuffix(after)


@pytest.mark.parametrize("measure", rr.catalogue(), ids=lambda measure: measure.name)
def test_every_formula_of_ours_is_mathematics_in_a_notebook(measure):
    latex = measure.declaration.formula
    assert in_notebook(latex).replace(" ", "") == f"${latex}$".replace(" ", "")


@pytest.mark.parametrize(
    ("latex", "markdown"),
    [
        ("a$ <b>b</b> $c", "`a$ <b>b</b> $c`"),
        ("a` <b>b</b>", "`` a` <b>b</b> ``"),
        ("a`` `b", "``` a`` `b ```"),
        ("a\n\n# b", "$a # b$"),
        ("a_1\n\n+ b", "$a_1 + b$"),
        ("a\\", "`a\\`"),
        ("50 % b", "`50 % b`"),
        (r"50\% b", r"$50\% b$"),
        (r"\href{javascript:alert(1)}{b}", r"`\href{javascript:alert(1)}{b}`"),
        (r"\def\a{\a\a}\a", r"`\def\a{\a\a}\a`"),
        (r"\frac{1}{2", r"`\frac{1}{2`"),
        ("}{", "`}{`"),
        (r"\{1, 2\}", r"$\{1, 2\}$"),
        ("a<b", "$a< b$"),
        ("", ""),
    ],
)
def test_no_formula_ends_before_its_dollar(latex, markdown):
    assert in_notebook(latex) == markdown


@given(st.lists(st.sampled_from([*PIECES, "$", "`", "``", "\n", "<b>", "\\"]), max_size=9))
def test_no_formula_breaks_a_cell(pieces):
    markdown = in_notebook("".join(pieces))
    if markdown.startswith("$"):
        assert re.fullmatch(r"\$([^$`\\\n]|\\.)+\$", markdown)
        assert not re.search(r"<[A-Za-z/!?]", markdown)
    elif markdown:
        (fence,) = re.match("(`+)", markdown).groups()
        inside = markdown.removeprefix(fence).removesuffix(fence)
        assert fence not in re.findall("`+", inside)
        assert "\n" not in inside


def test_stored_reports_smuggle_nothing(tmp_path):
    example = rr.load_example()
    report = rr.report(rr.evaluate(example.qrels, {"bm25": example.runs["bm25"]}, ["AP"]))
    path = tmp_path / "report.json"
    latex = rr.AP.declaration.formula.replace("\\", "\\\\")
    stored = report.to_json()
    assert stored.count(latex) == 1
    marked = "<math><mi href='javascript:x'>x</mi></math><script>alert(1)</script>"
    path.write_text(stored.replace(latex, marked), encoding="utf-8")
    page = tmp_path / "report.html"
    rr.load_report(path).to_html(page)
    (formula,) = [
        node
        for node in parsed(page.read_text(encoding="utf-8")).iter()
        if node.get("class") == "formula"
    ]
    assert list(formula) == []
    assert words(formula) == marked


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1280])
def test_every_measure_of_ours_fits(tab, tmp_path, pictures, width):
    declared = [measure.declaration for measure in rr.catalogue()]
    terms = tuple(Term(each.name, each.title, "", each.formula, "") for each in declared)
    path = tmp_path / "page.html"
    page_of = page_of_sections(Section("all", "All", terms=terms))
    path.write_text(render_page(page_of), encoding="utf-8")
    with tab(path, width=width) as (page, watch):
        assert page.locator("code.formula").count() == len(terms)
        narrow = "[...document.querySelectorAll('.formula, .glossary')].filter(each => {}).length"
        assert page.evaluate(narrow.format("each.scrollWidth > each.clientWidth")) == 0
        assert page.evaluate(narrow.format("each.scrollHeight > each.clientHeight")) == 0
        page.screenshot(path=pictures / f"formulae-{width}.png", full_page=True)
        assert watch.messages == []
