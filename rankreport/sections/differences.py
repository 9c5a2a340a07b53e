"""By how much systems differ, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.rendering.context import Section
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
    family = comparison.family
    at_once = f", for {family.n_tests} differences at once" if family.corrects else ""
    minus = comparison.one_baseline or "the one it is set against"
    words = (
        f"Differences are system minus {minus}, {averaged(comparison)}, each with its "
        f"{percent(comparison.confidence)} interval "
        f"({interval_title_of(comparison)}{at_once}). {comparison.primary} decides; the other "
        f"measures describe."
    )
    forest = comparison.plot_forest()
    yield Section(
        "differences",
        "By how much, and how sure?",
        (words,),
        (picture(forest), comparison.shown()),
        outputs=(
            output("verdict", "comparison.verdict()", comparison.verdict()),
            output("forest", "comparison.plot_forest()", forest),
            output("comparison", "comparison", comparison),
        ),
    )
