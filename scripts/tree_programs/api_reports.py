"""Show reports as Jupyter does, in every form, and the same once more after loading them.

python -m tree_programs.api_reports one two
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import polars as pl

import rankreport as rr
from tree_programs.api_comparison import SIX
from tree_programs.showing import called, show, show_refusal


def main(names: list[str]) -> None:
    """Write and load the reports of these names, and show what is refused."""
    made = reports()
    for name in names:
        _everything(name, made[name])
    _refused()


def reports() -> dict[str, rr.Report]:
    """Return reports of one system, two and six, structured, themed and with hostile names."""
    measures = ["nDCG@10", "AP", "P@5"]
    runs: dict[str, Any] = dict(SIX)
    one = rr.evaluate("inputs/qrels.txt", {"bm25": runs["bm25"]}, measures)
    two = rr.evaluate("inputs/qrels.txt", {"bm25": SIX["bm25"], "new": SIX["noisy"]}, measures)
    six = rr.evaluate("inputs/qrels.txt", runs, measures)
    known = {"queries": "inputs/queries.csv", "resamples": 300}
    segmented = rr.compare(two, **known, segments=["topic", "half"], margin=0.02)
    gate = rr.gate(segmented, ["AP > -0.02", "P@5 > 0"])
    theme = rr.Theme(
        logo="inputs/logo.svg", accent="#0072B2", introduction="Made *at night*.", closing="End."
    )
    clustered = rr.compare(two, **known, clusters="user", weights="weight")
    weighted = rr.compare(two, **known, weights="weight", strata="stratum")
    studentized = rr.compare(two, interval="studentized", resamples=300, test="bootstrap")
    return {
        "one": rr.report(one, queries="inputs/queries.tsv"),
        "two": rr.report(rr.compare(two, resamples=300), command="as given", curves=["nDCG"]),
        "six": rr.report(rr.compare(six, resamples=300)),
        "gated": rr.report(segmented, gate=gate, theme=theme, title="A <title>"),
        "chinese": rr.report(segmented, gate=gate, language="zh"),
        "clustered": rr.report(clustered),
        "weighted": rr.report(weighted),
        "studentized": rr.report(studentized),
        "hostile": _hostile(),
    }


def _hostile() -> rr.Report:
    names = json.loads(Path("inputs/hostile.json").read_text(encoding="utf-8"))
    runs = {name: f"inputs/hostile-{each}.parquet" for each, name in names.items()}
    evaluation = rr.evaluate("inputs/hostile-qrels.parquet", runs, ["nDCG@3", "RR"])
    queries = pl.read_parquet("inputs/hostile-queries.parquet")
    comparison = rr.compare(evaluation, queries=queries, segments="kind<i>", resamples=200)
    return rr.report(comparison, gate=rr.gate(comparison, "RR > -0.1"))


def _everything(name: str, report: rr.Report) -> None:
    _shown(name, report)
    folder = Path(name)
    folder.mkdir()
    for suffix in ("html", "md", "tex", "csv", "parquet", "json"):
        show(suffix, _writer(report, suffix)(folder / f"report.{suffix}"))
    show("notebook", report.to_notebook(folder / "report.ipynb"))
    loaded = rr.load_report(folder / "report.json")
    _shown(f"{name} loaded", loaded)
    for suffix in ("html", "md", "tex", "csv", "parquet", "json"):
        _writer(loaded, suffix)(folder / f"loaded.{suffix}")


def _shown(name: str, report: rr.Report) -> None:
    show(name, report)
    called(report, "language", "to_markdown", "to_latex", "to_polars", "to_json")


def _writer(report: rr.Report, suffix: str) -> Any:
    names = {"html": "to_html", "md": "to_markdown", "tex": "to_latex", "csv": "to_csv"}
    return getattr(report, names.get(suffix, f"to_{suffix}"))


def _refused() -> None:
    evaluation = rr.evaluate({"q1": {"d": 1}}, {"a": {"q1": {"d": 1.0}}}, ["AP"])
    report = rr.report(evaluation)
    show_refusal("subject", lambda: rr.report("x"))
    show_refusal("title", lambda: rr.report(evaluation, title=" "))
    show_refusal("language", lambda: rr.report(evaluation, language="xx"))
    show_refusal("accent", lambda: rr.Theme(accent="#FFCC00"))
    show_refusal("logo", lambda: rr.Theme(logo="inputs/qrels.txt"))
    show_refusal("templates", lambda: rr.Theme(templates="inputs"))
    show_refusal("suffix", lambda: report.to_html("report.md"))
    show_refusal("folder", lambda: report.to_html("nowhere/report.html"))
    show_refusal("curves", lambda: rr.report(evaluation, curves="NumQ"))
    show_refusal("queries", lambda: rr.report(evaluation, queries="inputs/twice.csv"))
    show_refusal("no report", lambda: rr.load_report("inputs/broken.json"))
    show_refusal("no file", lambda: rr.load_report("nowhere.json"))


if __name__ == "__main__":
    main(sys.argv[1:])
