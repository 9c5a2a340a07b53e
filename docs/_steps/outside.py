"""Links to Markdown files: those outside of docs/ download the file, paths in docstrings link."""

import re
from typing import Any

from sphinx.application import Sphinx

_LINK = re.compile(r"\[(?P<words>[^\]]+)\]\((?P<path>\.\./(?:\.\./)*[a-z][^)#]*\.md)(?:#[^)]*)?\)")
_PATH = re.compile(r"`{0,2}docs/([a-z-]+)\.md`{0,2}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step with Sphinx."""
    app.connect("source-read", _downloads)
    app.connect("autodoc-process-docstring", _linked)
    return {"parallel_read_safe": True}


def _linked(*given: Any) -> None:
    """Link the pages of docs/ that docstrings name by their paths."""
    lines = given[-1]
    lines[:] = [_PATH.sub(r":doc:`\1 </\1>`", line) for line in lines]


def _downloads(app: Sphinx, name: str, source: list[str]) -> None:
    folder = (app.srcdir / name).parent

    def linked(found: re.Match[str]) -> str:
        target = (folder / found["path"]).resolve()
        if target.is_relative_to(app.srcdir):
            return found[0]
        return f"{{download}}`{found['words']} <{found['path']}>`"

    source[0] = _LINK.sub(linked, source[0])
