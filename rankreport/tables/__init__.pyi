from rankreport.tables.display import Displayed, bundle_of, text_of
from rankreport.tables.latex import (
    PaperTable,
    commented,
    paper_table,
    plain_paper_table,
    tex,
    with_preamble,
)
from rankreport.tables.result import ResultTable
from rankreport.tables.table import Table, to_table

__all__ = [
    "Displayed",
    "PaperTable",
    "ResultTable",
    "Table",
    "bundle_of",
    "commented",
    "paper_table",
    "plain_paper_table",
    "tex",
    "text_of",
    "to_table",
    "with_preamble",
]
