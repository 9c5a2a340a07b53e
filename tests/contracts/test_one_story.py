"""README, demo, terminal, page, notebook and gate tell one story of one comparison."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from markup import named, parsed, words

import rankreport as rr

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_demo_says_what_the_readme_says(tmp_path: Path) -> None:
    claim = r"^bm25-names is better than bm25 on nDCG@10, on these queries: .*$"
    claimed = re.findall(claim, README, re.MULTILINE)[0]
    made = subprocess.run(
        [sys.executable, "-m", "rankreport", "demo", "-o", str(tmp_path)],
        check=True,
        capture_output=True,
        text=True,
    )
    assert made.stdout.startswith(claimed + "\n")
    page = parsed((tmp_path / "report.html").read_text("utf-8"))
    figures = claimed.partition(":")[2]
    headline = claimed.partition(":")[0]
    assert words(named(page, "h1")[0]) == headline  # without figures, which stand below it
    shown = words(named(page, "header")[0])
    for figure in re.findall(r"[-+]\d\.\d+", figures)[:3]:
        assert figure.replace("-", "\N{MINUS SIGN}") in shown
    notebook = nbformat.read(tmp_path / "report.ipynb", as_version=4)
    [verdict] = [cell for cell in notebook.cells if cell.get("id") == "verdict"]
    assert verdict.outputs[0].data["text/plain"].startswith(claimed)


@pytest.mark.slow
def test_every_output_of_one_comparison_names_one_verdict_and_the_same_cautions(
    tmp_path: Path,
) -> None:
    example = rr.load_example()
    comparison = rr.compare(rr.evaluate(example.qrels, example.runs, ["nDCG@10"]))
    gate = rr.gate(comparison, "nDCG@10 > -0.2")
    report = rr.report(comparison, gate=gate)
    verdict = comparison.verdict()
    texts = {
        "verdict": str(verdict),
        "terminal": repr(comparison),
        "report": repr(report),
        "Jupyter": report._repr_mimebundle_()["text/plain"],
        "stored": repr(rr.load_report(report.to_json(tmp_path / "r.json")[0])),
    }
    lacking = [
        (name, sentence)
        for name, text in texts.items()
        for sentence in (verdict.sentence, verdict.others, *verdict.words.warnings)
        if sentence not in text
    ]
    assert lacking == []
    # Markdown opens with the first screen, in other words.
    markdown = re.sub(r"\\(.)", r"\1", report.to_markdown())
    screen = report._summary.page.screen
    told = (screen.headline, screen.plain, gate.verdict().action, *verdict.words.warnings)
    assert [sentence for sentence in told if sentence.rstrip(".") not in markdown] == []
    assert [warning for warning in verdict.words.warnings if warning not in repr(gate)] == []


def test_every_output_gives_one_advice_which_knows_the_gate(tmp_path: Path) -> None:
    example = rr.load_example()
    runs = {name: example.runs[name] for name in ("bm25", "bm25-names")}
    comparison = rr.compare(rr.evaluate(example.qrels, runs, ["nDCG@10", "RR@10"]))
    assert comparison.verdict().action == (
        "Evidence favours bm25-names: try it live. Watch for failures not seen here."
    )
    gate = rr.gate(comparison, "RR@10 > 0.2")
    advice = "bm25-names is better, but fails the gate: do not ship it as it is."
    report = rr.report(comparison, gate=gate)
    notebook = nbformat.read(report.to_notebook(tmp_path / "r.ipynb")[0], as_version=4)
    [verdict] = [cell for cell in notebook.cells if cell.get("id") == "verdict"]
    texts = {
        "gate": repr(gate),
        "gate in Jupyter": gate._repr_mimebundle_()["text/html"],
        "gate in Markdown": gate.to_markdown(),
        "gate in JSON": gate.to_json(),
        "report": repr(report),
        "report in Jupyter": report._repr_mimebundle_()["text/html"],
        "report in Markdown": report.to_markdown(),
        "page": report.to_html(tmp_path / "r.html")[0].read_text("utf-8"),
        "notebook": verdict.outputs[0].data["text/plain"],
    }
    texts = {name: re.sub(r"\s", " ", text) for name, text in texts.items()}
    assert [name for name, text in texts.items() if advice not in text] == []
    assert [name for name, text in texts.items() if "try it live" in text] == []
    assert "✗ RR@10 must rise by more than 0.2: fails, " in repr(report)
