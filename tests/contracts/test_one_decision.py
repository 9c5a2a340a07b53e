"""Every output of a comparison says the same of each pair, and of who may be the best."""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass, replace
from functools import cache
from html import unescape

import numpy as np
import polars as pl
import pytest
from generated_comparisons import Generated, generated, one_system
from printed import NUMBER, agrees

import rankreport as rr
from rankreport.comparison import Action, Basis, Pair, paper_table_of, worth_judging
from rankreport.comparison.actions import OPEN
from rankreport.comparison.decision import SETTLED
from rankreport.comparison.other_measures import DOUBTS
from rankreport.comparison.values import one_baseline
from rankreport.evaluation import silent_systems
from rankreport.gates import leading_candidate
from rankreport.leaderboards import standings
from rankreport.reports import drawing
from rankreport.reports.page import ShownCaution
from rankreport.reports.screen._common import SIGNS
from rankreport.text import using_language

PLAIN = (1, 3, 4, 7, 33, 57, 79, 117, 118, 189)
"""Numbers with every word of a verdict, stops, unjudged documents, all pairs, two baselines, gates,
ties, weights, clusters, a model judge and missing answers."""

MANY = sorted({*range(100), 190} - {*PLAIN})
"""Others; as in those above, outputs did differ in some, or a number was not in the JSON."""

FAVOURS = {*OPEN, *OPEN.values()}
"""Actions that differ in the cautions alone."""

KEEPS = {
    Action.CHECK_SYSTEMS,
    Action.JUDGE_UNJUDGED,
    Action.JUDGE_AND_BREAK_TIES,
    Action.JUDGE_BOTH,
}
KEEPS |= {Action.BREAK_TIES, Action.KEEP_OR_EVALUATE, Action.KEEP_FAILS, Action.NO_WORSE_BUT_FAILS}
"""Actions that say to keep the baseline, though the evidence is not against the system."""


@pytest.mark.parametrize("number", PLAIN)
def test_no_two_outputs_differ(number):
    assert disagreements(generated(number)) == []


@pytest.mark.parametrize("number", [0, 28])
def test_a_pair_is_doubted_alike_in_both_directions(number):
    comparison = generated(number).comparison
    turned = replace(comparison, pairs=tuple(Pair(*reversed(pair)) for pair in comparison.pairs))
    found = [
        {frozenset(pair): (each.doubts, each.is_tied) for pair, each in of.decision.pairs.items()}
        for of in (comparison, turned)
    ]
    assert comparison.margin
    assert found[0] == found[1]


@pytest.mark.slow
def test_no_two_outputs_of_a_hundred_comparisons_differ():
    found = {number: disagreements(generated(number)) for number in MANY}
    assert {number: each for number, each in found.items() if each} == {}


def disagreements(made):
    """Return the names of what differs among the outputs of a comparison."""
    comparison, gate = made.comparison, made.gate
    report = rr.report(comparison, gate=gate)
    as_given, comparison = comparison.decision, report.content.comparison
    page = report._summary.page
    data = json.loads(json.dumps(page.data))
    verdict = comparison.verdict() if gate is None else gate.verdict()
    decision = verdict.decision
    return [
        *(["one way"] if decision.may_be_best != as_given.may_be_best else []),
        *of_numbers(comparison, decision),
        *of_verdict(verdict, decision, page, data),
        *of_letters(comparison, decision),
        *of_documents(comparison, data, page.screen),
        *of_leading(comparison, decision),
        *of_other_measures(comparison, verdict, page, data),
        *of_segments(comparison, decision, page.screen),
        *of_unanswered(comparison),
        *of_baseline(made, page, data),
        *of_judges(comparison, decision),
        *of_few(comparison),
        *of_depth(comparison, data),
        *of_ranks(comparison, decision, data),
        *of_leaderboard(comparison, decision),
        *of_screen(comparison, decision, page.screen),
        *of_drawings(page.screen),
        *of_action(verdict, page.screen),
        *([] if gate is None else of_gate(gate, decision, page)),
        *of_markdown(report, page),
        *of_languages(comparison),
        *of_figures(
            page.screen, data, [*map(str, comparison.evaluation.measures), *decision.order]
        ),
    ]


def named(**equal):
    return [name for name, holds in equal.items() if not holds]


def of_numbers(comparison, decision):
    """Of each pair, the decision is that of the table's interval; ranks are those of the pairs."""
    primary = comparison.table().filter(measure=str(comparison.primary)).rows(named=True)
    found = []
    for row in primary:
        each = decision.pairs[Pair(row["baseline"], row["system"])]
        enough = each.found.changed_effective >= 10 and row["ci_low"] is not None
        sign = (row["ci_low"] > 0) - (row["ci_high"] < 0) if enough else 0
        # The table is by people alone, where a model's judgments may correct the verdict.
        if comparison.judges is None and each.direction and each.direction != sign:
            found.append(f"{each.pair} in the table")
        one, other = decision.position(each.pair.system), decision.position(each.pair.baseline)
        if each.direction < 0:
            one, other = other, one
        if each.direction and not (
            one.seen_highest < other.seen_highest and one.seen_lowest < other.seen_lowest
        ):
            found.append(f"{each.pair} in the ranks")
        loser = {1: each.pair.baseline, -1: each.pair.system}.get(each.direction)
        if loser in decision.may_be_best:
            found.append(f"{loser} is worse and may be the best")
    return found


