"""What a forest shows, in words: its axis, each of its rows, and the sentence on all of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankreport.charts.chart import BLUE, NO_VALUE_FOR_BOTH, VERMILLION
from rankreport.charts.sentences import FEW, sentence_of
from rankreport.errors import choose
from rankreport.rendering.language import say
from rankreport.rendering.svg import INK
from rankreport.rendering.text import decimals, listed, number, short, signed, strung

NUMBERS = ("delta", "ci_low", "ci_high")


@dataclass(frozen=True)
class Finding:
    """How a finding is told of a system and in a count, what is printed, and how it looks."""

    told: str
    counted: str
    printed: str = ""
    color: str = INK
    marker: str = "o"
    sized: bool = True


_HIGHER, _LOWER = "higher in {measures}", "lower in {measures}"
_ABOVE, _BELOW = "{n} above zero", "{n} below zero"

_SIDES = {
    "high": (
        Finding(_HIGHER, _ABOVE, color=BLUE, marker=">"),
        Finding(_LOWER, _BELOW, color=VERMILLION, marker="<"),
    ),
    "low": (
        Finding(
            "higher, which is worse, in {measures}",
            "{n} above zero (worse)",
            "worse",
            color=VERMILLION,
            marker=">",
        ),
        Finding(
            "lower, which is better, in {measures}",
            "{n} below zero (better)",
            "better",
            color=BLUE,
            marker="<",
        ),
    ),
    "neither": (Finding(_HIGHER, _ABOVE, marker=">"), Finding(_LOWER, _BELOW, marker="<")),
}
"""What is found above zero, and what below, by which of a measure is better."""

ACROSS = Finding("not clearly different in {measures}", "{n} across zero")
_TOO_FEW = Finding(
    "undecided, as too few queries changed, in {measures}",
    "{n} undecided as too few queries changed",
    "too few changed",
)
_UNCHANGED = Finding(
    "unchanged in {measures}",
    "{n} missing as no query changed",
    "no query changed",
    sized=False,
)
_NO_INTERVAL = Finding(
    "without an interval in {measures}", "{n} missing as no difference varies", "no interval"
)
_UNDEFINED = Finding(
    "undefined in {measures}",
    "{n} missing as the difference is undefined",
    "no value for both",
    sized=False,
)

FINDINGS = (
    *(side for sides in _SIDES.values() for side in sides),
    *(ACROSS, _TOO_FEW, _UNCHANGED, _NO_INTERVAL, _UNDEFINED),
)
"""What may be found, in the order in which it is counted."""


@dataclass(frozen=True)
class Row:
    """A row of the frame, and what it says."""

    system: str
    measure: str
    delta: float | None
    low: float | None
    high: float | None
    finding: Finding

    @classmethod
    def of(cls, row: Mapping[str, Any], min_changed: int) -> "Row":
        """Read a row of the frame."""
        delta, low, high = (row[column] for column in NUMBERS)
        n_changed = row.get("n_changed")
        telling = row.get("n_telling", n_changed)
        enough = telling is None or telling >= min_changed
        sides = _SIDES[row.get("better", "high")]
        finding = _finding(delta, low, high, n_changed, sides=sides, enough=enough)
        return cls(row["system"], row["measure"], delta, low, high, finding)

    def lies_within(self, margin: float) -> bool:
        """Tell whether every difference as large as a margin is left out.

        That is so also where no query changed: there is no interval then, and nothing to fear.
        """
        if self.finding is _UNCHANGED:
            return True
        if self.low is None or self.high is None:
            return False
        return -margin < self.low and self.high < margin

    @property
    def printed(self) -> str:
        """The numbers as they stand beside the row, and what hinders a finding."""
        figures = (self.delta, self.low, self.high)
        digits = decimals(*figures, least=4)
        delta, low, high = (number(figure, digits, signed=True) for figure in figures)
        interval = "" if None in (self.low, self.high) else f"[{low}, {high}]"
        printed = self.finding.printed and say(self.finding.printed)
        return " ".join(filter(None, [delta, interval, printed]))


def _finding(
    delta: float | None,
    low: float | None,
    high: float | None,
    n_changed: int | None,
    *,
    sides: tuple[Finding, Finding],
    enough: bool,
) -> Finding:
    if delta is None:
        return _UNDEFINED
    if n_changed == 0 or (n_changed is None and delta == 0 and low is None):
        return _UNCHANGED
    if not enough:
        return _TOO_FEW
    if low is None or high is None:
        return _NO_INTERVAL
    above, below = sides
    return above if low > 0 else below if high < 0 else ACROSS


def side_of(delta: float, better: str) -> Finding:
    """Return what is found where an interval leaves out zero."""
    above, below = _SIDES[choose("better", better, _SIDES)]
    return above if delta > 0 else below


def axis_name(baseline: str | None, confidence: str, margin: float | None) -> str:
    """Name the axis, and the lines that mark a margin."""
    axis = say("difference, with its {confidence} interval", confidence=confidence)
    if baseline is not None:
        axis = say(
            "difference to {baseline}, with its {confidence} interval",
            baseline=short(baseline),
            confidence=confidence,
        )
    if margin is None:
        return axis
    margins = say(
        "dashed lines: {margin}, the margin of what would not matter", margin=_exact(margin)
    )
    return f"{axis}\n{margins}"


def _head(baseline: str | None, confidence: str, part: tuple[int, int]) -> str:
    """Say what is drawn, and which part of it."""
    head = say("Difference with {confidence} intervals", confidence=confidence)
    if baseline is not None:
        head = say(
            "Difference to {baseline} with {confidence} intervals",
            baseline=short(baseline),
            confidence=confidence,
        )
    place, n = part
    return head if n == 1 else say("{head}, {place} of {n}", head=head, place=place, n=n)


def _exact(margin: float) -> str:
    """Write a margin with the decimals that it has."""
    return f"±{margin:.10f}".rstrip("0").rstrip(".")


def _within(rows: Sequence[Row], margin: float) -> str:
    """Count the rows that lie between the margins, or say it of the only one."""
    n = sum(row.lies_within(margin) for row in rows)
    told = {"n": n, "all": len(rows), "margin": _exact(margin)}
    if len(rows) == 1:
        if rows[0].finding is _UNCHANGED:
            return say("that lies within the margin of {margin}", margin=told["margin"])
        if rows[0].low is None:
            return ""
        if n == 1:
            return say("the interval lies within the margin of {margin}", margin=told["margin"])
        return say("the interval does not lie within the margin of {margin}", margin=told["margin"])
    if n == 1:
        return say("{n} of {all} lies within the margin of {margin}", **told)
    return say("{n} of {all} lie within the margin of {margin}", **told)


def forest_in_words(
    rows: Sequence[Row],
    *,
    baseline: str | None,
    confidence: str,
    margin: float | None,
    part: tuple[int, int],
) -> str:
    """Say what is shown of these rows, which are one part of so many."""
    clauses = [*_clauses(rows)]
    if margin is not None:
        clauses.append(_within(rows, margin))
    return sentence_of(_head(baseline, confidence, part), clauses)


def _clauses(rows: Sequence[Row]) -> Iterator[str]:
    """Tell few rows by system, and count many."""
    if not rows:
        yield say(NO_VALUE_FOR_BOTH)
    if len(rows) > FEW:
        found = Counter(row.finding.counted for row in rows)
        words = dict.fromkeys(each.counted for each in FINDINGS)
        tally = [say(each, n=found[each]) for each in words if each in found]
        yield say("of {n} intervals there are {tally}", n=len(rows), tally=listed(tally))
        return
    for system in dict.fromkeys(row.system for row in rows):
        found_of = _told([row for row in rows if row.system == system])
        yield say("{system} is {found}", system=short(system), found=found_of)


def _told(rows: Sequence[Row]) -> str:
    """Say of one system's rows what was found in which measures."""
    measures: dict[Finding, list[str]] = {}
    for row in rows:
        told = short(row.measure)
        if row.finding.sized:
            size = signed(row.delta, row.low, row.high)
            told = say("{measure} ({size})", measure=told, size=size)
        measures.setdefault(row.finding, []).append(told)
    *others, last = (say(found.told, measures=listed(named)) for found, named in measures.items())
    return say("{first} and {then}", first=strung(others), then=last) if others else last
