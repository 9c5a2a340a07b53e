"""The command that passes or fails a build."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

import rankreport as rr
from rankreport import gates, io
from rankreport.cli.comparing import (
    BaselineOptions,
    Judges,
    ResamplingOptions,
    StructureOptions,
    compared,
)
from rankreport.cli.grouping import command, option_of
from rankreport.cli.options import (
    GivenBaseline,
    GivenQrels,
    LabelledOptions,
    Required,
    RuleOptions,
    Wanted,
    command_as_given,
    paths_of,
)
from rankreport.cli.outputs import any_of, check_outputs, finish, output_option, writers_of
from rankreport.errors import OptionError, choose
from rankreport.evaluation import DEFAULT_MEASURES
from rankreport.gates import INCONCLUSIVE, SCOPES

_FORMATS = {
    ".md": io.Format(lambda made, path: made.to_markdown(path), "for a pull request"),
    ".xml": io.Format(lambda made, path: made.to_junit(path), "JUnit"),
    ".json": io.Format(lambda made, path: made.to_json(path)),
}
"""How the outcome of a gate is written, by suffix."""


@command(
    epilog="\b\nExamples:\n"
    "  rankreport gate qrels.txt bm25.run dense.run --require 'nDCG@10 > -0.02'\n"
    "  rankreport gate qrels.txt a.run b.run --require 'RR@10 > 0' --require 'abs(AP) < 0.02'\n"
    "  rankreport gate qrels.txt a.run b.run --require 'AP > -0.02' -o gate.md -o gate.xml\n"
    "  rankreport gate qrels.txt a.run b.run --require 'AP > -0.02' --queries q.tsv "
    "--segment length\n"
    "  rankreport gate qrels.txt a.run b.run --require 'AP > -0.02 in every length' "
    "--queries q.tsv\n"
    "  rankreport gate model.txt a.run b.run --human people.txt --require 'AP > -0.02'\n"
    "  rankreport gate qrels.txt dense.run --baseline history:latest --require 'AP > -0.02'\n\n"
    "Exit code: 0 if all candidates pass, 1 if one fails, 3 if the result is inconclusive (see "
    "--inconclusive), 2 for a usage or data error, 70 for an unexpected error.",
)
def gate(
    require: Required,
    rules: RuleOptions,
    labelled: LabelledOptions,
    resampling: ResamplingOptions,
    structure: StructureOptions,
    judges: Judges,
    storing: BaselineOptions,
    qrels: GivenQrels = None,
    baseline: GivenBaseline = None,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="CANDIDATE", help="Candidate runs; each must pass."),
    ] = None,
    from_history: Annotated[
        str | None,
        option_of(
            "history:NAME",
            "Stored baseline, instead of BASELINE: history:latest, history:NAME or history:DATE, "
            "in the folder of --store. [default folder: history]",
            "--baseline",
        ),
    ] = None,
    inconclusive: Annotated[
        str,
        option_of("OUTCOME", f"How to treat an inconclusive result: {', '.join(INCONCLUSIVE)}."),
    ] = "inconclusive",
    scope: Annotated[
        str,
        option_of(
            "SCOPE",
            "population: judge all queries like these, by an interval; these: judge these "
            "queries only, by their mean.",
        ),
    ] = "population",
    output: Annotated[
        list[Path] | None,
        output_option(f"Output file: {any_of(_FORMATS)}; repeatable."),
    ] = None,
    verdict: Annotated[
        Path | None,
        option_of(
            "FILE",
            "File for programs, .json below 4 kB: outcome, numbers, reason, and what to do; also "
            "after an error (docs/gates.md).",
        ),
    ] = None,
) -> None:
    """Check requirements on differences and pass or fail a build by the exit code."""
    outputs = output or []
    if verdict is not None:
        choose("--verdict suffix", verdict.suffix, (".json",))
        if verdict in outputs:
            raise OptionError(f"--verdict and -o both write {verdict}. Rename one of them.")
    check_outputs([*outputs, *([verdict] if verdict else [])], _FORMATS)
    choose("--inconclusive", inconclusive, INCONCLUSIVE)
    choose("--scope", scope, SCOPES)
    required = gates.measures_required(require)
    measures = rules.measures(required or [*map(str, DEFAULT_MEASURES)])
    # Higher values of a comparison's primary measure must be better.
    primary = next((m for m in measures if m.declaration.better == "high"), DEFAULT_MEASURES[0])
    stored = storing.named(None if from_history is None else [from_history])
    if from_history is not None and stored is None:
        raise OptionError(
            f"--baseline {from_history} is no stored baseline, such as history:latest. Give a run "
            f"as BASELINE, before CANDIDATE."
        )
    given = {"BASELINE": baseline, "CANDIDATE": runs}
    given = given if stored is None else {"CANDIDATE": paths_of(given)}
    wanted = Wanted(measures, primary, resampling.memory)
    evaluation, people = judges.evaluations(labelled, qrels, given, rules, wanted)
    joined, resampling = storing.joined(evaluation, stored, people), storing.shared(resampling)
    comparison = compared(joined, resampling, structure, judges, people=people)
    made = rr.gate(
        comparison,
        require,
        inconclusive=inconclusive,
        scope=scope,
        largest_loss=resampling.largest_loss,
    )
    writers = writers_of(made, outputs, _FORMATS)
    if verdict is not None:
        written = tuple(map(str, writers))
        brief = replace(made.build_verdict, command=command_as_given(), outputs=written)
        writers[verdict] = brief.to_json
    finish(made, {**writers, **storing.writer(comparison, made.outcome, evaluation)})
    raise typer.Exit(made.exit_code)
