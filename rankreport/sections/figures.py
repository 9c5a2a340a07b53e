"""The figures of a report, unrounded, for machines."""

from __future__ import annotations

from typing import Any

import polars as pl

from rankreport.sections.content import Content
from rankreport.sections.opening import Opening

__all__ = ["SCHEMA", "figures_of"]

SCHEMA = 1
"""The version of a report's JSON."""


def figures_of(
    content: Content,
    opening: Opening,
    provenance: tuple[tuple[str, str], ...],
) -> dict[str, Any]:
    """Return the report's figures unrounded, for machines."""
    evaluation, comparison = content.evaluation, content.comparison
    return {
        "schema": SCHEMA,
        "title": content.title,
        "verdict": {
            **opening._asdict(),
            "word": opening.word or None,
            "others": list(opening.others),
        },
        "measures": [str(measure) for measure in evaluation.measures],
        "primary": str(evaluation.primary),
        "summary": _rows(evaluation.summary()),
        "comparison": None if comparison is None else _rows(comparison.table()),
        "quality": _rows(evaluation.quality),
        "cautions": list((comparison or evaluation).cautions),
        "provenance": dict(provenance),
    }


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Return rows for JSON, which has no infinite numbers: the end of an open interval is null."""
    finite = pl.selectors.float().replace([float("inf"), float("-inf"), float("nan")], None)
    return frame.with_columns(finite).to_dicts()
