"""Reading any accepted source into a checked frame, and writing files atomically."""

from rankreport.io.beir import Collection, read_beir
from rankreport.io.exports import FORMATS, read_msearch, read_mteb, selected
from rankreport.io.formats import STDIN, open_source, run_tag, stem, systems_of
from rankreport.io.json import json_of, plain, read_json, restored
from rankreport.io.objects import document_values, is_ranx, object_rows
from rankreport.io.parquet import read_parquet
from rankreport.io.process import check_process
from rankreport.io.reading import (
    read_judgments,
    read_pairs,
    read_qrels,
    read_queries,
    read_queries_once,
    read_run,
)
from rankreport.io.retrieved import read_retrieved
from rankreport.io.schema import QRELS, RUN, SUBTOPIC_QRELS, Layout
from rankreport.io.source import Contents, Input, Remark, Selection, Source, input_of
from rankreport.io.sql import read_sql
from rankreport.io.tables import frame_of
from rankreport.io.validation import check, check_ranks, faults
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
    "FORMATS",
    "PARQUET",
    "QRELS",
    "RUN",
    "STDIN",
    "SUBTOPIC_QRELS",
    "TABLES",
    "Collection",
    "Contents",
    "Format",
    "Input",
    "Layout",
    "Remark",
    "Selection",
    "Source",
    "check",
    "check_process",
    "check_ranks",
    "check_suffix",
    "check_writable",
    "document_values",
    "faults",
    "frame_of",
    "guarded",
    "input_of",
    "is_ranx",
    "json_of",
    "object_rows",
    "open_source",
    "plain",
    "read_beir",
    "read_json",
    "read_judgments",
    "read_msearch",
    "read_mteb",
    "read_pairs",
    "read_parquet",
    "read_qrels",
    "read_queries",
    "read_queries_once",
    "read_retrieved",
    "read_run",
    "read_sql",
    "replacing",
    "restored",
    "run_tag",
    "selected",
    "stem",
    "systems_of",
    "text_export",
    "together",
    "write_frame",
    "write_text",
]
