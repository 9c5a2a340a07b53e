"""What a format of sources declares: how it is known, and what it opens for each role."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from rankreport.column_names import ALIASES
from rankreport.errors import DataError
from rankreport.frames import QUERY_ID
from rankreport.io.decompression import COMPRESSED, decompressed
from rankreport.io.expansion_limit import COMPRESSED_BEGINS
from rankreport.io.json_document import is_document, read_document
from rankreport.io.roles import RUN, Role, swapped
from rankreport.io.source import FOREIGN, Contents, Source, SystemResults, reason_of
from rankreport.io.tables import SourceTable, table_source

LONGEST = 1 << 26
"""The most bytes of a line. Without a limit, an endless line would fill the memory."""

_HEAD, _LINES = 1 << 16, 100
"""How many bytes, and of zstd lines, say what a file is."""

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class SourceBegin:
    """The begin of a source, by which its format is known.

    Attributes
    ----------
    contents
        The source.
    given
        The value of JSON that a Python object is; None of files.
    header
        The names of columns by which the header of a table is known.
    """

    contents: Contents
    given: Any = None
    header: tuple[str, ...] = ALIASES[QUERY_ID]

    @cached_property
    def head(self) -> bytes:
        """The first bytes, decompressed.

        Raises
        ------
        DataError
            If they cannot be decompressed.
        """
        contents = self.contents
        head = contents.head(_HEAD)
        if not head.startswith(COMPRESSED_BEGINS):
            return head
        try:
            with decompressed(contents, _LINES) as file:
                return file.read(_HEAD)
        except FOREIGN as error:
            raise DataError(
                f"{contents.name} cannot be decompressed ({reason_of(error)}). Is it complete?"
            ) from None

    @cached_property
    def text(self) -> bytes:
        """The first bytes of text, without a byte-order mark.

        Raises
        ------
        DataError
            If they are binary, or the begin of a line without end.
        """
        head = self.head
        if b"\x00" in head:
            raise binary(self.contents.name, head)
        if b"\n" not in head and not self.is_document and not self.contents.compressed:
            begin = self.contents.head(LONGEST + 1)
            if len(begin) > LONGEST and b"\n" not in begin:
                raise too_long(self.contents.name)
        return head.removeprefix(_BOM)

    @cached_property
    def line(self) -> str:
        """The first line that is not blank, of text.

        Raises
        ------
        DataError
            As for `text`.
        """
        # Bytes, because str.split would also split at Unicode spaces inside an identifier.
        lines = (line.strip() for line in self.text.split(b"\n"))
        return next(filter(None, lines), b"").decode("utf-8", errors="replace")

    @cached_property
    def suffix(self) -> str:
        """The suffix of the file, without that of compression."""
        place = self.contents.path or Path(self.contents.name)  # of what was fetched, the address
        suffixes = [each for each in place.suffixes if each not in COMPRESSED]
        return suffixes[-1].casefold() if suffixes else ""

    @property
    def is_marked(self) -> bool:
        """Whether it begins with a byte-order mark."""
        return self.head.startswith(_BOM)

    @cached_property
    def is_document(self) -> bool:
        """Whether it is one value of JSON."""
        if self.given is not None:
            return True
        whole = len(self.head) < _HEAD
        head = self.head.removeprefix(_BOM)
        return b"\x00" not in head and is_document(head, self.suffix, whole=whole)

    @cached_property
    def value(self) -> Any:
        """The value of JSON; None of what is no such document."""
        if self.given is not None:
            return self.given
        return read_document(self.contents) if self.is_document else None

    @property
    def is_read(self) -> bool:
        """Whether its value is known without reading the whole source for that."""
        return self.given is not None or "value" in vars(self)

    def holds(self, key: str) -> bool:
        """Return whether it is a document of JSON with a key near its begin."""
        return f'"{key}"'.encode() in self.head and self.is_document


_UTF16 = "text in UTF-16. Convert it: iconv -f {} -t UTF-8 FILE > NEW."
_BINARY = {
    b"\x93NUMPY": "an array of NumPy. Of a number for each query and document: {{q: dict(zip("
    "doc_ids, row)) for q, row in zip(query_ids, np.load({!r}).tolist())}}.",
    b"ARROW1": "Arrow IPC (Feather). Give the table: pl.read_ipc({!r}).",
    b"\x80": "a pickle. If you trust who made it, give the object: pd.read_pickle({!r}).",
    b"\xff\xfe": _UTF16.format("UTF-16"),
    b"\xfe\xff": _UTF16.format("UTF-16"),
}
"""What a file is that begins so, and what to do."""


def binary(name: str, head: bytes) -> DataError:
    """Return the error for what is neither text nor a known format."""
    what = next((of for begin, of in _BINARY.items() if head.startswith(begin)), None)
    if what is None and all(head[:98:2]) and not any(head[1:98:2]):  # without a mark
        what = _UTF16.format("UTF-16LE")
    if what is not None:
        return DataError(f"{name} is {what.format(name)}")
    return DataError(
        f"{name} is binary. Expected: TREC text, CSV, TSV, Parquet or JSON lines, in UTF-8, plain "
        f"or compressed by gzip or zstd."
    )


def too_long(name: str) -> DataError:
    """Return the error for a line without end."""
    return DataError(
        f"{name} has a line of more than {LONGEST >> 20} MB. Expected: one row to a line."
    )


@dataclass(frozen=True)
class SystemOfFile(SystemResults):
    """The results of one system of a file that may hold several, accepted wherever a run is.

    Attributes
    ----------
    name
        The name of the system.
    what
        What the file is, as of `SourceFormat`.
    """

    name: str
    what: str = field(repr=False)
    _contents: Contents = field(repr=False)
    _run: Callable[[], Source] = field(repr=False)

    def open(self, role: Role) -> Source:
        """Open the results as a run.

        Raises
        ------
        DataError
            If judgments are asked for.
        """
        if role is not RUN:
            raise swapped(self._contents.name, self.what, role)
        return self._run()


_OPENED: ContextVar[dict[tuple[Path, str], SourceTable] | None] = ContextVar(
    "rankreport_tables", default=None
)


@contextmanager
def opening_once() -> Iterator[None]:
    """Open each file's table once in a block, which names runs before it reads them."""
    token = _OPENED.set({})
    try:
        yield
    finally:
        _OPENED.reset(token)


