"""Counts of documents returned, relevant and judged.

``negative`` selects the meaning of a negative grade: ``"unjudged"``, pooled but not judged
(trec_eval), or ``"judged"`` (ir_measures).
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import polars as pl

from rankreport.frames import RELEVANCE
from rankreport.measures._columns import column
from rankreport.measures._orders import linear, n_within
from rankreport.measures._terms import (
    ShareOf,
    constant,
    cut,
    n_relevant,
    n_returned,
    ratio,
    relevant,
    retrieved,
    scored,
    share,
)
from rankreport.measures.declare import measure

__all__ = [
    "FalseAbstention",
    "FalseAnswer",
    "Hits",
    "Judged",
    "NumNonRelJudgedRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "NumUnjudgedRet",
    "Scored",
    "Unjudged",
]

Negative = Literal["unjudged", "judged"]
"""Whether a document with a negative grade counts as judged."""


def nonrelevant(rel: float) -> pl.Expr:
    """Return whether each document was judged not relevant; negative grades are not judgments."""
    return (column(RELEVANCE) >= 0) & ~relevant(rel)


def _judged(negative: Negative) -> pl.Expr:
    grade = column(RELEVANCE)
    return grade >= 0 if negative == "unjudged" else grade.is_not_null()


_count = partial(measure, family="counts", better="neither", range=(0, None))
_linear = partial(linear, _count)


@_linear(
    title="Share judged",
    range=(0, 1),
    formula=r"\frac{n_{\mathrm{judged}}@k}{\min(k, n_\mathrm{ret})}",
    source="ir_measures; trec_eval 10 counts the rest as unj",
    nothing_relevant="by the formula",
    aliases={"judged": {}},
)
def Judged(k: int | None = None, negative: Negative = "judged") -> pl.Expr:
    """The share of the documents within the cut-off that are judged.

    From 0 to 1; 0 where nothing was returned. If it differs much between two systems, the judgments
    favour the system whose documents were pooled.

    >>> score(Judged @ 4, [1, None, 0, None])
    0.5
    """
    return share(n_within(_judged(negative), k), n_returned(k))


@_linear(
    title="Share unjudged",
    range=(0, 1),
    formula=r"\frac{n_{\mathrm{unjudged}}@k}{k}",
    source="trec_eval 10's unj (Soboroff, 2023)",
    nothing_relevant="by the formula",
    aliases={"unj": {}},
)
def Unjudged(
    k: int | None = None,
    over: ShareOf = "k",
    negative: Negative = "unjudged",
) -> pl.Expr:
    """The share of the first k documents that are unjudged: a warning where it is high.

    From 0 to 1. A list shorter than k is extended with judged documents. ``over="returned"``
    divides by the number of documents returned instead; this is 1 - Judged if both treat negative
    grades the same. Negative grades count as unjudged, unless ``negative="judged"``.

    >>> score(Unjudged @ 5, [1, None, 0, None])
    0.4
    >>> score(Unjudged(over="returned") @ 5, [1, None, 0, None])
    0.5
    """
    unjudged = NumUnjudgedRet.declaration.formulate(k, negative)
    return ratio(unjudged, cut(k, over=over))


@_count(
    title="Queries",
    formula=r"1",
    source="trec_eval's num_q",
    aggregate="sum",
    nothing_returned="by the formula",
    nothing_relevant="by the formula",
    moves="none",
    aliases={"num_q": {}},
)
def NumQ() -> pl.Expr:
    """1 for each query; the sum is the number of queries evaluated.

    Queries without results are included, as with trec_eval -c.

    >>> score(NumQ, [1, None, 0])
    1.0
    """
    return constant(1)


@_count(
    title="Documents returned",
    formula=r"n_\mathrm{ret}",
    source="trec_eval's num_ret",
    aggregate="sum",
    nothing_relevant="by the formula",
    moves="none",
    aliases={"num_ret": {}},
)
def NumRet(k: int | None = None) -> pl.Expr:
    """The number of documents returned, judged or not; summed over queries.

    >>> score(NumRet, [1, None, 0])
    3.0
    """
    return n_returned(k)


@_count(
    title="Relevant documents",
    formula=r"n_\mathrm{rel}",
    source="trec_eval's num_rel",
    aggregate="sum",
    nothing_returned="by the formula",
    moves="none",
    aliases={"num_rel": {}},
)
def NumRel(rel: float = 1) -> pl.Expr:
    """The number of relevant documents of the query, returned or not; summed over queries.

    >>> score(NumRel, [1, 0], unreturned=[2, 1])
    3.0
    """
    return n_relevant(rel)


@_linear(
    title="Relevant documents returned",
    better="high",
    formula=r"\sum_{i=1}^{k} \mathrm{rel}_i",
    source="trec_eval's num_rel_ret",
    aggregate="sum",
    moves="up",
    aliases={"num_rel_ret": {}},
)
def NumRelRet(k: int | None = None, rel: float = 1) -> pl.Expr:
    """The number of relevant documents within the cut-off; summed over queries.

    >>> score(NumRelRet @ 2, [1, 0, 1])
    1.0
    """
    return n_within(relevant(rel), k)


@_linear(
    title="Hits",
    better="high",
    formula=r"\sum_{i=1}^{k} \mathrm{rel}_i",
    source="ranx",
    moves="up",
    aliases={"hits": {}},
)
def Hits(k: int | None = None, rel: float = 1) -> pl.Expr:
    """The number of relevant documents within the cut-off, averaged over queries.

    From 0, without an upper bound. `NumRelRet` is its sum over queries.

    >>> score(Hits @ 2, [1, 0, 1])
    1.0
    """
    return n_within(relevant(rel), k)


@_linear(
    title="Documents returned that were judged not relevant",
    formula=r"\sum_{i=1}^{k} [0 \le g_i < \mathrm{rel}]",
    source="trec_eval's num_nonrel_judged_ret",
    aggregate="sum",
    nothing_relevant="by the formula",
    aliases={"num_nonrel_judged_ret": {}},
)
def NumNonRelJudgedRet(k: int | None = None, rel: float = 1) -> pl.Expr:
    """The number of documents within the cut-off judged not relevant; summed over queries.

    Negative grades are not judgments.

    >>> score(NumNonRelJudgedRet, [1, None, 0, -1], unreturned=[0])
    1.0
    """
    return n_within(nonrelevant(rel), k)


@_linear(
    title="Documents returned that nobody judged",
    formula=r"n_\mathrm{ret}@k - n_\mathrm{judged}@k",
    source="trec_eval's num_nonjudged_ret",
    aggregate="sum",
    nothing_relevant="by the formula",
    aliases={"num_nonjudged_ret": {}},
)
def NumUnjudgedRet(k: int | None = None, negative: Negative = "unjudged") -> pl.Expr:
    """The number of unjudged documents within the cut-off; summed over queries.

    Negative grades count as unjudged, unless ``negative="judged"``.

    >>> score(NumUnjudgedRet, [1, None, 0, -1])
    2.0
    """
    return (n_returned(k) - n_within(_judged(negative), k)).clip(lower_bound=0)


@_count(
    title="Share scored",
    range=(0, 1),
    formula=r"\frac{n_{\mathrm{judged\ and\ scored}}}{n_\mathrm{judged}}",
    source="What measures of pairs and thresholds look at",
    nothing_relevant="by the formula",
    moves="none",
)
def Scored() -> pl.Expr:
    """The share of the judged documents that have a score.

    From 0 to 1. Pair and threshold measures use these documents only: where the share is low, they
    say little about the system.

    >>> score(Scored, [1, 0], unreturned=[1, 0])
    0.5
    """
    return ratio(scored().sum(), scored().len())


_of_silence = partial(
    measure,
    family="counts",
    better="low",
    range=(0, 1),
    nothing_relevant="by the formula",
    moves="none",
)


@_of_silence(
    title="False answers",
    nothing_returned="by the formula",
    formula=r"[\,n_\mathrm{ret} > 0\,]",
    source="NoAns of SQuAD 2.0 (Rajpurkar, Jia and Liang, 2018) is 1 minus this",
    undefined="it is of queries that are declared to have no answer",
)
def FalseAnswer() -> pl.Expr:
    """Whether something was returned for a query that has no answer; lower is better.

    0 or 1 for a query; the mean is the share of such queries for which something was returned. Only
    queries declared with ``unanswerable=`` count.

    >>> score(FalseAnswer, [0, None])
    1.0
    """
    return (retrieved() > 0).cast(pl.Float64)


@_of_silence(
    title="False abstentions",
    nothing_returned=1.0,
    formula=r"[\,n_\mathrm{ret} = 0\,]",
    source="The rate of wrong abstentions of selective question answering",
)
def FalseAbstention() -> pl.Expr:
    """Whether nothing was returned for a query that has an answer; lower is better.

    0 or 1 for a query; the mean is the share of answerable queries for which nothing was returned.

    >>> score(FalseAbstention, [1, 0]), score(FalseAbstention, [], unreturned=[1])
    (0.0, 1.0)
    """
    return (retrieved() == 0).cast(pl.Float64)


RATES = (FalseAnswer, FalseAbstention)
"""The measures of whether something was returned: where nothing is, and where something is."""
