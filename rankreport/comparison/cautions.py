"""Cautions about a comparison; those about one system are in `rankreport.evaluation.cautions`."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import polars as pl

from rankreport.comparison.contrasts import OneSided
from rankreport.comparison.difference import FEW_CHANGED, MIN_CHANGED, Difference
from rankreport.comparison.pairs import Pair
from rankreport.comparison.unseen import WHY_UNALLOWED, Unallowed
from rankreport.comparison.verdict import (
    bounds_in_words,
    concentrated,
    n_changed_in_words,
    queries_in_words,
)
from rankreport.evaluation import (
    HARDLY_JUDGED,
    IDENTICAL_RUNS,
    SAME_SCORES,
    UNANSWERED,
    UNEVENLY_JUDGED,
    depth_of,
)
from rankreport.frames import MEASURE, SYSTEM
from rankreport.measures import EQUAL, Measure
from rankreport.text import (
    Caution,
    CautionKind,
    comma_separated,
    counted,
    paragraph,
    percent,
    say,
    signed,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NO_METADATA = CautionKind("no_metadata", "queries without metadata")
NO_WEIGHT = CautionKind("no_weight", "queries without a weight", "Are they in the query table?")
ZERO_WEIGHT = CautionKind("zero_weight", "queries of weight 0")
UNEVEN_WEIGHTS = CautionKind(
    "uneven_weights", "few queries carry the weight", "Look at the heaviest queries one by one."
)
FEW_RESAMPLES = CautionKind("few_resamples", "few resamples")
FEW_CLUSTERS = CautionKind("few_clusters", "few clusters")
FEW_CHANGED_QUERIES = CautionKind("few_changed", "few queries changed", "Evaluate more queries.")
FEW_QUERIES = CautionKind("few_queries", "few queries", "Evaluate more queries.")
CONCENTRATED = CautionKind(
    "concentrated", "a few queries make the difference", "Look at these queries."
)
RARE_FAILURES = CautionKind("rare_failures", "rare failures not allowed for")
ONE_SIDED = CautionKind("one_sided", "one system did not answer", "Is its run complete?")
TIES_REVERSE = CautionKind(
    "ties_reverse",
    "equal scores could reverse it",
    "Break ties in the runs, or take the mean over their orders: ties='expected'.",
)
UNEQUAL_DEPTH = CautionKind(
    "unequal_depth",
    "lists of unequal length",
    "Return as many documents in both, or use a cut-off within the shorter lists.",
)
FEW_SHARED = CautionKind("few_shared", "few queries shared")
JUDGED_ONLY = CautionKind(
    "judged_only",
    "unjudged documents",
    "Judge the unjudged documents at the top of the lists.",
)
INTERVAL_DECIDES = CautionKind("interval_decides", "p and interval differ")
BASELINE_BY_NAME = CautionKind("baseline_by_name", "the baseline is the first by name")

OF_ROWS: Final = frozenset(
    {
        *(FEW_CHANGED_QUERIES.code, FEW_QUERIES.code, CONCENTRATED.code, JUDGED_ONLY.code),
        UNEQUAL_DEPTH.code,
    }
)
"""Codes of cautions whose figures `verdict.caution` gives in every row."""

OF_SHARES: Final = frozenset({UNEVENLY_JUDGED.code, HARDLY_JUDGED.code})
"""Codes of cautions on data that say less than `JUDGED_ONLY`."""

FEW_EFFECTIVE = 30
"""Fewer effective queries or clusters than this get a caution."""

_FEW_BEYOND = 10
"""With fewer resamples beyond an end, that end is imprecise."""

_NEARLY_EVEN = 0.9
"""Weights that keep this share of the number of queries get no caution."""

MOSTLY = 0.5
"""One-sided queries that make up more than this share of a difference get a caution."""

_HEAD = 10
"""The number of heaviest queries whose share of the weight is shown."""

_MOST_SHARED = 0.8
"""A smaller share of queries with values for both systems gets a caution."""

_NAMED = 5
"""How many pairs are named."""

_OPEN = ("inconclusive", "unchanged")
"""Verdicts that do not depend on the sign of the difference."""

_Details = Callable[[Difference], str]
"""Returns the text in brackets after a pair, empty where the caution does not apply."""


def comparison_cautions(
    differences: Sequence[Difference],
    primary: Measure,
    *,
    ties: pl.DataFrame,
    quality: pl.DataFrame,
    leading: Difference | None = None,
    alike: Container[Pair] = (),
    copies: Sequence[Sequence[str]] = (),
    weights: ArrayLike | None = None,
    n_unweighted: int = 0,
    n_weightless: int = 0,
    n_unknown: int = 0,
    beyond: float = math.inf,
    clusters: ArrayLike | None = None,
    missing: Mapping[Pair, OneSided] = MappingProxyType({}),
    unallowed: Unallowed = "",
    judged: Mapping[str, float] = MappingProxyType({}),
    p_differs: Iterable[tuple[str, str, str]] = (),
    by_name: str | None = None,
    deeper: Sequence[Difference] = (),
) -> Iterable[Caution]:
    """Yield cautions about these differences, one sentence for all pairs concerned.

    Parameters
    ----------
    differences
        Each pair's difference on the primary measure.
    primary
        That measure.
    ties, quality
        Frames of `rankreport.Evaluation`; rows of other measures are ignored.
    leading
        The difference of the verdict.
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
    beyond
        Number of resamples beyond each end of an interval.
    clusters
        Cluster number of each query, if they have clusters.
    missing
        Queries that only one system answered, by pair.
    unallowed
        Why rare failures are not allowed for, if they are not.
    judged
        Each system's share judged of the documents at the top.
    p_differs
        Each baseline, system and measure whose adjusted p-value says otherwise than the interval.
    deeper
        The differences, on any measure, that have one at equal depth.
    by_name
        The baseline, if it is the first by name of systems that a column names.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d": 1} for i in range(20)}
    >>> old = {f"q{i}": {"x": 2.0, "d": 1.0} for i in range(20)}
    >>> e = rr.evaluate(qrels, {"old": old, "new": old}, ["RR"])
    >>> found = Difference("new", "old", "RR", 20, 0, 0.0, None, None, 0.95, None)
    >>> known = {"ties": e.ties(), "quality": e.quality}
    >>> alike = [Pair("old", "new")]
    >>> for caution in comparison_cautions([found], e.primary, alike=alike, **known):
    ...     print(caution)  # doctest: +NORMALIZE_WHITESPACE
    Identical scores on every query and measure: new against old (20 queries). Is it the same run
    twice?
    """
    known = [found for found in differences if found.n_queries > 0]
    yield from _alike(known, alike, copies)
    yield from _of_metadata(weights, n_unweighted, n_weightless, n_unknown)
    yield from _of_resampling(beyond, clusters)
    yield from _of_few(known, primary)
    yield from _of_rare(known, primary, unallowed)
    yield from _of_missing(known, missing, leading)
    bounds, weighted = tie_bounds(ties, primary), weights is not None
    reversible = _reversible_by_ties(primary, bounds, weighted=weighted)
    if pairs := _pairs(known, reversible):
        text = say(
            "Another order of equal scores could reverse the sign of a difference: {pairs}.",
            pairs=_listed(pairs),
        )
        decides = leading is not None and leading.word not in _OPEN and reversible(leading)
        yield TIES_REVERSE.caution("stop" if decides else "look", text, **_about(pairs))
    if pairs := _pairs(known, _few_shared(quality, weights)):
        text = say(
            "Not all queries have a value for both systems; the others are left out: {pairs}.",
            pairs=_listed(pairs),
        )
        yield FEW_SHARED.caution("look", text, **_about(pairs))
    yield from _of_depths(deeper, leading)
    yield from _of_unjudged(known, judged, depth_of(primary))
    yield from _of_p_values(p_differs)
    if by_name is not None:
        text = say(
            "A column names the systems, so they are in the order of their names: {baseline}, the "
            "first, is the baseline, unless another is named.",
            baseline=by_name,
        )
        yield BASELINE_BY_NAME.caution("note", text)


def _of_depths(deeper: Sequence[Difference], leading: Difference | None) -> Iterable[Caution]:
    """Warn where lists of one system are cut, and give the differences at equal depth."""
    of_pairs: dict[Pair, list[Difference]] = {}
    for each in deeper:
        of_pairs.setdefault(Pair(each.baseline, each.system), []).append(each)
    if of_pairs:
        pairs = [(pair, _at_depths(several)) for pair, several in of_pairs.items()]
        text = say(
            "The lists of one system are cut, and measures look at what the other returned below: "
            "{pairs}.",
            pairs=_listed(pairs),
        )
        decides = leading is not None and leading.is_turned_by_depth
        yield UNEQUAL_DEPTH.caution("stop" if decides else "look", text, **_about(pairs))


def _at_depths(several: Sequence[Difference]) -> str:
    """Return the differences of a pair at equal depth, in words."""
    of_measures = [
        say(
            "{measure} {at} instead of {found}",
            measure=each.measure_shown,
            at=signed(each.at_depth.delta, each.delta),
            found=signed(each.delta, each.at_depth.delta),
        )
        for each in several
        if each.at_depth is not None
    ]
    other, one = several[0].lengths or (0, 0)
    return say(
        "up to {one} documents and {other}; over the first {k} of both {measures}",
        one=f"{one:,}",
        other=f"{other:,}",
        k=f"{min(one, other):,}",
        measures=comma_separated(of_measures),
    )


def _of_few(known: Sequence[Difference], measure: Measure) -> Iterable[Caution]:
    """Warn where there are few queries, few changed, or a few make up most of a difference."""
    why = say(
        "With fewer than {few} changed, an interval may be too narrow; with fewer than {enough}, "
        "no system is called better or worse.",
        few=FEW_CHANGED,
        enough=MIN_CHANGED,
    )
    if few := _pairs([found for found in known if found.has_few_queries], _few_changed):
        text = paragraph(say("Few queries: {pairs}.", pairs=_listed(few)), why)
        yield FEW_QUERIES.caution("look", text, **_about(few))
    if changed := _pairs([found for found in known if not found.has_few_queries], _few_changed):
        text = paragraph(say("Few queries changed: {pairs}.", pairs=_listed(changed)), why)
        yield FEW_CHANGED_QUERIES.caution("look", text, **_about(changed))
    if carried := _pairs(known, concentrated):
        text = say(
            "A few queries make up most of the difference in {measure}: {pairs}.",
            measure=measure,
            pairs=_listed(carried),
        )
        yield CONCENTRATED.caution("look", text, **_about(carried))


def _of_rare(
    known: Sequence[Difference], primary: Measure, unallowed: Unallowed
) -> Iterable[Caution]:
    """Say where no verdict allows for rare failures, and what would."""
    pairs = _pairs(known, lambda found: "" if found.by_interval in _OPEN else found.by_interval)
    if pairs and unallowed:
        text = say(
            "Rare failures that these queries do not show are not allowed for: {reason}.",
            reason=say(WHY_UNALLOWED[unallowed], measure=primary),
        )
        yield RARE_FAILURES.caution("note", text, **_about(pairs))


def _of_missing(
    known: Sequence[Difference], missing: Mapping[Pair, OneSided], leading: Difference | None
) -> Iterable[Caution]:
    """Warn of differences mostly due to queries that one system did not answer."""

    def details(found: Difference) -> str:
        one = missing.get(Pair(found.baseline, found.system))
        if one is None or one.share <= MOSTLY:
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

    if pairs := _pairs(known, details):
        text = say(
            "Most of a difference comes from queries for which one system returned nothing: "
            "{pairs}.",
            pairs=_listed(pairs),
        )
        decides = leading is not None and leading.word not in _OPEN and details(leading)
        yield ONE_SIDED.caution("stop" if decides else "look", text, **_about(pairs))


def _alike(
    differences: Sequence[Difference],
    alike: Container[Pair],
    copies: Sequence[Sequence[str]],
) -> Iterable[Caution]:
    """Warn of systems with identical scores, and say whether their lists are identical too."""

    def details(found: Difference) -> str:
        if Pair(found.baseline, found.system) not in alike:
            return ""
        return counted(found.n_queries, "query", "queries")

    if pairs := _pairs(differences, details):
        text = say("Identical scores on every query and measure: {pairs}.", pairs=_listed(pairs))
        if all(any({*pair} <= {*group} for group in copies) for pair, _ in pairs):
            same = say("They returned the same documents in the same order.")
            text = paragraph(text, same)
        yield SAME_SCORES.caution("look", text, **_about(pairs))


def told_once(found: Iterable[Caution], of_data: Iterable[Caution]) -> tuple[Caution, ...]:
    """Return cautions so that queries not answered are a reason to stop only once."""
    stopped = any(each.code == UNANSWERED.code and each.severity == "stop" for each in of_data)
    return tuple(
        replace(each, severity="look") if stopped and each.code == ONE_SIDED.code else each
        for each in found
    )


def by_pair(cautions: Iterable[Caution], pairs: Iterable[Pair]) -> dict[Pair, list[Caution]]:
    """Return the cautions on each pair, as `Caution.is_about` but for many pairs at once."""
    groups = [(each, {frozenset(some) for some in each.concerns}) for each in cautions]
    found = {}
    for pair in pairs:
        parts = {frozenset(pair), *(frozenset({name}) for name in pair)}
        found[pair] = [each for each, of in groups if not of or not parts.isdisjoint(of)]
    return found


_OF_LEADING = frozenset({TIES_REVERSE.code, ONE_SIDED.code, UNEQUAL_DEPTH.code})
"""Codes of cautions that are reasons to stop where they decide on the leading pair."""


def turns_verdict(caution: Caution) -> bool:
    """Return whether a caution is to be checked first for what it does to one of its pairs."""
    return caution.severity == "stop" and caution.code in _OF_LEADING


def is_told(caution: Caution, differences: Iterable[Difference], alike: Container[Pair]) -> bool:
    """Return whether a caution is on identical runs or scores, and needless in a comparison.

    It is if each of its systems is compared with another, and their scores are identical,
    which is a caution of its own, or differ, as the measure looks at scores and not at places.
    """
    if caution.code not in {IDENTICAL_RUNS.code, SAME_SCORES.code}:
        return False
    [group] = caution.concerns
    known: set[str] = set()
    for found in differences:
        pair = Pair(found.baseline, found.system)
        if {*pair} <= {*group} and (pair in alike or found.n_changed):
            known |= {*pair}
    return known == {*group}


def _of_metadata(
    weights: ArrayLike | None, n_unweighted: int, n_weightless: int, n_unknown: int
) -> Iterable[Caution]:
    """Warn of queries without weight or metadata, and of very uneven weights."""
    if n_unknown and not n_unweighted:
        queries = counted(n_unknown, "query is", "queries are")
        text = say("{queries} not in the query table.", queries=queries)
        yield NO_METADATA.caution("note", text, count=n_unknown)
    if n_unweighted:
        text = say(
            "{queries} without a weight and left out.",
            queries=counted(n_unweighted, "query is", "queries are"),
        )
        yield NO_WEIGHT.caution("look", text, count=n_unweighted)
    if n_weightless:
        text = say(
            "{queries} of weight 0 and left out.",
            queries=counted(n_weightless, "query is", "queries are"),
        )
        yield ZERO_WEIGHT.caution("note", text, count=n_weightless)
    for text in _uneven_weights(weights):
        yield UNEVEN_WEIGHTS.caution("look", text)


def _of_resampling(beyond: float, clusters: ArrayLike | None) -> Iterable[Caution]:
    """Warn of too few resamples or clusters."""
    if beyond < _FEW_BEYOND:
        text = say(
            "Only {n} resamples lie beyond each end of an interval, so its ends are imprecise: "
            "use {times} times as many resamples.",
            n=f"{beyond:.1f}",
            times=math.ceil(_FEW_BEYOND / beyond - 1e-9),
        )
        yield FEW_RESAMPLES.caution("look", text)
    for text in _few_clusters(clusters):
        yield FEW_CLUSTERS.caution("look", text)


def _of_unjudged(
    known: Sequence[Difference], judged: Mapping[str, float], k: int
) -> Iterable[Caution]:
    """Give the differences on judged documents alone, where unjudged ones might matter."""

    def details(found: Difference) -> str:
        # Of identical lists, no grade of an unjudged document changes anything.
        if found.on_judged is None or found.lowest == found.highest == 0:
            return ""
        shares = [judged.get(name, 0.0) for name in (found.system, found.baseline)]
        one, other = (percent(share, whole=True) for share in shares)
        fields = {"one": one, "other": other, "numbers": found.on_judged.numbers}
        fields |= {name: getattr(found, name) for name in ("system", "baseline")}
        fields["measure"] = found.measure_shown
        if found.lowest is None:
            return say(
                "judged: {one} of {system}, {other} of {baseline}; on judged documents {measure} "
                "{numbers}",
                **fields,
            )
        low, high = bounds_in_words(found)
        return say(
            "judged: {one} of {system}, {other} of {baseline}; on judged documents {measure} "
            "{numbers}; range {low} to {high}",
            **fields,
            low=low,
            high=high,
        )

    if pairs := _pairs(known, details):
        text = say(
            "Unjudged documents count as not relevant. Of the first {k}: {pairs}.",
            k=k,
            pairs=_listed(pairs),
        )
        if any(found.lowest is not None for found in known):
            text = paragraph(
                text,
                say(
                    "The range covers all grades of the unjudged documents in the two lists; "
                    "documents in neither list stay not relevant."
                ),
            )
        yield JUDGED_ONLY.caution("look", text, **_about(pairs))


def _of_p_values(p_differs: Iterable[tuple[str, str, str]]) -> Iterable[Caution]:
    """Say which decides where an adjusted p-value and an interval differ."""
    pairs = [(Pair(baseline, system), measure) for baseline, system, measure in p_differs]
    if pairs:
        text = say(
            "An adjusted p-value says otherwise than the interval, since the two are computed in "
            "different ways; the interval decides: {pairs}.",
            pairs=_listed(pairs),
        )
        yield INTERVAL_DECIDES.caution("note", text, **_about(pairs))


_Pairs = Sequence[tuple[Pair, str]]
"""Pairs, each with details in words."""


def _pairs(differences: Sequence[Difference], details: _Details) -> _Pairs:
    """Return the pairs with details, with them."""
    return [
        (Pair(each.baseline, each.system), words)
        for each in differences
        if (words := details(each))
    ]


def _listed(pairs: _Pairs) -> str:
    """List pairs, each followed by its details."""
    found = [
        say("{system} against {baseline} ({what})", **pair._asdict(), what=words)
        for pair, words in pairs
    ]
    if len(found) > _NAMED:
        more = counted(len(found) - _NAMED, "more pair", "more pairs")
        found[_NAMED:] = [say("and {more}", more=more)]
    return comma_separated(found)


def _about(pairs: _Pairs) -> dict[str, Any]:
    """Return what a caution on these pairs says of them."""
    named = (say("{system} against {baseline}", **pair._asdict()) for pair, _ in pairs)
    return {"count": len(pairs), "examples": named, "concerns": [pair for pair, _ in pairs]}


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


def _uneven_weights(weights: ArrayLike | None) -> Iterable[str]:
    """Warn of weights that leave few effective queries."""
    if weights is None:
        return
    found = Heaviest.of(weights)
    if found.n_effective < min(FEW_EFFECTIVE, _NEARLY_EVEN * found.n_weighted):
        yield say(
            "The weights reduce {queries} to an effective number of {effective}; the {n} heaviest "
            "hold {share} of the weight.",
            queries=counted(found.n_weighted, "query", "queries"),
            effective=f"{found.n_effective:.1f}",
            n=found.n,
            share=percent(found.share, whole=True),
        )


def _few_clusters(clusters: ArrayLike | None) -> Iterable[str]:
    """Warn of few effective clusters."""
    if clusters is None:
        return
    found = Clustered.of(clusters)
    if found.n_effective < FEW_EFFECTIVE:
        yield say(
            "The queries form {n} clusters, an effective number of {effective}: too few to "
            "estimate well how much clusters differ.",
            n=f"{found.n:,}",
            effective=f"{found.n_effective:.1f}",
        )


def _few_changed(found: Difference) -> str:
    if found.n_changed == 0 or found.changed_effective >= FEW_CHANGED:
        return ""
    if found.has_few_queries:
        return queries_in_words(found)
    return say(
        "{part} of {whole}",
        part=n_changed_in_words(found.n_changed, found.changed_effective),
        whole=f"{found.n_queries:,}",
    )


TieBounds = Mapping[str, Mapping[str, Any]]
"""By system, the row of the frame of `rankreport.Evaluation.ties` on the primary measure."""


def tie_bounds(ties: pl.DataFrame, primary: Measure) -> TieBounds:
    """Return the lowest and highest means that orders of equal scores give each system."""
    rows = ties.filter(pl.col(MEASURE) == str(primary)).iter_rows(named=True)
    return {row[SYSTEM]: row for row in rows}


def range_of_ties(
    found: Difference, primary: Measure, bounds: TieBounds, *, weighted: bool
) -> tuple[float, float] | None:
    """Return the lowest and highest difference that orders of equal scores give, where known.

    The bounds are of unweighted means. For weighted means they are approximated by shifting the
    difference as much as ties shift the unweighted one.

    Parameters
    ----------
    found
        The difference.
    primary
        Its measure.
    bounds
        What `tie_bounds` returns.
    weighted
        Whether the difference is of weighted queries.
    """
    one, other = bounds.get(found.system, {}), bounds.get(found.baseline, {})
    ends = ("worst", "value", "best")
    if found.delta is None or any(side.get(end) is None for side in (one, other) for end in ends):
        return None
    n = found.n_queries if primary.declaration.aggregate == "sum" else 1
    low, seen, high = (
        (one[end] - other[against]) / n for end, against in zip(ends, ends[::-1], strict=True)
    )
    if weighted:
        return found.delta + low - seen, found.delta + high - seen
    # The bounds are over all queries of a system, so the difference must be, too.
    if abs(seen - found.delta) > EQUAL * max(1, found.n_queries):
        return None
    return low, high


def is_reversible(found: Difference, ends: tuple[float, float] | None) -> bool:
    """Return whether orders of equal scores give differences on both sides of 0."""
    if not found.delta or ends is None:
        return False
    low, high = ends
    return low < -EQUAL if found.delta > 0 else high > EQUAL


def _reversible_by_ties(primary: Measure, bounds: TieBounds, *, weighted: bool) -> _Details:
    """Return details of differences whose sign ties could reverse: lowest and highest value."""

    def details(found: Difference) -> str:
        over_ties = range_of_ties(found, primary, bounds, weighted=weighted)
        if over_ties is None or not is_reversible(found, over_ties):
            return ""
        low, high = over_ties
        ends = {"delta": found.delta, "low": low, "high": high}
        fields = {name: signed(end, *ends.values()) for name, end in ends.items()}
        if weighted:
            return say("{delta}; about {low} to {high} depending on the order", **fields)
        return say("{delta}; {low} to {high} depending on the order", **fields)

    return details


def _few_shared(quality: pl.DataFrame, weights: ArrayLike | None) -> _Details:
    """Return details of differences over far fewer queries than one of the systems has."""
    n_of = dict(quality.select(SYSTEM, "n_queries").iter_rows())
    n_weighted = np.inf if weights is None else np.count_nonzero(weights)

    def details(found: Difference) -> str:
        n = min(n_weighted, max(n_of.get(name, 0) for name in (found.system, found.baseline)))
        if found.n_queries >= _MOST_SHARED * n:
            return ""
        return say("{part} of {whole}", part=f"{found.n_queries:,}", whole=f"{n:,}")

    return details
