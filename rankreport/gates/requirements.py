"""Requirements: what a difference must be for a change to pass, read from text.

A requirement is of the difference of a measure, system minus baseline, and never of its level: the
same requirement then holds on every set of queries, and the noise that both systems share cancels.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from rankreport.errors import OptionError, expect, suggestion
from rankreport.evaluation import Evaluation, chosen_measures
from rankreport.measures import Measure
from rankreport.text import say

__all__ = [
    "OUTCOME_SIGNS",
    "Kind",
    "Outcome",
    "Requirement",
    "measures_required",
    "read_requirements",
]


Outcome = Literal["pass", "fail", "inconclusive"]
"""The outcome of a requirement."""


OUTCOME_SIGNS: Mapping[Outcome, str] = MappingProxyType(
    {"pass": "✓", "fail": "✗", "inconclusive": "?"}
)
"""The sign of each outcome, so that none relies on colour."""


Kind = Literal["non-inferiority", "superiority", "equivalence"]

EXAMPLES = "'nDCG@10 > -0.01', 'RR@10 > 0' or 'abs(AP) < 0.02'"

LEVEL = 0.25
"""A threshold of this share of a measure's range or more is refused as a level."""

_REQUIREMENT = re.compile(r"(?P<measure>.+?)\s*(?P<sign>[<>]=?)\s*(?P<threshold>[^<>=]+)")
_ABSOLUTE = re.compile(r"abs\s*\((?P<measure>.+)\)")


