"""The trend: differences of stored results from a frozen baseline, paired by query.

Results are not compared across a change of what their scores depend on, unless the runs of the
baseline were kept: these are judged again by the later judgments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from rankreport.comparison import GOALS, Contrasts, Difference, Family, Pair, systems_of
from rankreport.errors import OptionError, choose
from rankreport.evaluation import DEFAULT_INTERVAL, Evaluation, evaluate, ranges_of, score_matrices
from rankreport.frames import MEASURE, QUERY_ID, SUBTOPIC, SYSTEM, VALUE
from rankreport.history.entry import Entry
from rankreport.history.signature import Differing, signature_of
from rankreport.measures import Measure, is_averaged, is_column, one_of
from rankreport.statistics import MIN_CHANGED, PLAIN
from rankreport.text import counted, percent, say, separated, signed

_OF_LABELS = frozenset({"queries", "judgments", "grades", "labels", "ties", "query_set", "profile"})
"""Dimensions in which results may differ if the runs of the earlier are judged again."""

_RULES = ("profile", "ties", "queries", "no_relevant", "precision", "allow_empty")
"""The settings by which runs are judged again."""

_OF_ENTRIES: Mapping[str, Any] = {
    "number": pl.Int64,
    "date": pl.Datetime("us", "UTC"),
    **dict.fromkeys(("commit", "note", SYSTEM), pl.String),
    "against": pl.Int64,
    "judged_again": pl.Boolean,
    **dict.fromkeys(("break", "change"), pl.String),
}


@dataclass(frozen=True, eq=False)
class Trend:
    """A measure of a system over the entries of a history.

    Attributes
    ----------
    measure
        The measure.
    rows
        The frame of `History.trend`.
    n_without
        How many entries lack the system or the measure.
    is_repeated
        Whether the system was run several times, which intervals do not allow for.
    """

    measure: Measure
    rows: pl.DataFrame
    n_without: int
    is_repeated: bool


@dataclass(frozen=True, eq=False)
class _Result:
    """An entry's scores of a system on a measure."""

    entry: Entry
    system: str
    measure: Measure

    @cached_property
    def runs(self) -> pl.DataFrame | list[pl.DataFrame]:
        """Its run that was kept, or its runs."""
        return self.entry.runs_of(self.system)

    @property
    def name(self) -> str:
        """What its scores are called."""
        return str(self.entry.number)

    def differences(self, later: _Result) -> list[Differing]:
        """Return how what a later result depends on differs, but for the measures."""
        found = self.entry.signature.differences(later.entry.signature)
        return [each for each in found if each.dimension != "measures"]

    def way_to(self, later: _Result) -> str:
        """Return the name of the scores to compare a later result with; empty if there are none."""
        if self is later:
            return self.name
        differing = {each.dimension for each in self.differences(later)}
        if "queries" in differing:
            own, others = (each.entry.signature.queries() for each in (self, later))
            if {*own}.isdisjoint(others):
                return ""
        if differing <= {"queries"}:
            return self.name
        can_judge = self.system in self.entry.kept and later.entry.qrels is not None
        can_judge &= not is_column(self.measure)
        return f"{self.name} by {later.name}" if can_judge and differing <= _OF_LABELS else ""

    def judged_again(self, later: Entry) -> pl.DataFrame:
        """Return the scores of its runs by the judgments and rules of a later entry.

        A query that they were not run on has no score, rather than 0.
        """
        rules = {rule: later.settings[rule] for rule in _RULES if rule in later.settings}
        runs, by = {self.system: self.runs}, later.qrels
        has_subtopics = by is not None and SUBTOPIC in by.columns
        made = evaluate(by, runs, self.measure, subtopics=has_subtopics, **rules)
        return made.scores.filter(pl.col(QUERY_ID).is_in(self.entry.run_on(self.runs)))


def trend_of(
    entries: Sequence[Entry],
    system: str | None = None,
    measure: str | Measure | None = None,
    baseline: int | None = None,
) -> Trend:
    """Return the trend of entries, with the arguments of `History.trend`.

    The baseline is the number of an entry.

    Raises
    ------
    OptionError
        If the last entry has no such measure, or it is no mean; if no entry has the system, or
        the baseline lacks it.
    """
    last = entries[-1].evaluation
    of = last.primary if measure is None else one_of(last.measures, measure)
    name = choose("measure", str(of), map(str, last.measures))
    if last.datasets or not is_averaged(of):
        what = "several data sets" if last.datasets else f"{name}, which is no mean over queries"
        raise OptionError(f"A trend is of differences by query: there is none of {what}.")
    held = [each for each in entries if name in each.known["measures"]]
    known = dict.fromkeys(each for entry in held for each in entry.systems)
    wanted = choose("system", system or last.systems[-1], known)
    found = [
        _Result(each, wanted if wanted in each.systems else each.systems[0], of)
        for each in held
        if wanted in each.systems or (system is None and len(each.systems) == 1)
    ]
    by_number = {each.name: each for each in found}
    first = found[0].name if baseline is None else str(baseline)
    old = frozen = by_number[choose("baseline", first, by_number)]
    scores = {"": _stored(found, name)}
    before: _Result | None = None
    rows, pairs = [], []
    for each in found:
        changed = [] if before is None else before.differences(each)
        if changed or before is None:
            ways = ((one, one.way_to(each)) for one in (frozen, old, each))
            old, way = next((one, way) for one, way in ways if way)
            if way != old.name:
                scores[way] = _named(old.judged_again(each.entry), pl.lit(way))
        pairs.append(Pair(way, each.name))
        entry, before = each.entry, each
        rows.append(
            (
                *(entry.number, entry.date, entry.commit, entry.note, each.system),
                *(old.entry.number, way != old.name),
                ", ".join(one.dimension for one in changed) or None,
                separated("; ", (one.sentence for one in changed)) or None,
            )
        )
    return Trend(
        of,
        pl.DataFrame(rows, _OF_ENTRIES, orient="row").hstack(
            _figures(pl.concat(scores.values()), pairs, of)
        ),
        len(entries) - len(found),
        bool(last.n_repeats),
    )


