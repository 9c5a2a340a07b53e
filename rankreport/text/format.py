"""How texts and numbers are written, the same on a page, in a chart, a notebook and a terminal.

Queries, document ids and system names come from files that anyone may have written. `visible` makes
the characters in them that nobody can see, and that could reorder or end what surrounds them, into
something to read; it is no substitute for the escaping of HTML, which each renderer does itself.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import reduce

from rankreport.text.language import say

MISSING = "\N{EN DASH}"
"""What stands where there is no number."""

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
"""What stands where a text was cut."""

NAME_LIMIT = 40
"""The most characters of a name where it stands beside others."""

MOST_DECIMALS = 6
"""More decimals than these are not worth a reader's time."""

SMALLEST_P = 0.0001
"""The smallest p-value that four decimals can show."""

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
# Joiners and variation selectors are as invisible, but Persian, the scripts of India, Mongolian,
# Chinese characters and emoji are spelled with them: they are left where they have that work to do.
_JOINING = (
    r"\u0590-\u1dff\u2190-\u2bff\ua800-\uabff\ufb1d-\ufdcf\ufe0f\ufe70-\ufefc\U00010000-\U0001fbff"
)
_HAN = r"\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SYMBOL = r"0-9#*\xa9\xae\u2010-\u2027\u2030-\u2bff\u3000-\u9fff\U0001f000-\U0001fbff"
_UNSEEN = re.compile(
    f"[{_NEVER_SEEN}]"
    f"|(?<![{_JOINING}])[\u200c\u200d]"
    f"|[\u200c\u200d](?![{_JOINING}])"
    f"|(?<![{_SYMBOL}])[\ufe00-\ufe0f]"
    f"|(?<![{_HAN}])[\U000e0100-\U000e01ef]"
    "|(?<![\u1800-\u18af])[\u180b-\u180f]"
)

_JOINERS = "\u200c\u200d"
_LONGEST_PIECE = 12
"""The most characters taken for one by readers; emoji of two people have about as many."""

_PERCENT = re.compile(r"(?<=\d) %")


def visible(text: str, limit: int | None = None) -> str:
    r"""Write out the characters that can't be seen, and leave every script's text as it is.

    Parameters
    ----------
    text
        Any text, also one that is no valid Unicode.
    limit
        The most characters to give back; a longer text is cut and ends in an ellipsis.

    Returns
    -------
    str
        The text, with ``⟨U+202E⟩`` for the character U+202E. It holds no control character, no
        line end and no surrogate, so that it can be encoded, and written into XML.

    Examples
    --------
    >>> visible("dense\u202e52mb")
    'dense⟨U+202E⟩52mb'
    >>> visible("Straße, поиск, 検索, می‌خواهم, 👩‍💻")
    'Straße, поиск, 検索, می‌خواهم, 👩‍💻'
    >>> visible("a rather long name", limit=9)
    'a rather…'
    >>> visible("nul\x00nul", limit=9)
    'nul…'
    """
    if limit is None:
        return _UNSEEN.sub(lambda found: _escape(found[0]), text)
    if _fits(text, limit):
        return visible(text)
    room = limit - len(ELLIPSIS)
    return "" if room < 0 else _start(_pieces(text[: limit + 1]), room) + ELLIPSIS


