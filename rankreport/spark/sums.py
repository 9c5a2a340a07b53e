"""An evaluation of which Spark returns sums: per bucket of queries, and no row of any query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.comparison import Pair, ScoreSums, difference_bounds, without_queries
from rankreport.errors import DataError
from rankreport.evaluation import (
    DataCounts,
    Evaluation,
    FromRuns,
    Judged,
    no_query_left,
    no_query_shared,
    of_positions,
    remark_of,
    score_matrices,
    short_among,
)
from rankreport.frames import QUERY_ID, RELEVANCE, SYSTEM, VALUE
from rankreport.io import Remark, Source
from rankreport.measures import Measure
from rankreport.spark.origin import FromSpark
from rankreport.spark.tables import UNIT


class _Part(NamedTuple):
    """What is found in a bucket: counts for cautions, and sums, None without a query."""

    counts: DataCounts
    sums: ScoreSums | None


@dataclass(frozen=True, eq=False)
class FromSums(FromSpark):
    """Results of rows on Spark of which sums and counts are brought home.

    Attributes
    ----------
    measures, primary
        As of an evaluation.
    seed
        The seed by which queries are put into units.
    """

    measures: tuple[Measure, ...] = field(kw_only=True)
    primary: Measure = field(kw_only=True)
    seed: int = field(kw_only=True)

    @property
    def counts(self) -> DataCounts:
        """The counts of all buckets.

        Raises
        ------
        DataError
            If rows are invalid, a system has no judged query, or no query is left.
        """
        return self._counts_and_sums[0]

    @property
    def sums(self) -> ScoreSums:
        """The sums of all buckets; errors are those of `counts`."""
        return self._counts_and_sums[1]

    @cached_property
    def _counts_and_sums(self) -> tuple[DataCounts, ScoreSums]:
        parts = self._parts()
        for system, source in self.systems.items():
            if not any(part.counts.depths.get(system) for part in parts):
                unjudged = [name for part in parts for name in part.counts.unjudged[system]]
                raise self._not_shared(source, unjudged)
        sums = [part.sums for part in parts if part.sums is not None]
        if not sums:
            raise no_query_left(self.settings["queries"], self.settings["no_relevant"])
        counts = DataCounts.joined([part.counts for part in parts], [*self.systems], self.primary)
        return counts, ScoreSums.joined(sums)

    def _parts(self) -> list[_Part]:
        """Find the counts and sums of each bucket."""
        find = partial(_part, tuple(self.systems), self.measures, self.primary)
        try:
            parts = self.spark.find_in_units(find, self.seed)
        except DataError as error:
            raise self._first_fault() or error from None
        # Buckets come in any order, on which the last digits of a sum depend.
        return sorted(parts, key=lambda part: -1 if part.sums is None else part.sums.units[0])

    def _not_shared(self, source: Source, returned: Sequence[str]) -> DataError:
        """Return the error for a run without a judged query."""
        judged = pl.DataFrame(
            self.spark.qrels.select(QUERY_ID).orderBy(QUERY_ID).limit(1).toArrow()
        )
        others = pl.Series(returned, dtype=pl.String)
        return DataError(" ".join(no_query_shared(source, others, self.qrels, judged[QUERY_ID])))

    @cached_property
    def on_judged(self) -> JudgedSums:
        """Sums of the primary measure on judged documents alone, which takes another pass."""
        bounded = not self._tie_rule.expected and bool(self.counts.positive)
        find = partial(
            _judged_part,
            tuple(self.systems),
            self.primary,
            sorted(self.counts.positive) if bounded else None,
        )
        parts = self.spark.find_in_units(find, self.seed)
        return JudgedSums.joined([part for part in parts if part is not None])

    @cached_property
    def judged(self) -> Judged:
        """What is known of the judged frame: its counts, and no rows."""
        counts, empty = self.counts, pl.DataFrame()
        return Judged(
            empty,
            empty,
            counts.n_unjudged,
            counts.n_judgments,
            counts.n_ranked,
            self.spark.plan.top_grade,
            n_folded=counts.n_folded,
            grades=counts.grades,
        )

    def quality(self) -> pl.DataFrame:
        """Return the counts of the data."""
        return self.counts.quality

    def coverage(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the share of unjudged documents within the cut-off of the primary measure."""
        del measures
        return self.counts.coverage

    def unanswered(self) -> pl.DataFrame:
        """Return the first queries for which each system returned nothing."""
        return self.counts.unanswered

    def positives_only(self) -> bool:
        """Return whether all judged documents have a positive grade."""
        return self.counts.positives_only

    def depths(self) -> dict[str, int]:
        """Return the length of each system's longest list."""
        return dict(self.counts.depths)

    def short_lists(self, k: int) -> pl.DataFrame:
        """Count the short lists of judged queries."""
        return short_among(self.counts.lists, self.counts.quality, k)

    def spellings(self, systems: object) -> dict[str, Any]:
        """Return nothing: ids are not compared."""
        del systems
        return {}

    def unjudged(self, measure: Measure, n_measures: int = 1) -> None:  # type: ignore[override]
        """Return None: unjudged documents are not brought home."""
        del measure, n_measures

    @cached_property
    def n_identical(self) -> Mapping[str, int]:
        """The number of documents of each system that were left out for having the query's id."""
        return self.counts.n_identical

    @cached_property
    def _remarks(self) -> list[Any]:
        counts = self.counts
        known = len(counts.grades) > 0
        of_judgments = (remark for remark in self.qrels.remarks if remark.code != "rating")
        rated = self._rated() if known else ()
        found = [remark_of(None, remark) for remark in (*of_judgments, *rated)]
        for system, source in self.systems.items():
            rows = counts.n_ranked[system]
            if system in counts.n_folded:
                left = counts.n_folded[system]
                found.append(remark_of(system, Remark("folded", rows - left, (str(rows),))))
            found += [remark_of(system, remark) for remark in source.remarks]
            if n_left_out := counts.n_identical.get(system):
                found.append(remark_of(system, Remark("identical", n_left_out)))
            if n_extra := counts.n_unjudged.get(system):
                named = tuple(counts.unjudged[system])
                found.append(remark_of(system, Remark("extra_queries", n_extra, named)))
        return [*found, *of_positions(counts.positions), *self._of_grades(), *self._of_ties()]

    def _of_ties(self) -> Iterator[Any]:
        counts = self.counts
        n_rows = counts.n_folded or counts.n_ranked
        for system, n in counts.n_repeated.items():
            if n:
                yield remark_of(system, Remark("equal_scores", n, (str(n_rows[system]),)))

    @property
    def evaluated_grades(self) -> pl.Series:
        """The grades of the queries evaluated, each once."""
        return self.counts.grades[RELEVANCE]

    def holds(self, measures: Sequence[Measure]) -> bool:
        """Return False: scores of queries are not held."""
        del measures
        return False

    def values(self, measures: Sequence[Measure]) -> NoReturn:
        """Raise an error: scores of queries are not held."""
        del measures
        raise without_queries("This needs")

    def judged_documents(self) -> NoReturn:
        """Raise an error: documents are not held."""
        raise without_queries("This needs")

    def scored_documents(self) -> NoReturn:
        """Raise an error: documents are not held."""
        raise without_queries("This needs")


