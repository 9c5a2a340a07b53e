"""Rows in slices by query, through temporary files: for inputs larger than memory.

A source is read once and written as Parquet, one file for each slice, so that text and compressed
files are parsed once whatever the number of slices. All rows of a query are in the same slice, in
the order of the source. What is found in a slice can be stored next to its rows.
"""

from __future__ import annotations

import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from rankreport.errors import OutputError
from rankreport.frames import QUERY_ID
from rankreport.io.writing import OF_POLARS, check_room

_SLICE = "slice of the query"
_AT_ONCE = 1 << 20
"""Rows that wait in memory until they are written, in all slices together."""

_FEWEST = 1 << 12
"""The fewest rows that are written together: with fewer, writing is slow."""

_PAUSES = (0.001, 0.05)
"""The shortest and longest pause between two looks whether all is written, in seconds. Signals are
handled meanwhile."""


class Partition:
    """Rows in slices by query, in a temporary folder.

    The folder is in ``TMPDIR``, or where the system keeps temporary files. It is removed with this
    object, at the latest when the process ends.

    Parameters
    ----------
    n
        The number of slices, at least 1.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._schema = pl.Schema()
        self._folder: Path | None = None
        self._remove: Callable[[], object] | None = None

    def __reduce__(self) -> tuple[type[Partition], tuple[int]]:
        """Copy the number of slices alone: the rows are written again where they are read."""
        return Partition, (self.n,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are written; none before `write`."""
        return tuple(self._schema)

    def write(self, rows: pl.LazyFrame, name: str) -> None:
        """Write rows, instead of those that were written before.

        Parameters
        ----------
        rows
            The rows, with ``query_id`` (String).
        name
            Their source in messages.

        Raises
        ------
        OutputError
            If there is no temporary folder, or no space in it.
        polars.exceptions.PolarsError, OSError
            If the rows cannot be read.
        """
        self.close()
        try:
            folder = Path(tempfile.mkdtemp(prefix="rankreport-"))
        except OSError as error:
            raise OutputError(
                f"{name} is written in slices, and there is no temporary folder "
                f"({error.strerror}). Set TMPDIR to a folder on a disk with space."
            ) from None
        self._folder = folder
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        try:
            self._schema = rows.collect_schema()
            with _space(folder, name):
                _sink(rows, folder, self.n)
        except BaseException:
            self.close()
            raise

    def store(self, number: int, kind: str, rows: pl.DataFrame, name: str) -> None:
        """Store what is found in a slice, until the rows are written again.

        Parameters
        ----------
        number
            The slice.
        kind
            What it is.
        rows
            What is stored.
        name
            The source in messages.

        Raises
        ------
        OutputError
            If there is no space.
        """
        if self._folder is not None:
            with _space(self._folder, name):
                rows.write_parquet(
                    self._folder / f"{kind} {number}", compression="lz4", statistics=False
                )

    def stored(self, number: int, kind: str) -> pl.LazyFrame | None:
        """Scan what is stored of a slice; None if nothing is."""
        file = None if self._folder is None else self._folder / f"{kind} {number}"
        if file is None or not file.exists():
            return None
        return pl.scan_parquet(file, hive_partitioning=False, glob=False)

    def in_slice(self, number: int) -> pl.Expr:
        """Return whether a ``query_id`` (String) is in a slice."""
        return _number(self.n) == number

    def close(self) -> None:
        """Remove what is written."""
        if self._remove is not None:
            self._remove()
        self._folder, self._schema = None, pl.Schema()

    def scan(self, number: int | None = None) -> pl.LazyFrame:
        """Scan the rows of a slice, or of all; those of a query are in the order of the source."""
        numbers = range(self.n) if number is None else (number,)
        folders = [self._folder / f"{_SLICE}={each}" for each in numbers if self._folder]
        files = [file for folder in folders for file in sorted(folder.glob("*.parquet"))]
        if not files:
            return pl.LazyFrame(schema=self._schema)
        return pl.scan_parquet(files, hive_partitioning=False, glob=False)

    def __iter__(self) -> Iterator[pl.LazyFrame]:
        """Scan one slice after the other."""
        return map(self.scan, range(self.n))


_FULL = ("No space left", "os error 28", "Disk quota exceeded", "os error 122", "File too large")
"""What an error of writing says where there is no space."""


@contextmanager
def _space(folder: Path, name: str) -> Iterator[None]:
    """Raise an error that says what to do where there is no space."""
    try:
        yield
    except BaseException as error:
        known = any(sign in str(error) for sign in _FULL)
        if known or (isinstance(error, OF_POLARS) and not _has_room(folder / "room")):
            raise OutputError(
                f"{name} is written in slices, and there is no space left in {folder.parent}. "
                f"Set TMPDIR to a folder on a disk with more space, as much as {name} takes as "
                f"text, or give more memory."
            ) from None
        raise


def _has_room(file: Path) -> bool:
    """Return whether a file can be written, where Polars does not say why one could not."""
    try:
        check_room(file)
    except OSError:
        return False
    finally:
        file.unlink(missing_ok=True)
    return True


def _number(n: int) -> pl.Expr:
    return (pl.col(QUERY_ID).hash(0) % n).fill_null(0).cast(pl.UInt32)


def _sink(rows: pl.LazyFrame, folder: Path, n: int) -> None:
    written = rows.with_columns(_number(n).alias(_SLICE)).sink_parquet(
        pl.PartitionBy(folder, key=_SLICE, include_key=False),
        compression="lz4",
        statistics=False,
        row_group_size=max(_AT_ONCE // n, _FEWEST),
        maintain_order=True,
        mkdir=True,
        lazy=True,
    )
    query = written.collect(background=True)
    pause, longest = _PAUSES
    try:
        while query.fetch() is None:
            time.sleep(pause)
            pause = min(2 * pause, longest)
    except (KeyboardInterrupt, SystemExit):
        query.cancel()
        query.fetch_blocking()  # so that nothing is written after the folder is removed
        raise
