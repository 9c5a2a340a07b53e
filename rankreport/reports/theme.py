"""The theme of a report: templates, logo, colour and texts of an organisation."""

from __future__ import annotations

import base64
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rankreport.errors import OptionError, expect, suggestion
from rankreport.reports.templates import environment, template_names
from rankreport.text import template_folder

__all__ = ["Logo", "Theme"]

PAPERS = ("#ffffff", "#1b1b1f")
"""What a page is printed on: by day, and by night."""

SMALLEST_CONTRAST = 3
"""Of an accent with either paper: what WCAG asks of what is no text."""

LARGEST_LOGO = 500_000
"""The most bytes of a logo, which becomes a part of every page."""

_KINDS = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/svg+xml": re.compile(
        rb"(?:\xef\xbb\xbf)?\s*(?:<(?:\?xml|!--|!DOCTYPE svg)[\s\S]*?)?<svg[\s>]"
    ),
}
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")


class Logo(NamedTuple):
    """A picture as the address that holds it, and its words for who does not see it."""

    src: str
    alt: str


@dataclass(frozen=True, kw_only=True)
class Theme:
    """The look of a report; what is left out keeps its default.

    Attributes
    ----------
    templates
        A folder whose files override the built-in ones of the same names: ``page.html``,
        ``page.css``, ``page.js``, ``partials/table.html``, ``notebook/opening.md`` and so on. A
        template may extend a built-in one as ``rankreport/page.html``. Its ``language/*.toml`` are
        further languages.
    logo
        A PNG, JPEG or SVG file, which becomes a part of the page.
    logo_alt
        What the logo shows, for people who do not see it.
    accent
        A colour as ``#rgb`` or ``#rrggbb``, for rules, marks and the frame of what has the focus.
        It has to stand out from white paper and from dark.
    introduction, closing
        Markdown before the findings and after them. HTML in it stays text.

    Raises
    ------
    OptionError
        If there is no such folder or file, a template has a name that we have not or cannot be
        read as one, the logo is no such picture, or the colour is none or too faint.

    Examples
    --------
    >>> Theme(accent="#0072B2", introduction="Made *every night*.").accent
    '#0072B2'
    >>> Theme(accent="#FFCC00")
    Traceback (most recent call last):
        ...
    rankreport.errors.OptionError: accent='#FFCC00' has a contrast of 1.5 with #ffffff; ...
    """

    templates: str | os.PathLike[str] | None = None
    logo: str | os.PathLike[str] | None = None
    logo_alt: str = "Logo"
    accent: str | None = None
    introduction: str = ""
    closing: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be shown, before any work is done for it."""
        for name in ("logo_alt", "introduction", "closing"):
            expect(getattr(self, name), (str,), f"{name} is a text")
        if self.accent is not None:
            _check_accent(self.accent)
        if self.folder is not None:
            _check_templates(self.folder)
        self.logo_inside()

    @property
    def folder(self) -> Path | None:
        """The folder of templates."""
        return None if self.templates is None else Path(self.templates).absolute()

    @property
    def languages(self) -> Path | None:
        """The folder of further languages, if there is one."""
        inside = None if self.folder is None else self.folder / "language"
        return inside if inside is not None and inside.is_dir() else None

    def logo_inside(self) -> Logo | None:
        """Return the logo as a part of a page, if there is one."""
        if self.logo is None:
            return None
        try:
            content = Path(self.logo).read_bytes()
        except OSError as error:
            raise OptionError(f"logo={os.fspath(self.logo)!r}: {error.strerror}.") from None
        if len(content) > LARGEST_LOGO:
            raise OptionError(
                f"logo={os.fspath(self.logo)!r} has {len(content):,} bytes; every page holds it, "
                f"so it may have {LARGEST_LOGO:,}. Give a smaller one."
            )
        kind = next((kind for kind, start in _KINDS.items() if start.match(content)), None)
        if kind is None:
            raise OptionError(f"logo={os.fspath(self.logo)!r} is no PNG, JPEG or SVG file.")
        return Logo(f"data:{kind};base64,{base64.b64encode(content).decode()}", self.logo_alt)


def _check_accent(accent: str) -> None:
    if not (isinstance(accent, str) and _HEX.fullmatch(accent)):
        raise OptionError(f"accent={accent!r} is no colour such as '#0072B2'.")
    for paper in PAPERS:
        contrast = _contrast(accent, paper)
        if contrast < SMALLEST_CONTRAST:
            raise OptionError(
                f"accent={accent!r} has a contrast of {contrast:.1f} with {paper}; "
                f"{SMALLEST_CONTRAST} is needed with both {' and '.join(PAPERS)}, the papers by "
                f"day and by night. Give a {'darker' if paper == PAPERS[0] else 'lighter'} one."
            )


def _contrast(colour: str, other: str) -> float:
    """Return the contrast of two colours as WCAG defines it.

    >>> round(_contrast("#000", "#ffffff"), 1), round(_contrast("#0072B2", "#fff"), 1)
    (21.0, 5.2)
    """
    dark, light = sorted((_luminance(colour), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    shares = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return sum(w * s for w, s in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _check_templates(folder: Path) -> None:
    """Refuse a folder that would fail, or go unheeded, when a report is written."""
    from jinja2 import TemplateSyntaxError

    if not folder.is_dir():
        raise OptionError(f"templates={str(folder)!r} is no folder.")
    ours = template_names(template_folder())
    for name in template_names(folder):
        if re.fullmatch(r"language/[^/]+\.toml", name):
            continue  # which whoever speaks it checks
        path = folder / name
        if name not in ours:
            raise OptionError(f"{path} has the name of no template. {suggestion(name, ours)}")
        try:
            text = path.read_text(encoding="utf-8")
            if path.suffix not in {".css", ".js"}:
                environment(folder).parse(text)
        except TemplateSyntaxError as error:
            raise OptionError(f"{path}, line {error.lineno}: {error.message}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise OptionError(f"{path} cannot be read as UTF-8: {error}.") from None
        if re.search(r"</(?:style|script)|<!--", text, re.IGNORECASE) and path.suffix in {
            ".css",
            ".js",
        }:
            raise OptionError(f"{path} holds '</style', '</script' or '<!--', which would end it.")
