"""What a command leaves behind: files written, the result printed, and what to mind said."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

from rankreport.errors import OptionError, OutputError, choose
from rankreport.gating import Gate
from rankreport.planning import Plan
from rankreport.rendering.language import say
from rankreport.rendering.svg import png_of, standalone_svg
from rankreport.rendering.text import visible
from rankreport.reporting import Report
from rankreport.writing import check_writable, replacing, write_frame, write_text

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = [
    "GATE_WRITERS",
    "PLAN_WRITERS",
    "REPORT_WRITERS",
    "TABLES",
    "Writer",
    "check_notebook",
    "check_outputs",
    "end_unheard",
    "finish",
    "make_folder",
    "tell",
]

_DOTS_PER_INCH = 200
"""Of a chart: sharp on a screen of twice the usual density."""

Writer = Callable[[Path], tuple[Path, ...] | None]
"""Writes to a path, and returns what it wrote where that is more than this."""


TABLES = (".parquet", ".csv", ".json")
"""How a path to a table may end."""

REPORT_WRITERS: Mapping[str, Callable[[Report, Path], tuple[Path, ...]]] = {
    ".html": lambda made, path: made.to_html(path),
    ".ipynb": lambda made, path: made.to_notebook(path),
    ".md": lambda made, path: made.to_markdown(path),
    ".tex": lambda made, path: made.to_latex(path),
    ".json": lambda made, path: made.to_json(path),
    ".csv": lambda made, path: made.to_csv(path),
    ".parquet": lambda made, path: made.to_parquet(path),
}
"""How a report is written, by the end of the path."""

GATE_WRITERS: Mapping[str, Callable[[Gate, Path], tuple[Path, ...]]] = {
    ".md": lambda made, path: made.to_markdown(path),
    ".xml": lambda made, path: made.to_junit(path),
    ".json": lambda made, path: made.to_json(path),
}

PLAN_WRITERS: Mapping[str, Callable[[Plan, Path], None]] = {
    **dict.fromkeys(TABLES, lambda made, path: write_frame(path, made.to_polars())),
    ".png": lambda made, path: _write_chart(path, made.plot()),
    ".svg": lambda made, path: _write_chart(path, made.plot()),
}


def check_outputs(paths: Sequence[Path | None], suffixes: Iterable[str]) -> None:
    """Refuse what cannot be written, before any work is done for nothing.

    Raises
    ------
    OptionError
        If a path ends in something else than one of the suffixes.
    OutputError
        If nothing can be written there.
    """
    known = tuple(suffixes)
    for path in paths:
        if path is not None:
            choose("output suffix", path.suffix, known)
            check_writable(path)


def check_notebook(paths: Sequence[Path], *, execute: bool, data_inside: bool) -> None:
    """Refuse options of a notebook where none is written.

    Raises
    ------
    OptionError
        Naming the first one.
    """
    if any(path.suffix == ".ipynb" for path in paths):
        return
    for option, given in {"--execute": execute, "--data-inside": data_inside}.items():
        if given:
            raise OptionError(f"{option} is for a notebook: add -o report.ipynb.")


def finish(result: object, writers: Mapping[Path, Writer], cautions: Iterable[str]) -> None:
    """Write the files, print the result, and say what to mind and where the files are.

    Written first, so that what becomes of the output does not stop the writing.
    """
    written: list[Path] = []
    for path, write in writers.items():
        written += write(path) or (path,)
    tell(result, sys.stdout)
    for caution in cautions:
        tell(say("Mind: {caution}", caution=visible(caution)), sys.stderr)
    for path in written:
        tell(say("Wrote {path}", path=visible(str(path))), sys.stderr)


def tell(words: object, stream: TextIO | None) -> None:
    """Print for someone who may have gone, or need not be there at all.

    Raises
    ------
    OutputError
        If the result cannot be written, as to a full disk.
    """
    if stream is None:  # closed before we began
        return
    try:
        print(words, file=stream, flush=True)
    except OSError as error:
        _silence(stream)
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            msg = f"The result cannot be printed: {error.strerror}."
            raise OutputError(msg) from None


def end_unheard(code: int) -> NoReturn:
    """End with this code, where the words for it have no reader."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            _silence(stream)
    sys.exit(code)


def _silence(stream: TextIO) -> None:
    """Let what is left unwritten not fail again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def make_folder(folder: Path) -> None:
    """Make a folder to write to, unless there is one.

    Raises
    ------
    OutputError
        If it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made a folder: {error.strerror}.") from None


def _write_chart(path: Path, chart: Chart) -> None:
    """Write a chart as its path ends: .svg or .png.

    Raises
    ------
    OutputError
        If it cannot be written.
    """
    if path.suffix == ".svg":
        write_text(path, standalone_svg(chart, chart.alt))
        return
    with replacing(path) as file:
        file.write_bytes(png_of(chart, _DOTS_PER_INCH))