def of_verdict(verdict, decision, page, data):
    stored = data["verdict"]
    pairs = {(row["baseline"], row["system"]): row for row in data["decision"]["pairs"]}
    doubted = page.screen.badges[0].tone == "check"
    return named(
        verdict_word=verdict.word == decision.word == stored["word"] == page.verdict.word,
        seen_only=verdict.seen_only
        == decision.seen_only
        == stored["seen_only"]
        == page.verdict.seen_only,
        seen_only_pairs=all(
            pairs[pair]["seen_only"] == each.seen_only for pair, each in decision.pairs.items()
        ),
        seen_only_words=page.verdict.is_doubted
        or ("on these queries" in verdict.sentence) == decision.verdict.found.seen_only,
        verdict_pair=tuple(decision.leading) == (stored["baseline"], stored["system"]),
        verdict_action=verdict.action == page.verdict.action,
        pairs=all(pairs[pair]["word"] == each.word for pair, each in decision.pairs.items()),
        may_be_best=[row["system"] for row in data["decision"]["positions"] if row["may_be_best"]]
        == list(decision.may_be_best),
        check_first=doubted == (decision.word == "check first"),
        check=not page.check or decision.severity == "stop",
        severity=(decision.severity == "stop") == any(c.severity == "stop" for c in page.cautions),
        no_answer=bool(re.search(r" is (better|worse) than ", verdict.sentence))
        <= (not page.verdict.is_doubted),
        headline_of_no_answer=not page.verdict.is_doubted
        or page.screen.headline in {verdict.sentence.partition(".")[0], verdict.words.no_answer},
    )


def of_letters(comparison, decision):
    """Letters in LaTeX are of the pairs that are better or worse by the decision."""
    told = paper_table_of(comparison)
    lettered = {
        frozenset((system, told.systems[place]))
        for system, of in zip(told.systems, told.told, strict=True)
        for place in of[0]
    }
    decided = {frozenset(pair): each for pair, each in decision.pairs.items()}
    early = [
        measure
        for number, measure in enumerate(map(str, comparison.evaluation.measures))
        for pair, doubt in doubt_by(comparison, measure).items()
        if doubt or decision.pairs[pair].decided_by is Basis.DATA
        if any(
            frozenset((system, told.systems[place])) == frozenset(pair)
            for system, of in zip(told.systems, told.told, strict=True)
            for place in of[number]
        )
    ]
    return named(
        letters=comparison.judges is not None
        or all((pair in lettered) == (each.direction != 0) for pair, each in decided.items()),
        letters_wait=not early,
    )


def of_documents(comparison, data, screen):
    """As many documents are said to be judged as the page lists of."""
    n, listed = data["first_screen"].get("to_judge"), worth_judging(comparison)
    says = any("listed under Data" in note for note in screen.notes)
    return named(
        to_judge=n is None or listed is None or n == len(listed.to_polars()),
        listed=says == (n is not None and listed is not None),
    )


def of_judges(comparison, decision):
    """A model's or people's judgments decide where there is a verdict, and nowhere else."""
    if comparison.judges is None:
        return []
    decides = comparison.judges.table().filter(pl.col("decides"))
    pairs = {Pair(*each) for each in decides.select("baseline", "system").rows()}
    return named(
        judges={pair for pair, each in decision.pairs.items() if each.word != "check first"}
        == pairs
    )


def of_leading(comparison, decision):
    """Of several baselines, the pair of the verdict is about the question that the badge asks."""
    rivals = [{decision.order[0], name} for name in decision.rivals()]
    compared = [{*pair} for pair in decision.pairs]
    established = decision.verdict.direction != 0
    return named(
        of_best=len(comparison.baselines) == 1 or decision.order[0] in decision.leading,
        is_open=len(comparison.baselines) == 1
        or established == (decision.best is not None)
        or not any(each in compared for each in rivals),
    )


