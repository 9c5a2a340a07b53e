"""Diversity: how much of what a query may mean the top of a list covers, and how soon.

The judgments are of *subtopics*: a document is relevant to each by itself. alpha-DCG, ERR-IA and
NRBP have one shape, ndeval's (Clarke et al., TREC Web tracks): each subtopic that a document is
relevant to adds ``1 - alpha`` to the power of how many documents above are relevant to it too,
discounted by the place. They differ in the discount: 1 / log2(rank + 1), 1 / rank, beta^(rank - 1).

- ``rel``: the lowest grade that makes a document relevant to a subtopic. Grades do not weigh.
- A subtopic to which no document is relevant is left out, as ndeval has it.
- ``norm``: whether the sum is divided by that of a list in which every document is relevant to
  every subtopic, which need not exist (ndeval's "ideal ideal"). alpha-nDCG, nERR-IA and nNRBP are
  divided by the sum of the query's ideal list instead. It is built greedily from all the judgments:
  at each place stands, of the documents that add most there, the one with the largest id. The very
  best list is hard to find, and may beat this one, though never by more than 58 in a hundred: a
  greedy choice reaches 1 - 1/e of the best (Nemhauser, Wolsey and Fisher, 1978).
- ``judged_only``: the documents that nobody judged are taken out of the list first.
"""

from __future__ import annotations

import math

import polars as pl

from rankreport.columns import SUBTOPIC
from rankreport.measures.declare import measure
from rankreport.measures.novelty import (
    above,
    gain_sum,
    ideal_sum,
    n_places,
    n_relevant_to_it,
    n_subtopics,
    normalised,
    place_of,
    times_seen,
)
from rankreport.measures.prepared import prepared
from rankreport.measures.terms import found, ratio, relevant, share, total

__all__ = [
    "AP_IA",
    "ERR_IA",
    "NRBP",
    "P_IA",
    "StRecall",
    "alpha_DCG",
    "alpha_nDCG",
    "nERR_IA",
    "nNRBP",
]

_CLARKE = "Clarke et al., SIGIR 2008; normalised as in ndeval of the TREC Web tracks"
_CHAPELLE = "Chapelle et al., Information Retrieval 2011; normalised as in ndeval"
_NRBP = "Clarke, Kolla and Vechtomova, ICTIR 2009; computed as in ndeval"
_AGRAWAL = "Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009; computed as in ndeval"
_OF_GREEDY = (0, math.e / (math.e - 1))


@measure(
    title="Alpha discounted cumulative gain",
    family="diversity",
    formula=r"\sum_{i=1}^{k} \frac{1}{\log_2(i+1)} \sum_{s \in d_i} (1-\alpha)^{c_{s,i-1}}",
    source=_CLARKE,
    range=(0, None),
    rows="subtopics",
    aliases={"alpha-DCG": {}, "\N{GREEK SMALL LETTER ALPHA}_DCG": {}},
)
def alpha_DCG(
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1,
    judged_only: bool = False,
    norm: bool = True,
) -> pl.Expr:
    """What the list gains a reader, a subtopic counting less each time it is met again.

    From 0 to 1, or without an upper bound under ``norm=False``, as in the paper: the sum itself.
    With alpha = 0 nothing is redundant, with alpha = 1 a subtopic counts once.

    >>> score(alpha_DCG(norm=False) @ 3, [{"a", "b"}, set(), {"a"}])  # 2 + 0.5 / log2(4)
    2.25
    """
    sums = gain_sum("log2", k, alpha, rel, judged_only=judged_only)
    return normalised(sums, "log2", k, alpha, rel, judged_only=judged_only) if norm else sums


