"""What a terminal says of a result stands in its HTML, in Markdown, and in comments of LaTeX."""

from __future__ import annotations

import inspect
from functools import cache, partial
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from public_results import (
    GRADES,
    NEW,
    OLD,
    RUNS,
    lacking,
    of_labels,
    of_reports,
    of_runs,
    results,
    terminal,
)

import rankreport as rr
from rankreport.tables import Readable
from rankreport.text import labelled, visible

HELPERS = Path(__file__).parents[1] / "helpers"


def unsaid(results):
    """Return what each result says in a terminal, and not in HTML or Markdown."""
    found = {}
    for name, result in results.items():
        outputs = {"HTML": result._repr_mimebundle_()["text/html"]}
        if hasattr(result, "to_markdown"):
            outputs["Markdown"] = result.to_markdown()
        for form, output in outputs.items():
            if lines := lacking(terminal(result), output):
                found[name, form] = lines
    return found


MADE = {data: partial(of_runs, runs) for data, runs in RUNS.items()}
MADE["judgments"] = of_labels
MADE |= {f"reports, {data}": partial(of_reports, RUNS[data]) for data in list(RUNS)[:2]}


@cache
def made(data):
    """Return results on these data by name."""
    return dict(MADE[data]())


@pytest.mark.parametrize("data", MADE)
def test_what_a_terminal_says_is_in_every_output(data):
    assert unsaid(made(data)) == {}


def test_every_public_result_is_among_those():
    def below(kind):
        return {each for one in kind.__subclasses__() for each in (one, *below(one))}

    # Those of Spark need a session, and inherit what they show.
    public = {kind for kind in below(Readable) if ".spark." not in kind.__module__}
    # A terminal cuts the settings of profiles, which are of another test.
    tried = {type(result) for data in MADE for result in made(data).values()}
    tried |= {type(rr.PROFILES)}
    assert {kind.__name__ for kind in public if not kind.__abstractmethods__} <= {
        kind.__name__ for kind in tried
    }
    kinds = filter(inspect.isclass, vars(rr).values())
    shown = {kind for kind in kinds if hasattr(kind, "_repr_mimebundle_")}
    assert {kind.__name__ for kind in shown} <= {kind.__name__ for kind in tried}


@pytest.mark.parametrize("data", [data for data in RUNS if data != "in order"])
def test_stops_and_looks_precede_the_table(data):
    with_cautions = [
        result
        for result in made(data).values()
        if getattr(result, "cautions", ()) and hasattr(result, "to_latex")
    ]
    assert len(with_cautions) == 7  # all but tables and verdict
    for result in with_cautions:
        table = result._shown().headers[0]
        serious = [each for each in result.cautions if each.severity != "note"]
        assert serious
        latex = result.to_latex()
        for each in serious:
            assert each.text in str(result)
            text = result.to_markdown().replace("\\", "")
            assert -1 < text.find(each.text) < text.rfind(f"| {table} |")
            (line,) = [line for line in latex.splitlines() if visible(each.text) in line]
            assert line.startswith("% ")


def test_html_of_a_caution_is_text():
    runs = {"<script>alert(1)</script>": {"q00": {"a": 1.0}}, "old": OLD}
    evaluation = rr.evaluate(GRADES, runs, ["RR"])
    assert any("<script>" in each.text for each in evaluation.cautions)
    assert "<script" not in evaluation._repr_html_()


def test_an_evaluation_has_the_cautions_of_a_comparison_that_need_no_pair():
    oracle = {q: {d: float(g) for d, g in grades.items()} for q, grades in GRADES.items()}
    longer = {query: {**run, "z": -1.0} for query, run in NEW.items()}
    for runs, code in (
        ({"old": OLD, "oracle": oracle}, "swapped"),
        ({"old": NEW, "new": longer}, "same_scores"),
        (RUNS["given twice"], "identical_runs"),
        (RUNS["almost empty"], "unanswered"),
    ):
        evaluation = rr.evaluate(GRADES, runs, ["nDCG@3"])
        assert code in {each.code for each in evaluation.cautions}
        of_pairs = {"same_scores", "ties_reverse", "one_sided", "few_changed", "judged_only"}
        of_pairs |= {"concentrated", "unseen_losses"}
        compared = {each.code for each in rr.compare(evaluation, resamples=200).cautions}
        assert compared - of_pairs <= {each.code for each in evaluation.cautions}
        checked = {each.code for each in rr.check(GRADES, runs, ["nDCG@3"]).cautions}
        assert checked <= {each.code for each in evaluation.cautions}


def test_a_plan_has_the_cautions_of_its_pilot():
    pilot = rr.compare(GRADES, RUNS["almost empty"], measures=["nDCG@3"], resamples=200)
    stops = [labelled(each) for each in pilot.cautions if each.severity == "stop"]
    assert str(rr.plan(pilot)).startswith(stops[0])


def test_all_stops_are_shown():
    ids = RUNS["ids that match nothing"]["new"]
    few = {query: ids[query] for query in list(ids)[:9]}
    qrels = {
        query: {doc: min(grade, 1) for doc, grade in GRADES[query].items()} for query in GRADES
    }
    comparison = rr.compare(qrels, {"old": few, "new": ids}, measures=["P(rel=2)@3"], resamples=200)
    stops = [each for each in comparison.cautions if each.severity == "stop"]
    assert len(stops) > 2
    for text in (str(comparison), str(rr.report(comparison))):
        assert all(visible(str(each)) in text for each in stops)


@pytest.mark.slow
@pytest.mark.jupyter
def test_a_cell_shows_what_a_terminal_says():
    names = list(results())
    opening = f"import sys; sys.path.insert(0, {str(HELPERS)!r})\n"
    opening += "from public_results import results, terminal\nmade = results()"
    sources = [opening, *(f"made[{name!r}]" for name in names)]
    sources += [f"print(terminal(made[{name!r}]))" for name in names]
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, sources)))
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    _, *cells = (cell.outputs for cell in notebook.cells)
    for name, shown, printed in zip(names, cells[: len(names)], cells[len(names) :], strict=True):
        # On a busy machine there may be a bar of progress too.
        (output,) = [each for each in shown if each.output_type == "execute_result"]
        text = "".join(each.text for each in printed if each.get("name") == "stdout")
        assert lacking(text, output.data["text/html"]) == [], name
        said = output.data["text/plain"]
        if text.strip() not in said:  # of a chart, it also lists what is drawn
            assert lacking(said, output.data["text/html"]) == [], name
