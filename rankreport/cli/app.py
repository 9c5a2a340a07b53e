"""The commands, each of which calls a public function."""

from __future__ import annotations

import gc
import sys
import traceback
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import rankreport as rr
from rankreport import cli, comparison, evaluation, gates, io, planning, reports, tables
from rankreport.addresses import without_secrets
from rankreport.cli import declared
from rankreport.cli.help import GroupedCommand
from rankreport.cli.options import (
    ComparisonOptions,
    GivenBaseline,
    GivenQrels,
    GivenRuns,
    Judges,
    LabelledOptions,
    MeasureOptions,
    Qrels,
    ReportDate,
    Require,
    Required,
    ResamplingOptions,
    RuleOptions,
    Runs,
    Structure,
    ThemeOptions,
    check_alone,
    command_as_given,
    compared,
    named_runs,
    takes_groups,
)
from rankreport.cli.outputs import (
    Writer,
    any_of,
    check_notebook,
    check_outputs,
    emit,
    exit_silently,
    finish,
)
from rankreport.cli.values import PlainCommand, PlainGroup
from rankreport.errors import DataError, OptionError, OutputError, RankReportError, choose
from rankreport.text import ENGLISH, using_language, visible

if TYPE_CHECKING:
    from rankreport.comparison import Comparison
    from rankreport.evaluation import Evaluation

app = typer.Typer(
    name="rankreport",
    cls=PlainGroup,
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
        from importlib.metadata import version

        emit(f"rankreport {version('rankreport')}", sys.stdout)
        raise typer.Exit


_shown = {"traceback": False}


def _remember_debug(wanted: bool) -> None:
    _shown["traceback"] = wanted


@app.callback()
def _main_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", callback=_remember_debug, help="Show the traceback of an unexpected error."
        ),
    ] = False,
) -> None:
    """Handle the options that precede a command."""


@app.command(
    "check",
    cls=GroupedCommand,
    short_help="Find faults of judgments and runs before any score.",
    epilog="\b\nExamples:\n"
    "  rankreport check qrels.txt bm25.run dense.run\n"
    "  rankreport check qrels.txt new=v7.run.gz --strict --scale 0 3\n"
    "  rankreport check qrels.txt a.run b.run -m nDCG@20 -o check.json\n\n"
    "Exit code: 0 if nothing stops an evaluation, 1 if something does (with --strict also if "
    "something is to be looked at), 2 for a usage error, 70 for an unexpected error.",
)
@takes_groups
def check_command(
    qrels: Qrels,
    runs: Runs,
    chosen: MeasureOptions,
    rules: RuleOptions,
    scale: Annotated[
        tuple[float, float] | None,
        typer.Option("--scale", metavar="LOW HIGH", help="Lowest and highest grade."),
    ] = None,
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="SIZE", help=declared.MEMORY_HELP)
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help=f"Output file: {any_of(declared.CHECKS)}; repeatable.",
        ),
    ] = None,
) -> None:
    """Check judgments and runs before any score: all faults, and what to do about them."""
    check_outputs(output or [], declared.CHECKS)
    made = rules.check(
        qrels, runs, chosen.measures, chosen.primary, scale=scale, memory_limit=memory
    )
    writers = {path: partial(evaluation.CHECKS[path.suffix].write, made) for path in output or []}
    finish(made, writers)
    raise typer.Exit(made.exit_code)


