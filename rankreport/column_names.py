"""Names of columns: those that stand for ours, and how names are compared."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping

from rankreport.frames import (
    DATASET,
    DOC_ID,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SUBTOPIC,
    SYSTEM,
    TEXT,
)

ALIASES: Mapping[str, tuple[str, ...]] = {
    SYSTEM: ("system", "run", "model", "tag", "name"),
    DATASET: ("dataset", "data_set"),
    QUERY_ID: (
        *("query_id", "qid", "q_id", "queryid", "query", "topic", "topic_id"),
        "question",
        *("user_id", "userid", "user_idx", "user", "_id"),
    ),
    DOC_ID: (
        *("doc_id", "docno", "docid", "doc", "did", "document_id", "documentid", "corpus_id"),
        *("passage_id", "pid", "item_id", "itemid", "item_idx", "product_id", "productid"),
        *("movieid", "movie_id", "item", "_id", "document", "id"),
    ),
    RELEVANCE: ("relevance", "rel", "label", "grade", "rating", "judgment", "judgement"),
    SCORE: ("score", "sim", "prediction", "pred", "similarity", "_score"),
    RANK: ("rank", "position"),
    SUBTOPIC: ("subtopic", "subtopic_id", "intent", "aspect"),
    TEXT: ("text", "query", "query_text", "title"),
}
"""Accepted names of each column, the canonical one first, as `folded` returns them.

An earlier name wins. In judgments without a grade, a column called ``score`` is the grade.
"""


@functools.lru_cache(4096)
def folded(name: str) -> str:
    r"""Return a column's name as in `ALIASES`.

    Case does not matter, nor spaces, hyphens and full stops between words, nor a byte-order mark,
    nor a type after the name, as RecBole writes it.

    >>> folded(" Query-ID"), folded("\ufeffQuery ID"), folded("user_id:token")
    ('query_id', 'query_id', 'user_id')
    """
    plain = re.sub(r":(token|float)(_seq)?$", "", name.lstrip("\ufeff").strip().casefold())
    return re.sub(r"[\s.-]+", "_", plain)


def find_columns(
    present: Iterable[str],
    wanted: Iterable[str],
    aliases: Mapping[str, tuple[str, ...]] = ALIASES,
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Match the columns of a source with the wanted ones, by alias.

    Parameters
    ----------
    present
        The column names of the source.
    wanted
        Names of `rankreport.frames`.
    aliases
        Accepted names of each of them.

    Returns
    -------
    found : dict
        Wanted name to the name in the source. Earlier aliases win; no source column is used twice.
    missing : tuple
        The wanted names without a column in the source.

    >>> find_columns(["QID", "docno", "sim"], ["query_id", "doc_id", "relevance"])
    ({'query_id': 'QID', 'doc_id': 'docno'}, ('relevance',))
    """
    normalized = {folded(name): name for name in present}
    found: dict[str, str] = {}
    for name in wanted:
        for alias in aliases[name]:
            if alias in normalized and normalized[alias] not in found.values():
                found[name] = normalized[alias]
                break
    return found, tuple(name for name in wanted if name not in found)
