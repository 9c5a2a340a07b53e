"""The section on the comparison by segment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from rankreport.comparison import SMALLEST_SEGMENT, by_segment, segments_table
from rankreport.measures import with_shown_names
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Picture, Section
from rankreport.reports.sections._parts import picture
from rankreport.text import counted, paragraph, say

_LISTED = 12
"""The number of segments listed per column."""


def segments_of(content: Content) -> Iterable[Section]:
    """Yield the section on segments, if the comparison has any."""
    comparison = content.comparison
    if comparison is None or not comparison.query_metadata.segments:
        return
    rows = by_segment(comparison)
    listed, left_out = _largest(rows)
    words = say("Segments of fewer than {n} queries have no interval.", n=SMALLEST_SEGMENT)
    drawn: tuple[Picture, ...] = ()
    if len(rows.drop_nulls("ci_low")):
        drawn = (picture(comparison.plot_segments()),)
        of_many = say(
            "Of many segments, some change by chance alone: a change that is clear after "
            "correction for their number (Benjamini and Hochberg) is marked. A mark does not say "
            "that a segment differs from the others."
        )
        words = paragraph(words, of_many)
    named = with_shown_names(comparison.evaluation.measures, listed)
    table = segments_table(named, comparison.decision.one_baseline)
    yield Section(
        "segments",
        say("Segments"),
        tuple(filter(None, (words, left_out))),
        (*drawn, replace(table, folded=say("All figures of segments") if drawn else "")),
        figures=(Figures("segments", rows),),
        linked=True,
    )


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
