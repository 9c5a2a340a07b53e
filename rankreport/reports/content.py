"""The subject of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from rankreport.comparison import Comparison, systems_of
from rankreport.evaluation import Evaluation
from rankreport.gates import Gate
from rankreport.io import Corpus, Input
from rankreport.measures import Measure
from rankreport.text import counted, say, strung

__all__ = ["Content", "title_of"]

_FEW_SYSTEMS = 5
"""Titles name up to this many systems, and count more."""


@dataclass(frozen=True, eq=False)
class Content:
    """The subject of a report.

    Attributes
    ----------
    evaluation, comparison
        The results reported; the comparison is None for an evaluation alone.
    gate
        Judged requirements, or None.
    title
        Report title.
    queries, queries_input
        Query metadata and its source, or None.
    measures
        Measures plotted against the cut-off.
    command
        Command that made the report, or None.
    corpus
        Texts of documents, or None.
    """

    evaluation: Evaluation
    comparison: Comparison | None
    gate: Gate | None
    title: str
    queries: pl.DataFrame | None
    queries_input: Input | None
    measures: tuple[Measure, ...]
    command: str | None
    corpus: Corpus | None = None


def title_of(evaluation: Evaluation, comparison: Comparison | None) -> str:
    """Return the default title: the names of the systems, or their number if there are many."""

    def named(systems: Sequence[str]) -> str:
        few = len(systems) <= _FEW_SYSTEMS
        return strung(systems) if few else counted(len(systems), "system", "systems")

    if comparison is None:
        return named(evaluation.systems)
    compared = systems_of(comparison.pairs)
    if len(compared) > 2 and len(comparison.pairs) == math.comb(len(compared), 2):
        return say("{systems} compared with each other", systems=named(compared))
    baselines = comparison.baselines
    return say(
        "{systems} against {baseline}",
        systems=named([system for system in compared if system not in baselines]),
        baseline=named(baselines),
    )
