"""The command line: every command calls the function that a notebook would call."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankreport import reference
from rankreport.cli_options import (
    Confidence,
    Correction,
    Interval,
    MeasureNames,
    NameFrom,
    NoRelevant,
    Precision,
    Primary,
    Profile,
    Qrels,
    QuerySet,
    Resamples,
    Runs,
    Seed,
    Subtopics,
    Test,
    Ties,
)
from rankreport.cli_words import command_as_given, named_runs
from rankreport.comparison import Comparison, compare
from rankreport.errors import OptionError, OutputError, RankReportError, choose
from rankreport.evaluating import DEFAULT_MEASURES, evaluate
from rankreport.evaluation import Evaluation
from rankreport.example import load_example
from rankreport.judging import NO_RELEVANT, PRECISION, QUERIES
from rankreport.measures import parse
from rankreport.profiles import PROFILES
from rankreport.ranking import TIES
from rankreport.rendering.table import table_of
from rankreport.reporting import Report, report
from rankreport.writing import check_writable, write_frame, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

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


@app.command(
    "evaluate",
    epilog="\b\nExamples:\n"
    "  rankreport evaluate qrels.txt bm25.run dense.run\n"
    "  rankreport evaluate qrels.txt new=v7.run.gz -m nDCG@10 -m 'AP(rel=2)'\n"
    "  rankreport evaluate qrels.txt bm25.run -m map -m P_10 -o scores.parquet",
)
def evaluate_command(
    qrels: Qrels,
    runs: Runs,
    measure: MeasureNames = None,
    primary: Primary = None,
    profile: Profile = None,
    ties: Ties = None,
    query_set: QuerySet = None,
    no_relevant: NoRelevant = None,
    precision: Precision = None,
    subtopics: Subtopics = False,
    name_from: NameFrom = "file",
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
    _check_outputs([output], _TABLES)
    made = _evaluate(
        qrels,
        runs,
        measure,
        name_from,
        primary=primary,
        subtopics=subtopics,
        profile=profile,
        ties=ties,
        queries=query_set,
        no_relevant=no_relevant,
        precision=precision,
    )
    writers = {}
    if output is not None:
        parquet = output.suffix == ".parquet"
        write = made.write_parquet if parquet else partial(write_frame, frame=made.scores)
        writers = {output: write}
    _finish(table_of(made.per_query()) if per_query else made, writers, made)


@app.command(
    "compare",
    epilog="\b\nExamples:\n"
    "  rankreport compare qrels.txt bm25.run dense.run\n"
    "  rankreport compare qrels.txt old=a.run new=b.run -m nDCG@10 -o table.csv",
)
def compare_command(
    qrels: Qrels,
    baseline: Annotated[
        str, typer.Argument(metavar="BASELINE", help="The run that the others are compared with.")
    ],
    runs: Runs,
    measure: MeasureNames = None,
    primary: Primary = None,
    profile: Profile = None,
    ties: Ties = None,
    query_set: QuerySet = None,
    no_relevant: NoRelevant = None,
    precision: Precision = None,
    subtopics: Subtopics = False,
    name_from: NameFrom = "file",
    interval: Interval = "auto",
    test: Test = "sign-flip",
    correction: Correction = "max-t",
    confidence: Confidence = 0.95,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the comparison: .parquet, .csv or .json."
        ),
    ] = None,
) -> None:
    """Compare systems with a baseline: differences, intervals, p-values, wins and losses."""
    _check_outputs([output], _TABLES)
    several = [baseline, *runs]
    evaluation = _evaluate(
        qrels,
        several,
        measure,
        name_from,
        primary=primary,
        subtopics=subtopics,
        profile=profile,
        ties=ties,
        queries=query_set,
        no_relevant=no_relevant,
        precision=precision,
    )
    made = compare(
        evaluation,
        interval=interval,
        test=test,
        correction=correction,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )
    write = partial(write_frame, frame=made.table())
    _finish(made, {} if output is None else {output: write}, evaluation)


@app.command(
    "report",
    epilog="\b\nExamples:\n"
    "  rankreport report qrels.txt bm25.run dense.run\n"
    "  rankreport report qrels.txt a.run b.run -o report.html -o report.ipynb\n"
    "  rankreport report qrels.txt a.run b.run c.run --baseline b --queries q.tsv\n\n"
    "The notebook's scores are written beside it, as report.scores.parquet.",
)
def report_command(
    qrels: Qrels,
    runs: Runs,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="NAME",
            help="The system to compare with. [default: the first RUN]",
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write .html, .ipynb, .md or .json; again for more. [default: report.html]",
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="Stands above the verdict.")
    ] = None,
    queries: Annotated[
        Path | None,
        typer.Option(
            "--queries", metavar="FILE", help="A table of query_id, text and any columns."
        ),
    ] = None,
    measure: MeasureNames = None,
    primary: Primary = None,
    profile: Profile = None,
    ties: Ties = None,
    query_set: QuerySet = None,
    no_relevant: NoRelevant = None,
    precision: Precision = None,
    subtopics: Subtopics = False,
    name_from: NameFrom = "file",
    interval: Interval = "auto",
    test: Test = "sign-flip",
    correction: Correction = "max-t",
    confidence: Confidence = 0.95,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> None:
    """Write a report: an HTML page for stakeholders, a notebook for engineers."""
    outputs = output or [Path("report.html")]
    _check_outputs(outputs, _REPORT_WRITERS)
    evaluation = _evaluate(
        qrels,
        runs,
        measure,
        name_from,
        primary=primary,
        subtopics=subtopics,
        profile=profile,
        ties=ties,
        queries=query_set,
        no_relevant=no_relevant,
        precision=precision,
    )
    subject: Evaluation | Comparison = evaluation
    if len(evaluation.systems) > 1:
        subject = compare(
            evaluation,
            baseline,
            interval=interval,
            test=test,
            correction=correction,
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        )
    elif baseline is not None:
        raise OptionError("--baseline needs a second run to compare with it.")
    made = report(subject, title=title, queries=queries, command=command_as_given())
    writers = {path: partial(_REPORT_WRITERS[path.suffix], made) for path in outputs}
    _finish(made, writers, evaluation)


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
    if name is not None:
        print(reference.explained(parse(name)))
    else:
        print(reference.page() if markdown else reference.listed(), end="" if markdown else "\n")


@app.command("demo", epilog="\b\nExample:\n  rankreport demo -o somewhere")
def demo_command(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where to write.")
    ] = Path("rankreport-demo"),
) -> None:
    """Run the main job on the example data: questions on the Python standard library."""
    example = load_example()
    evaluation = evaluate(example.qrels, example.runs)
    made = report(
        compare(evaluation),
        title="Searching the Python standard library: three ideas against BM25",
        queries=example.queries,
        command=command_as_given(),
    )
    _make_folder(output)
    write_notebook = partial(made.to_notebook, data=output / "scores.parquet")
    page, notebook = output / "report.html", output / "report.ipynb"
    _finish(made, {page: made.to_html, notebook: write_notebook}, evaluation)


def main() -> None:
    """Run the command line, turning errors into one paragraph and an exit code.

    The code is 0 where all went well and 2 where the usage or the data was wrong.
    """
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # here, where a reader who has gone is no error
    except RankReportError as error:
        print(f"rankreport: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python must not complain of it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_RULES: dict[str, tuple[str, Mapping[str, object]]] = {
    "--profile": ("profile", PROFILES),
    "--ties": ("ties", TIES),
    "--query-set": ("queries", QUERIES),
    "--no-relevant": ("no_relevant", NO_RELEVANT),
    "--precision": ("precision", PRECISION),
}

_TABLES = (".parquet", ".csv", ".json")

_REPORT_WRITERS: dict[str, Callable[[Report, Path], tuple[Path, ...] | None]] = {
    ".html": lambda made, path: made.to_html(path),
    ".ipynb": lambda made, path: made.to_notebook(path),
    ".md": lambda made, path: write_text(path, made.to_markdown()),
    ".json": lambda made, path: write_text(path, made.to_json()),
}


def _evaluate(
    qrels: Path,
    runs: Sequence[str],
    measures: Sequence[str] | None,
    name_from: str,
    **options: Any,
) -> Evaluation:
    for option, (name, known) in _RULES.items():
        if options[name] is not None:
            choose(option, options[name], known)
    asked = measures or DEFAULT_MEASURES
    return evaluate(str(qrels), named_runs(runs, name_from), asked, **options)


def _check_outputs(paths: Sequence[Path | None], suffixes: Iterable[str]) -> None:
    """Refuse what cannot be written, before any work is done for nothing."""
    known = tuple(suffixes)
    for path in paths:
        if path is not None:
            choose("output suffix", path.suffix, known)
            check_writable(path)


def _finish(
    result: object,
    writers: Mapping[Path, Callable[[Path], tuple[Path, ...] | None]],
    evaluation: Evaluation,
) -> None:
    """Write the files, print the result, and say what to mind and where the files are.

    Written first, so that a reader of the output who has seen enough does not stop the writing.
    """
    written = []
    for path, write in writers.items():
        written += [path, *(write(path) or ())]
    print(result, flush=True)
    for caution in evaluation.cautions:
        print(f"Mind: {caution}", file=sys.stderr)
    for path in written:
        print(f"Wrote {path}", file=sys.stderr)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made a folder: {error.strerror}.") from None