def both_ends(name: str, limit: int) -> str:
    """Write a name as `visible` does; a longer one is cut in its middle.

    What tells names apart is often their end: a date, a version, a cut-off.

    Parameters
    ----------
    name
        Of a system, a measure, a query, a document or a group of queries.
    limit
        The most characters to give back.

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
    # Any character is shown as one at least, so that no more of them can be needed.
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
    """Take pieces while there is room for them."""
    kept = []
    for piece in pieces:
        room -= len(piece)
        if room < 0:
            break
        kept.append(piece)
    return kept


def _pieces(text: str) -> list[str]:
    r"""Divide a text where it may be cut: not within an escape, nor before what hangs on a letter.

    >>> _pieces("ae\u0301\x00") == ["a", "e\u0301", "⟨U+0000⟩"]
    True
    """
    pieces: list[str] = []
    for at, character in enumerate(text):
        if _UNSEEN.match(text, at):
            pieces.append(_escape(character))
        elif at and _hangs(character, text[at - 1]) and len(pieces[-1]) < _LONGEST_PIECE:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def _hangs(character: str, before: str) -> bool:
    """Tell whether a character is seen as a part of the one before: a mark, a joiner, a tone."""
    tone = "\U0001f3fb" <= character <= "\U0001f3ff"
    return (
        unicodedata.category(character)[0] == "M"
        or character in _JOINERS
        or before == _JOINERS[1]
        or tone
    )


def number(value: float | None, digits: int = 4, *, signed: bool = False) -> str:
    """Write a number with a fixed count of decimals.

    The sign is the hyphen-minus, so that what is printed can be copied, searched and read back.
    A number that rounds to zero has no sign, for none of its digits shows which one it would be.

    Parameters
    ----------
    value
        The number; None and NaN are no number, and are shown as a dash.
    digits
        How many decimals.
    signed
        Whether a number above zero is given its sign too, as is right for a difference.

    Examples
    --------
    >>> number(0.41234), number(0.01234, signed=True), number(-0.5, 2)
    ('0.4123', '+0.0123', '-0.50')
    >>> number(-0.00001), number(0.00001, signed=True), number(float("-inf"))
    ('0.0000', '0.0000', '-∞')
    >>> number(None) == number(float("nan")) == MISSING
    True
    """
    if value is None or math.isnan(value):
        return MISSING
    sign = "-" if value < 0 else "+" if signed else ""
    size = "\N{INFINITY}" if math.isinf(value) else f"{abs(value):.{digits}f}"
    return size if _is_zero(size) else sign + size


def _is_zero(digits: str) -> bool:
    return not digits.strip("0.")


def decimals(*values: float | None, least: int = 3) -> int:
    """Return how many decimals show all of them, so that none but 0 is printed as 0.

    >>> decimals(0.25, None, -0.0004), decimals(0.25, least=1), decimals(0.03, least=1)
    (4, 1, 2)
    """
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    wanted = math.ceil(-math.log10(2 * min(sizes))) if sizes else 0
    return max(least, min(MOST_DECIMALS, wanted))


def signed(value: float | None, *ends: float | None) -> str:
    """Write a difference in a sentence, with the decimals that it and its interval's ends need.

    >>> signed(0.021, 0.012, 0.03), signed(-0.00007, -0.00011, -0.00003), signed(0.00007)
    ('+0.021', '-0.00007', '+0.0001')
    """
    return number(value, decimals(value, *ends), signed=True)


def between(low: float | None, high: float | None, *, signed: bool = False) -> str:
    """Write an interval by its ends, so that it fits a cell.

    >>> between(-0.01, 0.2, signed=True), between(0.3, 0.4)
    ('-0.0100 to +0.2000', '0.3000 to 0.4000')
    """
    if low is None or high is None:
        return MISSING
    return say("{low} to {high}", low=number(low, signed=signed), high=number(high, signed=signed))


def p_value(p: float | None) -> str:
    """Write a p-value, which four decimals may not show as zero because none is.

    The smallest p-value of 9,999 resamples is 0.0001, and is shown as that.

    Examples
    --------
    >>> p_value(0.03124), p_value(0.0001), p_value(0.00009), p_value(0.0)
    ('0.0312', '0.0001', '< 0.0001', '< 0.0001')
    """
    # 1 / 10,000 may come out a few units in the last place below itself.
    if p is not None and p < SMALLEST_P * (1 - 1e-9):
        return f"< {SMALLEST_P:.4f}"
    return number(p)


def short(text: str) -> str:
    """Write a system's, a measure's or a query's name so that it fits beside others.

    Examples
    --------
    >>> short("bi-encoder-large-v2-finetuned-on-click-logs-2024-01")
    'bi-encoder-large-v2-…-click-logs-2024-01'
    """
    return both_ends(text, NAME_LIMIT)


def percent(share: float, *, whole: bool = False) -> str:
    """Write a share in per cent, with the decimals that it has, or to the nearest whole one.

    Examples
    --------
    >>> percent(0.95), percent(0.999), percent(0.999, whole=True)
    ('95 %', '99.9 %', '100 %')
    """
    return say("{number} %", number=f"{100 * share:.0f}" if whole else f"{100 * share:.4g}")


def unbroken(text: str) -> str:
    r"""Return text in which no line may end between a number and its per cent sign.

    Only what is never copied back into a program is set so: the head of a page.

    >>> unbroken("a 95 % interval") == "a 95\N{NO-BREAK SPACE}% interval"
    True
    """
    return _PERCENT.sub("\N{NO-BREAK SPACE}%", text)


def counted(n: int, one: str, many: str) -> str:
    """Write a count and what is counted, in the language of the context.

    Its messages are both nouns after ``{n}``, such as ``{n} query`` and ``{n} queries``.

    Examples
    --------
    >>> counted(1, "query", "queries"), counted(7000, "query", "queries")
    ('1 query', '7,000 queries')
    """
    return say(f"{{n}} {one if n == 1 else many}", n=f"{n:,}")


def listed(parts: Sequence[str]) -> str:
    """Write parts as a list within a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    *first, last = parts or [""]
    return say("{some} and {last}", some=strung(first), last=last) if first else last


def strung(parts: Sequence[str]) -> str:
    """Write parts one after another, with nothing before the last.

    Examples
    --------
    >>> strung(["a", "b", "c"])
    'a, b, c'
    """
    return say(", ").join(parts)


def paragraph(*sentences: str) -> str:
    """Write sentences one after another, as the language sets them; empty ones are left out.

    Examples
    --------
    >>> paragraph("It is better.", "", "Few queries changed.")
    'It is better. Few queries changed.'
    """
    parts = [each for each in sentences if each]
    return reduce(lambda first, then: say("{first} {then}", first=first, then=then), parts or [""])


def text_width(text: str) -> float:
    """Estimate how wide a text will be, in ems, in the fonts of most readers.

    Nothing is measured: the font of the reader is not known, and the width has to be the same
    on every machine.

    Examples
    --------
    >>> text_width("bm25") < text_width("BM25") < text_width("検索検索")
    True
    """
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> float:
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in "ijl.,:;|'!()[] -":
        return 0.4
    return 0.84 if character.isupper() or character in "mw+=<>%@…▲▼" else 0.64
