"""A source of rows: how to scan them, and how to find the line of an invalid row."""

from __future__ import annotations

import hashlib
import os
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict, TypeVar

import polars as pl
from polars.exceptions import PanicException

from rankreport.errors import NOT_UTF8, DataError, RankReportError
from rankreport.frames import QUERY_ID, RANK
from rankreport.io.expansion_limit import COMPRESSED_BEGINS, check_expansion
from rankreport.io.forked_process import check_process
from rankreport.io.kept_inputs import note_file
from rankreport.io.partition import Partition
from rankreport.io.roles import Role
from rankreport.progress import stage
from rankreport.shown_addresses import without_secrets

POSITION = "position"
"""Column of `Source.numbered`: the line or row number, from 1."""


FOREIGN = (pl.exceptions.PolarsError, PanicException, OSError, EOFError, zlib.error)
"""What reading a damaged file may raise. A panic of Polars is no Exception, but a BaseException."""

FAILURES = (Exception, PanicException)
"""What collecting a table may raise: a Python function in a lazy frame raises what it likes."""

_FIRST = 1000
"""How many rows are read to see whether a scan fits."""

_BLOCK = 1 << 20
"""How many bytes are searched at a time."""


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether there is such a file; False of a text that can be no path."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether there is such a folder; False of a text that can be no path."""
    try:
        return path != "" and Path(path).is_dir()
    except (OSError, ValueError):
        return False


@dataclass(frozen=True)
class Contents:
    """The bytes of a source: a file, or data read from elsewhere.

    They are not ``exact`` where they were changed on the way, or were not read.
    """

    name: str
    path: Path | None = None
    data: bytes | None = None
    exact: bool = True

    def __post_init__(self) -> None:
        """Note the file that is read."""
        if self.path is not None:
            note_file(self.path)

    def open(self) -> Path | BytesIO:
        """Return a path or a buffer that Polars can scan.

        Raises
        ------
        DataError
            If it is compressed, and expands to more than `rankreport.io.expansion_limit` allows.
        """
        self._expansion  # noqa: B018 - checked once
        return self.path if self.path is not None else BytesIO(self.data or b"")

    @cached_property
    def _expansion(self) -> None:
        if not self.compressed:
            return
        if self.path is None:
            check_expansion(self.name, BytesIO(self.data or b""))
            return
        with _opened(self.path, self.name) as file:
            check_expansion(self.name, file)

    def head(self, size: int = 1 << 16) -> bytes:
        """Return the first bytes as stored (compressed or not).

        Raises
        ------
        DataError
            If they cannot be read, as of a damaged disk.
        """
        if self.path is None:
            return (self.data or b"")[:size]
        with _opened(self.path, self.name) as file:
            return file.read(size)

    def whole(self) -> bytes:
        """Return all bytes as stored.

        Raises
        ------
        DataError
            If they cannot be read.
        """
        if self.path is None:
            return self.data or b""
        with _opened(self.path, self.name) as file:
            return file.read()

    @property
    def compressed(self) -> bool:
        """Whether the bytes are compressed by gzip or zstd."""
        return self.head(4).startswith(COMPRESSED_BEGINS)

    @property
    def is_parquet(self) -> bool:
        """Whether the bytes are a Parquet file."""
        return self.head(4) == b"PAR1"

    def holds(self, *some: bytes) -> bool:
        """Return whether one of these single bytes occurs in the bytes as stored."""
        if self.path is None:
            return any(each in (self.data or b"") for each in some)
        block = bytearray(_BLOCK)
        with _opened(self.path, self.name) as file:
            while n := file.readinto(block):
                if any(block.find(each, 0, n) >= 0 for each in some):
                    return True
        return False

    def size(self) -> int | None:
        """Return the number of bytes as stored; None if that is not known."""
        try:
            return len(self.data or b"") if self.path is None else self.path.stat().st_size
        except OSError:  # reported when it is read
            return None

    def digest(self) -> str | None:
        """Return the SHA-256 of the bytes as stored, in hexadecimal; None if they are not here."""
        if not self.exact:
            return None
        if self.path is None:
            return hashlib.sha256(self.data or b"").hexdigest()
        with _opened(self.path, self.name) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _opened(path: Path, name: str) -> Iterator[BufferedReader]:
    """Open a file; an error of reading it is one of the data."""
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise DataError(f"{name} cannot be read: {reason_of(error)}.") from None


