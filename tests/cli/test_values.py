"""Values are converted, and refused, as Typer does it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from rankreport.cli.values import PlainCommand, PlainGroup

KINDS = [str, int, float, Path, bool, list[str], list[int], list[Path], tuple[float, float]]
TEXTS = ["7", "-3", "+4", "007", "0.5", ".5", "5.", "1e3", "inf", "nan", "1_000", " 7", "", "many"]


def shown(kind, words, **classes):
    """Run a command with an option and an argument of this type: its code and output."""
    app = typer.Typer(cls=classes.get("group"), add_completion=False, rich_markup_mode=None)

    @app.callback()
    def main(*, switch: bool = False) -> None:
        typer.echo(switch)

    def command(given, value=None):
        typer.echo(f"{given!r} {value!r}")

    command.__annotations__ = {"given": kind, "value": kind | None}
    app.command("run", cls=classes.get("command"))(command)
    ended = CliRunner().invoke(app, words)
    return ended.exit_code, re.sub(r" at 0x\w+", "", ended.output)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_value_is_converted_as_by_typer(kind):
    plain = {"group": PlainGroup, "command": PlainCommand}
    for text in TEXTS:
        twice = [text, text] if str(kind).startswith("tuple") else [text]
        option = ["--value"] if kind is bool else ["--value", *twice]
        for words in (["run", *twice], ["run", *option, "--", *twice], ["--switch", "run"]):
            assert shown(kind, words, **plain) == shown(kind, words), words


def test_help_is_that_of_typer():
    plain = {"group": PlainGroup, "command": PlainCommand}
    for words in (["--help"], ["run", "--help"], []):
        assert shown(int, words, **plain) == shown(int, words)
