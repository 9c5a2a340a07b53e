"""The start of the program, which an interrupt ends without a traceback."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import threading

from rankreport.cli.interrupts import end_at_once, interrupts_raised

_GARBAGE = 1_000_000
"""So many new objects make Python look for those that only refer to each other."""

_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""How many threads NumPy's matrix products use, unless they are given."""


def main() -> None:
    """Run the command line; while nothing has been written, an interrupt ends it at once.

    Python would raise KeyboardInterrupt in the middle of an import, which prints a traceback, or
    is lost in a callback of the import system.
    """
    # What imports create, and parts of charts, stay: looking through them again and again takes a
    # sixth of a short run.
    gc.set_threshold(_GARBAGE)
    # Products are small: threads that wait for one another cost more than they gain, and twice
    # the processor time where other programs are busy.
    for name in _THREADS:
        os.environ.setdefault(name, "1")
    in_charge = threading.current_thread() is threading.main_thread()
    # One that is ignored, as in the background, stays ignored; so does a host's own handler.
    if in_charge and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)
        atexit.register(signal.signal, signal.SIGINT, end_at_once)
    try:
        from rankreport.cli.app import main as run

        run()
    finally:
        interrupts_raised()
