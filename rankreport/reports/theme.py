"""The theme of a report: templates, logo, accent colour and notes."""

from __future__ import annotations

import base64
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rankreport.call_hints import hinting_methods
from rankreport.errors import OptionError, expect, suggestion
from rankreport.io import check_local
from rankreport.reports.templates import environment, template_names
from rankreport.shown_addresses import shown_address
from rankreport.text import template_folder

PAPERS = ("#ffffff", "#1b1b1f")
"""Background colours of the light and the dark mode."""

SMALLEST_CONTRAST = 3
"""The minimum contrast of the accent colour with both backgrounds: WCAG's for non-text elements."""

LARGEST_LOGO = 500_000
"""The maximum size of a logo in bytes; every page embeds it."""

_KINDS = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/svg+xml": re.compile(
        rb"(?:\xef\xbb\xbf)?\s*(?:<(?:\?xml|!--|!DOCTYPE svg)[\s\S]*?)?<svg[\s>]"
    ),
}
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")


class Logo(NamedTuple):
    """A logo as a data URL, with its alternative text."""

    src: str
    alt: str


@hinting_methods
@dataclass(frozen=True, kw_only=True)
class Theme:
    """The look of a report.

    Attributes
    ----------
    templates
        Folder with files that override built-in ones of the same name: ``page.html``,
        ``page.css``, ``page.js``, ``partials/table.html``, ``notebook/opening.md`` and so on. A
        template may extend a built-in one as ``rankreport/page.html``. Files in ``language/*.toml``
        add languages. Templates are code that runs where the report is made, and their scripts run
        where it is read: use only folders that you trust.
    logo
        PNG, JPEG or SVG file, embedded in the page.
    logo_alt
        Alternative text of the logo.
    accent
        Colour as ``#rgb`` or ``#rrggbb`` for rules, marks and focus outlines. It needs enough
        contrast with both the light and the dark background.
    introduction, closing
        Markdown text before and after the findings. HTML in it is shown as text.

    Raises
    ------
    OptionError
        If the folder or a file does not exist, a template has an unknown name or is invalid, the
        logo is not a PNG, JPEG or SVG file, or the colour is invalid or has too little contrast.

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
        """Check the theme before any work is done."""
        for name in ("logo_alt", "introduction", "closing"):
            expect(getattr(self, name), (str,), f"{name} is a text")
        if self.accent is not None:
            _check_accent(self.accent)
        for what in ("templates", "logo"):
            if (path := getattr(self, what)) is not None:
                check_local(what, path)
        if self.folder is not None:
            _check_templates(self.folder)
        self.logo_inside()

    @property
    def folder(self) -> Path | None:
        """The folder of templates."""
        return None if self.templates is None else Path(self.templates).absolute()

    @property
    def languages(self) -> Path | None:
        """The folder of additional languages, if there is one."""
        inside = None if self.folder is None else self.folder / "language"
        return inside if inside is not None and inside.is_dir() else None

    @property
    def files(self) -> frozenset[Path]:
        """The folder of templates, and the logo."""
        logo = None if self.logo is None else Path(self.logo).absolute()
        return frozenset(filter(None, [self.folder, logo]))

    def logo_inside(self) -> Logo | None:
        """Return the logo as a data URL, or None."""
        if self.logo is None:
            return None
        try:
            content = Path(self.logo).read_bytes()
        except OSError as error:
            raise OptionError(f"logo={shown_address(self.logo)!r}: {error.strerror}.") from None
        if len(content) > LARGEST_LOGO:
            raise OptionError(
                f"logo={os.fspath(self.logo)!r} has {len(content):,} bytes; at most "
                f"{LARGEST_LOGO:,} can be embedded in a page. Give a smaller one."
            )
        kind = next((kind for kind, start in _KINDS.items() if start.match(content)), None)
        if kind is None:
            raise OptionError(f"logo={os.fspath(self.logo)!r} is not a PNG, JPEG or SVG file.")
        return Logo(f"data:{kind};base64,{base64.b64encode(content).decode()}", self.logo_alt)


def _check_accent(accent: str) -> None:
    if not (isinstance(accent, str) and _HEX.fullmatch(accent)):
        raise OptionError(f"accent={accent!r} is not a colour such as '#0072B2'.")
    for paper in PAPERS:
        contrast = _contrast(accent, paper)
        if contrast < SMALLEST_CONTRAST:
            raise OptionError(
                f"accent={accent!r} has a contrast of {contrast:.1f} with {paper}; "
                f"{SMALLEST_CONTRAST} is needed with both {' and '.join(PAPERS)}, the light and "
                f"dark background. Give a {'darker' if paper == PAPERS[0] else 'lighter'} one."
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
    """Check that a folder of templates has known names and valid templates only."""
    from jinja2 import TemplateSyntaxError

    if not folder.is_dir():
        raise OptionError(f"templates={shown_address(folder)!r} is not a folder.")
    built_in = template_names(template_folder())
    for name in template_names(folder):
        if re.fullmatch(r"language/[^/]+\.toml", name):
            continue  # checked when the language is used
        path = folder / name
        if name not in built_in:
            raise OptionError(f"{path} is not the name of a template. {suggestion(name, built_in)}")
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
            raise OptionError(
                f"{path} contains '</style', '</script' or '<!--', which would end its element."
            )
