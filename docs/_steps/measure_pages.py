"""The page of every measure, written from the declarations when the site is built."""

from pathlib import Path

from sphinx.application import Sphinx

from rankreport.cli import catalogue


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the step with Sphinx."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True}


def _write(app: Sphinx) -> None:
    text = catalogue.page().replace("# Measures", "# Every measure", 1)
    text = text.replace("\n| | |\n", "\n| fact | value |\n")
    path = Path(app.srcdir) / "reference" / "every-measure.md"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
