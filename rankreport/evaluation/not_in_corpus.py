"""Labels that vanished: relevant documents that are not in the corpus, where that is declared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation.collapse import Collapse
from rankreport.evaluation.mismatched_ids import ID, near, query_spelling
from rankreport.frames import DOC_ID, N_RETRIEVED, QUERY_ID, SYSTEM
from rankreport.io import DocumentRows, Remark, Source, open_corpus, open_ids

_ENOUGH, _FEW = 20, 0.2
"""So many relevant documents, of which a smaller share is returned, may be returned by chance."""

_EXAMPLES = 5
_MOST_LOOKED_AT = 2_000
_MOST_NEAR = 500_000
"""The most ids whose spelling is looked at, and the most near ones of a corpus."""


def with_corpus(
    judgments: Source, corpus: Any, folding: Collapse | None
) -> tuple[Source, DocumentRows | None]:
    """Return judgments with the texts of a corpus, and its ids; None if no corpus is declared.

    Parameters
    ----------
    judgments
        The judgments, which may come with a corpus.
    corpus
        The corpus that was given, or None.
    folding
        How passages are folded: documents are then in the corpus if their passages are.

    Raises
    ------
    DataError
        If the corpus cannot be opened.
    """
    given = judgments.documents if corpus is None else corpus
    if given is None:
        return judgments, None
    given = list(given) if isinstance(given, Iterator) else given
    ids = open_ids(given)
    if corpus is not None:
        judgments = replace(judgments, documents=None)
        with suppress(DataError):  # ids without texts
            open_corpus(given)
            judgments = replace(judgments, documents=given)
    return judgments, ids if folding is None else ids.changed(folding.documents_of)


def of_corpus(
    relevant: pl.DataFrame, queries: pl.DataFrame, returned: pl.DataFrame, corpus: DocumentRows
) -> Iterator[Remark]:
    """Report relevant documents that are not in a corpus, by query, or are of other documents.

    Parameters
    ----------
    relevant
        ``query_id, doc_id`` of the relevant judgments.
    queries
        ``system, n_retrieved, n_relevant`` of each query.
    returned
        ``system, n_returned``: how many relevant documents a system returned.
    corpus
        The ids of the corpus.
    """
    names = relevant.select(pl.col(DOC_ID).alias(ID)).unique().sort(ID)
    known = corpus.each(lambda rows: _named(rows).join(names.lazy(), on=ID, how="semi"))
    held = pl.concat([names.clear(), *known]).unique()
    lost = names.join(held, on=ID, how="anti", maintain_order="left")[ID]
    is_lost = pl.col(DOC_ID).is_in(lost.implode())
    gone = relevant.filter(is_lost).sort(QUERY_ID, DOC_ID)
    about = {
        "of": len(names),
        "n_queries": relevant[QUERY_ID].n_unique(),
        "n_left": relevant.filter(~is_lost)[QUERY_ID].n_unique(),
        "queries": gone[QUERY_ID].to_list(),
        "documents": gone[DOC_ID].to_list(),
        "unlike": _spelled_there(lost, held[ID], corpus),
    }
    yield Remark("vanished_labels", len(lost), tuple(lost.head(_EXAMPLES)), about=about)
    if len(held):
        yield from _at_random(queries, returned, corpus)


def _at_random(
    queries: pl.DataFrame, returned: pl.DataFrame, corpus: DocumentRows
) -> Iterator[Remark]:
    """Report systems that return no more relevant documents than drawn at random, if all are so.

    Ids are then in the corpus, but not of the documents that were judged.
    """
    pairs = pl.col(N_RETRIEVED).cast(float) * pl.col("n_relevant")
    counts = queries.group_by(SYSTEM, maintain_order=True).agg(
        pl.col("n_relevant").sum(), pairs.sum()
    )
    found = counts.join(returned, on=SYSTEM, maintain_order="left").rows()
    small = all(of >= _ENOUGH and n <= _FEW * of for _, of, _, n in found)
    if not small or not any(n for *_, n in found):  # no judged document at all is said elsewhere
        return
    size = sum(rows.item() for rows in corpus.each(lambda ids: ids.select(pl.len())))
    chances = [(system, of, n, total / size) for system, of, total, n in found]
    if all(n <= chance + 3 * chance**0.5 and chance <= _FEW * of for _, of, n, chance in chances):
        for system, of, n, chance in chances:
            yield Remark("at_random", n, system=system, about={"of": of, "expected": chance})


def _named(rows: pl.LazyFrame) -> pl.LazyFrame:
    return rows.select(pl.col(DOC_ID).alias(ID))


def _spelled_there(lost: pl.Series, held: pl.Series, corpus: DocumentRows) -> list[str]:
    """Return an id that a corpus lacks and how it seems to be spelled there; nothing if it is not.

    It is only one explanation: numbers may be those of other documents by chance.
    """
    if lost.is_empty():
        return []
    some = lost.gather_every(max(1, len(lost) // _MOST_LOOKED_AT))
    alike, n = [lost.head(0)], 0
    for rows in corpus.each(lambda rows: _named(rows).filter(near(some)).head(_MOST_NEAR)):
        alike.append(rows[ID])
        n += len(rows)
        if n >= _MOST_NEAR:
            break
    found = query_spelling(some, pl.concat(alike), held)
    if found is None or found.how == "query position":  # which show no id of the same document
        return []
    return [found.judged, found.returned]
