"""What to know of the data before believing a figure."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.rendering.context import Section
from rankreport.rendering.table import table_of
from rankreport.sections.content import Content
from rankreport.sections.parts import table_output

__all__ = ["data_of"]

_HEADERS = (
    "system",
    "queries",
    "unanswered",
    "left out",
    "without judgments",
    "nothing relevant",
    "with ties",
    "judged, not returned",
    "judged in top 10",
)


def data_of(content: Content) -> Iterable[Section]:
    """Yield the section on the quality of the data."""
    quality = content.evaluation.quality
    yield Section(
        "data",
        "Can the data be trusted?",
        (content.comparison or content.evaluation).cautions,
        (table_of(quality, headers=_HEADERS),),
        outputs=(table_output("quality", "evaluation.quality", quality),),
    )
