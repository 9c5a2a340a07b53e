"""The section on data quality: cautions, and the counts behind them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from rankreport.comparison import QueryKind, worth_judging
from rankreport.evaluation import Evaluation, data_facts_of
from rankreport.frames import SYSTEM
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import FEW_SYSTEMS, described
from rankreport.reports.sections.query_kinds import kinds_of
from rankreport.text import in_current_language, labelled, say

_TO_JUDGE = 10
"""How many unjudged documents are listed."""


def data_of(content: Content) -> Iterable[Section]:
    """Yield the section on the quality of the data."""
    evaluation = content.evaluation
    quality = evaluation.quality
    shown = content.comparison or evaluation
    cautions = (labelled(each, code=False) for each in shown.cautions)
    words = [*content.label_sentences, *cautions]
    of_each = say("Counts of each system") if len(quality) > FEW_SYSTEMS else ""
    shown_of_each = quality
    if data_facts_of(evaluation).mostly_positive:  # the share judged has no meaning
        shown_of_each = quality.drop("judged_at_10")
    if evaluation.n_repeats:
        words.append(say("Counts are of the run that has most of each, shares of the first run."))
    parts = [described(shown_of_each, _columns(), folded=of_each)]
    figures = [Figures(name, frame) for name, frame in _behind(evaluation).items()]
    of_judgments = [each for each in kinds_of(content, of_judgments=True) if each.differs]
    words += [
        say(
            "Known from the judgments alone: on {kind} {queries}.",
            kind=in_current_language(each.kind),
            queries=each.figures,
        )
        for each in of_judgments
    ]
    if of_judgments:
        figures.append(Figures("kinds_by_judgments", QueryKind.frame(of_judgments)))
    to_judge = None if content.comparison is None else worth_judging(content.comparison)
    if to_judge is not None:
        # Where the interval holds 0, there is no answer that judgments could undo.
        words += [*to_judge.effect()][-1:] if to_judge.tipping.clear else ()
        table = to_judge.table(_TO_JUDGE)
        every = say('All of them: judge_next(comparison).write("next.csv")')
        parts.append(replace(table, folded=table.caption, caption=every))
        figures.append(Figures("judge_next", to_judge.to_polars().head(_TO_JUDGE)))
    yield Section(
        "data", say("Data"), tuple(words), tuple(parts), figures=tuple(figures), linked=True
    )


def _behind(evaluation: Evaluation) -> dict[str, pl.DataFrame]:
    """Return the figures behind the cautions; ties and coverage are of the primary measure."""
    facts = data_facts_of(evaluation)
    return {
        "quality": evaluation.quality,
        "ties": facts.ties,
        "coverage": facts.coverage,
        "undefined": facts.undefined.filter(pl.col("n_undefined") > 0),
    }


def _columns() -> dict[str, tuple[str, str]]:
    """Return the header of each column, and what it holds."""
    return {
        SYSTEM: (say("system"), say("the system")),
        "n_queries": (say("queries"), say("queries evaluated")),
        "n_unanswered": (
            say("unanswered"),
            say("evaluated queries for which the system returned nothing and scores 0"),
        ),
        "n_left_out": (say("left out"), say("judged queries that the settings exclude")),
        "n_unjudged": (
            say("without judgments"),
            say("answered queries without judgments, which are excluded"),
        ),
        "n_no_relevant": (
            say("nothing relevant"),
            say("queries without a document of a grade above 0"),
        ),
        "n_tied": (
            say("with ties"),
            say("queries in which a judged document shares its score with another"),
        ),
        "judged_at_10": (
            say("judged in top 10"),
            say("share of the first 10 documents that are judged, from 0 to 1, mean over queries"),
        ),
    }
