"""Workbooks of Excel, of which one sheet is the table. The extra ``excel`` has what reads them."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec

import polars as pl

from rankreport.column_names import find_columns
from rankreport.errors import DataError
from rankreport.io.code_in_messages import POLARS_IMPORT
from rankreport.io.formats.declare import SourceBegin, SourceFormat
from rankreport.io.roles import RUN, Role
from rankreport.io.source import Contents, Source, collecting
from rankreport.io.tables import Frame, table_source

_BEFORE_2007 = b"\xd0\xcf\x11\xe0"


def _is_workbook(sample: SourceBegin) -> bool:
    head = sample.head
    return head.startswith(_BEFORE_2007) or (head.startswith(b"PK") and b"xl/" in head)


def _sheets(contents: Contents) -> dict[str, pl.DataFrame]:
    """Return the sheets by name, in order."""
    if find_spec("fastexcel") is None:
        raise DataError(
            f"{contents.name} is a workbook of Excel. To read it: python -m pip install "
            f"'rankreport[excel]'. Or save it as CSV."
        )
    with collecting(contents.name, "as a workbook of Excel"):
        return pl.read_excel(
            contents.open(), sheet_id=0, infer_schema_length=None, raise_if_empty=False
        )


def _table(contents: Contents) -> Frame:
    return Frame(next(iter(_sheets(contents).values())).lazy)


def _open(sample: SourceBegin, role: Role) -> Source:
    """Open the one sheet that has the columns of the role; of none, the first."""
    contents, sheets = sample.contents, _sheets(sample.contents)
    name = contents.name
    fitting = [s for s, rows in sheets.items() if not find_columns(rows.columns, role.columns)[1]]
    fitting = fitting or [s for s, rows in sheets.items() if not role.find(rows.columns)[1]]
    if len(fitting) > 1:
        raise DataError(
            f"{name} has several sheets with {role.noun}: {', '.join(fitting)}. Give one: "
            f"pl.read_excel({name!r}, sheet_name={fitting[0]!r}){POLARS_IMPORT}."
        )
    return table_source(name, role, Frame(sheets[[*fitting, *sheets][0]].lazy), contents)


EXCEL = SourceFormat(
    "excel",
    _is_workbook,
    judgments=_open,
    run=partial(_open, role=RUN),
    table=_table,
    suffixes=(".xlsx", ".xls"),
)
