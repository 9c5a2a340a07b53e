"""Text without a header: a table whose columns are named by the caller, or by what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import polars as pl

from rankreport.column_names import ALIASES, find_columns, folded
from rankreport.errors import DataError, OptionError, suggestion
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SCORE, TEXT
from rankreport.io.arrays import is_number
from rankreport.io.formats.delimited import GAP, SPACE, Delimited
from rankreport.io.lines import quote
from rankreport.io.objects import value_meaning
from rankreport.io.roles import RUN, SUBTOPIC_QRELS, Role, swapped
from rankreport.io.source import Contents, collecting
from rankreport.io.tables import View

_SKIPPED = ("_", "-")
"""Names of columns that are not read."""

_TRIPLE = 3
_FEW = 4
"""Grades up to this are no ranks."""


def _named(contents: Contents, first: str, names: Sequence[str]) -> View:
    """Return a table of these columns, of which the first line tells how they are separated."""
    own = tuple(f"{n} {place}" if n in _SKIPPED else n for place, n in enumerate(names))
    table = Delimited(contents, _separator_of(first), names=own)
    return View(table, {name: name for name in own if name in names})


def headerless(
    contents: Contents, first: str, role: Role, columns: Iterable[str] | None
) -> View | None:
    """Return a table without a header; None if the text has another form.

    Parameters
    ----------
    contents
        The text.
    first
        Its first line.
    role
        What the source is used as.
    columns
        The names of its columns; if None, three fields are a query, a document and a number.

    Raises
    ------
    DataError
        If the number may be a rank or a score, or the first line is a header.
    """
    fields = _fields_of(first)
    if columns is not None:
        names = checked_columns(columns)
        if not find_columns(fields, role.columns)[1]:
            raise DataError(f"{contents.name} has a header: {', '.join(fields)}. Give no columns.")
        return _named(contents, first, names)
    if re.match(r"[A-Za-z]\w* {2,}\t", first):
        raise DataError(
            f"{contents.name} is the output of trec_eval, which has scores. Give what it was made "
            f"of: rr.evaluate(qrels, run)."
        )
    if len(fields) != _TRIPLE or "," in first or not is_number(fields[-1]):
        return None
    if role is SUBTOPIC_QRELS or any(folded(f) in ALIASES[QUERY_ID] for f in fields):
        return None
    table = _named(contents, first, (QUERY_ID, DOC_ID, role.value))
    number = pl.col(role.value).cast(pl.Float64, strict=False)
    with collecting(contents.name):
        rows = table.scan([QUERY_ID, role.value]).with_columns(number).collect()
    if rows[role.value].null_count():
        return table  # validation names the line
    meaning = value_meaning(rows, QUERY_ID, role.value)
    if role is not RUN:
        top = rows[role.value].cast(pl.Float64).max()
        if meaning == "rank" and isinstance(top, float) and top > _FEW:
            what = "looks like a run: its third fields are 1, 2, 3, ... in every query"
            raise swapped(contents.name, what, role)
        return table
    if meaning is None:
        raise DataError(
            f"{contents.name} has three fields and no header, and their order does not tell "
            f"whether the third is a score or a rank: {quote(first)}. Name them: --columns "
            f"qid,doc,score or qid,doc,rank (columns=['qid', 'doc', 'score'])."
        )
    value = RANK if meaning == "rank" else SCORE
    return _named(contents, first, (QUERY_ID, DOC_ID, value))


def headerless_queries(
    contents: Contents, first: str, columns: Iterable[str] | None
) -> View | None:
    """Return a table of queries without a header; None if it is not sure what its fields are.

    Two fields, separated by a tab, are an id and a text, unless only the first has spaces.

    Raises
    ------
    OptionError
        If a name of a column is repeated or unknown.
    """
    if columns is not None:
        return _named(contents, first, checked_columns(columns, queries=True))
    fields = first.split("\t")
    if len(fields) != 2 or any(folded(f) in ALIASES[QUERY_ID] for f in fields):
        return None
    return None if " " in fields[0].strip() else _named(contents, first, (QUERY_ID, TEXT))


def checked_columns(columns: Iterable[str], *, queries: bool = False) -> tuple[str, ...]:
    """Return the names of columns, after checking them.

    Raises
    ------
    OptionError
        If a name is repeated or, except for queries, unknown.
    """
    if isinstance(columns, str):
        columns = columns.split(",")
    names = tuple(str(name).strip() for name in columns)
    kept = [name for name in names if name not in _SKIPPED]
    twice = next((name for name in kept if kept.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"columns names {twice!r} twice.")
    wanted = (QUERY_ID, DOC_ID, SCORE, RANK, RELEVANCE)
    known = [alias for column in wanted for alias in ALIASES[column]]
    for name in kept:
        if not queries and folded(name) not in known:
            raise OptionError(
                f"columns: {name!r} is no name of a column. {suggestion(name, known)} A column "
                f"that is not to be read is '_'."
            )
    if not kept:
        raise OptionError("columns is empty: name each column, such as qid,doc,score.")
    return names


def _separator_of(line: str) -> str:
    """Return what separates the fields of a line: a tab, a comma, or a space for white space."""
    return next((each for each in "\t," if each in line), " ")


def _fields_of(line: str) -> list[str]:
    """Return the fields of a line.

    >>> _fields_of("q1 d1  0.5"), _fields_of("q1,d1")
    (['q1', 'd1', '0.5'], ['q1', 'd1'])
    """
    separator = _separator_of(line)
    if separator != " ":
        return line.strip("\r\n").split(separator)
    # str.split would also split at Unicode spaces inside an identifier.
    return re.split(GAP, line.strip(SPACE))
