"""Importing matplotlib whatever MPLBACKEND says, since the figures here use no backend."""

from __future__ import annotations

import os
import sys
from importlib import import_module

__all__ = ["import_matplotlib"]

_VARIABLE = "MPLBACKEND"


def import_matplotlib() -> None:
    """Import matplotlib; without its variable if that names no backend, which it refuses."""
    try:
        import_module("matplotlib.figure")
    except ValueError:
        given = os.environ.pop(_VARIABLE, None)
        if given is None:
            raise
        for name in [each for each in sys.modules if each.partition(".")[0] == "matplotlib"]:
            del sys.modules[name]  # what was imported before the error
        try:
            import_module("matplotlib.figure")
        finally:
            os.environ[_VARIABLE] = given
