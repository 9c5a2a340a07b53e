"""The first screen of a comparison of several systems: a leaderboard."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import polars as pl

from rankreport.comparison import (
    JUDGED_ONLY,
    TIES_REVERSE,
    Basis,
    Comparison,
    Decision,
    Difference,
    Pair,
    contrasts_of,
    depth_shown,
    differences_from_best,
    systems_of,
    verdict_lines,
)
from rankreport.frames import BASELINE, MEASURE, QUERY_ID, SYSTEM
from rankreport.gates import ends_allowing_for_rare
from rankreport.leaderboards import first_on_others, standings
from rankreport.measures import EQUAL, shown_name
from rankreport.reports.content import Content
from rankreport.reports.page import TONE_OF, Badge, Board, ListedSegment, Standing
from rankreport.reports.screen._common import (
    IN_HEADLINE,
    SHOWN_QUERIES,
    ComparedScreen,
    Listed,
    Shown,
    beyond_lists,
    decisive_finding,
    finding_on_groups,
    listed_query,
    queries_in_words,
    segments_shown,
    tone_of,
)
from rankreport.reports.screen.pair import headline_with_moves, worst_queries
from rankreport.reports.sections._parts import with_text_last
from rankreport.reports.sections.all_queries import is_cut
from rankreport.reports.sections.drilldown import pairs_listed, section_of
from rankreport.text import (
    comma_separated,
    decimals,
    decimals_beside,
    listed,
    number,
    paragraph,
    percent,
    relative,
    relative_change,
    say,
    separated,
)

MOST_STANDINGS = 12
"""With more systems, those in the middle of the leaderboard are left out of the first screen."""

_OF_MANY = 7
"""The number of systems shown then."""

MOST_SEGMENTS = 3
"""The most segments listed of several systems."""

_OPEN = "check first"
"""The verdict where unjudged documents decide."""


class SeveralScreen(ComparedScreen):
    """The first screen of a comparison of three or more systems."""

    def screen(self) -> Shown:
        """Return the screen and its numbers."""
        comparison, decision, verdict = self.comparison, self.decision, self.verdict
        pair, found = decision.leading, decision.verdict.found
        clear = not self.doubted and verdict.word != _OPEN
        # Where more judgments decide, it does not matter what so many queries can detect.
        detail = verdict.detail if clear else verdict.without_power(found)
        losses = _losses(comparison, decision)
        action, *notes = self.remedies
        notes += [*self.gate_notes, *self.to_judge]
        if verdict.word == "better" and decision.best is None and not decision.advised.is_open:
            notes.append(decision.open_in_words)
        title, queries = _worst(self.content, comparison, decision)
        means = comparison.table().filter(pl.col(MEASURE) == str(comparison.primary))
        levels = means.select("mean_baseline", "mean_system").iter_rows()
        why = say("{system} against {baseline}: {why}", **pair._asdict(), why=detail)
        others = _other_measures(comparison, decision), beyond_lists(comparison.evaluation)
        return self.shown(
            found,
            badge=_badge(self),
            headline=_headline(comparison, decision),
            plain=paragraph(_plain(decision), verdict.like_these),
            detail=paragraph(why, _holds_too(decision)) if detail else "",
            board=self.board(),
            of_cautions={"of_several": _decided(decision)},
            worst=(title if queries else "", queries),
            more=_more(self.content, comparison, decision),
            action=paragraph(action, _losses_in_words(losses)),
            notes=tuple(notes),
            segments=_segments(decision),
            measures="" if self.doubted else paragraph(*others),
            worse_kind=self.worse_kind,
            figures={
                "relative": None
                if comparison.judges
                else [relative_change(before, after) for before, after in levels],
                "to_judge": self.n_to_judge,
                "losses": losses,
            },
        )

    def board(self) -> Board:
        """Return the leaderboard."""
        comparison, decision, is_doubted = self.comparison, self.decision, bool(self.doubted)
        measures = comparison.evaluation.measures
        names = [str(comparison.primary), *(str(m) for m in measures if m != comparison.primary)]
        n = len(systems_of(comparison.pairs))
        levels = self._of_many() if n > MOST_STANDINGS else self._of_few(names)
        limits, digits = self.limits_and_digits
        rows = list(self._with_differences(levels))
        checked = {row.system for row in rows if row.tone == "check"}
        unsettled = [each for pair, each in decision.pairs.items() if pair.system in checked]
        if unsettled or is_doubted:
            # Intervals that may not hold leave no ranks open, and tell no system from the best.
            rows = [replace(row, ranks="", same=frozenset()) for row in rows]
        if is_doubted:  # nor is a system better or worse whose data are to be checked
            stopped = {each for pair in decision.stopped for each in pair}
            rows = [
                replace(row, tone="open") if row.system in stopped and row.tone != "check" else row
                for row in rows
            ]
        against, otherwise = self._against(rows), ""
        if against and any(each.is_tied and each.over_ties for each in decision.pairs.values()):
            against = say(
                "{difference}; of equal scores, what their orders give", difference=against
            )
        if any(row.on_judged for row in rows):
            against = say("{difference}, unjudged as not relevant", difference=against)
            otherwise = say("the same on judged documents only")
        key = [say("bold: best of its column")]
        if unsettled:
            doubts = {each.decided_by if each.word == _OPEN else Basis.TIES for each in unsettled}
            reasons = [basis.doubt for basis in Basis if basis in doubts]
            key.append(say("!: depends on {reasons}", reasons=listed(reasons)))
        elif not is_doubted:
            shade = (
                say("shaded: may be the best, also because of unjudged documents")
                if decision.rivals(Basis.UNJUDGED)
                else say("shaded: may be the best of its column")
            )
            key = [shade, *key]
            if any(row.ranks for row in rows):
                key.append(_key_to_ranks(decision))
        if comparison.judges is not None:
            key.append(
                say("means by people alone; differences by the verdicts, ranks and shades also")
            )
        shown = [shown_name(comparison.evaluation.measures, name) for name in names]
        shown = shown if n <= MOST_STANDINGS else shown[:1]
        words = against, " · ".join(key)
        return Board(
            tuple(shown), tuple(rows), *words, comparison.confidence, otherwise, digits, limits
        )

    @cached_property
    def required(self) -> dict[str, _Required]:
        """What a gate requires of the rows, by system.

        Where the reference is the candidate, its difference is turned round.
        """
        found, decision = {}, self.decision
        for pair, each in decision.pairs.items():
            finding = decisive_finding(self.content.gate, each.found)
            if finding is None or decision.reference not in pair:
                continue
            text, system = finding.requirement.text, pair.system
            (low, high), limits = finding.decisive, finding.limits or (0.0,)
            if system == decision.reference:
                low, high = (None if end is None else -end for end in (high, low))
                limits, system = tuple(-limit for limit in limits), pair.baseline
                text = say("{text} of {system}", text=text, system=decision.reference)
            found[system] = _Required(text, (low, high), limits, finding.allows_for_rare)
        return found

    @cached_property
    def limits_and_digits(self) -> tuple[tuple[float, ...], int]:
        """The differences that a gate allows, and the decimals that all differences have."""
        decision, required = self.decision, self.required.values()
        found = [each.found for pair, each in decision.pairs.items() if decision.reference in pair]
        compared = [each for each in found if each.baseline == decision.reference]
        on_groups = filter(None, (finding_on_groups(self.content.gate, each) for each in compared))
        limiting = {limit for each in required for limit in each.limits}
        limits = tuple(sorted(limiting.union(*(each.limits for each in on_groups))))
        ends = [end for each in required for end in each.ends]
        return limits, decimals_beside((0.0, *limits), ends, max(each.digits for each in found))

    def _against(self, rows: Sequence[Standing]) -> str:
        """Return what the differences of the rows are, and what their ends; empty without any."""
        if not any(row.shown for row in rows):
            return ""
        comparison, decision = self.comparison, self.decision
        fields = {"baseline": decision.reference, "confidence": percent(comparison.confidence)}
        if self.required:
            return self._decided_on(rows, fields)
        if decision.one_baseline is not None and contrasts_of(comparison).family.corrects:
            return say("difference from {baseline}, simultaneous {confidence} intervals", **fields)
        if decision.one_baseline is not None or comparison.correction == "none":
            return say("difference from {baseline}, {confidence} intervals", **fields)
        return say(
            "difference from {baseline}, {confidence} intervals, simultaneous for all pairs",
            **fields,
        )

    def _decided_on(self, rows: Iterable[Standing], fields: Mapping[str, str]) -> str:
        """Return on what the ends of the rows decide, and what those of the other rows are."""
        text = comma_separated([*dict.fromkeys(each.text for each in self.required.values())])
        if all(each.ends == (None, None) for each in self.required.values()):
            return say(
                "difference from {baseline}; the mean decides on {text}", **fields, text=text
            )
        if any(each.allows_for_rare for each in self.required.values()):
            text = ends_allowing_for_rare(text)
        if {row.system for row in rows if row.ends} <= {*self.required}:
            return say(
                "difference from {baseline}, ends that decide on {text}", **fields, text=text
            )
        return say(
            "difference from {baseline}, ends that decide on {text}, or {confidence} intervals for "
            "all pairs",
            **fields,
            text=text,
        )

    def _of_few(self, names: list[str]) -> list[Standing]:
        """Return all systems with the ranks that the intervals leave open."""
        found = standings(self.comparison).iter_rows(named=True)
        rows = {(row[SYSTEM], row[MEASURE]): row for row in found}
        systems, made = [each.system for each in self.decision.positions], []
        digits = {name: decimals(*(rows[s, name]["mean"] for s in systems)) for name in names}
        for position in self.decision.positions:
            system = position.system
            best = frozenset(i for i, name in enumerate(names) if rows[system, name]["best"])
            same = frozenset(i for i, name in enumerate(names) if rows[system, name]["same"])
            levels = tuple(number(rows[system, name]["mean"], digits[name]) for name in names)
            made.append(Standing(position.ranks, system, levels, best, same))
        return made

    def _of_many(self) -> list[Standing]:
        """Return the best systems, the baseline and the last one, with the ranks left open."""
        comparison, decision = self.comparison, self.decision
        order = decision.order
        means = comparison.means().filter(pl.col(MEASURE) == str(comparison.primary))
        mean_of = dict(means.select(SYSTEM, "mean").iter_rows())
        kept = {*order[: _OF_MANY - 2], order[-1], decision.one_baseline}
        made, skipped = [], [0, 0]
        for position in decision.positions:
            system, may_be_best = position.system, position.may_be_best
            if system not in kept:
                skipped[not may_be_best] += 1
                continue
            row = Standing(
                position.ranks,
                system,
                (number(mean_of[system], 3),),
                frozenset({0} if system == order[0] else ()),
                frozenset({0} if may_be_best else ()),
                n_skipped=(skipped[0], skipped[1]),
                skipped=_skipped_in_words(*skipped),
            )
            made.append(row)
            skipped = [0, 0]
        return made

    def _with_differences(self, standings: Iterable[Standing]) -> Iterator[Standing]:
        """Yield the rows with the differences of their systems from the reference of the screen.

        All rows have the decimals that the difference needs which needs most. Where a gate decides
        on the difference, its ends are drawn.
        """
        comparison, decision, (_, digits) = self.comparison, self.decision, self.limits_and_digits
        baseline = decision.one_baseline
        if baseline is None:
            yield from self._from_reference(standings, digits)
            return
        primary = comparison.table().filter(pl.col(MEASURE) == str(comparison.primary))
        row_of = {Pair(row[BASELINE], row[SYSTEM]): row for row in primary.iter_rows(named=True)}
        for standing in standings:
            if standing.system == baseline:
                yield replace(standing, is_baseline=True)
                continue
            pair = Pair(baseline, standing.system)
            decided, row = decision.pairs[pair], row_of[pair]
            found = decided.found
            low, high = found.ci_low, found.ci_high
            if standing.system in self.required:
                low, high = self.required[standing.system].ends
            if decided.is_tied and decided.over_ties:
                low, high = decided.over_ties
            ends, on_judged = _ends(low, high, digits), _on_judged(found, digits)
            if decided.is_tied:  # an interval of one order would look too sure
                ends, on_judged = say("ties {interval}", interval=ends), ""
            yield replace(
                standing,
                shown=number(found.delta, digits, signed=True),
                ends=ends,
                on_judged=on_judged,
                brief=say("judged only: {found}", found=on_judged) if on_judged else "",
                tally=f"▲{row['wins']:,} ▼{row['losses']:,}",
                relative=""  # the means are by people alone
                if self.comparison.judges
                else relative(row["mean_baseline"], row["mean_system"]),
                value=found.delta,
                low=low,
                high=high,
                tone="check" if decided.reversible else tone_of(decided.word),
            )

    def _from_reference(self, standings: Iterable[Standing], digits: int) -> Iterator[Standing]:
        """Yield the rows with the differences from the first system; intervals hold for all pairs.

        Where something else than the interval decides, there is none.
        """
        found = differences_from_best(self.comparison).iter_rows(named=True)
        rows = {row[SYSTEM]: row for row in found}
        for standing in standings:
            row, position = rows.get(standing.system), self.decision.position(standing.system)
            if row is None or position.to_best is None or row["delta"] is None:
                yield standing
                continue
            settled = position.decided_by is not None and position.decided_by.settles
            low, high = (row["ci_low"], row["ci_high"]) if settled else (None, None)
            if settled and standing.system in self.required:
                low, high = self.required[standing.system].ends
            yield replace(
                standing,
                shown=number(row["delta"], digits, signed=True),
                ends=_ends(low, high, digits),
                value=row["delta"],
                low=low,
                high=high,
                tone=TONE_OF[position.to_best.direction],
            )


def _segments(decision: Decision) -> tuple[ListedSegment, ...]:
    """Return the segments that differ, of each system and one baseline, or of the leading pair."""
    pairs = decision.pairs.values() if decision.one_baseline else (decision.verdict,)
    found = [each for decided in pairs for each in segments_shown(decided, named=True)]
    return tuple(sorted(found, key=lambda each: each.tone != "worse")[:MOST_SEGMENTS])


def _worst(
    content: Content, comparison: Comparison, decision: Decision
) -> tuple[str, tuple[Listed, ...]]:
    """Return the worst query of each of few systems, or those of the reference, with a title."""
    pair, pairs = decision.leading, pairs_listed(comparison)
    if decision.one_baseline is None:
        return _among_leaders(content, comparison, decision)
    if not pairs:
        queries = worst_queries(content, comparison, pair)
        return say("{system} is worse on", system=pair.system), tuple(queries)
    fields = {"baseline": pairs[0].baseline, "k": depth_shown(comparison.primary)}
    title = say("Worst query of each: {baseline} → system, top {k}", **fields)
    title = say("Worst query of each") if comparison.evaluation.n_repeats else title
    return title, tuple(
        Listed(
            replace(
                query,
                system=say("{system}, tied", system=each.system)
                if decision.pairs[each].is_tied
                else each.system,
                href=query.href if each == pair else f"#{section_of(comparison, each)}",
            ),
            figures,
        )
        for each in pairs
        for query, figures in worst_queries(
            content, comparison, each, n=1, tied=decision.pairs[each].is_tied
        )
    )


def _among_leaders(
    content: Content, comparison: Comparison, decision: Decision
) -> tuple[str, tuple[Listed, ...]]:
    """Return where the systems that may be the best differ most, or where the best one loses."""
    best, is_open = decision.reference, decision.best is None
    leaders = decision.may_be_best if is_open else tuple(decision.leading)
    of = comparison.evaluation.values([comparison.primary])
    name = str(comparison.primary)
    known = pl.col(SYSTEM).is_in(list(leaders)) & pl.col(name).is_not_null()
    by_query = of.filter(known).sort(name, SYSTEM).group_by(QUERY_ID, maintain_order=True)
    ends = by_query.agg(
        lowest=pl.col(SYSTEM).first(),
        highest=pl.col(SYSTEM).last(),
        low=pl.col(name).first(),
        high=pl.col(name).last(),
    ).with_columns(spread=pl.col("high") - pl.col("low"))
    weighed = comparison.deltas(**decision.leading._asdict())[QUERY_ID]
    ends = ends.filter(pl.col(QUERY_ID).is_in(weighed.implode()) & (pl.col("spread") > EQUAL))
    if not is_open:
        ends = ends.filter(pl.col("lowest") == best)
    shown = ends.sort("spread", QUERY_ID, descending=[True, False]).head(SHOWN_QUERIES)
    listed_queries = []
    for row in with_text_last(shown, content.queries).iter_rows(named=True):
        spread = number(row["spread"], decimals(row["spread"], least=2))
        why = say(
            "{lowest} {low}, {highest} {high}",
            **{side: row[side] for side in ("lowest", "highest")},
            **{side: number(row[side], 2) for side in ("low", "high")},
        )
        query = listed_query(
            row,
            f"±{spread}" if is_open else number(-row["spread"], 2, signed=True),
            why,
            f"#{section_of(comparison, decision.leading)}",
            "open" if is_open else "worse",
        )
        names = (QUERY_ID, "lowest", "low", "highest", "high", "spread")
        listed_queries.append(Listed(query, {each: row[each] for each in names}))
    title = say("Where the leaders differ")
    if not is_open:
        [other] = [each for each in leaders if each != best]
        title = say("{system} is worse than {baseline} on", system=best, baseline=other)
    return title, tuple(listed_queries)


def _losses(comparison: Comparison, decision: Decision) -> list[tuple[int, float, str]]:
    """Return of systems that evidence favours, where it is open which is best, what they lose.

    These are the number of queries, the largest loss, and the system, the fewest first. There are
    none unless the first one also has the smallest of the largest losses.
    """
    advised = decision.advised
    if not (advised.is_open and advised.baseline and 1 < len(advised.systems) <= IN_HEADLINE):
        return []
    found = []
    for system in advised.systems:
        lost = comparison.losses(system=system, baseline=advised.baseline).frame
        found.append((len(lost), next(iter(lost["delta"]), 0.0), system))
    (n, least, _), *others = sorted(found)
    clear = all(n < more and least > worst for more, worst, _ in others)
    return sorted(found) if clear else []


def _losses_in_words(losses: Sequence[tuple[int, float, str]]) -> str:
    """Return what the systems lose, in a sentence; empty without any."""
    named = [
        say(
            "{system} on {queries}, {worst} at worst",
            system=system,
            queries=queries_in_words(n),
            worst=number(worst, decimals(worst, least=2), signed=True),
        )
        for n, worst, system in losses
    ]
    if not named:
        return ""
    return say("Losses: {losses}.", losses=separated("; ", named))


def _decided(decision: Decision) -> dict[str, list[str]]:
    """Return the systems on which unjudged documents or equal scores decide, by the caution."""
    pairs = decision.pairs
    of = {
        JUDGED_ONLY.code: [pair for pair in pairs if pairs[pair].found.word == _OPEN],
        TIES_REVERSE.code: [pair for pair in pairs if pairs[pair].reversible],
    }
    compared = {system for pair in pairs for system in pair} - {decision.one_baseline}
    in_order = [system for system in decision.order if system in compared]
    return {
        code: [system for system in in_order if any(system in pair for pair in found)]
        for code, found in of.items()
    }


def _other_measures(comparison: Comparison, decision: Decision) -> str:
    """Return which systems differ from the one baseline on other measures, or who leads on them."""
    if decision.one_baseline is None:
        return first_on_others(comparison)
    found: dict[int, list[str]] = {1: [], -1: []}
    for pair, decided in decision.pairs.items():
        others = () if decided.word == "check first" else decided.others
        for gain, systems in found.items():
            if names := [e.qualified(e.shown) for e in others if e.gain == gain]:
                words = say("{system} on {measures}", system=pair.system, measures=listed(names))
                systems.append(words)
    named = [
        comma_separated(words) if len(words) <= IN_HEADLINE else say("{n} systems", n=len(words))
        for words in found.values()
    ]
    parts = [
        say("better: {systems}", systems=named[0]) if found[1] else "",
        say("worse: {systems}", systems=named[1]) if found[-1] else "",
    ]
    if found[-1] and not found[1]:
        parts.append(say("none is clearly better"))
    known = separated("; ", filter(None, parts))
    return say("Other measures: {found}.", found=known) if known else ""


def _holds_too(decision: Decision) -> str:
    """Return what share of queries the others leave possible of which the verdict is seen only."""
    if not decision.seen_only:
        return ""
    shares = [
        say(
            "up to {share} for {system}", share=each.found.unseen.share_in_words, system=pair.system
        )
        for pair, each in decision.pairs.items()
        if pair != decision.leading and pair.system in decision.advised.systems
        if each.seen_only and each.found.unseen is not None
    ]
    return say("It is {shares}.", shares=listed(shares)) if shares else ""


def _more(content: Content, comparison: Comparison, decision: Decision) -> str:
    """Return the words of the link to all queries, or those that the page lists."""
    pair, leading = decision.first_pair, decision.leading
    deltas = comparison.deltas(**leading._asdict())["delta"] * (1 if pair == leading else -1)
    fields = {"n": f"{(deltas < 0).sum():,}", "m": f"{(deltas > 0).sum():,}"}
    fields["system"] = pair.system
    if decision.one_baseline is None:
        fields["system"] = say("{system} against {baseline}", **pair._asdict())
    if is_cut(content):
        return say("the largest changes of {system}: {n} worse, {m} better in all", **fields)
    return say("all queries of {system}: {n} worse, {m} better", **fields)


def _words(decision: Decision) -> dict[str, list[str]]:
    """Return the systems that are compared with the one baseline, by verdict."""
    found: dict[str, list[str]] = {}
    for pair, decided in decision.pairs.items():
        found.setdefault(decided.word, []).append(pair.system)
    return found


def _badge(screen: SeveralScreen) -> Badge:
    """Return who is better, if that is settled; otherwise the badge of the verdict."""
    decision = screen.decision
    if screen.doubted or screen.verdict.word == _OPEN:
        return screen.badge
    better = _words(decision).get("better", [])
    if decision.one_baseline is not None:
        if not better:
            mixed = screen.verdict.word == "unchanged" and len(_words(decision)) > 1
            return Badge("?", say("None is better"), "open") if mixed else screen.badge
        text = say("{n} of {all} better", n=len(better), all=len(decision.pairs))
        seen = len(better) == len(_only_seen(better, decision))
    elif decision.best_are_equal:
        text, seen = say("{systems} are best", systems=_named(decision.leaders)), False
    elif decision.best is None:
        return Badge("?", say("The best is open"), "open")
    else:
        text, seen = say("{system} is best", system=decision.best), decision.best_seen_only
    text = say("{verdict}, on these queries", verdict=text) if seen else text
    return Badge("▲", text, "better", seen)


def _headline_on(baseline: str, comparison: Comparison, decision: Decision) -> str:
    """Return which systems are better than the one baseline, in a sentence."""
    words = _words(decision)
    fields = {"baseline": baseline, "measure": comparison.primary.shown}
    better, worse = words.get("better", []), words.get("worse", [])
    if len(better) == 1:
        decided = decision.pairs[Pair(baseline, better[0])]
        return headline_with_moves(decided.found, decided)
    if better:
        fields["systems"] = say("Several systems") if len(better) > IN_HEADLINE else listed(better)
        verdict = say("{systems} are better than {baseline} on {measure}", **fields)
        return _as_seen(verdict, better, decision)
    if len(worse) == len(decision.pairs):
        verdict = say("All systems are worse than {baseline} on {measure}", **fields)
        return _as_seen(verdict, worse, decision)
    return say("No system is shown to be better than {baseline} on {measure}", **fields)


def _as_seen(verdict: str, systems: Sequence[str], decision: Decision) -> str:
    """Return a verdict on systems with those of which it holds only on these queries."""
    seen = _only_seen(systems, decision)
    if len(seen) == len(systems):
        return say("{verdict}, on these queries", verdict=verdict)
    if seen and len(systems) <= IN_HEADLINE:
        return say("{verdict}, {systems} on these queries", verdict=verdict, systems=listed(seen))
    return verdict


def _only_seen(systems: Sequence[str], decision: Decision) -> list[str]:
    """Return those of some systems of which the verdict holds only on these queries."""
    found = {pair.system for pair, each in decision.pairs.items() if each.seen_only}
    return [each for each in systems if each in found]


def _headline(comparison: Comparison, decision: Decision) -> str:
    baseline = decision.one_baseline
    if baseline is not None:
        return _headline_on(baseline, comparison, decision)
    (best, *others), rivals = decision.order, decision.rivals()
    measure = comparison.primary.shown
    if decision.best_are_equal:
        return _headline_of_equals(decision, measure)
    if not rivals:
        verdict = say(
            "{best} leads on {measure}; all others are below it", best=best, measure=measure
        )
        seen = decision.best_seen_only
        return say("{verdict}, on these queries", verdict=verdict) if seen else verdict
    few = len(rivals) <= IN_HEADLINE
    if len(rivals) == len(others):
        named = _named(decision.order)
        return say("No clear winner among {systems} on {measure}", systems=named, measure=measure)
    if few and len(decision.leaders) == 1:
        return say(
            "{best} leads on {measure}; {systems} may be as good",
            best=best,
            measure=measure,
            systems=listed(rivals),
        )
    return say(
        "{n} of {all} systems may be the best; {best} has the highest {measure}",
        best=best,
        measure=measure,
        n=len(rivals) + 1,
        all=len(others) + 1,
    )


def _headline_of_equals(decision: Decision, measure: str) -> str:
    fields = {"systems": _named(decision.leaders), "measure": measure}
    if len(decision.leaders) == len(decision.order):
        return say("{systems} are equal on {measure}", **fields)
    return say("{systems} are equal and lead on {measure}; all others are below them", **fields)


def _named(systems: Sequence[str]) -> str:
    """Return systems by their names, or how many there are."""
    if len(systems) <= IN_HEADLINE + 1:
        return listed(systems)
    return say("{n} systems", n=len(systems))


def _plain(decision: Decision) -> str:
    """Return who is established as better or worse than the baseline."""
    if decision.one_baseline is None:
        return ""
    named = len(_words(decision).get("better", ())) <= IN_HEADLINE  # in the headline
    others = {
        pair.system: each
        for pair, each in decision.pairs.items()
        if not (named and each.word == "better")
    }
    return paragraph(*verdict_lines(others, figures=False))


class _Required(NamedTuple):
    """What a gate requires of the difference of a row, and the ends that decide on it."""

    text: str
    ends: tuple[float | None, float | None]
    limits: tuple[float, ...]
    allows_for_rare: bool


def _key_to_ranks(decision: Decision) -> str:
    """Return what the ranks are, and those in brackets where there are any."""
    if all(each.ranks_seen == (each.highest, each.lowest) for each in decision.positions):
        return say("rank: places left open for all at once")
    return say("rank: places left open for all at once; in brackets, by the verdicts")


def _skipped_in_words(n_best: int, n_others: int) -> str:
    """Return how many systems are left out that may be the best, and that may not."""
    best = say("{n} more that may be the best", n=n_best) if n_best else ""
    others = say("{n} more that are not the best", n=n_others) if n_others else ""
    return comma_separated([each for each in (best, others) if each])


def _ends(low: float | None, high: float | None, digits: int) -> str:
    """Return an interval of a difference in figures; empty without one."""
    if low is None or high is None:
        return ""
    ends = {"low": low, "high": high}
    shown = {name: number(end, digits, signed=True) for name, end in ends.items()}
    if math.isinf(low) or math.isinf(high):
        return f"≥ {shown['low']}" if math.isinf(high) else f"≤ {shown['high']}"
    return say("{low} to {high}", **shown)


def _on_judged(found: Difference, digits: int) -> str:
    """Return a difference on judged documents alone; empty where all are judged."""
    if found.on_judged is None or found.lowest == found.highest == 0:
        return ""
    delta = number(found.on_judged.delta, digits, signed=True)
    interval = _ends(found.on_judged.ci_low, found.on_judged.ci_high, digits)
    return say("{delta} ({interval})", delta=delta, interval=interval) if interval else delta
