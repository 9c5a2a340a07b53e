"""Whether a requirement is met, and what decides: the numbers of one requirement on one pair.

An outcome depends only on the interval, with ends that allow for rare failures: with too few
changed queries nothing is superior and nothing fails.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from rankreport.comparison import Basis, Difference, JudgedDifference, Unallowed, Unseen
from rankreport.gates.requirements import OUTCOME_SIGNS, Outcome, Requirement


class Unchanged(NamedTuple):
    """What a group would show if nothing had changed, by a normal approximation.

    Attributes
    ----------
    passes
        How often it would pass.
    lacks
        How many more queries it needs, roughly, to pass in 80 % of samples; 0 if that is not known.
    """

    passes: float
    lacks: int


@dataclass(frozen=True)
class FindingValues:
    """The numbers of a `Finding`, and what they decide.

    Attributes
    ----------
    requirement
        What is required.
    difference
        What the comparison found of the candidate on the requirement's measure.
    ci_low, ci_high
        The ends that decide, or None: of ``requirement.level`` of the comparison's confidence,
        which may be another than the difference's own. They allow for rare failures where a query
        can change by no more than is known.
    own
        The ends of the interval alone.
    unseen
        What the queries leave possible on the side that decides; None where `unallowed`.
    unallowed
        Why rare failures are not allowed for: a key of `WHY_UNALLOWED`, empty where they are.
    identical
        Whether both systems returned the same lists.
    scope
        Of what the outcome speaks: a name from `SCOPES`.
    on_judged
        The difference on judged documents alone, where it says otherwise.
    judged
        The difference by people and by a model, where both judged.
    doubt
        Why neither a pass nor a fail counts: the data leave it open.
    group
        The group of queries that it is of, such as an intent; of a requirement on groups, the worst
        one.
    groups
        The findings on all groups, where it is on them.
    unchanged
        What the group would show if nothing had changed.
    all_unchanged
        How often all groups would then pass; None if that is not known of each.
    """

    requirement: Requirement
    difference: Difference
    ci_low: float | None
    ci_high: float | None
    own: tuple[float | None, float | None] = (None, None)
    unseen: Unseen | None = None
    unallowed: Unallowed = ""
    identical: bool = False
    scope: str = "population"
    on_judged: Difference | None = None
    judged: JudgedDifference | None = None
    doubt: Basis | None = None
    group: str = ""
    groups: tuple[FindingValues, ...] = ()
    unchanged: Unchanged | None = None
    all_unchanged: float | None = None

    @property
    def outcome(self) -> Outcome:
        """Whether the requirement passes, fails, or is inconclusive."""
        return "inconclusive" if self.is_doubted else self.by_figures

    @property
    def decided_by(self) -> str:
        """What the outcome rests on.

        The ``interval``; ``rare_failures``, where the interval alone would decide otherwise; that
        too few queries changed (``too_few_changed``), or that there are too few
        (``too_few_queries``); that the results are identical (``identical_results``); the observed
        mean of ``these_queries``; that there is ``no_interval``, or no query with both values
        (``no_value``). Where the figures would pass or fail, that ``unjudged`` documents, ``ties``
        or the ``depth`` of lists could decide, that most of the difference comes from queries that
        one system did not answer (``missing``), or that the ``data`` are to be checked.
        """
        if self.doubt is not None and self.is_doubted:
            return self.doubt.value
        return self.decided_by_figures

    @property
    def is_doubted(self) -> bool:
        """Whether the figures would pass or fail, but do not count."""
        return self.doubt is not None and self.by_figures != "inconclusive"

    @property
    def is_open_by_data(self) -> bool:
        """Whether it is inconclusive for another reason than that the queries are too few."""
        return self.doubt is not None or self.difference.n_queries == 0

    @property
    def by_figures(self) -> Outcome:
        """The outcome by the figures alone."""
        return self._by_figures[1]

    @property
    def decided_by_figures(self) -> str:
        """What the outcome by the figures alone rests on."""
        return self._by_figures[0]

    @property
    def _by_figures(self) -> tuple[str, Outcome]:
        """What the figures rest on, and the outcome that they give."""
        required, difference, ends = self.requirement, self.difference, self.ends
        is_open: Outcome = "pass" if required.in_any else "inconclusive"
        if difference.n_queries == 0:
            return "no_value", "inconclusive"
        judged = is_open if ends is None else required.judged(*ends)
        if self.scope == "these":
            return "these_queries", judged if judged == "pass" or ends is None else "fail"
        if self.identical:
            return "identical_results", is_open if required.kind == "superiority" else "pass"
        if ends is None:
            return "no_interval", is_open
        decides = judged != "inconclusive" and not required.is_kept_unchanged(judged)
        if decides and difference.has_few_changed:
            few = "too_few_queries" if difference.has_few_queries else "too_few_changed"
            return few, is_open
        alone = self.by_interval
        is_turned = difference.n_changed == 0 if alone is None else alone != judged
        return "rare_failures" if is_turned else "interval", judged

    @property
    def by_interval(self) -> Outcome | None:
        """The outcome by the interval alone; None where there is none."""
        low, high = self.own
        return None if low is None or high is None else self.requirement.judged(low, high)

    @property
    def ends(self) -> tuple[float, float] | None:
        """The ends that decide, of these queries only the difference itself; None without any."""
        low, high = self.ci_low, self.ci_high
        if self.scope == "these":
            low = high = self.difference.delta
        return None if low is None or high is None else (low, high)

    @property
    def confidence(self) -> float:
        """The confidence of the two-sided interval that decides."""
        return self.requirement.level(self.difference.confidence)

    @property
    def decides_below(self) -> bool:
        """Whether it is the lower end that decides or could, by the interval alone.

        For equivalence, that is the end on the side of a difference that is too large; otherwise
        the lower one unless it lies within the threshold.
        """
        required, fails = self.requirement, self.by_interval == "fail"
        if required.kind != "equivalence":
            return required.rises != (fails or required.in_any)
        if fails:
            return (self.own[0] or 0.0) > 0
        return self.ci_low is None or self.ci_low <= -required.threshold

    @property
    def decisive(self) -> tuple[float | None, float | None]:
        """The ends that decide or would: the other one of a one-sided bound is infinite.

        They are None where something else decides.
        """
        low, high = self.ci_low, self.ci_high
        if self.decided_by_figures in {"identical_results", "these_queries"} or low is None:
            return None, None
        if self.requirement.kind != "non-inferiority":
            return low, high
        return (low, math.inf) if self.decides_below else (-math.inf, high)

    @property
    def allows_for_rare(self) -> bool:
        """Whether an end decides or would, and allows for rare failures.

        With a model's judgments it allows for the model's largest error instead.
        """
        decides = self.unseen is not None and self.decisive != (None, None)
        return decides and self.judged_by != "both"

    @property
    def limits(self) -> tuple[float, ...]:
        """The differences at which the requirement ends, but for 0."""
        limit = self.requirement.threshold
        return (-limit, limit) if self.requirement.kind == "equivalence" else (limit,) * bool(limit)

    @property
    def judged_by(self) -> Literal["both", "people"] | None:
        """Whose judgments decide where a model and people judged; None of other judgments."""
        if self.judged is None:
            return None
        return "people" if self.judged.combined is None or self.scope == "these" else "both"

    @property
    def n_compared(self) -> int:
        """Of how many queries it is known whether they changed: with a model, those of people."""
        return self.difference.n_queries if self.judged is None else self.judged.n

    @property
    def lacks(self) -> int:
        """How many queries an inconclusive group lacks, roughly; 0 if that is not known."""
        is_short = self.outcome == "inconclusive" and not self.is_open_by_data
        return self.unchanged.lacks if is_short and self.unchanged else 0


WORST_LAST = tuple(OUTCOME_SIGNS)
"""Outcomes from best to worst; the worst of several counts."""

_Found = TypeVar("_Found", bound=FindingValues)


def worst(findings: Iterable[FindingValues]) -> Outcome:
    """Return the worst outcome of several findings."""
    return max((each.outcome for each in findings), key=WORST_LAST.index)


def worst_first(findings: Iterable[_Found]) -> Sequence[_Found]:
    """Return findings by their outcomes, the worst first, and otherwise in the order given."""
    return sorted(findings, key=lambda each: WORST_LAST.index(each.outcome), reverse=True)
