"""How an interrupt ends the program: at once, or by an exception that outputs are taken back by."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn


def interrupts_raised() -> bool:
    """Let an interrupt raise KeyboardInterrupt from now on; return whether it ended the program."""
    ended = signal.getsignal(signal.SIGINT) is end_at_once
    if ended:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return ended


def end_at_once(number: int, _: FrameType | None) -> NoReturn:
    """End the program, as a handler of a signal."""
    os._exit(128 + number)  # as a shell reports a process ended by a signal
