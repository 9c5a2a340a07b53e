"""TREC text: one row per line, fields separated by white space, no header."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import polars as pl

from rankreport.addresses import without_passwords
from rankreport.errors import DataError
from rankreport.frames import QUERY_ID, RANK, RELEVANCE, SCORE
from rankreport.io.schema import Layout
from rankreport.io.source import FOREIGN, POSITION, Contents, Source

LINE = "line"
N_FIELDS = "n_fields"
"""Columns of `Source.numbered` for text only."""

_DTYPES: Mapping[str, type[pl.DataType]] = {
    RANK: pl.Int64,
    RELEVANCE: pl.Float64,
    SCORE: pl.Float64,
}
"""Types of the fields that are not text."""


def _dtype(field: str) -> pl.DataType:
    """Return the type of a field; a labelled list may have ``score 1``, ``score 2`` and so on."""
    return _DTYPES.get(field.partition(" ")[0], pl.String)()


# White space as in C's isspace, which trec_eval splits on; `\s` in a regular expression would also
# match Unicode spaces inside an identifier.
_GAP = r"[ \t\f\v]+"
_FIELD = r"([^ \t\f\v]+)"


# A JSON escape of a high surrogate without a low one.
_HALF = (
    r"(?i:(?:^|[^\\])(?:\\\\)*(\\ud[89ab][0-9a-f]{2})"
    r"(?:[^\\]|\\[^u]|\\u[^d]|\\ud[^c-f]|$))"
)


def check_characters(contents: Contents) -> None:
    r"""Raise an error if JSON lines have a lone surrogate, such as ``\ud800``.

    Polars would read it as U+0000, so that different identifiers become equal.

    Raises
    ------
    DataError
        With the first such line.
    """
    halves = numbered_lines(contents).filter(pl.col(LINE).str.contains(_HALF)).head(1)
    try:
        found = halves.select(POSITION, pl.col(LINE).str.extract(_HALF)).collect()
    except FOREIGN:
        return  # reading it as a table gives a better error
    if not found.is_empty():
        line, half = found.row(0)
        raise DataError(
            f"{contents.name}, line {line} holds {half}, which is half a character: no valid "
            f"Unicode. Was a text cut in the middle of it? Write it again from the whole text."
        )


def text_source(contents: Contents, layout: Layout, *, compressed: bool) -> Source:
    """Return a source over TREC text.

    If fields are separated by single spaces, or by single tabs, Polars' CSV reader parses them.
    Other white space, form feeds and vertical tabs among it, needs a scan with regular expressions,
    which takes three times as long.
    """
    separators = [
        (separator, others)
        for separator, others in ((" ", "\t\f\v"), ("\t", " \f\v"))
        # The other white space separates fields too: then this scan would be wrong.
        if compressed or not contents.holds(*(other.encode() for other in others))
    ]
    # Where all numbers are some, parsing takes a fifth less time.
    separated = (
        partial(_scan_separated, contents, layout, *each, guarded=compressed, lenient=lenient)
        for lenient in (False, True)
        for each in separators
    )
    return Source(
        name=contents.name,
        layout=layout,
        unit="line",
        scans=(*separated, partial(_scan_any_gap, contents, layout)),
        numbered=partial(_number, contents, layout),
        columns=layout.fields,
        contents=contents,
        others=tuple(field for field in layout.fields if field not in {*layout.columns, RANK}),
    )


def _scan_separated(
    contents: Contents,
    layout: Layout,
    separator: str,
    others: str,
    *,
    guarded: bool,
    lenient: bool,
) -> pl.LazyFrame:
    schema = {field: _dtype(field) for field in layout.fields}
    rows = pl.scan_csv(
        contents.open(),
        glob=False,
        has_header=False,
        separator=separator,
        quote_char=None,
        schema=schema,
        ignore_errors=lenient,
    )
    # Polars rejects a line with too many fields only if all fields are selected.
    complete = pl.all_horizontal(pl.col(field).is_not_null() for field in layout.fields)
    if guarded:
        texts = [field for field in layout.fields if _dtype(field) == pl.String]
        complete &= ~pl.any_horizontal(pl.col(texts).str.contains(f"[{others}]"))
    return rows.with_columns(pl.when(complete).then(layout.value))


def _scan_any_gap(contents: Contents, layout: Layout) -> pl.LazyFrame:
    fields = _fields(layout)
    return (
        numbered_lines(contents)
        .select(fields.struct.unnest())
        .with_columns(
            # A line without the right fields is kept, so that validation finds it.
            pl.col(QUERY_ID).fill_null(""),
            *(
                pl.col(field).cast(_dtype(field), strict=False)
                for field in layout.fields
                if _dtype(field) != pl.String
            ),
        )
    )


def _number(contents: Contents, layout: Layout) -> pl.LazyFrame:
    return numbered_lines(contents).select(
        POSITION,
        LINE,
        pl.col(LINE).str.count_matches(r"[^ \t\f\v]+").alias(N_FIELDS),
        _fields(layout).struct.unnest(),
    )


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


_SHOWN = 80
"""The longest text of a line in a message."""


def quote(text: str) -> str:
    """Return a line, or the begin of a long one, for a message.

    >>> quote("a" * 81) == repr("a" * 80 + "...")
    True
    """
    text = without_passwords(text)  # of which a cut might leave a part
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _fields(layout: Layout) -> pl.Expr:
    pattern = r"^[ \t\f\v]*" + _GAP.join(_FIELD for _ in layout.fields) + r"[ \t\f\v]*$"
    return pl.col(LINE).str.extract_groups(pattern).struct.rename_fields(list(layout.fields))
