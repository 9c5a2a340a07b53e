"""The differences of a comparison: all figures of each pair on each measure."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import polars as pl

from rankreport.comparison.columns import DIFFERENCE
from rankreport.comparison.contrasts import contrasts_of, detectability
from rankreport.comparison.depths import figures_at_equal_depth, with_depth
from rankreport.comparison.difference import MIN_CHANGED, Difference
from rankreport.comparison.judged_only import with_judged_only
from rankreport.comparison.pairs import Pair
from rankreport.comparison.unseen import losses_of, unseen_of, with_ends
from rankreport.comparison.values import ComparisonValues, family_of
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.keeping import kept
from rankreport.measures import by_measure, shown_name
from rankreport.progress import stage


@kept
def plain_table_of(comparison: ComparisonValues) -> pl.DataFrame:
    """Return `Comparison.table` without cautions, with the columns of a `Difference`."""
    contrasts = contrasts_of(comparison)
    p_values = p_values_of(comparison, comparison.test)
    with stage("resampling"):
        adjusted = contrasts.adjusted(comparison.test, p_values)
    rows = with_ends(comparison, contrasts).with_columns(p_values, adjusted)
    return by_measure(rows, comparison.evaluation.measures)


@kept
def p_values_of(comparison: ComparisonValues, test: str) -> pl.Series:
    """Return the p-values of a test."""
    with stage("resampling"):
        return contrasts_of(comparison).p_values(test, str(comparison.primary))


@kept
def differences_on_measures(comparison: ComparisonValues) -> list[Difference]:
    """Return the difference of each pair on each measure, in the order of the table."""
    contrasts, found = contrasts_of(comparison), []
    losses = losses_of(comparison, contrasts)
    power_of = detectability(contrasts, comparison.confidence, comparison.margin, losses)
    for row in plain_table_of(comparison).iter_rows(named=True):
        pair, measure = Pair(row[BASELINE], row[SYSTEM]), row[MEASURE]
        power = power_of[contrasts.column(pair, measure)]
        figures: dict[str, Any] = {**{name: row[name] for name in DIFFERENCE}, **power}
        figures |= {"confidence": comparison.confidence, "margin": comparison.margin}
        named = shown_name(comparison.evaluation.measures, measure)
        figures["asked"] = named if named != measure else ""
        figures["n_simultaneous"] = family_of(comparison).n_simultaneous
        found.append(_with_unseen(comparison, Difference(**figures)))
    at_depth = figures_at_equal_depth(
        comparison, comparison.pairs, comparison.evaluation.measures, comparison.pairs
    )
    return [
        with_depth(
            with_judged_only(comparison, each),
            at_depth.get((Pair(each.baseline, each.system), each.measure)),
        )
        for each in found
    ]


@kept
def own_differences(comparison: ComparisonValues) -> dict[Pair, Difference]:
    """Return the difference of each pair on the primary measure, by this evaluation alone."""
    name = str(comparison.primary)
    decisive = [each for each in differences_on_measures(comparison) if each.measure == name]
    return dict(zip(comparison.pairs, decisive, strict=True))


def _with_unseen(comparison: ComparisonValues, found: Difference) -> Difference:
    """Return a difference with what the queries leave possible, where that undoes a verdict."""
    if not found.seen_only:
        return found
    contrasts, pair = contrasts_of(comparison), Pair(found.baseline, found.system)
    column = contrasts.column(pair, found.measure)
    largest = losses_of(comparison, contrasts)[contrasts.measures.index(found.measure)]
    alpha = float(1 - contrasts.levels(comparison.confidence)[column]) / 2
    lost = found.direction > 0
    return replace(found, unseen=unseen_of(contrasts, column, largest, alpha, lost=lost))


@kept
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
    if not any(found.end_error for found in own_differences(comparison).values()):
        return math.inf
    if family_of(comparison).by_max_t:
        return comparison.resamples * (1 - comparison.confidence)
    return comparison.resamples * (1 - family_of(comparison).level(comparison.confidence)) / 2
