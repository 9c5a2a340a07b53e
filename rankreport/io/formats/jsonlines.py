"""JSON lines: one object to a line, read by Polars; faults are found line by line."""

from __future__ import annotations

import glob
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.io.formats.declare import SourceBegin, SourceFormat
from rankreport.io.ids import id_of
from rankreport.io.lines import LINE, numbered_lines, quote
from rankreport.io.source import FOREIGN, POSITION, Contents, collecting, unreadable
from rankreport.io.tables import SourceTable
from rankreport.io.typed_json import RepeatedKeyError, unique_keys

_PLAIN = r"^[ \t\r]*\{[^{}]*\}[ \t\r]*$"
"""A line that can only be one object or none; others are parsed to see that they are one."""

_ESCAPED = r'\\.[^"]*"[ \t]*:|(?i:\\ud[89a-f])'
"""A key, or a text before one, with a character that is escaped; or half of a character."""

_HALF = "[\\ud800-\\udfff]"


@dataclass(frozen=True)
class JsonLines(SourceTable):
    """A table in JSON lines.

    Attributes
    ----------
    contents
        Its bytes.
    """

    contents: Contents

    unit = "line"

    @cached_property
    def columns(self) -> Mapping[str, pl.DataType]:
        """The columns with their types.

        Raises
        ------
        DataError
            If a line is no object; the message names it.
        """
        try:
            schema = self._schema
            unusual = self._unusual
            n_lines = numbered_lines(self.contents).select(pl.len()).collect().item()
            n_rows = self._rows().select(pl.len()).collect().item()
        except FOREIGN as error:
            raise self._fault(error) from None
        self._parse(unusual)
        if n_lines != n_rows:  # Polars skips some faults without a word
            raise self._fault(None)
        return schema

    def scan(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns.

        Raises
        ------
        DataError
            If a column of numbers has a truth value, with its line: Polars names none.
        """
        numeric = [name for name in columns if self._schema[name].is_numeric()]
        for position, found in self._objects(self._unusual) if numeric else ():
            for name in numeric:
                if isinstance(found.get(name), bool):
                    raise DataError(
                        f"{self.contents.name}, line {position} has {json.dumps(found[name])} for "
                        f"{name}, where other lines have numbers. Give all lines values of one "
                        f"kind."
                    )
        return self._rows().select(columns)

    def numbered(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Return columns as text, with the number of each line."""
        rows = [
            (position, *(_text(found.get(name)) for name in columns))
            for position, found in self._objects(numbered_lines(self.contents).collect())
        ]
        schema = {POSITION: pl.UInt32(), **dict.fromkeys(columns, pl.String())}
        return pl.LazyFrame(rows, schema=schema, orient="row")

    def unlike_text(self, column: str) -> Mapping[int, Any]:
        """Return the values of a column that are no text and no integer, by line.

        Polars makes text of values of any kind where some are text, and floats of integers.
        """
        unsure = ~pl.col(LINE).str.contains(_key(column) + _SURE)
        lines = numbered_lines(self.contents).filter(unsure).collect()
        found = self._objects(pl.concat([self._unusual, lines]).unique(POSITION).sort(POSITION))
        return {position: each.get(column) for position, each in found}

    @cached_property
    def _schema(self) -> pl.Schema:
        return self._rows().collect_schema()

    @cached_property
    def _unusual(self) -> pl.DataFrame:
        """The lines that may be no object, have a key twice, or a truth value among numbers.

        In others, a key is no text.
        """
        return numbered_lines(self.contents).filter(~_plain(self._schema)).collect()

    def _rows(self) -> pl.LazyFrame:
        return pl.scan_ndjson(exactly(self.contents.open()), infer_schema_length=None)

    def _objects(self, lines: pl.DataFrame) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the number of each line and its object."""
        for position, line in lines.iter_rows():
            try:
                found = json.loads(line, object_pairs_hook=unique_keys)
            except RepeatedKeyError as error:
                raise DataError(f"{self.contents.name}, line {position} {error}") from None
            except (ValueError, RecursionError) as error:
                reason = str(error).split(":", maxsplit=1)[0].split("\n", maxsplit=1)[0]
                raise self._at(position, line, reason) from None
            if not isinstance(found, dict):
                raise self._at(position, line, f"{type(found).__name__} found")
            if re.search(_HALF, json.dumps(found, ensure_ascii=False)):
                # Polars would read it as U+0000, so that different identifiers become equal.
                raise self._at(position, line, "half a character, of a text that was cut")
            yield position, found

    def check(self) -> None:
        """Raise the error of the first line that is no object."""
        with collecting(self.contents.name):
            for lines in numbered_lines(self.contents).collect_batches():
                self._parse(lines)

    def _parse(self, lines: pl.DataFrame) -> None:
        """Raise the error of the first of these lines that is no object."""
        for _ in self._objects(lines):
            pass

    def _other_kind(self) -> DataError | None:
        """Return the error of the first value of another kind than its column had before."""
        known: dict[str, tuple[int, str]] = {}
        for position, found in self._objects(numbered_lines(self.contents).collect()):
            for name, value in found.items():
                if value is None:
                    continue
                line, kind = known.setdefault(name, (position, _kind(value)))
                if kind != _kind(value):
                    return DataError(
                        f"{self.contents.name}, line {position} has {_kind(value)} for {name}, "
                        f"where line {line} has {kind}: {quote(json.dumps(value))}. Give all lines "
                        f"values of one kind."
                    )
        return None

    def _at(self, position: int, line: str, reason: str) -> DataError:
        return DataError(
            f"{self.contents.name}, line {position} is no JSON object ({reason}): {quote(line)}."
        )

    def _fault(self, failure: BaseException | None) -> DataError:
        """Return the error of the first faulty line, or else of the whole file."""
        try:
            self.check()
        except DataError as error:
            return error
        except FOREIGN as error:
            return unreadable(self.contents.name, error, "as a table", "")
        if failure is not None and (other := self._other_kind()):
            return other
        if failure is None:
            return DataError(
                f"{self.contents.name} has lines that are not one JSON object each. Write every "
                f"object on a line of its own."
            )
        return unreadable(self.contents.name, failure, "as a table", "")


_SURE = r'(?:"|-?[0-9]+[ \t]*[,}])'
"""The begin of text, or an integer."""


def _key(column: str) -> str:
    """Return a pattern of a key of an object."""
    return pl.escape_regex(json.dumps(column, ensure_ascii=False)) + r"[ \t]*:[ \t]*"


def _plain(columns: Mapping[str, pl.DataType]) -> pl.Expr:
    """Return whether a line is one object or none, has no key twice, and numbers where they belong.

    Truth values are sought where the type of a column is a number's.
    """
    line = pl.col(LINE)
    once = [line.str.count_matches(_key(column)) < 2 for column in columns]
    numeric = [column for column, dtype in columns.items() if dtype.is_numeric()]
    right = [~line.str.contains(f"{_key(column)}[tf]") for column in numeric]
    return pl.all_horizontal(line.str.contains(_PLAIN), ~line.str.contains(_ESCAPED), *once, *right)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return id_of(value) or json.dumps(value)  # of 12.0 as of an identifier


_KINDS = {dict: "an object", list: "a list", bool: "a truth value", str: "text"}


def _kind(value: Any) -> str:
    """Return what a value of JSON is."""
    return _KINDS.get(type(value), "a number")


def exactly(opened: Path | BytesIO) -> str | BytesIO:
    """Escape a path, because scan_ndjson has no option against glob patterns."""
    return glob.escape(str(opened)) if isinstance(opened, Path) else opened


def _sniffed(sample: SourceBegin) -> bool:
    if not sample.line.startswith("{"):
        return False
    if sample.is_marked:
        raise DataError(
            f"{sample.contents.name} begins with a byte-order mark. Remove it: "
            f"sed '1s/^\\xef\\xbb\\xbf//' FILE > NEW."
        )
    return True


JSON_LINES = SourceFormat("jsonl", _sniffed, table=JsonLines, suffixes=(".jsonl", ".ndjson"))
