"""What a change must meet, and whether it does."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.rendering.context import Figures, Section
from rankreport.rendering.language import say
from rankreport.sections.content import Content
from rankreport.sections.parts import output

__all__ = ["gates_of"]


def gates_of(content: Content) -> Iterable[Section]:
    """Yield the section on requirements, where there are any."""
    gate = content.gate
    if gate is None:
        return
    required = list(dict.fromkeys(found.requirement.text for found in gate.findings))
    several = len({(found.baseline, found.system) for found in gate.findings}) > 1
    reasons = (
        say("{system}: {reason}.", system=found.system, reason=found.reason)
        if several
        else say("{reason}.", reason=found.reason)
        for found in gate.findings
    )
    yield Section(
        "gates",
        say("Does it meet the requirements?"),
        (gate.headline, *reasons),
        (gate.shown(),),
        outputs=(output("gate", f"rr.gate(comparison, {required!r})", gate),),
        figures=(Figures("gate", gate.table()),),
    )
