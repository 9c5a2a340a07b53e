"""Limits of memory: how they are written, and in how many slices rows are read to keep one.

What is needed is estimated from the size of the sources and their first rows. The constants are the
highest that were measured of collections of several shapes, with one system and several, with long
and short identifiers, and with equal scores in every list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import replace
from typing import NamedTuple, TypeVar

import polars as pl

from rankreport import statistics
from rankreport.errors import OptionError, brief, expect
from rankreport.frames import QUERY_ID
from rankreport.io import FAILURES, Partition, Source, size_of

_LEAST = 500 * 10**6
"""The smallest limit: what the program needs by itself, and to read and write in parts."""

_OWN = 350 * 10**6
"""Bytes that are in use whatever is read: the libraries, and what is read and written at a time."""

_LIBRARIES = 250 * 10**6
"""The bytes of them that the libraries take."""

_TIMES = 6
"""Reading, checking and ranking rows takes so many times their size as text."""

_JUDGED_ROW = 500
_ROW_OF_FEW = 200
_FEW = 10
"""Bytes that a judged document of a system takes while measures are computed; and where so few of a
query are judged, on average, that many lists are equal, which are computed once."""

_LIST = 150
_KEPT_LIST = 75
_SCORED_LIST = 350
_VALUE = 65
"""Bytes that a judged query of a system takes while rows are read; when scores are summarised, with
judged rows in memory and in slices, besides its values; and for each measure."""

_UNJUDGED = 20
"""Bytes that an unjudged document at the top of a list takes while systems are compared, or scores
are written."""

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
    size = int(limit) if isinstance(limit, int) else size_of(limit)
    if size is None:
        raise OptionError(
            f"memory_limit={brief(limit)} is not a size; expected one such as '2GB' or '800MB'."
        )
    if size < _LEAST:
        raise OptionError(
            f"memory_limit={brief(limit)} is too little: Python and its libraries take 0.2 GB by "
            f"themselves. Give at least '{_LEAST // 10**6}MB'."
        )
    return size


def block_of(given: int | str | None) -> int:
    """Return the memory for a block of resamples, within a limit of memory.

    >>> block_of(None) == block_of(4 * 10**9), block_of(500 * 10**6) < block_of(10**9)
    (True, True)
    """
    limit = bytes_of(given)
    return statistics.MEMORY if limit is None else min(statistics.MEMORY, limit // 16)


_Qrels = TypeVar("_Qrels", Source, Source | None)


def in_slices(
    qrels: _Qrels,
    runs: Mapping[str, Source],
    limit: int | None,
    n_measures: int,
    *,
    whole: bool = False,
) -> tuple[_Qrels, dict[str, Source]]:
    """Return judgments and runs, to be read in so many slices that an evaluation keeps a limit.

    All are read in the same number of slices, so that slices of two systems hold the same queries.
    Judgments are read in slices only where the judged rows of all systems would take too much.

    Parameters
    ----------
    qrels, runs
        The sources. There may be no judgments, as where they cannot be read.
    limit
        The limit, in bytes.
    n_measures
        The number of measures.
    whole
        Whether judgments must be read at once.

    Raises
    ------
    OptionError
        If what is kept of all slices exceeds the limit.
    """
    if limit is None or not runs:
        return qrels, dict(runs)
    held = sum(_held(source) for source in (qrels, *runs.values()) if source is not None)
    _check_held(held, limit)
    room = limit - _OWN - held
    largest = _TIMES * max(map(_size, runs.values()))
    apart = False
    if qrels is not None:
        needs = _Needs.of(_rows_and_queries(qrels), len(runs), n_measures, held)
        apart = needs.at_once > limit
        if apart and whole:
            what = f"the judged documents of {_systems(runs)} take"
            remedy = "evaluate fewer systems at a time"
            raise _too_little(limit, what, needs.judged, needs.at_once, remedy)
        if apart and needs.in_slices > limit:
            n_queries = float(f"{needs.n_lists / len(runs):.2g}")
            what = f"the scores of some {n_queries:,.0f} queries and {_systems(runs)} take"
            least, remedy = min(needs.at_once, needs.in_slices), "evaluate fewer systems at a time"
            raise _too_little(limit, what, needs.scores, least, remedy)
        room -= needs.n_lists * _LIST + (0 if apart else needs.judged)
        largest += needs.judged if apart else 0
    n_slices = max(-(-largest // max(room, 1)), 1 + apart)
    if n_slices > _MOST:
        what = f"in {_MOST} slices, the most there are, the rows take"
        needed = limit - room + largest // _MOST
        raise _too_little(limit, what, largest // _MOST, needed, "evaluate fewer queries at a time")
    if n_slices == 1:
        return qrels, dict(runs)
    if qrels is not None and apart:
        qrels = replace(qrels, partition=Partition(n_slices))
    sliced = {n: replace(source, partition=Partition(n_slices)) for n, source in runs.items()}
    return qrels, sliced


class _Needs(NamedTuple):
    """What an evaluation needs, in bytes.

    Attributes
    ----------
    n_lists
        The number of judged queries of all systems.
    judged, scores
        What judged documents and the scores of queries take.
    at_once, in_slices
        What is needed in all where judgments are read at once, and in slices.
    """

    n_lists: int
    judged: int
    scores: int
    at_once: int
    in_slices: int

    @classmethod
    def of(
        cls, rows_and_queries: tuple[int, int], n_systems: int, n_measures: int, held: int
    ) -> _Needs:
        """Estimate it from the numbers of judgments and their queries, and what is held anyway."""
        n_rows, n_lists = (n * n_systems for n in rows_and_queries)
        judged = n_rows * (_ROW_OF_FEW if n_rows <= _FEW * n_lists else _JUDGED_ROW)
        values = n_lists * _VALUE * n_measures
        reading = _OWN + n_lists * _LIST + judged * 4 // 3
        at_once = max(reading, _LIBRARIES + n_lists * _KEPT_LIST + values + judged)
        scores = n_lists * _SCORED_LIST + values
        return cls(n_lists, judged, scores, held + at_once, held + _LIBRARIES + scores)


def check_collected(
    n: int,
    counts: tuple[int, int],
    *,
    n_systems: int,
    n_measures: int,
    k: int,
    limit: int | None,
) -> None:
    """Check that what is judged of some queries keeps a limit, before it is collected.

    Parameters
    ----------
    n
        The number of queries to be collected.
    counts
        The numbers of judgments, and of all queries that have some.
    n_systems, n_measures
        The numbers of systems and measures.
    k
        The depth to which unjudged documents are compared.
    limit
        The limit, in bytes.

    Raises
    ------
    OptionError
        If it does not, with the number of queries of a sample that does.

    Examples
    --------
    >>> about = {"n_systems": 2, "n_measures": 5, "k": 10}
    >>> check_collected(3_000_000, (3_000_000, 3_000_000), **about, limit=2 * 10**9)
    Traceback (most recent call last):
    ...
    rankreport.errors.OptionError: memory_limit of 2 GB is too little: what was judged of ...
    """
    n_rows, n_all = counts
    n_lists = n * n_systems
    of_sample = (-(-n_rows * n // max(n_all, 1)), n)
    needs = _Needs.of(of_sample, n_systems, n_measures, held=0)
    # Unjudged documents are collected in parts and joined; then differences are resampled.
    unjudged = 2 * n_lists * k * _UNJUDGED
    needed = max(needs.at_once, needs.in_slices) + unjudged + statistics.MEMORY
    if limit is None or needed <= limit:
        return
    most = n * (limit - _OWN - statistics.MEMORY) // (needed - _LIBRARIES - statistics.MEMORY)
    digits = 10 ** max(len(str(most)) - 2, 0)
    raise OptionError(
        f"memory_limit of {limit / 10**9:.3g} GB is too little: what was judged of {n:,} queries "
        f"and {_systems(range(n_systems))} takes about {needed / 10**9:.1f} GB. Collect a random "
        f"sample of the queries, n_queries={max(most // digits * digits, 1):_}, or give "
        f"memory_limit='{-(-needed // 10**8) / 10:g}GB'."
    )


def check_unjudged(n_documents: int, n_lists: int, n_measures: int, limit: int | None) -> None:
    """Check that the unjudged documents at the top of all lists keep a limit, besides the scores.

    Raises
    ------
    OptionError
        If they do not.
    """
    taken = n_documents * _UNJUDGED
    needed = _LIBRARIES + n_lists * (_SCORED_LIST + _VALUE * n_measures) + taken
    if limit is not None and needed > limit:
        what = f"the {n_documents:,} unjudged documents at the top of the lists take"
        raise _too_little(limit, what, taken, needed, "evaluate fewer systems at a time")


def _check_held(held: int, limit: int) -> None:
    """Check that what is in memory before anything is evaluated leaves room."""
    needed = _OWN + held * 4 // 3
    if held and needed > limit:
        what = "standard input and what was fetched takes"
        raise _too_little(limit, what, held, needed, "give a file on a disk")


def _too_little(limit: int, what: str, taken: int, needed: int, remedy: str) -> OptionError:
    least = -(-needed // 10**8) / 10
    return OptionError(
        f"memory_limit of {limit / 10**9:.3g} GB is too little: {what} about "
        f"{taken / 10**9:.2g} GB. Give at least '{least:g}GB', or {remedy}."
    )


def _systems(runs: Sized) -> str:
    return f"{len(runs)} systems" if len(runs) > 1 else "one system"


def _rows_and_queries(source: Source) -> tuple[int, int]:
    """Count the rows, and about how many queries there are; 0 if they cannot be read."""
    counts = pl.len(), pl.col(QUERY_ID).approx_n_unique()
    for scan in source.scans:
        try:
            found = scan().select(pl.col(QUERY_ID)).select(n=counts[0], queries=counts[1]).collect()
        except FAILURES:
            continue
        return int(found["n"].item()), int(found["queries"].item() * _APPROXIMATE)
    return 0, 0


_APPROXIMATE = 1.05
"""Counts that are not exact may be lower than what they count by this factor."""


def _held(source: Source) -> int:
    """Return the bytes of a source that are in memory."""
    held = source.contents is not None and source.contents.path is None
    return len(source.contents.data or b"") if held and source.contents is not None else 0


def _size(source: Source) -> int:
    """Estimate the bytes of all rows as text."""
    stored = _stored_size(source)
    return int(source.n_rows() * _width_of_rows(source)) if stored is None else stored


def _stored_size(source: Source) -> int | None:
    """Estimate the bytes of all rows as text from the size of a file of text, else None."""
    contents = source.contents
    stored = None if contents is None else contents.size()
    if contents is None or stored is None or contents.is_parquet:
        return None
    return stored * (_COMPRESSION if contents.compressed else 1)


def _width_of_rows(source: Source) -> float:
    """Estimate the bytes of a row as text; 0 if none can be read, which is reported later."""
    texts = pl.sum_horizontal(pl.col(pl.String).str.len_bytes() + 1).sum()
    for scan in source.scans:
        try:
            sample = scan().select(source.role.columns).head(_SAMPLE)
            found = sample.select(texts.alias("bytes"), n=pl.len()).collect()
        except FAILURES:
            continue
        n_bytes, n = found.row(0)
        return _SCORE + float(n_bytes) / max(int(n), 1)
    return 0.0


_SCORE = 12
"""The bytes of the numbers of a row of a run, as text."""
