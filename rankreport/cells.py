"""A report as a notebook: cells of the code that makes each output, and the data they run on."""

from __future__ import annotations

import base64
import gzip
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rankreport.columns import QUERY_ID
from rankreport.curves import CUTOFFS, points
from rankreport.errors import OptionError, expect
from rankreport.rendering.context import Cell, Page
from rankreport.rendering.notebook import render_notebook, run_notebook
from rankreport.rendering.templates import rendered
from rankreport.rendering.text import visible
from rankreport.rendering.theme import Theme
from rankreport.sections import SCHEMA, Content
from rankreport.sections.changes import documents_of
from rankreport.writing import PARQUET, check_suffix, check_writable, write_frame, write_text

__all__ = ["INSIDE", "cells_of", "write_notebook"]

INSIDE = "inside"
"""What is given for the place of the data if it shall be in the notebook itself."""

MOST_INSIDE = 1_000_000
"""The most bytes, compressed, that a notebook carries."""

_SCORES, _QUERIES = "scores.parquet", "queries.parquet"
_LINE = 100


def write_notebook(
    content: Content,
    page: Page,
    path: str | os.PathLike[str],
    data: str | os.PathLike[str] | None,
    *,
    theme: Theme,
    execute: bool,
) -> tuple[Path, ...]:
    """Write a notebook, and what it runs on, as `rankreport.Report.to_notebook` has it."""
    target = check_suffix(path, "to_notebook", ".ipynb")
    check_writable(target)
    metadata = {
        "schema": SCHEMA,
        "provenance": {visible(name): visible(value) for name, value in page.provenance},
    }
    if data == INSIDE:
        places: tuple[Path, ...] = ()
        cells = cells_of(content, page, *_names(content), theme=theme, inside=_packed(content))
    else:
        beside = target.with_name(f"{target.stem}.{_SCORES}") if data is None else _scores(data)
        places = (beside, target.with_name(f"{target.stem}.{_QUERIES}"))[: len(_names(content))]
        relative = [Path(os.path.relpath(place, target.parent)).as_posix() for place in places]
        cells = cells_of(content, page, *relative, theme=theme)
    notebook = render_notebook(cells, metadata)
    _write_data(content, places)
    write_text(target, run_notebook(notebook, target.parent) if execute else notebook)
    return (target, *places)


def _scores(data: str | os.PathLike[str]) -> Path:
    """Return where the scores are wanted, if a file of scores may be called so."""
    words = f"data takes the path of a Parquet file, or {INSIDE!r}"
    expect(data, (str, os.PathLike), words)
    if Path(data).suffix.lower() not in ("", *PARQUET):
        raise OptionError(f"{words}; {os.fspath(data)!r} does not end in {' or '.join(PARQUET)}.")
    return Path(data)


def cells_of(
    content: Content,
    page: Page,
    data: str,
    queries: str | None = None,
    *,
    theme: Theme | None = None,
    inside: Mapping[str, Iterable[str]] | None = None,
) -> Iterable[Cell]:
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
    theme
        Whose templates, introduction and closing words are used.
    inside
        Files that the notebook carries, as lines of text, by name: then the paths are their names.
    """
    comparison, worn = content.comparison, theme or Theme()

    def filled(template: str, **context: Any) -> str:
        return rendered(f"notebook/{template}", worn.folder, **context).strip()

    places = {"data": data, "queries": queries, "inside": inside is not None}
    yield Cell("opening", "markdown", filled("opening.md", page=page, theme=worn, **places))
    if inside is not None:
        yield Cell("data-inside", "code", filled("inside.py", inside=inside), hidden=True)
    source = filled("parameters.py", **places, comparison=comparison)
    yield Cell("parameters", "code", source, tags=("parameters",))
    source = filled("load.py", queries=queries, comparison=comparison)
    yield Cell("load", "code", source, content.evaluation._repr_mimebundle_())
    if comparison is not None:
        yield Cell(
            "verdict", "code", "comparison.verdict()", comparison.verdict()._repr_mimebundle_()
        )
    for section in page.sections:
        words = section.in_notebook
        if section.parts and not section.outputs and not words:
            continue  # what it shows is on the page alone, and its words are of that
        told = replace(section, paragraphs=words or section.paragraphs)
        yield Cell(section.id, "markdown", filled("section.md", section=told))
        for shown in section.outputs:
            yield Cell(shown.name, "code", shown.source, shown.bundle)
    if worn.closing:
        yield Cell("closing", "markdown", filled("closing.md", theme=worn))
    yield Cell("provenance", "markdown", filled("provenance.md", page=page))


def _names(content: Content) -> tuple[str, ...]:
    """Return what a notebook runs on: the scores, and the queries if anything is known of them."""
    return (_SCORES,) if content.queries is None else (_SCORES, _QUERIES)


def _write_data(content: Content, places: Iterable[Path]) -> None:
    for name, place in zip(_names(content), places, strict=False):
        if name == _QUERIES and content.queries is not None:
            # The same bytes however the queries' rows were ordered.
            write_frame(place, content.queries.sort(QUERY_ID))
        else:
            curves = [point for m in content.measures for point in points(m, CUTOFFS)]
            documents = documents_of(content)
            content.evaluation.write_parquet(place, also=curves, documents=documents)


def _packed(content: Content) -> dict[str, list[str]]:
    """Return the data compressed, as lines of text.

    Raises
    ------
    OptionError
        If it is more than a notebook should carry.
    """
    with TemporaryDirectory() as folder:
        places = [Path(folder) / name for name in _names(content)]
        _write_data(content, places)
        packed = {place.name: gzip.compress(place.read_bytes(), mtime=0) for place in places}
    size = sum(map(len, packed.values()))
    if size > MOST_INSIDE:
        raise OptionError(
            f"data={INSIDE!r}: the scores take {size:,} bytes compressed, and a notebook carries "
            f"{MOST_INSIDE:,} at most. Leave data out, and they are written beside it."
        )
    texts = {name: base64.b64encode(held).decode() for name, held in packed.items()}
    return {name: list(_lines(text)) for name, text in texts.items()}


def _lines(text: str) -> Iterator[str]:
    for start in range(0, len(text), _LINE):
        yield text[start : start + _LINE]