class _Bounds(NamedTuple):
    """The number of queries, and sums of how low and high their differences could be."""

    n: int
    lowest: float
    highest: float


class JudgedSums(NamedTuple):
    """Sums of a measure on judged documents alone.

    Attributes
    ----------
    sums
        Of its scores and differences.
    bounds
        For each pair of systems in their order, how low and high differences could be; None if
        that is not known.
    """

    sums: ScoreSums
    bounds: Mapping[Pair, _Bounds] | None

    @classmethod
    def joined(cls, parts: Sequence[JudgedSums]) -> JudgedSums:
        """Return the sums of all parts."""
        in_order = sorted(parts, key=lambda part: int(part.sums.units[0]))
        known = [part.bounds for part in in_order if part.bounds is not None]
        bounds = None
        if len(known) == len(in_order):
            bounds = {
                pair: _Bounds(*map(sum, zip(*(of[pair] for of in known), strict=True)))
                for pair in known[0]
            }
        return cls(ScoreSums.joined([part.sums for part in in_order]), bounds)

    def mean_bounds(self, pair: Pair) -> tuple[float, float] | None:
        """Return how low and high a mean difference could be; None if that is not known."""
        if self.bounds is None:
            return None
        if pair in self.bounds:
            n, lowest, highest = self.bounds[pair]
            return lowest / n, highest / n
        n, lowest, highest = self.bounds[Pair(pair.system, pair.baseline)]
        return -highest / n, -lowest / n


