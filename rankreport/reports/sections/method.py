"""The method section with the glossary, and the provenance: inputs, settings, versions."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import polars as pl

from rankreport import statistics
from rankreport.comparison import (
    FEW_PAIRS,
    Comparison,
    Pair,
    comparison_provenance,
    interval_title_of,
    method_of,
)
from rankreport.errors import OptionError
from rankreport.evaluation import COLLAPSE, NO_RELEVANT, PRECISION, PROFILES, QUERIES
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.io import Input
from rankreport.measures import TIES, Measure
from rankreport.reports.content import Content
from rankreport.reports.page import Section, Term
from rankreport.reports.sections._parts import pairs_shown
from rankreport.tables import Table
from rankreport.text import counted, delta_and_interval, p_value, paragraph, percent, say

__all__ = ["method_sections", "provenance_of", "rules_of", "terms_of"]


def method_sections(content: Content) -> Iterable[Section]:
    """Yield the section on the method and the measures."""
    words = [rules_of(content)]
    parts: tuple[Table, ...] = ()
    comparison = content.comparison
    if comparison is not None:
        words.append(method_of(comparison.method))
        parts = (_computed_otherwise(comparison),)
    yield Section(
        "method",
        say("Method and glossary"),
        tuple(words),
        parts,
        terms_of(content),
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
    measures = [m(k=None) if m.takes_cutoff else m for m in content.evaluation.measures]
    return tuple(map(_term, dict.fromkeys([*measures, *content.measures])))


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
    if comparison.family.corrects:
        level = say("{interval}, simultaneous", interval=level)
    # The comparison's own p-values are corrected, and so differ from these.
    alone = say("p, uncorrected") if comparison.family.corrects else "p"
    # Two kinds can coincide, depending on clusters: list them once.
    rows: dict[tuple[str, str], dict[Pair, str]] = {}
    for row in comparison.intervals().filter(decides).iter_rows(named=True):
        kind = _interval_in_words(comparison, row["interval"])
        error = comparison.differences[_pair(row)].end_error
        _, ends = delta_and_interval(None, row["ci_low"], row["ci_high"], error)
        rows.setdefault((level, kind), {})[_pair(row)] = ends
    for row in comparison.tests().filter(decides).iter_rows(named=True):
        kind = say(statistics.TESTS[row["test"]].title)
        rows.setdefault((alone, kind), {})[_pair(row)] = p_value(
            row["p_value"], 1 / comparison.resamples
        )
    labels = comparison.labels
    headers = (say("statistic"), say("method"), *(labels[pair] for pair in pairs))
    cells = tuple((*kind, *(found[pair] for pair in pairs)) for kind, found in rows.items())
    caption = say("{measure}, computed in other ways", measure=comparison.primary)
    return Table(headers, cells, frozenset(range(2, len(headers))), caption)


def _interval_in_words(comparison: Comparison, kind: str) -> str:
    """Return the title of a kind of interval, and whether its BCa ends are in closed form."""
    title = interval_title_of(comparison.method, kind)
    if kind == "auto" and comparison.method.is_plain:
        return say("{interval}, BCa in closed form", interval=title)
    return title


def _pair(row: Mapping[str, Any]) -> Pair:
    return Pair(row[BASELINE], row[SYSTEM])


def _term(measure: Measure) -> Term:
    declared = measure.declaration
    return Term(
        str(measure),
        say(declared.title),
        say(declared.meaning),
        declared.formula,
        say(declared.source),
    )


def provenance_of(content: Content) -> Iterable[tuple[str, str]]:
    """Yield inputs, settings and versions by name."""
    of_queries = [] if content.queries_input is None else [content.queries_input]
    for read in (*content.evaluation.inputs, *of_queries):
        yield read["role"], ", ".join(_of_input(read))
    yield from content.evaluation.settings.items()
    folded = content.evaluation.caution_inputs["folded"]
    if folded:
        yield "rows folded", "; ".join(f"{name}: {n - m:,}" for name, (n, m) in folded.items())
    comparison = content.comparison
    if comparison is not None:
        yield from comparison_provenance(comparison)
    for package in ("rankreport", "polars", "numpy", "scipy", "matplotlib"):
        yield package, version(package)
    yield "Python", f"{platform.python_version()}, {platform.system()}"
    if content.command is not None:
        yield "command", content.command
    if "SOURCE_DATE_EPOCH" in os.environ:
        yield "made", _clock(os.environ["SOURCE_DATE_EPOCH"]).isoformat()


def _of_input(read: Input) -> Iterable[str]:
    """Yield the name, the number of rows and the hash of an input."""
    in_memory = "a table in memory"
    yield say("a table in memory") if read["name"] == in_memory else read["name"]
    if read["rows"] is not None:
        yield counted(read["rows"], "row", "rows")
    if read["sha256"] is not None:
        yield f"SHA-256 {read['sha256']}"


def _clock(seconds: str) -> datetime:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        msg = f"SOURCE_DATE_EPOCH={seconds!r} is not a time. Give seconds since 1970, or unset it."
        raise OptionError(msg) from None
