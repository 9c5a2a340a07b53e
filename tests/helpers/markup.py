"""How the tests read pages: strictly, as tables, and as a skeleton without its words."""

from __future__ import annotations

import html5lib

SVG = "{http://www.w3.org/2000/svg}"
HTML = "{http://www.w3.org/1999/xhtml}"


def parsed(page):
    """Parse a page, or fail at its first fault."""
    return html5lib.HTMLParser(strict=True).parse(page)


def fragment(markup):
    """Parse what stands in a notebook's output."""
    return html5lib.parseFragment(markup)


def tag(node):
    """Name an element without its namespace; comments and the like have no name."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else "#comment"


def named(tree, name):
    """Return the elements of that name, in order."""
    return [node for node in tree.iter() if tag(node) == name]


def words(node):
    """Return all text in an element, white space folded."""
    return " ".join("".join(node.itertext()).split())


def by_id(tree, name):
    """Return the one element that bears the id."""
    (found,) = [node for node in tree.iter() if node.get("id") == name]
    return found


def rows(table):
    """Return a table's rows below its head, each ``{header: cell}``."""
    head, *body = named(table, "tr")
    headers = [words(cell) for cell in head]
    return [dict(zip(headers, map(words, row), strict=True)) for row in body]


def caption(table):
    """Return a table's caption, or an empty text."""
    return "".join(words(node) for node in named(table, "caption"))


def skeleton(node):
    """Return the elements with their attributes, words left out, and charts as one element each."""
    kept = {
        name: value if name in ("class", "href", "src", "id", "scope", "role", "type") else ""
        for name, value in node.attrib.items()
    }
    # Which rows are wide, or hold a dollar, is seen in their looks and nowhere else.
    looks = set(kept.pop("class", "").split()) - {"long", "mathjax_ignore"}
    kept |= {"class": " ".join(sorted(looks))} if looks else {}
    below = [] if tag(node) == "svg" else [skeleton(child) for child in node]
    return (tag(node), tuple(sorted(kept.items())), tuple(below))
