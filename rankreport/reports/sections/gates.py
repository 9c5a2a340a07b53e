"""The section on the requirements of a gate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rankreport.gates import (
    OUTCOME_SIGNS,
    Gate,
    findings_in_order,
    has_many_candidates,
    passing_of_many,
    shortcomings_of,
)
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.tables import Table, readable_table
from rankreport.text import say

_OUTCOME = 3
"""The index of the outcome column."""

_LONG = 20
"""With many candidates, longer tables are collapsed."""


def gates_of(content: Content) -> Iterable[Section]:
    """Yield the section on requirements, if there is a gate."""
    gate = content.gate
    if gate is None:
        return
    # Of one pair, the first screen says why.
    why = shortcomings_of(gate) if len(gate.comparison.pairs) > 1 else ()
    title = say("Requirements")
    yield Section(
        "gates",
        title,
        tuple(filter(None, (gate.headline, passing_of_many(gate), *why, *gate.notes))),
        (_table(gate),),
        figures=(Figures("gate", gate.table()),),
        folded=title if len(gate.findings) == 1 else "",
    )


def _table(gate: Gate) -> Table:
    table = readable_table(gate)
    signs = [OUTCOME_SIGNS[found.outcome] for found in findings_in_order(gate)]
    rows = tuple(
        (*row[:_OUTCOME], f"{sign} {row[_OUTCOME]}", *row[_OUTCOME + 1 :])
        for row, sign in zip(table.rows, signs, strict=True)
    )
    folded = has_many_candidates(gate) and len(rows) > _LONG
    words = say("All {n} outcomes, failures first", n=len(rows)) if folded else ""
    return replace(table, rows=rows, folded=words)
