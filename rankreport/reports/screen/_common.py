"""What the first screens of all kinds of report have in common."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl

from rankreport.comparison import (
    JUDGED_ONLY,
    SMALLEST_SEGMENT,
    TIES_REVERSE,
    Comparison,
    Decision,
    Difference,
    Judgments,
    Known,
    PairDecision,
    QueryKind,
    QueryMetadata,
    VerdictWords,
    Word,
    contrasts_of,
    systems_of,
    worth_judging,
)
from rankreport.evaluation import (
    EQUAL_SCORES,
    EXTRA_QUERIES,
    HARDLY_JUDGED,
    MOSTLY_POSITIVE,
    NOTHING_JUDGED,
    SWAPPED,
    UNMATCHED_TEXTS,
    VANISHED,
    Evaluation,
    data_facts_of,
    depth_of,
    holds,
    least_relevant,
    unjudged_at_top,
)
from rankreport.frames import QUERY_ID, SYSTEM, TEXT
from rankreport.gates import (
    OUTCOME_SIGNS,
    Finding,
    Gate,
    Outcome,
    ended_in_words,
    groups_in_words,
    leading_candidate,
    meeting_in_words,
    worst_first,
)
from rankreport.labels import LabelSource
from rankreport.measures import Measure, Success, is_averaged
from rankreport.reports.content import Content
from rankreport.reports.page import Badge, ListedQuery, ListedSegment, Screen, ShownCaution, Tone
from rankreport.reports.sections._parts import longest_list
from rankreport.reports.sections.all_queries import ALL_QUERIES
from rankreport.reports.sections.datasets import datasets_shown, on_these_data_sets
from rankreport.reports.sections.query_kinds import kinds_of
from rankreport.text import (
    MOST_NAMED,
    Caution,
    Severity,
    capital,
    comma_separated,
    counted,
    first_of,
    in_current_language,
    listed,
    number,
    paragraph,
    percent,
    say,
    separated,
    tallied,
)

SHOWN_QUERIES = 3
"""The number of queries listed."""

SIGNS: dict[Word, str] = {
    "better": "▲",
    "worse": "▼",
    "check first": "!",
    "no worse": "≥",
    "equivalent": "≈",
    "inconclusive": "?",
    "unchanged": "=",
}

TONES: dict[Word, Tone] = {"better": "better", "worse": "worse", "check first": "check"}

_PAIR = 2


class Shown(NamedTuple):
    """A first screen, and the numbers on it that no frame of the report's JSON holds."""

    screen: Screen
    figures: dict[str, Any]

    def to_plain(self) -> dict[str, Any]:
        """Return the numbers, with those that are drawn, for JSON."""
        screen = self.screen
        drawn = {"strip": screen.strip, "bar": screen.bar}
        rows = () if screen.board is None else screen.board.rows
        differences = [{name: getattr(row, name) for name in _OF_ROW} for row in rows]
        return {
            **self.figures,
            **{name: None if each is None else asdict(each) for name, each in drawn.items()},
            "spread": None if screen.spread is None else screen.spread.to_plain(),
            "rows": [each for each in differences if each["value"] is not None],
            "n_skipped": [row.n_skipped for row in rows if row.skipped],
        }


_OF_ROW = ("system", "value", "low", "high")
"""The numbers of a row of the leaderboard that are drawn."""


class Listed(NamedTuple):
    """A query of the list, and its numbers."""

    query: ListedQuery
    figures: dict[str, Any]


_MOST = 2
"""The most cautions of each severity."""

_TITLED = 2
"""The most cautions whose titles stand for them; of more, they are counted."""

_ALIKE = 0.035
"""Shares judged that differ by less favour no system."""

_UNEQUAL_DEPTH = "unequal_depth"
"""The code of the caution on lists of unequal length."""

UNMATCHED = frozenset({NOTHING_JUDGED.code, UNMATCHED_TEXTS.code, SWAPPED.code})
"""Codes of cautions on lists and judgments that do not fit each other."""

IN_HEADLINE = 3
"""The most systems named in the headline."""

_EARLY = 3
"""The number of first documents in which searchers look for a relevant one."""


def tone_of(word: Word) -> Tone:
    """Return how a verdict is drawn."""
    return TONES.get(word, "open")