class Input(TypedDict):
    """Provenance of an input: the SHA-256 of its bytes (None for a table) and its number of rows.

    The number of rows is None in score files written by older versions. ``labels`` says where
    judgments come from, if from several judges, clicks or another ranking.
    """

    role: str
    name: str
    sha256: str | None
    rows: int | None
    labels: NotRequired[dict[str, Any]]


def input_of(role: str, contents: Contents | None, rows: int) -> Input:
    """Return the provenance of an input."""
    if contents is None:
        return Input(role=role, name="a table in memory", sha256=None, rows=rows)
    # Only the file name: reports are shared, and folders may contain user names.
    name = Path(contents.name).name
    return Input(role=role, name=name, sha256=contents.digest(), rows=rows)


@dataclass(frozen=True)
class Remark:
    """What a reader did to a source, or what was found of it, for a caution to say.

    Attributes
    ----------
    code
        What it is about, such as ``"unrated"``; `rankreport.evaluation` has the words.
    count
        How many rows, queries or raters it concerns.
    examples
        The first of them, by name.
    system
        The system whose run it is; None of the judgments.
    about
        What else is known, by name.
    """

    code: str
    count: int = 0
    examples: tuple[str, ...] = ()
    system: str | None = None
    about: Mapping[str, Any] = field(default_factory=dict)


class Preparation(NamedTuple):
    """What is done to all rows of some queries once they are read.

    Attributes
    ----------
    columns
        The columns that it needs besides those of the role.
    prepare
        Takes the rows, and returns the rows that are used.
    """

    columns: tuple[str, ...]
    prepare: Callable[[pl.DataFrame], pl.DataFrame]


BOM = "\ufeff"
"""A mark at the beginning of a file, which nobody sees."""

_Read = TypeVar("_Read")
_Rows = TypeVar("_Rows", pl.DataFrame, pl.LazyFrame)


