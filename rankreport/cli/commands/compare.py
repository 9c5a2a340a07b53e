"""The command that compares systems with a baseline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import polars as pl

from rankreport import comparison, io, tables
from rankreport.cli.comparing import (
    BaselineOptions,
    ComparisonOptions,
    Judges,
    ResamplingOptions,
    StructureOptions,
    compared,
)
from rankreport.cli.grouping import command
from rankreport.cli.options import (
    Aggregate,
    GivenBaseline,
    GivenQrels,
    GivenRuns,
    LabelledOptions,
    MeasureOptions,
    RuleOptions,
    paths_of,
)
from rankreport.cli.outputs import any_of, check_outputs, finish, output_option, writers_of
from rankreport.errors import OptionError
from rankreport.text import visible

_FORMATS = io.table_formats(lambda rows: rows)


@command(
    epilog="\b\nExamples:\n"
    "  rankreport compare qrels.txt bm25.run dense.run\n"
    "  rankreport compare qrels.txt old=a.run new=b.run -m nDCG@10 -o table.csv\n"
    "  rankreport compare qrels.txt a.run b.run c.run --all-pairs --margin 0.01\n"
    "  rankreport compare --labelled test.svm --scores lgbm.txt --scores xgb.txt\n"
    "  rankreport compare model.txt a.run b.run --human people.txt --sample random\n"
    "  rankreport compare ratings.csv a.run b.run --combine median\n"
    "  rankreport compare qrels.txt a.run b.run -m RR -a median\n"
    "  rankreport compare qrels.txt dense.run --baseline history:latest --store history",
)
def compare(
    chosen: MeasureOptions,
    rules: RuleOptions,
    labelled: LabelledOptions,
    comparing: ComparisonOptions,
    resampling: ResamplingOptions,
    structure: StructureOptions,
    judges: Judges,
    storing: BaselineOptions,
    qrels: GivenQrels = None,
    baseline: GivenBaseline = None,
    runs: GivenRuns = None,
    aggregate: Aggregate = None,
    output: Annotated[Path | None, output_option(f"Output file: {any_of(_FORMATS)}.")] = None,
) -> None:
    """Compare systems with a baseline: differences, intervals, p-values, wins and losses."""
    outputs = [] if output is None else [output]
    check_outputs(outputs, _FORMATS)
    if aggregate is not None and structure.segment:
        raise OptionError("--aggregate and --segment cannot be combined; leave one out.")
    runs, comparing = comparing.with_null(runs, rules)
    stored = storing.named(comparing.baselines)
    given = {"BASELINE": baseline, "RUN": runs}
    if stored is not None:
        given, comparing = {"RUN": paths_of(given)}, replace(comparing, baselines=None)
    evaluation, people = judges.evaluations(
        labelled, qrels, given, rules, chosen.within(resampling.memory)
    )
    joined, resampling = storing.joined(evaluation, stored, people), storing.shared(resampling)
    made = compared(joined, comparing, resampling, structure, judges, people=people)
    shown: object = made
    rows = made.table() if aggregate is None else made.aggregates(aggregate)
    if made.null and aggregate is None:
        floor = made.between_runs().select(
            "measure", pl.col("^deviation.*$").name.replace("deviation", "noise_floor")
        )
        rows = rows.join(floor, on="measure", how="left", maintain_order="left")
    if aggregate is not None:
        shown = tables.to_table(rows)
    elif structure.segment:
        by_segment = comparison.segments_table(made.segments().frame, made.decision.one_baseline)
        shown = f"{made}\n\n{tables.text_of([by_segment])}"
    if since := storing.since(evaluation, made, stored):
        shown = f"{shown}\n\n{visible(since)}"
    writers = {**writers_of(rows, outputs, _FORMATS), **storing.writer(made, evaluation=evaluation)}
    finish(shown, writers, () if aggregate is None else made.cautions)