def beyond_lists(evaluation: Evaluation) -> str:
    """Return which measures look deeper than any list, if any do."""
    longest = longest_list(evaluation)
    deeper = [each.shown for each in evaluation.measures if longest and (each.k or 0) > longest]
    if not deeper:
        return ""
    return say(
        "No list has more than {n} documents: {measures} cannot find more.",
        n=longest,
        measures=comma_separated(deeper),
    )


def gate_badge(gate: Gate) -> Badge:
    """Return the badge of a gate's outcome; of several candidates, with how many passed.

    The advice is on one of them, which may pass where the gate does not.
    """
    words: dict[Outcome, tuple[str, Tone]] = {
        "pass": (say("Gate passes"), "better"),
        "fail": (say("Gate fails"), "worse"),
        "inconclusive": (say("Gate inconclusive"), "open"),
    }
    text, tone = words[gate.outcome]
    n = len(gate.candidates)
    if n > 1 and gate.outcome != "pass":
        n_passed = sum(each.outcome == "pass" for each in gate.candidates)
        text = say("{outcome}: {n} of {all} passed", outcome=text, n=n_passed, all=n)
    return Badge(OUTCOME_SIGNS[gate.outcome], text, tone)


def queries_in_words(n: int) -> str:
    """Return a number of queries with its noun."""
    return counted(n, "query", "queries")


def interval_of_mean(row: Mapping[str, Any], confidence: float) -> str:
    """Return the interval of a mean in words, or that there is none."""
    if row["ci_low"] is None:
        return say("no interval: the values do not vary")
    ends = {name: number(row[f"ci_{name}"], 3) for name in ("low", "high")}
    confident = percent(confidence)
    return say("{confidence} interval {low} to {high}", confidence=confident, **ends)


def listed_query(
    row: Mapping[str, Any], amount: str, why: str, href: str, tone: Tone = "open"
) -> ListedQuery:
    """Return a query for the list, with its text if the row has it."""
    return ListedQuery(amount, row[QUERY_ID], row.get(TEXT) or "", why, href, tone)


def judged_figures(evaluation: Evaluation) -> dict[str, Any]:
    """Return figures by system: shares judged at the top, and what equal scores change."""
    facts = data_facts_of(evaluation)
    repeated = facts.repeated_scores
    found: dict[str, Any] = {"repeated_scores": repeated} if repeated else {}
    found |= {"ties": ties} if (ties := facts.ties.to_dicts()) else {}
    shares = {"k": depth_of(evaluation.primary), "share": evaluation.judged_share}
    return {"judged": shares, **found}


def judged_in_words(
    evaluation: Evaluation, systems: tuple[str, ...], source: LabelSource | None
) -> str:
    """Return where judgments come from, and the shares of judged documents, as far as known."""
    brief = "" if source is None else say("{sentence}.", sentence=source.brief)
    return paragraph(brief, _judged_share(evaluation, systems))


def _judged_share(evaluation: Evaluation, systems: tuple[str, ...]) -> str:
    """Return the shares of judged documents at the top of the lists, or nothing if not known."""
    facts = data_facts_of(evaluation)
    known = ((evaluation.judged_share.get(name), name) for name in systems)
    by_share = sorted((share, name) for share, name in known if share is not None)
    # A document under another id would be taken for an unjudged one.
    vanished = any(e.code == VANISHED.code and e.severity == "stop" for e in evaluation.cautions)
    if not by_share or vanished:
        return ""
    k = depth_of(evaluation.primary)
    if facts.mostly_positive and by_share[0][0] < 1:
        return _unjudged_share(by_share, k)
    (low, fewest), (high, most) = by_share[0], by_share[-1]
    fields = {"k": k, "fewest": fewest, "most": most}
    fields |= {"low": percent(low, whole=True), "high": percent(high, whole=True)}
    if len(by_share) == 1:
        return say("Judged in the top {k}: {low}", **fields)
    if fields["low"] == fields["high"]:
        return say("Judged in the top {k}: {low} of each system", **fields)
    if len(by_share) == _PAIR:
        return say("Judged in the top {k}: {low} of {fewest}, {high} of {most}", **fields)
    return say("Judged in the top {k}: {low} ({fewest}) to {high} ({most})", **fields)


