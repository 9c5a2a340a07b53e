"""Readable tables, and the display of result objects."""

from rankreport.tables.display import (
    MOST_LEADING,
    Block,
    Displayed,
    Fold,
    Readable,
    Sentences,
    bundle_of,
    first_cautions,
    notes_of,
    opened,
    readable_table,
    text_of,
    without_cautions,
)
from rankreport.tables.latex import commented, tex, with_preamble
from rankreport.tables.paper_tables import PaperTable, means_over, paper_table, plain_paper_table
from rankreport.tables.result import ResultTable, Words
from rankreport.tables.table import Table, to_table
