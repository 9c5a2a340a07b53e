"""A report as the cells of a notebook: the code that makes each output, and the output."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from rankreport.columns import QUERY_ID
from rankreport.comparison import Comparison
from rankreport.rendering.context import Cell, Page
from rankreport.rendering.table import table_of
from rankreport.rendering.templates import environment
from rankreport.sections import QUERY_SECTION, SHOWN_QUERIES, Content

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
        yield _table("quality", "evaluation.quality", content.evaluation.quality)
    elif comparison is not None:
        yield from _comparison_cells(content, comparison, section)


def _comparison_cells(content: Content, comparison: Comparison, section: str) -> Iterable[Cell]:
    if section == "differences":
        yield _code("verdict", "comparison.verdict()", comparison.verdict())
        yield _code("forest", "comparison.plot_forest()", content.forest)
        yield _code("comparison", "comparison", comparison)
    elif section == "segments":
        yield _table("segment-rows", "comparison.segments()", comparison.segments())
    elif section == "method":
        yield _table("intervals", "comparison.intervals()", comparison.intervals())
        yield _table("tests", "comparison.tests()", comparison.tests())
    elif section.startswith(QUERY_SECTION):
        place = int(section.removeprefix(QUERY_SECTION))
        pair = comparison.pairs[place]
        of = f"system={pair.system!r}"
        if comparison.one_baseline is None:
            of += f", baseline={pair.baseline!r}"
        yield _code(f"deltas-{place}", f"comparison.plot_deltas({of})", content.deltas[place])
        for name, changes in (
            ("wins", comparison.wins(**pair._asdict())),
            ("losses", comparison.losses(**pair._asdict())),
        ):
            source = f"comparison.{name}({of}).head({SHOWN_QUERIES})"
            shown = changes.head(SHOWN_QUERIES)
            if content.queries is not None:
                source += '.join(queries, on="query_id", how="left", maintain_order="left")'
                shown = shown.join(content.queries, on=QUERY_ID, how="left", maintain_order="left")
            yield _table(f"{name}-{place}", source, shown)


def _table(name: str, source: str, frame: pl.DataFrame) -> Cell:
    return _code(name, f"rr.table_of({source})", table_of(frame))


def _code(name: str, source: str, value: Any) -> Cell:
    return Cell(name, "code", source, value._repr_mimebundle_())


def _rendered(template: str, **context: Any) -> str:
    return environment().get_template(f"notebook/{template}").render(**context).strip()
