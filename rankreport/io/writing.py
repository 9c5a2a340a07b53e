"""Writing files atomically, with a suffix that fits their format."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast, overload

import polars as pl

from rankreport.errors import DataError, OptionError, OutputError, RankReportError
from rankreport.frames import DOC_ID, QUERY_ID
from rankreport.io.kept_inputs import check_apart
from rankreport.io.spreadsheet import guarded
from rankreport.shown_addresses import given_address, shown_address


class Export(Protocol):
    """Returns a text or, given a path, writes it there and returns the paths written."""

    @overload
    def __call__(self, path: None = None) -> str: ...
    @overload
    def __call__(self, path: str | os.PathLike[str]) -> tuple[Path, ...]: ...


class TextExport(Protocol):
    """A method that is an `Export`."""

    def __get__(self, made: Any, kind: type[Any] | None = None) -> Export:
        """Return the export bound to an instance."""
        ...


def text_export(*suffixes: str) -> Callable[[Callable[[Any], str]], TextExport]:
    """Add an optional path argument to a method that returns a text.

    With a path, the method writes the text atomically and returns the paths written. The path must
    have one of the suffixes, or none, and be none of the object's ``files`` (see `check_suffix`).

    Examples
    --------
    >>> class Note:
    ...     @text_export(".md")
    ...     def to_markdown(self) -> str:
    ...         return "*Note*"
    >>> Note().to_markdown()
    '*Note*'
    >>> Note().to_markdown("note.html")
    Traceback (most recent call last):
    ...
    rankreport.errors.OptionError: 'note.html' ends in .html, and to_markdown() writes .md.
    """

    def taking_a_path(text_of: Callable[[Any], str]) -> TextExport:
        @wraps(text_of, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
        def export(self: Any, path: str | os.PathLike[str] | None = None) -> str | tuple[Path, ...]:
            if path is None:
                return text_of(self)
            inputs = getattr(self, "files", ())
            target = check_suffix(path, text_of.__name__, *suffixes, inputs=inputs)
            text = text_of(self)
            write_text(target, text if text.endswith("\n") else f"{text}\n")
            return (target,)

        del export.__wrapped__  # its signature has no path
        return cast("TextExport", export)

    return taking_a_path


PARQUET = (".parquet", ".pq")
"""Suffixes of Parquet files."""


class Format(NamedTuple):
    """A format that a result is written in.

    Attributes
    ----------
    write
        Writes the result to a path, and returns what it wrote where that is more than this.
    note
        What it holds or is for, in the help; or nothing.
    beside
        Endings of the files that may be written next to it, which follow the stem of its name.
    """

    write: Callable[[Any, Path], tuple[Path, ...] | None]
    note: str = ""
    beside: tuple[str, ...] = ()


def check_suffix(
    path: str | os.PathLike[str], writer: str, *suffixes: str, inputs: Iterable[Path] = ()
) -> Path:
    """Check that a path has one of the suffixes, or none, and is no input, and return it.

    Raises
    ------
    OptionError
        If it has another suffix.
    OutputError
        If it is an address, or one of the inputs, which would be replaced.

    >>> check_suffix("a/Report.HTML", "to_html", ".html", ".htm").name
    'Report.HTML'
    """
    check_local("output", path, OutputError)
    target = Path(path)
    if target.suffix and target.suffix.lower() not in suffixes:
        raise OptionError(
            f"{shown_address(path)!r} ends in {shown_address(target.suffix)}, and {writer}() "
            f"writes {' or '.join(suffixes)}."
        )
    check_apart(target, inputs)
    return target


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write to a temporary file, and move it into place on success.

    Parameters
    ----------
    path
        The target. Links are followed; the permissions of an existing file are kept.

    Yields
    ------
    Path
        A temporary file in the same folder.

    Raises
    ------
    OutputError
        If the folder does not exist or is not writable, the target is not a regular file, or
        writing fails.
    """
    temporary: Path | None = None
    try:
        with refusing(path):
            target = Path(os.path.realpath(path))
            permissions = _permissions(target)
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
            os.close(handle)
            temporary = Path(name)
            try:
                yield temporary
            except OF_POLARS:
                check_room(temporary)
                raise
            temporary.chmod(permissions)
            _remember(target)
            temporary.replace(target)
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


_set: ContextVar[dict[Path, Path | None] | None] = ContextVar("rankreport_set", default=None)
"""The files that a set has replaced, each with where it keeps what was there, if anything."""