def of_other_measures(comparison, verdict, page, data):
    """What the other measures do is decided by intervals for all at once, and named where it is not
    what the action says."""
    decision = verdict.decision
    found = []
    if comparison.correction == "max-t":
        every = replace(comparison, across="measures", _by_model=None).table()
        ends = {tuple(row[:3]): row[3:] for row in every.select(ENDS).rows()}
        found = [
            f"{each.measure} of {pair}"
            for pair, decided in decision.pairs.items()
            for each in decided.others
            if each.open_by not in DOUBTS
            if (low := ends[*pair, each.measure][0]) is not None
            and ends[*pair, each.measure][2] >= 10
            and each.moves != (low > 0) - (ends[*pair, each.measure][1] < 0)
        ]
    found += [
        f"doubt on {each.measure} of {pair}"
        for measure in map(str, comparison.evaluation.measures)
        for pair, decided in decision.pairs.items()
        for each in decided.others
        if each.measure == measure and (each.moves or each.open_by in DOUBTS)
        if doubt_by(comparison, measure)[pair] != (each.open_by if each.open_by in DOUBTS else "")
    ]
    stored = {(row["baseline"], row["system"]): row for row in data["decision"]["pairs"]}
    advised, screen = decision.advised, page.screen
    silent = [
        pair
        for pair, each in decision.pairs.items()
        if pair.system in advised.systems and pair.baseline == advised.baseline
        if (each.gate != "fail" or each.direction < 0) and decision.severity != "stop"
        if not all(moved.words in screen.action for moved in each.moved_otherwise)
    ]
    alone = decision.verdict if len(decision.pairs) == 1 else None
    others = [] if alone is None or alone.word == "check first" else alone.others
    cautions = {tuple(row[:3]): row[3] or "" for row in comparison.table().select(*KEYS).rows()}
    turned = [
        f"caution on {each.measure} of {pair}"
        for pair, decided in decision.pairs.items()
        for each in decided.others
        if {1: "worse on", -1: "better on"}.get(each.gain, "?") in cautions[(*pair, each.measure)]
    ]
    turned += [
        f"caution on {measure} of {pair} in doubt"
        for measure in map(str, comparison.evaluation.measures)
        for pair, decided in by_itself(comparison, measure).pairs.items()
        if decided.word == "check first" and "on these queries" in cautions[(*pair, measure)]
    ]
    apart = [
        f"{system} apart from the best on {measure}"
        for system, measure, same in standings(comparison)
        .select("system", "measure", "same")
        .iter_rows()
        if same is False and system not in silent_systems(comparison.evaluation)
        if system in by_itself(comparison, measure).may_be_best
    ]
    pairs = [pair for pair in decision.pairs if len(decision.pairs) < 4 and decision.one_baseline]
    seen = [
        each.measure
        for pair in pairs
        for each in (others if alone else decision.pairs[pair].others)
        if each.gain and "on these queries" in cautions[*pair, each.measure]
    ]
    return [
        *found,
        *turned,
        *apart,
        *named(
            trade_offs=all(
                stored[pair]["trade_off"] == d.is_trade_off for pair, d in decision.pairs.items()
            ),
            moves_are_named=not silent or len(advised.systems) > 3,
            line=all(each.words in screen.measures for each in others),
            seen_only_others=not (pairs and screen.measures)
            or ("on these queries" in screen.measures) == bool(seen),
            headline=alone is None
            or page.verdict.is_doubted
            or "the requirements to replace" in screen.headline
            or all(each.words in screen.headline for each in alone.moved_otherwise),
            no_other_grounds=not any(
                each.falls and each.action in NOTHING_FALLS and each.gate != "pass"
                for each in decision.pairs.values()
            ),
        ),
    ]


@cache
def by_itself(comparison, measure):
    """Return the decision where the measure is the primary one."""
    of = {str(each): each for each in comparison.evaluation.measures}[measure]
    evaluation = replace(comparison.evaluation, primary=of)
    alone = replace(comparison, evaluation=evaluation, largest_loss=None, _by_model=None)
    return alone.decision


def doubt_by(comparison, measure):
    """Return the doubt about the data on each pair where the measure is the primary one."""
    decided = by_itself(comparison, measure).pairs.items()
    found = {pair: each.decided_by.value for pair, each in decided}
    return {pair: doubt if doubt in DOUBTS else "" for pair, doubt in found.items()}


KEYS = ("baseline", "system", "measure", "caution")
ENDS = ("baseline", "system", "measure", "ci_low", "ci_high", "n_changed")

NOTHING_FALLS = {Action.EQUIVALENT, Action.UNCHANGED, Action.KEEP_OR_EVALUATE}


def of_segments(comparison, decision, screen):
    """A segment that differs beyond the margin is on the first screen, with its number."""
    if not comparison.query_metadata.segments:
        return []
    rows = comparison.segments().frame.filter("differs").rows(named=True)
    margin, shown = comparison.margin, [each.title + each.text for each in screen.segments]
    leading = decision.verdict
    beyond = [
        row
        for row in rows
        if (row["baseline"], row["system"]) == tuple(leading.pair)
        if margin is not None and abs(row["delta"]) > margin
        if row["delta"] < 0 or not row["ci_low"] <= row["delta_of_all"] <= row["ci_high"]
    ]
    settled = decision.word != "check first" and leading.word != "check first"
    worst = min((row["delta"] for row in beyond), default=0.0)
    return named(
        segments=not settled
        or len(comparison.pairs) > 1
        or (
            len(shown) >= min(2, len(beyond))
            and (worst == 0 or any(f"{worst:+.2f}"[:5] in each for each in shown))
        ),
        no_other_segments=margin is None
        or len(comparison.pairs) > 1
        or sum(each.startswith("Better where") for each in shown)
        <= sum(row["delta"] > 0 for row in beyond),
        segment_in_action=not (settled and segment_is_left_out(decision))
        or any(f"{each} where" in comparison.verdict().action for each in ("worse", "better")),
        no_segments_in_doubt=settled or len(comparison.pairs) > 1 or not shown,
    )


def segment_is_left_out(decision):
    """Whether the action is about one system that differs otherwise in a segment."""
    of = [each for each in decision.pairs.values() if each.pair.system in decision.advised.systems]
    if len(of) != 1 or decision.advised.action is Action.CHECK_DATA:
        return False
    sign = 1 if of[0].direction < 0 else -1
    return any(each.delta * sign > 0 for each in of[0].segments_beyond)


def of_unanswered(comparison):
    """What is known of systems that were not compared with each other follows the same rules."""
    if comparison.evaluation.unanswered.is_empty():
        return []
    decision = comparison.decision
    first, *others = decision.order
    every = replace(comparison, pairs=tuple(Pair(first, other) for other in others)).decision
    compared = [{*pair} for pair in decision.pairs]
    return [
        f"{other} by answers"
        for (_, other), each in every.pairs.items()
        if each.mostly_missing and {first, other} not in compared
        if decision.position(other).to_best.direction
    ]


