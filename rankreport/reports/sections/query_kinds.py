"""The section on kinds of query with another difference than elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rankreport.comparison import HEADINGS, QueryKind, kinds_frame, query_kinds_of
from rankreport.reports.content import Content
from rankreport.reports.page import Section
from rankreport.tables import Table, to_table
from rankreport.text import counted, say

_LISTED = 6
"""The most kinds that are listed at first."""


def kinds_of(content: Content) -> tuple[QueryKind, ...]:
    """Return the kinds of query that were tried of the leading pair, the clearest first."""
    comparison = content.comparison
    if comparison is None:
        return ()
    return query_kinds_of(comparison, comparison.decision.leading, content.corpus)


def query_kinds_section(content: Content) -> Iterable[Section]:
    """Yield the section on kinds of query, if any differs from the others."""
    tried = kinds_of(content)
    found = sorted(filter(_is_clear, tried), key=lambda each: not each.is_worse)
    if found:
        sentence = say("{title}: {queries}.", title=found[0].title, queries=found[0].figures)
        how = say(
            "Tried: {kinds}. These differ from the other queries (max-t over all, by permutation); "
            "intervals hold for all at once.",
            kinds=counted(len(tried), "kind of query", "kinds of query"),
        )
        every = replace(_table(tried), folded=say("All kinds of query that were tried"))
        # The figures are those of the method, which is there where no kind differs, too.
        parts = (_table(found[:_LISTED]), every)
        yield Section("query-kinds", say("Kinds of query"), (sentence, how), parts)


def none_found(tried: Sequence[QueryKind]) -> str:
    """Return how many kinds were tried where none of them differs."""
    if not tried or any(map(_is_clear, tried)):
        return ""
    kinds = counted(len(tried), "kind of query", "kinds of query")
    return say("Tried: {kinds}; none clearly differs from the other queries.", kinds=kinds)


def _is_clear(kind: QueryKind) -> bool:
    """Return whether the system is better or worse there, and otherwise elsewhere."""
    low, high = kind.ci_low, kind.ci_high
    return kind.differs and low is not None and high is not None and low * high > 0


def _table(kinds: Sequence[QueryKind]) -> Table:
    rows = kinds_frame(kinds).drop("feature", "n_elsewhere", "p_adjusted", "differs")
    headers = [say(HEADINGS[name], correction="max-t") for name in rows.columns]
    return to_table(rows, headers=headers, signed=("delta", "ci_low", "ci_high", "delta_elsewhere"))
