"""Verdicts: what was decided on systems (`Decision`) in the words of the current language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from rankreport.comparison.actions import NAMES_MOVES, Action
from rankreport.comparison.decision import Basis, Decision, PairDecision
from rankreport.comparison.difference import (
    FEW_CHANGED,
    Difference,
    SegmentDifference,
    Word,
    segment_title,
)
from rankreport.comparison.other_measures import moves_in_words
from rankreport.comparison.pairs import Pair
from rankreport.statistics import MIN_CHANGED
from rankreport.tables import Block, Fold, Readable, Sentences, first_cautions, notes_of
from rankreport.text import (
    Caution,
    beside_check,
    check_first,
    comma_separated,
    counted,
    decimals,
    first_of,
    number,
    paragraph,
    percent,
    say,
    separated,
    signed,
)


def n_changed_in_words(n_changed: int, effective: float) -> str:
    """Return how many queries changed, with their effective number where that differs.

    >>> n_changed_in_words(30, 30), n_changed_in_words(30, 4.5)
    ('30', '30 (effective: 4.5)')
    """
    if effective == n_changed:
        return f"{n_changed:,}"
    return say("{changed} (effective: {worth})", changed=f"{n_changed:,}", worth=f"{effective:.1f}")


def changed_queries(n_changed: int, effective: float) -> str:
    """Return how many queries changed, as a phrase with a noun.

    >>> changed_queries(30, 30), changed_queries(30, 4.5)
    ('30 queries', '30 queries (equivalent to 4.5 independent ones)')
    """
    queries = counted(n_changed, "query", "queries")
    if effective == n_changed:
        return queries
    return say(
        "{queries} (equivalent to {worth} independent ones)",
        queries=queries,
        worth=f"{effective:.1f}",
    )


def queries_in_words(found: Difference) -> str:
    """Return how many queries there are, with their effective number where nearly all changed."""
    if found.changed_effective == found.n_changed:
        return counted(found.n_queries, "query", "queries")
    return changed_queries(found.n_queries, found.changed_effective)


def only_few(found: Difference) -> str:
    """Return that few queries changed, or that there are few where nearly all did.

    >>> from dataclasses import replace
    >>> found = Difference("new", "old", "RR", 14, 14, 0.01, -0.01, 0.03, 0.95, None)
    >>> only_few(found), only_few(replace(found, n_queries=60))
    ('there are only 14 queries', 'only 14 queries changed')
    """
    if found.has_few_queries:
        return say("there are only {queries}", queries=queries_in_words(found))
    queries = changed_queries(found.n_changed, found.changed_effective)
    return say("only {queries} changed", queries=queries)


MANY = 1_000_000
"""Larger numbers of queries are not printed exactly."""

MUCH = 0.5
"""The share of a difference made by one query from which there is a caution."""

ALL = 1.0
"""The same for five queries, which nearly always make more than half of a few dozen."""

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "better": "Better",
        "better on what was seen": "Better on what was seen",
        "worse": "Worse",
        "worse on what was seen": "Worse on what was seen",
        "check first": "Check first",
        "no worse": "No worse",
        "equivalent": "Equivalent",
        "inconclusive": "Inconclusive",
        "unchanged": "Unchanged",
        "ties": "Open until ties are broken",
    }
)
"""The text of the badges; on what was seen where rare failures could undo it."""


def badge_words(word: Word, *, seen_only: bool) -> str:
    """Return a verdict as a badge says it.

    >>> badge_words("better", seen_only=False), badge_words("better", seen_only=True)
    ('Better', 'Better on what was seen')
    """
    return say(WORDS[f"{word} on what was seen" if seen_only else word])


@dataclass(frozen=True, repr=False)
class VerdictWords(Readable):
    """A verdict in the words of one language, as a page keeps it.

    Attributes
    ----------
    word, sentence, detail, action, others, cautions, seen_only
        As of `Verdict`.
    """

    word: Word
    sentence: str
    detail: str = ""
    action: str = ""
    others: str = ""
    cautions: tuple[Caution, ...] = ()
    seen_only: bool = False

    @property
    def check(self) -> str:
        """What to check before using the answer, in a text; may be empty."""
        return check_first(self.cautions)

    @property
    def is_doubted(self) -> bool:
        """Whether the data are to be checked before there is an answer."""
        return self.word == "check first" and bool(self.check)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The cautions after their severity, without those in `check`."""
        return beside_check(self.cautions)

    @property
    def answer(self) -> list[Block]:
        """The answer, what to do, and the answers on other systems."""
        word = badge_words(self.word, seen_only=self.seen_only)
        if self.is_doubted:
            word = say("Check the data")
        # Only these words stand in no sentence.
        alone = self.word == "check first" and not self.is_doubted
        bold = say("{title}:", title=word) if alone else ""
        badge = "" if alone else say("{title}.", title=word)
        return [
            Sentences((paragraph(self.sentence, self.detail),), bold, badge),
            Sentences([self.action] if self.action else []),
            Fold(say("The other systems"), [Sentences(self.others.splitlines())]),
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
        numbers=_with_margin(other, other.numbers),
    )


