"""What documents gain a reader who has seen their subtopics before.

Each row is a judgment of a document and a subtopic. A document gains, for each subtopic that it is
relevant to, ``1 - alpha`` to the power of how many documents above it are relevant to the same.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from rankreport.columns import DOC_ID, SUBTOPIC
from rankreport.measures.parameters import require
from rankreport.measures.places import attention_of, summed_up_to
from rankreport.measures.prepared import Column, Numbers, each_row, prepared
from rankreport.measures.terms import cut, rank, relevant, share, up_to, within

__all__ = [
    "Fading",
    "Places",
    "above",
    "gain_sum",
    "ideal_sum",
    "n_places",
    "n_relevant_to_it",
    "n_subtopics",
    "normalised",
    "place_of",
    "times_seen",
]

Fading = Literal["log2", "reciprocal", "geometric"]
"""How gain falls with the place: 1 / log2(place + 1), 1 / place, or a power of beta."""

Places = tuple[Numbers, Numbers]
"""Documents, by number, and the place of each."""


def gain_sum(
    fading: Fading,
    k: int | None,
    alpha: float,
    rel: float,
    *,
    beta: float = 0.5,
    judged_only: bool = False,
) -> pl.Expr:
    """Return the sum of what the documents above the cut gain."""
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
    """Divide a sum by that of a list in which every document is relevant to every subtopic."""

    def gained(place: pl.Expr) -> pl.Expr:
        return (1.0 - alpha) ** (place - 1) * _kept(place, fading)

    of_each = summed_up_to(n_places(k, judged_only=judged_only), attention_of(gained))
    return share(sums, of_each * n_subtopics(rel))


def _kept(place: pl.Expr, fading: Fading, beta: float = 0.5) -> pl.Expr:
    """Return the share of its gain that a document keeps at each place."""
    if fading == "log2":
        return 1.0 / (place + 1).log(2.0)
    if fading == "reciprocal":
        return 1.0 / place
    return pl.lit(float(beta)) ** (place - 1)


def n_subtopics(rel: float) -> pl.Expr:
    """How many subtopics there are to which any document is relevant."""
    return pl.col(SUBTOPIC).filter(relevant(rel)).n_unique()


def n_places(k: int | None, *, judged_only: bool) -> pl.Expr:
    """How long the list is that a measure speaks of."""
    if k is not None or not judged_only:
        return cut(k)
    return prepared(place_of, judged_only=judged_only).max().fill_null(0)


def above(k: int | None, *, judged_only: bool) -> pl.Expr:
    """Whether each document was returned above the cut."""
    if k is None or not judged_only:
        return within(k)
    return (prepared(place_of, judged_only=True) <= k).fill_null(value=False)


def place_of(judged_only: bool) -> pl.Expr:
    """Each document's place in the list, or in what is left of it without the unjudged ones."""
    return (rank.rank("dense") if judged_only else rank).cast(pl.Int64)


def times_seen(rel: float) -> pl.Expr:
    """How many documents above each are relevant to its subtopic, where it is so itself."""
    return each_row(_seen_before, relevant(rel), prepared(_subtopic_number), _row)


def n_relevant_to_it(rel: float) -> pl.Expr:
    """How many documents are relevant to the subtopic of each row, returned or not."""
    return each_row(_count_of_group, relevant(rel), prepared(_subtopic_number))


def _gain_so_far(
    fading: Fading, alpha: float, beta: float, rel: float, judged_only: bool
) -> pl.Expr:
    place = prepared(place_of, judged_only=judged_only)
    gained = _gain(prepared(times_seen, rel=rel), alpha, rel)
    return (gained * _kept(place, fading, beta)).cum_sum()


def _ideal_place(alpha: float, rel: float) -> pl.Expr:
    """Each document's place in the greedy ideal list; null where it is relevant to nothing."""
    known: dict[tuple[int, bytes], Places] = {}  # of one system: the others' judgments are equal

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
    """How many documents above each in the ideal list are relevant to its subtopic."""
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
    """Number the documents as their ids are ordered."""
    return pl.col(DOC_ID).rank("dense")


def _gain(seen: pl.Expr, alpha: float, rel: float) -> pl.Expr:
    """Return what each document gains for a subtopic that was seen so often above it."""
    return pl.when(relevant(rel)).then(pl.lit(1.0 - alpha) ** seen).otherwise(0.0)


def _seen_before(hits: Column, subtopics: Column, order: Column) -> Column:
    """Count, for each hit, those of its subtopic that come before it."""
    hit = np.flatnonzero(hits)
    rows = hit[np.lexsort((order[hit], subtopics[hit]))]
    of_each = subtopics[rows]
    seen = np.zeros(len(hits))
    seen[rows] = np.arange(len(rows)) - of_each.searchsorted(of_each)
    return seen


def _count_of_group(hits: Column, groups: Column) -> Column:
    """Count the hits in each row's group."""
    numbers = groups.astype(np.int64)
    counts = np.bincount(numbers, weights=hits).astype(np.float64)
    of_each: Column = counts[numbers]
    return of_each


def _running(terms: Column, first: Column, second: Column) -> Column:
    """Add up the terms above 0 in an order that is not that of the rows."""
    some = np.flatnonzero(terms > 0)
    rows = some[np.lexsort((second[some], first[some]))]
    sums = np.zeros(len(terms))
    sums[rows] = np.cumsum(terms[rows])
    return sums


def _greedy(documents: Numbers, subtopics: Numbers, kept_when_seen: float) -> Places:
    """Order documents so that each adds as much as any that is left, the larger of equals first.

    Parameters
    ----------
    documents, subtopics
        What is relevant to what, by number.
    kept_when_seen
        What is left of a subtopic's worth each time that it is met.

    Returns
    -------
    ids, places
        The documents, and the place of each.
    """
    ids, row = np.unique(documents, return_inverse=True)
    if len(ids) == 0:
        return ids, ids
    about = np.zeros((len(ids), int(subtopics.max()) + 1))
    about[row, subtopics] = 1.0
    # Documents about the same are alike but for their ids: few kinds, however many documents.
    kinds, kind = np.unique(about, axis=0, return_inverse=True)
    left = [np.flatnonzero(kind.ravel() == number).tolist() for number in range(len(kinds))]
    largest = np.array([of_kind[-1] for of_kind in left])  # -1 once none is left
    worth = np.ones(about.shape[1])
    after = np.where(kinds > 0, kept_when_seen, 1.0)
    places = np.empty(len(ids), dtype=np.int64)
    for place in range(1, len(ids) + 1):
        gains = kinds @ worth
        # Sums of equal terms in another order may differ in their last bits.
        best = int(np.where(gains > gains.max() - 1e-12, largest, -1).argmax())
        places[left[best].pop()] = place
        worth *= after[best]
        largest[best] = left[best][-1] if left[best] else -1
        if not left[best]:
            kinds[best] = 0.0
    return ids, places
