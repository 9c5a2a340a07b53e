"""The section on differences: mean differences with intervals, by measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import polars as pl

from rankreport.comparison import ComparedPair, Comparison, Pair
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import shown_name
from rankreport.reports.content import Content
from rankreport.reports.formats import COMPARISON, COMPARISON_FILES
from rankreport.reports.page import TONE_OF, Intervals, MeasureRow, Section
from rankreport.reports.sections._parts import ListedRows
from rankreport.reports.sections.beyond_accuracy import in_own_tables
from rankreport.reports.sections.unanswerable import rates_of
from rankreport.text import paragraph, say


def differences_of(content: Content) -> Iterable[Section]:
    """Yield the section with the differences on all measures."""
    comparison = content.comparison
    if comparison is None:
        return
    is_pair, listed = len(comparison.pairs) == 1, ListedRows.of(comparison)
    # Of a table that leaves out other measures, those of the pair of the verdict are drawn.
    drawn = is_pair or len(listed.measures) < len(comparison.evaluation.measures)
    rows = tuple(_rows(comparison, comparison.decision.leading)) if drawn else ()
    if is_pair and ComparedPair.leading(comparison).is_one_sided:
        label = say("Other measures, on the queries that both answered")
    elif not is_pair:
        label = say("{system} against {baseline}", **comparison.decision.leading._asdict())
    elif comparison.judges is not None:
        label = say("Other measures, by people alone")
    elif content.gate is None:
        label = say("Other measures, intervals for all at once")
    else:
        label = say("Other measures, intervals for all at once (the gate decides on its own)")
    all_listed = listed.is_all(comparison)
    folded = (
        say("All figures: intervals of each measure alone, and p-values")
        if all_listed
        else say("Figures of {n} pairs, with intervals and p-values", n=len(listed.pairs))
    )
    table = replace(listed.table(comparison), folded=folded)
    yield Section(
        "differences",
        say("By measure"),
        () if all_listed else (_left_out(comparison, listed),),
        (
            *((Intervals(label, rows, comparison.confidence),) if rows else ()),
            *rates_of(content),
            table,
        ),
        leads=is_pair and not comparison.evaluation.datasets,  # which stand above it
        linked=True,
    )


def comparison_files(content: Content) -> Mapping[str, pl.DataFrame]:
    """Return the files to write next to a page that cannot list every pair on every measure.

    Returns
    -------
    mapping of str to DataFrame
        The frame of `Comparison.table` by the ending of the file name, which follows the stem of
        the page's. Empty if the page lists all rows.
    """
    comparison = content.comparison
    if comparison is None or ListedRows.of(comparison).is_all(comparison):
        return {}
    return dict.fromkeys(COMPARISON_FILES, comparison.table())


def _left_out(comparison: Comparison, listed: ListedRows) -> str:
    """Say which pairs and measures the table lists, and where the others are."""
    fields = {"n": f"{len(comparison.pairs):,}", "measure": comparison.primary}
    rows = (
        say("The table has all {n} pairs on {measure}.", **fields)
        if len(listed.pairs) == len(comparison.pairs)
        else say(
            "Of {n} pairs, the table has those with {best}, the system with the highest mean, on "
            "{measure}.",
            best=comparison.decision.order[0],
            **fields,
        )
    )
    files = say(
        "All pairs on all measures are in the files written next to the report, whose names end "
        "in {ending}.parquet and {ending}.csv.",
        ending=COMPARISON,
    )
    return paragraph(rows, files)


def _rows(comparison: Comparison, pair: Pair) -> Iterable[MeasureRow]:
    """Yield the measures that do not decide, in the order given."""
    # Nothing is shown as better or worse where the verdict has to wait.
    stopped = any(each.severity == "stop" for each in comparison.cautions)
    compared = ComparedPair(comparison, pair)
    doubted = stopped or comparison.decision.pairs[pair].found.word == "check first"
    of_pair = (pl.col(BASELINE) == pair.baseline) & (pl.col(SYSTEM) == pair.system)
    rows = comparison.table().filter(of_pair)
    others = {each.measure: each for each in comparison.decision.pairs[pair].others}
    if compared.is_one_sided:
        _, rows = compared.on_answered()
        others = {}
    elsewhere = {str(comparison.primary), *in_own_tables(comparison.evaluation)}
    for row in rows.iter_rows(named=True):
        name = row[MEASURE]
        if name in elsewhere or row["delta"] is None:
            continue
        before, after = row["mean_baseline"], row["mean_system"]
        other = others.get(name)
        low, high = (row["ci_low"], row["ci_high"]) if other is None else (other.low, other.high)
        tone = TONE_OF[0 if doubted or other is None else other.gain]
        shown = shown_name(comparison.evaluation.measures, name)
        yield MeasureRow(shown, before, after, row["delta"], low, high, tone)
