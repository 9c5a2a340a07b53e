"""Classification measures at a score threshold.

A document is predicted relevant if its score exceeds ``t``. Like pair measures, these use judged
documents with a score only (`Scored` is their share), and the order of equal scores does not
matter. Where nothing is predicted or nothing is relevant, precision and recall are 0, as in P, R
and scikit-learn. The false positive rate is undefined where it would be 0 / 0, since 0 is its best
value.
"""

from __future__ import annotations

from functools import partial

import polars as pl

from rankreport.frames import SCORE
from rankreport.measures._columns import column
from rankreport.measures._terms import f_measure, ratio, relevant, scored
from rankreport.measures.declare import measure

__all__ = ["FPR", "TPR", "FAbove", "PrecisionAbove"]

_FAWCETT = "Fawcett, An introduction to ROC analysis, Pattern Recognition Letters 2006"


_at_threshold = partial(measure, family="thresholds", moves="none")


@_at_threshold(
    title="True positive rate",
    formula=r"\frac{|\{d : \mathrm{rel}_d, s_d > t\}|}{|\{d : \mathrm{rel}_d\}|}",
    source=_FAWCETT,
    aliases={"recall_score": {}, "RecallAbove": {}, "sensitivity": {}},
    normalised=True,
)
def TPR(t: float = 0.5, rel: float = 1) -> pl.Expr:
    """The share of the relevant documents whose score exceeds t: recall at a threshold.

    From 0 to 1; 0 where no relevant document has a score. Unlike R, it ignores relevant documents
    that were not returned.

    >>> score(TPR(t=2), [1, 0, 1, 1])  # scores 4, 3, 2, 1
    0.3333333333333333
    """
    return ratio(_hits(t, rel), _n_relevant(rel))


@_at_threshold(
    title="False positive rate",
    better="low",
    formula=r"\frac{|\{d : \neg\mathrm{rel}_d, s_d > t\}|}{|\{d : \neg\mathrm{rel}_d\}|}",
    source=_FAWCETT,
    nothing_returned="undefined",
    nothing_relevant="by the formula",
    undefined="every judged document with a score is relevant",
)
def FPR(t: float = 0.5, rel: float = 1) -> pl.Expr:
    """The share of the non-relevant documents whose score exceeds t; lower is better.

    From 0 to 1; undefined where no non-relevant document has a score.

    >>> score(FPR(t=2), [1, 0, 1, 0])  # scores 4, 3, 2, 1
    0.5
    """
    others = scored().sum() - _n_relevant(rel)
    return pl.when(others > 0).then((_n_predicted(t) - _hits(t, rel)) / others)


@_at_threshold(
    title="Precision at a threshold",
    formula=r"\frac{|\{d : \mathrm{rel}_d, s_d > t\}|}{|\{d : s_d > t\}|}",
    source=_FAWCETT,
    aliases={"precision_score": {}},
)
def PrecisionAbove(t: float = 0.5, rel: float = 1) -> pl.Expr:
    """The share of the judged documents whose score exceeds t that are relevant.

    From 0 to 1; 0 where no score exceeds t. Unlike P, it ignores unjudged documents.

    >>> score(PrecisionAbove(t=1), [1, 0, 1, 1])  # scores 4, 3, 2, 1
    0.6666666666666666
    """
    return ratio(_hits(t, rel), _n_predicted(t))


@_at_threshold(
    title="F measure at a threshold",
    formula=r"\frac{(1+\beta^2) P R}{\beta^2 P + R}",
    source="Van Rijsbergen, Information Retrieval, 1979, chapter 7",
    aliases={"fbeta_score": {}, "f1_score": {}},
)
def FAbove(t: float = 0.5, beta: float = 1, rel: float = 1) -> pl.Expr:
    """The weighted harmonic mean of precision and recall at a threshold.

    From 0 to 1; 0 where no relevant document has a score above t. Recall weighs beta times as much
    as precision.

    >>> score(FAbove(t=2), [1, 0, 1, 0])  # scores 4, 3, 2, 1
    0.5
    """
    return f_measure(beta, _hits(t, rel), _n_relevant(rel), _n_predicted(t))


def _n_predicted(t: float) -> pl.Expr:
    return (column(SCORE) > t).sum().cast(pl.Float64)


def _n_relevant(rel: float) -> pl.Expr:
    return (relevant(rel) & scored()).sum().cast(pl.Float64)


def _hits(t: float, rel: float) -> pl.Expr:
    return (relevant(rel) & (column(SCORE) > t)).sum().cast(pl.Float64)
