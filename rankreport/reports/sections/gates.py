"""The section on the requirements of a gate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rankreport.gates import OUTCOME_SIGNS, Gate
from rankreport.reports.content import Content
from rankreport.reports.page import Figures, Section
from rankreport.tables import Table
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
    why = gate._shortcomings if len(gate.comparison.pairs) > 1 else ()
    yield Section(
        "gates",
        say("Requirements"),
        tuple(filter(None, (gate.headline, gate._met, *why, *gate.notes))),
        (_table(gate),),
        figures=(Figures("gate", gate.table()),),
    )


def _table(gate: Gate) -> Table:
    table = gate._shown()
    signs = [OUTCOME_SIGNS[found.outcome] for found in gate._in_order]
    rows = tuple(
        (*row[:_OUTCOME], f"{sign} {row[_OUTCOME]}", *row[_OUTCOME + 1 :])
        for row, sign in zip(table.rows, signs, strict=True)
    )
    folded = gate._is_many and len(rows) > _LONG
    words = say("All {n} outcomes, failures first", n=len(rows)) if folded else ""
    return replace(table, rows=rows, folded=words)
