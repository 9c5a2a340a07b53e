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
    Comparison,
    Pair,
    averaged,
    comparison_provenance,
    contrasts_of,
    family_of,
    interval_in_words,
    interval_title_of,
    intervals_of,
    kinds_frame,
    method_of,
    p_values_of_tests,
    short_labels,
)
from rankreport.evaluation import (
    COLLAPSE,
    NO_RELEVANT,
    PRECISION,
    PROFILES,
    QUERIES,
    data_facts_of,
    n_folded,
)
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.io import Input
from rankreport.measures import TIES, Measure, uncut
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section, Term
from rankreport.reports.sections._parts import is_many, pairs_shown
from rankreport.reports.sections.levels import means_in_words
from rankreport.reports.sections.query_kinds import kinds_of
from rankreport.tables import Table
from rankreport.text import counted, delta_and_interval, p_value, paragraph, percent, say

LABEL_SOURCE = "source of judgments"
"""The name in the provenance of where judgments come from."""


def method_sections(content: Content) -> Iterable[Section]:
    """Yield the section on the method and the measures."""
    rules = rules_of(content)
    words = [*means_in_words(content.evaluation), rules]
    parts: tuple[Table, ...] = ()
    tried = kinds_of(content)
    comparison = content.comparison
    if comparison is not None:
        words = [_in_short(comparison), rules, method_of(comparison)]
        parts = (_computed_otherwise(comparison),)
    yield Section(
        "method",
        say("Method"),
        tuple(filter(None, words)),
        parts,
        terms_of(content),
        (Figures("query_kinds", kinds_frame(tried)),) if tried else (),
        folded=say("Details, other intervals and tests, glossary"),
    )


def rules_of(content: Content) -> str:
    """Return by which rules the runs were judged."""
    settings = content.evaluation.settings
    rules = say(
        "Queries: {queries}; {no_relevant}. Unjudged documents count as not relevant. Ties: "
        "{ties}; {precision}.",
        queries=say(QUERIES[settings["queries"]]),
        no_relevant=say(NO_RELEVANT[settings["no_relevant"]]),
        ties=say(TIES[settings["ties"]].words),
        precision=say(PRECISION[settings["precision"]]),
    )
    if "collapse" in settings:
        rule = say(COLLAPSE[settings["collapse"]])
        folded = say(
            "Passages are folded into documents before these are ranked: {rule}.", rule=rule
        )
        rules = paragraph(rules, folded)
    if "profile" in settings:
        tool = say(PROFILES[settings["profile"]].tool)
        rules = paragraph(rules, say("These are the rules of {tool}.", tool=tool))
    return rules


def terms_of(content: Content) -> tuple[Term, ...]:
    """Return the measures explained, without their cut-offs."""
    shown: dict[Measure, list[Measure]] = {}
    for measure in content.evaluation.measures:
        shown.setdefault(uncut(measure) if measure.takes_cutoff else measure, []).append(measure)
    return tuple(_term(m, shown.get(m, ())) for m in dict.fromkeys([*shown, *content.measures]))


def _in_short(comparison: Comparison) -> str:
    return say(
        "Differences are system minus {baseline}, {averaged}, each with its {confidence} "
        "interval ({interval}).",
        baseline=comparison.decision.one_baseline or say("its baseline"),
        averaged=averaged(comparison),
        confidence=percent(comparison.confidence),
        interval=interval_in_words(comparison),
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
    if family_of(comparison).corrects:
        level = say("{interval}, simultaneous", interval=level)
    # The comparison's own p-values are corrected, and so differ from these.
    alone = say("p, uncorrected") if family_of(comparison).corrects else "p"
    # Two kinds can coincide, depending on clusters: list them once.
    rows: dict[tuple[str, str], dict[Pair, str]] = {}
    contrasts = contrasts_of(comparison)
    if is_many(comparison):
        contrasts = contrasts.of_pairs(pairs)
    intervals = intervals_of(comparison, contrasts)
    for row in intervals.filter(decides).iter_rows(named=True):
        kind = _interval_in_words(comparison, row["interval"])
        error = comparison.decision.pairs[_pair(row)].found.end_error
        _, ends = delta_and_interval(None, row["ci_low"], row["ci_high"], error)
        rows.setdefault((level, kind), {})[_pair(row)] = ends
    for row in p_values_of_tests(comparison, contrasts).filter(decides).iter_rows(named=True):
        kind = say(statistics.TESTS[row["test"]].title)
        rows.setdefault((alone, kind), {})[_pair(row)] = p_value(
            row["p_value"], 1 / comparison.resamples
        )
    labels = short_labels(comparison.pairs)
    headers = (say("statistic"), say("method"), *(labels[pair] for pair in pairs))
    cells = tuple((*kind, *(found[pair] for pair in pairs)) for kind, found in rows.items())
    caption = say("{measure}, computed in other ways", measure=comparison.primary)
    words = (
        say("an interval or a p-value"),
        say("how it is computed"),
        *(say("{system} against {baseline}", **pair._asdict()) for pair in pairs),
    )
    return Table(headers, cells, frozenset(range(2, len(headers))), caption, help=words)


def _interval_in_words(comparison: Comparison, kind: str) -> str:
    """Return the title of a kind of interval, and whether its BCa ends are in closed form."""
    title = interval_title_of(comparison, kind)
    if kind == "auto" and not comparison.query_metadata.structure_columns:
        return say("{interval}, BCa in closed form", interval=title)
    return title


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
    for read in content.evaluation.inputs:
        yield read["role"], input_in_words(read)
    for read in () if content.by_model is None else content.by_model.inputs:
        if read["role"] == "qrels":
            yield "qrels of the model", input_in_words(read)
    if content.queries_input is not None:
        yield content.queries_input["role"], input_in_words(content.queries_input)
    sources = content.label_sentences
    if sources:
        yield LABEL_SOURCE, " ".join(sources)
    if content.corpus is not None:
        yield "documents", content.corpus.label
    yield from content.evaluation.settings.items()
    folded = n_folded(data_facts_of(content.evaluation).remarks)
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


def input_in_words(read: Input) -> str:
    """Return the name, the number of rows and the hash of an input."""
    return ", ".join(_of_input(read))


def _of_input(read: Input) -> Iterable[str]:
    in_memory = "a table in memory"
    yield say("a table in memory") if read["name"] == in_memory else read["name"]
    if read["rows"] is not None:
        yield counted(read["rows"], "row", "rows")
    if read["sha256"] is not None:
        yield f"SHA-256 {read['sha256']}"
