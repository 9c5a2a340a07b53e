"""Readable tables as terminal text, HTML, Markdown and LaTeX.

Cells are formatted text. Every output format escapes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from itertools import groupby
from operator import itemgetter
from typing import Any

import polars as pl

from rankreport.call_hints import hinting, hinting_methods
from rankreport.errors import expect
from rankreport.frames import RELEVANCE
from rankreport.io import text_export
from rankreport.tables.latex import tabular, tex
from rankreport.text import (
    ELLIPSIS,
    both_ends,
    counted,
    folded_html,
    markdown,
    number,
    p_value,
    paragraph,
    prose,
    say,
    terminal_width,
    text_width,
    typeset,
    visible,
    with_whole_intervals,
)

_P_VALUES = ("p_value", "p_adjusted")
"""Columns of p-values, which are never shown as 0."""


_SHORT, _NAME, _UUID = 9, 16, 24
"""In ems: the widths of words and of a broken name at least, and of a name that is not broken."""


@hinting_methods
@dataclass(frozen=True, repr=False)
class Table:
    """A readable table.

    Attributes
    ----------
    headers
        One per column.
    rows
        Formatted cells, one tuple per row.
    numeric
        Indices of right-aligned columns.
    caption
        May be empty.
    folded
        Label under which a page collapses the table; empty to show it expanded.
    anchor
        Id of the table on a page; may be empty.
    help
        What each column holds, with its unit, empty where its header says it. May be empty.
    keys
        The queries of the rows, to which links on a page lead; empty for a row without. May be
        empty.
    choices
        Indices of columns of a few texts, or of differences, by which readers choose rows.
    leading
        The number of rows that HTML shows at once, the others in a fold; 0 for all.
    others
        What those are of; may be empty.
    bold
        Indices of the columns that a page sets in bold, one set per row. May be empty.
    is_grouped
        Whether HTML has a table for each text of the first column, below it, and shows the last
        column, of notes, below the rows.

    Examples
    --------
    >>> print(Table(("system", "nDCG@10"), (("bm25", "0.43"),), frozenset({1})))
    system  nDCG@10
    ------  -------
    bm25       0.43
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    caption: str = ""
    folded: str = ""
    anchor: str = ""
    help: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    choices: frozenset[int] = frozenset()
    leading: int = 0
    others: str = ""
    bold: tuple[frozenset[int], ...] = ()
    is_grouped: bool = False

    def __post_init__(self) -> None:
        """Check that rows have as many cells as there are headers."""
        columns = range(len(self.headers))
        if any(len(row) != len(columns) for row in self.rows):
            raise ValueError(f"a row is longer or shorter than its {len(columns)} headers")
        if any(len(own) not in (0, len(self.rows)) for own in (self.bold, self.keys)):
            raise ValueError("bold or keys do not match the rows")
        if len(self.help) not in (0, len(columns)) or not self.numeric | self.choices <= {*columns}:
            raise ValueError("numeric, help or choices do not match the columns")

    def without_empty_columns(self) -> Table:
        """Return the table without columns that are empty in every row.

        >>> print(Table(("name", "caution"), (("a", ""), ("b", ""))).without_empty_columns())
        name
        ----
        a
        b
        """
        kept = [i for i, column in enumerate(zip(*self.rows, strict=True)) if any(column)]
        if not self.rows or len(kept) == len(self.headers):
            return self
        return replace(
            self,
            headers=tuple(self.headers[i] for i in kept),
            rows=tuple(tuple(row[i] for i in kept) for row in self.rows),
            numeric=frozenset(place for place, i in enumerate(kept) if i in self.numeric),
            help=tuple(self.help[i] for i in kept) if self.help else (),
            choices=frozenset(place for place, i in enumerate(kept) if i in self.choices),
            bold=tuple(frozenset(p for p, i in enumerate(kept) if i in own) for own in self.bold),
        )

    def shortened(self, most: int) -> Table:
        """Return the table without its middle rows if it has more than `most`.

        >>> print(Table(("n",), tuple((str(n),) for n in range(9))).shortened(4))
        n
        -
        0
        1
        …
        7
        8
        """
        if len(self.rows) <= most:
            return self
        head, tail = slice(most - most // 2), slice(len(self.rows) - most // 2, None)
        left_out = (ELLIPSIS,) * len(self.headers)
        rows = (*self.rows[head], left_out, *self.rows[tail])
        return replace(self, rows=rows, keys=(), bold=())

    def to_text(self, width: int | None = None) -> str:
        """Return the table for a terminal: columns two spaces apart, numbers flush right.

        Parameters
        ----------
        width
            The maximum width of a cell: names are truncated in the middle, sentences at the end.
            None for no limit.
        """
        cells = [[_within(c, width) for c in row] for row in (self.headers, *self.rows)]
        widths = [max(map(terminal_width, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(
                _padded(cell, widths[i], right=i in self.numeric) for i, cell in enumerate(row)
            ).rstrip()
            for row in cells
        ]
        rule = "  ".join("-" * width for width in widths)
        caption = [visible(self.caption)] if self.caption else []
        return "\n".join([*caption, lines[0], rule, *lines[1:]])

    def __repr__(self) -> str:
        """Return the table for a terminal."""
        return self.to_text()

    @text_export(".html", ".htm")
    def to_html(self) -> str:
        """Return the table as HTML that needs no style sheet.

        Numbers have real minus signs and thousands separators. Like `to_markdown` and `to_latex`,
        it writes a file if given a path.

        >>> html = Table(("n",), tuple((f"{n}",) for n in range(9)), leading=4).to_html()
        >>> html.count("<tr><td"), html.count("5 more rows")
        (9, 1)
        """
        first, rest = self.rows[: self.leading or None], self.rows[self.leading or len(self.rows) :]
        shown = self._elements_of(first, self.caption)
        if not rest:
            return shown
        title = counted(len(rest), "more row", "more rows")
        title = say("{what}: {rows}", what=self.others, rows=title) if self.others else title
        return f"{shown}\n{folded_html(title, self._elements_of(rest))}"

    def _elements_of(self, rows: Sequence[Sequence[str]], title: str = "") -> str:
        """Return some of the rows as an element, or as one for each text of the first column."""
        if not self.is_grouped:
            return self._element_of(rows, title)
        parts = groupby(rows, itemgetter(0))
        return "\n".join(
            self._element_of([*of], paragraph(f"{name}.", title) if title else name)
            for name, of in parts
        )

    def _element_of(self, rows: Sequence[Sequence[str]], title: str = "") -> str:
        """Return some of the rows as an element, under a title."""
        columns = range(self.is_grouped, len(self.headers) - self.is_grouped)
        # Of a table that is wider than the page, its middle would be out of sight.
        caption = _element("caption", ' style="text-align: left"', title) if title else ""
        head = "".join(
            _element("th", f' scope="col"{self._head(i)}{self._title(i)}', self.headers[i])
            for i in columns
        )
        body = "\n".join(
            "<tr>"
            + "".join(
                _element("td", self._align(i, self._lines(i, row[i])), self._html_of(i, row[i]))
                for i in columns
            )
            + "</tr>"
            + (self._note(row[-1], len(columns)) if self.is_grouped else "")
            for row in rows
        )
        return (
            f"<table>{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
        )

    @text_export(".md", ".markdown")
    def to_markdown(self) -> str:
        """Return the table in GitHub-flavoured Markdown, below its caption."""
        rule = [" ---: " if i in self.numeric else " --- " for i in range(len(self.headers))]
        caption = [markdown(self.caption), ""] if self.caption else []
        lines = [
            *caption,
            _markdown_row(self.headers),
            f"|{'|'.join(rule)}|",
            *map(_markdown_row, self.rows),
        ]
        return "\n".join(lines)

    @text_export(".tex")
    def to_latex(self) -> str:
        r"""Return the table as a LaTeX ``tabular`` with booktabs rules."""
        columns = "".join("r" if i in self.numeric else "l" for i in range(len(self.headers)))
        return tabular(columns, map(tex, self.headers), (map(tex, row) for row in self.rows))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        del include, exclude  # Jupyter selects from the bundle
        return {
            "text/plain": self.to_text(),
            "text/html": self.to_html(),
            "text/latex": self.to_latex(),
        }

    def _align(self, column: int, more: str) -> str:
        # Jupyter's own style would align everything right.
        side = "right" if column in self.numeric else "left"
        return f' align="{side}" style="text-align: {side}{more}"'

    def _note(self, note: str, n_columns: int) -> str:
        """Return a row of a note alone, if there is one."""
        spanning = f' colspan="{n_columns}" style="text-align: left"'
        return f"<tr>{_element('td', spanning, prose(note))}</tr>" if note else ""

    def _head(self, column: int) -> str:
        """Return the style of a header, which is not broken at a hyphen."""
        header = self.headers[column]
        return self._align(column, _whole(header, _SHORT) if "-" in header else "")

    def _lines(self, column: int, cell: str) -> str:
        """Return the style that keeps a text from being broken into a word or less to a line."""
        if column in self.numeric:  # a range, as of ranks, may break after its dash
            return "; white-space: nowrap" if "\N{EN DASH}" in cell[1:] else ""
        if " " in cell:
            return _whole(cell, _SHORT) or f"; min-width: {_SHORT}em"
        return _whole(cell, _UUID) or f"; min-width: {_NAME}em; word-break: break-all"

    def _html_of(self, column: int, cell: str) -> str:
        """Return a cell as HTML shows it, in which no number or interval is broken."""
        if column in self.numeric:
            return typeset(cell).replace(" ", "\N{NO-BREAK SPACE}")
        return with_whole_intervals(prose(cell))

    def _title(self, column: int) -> str:
        words = self.help[column] if self.help else ""
        return f' title="{escape(visible(words))}"' if words else ""


@hinting()
def to_table(
    frame: Any,
    *,
    digits: int = 4,
    signed: Iterable[str] = ("delta",),
    headers: Sequence[str] | None = None,
    caption: str = "",
    folded: str = "",
) -> Table:
    """Return a frame as a readable table: floats with fixed decimals, nulls as a dash.

    The columns ``p_value`` and ``p_adjusted`` are never shown as 0, and columns of grades,
    ``relevance``, have no decimals if all grades are whole.

    Parameters
    ----------
    frame
        A Polars frame with columns of text, numbers or booleans, or a result of this package.
    digits
        Number of decimals of floats.
    signed
        Columns in which positive numbers have a sign.
    headers
        Column headers; the names of the columns by default.
    caption
        Caption of the table.
    folded
        Label under which a page collapses the table; empty to show it expanded.

    Returns
    -------
    Table
        Displays in Jupyter and in a terminal, and has ``to_html``, ``to_markdown`` and
        ``to_latex``.

    Examples
    --------
    >>> import polars as pl
    >>> print(to_table(pl.DataFrame({"query": ["q1", "q2"], "delta": [0.25, -0.5]})))
    query    delta
    -----  -------
    q1     +0.2500
    q2     -0.5000
    """
    if hasattr(frame, "to_polars"):  # a result of this package
        frame = frame.to_polars()
    words = "to_table() takes a Polars frame, and polars.DataFrame(...) makes one of any other"
    expect(frame, (pl.DataFrame,), words)
    with_sign = set(signed)
    numeric = frozenset(i for i, dtype in enumerate(frame.dtypes) if dtype.is_numeric())
    columns = [
        list(map(_writer(column, digits, signed=column.name in with_sign), column))
        for column in frame.iter_columns()
    ]
    rows = tuple(zip(*columns, strict=True)) if columns else ()
    return Table(tuple(headers or frame.columns), rows, numeric, caption, folded)


def _writer(column: pl.Series, digits: int, *, signed: bool) -> Callable[[Any], str]:
    """Return the formatter of a column, by its name and dtype."""
    if column.name in _P_VALUES and column.dtype.is_float():
        return p_value
    if column.name.startswith(RELEVANCE) and column.dtype.is_float():
        return partial(number, digits=0 if _is_whole(column) else digits)
    return partial(_cell, digits=digits, signed=signed)


def _is_whole(column: pl.Series) -> bool:
    return bool((column == column.floor()).all())


def _cell(value: object, digits: int, *, signed: bool) -> str:
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, float) or value is None:
        return number(value, digits, signed=signed)
    if isinstance(value, int) and signed:
        return f"{value:+d}"
    return str(value)


def _within(cell: str, width: int | None) -> str:
    """Truncate a cell to a width: names in the middle, sentences at the end."""
    if width is None or " " in cell:
        return visible(cell, width)
    return both_ends(cell, width)


def _whole(text: str, widest: float) -> str:
    return "; white-space: nowrap" if text_width(text) <= widest else ""


def _padded(text: str, width: int, *, right: bool) -> str:
    gap = " " * (width - terminal_width(text))
    return gap + text if right else text + gap


def _element(name: str, attributes: str, text: str) -> str:
    # Jupyter renders mathematics between dollars and backslashes, also in HTML.
    ignored = ' class="mathjax_ignore"' if "$" in text or "\\" in text else ""
    return f"<{name}{attributes}{ignored}>{escape(visible(text))}</{name}>"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(markdown, cells)) + " |"
