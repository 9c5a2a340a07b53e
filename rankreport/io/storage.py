"""Where files are kept: web addresses, object stores, patterns of names, partitioned folders."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import polars as pl

from rankreport.errors import DataError
from rankreport.io.inputs import note_file
from rankreport.io.parquet import check_parquet
from rankreport.io.schema import Layout
from rankreport.io.source import FOREIGN, POSITION, Contents, Source, is_folder, reason_of
from rankreport.io.tables import Frame, table_source
from rankreport.io.trec import LINE, numbered_lines
from rankreport.io.validation import check

__all__ = ["fetched", "files_of", "is_partitioned", "is_url", "joined", "local_file", "scanned"]

_WEB = ("http", "https")
_STORES = ("s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss", "adl", "hf", "file")
_PARQUET = (".parquet", ".pq")
_SECONDS = 60
"""How long a server may be silent."""


@dataclass(frozen=True)
class _Remote(Contents):
    """What Polars reads from another machine, so that its bytes are not here."""

    address: str = ""

    def __post_init__(self) -> None:
        """Note a file of this machine."""
        if file := local_file(self.address):
            note_file(file)

    def digest(self) -> None:
        """Return None: the bytes were not read."""

    def size(self) -> None:
        """Return None: the bytes are elsewhere."""

    def open(self) -> Path:
        """Return the address, which Polars scans."""
        return self.address  # type: ignore[return-value]  # Polars takes both


@dataclass(frozen=True)
class _Files(Contents):
    """Several files that are one table."""

    paths: tuple[Path, ...] = ()

    def digest(self) -> str:
        """Return the SHA-256 of the digests of the files, in the order of their names."""
        digests = (str(Contents(str(p), path=p).digest()) for p in self.paths)
        return hashlib.sha256("\n".join(digests).encode()).hexdigest()

    def size(self) -> int:
        """Return the number of bytes of all files."""
        return sum(path.stat().st_size for path in self.paths)

    def head(self, size: int = 1 << 16) -> bytes:
        """Return the first bytes of the first file."""
        return Contents(self.name, path=self.paths[0]).head(size) if self.paths else b""


def is_url(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is an address that is read over the network.

    >>> is_url("s3://bucket/qrels.parquet"), is_url("runs/bm25.run")
    (True, False)
    """
    scheme, mark, _ = str(path).partition("://")
    return bool(mark) and scheme.casefold() in (*_WEB, *_STORES)


def local_file(address: str) -> Path | None:
    """Return the file of this machine that an address names, if it names one.

    >>> local_file("file:///runs/bm25%20a.run").name, local_file("s3://bucket/bm25.run")
    ('bm25 a.run', None)
    """
    scheme, mark, path = address.partition("://")
    return Path(unquote(path)) if mark and scheme.casefold() == "file" else None


def _is_pattern(path: str) -> bool:
    return any(mark in path for mark in "*?[")


def files_of(path: str | os.PathLike[str]) -> list[Path] | None:
    """Return the files that a pattern such as ``runs/*.csv`` names; None if it names none."""
    text = os.fspath(path)
    try:
        if not _is_pattern(text) or Path(text).exists():
            return None
        parts = Path(text).parts
        fixed = next(n for n, part in enumerate(parts) if _is_pattern(part))
        found = sorted(Path(*parts[:fixed]).glob(os.path.join(*parts[fixed:])))  # noqa: PTH118
    except (OSError, ValueError):  # an invalid name, reported when it is opened
        return None
    return [each for each in found if each.is_file() and each.name[0] != "."] or None


def is_partitioned(folder: Path) -> bool:
    """Return whether a folder holds Parquet in folders such as ``split=test``, or in itself."""
    return any(next(folder.rglob(f"*{suffix}"), None) is not None for suffix in _PARQUET)


