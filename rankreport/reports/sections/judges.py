"""The section on several judges: whether the verdict survives, and how far they agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rankreport.comparison import compare_by_judge
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.text import say

__all__ = ["judges_of"]

_MOST_JUDGES = 10
"""The judges listed; of more, those with the most judgments."""


def judges_of(content: Content) -> Iterable[Section]:
    """Yield the section on judges, if the judgments are those of several."""
    labels = content.evaluation._judges
    if labels is None:
        return
    agreement = labels._shown()
    figures = [Figures("agreement", labels.agreement())]
    words: list[str] = []
    parts = [replace(agreement, folded=agreement.caption)]
    if content.comparison is not None:
        busiest = labels.per_judge().sort("n_ratings", descending=True, maintain_order=True)
        names = busiest["judge"].head(_MOST_JUDGES).to_list()
        found = compare_by_judge(content.comparison, names)
        words.append(found.sentence)
        if len(names) < len(labels.judges):
            words.append(
                say(
                    "Of {all} judges, the {n} with the most judgments are listed.",
                    n=len(names),
                    all=f"{len(labels.judges):,}",
                )
            )
        parts.insert(0, found._shown())
        figures.append(Figures("by_judge", found.to_polars()))
    yield Section("judges", say("Judges"), tuple(words), tuple(parts), figures=tuple(figures))
