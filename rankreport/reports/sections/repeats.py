"""The section on repeated runs: how far they lie apart, and which queries flip."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from rankreport.comparison import Method, contrasts_of
from rankreport.frames import BASELINE, MEASURE, QUERY_ID, SYSTEM
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.reports.sections._parts import as_listed
from rankreport.tables import to_table
from rankreport.text import counted, percent, say

_SHOWN = 10
"""The number of queries that flip that are listed."""


def repeats_of(content: Content) -> Iterable[Section]:
    """Yield the section, if systems have several runs, or the baseline has further ones."""
    comparison, evaluation = content.comparison, content.evaluation
    if comparison is None or not (evaluation.n_repeats or comparison.null):
        return
    between, leading = comparison.between_runs(), comparison.decision.leading
    interval = say("{confidence} interval from", confidence=percent(comparison.confidence))
    deviation = (say("deviation between runs"), interval, say("to"))
    headers = (say("system"), say("runs"), say("mean"), say("lowest"), say("highest"), *deviation)
    primary = between.filter(pl.col(MEASURE) == str(evaluation.primary)).drop(MEASURE)
    caption = say("Means of runs on {measure}", measure=evaluation.primary.shown)
    parts = [to_table(primary, headers=headers, caption=caption)]
    figures = [Figures("between_runs", between, by=(SYSTEM,))]
    words = [
        say(
            "The deviation is the standard deviation of a run's mean between runs of the same "
            "system: the noise floor. It is no threshold for a difference."
        )
    ]
    if evaluation.n_repeats:
        flips = comparison.flips()
        n = flips[QUERY_ID].n_unique()
        words = [
            Method(comparison).of_runs,
            say(
                "The value of a query is the mean over a system's runs; lists and other figures of "
                "documents are those of its first run, so that losses have no reasons."
            ),
            say(
                "{n} of {queries} flip: some runs win them, others lose them.",
                n=f"{n:,}",
                queries=counted(len(evaluation.query_ids), "query", "queries"),
            ),
            *words,
        ]
        figures.append(Figures("flips", flips, by=(BASELINE, SYSTEM)))
        if (runs := (contrasts := contrasts_of(comparison)).runs) is not None:
            shares = contrasts.labels().with_columns(share=runs.share(contrasts.sample))
            figures.append(Figures("runs_share", shares))
        rows = flips.filter(pl.struct(BASELINE, SYSTEM) == leading._asdict()).head(_SHOWN)
        outcomes = (say("pairs of runs won"), say("lost"), say("tied"))
        parts.append(
            to_table(
                as_listed(rows).drop(BASELINE, SYSTEM),
                headers=(say("query"), *outcomes, say("lowest"), say("mean"), say("highest")),
                caption=say("Differences of {system} minus {baseline}", **leading._asdict()),
                folded=say("Queries that flip"),
                signed=("lowest", "delta", "highest"),
            )
        )
    yield Section(
        "repeats", say("Repeated runs"), tuple(words), tuple(parts), figures=tuple(figures)
    )
