"""Workbooks of Excel, whose first sheet is a table. The extra ``excel`` has what reads them."""

from __future__ import annotations

import polars as pl

from rankreport.errors import DataError
from rankreport.io.formats.declare import SourceBegin, SourceFormat
from rankreport.io.source import FAILURES, Contents, unreadable
from rankreport.io.tables import Frame

_BEFORE_2007 = b"\xd0\xcf\x11\xe0"


def _is_workbook(sample: SourceBegin) -> bool:
    head = sample.head
    return head.startswith(_BEFORE_2007) or (head.startswith(b"PK") and b"xl/" in head)


def _table(contents: Contents) -> Frame:
    try:
        rows = pl.read_excel(contents.open(), infer_schema_length=None)
    except ModuleNotFoundError:
        raise DataError(
            f"{contents.name} is a workbook of Excel. To read it: python -m pip install "
            f"'rankreport[excel]'. Or save it as CSV."
        ) from None
    except FAILURES as error:
        raise unreadable(contents.name, error, "as a workbook of Excel") from None
    return Frame(rows.lazy)


EXCEL = SourceFormat("excel", _is_workbook, table=_table, suffixes=(".xlsx", ".xls"))