@app.command(
    "evaluate",
    cls=GroupedCommand,
    epilog="\b\nExamples:\n"
    "  rankreport evaluate qrels.txt bm25.run dense.run\n"
    "  rankreport evaluate qrels.txt new=v7.run.gz -m nDCG@10 -m 'AP(rel=2)'\n"
    "  rankreport evaluate qrels.txt bm25.run -m map -m P_10 -o scores.parquet\n"
    "  rankreport evaluate --labelled test.svm --scores lgbm.txt --scores xgb.txt",
)
@takes_groups
def evaluate_command(
    chosen: MeasureOptions,
    rules: RuleOptions,
    labelled: LabelledOptions,
    qrels: GivenQrels = None,
    runs: GivenRuns = None,
    per_query: Annotated[
        bool, typer.Option("--per-query", help="Print scores per query instead of means.")
    ] = False,
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="SIZE", help=declared.MEMORY_HELP)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help=f"Output file for scores: {any_of(declared.TABLES)}.",
        ),
    ] = None,
) -> None:
    """Compute measures for one or more systems."""
    check_outputs([output], declared.TABLES)
    made = labelled.evaluation(
        qrels, {"RUN": runs}, rules, chosen.measures, chosen.primary, memory=memory
    )
    writers: dict[Path, Writer] = {}
    if output is not None:
        parquet = output.suffix == ".parquet"
        write = (
            made.write_parquet
            if parquet
            else partial(io.write_frame, frame=made._scores_by_measure())
        )
        writers = {output: write}
    shown = rr.to_table(made.per_query()) if per_query else tables.without_cautions(made)
    finish(shown, writers, made.cautions)


@app.command(
    "compare",
    cls=GroupedCommand,
    short_help="Compare systems with a baseline: differences and intervals.",
    epilog="\b\nExamples:\n"
    "  rankreport compare qrels.txt bm25.run dense.run\n"
    "  rankreport compare qrels.txt old=a.run new=b.run -m nDCG@10 -o table.csv\n"
    "  rankreport compare qrels.txt a.run b.run c.run --all-pairs --margin 0.01\n"
    "  rankreport compare --labelled test.svm --scores lgbm.txt --scores xgb.txt\n"
    "  rankreport compare model.txt a.run b.run --human people.txt --sample random\n"
    "  rankreport compare ratings.csv a.run b.run --combine median",
)
@takes_groups
def compare_command(
    chosen: MeasureOptions,
    rules: RuleOptions,
    labelled: LabelledOptions,
    comparing: ComparisonOptions,
    resampling: ResamplingOptions,
    structure: Structure,
    judges: Judges,
    qrels: GivenQrels = None,
    baseline: GivenBaseline = None,
    runs: GivenRuns = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help=f"Output file: {any_of(declared.TABLES)}."
        ),
    ] = None,
) -> None:
    """Compare systems with a baseline: differences, intervals, p-values, wins and losses."""
    check_outputs([output], declared.TABLES)
    evaluation = labelled.evaluation(
        qrels,
        {"BASELINE": baseline, "RUN": runs},
        judges.of_model(rules),
        chosen.measures,
        chosen.primary,
        memory=resampling.memory,
    )
    bases = list(comparing.baselines or ())
    if labelled.labelled is None or not bases:  # of a list, the first system if none is named
        bases = list(dict.fromkeys([evaluation.systems[0], *bases]))
    people = judges.by_people(
        labelled,
        [baseline, *(runs or ())],
        rules,
        chosen.measures,
        chosen.primary,
        memory=resampling.memory,
    )
    comparing = replace(comparing, baselines=bases)
    made = compared(evaluation, comparing, resampling, structure, judges, people=people)
    shown: object = made
    if comparing.segment:
        by_segment = comparison.segments_table(made.segments().frame, made._one_baseline)
        shown = f"{made}\n\n{tables.text_of([by_segment])}"
    write = partial(io.write_frame, frame=made.table())
    finish(shown, {} if output is None else {output: write})


