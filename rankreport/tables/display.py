"""How a result shows itself and leaves the house: the same for every result object."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from rankreport.io import text_export
from rankreport.tables.latex import with_preamble
from rankreport.text import paragraph_html, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from rankreport.tables.table import Table

__all__ = ["Displayed", "bundle_of", "text_of"]

_CELL = 48
"""The longest a cell may be in a terminal."""


class Displayed(ABC):
    """A result that is a frame to compute with, and a table to read."""

    @abstractmethod
    def to_polars(self) -> pl.DataFrame:
        """Return the result as a frame."""

    @abstractmethod
    def shown(self) -> Table:
        """Return the result as people read it."""

    def made(self) -> str:
        """Say how it was made, beneath what is shown; nothing unless a result has more to say."""
        return ""

    def to_pandas(self) -> Any:
        """Return the result as a pandas DataFrame; needs pandas and pyarrow."""
        return self.to_polars().to_pandas()

    @text_export(".md", ".markdown")
    def to_markdown(self) -> str:
        """Return what is shown as a Markdown table, or write it to a path."""
        return self.shown().to_markdown()

    @text_export(".tex")
    def to_latex(self) -> str:
        """Return what is shown as a LaTeX table with booktabs rules, or write it to a path."""
        return with_preamble(self.shown().to_latex())

    def __repr__(self) -> str:
        """Return what is shown and how it was made, for a terminal."""
        return "\n\n".join(filter(None, [text_of([self.shown()]), visible(self.made())]))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter picks from what it is given
        bundle, made = bundle_of([self.shown()]), visible(self.made())
        if made:
            bundle["text/plain"] += f"\n\n{made}"
            bundle["text/html"] += f"\n{paragraph_html(made)}"
        return {**bundle, "text/latex": self.to_latex()}


def text_of(tables: Sequence[Table]) -> str:
    """Return several tables for a terminal, one beneath the other."""
    return "\n\n".join(table.to_text(width=_CELL) for table in tables)


def bundle_of(tables: Sequence[Table]) -> dict[str, str]:
    """Return several tables as Jupyter takes them, one beneath the other."""
    return {
        "text/plain": "\n\n".join(table.to_text() for table in tables),
        "text/html": "\n".join(table.to_html() for table in tables),
        "text/latex": "\n\n".join(table.to_latex() for table in tables),
    }
