"""The lines of code that messages suggest."""

from __future__ import annotations

import re


def suggested(message: str, start: str) -> str:
    """Return the expression of a message that begins with these characters.

    >>> suggested("Expected names. Make them: {q: d for q, d in rows}. Or give a path.", "{q:")
    '{q: d for q, d in rows}'
    >>> suggested("Sort it: frame.sort('a').head(2).", "frame.sort")
    "frame.sort('a').head(2)"
    """
    text = message[message.index(start) :]
    depth = 0
    for end, character in enumerate(text, 1):
        depth += (character in "([{") - (character in ")]}")
        closed = depth == 0 and character in ")]}"
        if closed and not re.match(r"\.\w+\(", text[end:]):
            return text[:end]
    raise AssertionError(f"no code begins with {start!r}")
