"""The lines of ROC and precision-recall curves: their points, the areas beneath, fewer points."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

__all__ = [
    "area_of_lines",
    "area_of_steps",
    "curves_of",
    "from_first_hit",
    "in_steps",
    "largest_first",
    "thinned",
]


def curves_of(points: pl.DataFrame, across: str, upwards: str) -> dict[str, Any]:
    """Give the points of each system that has them as an array of two columns, in their order."""
    known = points.drop_nulls([across, upwards])
    return {
        str(name): own.select(across, upwards).to_numpy()
        for (name,), own in known.group_by("system", maintain_order=True)
    }


def area_of_lines(curve: Any) -> float:
    """Give the area under straight lines: the chance of a pair, equal scores as one half."""
    return float(np.sum(np.diff(curve[:, 0]) * (curve[1:, 1] + curve[:-1, 1])) / 2)


def area_of_steps(curve: Any) -> float:
    """Give the area under steps, each as high as its right end: the mean precision over recall."""
    return float(np.sum(np.diff(curve[:, 0]) * curve[1:, 1]))


def largest_first(areas: Mapping[str, float]) -> dict[str, float]:
    """Give the systems in the order of their panels."""
    return dict(sorted(areas.items(), key=lambda each: -each[1]))


def from_first_hit(curve: Any) -> Any:
    """Start a precision-recall curve as high as the first point that has any recall.

    What lies at a recall of 0 has no length; drawn, it is an upright line that means nothing.
    """
    hits = curve[curve[:, 0] > 0]
    return np.concatenate([[[0.0, hits[0, 1]]], hits])


def in_steps(curve: Any) -> Any:
    """Give the corners of the steps that a precision-recall curve is made of.

    >>> in_steps(np.array([[0, 1], [0.5, 1], [1, 0.6]])).tolist()
    [[0.0, 1.0], [0.0, 1.0], [0.5, 1.0], [0.5, 0.6], [1.0, 0.6]]
    """
    corners = np.repeat(curve.astype(float), 2, axis=0)[:-1]
    corners[1::2, 1] = curve[1:, 1]
    return corners


def thinned(line: Any, slack: float) -> Any:
    """Leave out the points of a line that lie near it without them, after Douglas and Peucker.

    >>> thinned(np.array([[0, 0], [0.2, 0.201], [0.5, 0.5], [1, 0.6]]), 0.01).tolist()
    [[0.0, 0.0], [0.5, 0.5], [1.0, 0.6]]
    """
    line = _spaced(line, slack / 4)
    kept = {0, len(line) - 1}
    spans = [(0, len(line) - 1)]
    while spans:
        first, last = spans.pop()
        away = _distances(line[first + 1 : last], line[first], line[last])
        if len(away) and away.max() > slack:
            farthest = first + 1 + int(away.argmax())
            kept.add(farthest)
            spans += [(first, farthest), (farthest, last)]
    return line[sorted(kept)]


def _spaced(line: Any, step: float) -> Any:
    """Leave out the points in the same square as the one before them, but for the last point.

    Of very many scores, nearly all are: without them the search for the farthest is short.
    """
    square = np.floor(line / step)
    moves = np.any(square[1:] != square[:-1], axis=1)
    moves[-1:] = True
    return line[np.concatenate([[True], moves])]


def _distances(points: Any, start: Any, end: Any) -> Any:
    """Say how far points are from what is straight between two others."""
    way = end - start
    along = (points - start) @ way / (way @ way or 1.0)
    return np.hypot(*(points - start - np.clip(along, 0, 1)[:, None] * way).T)
