"""The program: its commands, each imported when it is called."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from rankreport.cli.errors import run, show_traceback
from rankreport.cli.streams import emit
from rankreport.cli.values import PlainGroup

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
            "--debug", callback=show_traceback, help="Show the traceback of an unexpected error."
        ),
    ] = False,
) -> None:
    """Handle the options that precede a command."""


def main() -> None:
    """Run the command line, turning errors into one paragraph and an exit code."""
    run(app)
