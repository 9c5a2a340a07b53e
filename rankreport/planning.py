"""Planning: what more queries could show, or fewer, judged by a comparison that was made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import polars as pl

from rankreport import charts, statistics
from rankreport.columns import BASELINE, MEASURE, SYSTEM
from rankreport.comparison import Comparison
from rankreport.difference import n_changed_in_words
from rankreport.errors import OptionError, check_confidence, expect
from rankreport.pairing import Pair, short_labels
from rankreport.piloting import KEYS, least_for_verdict, pilot_of, spreads_of
from rankreport.rendering.display import Displayed
from rankreport.rendering.language import say
from rankreport.rendering.table import Table
from rankreport.rendering.text import MISSING, counted, decimals, number, percent
from rankreport.verdict import FEW_CHANGED, MIN_CHANGED

if TYPE_CHECKING:
    from rankreport.charts import Chart
    from rankreport.measures import Measure

__all__ = ["Plan", "power"]

_STEPS = (10, 25, 50)
"""Of a ladder of numbers of queries, and their tens, hundreds and so on."""

_FEWEST = 25
"""The least number of queries on the ladder, unless the pilot has fewer."""

_REACH = 10
"""How many times the pilot's queries the ladder goes up to, and what part of them it goes down."""

_DIFFERENCES = (0.005, 0.01, 0.02, 0.05, 0.1)
"""Differences worth asking for, of a measure from 0 to 1."""

