"""Tables in text, HTML, Markdown and LaTeX: small snapshots, with cells that mean harm."""

from __future__ import annotations

import math
import re
import unicodedata

import html5lib
import polars as pl
import pytest
from markup import fragment, named, words

from rankreport.errors import OptionError
from rankreport.tables.table import Table, to_table
from rankreport.text import MISSING

PLAIN = Table(
    ("system", "nDCG@10"), (("bm25", "0.41"), ("dense", "0.5")), frozenset([1]), "2 queries"
)
HOSTILE = Table(
    ("<script>alert(1)</script>", "a|b"),
    (
        ("</td><img src=x onerror=alert(1)>", "x & y\u202e"),
        ("\"quoted'", "line\nend\x1b[31m"),
        ("[link](http://x)", r"\input{passwd} $5_000 100% #1 ^~*"),
    ),
)


def test_a_frame_of_another_library_is_refused_and_how_it_becomes_ours_is_said():
    frame = pl.DataFrame({"delta": [0.5]})
    for other in (frame.to_pandas(), frame.to_arrow(), frame.lazy()):
        with pytest.raises(
            OptionError, match=r"polars\.DataFrame\(\.\.\.\) makes one of any other"
        ):
            to_table(other)
    assert to_table(pl.DataFrame(frame.to_pandas())) == to_table(frame)


def test_text():
    assert PLAIN.to_text() == (
        "2 queries\n"
        "system  nDCG@10\n"
        "------  -------\n"
        "bm25       0.41\n"
        "dense       0.5"
    )  # fmt: skip


def test_html():
    assert PLAIN.to_html() == (
        '<table><caption style="text-align: left">2 queries</caption>\n'
        '<thead><tr><th scope="col" align="left" style="text-align: left">system</th>'
        '<th scope="col" align="right" style="text-align: right">nDCG@10</th></tr></thead>\n'
        "<tbody>\n"
        '<tr><td align="left" style="text-align: left; white-space: nowrap">bm25</td>'
        '<td align="right" style="text-align: right">0.41</td></tr>\n'
        '<tr><td align="left" style="text-align: left; white-space: nowrap">dense</td>'
        '<td align="right" style="text-align: right">0.5</td></tr>\n'
        "</tbody></table>"
    )


def test_markdown():
    assert PLAIN.to_markdown() == (
        "2 queries\n\n"
        "| system | nDCG@10 |\n"
        "| --- | ---: |\n"
        "| bm25 | 0.41 |\n"
        "| dense | 0.5 |"
    )  # fmt: skip


def test_latex():
    assert PLAIN.to_latex().splitlines() == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"system & nDCG@10 \\",
        r"\midrule",
        r"bm25 & 0.41 \\",
        r"dense & 0.5 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_hostile_text_keeps_its_lines_and_its_hands_off_the_terminal():
    text = HOSTILE.to_text()
    assert len(text.splitlines()) == 5
    assert "x & y⟨U+202E⟩" in text
    assert "line⟨U+000A⟩end⟨U+001B⟩[31m" in text
    assert not [c for c in text if unicodedata.category(c) in {"Cc", "Cf"} and c != "\n"]


def test_hostile_html_is_text_and_nothing_else():
    caption = Table(("a",), (("b",),), caption="</caption><script>")
    for table in (HOSTILE, caption):
        parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
        fragment = parser.parseFragment(table.to_html())
        tags = {element.tag for element in fragment.iter() if isinstance(element.tag, str)}
        allowed = {"table", "caption", "thead", "tbody", "tr", "th", "td", "DOCUMENT_FRAGMENT"}
        assert tags <= allowed, tags
    fragment = html5lib.parseFragment(HOSTILE.to_html(), namespaceHTMLElements=False)
    cells = [cell.text for cell in fragment.iter("td")]
    assert cells[0] == "</td><img src=x onerror=alert(1)>"
    assert cells[2] == "\"quoted'"
    assert cells[5] == r"\input{passwd} $5_000 100% #1 ^~*"


def test_hostile_markdown():
    assert HOSTILE.to_markdown().splitlines() == [
        r"| \<script\>alert(1)\</script\> | a\|b |",
        "| --- | --- |",
        r"| \</td\>\<img src=x onerror=alert(1)\> | x \& y⟨U+202E⟩ |",
        "| \"quoted' | line⟨U+000A⟩end⟨U+001B⟩\\[31m |",
        (
            r"| \[link\](http\://x) | <span>\\</span>input\{passwd\} <span>\$</span>5_000 100%"
            r" <span>\#</span>1 ^\~\* |"
        ),
    ]


