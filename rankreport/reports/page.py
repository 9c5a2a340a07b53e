"""The contents of a report as plain values: renderers compute nothing."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from rankreport.comparison import VerdictWords
from rankreport.tables import Table
from rankreport.text import (
    Caution,
    beside_check,
    both_ends,
    check_first,
    number,
    say,
    separated,
    tallied,
    visible,
)

LONGEST_TEXT = 200
"""The maximum length of a query's text in tables, in characters."""

LONGEST_ID = 60
"""The maximum length of the id of a query or a document."""

LONGEST_BRIEF = 90
"""The maximum length of a query's text on the first screen."""


Tone = Literal["better", "worse", "check", "open"]
"""What colour, sign and weight say: a gain, a loss, something to check first, or neither."""

TONE_OF: Mapping[int, Tone] = {1: "better", 0: "open", -1: "worse"}
"""The tone of a direction."""


def _check_interval(value: float | None, low: float | None, high: float | None) -> None:
    """Refuse a figure that is not finite, and an interval with one end."""
    if value is not None and not math.isfinite(value):
        raise ValueError(f"{value} where a finite number belongs")
    if (low is None) != (high is None):
        raise ValueError("an interval with one end")


@dataclass(frozen=True)
class Badge:
    """The answer in a word."""

    sign: str
    text: str
    tone: Tone
    seen_only: bool = False


@dataclass(frozen=True)
class Amount:
    """The main figure: a difference or a level, with what it is made of.

    Attributes
    ----------
    shown
        The figure, such as ``+0.129``.
    levels, interval
        What it is made of, and its interval or why there is none, in words.
    also
        The difference at equal depth, where lists are of unequal length.
    """

    shown: str
    levels: str
    interval: str
    tone: Tone
    also: str = ""

    @property
    def intervals(self) -> str:
        """The interval and the difference at equal depth, where both stand in one line."""
        return separated("; ", filter(None, (self.interval, self.also)))


@dataclass(frozen=True)
class IntervalStrip:
    """An interval to be drawn on a line.

    Attributes
    ----------
    measure
        The measure.
    value, low, high
        The figure and the ends of its interval, None where there are none.
    confidence
        The confidence of the interval.
    margin, limit
        The margin, and what a gate allows at the least or the most; None if not drawn.
    scale
        The ends of the axis of a level; None for a difference, whose axis includes 0.
    digits
        The decimals of the difference; None for as many as it needs.
    rare
        How far rare failures that the queries do not show reach; None if not drawn.
    decisive
        What decides on the limit of a gate, in words: its ends are drawn then.
    of_groups
        Whether the limit is of each group of queries.
    """

    measure: str
    value: float
    low: float | None
    high: float | None
    confidence: float
    tone: Tone
    margin: float | None = None
    limit: float | None = None
    scale: tuple[float, float] | None = None
    digits: int | None = None
    rare: float | None = None
    decisive: str = ""
    of_groups: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        _check_interval(self.value, self.low, self.high)
        if self.scale is not None and not self.scale[0] < self.scale[1]:
            raise ValueError("a scale whose ends are not in order")


@dataclass(frozen=True)
class WinBar:
    """The numbers of queries won, tied and lost, with the mean win and the mean loss."""

    wins: int
    ties: int
    losses: int
    mean_win: float | None
    mean_loss: float | None

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        if min(self.wins, self.ties, self.losses) < 0:
            raise ValueError("a negative number of queries")


@dataclass(frozen=True)
class Spread:
    """The values of a system over its queries.

    Attributes
    ----------
    measure
        The measure.
    values
        One value per query.
    scale
        The least and the greatest value of the measure.
    """

    measure: str
    values: tuple[float, ...]
    scale: tuple[float, float]

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        if not self.values or not -math.inf < self.scale[0] < self.scale[1] < math.inf:
            raise ValueError("values that have no distribution")

    def to_plain(self) -> dict[str, float]:
        """Return the number of values, their median, and how many are the least and greatest."""
        held = list(filter(math.isfinite, self.values))
        ends = zip(("n_least", "n_most"), self.scale, strict=True)
        known = {"median": statistics.median(held)} if held else {}
        return {"n": len(held), **known, **{name: held.count(end) for name, end in ends}}


@dataclass(frozen=True)
class ListedQuery:
    """A query of the list on the first screen, with a reason and a link to its documents.

    `system` is the system of which it is, where the list is of several.
    """

    amount: str
    query: str
    text: str
    why: str
    href: str
    tone: Tone
    system: str = ""

    @property
    def about(self) -> str:
        """The system, if the list is of several, and the reason."""
        if self.system and self.why:
            return say("{system}: {why}", system=self.system, why=self.why)
        return self.system or self.why

    @property
    def name(self) -> str:
        """The text of the query, or its id where the text is not known, truncated."""
        return visible(self.text, LONGEST_BRIEF) if self.text else both_ends(self.query, LONGEST_ID)


