"""The section on several data sets: systems by data sets, and where their order changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import polars as pl

from rankreport.comparison import SMALLEST_SEGMENT, ComparedPair, Comparison, Pair, contrasts_of
from rankreport.evaluation import table_of_datasets
from rankreport.frames import SYSTEM
from rankreport.reports.content import Content
from rankreport.reports.page import Badge, Figures, ListedSegment, Part, Section
from rankreport.reports.sections._parts import data_table, picture
from rankreport.tables import Table
from rankreport.text import delta_and_interval, first_of, paragraph, say, separated

_MOST_ROWS = 20
"""A longer table is folded."""

_PAIR = 2

_MOST_LOST = 3
"""The most data sets, and systems on each, for which the first screen names a loss."""


def datasets_of(content: Content) -> Iterable[Section]:
    """Yield the section on the data sets, if there are several."""
    evaluation, comparison = content.evaluation, content.comparison
    if not evaluation.datasets:
        return
    over, by = evaluation.over_datasets(), evaluation.by_dataset()
    figures = {"over_datasets": over, "datasets": by}
    words: tuple[str, ...] = ()
    order: Iterable[str] = ()
    if comparison is not None:
        order = ComparedPair(comparison, comparison.decision.first_pair).by_dataset["dataset"]
    table = table_of_datasets(evaluation, order)
    # Of two systems, the chart has the differences.
    if len(evaluation.systems) == _PAIR or len(table.rows) > _MOST_ROWS:
        table = replace(table, caption="", folded=table.caption)
    parts: list[Part] = [table]
    if comparison is not None:
        rows = comparison.by_dataset()
        figures |= {"differences_over_datasets": comparison.over_datasets()}
        figures |= {"differences_by_dataset": rows}
        words = (_in_words(comparison),)
        chart = comparison.plot_datasets()
        drawn = picture(chart, chart.data.rename({"measure": "part", SYSTEM: "dataset"}))
        parts = [drawn, *parts, _figures_table(rows)]
    named = tuple(Figures(name, rows) for name, rows in figures.items())
    yield Section("datasets", say("Data sets"), words, tuple(parts), figures=named, linked=True)


def _figures_table(rows: pl.DataFrame) -> Table:
    """Return the differences on each data set, and of the mean without it."""
    shown = rows.drop("measure", "reverses", "decides").sort("dataset", maintain_order=True)
    names = ["dataset", *(name for name in shown.columns if name != "dataset")]
    table = data_table(shown.select(names))
    return replace(
        table, folded=say("Each data set: means and differences"), choices=frozenset({0})
    )


def _in_words(comparison: Comparison) -> str:
    """Return what the intervals of the chart are of, and where the order changes."""
    pair = comparison.decision.first_pair
    row = ComparedPair(comparison, pair).over_datasets
    words = [
        say(
            "{system} minus {baseline}. For these data sets: where their mean may lie, had other "
            "queries been drawn. For data sets like these: where the mean of all such data sets "
            "may lie. The next data set: where a single further one may lie, approximately.",
            **pair._asdict(),
        )
    ]
    if contrasts_of(comparison).family.corrects:
        words.append(
            say(
                "These three hold for all {n} pairs of systems at once; the interval of each data "
                "set below holds for that one alone.",
                n=contrasts_of(comparison).family.n_pairs,
            )
        )
    if row["reason"]:
        words.append(say("Nothing is known of other data sets: {reason}.", reason=row["reason"]))
    standing = comparison.standing
    return paragraph(*words, *((standing.clear, standing.unclear) if standing else ()))


# The first screen.


def on_these_data_sets(badge: Badge, comparison: Comparison) -> Badge:
    """Return the badge, which says so where the verdict is not sure for data sets like these."""
    found = comparison.decision.verdict.found
    standing = comparison.standing
    if standing is None or not found.direction or standing.sure:
        return badge
    return replace(badge, text=say("{verdict}, on average of these data sets", verdict=badge.text))


def datasets_shown(comparison: Comparison) -> tuple[ListedSegment, ...]:
    """Return the data sets that lose, that decide, or have few queries, for the first screen.

    Where the system is not better over all, those that gain too.
    """
    pair = comparison.decision.first_pair
    others = {name for each in comparison.pairs if pair.system in each for name in each}
    pairs = [Pair(other, pair.system) for other in others - {pair.system}]
    of_pairs = pl.concat(ComparedPair(comparison, each).by_dataset for each in pairs)
    found = [*_moved(of_pairs, -1)]
    if comparison.decision.verdict.direction != 1:
        found += _moved(of_pairs, 1)
    rows = ComparedPair(comparison, pair).by_dataset
    for row in rows.filter("decides").to_dicts():
        title = say("{dataset} decides between {system} and {baseline}", **row)
        figures = _interval(row, "delta_without", "low_without", "high_without")
        text = say("without it {system} minus {baseline} is {delta} ({interval})", **row | figures)
        found.append(ListedSegment(title, text, "open"))
    few = rows.filter(pl.col("n_queries") < SMALLEST_SEGMENT).select("dataset", "n_queries").rows()
    if few:
        named = first_of(f"{name} ({n})" for name, n in few)
        found.append(ListedSegment(say("Few queries"), named, "open"))
    return tuple(found)


def _moved(rows: pl.DataFrame, sign: int) -> Iterable[ListedSegment]:
    """Yield the data sets on which a system is clearly better or worse, by sign, most first."""
    clear = rows.filter(sign * pl.col("ci_low") > 0, sign * pl.col("ci_high") > 0)
    largest_first = clear.sort(-sign * pl.col("delta"), "baseline")
    for each in largest_first.partition_by("dataset", maintain_order=True)[:_MOST_LOST]:
        against = separated("; ", map(_against, each.head(_MOST_LOST).to_dicts()))
        of = each.row(0, named=True)
        if sign > 0:
            yield ListedSegment(say("{system} is better on {dataset}", **of), against, "better")
        else:
            yield ListedSegment(say("{system} is worse on {dataset}", **of), against, "worse")


def _against(row: dict[str, Any]) -> str:
    """Return a difference with its interval, and the system that it is set against."""
    return say(
        "{delta} ({interval}) against {baseline}",
        **_interval(row, "delta", "ci_low", "ci_high"),
        baseline=row["baseline"],
    )


def _interval(row: dict[str, Any], delta: str, low: str, high: str) -> dict[str, str]:
    """Return a difference and its interval as readers see them."""
    shown = delta_and_interval(row[delta], row[low], row[high], None)
    return dict(zip(("delta", "interval"), shown, strict=True))