@dataclass(frozen=True)
class Source:
    """Rows of one kind, from any origin.

    Attributes
    ----------
    name
        Its name in messages.
    role
        What it is used as.
    unit
        The name of a row in messages: ``"line"`` or ``"row"``.
    scans
        Functions that scan it into ``query_id, doc_id`` and the value (and ``rank`` if present),
        the fastest first; each is a fallback for the one before. They are lenient: what is not a
        number becomes null, for `check` to report.
    numbered
        A slower scan of the same rows, all fields as text, with ``position`` and other columns that
        help to describe an invalid row.
    columns
        The names of the columns that it has, by the names of `rankreport.frames`.
    contents
        Its bytes; None for a table in memory.
    height
        The number of its rows, where metadata say it before they are read.
    scored
        Whether it has scores. If not, scores are negative ranks, which are meaningful only as an
        order within a query.
    others
        The names of further columns, by which `with_column` can be called.
    named
        The names of its columns in a table, by those here.
    line
        The line that makes a frame of Polars of it, for messages.
    extended
        Opens it with one of the further columns, ``also``; None where `read` knows them all.
    depth
        The number of documents per query at which its lists were cut, where that is known: an
        engine was asked for no more. In judgments, the number requested.
    failed
        Queries that the system could not answer because of an error. They are missing, which is
        not the same as answered with nothing.
    remarks
        What to say of it besides the figures.
    queries
        The queries with their texts, as `read_queries` accepts them, where the source holds them.
    documents
        The documents with their texts, as `open_corpus` accepts them, where they are next to it.
    partition
        Where its rows are written in slices, if they are not to be read at once.
    preparation
        What `slices` does to the rows, if anything.
    may_be_empty
        Whether a run without rows is that of a system which returned nothing.
    repeat_of
        The system whose first run has its name, where this is a further one; else empty.
    """

    name: str
    role: Role
    unit: str
    scans: tuple[Callable[[], pl.LazyFrame], ...]
    numbered: Callable[[], pl.LazyFrame]
    columns: tuple[str, ...]
    contents: Contents | None = None
    height: int | None = None
    scored: bool = True
    others: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    line: str = ""
    extended: Callable[..., Source] | None = None
    depth: int | None = None
    failed: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    queries: Any = None
    documents: Any = None
    partition: Partition | None = None
    preparation: Preparation | None = None
    may_be_empty: bool = False
    repeat_of: str = ""

    def with_column(self, name: str) -> Source:
        """Return the source with one of its `others`, to be read as text."""
        if self.extended is None:
            return self
        return replace(self.extended(also=name), repeat_of=self.repeat_of)

    @property
    def once(self) -> bool:
        """Whether it can be opened only once, as standard input and pipes can."""
        return self.contents is not None and self.contents.path is None

    @property
    def n_slices(self) -> int:
        """The number of slices in which it is read."""
        return 1 if self.partition is None else self.partition.n

    def read(self, *more: str) -> pl.DataFrame:
        """Read the role's columns, and the columns ``more``, without checks.

        Returns
        -------
        DataFrame
            ``query_id`` is Categorical: ids repeat for each document, and this makes the larger
            side of the join a third smaller.

        Raises
        ------
        DataError
            If the source cannot be read, or lacks a column of ``more``.
        """
        return self._first_right(more, lambda rows: rows.cast(_AS_READ).collect(), _counted)

    def slices(self, *more: str, of_these: pl.Expr | None = None) -> Iterator[pl.DataFrame]:
        """Read as `read` does, in slices by query where there is a partition, else in one.

        The rows of a query are in one slice, in the order of the source. A slice without rows is
        left out, unless all are.

        Parameters
        ----------
        more
            Columns besides those of the role.
        of_these
            The queries to read; by default all.

        Raises
        ------
        DataError
            As for `read`.
        OutputError
            If slices cannot be written.
        """
        if self.preparation is None:
            yield from self._slices(more, of_these)
            return
        needed = dict.fromkeys([*more, *self.preparation.columns])
        for rows in self._slices([*needed], of_these):
            yield self.preparation.prepare(rows).select(*self.role.columns, *more)
            del rows  # before the next slice is read

    def _slices(self, more: Sequence[str], of_these: pl.Expr | None) -> Iterator[pl.DataFrame]:
        source = self if of_these is None else self.narrowed(of_these)
        if self.partition is None:
            yield source.read(*more)
            return
        self._write_slices(more)
        found = False
        for number, part in enumerate(self.partition, 1):
            kept = part if of_these is None else part.filter(of_these)
            rows = kept.select(*self.role.columns, *more).cast(_AS_READ).collect()
            found = found or not rows.is_empty()
            if not rows.is_empty() or (number == self.partition.n and not found):
                yield rows
            del rows  # before the next slice is read

    def of_slice(self, number: int, *more: str) -> Source:
        """Return the source with the rows of one slice of its partition, to be read at once.

        Rows are written in slices first, with the columns ``more``. They have no lines: what is
        wrong with them is reported by the whole source.
        """
        partition = self.partition
        if partition is None:
            return self
        self._write_slices([*more, *(self.preparation.columns if self.preparation else ())])

        scan, numbered = partial(partition.scan, number), partial(_without_lines, self.name)
        return replace(self, scans=(scan,), numbered=numbered, height=None, partition=None)

    def narrowed(self, of_these: pl.Expr) -> Source:
        """Return the source with only the rows of some queries, to be read at once."""
        # Keep rows with nulls, which make `read` fall back to the next scan.
        unread = pl.any_horizontal(pl.col(self.role.columns).is_null())
        return replace(self.filtered(of_these | unread), numbered=self.numbered, partition=None)

    def with_rows(self, scan: Callable[[], pl.LazyFrame], columns: Iterable[str]) -> Source:
        """Return the source with other rows, such as those of it that can be used."""
        columns = tuple(columns)
        return replace(self, scans=(scan,), columns=columns, height=None, extended=None)

    def of_rows(self, rows: pl.DataFrame) -> Source:
        """Return the source with these rows, which were read."""
        return self.with_rows(rows.lazy, rows.columns)

    def usable(self, rows: _Rows) -> _Rows:
        """Return the rows that have ids and a finite number, and no mark before the query."""
        named = pl.all_horizontal(pl.col(key).is_not_null() for key in self.role.keys)
        unmarked = ~pl.col(QUERY_ID).cast(pl.String).str.starts_with(BOM)
        return rows.filter(named & unmarked & pl.col(self.role.value).is_finite())

    def filtered(self, which: pl.Expr) -> Source:
        """Return the source with some of its rows."""
        scans = tuple(partial(_filtered, scan, which) for scan in self.scans)
        numbered = partial(_filtered, self.numbered, which)
        return replace(self, scans=scans, numbered=numbered, height=None)

    def with_queries_of(self, dataset: str) -> Source:
        """Return the source with queries named after their data set: ``dataset/query_id``."""
        scans = tuple(partial(_named_after, scan, dataset) for scan in self.scans)
        numbered = partial(_named_after, self.numbered, dataset)
        failed = tuple(f"{dataset}/{query}" for query in self.failed)
        return replace(self, scans=scans, numbered=numbered, failed=failed)

    def n_rows(self) -> int:
        """Return the number of rows, without keeping them.

        Raises
        ------
        DataError
            As for `read`.
        """
        return self._first_right((), _counts, lambda counts: counts)[0]

    def in_order(self, *more: str) -> pl.LazyFrame:
        """Scan the rows in their own order, by the scan that never fails, which may be slow."""
        return self.scans[-1]().select(*self.role.columns, *more)

    def lazily(self) -> pl.LazyFrame:
        """Scan the role's columns, unchecked, by the scan that fits the first rows."""
        check_process()
        for scan in reversed(self.scans[:-1]):
            rows = scan().select(self.role.columns)
            with suppress(pl.exceptions.PolarsError):
                if not _counts(rows.head(_FIRST))[1]:
                    return rows
        return self.in_order()

    def _write_slices(self, more: Sequence[str]) -> None:
        """Write the rows of all slices, unless they are written."""
        partition = self.partition
        if partition is None or {*self.role.columns, *more} <= {*partition.columns}:
            return

        def write(rows: pl.LazyFrame) -> Partition:
            partition.write(rows.cast({QUERY_ID: pl.String}), self.name)
            return partition

        with stage("partitioning"):
            self._first_right(more, write, lambda written: _counts(written.scan()))

    def _first_right(
        self,
        more: Sequence[str],
        read: Callable[[pl.LazyFrame], _Read],
        counted: Callable[[_Read], tuple[int, bool]],
    ) -> _Read:
        """Read by the first scan that fits, and check the number of rows.

        ``counted`` returns that number of what was read, and whether a value is null.
        """
        check_process()
        lacking = [column for column in more if column not in self.columns]
        if lacking:
            hint = (
                " ties='rank' needs it; ties='input' takes the order given."
                if RANK in lacking
                else ""
            )
            raise DataError(f"{self.name} has no column for {', '.join(lacking)}.{hint}")
        columns = [*self.role.columns, *more]
        failure: BaseException | None = None
        for scan in self.scans:
            try:
                rows = read(scan().select(columns))
            except pl.exceptions.PolarsError as error:
                failure = error
            except RankReportError:
                raise
            except FAILURES as error:
                failure = error
                break
            else:
                height, has_nulls = counted(rows)
                if self.height not in {None, height}:
                    raise incomplete(self.name, height, self.height)
                # Nulls may be due to the row or to this scan: the last scan decides.
                if scan is self.scans[-1] or not has_nulls:
                    return rows
        raise unreadable(self.name, failure)


