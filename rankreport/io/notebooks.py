"""Files next to the running notebook, whatever the working folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankreport.call_hints import hinting
from rankreport.errors import DataError, OptionError


@hinting()
def beside_notebook(source: Any) -> Any:
    """Find a file in the folder of the running notebook or in the working folder.

    Jupyter and VS Code run a notebook in its folder; papermill and others run it in the folder that
    they were called from. The folder of the notebook is known in JupyterLab, in VS Code, and from
    papermill if it is run with ``--inject-input-path``.

    Parameters
    ----------
    source
        A path, or a list of the runs of a system. Anything else, such as a table, an address on the
        web or an absolute path, is returned as it is.

    Returns
    -------
    Path or what was given

    Raises
    ------
    DataError
        If the file is in neither folder; the message names them.
    OptionError
        If it is None, as in the notebook of a report on tables that were in memory.

    Examples
    --------
    >>> import rankreport as rr
    >>> rr.beside_notebook("https://example.org/qrels.txt")
    'https://example.org/qrels.txt'
    >>> rr.beside_notebook("missing.run")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    rankreport.errors.DataError: missing.run is not in ...
    """
    if source is None:
        raise OptionError(
            "The notebook was made from a table in memory. Set QRELS and RUNS in the parameters "
            "cell to paths or tables."
        )
    if isinstance(source, list):
        return [beside_notebook(each) for each in source]
    is_path = isinstance(source, str | os.PathLike) and "://" not in os.fspath(source)
    if not is_path or Path(source).is_absolute():
        return source
    folders = list(dict.fromkeys(_folders()))
    found = next((folder / source for folder in folders if (folder / source).exists()), None)
    if found is None:
        raise DataError(
            f"{os.fspath(source)} is not in {' or '.join(map(str, folders))}. Set it in the "
            f"parameters cell of the notebook to an absolute path or an address, or run the "
            f"notebook in its own folder (papermill: --cwd, or --inject-input-path)."
        )
    # As it was given, so that outputs do not name folders.
    return Path(source) if found == Path.cwd() / source else found


def _folders() -> Iterator[Path]:
    """Yield the folders to look in."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    names = getattr(shell, "user_ns", {})
    for name in ("PAPERMILL_INPUT_PATH", "__vsc_ipynb_file__"):
        if isinstance(names.get(name), str):
            yield Path(names[name]).absolute().parent
    yield Path.cwd()
    # Last, since a process that a notebook starts inherits it.
    if session := os.environ.get("JPY_SESSION_NAME"):
        yield Path(session).absolute().parent
