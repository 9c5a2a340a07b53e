"""How good each system is, where nothing is compared."""

from __future__ import annotations

from collections.abc import Iterable

from rankreport.rendering.context import Section
from rankreport.rendering.table import table_of
from rankreport.sections.content import Content
from rankreport.sections.parts import table_output

__all__ = ["levels_of"]


def levels_of(content: Content) -> Iterable[Section]:
    """Yield the section on the systems' levels."""
    if content.comparison is None:
        levels = content.evaluation.summary()
        table = table_of(levels, caption="Mean over queries; counts are sums")
        shown = table_output("levels-table", "evaluation.summary()", levels)
        yield Section("levels", "How good is each system?", parts=(table,), outputs=(shown,))