def _unjudged_share(judged: Sequence[tuple[float, str]], k: int) -> str:
    """Return the shares unjudged where nearly all judgments are positive, and what follows."""
    shares = [(percent(1 - share, whole=True), name) for share, name in judged]
    (most, name), (least, _) = shares[0], shares[-1]
    named = most
    if len(shares) == _PAIR:
        named = comma_separated([say("{low} of {fewest}", low=n, fewest=of) for n, of in shares])
    elif len(shares) > _PAIR:
        named = say("{low} to {high}", low=least, high=most)
    fields = {"k": k, "shares": named, "system": name}
    if len(shares) == 1:
        return say(
            "Unjudged in the top {k}: {shares}. They count as not relevant: {system} may be better "
            "than it looks.",
            **fields,
        )
    if judged[-1][0] - judged[0][0] < _ALIKE:
        return say(
            "Unjudged in the top {k}: {shares}. They count as not relevant, about as many in each "
            "system.",
            **fields,
        )
    return say(
        "Unjudged in the top {k}: {shares}. They count as not relevant: a system that finds "
        "relevant ones nobody judged looks worse than it is.",
        **fields,
    )


def early_success(primary: Measure) -> Measure | None:
    """Return the measure of whether searchers find something at once, in the primary one's terms.

    None where that says nothing about the primary measure.
    """
    if not _is_of_ranks(primary):
        return None
    k = min(primary.k or _EARLY, _EARLY)
    return Success(k=k, rel=least_relevant(primary))


def relevant_document(evaluation: Evaluation) -> str:
    """Return what is found at once: where grades are below 1, not what measures call relevant."""
    remarks = data_facts_of(evaluation).remarks
    below = any(r.code == "unusual_grades" and r.about["what"] == "below 1" for r in remarks)
    if below and least_relevant(evaluation.primary) < 1:
        return say("a document of a grade above 0")
    return say("a relevant document")


class Early(NamedTuple):
    """In how many queries each system has a relevant document at the very top.

    Attributes
    ----------
    k
        The depth.
    n_of
        The number of queries of each system.
    """

    k: int
    n_of: dict[str, float]


def early_figures(early: Early | None) -> dict[str, Any]:
    """Return the depth, and the numbers by system, for JSON; None where they are not known."""
    known = early and {"k": early.k, "n_queries": {of: round(n) for of, n in early.n_of.items()}}
    return {"early": known}


def n_found(evaluation: Evaluation, queries: pl.Series | None = None) -> Early | None:
    """Return in how many queries each system has a relevant document at the very top.

    These are all of its queries, or those that are given.
    None where that says nothing about the primary measure, or a loaded evaluation does not hold it.
    """
    early = early_success(evaluation.primary)
    if early is None or early.k is None or evaluation.n_repeats or not holds(evaluation, [early]):
        return None
    values = evaluation.values([early])
    if queries is not None:
        values = values.filter(pl.col(QUERY_ID).is_in(queries.implode()))
    sums = values.group_by(SYSTEM, maintain_order=True).agg(pl.col(str(early)).sum())
    return Early(early.k, dict(sums.iter_rows()))


def _is_of_ranks(measure: Measure) -> bool:
    declared = measure.declaration
    averaged = is_averaged(measure) and declared.better == "high"
    of_ranks = declared.rows == "documents" and declared.family != "pairs"
    return averaged and of_ranks and measure.takes_cutoff


def scale_of(measure: Measure) -> tuple[float, float] | None:
    """Return the range of a measure, or None if it is open."""
    least, most = measure.declaration.range
    return None if least is None or most is None else (float(least), float(most))


_AGREED = {
    *(("better", "pass"), ("worse", "fail"), ("inconclusive", "inconclusive")),
    ("check first", "inconclusive"),
}
"""Verdicts and outcomes of gates that agree; other combinations are explained."""


def gate_notes(gate: Gate) -> tuple[str, ...]:
    """Return the outcome of a gate, its requirements, and why it may differ from the verdict."""
    worst = worst_first(leading_candidate(gate).findings)
    notes = [_in_a_line(each) for each in worst[:SHOWN_QUERIES]]
    if len(gate.candidates) > 1:
        of = leading_candidate(gate).pair.system
        notes = [say("{system}: {why}", system=of, why=note) for note in notes]
    if len(worst) > SHOWN_QUERIES:
        notes.append(say("{n} more", n=len(worst) - SHOWN_QUERIES))
    if len(gate.candidates) > 1:  # it says which one the requirements are those of
        notes.insert(0, gate.headline)
    elif gate.outcome == "inconclusive" != gate.inconclusive:
        # Otherwise the badge and the requirements say so.
        notes.append(gate.headline)
    return tuple(notes)


