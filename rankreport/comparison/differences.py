"""The differences of a comparison: all figures of each pair on each measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rankreport.caching import cached
from rankreport.comparison.columns import OF_JUDGED
from rankreport.comparison.difference import MIN_CHANGED, Difference
from rankreport.comparison.paired_differences import (
    Contrasts,
    OneSided,
    contrasts_of,
    contrasts_on,
    detectability,
    one_sided,
)
from rankreport.comparison.pairs import Pair, systems_of
from rankreport.comparison.unjudged import difference_bounds
from rankreport.comparison.unseen_failures import losses_of, unseen_of, with_ends
from rankreport.comparison.values import ComparisonValues, family_of
from rankreport.evaluation import (
    data_facts_of,
    is_unevenly_judged,
    score_matrices,
    unjudged_at_top,
    values_on_judged,
)
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import TIES, Measure, by_measure, shown_name
from rankreport.progress import stage


@cached
def plain_table_of(comparison: ComparisonValues) -> pl.DataFrame:
    """Return `Comparison.table` without cautions, with the columns of a `Difference`."""
    contrasts = contrasts_of(comparison)
    p_values = p_values_of(comparison, comparison.test)
    with stage("resampling"):
        adjusted = contrasts.adjusted(comparison.test, p_values)
    rows = with_ends(comparison, contrasts).with_columns(p_values, adjusted)
    return by_measure(rows, comparison.evaluation.measures)


@cached
def p_values_of(comparison: ComparisonValues, test: str | Callable[..., Any]) -> pl.Series:
    """Return the p-values of a test."""
    with stage("resampling"):
        return contrasts_of(comparison).p_values(test, str(comparison.primary))


@cached
def differences_on_measures(comparison: ComparisonValues) -> list[Difference]:
    """Return the difference of each pair on each measure, in the order of the table."""
    contrasts, found = contrasts_of(comparison), []
    losses = losses_of(comparison, contrasts)
    power_of = detectability(contrasts, comparison.confidence, comparison.margin, losses)
    for row in plain_table_of(comparison).iter_rows(named=True):
        pair, measure = Pair(row[BASELINE], row[SYSTEM]), row[MEASURE]
        power = power_of[contrasts.column(pair, measure)]
        named = shown_name(comparison.evaluation.measures, measure)
        each = Difference.of(
            row,
            comparison.confidence,
            margin=comparison.margin,
            asked=named if named != measure else "",
            n_simultaneous=family_of(comparison).n_simultaneous,
            goal=contrasts.goal_of(measure),
            **power,
        )
        found.append(_with_unseen(comparison, each))
    at_depth = figures_at_equal_depth(
        comparison, comparison.pairs, comparison.evaluation.measures, contrasts
    )
    primary = str(comparison.primary)
    judged = (with_judged_only(comparison, e) if e.measure == primary else e for e in found)
    return [with_depth(each, at_depth.get((each.pair, each.measure))) for each in judged]


@cached
def differences_without_model(comparison: ComparisonValues) -> dict[Pair, Difference]:
    """Return the difference of each pair on the primary measure, without a model's judgments."""
    name = str(comparison.primary)
    decisive = [each for each in differences_on_measures(comparison) if each.measure == name]
    return dict(zip(comparison.pairs, decisive, strict=True))


def _with_unseen(comparison: ComparisonValues, found: Difference) -> Difference:
    """Return a difference with what the queries leave possible, where that undoes a verdict."""
    if not found.seen_only:
        return found
    contrasts = contrasts_of(comparison)
    column = contrasts.column(found.pair, found.measure)
    largest = losses_of(comparison, contrasts)[contrasts.measures.index(found.measure)]
    alpha = float(1 - contrasts.levels(comparison.confidence)[column]) / 2
    below = (found.delta or 0.0) > 0
    return replace(found, unseen=unseen_of(contrasts, column, largest, alpha, below=below))


