"""Random numbers of the replicates, independent of memory, threads and number of replicates.

Replicates come in blocks of 256; block ``k`` has its own stream, spawned from the seed by ``k``,
which is consumed replicate by replicate. So the first 10,000 of 20,000 replicates are the 10,000
that the same seed gives alone, and a block may be computed in pieces that fit in memory.

Only the raw bits of PCG64 are used, which NumPy guarantees across versions, unlike the integers of
its ``Generator`` (NEP 19).

All parts of a report use the same draws, and drawing many queries takes longer than computing with
the result. Within :func:`kept_draws` draws are cached; results do not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    Counts = NDArray[np.uint8]
    IntArray = NDArray[np.intp]

__all__ = ["MEMORY", "kept_draws"]


MOST_KEPT: Final = 128 * 2**20
"""Size of the cache in bytes, one per count: enough for 10,000 samples of 10,000 rows."""


_KEPT: ContextVar[dict[Hashable, Counts] | None] = ContextVar("_KEPT", default=None)


@contextmanager
def kept_draws() -> Iterator[None]:
    """Cache draws, as far as there is room, until the block ends.

    >>> from rankreport.statistics.random_draws import draw_counts
    >>> with kept_draws():
    ...     [first], [again] = (list(draw_counts(3, resamples=2, seed=0)) for _ in range(2))
    >>> bool((first == again).all())
    True
    """
    if _KEPT.get() is not None:  # an outer block caches already
        yield
        return
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def kept(
    name: Hashable, sizes: Sequence[int], draw: Callable[[], Iterable[Counts]]
) -> Iterator[Counts]:
    """Yield counts in pieces of these sizes, from the cache if possible, else draw and cache them.

    If more replicates are cached, the first ones are used.
    """
    store = _KEPT.get()
    if store is None:
        yield from draw()
    elif name in store and len(store[name]) >= sum(sizes):
        yield from np.split(store[name][: sum(sizes)], np.cumsum(sizes)[:-1])
    else:
        drawn = []
        for piece in draw():
            drawn.append(piece)
            yield piece
        if sum(each.nbytes for each in [*store.values(), *drawn]) <= MOST_KEPT:
            # Usually a single piece: a copy would be slow.
            store[name] = drawn[0] if len(drawn) == 1 else np.concatenate(drawn)


BLOCK: Final = 256
"""Replicates that share a stream. Changing it changes every result."""

SMALLEST_PIECE: Final = 16
"""With fewer replicates at a time, the matrix product is slow."""

_AT_ONCE: Final = 2**16
"""Drawn rows that are counted at once: half a megabyte."""

MEMORY: Final = 64 * 2**20
"""Default memory limit of a piece, in bytes."""

_Float = TypeVar("_Float", np.float32, np.float64)

Progress = Callable[[int], object]
"""Called with the number of replicates just finished, like ``tqdm.update``."""


def draw_counts(
    n: int,
    *,
    resamples: int,
    seed: int,
    strata: IntArray | None = None,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Iterator[Counts]:
    """Count how often each of ``n`` rows is drawn in samples of ``n`` rows with replacement.

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
        Memory limit of a piece as float64, in bytes. It only affects the size of the pieces.
    progress : callable, optional
        Called with the size of each piece when the next one is requested.

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
    strata_key = None if strata is None else strata.tobytes()
    for block, sizes in _pieces(resamples, memory // (8 * max(n, 1))):
        bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block,)))
        drawn = partial(_tallied, draw, n, sizes, bits)
        for counts in kept((seed, block, n, strata_key), sizes, drawn):
            yield counts
            _report_progress(progress, len(counts))


