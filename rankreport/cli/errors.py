"""What becomes of errors on the command line: one paragraph and an exit code."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, NoReturn

from rankreport.cli.streams import emit, exit_silently
from rankreport.errors import DataError, RankReportError
from rankreport.shown_addresses import without_secrets
from rankreport.text import visible

_shown = {"traceback": False}


def show_traceback(wanted: bool) -> None:
    """Remember whether the traceback of an unexpected error is to be shown."""
    _shown["traceback"] = wanted


_FAULT = 70
"""The exit code of an unexpected error: EX_SOFTWARE of sysexits.h."""


def _end(code: int, message: str, *, printed: bool = False) -> NoReturn:
    """Print an error unless that is done, write it where a gate's ``--verdict`` says, and end."""
    if not printed:
        emit(f"rankreport: {message}", sys.stderr)
    options = takewhile(lambda word: word != "--", sys.argv)
    for word, following in pairwise([*options, ""]):
        option, _, value = word.partition("=")
        path = Path(value or following)
        if option == "--verdict" and path.suffix == ".json" and "gate" in sys.argv:
            try:
                module = import_module("rankreport.cli.error_verdict")
                module.write_error_verdict(path, code, message)
            except _faults() as failure:
                emit(f"rankreport: {failure}", sys.stderr)
    sys.exit(code)


def _fault_in_words(error: BaseException) -> str:
    """Return an unexpected error in one line; print its traceback if that was asked for."""
    if _shown["traceback"]:
        lines = "".join(traceback.format_exception(error)).removesuffix("\n")
        emit(without_secrets(lines), sys.stderr)
    what = visible(without_secrets(" ".join(f"{type(error).__name__}: {error}".split())))
    hint = "" if _shown["traceback"] else " rankreport --debug COMMAND ... shows the traceback."
    return (
        f"unexpected error: {what.removesuffix('.')}. This is a fault of rankreport: please "
        f"report it with the command and this line.{hint}"
    )


def _faults() -> tuple[type[BaseException], ...]:
    """Return the classes of unexpected errors, among them panics of Polars once it is loaded."""
    polars = sys.modules.get("polars")
    return (Exception,) if polars is None else (Exception, polars.exceptions.PanicException)


def run(app: Callable[[], Any]) -> None:
    """Run the command line, turning errors into one paragraph and an exit code.

    The exit code is 0 on success, 2 on a usage or data error or where memory is short, and 70 on an
    unexpected error, which is a fault of rankreport; a gate also ends with 1 if it fails and with 3
    if it is inconclusive, and a check of the data with 1 if it fails.
    """
    _shown["traceback"] = False
    try:
        app()
    except RankReportError as error:
        # Data may have addresses as ids, which are shown whole; options have what was typed.
        text = str(error) if isinstance(error, DataError) else without_secrets(str(error))
        _end(2, visible(text))
    except BrokenPipeError:  # from Click's usage message, the only text not printed by `emit`
        exit_silently(2)
    except MemoryError:
        _end(
            2,
            "This does not fit in memory. Give fewer runs or queries at a time, and large inputs "
            "as files, which are read in parts, rather than through a pipe; or use a machine or "
            "limit with more memory.",
        )
    except SystemExit as ended:
        # Typer ends with 1 on a closed pipe, which is the exit code of a failed gate.
        if isinstance(ended.__context__, BrokenPipeError):
            exit_silently(0)
        usage: Any = ended.__context__
        if hasattr(usage, "format_message"):
            _end(2, visible(usage.format_message()), printed=True)
        raise
    except _faults() as error:  # 1 would mean that a gate fails
        _end(_FAULT, _fault_in_words(error))
