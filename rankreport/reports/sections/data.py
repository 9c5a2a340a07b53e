"""The section on data quality: cautions, and the counts behind them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from rankreport.evaluation import Evaluation
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.tables import to_table
from rankreport.text import labelled, say

__all__ = ["data_of"]


def data_of(content: Content) -> Iterable[Section]:
    """Yield the section on the quality of the data."""
    evaluation = content.evaluation
    quality = evaluation.quality
    cautions = (content.comparison or evaluation).cautions
    source = evaluation._label_source
    yield Section(
        "data",
        say("Data"),
        (*([] if source is None else [source.sentence]), *map(labelled, cautions)),
        (replace(to_table(quality, headers=_headers()), help=_help()),),
        figures=tuple(Figures(name, frame) for name, frame in _behind(evaluation).items()),
    )


def _behind(evaluation: Evaluation) -> dict[str, pl.DataFrame]:
    """Return the figures behind the cautions; ties and coverage are of the primary measure."""
    inputs = evaluation._caution_inputs
    undefined = inputs["undefined"].filter(pl.col("n_undefined") > 0)
    return {
        **{name: inputs[name] for name in ("quality", "ties", "coverage")},
        "undefined": undefined,
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
