"""The contents of a report as plain values: renderers compute nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from rankreport.comparison import Word
from rankreport.gates import OUTCOME_SIGNS, Outcome
from rankreport.tables import Table
from rankreport.text import Caution, beside_check, both_ends, check_first, number, visible

__all__ = [
    "LONGEST_ID",
    "LONGEST_TEXT",
    "Cell",
    "Change",
    "Drilldown",
    "Fact",
    "Figures",
    "Level",
    "ListedDocument",
    "Output",
    "Page",
    "Part",
    "Picture",
    "Section",
    "Side",
    "Term",
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


Level = Literal["high", "some", "none", "unjudged"]
"""How relevant a document is: of the highest grade, less, not relevant, or unjudged."""


@dataclass(frozen=True)
class ListedDocument:
    """A document of one list or both, with its ranks.

    Attributes
    ----------
    document
        Its id.
    grade
        Its grade; None if unjudged.
    level
        How relevant it is.
    before, after
        Its ranks in the lists of the baseline and of the system; None where it is not shown.
    title, passage
        Its title, and a passage of its text: parts that are alternately between words of the query
        and such words. Empty if not known.
    url
        A link to it (http or https), or empty.
    """

    document: str
    grade: float | None
    level: Level
    before: int | None
    after: int | None
    title: tuple[str, ...] = ()
    passage: tuple[str, ...] = ()
    url: str = ""

    @property
    def name(self) -> str:
        """The document's id, truncated to `LONGEST_ID`."""
        return both_ends(self.document, LONGEST_ID)

    @property
    def change(self) -> Literal["same", "up", "down"]:
        """Whether the system ranks it higher or lower than the baseline does."""
        if self.before == self.after:
            return "same"
        if self.before is None or self.after is None:
            return "down" if self.after is None else "up"
        return "up" if self.after < self.before else "down"


@dataclass(frozen=True)
class Change:
    """A query on which two systems differ, with the first documents of both.

    Attributes
    ----------
    query, text
        The id of the query, and its text or an empty one.
    delta, before, after
        The difference, and the scores of the baseline and the system.
    won
        Whether the system is better.
    reason, brief
        Why, in a sentence and in a few words.
    documents
        The documents of both lists, the most important changes first.
    n_shown
        How many of them are shown at first; the others are folded.
    anchor
        The id of the element on the page.
    opened
        Whether it is open when the page is.
    about
        The other columns of the query's row: short labels and values.
    folded
        The columns that are long, or too many.
    """

    query: str
    text: str
    delta: float
    before: float | None
    after: float | None
    won: bool
    reason: str
    brief: str
    documents: tuple[ListedDocument, ...]
    n_shown: int
    anchor: str
    opened: bool = False
    about: tuple[tuple[str, str], ...] = ()
    folded: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        """The rounded difference."""
        return number(self.delta, signed=True)

    @property
    def scores(self) -> tuple[str, str]:
        """The rounded scores."""
        return number(self.before), number(self.after)

    @property
    def name(self) -> str:
        """The query's id, truncated to `LONGEST_ID`."""
        return both_ends(self.query, LONGEST_ID)

    @property
    def key(self) -> str:
        """The query's id in full, for links to it."""
        return visible(self.query)

    @property
    def heading(self) -> str:
        """The query's text, truncated to `LONGEST_TEXT`."""
        return visible(self.text, LONGEST_TEXT)

    @property
    def whole(self) -> str:
        """The full text of the query if `heading` is truncated, otherwise empty."""
        shown = visible(self.text)
        return "" if shown == self.heading else shown

    @property
    def first(self) -> tuple[ListedDocument, ...]:
        """The documents shown at first."""
        return self.documents[: self.n_shown]

    @property
    def rest(self) -> tuple[ListedDocument, ...]:
        """The folded documents."""
        return self.documents[self.n_shown :]

    @property
    def n_unchanged(self) -> int:
        """The number of folded documents with the same rank in both lists."""
        return sum(each.change == "same" for each in self.rest)


@dataclass(frozen=True)
class Side:
    """The losses, or the wins, under a heading; the first are listed, the others folded."""

    id: str
    title: str
    changes: tuple[Change, ...]
    folded: str = ""
    n_first: int = 3


@dataclass(frozen=True)
class Drilldown:
    """Losses and wins of a system, query by query, with the documents of both systems.

    `words` explain the signs, and `notes` say what is not shown.
    """

    baseline: str
    system: str
    measure: str
    words: str
    sides: tuple[Side, ...]
    notes: tuple[str, ...] = ()


Part = Picture | Table | Drilldown
"""A part of a section."""


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
    """A code cell of a notebook and its output; the name is the id of the cell.

    The output is made on demand, since a page does not need it.
    """

    name: str
    source: str
    shown: Callable[[], Mapping[str, str]]

    @property
    def bundle(self) -> Mapping[str, str]:
        """The output by MIME type."""
        return self.shown()


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

    The page shows the parts, the notebook runs the outputs, and the JSON holds the figures. The
    notebook shows `in_notebook`, if any, instead of the paragraphs.
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


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook: its source, and the output of a code cell.

    The source of a hidden cell is collapsed.
    """

    id: str
    kind: Literal["markdown", "code"]
    source: str
    output: Mapping[str, str] | None = None
    tags: tuple[str, ...] = field(default=())
    hidden: bool = False
