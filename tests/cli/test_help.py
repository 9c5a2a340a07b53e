"""The help of a command: what most need first, every option once."""

from __future__ import annotations

import re
from pathlib import Path

import commands
import pytest
from typer.testing import CliRunner

from rankreport.cli.app import app
from rankreport.cli.help import GROUPS, GroupedCommand

ROOT = Path(__file__).parents[2]
COMMANDS = {
    name: command
    for name, command in commands.COMMANDS.items()
    if isinstance(command, GroupedCommand)
}


def shown(name):
    helped = CliRunner().invoke(app, [name, "--help"], terminal_width=100, color=False).output
    return helped.partition("\n  Examples:")[0]


def test_commands_that_evaluate_have_groups():
    assert set(COMMANDS) == {"check", "evaluate", "compare", "report", "gate", "plan", "rankings"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_stands_in_one_group_once(name):
    text = shown(name)
    flags = {each.opts[-1] for each in COMMANDS[name].params if each.param_type_name == "option"}
    found = re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE)
    assert sorted(found) == sorted({*flags, "--help"})
    headings = [line[:-1] for line in text.splitlines() if line.rstrip(":") in GROUPS]
    assert headings == [heading for heading in GROUPS if heading in headings]
    for heading in headings:
        section = text.partition(f"{heading}:\n")[2].partition("\n\n")[0]
        listed = re.findall(r"^  (?:-\w, )?(--[\w-]+)", section, re.MULTILINE)
        assert set(listed) == {*GROUPS[heading]} & flags


def test_the_options_of_a_report_that_most_need_come_first():
    before, heading, _ = shown("report").partition("\nInput formats")
    assert heading
    for flag in ("--measure", "--output", "--baseline", "--queries", "--require", "--labelled"):
        assert flag in before


def test_groups_name_options_and_pages_that_exist():
    known = {flag for command in COMMANDS.values() for each in command.params for flag in each.opts}
    assert {flag for flags in GROUPS.values() for flag in flags} <= known
    pages = re.findall(r"docs/[\w-]+\.md", " ".join(GROUPS))
    assert pages
    assert all((ROOT / page).is_file() for page in pages)


def test_the_list_of_commands_cuts_no_sentence():
    listed = CliRunner().invoke(app, ["--help"], terminal_width=80, color=False).output
    lines = listed.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert len(lines) == len(commands.COMMANDS)
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)
