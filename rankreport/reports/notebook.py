"""A report as a notebook: code cells with precomputed outputs, and the data they run on.

No kernel is needed to write it, except with ``execute=True``.
"""

from __future__ import annotations

import base64
import gzip
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from rankreport.errors import OptionError, OutputError, expect
from rankreport.evaluation import CurveColumns, holds
from rankreport.frames import QUERY_ID
from rankreport.io import PARQUET, check_suffix, check_writable, together, write_frame, write_text
from rankreport.progress import stage
from rankreport.reports.cells import CellMaker, documents_of, texts_of
from rankreport.reports.content import Content
from rankreport.reports.formats import DOCUMENTS_FILE, MODEL_FILE, QUERIES_FILE, SCORES_FILE
from rankreport.reports.json_figures import SCHEMA
from rankreport.reports.page import Page
from rankreport.reports.screen import early_success
from rankreport.reports.templates import LONGEST_LINE
from rankreport.reports.theme import Theme
from rankreport.shown_addresses import shown_address
from rankreport.statistics import kept_draws
from rankreport.text import visible

LANGUAGE = {
    "name": "python",
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "pygments_lexer": "ipython3",
}
"""Language metadata, without the versions of a machine."""


def render_notebook(cells: Iterable[Any], metadata: Mapping[str, Any]) -> str:
    """Return a notebook as JSON, valid for nbformat 4.5; the same cells give the same bytes.

    Parameters
    ----------
    cells
        In order; ids must be unique.
    metadata
        Stored under the key ``rankreport`` of the notebook's metadata.
    """
    import nbformat

    notebook = nbformat.v4.new_notebook(
        cells=list(cells),
        metadata={
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": LANGUAGE,
            "rankreport": dict(metadata),
        },
    )
    nbformat.validate(notebook)
    return f"{nbformat.v4.writes(notebook)}\n"


def run_notebook(text: str, folder: Path) -> str:
    """Run a notebook in a fresh kernel and return it with its outputs.

    Parameters
    ----------
    text
        The notebook as JSON.
    folder
        Working directory.

    Raises
    ------
    OptionError
        If nbclient is not installed.
    OutputError
        If a cell fails, or no kernel starts.
    """
    import nbformat

    try:
        from nbclient import NotebookClient
        from nbclient.exceptions import CellControlSignal, CellExecutionError
    except ImportError:
        raise OptionError(
            "execute=True needs a Jupyter kernel: pip install 'rankreport[notebook]'. Without "
            "execute=True, the outputs are precomputed."
        ) from None
    notebook = nbformat.reads(text, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    # Timestamps would change with every run.
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


INSIDE = "inside"
"""The value of ``data`` that embeds the scores in the notebook."""


MOST_INSIDE = 1_000_000
"""The largest size of embedded data, in bytes, compressed."""


@stage("writing the notebook")
def write_notebook(
    content: Content,
    page: Page,
    path: str | os.PathLike[str],
    data: str | os.PathLike[str] | None,
    *,
    theme: Theme,
    execute: bool,
    inputs: Iterable[Path],
) -> tuple[Path, ...]:
    """Write a notebook and its data, as described at `rankreport.Report.to_notebook`."""
    target = check_suffix(path, "to_notebook", ".ipynb")
    documents = documents_of(content)
    texts = texts_of(content, documents)
    data_files = _data_files(content, documents, texts)
    names = {what: name for what, (name, _) in data_files.items()}
    writers = dict(data_files.values())
    places: dict[str, Path] = {}
    if data != INSIDE:
        places = {name: target.with_name(f"{target.stem}.{name}") for name in writers}
        if data is not None:
            places[SCORES_FILE] = _scores(data)
    check_writable(target, inputs, places.values())
    metadata = {
        "schema": SCHEMA,
        "provenance": {visible(name): visible(value) for name, value in page.provenance},
    }
    inside, files = None, names
    if data == INSIDE:
        inside = _packed(writers)
    else:
        relative = {name: os.path.relpath(place, target.parent) for name, place in places.items()}
        files = {what: Path(relative[name]).as_posix() for what, name in names.items()}
    lists = documents is not None and not documents.is_empty()
    with kept_draws():
        made = CellMaker(content, theme, files, inside, lists, texts, target.parent)
        notebook = render_notebook(made.cells(), metadata)
    with together():
        for name, place in places.items():
            writers[name](place)
        write_text(target, run_notebook(notebook, target.parent) if execute else notebook)
    return (target, *places.values())


def _scores(data: str | os.PathLike[str]) -> Path:
    """Return the path of the scores after checking its suffix."""
    words = f"data takes the path of a Parquet file, or {INSIDE!r}"
    expect(data, (str, os.PathLike), words)
    if Path(data).suffix.lower() not in ("", *PARQUET):
        raise OptionError(
            f"{words}; {shown_address(data)!r} does not end in {' or '.join(PARQUET)}."
        )
    return Path(data)


def _data_files(
    content: Content, documents: pl.DataFrame | None, texts: pl.DataFrame | None
) -> dict[str, tuple[str, Callable[[Path], object]]]:
    """Return the names of the data files and how each is written, by the notebook's parameters."""
    evaluation, comparison, by_model = content.evaluation, content.comparison, content.by_model
    judged: list[str] = []
    if comparison is not None and comparison.judges is not None and comparison.judges.graded:
        # The grades that people and the model have in common, to say how far they agree.
        judged = evaluation.query_ids
    curves = [point for m in content.measures for point in CurveColumns.of(evaluation, m)]
    # What the page says in plain terms, so that a report of the loaded scores says it too.
    early = early_success(evaluation.primary)
    also = [*curves, early] if early is not None and holds(evaluation, [early]) else curves
    about: dict[str, Any] = {"also": also, "documents": documents, "grades": judged}
    found: dict[str, tuple[str, Callable[[Path], object]]] = {
        "DATA": (SCORES_FILE, partial(evaluation.write_parquet, **about))
    }
    if by_model is not None:
        found["MODEL_DATA"] = MODEL_FILE, partial(by_model.write_parquet, grades=judged)
    if content.queries is not None:
        # The same bytes however the queries' rows were ordered.
        rows = content.queries.sort(QUERY_ID)
        found["QUERIES"] = QUERIES_FILE, partial(write_frame, frame=rows)
    if texts is not None:
        found["DOCUMENTS"] = DOCUMENTS_FILE, partial(write_frame, frame=texts)
    return found


def _packed(writers: Mapping[str, Callable[[Path], object]]) -> dict[str, list[str]]:
    """Return the data files compressed, as lines of text.

    Raises
    ------
    OptionError
        If they are larger than `MOST_INSIDE`.
    """
    packed = {}
    with TemporaryDirectory() as folder:
        for name, write in writers.items():
            place = Path(folder) / name
            write(place)
            packed[name] = gzip.compress(place.read_bytes(), mtime=0)
    size = sum(map(len, packed.values()))
    if size > MOST_INSIDE:
        raise OptionError(
            f"data={INSIDE!r}: the scores take {size:,} bytes compressed; at most "
            f"{MOST_INSIDE:,} can be embedded. Omit data to write them next to the notebook."
        )
    return {name: list(_lines(base64.b64encode(data).decode())) for name, data in packed.items()}


def _lines(text: str) -> Iterator[str]:
    for start in range(0, len(text), LONGEST_LINE):
        yield text[start : start + LONGEST_LINE]
