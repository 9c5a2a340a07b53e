"""Measures at a threshold of the score: a system read as a classifier.

A document counts as predicted relevant when its score exceeds ``t``. Like measures of pairs, these
look at judged documents with a score alone (`Scored` says which share that is), and the
order of equal scores never matters. Where nothing is predicted or nothing is relevant, the shares
of relevant documents are 0, as P and R are and as scikit-learn has it; only the false positive
rate is undefined where it would be 0 / 0, since 0 is its best value.
"""

from __future__ import annotations

import polars as pl

from rankreport.frames import SCORE
from rankreport.measures._terms import f_measure, ratio, relevant, scored
from rankreport.measures.declare import measure

__all__ = ["FPR", "TPR", "FAbove", "PrecisionAbove"]

_FAWCETT = "Fawcett, An introduction to ROC analysis, Pattern Recognition Letters 2006"


@measure(
    title="True positive rate",
    family="thresholds",
    formula=r"\frac{|\{d : \mathrm{rel}_d, s_d > t\}|}{|\{d : \mathrm{rel}_d\}|}",
    source=_FAWCETT,
    moves="none",
    aliases={"recall_score": {}, "RecallAbove": {}, "sensitivity": {}},
)
def TPR(t: float = 0.5, rel: float = 1) -> pl.Expr:
    """The share of the relevant documents whose score exceeds t: recall at a threshold.

    From 0 to 1; 0 where no relevant document has a score. Unlike R, it knows nothing of relevant
    documents that were not returned.

    >>> score(TPR(t=2), [1, 0, 1, 1])  # scores 4, 3, 2, 1
    0.3333333333333333
    """
    return ratio(_hits(t, rel), _n_relevant(rel))


@measure(
    title="False positive rate",
    family="thresholds",
    better="low",
    formula=r"\frac{|\{d : \neg\mathrm{rel}_d, s_d > t\}|}{|\{d : \neg\mathrm{rel}_d\}|}",
    source=_FAWCETT,
    nothing_returned="undefined",
    nothing_relevant="by the formula",
    undefined="every judged document with a score is relevant",
    moves="none",
    aliases={"fallout": {}},
)
def FPR(t: float = 0.5, rel: float = 1) -> pl.Expr:
    """The share of the documents that are not relevant whose score exceeds t: the lower the better.

    From 0 to 1; undefined where no such document has a score.

    >>> score(FPR(t=2), [1, 0, 1, 0])  # scores 4, 3, 2, 1
    0.5
    """
    others = scored.sum() - _n_relevant(rel)
    return pl.when(others > 0).then((_n_predicted(t) - _hits(t, rel)) / others)


@measure(
    title="Precision at a threshold",
    family="thresholds",
    formula=r"\frac{|\{d : \mathrm{rel}_d, s_d > t\}|}{|\{d : s_d > t\}|}",
    source=_FAWCETT,
    moves="none",
    aliases={"precision_score": {}},
)
def PrecisionAbove(t: float = 0.5, rel: float = 1) -> pl.Expr:
    """The share of the judged documents whose score exceeds t that are relevant.

    From 0 to 1; 0 where no score exceeds t. Unlike P, it leaves out unjudged documents.

    >>> score(PrecisionAbove(t=1), [1, 0, 1, 1])  # scores 4, 3, 2, 1
    0.6666666666666666
    """
    return ratio(_hits(t, rel), _n_predicted(t))


@measure(
    title="F measure at a threshold",
    family="thresholds",
    formula=r"\frac{(1+\beta^2) P R}{\beta^2 P + R}",
    source="Van Rijsbergen, Information Retrieval, 1979, chapter 7",
    moves="none",
    aliases={"fbeta_score": {}, "f1_score": {}},
)
def FAbove(t: float = 0.5, beta: float = 1, rel: float = 1) -> pl.Expr:
    """Precision and recall at a threshold in one number, recall weighing beta times as much.

    From 0 to 1; 0 where no relevant document has a score that exceeds t.

    >>> score(FAbove(t=2), [1, 0, 1, 0])  # scores 4, 3, 2, 1
    0.5
    """
    return f_measure(beta, _hits(t, rel), _n_relevant(rel), _n_predicted(t))


def _n_predicted(t: float) -> pl.Expr:
    return (pl.col(SCORE) > t).sum().cast(pl.Float64)


def _n_relevant(rel: float) -> pl.Expr:
    return (relevant(rel) & scored).sum().cast(pl.Float64)


def _hits(t: float, rel: float) -> pl.Expr:
    return (relevant(rel) & (pl.col(SCORE) > t)).sum().cast(pl.Float64)
