"""Each requirement is open by what its own measure depends on, in whatever order they stand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import rankreport as rr
from rankreport.comparison import Action
from rankreport.evaluation import values_on_judged

ACTIONS = {
    "unjudged": Action.JUDGE_UNJUDGED,
    "missing": Action.CHECK_SYSTEMS,
    "depth": Action.CHECK_SYSTEMS,
    "ties": Action.BREAK_TIES_FOR_GATE,
}
"""What to do where a doubt leaves a gate open."""
N = 120
DEPTH = 10


def collection():
    """Return judgments and two systems that find about the same documents, at other ranks."""
    rng = np.random.default_rng(7)
    qrels, old, new = {}, {}, {}
    for q in (f"q{i:03d}" for i in range(N)):
        documents = [f"{q}d{j}" for j in range(2 * DEPTH)]
        qrels[q] = {d: int(j < 5) for j, d in enumerate(documents)}
        for run in (old, new):
            gains = np.arange(2 * DEPTH) < 5
            order = np.argsort(rng.normal(0, 1.2, 2 * DEPTH) - gains)
            run[q] = [documents[j] for j in order[:DEPTH]]
    return qrels, old, new


def unjudged():
    """Return results of one system with five unjudged documents that push others below ten."""
    qrels, old, new = collection()
    cut = {q: [*found[:5], *(f"{q}u{j}" for j in range(5)), *found[5:]] for q, found in new.items()}
    return qrels, old, cut, "P@10 > -0.003", "RR@3 > -0.2", "unjudged"


def missing():
    """Return results of a system that did not answer some queries that the other finds hard."""
    qrels, old, new = collection()
    left = {q: found for i, (q, found) in enumerate(new.items()) if i % 6}
    for i, q in enumerate(old):
        if i % 6:
            old[q] = sorted(old[q], key=lambda d, q=q: qrels[q][d])
    return qrels, old, left, "R@10 > -0.001", "RR@10 > -0.2", "missing"


def depth():
    """Return lists of five and of ten documents: P@5 sees as much of both."""
    qrels, old, new = collection()
    short = {q: found[:5] for q, found in old.items()}
    return qrels, short, new, "R@10 > 0", "P@5 > -0.2", "depth"


def ties():
    """Return a system that scores all but the first document alike."""
    qrels, old, new = collection()
    tied = {q: {d: float(i == 0) for i, d in enumerate(found)} for q, found in new.items()}
    old = {q: {d: -float(i) for i, d in enumerate(found)} for q, found in old.items()}
    return qrels, old, tied, "P@3 > -0.001", "RR@1 > -0.2", "ties"


@pytest.mark.parametrize("made", [unjudged, missing, depth, ties])
def test_outcomes_do_not_depend_on_the_order_of_requirements(made):
    qrels, old, new, in_doubt, certain, doubt = made()
    found = []
    for required in permutations([in_doubt, certain]):
        measures = [each.partition(" ")[0] for each in required]
        comparison = rr.compare(qrels, {"old": old, "new": new}, measures=measures, resamples=200)
        gate = rr.gate(comparison, required)
        found.append({each.requirement.text: each for each in gate.findings})
    for text, one in found[0].items():
        assert (one.outcome, one.reason) == (found[1][text].outcome, found[1][text].reason)
    assert found[0][in_doubt].decided_by == doubt
    assert found[0][certain].outcome == "pass"
    assert gate.verdict().decision.advised.action is ACTIONS[doubt]


@pytest.mark.parametrize("made", [unjudged, missing, depth, ties])
def test_a_measure_does_not_move_where_a_comparison_by_it_is_to_be_checked_first(made):
    qrels, old, new, in_doubt, certain, doubt = made()
    doubted, primary = (each.partition(" ")[0] for each in (in_doubt, certain))
    runs = {"old": old, "new": new}
    by_itself = rr.compare(qrels, runs, measures=[doubted], resamples=200)
    assert by_itself.verdict().word == "check first"
    comparison = rr.compare(qrels, runs, measures=[primary, doubted], resamples=200)
    [[other]] = (each.others for each in comparison.decision.pairs.values())
    assert (other.measure, other.moves, other.open_by) == (doubted, 0, doubt)
    said = f"{comparison.verdict()} {rr.leaderboard(comparison)}"
    assert f"{doubted} falls" not in said
    assert f"{doubted} rises" not in said


def test_what_no_judgment_changes_depends_on_none():
    qrels, old, new, *_ = unjudged()
    measures, history = ["nDCG@10", "P@10", "Novelty@10"], {"u": ["q000d0"]}
    made = rr.evaluate(qrels, {"old": old, "new": new}, measures, history=history)
    assert values_on_judged(made).columns == ["system", "query_id", "nDCG@10", "P@10"]
    [[_, novelty]] = (each.others for each in rr.compare(made).decision.pairs.values())
    assert (novelty.measure, novelty.open_by) == ("Novelty@10", "unchanged")


def test_equal_scores_of_one_system_are_no_reason_to_judge_documents():
    qrels, old, tied, *_ = ties()
    runs = {"old": old, "new": collection()[2], "tied": tied}
    decision = rr.compare(qrels, runs, measures=["P@3"], resamples=200).decision
    assert [each.is_tied for each in decision.pairs.values()] == [False, True]
    assert decision.advised.action is Action.KEEP_OR_EVALUATE


LIMITS = ("nDCG@10 > -0.05", "P@5 > -0.1", "nDCG@25 > -0.1")


def in_several_doubts(seed):
    """Return two systems and a better third: the first lacks queries, documents and judgments."""
    rng = np.random.default_rng(seed)
    qrels, runs = {}, {"old": {}, "new": {}, "best": {}}
    for q in (f"q{i:03d}" for i in range(N)):
        grades = (np.arange(60) < 5).astype(int)
        shared, judged = rng.normal(size=60), grades < 0
        for system, quality in (("old", 1.65), ("new", 1.62), ("best", 2.3)):
            noise = 0.9 * shared + 0.44 * rng.normal(size=60)
            found = [f"{q}d{j}" for j in np.argsort(-noise - quality * grades)]
            runs[system][q] = found[: 12 if system == "old" and seed % 2 else 40]
            if system == "new":
                judged[[int(d.partition("d")[2]) for d in found[:10]]] = True
        judged |= rng.random(60) < 0.3
        qrels[q] = {f"{q}d{j}": int(grades[j]) for j in np.flatnonzero(judged)}
    for q in rng.permutation(list(qrels))[: 9 if seed % 4 < 2 else 0]:
        del runs["old"][q]
    return qrels, runs


@pytest.mark.parametrize("seed", [0, 1, 4, 15])
def test_outcomes_depend_neither_on_the_order_of_requirements_nor_on_other_systems(seed):
    qrels, runs = in_several_doubts(seed)
    found = {text: set() for text in LIMITS}
    for required in [LIMITS, LIMITS[::-1], *([text] for text in LIMITS)]:
        measures = [each.partition(" ")[0] for each in required]
        for systems in (["old", "new"], ["old", "new", "best"]):
            some = {system: runs[system] for system in systems}
            comparison = rr.compare(qrels, some, measures=measures, resamples=200)
            for each in rr.gate(comparison, required).candidates[0].findings:
                assert each.by_figures == "pass"
                found[each.requirement.text].add((each.outcome, each.decided_by))
    assert {text: len(outcomes) for text, outcomes in found.items()} == dict.fromkeys(LIMITS, 1)
