"""Output of commands: files, the printed result, and warnings."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from rankreport import io
from rankreport.cli.grouping import option_of
from rankreport.cli.interrupts import end_at_once, interrupts_raised
from rankreport.cli.streams import emit
from rankreport.errors import OptionError, OutputError, choose
from rankreport.text import Caution, labelled, say, visible

Writer = Callable[[Path], tuple[Path, ...] | None]
"""Writes to a path, and returns the paths written if there are several."""


Formats = Mapping[str, io.Format]
"""How a result may be written, by suffix."""


def output_option(help_text: str) -> Any:
    """Return the option for output files."""
    return option_of("FILE", help_text, "-o --output")


def any_of(formats: Formats) -> str:
    """Return a list of suffixes for the help, with notes on their formats.

    >>> any_of({".xml": io.Format(print, "JUnit"), ".json": io.Format(print)})
    '.xml (JUnit) or .json'
    """
    *others, last = (f"{s} ({each.note})" if each.note else s for s, each in formats.items())
    return f"{', '.join(others)} or {last}" if others else last


def writers_of(made: object, paths: Iterable[Path], formats: Formats) -> dict[Path, Writer]:
    """Return what writes a result to each path."""
    return {path: partial(formats[path.suffix].write, made) for path in paths}


def check_outputs(paths: Iterable[Path], formats: Formats) -> None:
    """Check that paths can be written, before any work is done.

    Parameters
    ----------
    paths
        The outputs.
    formats
        How they may be written.

    Raises
    ------
    OptionError
        If a path has none of the suffixes, or two are of one file.
    OutputError
        If a path is an address or cannot be written, or is an input of the command, or what is
        written with it is.
    """
    given: dict[str, Path] = {}
    for path in paths:
        io.check_local("output", path, OutputError)
        ends = formats[choose("output suffix", path.suffix, formats)].beside
        also = [path.with_name(f"{path.stem}{end}") for end in ends]
        io.check_writable(path, io.files_noted(), also)
        _check_other(path, given, path)


def _check_other(one: Path, by_file: dict[str, Path], written: Path) -> None:
    """Check that two outputs do not write one file, also where case does not count."""
    if one != (other := by_file.setdefault(os.path.realpath(written).casefold(), one)):
        raise OptionError(f"-o {one} and -o {other} both write {written}. Rename one of them.")


def check_notebook(paths: Sequence[Path], *, execute: bool, data_inside: bool) -> None:
    """Check that notebook options are given only with a notebook.

    Raises
    ------
    OptionError
        For the first notebook option without a notebook.
    """
    if any(path.suffix == ".ipynb" for path in paths):
        return
    for option, given in {"--execute": execute, "--data-inside": data_inside}.items():
        if given:
            raise OptionError(f"{option} is for a notebook: add -o report.ipynb.")


def finish(
    result: object, writers: Mapping[Path, Writer], cautions: Iterable[Caution] = ()
) -> None:
    """Write all files or none, print the result, then cautions that it lacks, and paths written.

    Tables of figures, which scripts read, lack them: on standard error they are seen even if the
    table is redirected. What is a verdict has its cautions with it.

    The files come first, so that a closed output stream does not prevent them.

    Raises
    ------
    OptionError
        If two outputs write the same file, as a notebook's scores and a table of that name do.
    OutputError
        If an output is a file that was read.
    """
    written: dict[Path, Path] = {}
    by_file: dict[str, Path] = {}
    for path in writers:
        io.check_apart(path, io.files_noted())
    with _ended_by_exceptions(), io.together():
        for path, write in writers.items():
            for each in write(path) or (path,):
                written[each] = path
                _check_other(path, by_file, each)
    emit(result, sys.stdout)
    for caution in cautions:
        emit(visible(labelled(caution)), sys.stderr)
    for path in written:
        emit(say("Wrote {path}", path=visible(str(path))), sys.stderr)


@contextmanager
def _ended_by_exceptions() -> Iterator[None]:
    """Let a request to end the process raise SystemExit, so that outputs are taken back first."""

    def leave(number: int, _: object) -> NoReturn:
        sys.exit(128 + number)  # as a shell reports a process ended by a signal

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        if interrupts_raised():
            before[signal.SIGINT] = end_at_once
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # One that is ignored, as by nohup, stays ignored.
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, leave)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
