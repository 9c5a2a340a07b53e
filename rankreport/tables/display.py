"""Display and export of results: one content for the terminal, Jupyter, Markdown and LaTeX.

Every result is laid out in the same way: stops and looks; the verdict; the leading rows of its
table; what else there is. Every output has all of it; a page folds what does not come first.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import polars as pl

from rankreport.call_hints import hinting_methods
from rankreport.errors import choose, suggestion
from rankreport.io import text_export
from rankreport.tables.latex import commented, tex, with_preamble
from rankreport.tables.table import Table
from rankreport.text import (
    Caution,
    Severity,
    folded_html,
    labelled,
    markdown,
    paragraph,
    paragraph_html,
    say,
    unbroken,
    visible,
    with_whole_intervals,
)

_OF_REPORT = ("to_html", "to_notebook", "to_png", "to_json", "to_csv")
"""The methods of a report that a result has, too."""


def _call_report(result: Any, method: str, *args: Any, **options: Any) -> Any:
    """Make the report of a result, and call one of its methods."""
    report = import_module("rankreport").report(result)  # reports stand above results
    return getattr(report, method)(*args, **options)


def _instead_of(result: Any, name: str) -> str:
    """Return what to write instead of a method or column that a result does not have."""
    public = import_module("rankreport")
    if name.islower() and name in dir(public) and callable(getattr(public, name)):
        return f"It is a function: rr.{name}(...)."
    near = suggestion(name, [each for each in dir(result) if not each.startswith("_")])
    return near if near.startswith("Did") else "Its frame: .to_polars() or .to_pandas()."


_CELL = 48
"""The maximum width of a cell in a terminal."""

MOST_LEADING = 12
"""The most rows of a table that a page shows at once."""


@dataclass(frozen=True)
class Sentences:
    """Sentences that stand together.

    Attributes
    ----------
    texts
        The sentences.
    bold
        What precedes them, in bold; above a list, on a line of its own.
    badge
        A word in bold before that, which a terminal leaves out: the sentences say it.
    listed
        Whether they are the items of a list.

    Examples
    --------
    >>> found = Sentences(("new passes.", "other fails."), "The gate fails:", listed=True)
    >>> print(found.to_text())
    The gate fails:
      new passes.
      other fails.
    >>> print(found.to_markdown())
    **The gate fails:**
    <BLANKLINE>
    - new passes.
    - other fails.
    """

    texts: Sequence[str] = ()
    bold: str = ""
    badge: str = ""
    listed: bool = False

    def to_text(self, width: int | None = None) -> str:
        """Return the sentences for a terminal, one to a line; the width is that of cells."""
        del width
        bold, lines = visible(self.bold), map(visible, self.texts)
        if not self.listed:
            return paragraph(bold, "\n".join(lines))
        indent = "  " if bold else ""
        return "\n".join(filter(None, [bold, *(f"{indent}{line}" for line in lines)]))

    def to_html(self) -> str:
        """Return a paragraph for each sentence; a long one is folded under its beginning."""
        return "\n".join(_paragraph(bold, text) for bold, text in self.parts())

    def to_markdown(self) -> str:
        """Return a list, or a paragraph for each sentence."""
        item = "- " if self.listed else ""
        parts = [
            (bold and f"**{markdown(bold)}**", text and f"{item}{markdown(text)}")
            for bold, text in self.parts()
        ]
        lines = [" ".join(filter(None, part)) for part in parts]
        if not self.listed:
            return "\n\n".join(lines)
        first = len(lines) - len(self.texts)
        return "\n\n".join(filter(None, [*lines[:first], "\n".join(lines[first:])]))

    def to_latex(self) -> str:
        """Return a paragraph for each sentence."""
        parts = ((bold and rf"\textbf{{{tex(bold)}}}", tex(text)) for bold, text in self.parts())
        return "\n\n".join(" ".join(filter(None, part)) for part in parts)

    def parts(self) -> Iterator[tuple[str, str]]:
        """Yield each sentence after what precedes it in bold."""
        apart = self.listed or not self.texts
        bold = paragraph(self.badge, self.bold)
        if bold and apart:
            yield bold, ""
        for at, text in enumerate(self.texts):
            yield ("" if at or apart else bold), text


def _paragraph(bold: str, text: str) -> str:
    shown = paragraph_html(with_whole_intervals(unbroken(text)), unbroken(bold))
    if bold or len(text) <= _LONGEST:
        return shown
    first = re.match(_FIRST, unbroken(text))
    return folded_html(visible(first[0].strip() if first else unbroken(text), _BEGINNING), shown)


_LONGEST, _BEGINNING = 480, 120
"""The most characters of a paragraph that is not folded, and of what such a fold is called."""

_FIRST = rf".{{1,{_BEGINNING - 1}}}?(?:\.\s|。)"
"""The first sentence, if it is short enough to be what the fold is called."""


@dataclass(frozen=True)
class Fold:
    """What a page shows under a title that opens it, and other outputs without the title."""

    title: str
    blocks: Sequence[Sentences | Table]

    def to_html(self) -> str:
        """Return the content in a fold."""
        return folded_html(self.title, *(block.to_html() for block in self.blocks))


Block: TypeAlias = Sentences | Table | Fold
"""A part of what a result shows."""


def opened(blocks: Iterable[Block]) -> Iterator[Sentences | Table]:
    """Yield all blocks, also those in folds."""
    for each in blocks:
        if isinstance(each, Fold):
            yield from each.blocks
        else:
            yield each


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(filter(None, texts))


@hinting_methods
class Readable(ABC):
    """A result that says the same in a terminal, in Jupyter and as Markdown."""

    def __init_subclass__(cls) -> None:
        """Refuse arguments that a method does not have, and name the nearest."""
        super().__init_subclass__()
        hinting_methods(cls)

    @abstractmethod
    def _content(self) -> Iterable[Block]:
        """Return what every output shows, in order."""

    @text_export(".md", ".markdown")
    def to_markdown(self) -> str:
        """Return all that a terminal shows as Markdown, or write it to a path."""
        return _joined(block.to_markdown() for block in opened(self._content()))

    def __repr__(self) -> str:
        """Return the result for a terminal."""
        return text_of(self._content())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter selects from the bundle
        return bundle_of(self._content())

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_()["text/html"]


class Displayed(Readable):
    """A result with a frame for computing and a table for reading."""

    _is_reported: ClassVar[bool] = False
    """Whether `rankreport.report` takes it."""

    @abstractmethod
    def to_polars(self) -> pl.DataFrame:
        """Return the result as a frame."""

    @abstractmethod
    def _shown(self) -> Table:
        """Return the result as a readable table."""

    def _answer(self) -> Iterable[Block]:
        """Return what the result says; nothing by default."""
        return []

    def _leading(self) -> Table:
        """Return the table, with the number of rows that a page shows at once."""
        return replace(self._shown(), leading=MOST_LEADING)

    def _notes(self) -> Sequence[str]:
        """Return the sentences below the table; where the judgments come from by default."""
        return self._label_sentences()

    def _beside(self) -> Iterable[Table]:
        """Return further tables; none by default."""
        return []

    def _folded(self) -> Iterable[Sentences | Table]:
        """Return what stands in the last fold besides notes, such as the method."""
        return []

    def _above(self) -> list[Block]:
        return [*first_cautions(_cautions_of(self)), *self._answer()]

    def _below(self) -> list[Block]:
        notes = notes_of(_cautions_of(self))
        last = Fold(say("Notes and method"), [*self._folded(), notes])
        return [*self._beside(), Sentences(self._notes()), last]

    def _label_sentences(self) -> tuple[str, ...]:
        """Return where the judgments come from, in sentences; none by default."""
        return ()

    def _content(self) -> Iterable[Block]:
        return [*self._above(), self._leading(), *self._below()]

    def __getitem__(self, key: Any) -> Any:
        """Return a column of the frame by its name, and whatever else a frame gives."""
        frame = self.to_polars()
        return frame[choose("column", key, frame.columns) if isinstance(key, str) else key]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each row of the frame as a dictionary."""
        return self.to_polars().iter_rows(named=True)

    if not TYPE_CHECKING:  # a type checker shall know the names of the class alone

        def __getattr__(self, name: str) -> Any:
            """Return a method of the result's report, or say where those of the frame are."""
            if hasattr(type(self), name):  # a property that failed, by an error of its own
                return object.__getattribute__(self, name)
            if self._is_reported and name in _OF_REPORT:
                return partial(_call_report, self, name)
            hint = "" if name.startswith("_") else f" {_instead_of(self, name)}"
            message = f"{type(self).__name__} has no {name!r}.{hint}"
            raise AttributeError(message, name=name, obj=self)

    def to_pandas(self) -> Any:
        """Return the result as a pandas DataFrame; needs pandas and pyarrow."""
        return self.to_polars().to_pandas()

    @text_export(".tex")
    def to_latex(self) -> str:
        """Return the table as LaTeX with booktabs rules, or write it to a path.

        All else that a terminal shows precedes it as comments.
        """
        around = opened([*self._above(), *self._below()])
        sentences = (each for each in around if isinstance(each, Sentences))
        notes = (paragraph(*part) for each in sentences for part in each.parts())
        return commented(self._latex_table(), notes)

    def _latex_table(self) -> str:
        return with_preamble(self._shown().to_latex())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude
        above, below = self._above(), self._below()
        latex = [_latex_of(above), self._latex_table(), _latex_of(below)]
        bundle = _read_in_jupyter([*above, self._leading(), *below])
        return {**bundle, "text/latex": _joined(latex)}


