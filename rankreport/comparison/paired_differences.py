"""Paired differences as matrices: intervals, tests, effect sizes, power, one-sided queries.

A column is one measure of one pair of systems; the columns of a pair are adjacent. All columns are
resampled together, by the same draws of queries, so that figures of different measures, systems and
cut-offs are consistent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport import statistics
from rankreport.caching import cached
from rankreport.comparison.pairs import Family, Pair, systems_of
from rankreport.comparison.values import ComparisonValues, block_of_draws, structure_of
from rankreport.evaluation import memory_limit_of, ranges_of, score_matrices, unjudged_at_top
from rankreport.frames import BASELINE, MEASURE, QUERY_ID, SYSTEM, runs_of_systems
from rankreport.io import check_process
from rankreport.measures import EQUAL
from rankreport.progress import stage
from rankreport.statistics import Draws, Replicates

if TYPE_CHECKING:
    from rankreport.measures import Measure


GOALS = {"high": 1.0, "low": -1.0, "neither": float("nan")}
"""The direction in which a difference is a win."""


_END_ERROR = 3.5
"""Random error of an end of a bootstrap interval, in standard errors of the mean, times the root of
the number of resamples: from 3.0 to 3.8 in simulations of BCa and percentile intervals at 95 %."""

_LEVEL_ERROR = 2.0
"""The same of an end in closed form at the level of max-t: the error of a quantile at 95 % of the
largest of several, which has a density of about 0.1 there."""


MOST_REPLICATES = 2**25
"""The maximum number of replicates kept at once, a quarter of a gigabyte."""

_ROWS = 256
"""The number of resamples whose distances are computed at once."""


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Pairs of systems on the same queries and measures.

    Attributes
    ----------
    scores
        Values by system, float64 of shape (n_queries, n_measures), NaN where undefined.
    measures
        Names of the measures.
    goals
        By measure: 1 if higher is better, -1 if lower is, NaN if neither.
    ranges
        Lower and upper bounds of the measures, shape (2, n_measures); infinite if unbounded.
    pairs
        Pairs of systems and baselines.
    family
        Differences that are corrected together.
    draws
        Settings of the resampling.
    structure
        Weights, clusters and strata of the queries.
    whole
        The contrasts of the whole family, of which these are some pairs; None if they are all.
    repeats
        Values of each run, by system, of those with several, whose means are `scores`: float64 of
        shape (n_repeats, n_queries, n_measures).
    """

    scores: Mapping[str, NDArray[np.float64]]
    measures: tuple[str, ...]
    goals: tuple[float, ...]
    ranges: NDArray[np.float64]
    pairs: tuple[Pair, ...]
    family: Family
    draws: Draws
    structure: statistics.Structure
    whole: Contrasts | None = None
    repeats: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def among(self, rows: NDArray[np.intp], family: Family) -> Contrasts:
        """Return the contrasts of some queries, with another family."""
        return replace(
            self,
            scores={system: values[rows] for system, values in self.scores.items()},
            family=family,
            structure=self.structure.subset(rows),
            whole=None,
            repeats={system: values[:, rows] for system, values in self.repeats.items()},
        )

    def of_pairs(self, pairs: Sequence[Pair]) -> Contrasts:
        """Return the contrasts of some pairs, whose intervals still hold for the whole family."""
        return replace(self, pairs=tuple(pairs), whole=self.whole or self)

    def paired_as(self, other: Contrasts) -> Contrasts:
        """Return the contrasts of another's pairs, whose intervals hold for its family of pairs."""
        family = replace(
            self.family, correction=other.family.correction, n_pairs=other.family.n_pairs
        )
        whole = None if other.whole is None else self.paired_as(other.whole)
        return replace(self, pairs=other.pairs, family=family, whole=whole)

    # Data

    @cached_property
    def deltas(self) -> dict[Pair, NDArray[np.float64]]:
        """The differences of each pair, shape (n_queries, n_measures)."""
        return {
            pair: difference(self.scores[pair.system], self.scores[pair.baseline])
            for pair in self.pairs
        }

    @cached_property
    def differences(self) -> NDArray[np.float64]:
        """All differences side by side, shape (n_queries, n_pairs * n_measures)."""
        return _side_by_side([self.deltas[pair] for pair in self.pairs])

    @cached_property
    def sample(self) -> statistics.Sample:
        """The differences as a sample with the structure of the queries."""
        return self.sampled(self.differences)

    @cached_property
    def runs(self) -> statistics.RunVariance | None:
        """The variance that runs add to the mean differences; None where no system has several."""
        return self._runs_of(self.pairs) if self.repeats else None

    def _runs_of(self, groups: Iterable[Iterable[str]]) -> statistics.RunVariance:
        n = len(self.measures)
        return statistics.RunVariance.of_groups(groups, self.repeats, n, self.structure)

    def sampled(self, values: NDArray[np.float64]) -> statistics.Sample:
        """Return values of the queries as a sample with their structure."""
        return statistics.Sample.of(values, self.structure)

    @cached_property
    def won(self) -> NDArray[np.float64]:
        """1 for queries won, -1 for queries lost, NaN where undefined."""
        goals = np.tile(np.array(self.goals), len(self.pairs))
        won: NDArray[np.float64] = statistics.signs_of(self.differences) * goals
        return won

    @property
    def weighed(self) -> NDArray[np.bool_]:
        """Mask of the queries with a weight above 0."""
        weights = self.structure.weights
        return np.ones(len(self.differences), dtype=bool) if weights is None else weights > 0

    @property
    def alike(self) -> set[Pair]:
        """The pairs with identical scores that are not all 0."""
        changed = self.sample.n_changed.reshape(len(self.pairs), -1).max(axis=1, initial=0).tolist()
        both = {
            pair: (self.scores[pair.baseline], self.scores[pair.system])
            for pair, differs in zip(self.pairs, changed, strict=True)
            if not differs
        }
        return {
            pair
            for pair, (one, other) in both.items()
            if np.array_equal(one, other, equal_nan=True) and np.nansum(np.abs(one)) > 0
        }

    def labels(self) -> pl.DataFrame:
        """Return ``baseline, system, measure`` of the columns of `differences`."""
        rows = [(*pair, measure) for pair in self.pairs for measure in self.measures]
        schema = {BASELINE: pl.String, SYSTEM: pl.String, MEASURE: pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row")

    @property
    def widths(self) -> NDArray[np.float64]:
        """The largest possible absolute difference in each column of `differences`."""
        lowest, highest = self.ranges
        widths: NDArray[np.float64] = np.tile(highest - lowest, len(self.pairs))
        return widths

    def column(self, pair: Pair, measure: str) -> int:
        """Return the column of a pair and measure in `differences`."""
        return self._place_of[pair] * len(self.measures) + self.measures.index(measure)

    def goal_of(self, measure: str) -> int:
        """Return 1 where higher values are better, -1 where lower ones are, 0 where neither."""
        goal = self.goals[self.measures.index(measure)]
        return 0 if np.isnan(goal) else int(goal)

    @cached_property
    def _place_of(self) -> dict[Pair, int]:
        return {pair: place for place, pair in enumerate(self.pairs)}

    def frame(self) -> pl.DataFrame:
        """Return the figures of each mean difference that need no resampling.

        Returns
        -------
        DataFrame
            ``baseline, system, measure, n_queries, n_changed, n_changed_effective, mean_baseline,
            mean_system, delta, wins, ties, losses``, one row per column of `differences`;
            ``n_changed_effective`` (Float64) is the effective number of changed queries, of which a
            verdict needs enough.
        """
        values, won = self.differences, self.won
        if self.structure.weights is not None:
            counts = self.weighed[:, np.newaxis]
            values, won = (np.where(counts, each, np.nan) for each in (values, won))
        defined = ~np.isnan(values)
        changed = defined & (values != 0)
        return self.labels().with_columns(
            pl.Series("n_queries", defined.sum(axis=0)),
            pl.Series("n_changed", changed.sum(axis=0)),
            floats("n_changed_effective", self.sample.n_changed_effective),
            floats("mean_baseline", self.sampled(self._of_both("baseline")).mean),
            floats("mean_system", self.sampled(self._of_both("system")).mean),
            floats("delta", self.sample.mean),
            self._count("wins", won > 0),
            pl.Series("ties", (values == 0).sum(axis=0)),
            self._count("losses", won < 0),
        )

    # Resampling

    def intervals(
        self,
        kind: str,
        confidence: float,
        drawn: Replicates | None = None,
        own: statistics.Interval | None = None,
    ) -> list[pl.Series]:
        """Return ``ci_low`` and ``ci_high`` of each mean difference, null if no query changed.

        Intervals hold simultaneously for a family at this confidence level; with max-t, a
        difference with fewer than 10 changed queries has none. If all differences are equal, the
        interval follows from the range of the measure, or is null if that is unbounded. Intervals
        are clipped to the possible differences. Those of each difference alone, at `levels`, are
        not computed again if they are known (`own`).
        """
        if drawn is None and self.is_wide and kind != "studentized":
            parts = [block.intervals(kind, confidence) for block in self.blocks()]
            return [pl.concat(ends) for ends in zip(*parts, strict=True)]
        if self.runs or (drawn is None and not (kind == "studentized" and self.family.by_max_t)):
            few = np.isnan(self._own_levels(confidence))
            ends = own or self._own_intervals(kind, confidence)
            found = statistics.Interval(*(np.where(few, np.nan, end) for end in ends))
        else:
            found = self.at_once(kind, self.sample, drawn or self._drawn(kind), confidence)
        equal = statistics.of_equal_values(self.sample, self.widths, self.family.level(confidence))
        known = zip(found, equal, strict=True)
        whole = statistics.Interval(*(np.where(np.isnan(end), exact, end) for end, exact in known))
        return interval_columns(whole.within(-self.widths, self.widths))

    def _own_intervals(self, kind: str, confidence: float) -> statistics.Interval:
        """Return the interval of each difference alone, at its level of `levels`."""
        given, levels = self._drawn(kind), self.levels(confidence)
        found = statistics.interval(
            kind, self.sample, given.means, levels, standard_errors=given.standard_errors
        )
        return found if self.runs is None else self.runs.widened(found, self.sample, levels)

    def across_measures(self, kind: str, confidence: float) -> list[pl.Series]:
        """Return the intervals that hold for all measures at once, null as those of `intervals`.

        They hold for all pairs too where these are corrected.
        """
        corrects = self.family.correction != "none"
        # In closed form where replicates of all columns would take long.
        by = self.family.correction if corrects and not self.is_wide else "holm"
        n_pairs = self.family.n_pairs if corrects else 1
        family = replace(self.family, correction=by, across="measures", n_pairs=n_pairs)
        of = self if family == self.family else replace(self, family=family)
        return of.intervals(kind, confidence)

    def decided(
        self, kind: str, confidence: float, largest_losses: NDArray[np.float64]
    ) -> list[pl.Series]:
        """Return the ends of `intervals`, then ``deciding_low`` and ``deciding_high``.

        These allow for rare failures, with the largest loss of each measure, and never lie inside
        the interval. They are known however few queries changed, and are null without a largest
        loss where nothing varies.
        """
        if self.is_wide and kind != "studentized":
            parts = [block.decided(kind, confidence, largest_losses) for block in self.blocks()]
            return [pl.concat(ends) for ends in zip(*parts, strict=True)]
        own, levels = self._own_intervals(kind, confidence), self.levels(confidence)
        largest, simultaneous = np.tile(largest_losses, len(self.pairs)), self.family.corrects
        deciding = statistics.deciding_interval(
            self.sample, own, largest, levels, simultaneous=simultaneous
        ).within(-self.widths, self.widths)
        shown = self.intervals(kind, confidence, own=own)
        # The exact interval of equal wins knows that a query not seen also misses the win.
        low, high = (each.to_numpy() for each in shown)
        wider = statistics.Interval(np.fmin(deciding.low, low), np.fmax(deciding.high, high))
        return [*shown, *interval_columns(wider, "deciding_low", "deciding_high")]

    def reaches(self, largest_losses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how much a unit of each column can change, with the largest loss of measures."""
        reached: NDArray[np.float64] = np.tile(largest_losses, len(self.pairs))
        found = reached * statistics.reach(self.sample)
        # Power counts effective queries, of which strata of one weight have fewer than queries.
        of_strata = self.structure.weighed == "strata"
        return found * self.worth / self.sample.size if of_strata else found

    def end_errors(self, kind: str) -> pl.Series:
        """Return ``end_error``, the standard error of the ends of each interval between seeds.

        It is 0 where nothing is drawn, and otherwise a share of the standard error of the mean.
        """
        closed = self.is_closed(kind)
        if closed and not self.family.by_max_t:
            return pl.Series("end_error", np.zeros(len(self.sample.mean)))
        share = (_LEVEL_ERROR if closed else _END_ERROR) / np.sqrt(self.draws.resamples)
        return floats("end_error", share * self.sample.standard_error)

    def is_closed(self, kind: str) -> bool:
        """Return whether the ends of a kind of interval are known without resamples, as a rule."""
        # Of weighted means, "auto" is Student's t alone.
        drawn = "bca" in statistics.allowed(self.sample.kinds).intervals
        return kind == "t" or (kind == "auto" and (self.sample.is_plain or not drawn))

    def levels(self, confidence: float) -> NDArray[np.float64]:
        """Return the confidence of each difference's own interval.

        Bonferroni's where too few queries changed for a simultaneous interval. They are cached.
        """
        found = self._own_levels(confidence)
        return np.where(np.isnan(found), self.family.level(confidence), found)

    def _own_levels(self, confidence: float) -> NDArray[np.float64]:
        """Return the same, NaN where too few queries changed."""
        n_columns = len(self.pairs) * len(self.measures)
        if not self.family.by_max_t:
            return np.full(n_columns, self.family.level(confidence))
        of_families = (self.whole or self).levels_of_families(confidence)
        levels = np.tile(of_families, n_columns // len(of_families))
        return np.where(statistics.takes_part(self.sample), levels, np.nan)

    def levels_of_families(self, confidence: float) -> NDArray[np.float64]:
        """Return the level of max-t of each family; they are cached."""
        if confidence not in self._known_levels:
            self._known_levels[confidence] = statistics.level_of_greatest(
                self._greatest, confidence, n_tests=self.family.n_tests
            )
        return self._known_levels[confidence]

    @cached_property
    def _known_levels(self) -> dict[float, NDArray[np.float64]]:
        return {}

    @cached_property
    def _greatest(self) -> NDArray[np.float64]:
        """The largest distance of each family in each replicate, in standard errors."""
        n_tests = self.family.n_tests
        n_families = len(self.pairs) * len(self.measures) // n_tests
        if not self.is_wide:
            pieces = np.array_split(self.replicates, -(-len(self.replicates) // _ROWS))
            return statistics.greatest_distances(self.sample, pieces, n_tests=n_tests)
        greatest = np.zeros((self.draws.resamples, n_families))
        blocks = self.blocks()
        total = len(blocks) * self.draws.resamples
        with statistics.kept_draws(), stage("resampling", total=total) as advance:
            for block in blocks:
                drawn = block.draws.pieces(block.sample, advance)
                n_tests = len(block.pairs) * len(block.measures) // n_families
                of_block = statistics.greatest_distances(block.sample, drawn, n_tests=n_tests)
                np.maximum(greatest, of_block, out=greatest)
        return greatest

    @property
    def is_wide(self) -> bool:
        """Whether the replicates of all columns together would take much memory."""
        return len(self.pairs) > self._n_in_block

    @property
    def _n_in_block(self) -> int:
        """The number of pairs whose replicates are kept at once."""
        return max(MOST_REPLICATES // (self.draws.resamples * len(self.measures)), 1)

    def blocks(self) -> list[Contrasts]:
        """Return the contrasts in parts, each of which takes little memory."""
        if not self.is_wide:
            return [self]
        starts = range(0, len(self.pairs), self._n_in_block)
        return [self.of_pairs(self.pairs[at : at + self._n_in_block]) for at in starts]

    def p_values(self, kind: str | Callable[..., Any], primary: str) -> pl.Series:
        """Return the two-sided p-value of each mean difference, null where undefined.

        For the measure `primary`, the sign-flip test is exact up to a few more changed queries.
        A test of one's own is called with the values of both systems.
        """
        if self.runs is not None:  # all else is of the queries alone
            return floats("p_value", self.runs.p_values(self.sample))
        if callable(kind):
            both = self._of_both("system"), self._of_both("baseline")
            return floats("p_value", statistics.own_p_values(kind, *both))
        decides = np.array([measure == primary for measure in self.measures])
        limits = np.where(decides, statistics.PATIENT_LIMIT, statistics.EXACT_LIMIT)
        p_values = statistics.p_values(
            kind,
            self.sample,
            exact_limit=np.tile(limits, len(self.pairs)),
            **self.draws.of_tests,
        )
        return floats("p_value", p_values)

    def adjusted(self, kind: str | Callable[..., Any], p_values: pl.Series) -> pl.Series:
        """Correct p-values of a test for the number of differences in a family."""
        found = statistics.adjusted(
            self.family.correction,
            statistics.name_of_test(kind),
            self.sample,
            p_values.to_numpy(),
            n_tests=self.family.n_tests,
            **self.draws.of_tests,
        )
        return floats("p_adjusted", found)

    def means(self, kind: str, confidence: float) -> pl.DataFrame:
        """Return each system's means: ``system, measure, mean, ci_low, ci_high``.

        Each interval is for one mean alone.
        """
        sample = self.sampled(_side_by_side(list(self.scores.values())))
        ranges = np.tile(self.ranges, len(self.scores))
        found = self.draws.interval(kind, sample, confidence)
        if self.runs is not None:
            runs = self._runs_of([system] for system in self.scores)
            found = runs.widened(found, sample, confidence)
        found = found.within(*ranges)
        rows = [(system, measure) for system in self.scores for measure in self.measures]
        schema = {SYSTEM: pl.String, MEASURE: pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
            floats("mean", sample.mean), *interval_columns(found)
        )

    def ratios(self, kind: str, confidence: float) -> pl.DataFrame:
        """Return each ratio of means: ``baseline, system, measure, ratio, ci_low, ci_high``."""
        sample = statistics.Sample.ratio_of(
            self._of_both("system"), self._of_both("baseline"), self.structure
        )
        found = self.at_once(kind, sample, self.draws.replicates(kind, sample), confidence)
        return self.labels().with_columns(floats("ratio", sample.mean), *interval_columns(found))

    def aggregates(self, aggregate: str, confidence: float) -> pl.DataFrame:
        """Return the frame of `Comparison.aggregates`.

        Intervals are at Bonferroni's level where several differences are corrected.
        """
        given, draws = self.structure, self.draws._asdict()
        with statistics.kept_draws():
            system, baseline = (
                statistics.aggregated(aggregate, self._of_both(side), given, **draws)
                for side in ("system", "baseline")
            )
        delta = system.minus(baseline)
        found = delta.interval(self.family.level(confidence)).within(-self.widths, self.widths)
        return self.labels().with_columns(
            pl.lit(aggregate).alias("aggregate"),
            floats("value_baseline", baseline.value),
            floats("value_system", system.value),
            floats("delta", delta.value),
            *interval_columns(found),
        )

    @cached_property
    def shares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The shares of each net difference made by the top query and by the top five."""
        weights = self.structure.weights
        counted = self.differences if weights is None else self.differences * weights[:, np.newaxis]
        return statistics.largest_share(counted, 1), statistics.largest_share(counted, 5)

    @cached_property
    def spread(self) -> NDArray[np.float64]:
        """Standard deviation of the differences of as many independent queries as `worth`."""
        spread: NDArray[np.float64] = self.sample.standard_error * np.sqrt(self.worth)
        return spread

    @cached_property
    def shape(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Skewness and excess kurtosis of the differences; 0 with a structure of the queries."""
        if not self.sample.is_plain:
            return np.zeros(self.spread.shape), np.zeros(self.spread.shape)
        skewness, kurtosis = statistics.shape_of_mean(self.sample)
        n = self.sample.size
        return np.nan_to_num(skewness * np.sqrt(n)), np.nan_to_num(kurtosis * n)

    @cached_property
    def worth(self) -> NDArray[np.float64]:
        """The effective number of independent queries of equal weight."""
        worth: NDArray[np.float64] = self.sample.degrees_of_freedom + 1
        return worth

    def at_once(
        self,
        kind: str,
        sample: statistics.Sample,
        drawn: Replicates,
        confidence: float,
    ) -> statistics.Interval:
        """Return intervals of columns like `differences`, simultaneous for the family.

        There are none where systems have several runs: they would be of the queries alone.
        """
        if self.runs is not None:
            return statistics.Interval(*np.full((2, len(sample.mean)), np.nan))
        return statistics.simultaneous_interval(
            self.family.correction,
            kind,
            sample,
            drawn.means,
            confidence,
            n_tests=self.family.n_tests,
            standard_errors=drawn.standard_errors,
        )

    @cached_property
    def replicates(self) -> NDArray[np.float64]:
        """Replicates of the mean differences, shape (resamples, n_pairs * n_measures)."""
        return self.draws.means(self.sample)

    @cached_property
    def moments(self) -> statistics.Moments:
        """Replicates of the mean differences with their standard errors."""
        return self.draws.moments(self.sample)

    def _drawn(self, kind: str) -> Replicates:
        """Return the cached replicates that a kind of interval needs."""
        return Replicates.needed(kind, lambda: self.replicates, lambda: self.moments)

    @property
    def studentizes(self) -> bool:
        """Whether replicates have standard errors: not with a structure of the queries."""
        return not self.structure.kinds

    def _of_both(self, side: str) -> NDArray[np.float64]:
        """Return one side's scores in the shape of `differences`, NaN unless both are defined."""
        own = _side_by_side([self.scores[getattr(pair, side)] for pair in self.pairs])
        undefined = np.isnan(self.differences)
        return np.where(undefined, np.nan, own) if undefined.any() else own

    def _count(self, name: str, where: NDArray[np.bool_]) -> pl.Series:
        says = ~np.isnan(np.tile(self.goals, len(self.pairs)))
        counts = np.where(says, where.sum(axis=0), np.nan)
        return floats(name, counts).cast(pl.Int64)


def interval_columns(
    interval: statistics.Interval, low: str = "ci_low", high: str = "ci_high"
) -> list[pl.Series]:
    """Return the ends of intervals as columns, null where undefined."""
    return [floats(low, interval.low), floats(high, interval.high)]


def _side_by_side(matrices: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Stack matrices horizontally, without copying a single one."""
    return matrices[0] if len(matrices) == 1 else np.hstack(matrices)


def floats(name: str, values: NDArray[np.float64]) -> pl.Series:
    """Return a column, null where values are undefined."""
    return pl.Series(name, values, nan_to_null=True)


def difference(scores: NDArray[np.float64], baseline: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the differences from the baseline's scores, 0 where they are equal up to rounding."""
    deltas = scores - baseline
    return np.where(np.abs(deltas) <= EQUAL, 0.0, deltas)


def standardized(
    contrasts: Contrasts, level: NDArray[np.float64]
) -> tuple[NDArray[np.float64], statistics.Interval]:
    """Return the mean in standard deviations, with its interval at the level of each column."""
    values = contrasts.differences
    if contrasts.runs is not None:  # no interval is known
        none = np.full((2, values.shape[1]), np.nan)
        return statistics.standardized_mean(values), statistics.Interval(*none)
    if not contrasts.studentizes:
        return statistics.linearized_effect(values, contrasts.structure, level)
    defined = ~np.isnan(values)
    drawn: NDArray[np.float64] | int = len(values)
    if not defined.all():
        share = contrasts.draws.means(contrasts.sampled(defined.astype(np.float64)))
        drawn = len(values) * share
    found_interval = statistics.standardized_interval(values, contrasts.moments, drawn, level)
    return statistics.standardized_mean(values), found_interval


def detectability(
    contrasts: Contrasts,
    confidence: float,
    margin: float | None,
    largest_losses: NDArray[np.float64],
) -> list[dict[str, float | None]]:
    """Return what these queries can detect, and how concentrated each difference is.

    Power is 80 %, at the level of one interval of the family, with rare failures allowed for. A
    difference is as large in the direction in which it is harder to detect, so that it is the same
    whichever system is called the baseline.

    Returns
    -------
    list of dict
        For each column of the differences: ``detectable``, the smallest detectable mean
        difference; ``widest``, the largest possible one (infinite if unbounded);
        ``margin_needed``, how many queries detect a difference as large as the margin;
        ``first_share`` and ``top_share``, the shares of the net difference made by the top query
        and the top five that changed in its direction. None where undefined.
    """
    levels, wanted = contrasts.levels(confidence), np.nan if margin is None else margin
    spread = contrasts.spread
    if contrasts.runs is not None:
        spread = spread * contrasts.runs.stretch(contrasts.sample, levels)
        wanted = np.nan  # more queries do not make the spread between runs smaller
    options: dict[str, Any] = {
        "alpha": 1 - levels,
        "largest": contrasts.reaches(largest_losses),
        "simultaneous": contrasts.family.corrects,
    }
    skewness, kurtosis = contrasts.shape

    def either_way(found: Callable[..., Any], of: Any) -> Any:
        one, other = (
            found(spread, of, shape=(s, kurtosis), **options) for s in (skewness, -skewness)
        )
        return np.fmax(one, other)

    figures = {
        "detectable": either_way(statistics.detectable_difference, contrasts.worth),
        "widest": contrasts.widths,
        # Assume the same effective number per query for more queries.
        "margin_needed": np.ceil(
            either_way(statistics.queries_needed, wanted)
            * statistics.ratio(contrasts.sample.n_queries, contrasts.worth)
        ),
        "first_share": contrasts.shares[0],
        "top_share": contrasts.shares[1],
    }
    return pl.DataFrame(figures, nan_to_null=True).to_dicts()


class OneSided(NamedTuple):
    """The queries that one system of a pair answered and the other did not.

    Attributes
    ----------
    n
        Their number.
    share
        Their share of the net difference: above 1 if the others have the opposite sign in sum.
    delta
        The mean difference over the other queries; None if there are none.
    """

    n: int
    share: float
    delta: float | None


MOST = 0.5
"""One-sided queries that make up more than this share of a difference get a caution."""


def one_sided(
    contrasts: Contrasts, measure: str, unanswered: pl.DataFrame, query_ids: Sequence[str]
) -> dict[Pair, OneSided]:
    """Return the effect of queries that one system did not answer, for each pair that has any.

    Parameters
    ----------
    contrasts
        Contrasts with the measure.
    measure
        Name of the measure.
    unanswered
        The frame of `rankreport.Evaluation.unanswered`.
    query_ids
        Queries in the order of the contrasts' rows.
    """
    if unanswered.is_empty():
        return {}
    queries = pl.Series(query_ids, dtype=pl.String)
    silent = {
        system: queries.is_in(
            unanswered.filter(pl.col(SYSTEM) == system)[QUERY_ID].implode()
        ).to_numpy()
        for system in contrasts.scores
    }
    found = {}
    for block in contrasts.blocks():
        for pair in block.pairs:
            alone = silent[pair.system] != silent[pair.baseline]
            deltas = block.differences[:, block.column(pair, measure)]
            if one := _of_pair(deltas, alone, block.structure.weights):
                found[pair] = one
    return found


def _of_pair(
    deltas: NDArray[np.float64], alone: NDArray[np.bool_], weights: NDArray[np.float64] | None
) -> OneSided | None:
    """Return the effect of one pair's one-sided queries, or None without any or a difference."""
    weighed = np.where(np.isnan(deltas), 0.0, 1.0 if weights is None else weights)
    counted = np.nan_to_num(deltas) * weighed
    n, net = int((alone & (weighed > 0)).sum()), counted.sum()
    if n == 0 or net == 0:
        return None
    others = weighed[~alone].sum()
    delta = float(counted[~alone].sum() / others) if others > 0 else None
    return OneSided(n, float(counted[alone].sum() / net), delta)


@cached
def contrasts_of(comparison: ComparisonValues) -> Contrasts:
    """Return the differences of all pairs and measures as matrices."""
    if memory_limit_of(comparison.evaluation) is not None:
        unjudged_at_top(comparison.evaluation)  # more room to read before there are matrices
    return contrasts_on(comparison, comparison.evaluation.measures)


def contrasts_on(
    comparison: ComparisonValues,
    measures: Sequence[Measure],
    across: str | None = None,
    values: pl.DataFrame | None = None,
) -> Contrasts:
    """Return the differences of all pairs on these measures as matrices.

    `across` overrides the comparison's, as for the measures of a curve; `values` are those of
    the measures, if they are known.
    """
    check_process()
    evaluation = comparison.evaluation
    names = tuple(str(measure) for measure in measures)
    paired = systems_of(comparison.pairs)
    compared = [system for system in evaluation.systems if system in paired]
    known = evaluation.values(measures) if values is None else values
    return Contrasts(
        score_matrices(known, compared, names, evaluation.query_ids),
        names,
        tuple(GOALS[measure.declaration.better] for measure in measures),
        ranges_of(measures),
        comparison.pairs,
        Family(
            comparison.correction, across or comparison.across, len(comparison.pairs), len(names)
        ),
        Draws(comparison.resamples, comparison.seed, block_of_draws(comparison)),
        structure_of(comparison),
        repeats=runs_of_systems(evaluation.repeats(measures), names),
    )
