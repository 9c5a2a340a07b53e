"""Measures against the cut-off."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.rendering.context import Section
from rankreport.sections.content import Content
from rankreport.sections.parts import output, picture

__all__ = ["courses_of"]


def courses_of(content: Content) -> Iterable[Section]:
    """Yield the section with a curve per measure, the paired difference beneath it."""
    if not content.measures:
        return
    owner = content.comparison or content.evaluation
    name, words = "evaluation", "The means at each cut-off."
    if content.comparison is not None:
        name = "comparison"
        words = (
            "A measure at one cut-off may hide what happens at others. Dark bands are for each "
            "cut-off on its own, light ones for all at once. Bands of two systems may overlap "
            "where their difference is clear, so look at the difference."
        )
    charts = [owner.plot_curve(measure) for measure in content.measures]
    yield Section(
        "curves",
        "At which depth?",
        (words,),
        tuple(map(picture, charts)),
        outputs=tuple(
            output(f"curve-{place}", f"{name}.plot_curve({str(measure)!r})", chart)
            for place, (measure, chart) in enumerate(zip(content.measures, charts, strict=True))
        ),
    )
