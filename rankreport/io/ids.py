"""Identifiers of queries and documents: what can be one, in every form of input.

Text and whole numbers are identifiers. A float that is a whole number, as pandas makes of integers
where one is missing, becomes the text of that number, and is counted for a caution. All else is
refused where it stands: its text would be another identifier than the one that is meant.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from typing import Any

import numpy as np
import polars as pl

from rankreport.errors import DataError, brief
from rankreport.frames import ID_DTYPES, shown_dtype
from rankreport.io.source import Remark
from rankreport.shown_addresses import without_passwords

FLOAT_IDS = "float_ids"
"""The code of the remark on floats among identifiers."""

_TEXT, _FLOAT = "id", "float that it was"
_WITH_FLOATS = pl.Struct({_TEXT: pl.String(), _FLOAT: pl.Float64()})
"""The type of a column of identifiers of Python some of which were floats."""

_EXAMPLES = 5


def id_of(value: Any) -> str | None:
    """Return the text of a value that can be an identifier; None of any other value.

    Text and integers of any class are taken by their value, and UUIDs by their text. A float counts
    if it is whole and so small that no digit can be lost.

    >>> [id_of(each) for each in ("007", 7, 12.0, 1.5, 1e300, True, None, b"7")]
    ['007', '7', '12', None, None, None, None, None]
    """
    if isinstance(value, str):
        return str.__str__(value)  # str() of an enumeration is its name
    if isinstance(value, bool | np.timedelta64):
        return None
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, uuid.UUID):
        return str(value)
    if _is_float(value):
        return str(int(value)) if float(value).is_integer() and abs(value) < _exact(value) else None
    return None


def _exact(value: Any) -> float:
    """Return the number from which on floats of this kind skip whole numbers."""
    kind = type(value) if isinstance(value, np.floating) else np.float64
    return float(2 ** (np.finfo(kind).nmant + 1))


def has_ids(values: Sequence[Any]) -> bool:
    """Return whether some values can be identifiers, and none holds others."""
    if set(map(type, values)) <= {str}:
        return True
    return any(id_of(each) is not None for each in values) and not any(
        isinstance(each, Iterable) and not isinstance(each, str | bytes) for each in values
    )


def ids_of_values(
    name: str, field: str, values: Sequence[Any], place: Callable[[int], str] | None = None
) -> pl.Series:
    """Return identifiers of Python as text; None stays, for `check` to report.

    Parameters
    ----------
    name, field
        The names of the source and of the column, in messages.
    values
        The identifiers.
    place
        Returns where a value stands, from its number, the first being 1; by default its row.

    Returns
    -------
    Series
        String, or for `id_text` where some were floats.

    Raises
    ------
    DataError
        If one can be no identifier.
    """
    kinds = set(map(type, values))
    if kinds <= {str, type(None)}:
        return pl.Series(field, values, dtype=pl.String)
    texts = list(map(id_of, values))
    for number, (value, text) in enumerate(zip(values, texts, strict=True), 1):
        if text is None and value is not None:
            where = f"row {number}" if place is None else place(number)
            raise refused_id(f"{name}, {where}", field, value)
    floats = list(map(_is_float, values))
    if not any(floats):
        return pl.Series(field, texts, dtype=pl.String)
    rows = [
        {_TEXT: text, _FLOAT: float(value) if is_float else None}
        for value, text, is_float in zip(values, texts, floats, strict=True)
    ]
    return pl.Series(field, rows, dtype=_WITH_FLOATS)


@contextmanager
def of_unicode(name: str) -> Iterator[None]:
    """Convert the error of Polars for text that is not valid Unicode.

    Raises
    ------
    DataError
        With the text.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        raise DataError(f"{name} holds what is not valid Unicode: {error.object!r}.") from None


def refused_id(place: str, field: str, value: Any) -> DataError:
    """Return the error for a value that can be no identifier."""
    return DataError(
        f"{place} has {shown_value(value)} for {field}, but identifiers are text or whole "
        f"numbers. Give it as the other inputs have it, or leave it out."
    )


def shown_value(value: Any) -> str:
    """Return a value as Python writes it, on one line and not too long, for messages.

    >>> shown_value(pl.Series(["a", "b"])), shown_value("a" * 80)[-5:]
    ("['a', 'b']", 'aa...')
    """
    written = brief(value.to_list() if isinstance(value, pl.Series) else value)
    text = without_passwords(" ".join(written.split()))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


_LONGEST = 60


def ids_of_keys(name: str, what: str, keys: Iterable[Any]) -> list[Any]:
    """Return the keys of a mapping, all of which are identifiers, and different ones.

    Raises
    ------
    DataError
        If a key can be no identifier, or two have the same text, so that one would be lost.
    """
    found = list(keys)
    if set(map(type, found)) <= {str}:
        return found
    seen: dict[str, Any] = {}
    for key in found:
        text = id_of(key)
        if text is None:
            raise refused_id(f"{name} as a key", what, key)
        if text in seen:
            raise DataError(
                f"{name} has the keys {brief(seen[text])} and {brief(key)} ({what}), which are the "
                f"same identifier, {text!r}. Keep one of them."
            )
        seen[text] = key
    return found


