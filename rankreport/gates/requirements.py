"""Requirements on differences, and reading them from text.

A requirement is on the difference of a measure, system minus baseline, not on its level: it then
applies to any set of queries, and the variance shared by both systems cancels.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, NamedTuple

from rankreport import evaluation as evaluations
from rankreport.errors import OptionError, expect, suggestion
from rankreport.measures import OF_ALL_USERS, RATES, Measure, of_all_users
from rankreport.statistics import AGGREGATES
from rankreport.text import say

INCONCLUSIVE = ("inconclusive", "pass", "fail")
"""The options for what an inconclusive outcome counts as."""

SCOPES = ("population", "these")
"""Of what a gate speaks: of all queries like these, or of these queries only."""

Outcome = Literal["pass", "fail", "inconclusive"]
"""The outcome of a requirement."""


OUTCOME_SIGNS: Mapping[Outcome, str] = MappingProxyType(
    {"pass": "✓", "inconclusive": "?", "fail": "✗"}
)
"""The sign of each outcome, from best to worst, so that none relies on colour."""


OUTCOME_WORDS: Mapping[Outcome, str] = MappingProxyType(
    {"pass": "passes", "inconclusive": "inconclusive", "fail": "fails"}
)
"""How a requirement ended, in a word."""


Kind = Literal["non-inferiority", "superiority", "equivalence"]

EXAMPLES = "'nDCG@10 > -0.01', 'RR@10 > 0' or 'abs(AP) < 0.02'"

LEVEL = 0.25
"""A threshold of this share of a measure's range or more is refused as a level."""

_SIGN = r"[<>]=?|(?<=\s)not (?:below|above)"
_REQUIREMENT = re.compile(rf"(?P<measure>.+?)\s*(?P<sign>{_SIGN})\s*(?P<threshold>[^<>=]+)")
_OF_GROUPS = re.compile(r"(?P<of>.+?)\s+in\s+(?P<which>every|any)\s+(?P<by>.+)")
_ABSOLUTE = re.compile(r"abs\s*\((?P<measure>.+)\)")
_AGGREGATE = re.compile(
    rf"(?P<aggregate>mean|{'|'.join(AGGREGATES)}|p\d[\d.]*)\s*\((?P<measure>.+)\)"
)


