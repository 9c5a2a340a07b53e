"""What differs between the first documents of two lists, in words and in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankreport.comparison import RANKS, depth_shown
from rankreport.evaluation import least_relevant
from rankreport.frames import DOC_ID, RELEVANCE
from rankreport.measures import Measure
from rankreport.text import say


class TopChange(NamedTuple):
    """What differs between the first documents of two lists, in words and in numbers.

    Attributes
    ----------
    brief
        The main difference in a few words, in the current language.
    n_relevant_baseline, n_relevant_system
        Relevant documents in both lists.
    best_baseline, best_system
        Rank of the first relevant document in both lists; None if there is none.
    """

    brief: str
    n_relevant_baseline: int
    n_relevant_system: int
    best_baseline: int | None
    best_system: int | None


def top_change_of(
    documents: Sequence[Mapping[str, Any]], measure: Measure, *, won: bool
) -> TopChange:
    """Return what differs between the first documents of two lists for a query.

    Parameters
    ----------
    documents
        The documents of both lists, each once, with ``doc_id``, ``relevance`` (None if unjudged),
        ``rank_baseline`` and ``rank_system`` (None where the document is not in the list).
    measure
        The measure by which documents are relevant, and only the first of them count.
    won
        Whether the system's value is better than the baseline's.

    Examples
    --------
    >>> from rankreport.measures import P
    >>> rows = [
    ...     {"doc_id": "a", "relevance": 2, "rank_baseline": 1, "rank_system": 2},
    ...     {"doc_id": "b", "relevance": 1, "rank_baseline": 2, "rank_system": None},
    ...     {"doc_id": "c", "relevance": None, "rank_baseline": None, "rank_system": 1},
    ... ]
    >>> top_change_of(rows, P @ 2, won=False).brief
    '2 → 1 relevant, first at rank 1 → 2'
    """
    k, least = depth_shown(measure), least_relevant(measure)
    before, after = (_relevant(documents, rank, least) for rank in RANKS)
    first, new_first = (min(of.values(), default=None) for of in (before, after))
    ranks = [tuple(row[rank] for rank in RANKS) for row in documents]
    is_empty = [all(row[rank] is None for row in documents) for rank in RANKS]
    n_left, n_entered = len(before.keys() - after), len(after.keys() - before)
    # What changed the other way does not explain the difference.
    counted = (len(after) > len(before)) if won else (len(after) < len(before))
    moved = (
        first is not None
        and new_first is not None
        and ((new_first < first) if won else (new_first > first))
    )
    counts = {"before": len(before), "after": len(after)}
    cases = (
        (all(is_empty), say("neither returned anything")),
        (is_empty[1], say("it returned nothing")),
        (is_empty[0], say("the baseline returned nothing")),
        (
            counted and moved,
            say(
                "{before} → {after} relevant, first at rank {rank} → {new_rank}",
                rank=first,
                new_rank=new_first,
                **counts,
            ),
        ),
        (counted, say("{before} → {after} relevant", **counts)),
        (moved, say("first relevant at rank {before} → {after}", before=first, after=new_first)),
        (
            all(was == now for was, now in ranks),
            say("same top {k}; the difference lies below", k=k),
        ),
        (not before and not after, say("no relevant result in either top {k}", k=k)),
        (all(was and now for was, now in ranks), say("the same documents in another order")),
        (n_left == n_entered > 0, say("other relevant results in the top {k}", k=k)),
        (won, say("relevant results moved up")),
        (True, say("relevant results moved down")),
    )
    brief = next(words for holds, words in cases if holds)
    lost, other = RANKS if won else RANKS[::-1]
    n = _n_unjudged(documents, lost, k)
    # A change is no finding where the worse list was hardly judged and the better one was, beyond
    # the relevant documents that they do not share.
    beyond = n - _n_unjudged(documents, other, k) - abs(len(after) - len(before))
    if beyond >= k / 2:
        fields = {"brief": brief, "n": n, "k": k}
        brief = (
            say("{brief}; {n} of the baseline's first {k} unjudged", **fields)
            if won
            else say("{brief}; {n} of its first {k} unjudged", **fields)
        )
    return TopChange(brief, len(before), len(after), first, new_first)


def _n_unjudged(documents: Sequence[Mapping[str, Any]], rank: str, k: int) -> int:
    """Return how many of the first k documents of a list are unjudged."""
    return sum(row[RELEVANCE] is None and (row[rank] or k + 1) <= k for row in documents)


def _relevant(documents: Sequence[Mapping[str, Any]], rank: str, least: float) -> dict[str, int]:
    """Return the ranks of the relevant documents of a list."""
    held = (row for row in documents if row[rank] is not None and row[RELEVANCE] is not None)
    return {row[DOC_ID]: row[rank] for row in held if row[RELEVANCE] >= least}
