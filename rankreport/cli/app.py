"""The program: its commands, each imported when it is called, and what becomes of errors."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand

from rankreport.cli.streams import emit, exit_silently
from rankreport.cli.values import PlainGroup
from rankreport.errors import DataError, RankReportError
from rankreport.shown_addresses import without_secrets
from rankreport.text import visible

COMMANDS: Mapping[str, str] = {
    "check": "Find faults of judgments and runs before any score.",
    "evaluate": "Compute measures for one or more systems.",
    "compare": "Compare systems with a baseline: differences and intervals.",
    "report": "Write a report: page, notebook, Markdown and other forms.",
    "gate": "Pass or fail a build by requirements on differences.",
    "plan": "Say how many queries a comparison takes, from a pilot.",
    "rankings": "Compare two rankings that have no judgments.",
    "history": "List, show, prune and plot what --store has stored.",
    "measures": "List the measures, or explain one.",
    "demo": "Write a report on the example data.",
}
"""The commands by name, each a module of `rankreport.cli.commands`, with what the list says."""


class LateCommand(TyperCommand):
    """A command whose module is imported when it is called or its help is shown."""

    @cached_property
    def loaded(self) -> TyperCommand:
        """The command with its arguments and options."""
        name = str(self.name)
        found: TyperCommand = getattr(import_module(f"rankreport.cli.commands.{name}"), name)
        return found

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the arguments of the command."""
        return self.loaded.make_context(*args, **kwargs)


app = typer.Typer(
    name="rankreport",
    cls=PlainGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Is the new ranker better, by how much, how sure are we, and on which queries?",
    epilog="Start with: rankreport demo",
)
for _name, _summary in COMMANDS.items():
    app.command(_name, cls=LateCommand, short_help=_summary)(lambda: None)


def _say_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        emit(f"rankreport {version('rankreport')}", sys.stdout)
        raise typer.Exit


_shown = {"traceback": False}


def _remember_debug(wanted: bool) -> None:
    _shown["traceback"] = wanted


@app.callback()
def _main_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", callback=_remember_debug, help="Show the traceback of an unexpected error."
        ),
    ] = False,
) -> None:
    """Handle the options that precede a command."""


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


def main() -> None:
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
