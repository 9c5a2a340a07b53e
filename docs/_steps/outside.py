"""Links to Markdown files outside of docs/, which are no pages of the site, download the file."""

import re

from sphinx.application import Sphinx

_LINK = re.compile(r"\[(?P<words>[^\]]+)\]\((?P<path>\.\./(?:\.\./)*[a-z][^)#]*\.md)(?:#[^)]*)?\)")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step with Sphinx."""
    app.connect("source-read", _downloads)
    return {"parallel_read_safe": True}


def _downloads(app: Sphinx, name: str, source: list[str]) -> None:
    folder = (app.srcdir / name).parent

    def linked(found: re.Match[str]) -> str:
        target = (folder / found["path"]).resolve()
        if target.is_relative_to(app.srcdir):
            return found[0]
        return f"{{download}}`{found['words']} <{found['path']}>`"

    source[0] = _LINK.sub(linked, source[0])