def _with_margin(found: Difference, numbers: str) -> str:
    """Return the numbers of a verdict with the margin, where it is within that."""
    if not (found.within_margin or found.by_interval == "no worse"):
        return numbers
    return say("{found}, margin {margin}", found=numbers, margin=_margin(found))


def bounds_in_words(found: Difference) -> tuple[str, str]:
    """Return the lowest and the highest possible difference as text."""
    return signed(found.lowest, found.highest), signed(found.highest, found.lowest)


def _by_interval(found: Difference) -> VerdictWords:
    """Return the verdict that follows from the interval."""
    word = found.by_interval
    match word:
        case "better" | "worse":
            detail = _all_equal() if found.ci_low is None else ""
            if found.unseen is not None:
                detail = found.unseen.sentence
        case "no worse" | "equivalent":
            detail = _few_changed(found)
        case "unchanged":
            detail = ""
        case _:
            detail = _why_inconclusive(found)
    whole = _with_margin(found, _whole(found))
    sentence = say("{headline}: {found}.", headline=headline_of(found, word), found=whole)
    return VerdictWords(word, sentence, detail)


def headline_of(found: Difference, word: Word) -> str:
    """Return a verdict in a sentence without figures and without a full stop."""
    return say(
        HEADLINES[found.qualified(word)],
        system=found.system,
        baseline=found.baseline,
        measure=found.measure_shown,
    )


HEADLINES: Mapping[str, str] = {
    "better": "{system} is better than {baseline} on {measure}",
    "better on what was seen": "{system} is better than {baseline} on {measure}, on what was seen",
    "better by little": "{system} is better than {baseline} on {measure}, by less than the margin",
    "worse": "{system} is worse than {baseline} on {measure}",
    "worse on what was seen": "{system} is worse than {baseline} on {measure}, on what was seen",
    "worse by little": "{system} is worse than {baseline} on {measure}, by less than the margin",
    "check first": "Not settled: {system} against {baseline} depends on unjudged documents",
    "no worse": "{system} is no worse than {baseline} on {measure}, within the margin",
    "equivalent": "{system} and {baseline} are equivalent on {measure}, within the margin",
    "unchanged": "{system} and {baseline} are equal on {measure}",
    "inconclusive": (
        "The data cannot tell whether {system} is better or worse than {baseline} on {measure}"
    ),
}
"""The verdicts in sentences without figures, by `Difference.qualified`."""


UNJUDGED_STANDINGS: Mapping[tuple[int, int | None], str] = {
    (1, 0): "Better overall, unclear on judged documents",
    (1, -1): "Better overall, worse on judged documents",
    (-1, 0): "Worse overall, unclear on judged documents",
    (-1, 1): "Worse overall, better on judged documents",
    (0, 1): "Unclear overall, better on judged documents",
    (0, -1): "Unclear overall, worse on judged documents",
    (0, 0): "Depends on unjudged documents",
    (1, None): "Better overall, unchanged on judged documents",
    (-1, None): "Worse overall, unchanged on judged documents",
}
"""What is known where unjudged documents decide, by direction as scored and on judged ones.

None is where no query changes on judged documents.
"""


def unjudged_standing(found: Difference) -> str:
    """Return what is known of a difference that depends on unjudged documents."""
    judged: int | None = 0
    if found.on_judged is not None:
        judged = None if found.on_judged.is_unchanged else found.on_judged.direction
    return say(UNJUDGED_STANDINGS.get((found.direction, judged), UNJUDGED_STANDINGS[0, 0]))