@dataclass(frozen=True)
class Requirement:
    """What the mean difference of one measure must be.

    Attributes
    ----------
    text
        As it was given.
    measure
        Of which the difference is judged.
    kind
        ``"non-inferiority"``: it may be worse, by a margin; ``"superiority"``: it must be better;
        ``"equivalence"``: it may change either way, by a margin.
    threshold
        The number given.
    rises
        Whether the difference must lie above the threshold, and not below it.
    """

    text: str
    measure: Measure
    kind: Kind
    threshold: float
    rises: bool = True

    @property
    def words(self) -> str:
        """What is required, such as ``nDCG@10 may fall by at most 0.01``."""
        fields = {"measure": self.measure, "margin": f"{abs(self.threshold):.6g}"}
        match self.kind, self.rises:
            case "equivalence", _:
                return say(
                    "{measure} may change by less than {margin} in either direction", **fields
                )
            case "non-inferiority", True:
                return say("{measure} may fall by at most {margin}", **fields)
            case "non-inferiority", False:
                return say("{measure} may rise by at most {margin}", **fields)
            case _, True:
                by = say("{measure} must rise by more than {margin}", **fields)
                return by if self.threshold else say("{measure} must rise", **fields)
            case _:
                by = say("{measure} must fall by more than {margin}", **fields)
                return by if self.threshold else say("{measure} must fall", **fields)

    def level(self, confidence: float) -> float:
        """Return the confidence of the two-sided interval that decides.

        A margin is held against one end of the interval alone, or against each end in turn, so the
        interval may miss on either side as often as a one-sided one does.

        Examples
        --------
        >>> from rankreport.measures import RR
        >>> Requirement("RR > -0.01", RR, "non-inferiority", -0.01).level(0.95)
        0.9
        """
        return confidence if self.kind == "superiority" else round(2 * confidence - 1, 12)

    def judged(self, low: float, high: float) -> Outcome:
        """Return what an interval of the difference says.

        An end that touches the threshold decides nothing, whether equality was allowed or not: so
        ``> 0`` passes and fails where the verdict is better and worse, and nowhere else.

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
        return "fail" if outside else "inconclusive"


class _Written(NamedTuple):
    """A requirement taken apart, its measure not yet read."""

    text: str
    measure: str
    rises: bool | None  # None where either way is meant
    threshold: float


def measures_required(requirements: str | Iterable[str]) -> list[str]:
    """Return the texts of the measures that requirements are of, each once.

    Raises
    ------
    OptionError
        If there is no requirement, or one cannot be read.

    Examples
    --------
    >>> measures_required(["nDCG(gain='exp')@10 > -0.01", "abs(AP) < 0.02"])
    ["nDCG(gain='exp')@10", 'AP']
    """
    return list(dict.fromkeys(each.measure for each in _all_written(requirements)))


def read_requirements(
    requirements: str | Iterable[str], evaluation: Evaluation
) -> tuple[Requirement, ...]:
    """Read requirements, of measures that were evaluated.

    Parameters
    ----------
    requirements
        One or several.
    evaluation
        What they are required of; its profile's names of measures are read under it.

    Raises
    ------
    MeasureError
        If a measure is not known.
    OptionError
        If there is no requirement, one cannot be read or asks for what no difference can be, two
        ask the same, or a measure was not evaluated.

    Examples
    --------
    >>> import rankreport as rr
    >>> evaluation = rr.evaluate({"q1": {"d1": 1}}, {"mine": {"q1": {"d1": 2.0}}}, ["RR", "AP"])
    >>> [each.words for each in read_requirements(["RR > -0.01", "AP > 0"], evaluation)]
    ['RR may fall by at most 0.01', 'AP must rise']
    """
    read = tuple(_read(each, evaluation) for each in _all_written(requirements))
    seen: dict[tuple[str, Kind, float, bool], str] = {}
    for each in read:
        key = (str(each.measure), each.kind, each.threshold, each.rises)
        if key in seen:
            raise OptionError(f"{seen[key]!r} and {each.text!r} require the same; give one.")
        seen[key] = each.text
    return read


def _all_written(requirements: str | Iterable[str]) -> list[_Written]:
    expect(requirements, (Iterable,), f"Requirements are texts such as {EXAMPLES}")
    given = [requirements] if isinstance(requirements, str) else list(requirements)
    if not given:
        raise OptionError(f"No requirement given; give one or more, such as {EXAMPLES}.")
    return [_taken_apart(each) for each in given]


def _taken_apart(text: str) -> _Written:
    expect(text, (str,), f"A requirement is a text such as {EXAMPLES}")
    whole = _REQUIREMENT.fullmatch(text.strip())
    if whole is None:
        raise OptionError(
            f"{text!r} is not a requirement: expected a measure, one of > >= < <=, and a number, "
            f"such as {EXAMPLES}."
        )
    threshold = _number(whole["threshold"], text)
    rises = whole["sign"].startswith(">")
    absolute = _ABSOLUTE.fullmatch(whole["measure"])
    if absolute is None:
        return _Written(text.strip(), whole["measure"], rises, threshold)
    if rises or threshold <= 0:
        raise OptionError(
            f"{text!r} is not a valid requirement: abs() is for equivalence, which takes < and a "
            f"margin above 0, such as 'abs(AP) < 0.02'."
        )
    return _Written(text.strip(), absolute["measure"].strip(), None, threshold)


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


def _read(written: _Written, evaluation: Evaluation) -> Requirement:
    measures = chosen_measures(written.measure, evaluation.settings)
    if len(measures) > 1:
        raise OptionError(
            f"{written.text!r} names several measures; give one requirement for each."
        )
    measure = measures[0]
    _check_was_evaluated(written, measure, evaluation)
    _check_is_no_level(written, measure)
    threshold, rises = written.threshold, written.rises
    if rises is None:
        return Requirement(written.text, measure, "equivalence", threshold)
    allows_worse = threshold < 0 if rises else threshold > 0
    kind: Kind = "non-inferiority" if allows_worse else "superiority"
    return Requirement(written.text, measure, kind, threshold, rises)


def _check_was_evaluated(written: _Written, measure: Measure, evaluation: Evaluation) -> None:
    """Refuse a measure of which there are no scores, in the words that were written."""
    if measure not in evaluation.measures:
        known = [str(each) for each in evaluation.measures]
        near = suggestion(str(measure), known)
        hint = f" {near}" if near.startswith("Did") else ""
        raise OptionError(
            f"{written.text!r} is of {measure}, which was not evaluated. Evaluated: "
            f"{', '.join(known)}; evaluate {measure} too.{hint}"
        )


def _check_is_no_level(written: _Written, measure: Measure) -> None:
    """Refuse a threshold so far from 0 that it was meant for the measure, not its difference."""
    lowest, highest = measure.declaration.range
    if lowest is None or highest is None:
        return
    limit = LEVEL * (highest - lowest)
    if abs(written.threshold) >= limit:
        raise OptionError(
            f"{written.text!r} requires a mean difference, system minus baseline, and "
            f"{abs(written.threshold):g} looks like a level of {measure}, which lies between "
            f"{lowest:g} and {highest:g}. Expected a threshold nearer to 0 than {limit:g}, such as "
            f"'{measure} > -0.01'."
        )
