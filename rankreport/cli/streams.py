"""Printing to streams, which may be closed, full or of an encoding that lacks characters."""

from __future__ import annotations

import os
import sys
from typing import NoReturn, TextIO

from rankreport.errors import OutputError


def emit(text: object, stream: TextIO | None) -> None:
    """Print to a stream, which may be closed.

    Raises
    ------
    OutputError
        If the result cannot be written, as to a full disk.
    """
    if stream is None:  # closed before Python started
        return
    try:
        print(_encodable(str(text), stream), file=stream, flush=True)
    except OSError as error:
        _silence(stream)
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            msg = f"The result cannot be printed: {error.strerror}."
            raise OutputError(msg) from None


def _encodable(text: str, stream: TextIO) -> str:
    """Replace what the encoding of a stream lacks, as in a locale without UTF-8.

    >>> import io
    >>> _encodable("0.5 → 中", io.TextIOWrapper(io.BytesIO(), encoding="cp1252"))
    '0.5 ? ?'
    """
    encoding = getattr(stream, "encoding", None)
    return text.encode(encoding, "replace").decode(encoding) if encoding else text


def exit_silently(code: int) -> NoReturn:
    """End with this code after the output stream was closed."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            _silence(stream)
    sys.exit(code)


def _silence(stream: TextIO) -> None:
    """Redirect a stream to the null device, so that flushing at exit does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
