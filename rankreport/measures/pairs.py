"""Pair measures: whether the document with the higher grade has the higher score.

They compare scores, not ranks, and use judged documents with a score only: unjudged and unreturned
documents are left out, and the order of equal scores does not matter. `Scored` is the share of the
judged documents that have a score. `Accuracy` is an exception: it uses the ranked list, including
unjudged documents, as in ir_measures.

A pair counts if the two grades differ. It is concordant if the higher grade has the higher score,
discordant if it has the lower score, and tied if the scores are equal. Negative grades are compared
as they are: grade -1 is worse than grade 0.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
import polars as pl

from rankreport.frames import RELEVANCE, SCORE
from rankreport.measures._columns import column
from rankreport.measures._orders import is_over_orders, linear, place
from rankreport.measures._prepared import Column, Numbers, each_query, each_row, prepared
from rankreport.measures._terms import (
    NoRelevant,
    found,
    n_found,
    n_returned,
    relevant,
    retrieved,
    scored,
    settled,
    share,
    total,
    within,
)
from rankreport.measures.declare import measure
from rankreport.measures.parameters import require

__all__ = [
    "AUC",
    "GAUC",
    "LRAP",
    "OPA",
    "Accuracy",
    "CoverageError",
    "PairAcc",
    "PairRatio",
    "PooledAUC",
    "Tau",
]

Tied = Literal["half", "wrong"]
OneClass = Literal["undefined", "valued"]

_KENDALL = "Kendall, The treatment of ties in ranking problems, Biometrika 1945"
_HANLEY = "Hanley and McNeil, Radiology 1982"
_ONE_CLASS = "no relevant document, or no other, has a score"


_of_pairs = partial(measure, family="pairs", nothing_returned="undefined", moves="none")


@_of_pairs(
    title="Pair ratio",
    formula=r"C / D",
    source="Concordant and discordant pairs as in Joachims, KDD 2002",
    range=(0, None),
    aggregate="pooled",
    nothing_relevant="by the formula",
    undefined="no two scored documents differ in both grade and score",
)
def PairRatio() -> pl.Expr:
    """The number of concordant pairs of documents divided by the number of discordant pairs.

    From 0; 1 is chance, infinity means no discordant pair. Tied pairs are not counted. A system's
    value is the ratio over the pairs of all queries; both documents of a pair are from one query.

    >>> score(PairRatio, [1, 3, 2])
    0.5
    """
    right, wrong = _concordant(), _discordant()
    return pl.when(right + wrong > 0).then(right / wrong)


@_of_pairs(
    title="Pair accuracy",
    formula=r"\frac{C + T/2}{C + D + T}",
    source="1 less the share of exchanged pairs: Cohen, Schapire and Singer, JAIR 1999",
    nothing_relevant="by the formula",
    undefined="no two scored documents differ in grade",
)
def PairAcc(tied: Tied = "half") -> pl.Expr:
    """The share of the pairs of documents with different grades that the scores order correctly.

    From 0 to 1, where chance gives 0.5. A tied pair counts half (``tied="half"``) or as wrong
    (``"wrong"``: 1 minus scikit-learn's ranking loss). On grades 0 and 1 it is the AUC.

    >>> round(score(PairAcc, [1, 3, 2]), 6)
    0.333333
    """
    right, pairs = _concordant(), _pairs()
    if tied == "half":
        right += (pairs - right - _discordant()) / 2
    return pl.when(pairs > 0).then(right / pairs)


@_of_pairs(
    title="Ordered pair accuracy",
    formula=r"\frac{\sum_q C_q}{\sum_q (C_q + D_q + T_q)}",
    source="TensorFlow Ranking's OPAMetric",
    aggregate="pooled",
    nothing_relevant="by the formula",
    undefined="no two scored documents differ in grade",
    aliases={"ordered_pair_accuracy": {}},
)
def OPA() -> pl.Expr:
    """The share of the pairs of all queries that the scores order correctly.

    From 0 to 1; tied pairs are wrong. For a query it is ``PairAcc(tied="wrong")``; a system's value
    is that of the pairs of all queries together, so that long lists weigh most.

    >>> round(score(OPA, [1, 3, 2]), 6)
    0.333333
    """
    return PairAcc.declaration.formulate(tied="wrong")


@_of_pairs(
    title="Kendall's tau-b",
    formula=r"\frac{C - D}{\sqrt{(C + D + T)(C + D + T_g)}}",
    source=_KENDALL,
    range=(-1, 1),
    nothing_relevant="by the formula",
    undefined="all scored documents have one grade or one score",
    aliases={"kendalltau": {}, "kendall_tau": {}},
)
def Tau() -> pl.Expr:
    r"""The rank correlation between scores and grades.

    From -1 (reversed) to 1 (the same order); 0 means no correlation. It is corrected for ties: T
    counts the pairs tied in scores only, T_g those tied in grades only.

    >>> round(score(Tau, [1, 3, 2]), 6)
    -0.333333
    """
    by_score = _differing(column(SCORE))
    both = _pairs() * by_score
    tau = (_concordant() - _discordant()) / both.sqrt()
    return pl.when(both > 0).then(tau.clip(-1.0, 1.0))


@_of_pairs(
    title="Area under the ROC curve",
    formula=r"\frac{C + T/2}{n_\mathrm{rel} \, n_\mathrm{other}}",
    source=_HANLEY,
    nothing_relevant="undefined",
    undefined=_ONE_CLASS,
    moves=lambda k=None, **_: "none" if k is None else "either",
    aliases={"roc_auc": {}, "roc_auc_score": {}},
)
def AUC(k: int | None = None, rel: float = 1, max_fpr: float | None = None) -> pl.Expr:
    """The probability that a relevant document has a higher score than a non-relevant one.

    From 0 to 1, where random scores give 0.5; equal scores count half. The mean gives all queries
    the same weight; for alternatives see GAUC and PooledAUC. With a cut-off, it is that of the
    judged documents among the first k (torchmetrics' RetrievalAUROC, which makes 0 of what is
    undefined). ``max_fpr`` takes the curve up to that false positive rate; the area is scaled so
    that chance still gives 0.5 (McClish, 1989; scikit-learn's ``roc_auc_score``).

    >>> score(AUC, [1, 0, 1, 0]), score(AUC @ 3, [1, 0, 1, 0])
    (0.75, 0.5)
    >>> round(score(AUC(max_fpr=0.5), [1, 0, 1, 0]), 6)  # an area of 1/4, of 1/8 to 1/2
    0.666667
    """
    scores = column(SCORE) if k is None else pl.when(within(k)).then(column(SCORE))
    if max_fpr is not None:
        require(0 < max_fpr <= 1, f"max_fpr={max_fpr} must lie between 0 and 1.")
        return each_query(partial(_partial_area, rel=rel, max_fpr=max_fpr), RELEVANCE, scores)
    positive = relevant(rel) & scores.is_not_null()
    n_positive = positive.sum().cast(pl.Float64)
    n_negative = scores.count() - n_positive
    # Average ranks from below: their sum is a multiple of a half, so exact.
    from_below = scores.rank("average").filter(positive).sum()
    wins = from_below - n_positive * (n_positive + 1) / 2
    both = n_positive * n_negative
    return pl.when(both > 0).then(wins / both)


def _partial_area(grades: Column, scores: Column, *, rel: float, max_fpr: float) -> float | None:
    known = ~np.isnan(scores)
    positive = grades[known] >= rel
    if positive.all() or not positive.any():
        return None
    # One step of the curve for each score, the highest first.
    step = np.unique(-scores[known], return_inverse=True)[1]
    tpr, fpr = (
        np.concatenate([[0.0], np.cumsum(np.bincount(step, weights=of))]) / of.sum()
        for of in (positive, ~positive)
    )
    n = int(np.count_nonzero(fpr <= max_fpr))
    reached = np.interp(max_fpr, fpr[n - 1 : n + 1], tpr[n - 1 : n + 1])
    area = np.trapezoid(np.append(tpr[:n], reached), np.append(fpr[:n], max_fpr))
    by_chance = max_fpr**2 / 2
    return float(0.5 + 0.5 * (area - by_chance) / (max_fpr - by_chance))


@_of_pairs(
    title="Label ranking average precision",
    formula=r"\frac{1}{n_\mathrm{rel}} \sum_{\mathrm{rel}_i}"
    r" \frac{|\{j : \mathrm{rel}_j, s_j \ge s_i\}|}{|\{j : s_j \ge s_i\}|}",
    source="scikit-learn's label_ranking_average_precision_score",
    nothing_returned=0.0,
    aliases={"label_ranking_average_precision_score": {"no_relevant": "one"}},
    normalised=True,
)
def LRAP(rel: float = 1, no_relevant: NoRelevant = "given") -> pl.Expr:
    """The mean of the precisions at the scores of the relevant documents.

    From 0 to 1; 0 where nothing is relevant, or 1 with ``no_relevant="one"`` as in scikit-learn.
    Without equal scores and unjudged documents it is ``AP(over="returned")``. Documents of equal
    score all have the last of their ranks.

    >>> score(LRAP, [0, 1, 1, 0])  # (1/2 + 2/3) / 2
    0.5833333333333333
    """
    positive = relevant(rel) & scored()
    hits = pl.when(positive).then(column(SCORE)).rank("max", descending=True)
    precisions = hits / column(SCORE).rank("max", descending=True)
    return settled(share(total(precisions.filter(positive)), positive.sum()), no_relevant)


@_of_pairs(
    title="Coverage error",
    better="low",
    formula=r"\max_{\mathrm{rel}_i} |\{j : s_j \ge s_i\}|",
    source="scikit-learn's coverage_error",
    range=(0, None),
    undefined="no relevant document has a score",
    aliases={"coverage_error": {}},
)
def CoverageError(rel: float = 1) -> pl.Expr:
    """How far down one has to go to see all relevant documents; lower is better.

    The rank of the last relevant document among the judged ones with a score, equal scores having
    the last of their ranks; 0 where nothing is relevant, as in scikit-learn. The least possible
    value is the number of relevant documents.

    >>> score(CoverageError, [0, 1, 1, 0])
    3.0
    """
    lowest = column(SCORE).filter(relevant(rel)).min()
    seen = (column(SCORE) >= lowest).sum()
    return pl.when(lowest.is_not_null() | ~relevant(rel).any()).then(seen)


@_of_pairs(
    title="Grouped area under the ROC curve",
    formula=r"\frac{\sum_q w_q \, \mathrm{AUC}_q}{\sum_q w_q}",
    source="Zhu et al., KDD 2017 (Optimized cost per click in Taobao display advertising)",
    aggregate="weighted",
    weight=retrieved(),
    nothing_relevant="undefined",
    undefined=_ONE_CLASS,
)
def GAUC(rel: float = 1) -> pl.Expr:
    """The mean of the AUC over queries, weighted by the number of results of each query.

    From 0 to 1. Common in advertising and recommendation, where a group is a user or a page view.
    Unlike PooledAUC, it does not compare scores between queries.

    >>> score(GAUC, [1, 0, 1, 0])
    0.75
    """
    return AUC.declaration.formulate(rel=rel)


@_of_pairs(
    title="Pooled area under the ROC curve",
    formula=r"\frac{C + T/2}{n_\mathrm{rel} \, n_\mathrm{other}}, \text{ over all queries}",
    source=_HANLEY,
    aggregate="pooled",
    nothing_relevant="undefined",
    undefined=_ONE_CLASS,
)
def PooledAUC(rel: float = 1) -> pl.Expr:
    """The AUC of the documents of all queries together.

    From 0 to 1. For scores that are comparable between queries, such as click probabilities. Scores
    that rank well within queries may still have a low value. For one query it is the AUC.

    >>> score(PooledAUC, [1, 0, 1, 0])
    0.75
    """
    return AUC.declaration.formulate(rel=rel)


@linear(
    _of_pairs,
    title="Accuracy of the pairs returned",
    moves="either",
    formula=r"1 - \frac{\sum_{j=1}^{m} (r_j - j)}{m (\min(k, n_\mathrm{ret}) - m)}",
    source="ir_measures",
    nothing_relevant="undefined",
    undefined="no relevant document, or no other, ranks above the cut",
)
def Accuracy(k: int | None = None, rel: float = 1, one_class: OneClass = "undefined") -> pl.Expr:
    """The probability that a relevant document ranks above a non-relevant one within the cut-off.

    From 0 to 1. Unlike AUC it uses the ranked list: unjudged documents count as not relevant, and
    equal scores are ordered by the tie rule. Documents that were not returned do not count, so use
    it to compare training with validation, not to compare systems. With ``one_class="valued"``, it
    is 1 where all of the documents are relevant and 0 where none is, as in RePlay's RocAuc.

    >>> score(Accuracy, [1, None, 1, 0]), score(Accuracy(one_class="valued") @ 2, [0, 0, 1])
    (0.75, 0.0)
    """
    is_over_orders(without=k is not None, of="a cut-off")
    relevant_ones = n_found(rel, k).cast(pl.Float64)
    others = n_returned(k) - relevant_ones
    # Documents above the j-th relevant one, minus the j - 1 relevant ones there.
    ranks = total(place().cast(pl.Float64).filter(found(rel, k)))
    above = ranks - relevant_ones * (relevant_ones + 1) / 2
    pairs = relevant_ones * others
    of_one = (relevant_ones > 0).cast(pl.Float64) if one_class == "valued" else None
    return pl.when(pairs > 0).then(1.0 - above / pairs).otherwise(of_one)


def _concordant() -> pl.Expr:
    return prepared(_lower_with_lower_score).sum()


def _discordant() -> pl.Expr:
    return prepared(_lower_with_higher_score).sum()


def _pairs() -> pl.Expr:
    """Return the number of pairs of scored documents with different grades."""
    return prepared(_lower).sum()


# Each pair is counted at the document with the higher grade, so that counts of several queries add
# up. Counts are whole numbers: their sums are exact in any order.


def _lower() -> pl.Expr:
    grade = pl.when(scored()).then(column(RELEVANCE))
    return (grade.rank("min") - 1).cast(pl.Float64)


def _lower_with_lower_score() -> pl.Expr:
    return each_row(_n_lower_in_both, column(RELEVANCE), column(SCORE))


def _lower_with_higher_score() -> pl.Expr:
    return each_row(_n_lower_in_both, column(RELEVANCE), -column(SCORE))


def _differing(values: pl.Expr) -> pl.Expr:
    """Return the number of pairs of different values."""
    return (values.rank("min") - 1).cast(pl.Float64).sum()


def _n_lower_in_both(grades: Column, scores: Column) -> Column:
    """Count, for each document with a score, those with a lower grade and a lower score."""
    counts = np.zeros(len(scores))
    rows = np.flatnonzero(~np.isnan(scores))
    count = _each_with_each if len(rows) <= _FEW else _half_by_half
    counts[rows] = count(grades[rows], scores[rows])
    return counts


_FEW = 300
"""Up to this number of documents, comparing all pairs is faster."""


def _each_with_each(grades: Column, scores: Column) -> Numbers:
    lower = (grades < grades[:, None]) & (scores < scores[:, None])
    counts: Numbers = np.count_nonzero(lower, axis=1)
    return counts


def _half_by_half(grades: Column, scores: Column) -> Numbers:
    """Count the lower half of the grades against the upper one, then within each half."""
    counts = np.zeros(len(grades), dtype=np.int64)
    level = np.unique(grades, return_inverse=True)[1]
    parts = [np.arange(len(grades))]
    while parts:
        rows = parts.pop()
        is_upper = level[rows] >= (level[rows].min() + level[rows].max() + 1) // 2
        lower, upper = rows[~is_upper], rows[is_upper]
        if len(lower):
            counts[upper] += np.searchsorted(np.sort(scores[lower]), scores[upper])
            parts += [lower, upper]
    return counts
