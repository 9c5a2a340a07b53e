"""Formatting of text and numbers, the same on a page, in a chart, a notebook and a terminal.

Queries, document ids and system names are untrusted. `visible` replaces their invisible characters,
which could reorder or end the surrounding text, by readable escapes. It does not replace HTML
escaping, which each renderer does itself.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache, reduce

from rankreport.text.language import say, separated

MISSING = "\N{EN DASH}"
"""Placeholder for a missing number."""

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
"""Mark of truncated text."""

NAME_LIMIT = 40
"""The maximum length of a name next to others, in characters."""

BRIEF_NAME = 24
"""The maximum length of a name on the first screen and in the heads of tables, in characters."""

MOST_DECIMALS = 6
"""The maximum number of decimals."""

SMALLEST_P = 0.0001
"""The smallest p-value shown with four decimals."""

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

_PERCENT = re.compile(r"(?<=\d) %")
_HYPHEN = re.compile(r"(?<![<>=] )(?<![A-Za-z0-9\u00c0-\u024f_.,:/+\u2013\u2026-])-(?=[\d\u221e])")
"""A hyphen that is the sign of a number, not within a name, a date or a requirement."""
_DECIMAL = re.compile(rf"{_HYPHEN.pattern}(?=\d+\.\d|\u221e)")
_WHOLE = re.compile(r"(?<![\d.,])\d{4,}(?![\d,])")
_BETWEEN = re.compile(r"(?<=\d) (\w{1,3}) (?=[+\u2212-]?\d+\.\d)")
"""What stands between the two ends of an interval."""
_NUMBER = re.compile(r"(?<![^\s(])[+\u2212-]?\d[\d.,]*")
"""A number between words, which is not cut."""
_THOUSANDS = re.compile(r"(?<=\d)(?=(?:\d{3})+$)")

MINUS = "\N{MINUS SIGN}"
"""The minus sign of pages; elsewhere it is a hyphen, which programs can read."""


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
        numbers = map(re.Match.span, _NUMBER.finditer(text))
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


def number(value: float | None, digits: int = 4, *, signed: bool = False) -> str:
    """Format a number with a fixed number of decimals.

    The minus sign is a hyphen-minus, so that output can be copied, searched and parsed. A number
    that rounds to zero has no sign.

    Parameters
    ----------
    value
        The number. None and NaN are shown as a dash.
    digits
        Number of decimals.
    signed
        Whether positive numbers have a sign, as differences should.

    Examples
    --------
    >>> number(0.41234), number(0.01234, signed=True), number(-0.5, 2)
    ('0.4123', '+0.0123', '-0.50')
    >>> number(-0.00001), number(0.00001, signed=True), number(float("-inf"))
    ('0.0000', '0.0000', '-∞')
    >>> number(None) == number(float("nan")) == MISSING
    True
    >>> number(0.026250000000000003), number(0.026249999999999996), number(0.42625)
    ('0.0262', '0.0262', '0.4262')
    """
    if value is None or math.isnan(value):
        return MISSING
    sign = "-" if value < 0 else "+" if signed else ""
    # Without its last bits, which depend on the order of a sum. Halves are rounded to even digits,
    # so that 0.42625 and 0.02625, its distance from 0.4, are rounded the same way.
    settled = "" if math.isinf(value) else str(round(abs(value), 12))
    size = f"{Decimal(settled):.{digits}f}" if settled else "\N{INFINITY}"
    return sign + size if size.strip("0.") else size


_ROUNDING = 1e-12
"""The largest error of a sum."""


def decimals(*values: float | None, least: int = 3) -> int:
    """Return the number of decimals at which only 0 is printed as 0.

    What is left of a sum of equal terms counts as 0. From 10 on, a number has fewer decimals, and
    the largest of several small ones has two figures at least.

    >>> decimals(0.25, None, -0.0004), decimals(0.25, least=1), decimals(0.03, least=1)
    (4, 1, 2)
    >>> decimals(14.96, 4.74, 25.18), decimals(1234.5), decimals(0.0013, 0.0005, 0.0021)
    (1, 0, 4)
    >>> decimals(0.3 - 0.1 - 0.2)
    3
    """
    known = [abs(value) for value in values if value is not None and math.isfinite(value)]
    sizes = [size for size in known if size > _ROUNDING]
    if not sizes:
        return least
    place = math.floor(math.log10(max(sizes)))
    wanted = math.ceil(-math.log10(2 * min(sizes)))
    if len(sizes) > 1 and max(sizes) < 0.005:
        wanted = max(wanted, 1 - place)
    return max(0, least - place - 1 if place > 0 else least, min(MOST_DECIMALS, wanted))


def signed(value: float | None, *ends: float | None) -> str:
    """Format a difference with the decimals that it and the ends of its interval need.

    >>> signed(0.021, 0.012, 0.03), signed(-0.00007, -0.00011, -0.00003), signed(0.00007)
    ('+0.021', '-0.00007', '+0.0001')
    """
    return number(value, decimals(value, *ends), signed=True)


def between(low: float | None, high: float | None, *, signed: bool = False) -> str:
    """Format an interval for a table cell.

    >>> between(-0.01, 0.2, signed=True), between(0.3, 0.4)
    ('-0.0100 to +0.2000', '0.3000 to 0.4000')
    """
    if low is None or high is None:
        return MISSING
    return say("{low} to {high}", low=number(low, signed=signed), high=number(high, signed=signed))


def ranks_in_figures(low: int, high: int, *seen: int) -> str:
    r"""Write ranks that are left open, with the ends of those seen in brackets if these are fewer.

    >>> ranks_in_figures(1, 4, 2, 3) == "1\N{EN DASH}4 (2\N{EN DASH}3)"
    True
    >>> ranks_in_figures(2, 2, 2, 2), ranks_in_figures(2, 2)
    ('2', '2')
    """
    known = f"{low}" if low == high else f"{low}\N{EN DASH}{high}"
    return f"{known} ({ranks_in_figures(*seen)})" if seen and seen != (low, high) else known


def adding_up(parts: Sequence[float], digits: int) -> list[float]:
    """Round parts so that they add up to their rounded sum, each by less than one unit.

    The part that loses most by rounding down is rounded up first.

    >>> adding_up([0.0604, 0.0403], 3), adding_up([0.0706, -0.0203], 3)
    ([0.061, 0.04], [0.07, -0.02])
    """
    exact = [part * 10**digits for part in parts]
    units = [math.floor(part + _ROUNDING) for part in exact]
    total = round(float(number(sum(parts), digits)) * 10**digits)
    by_loss = sorted(range(len(parts)), key=lambda place: units[place] - exact[place])
    for place in by_loss[: total - sum(units)]:
        units[place] += 1
    return [unit / 10**digits for unit in units]


def reliable_decimals(error: float | None) -> int:
    """Return the number of decimals that a random error allows.

    A unit of the last decimal is at least the standard error: what varies from one seed to another
    is not printed.

    Parameters
    ----------
    error
        The standard error of a number, such as that of an end of an interval between seeds; None
        or 0 if it has none.

    Examples
    --------
    >>> reliable_decimals(0.001), reliable_decimals(0.0003), reliable_decimals(0)
    (3, 3, 6)
    """
    if not error or not math.isfinite(error):
        return MOST_DECIMALS
    return max(1, min(MOST_DECIMALS, math.floor(-math.log10(error) + 1e-9)))


def decimals_beside(limits: Iterable[float], ends: Iterable[float | None], fewest: int) -> int:
    """Return how many decimals keep each printed end on its side of each limit.

    >>> decimals_beside([-0.01], [-0.0104, 0.0100001], fewest=3)
    4
    """
    compared = [(end, limit) for end in ends if end is not None for limit in limits]
    for digits in range(fewest, MOST_DECIMALS):
        if all(_side(round(end, digits), limit) == _side(end, limit) for end, limit in compared):
            return digits
    return MOST_DECIMALS


def _side(value: float, limit: float) -> tuple[bool, bool]:
    return value < limit, value > limit


_FURTHER = 2
"""How many further decimals a difference takes before it has them alone."""


def digits_of(rows: Iterable[Sequence[float | None]]) -> int:
    """Return one number of decimals for differences and the ends of their intervals.

    Three, or more where fewer would print 0 or an end on the wrong side of it; fewer where more
    would vary between seeds. A difference with an end so close to 0 that it takes more than two
    further decimals has these alone, in `figures_of`.

    Parameters
    ----------
    rows
        A difference, the ends of its interval, and their error between seeds.

    Examples
    --------
    >>> digits_of([(0.0213, 0.0121, 0.0305, None)]), digits_of([(0.02, 0.01, 0.03, 0.004)])
    (3, 2)
    >>> digits_of([(0.02, 0.0004, 0.03, 0.001), (0.02, 0.01, 0.03, 0.004)])
    4
    >>> digits_of([(0.02, 0.000004, 0.03, 0.001), (0.02, 0.01, 0.03, 0.004)])
    2
    """
    known = [row for row in rows if row[0] is not None]
    wanted = (min(decimals(*row[:3]), reliable_decimals(row[3])) for row in known)
    fewest = min(wanted, default=3)
    needed = (decimals_beside([0.0], row[1:3], fewest) for row in known)
    return max((n for n in needed if n <= fewest + _FURTHER), default=fewest)


def figures_of(
    delta: float | None,
    low: float | None,
    high: float | None,
    end_error: float | None,
    digits: int | None = None,
) -> tuple[str, tuple[str, str] | None]:
    """Format a difference and the ends of its interval; None without an interval.

    With the decimals given, or those of `digits_of`; more where an end would be printed on the
    wrong side of 0.

    >>> figures_of(0.0213, 0.0121, 0.0305, None)
    ('+0.021', ('+0.012', '+0.030'))
    >>> figures_of(0.0213, 0.0121, 0.0305, 0.004), figures_of(0.0213, 0.0004, 0.0305, 0.001, 3)
    (('+0.02', ('+0.01', '+0.03')), ('+0.0213', ('+0.0004', '+0.0305')))
    """
    digits = digits_of([(delta, low, high, end_error)]) if digits is None else digits
    digits = decimals_beside([0.0], (low, high), digits)
    shown, *ends = (number(value, digits, signed=True) for value in (delta, low, high))
    return shown, None if low is None or high is None else (ends[0], ends[1])


def delta_and_interval(
    delta: float | None,
    low: float | None,
    high: float | None,
    end_error: float | None,
    *,
    digits: int | None = None,
) -> tuple[str, str]:
    """Format a difference and its interval for two cells of a table, as `figures_of` does.

    >>> delta_and_interval(0.0213, 0.0121, 0.0305, 0.001)
    ('+0.021', '+0.012 to +0.030')
    """
    shown, ends = figures_of(delta, low, high, end_error, digits)
    if ends is None:
        return shown, MISSING
    return shown, say("{low} to {high}", **dict(zip(("low", "high"), ends, strict=True)))


def p_value(p: float | None, floor: float = SMALLEST_P) -> str:
    """Format a p-value with four decimals; never 0, and with ``<=`` where it is at its floor.

    Parameters
    ----------
    p
        The p-value. None and NaN are shown as a dash.
    floor
        The smallest p-value that the draws allow: 0.0001 with 10,000 of them. Exact p-values may be
        smaller.

    Examples
    --------
    >>> p_value(0.03124), p_value(0.0001), p_value(0.00009), p_value(0.0)
    ('0.0312', '<= 0.0001', '<= 0.0001', '<= 0.0001')
    >>> p_value(0.004, floor=0.004), p_value(0.0041, floor=0.004), p_value(0.003, floor=0.004)
    ('<= 0.0040', '0.0041', '0.0030')
    """
    if p is None:
        return number(p)
    if math.isclose(p, floor, rel_tol=1e-9) and floor > SMALLEST_P:
        return f"<= {math.ceil(floor / SMALLEST_P - 1e-6) * SMALLEST_P:.4f}"
    # Rounding errors may put 1 / 10,000 slightly above itself.
    return f"<= {SMALLEST_P:.4f}" if p <= SMALLEST_P * (1 + 1e-9) else number(p)


def short(text: str) -> str:
    """Shorten a name to `NAME_LIMIT` characters, in the middle.

    Examples
    --------
    >>> short("bi-encoder-large-v2-finetuned-on-click-logs-2024-01")
    'bi-encoder-large-v2-…-click-logs-2024-01'
    """
    return both_ends(text, NAME_LIMIT)


def percent(share: float, *, whole: bool = False) -> str:
    """Format a share in per cent, with its decimals or rounded to a whole number below all.

    Examples
    --------
    >>> percent(0.954), percent(0.954, whole=True), percent(0.999, whole=True)
    ('95.4 %', '95 %', '99.9 %')
    """
    is_whole = whole and not 0.995 <= share < 1
    return say("{number} %", number=f"{100 * share:.0f}" if is_whole else f"{100 * share:.4g}")


def relative_change(before: float | None, after: float | None) -> float | None:
    """Return a change as a share of the level before; None without one, or a level above 0.

    >>> relative_change(0.5, 0.75), relative_change(0.0, 0.5)
    (0.5, None)
    """
    if before is None or after is None or not before > 0:
        return None
    return after / before - 1


def relative(before: float | None, after: float | None) -> str:
    """Format a change in per cent of the level before; empty without one, or a level above 0.

    Examples
    --------
    >>> relative(0.654, 0.698), relative(0.5, 0.4975), relative(0.0, 0.5)
    ('+7 %', '-0.5 %', '')
    """
    share = relative_change(before, after)
    if share is None:
        return ""
    change = 100 * share
    shown = f"{change:+.{0 if abs(change) >= 1 else 1}f}"
    return say("{number} %", number=shown) if float(shown) else ""


def capital(text: str) -> str:
    """Return a clause as a sentence begins."""
    return text[:1].upper() + text[1:]


def unbroken(text: str) -> str:
    r"""Return a sentence with real minus signs, and no line break before a per cent sign.

    Only for text that is not copied into programs, such as that of a page.

    >>> unbroken("a 95 % interval") == "a 95\N{NO-BREAK SPACE}% interval"
    True
    >>> unbroken("--require 'AP >= -0.01'")  # which may be copied
    "--require 'AP >= -0.01'"
    >>> unbroken("long\N{HORIZONTAL ELLIPSIS}-2024")  # a name cut in the middle
    'long…-2024'
    >>> unbroken("bm25-2 on 2024-01: -0.02 (-0.05 to +0.01)") == (
    ...     "bm25-2 on 2024-01: \N{MINUS SIGN}0.02 (\N{MINUS SIGN}0.05 to +0.01)")
    True
    """
    return _HYPHEN.sub(MINUS, _PERCENT.sub("\N{NO-BREAK SPACE}%", text))


def with_whole_intervals(text: str) -> str:
    r"""Return a text in which no line breaks within an interval.

    >>> with_whole_intervals("+0.02 (-0.05 to +0.01)") == "+0.02 (-0.05\xa0to\xa0+0.01)"
    True
    """
    return _BETWEEN.sub("\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)


def prose(cell: str) -> str:
    r"""Return a cell of words with real minus signs of decimals; names and ids stay as they are.

    >>> prose("lower bound -0.05") == "lower bound \N{MINUS SIGN}0.05", prose("a -17")
    (True, 'a -17')
    """
    return _DECIMAL.sub(MINUS, cell) if " " in cell else cell


def typeset(cell: str) -> str:
    r"""Return a cell of a column of numbers with real minus signs and thousands separators.

    >>> typeset("-12345.6789") == "\N{MINUS SIGN}12,345.6789"
    True
    >>> typeset("7000 / 12 / 3"), typeset("+0.123456")
    ('7,000 / 12 / 3', '+0.123456')
    """
    return _WHOLE.sub(lambda found: _THOUSANDS.sub(",", found[0]), _HYPHEN.sub(MINUS, cell))


def counted(n: int, one: str, many: str) -> str:
    """Format a count with its noun, in the current language.

    The messages are the nouns after ``{n}``, such as ``{n} query`` and ``{n} queries``.

    Examples
    --------
    >>> counted(1, "query", "queries"), counted(7000, "query", "queries")
    ('1 query', '7,000 queries')
    """
    return say(f"{{n}} {one if n == 1 else many}", n=f"{n:,}")


def listed(parts: Sequence[str]) -> str:
    """Join parts to a list with "and".

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    *first, last = parts or [""]
    return say("{some} and {last}", some=comma_separated(first), last=last) if first else last


