"""The words of a command: what it calls its runs, and how it reads when a report quotes it."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rankreport.errors import OptionError, choose
from rankreport.loading import run_tag, stem

__all__ = ["command_as_given", "named_runs"]


def named_runs(runs: Sequence[str], name_from: str) -> dict[str, str]:
    """Return the path of each run by the name of its system.

    Raises
    ------
    OptionError
        If two runs have one name.
    """
    choose("--name-from", name_from, ("file", "tag"))
    named: dict[str, str] = {}
    for given in runs:
        name, equals, path = given.partition("=")
        if not equals or not name or os.sep in name or _is_file(given):
            path = given
            name = run_tag(path) if name_from == "tag" else stem(path)
        if name in named:
            raise OptionError(
                f"Two runs are named {name!r}: {named[name]} and {path}. Name one: other={path}"
            )
        named[name] = path
    return named


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def command_as_given() -> str:
    """Return the command as given, without folders: a report travels, and they name people."""

    def shortened(word: str) -> str:
        option = re.match(r"--?[\w-]+=|-\w(?=/)|[^=/]+=", word)
        before = option[0] if option else ""
        path = Path(word.removeprefix(before))
        return f"{before}{path.name}" if path.is_absolute() else word

    return shlex.join(["rankreport", *map(shortened, sys.argv[1:])])
