"""The first screen of a comparison of two systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import polars as pl

from rankreport.comparison import (
    REASON,
    TIES_REVERSE,
    ComparedPair,
    Comparison,
    Difference,
    Pair,
    PairDecision,
)
from rankreport.evaluation import RATED
from rankreport.frames import BASELINE, MEASURE, QUERY_ID, SYSTEM
from rankreport.gates import Gate, interval_explained
from rankreport.reports.content import Content
from rankreport.reports.page import Amount, IntervalStrip, Tone, WinBar
from rankreport.reports.screen._common import (
    SHOWN_QUERIES,
    UNMATCHED,
    ComparedScreen,
    Early,
    Listed,
    Shown,
    beyond_lists,
    decisive_finding,
    early_figures,
    finding_on_groups,
    listed_query,
    n_found,
    queries_in_words,
    relevant_document,
    segments_shown,
    tone_of,
)
from rankreport.reports.sections._parts import with_text_last
from rankreport.reports.sections.all_queries import is_cut
from rankreport.reports.sections.depth import cutoffs_of_primary
from rankreport.reports.sections.drilldown import (
    anchor_of,
    biggest_losses,
    top_changes_of,
    why_lost,
)
from rankreport.reports.sections.unanswerable import answered_in_words
from rankreport.statistics import MIN_CHANGED
from rankreport.text import (
    capital,
    decimals,
    listed,
    number,
    paragraph,
    relative,
    relative_change,
    say,
)


class PairScreen(ComparedScreen):
    """The first screen of a comparison of two systems."""

    @property
    def decided(self) -> PairDecision:
        """What was decided of the pair."""
        return self.decision.verdict

    @property
    def compared(self) -> ComparedPair:
        """The pair."""
        return ComparedPair(self.comparison, self.decided.pair)

    @cached_property
    def one_sided(self) -> bool:
        """Whether the verdict waits for queries that one system did not answer."""
        return self.compared.is_one_sided

    @cached_property
    def difference(self) -> tuple[Difference, dict[str, Any]]:
        """The difference of the verdict, and its row; where one is silent, of the others."""
        found, rows, pair = self.decided.found, self.comparison.table(), self.decided.pair
        if self.one_sided:
            found, rows = self.compared.on_answered()
        of_primary = pl.col(MEASURE) == str(self.comparison.primary)
        of_pair = (pl.col(SYSTEM) == pair.system) & (pl.col(BASELINE) == pair.baseline)
        return found, rows.row(by_predicate=of_primary & of_pair, named=True)

    @property
    def unmatched(self) -> bool:
        """Whether lists do not fit the judgments: their wins and losses say nothing."""
        return any(each.code in UNMATCHED for each in self.stops)

    @property
    def reversible(self) -> bool:
        """Whether equal scores could turn the verdict round: an interval of one order misleads."""
        return any(each.code == TIES_REVERSE.code for each in self.stops)

    @property
    def tone(self) -> Tone:
        """How the difference is drawn."""
        return "open" if self.doubted else tone_of(self.difference[0].word)

    def screen(self) -> Shown:
        """Return the screen and its numbers."""
        comparison, gate, decided = self.comparison, self.content.gate, self.decided
        one_sided, pair, (found, row) = self.one_sided, decided.pair, self.difference
        losses = 0 if self.unmatched else row["losses"] or 0
        action, *notes = self.remedies
        if one_sided:
            action = _completing(comparison, pair)
        # What could be detected does not matter where data are to be mended, or a gate has decided.
        decisive = not self.doubted and (gate is None or gate.outcome != "pass")
        tied = _tied(comparison, pair) if self.reversible or decided.ties_weigh_most else {}
        # A count of queries is easily believed, so there is none where the data are not valid.
        early = None if self.doubted or found.word == "inconclusive" else _early(comparison)
        answered, plain = answered_in_words(comparison, pair), _plain(comparison, pair, early)
        opposite = self.compared.opposite_at_cutoffs(cutoffs_of_primary(self.content))
        if decided.silence_in_words and not self.doubted:
            silence = "" if decided.settles_silence_alone else decided.silence_in_words
            plain, answered = paragraph(silence, answered, plain), ""
        # With a gate, what a verdict waits for is said after its outcome.
        waits = gate is not None and found.word == "check first"
        of = {"answered": one_sided, "tied": self.reversible}
        worst = [*worst_queries(self.content, comparison, pair, **of)] if losses else []
        return self.shown(
            found,
            badge=self.badge,
            headline="" if waits else headline_with_moves(found, decided),
            plain=paragraph(plain, opposite, self.verdict.like_these),
            detail=self.verdict.detail if decisive else self.verdict.without_power(found),
            amount=_amount(self),
            is_doubted=bool(self.doubted),
            strip=None if self.unmatched or self.reversible else _strip(self),
            bar=None if self.unmatched else _bar(self),
            answered=answered,
            of_cautions={"briefs": {TIES_REVERSE.code: _moved_by_order(decided)}},
            worst=(_listed(self) if losses else "", worst),
            more="" if self.unmatched else _more(self),
            action=action,
            notes=(
                *(*notes, *_first_scored(decided), *self.to_judge),
                *(*_tied_in_words(tied), *_margin_in_words(found, gate), *self.gate_notes),
            ),
            segments=segments_shown(decided),
            measures=paragraph(decided.others_in_words, beyond_lists(comparison.evaluation)),
            worse_kind=None if one_sided else self.worse_kind,
            figures={
                **early_figures(early),
                "answered": {name: row[name] for name in _OF_ANSWERED} if one_sided else None,
                "relative": relative_change(row["mean_baseline"], row["mean_system"]),
                "detectable": found.detectable,
                "to_judge": self.n_to_judge,
            },
        )


_OF_ANSWERED = (
    *("n_queries", "n_changed", "mean_baseline", "mean_system", "delta", "ci_low", "ci_high"),
    *("wins", "ties", "losses"),
)
"""The figures of the queries that both systems answered."""


def headline_with_moves(found: Difference, decided: PairDecision) -> str:
    """Return the verdict in a sentence without figures, with other measures that say otherwise."""
    moves = decided.moves_otherwise
    fields = {"system": found.system, "baseline": found.baseline, "moves": moves}
    if decided.settles_silence_alone:
        fields = {"verdict": decided.silence, "measure": found.measure_shown}
        return say("{verdict}; on {measure} it is open", **fields)
    if found.word == "inconclusive" and decided.is_trade_off:
        return say("Measures disagree on {system} against {baseline}: {moves}", **fields)
    words = found.headline(found.word)
    return say("{verdict}, but {moves}", verdict=words, moves=moves) if moves else words


def _early(comparison: Comparison) -> Early | None:
    """Return in how many queries searchers find something at once, where queries count alike."""
    decided = comparison.decision.verdict
    if decided.found.word == "check first" or comparison.query_metadata.weights is not None:
        return None
    if any(each.code == RATED.code for each in comparison.cautions):
        return None  # where a low rating is relevant, too
    shared = comparison.deltas(**decided.pair._asdict()).drop_nulls("delta")
    return n_found(comparison.evaluation, shared[QUERY_ID])


_FEW = 0.02
"""Differences in fewer of the queries are not named, as the mean may say otherwise."""


def _plain(comparison: Comparison, pair: Pair, early: Early | None) -> str:
    """Return in how many queries searchers find something at once, with both systems.

    Where unjudged documents decide, what they decide is more important.
    """
    decisive = comparison.decision.pairs[pair].found
    if decisive.word == "check first":
        return say("{title}.", title=decisive.unjudged_standing)
    if early is None:
        return ""
    k, n_of = early
    # The numbers are of the queries that people judged, also where a model judged more.
    found = ComparedPair(comparison, pair).own
    before, after = (round(n_of[name]) for name in (pair.baseline, pair.system))
    queries = queries_in_words(found.n_queries)
    shown = {"before": f"{before:,}", "after": f"{after:,}", "queries": queries}
    fields = {
        "k": k,
        "relevant": relevant_document(comparison.evaluation),
        **shown,
        **pair._asdict(),
    }
    if abs(after - before) < max(1, _FEW * found.n_queries):
        return ""
    if (after - before) * found.direction < 0:
        return say(
            "Yet {system} has {relevant} in the top {k} for {after} of {queries}, {baseline} for "
            "{before}.",
            **fields,
        )
    return say(
        "{system} has {relevant} in the top {k} for {after} of {queries}, {baseline} for {before}.",
        **fields,
    )


def _listed(screen: PairScreen) -> str:
    """Return the title of the list of queries."""
    title = say("Worse on")
    if screen.reversible:
        return say("Worse on, with equal scores in this order")
    if screen.one_sided:
        return say("Worse where both answered")
    return say("{title} (not valid yet)", title=title) if screen.doubted else title


def _tied(comparison: Comparison, pair: Pair) -> dict[str, int]:
    """Return on how many queries the order of equal scores matters, where that is known."""
    ties = comparison.evaluation.ties().filter(pl.col(MEASURE) == str(comparison.primary))
    n_of = dict(ties.select(SYSTEM, "n_queries").iter_rows())
    return {system: n_of[system] for system in pair if n_of.get(system)}


def _first_scored(decided: PairDecision) -> tuple[str, ...]:
    """Return that equal scores could reverse an open difference, unless the action says so."""
    why = _moved_by_order(decided)
    if decided.found.word != "inconclusive" or not decided.is_tied or decided.ties_weigh_most:
        why = ""
    return (say("First give documents different scores: {why}.", why=why),) if why else ()


def _margin_in_words(found: Difference, gate: Gate | None) -> tuple[str, ...]:
    """Return what the margin on the strip is, unless a gate says it."""
    if found.margin is None or gate is not None:
        return ()
    margin = f"{found.margin:g}"
    return (say("Margin: differences of up to {margin} were set not to matter.", margin=margin),)


def _moved_by_order(decided: PairDecision) -> str:
    """Return what the order of equal scores could change, if that is known."""
    if decided.over_ties is None:
        return ""
    low, high = map(decided.found.printed, decided.over_ties)
    return say("the order of equal scores alone moves it from {low} to {high}", low=low, high=high)


def _tied_in_words(tied: Mapping[str, int]) -> tuple[str, ...]:
    found = [
        say("{n} of {group}", n=queries_in_words(n), group=system) for system, n in tied.items()
    ]
    return (say("Equal scores matter in {queries}.", queries=listed(found)),) if found else ()


def _completing(comparison: Comparison, pair: Pair) -> str:
    """Return what to do where one system did not answer."""
    unanswered = comparison.evaluation.unanswered.group_by(SYSTEM).len()
    n_of = dict(unanswered.filter(pl.col(SYSTEM).is_in(list(pair))).iter_rows())
    return say(
        "Complete the run of {system}: the queries that it did not answer may be harder.",
        system=max(n_of, key=lambda system: n_of[system]),
    )


def _amount(screen: PairScreen) -> Amount:
    comparison, decided, (found, row) = screen.comparison, screen.decided, screen.difference
    answered, doubted = screen.one_sided, screen.doubted
    levels = _levels(comparison.primary.shown, row, found.digits)
    if answered:
        queries = queries_in_words(found.n_queries)
        levels = say(
            "on the {queries} that both answered: {levels}", queries=queries, levels=levels
        )
    elif screen.reversible:
        levels = say("with equal scores in one order of many: {levels}", levels=levels)
    elif not doubted and found.word == "check first" and row["mean_system"] is not None:
        levels = say(
            "{measure} {base} → {level}, unjudged as not relevant",
            measure=comparison.primary.shown,
            base=number(row["mean_baseline"], found.digits),
            level=number(row["mean_system"], found.digits),
        )
    interval = _interval_in_words(found)
    ends = decided.over_ties if screen.reversible else None
    if ends is not None:
        low, high = map(found.printed, ends)
        interval = say(
            "in other orders {low} to {high}; in this one {interval}",
            low=low,
            high=high,
            interval=interval,
        )
    # In one order of equal scores alone, no end decides.
    finding = decisive_finding(screen.content.gate, found) if ends is None else None
    if finding is not None and finding.interval != interval:
        fields = {"interval": interval, "bound": interval_explained(finding)}
        interval = say("{interval}; for the gate, {bound}", **fields)
    also = "" if doubted else found.at_depth_in_words
    if comparison.judges is not None:
        by_people = queries_in_words(row["n_queries"])
        levels = say("by people alone, {queries}: {levels}", queries=by_people, levels=levels)
        if not answered and found != screen.compared.own:
            words = say("a model's judgments corrected by people's: {interval}", interval=interval)
            levels, interval = words, levels
    if doubted and not answered and not screen.reversible and row["mean_system"] is not None:
        levels = say("not valid until the data are checked: {levels}", levels=levels)
    return Amount(found.shown, levels, interval, screen.tone, capital(also))


def _levels(measure: str, row: dict[str, Any], digits: int) -> str:
    if row["mean_system"] is None or row["mean_baseline"] is None:
        return say("{measure}: no query has a value for both systems", measure=measure)
    levels = say(
        "{measure} from {base} to {level}",
        measure=measure,
        base=number(row["mean_baseline"], digits),
        level=number(row["mean_system"], digits),
    )
    change = relative(row["mean_baseline"], row["mean_system"])
    return say("{levels} ({change})", levels=levels, change=change) if change else levels


def _interval_in_words(found: Difference) -> str:
    """Return the interval of a difference, or why there is none."""
    if found.ci_low is not None:
        return found.interval
    if found.n_queries == 0:
        return say("no interval: no query has a value for both systems")
    if found.n_changed == 0:
        return say("no interval: no query changed")
    if found.n_changed < MIN_CHANGED and found.has_few_queries:
        return say("no interval: fewer than {n} queries", n=MIN_CHANGED)
    if found.n_changed < MIN_CHANGED:
        return say("no interval: fewer than {n} queries changed", n=MIN_CHANGED)
    return say("no interval: all differences are the same")


def _strip(screen: PairScreen) -> IntervalStrip | None:
    """Return the interval to draw, with what a gate allows, or None without a difference."""
    (found, _), gate = screen.difference, screen.content.gate
    if found.delta is None:
        return None
    rare = found.deciding_low if found.direction > 0 else found.deciding_high
    strip = IntervalStrip(
        found.measure_shown,
        found.delta,
        found.ci_low,
        found.ci_high,
        found.confidence,
        screen.tone,
        margin=found.margin,
        digits=found.digits,
        rare=rare if found.seen_only else None,
    )
    finding = decisive_finding(gate, found) or finding_on_groups(gate, found)
    if finding is None:
        return strip
    requirement, (low, high) = finding.requirement, finding.decisive
    strip = replace(strip, of_groups=bool(finding.groups))
    if not finding.groups:  # whose ends are those of a group
        strip = replace(strip, low=low, high=high, decisive=interval_explained(finding), rare=None)
    if requirement.kind == "equivalence":
        return replace(strip, margin=strip.margin or requirement.threshold)
    return replace(strip, limit=requirement.threshold or None)


def _bar(screen: PairScreen) -> WinBar | None:
    _, row = screen.difference
    if not row["n_queries"]:
        return None
    tally = row["wins"], row["ties"], row["losses"]
    if screen.weighs:  # means over queries that count alike would say otherwise
        return WinBar(*tally, None, None)
    rows = screen.comparison.deltas(**screen.decided.pair._asdict()).drop_nulls("delta")
    if screen.one_sided:
        rows = rows.filter(~pl.col(QUERY_ID).is_in(screen.compared.unanswered.implode()))
    delta = pl.col("delta")
    win, loss = rows.select(
        delta.filter(delta > 0).mean(), loss=delta.filter(delta < 0).mean()
    ).row(0)
    return WinBar(*tally, win, loss)


def worst_queries(
    content: Content,
    comparison: Comparison,
    pair: Pair,
    *,
    n: int = SHOWN_QUERIES,
    answered: bool = False,
    tied: bool = False,
) -> Iterable[Listed]:
    """Yield the `n` largest losses, each with a link to its documents.

    With `answered`, only of the queries that both systems answered; `tied` says that the order of
    equal scores decides, and not the unjudged documents.
    """
    compared = ComparedPair(comparison, pair)
    losses = biggest_losses(compared).with_row_index("place")
    if answered:  # the biggest are those of queries without an answer
        every = compared.on_side(-1).with_row_index("place")
        losses = every.filter(~pl.col(QUERY_ID).is_in(compared.unanswered.implode()))
    losses = losses.head(n)
    changes = top_changes_of(comparison, pair, losses)
    losses = compared.with_reasons(losses)
    for row in with_text_last(losses, content.queries).iter_rows(named=True):
        place, change = row["place"], changes.get(row[QUERY_ID])
        change = None if compared.has_several_runs else change
        why = "" if change is None else why_lost(None if tied else row[REASON], change.brief)
        # Documents are shown of the first losses, which here are queries without an answer.
        anchor = anchor_of(compared, place, documents=bool(changes) and not answered)
        amount = number(row["delta"], decimals(row["delta"], least=2), signed=True)
        query = listed_query(row, amount, why, f"#{anchor}", "worse")
        figures = {
            **pair._asdict(),
            **{name: row[name] for name in (QUERY_ID, "delta", REASON)},
            **({} if change is None else change._asdict()),
        }
        figures.pop("brief", None)  # words in the language of the page
        yield Listed(query, figures)


def _more(screen: PairScreen) -> str:
    """Return the words of the link to all queries: how many of them are worse and better."""
    _, row = screen.difference
    if screen.one_sided:
        return say("all queries, answered or not")
    fields = {"n": f"{row['losses'] or 0:,}", "m": f"{row['wins'] or 0:,}"}
    if is_cut(screen.content):
        return say("the largest changes: {n} worse, {m} better in all", **fields)
    return say("all queries: {n} worse, {m} better", **fields)
