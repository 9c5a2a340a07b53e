"""Run the command that pyproject.toml declares, as an installed one would run.

python -m tree_programs.entry_point compare --help
"""

from __future__ import annotations

import importlib
import sys
import tomllib
from pathlib import Path

import rankreport


def main() -> None:
    """Call the function that the entry point names."""
    settings = Path(rankreport.__file__).parents[1] / "pyproject.toml"
    declared = tomllib.loads(settings.read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, function = declared["rankreport"].partition(":")
    sys.argv[0] = "rankreport"
    getattr(importlib.import_module(module), function)()


if __name__ == "__main__":
    main()
