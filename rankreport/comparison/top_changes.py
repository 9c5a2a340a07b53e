"""What differs between the first documents of two lists, which makes a query won or lost.

`top_change_of` counts; `TopChange.brief` says it in the current language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from rankreport.comparison.pairs import Pair
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM
from rankreport.measures import Measure
from rankreport.text import say

RANKS = ("rank_baseline", "rank_system")
"""The columns of a document's rank in both lists; null where it is not among the first."""


_SHOWN_DOCUMENTS = 10
"""The number of documents compared per list, unless the measure's cut-off is smaller."""


def depth_shown(measure: Measure) -> int:
    """Return the number of documents to show per list."""
    return min(_SHOWN_DOCUMENTS, measure.k or _SHOWN_DOCUMENTS)


@dataclass(frozen=True)
class TopChange:
    """What differs between two lists of documents.

    Attributes
    ----------
    k
        The number of documents looked at in each list.
    won
        Whether the system's value is better.
    n_baseline, n_system
        Lengths of both lists, at most ``k``.
    n_relevant_baseline, n_relevant_system
        Relevant documents in both lists.
    n_left, n_entered
        Relevant documents of the baseline's list alone, and of the system's alone.
    best_baseline, best_system
        Rank of the first relevant document in both lists; None if there is none.
    same_documents, same_order
        Whether both lists have the same documents, and in the same order.
    """

    k: int
    won: bool
    n_baseline: int
    n_system: int
    n_relevant_baseline: int
    n_relevant_system: int
    n_left: int
    n_entered: int
    best_baseline: int | None
    best_system: int | None
    same_documents: bool
    same_order: bool

    @property
    def brief(self) -> str:
        """The main difference in a few words."""
        return self._nothing() or self._counts() or self._first_moved() or self._order()

    def _nothing(self) -> str:
        if not self.n_system and not self.n_baseline:
            return say("neither returned anything")
        if not self.n_system:
            return say("it returned nothing")
        return "" if self.n_baseline else say("the baseline returned nothing")

    def _counts(self) -> str:
        """Say how many relevant documents there were and are, if that explains the difference."""
        before, after = self.n_relevant_baseline, self.n_relevant_system
        if before == after or (after > before) is not self.won:
            return ""
        fields = {"before": before, "after": after}
        if not self._moved:
            return say("{before} → {after} relevant", **fields)
        return say(
            "{before} → {after} relevant, first {rank} → {new_rank}",
            rank=self.best_baseline,
            new_rank=self.best_system,
            **fields,
        )

    @property
    def _moved(self) -> bool:
        """Whether both have a relevant document, and the first of them explains the difference."""
        before, after = self.best_baseline, self.best_system
        if before is None or after is None or before == after:
            return False
        return (after < before) is self.won

    def _first_moved(self) -> str:
        fields = {"before": self.best_baseline, "after": self.best_system}
        return say("first relevant at rank {before} → {after}", **fields) if self._moved else ""

    def _order(self) -> str:
        if self.same_order:
            return say("same top {k}; the difference lies below", k=self.k)
        if self.best_baseline is None and self.best_system is None:
            return say("no relevant result in either top {k}", k=self.k)
        if self.same_documents:
            return say("the same documents in another order")
        if self.n_left and self.n_left == self.n_entered:
            return say("other relevant results in the top {k}", k=self.k)
        return say("relevant results moved up") if self.won else say("relevant results moved down")


def top_change_of(
    documents: Sequence[Mapping[str, Any]], *, won: bool, k: int, least: float
) -> TopChange:
    """Count what differs between the first documents of two lists for a query.

    Parameters
    ----------
    documents
        The documents of both lists, each once, with ``doc_id``, ``relevance`` (None if unjudged),
        ``rank_baseline`` and ``rank_system`` (None where the document is not in the list).
    won
        Whether the system's value is better than the baseline's.
    k
        The number of documents looked at in each list.
    least
        The lowest relevant grade.

    Examples
    --------
    >>> rows = [
    ...     {"doc_id": "a", "relevance": 2, "rank_baseline": 1, "rank_system": 2},
    ...     {"doc_id": "b", "relevance": 1, "rank_baseline": 2, "rank_system": None},
    ...     {"doc_id": "c", "relevance": None, "rank_baseline": None, "rank_system": 1},
    ... ]
    >>> top_change_of(rows, won=False, k=2, least=1).brief
    '2 → 1 relevant, first 1 → 2'
    """
    before, after = (_relevant(documents, rank, least) for rank in RANKS)
    ranks = [tuple(row[rank] for rank in RANKS) for row in documents]
    return TopChange(
        k=k,
        won=won,
        n_baseline=sum(was is not None for was, _ in ranks),
        n_system=sum(now is not None for _, now in ranks),
        n_relevant_baseline=len(before),
        n_relevant_system=len(after),
        n_left=len(before.keys() - after),
        n_entered=len(after.keys() - before),
        best_baseline=min(before.values(), default=None),
        best_system=min(after.values(), default=None),
        same_documents=all(was and now for was, now in ranks),
        same_order=all(was == now for was, now in ranks),
    )


def _relevant(documents: Sequence[Mapping[str, Any]], rank: str, least: float) -> dict[str, int]:
    """Return the ranks of the relevant documents of a list."""
    held = (row for row in documents if row[rank] is not None and row[RELEVANCE] is not None)
    return {row[DOC_ID]: row[rank] for row in held if row[RELEVANCE] >= least}


def both_lists(documents: pl.DataFrame, queries: Sequence[str], pair: Pair) -> pl.DataFrame:
    """Return the documents of both lists with their ranks, the baseline's first."""
    document = [QUERY_ID, DOC_ID, RELEVANCE]
    lists = documents.filter(pl.col(QUERY_ID).is_in(list(queries)))
    before, after = (
        lists.filter(pl.col(SYSTEM) == name).select(*document, pl.col(RANK).alias(rank))
        for rank, name in zip(RANKS, pair, strict=True)
    )
    return before.join(
        after, on=document, how="full", nulls_equal=True, coalesce=True, maintain_order="left_right"
    ).select(*(pl.lit(name).alias(side) for side, name in pair._asdict().items()), pl.all())