@app.command(
    "report",
    cls=GroupedCommand,
    short_help="Write a report: page, notebook, Markdown and other forms.",
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
@takes_groups
def report_command(
    comparing: ComparisonOptions,
    chosen: MeasureOptions,
    rules: RuleOptions,
    labelled: LabelledOptions,
    resampling: ResamplingOptions,
    structure: Structure,
    appearance: ThemeOptions,
    judges: Judges,
    qrels: GivenQrels = None,
    runs: GivenRuns = None,
    require: Require = None,
    documents: Annotated[
        str | None,
        typer.Option(
            "--documents",
            metavar="FILE",
            help="Texts of documents, shown with wins and losses, or the hardest queries of one "
            "run: JSON lines, CSV, TSV or Parquet with doc_id, title, text, url. [default: "
            "corpus.jsonl of a BEIR folder]",
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help=f"Output file: {', '.join(declared.REPORTS)}; repeatable. [default: report.html]",
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
    beside = {**declared.BESIDE, **({".ipynb": ()} if data_inside else {})}
    check_outputs(outputs, declared.REPORTS, beside)
    check_notebook(outputs, execute=execute, data_inside=data_inside)
    theme = appearance.theme()
    evaluation = labelled.evaluation(
        qrels,
        {"RUN": runs},
        judges.of_model(rules),
        chosen.measures,
        chosen.primary,
        memory=resampling.memory,
    )
    subject: Evaluation | Comparison = evaluation
    queries = structure.queries
    if len(evaluation.systems) > 1:
        people = judges.by_people(
            labelled,
            runs or (),
            rules,
            chosen.measures,
            chosen.primary,
            memory=resampling.memory,
        )
        groups = (comparing, resampling, structure, judges)
        subject, queries = compared(evaluation, *groups, people=people), None
    else:
        check_alone(comparing, structure, resampling, judges)
    if require and not isinstance(subject, rr.Comparison):
        raise OptionError("--require needs a second run to compare with.")
    made = rr.report(
        subject,
        title=appearance.title,
        queries=queries,
        documents=documents,
        gate=rr.gate(subject, require) if require and isinstance(subject, rr.Comparison) else None,
        roc=roc,
        date=appearance.date,
        command=command_as_given(),
        theme=theme,
        language=appearance.language,
    )
    inside = "inside" if data_inside else None
    notebook = partial(rr.Report.to_notebook, data=inside, execute=execute)
    formats = {**reports.FORMATS, ".ipynb": io.Format(notebook)}
    writers = {path: partial(formats[path.suffix].write, made) for path in outputs}
    with using_language(made.language, theme.languages):
        finish(made, writers)


@app.command(
    "gate",
    cls=GroupedCommand,
    short_help="Pass or fail a build by requirements on differences.",
    epilog="\b\nExamples:\n"
    "  rankreport gate qrels.txt bm25.run dense.run --require 'nDCG@10 > -0.02'\n"
    "  rankreport gate qrels.txt a.run b.run --require 'RR@10 > 0' --require 'abs(AP) < 0.02'\n"
    "  rankreport gate qrels.txt a.run b.run --require 'AP > -0.02' -o gate.md -o gate.xml\n"
    "  rankreport gate model.txt a.run b.run --human people.txt --require 'AP > -0.02'\n\n"
    "Exit code: 0 if all candidates pass, 1 if one fails, 3 if the result is inconclusive (see "
    "--inconclusive), 2 for a usage or data error, 70 for an unexpected error.",
)
@takes_groups
def gate_command(
    require: Required,
    rules: RuleOptions,
    labelled: LabelledOptions,
    resampling: ResamplingOptions,
    structure: Structure,
    judges: Judges,
    qrels: GivenQrels = None,
    baseline: GivenBaseline = None,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="CANDIDATE", help="Candidate runs; each must pass."),
    ] = None,
    inconclusive: Annotated[
        str,
        typer.Option(
            "--inconclusive",
            metavar="OUTCOME",
            help=f"How to treat an inconclusive result: {', '.join(declared.INCONCLUSIVE)}.",
        ),
    ] = "inconclusive",
    scope: Annotated[
        str,
        typer.Option(
            "--scope",
            metavar="SCOPE",
            help="population: judge all queries like these, by an interval; these: judge these "
            "queries only, by their mean.",
        ),
    ] = "population",
    largest_loss: Annotated[
        float | None,
        typer.Option(
            "--largest-loss",
            metavar="LOSS",
            help="How much one query can lose; decides where few queries lost. [default: the "
            "measure's range]",
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help=f"Output file: {any_of(declared.GATES)}; repeatable.",
        ),
    ] = None,
) -> None:
    """Check requirements on differences and pass or fail a build by the exit code."""
    check_outputs(output or [], declared.GATES)
    choose("--inconclusive", inconclusive, declared.INCONCLUSIVE)
    choose("--scope", scope, declared.SCOPES)
    measures = rules.measures(gates.measures_required(require))
    # Higher values of a comparison's primary measure must be better.
    primary = next(
        (m for m in measures if m.declaration.better == "high"), declared.DEFAULT_MEASURES[0]
    )
    given = {"BASELINE": baseline, "CANDIDATE": runs}
    options = {"memory": resampling.memory}
    evaluation = labelled.evaluation(
        qrels, given, judges.of_model(rules), measures, primary, **options
    )
    people = judges.by_people(
        labelled, [baseline, *(runs or ())], rules, measures, primary, **options
    )
    comparison = compared(evaluation, resampling, structure, judges, people=people)
    made = rr.gate(
        comparison, require, inconclusive=inconclusive, scope=scope, largest_loss=largest_loss
    )
    writers = {path: partial(gates.FORMATS[path.suffix].write, made) for path in output or []}
    finish(made, writers)
    raise typer.Exit(made.exit_code)


@app.command(
    "plan",
    cls=GroupedCommand,
    short_help="Say how many queries a comparison takes, from a pilot.",
    epilog="\b\nExamples:\n"
    "  rankreport plan qrels.txt bm25.run dense.run\n"
    "  rankreport plan qrels.txt a.run b.run -m AP --n 200 --n 500 --difference 0.01\n"
    "  rankreport plan qrels.txt a.run b.run --power 0.9 -o plan.csv -o plan.svg\n"
    "  rankreport plan model.txt a.run b.run --human people.txt",
)
@takes_groups
def plan_command(
    qrels: GivenQrels = None,
    baseline: GivenBaseline = None,
    runs: GivenRuns = None,
    measure: Annotated[
        str, typer.Option("-m", "--measure", metavar="MEASURE", help="Primary measure.")
    ] = declared.DEFAULT_MEASURES[0],
    n: Annotated[
        list[int] | None,
        typer.Option(
            "--n",
            metavar="N",
            help="Number of queries; repeatable. [default: several around the pilot's]",
        ),
    ] = None,
    difference: Annotated[
        list[float] | None,
        typer.Option(
            "--difference",
            metavar="D",
            help="Difference to detect; repeatable. [default: 0.005 to 0.1]",
        ),
    ] = None,
    power: Annotated[
        float, typer.Option("--power", metavar="SHARE", help="Target power, between 0 and 1.")
    ] = 0.8,
    *,
    rules: RuleOptions,
    labelled: LabelledOptions,
    resampling: ResamplingOptions,
    structure: Structure,
    judges: Judges,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help=f"Output file: {any_of(declared.PLANS)}; repeatable.",
        ),
    ] = None,
) -> None:
    """Plan a comparison from a pilot: detectable differences, and how many queries they need."""
    check_outputs(output or [], declared.PLANS)
    given = {"BASELINE": baseline, "RUN": runs}
    options = {"memory": resampling.memory}
    evaluation = labelled.evaluation(qrels, given, judges.of_model(rules), [measure], **options)
    people = judges.by_people(labelled, [baseline, *(runs or ())], rules, [measure], **options)
    pilot = compared(evaluation, resampling, structure, judges, people=people)
    made = rr.plan(pilot, n_queries=n or None, difference=difference or None, power=power)
    writers = {path: partial(planning.FORMATS[path.suffix].write, made) for path in output or []}
    finish(tables.without_cautions(made), writers, made.cautions)