def since_last(entries: Sequence[Entry], made: Evaluation, system: str | None = None) -> str:
    """Return the difference of a new result from the last stored one, in a sentence.

    Parameters are those of `History.since_last`, and all entries.
    """
    name, now, wanted = str(made.primary), signature_of(made), system or made.systems[-1]
    choose("system", wanted, made.systems)
    last = next(
        (
            each
            for each in reversed(entries)
            if wanted in each.systems
            and name in each.known["measures"]
            and not {*each.signature.changed(now)} - {"measures"}
        ),
        None,
    )
    if last is None or made.datasets or not is_averaged(made.primary):
        return ""
    values = made.values([made.primary]).filter(pl.col(SYSTEM) == wanted)
    scores = [
        _stored([_Result(last, wanted, made.primary)], name),
        _named(values.rename({name: VALUE}), pl.lit("now")),
    ]
    pair = Pair(str(last.number), "now")
    row = _figures(pl.concat(scores), [pair], made.primary).row(0, named=True)
    return say(
        "Since the last stored result of {system} (entry {number} of {date}): {delta} on "
        "{measure}, on the same {queries}; {interval}.",
        system=wanted,
        number=last.number,
        date=f"{last.date:%Y-%m-%d}",
        delta=signed(row["delta"]),
        measure=made.primary.shown,
        queries=counted(row["n_queries"], "query", "queries"),
        interval=interval_in_words(row),
    )


def interval_in_words(row: Mapping[str, Any]) -> str:
    """Return the interval of a row of a trend, or that there is none."""
    if row["ci_low"] is None:
        return say("no interval") if row["delta"] else say("no query changed")
    interval = say(
        "for queries like these, {confidence} interval {low} to {high}",
        confidence=percent(DEFAULT_INTERVAL.confidence),
        low=signed(row["ci_low"], row["delta"]),
        high=signed(row["ci_high"], row["delta"]),
    )
    if row["n_changed"] < MIN_CHANGED and row["ci_low"] * row["ci_high"] > 0:
        return say("{interval}, of too few changed queries", interval=interval)
    return interval


def _stored(found: Sequence[_Result], measure: str) -> pl.DataFrame:
    """Return the scores of results, read at once: 1,000 files take a third of a second."""
    file = "file"
    which = pl.DataFrame(
        [(str(each.entry.path), each.system, each.name) for each in found],
        schema=[file, SYSTEM, "name"],
        orient="row",
    )
    rows = pl.scan_parquet(which[file].to_list(), include_file_paths=file)
    own = rows.filter(pl.col(MEASURE) == measure).collect()
    return _named(own.join(which, on=[file, SYSTEM], maintain_order="left"), pl.col("name"))


def _named(scores: pl.DataFrame, name: pl.Expr) -> pl.DataFrame:
    return scores.select(name.alias(SYSTEM), QUERY_ID, VALUE)


def _figures(scores: pl.DataFrame, pairs: Sequence[Pair], measure: Measure) -> pl.DataFrame:
    """Return differences with the intervals of `compare`, of one difference alone, and its word."""
    queries = scores[QUERY_ID].unique(maintain_order=True).to_list()
    contrasts = Contrasts(
        score_matrices(scores, systems_of(pairs), [VALUE], queries),
        (str(measure),),
        (GOALS[measure.declaration.better],),
        ranges_of([measure]),
        tuple(pairs),
        Family("none", "systems", len(pairs), 1),
        DEFAULT_INTERVAL.draws,
        PLAIN,
    )
    confidence, goal = DEFAULT_INTERVAL.confidence, contrasts.goal_of(str(measure))
    rows = contrasts.frame().with_columns(
        contrasts.intervals(DEFAULT_INTERVAL.interval, confidence)
    )
    found = (Difference.of(row, confidence, goal=goal) for row in rows.iter_rows(named=True))
    return rows.select(
        pl.col("mean_system").alias("mean"),
        *("delta", "ci_low", "ci_high"),
        pl.col("n_queries", "n_changed").cast(pl.Int64),
        pl.Series("word", [each.word for each in found], pl.String),
    )
