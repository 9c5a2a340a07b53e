"""What to know of the data before believing a figure."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.rendering.context import Figures, Section
from rankreport.rendering.language import say
from rankreport.rendering.table import table_of
from rankreport.sections.content import Content
from rankreport.sections.parts import table_output

__all__ = ["data_of"]


_FIGURES = ("quality", "ties", "coverage", "undefined")
"""What cautions are of; ties and coverage are of the measure that decides."""


def data_of(content: Content) -> Iterable[Section]:
    """Yield the section on the quality of the data."""
    evaluation = content.evaluation
    quality = evaluation.quality
    yield Section(
        "data",
        say("Can the data be trusted?"),
        (content.comparison or evaluation).cautions,
        (table_of(quality, headers=_headers()),),
        outputs=(table_output("quality", "evaluation.quality", quality),),
        figures=tuple(Figures(name, evaluation.to_mind[name]) for name in _FIGURES),
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
