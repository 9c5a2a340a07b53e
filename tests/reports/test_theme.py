"""A house's own templates, logo, colour and words."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
from itertools import pairwise
from pathlib import Path

import mistune
import pytest
from hostile_texts import HOSTILE
from markup import fragment, named, parsed, tag, words
from pages import page_of_sections
from PIL import Image

import rankreport as rr
from rankreport.errors import OptionError
from rankreport.reports.html import render_page
from rankreport.reports.page import Section
from rankreport.reports.templates import rendered, template_names
from rankreport.reports.theme import Theme
from rankreport.reports.users_markdown import prose_html, prose_markdown
from rankreport.tables.table import Table
from rankreport.text import template_folder, visible

TABLE = Table(("<b>",), (("{{ 7 * 7 }}",), ("b",), ("c",)))
SECTIONS = (Section("one", "One", ("A paragraph.",), (TABLE,)),)
PAGE = page_of_sections(*SECTIONS)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "house"
    (made / "partials").mkdir(parents=True)
    return made


def refused(match, **options):
    with pytest.raises(OptionError, match=match) as caught:
        Theme(**options)
    return str(caught.value)


def written(tmp_path, theme):
    path = tmp_path / "page.html"
    path.write_text(render_page(PAGE, theme), encoding="utf-8")
    return path


# Templates


def test_files_of_a_folder_go_before_ours(folder):
    (folder / "partials" / "provenance.html").write_text("<p id='ours'>{{ page.title }}</p>")
    tree = parsed(render_page(PAGE, Theme(templates=folder)))
    assert "".join(node.text for node in tree.iter() if node.get("id") == "ours") == "A title"
    assert words(named(tree, "h1")[0]) == "A headline"  # the others are as they were
    assert "ours" not in {node.get("id") for node in parsed(render_page(PAGE)).iter()}


def test_templates_may_extend_ours(folder):
    source = '{% extends "rankreport/page.html" %}{% block footer %}<p>Acme</p>{% endblock %}'
    (folder / "page.html").write_text(source)
    tree = parsed(render_page(PAGE, Theme(templates=str(folder))))
    (main,) = named(tree, "main")
    assert words(list(main)[-1]) == "Acme"  # instead of the provenance
    assert not [node for node in tree.iter() if node.get("id") == "provenance"]
    assert words(named(tree, "td")[0]) == "{{ 7 * 7 }}"


def test_templates_of_a_folder_escape_too(folder):
    (folder / "partials" / "table.html").write_text("<pre>{{ table.headers[0] }}</pre>")
    tree = parsed(render_page(PAGE, Theme(templates=folder)))
    assert words(named(tree, "pre")[0]) == "<b>"


def test_style_sheet_and_script_of_a_folder_are_those_of_the_policy(folder):
    (folder / "page.css").write_text("h1 { color: #123456 }\n", encoding="utf-8", newline="\r\n")
    (folder / "page.js").write_text("document.title = 'ünsere';", encoding="utf-8")
    html = render_page(PAGE, Theme(templates=folder))
    tree = parsed(html)
    for element in (named(tree, "style")[0], named(tree, "script")[-1]):
        digest = hashlib.sha256("".join(element.itertext()).encode()).digest()
        assert f"'sha256-{base64.b64encode(digest).decode()}'" in html


@pytest.mark.browser
def test_style_sheet_and_script_of_a_folder_work(tab, folder, tmp_path):
    (folder / "page.css").write_text("h1 { color: #123456 }\n", encoding="utf-8", newline="\r\n")
    (folder / "page.js").write_text("document.title = 'ünsere';", encoding="utf-8")
    with tab(written(tmp_path, Theme(templates=folder))) as (page, watch):
        assert page.title() == "ünsere"
        colour = page.locator("h1").evaluate("node => getComputedStyle(node).color")
        assert colour == "rgb(18, 52, 86)"
        assert watch.messages == []


def test_an_empty_script_is_none(folder):
    (folder / "page.js").write_text("")
    html = render_page(PAGE, Theme(templates=folder))
    assert [node.get("type") for node in named(parsed(html), "script")] == ["application/json"]
    assert "script-src" not in html


def test_every_template_of_ours_has_a_name():
    names = template_names(template_folder())
    assert {"page.html", "page.css", "page.js", "partials/table.html"} <= set(names)
    assert "notebook/opening.md" in names


def test_folders_that_are_none_are_refused(tmp_path):
    refused("is not a folder", templates=tmp_path / "nowhere")
    (tmp_path / "file").touch()
    refused("is not a folder", templates=tmp_path / "file")


def test_names_that_are_none_of_ours_are_refused(folder):
    (folder / "partials" / "tabel.html").touch()
    message = refused("is not the name of a template", templates=folder)
    assert "Did you mean 'partials/table.html'?" in message


def test_hidden_files_and_languages_are_let_be(folder):
    (folder / ".DS_Store").touch()
    (folder / "language").mkdir()
    (folder / "language" / "fr.toml").touch()
    theme = Theme(templates=folder)
    assert theme.languages == folder / "language"
    assert Theme().languages is None


def test_faults_name_the_file_and_the_line(folder):
    path = folder / "partials" / "table.html"
    path.write_text("fine\n{% fro x in y %}\n")
    message = refused("unknown tag", templates=folder)
    assert message.startswith(f"{path}, line 2: ")


def test_files_that_are_no_text_are_refused(folder):
    (folder / "page.css").write_bytes(b"\xff\xfe\x00")
    refused("cannot be read as UTF-8", templates=folder)


@pytest.mark.parametrize(("name", "end"), [("page.css", "</STYLE>"), ("page.js", "</script x>")])
def test_files_that_would_end_their_element_are_refused(folder, name, end):
    (folder / name).write_text(f"/* {end} */")
    refused("would end its element", templates=folder)


@pytest.mark.parametrize(
    "fault", ["{{ page.nothing }}", "{{ 1 // 0 }}", "{% include 'partials/other.html' %}"]
)
def test_faults_while_writing_name_the_file_and_the_line(folder, fault):
    (folder / "partials" / "table.html").write_text(f"fine\n\n{fault}\n")
    theme = Theme(templates=folder)
    with pytest.raises(OptionError, match=r"table\.html, line 3: \S"):
        render_page(PAGE, theme)


def test_faults_of_ours_are_not_put_on_a_folder(folder):
    with pytest.raises(Exception, match="undefined") as caught:
        rendered("page.html", folder)
    assert not isinstance(caught.value, OptionError)


# Logo and accent

SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
)


def drawn(kind):
    held = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(held, kind)
    return held.getvalue()


LOGOS = {
    "png": drawn("PNG"),
    "jpeg": drawn("JPEG"),
    "svg+xml": SVG,
    "svg+xml ": b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- drawn -->\n' + SVG,
}


@pytest.mark.parametrize("kind", LOGOS)
def test_logos_become_a_part_of_the_page(tmp_path, kind):
    (tmp_path / "logo").write_bytes(LOGOS[kind])
    html = render_page(PAGE, Theme(logo=tmp_path / "logo", logo_alt='"Acme" <&>'))
    (image,) = named(parsed(html), "img")
    start, _, data = image.get("src").partition(",")
    assert start == f"data:image/{kind.strip()};base64"
    assert base64.b64decode(data) == LOGOS[kind]
    assert image.get("alt") == '"Acme" <&>'
    assert str(tmp_path) not in html


@pytest.mark.browser
@pytest.mark.parametrize("kind", LOGOS)
def test_logos_are_shown_and_do_nothing(tab, tmp_path, kind):
    (tmp_path / "logo").write_bytes(LOGOS[kind])
    path = written(tmp_path, Theme(logo=tmp_path / "logo"))
    with tab(path) as (page, watch):
        assert page.locator("img").evaluate("image => image.naturalWidth") in (3, 9)
        page.wait_for_timeout(100)
        assert [url for url in watch.requests if not url.startswith("data:")] == [path.as_uri()]
        assert watch.messages == watch.dialogs == []


def test_logos_that_are_none_are_refused(tmp_path):
    refused("No such file", logo=tmp_path / "nothing.png")
    for given in ("logo", "templates"):
        words = f"^https://a.b/c is an address. For the {given}, give a local path.$"
        refused(words, **{given: Path("https://me:word@a.b/c?token=1")})
    (tmp_path / "page.html").write_bytes(b"<html><svg></svg></html>")
    refused("not a PNG, JPEG or SVG", logo=tmp_path / "page.html")
    (tmp_path / "large.png").write_bytes(LOGOS["png"] + bytes(500_000))
    refused("Give a smaller one", logo=tmp_path / "large.png")


def test_accent_is_a_part_of_the_style_sheet():
    html = render_page(PAGE, Theme(accent="#a463c9"))
    style = "".join(named(parsed(html), "style")[0].itertext())
    assert style.endswith(":root { --accent: #a463c9; }\n")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in html


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accent_is_seen(tab, tmp_path, scheme):
    with tab(written(tmp_path, Theme(accent="#a463c9")), color_scheme=scheme) as (page, watch):
        rule = "getComputedStyle(document.querySelector('header')).borderTopColor"
        assert page.evaluate(rule) == "rgb(164, 99, 201)"
        assert watch.messages == []


@pytest.mark.parametrize(
    "colour", ["red", "#12", "#12345g", "#0072b2;} body {display: none", "", 3, "#0072B2\n"]
)
def test_colours_that_are_none_are_refused(colour):
    refused("is not a colour", accent=colour)


@pytest.mark.parametrize(
    ("colour", "contrast", "paper", "hint"),
    [
        ("#E69F00", "2.3", "#ffffff", "darker"),  # as measured for the palette of the charts
        ("#56B4E9", "2.3", "#ffffff", "darker"),
        ("#12436D", "1.7", "#1b1b1f", "lighter"),
        ("#801650", "1.8", "#1b1b1f", "lighter"),
    ],
)
def test_colours_too_faint_are_refused(colour, contrast, paper, hint):
    message = refused("contrast", accent=colour)
    assert f"a contrast of {contrast} with {paper}" in message
    assert message.endswith(f"Give a {hint} one.")


@pytest.mark.parametrize("colour", ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#777"])
def test_colours_that_stand_out_are_taken(colour):
    assert Theme(accent=colour).accent == colour


# Introduction and closing


def test_notes_stand_before_and_after_the_findings():
    theme = Theme(introduction="## Why\nA *note*.", closing="[Ask us](mailto:a@example.org)")
    tree = parsed(render_page(PAGE, theme))
    (main,) = named(tree, "main")
    header, first, *sections, last, provenance = list(main)
    assert tag(header) == "header"  # the first screen stays whole
    assert [node.get("id") for node in sections] == ["one"]
    assert first.get("class") == last.get("class") == "note"
    assert provenance.get("id") == "provenance"
    assert [words(node) for node in named(first, "h2")] == ["Why"]
    (link,) = named(last, "a")
    assert link.attrib == {"href": "mailto:a@example.org", "rel": "noopener noreferrer"}
    assert "note" not in {node.get("class") for node in parsed(render_page(PAGE)).iter()}


def test_headings_of_notes_stay_in_order():
    html = prose_html("### c\n# a\n###### f\n\nSetext\n---\n# a")
    levels = [1, *(int(tag(node)[1]) for node in fragment(html) if tag(node).startswith("h"))]
    assert levels == [1, 2, 2, 3, 3, 2]
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize(
    "note",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<div>\n\n*x*\n\n</div>",
        "<!-- hidden -->",
        "[here](javascript:alert(1))",
        "[here](JaVaScript&#58;alert(1))",
        "[here](data:text/html,x)",
        "[here](//example.org)",
        "[here](relative.html)",
        "[here][1]\n\n[1]: vbscript:x",
        "<javascript:alert(1)>",
        "![x](http://example.org/x.png)",
        "![x](data:image/svg+xml,x)",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "```html onmouseover=alert(1)\n<b>\n```",
        "&#x202e;desrever &#0;",
        *HOSTILE,
    ],
)
def test_notes_hold_nothing_but_words(note):
    allowed = {"p", "em", "strong", "code", "pre", "a", "h2", "ul", "ol", "li", "hr", "br"}
    tree = fragment(prose_html(note))
    elements = list(tree.iter())[1:]
    assert {tag(node) for node in elements} <= allowed
    for node in elements:
        assert node.attrib.keys() <= {"href", "rel"}
        assert re.match("https?://|mailto:", node.get("href", "http://"))
    assert visible("".join(tree.itertext()).replace("\n", " ")) == "".join(tree.itertext()).replace(
        "\n", " "
    )
    for source in (prose_markdown(note), f"a\n\n{prose_markdown(note)}\n\nb"):
        shown = fragment(mistune.create_markdown(escape=False)(source))
        inside = list(shown.iter())[1:]
        assert {tag(node) for node in inside} <= allowed | {"div"}
        assert all(node.attrib.keys() <= {"href", "class", "rel"} for node in inside)
        assert "$" not in source  # which Jupyter would take for mathematics
        for node in named(shown, "a"):
            assert re.match("https?://|mailto:", node.get("href"))


def test_notes_keep_their_formatting():
    note = "**a** `b` [c](https://example.org/?q=1&r=2)\n\n1. d\n2. e\n\n> f\n"
    html = prose_html(note)
    for element in ("strong", "code", "a", "ol", "li", "blockquote"):
        assert named(fragment(html), element)
    assert html in prose_markdown(note)


def test_a_bad_link_leaves_the_good_ones():
    note = "[a](javascript:x) [b](https://b.org) ![c](https://c.org/d.png) <mailto:e@f.org>"
    shown = fragment(mistune.create_markdown(escape=False)(prose_markdown(note)))
    links = ["https://b.org", "https://c.org/d.png", "mailto:e@f.org"]
    assert [node.get("href") for node in named(shown, "a")] == links
    assert not named(shown, "img")
    assert words(shown) == "[a](javascript:x) b !c mailto:e@f.org"
    assert words(shown) == words(fragment(prose_html(note)))


NOTES = [
    "# a\nb\n\n## c\n\nd\n===\n",
    "- a\n- *b*\n  - c\n\n    d\n- e\n\n7. f\n8. g\n\n   h\n",
    "> a\n> > b\\\n> c  \n> d\n\n---\n",
    "```py\na = `1`\n\n````\n\n    b\n\n`` c`d `` **e*f*g**",
    r"1\. a \*b\* \_c\_ \# d \[e\](f) <g> &amp; &copy; h_i_j https://k.l ~~m~~ | n |",
    "[a *b* `c`](https://d.e/f?g=1&amp;copy;=2) [i][j]\n\n[j]: <https://k.l/m n>",
    "a\n\\- b\n\\+ c\n\\=== d",
]


@pytest.mark.parametrize("note", NOTES)
def test_a_note_in_markdown_is_the_note_as_html(note):
    shown = fragment(mistune.create_markdown(escape=False)(f"a\n\n{prose_markdown(note)}\n\nb"))
    of_html = [(tag(node), words(node)) for node in fragment(prose_html(note)).iter()][1:]
    assert [(tag(node), words(node)) for node in shown.iter()][3:-1] == of_html


def test_a_notebook_has_notes_without_their_html(tmp_path):
    theme = Theme(introduction="*a* <img src=x>")
    made = rr.report(rr.evaluate({"q": {"d": 1}}, {"m": {"q": ["d"]}}, "RR"), theme=theme)
    made.to_notebook(tmp_path / "report.ipynb")
    opening = json.loads((tmp_path / "report.ipynb").read_text("utf-8"))["cells"][0]["source"]
    assert "<p><em>a</em> &lt;img src=x&gt;</p>" in "".join(opening)


@pytest.mark.browser
def test_hostile_notes_do_nothing(tab, tmp_path):
    note = "\n\n".join(HOSTILE)
    theme = Theme(introduction=note, closing=note, logo_alt=HOSTILE[1])
    path = written(tmp_path, theme)
    with tab(path, width=360) as (page, watch):
        page.wait_for_timeout(100)
        assert watch.requests == [path.as_uri()]
        assert watch.messages == watch.dialogs == []
        assert page.locator(".note img, .note script, .note svg").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_same_theme_gives_the_same_bytes(tmp_path):
    (tmp_path / "logo").write_bytes(SVG)
    options = {"logo": tmp_path / "logo", "accent": "#0072B2", "introduction": "*a*"}
    assert render_page(PAGE, Theme(**options)) == render_page(PAGE, Theme(**options))


@pytest.mark.parametrize("option", ["introduction", "closing", "logo_alt"])
def test_words_are_texts(option):
    refused(f"{option} is a text", **{option: 3})
