"""The comparison segment by segment."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from rankreport.columns import BASELINE, SYSTEM
from rankreport.rendering.comparison_table import segments_table
from rankreport.rendering.context import Section
from rankreport.rendering.language import say
from rankreport.rendering.text import percent
from rankreport.sections.content import Content
from rankreport.sections.parts import table_output
from rankreport.segmenting import SMALLEST_SEGMENT, UNKNOWN, segment_title

__all__ = ["segments_of"]

_READ = (
    *("column", "segment", BASELINE, SYSTEM, "n_queries", "delta", "ci_low", "ci_high"),
    *("p_adjusted", "differs", "disagrees"),
)
"""The columns that a notebook shows; the baseline's where there are several."""


def segments_of(content: Content) -> Iterable[Section]:
    """Yield the section on segments, where the comparison has any."""
    comparison = content.comparison
    if comparison is None or not comparison.traits.segments:
        return
    words = say(
        "Each segment has its own {confidence} interval. Many segments are many tries: marked are "
        "those that differ after Benjamini and Hochberg's correction. With fewer than {n} queries "
        "a segment gets no interval.",
        confidence=percent(comparison.confidence),
        n=SMALLEST_SEGMENT,
    )
    rows = comparison.segments()
    titled = rows.with_columns(pl.col("segment").replace({UNKNOWN: segment_title(UNKNOWN)}))
    read = [name for name in _READ if name != BASELINE or comparison.one_baseline is None]
    source = f"comparison.segments().select({', '.join(map(repr, read))})"
    yield Section(
        "segments",
        say("Does it hold everywhere?"),
        (words,),
        (segments_table(titled, comparison.one_baseline),),
        outputs=(table_output("segment-rows", source, rows.select(read)),),
    )
