"""Repeated runs: how far the means of a system's runs lie apart, and which queries flip."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.caching import cached
from rankreport.comparison.paired_differences import contrasts_of, difference
from rankreport.comparison.values import (
    ComparisonValues,
    MeasureLike,
    measure_named,
    pairs_matching,
)
from rankreport.errors import OptionError, check_one_run, choose, expect
from rankreport.evaluation import Evaluation, score_matrices
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM
from rankreport.text import number, percent, say

Test = str | Callable[..., Any]


def between_runs(self: ComparisonValues) -> pl.DataFrame:
    """Return how far the means of the runs of each system lie apart.

    They are the runs of systems that have several and, with `null`, those of the baseline and the
    runs named there: the noise floor. It is no threshold for differences: with two or three runs,
    hardly anything is known of it, as its interval says.

    Returns
    -------
    DataFrame
        ``system, measure`` (String); ``n_runs`` (Int64); ``mean, lowest, highest`` (Float64) of
        the means of the runs; ``deviation``, their standard deviation, with its interval
        ``deviation_low, deviation_high`` at the confidence of the comparison, of chi-square, and at
        most half the range of the measure. Empty where no system has several runs.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(4)}
    >>> first, second = ({q: ["d2", "d1"] if q < end else ["d1"] for q in qrels} for end in "qr")
    >>> runs = {"old": [first, second], "new": first}
    >>> rr.compare(qrels, runs, measures="RR").between_runs().drop("measure").rows()[0][:4]
    ('old', 2, 0.75, 0.5)
    """
    return _between(self).clone()


def noise_floor(comparison: ComparisonValues) -> list[str]:
    """Return how far the means of the runs of each system lie apart, in sentences."""
    rows = _between(comparison).filter(pl.col(MEASURE) == str(comparison.primary))
    ends = ("lowest", "highest", "deviation", "deviation_low", "deviation_high")
    return [
        say(
            "Noise floor: {n_runs} runs of {system} have {measure} {lowest} to {highest}, a "
            "standard deviation of {deviation} ({confidence} interval {deviation_low} to "
            "{deviation_high}). It is no threshold for a difference.",
            system=row[SYSTEM],
            n_runs=row["n_runs"],
            measure=comparison.primary.shown,
            confidence=percent(comparison.confidence),
            **{name: number(row[name]) for name in ends},
        )
        for row in rows.iter_rows(named=True)
    ]


@cached
def _between(comparison: ComparisonValues) -> pl.DataFrame:
    contrasts, of_runs = contrasts_of(comparison), dict(contrasts_of(comparison).repeats)
    if comparison.null:
        values, ids = comparison.evaluation.per_query(), comparison.evaluation.query_ids
        names = [comparison.baseline, *comparison.null]
        known = score_matrices(values, names, contrasts.measures, ids)
        of_runs[comparison.baseline] = np.stack([known[name] for name in names])
    schema = pl.Schema({SYSTEM: pl.String, MEASURE: pl.String, "n_runs": pl.Int64, **_FIGURES})
    found = [pl.DataFrame(schema=schema)]
    for system, runs in of_runs.items():
        means = np.stack([contrasts.sampled(run).mean for run in runs])
        deviation, found_ends = statistics.deviation_of_runs(means, comparison.confidence)
        ends = np.minimum(found_ends, np.diff(contrasts.ranges, axis=0) / 2)
        figures = means.mean(axis=0), means.min(axis=0), means.max(axis=0), deviation, *ends
        columns = {SYSTEM: system, MEASURE: contrasts.measures, "n_runs": len(runs)}
        rows = pl.DataFrame(columns | dict(zip(_FIGURES, figures, strict=True)))
        found.append(rows.cast(schema))
    return pl.concat(found)


_FIGURES = dict.fromkeys(
    ("mean", "lowest", "highest", "deviation", "deviation_low", "deviation_high"), pl.Float64
)


def flips(
    self: ComparisonValues,
    system: str | None = None,
    baseline: str | None = None,
    measure: MeasureLike = None,
) -> pl.DataFrame:
    """Return the queries that some runs of a system win, and others lose.

    Every run of the system is compared with every run of its baseline.

    Parameters
    ----------
    system, baseline
        Of one pair; by default of all.
    measure
        The measure; by default the primary one.

    Returns
    -------
    DataFrame
        ``baseline, system, query_id`` (String); ``n_won, n_lost, n_tied`` (Int64), of pairs of
        runs; ``lowest, delta, highest`` (Float64), the differences of these. The queries with the
        widest range come first.

    Raises
    ------
    OptionError
        If there is no such pair or measure.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels, second = {"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": ["d1"], "q2": ["d2", "d1"]}
    >>> runs = {"old": second, "new": [second, {"q1": ["d2"], "q2": ["d1"]}, {"q2": ["d2"]}]}
    >>> rr.compare(qrels, runs, measures="RR").flips().select("query_id", "n_won", "n_lost").rows()
    [('q2', 1, 1)]
    """
    contrasts = contrasts_of(self)
    place = contrasts.measures.index(measure_named(self, measure))
    frames = []
    for pair in pairs_matching(self, system, baseline):
        own, other = (
            contrasts.repeats.get(name, contrasts.scores[name][np.newaxis])[:, :, place]
            for name in (pair.system, pair.baseline)
        )
        deltas = difference(own[:, np.newaxis], other).reshape(-1, own.shape[1])
        won = np.sign(deltas) * contrasts.goals[place]
        n_won, n_lost, n_tied = (
            np.count_nonzero(outcome == won, axis=0) for outcome in (1.0, -1.0, 0.0)
        )
        columns = {
            QUERY_ID: self.evaluation.query_ids,
            "n_won": n_won,
            "n_lost": n_lost,
            "n_tied": n_tied,
            "lowest": deltas.min(axis=0),
            "delta": contrasts.deltas[pair][:, place],
            "highest": deltas.max(axis=0),
        }
        rows = pl.DataFrame(columns, nan_to_null=True).filter(
            (n_won > 0) & (n_lost > 0) & contrasts.weighed
        )
        named = [pl.lit(name).alias(side) for side, name in pair._asdict().items()]
        by_range = pl.col("lowest") - pl.col("highest")
        frames.append(rows.sort(by_range, QUERY_ID).select(*named, pl.all()))
    return pl.concat(frames)


def split_reruns(
    evaluation: Evaluation, null: str | Iterable[str] | None
) -> tuple[list[str], tuple[str, ...]]:
    """Return the systems that are compared, and those that `null` names, reruns of the baseline.

    Raises
    ------
    OptionError
        If fewer than two systems are compared, `null` names no system of the evaluation, or a
        system has several runs of its own.
    """
    expect(null, (str, list, tuple, type(None)), "null takes the names of systems")
    named = (null,) if isinstance(null, str) else tuple(dict.fromkeys(null or ()))
    for name in named:
        choose("null", name, evaluation.systems)
    systems = [system for system in evaluation.systems if system not in named]
    if len(systems) < 2:
        raise OptionError(
            "A comparison needs two systems or more; this evaluation has one. Evaluate them "
            "together: rr.compare(qrels, {'old': old, 'new': new})."
        )
    if named:
        check_one_run(evaluation.n_repeats, "null")
    return systems, named


def methods_with_repeats(
    evaluation: Evaluation, test: Test, correction: str, judges: object
) -> tuple[Test, str]:
    """Return the test and the correction of a comparison.

    Where systems have several runs, the t test takes the place of the sign-flip test, and Holm's
    correction that of max-t.

    Raises
    ------
    OptionError
        If a model judged systems that have several runs.
    """
    if not evaluation.n_repeats:
        return test, correction
    if judges is not None:
        check_one_run(evaluation.n_repeats, "judges")
    return "t" if test == "sign-flip" else test, "holm" if correction == "max-t" else correction