_POINTS = 40
"""Of a curve."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Displayed):
    """What numbers of queries can show, and how many a difference takes.

    Attributes
    ----------
    pilot
        What it rests on, one row per pair: ``baseline, system, measure, n_queries, n_changed,
        delta`` as in the comparison; ``n_telling`` (Float64), how many independent queries of equal
        weight those that changed are worth, and ``worth`` (Float64), how many a query is worth;
        ``spread, spread_low, spread_high`` (Float64), the standard deviation of the differences
        and its interval, null where it is not known.
    sizes, differences
        The numbers of queries and the differences asked for.
    with_found
        Whether the difference found is asked for too.
    power
        The chance of telling a difference from 0 where it is that large.
    confidence, level
        Of the intervals that decide: that all of them hold at once, and that one of them does.
    """

    pilot: pl.DataFrame
    sizes: tuple[int, ...]
    differences: tuple[float, ...]
    with_found: bool
    power: float
    confidence: float
    level: float

    def detectable(self) -> pl.DataFrame:
        """Return the smallest difference that each number of queries can be trusted to show.

        Returns
        -------
        DataFrame
            ``baseline, system, measure`` (String), ``n_queries`` (Int64), ``detectable`` and, from
            the interval of the pilot's spread, ``detectable_low, detectable_high`` (Float64). Null
            where the spread is not known, and where at the pilot's rate fewer than 10 queries would
            change, too few for a verdict.
        """
        return self._detectable_with(self.sizes)

    def needed(self) -> pl.DataFrame:
        """Return how many queries each difference takes.

        Returns
        -------
        DataFrame
            ``baseline, system, measure`` (String), ``difference`` (Float64), ``n_queries`` and,
            from the interval of the pilot's spread, ``n_queries_low, n_queries_high`` (Int64): at
            least as many as make 10 queries change at the pilot's rate. Null where the spread is
            not known, and where no number of queries would do.
        """
        counts = ("n_queries", "n_queries_low", "n_queries_high")
        schema = {"difference": pl.Float64, **dict.fromkeys(counts, pl.Int64)}
        return self._by_pair(schema, self._queries_for)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to mind before relying on the plan, in sentences."""
        return tuple(self._cautions())

    def plot(self) -> Chart:
        """Return a chart of `detectable`: a matplotlib figure that shows itself in Jupyter."""
        ends = np.array([*self.sizes, *self.pilot["n_queries"]])
        between = np.geomspace(ends.min(), ends.max(), _POINTS).round().astype(int)
        curve = self._detectable_with(sorted({*between.tolist(), *ends.tolist()}))
        found = replace(self, differences=(), with_found=True).needed()
        marks = (
            self.pilot.select(*KEYS, "n_queries")
            .join(curve, on=[*KEYS, "n_queries"], how="left", maintain_order="left")
            .join(found.rename({"n_queries": "needed"}), on=KEYS, how="left", maintain_order="left")
        )
        return charts.power_curve(
            curve.with_columns(self._labels(curve)),
            marks.with_columns(self._labels(marks)),
            measure=self.pilot[MEASURE][0],
            power=self.power,
            confidence=self.confidence,
        )

    def to_polars(self) -> pl.DataFrame:
        """Return `detectable` and `needed` as one, told apart by `given`."""
        known = {"n_queries": self.detectable(), "difference": self.needed()}
        return pl.concat(
            [frame.with_columns(pl.lit(given).alias("given")) for given, frame in known.items()],
            how="diagonal",
        ).select(*KEYS, "given", pl.exclude(*KEYS, "given"))

    def shown(self) -> Table:
        """Return both as people read them: a row per pair and question."""
        return Table(
            (
                say("system"),
                say("asked"),
                say("answer"),
                say("{confidence} range", confidence=percent(self.confidence)),
            ),
            tuple(self._rows()),
            frozenset({2, 3}),
            say(
                "{measure}, {power} power, judged by {queries}",
                measure=self.pilot[MEASURE][0],
                power=percent(self.power),
                queries=counted(max(self.pilot["n_queries"]), "query", "queries"),
            ),
        )

    def _rows(self) -> Iterator[tuple[str, ...]]:
        shows, takes = self.detectable(), self.needed()
        for label, n, *found in zip(self._labels(shows), *_columns(shows), strict=True):
            digits = decimals(*found)
            least, low, high = (number(value, digits) for value in found)
            asked = say("what {queries} show", queries=counted(n, "query", "queries"))
            yield label, asked, least, _range(low, high)
        for label, size, *found in zip(self._labels(takes), *_columns(takes), strict=True):
            n, low, high = (MISSING if count is None else f"{count:,}" for count in found)
            yield label, self._asked(size), n, _range(low, high)

    def _asked(self, size: float) -> str:
        """Write a difference as it was asked for, one that was found to three decimals."""
        if size in self.differences:
            return say("queries for a difference of {size}", size=f"{size:g}")
        found = number(size, decimals(size))
        return say("queries for the difference found, {size}", size=found)

    def _cautions(self) -> Iterator[str]:
        for label, row in zip(
            self._labels(self.pilot), self.pilot.iter_rows(named=True), strict=True
        ):
            changed = n_changed_in_words(row["n_changed"], row["n_telling"])
            told = {"pair": label, "changed": changed, "n": row["n_queries"]}
            if row["spread"] is None:
                yield say(
                    "{pair}: {changed} of {n} queries changed, so nothing is known of how "
                    "differences spread.",
                    **told,
                )
            elif row["n_telling"] < FEW_CHANGED:
                yield say(
                    "{pair}: {changed} of {n} queries changed, too few to know well how "
                    "differences spread. At this rate, fewer than {least} queries would make fewer "
                    "than {enough} change, which is too few for a verdict.",
                    **told,
                    least=f"{least_for_verdict(row):,}",
                    enough=MIN_CHANGED,
                )

    def _labels(self, rows: pl.DataFrame) -> pl.Series:
        """Name the pair of each row, by its system where all have one baseline."""
        labels = short_labels([Pair(*row) for row in self.pilot.select(BASELINE, SYSTEM).rows()])
        named = [labels[Pair(*row)] for row in rows.select(BASELINE, SYSTEM).rows()]
        return pl.Series(SYSTEM, named, pl.String)

    def _detectable_with(self, sizes: Iterable[int]) -> pl.DataFrame:
        wanted = list(sizes)
        least = ("detectable", "detectable_low", "detectable_high")
        schema = {"n_queries": pl.Int64, **dict.fromkeys(least, pl.Float64)}
        return self._by_pair(schema, lambda row: self._shown_by(row, wanted))

    def _by_pair(self, schema: dict[str, Any], answers: Any) -> pl.DataFrame:
        """Make a frame of the answers of each pair of the pilot."""
        rows = [
            (*(row[key] for key in KEYS), *answer)
            for row in self.pilot.iter_rows(named=True)
            for answer in answers(row)
        ]
        columns = {**dict.fromkeys(KEYS, pl.String), **schema}
        return pl.DataFrame(rows, schema=columns, orient="row")

    def _shown_by(self, row: dict[str, Any], sizes: list[int]) -> Iterator[tuple[Any, ...]]:
        independent = np.array(sizes) * row["worth"]
        found = statistics.detectable_difference(
            spreads_of(row), independent, power=self.power, alpha=1 - self.level
        )
        enough = np.array(sizes) >= least_for_verdict(row)
        for n, *least in zip(sizes, *np.where(enough, found, np.nan), strict=True):
            yield n, *(None if np.isnan(value) else float(value) for value in least)

    def _queries_for(self, row: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        asked = set(self.differences)
        if self.with_found and row["delta"]:
            asked.add(abs(row["delta"]))
        wanted = sorted(asked)
        independent = statistics.queries_needed(
            spreads_of(row), wanted, power=self.power, alpha=1 - self.level
        )
        found = np.ceil(independent / row["worth"])
        for difference, *counts in zip(wanted, *found, strict=True):
            least = least_for_verdict(row)
            yield (
                difference,
                *(max(int(count), int(least)) if np.isfinite(count) else None for count in counts),
            )


def power(
    comparison: Comparison,
    *,
    measure: str | Measure | None = None,
    system: str | None = None,
    baseline: str | None = None,
    n_queries: int | Iterable[int] | None = None,
    difference: float | Iterable[float] | None = None,
    power: float = 0.8,
    confidence: float | None = None,
) -> Plan:
    """Plan a comparison by a pilot: what n queries can show, and how many a difference takes.

    The power is that of the paired t-test, and its level that of the comparison's intervals: what
    it takes grows with the number of pairs compared. All of it rests on how widely the pilot's
    differences spread, so the new queries have to be like its queries; where those are weighted or
    clustered, like them in that too. What the pilot leaves open of the spread is given as a range.

    The difference that a pilot found says little of the one to plan for: better name the smallest
    that would matter.

    Parameters
    ----------
    comparison
        The pilot.
    measure
        One of its measures; the primary one unless given.
    system, baseline
        Of one of its pairs; all pairs that match unless both are given.
    n_queries
        Numbers of queries, 2 or more; a ladder around the pilot's unless given.
    difference
        Differences, of either sign; the one found and a ladder unless given.
    power
        The chance of telling the difference from 0 where it is that large.
    confidence
        That the intervals hold; the comparison's unless given.

    Raises
    ------
    OptionError
        If there is no such measure or pair, an option has a value it cannot take, or the pilot's
        differences do not vary, and so say nothing of what others would.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(40)}
    >>> right, wrong = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
    >>> old = {f"q{i}": right if i % 2 else wrong for i in range(40)}
    >>> new = {f"q{i}": right if i % 3 else wrong for i in range(40)}
    >>> pilot = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["RR"]))
    >>> rr.power(pilot, n_queries=[40, 400], difference=0.05)
    RR, 80 % power, judged by 40 queries
    system  asked                             answer      95 % range
    ------  --------------------------------  ------  --------------
    new     what 40 queries show               0.159  0.136 to 0.195
    new     what 400 queries show              0.049  0.042 to 0.060
    new     queries for a difference of 0.05     387      284 to 583
    """
    expect(comparison, (Comparison,), "power() takes what compare() returns")
    asked = comparison.confidence if confidence is None else confidence
    check_confidence(asked)
    level = comparison.family.level(asked)
    if not 1 - level < power < 1:
        raise OptionError(
            f"power={power} must lie between {1 - level:.4g}, the chance of a false finding, "
            f"and 1, such as 0.8."
        )
    pilot = pilot_of(
        comparison, comparison.named(measure), comparison.chosen(system, baseline), asked
    )
    return Plan(
        pilot=pilot,
        sizes=_sizes(n_queries, max(pilot["n_queries"])),
        differences=_differences(difference, comparison, pilot),
        with_found=difference is None,
        power=power,
        confidence=asked,
        level=level,
    )


def _sizes(asked: int | Iterable[int] | None, pilot: int) -> tuple[int, ...]:
    """Return the numbers of queries asked for, or a ladder around the pilot's."""
    if asked is None:
        low, high = max(min(_FEWEST, pilot), pilot / _REACH), pilot * _REACH
        ladder = [step * 10**power for power in range(len(str(high))) for step in _STEPS]
        return tuple(sorted({pilot, *(n for n in ladder if low <= n <= high)}))
    sizes = tuple(asked) if _several(asked) else (asked,)
    for n in sizes:
        if isinstance(n, bool) or not isinstance(n, Integral) or n < 2:
            raise OptionError(f"n_queries={n!r} is no number of queries to plan for; 2 or more.")
    if not sizes:
        raise OptionError("n_queries is empty: name at least one number, or leave it out.")
    return tuple(sorted({int(n) for n in sizes}))


def _differences(
    asked: float | Iterable[float] | None, comparison: Comparison, pilot: pl.DataFrame
) -> tuple[float, ...]:
    """Return the sizes of the differences asked for, or a ladder in the measure's unit."""
    if asked is None:
        measure = next(m for m in comparison.evaluation.measures if str(m) == pilot[MEASURE][0])
        unit = 1.0
        if None in measure.declaration.range:
            # A measure from 0 to 1 has differences that spread by a quarter or so.
            unit = 10.0 ** round(math.log10(4 * max(pilot["spread"].drop_nulls())))
        return tuple(unit * difference for difference in _DIFFERENCES)
    differences = tuple(asked) if _several(asked) else (asked,)
    for difference in differences:
        number_given = isinstance(difference, Real) and not isinstance(difference, bool)
        if not number_given or not math.isfinite(difference) or difference == 0:
            raise OptionError(
                f"difference={difference!r} is none to plan for; a finite number other than 0, "
                f"such as 0.01, is expected."
            )
    if not differences:
        raise OptionError("difference is empty: name at least one, or leave it out.")
    return tuple(sorted({abs(float(difference)) for difference in differences}))


def _several(asked: object) -> TypeGuard[Iterable[Any]]:
    return isinstance(asked, Iterable) and not isinstance(asked, str)


def _columns(frame: pl.DataFrame) -> list[list[Any]]:
    """Return what is asked and answered, column by column."""
    return [column.to_list() for column in frame.drop(KEYS).iter_columns()]


def _range(low: str, high: str) -> str:
    return MISSING if MISSING in (low, high) else say("{low} to {high}", low=low, high=high)
