"""The columns of a comparison are those declared."""

from __future__ import annotations

import pytest

import rankreport as rr
from rankreport.comparison.columns import COLUMNS


@pytest.mark.parametrize("measures", [["RR"], ["RR", "NumRet"]])
def test_the_table_has_the_columns_declared(measures):
    qrels = {f"q{i}": {"d1": 1} for i in range(12)}
    old = {query: {"d1": 1.0, "d2": 2.0} for query in qrels}
    new = {query: {"d1": 2.0, "d2": 1.0} for query in qrels}
    comparison = rr.compare(rr.evaluate(qrels, {"old": old, "new": new}, measures))
    assert comparison.table().schema == {column.name: column.dtype for column in COLUMNS}
