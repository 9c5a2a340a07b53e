"""leaderboard() and `Leaderboard`: systems ordered by mean, and which might be the best."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl

from rankreport import charts
from rankreport.call_hints import hinting
from rankreport.comparison import (
    Basis,
    Comparison,
    Difference,
    Judgments,
    Known,
    Position,
    differences_from_best,
    plain_table_of,
)
from rankreport.errors import OptionError, expect
from rankreport.frames import MEASURE, SYSTEM
from rankreport.io import FromFiles, check_process, keeping_files
from rankreport.leaderboards._best_by_measure import first_on_others
from rankreport.statistics import MIN_CHANGED
from rankreport.tables import Block, Displayed, Sentences, Table, to_table
from rankreport.text import (
    ENGLISH,
    Caution,
    between,
    comma_separated,
    counted,
    delta_and_interval,
    digits_of,
    percent,
    say,
    separated,
    using_language,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankreport.charts import Chart

_ENDS = ("delta", "delta_low", "delta_high")
_RANKS = ("rank_highest", "rank_lowest", "seen_highest", "seen_lowest")
_FROM_BEST = (*_ENDS, "end_error", "n_changed", "n_changed_effective")


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Displayed, FromFiles):
    """The systems of a comparison, ordered by their means. See `rankreport.leaderboard`.

    Attributes
    ----------
    comparison
        The comparison.
    files
        The files that it was read from, which no output of it replaces.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> rr.leaderboard(rr.compare(example.qrels, example.runs, measures="RR")).best
    'bm25-names'
    """

    comparison: Comparison

    @property
    def best(self) -> str:
        """The system with the highest mean; of equal ones the first."""
        return str(self._means[SYSTEM][0])

    @property
    def indistinguishable(self) -> tuple[str, ...]:
        """The other systems that may be the best."""
        return self.comparison.decision.rivals()

    def table(self) -> pl.DataFrame:
        """Return the systems, the best first.

        Returns
        -------
        DataFrame
            ``place`` (Int64; equal means share a place, null without a mean), ``system`` (String),
            ``mean, ci_low, ci_high`` (Float64), as in `rankreport.Comparison.means`; ``delta,
            delta_low, delta_high`` (Float64), the difference from the best system with its
            interval; ``n_changed`` (Int64), the number of queries on which the two differ;
            ``differs`` (Boolean), whether the difference is established: the interval excludes 0
            and at least 10 queries changed (effectively, if they are clustered or weighted), and
            neither unjudged documents nor equal scores decide; of two systems that the comparison
            compared, it is as the verdict on them, whose interval holds for fewer pairs and may be
            narrower than the one shown. The difference is null for the best system itself.
            ``may_be_best`` (Boolean) is whether no other system is established as better, and
            ``seen_only`` (Boolean) whether those that are better are so only on these queries:
            rare failures, which the queries do not show, could undo it;
            ``rank_highest, rank_lowest`` (Int64), the ranks that are left open, 1 for the best:
            those of all systems hold at once, with rare failures allowed for, and are null of very
            many systems; ``seen_highest, seen_lowest`` (Int64), those by the verdicts, which are
            no more: some verdicts hold only on these queries, or for fewer pairs; ``group``
            (Int64), groups of systems whose ranks do not overlap, 1 for the best;
            ``caution`` (String), why not to rely on the row, or an empty text.
        """
        return self._table.clone()

    @cached_property
    def _table(self) -> pl.DataFrame:
        with using_language(ENGLISH):
            known = [each for each in self.cautions if each.severity != "note"]
            cautions = [self._caution(row, known) for row in self._found.iter_rows(named=True)]
        return self._found.drop("end_error", "n_changed_effective").with_columns(
            pl.Series("caution", cautions, pl.String)
        )

    def _caution(self, row: Mapping[str, Any], known: Sequence[Caution]) -> str:
        """Return why not to rely on a row: on its mean, or its difference from the best."""
        system = row[SYSTEM]
        words = [each.title for each in known if each.is_about([system])]
        if system != self.best:
            words.insert(0, self._difference(row).caution)
        if self.comparison.decision.position(system).decided_by is Basis.UNJUDGED:
            words.append(Basis.UNJUDGED.depends_on)
        return separated("; ", filter(None, dict.fromkeys(words)))

    def _difference(self, row: Mapping[str, Any]) -> Difference:
        return Difference.of(
            {**row, "ci_low": row["delta_low"], "ci_high": row["delta_high"], "end_error": None},
            self.comparison.confidence,
            baseline=self.best,
            measure=str(self.comparison.primary),
            margin=self.comparison.margin,
            n_queries=max(plain_table_of(self.comparison)["n_queries"]),
        )

    @cached_property
    def _found(self) -> pl.DataFrame:
        """The table with more columns of the comparison."""
        decision = self.comparison.decision
        positions = decision.positions
        group_of = {name: n for n, group in enumerate(decision.groups, 1) for name in group}
        ranks = [(each.highest, each.lowest, *each.ranks_seen) for each in positions]
        from_best = differences_from_best(self.comparison).rename(
            {"ci_low": "delta_low", "ci_high": "delta_high"}
        )
        return (
            self._means.join(from_best, on=SYSTEM, how="left", maintain_order="left")
            .with_columns(
                pl.col("mean").round(12).rank("min", descending=True).cast(pl.Int64).alias("place")
            )
            .select("place", SYSTEM, "mean", "ci_low", "ci_high", *_FROM_BEST)
            .with_columns(
                pl.Series("differs", [_differs(each) for each in positions], pl.Boolean),
                pl.Series("may_be_best", [each.may_be_best for each in positions], pl.Boolean),
                pl.Series("seen_only", [each.seen_only for each in positions], pl.Boolean),
                *pl.DataFrame(ranks, schema=dict.fromkeys(_RANKS, pl.Int64), orient="row"),
                pl.Series("group", [group_of.get(each.system) for each in positions], pl.Int64),
            )
        )

    @cached_property
    def _means(self) -> pl.DataFrame:
        decides = pl.col(MEASURE) == str(self.comparison.primary)
        means = self.comparison.means().filter(decides).drop(MEASURE)
        return means.sort("mean", descending=True, nulls_last=True, maintain_order=True)

    def plot(self, **options: Unpack[charts.ChartOptions]) -> Chart:
        """Return a chart of the differences from the best system, in the order of the means.

        `options` are as for `Comparison.plot_deltas`.
        """
        others = self._found.filter(pl.col(SYSTEM) != self.best)
        rows = others.select(
            SYSTEM,
            pl.lit(self.comparison.primary.shown).alias(MEASURE),
            "delta",
            "end_error",
            "n_changed",
            "n_changed_effective",
            ci_low=pl.col("delta_low"),
            ci_high=pl.col("delta_high"),
        )
        return charts.forest(
            rows,
            baseline=self.best,
            confidence=self.comparison.confidence,
            min_changed=MIN_CHANGED,
            n_simultaneous=self._n_pairs if self._is_simultaneous else 1,
            **options,
        )

    def plot_ranks(self, **options: Unpack[charts.ChartOptions]) -> Chart:
        """Return a chart of the ranks that are left open, in the order of the means.

        `options` are as for `Comparison.plot_deltas`.
        """
        decision = self.comparison.decision
        if not decision.groups:
            raise OptionError(decision.ranks_in_words)
        rows = self._found.select(
            SYSTEM,
            "place",
            *_RANKS,
            pl.Series(
                "doubts",
                [comma_separated([of.doubt for of in each.doubts]) for each in decision.positions],
                pl.String,
            ),
        )
        confidence = self.comparison.confidence if self._is_simultaneous else None
        return charts.ranks(rows, confidence=confidence, **options)

    @property
    def _n_pairs(self) -> int:
        return math.comb(len(self._means), 2)

    @property
    def _is_simultaneous(self) -> bool:
        """Whether intervals hold for all pairs of systems at once."""
        return self.comparison.correction != "none" and self._n_pairs > 1

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before acting on the leaderboard, the worst first."""
        return Known().shown(self.comparison.cautions, "ranks")

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return self.table()

    def _answer(self) -> Iterable[Block]:
        """Return which systems may be the best."""
        decision = self.comparison.decision
        return [Sentences([*filter(None, (decision.rivals_in_words, decision.ranks_in_words))])]

    def _label_sentences(self) -> tuple[str, ...]:
        """Return where the judgments come from, and whose the leaderboard goes by."""
        known, judges = Judgments.of(self.comparison).sentences, self.comparison.judges
        return known if judges is None else (*known, judges.ranking)

    def _notes(self) -> Sequence[str]:
        """Return which systems are first on other measures, and where the judgments come from."""
        own = ""
        if self.comparison.evaluation.quality["n_queries"].n_unique() > 1:
            own = say("Means are over the queries of each system, differences over those of both.")
        return tuple(filter(None, (own, first_on_others(self.comparison), *super()._notes())))

    def _shown(self) -> Table:
        """Return a table for display, with a mark on systems that might be the best."""
        found, positions = self._found, self.comparison.decision.positions
        ends = found.select(*_ENDS, "end_error").rows()
        digits = digits_of(ends)
        differences = [delta_and_interval(*each, digits=digits) for each in ends]
        confidence = self.comparison.confidence
        rows = found.select(
            "place",
            SYSTEM,
            pl.Series("ranks", [each.ranks for each in positions]),
            "mean",
            pl.Series("interval", _intervals(found, "ci_low", "ci_high")),
            pl.Series("delta", [delta for delta, _ in differences], dtype=pl.String),
            pl.Series("of_delta", [interval for _, interval in differences], dtype=pl.String),
            pl.Series("differs", [self._mark(row) for row in found.iter_rows(named=True)]),
        )
        of_delta = (
            say(
                "{confidence} interval, simultaneous for all {n} pairs",
                confidence=percent(confidence),
                n=self._n_pairs,
            )
            if self._is_simultaneous
            else say("{confidence} interval", confidence=percent(confidence))
        )
        interval = say("{confidence} interval", confidence=percent(confidence))
        table = to_table(
            rows,
            headers=(
                say("place"),
                say("system"),
                say("ranks"),
                say("mean"),
                interval,
                say("difference from the best"),
                of_delta,
                say("mark"),
            ),
            caption=say(
                "{measure} of {systems}, the best first",
                measure=self.comparison.primary,
                systems=counted(len(rows), "system", "systems"),
            ),
        )
        words = (
            say("the place by the mean"),
            say("the system"),
            say("ranks left open for all systems at once; in brackets, by the verdicts"),
            say("the mean over queries"),
            say("means compatible with the data"),
            say("the mean of the system minus the best one's, in the unit of the measure"),
            say("differences from the best compatible with the data"),
            say("whether the system might be the best"),
        )
        return replace(table, numeric=frozenset({0, 2, 3, 4, 5, 6}), help=words)

    def _mark(self, row: Mapping[str, Any]) -> str:
        """Return whether a system might be the best, and what its difference depends on.

        Of one whose interval does not say why it might not, the reason.
        """
        decision, system = self.comparison.decision, row[SYSTEM]
        if system == decision.best:
            return say("best on these queries") if decision.best_seen_only else say("best")
        if row["seen_only"]:
            return say("below another system on these queries")
        if not row["may_be_best"]:
            is_below = row["delta_high"] is None or row["delta_high"] < 0
            if is_below and row["rank_highest"] != 1:
                return ""
            if row["differs"]:
                return say("below it by the comparison's interval")
            return say("below another system")
        basis = decision.position(system).decided_by
        doubt = "" if basis is None else basis.depends_on
        return separated("; ", filter(None, [say("might be the best"), doubt]))


