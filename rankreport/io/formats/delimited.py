"""CSV and TSV: one record to a line, the names of the columns in the first.

TSV has no quoting: a quotation mark is a character like any other. The one exception are judgments
as BEIR writes them, whose header tells them apart. CSV is read by RFC 4180: a field within
quotation marks may hold separators, line breaks and doubled marks. In other fields, a mark is a
character like any other.

Polars parses a file whose lines are records, reading the wanted columns alone; that they are is
checked first, since Polars takes a stray mark for the begin of a field that goes on for lines, and
says nothing. Every other file is parsed record by record by Python, which is slower and exact.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import polars as pl

from rankreport.column_names import folded
from rankreport.errors import DataError
from rankreport.io.formats.declare import SourceBegin, SourceFormat
from rankreport.io.lines import LINE, numbered_lines, quote
from rankreport.io.source import POSITION, Contents, collecting
from rankreport.io.spreadsheet import GUARD, unguarded, unguarded_names
from rankreport.io.tables import SourceTable

_MARK = '"'
_BEIR = ("query_id", "corpus_id", "score")
"""The header of BEIR's judgments, which Python's csv module writes with minimal quoting."""

_QUOTED = r'"(?:[^"]|"")*"'
SPACE = " \t\f\v\r\n"
GAP = r"[ \t\f\v]+"
"""White space between fields, and around a line."""


@dataclass(frozen=True)
class Delimited(SourceTable):
    """A table in CSV or TSV.

    Attributes
    ----------
    contents
        Its bytes.
    separator
        A comma, a semicolon, a vertical bar, a tab, or a space for any white space.
    guarded
        Whether an apostrophe before what a spreadsheet would run is not part of a text, as in
        the CSV that is written here.
    lenient
        Whether marks are doubled in every field, also in one that does not stand between marks, as
        Quepid writes them.
    names
        The names of the columns where there is no header, each another one.
    """

    contents: Contents
    separator: str
    guarded: bool = False
    lenient: bool = False
    names: tuple[str, ...] = ()

    unit = "line"

    @property
    def decimal(self) -> str:
        """A comma where semicolons separate: they do because numbers hold commas."""
        return "," if self.separator == ";" else "."

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """The columns with their types: all are text, since 007 is an identifier."""
        return dict.fromkeys(self._known_as, pl.String())

    def scan(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns, skipping lines without any value."""
        if self._regular is None:
            return self._records.lazy().select(columns)
        rows = pl.scan_csv(
            self.contents.open(),
            glob=False,
            has_header=not self.names,
            schema=dict.fromkeys(self._names, pl.String()),
            skip_lines=max(self._header[0] - 1, 0),
            separator=self.separator,
            quote_char=_MARK if self._holds_marks else None,
        )
        rows = rows.select(pl.col(self._known_as[name]).alias(name) for name in columns)
        if self._regular:
            index = pl.int_range(pl.len(), dtype=pl.UInt32)
            rows = rows.filter(~index.is_in(self._regular))
        if self._holds_marks:  # a value of nothing is no value, with marks around it or without
            rows = rows.select(pl.when(pl.col(name) != "").then(name) for name in columns)
        return unguarded(rows) if self._holds_guards else rows

    def numbered(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Return columns with the number of the line at which each record begins."""
        return self._records.lazy().select(POSITION, *columns)

    def check_keys(self, keys: Mapping[str, str]) -> None:
        """Check that no identifier holds a line break: a mark was left open, then.

        Parameters
        ----------
        keys
            Names of the columns in the file, by their names in `rankreport.frames`.

        Raises
        ------
        DataError
            With the first such line.
        """
        if self._regular is not None:
            return  # each line is a record
        for name, own in keys.items():
            broken = self._records.filter(pl.col(own).str.contains("\n", literal=True))
            if not broken.is_empty():
                raise DataError(
                    f"{self.contents.name}, line {broken[POSITION][0]} has a line break in its "
                    f"{name}, {quote(broken[own][0])}. Is a quotation mark left open?"
                )

    @cached_property
    def _quoting(self) -> bool:
        names = [name.strip('" ').casefold() for name in self._header[1].split(self.separator)]
        return self.separator not in "\t " or tuple(n.replace("-", "_") for n in names) == _BEIR

    @cached_property
    def _header(self) -> tuple[int, str]:
        """The number of the first line that is not blank, and its text."""
        if self.names:
            return 0, ""
        with collecting(self.contents.name, "as a table", ""):
            first = numbered_lines(self.contents).head(1).collect()
        if first.is_empty():
            raise DataError(f"{self.contents.name} is empty. Expected a table with a header.")
        position, line = first.row(0)
        return position, line

    @cached_property
    def _names(self) -> list[str]:
        if self.names:
            return [*self.names]
        _, line = self._header
        several = self._quoting and line.count(_MARK) % 2
        _, fields = next(self._parsed() if several else self._split([line]))
        seen: dict[str, int] = {}
        names = []
        for given in fields:
            n = seen[given] = seen.get(given, -1) + 1
            # As Polars names them.
            names.append(given if n == 0 else f"{given}_duplicated_{n - 1}")
        return names

    @cached_property
    def _known_as(self) -> dict[str, str]:
        """The names of the columns in the file, by the names that they are known as."""
        names = unguarded_names(self._names) if self.guarded else self._names
        return dict(zip(names, self._names, strict=True))

    @cached_property
    def _holds_guards(self) -> bool:
        return self.guarded and (self.contents.compressed or self.contents.holds(GUARD.encode()))

    @cached_property
    def _holds_marks(self) -> bool:
        if not self._quoting:
            return False
        return self.contents.compressed or self.contents.holds(_MARK.encode())

    @cached_property
    def _regular(self) -> list[int] | None:
        """The rows without values, if every line is a record with all fields; else None."""
        if self.lenient:
            return None
        position, _ = self._header
        line = pl.col(LINE)
        bare = line.str.replace_all(_QUOTED, "") if self._holds_marks else line
        faulty = bare.str.count_matches(self.separator, literal=True) != len(self._names) - 1
        if self.separator == " ":
            faulty |= line.str.contains(r"^ |  | $|[\t\f\v]")
        if self._holds_marks:
            field = rf'(?:{_QUOTED}|[^"{self.separator}]*)'
            faulty |= ~line.str.contains(rf"^{field}(?:[{self.separator}]{field})*$")
        blank = ~line.str.contains(rf"[^ \t\f\v{self.separator}]").fill_null(value=False)
        found = (
            numbered_lines(self.contents, blank=True)
            .filter(pl.col(POSITION) > position)
            .select(POSITION, blank=blank, faulty=faulty.fill_null(value=False))
            .filter(pl.col("blank") | pl.col("faulty"))
            .collect()
        )
        if not found.filter(~pl.col("blank")).is_empty() or (self.names and len(found)):
            return None
        return [each - position - 1 for each in found[POSITION]]

    @cached_property
    def _records(self) -> pl.DataFrame:
        """All records as text, with the number of the line at which each begins."""
        names = self._names
        columns: list[list[str | None]] = [[] for _ in names]
        positions = []
        most = 0
        parsed = self._parsed()
        header = 0 if self.names else next(parsed)[0]
        for position, fields in parsed:
            if len(fields) > len(names) or (self.names and len(fields) < len(names)):
                raise DataError(
                    f"{self.contents.name}, line {position} has {len(fields)} fields where "
                    f"{len(names)} are expected: {quote(self.separator.join(fields))}. "
                    f"{self._advice}"
                )
            positions.append(position)
            most = max(most, len(fields))
            for column, value in zip(columns, fields, strict=False):
                column.append(value or None)
            for column in columns[len(fields) :]:  # a short line lacks its last values
                column.append(None)
        if positions and most < len(names):  # a row in the line of the header would be lost
            raise DataError(
                f"{self.contents.name}, line {header} has {len(names)} fields, and no other line "
                f"has more than {most}. Is a line break missing behind the header?"
            )
        rows = pl.DataFrame(
            {POSITION: positions, **dict(zip(self._known_as, columns, strict=True))},
            schema={POSITION: pl.UInt32(), **self.columns},
        )
        return unguarded(rows) if self._holds_guards else rows

    @property
    def _advice(self) -> str:
        if self.names:
            return f"Expected, as there is no header: {' '.join(self.names)}."
        if self._quoting:
            return f"A field that holds {self.separator!r} is written within quotation marks."
        return "A field of TSV holds no tab."

    def _parsed(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number of the line at which a record begins, and its fields."""
        with collecting(self.contents.name):
            lines = numbered_lines(self.contents, blank=True).collect()[LINE].fill_null("")
        return self._split(lines)

    def _split(self, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
        """Yield what `_parsed` does of lines; records without any value are skipped."""
        if self.separator == " ":
            lines = (re.sub(GAP, " ", line.strip(SPACE)) for line in lines)
        if self.lenient:
            lines = _FIELD.sub(_between_marks, "\n".join(lines)).split("\n")
        reader = csv.reader(
            (f"{line}\n" for line in lines),
            delimiter=self.separator,
            quoting=csv.QUOTE_MINIMAL if self._quoting else csv.QUOTE_NONE,
            strict=True,
        )
        begin = 1
        try:
            for fields in reader:
                if any(field.strip(SPACE) for field in fields):
                    yield begin, fields
                begin = reader.line_num + 1
        except csv.Error as error:
            raise DataError(
                f"{self.contents.name}, line {begin} is no record of CSV ({error}). A field with a "
                f'quotation mark stands between marks, and the mark is doubled, as in "5"" pipe".'
            ) from None


_FIELD = re.compile(rf"({_QUOTED}(?=[,\n]|\Z))|[^,\n]+")


def _between_marks(field: re.Match[str]) -> str:
    """Return a field, between marks if it holds any."""
    return field[0] if field[1] or _MARK not in field[0] else f'"{field[0]}"'


def _has_header(separator: str, sample: SourceBegin) -> bool:
    """Return whether the first line names a known column, or holds the separator alone in CSV."""
    names = [folded(name.strip('" ')) for name in sample.line.split(separator)]
    alone = sample.suffix == ".csv" and "," not in sample.line
    return len(names) > 1 and (alone or any(name in sample.header for name in names))


CSV, SEMICOLONS, BARS = (
    SourceFormat(
        name,
        partial(_has_header, separator),
        table=partial(Delimited, separator=separator, guarded=True),
        suffixes=(".csv",),
        bare=True,
    )
    for name, separator in {"csv": ",", "semicolons": ";", "bars": "|"}.items()
)
"""CSV, as most programs write it, as Excel does where a comma stands in numbers, and with bars."""

TSV = SourceFormat(
    "tsv",
    partial(_has_header, "\t"),
    table=partial(Delimited, separator="\t"),
    suffixes=(".tsv",),
    bare=True,
)
