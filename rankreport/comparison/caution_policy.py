"""Which finding makes another one needless, and where: one list of rules.

What is decided comes first, of numbers alone: the word. Findings follow, whose severity may depend
on the word of the leading pair; then the action, which depends on the severities. A rule hides a
finding, or demotes it, where the word or another finding says more.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from rankreport.comparison.pairs import Pair
from rankreport.text import Caution, Severity

if TYPE_CHECKING:
    from rankreport.comparison.decision import PairDecision
    from rankreport.comparison.difference import Difference

Where = Literal["data", "everywhere", "action", "row", "ranks", "screen"]
"""Where a rule applies.

- ``data``: cautions on the data, wherever a comparison shows them
- ``everywhere``: cautions on differences
- ``action``: the severity and the action of one pair
- ``row``: the table, whose rows have figures of their own
- ``ranks``: a leaderboard, which shows no p-values
- ``screen``: the first screen
"""


@dataclass(frozen=True)
class Known:
    """What decides whether a finding is needless.

    Attributes
    ----------
    found
        The other findings.
    differences
        The differences on the primary measure; of an action, that of its pair alone.
    alike
        The pairs whose systems have the same value of every measure for every query.
    by_model
        Whether a model judged too.
    lists_segments
        Whether the screen lists the segments that differ.
    """

    found: Sequence[Caution] = ()
    differences: Sequence[Difference] = ()
    alike: Container[Pair] = ()
    by_model: bool = False
    lists_segments: bool = False

    def shown(self, found: Iterable[Caution], where: Where) -> tuple[Caution, ...]:
        """Return those of the findings that a place shows, with the severity that they have there.

        Examples
        --------
        >>> one_sided = Caution("one_sided", "stop", "Most of it comes from a few queries.")
        >>> unanswered = Caution("unanswered", "stop", "a answered only 3 of 9 queries.")
        >>> known = Known([unanswered])
        >>> [each.severity for each in known.shown([one_sided], "everywhere")]
        ['look']
        >>> known.shown([one_sided, unanswered], "screen") == (unanswered,)
        True
        """
        shown = tuple(found)
        for rule in POLICY:
            if rule.where == where:
                applies = [each.code in rule.codes and rule.condition(each, self) for each in shown]
                each_with = zip(shown, applies, strict=True)
                if rule.effect == "hide":
                    shown = tuple(each for each, hidden in each_with if not hidden)
                else:
                    shown = tuple(
                        replace(each, severity="look") if down else each for each, down in each_with
                    )
        return shown

    def has(self, code: str | None = None, severity: Severity | None = None) -> bool:
        """Return whether there is a finding of a code, or of any, and of a severity, or of any."""
        return any(
            code in {None, each.code} and severity in {None, each.severity} for each in self.found
        )


Condition = Callable[[Caution, Known], bool]


class Rule(NamedTuple):
    """What happens to findings of some codes under a condition."""

    where: Where
    effect: Literal["hide", "demote"]
    codes: tuple[str, ...]
    condition: Condition


def _is_compared(caution: Caution, known: Known) -> bool:
    """Whether each of these equal systems is compared with another of them.

    Identical scores are then a caution of the comparison; scores that differ show that the measure
    looks at scores and not at places.
    """
    [group] = caution.concerns
    covered: set[str] = set()
    for found in known.differences:
        pair = {*found.pair}
        if pair <= {*group} and (found.pair in known.alike or found.n_changed):
            covered |= pair
    return covered == {*group}


def _is_of_unequal_depth(caution: Caution, known: Known) -> bool:
    """Whether the comparison at equal depth says which lists of these systems are cut."""
    unequal = [each for each in known.differences if each.at_depth is not None]
    compared = {name for each in unequal for name in (each.system, each.baseline)}
    return all(compared.issuperset(each) for each in caution.concerns)


POLICY: tuple[Rule, ...] = (
    # Figures on judged documents alone say more.
    Rule(
        "data",
        "hide",
        ("hardly_judged", "unevenly_judged"),
        lambda _, known: any(each.on_judged is not None for each in known.differences),
    ),
    Rule("data", "hide", ("identical_runs", "same_scores"), _is_compared),
    Rule("data", "hide", ("shallow_lists",), _is_of_unequal_depth),
    # People judged some of the model's queries on purpose.
    Rule("data", "hide", ("extra_queries",), lambda _, known: known.by_model),
    # Queries not answered are a reason to stop once; the figures are those of the others.
    Rule("everywhere", "demote", ("one_sided",), lambda _, known: known.has("unanswered", "stop")),
    Rule("screen", "hide", ("one_sided",), lambda _, known: known.has("unanswered", "stop")),
    # Judged documents alone say the same.
    Rule(
        "action",
        "hide",
        ("judged_only",),
        lambda _, known: all(each.is_confirmed for each in known.differences),
    ),
    # Only what other measures see lies below the shorter lists.
    Rule(
        "action",
        "hide",
        ("unequal_depth",),
        lambda _, known: all(each.at_depth is None for each in known.differences),
    ),
    Rule(
        "row",
        "hide",
        (
            "few_changed",
            "few_queries",
            "concentrated",
            "judged_only",
            "unequal_depth",
        ),
        lambda _, __: True,
    ),
    Rule("ranks", "hide", ("interval_decides",), lambda _, __: True),
    # What comes of equal scores says more.
    Rule(
        "screen",
        "hide",
        ("equal_scores",),
        lambda caution, known: caution.severity == "look" and known.has("ties_reverse"),
    ),
    # Figures of judged documents alone would seem to confirm what the data do not allow.
    Rule("screen", "hide", ("judged_only",), lambda _, known: known.has(severity="stop")),
    Rule("screen", "hide", ("opposite_segment",), lambda _, known: known.lists_segments),
    # That relevant documents vanished says that ids are spelled differently, too.
    Rule(
        "screen",
        "hide",
        ("nearly_equal_ids",),
        lambda _, known: known.has("vanished_labels", "stop"),
    ),
    # The line on judged documents says so.
    Rule("screen", "hide", ("mostly_positive",), lambda _, __: True),
)
"""The rules, in the order in which they apply."""


def cautions_for_action(decided: PairDecision, found: Iterable[Caution]) -> tuple[Caution, ...]:
    """Return the findings on a pair that its severity and its action depend on, in their order."""
    return Known(differences=[decided.found]).shown(found, "action")
