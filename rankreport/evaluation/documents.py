"""The documents of an evaluation: ranked, judged, relevant."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import polars as pl

from rankreport.errors import OptionError
from rankreport.evaluation.first_documents import list_request
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.stored import FromFile
from rankreport.evaluation.values import EvaluationValues, data_facts_of, per_query
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM


def documents(
    self: EvaluationValues,
    queries: Iterable[str],
    k: int = 10,
    *,
    systems: Iterable[str] | None = None,
) -> pl.DataFrame:
    """Return the first documents of the systems' lists.

    Parameters
    ----------
    queries
        Ids of evaluated queries.
    k
        Number of documents per list.
    systems
        Names of systems; all systems by default.

    Returns
    -------
    DataFrame
        ``system, query_id, doc_id`` (String), ``rank`` (UInt32) under the tie rule, ``score``
        and ``relevance`` (Float64; the grade, null for unjudged documents), sorted by query,
        system and rank.

    Raises
    ------
    OptionError
        If there is no such query or system, or this evaluation was loaded from a file that
        does not contain these documents.

    Examples
    --------
    >>> import rankreport as rr
    >>> run = {"q1": {"d1": 2.0, "d2": 1.0}}
    >>> rr.evaluate({"q1": {"d1": 1}}, {"mine": run}).documents(["q1"]).rows()
    [('mine', 'q1', 'd1', 1, 2.0, 1.0), ('mine', 'q1', 'd2', 2, 1.0, None)]
    """
    counted = per_query(self)[QUERY_ID]
    wanted = list_request(queries, systems, k, counted=counted, known=self.systems)
    return self._origin.documents(wanted)


def judged_documents(self: EvaluationValues) -> pl.DataFrame:
    """Return one row per system and judged document, returned or not, in rank order.

    Raises
    ------
    DataError
        If this evaluation was loaded from a file, which contains no documents.
    """
    return self._origin.judged_documents()


def relevant(self: EvaluationValues, queries: Iterable[str], rel: float = 1) -> pl.DataFrame:
    """Return the documents judged relevant to these queries, and their rank in each system.

    Parameters
    ----------
    queries
        Query ids; queries that are not evaluated are ignored.
    rel
        The lowest grade that counts as relevant.

    Returns
    -------
    DataFrame
        ``system, query_id, doc_id`` (String), ``relevance`` (Float64), ``rank`` (UInt32; null
        where the system did not return the document), sorted by rank, then documents not
        returned by descending grade.

    Raises
    ------
    DataError
        If this evaluation was loaded from a file, which contains no judgments.

    Examples
    --------
    >>> import rankreport as rr
    >>> e = rr.evaluate({"q1": {"d1": 1, "d2": 2}}, {"mine": {"q1": {"d1": 1.0}}})
    >>> e.relevant(["q1"]).rows()
    [('mine', 'q1', 'd1', 1.0, 1), ('mine', 'q1', 'd2', 2.0, None)]
    """
    return (
        self._origin.judged_of(queries)
        .filter(pl.col(RELEVANCE) >= rel)
        .select(SYSTEM, QUERY_ID, DOC_ID, RELEVANCE, RANK)
        .sort(
            pl.col(RANK),
            -pl.col(RELEVANCE),
            DOC_ID,
            nulls_last=True,
            maintain_order=True,
        )
    )


def same_lists(self: EvaluationValues, one: str, other: str, pool: int | None = None) -> bool:
    """Return whether two systems returned the same documents in the same order for every query.

    With `pool`, whether their first so many documents are the same, in any order. False where that
    is not known, as it may be of an evaluation that was loaded.
    """
    if isinstance(self._origin, FromRuns):
        return self._origin.same_lists(one, other, pool)
    if any({one, other} <= {*names} for names in data_facts_of(self).copies):
        return True
    depths = data_facts_of(self).depths.values()
    longest = max((depth.longest for depth in depths), default=0)
    if not longest:
        return False
    try:
        lists = documents(self, self.query_ids, longest, systems=(one, other))
    except OptionError:
        return False
    first, second = (
        lists.filter(pl.col(SYSTEM) == system).select(QUERY_ID, RANK, DOC_ID).sort(QUERY_ID, RANK)
        for system in (one, other)
    )
    return first.equals(second)


def grades_of(self: EvaluationValues, queries: Collection[str]) -> pl.DataFrame:
    """Return the grades of queries: ``query_id, doc_id`` (String), ``relevance`` (Float64).

    Raises
    ------
    DataError
        If this evaluation was loaded from a file without them.
    """
    if isinstance(self._origin, FromFile):
        return self._origin.grades(queries)
    rows = self._origin.judged_of(queries)
    of_one = (pl.col(SYSTEM) == per_query(self)[SYSTEM][0]) & pl.col(RELEVANCE).is_not_null()
    return rows.filter(of_one).select(
        pl.col(QUERY_ID, DOC_ID).cast(pl.String), pl.col(RELEVANCE).cast(pl.Float64)
    )