def _judged_part(
    systems: tuple[str, ...],
    primary: Measure,
    grades: Sequence[float] | None,
    origin: FromRuns,
    units: pl.DataFrame,
) -> JudgedSums | None:
    """Sum the scores of a bucket on judged documents alone; None without a query."""
    values = origin.values([primary])
    if values.is_empty():
        return None
    queries = values[QUERY_ID].unique(maintain_order=True).to_list()
    unjudged = origin.unjudged(primary)
    condensed = score_matrices(unjudged.lists, systems, [VALUE], queries)
    nobody = dict.fromkeys(systems, np.zeros(len(queries), dtype=bool))
    sums = ScoreSums.of(condensed, [str(primary)], _units_of(queries, units), nobody)
    if grades is None:
        return JudgedSums(sums, None)
    whole = score_matrices(values, systems, [str(primary)], queries)
    scores = {system: each[:, 0] for system, each in whole.items()}
    pairs = [Pair(*two) for two in combinations(systems, 2)]
    found = difference_bounds(unjudged, primary, pairs, scores, queries, grades=grades)
    if found is None:
        return JudgedSums(sums, None)
    bounds = {
        pair: _Bounds(int((~np.isnan(low)).sum()), float(np.nansum(low)), float(np.nansum(high)))
        for pair, (low, high) in found.items()
    }
    return JudgedSums(sums, bounds)


def _units_of(queries: Sequence[str], units: pl.DataFrame) -> NDArray[np.int64]:
    """Return the unit of each query."""
    wanted = pl.DataFrame({QUERY_ID: queries}, schema={QUERY_ID: pl.String})
    of = wanted.join(units, on=QUERY_ID, how="left", maintain_order="left")[UNIT]
    return of.to_numpy().astype(np.int64)


def _part(
    systems: tuple[str, ...],
    measures: tuple[Measure, ...],
    primary: Measure,
    origin: FromRuns,
    units: pl.DataFrame,
) -> _Part:
    """Sum the scores of a bucket, and count its rows."""
    values = origin.values(measures)
    counts = DataCounts.of(origin, values, primary)
    if values.is_empty():
        return _Part(counts, None)
    names = [str(measure) for measure in measures]
    queries = values[QUERY_ID].unique(maintain_order=True)
    unanswered = origin.unanswered()
    silent = {
        system: queries.is_in(
            unanswered.filter(pl.col(SYSTEM) == system)[QUERY_ID].implode()
        ).to_numpy()
        for system in systems
    }
    in_order = queries.to_list()
    scores = score_matrices(values, systems, names, in_order)
    return _Part(counts, ScoreSums.of(scores, names, _units_of(in_order, units), silent))


@dataclass(frozen=True, eq=False, repr=False)
class SummedEvaluation(Evaluation):
    """An evaluation of which sums over the queries are held.

    What needs the scores of single queries raises an `rankreport.errors.OptionError`.
    """

    _origin: FromSums = field(repr=False)

    @property
    def sums(self) -> ScoreSums:
        """The sums of all scores and differences."""
        return self._origin.sums

    @property
    def _of_sums(self) -> bool:
        return True

    @property
    def _n_queries(self) -> int:
        return int(self.quality["n_queries"].max() or 0)  # type: ignore[arg-type]

    @property
    def on_judged(self) -> JudgedSums | None:
        """The sums on judged documents alone; None where unjudged ones do not matter."""
        return self._origin.on_judged if self._unjudged_matter else None

    def _same_scores(self) -> list[list[str]]:
        return []  # a comparison finds them

    def _undefined(self) -> pl.DataFrame:
        return self._origin.counts.undefined

    def _primary_ties(self) -> pl.DataFrame:
        return self._origin.counts.ties

    def summary(self, weights: Mapping[str, float] | None = None) -> pl.DataFrame:
        """Return every system's value of every measure, unweighted."""
        if weights is not None:
            raise without_queries("A weighted summary needs")
        sample = self.sums.sample_of_levels(self.sums.measures)
        totals = np.where(self._are_sums, sample.summed.mean * sample.size, sample.mean)
        rows = totals.reshape(len(self.systems), -1)
        columns = {
            str(measure): pl.Series(rows[:, at], nan_to_null=True)
            for at, measure in enumerate(self.measures)
        }
        return pl.DataFrame({SYSTEM: self.systems, **columns})

    @property
    def _are_sums(self) -> Any:
        sums = [measure.declaration.aggregate == "sum" for measure in self.measures]
        return np.tile(sums, len(self.systems))
