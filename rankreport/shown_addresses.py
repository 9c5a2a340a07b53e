"""Addresses without what may be secret: as names, messages and pages show them."""

from __future__ import annotations

import os
import re

_ADDRESS = r"(?is)(?P<scheme>[a-z][a-z0-9+.-]+):(?P<slashes>/+)(?P<rest>.*)"
_LEFT_OUT = r"(?i)[?#;]|%3f(?=[^?#]*(?:=|%3d))"
"""Where signatures, keys and sessions begin, the question mark also when it is encoded."""

_QUERY = r"""\?[\w.~%-]+=[^\s"'<>`]*"""
"""A query of an address whose scheme is missing; a pattern of names has no equals sign there."""

_CONTAINERS = ("abfs", "abfss", "wasb", "wasbs")
"""Schemes whose addresses have the container where others have the user."""

_START = r"[a-z][a-z0-9+.-]+:/+"
_IN_TEXT = rf"""(?i)(?<="){_START}[^"]*|(?<='){_START}[^']*|{_START}[^\s"'<>`]+"""
_CLOSING = r"[]).,:;!}]*$"

_ANSWER = r"(?s)(status code: \d+[^:]*):.*"
"""What a server answers to Polars, which may repeat what the server was sent."""

_CONFIDENTIAL = r"""(?ix)
    ((?:password|passwd|pwd|secret|token|credential|signature|\bsig\b|account_?key|access_?key|api_?key)
    [\w-]*["']?(?:\s*=\s*|\s*:?\s*(?=["'])))(?:"[^"]*"|'[^']*'|\{[^}]*\}|[^\s;,&)]+)"""
"""Values in the connection strings of databases, in options and in statements."""

_USER = r"(:/+)[^/?#]*:[^/?#]*@"
"""A user with a password."""


def shown_address(address: str | os.PathLike[str]) -> str:
    """Return an address as scheme, host and path: no user, password, query or fragment.

    What stands before the address, as ``name=``, is kept, and a path of a file is unchanged.

    >>> shown_address("new=https://me:word@example.org:8443/a/new.run?token=123#1")
    'new=https://example.org:8443/a/new.run'
    >>> shown_address("abfss://container@account.dfs.core.windows.net/a.parquet?sig=12")
    'abfss://container@account.dfs.core.windows.net/a.parquet'
    >>> shown_address("runs/part-?.csv")
    'runs/part-?.csv'
    """
    text = os.fspath(address)
    found = re.search(_ADDRESS, text)
    if found is None:
        return re.sub(_QUERY, "", text)
    rest = found["rest"]
    bare = re.split(_LEFT_OUT, rest, maxsplit=1)[0]
    authority = bare.partition("/")[0]
    user, at, host = authority.rpartition("@")
    with_host = len(found["slashes"]) < 3
    of_container = found["scheme"].casefold() in _CONTAINERS
    if ":" in user or (with_host and not at and "@" in rest and _has_password(authority)):
        # A password that is not encoded may hold what ends a host.
        bare = bare.rpartition("@")[2] if "@" in bare else "..."
    elif at and with_host and not of_container:
        bare = bare.removeprefix(f"{user}@")
    host, slash, path = bare.partition("/")
    before = text[: found.start("rest")]
    return f"{before}{host}{slash}{shown_address(path) if '/' in path else path}"


def given_address(path: str | os.PathLike[str]) -> str | None:
    """Return the address, as shown, that was given for a path; None if it is none.

    >>> from pathlib import Path
    >>> given_address(Path("https://example.org/a.csv?token=123"))  # which has one slash then
    'https://example.org/a.csv'
    >>> given_address("runs/a.csv"), given_address("C:/a.csv")
    (None, None)
    """
    found = re.match(r"([a-z][a-z0-9+.-]+:)/+(.*)", os.fspath(path), re.IGNORECASE | re.DOTALL)
    return shown_address(f"{found[1]}//{found[2]}") if found else None


def _has_password(authority: str) -> bool:
    """Return whether what follows a colon is no port."""
    return re.search(r":(?!\d+$)", re.sub(r"^\[[^]]*\]", "", authority)) is not None


def without_passwords(text: str) -> str:
    """Return a message with its addresses as they are, but for passwords and values called secret.

    It may repeat identifiers, which are addresses of pages at times.

    >>> without_passwords("line 2 has 'https://me:word@example.org/a?id=5&token=123' for the grade")
    "line 2 has 'https://example.org/a?id=5&token=...' for the grade"
    """

    def without_values(found: re.Match[str]) -> str:
        return re.sub(_CONFIDENTIAL, r"\1...", re.sub(_USER, r"\1", found[0]))

    return re.sub(_IN_TEXT, without_values, text)


def without_secrets(text: str) -> str:
    """Return what another program says, with its addresses as `shown_address` shows them.

    Values that are called passwords, keys and the like are left out too.

    >>> without_secrets("GET (https://example.org/a.run?token=123): 'PWD=123;Server=db'")
    "GET (https://example.org/a.run): 'PWD=...;Server=db'"
    """
    without_answer = re.sub(_ANSWER, r"\1", text)
    shown = re.sub(_IN_TEXT, _shown_in_text, without_answer)
    return re.sub(_CONFIDENTIAL, r"\1...", re.sub(_QUERY, "", shown))


def _shown_in_text(found: re.Match[str]) -> str:
    address = found[0]
    closing = re.search(_CLOSING, address)
    end = closing.start() if closing else len(address)
    return shown_address(address[:end]) + address[end:]
