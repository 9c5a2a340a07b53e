"""plan() and `Plan`: sample sizes and detectable differences, from a comparison as a pilot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeGuard, Unpack

import numpy as np
import polars as pl

from rankreport import charts, statistics
from rankreport.call_hints import hinting
from rankreport.comparison import (
    FEW_CHANGED,
    Comparison,
    Judgments,
    Pair,
    check_largest_loss,
    contrasts_of,
    contrasts_on,
    family_of,
    labelled_by_pair,
    largest_losses,
    measure_named,
    n_changed_in_words,
    pairs_matching,
)
from rankreport.errors import OptionError, brief, check_confidence, check_one_run, expect
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.io import FromFiles, check_process, keeping_files
from rankreport.measures import one_of, shown_name
from rankreport.statistics import MIN_CHANGED
from rankreport.tables import Block, Displayed, Sentences, Table
from rankreport.text import (
    MISSING,
    Caution,
    CautionKind,
    Concerned,
    counted,
    decimals,
    number,
    percent,
    say,
    worst_first,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankreport.charts import Chart
    from rankreport.measures import Measure


KEYS = (BASELINE, SYSTEM, MEASURE)


UNKNOWN_SPREAD = CautionKind(
    "unknown_spread",
    "unknown spread",
    "Plan from a pilot with more queries.",
    "Too few queries changed to know the spread of the differences: {systems}.",
)
ROUGH_SPREAD = CautionKind(
    "rough_spread",
    "the spread is known roughly",
    "Plan from a pilot with more queries.",
    "Too few queries changed to estimate the spread of the differences well: {systems}. Better or "
    "worse needs {enough} changed queries or more.",
)


SPREADS = ("spread", "spread_low", "spread_high")
UNITS = ("deviations", "changed")


def pilot_of(
    comparison: Comparison,
    name: str,
    pairs: tuple[Pair, ...],
    confidence: float,
    largest_loss: float | None = None,
) -> pl.DataFrame:
    """Return the frame `pilot` of `rankreport.Plan`.

    Raises
    ------
    OptionError
        If the spread of the differences is unknown for every pair, or a query changed by more than
        the largest loss.
    """
    measure = one_of(comparison.evaluation.measures, name)
    contrasts = contrasts_on(comparison, [measure])
    largest = contrasts.reaches(largest_losses(contrasts, {name: largest_loss}))
    sample, ends = contrasts.sample, statistics.deviation_interval(contrasts.sample, confidence)
    # Relative to the deviation, the interval is valid for clusters and weights too.
    parts = [np.ones_like(contrasts.spread), *(end / sample.standard_deviation for end in ends)]
    spreads = [contrasts.spread * part for part in parts]
    known = pl.col("n_changed") > 1, pl.col("spread") > 0
    rows = (
        contrasts.frame()
        .select(*KEYS, "n_queries", "n_changed", "n_changed_effective", "delta")
        .with_columns(
            pl.Series("worth", contrasts.worth) / pl.col("n_queries"),
            *(pl.Series(*each) for each in zip(UNITS, units_of(sample), strict=True)),
            pl.Series("largest", np.where(np.isfinite(largest), largest, np.nan), nan_to_null=True),
        )
        .with_columns(
            pl.Series(column, values, nan_to_null=True)
            for column, values in zip(SPREADS, spreads, strict=True)
        )
        .with_columns(pl.when(*known).then(pl.col(SPREADS)))
        .filter(pl.struct(BASELINE, SYSTEM).is_in([pair._asdict() for pair in pairs]))
    )
    if rows["spread"].null_count() == len(rows):
        raise OptionError(_why_unknown(rows.row(0, named=True)))
    return rows


def units_of(sample: statistics.Sample) -> tuple[list[Any], ...]:
    """Return the deviations of the units of each column from their mean, and which changed."""
    scales = np.sqrt(sample.squares / np.maximum(sample.size, 1))
    scaled = sample.deviations / np.where(scales > 0, scales, 1.0)
    parts = (scaled, sample.totals != 0)
    return tuple(
        [of[defined].tolist() for of, defined in zip(part.T, sample.defined.T, strict=True)]
        for part in parts
    )


def _why_unknown(row: dict[str, Any]) -> str:
    what = f"{row['system']} and {row['baseline']} on {row['measure']}"
    if row["n_changed"] > 1:
        found = f"all differences between {what} are equal"
    else:
        changed = counted(row["n_changed"], "query", "queries")
        found = f"{changed} changed between {what}"
    return (
        f"Planning needs a pilot in which two queries or more changed by different amounts; "
        f"{found}. Compare on more queries, or by a finer measure."
    )


def spreads_of(row: dict[str, Any]) -> NDArray[np.float64]:
    """Return a pilot's spread and its interval, NaN where unknown."""
    return np.array([math.nan if row[name] is None else row[name] for name in SPREADS])