def of_baseline(made, page, data):
    """The order of rows decides nothing: of systems that a column names, the first by name does."""
    comparison, systems = made.comparison, made.comparison.evaluation.systems
    chosen = {"another baseline", *({"two baselines"} if len(systems) > 2 else ())}
    by_default = "column" in made.traits and not made.traits & chosen
    said = by_default and len(comparison.baselines) == 1
    code = "baseline_by_name"
    return named(
        sorted_by_name=list(systems) == sorted(systems),
        first=not by_default or comparison.baseline == systems[0],
        said=all(
            (code in codes) == said
            for codes in (
                [each.code for each in page.cautions],
                [each.code for each in comparison.verdict().cautions],
                [each["code"] for each in data["cautions"]],
            )
        ),
    )


def of_few(comparison):
    """Where nearly all queries changed there are few queries, in decision, caution and table."""
    table = comparison.table().filter(measure=str(comparison.primary))
    rows = {Pair(row["baseline"], row["system"]): row for row in table.iter_rows(named=True)}
    known = {code: set() for code in ("few_queries", "few_changed")}
    for each in comparison.cautions:
        known.get(each.code, set()).update(map(frozenset, each.concerns))
    found = []
    for pair, each in comparison.decision.pairs.items():
        row, of = rows[pair], frozenset(pair)
        few = row["n_queries"] - row["n_changed"] <= max(1, row["n_queries"] // 10)
        few &= of not in known["few_changed"]
        if each.decided_by == "few_queries" and not (few and of in known["few_queries"]):
            found.append(f"few queries: {pair}")
        if of in known["few_queries"] and f"{row['n_queries']} quer" not in row["caution"]:
            found.append(f"few queries in the table: {pair}")
        if each.decided_by == "few_changed" and of not in known["few_changed"]:
            found.append(f"few changed: {pair}")
    return found


def turned_by_depth(decided, measure):
    return any(each.measure == measure and each.is_turned_by_depth for each in decided.deeper)


def of_depth(comparison, data):
    """What measures see below the lists of a system that are cut decides nothing."""
    known, found = set(), []
    for each in comparison.cautions:
        known |= set(map(frozenset, each.concerns)) if each.code == "unequal_depth" else set()
    stored = {(row["baseline"], row["system"]): row for row in data["decision"]["pairs"]}
    primary = str(comparison.primary)
    for pair, each in comparison.decision.pairs.items():
        row, other = stored[pair], each.found.at_depth
        if any(o.moves for o in each.others if turned_by_depth(each, o.measure)):
            found.append(f"depth decides on another measure: {pair}")
        if (frozenset(pair) in known) != bool(row["at_equal_depth"]):
            found.append(f"depth without a caution: {pair}")
        if each.turned_by_depth and each.word != "check first":
            found.append(f"depth decides: {pair}")
        if each.direction and other and other.direction != each.direction:
            found.append(f"another sign at equal depth: {pair}")
        if other and row["at_equal_depth"].get(primary) != other.delta:
            found.append(f"number at equal depth: {pair}")
    return found


def of_ranks(comparison, decision, data):
    """Ranks contain the order of the means and agree with the verdicts, in every output."""
    places = enumerate(decision.positions, 1)
    table = rr.leaderboard(comparison).table()
    stored = {row["system"]: row for row in data["decision"]["positions"]}
    of = {"rank_highest": "highest", "rank_lowest": "lowest"}
    undone = {pair.system for pair, each in decision.pairs.items() if each.direction < 0}
    undone |= {pair.baseline for pair, each in decision.pairs.items() if each.direction > 0}
    rank_of = {each.system: each for each in decision.positions}
    return named(
        ranks_hold_the_order=all(
            each.highest <= each.seen_highest <= place <= each.seen_lowest <= each.lowest
            for place, each in places
        ),
        ranks_agree_with_the_best=all(
            each.highest == 1 if each.may_be_best else each.seen_highest > 1
            for each in decision.positions
        ),
        below_by_a_verdict_alone=all(
            each.may_be_best or each.seen_only or each.system in undone
            for each in decision.positions
            if each.highest == 1
        ),
        ranks_in_outputs=all(
            row[name] == stored[row["system"]][of.get(name, name)]
            for row in table.iter_rows(named=True)
            for name in ("rank_highest", "rank_lowest", "seen_highest", "seen_lowest")
        ),
        groups=[name for group in decision.groups for name in group] == [*decision.order]
        and [list(group) for group in decision.groups] == data["decision"]["groups"],
        groups_do_not_overlap=all(
            rank_of[name].highest > len(sum(decision.groups[:place], ()))
            for place, group in enumerate(decision.groups)
            for name in group
        ),
    )


def of_leaderboard(comparison, decision):
    board = rr.leaderboard(comparison)
    table = board.table()
    lines = [line for line in repr(board).splitlines() if re.match(r" +\d+  s\d ", line)]
    marks = {line.split()[1]: re.split(r"  +", line.strip())[-1] for line in lines}
    unmarked = {name for name, mark in marks.items() if not re.search("best|below", mark)}
    settled = {row["system"]: row["differs"] for row in table.rows(named=True)}
    pairs = {pair: each for pair, each in decision.pairs.items() if decision.order[0] in {*pair}}
    others = {({*pair} - {decision.order[0]}).pop(): each for pair, each in pairs.items()}
    return named(
        marked_best=[
            name for name, mark in marks.items() if mark in {"best", "best on these queries"}
        ]
        == [each for each in [decision.best] if each],
        marked_below=all(
            row["delta_high"] < 0 and row["rank_highest"] != 1
            for row in table.rows(named=True)
            if row["system"] in unmarked
        ),
        marked_tied=all(
            "equal scores" in marks[name]
            for name, each in others.items()
            if each.is_tied and each.word != "better" and name in decision.may_be_best
        ),
        board_seen_only=[row["seen_only"] for row in table.rows(named=True)]
        == [each.seen_only for each in decision.positions],
        order=tuple(table["system"]) == decision.order,
        board_may_be_best=tuple(table.filter("may_be_best")["system"]) == decision.may_be_best,
        indistinguishable={board.best, *board.indistinguishable}
        == {board.best, *decision.may_be_best},
        differs=all(settled[name] == (each.direction != 0) for name, each in others.items()),
    )


def of_screen(comparison, decision, screen):
    if screen.board is None:
        sign = screen.badges[0].sign
        doubted = screen.badges[0].tone == "check"
        seen_only = not doubted and decision.seen_only
        return named(
            badge=doubted or sign == SIGNS[decision.word],
            badge_seen_only=("on these queries" in screen.badges[0].text) == seen_only,
        )
    rows = {row.system: row for row in screen.board.rows}
    shaded = {name for name, row in rows.items() if 0 in row.same}
    tones = {pair: rows[pair.system].tone for pair in decision.pairs if pair.system in rows}
    better = [pair.system for pair, each in decision.pairs.items() if each.word == "better"]
    alone = one_baseline(comparison) is not None
    opens_with_gate = screen.headline.startswith("Of ")
    verdict = screen.plain.partition(". ")[0] if opens_with_gate else screen.headline
    named_best = re.search(
        r"▲ (.*) is best(?:, on these queries)?$",
        f"{screen.badges[0].sign} {screen.badges[0].text}",
    )
    return named(
        shades=not shaded or shaded == {*decision.may_be_best} & {*rows},
        ranks=all(
            row.ranks == decision.position(name).ranks for name, row in rows.items() if row.ranks
        ),
        ranked=not shaded or all(row.ranks for row in rows.values()),
        tones=not alone
        or decision.word == "check first"
        or all(
            tones[pair] == {"better": "better", "worse": "worse"}.get(each.word, tones[pair])
            and (tones[pair] == each.word or tones[pair] in {"open", "check"})
            for pair, each in decision.pairs.items()
            if pair in tones
        ),
        left_out=sum(sum(row.n_skipped) for row in rows.values())
        == len(decision.order) - len(rows),
        reference=alone or not rows or not rows[decision.order[0]].shown,
        tones_in_doubt=decision.verdict.severity != "stop"
        or {row.tone for row in rows.values()} <= {"open", "check"},
        headline=not alone
        or decision.word == "check first"
        or not 0 < len(better) <= 3
        or {name for name in rows if name in verdict} == {*better, decision.leading.baseline},
        badge=not alone
        or better
        or screen.badges[0].sign == SIGNS[decision.word]
        or (decision.word == "unchanged" and screen.badges[0].text == "None is better"),
        n_better=not alone
        or decision.word == "check first"
        or not better
        or screen.badges[0].text.startswith(f"{len(better)} of {len(decision.pairs)} better"),
        seen_only=decision.word == "check first"
        or not alone
        or not better
        or ("on these queries" in screen.badges[0].text)
        == all(each.seen_only for each in decision.pairs.values() if each.word == "better"),
        best=named_best is None or decision.may_be_best == (named_best[1],),
    )


def of_drawings(screen):
    """A difference and its interval are drawn with the decimals with which they are printed."""
    printed = []
    if screen.board is not None:
        rows = zip(screen.board.rows, drawing.rows(screen.board), strict=True)
        printed = [(f"{row.shown} {row.ends}", svg) for row, svg in rows if svg]
    elif screen.strip is not None and "in other orders" not in screen.amount.interval:
        printed = [(screen.amount.shown, drawing.strip(screen.strip))]
    return [
        f"{shown} is not drawn"
        for text, svg in printed
        for shown in NUMBER.findall(text)
        if shown.replace("-", "\N{MINUS SIGN}") not in unescape(svg)
    ]


def of_action(verdict, screen):
    """What to do is never one of several systems of which it is open which is better."""
    decision, text = verdict.decision, verdict.action
    advised = decision.advised
    one_baseline = len({pair.baseline for pair in decision.pairs}) == 1
    alone = not one_baseline or len(decision.pairs) == 1 or decision.severity == "stop"
    rivals = [each for pair, each in decision.pairs.items() if pair.system in decision.may_be_best]
    same = {
        each.pair.system
        for each in rivals
        if advised.action in {each.action, OPEN.get(each.action)}
    }
    favoured = {each.pair.system for each in rivals if each.action in FAVOURS}
    passing = any(each.gate == "pass" and each.direction >= 0 for each in rivals)
    in_text = [name in text for name in advised.systems]
    keeps = advised.action in KEEPS
    return named(
        names_all=len(in_text) > 4 or all(in_text) or not any(in_text),
        picks_all=alone or {*advised.systems} >= same,
        favours_all=alone
        or advised.action not in FAVOURS
        or {*advised.systems} >= favoured
        or any(each.gate == "inconclusive" for each in rivals),
        says_open=alone or not advised.is_open or "best is open" in screen.action,
        picks_none=not (advised.is_open and len(advised.systems) == 1)
        or advised.action not in OPEN,
        as_shown=advised.action is Action.CHECK_DATA or screen.action.startswith(text),
        of_best=one_baseline
        or decision.severity == "stop"
        or {*advised.systems} <= {*decision.may_be_best},
        of_passing=alone
        or not passing
        or decision.pairs[Pair(advised.baseline, advised.systems[0])].gate == "pass",
        keeps=alone or not (keeps and passing),
        keeps_one=not keeps or one_baseline or len(decision.pairs) == 1,
    )


def of_gate(gate, decision, page):
    stored = json.loads(gate.to_json())
    outcomes = {each.pair: each.outcome for each in gate.candidates}
    waits = {
        Action.CHECK_DATA,
        Action.CHECK_SYSTEMS,
        Action.JUDGE_UNJUDGED,
        Action.JUDGE_AND_BREAK_TIES,
    }
    ended = [each for each in decision.pairs.values() if each.gate in {"pass", "fail"}]
    lenient = rr.gate(gate.comparison, gate.requirements, inconclusive="pass")
    by_data = any(each.doubt is not None for each in gate.findings)
    passes = 3 if by_data or any(each.difference.n_queries == 0 for each in gate.findings) else 0
    skipped = re.findall(r'skipped="(\d+)"', lenient.to_junit())[0]
    return named(
        lenient=lenient.exit_code == (1 if gate.outcome == "fail" else passes),
        lenient_cases=(skipped != "0") == bool(passes),
        ends_settled=all(
            each.decided_by in {*SETTLED, Basis.UNJUDGED} and each.action not in waits
            for each in ended
        ),
        passes_or_waits=gate.outcome != "pass" or decision.advised.action not in waits,
        gate_outcomes=all(each.gate == outcomes[pair] for pair, each in decision.pairs.items()),
        gate_decision=stored["decision"] == json.loads(json.dumps(decision.to_plain())),
        gate_action=stored["action"] == gate.action == page.verdict.action,
        gate_line=is_drawn_as_decided(gate, page.screen.strip),
        gate_rows=rows_are_drawn_as_decided(gate, decision, page.screen.board),
        gate_opens=page.verdict.is_doubted or "the requirements" in page.screen.headline,
        gate_badge=page.screen.badges[-1].tone
        == {"pass": "better", "fail": "worse"}.get(gate.outcome, "open"),
    )


def rows_are_drawn_as_decided(gate, decision, board):
    """Return whether the rows of a board have the ends that decide on the worst requirement."""
    ends = {}
    for each in gate.candidates if board else ():
        found = worst_on_primary(gate, each)
        if found and decision.reference in each.pair:
            low, high = found.decisive
            name = each.pair.system
            if name == decision.reference:
                name, low, high = each.pair.baseline, -(high or 0.0), -(low or 0.0)
            ends[name] = (low, high)
    doubted = () if decision.one_baseline else ((None, None),)
    return not ends or all(
        row.tone == "check" or (row.low, row.high) in (ends[row.system], *doubted)
        for row in board.rows
        if row.system in ends
    )


def worst_on_primary(gate, candidate):
    """Return the worst finding on the primary measure; the first of equal ones."""
    of = [f for f in candidate.findings if f.requirement.measure == gate.comparison.primary]
    order = ["pass", "inconclusive", "fail"]
    return max(of, key=lambda f: order.index(f.outcome), default=None)


def is_drawn_as_decided(gate, strip):
    """Return whether the ends that are drawn lie on the side of the limit that the gate says."""
    if strip is None or not strip.decisive:
        return True
    finding = worst_on_primary(gate, leading_candidate(gate))
    drawn = strip.low is not None and finding.requirement.judged(strip.low, strip.high)
    return drawn in (False, finding.outcome) or finding.outcome == "inconclusive"


def of_markdown(report, page):
    """Markdown, Jupyter's HTML and the picture are of the page; the verdict in it has its badge."""
    first = next(line for line in report.to_markdown().splitlines() if line.startswith("**"))
    badges = [badge.sign for badge in page.screen.badges]
    text = re.sub(r"\\(.)", r"\1", report.to_markdown())
    answer = page.verdict.answer[0]
    return named(
        markdown=page.verdict.is_doubted or (all(sign in text for sign in badges) and bool(first)),
        answer=not answer.badge.startswith("Better") or page.verdict.word == "better",
        answer_seen_only=page.verdict.is_doubted
        or ("on these queries" in answer.badge) == page.verdict.seen_only,
    )


def of_languages(comparison):
    """Cautions found in one language are those found in another, word for word."""
    with using_language("zh"):
        return named(languages=comparison.cautions == replace(comparison).cautions)


def of_figures(screen, data, names):
    """Every number of the first screen is one of the JSON, not only of its sentences."""
    held = {*numbers_in(data)}

    @cache
    def is_held(shown):
        return "∞" in shown or any(agrees(shown, each) for each in held)

    return [
        f"{where}: {shown} in {text}"
        for where, text in dict.fromkeys([*texts_in(screen), *drawn_in(screen)])
        for shown in NUMBER.findall(without(text, names).replace("\N{MINUS SIGN}", "-"))
        if not is_held(shown)
    ]


def without(text, names):
    """Return a text without names, rules, and what is left of numbers that are in the JSON."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "")
    return re.sub(RULES, "", text)


def numbers_in(value):
    """Yield the numbers of JSON, shares as percentages too, and how many rows there are."""
    if isinstance(value, dict):
        yield from (each for one in value.values() for each in numbers_in(one))
    elif isinstance(value, list):
        yield len(value)
        yield from (each for one in value for each in numbers_in(one))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from (value, abs(value), 100 * value, 100 * abs(value))


def texts_in(value, name=""):
    """Yield the texts of a screen that may hold numbers of the comparison, by their field."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, tuple):
        yield from (each for one in value for each in texts_in(one, name))
    elif is_dataclass(value):
        for field in fields(value):
            if field.name not in {"href", "query", "text", "others"} or isinstance(
                value, ShownCaution
            ):
                yield from texts_in(getattr(value, field.name), field.name)


def drawn_in(screen):
    """Yield the alternative texts of what the first screen draws."""
    found = [] if screen.board is None else drawing.rows(screen.board)
    for name in ("strip", "bar", "spread"):
        if (shown := getattr(screen, name)) is not None:
            found.append(getattr(drawing, name)(shown))
    for svg in found:
        yield from (
            ("drawn", unescape(label)) for label in re.findall(r'aria-label="([^"]*)"', svg)
        )


RULES = (
    r"4 times in 5|10 or more|10 changed queries or more|fewer than [12]0|\bq\d+|and \d+ more"
    r"|\d+ times as many"
)


@pytest.mark.parametrize("number", [1, 2])
def test_every_number_of_a_system_alone_is_in_the_json(number):
    evaluation = one_system(number)
    page = rr.report(evaluation)._shown.page
    names = [*map(str, evaluation.measures), *evaluation.systems]
    assert of_figures(page.screen, json.loads(json.dumps(page.data)), names) == []


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"pairs": "all"}, {"baseline": "s05"}])
def test_no_two_outputs_on_many_systems_differ(options):
    rng = np.random.default_rng(0)
    grades, common = rng.integers(0, 3, (40, 8)), rng.normal(size=(40, 8))
    qrels = {
        f"q{at}": {f"d{doc}": int(g) for doc, g in enumerate(row)} for at, row in enumerate(grades)
    }
    runs = {}
    for at in range(16):
        scores = (at % 8) / 4 * grades + common + 0.3 * rng.normal(size=(40, 8))
        runs[f"s{at:02}"] = {
            f"q{i}": {f"d{doc}": float(x) for doc, x in enumerate(row)}
            for i, row in enumerate(scores)
        }
    comparison = rr.compare(qrels, runs, measures=["nDCG@5", "RR"], resamples=200, **options)
    assert disagreements(Generated(comparison, None, frozenset())) == []