def _verdict_and_gate(gate: Gate, headline: str) -> str:
    """Return what the verdict says, and why the outcome of the gate may differ from it."""
    found, leading = gate.verdict().decision.verdict, leading_candidate(gate)
    if (found.word, leading.outcome) in _AGREED:
        return headline
    finding = decisive_finding(gate, found.found)
    if (found.word, leading.outcome) == ("inconclusive", "pass") and finding is not None:
        limit = -finding.requirement.threshold
        if finding.requirement.kind == "non-inferiority" and finding.decides_below and limit > 0:
            ruled_out = say(
                "Not shown better or worse on {measure}, but a loss of more than {limit}, the "
                "limit, is ruled out.",
                measure=found.found.measure_shown,
                limit=f"{limit:g}",
            )
            if len(gate.candidates) == 1:
                return ruled_out
            return say("{system}: {why}", system=found.pair.system, why=ruled_out)
    why = say("The verdict asks whether there is a difference, the gate whether it is allowed.")
    return paragraph(headline, why)


def _in_a_line(finding: Finding) -> str:
    """Return a requirement, how it ended, and the figures that decided."""
    figures = [finding.interval, say("limit {limit}", limit=finding.requirement.limit)]
    if finding.doubt is not None and finding.decided_by == finding.doubt:
        figures.append(finding.doubt.depends_on)
    change = finding.change
    if finding.groups:
        change = say("{group} {change}", group=QueryMetadata.title(finding.group), change=change)
        figures.append(groups_in_words(finding))
    if finding.outcome != "pass" or finding.requirement.in_any:  # the sign says that it passes
        change = say("{outcome}, {change}", outcome=ended_in_words(finding), change=change)
    return say(
        "{sign} {requirement}: {change} ({figures}).",
        sign=OUTCOME_SIGNS[finding.outcome],
        requirement=finding.requirement.words,
        change=change,
        figures=separated("; ", figures),
    )


_OF_DIFFERENCE = ("baseline", "system", "measure", "delta")


def decisive_finding(gate: Gate | None, found: Difference) -> Finding | None:
    """Return the gate's finding on the difference that is drawn; of several, the worst.

    There is none where another difference is drawn: that of the queries which both answered.
    """
    wanted = (found.baseline, found.system, found.measure, found.delta)
    of = [
        each
        for each in (() if gate is None else gate.findings)
        if wanted == tuple(getattr(each.difference, name) for name in _OF_DIFFERENCE)
    ]
    return next(iter(worst_first(of)), None)


def finding_on_groups(gate: Gate | None, found: Difference) -> Finding | None:
    """Return the gate's first finding on groups, of the means whose difference is drawn."""
    wanted = (found.baseline, found.system, found.measure)
    for each in () if gate is None else gate.findings:
        of = each.difference.baseline, each.difference.system, each.requirement.quantity
        if each.groups and of == wanted:
            return each
    return None


def segments_shown(decided: PairDecision, *, named: bool = False) -> tuple[ListedSegment, ...]:
    """Return the segments that differ beyond the margin, or what a gate allows, worst first.

    Of several systems, they are `named`.
    """
    of = decided.pair.system
    return tuple(
        ListedSegment(
            say("{system}: {why}", system=of, why=title) if named else title,
            text,
            "worse" if each.delta < 0 else "better",
        )
        for each, title, text in decided.segments_in_words()
    )


