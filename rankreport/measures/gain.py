"""Gain measures: cumulative gain, its discounted and normalised forms.

Literature and tools define these measures in several ways; each is a parameter:

- ``gain``: ``"linear"``, the grade itself (Järvelin and Kekäläinen, TOIS 2002; trec_eval),
  ``"exp"``, 2^grade - 1 (Burges et al., ICML 2005), or ``"binary"``, 1 for every positive grade
  (most recommenders; in RBP, for every grade of at least ``rel``). They agree on grades 0 and 1. A
  negative grade gains 0.
- ``gains``: the gain of each grade, such as ``{1: 1, 2: 4, 3: 10}``. Grades that are not in the
  table gain as ``gain`` says, as in trec_eval. A higher grade may then gain less than a lower one,
  so with a table bounds over the orders of equal scores are not known.
- ``discount``: ``"log2"``, 1 / log2(rank + 1); ``"log"``, the same to another ``base``, which does
  not change nDCG (``log_base`` of scikit-learn and RecTools); or ``"jarvelin"``, none for ranks
  below ``base`` and 1 / log_base(rank) from there on, which differs from rank 2 on.
- ``ideal``: ``"judged"``, the best order of all judged documents, returned or not; ``"returned"``,
  the best order of the returned documents, then cut at k; ``"full"``, k documents of the highest
  grade in all judgments; ``"uncut"``, all judged documents regardless of k (Quepid); ``"length"``,
  as many of the best judged documents as the list has, k at most: what a list of this length can
  achieve (MLflow's ``ndcg_at_k``).
- ``judged_only``: removes unjudged documents from the list first.
- ``no_relevant`` (nDCG): the value where no document of the query has a positive grade, ``"zero"``
  or ``"one"`` (tools for learning to rank); ``"given"`` is what `rankreport.evaluate` is given.

The experimental measures of trec_eval (G, binG, RnDCG, nDCG_rel) were never published; their
formulae follow trec_eval 9.0.8 and 10.0. Use nDCG unless you must reproduce a value.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
import polars as pl

from rankreport.frames import N_RETRIEVED, RANK, RELEVANCE, TOP_GRADE
from rankreport.measures._attention import attention_of, summed_up_to
from rankreport.measures._columns import column
from rankreport.measures._gains import Discount, Gain, discounts, gains_of
from rankreport.measures._orders import at_rank, chance_within, is_over_orders, linear, place
from rankreport.measures._prepared import (
    Column,
    Numbers,
    each_query,
    highest_first,
    position,
    prepared,
    running,
)
from rankreport.measures._terms import (
    NoRelevant,
    cut,
    found,
    n_relevant,
    n_returned,
    place_in,
    rank,
    ratio,
    retrieved,
    settled,
    share,
    total,
    up_to,
    within,
)
from rankreport.measures.declare import Moves, measure
from rankreport.measures.parameters import GainTable, require

__all__ = ["ARP", "CG", "DCG", "G", "MeanRank", "RnDCG", "binG", "iDCG", "nDCG", "nDCG_rel"]


Ideal = Literal["judged", "returned", "full", "uncut", "length"]
"""Which documents the ideal list contains."""

_BOTH = "Järvelin and Kekäläinen, TOIS 2002; exponential gain: Burges et al., ICML 2005"


def moves_of_gain(gains: GainTable | None = None, **_: object) -> Moves:
    """Return ``"up"``, or ``"either"`` for a gain table, which need not rise with the grade."""
    return "either" if gains else "up"


_gain = partial(measure, family="gain", source=_BOTH, moves=moves_of_gain)
_linear = partial(linear, _gain)


@_linear(
    title="Cumulative gain",
    formula=r"\sum_{i=1}^{k} g_i",
    source="Järvelin and Kekäläinen, TOIS 2002",
    range=(0, None),
    aliases={"cg": {}},
)
def CG(k: int | None = None, gain: Gain = "linear", gains: GainTable | None = None) -> pl.Expr:
    """The sum of the gains of the documents within the cut-off, regardless of their order.

    From 0, without an upper bound. Use it to see how much was found before looking at the order.

    >>> score(CG @ 3, [3, 2, 3, 0, 1, 2])
    8.0
    """
    return total(gains_of(gain, gains) * chance_within(k))


@_linear(
    title="Discounted cumulative gain",
    formula=r"\sum_{i=1}^{k} g_i \, d(i)",
    range=(0, None),
    aliases={"dcg": {}, "dcg_burges": {"gain": "exp"}},
)
def DCG(
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
    gains: GainTable | None = None,
    judged_only: bool = False,
) -> pl.Expr:
    """The sum of the gains within the cut-off, discounted by rank.

    From 0, without an upper bound. Use nDCG to compare queries.

    >>> round(score(DCG, [3, 2, 3, 0, 1, 2]), 6)
    6.861127
    >>> round(score(DCG(gain="exp"), [5, 1, 3, 2, 4]), 6)
    42.225752
    >>> round(score(DCG(discount="log", base=10), [1, 1]), 6)  # 1 / log10(2) + 1 / log10(3)
    5.417831
    """
    discounts(pl.lit(1), discount, base)  # raises if base contradicts discount
    if is_over_orders():
        kept = at_rank(partial(discounts, discount=discount, base=base), k)
        return total(gains_of(gain, gains) * kept)
    so_far = prepared(
        _gain_so_far,
        gain=gain,
        discount=discount,
        base=base,
        gains=gains,
        judged_only=judged_only,
    )
    return up_to(so_far, place_in(judged_only), k)


@_gain(
    title="Ideal discounted cumulative gain",
    better="neither",
    formula=r"\max_{\pi} \sum_{i=1}^{k} g_{\pi(i)} \, d(i)",
    range=(0, None),
    nothing_returned="by the formula",
    moves="none",
    aliases={"idcg": {}, "ideal_dcg": {}},
)
def iDCG(
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
    ideal: Ideal = "judged",
    gains: GainTable | None = None,
) -> pl.Expr:
    """The highest possible DCG at the cut-off: the denominator of nDCG.

    From 0, without an upper bound.

    >>> round(score(iDCG @ 6, [3, 2, 3, 0, 1, 2], unreturned=[3, 0]), 6)
    8.384055
    >>> round(score(iDCG(gain="exp"), [5, 4, 3, 2, 1]), 6)
    45.642829
    """
    discounts(pl.lit(1), discount, base)  # raises if base contradicts discount
    if ideal == "full":
        require(k is not None, "ideal='full' means k documents of the highest grade: give a k.")
        best = gains_of(gain, gains, grade=column(TOP_GRADE)).first()
        at_place = attention_of(partial(discounts, discount=discount, base=base))
        return best * summed_up_to(cut(k), at_place)
    so_far = prepared(
        _ideal_gain_so_far, gain=gain, discount=discount, base=base, gains=gains, ideal=ideal
    )
    if ideal == "length":
        return so_far.head(n_returned(k)).last().fill_null(0.0)
    reached = so_far if k is None or ideal == "uncut" else so_far.head(k)
    return reached.last()


def _divides_by_its_own(*, ideal: Ideal = "judged", **_: object) -> bool:
    # The highest grade of all judgments is no matter of the query.
    return ideal != "full"


@_linear(
    title="Normalised discounted cumulative gain",
    formula=r"\mathrm{DCG}@k \,/\, \mathrm{iDCG}@k",
    aliases={
        "ndcg": {},
        "ndcg_cut": {},
        "ndcg_burges": {"gain": "exp"},
    },
    normalised=_divides_by_its_own,
)
def nDCG(
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
    ideal: Ideal = "judged",
    gains: GainTable | None = None,
    judged_only: bool = False,
    no_relevant: NoRelevant = "given",
) -> pl.Expr:
    """The discounted gain of the list as a share of the highest possible.

    From 0 to 1, where 1 is an ideal order; 0 where no document has a positive grade, or 1 with
    ``no_relevant="one"``. The usual choice for graded judgments.

    >>> round(score(nDCG @ 6, [3, 2, 3, 0, 1, 2], unreturned=[3, 0]), 6)
    0.818354
    >>> round(score(nDCG(ideal="returned") @ 6, [3, 2, 3, 0, 1, 2], unreturned=[3, 0]), 6)
    0.960808
    >>> score(nDCG(ideal="length") @ 6, [3, 2], unreturned=[1])
    1.0
    """
    dcg = DCG.declaration.formulate(k, gain, discount, base, gains, judged_only)
    idcg = iDCG.declaration.formulate(k, gain, discount, base, ideal, gains)
    return settled(share(dcg, idcg), no_relevant)


def _gain_so_far(
    gain: Gain, discount: Discount, base: float, gains: GainTable | None, judged_only: bool
) -> pl.Expr:
    place = prepared(place_in, judged_only=True) if judged_only else rank()
    return running(gains_of(gain, gains) * discounts(place, discount, base))


def _ideal_gain_so_far(
    gain: Gain, discount: Discount, base: float, gains: GainTable | None, ideal: Ideal
) -> pl.Expr:
    """Return the running DCG of the ideal list: up to its i-th document in row i."""
    gained = gains_of(gain, gains)
    if ideal == "returned":
        gained = pl.when(within(None)).then(gained)
    in_order = highest_first(gained).fill_null(0.0)
    return running(in_order * discounts(position(), discount, base))


_of_ranks = partial(
    _linear,
    formula=r"\frac{\sum_i g_i \, r_i}{\sum_i g_i}",
    range=(1, None),
    better="low",
    moves="either",
    nothing_returned="undefined",
    nothing_relevant="undefined",
    undefined="no document has a positive grade, or nothing was returned",
)


@_of_ranks(title="Mean rank of the relevant documents", source="ARPMetric of TensorFlow Ranking")
def MeanRank(gain: Gain = "linear") -> pl.Expr:
    """The mean rank of the relevant documents, weighted by their gains; lower is better.

    From 1. With ``gain="binary"``, all relevant documents weigh the same. A document that was not
    returned counts at the first rank below the list, the highest that it can have: compare lists of
    one length.

    >>> score(MeanRank, [0, 2, 1]), score(MeanRank(gain="binary"), [0, 2, 1])
    (2.3333333333333335, 2.5)
    """
    gained = gains_of(gain)
    places = place().fill_null(retrieved() + 1)
    defined = (gained > 0).any() & (retrieved() > 0)
    # Sorted, since documents that were not returned are in no order.
    summed, of_all = (total(each.sort()) for each in (gained * places, gained))
    return pl.when(defined).then(summed / of_all)


@_of_ranks(
    title="Average relevance position",
    source="ARPMetric of TensorFlow Ranking",
    aggregate="weighted",
    weight=column(RELEVANCE).clip(lower_bound=0.0).sum(),
    aliases={"average_relevance_position": {}},
)
def ARP() -> pl.Expr:
    """The mean rank of the relevant documents of all queries, weighted by grade; lower is better.

    From 1. For a query it is MeanRank; a system's value weights each query by the sum of its
    grades, so that every document counts by its grade alone.

    >>> score(ARP, [0, 2, 1])
    2.3333333333333335
    """
    return MeanRank.declaration.formulate()


_SOURCE = "Buckley, trec_eval, 2008: experimental"


_experimental = partial(measure, family="experimental", source=_SOURCE, normalised=True)


@_experimental(
    title="Gain by what was missed so far",
    formula=r"\frac{1}{\sum_j g^*_j} \sum_i"
    r" \frac{g_i}{\log_2(2 + \sum_{j \le i} \max(1, g^*_j) - g_j)}",
)
def G(gain: Gain = "linear", gains: GainTable | None = None) -> pl.Expr:
    """The gain, discounted by how much more an ideal list would have gained up to the same rank.

    From 0 to 1; 0 where no document has a positive gain. A document low in the list keeps its full
    gain if the list above it is ideal. The ideal list (g*) has all judged documents by descending
    gain; each of its ranks counts at least 1, also beyond its end. Negative grades gain 0.

    >>> round(score(G, [1, 0, 2]), 6)  # (1 / log2(3) + 2 / log2(3)) / 3
    0.63093
    """
    return each_query(_gain_by_missed, RANK, gains_of(gain, gains))


@_experimental(
    title="Binary gain by what was missed so far",
    formula=r"\frac{1}{n_\mathrm{rel}} \sum_i"
    r" \frac{\mathrm{rel}_i}{\log_2(2 + \sum_{j<i} 1 - \mathrm{rel}_j)}",
    moves="up",
)
def binG(rel: float = 1) -> pl.Expr:
    """The mean over relevant documents of a discount by the number of irrelevant ones above each.

    From 0 to 1; 0 where nothing is relevant. Unlike in nDCG, relevant documents above do not count
    in the discount. Unjudged documents count as irrelevant.

    >>> round(score(binG, [1, 0, 1]), 6)  # (1 + 1 / log2(3)) / 2
    0.815465
    """
    hits = found(rel, None)
    irrelevant_above = rank().filter(hits).cast(pl.Float64) - hits.cum_sum().filter(hits)
    return ratio(total(1.0 / (irrelevant_above + 2.0).log(2.0)), n_relevant(rel))


@_experimental(
    title="Mean nDCG where the ideal gain falls",
    formula=r"\frac{1}{|K|} \sum_{k \in K} \mathrm{nDCG}@k,"
    r"\quad K = \{k : g^*_k > g^*_{k+1}\} \cup \{n_\mathrm{ret}\}",
    moves=moves_of_gain,
    aliases={"Rndcg": {}},
)
def RnDCG(gain: Gain = "linear", gains: GainTable | None = None) -> pl.Expr:
    """The mean of nDCG at the ranks where the gain of an ideal list falls.

    From 0 to 1; 0 where no document has a positive gain. The ideal list (g*) has all judged
    documents by descending gain. The end of the returned list is added if it is more than one rank
    below the last positive gain of the ideal list. This is what trec_eval computes; its help says
    the end of the judged documents. trec_eval's option -l makes the value 0 where nothing is
    relevant; here, as in nDCG, there is no relevance threshold.

    >>> round(score(RnDCG, [1, 0, 2]), 6)  # (nDCG@1 + nDCG@2) / 2 = (1/2 + 1 / 2.63093) / 2
    0.440047
    """
    return each_query(_ndcg_where_it_falls, RANK, gains_of(gain, gains), N_RETRIEVED)


@_experimental(
    title="Mean nDCG at the relevant documents",
    formula=r"\frac{1}{|\{g > 0\}|} \sum_{g_i > 0} \mathrm{nDCG}@i",
    aliases={"ndcg_rel": {}},
)
def nDCG_rel(gain: Gain = "linear", gains: GainTable | None = None) -> pl.Expr:
    """The mean of nDCG at the ranks of the documents with a positive gain.

    From 0 to 1; 0 where there are none. A document that was not returned counts with the nDCG at
    the end of the list.

    >>> round(score(nDCG_rel, [1, 0, 2]), 6)  # (nDCG@1 + nDCG@3) / 2 = (1/2 + 2 / 2.63093) / 2
    0.630094
    """
    return each_query(_ndcg_at_gains, RANK, gains_of(gain, gains))


def _ideal(gains: Column) -> Column:
    """Return the positive gains in descending order."""
    return np.sort(gains[gains > 0])[::-1]


def _returned(places: Column, gains: Column) -> tuple[Numbers, Column]:
    """Return the ranks and gains of the returned documents with a positive gain."""
    gaining = ~np.isnan(places) & (gains > 0)
    return places[gaining].astype(np.int64), gains[gaining]


def _gain_by_missed(places: Column, gains: Column) -> float:
    ideal = _ideal(gains)
    if not ideal.size:
        return 0.0
    place, gained = _returned(places, gains)
    # Each rank of the ideal list counts at least 1: the rank, plus the excess of its gains over 1.
    more = np.concatenate([[0.0], np.cumsum(np.maximum(ideal - 1.0, 0.0))])
    ahead = place + more[np.minimum(place, ideal.size)] - np.cumsum(gained)
    return float(np.sum(gained / np.log2(2.0 + ahead)) / np.sum(ideal))


def _ndcg_where_it_falls(places: Column, gains: Column, returned: Column) -> float:
    ideal = _ideal(gains)
    if not ideal.size:
        return 0.0
    place, gained = _returned(places, gains)
    falls = np.flatnonzero(ideal != np.append(ideal[1:], 0.0)) + 1
    dcg, idcg = _dcg_so_far(place, gained), _dcg_so_far(np.arange(1, ideal.size + 1), ideal)
    values = dcg[np.searchsorted(place, falls, side="right")] / idcg[falls]
    if returned[0] > ideal.size + 1:
        values = np.append(values, dcg[-1] / idcg[-1])
    return min(float(np.mean(values)), 1.0)


def _ndcg_at_gains(places: Column, gains: Column) -> float:
    ideal = _ideal(gains)
    if not ideal.size:
        return 0.0
    place, gained = _returned(places, gains)
    dcg, idcg = _dcg_so_far(place, gained), _dcg_so_far(np.arange(1, ideal.size + 1), ideal)
    at_gains = np.sum(dcg[1:] / idcg[np.minimum(place, ideal.size)])
    at_end = (ideal.size - place.size) * dcg[-1] / idcg[-1]
    return min(float((at_gains + at_end) / ideal.size), 1.0)


def _dcg_so_far(place: Numbers, gained: Column) -> Column:
    """Return the DCG of the first 0, 1, 2 ... documents."""
    return np.concatenate([[0.0], np.cumsum(gained / np.log2(place + 1.0))])