def comma_separated(parts: Sequence[str]) -> str:
    """Join parts to a list with commas only.

    Examples
    --------
    >>> comma_separated(["a", "b", "c"])
    'a, b, c'
    """
    return separated(", ", parts)


MOST_NAMED = 12
"""The most systems, or segments, named in a sentence where these matter."""


def first_of(parts: Iterable[str], most: int = 5, n: int | None = None) -> str:
    """List the first of some parts, and say how many more there are: of ``n`` if not all are given.

    Examples
    --------
    >>> first_of(["a", "b", "c"], 2), first_of(["a", "b"], n=7)
    ('a, b, and 1 more', 'a, b, and 5 more')
    """
    known = list(parts)
    named = known[:most]
    more = (len(known) if n is None else n) - len(named)
    return comma_separated([*named, say("and {n} more", n=f"{more:,}")] if more > 0 else named)


def with_names(queries: str, named: Sequence[str], n: int) -> str:
    """Return queries that are counted in words, and the first of them by name, if known.

    >>> with_names("7 queries", ["q1", "q2"], 7), with_names("7 queries", [], 7)
    ('7 queries: q1, q2, and 5 more', '7 queries')
    """
    if not named:
        return queries
    return say("{queries}: {named}", queries=queries, named=first_of(named, n=n))


