"""The section on judgments from clicks: how far down users look, and what they click."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rankreport.evaluation import click_labels_of
from rankreport.labels import ClickLabels, highest_pairs
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Part, Section
from rankreport.reports.sections._parts import picture
from rankreport.tables import readable_table
from rankreport.text import percent, say


def clicks_of(content: Content) -> Iterable[Section]:
    """Yield the section on clicks, if the judgments are estimated from them."""
    labels = click_labels_of(content.evaluation)
    if labels is None:
        return
    ranks = labels.position_bias()
    pairs = readable_table(labels)
    parts: list[Part] = [replace(pairs, folded=pairs.caption)]
    figures = [Figures("click_pairs", highest_pairs(labels))]
    words = []
    if not ranks.is_empty():
        parts.insert(0, picture(labels.plot_position_bias()))
        figures.append(Figures("position_bias", ranks))
        known = ranks.drop_nulls("ci_low").rows(named=True)
        words += [_sentence(labels, known[-1])] if known else []
    yield Section("clicks", say("Clicks"), tuple(words), tuple(parts), figures=tuple(figures))


def _sentence(labels: ClickLabels, row: dict[str, Any]) -> str:
    """Return what the position bias says of the last rank for which it is known."""
    fields = {
        "rank": row["rank"],
        "confidence": percent(labels.settings["confidence"]),
        **{
            name: percent(row[column], whole=True)
            for name, column in (("share", "bias"), ("low", "ci_low"), ("high", "ci_high"))
        },
    }
    if labels.model == "pbm":
        return say(
            "Users look at rank {rank} {share} as often as at the first one ({confidence} interval "
            "{low} to {high}).",
            **fields,
        )
    if labels.model == "cascade":
        return say(
            "Of the lists, {share} are read down to rank {rank} ({confidence} interval {low} to "
            "{high}).",
            **fields,
        )
    return say(
        "Rank {rank} is clicked {share} as often as the first one ({confidence} interval {low} to "
        "{high}), for where it is and for how good the documents there are.",
        **fields,
    )
