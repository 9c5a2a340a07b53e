"""Limits of memory: how they are written, and in how many slices runs are read to stay within."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import polars as pl

from rankreport import statistics
from rankreport.errors import OptionError, expect
from rankreport.io import Partition, Source

__all__ = ["MEMORY_HELP", "block_of", "bytes_of", "in_slices"]

MEMORY_HELP = (
    "Memory that may be used, such as 2GB: larger runs are read in slices, through temporary files "
    "in TMPDIR."
)
"""What the option is for, on the command line."""

_UNITS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_SIZE = re.compile(r"(?P<number>\d+(?:\.\d*)?)\s*(?P<unit>[KMGT]?)(?P<binary>I?)B?", re.IGNORECASE)

_LEAST = 500 * 10**6
"""The smallest limit: what the program needs by itself, and to read and write in parts."""

_OWN = 350 * 10**6
"""Bytes that are in use whatever is read: the libraries, and what is kept of earlier slices."""

_TIMES = 6
"""Reading, checking and ranking rows takes so many times their size as text."""

_TIMES_JUDGED = 20
"""Judged rows of a system take so many times the size of the judgments as text."""

_COMPRESSION = 8
"""Text is compressed to this share of its size, or less of it."""

_SAMPLE = 10_000
"""So many rows say how large a row is."""

_MOST = 1024
"""The most slices: each takes some memory while it is written."""


def bytes_of(limit: int | str | None) -> int | None:
    """Return a limit of memory in bytes.

    Raises
    ------
    OptionError
        If it is no size, or too small to evaluate anything.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("1.5 GiB"), bytes_of(10**9), bytes_of(None)
    (2000000000, 1610612736, 1000000000, None)
    """
    if limit is None:
        return None
    expect(limit, (int, str), "memory_limit takes a size such as '2GB', or a number of bytes")
    if isinstance(limit, int):
        size = int(limit)
    else:
        found = _SIZE.fullmatch(limit.strip())
        if found is None:
            raise OptionError(
                f"memory_limit={limit!r} is not a size; expected one such as '2GB' or '800MB'."
            )
        base = 1024 if found["binary"] else 1000
        size = int(float(found["number"]) * base ** _UNITS[found["unit"].upper()])
    if size < _LEAST:
        raise OptionError(
            f"memory_limit={limit!r} is too little: Python and its libraries take 0.2 GB by "
            f"themselves. Give at least '{_LEAST // 10**6}MB'."
        )
    return size


def block_of(limit: int | None) -> int:
    """Return the memory for a block of resamples, within a limit of memory.

    >>> block_of(None) == block_of(4 * 10**9), block_of(500 * 10**6) < block_of(10**9)
    (True, True)
    """
    return statistics.MEMORY if limit is None else min(statistics.MEMORY, limit // 16)


_Qrels = TypeVar("_Qrels", Source, Source | None)


def in_slices(
    qrels: _Qrels, runs: Mapping[str, Source], limit: int | None, *, whole: bool = False
) -> tuple[_Qrels, dict[str, Source]]:
    """Return judgments and runs, to be read in so many slices that a limit is kept.

    All are read in the same number of slices, so that slices of two systems hold the same queries.
    Judgments are read in slices if judged rows of all systems would not fit.

    Parameters
    ----------
    qrels, runs
        The sources. There may be no judgments, as where they cannot be read.
    limit
        The limit, in bytes.
    whole
        Whether judgments must be read at once.

    Raises
    ------
    OptionError
        If too little room is left by what cannot be read in slices.
    """
    if limit is None or not runs:
        return qrels, dict(runs)
    held = sum(_held(source) for source in (qrels, *runs.values()) if source is not None)
    judged = 0 if qrels is None else _TIMES_JUDGED * _size(qrels) * len(runs)
    largest = _TIMES * max(map(_size, runs.values()))
    room = limit - _OWN - held
    if not whole and qrels is not None and judged > 3 * room // 4:
        n_slices = -(-(largest + judged) // max(room, 1))
        partition = Partition(n_slices)
        qrels = replace(qrels, partition=partition)
    else:
        n_slices = -(-largest // max(room - judged, 1))
    n_slices = min(n_slices, _MOST)
    if n_slices <= 1:
        return qrels, dict(runs)
    sliced = {n: replace(source, partition=Partition(n_slices)) for n, source in runs.items()}
    return qrels, sliced


def _held(source: Source) -> int:
    """Return the bytes of a source that are in memory."""
    held = source.contents is not None and source.contents.path is None
    return len(source.contents.data or b"") if held and source.contents is not None else 0


def _size(source: Source) -> int:
    """Estimate the bytes of all rows as text."""
    stored = None if source.contents is None else source.contents.size()
    if source.contents is not None and stored is not None and not source.contents.is_parquet:
        return stored * (_COMPRESSION if source.contents.compressed else 1)
    rows = source.scans[0]().select(source.layout.columns)
    sample = rows.head(_SAMPLE).collect()
    texts = pl.sum_horizontal(pl.col(pl.String).str.len_bytes() + 1).sum()
    width = sample.select(texts).item() / max(len(sample), 1) + 12
    n_rows = int(rows.select(pl.len()).collect().item())
    return int(n_rows * width)