class SourceFormat(NamedTuple):
    """A format of files, or of the values of JSON that they hold.

    Files may be compressed: `decompressed` opens them as what they hold.

    Attributes
    ----------
    name
        Its name, by which the command line can ask for it if it has a `note`.
    sniff
        Whether a source seems to be of this format.
    what
        What a source of it is, after its name in messages; empty of a table, whose columns decide.
    judgments, run
        Open it in these roles.
    systems
        Returns what it holds by the names of systems; None for the source itself.
    table
        Opens it as a table, for any role.
    suffixes
        Suffixes of files that are taken to be of this format if nothing else is known of them.
    bare
        Whether the names of the columns may be missing.
    advice
        What to give where it has no part of the role.
    note
        What it is, in the help.
    """

    name: str
    sniff: Callable[[SourceBegin], bool]
    what: str = ""
    judgments: Callable[[SourceBegin, Role], Source] | None = None
    run: Callable[[SourceBegin], Source] | None = None
    systems: Callable[[SourceBegin], Mapping[str, SystemOfFile | None]] | None = None
    table: Callable[[Contents], SourceTable] | None = None
    suffixes: tuple[str, ...] = ()
    bare: bool = False
    advice: str = ""
    note: str = ""

    def open(self, sample: SourceBegin, role: Role) -> Source:
        """Open a source in a role.

        Raises
        ------
        DataError
            If it holds the other role, or the runs of several systems, or as of `table_source`.
        """
        contents, name = sample.contents, sample.contents.name
        if role is RUN and self.systems is not None:
            several = self.systems(sample)
            if len(several) > 1:
                raise DataError(
                    f"{name} holds the results of {len(several)} systems: {', '.join(several)}. "
                    f"Give its path without a name, and each is a system."
                )
            for part in filter(None, several.values()):
                return part.open(role)
        if role is RUN and self.run is not None:
            return self.run(sample)
        if role is not RUN and self.judgments is not None:
            return self.judgments(sample, role)
        if self.what or self.table is None:
            raise swapped(name, self.what, role, self.advice)
        return table_source(name, role, self.table_of(sample, role), contents)

    def table_of(self, sample: SourceBegin, role: Role) -> SourceTable:
        """Open a source as a table; in a block of `opening_once`, each file once.

        Raises
        ------
        DataError
            If it is no table.
        """
        if self.table is None:
            what = "has no header" if self.bare else self.what
            raise DataError(
                f"{sample.contents.name} {what}. Expected {role.noun}: CSV or TSV with a header, "
                f"Parquet or JSON lines, with {' and '.join(role.columns)}.{role.advice}"
                f"{role.headerless_advice}"
            )
        contents, known = sample.contents, _OPENED.get()
        if known is None or contents.path is None:
            return self.table(contents)
        place = (contents.path, self.name)
        if place not in known:
            known[place] = self.table(contents)
        return known[place]
