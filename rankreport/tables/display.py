"""Display and export, shared by all result objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from rankreport.errors import hinting_methods
from rankreport.io import text_export
from rankreport.tables.latex import commented, with_preamble
from rankreport.text import markdown, paragraph_html, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from rankreport.tables.table import Table

__all__ = ["Displayed", "bundle_of", "text_of"]

_CELL = 48
"""The maximum width of a cell in a terminal."""


@hinting_methods
class Displayed(ABC):
    """A result with a frame for computing and a table for reading."""

    def __init_subclass__(cls) -> None:
        """Refuse arguments that a method does not have, and name the nearest."""
        super().__init_subclass__()
        hinting_methods(cls)

    @abstractmethod
    def to_polars(self) -> pl.DataFrame:
        """Return the result as a frame."""

    @abstractmethod
    def _shown(self) -> Table:
        """Return the result as a readable table."""

    def _made(self) -> str:
        """Return notes, shown below the table, one to a line; empty by default."""
        return ""

    def _label_sentences(self) -> tuple[str, ...]:
        """Return where the judgments come from, in sentences; none by default."""
        return ()

    def to_pandas(self) -> Any:
        """Return the result as a pandas DataFrame; needs pandas and pyarrow."""
        return self.to_polars().to_pandas()

    @text_export(".md", ".markdown")
    def to_markdown(self) -> str:
        """Return the readable table as Markdown, or write it to a path."""
        return "\n\n".join([self._shown().to_markdown(), *map(markdown, self._label_sentences())])

    @text_export(".tex")
    def to_latex(self) -> str:
        """Return the readable table as LaTeX with booktabs rules, or write it to a path."""
        return commented(with_preamble(self._shown().to_latex()), self._label_sentences())

    def __repr__(self) -> str:
        """Return the table and the note on the method for a terminal."""
        return "\n\n".join(filter(None, [text_of([self._shown()]), "\n".join(self._notes())]))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter selects from the bundle
        bundle = bundle_of([self._shown()])
        notes = self._notes()
        if notes:
            bundle["text/plain"] = "\n\n".join([bundle["text/plain"], "\n".join(notes)])
            bundle["text/html"] = "\n".join([bundle["text/html"], *map(paragraph_html, notes)])
        return {**bundle, "text/latex": self.to_latex()}

    def _notes(self) -> list[str]:
        """Return the lines below the table: where the judgments come from, and notes."""
        made = filter(None, self._made().split("\n"))
        return [visible(line) for line in (*self._label_sentences(), *made)]


def text_of(tables: Sequence[Table]) -> str:
    """Return several tables for a terminal, one below the other."""
    return "\n\n".join(table.to_text(width=_CELL) for table in tables)


def bundle_of(tables: Sequence[Table]) -> dict[str, str]:
    """Return several tables as a Jupyter MIME bundle, one below the other."""
    return {
        "text/plain": "\n\n".join(table.to_text() for table in tables),
        "text/html": "\n".join(table.to_html() for table in tables),
        "text/latex": "\n\n".join(table.to_latex() for table in tables),
    }
