"""Judgments and runs joined lazily, and measures of them: plans of Polars, of which nothing is run.

They have the default rules of `rankreport.evaluate`. What needs all rows at once is left out: other
rules for ties and queries, subtopics, folded passages, and what is found of the data.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import polars as pl

from rankreport import io
from rankreport.call_hints import hinting
from rankreport.errors import DataError
from rankreport.evaluation.options import DEFAULT_MEASURES, chosen_measures, settled, within_depth
from rankreport.frames import (
    DOC_ID,
    N_RETRIEVED,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SYSTEM,
    TOP_GRADE,
)
from rankreport.measures import Measure, check_grades


@hinting()
def scan_judged(qrels: Any, runs: Any) -> pl.LazyFrame:
    """Rank runs and join them to judgments, lazily: what `Measure.expr` reads.

    Parameters
    ----------
    qrels, runs
        As for `rankreport.evaluate`. Judgments are read and checked now, runs when the frame is
        collected.

    Returns
    -------
    LazyFrame
        A row per system and judged document, in no order: ``system, query_id, doc_id`` (String),
        ``relevance, score`` (Float64), ``rank`` (UInt32, from 1; null, like the score, where the
        system did not return the document), ``n_retrieved`` (UInt32; how many documents it returned
        for the query), ``top_grade`` (Float64; the highest grade of all judgments).

    Raises
    ------
    DataError
        If a source cannot be opened, or judgments are invalid. A run with invalid rows, among those
        that a filter keeps, raises it when the frame is collected.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {"q1": {"d1": 2, "d2": 1}, "q2": {"d7": 1}}
    >>> judged = rr.scan_judged(qrels, {"new": {"q1": {"d3": 0.9, "d1": 0.8}}})
    >>> judged.sort("query_id", "doc_id").select("doc_id", "rank", "n_retrieved").collect().rows()
    [('d1', 2, 2), ('d2', None, 2), ('d7', None, 0)]
    """
    source, systems = io.open_sources(qrels, runs)
    judgments = _read(source)
    return pl.concat(_judged(judgments, *each) for each in systems.items())


@hinting()
def scan(
    qrels: Any, runs: Any, measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES
) -> pl.LazyFrame:
    """Compute measures lazily: `scan_judged`, with a row per system and query.

    Values are those of `rankreport.evaluate` to the last bit, under its default rules. A filter on
    ``query_id`` is applied where a run is read, and only the columns are read that the selected
    measures need. With ``collect(engine="streaming")`` a run need not fit in memory: Polars writes
    to temporary files where memory is short, or is limited by the environment variable
    ``POLARS_OOC_MEMORY_BUDGET_MB``, which ``pl.Config.reload_env_vars()`` reads again. Without
    that limit, a run of 1 GB takes some 2.5 GB, with one of 150 some 400 MB.

    Parameters
    ----------
    qrels, runs
        As for `scan_judged`.
    measures
        As for `rankreport.evaluate`; measures that `Measure.expr` refuses are refused.

    Returns
    -------
    LazyFrame
        ``system, query_id`` (String) and a Float64 column per measure, null where it is undefined;
        a row per system and judged query, in no order. A query that a system did not answer
        scores 0. That queries are missing, or none is shared, is not reported: see
        `rankreport.check`.

    Raises
    ------
    DataError
        As for `scan_judged`.
    MeasureError
        If a measure is unknown, or needs more than the judged documents of a query.

    Examples
    --------
    >>> import polars as pl
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> scores = rr.scan(example.qrels, example.runs, ["nDCG@10", "RR"])
    >>> scores.filter(pl.col("query_id") == "q14").sort("system").head(2).collect().rows()
    [('bm25', 'q14', 0.6309297535714574, 0.5), ('bm25-names', 'q14', 0.38685280723454163, 0.2)]
    """
    source, systems = io.open_sources(qrels, runs)
    chosen = chosen_measures(measures, settled(None))
    chosen = within_depth(chosen, systems, source, default=measures is DEFAULT_MEASURES)
    judgments = _read(source)
    check_grades(chosen, judgments[RELEVANCE].max())
    values = [measure.expr() for measure in chosen]
    lengths = any(N_RETRIEVED in value.meta.root_names() for value in values)
    return pl.concat(
        _judged(judgments, *each, lengths=lengths).group_by(SYSTEM, QUERY_ID).agg(values)
        for each in systems.items()
    )


def _read(qrels: io.Source) -> pl.DataFrame:
    rows = io.read_judgments(qrels).select(QUERY_ID, DOC_ID, RELEVANCE)
    return rows.cast({QUERY_ID: pl.String}).with_columns(pl.col(RELEVANCE).max().alias(TOP_GRADE))


def _judged(
    judgments: pl.DataFrame, system: str, run: io.Source, *, lengths: bool = True
) -> pl.LazyFrame:
    """Return the judged rows of a system, with the lengths of lists if they are needed."""
    rows = judgments.lazy().join(  # the smaller side is kept in memory, the run is not
        _ranked(run), on=[QUERY_ID, DOC_ID], how="left", build_side="force_left"
    )
    if run.failed:
        rows = rows.filter(~pl.col(QUERY_ID).is_in(run.failed))
    if lengths:
        lists = run.lazily().group_by(QUERY_ID).agg(pl.len().cast(pl.UInt32).alias(N_RETRIEVED))
        rows = rows.join(lists, on=QUERY_ID, how="left")
        rows = rows.with_columns(pl.col(N_RETRIEVED).fill_null(0))
    return rows.select(pl.lit(system).alias(SYSTEM), pl.exclude(TOP_GRADE), TOP_GRADE)


def _ranked(run: io.Source) -> pl.LazyFrame:
    """Rank the documents of each query by score, and by name, descending, where it is the same."""
    usable = pl.all_horizontal(
        pl.col(SCORE).is_finite().fill_null(value=False), pl.col(QUERY_ID, DOC_ID).is_not_null()
    )
    once = pl.col(DOC_ID).n_unique() == pl.len()
    # Adding 0 makes 0 of -0, which is equal to it.
    rank = pl.struct(pl.col(SCORE) + 0.0, DOC_ID).rank("ordinal", descending=True)
    checked = partial(_checked, run.name)
    return run.lazily().with_columns(
        pl.when(usable.all() & once)
        .then(rank)
        .over(QUERY_ID)
        .map_batches(checked, return_dtype=pl.UInt32, is_elementwise=True)
        .alias(RANK)
    )


def _checked(name: str, ranks: pl.Series) -> pl.Series:
    """Return ranks, which are null where a row of the query cannot be evaluated."""
    if ranks.null_count():
        raise DataError(
            f"{name} has a row without a query, a document or a finite score, or a query with a "
            f"document twice. rr.check(qrels, runs) names the rows."
        )
    return ranks
