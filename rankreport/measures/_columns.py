"""The columns that measures read: of judged rows, or those that `Measure.expr` is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar

import polars as pl

from rankreport.frames import N_RETRIEVED, RANK, RELEVANCE, SCORE, TOP_GRADE
from rankreport.measures.parameters import require

_GIVEN: ContextVar[Mapping[str, pl.Expr] | None] = ContextVar("_GIVEN", default=None)
"""The columns of one list that `over_list` is given, while a measure is formulated."""


def column(name: str) -> pl.Expr:
    """Return a column of the judged rows, by a name of `rankreport.frames`."""
    given = _GIVEN.get()
    return pl.col(name) if given is None else given[name]


def in_one_list() -> bool:
    """Return whether an expression is made for the rows of one list, where nothing is prepared."""
    return _GIVEN.get() is not None


COLUMNS = (RELEVANCE, RANK, SCORE, N_RETRIEVED, TOP_GRADE)
"""The columns that are given, in order."""


def over_list(formulate: Callable[[], pl.Expr], given: Sequence[str], *, own: bool) -> pl.Expr:
    """Return an expression over the judged rows of one list in any order, by their own names.

    Parameters
    ----------
    formulate
        Returns it over rows in rank order, by the names of `COLUMNS`.
    given
        The names of these columns.
    own
        Whether it is somebody's own measure, which reads columns by the names of `COLUMNS`.
    """
    names = dict(zip(COLUMNS, given, strict=True))
    judged = pl.col(names[RELEVANCE]).is_not_null()
    by = pl.col(names[RANK]).filter(judged)
    in_order = {
        name: pl.col(column)
        .filter(judged)
        .sort_by(by, nulls_last=True, maintain_order=True)
        .cast(pl.Int64 if name in {RANK, N_RETRIEVED} else pl.Float64)
        for name, column in names.items()
    }
    # Ranks from 0 would give values without meaning: this cast fails.
    in_order[RANK] = (in_order[RANK] - 1).cast(pl.UInt32) + 1
    reading = _GIVEN.set({name: pl.col(name) for name in COLUMNS} if own else in_order)
    try:
        value = formulate()
    finally:
        _GIVEN.reset(reading)
    if not own:
        return value
    name, read = value.meta.output_name(), {RELEVANCE, *value.meta.root_names()}
    others = sorted(read - {*COLUMNS})
    require(not others, f"{name} reads {', '.join(others)}, besides {', '.join(COLUMNS)}.")
    return pl.map_groups(
        [pl.struct(in_order[each].alias(each) for each in sorted(read))],
        lambda rows: rows[0].struct.unnest().select(value).item(),
        return_dtype=pl.Float64,
        returns_scalar=True,
    ).alias(name)
