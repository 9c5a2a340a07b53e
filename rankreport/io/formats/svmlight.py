"""SVMlight text, as LETOR, XGBoost and LightGBM have it: ``grade qid:7 1:0.3 2:0.5 # doc``.

Features are not read.
"""

from __future__ import annotations

import re
from functools import partial

import polars as pl

from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE
from rankreport.io.lines import LINE, numbered_lines
from rankreport.io.source import POSITION, Contents
from rankreport.io.tables import Frame

_GRADE = r"^[ \t\f\v]*([^ \t\f\v#]+)"
_QUERY = r"^[ \t\f\v]*[^ \t\f\v#]+[ \t\f\v]+qid:([^ \t\f\v#]+)"
_COMMENT = r"#[ \t\f\v]*(?:docid[ \t]*=[ \t]*)?([^ \t\f\v\r]+)"
_BEGIN = re.compile(r"\S+\s+(?:qid:\S+|\d+:\S+)(?:\s|$)")


def is_svmlight(line: str) -> bool:
    """Return whether a line is one of SVMlight: ``qid:`` or a feature follows the grade.

    >>> is_svmlight("2 qid:7 1:0.3"), is_svmlight("2 1:0.3 6:0.8"), is_svmlight("2 7 0.3")
    (True, True, False)
    """
    return _BEGIN.match(line) is not None


def svmlight_table(contents: Contents) -> Frame:
    """Return the grade, the query and the document of each line as a table."""
    return Frame(partial(_number, contents), of_lines=True)


def _number(contents: Contents) -> pl.LazyFrame:
    line = pl.col(LINE)
    return (
        numbered_lines(contents)
        .filter(~line.str.contains(r"^[ \t\f\v]*#"))
        .select(
            POSITION,
            line.str.extract(_GRADE).alias(RELEVANCE),
            line.str.extract(_QUERY).alias(QUERY_ID),
            line.str.extract(_COMMENT).alias(DOC_ID),
        )
    )
