"""The rows of judgments and runs that can be used."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rankreport.frames import RELEVANCE


def once_each(usable: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return judgments with each document once, under its highest grade."""
    if not usable.select(keys).is_duplicated().any():
        return usable
    best = usable.sort(RELEVANCE, descending=True, maintain_order=True)
    return best.unique(keys, keep="first", maintain_order=True)
