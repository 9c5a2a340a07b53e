"""Groups of options: a command has each option once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest
from commands import COMMANDS

from rankreport.cli.grouping import takes_groups


@dataclass(frozen=True)
class Stored:
    note: str = ""


@dataclass(frozen=True)
class Remarks:
    note: str = ""


def test_an_option_that_a_command_has_already_is_refused():
    def compare(stored: Stored, remarks: Remarks) -> None:
        del stored, remarks

    def report(note: str, stored: Stored) -> None:
        del stored, note

    with pytest.raises(TypeError, match="note is both of Stored and of Remarks: rename one"):
        takes_groups(compare)
    with pytest.raises(TypeError, match=r"note is both of Stored and of report\(\): rename one"):
        takes_groups(report)


@pytest.mark.parametrize("name", [name for name, each in sorted(COMMANDS.items()) if each.params])
def test_no_flag_of_a_command_stands_for_two_options(name):
    flags = Counter(
        flag
        for parameter in COMMANDS[name].params
        for flag in (*parameter.opts, *parameter.secondary_opts)
    )
    assert [flag for flag, n in flags.items() if n > 1] == []