_PAGES = (".html", ".md", ".json", ".png", ".tex")
_TABLES = tuple(suffix for suffix in declared.TABLES if suffix not in _PAGES)
"""How a report on two rankings is written, and how all queries are."""


@app.command(
    "rankings",
    cls=GroupedCommand,
    short_help="Compare two rankings that have no judgments.",
    epilog="\b\nExamples:\n"
    "  rankreport rankings bm25.run dense.run -o report.html\n"
    "  rankreport rankings old=a.run new=v7.run.gz -k 5 -k 10 -o queries.csv\n"
    "  rankreport rankings a.run b.run --depth 100 --ties input",
)
@takes_groups
def rankings_command(
    appearance: ThemeOptions,
    one: Annotated[str, typer.Argument(metavar="RUN", help="A run, as PATH or NAME=PATH.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Another run.")],
    k: Annotated[
        list[int] | None,
        typer.Option(
            "-k", "--cutoff", metavar="K", help="Cut-off of overlap; repeatable. [default: 10]"
        ),
    ] = None,
    p: Annotated[
        float, typer.Option("--p", metavar="P", help="Persistence of rank-biased overlap.")
    ] = 0.9,
    ties: Annotated[
        str,
        typer.Option(
            "--ties",
            metavar="RULE",
            help="Equal scores: as ties a, b or w; or ordered by trec, input or rank.",
        ),
    ] = "a",
    depth: Annotated[
        int | None,
        typer.Option("--depth", metavar="N", help="Compare the first N documents. [default: all]"),
    ] = None,
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="LEVEL", help="Confidence of intervals.")
    ] = 0.95,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Random seed.")] = 0,
    queries: Annotated[
        str | None,
        typer.Option("--queries", metavar="FILE", help="Texts of queries, shown in the report."),
    ] = None,
    documents: Annotated[
        str | None,
        typer.Option(
            "--documents", metavar="FILE", help="Texts of documents, shown in the report."
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help=f"Output file: a report as {any_of(_PAGES)}, or all queries as "
            f"{any_of(_TABLES)}; repeatable.",
        ),
    ] = None,
) -> None:
    """Compare two rankings without judgments: overlap, rank correlation, queries that differ."""
    outputs = output or []
    check_outputs(outputs, (*_PAGES, *_TABLES))
    theme = appearance.theme()
    runs = named_runs([one, other], "file")
    if len(runs) != 2:
        raise OptionError(f"Expected two runs; found {len(runs)}: {', '.join(runs)}.")
    made = rr.compare_rankings(
        *runs.values(),
        names=list(runs),
        k=k or 10,
        p=p,
        ties=ties,
        depth=depth,
        confidence=confidence,
        seed=seed,
    )
    writers: dict[Path, Writer] = {
        path: partial(io.write_frame, frame=made.per_query())
        for path in outputs
        if path.suffix in _TABLES
    }
    pages = [path for path in outputs if path not in writers]
    if pages:
        page = rr.report(
            made,
            title=appearance.title,
            queries=queries,
            documents=documents,
            date=appearance.date,
            command=command_as_given(),
            theme=theme,
            language=appearance.language,
        )
        writers |= {path: partial(reports.FORMATS[path.suffix].write, page) for path in pages}
    with using_language(appearance.language or ENGLISH, theme.languages):
        finish(made, {path: writers[path] for path in outputs})