def test_a_choice_among_open_systems_is_named_whole():
    runs = {"base": 4, "one": 1, "two": 1, "three": 3}
    qrels = {f"q{at}": {"r": 1} for at in range(30)}

    def run(rank, n_worse):
        others = [f"x{at}" for at in range(4)]
        return {
            query: {
                doc: -float(at)
                for at, doc in enumerate(
                    [*others[: rank - 1 + (i < n_worse)], "r", *others[rank - 1 + (i < n_worse) :]]
                )
            }
            for i, query in enumerate(qrels)
        }

    made = {name: run(rank, at % 2) for at, (name, rank) in enumerate(runs.items())}
    comparison = rr.compare(qrels, made, measures=["RR"], resamples=200)
    assert comparison.decision.may_be_best == ("two", "one")
    action = (
        "Evidence favours two and one over base: try any of them live. Which of two and one is "
        "best is open."
    )
    assert comparison.verdict().action == action
    assert comparison.decision.best is None
    with using_language("zh"):
        assert "two" in comparison.verdict().action
        assert "Evidence" not in comparison.verdict().action


def test_a_system_that_equal_scores_could_turn_is_not_called_better_anywhere():
    others = [f"a{at}" for at in range(4)]

    def run(scores):
        return {
            f"q{at}": dict(zip([*others, "r"], map(float, scores), strict=True)) for at in range(30)
        }

    runs = {"base": run([5, 4, 2, 1, 3]), "good": run([4, 3, 2, 1, 5]), "tied": run([1] * 5)}
    qrels = {f"q{at}": {"r": 1} for at in range(30)}
    comparison = rr.compare(qrels, runs, measures=["RR"], resamples=200)
    tied = comparison.decision.pairs[Pair("base", "tied")]
    assert (tied.found.word, tied.word, tied.decided_by) == ("better", "check first", "ties")
    screen = rr.report(comparison)._summary.page.screen
    assert screen.headline == "good is better than base on RR"
    assert screen.badges[0].text == "1 of 2 better"
    assert {row.system: row.tone for row in screen.board.rows}["tied"] == "check"
    assert "Open until ties are broken: tied" in comparison.verdict().others


