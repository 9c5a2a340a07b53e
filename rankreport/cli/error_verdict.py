"""What a gate that ends with an error writes where its ``--verdict`` says."""

from __future__ import annotations

import json
from pathlib import Path

from rankreport.cli.options import command_as_given
from rankreport.errors import OutputError
from rankreport.gates import BuildVerdict


def write_error_verdict(path: Path, code: int, message: str) -> None:
    """Write the verdict of a gate that ends with an error.

    Since that may come before the inputs are known, only a verdict or an empty file is replaced.

    Raises
    ------
    OutputError
        If the file holds something else, or cannot be written.
    """
    if path.exists() and path.stat().st_size and not _holds_verdict(path):
        raise OutputError(f"{path} holds no verdict, and is left as it is.")
    BuildVerdict("error", code, message, command=command_as_given()).to_json(path)


def _holds_verdict(path: Path) -> bool:
    try:
        return {"outcome", "exit_code", "counts"} <= {*json.loads(path.read_bytes())}
    except (ValueError, TypeError, RecursionError):
        return False
