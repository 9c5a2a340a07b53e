"""The notebook: cells with their outputs ready, written without a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rankreport.errors import OptionError, OutputError
from rankreport.rendering.context import Cell

__all__ = ["LANGUAGE", "render_notebook", "run_notebook"]

LANGUAGE = {
    "name": "python",
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "pygments_lexer": "ipython3",
}
"""What a notebook is exported as; the versions of a machine are no part of it."""


def render_notebook(cells: Iterable[Cell], metadata: Mapping[str, Any]) -> str:
    """Return a notebook as JSON, valid for nbformat 4.5; the same cells give the same bytes.

    Parameters
    ----------
    cells
        In order; their ids must be unique within the notebook.
    metadata
        What the notebook knows of its own making, put under the key ``rankreport``.
    """
    import nbformat
    from nbformat import v4

    notebook = v4.new_notebook(
        metadata={
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": dict(LANGUAGE),
            "rankreport": dict(metadata),
        }
    )
    count = 0
    for cell in cells:
        if cell.kind == "markdown":
            notebook.cells.append(v4.new_markdown_cell(cell.source, id=cell.id))
            continue
        count += 1
        made = v4.new_code_cell(cell.source, id=cell.id, execution_count=count)
        if cell.tags:
            made.metadata["tags"] = list(cell.tags)
        if cell.hidden:
            made.metadata["jupyter"] = {"source_hidden": True}
        if cell.output is not None:
            shown = v4.new_output("execute_result", data=dict(cell.output), execution_count=count)
            made.outputs.append(shown)
        notebook.cells.append(made)
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook)
    return f"{text}\n"


def run_notebook(text: str, folder: Path) -> str:
    """Return a notebook with the outputs of a fresh kernel.

    Parameters
    ----------
    text
        What `render_notebook` returned.
    folder
        Where it runs: paths in it are relative to this.

    Raises
    ------
    OptionError
        If what runs notebooks is not installed.
    OutputError
        If a cell fails, or no kernel starts.
    """
    import nbformat

    try:
        from nbclient import NotebookClient
        from nbclient.exceptions import CellControlSignal, CellExecutionError
    except ImportError:
        raise OptionError(
            "execute=True needs a kernel and what talks to it: pip install 'rankreport[notebook]'. "
            "Without it, the outputs are ready all the same."
        ) from None
    notebook = nbformat.reads(text, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    # The hour at which each cell ran would change with every run.
    client = NotebookClient(
        notebook, timeout=None, kernel_name="python3", record_timing=False, resources=resources
    )
    try:
        client.execute()
    except CellExecutionError as error:
        raise OutputError(f"The notebook fails: {error.ename}: {error.evalue}") from None
    except (CellControlSignal, OSError, RuntimeError, LookupError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise OutputError(f"The notebook cannot be run ({reason}).") from None
    notebook.metadata["language_info"] = dict(LANGUAGE)  # without the versions of this machine
    run: str = nbformat.writes(notebook)
    return f"{run}\n"