def fetched(address: str) -> Contents:
    """Read one file over the network, whole.

    Raises
    ------
    DataError
        If there is none, or it cannot be read.
    """
    scheme = address.partition("://")[0].casefold()
    if scheme in _WEB:
        return Contents(address, data=_downloaded(address))
    remote = _Remote(address, data=b"", address=address)
    try:
        lines = numbered_lines(remote, blank=True).collect()[LINE]
    except FOREIGN as error:
        raise _unreachable(address, error) from None
    return Contents(address, data="\n".join(lines.fill_null("")).encode())


def _downloaded(address: str) -> bytes:
    import urllib.error
    import urllib.request
    from http.client import HTTPException

    request = urllib.request.Request(address, headers={"User-Agent": "rankreport"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        error.close()
        raise DataError(
            f"{_shown(address)} cannot be read: the server answers {error.code} {error.reason}."
        ) from None
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise DataError(f"{_shown(address)} cannot be read ({reason}).") from None


def _shown(address: str) -> str:
    """Return an address without what may be a secret."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def _unreachable(address: str, error: BaseException) -> DataError:
    return DataError(
        f"{_shown(address)} cannot be read ({reason_of(error)}). Polars takes keys, regions and "
        f"endpoints from the environment, such as AWS_ACCESS_KEY_ID."
    )


def scanned(path: str | os.PathLike[str], layout: Layout) -> Source | None:
    """Open what Polars scans as one table: Parquet in a store, or in a partitioned folder.

    Returns
    -------
    Source or None
        None if the path is none of these.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    text = os.fspath(path)
    if is_url(text):
        own = urlsplit(text).path
        if not own.endswith(_PARQUET) or text.partition("://")[0].casefold() in _WEB:
            if _is_pattern(own):
                raise DataError(
                    f"{_shown(text)}: a pattern on another machine names Parquet files. Give each "
                    f"other file by its own address."
                )
            return None
        contents: Contents = _Remote(_shown(text), address=text)
        rows: Callable[[], pl.LazyFrame] = lambda: pl.scan_parquet(text)  # noqa: E731
    else:
        files = sorted(each for s in _PARQUET for each in Path(text).rglob(f"*{s}"))
        for each in files:
            check_parquet(Contents(str(each), path=each))
        contents = _Files(text, paths=tuple(files))
        if is_folder(text):
            note_file(Path(text))
        rows = lambda: pl.scan_parquet(text, hive_partitioning=True)  # noqa: E731
    try:
        return table_source(contents.name, layout, Frame(rows), contents)
    except FOREIGN as error:
        raise _unreachable(text, error) from None


def joined(name: str, sources: Sequence[Source]) -> Source:
    """Return one source over the rows of several files.

    Raises
    ------
    DataError
        If some have scores and others only ranks.
    """
    first = sources[0]
    if len(sources) == 1:
        return first
    for other in sources[1:]:
        if other.scored != first.scored:
            raise DataError(
                f"{name}: of {first.name} and {other.name}, one has scores and one only ranks. "
                f"Give files of one kind."
            )
    common = [c for c in first.columns if all(c in other.columns for other in sources)]
    same = len({len(source.scans) for source in sources}) == 1
    which = range(len(first.scans)) if same else [-1]

    def scan(at: int) -> Callable[[], pl.LazyFrame]:
        return lambda: pl.concat([source.scans[at]().select(common) for source in sources])

    def numbered() -> pl.LazyFrame:
        for source in sources:  # a fault of one file is told with its line
            check(source.read(), source)
        rows = (s.numbered().select(*common).collect().lazy() for s in sources)
        return pl.concat(rows).with_row_index(POSITION, 1)

    paths = tuple(s.contents.path for s in sources if s.contents and s.contents.path)
    return replace(
        first,
        name=name,
        unit="row",
        scans=tuple(scan(at) for at in which),
        numbered=numbered,
        columns=tuple(common),
        contents=_Files(name, paths=paths),
        depth=max((s.depth for s in sources if s.depth), default=None),
        failed=tuple(query for source in sources for query in source.failed),
        remarks=tuple(remark for source in sources for remark in source.remarks),
    )
