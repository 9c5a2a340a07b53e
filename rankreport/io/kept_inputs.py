"""The files that a result was read from, which none of its outputs may replace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from rankreport.errors import OutputError

STANDARD_INPUT = Path("/dev/stdin")
"""Standard input, which the shell may have redirected from a file."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FromFiles:
    """A result that knows which files it was read from.

    Attributes
    ----------
    files
        The files, with absolute paths. No output of the result replaces one of them.
    """

    files: frozenset[Path] = frozenset()


_P = ParamSpec("_P")
_Result = TypeVar("_Result", bound=FromFiles)

_noted: ContextVar[set[Path] | None] = ContextVar("rankreport_files", default=None)


def note_file(path: Path) -> None:
    """Note that a file is read, or a folder whose files are one table."""
    noted = _noted.get()
    if noted is not None:
        noted.add(path.absolute())


def files_noted() -> frozenset[Path]:
    """Return the files that were noted so far in the block of `files_read`."""
    return frozenset(_noted.get() or ())


@contextmanager
def files_read() -> Iterator[set[Path]]:
    """Collect the files that a block reads; a block around it collects them, too."""
    outer, inner = _noted.get(), set[Path]()
    token = _noted.set(inner)
    try:
        yield inner
    finally:
        _noted.reset(token)
        if outer is not None:
            outer |= inner


def keeping_files(read: Callable[_P, _Result]) -> Callable[_P, _Result]:
    """Let a function return its result with the files that were read, in its arguments too."""

    @wraps(read)
    def reading(*args: _P.args, **kwargs: _P.kwargs) -> _Result:
        with files_read() as files:
            result = read(*args, **kwargs)
            given = [*args, *kwargs.values()]
            given += [
                each for value in given if isinstance(value, Mapping) for each in value.values()
            ]
            known = (getattr(value, "files", None) for value in given)
            files.update(*(each for each in known if isinstance(each, frozenset)))
        return replace(result, files=result.files | files)

    return reading


def check_apart(output: Path, inputs: Iterable[Path], also: Iterable[Path] = ()) -> None:
    """Check that an output is none of the inputs, by its path or as a link to the same file.

    Parameters
    ----------
    output
        The file to write.
    inputs
        Files that are read, and folders of which all files are.
    also
        Files that are written with it.

    Raises
    ------
    OutputError
        If one of them is an input, or lies in such a folder.

    Examples
    --------
    >>> check_apart(Path("new.csv"), [Path("run.csv")])
    >>> check_apart(Path("runs/../run.csv"), [Path("run.csv")])
    Traceback (most recent call last):
        ...
    rankreport.errors.OutputError: runs/../run.csv is an input (run.csv), and would be replaced. ...
    """
    known = {_identity(path): path for path in inputs}
    for written in (output, *also) if known else ():
        what = f"{written}" if written is output else f"{written}, written with {output},"
        real = Path(os.path.realpath(written))
        for place in (real, *real.parents):
            if (found := known.get(_identity(place))) is None:
                continue
            if place is not real:
                raise OutputError(
                    f"{what} would be a file of {_shown(found)}, all files of which are read. "
                    f"Write to another folder."
                )
            same = "" if _shown(found) == str(written) else f" ({_shown(found)})"
            raise OutputError(
                f"{what} is an input{same}, and would be replaced. Give the output another name."
            )


def _identity(path: Path) -> object:
    """Return what is equal for all names of a file, and for the same path where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return os.path.realpath(path)
    return found.st_dev, found.st_ino


def _shown(path: Path) -> str:
    """Return an input as it may have been given."""
    if path == STANDARD_INPUT:
        return "standard input"
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
