r"""Formulae of measures as MathML: all of ours, and no harm in anybody's."""

from __future__ import annotations

import re

import pytest
from hostile_texts import HOSTILE
from hypothesis import given
from hypothesis import strategies as st
from markup import fragment, named, parsed, tag, words
from pages import page_of_sections

import rankreport as rr
from rankreport.reports.formula import formula_html
from rankreport.reports.html import render_page
from rankreport.reports.page import Section, Term
from rankreport.reports.templates import rendered
from rankreport.text import visible

ELEMENTS = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle"),
    *("msub", "msup", "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd"),
}
ATTRIBUTES = {
    *("accent", "displaystyle", "form", "linethickness", "lspace", "mathvariant", "maxsize"),
    *("minsize", "movablelimits", "rspace", "scriptlevel", "stretchy", "width"),
}
"""Both of MathML Core."""


def check(latex):
    """Look that a formula became MathML or code and nothing else, and return the elements."""
    html = formula_html(latex)
    assert visible(html) == html
    tree = fragment(html)
    inside = list(tree.iter())[1:]
    kinds = {tag(node) for node in inside}
    if kinds == {"code"}:
        assert len(inside) == 1
        assert words(inside[0]) == " ".join(visible(" ".join(latex.split())).split())
    else:
        assert {tag(node) for node in tree} == {"math"}
        assert kinds <= ELEMENTS
        assert {str(name) for node in inside for name in node.attrib} <= ATTRIBUTES
    return kinds


def test_average_precision():
    latex = r"\frac{1}{n} \sum_{i=1}^{k} \mathrm{rel}_i \, P@i"
    shown = fragment(formula_html(latex))
    assert words(shown).replace(" ", "") == "1n\u2211i=1kreliP@i"
    (limits,) = named(shown, "munderover")
    assert [words(node).replace(" ", "") for node in limits] == ["\u2211", "i=1", "k"]


@pytest.mark.parametrize("measure", rr.catalogue(), ids=str)
def test_every_measure_of_ours_is_drawn(measure):
    latex = measure.declaration.formula
    assert "math" in check(latex)
    text = words(fragment(formula_html(latex)))
    assert not {"\\", "{}", "^", "_"} & set(text)


def test_a_line_may_break_between_clauses():
    first, second = named(fragment(formula_html(r"a + b, \quad b = 2")), "math")
    assert ("".join(first.itertext()), "".join(second.itertext())) == ("a+b,", "b=2")


def test_cases_are_a_table():
    latex = r"\begin{cases} 1 & g > 0 \\ 0 & \text{else} \end{cases}"
    cells = [words(cell) for cell in named(fragment(formula_html(latex)), "mtd")]
    assert cells == ["1", "g>0", "0", "else"]


@pytest.mark.parametrize(
    "latex",
    [
        "",
        *("{", "_", r"\frac{1}", r"\left( x", r"x \right)", r"\begin{cases} 1", "a_b_c"),
        *(r"\unheard x", r"\begin{aligned} a &= b \end{aligned}", r"\Big\unheard"),
        r"\mathbf{rel}",  # Chromium would not show it bold
        r"x % hidden",
        r"\mathop{\mathrm{arg}} x",  # the library puts elements where text belongs
        r"\hspace{99em} x",
        "x" * 1001,
        r"\def\a{\a\a}\a",
        r"\def\a{\b\b}\def\b{\c\c}\def\c{\d\d}\a",
        r"\newcommand{\a}{x}\a",
        r"\newenvironment{a}{x}{y}\begin{a}\end{a}",
        r"\DeclareMathOperator{\a}{x}\a",
    ],
)
def test_what_is_not_drawn_is_shown_as_latex(latex):
    assert check(latex) == {"code"}


@pytest.mark.parametrize(
    "latex",
    [
        *(r"\href{javascript:alert(1)}{x}", r"\class{a}{x}", r"\style{color:red}{x}"),
        *(r"\color{red} x", r"\textcolor{red}{x}", r"\colorbox{red}{x}", r"\fcolorbox{a}{b}{x}"),
        *(r"\rule{1em}{1em}", r"\phantom{x}", r"\boxed{x}", r"\raise{9em}{x}", r"\cancel{x}"),
        r"\hspace{1em' onclick='alert(1)} x",
    ],
)
def test_what_is_more_than_a_formula_is_not_drawn(latex):
    assert check(latex) == {"code"}


@pytest.mark.parametrize(
    "latex",
    [
        *HOSTILE,
        *(rf"\text{{{text}}}" for text in HOSTILE),
        *(rf"\operatorname{{{text}}}" for text in HOSTILE),
        *(rf"\hspace{{{text}}} x" for text in HOSTILE),
        *(rf"\color{{{text}}} x" for text in HOSTILE),
        *(rf"\begin{{{text}}} x \end{{{text}}}" for text in HOSTILE),
        "</math><script>alert(1)</script>",
        r"\text{</mtext></math><script>alert(1)</script>}",
        r"\text{<img src=x onerror=alert(1)>}",
        r"\verb|<script>alert(1)</script>|",
        r"\unicode{3c}script\unicode{3e}alert(1)",
        r"\text{&lt;script&gt;&#x3c;b&#62;}",
        r"\unicode{202e} \unicode{0} \unicode{d800} \unicode{110000} \text{&#x202e;}",
        r"\tag{<b>} x",
        "{" * 900 + "x",
        r"\frac" * 150,
    ],
)
def test_hostile_formulae_do_nothing(latex):
    check(latex)


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


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_formula_breaks_a_page(latex):
    check(latex)


@given(st.text(max_size=30))
def test_no_text_breaks_a_page(latex):
    check(latex)


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
    assert {tag(node) for node in list(formula.iter())[1:]} <= ELEMENTS
    assert "script" in words(formula).replace(" ", "")


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1280])
def test_every_measure_of_ours_fits(tab, tmp_path, pictures, width):
    declared = [measure.declaration for measure in rr.catalogue()]
    terms = tuple(Term(each.name, each.title, "", each.formula, "") for each in declared)
    path = tmp_path / "page.html"
    page_of = page_of_sections(Section("all", "All", terms=terms))
    path.write_text(render_page(page_of), encoding="utf-8")
    with tab(path, width=width) as (page, watch):
        assert page.locator("math").count() >= len(terms)
        narrow = "[...document.querySelectorAll('.formula, .glossary')].filter(each => {}).length"
        assert page.evaluate(narrow.format("each.scrollWidth > each.clientWidth")) == 0
        assert page.evaluate(narrow.format("each.scrollHeight > each.clientHeight")) == 0
        page.screenshot(path=pictures / f"formulae-{width}.png", full_page=True)
        assert watch.messages == []