@app.command(
    "measures",
    cls=PlainCommand,
    epilog="\b\nExamples:\n  rankreport measures\n  rankreport measures nDCG",
)
def measures_command(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Measure to explain.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the full reference as Markdown.")
    ] = False,
) -> None:
    """List the measures, or explain one."""
    list_all = cli.catalogue.page if markdown else cli.catalogue.listed
    text = (
        list_all().removesuffix("\n") if name is None else cli.catalogue.explained(rr.parse(name))
    )
    emit(text, sys.stdout)


@app.command(
    "demo",
    cls=PlainCommand,
    short_help="Write a report on the example data.",
    epilog="\b\nExample:\n  rankreport demo -o somewhere",
)
def demo_command(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Output folder.")
    ] = Path("rankreport-demo"),
    date: ReportDate = None,
) -> None:
    """Write a report on the example data: questions about the Python standard library."""
    page, notebook, scores, *_ = files = [output / name for name in _DEMO]
    _check_demo(files)
    example = rr.load_example()
    # The pair of the README, so that both tell one story.
    pair = {name: example.runs[name] for name in ("bm25", "bm25-names")}
    compared_pair = rr.compare(rr.evaluate(example.qrels, pair))
    made = rr.report(
        compared_pair,
        title=_TITLE_OF_DEMO,
        queries=example.queries,
        date=date,
        documents=example.documents,
        command=command_as_given(),
    )
    io.make_folder(output)
    write_notebook = partial(made.to_notebook, data=scores)
    finish(made, {page: made.to_html, notebook: write_notebook})


