"""User models of the C/W/L framework: how far readers get, and how much they gain.

Each function takes the gain of each document, between 0 and 1, and returns a `Reading`: expressions
over the judged rows of a query. V(i) is the probability that the reader looks at rank i. Unjudged
documents gain nothing, so between two judged documents V has a closed form and is not summed rank
by rank.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from rankreport.frames import N_RETRIEVED, RANK
from rankreport.measures._attention import Attention, sum_of_first, summed_up_to
from rankreport.measures._gains import scaled_between
from rankreport.measures._prepared import Column, each_query, prepared
from rankreport.measures._terms import constant, cut, rank, retrieved, total, within
from rankreport.measures.parameters import MAX_CUTOFF, require

DEPTH = 1000
"""Maximum depth without a cut-off: cwl_eval extends or truncates every list to it."""


class Reading(NamedTuple):
    """The expected outcome of reading a list.

    Attributes
    ----------
    gain
        Expected total gain: the sum of V(i) times the gain at rank i.
    documents
        Expected number of documents looked at: the sum of V(i).
    """

    gain: pl.Expr
    documents: pl.Expr


def up_to_depth(depth: float) -> int:
    """Return the last rank that a reader without a cut-off looks at."""
    require(
        1 <= depth <= MAX_CUTOFF and depth == int(depth),
        f"depth={depth} must be a whole number from 1 to {MAX_CUTOFF:,}.",
    )
    return int(depth)


def sdcg(gain: pl.Expr, end: int | None) -> Reading:
    """Read with attention falling as the DCG discount, regardless of gains."""
    return _by_attention(gain, end, lambda i: 1.0 / np.log2(i + 1.0), stops=False)


def insq(gain: pl.Expr, goal: float, end: int | None) -> Reading:
    """Read as someone who wants ``goal`` documents, regardless of gains."""
    require(goal > 0, f"T={goal} must be above 0.")
    return _by_attention(gain, end, _inverse_square(goal), stops=False)


def nerr8(gain: pl.Expr, end: int | None) -> Reading:
    """Read on unless stopped."""
    return _by_attention(gain, end, np.ones_like, stops=True)


def nerr9(gain: pl.Expr, end: int | None) -> Reading:
    """Read on unless stopped, with attention 1 / rank."""
    return _by_attention(gain, end, lambda i: 1.0 / i, stops=True)


def nerr10(gain: pl.Expr, p: float, end: int | None) -> Reading:
    """Read on with probability p unless stopped."""
    require(0 < p < 1, f"p={p} must lie between 0 and 1.")
    return _by_attention(gain, end, lambda i: p ** (i - 1.0), stops=True)


def nerr11(gain: pl.Expr, goal: float, end: int | None) -> Reading:
    """Read as someone who wants ``goal`` documents, unless stopped."""
    require(goal > 0, f"T={goal} must be above 0.")
    return _by_attention(gain, end, _inverse_square(goal), stops=True)


def _inverse_square(goal: float) -> Attention:
    return lambda i: np.square(2.0 * goal / (i + (2.0 * goal - 1.0)))


def _by_attention(gain: pl.Expr, end: int | None, attention: Attention, *, stops: bool) -> Reading:
    """Read with attention that depends on the rank, optionally stopping at documents found.

    Parameters
    ----------
    gain
        The gain of each document.
    end
        The last rank looked at; None for the end of the list.
    attention
        V(i) of a reader who gains nothing.
    stops
        Whether a document of gain g stops the reader with probability g.
    """
    # Sum before filtering: `summed_up_to` is then called once for all queries.
    here = within(end)
    gained = gain.filter(here)
    so_far = summed_up_to(rank(), attention).filter(here)
    looks = (so_far - summed_up_to(rank() - 1, attention).filter(here)) * gained
    whole = (
        summed_up_to(retrieved(), attention)
        if end is None
        else constant(sum_of_first(end, attention))
    )
    if not stops:
        return Reading(total(looks), whole)
    still_there = (1.0 - gained).cum_prod().shift(1).fill_null(1.0)
    # A reader who stops at a document does not see the ranks below it.
    missed = still_there * gained * (whole - so_far)
    return Reading(total(looks * still_there), whole - total(missed))


def inst(min_rel: float, max_rel: float | None, goal: float, end: int) -> Reading:
    """Read as in INST: the more of the goal is met, the sooner the reader leaves.

    Between two judged documents C(i) = ((i+c-1)/(i+c))^2, where c is 2T minus the gain so far. So
    V(i) = A / (i+c-1)^2 there, and its sum is a difference of trigamma functions. The gain of each
    judged document changes A and c for the ranks below it.
    """
    # With a smaller T, a gain could make the reader more likely to go on.
    require(goal >= 0.5, f"T={goal} must be at least 0.5.")
    gain = scaled_between(min_rel, max_rel)
    start = 2.0 * goal
    after = start - prepared(_gained_so_far, min_rel=min_rel, max_rel=max_rel)
    before = after + gain  # c on arriving at the document, and on leaving it
    place = rank().cast(pl.Float64)
    here = within(end)
    coming, going = (place + before - 1.0).filter(here), (place + after - 1.0).filter(here)
    scale_after = start**2 * (going / coming).cum_prod() ** 2
    scale_before = scale_after.shift(1).fill_null(start**2)
    changed = scale_after * _inverse_squares(place, after, end).filter(here)
    unchanged = scale_before * _inverse_squares(place, before, end).filter(here)
    empty = constant(sum_of_first(end, _inverse_square(goal)))
    return Reading(
        gain=total(scale_before / coming**2 * gain.filter(here)),
        documents=empty + total(changed - unchanged),
    )


def _gained_so_far(min_rel: float, max_rel: float | None) -> pl.Expr:
    return scaled_between(min_rel, max_rel).cum_sum()


def _inverse_squares(place: pl.Expr, c: pl.Expr, end: int) -> pl.Expr:
    """Return the sum of 1 / (i+c-1)^2 over the ranks i after the given one up to ``end``."""
    return _trigamma(place + c) - _trigamma(c + float(end))


def _trigamma(number: pl.Expr) -> pl.Expr:
    """Return the sum of 1/(x+n)^2 over n = 0, 1, 2 ... for each number x."""

    def of(numbers: pl.Series) -> pl.Series:
        from scipy.special import polygamma

        return pl.Series(polygamma(1, numbers.to_numpy()))

    return number.map_batches(of, return_dtype=pl.Float64, is_elementwise=True)


def bejeweled_player(
    gain: pl.Expr, k: int | None, goal: float, hb: float, hc: float, gain_med: float
) -> Reading:
    """Read until the gain reaches a goal or the rank a limit, both adapting to the gains."""
    require(goal > 0, f"T={goal} must be above 0.")
    require(hb >= 0 and hc >= 0, f"hb={hb} and hc={hc} must not be negative.")
    require(0 <= gain_med <= 1, f"gain_med={gain_med} must lie between 0 and 1.")
    require(k is not None or hc == 0, "hc= moves the number of documents: give a k.")
    if hb == 0 and hc == 0:
        enough = within(None) & (gain.cum_sum() >= goal)
        stop = pl.min_horizontal(rank().filter(enough).min(), cut(k)).cast(pl.Float64)
        return Reading(total(gain.filter(within(stop))), stop)
    way = partial(_bejewelled, k=k, goal=goal, hb=hb, hc=hc, gain_med=gain_med)
    stop = each_query(way, gain, RANK, N_RETRIEVED)
    return Reading(total(gain.filter(within(stop))), stop)


def _bejewelled(
    gain: Column,
    place: Column,
    n_retrieved: Column,
    *,
    k: int | None,
    goal: float,
    hb: float,
    hc: float,
    gain_med: float,
) -> float:
    """Return the rank where the reader stops, 0 if there is none."""
    returned = ~np.isnan(place)
    most = n_retrieved[0] if k is None else k
    end = math.ceil(most + hc * gain[returned].sum())  # the limit never exceeds this
    here = place <= end
    gains = np.zeros(end)
    gains[place[here].astype(np.int64) - 1] = gain[here]
    # The targets on arriving at each rank, summed in the same order as in cwl_eval.
    changes = np.concatenate([[0.0], gains[:-1] - gain_med])[:end]
    wanted = np.cumsum(np.concatenate([[goal], hb * changes[1:]]))[:end]
    allowed = np.cumsum(np.concatenate([[most], hc * changes[1:]]))[:end]
    places = np.arange(1, end + 1)
    (stops,) = np.nonzero((np.cumsum(gains) >= wanted) | (places >= allowed))
    return float(stops[0] + 1) if len(stops) else 0.0
