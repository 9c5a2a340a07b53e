"""Many systems in order, and which of them might be the best."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankreport.charts import MOST_ROWS
from rankreport.pairing import systems_of
from rankreport.placing import Places, places
from rankreport.rendering.context import Figures, Section
from rankreport.rendering.language import say
from rankreport.rendering.text import counted, paragraph, percent
from rankreport.sections.content import Content
from rankreport.sections.parts import output, picture
from rankreport.verdict import MIN_CHANGED

__all__ = ["MANY_SYSTEMS", "ranked_of"]

MANY_SYSTEMS = 5
"""From so many systems on, a report puts them in order."""


def ranked_of(content: Content) -> Iterable[Section]:
    """Yield the section that puts many systems in order."""
    comparison = content.comparison
    if comparison is None:
        return
    if len(systems_of(comparison.pairs)) < MANY_SYSTEMS:
        return
    found = places(comparison)
    drawn = () if _is_repeated(found) else (found.plot(),)
    yield Section(
        "ranked",
        say("Which systems might be the best?"),
        (_words(found),),
        (found.shown(), *map(picture, drawn)),
        outputs=(
            output("ranked-table", "rr.places(comparison)", found),
            *(output("ranked-chart", "rr.places(comparison).plot()", chart) for chart in drawn),
        ),
        figures=(Figures("places", found.table()),),
        in_notebook=(say("Marked are the systems that cannot be told from the best one."),),
    )


def _is_repeated(found: Places) -> bool:
    """Whether a chart would say again what the next section draws, or be long and say it once more.

    All differences from the best stand in the table.
    """
    return found.best == found.comparison.one_baseline or len(found.table()) > MOST_ROWS


def _words(found: Places) -> str:
    """Say how many systems cannot be told from the best, and what that means."""
    comparison, n_others = found.comparison, len(found.table()) - 1
    told = {
        "best": found.best,
        "measure": comparison.primary,
        "untold": len(found.untold),
        "others": counted(n_others, "other system", "other systems"),
        "confidence": percent(comparison.confidence),
        "least": MIN_CHANGED,
    }
    if not found.untold:
        return _all_below(told, alone=comparison.correction == "none")
    if comparison.correction == "none":
        return say(
            "{best} has the highest mean {measure}. Of {others}, {untold} cannot be told apart "
            "from it: the {confidence} interval of the difference, of each by itself and not "
            "corrected for their number, holds 0, or fewer than {least} queries changed.",
            **told,
        )
    rivals = say(
        "{best} has the highest mean {measure}. Of {others}, {untold} cannot be told apart from "
        "it: the {confidence} interval of the difference, which holds for all of them at once, "
        "holds 0, or fewer than {least} queries changed.",
        **told,
    )
    if len(found.untold) == 1:
        return paragraph(rivals, say("That one might be as good, or better."))
    return paragraph(rivals, say("Each of these might be as good, or better."))


def _all_below(told: dict[str, Any], *, alone: bool) -> str:
    """Say that the best has no rival."""
    if alone:
        return say(
            "{best} has the highest mean {measure}. Every other system is clearly below it: the "
            "{confidence} interval of each difference, by itself and not corrected for their "
            "number, leaves out 0.",
            **told,
        )
    return say(
        "{best} has the highest mean {measure}. Every other system is clearly below it: the "
        "{confidence} intervals of the differences, which hold for all of them at once, leave out "
        "0.",
        **told,
    )
