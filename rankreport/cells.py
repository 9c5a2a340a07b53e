"""A report as the cells of a notebook: the code that makes each output, and the output."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from rankreport.comparison import Comparison
from rankreport.rendering.context import Cell, Page
from rankreport.rendering.templates import environment
from rankreport.sections import QUERY_SECTION, SHOWN_QUERIES, Content

__all__ = ["cells_of"]


def cells_of(content: Content, page: Page, data: str) -> Iterable[Cell]:
    """Yield the cells, in the page's order.

    Parameters
    ----------
    content
        What the report is about.
    page
        What it says.
    data
        The path of the scores, as the notebook is to read them.
    """
    comparison = content.comparison
    yield Cell("opening", "markdown", _rendered("opening.md", page=page))
    source = _rendered("parameters.py", data=data, comparison=comparison)
    yield Cell("parameters", "code", source, tags=("parameters",))
    source = _rendered("load.py", comparison=comparison)
    yield Cell("load", "code", source, _shown(content.evaluation))
    for section in page.sections:
        yield Cell(section.id, "markdown", _rendered("section.md", section=section))
        yield from _section_cells(content, section.id)
    yield Cell("provenance", "markdown", _rendered("provenance.md", page=page))


def _section_cells(content: Content, section: str) -> Iterable[Cell]:
    comparison = content.comparison
    if section == "curves":
        owner = "evaluation" if comparison is None else "comparison"
        for place, (measure, chart) in enumerate(
            zip(content.measures, content.curves, strict=True)
        ):
            yield _code(f"curve-{place}", f"{owner}.plot_curve({str(measure)!r})", chart)
    elif section == "data":
        yield _code("quality", "evaluation.quality", content.evaluation.quality)
    elif comparison is not None:
        yield from _comparison_cells(content, comparison, section)


def _comparison_cells(content: Content, comparison: Comparison, section: str) -> Iterable[Cell]:
    if section == "differences":
        yield _code("verdict", "comparison.verdict()", comparison.verdict())
        yield _code("forest", "comparison.plot_forest()", content.forest)
        yield _code("comparison", "comparison", comparison)
    elif section == "method":
        yield _code("intervals", "comparison.intervals()", comparison.intervals())
        yield _code("tests", "comparison.tests()", comparison.tests())
    elif section.startswith(QUERY_SECTION):
        place = int(section.removeprefix(QUERY_SECTION))
        system = comparison.systems[place]
        of = f"system={system!r}"
        wins = comparison.wins(system=system).head(SHOWN_QUERIES)
        losses = comparison.losses(system=system).head(SHOWN_QUERIES)
        head = f"head({SHOWN_QUERIES})"
        yield _code(f"deltas-{place}", f"comparison.plot_deltas({of})", content.deltas[place])
        yield _code(f"wins-{place}", f"comparison.wins({of}).{head}", wins)
        yield _code(f"losses-{place}", f"comparison.losses({of}).{head}", losses)


def _code(name: str, source: str, value: Any) -> Cell:
    return Cell(name, "code", source, _shown(value))


def _rendered(template: str, **context: Any) -> str:
    return environment().get_template(f"notebook/{template}").render(**context).strip()


def _shown(value: Any) -> dict[str, str]:
    """Return what Jupyter shows of a value."""
    if isinstance(value, pl.DataFrame):
        return {"text/html": value._repr_html_(), "text/plain": repr(value)}
    bundle: dict[str, str] = value._repr_mimebundle_()
    return bundle
