"""The Jinja environment: where templates are found, and how text from data is kept harmless."""

from __future__ import annotations

import functools
import json
import math
import re
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankreport.errors import OptionError
from rankreport.reports.formula import formula_html
from rankreport.reports.notes import prose_markdown
from rankreport.text import (
    code,
    current_language,
    markdown,
    say,
    template_folder,
    unbroken,
    visible,
)

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = [
    "PROVENANCE_LABELS",
    "environment",
    "rendered",
    "template_names",
    "unrendered",
]

PROVENANCE_LABELS = (
    *("qrels", "queries file", "query rule", "no_relevant", "ties", "score precision", "grades"),
    *("profile", "baseline", "interval", "test", "correction", "corrected across", "margin"),
    *("weights", "clusters", "strata", "resamples", "seed", "command", "made"),
)
"""Provenance entries whose names are translated, besides those of runs."""

_LABELS = {"queries": "query rule", "precision": "score precision"}
"""Labels of entries whose names mean something else in a table's header."""

_CLOSES = re.compile(r"[$`]|(?<!\\)(?:\\\\)*(?:%|\\$)")
"""What could end a formula before its dollar, or hide that."""


@functools.cache
def environment(folder: Path | None = None) -> Environment:
    """Return the environment that renders every template, a page's with autoescaping.

    Parameters
    ----------
    folder
        Of templates that go before ours of the same names, which they may still extend or include
        as ``rankreport/page.html`` and so on.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
    from jinja2.loaders import ChoiceLoader, PrefixLoader

    ours = FileSystemLoader(template_folder())
    theirs = [] if folder is None else [FileSystemLoader(folder)]
    made = Environment(
        loader=ChoiceLoader([*theirs, ours, PrefixLoader({"rankreport": ours})]),
        # The cells of a notebook are Python and Markdown, with filters of their own.
        autoescape=select_autoescape(["html"], default_for_string=True, default=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        finalize=_finalize,
    )
    made.globals |= {
        "say": say,
        "current_language": current_language,
        "provenance_label": _provenance_label,
    }
    made.filters["markdown"] = markdown
    made.filters["formula"] = _formula
    made.filters["prose"] = prose_markdown
    made.filters["python"] = _python
    made.filters["json"] = _json
    made.filters["exact"] = _exact
    made.filters["unbroken"] = unbroken
    return made


def rendered(name: str, folder: Path | None = None, /, **context: Any) -> str:
    """Return a template filled in.

    Parameters
    ----------
    name
        Of the template.
    folder
        Of templates that go before ours.
    **context
        What the template is given.

    Raises
    ------
    OptionError
        If a template of that folder fails; it names the file and the line.
    """
    try:
        return environment(folder).get_template(name).render(**context)
    except Exception as error:
        place = None if folder is None else _place(error, folder)
        if place is None:
            raise
        raise OptionError(f"{place}: {str(error).rstrip('.') or type(error).__name__}.") from None


def unrendered(name: str, folder: Path | None = None) -> str:
    """Return a style sheet or a script as it stands, that folder's before ours."""
    theirs = None if folder is None else folder / name
    path = theirs if theirs is not None and theirs.is_file() else template_folder() / name
    return path.read_text(encoding="utf-8")


def template_names(folder: Path) -> tuple[str, ...]:
    """Return the names of the templates in a folder, in order; hidden files are none."""
    paths = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    seen = [path for path in paths if not any(part.startswith((".", "__")) for part in path.parts)]
    return tuple(sorted(path.as_posix() for path in seen))


def _place(error: Exception, folder: Path) -> str | None:
    """Return the file of a folder, and its line, in which an error arose, or None."""
    from jinja2 import TemplateSyntaxError

    if isinstance(error, TemplateSyntaxError):
        places = [(error.filename or "", error.lineno)]
    else:
        frames = traceback.extract_tb(error.__traceback__)
        places = [(frame.filename, frame.lineno or 0) for frame in reversed(frames)]
    inside = [(Path(file), line) for file, line in places if Path(file).is_relative_to(folder)]
    return f"{inside[0][0]}, line {inside[0][1]}" if inside else None


def _provenance_label(name: str) -> str:
    """Return the name of a provenance entry in the language of the page."""
    role, _, system = name.partition(" ")
    if role == "run" and system:
        return say("run {system}", system=system)
    return say(_LABELS.get(name, name))


def _formula(latex: str) -> str:
    """Return a formula between dollars, or as code if a page would not draw it either."""
    text = visible(" ".join(latex.split()))
    drawn = not _CLOSES.search(text) and formula_html(text).startswith("<math")
    # To mathematics a space is nothing, and what follows one begins no element.
    return f"${text.replace('<', '< ')}$" if drawn else code(text)


def _python(value: Any) -> str:
    """Return a literal that is the same value to Python once its invisible characters are shown."""
    literal = repr(value)
    return literal if visible(literal) == literal else ascii(value)


def _finalize(value: Any) -> Any:
    """Make what cannot be seen visible in every text that a template prints."""
    return visible(value) if type(value) is str else value


def _json(value: Any) -> str:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(
        value, ensure_ascii=True, sort_keys=True, allow_nan=False, separators=(",", ":")
    )
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _exact(value: float) -> str:
    """Return a number unrounded, as JavaScript reads it."""
    return str(value) if math.isfinite(value) else f"{'-' if value < 0 else ''}Infinity"
