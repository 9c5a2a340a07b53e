"""Reading any accepted source into a checked frame, and writing files atomically."""

from rankreport.io.arrays import Floats, column_of, first_not_finite, identifiers, numbers
from rankreport.io.beir import Collection, read_beir
from rankreport.io.clicks import read_log, ubi_impressions
from rankreport.io.corpus import TITLE, URL, Corpus, open_corpus
from rankreport.io.exports import FORMATS, read_msearch, read_mteb, selected
from rankreport.io.formats import (
    STDIN,
    exported_systems,
    is_export,
    open_source,
    run_tag,
    stem,
    systems_of,
)
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
from rankreport.io.notebooks import beside_notebook
from rankreport.io.objects import ACCEPTED, document_values, is_ranx, list_field, object_rows
from rankreport.io.parquet import read_parquet
from rankreport.io.partition import Partition
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
from rankreport.io.source import (
    POSITION,
    Contents,
    Input,
    Remark,
    Selection,
    Source,
    input_of,
    is_file,
)
from rankreport.io.sql import read_sql
from rankreport.io.systems import not_systems
from rankreport.io.tables import Frame, frame_of, table_source
from rankreport.io.validation import (
    RowCounts,
    check,
    check_counts,
    check_ranks,
    count_rows,
    faults,
    faulty_rank,
    rank_error,
)
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
    "ACCEPTED",
    "DEFAULT_NAME",
    "FORMATS",
    "PARQUET",
    "POSITION",
    "QRELS",
    "RUN",
    "STDIN",
    "SUBTOPIC_QRELS",
    "TABLES",
    "TITLE",
    "URL",
    "Collection",
    "Contents",
    "Corpus",
    "Floats",
    "Format",
    "Frame",
    "Input",
    "LabelledList",
    "Layout",
    "Partition",
    "Remark",
    "RowCounts",
    "Selection",
    "Source",
    "beside_notebook",
    "check",
    "check_counts",
    "check_documents",
    "check_process",
    "check_ranks",
    "check_suffix",
    "check_writable",
    "column_of",
    "count_rows",
    "document_values",
    "exported_systems",
    "faults",
    "faulty_rank",
    "first_not_finite",
    "frame_of",
    "guarded",
    "identifiers",
    "input_of",
    "is_export",
    "is_file",
    "is_ranx",
    "json_of",
    "labelled_list",
    "list_field",
    "named_scores",
    "not_systems",
    "numbers",
    "object_rows",
    "open_corpus",
    "open_source",
    "plain",
    "queries_of_sizes",
    "rank_error",
    "read_beir",
    "read_json",
    "read_judgments",
    "read_labelled",
    "read_log",
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
    "score_column",
    "selected",
    "stem",
    "systems_of",
    "table_source",
    "text_export",
    "together",
    "ubi_impressions",
    "write_frame",
    "write_text",
]
