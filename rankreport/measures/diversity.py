"""Diversity measures: how many subtopics of a query a list covers, and how early.

Judgments are per *subtopic*: each row is a judgment of a document for a subtopic. alpha-DCG, ERR-IA
and NRBP follow ndeval (Clarke et al., TREC Web tracks). For each subtopic that it is relevant to, a
document gains ``(1 - alpha)^n``, where n is the number of documents above that are relevant to the
same subtopic. The gain is discounted by rank: by 1 / log2(rank + 1), 1 / rank or beta^(rank - 1).

- ``rel``: the lowest grade that makes a document relevant to a subtopic. Gains do not depend on the
  grade otherwise.
- Subtopics without relevant documents are left out, as in ndeval.
- ``norm``: whether the sum is divided by the sum of a hypothetical list in which every document is
  relevant to every subtopic (ndeval's "ideal ideal"). alpha-nDCG, nERR-IA and nNRBP divide by the
  sum of the query's ideal list instead. It is built greedily from all judgments: each rank takes
  the document with the largest gain, of equal ones the one with the largest id. Finding the best
  list is NP-hard; it exceeds the greedy one by at most 58 %, since a greedy choice reaches 1 - 1/e
  of the best (Nemhauser, Wolsey and Fisher, 1978).
- ``judged_only``: removes unjudged documents from the list first.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

import numpy as np
import polars as pl

from rankreport.frames import DOC_ID, SUBTOPIC
from rankreport.measures._attention import attention_of, summed_up_to
from rankreport.measures._prepared import Column, Numbers, each_row, prepared
from rankreport.measures._terms import (
    cut,
    found,
    rank,
    ratio,
    relevant,
    share,
    total,
    up_to,
    within,
)
from rankreport.measures.declare import measure
from rankreport.measures.parameters import require

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


Fading = Literal["log2", "reciprocal", "geometric"]
"""The discount: 1 / log2(rank + 1), 1 / rank, or a power of beta."""


Places = tuple[Numbers, Numbers]
"""Document numbers, and the rank of each."""


def gain_sum(
    fading: Fading,
    k: int | None,
    alpha: float,
    rel: float,
    *,
    beta: float = 0.5,
    judged_only: bool = False,
) -> pl.Expr:
    """Return the sum of the discounted gains of the documents within the cut-off."""
    require(0 <= alpha <= 1, f"alpha={alpha} must lie between 0 and 1.")
    require(0 <= beta < 1, f"beta={beta} must be 0 or more, and below 1.")
    of = {"fading": fading, "alpha": alpha, "beta": beta, "rel": rel}
    so_far = prepared(_gain_so_far, **of, judged_only=judged_only)
    return up_to(so_far, prepared(place_of, judged_only=judged_only), k)


def ideal_sum(
    fading: Fading, k: int | None, alpha: float, rel: float, *, beta: float = 0.5
) -> pl.Expr:
    """Return the sum for the greedy ideal list."""
    of = {"fading": fading, "alpha": alpha, "beta": beta, "rel": rel}
    place = prepared(_ideal_place, alpha=alpha, rel=rel)
    return up_to(prepared(_ideal_gain_so_far, **of), place, k)


def normalised(
    sums: pl.Expr,
    fading: Fading,
    k: int | None,
    alpha: float,
    rel: float,
    *,
    judged_only: bool,
) -> pl.Expr:
    """Divide by the sum of a list in which every document is relevant to every subtopic."""

    def gained(place: pl.Expr) -> pl.Expr:
        return (1.0 - alpha) ** (place - 1) * _kept(place, fading)

    of_each = summed_up_to(n_places(k, judged_only=judged_only), attention_of(gained))
    return share(sums, of_each * n_subtopics(rel))


def _kept(place: pl.Expr, fading: Fading, beta: float = 0.5) -> pl.Expr:
    """Return the discount factor at each rank."""
    if fading == "log2":
        return 1.0 / (place + 1).log(2.0)
    if fading == "reciprocal":
        return 1.0 / place
    return pl.lit(float(beta)) ** (place - 1)


def n_subtopics(rel: float) -> pl.Expr:
    """Return the number of subtopics with relevant documents."""
    return pl.col(SUBTOPIC).filter(relevant(rel)).n_unique()


def n_places(k: int | None, *, judged_only: bool) -> pl.Expr:
    """Return the length of the list that a measure uses."""
    if k is not None or not judged_only:
        return cut(k)
    return prepared(place_of, judged_only=judged_only).max().fill_null(0)


def above(k: int | None, *, judged_only: bool) -> pl.Expr:
    """Return whether each document ranks within the cut-off."""
    if k is None or not judged_only:
        return within(k)
    return (prepared(place_of, judged_only=True) <= k).fill_null(value=False)


def place_of(judged_only: bool) -> pl.Expr:
    """Return each document's rank in the list, or in the condensed list."""
    return (rank().rank("dense") if judged_only else rank()).cast(pl.Int64)


