"""Parsing of HTML pages, their tables, and their structure without text."""

from __future__ import annotations

import html5lib

SVG = "{http://www.w3.org/2000/svg}"
HTML = "{http://www.w3.org/1999/xhtml}"
MATHEMATICS = "{http://www.w3.org/1998/Math/MathML}"


def parsed(page):
    """Parse a page strictly."""
    return html5lib.HTMLParser(strict=True).parse(page)


def fragment(markup):
    """Parse the HTML of a notebook output."""
    return html5lib.parseFragment(markup)


def tag(node):
    """Return the name of an element without namespace, or "#comment"."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else "#comment"


def named(tree, name):
    """Return the elements with this name, in order."""
    names = {f"{space}{name}" for space in ("", HTML, SVG, MATHEMATICS)}
    return [node for node in tree.iter() if node.tag in names]


def words(node):
    """Return the text of an element with white space collapsed."""
    return " ".join("".join(node.itertext()).split())


def by_id(tree, name):
    """Return the only element with this id."""
    (found,) = [node for node in tree.iter() if node.get("id") == name]
    return found


def figure(cell):
    """Return the text of a cell as programs read it: hyphens as minus signs, no separators."""
    return words(cell).replace("\N{MINUS SIGN}", "-").replace(",", "")


def rows(table):
    """Return the body rows of a table as ``{header: cell}``, numbers as programs read them.

    A row of a single cell, which holds words on the row above it, has these under the first header.
    """
    head, *body = named(table, "tr")
    headers = [words(cell) for cell in head]
    of_numbers = [_is_number(cell) for cell in head]
    return [
        {
            name: figure(cell) if number else words(cell)
            for name, number, cell in zip(headers, of_numbers, row, strict=len(row) > 1)
        }
        for row in body
    ]


KINDS = {"rank", "tally", "middle", "difference", "otherwise"}


def board_rows(tree):
    """Yield each system of the leaderboard, and the texts of its cells by what they hold."""
    (board,) = [node for node in named(tree, "table") if node.get("class") == "board"]
    for row in named(named(board, "tbody")[0], "tr"):
        if row.get("class") == "gap":  # says how many systems are left out
            continue
        cells = {}
        for cell in named(row, "td"):
            kind = KINDS & {*cell.get("class", "").split()}
            cells.setdefault(kind.pop() if kind else "level", []).append(words(cell))
        (head,) = named(row, "th")
        beside = "".join(words(each) for each in named(head, "small"))
        yield words(head).removesuffix(beside).strip(), cells


def _is_number(head):
    return "number" in (head.get("class") or "").split()


def caption(table):
    """Return a table's caption, or an empty text."""
    return "".join(words(node) for node in named(table, "caption"))


def skeleton(node):
    """Return the elements and attributes of a page, without text and the contents of charts."""
    kept = {
        name: value if name in ("class", "href", "src", "id", "scope", "role", "type") else ""
        for name, value in node.attrib.items()
    }
    # Classes that depend on the text.
    classes = set(kept.pop("class", "").split()) - {"long", "mathjax_ignore"}
    kept |= {"class": " ".join(sorted(classes))} if classes else {}
    if kept.get("id", "").startswith("query="):
        kept["id"] = "query="
    below = [] if tag(node) == "svg" else [skeleton(child) for child in node]
    return (tag(node), tuple(sorted(kept.items())), tuple(below))
