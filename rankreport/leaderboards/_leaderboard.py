"""leaderboard() and `Leaderboard`: systems ordered by mean, and which might be the best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from rankreport import charts
from rankreport.comparison import MIN_CHANGED, Comparison
from rankreport.errors import expect
from rankreport.frames import MEASURE, SYSTEM
from rankreport.io import check_process
from rankreport.tables import Displayed, Table, to_table
from rankreport.text import between, counted, labelled, paragraph, percent, say

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
        """The table with ``n_changed_effective`` from `Comparison.from_best`."""
        from_best = self.comparison.from_best().rename(
            {"ci_low": "delta_low", "ci_high": "delta_high"}
        )
        return (
            self._means.join(from_best, on=SYSTEM, how="left", maintain_order="left")
            .with_columns(
                pl.col("mean").round(12).rank("min", descending=True).cast(pl.Int64).alias("place")
            )
            .select("place", SYSTEM, "mean", "ci_low", "ci_high", *_FROM_BEST, "differs")
        )

    @cached_property
    def _means(self) -> pl.DataFrame:
        decides = pl.col(MEASURE) == str(self.comparison.primary)
        means = self.comparison.means().filter(decides).drop(MEASURE)
        return means.sort("mean", descending=True, nulls_last=True, maintain_order=True)

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

    def made(self) -> str:
        """Return what to know before acting on the leaderboard."""
        return paragraph(*map(labelled, self.comparison.cautions))

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
    from it contains 0, or too few queries changed. Intervals have the settings of the comparison,
    and are simultaneous for all pairs of systems unless its correction is ``"none"``.

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
