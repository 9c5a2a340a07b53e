"""Refusing to work in a process that was forked after Polars was used, where it would wait forever.

Polars works in threads. A fork copies the locks that they hold, but not the threads, so the child
waits for locks that nobody will open. Where rankreport itself was used before the fork, that can be
seen; where only other code used Polars, it cannot.
"""

from __future__ import annotations

import os

from rankreport.errors import OptionError

_first_use: dict[str, int] = {}


def check_process() -> None:
    """Check that this process was not forked from one that had read something before.

    Raises
    ------
    OptionError
        If it was.
    """
    if _first_use.setdefault("process", os.getpid()) != os.getpid():
        raise OptionError(
            "This process was forked from one that had used rankreport, so Polars would wait "
            "forever in it. Start processes by spawn or forkserver: "
            "multiprocessing.get_context('spawn')."
        )
