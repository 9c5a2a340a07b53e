"""JSON lines: one object to a line, read by Polars; faults are found line by line."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.io.source import FOREIGN, POSITION, Contents, unreadable
from rankreport.io.trec import LINE, check_characters, numbered_lines, quote

__all__ = ["JsonLines"]

_PLAIN = r"^[ \t\r]*\{[^{}]*\}[ \t\r]*$"
"""A line that can only be one object or none; others are parsed to see that they are one."""


@dataclass(frozen=True)
class JsonLines:
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
        check_characters(self.contents)
        try:
            schema = self._rows().collect_schema()
            lines = numbered_lines(self.contents)
            unusual = lines.filter(~pl.col(LINE).str.contains(_PLAIN)).collect()
            n_lines = lines.select(pl.len()).collect().item()
            n_rows = self._rows().select(pl.len()).collect().item()
        except FOREIGN as error:
            raise self._fault(error) from None
        self._parse(unusual)
        if n_lines != n_rows:  # Polars skips some faults without a word
            raise self._fault(None)
        return schema

    def scan(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Scan columns."""
        return self._rows().select(columns)

    def numbered(self, columns: Sequence[str]) -> pl.LazyFrame:
        """Return columns as text, with the number of each line."""
        rows = [
            (position, *(_text(found.get(name)) for name in columns))
            for position, found in self._objects(numbered_lines(self.contents).collect())
        ]
        schema = {POSITION: pl.UInt32(), **dict.fromkeys(columns, pl.String())}
        return pl.LazyFrame(rows, schema=schema, orient="row")

    def check_keys(self, keys: Mapping[str, str]) -> None:
        """Accept all: a text in JSON may hold anything."""

    def _rows(self) -> pl.LazyFrame:
        return pl.scan_ndjson(_exactly(self.contents.open()), infer_schema_length=None)

    def _objects(self, lines: pl.DataFrame) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the number of each line and its object."""
        for position, line in lines.iter_rows():
            try:
                found = json.loads(line)
            except (ValueError, RecursionError) as error:
                reason = str(error).split(":", maxsplit=1)[0].split("\n", maxsplit=1)[0]
                raise self._at(position, line, reason) from None
            if not isinstance(found, dict):
                raise self._at(position, line, f"{type(found).__name__} found")
            yield position, found

    def _parse(self, lines: pl.DataFrame) -> None:
        """Raise the error of the first line that is no object."""
        for _ in self._objects(lines):
            pass

    def _at(self, position: int, line: str, reason: str) -> DataError:
        return DataError(
            f"{self.contents.name}, line {position} is no JSON object ({reason}): {quote(line)}."
        )

    def _fault(self, failure: BaseException | None) -> DataError:
        """Return the error of the first faulty line, or else of the whole file."""
        try:
            self._parse(numbered_lines(self.contents).collect())
        except DataError as error:
            return error
        except FOREIGN as error:
            return unreadable(self.contents.name, error, "as a table", "")
        if failure is None:
            return DataError(
                f"{self.contents.name} has lines that are not one JSON object each. Write every "
                f"object on a line of its own."
            )
        return unreadable(self.contents.name, failure, "as a table", "")


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value)


def _exactly(opened: Path | BytesIO) -> str | BytesIO:
    """Escape a path, because scan_ndjson has no option against glob patterns."""
    return glob.escape(str(opened)) if isinstance(opened, Path) else opened
