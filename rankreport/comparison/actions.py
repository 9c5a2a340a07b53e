"""What to do about a verdict: the action, from one table, and its words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from rankreport.text import Caution, comma_separated, counted, listed, paragraph, say

if TYPE_CHECKING:
    from rankreport.comparison.difference import Difference, Word

ANY: Final = "any"
"""Matches every value in a row of the table."""

MANY_QUERIES: Final = 1_000
"""With so many queries, an interval may exclude 0 for a difference too small to matter."""

SMALL: Final = 0.01
"""A difference within this share of the measure's scale is small."""

Worst = Literal["stop", "look", "note", "none"]
"""The worst severity of the cautions."""

GateOutcome = Literal["pass", "fail", "inconclusive", "none"]
"""The outcome of the gate for this system."""

Size = Literal["judged", "within", "not judged"]
"""Whether a margin says which size matters, or the difference is too large for it to matter.

One that is within the margin was set not to matter.
"""


class Situation(NamedTuple):
    """What an action depends on."""

    word: Word
    worst: Worst
    gate: GateOutcome
    size: Size


def size_of(found: Difference) -> Size:
    """Return whether a difference is so small that its size was to be judged by a margin."""
    if found.within_margin:
        return "within"
    if found.margin is not None or found.widest is None or found.n_queries < MANY_QUERIES:
        return "judged"
    if found.ci_low is None or found.ci_high is None:
        return "judged"
    small = max(abs(found.ci_low), abs(found.ci_high)) <= SMALL * found.widest
    return "not judged" if small else "judged"


def titles_of(cautions: Iterable[Caution], worst: Worst) -> str:
    """Return the titles of the cautions of a severity, in a list."""
    return comma_separated(
        [*dict.fromkeys(each.title for each in cautions if each.severity == worst)]
    )


class Action(Enum):
    """What to do; the value is what says so of one system, in English."""

    CHECK_DATA = "Check the data before you act on this result."
    CHECK_SYSTEMS = (
        "Check the data of {systems} against {baseline} first; keep {baseline} until then."
    )
    JUDGE_UNJUDGED = "Judge the unjudged documents first; keep {baseline} until then."
    PASSES_BUT_UNJUDGED = (
        "{systems} passes the gate; whether it is better than {baseline} depends on unjudged "
        "documents: judge them to find out."
    )
    JUDGE_AND_BREAK_TIES = "Judge more and break the ties of {systems}; keep {baseline} until then."
    BREAK_TIES = (
        "Many documents have equal scores, whose order decides: give them different scores, then "
        "compare again; keep {baseline} until then."
    )
    JUDGE_BOTH = (
        "Not enough evidence either way: keep {baseline}, evaluate more queries, or judge more "
        "results of both systems."
    )
    JUDGE_TO_CHOOSE = "Which of {systems} is best depends on unjudged documents: judge them first."
    CHOOSE = (
        "Which of {systems} is best is open: choose on other grounds, or evaluate more queries."
    )
    BREAK_TIES_TO_CHOOSE = (
        "Which of {systems} is best depends on the order of equal scores: give them different "
        "scores, then compare again."
    )
    CHOOSE_EQUAL = (
        "No query changed between {systems}, and no other system may be as good: choose on other "
        "grounds."
    )
    BETTER_BUT_FAILS = "{systems} is better, but fails the gate: do not ship it as it is."
    BETTER_BUT_OPEN = (
        "{systems} is better, but whether it meets the requirements is open: evaluate more queries."
    )
    BREAK_TIES_FOR_GATE = (
        "Whether {systems} meets the requirements depends on the order of equal scores: give them "
        "different scores, then compare again; keep {baseline} until then."
    )
    BETTER_BY_LITTLE = (
        "{systems} is better by little; whether that matters was not judged: set a margin."
    )
    BETTER_WITHIN = (
        "{systems} is better, by less than the margin, which was set not to matter: choose on "
        "other grounds."
    )
    LOOK_THEN_TRY_LIVE = (
        "Evidence favours {systems}: look at the cautions ({cautions}), then try it live."
    )
    TRY_LIVE = "Evidence favours {systems}: try it live."
    LOOK_THEN_CHOOSE = (
        "Evidence favours {systems} over {baseline}: look at the cautions ({cautions})."
    )
    CHOOSE_AMONG_BETTER = "Evidence favours {systems} over {baseline}."
    WORSE_BUT_ALLOWED = (
        "{systems} is worse, within what the gate allows: ship it only for other gains."
    )
    WORSE_BY_LITTLE = (
        "{systems} is worse by little; whether that matters was not judged: set a margin."
    )
    WORSE_WITHIN = (
        "{systems} is worse, by less than the margin, which was set not to matter: choose on other "
        "grounds."
    )
    LOOK_BEFORE_DROPPING = (
        "Evidence is against {systems}: look at the cautions ({cautions}) before you drop it."
    )
    KEEP_BETTER = "Evidence is against {systems}: keep {baseline}."
    NO_WORSE_BUT_FAILS = (
        "{systems} is no worse within the margin, but fails the gate: keep {baseline}."
    )
    NO_WORSE_BUT_OPEN = (
        "{systems} is no worse within the margin, but whether it meets the requirements is "
        "open: evaluate more queries."
    )
    SHIP_IF_ENOUGH = "{systems} is no worse within the margin: ship it if that is enough."
    EQUIVALENT_BUT_FAILS = (
        "{systems} is equivalent to {baseline} within the margin, but fails the gate: keep "
        "{baseline}."
    )
    EQUIVALENT_BUT_OPEN = (
        "{systems} is equivalent to {baseline} within the margin, but whether it meets the "
        "requirements is open: evaluate more queries."
    )
    EQUIVALENT = "{systems} is equivalent to {baseline} within the margin: choose on other grounds."
    UNCHANGED_BUT_FAILS = "No query changed with {systems}; the gate fails: keep {baseline}."
    UNCHANGED_BUT_OPEN = (
        "No query changed with {systems}; whether the requirements are met is open: keep "
        "{baseline}, or compare systems that differ."
    )
    UNCHANGED = "No query changed with {systems}: choose on other grounds."
    MAY_REPLACE = "No clear difference, and {systems} passes the gate: it may replace {baseline}."
    MAY_REPLACE_AS_OTHERS_RISE = (
        "{systems} passes the gate, and {moves}: it may replace {baseline}."
    )
    FAILS_BUT_OPEN = "{systems} fails the gate, whatever the data leave open: keep {baseline}."
    KEEP_FAILS = "{systems} fails the gate: keep {baseline}."
    KEEP_OR_EVALUATE = "Not enough evidence either way: keep {baseline}, or evaluate more queries."
    KEEP_OR_WEIGH = (
        "Measures disagree on {systems} ({moves}): keep {baseline}, unless what improves matters "
        "more."
    )
    KEEP_AS_OTHERS_FALL = (
        "Other measures are worse for {systems} ({moves}), and none is better: keep {baseline}."
    )
    TRY_FOR_SILENCE = (
        "No clear difference in ranking, but {moves}: try {systems} live if that matters most to "
        "your users; otherwise keep {baseline}."
    )
    PASSES_BUT_OTHERS_FALL = (
        "{systems} passes the gate, but {moves}: keep {baseline}, or add a requirement that allows "
        "it."
    )

    @property
    def code(self) -> str:
        """The name in outputs, such as ``try_live``."""
        return self.name.lower()


