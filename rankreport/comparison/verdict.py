"""Verdicts: what was decided on systems (`Decision`) in the words of the current language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import get_args

from rankreport.comparison.actions import (
    NAMES_MOVES,
    Action,
    GateOutcome,
    action_in_words,
    titles_of,
)
from rankreport.comparison.caution_policy import cautions_for_action
from rankreport.comparison.cautions import by_pair
from rankreport.comparison.data_sets import standing_of
from rankreport.comparison.decision import Basis, Decision, PairDecision
from rankreport.comparison.difference import WORDS, Difference, Word, badge_words
from rankreport.comparison.model_judge import sentence_on_pair
from rankreport.comparison.other_measures import meanings_in_words, moves_in_words
from rankreport.comparison.pair_decisions import cached_cautions, decision_of, judges_with_doubts
from rankreport.comparison.pairs import Pair, short_labels
from rankreport.comparison.values import ComparisonValues, pairs_matching
from rankreport.errors import choose
from rankreport.statistics import MIN_CHANGED
from rankreport.tables import Block, Fold, Readable, Sentences, first_cautions, notes_of
from rankreport.text import (
    MOST_NAMED,
    Caution,
    beside_check,
    capital,
    check_first,
    comma_separated,
    counted,
    first_of,
    number,
    paragraph,
    say,
    separated,
)

MANY = 1_000_000
"""Larger numbers of queries are not printed exactly."""


@dataclass(frozen=True, repr=False)
class VerdictWords(Readable):
    """A verdict in the words of one language, as a page keeps it.

    Attributes
    ----------
    word, sentence, detail, action, others, cautions, seen_only
        As of `Verdict`.
    like_these, turned
        Whether the order holds for these data sets and for ones like them, and on which it is the
        other way round; empty of one data set.
    problem
        What of the data of the pair is to be checked before there is an answer; empty if nothing.
    """

    word: Word
    sentence: str
    detail: str = ""
    action: str = ""
    others: str = ""
    cautions: tuple[Caution, ...] = ()
    seen_only: bool = False
    like_these: str = ""
    turned: str = ""
    problem: str = ""

    @property
    def check(self) -> str:
        """What to check before using the answer, in a text; may be empty."""
        return check_first(self.cautions)

    @property
    def badge(self) -> str:
        """The answer as a badge says it."""
        return badge_words(self.word, seen_only=self.seen_only)

    @property
    def is_doubted(self) -> bool:
        """Whether the data are to be checked before there is an answer."""
        return bool(self.problem)

    @property
    def no_answer(self) -> str:
        """That there is no answer, and the first reason; empty if the data allow one."""
        if not self.is_doubted:
            return ""
        return say("No verdict yet: {problem}", problem=self.problem)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The cautions after their severity, without those in `check`."""
        return beside_check(self.cautions)

    def without_power(self, found: Difference) -> str:
        """Return the detail without what the queries of its difference can detect."""
        return self.detail.replace(found.power_in_words, "").strip()

    @property
    def answer(self) -> list[Block]:
        """The answer, what to do, and the answers on other systems."""
        word = say("Check the data") if self.is_doubted else self.badge
        # Only these words stand in no sentence.
        alone = self.word == "check first" and not self.is_doubted
        bold = say("{title}:", title=word) if alone else ""
        badge = "" if alone else say("{title}.", title=word)
        return [
            Sentences((paragraph(self.sentence, self.detail),), bold, badge),
            Sentences([self.action] if self.action else []),
            Fold(say("The other systems"), [Sentences(self.others.splitlines())]),
            Sentences([*filter(None, (self.like_these, self.turned))]),
        ]

    @property
    def sentences(self) -> list[Block]:
        """What to check first and to look at, the answer, and notes."""
        *_, looks = first_cautions(self.cautions)
        notes = Fold(say("Notes"), [notes_of(self.cautions)])
        return [Sentences(bold=self.check), looks, *self.answer, notes]

    def _content(self) -> Iterable[Block]:
        return self.sentences


