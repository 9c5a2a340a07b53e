"""The first screen of a comparison of two systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from rankreport.comparison import (
    REASON,
    TIES_REVERSE,
    ComparedPair,
    Comparison,
    Decision,
    Difference,
    Judgments,
    Pair,
    PairDecision,
    VerdictWords,
)
from rankreport.evaluation import RATED
from rankreport.frames import BASELINE, MEASURE, QUERY_ID, SYSTEM, TEXT
from rankreport.gates import Gate
from rankreport.reports.content import Content
from rankreport.reports.page import (
    Amount,
    IntervalStrip,
    ListedQuery,
    Screen,
    Tone,
    WinBar,
)
from rankreport.reports.screen._common import (
    SHOWN_QUERIES,
    Early,
    Listed,
    Shown,
    advice,
    badge_of,
    beyond_lists,
    capital,
    cautions_shown,
    decisive_finding,
    finding_on_groups,
    gate_badge,
    gate_notes,
    headline_of_data,
    is_reversible,
    is_unmatched,
    judged_figures,
    judged_in_words,
    kind_shown,
    limited_by_kind,
    n_found,
    opened_by_gate,
    queries_in_words,
    segments_shown,
    small_segments,
    to_judge,
    to_judge_in_words,
    tone_of,
    worse_kind,
)
from rankreport.reports.sections._parts import with_text_last
from rankreport.reports.sections.all_queries import ALL_QUERIES, is_cut
from rankreport.reports.sections.datasets import (
    datasets_shown,
    on_these_data_sets,
)
from rankreport.reports.sections.depth import turned_at_depths
from rankreport.reports.sections.drilldown import (
    anchor_of,
    biggest_losses,
    top_changes_of,
    why_lost,
)
from rankreport.reports.sections.unanswerable import answered_in_words
from rankreport.statistics import MIN_CHANGED
from rankreport.text import decimals, listed, number, paragraph, relative, relative_change, say


def screen_of_pair(
    content: Content, comparison: Comparison, decision: Decision, verdict: VerdictWords
) -> Shown:
    """Return the first screen of a comparison of two systems."""
    gate, decided = content.gate, decision.verdict
    pair, found = decided.pair, decided.found
    row = _row(comparison, pair)
    compared = ComparedPair(comparison, pair)
    one_sided = compared.is_one_sided
    if one_sided:
        found, rows = compared.on_answered()
        row = rows.row(by_predicate=pl.col(MEASURE) == str(comparison.primary), named=True)
    # Lists that do not fit the judgments have wins and losses, which say nothing.
    unmatched = is_unmatched(verdict)
    # An interval in one order of equal scores would be drawn as if the others did not matter.
    reversible = is_reversible(verdict)
    badge = on_these_data_sets(badge_of(verdict), comparison)
    badges = [badge] if gate is None else [badge, gate_badge(gate)]
    losses = 0 if unmatched else row["losses"] or 0
    doubted = headline_of_data(verdict)
    action, notes = advice(verdict)
    worse = None if one_sided else worse_kind(content, comparison)
    action = paragraph(action, limited_by_kind(worse, decision))
    if one_sided:
        action = _completing(comparison, pair)
    # What could be detected does not matter where data are to be mended, or a gate has decided.
    decisive = not doubted and (gate is None or gate.outcome != "pass")
    detail = verdict.detail if decisive else verdict.without_power(found)
    n_to_judge = to_judge(comparison, pair, verdict)
    tied = _tied(comparison, pair) if reversible or decided.ties_weigh_most else {}
    notes += (*_first_scored(decided), *to_judge_in_words(n_to_judge), *_tied_in_words(tied))
    notes += _margin_in_words(found, gate)
    if gate is not None:
        notes += gate_notes(gate)
    tone: Tone = "open" if doubted else tone_of(found.word)
    headline = headline_with_moves(found, decided)
    segments = () if doubted else segments_shown(decided)
    # A count of queries is easily believed, so there is none where the data are not valid.
    early = None if doubted or found.word == "inconclusive" else _early(comparison)
    answered = answered_in_words(comparison, pair)
    plain = ""
    if not doubted:
        plain = _plain(comparison, pair, early)
        if decided.silence_in_words:
            silence = "" if decided.settles_silence_alone else decided.silence_in_words
            plain, answered = paragraph(silence, answered, plain), ""
        plain = paragraph(plain, turned_at_depths(content), verdict.like_these)
    if not doubted and comparison.evaluation.datasets:
        segments = (*datasets_shown(comparison), *segments)
    if gate is not None and not doubted:
        verdict_first = "" if found.word == "check first" else headline  # otherwise it says why
        headline, plain = opened_by_gate(gate, verdict_first, plain, segments)
    listed_queries = worst_queries(content, comparison, pair, answered=one_sided, tied=reversible)
    worst = [*listed_queries] if losses else []
    bar = None if unmatched else _bar(comparison, pair, row, answered=one_sided)
    figures = {
        **judged_figures(comparison.evaluation),
        "early": None if early is None else early.to_plain(),
        "answered": {name: row[name] for name in _OF_ANSWERED} if one_sided else None,
        "relative": relative_change(row["mean_baseline"], row["mean_system"]),
        "detectable": found.detectable,
        "to_judge": n_to_judge,
        "listed": [each.figures for each in worst],
    }
    screen = Screen(
        badges=tuple(badges),
        headline=doubted or headline,
        plain=plain,
        detail=detail,
        amount=_amount(found, row, tone, comparison, verdict, answered=one_sided, gate=gate),
        is_doubted=bool(doubted),
        strip=None if unmatched or reversible else _strip(found, tone, gate),
        bar=bar,
        judged=paragraph(
            answered,
            judged_in_words(
                comparison.evaluation, (pair.baseline, pair.system), Judgments.of(comparison).source
            ),
        ),
        **cautions_shown(
            verdict.cautions,
            found,
            briefs={TIES_REVERSE.code: _moved_by_order(decided)},
            advised=bool(doubted),
            listed_segments=bool(segments),
        ),
        listed=_listed(
            losses,
            answered=one_sided,
            reversible=reversible,
            valid=not doubted or one_sided or reversible,
        ),
        queries=tuple(each.query for each in worst),
        more="" if unmatched else _more(content, row, answered=one_sided),
        href=f"#{ALL_QUERIES}",
        action=action,
        notes=tuple(notes),
        segments=segments if doubted else (*segments, *small_segments(comparison)),
        measures=paragraph(decided.others_in_words, beyond_lists(comparison.evaluation)),
        kinds=kind_shown(worse, decision),
    )
    return Shown(screen, figures)


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


def _row(comparison: Comparison, pair: Pair) -> dict[str, Any]:
    return comparison.table().row(
        by_predicate=(pl.col(MEASURE) == str(comparison.primary))
        & (pl.col(SYSTEM) == pair.system)
        & (pl.col(BASELINE) == pair.baseline),
        named=True,
    )


def _early(comparison: Comparison) -> Early | None:
    """Return in how many queries searchers find something at once, where queries count alike."""
    decided = comparison.decision.verdict
    if decided.found.word == "check first" or comparison.query_metadata.weights is not None:
        return None
    if any(each.code == RATED.code for each in comparison.cautions):
        return None  # where a low rating is relevant, too
    return n_found(comparison.evaluation)


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
    fields = {"k": k, **shown, **pair._asdict()}
    if abs(after - before) < max(1, _FEW * found.n_queries):
        return ""
    if (after - before) * found.direction < 0:
        return say(
            "Yet {system} has a relevant document in the top {k} for {after} of {queries}, "
            "{baseline} for {before}.",
            **fields,
        )
    return say(
        "{system} has a relevant document in the top {k} for {after} of {queries}, {baseline} for "
        "{before}.",
        **fields,
    )


def _listed(losses: int, *, answered: bool, reversible: bool, valid: bool) -> str:
    """Return the title of the list of queries."""
    if not losses:
        return ""
    title = say("Worse on")
    if reversible:
        title = say("Worse on, with equal scores in this order")
    elif answered:
        title = say("Worse where both answered")
    return title if valid else say("{title} (not valid yet)", title=title)


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


def _amount(
    found: Difference,
    row: dict[str, Any],
    tone: Tone,
    comparison: Comparison,
    verdict: VerdictWords,
    *,
    answered: bool,
    gate: Gate | None = None,
) -> Amount:
    decided = comparison.decision.verdict
    pair = decided.pair
    doubted = headline_of_data(verdict)
    levels = _levels(comparison.primary.shown, row, found.digits)
    if answered:
        queries = queries_in_words(found.n_queries)
        levels = say(
            "on the {queries} that both answered: {levels}", queries=queries, levels=levels
        )
    elif is_reversible(verdict):
        levels = say("with equal scores in one order of many: {levels}", levels=levels)
    elif doubted and row["mean_system"] is not None:
        levels = say("not valid until the data are checked: {levels}", levels=levels)
    elif found.word == "check first" and row["mean_system"] is not None:
        levels = say(
            "{measure} {base} → {level}, unjudged as not relevant",
            measure=comparison.primary.shown,
            base=number(row["mean_baseline"], found.digits),
            level=number(row["mean_system"], found.digits),
        )
    interval = _interval_in_words(found)
    ends = decided.over_ties if is_reversible(verdict) else None
    if ends is not None:
        low, high = map(found.printed, ends)
        interval = say(
            "in other orders {low} to {high}; in this one {interval}",
            low=low,
            high=high,
            interval=interval,
        )
    # In one order of equal scores alone, no end decides.
    finding = decisive_finding(gate, found) if ends is None else None
    if finding is not None and finding.interval != interval:
        fields = {"interval": interval, "bound": finding.interval}
        interval = say("{interval}; for the gate, {bound}", **fields)
    also = "" if doubted else found.at_depth_in_words
    if comparison.judges is not None:
        levels = say("by people alone {levels}", levels=levels)
        if not answered and found != ComparedPair(comparison, pair).own:
            words = say("a model's judgments corrected by people's: {interval}", interval=interval)
            levels, interval = words, levels
    return Amount(found.shown, levels, interval, tone, capital(also))


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


def _strip(found: Difference, tone: Tone, gate: Gate | None) -> IntervalStrip | None:
    """Return the interval to draw, with what a gate allows, or None without a difference."""
    if found.delta is None:
        return None
    rare = found.deciding_low if found.direction > 0 else found.deciding_high
    strip = IntervalStrip(
        found.measure_shown,
        found.delta,
        found.ci_low,
        found.ci_high,
        found.confidence,
        tone,
        margin=found.margin,
        digits=found.digits,
        rare=rare if found.seen_only else None,
    )
    finding = decisive_finding(gate, found) or finding_on_groups(gate, found)
    if finding is None:
        return strip
    requirement, (low, high) = finding.requirement, finding.decisive
    if not finding.groups:  # whose ends are those of a group
        strip = replace(strip, low=low, high=high, decisive=finding.interval_explained, rare=None)
    if requirement.kind == "equivalence":
        return replace(strip, margin=strip.margin or requirement.threshold)
    return replace(strip, limit=requirement.threshold or None)


def _bar(
    comparison: Comparison, pair: Pair, row: dict[str, Any], *, answered: bool
) -> WinBar | None:
    if not row["n_queries"]:
        return None
    rows = comparison.deltas(**pair._asdict()).drop_nulls("delta")
    if answered:
        lacking = ComparedPair(comparison, pair).unanswered
        rows = rows.filter(~pl.col(QUERY_ID).is_in(lacking.implode()))
    delta = pl.col("delta")
    win, loss = rows.select(
        delta.filter(delta > 0).mean(), loss=delta.filter(delta < 0).mean()
    ).row(0)
    return WinBar(row["wins"], row["ties"], row["losses"], win, loss)


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
        query = ListedQuery(
            _small(row["delta"]),
            row[QUERY_ID],
            row.get(TEXT) or "",
            "" if change is None else why_lost(None if tied else row[REASON], change.brief),
            # Documents are shown of the first losses, which here are queries without an answer.
            f"#{anchor_of(compared, place, documents=bool(changes) and not answered)}",
            "worse",
        )
        figures = {
            **pair._asdict(),
            **{name: row[name] for name in (QUERY_ID, "delta", REASON)},
            **({} if change is None else change._asdict()),
        }
        figures.pop("brief", None)  # words in the language of the page
        yield Listed(query, figures)


def _small(delta: float) -> str:
    """Write a difference of a query with two decimals, or as many as it needs not to be zero."""
    return number(delta, decimals(delta, least=2), signed=True)


def _more(content: Content, row: dict[str, Any], *, answered: bool) -> str:
    """Return the words of the link to all queries: how many of them are worse and better."""
    if answered:
        return say("all queries, answered or not")
    fields = {"n": f"{row['losses'] or 0:,}", "m": f"{row['wins'] or 0:,}"}
    if is_cut(content):
        return say("the largest changes: {n} worse, {m} better in all", **fields)
    return say("all queries: {n} worse, {m} better", **fields)
