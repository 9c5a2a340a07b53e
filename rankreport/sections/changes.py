"""On which queries a system wins and loses."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from rankreport.columns import BASELINE, QUERY_ID, SYSTEM, TEXT
from rankreport.comparison import Comparison
from rankreport.pairing import Pair
from rankreport.rendering.context import Picture, Section
from rankreport.rendering.table import Table, table_of
from rankreport.sections.content import Content
from rankreport.sections.parts import output, picture, table_output

__all__ = ["QUERY_SECTION", "SHOWN_QUERIES", "changes_of"]

SHOWN_QUERIES = 10
"""How many of the biggest wins, and of the biggest losses, are listed."""

QUERY_SECTION = "queries-"
"""What the id of a section on one pair's queries begins with; its place among them follows."""


def changes_of(content: Content) -> Iterable[Section]:
    """Yield a section per pair: all differences sorted, the biggest wins and losses."""
    comparison = content.comparison
    if comparison is None:
        return
    for place, pair in enumerate(comparison.pairs):
        yield _changes(content, comparison, place, pair)


def _changes(content: Content, comparison: Comparison, place: int, pair: Pair) -> Section:
    chart = comparison.plot_deltas(**pair._asdict())
    of = f"system={pair.system!r}"
    if comparison.one_baseline is None:
        of += f", baseline={pair.baseline!r}"
    parts: list[Picture | Table] = [picture(chart)]
    outputs = [output(f"deltas-{place}", f"comparison.plot_deltas({of})", chart)]
    for name in ("wins", "losses"):
        frame = getattr(comparison, name)(**pair._asdict()).head(SHOWN_QUERIES)
        if not frame.is_empty():
            parts.append(_listed(frame, f"Biggest {name}, {comparison.primary}", content.queries))
        source = f"comparison.{name}({of}).head({SHOWN_QUERIES})"
        if content.queries is not None:
            source += '.join(queries, on="query_id", how="left", maintain_order="left")'
            frame = frame.join(content.queries, on=QUERY_ID, how="left", maintain_order="left")
        outputs.append(table_output(f"{name}-{place}", source, frame))
    against = "" if comparison.labels[pair] == pair.system else f" against {pair.baseline}"
    title = f"Where does {pair.system} win and lose{against}?"
    return Section(f"{QUERY_SECTION}{place}", title, (), tuple(parts), outputs=tuple(outputs))


def _listed(changes: pl.DataFrame, caption: str, queries: pl.DataFrame | None) -> Table:
    shown = changes.drop(BASELINE, SYSTEM)
    headers = ["query", "baseline", "system", "delta"]
    if queries is not None and TEXT in queries.columns:
        texts = queries.select(QUERY_ID, TEXT)
        shown = shown.join(texts, on=QUERY_ID, how="left", maintain_order="left")
        headers.append("text")
    return table_of(shown, headers=headers, caption=caption)