def action_of(
    situation: Situation,
    *,
    tied: bool = False,
    mostly_positive: bool = False,
    falls: bool = False,
    rises: bool = False,
    silence: bool = False,
) -> Action:
    """Return what to do: the action of the first matching row of `ACTIONS`.

    Where the systems are `tied`, the order of equal scores leaves more open than the sample does,
    and more queries have equal scores too. Where judgments are `mostly_positive`, more queries do
    not remove their bias. Where another measure `falls`, there is evidence, and grounds to choose
    on; whether one `rises` says which. With `silence`, one of these is a rate of queries without an
    answer.

    Examples
    --------
    >>> action_of(Situation("better", "none", "none", "judged")).code
    'try_live'
    >>> action_of(Situation("better", "none", "fail", "judged")).code
    'better_but_fails'
    """
    found = next(
        action
        for *pattern, action in ACTIONS
        if all(wanted in (ANY, given) for wanted, given in zip(pattern, situation, strict=True))
    )
    if silence and not falls and found in _IF_NOTHING_FALLS - {Action.MAY_REPLACE}:
        return Action.TRY_FOR_SILENCE
    if tied and found is Action.KEEP_OR_EVALUATE:
        return Action.BREAK_TIES
    if falls and found in _IF_NOTHING_FALLS:
        passes = situation.gate == "pass"
        fallen = Action.PASSES_BUT_OTHERS_FALL if passes else Action.KEEP_AS_OTHERS_FALL
        return Action.KEEP_OR_WEIGH if rises else fallen
    if rises and found is Action.MAY_REPLACE:
        return Action.MAY_REPLACE_AS_OTHERS_RISE
    biased = mostly_positive and found is Action.KEEP_OR_EVALUATE
    return Action.JUDGE_BOTH if biased else found


NAMES_MOVES = frozenset(
    {
        *(Action.KEEP_OR_WEIGH, Action.KEEP_AS_OTHERS_FALL, Action.PASSES_BUT_OTHERS_FALL),
        *(Action.TRY_FOR_SILENCE, Action.MAY_REPLACE_AS_OTHERS_RISE),
    }
)
"""Actions whose words say which other measures fall and rise."""