@dataclass(frozen=True)
class Standing:
    """A row of the leaderboard.

    Attributes
    ----------
    ranks
        The ranks that the intervals leave open, such as 1 to 4.
    levels
        The means by measure, formatted.
    best, same
        The indices of the measures of which it has the best mean, and of those of which it
        does not clearly differ from the best.
    shown, value, low, high
        The difference from the baseline; empty and None for the baseline, or without one.
    relative
        The difference in per cent of the baseline's level; may be empty.
    ends
        The interval in figures.
    on_judged, brief
        The difference on judged documents alone; a telephone shows `brief`, which says so.
    tally
        The numbers of queries on which it is better and worse than the baseline, such as ▲62 ▼31.
    n_skipped, skipped
        How many systems are left out above it that may be the best, and that may not; in words,
        which are empty if none is.
    """

    ranks: str
    system: str
    levels: tuple[str, ...]
    best: frozenset[int]
    same: frozenset[int]
    shown: str = ""
    relative: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    tone: Tone = "open"
    ends: str = ""
    on_judged: str = ""
    brief: str = ""
    tally: str = ""
    is_baseline: bool = False
    n_skipped: tuple[int, int] = (0, 0)
    skipped: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        _check_interval(self.value, self.low, self.high)


@dataclass(frozen=True)
class Board:
    """The leaderboard of the first screen.

    Attributes
    ----------
    measures
        Names of the measures, the primary one first.
    against
        What the intervals are of, in words; empty without differences.
    key
        How to read shades and ranks.
    confidence
        The confidence of the intervals.
    otherwise
        What the differences read otherwise are of, in words; empty without them.
    digits
        The decimals of the differences; None for as many as each needs.
    limits
        The differences that a gate allows, whose ends that decide are drawn.
    """

    measures: tuple[str, ...]
    rows: tuple[Standing, ...]
    against: str
    key: str
    confidence: float = 0.95
    otherwise: str = ""
    digits: int | None = None
    limits: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse rows that do not fit the measures."""
        n = len(self.measures)
        if n == 0 or any(len(row.levels) != n for row in self.rows):
            raise ValueError(f"a leaderboard whose rows do not have {n} measures")


@dataclass(frozen=True)
class ShownCaution:
    """A caution on the first screen: its title, and what was found in a sentence.

    A telephone shows `brief` in place of the sentence.
    """

    title: str
    text: str
    brief: str = ""


@dataclass(frozen=True)
class ListedSegment:
    """A segment of the queries that differs, or those too small to say: with figures in words."""

    title: str
    text: str
    tone: Tone


@dataclass(frozen=True)
class Screen:
    """The first screen: which is better, by how much, how sure, where it loses, what to do.

    Attributes
    ----------
    badges
        The verdict in a word, and the outcome of the gate.
    headline, plain
        The verdict in a sentence without figures, and in terms of what searchers see.
    detail
        Why the verdict is not clearer, and what the queries can detect; may be empty.
    amount, strip, bar
        The difference or level, its interval, and the numbers of queries won and lost.
    is_doubted
        Whether the difference is not valid, and is set small.
    spread
        The values of a system reported alone.
    board
        The leaderboard of several systems.
    judged
        The shares of judged documents, in a sentence.
    stops, looks, others
        The cautions to check first and those to look at, as far as there is room; and which others
        there are, in words.
    listed, queries, more
        The title of the list of queries, the queries, and the words of the link to all.
    action, notes
        What to do, and notes on it.
    measures
        Which measures other than the primary one rise and fall.
    segments
        The segments that differ beyond the margin, or otherwise than the verdict says, and those
        with too few queries to say.
    kinds
        The kind of query on which the system is worse, if one is established.
    since
        The difference from the last stored result, in a sentence; may be empty.
    """

    badges: tuple[Badge, ...]
    headline: str
    plain: str = ""
    detail: str = ""
    amount: Amount | None = None
    is_doubted: bool = False
    strip: IntervalStrip | None = None
    bar: WinBar | None = None
    spread: Spread | None = None
    board: Board | None = None
    judged: str = ""
    stops: tuple[ShownCaution, ...] = ()
    looks: tuple[ShownCaution, ...] = ()
    others: str = ""
    listed: str = ""
    queries: tuple[ListedQuery, ...] = ()
    more: str = ""
    href: str = ""
    action: str = ""
    notes: tuple[str, ...] = ()
    measures: str = ""
    segments: tuple[ListedSegment, ...] = ()
    kinds: tuple[ListedSegment, ...] = ()
    since: str = ""

    def __post_init__(self) -> None:
        """Refuse a screen without a verdict."""
        if not self.badges:
            raise ValueError("a screen without a badge")


@dataclass(frozen=True)
class MeasureRow:
    """A measure of a list: its name, the two means, and the difference with its interval."""

    name: str
    before: float | None
    after: float | None
    value: float
    low: float | None
    high: float | None
    tone: Tone

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        _check_interval(self.value, self.low, self.high)


@dataclass(frozen=True)
class Intervals:
    """The differences on several measures, or the levels, drawn as a list with intervals."""

    label: str
    intervals: tuple[MeasureRow, ...]
    confidence: float
    levels: bool = False


@dataclass(frozen=True)
class Picture:
    """A chart: its SVG, its description in a sentence, and its data.

    `narrow` is the SVG for a telephone, hidden by an attribute until a style sheet shows it.
    A page collapses it under the label `folded`, unless that is empty.
    """

    svg: str
    alt: str
    data: Table
    narrow: str = ""
    folded: str = ""

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
        The difference, and the scores of the baseline and the system. Without judgments, the share
        of documents that both have, and no scores.
    won
        Whether the system is better.
    brief
        Why, in a few words.
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
    brief: str
    documents: tuple[ListedDocument, ...]
    n_shown: int
    anchor: str
    opened: bool = False
    about: tuple[tuple[str, str], ...] = ()
    folded: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        """The rounded difference, or share."""
        return number(self.delta, signed=self.before is not None or self.after is not None)

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
class ChangeList:
    """The losses, or the wins, under a heading; the first are listed, the others folded."""

    id: str
    title: str
    changes: tuple[Change, ...]
    folded: str = ""
    n_first: int = 3


@dataclass(frozen=True)
class Drilldown:
    """Losses and wins of a system, query by query, with the documents of both systems.

    `words` explain the signs, and `notes` say what is not shown. Without judgments (not `graded`)
    there are no grades, losses and wins, but queries on which two rankings differ.
    """

    baseline: str
    system: str
    measure: str
    words: str
    sides: tuple[ChangeList, ...]
    notes: tuple[str, ...] = ()
    graded: bool = True


Part = Picture | Table | Drilldown | Intervals
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

    The page collapses all but the first paragraph under the label `folded`, or the whole section
    if that is its title; the JSON holds the figures. A section that `leads` stands on the first
    screen; one that is `linked` has a link at the top.
    """

    id: str
    title: str
    paragraphs: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    terms: tuple[Term, ...] = ()
    figures: tuple[Figures, ...] = ()
    folded: str = ""
    leads: bool = False
    linked: bool = False

    def __post_init__(self) -> None:
        """Refuse a section collapsed after a paragraph that it does not have."""
        if self.folded not in ("", self.title) and not self.paragraphs:
            raise ValueError(f"a section {self.id!r} folded after a paragraph, but without one")


