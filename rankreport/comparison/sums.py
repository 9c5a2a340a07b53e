"""Contrasts of sums: a comparison whose scores by query are elsewhere, summed in parts.

Each part holds whole queries and whole units: buckets of queries, filled by a hash of their names,
which are resampled. The sums of all parts give what `Contrasts` gives of the scores: means, counts
and intervals in closed form are those of all queries, and what is resampled are the units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport import statistics
from rankreport.comparison.contrasts import (
    GOALS,
    Contrasts,
    OneSided,
    difference,
    floats,
    interval_columns,
)
from rankreport.comparison.pairs import Family, Pair
from rankreport.errors import OptionError
from rankreport.evaluation import ranges_of
from rankreport.frames import MEASURE, SYSTEM
from rankreport.statistics import PowerSums, SummedRatio, SummedSample, unit_totals

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankreport.measures import Measure
    from rankreport.statistics import Draws


def without_queries(what: str) -> OptionError:
    """Return the error for what needs the scores of single queries, where only sums are held."""
    return OptionError(
        f"{what} the scores of single queries, and this comparison holds sums of them. Bring what "
        f"was judged home, rr.compare(evaluated.to_evaluation()), or read the scores where they "
        f"are: evaluated.scores."
    )


@dataclass(frozen=True, eq=False)
class ScoreSums:
    """Sums of the scores of systems, and of the differences of all pairs, over some queries.

    Columns are measures, of one system or pair after the other. The units are the rows of totals.

    Attributes
    ----------
    systems, measures
        Their names.
    units : int, shape (n_units,)
        The number of each unit, ascending.
    levels, level_totals, level_counts
        Sums of the scores; their totals and numbers by unit.
    deltas, delta_totals, delta_counts
        The same of the differences, of the first system of a pair from the second.
    bases, base_totals
        Sums of the first system's scores where both are defined, and their totals by unit.
    cross : float64, shape (n_pairs * n_measures,)
        Sums of the products of these scores with the differences, both about their means.
    alike, scored : bool, shape (n_pairs,)
        Whether all scores of a pair are equal, and whether any is not 0.
    n_alone, alone : float64, shape (n_pairs * n_measures,)
        The number and the sum of the differences of queries that one system alone answered.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    units: NDArray[np.int64]
    levels: PowerSums
    level_totals: NDArray[np.float64]
    level_counts: NDArray[np.float64]
    deltas: PowerSums
    delta_totals: NDArray[np.float64]
    delta_counts: NDArray[np.float64]
    bases: PowerSums
    base_totals: NDArray[np.float64]
    cross: NDArray[np.float64]
    alike: NDArray[np.bool_]
    scored: NDArray[np.bool_]
    n_alone: NDArray[np.float64]
    alone: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        scores: Mapping[str, NDArray[np.float64]],
        measures: Sequence[str],
        units: NDArray[np.int64],
        silent: Mapping[str, NDArray[np.bool_]],
    ) -> ScoreSums:
        """Sum the scores of two or more systems on the same queries.

        Parameters
        ----------
        scores
            By system, float64 of shape (n_queries, n_measures), NaN where undefined.
        measures
            Names of the measures.
        units
            The unit of each query.
        silent
            By system, whether it returned nothing for each query.

        Examples
        --------
        >>> scores = {"old": np.array([[0.5], [0.0]]), "new": np.array([[1.0], [0.0]])}
        >>> silent = dict.fromkeys(scores, np.array([False, False]))
        >>> found = ScoreSums.of(scores, ["RR"], np.array([7, 3]), silent)
        >>> found.units, found.deltas.mean, found.delta_totals.ravel()
        (array([3, 7]), array([0.25]), array([0. , 0.5]))
        """
        numbers, of = np.unique(units, return_inverse=True)
        levels = [(PowerSums.of(each), *unit_totals(each, of)) for each in scores.values()]
        pairs = [
            _pair_sums(scores[one], scores[other], of, silent[one] != silent[other])
            for one, other in combinations(scores, 2)
        ]
        level_sums, level_totals, level_counts = zip(*levels, strict=True)
        deltas, totals, counts, bases, base_totals, cross, alike, scored, n_alone, alone = zip(
            *pairs, strict=True
        )
        return cls(
            tuple(scores),
            tuple(measures),
            numbers,
            PowerSums.beside(level_sums),
            np.hstack(level_totals),
            np.hstack(level_counts),
            PowerSums.beside(deltas),
            np.hstack(totals),
            np.hstack(counts),
            PowerSums.beside(bases),
            np.hstack(base_totals),
            np.concatenate(cross),
            np.array(alike),
            np.array(scored),
            np.concatenate(n_alone),
            np.concatenate(alone),
        )

    @classmethod
    def joined(cls, parts: Sequence[ScoreSums]) -> ScoreSums:
        """Return the sums of all parts, none of which shares a unit with another.

        The order of the parts matters to the last digits alone.
        """
        order = np.argsort(np.concatenate([part.units for part in parts]), kind="stable")

        def stacked(rows: Callable[[ScoreSums], NDArray[np.float64]]) -> NDArray[np.float64]:
            return np.vstack([rows(part) for part in parts])[order]

        return cls(
            parts[0].systems,
            parts[0].measures,
            np.concatenate([part.units for part in parts])[order],
            PowerSums.joined(part.levels for part in parts),
            stacked(lambda part: part.level_totals),
            stacked(lambda part: part.level_counts),
            PowerSums.joined(part.deltas for part in parts),
            stacked(lambda part: part.delta_totals),
            stacked(lambda part: part.delta_counts),
            PowerSums.joined(part.bases for part in parts),
            stacked(lambda part: part.base_totals),
            _cross_of(parts),
            np.logical_and.reduce([part.alike for part in parts]),
            np.logical_or.reduce([part.scored for part in parts]),
            np.sum([part.n_alone for part in parts], axis=0),
            np.sum([part.alone for part in parts], axis=0),
        )

    def sample_of_levels(self, measures: Sequence[str]) -> SummedSample:
        """Return the scores of all systems on some measures, system by system, as a sample."""
        places = self._places(range(len(self.systems)), measures)
        return _sample(
            self.levels, self.level_totals, self.level_counts, places, np.ones(len(places))
        )

    def sample_of_pairs(self, pairs: Sequence[Pair], measures: Sequence[str]) -> SummedSample:
        """Return the differences of some pairs on some measures, pair by pair, as a sample."""
        places, signs = self._of_pairs(pairs, measures)
        return _sample(self.deltas, self.delta_totals, self.delta_counts, places, signs)

    def ratios_of_pairs(self, pairs: Sequence[Pair], measures: Sequence[str]) -> SummedRatio:
        """Return the ratios of the means of some pairs, the system's over the baseline's."""
        places, signs = self._of_pairs(pairs, measures)
        base, other = self.sides_of_pairs(pairs, measures)
        deltas, first, cross = self.deltas.squares, self.bases.squares, self.cross
        second = (first + 2 * cross + deltas)[places]
        first, between = first[places], (first + cross)[places]
        turned = signs < 0
        return SummedRatio.of_sums(
            other,
            base,
            self.delta_counts[:, places],
            np.where(turned, first, second),
            np.where(turned, second, first),
            between,
        )

    def sides_of_pairs(
        self, pairs: Sequence[Pair], measures: Sequence[str]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the totals, by unit, of the scores of baseline and system, where both have one."""
        places, signs = self._of_pairs(pairs, measures)
        base = self.base_totals[:, places]
        other = base + self.delta_totals[:, places]
        turned = signs < 0
        return np.where(turned, other, base), np.where(turned, base, other)

    def alike_pairs(self, pairs: Sequence[Pair]) -> set[Pair]:
        """Return the pairs with identical scores that are not all 0."""
        at, _ = self._numbers(pairs)
        same = self.alike[at] & self.scored[at]
        return {pair for pair, each in zip(pairs, same, strict=True) if each}

    def one_sided(self, pairs: Sequence[Pair], measure: str) -> dict[Pair, OneSided]:
        """Return the effect of queries that one system did not answer, for each pair with any."""
        places, signs = self._of_pairs(pairs, [measure])
        found = {}
        for pair, place, sign in zip(pairs, places, signs, strict=True):
            n, net = self.n_alone[place], self.deltas.size[place] * self.deltas.mean[place]
            if n == 0 or net == 0:
                continue
            others = self.deltas.size[place] - n
            rest = (net - self.alone[place]) / others if others > 0 else None
            delta = None if rest is None else float(sign * rest)
            found[pair] = OneSided(int(n), float(self.alone[place] / net), delta)
        return found

    def _places(self, of: Sequence[int] | range, measures: Sequence[str]) -> NDArray[np.intp]:
        """Return the columns of these systems or pairs on these measures."""
        at = np.array([self.measures.index(each) for each in measures], dtype=np.intp)
        first = np.array(of, dtype=np.intp)[:, np.newaxis] * len(self.measures)
        return (first + at).ravel()

    def _numbers(self, pairs: Sequence[Pair]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the number of each pair, and -1 where its baseline is the second of the two."""
        known = {Pair(*two): place for place, two in enumerate(combinations(self.systems, 2))}
        signs = [1.0 if pair in known else -1.0 for pair in pairs]
        at = [
            known[pair if sign > 0 else Pair(pair.system, pair.baseline)]
            for pair, sign in zip(pairs, signs, strict=True)
        ]
        return np.array(at, dtype=np.intp), np.array(signs)

    def _of_pairs(
        self, pairs: Sequence[Pair], measures: Sequence[str]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the columns of these pairs on these measures, and their signs."""
        at, signs = self._numbers(pairs)
        return self._places(at.tolist(), measures), np.repeat(signs, len(measures))


def _cross_of(parts: Sequence[ScoreSums]) -> NDArray[np.float64]:
    """Join the sums of products of all parts (Chan, Golub and LeVeque 1979)."""
    n, delta, base, cross = (np.zeros(len(parts[0].cross)) for _ in range(4))
    for part in parts:
        whole = np.maximum(n + part.deltas.size, 1)
        share = part.deltas.size / whole
        apart = part.deltas.mean - delta, part.bases.mean - base
        cross = cross + part.cross + apart[0] * apart[1] * n * share
        delta, base = delta + apart[0] * share, base + apart[1] * share
        n = n + part.deltas.size
    return cross


def _pair_sums(
    one: NDArray[np.float64],
    other: NDArray[np.float64],
    of: NDArray[np.intp],
    alone: NDArray[np.bool_],
) -> tuple[
    PowerSums,
    NDArray[np.float64],
    NDArray[np.float64],
    PowerSums,
    NDArray[np.float64],
    NDArray[np.float64],
    bool,
    bool,
    NDArray[np.float64],
    NDArray[np.float64],
]:
    """Return the columns of `ScoreSums` of one pair."""
    deltas = difference(other, one)
    totals, counts = unit_totals(deltas, of)
    defined = ~np.isnan(deltas)
    base = np.where(defined, one, np.nan)
    summed, bases = PowerSums.of(deltas), PowerSums.of(base)
    products = np.where(defined, (deltas - summed.mean) * (base - bases.mean), 0.0)
    of_alone = defined & alone[:, np.newaxis]
    return (
        summed,
        totals,
        counts,
        bases,
        unit_totals(base, of)[0],
        products.sum(axis=0),
        np.array_equal(one, other, equal_nan=True),
        bool(np.nansum(np.abs(one)) > 0),
        np.count_nonzero(of_alone, axis=0).astype(np.float64),
        np.where(of_alone, deltas, 0.0).sum(axis=0),
    )


def _sample(
    summed: PowerSums,
    totals: NDArray[np.float64],
    counts: NDArray[np.float64],
    places: NDArray[np.intp],
    signs: NDArray[np.float64],
) -> SummedSample:
    """Return some columns as a sample, each multiplied by its sign."""
    return SummedSample.of_sums(
        summed.columns(places, signs), totals[:, places] * signs, counts[:, places]
    )


@dataclass(frozen=True, eq=False)
class SummedContrasts(Contrasts):
    """Contrasts of sums: `scores` is empty, and what needs them raises an `OptionError`."""

    sums: ScoreSums = field(kw_only=True)

    @classmethod
    def of_sums(
        cls,
        sums: ScoreSums,
        measures: Sequence[Measure],
        pairs: tuple[Pair, ...],
        *,
        correction: str,
        across: str,
        draws: Draws,
    ) -> SummedContrasts:
        """Create contrasts from the sums of an evaluation."""
        names = tuple(str(measure) for measure in measures)
        return cls(
            {},
            names,
            tuple(GOALS[measure.declaration.better] for measure in measures),
            ranges_of(measures),
            pairs,
            Family(correction, across, len(pairs), len(names)),
            draws,
            statistics.PLAIN,
            sums=sums,
        )

    @cached_property
    def sample(self) -> statistics.Sample:
        """The differences as a sample of which sums are held."""
        return self.sums.sample_of_pairs(self.pairs, self.measures)

    @property
    def alike(self) -> set[Pair]:
        """The pairs with identical scores that are not all 0."""
        return self.sums.alike_pairs(self.pairs)

    @cached_property
    def shares(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The shares of each net difference made by the top query and by the top five."""
        summed = self._summed
        return summed.largest_share(1), summed.largest_share(5)

    @property
    def _summed(self) -> PowerSums:
        return self.sums.sample_of_pairs(self.pairs, self.measures).summed

    def frame(self) -> pl.DataFrame:
        """Return the figures of each mean difference that need no resampling."""
        summed, n = self._summed, self._summed.size
        base, other = self.sums.sides_of_pairs(self.pairs, self.measures)
        goals = np.tile(np.array(self.goals), len(self.pairs))
        turned = goals < 0
        undefined = np.isnan(goals)
        wins = np.where(turned, summed.n_below, summed.n_above)
        losses = np.where(turned, summed.n_above, summed.n_below)
        n_changed = summed.n_below + summed.n_above
        return self.labels().with_columns(
            pl.Series("n_queries", n.astype(np.int64)),
            pl.Series("n_changed", n_changed.astype(np.int64)),
            floats("n_changed_effective", self.sample.n_changed_effective),
            floats("mean_baseline", statistics.ratio(base.sum(axis=0), n)),
            floats("mean_system", statistics.ratio(other.sum(axis=0), n)),
            floats("delta", self.sample.mean),
            floats("wins", np.where(undefined, np.nan, wins)).cast(pl.Int64),
            pl.Series("ties", (n - n_changed).astype(np.int64)),
            floats("losses", np.where(undefined, np.nan, losses)).cast(pl.Int64),
        )

    def sides(self, pair: Pair) -> tuple[float | None, float | None]:
        """Return the means of a pair's differences above 0 and below 0 on the first measure.

        None where there are none.
        """
        summed = self.sums.sample_of_pairs([pair], self.measures[:1]).summed
        above, below = (
            statistics.ratio(total, n)[0]
            for total, n in ((summed.above, summed.n_above), (summed.below, summed.n_below))
        )
        return (
            None if np.isnan(above) else float(above),
            None if np.isnan(below) else float(below),
        )

    def means(self, kind: str, confidence: float) -> pl.DataFrame:
        """Return each system's means: ``system, measure, mean, ci_low, ci_high``."""
        systems = self.sums.systems
        sample = self.sums.sample_of_levels(self.measures)
        ranges = np.tile(self.ranges, len(systems))
        found = self.draws.interval(kind, sample, confidence).within(*ranges)
        rows = [(system, measure) for system in systems for measure in self.measures]
        schema = {SYSTEM: pl.String, MEASURE: pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
            floats("mean", sample.mean), *interval_columns(found)
        )

    def ratios(self, kind: str, confidence: float) -> pl.DataFrame:
        """Return each ratio of means; its bootstrap interval is from the totals of the units."""
        sample = self.sums.ratios_of_pairs(self.pairs, self.measures)
        found = self.at_once(kind, sample, self.draws.replicates(kind, sample), confidence)
        return self.labels().with_columns(floats("ratio", sample.mean), *interval_columns(found))

    # What needs scores

    def among(self, *_: object) -> NoReturn:
        """Raise an error: these are not known by query."""
        raise without_queries("A comparison of some queries needs")

    def sampled(self, *_: object) -> NoReturn:
        """Raise an error: these are not known by query."""
        raise without_queries("This figure needs")

    @property
    def deltas(self) -> NoReturn:
        """Raise an error: these are not known by query."""
        raise without_queries("Differences by query need")

    @property
    def differences(self) -> NoReturn:
        """Raise an error: these are not known by query."""
        raise without_queries("Differences by query need")

    @property
    def won(self) -> NoReturn:
        """Raise an error: these are not known by query."""
        raise without_queries("This figure needs")
