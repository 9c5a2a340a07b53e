"""The comparison over several data sets, and on each of them."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars import selectors as cs

from rankreport import statistics
from rankreport.caching import cached
from rankreport.comparison.decision import Decision
from rankreport.comparison.difference import Difference
from rankreport.comparison.pair_decisions import decision_of
from rankreport.comparison.paired_differences import (
    Contrasts,
    contrasts_on,
    floats,
    interval_columns,
)
from rankreport.comparison.pairs import Family, Pair
from rankreport.comparison.unseen_failures import with_ends
from rankreport.comparison.values import ComparisonValues, MeasureLike, family_of, measure_named
from rankreport.errors import OptionError
from rankreport.evaluation import weights_of_datasets
from rankreport.frames import BASELINE, DATASET, MEASURE, SYSTEM, WHOLE_DATASET
from rankreport.measures import one_of
from rankreport.progress import stage
from rankreport.text import delta_and_interval, first_of, paragraph, say, separated

FEWEST_DATASETS = 5
"""From fewer data sets, nothing is inferred about others."""

_KEYS = (BASELINE, SYSTEM, MEASURE)


def across(means: NDArray[np.float64], level: float) -> pl.DataFrame:
    """Return what the means of data sets say of others: a row per column.

    Parameters
    ----------
    means
        Shape ``(n_datasets, n_columns)``.
    level
        Of the intervals of the mean of all data sets like these, Student's t, and of the next data
        set, ``m +- t s sqrt(1 + 1/K)``.

    Returns
    -------
    DataFrame
        ``like_low, like_high, next_low, next_high, lowest, highest``; ``reason``, why the first
        four are null.

    Examples
    --------
    >>> means = np.array([[0.01], [0.02], [0.03], [0.04], [0.05]])
    >>> [round(x, 4) for x in across(means, 0.95).row(0)[:6]]
    [0.0104, 0.0496, -0.0181, 0.0781, 0.01, 0.05]
    """
    n, n_columns = means.shape
    enough = n >= FEWEST_DATASETS
    known = means if enough else np.full((2, n_columns), np.nan)
    like = statistics.interval("t", known, confidence=level)
    wider = np.sqrt(n + 1) * (like.high - like.low) / 2
    following = statistics.Interval(known.mean(axis=0) - wider, known.mean(axis=0) + wider)
    equal = say("the difference is the same on all data sets")
    few = say("{n} data sets; {enough} are needed", n=n, enough=FEWEST_DATASETS)
    missing = np.isnan(like.low).tolist()
    reasons = [(equal if enough else few) if each else None for each in missing]
    return pl.DataFrame(
        [
            *interval_columns(like, "like_low", "like_high"),
            *interval_columns(following, "next_low", "next_high"),
            floats("lowest", means.min(axis=0)),
            floats("highest", means.max(axis=0)),
            pl.Series("reason", reasons, pl.String),
        ]
    )


def over_datasets(self: ComparisonValues, measure: MeasureLike = None) -> pl.DataFrame:
    """Return the difference over data sets, and what it says of other data sets.

    Parameters
    ----------
    measure
        A measure of the evaluation; the primary one by default.

    Returns
    -------
    DataFrame
        ``baseline, system, measure, n_datasets, n_queries``; ``delta``, the mean over data sets;
        ``ci_low, ci_high``, for these data sets, whose queries are resampled within each;
        ``like_low, like_high``, for all data sets like these, taken as a random sample of them:
        Student's t of their means; ``next_low, next_high``, an approximate interval for the
        difference on the next one; ``lowest, highest``, of those seen; ``reason``, why intervals
        for other data sets are null, such as fewer than five data sets. Where several pairs are
        corrected, intervals are simultaneous (those for other data sets by Bonferroni).

    Raises
    ------
    OptionError
        If the comparison is of one data set, or the measure was not evaluated.
    """
    rows, n = by_dataset(self, measure), pl.lit(len(self.evaluation.datasets), pl.Int64)
    means = rows["delta"].to_numpy().reshape(len(self.pairs), -1).T
    found = across(means, family_of(self).level(self.confidence))
    own = (*_KEYS, n.alias("n_datasets"), "n_queries", "delta", "ci_low", "ci_high")
    return _over_all(self, measure_named(self, measure)).select(own).hstack(found)


def by_dataset(self: ComparisonValues, measure: MeasureLike = None) -> pl.DataFrame:
    """Return the difference on each data set, and over the others.

    Parameters
    ----------
    measure
        A measure of the evaluation; the primary one by default.

    Returns
    -------
    DataFrame
        ``baseline, system, measure, dataset, n_queries, mean_baseline, mean_system, delta``;
        ``ci_low, ci_high``, of this data set alone; ``reverses``, whether the difference has the
        other sign than over all; ``delta_without, low_without, high_without, verdict_without``,
        over the other data sets; ``decides``, whether that verdict is another one than over all.
        Leaving one out describes these data sets, and is no test. With two data sets, the others
        are one.

    Raises
    ------
    OptionError
        If the comparison is of one data set, or the measure was not evaluated.
    """
    if not self.evaluation.datasets:
        raise OptionError("This comparison is of one data set. Join several: rr.join_datasets().")
    return _by_dataset(self, measure_named(self, measure)).clone()


class AcrossDatasets(NamedTuple):
    """Whether the order of the leading pair holds over data sets.

    Attributes
    ----------
    sure
        Whether it does for data sets like these; None where nothing is known of others.
    words
        The same of these data sets and of others, in sentences.
    clear, unclear
        On which data sets it is the other way round, clearly and not, in sentences that may be
        empty.
    condition
        What an action by that order depends on, in a clause; may be empty.
    """

    sure: bool | None
    words: str
    clear: str
    unclear: str
    condition: str

    @property
    def turned(self) -> str:
        """On which data sets it is the other way round, where the condition does not say so."""
        return self.unclear if self.condition else paragraph(self.clear, self.unclear)


def standing_of(
    comparison: ComparisonValues, decision: Decision | None = None, pair: Pair | None = None
) -> AcrossDatasets | None:
    """Return whether the order of a pair holds over data sets; None of a single one.

    It is the leading pair unless another one is given.
    """
    if not comparison.evaluation.datasets:
        return None
    decision = decision or decision_of(comparison)
    compared = pair or decision.leading
    pair, is_known = pair or decision.first_pair, decision.pairs[compared].found.direction != 0
    every = of_pair(_alone(comparison, compared), pair)
    means = every["delta"].to_numpy()[:, np.newaxis]
    [row] = across(means, family_of(comparison).level(comparison.confidence)).to_dicts()
    delta = float(means.mean())
    above, below = pair[::-1] if delta > 0 else pair
    fields = {"n": len(every), "above": above, "below": below}
    mean = (
        say("On average of these {n} data sets {above} is above {below}.", **fields)
        if is_known
        else say(
            "Which of {above} and {below} is above the other on average of these {n} data sets is "
            "open.",
            **fields,
        )
    )
    is_clear = (pl.col("ci_low") * pl.col("ci_high") > 0).fill_null(value=False)
    losing = {above: pl.col("delta") * delta < 0}
    if not is_known:  # neither is above, so that both are named where they lose
        losing = {pair.system: pl.col("delta") < 0, pair.baseline: pl.col("delta") > 0}
    clear = separated(
        "; ",
        [
            say("{above} is clearly worse on {names}", above=system, names=first_of(names, 8))
            for system, loses in losing.items()
            if len(names := every.filter(loses, is_clear)[DATASET])
        ],
    )
    others = first_of(every.filter(losing[above], ~is_clear)[DATASET], 8) if is_known else ""
    unclear = say("{above} is worse on {names}, but not clearly.", above=above, names=others)
    sure = None if row["reason"] else row["like_low"] > 0 or row["like_high"] < 0
    if sure is not None:
        _, like = delta_and_interval(delta, row["like_low"], row["like_high"], None)
        known = {"sure": say("sure") if sure else say("open"), **pair._asdict(), "like": like}
        like = say(
            "For other data sets like these it is {sure}: the mean of {system} minus {baseline} is "
            "{like}.",
            **known,
        )
        mean = paragraph(mean, like)
    unknown = ""
    if sure is False:
        unknown = say("for other data sets like these the order is open")
        if len(comparison.pairs) > 1:
            unknown = say(
                "for other data sets like these the order of {above} and {below} is open", **fields
            )
    return AcrossDatasets(
        sure,
        mean,
        say("{sentence}.", sentence=clear) if clear else "",
        unclear if others else "",
        separated("; ", filter(None, (clear, unknown))) if is_known else "",
    )


def of_pair(rows: pl.DataFrame, pair: Pair) -> pl.DataFrame:
    """Return the rows of a pair, turned round where they are of its reverse.

    >>> rows = pl.DataFrame({"baseline": ["a"], "system": ["b"], "delta": [0.2], "ci_low": [-0.1],
    ...                      "ci_high": [0.5], "mean_baseline": [0.3], "mean_system": [0.5]})
    >>> of_pair(rows, Pair(baseline="b", system="a")).row(0)
    ('b', 'a', -0.2, -0.5, 0.1, 0.5, 0.3)
    """
    own = rows.filter(baseline=pair.baseline, system=pair.system)
    if len(own):
        return own
    turned = {
        name: re.sub("|".join(_TURNED), lambda at: _TURNED[at[0]], name) for name in rows.columns
    }
    other = rows.filter(baseline=pair.system, system=pair.baseline).rename(turned)
    return other.select(rows.columns).with_columns(-(cs.float() - cs.starts_with("mean_")))


@cached  # verdicts ask for that of the leading pair, and of those that they advise on
def _alone(comparison: ComparisonValues, pair: Pair) -> pl.DataFrame:
    """Return the differences of a pair on each data set, as of `by_dataset`."""
    contrasts = _contrasts(comparison, str(comparison.primary)).of_pairs([pair])
    return pl.concat(_on(comparison, contrasts, *each) for each in _queries_of(comparison).items())


def _queries_of(comparison: ComparisonValues) -> dict[str, NDArray[np.bool_]]:
    """Return which queries each data set has."""
    sets = weights_of_datasets(comparison.evaluation).select(WHOLE_DATASET).to_series()
    return {name: (sets == name).to_numpy() for name in comparison.evaluation.datasets}


def _on(
    comparison: ComparisonValues, contrasts: Contrasts, name: str, of_set: NDArray[np.bool_]
) -> pl.DataFrame:
    """Return the differences on a data set, with intervals that hold for each alone."""
    alone = Family("none", "systems", len(contrasts.pairs), 1)
    part = contrasts.among(np.flatnonzero(of_set), alone)
    ends = part.intervals(comparison.interval, comparison.confidence)
    return part.frame().with_columns(*ends, pl.lit(name).alias(DATASET))


_TURNED = {"low": "high", "high": "low", "baseline": "system", "system": "baseline"}


def _contrasts(comparison: ComparisonValues, measure: str) -> Contrasts:
    return contrasts_on(comparison, [one_of(comparison.evaluation.measures, measure)])


@cached
def _over_all(comparison: ComparisonValues, measure: str) -> pl.DataFrame:
    """Return the differences over all data sets, with their ends."""
    return with_ends(comparison, _contrasts(comparison, measure))


@cached
def _by_dataset(comparison: ComparisonValues, measure: str) -> pl.DataFrame:
    contrasts = _contrasts(comparison, measure)
    goal = contrasts.goal_of(measure)
    whole, found, names = _over_all(comparison, measure), [], comparison.evaluation.datasets
    with stage("resampling", total=len(names)) as advance:
        for name, of_set in _queries_of(comparison).items():
            rest = contrasts.among(np.flatnonzero(~of_set), contrasts.family)
            without = with_ends(comparison, rest)
            rows = _on(comparison, contrasts, name, of_set).with_columns(
                (pl.col("delta") * whole["delta"] < 0).alias("reverses"),
                without["delta"].alias("delta_without"),
                without["ci_low"].alias("low_without"),
                without["ci_high"].alias("high_without"),
                _verdicts(comparison, without, goal).alias("verdict_without"),
            )
            found.append(rows)
            advance(1)
    verdicts = pl.concat([_verdicts(comparison, whole, goal)] * len(names))
    rows = pl.concat(found).with_columns(decides=pl.col("verdict_without") != verdicts)
    by_pair = np.arange(len(rows)).reshape(len(names), -1).T.ravel()
    return rows[by_pair].select(
        *(*_KEYS, DATASET, "n_queries", "mean_baseline", "mean_system", "delta"),
        *("ci_low", "ci_high", "reverses", "delta_without", "low_without", "high_without"),
        *("verdict_without", "decides"),
    )


def _verdicts(comparison: ComparisonValues, rows: pl.DataFrame, goal: int) -> pl.Series:
    """Return the verdict on each pair by its interval."""
    of = {"margin": comparison.margin, "goal": goal}
    words = [
        Difference.of(row, comparison.confidence, **of).by_interval
        for row in rows.iter_rows(named=True)
    ]
    return pl.Series(words, dtype=pl.String)
