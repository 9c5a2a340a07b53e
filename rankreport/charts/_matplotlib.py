"""matplotlib without its global state: any backend, and settings that one thread alone sees."""

from __future__ import annotations

import functools
import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from matplotlib import RcParams

_VARIABLE = "MPLBACKEND"


def import_matplotlib() -> None:
    """Import matplotlib; without its variable if that names no backend, which it refuses."""
    try:
        import_module("matplotlib.figure")
    except ValueError:
        given = os.environ.pop(_VARIABLE, None)
        if given is None:
            raise
        for name in [each for each in sys.modules if each.partition(".")[0] == "matplotlib"]:
            del sys.modules[name]  # what was imported before the error
        try:
            import_module("matplotlib.figure")
        finally:
            os.environ[_VARIABLE] = given


@contextmanager
def own_settings(
    settings: Mapping[str, Any] = MappingProxyType({}), *, keeps_others: bool = False
) -> Iterator[None]:
    """Draw with matplotlib's defaults and these settings, and change those of nobody else.

    If others are kept, they are those that hold at the time instead of the defaults.

    matplotlib reads some 150 of its ``rcParams``, many of them only when a finished figure is
    written, so that they cannot all be passed to artists. ``matplotlib.rc_context`` would change
    them for every thread, and put back the wrong ones where two threads overlap. Here they keep
    their values, and answer the thread that draws with its own.
    """
    import_matplotlib()
    import matplotlib as mpl

    checked: Any = mpl.RcParams(settings)
    others = (_OWN.get() or {}) if keeps_others else _defaults()
    own = {**others, **{name: checked[name] for name in settings}}
    params = mpl.rcParams
    with _lock():
        usual, token = type(params), _OWN.set(own)
        params.__class__ = _settings_by_thread()
        try:
            yield
        finally:
            params.__class__ = usual
            _OWN.reset(token)


_OWN: ContextVar[Mapping[str, Any] | None] = ContextVar("_OWN", default=None)

_LOCKS: dict[int, threading.RLock] = {}


def _lock() -> threading.RLock:
    """Return the lock of this process: in a fork, the thread that holds another does not exist."""
    return _LOCKS.setdefault(os.getpid(), threading.RLock())


@functools.cache
def _defaults() -> Mapping[str, Any]:
    """Return the defaults of matplotlib, but for what is about windows."""
    from matplotlib import rcParamsDefault

    return {name: rcParamsDefault[name] for name in rcParamsDefault if name not in _OF_WINDOWS}


_OF_WINDOWS = ("backend", "interactive")


@functools.cache
def _settings_by_thread() -> type[RcParams]:
    """Make the class that ``matplotlib.rcParams`` has while something is drawn."""
    import matplotlib as mpl

    class SettingsByThread(mpl.RcParams):
        def __getitem__(self, key: Any) -> Any:
            own = _OWN.get()
            if own is None or key not in own or self is not mpl.rcParams:
                # Not `super()`, which fails where another thread has just put back the usual class.
                return mpl.RcParams.__getitem__(self, key)
            return own[key]

    return SettingsByThread


@contextmanager
def without_glyph_warnings() -> Iterator[None]:
    """Draw texts that matplotlib's own font lacks glyphs of: the fonts of readers have them.

    ``warnings.catch_warnings`` is not for threads: it puts back the filters that there were, also
    where another thread has changed them since.
    """
    filters = cast("list[Any]", warnings.filters)
    missing = ("ignore", re.compile("Glyph .* missing from font"), Warning, None, 0)
    filters.insert(0, missing)
    try:
        yield
    finally:
        with suppress(ValueError):  # unless another thread has emptied the list
            filters.remove(missing)