def _filtered(scan: Callable[[], pl.LazyFrame], which: pl.Expr) -> pl.LazyFrame:
    return scan().filter(which)


def _named_after(scan: Callable[[], pl.LazyFrame], dataset: str) -> pl.LazyFrame:
    query = pl.col(QUERY_ID).cast(pl.String)
    return scan().with_columns(pl.concat_str(pl.lit(f"{dataset}/"), query).alias(QUERY_ID))


def _without_lines(name: str) -> pl.LazyFrame:
    raise DataError(f"A slice of {name} has invalid rows.")


_AS_READ = pl.Schema({QUERY_ID: pl.Categorical()})


def _counted(rows: pl.DataFrame) -> tuple[int, bool]:
    return rows.height, any(column.null_count() for column in rows)


def _counts(rows: pl.LazyFrame) -> tuple[int, bool]:
    """Return the number of rows, and whether a value is null, without keeping the rows."""
    counts = rows.select(pl.len().alias(""), pl.all().null_count().cast(pl.Int64)).collect()
    height, *nulls = counts.row(0)
    return height, any(nulls)


class Selection(ABC):
    """A part of a file or folder, accepted wherever a path is."""

    @property
    def system(self) -> str:
        """The name of the system whose results it holds; empty if it names none."""
        return ""

    @abstractmethod
    def open(self, role: Role) -> Source:
        """Open it as a source of this kind of rows.

        Raises
        ------
        DataError
            If it holds no such rows, or cannot be read.
        """