@measure(
    title="Normalised discounted gain with novelty, \N{GREEK SMALL LETTER ALPHA}-nDCG",
    family="diversity",
    formula=r"\alpha\mathrm{DCG}@k \,/\, \max_\mathrm{greedy} \alpha\mathrm{DCG}@k",
    source=_CLARKE,
    range=_OF_GREEDY,
    rows="subtopics",
    aliases={"alpha-nDCG": {}, "\N{GREEK SMALL LETTER ALPHA}_nDCG": {}},
)
def alpha_nDCG(
    k: int | None = None, alpha: float = 0.5, rel: float = 1, judged_only: bool = False
) -> pl.Expr:
    """The gain from the top of the list, new subtopics first, as a share of an ideal list's.

    From 0; 1 is the value of the greedy ideal list, which few lists beat. 0 where nothing is
    relevant. The usual choice for judgments of subtopics.

    >>> score(alpha_nDCG, [{"a", "b"}, set(), {"c"}]), score(alpha_nDCG @ 1, [{"c"}, {"a", "b"}])
    (0.9502344167898358, 0.5)
    """
    sums = gain_sum("log2", k, alpha, rel, judged_only=judged_only)
    return ratio(sums, ideal_sum("log2", k, alpha, rel))


@measure(
    title="Intent-aware expected reciprocal rank",
    family="diversity",
    formula=r"\sum_{i=1}^{k} \frac{1}{i} \sum_{s \in d_i} (1-\alpha)^{c_{s,i-1}}",
    source=_CHAPELLE,
    range=(0, None),
    rows="subtopics",
    aliases={"ERR-IA": {}},
)
def ERR_IA(
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1,
    judged_only: bool = False,
    norm: bool = True,
) -> pl.Expr:
    """One over the place where a reader is expected to stop, over all that may have been meant.

    From 0 to 1, or without an upper bound under ``norm=False``. A relevant document satisfies with
    probability alpha (a factor that all sums share is left out).

    >>> score(ERR_IA(norm=False), [{"a", "b"}, {"a"}, {"c"}])  # 2 + 0.5 / 2 + 1 / 3
    2.5833333333333335
    """
    sums = gain_sum("reciprocal", k, alpha, rel, judged_only=judged_only)
    if not norm:
        return sums
    return normalised(sums, "reciprocal", k, alpha, rel, judged_only=judged_only)


@measure(
    title="Normalised intent-aware expected reciprocal rank",
    family="diversity",
    formula=r"\mathrm{ERR\text{-}IA}@k \,/\, \max_\mathrm{greedy} \mathrm{ERR\text{-}IA}@k",
    source=_CHAPELLE,
    range=_OF_GREEDY,
    rows="subtopics",
    aliases={"nERR-IA": {}},
)
def nERR_IA(
    k: int | None = None, alpha: float = 0.5, rel: float = 1, judged_only: bool = False
) -> pl.Expr:
    """How soon readers of every intent are expected to stop, as a share of an ideal list's.

    From 0; 1 is the value of the greedy ideal list, which few lists beat. 0 where nothing is
    relevant. The first places weigh more than in alpha-nDCG.

    >>> score(nERR_IA, [{"a"}, {"a"}, {"b"}])  # (1 + 0.5 / 2 + 1 / 3) / (1 + 1 / 2 + 0.5 / 3)
    0.95
    """
    sums = gain_sum("reciprocal", k, alpha, rel, judged_only=judged_only)
    return ratio(sums, ideal_sum("reciprocal", k, alpha, rel))


@measure(
    title="Novelty- and rank-biased precision",
    family="diversity",
    formula=r"\frac{1-(1-\alpha)\beta}{M} \sum_{i} \beta^{i-1} \sum_{s \in d_i}"
    r" (1-\alpha)^{c_{s,i-1}}",
    source=_NRBP,
    range=(0, None),
    rows="subtopics",
)
def NRBP(alpha: float = 0.5, beta: float = 0.5, rel: float = 1, norm: bool = True) -> pl.Expr:
    """The rate of news for a reader who goes on to the next document with probability beta.

    From 0 to 1, or without an upper bound under ``norm=False``: the sum itself. The whole list
    counts, its first documents most.

    >>> score(NRBP, [{"a", "b"}, {"a"}])  # (2 + 0.5 * 0.5) * (1 - 0.5 * 0.5) / 2
    0.84375
    """
    sums = gain_sum("geometric", None, alpha, rel, beta=beta)
    if not norm:
        return sums
    return share((1.0 - (1.0 - alpha) * beta) * sums, n_subtopics(rel))


