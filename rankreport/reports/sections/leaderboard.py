"""The leaderboard section: systems in order, and which of them might be the best."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankreport.charts import MOST_ROWS
from rankreport.comparison import MIN_CHANGED, systems_of
from rankreport.frames import SYSTEM
from rankreport.leaderboards import Leaderboard, leaderboard
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import picture
from rankreport.text import counted, paragraph, percent, say, strung

MANY_SYSTEMS = 5
"""The minimum number of systems for a leaderboard."""


def leaderboard_sections(content: Content) -> Iterable[Section]:
    """Yield the leaderboard, if there are many systems."""
    comparison = content.comparison
    if comparison is None:
        return
    if len(systems_of(comparison.pairs)) < MANY_SYSTEMS:
        return
    found = leaderboard(comparison)
    drawn = () if _is_repeated(found) else (found.plot(),)
    title = say("Leaderboard")
    yield Section(
        "ranked",
        title,
        (_words(found),),
        (found._shown(), *map(picture, drawn)),
        folded=title,
        figures=(Figures("places", found.table()),),
    )


def _is_repeated(found: Leaderboard) -> bool:
    """Return whether the chart would repeat the next section's, or be too long.

    The table has all differences from the best system.
    """
    return found.best == found.comparison._one_baseline or len(found.table()) > MOST_ROWS


def _words(found: Leaderboard) -> str:
    """Return how many systems cannot be distinguished from the best, in sentences."""
    comparison, n_others = found.comparison, len(found.table()) - 1
    fields = {
        "best": found.best,
        "measure": comparison.primary,
        "n": len(found.indistinguishable),
        "others": counted(n_others, "other system", "other systems"),
        "confidence": percent(comparison.confidence),
        "least": MIN_CHANGED,
    }
    unsure = [name for name in found.table()[SYSTEM] if name in comparison._unsure_from_best]
    if unsure and not found.indistinguishable:
        return paragraph(
            say("{best} has the highest mean.", best=found.best),
            say(
                "Its difference from these depends on unjudged documents: {systems}.",
                systems=strung(unsure),
            ),
        )
    if not found.indistinguishable:
        return _all_below(fields, alone=comparison.correction == "none")
    if comparison.correction == "none":
        return say(
            "{best} has the highest mean {measure}. Of {others}, {n} cannot be distinguished "
            "from it: the {confidence} interval of the difference, not corrected for the number "
            "of systems, includes 0, or fewer than {least} queries changed.",
            **fields,
        )
    rivals = say(
        "{best} has the highest mean {measure}. Of {others}, {n} cannot be distinguished from "
        "it: the simultaneous {confidence} interval of the difference includes 0, or fewer than "
        "{least} queries changed.",
        **fields,
    )
    if len(found.indistinguishable) == 1:
        return paragraph(rivals, say("That one might be as good, or better."))
    return paragraph(rivals, say("Each of these might be as good, or better."))


def _all_below(fields: dict[str, Any], *, alone: bool) -> str:
    """Return the sentence for a best system without rivals."""
    if alone:
        return say(
            "{best} has the highest mean {measure}. Every other system is clearly below it: the "
            "{confidence} interval of each difference, not corrected for the number of systems, "
            "excludes 0.",
            **fields,
        )
    return say(
        "{best} has the highest mean {measure}. Every other system is clearly below it: the "
        "simultaneous {confidence} intervals of the differences exclude 0.",
        **fields,
    )
