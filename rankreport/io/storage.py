"""Where files are kept: web addresses, object stores, patterns of names, partitioned folders."""

from __future__ import annotations

import hashlib
import os
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

import polars as pl

from rankreport.errors import DataError
from rankreport.io.formats.parquet import check_parquet
from rankreport.io.kept_inputs import note_file
from rankreport.io.lines import text_of
from rankreport.io.roles import Role
from rankreport.io.source import FOREIGN, POSITION, Contents, Source, is_file, is_folder, reason_of
from rankreport.io.tables import Frame, table_source
from rankreport.io.validation import check
from rankreport.shown_addresses import shown_address

_WEB = ("http", "https")
_STORES = ("s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss", "adl", "hf", "file")
_PARQUET = (".parquet", ".pq")
_SECONDS = 60
"""How long a server may be silent."""


@dataclass(frozen=True)
class _Remote(Contents):
    """What Polars reads from another machine, so that its bytes are not here."""

    exact: bool = False
    address: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        """Note a file of this machine."""
        if file := local_file(self.address):
            note_file(file)

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
    return _scheme(str(path)) in (*_WEB, *_STORES)


def local_file(address: str) -> Path | None:
    """Return the file of this machine that an address names, if it names one.

    >>> local_file("file:///runs/bm25%20a.run").name, local_file("s3://bucket/bm25.run")
    ('bm25 a.run', None)
    """
    return Path("/", unquote(_path(address))) if _scheme(address) == "file" else None


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


