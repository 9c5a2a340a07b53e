"""Columns of numbers as values for JSON: packed, compressed and written as text.

A column of millions of numbers is packed and read block by block, without a Python object for each.
What is read may be damaged or hostile: a block is expanded only to the size that belongs to it.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

_AT_ONCE = 2**18
"""So many numbers are packed together."""

_WIDTHS = ("u1", "u2", "u4")
_KINDS = (*_WIDTHS, "f8")
"""How numbers are packed: unsigned integers of 1 to 4 bytes, or floats of 8."""


def packed_numbers(column: pl.Series) -> dict[str, Any]:
    """Return a column as values for JSON: of floats, or of integers from 0 to 4,294,967,295.

    Examples
    --------
    >>> import polars as pl
    >>> stored = packed_numbers(pl.Series([0.5, None, 0.25]))
    >>> stored["kind"], len(stored["blocks"])
    ('f8', 1)
    >>> unpacked_numbers(stored, pl.Float64(), 3).to_list()
    [0.5, None, 0.25]
    """
    kind = "f8"
    if column.dtype.is_integer():
        largest = int(column.fill_null(0).to_numpy().max(initial=0))
        kind = next(each for each in _WIDTHS if largest < 2 ** (8 * int(each[1])))
    missing = column.null_count() > 0
    stored = {
        "kind": kind,
        "blocks": [_text_of(each.fill_null(0), kind) for each in _parts(column)],
    }
    if missing:
        stored["missing"] = [_text_of(each.is_null(), "u1") for each in _parts(column)]
    return stored


def unpacked_numbers(stored: Mapping[str, Any], dtype: pl.DataType, n: int) -> pl.Series:
    """Return a column from the result of `packed_numbers`.

    Parameters
    ----------
    stored
        The values.
    dtype
        The type of the column.
    n
        How many numbers it must have.

    Raises
    ------
    ValueError
        If it has another number of them, or is damaged.
    TypeError, KeyError
        If it is nothing that was packed.
    polars.exceptions.InvalidOperationError
        If a number does not fit the type.
    """
    kind = stored["kind"]
    if kind not in _KINDS or dtype.is_float() != (kind == "f8"):
        raise ValueError(f"numbers of kind {kind!r} where {dtype} belongs")
    parts = [pl.Series(each).cast(dtype) for each in _blocks_of(stored["blocks"], kind, n)]
    if "missing" in stored:
        gaps = _blocks_of(stored["missing"], "u1", n)
        parts = [
            pl.select(pl.when(pl.Series(gap == 0)).then(part)).to_series()
            for part, gap in zip(parts, gaps, strict=True)
        ]
    return pl.concat([pl.Series(dtype=dtype), *parts])


def _parts(column: pl.Series) -> Iterator[pl.Series]:
    return (column.slice(first, _AT_ONCE) for first in range(0, len(column), _AT_ONCE))


def _text_of(part: pl.Series, kind: str) -> str:
    numbers = part.to_numpy().astype(f"<{kind}")
    return base64.b64encode(zlib.compress(numbers.tobytes())).decode("ascii")


def _blocks_of(blocks: Any, kind: str, n: int) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the numbers of each block."""
    if not isinstance(blocks, list) or n < 0 or len(blocks) != -(-n // _AT_ONCE):
        raise ValueError(f"not the blocks of {n:,} numbers")
    for place, block in enumerate(blocks):
        size = min(_AT_ONCE, n - place * _AT_ONCE)
        n_bytes = size * int(kind[1])
        reader = zlib.decompressobj()
        try:
            found = reader.decompress(base64.b64decode(block, validate=True), n_bytes)
            more = reader.decompress(reader.unconsumed_tail, 1)
        except zlib.error as error:
            raise ValueError(f"numbers that cannot be read ({error})") from None
        if len(found) != n_bytes or more or not reader.eof or reader.unused_data:
            raise ValueError(f"a block of other than {size:,} numbers")
        yield np.frombuffer(found, f"<{kind}").astype(kind, copy=False)