QUERIES = [f"q{at:02d}" for at in range(60)]


def first_where(good, depth=3):
    """Return a run with the relevant document first where a query is good, else second."""
    lists = {True: ["r", "n", "m"], False: ["n", "r", "m"]}
    return {query: lists[bool(good(at))][:depth] for at, query in enumerate(QUERIES)}


def test_what_to_do_is_about_the_system_that_passes_the_gate():
    qrels = {query: {"r": 1, "n": 0, "m": 1} for query in QUERIES}
    runs = {
        "base": first_where(lambda at: at % 2 == 0),
        "one": {q: [*two, "x"] for q, two in first_where(lambda at: at % 10 < 9, depth=2).items()},
        "two": first_where(lambda at: (at + 5) % 10 < 8),
    }
    comparison = rr.compare(qrels, runs, measures=["RR", "R@3"], resamples=200)
    assert comparison.decision.may_be_best == ("one", "two")
    gate = rr.gate(comparison, "R@3 > -0.1")
    assert gate.action == "Evidence favours two: try it live."
    assert gate.verdict().decision.advised.rivals == ()


def gated(comparison, outcomes):
    verdict = comparison.verdict()
    return replace(verdict, decision=verdict.decision.gated(outcomes))


def test_most_that_pass_a_gate_may_replace_although_one_is_open():
    qrels = {query: {"r": 1, "n": 0, "m": 0} for query in QUERIES}
    runs = {name: first_where(lambda at, n=n: (at + n) % 10 < 8) for n, name in enumerate("abc")}
    open_one = first_where(lambda at: (at * 7) % 60 < 49)
    comparison = rr.compare(
        qrels, {**runs, "open": open_one}, measures=["RR"], resamples=200, correction="none"
    )
    outcomes = {
        pair: "inconclusive" if pair.system == "open" else "pass" for pair in comparison.pairs
    }
    verdict = gated(comparison, outcomes)
    assert verdict.decision.order[0] == "open"
    assert verdict.action == (
        "No clear difference, and each of b and c passes the gate: it may replace a."
    )
    failing = gated(comparison, dict.fromkeys(comparison.pairs, "fail"))
    assert failing.action == "Each of open, b and c fails the gate: keep a."


