"""The rules by which runs are judged, and those that were applied, in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rankreport.evaluation.tool_profiles import PROFILES
from rankreport.measures import TIES
from rankreport.text import paragraph, say

QUERIES = {
    "judged": "every judged query counts; a system that returned nothing for one scores 0 there",
    "answered": "each system is judged by the queries that it returned something for",
    "intersection": "only judged queries that every system returned something for count",
}
PRECISION = {
    "double": "scores are compared in double precision",
    "single": "scores are rounded to single precision and compared so",
}
GRADES = {
    "given": "grades are as given",
    "truncated": "grades that are no whole numbers are cut down to one",
}
NO_RELEVANT = {
    "zero": "a query without a document of positive grade scores 0",
    "one": "a query without a document of positive grade scores 1 on measures that divide by what "
    "is relevant, such as nDCG and AP, and 0 on others",
    "skip": "queries without a document of positive grade are left out",
}
COLLAPSE: Mapping[str, str] = MappingProxyType(
    {
        "max": "a document has the score of its best passage",
        "first": "a document has the rank and score of its best-ranked passage",
        "sum": "a document has the sum of the scores of its passages",
        "mean": "a document has the mean of the scores of its passages",
    }
)
"""The rules of folding. Equal scores are then ordered by the tie rule, as of any documents; those
that keep the order given stand in the order of their best passages."""


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
