"""What a report says, as JSON and back: plain values, read by the types that they declare.

A stored report may come from anyone. What it holds is text to every renderer, with two exceptions,
drawings and links within the page, and they are looked at here before a page is made of them.
Formulae are stored as LaTeX; `formula_html` lets nothing else through.
"""

from __future__ import annotations

import re
import types
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rankreport.io import plain, restored
from rankreport.reports.page import (
    Change,
    Fact,
    Group,
    Lists,
    Page,
    Picture,
    Place,
    Section,
    Term,
    TopList,
)
from rankreport.tables import PaperTable, Table

__all__ = ["TAGS", "StoredReport"]


_FRAME = re.compile(r"-?\d+(\.\d+)?( -?\d+(\.\d+)?){3}")
"""How the frame of a drawing is written."""

_SHAPES = frozenset({"svg", "g", "path", "circle", "rect", "text", "tspan", "title", "desc"})
"""The elements of our drawings."""

_LOOKS = frozenset(
    {
        *("viewBox", "width", "height", "role", "aria-label", "font-family", "transform", "d"),
        *("x", "y", "cx", "cy", "r", "fill", "fill-opacity", "fill-rule", "opacity", "text-anchor"),
        *("stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap"),
        *("stroke-linejoin", "stroke-miterlimit", "font-size", "font-style", "font-weight"),
    }
)
"""Their attributes."""


@dataclass(frozen=True)
class StoredReport:
    """All that is told of a report: its page, and what shorter forms are made of.

    Attributes
    ----------
    page
        What the page says; without figures and outputs when it is stored.
    table
        The comparison, or the systems' levels.
    lettered
        The systems as papers print them, or None.
    """

    page: Page
    table: Table
    lettered: PaperTable | None = None

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain values, its figures and what is of its notebook left out."""
        sections = tuple(
            replace(each, outputs=(), figures=(), in_notebook=()) for each in self.page.sections
        )
        bare = replace(self, page=replace(self.page, sections=sections, data={}))
        made: dict[str, Any] = plain(bare, TAGS)
        return made

    @classmethod
    def of_plain(cls, stored: Any, figures: Mapping[str, Any]) -> StoredReport:
        """Return what was stored, with its figures.

        Raises
        ------
        ValueError
            If it is not what `to_plain` returns.
        """
        report: StoredReport = restored(
            cls, stored, TAGS, {"svg": _check_drawing, "href": _check_link}
        )
        return replace(report, page=replace(report.page, data=figures))


TAGS: Mapping[type, str] = types.MappingProxyType(
    {
        StoredReport: "Told",
        Page: "Page",
        Fact: "Fact",
        Section: "Section",
        Term: "Term",
        Picture: "Picture",
        Table: "Table",
        Lists: "Lists",
        Group: "Group",
        Change: "Change",
        TopList: "TopList",
        Place: "Place",
        PaperTable: "Lettered",
    }
)
"""What stored reports call the classes they hold.

A class may be renamed or moved; its tag stays, or reports stored before cannot be read. The names
of fields are stored as they are.
"""


def _check_drawing(svg: str) -> None:
    """Refuse markup that is none of our drawings: the page prints them as they are."""
    # Without these it is the same tree to a parser of XML and to one of HTML.
    if "<!" in svg or "<?" in svg:
        raise ValueError("a drawing with more than shapes")
    try:
        root = ET.fromstring(svg)  # noqa: S314 - without declarations there are no entities
    except ET.ParseError as error:
        raise ValueError(f"a drawing that is none: {error}") from None
    for node in root.iter():
        # A page reads markup in these two as its own.
        holds = len(node) > 0 and node.tag in {"title", "desc"}
        if node.tag not in _SHAPES or holds or not _LOOKS.issuperset(node.attrib):
            raise ValueError(f"a drawing with a strange {node.tag}")
    if root.tag != "svg" or not _FRAME.fullmatch(root.get("viewBox", "")):
        raise ValueError("a drawing that is none")


def _check_link(href: str) -> None:
    if href and not re.fullmatch(r"#[\w-]+", href):
        raise ValueError(f"a link to {href!r}")
