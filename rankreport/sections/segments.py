"""The comparison segment by segment."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.rendering.comparison_table import segments_table
from rankreport.rendering.context import Section
from rankreport.rendering.text import percent
from rankreport.sections.content import Content
from rankreport.sections.parts import table_output
from rankreport.segmenting import SMALLEST_SEGMENT

__all__ = ["segments_of"]


def segments_of(content: Content) -> Iterable[Section]:
    """Yield the section on segments, where the comparison has any."""
    comparison = content.comparison
    if comparison is None or not comparison.traits.segments:
        return
    words = (
        f"Each segment has its own {percent(comparison.confidence)} interval. Many segments are "
        f"many tries: marked are those that differ after Benjamini and Hochberg's correction. With "
        f"fewer than {SMALLEST_SEGMENT} queries a segment gets no interval."
    )
    rows = comparison.segments()
    yield Section(
        "segments",
        "Does it hold everywhere?",
        (words,),
        (segments_table(rows, comparison.one_baseline),),
        outputs=(table_output("segment-rows", "comparison.segments()", rows),),
    )
