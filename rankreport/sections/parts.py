"""The pieces that sections are made of: what a page shows, and the code that makes it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from rankreport.rendering.context import Output, Picture
from rankreport.rendering.svg import inline_svg
from rankreport.rendering.table import table_of

if TYPE_CHECKING:
    from rankreport.charts import Chart

__all__ = ["output", "picture", "table_output"]


def picture(chart: Chart) -> Picture:
    """Return a chart for the page: drawn, in a sentence, and as a table."""
    return Picture(inline_svg(chart, chart.alt), chart.alt, table_of(chart.data))


def output(name: str, source: str, value: Any) -> Output:
    """Return a notebook's cell: the code, and what it shows."""
    return Output(name, source, value._repr_mimebundle_)


def table_output(name: str, source: str, frame: pl.DataFrame) -> Output:
    """Return a notebook's cell that shows a frame as a table to read."""
    return output(name, f"rr.table_of({source})", table_of(frame))
