"""Arrays of any library become columns, or are refused with what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from rankreport.errors import DataError
from rankreport.io import identifiers
from rankreport.io.arrays import check_index, column_of, numbers


@pytest.mark.parametrize(
    "given",
    [
        [0, 1, 2],
        (0, 1, 2),
        np.array([0, 1, 2], dtype=np.int8),
        np.array([0, 1, 2], dtype=np.float32),
        np.array([[0], [1], [2]]),
        np.array([0, 1, 2], dtype=object),
        pd.Series([0, 1, 2], index=[7, 8, 9]),
        pd.Series([0, 1, 2], dtype="Int64"),
        pd.DataFrame({"label": [0, 1, 2]}),
        pl.Series([0, 1, 2]),
        pa.array([0, 1, 2]),
    ],
    ids=lambda given: type(given).__name__,
)
def test_numbers_of_any_library(given):
    found = column_of("y_true", given)
    assert found.dtype == np.float64
    assert found.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("scores.txt", "y_score: expected an array, found 'scores.txt'"),
        (None, "y_score: expected an array, found None"),
        (3.5, "y_score: expected an array, found float"),
        (["1", "2"], "y_score holds <U1, such as '1'. Expected numbers"),
        ([1, "high"], "y_score holds <U"),
        (np.array([1, "high"], dtype=object), "y_score holds 'high' at 1. Expected numbers"),
        ([[1, 2], [3]], r"np.concatenate\(y_true\), group=\[len\(row\) for row in y_true\]"),
        (np.zeros((3, 2)), r"y_score\[:, 1\] is the probability of the second class"),
        (np.zeros((3, 5)), r"shape 3 x 5.*y_score @ grades"),
        (sparse.csr_matrix([[1.0]]), r"found csr_matrix. Use .toarray\(\)"),
        (np.array([1j]), "holds complex128"),
    ],
)
def test_what_is_no_column_of_numbers(given, message):
    with pytest.raises(DataError, match=message):
        column_of("y_score", given)


def test_a_missing_value_is_not_finite():
    assert np.isnan(numbers("y", [1, None])[1])
    assert np.isnan(numbers("y", pl.Series([1, None]))[1])
    assert np.isnan(numbers("y", pd.Series([1, None], dtype="Float64"))[1])


@pytest.mark.parametrize(
    "given",
    [
        [7, 7, 10],
        ["7", "7", "10"],
        np.array([7, 7, 10], dtype=np.uint64),
        np.array(["7", "7", "10"]),
        np.array([7, "7", 10], dtype=object),
        pd.Series([7, 7, 10]),
        pd.Series(["7", "7", "10"], dtype="category"),
        pd.Series(["7", "7", "10"], dtype="string"),
        pl.Series(["7", "7", "10"], dtype=pl.Categorical),
        pa.array([7, 7, 10]),
    ],
    ids=str,
)
def test_identifiers_of_any_library(given):
    assert identifiers("qid", given).to_list() == ["7", "7", "10"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0, 2.0], r"qid: 2 rows have floats for ids, such as 1\.0"),
        ([True, False], "qid, row 1 has True for qid, but identifiers are"),
        (["a", None], "qid has no value at 1"),
        (np.array(["a", 1.5], dtype=object), r"qid, row 2 has 1\.5 for qid, but identifiers are"),
        ([["a", "b"], ["c", "d"]], "shape 2 x 2. Expected one identifier"),
        (["a\ud800"], "qid holds what is not valid Unicode"),
    ],
)
def test_what_is_no_identifier(given, message):
    with pytest.raises(DataError, match=message):
        identifiers("qid", given)


@pytest.mark.parametrize("label", [7, pd.Timestamp("2026-01-31"), "a"])
def test_labels_of_an_index_are_shown_as_plain_values(label):
    one, other = (pd.Series([1.0], index=pd.Index([at])) for at in (label, "b"))
    shown = "'a'" if label == "a" else str(label)
    with pytest.raises(DataError, match=f"row 0 is 'b', not {shown}; 1 of 1 rows differ"):
        check_index({"y_true": one, "y_score": other})
