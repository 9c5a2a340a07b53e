"""Labels that vanished: relevant documents that are not in the corpus, where that is declared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation.collapse import Collapse
from rankreport.frames import DOC_ID, QUERY_ID
from rankreport.io import DocumentRows, Remark, Source, open_corpus, open_ids


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


def of_corpus(relevant: pl.DataFrame, corpus: DocumentRows) -> Iterator[Remark]:
    """Report how many relevant documents are not in a corpus, and which, by query.

    Parameters
    ----------
    relevant
        ``query_id, doc_id`` of the relevant judgments.
    corpus
        The ids of the corpus.
    """
    if relevant.is_empty():
        return
    wanted = relevant.select(DOC_ID).unique()
    found = [
        wanted.clear(),
        *corpus.each(lambda ids: ids.join(wanted.lazy(), on=DOC_ID, how="semi")),
    ]
    gone = relevant.join(pl.concat(found), on=DOC_ID, how="anti").sort(QUERY_ID, DOC_ID)
    left = relevant.join(gone, on=[QUERY_ID, DOC_ID], how="anti")
    about = {
        "of": len(wanted),
        "n_queries": relevant[QUERY_ID].n_unique(),
        "n_left": left[QUERY_ID].n_unique(),
        "queries": gone[QUERY_ID].to_list(),
        "documents": gone[DOC_ID].to_list(),
    }
    n = gone[DOC_ID].n_unique()
    yield Remark(
        "vanished_labels", n, tuple(gone[DOC_ID].unique(maintain_order=True).head(5)), about=about
    )
