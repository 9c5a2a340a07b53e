"""Points of ROC and precision-recall curves.

A receiver operating characteristic (ROC) curve shows the true positive rate by the false positive
rate; a precision-recall curve shows precision by recall. Like threshold measures, they use only
judged documents with a score.

Thresholds are the distinct scores. Documents with a score equal to the threshold count as predicted
relevant, as in scikit-learn's curves, so a point has the values of `TPR` and `FPR` for a ``t``
slightly below the threshold.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import polars as pl

from rankreport import statistics
from rankreport.errors import OptionError, brief, check_confidence
from rankreport.evaluation.memory import block_of
from rankreport.evaluation.values import EvaluationValues, memory_limit_of
from rankreport.frames import QUERY_ID, RELEVANCE, SCORE, SYSTEM
from rankreport.statistics import PLAIN, Structure
from rankreport.tables import Table, bundle_of, text_of, to_table
from rankreport.text import say

THRESHOLD = "threshold"
FPR = "fpr"
TPR = "tpr"
RECALL = "recall"
PRECISION = "precision"

_HITS = "n_hits"
_OTHERS = "n_others"
_ORDER = "order"


def roc_points(rows: pl.DataFrame, *, rel: float = 1, by_query: bool = False) -> pl.DataFrame:
    """Return the points of each system's ROC curve, one per distinct score.

    Parameters
    ----------
    rows
        The judged frame (see `rankreport.evaluation.judging`).
    rel
        The lowest grade that counts as relevant.
    by_query
        Whether to return a curve per query instead of one for all queries pooled.

    Returns
    -------
    DataFrame
        ``system`` (``query_id``), ``threshold, fpr, tpr`` (Float64), with thresholds descending
        from infinity, where both rates are 0, to the lowest score, where both are 1. A rate is null
        if its denominator is 0. Systems and queries are in the order of `rows`; those without
        scored documents have no points.

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
    """Return the points of each system's precision-recall curve, one per distinct score.

    Parameters
    ----------
    rows, rel, by_query
        As for `roc_points`.

    Returns
    -------
    DataFrame
        ``system`` (``query_id``), ``threshold, recall, precision`` (Float64), with thresholds
        descending from infinity, where recall is 0 and precision is defined as 1. Recall is null
        where nothing is relevant. Order and missing points are as in `roc_points`.

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


class OperatingBands(NamedTuple):
    """ROC and precision-recall curves with intervals.

    ``roc`` has ``system, fpr, tpr, ci_low, ci_high`` (Float64), at 51 false positive rates from 0
    to 1; ``precision_recall`` has ``system, recall, precision, ci_low, ci_high`` at 51 recalls;
    ``areas`` has ``system, curve`` (``"roc"`` or ``"precision_recall"``), ``area, ci_low,
    ci_high``: the AUC, and the average precision of all documents pooled. Intervals are pointwise:
    the wider of the bootstrap's percentile interval and Wilson's score interval, null where all
    resamples are equal. Systems without a defined curve have no rows.
    """

    roc: pl.DataFrame
    precision_recall: pl.DataFrame
    areas: pl.DataFrame

    def shown(self) -> tuple[Table, ...]:
        """Return the frames as tables for display, the areas first."""
        return (
            to_table(self.areas, caption=say("Areas under the curves")),
            to_table(self.roc, caption=say("ROC curves")),
            to_table(self.precision_recall, caption=say("Precision-recall curves")),
        )

    def __repr__(self) -> str:
        """Return the tables as text."""
        return text_of(self.shown())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter selects from the bundle
        return bundle_of(self.shown())


_READ = {"roc": (FPR, TPR), "precision_recall": (RECALL, PRECISION)}
"""The x and y columns of each curve."""

_ENDS = {"ci_low": pl.Float64, "ci_high": pl.Float64}


def _read(system: str, curve: str, banded: statistics.BandedCurve) -> pl.DataFrame:
    across, upwards = _READ[curve]
    columns = {across: statistics.GRID, upwards: banded.value}
    columns |= {"ci_low": banded.low, "ci_high": banded.high}
    return pl.DataFrame(columns).fill_nan(None).select(pl.lit(system).alias(SYSTEM), pl.all())


def _empty(curve: str) -> pl.DataFrame:
    across, upwards = _READ[curve]
    return pl.DataFrame(
        schema={SYSTEM: pl.String, across: pl.Float64, upwards: pl.Float64, **_ENDS}
    )


def _by(by_query: bool) -> list[str]:  # noqa: FBT001
    return [SYSTEM, QUERY_ID] if by_query else [SYSTEM]


def _counts(rows: pl.DataFrame, rel: float, by: list[str]) -> pl.DataFrame:
    """Count the relevant and the other documents at or above each threshold."""
    relevant = (pl.col(RELEVANCE) >= rel).cast(pl.Int64)
    documents = (
        rows.lazy()
        .filter(pl.col(SCORE).is_not_null())
        .select(
            *by,
            pl.col(SCORE).alias(THRESHOLD),
            relevant.alias(_HITS),
            (1 - relevant).alias(_OTHERS),
        )
        .with_row_index(_ORDER)
        .with_columns(pl.col(_ORDER).min().over(by))
    )
    starts = documents.unique(by, keep="first", maintain_order=True).with_columns(
        pl.lit(float("inf")).alias(THRESHOLD),
        pl.lit(0, pl.Int64).alias(_HITS),
        pl.lit(0, pl.Int64).alias(_OTHERS),
    )
    last_of_threshold = pl.any_horizontal(
        pl.col(name).ne_missing(pl.col(name).shift(-1)) for name in (_ORDER, THRESHOLD)
    )
    # Documents may have an infinite score, so a start is recognised by its counts of 0.
    is_start = pl.col(_HITS) + pl.col(_OTHERS) == 0
    return (
        pl.concat([starts, documents])
        .sort(_ORDER, THRESHOLD, descending=[False, True], maintain_order=True)
        .with_columns(pl.col(_HITS, _OTHERS).cum_sum().over(by))
        .filter(is_start | last_of_threshold)
        .collect(engine="in-memory")
    )


def _share(count: str, by: list[str]) -> pl.Expr:
    most = pl.col(count).max().over(by)
    return pl.when(most > 0).then(pl.col(count) / most)


RESAMPLES = 1_000
"""Resamples for bands around curves."""


def _level(rel: float) -> float:
    if isinstance(rel, bool) or not isinstance(rel, int | float) or not math.isfinite(rel):
        raise OptionError(f"rel={brief(rel)} is not a grade; expected a number, such as 1.")
    return rel


def roc(self: EvaluationValues, rel: float = 1, *, per_query: bool = False) -> pl.DataFrame:
    """Return the points of ROC curves, one per distinct score.

    Parameters
    ----------
    rel
        The lowest grade that counts as relevant.
    per_query
        Whether to return a curve per query instead of one for all queries pooled.

    Returns
    -------
    DataFrame
        ``system`` (and ``query_id``); ``threshold`` (Float64), descending from infinity;
        ``fpr`` and ``tpr`` (Float64), the false and true positive rates of predicting documents
        with at least that score as relevant. Only judged documents with a score count. Systems
        whose runs have ranks but no scores have no points, nor has any with ``ties="rank"``.

    Raises
    ------
    DataError
        If this evaluation was loaded from a file, which contains no documents.

    Examples
    --------
    >>> import rankreport as rr
    >>> run = {"q1": {"d1": 2.0, "d2": 1.0}}
    >>> rr.evaluate({"q1": {"d1": 1, "d2": 0}}, {"mine": run}).roc().rows()
    [('mine', inf, 0.0, 0.0), ('mine', 2.0, 0.0, 1.0), ('mine', 1.0, 1.0, 1.0)]
    """
    return roc_points(self._origin.scored_documents(), rel=_level(rel), by_query=per_query)


def precision_recall(
    self: EvaluationValues, rel: float = 1, *, per_query: bool = False
) -> pl.DataFrame:
    """Return the points of precision-recall curves, one per distinct score.

    Parameters
    ----------
    rel, per_query
        As for `roc`.

    Returns
    -------
    DataFrame
        ``system`` (and ``query_id``); ``threshold, recall, precision`` (Float64), as for `roc`.

    Raises
    ------
    DataError
        As for `roc`.
    """
    documents = self._origin.scored_documents()
    return precision_recall_points(documents, rel=_level(rel), by_query=per_query)


def operating_bands(
    self: EvaluationValues,
    rel: float = 1,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    *,
    structure: Structure = PLAIN,
) -> OperatingBands:
    """Return ROC and precision-recall curves of all queries pooled, with intervals.

    Queries are resampled together with their documents. Intervals are pointwise: the wider of
    the percentile interval and of Wilson's score interval with the error of the resamples.

    Parameters
    ----------
    rel
        The lowest grade that counts as relevant.
    confidence
        Confidence of the pointwise intervals, between 0 and 1.
    resamples, seed
        Number of resamples and random seed of the bootstrap; the resamples are the same as in a
        comparison.
    structure
        Weights, clusters and strata of the queries, one each, in the order of `query_ids`.
        Clusters are drawn within their strata. Every document of the pool counts once, so if
        there are weights, weights and strata are ignored.

    Returns
    -------
    OperatingBands
        The frames ``roc``, ``precision_recall`` and ``areas``.

    Raises
    ------
    DataError
        As for `roc`.
    OptionError
        If an option is invalid.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> evaluation = rr.evaluate(example.qrels, {"bm25": example.runs["bm25"]})
    >>> bands = evaluation.operating_bands()
    >>> bands.roc.columns
    ['system', 'fpr', 'tpr', 'ci_low', 'ci_high']
    >>> bands.areas.select("system", "curve").rows()
    [('bm25', 'roc'), ('bm25', 'precision_recall')]
    """
    check_confidence(confidence)
    draws = statistics.Draws(resamples, seed, block_of(memory_limit_of(self)))
    statistics.check_draws(draws)
    queries = self.query_ids
    numbers = pl.DataFrame({QUERY_ID: queries}, schema={QUERY_ID: pl.String}).with_row_index(_ORDER)
    scored = (
        self._origin.scored_documents()
        .filter(pl.col(SCORE).is_not_null())
        .join(numbers, on=QUERY_ID, maintain_order="left")
    )
    points: dict[str, list[pl.DataFrame]] = {curve: [] for curve in _READ}
    areas = []
    grade = _level(rel)
    for (system,), own in scored.group_by(SYSTEM, maintain_order=True):
        found = statistics.operating_curves(
            own[_ORDER],
            own[RELEVANCE] >= grade,
            own[SCORE],
            len(queries),
            confidence=confidence,
            structure=structure,
            **draws._asdict(),
        )
        for curve, banded in found._asdict().items():
            if math.isfinite(banded.area):
                points[curve].append(_read(str(system), curve, banded))
                areas.append((system, curve, banded.area, banded.area_low, banded.area_high))
    schema = {SYSTEM: pl.String, "curve": pl.String, "area": pl.Float64, **_ENDS}
    return OperatingBands(
        **{curve: pl.concat([_empty(curve), *each]) for curve, each in points.items()},
        areas=pl.DataFrame(areas, schema=schema, orient="row").fill_nan(None),
    )