_STEPS = (10, 25, 50)
"""Default numbers of queries: these times powers of 10."""

_FEWEST = 25
"""The smallest default number of queries, unless the pilot has fewer."""

_REACH = 10
"""Default numbers of queries range from a tenth of the pilot's to 10 times the pilot's."""

_DIFFERENCES = (0.005, 0.01, 0.02, 0.05, 0.1)
"""Default differences, for a measure from 0 to 1."""

_POINTS = 40
"""Number of points of the curve."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Displayed, FromFiles):
    """Detectable differences for numbers of queries, and numbers of queries for differences.

    Attributes
    ----------
    comparison
        The pilot.
    pilot
        Its figures, one row per pair: ``baseline, system, measure, n_queries, n_changed, delta`` as
        in the comparison; ``n_changed_effective`` (Float64), the effective number of changed
        queries; ``worth`` (Float64), the effective number of queries per query; ``largest``
        (Float64), how much a query, or cluster, can change, null where rare failures are not
        allowed for; of its queries, or clusters, the ``deviations`` (list of Float64) from their
        mean, in standard deviations, and which ``changed`` (list of Boolean); ``spread,
        spread_low, spread_high`` (Float64), the standard deviation of the differences and its
        interval, null where unknown.
    sizes, differences
        The numbers of queries and the differences to plan for.
    power
        The probability of detecting a difference of that size.
    confidence, level
        The simultaneous confidence of all intervals, and the confidence of a single one.
    judged
        Of a comparison by a model's judgments that people corrected, how wide intervals would be
        if people judged more queries, as `ModelJudge.expected_widths`; else None.
    files
        The files that it was read from, which no output of it replaces.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> runs = {name: example.runs[name] for name in ("bm25", "fusion")}
    >>> planned = rr.plan(rr.compare(example.qrels, runs, measures="RR"), n_queries=[60, 240])
    >>> planned.to_polars()["detectable"].drop_nulls().round(3).to_list()
    [0.145, 0.07]
    """

    comparison: Comparison
    pilot: pl.DataFrame
    sizes: tuple[int, ...]
    differences: tuple[float, ...]
    power: float
    confidence: float
    level: float
    judged: pl.DataFrame | None = None

    def detectable(self) -> pl.DataFrame:
        """Return the smallest difference that each number of queries detects.

        Returns
        -------
        DataFrame
            ``baseline, system, measure`` (String), ``n_queries`` (Int64), ``detectable`` and, from
            the interval of the pilot's spread, ``detectable_low, detectable_high`` (Float64). Null
            where the spread is unknown, and where at the pilot's rate 10 queries change, of which a
            verdict needs as many, with less than the power.
        """
        return self._detectable.clone()

    @cached_property
    def _detectable(self) -> pl.DataFrame:
        return self._detectable_with(self.sizes)

    def needed(self) -> pl.DataFrame:
        """Return the number of queries needed to detect each difference.

        Returns
        -------
        DataFrame
            ``baseline, system, measure`` (String), ``difference`` (Float64), ``n_queries`` and,
            from the interval of the pilot's spread, ``n_queries_low, n_queries_high`` (Int64). They
            are large enough for 10 queries to change, at the pilot's rate and with the power. Null
            where the spread is unknown, and where no number of queries is enough.
        """
        return self._needed.clone()

    @cached_property
    def _needed(self) -> pl.DataFrame:
        counts = ("n_queries", "n_queries_low", "n_queries_high")
        schema = {"difference": pl.Float64, **dict.fromkeys(counts, pl.Int64)}
        return self._by_pair(schema, self._queries_for)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before relying on the plan, the pilot's cautions too, the worst first."""
        return worst_first(self.comparison.cautions, self._cautions())

    def plot(self, **options: Unpack[charts.ChartOptions]) -> Chart:
        """Return a chart of `detectable`, a matplotlib figure that displays itself in Jupyter.

        `options` are as for `Comparison.plot_deltas`.
        """
        ends = np.array([*self.sizes, *self.pilot["n_queries"]])
        between = np.geomspace(ends.min(), ends.max(), _POINTS).round().astype(int)
        curve = self._detectable_with(sorted({*between.tolist(), *ends.tolist()}))
        marks = self.pilot.select(*KEYS, "n_queries").join(
            curve, on=[*KEYS, "n_queries"], how="left", maintain_order="left"
        )
        return charts.power_curve(
            self._labelled(curve),
            self._labelled(marks),
            measure=self._measure,
            power=self.power,
            confidence=self.confidence,
            **options,
        )

    def to_polars(self) -> pl.DataFrame:
        """Return `detectable` and `needed` as one frame, distinguished by the column ``given``."""
        known = {"n_queries": self.detectable(), "difference": self.needed()}
        return pl.concat(
            [frame.with_columns(pl.lit(given).alias("given")) for given, frame in known.items()],
            how="diagonal",
        ).select(*KEYS, "given", pl.exclude(*KEYS, "given"))

    def _shown(self) -> Table:
        """Return both as a table for display, one row per pair and question."""
        return Table(
            (
                say("system"),
                say("question"),
                say("answer"),
                say("{confidence} range", confidence=percent(self.confidence)),
            ),
            tuple(self._rows()),
            frozenset({2, 3}),
            say(
                "{measure}, {power} power, from a pilot of {queries}",
                measure=self._measure,
                power=percent(self.power),
                queries=counted(max(self.pilot["n_queries"]), "query", "queries"),
            ),
        )

    def _answer(self) -> Iterable[Block]:
        """Return what as many queries as the pilot has detect, for every pair that is known."""
        n_queries = max(self.pilot["n_queries"])
        known = self._detectable_with([n_queries])["detectable"].drop_nulls().to_list()
        if known:
            of = {
                "queries": counted(n_queries, "query", "queries"),
                "least": number(max(known), decimals(max(known))),
                "measure": self._measure,
                "power": percent(self.power),
            }
            if len(self.pilot) == 1:
                text = say(
                    "{queries} like these detect a difference of {least} in {measure} with {power} "
                    "power.",
                    **of,
                )
            elif len(known) == len(self.pilot):
                text = say(
                    "{queries} like these detect a difference of {least} in {measure} with {power} "
                    "power, in every pair.",
                    **of,
                )
            else:
                text = say(
                    "{queries} like these detect a difference of {least} in {measure} with {power} "
                    "power, in every pair whose spread is known.",
                    **of,
                )
            people = say("By people's judgments alone, without the model's.")
            yield Sentences([text, *([people] if self.comparison.judges else [])])

    def _label_sentences(self) -> tuple[str, ...]:
        """Return where the pilot's judgments come from, in sentences."""
        return Judgments.of(self.comparison).sentences

    @property
    def _measure(self) -> str:
        return shown_name(self.comparison.evaluation.measures, self.pilot[MEASURE][0])

    def _rows(self) -> Iterator[tuple[str, ...]]:
        shows, takes = self.detectable(), self.needed()
        for _, label, _, n, *found in self._labelled(shows).iter_rows():
            digits = decimals(*found)
            least, low, high = (number(value, digits) for value in found)
            question = say(
                "difference detectable with {queries}",
                queries=counted(n, "query", "queries"),
            )
            yield label, question, least, _range(low, high)
        for _, label, _, size, *found in self._labelled(takes).iter_rows():
            n, low, high = (MISSING if count is None else f"{count:,}" for count in found)
            question = say("queries needed for a difference of {size}", size=f"{size:g}")
            yield label, question, n, _range(low, high)
        yield from self._judged_rows()

    def _judged_rows(self) -> Iterator[tuple[str, ...]]:
        if self.judged is None:
            return
        known = self._labelled(self.judged.drop_nulls("width"))
        for row in known.iter_rows(named=True):
            digits = decimals(row["width"], row["width_more"])
            question = say(
                "interval width if people judge {more}",
                more=counted(row["n_more"], "more query", "more queries"),
            )
            now = say(
                "now {width}; people alone: {people}",
                width=number(row["width"], digits),
                people=number(row["people_more"], digits),
            )
            yield row[SYSTEM], question, number(row["width_more"], digits), now

    def _cautions(self) -> Iterator[Caution]:
        unknown, rough = [], []
        for row in self.pilot.iter_rows(named=True):
            changed = n_changed_in_words(row["n_changed"], row["n_changed_effective"])
            what = say("{part} of {whole}", part=changed, whole=row["n_queries"])
            found = Concerned((row[BASELINE], row[SYSTEM]), what, row["n_changed"])
            if row["spread"] is None:
                unknown.append(found)
            elif row["n_changed_effective"] < FEW_CHANGED:
                least = math.ceil(MIN_CHANGED * row["n_queries"] / row["n_changed_effective"])
                what = say("{part}; at this rate, {least} queries", part=what, least=f"{least:,}")
                rough.append(found._replace(what=what))
        yield from UNKNOWN_SPREAD.of_each(unknown)
        yield from ROUGH_SPREAD.of_each(rough, enough=MIN_CHANGED)

    def _labelled(self, rows: pl.DataFrame) -> pl.DataFrame:
        return labelled_by_pair([Pair(*row[:2]) for row in self.pilot.iter_rows()], rows)

    def _detectable_with(self, sizes: Iterable[int]) -> pl.DataFrame:
        wanted = list(sizes)
        least = ("detectable", "detectable_low", "detectable_high")
        schema = {"n_queries": pl.Int64, **dict.fromkeys(least, pl.Float64)}
        return self._by_pair(schema, lambda row: self._shown_by(row, wanted))

    def _by_pair(self, schema: dict[str, Any], answers: Any) -> pl.DataFrame:
        """Return a frame of the answers for each pair of the pilot."""
        rows = [
            (*(row[key] for key in KEYS), *answer)
            for row in self.pilot.iter_rows(named=True)
            for answer in answers(row)
        ]
        columns = {**dict.fromkeys(KEYS, pl.String), **schema}
        return pl.DataFrame(rows, schema=columns, orient="row")

    def _shown_by(self, row: dict[str, Any], sizes: list[int]) -> Iterator[tuple[Any, ...]]:
        pilot, options, spreads = _drawn_of(row), self._options(row), spreads_of(row)
        for n in sizes:
            units = max(n * row["worth"], 2)
            of_spreads = statistics.detectable_difference(spreads, units, **options)
            least = pilot.detectable(units, standard_deviation=spreads[0], **options)
            yield (
                n,
                *(
                    float(each) if np.isfinite(each) else None
                    for each in _scaled(least, of_spreads)
                ),
            )

    def _queries_for(self, row: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        pilot, options, spreads = _drawn_of(row), self._options(row), spreads_of(row)
        for difference in self.differences:
            of_spreads = statistics.queries_needed(spreads, difference, **options)
            needed = pilot.needed(difference, standard_deviation=spreads[0], **options)
            counts = np.ceil(_scaled(needed, of_spreads) / row["worth"])
            yield difference, *(int(count) if np.isfinite(count) else None for count in counts)

    def _options(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the options of what a pair's queries detect."""
        return {
            "power": self.power,
            "alpha": 1 - self.level,
            "largest": math.inf if row["largest"] is None else row["largest"],
            "simultaneous": family_of(self.comparison).corrects,
        }


def _drawn_of(row: dict[str, Any]) -> statistics.Pilot:
    deviations, changed = (np.array(row[name]) for name in UNITS)
    return statistics.Pilot(deviations, changed, MIN_CHANGED)


def _scaled(found: float, of_spreads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what was found for a spread, and for the ends of its interval in proportion."""
    return found * statistics.ratio(of_spreads, of_spreads[0])


@hinting()
@keeping_files
def plan(
    comparison: Comparison,
    *,
    measure: str | Measure | None = None,
    system: str | None = None,
    baseline: str | None = None,
    n_queries: int | Iterable[int] | None = None,
    difference: float | Iterable[float] | None = None,
    power: float = 0.8,
    confidence: float | None = None,
    more_judged: int = 20,
    largest_loss: float | None = None,
) -> Plan:
    """Plan a comparison from a pilot: detectable differences and required numbers of queries.

    A difference is detected where the ends that decide exclude 0, with rare failures allowed for,
    at the level of the comparison's intervals, so that the required number of queries grows with
    the number of pairs compared; and where at least 10 queries change. The pilot is taken as the
    truth: further samples are drawn from its queries, or clusters. New queries must be similar to
    the pilot's queries, also in weights and clusters. The uncertainty of the standard deviation is
    reported as a range. The difference that a verdict says its own queries detect is by the
    formula for nearly normal means, and may differ a little.

    Plan for the smallest difference that matters. The difference found in the pilot is no such
    thing: a range of queries for it would hold the truth in a minority of pilots.

    Parameters
    ----------
    comparison
        The pilot.
    measure
        One of its measures; by default the primary measure.
    system, baseline
        Names of the systems of a pair; by default all pairs that match.
    n_queries
        Numbers of queries, 2 or more; by default a range around the pilot's number.
    difference
        Differences, of either sign; by default 0.005 to 0.1, for a measure from 0 to 1.
    power
        The probability of detecting a difference of that size.
    confidence
        Confidence of the intervals; by default that of the comparison.
    more_judged
        How many more queries people would judge, where they correct a model's judgments: the plan
        says how wide intervals would be.
    largest_loss
        The most that a query can lose on the measure; by default that of the comparison on its
        primary measure, otherwise the width of the measure's range.

    Raises
    ------
    OptionError
        If there is no such measure or pair, an option is invalid, or the pilot's differences do not
        vary.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(40)}
    >>> right, wrong = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
    >>> old = {f"q{i}": right if i % 2 else wrong for i in range(40)}
    >>> new = {f"q{i}": right if i % 3 else wrong for i in range(40)}
    >>> pilot = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, ["RR"]))
    >>> rr.plan(pilot, n_queries=[40, 400], difference=0.05)
    40 queries like these detect a difference of 0.169 in RR with 80 % power.
    <BLANKLINE>
    RR, 80 % power, from a pilot of 40 queries
    system  question                                 answer      95 % range
    ------  ---------------------------------------  ------  --------------
    new     difference detectable with 40 queries     0.169  0.147 to 0.204
    new     difference detectable with 400 queries    0.050  0.043 to 0.061
    new     queries needed for a difference of 0.05     396      294 to 594
    """
    expect(comparison, (Comparison,), "plan() takes what compare() returns")
    check_process()
    check_one_run(comparison.evaluation.n_repeats, "plan()")  # no queries make runs more alike
    wanted = comparison.confidence if confidence is None else confidence
    check_confidence(wanted)
    name, pairs = measure_named(comparison, measure), pairs_matching(comparison, system, baseline)
    contrasts = contrasts_of(comparison)
    levels = contrasts.levels(wanted)
    level = float(max(levels[contrasts.column(pair, name)] for pair in pairs))
    if not 1 - level < power < 1:
        raise OptionError(
            f"power={power} must lie between {1 - level:.4g}, the significance level, "
            f"and 1, such as 0.8."
        )
    check_largest_loss(largest_loss)
    if largest_loss is None and name == str(comparison.primary):
        largest_loss = comparison.largest_loss
    pilot = pilot_of(comparison, name, pairs, wanted, largest_loss)
    judged = None
    if comparison.judges is not None:
        kept = pl.struct(BASELINE, SYSTEM).is_in([pair._asdict() for pair in pairs])
        judged = comparison.judges.expected_widths(more_judged, name).filter(kept)
    return Plan(
        comparison=comparison,
        pilot=pilot,
        sizes=_sizes(n_queries, max(pilot["n_queries"])),
        differences=_differences(difference, comparison, pilot),
        power=power,
        confidence=wanted,
        level=level,
        judged=judged,
    )


def _sizes(given: int | Iterable[int] | None, pilot: int) -> tuple[int, ...]:
    """Return the given numbers of queries, or a range around the pilot's."""
    if given is None:
        low, high = max(min(_FEWEST, pilot), pilot / _REACH), pilot * _REACH
        ladder = [step * 10**power for power in range(len(str(high))) for step in _STEPS]
        return tuple(sorted({pilot, *(n for n in ladder if low <= n <= high)}))
    sizes = tuple(given) if _several(given) else (given,)
    for n in sizes:
        if isinstance(n, bool) or not isinstance(n, Integral) or n < 2:
            raise OptionError(f"n_queries={brief(n)} is invalid; expected an integer, 2 or more.")
    if not sizes:
        raise OptionError("n_queries is empty: name at least one number, or omit it.")
    return tuple(sorted({int(n) for n in sizes}))