def test_hostile_latex():
    rows = (
        r"\textless{}script\textgreater{}alert(1)\textless{}/script\textgreater{} & a|b \\",
        r"\midrule",
        (
            r"\textless{}/td\textgreater{}\textless{}img src=x onerror=alert(1)\textgreater{}"
            r" & x \& y⟨U+202E⟩ \\"
        ),
        r""""quoted' & line⟨U+000A⟩end⟨U+001B⟩{[}31m \\""",
        (
            r"{[}link](http://x) & \textbackslash{}input\{passwd\} \$5\_000 100\% \#1"
            r" \textasciicircum{}\textasciitilde{}{*} \\"
        ),
    )
    assert tuple(HOSTILE.to_latex().splitlines()[2:-2]) == rows


@pytest.mark.parametrize(
    ("wide", "columns"),
    [
        ("検索", 4),
        ("\uff42\uff4d\uff12\uff15", 8),  # full-width letters
        ("한국어", 6),
        ("e\u0301te\u0301", 3),  # combining accents
        ("คำที่", 3),  # two of the five stand above others
        ("❤\ufe0f", 1),  # a variation selector has no place of its own
        ("bm25", 4),
    ],
)
def test_columns_align_beside_wide_and_combining_characters(wide, columns):
    lines = Table(("s", "n"), ((wide, "1"), ("x" * 10, "2")), frozenset([1])).to_text().splitlines()
    assert lines == [
        "s" + " " * 9 + "  n",
        "-" * 10 + "  -",
        wide + " " * (10 - columns) + "  1",
        "x" * 10 + "  2",
    ]


def test_wide_characters_align_on_the_right_too():
    lines = Table(("点",), (("1",), ("12345",)), frozenset([0])).to_text().splitlines()
    assert lines == ["   点", "-----", "    1", "12345"]


def test_long_cells_are_cut_where_a_width_is_given():
    table = Table(("name",), (("a" * 50,), ("dense-2024-01",), ("b" * 12,), ("few of 12 changed",)))
    assert table.to_text(12).splitlines()[2:] == [
        "aaaaaa…aaaaa",
        "dense-…24-01",  # the end of a name tells it apart
        "b" * 12,
        "few of 12 c…",  # and a sentence begins with what it is about
    ]
    assert table.to_text().splitlines()[2] == "a" * 50
    assert "a" * 50 in table.to_html()  # other forms never cut


def test_an_empty_table_is_its_headers():
    empty = Table(("a", "b"), ())
    assert empty.to_text() == "a  b\n-  -"
    assert empty.to_markdown() == "| a | b |\n| --- | --- |"
    assert empty.to_latex().count(r"\\") == 1
    assert "<tbody>" in empty.to_html()


def test_jupyter_chooses_from_three_forms():
    assert PLAIN._repr_mimebundle_() == {
        "text/plain": PLAIN.to_text(),
        "text/html": PLAIN.to_html(),
        "text/latex": PLAIN.to_latex(),
    }


def test_a_frame_becomes_a_table():
    frame = pl.DataFrame(
        {
            "name": ["a", None, "c"],
            "value": [0.123456, None, math.nan],
            "delta": [0.5, -0.00001, math.inf],
            "n": [3, -2, None],
            "flag": [True, False, None],
        }
    )
    table = to_table(frame, digits=2, signed=["delta", "n"], caption="some")
    assert table.headers == ("name", "value", "delta", "n", "flag")
    assert table.numeric == {1, 2, 3}
    assert table.caption == "some"
    assert table.rows == (
        ("a", "0.12", "+0.50", "+3", "yes"),
        (MISSING, MISSING, "0.00", "-2", "no"),
        ("c", MISSING, "+∞", MISSING, MISSING),
    )
    assert to_table(frame).rows[0] == ("a", "0.1235", "+0.5000", "3", "yes")


def test_p_values_are_never_zero_and_grades_are_as_whole_as_they_are():
    frame = pl.DataFrame(
        {"p_value": [0.0, 0.03124], "p_adjusted": [0.0001, None], "relevance_system": [2.0, None]}
    )
    table = to_table(frame, digits=2)
    assert table.rows == (("<= 0.0001", "<= 0.0001", "2"), ("0.0312", MISSING, MISSING))
    shares = frame.with_columns(relevance_system=pl.Series([0.5, 1.0]))
    assert [row[2] for row in to_table(shares, digits=2).rows] == ["0.50", "1.00"]


