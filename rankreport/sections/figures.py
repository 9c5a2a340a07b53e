"""The figures of a report, unrounded, for machines; and its table, back from them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from rankreport.columns import BASELINE, COMPARISON, MEASURE, SYSTEM
from rankreport.comparison import Comparison
from rankreport.errors import DataError
from rankreport.rendering.stored import plain, to_number
from rankreport.sections.content import Content
from rankreport.sections.opening import Opening

__all__ = ["SCHEMA", "figures_of", "read_figures", "table_frame"]

SCHEMA = 2
"""The version of a report's JSON.

Since 2 it holds what the page says beside the figures, and infinite numbers are the texts ``inf``
and ``-inf`` (before, they were null).
"""

_TEXTS = (BASELINE, SYSTEM, MEASURE, "caution")
_MEANS = (SYSTEM, MEASURE, "mean", "ci_low", "ci_high", "n_queries")
_COUNTS = ("n_queries", "n_changed", "wins", "ties", "losses")


def figures_of(
    content: Content,
    opening: Opening,
    provenance: tuple[tuple[str, str], ...],
) -> dict[str, Any]:
    """Return the report's figures unrounded, for machines."""
    evaluation, comparison, gate = content.evaluation, content.comparison, content.gate
    return {
        "schema": SCHEMA,
        "title": content.title,
        "verdict": {
            "word": opening.word or None,
            "sentence": opening.sentence,
            "detail": opening.detail,
            "others": list(opening.others),
        },
        "measures": [str(measure) for measure in evaluation.measures],
        "primary": str(evaluation.primary),
        "summary": _rows(evaluation.summary()),
        "comparison": None if comparison is None else _rows(comparison.table()),
        **({"means": _rows(evaluation.means())} if comparison is None else _besides(comparison)),
        **({} if gate is None else {"gate": _rows(gate.table())}),
        "quality": _rows(evaluation.quality),
        "cautions": list((comparison or evaluation).cautions),
        "provenance": dict(provenance),
    }


def table_frame(figures: Mapping[str, Any]) -> pl.DataFrame:
    """Return the comparison of stored figures, or the systems' means where nothing is compared.

    Raises
    ------
    ValueError
        If they hold neither.
    """
    rows = figures.get("comparison") or figures.get("means")
    names = COMPARISON if figures.get("comparison") else _MEANS
    if not rows:
        raise ValueError("no rows")
    return pl.DataFrame([_column(name, [row[name] for row in rows]) for name in names])


def read_figures(path: str) -> dict[str, Any]:
    """Read the JSON of a report.

    Raises
    ------
    DataError
        If there is no such file, it is no report, or of another version.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is not JSON ({error}). Expected what to_json() wrote.") from None
    schema = found.get("schema") if isinstance(found, dict) else None
    if not isinstance(schema, int) or "cautions" not in found:
        raise DataError(f"{path} is no report. Expected what to_json() of a report wrote.")
    if schema != SCHEMA:
        raise DataError(
            f"{path} has schema {schema}, this version of rankreport reads {SCHEMA}. Make the "
            f"report again, or read it with the version that wrote it."
        )
    return dict(found)


def _besides(comparison: Comparison) -> dict[str, Any]:
    """Return what else is known of the differences."""
    frames = {
        "ratios": comparison.ratios(),
        "intervals": comparison.intervals(),
        "tests": comparison.tests(),
    }
    if comparison.traits.segments:
        frames["segments"] = comparison.segments()
    return {name: _rows(frame) for name, frame in frames.items()}


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = plain(frame.to_dicts())
    return rows


def _column(name: str, stored: list[Any]) -> pl.Series:
    if name in _TEXTS:
        return pl.Series(name, stored, pl.String)
    numbers = [None if value is None else to_number(value) for value in stored]
    return pl.Series(name, numbers, pl.Int64 if name in _COUNTS else pl.Float64)
