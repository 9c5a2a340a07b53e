"""Where every value is 0, each output says why."""

from __future__ import annotations

import random

import pytest
from typer.testing import CliRunner

import rankreport as rr
from rankreport.cli.app import app

RUNNER = CliRunner()
GRADED = {f"q{i}": {f"d{i}a": 2, f"d{i}b": 0, f"d{i}c": 0, f"d{i}d": 1} for i in range(8)}


def lists(*names):
    """Return a run whose lists hold these documents, with the number of the query."""
    return {q: {n.format(q[1:]): -k for k, n in enumerate(names)} for q in GRADED}


NOT_RELEVANT = lists("d{}b", "d{}c", "other")
MEASURES = {
    "nDCG@2",
    "AP",
    "RR",
    "P@2",
    "R@2",
    "Success@1",
    "RPrec",
    "ERR@2",
    "RBP",
    "Bpref",
    "InfAP",
    "nDCG(judged_only=True)@2",
}
FEW = {"nDCG@2", "RR", "Bpref", "nDCG(judged_only=True)@2"}
"""Of gains, ranks, pairs, and judged documents alone."""

ZERO = {
    "other ids": (GRADED, lists("x{}a", "y{}b"), MEASURES, "nothing_judged"),
    "ids spelled differently": (GRADED, lists("doc-d{}a", "doc-d{}d"), FEW, "nothing_judged"),
    "positions": (GRADED, lists("{}", "1{}", "2{}"), FEW, "nothing_judged"),
    "no grade above 0": (
        {q: dict.fromkeys(row, 0) for q, row in GRADED.items()},
        NOT_RELEVANT,
        MEASURES,
        "nothing_relevant",
    ),
    "no grade of rel": (GRADED, lists("d{}a"), {"P(rel=3)@2", "AP(rel=3)"}, "nothing_relevant"),
    "other queries": (
        {**GRADED, **{f"x{q}": row for q, row in GRADED.items()}, "y": {"d": 1}},
        NOT_RELEVANT,
        FEW,
        "unanswered",
    ),
    "no relevant document": (GRADED, NOT_RELEVANT, MEASURES, "nothing_found"),
    "none above the cut-off": (
        GRADED,
        lists("d{}b", "d{}c", "d{}a"),
        {"nDCG@2", "Success@1", "Bpref"},
        "nothing_found",
    ),
    "the wrong order": (GRADED, lists("d{}b", "d{}c", "d{}d", "d{}a"), {"AUC"}, "nothing_found"),
}


@pytest.mark.parametrize("case", ZERO)
def test_a_caution_says_why_each_measure_is_0(case):
    qrels, run, measures, code = ZERO[case]
    for measure in sorted(measures):
        made = rr.evaluate(qrels, {"mine": run}, [measure])
        assert made.summary().row(0) == ("mine", 0), measure
        found = [each for each in made.cautions if each.code == code]
        assert found, measure
        assert {each.severity for each in found} <= {"stop", "look"}, measure


def test_hardly_any_relevant_document_is_no_0_without_a_word():
    qrels = {f"q{i}": {f"d{i}": 1, f"n{i}": 0} for i in range(3000)}
    run = {q: [f"n{q[1:]}"] for q in qrels} | {"q0": [*(f"x{i}" for i in range(8)), "d0", "n0"]}
    [caution] = [
        each for each in rr.evaluate(qrels, run, ["RR@10"]).cautions if each.code == "nothing_found"
    ]
    assert "run (4e-05)" in caution.text


@pytest.mark.parametrize("relevant", [["d{}a"], ["d{}a", "d{}b"]])
def test_a_system_that_finds_some_has_no_such_caution(relevant):
    for measure in MEASURES:
        cautions = rr.evaluate(GRADED, lists(*relevant), [measure]).cautions
        assert "nothing_found" not in [each.code for each in cautions]


def test_a_measure_of_which_0_is_best_or_in_the_middle_says_nothing():
    made = rr.evaluate(GRADED, NOT_RELEVANT, ["FPR(t=5)"])
    assert made.summary()["FPR(t=5)"].to_list() == [0]
    assert "nothing_found" not in [each.code for each in made.cautions]


@pytest.mark.parametrize("case", ["other ids", "no grade above 0", "no relevant document"])
def test_every_output_says_why(case, tmp_path):
    qrels, run, _, code = ZERO[case]
    runs = {"mine": run, "best": lists("d{}a")}
    made = rr.evaluate(qrels, runs, ["nDCG@2", "AP"])
    [caution] = [e for e in made.cautions if e.code == code and e.concerns != (("best",),)]
    compared = rr.compare(made, baseline="best")
    report = rr.report(made)
    report.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    shown = [repr(compared), report.to_markdown(), repr(rr.check(qrels, runs, ["nDCG@2"])), page]
    paths = made.to_trec(tmp_path / "trec")
    arguments = [*map(str, paths), "-m", "nDCG@2"]
    commands = ("evaluate", "compare", "check")
    shown += [RUNNER.invoke(app, [command, *arguments]).output for command in commands]
    for text in shown:
        assert caution.text in " ".join(text.split())


def test_positions_that_equal_the_ids_of_a_few_documents_by_chance_are_reported():
    """semantic_search of sentence-transformers on documents whose ids are numbers too."""
    corpus_ids = [str(n) for n in range(1, 1001)]
    random.Random(3).shuffle(corpus_ids)
    at = {document: position for position, document in enumerate(corpus_ids)}
    judged = {f"q{i}": corpus_ids[20 * i : 20 * i + 10] for i in range(30)}
    qrels = {q: dict.fromkeys([*documents, "0"], 1) for q, documents in judged.items()}

    def hits(number):
        return {
            q: [{"corpus_id": number(d), "score": -k} for k, d in enumerate(documents)]
            for q, documents in judged.items()
        }

    run = hits(at.get)
    found = rr.evaluate(qrels, run, ["P@10"])
    assert 0 < found.summary()["P@10"][0] < 0.05
    (caution,) = [each for each in found.cautions if each.code == "positions"]
    mapped = rr.evaluate(
        qrels, eval(caution.line, {"corpus_ids": corpus_ids, "run": run}), ["P@10"]
    )
    named = rr.evaluate(qrels, hits(int), ["P@10"])
    for right in (mapped, named):
        assert right.summary()["P@10"][0] == 1
        assert "positions" not in [each.code for each in right.cautions]
