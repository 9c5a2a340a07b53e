"""Lines of text, numbered as in an editor, plain or compressed."""

from __future__ import annotations

import polars as pl

from rankreport.io.source import POSITION, Contents
from rankreport.shown_addresses import without_passwords

LINE = "line"
N_FIELDS = "n_fields"
"""Columns of `Source.numbered` for text only."""


def numbered_lines(contents: Contents, *, blank: bool = False) -> pl.LazyFrame:
    """Scan lines, numbered as in an editor.

    Parameters
    ----------
    contents
        The text, compressed or not.
    blank
        Whether blank lines are returned too, of which those without any character are null.
    """
    lines = pl.scan_csv(
        contents.open(),
        glob=False,
        has_header=False,
        separator="\x01",
        quote_char=None,
        schema={LINE: pl.String},
        row_index_name=POSITION,
        row_index_offset=1,
    )
    return lines if blank else lines.filter(pl.col(LINE).str.contains(r"[^ \t\f\v]"))


def text_of(contents: Contents, n: int | None = None) -> bytes:
    """Return the whole text, decompressed, or its first lines."""
    lines = numbered_lines(contents, blank=True)
    found = (lines if n is None else lines.head(n)).collect()[LINE]
    return "\n".join(found.fill_null("")).encode()


_SHOWN = 80
"""The longest text of a line in a message."""


def quote(text: str) -> str:
    """Return a line, or the begin of a long one, for a message.

    >>> quote("a" * 81) == repr("a" * 80 + "...")
    True
    """
    text = without_passwords(text)  # of which a cut might leave a part
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
