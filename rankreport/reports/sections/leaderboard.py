"""The leaderboard section: systems in order, and which of them might be the best."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.comparison import systems_of
from rankreport.leaderboards import leaderboard
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import picture
from rankreport.tables import readable_table
from rankreport.text import say

MANY_SYSTEMS = 5
"""The minimum number of systems for a leaderboard."""

_MOST_ROWS = 30
"""Of its chart: a printed page holds them."""


def leaderboard_sections(content: Content) -> Iterable[Section]:
    """Yield the leaderboard, if there are many systems."""
    comparison = content.comparison
    if comparison is None:
        return
    if len(systems_of(comparison.pairs)) < MANY_SYSTEMS:
        return
    found = leaderboard(comparison)
    decision = comparison.decision
    is_drawn = decision.groups and len(decision.order) <= _MOST_ROWS
    drawn = [found.plot_ranks()] if is_drawn else []
    title = say("Leaderboard")
    yield Section(
        "ranked",
        title,
        tuple(filter(None, (decision.rivals_in_words, decision.ranks_in_words))),
        (readable_table(found), *map(picture, drawn)),
        folded=title,
        figures=(Figures("places", found.table()),),
    )
