"""By how much systems differ, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.comparison import Comparison
from rankreport.rendering.context import Section
from rankreport.rendering.language import say
from rankreport.rendering.text import percent
from rankreport.sections.content import Content
from rankreport.sections.parts import output, picture
from rankreport.wording import averaged, interval_title_of

__all__ = ["differences_of"]


def differences_of(content: Content) -> Iterable[Section]:
    """Yield the section with the forest of differences and its table."""
    comparison = content.comparison
    if comparison is None:
        return
    words = say(
        "Differences are system minus {baseline}, {averaged}, each with its {confidence} interval "
        "({interval}). {measure} decides; the other measures describe.",
        baseline=comparison.one_baseline or say("the one it is set against"),
        averaged=averaged(comparison),
        confidence=percent(comparison.confidence),
        interval=_interval(comparison),
        measure=comparison.primary,
    )
    forests = comparison.plot_forests()
    yield Section(
        "differences",
        say("By how much, and how sure?"),
        (words,),
        (*map(picture, forests), comparison.shown()),
        outputs=(
            output("forest", "comparison.plot_forest()", comparison.plot_forest()),
            output("comparison", "comparison", comparison),
        ),
        in_notebook=(
            say(
                "Means of differences, a system minus what it is set against, each with its "
                "interval. The verdict is on the measure that decides; the others describe."
            ),
        ),
    )


def _interval(comparison: Comparison) -> str:
    title, family = interval_title_of(comparison), comparison.family
    if not family.corrects:
        return title
    return say("{interval}, for {n} differences at once", interval=title, n=family.n_tests)