@dataclass(frozen=True)
class Page:
    """The contents of a report.

    Attributes
    ----------
    title, date, extent
        What the report is about, its date, and its numbers of queries and systems.
    screen
        The first screen.
    verdict
        The verdict with its figures; None without a comparison.
    gate
        The outcome of the requirements in sentences; may be empty.
    cautions
        What to know before acting on the result, the worst first.
    names
        Each shortened name with the whole one.
    of_users
        Whether it is of users and items, and not of queries and documents.
    data
        The unrounded figures.
    """

    title: str
    date: str
    extent: str
    screen: Screen
    sections: tuple[Section, ...]
    provenance: tuple[tuple[str, str], ...]
    data: Mapping[str, Any]
    verdict: VerdictWords | None = None
    gate: str = ""
    cautions: tuple[Caution, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    of_users: bool = False

    @property
    def leading_section(self) -> Section | None:
        """The first section that leads; None where the first screen is a leaderboard."""
        return None if self.screen.board else next((s for s in self.sections if s.leads), None)

    @property
    def check(self) -> str:
        """What to check before acting on the result, in a text; may be empty."""
        return check_first(self.cautions)

    @property
    def tally(self) -> str:
        """The number of cautions of each severity, in words."""
        return tallied(self.cautions)

    @property
    def to_check(self) -> str:
        """The number of cautions that are more than notes, in words; may be empty."""
        return tallied(each for each in self.cautions if each.severity != "note")

    @property
    def warnings(self) -> tuple[str, ...]:
        """The cautions after their severity, without those in `check`."""
        return beside_check(self.cautions)
