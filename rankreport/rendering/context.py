"""What a report shows, as plain values: no renderer computes anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rankreport.rendering.table import Table

__all__ = ["Cell", "Fact", "Output", "Page", "Picture", "Section", "Term"]


@dataclass(frozen=True)
class Fact:
    """One of the few numbers that stand beside the verdict."""

    value: str
    label: str


@dataclass(frozen=True)
class Picture:
    """A chart: as SVG for a page, as a sentence, and as the table of what is drawn."""

    svg: str
    alt: str
    data: Table


@dataclass(frozen=True)
class Term:
    """A measure explained."""

    name: str
    title: str
    meaning: str
    formula: str
    source: str


@dataclass(frozen=True)
class Output:
    """Code that a notebook runs, and what it shows; its name is the id of the cell."""

    name: str
    source: str
    bundle: Mapping[str, str]


@dataclass(frozen=True)
class Section:
    """A part of the report under one heading; its parts are shown in order.

    The page shows the parts, the notebook runs the outputs.
    """

    id: str
    title: str
    paragraphs: tuple[str, ...] = ()
    parts: tuple[Picture | Table, ...] = ()
    terms: tuple[Term, ...] = ()
    outputs: tuple[Output, ...] = ()


@dataclass(frozen=True)
class Page:
    """All that a report says."""

    title: str
    word: str
    sentence: str
    detail: str
    others: tuple[str, ...]
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]
    provenance: tuple[tuple[str, str], ...]
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: its source, and for code the output it shows when it is run."""

    id: str
    kind: Literal["markdown", "code"]
    source: str
    output: Mapping[str, str] | None = None
    tags: tuple[str, ...] = field(default=())
