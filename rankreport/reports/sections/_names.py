"""Shortening of long system names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from rankreport.reports.page import Page
from rankreport.text import BRIEF_NAME, both_ends

_IN_FULL = frozenset({"provenance", "svg", "id", "href", "url", "anchor", "query", "keys", "help"})
"""Fields in which names are not shortened."""


def briefly(page: Page, names: Iterable[str]) -> Page:
    """Return a page with long names shortened everywhere but in its provenance.

    Names are left as they are if two would become equal.
    """
    brief = {name: both_ends(name, BRIEF_NAME) for name in names if len(name) > BRIEF_NAME}
    if not brief or len(set(brief.values())) < len(brief):
        return page
    # One name may be a prefix of another: match the longest.
    longest_first = sorted(brief, key=len, reverse=True)
    found = re.compile("|".join(map(re.escape, longest_first)))
    shortened: Page = _shortened(page, found, brief)
    return replace(shortened, names=tuple((short, name) for name, short in brief.items()))


def _shortened(value: Any, found: re.Pattern[str], brief: dict[str, str]) -> Any:
    """Return a value with names replaced in all its texts."""
    if isinstance(value, str):
        return found.sub(lambda name: brief[name[0]], value)
    if isinstance(value, tuple):
        return tuple(_shortened(each, found, brief) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        kept = [field.name for field in fields(value) if field.name not in _IN_FULL]
        return replace(
            value, **{name: _shortened(getattr(value, name), found, brief) for name in kept}
        )
    return value
