"""The contents of a report as plain values: renderers compute nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from rankreport.comparison import Word
from rankreport.gates import OUTCOME_SIGNS, Outcome
from rankreport.tables import Table
from rankreport.text import Caution, beside_check, both_ends, check_first, number, visible

__all__ = [
    "LONGEST_ID",
    "LONGEST_TEXT",
    "Change",
    "Fact",
    "Figures",
    "Group",
    "Lists",
    "Page",
    "Part",
    "Picture",
    "Place",
    "Section",
    "Term",
    "TopList",
]


LONGEST_TEXT = 200
"""The maximum length of a query's text in tables, in characters."""

LONGEST_ID = 60
"""The maximum length of the id of a query or a document."""


@dataclass(frozen=True)
class Fact:
    """One of the key figures next to the verdict.

    Attributes
    ----------
    value, label
        The number and its description.
    href
        Link to the section with details, such as ``#data``; may be empty.
    """

    value: str
    label: str
    href: str = ""


@dataclass(frozen=True)
class Picture:
    """A chart: its SVG, its description in a sentence, and its data."""

    svg: str
    alt: str
    data: Table

    @property
    def title(self) -> str:
        """The subject of the chart: the part of the sentence before the colon."""
        return self.alt.replace("\N{FULLWIDTH COLON}", ": ").partition(": ")[0]


@dataclass(frozen=True)
class Place:
    """A document in a list: its rank, its grade if judged, and its rank in the other list."""

    rank: int
    document: str
    grade: float | None
    relevant: bool
    elsewhere: int | None

    @property
    def name(self) -> str:
        """The document's id, truncated to `LONGEST_ID`."""
        return both_ends(self.document, LONGEST_ID)


@dataclass(frozen=True)
class TopList:
    """The top documents of a system for a query, and its score.

    `n_unjudged` is the number of unjudged documents within the cut-off of the primary measure; None
    where nearly all are judged.
    """

    system: str
    score: float | None
    places: tuple[Place, ...]
    n_unjudged: int | None = None

    @property
    def shown(self) -> str:
        """The rounded score."""
        return number(self.score)


@dataclass(frozen=True)
class Change:
    """A query on which two systems differ, with the top documents of both."""

    query: str
    text: str
    delta: float
    before: TopList
    after: TopList

    @property
    def shown(self) -> str:
        """The rounded difference."""
        return number(self.delta, signed=True)

    @property
    def name(self) -> str:
        """The query's id, truncated to `LONGEST_ID`."""
        return both_ends(self.query, LONGEST_ID)

    @property
    def brief(self) -> str:
        """The query's text, truncated to `LONGEST_TEXT`."""
        return visible(self.text, LONGEST_TEXT)

    @property
    def whole(self) -> str:
        """The full text of the query if `brief` is truncated, otherwise empty."""
        shown = visible(self.text)
        return "" if shown == self.brief else shown


@dataclass(frozen=True)
class Group:
    """Changes under a heading."""

    title: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Lists:
    """The document lists of two systems side by side, per query, with a note for readers."""

    words: str
    measure: str
    groups: tuple[Group, ...]


Part = Picture | Table | Lists
"""A part of a section."""


@dataclass(frozen=True)
class Term:
    """A measure explained."""

    name: str
    title: str
    meaning: str
    formula: str
    source: str


@dataclass(frozen=True, eq=False)
class Figures:
    """The unrounded numbers of a section, for the report's JSON.

    Attributes
    ----------
    name
        Key in the JSON; figures of the same name are merged.
    rows
        The frame.
    by
        Columns to group a long frame by; empty to store rows one by one.
    """

    name: str
    rows: pl.DataFrame
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """A section of the report; its parts are shown in order.

    The page shows the parts, and the JSON holds the figures.
    """

    id: str
    title: str
    paragraphs: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    terms: tuple[Term, ...] = ()
    figures: tuple[Figures, ...] = ()


@dataclass(frozen=True)
class Page:
    """The contents of a report.

    `meaning` explains the primary measure; `cautions` are what to know before acting on the result,
    the worst first; `advice` says whether the evidence supports shipping; `gate` is the result of
    the requirements in sentences, and `gate_outcome` in a word.
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
    advice: str = ""
    gate: str = ""
    gate_outcome: Outcome | Literal[""] = ""
    cautions: tuple[Caution, ...] = ()

    @property
    def check(self) -> str:
        """What to check before acting on the result, in a text; may be empty."""
        return check_first(self.cautions)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The cautions after their severity, without those in `check`."""
        return beside_check(self.cautions)

    @property
    def gate_sign(self) -> str:
        """The sign of the gate's outcome; empty without a gate."""
        return OUTCOME_SIGNS[self.gate_outcome] if self.gate_outcome else ""
