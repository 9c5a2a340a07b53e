"""The command line: every command calls the function that a notebook would call."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from rankreport import reference
from rankreport.cli_groups import takes_groups
from rankreport.cli_options import (
    Asked,
    Baseline,
    Contrasted,
    Dressed,
    Qrels,
    Require,
    Required,
    Resampled,
    Rules,
    Runs,
    Structure,
    check_alone,
    compared,
)
from rankreport.cli_outputs import (
    GATE_WRITERS,
    PLAN_WRITERS,
    REPORT_WRITERS,
    TABLES,
    Writer,
    check_notebook,
    check_outputs,
    end_unheard,
    finish,
    make_folder,
    tell,
)
from rankreport.cli_words import command_as_given
from rankreport.comparing import compare
from rankreport.comparison import Comparison
from rankreport.errors import OptionError, RankReportError, choose
from rankreport.evaluating import DEFAULT_MEASURES, evaluate
from rankreport.evaluation import Evaluation
from rankreport.example import load_example
from rankreport.gating import INCONCLUSIVE, gate
from rankreport.measures import parse
from rankreport.planning import power
from rankreport.rendering.comparison_table import segments_table
from rankreport.rendering.display import text_of
from rankreport.rendering.language import speaking
from rankreport.rendering.table import table_of
from rankreport.rendering.text import visible
from rankreport.reporting import Report, report
from rankreport.requirements import measures_required
from rankreport.writing import write_frame

__all__ = ["app", "main"]

app = typer.Typer(
    name="rankreport",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Is the new ranker better, by how much, how sure are we, and on which queries?",
    epilog="Start with: rankreport demo",
)


def _say_version(wanted: bool) -> None:
    if wanted:
        tell(f"rankreport {version('rankreport')}", sys.stdout)
        raise typer.Exit


@app.callback()
def _of_all(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="Say which version this is."
        ),
    ] = False,
) -> None:
    """Hold what comes before the name of a command."""


@app.command(
    "evaluate",
    epilog="\b\nExamples:\n"
    "  rankreport evaluate qrels.txt bm25.run dense.run\n"
    "  rankreport evaluate qrels.txt new=v7.run.gz -m nDCG@10 -m 'AP(rel=2)'\n"
    "  rankreport evaluate qrels.txt bm25.run -m map -m P_10 -o scores.parquet",
)
@takes_groups
def evaluate_command(
    qrels: Qrels,
    runs: Runs,
    asked: Asked,
    rules: Rules,
    per_query: Annotated[
        bool, typer.Option("--per-query", help="Print every query, not only the means.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the scores: .parquet, .csv or .json."
        ),
    ] = None,
) -> None:
    """Compute measures for one or more systems."""
    check_outputs([output], TABLES)
    made = rules.evaluation(qrels, runs, asked.measures, asked.primary)
    writers: dict[Path, Writer] = {}
    if output is not None:
        parquet = output.suffix == ".parquet"
        write = made.write_parquet if parquet else partial(write_frame, frame=made.scores)
        writers = {output: write}
    finish(table_of(made.per_query()) if per_query else made, writers, made.cautions)


@app.command(
    "compare",
    epilog="\b\nExamples:\n"
    "  rankreport compare qrels.txt bm25.run dense.run\n"
    "  rankreport compare qrels.txt old=a.run new=b.run -m nDCG@10 -o table.csv\n"
    "  rankreport compare qrels.txt a.run b.run c.run --all-pairs --margin 0.01",
)
@takes_groups
def compare_command(
    qrels: Qrels,
    baseline: Baseline,
    runs: Runs,
    asked: Asked,
    rules: Rules,
    contrasted: Contrasted,
    resampled: Resampled,
    structure: Structure,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the comparison: .parquet, .csv or .json."
        ),
    ] = None,
) -> None:
    """Compare systems with a baseline: differences, intervals, p-values, wins and losses."""
    check_outputs([output], TABLES)
    evaluation = rules.evaluation(qrels, [baseline, *runs], asked.measures, asked.primary)
    bases = list(dict.fromkeys([evaluation.systems[0], *(contrasted.baselines or ())]))
    made = compared(evaluation, replace(contrasted, baselines=bases), resampled, structure)
    shown: object = made
    if contrasted.segment:
        shown = f"{made}\n\n{text_of([segments_table(made.segments(), made.one_baseline)])}"
    write = partial(write_frame, frame=made.table())
    finish(shown, {} if output is None else {output: write}, made.cautions)


@app.command(
    "report",
    epilog="\b\nExamples:\n"
    "  rankreport report qrels.txt bm25.run dense.run\n"
    "  rankreport report qrels.txt a.run b.run -o report.html -o report.ipynb\n"
    "  rankreport report qrels.txt a.run b.run c.run --baseline b --queries q.tsv\n\n"
    "The notebook's scores are written beside it, as report.scores.parquet.",
)
@takes_groups
def report_command(
    qrels: Qrels,
    runs: Runs,
    contrasted: Contrasted,
    asked: Asked,
    rules: Rules,
    resampled: Resampled,
    structure: Structure,
    dressed: Dressed,
    require: Require = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help=f"Write {', '.join(REPORT_WRITERS)}; again for more. [default: report.html]",
        ),
    ] = None,
    execute: Annotated[
        bool, typer.Option("--execute", help="Run the notebook, and write what it gives.")
    ] = False,
    data_inside: Annotated[
        bool, typer.Option("--data-inside", help="Put the notebook's scores into it.")
    ] = False,
) -> None:
    """Write a report: an HTML page for stakeholders, a notebook for engineers."""
    outputs = output or [Path("report.html")]
    check_outputs(outputs, REPORT_WRITERS)
    check_notebook(outputs, execute=execute, data_inside=data_inside)
    theme = dressed.theme()
    evaluation = rules.evaluation(qrels, runs, asked.measures, asked.primary)
    subject: Evaluation | Comparison = evaluation
    queries = structure.queries
    if len(evaluation.systems) > 1:
        subject, queries = compared(evaluation, contrasted, resampled, structure), None
    else:
        check_alone(contrasted, structure, resampled)
    if require and not isinstance(subject, Comparison):
        raise OptionError("--require needs a second run to compare with.")
    made = report(
        subject,
        title=dressed.title,
        queries=queries,
        gate=gate(subject, require) if require and isinstance(subject, Comparison) else None,
        command=command_as_given(),
        theme=theme,
        language=dressed.language,
    )
    inside = "inside" if data_inside else None
    notebook = partial(Report.to_notebook, data=inside, execute=execute)
    by_end: dict[str, Callable[..., tuple[Path, ...]]] = {
        **REPORT_WRITERS,
        ".ipynb": notebook,
    }
    writers = {path: partial(by_end[path.suffix], made) for path in outputs}
    with speaking(made.language, theme.languages):
        finish(made, writers, subject.cautions)


@app.command(
    "gate",
    epilog="\b\nExamples:\n"
    "  rankreport gate qrels.txt bm25.run dense.run --require 'nDCG@10 > -0.02'\n"
    "  rankreport gate qrels.txt a.run b.run --require 'RR@10 > 0' --require 'abs(AP) < 0.02'\n"
    "  rankreport gate qrels.txt a.run b.run --require 'AP > -0.02' -o gate.md -o gate.xml\n\n"
    "The exit code is 0 where all candidates pass, 1 where one fails, 3 where neither can be said "
    "(see --inconclusive), and 2 where the usage or the data was wrong.",
)
@takes_groups
def gate_command(
    qrels: Qrels,
    baseline: Baseline,
    runs: Annotated[
        list[str],
        typer.Argument(metavar="CANDIDATE", help="The runs that must pass, each by itself."),
    ],
    require: Required,
    rules: Rules,
    resampled: Resampled,
    structure: Structure,
    inconclusive: Annotated[
        str,
        typer.Option(
            "--inconclusive",
            metavar="OUTCOME",
            help=f"What counts where neither can be said: {', '.join(INCONCLUSIVE)}.",
        ),
    ] = "inconclusive",
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write .md (for a pull request), .xml (JUnit) or .json; again for more.",
        ),
    ] = None,
) -> None:
    """Let a change pass, or not: requirements on differences, and an exit code for a pipeline."""
    check_outputs(output or [], GATE_WRITERS)
    choose("--inconclusive", inconclusive, INCONCLUSIVE)
    measures = rules.measures(measures_required(require))
    # A gate has no primary measure, but a comparison does, and not every measure can be it.
    decides = next((m for m in measures if m.declaration.better == "high"), DEFAULT_MEASURES[0])
    evaluation = rules.evaluation(qrels, [baseline, *runs], measures, decides)
    comparison = compared(evaluation, resampled, structure)
    made = gate(comparison, require, inconclusive=inconclusive)
    writers = {path: partial(GATE_WRITERS[path.suffix], made) for path in output or []}
    finish(made, writers, comparison.cautions)
    raise typer.Exit(made.exit_code)


@app.command(
    "plan",
    epilog="\b\nExamples:\n"
    "  rankreport plan qrels.txt bm25.run dense.run\n"
    "  rankreport plan qrels.txt a.run b.run -m AP --n 200 --n 500 --difference 0.01\n"
    "  rankreport plan qrels.txt a.run b.run --power 0.9 -o plan.csv -o plan.svg",
)
@takes_groups
def plan_command(
    qrels: Qrels,
    baseline: Baseline,
    runs: Runs,
    measure: Annotated[
        str, typer.Option("-m", "--measure", metavar="MEASURE", help="The one that will decide.")
    ] = DEFAULT_MEASURES[0],
    n: Annotated[
        list[int] | None,
        typer.Option(
            "--n",
            metavar="N",
            help="A number of queries; again for more. [default: some around the pilot's]",
        ),
    ] = None,
    difference: Annotated[
        list[float] | None,
        typer.Option(
            "--difference",
            metavar="D",
            help="A difference to find; again for more. [default: the one found, and some others]",
        ),
    ] = None,
    sure: Annotated[
        float, typer.Option("--power", metavar="SHARE", help="The chance of finding it.")
    ] = 0.8,
    *,
    rules: Rules,
    resampled: Resampled,
    structure: Structure,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the table (.parquet, .csv or .json) or the curve (.png or .svg); again for "
            "more.",
        ),
    ] = None,
) -> None:
    """Plan a comparison by a pilot: what n queries can show, and how many a difference takes."""
    check_outputs(output or [], PLAN_WRITERS)
    evaluation = rules.evaluation(qrels, [baseline, *runs], [measure])
    pilot = compared(evaluation, resampled, structure)
    made = power(pilot, n_queries=n or None, difference=difference or None, power=sure)
    writers = {path: partial(PLAN_WRITERS[path.suffix], made) for path in output or []}
    finish(made, writers, [*pilot.cautions, *made.cautions])


@app.command(
    "measures",
    epilog="\b\nExamples:\n  rankreport measures\n  rankreport measures nDCG",
)
def measures_command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One measure.")] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="The whole reference, as a page of Markdown.")
    ] = False,
) -> None:
    """List the measures, or explain one."""
    every = reference.page if markdown else reference.listed
    told = every().removesuffix("\n") if name is None else reference.explained(parse(name))
    tell(told, sys.stdout)


@app.command("demo", epilog="\b\nExample:\n  rankreport demo -o somewhere")
def demo_command(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where to write.")
    ] = Path("rankreport-demo"),
) -> None:
    """Run the main job on the example data: questions on the Python standard library."""
    example = load_example()
    comparison = compare(evaluate(example.qrels, example.runs))
    made = report(
        comparison,
        title="Searching the Python standard library: three ideas against BM25",
        queries=example.queries,
        command=command_as_given(),
    )
    make_folder(output)
    write_notebook = partial(made.to_notebook, data=output / "scores.parquet")
    page, notebook = output / "report.html", output / "report.ipynb"
    finish(made, {page: made.to_html, notebook: write_notebook}, comparison.cautions)


def main() -> None:
    """Run the command line, turning errors into one paragraph and an exit code.

    The code is 0 where all went well and 2 where the usage or the data was wrong; that of a gate
    is 1 where it fails and 3 where it is inconclusive.
    """
    try:
        app()
    except RankReportError as error:
        tell(f"rankreport: {visible(str(error))}", sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # in the words on a wrong usage, the only ones that are not told
        end_unheard(2)
    except SystemExit as ended:
        # Typer's code for a reader who has gone is that of a gate that fails.
        if isinstance(ended.__context__, BrokenPipeError):
            end_unheard(0)
        raise
