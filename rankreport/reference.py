"""The reference of measures, as text: taken from their declarations, and from nothing else."""

from __future__ import annotations

from rankreport.columns import MEASURE
from rankreport.measures import Measure, catalogue
from rankreport.measures.declare import Nothing
from rankreport.rendering.table import Table

__all__ = ["explained", "listed"]


def listed() -> str:
    """Return all declared measures, by family."""
    rows = tuple((m.declaration.family, _signature(m), m.declaration.title) for m in catalogue())
    table = Table(("family", MEASURE, "title"), tuple(sorted(rows)))
    return (
        f"{table.to_text()}\n\n"
        f"@k is a cut-off, such as nDCG@10; without one, the whole ranking counts.\n"
        f"More on one: rankreport measures nDCG"
    )


def _signature(measure: Measure) -> str:
    given = ", ".join(
        f"{p.name}={p.default!r}" for n, p in measure.declaration.parameters.items() if n != "k"
    )
    cutoff = "@k" if measure.takes_cutoff else ""
    return f"{measure.name}({given}){cutoff}" if given else f"{measure.name}{cutoff}"


def explained(measure: Measure) -> str:
    """Return all that is said of a measure where it is declared."""
    declared = measure.declaration
    low, high = ("unbounded" if end is None else f"{end:g}" for end in declared.range)
    rows = (
        ("formula", declared.formula),
        ("range", f"{low} to {high}" if high != "unbounded" else f"from {low}"),
        ("over queries", declared.aggregate),
        ("nothing returned", _value(declared.nothing_returned)),
        ("nothing relevant", _value(declared.nothing_relevant)),
        ("source", declared.source),
        ("also called", ", ".join(declared.aliases) or "-"),
    )
    facts = "\n".join(f"{name:<17} {value}" for name, value in rows)
    return f"{_signature(measure)}\n{declared.title}\n\n{declared.doc}\n\n{facts}"


def _value(value: Nothing) -> str:
    return value if isinstance(value, str) else f"{value:g}"