@dataclass(frozen=True)
class ComparedScreen:
    """The first screen of a comparison: what those of a pair and of several systems share.

    Attributes
    ----------
    content, comparison
        The subject of the report.
    decision, verdict
        What was decided, and its words.
    """

    content: Content
    comparison: Comparison
    decision: Decision
    verdict: VerdictWords

    @property
    def doubted(self) -> str:
        """The headline where the data must be checked first, otherwise an empty text."""
        return self.verdict.no_answer

    @property
    def badge(self) -> Badge:
        """The badge of the verdict; that of the data if these must be checked first."""
        if self.doubted:
            return Badge("!", say("Check the data"), "check")
        word = self.verdict.word
        return Badge(SIGNS[word], self.verdict.badge, tone_of(word), self.verdict.seen_only)

    @property
    def remedies(self) -> list[str]:
        """What to do: about the data, in several sentences, where these must be checked first."""
        waits = self.doubted and self.decision.verdict.data_decide
        of_data = [each.remedy for each in self.stops if each.remedy] if waits else []
        return of_data or [self.verdict.action]

    @property
    def gate_notes(self) -> tuple[str, ...]:
        """The outcome of the gate and its requirements; none without a gate."""
        return () if self.content.gate is None else gate_notes(self.content.gate)

    @cached_property
    def worse_kind(self) -> QueryKind | None:
        """The kind of query on which the system of the leading pair is worse, if any.

        Segments are listed by themselves.
        """
        by_segment = self.comparison.query_metadata.segments
        worse = (each for each in kinds_of(self.content) if each.is_worse)
        return next((each for each in worse if each.feature not in by_segment), None)

    @property
    def weighs(self) -> str:
        """That queries have weights, and as how many equal ones they count, if so."""
        structure = contrasts_of(self.comparison).structure
        if structure.weights is None or self.comparison.evaluation.datasets:
            return ""
        return say(
            "Queries have weights: {n} weigh as much as {equal} equal ones.",
            n=f"{self.decision.verdict.found.n_queries:,}",
            equal=number(structure.n_effective, 1),
        )

    @cached_property
    def n_to_judge(self) -> int | None:
        """How many documents of the leading pair to judge where these decide or may, else None."""
        unjudged, word = unjudged_at_top(self.comparison.evaluation), self.verdict.word
        pair = self.decision.leading
        cautions = (each for each in self.verdict.cautions if each.is_about(pair))
        doubtful = any(each.code == JUDGED_ONLY.code for each in cautions)
        decide = word == "check first" or (doubtful and word == "inconclusive")
        if not decide or self.verdict.is_doubted or unjudged is None:
            return None
        return unjudged.n_documents([*pair]) or None

    @property
    def to_judge(self) -> tuple[str, ...]:
        """How many documents to judge, and where they are listed, if they are."""
        if self.n_to_judge is None:
            return ()
        n = f"{self.n_to_judge:,}"
        if worth_judging(self.comparison) is None:
            return (say("Judging {n} documents may settle it.", n=n),)
        return (say("Judging {n} documents may settle it; the first are listed under Data.", n=n),)

    def shown(
        self,
        found: Difference,
        *,
        badge: Badge,
        headline: str,
        plain: str,
        action: str,
        segments: Sequence[ListedSegment],
        worst: tuple[str, Sequence[Listed]],
        of_cautions: Mapping[str, Any],
        figures: Mapping[str, Any],
        worse_kind: QueryKind | None,
        answered: str = "",
        **others: Any,
    ) -> Shown:
        """Return the screen and its numbers.

        Where the data are not valid, their problem replaces headline, plain words and segments.
        The `others` are fields of `Screen`.
        """
        comparison, gate, doubted = self.comparison, self.content.gate, self.doubted
        evaluation = comparison.evaluation
        if doubted:
            headline, plain, segments = doubted, "", ()
        else:
            if evaluation.datasets:
                segments = (*datasets_shown(comparison), *segments)
            if gate is not None:
                headline, plain = opened_by_gate(gate, headline, plain, segments)
        badge, (title, queries) = on_these_data_sets(badge, comparison), worst
        source = Judgments.of(comparison).source
        judged = judged_in_words(evaluation, systems_of(comparison.pairs), source)
        screen = Screen(
            badges=(badge,) if gate is None else (badge, gate_badge(gate)),
            headline=headline,
            plain=plain,
            judged=paragraph(answered, self.weighs, judged),
            **cautions_shown(
                self.verdict.cautions,
                found,
                advised=bool(doubted),
                listed_segments=bool(segments),
                **of_cautions,
            ),
            listed=title,
            queries=tuple(each.query for each in queries),
            href=f"#{ALL_QUERIES}",
            action=action,
            segments=() if doubted else (*segments, *small_segments(comparison)),
            kinds=self._kind_shown(worse_kind),
            **others,
        )
        listed_queries = [each.figures for each in queries]
        return Shown(screen, {**judged_figures(evaluation), "listed": listed_queries, **figures})

    @property
    def stops(self) -> list[Caution]:
        """The cautions to check first."""
        return [each for each in self.verdict.cautions if each.severity == "stop"]

    @property
    def _name(self) -> str:
        """The system of the leading pair, where there are others than it and its baseline."""
        several = len(systems_of(self.comparison.pairs)) > _PAIR
        return self.decision.leading.system if several else ""

    def _kind_shown(self, worse: QueryKind | None) -> tuple[ListedSegment, ...]:
        """Return the kind of query on which the system is worse, if any."""
        if worse is None:
            return ()
        title, kind = worse.title, in_current_language(worse.kind)
        if self._name:
            title = say("{system} is worse on {kind}", system=self._name, kind=kind)
        return (ListedSegment(title, worse.figures, "worse"),)


