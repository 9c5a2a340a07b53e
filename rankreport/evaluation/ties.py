"""What equal scores could change: the scores under the best and the worst order of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from rankreport.evaluation.ranking import order_ties
from rankreport.frames import (
    LIST,
    MEASURE,
    QUERY_ID,
    SYSTEM,
    TIE_FIRST,
    TIE_LAST,
    VALUE,
    long,
    numbered,
    wide,
)
from rankreport.measures import BEST, EQUAL, WORST, JudgedRows, Measure, TieRule


def tie_table(
    worst: pl.DataFrame,
    best: pl.DataFrame,
    values: pl.DataFrame,
    measures: Sequence[Measure],
    summarised: Callable[[pl.DataFrame, Sequence[Measure]], pl.DataFrame],
) -> pl.DataFrame:
    """Return the frame of `rankreport.Evaluation.ties`.

    Parameters
    ----------
    worst, best
        The result of `bounds`.
    values
        The scores by query.
    measures
        The measures, of judged documents or of subtopics.
    summarised
        Aggregates scores of measures over queries.
    """
    totals = summarised(values, measures)
    distinct = list(dict.fromkeys(measures))
    names = pl.DataFrame({MEASURE: [str(m) for m in distinct]})
    found = totals.select(SYSTEM).join(names, how="cross", maintain_order="left_right")
    bounded = _bounded(distinct)
    fixed = [str(m) for m in distinct if m.moves == "none"]
    columns = {
        "n_queries": _spread(worst, best).with_columns(pl.lit(0, pl.Int64).alias(m) for m in fixed),
        "worst": summarised(worst, bounded).with_columns(totals.select(fixed)),
        "value": totals,
        "best": summarised(best, bounded).with_columns(totals.select(fixed)),
    }
    for name, frame in columns.items():
        found = found.join(
            _by_measure(frame, name), on=[SYSTEM, MEASURE], how="left", maintain_order="left"
        )
    # Without measures, the columns have no dtype yet.
    return found.with_columns(
        pl.col("n_queries").cast(pl.Int64), pl.col("worst", "value", "best").cast(pl.Float64)
    )


def _bounded(measures: Sequence[Measure]) -> list[Measure]:
    """Return the measures whose bounds are known."""
    distinct = dict.fromkeys(measures)
    return [m for m in distinct if m.moves == "up" and m.declaration.rows == "documents"]


def _by_measure(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return one row per system and measure, with the values in the column `name`."""
    return long(frame, [SYSTEM]).rename({VALUE: name})


def bounds(
    documents: pl.DataFrame,
    values: pl.DataFrame,
    measures: Sequence[Measure],
    *,
    one_where_barren: bool = False,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the scores under the worst and the best order of equal scores.

    Parameters
    ----------
    documents
        The judged frame.
    values
        ``system, query_id`` and a column per measure: the scores under the tie rule, list by list
        in the order of the judged frame.
    measures
        The measures; those whose bounds are not known are left out.
    one_where_barren
        As in `rankreport.measures.JudgedRows`.
    """
    bounded = _bounded(measures)
    matters = pl.col(TIE_FIRST) < pl.col(TIE_LAST)
    if (depth := _depth(bounded)) is not None:
        matters &= pl.col(TIE_FIRST) <= depth
    lists = numbered(documents)
    tied = lists.filter(matters)[LIST].unique(maintain_order=True)
    loose = lists.filter(pl.col(LIST).is_in(tied.implode())).drop(LIST)
    names = [str(measure) for measure in bounded]
    known = values.select(SYSTEM, QUERY_ID, *names)
    if tied.is_empty():
        return known, known

    def under(rule: TieRule) -> pl.DataFrame:
        # Most lists have no equal scores: their values are computed once.
        rows = JudgedRows(order_ties(loose, rule), one_where_barren=one_where_barren)
        moved = rows.of_queries(bounded)
        return known.with_columns(known[name].scatter(tied, moved[name]) for name in names)

    return under(WORST), under(BEST)


def moved_by_ties(worst: pl.DataFrame, best: pl.DataFrame) -> pl.DataFrame:
    """Return the scores that depend on the order of equal scores, of the result of `bounds`.

    The columns are ``system, query_id, measure, worst, best``.
    """
    found = long(worst).rename({VALUE: "worst"}).with_columns(best=long(best)[VALUE])
    return found.filter(pl.col("worst") != pl.col("best"))


def bounds_from(
    moved: pl.DataFrame, values: pl.DataFrame, measures: Sequence[Measure]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the result of `bounds`, of scores and the result of `moved_by_ties` of them."""
    names = [str(measure) for measure in _bounded(measures)]
    known = values.select(SYSTEM, QUERY_ID, *names)
    some = moved.filter(pl.col(MEASURE).is_in(names))
    if some.is_empty():
        return known, known
    of_score = [SYSTEM, QUERY_ID, MEASURE]
    rows = long(known).join(some, on=of_score, how="left", maintain_order="left")

    def under(order: str) -> pl.DataFrame:
        return wide(rows.with_columns(pl.coalesce(order, VALUE).alias(VALUE)), names)

    return under("worst"), under("best")


def _depth(measures: Sequence[Measure]) -> int | None:
    """Return the last rank that measures look at; None where one looks at the whole list."""
    # A condensed list, of judged documents alone, reaches further down.
    cuts = [None if m.parameter("judged_only") else m.k for m in measures]
    return max((k for k in cuts if k is not None), default=0) if None not in cuts else None


def _spread(worst: pl.DataFrame, best: pl.DataFrame) -> pl.DataFrame:
    """Count, for each system and measure, the queries whose bounds differ."""
    keys = [SYSTEM, QUERY_ID]
    moved = best.select(
        SYSTEM,
        *(_differ(best[m], worst[m]).alias(m) for m in best.columns if m not in keys),
    )
    sums = pl.exclude(SYSTEM).sum().cast(pl.Int64)
    return moved.group_by(SYSTEM, maintain_order=True).agg(sums)


def _differ(one: pl.Series, other: pl.Series) -> pl.Series:
    # Two infinite values are equal, though their difference is not 0.
    return (one != other) & ((one - other).abs() > EQUAL)
