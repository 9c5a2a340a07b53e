"""The command that computes measures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import polars as pl
import typer

import rankreport as rr
from rankreport import evaluation, io, tables
from rankreport.cli.grouping import command
from rankreport.cli.options import (
    Aggregate,
    GivenQrels,
    GivenRuns,
    LabelledOptions,
    MeasureOptions,
    Memory,
    RuleOptions,
)
from rankreport.cli.outputs import any_of, check_outputs, finish, output_option, writers_of
from rankreport.cli.storing import StoreOptions
from rankreport.errors import OptionError
from rankreport.measures import shown_names

if TYPE_CHECKING:
    from rankreport.evaluation import Evaluation


def _table_by_query(made: Evaluation) -> tables.Table:
    return tables.to_table(made.per_query().rename(shown_names(made.measures)))


_FORMATS = {
    **io.table_formats(lambda made: evaluation.scores_by_measure(made)),  # noqa: PLW0108 - late
    ".parquet": io.Format(lambda made, path: made.write_parquet(path)),
}


@command(
    epilog="\b\nExamples:\n"
    "  rankreport evaluate qrels.txt bm25.run dense.run\n"
    "  rankreport evaluate qrels.txt new=v7.run.gz -m nDCG@10 -m 'AP(rel=2)'\n"
    "  rankreport evaluate qrels.txt bm25.run -m map -m P_10 -o scores.parquet\n"
    "  rankreport evaluate --labelled test.svm --scores lgbm.txt --scores xgb.txt",
)
def evaluate(
    chosen: MeasureOptions,
    rules: RuleOptions,
    labelled: LabelledOptions,
    storing: StoreOptions,
    qrels: GivenQrels = None,
    runs: GivenRuns = None,
    per_query: Annotated[
        bool, typer.Option("--per-query", help="Print scores per query instead of means.")
    ] = False,
    aggregate: Aggregate = None,
    memory: Memory = None,
    output: Annotated[
        Path | None, output_option(f"Output file for scores: {any_of(_FORMATS)}.")
    ] = None,
) -> None:
    """Compute measures for one or more systems."""
    outputs = [] if output is None else [output]
    check_outputs(outputs, _FORMATS)
    if labelled.datasets and rules.source_format == "mteb":
        if output is not None or labelled.leave_out:
            raise OptionError("-o and --leave-out have no meaning with results of MTEB.")
        split, measure = rules.split or "test", next(iter(chosen.measure or ()), None)
        finish(rr.read_mteb_results(labelled.datasets, split=split, measure=measure), {})
        return
    made = labelled.evaluation(qrels, {"RUN": runs}, rules, chosen.within(memory))
    if aggregate is not None and per_query:
        raise OptionError("--aggregate and --per-query cannot be combined; leave one out.")
    shown = _table_by_query(made) if per_query else tables.without_cautions(made)
    if aggregate is not None:
        shown = tables.to_table(made.means(aggregate=aggregate))
    elif not per_query and evaluation.knows_items(made):
        spread = made.exposure(made.primary.k or 10).filter(pl.col("value").is_not_null())
        shown = f"{shown}\n\n{tables.to_table(spread)}"
    writers = {**writers_of(made, outputs, _FORMATS), **storing.writer(made)}
    finish(shown, writers, made.cautions)