@contextmanager
def together() -> Iterator[None]:
    """Write the files of a block all or not at all: after a failure, what was there is back.

    Files are moved into place one by one, since a later one may read an earlier one, such as a
    notebook its data. A set within a set is part of it. Signals wait while files are taken back;
    only a power cut or SIGKILL in this block can leave some of the files, each of them whole.

    Raises
    ------
    OutputError
        If an old file cannot be put back; it says where that is kept.
    """
    if _set.get() is not None:
        yield
        return
    kept: dict[Path, Path | None] = {}
    token = _set.set(kept)
    try:
        yield
    except BaseException as failure:
        with _signals_waiting():
            if lost := _take_back(kept):
                raise OutputError(f"{failure} {' '.join(lost)}") from failure
        raise
    finally:
        _set.reset(token)
        with _signals_waiting():
            for copy in kept.values():
                if copy is not None:
                    copy.unlink(missing_ok=True)


def _take_back(kept: dict[Path, Path | None]) -> list[str]:
    """Put back what a set has replaced, and say of which files that is not possible."""
    lost = []
    for target, copy in list(kept.items()):
        try:
            if copy is None:
                target.unlink(missing_ok=True)
            else:
                copy.replace(target)
        except OSError as error:  # the other files can still be put back
            where = f", and is kept as {copy}" if copy is not None else ""
            what = "cannot be removed" if copy is None else "cannot be put back"
            lost.append(f"{target} {what} ({error.strerror or error}){where}.")
            del kept[target]
    return lost


@contextmanager
def _signals_waiting() -> Iterator[None]:
    """Let signals that would end the process wait until a block ends."""
    waiting: list[int] = []
    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # None is a handler that was not set by Python, and could not be set again.
            if number is not None and signal.getsignal(number) is not None:
                before[number] = signal.signal(number, lambda it, _: waiting.append(it))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in waiting:
        signal.raise_signal(number)


def _remember(target: Path) -> None:
    """Keep a file before a set replaces it."""
    kept = _set.get()
    if kept is not None and target not in kept:
        kept[target] = _second_name(target) if target.exists() else None


def _second_name(target: Path) -> Path:
    """Return another name of a file, or a copy where the file system has no links.

    A link takes no space, so that what was there can be put back when the disk is full.
    """
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
    os.close(handle)
    copy = Path(name)
    try:
        copy.unlink()
        try:
            copy.hardlink_to(target)
        except (OSError, NotImplementedError):
            shutil.copy2(target, copy)
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    return copy


def make_folder(folder: str | os.PathLike[str]) -> None:
    """Create a folder unless it exists.

    Raises
    ------
    OutputError
        If it cannot be created.
    """
    check_local("output", folder, OutputError)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"Folder {folder} cannot be created: {error.strerror}.") from None


def check_local(
    what: str, path: str | os.PathLike[str], error: type[RankReportError] = OptionError
) -> None:
    """Raise an error if an address was given where a path of this machine belongs.

    >>> check_local("logo", "s3://b/logo.png")
    Traceback (most recent call last):
    ...
    rankreport.errors.OptionError: s3://b/logo.png is an address. For the logo, give a local path.
    """
    if address := given_address(path):
        raise error(f"{address} is an address. For the {what}, give a local path.")


def check_writable(
    path: str | os.PathLike[str], inputs: Iterable[Path] = (), also: Iterable[Path] = ()
) -> None:
    """Raise an error if nothing can be written to a path; call it before long computations.

    Raises
    ------
    OutputError
        As in `replacing`, or if it is one of the inputs, or a file is that is written with it.
    """
    check_apart(Path(path), inputs, also)
    with refusing(path):
        target = Path(os.path.realpath(path))
        _permissions(target)
        handle, name = tempfile.mkstemp(dir=target.parent)
        os.close(handle)
        Path(name).unlink()


def write_fields(
    folder: str | os.PathLike[str], files: Mapping[Path, pl.DataFrame], inputs: Iterable[Path]
) -> None:
    """Write frames as text in a folder, with white space between the fields: all or none.

    Raises
    ------
    DataError
        If an id holds white space.
    OutputError
        If a file cannot be written, or is one of the inputs.
    """
    for path, rows in files.items():
        _check_gaps(path, rows)
        check_apart(path, inputs)
    make_folder(folder)
    for path in files:
        check_writable(path)
    with together():
        for path, rows in files.items():
            with replacing(path) as file:
                rows.write_csv(file, include_header=False, separator=" ", quote_style="never")


