"""Labels that vanished: relevant documents that are not in the corpus, where that is declared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation.collapse import Collapse
from rankreport.evaluation.identifiers import (
    ID,
    Spelling,
    differ,
    near,
    query_spelling,
    respelling,
)
from rankreport.frames import DOC_ID, N_RETRIEVED, QUERY_ID, SYSTEM
from rankreport.io import DocumentRows, Remark, Source, open_corpus, open_ids

_ENOUGH, _FEW = 20, 0.2
"""So many relevant documents, of which a smaller share is returned, may be returned by chance."""

_ID = pl.col(ID)
_KEY = "key"
_DIGITS = r"^\d+$"
_NUMBER = r"^(0|[1-9]\d*)$"
_ONE_NUMBER = r"^\D*\d+(\.0+)?\D*$"
_EXAMPLES = 5
_MOST_LOOKED_AT = 2_000
_MOST_NEAR = 100_000
"""The most ids whose spelling is looked at, and the most near ones in a part of a corpus."""


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

    Those that are there under an id that is spelled differently are reported apart.

    Parameters
    ----------
    relevant
        ``query_id, doc_id`` of the relevant judgments.
    corpus
        The ids of the corpus.
    """
    names = relevant.select(pl.col(DOC_ID).alias(ID)).unique().sort(ID)
    held = _held(names, corpus)
    lost = names.join(held, on=ID, how="anti", maintain_order="left")
    found = _spelling_in(lost[ID], held[ID], corpus)
    if found is not None and found.sure:
        spelled = _held(lost, corpus, *(respelling(found, side) for side in ("judged", "returned")))
        lost = lost.join(spelled, on=ID, how="anti", maintain_order="left")
        same = {"what": "corpus", "of": len(names), "spelling": found._asdict()}
        yield Remark("nearly_equal_ids", len(spelled), about=same)
    is_lost = pl.col(DOC_ID).is_in(lost[ID].implode())
    gone = relevant.filter(is_lost).sort(QUERY_ID, DOC_ID)
    about = {
        "of": len(names),
        "n_queries": relevant[QUERY_ID].n_unique(),
        "n_left": relevant.filter(~is_lost)[QUERY_ID].n_unique(),
        "queries": gone[QUERY_ID].to_list(),
        "documents": gone[DOC_ID].to_list(),
        "unlike": [] if found is None or found.sure else [found.judged, found.returned],
    }
    yield Remark("vanished_labels", len(lost), tuple(lost[ID].head(_EXAMPLES)), about=about)


def at_random(
    queries: pl.DataFrame, returned: pl.DataFrame, corpus: DocumentRows
) -> Iterator[Remark]:
    """Report systems that return no more relevant documents than drawn at random, if all are so.

    Ids are then in the corpus, but not of the documents that were judged.

    Parameters
    ----------
    queries
        ``system, n_retrieved, n_relevant`` of each query.
    returned
        ``system, n_returned``: how many relevant documents a system returned.
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


def _held(
    ids: pl.DataFrame,
    corpus: DocumentRows,
    wanted: pl.Expr = _ID,
    there: pl.Expr = _ID,
) -> pl.DataFrame:
    """Return the ids that the corpus has, as they are or as both sides are respelled."""
    by_key = ids.with_columns(wanted.alias(_KEY))
    keys = by_key.lazy().select(_KEY).unique()
    known = corpus.each(
        lambda rows: _named(rows).select(there.alias(_KEY)).join(keys, on=_KEY, how="semi")
    )
    every = pl.concat([by_key.select(_KEY).clear(), *known])
    return by_key.join(every, on=_KEY, how="semi", maintain_order="left").select(ID)


def _named(rows: pl.LazyFrame) -> pl.LazyFrame:
    return rows.select(pl.col(DOC_ID).alias(ID))


def _spelling_in(lost: pl.Series, held: pl.Series, corpus: DocumentRows) -> Spelling | None:
    """Return how ids that a corpus lacks are spelled there.

    Numbers are those of other documents by chance where the corpus has nearly all numbers. So it is
    sure only if fewer match with 1 added, or more ids are the same.
    """
    if lost.is_empty():
        return None
    some = lost.gather_every(max(1, len(lost) // _MOST_LOOKED_AT))
    rows = corpus.each(lambda rows: _named(rows).filter(near(some)).head(_MOST_NEAR))
    found = query_spelling(some, pl.concat([lost.to_frame().clear(), *rows])[ID], held)
    if found is None:
        return None
    if found.how == "query position":  # the corpus has numbers, and so may these ids, with a text
        named = some.str.contains(_ONE_NUMBER) & ~some.str.contains(_NUMBER)
        return found if 2 * named.sum() >= len(some) else None
    one, other = (respelling(found, side) for side in ("judged", "returned"))
    ids = some.to_frame()
    numbers = ids.select(one.str.contains(_DIGITS).all()).item()
    if not found.sure or not numbers or len(held) >= len(lost):
        return found
    number, there = (each.cast(pl.Int64, strict=False) for each in (one, other))
    n, n_more = (len(_held(ids, corpus, each, there)) for each in (number, number + 1))
    return found._replace(sure=differ(n, n_more))
