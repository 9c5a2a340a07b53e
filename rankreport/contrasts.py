"""Paired differences as matrices, and what resampling the queries says of them.

A column is one measure of one system; the columns of a system stand together. All columns are
resampled at once, by the same draws of queries, so that figures of different measures, systems and
cut-offs belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from tqdm import tqdm

from rankreport import statistics
from rankreport.columns import MEASURE, QUERY_ID, SYSTEM
from rankreport.errors import OptionError
from rankreport.measures import EQUAL

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from rankreport.evaluation import Evaluation
    from rankreport.measures import Measure

__all__ = ["Contrasts", "Draws", "check_draws"]

GOALS = {"high": 1.0, "low": -1.0, "neither": float("nan")}
"""In which direction a difference is a win."""


class Draws(NamedTuple):
    """How queries are resampled."""

    resamples: int
    seed: int
    memory: int


def check_draws(draws: Draws) -> None:
    """Refuse draws that would say nothing.

    Raises
    ------
    OptionError
        Naming the option and its lowest value.
    """
    if draws.resamples < 100:
        raise OptionError(f"resamples={draws.resamples} is too few to say anything; 100 at least.")
    if draws.seed < 0:
        raise OptionError(f"seed={draws.seed} must not be negative.")
    if draws.memory < 2**20:
        raise OptionError(
            f"memory={draws.memory} bytes is too little; a mebibyte (2**20) at least."
        )


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Systems against a baseline, on the same queries and measures.

    Attributes
    ----------
    scores
        Each system's values, float64 of shape (n_queries, n_measures), NaN where undefined.
    measures
        The names of those measures.
    baseline
        The system that the others are compared with.
    draws
        How queries are resampled.
    correction
        For the number of systems, by name.
    goals
        Of each measure: 1 where higher is better, -1 where lower is, NaN where neither.
    """

    scores: Mapping[str, NDArray[np.float64]]
    measures: tuple[str, ...]
    baseline: str
    draws: Draws
    correction: str
    goals: tuple[float, ...]

    @classmethod
    def of(
        cls,
        evaluation: Evaluation,
        measures: Sequence[Measure],
        baseline: str,
        draws: Draws,
        correction: str,
    ) -> Self:
        """Take the scores of an evaluation, queries in one order for all systems."""
        wide = evaluation.values(measures)
        names = tuple(str(measure) for measure in measures)
        # A query that does not count for one of the systems is undefined there.
        queries = wide.select(QUERY_ID).unique(maintain_order=True)
        scores = {
            system: queries.join(
                wide.filter(pl.col(SYSTEM) == system),
                on=QUERY_ID,
                how="left",
                maintain_order="left",
            )
            .select(names)
            .to_numpy()
            for system in evaluation.systems
        }
        goals = tuple(GOALS[measure.declaration.better] for measure in measures)
        return cls(scores, names, baseline, draws, correction, goals)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems compared with the baseline."""
        return tuple(system for system in self.scores if system != self.baseline)

    @cached_property
    def deltas(self) -> dict[str, NDArray[np.float64]]:
        """Each system's differences from the baseline, (n_queries, n_measures)."""
        base = self.scores[self.baseline]
        return {system: _difference(self.scores[system], base) for system in self.systems}

    @cached_property
    def differences(self) -> NDArray[np.float64]:
        """All differences side by side, (n_queries, n_systems * n_measures)."""
        return np.hstack(list(self.deltas.values()))

    @cached_property
    def _won(self) -> NDArray[np.float64]:
        """1 where a query was won, -1 where it was lost, NaN where that cannot be said."""
        goals = np.tile(np.array(self.goals), len(self.systems))
        won: NDArray[np.float64] = statistics.signs_of(self.differences) * goals
        return won

    def frame(self) -> pl.DataFrame:
        """Return what is known of each mean difference without resampling.

        Returns
        -------
        DataFrame
            ``system, measure, n_queries, n_changed, mean_baseline, mean_system, delta, wins, ties,
            losses``, one row per column of `differences`.
        """
        defined = ~np.isnan(self.differences)
        base = np.hstack([self.scores[self.baseline]] * len(self.systems))
        own = np.hstack([self.scores[system] for system in self.systems])
        return self.labels(self.systems).with_columns(
            pl.Series("n_queries", defined.sum(axis=0)),
            pl.Series("n_changed", (defined & (self.differences != 0)).sum(axis=0)),
            _means("mean_baseline", np.where(defined, base, np.nan)),
            _means("mean_system", np.where(defined, own, np.nan)),
            _means("delta", self.differences),
            self._count("wins", self._won > 0),
            pl.Series("ties", (self.differences == 0).sum(axis=0)),
            self._count("losses", self._won < 0),
        )

    def _count(self, name: str, where: NDArray[np.bool_]) -> pl.Series:
        says = ~np.isnan(np.tile(self.goals, len(self.systems)))
        return pl.Series(name, np.where(says, where.sum(axis=0), np.nan), nan_to_null=True).cast(
            pl.Int64
        )

    def labels(self, systems: Sequence[str]) -> pl.DataFrame:
        """Return ``system, measure`` of the columns that systems have when side by side."""
        pairs = [(system, measure) for system in systems for measure in self.measures]
        return pl.DataFrame(pairs, schema={SYSTEM: pl.String, MEASURE: pl.String}, orient="row")

    def queries(self, system: str, place: int, query_ids: Sequence[str]) -> pl.DataFrame:
        """Return one system's scores on one measure beside the baseline's, the biggest win first.

        Returns
        -------
        DataFrame
            ``system, query_id, score_baseline, score_system, delta``.
        """
        frame = pl.DataFrame(
            {
                SYSTEM: [system] * len(query_ids),
                QUERY_ID: query_ids,
                "score_baseline": self.scores[self.baseline][:, place],
                "score_system": self.scores[system][:, place],
                "delta": self.deltas[system][:, place],
            },
            nan_to_null=True,
        )
        return frame.sort("delta", QUERY_ID, descending=[True, False], nulls_last=True)

    def intervals(self, kind: str, confidence: float) -> list[pl.Series]:
        """Return ``ci_low`` and ``ci_high`` of each mean difference, null where nothing varies.

        `confidence` is that all systems' intervals on a measure hold, as `correction` has it.
        """
        errors = self._errors if kind == "studentized" else None
        found = self._at_once(kind, self.differences, self._replicates, errors, confidence)
        return _ends(found)

    def bands(self, kind: str, confidence: float) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return all levels and all differences with their intervals, from one resampling.

        Returns
        -------
        levels : DataFrame
            ``system, measure, mean, ci_low, ci_high``, the baseline's too.
        differences : DataFrame
            ``system, measure, delta, ci_low, ci_high``.
        """
        levels = np.hstack(list(self.scores.values()))
        values = np.hstack([levels, self.differences])
        means = self._resample(values)
        errors = self._resample_errors(values) if kind == "studentized" else None
        own = np.arange(values.shape[1]) < levels.shape[1]
        of_levels = statistics.interval(
            kind,
            levels,
            means[:, own],
            self.level(confidence),
            standard_errors=None if errors is None else errors[:, own],
        )
        changed = None if errors is None else errors[:, ~own]
        of_differences = self._at_once(kind, self.differences, means[:, ~own], changed, confidence)
        banded = self.labels(list(self.scores)).with_columns(_means("mean", levels))
        compared = self.labels(self.systems).with_columns(_means("delta", self.differences))
        return banded.with_columns(_ends(of_levels)), compared.with_columns(_ends(of_differences))

    def level(self, confidence: float) -> float:
        """Return the confidence of one system's interval where that of all is `confidence`."""
        return statistics.level_of_each(self.correction, confidence, len(self.systems))

    def p_values(self, kind: str, primary: str) -> pl.Series:
        """Return the two-sided p-value of each mean difference, null where it is undefined.

        For the measure `primary`, all signs are tried with a few more changed queries.
        """
        decides = np.array([measure == primary for measure in self.measures])
        limits = np.where(decides, statistics.PATIENT_LIMIT, statistics.EXACT_LIMIT)
        p_values = statistics.p_values(
            kind,
            self.differences,
            exact_limit=np.tile(limits, len(self.systems)),
            **self._test_draws,
        )
        return pl.Series("p_value", p_values, nan_to_null=True)

    def adjusted(self, kind: str, p_values: pl.Series) -> pl.Series:
        """Correct each measure's p-values, of that test, for the number of systems compared."""
        found = statistics.adjusted(
            self.correction,
            kind,
            self.differences,
            p_values.to_numpy(),
            n_tests=len(self.systems),
            **self._test_draws,
        )
        return pl.Series("p_adjusted", found, nan_to_null=True)

    def effects(self, kind: str, confidence: float) -> pl.DataFrame:
        """Return the frame described at `rankreport.Comparison.effects`."""
        values, won = self.differences, self._won
        defined = ~np.isnan(values)
        drawn: NDArray[np.float64] | int = len(values)
        if not defined.all():
            drawn = len(values) * self._resample(defined.astype(np.float64))
        standardized = statistics.standardized_interval(
            values,
            statistics.Moments(self._replicates, self._errors),
            drawn,
            self.level(confidence),
        )
        errors = self._resample_errors(won) if kind == "studentized" else None
        net = self._at_once(kind, won, self._resample(won), errors, confidence)
        return self.labels(self.systems).with_columns(
            pl.Series("n_queries", defined.sum(axis=0)),
            pl.Series("d_z", statistics.standardized_mean(values), nan_to_null=True),
            *_ends(standardized, "d_z_low", "d_z_high"),
            _means("net_wins", won),
            *_ends(net, "net_wins_low", "net_wins_high"),
        )

    def power(
        self, system: str, place: int, confidence: float
    ) -> tuple[float | None, float | None]:
        """Return what these queries could tell from 0, and how many could tell what was found.

        Both with 80 % power, at the level of one system's interval.

        Returns
        -------
        detectable, needed : float or None
            The smallest mean difference, and the number of queries (infinite for a difference of
            0); None where the differences do not vary.
        """
        deltas = statistics.Sample.of(self.deltas[system][:, [place]])
        alpha, deviation = 1 - self.level(confidence), deltas.standard_deviation
        detectable = statistics.detectable_difference(deviation, deltas.size, alpha=alpha)
        needed = statistics.queries_needed(deviation, deltas.mean, alpha=alpha)
        if np.isnan(detectable).any() or np.isnan(needed).any():
            return None, None
        return float(detectable[0]), float(needed[0])

    def _at_once(
        self,
        kind: str,
        values: NDArray[np.float64],
        replicates: NDArray[np.float64],
        errors: NDArray[np.float64] | None,
        confidence: float,
    ) -> statistics.Interval:
        """Return intervals of the columns of `systems`, held at once as `correction` has it."""
        return statistics.simultaneous_interval(
            self.correction,
            kind,
            values,
            replicates,
            confidence,
            n_tests=len(self.systems),
            standard_errors=errors,
        )

    @property
    def _test_draws(self) -> dict[str, Any]:
        # One less than the resamples, so that the smallest p-value is a round number.
        return {**self.draws._asdict(), "resamples": self.draws.resamples - 1}

    @cached_property
    def _replicates(self) -> NDArray[np.float64]:
        return self._resample(self.differences)

    @cached_property
    def _errors(self) -> NDArray[np.float64]:
        return self._resample_errors(self.differences)

    def _resample(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        with _progress(self.draws.resamples) as advance:
            return statistics.replicate_means(values, **self.draws._asdict(), progress=advance)

    def _resample_errors(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the standard error of each replicate, of the same draws."""
        with _progress(self.draws.resamples) as advance:
            return statistics.replicate_moments(
                values, **self.draws._asdict(), progress=advance
            ).standard_errors


def _ends(
    interval: statistics.Interval, low: str = "ci_low", high: str = "ci_high"
) -> list[pl.Series]:
    return [
        pl.Series(low, interval.low, nan_to_null=True),
        pl.Series(high, interval.high, nan_to_null=True),
    ]


def _means(name: str, values: NDArray[np.float64]) -> pl.Series:
    return pl.Series(name, statistics.Sample.of(values).mean, nan_to_null=True)


def _difference(scores: NDArray[np.float64], baseline: NDArray[np.float64]) -> NDArray[np.float64]:
    deltas = scores - baseline
    return np.where(np.abs(deltas) <= EQUAL, 0.0, deltas)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], object]]:
    """Show a bar where the work takes longer than a second and somebody watches."""
    with tqdm(total=total, desc="resampling", delay=1, disable=None, leave=False) as bar:
        yield bar.update