def is_partitioned(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder holds Parquet, or a pattern names it in folders as ``split=test``."""
    if is_folder(path):
        return any(next(Path(path).rglob(f"*{suffix}"), None) is not None for suffix in _PARQUET)
    first = next(iter(files_of(path) or ()), Path())
    return first.suffix in _PARQUET and any("=" in part for part in first.parts[:-1])


def fetched(address: str) -> Contents:
    """Read one file over the network, whole.

    Raises
    ------
    DataError
        If there is none, or it cannot be read.
    """
    name, scheme = shown_address(address), _scheme(address)
    if scheme in _WEB:
        return Contents(name, data=_downloaded(address))
    if file := local_file(address):
        if not is_file(file):
            raise DataError(f"{name} does not exist.")
        return Contents(name, path=file)
    try:
        if _path(address).endswith(_PARQUET):
            about = pl.read_parquet_metadata(address)
            about.pop("ARROW:schema", None)  # which is written again
            table = BytesIO()
            pl.scan_parquet(address, glob=False).sink_parquet(table, metadata=about)
            return Contents(name, data=table.getvalue(), exact=False)
        text = text_of(_Remote(name, data=b"", address=address))
        return Contents(name, data=text, exact=False)
    except FOREIGN as error:
        raise _unreachable(address, error) from None


def _scheme(address: str) -> str:
    scheme, mark, _ = address.partition("://")
    return scheme.casefold() if mark else ""


def _path(address: str) -> str:
    """Return what follows the host, also of an address that is not valid."""
    return shown_address(address).partition("://")[2].partition("/")[2]


def _downloaded(address: str) -> bytes:
    import urllib.error
    import urllib.request
    from http.client import HTTPException, responses

    url, server, login = _asked(address)

    class Login(urllib.request.BaseHandler):
        """Sends user and password to the server that they are for, wherever it redirects to."""

        def http_request(self, request: urllib.request.Request) -> urllib.request.Request:
            if login is not None and request.full_url.startswith(server):
                request.add_unredirected_header("Authorization", login)
            return request

        https_request = http_request

    opener = urllib.request.build_opener(Login)
    request = urllib.request.Request(url, headers={"User-Agent": "rankreport"})  # noqa: S310
    try:
        with opener.open(request, timeout=_SECONDS) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        error.close()
        # Not the server's own reason, which may repeat the address.
        reason = f"the server answers {error.code} {responses.get(error.code, '')}".strip()
        raise DataError(f"{shown_address(address)} cannot be read: {reason}.") from None
    except (OSError, HTTPException, ValueError) as error:
        failure = getattr(error, "reason", error)
        own = isinstance(failure, OSError)
        reason = reason_of(failure) if own else "the answer is cut, or cannot be understood"
        raise DataError(f"{shown_address(address)} cannot be read ({reason}).") from None


def _asked(address: str) -> tuple[str, str, str | None]:
    """Return an address without its user, the begin of all of its server, and how to log in.

    Raises
    ------
    DataError
        If the address is not valid.
    """
    try:
        parts = urlsplit(address)
        user, _, host = parts.netloc.rpartition("@")
        valid = parts.port != 0 and bool(parts.hostname) and f"{parts.path}{parts.query}".isascii()
    except ValueError:
        valid = False
    if not valid or re.search(r"[\s\x00-\x1f\x7f]", address):
        raise DataError(
            f"{shown_address(address)} is no valid address. Percent-encode blanks, letters outside "
            f"ASCII, and in a password also / ? # and @."
        )
    url = urlunsplit((parts.scheme, host, parts.path or "/", parts.query, ""))
    name, _, password = map(unquote, user.partition(":"))
    login = f"Basic {b64encode(f'{name}:{password}'.encode()).decode()}" if user else None
    return url, f"{parts.scheme}://{host}/", login


def _unreachable(address: str, error: BaseException) -> DataError:
    return DataError(
        f"{shown_address(address)} cannot be read ({reason_of(error)}). Polars takes keys, regions "
        f"and endpoints from the environment, such as AWS_ACCESS_KEY_ID."
    )


def scanned(path: str | os.PathLike[str], role: Role) -> Source | None:
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
    found = scanned_table(path)
    if found is None:
        return None
    contents, table = found
    try:
        return table_source(contents.name, role, table, contents)
    except FOREIGN as error:
        raise _unreachable(os.fspath(path), error) from None


def scanned_table(path: str | os.PathLike[str]) -> tuple[Contents, Frame] | None:
    """Return what Polars scans as one table, and its files; None if the path is none of these.

    Raises
    ------
    DataError
        If it cannot be read.
    """
    text = os.fspath(path)
    if is_url(text):
        own = _path(text)
        of_file = _scheme(text) == "file" and not _is_pattern(own)
        if not own.endswith(_PARQUET) or _scheme(text) in _WEB or of_file:
            if _is_pattern(own):
                raise DataError(
                    f"{shown_address(text)}: a pattern on another machine names Parquet files. "
                    f"Give each other file by its own address."
                )
            return None
        return _Remote(shown_address(text), address=text), Frame(partial(pl.scan_parquet, text))
    inside = [each for each in Path(text).rglob("*") if each.name[0] not in "._" and each.is_file()]
    files = files_of(text) or sorted(each for each in inside if each.suffix in _PARQUET)
    height = sum(check_parquet(Contents(str(each), path=each)) for each in files)
    if is_folder(text):
        note_file(Path(text))
    # Polars refuses a folder that holds other files, too, such as a README.
    scanned = [text] if len(inside) <= len(files) else [*map(str, files)]
    rows = partial(pl.scan_parquet, scanned, hive_partitioning=True)
    return _Files(text, paths=tuple(files)), Frame(rows, height)


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

    paths = tuple(s.contents.path for s in sources if s.contents and s.contents.path)
    every = [remark for source in sources for remark in source.remarks]
    return replace(
        first,
        name=name,
        unit="row",
        scans=tuple(partial(_scan_all, sources, common, at) for at in which),
        numbered=partial(_number_all, sources, common),
        columns=tuple(common),
        contents=_Files(name, paths=paths) if paths else None,
        height=sum(s.height or 0 for s in sources) if all(s.height for s in sources) else None,
        depth=max((s.depth for s in sources if s.depth), default=None),
        failed=tuple(query for source in sources for query in source.failed),
        remarks=tuple(every[n] for n in range(len(every)) if every[n] not in every[:n]),
    )


def _scan_all(sources: Sequence[Source], columns: Sequence[str], at: int) -> pl.LazyFrame:
    return pl.concat([source.scans[at]().select(columns) for source in sources])


def _number_all(sources: Sequence[Source], columns: Sequence[str]) -> pl.LazyFrame:
    for source in sources:  # a fault of one file is reported with its line
        check(source.read(), source)
    rows = (source.numbered().select(*columns).collect().lazy() for source in sources)
    return pl.concat(rows).with_row_index(POSITION, 1)
