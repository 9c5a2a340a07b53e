"""Loading: any accepted source of judgments, runs and queries to a checked frame."""

from rankreport.loading.checks import check, check_ranks
from rankreport.loading.layout import QRELS, RUN, SUBTOPIC_QRELS, Layout
from rankreport.loading.opening import STDIN, open_source, run_tag, stem
from rankreport.loading.reading import read_qrels, read_queries, read_queries_once, read_run
from rankreport.loading.source import Contents, Input, Source, input_of

__all__ = [
    "QRELS",
    "RUN",
    "STDIN",
    "SUBTOPIC_QRELS",
    "Contents",
    "Input",
    "Layout",
    "Source",
    "check",
    "check_ranks",
    "input_of",
    "open_source",
    "read_qrels",
    "read_queries",
    "read_queries_once",
    "read_run",
    "run_tag",
    "stem",
]