@dataclass(frozen=True, repr=False)
class Verdict(Readable):
    """The answer to "is it better?", in the language that is current when it is read.

    Attributes
    ----------
    decision
        What was decided, in numbers: on each pair that it speaks of, and on who may be the best.
    """

    decision: Decision
    _words: Callable[[Decision], VerdictWords] = field(compare=False)

    @property
    def words(self) -> VerdictWords:
        """The verdict in the current language."""
        return self._words(self.decision)

    @property
    def word(self) -> Word:
        """The answer."""
        return self.decision.word

    @property
    def seen_only(self) -> bool:
        """Whether better or worse holds of what was seen, but rare failures could undo it."""
        return self.decision.seen_only

    @property
    def sentence(self) -> str:
        """The answer with its numbers."""
        return self.words.sentence

    @property
    def detail(self) -> str:
        """Why the answer is not clearer, and what that would take; may be empty."""
        return self.words.detail

    @property
    def action(self) -> str:
        """What to do, in a sentence or two."""
        return self.words.action

    @property
    def others(self) -> str:
        """The verdicts on other systems, and which may be the best; empty for a single pair."""
        return self.words.others

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before acting on it, the worst first."""
        return self.words.cautions

    def _content(self) -> Iterable[Block]:
        return self.words.sentences


def verdict(
    self: ComparisonValues,
    system: str | None = None,
    baseline: str | None = None,
    *,
    gate: GateOutcome = "none",
) -> Verdict:
    """Return the verdict on the primary measure.

    Parameters
    ----------
    system, baseline
        Select the pair. Of several, the verdict is on the one with the largest mean difference
        of the systems that are better, if any, otherwise of those that are not worse; with
        several baselines on the system with the highest mean and its closest rival. It names
        the others.
    gate
        The outcome of a gate for the pair, on which the verdict's ``action`` depends:
        ``"pass"``, ``"fail"``, ``"inconclusive"`` or ``"none"``. `Gate.verdict` gives it.
    """
    choose("gate", gate, get_args(GateOutcome))
    decision = decision_of(self).of(pairs_matching(self, system, baseline))
    return Verdict(decision.gated({decision.leading: gate}), partial(_verdict_words, self))


def _verdict_words(comparison: ComparisonValues, decision: Decision) -> VerdictWords:
    """Return a verdict in the current language."""
    judges = judges_with_doubts(comparison)
    pair, found = decision.leading, decision.verdict
    cautions = cached_cautions(comparison)
    known = by_pair(cautions, decision.pairs)
    wanted = {each for of_pair in known.values() for each in of_pair}
    if len(known) == len(comparison.pairs):  # also those on two systems that were not compared
        wanted.update(cautions)
    # What rare failures may do is no news where the data leave no verdict.
    known_of = found.found if decision.seen_only else replace(found.found, unseen=None)
    judged = judge_difference(known_of)
    if decision.verdict.gate == "pass" and decision.verdict.word == "inconclusive":
        judged = replace(judged, detail="")  # what the gate requires is shown
    if judges is not None:
        judged = replace(judged, detail=paragraph(judged.detail, sentence_on_pair(judges, pair)))
    ranking = "" if judges is None else judges.ranking
    best = paragraph(decision_of(comparison).rivals_in_words, ranking)
    labels = short_labels(comparison.pairs)
    others = {labels[other]: each for other, each in decision.pairs.items() if other != pair}
    advised = decision.advised
    concerned = [each for each in decision.pairs if {*each} & {*advised.systems}]
    titled = [
        each.in_current_language()
        for one in concerned
        for each in cautions_for_action(decision.pairs[one], known[one])
    ]
    remedy = found.found.depth_remedy if advised.looks else ""
    moves, left_out = moves_of_action(decision)
    standing = None if decision.word == "check first" else standing_of(comparison, decision)
    action = action_in_words(**advised._asdict(), cautions=titles_of(titled, "look"), moves=moves)
    stops = (e.in_current_language().title for e in known[pair] if e.severity == "stop")
    words = replace(
        judged,
        word=decision.word,
        sentence=paragraph(judged.sentence, decision.verdict.silence_in_words),
        seen_only=decision.seen_only,
        action=paragraph(
            action, remedy, left_out, "" if standing is None else _conditions(comparison, decision)
        ),
        others="\n".join([*verdict_lines(others), best]) if others else "",
        cautions=tuple(each.in_current_language() for each in cautions if each in wanted),
        like_these=standing.words if standing else "",
        turned=standing.turned if standing else "",
        problem=next(stops, ""),
    )
    if not words.no_answer:
        return words
    return replace(words, sentence=_without_answer(words.no_answer, known_of))


def _conditions(comparison: ComparisonValues, decision: Decision) -> str:
    """Return on what of several data sets an action depends, in a sentence; may be empty."""
    advised = decision.advised
    pairs: list[Pair | None] = [None]
    if advised.baseline:
        pairs = [pair for pair in decision.pairs if pair.system in advised.systems]
    elif len(advised.systems) == 1:
        pairs = [decision.leading, *(each for each in decision.pairs if advised.systems[0] in each)]
    found = (standing_of(comparison, decision, pair) for pair in dict.fromkeys(pairs))
    conditions = dict.fromkeys(each.condition for each in found if each and each.condition)
    moves = separated("; ", [*conditions])
    return say("But {moves}.", moves=moves) if moves else ""


def _without_answer(no_answer: str, found: Difference) -> str:
    """Return that there is no answer, with the difference as it is without one."""
    numbers = say(
        "{system} minus {baseline} on {measure}: {found}.",
        **found.pair._asdict(),
        measure=found.measure_shown,
        found=_whole(found),
    )
    return say("{sentence}. {numbers}", sentence=no_answer, numbers=numbers)


def judge_difference(found: Difference) -> VerdictWords:
    """Return the verdict on a difference in words.

    Examples
    --------
    >>> found = Difference("dense", "bm25", "nDCG@10", 200, 120, 0.0213, 0.0121, 0.0305, 0.95, 0.01)
    >>> print(judge_difference(found))
    dense is better than bm25 on nDCG@10: +0.021 (95 % interval +0.012 to +0.030), 200 queries.
    """
    verdict = _by_interval(found)
    if found.word == "check first":
        sentence = paragraph(verdict.sentence, _on_judged(found))
        return VerdictWords(found.word, sentence, verdict.detail)
    return verdict


def _on_judged(found: Difference) -> str:
    """Return the verdict on judged documents alone, in a sentence."""
    other = found.on_judged
    if other is None:
        return ""
    return say(
        "But on judged documents alone it is {verdict}: {numbers}.",
        verdict=say(other.by_interval),
        numbers=_with_margin(other, other.numbers_and_few),
    )


def _with_margin(found: Difference, numbers: str) -> str:
    """Return the numbers of a verdict with the margin, where it is within that."""
    if not (found.within_margin or found.by_interval == "no worse"):
        return numbers
    return say("{found}, margin {margin}", found=numbers, margin=_margin(found))


def _by_interval(found: Difference) -> VerdictWords:
    """Return the verdict that follows from the interval."""
    word = found.by_interval
    match word:
        case "better" | "worse":
            detail = _all_equal() if found.ci_low is None else ""
            if found.unseen is not None:
                why = found.unseen.in_words
                why = capital(why)
                what = say("loss") if word == "worse" else say("gain")
                detail = say("{why}, which could undo the {what}.", why=why, what=what)
        case "no worse" | "equivalent" | "unchanged":
            detail = ""
        case _:
            detail = _why_inconclusive(found)
    whole = _with_margin(found, _whole(found))
    sentence = say("{headline}: {found}.", headline=found.headline(word), found=whole)
    return VerdictWords(word, sentence, detail)


def standing_in_words(decided: PairDecision) -> str:
    """Return what is known of a system, as a title."""
    if decided.decided_by is Basis.UNJUDGED:
        return decided.found.unjudged_standing
    return say(WORDS[decided.standing])


def verdict_lines(others: Mapping[str, PairDecision], *, figures: bool = True) -> list[str]:
    """Return a sentence for each verdict with the systems that have it, the established first.

    Examples
    --------
    >>> from rankreport.comparison.decision import PairDecision
    >>> better = Difference("new", "old", "RR", 50, 40, 0.2, 0.1, 0.3, 0.95, None)
    >>> open = Difference("other", "old", "RR", 50, 40, 0.2, -0.1, 0.3, 0.95, None)
    >>> verdict_lines({"other": PairDecision(open), "new": PairDecision(better)})
    ['Better: new (+0.200).', 'Inconclusive: other (+0.200).']
    """
    most, order = _FEW if len(others) > _MANY else MOST_NAMED, [*WORDS]
    by_title: dict[str, list[str]] = {}
    best_first = sorted(others.items(), key=lambda each: -(each[1].found.delta or 0.0))
    for name, each in sorted(best_first, key=lambda each: order.index(each[1].standing)):
        shown = say("{system} ({delta})", system=name, delta=each.found.shown) if figures else name
        by_title.setdefault(standing_in_words(each), []).append(shown)
    return [
        say("{verdict}: {systems}.", verdict=title, systems=first_of(names, most))
        for title, names in by_title.items()
    ]


def moves_of_action(decision: Decision) -> tuple[str, str]:
    """Return which other measures move for the systems of an action, and what it leaves out.

    Returns
    -------
    tuple of str
        A clause for an action that names them; and of others, sentences on the measures, and the
        segment, that say otherwise: those on which a system is worse, or better where it is advised
        against; or an empty text.
    """
    advised = decision.advised
    if not advised.baseline:
        return "", _measures_among(decision, advised.systems)
    of = [each for pair, each in decision.pairs.items() if pair.system in advised.systems]
    if advised.action in NAMES_MOVES:
        if advised.action is Action.TRY_FOR_SILENCE:
            return _by_system(of, lambda each: meanings_in_words(each.silence_gained)), ""
        return _by_system(of, lambda each: moves_in_words((*each.falls, *each.rises))), ""
    if advised.action in {Action.CHECK_DATA, Action.CHECK_SYSTEMS}:
        return "", ""
    # That a system which fails the gate falls elsewhere too is no objection to it.
    of = [each for each in of if each.direction < 0 or each.gate != "fail"]
    words_of = meanings_in_words if len(of) == 1 else moves_in_words
    measures = _by_system(of, lambda each: words_of(each.moved_otherwise))
    moves = separated("; ", filter(None, (measures, _by_system(of, _segment_otherwise))))
    if measures:
        return "", say("But {moves}: decide what matters more to your users.", moves=moves)
    return "", say("But {moves}.", moves=moves) if moves else ""


def _segment_otherwise(decided: PairDecision) -> str:
    """Return which segment says otherwise, in words; nothing without any."""
    most = decided.segment_otherwise
    if most is None:
        return ""
    delta = number(most.delta, most.digits, signed=True)
    return say("{place} ({delta})", place=most.place, delta=delta)


def _by_system(of: Sequence[PairDecision], words_of: Callable[[PairDecision], str]) -> str:
    """Return the words of those that have some, with the names of the systems of several."""
    found = [(each.pair.system, words) for each in of if (words := words_of(each))]
    if len(of) == 1:
        return "".join(words for _, words in found)
    return _few_of([say("{system}: {why}", system=name, why=words) for name, words in found])


def _few_of(found: list[str]) -> str:
    """Return the first few texts, and how many more there are."""
    more = [say("{n} more", n=len(found) - _FEW)] if len(found) > _FEW else []
    return separated("; ", [*found[:_FEW], *more])


_FEW = 3
"""The most systems, or pairs of them, of which other measures are named."""


def _measures_among(decision: Decision, systems: Sequence[str]) -> str:
    """Return which of the systems to choose from, or what others, are better on other measures."""
    found = []
    for pair, each in decision.pairs.items():
        sides = ((pair, each.rises), (Pair(pair.system, pair.baseline), each.falls))
        for (worse, better), moved in sides:
            if moved and worse in systems and (better in systems or len(systems) == 1):
                words = say(
                    "{system} is better than {baseline} on {measures}",
                    system=better,
                    baseline=worse,
                    measures=comma_separated([one.words for one in moved]),
                )
                found.append(words)
    return say("{sentence}.", sentence=_few_of(found)) if found else ""


_MANY = 30
"""The most verdicts of which so many are named; of more only a few are."""


def _whole(found: Difference) -> str:
    """Return the difference and the number of queries, in words."""
    if found.n_queries == 0:
        return say("no query has a value for both systems")
    queries = counted(found.n_queries, "query", "queries")
    if found.n_changed == 0:
        if found.n_queries == 1:
            return say("the only query did not change")
        return say("none of the {queries} changed", queries=queries)
    return say("{difference}, {queries}", difference=found.numbers, queries=queries)


def _margin(found: Difference) -> str:
    """Format the margin unrounded, so that an end lies visibly on its side of it."""
    margin = found.margin or 0.0
    given = f"{margin:.10f}".rstrip("0").partition(".")[2]
    return number(margin, max(3, len(given)))


def _why_inconclusive(found: Difference) -> str:
    """Return why the verdict is inconclusive, and how many queries a verdict needs."""
    if found.n_queries == 0:
        return ""  # the sentence says so
    if found.has_few_changed:
        return _too_few_changed(found)
    if found.ci_low is None:
        return _all_equal()
    if found.are_equal:
        return say("All differences are equal, which leaves room for others that are rare.")
    return paragraph(found.power_in_words, _for_the_margin(found))


def _all_equal() -> str:
    return say("All differences are equal, so no interval can be computed.")


def _too_few_changed(found: Difference) -> str:
    if found.least_queries is None:
        return say("The changes cancel out within every cluster, so no interval can be computed.")
    fields = {"few": found.few_in_words, "enough": MIN_CHANGED}
    if found.margin is None:  # without one, how many queries to add is not for us to say
        return say("A verdict needs {enough} changed queries or more: {few}.", **fields)
    return say(
        "Better or worse needs {enough} changed queries or more, at this rate {least} queries: "
        "{few}.",
        least=f"{found.least_queries:,}",
        **fields,
    )


def _for_the_margin(found: Difference) -> str:
    """Return how many queries show that an equal system is no worse, if more than these."""
    if found.margin_needed is None or found.margin_needed <= found.n_queries:
        return ""
    return say(
        "Showing that a system as good as {baseline} is no worse, within the margin of {margin}, "
        "takes {needed} queries.",
        baseline=found.baseline,
        margin=_margin(found),
        needed=_many(found.margin_needed),
    )


def _many(needed: float) -> str:
    return say("more than {n}", n=f"{MANY:,}") if needed > MANY else f"{needed:,.0f}"