def draw_signs(
    n: int,
    *,
    resamples: int,
    seed: int,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Iterator[Counts]:
    """Random signs for ``n`` rows: 1 for a sign that is kept, 0 for one that is flipped.

    Parameters are those of :func:`draw_counts`; the streams are different.

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
        bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block, 1)))
        for size in sizes:
            # Little-endian on every machine, so that signs do not depend on the processor.
            raw = bits.random_raw(size * words).astype("<u8").view(np.uint8).reshape(size, -1)
            yield np.unpackbits(raw, axis=1, count=n, bitorder="little")
            _report_progress(progress, size)


def draw_normals(
    n: int,
    *,
    resamples: int,
    seed: int,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> Iterator[NDArray[np.float64]]:
    """Draw standard normal numbers from 16 bits each, for sums of many of them.

    Parameters are those of :func:`draw_counts`; the streams are different.

    Yields
    ------
    float64, shape (at most 256, n)

    Examples
    --------
    >>> drawn = np.concatenate(list(draw_normals(100, resamples=1_000, seed=0)))
    >>> drawn.shape, float(drawn.std().round(2))
    ((1000, 100), 1.0)
    """
    words = -(-n // 4)
    for block, sizes in _pieces(resamples, memory // (8 * max(n, 1))):
        bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block, 3)))
        for size in sizes:
            raw = bits.random_raw(size * words).astype("<u8", copy=False).view("<u2")
            yield _normal_quantiles().take(raw.reshape(size, -1)[:, :n])
            _report_progress(progress, size)


@cache
def _normal_quantiles() -> NDArray[np.float64]:
    """Return the quantiles of the normal distribution by 16 bits, scaled to a variance of 1."""
    from scipy import special

    quantiles: NDArray[np.float64] = special.ndtri((np.arange(2**16) + 0.5) / 2**16)
    quantiles /= quantiles.std()
    return quantiles


def in_floats(pieces: Iterable[Counts], dtype: type[_Float]) -> Iterator[NDArray[_Float]]:
    """Yield pieces as floats for a matrix product, all in the same buffer.

    Each piece overwrites the one before: allocating memory would take longer than the product.

    Examples
    --------
    >>> pieces = in_floats(draw_counts(5, resamples=300, seed=0), np.float64)
    >>> [float(piece.sum()) for piece in pieces]
    [1280.0, 220.0]
    """
    buffer = np.empty(0, dtype)
    for piece in pieces:
        if buffer.size < piece.size:
            buffer = np.empty(piece.size, dtype)
        floats = buffer[: piece.size].reshape(piece.shape)
        floats[...] = piece
        yield floats


def draw_order(n: int, seed: int) -> IntArray:
    """Return ``n`` row numbers in random order, from a separate stream.

    It uses raw bits, so it is the same under every version of NumPy.

    Examples
    --------
    >>> sorted(draw_order(4, seed=0).tolist())
    [0, 1, 2, 3]
    """
    bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0, 2)))
    return np.argsort(bits.random_raw(n), kind="stable")


def _tallied(
    draw: Callable[[int, np.random.PCG64], IntArray],
    n: int,
    sizes: Iterable[int],
    bits: np.random.PCG64,
) -> Iterator[Counts]:
    """Yield how often each row is drawn, in pieces of these numbers of replicates."""
    # With few rows, many replicates are counted at once; with many, that would leave the cache.
    together = max(_AT_ONCE // max(n, 1), 1)
    for size in sizes:
        # A row is drawn 256 times with a probability of less than 1 in 256 factorial.
        counts = np.empty((size, n), dtype=np.uint8)
        for start in range(0, size, together):
            some = min(together, size - start)
            placed = draw(some, bits)
            placed += n * np.arange(some)[:, np.newaxis]
            tallied = np.bincount(placed.ravel(), minlength=some * n)
            counts[start : start + some] = tallied.reshape(some, n)
        yield counts


def _drawing(n: int, strata: IntArray | None) -> Callable[[int, np.random.PCG64], IntArray]:
    """Return a function that draws ``n`` rows with replacement within strata, per replicate."""
    if strata is None:
        return lambda times, bits: _below(np.uint64(n), (times, n), bits)
    order = np.argsort(strata, kind="stable")
    sizes = np.bincount(strata)
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    size = np.repeat(sizes, sizes).astype(np.uint64)
    return lambda times, bits: order[first + _below(size, (times, n), bits)]


def _below(
    limits: np.uint64 | NDArray[np.uint64], shape: tuple[int, int], bits: np.random.PCG64
) -> IntArray:
    """Draw integers from 0 up to their limits, 32 bits for each; rows start at word boundaries.

    The product of 32 bits and the limit, over ``2^32``, with a negligible bias of ``limit / 2^32``
    (Lemire, ACM TOMACS 2019, without the rejection).
    """
    times, n = shape
    words = bits.random_raw(times * -(-n // 2)).astype("<u8", copy=False)
    halves = words.view("<u4").reshape(times, -1)[:, :n] if n else np.empty(shape, np.uint32)
    drawn = halves * limits
    drawn >>= np.uint64(32)
    # They fit in a signed integer, so a view avoids a slow copy.
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


def _report_progress(progress: Progress | None, finished: int) -> None:
    if progress is not None:
        progress(finished)
