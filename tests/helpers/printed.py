"""How the tests read what a page prints of its numbers, and the numbers that it carries as JSON."""

from __future__ import annotations

import json
import math
import re

from markup import by_id

from rankreport.text.format import MISSING

NUMBER = re.compile(r"[-+]?(?:\d[\d,]*(?:\.\d+)?|∞)")


def embedded(tree):
    """Return the JSON that stands in a page."""
    return json.loads("".join(by_id(tree, "report-data").itertext()))


def agrees(shown, exact):
    """Whether a text is a number rounded to the decimals that it has, its sign included."""
    if exact is None:
        return shown in ("", MISSING, "-")
    exact = float(exact) if isinstance(exact, str) else exact
    if math.isinf(exact):
        return shown.lstrip("+") == ("-∞" if exact < 0 else "∞")
    if shown.startswith("< "):
        return exact < float(shown[2:])
    found = shown.replace(",", "")
    if not NUMBER.fullmatch(found):
        return False
    decimals = len(found.partition(".")[2])
    rounded = f"{exact:.{decimals}f}"
    signless = not rounded.strip("-0.")  # a zero has none
    return found.lstrip("+") == (rounded.lstrip("-") if signless else rounded)
