"""CSV and TSV: one record to a line, the names of the columns in the first.

TSV has no quoting: a quotation mark is a character like any other. The one exception are judgments
as BEIR writes them, whose header tells them apart. CSV is read by RFC 4180: a field within
quotation marks may hold separators, line breaks and doubled marks, one without them none of these.

Polars parses a file whose lines are records, reading the wanted columns alone; that they are is
checked first, since Polars takes a stray mark for the begin of a field that goes on for lines, and
says nothing. Every other file is parsed here, record by record, which is slower and exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import polars as pl

from rankreport.errors import DataError
from rankreport.frames import folded
from rankreport.io.formats.declare import SourceBegin, SourceFormat
from rankreport.io.lines import LINE, numbered_lines, quote
from rankreport.io.source import FOREIGN, POSITION, Contents, unreadable
from rankreport.io.spreadsheet import GUARD, unguarded, unguarded_names
from rankreport.io.tables import SourceTable

_MARK = '"'
_BEIR = ("query_id", "corpus_id", "score")
"""The header of BEIR's judgments, which Python's csv module writes with minimal quoting."""

_QUOTED = r'"(?:[^"]|"")*"'


@dataclass(frozen=True)
class Delimited(SourceTable):
    """A table in CSV or TSV.

    Attributes
    ----------
    contents
        Its bytes.
    separator
        A comma, a semicolon, a vertical bar or a tab.
    guarded
        Whether an apostrophe before what a spreadsheet would run is not part of a text, as in
        the CSV that is written here.
    lenient
        Whether marks are doubled in every field, also in one that does not stand between marks, as
        Quepid writes them.
    """

    contents: Contents
    separator: str
    guarded: bool = False
    lenient: bool = False

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
            skip_lines=self._header[0] - 1,
            separator=self.separator,
            quote_char=_MARK if self._holds_marks else None,
            infer_schema=False,
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
    def _opened(self) -> re.Pattern[str]:
        """A line whose last field goes on in the next one."""
        field = rf"(?:{_QUOTED}|{self._plain})"
        return re.compile(rf'(?:{field}[{self.separator}])*"(?:[^"]|"")*')

    @property
    def _plain(self) -> str:
        """A field without marks around it."""
        return f"[^{self.separator}]*" if self.lenient else f'[^"{self.separator}]*'

    @cached_property
    def _quoting(self) -> bool:
        names = [name.strip('" ').casefold() for name in self._header[1].split(self.separator)]
        return self.separator != "\t" or tuple(n.replace("-", "_") for n in names) == _BEIR

    @cached_property
    def _header(self) -> tuple[int, str]:
        """The number of the first line that is not blank, and its text."""
        try:
            first = numbered_lines(self.contents).head(1).collect()
        except FOREIGN as error:
            raise unreadable(self.contents.name, error, "as a table", "") from None
        if first.is_empty():
            raise DataError(f"{self.contents.name} is empty. Expected a table with a header.")
        position, line = first.row(0)
        return position, line

    @cached_property
    def _names(self) -> list[str]:
        position, line = self._header
        if self._quoting and line.count(_MARK) % 2:
            _, _, fields = next(self._parsed())
        else:
            fields = self._fields(line, position)
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
        separators = line.str.count_matches(self.separator, literal=True)
        faulty = separators != len(self._names) - 1
        if self._holds_marks:
            field = rf"(?:{_QUOTED}|{self._plain})"
            record = rf"^{field}(?:[{self.separator}]{field})*$"
            bare = line.str.replace_all(_QUOTED, "")
            within = bare.str.count_matches(self.separator, literal=True)
            marked = line.str.contains(_MARK, literal=True)
            wrong = ~line.str.contains(record) | (within != len(self._names) - 1)
            faulty = pl.when(marked).then(wrong).otherwise(faulty)
        blank = ~line.str.contains(rf"[^ \t\f\v{self.separator}]").fill_null(value=False)
        found = (
            numbered_lines(self.contents, blank=True)
            .filter(pl.col(POSITION) > position)
            .select(POSITION, blank=blank, faulty=faulty.fill_null(value=False))
            .filter(pl.col("blank") | pl.col("faulty"))
            .collect()
        )
        if not found.filter(~pl.col("blank")).is_empty():
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
        header, *_ = next(parsed)
        for position, line, fields in parsed:
            if len(fields) > len(names):
                raise DataError(
                    f"{self.contents.name}, line {position} has {len(fields)} fields where the "
                    f"header has {len(names)}: {quote(line)}. {self._advice}"
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
        if self._quoting:
            return f"A field that holds {self.separator!r} is written within quotation marks."
        return "A field of TSV holds no tab."

    def _parsed(self) -> Iterator[tuple[int, str, list[str]]]:
        """Yield the line of every record, its text and its fields; blank ones are skipped."""
        name = self.contents.name
        try:
            lines = numbered_lines(self.contents, blank=True).collect()
        except FOREIGN as error:
            raise unreadable(name, error) from None
        first = begin = 0
        pending: list[str] = []
        for position, found in lines.iter_rows():
            line = found or ""
            if pending:
                pending.append(line)
                if line.count(_MARK) % 2 == 0:
                    continue
                begin, line = first, "\n".join(pending)
                pending = []
            elif self._quoting and line.count(_MARK) % 2 and self._opened.fullmatch(line):
                first, pending = position, [line]
                continue
            else:
                begin = position
            if line.strip(f" \t\f\v{self.separator}"):
                yield begin, line, self._fields(line, begin)
        if pending:
            raise DataError(
                f"{name}, line {first} has a quotation mark that is never closed: "
                f"{quote(pending[0])}. A mark within a field is doubled, and the field stands "
                f"between marks."
            )

    def _fields(self, record: str, position: int) -> list[str]:
        """Return the fields of a record."""
        if not self._quoting or _MARK not in record:
            return record.split(self.separator)
        pattern = re.compile(rf'(?:"((?:[^"]|"")*)"|({self._plain}))([{self.separator}]|\Z)')
        fields = []
        at = 0
        while True:
            found = pattern.match(record, at)
            if found is None:
                raise DataError(
                    f"{self.contents.name}, line {position} has a quotation mark within a field: "
                    f"{quote(record)}. A mark within a field is doubled, and the field stands "
                    f'between marks, as in "5"" pipe".'
                )
            quoted, plain, end = found.groups()
            field = plain if quoted is None else quoted
            fields.append(field.replace(_MARK * 2, _MARK))
            at = found.end()
            if not end:
                return fields


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