@cached
def p_differs_of(comparison: ComparisonValues) -> list[tuple[str, str, str]]:
    """Return each baseline, system, measure whose adjusted p says otherwise than the interval."""
    if not family_of(comparison).corrects:
        return []
    rows = plain_table_of(comparison).filter(pl.col("n_changed_effective") >= MIN_CHANGED)
    excludes = (pl.col("ci_low") > 0) | (pl.col("ci_high") < 0)
    rejects = pl.col("p_adjusted") <= 1 - comparison.confidence
    return rows.filter(excludes != rejects).select(BASELINE, SYSTEM, MEASURE).rows()


def n_in_tail(comparison: ComparisonValues) -> float:
    """Return how many resamples lie beyond the quantiles that ends depend on."""
    if not any(found.end_error for found in differences_without_model(comparison).values()):
        return math.inf
    if family_of(comparison).by_max_t:
        return comparison.resamples * (1 - comparison.confidence)
    return comparison.resamples * (1 - family_of(comparison).level(comparison.confidence)) / 2


def figures_at_equal_depth(
    comparison: ComparisonValues,
    pairs: Sequence[Pair],
    measures: Sequence[Measure],
    of: Contrasts,
) -> Mapping[tuple[Pair, str], dict[str, Any]]:
    """Return the figures of differences at equal depth, where lists of a system are cut.

    Intervals hold for the family of the contrasts `of` which these are some pairs.
    """
    depths = data_facts_of(comparison.evaluation).depths
    known = [pair for pair in pairs if {*pair} <= depths.keys()]
    of_pairs = {pair: depths[pair.baseline].equal_to(depths[pair.system]) for pair in known}
    found = {}
    for depth in sorted({depth for depth in of_pairs.values() if depth is not None}):
        deeper = [measure for measure in measures if measure.looks_beyond(depth)]
        if not deeper:
            continue
        values = comparison.evaluation.values(deeper, within=depth)
        contrasts = contrasts_on(comparison, deeper, values=values).paired_as(of)
        for row in with_ends(comparison, contrasts).iter_rows(named=True):
            pair, name = Pair(row[BASELINE], row[SYSTEM]), row[MEASURE]
            if of_pairs.get(pair) == depth and _differ(of, contrasts, pair, name):
                lengths = tuple(depths[system].longest for system in pair)
                found[pair, name] = {**row, "lengths": lengths}
    return found


def _differ(whole: Contrasts, cut: Contrasts, pair: Pair, measure: str) -> bool:
    """Return whether a system has other values on lists that are cut."""
    one, other = whole.measures.index(measure), cut.measures.index(measure)
    return any(
        not np.array_equal(whole.scores[name][:, one], cut.scores[name][:, other], equal_nan=True)
        for name in pair
    )


def with_depth(found: Difference, figures: Mapping[str, Any] | None) -> Difference:
    """Return a difference with that at equal depth, if there are figures of it."""
    if figures is None:
        return found
    numbers = {name: figures[name] for name in OF_JUDGED}
    alone = replace(found, on_judged=None, lowest=None, highest=None, unseen=None)
    return replace(found, at_depth=replace(alone, **numbers), lengths=figures["lengths"])


@cached
def condensed_of(comparison: ComparisonValues, measure: str | None = None) -> Contrasts | None:
    """Return the differences on judged documents alone; None where unjudged ones do not matter.

    They are on the primary measure, or on another one.
    """
    name, contrasts = measure or str(comparison.primary), contrasts_of(comparison)
    known, query_ids = values_on_judged(comparison.evaluation), comparison.evaluation.query_ids
    if known is None or name not in known.columns:
        return None
    column = contrasts.measures.index(name)
    values = score_matrices(known, systems_of(comparison.pairs), [name], query_ids)
    return replace(
        contrasts,
        scores=values,
        measures=(name,),
        goals=contrasts.goals[column : column + 1],
        ranges=contrasts.ranges[:, column : column + 1],
        family=replace(family_of(comparison), across="systems", n_measures=1),
        # Runs are taken to lie as far apart as on whole lists.
        repeats={s: each[:, :, column : column + 1] for s, each in contrasts.repeats.items()},
    )


