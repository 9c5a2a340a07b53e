"""Comparison of frames up to rounding errors."""

from __future__ import annotations


def nearly(frame, other):
    """Return whether frames are equal, numbers to 1e-12 of the largest in their column."""
    assert frame.columns == other.columns
    for mine, theirs in zip(frame.iter_columns(), other.iter_columns(), strict=True):
        if mine.dtype.is_float():
            assert mine.is_null().to_list() == theirs.is_null().to_list(), mine.name
            size = float((mine.abs().max() or 0) + 1e-300)
            assert float((mine - theirs).abs().max() or 0) <= 1e-12 * size, mine.name
        else:
            assert mine.to_list() == theirs.to_list(), mine.name
    return True
