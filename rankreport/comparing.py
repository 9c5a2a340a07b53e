"""compare(): systems against a baseline, or each other, measure by measure and query by query."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from rankreport import statistics
from rankreport.asking import check_averaged, check_decides
from rankreport.comparison import Comparison
from rankreport.drawing import Draws, check_draws
from rankreport.errors import OptionError, check_confidence, choose, expect
from rankreport.evaluation import Evaluation
from rankreport.families import ACROSS
from rankreport.pairing import pairs_of
from rankreport.traits import traits_of

__all__ = ["compare"]


def compare(
    evaluation: Evaluation,
    baseline: str | Iterable[str] | None = None,
    *,
    pairs: str = "baseline",
    interval: str = "auto",
    test: str = "sign-flip",
    correction: str = "max-t",
    across: str = "systems",
    confidence: float = 0.95,
    margin: float | None = None,
    queries: Any = None,
    weights: str | Mapping[str, float] | None = None,
    clusters: str | Mapping[str, Any] | None = None,
    strata: str | Mapping[str, Any] | None = None,
    segments: str | Iterable[str] | Mapping[str, Any] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    memory: int = statistics.MEMORY,
) -> Comparison:
    """Compare every system of an evaluation with one of them, or with each other.

    Parameters
    ----------
    evaluation
        Of two systems or more.
    baseline
        The system to compare with, or several; the first one unless given.
    pairs
        ``"baseline"``, or ``"all"``, every system with every other.
    interval
        ``"auto"``, the hull of Student's t and BCa: on paired differences of ranking measures,
        which are tied and skewed, each of the two falls short where the other does not. Or ``"t"``,
        ``"percentile"``, ``"basic"``, ``"bca"``, ``"studentized"``.
    test
        ``"sign-flip"``, the randomisation test of the mean, exact up to 36 changed queries (40 on
        the primary measure); ``"bootstrap"``, studentised; ``"t"``, paired. Not of the mean:
        ``"wilcoxon"``, of symmetry about zero; ``"sign"``, of wins against losses.
    correction
        For several differences: ``"max-t"``, step-down on the draws of the test, which all share;
        ``"holm"``; ``"bh"``, Benjamini and Hochberg's, to explore; ``"none"``. Intervals hold for
        all at once, unless it is ``"none"``: by max-t those of kind ``"studentized"``, the others
        at Bonferroni's level, for their error by max-t is not known.
    across
        What counts as several: ``"systems"``, the pairs on one measure; ``"measures"``, all pairs
        on all measures.
    confidence
        Of the intervals, between 0 and 1; where several differences are corrected, that all of
        their intervals hold at once.
    margin
        The difference, above 0, that would not matter, named before the data are seen: the verdict
        may then be no worse (than by the margin), or equivalent (within it).
    queries
        What is known of the queries, whatever `read_queries` accepts: ``query_id``, ``text`` and
        any columns.
    weights
        What each query weighs, such as its share of the traffic: a column of `queries`, or
        ``{query_id: weight}``. One without a weight weighs nothing.
    clusters
        What queries are of, such as a user or session, where those of one are alike: a column, or
        ``{query_id: cluster}``. Clusters are drawn, not queries.
    strata
        The part of the population that each query was drawn from, where its share is fixed: a
        column, or ``{query_id: stratum}``. Queries are drawn within their stratum.
    segments
        By which to break the comparison down: columns of `queries`, or ``{query_id: segment}``.
    resamples
        Of the bootstrap; a longer run extends a shorter one.
    seed
        Of everything random. The same seed gives the same figures.
    memory
        Bytes that a block of resamples may take (of 16 at the least); no figure depends on it
        beyond 1e-12.

    Returns
    -------
    Comparison

    Raises
    ------
    MeasureError
        If a measure is no mean or sum over queries, so that its difference is not that of the
        queries, or the primary one is not better where it is higher.
    OptionError
        If there are no two systems, no such baseline, an option has a value it cannot take, or
        options do not combine (docs/comparison.md says which do).
    DataError
        If the queries cannot be read.

    Notes
    -----
    With more than 50,000 queries (or clusters), 10,000 buckets of them are drawn in their stead,
    filled at random: the distribution of the mean is the same, and what is printed says so. Kinds
    that need the error of every replicate, ``"studentized"`` and the test ``"bootstrap"``, draw
    queries still.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(30)}
    >>> right, wrong = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
    >>> old = {f"q{i}": right if i % 2 == 0 else wrong for i in range(30)}
    >>> new = {f"q{i}": right for i in range(30)}
    >>> comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["RR"]))
    >>> print(comparison.verdict())
    new is better than old on RR: +0.250 (95 % interval +0.155 to +0.345), 30 queries.
    """
    expect(evaluation, (Evaluation,), "compare() takes what evaluate() returns")
    check_averaged(evaluation.measures)
    check_decides(evaluation.primary)
    if len(evaluation.systems) < 2:
        raise OptionError("A comparison needs two systems or more; this evaluation has one.")
    choose("interval", interval, statistics.INTERVALS)
    choose("test", test, statistics.TESTS)
    choose("correction", correction, statistics.CORRECTIONS)
    choose("across", across, ACROSS)
    check_confidence(confidence)
    _check_margin(margin)
    check_draws(Draws(resamples, seed, memory))
    made = Comparison(
        evaluation=evaluation,
        pairs=pairs_of(evaluation.systems, baseline, pairs),
        interval=interval,
        test=test,
        correction=correction,
        across=across,
        confidence=confidence,
        margin=margin,
        traits=traits_of(
            queries, weights=weights, clusters=clusters, strata=strata, segments=segments
        ),
        resamples=resamples,
        seed=seed,
        memory=memory,
    )
    if reason := made.refusal():
        raise OptionError(reason)
    return made


def _check_margin(margin: float | None) -> None:
    expect(margin, (int, float, type(None)), "margin takes a number above 0, such as 0.01")
    if margin is not None and not (math.isfinite(margin) and margin > 0):
        raise OptionError(f"margin={margin} must be above 0: the difference that would not matter.")