def standing_in_words(decided: PairDecision) -> str:
    """Return what is known of a system, as a title."""
    if decided.decided_by is Basis.UNJUDGED:
        return unjudged_standing(decided.found)
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
        return _by_system(of, lambda each: moves_in_words((*each.falls, *each.rises))), ""
    if advised.action is Action.CHECK_DATA:
        return "", ""
    # That a system which fails the gate falls elsewhere too is no objection to it.
    of = [each for each in of if each.direction < 0 or each.gate != "fail"]
    left_out = [
        _by_system(of, words)
        for words in (lambda each: moves_in_words(each.moved_otherwise), _segment_otherwise)
    ]
    moves = separated("; ", filter(None, left_out))
    return "", say("But {moves}.", moves=moves) if moves else ""


def _segment_otherwise(decided: PairDecision) -> str:
    """Return which segment says otherwise, in words; nothing without any."""
    most = decided.segment_otherwise
    if most is None:
        return ""
    delta = number(most.delta, most.digits, signed=True)
    return say("{place} ({delta})", place=_where(most), delta=delta)


def _where(each: SegmentDifference) -> str:
    """Return in which segment a system is worse, or better."""
    fields = {"column": each.column, "segment": segment_title(each.segment)}
    if each.delta < 0:
        return say("worse where {column} is {segment}", **fields)
    return say("better where {column} is {segment}", **fields)


def segments_in_words(decided: PairDecision) -> Iterator[tuple[SegmentDifference, str, str]]:
    """Yield segments beyond the margin, or what a gate allows: each with a title and figures.

    They are few, the worst first; one that differs otherwise than the system is among them.
    """
    found, otherwise = decided.segments_beyond[:_MOST_SEGMENTS], decided.segment_otherwise
    if otherwise is not None and otherwise not in found:
        found = (*found[:-1], otherwise)
    for each in found:
        figures = {
            name: number(getattr(each, name), each.digits, signed=True)
            for name in ("delta", "low", "high")
        }
        figures["queries"] = counted(each.n_queries, "query", "queries")
        figures["whole"] = decided.found.shown
        place = _where(each)
        text = say("{delta} ({low} to {high}), {queries}; over all {whole}", **figures)
        yield each, place[:1].upper() + place[1:], text


_MOST_SEGMENTS = 2
"""The most segments of a pair that are listed."""


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


def doubts_in_words(decision: Decision) -> list[str]:
    """Return the systems that may be the best for other reasons than their intervals."""
    named = {basis: decision.rivals(basis) for basis in DEPENDS_ON}
    return [
        say(
            "Its difference from these {doubt}: {systems}.",
            doubt=depends_on(basis),
            systems=first_of(names, MOST_NAMED),
        )
        for basis, names in named.items()
        if names
    ]


DEPENDS_ON: Mapping[Basis, str] = {
    Basis.UNJUDGED: "unjudged documents",
    Basis.TIES: "equal scores",
    Basis.DEPTH: "lists of unequal length",
    Basis.MISSING: "queries not answered",
    Basis.DATA: "data to check",
}
"""What a difference depends on where not its figures decide."""


def depends_on(basis: Basis | None) -> str:
    """Return what a difference depends on, where not its figures decide; otherwise nothing."""
    what = "" if basis is None else DEPENDS_ON.get(basis, "")
    return say("depends on {what}", what=say(what)) if what else ""


MOST_NAMED = 12
"""The most systems named in a sentence."""

_MANY = 30
"""The most verdicts of which so many are named; of more only a few are."""


def caution(found: Difference) -> str:
    """Return the caution on a difference, or an empty text.

    Examples
    --------
    >>> caution(Difference("new", "old", "RR", 50, 4, 0.01, -0.01, 0.03, 0.95, None))
    '4 of 50 changed: too few for a verdict'
    """
    if found.n_queries == 0:
        return say("no query has a value for both systems")
    if found.n_changed == 0:
        return say("no query changed")
    of = {
        "changed": n_changed_in_words(found.n_changed, found.changed_effective),
        "queries": found.n_queries,
    }
    part = say("{changed} of {queries} changed", **of)
    if found.has_few_queries:
        part = queries_in_words(found)
    if found.has_few_changed:
        if found.margin is None:
            return say("{part}: too few for a verdict", part=part)
        return say("{part}: too few for better or worse", part=part)
    if found.ci_low is None:
        return say("all differences are equal: no interval")
    seen = badge_words(found.by_interval, seen_only=True).lower() if found.seen_only else ""
    parts = [seen, concentrated(found), on_judged_in_words(found), at_depth_in_words(found)]
    if found.changed_effective < FEW_CHANGED:
        parts.insert(0, say("{part}: interval may be too narrow", part=part))
    return separated("; ", filter(None, parts))


