"""The method section with the glossary, and the provenance: inputs, settings, versions."""

from __future__ import annotations

import datetime as dt
import platform
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from rankreport import statistics
from rankreport.comparison import (
    FEW_PAIRS,
    ComparedPair,
    Comparison,
    Method,
    Pair,
    QueryKind,
    comparison_provenance,
    computed_otherwise,
    contrasts_of,
)
from rankreport.evaluation import data_facts_of, rules_in_words
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.io import Input
from rankreport.measures import Measure, uncut
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section, Term
from rankreport.reports.sections._parts import is_many, pairs_shown
from rankreport.reports.sections.means import means_in_words
from rankreport.reports.sections.query_kinds import kinds_of
from rankreport.tables import Table
from rankreport.text import counted, delta_and_interval, p_value, percent, say

LABEL_SOURCE = "source of judgments"
"""The name in the provenance of where judgments come from."""


def method_sections(content: Content) -> Iterable[Section]:
    """Yield the section on the method and the measures."""
    rules = rules_in_words(content.evaluation.settings)
    words = [*means_in_words(content.evaluation), rules]
    parts: tuple[Table, ...] = ()
    tried = kinds_of(content)
    comparison = content.comparison
    if comparison is not None:
        words = [_in_short(comparison), rules, Method(comparison).words]
        parts = (_computed_otherwise(comparison),)
    yield Section(
        "method",
        say("Method"),
        tuple(filter(None, words)),
        parts,
        terms_of(content),
        (Figures("query_kinds", QueryKind.frame(tried)),) if tried else (),
        folded=say("Details, other intervals and tests, glossary"),
        linked=True,
    )


def terms_of(content: Content) -> tuple[Term, ...]:
    """Return the measures explained, without their cut-offs."""
    shown: dict[Measure, list[Measure]] = {}
    for measure in content.evaluation.measures:
        shown.setdefault(uncut(measure) if measure.takes_cutoff else measure, []).append(measure)
    return tuple(_term(m, shown.get(m, ())) for m in dict.fromkeys([*shown, *content.measures]))


def _in_short(comparison: Comparison) -> str:
    method = Method(comparison)
    return say(
        "Differences are system minus {baseline}, {averaged}, each with its {confidence} "
        "interval ({interval}).",
        baseline=comparison.decision.one_baseline or say("its baseline"),
        averaged=method.averaged,
        confidence=percent(comparison.confidence),
        interval=method.interval,
    )


def _computed_otherwise(comparison: Comparison) -> Table:
    """Return a table of all kinds of interval and test for the primary measure.

    With many pairs, it is for the leading one.
    """
    pairs = pairs_shown(comparison, FEW_PAIRS)
    named = [pair._asdict() for pair in pairs]
    decides = (pl.col(MEASURE) == str(comparison.primary)) & pl.struct(BASELINE, SYSTEM).is_in(
        named
    )
    level = say("{confidence} interval", confidence=percent(comparison.confidence))
    if contrasts_of(comparison).family.corrects:
        level = say("{interval}, simultaneous", interval=level)
    # The comparison's own p-values are corrected, and so differ from these.
    alone = say("p, uncorrected") if contrasts_of(comparison).family.corrects else "p"
    # Two kinds can coincide, depending on clusters: list them once.
    rows: dict[tuple[str, str], dict[Pair, str]] = {}
    contrasts = contrasts_of(comparison)
    if is_many(comparison):
        contrasts = contrasts.of_pairs(pairs)
    intervals, tests = computed_otherwise(comparison, contrasts)
    for row in intervals.filter(decides).iter_rows(named=True):
        kind = Method(comparison).full_title(row["interval"])
        error = comparison.decision.pairs[_pair(row)].found.end_error
        _, ends = delta_and_interval(None, row["ci_low"], row["ci_high"], error)
        rows.setdefault((level, kind), {})[_pair(row)] = ends
    for row in tests.filter(decides).iter_rows(named=True):
        kind = say(statistics.TESTS[row["test"]].title)
        rows.setdefault((alone, kind), {})[_pair(row)] = p_value(
            row["p_value"], 1 / comparison.resamples
        )
    headers = (
        say("statistic"),
        say("method"),
        *(ComparedPair(comparison, pair).label for pair in pairs),
    )
    cells = tuple((*kind, *(found[pair] for pair in pairs)) for kind, found in rows.items())
    caption = say("{measure}, computed in other ways", measure=comparison.primary)
    words = (
        say("an interval or a p-value"),
        say("how it is computed"),
        *(say("{system} against {baseline}", **pair._asdict()) for pair in pairs),
    )
    return Table(headers, cells, frozenset(range(2, len(headers))), caption, help=words)


def _pair(row: Mapping[str, Any]) -> Pair:
    return Pair(row[BASELINE], row[SYSTEM])


def _term(measure: Measure, shown: Sequence[Measure]) -> Term:
    """Return a measure explained, under the names by which it is shown at its cut-offs."""
    declared = measure.declaration
    name, title = str(measure), say(declared.title)
    if any(each.asked for each in shown):
        title = say("here {measure}: {title}", measure=name, title=title)
        name = ", ".join(each.shown for each in shown)
    return Term(
        name,
        title,
        say(declared.meaning),
        declared.formula,
        say(declared.source),
    )


def provenance_of(content: Content) -> Iterable[tuple[str, str]]:
    """Yield inputs, settings and versions by name."""
    yield from inputs_in_words(content.evaluation.inputs)
    for read in () if content.by_model is None else content.by_model.inputs:
        if read["role"] == "qrels":
            yield from inputs_in_words([{**read, "role": "qrels of the model"}])
    yield from inputs_in_words([content.queries_input])
    sources = content.label_sentences
    if sources:
        yield LABEL_SOURCE, " ".join(sources)
    if content.corpus is not None:
        yield "documents", content.corpus.label
    yield from ((name, str(value)) for name, value in content.evaluation.settings.items())
    folded = data_facts_of(content.evaluation).folded
    if folded:
        yield "rows folded", "; ".join(f"{name}: {n - m:,}" for name, (n, m) in folded.items())
    comparison = content.comparison
    if comparison is not None:
        yield from comparison_provenance(comparison)
    yield from versions_of(content.command, content.date)


def versions_of(command: str | None, date: dt.date) -> Iterable[tuple[str, str]]:
    """Yield the versions of the packages, the command if there was one, and the date."""
    from importlib.metadata import version

    for package in ("rankreport", "polars", "numpy", "scipy", "matplotlib"):
        yield package, version(package)
    yield "Python", f"{platform.python_version()}, {platform.system()}"
    if command is not None:
        yield "command", command
    yield "date", date.isoformat()


def inputs_in_words(reads: Iterable[Input | None]) -> Iterable[tuple[str, str]]:
    """Yield the role of each input, and its name, number of rows and hash."""
    for read in filter(None, reads):
        yield read["role"], ", ".join(_of_input(read))


def _of_input(read: Input) -> Iterable[str]:
    in_memory = "a table in memory"
    yield say("a table in memory") if read["name"] == in_memory else read["name"]
    if read["rows"] is not None:
        yield counted(read["rows"], "row", "rows")
    if read["sha256"] is not None:
        yield f"SHA-256 {read['sha256']}"
