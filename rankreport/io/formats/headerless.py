"""Text without a header: a table whose columns are named by the caller, or by what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from rankreport.errors import DataError, OptionError, suggestion
from rankreport.frames import (
    ALIASES,
    DOC_ID,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    TEXT,
    find_columns,
    folded,
)
from rankreport.io.arrays import is_number
from rankreport.io.lines import LINE, numbered_lines, quote
from rankreport.io.objects import value_meaning
from rankreport.io.roles import RUN, SUBTOPIC_QRELS, Role, swapped
from rankreport.io.source import FOREIGN, POSITION, Contents, unreadable
from rankreport.io.tables import SourceTable

_SKIPPED = ("_", "-")
"""Names of columns that are not read."""

_TRIPLE = 3
_SPACE = " \t\f\v\r\n"
_GAP = r"[ \t\f\v]+"
_FEW = 4
"""Grades up to this are no ranks."""


@dataclass(frozen=True)
class Headerless(SourceTable):
    """A table in text without a header.

    Attributes
    ----------
    contents
        Its bytes.
    names
        The names of its columns, in order.
    """

    contents: Contents
    names: tuple[str, ...]

    unit = "line"

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """The columns with their types: all are text, since 007 is an identifier."""
        return dict.fromkeys((n for n in self.names if n not in _SKIPPED), pl.String())

    def scan(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns."""
        return self._records.lazy().select(columns)

    def numbered(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns, and the number of each line."""
        return self._records.lazy().select(POSITION, *columns)

    @cached_property
    def _records(self) -> pl.DataFrame:
        lines = numbered_lines(self.contents)
        n = len(self.names)
        places = [f"{place} {name}" for place, name in enumerate(self.names)]
        try:
            first = lines.head(1).collect()
            separator = separator_of(first[LINE][0]) if len(first) else "\t"
            if separator is None:
                lines = lines.with_columns(
                    pl.col(LINE).str.strip_chars(" \t\f\v").str.replace_all(_GAP, "\t")
                )
            fields = pl.col(LINE).str.strip_chars_end("\r").str.splitn(separator or "\t", n + 1)
            rows = lines.select(
                POSITION, fields.struct.rename_fields([*places, "more"]).struct.unnest()
            ).collect()
        except FOREIGN as error:
            raise unreadable(self.contents.name, error) from None
        wrong = rows.filter(pl.col(places[-1]).is_null() | pl.col("more").is_not_null())
        if not wrong.is_empty():
            self._refuse(wrong[POSITION][0])
        own = {p: name for p, name in zip(places, self.names, strict=True) if name not in _SKIPPED}
        made = rows.select(POSITION, *own).rename(own)
        # An empty field is no value.
        return made.with_columns(
            pl.when(pl.col(name) != "").then(name).alias(name) for name in own.values()
        )

    def _refuse(self, position: int) -> None:
        line = numbered_lines(self.contents).filter(pl.col(POSITION) == position).collect()[LINE][0]
        n_fields = len(fields_of(line))
        raise DataError(
            f"{self.contents.name}, line {position} has {n_fields} fields: {quote(line)}. Expected "
            f"{len(self.names)} ({' '.join(self.names)}), as there is no header."
        )


def headerless(
    contents: Contents, first: str, role: Role, columns: Iterable[str] | None
) -> Headerless | None:
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
    fields = fields_of(first)
    if columns is not None:
        names = checked_columns(columns)
        if not find_columns(fields, role.columns)[1]:
            raise DataError(f"{contents.name} has a header: {', '.join(fields)}. Give no columns.")
        return Headerless(contents, names)
    if re.match(r"[A-Za-z]\w* {2,}\t", first):
        raise DataError(
            f"{contents.name} is the output of trec_eval, which has scores. Give what it was made "
            f"of: rr.evaluate(qrels, run)."
        )
    if len(fields) != _TRIPLE or "," in first or not is_number(fields[-1]):
        return None
    if role is SUBTOPIC_QRELS or any(folded(f) in ALIASES[QUERY_ID] for f in fields):
        return None
    table = Headerless(contents, (QUERY_ID, DOC_ID, role.value))
    values = table.scan([QUERY_ID, role.value]).with_columns(
        pl.col(role.value).cast(pl.Float64, strict=False)
    )
    rows = values.collect()
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
    return Headerless(contents, (QUERY_ID, DOC_ID, RANK if meaning == "rank" else SCORE))


def headerless_queries(
    contents: Contents, first: str, columns: Iterable[str] | None
) -> Headerless | None:
    """Return a table of queries without a header; None if it is not sure what its fields are.

    Two fields, separated by a tab, are an id and a text, unless only the first has spaces.

    Raises
    ------
    OptionError
        If a name of a column is repeated or unknown.
    """
    if columns is not None:
        return Headerless(contents, checked_columns(columns, queries=True))
    fields = first.split("\t")
    if len(fields) != 2 or any(folded(f) in ALIASES[QUERY_ID] for f in fields):
        return None
    return None if " " in fields[0].strip() else Headerless(contents, (QUERY_ID, TEXT))


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


def separator_of(line: str) -> str | None:
    """Return what separates the fields of a line: a tab, a comma, or None for white space."""
    if "\t" in line:
        return "\t"
    return "," if "," in line else None


def fields_of(line: str) -> list[str]:
    """Return the fields of a line.

    >>> fields_of("q1 d1  0.5"), fields_of("q1,d1")
    (['q1', 'd1', '0.5'], ['q1', 'd1'])
    """
    separator = separator_of(line)
    if separator is not None:
        return line.strip("\r\n").split(separator)
    # str.split would also split at Unicode spaces inside an identifier.
    return re.split(_GAP, line.strip(_SPACE))
