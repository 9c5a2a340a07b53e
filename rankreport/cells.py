"""A report as the cells of a notebook: the code that makes each output, and the output."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankreport.rendering.context import Cell, Page
from rankreport.rendering.templates import environment
from rankreport.sections import Content

__all__ = ["cells_of"]


def cells_of(content: Content, page: Page, data: str, queries: str | None = None) -> Iterable[Cell]:
    """Yield the cells, in the page's order.

    Parameters
    ----------
    content
        What the report is about.
    page
        What it says.
    data
        The path of the scores, as the notebook is to read them.
    queries
        The path of what is known of the queries, if anything is.
    """
    comparison = content.comparison
    yield Cell("opening", "markdown", _rendered("opening.md", page=page))
    source = _rendered("parameters.py", data=data, queries=queries, comparison=comparison)
    yield Cell("parameters", "code", source, tags=("parameters",))
    source = _rendered("load.py", queries=queries, comparison=comparison)
    yield Cell("load", "code", source, content.evaluation._repr_mimebundle_())
    for section in page.sections:
        yield Cell(section.id, "markdown", _rendered("section.md", section=section))
        for shown in section.outputs:
            yield Cell(shown.name, "code", shown.source, shown.bundle)
    yield Cell("provenance", "markdown", _rendered("provenance.md", page=page))


def _rendered(template: str, **context: Any) -> str:
    return environment().get_template(f"notebook/{template}").render(**context).strip()
