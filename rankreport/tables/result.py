"""`ResultTable`: a frame that people read, with its readable table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from rankreport.tables.display import Displayed
from rankreport.tables.table import Table, to_table
from rankreport.text import ELLIPSIS, say

_MOST_ROWS = 20
"""The most rows displayed."""

_LONGEST = 200
"""The most characters of a text displayed."""

Words = str | Callable[[], str]
"""A text of the data, or a function that returns one in the current language."""


def _worded(words: Words) -> str:
    return words if isinstance(words, str) else words()


@dataclass(frozen=True, eq=False, repr=False)
class ResultTable(Displayed):
    """A result to read, such as `Comparison.losses`: a frame that displays as a table.

    `frame` holds all rows and columns, unrounded. What is displayed are the first rows, with
    readable headings and without the columns that say the same in each row, which the caption
    names. ``head``, ``tail``, ``filter``, ``select``, ``sort`` and ``drop`` are those of the frame
    and return a `ResultTable`; ``result["delta"]`` is a column; ``for row in result`` gives each
    row as a dictionary; ``len(result)`` is the number of rows. For everything else use `frame`.

    Attributes
    ----------
    frame
        The result as a Polars frame.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> pair = {name: example.runs[name] for name in ("bm25", "bm25-names")}
    >>> evaluation = rr.evaluate(example.qrels, pair, ["nDCG@10"])
    >>> losses = rr.compare(evaluation, queries=example.queries).losses()
    >>> losses.head(3).select("query_id", "delta")
    bm25-names minus bm25, nDCG@10
    query    delta
    -----  -------
    q14    -0.2441
    q38    -0.2273
    q60    -0.2257

    >>> losses["text"][0]
    'strip accents from unicode characters'
    >>> losses.frame.columns[:4]
    ['baseline', 'system', 'query_id', 'text']
    """

    frame: pl.DataFrame
    _about: tuple[Words, ...] = ()
    """What the rows are of."""
    _headings: Mapping[str, str] = field(default_factory=dict)
    """What columns are called, in English: looked up in the current language."""
    _names: Mapping[str, Words] = field(default_factory=dict)
    """What columns are called if that is a name from the data."""
    _signed: tuple[str, ...] = ("delta",)
    _left_out: frozenset[str] = frozenset()
    """Columns that are not displayed unless selected."""
    _translated: Callable[[], Mapping[str, str]] = dict
    """Returns texts of the frame, which are in English, in the current language."""
    _n_all: int | None = None
    """Of how many rows these are the first; None if they are all."""

    @property
    def caption(self) -> str:
        """What the rows are, in words."""
        return ", ".join(map(_worded, self._about))

    def head(self, n: int = 5) -> ResultTable:
        """Return the first rows; of a negative number, all but the last."""
        return replace(self, frame=self.frame.head(n))

    def tail(self, n: int = 5) -> ResultTable:
        """Return the last rows; of a negative number, all but the first."""
        return replace(self, frame=self.frame.tail(n))

    def filter(self, *predicates: Any, **constraints: Any) -> ResultTable:
        """Return the rows that meet all conditions, as ``polars.DataFrame.filter`` does."""
        return replace(self, frame=self.frame.filter(*predicates, **constraints))

    def select(self, *columns: Any, **named: Any) -> ResultTable:
        """Return some columns, as ``polars.DataFrame.select`` does; all of them are displayed."""
        return replace(self, frame=self.frame.select(*columns, **named), _left_out=frozenset())

    def sort(self, by: Any, *more: Any, **options: Any) -> ResultTable:
        """Return the rows in another order, as ``polars.DataFrame.sort`` does."""
        return replace(self, frame=self.frame.sort(by, *more, **options))

    def drop(self, *columns: Any, strict: bool = True) -> ResultTable:
        """Return the result without some columns, as ``polars.DataFrame.drop`` does."""
        return replace(self, frame=self.frame.drop(*columns, strict=strict))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.frame)

    def __getitem__(self, key: Any) -> Any:
        """Return a column by its name, and whatever else a frame gives, such as rows of a slice."""
        found = super().__getitem__(key)
        return replace(self, frame=found) if isinstance(found, pl.DataFrame) else found

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the frame as an Arrow stream, which ``polars.DataFrame(result)`` reads."""
        return self.frame.__arrow_c_stream__(requested_schema)

    def to_polars(self) -> pl.DataFrame:
        """Return `frame`."""
        return self.frame

    def _shown(self) -> Table:
        caption = self.caption
        if self._n_all is not None:
            words = say("the first {n} of {whole} rows", n=len(self), whole=f"{self._n_all:,}")
            caption = "; ".join(filter(None, [caption, words]))
        shown = self.frame.drop(self._left_out, strict=False).with_columns(
            pl.selectors.by_name("caution", require_all=False).replace(self._translated())
        )
        return to_table(
            shown.with_columns(
                _shortened(name) for name in shown.columns if shown.schema[name] == pl.String
            ),
            headers=[self._heading(name) for name in shown.columns],
            signed=self._signed,
            caption=caption,
        )

    def _leading(self) -> Table:
        return self._shown()

    def _heading(self, column: str) -> str:
        if column in self._names:
            return _worded(self._names[column])
        return say(self._headings[column]) if column in self._headings else column

    def _first(self) -> ResultTable:
        """Return the rows to display, with a caption that says if there are more."""
        if len(self) <= _MOST_ROWS:
            return self
        return replace(self, frame=self.frame.head(_MOST_ROWS), _n_all=len(self))

    def __repr__(self) -> str:
        """Return the first rows for a terminal."""
        return Displayed.__repr__(self._first())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return Displayed._repr_mimebundle_(self._first(), include, exclude)


def _shortened(column: str) -> pl.Expr:
    text = pl.col(column)
    start = pl.concat_str(text.str.head(_LONGEST - 1), pl.lit(ELLIPSIS))
    return pl.when(text.str.len_chars() > _LONGEST).then(start).otherwise(text).alias(column)
