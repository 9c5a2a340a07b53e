"""How wide a text is, in a terminal and on a page."""

import unicodedata


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


_ZERO_WIDTH = ("Mn", "Me", "Cf")
"""Unicode categories of zero-width characters: marks, joiners, variation selectors."""


def terminal_width(text: str) -> int:
    """Return the width of a text in a terminal: East Asian wide characters take two columns.

    Examples
    --------
    >>> terminal_width("bm25"), terminal_width("検索")
    (4, 4)
    """
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(
        0
        if unicodedata.category(c) in _ZERO_WIDTH
        else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )
