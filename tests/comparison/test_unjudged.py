"""Unjudged documents: bounds against every choice of grades, and verdicts that they decide."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import polars as pl
import pytest

import rankreport as rr
from rankreport.comparison import Basis
from rankreport.comparison.every_pair import best_systems_of
from rankreport.comparison.model_judge import decisive_differences
from rankreport.comparison.other_decisions import decided_on_measure
from rankreport.comparison.unjudged import gains_of
from rankreport.evaluation.quality import unjudged_at_top, values_on_judged
from rankreport.reports import FORMATS as REPORT_FORMATS

MEASURES = ["nDCG@3", "nDCG(gain='exp')@4", "P@3", "R@3", "RR@3", "Success@2", "DCG@3", "RBP@3"]


def small_collection(rng: np.random.Generator) -> tuple[dict, dict]:
    """Return judgments of grades 0 to 2 and two lists of five documents, some unjudged."""
    names = [f"d{n}" for n in range(8)]
    judged = rng.choice(names, 5, replace=False)
    qrels = {str(name): int(rng.integers(0, 3)) for name in judged}
    qrels["other"] = 2  # the highest grade, which no list returned
    lists = {
        system: {str(name): 5.0 - place for place, name in enumerate(rng.permutation(names)[:5])}
        for system in ("old", "new")
    }
    return qrels, lists


def differences(choices: list[dict], lists: dict, measure: str) -> pl.Series:
    """Return the difference of two lists under each of several judgments."""
    qrels = {f"{n}": judged for n, judged in enumerate(choices)}
    runs = {system: dict.fromkeys(qrels, found) for system, found in lists.items()}
    scores = rr.evaluate(qrels, runs, [measure]).per_query().sort("query_id")
    of = {system: frame[str(rr.parse(measure))] for (system,), frame in scores.group_by("system")}
    return of["new"] - of["old"]


@pytest.mark.parametrize("measure", MEASURES)
def test_bounds_are_those_of_every_choice_of_grades(measure: str) -> None:
    rng = np.random.default_rng(51)
    k = rr.parse(measure).k
    tried = 0
    while tried < 2:
        qrels, lists = small_collection(rng)
        unknown = {
            name for found in lists.values() for name in list(found)[:k] if name not in qrels
        }
        if not 1 <= len(unknown) <= 3:
            continue
        tried += 1
        choices = [
            {**qrels, **dict(zip(sorted(unknown), grades, strict=True))}
            for grades in product([0, 1, 2], repeat=len(unknown))
        ]
        every = differences(choices, lists, measure)
        # The second query is fully judged and equal in both, so that the mean is half the first's.
        equal = {"a": 1, "b": 0, "c": 0}
        runs = {name: {"q": found, "r": {"a": 2.0, "b": 1.0}} for name, found in lists.items()}
        comparison = rr.compare(rr.evaluate({"q": qrels, "r": equal}, runs, [measure]))
        [found] = decisive_differences(comparison).values()
        assert found.on_judged is not None
        assert found.lowest == pytest.approx(every.min() / 2, abs=1e-9)
        assert found.highest == pytest.approx(every.max() / 2, abs=1e-9)


def test_a_relevant_document_that_is_lost_enlarges_the_ideal_by_hand() -> None:
    # x is unjudged and first in the old list alone. Relevant, the old list has nDCG@2 of
    # (1 + 1 / log2(3)) / (1 + 1 / log2(3)) = 1, and the new one 1 / (1 + 1 / log2(3)).
    lists = {"old": {"x": 2.0, "a": 1.0}, "new": {"a": 2.0, "b": 1.0}}
    runs = {system: {"q": found} for system, found in lists.items()}
    comparison = rr.compare(rr.evaluate({"q": {"a": 1, "b": 0}}, runs, ["nDCG@2"]))
    [found] = decisive_differences(comparison).values()
    second = 1 / np.log2(3)
    assert found.highest == pytest.approx(1 - second)  # x is not relevant
    assert found.lowest == pytest.approx(1 / (1 + second) - 1)
    # The ideal as it was would give 1 - (1 + second), an impossible nDCG above 1.
    assert found.lowest > 1 - (1 + second)


def test_measures_without_known_bounds_have_none() -> None:
    for measure in ("AP@10", "nDCG", "ERR@10", "P(judged_only=True)@5", "nDCG(ideal='full')@5"):
        assert gains_of(rr.parse(measure)) is None


def half_replaced(n_queries: int = 60, depth: int = 10) -> rr.Evaluation:
    """Evaluate a ranker, and the same with every other of its top documents unjudged."""
    rng = np.random.default_rng(52)
    qrels, old, new = {}, {}, {}
    for q in range(n_queries):
        grades = {f"q{q}d{d}": int(rng.random() < 0.4) for d in range(2 * depth)}
        grades[f"q{q}d0"] = 1
        ranked = list(rng.permutation(list(grades)))
        qrels[f"q{q}"] = grades
        old[f"q{q}"] = {str(d): float(-place) for place, d in enumerate(ranked)}
        new[f"q{q}"] = {
            (f"q{q}u{place}" if place % 2 else str(d)): float(-place)
            for place, d in enumerate(ranked[:depth])
        }
    return rr.evaluate(qrels, {"old": old, "new": new}, ["P@5", "nDCG@5"])


@pytest.fixture(scope="module")
def halved() -> rr.Comparison:
    return rr.compare(half_replaced(), resamples=500)


def test_a_verdict_that_unjudged_documents_make_is_to_be_checked_first(halved) -> None:
    [found] = decisive_differences(halved).values()
    assert found.by_interval == "worse"
    assert found.on_judged.by_interval != "worse"
    assert found.word == "check first"
    verdict = halved.verdict()
    assert verdict.word == "check first"
    assert "is worse than old on P@5" in verdict.sentence
    assert "But on judged documents alone it is" in verdict.sentence
    assert "judged_only" in {each.code for each in verdict.cautions}
    assert found.lowest <= found.delta <= found.highest
    assert found.highest > 0


def test_letters_and_rows_of_other_measures_point_to_judged_documents(halved) -> None:
    figure = decisive_differences(halved)[halved.pairs[0]].on_judged.numbers.replace("%", r"\%")
    caption = halved.to_latex().partition(r"\begin{tabular}")[0].partition(r"\caption")[2]
    assert f"the difference in P@5 is {figure}." in caption
    cautions = dict(halved.table().select("measure", "caution").rows())
    assert cautions["nDCG@5"] == "depends on unjudged documents"


def test_a_gate_that_unjudged_documents_fail_is_open_and_says_why(halved) -> None:
    for measure in ("P@5", "nDCG@5"):
        figure = decided_on_measure(halved, measure)[halved.pairs[0]].found.on_judged.numbers
        made = rr.gate(halved, f"{measure} > -0.01")
        [finding] = made.findings
        assert (finding.by_figures, finding.outcome) == ("fail", "inconclusive")
        assert finding.decided_by == "unjudged"
        why = (
            f"; on judged documents alone {measure} {figure}, but it depends on unjudged documents"
        )
        assert finding.reason.endswith(why)
        assert made.action == "Judge the unjudged documents first; keep old until then."
        codes = [
            rr.gate(halved, f"{measure} > -0.01", inconclusive=each).exit_code
            for each in ("inconclusive", "pass", "fail")
        ]
        assert codes == [3, 3, 1]  # the figures fail: never a pass


def by_first(new) -> rr.Comparison:
    """Compare lists with one whose relevant document is first for every other of 60 queries."""
    old = [["n", "r", "m"], ["r", "n", "m"]] * 30
    runs = {"old": old, "new": [new(at, found) for at, found in enumerate(old)]}
    lists = {name: {f"q{at}": row for at, row in enumerate(rows)} for name, rows in runs.items()}
    qrels = {f"q{at}": {"r": 1, "n": 0, "m": 0} for at in range(60)}
    return rr.compare(qrels, lists, measures=["RR"], resamples=200)


def test_a_gate_fails_where_judged_documents_alone_fail_too() -> None:
    # An unjudged first document halves RR; on judged ones alone, as many queries win as lose.
    swapped = {"n": "r", "r": "n", "m": "m"}
    comparison = by_first(
        lambda at, found: ["u", *(map(swapped.get, found) if at % 5 == 0 else found)]
    )
    [decided] = comparison.decision.pairs.values()
    assert (decided.word, decided.decided_by) == ("check first", "unjudged")
    made = rr.gate(comparison, "RR > 0.2")
    assert (made.outcome, made.exit_code) == ("fail", 1)
    assert made.action == "new fails the gate, whatever the data leave open: keep old."
    assert made.verdict().decision.verdict.gate == "fail"
    assert rr.gate(comparison, "RR > -0.05").outcome == "inconclusive"


def test_an_equivalence_that_fails_on_either_side_is_open() -> None:
    comparison = by_first(lambda _at, _found: ["u", "r", "n"])
    [found] = decisive_differences(comparison).values()
    assert (found.by_interval, found.on_judged.by_interval) == ("worse", "better")
    assert rr.gate(comparison, "abs(RR) < 0.05").outcome == "inconclusive"


def test_a_leaderboard_marks_what_unjudged_documents_decide(halved) -> None:
    found = rr.leaderboard(halved)
    assert found.table()["caution"].to_list()[1].endswith("depends on unjudged documents")
    assert [row[-1] for row in found._shown().rows] == [
        *("might be the best", "might be the best; depends on unjudged documents"),
    ]
    assert "Look: Unjudged documents" in found.to_markdown()
    assert found.to_latex().startswith("% Look: Unjudged documents")


def with_a_better_one() -> rr.Evaluation:
    """Evaluate `half_replaced`, and a system that finds more on a third of the queries."""
    halved = half_replaced()
    qrels, runs = halved._origin.qrels.read(), halved._origin.systems
    best = {}
    for row in runs["old"].read().iter_rows(named=True):
        best.setdefault(row["query_id"], {})[row["doc_id"]] = row["score"]
    for query in sorted(best)[::3]:
        judged = qrels.filter(pl.col("query_id").cast(pl.String) == query)
        relevant = judged.filter(pl.col("relevance") > 0)["doc_id"].to_list()
        below = [name for name in relevant if best[query][name] < -4]
        best[query] |= dict.fromkeys(below[:1], 1.0)
    systems = {name: source.read().cast({"query_id": pl.String}) for name, source in runs.items()}
    judgments = qrels.cast({"query_id": pl.String})
    return rr.evaluate(judgments, {**systems, "good": best}, ["P@5"])


@pytest.mark.parametrize("baseline", ["old", "new", "good"])
def test_what_is_said_of_the_best_does_not_depend_on_the_baseline(baseline) -> None:
    comparison = rr.compare(with_a_better_one(), baseline=baseline, resamples=500)
    assert best_systems_of(comparison)[0] == "good"
    assert comparison.decision.may_be_best == ("good", "new")
    others = comparison.verdict().others
    assert "Its difference from these depends on unjudged documents: new." in others
    assert "clearly below" not in others
    # old is below good on these queries alone, and what new is depends on unjudged documents.
    positions = comparison.decision.positions
    ranks = {each.system: (each.ranks, each.doubts) for each in positions}
    unjudged = (Basis.UNJUDGED,)
    assert ranks == {
        "good": ("1–3 (1–2)", unjudged),
        "old": ("1–3 (2–3)", unjudged),
        "new": ("1–3", unjudged),
    }
    board = rr.leaderboard(comparison)
    marks = {row[1]: row[-1] for row in board._shown().rows}
    assert marks == {
        "good": "might be the best",
        "old": "below another system on these queries",
        "new": "might be the best; depends on unjudged documents",
    }


def test_what_judged_documents_alone_say_names_the_margin() -> None:
    found = rr.compare(half_replaced(), resamples=500, margin=0.1).verdict()
    assert re.search(r"alone it is equivalent: .*, margin 0\.100\.$", found.sentence)


@pytest.mark.slow
def test_no_output_shows_it_without_the_figure_on_judged_documents(halved, tmp_path) -> None:
    figure = halved.verdict().sentence.split("alone it is ")[1].split(": ")[1].split(" (")[0]
    report = rr.report(halved)
    gate = rr.gate(halved, "P@5 > -0.01")
    shown = {
        "verdict": str(halved.verdict()),
        "terminal": repr(halved),
        "latex": halved.to_latex(),
        "markdown": halved.to_markdown(),
        "report in a terminal": repr(report),
        "report in Jupyter": report._repr_mimebundle_()["text/html"],
        "gate in a terminal": repr(gate),
        "gate in Jupyter": gate._repr_mimebundle_()["text/html"],
        "leaderboard": repr(rr.leaderboard(halved)),
        "table": " ".join(halved.table()["caution"]),
    }
    for suffix in sorted(REPORT_FORMATS.keys() - {".png"}):  # a picture holds no text
        path = tmp_path / f"report{suffix}"
        REPORT_FORMATS[suffix].write(report, path)
        shown[suffix] = path.read_bytes().decode("utf-8", errors="replace")
    for write in (gate.to_markdown, gate.to_junit, gate.to_json):
        shown[f"gate by {write.__name__}"] = write()
    lacking = [name for name, text in shown.items() if figure not in text]
    assert lacking == []


def test_what_is_stored_says_the_same(halved, tmp_path) -> None:
    path = tmp_path / "scores.parquet"
    halved.evaluation.write_parquet(path)
    again = rr.compare(rr.load_evaluation(path), resamples=500)
    assert str(again.verdict()) == str(halved.verdict())


def test_well_judged_lists_need_no_second_figure() -> None:
    example = rr.load_example()
    evaluation = rr.evaluate(example.qrels, example.runs, ["nDCG@10"])
    assert min(evaluation.judged_share.values()) > 0.9
    assert unjudged_at_top(evaluation) is None
    [found, *_] = decisive_differences(rr.compare(evaluation)).values()
    assert found.on_judged is None


def test_judgments_of_relevant_documents_alone_have_a_note_and_nothing_to_check() -> None:
    evaluation = half_replaced()
    qrels = {
        query: {doc: grade for doc, grade in of.items() if grade}
        for query, of in _judgments(evaluation).items()
    }
    runs = {system: _run(evaluation, system) for system in evaluation.systems}
    comparison = rr.compare(rr.evaluate(qrels, runs, ["P@5"]), resamples=500)
    assert unjudged_at_top(comparison.evaluation) is None
    assert comparison.verdict().word == "worse"
    codes = [(each.code, each.severity) for each in comparison.cautions]
    assert codes.count(("mostly_positive", "note")) == 1
    assert not {"judged_only", "unevenly_judged", "hardly_judged"} & {code for code, _ in codes}


def _judgments(evaluation: rr.Evaluation) -> dict[str, dict[str, float]]:
    frame = evaluation._origin.judged_documents().unique(["query_id", "doc_id"])
    found: dict[str, dict[str, float]] = {}
    for query, doc, grade in frame.select("query_id", "doc_id", "relevance").iter_rows():
        found.setdefault(query, {})[doc] = grade
    return found


def _run(evaluation: rr.Evaluation, system: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    shown = evaluation.documents(evaluation.query_ids, 20, systems=[system])
    for query, doc, score in shown.select("query_id", "doc_id", "score").iter_rows():
        found.setdefault(query, {})[doc] = score
    return found


def test_values_on_judged_documents_are_those_of_lists_without_the_others() -> None:
    evaluation = half_replaced()
    qrels = _judgments(evaluation)
    runs = {
        system: {
            query: {doc: score for doc, score in found.items() if doc in qrels[query]}
            for query, found in _run(evaluation, system).items()
        }
        for system in evaluation.systems
    }
    for measure in ("P@5", "nDCG@5", "RR", "AP"):
        of = rr.evaluate(qrels, {s: _run(evaluation, s) for s in evaluation.systems}, [measure])
        expected = rr.evaluate(qrels, runs, [measure]).per_query()
        found = values_on_judged(of)
        assert found[measure].to_list() == pytest.approx(expected[measure].to_list())


def test_where_judged_documents_leave_few_changes_this_is_said() -> None:
    # Twelve queries win by an unjudged document of the old system, five by a judged one as well.
    qrels, old, new = {}, {}, {}
    for at in range(30):
        query = f"q{at:02}"
        qrels[query] = {"a": 1, "n": 0}
        old[query] = ["?", "a"] if at < 12 else ["a", "n"]
        new[query] = ["a", "n"]
        if at < 5:
            old[query] = ["?", "n", "a"]
    comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["RR"]), resamples=500)
    assert comparison.verdict().word == "check first"
    (judged,) = (each.on_judged for each in decisive_differences(comparison).values())
    assert (judged.by_interval, judged.n_changed) == ("inconclusive", 5)
    said = f"it is inconclusive: {judged.numbers}; only 5 queries changed."
    assert said in comparison.verdict().sentence
