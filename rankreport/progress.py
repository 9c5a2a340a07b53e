"""What is going on, on a terminal or in a live notebook, for work longer than a second."""

from __future__ import annotations

import functools
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm

DELAY = 1.0
"""After so many seconds a stage is named."""

_INTERVAL = 0.2
"""Seconds between two updates of what is shown."""


@contextmanager
def stage(name: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
    """Say what is going on while the block runs, if the work takes longer than a second.

    It is said where `progress_bar` shows a bar, by a thread of its own, so that a step of many
    seconds is named too. Of stages within stages, the innermost is named. Nothing is left at the
    end.

    Parameters
    ----------
    name
        What is going on, such as ``"reading"``.
    total
        Number of steps, if they are counted.

    Yields
    ------
    callable
        Takes the number of steps just finished.
    """
    current = _Stage(name, total)
    if not (in_live_notebook() or _is_terminal()):
        yield current.advance
        return
    running: list[_Stage] = _of_thread.__dict__.setdefault("running", [])
    running.append(current)
    watcher = _Watcher(running) if len(running) == 1 else None
    if watcher is not None:
        watcher.start()
    try:
        yield current.advance
    finally:
        if watcher is not None:
            watcher.end()
        running.pop()


_of_thread = threading.local()
"""The stages that run in each thread."""


@dataclass(eq=False)
class _Stage:
    name: str
    total: int | None
    n: int = 0
    started: float = field(default_factory=time.time)

    def advance(self, n: int) -> None:
        self.n += n


class _Watcher(threading.Thread):
    """Names the innermost of the running stages."""

    def __init__(self, running: list[_Stage]) -> None:
        super().__init__(name="rankreport progress", daemon=True)
        self._running = running
        self._ended = threading.Event()

    def run(self) -> None:
        shown: _Stage | None = None
        bar: tqdm[Any] | None = None
        pause = DELAY
        while not self._ended.wait(pause):
            pause, current = _INTERVAL, self._running[-1]
            if bar is None or current is not shown:
                if bar is not None:
                    bar.close()
                shown, bar = current, _bar_of(current)
            bar.n = current.n
            bar.refresh()
        if bar is not None:
            bar.close()

    def end(self) -> None:
        """Wipe what is shown, and wait until that is done."""
        self._ended.set()
        self.join()


def _bar_of(current: _Stage) -> tqdm[Any]:
    from tqdm import tqdm

    counted = current.total is not None
    kind, file = (_notebook_bar(), sys.stdout) if in_live_notebook() else (tqdm, sys.stderr)
    bar = kind(
        desc=current.name,
        total=current.total,
        leave=False,
        file=file,
        bar_format=None if counted else "{desc} [{elapsed}]",
    )
    bar.start_t = current.started
    return bar


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def progress_bar(
    stage: str, items: Iterable[Any] | None = None, *, total: int | None = None
) -> tqdm[Any]:
    """Return a progress bar, which is also a context manager.

    It appears after a second, on standard error if that is a terminal, or below the cell of a live
    notebook; nowhere else, and never in a notebook run without a reader (nbclient, nbconvert,
    papermill). Nothing is left of it at the end.

    Parameters
    ----------
    stage
        What is going on, such as ``"resampling"``.
    items
        Items to iterate over; without them, call ``update``.
    total
        Number of steps. By default the number of items.
    """
    from tqdm import tqdm

    shown: dict[str, Any] = {"disable": None, "file": None}  # None: shown on a terminal only
    kind: Any = tqdm
    if in_live_notebook():
        # Standard error has a red background in notebooks.
        kind, shown = _notebook_bar(), {"disable": False, "file": sys.stdout}
    return kind(items, desc=stage, total=total, delay=1, leave=False, **shown)


def in_live_notebook() -> bool:
    """Return whether a notebook's front end runs this code, with somebody to look at it.

    Programs that run notebooks unattended tell the kernel that nobody can answer a prompt.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    parent = getattr(getattr(shell, "kernel", None), "get_parent", lambda _: None)("shell")
    return bool(parent and parent.get("content", {}).get("allow_stdin"))


@functools.cache
def _notebook_bar() -> type[tqdm[Any]]:
    """Return the class of bars of which a notebook has nothing when they end."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]
        is_seen = False

        def display(self, *args: Any, **options: Any) -> Any:
            self.is_seen = True
            return super().display(*args, **options)

        def close(self) -> None:
            super().close()
            if self.is_seen:
                self.is_seen = False
                _wipe(sys.modules["IPython"].get_ipython())

    return Bar


def _wipe(shell: Any) -> None:
    """Delete what is left of a bar: blanks among what was printed, or the only output of a cell."""
    sys.stdout.write(" " * _WIDEST + "\b" * _WIDEST)
    sys.stdout.flush()
    # IPython records what a cell prints under the count before it.
    recorded = getattr(shell.history_manager, "outputs", {}).get(shell.execution_count - 1, ())
    printed = [(each.output_type, text) for each in recorded for text in each.bundle["stream"]]
    alone = all(kind == "out_stream" and _is_of_bar(text) for kind, text in printed)
    cell = _cell_of(shell)
    if printed and alone and not cell.has_shown:
        shell.display_pub.clear_output()
        cell.has_shown = False


_WIDEST = 400
"""More characters than a bar has."""


def _is_of_bar(text: str) -> bool:
    return text.startswith("\r") or not text.strip(" \b")


@functools.cache
def _cell_of(shell: Any) -> _Cell:
    """Return what follows the cells of a kernel, from the first bar or stage on."""
    cell = _Cell()
    if hasattr(shell.display_pub, "register_hook"):  # as that of ipykernel has
        shell.display_pub.register_hook(cell.see)
        shell.events.register("pre_run_cell", cell.start)
    return cell


class _Cell:
    """Whether the running cell has displayed something; what one did before is not known."""

    has_shown = True

    def start(self, info: object) -> None:
        del info
        self.has_shown = False

    def see(self, message: Any) -> Any:
        self.has_shown = True
        return message


# Before the first bar: what the running cell displays until then is not known otherwise.
if in_live_notebook():
    _cell_of(sys.modules["IPython"].get_ipython())