@dataclass(frozen=True)
class Requirement:
    """A requirement on the difference of one measure, of the means or of another aggregate.

    Attributes
    ----------
    text
        The requirement as given.
    measure
        The measure.
    kind
        ``"non-inferiority"``: it may be worse by less than a margin; ``"superiority"``: it must be
        better; ``"equivalence"``: it may change by less than a margin in either direction.
    threshold
        The threshold as given.
    rises
        Whether the difference must be above the threshold rather than below it.
    aggregate
        Of what it is the difference, as for `rankreport.Comparison.aggregates`, or ``"mean"``.
    by
        The column of the queries whose groups it is of; empty where it is of all queries.
    in_any
        Whether it passes unless a group is shown beyond the threshold, rather than if each passes.
    """

    text: str
    measure: Measure
    kind: Kind
    threshold: float
    rises: bool = True
    aggregate: str = "mean"
    by: str = ""
    in_any: bool = False

    @property
    def quantity(self) -> str:
        """The measure, and how it is aggregated unless by the mean, such as ``median(RR)``."""
        return self._of(str(self.measure))

    def _of(self, measure: str) -> str:
        return measure if self.aggregate == "mean" else f"{self.aggregate}({measure})"

    @property
    def is_of_all_users(self) -> bool:
        """Whether it is on a measure of all users at once, which no judgment changes."""
        return self.measure.name in OF_ALL_USERS

    @property
    def is_of_silence(self) -> bool:
        """Whether it is on whether something was returned, which no judgment or order changes."""
        return self.measure in RATES

    @property
    def words(self) -> str:
        """The requirement in words, such as ``nDCG@10 may fall by at most 0.01``."""
        if self.in_any:
            fields = {"measure": self._of(self.measure.shown), "limit": self.limit, "by": self.by}
            text = "{measure} must not be shown {side} {limit} in any {by}"
            return say(text, side=self._side, **fields)
        if self.by:
            return say("{requirement}, in every {by}", requirement=self._of_all, by=self.by)
        return self._of_all

    @property
    def none_shown(self) -> str:
        """That no group is shown beyond the threshold."""
        return say("no group shown {side}", side=self._side)

    @property
    def _side(self) -> str:
        if self.kind == "equivalence":
            return say("outside")
        return say("below") if self.rises else say("above")

    @property
    def _of_all(self) -> str:
        margin, named = self.in_unit(f"{abs(self.threshold):.6g}"), self.measure
        name = str(named) if self.unit else named.shown
        fields = {"measure": self._of(name), "margin": margin}
        if self.kind == "equivalence":
            return say("{measure} may change by less than {margin} in either direction", **fields)
        allows = self.kind == "non-inferiority"
        fields["move"] = say("rise") if self.rises != allows else say("fall")
        if allows:
            return say("{measure} may {move} by at most {margin}", **fields)
        if self.threshold:
            return say("{measure} must {move} by more than {margin}", **fields)
        return say("{measure} must {move}", **fields)

    @property
    def limit(self) -> str:
        """The threshold in figures, such as ``-0.01``, or ``±0.02`` for an equivalence."""
        sign = {"equivalence": "±"}.get(self.kind, "+" if self.threshold > 0 else "")
        return self.in_unit(f"{sign}{self.threshold:.6g}")

    @property
    def unit(self) -> str:
        """The unit of its figures, of a column of the user's own; empty if it has none."""
        return self.measure.declaration.unit

    def in_unit(self, figure: str) -> str:
        """Return a figure with the unit of the measure, if it has one, such as ``+12.3 ms``."""
        return f"{figure} {self.unit}".rstrip()

    def level(self, confidence: float) -> float:
        """Return the confidence of the two-sided interval that decides.

        A margin is compared with one end of the interval (or each end separately), so the interval
        consists of one-sided bounds.

        Examples
        --------
        >>> from rankreport.measures import RR
        >>> Requirement("RR > -0.01", RR, "non-inferiority", -0.01).level(0.95)
        0.9
        """
        return confidence if self.kind == "superiority" else round(2 * confidence - 1, 12)

    def judged(self, low: float, high: float) -> Outcome:
        """Return the outcome for an interval of the difference.

        An end equal to the threshold is inconclusive, even with ``>=``, so that ``> 0`` passes
        only where the verdict is better, and fails exactly where it is worse.

        Examples
        --------
        >>> from rankreport.measures import RR
        >>> required = Requirement("RR > -0.01", RR, "non-inferiority", -0.01)
        >>> required.judged(-0.005, 0.02), required.judged(-0.03, -0.02), required.judged(-1, 1)
        ('pass', 'fail', 'inconclusive')
        """
        if self.kind == "equivalence":
            inside = -self.threshold < low and high < self.threshold
            outside = high < -self.threshold or low > self.threshold
        else:
            inside = low > self.threshold if self.rises else high < self.threshold
            outside = high < self.threshold if self.rises else low > self.threshold
        if inside:
            return "pass"
        return "fail" if outside else "pass" if self.in_any else "inconclusive"

    def is_kept_unchanged(self, outcome: Outcome) -> bool:
        """Return whether an outcome holds however few queries changed: a pass within a margin."""
        return outcome == "pass" and self.kind != "superiority"


class _Parsed(NamedTuple):
    """A parsed requirement, with the fields of `Requirement`; its measure is still text."""

    text: str
    measure: str
    kind: Kind
    threshold: float
    rises: bool
    aggregate: str
    by: str
    in_any: bool


def measures_required(requirements: str | Iterable[str]) -> list[str]:
    """Return the distinct texts of the measures in requirements that are to be evaluated.

    Those of all users at once are computed from what was evaluated.

    Raises
    ------
    OptionError
        If there is no requirement, or one is invalid.

    Examples
    --------
    >>> measures_required(["nDCG(gain='exp')@10 > -0.01", "abs(AP) < 0.02"])
    ["nDCG(gain='exp')@10", 'AP']
    """
    parsed = _parse_all(requirements)
    return list(dict.fromkeys(each.measure for each in parsed if not of_all_users(each.measure)))


def read_requirements(
    requirements: str | Iterable[str], evaluation: evaluations.Evaluation
) -> tuple[Requirement, ...]:
    """Read requirements on evaluated measures.

    Parameters
    ----------
    requirements
        One or several.
    evaluation
        The evaluation, whose profile applies to names of measures.

    Raises
    ------
    MeasureError
        If a measure is unknown.
    OptionError
        If there is no requirement, one is invalid or looks like a level, two are the same, or a
        measure was not evaluated.

    Examples
    --------
    >>> import rankreport as rr
    >>> evaluation = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d1": 2.0}}}, ["RR", "AP"])
    >>> [each.words for each in read_requirements(["RR > -0.01", "AP > 0"], evaluation)]
    ['RR may fall by at most 0.01', 'AP must rise']
    """
    read = tuple(_read(each, evaluation) for each in _parse_all(requirements))
    seen: dict[Requirement, str] = {}
    for each in read:
        if first := seen.get(replace(each, text="")):
            raise OptionError(f"{first!r} and {each.text!r} require the same; give one.")
        seen[replace(each, text="")] = each.text
    return read