def test_ties_are_broken_before_a_system_replaces_the_baseline():
    first, second, tied = {"r": 2.0, "n": 1.0}, {"r": 1.0, "n": 2.0}, {"r": 1.0, "n": 1.0}
    old = {query: second if at % 2 else first for at, query in enumerate(QUERIES)}
    new = {
        query: tied if at % 6 == 1 else second if at and at % 6 == 0 else old[query]
        for at, query in enumerate(QUERIES)
    }
    qrels = {query: {"r": 1, "n": 0} for query in QUERIES}
    comparison = rr.compare(qrels, {"old": old, "new": new}, measures=["RR"], resamples=200)
    assert comparison.verdict().word == "inconclusive"
    assert "depends on equal scores" in repr(rr.leaderboard(comparison))
    close, wide = rr.gate(comparison, "RR > -0.08"), rr.gate(comparison, "RR > -0.2")
    assert (close.findings[0].decided_by, close.exit_code) == ("ties", 3)
    assert "but it depends on equal scores" in repr(close)
    assert close.action.startswith("Many documents have equal scores, whose order decides:")
    assert wide.action == "No clear difference, and new passes the gate: it may replace old."


@pytest.mark.parametrize(
    ("slower", "allowed", "action", "words"),
    [
        (
            20.0,
            [],
            Action.KEEP_AS_OTHERS_FALL,
            "Other measures are worse for new (latency [ms] (lower is better) rises), and none",
        ),
        (
            20.0,
            ["RR > -0.1"],
            Action.PASSES_BUT_OTHERS_FALL,
            "new passes the gate, but latency [ms] (lower is better) rises: keep old, or add",
        ),
        (
            -20.0,
            ["RR > -0.1"],
            Action.MAY_REPLACE_AS_OTHERS_RISE,
            "new passes the gate, and latency [ms] (lower is better) falls: it may replace old.",
        ),
        (
            20.0,
            ["RR > -0.1", "latency < 30"],
            Action.MAY_REPLACE,
            "No clear difference, and new passes",
        ),
    ],
)
def test_a_gate_keeps_what_the_comparison_keeps_unless_it_allows_what_falls(
    slower, allowed, action, words
):
    order = {True: ["r", "n"], False: ["n", "r"]}
    runs = {
        "old": {query: order[at % 2 == 0] for at, query in enumerate(QUERIES)},
        "new": {query: order[(at % 2 == 0) ^ (at < 14)] for at, query in enumerate(QUERIES)},
    }
    qrels = {query: {"r": 1, "n": 0} for query in QUERIES}
    taken = [
        (query, system, 30 + at % 7 + (slower + at % 3) * (system == "new"))
        for at, query in enumerate(QUERIES)
        for system in runs
    ]
    table = pl.DataFrame(taken, ["query_id", "system", "latency"], orient="row")
    how = {"better": {"latency": "low"}, "unit": {"latency": "ms"}}
    comparison = rr.compare(rr.evaluate(qrels, runs, "RR").with_columns(table, **how))
    made = rr.gate(comparison, allowed) if allowed else comparison
    assert (made.exit_code if allowed else 0) == 0
    assert made.verdict().decision.verdict.action is action
    assert made.verdict().action.startswith(words)
