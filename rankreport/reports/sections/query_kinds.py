"""The section on kinds of query with another difference than elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rankreport.comparison import ComparedPair, QueryKind
from rankreport.reports.content import Content
from rankreport.reports.page import Section
from rankreport.text import comma_separated, say

_LISTED = 6
"""The most kinds that are listed at first."""


def kinds_of(content: Content, *, of_judgments: bool = False) -> tuple[QueryKind, ...]:
    """Return the kinds of query that were tried of the leading pair, the clearest first.

    Kinds that only describe the judgments say what to judge, and not which queries lose: they
    belong to the section on data. Where the data are to be checked first, or lists of unequal
    length decide, kinds would describe that.
    """
    comparison = content.comparison
    if comparison is None or comparison.decision.word == "check first":
        return ()
    if comparison.decision.verdict.found.at_depth is not None:
        return ()
    tried = ComparedPair.leading(comparison).kinds(content.corpus)
    return tuple(each for each in tried if each.is_of_judgments is of_judgments)


def query_kinds_section(content: Content) -> Iterable[Section]:
    """Yield the section on kinds of query, if any differs from the others."""
    tried = kinds_of(content)
    found = sorted((each for each in tried if each.differs), key=lambda each: not each.is_worse)
    if found:
        sentence = say("{title}: {queries}.", title=found[0].title, queries=found[0].figures)
        how = say(
            "They clearly differ from all other queries. Tried: {features}; intervals hold for all "
            "kinds tried at once (max-t, by permutation); that of a segment holds for it alone.",
            features=_features(tried),
        )
        every = replace(QueryKind.table(tried), folded=say("All kinds of query that were tried"))
        # The figures are those of the method, which is there where no kind differs, too.
        parts = (QueryKind.table(found[:_LISTED]), every) if len(found) > 1 else (every,)
        yield Section("query-kinds", say("Kinds of query"), (sentence, how), parts, linked=True)


def none_found(content: Content) -> str:
    """Return what was tried where no kind of query differs, or what it takes to try some."""
    tried, comparison = kinds_of(content), content.comparison
    if comparison is None or comparison.decision.word == "check first":
        return ""
    if tried:
        none = say("No kind of query stands out; tried: {features}.", features=_features(tried))
        return "" if any(each.differs for each in tried) else none
    metadata = comparison.query_metadata
    if metadata.structure_columns or comparison.evaluation.n_repeats:
        return ""
    if metadata.queries is not None and metadata.queries.width > 1:
        return ""
    return say("To try kinds of query, give texts or columns of the queries.")


def _features(kinds: Sequence[QueryKind]) -> str:
    """Return by what queries were split."""
    return comma_separated([*dict.fromkeys(say(each.feature) for each in kinds)])