def test_a_frame_may_be_given_other_headers_and_be_empty():
    frame = pl.DataFrame(schema={"a": pl.String, "b": pl.Float64})
    assert to_table(frame, headers=["x", "y"]) == Table(("x", "y"), (), frozenset([1]))
    with pytest.raises(ValueError, match="longer or shorter than its 1 header"):
        to_table(pl.DataFrame({"a": [1], "b": [2]}), headers=["x"])


def test_columns_that_say_nothing_are_left_out():
    table = Table(
        ("a", "caution", "n"),
        (("x", "", "1.0"), ("y", "", "")),
        frozenset([2]),
        "some",
        "fold",
    )
    assert table.without_empty_columns() == Table(
        ("a", "n"),
        (("x", "1.0"), ("y", "")),
        frozenset([1]),
        "some",
        "fold",
    )


@pytest.mark.parametrize(
    "table", [PLAIN, HOSTILE, Table(("a", "b"), ())], ids=["plain", "", "none"]
)
def test_tables_without_empty_columns_stay_as_they_are(table):
    assert table.without_empty_columns() is table


def test_html_says_what_columns_hold_and_sets_numbers_as_print_does():
    table = Table(
        ("name-1", "n"),
        (("a -1", "-12345.5"), ("b 2000", "7")),
        frozenset({1}),
        help=('<"what">', ""),
    )
    (head, *body) = named(fragment(table.to_html()), "tr")
    assert [cell.get("title") for cell in head] == ['<"what">', None]
    assert [[words(cell) for cell in row] for row in body] == [
        ["a -1", "−12,345.5"],
        ["b 2000", "7"],
    ]
    # Elsewhere numbers can be read by programs.
    for text in (table.to_text(), table.to_markdown()):
        assert "-12345.5" in text


@pytest.mark.parametrize(
    "fields", [{"help": ("a",)}, {"keys": ("q1",)}, {"choices": frozenset({2})}]
)
def test_what_belongs_to_rows_and_columns_matches_them(fields):
    with pytest.raises(ValueError, match="match"):
        Table(("a", "b"), (("1", "2"), ("3", "4")), **fields)


def test_columns_that_are_left_out_take_their_help_along():
    table = Table(
        ("a", "b", "c"), (("1", "", "2"),), help=("A", "B", "C"), choices=frozenset({1, 2})
    )
    kept = table.without_empty_columns()
    assert (kept.help, kept.choices) == (("A", "C"), {1})


def test_texts_are_not_broken_into_a_word_to_a_line():
    rows = (("bm25-k0.9-b0.4", "too few queries for an interval"), ("f" * 64, ""))
    html = Table(("p (max-t)", "caution"), rows).to_html()
    styles = dict(re.findall(r'<td align="left" style="text-align: left; ([^"]+)">([^<]*)', html))
    assert styles == {
        "white-space: nowrap": "",
        "min-width: 9em": "too few queries for an interval",
        "min-width: 16em; word-break: break-all": "f" * 64,
    }
    for whole in ("bm25-k0.9-b0.4", "p (max-t)"):
        assert f'nowrap">{whole}<' in html
    ranks = Table(
        ("ranks",), (("1\N{EN DASH}3 (1\N{EN DASH}2)",), ("\N{EN DASH}",)), frozenset({0})
    )
    found = re.findall(r"<td[^>]+?(nowrap)?\">([^<]+)", ranks.to_html())
    assert found == [("nowrap", "1\N{EN DASH}3\xa0(1\N{EN DASH}2)"), ("", "\N{EN DASH}")]


def test_html_names_what_rows_are_of_above_them_and_shows_notes_below_them():
    rows = (("RR", "a", "few -0.1"), ("RR", "b", ""), ("P", "a", ""), ("AP", "a", "few"))
    table = Table(
        *(("measure", "system", "caution"), rows, frozenset(), "Against old"),
        leading=2,
        others="P, AP",
        is_grouped=True,
    )
    whole = fragment(f"<div>{table.to_html()}</div>")
    assert list(map(words, named(whole, "caption"))) == ["RR. Against old", "P", "AP"]
    assert [[words(cell) for cell in row] for row in named(whole, "tr")] == [
        *(["system"], ["a"], ["few −0.1"], ["b"]),
        *(["system"], ["a"], ["system"], ["a"], ["few"]),
    ]
    assert words(named(whole, "summary")[0]) == "P, AP: 2 more rows"
    assert "RR       a       few -0.1" in table.to_text()