def at_depth_in_words(found: Difference) -> str:
    """Return the difference at equal depth, or an empty text."""
    if found.at_depth is None or found.lengths is None:
        return ""
    delta = signed(found.at_depth.delta, found.delta)
    return say("first {k} of both: {delta}", k=f"{min(found.lengths):,}", delta=delta)


def on_judged_in_words(found: Difference) -> str:
    """Return the difference on judged documents alone, or an empty text."""
    if found.on_judged is None or found.lowest == found.highest == 0:
        return ""
    other = found.on_judged
    if other.ci_low is None:
        return say("judged only: {found}", found=other.shown)
    low, high = map(other.printed, (other.ci_low, other.ci_high))
    return say("judged only: {delta} ({low} to {high})", delta=other.shown, low=low, high=high)


def concentrated(found: Difference) -> str:
    """Return how much of a difference a few queries make up, if its interval excludes 0.

    Five queries are not counted with fewer than `FEW_CHANGED` changed ones.

    Examples
    --------
    >>> found = Difference("new", "old", "RR", 50, 30, 0.01, 0.001, 0.03, 0.95, None)
    >>> from dataclasses import replace
    >>> concentrated(replace(found, first_share=0.61, top_share=0.9))
    'one query accounts for 61 % of the difference'
    >>> concentrated(replace(found, first_share=0.41, top_share=1.1))
    'five queries account for more than the whole difference'
    """
    if found.ci_low is None or found.ci_high is None or found.ci_low <= 0 <= found.ci_high:
        return ""
    if found.first_share is not None and found.first_share >= MUCH:
        if found.first_share > 1:
            return say("one query accounts for more than the whole difference")
        share = percent(found.first_share, whole=True)
        return say("one query accounts for {share} of the difference", share=share)
    enough = found.changed_effective >= FEW_CHANGED
    if enough and found.top_share is not None and found.top_share >= ALL:
        if found.top_share > 1:
            return say("five queries account for more than the whole difference")
        share = percent(found.top_share, whole=True)
        return say("five queries account for {share} of the difference", share=share)
    return ""


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


def _few_changed(found: Difference) -> str:
    """Return a warning if there are few queries, or few changed."""
    if found.n_changed == 0 or found.changed_effective >= FEW_CHANGED:
        return ""
    few = only_few(found)
    if found.has_few_changed:
        return say(
            "Better or worse cannot be told, and the interval may be too narrow: {few}.", few=few
        )
    return say("The interval may be too narrow: {few}.", few=few)


def _why_inconclusive(found: Difference) -> str:
    """Return why the verdict is inconclusive, and how many queries a verdict needs."""
    if found.n_queries == 0:
        return ""  # the sentence says so
    if found.has_few_changed:
        return _too_few_changed(found)
    if found.ci_low is None or found.detectable is None:
        return _all_equal()
    return paragraph(power_in_words(found), _for_the_margin(found))


def _all_equal() -> str:
    return say("All differences are equal, so no interval can be computed.")


def without_power(detail: str, found: Difference) -> str:
    """Return the detail of a verdict without what its queries can detect."""
    power = power_in_words(found)
    return detail.replace(power, "").strip() if power else detail


def _too_few_changed(found: Difference) -> str:
    if found.least_queries is None:
        return say("The changes cancel out within every cluster, so no interval can be computed.")
    fields = {"few": only_few(found), "enough": MIN_CHANGED}
    if found.margin is None:  # without one, how many queries to add is not for us to say
        return say("A verdict needs {enough} changed queries or more: {few}.", **fields)
    return say(
        "Better or worse needs {enough} changed queries or more, at this rate {least} queries: "
        "{few}.",
        least=f"{found.least_queries:,}",
        **fields,
    )


def power_in_words(found: Difference) -> str:
    """Return what these queries can detect, if that is known."""
    least = found.detectable
    if least is None:
        return ""
    queries = counted(found.n_queries, "query", "queries")
    if found.widest is not None and least >= found.widest:
        return say(
            "{queries} are too few to detect even the largest possible difference in {measure} "
            "4 times in 5.",
            queries=queries,
            measure=found.measure_shown,
        )
    return say(
        "{queries} can detect a difference of {least} or more 4 times in 5.",
        queries=queries,
        least=number(least, decimals(least)),
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