def paragraph(*sentences: str) -> str:
    """Join sentences as the language does, without empty ones.

    Examples
    --------
    >>> paragraph("It is better.", "", "Few queries changed.")
    'It is better. Few queries changed.'
    """
    parts = [each for each in sentences if each]
    return reduce(lambda first, then: say("{first} {then}", first=first, then=then), parts or [""])


def text_width(text: str) -> float:
    """Estimate the width of a text, in ems, in common fonts.

    It is not measured, since the reader's font is unknown and the result must not depend on the
    machine.

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
    return 0.84 if character.isupper() or character in "mw+=<>%@…▲▼\N{MINUS SIGN}" else 0.64


def runs_in_words(systems: Sequence[str], n_repeats: Mapping[str, int]) -> str:
    """Return how often each of some systems ran.

    >>> runs_in_words(["a", "b"], {"a": 3, "b": 3}), runs_in_words(["a", "b"], {"a": 3})
    ('3 runs of each system', '3 runs of a, 1 of b')
    """
    n = [n_repeats.get(system, 1) for system in systems]
    if len(set(n)) == 1:
        return say("{n} runs of each system", n=n[0])
    named = sorted(zip(n, systems, strict=True), key=lambda each: -each[0])
    first = say("{n} runs of {system}", n=named[0][0], system=named[0][1])
    others = [say("{n} of {system}", n=n, system=system) for n, system in named[1:]]
    return comma_separated([first, *others])
