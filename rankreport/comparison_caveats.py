"""What to mind before relying on a comparison, in sentences.

What holds of one system alone, whatever it is compared with, is said in `rankreport.caveats`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankreport.caveats import passes_over_unjudged
from rankreport.columns import MEASURE, SYSTEM
from rankreport.difference import MIN_CHANGED, Difference, n_changed_in_words
from rankreport.measures import EQUAL, Measure
from rankreport.one_sided import OneSided
from rankreport.pairing import Pair
from rankreport.rendering.language import say
from rankreport.rendering.text import counted, decimals, number, percent, strung
from rankreport.verdict import FEW_CHANGED, concentrated
from rankreport.weighing import Caution, Weight

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["FEW_EFFECTIVE", "comparison_cautions"]

FEW_EFFECTIVE = 30
"""Weighted queries that count as fewer than so many equal ones deserve a word."""

_FEW_BEYOND = 10
"""With fewer resamples beyond an end, that end is rough."""

_NEARLY_EVEN = 0.9
"""Where queries count as this share of their number, weights are not what makes them few."""

_MOSTLY = 0.5
"""A difference rests on queries that make more than this share of it."""

_HEAD = 10
"""Of how many queries the share of the weight is told."""

_MOST_SHARED = 0.8
"""A smaller share of the queries that both systems have a value for deserves a word."""

_UNEVEN = 0.05
"""A difference in the share judged that deserves a word."""

_NAMED = 5
"""How many pairs are named."""

_OPEN = ("inconclusive", "unchanged")
"""Verdicts that no turn of a sign could overthrow."""

_Told = Callable[[Difference], str]
"""What is said of a pair in brackets; empty where nothing is."""


def comparison_cautions(
    differences: Sequence[Difference],
    primary: Measure,
    *,
    ties: pl.DataFrame,
    quality: pl.DataFrame,
    coverage: pl.DataFrame,
    leading: Difference | None = None,
    alike: Container[Pair] = (),
    weights: ArrayLike | None = None,
    n_unweighted: int = 0,
    n_weightless: int = 0,
    n_unknown: int = 0,
    beyond: float = math.inf,
    clusters: ArrayLike | None = None,
    missing: Mapping[Pair, OneSided] = MappingProxyType({}),
) -> Iterable[Caution]:
    """Yield what a reader of these differences must know, one sentence for all pairs it is true of.

    Parameters
    ----------
    differences
        What was found of each pair on the measure that decides.
    primary
        That measure.
    ties, quality, coverage
        As in `rankreport.Evaluation`; of ties and coverage, rows of other measures are passed over.
    leading
        The difference that the verdict is on.
    alike
        The pairs whose systems have the same value of every measure for every query.
    weights
        Of the queries, where they are weighted.
    n_unweighted
        How many queries have no weight, and so do not count.
    n_weightless
        How many have the weight 0, and so do not count either.
    n_unknown
        How many are not in the table of queries.
    beyond
        How many resamples lie beyond each end of an interval.
    clusters
        The numbers of the queries' clusters, where they have any.
    missing
        What queries that one system alone answered make of a pair's difference.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d": 1} for i in range(20)}
    >>> old = {f"q{i}": {"x": 2.0, "d": 1.0} for i in range(20)}
    >>> e = rr.evaluate(qrels, {"old": old, "new": old}, ["RR"])
    >>> found = Difference("new", "old", "RR", 20, 0, 0.0, None, None, 0.95, None)
    >>> known = {"ties": e.ties(), "quality": e.quality, "coverage": e.coverage()}
    >>> alike = [Pair("old", "new")]
    >>> for caution in comparison_cautions([found], e.primary, alike=alike, **known):
    ...     print(caution.text)
    Scored alike on every query and measure: new against old (20 queries). Is it the same run twice?
    """
    of_primary = pl.col(MEASURE) == str(primary)
    known = [found for found in differences if found.n_queries > 0]
    yield from _alike(known, alike, leading)
    yield from _of_traits(weights, n_unweighted, n_weightless, n_unknown)
    yield from _of_drawing(beyond, clusters)
    yield from _of_few(known, str(primary))
    yield from _of_missing(known, missing, leading)
    turns = _turned_by_ties(primary, ties.filter(of_primary), weighted=weights is not None)
    if turned := _pairs(known, turns):
        text = say(
            "Another order of equal scores could turn the sign of a difference: {pairs}.",
            pairs=turned,
        )
        decides = leading is not None and leading.word not in _OPEN and turns(leading)
        yield Caution(Weight.SEVERE if decides else Weight.SERIOUS, text)
    if narrowed := _pairs(known, _few_shared(quality, weights)):
        text = say(
            "Not all queries have a value for both systems and count: {pairs}.", pairs=narrowed
        )
        yield Caution(Weight.SERIOUS, text)
    # Of two systems, the cautions of their evaluation say so.
    if len(quality) > 2 and not passes_over_unjudged(primary):
        uneven = _pairs(known, _unevenly_judged(quality, coverage.filter(of_primary)))
        if uneven:
            text = say(
                "Two systems compared were not judged alike: {pairs}. Unjudged documents count as "
                "not relevant, which favours the system that was judged more.",
                pairs=uneven,
            )
            yield Caution(Weight.SERIOUS, text)


def _of_few(known: Sequence[Difference], measure: str) -> Iterable[Caution]:
    """Warn where few queries changed, or a few make what was found."""
    if changed := _pairs(known, _few_changed):
        text = say(
            "Few queries changed: {pairs}. With fewer than {few} an interval may be too narrow, "
            "and with fewer than {enough} nothing is called better or worse.",
            pairs=changed,
            few=FEW_CHANGED,
            enough=MIN_CHANGED,
        )
        yield Caution(Weight.SERIOUS, text)
    if carried := _pairs(known, concentrated):
        text = say(
            "A few queries carry what was found in {measure}: {pairs}.",
            measure=measure,
            pairs=carried,
        )
        yield Caution(Weight.SERIOUS, text)


def _of_missing(
    known: Sequence[Difference], missing: Mapping[Pair, OneSided], leading: Difference | None
) -> Iterable[Caution]:
    """Warn of differences that are mostly made of what one of two systems did not return."""

    def told(found: Difference) -> str:
        one = missing.get(Pair(found.baseline, found.system))
        if one is None or one.share <= _MOSTLY:
            return ""
        whole = counted(found.n_queries, "query", "queries")
        part = say("{n} of {queries}", n=one.n, queries=whole)
        if one.delta is None:
            return part
        digits = decimals(one.delta, found.delta)
        return say(
            "{part}; without them {delta} instead of {found}",
            part=part,
            delta=number(one.delta, digits, signed=True),
            found=number(found.delta, digits, signed=True),
        )

    if pairs := _pairs(known, told):
        text = say(
            "Queries for which one of two systems returned nothing make most of a difference: "
            "{pairs}. Is its run whole?",
            pairs=pairs,
        )
        decides = leading is not None and leading.word not in _OPEN and told(leading)
        yield Caution(Weight.SEVERE if decides else Weight.SERIOUS, text)


def _alike(
    differences: Sequence[Difference], alike: Container[Pair], leading: Difference | None
) -> Iterable[Caution]:
    """Warn of systems that cannot be told apart by any figure."""

    def told(found: Difference) -> str:
        if Pair(found.baseline, found.system) not in alike:
            return ""
        return counted(found.n_queries, "query", "queries")

    if pairs := _pairs(differences, told):
        text = say(
            "Scored alike on every query and measure: {pairs}. Is it the same run twice?",
            pairs=pairs,
        )
        decides = leading is not None and told(leading)
        yield Caution(Weight.SEVERE if decides else Weight.SERIOUS, text)


def _of_traits(
    weights: ArrayLike | None, n_unweighted: int, n_weightless: int, n_unknown: int
) -> Iterable[Caution]:
    """Warn of queries that do not count or are not known, and of few that count for nearly all."""
    if n_unknown and not n_unweighted:
        queries = counted(n_unknown, "query is", "queries are")
        yield Caution(Weight.SLIGHT, say("{queries} not in the table of queries.", queries=queries))
    if n_unweighted:
        text = say(
            "{queries} without a weight, which do not count: are they in the table of queries?",
            queries=counted(n_unweighted, "query is", "queries are"),
        )
        yield Caution(Weight.SERIOUS, text)
    if n_weightless:
        text = say(
            "{queries} of weight 0, which do not count.",
            queries=counted(n_weightless, "query is", "queries are"),
        )
        yield Caution(Weight.SLIGHT, text)
    for text in _uneven_weights(weights):
        yield Caution(Weight.SERIOUS, text)


def _of_drawing(beyond: float, clusters: ArrayLike | None) -> Iterable[Caution]:
    """Warn of how queries are drawn: how often, and how they hang together."""
    if beyond < _FEW_BEYOND:
        text = say(
            "Only {n} resamples lie beyond each end of an interval, so its ends are rough: ask for "
            "{times} times as many.",
            n=f"{beyond:.1f}",
            times=math.ceil(_FEW_BEYOND / beyond),
        )
        yield Caution(Weight.SERIOUS, text)
    for text in _few_clusters(clusters):
        yield Caution(Weight.SERIOUS, text)


def _pairs(differences: Sequence[Difference], told: _Told) -> str:
    """Name the pairs of which there is something to tell, each with what it is."""
    found = [
        say(
            "{system} against {baseline} ({what})",
            system=each.system,
            baseline=each.baseline,
            what=words,
        )
        for each in differences
        if (words := told(each))
    ]
    if len(found) > _NAMED:
        more = counted(len(found) - _NAMED, "more pair", "more pairs")
        found[_NAMED:] = [say("and {more}", more=more)]
    return strung(found)


def _uneven_weights(weights: ArrayLike | None) -> Iterable[str]:
    """Warn of weights by which a few queries decide."""
    if weights is None:
        return
    shares = np.sort(np.asarray(weights, dtype=np.float64))[::-1]
    shares = shares[shares > 0] / shares.sum()
    effective = 1 / np.square(shares).sum()
    if effective >= min(FEW_EFFECTIVE, _NEARLY_EVEN * len(shares)):
        return
    head = min(_HEAD, len(shares))
    yield say(
        "The weights make {queries} count as no more than {effective} equal ones would; the {n} "
        "heaviest hold {share} of the weight.",
        queries=counted(len(shares), "query", "queries"),
        effective=f"{effective:.1f}",
        n=head,
        share=percent(float(shares[:head].sum()), whole=True),
    )


def _few_clusters(clusters: ArrayLike | None) -> Iterable[str]:
    """Warn of clusters that are few, or of which a few are large."""
    if clusters is None:
        return
    sizes = np.unique(np.asarray(clusters), return_counts=True)[1]
    effective = sizes.sum() ** 2 / np.square(sizes).sum()
    if effective < FEW_EFFECTIVE:
        yield say(
            "The queries lie in {n} clusters, which count as {effective} of one size: few to know "
            "by how much clusters differ.",
            n=f"{len(sizes):,}",
            effective=f"{effective:.1f}",
        )


def _few_changed(found: Difference) -> str:
    if found.n_changed == 0 or found.telling >= FEW_CHANGED:
        return ""
    return say(
        "{part} of {whole}",
        part=n_changed_in_words(found.n_changed, found.telling),
        whole=found.n_queries,
    )


def _turned_by_ties(primary: Measure, bounds: pl.DataFrame, *, weighted: bool) -> _Told:
    """Tell a difference that ties could turn: from its lowest to its highest value.

    The bounds are of means in which each query counts once. Of weighted ones it is not known how
    far ties move them, but those are: a difference that would be turned as far is told.
    """
    of_system = {row[SYSTEM]: row for row in bounds.iter_rows(named=True)}
    sums = primary.declaration.aggregate == "sum"

    def told(found: Difference) -> str:
        one, other = of_system.get(found.system, {}), of_system.get(found.baseline, {})
        ends = ("worst", "value", "best")
        if not found.delta or any(side.get(end) is None for side in (one, other) for end in ends):
            return ""
        n = found.n_queries if sums else 1
        low, seen, high = (
            (one[end] - other[against]) / n for end, against in zip(ends, ends[::-1], strict=True)
        )
        if weighted:
            low, high = found.delta + low - seen, found.delta + high - seen
        # The bounds are of all queries of a system; only where the difference is of those too do
        # they bound it.
        elif abs(seen - found.delta) > EQUAL * max(1, found.n_queries):
            return ""
        if not (low < -EQUAL if found.delta > 0 else high > EQUAL):
            return ""
        digits = decimals(low, found.delta, high)
        shown = (number(end, digits, signed=True) for end in (found.delta, low, high))
        told = dict(zip(("delta", "low", "high"), shown, strict=True))
        if weighted:
            return say("{delta}, but roughly anything from {low} to {high}", **told)
        return say("{delta}, but anything from {low} to {high}", **told)

    return told


def _few_shared(quality: pl.DataFrame, weights: ArrayLike | None) -> _Told:
    """Tell a difference that rests on far fewer queries than one of its systems is scored on."""
    n_of = dict(quality.select(SYSTEM, "n_queries").iter_rows())
    weighed = np.inf if weights is None else np.count_nonzero(weights)

    def told(found: Difference) -> str:
        n = min(weighed, max(n_of.get(name, 0) for name in (found.system, found.baseline)))
        if found.n_queries >= _MOST_SHARED * n:
            return ""
        return say("{part} of {whole}", part=f"{found.n_queries:,}", whole=f"{n:,}")

    return told


def _unevenly_judged(quality: pl.DataFrame, coverage: pl.DataFrame) -> _Told:
    """Tell a pair judged unevenly above the cut of the measure that decides, or in the first 10."""
    k, judged = 10, dict(quality.select(SYSTEM, "judged_at_10").iter_rows())
    cut = coverage.drop_nulls()
    if len(cut):
        k = cut["k"][0]
        judged = dict(cut.select(SYSTEM, 1 - pl.col("unjudged")).iter_rows())

    def told(found: Difference) -> str:
        one, other = judged.get(found.system), judged.get(found.baseline)
        # Without any judged document, a system has a caution of its own.
        if not one or not other or abs(one - other) <= _UNEVEN:
            return ""
        return say(
            "{one} and {other} of the first {k} documents",
            one=percent(one, whole=True),
            other=percent(other, whole=True),
            k=k,
        )

    return told
