"""The contents of a report to and from plain values, for its JSON.

Stored reports are untrusted. Renderers treat all their contents as text, except charts and links
within the page, which are checked here. Formulae are stored as LaTeX, and checked by
`reports.formula`.
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
from rankreport.text import Caution

__all__ = ["TAGS", "StoredReport"]


_FRAME = re.compile(r"-?\d+(\.\d+)?( -?\d+(\.\d+)?){3}")
"""The format of a chart's viewBox."""

_SHAPES = frozenset({"svg", "g", "path", "circle", "rect", "text", "tspan", "title", "desc"})
"""Allowed elements of a chart."""

_ATTRIBUTES = frozenset(
    {
        *("viewBox", "width", "height", "role", "aria-label", "font-family", "transform", "d"),
        *("x", "y", "cx", "cy", "r", "fill", "fill-opacity", "fill-rule", "opacity", "text-anchor"),
        *("stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap"),
        *("stroke-linejoin", "stroke-miterlimit", "font-size", "font-style", "font-weight"),
    }
)
"""Allowed attributes of a chart."""


@dataclass(frozen=True)
class StoredReport:
    """The stored contents of a report.

    Attributes
    ----------
    page
        Contents of the page; stored without figures.
    table
        Table of the comparison, or of the means.
    lettered
        Table of systems by measures for LaTeX, or None.
    """

    page: Page
    table: Table
    lettered: PaperTable | None = None

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain values, without figures."""
        sections = tuple(replace(each, figures=()) for each in self.page.sections)
        bare = replace(self, page=replace(self.page, sections=sections, data={}))
        made: dict[str, Any] = plain(bare, TAGS)
        return made

    @classmethod
    def of_plain(cls, stored: Any, figures: Mapping[str, Any]) -> StoredReport:
        """Return a stored report with its figures; the inverse of `to_plain`.

        Raises
        ------
        ValueError
            If `stored` was not made by `to_plain`.
        """
        report: StoredReport = restored(
            cls, _with_cautions(stored, figures), TAGS, {"svg": _check_drawing, "href": _check_link}
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
        Caution: "Caution",
    }
)
"""The tag of each class in stored reports.

A class may be renamed or moved, but its tag and its fields' names must stay, or older reports
cannot be read.
"""


def _with_cautions(stored: Any, figures: Mapping[str, Any]) -> Any:
    """Return a report of an earlier version, whose cautions were sentences, as one of this."""
    texts = figures["cautions"]
    if not (isinstance(texts, list) and texts and all(isinstance(each, str) for each in texts)):
        return stored
    page = dict(stored["page"])
    check = page.pop("check", "")
    cautions = [
        Caution("earlier_version", "stop" if text in check else "look", text) for text in texts
    ]
    return {**stored, "page": {**page, "cautions": plain(cautions, TAGS)}}


def _check_drawing(svg: str) -> None:
    """Check that a chart has allowed elements only, since pages insert it unescaped."""
    # Without these, XML and HTML parsers build the same tree.
    if "<!" in svg or "<?" in svg:
        raise ValueError("a chart with more than shapes")
    try:
        root = ET.fromstring(svg)  # noqa: S314 - without declarations there are no entities
    except ET.ParseError as error:
        raise ValueError(f"an invalid chart: {error}") from None
    for node in root.iter():
        # HTML parses markup inside these two.
        has_markup = len(node) > 0 and node.tag in {"title", "desc"}
        if node.tag not in _SHAPES or has_markup or not _ATTRIBUTES.issuperset(node.attrib):
            raise ValueError(f"a chart with an unexpected {node.tag}")
    if root.tag != "svg" or not _FRAME.fullmatch(root.get("viewBox", "")):
        raise ValueError("an invalid chart")


def _check_link(href: str) -> None:
    if href and not re.fullmatch(r"#[\w-]+", href):
        raise ValueError(f"a link to {href!r}")