class SystemResults(Selection):
    """The results of one system of several."""

    name: str

    @property
    def system(self) -> str:
        """The name of the system."""
        return self.name


def reason_of(failure: BaseException | None) -> str:
    """Return what an exception says, in one line and without secrets."""
    if isinstance(failure, PanicException):
        return "Polars cannot parse it"  # it says which line of its source gave up
    if isinstance(failure, OSError) and failure.strerror:
        return failure.strerror
    return without_secrets(str(failure).split("\n", maxsplit=1)[0]) or type(failure).__name__


def unreadable(
    name: str,
    failure: BaseException | None,
    how: str = "to its end",
    hint: str = " Is it complete?",
) -> DataError:
    """Return the error for a source that Polars cannot read."""
    found = str(failure).casefold()
    if failure is not None and not isinstance(failure, FOREIGN):  # of a function in a lazy frame
        what = f"cannot be read ({type(failure).__name__}: {reason_of(failure)})."
    elif "utf-8" in found and "parquet" not in found:  # which is no text to convert
        what = NOT_UTF8
    else:
        what = f"cannot be read {how} ({reason_of(failure)}).{hint}"
    return DataError(f"{name} {what}")


def incomplete(name: str, n_read: int, height: int | None) -> DataError:
    """Return the error for a source of which some rows cannot be read."""
    return DataError(f"{name} states {height:,} rows, and {n_read:,} can be read. Is it complete?")


@contextmanager
def collecting(
    name: str, how: str = "to its end", hint: str = " Is it complete?"
) -> Iterator[None]:
    """Convert what reading a table raises, of which a lazy frame may hold Python functions.

    Raises
    ------
    DataError
        As of `unreadable`; errors of rankreport stay as they are.
    """
    try:
        yield
    except RankReportError:
        raise
    except FAILURES as error:
        raise unreadable(name, error, how, hint) from None
