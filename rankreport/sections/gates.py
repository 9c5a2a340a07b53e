"""What a change must meet, and whether it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rankreport.gating import Gate
from rankreport.rendering.context import Figures, Section
from rankreport.rendering.language import say
from rankreport.rendering.table import Table
from rankreport.sections.content import Content
from rankreport.sections.parts import output

__all__ = ["gates_of"]

_LONG = 20
"""Of many candidates, a table of more rows is folded away."""


def gates_of(content: Content) -> Iterable[Section]:
    """Yield the section on requirements, where there are any."""
    gate = content.gate
    if gate is None:
        return
    required = list(dict.fromkeys(found.requirement.text for found in gate.findings))
    yield Section(
        "gates",
        say("Does it meet the requirements?"),
        tuple(filter(None, (gate.headline, gate.met, *_reasons(gate)))),
        (_table(gate),),
        outputs=(output("gate", f"rr.gate(comparison, {required!r})", gate),),
        figures=(Figures("gate", gate.table()),),
        in_notebook=(say("Each requirement is judged by the interval of its difference."),),
    )


def _reasons(gate: Gate) -> Iterator[str]:
    """Say why each requirement ended as it did; of several candidates, for which of them."""
    several = len(gate.candidates) > 1
    for candidate in gate.told:
        for found in candidate.findings:
            if several:
                yield say("{system}: {reason}.", system=candidate.name, reason=found.reason)
            else:
                yield say("{reason}.", reason=found.reason)


def _table(gate: Gate) -> Table:
    table = gate.shown()
    if not gate.is_many or len(table.rows) <= _LONG:
        return table
    return replace(table, folded=say("All {n} outcomes, what fails first", n=len(table.rows)))
