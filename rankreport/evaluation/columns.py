"""Read a table of columns of the user's own, and join it to an evaluation."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar, cast, get_args

import polars as pl
from polars import selectors as cs

from rankreport import io
from rankreport.column_names import ALIASES, find_columns, folded
from rankreport.errors import DataError, MeasureError, OptionError, choose, expect, suggestion
from rankreport.evaluation.own_columns import KEYS, OwnColumns, scores_of
from rankreport.evaluation.remarks import EXAMPLES
from rankreport.evaluation.values import EvaluationValues
from rankreport.frames import MEASURE, QUERY_ID, SYSTEM, VALUE
from rankreport.measures import Better, Measure, column_measure, parse

_NAME, _BETTER, _UNIT = "name", "better", "unit"
_ALIASES = {
    QUERY_ID: ALIASES[QUERY_ID],
    _NAME: ("name", "column", "measure", "metric"),
    SYSTEM: ALIASES[SYSTEM],
    VALUE: ("value",),
    _BETTER: ("better",),
    _UNIT: ("unit",),
}
_TABLE = "The table of columns"
_UNUSABLE = r"[<>=@()\[\],;\"'\x00-\x1f]|^\s|\s$|^$"

_Evaluation = TypeVar("_Evaluation", bound=EvaluationValues)


@io.keeping_files
def with_columns(
    self: _Evaluation,
    table: Any,
    *,
    better: Mapping[str, str] | None = None,
    unit: Mapping[str, str] | None = None,
    primary: str | None = None,
) -> _Evaluation:
    """Return this evaluation with columns of your own as further measures.

    What was measured elsewhere, such as latency, cost or the correctness of answers, is then
    compared, broken down by segment, required by gates and reported as the measures are.

    Parameters
    ----------
    table
        A table or file with the columns ``query_id, system, name, value``, or ``query_id, system``
        and a column for each name. A query without a value is left out of the column's means, and
        never counts as 0.
    better
        Which values of each column are better, ``{"latency": "low"}``: ``"high"``, ``"low"`` or
        ``"neither"``. Required, unless the table has a column ``better``.
    unit
        The unit of each column, ``{"latency": "ms"}``, unless the table has a column ``unit``.
    primary
        A column to decide comparisons by; by default the primary measure stays.

    Returns
    -------
    Evaluation
        With the columns after its measures, in the order of the table.

    Raises
    ------
    DataError
        If the table cannot be read, has a value that is no finite number, more than one value for
        a system and query, a system that was not evaluated, or a name that is a measure's.
    OptionError
        If it is not stated, or stated in two ways, which values of a column are better.

    Examples
    --------
    >>> import polars as pl
    >>> import rankreport as rr
    >>> evaluation = rr.evaluate({"q1": {"d1": 1}}, {"a": {"q1": ["d1"]}}, "RR")
    >>> table = pl.DataFrame({"query_id": ["q1"], "system": ["a"], "latency": [12.5]})
    >>> evaluation.with_columns(table, better={"latency": "low"}, unit={"latency": "ms"})
    1 query
    system      RR  latency [ms]
    ------  ------  ------------
    a       1.0000       12.5000
    """
    contents = io.contents_of(table) if isinstance(table, str | os.PathLike) else None
    rows = _long(pl.DataFrame(io.read_log(contents or table, _TABLE)))
    rows = _checked(io.with_ids(_TABLE, rows, [QUERY_ID, SYSTEM, _NAME]))
    measures = {each.name: each for each in _measures(rows, better or {}, unit or {})}
    _check_names(measures, self.measures)
    lists = scores_of(self._origin, None, ())
    others = _others(rows, lists)
    wide = rows.pivot(_NAME, index=KEYS, values=VALUE)
    remarks = [*_negative(rows, measures)]
    if len(others):
        remarks.append(io.Remark("columns_left_out", len(others), tuple(others.head(EXAMPLES))))
    own = OwnColumns(
        tuple(measures.values()),
        lists.join(wide, on=KEYS, how="left", maintain_order="left"),
        (io.input_of("columns", contents, len(rows)),),
        tuple(remarks),
    )
    return replace(
        self,
        measures=(*self.measures, *own.measures),
        primary=self.primary if primary is None else measures[choose("primary", primary, measures)],
        _own=own if self._own is None else self._own.and_also(own),
    )


def _long(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a table with a row for each value, whose columns have our names."""
    is_long = {*map(folded, rows.columns)} >= {VALUE}
    wanted = _ALIASES if is_long else KEYS
    found, missing = find_columns(rows.columns, wanted, _ALIASES)
    values = [VALUE] if is_long else [each for each in rows.columns if each not in found.values()]
    lacking = [each for each in missing if each not in {_BETTER, _UNIT}]
    if lacking or not values:
        raise DataError(
            f"{_TABLE} has no {' and no '.join(lacking or ['numbers'])}. Expected the columns "
            f"query_id, system, name and value, or query_id, system and one for each name; found: "
            f"{', '.join(rows.columns)}."
        )
    rows = rows.rename({given: name for name, given in found.items()})
    # Text is refused with its place later on; what has no text is not.
    numbers = cs.boolean().cast(pl.Float64), (~cs.numeric() & ~cs.boolean()).cast(pl.String)
    try:
        rows = rows.with_columns(rows.select(values).with_columns(numbers))
    except pl.exceptions.PolarsError:
        raise DataError(f"{_TABLE} has {rows.select(values).schema}; expected numbers.") from None
    if is_long:
        return rows.select(*found)
    return rows.unpivot(values, index=KEYS, variable_name=_NAME, value_name=VALUE)


