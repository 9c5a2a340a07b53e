"""Measures of pairs: whether the document of the higher grade has the higher score.

They ask how a system scores, not how it ranks, and look at judged documents with a score alone: the
unjudged and the unreturned are left out, and the order of equal scores never matters. `Scored` says
which share of the judged documents has a score. (`Accuracy` is the exception: it reads the list,
unjudged documents included, as ir_measures does.)

A pair counts where the two grades differ. It is concordant if the higher grade has the higher
score, discordant if it has the lower, and tied if the scores are equal. Grades are compared as they
stand, negative ones too: a document of grade -1 is worse than one of grade 0.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from rankreport.frames import RELEVANCE, SCORE, TIE_FIRST, TIE_LAST
from rankreport.measures._prepared import Column, Numbers, each_row, prepared
from rankreport.measures._terms import (
    found,
    n_found,
    n_returned,
    rank,
    relevant,
    retrieved,
    scored,
    total,
)
from rankreport.measures.declare import measure
from rankreport.measures.parameters import require

__all__ = ["AUC", "GAUC", "Accuracy", "PairAcc", "PairRatio", "PooledAUC", "Tau"]

Tied = Literal["half", "wrong"]

_KENDALL = "Kendall, The treatment of ties in ranking problems, Biometrika 1945"
_HANLEY = "Hanley and McNeil, Radiology 1982"
_ONE_CLASS = "no relevant document, or no other, has a score"


@measure(
    title="Pair ratio",
    family="pairs",
    formula=r"C / D",
    source="Concordant and discordant pairs as in Joachims, KDD 2002",
    range=(0, None),
    aggregate="pooled",
    nothing_returned="undefined",
    nothing_relevant="by the formula",
    undefined="no two scored documents differ in both grade and score",
    moves="none",
)
def PairRatio() -> pl.Expr:
    """How many pairs of differently graded documents are in the right order for each in the wrong.

    From 0; 1 is what chance gives, infinity a query without a wrong pair. Pairs of equal scores are
    in neither. A system's value is the ratio of the pairs of all its queries, each pair being of
    one query.

    >>> score(PairRatio, [1, 3, 2])
    0.5
    """
    right, wrong = _concordant(), _discordant()
    return pl.when(right + wrong > 0).then(right / wrong)


@measure(
    title="Pair accuracy",
    family="pairs",
    formula=r"\frac{C + T/2}{C + D + T}",
    source="1 less the share of exchanged pairs: Cohen, Schapire and Singer, JAIR 1999",
    nothing_returned="undefined",
    nothing_relevant="by the formula",
    undefined="no two scored documents differ in grade",
    moves="none",
)
def PairAcc(tied: Tied = "half") -> pl.Expr:
    """The share of the pairs of differently graded documents that the scores put in order.

    From 0 to 1, where chance gives 0.5. A pair of equal scores counts half (``tied="half"``), or as
    wrong (``"wrong"``: 1 less scikit-learn's ranking loss). On grades 0 and 1 it is the AUC.

    >>> round(score(PairAcc, [1, 3, 2]), 6)
    0.333333
    """
    right, pairs = _concordant(), _pairs()
    if tied == "half":
        right += (pairs - right - _discordant()) / 2
    return pl.when(pairs > 0).then(right / pairs)


@measure(
    title="Kendall's tau-b",
    family="pairs",
    formula=r"\frac{C - D}{\sqrt{(C + D + T)(C + D + T_g)}}",
    source=_KENDALL,
    range=(-1, 1),
    nothing_returned="undefined",
    nothing_relevant="by the formula",
    undefined="all scored documents have one grade or one score",
    moves="none",
    aliases={"kendalltau": {}, "kendall_tau": {}},
)
def Tau() -> pl.Expr:
    r"""How far the scores put the documents in the order of their grades: a correlation.

    From -1 (reversed) to 1 (the same order), 0 if neither. Equal scores and equal grades are
    allowed for: T and T_g count the pairs that only the scores, and only the grades, leave tied.

    >>> round(score(Tau, [1, 3, 2]), 6)
    -0.333333
    """
    by_score = _differing(pl.col(SCORE))
    both = _pairs() * by_score
    tau = (_concordant() - _discordant()) / both.sqrt()
    return pl.when(both > 0).then(tau.clip(-1.0, 1.0))


@measure(
    title="Area under the ROC curve",
    family="pairs",
    formula=r"\frac{C + T/2}{n_\mathrm{rel} \, n_\mathrm{other}}",
    source=_HANLEY,
    nothing_returned="undefined",
    nothing_relevant="undefined",
    undefined=_ONE_CLASS,
    moves="none",
    aliases={"roc_auc": {}, "roc_auc_score": {}},
)
def AUC(rel: float = 1) -> pl.Expr:
    """The chance that a relevant document has a higher score than one that is not relevant.

    From 0 to 1, where a score without meaning gives 0.5; equal scores count half. The mean over
    queries gives each the same weight: see GAUC and PooledAUC.

    >>> score(AUC, [1, 0, 1, 0])
    0.75
    """
    positive = relevant(rel) & scored
    n_positive = positive.sum().cast(pl.Float64)
    n_negative = pl.col(SCORE).count() - n_positive
    # Ranks from below, the mean of its block for each; their sum is whole or a half, so exact.
    from_below = pl.col(SCORE).rank("average").filter(positive).sum()
    wins = from_below - n_positive * (n_positive + 1) / 2
    both = n_positive * n_negative
    return pl.when(both > 0).then(wins / both)


@measure(
    title="Grouped area under the ROC curve",
    family="pairs",
    formula=r"\frac{\sum_q w_q \, \mathrm{AUC}_q}{\sum_q w_q}",
    source="Zhu et al., KDD 2017 (Optimized cost per click in Taobao display advertising)",
    aggregate="weighted",
    weight=retrieved,
    nothing_returned="undefined",
    nothing_relevant="undefined",
    undefined=_ONE_CLASS,
    moves="none",
)
def GAUC(rel: float = 1) -> pl.Expr:
    """The AUC of each query, averaged with the number of results shown for it as weight.

    From 0 to 1. Usual in advertising and recommendation, where a group is a user or a page view. It
    does not ask whether scores can be compared between queries: PooledAUC does.

    >>> score(GAUC, [1, 0, 1, 0])
    0.75
    """
    return AUC.declaration.formulate(rel)


@measure(
    title="Pooled area under the ROC curve",
    family="pairs",
    formula=r"\frac{C + T/2}{n_\mathrm{rel} \, n_\mathrm{other}}, \text{ over all queries}",
    source=_HANLEY,
    aggregate="pooled",
    nothing_returned="undefined",
    nothing_relevant="undefined",
    undefined=_ONE_CLASS,
    moves="none",
)
def PooledAUC(rel: float = 1) -> pl.Expr:
    """The AUC of the documents of all queries at once, as if they were one query's.

    From 0 to 1. For scores that mean the same in every query, such as probabilities of a click; a
    score that is good within queries may still do badly. For one query it is the AUC.

    >>> score(PooledAUC, [1, 0, 1, 0])
    0.75
    """
    return AUC.declaration.formulate(rel)


def _expected_accuracy(k: int | None = None, rel: float = 1) -> pl.Expr:
    require(
        k is None,
        "its mean over the orders of equal scores is not known with a cut-off. "
        "Leave out the cut-off, or use ties='trec'.",
    )
    mean_place = (pl.col(TIE_FIRST).cast(pl.Float64) + pl.col(TIE_LAST)) / 2
    return _accuracy(mean_place, k, rel)


@measure(
    title="Accuracy of the pairs returned",
    family="pairs",
    formula=r"1 - \frac{\sum_{j=1}^{m} (r_j - j)}{m (\min(k, n_\mathrm{ret}) - m)}",
    source="ir_measures",
    nothing_returned="undefined",
    nothing_relevant="undefined",
    undefined="no relevant document, or no other, ranks above the cut",
    expected=_expected_accuracy,
)
def Accuracy(k: int | None = None, rel: float = 1) -> pl.Expr:
    """The probability that a relevant document ranks above another one, of those above the cut.

    From 0 to 1. Unlike the AUC it reads the list: unjudged documents count as not relevant, and
    equal scores are ordered by the tie rule. Documents that were not returned do not count, so use
    it to compare training with validation, not systems.

    >>> score(Accuracy, [1, None, 1, 0])
    0.75
    """
    return _accuracy(rank.cast(pl.Float64), k, rel)


def _accuracy(place: pl.Expr, k: int | None, rel: float) -> pl.Expr:
    relevant_ones = n_found(rel, k).cast(pl.Float64)
    others = n_returned(k) - relevant_ones
    # Documents above the j-th relevant one, minus the j - 1 relevant ones there.
    above = total(place.filter(found(rel, k))) - relevant_ones * (relevant_ones + 1) / 2
    pairs = relevant_ones * others
    return pl.when(pairs > 0).then(1.0 - above / pairs)


def _concordant() -> pl.Expr:
    return prepared(_lower_with_lower_score).sum()


def _discordant() -> pl.Expr:
    return prepared(_lower_with_higher_score).sum()


def _pairs() -> pl.Expr:
    """How many pairs of scored documents of one query differ in grade."""
    return prepared(_lower).sum()


# Each pair is counted at the document of the higher grade, so that the counts of several queries
# add up to the counts of all. They are whole numbers: their sums are exact in any order.


def _lower() -> pl.Expr:
    grade = pl.when(scored).then(pl.col(RELEVANCE))
    return (grade.rank("min") - 1).cast(pl.Float64)


def _lower_with_lower_score() -> pl.Expr:
    return each_row(_n_lower_in_both, RELEVANCE, SCORE)


def _lower_with_higher_score() -> pl.Expr:
    return each_row(_n_lower_in_both, RELEVANCE, -pl.col(SCORE))


def _differing(values: pl.Expr) -> pl.Expr:
    """How many pairs of the query's values differ."""
    return (values.rank("min") - 1).cast(pl.Float64).sum()


def _n_lower_in_both(grades: Column, scores: Column) -> Column:
    """For each document with a score, how many have a lower grade and a lower score; else 0."""
    counts = np.zeros(len(scores))
    rows = np.flatnonzero(~np.isnan(scores))
    count = _each_with_each if len(rows) <= _FEW else _bit_by_bit
    counts[rows] = count(grades[rows], scores[rows])
    return counts


_FEW = 300
"""Up to so many documents, a table of all pairs is the faster way to count."""


def _each_with_each(grades: Column, scores: Column) -> Numbers:
    lower = (grades < grades[:, None]) & (scores < scores[:, None])
    counts: Numbers = np.count_nonzero(lower, axis=1)
    return counts


def _bit_by_bit(grades: Column, scores: Column) -> Numbers:
    """Count in the time of a few sorts (a wavelet matrix; Claude and Navarro, SPIRE 2012).

    The scores' places are split by their bits, the highest first, into zeros and then ones, each in
    the order of the grades. For each document, two positions mark where those of lower grade begin
    and end whose places agree with its own so far; those that fall behind it at a bit are lower.
    """
    by_grade = np.argsort(grades, kind="stable")
    own = np.unique(scores[by_grade], return_inverse=True)[1]
    start = np.zeros_like(own)
    end = np.searchsorted(grades[by_grade], grades[by_grade])
    lower = np.zeros_like(own)
    split = own
    for bit in reversed(range(int(own.max()).bit_length())):
        one = (split >> bit & 1).astype(bool)
        zeros_before = np.concatenate([[0], np.cumsum(~one)])
        first, last = zeros_before[start], zeros_before[end]
        own_is_one = (own >> bit & 1).astype(bool)
        lower += np.where(own_is_one, last - first, 0)
        start = np.where(own_is_one, zeros_before[-1] + start - first, first)
        end = np.where(own_is_one, zeros_before[-1] + end - last, last)
        split = np.concatenate([split[~one], split[one]])
    counts = np.empty_like(lower)
    counts[by_grade] = lower
    return counts
