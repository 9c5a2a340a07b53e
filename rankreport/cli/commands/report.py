"""The command that writes a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import rankreport as rr
from rankreport import reports
from rankreport.cli.comparing import (
    BaselineOptions,
    ComparisonOptions,
    Judges,
    ResamplingOptions,
    StructureOptions,
    check_alone,
    compared,
)
from rankreport.cli.grouping import command, option_of
from rankreport.cli.options import (
    GivenQrels,
    GivenRuns,
    LabelledOptions,
    MeasureOptions,
    Require,
    RuleOptions,
    ThemeOptions,
    command_as_given,
)
from rankreport.cli.outputs import check_notebook, check_outputs, finish, output_option, writers_of
from rankreport.errors import OptionError
from rankreport.text import current_language, using_language


@command(
    epilog="\b\nExamples:\n"
    "  rankreport report qrels.txt bm25.run dense.run\n"
    "  rankreport report qrels.txt a.run b.run -o report.html -o report.ipynb\n"
    "  rankreport report qrels.txt a.run b.run c.run --baseline b --queries q.tsv\n"
    "  rankreport report qrels.txt a.run b.run --queries q.tsv --documents corpus.jsonl\n"
    "  rankreport report --labelled test.svm --scores lgbm.txt --scores xgb.txt\n"
    "  rankreport report model.txt a.run b.run --human people.txt\n\n"
    "The notebook's scores are written beside it, as report.scores.parquet. Exit code: 0 whatever "
    "the outcome of --require, which the report states; to stop a build, use rankreport gate.",
)
def report(
    comparing: ComparisonOptions,
    chosen: MeasureOptions,
    rules: RuleOptions,
    labelled: LabelledOptions,
    resampling: ResamplingOptions,
    structure: StructureOptions,
    appearance: ThemeOptions,
    judges: Judges,
    storing: BaselineOptions,
    qrels: GivenQrels = None,
    runs: GivenRuns = None,
    require: Require = None,
    documents: Annotated[
        str | None,
        option_of(
            "FILE",
            "Texts of documents, shown with wins and losses, or the hardest queries of one "
            "run: JSON lines, CSV, TSV or Parquet with doc_id, title, text, url. [default: "
            "corpus.jsonl of a BEIR folder]",
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        output_option(
            f"Output file: {', '.join(reports.FORMATS)}; repeatable. [default: report.html]"
        ),
    ] = None,
    execute: Annotated[
        bool, typer.Option("--execute", help="Run the notebook and save its outputs.")
    ] = False,
    data_inside: Annotated[
        bool, typer.Option("--data-inside", help="Embed the scores in the notebook.")
    ] = False,
    roc: Annotated[
        bool, typer.Option("--roc", help="Show ROC and precision-recall curves.")
    ] = False,
) -> None:
    """Write a report: an HTML page for stakeholders, a notebook for engineers."""
    outputs = output or [Path("report.html")]
    inside = "inside" if data_inside else None
    usual = reports.FORMATS[".ipynb"]
    written = usual._replace(
        write=lambda made, path: made.to_notebook(path, data=inside, execute=execute),
        beside=() if data_inside else usual.beside,
    )
    formats = {**reports.FORMATS, ".ipynb": written}
    check_outputs(outputs, formats)
    check_notebook(outputs, execute=execute, data_inside=data_inside)
    theme = appearance.theme()
    wanted = chosen.within(resampling.memory)
    runs, comparing = comparing.with_null(runs, rules)
    evaluation = labelled.evaluation(qrels, {"RUN": runs}, judges.of_model(rules), wanted)
    people = None
    if (entry := storing.named(comparing.baselines)) is not None:
        comparing = replace(comparing, baselines=None)
    if entry is not None or len(evaluation.systems) > 1:
        people = judges.by_people(labelled, runs or (), rules, wanted)
    day = reports.date_of(appearance.date)
    joined = storing.joined(evaluation, entry, people, day)
    resampling = storing.shared(resampling)
    subject: rr.Evaluation | rr.Comparison = joined
    queries = structure.queries
    if len(joined.systems) > 1:
        groups = (comparing, resampling, structure, judges)
        subject, queries = compared(joined, *groups, people=people), None
    else:
        check_alone(comparing, structure, resampling, judges)
    if require and not isinstance(subject, rr.Comparison):
        raise OptionError("--require needs a second run to compare with.")
    with using_language(appearance.language or current_language(), theme.languages):
        since = storing.since(evaluation, subject, entry)
    gate = rr.gate(subject, require) if require and isinstance(subject, rr.Comparison) else None
    made = rr.report(
        subject,
        title=appearance.title,
        queries=queries,
        documents=documents,
        gate=gate,
        roc=roc,
        date=appearance.date,
        command=command_as_given(),
        theme=theme,
        language=appearance.language,
        since=since,
    )
    with using_language(made.language, theme.languages):
        stored = storing.writer(subject, None if gate is None else gate.outcome, evaluation)
        finish(made, {**writers_of(made, outputs, formats), **stored})
