"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rankreport.errors import OutputError

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to, and move what was written into place when all went well.

    Parameters
    ----------
    path
        Where the result belongs.

    Yields
    ------
    Path
        A file beside it.

    Raises
    ------
    OutputError
        If the folder does not exist or cannot be written to.
    """
    target = Path(path)
    if target.is_dir():
        raise OutputError(f"{target} is a folder; a file's name is expected.")
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
        os.close(handle)
    except OSError as error:
        msg = f"{target} cannot be written: {error.strerror}. Does its folder exist?"
        raise OutputError(msg) from None
    beside = Path(name)
    try:
        yield beside
        beside.chmod(0o666 & ~_umask())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
