"""The notebook: cells with their outputs ready, written without a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankreport.rendering.context import Cell

__all__ = ["render_notebook"]


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
            "language_info": {"name": "python"},
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
        if cell.output is not None:
            shown = v4.new_output("execute_result", data=dict(cell.output), execution_count=count)
            made.outputs.append(shown)
        notebook.cells.append(made)
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook)
    return f"{text}\n"
