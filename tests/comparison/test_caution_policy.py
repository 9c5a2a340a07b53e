"""Which finding makes another one needless, and where."""

from __future__ import annotations

from dataclasses import replace

import pytest
from messages import caution_kinds

from rankreport.comparison import Difference, Known, Pair
from rankreport.comparison.caution_policy import POLICY
from rankreport.text import Caution

FOUND = Difference("new", "old", "RR", 60, 40, 0.1, 0.05, 0.15, 0.95, None)
SAME = replace(FOUND, n_changed=0, delta=0.0, ci_low=None, ci_high=None)
EQUAL = Pair("old", "new")


def a(code, severity="look", concerns=()):
    each = [(some,) if isinstance(some, str) else some for some in concerns]
    return Caution(code, severity, code, concerns=tuple(each))


def copies(*systems):
    return a("identical_runs", concerns=[systems])


UNANSWERED = a("unanswered", "stop")
JUDGED = replace(FOUND, on_judged=FOUND)
AT_DEPTH = replace(FOUND, at_depth=FOUND)
OPEN_ON_JUDGED = replace(FOUND, on_judged=replace(FOUND, ci_low=-0.01))


@pytest.mark.parametrize(
    ("where", "caution", "known", "severity"),
    [
        # Figures on judged documents alone say more than the shares judged.
        ("data", a("hardly_judged"), Known(differences=[FOUND, JUDGED]), None),
        ("data", a("unevenly_judged"), Known(differences=[JUDGED]), None),
        ("data", a("unevenly_judged"), Known(differences=[FOUND]), "look"),
        # Equal systems that are all compared: the comparison says it, or their scores differ.
        ("data", copies("old", "new"), Known(differences=[SAME], alike=[EQUAL]), None),
        ("data", copies("old", "new"), Known(differences=[FOUND]), None),
        ("data", copies("old", "new"), Known(differences=[SAME]), "look"),
        ("data", copies("old", "new", "other"), Known(differences=[FOUND]), "look"),
        # The comparison at equal depth says which lists are cut.
        ("data", a("shallow_lists", concerns=["new"]), Known(differences=[AT_DEPTH]), None),
        ("data", a("shallow_lists", concerns=["new"]), Known(differences=[FOUND]), "look"),
        ("data", a("shallow_lists", concerns=["x"]), Known(differences=[AT_DEPTH]), "look"),
        ("data", a("extra_queries", "note"), Known(by_model=True), None),
        ("data", a("extra_queries", "note"), Known(), "note"),
        # Queries not answered are a reason to stop once.
        ("everywhere", a("one_sided", "stop"), Known([UNANSWERED]), "look"),
        ("everywhere", a("one_sided", "stop"), Known([a("unanswered")]), "stop"),
        ("everywhere", a("ties_reverse", "stop"), Known([UNANSWERED]), "stop"),
        ("action", a("judged_only"), Known(differences=[JUDGED]), None),
        ("action", a("judged_only"), Known(differences=[OPEN_ON_JUDGED]), "look"),
        ("row", a("few_changed"), Known(), None),
        ("row", a("ties_reverse"), Known(), "look"),
        ("ranks", a("interval_decides", "note"), Known(), None),
        ("screen", a("one_sided", "stop"), Known([UNANSWERED]), None),
        ("screen", a("equal_scores"), Known([a("ties_reverse")]), None),
        ("screen", a("equal_scores", "note"), Known([a("ties_reverse")]), "note"),
        ("screen", a("equal_scores"), Known(), "look"),
        ("screen", a("judged_only"), Known([a("swapped", "stop")]), None),
        ("screen", a("judged_only"), Known([a("swapped")]), "look"),
        ("screen", a("opposite_segment"), Known(lists_segments=True), None),
        ("screen", a("opposite_segment"), Known(), "look"),
        ("screen", a("mostly_positive", "note"), Known(), None),
    ],
)
def test_a_finding_is_hidden_or_demoted_where_another_says_more(where, caution, known, severity):
    expected = [] if severity is None else [replace(caution, severity=severity)]
    assert list(known.shown([caution], where)) == expected


def test_every_rule_is_on_findings_that_there_are():
    known = {kind.code for kind in caution_kinds()}
    assert {code for rule in POLICY for code in rule.codes} <= known
