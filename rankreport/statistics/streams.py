"""The random numbers behind the replicates: the same for any memory, threads and count.

Replicates come in blocks of 256, and block ``k`` has a stream of its own, spawned from the seed by
``k``. A stream is consumed replicate by replicate. So 20,000 replicates begin with the 10,000 that
the same seed gives alone, and a block may be built in as many pieces as memory asks for.

All is made of the raw bits of PCG64, which NumPy promises for ever; the integers that its
``Generator`` makes of them it promises only within a version (NEP 19).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from numpy.random import PCG64, SeedSequence
from numpy.typing import NDArray

from rankreport.statistics.keeping import kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Counts = NDArray[np.uint8]
    IntArray = NDArray[np.intp]

BLOCK: Final = 256
"""Replicates that share a stream. Part of every result: another number, other replicates."""

SMALLEST_PIECE: Final = 16
"""Below this many replicates at a time, the matrix product is a crawl over vectors."""

_AT_ONCE: Final = 2**16
"""Rows drawn that are tallied at once: half a megabyte."""

MEMORY: Final = 64 * 2**20
"""Bytes a piece may take, unless its caller says otherwise."""

_Float = TypeVar("_Float", np.float32, np.float64)

Progress = Callable[[int], object]
"""Told the number of replicates just finished, as ``tqdm.update`` wants it."""


def draw_counts(
    n: int,
    *,
    resamples: int,
    seed: int,
    strata: IntArray | None = None,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Iterator[Counts]:
    """How often each of ``n`` rows is drawn, in samples of ``n`` rows with replacement.

    Parameters
    ----------
    n : int
        Rows to draw from.
    resamples : int
        Samples to draw, at least 1.
    seed : int
        Not negative. The same seed gives the same counts.
    strata : int, shape (n,), optional
        The stratum of each row, numbered without gaps: as many rows are drawn from it as it has.
    memory : int
        Bytes a piece may take as float64. It decides the size of the pieces, and nothing else.
    progress : callable, optional
        Told the size of each piece once its consumer asks for the next.

    Yields
    ------
    uint8, shape (at most 256, n)
        Each row adds up to ``n``; see :func:`in_floats`.

    Examples
    --------
    >>> [piece.shape for piece in draw_counts(5, resamples=300, seed=0)]
    [(256, 5), (44, 5)]
    """
    draw = _drawing(n, strata)
    within = None if strata is None else strata.tobytes()
    for block, sizes in _pieces(resamples, memory // (8 * max(n, 1))):
        bits = PCG64(SeedSequence(seed, spawn_key=(block,)))
        drawn = partial(_tallied, draw, n, sizes, bits)
        for counts in kept((seed, block, n, within), sizes, drawn):
            yield counts
            _tell(progress, len(counts))


def draw_signs(
    n: int,
    *,
    resamples: int,
    seed: int,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Iterator[Counts]:
    """Fair coins for ``n`` rows: 1 for a sign that is kept, 0 for one that is flipped.

    Takes the parameters of :func:`draw_counts`, and shares no stream with it.

    Yields
    ------
    uint8, shape (at most 256, n)

    Examples
    --------
    >>> coins = next(draw_signs(1_000, resamples=1, seed=0))
    >>> coins.shape, set(coins.ravel().tolist()) == {0, 1}
    ((1, 1000), True)
    """
    words = -(-n // 64)
    for block, sizes in _pieces(resamples, memory // (8 * max(n, 1))):
        bits = PCG64(SeedSequence(seed, spawn_key=(block, 1)))
        for size in sizes:
            # Little-endian on every machine, so that a sign does not hang on the processor.
            raw = bits.random_raw(size * words).astype("<u8").view(np.uint8).reshape(size, -1)
            yield np.unpackbits(raw, axis=1, count=n, bitorder="little")
            _tell(progress, size)


def in_floats(pieces: Iterable[Counts], dtype: type[_Float]) -> Iterator[NDArray[_Float]]:
    """Yield pieces as the floats that a matrix product takes, one after the other in one place.

    A piece is gone when the next one is asked for: to have new memory for each would take longer
    than the product.

    Examples
    --------
    >>> pieces = in_floats(draw_counts(5, resamples=300, seed=0), np.float64)
    >>> [float(piece.sum()) for piece in pieces]
    [1280.0, 220.0]
    """
    room = np.empty(0, dtype)
    for piece in pieces:
        if room.size < piece.size:
            room = np.empty(piece.size, dtype)
        floats = room[: piece.size].reshape(piece.shape)
        floats[...] = piece
        yield floats


def draw_order(n: int, seed: int) -> IntArray:
    """Put ``n`` rows in random order: their numbers, from a stream that nothing else shares.

    Made of raw bits, and so the same under every version of NumPy.

    Examples
    --------
    >>> sorted(draw_order(4, seed=0).tolist())
    [0, 1, 2, 3]
    """
    bits = PCG64(SeedSequence(seed, spawn_key=(0, 2)))
    return np.argsort(bits.random_raw(n), kind="stable")


def _tallied(
    draw: Callable[[int, PCG64], IntArray], n: int, sizes: Iterable[int], bits: PCG64
) -> Iterator[Counts]:
    """Yield how often each row is drawn, in pieces of so many replicates."""
    # Of few rows, many replicates are tallied at once; of many, that would only leave the cache.
    together = max(_AT_ONCE // max(n, 1), 1)
    for size in sizes:
        # That a row is drawn 256 times has a chance of less than 1 in 256 factorial.
        counts = np.empty((size, n), dtype=np.uint8)
        for start in range(0, size, together):
            some = min(together, size - start)
            placed = draw(some, bits)
            placed += n * np.arange(some)[:, np.newaxis]
            tallied = np.bincount(placed.ravel(), minlength=some * n)
            counts[start : start + some] = tallied.reshape(some, n)
        yield counts


def _drawing(n: int, strata: IntArray | None) -> Callable[[int, PCG64], IntArray]:
    """Return what draws ``n`` rows with replacement, each in the stratum of one of them.

    As often as it is told, one replicate beneath another.
    """
    if strata is None:
        return lambda times, bits: _below(np.uint64(n), (times, n), bits)
    order = np.argsort(strata, kind="stable")
    sizes = np.bincount(strata)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    size = np.repeat(sizes, sizes).astype(np.uint64)
    return lambda times, bits: order[first + _below(size, (times, n), bits)]


def _below(limits: np.uint64 | NDArray[np.uint64], shape: tuple[int, int], bits: PCG64) -> IntArray:
    """Draw whole numbers from 0 up to their limits, 32 bits for each; a row begins with a word.

    The product of 32 bits and the limit, over ``2^32``: some numbers are likelier than others by a
    share of ``limit / 2^32``, which is nothing (Lemire, ACM TOMACS 2019, without the rejection).
    """
    times, n = shape
    words = bits.random_raw(times * -(-n // 2)).astype("<u8", copy=False)
    halves = words.view("<u4").reshape(times, -1)[:, :n] if n else np.empty(shape, np.uint32)
    drawn = halves * limits
    drawn >>= np.uint64(32)
    # They fit in a signed number, so their bits may be read as one: copies would take longest.
    return drawn.view(np.int64).astype(np.intp, copy=False)


def _pieces(resamples: int, affordable: int) -> Iterator[tuple[int, list[int]]]:
    """Yield each block's number, and the sizes of the pieces it is built in."""
    if resamples < 1:
        msg = f"expected at least 1 resample, found {resamples}"
        raise ValueError(msg)
    piece = min(max(affordable, SMALLEST_PIECE), BLOCK)
    for block, start in enumerate(range(0, resamples, BLOCK)):
        size = min(BLOCK, resamples - start)
        yield block, [min(piece, size - done) for done in range(0, size, piece)]


def _tell(progress: Progress | None, finished: int) -> None:
    """Tell whoever wants to know."""
    if progress is not None:
        progress(finished)
