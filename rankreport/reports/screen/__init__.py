"""The first screen of a report: the answers that a reader wants before reading on.

Which system is better, by how much, how sure, on which queries it loses, and what to do.
"""

from __future__ import annotations

from rankreport.comparison import Decision, VerdictWords, systems_of
from rankreport.reports.content import Content
from rankreport.reports.screen._common import Shown, early_success
from rankreport.reports.screen.alone import screen_of_one, screen_of_several_levels
from rankreport.reports.screen.pair import PairScreen
from rankreport.reports.screen.rankings import screen_of_rankings
from rankreport.reports.screen.several import SeveralScreen

_PAIR = 2


def screen_of(content: Content, decision: Decision | None, verdict: VerdictWords | None) -> Shown:
    """Return the first screen of a report and its numbers.

    Without a comparison there is no `decision`, and no `verdict` that words it.
    """
    comparison = content.comparison
    if comparison is None or decision is None or verdict is None:
        alone = len(content.evaluation.systems) == 1
        return screen_of_one(content) if alone else screen_of_several_levels(content)
    of_pair = len(systems_of(comparison.pairs)) == _PAIR
    kind = PairScreen if of_pair else SeveralScreen
    return kind(content, comparison, decision, verdict).screen()
