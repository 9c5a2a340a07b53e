"""Reading the numbers printed on a page, and those in its JSON."""

from __future__ import annotations

import json
import math
import re

from markup import by_id

from rankreport.text import MINUS, MISSING

NUMBER = re.compile(r"[-+]?(?:\d[\d,]*(?:\.\d+)?|∞)")


def embedded(tree):
    """Return the JSON embedded in a page."""
    return json.loads("".join(by_id(tree, "report-data").itertext()))


def agrees(shown, exact):
    """Return whether a text is the exact number rounded to the text's decimals.

    Minus signs may be those of a page or hyphens, as elsewhere.
    """
    shown = shown.replace(MINUS, "-")
    if exact is None:
        return shown in ("", MISSING, "-")
    exact = float(exact) if isinstance(exact, str) else exact
    if math.isinf(exact):
        return shown.lstrip("+") == ("-∞" if exact < 0 else "∞")
    if shown.startswith("<= "):
        return exact <= float(shown[3:]) * (1 + 1e-9)
    found = shown.replace(",", "")
    if not NUMBER.fullmatch(found):
        return False
    decimals = len(found.partition(".")[2])
    if found.startswith("-") and not found.strip("-0."):
        return False  # zeros have no sign
    # Halves may be rounded either way, and the last bits of a sum are not printed.
    return abs(float(found) - exact) <= 0.5 * 10.0**-decimals + 1e-12 * max(1.0, abs(exact))
