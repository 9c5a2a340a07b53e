"""The columns of frames, and functions on frames of scores."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BASELINE = "baseline"
SYSTEM = "system"
QUERY_ID = "query_id"
DOC_ID = "doc_id"
RELEVANCE = "relevance"
SCORE = "score"
RANK = "rank"
SUBTOPIC = "subtopic"
DATASET = "dataset"
TEXT = "text"
MEASURE = "measure"
VALUE = "value"
REPEAT = "repeat"

TIE_FIRST = "tie_first"
TIE_LAST = "tie_last"
N_RETRIEVED = "n_retrieved"
N_UNJUDGED = "n_unjudged"
TOP_GRADE = "top_grade"


WHOLE_DATASET = pl.col(DATASET).str.split("/").list.first()
"""`whole_dataset` of each row."""


def whole_dataset(part: str) -> str:
    """Return the data set that a part of one belongs to, or its own name.

    >>> whole_dataset("cqadupstack/android"), whole_dataset("fiqa")
    ('cqadupstack', 'fiqa')
    """
    return part.partition("/")[0]


ID_DTYPES = (pl.String, pl.Categorical, pl.Enum)
"""Dtypes whose values are used as identifiers; integers are converted to text."""


LIST = "number of the list"
"""The column of list numbers: grouping by a sorted integer is much faster."""


def shown_dtype(dtype: pl.DataType) -> str:
    """Return the name of a type for messages, without the fields and categories that it lists.

    >>> import polars as pl
    >>> shown_dtype(pl.List(pl.Struct({"a": pl.String, "b": pl.Int64}))), shown_dtype(pl.Int64())
    ('List(Struct of 2 fields)', 'Int64')
    """
    if isinstance(dtype, pl.Struct):
        n = len(dtype.fields)
        return f"Struct of {n:,} field{'' if n == 1 else 's'}"
    if isinstance(dtype, pl.List | pl.Array):
        inner = dtype.inner() if isinstance(dtype.inner, type) else dtype.inner
        return f"{type(dtype).__name__}({shown_dtype(inner)})"
    return "Enum" if isinstance(dtype, pl.Enum) else str(dtype)


def numbered(
    rows: pl.DataFrame, names: Sequence[str] = (SYSTEM, QUERY_ID), number: str = LIST
) -> pl.DataFrame:
    """Return the rows with a number per list (system and query, or `names`); lists are adjacent.

    Grouping by sorted numbers sums floats in row order. Grouping by names may sum in parts,
    depending on an estimate of the number of groups that Polars makes from a random sample, so the
    last bits of a sum would be random.
    """
    list_number = pl.struct(names).rle_id().alias(number)
    return rows.with_columns(list_number).with_columns(pl.col(number).set_sorted())


def whole_groups(rows: pl.DataFrame, by: str, at_once: int) -> Iterator[pl.DataFrame]:
    """Yield rows some at a time, those with the same number together; without rows, none of them.

    Parameters
    ----------
    rows
        Rows sorted by the number.
    by
        The column of the number.
    at_once
        The most rows at a time, unless more have the same number.

    Examples
    --------
    >>> rows = pl.DataFrame({"list": [0, 0, 0, 1, 2]})
    >>> [some["list"].to_list() for some in whole_groups(rows, "list", 2)]
    [[0, 0, 0], [1, 2]]
    """
    numbers, start = rows[by], 0
    while len(rows) - start > at_once:
        end = int(numbers.search_sorted(numbers[start + at_once]))
        if end == start:  # one number has more rows
            end = int(numbers.search_sorted(numbers[start], side="right"))
        yield rows[start:end]
        start = end
    if start < len(rows) or not start:
        yield rows[start:]


def long(values: pl.DataFrame, of: Sequence[str] = (SYSTEM, QUERY_ID)) -> pl.DataFrame:
    """Return values in long format: ``system, query_id, measure, value``."""
    return values.unpivot(index=of, variable_name=MEASURE, value_name=VALUE)


def parts_by_measure(scores: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the scores of each measure, without copies where they stand together.

    >>> long(pl.DataFrame({"system": ["a"], "query_id": ["q"], "AP": [0.5], "RR": [1.0]})).pipe(
    ...     lambda scores: {name: part.height for name, part in parts_by_measure(scores).items()}
    ... )
    {'AP': 1, 'RR': 1}
    """
    together = scores[MEASURE].rle().struct.unnest()
    names = together["value"]
    if names.is_duplicated().any():
        parts = scores.partition_by(MEASURE, as_dict=True, maintain_order=True)
        return {str(name): part for (name,), part in parts.items()}
    starts = together["len"].cum_sum() - together["len"]
    return {
        name: scores.slice(start, n)
        for name, start, n in zip(names, starts, together["len"], strict=True)
    }