def by_name(what: str, given: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a mapping with its keys, which name systems or judges, as text.

    Raises
    ------
    DataError
        If a key is neither text nor a whole number, or two have the same text.

    >>> by_name("runs", {"bm25": "a.run", 2: "b.run"})
    {'bm25': 'a.run', '2': 'b.run'}
    """
    found = ids_of_keys(what, "a name", given)
    names = exact_ids(what, "a name", found, "key {}".format)
    return {name: given[key] for name, key in zip(names, found, strict=True)}


def exact_ids(
    name: str, field: str, values: Iterable[Any], place: Callable[[int], str] | None = None
) -> list[str]:
    """Return identifiers of Python as text, where no caution could report floats.

    Parameters
    ----------
    name, field, values, place
        As for `ids_of_values`.

    Raises
    ------
    DataError
        If a value is neither text nor a whole number.

    >>> exact_ids("the sample", "query_id", ["q1", 2])
    ['q1', '2']
    """
    found = []
    for number, value in enumerate(values, 1):
        text = None if _is_float(value) else id_of(value)
        if text is None:
            where = f"row {number}" if place is None else place(number)
            raise refused_id(f"{name}, {where}", field, value)
        found.append(text)
    return found


def _is_float(value: Any) -> bool:
    return isinstance(value, float | np.floating)


# --- columns --------------------------------------------------------------------------------------


def may_hold_ids(dtype: pl.DataType) -> bool:
    """Return whether a column may hold identifiers; of floats, the values decide."""
    known = (*ID_DTYPES, pl.Null, _WITH_FLOATS)
    return dtype.is_integer() or dtype.is_float() or dtype in known


def refused_column(name: str, column: str, dtype: pl.DataType, first: str = "") -> DataError:
    """Return the error for a column of another type, with its first value and where it stands."""
    return DataError(
        f"{name}: column {column!r} holds {shown_dtype(dtype)}{first}, but identifiers are "
        f"text or whole numbers. Give it as the other inputs have it."
    )


def has_floats(dtype: pl.DataType) -> bool:
    """Return whether values of a column of identifiers may be floats."""
    return dtype.is_float() or dtype == _WITH_FLOATS


def id_text(column: str, dtype: pl.DataType) -> pl.Expr:
    """Return the identifiers of a column as text, once its floats are known to be whole."""
    own = pl.col(column)
    if dtype == pl.String:  # a filter is not applied below a cast
        return own
    if dtype == _WITH_FLOATS:
        return own.struct.field(_TEXT).alias(column)
    if dtype.is_float():  # or their text, as where lines are numbered
        own = own.cast(pl.Float64, strict=False).cast(pl.Int64, strict=False)
    return own.cast(pl.String)


def name_text(name: str, column: str, dtype: pl.DataType) -> pl.Expr:
    """Return a column of the names of systems or judges as text.

    Raises
    ------
    DataError
        If it holds neither text nor integers.
    """
    if has_floats(dtype) or not may_hold_ids(dtype):
        raise refused_column(name, column, pl.Float64() if has_floats(dtype) else dtype)
    return pl.col(column).cast(pl.String)


def floats_of(column: str, dtype: pl.DataType) -> pl.Expr:
    """Return the identifiers of a column that are floats; null where they are not."""
    own = pl.col(column)
    return own.struct.field(_FLOAT) if dtype == _WITH_FLOATS else own.cast(pl.Float64)


def wrong_float(column: str, dtype: pl.DataType) -> pl.Expr:
    """Return whether a value of a column of floats is no identifier, as of `id_of`."""
    value = pl.col(column).cast(pl.Float64, strict=False)
    whole = value.is_finite() & (value == value.floor()) & (value.abs() < most_exact(dtype))
    return value.is_not_null() & ~whole


def most_exact(dtype: pl.DataType) -> float:
    """Return the number from which on a type of floats skips whole numbers."""
    return 2.0 ** (11 if dtype == pl.Float16 else 24 if dtype == pl.Float32 else 53)


def refuse_floats(name: str, remarks: Sequence[Remark]) -> None:
    """Refuse floats, where no caution could report that they are taken for whole numbers.

    Raises
    ------
    DataError
        With the number of rows.
    """
    for remark in (each for each in remarks if each.code == FLOAT_IDS):
        raise DataError(
            f"{name}: {remark.count} rows have floats for ids, such as {remark.examples[0]}, but "
            f"identifiers are text or whole numbers. Make whole numbers of them: "
            f"int({remark.examples[0]}) in Python, .astype('Int64') of a column in pandas, "
            f".cast(pl.Int64) in Polars."
        )


def float_remarks(n: int, examples: Iterable[float]) -> tuple[Remark, ...]:
    """Return the remark on rows whose identifiers were floats, if there are any."""
    named = tuple(f"{each:.1f}" for each in sorted(set(examples))[:_EXAMPLES])
    return (Remark(FLOAT_IDS, n, named),) if n else ()