def _cautions_of(result: Any) -> Iterable[Caution]:
    """Return the cautions of a result that has such; an error in finding them is raised."""
    return result.cautions if hasattr(type(result), "cautions") else ()


def first_cautions(cautions: Iterable[Caution]) -> list[Sentences]:
    """Return what precedes every result: what to check first, in bold, and what to look at."""
    known = list(cautions)
    stops = [Sentences(bold=labelled(each)) for each in known if each.severity == "stop"]
    return [*stops, _listed(known, "look")]


def notes_of(cautions: Iterable[Caution]) -> Sentences:
    """Return the cautions of severity note."""
    return _listed(cautions, "note")


def _listed(cautions: Iterable[Caution], severity: Severity) -> Sentences:
    found = [labelled(each) for each in cautions if each.severity == severity]
    return Sentences(found, listed=True)


def text_of(content: Iterable[Block], width: int | None = _CELL) -> str:
    """Return sentences and tables for a terminal, in cells of a width."""
    return _joined(block.to_text(width) for block in opened(content))


def readable_table(self: Displayed) -> Table:
    """Return a result as a readable table."""
    return self._shown()


def without_cautions(self: Displayed) -> str:
    """Return the tables of a result and where its judgments come from, for a terminal."""
    return text_of([self._shown(), *self._beside(), Sentences(self._label_sentences())])


def bundle_of(content: Iterable[Block]) -> dict[str, str]:
    """Return sentences and tables as a Jupyter MIME bundle."""
    blocks = list(content)
    return {**_read_in_jupyter(blocks), "text/latex": _latex_of(blocks)}


def _read_in_jupyter(blocks: Sequence[Block]) -> dict[str, str]:
    return {
        "text/plain": text_of(blocks, None),
        "text/html": "\n".join(filter(None, (block.to_html() for block in blocks))),
    }


def _latex_of(blocks: Iterable[Block]) -> str:
    return _joined(block.to_latex() for block in opened(blocks))
