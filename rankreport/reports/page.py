"""What a report shows, as plain values: no renderer computes anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from rankreport.comparison import Word
from rankreport.gates import OUTCOME_SIGNS, Outcome
from rankreport.tables import Table
from rankreport.text import both_ends, number, visible

__all__ = [
    "LONGEST_ID",
    "LONGEST_TEXT",
    "Cell",
    "Change",
    "Fact",
    "Figures",
    "Group",
    "Lists",
    "Output",
    "Page",
    "Part",
    "Picture",
    "Place",
    "Section",
    "Term",
    "TopList",
]


LONGEST_TEXT = 200
"""The most characters of a query's text where it stands among others."""

LONGEST_ID = 60
"""The same of a query's or a document's id."""


@dataclass(frozen=True)
class Fact:
    """One of the few numbers that stand beside the verdict.

    Attributes
    ----------
    value, label
        The number, and what it is of.
    href
        Where the page says more: the id of one of its sections after a ``#``, or nothing.
    """

    value: str
    label: str
    href: str = ""


@dataclass(frozen=True)
class Picture:
    """A chart: as SVG for a page, as a sentence, and as the table of what is drawn."""

    svg: str
    alt: str
    data: Table

    @property
    def title(self) -> str:
        """What is drawn: the sentence up to what was found."""
        return self.alt.replace("\N{FULLWIDTH COLON}", ": ").partition(": ")[0]


@dataclass(frozen=True)
class Place:
    """A document in a list: its grade, if it was judged, and its place in the other list."""

    rank: int
    document: str
    grade: float | None
    relevant: bool
    elsewhere: int | None

    @property
    def name(self) -> str:
        """The document's id, cut where it is longer than anybody reads."""
        return both_ends(self.document, LONGEST_ID)


@dataclass(frozen=True)
class TopList:
    """The first documents that a system returned for a query, and its score there."""

    system: str
    score: float | None
    places: tuple[Place, ...]

    @property
    def shown(self) -> str:
        """The score as people read it."""
        return number(self.score)


@dataclass(frozen=True)
class Change:
    """A query on which two systems differ, and what each of them returned first."""

    query: str
    text: str
    delta: float
    before: TopList
    after: TopList

    @property
    def shown(self) -> str:
        """The difference as people read it."""
        return number(self.delta, signed=True)

    @property
    def name(self) -> str:
        """The query's id, cut where it is longer than anybody reads."""
        return both_ends(self.query, LONGEST_ID)

    @property
    def brief(self) -> str:
        """The query's text, cut likewise."""
        return visible(self.text, LONGEST_TEXT)

    @property
    def whole(self) -> str:
        """The query's text, if the brief one is not all of it."""
        shown = visible(self.text)
        return "" if shown == self.brief else shown


@dataclass(frozen=True)
class Group:
    """Changes under a heading."""

    title: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Lists:
    """What two systems returned, side by side, query by query; with words on how to read it."""

    words: str
    measure: str
    groups: tuple[Group, ...]


Part = Picture | Table | Lists
"""What a section of a page is made of."""


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
    """Code that a notebook runs, and what it shows; its name is the id of the cell.

    What it shows is made when it is asked for: a page does not ask.
    """

    name: str
    source: str
    shown: Callable[[], Mapping[str, str]]

    @property
    def bundle(self) -> Mapping[str, str]:
        """What it shows, by mime type."""
        return self.shown()


@dataclass(frozen=True, eq=False)
class Figures:
    """The numbers behind what a section shows, unrounded, for the report's JSON.

    Attributes
    ----------
    name
        Under which they stand there, with those of that name from other sections.
    rows
        The frame.
    by
        Of a long frame, the columns that are the same for many of its rows: they are told once,
        and the others as lists. Empty for a frame whose rows are told one by one.
    """

    name: str
    rows: pl.DataFrame
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """A part of the report under one heading; its parts are shown in order.

    The page shows the parts, the notebook runs the outputs, the JSON holds the figures. What the
    paragraphs say of the page may be untrue of the notebook: it says `in_notebook` in their stead,
    where there is any.
    """

    id: str
    title: str
    paragraphs: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    terms: tuple[Term, ...] = ()
    outputs: tuple[Output, ...] = ()
    figures: tuple[Figures, ...] = ()
    in_notebook: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """All that a report says.

    `meaning` is that of the measure that decides, in plain words; `check` what makes the figures
    worth nothing until it is explained; `advice` what the evidence says for shipping; `gate` what
    came of the requirements, and `gate_outcome` the same in a word.
    """

    title: str
    word: Word | Literal[""]
    sentence: str
    detail: str
    others: tuple[str, ...]
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]
    provenance: tuple[tuple[str, str], ...]
    data: Mapping[str, Any]
    meaning: str = ""
    check: str = ""
    advice: str = ""
    gate: str = ""
    gate_outcome: Outcome | Literal[""] = ""

    @property
    def gate_sign(self) -> str:
        """The sign of what came of the requirements; empty where there are none."""
        return OUTCOME_SIGNS[self.gate_outcome] if self.gate_outcome else ""


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: its source, and for code the output it shows when it is run.

    The source of one that is hidden is folded away.
    """

    id: str
    kind: Literal["markdown", "code"]
    source: str
    output: Mapping[str, str] | None = None
    tags: tuple[str, ...] = field(default=())
    hidden: bool = False
