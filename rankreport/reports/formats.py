"""How a report is written, by suffix, and the names of the files next to it."""

from __future__ import annotations

from collections.abc import Mapping

from rankreport.io import Format

PER_QUERY = ".per-query"
COMPARISON = ".comparison"
"""How the names of the files next to a page begin, after the stem of its name."""

PER_QUERY_FILES = (f"{PER_QUERY}.parquet", f"{PER_QUERY}.csv")
COMPARISON_FILES = (f"{COMPARISON}.parquet", f"{COMPARISON}.csv")

DATA_FILES = SCORES_FILE, MODEL_FILE, QUERIES_FILE, DOCUMENTS_FILE = (
    *("scores.parquet", "model.parquet"),
    *("queries.parquet", "documents.parquet"),
)
"""The files next to a notebook, after the stem of its name."""

FORMATS: Mapping[str, Format] = {
    ".html": Format(
        lambda made, path: made.to_html(path), beside=(*COMPARISON_FILES, *PER_QUERY_FILES)
    ),
    ".ipynb": Format(
        lambda made, path: made.to_notebook(path), beside=tuple(f".{name}" for name in DATA_FILES)
    ),
    ".png": Format(lambda made, path: made.to_png(path)),
    ".md": Format(lambda made, path: made.to_markdown(path)),
    ".tex": Format(lambda made, path: made.to_latex(path)),
    ".json": Format(lambda made, path: made.to_json(path)),
    ".csv": Format(lambda made, path: made.to_csv(path)),
    ".parquet": Format(lambda made, path: made.to_parquet(path)),
}
"""How a report is written, by suffix."""
