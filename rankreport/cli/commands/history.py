"""The commands that list, show and prune what is stored, and write a page of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from typer.main import get_command

import rankreport as rr
from rankreport import history as histories
from rankreport import reports, tables
from rankreport.cli.grouping import option_of, takes_groups
from rankreport.cli.options import ThemeOptions, command_as_given
from rankreport.cli.outputs import any_of, check_outputs, finish, output_option, writers_of
from rankreport.cli.streams import emit
from rankreport.cli.values import PlainCommand, PlainGroup
from rankreport.text import comma_separated, listed, say, using_language

app = typer.Typer(
    cls=PlainGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="List, show and prune what --store has stored, and write a page of it.",
    epilog="\b\nExamples:\n  rankreport history list\n  rankreport history page -o history.html\n"
    "  rankreport history prune --keep 100",
)

_FORMATS = {suffix: form for suffix, form in reports.FORMATS.items() if suffix != ".ipynb"}

Store = Annotated[str, option_of("FOLDER", "Where it is stored.")]


@app.command("list", cls=PlainCommand)
def list_entries(store: Store = "history") -> None:
    """List what is stored, the latest last."""
    entries = [*rr.History(store).entries()]
    joined = pl.col("systems", "changed").list.join(", ")
    means = pl.col("means").list.eval(pl.element().round(4).cast(pl.String)).list.join(", ")
    shown = histories.table_of(entries).with_columns(
        joined, means, pl.col("date").dt.strftime("%Y-%m-%d %H:%M"), pl.col("commit").str.head(10)
    )
    stored = tables.to_table(shown) if len(shown) else say("{store} is empty.", store=store)
    emit(stored, sys.stdout)


@app.command("show", cls=PlainCommand)
def show_entry(
    which: Annotated[
        str,
        typer.Argument(metavar="WHICH", help="latest, a note, a system, a date or a number."),
    ] = "latest",
    store: Store = "history",
) -> None:
    """Show the means of an entry, and what they depend on."""
    entry = rr.History(store).load(which)
    facts = [  # what was said of the system may have a name of the others
        ("entry", f"{entry.number}, {entry.date:%Y-%m-%d %H:%M} UTC"),
        *((name, getattr(entry, name)) for name in ("commit", "note", "outcome")),
        *entry.about.items(),
        *((name, value and comma_separated(value)) for name, value in entry.known.items()),
        *entry.versions.items(),
    ]
    names, values = zip(*(each for each in facts if each[1]), strict=True)
    emit(tables.without_cautions(entry.evaluation), sys.stdout)
    emit(tables.to_table(pl.DataFrame({"": names, "stored": values})), sys.stdout)


@app.command("page", cls=PlainCommand)
@takes_groups
def write_page(
    appearance: ThemeOptions,
    system: Annotated[
        str | None,
        option_of("NAME", "The system. [default: the last one of the latest entry]"),
    ] = None,
    measure: Annotated[
        str | None,
        option_of("MEASURE", "The measure. [default: that of the latest entry]", "-m --measure"),
    ] = None,
    baseline: Annotated[
        str | None,
        option_of(
            "WHICH",
            "The entry compared with: a note, a system, a date or a number. [default: the first]",
        ),
    ] = None,
    output: Annotated[
        list[Path] | None,
        output_option(f"Output file: {any_of(_FORMATS)}; repeatable. [default: history.html]"),
    ] = None,
    store: Store = "history",
) -> None:
    """Write a page: each result against a frozen baseline, with intervals and breaks."""
    outputs = output or [Path("history.html")]
    check_outputs(outputs, _FORMATS)
    theme = appearance.theme()
    made = rr.history_report(
        rr.History(store),
        system=system,
        measure=measure,
        baseline=baseline,
        title=appearance.title,
        date=appearance.date,
        command=command_as_given(),
        theme=theme,
        language=appearance.language,
    )
    with using_language(made.language, theme.languages):
        finish(made, writers_of(made, outputs, _FORMATS))


@app.command("prune", cls=PlainCommand)
def prune_entries(
    keep: Annotated[int | None, option_of("N", "Keep so many of the latest entries.")] = None,
    before: Annotated[
        str | None, option_of("DATE", "Keep the entries of this date and later.")
    ] = None,
    store: Store = "history",
) -> None:
    """Remove old entries, and what killed processes left."""
    removed = rr.History(store).prune(keep=keep, before=before)
    numbers = listed([*map(str, removed)]) or say("none")
    emit(say("Removed entries: {numbers}.", numbers=numbers), sys.stdout)


history = get_command(app)