@cached
def on_judged_of(comparison: ComparisonValues, measure: str) -> dict[Pair, dict[str, Any]]:
    """Return the differences on judged documents alone, of pairs unevenly judged.

    Those on the primary measure have bounds.
    """
    condensed = condensed_of(comparison, measure)
    if condensed is None:
        return {}
    evaluation = comparison.evaluation
    pairs = [pair for pair in comparison.pairs if is_unevenly_judged(evaluation, pair, measure)]
    rows = with_ends(comparison, condensed)
    bounds: Mapping[Pair, tuple[float, float]] = {}
    one_order = not TIES[evaluation.settings["ties"]].expected
    bounded = one_order and measure == str(comparison.primary)
    if bounded and not contrasts_of(comparison).repeats:
        bounds = _mean_bounds(comparison, condensed, pairs)
    found = {}
    for row in rows.iter_rows(named=True):
        pair = Pair(row[BASELINE], row[SYSTEM])
        if pair in pairs:
            lowest, highest = bounds.get(pair, (None, None))
            found[pair] = {**row, "lowest": lowest, "highest": highest}
    return found


def _mean_bounds(
    comparison: ComparisonValues, condensed: Contrasts, pairs: Sequence[Pair]
) -> Mapping[Pair, tuple[float, float]]:
    """Return how low and high mean differences could be; empty if that is not known."""
    contrasts = contrasts_of(comparison)
    unjudged = unjudged_at_top(comparison.evaluation)
    if unjudged is None:
        return {}
    column = contrasts.measures.index(str(comparison.primary))
    scores = {system: each[:, column] for system, each in contrasts.scores.items()}
    bounds = difference_bounds(
        unjudged, comparison.primary, pairs, scores, comparison.evaluation.query_ids
    )
    found = {}
    for pair, ends in (bounds or {}).items():
        lowest, highest = condensed.sampled(np.column_stack(ends)).mean
        found[pair] = (float(lowest), float(highest))
    return found


def with_judged_only(comparison: ComparisonValues, found: Difference) -> Difference:
    """Return a difference with what judged documents alone say, where others might matter."""
    other = on_judged_of(comparison, found.measure).get(found.pair)
    if other is None:
        return found
    return replace(
        found,
        on_judged=replace(found, unseen=None, **{name: other[name] for name in OF_JUDGED}),
        lowest=other["lowest"],
        highest=other["highest"],
    )


def ends_on_judged(
    comparison: ComparisonValues, pair: Pair, measure: str, confidence: float | None
) -> tuple[float, float]:
    """Return the ends that decide on a pair's difference on judged documents alone.

    Both ends are the difference where there is no interval, or without a `confidence`.
    """
    condensed = condensed_of(comparison, measure)
    delta = on_judged_of(comparison, measure)[pair]["delta"]
    if condensed is None or confidence is None:
        return delta, delta
    losses = losses_of(comparison, condensed)
    found = condensed.decided(comparison.interval, confidence, losses)
    column = condensed.column(pair, measure)
    low, high = (end[column] for end in found[2:])
    return (delta, delta) if low is None else (low, high)


@cached
def missing_of(comparison: ComparisonValues, measure: str | None = None) -> dict[Pair, OneSided]:
    """Return the effect of queries that one system did not answer, of each pair that has any.

    It is that on the primary measure, or on another one.
    """
    unanswered, name = missing_answers_of(comparison), measure or str(comparison.primary)
    return one_sided(contrasts_of(comparison), name, unanswered, comparison.evaluation.query_ids)


def missing_answers_of(comparison: ComparisonValues) -> pl.DataFrame:
    """Return the queries whose results seem to be missing: ``system, query_id``.

    None where some queries have no answer: returning nothing is then a decision of the system.
    """
    evaluation = comparison.evaluation
    return evaluation.unanswered.clear() if evaluation.unanswerable else evaluation.unanswered
