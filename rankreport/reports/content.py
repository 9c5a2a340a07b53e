"""The subject of a report."""

from __future__ import annotations

import datetime as dt
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from rankreport.comparison import Comparison, Judgments, Verdict, systems_of
from rankreport.errors import OptionError
from rankreport.evaluation import Evaluation, data_facts_of, label_source_of, queries_in_words
from rankreport.gates import Gate
from rankreport.history import time_of
from rankreport.io import OF_USERS, Corpus, Input
from rankreport.labels import RankingComparison
from rankreport.measures import Measure
from rankreport.text import comma_separated, counted, runs_in_words, say

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
    date
        Date of the report.
    roc
        Whether it shows ROC and precision-recall curves.
    corpus
        Texts of documents, or None.
    since
        The difference from the last stored result, in a sentence; may be empty.
    """

    evaluation: Evaluation
    comparison: Comparison | None
    gate: Gate | None
    title: str
    queries: pl.DataFrame | None
    queries_input: Input | None
    measures: tuple[Measure, ...]
    command: str | None
    date: dt.date
    roc: bool = False
    corpus: Corpus | None = None
    since: str = ""

    @property
    def of_users(self) -> bool:
        """Whether it is of users, who have a history, and items, not of queries and documents."""
        remarks = data_facts_of(self.evaluation).remarks
        has_history = any(each["role"] == "history" for each in self.evaluation.inputs)
        return has_history or any(each.code == OF_USERS for each in remarks)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, whose action takes the gate into account; None without a comparison."""
        if self.gate is not None:
            return self.gate.verdict()
        return None if self.comparison is None else self.comparison.verdict()

    @property
    def by_model(self) -> Evaluation | None:
        """The evaluation by a model's judgments, where people judged a part of them."""
        return None if self.comparison is None else Judgments.of(self.comparison).by_model

    @property
    def label_sentences(self) -> tuple[str, ...]:
        """Where the judgments come from, in sentences; none if they were given as judgments."""
        if self.comparison is not None:
            return Judgments.of(self.comparison).sentences
        source = label_source_of(self.evaluation)
        return () if source is None else (source.sentence,)


@dataclass(frozen=True, eq=False)
class RankingContent:
    """The subject of a report on two rankings without judgments.

    Attributes
    ----------
    rankings
        What is reported.
    title, queries, queries_input, command, date, corpus
        As of `Content`.
    """

    rankings: RankingComparison
    title: str
    queries: pl.DataFrame | None
    queries_input: Input | None
    command: str | None
    date: dt.date
    corpus: Corpus | None = None


def title_of(evaluation: Evaluation, comparison: Comparison | None) -> str:
    """Return the default title: the names of the systems, or their number if there are many."""

    def named(systems: Sequence[str]) -> str:
        few = len(systems) <= _FEW_SYSTEMS
        return comma_separated(systems) if few else counted(len(systems), "system", "systems")

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


def date_of(given: str | dt.date | None) -> dt.date:
    """Return the date of a report: the one given, that of SOURCE_DATE_EPOCH, or today's.

    Raises
    ------
    OptionError
        If the date or the variable cannot be read.
    """
    if given is not None:
        return time_of(given).date()
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if seconds is None:
        return dt.datetime.now().astimezone().date()
    try:
        return dt.datetime.fromtimestamp(int(seconds), dt.UTC).date()
    except (ValueError, OverflowError, OSError):
        raise OptionError(
            f"SOURCE_DATE_EPOCH={seconds!r} is not a time. Give seconds since 1970, or unset it."
        ) from None


MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def date_in_words(date: dt.date) -> str:
    """Return a date as a page shows it.

    >>> date_in_words(dt.date(2026, 11, 22))
    '22 November 2026'
    """
    month = say(MONTHS[date.month - 1])
    return say("{day} {month} {year}", day=date.day, month=month, year=date.year)


def extent_of(content: Content) -> str:
    """Return the numbers of queries and, if several, of systems."""
    evaluation = content.evaluation
    n_unanswerable = len(evaluation.unanswerable)
    queries = queries_in_words(len(evaluation.query_ids) - n_unanswerable, n_unanswerable)
    judges = None if content.comparison is None else content.comparison.judges
    if judges is not None:
        queries = say(
            "{queries}, {n} of them judged by people",
            queries=counted(judges.n_all, "query", "queries"),
            n=f"{judges.n:,}",
        )
    if evaluation.n_repeats:
        runs = runs_in_words(evaluation.systems, evaluation.n_repeats)
        queries = say("{queries}, {runs}", queries=queries, runs=runs)
    sampled_from = data_facts_of(evaluation).sampled_from
    if sampled_from is not None:
        queries = say("{queries}, drawn at random from {n}", queries=queries, n=f"{sampled_from:,}")
    if n_sets := len(evaluation.datasets):
        sets = counted(n_sets, "data set", "data sets")
        queries = comma_separated([sets, queries])
    n = len(evaluation.systems) - (len(content.comparison.null) if content.comparison else 0)
    if n <= _PAIR:
        return queries
    return say("{systems}, {queries}", systems=counted(n, "system", "systems"), queries=queries)


_PAIR = 2
