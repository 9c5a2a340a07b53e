"""The section on data quality: cautions, and the counts behind them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from rankreport.comparison import Comparison, JudgeNext, effect_of_judging, judge_next
from rankreport.errors import DataError, OptionError
from rankreport.evaluation import Evaluation, data_facts_of, data_notes_of, unjudged_at_top
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import FEW_SYSTEMS
from rankreport.tables import to_table
from rankreport.text import labelled, say

_TO_JUDGE = 10
"""How many unjudged documents are listed."""

_MOST_UNJUDGED = 10_000
"""With more unjudged documents than this, none are listed: ordering them would take long."""


def data_of(content: Content) -> Iterable[Section]:
    """Yield the section on the quality of the data."""
    evaluation = content.evaluation
    quality = evaluation.quality
    shown = content.comparison or evaluation
    cautions = [*shown.cautions, *data_notes_of(evaluation)]
    words = [*content.label_sentences, *map(labelled, cautions)]
    of_each = say("Counts of each system") if len(quality) > FEW_SYSTEMS else ""
    parts = [replace(to_table(quality, headers=_headers()), help=_help(), folded=of_each)]
    figures = [Figures(name, frame) for name, frame in _behind(evaluation).items()]
    to_judge = None if content.comparison is None else _to_judge(content.comparison)
    if to_judge is not None:
        # Where the interval holds 0, there is no answer that judgments could undo.
        words += effect_of_judging(to_judge) if to_judge.tipping.clear else ()
        table = to_judge.table(_TO_JUDGE)
        parts.append(replace(table, folded=table.caption))
        figures.append(Figures("judge_next", to_judge.to_polars().head(_TO_JUDGE)))
    yield Section("data", say("Data"), tuple(words), tuple(parts), figures=tuple(figures))


def _to_judge(comparison: Comparison) -> JudgeNext | None:
    """Return the unjudged documents in the order to judge them, if they might matter."""
    unjudged = unjudged_at_top(comparison.evaluation)
    if unjudged is None or len(unjudged.documents) > _MOST_UNJUDGED:
        return None
    try:
        found = judge_next(comparison)
    except (DataError, OptionError):  # of scores from a file, or of a measure without known bounds
        return None
    return None if found.to_polars().is_empty() else found


def _behind(evaluation: Evaluation) -> dict[str, pl.DataFrame]:
    """Return the figures behind the cautions; ties and coverage are of the primary measure."""
    facts = data_facts_of(evaluation)
    return {
        "quality": evaluation.quality,
        "ties": facts.ties,
        "coverage": facts.coverage,
        "undefined": facts.undefined.filter(pl.col("n_undefined") > 0),
    }


def _headers() -> tuple[str, ...]:
    return (
        say("system"),
        say("queries"),
        say("unanswered"),
        say("left out"),
        say("without judgments"),
        say("nothing relevant"),
        say("with ties"),
        say("judged, not returned"),
        say("judged in top 10"),
    )


def _help() -> tuple[str, ...]:
    return (
        say("the system"),
        say("queries evaluated"),
        say("evaluated queries for which the system returned nothing and scores 0"),
        say("judged queries that the settings exclude"),
        say("answered queries without judgments, which are excluded"),
        say("queries without a relevant document"),
        say("queries in which a judged document shares its score with another"),
        say("judged documents that the system did not return"),
        say("share of the first 10 documents that are judged, from 0 to 1, mean over queries"),
    )