def small_segments(comparison: Comparison) -> tuple[ListedSegment, ...]:
    """Return the segments with too few queries for an interval, in one line if there are any."""
    if not comparison.query_metadata.segments:
        return ()
    rows = comparison.segments().frame.filter(pl.col("n_queries") < SMALLEST_SEGMENT)
    known = rows.select("column", "segment", "n_queries").unique(maintain_order=True)
    named = [
        say("{column} {segment} ({n})", column=column, segment=QueryMetadata.title(segment), n=n)
        for column, segment, n in known.iter_rows()
        if n
    ]
    title = say("Segments too small for a verdict")
    return (ListedSegment(title, first_of(named, MOST_NAMED), "open"),) if named else ()


def opened_by_gate(
    gate: Gate, headline: str, plain: str, segments: Sequence[ListedSegment]
) -> tuple[str, str]:
    """Return the headline of a screen with a gate, and the verdict after it.

    A segment that loses more than the gate allows is named with its outcome.
    """
    opening = _headline_of_gate(gate)
    if gate.outcome == gate.verdict().decision.verdict.word:  # both open, as the badges say
        headline = ""
    if segments and segments[0].tone == "worse":
        opening = say("{verdict}. {segment}", verdict=opening, segment=segments[0].title)
    headline = say("{title}.", title=headline) if headline else ""
    return opening, paragraph(_verdict_and_gate(gate, headline), plain)


def _headline_of_gate(gate: Gate) -> str:
    """Return whether candidates meet the requirements, in a sentence."""
    if len(gate.candidates) > 1:
        return meeting_in_words(gate, IN_HEADLINE)
    found = gate.verdict().decision.verdict
    fields = found.pair._asdict()
    match found.gate:
        case "pass":
            return say("{system} meets the requirements to replace {baseline}", **fields)
        case "fail":
            return say("{system} does not meet the requirements to replace {baseline}", **fields)
        case _:
            return say(
                "It is open whether {system} meets the requirements to replace {baseline}", **fields
            )


def cautions_shown(
    cautions: Sequence[Caution],
    found: Difference | None = None,
    *,
    briefs: Mapping[str, str] | None = None,
    of_several: Mapping[str, Sequence[str]] | None = None,
    advised: bool = False,
    listed_segments: bool = False,
) -> dict[str, Any]:
    """Return the fields of the cautions on the first screen.

    Parameters
    ----------
    cautions
        All cautions, the worst first.
    found
        The difference of the verdict, whose figures on judged documents alone replace the longer
        text of their caution.
    briefs
        Shorter sentences for a telephone, by the code of the caution.
    of_several
        Of several systems, those on which a caution decides, by its code; the leaderboard has the
        figures.
    advised
        Whether the screen advises what to do about the cautions to check first, which then do not
        say it again.
    listed_segments
        Whether the screen lists the segments that differ.
    """
    known = Known(cautions, lists_segments=listed_segments)
    of: dict[Severity, list[Caution]] = {"stop": [], "look": [], "note": []}
    for each in known.shown(cautions, "screen"):
        of[each.severity].append(each)
    looks = [*{each.title: each for each in reversed(of["look"])}.values()][::-1]
    # What the verdict waits for comes first.
    looks.sort(key=lambda each: each.code != JUDGED_ONLY.code)
    shown = [*of["stop"][:_MOST], *looks[:_MOST]]
    return {
        "stops": tuple(
            ShownCaution(capital(each.title), each.text if advised else each.in_words)
            for each in of["stop"][:_MOST]
        ),
        "looks": tuple(
            _look(each, found, of_several or {}, briefs or {}) for each in looks[:_MOST]
        ),
        "others": _others(cautions, shown),
    }


