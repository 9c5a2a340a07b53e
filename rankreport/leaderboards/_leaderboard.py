"""leaderboard() and `Leaderboard`: systems ordered by mean, and which might be the best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from rankreport import charts
from rankreport.comparison import MIN_CHANGED, Comparison, Contrasts, pairs_of
from rankreport.errors import expect
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.tables import Displayed, Table, to_table
from rankreport.text import between, counted, percent, say

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["Leaderboard", "leaderboard"]

_ENDS = ("delta", "delta_low", "delta_high")
_FROM_BEST = (*_ENDS, "n_changed", "n_changed_effective")


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Displayed):
    """The systems of a comparison, ordered by their means. See `rankreport.leaderboard`.

    Attributes
    ----------
    comparison
        The comparison.
    """

    comparison: Comparison

    @property
    def best(self) -> str:
        """The system with the highest mean; of equal ones the first."""
        return str(self._means[SYSTEM][0])

    @property
    def indistinguishable(self) -> tuple[str, ...]:
        """The other systems that cannot be distinguished from the best one."""
        return tuple(self.table().filter(~pl.col("differs"))[SYSTEM])

    def table(self) -> pl.DataFrame:
        """Return the systems, the best first.

        Returns
        -------
        DataFrame
            ``place`` (Int64; equal means share a place, null without a mean), ``system`` (String),
            ``mean, ci_low, ci_high`` (Float64), as in `rankreport.Comparison.means`; ``delta,
            delta_low, delta_high`` (Float64), the difference from the best system with its
            interval; ``n_changed`` (Int64), the number of queries on which the two differ;
            ``differs`` (Boolean), whether the interval excludes 0 and at least 10 queries changed
            (effectively, if they are clustered or weighted). The difference is null for the best
            system itself.
        """
        return self._found.drop("n_changed_effective")

    @cached_property
    def _found(self) -> pl.DataFrame:
        """The table with ``n_changed_effective`` from `Contrasts.frame`."""
        excluded = (pl.col("delta_low") > 0) | (pl.col("delta_high") < 0)
        enough = pl.col("n_changed_effective") >= MIN_CHANGED
        clear = pl.when(pl.col(SYSTEM) != self.best).then(
            (excluded & enough).fill_null(value=False)
        )
        return (
            self._means.join(self._from_best(), on=SYSTEM, how="left", maintain_order="left")
            .with_columns(
                pl.col("mean").round(12).rank("min", descending=True).cast(pl.Int64).alias("place"),
                clear.alias("differs"),
            )
            .select("place", SYSTEM, "mean", "ci_low", "ci_high", *_FROM_BEST, "differs")
        )

    @cached_property
    def _means(self) -> pl.DataFrame:
        decides = pl.col(MEASURE) == str(self.comparison.primary)
        means = self.comparison.means().filter(decides).drop(MEASURE)
        return means.sort("mean", descending=True, nulls_last=True, maintain_order=True)

    def _from_best(self) -> pl.DataFrame:
        """Return each other system's difference from the best one, and its changed queries.

        Use the comparison's pairs if they include all pairs with the best system; else compare
        these pairs with the same settings.
        """
        known = [pair for pair in self.comparison.pairs if self.best in pair]
        if len(known) == len(self._means) - 1:
            return self._among(self.comparison.contrasts)
        every = pairs_of(self._means[SYSTEM].to_list(), self.best, "baseline")
        with_best = replace(self.comparison, pairs=every)
        if with_best.family.across == "systems":
            return self._among(with_best.contrast([with_best.primary]))
        return self._among(with_best.contrasts)

    def _among(self, contrasts: Contrasts) -> pl.DataFrame:
        """Select the differences from the best system, reversing them where necessary."""
        low, high = contrasts.intervals(self.comparison.interval, self.comparison.confidence)
        decides = pl.col(MEASURE) == str(self.comparison.primary)
        rows = contrasts.frame().with_columns(delta_low=low, delta_high=high).filter(decides)
        from_best = rows.filter(pl.col(BASELINE) == self.best).select(SYSTEM, *_FROM_BEST)
        to_best = rows.filter(pl.col(SYSTEM) == self.best).select(
            pl.col(BASELINE).alias(SYSTEM),
            -pl.col("delta"),
            delta_low=-pl.col("delta_high"),
            delta_high=-pl.col("delta_low"),
            n_changed="n_changed",
            n_changed_effective="n_changed_effective",
        )
        return pl.concat([from_best, to_best])

    def plot(self) -> Chart:
        """Return a chart of the differences from the best system, in the order of the means."""
        others = self._found.filter(pl.col(SYSTEM) != self.best)
        rows = others.select(
            SYSTEM,
            pl.lit(str(self.comparison.primary)).alias(MEASURE),
            "delta",
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
        )

    def to_polars(self) -> pl.DataFrame:
        """Return `table`."""
        return self.table()

    def shown(self) -> Table:
        """Return a table for display, with a mark on systems that might be the best."""
        marks = {True: "", False: say("might be the best"), None: say("best")}
        found = self.table()
        rows = found.select(
            "place",
            SYSTEM,
            "mean",
            pl.Series("interval", _intervals(found, "ci_low", "ci_high")),
            "delta",
            pl.Series("of_delta", _intervals(found, *_ENDS[1:], signed=True)),
            pl.Series("differs", [marks[clear] for clear in found["differs"]], dtype=pl.String),
        )
        interval = say("{confidence} interval", confidence=percent(self.comparison.confidence))
        table = to_table(
            rows,
            headers=(
                say("place"),
                say("system"),
                say("mean"),
                interval,
                say("difference from the best"),
                interval,
                say("mark"),
            ),
            caption=say(
                "{measure} of {systems}, the best first",
                measure=self.comparison.primary,
                systems=counted(len(rows), "system", "systems"),
            ),
        )
        return replace(table, numeric=frozenset({0, 2, 3, 4, 5}))


def _intervals(rows: pl.DataFrame, low: str, high: str, *, signed: bool = False) -> list[str]:
    return [between(*ends, signed=signed) for ends in rows.select(low, high).iter_rows()]


def leaderboard(comparison: Comparison) -> Leaderboard:
    """Rank the systems of a comparison by their means of the primary measure.

    The mean of the best of many systems is biased upwards, and other systems may be as good.
    Systems that cannot be distinguished from the best are marked: the interval of their difference
    from it contains 0, or too few queries changed. Intervals have the settings of the comparison.
    If they are simultaneous, the unmarked systems are worse than the best (Hsu, Annals of
    Statistics, 1981).

    Parameters
    ----------
    comparison
        A comparison of any pairs of the systems. Missing differences from the best system are
        computed with the same settings.

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
    return Leaderboard(comparison)