def _differs(position: Position) -> bool | None:
    """Return whether a system is established as different from the best, which is null."""
    return None if position.to_best is None else position.to_best.direction != 0


def _intervals(rows: pl.DataFrame, low: str, high: str) -> list[str]:
    return [between(*ends) for ends in rows.select(low, high).iter_rows()]


@hinting()
@keeping_files
def leaderboard(comparison: Comparison) -> Leaderboard:
    """Rank the systems of a comparison by their means of the primary measure.

    The mean of the best of many systems is biased upwards, and other systems may be as good.
    Systems that may be the best are marked: no other system is established as better, because the
    interval of the difference contains 0, or too few queries changed. Intervals have the settings
    of the comparison, and are simultaneous for all pairs of systems unless its correction is
    ``"none"``; of two systems that were compared, the verdict on them decides, and a mark says so
    where its interval excludes 0 and the one shown does not.

    Parameters
    ----------
    comparison
        A comparison of any pairs of the systems; all pairs are compared with the same settings.

    Returns
    -------
    Leaderboard
        The systems in order, with ``table()`` and ``plot()``.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> found = leaderboard(rr.compare(rr.evaluate(example.qrels, example.runs, ["nDCG@10"])))
    >>> found.table().select("place", "system", "differs").rows()
    [(1, 'bm25-names', None), (2, 'bm25', False), (3, 'fusion', False), (4, 'char-ngrams', True)]
    """
    expect(comparison, (Comparison,), "leaderboard() takes what compare() returns")
    check_process()
    return Leaderboard(comparison)