_TITLE_OF_DEMO = "Searching the Python standard library: names of functions beside BM25"
_DEMO = ("report.html", "report.ipynb", "scores.parquet", "report.queries.parquet")
"""The files of the demo."""


def _check_demo(files: Sequence[Path]) -> None:
    """Check that the demo replaces nothing but an earlier demo, which its page tells."""
    page, taken = files[0], next((file for file in files if file.exists()), None)
    demo = page.is_file() and _TITLE_OF_DEMO in page.read_text(encoding="utf-8", errors="replace")
    if taken is not None and not demo:
        raise OutputError(
            f"{taken} exists, and is not of the demo. Give another folder: rankreport demo -o DIR"
        )


_FAULT = 70
"""The exit code of an unexpected error: EX_SOFTWARE of sysexits.h."""


def _report_fault(error: BaseException) -> None:
    """Print an unexpected error in one line, after its traceback if that was asked for."""
    if _shown["traceback"]:
        lines = "".join(traceback.format_exception(error)).removesuffix("\n")
        emit(without_secrets(lines), sys.stderr)
    what = visible(without_secrets(" ".join(f"{type(error).__name__}: {error}".split())))
    hint = "" if _shown["traceback"] else " rankreport --debug COMMAND ... shows the traceback."
    emit(
        f"rankreport: unexpected error: {what}. This is a fault of rankreport: please report it "
        f"with the command and this line.{hint}",
        sys.stderr,
    )


def _faults() -> tuple[type[BaseException], ...]:
    """Return the classes of unexpected errors, among them panics of Polars once it is loaded."""
    polars = sys.modules.get("polars")
    return (Exception,) if polars is None else (Exception, polars.exceptions.PanicException)


_GARBAGE = 50_000
"""So many new objects make Python look for those that only refer to each other."""

_GARBAGE_OF_CHARTS = 1_000_000
"""The same of a report, most of whose objects are parts of charts; it takes some 10 MB more."""


def _called() -> typer.Typer:
    """Return the program with only the command that is called: others take time to set up."""
    named = [each for each in app.registered_commands if each.name in sys.argv[1:2]]
    program = copy(app)
    program.registered_commands = named or app.registered_commands
    return program


def main() -> None:
    """Run the command line, turning errors into one paragraph and an exit code.

    The exit code is 0 on success, 2 on a usage or data error or where memory is short, and 70 on an
    unexpected error, which is a fault of rankreport; a gate also ends with 1 if it fails and with 3
    if it is inconclusive, and a check of the data with 1 if it fails.
    """
    _shown["traceback"] = False
    # What imports create stays: looking through it again and again takes a sixth of a short run.
    gc.set_threshold(_GARBAGE_OF_CHARTS if sys.argv[1:2] == ["report"] else _GARBAGE)
    try:
        _called()()
    except RankReportError as error:
        # Data may have addresses as ids, which are shown whole; options have what was typed.
        text = str(error) if isinstance(error, DataError) else without_secrets(str(error))
        emit(f"rankreport: {visible(text)}", sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # from Click's usage message, the only text not printed by `emit`
        exit_silently(2)
    except MemoryError:
        emit(
            "rankreport: This does not fit in memory. Give fewer runs or queries at a time, and "
            "large inputs as files, which are read in parts, rather than through a pipe; or use a "
            "machine or limit with more memory.",
            sys.stderr,
        )
        sys.exit(2)
    except SystemExit as ended:
        # Typer ends with 1 on a closed pipe, which is the exit code of a failed gate.
        if isinstance(ended.__context__, BrokenPipeError):
            exit_silently(0)
        raise
    except _faults() as error:  # 1 would mean that a gate fails
        _report_fault(error)
        sys.exit(_FAULT)
