"""What it means to users that a measure falls or rises."""

from __future__ import annotations

from collections.abc import Mapping

MEANINGS: Mapping[str, tuple[str, str]] = {
    "RR": (
        "the first relevant result loses places near the top",
        "the first relevant result gains places near the top",
    ),
    "R": ("fewer relevant results are found", "more relevant results are found"),
    "P": ("fewer of the first results are relevant", "more of the first results are relevant"),
    "FalseAnswer": (
        "fewer queries without an answer get results",
        "more queries without an answer get results",
    ),
    "FalseAbstention": (
        "fewer queries with an answer get no results",
        "more queries with an answer get no results",
    ),
    "coverage": ("fewer of the items are shown", "more of the items are shown"),
    "gini": ("items are shown more evenly", "some items are shown more often"),
    "personalisation": ("lists differ less between users", "lists differ more between users"),
    "Novelty": ("items are more popular", "items are less popular"),
    "Popularity": ("items are less popular", "items are more popular"),
    "ILD": ("lists are less varied", "lists are more varied"),
    "Categories": ("lists have fewer categories", "lists have more categories"),
    "Unexpectedness": ("items are more like the past", "items are less like the past"),
    "Serendipity": ("fewer items are relevant surprises", "more items are relevant surprises"),
}
"""What it means to users that a measure falls, and that it rises, by its name."""
