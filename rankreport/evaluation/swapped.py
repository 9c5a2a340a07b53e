"""Telling judgments from runs by their numbers, where the two may be swapped."""

from __future__ import annotations

import polars as pl

from rankreport.frames import QUERY_ID, RELEVANCE, SCORE

__all__ = ["ROWS_OF_GRADES", "differs_as_scores", "few_swapped", "is_graded", "n_grades"]

_FEW_GRADES = 7
"""So many different whole scores might be grades."""

_HIGHEST_GRADE = 10
"""Higher scores are no grades."""

_USUAL_GRADE = 4
"""The highest grade of most scales."""

ROWS_OF_GRADES = 20
"""In fewer rows, few different scores are no sign of grades."""

_DIFFERENT = 0.5
"""Grades are like scores where at least this share of a query's differ."""


def is_graded(scores: pl.Series) -> bool:
    """Return whether all scores are small whole numbers.

    >>> is_graded(pl.Series([2.0, 0.0])), is_graded(pl.Series([2.0, 0.5]))
    (True, False)
    """
    small = scores.is_between(-_HIGHEST_GRADE, _HIGHEST_GRADE).all()
    return bool(small and (scores == scores.floor()).all())


def n_grades(rows: pl.DataFrame) -> int:
    """Return how many different scores a run has if they look like grades, else 0.

    Grades are few whole numbers, of which many documents of a query have the same. Scores that fall
    from each document to the next, such as 3, 2, 1, say the place in a list; a score that all
    documents have says that there are no scores.

    >>> queries = [f"q{i // 5}" for i in range(20)]
    >>> n_grades(pl.DataFrame({"query_id": queries, "score": [2.0, 1.0, 1.0, 0.0, 0.0] * 4}))
    3
    >>> n_grades(pl.DataFrame({"query_id": queries, "score": [5.0, 4.0, 3.0, 2.0, 1.0] * 4}))
    0
    """
    if len(rows) < ROWS_OF_GRADES or not is_graded(rows[SCORE]):
        return 0
    n = rows[SCORE].n_unique()
    if not 1 < n <= _FEW_GRADES:
        return 0
    differ = rows.lazy().group_by(QUERY_ID).agg(pl.col(SCORE).n_unique()).collect()
    return n if int(differ[SCORE].sum()) < len(rows) else 0


def differs_as_scores(judgments: pl.DataFrame) -> bool:
    """Return whether nearly all grades of a query differ, and some are no whole numbers.

    >>> grades = [7.1, 5.3, 4.9]
    >>> differs_as_scores(pl.DataFrame({"query_id": ["q1"] * 3, "relevance": grades}))
    True
    """
    grades = judgments[RELEVANCE]
    if (grades == grades.floor()).all():
        return False
    lists = judgments.group_by(QUERY_ID).agg(n=pl.len(), different=pl.col(RELEVANCE).n_unique())
    n = int(lists["n"].sum())
    return n >= 2 * len(lists) and int(lists["different"].sum()) >= _DIFFERENT * n


def few_swapped(judgments: pl.DataFrame, rows: pl.DataFrame, n: int) -> bool:
    """Return whether a few grades look like scores, and scores like grades.

    Of few rows, both sides have to tell. Grades are like scores if they differ within every query
    and most are no grades of a scale with halves or quarters. Scores are like grades if all are
    whole numbers of a usual scale and some list does not count down to 1, as places would.

    Parameters
    ----------
    judgments, rows
        ``query_id, relevance`` and ``query_id, score``, of the queries of both.
    n
        The number of all judgments or rows, whichever is more.

    Examples
    --------
    >>> of = {"query_id": ["q1", "q1", "q2"]}
    >>> grades = pl.DataFrame(of | {"relevance": [12.5, 11.0, 9.1]})
    >>> few_swapped(grades, pl.DataFrame(of | {"score": [1.0, 0.0, 1.0]}), 3)
    True
    >>> few_swapped(grades, pl.DataFrame(of | {"score": [2.0, 1.0, 1.0]}), 3)  # places
    False
    """
    if n >= ROWS_OF_GRADES:
        return False
    grades, scores = judgments[RELEVANCE], rows[SCORE]
    odd = (4 * grades != (4 * grades).floor()) | (grades > _HIGHEST_GRADE)
    if 2 * int(odd.sum()) < len(grades) or (grades == grades.floor()).all():
        return False
    if judgments.select(QUERY_ID, RELEVANCE).is_duplicated().any():
        return False
    if not ((scores == scores.floor()) & scores.is_between(0, _USUAL_GRADE)).all():
        return False
    counted = rows.group_by(QUERY_ID).agg(
        down=pl.col(SCORE).sort() == pl.int_range(1, pl.len() + 1)
    )
    return not bool(counted["down"].list.all().all())
