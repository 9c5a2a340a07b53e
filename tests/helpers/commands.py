"""The commands of the command line, loaded."""

from __future__ import annotations

from typer.main import get_command

from rankreport.cli.app import app

PROGRAM = get_command(app)
COMMANDS = {name: each.loaded for name, each in PROGRAM.commands.items()}
