"""JSON documents: a file that is one JSON value, as opposed to JSON lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from rankreport.column_names import folded
from rankreport.errors import NOT_UTF8, DataError
from rankreport.io.decompression import decompressed
from rankreport.io.source import FOREIGN, Contents, reason_of
from rankreport.io.typed_json import RepeatedKeyError, unique_keys

_LINES = (".jsonl", ".ndjson")
_LIST = rb"\[\s*[\[\]{\"]"
_GOES_ON = (b"{", b"[", b",")
"""How the first line of a document ends that is written on several lines."""


def is_document(head: bytes, suffix: str, *, whole: bool) -> bool:
    r"""Return whether bytes begin one JSON value, and not JSON lines.

    Parameters
    ----------
    head
        The first bytes, without a byte-order mark.
    suffix
        The suffix of the file, without that of compression.
    whole
        Whether the first bytes are all.

    >>> is_document(b'{"q1": {"d1": 1.5}}', "", whole=True)
    True
    >>> is_document(b'{"qid": "q1", "docno": "d1", "score": 1.5}\n', ".json", whole=True)
    False
    """
    text = head.lstrip()
    if suffix in _LINES:
        return False
    if not text.startswith((b"{", b"[")):
        return suffix == ".json"
    if text.startswith(b"["):
        return suffix == ".json" or bool(re.match(_LIST, text))
    first, end, rest = text.partition(b"\n")
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        cut = not end and not whole
        return cut or suffix == ".json" or first.rstrip().endswith(_GOES_ON)
    if rest.strip():
        return False
    nested = isinstance(found, dict) and any(isinstance(v, dict | list) for v in found.values())
    return nested or not found


def holds_texts(line: str, aliases: Mapping[str, Iterable[str]]) -> bool:
    """Return whether a JSON object holds texts by id, and is no record with known columns.

    >>> holds_texts('{"d1": "All that jazz"}', {"text": ["text", "body"]})
    True
    >>> holds_texts('{"body": "All that jazz"}', {"text": ["text", "body"]})
    False
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, dict) or not found:
        return False
    names = {alias for each in aliases.values() for alias in each}
    return not names & set(map(folded, found)) and all(isinstance(t, str) for t in found.values())


def held_value(given: Any) -> Any:
    """Return a JSON value; of an answer of Elasticsearch's client, its body."""
    if type(given).__module__.split(".")[0] == "elastic_transport":
        return getattr(given, "body", given)
    return given


def written(name: str, value: Any) -> Contents:
    """Return a JSON value as the file that it might be written to.

    Raises
    ------
    DataError
        If it cannot be written as JSON.

    >>> written("an answer", {"responses": []}).data
    b'{"responses": []}'
    """
    try:
        return Contents(name, data=json.dumps(held_value(value), default=held_value).encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(f"{name} is no JSON value ({reason_of(error)}).") from None


def read_document(contents: Contents) -> Any:
    """Read a JSON document.

    Raises
    ------
    DataError
        If it is not valid JSON in UTF-8, or an object has a key twice, of which the first would be
        lost.
    """
    name = contents.name
    try:
        return json.loads(whole_text(contents), object_pairs_hook=unique_keys)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{name}, line {error.lineno}, column {error.colno} is no valid JSON ({error.msg}). "
            f"Is the file complete?"
        ) from None
    except RepeatedKeyError as error:
        raise DataError(f"{name} {error}") from None
    except DataError:  # a ValueError too
        raise
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name} cannot be read as JSON ({reason_of(error)}).") from None


def whole_text(contents: Contents) -> str:
    """Return the whole text of a source, decompressed.

    Raises
    ------
    DataError
        If it cannot be decompressed, or is not UTF-8.
    """
    name = contents.name
    try:
        if not contents.compressed:
            return contents.whole().decode("utf-8-sig")
        with decompressed(contents) as file:
            return file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{name} {NOT_UTF8}") from None
    except FOREIGN as error:
        if isinstance(error, pl.exceptions.PolarsError) and "utf-8" in str(error).casefold():
            raise DataError(f"{name} {NOT_UTF8}") from None
        raise DataError(f"{name} cannot be read to its end ({reason_of(error)}).") from None
