"""Reports for ranking evaluation: is the new ranker better, and how sure are we.

``evaluate`` computes measures per query, ``compare`` sets systems against a baseline, ``report``
writes what they found for people to read.
"""

from rankreport.comparison import Comparison, compare
from rankreport.errors import DataError, MeasureError, OptionError, OutputError, RankReportError
from rankreport.evaluation import DEFAULT_MEASURES, Evaluation, evaluate, load_evaluation
from rankreport.example import Example, load_example
from rankreport.loading import read_qrels, read_queries, read_run
from rankreport.measures import (
    AP,
    CG,
    DCG,
    ERR,
    RBP,
    RR,
    AvgP,
    F,
    Judged,
    Measure,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    Success,
    catalogue,
    iDCG,
    measure,
    nDCG,
    parse,
    score,
)
from rankreport.rendering.table import Table, table_of
from rankreport.reporting import Report, report

__all__ = [
    "AP",
    "CG",
    "DCG",
    "DEFAULT_MEASURES",
    "ERR",
    "RBP",
    "RR",
    "AvgP",
    "Comparison",
    "DataError",
    "Evaluation",
    "Example",
    "F",
    "Judged",
    "Measure",
    "MeasureError",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "OptionError",
    "OutputError",
    "P",
    "R",
    "RankReportError",
    "Report",
    "Rprec",
    "Success",
    "Table",
    "catalogue",
    "compare",
    "evaluate",
    "iDCG",
    "load_evaluation",
    "load_example",
    "measure",
    "nDCG",
    "parse",
    "read_qrels",
    "read_queries",
    "read_run",
    "report",
    "score",
    "table_of",
]
