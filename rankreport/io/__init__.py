"""Reading any accepted source into a checked frame, and writing files atomically."""

from rankreport.io.arrays import Floats, column_of, first_not_finite, identifiers, numbers
from rankreport.io.formats import STDIN, open_source, run_tag, stem
from rankreport.io.json import json_of, plain, read_json, restored
from rankreport.io.labelled import (
    DEFAULT_NAME,
    LabelledList,
    check_documents,
    labelled_list,
    named_scores,
    queries_of_sizes,
    read_labelled,
    score_column,
)
from rankreport.io.parquet import read_parquet
from rankreport.io.reading import read_qrels, read_queries, read_queries_once, read_run
from rankreport.io.schema import QRELS, RUN, SUBTOPIC_QRELS, Layout
from rankreport.io.source import Contents, Input, Source, input_of
from rankreport.io.tables import Frame, frame_of, table_source
from rankreport.io.validation import check, check_ranks
from rankreport.io.writing import (
    PARQUET,
    TABLES,
    Format,
    check_suffix,
    check_writable,
    guarded,
    replacing,
    text_export,
    together,
    write_frame,
    write_text,
)

__all__ = [
    "DEFAULT_NAME",
    "PARQUET",
    "QRELS",
    "RUN",
    "STDIN",
    "SUBTOPIC_QRELS",
    "TABLES",
    "Contents",
    "Floats",
    "Format",
    "Frame",
    "Input",
    "LabelledList",
    "Layout",
    "Source",
    "check",
    "check_documents",
    "check_ranks",
    "check_suffix",
    "check_writable",
    "column_of",
    "first_not_finite",
    "frame_of",
    "guarded",
    "identifiers",
    "input_of",
    "json_of",
    "labelled_list",
    "named_scores",
    "numbers",
    "open_source",
    "plain",
    "queries_of_sizes",
    "read_json",
    "read_labelled",
    "read_parquet",
    "read_qrels",
    "read_queries",
    "read_queries_once",
    "read_run",
    "replacing",
    "restored",
    "run_tag",
    "score_column",
    "stem",
    "table_source",
    "text_export",
    "together",
    "write_frame",
    "write_text",
]
