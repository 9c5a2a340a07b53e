"""Arrays of any library as columns: numbers and identifiers, one per document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.errors import DataError, brief
from rankreport.shown_addresses import shown_address

Floats = NDArray[np.float64]


def is_pandas(given: Any) -> bool:
    """Return whether an object is a frame or series of pandas, which has an index."""
    ours = type(given).__module__.partition(".")[0] == "pandas"
    return ours and hasattr(given, "index") and hasattr(given, "reset_index")


def check_index(arrays: Mapping[str, Any]) -> None:
    """Check that those of several arrays that are of pandas have the same index.

    Parameters
    ----------
    arrays
        Arrays that have a row for the same documents, by the name that they have in Python.

    Raises
    ------
    DataError
        If not: whether rows correspond by their place or by their label is for the caller to say.
    """
    held = {name: given for name, given in arrays.items() if is_pandas(given)}
    if not held:
        return
    first, *others = held
    index = held[first].index
    for name in others:
        found = held[name].index
        if len(found) != len(index) or found.equals(index):
            continue
        differ = np.asarray(found != index)
        place = int(np.argmax(differ))
        by_label = ""
        if index.is_unique and found.is_unique and found.isin(index).all():
            by_label = f"{name}.loc[{first}.index] if equal labels mean the same document, or "
        raise DataError(
            f"{name} has another index than {first}: row {place} is "
            f"{_shown(found[place])}, not {_shown(index[place])}; {int(differ.sum()):,} of "
            f"{len(found):,} rows differ. Expected the same documents in the same "
            f"order. Give {by_label}{name}.to_numpy() if rows correspond by their place."
        )


def _shown(label: Any) -> str:
    """Return a label as text: of numbers and times only the value, without their type.

    >>> _shown(np.int64(13)), _shown("a"), _shown((np.int64(1), np.datetime64("2026-01-31")))
    ('13', "'a'", '(1, 2026-01-31)')
    """
    if isinstance(label, tuple):
        return f"({', '.join(map(_shown, label))})"
    return repr(str(label)) if isinstance(label, str) else str(label)


def array_of(name: str, given: Any) -> NDArray[Any]:
    """Convert a list, or an array, series or tensor of any library, to a NumPy array.

    Raises
    ------
    DataError
        If it is none of these, or holds lists of different lengths.

    >>> array_of("y_true", [1, 0]).tolist()
    [1, 0]
    """
    if isinstance(given, str | bytes) or given is None:
        found = shown_address(given) if isinstance(given, str) else given
        raise DataError(f"{name}: expected an array, found {brief(found)}.")
    try:
        array = given.to_numpy() if isinstance(given, pl.Series) else np.asarray(given)
    except ValueError as error:
        if "inhomogeneous" in str(error):
            raise DataError(
                f"{name} holds lists of different lengths. Join those of all arrays, and give "
                f"their lengths: np.concatenate(y_true), group=[len(row) for row in y_true]."
            ) from None
        raise DataError(f"{name} cannot be read as an array ({error}).") from None
    except (TypeError, RuntimeError) as error:  # a tensor on another device, for instance
        raise DataError(f"{name} cannot be read as an array ({error}).") from None
    if array.ndim == 0:
        hint = " Use .toarray() of a sparse matrix." if hasattr(given, "toarray") else ""
        if name == "group" and hasattr(given, "get_group"):
            taken = "y_true, y_score, group=group.get_group()"
            hint = f" It holds them: rr.evaluate_labelled({taken})."
        raise DataError(f"{name}: expected an array, found {type(given).__name__}.{hint}")
    return array


def numbers(name: str, given: Any) -> Floats:
    """Convert an array of numbers to double precision, with the shape it has.

    Raises
    ------
    DataError
        If a value is no number. Those that are not finite are kept, for the caller to judge.

    >>> numbers("y_true", [True, False])
    array([1., 0.])
    """
    array = array_of(name, given)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    written = array.ravel().tolist() if array.dtype.kind in "OU" else []
    as_text = any(isinstance(value, str) and is_score(value) for value in written)
    if array.dtype.kind == "O" or as_text:
        for place, value in enumerate(written):
            is_known = value is None or is_number(value)
            if (isinstance(value, str | bytes) and not (as_text and is_known)) or not is_known:
                raise DataError(f"{name} holds {brief(value)} at {place}. Expected numbers.")
        return array.astype(np.float64)
    first = str(array.flat[0]) if array.size else ""
    raise DataError(f"{name} holds {array.dtype}, such as {brief(first)}. Expected numbers.")


def is_number(value: Any) -> bool:
    """Return whether a value is a number, or the text of one."""
    try:
        float(value)
    except (OverflowError, TypeError, ValueError):
        return False
    return True


def is_score(value: Any) -> bool:
    """Return whether a value is a number, or text with a fraction, which is no identifier.

    >>> is_score(3), is_score("0.12"), is_score("-1e-05"), is_score("312"), is_score("d.5")
    (True, True, True, False, False)
    """
    if isinstance(value, str):
        return is_number(value) and not value.strip(" +-").isalnum()
    return isinstance(value, Real)


def column_of(name: str, given: Any) -> Floats:
    """Convert an array with one number per document; a single column counts as such.

    Raises
    ------
    DataError
        If it has several columns, or a value is no number.

    >>> column_of("y_score", [[0.5], [0.25]])
    array([0.5 , 0.25])
    """
    values = numbers(name, given)
    if values.ndim > 1 and math.prod(values.shape[1:]) == 1:
        values = values.reshape(len(values))
    if values.ndim == 1:
        return values
    shape = " x ".join(map(str, values.shape))
    its = name if name.isidentifier() else "scores"  # as written in Python
    if values.ndim == 2 and values.shape[1] == 2:
        raise DataError(
            f"{name} has 2 columns ({shape}), as what predict_proba returns has. Expected one "
            f"score per document: {its}[:, 1] is the probability of the second class."
        )
    raise DataError(
        f"{name} has the shape {shape}. Expected one number per document. Of several classes make "
        f"one score, such as {its} @ grades; of several queries in rows, give y_true in "
        f"rows too."
    )


def check_finite(arrays: Mapping[str, Floats]) -> None:
    """Check that all numbers for documents are finite.

    Raises
    ------
    DataError
        With the first that is not.
    """
    for what, values in arrays.items():
        place = first_not_finite(values)
        if place is not None:
            n = int((~np.isfinite(values)).sum())
            raise DataError(
                f"{what} is {values[place]} at {place}, the first of {n:,}. Expected finite "
                f"numbers; leave these documents out of all systems."
            )


def first_not_finite(values: Floats) -> int | None:
    """Return the place of the first value that is not a finite number, or None.

    >>> first_not_finite(np.array([1.0, np.nan]))
    1
    """
    faulty = ~np.isfinite(values)
    return int(np.argmax(faulty)) if faulty.any() else None