@measure(
    title="Normalised novelty- and rank-biased precision",
    family="diversity",
    formula=r"\mathrm{NRBP} \,/\, \max_\mathrm{greedy} \mathrm{NRBP}",
    source=_NRBP,
    range=_OF_GREEDY,
    rows="subtopics",
)
def nNRBP(alpha: float = 0.5, beta: float = 0.5, rel: float = 1) -> pl.Expr:
    """The rate of news for a reader who stops early, as a share of an ideal list's.

    From 0; 1 is the value of the greedy ideal list, which few lists beat. 0 where nothing is
    relevant.

    >>> score(nNRBP, [{"a"}, {"b", "c"}])  # (1 + 2 * 0.5) / (2 + 1 * 0.5)
    0.8
    """
    sums = gain_sum("geometric", None, alpha, rel, beta=beta)
    return ratio(sums, ideal_sum("geometric", None, alpha, rel, beta=beta))


@measure(
    title="Intent-aware average precision",
    family="diversity",
    formula=r"\frac{1}{M} \sum_{s} \mathrm{AP}_s",
    source=_AGRAWAL,
    rows="subtopics",
    aliases={"MAP_IA": {}, "MAP-IA": {}},
)
def AP_IA(rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The mean over the subtopics of the average precision for each.

    From 0 to 1. A subtopic counts as much as any other, however many documents are relevant to it.

    >>> score(AP_IA, [{"a"}, {"b"}, {"a"}])  # ((1 + 2/3) / 2 + 1/2) / 2
    0.6666666666666666
    """
    place = prepared(place_of, judged_only=judged_only)
    met = prepared(times_seen, rel=rel) + 1.0
    each = met / place / prepared(n_relevant_to_it, rel=rel)
    return share(total(each.filter(found(rel, None))), n_subtopics(rel))


@measure(
    title="Intent-aware precision",
    family="diversity",
    formula=r"\frac{1}{M} \sum_{s} P_s@k",
    source=_AGRAWAL,
    rows="subtopics",
    aliases={"P-IA": {}},
)
def P_IA(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The mean over the subtopics of the share of the first k documents that are relevant to it.

    From 0 to 1, and 1 only if every document is relevant to every subtopic. Without a cut-off, the
    share of all the documents returned.

    >>> score(P_IA @ 2, [{"a", "b"}, {"a"}])  # (2/2 + 1/2) / 2
    0.75
    """
    hits = relevant(rel) & above(k, judged_only=judged_only)
    places = n_places(k, judged_only=judged_only).cast(pl.Float64)  # whole numbers would overflow
    return ratio(hits.sum(), places * n_subtopics(rel))


@measure(
    title="Subtopic recall",
    family="diversity",
    formula=r"\frac{1}{M} \bigl|\bigcup_{i=1}^{k} d_i\bigr|",
    source="Zhai, Cohen and Lafferty, SIGIR 2003; computed as in ndeval",
    rows="subtopics",
    aliases={"strec": {}, "S-recall": {}},
)
def StRecall(k: int | None = None, rel: float = 1) -> pl.Expr:
    """The share of the subtopics that any of the first k documents is relevant to.

    From 0 to 1; 0 where nothing is relevant.

    >>> score(StRecall @ 2, [{"a"}, {"a", "b"}], unreturned=[{"c", "d"}])
    0.5
    """
    met = pl.col(SUBTOPIC).filter(found(rel, k)).n_unique()
    return ratio(met, n_subtopics(rel))
