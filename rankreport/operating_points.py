"""What a system does at every threshold of its scores: the points of two curves.

A receiver operating characteristic (ROC) shows which share of the other documents a threshold lets
through with which share of the relevant ones; a precision-recall curve, how pure the result is at
each recall. As all measures of thresholds, they look at judged documents with a score alone.

A point's threshold is a score that occurs, and a document of just that score counts as predicted
relevant, as in scikit-learn's curves; so the point at a threshold is what `TPR` and `FPR` give for
a ``t`` a little below it.
"""

from __future__ import annotations

import polars as pl

from rankreport.columns import QUERY_ID, RELEVANCE, SCORE, SYSTEM

__all__ = [
    "FPR",
    "PRECISION",
    "RECALL",
    "THRESHOLD",
    "TPR",
    "precision_recall_points",
    "roc_points",
]

THRESHOLD = "threshold"
FPR = "fpr"
TPR = "tpr"
RECALL = "recall"
PRECISION = "precision"

_HITS = "n_hits"
_OTHERS = "n_others"
_ORDER = "order"


def roc_points(rows: pl.DataFrame, *, rel: float = 1, by_query: bool = False) -> pl.DataFrame:
    """Return the points of each system's ROC curve, one for every score that occurs.

    Parameters
    ----------
    rows
        The judged frame (see `rankreport.judging`).
    rel
        The lowest grade that counts as relevant.
    by_query
        Whether each query shall have a curve of its own, instead of all of them one together.

    Returns
    -------
    DataFrame
        ``system`` (``query_id``), ``threshold, fpr, tpr`` (Float64), thresholds falling from
        infinity, where both rates are 0, to the lowest score, where both are 1. A rate is null
        where there is nothing to count. Systems and queries in the order of `rows`; those without a
        scored document have no points.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"system": "mine", "query_id": "q", "relevance": [1.0, 0.0, 1.0],
    ...                      "score": [0.9, 0.5, 0.5]})
    >>> roc_points(rows).select("threshold", "fpr", "tpr").rows()
    [(inf, 0.0, 0.0), (0.9, 0.0, 0.5), (0.5, 1.0, 1.0)]
    """
    by = _by(by_query)
    return _counts(rows, rel, by).select(
        *by, THRESHOLD, _share(_OTHERS, by).alias(FPR), _share(_HITS, by).alias(TPR)
    )


def precision_recall_points(
    rows: pl.DataFrame, *, rel: float = 1, by_query: bool = False
) -> pl.DataFrame:
    """Return the points of each system's precision-recall curve, one for every score that occurs.

    Parameters
    ----------
    rows, rel, by_query
        As for `roc_points`.

    Returns
    -------
    DataFrame
        ``system`` (``query_id``), ``threshold, recall, precision`` (Float64), thresholds falling
        from infinity, where recall is 0 and precision is said to be 1. Recall is null where nothing
        is relevant. Order and gaps as for `roc_points`.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"system": "mine", "query_id": "q", "relevance": [1.0, 0.0, 1.0, 0.0],
    ...                      "score": [0.9, 0.5, 0.5, 0.1]})
    >>> precision_recall_points(rows).select("threshold", "recall", "precision").rows()
    [(inf, 0.0, 1.0), (0.9, 0.5, 1.0), (0.5, 1.0, 0.6666666666666666), (0.1, 1.0, 0.5)]
    """
    by = _by(by_query)
    predicted = pl.col(_HITS) + pl.col(_OTHERS)
    precision = pl.when(predicted > 0).then(pl.col(_HITS) / predicted).otherwise(1.0)
    return _counts(rows, rel, by).select(
        *by, THRESHOLD, _share(_HITS, by).alias(RECALL), precision.alias(PRECISION)
    )


def _by(by_query: bool) -> list[str]:  # noqa: FBT001
    return [SYSTEM, QUERY_ID] if by_query else [SYSTEM]


def _counts(rows: pl.DataFrame, rel: float, by: list[str]) -> pl.DataFrame:
    """Count the relevant documents and the others that each threshold lets through."""
    relevant = (pl.col(RELEVANCE) >= rel).sum().cast(pl.Int64)
    blocks = (
        rows.lazy()
        .filter(pl.col(SCORE).is_not_null())
        .group_by(*by, pl.col(SCORE).alias(THRESHOLD), maintain_order=True)
        .agg(relevant.alias(_HITS), (pl.len().cast(pl.Int64) - relevant).alias(_OTHERS))
        .with_row_index(_ORDER)
        .with_columns(pl.col(_ORDER).min().over(by))
    )
    starts = (
        blocks.group_by(*by, maintain_order=True)
        .agg(pl.col(_ORDER).first())
        .select(
            _ORDER,
            *by,
            pl.lit(float("inf")).alias(THRESHOLD),
            pl.lit(0, pl.Int64).alias(_HITS),
            pl.lit(0, pl.Int64).alias(_OTHERS),
        )
    )
    # A document may have the score infinity, so the start comes first by its place, not its value.
    return (
        pl.concat([starts, blocks])
        .sort(_ORDER, THRESHOLD, descending=[False, True], maintain_order=True)
        .with_columns(pl.col(_HITS, _OTHERS).cum_sum().over(by))
        .collect(engine="in-memory")
    )


def _share(count: str, by: list[str]) -> pl.Expr:
    most = pl.col(count).max().over(by)
    return pl.when(most > 0).then(pl.col(count) / most)
