"""Names, ids and texts of users as they are shown: visible, and no longer than their place.

Queries, document ids and system names are untrusted. `visible` replaces their invisible characters,
which could reorder or end the surrounding text, by readable escapes. It does not replace HTML
escaping, which each renderer does itself.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
"""Mark of truncated text."""

NAME_LIMIT = 40
"""The maximum length of a name next to others, in characters."""

BRIEF_NAME = 24
"""The maximum length of a name on the first screen and in the heads of tables, in characters."""
_NEVER_SEEN = (
    r"\x00-\x1f\x7f-\x9f"  # controls: line ends, tabs and the escape of terminals among them
    r"\xad\u034f"  # soft hyphen, grapheme joiner
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks, overrides and isolates
    r"\u200b\u2060-\u2065\u206a-\u206f\ufeff"  # zero-width spaces and invisible operators
    r"\u2028\u2029"  # ends of lines and paragraphs, which also end a line of JavaScript
    r"\u3164\uffa0\ufff0-\ufffb\ufffe\uffff\ufdd0-\ufdef"  # fillers and noncharacters
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # shorthand and music controls
    r"\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"  # tags, in which whole texts can be hidden
    r"\ud800-\udfff"  # lone surrogates
)
# Joiners and variation selectors are invisible too, but Persian, the scripts of India, Mongolian,
# Chinese characters and emoji are spelled with them: they are kept in those contexts.
_JOINING = (
    r"\u0590-\u1dff\u2190-\u2bff\ua800-\uabff\ufb1d-\ufdcf\ufe0f\ufe70-\ufefc\U00010000-\U0001fbff"
)
_HAN = r"\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SYMBOL = r"0-9#*\xa9\xae\u2010-\u2027\u2030-\u2bff\u3000-\u9fff\U0001f000-\U0001fbff"
_UNSEEN = (
    f"[{_NEVER_SEEN}]"
    f"|(?<![{_JOINING}])[\u200c\u200d]"
    f"|[\u200c\u200d](?![{_JOINING}])"
    f"|(?<![{_SYMBOL}])[\ufe00-\ufe0f]"
    f"|(?<![{_HAN}])[\U000e0100-\U000e01ef]"
    "|(?<![\u1800-\u18af])[\u180b-\u180f]"
)


@cache
def _unseen() -> re.Pattern[str]:
    """Return the expression, which takes as long to compile as a short text to print."""
    return re.compile(_UNSEEN)


_JOINERS = "\u200c\u200d"

_LONGEST_PIECE = 12
"""The maximum length of a grapheme cluster; emoji of two people are about as long."""

_NUMBER = r"(?<![^\s(])[+\u2212-]?\d[\d.,]*"
"""A number between words, which is not cut."""


def visible(text: str, limit: int | None = None) -> str:
    r"""Replace invisible characters by visible escapes; text of every script is unchanged.

    Parameters
    ----------
    text
        Any text, even invalid Unicode.
    limit
        The maximum length. Longer text is truncated and ends in an ellipsis.

    Returns
    -------
    str
        The text, with ``⟨U+202E⟩`` for the character U+202E. It has no control characters, line
        ends or surrogates, so it can be encoded and written as XML.

    Examples
    --------
    >>> visible("dense\u202e52mb")
    'dense⟨U+202E⟩52mb'
    >>> visible("Straße, поиск, 検索, می‌خواهم, 👩‍💻")
    'Straße, поиск, 検索, می‌خواهم, 👩‍💻'
    >>> visible("a rather long name", limit=9)
    'a rather…'
    >>> visible("it fell by -0.0512", limit=16)
    'it fell by…'
    >>> visible("nul\x00nul", limit=9)
    'nul…'
    """
    if limit is None:
        plain = text.isascii() and text.isprintable()
        return text if plain else _unseen().sub(lambda found: _escape(found[0]), text)
    if _fits(text, limit):
        return visible(text)
    room = limit - len(ELLIPSIS)
    if room < 0:
        return ""
    start = _start(_pieces(text[: limit + 1]), room)
    if text.startswith(start):  # without escapes
        numbers = map(re.Match.span, re.finditer(_NUMBER, text))
        cut = next((at for at, end in numbers if 0 < at < len(start) < end), None)
        start = start[:cut].rstrip()
    return start + ELLIPSIS


def both_ends(name: str, limit: int) -> str:
    """Format a name as `visible` does, but truncate it in the middle.

    Names often differ at the end: in a date, a version or a cut-off.

    Parameters
    ----------
    name
        Name of a system, measure, query, document or segment.
    limit
        The maximum length.

    Examples
    --------
    >>> both_ends("a rather long name", limit=9)
    'a ra…name'
    >>> both_ends("dense-2024-01", limit=13)
    'dense-2024-01'
    """
    if _fits(name, limit):
        return visible(name)
    room = limit - len(ELLIPSIS)
    if room < 0:
        return ""
    # Each character takes at least one, so limit + 1 of them are enough.
    start = _start(_pieces(name[: limit + 1]), room - room // 2)
    return start + ELLIPSIS + _end(_pieces(name[-limit - 1 :]), room - len(start))


def _fits(text: str, limit: int) -> bool:
    return len(text) <= limit and len(visible(text)) <= limit


def _escape(unseen: str) -> str:
    return f"⟨U+{ord(unseen):04X}⟩"


def _start(pieces: Sequence[str], room: int) -> str:
    return "".join(_fitting(pieces, room)).rstrip().rstrip(_JOINERS)


def _end(pieces: Sequence[str], room: int) -> str:
    return "".join(reversed(_fitting(reversed(pieces), room))).lstrip()


def _fitting(pieces: Iterable[str], room: int) -> list[str]:
    """Return the leading pieces that fit."""
    kept = []
    for piece in pieces:
        room -= len(piece)
        if room < 0:
            break
        kept.append(piece)
    return kept


def _pieces(text: str) -> list[str]:
    r"""Split a text where it may be cut: not inside an escape or a grapheme cluster.

    >>> _pieces("ae\u0301\x00") == ["a", "e\u0301", "⟨U+0000⟩"]
    True
    """
    pieces: list[str] = []
    for at, character in enumerate(text):
        if _unseen().match(text, at):
            pieces.append(_escape(character))
        elif at and _extends(character, text[at - 1]) and len(pieces[-1]) < _LONGEST_PIECE:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def _extends(character: str, before: str) -> bool:
    """Return whether a character extends the one before: a mark, a joiner or a skin tone."""
    tone = "\U0001f3fb" <= character <= "\U0001f3ff"
    return (
        unicodedata.category(character)[0] == "M"
        or character in _JOINERS
        or before == _JOINERS[1]
        or tone
    )


def short(text: str) -> str:
    """Shorten a name to `NAME_LIMIT` characters, in the middle.

    Examples
    --------
    >>> short("bi-encoder-large-v2-finetuned-on-click-logs-2024-01")
    'bi-encoder-large-v2-…-click-logs-2024-01'
    """
    return both_ends(text, NAME_LIMIT)
