"""Writing files whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from rankreport.errors import OutputError

__all__ = ["check_writable", "replacing", "write_frame", "write_text"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to, and move what was written into place when all went well.

    Parameters
    ----------
    path
        Where the result belongs. A link is followed; the permissions of a file that stands there
        are kept.

    Yields
    ------
    Path
        A file beside it.

    Raises
    ------
    OutputError
        If the folder does not exist or cannot be written to, if what stands there is no file, or
        if writing fails.
    """
    beside: Path | None = None
    try:
        with _refusing(path):
            target = Path(os.path.realpath(path))
            permissions = _permissions(target)
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
            os.close(handle)
            beside = Path(name)
            yield beside
            beside.chmod(permissions)
            beside.replace(target)
    finally:
        if beside is not None:
            beside.unlink(missing_ok=True)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that nothing can be written to, before any work is done for it.

    Raises
    ------
    OutputError
        As `replacing` would.
    """
    with _refusing(path):
        target = Path(os.path.realpath(path))
        _permissions(target)
        handle, name = tempfile.mkstemp(dir=target.parent)
        os.close(handle)
        Path(name).unlink()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write text as UTF-8, whole or not at all."""
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8")


def write_frame(path: str | os.PathLike[str], frame: pl.DataFrame) -> None:
    """Write a frame, whole or not at all, as its path ends: .parquet, .csv or .json."""
    with replacing(path) as file:
        match Path(path).suffix:
            case ".parquet":
                frame.write_parquet(file)
            case ".csv":
                frame.write_csv(file)
            case _:
                frame.write_json(file)


@contextmanager
def _refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the system says of a path into an error of ours."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        hint = " Does its folder exist?" if isinstance(error, FileNotFoundError) else ""
        msg = f"{os.fspath(path)} cannot be written: {error.strerror or error}.{hint}"
        raise OutputError(msg) from None


def _permissions(target: Path) -> int:
    """Return those of the file that will be replaced, or of any new file."""
    if target.is_dir():
        raise OutputError(f"{target} is a folder; a file's name is expected.")
    if target.is_file():
        return stat.S_IMODE(target.stat().st_mode)
    if target.exists():  # a device or a pipe: moving a file into its place would destroy it
        raise OutputError(f"{target} is no ordinary file, so it cannot be replaced.")
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