def _differences(
    given: float | Iterable[float] | None, comparison: Comparison, pilot: pl.DataFrame
) -> tuple[float, ...]:
    """Return the absolute values of the given differences, or a range in the measure's unit."""
    if given is None:
        measure = one_of(comparison.evaluation.measures, pilot[MEASURE][0])
        unit = 1.0
        if None in measure.declaration.range:
            # Differences of a measure from 0 to 1 have a standard deviation of about 0.25.
            unit = 10.0 ** round(math.log10(4 * max(pilot["spread"].drop_nulls())))
        return tuple(unit * difference for difference in _DIFFERENCES)
    differences = tuple(given) if _several(given) else (given,)
    for difference in differences:
        number_given = isinstance(difference, Real) and not isinstance(difference, bool)
        if not number_given or not math.isfinite(difference) or difference == 0:
            raise OptionError(
                f"difference={brief(difference)} is invalid; expected a finite number other than "
                f"0, such as 0.01."
            )
    if not differences:
        raise OptionError("difference is empty: name at least one, or omit it.")
    return tuple(sorted({abs(float(difference)) for difference in differences}))


def _several(given: object) -> TypeGuard[Iterable[Any]]:
    return isinstance(given, Iterable) and not isinstance(given, str)


def _range(low: str, high: str) -> str:
    return MISSING if MISSING in (low, high) else say("{low} to {high}", low=low, high=high)
