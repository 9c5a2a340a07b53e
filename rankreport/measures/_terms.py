"""Building blocks of the formulae of measures.

Each is a Polars expression over the judged rows of one query and one system, in rank order: one row
per judged document, with ``rank`` null where the system did not return it. Unreturned documents are
included, so recall and ideal rankings need no second table.

``judged_only=True`` uses the *condensed* list, which keeps judged documents only. As in trec_eval
(option -J), a negative grade means that a document was pooled but not judged, so it is removed too.
Without ``judged_only`` it keeps its rank and is not relevant.
"""

from __future__ import annotations

from typing import Literal

import polars as pl

from rankreport.frames import N_RETRIEVED, RANK, RELEVANCE, SCORE
from rankreport.measures._columns import column
from rankreport.measures._prepared import prepared
from rankreport.measures.parameters import require

Cut = int | pl.Expr | None
"""A cut-off: one number, one number per query, or none."""


def rank() -> pl.Expr:
    """Return the rank in the system's list, from 1; null where the document was not returned."""
    return column(RANK)


def retrieved() -> pl.Expr:
    """Return the number of documents that the system returned for the query, judged or not."""
    return column(N_RETRIEVED).first()


def scored() -> pl.Expr:
    """Return whether each judged document has a score, that is, was returned."""
    return column(SCORE).is_not_null()


def constant(value: float) -> pl.Expr:
    """Return a number as a column, once per query.

    Not a literal: Polars multiplies by the inverse of a literal, which rounds differently, and
    differently for one list than for several.
    """
    return column(RELEVANCE).len().cast(pl.Float64) * 0.0 + value


def place_in(judged_only: bool) -> pl.Expr:
    """Return the ranks in the list, or in the condensed list without unjudged documents."""
    if not judged_only:
        return rank()
    stays = rank().is_not_null() & (column(RELEVANCE) >= 0)
    return pl.when(stays).then(stays.cum_sum())


def within(k: Cut, *, judged_only: bool = False) -> pl.Expr:
    """Return whether each document was returned, among the first ``k`` if a cut-off is given."""
    place = place_in(judged_only)
    return place.is_not_null() if k is None else (place <= k).fill_null(value=False)


def relevant(rel: float) -> pl.Expr:
    """Return whether each document's grade is at least ``rel``."""
    return column(RELEVANCE) >= rel


def found(rel: float, k: Cut, *, judged_only: bool = False) -> pl.Expr:
    """Return whether each document is relevant and ranks within the cut-off."""
    return relevant(rel) & within(k, judged_only=judged_only)


def n_relevant(rel: float) -> pl.Expr:
    """Return the number of relevant documents of the query, returned or not."""
    return prepared(_n_relevant, rel=rel).first()  # once for all cut-offs


def _n_relevant(rel: float) -> pl.Expr:
    return relevant(rel).sum()


def n_found(rel: float, k: Cut, *, judged_only: bool = False) -> pl.Expr:
    """Return the number of relevant documents within the cut-off."""
    return found(rel, k, judged_only=judged_only).sum()


def n_returned(k: int | None) -> pl.Expr:
    """Return the number of documents within the cut-off, judged or not."""
    return retrieved() if k is None else retrieved().clip(upper_bound=k)


ShareOf = Literal["k", "returned"]
"""The denominator of a share: k, or the number of documents within the cut-off."""


def cut(k: int | None, *, judged_only: bool = False, over: ShareOf = "k") -> pl.Expr:
    """Return the length of the list that a measure uses: ``k``, or that of the list itself."""
    if k is not None and over == "k":
        return constant(k)
    return within(k, judged_only=True).sum() if judged_only else n_returned(k)


def total(terms: pl.Expr) -> pl.Expr:
    """Add the terms in row order: the last bit of a plain sum depends on what else is computed."""
    return terms.cum_sum().last().fill_null(0.0)


def up_to(running: pl.Expr, place: pl.Expr, k: int | None) -> pl.Expr:
    """Return the running total at rank k, or at the last rank above it.

    Terms must not be negative, so that the last total is the highest.
    """
    reached = place.is_not_null() if k is None else place <= k
    return pl.when(reached).then(running).max().fill_null(0.0)


NoRelevant = Literal["given", "zero", "one"]
"""The value of a query without a document of positive grade: as evaluate() is given it, 0, or 1."""


def settled(value: pl.Expr, no_relevant: NoRelevant) -> pl.Expr:
    """Return the value, or 1 where no document has a positive grade and the parameter says so."""
    return one_where_barren(value) if no_relevant == "one" else value


def one_where_barren(value: pl.Expr) -> pl.Expr:
    """Return the value, or 1 where no document of the query has a positive grade."""
    return pl.when((column(RELEVANCE) > 0).any()).then(value).otherwise(1.0)


def ratio(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    """Divide, with 0 where the denominator is 0."""
    return pl.when(denominator > 0).then(numerator / denominator).otherwise(0.0)


def share(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
    """Divide and clip to 1, which sums of fractions may exceed by a rounding error."""
    return ratio(part, whole).clip(upper_bound=1.0)


def f_measure(
    beta: float, hits: pl.Expr, wanted: pl.Expr, given: pl.Expr, *, squared: bool = True
) -> pl.Expr:
    """Return the F measure, (1 + b^2) P R / (b^2 P + R).

    Parameters
    ----------
    beta
        The weight of recall, or its square root if ``squared``.
    hits, wanted, given
        The number of relevant documents returned, of relevant documents, and of documents returned.
    squared
        Whether beta is squared, as in Van Rijsbergen.
    """
    require(beta > 0, f"beta={beta} must be above 0.")
    weight = float(beta * beta if squared else beta)
    # Simplified so that nothing divides by 0.
    return share((1.0 + weight) * hits, weight * wanted + given)
