"""The command that passes or fails a build."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import rankreport as rr
from rankreport.cli.comparing import (
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
)
from rankreport.cli.outputs import any_of, check_outputs, finish, output_option, writers_of
from rankreport.errors import choose
from rankreport.evaluation import DEFAULT_MEASURES
from rankreport.gates import FORMATS, INCONCLUSIVE, SCOPES, measures_required


@command(
    epilog="\b\nExamples:\n"
    "  rankreport gate qrels.txt bm25.run dense.run --require 'nDCG@10 > -0.02'\n"
    "  rankreport gate qrels.txt a.run b.run --require 'RR@10 > 0' --require 'abs(AP) < 0.02'\n"
    "  rankreport gate qrels.txt a.run b.run --require 'AP > -0.02' -o gate.md -o gate.xml\n"
    "  rankreport gate qrels.txt a.run b.run --require 'AP > -0.02' --queries q.tsv "
    "--segment length\n"
    "  rankreport gate model.txt a.run b.run --human people.txt --require 'AP > -0.02'\n\n"
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
    qrels: GivenQrels = None,
    baseline: GivenBaseline = None,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="CANDIDATE", help="Candidate runs; each must pass."),
    ] = None,
    inconclusive: Annotated[
        str,
        option_of(
            "--inconclusive",
            "OUTCOME",
            f"How to treat an inconclusive result: {', '.join(INCONCLUSIVE)}.",
        ),
    ] = "inconclusive",
    scope: Annotated[
        str,
        option_of(
            "--scope",
            "SCOPE",
            "population: judge all queries like these, by an interval; these: judge these "
            "queries only, by their mean.",
        ),
    ] = "population",
    output: Annotated[
        list[Path] | None,
        output_option(f"Output file: {any_of(FORMATS)}; repeatable."),
    ] = None,
) -> None:
    """Check requirements on differences and pass or fail a build by the exit code."""
    outputs = output or []
    check_outputs(outputs, FORMATS)
    choose("--inconclusive", inconclusive, INCONCLUSIVE)
    choose("--scope", scope, SCOPES)
    measures = rules.measures(measures_required(require))
    # Higher values of a comparison's primary measure must be better.
    primary = next((m for m in measures if m.declaration.better == "high"), DEFAULT_MEASURES[0])
    given = {"BASELINE": baseline, "CANDIDATE": runs}
    wanted = Wanted(measures, primary, resampling.memory)
    evaluation, people = judges.evaluations(labelled, qrels, given, rules, wanted)
    comparison = compared(evaluation, resampling, structure, judges, people=people)
    made = rr.gate(
        comparison,
        require,
        inconclusive=inconclusive,
        scope=scope,
        largest_loss=resampling.largest_loss,
    )
    finish(made, writers_of(made, outputs, FORMATS))
    raise typer.Exit(made.exit_code)
