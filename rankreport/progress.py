"""Progress bars, on a terminal or in a live notebook, for work longer than a second."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm

__all__ = ["in_live_notebook", "progress_bar"]


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
    shown: dict[str, Any] = {"disable": None, "file": None}  # None: shown on a terminal only
    kind = tqdm
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


def _notebook_bar() -> type[tqdm[Any]]:
    """Return the class of bars that are widgets, or texts where ipywidgets is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm warns where ipywidgets is not installed
        from tqdm.auto import tqdm as notebook_bar
    bar: type[tqdm[Any]] = notebook_bar
    return bar
