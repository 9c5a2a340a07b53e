"""The command that lists and explains measures."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import rankreport as rr
from rankreport.cli import catalogue
from rankreport.cli.grouping import command
from rankreport.cli.streams import emit
from rankreport.cli.values import PlainCommand
from rankreport.measures import of_all_users


@command(
    cls=PlainCommand,
    epilog="\b\nExamples:\n  rankreport measures\n  rankreport measures nDCG",
)
def measures(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Measure to explain.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the full reference as Markdown.")
    ] = False,
) -> None:
    """List the measures, or explain one."""
    if name is None:
        list_all = catalogue.page if markdown else catalogue.listed
        text = list_all().removesuffix("\n")
    else:
        text = catalogue.explained(of_all_users(name) or rr.parse(name))
    emit(text, sys.stdout)
