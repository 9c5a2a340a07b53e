"""The rules by which runs were judged, in words."""

from __future__ import annotations

from collections.abc import Mapping

from rankreport.evaluation.collapse import COLLAPSE
from rankreport.evaluation.judging import NO_RELEVANT, PRECISION, QUERIES
from rankreport.evaluation.profiles import PROFILES
from rankreport.measures import TIES
from rankreport.text import paragraph, say


def rules_in_words(settings: Mapping[str, str]) -> str:
    """Return the rules of an evaluation with these settings."""
    rules = say(
        "Queries: {queries}; {no_relevant}. Unjudged documents count as not relevant. Ties: "
        "{ties}; {precision}.",
        queries=say(QUERIES[settings["queries"]]),
        no_relevant=say(NO_RELEVANT[settings["no_relevant"]]),
        ties=say(TIES[settings["ties"]].words),
        precision=say(PRECISION[settings["precision"]]),
    )
    if "collapse" in settings:
        rule = say(COLLAPSE[settings["collapse"]])
        folded = say(
            "Passages are folded into documents before these are ranked: {rule}.", rule=rule
        )
        rules = paragraph(rules, folded)
    if "profile" in settings:
        tool = say(PROFILES[settings["profile"]].tool)
        rules = paragraph(rules, say("These are the rules of {tool}.", tool=tool))
    return rules
