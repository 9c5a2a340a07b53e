"""What to know of the data before believing a figure."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.rendering.context import Section
from rankreport.rendering.language import say
from rankreport.rendering.table import table_of
from rankreport.sections.content import Content
from rankreport.sections.parts import table_output

__all__ = ["data_of"]


def data_of(content: Content) -> Iterable[Section]:
    """Yield the section on the quality of the data."""
    quality = content.evaluation.quality
    yield Section(
        "data",
        say("Can the data be trusted?"),
        (content.comparison or content.evaluation).cautions,
        (table_of(quality, headers=_headers()),),
        outputs=(table_output("quality", "evaluation.quality", quality),),
    )


def _headers() -> tuple[str, ...]:
    return (
        say("system"),
        say("queries"),
        say("unanswered"),
        say("left out"),
        say("without judgments"),
        say("nothing relevant"),
        say("with ties"),
        say("judged, not returned"),
        say("judged in top 10"),
    )