def times_seen(rel: float) -> pl.Expr:
    """Return, for each relevant row, how many documents above are relevant to its subtopic."""
    return each_row(_seen_before, relevant(rel), prepared(_subtopic_number), _row)


def n_relevant_to_it(rel: float) -> pl.Expr:
    """Return how many documents are relevant to the subtopic of each row, returned or not."""
    return each_row(_count_of_group, relevant(rel), prepared(_subtopic_number))


def _gain_so_far(
    fading: Fading, alpha: float, beta: float, rel: float, judged_only: bool
) -> pl.Expr:
    place = prepared(place_of, judged_only=judged_only)
    gained = _gain(prepared(times_seen, rel=rel), alpha, rel)
    return (gained * _kept(place, fading, beta)).cum_sum()


def _ideal_place(alpha: float, rel: float) -> pl.Expr:
    """Return each document's rank in the greedy ideal list; null if it is not relevant."""
    known: dict[tuple[int, bytes], Places] = {}  # the judgments of all systems are the same

    def greedy(hits: Column, subtopics: Column, documents: Column) -> Column:
        hit = hits > 0
        ids, of_each = documents.astype(np.int64), subtopics.astype(np.int64)
        n_numbers = int(of_each.max()) + 1
        pairs = np.sort(ids[hit] * n_numbers + of_each[hit])
        key = n_numbers, pairs.tobytes()
        if key not in known:
            known[key] = _greedy(pairs // n_numbers, pairs % n_numbers, 1.0 - alpha)
        place_of_id = np.full(int(ids.max()) + 1, np.nan)
        listed, places = known[key]
        place_of_id[listed] = places
        found: Column = place_of_id[ids]
        return found

    documents, subtopics = prepared(_document_number), prepared(_subtopic_number)
    return each_row(greedy, relevant(rel), subtopics, documents).fill_nan(None).cast(pl.Int64)


def _ideal_seen(alpha: float, rel: float) -> pl.Expr:
    """Return how many documents above each in the ideal list are relevant to its subtopic."""
    place = prepared(_ideal_place, alpha=alpha, rel=rel)
    return each_row(_seen_before, relevant(rel), prepared(_subtopic_number), place)


def _ideal_gain_so_far(fading: Fading, alpha: float, beta: float, rel: float) -> pl.Expr:
    place = prepared(_ideal_place, alpha=alpha, rel=rel)
    gained = _gain(prepared(_ideal_seen, alpha=alpha, rel=rel), alpha, rel)
    weighted = gained * _kept(place, fading, beta)
    return each_row(_running, weighted, place, prepared(_subtopic_number))


_row = pl.int_range(pl.len())


def _subtopic_number() -> pl.Expr:
    return pl.col(SUBTOPIC).rank("dense")


def _document_number() -> pl.Expr:
    """Number the documents in the order of their ids."""
    return pl.col(DOC_ID).rank("dense")


def _gain(seen: pl.Expr, alpha: float, rel: float) -> pl.Expr:
    """Return each document's gain for a subtopic that was seen ``seen`` times above it."""
    return pl.when(relevant(rel)).then(pl.lit(1.0 - alpha) ** seen).otherwise(0.0)


def _seen_before(hits: Column, subtopics: Column, order: Column) -> Column:
    """Count, for each hit, the hits of the same subtopic before it."""
    hit = np.flatnonzero(hits)
    rows = hit[np.lexsort((order[hit], subtopics[hit]))]
    of_each = subtopics[rows]
    seen = np.zeros(len(hits))
    seen[rows] = np.arange(len(rows)) - of_each.searchsorted(of_each)
    return seen


def _count_of_group(hits: Column, groups: Column) -> Column:
    """Count the hits in the group of each row."""
    numbers = groups.astype(np.int64)
    counts = np.bincount(numbers, weights=hits).astype(np.float64)
    of_each: Column = counts[numbers]
    return of_each


def _running(terms: Column, first: Column, second: Column) -> Column:
    """Return running totals of the positive terms, in the order of two columns."""
    some = np.flatnonzero(terms > 0)
    rows = some[np.lexsort((second[some], first[some]))]
    sums = np.zeros(len(terms))
    sums[rows] = np.cumsum(terms[rows])
    return sums


def _greedy(documents: Numbers, subtopics: Numbers, kept_when_seen: float) -> Places:
    """Order documents greedily by gain, equal gains by descending id.

    Parameters
    ----------
    documents, subtopics
        Pairs of a document and a subtopic that it is relevant to, by number.
    kept_when_seen
        The factor by which the gain of a subtopic falls each time that it is seen.

    Returns
    -------
    ids, places
        The documents, and the rank of each.
    """
    ids, row = np.unique(documents, return_inverse=True)
    if len(ids) == 0:
        return ids, ids
    about = np.zeros((len(ids), int(subtopics.max()) + 1))
    about[row, subtopics] = 1.0
    # Group documents by their set of subtopics: there are few such kinds.
    kinds, kind = np.unique(about, axis=0, return_inverse=True)
    left = [np.flatnonzero(kind.ravel() == number).tolist() for number in range(len(kinds))]
    largest = np.array([of_kind[-1] for of_kind in left])  # -1 once none is left
    gain_left = np.ones(about.shape[1])
    after = np.where(kinds > 0, kept_when_seen, 1.0)
    places = np.empty(len(ids), dtype=np.int64)
    for place in range(1, len(ids) + 1):
        gains = kinds @ gain_left
        # The tolerance allows for rounding errors between equal sums.
        best = int(np.where(gains > gains.max() - 1e-12, largest, -1).argmax())
        places[left[best].pop()] = place
        gain_left *= after[best]
        largest[best] = left[best][-1] if left[best] else -1
        if not left[best]:
            kinds[best] = 0.0
    return ids, places


_CLARKE = "Clarke et al., SIGIR 2008; normalised as in ndeval of the TREC Web tracks"
_CHAPELLE = "Chapelle et al., Information Retrieval 2011; normalised as in ndeval"
_NRBP = "Clarke, Kolla and Vechtomova, ICTIR 2009; computed as in ndeval"
_AGRAWAL = "Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009; computed as in ndeval"
_OF_GREEDY = (0, math.e / (math.e - 1))


_diversity = partial(measure, family="diversity", rows="subtopics")


@_diversity(
    title="Alpha discounted cumulative gain",
    formula=r"\sum_{i=1}^{k} \frac{1}{\log_2(i+1)} \sum_{s \in d_i} (1-\alpha)^{c_{s,i-1}}",
    source=_CLARKE,
    range=(0, None),
    aliases={"alpha-DCG": {}, "\N{GREEK SMALL LETTER ALPHA}_DCG": {}},
)
def alpha_DCG(
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1,
    judged_only: bool = False,
    norm: bool = True,
) -> pl.Expr:
    """The discounted gain of the list, where a subtopic counts less each time it is repeated.

    From 0 to 1, or the sum itself without an upper bound with ``norm=False``, as in the paper. With
    alpha = 0 repeated subtopics count in full, with alpha = 1 each subtopic counts once.

    >>> score(alpha_DCG(norm=False) @ 3, [{"a", "b"}, set(), {"a"}])  # 2 + 0.5 / log2(4)
    2.25
    """
    sums = gain_sum("log2", k, alpha, rel, judged_only=judged_only)
    return normalised(sums, "log2", k, alpha, rel, judged_only=judged_only) if norm else sums


@_diversity(
    title="Normalised discounted gain with novelty, \N{GREEK SMALL LETTER ALPHA}-nDCG",
    formula=r"\alpha\mathrm{DCG}@k \,/\, \max_\mathrm{greedy} \alpha\mathrm{DCG}@k",
    source=_CLARKE,
    range=_OF_GREEDY,
    aliases={"alpha-nDCG": {}, "\N{GREEK SMALL LETTER ALPHA}_nDCG": {}},
    normalised=True,
)
def alpha_nDCG(
    k: int | None = None, alpha: float = 0.5, rel: float = 1, judged_only: bool = False
) -> pl.Expr:
    """The discounted gain with novelty as a share of that of the greedy ideal list.

    From 0, where nothing is relevant, to 1 for the greedy ideal list; few lists exceed 1. The usual
    choice for subtopic judgments.

    >>> score(alpha_nDCG, [{"a", "b"}, set(), {"c"}]), score(alpha_nDCG @ 1, [{"c"}, {"a", "b"}])
    (0.9502344167898358, 0.5)
    """
    sums = gain_sum("log2", k, alpha, rel, judged_only=judged_only)
    return ratio(sums, ideal_sum("log2", k, alpha, rel))


@_diversity(
    title="Intent-aware expected reciprocal rank",
    formula=r"\sum_{i=1}^{k} \frac{1}{i} \sum_{s \in d_i} (1-\alpha)^{c_{s,i-1}}",
    source=_CHAPELLE,
    range=(0, None),
    aliases={"ERR-IA": {}},
)
def ERR_IA(
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1,
    judged_only: bool = False,
    norm: bool = True,
) -> pl.Expr:
    """The expected reciprocal rank at which a reader stops, over all subtopics.

    From 0 to 1, or without an upper bound with ``norm=False``. A relevant document satisfies with
    probability alpha (the common factor alpha is left out).

    >>> score(ERR_IA(norm=False), [{"a", "b"}, {"a"}, {"c"}])  # 2 + 0.5 / 2 + 1 / 3
    2.5833333333333335
    """
    sums = gain_sum("reciprocal", k, alpha, rel, judged_only=judged_only)
    if not norm:
        return sums
    return normalised(sums, "reciprocal", k, alpha, rel, judged_only=judged_only)


@_diversity(
    title="Normalised intent-aware expected reciprocal rank",
    formula=r"\mathrm{ERR\text{-}IA}@k \,/\, \max_\mathrm{greedy} \mathrm{ERR\text{-}IA}@k",
    source=_CHAPELLE,
    range=_OF_GREEDY,
    aliases={"nERR-IA": {}},
    normalised=True,
)
def nERR_IA(
    k: int | None = None, alpha: float = 0.5, rel: float = 1, judged_only: bool = False
) -> pl.Expr:
    """The intent-aware expected reciprocal rank as a share of that of the greedy ideal list.

    From 0, where nothing is relevant, to 1 for the greedy ideal list; few lists exceed 1. The first
    ranks weigh more than in alpha-nDCG.

    >>> score(nERR_IA, [{"a"}, {"a"}, {"b"}])  # (1 + 0.5 / 2 + 1 / 3) / (1 + 1 / 2 + 0.5 / 3)
    0.95
    """
    sums = gain_sum("reciprocal", k, alpha, rel, judged_only=judged_only)
    return ratio(sums, ideal_sum("reciprocal", k, alpha, rel))


@_diversity(
    title="Novelty- and rank-biased precision",
    formula=r"\frac{1-(1-\alpha)\beta}{M} \sum_{i} \beta^{i-1} \sum_{s \in d_i}"
    r" (1-\alpha)^{c_{s,i-1}}",
    source=_NRBP,
    range=(0, None),
)
def NRBP(alpha: float = 0.5, beta: float = 0.5, rel: float = 1, norm: bool = True) -> pl.Expr:
    """The rate of novel gain of a reader who goes on to the next document with probability beta.

    From 0 to 1, or the sum itself without an upper bound with ``norm=False``. The whole list
    counts, the first documents most.

    >>> score(NRBP, [{"a", "b"}, {"a"}])  # (2 + 0.5 * 0.5) * (1 - 0.5 * 0.5) / 2
    0.84375
    """
    sums = gain_sum("geometric", None, alpha, rel, beta=beta)
    if not norm:
        return sums
    return share((1.0 - (1.0 - alpha) * beta) * sums, n_subtopics(rel))


@_diversity(
    title="Normalised novelty- and rank-biased precision",
    formula=r"\mathrm{NRBP} \,/\, \max_\mathrm{greedy} \mathrm{NRBP}",
    source=_NRBP,
    range=_OF_GREEDY,
    normalised=True,
)
def nNRBP(alpha: float = 0.5, beta: float = 0.5, rel: float = 1) -> pl.Expr:
    """The rate of novel gain as a share of that of the greedy ideal list.

    From 0, where nothing is relevant, to 1 for the greedy ideal list; few lists exceed 1.

    >>> score(nNRBP, [{"a"}, {"b", "c"}])  # (1 + 2 * 0.5) / (2 + 1 * 0.5)
    0.8
    """
    sums = gain_sum("geometric", None, alpha, rel, beta=beta)
    return ratio(sums, ideal_sum("geometric", None, alpha, rel, beta=beta))


@_diversity(
    title="Intent-aware average precision",
    formula=r"\frac{1}{M} \sum_{s} \mathrm{AP}_s",
    source=_AGRAWAL,
    aliases={"MAP_IA": {}, "MAP-IA": {}},
    normalised=True,
)
def AP_IA(rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The mean over the subtopics of the average precision for each.

    From 0 to 1. All subtopics have the same weight, however many documents are relevant to them.

    >>> score(AP_IA, [{"a"}, {"b"}, {"a"}])  # ((1 + 2/3) / 2 + 1/2) / 2
    0.6666666666666666
    """
    place = prepared(place_of, judged_only=judged_only)
    met = prepared(times_seen, rel=rel) + 1.0
    each = met / place / prepared(n_relevant_to_it, rel=rel)
    return share(total(each.filter(found(rel, None))), n_subtopics(rel))


@_diversity(
    title="Intent-aware precision",
    formula=r"\frac{1}{M} \sum_{s} P_s@k",
    source=_AGRAWAL,
    aliases={"P-IA": {}},
)
def P_IA(k: int | None = None, rel: float = 1, judged_only: bool = False) -> pl.Expr:
    """The mean over the subtopics of the share of the first k documents that are relevant to it.

    From 0 to 1; 1 only if every document is relevant to every subtopic. Without a cut-off, the
    share of all documents returned.

    >>> score(P_IA @ 2, [{"a", "b"}, {"a"}])  # (2/2 + 1/2) / 2
    0.75
    """
    hits = relevant(rel) & above(k, judged_only=judged_only)
    places = n_places(k, judged_only=judged_only).cast(pl.Float64)  # whole numbers would overflow
    return ratio(hits.sum(), places * n_subtopics(rel))


@_diversity(
    title="Subtopic recall",
    formula=r"\frac{1}{M} \bigl|\bigcup_{i=1}^{k} d_i\bigr|",
    source="Zhai, Cohen and Lafferty, SIGIR 2003; computed as in ndeval",
    aliases={"strec": {}, "S-recall": {}},
    normalised=True,
)
def StRecall(k: int | None = None, rel: float = 1) -> pl.Expr:
    """The share of the subtopics covered by the first k documents.

    From 0 to 1; 0 where nothing is relevant.

    >>> score(StRecall @ 2, [{"a"}, {"a", "b"}], unreturned=[{"c", "d"}])
    0.5
    """
    met = pl.col(SUBTOPIC).filter(found(rel, k)).n_unique()
    return ratio(met, n_subtopics(rel))
