"""Python code in messages: how to make a Polars frame of a table, and to rename its columns."""

from __future__ import annotations

from collections.abc import Mapping

POLARS_IMPORT = " (import polars as pl)"
"""What follows code that uses ``pl``."""

FROM_PANDAS = "pl.DataFrame(frame.astype(object).where(frame.notna(), None).to_dict('list'))"
"""Code that makes a Polars frame of a pandas frame, without PyArrow."""


def code_reading(name: str) -> str:
    """Return code that reads a table by the name of its file, or takes a frame of any library."""
    if name.endswith(".csv"):
        return f"pl.read_csv({name!r}, infer_schema=False)"
    return f"pl.read_parquet({name!r})" if name.endswith(".parquet") else "pl.DataFrame(frame)"


def code_renaming(code: str, names: Mapping[str, str]) -> str:
    """Return code that renames columns of the frame that other code makes.

    >>> code_renaming("pl.read_parquet('a.parquet')", {"id": "doc_id"})
    "pl.read_parquet('a.parquet').rename({'id': 'doc_id'}) (import polars as pl)"
    >>> code_renaming(FROM_PANDAS, {"id": "doc_id"})
    "frame.rename(columns={'id': 'doc_id'})"
    """
    if code == FROM_PANDAS:  # pandas renames columns itself
        return f"frame.rename(columns={names})"
    return f"{code}.rename({names}){POLARS_IMPORT if code.startswith('pl.') else ''}"
