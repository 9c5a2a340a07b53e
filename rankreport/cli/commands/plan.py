"""The command that plans a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import rankreport as rr
from rankreport import charts, io, tables
from rankreport.cli.comparing import Judges, ResamplingOptions, StructureOptions, compared
from rankreport.cli.grouping import command, option_of
from rankreport.cli.options import (
    GivenBaseline,
    GivenQrels,
    GivenRuns,
    LabelledOptions,
    RuleOptions,
    Wanted,
)
from rankreport.cli.outputs import any_of, check_outputs, finish, output_option, writers_of
from rankreport.evaluation import DEFAULT_MEASURES

_CURVE = io.Format(lambda made, path: charts.write_chart(path, made.plot()), "curve")
_FORMATS = {
    **io.table_formats(lambda made: made.to_polars(), "table"),
    **dict.fromkeys(charts.SUFFIXES, _CURVE),
}
"""How a plan is written, by suffix."""


@command(
    epilog="\b\nExamples:\n"
    "  rankreport plan qrels.txt bm25.run dense.run\n"
    "  rankreport plan qrels.txt a.run b.run -m AP --n 200 --n 500 --difference 0.01\n"
    "  rankreport plan qrels.txt a.run b.run --power 0.9 -o plan.csv -o plan.svg\n"
    "  rankreport plan model.txt a.run b.run --human people.txt",
)
def plan(
    qrels: GivenQrels = None,
    baseline: GivenBaseline = None,
    runs: GivenRuns = None,
    measure: Annotated[
        str, option_of("MEASURE", "Primary measure.", "-m --measure")
    ] = DEFAULT_MEASURES[0],
    n: Annotated[
        list[int] | None,
        option_of("N", "Number of queries; repeatable. [default: several around the pilot's]"),
    ] = None,
    difference: Annotated[
        list[float] | None,
        option_of("D", "Difference to detect; repeatable. [default: 0.005 to 0.1]"),
    ] = None,
    power: Annotated[float, option_of("SHARE", "Target power, between 0 and 1.")] = 0.8,
    *,
    rules: RuleOptions,
    labelled: LabelledOptions,
    resampling: ResamplingOptions,
    structure: StructureOptions,
    judges: Judges,
    output: Annotated[
        list[Path] | None,
        output_option(f"Output file: {any_of(_FORMATS)}; repeatable."),
    ] = None,
) -> None:
    """Plan a comparison from a pilot: detectable differences, and how many queries they need."""
    outputs = output or []
    check_outputs(outputs, _FORMATS)
    given = {"BASELINE": baseline, "RUN": runs}
    wanted = Wanted([measure], memory=resampling.memory)
    evaluation, people = judges.evaluations(labelled, qrels, given, rules, wanted)
    pilot = compared(evaluation, resampling, structure, judges, people=people)
    made = rr.plan(pilot, n_queries=n or None, difference=difference or None, power=power)
    finish(tables.without_cautions(made), writers_of(made, outputs, _FORMATS), made.cautions)
