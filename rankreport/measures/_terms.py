"""Expressions that formulae of measures are made of.

Each is a Polars expression over the judged rows of one query and one system, in rank order: one row
per judged document, with ``rank`` null where the system did not return it. Unreturned documents are
there too, so recall and ideal rankings need no second table.

The *condensed* list of ``judged_only=True`` has the judged documents alone, the others closing up.
As in trec_eval (option -J), a negative grade means that a document was pooled and not judged: it is
taken out as well. Without -J it holds its place there and here, and is not relevant.
"""

from __future__ import annotations

import polars as pl

from rankreport.frames import N_RETRIEVED, RANK, RELEVANCE, SCORE
from rankreport.measures._prepared import prepared
from rankreport.measures.parameters import require

__all__ = [
    "Cut",
    "constant",
    "cut",
    "f_measure",
    "found",
    "n_found",
    "n_relevant",
    "n_returned",
    "place_in",
    "rank",
    "ratio",
    "relevant",
    "retrieved",
    "scored",
    "share",
    "total",
    "up_to",
    "within",
]

rank = pl.col(RANK)
"""The place in the system's list, from 1; null where the document was not returned."""

retrieved = pl.col(N_RETRIEVED).first()
"""How many documents the system returned for the query, judged or not."""

scored = pl.col(SCORE).is_not_null()
"""Whether each judged document has a score: whether the system returned it."""

Cut = int | pl.Expr | None
"""A cut-off: a number, one for each query, or none."""


def constant(value: float) -> pl.Expr:
    """Return a number as a column has it, once for each query.

    It is no literal: Polars multiplies by the inverse of a literal, at the cost of a bit, and for
    one list in another way than for several.
    """
    return retrieved.cast(pl.Float64) * 0.0 + value


def place_in(judged_only: bool) -> pl.Expr:
    """Return the places in the list, or in what is left of it without the unjudged documents."""
    if not judged_only:
        return rank
    stays = rank.is_not_null() & (pl.col(RELEVANCE) >= 0)
    return pl.when(stays).then(stays.cum_sum())


def within(k: Cut, *, judged_only: bool = False) -> pl.Expr:
    """Whether each document was returned, among the first ``k`` if a cut-off is given."""
    place = place_in(judged_only)
    return place.is_not_null() if k is None else (place <= k).fill_null(value=False)


def relevant(rel: float) -> pl.Expr:
    """Whether each document's grade makes it relevant to a binary measure."""
    return pl.col(RELEVANCE) >= rel


def found(rel: float, k: Cut, *, judged_only: bool = False) -> pl.Expr:
    """Whether each document is relevant and was returned above the cut."""
    return relevant(rel) & within(k, judged_only=judged_only)


def n_relevant(rel: float) -> pl.Expr:
    """How many of the query's documents are relevant, returned or not."""
    return prepared(_n_relevant, rel=rel).first()  # once for all cut-offs


def _n_relevant(rel: float) -> pl.Expr:
    return relevant(rel).sum()


def n_found(rel: float, k: Cut, *, judged_only: bool = False) -> pl.Expr:
    """How many relevant documents were returned above the cut."""
    return found(rel, k, judged_only=judged_only).sum()


def n_returned(k: int | None) -> pl.Expr:
    """How many documents were returned above the cut, judged or not."""
    return retrieved if k is None else retrieved.clip(upper_bound=k)


def cut(k: int | None, *, judged_only: bool = False) -> pl.Expr:
    """Length of the list that a measure uses: ``k``, or all that was returned."""
    if k is not None:
        return constant(k)
    return within(None, judged_only=True).sum() if judged_only else retrieved


def total(terms: pl.Expr) -> pl.Expr:
    """Add the terms in their order: a plain sum's last bit depends on what else is computed."""
    return terms.cum_sum().last().fill_null(0.0)


def up_to(running: pl.Expr, place: pl.Expr, k: int | None) -> pl.Expr:
    """Return the running total at place k, or at the last place above it.

    Of terms that are not negative: the last total is the highest.
    """
    reached = place.is_not_null() if k is None else place <= k
    return pl.when(reached).then(running).max().fill_null(0.0)


def ratio(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    """Divide, with 0 where the denominator is 0: nothing to find, or nothing returned."""
    return pl.when(denominator > 0).then(numerator / denominator).otherwise(0.0)


def share(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
    """Divide what is at most the whole: sums of fractions may pass it by their last bit."""
    return ratio(part, whole).clip(upper_bound=1.0)


def f_measure(
    beta: float, hits: pl.Expr, wanted: pl.Expr, given: pl.Expr, *, squared: bool = True
) -> pl.Expr:
    """Return precision and recall in one number: (1 + b^2) P R / (b^2 P + R).

    Parameters
    ----------
    beta
        The weight of recall, or the root of it if ``squared``.
    hits, wanted, given
        How many documents are relevant and given, relevant, and given.
    squared
        Whether beta is squared, as Van Rijsbergen has it.
    """
    require(beta > 0, f"beta={beta} must be above 0.")
    weight = float(beta * beta if squared else beta)
    # The common factor is taken out, so that nothing divides by 0.
    return share((1.0 + weight) * hits, weight * wanted + given)
