"""The start of the program, and how an interrupt ends it."""

from __future__ import annotations

import atexit
import os
import signal
import threading
from types import FrameType
from typing import NoReturn

from rankreport import cli


def main() -> None:
    """Run the command line; while nothing has been written, an interrupt ends it at once.

    Python would raise KeyboardInterrupt in the middle of an import, which prints a traceback, or
    is lost in a callback of the import system.
    """
    in_charge = threading.current_thread() is threading.main_thread()
    # One that is ignored, as in the background, stays ignored; so does a host's own handler.
    if in_charge and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)
        atexit.register(signal.signal, signal.SIGINT, end_at_once)
    try:
        cli.app.main()
    finally:
        interrupts_raised()


def interrupts_raised() -> bool:
    """Let an interrupt raise KeyboardInterrupt from now on; return whether it ended the program."""
    ended = signal.getsignal(signal.SIGINT) is end_at_once
    if ended:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return ended


def end_at_once(number: int, _: FrameType | None) -> NoReturn:
    """End the program, as a handler of a signal."""
    os._exit(128 + number)  # as a shell reports a process ended by a signal
