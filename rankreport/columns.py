"""The names of the columns, and the other names by which sources may call them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

__all__ = [
    "ALIASES",
    "BASELINE",
    "COMPARISON",
    "DOC_ID",
    "MEASURE",
    "N_RETRIEVED",
    "QUERY_ID",
    "RANK",
    "RELEVANCE",
    "SCORE",
    "SUBTOPIC",
    "SYSTEM",
    "TEXT",
    "TIE_FIRST",
    "TIE_LAST",
    "TOP_GRADE",
    "VALUE",
    "find_columns",
]

BASELINE = "baseline"
SYSTEM = "system"
QUERY_ID = "query_id"
DOC_ID = "doc_id"
RELEVANCE = "relevance"
SCORE = "score"
RANK = "rank"
SUBTOPIC = "subtopic"
TEXT = "text"
MEASURE = "measure"
VALUE = "value"

TIE_FIRST = "tie_first"
TIE_LAST = "tie_last"
N_RETRIEVED = "n_retrieved"
TOP_GRADE = "top_grade"

COMPARISON = (
    BASELINE,
    SYSTEM,
    MEASURE,
    "n_queries",
    "n_changed",
    "mean_baseline",
    "mean_system",
    "delta",
    "ci_low",
    "ci_high",
    "p_value",
    "p_adjusted",
    "wins",
    "ties",
    "losses",
    "caution",
)
"""The columns of a comparison, in order."""

ALIASES: Mapping[str, tuple[str, ...]] = {
    QUERY_ID: ("query_id", "qid", "query", "topic", "user_id"),
    DOC_ID: ("doc_id", "docno", "docid", "doc", "did", "item_id", "corpus_id"),
    RELEVANCE: ("relevance", "rel", "label", "grade", "rating"),
    SCORE: ("score", "sim", "prediction"),
    RANK: ("rank",),
    SUBTOPIC: ("subtopic", "intent", "aspect"),
    TEXT: ("text", "query", "query_text", "title"),
}
"""Accepted names of each column, the first being ours. Case and hyphens do not matter."""


def find_columns(
    present: Iterable[str], wanted: Iterable[str]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Match the columns of a source with the wanted ones, by alias.

    Parameters
    ----------
    present
        The column names of the source.
    wanted
        Names from this module.

    Returns
    -------
    found : dict
        Wanted name to the source's own name. Earlier aliases win; no source column serves twice.
    missing : tuple
        The wanted names for which the source has no column.

    >>> find_columns(["QID", "docno", "sim"], ["query_id", "doc_id", "relevance"])
    ({'query_id': 'QID', 'doc_id': 'docno'}, ('relevance',))
    """
    own = {name.strip().casefold().replace("-", "_"): name for name in present}
    found: dict[str, str] = {}
    for name in wanted:
        for alias in ALIASES[name]:
            if alias in own and own[alias] not in found.values():
                found[name] = own[alias]
                break
    return found, tuple(name for name in wanted if name not in found)


ID_DTYPES = (pl.String, pl.Categorical, pl.Enum)
"""Dtypes whose values are identifiers as they stand; integers are written out."""
