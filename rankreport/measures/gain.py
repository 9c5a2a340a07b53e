"""Cumulative gain: how much a reader gains from the top of the list, the earlier the better.

The formulae of this family are spelled in several ways in the field; each way is a parameter:

- ``gain``: ``"linear"``, the grade itself (Järvelin and Kekäläinen, TOIS 2002; trec_eval),
  ``"exp"``, 2^grade - 1 (Burges et al., ICML 2005), or ``"binary"``, 1 for every positive grade
  (most recommenders; in RBP, for every grade that reaches ``rel``). They agree on grades 0 and 1. A
  negative grade gains 0 each way.
- ``gains``: a table of what each grade gains, such as ``{1: 1, 2: 4, 3: 10}``; a grade that is not
  in it gains what ``gain`` says, as trec_eval has it. No table says what other grades there are, so
  a higher grade may gain less than a lower one: with a table, bounds over the orders of equal
  scores are not known.
- ``discount``: ``"log2"``, 1 / log2(rank + 1), or ``"jarvelin"``, none for ranks below ``base`` and
  1 / log_base(rank) from there on. They do not agree from rank 2 on.
- ``ideal``: ``"judged"``, the best order of all judged documents, returned or not; ``"returned"``,
  the best order of the returned ones, then cut at k; ``"full"``, k documents of the highest grade
  in all the judgments; ``"uncut"``, all judged documents whatever k is (Quepid).
- ``judged_only``: the documents that nobody judged are taken out of the list first.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import polars as pl

from rankreport.columns import TOP_GRADE
from rankreport.measures.blocks import mean_over_block, share_within
from rankreport.measures.declare import Moves, measure
from rankreport.measures.discounting import Discount, Gain, discounts, gains_of
from rankreport.measures.parameters import GainTable, require
from rankreport.measures.places import FAR, attention_of, summed_up_to
from rankreport.measures.prepared import prepared
from rankreport.measures.terms import cut, place_in, share, total, up_to, within

__all__ = ["CG", "DCG", "Ideal", "iDCG", "moves_of_gain", "nDCG"]

Ideal = Literal["judged", "returned", "full", "uncut"]
"""Which documents the ideal list is made of."""

_BOTH = "Järvelin and Kekäläinen, TOIS 2002; exponential gain: Burges et al., ICML 2005"


def moves_of_gain(gains: GainTable | None = None, **_: object) -> Moves:
    """Whether more is gained above: not known of a table, which need not have every grade."""
    return "either" if gains else "up"


def _expected_cg(
    k: int | None = None, gain: Gain = "linear", gains: GainTable | None = None
) -> pl.Expr:
    return total(gains_of(gain, gains) * share_within(k))


@measure(
    title="Cumulative gain",
    family="gain",
    formula=r"\sum_{i=1}^{k} g_i",
    source="Järvelin and Kekäläinen, TOIS 2002",
    range=(0, None),
    moves=moves_of_gain,
    expected=_expected_cg,
    aliases={"cg": {}},
)
def CG(k: int | None = None, gain: Gain = "linear", gains: GainTable | None = None) -> pl.Expr:
    """The sum of the gains of the documents above the cut, wherever among them they stand.

    From 0, without an upper bound. Use it to see how much was found before asking in which order.

    >>> score(CG @ 3, [3, 2, 3, 0, 1, 2])
    8.0
    """
    return total(gains_of(gain, gains).filter(within(k)))


def _expected_dcg(
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
    gains: GainTable | None = None,
    **_: object,
) -> pl.Expr:
    kept = mean_over_block(partial(discounts, discount=discount, base=base), k)
    return total(gains_of(gain, gains) * kept)


@measure(
    title="Discounted cumulative gain",
    family="gain",
    formula=r"\sum_{i=1}^{k} g_i \, d(i)",
    source=_BOTH,
    range=(0, None),
    moves=moves_of_gain,
    expected=_expected_dcg,
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
    """The sum of the gains above the cut, each discounted the further down it stands.

    From 0, without an upper bound, so it cannot be compared between queries: nDCG can.

    >>> round(score(DCG, [3, 2, 3, 0, 1, 2]), 6)
    6.861127
    >>> round(score(DCG(gain="exp"), [5, 1, 3, 2, 4]), 6)
    42.225752
    """
    discounts(pl.lit(1), discount, base)  # refuses a base that contradicts the discount
    so_far = prepared(
        _gain_so_far,
        gain=gain,
        discount=discount,
        base=base,
        gains=gains,
        judged_only=judged_only,
    )
    return up_to(so_far, place_in(judged_only), k)


@measure(
    title="Ideal discounted cumulative gain",
    family="gain",
    better="neither",
    formula=r"\max_{\pi} \sum_{i=1}^{k} g_{\pi(i)} \, d(i)",
    source=_BOTH,
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
    """The highest DCG that any order of the ideal's documents could reach at the cut.

    From 0, without an upper bound. Shown when someone asks what nDCG was divided by.

    >>> round(score(iDCG @ 6, [3, 2, 3, 0, 1, 2], unreturned=[3, 0]), 6)
    8.384055
    >>> round(score(iDCG(gain="exp"), [5, 4, 3, 2, 1]), 6)
    45.642829
    """
    discounts(pl.lit(1), discount, base)  # refuses a base that contradicts the discount
    if ideal == "full":
        require(k is not None, "ideal='full' means k documents of the highest grade: give a k.")
        require(base <= FAR, f"base={base} must be at most {FAR:,} with ideal='full'.")
        best = gains_of(gain, gains, grade=pl.col(TOP_GRADE)).first()
        at_place = attention_of(partial(discounts, discount=discount, base=base))
        return best * summed_up_to(cut(k), at_place)
    so_far = prepared(
        _ideal_gain_so_far, gain=gain, discount=discount, base=base, gains=gains, ideal=ideal
    )
    reached = so_far if k is None or ideal == "uncut" else so_far.head(k)
    return reached.last()


def _expected_ndcg(
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
    ideal: Ideal = "judged",
    gains: GainTable | None = None,
    **_: object,
) -> pl.Expr:
    dcg = _expected_dcg(k, gain, discount, base, gains)
    idcg = iDCG.declaration.formulate(k, gain, discount, base, ideal, gains)
    return share(dcg, idcg)


@measure(
    title="Normalised discounted cumulative gain",
    family="gain",
    formula=r"\mathrm{DCG}@k \,/\, \mathrm{iDCG}@k",
    source=_BOTH,
    moves=moves_of_gain,
    expected=_expected_ndcg,
    aliases={
        "ndcg": {},
        "ndcg_cut": {},
        "ndcg_burges": {"gain": "exp"},
    },
)
def nDCG(
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    base: float = 2,
    ideal: Ideal = "judged",
    gains: GainTable | None = None,
    judged_only: bool = False,
) -> pl.Expr:
    """The gain a reader gets from the top of the list, as a share of the most there was to get.

    From 0 to 1, where 1 is an ideal order; 0 where no document has a positive grade. The usual
    choice for graded judgments.

    >>> round(score(nDCG @ 6, [3, 2, 3, 0, 1, 2], unreturned=[3, 0]), 6)
    0.818354
    >>> round(score(nDCG(ideal="returned") @ 6, [3, 2, 3, 0, 1, 2], unreturned=[3, 0]), 6)
    0.960808
    """
    dcg = DCG.declaration.formulate(k, gain, discount, base, gains, judged_only)
    idcg = iDCG.declaration.formulate(k, gain, discount, base, ideal, gains)
    return share(dcg, idcg)


def _gain_so_far(
    gain: Gain, discount: Discount, base: float, gains: GainTable | None, judged_only: bool
) -> pl.Expr:
    place = place_in(judged_only)
    return (gains_of(gain, gains) * discounts(place, discount, base)).cum_sum()


def _ideal_gain_so_far(
    gain: Gain, discount: Discount, base: float, gains: GainTable | None, ideal: Ideal
) -> pl.Expr:
    """The running total down the ideal list: of its first document in the first row, and so on."""
    gained = gains_of(gain, gains)
    if ideal == "returned":
        gained = pl.when(within(None)).then(gained)
    in_order = gained.sort(descending=True, nulls_last=True).fill_null(0.0)
    return (in_order * discounts(pl.int_range(1, pl.len() + 1), discount, base)).cum_sum()
