"""The Jinja environment: template lookup, and escaping of text from data."""

from __future__ import annotations

import functools
import json
import re
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankreport.errors import OptionError
from rankreport.reports.formula import formula_html
from rankreport.reports.users_markdown import prose_markdown
from rankreport.text import (
    Message,
    anchor,
    code,
    current_language,
    fragment,
    markdown,
    prose,
    say,
    template_folder,
    typeset,
    unbroken,
    visible,
)

if TYPE_CHECKING:
    from jinja2 import Environment

_LABELS = {
    "queries": "query rule",
    "precision": "score precision",
    "no_relevant": "rule without relevant documents",
    "document_of": "document of a passage",
}
"""Labels of entries whose names mean something else in table headers."""

LONGEST_LINE = 88
"""The maximum length of a line of code in notebooks, but for long names."""

_CLOSES = re.compile(r"[$`]|(?<!\\)(?:\\\\)*(?:%|\\$)")
"""Text that could end a formula early, or comment out its closing dollar."""


@functools.cache
def environment(folder: Path | None = None) -> Environment:
    """Return the environment of all templates; HTML is autoescaped.

    Parameters
    ----------
    folder
        Folder of templates that override built-in ones of the same name. They may extend or include
        the built-in ones as ``rankreport/page.html`` and so on.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
    from jinja2.loaders import ChoiceLoader, PrefixLoader

    built_in = FileSystemLoader(template_folder())
    custom = [] if folder is None else [FileSystemLoader(folder)]
    made = Environment(
        loader=ChoiceLoader([*custom, built_in, PrefixLoader({"rankreport": built_in})]),
        # Notebook cells are Python and Markdown, escaped by their own filters.
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
        "provenance_label": provenance_label,
    }
    made.filters |= {
        **{each.__name__: each for each in (anchor, fragment, markdown, prose, typeset, unbroken)},
        "assigned": _assigned,
        "formula": _formula,
        "json": _json,
        "note": prose_markdown,
        "python": _python,
    }
    return made


def rendered(name: str, folder: Path | None = None, /, **context: Any) -> str:
    """Render a template.

    Parameters
    ----------
    name
        Name of the template.
    folder
        Folder of templates that override built-in ones.
    **context
        Variables of the template.

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
    """Return the text of a style sheet or a script, from the folder if it is there."""
    custom = None if folder is None else folder / name
    path = custom if custom is not None and custom.is_file() else template_folder() / name
    return path.read_text(encoding="utf-8")


def template_names(folder: Path) -> tuple[str, ...]:
    """Return the sorted names of the templates in a folder, without hidden files."""
    paths = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    seen = [path for path in paths if not any(part.startswith((".", "__")) for part in path.parts)]
    return tuple(sorted(path.as_posix() for path in seen))


def _place(error: Exception, folder: Path) -> str | None:
    """Return the file and line of a folder's template that raised an error, or None."""
    from jinja2 import TemplateSyntaxError

    if isinstance(error, TemplateSyntaxError):
        places = [(error.filename or "", error.lineno)]
    else:
        frames = traceback.extract_tb(error.__traceback__)
        places = [(frame.filename, frame.lineno or 0) for frame in reversed(frames)]
    inside = [(Path(file), line) for file, line in places if Path(file).is_relative_to(folder)]
    return f"{inside[0][0]}, line {inside[0][1]}" if inside else None


def provenance_label(name: str) -> str:
    """Return the name of a provenance entry in the language of the page."""
    role, _, system = name.partition(" ")
    if role == "run" and system:
        return say("run {system}", system=system)
    return say(_LABELS.get(name, name))


def _formula(latex: str) -> str:
    """Return a formula between dollars, or as code if it cannot be drawn."""
    text = visible(" ".join(latex.split()))
    drawn = not _CLOSES.search(text) and formula_html(text).startswith("<math")
    # A space does not change a formula, and keeps < from starting an element.
    return f"${text.replace('<', '< ')}$" if drawn else code(text)


def _python(value: Any) -> str:
    """Return a Python literal without invisible characters."""
    literal = repr(value)
    return literal if visible(literal) == literal else ascii(value)


def _assigned(value: Any, name: str) -> str:
    """Return an assignment, with an item of a list or a dictionary to a line if it is long.

    >>> _assigned(["nDCG@10", "AP"], "MEASURES")
    "MEASURES = ['nDCG@10', 'AP']"
    """
    line = f"{name} = {_python(value)}"
    if len(line) <= LONGEST_LINE or not isinstance(value, list | dict):
        return line
    opening, closing = "[]" if isinstance(value, list) else "{}"
    items = value if isinstance(value, list) else [*value.items()]
    lines = [
        _python(item) if isinstance(value, list) else ": ".join(map(_python, item))
        for item in items
    ]
    # Not a plain text, whose line breaks would be made visible.
    return _Code("\n".join([f"{name} = {opening}", *(f"    {each}," for each in lines), closing]))


class _Code(str):
    """Lines of code whose data are visible."""

    __slots__ = ()


def _finalize(value: Any) -> Any:
    """Make invisible characters visible in all text that templates print."""
    return visible(value) if type(value) in {str, Message} else value


def _json(value: Any) -> str:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(
        value, ensure_ascii=True, sort_keys=True, allow_nan=False, separators=(",", ":")
    )
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