def _parse_all(requirements: str | Iterable[str]) -> list[_Parsed]:
    expect(requirements, (Iterable,), f"Requirements are texts such as {EXAMPLES}")
    given = [requirements] if isinstance(requirements, str) else list(requirements)
    if not given:
        raise OptionError(f"No requirement given; give one or more, such as {EXAMPLES}.")
    return [_parse(each) for each in given]


def _parse(text: str) -> _Parsed:
    expect(text, (str,), f"A requirement is a text such as {EXAMPLES}")
    of_groups = _OF_GROUPS.fullmatch(text.strip())
    whole = _REQUIREMENT.fullmatch(of_groups["of"] if of_groups else text.strip())
    if whole is None:
        raise OptionError(
            f"{text!r} is not a requirement: expected a measure, one of > >= < <=, and a number, "
            f"such as {EXAMPLES}."
        )
    threshold = _number(whole["threshold"], text)
    rises, in_any = whole["sign"].startswith((">", "not b")), whole["sign"].startswith("not")
    by, absolute = of_groups["by"] if of_groups else "", _ABSOLUTE.fullmatch(whole["measure"])
    if in_any != (of_groups is not None and of_groups["which"] == "any"):
        measure, limit, of = whole["measure"], whole["threshold"].strip(), by or "COLUMN"
        above = rises and not absolute
        raise OptionError(
            f"{text!r} is not a valid requirement: expected "
            f"'{measure} {'>' if above else '<'} {limit} in every {of}', of each group of the "
            f"queries, or '{measure} not {'below' if above else 'above'} {limit} in any {of}', "
            f"which fails where a group is shown to be."
        )
    if absolute is not None and (rises or threshold <= 0):
        raise OptionError(
            f"{text!r} is not a valid requirement: abs() is for equivalence, which takes < and a "
            f"margin above 0, such as 'abs(AP) < 0.02'."
        )
    written = (absolute or whole)["measure"].strip()
    of = _AGGREGATE.fullmatch(written)
    aggregate, measure = of.group("aggregate", "measure") if of else ("mean", written)
    kind: Kind = "equivalence" if absolute else "superiority"
    if not absolute and (in_any or (threshold < 0 if rises else threshold > 0)):
        kind = "non-inferiority"
    rises |= absolute is not None
    return _Parsed(text.strip(), measure.strip(), kind, threshold, rises, aggregate, by, in_any)


def _number(written: str, text: str) -> float:
    try:
        number = float(written)
    except ValueError:
        raise OptionError(
            f"In {text!r}, {written.strip()!r} is not a number: expected one in the measure's "
            f"unit, such as {EXAMPLES}."
        ) from None
    if not math.isfinite(number):
        raise OptionError(f"In {text!r}, {written.strip()!r} is not finite.")
    return number + 0.0  # no negative zero


def _read(parsed: _Parsed, evaluation: evaluations.Evaluation) -> Requirement:
    measure = of_all_users(parsed.measure)
    if measure is None:
        measure = _evaluated(parsed, evaluation)
    elif parsed.aggregate != "mean":
        sign = ">" if parsed.rises else "<"
        raise OptionError(
            f"{parsed.text!r}: {measure} is one value of all users. Require "
            f"'{measure} {sign} {parsed.threshold:g}'."
        )
    _check_is_no_level(parsed, measure)
    return Requirement(parsed.text, measure, *parsed[2:])


def _evaluated(parsed: _Parsed, evaluation: evaluations.Evaluation) -> Measure:
    """Return the measure that was evaluated."""
    measures = evaluations.measures_named(evaluation, parsed.measure)
    if len(measures) > 1:
        raise OptionError(f"{parsed.text!r} names several measures; give one requirement for each.")
    [measure] = measures
    if measure not in evaluation.measures:
        known = [str(each) for each in evaluation.measures]
        near = suggestion(str(measure), known)
        hint = f" {near}" if near.startswith("Did") else ""
        raise OptionError(
            f"{parsed.text!r} is of {measure}, which was not evaluated. Evaluated: "
            f"{', '.join(known)}; evaluate {measure} too.{hint}"
        )
    return next(each for each in evaluation.measures if each == measure)


def _check_is_no_level(parsed: _Parsed, measure: Measure) -> None:
    """Check that the threshold is not so large that it must be meant as a level."""
    lowest, highest = measure.declaration.range
    if lowest is None or highest is None:
        return
    limit = LEVEL * (highest - lowest)
    if abs(parsed.threshold) >= limit:
        raise OptionError(
            f"{parsed.text!r} requires a difference, system minus baseline, and "
            f"{abs(parsed.threshold):g} looks like a level of {measure}, which lies between "
            f"{lowest:g} and {highest:g}. Expected a threshold nearer to 0 than {limit:g}, such as "
            f"'{measure} > -0.01'."
        )
