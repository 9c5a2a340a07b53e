"""Gain measured against an ideal list: measures of trec_eval that Buckley called experimental.

None was published, so their formulae are those of trec_eval 9.0.8 and 10.0, in our words. Use nDCG
unless you must reproduce a figure.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from rankreport.columns import N_RETRIEVED, RANK
from rankreport.measures.declare import measure
from rankreport.measures.discounting import Gain, gains_of
from rankreport.measures.gain import moves_of_gain
from rankreport.measures.parameters import GainTable
from rankreport.measures.prepared import Column, Numbers, each_query
from rankreport.measures.terms import found, n_relevant, rank, ratio, total

__all__ = ["G", "RnDCG", "binG", "nDCG_rel"]

_SOURCE = "Buckley, trec_eval, 2008: experimental"


@measure(
    title="Gain by what was missed so far",
    family="experimental",
    formula=r"\frac{1}{\sum_j g^*_j} \sum_i"
    r" \frac{g_i}{\log_2(2 + \sum_{j \le i} \max(1, g^*_j) - g_j)}",
    source=_SOURCE,
)
def G(gain: Gain = "linear", gains: GainTable | None = None) -> pl.Expr:
    """The gain, discounted by how much more an ideal list would have gained by the same place.

    From 0 to 1; 0 where no document has a positive gain. A document low in the list keeps all of
    its gain if those above it were as good as can be. The ideal list (g*) has all judged documents
    by falling gain; each of its places counts at least 1, also beyond its end. Negative grades gain
    nothing.

    >>> round(score(G, [1, 0, 2]), 6)  # (1 / log2(3) + 2 / log2(3)) / 3
    0.63093
    """
    return each_query(_gain_by_missed, RANK, gains_of(gain, gains))


@measure(
    title="Binary gain by what was missed so far",
    family="experimental",
    formula=r"\frac{1}{n_\mathrm{rel}} \sum_i"
    r" \frac{\mathrm{rel}_i}{\log_2(2 + \sum_{j<i} 1 - \mathrm{rel}_j)}",
    source=_SOURCE,
    moves="up",
)
def binG(rel: float = 1) -> pl.Expr:
    """The mean over relevant documents of a discount by the irrelevant ones above each.

    From 0 to 1; 0 where nothing is relevant. Relevant documents above another do not discount it,
    as they would in nDCG. Documents that nobody judged count as irrelevant.

    >>> round(score(binG, [1, 0, 1]), 6)  # (1 + 1 / log2(3)) / 2
    0.815465
    """
    hits = found(rel, None)
    irrelevant_above = rank.filter(hits).cast(pl.Float64) - hits.cum_sum().filter(hits)
    return ratio(total(1.0 / (irrelevant_above + 2.0).log(2.0)), n_relevant(rel))


@measure(
    title="Mean nDCG where the ideal gain falls",
    family="experimental",
    formula=r"\frac{1}{|K|} \sum_{k \in K} \mathrm{nDCG}@k,"
    r"\quad K = \{k : g^*_k > g^*_{k+1}\} \cup \{n_\mathrm{ret}\}",
    source=_SOURCE,
    moves=moves_of_gain,
    aliases={"Rndcg": {}},
)
def RnDCG(gain: Gain = "linear", gains: GainTable | None = None) -> pl.Expr:
    """The mean of nDCG at the places where an ideal list passes from one grade to the next.

    From 0 to 1; 0 where no document has a positive gain. The ideal list (g*) has all judged
    documents by falling gain. The end of the list is one more place, if it lies more than one place
    below the last document of a positive gain: that is what trec_eval does, while its help says
    that the end of the judged documents counts. Its option -l makes it 0 where nothing is
    relevant; here, as in nDCG, no grade is a threshold.

    >>> round(score(RnDCG, [1, 0, 2]), 6)  # (nDCG@1 + nDCG@2) / 2 = (1/2 + 1 / 2.63093) / 2
    0.440047
    """
    return each_query(_ndcg_where_it_falls, RANK, gains_of(gain, gains), N_RETRIEVED)


@measure(
    title="Mean nDCG at the relevant documents",
    family="experimental",
    formula=r"\frac{1}{|\{g > 0\}|} \sum_{g_i > 0} \mathrm{nDCG}@i",
    source=_SOURCE,
    aliases={"ndcg_rel": {}},
)
def nDCG_rel(gain: Gain = "linear", gains: GainTable | None = None) -> pl.Expr:
    """The mean of nDCG at the places of the documents with a positive gain.

    From 0 to 1; 0 where there are none. For a document that was not returned, nDCG at the end of
    the list stands in.

    >>> round(score(nDCG_rel, [1, 0, 2]), 6)  # (nDCG@1 + nDCG@3) / 2 = (1/2 + 2 / 2.63093) / 2
    0.630094
    """
    return each_query(_ndcg_at_gains, RANK, gains_of(gain, gains))


def _ideal(gains: Column) -> Column:
    """Return the positive gains, falling."""
    return np.sort(gains[gains > 0])[::-1]


def _returned(places: Column, gains: Column) -> tuple[Numbers, Column]:
    """Return the places and gains of the documents returned that gain anything."""
    gaining = ~np.isnan(places) & (gains > 0)
    return places[gaining].astype(np.int64), gains[gaining]


def _gain_by_missed(places: Column, gains: Column) -> float:
    ideal = _ideal(gains)
    if not ideal.size:
        return 0.0
    place, gained = _returned(places, gains)
    # Each place of the ideal list counts at least 1: its number, and what its gains exceed 1 by.
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
    """Return the discounted gain of no document, of the first one, the first two and so on."""
    return np.concatenate([[0.0], np.cumsum(gained / np.log2(place + 1.0))])
