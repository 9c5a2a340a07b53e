"""What may be asked of each system of an evaluation at every threshold of its scores."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import polars as pl

from rankreport import charts
from rankreport.drawing import Draws, check_draws
from rankreport.errors import OptionError, check_confidence
from rankreport.operating_points import (
    OperatingBands,
    operating_bands,
    precision_recall_points,
    roc_points,
)
from rankreport.statistics import PLAIN, Structure

if TYPE_CHECKING:
    from rankreport.charts import Chart
    from rankreport.origins import Origin

__all__ = ["RESAMPLES", "Thresholded"]

RESAMPLES = 1_000
"""Of the bands around curves: their ends need fewer than those of the difference that decides."""


class Thresholded(ABC):
    """The part of an `Evaluation` that looks at scores themselves, and not at what they order.

    A system has curves where its run holds scores. One of ranks alone has none: a rank says which
    document of a query stands first, and nothing across queries. With ``ties="rank"`` no system has
    any, as scores are then ignored.
    """

    _origin: Origin

    @property
    @abstractmethod
    def query_ids(self) -> list[str]:
        """The queries that count, in the order of everything else."""

    def roc(self, rel: float = 1, *, per_query: bool = False) -> pl.DataFrame:
        """Return the points of ROC curves: what every threshold of the scores lets through.

        Parameters
        ----------
        rel
            The lowest grade that counts as relevant.
        per_query
            Whether each query shall have a curve, instead of one of all queries pooled.

        Returns
        -------
        DataFrame
            ``system`` (and ``query_id``); ``threshold`` (Float64), falling from infinity; ``fpr``
            and ``tpr`` (Float64), the shares of the other and of the relevant documents with a
            score that is not below it. Of judged documents with a score alone; a system whose run
            holds ranks alone has no points, and none has any where ``ties="rank"``.

        Raises
        ------
        DataError
            If this evaluation was loaded from a file, which holds no documents.

        Examples
        --------
        >>> import rankreport as rr
        >>> run = {"q1": {"d1": 2.0, "d2": 1.0}}
        >>> rr.evaluate({"q1": {"d1": 1, "d2": 0}}, {"mine": run}).roc().rows()
        [('mine', inf, 0.0, 0.0), ('mine', 2.0, 0.0, 1.0), ('mine', 1.0, 1.0, 1.0)]
        """
        return roc_points(self._origin.scored_documents(), rel=_level(rel), by_query=per_query)

    def precision_recall(self, rel: float = 1, *, per_query: bool = False) -> pl.DataFrame:
        """Return the points of precision-recall curves, of every threshold of the scores.

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
        self,
        rel: float = 1,
        confidence: float = 0.95,
        resamples: int = RESAMPLES,
        seed: int = 0,
        *,
        structure: Structure = PLAIN,
    ) -> OperatingBands:
        """Return ROC and precision-recall curves of all queries pooled, with their uncertainty.

        Queries are drawn, and their documents come along.

        Parameters
        ----------
        rel
            The lowest grade that counts as relevant.
        confidence
            Of the intervals, each by itself, between 0 and 1.
        resamples, seed
            Of the bootstrap: they are the first of those that a comparison draws.
        structure
            How the queries hang together; of a comparison, ``comparison.contrasts.structure``.
            Clusters are drawn whole, and within their strata. In a pool of documents each counts
            once: where queries have weights, these and strata are left out.

        Returns
        -------
        OperatingBands
            ``roc``, ``precision_recall`` and ``areas``, frames.

        Raises
        ------
        DataError
            As for `roc`.
        OptionError
            If an option has a value it cannot take.

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
        draws = Draws(resamples, seed)
        check_draws(draws)
        return operating_bands(
            self._origin.scored_documents(),
            self.query_ids,
            rel=_level(rel),
            confidence=confidence,
            draws=draws,
            structure=structure,
        )

    def plot_roc(self, rel: float = 1) -> Chart:
        """Return a chart of `roc`, of all queries pooled, with the bands of `operating_bands`."""
        bands = self.operating_bands(rel)
        return charts.roc_curves(self.roc(rel), bands.roc, bands.areas)

    def plot_precision_recall(self, rel: float = 1) -> Chart:
        """Return a chart of `precision_recall` likewise."""
        points, bands = self.precision_recall(rel), self.operating_bands(rel)
        return charts.precision_recall_curves(points, bands.precision_recall, bands.areas)


def _level(rel: float) -> float:
    if isinstance(rel, bool) or not isinstance(rel, int | float) or not math.isfinite(rel):
        raise OptionError(f"rel={rel!r} is no grade; a number is expected, such as 1.")
    return rel
