"""Why a query was won or lost: what differs between the first documents of both lists.

`reason_of` counts; `Reason.sentence` and `Reason.brief` say it in the current language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rankreport.frames import DOC_ID, RELEVANCE
from rankreport.text import say, separated

RANKS = ("rank_baseline", "rank_system")
"""The columns of a document's rank in both lists; null where it is not among the first."""


class _Top(NamedTuple):
    """The first documents of one list, in counts.

    `best` is the rank of the first relevant document, None if there is none.
    """

    n: int
    relevant: frozenset[str]
    unjudged: frozenset[str]
    best: int | None


@dataclass(frozen=True)
class Reason:
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
    n_new, n_new_unjudged
        Documents of the system's list alone, and how many of them are unjudged.
    n_unjudged_baseline, n_unjudged_system
        Unjudged documents in both lists.
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
    n_new: int
    n_new_unjudged: int
    n_unjudged_baseline: int
    n_unjudged_system: int
    best_baseline: int | None
    best_system: int | None
    same_documents: bool
    same_order: bool

    @property
    def brief(self) -> str:
        """The main difference in a few words; of a loss, the unjudged documents too."""
        return separated("; ", filter(None, (self.main, self._unjudged_of_loss())))

    @property
    def main(self) -> str:
        """The main difference in a few words."""
        return self._nothing() or self._counts() or self._first_moved() or self._order()

    @property
    def sentence(self) -> str:
        """The differences in a sentence, without a full stop."""
        if nothing := self._nothing():
            return nothing
        parts = [self._moved_over_the_edge(), self._best_moved()]
        found = [part for part in parts if part] or [self._order()]
        if self.n_new_unjudged:
            found.append(self._unjudged_of_new())
        return separated("; ", found)

    def _nothing(self) -> str:
        if not self.n_system and not self.n_baseline:
            return say("neither returned anything")
        if not self.n_system:
            return say("it returned nothing")
        return "" if self.n_baseline else say("the baseline returned nothing")

    def _unjudged_of_loss(self) -> str:
        """Say how many documents of both lists are unjudged, which may be the cause."""
        before, after = self.n_unjudged_baseline, self.n_unjudged_system
        if self.won or not self.n_system or not before + after:
            return ""
        return say("{before} → {after} unjudged", before=before, after=after)

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

    def _moved_over_the_edge(self) -> str:
        left, entered = self.n_left, self.n_entered
        if not self.won and left > entered:
            if left == 1:
                return say("1 relevant result left the top {k}", k=self.k)
            return say("{n} relevant results left the top {k}", n=left, k=self.k)
        if self.won and entered > left:
            if entered == 1:
                return say("1 relevant result entered the top {k}", k=self.k)
            return say("{n} relevant results entered the top {k}", n=entered, k=self.k)
        return ""

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

    def _best_moved(self) -> str:
        fields = {"before": self.best_baseline, "after": self.best_system}
        if not self._moved:
            return ""
        return say("best relevant result from rank {before} to {after}", **fields)

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

    def _unjudged_of_new(self) -> str:
        if self.n_new == 1:
            return say("the new one is unjudged")
        if self.n_new_unjudged == 1:
            return say("1 of the {all} new is unjudged", all=self.n_new)
        return say("{n} of the {all} new are unjudged", n=self.n_new_unjudged, all=self.n_new)


def reason_of(documents: Sequence[Mapping[str, Any]], *, won: bool, k: int, least: float) -> Reason:
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
    >>> reason = reason_of(rows, won=False, k=2, least=1)
    >>> reason.sentence
    '1 relevant result left the top 2; best relevant result from rank 1 to 2; the new one is \
unjudged'
    >>> reason.brief
    '2 → 1 relevant, first 1 → 2; 0 → 1 unjudged'
    """
    before, after = (_top(documents, rank, least) for rank in RANKS)
    ranks = [tuple(row[rank] for rank in RANKS) for row in documents]
    new = [row for row, (was, now) in zip(documents, ranks, strict=True) if was is None and now]
    return Reason(
        k=k,
        won=won,
        n_baseline=before.n,
        n_system=after.n,
        n_relevant_baseline=len(before.relevant),
        n_relevant_system=len(after.relevant),
        n_left=len(before.relevant - after.relevant),
        n_entered=len(after.relevant - before.relevant),
        n_new=len(new),
        n_new_unjudged=sum(row[RELEVANCE] is None for row in new),
        n_unjudged_baseline=len(before.unjudged),
        n_unjudged_system=len(after.unjudged),
        best_baseline=before.best,
        best_system=after.best,
        same_documents=all(was and now for was, now in ranks),
        same_order=all(was == now for was, now in ranks),
    )


def _top(documents: Sequence[Mapping[str, Any]], rank: str, least: float) -> _Top:
    held = [row for row in documents if row[rank] is not None]
    relevant = [row for row in held if row[RELEVANCE] is not None and row[RELEVANCE] >= least]
    return _Top(
        len(held),
        frozenset(row[DOC_ID] for row in relevant),
        frozenset(row[DOC_ID] for row in held if row[RELEVANCE] is None),
        min((row[rank] for row in relevant), default=None),
    )
