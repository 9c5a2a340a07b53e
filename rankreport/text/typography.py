"""Signs and spaces of pages: real minus signs, and no line breaks where none should be."""

import re

MINUS = "\N{MINUS SIGN}"
"""The minus sign of pages; elsewhere it is a hyphen, which programs can read."""

_PERCENT = r"(?<=\d) %"
_HYPHEN = r"(?<![<>=] )(?<![A-Za-z0-9\u00c0-\u024f_.,:/+\u2013\u2026-])-(?=[\d\u221e])"
"""A hyphen that is the sign of a number, not within a name, a date or a requirement."""
_DECIMAL = rf"{_HYPHEN}(?=\d+\.\d|\u221e)"
_WHOLE = r"(?<![\d.,])\d{4,}(?![\d,])"
_BETWEEN = r"(?<=\d) (\w{1,3}) (?=[+\u2212-]?\d+\.\d)"
"""What stands between the two ends of an interval."""
_THOUSANDS = r"(?<=\d)(?=(?:\d{3})+$)"


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
    return re.sub(_HYPHEN, MINUS, re.sub(_PERCENT, "\N{NO-BREAK SPACE}%", text))


def with_whole_intervals(text: str) -> str:
    r"""Return a text in which no line breaks within an interval.

    >>> with_whole_intervals("+0.02 (-0.05 to +0.01)") == "+0.02 (-0.05\xa0to\xa0+0.01)"
    True
    """
    return re.sub(_BETWEEN, "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", text)


def prose(cell: str) -> str:
    r"""Return a cell of words with real minus signs of decimals; names and ids stay as they are.

    >>> prose("lower bound -0.05") == "lower bound \N{MINUS SIGN}0.05", prose("a -17")
    (True, 'a -17')
    """
    return re.sub(_DECIMAL, MINUS, cell) if " " in cell else cell


def typeset(cell: str) -> str:
    r"""Return a cell of a column of numbers with real minus signs and thousands separators.

    >>> typeset("-12345.6789") == "\N{MINUS SIGN}12,345.6789"
    True
    >>> typeset("7000 / 12 / 3"), typeset("+0.123456")
    ('7,000 / 12 / 3', '+0.123456')
    """
    signed = re.sub(_HYPHEN, MINUS, cell)
    return re.sub(_WHOLE, lambda found: re.sub(_THOUSANDS, ",", found[0]), signed)