def _checked(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with finite numbers, of which each system has one for each query."""
    numbers = rows[VALUE].cast(pl.Float64, strict=False)
    wrong = rows[VALUE].is_not_null() & (numbers.is_null() | numbers.is_infinite())
    keys = (_NAME, SYSTEM, QUERY_ID)
    for some, why in (
        (rows.filter(wrong), "which is no finite number. Leave out what is not known."),
        (rows.filter(rows.select(keys).is_duplicated()), "and another value. Give one, or a mean."),
    ):
        for name, system, query, value in some.select(*keys, VALUE).head(1).iter_rows():
            raise DataError(
                f"{_TABLE} has {name} {value} of system {system!r} for query {query!r}, {why}"
            )
    return rows.with_columns(numbers.fill_nan(None))


def _negative(rows: pl.DataFrame, measures: Mapping[str, Measure]) -> Iterator[io.Remark]:
    """Yield a remark on the negative values of each system, of columns with lower ones better."""
    lower = [name for name, each in measures.items() if each.declaration.better == "low"]
    below = rows.filter(pl.col(VALUE) < 0, pl.col(_NAME).is_in(lower)).sort(QUERY_ID)
    for (name, system), found in below.group_by(_NAME, SYSTEM, maintain_order=True):
        examples, about = tuple(found[QUERY_ID].head(EXAMPLES)), {"column": name}
        yield io.Remark("negative_values", len(found), examples, str(system), about)


def _others(rows: pl.DataFrame, lists: pl.DataFrame) -> pl.Series:
    """Return the queries of the table that are not evaluated, after checking the systems."""
    systems = lists[SYSTEM].unique(maintain_order=True)
    for system in rows[SYSTEM].filter(~rows[SYSTEM].is_in(systems.implode())):
        raise DataError(
            f"{_TABLE} has the system {system!r}, which was not evaluated. "
            f"{suggestion(system, systems)} Leave out the rows of other systems."
        )
    evaluated, queries = lists[QUERY_ID].unique().sort(), rows[QUERY_ID].unique().sort()
    others = queries.filter(~queries.is_in(evaluated.implode()))
    if len(others) == len(queries):
        raise DataError(
            f"{_TABLE} has no query that is evaluated: its queries are such as {queries[0]!r}, "
            f"those evaluated such as {evaluated[0]!r}."
        )
    return others


def _measures(
    rows: pl.DataFrame, better: Mapping[str, str], unit: Mapping[str, str]
) -> Iterator[Measure]:
    """Yield the measures of the columns, in the order of the table."""
    goals, units = _stated(rows, _BETTER, better), _stated(rows, _UNIT, unit)
    for name in rows[_NAME].unique(maintain_order=True):
        if name not in goals:
            raise OptionError(
                f"It is not stated whether high or low values of {name!r} are better. Give the "
                f"table a column 'better' (high, low or neither), as in "
                f"'query_id,system,name,value,better' and 'q1,new,{name},12.5,low'; or, in "
                f"Python, better={{{name!r}: 'low'}}."
            )
        goal = choose(f"better of {name!r}", goals[name], get_args(Better))
        yield column_measure(name, cast("Better", goal), units.get(name, ""))


def _stated(rows: pl.DataFrame, what: str, given: Mapping[str, str]) -> dict[str, str]:
    """Return what is stated of columns by their names, by a mapping or in the table."""
    expect(given, (Mapping,), f"{what} takes {{name of a column: {what}}}")
    pairs = [*given.items()]
    if what in rows.columns:
        pairs += rows.select(_NAME, pl.col(what).cast(pl.String)).drop_nulls().unique().rows()
    found: dict[str, str] = {}
    for name, value in pairs:
        choose(what, name, rows[_NAME].unique(maintain_order=True))
        expect(value, (str,), f"{what} of {name!r} takes a text")
        if found.setdefault(name, value) != value:
            both = " and ".join(sorted({found[name], value}))
            raise OptionError(f"{what} of {name!r} is stated as {both}. State it in one way.")
    return found


def _check_names(names: Iterable[str], evaluated: Iterable[Measure]) -> None:
    """Refuse names that mean something else where measures are named."""
    taken = {text.casefold() for each in evaluated for text in (str(each), each.shown)}
    taken |= {*KEYS, MEASURE, VALUE}
    for name in names:
        with suppress(MeasureError):
            parse(name)
            taken.add(name.casefold())
        if re.search(_UNUSABLE, name) or name.casefold() in taken:
            raise DataError(
                f"{_TABLE} has {name!r}, which is the name of a measure or of another column, or "
                f"has spaces at its ends or one of < > = @ ( ) [ ] , ; and quotes, which "
                f"requirements use. Rename it."
            )
        taken.add(name.casefold())
