"""The columns that measures read: of judged rows, or those that `Measure.expr` is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import polars as pl

from rankreport.frames import N_RETRIEVED, RANK, RELEVANCE, SCORE, TOP_GRADE
from rankreport.measures.parameters import require

_GIVEN: ContextVar[Mapping[str, pl.Expr] | None] = ContextVar("_GIVEN", default=None)


def column(name: str) -> pl.Expr:
    """Return a column of the judged rows, by a name of `rankreport.frames`."""
    given = _GIVEN.get()
    return pl.col(name) if given is None else given[name]


def in_one_list() -> bool:
    """Return whether an expression is made for the rows of one list, where nothing is prepared."""
    return _GIVEN.get() is not None


@contextmanager
def reading(given: Mapping[str, pl.Expr]) -> Iterator[None]:
    """Let `column` return these, and measures be expressions over the rows of one list."""
    token = _GIVEN.set(given)
    try:
        yield
    finally:
        _GIVEN.reset(token)


_DTYPES = {
    RELEVANCE: pl.Float64,
    RANK: pl.UInt32,
    SCORE: pl.Float64,
    N_RETRIEVED: pl.UInt32,
    TOP_GRADE: pl.Float64,
}


def over_list(formulate: Callable[[], pl.Expr], names: Mapping[str, str]) -> pl.Expr:
    """Return an expression over the judged rows of one list in any order, by their own names.

    Parameters
    ----------
    formulate
        Returns it over rows in rank order, by the names of `rankreport.frames`.
    names
        The names of the columns, by those of `rankreport.frames`.
    """
    judged = pl.col(names[RELEVANCE]).is_not_null()
    by = pl.col(names[RANK]).filter(judged)
    in_order = {
        name: pl.col(own)
        .filter(judged)
        .sort_by(by, nulls_last=True, maintain_order=True)
        .cast(_DTYPES[name])
        for name, own in names.items()
    }
    with reading({name: pl.col(f"{name} of the list") for name in names}):
        by_name = _read_by(formulate()) - {f"{name} of the list" for name in names}
    if not by_name:
        with reading(in_order):
            return formulate()
    # A measure of somebody's own, which reads columns by these names.
    with reading({name: pl.col(name) for name in names}):
        value = formulate()
    name, others = value.meta.output_name(), sorted(by_name - names.keys())
    require(not others, f"{name} reads {', '.join(others)}, besides {', '.join(names)}.")
    rows = pl.struct(in_order[name].alias(name) for name in sorted(_read_by(value)))

    def of_list(columns: Sequence[pl.Series]) -> float | None:
        found: float | None = columns[0].struct.unnest().select(value).item()
        return found

    of_each = pl.map_groups([rows], of_list, return_dtype=pl.Float64, returns_scalar=True)
    return of_each.alias(name)


def _read_by(expression: pl.Expr) -> set[str]:
    return set(expression.meta.root_names())
