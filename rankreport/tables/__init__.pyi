from rankreport.tables.display import (
    Block,
    Displayed,
    Readable,
    Sentences,
    bundle_of,
    text_of,
    without_cautions,
)
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
    "Block",
    "Displayed",
    "PaperTable",
    "Readable",
    "ResultTable",
    "Sentences",
    "Table",
    "bundle_of",
    "commented",
    "paper_table",
    "plain_paper_table",
    "tex",
    "text_of",
    "to_table",
    "with_preamble",
    "without_cautions",
]