LEAVES_OPEN = frozenset(
    {
        *(Action.KEEP_OR_EVALUATE, Action.JUDGE_BOTH, Action.BREAK_TIES, Action.CHECK_SYSTEMS),
        *(Action.UNCHANGED, Action.UNCHANGED_BUT_OPEN, Action.UNCHANGED_BUT_FAILS),
    }
)
"""Actions that say of no system that it is better or worse."""

_IF_NOTHING_FALLS = frozenset(
    {Action.EQUIVALENT, Action.UNCHANGED, Action.KEEP_OR_EVALUATE, Action.MAY_REPLACE}
)
"""Actions that say that nothing is known to differ."""


LEAVES_GATE_OPEN = frozenset(
    {
        *(Action.BETTER_BUT_OPEN, Action.NO_WORSE_BUT_OPEN),
        *(Action.EQUIVALENT_BUT_OPEN, Action.UNCHANGED_BUT_OPEN),
        *(Action.KEEP_OR_EVALUATE, Action.JUDGE_BOTH, Action.JUDGE_UNJUDGED),
    }
)
"""Actions on a system of which it is open whether it meets the requirements of a gate."""


def with_look(action: Action) -> Action:
    """Return the action that also says to look at the cautions, or the action itself."""
    return _WITH_LOOK.get(action, action)


_WITH_LOOK: Final[Mapping[Action, Action]] = {
    Action.TRY_LIVE: Action.LOOK_THEN_TRY_LIVE,
    Action.KEEP_BETTER: Action.LOOK_BEFORE_DROPPING,
}


ACTIONS: Final[tuple[tuple[str, str, str, str, Action], ...]] = (
    # verdict, worst caution, gate, size, action
    (ANY, "stop", ANY, ANY, Action.CHECK_DATA),
    ("check first", ANY, "pass", ANY, Action.PASSES_BUT_UNJUDGED),
    ("check first", ANY, "fail", ANY, Action.FAILS_BUT_OPEN),
    ("check first", ANY, ANY, ANY, Action.JUDGE_UNJUDGED),
    ("better", ANY, "fail", ANY, Action.BETTER_BUT_FAILS),
    ("better", ANY, "inconclusive", ANY, Action.BETTER_BUT_OPEN),
    ("better", ANY, ANY, "within", Action.BETTER_WITHIN),
    ("better", ANY, ANY, "not judged", Action.BETTER_BY_LITTLE),
    ("better", "look", ANY, ANY, Action.LOOK_THEN_TRY_LIVE),
    ("better", ANY, ANY, ANY, Action.TRY_LIVE),
    ("worse", ANY, "pass", ANY, Action.WORSE_BUT_ALLOWED),
    ("worse", ANY, "none", "within", Action.WORSE_WITHIN),
    ("worse", ANY, "none", "not judged", Action.WORSE_BY_LITTLE),
    ("worse", "look", ANY, ANY, Action.LOOK_BEFORE_DROPPING),
    ("worse", ANY, ANY, ANY, Action.KEEP_BETTER),
    ("no worse", ANY, "fail", ANY, Action.NO_WORSE_BUT_FAILS),
    ("no worse", ANY, "inconclusive", ANY, Action.NO_WORSE_BUT_OPEN),
    ("no worse", ANY, ANY, ANY, Action.SHIP_IF_ENOUGH),
    ("equivalent", ANY, "fail", ANY, Action.EQUIVALENT_BUT_FAILS),
    ("equivalent", ANY, "inconclusive", ANY, Action.EQUIVALENT_BUT_OPEN),
    ("equivalent", ANY, ANY, ANY, Action.EQUIVALENT),
    ("unchanged", ANY, "fail", ANY, Action.UNCHANGED_BUT_FAILS),
    ("unchanged", ANY, "inconclusive", ANY, Action.UNCHANGED_BUT_OPEN),
    ("unchanged", ANY, ANY, ANY, Action.UNCHANGED),
    ("inconclusive", ANY, "pass", ANY, Action.MAY_REPLACE),
    ("inconclusive", ANY, "fail", ANY, Action.KEEP_FAILS),
    ("inconclusive", ANY, ANY, ANY, Action.KEEP_OR_EVALUATE),
)
"""Patterns of situations, each with its action; the first that matches counts."""

OPEN: Final[Mapping[Action, Action]] = MappingProxyType(
    {
        Action.TRY_LIVE: Action.CHOOSE_AMONG_BETTER,
        Action.LOOK_THEN_TRY_LIVE: Action.LOOK_THEN_CHOOSE,
    }
)
"""The actions on a system that is better, where it is open whether another one is the best."""

BETTER = frozenset({*OPEN, *OPEN.values()})
"""Actions on systems that are better, of whose size and gate nothing is left to say."""

