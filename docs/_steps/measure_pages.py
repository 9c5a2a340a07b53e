"""The page of every measure, written from the declarations when the site is built."""

from pathlib import Path
from typing import Final

from sphinx.application import Sphinx

from rankreport.cli import catalogue

USUAL: Final = (
    "| of a system | the mean over queries |\n",
    "| better | higher |\n",
    "| undefined | never |\n",
    "| nothing returned | 0 |\n",
)
"""Facts of most measures, which the page says once."""

SAID_ONCE: Final = """\
Unless its table says otherwise, higher values of a measure are better, the value of a system is the
mean over queries, none is undefined, and it is 0 where nothing was returned.
"""


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step with Sphinx."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True}


def _write(app: Sphinx) -> None:
    text = catalogue.page().replace("# Measures\n", f"# Every measure\n\n{SAID_ONCE}", 1)
    text = text.replace("\n| | |\n", "\n| fact | value |\n")
    for fact in USUAL:
        text = text.replace(fact, "")
    path = Path(app.srcdir) / "reference" / "every-measure.md"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