def wide(scores: pl.DataFrame, measures: Iterable[object]) -> pl.DataFrame:
    """Return scores in wide format: ``system, query_id``, then a column per measure."""
    parts = parts_by_measure(scores)
    by_name = {str(m): parts[str(m)] for m in measures}
    first = next(iter((by_name or parts).values()))
    # Every part has the systems and queries in the same order.
    values = (part[VALUE].alias(name) for name, part in by_name.items())
    return first.select(SYSTEM, QUERY_ID).with_columns(values)


def with_texts(rows: pl.DataFrame, queries: pl.DataFrame | None) -> pl.DataFrame:
    """Add the texts of the queries, if known, next to their ids.

    Examples
    --------
    >>> import polars as pl
    >>> queries = pl.DataFrame({"query_id": ["q1"], "text": ["blue whale"]})
    >>> with_texts(pl.DataFrame({"query_id": ["q1", "q2"], "delta": [0.5, 0.2]}), queries).rows()
    [('q1', 'blue whale', 0.5), ('q2', None, 0.2)]
    """
    if queries is None or TEXT not in queries.columns:
        return rows
    found = rows.select(QUERY_ID).join(
        queries.select(QUERY_ID, TEXT), on=QUERY_ID, how="left", maintain_order="left"
    )
    return rows.insert_column(rows.columns.index(QUERY_ID) + 1, found[TEXT])


def runs_of_systems(
    values: pl.DataFrame, measures: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Return the frame of `rankreport.Evaluation.repeats` as arrays, by system.

    Shapes are ``(n_repeats, n_queries, n_measures)``.
    """
    arrays: dict[str, NDArray[np.float64]] = {}
    parts = {} if values.is_empty() else values.partition_by(SYSTEM, as_dict=True)
    for (system,), rows in parts.items():
        shape = rows[REPEAT].n_unique(), -1, len(measures)
        arrays[str(system)] = rows.select(measures).to_numpy().reshape(shape)
    return arrays


def hash_of(rows: pl.DataFrame) -> str:
    """Return the SHA-256 of the names, types and values of a frame, in hexadecimal.

    It depends on neither the version of Polars nor the way in which a file is compressed.

    Examples
    --------
    >>> hash_of(pl.DataFrame({"doc_id": ["a", "bc"]}))[:12]
    '7213e9701af5'
    >>> hash_of(pl.DataFrame({"doc_id": ["ab", "c"]}))[:12]
    '3fb9233e83f2'
    """
    found = hashlib.sha256(repr([*rows.schema.items(), len(rows)]).encode())
    for part in rows.iter_slices(_AT_ONCE):
        for column in part:
            found.update(_bytes(column.is_null().cast(pl.UInt8)))
            if column.dtype == pl.String:
                texts = column.fill_null("")
                found.update(_bytes(texts.str.len_bytes()))
                found.update(texts.str.join().item().encode())
            else:
                found.update(_bytes(column.fill_null(0)))
    return found.hexdigest()


_AT_ONCE = 2**20
"""So many rows are hashed at once: of hundreds of millions, ids are longer than a text can be."""


def _bytes(numbers: pl.Series) -> bytes:
    values = numbers.to_numpy()
    return values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
