"""How the figures were made, and what the measures mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from rankreport import statistics
from rankreport.columns import BASELINE, MEASURE, SYSTEM
from rankreport.compared import FEW_PAIRS
from rankreport.comparison import Comparison
from rankreport.judging import NO_RELEVANT, PRECISION, QUERIES
from rankreport.measures import Measure
from rankreport.pairing import Pair
from rankreport.profiles import PROFILES
from rankreport.ranking import TIES
from rankreport.rendering.context import Output, Section, Term
from rankreport.rendering.language import say
from rankreport.rendering.table import Table
from rankreport.rendering.text import number, p_value, paragraph, percent
from rankreport.sections.content import Content
from rankreport.sections.parts import pairs_shown, table_output
from rankreport.wording import interval_title_of, method_of

__all__ = ["method_sections"]


def method_sections(content: Content) -> Iterable[Section]:
    """Yield the section on how figures were made and what the measures mean."""
    settings = content.evaluation.settings
    rules = say(
        "Queries: {queries}; {no_relevant}. Documents nobody judged count as not relevant. Ties: "
        "{ties}; {precision}.",
        queries=say(QUERIES[settings["queries"]]),
        no_relevant=say(NO_RELEVANT[settings["no_relevant"]]),
        ties=say(TIES[settings["ties"]]),
        precision=say(PRECISION[settings["precision"]]),
    )
    if "profile" in settings:
        tool = say(PROFILES[settings["profile"]].tool)
        rules = paragraph(rules, say("These are the rules of {tool}.", tool=tool))
    words = [rules]
    parts: tuple[Table, ...] = ()
    outputs: tuple[Output, ...] = ()
    comparison = content.comparison
    if comparison is not None:
        words.append(method_of(comparison))
        parts = (_computed_otherwise(comparison),)
        outputs = (
            table_output("intervals", "comparison.intervals()", comparison.intervals()),
            table_output("tests", "comparison.tests()", comparison.tests()),
        )
    measures = [m(k=None) if m.takes_cutoff else m for m in content.evaluation.measures]
    terms = tuple(map(_term, dict.fromkeys([*measures, *content.measures])))
    yield Section(
        "method",
        say("Method and glossary"),
        tuple(words),
        parts,
        terms,
        outputs,
        # How a comparison is made stands beneath its table, by the parameters that it was run with.
        in_notebook=(rules,),
    )


def _computed_otherwise(comparison: Comparison) -> Table:
    """Every kind of interval, and of test of the mean, for the measure that decides.

    Of many pairs, for the leading one.
    """
    pairs = pairs_shown(comparison, FEW_PAIRS)
    named = [pair._asdict() for pair in pairs]
    decides = (pl.col(MEASURE) == str(comparison.primary)) & pl.struct(BASELINE, SYSTEM).is_in(
        named
    )
    level = say("{confidence} interval", confidence=percent(comparison.confidence))
    # Two kinds may be one and the same, given how the queries hang together: it stands once.
    rows: dict[tuple[str, str], dict[Pair, str]] = {}
    for row in comparison.intervals().filter(decides).iter_rows(named=True):
        kind = interval_title_of(comparison, row["interval"])
        low, high = (number(row[end], signed=True) for end in ("ci_low", "ci_high"))
        ends = say("{low} to {high}", low=low, high=high)
        rows.setdefault((level, kind), {})[_pair(row)] = ends
    for row in comparison.tests().filter(decides).iter_rows(named=True):
        kind = say(statistics.TESTS[row["test"]].title)
        rows.setdefault(("p", kind), {})[_pair(row)] = p_value(row["p_value"])
    labels = comparison.labels
    headers = (say("figure"), say("kind"), *(labels[pair] for pair in pairs))
    cells = tuple((*kind, *(found[pair] for pair in pairs)) for kind, found in rows.items())
    caption = say("{measure}, computed in other ways", measure=comparison.primary)
    return Table(headers, cells, frozenset(range(2, len(headers))), caption)


def _pair(row: Mapping[str, Any]) -> Pair:
    return Pair(row[BASELINE], row[SYSTEM])


def _term(measure: Measure) -> Term:
    declared = measure.declaration
    return Term(
        str(measure),
        say(declared.title),
        say(declared.meaning),
        declared.formula,
        declared.source,
    )