SEVERAL: Final[Mapping[Action, str]] = MappingProxyType(
    {
        Action.TRY_LIVE: "Evidence favours {systems} over {baseline}: try any of them live.",
        Action.LOOK_THEN_TRY_LIVE: (
            "Evidence favours {systems} over {baseline}: look at the cautions ({cautions}), then "
            "try any of them live."
        ),
        Action.TRY_FOR_SILENCE: (
            "No clear difference in ranking, but {systems} are better otherwise ({moves}): try one "
            "live if that matters most to your users; otherwise keep {baseline}."
        ),
        Action.PASSES_BUT_OTHERS_FALL: (
            "{systems} pass the gate, but other measures fall ({moves}): keep {baseline}, or add a "
            "requirement that allows it."
        ),
        Action.MAY_REPLACE_AS_OTHERS_RISE: (
            "{systems} pass the gate, and other measures rise ({moves}): any of them may replace "
            "{baseline}."
        ),
        **{
            action: action.value
            for action in (
                *(Action.KEEP_BETTER, Action.JUDGE_AND_BREAK_TIES),
                *(Action.JUDGE_TO_CHOOSE, Action.CHOOSE, Action.CHOOSE_EQUAL),
                *(Action.KEEP_OR_WEIGH, Action.KEEP_AS_OTHERS_FALL, Action.BREAK_TIES_TO_CHOOSE),
            )
        },
    }
)
"""The words of actions that speak of several systems together; others say what holds of each."""


AMONG_OTHERS: Final[Mapping[Action, str]] = MappingProxyType(
    {
        Action.KEEP_OR_EVALUATE: (
            "Not enough evidence either way on {systems}: keep {baseline}, or evaluate more "
            "queries."
        ),
        Action.JUDGE_BOTH: (
            "Not enough evidence either way on {systems}: keep {baseline}, evaluate more queries, "
            "or judge more results of them."
        ),
    }
)
"""The words of actions where other systems are compared too, of which they do not hold."""


def action_in_words(
    action: Action,
    *,
    systems: Sequence[str],
    baseline: str,
    rivals: Sequence[str] = (),
    watch: bool = False,
    worse: Sequence[str] = (),
    among_others: bool = False,
    cautions: str = "",
    moves: str = "",
) -> str:
    """Return what to do, in a sentence or two.

    Parameters
    ----------
    action
        The action.
    systems, baseline
        The systems that it is about, and the one that they would replace.
    rivals
        The systems of which it is open which is the best.
    watch
        Whether to watch for rare failures too.
    worse
        The systems that are worse, where nothing else is known.
    among_others
        Whether other systems are compared too, of which the action does not hold.
    cautions
        The worst cautions by their titles.
    moves
        Which of the other measures fall and rise.

    Examples
    --------
    >>> action_in_words(Action.TRY_LIVE, systems=["dense"], baseline="bm25")
    'Evidence favours dense: try it live.'
    >>> two = ["dense", "rm3"]
    >>> print(action_in_words(Action.TRY_LIVE, systems=two, baseline="bm25"))
    Evidence favours dense and rm3 over bm25: try any of them live.
    >>> print(action_in_words(Action.BETTER_BUT_FAILS, systems=two, baseline="bm25"))
    Each of dense and rm3 is better, but fails the gate: do not ship it as it is.
    """
    watching = say("Watch for failures not seen here.") if watch else ""
    open_among = open_in_words(rivals) if rivals and action in BETTER else ""
    words = SEVERAL.get(action, action.value) if len(systems) > 1 else action.value
    if among_others:
        words = AMONG_OTHERS.get(action, words)
    named = _named(systems) if action in {*SEVERAL, *AMONG_OTHERS} else _each_of(systems, words)
    fields = {"systems": named, "baseline": baseline, "cautions": cautions, "moves": moves}
    worse_ones = ""
    if worse and not open_among:
        worse_ones = say("{systems} is worse.", systems=_each_of(worse, "{systems} is worse."))
    return paragraph(say(words, **fields), open_among, worse_ones, watching)


def open_in_words(rivals: Sequence[str]) -> str:
    """Return that it is open which of some systems is best."""
    return say("Which of {systems} is best is open.", systems=_named(rivals))


_SYSTEMS_NAMED = 4
"""The most systems named."""


def _each_of(systems: Sequence[str], words: str) -> str:
    """Return the systems as words on one name them, which may begin with that."""
    if len(systems) == 1:
        return _named(systems)
    if words.startswith("{systems}"):
        return say("Each of {systems}", systems=_named(systems))
    return say("each of {systems}", systems=_named(systems))


def _named(systems: Sequence[str]) -> str:
    if len(systems) <= _SYSTEMS_NAMED:
        return listed(systems)
    return counted(len(systems), "system", "systems")