def _others(cautions: Sequence[Caution], shown: Collection[Caution]) -> str:
    """Return which cautions the screen does not show, by title or by number.

    Queries without judgments are left out of every figure, and named on the data alone; where
    judgments are mostly positive, the share of these stands above.
    """
    if not cautions:
        return say("No cautions on the data")
    known = {EXTRA_QUERIES.code, MOSTLY_POSITIVE.code}
    if any(each.code == TIES_REVERSE.code for each in shown):
        known.add(EQUAL_SCORES.code)
    left = [each for each in cautions if each not in shown]
    others = [each for each in left if each.code not in known]
    told = {each.title for each in shown}
    titles = [*dict.fromkeys(each.title for each in others if each.title not in told)]
    if not titles:
        return say("more on the data")
    named = comma_separated(titles) if len(titles) <= _TITLED else tallied(left)
    if shown:
        return say("also: {cautions}", cautions=named)
    if len(titles) > _TITLED or len({each.severity for each in others}) > 1:
        return capital(tallied(left))
    notes = say("Notes: {cautions}", cautions=named)
    return notes if others[0].severity == "note" else say("To look at: {cautions}", cautions=named)


def _look(
    caution: Caution,
    found: Difference | None,
    of_several: Mapping[str, Sequence[str]],
    briefs: Mapping[str, str],
) -> ShownCaution:
    if systems := of_several.get(caution.code):
        named = listed(systems) if len(systems) <= _PAIR else say("{n} systems", n=len(systems))
        words = say("This may decide on {systems}.", systems=named)
        return ShownCaution(capital(caution.title), paragraph(words, caution.remedy))
    if caution.code == JUDGED_ONLY.code and found is not None and found.on_judged is not None:
        return ShownCaution(capital(caution.title), *_on_judged(found, found.on_judged))
    if found is not None and found.at_depth is not None and caution.code == _UNEQUAL_DEPTH:
        return ShownCaution(capital(caution.title), *_at_equal_depth(found, found.at_depth))
    title, brief = capital(caution.title), briefs.get(caution.code, "")
    if caution.code == HARDLY_JUDGED.code:
        brief = say("few documents judged; the others count as not relevant")
    return ShownCaution(title, caution.text.removeprefix(f"{title}: "), brief)


def _on_judged(found: Difference, judged: Difference) -> tuple[str, str]:
    """Return whom unjudged documents favour and what is left without them, and that in short."""
    where, brief = say("On judged documents alone"), found.on_judged_in_words
    if found.is_confirmed:
        brief = say("{verdict} too on {found}", verdict=say(found.by_interval), found=brief)
    if judged.shown != found.shown and judged.delta is not None and found.delta is not None:
        favoured = {"system": found.system if found.delta > judged.delta else found.baseline}
        where = say(
            "Unjudged documents count as not relevant, which favours {system}; on judged ones "
            "alone",
            **favoured,
        )
        brief = say("unjudged documents favour {system}; {found}", found=brief, **favoured)
    return _there_too(found, judged, where), brief


def _at_equal_depth(found: Difference, cut: Difference) -> tuple[str, str]:
    """Return what is left of a difference at equal depth, and that in short."""
    lengths = dict(zip((found.baseline, found.system), found.lengths or (0, 0), strict=True))
    (shorter, k), (longer, n) = sorted(lengths.items(), key=lambda each: each[1])
    fields = {"shorter": shorter, "k": f"{k:,}", "longer": longer, "n": f"{n:,}"}
    told = say("{shorter} returns {k} documents, {longer} {n}.", **fields)
    where = say("On the first {k} of both", **fields)
    return paragraph(told, _there_too(found, cut, where)), found.at_depth_in_words


def _there_too(found: Difference, other: Difference, where: str) -> str:
    """Return what another difference of the same systems says of that on whole lists."""
    fields = {
        "where": where,
        "system": found.system,
        "verdict": say(other.by_interval),
        "numbers": other.numbers_and_few,
    }
    if found.direction == other.direction != 0:
        return say("{where} {system} is {verdict} too: {numbers}.", **fields)
    if other.direction:
        return say("{where} {system} would be {verdict}: {numbers}.", **fields)
    if found.direction:
        return say("{where} there is no clear difference: {numbers}.", **fields)
    return say("{where} there is no clear difference either: {numbers}.", **fields)
