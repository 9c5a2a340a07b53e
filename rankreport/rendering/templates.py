"""The Jinja environment: where templates are found, and how text from data is kept harmless."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankreport.rendering.text import visible

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["environment", "markdown", "template_folder"]

_MARKDOWN = re.compile(
    r"[\\`*{}\[\]#|<>~$&]"  # what means something wherever it stands
    r"|(?<![^\W_])_|_(?![^\W_])"  # at the edge of a word
    r"|(?i:(?<=[a-z]):(?=//)|(?<=www)\.)"  # in an address, which would become a link
    r"|^[-+=](?=[-+=\s]|$)|(?<=^\d)[.)](?=\s|$)|(?<=^\d\d)[.)](?=\s|$)"  # of a list or a rule
)


@functools.cache
def environment() -> Environment:
    """Return the environment that renders every template, a page's with autoescaping."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    made = Environment(
        loader=FileSystemLoader(template_folder()),
        # The cells of a notebook are Python and Markdown, with filters of their own.
        autoescape=select_autoescape(["html"], default_for_string=True, default=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        finalize=_finalize,
    )
    made.filters["markdown"] = markdown
    made.filters["python"] = _python
    made.filters["json"] = _json
    return made


def template_folder() -> Path:
    """Return the templates' folder: among the modules in a wheel, above them in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def markdown(text: str) -> str:
    r"""Return text that Markdown shows as it stands: no markup, no link, no mathematics.

    >>> print(markdown("<b>*x*</b>, +0.021 (trec_eval)"))
    \<b\>\*x\*\</b\>, +0.021 (trec_eval)
    >>> print(markdown("$x"))
    <span>\$</span>x
    """
    return _MARKDOWN.sub(_escaped, visible(text).strip())


def _escaped(found: re.Match[str]) -> str:
    # Jupyter looks for mathematics in what it has rendered too, but not across elements.
    return f"<span>\\{found[0]}</span>" if found[0] in "\\$" else f"\\{found[0]}"


def _python(value: Any) -> str:
    """Return a literal that is the same value to Python once its invisible characters are shown."""
    literal = repr(value)
    return literal if visible(literal) == literal else ascii(value)


def _finalize(value: Any) -> Any:
    """Make what cannot be seen visible in every text that a template prints."""
    return visible(value) if type(value) is str else value


def _json(value: Any) -> str:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
