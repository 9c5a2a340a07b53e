"""Draws that are kept for whoever wants the same ones again.

Everything in a report rests on the same draws of queries, and of many queries drawing takes longer
than what is made of it. Within :func:`kept_draws` they are drawn once; no figure depends on it.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Counts = NDArray[np.uint8]

MOST_KEPT: Final = 128 * 2**20
"""Bytes, one for each count: 10,000 samples of 10,000 rows fit in."""

_KEPT: ContextVar[dict[Hashable, Counts] | None] = ContextVar("_KEPT", default=None)


@contextmanager
def kept_draws() -> Iterator[None]:
    """Keep what is drawn, as far as there is room, until the block ends.

    >>> from rankreport.statistics.streams import draw_counts
    >>> with kept_draws():
    ...     [first], [again] = (list(draw_counts(3, resamples=2, seed=0)) for _ in range(2))
    >>> bool((first == again).all())
    True
    """
    if _KEPT.get() is not None:  # kept for longer than this block already
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
    """Yield counts in pieces of these sizes: those kept by the name, or else drawn, and then kept.

    Of more replicates that are kept, the first ones are the ones wanted.
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
            # Most often a single piece, and memory is slow where it is touched first.
            store[name] = drawn[0] if len(drawn) == 1 else np.concatenate(drawn)
