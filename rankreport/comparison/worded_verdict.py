"""The verdict of a comparison in words."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import get_args

from rankreport.comparison.actions import GateOutcome, action_in_words, titles_of
from rankreport.comparison.caution_policy import of_action
from rankreport.comparison.cautions import by_pair
from rankreport.comparison.data_sets import standing_of
from rankreport.comparison.decision import Decision
from rankreport.comparison.model_judge import sentence_on_pair
from rankreport.comparison.pair_decisions import decision_of, judges_decided, known_cautions_of
from rankreport.comparison.pairs import short_labels
from rankreport.comparison.values import ComparisonValues, pairs_matching
from rankreport.comparison.verdict import (
    Verdict,
    VerdictWords,
    judge_difference,
    moves_of_action,
    verdict_lines,
)
from rankreport.errors import choose
from rankreport.text import paragraph


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
    judges = judges_decided(comparison)
    pair, found = decision.leading, decision.verdict
    cautions = known_cautions_of(comparison)
    known = by_pair(cautions, decision.pairs)
    wanted = {each for of_pair in known.values() for each in of_pair}
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
        for each in of_action(decision.pairs[one], known[one])
    ]
    remedy = found.found.depth_remedy if advised.looks else ""
    moves, left_out = moves_of_action(decision)
    standing = None if decision.word == "check first" else standing_of(comparison, decision)
    action = action_in_words(**advised._asdict(), cautions=titles_of(titled, "look"), moves=moves)
    return replace(
        judged,
        word=decision.word,
        sentence=paragraph(judged.sentence, decision.verdict.silence_in_words),
        seen_only=decision.seen_only,
        action=paragraph(action, remedy, left_out, standing.condition if standing else ""),
        others="\n".join([*verdict_lines(others), best]) if others else "",
        cautions=tuple(each.in_current_language() for each in cautions if each in wanted),
        like_these=standing.words if standing else "",
        turned=standing.turned if standing else "",
    )
