"""The section on the comparison by segment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import polars as pl

from rankreport.comparison import SMALLEST_SEGMENT, by_segment, segments_table, titled
from rankreport.measures import with_shown_names
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import picture
from rankreport.tables import Table
from rankreport.text import counted, percent, say

_LISTED = 12
"""The number of segments listed per column."""


def segments_of(content: Content) -> Iterable[Section]:
    """Yield the section on segments, if the comparison has any."""
    comparison = content.comparison
    if comparison is None or not comparison.query_metadata.segments:
        return
    words = say(
        "Each segment has its own {confidence} interval. Of many segments, some differ by "
        "chance alone: those that differ from 0 after correction for their number (Benjamini "
        "and Hochberg) are marked. Segments with fewer than {n} queries have no interval.",
        confidence=percent(comparison.confidence),
        n=SMALLEST_SEGMENT,
    )
    rows = by_segment(comparison)
    listed, left_out = _largest(rows)
    chart = comparison.plot_segments()
    drawn = () if chart.data.is_empty() else (picture(chart),)
    named = with_shown_names(comparison.evaluation.measures, listed)
    yield Section(
        "segments",
        say("Segments"),
        tuple(filter(None, (words, left_out))),
        (*drawn, *_tables(titled(named), comparison.decision.one_baseline)),
        figures=(Figures("segments", rows),),
    )


def _tables(rows: pl.DataFrame, baseline: str | None) -> Iterator[Table]:
    """Yield a table of the rows with an interval, and a collapsed one of those without."""
    with_interval = rows.filter(pl.col("ci_low").is_not_null())
    every = say("All figures of segments")
    if len(with_interval) in (0, len(rows)):
        # The chart has the figures of segments with an interval.
        yield replace(segments_table(rows, baseline), folded=every if len(with_interval) else "")
        return
    without_interval = rows.filter(pl.col("ci_low").is_null())
    words = counted(
        len(without_interval),
        "row of segments without an interval",
        "rows of segments without an interval",
    )
    yield replace(segments_table(with_interval, baseline), folded=every)
    yield replace(segments_table(without_interval, baseline), folded=words)


def _largest(rows: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """Return the largest segments of each column, and a sentence on how many are left out."""
    place = pl.col("segment").rle_id().over("column")
    largest = rows.filter(place < _LISTED)
    n = len(rows.select("column", "segment").unique())
    n_left_out = n - len(largest.select("column", "segment").unique())
    if not n_left_out:
        return rows, ""
    return largest, say(
        "The {n} largest segments of each column are listed; {more} are left out.",
        n=_LISTED,
        more=counted(n_left_out, "smaller one", "smaller ones"),
    )
