"""The contents of a report to and from plain values, for its JSON.

Stored reports are untrusted. Renderers treat all their contents as text, except charts and links,
which are checked here. Formulae are stored as LaTeX, and checked by
`reports.formula`.
"""

from __future__ import annotations

import re
import types
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, get_args, get_type_hints

from rankreport.io import plain, restored
from rankreport.reports.links import is_address
from rankreport.reports.page import Figures, Page
from rankreport.tables import PaperTable, Table

_FRAME = re.compile(r"-?\d+(\.\d+)?( -?\d+(\.\d+)?){3}")
"""The format of a chart's viewBox."""

_SHAPES = frozenset({"svg", "g", "a", "path", "circle", "rect", "text", "tspan", "title", "desc"})
"""Allowed elements of a chart."""

_VALUES = {
    "class": re.compile("wide|narrow"),
    "display": re.compile("none"),
    "href": re.compile(r"#query=[\w.!~*'()%-]*", re.ASCII),
    "tabindex": re.compile("-1"),
}
"""What attributes may say that could do more than draw."""

_ATTRIBUTES = frozenset(
    {
        *("viewBox", "width", "height", "role", "aria-label", "font-family", "transform", "d"),
        *("x", "y", "cx", "cy", "r", "fill", "fill-opacity", "fill-rule", "opacity", "text-anchor"),
        *("stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap"),
        *("stroke-linejoin", "stroke-miterlimit", "font-size", "font-style", "font-weight"),
        *("pointer-events", "class", "display", "href", "tabindex"),
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
        """Return it as plain values, without figures and notebook outputs."""
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
        report: StoredReport = restored(cls, stored, TAGS, _CHECKS)
        return replace(report, page=replace(report.page, data=figures))


def _classes_of(kind: Any) -> Iterator[type]:
    """Yield the dataclasses that a value of a type may hold, but for figures, stored elsewhere."""
    if is_dataclass(kind) and isinstance(kind, type) and kind is not Figures:
        yield kind
        for inner in get_type_hints(kind).values():
            yield from _classes_of(inner)
    for inner in get_args(kind):
        yield from _classes_of(inner)


TAGS = types.MappingProxyType({each: each.__name__ for each in _classes_of(StoredReport)})
"""The tag of each class in stored reports: where one is renamed, `SCHEMA` changes."""


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
        for name, allowed in _VALUES.items():
            if name in node.attrib and not allowed.fullmatch(node.attrib[name]):
                raise ValueError(f"a chart with an unexpected {name}")
    if root.tag != "svg" or not _FRAME.fullmatch(root.get("viewBox", "")):
        raise ValueError("an invalid chart")


def _check_link(href: str) -> None:
    if href and not re.fullmatch(r"#[\w-]+", href):
        raise ValueError(f"a link to {href!r}")


def _check_address(url: str) -> None:
    if url and not is_address(url):
        raise ValueError(f"a link to {url!r}")


_CHECKS = types.MappingProxyType(
    {
        "svg": _check_drawing,
        "narrow": _check_drawing,
        "href": _check_link,
        "url": _check_address,
    }
)
"""What a stored field must be, to be shown as markup or as a link."""
