"""What may be asked of each system of an evaluation at every threshold of its scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from rankreport import charts
from rankreport.errors import OptionError
from rankreport.operating_points import precision_recall_points, roc_points

if TYPE_CHECKING:
    from rankreport.charts import Chart
    from rankreport.origins import Origin

__all__ = ["Thresholded"]


class Thresholded:
    """The part of an `Evaluation` that looks at scores themselves, and not at what they order.

    A system has curves where its run holds scores. One of ranks alone has none: a rank says which
    document of a query stands first, and nothing across queries. With ``ties="rank"`` no system has
    any, as scores are then ignored.
    """

    _origin: Origin

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

    def plot_roc(self, rel: float = 1) -> Chart:
        """Return a chart of `roc`, of all queries pooled."""
        return charts.roc_curves(self.roc(rel))

    def plot_precision_recall(self, rel: float = 1) -> Chart:
        """Return a chart of `precision_recall`, of all queries pooled."""
        return charts.precision_recall_curves(self.precision_recall(rel))


def _level(rel: float) -> float:
    if isinstance(rel, bool) or not isinstance(rel, int | float) or not math.isfinite(rel):
        raise OptionError(f"rel={rel!r} is no grade; a number is expected, such as 1.")
    return rel
