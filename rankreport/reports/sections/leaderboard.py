"""The leaderboard section: systems in order, and which of them might be the best."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.comparison import (
    MIN_CHANGED,
    SETTLED,
    doubts_in_words,
    rivals_in_words,
    systems_of,
)
from rankreport.leaderboards import Leaderboard, leaderboard
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import picture
from rankreport.tables import readable_table
from rankreport.text import counted, paragraph, percent, say

MANY_SYSTEMS = 5
"""The minimum number of systems for a leaderboard."""

_MOST_ROWS = 24
"""Of its chart: a printed page holds them."""


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
        (readable_table(found), *map(picture, drawn)),
        folded=title,
        figures=(Figures("places", found.table()),),
    )


def _is_repeated(found: Leaderboard) -> bool:
    """Return whether the chart would repeat the next section's, or be too long.

    The table has all differences from the best system.
    """
    return found.best == found.comparison.decision.one_baseline or len(found.table()) > _MOST_ROWS


def _words(found: Leaderboard) -> str:
    """Return how many systems cannot be distinguished from the best, in sentences."""
    comparison, n_others = found.comparison, len(found.table()) - 1
    rivals_by_interval = comparison.decision.rivals(*SETTLED)
    if not rivals_by_interval:
        return rivals_in_words(comparison.decision)
    fields = {
        "best": found.best,
        "measure": comparison.primary,
        "n": len(rivals_by_interval),
        "others": counted(n_others, "other system", "other systems"),
        "confidence": percent(comparison.confidence),
        "least": MIN_CHANGED,
    }
    doubts = doubts_in_words(comparison.decision)
    if comparison.correction == "none":
        alone = say(
            "{best} has the highest mean {measure}. Of {others}, {n} cannot be distinguished "
            "from it: the {confidence} interval of the difference, not corrected for the number "
            "of systems, includes 0, or fewer than {least} queries changed.",
            **fields,
        )
        return paragraph(alone, *doubts)
    rivals = say(
        "{best} has the highest mean {measure}. Of {others}, {n} cannot be distinguished from "
        "it: the simultaneous {confidence} interval of the difference includes 0, or fewer than "
        "{least} queries changed.",
        **fields,
    )
    if len(rivals_by_interval) == 1:
        return paragraph(rivals, say("That one might be as good, or better."), *doubts)
    return paragraph(rivals, say("Each of these might be as good, or better."), *doubts)
