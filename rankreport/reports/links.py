"""Addresses that a page may link to."""

import re

_ADDRESS = re.compile(r"https?://[^\s/?#\\@]+(?:[/?#][^\s\\]*)?", re.IGNORECASE)
"""With a host, and without a name of a user, which could look like one."""


def is_address(url: str) -> bool:
    """Return whether an address is one of the web, so that a page may link to it.

    >>> is_address("https://docs.python.org/3/#x"), is_address("javascript:alert(1)")
    (True, False)
    >>> is_address("http://bank.example@evil.example/")
    False
    """
    return url.isprintable() and _ADDRESS.fullmatch(url) is not None
