"""Cautions about a comparison; those about one system are in `rankreport.evaluation.cautions`."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankreport.comparison.decision import Basis, PairDecision
from rankreport.comparison.difference import FEW_CHANGED, MIN_CHANGED, n_changed_in_words
from rankreport.comparison.pairs import Pair
from rankreport.comparison.unseen_failures import WHY_UNALLOWED, Unallowed
from rankreport.evaluation import SAME_SCORES, depth_of
from rankreport.measures import Measure
from rankreport.text import (
    Caution,
    CautionKind,
    Concerned,
    Severity,
    comma_separated,
    counted,
    paragraph,
    percent,
    say,
    signed,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NO_METADATA = CautionKind(
    "no_metadata",
    "queries without metadata",
    sentence="Queries that are not in the query table: {n}.",
)
NO_WEIGHT = CautionKind(
    "no_weight",
    "queries without a weight",
    "Are they in the query table?",
    "Queries without a weight are left out: {n}.",
)
ZERO_WEIGHT = CautionKind(
    "zero_weight", "queries of weight 0", sentence="Queries of weight 0 are left out: {n}."
)
UNEVEN_WEIGHTS = CautionKind(
    "uneven_weights",
    "few queries carry the weight",
    "Look at the heaviest queries one by one.",
    "The weights reduce {queries} to an effective number of {effective}; the {n} heaviest hold "
    "{share} of the weight.",
)
FEW_RESAMPLES = CautionKind(
    "few_resamples",
    "few resamples",
    sentence="Only {n} resamples lie beyond each end of an interval, so its ends are imprecise: "
    "use {times} times as many resamples.",
)
FEW_CLUSTERS = CautionKind(
    "few_clusters",
    "few clusters",
    sentence="The queries form {n} clusters, an effective number of {effective}: too few to "
    "estimate well how much clusters differ.",
)
FEW_CHANGED_QUERIES = CautionKind(
    "few_changed",
    "few queries changed",
    "Evaluate more queries.",
    "Few queries changed: {systems}. With fewer than {few} changed, an interval may be too "
    "narrow; with fewer than {enough}, no system is called better or worse.",
)
FEW_QUERIES = CautionKind(
    "few_queries",
    "few queries",
    "Evaluate more queries.",
    "Few queries: {systems}. With fewer than {few} changed, an interval may be too narrow; with "
    "fewer than {enough}, no system is called better or worse.",
)
CONCENTRATED = CautionKind(
    "concentrated",
    "a few queries make the difference",
    "Look at these queries.",
    "A few queries make up most of the difference in {measure}: {systems}.",
)
RARE_FAILURES = CautionKind(
    "rare_failures",
    "rare failures not allowed for",
    sentence="Rare failures that these queries do not show are not allowed for: {reason}.",
)
ONE_SIDED = CautionKind(
    "one_sided",
    "one system did not answer",
    "Is its run complete?",
    "Most of a difference comes from queries for which one system returned nothing: {systems}.",
)
TIES_REVERSE = CautionKind(
    "ties_reverse",
    "equal scores could reverse it",
    "Break ties in the runs, or take the mean over all orders of equal scores (the tie rule "
    "expected).",
    "Another order of equal scores could reverse the sign of a difference: {systems}.",
)
UNEQUAL_DEPTH = CautionKind(
    "unequal_depth",
    "lists of unequal length",
    "Return as many documents in both, or use a cut-off within the shorter lists.",
    "Lists of unequal length: {systems}.",
)
FEW_SHARED = CautionKind(
    "few_shared",
    "few queries shared",
    sentence="Not all queries have a value for both systems; the others are left out: {systems}.",
)
JUDGED_ONLY = CautionKind(
    "judged_only",
    "unjudged documents",
    "Judge the unjudged documents at the top of the lists.",
    "Unjudged documents count as not relevant. Of the first {k}: {systems}.",
)
INTERVAL_DECIDES = CautionKind(
    "interval_decides",
    "p and interval differ",
    sentence="An adjusted p-value says otherwise than the interval, since the two are computed in "
    "different ways; the interval decides: {systems}.",
)
BASELINE_BY_NAME = CautionKind(
    "baseline_by_name",
    "the baseline is the first by name",
    sentence="A column names the systems, so they are in the order of their names: {baseline}, "
    "the first, is the baseline, unless another is named.",
)

OF_NUMBERS = frozenset(each.code for each in (ONE_SIDED, TIES_REVERSE, UNEQUAL_DEPTH))
"""Cautions on what the numbers of one measure depend on; others concern all measures."""

FEW_EFFECTIVE = 30
"""Fewer effective queries or clusters than this get a caution."""

_FEW_BEYOND = 10
"""With fewer resamples beyond an end, that end is imprecise."""

_NEARLY_EVEN = 0.9
"""Weights that keep this share of the number of queries get no caution."""

_HEAD = 10
"""The number of heaviest queries whose share of the weight is shown."""

_MOST_SHARED = 0.8
"""A smaller share of queries with values for both systems gets a caution."""

_Details = Callable[[PairDecision], str]
"""Returns the text in brackets after a pair, empty where the caution does not apply."""


def comparison_cautions(
    decided: Sequence[PairDecision],
    primary: Measure,
    *,
    n_queries: Mapping[str, int],
    leading: Pair | None = None,
    alike: Container[Pair] = (),
    copies: Sequence[Sequence[str]] = (),
    weights: ArrayLike | None = None,
    n_unweighted: int = 0,
    n_weightless: int = 0,
    n_unknown: int = 0,
    n_beyond: float = math.inf,
    clusters: ArrayLike | None = None,
    unallowed: Unallowed = "",
    judged: Mapping[str, float] = MappingProxyType({}),
    p_differs: Iterable[tuple[str, str, str]] = (),
    baseline_by_name: str | None = None,
) -> Iterable[Caution]:
    """Yield cautions about these differences, one sentence for all pairs concerned.

    Parameters
    ----------
    decided
        What the numbers of each pair's difference on the primary measure say.
    primary
        That measure.
    n_queries
        The number of queries that each system has a value for.
    leading
        The pair that the verdict is about: what may turn it is a reason to stop.
    alike
        The pairs whose systems have the same value of every measure for every query.
    copies
        Systems that returned the same documents in the same order, by groups.
    weights
        Weight of each query, if they are weighted.
    n_unweighted
        Number of queries left out because they have no weight.
    n_weightless
        Number of queries left out because their weight is 0.
    n_unknown
        Number of queries that are not in the query table.
    n_beyond
        Number of resamples beyond each end of an interval.
    clusters
        Cluster number of each query, if they have clusters.
    unallowed
        Why rare failures are not allowed for, if they are not.
    judged
        Each system's share judged of the documents at the top.
    p_differs
        Each baseline, system and measure whose adjusted p-value says otherwise than the interval.
    baseline_by_name
        The baseline, if it is the first by name of systems that a column names.

    Examples
    --------
    >>> import rankreport as rr
    >>> from rankreport.comparison.difference import Difference
    >>> found = PairDecision(Difference("new", "old", "RR", 20, 0, 0.0, None, None, 0.95, None))
    >>> known = {"n_queries": {"old": 20, "new": 20}, "alike": [Pair("old", "new")]}
    >>> for caution in comparison_cautions([found], rr.parse("RR"), **known):
    ...     print(caution)  # doctest: +NORMALIZE_WHITESPACE
    Identical scores on every query and measure: new against old (20 queries). Is it the same run
    twice?
    """
    known = [each for each in decided if each.found.n_queries > 0]
    few: Any = {"few": FEW_CHANGED, "enough": MIN_CHANGED}
    of_few = [each for each in known if each.found.has_few_queries]
    others = [each for each in known if not each.found.has_few_queries]
    yield from _alike(known, alike, copies)
    yield from NO_METADATA.of_count("note", 0 if n_unweighted else n_unknown)
    yield from NO_WEIGHT.of_count("look", n_unweighted)
    yield from ZERO_WEIGHT.of_count("note", n_weightless)
    yield from _of_queries(weights, clusters, n_beyond)
    yield from FEW_QUERIES.of_each(_pairs(of_few, _few_changed), **few)
    yield from FEW_CHANGED_QUERIES.of_each(_pairs(others, _few_changed), **few)
    yield from CONCENTRATED.of_each(
        _pairs(known, lambda each: each.found.concentrated), measure=primary
    )
    if unallowed:
        yield from RARE_FAILURES.of_each(
            _pairs(known, _if_settled, "note"),
            reason=say(WHY_UNALLOWED[unallowed], measure=primary),
        )
    of_leading = [each for each in decided if each.pair == leading]
    doubts = {(each.pair, basis) for each in of_leading for basis in each.doubts}
    over_ties = partial(_reversible_by_ties, weighted=weights is not None)
    yield from ONE_SIDED.of_each(_doubted(known, _mostly_missing, Basis.MISSING, doubts))
    yield from TIES_REVERSE.of_each(_doubted(known, over_ties, Basis.TIES, doubts))
    yield from FEW_SHARED.of_each(_pairs(known, _few_shared(n_queries, weights)))
    remedies = {each.found.depth_remedy for each in decided} - {""}
    remedy = remedies.pop() if len(remedies) == 1 else ""
    yield from UNEQUAL_DEPTH.of_each(_doubted(decided, _at_depths, Basis.DEPTH, doubts), remedy)
    yield from _of_unjudged(known, judged, depth_of(primary))
    yield from INTERVAL_DECIDES.of_each(
        Concerned((baseline, system), measure, severity="note")
        for baseline, system, measure in p_differs
    )
    if baseline_by_name is not None:
        yield BASELINE_BY_NAME.caution("note", baseline=baseline_by_name)


def _pairs(
    decided: Sequence[PairDecision], details: _Details, severity: Severity = "look"
) -> Iterator[Concerned]:
    """Yield the pairs with details, with them."""
    for each in decided:
        if words := details(each):
            yield Concerned(each.pair, words, severity=severity)


def _doubted(
    decided: Sequence[PairDecision],
    details: _Details,
    basis: Basis,
    stops: Container[tuple[Pair, Basis]],
) -> Iterator[Concerned]:
    """Yield the pairs with details of a doubt, which for some is a reason to stop."""
    for each in _pairs(decided, details):
        severity: Severity = "stop" if (each.systems, basis) in stops else "look"
        yield each._replace(severity=severity)


def _at_depths(decided: PairDecision) -> str:
    """Return the differences of a pair at equal depth, in words."""
    several, of = decided.deeper, decided.found.measure
    if not several:
        return ""
    of_measures = [
        say(
            "{measure} {at} instead of {found}",
            measure=each.measure_shown,
            at=each.at_depth.numbers if each.measure == of else each.at_depth.shown,
            found=each.at_depth.printed(each.delta),
        )
        for each in several
        if each.at_depth is not None
    ]
    other, one = several[0].lengths or (0, 0)
    fields = {"one": f"{one:,}", "other": f"{other:,}", "measures": comma_separated(of_measures)}
    found = say("{one} documents, not {other}; at equal depth {measures}", **fields)
    if of in {each.measure for each in several}:
        return found
    return say(
        "{found}; {measure} is not affected", found=found, measure=decided.found.measure_shown
    )


def _if_settled(decided: PairDecision) -> str:
    return "" if decided.found.by_interval in _OPEN else decided.found.by_interval


_OPEN = ("inconclusive", "unchanged")
"""Verdicts that do not depend on the sign of the difference."""


def _mostly_missing(decided: PairDecision) -> str:
    """Return how many queries one system did not answer, where they make most of a difference."""
    found, one = decided.found, decided.missing
    if one is None or not decided.mostly_missing:
        return ""
    whole = counted(found.n_queries, "query", "queries")
    part = say("{n} of {queries}", n=f"{one.n:,}", queries=whole)
    if one.delta is None:
        return part
    return say(
        "{part}; without them {delta} instead of {found}",
        part=part,
        delta=signed(one.delta),
        found=found.shown,
    )


def _alike(
    known: Sequence[PairDecision],
    alike: Container[Pair],
    copies: Sequence[Sequence[str]],
) -> Iterable[Caution]:
    """Warn of systems with identical scores, and say whether their lists are identical too."""

    def details(decided: PairDecision) -> str:
        if decided.pair not in alike:
            return ""
        return counted(decided.found.n_queries, "query", "queries")

    pairs = list(_pairs(known, details))
    whole = all(any({*each.systems} <= {*group} for group in copies) for each in pairs)
    lists = say("They returned the same documents in the same order.") if whole else ""
    for each in SAME_SCORES.of_each(pairs):
        yield replace(each, text=paragraph(each.text, lists))


def by_pair(cautions: Iterable[Caution], pairs: Iterable[Pair]) -> dict[Pair, list[Caution]]:
    """Return the cautions on each pair, as `Caution.is_about` but for many pairs at once."""
    groups = [(each, {frozenset(some) for some in each.concerns}) for each in cautions]
    found = {}
    for pair in pairs:
        parts = {frozenset(pair), *(frozenset({name}) for name in pair)}
        found[pair] = [each for each, of in groups if not of or not parts.isdisjoint(of)]
    return found


def _of_queries(
    weights: ArrayLike | None, clusters: ArrayLike | None, n_beyond: float
) -> Iterable[Caution]:
    """Warn of very uneven weights, few effective clusters, and too few resamples."""
    heaviest = None if weights is None else Heaviest.of(weights)
    if heaviest and heaviest.n_effective < min(FEW_EFFECTIVE, _NEARLY_EVEN * heaviest.n_weighted):
        yield UNEVEN_WEIGHTS.caution(
            "look",
            queries=counted(heaviest.n_weighted, "query", "queries"),
            effective=f"{heaviest.n_effective:.1f}",
            n=heaviest.n,
            share=percent(heaviest.share, whole=True),
        )
    if n_beyond < _FEW_BEYOND:
        times = math.ceil(_FEW_BEYOND / n_beyond - 1e-9)
        yield FEW_RESAMPLES.caution("look", n=f"{n_beyond:.1f}", times=times)
    of = None if clusters is None else Clustered.of(clusters)
    if of and of.n_effective < FEW_EFFECTIVE:
        yield FEW_CLUSTERS.caution("look", n=f"{of.n:,}", effective=f"{of.n_effective:.1f}")


def _of_unjudged(
    known: Sequence[PairDecision], judged: Mapping[str, float], k: int
) -> Iterable[Caution]:
    """Give the differences on judged documents alone, where unjudged ones might matter."""

    def details(decided: PairDecision) -> str:
        found = decided.found
        # Of identical lists, no grade of an unjudged document changes anything.
        if found.on_judged is None or found.lowest == found.highest == 0:
            return ""
        shares = [judged.get(name, 0.0) for name in (found.system, found.baseline)]
        one, other = (percent(share, whole=True) for share in shares)
        fields = {"one": one, "other": other, "numbers": found.on_judged.numbers}
        fields |= {name: getattr(found, name) for name in ("system", "baseline")}
        fields["measure"] = found.measure_shown
        judged_only = say(
            "judged: {one} of {system}, {other} of {baseline}; on judged documents {measure} "
            "{numbers}",
            **fields,
        )
        if found.lowest is None:
            return judged_only
        return say(
            "{found}; depending on the grades of the others, between {low} and {high}",
            found=judged_only,
            low=signed(found.lowest, found.highest),
            high=signed(found.highest, found.lowest),
        )

    yield from JUDGED_ONLY.of_each(_pairs(known, details), k=k)


class Heaviest(NamedTuple):
    """The heaviest queries: how many, the share of the weight that they hold, and of how many."""

    n: int
    share: float
    n_weighted: int
    n_effective: float

    @classmethod
    def of(cls, weights: ArrayLike) -> Heaviest:
        """Return those of some weights."""
        shares = np.sort(np.asarray(weights, dtype=np.float64))[::-1]
        shares = shares[shares > 0] / shares.sum()
        head = min(_HEAD, len(shares))
        effective = float(1 / np.square(shares).sum())
        return cls(head, float(shares[:head].sum()), len(shares), effective)


class Clustered(NamedTuple):
    """The number of clusters, and to how many of equal size they amount."""

    n: int
    n_effective: float

    @classmethod
    def of(cls, clusters: ArrayLike) -> Clustered:
        """Return those of the cluster numbers of queries."""
        sizes = np.unique(np.asarray(clusters), return_counts=True)[1]
        return cls(len(sizes), float(sizes.sum() ** 2 / np.square(sizes).sum()))


def _few_changed(decided: PairDecision) -> str:
    found = decided.found
    if found.n_changed == 0 or not found.may_be_too_narrow:
        return ""
    if found.has_few_queries:
        return found.queries_in_words
    return say(
        "{part} of {whole}",
        part=n_changed_in_words(found.n_changed, found.changed_effective),
        whole=f"{found.n_queries:,}",
    )


def _reversible_by_ties(decided: PairDecision, *, weighted: bool) -> str:
    """Return between which values a difference lies whose sign ties could reverse."""
    if not decided.reversible or decided.over_ties is None:
        return ""
    low, high = decided.over_ties
    ends = {"delta": decided.found.delta, "low": low, "high": high}
    fields = {name: signed(end, *ends.values()) for name, end in ends.items()}
    if weighted:
        return say("{delta}; about {low} to {high} depending on the order", **fields)
    return say("{delta}; {low} to {high} depending on the order", **fields)


def _few_shared(n_of: Mapping[str, int], weights: ArrayLike | None) -> _Details:
    """Return details of differences over far fewer queries than one of the systems has."""
    n_weighted = np.inf if weights is None else np.count_nonzero(weights)

    def details(decided: PairDecision) -> str:
        n = min(n_weighted, max(n_of.get(name, 0) for name in decided.pair))
        if decided.found.n_queries >= _MOST_SHARED * n:
            return ""
        return say("{part} of {whole}", part=f"{decided.found.n_queries:,}", whole=f"{n:,}")

    return details