def _check_gaps(path: Path, rows: pl.DataFrame) -> None:
    for column in (QUERY_ID, DOC_ID):
        broken = rows.filter(pl.col(column).str.contains(r"\s"))
        if not broken.is_empty():
            raise DataError(
                f"{path.name}: {column} {broken[column][0]!r} holds white space, which separates "
                f"the fields of TREC text. Give other ids, or write Parquet: "
                f"rr.read_run(run).sink_parquet(path)."
            )


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text as UTF-8, atomically."""
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8")


_AT_ONCE = 2**17
"""So many rows are converted to text at once."""


def write_frame(path: str | os.PathLike[str], frame: pl.DataFrame | Iterable[pl.DataFrame]) -> None:
    """Write a frame atomically in the format of `TABLES` that the path ends in, else as Parquet.

    Frames are written one below the other; a frame is converted to text in parts.
    """
    frames = [frame] if isinstance(frame, pl.DataFrame) else frame
    with replacing(path) as file:
        TABLES.get(Path(path).suffix.lower(), _write_parquet)(frames, file)


def _write_parquet(frames: Iterable[pl.DataFrame], file: Path) -> None:
    pl.concat(frames).write_parquet(file)


def _write_csv(frames: Iterable[pl.DataFrame], file: Path) -> None:
    with file.open("wb") as out:
        for place, rows in enumerate(_few_at_a_time(frames)):
            guarded(rows).write_csv(out, include_header=place == 0)


def _write_json(frames: Iterable[pl.DataFrame], file: Path) -> None:
    with file.open("wb") as out:
        before = b"["
        for rows in _few_at_a_time(frames):
            if len(rows):
                out.write(before + rows.write_json()[1:-1].encode())
                before = b","
        out.write(b"]" if before == b"," else b"[]")


TABLES = {".parquet": _write_parquet, ".csv": _write_csv, ".json": _write_json}
"""What writes a table in each format, by suffix."""


def table_formats(
    rows_of: Callable[[Any], pl.DataFrame | Iterable[pl.DataFrame]], note: str = ""
) -> dict[str, Format]:
    """Return the formats in which the rows of a result are written as a table, by suffix."""
    return dict.fromkeys(TABLES, Format(lambda made, path: write_frame(path, rows_of(made)), note))


def _few_at_a_time(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield the rows of frames in parts; of one without rows, an empty part."""
    for frame in frames:
        for first in range(0, max(len(frame), 1), _AT_ONCE):
            yield frame.slice(first, _AT_ONCE)


def check_room(file: Path) -> None:
    """Raise the error of the system if a file cannot grow, which Polars may not have named.

    Raises
    ------
    OSError
        As where the disk is full.
    """
    with file.open("ab") as out:
        out.write(bytes(_BLOCK))
        out.flush()
        os.fsync(out.fileno())


_BLOCK = 2**20

OF_POLARS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
"""What Polars raises where it cannot write."""

_REASON = r"([^: ][^:]*) \(os error \d+\)"
"""The reason in a message of Polars, whose error for a full disk is not always an OSError."""


@contextmanager
def refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert an error of the file system, also as Polars words it, into an `OutputError`.

    Raises
    ------
    OutputError
        If writing fails, or the path is an address.
    """
    check_local("output", path, OutputError)
    try:
        yield
    except OutputError:
        raise
    except (OSError, pl.exceptions.ComputeError) as error:
        reason = getattr(error, "strerror", None)
        if reason is None and (found := re.search(_REASON, str(error))):
            reason = found[1]
        elif not isinstance(error, OSError):
            raise
        hint = " Does its folder exist?" if isinstance(error, FileNotFoundError) else ""
        msg = f"{os.fspath(path)} cannot be written: {reason or error}.{hint}"
        raise OutputError(msg) from None


def _permissions(target: Path) -> int:
    """Return the permissions of the file to replace, or of a new file."""
    if target.is_dir():
        raise OutputError(f"{target} is a folder; a file's name is expected.")
    if target.is_file():
        return stat.S_IMODE(target.stat().st_mode)
    if target.exists():  # a device or a pipe, which replacing would destroy
        raise OutputError(f"{target} is not a regular file, so it cannot be replaced.")
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
