"""qrels_from_ranking() and `RankingLabels`: another system's ranking, taken as judgments."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import polars as pl

from rankreport.call_hints import hinting
from rankreport.errors import OptionError, brief
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE
from rankreport.io import RUN, FromFiles, check_process, keeping_files, open_source, stem
from rankreport.labels.cautions import REFERENCE_RANKING, LabelRemark
from rankreport.labels.lists import check_count, ranked_lists
from rankreport.labels.source import Labels, LabelSource
from rankreport.tables import Table, to_table
from rankreport.text import say

_MOST_SHOWN = 10


@dataclass(frozen=True, eq=False, repr=False)
class RankingLabels(Labels, FromFiles):
    """The first documents of a ranking as judgments, accepted wherever judgments are.

    See `rankreport.qrels_from_ranking`.

    Attributes
    ----------
    name
        The name of the ranking; empty if it was not read from a file.
    depth
        How many documents of each query are taken.
    files
        The files that it was read from, which no output of it replaces.

    Examples
    --------
    >>> import rankreport as rr
    >>> labels = rr.qrels_from_ranking({"q1": ["d1", "d2"]}, depth=1)
    >>> labels.qrels.rows()
    [('q1', 'd1', 1.0)]
    """

    name: str
    depth: int
    _qrels: pl.DataFrame = field(repr=False)

    @property
    def qrels(self) -> pl.DataFrame:
        """The judgments: ``query_id, doc_id`` (String), ``relevance`` (Float64)."""
        return self._qrels

    @property
    def source(self) -> LabelSource:
        """Where the judgments come from, in numbers."""
        n_queries = self._qrels[QUERY_ID].n_unique()
        remark = LabelRemark(
            REFERENCE_RANKING.code, "look", {"depth": self.depth, "name": self.name}
        )
        return LabelSource(
            "ranking",
            self.name,
            len(self._qrels),
            n_queries,
            depth=self.depth,
            remarks=(remark,),
        )

    def _shown(self) -> Table:
        """Return the first judgments as a table for display."""
        return to_table(
            self._qrels.head(_MOST_SHOWN),
            headers=(say("query"), say("document"), say("grade")),
        )


@hinting()
@keeping_files
def qrels_from_ranking(
    run: Any,
    depth: int = 10,
    *,
    grades: Iterable[float] | Mapping[int, float] | None = None,
    ties: str = "trec",
) -> RankingLabels:
    """Take the first documents of a ranking as relevant, and make judgments of them.

    The ranking of a competitor, of last week's index or of an expensive model becomes the reference
    that other systems are measured by. A measure then tells how well a system reproduces the
    reference, which need not be good: a system that is better than the reference scores low where
    they differ. All other documents are unjudged.

    Parameters
    ----------
    run
        The ranking: anything that `read_run` accepts.
    depth
        How many documents of each query are taken, at least 1.
    grades
        Their grades. By default each has grade 1. A sequence holds the grade of each rank, the best
        first, and is as long as `depth`. A mapping holds the grade down to each rank, up to
        `depth`: ``{3: 2, 10: 1}`` gives the first three documents grade 2, the next seven grade 1.
    ties
        How equal scores are ordered: by a rule of `evaluate` that gives one order.

    Returns
    -------
    RankingLabels
        Accepted wherever judgments are; ``qrels`` has them as a frame, ``query_id, doc_id``
        (String), ``relevance`` (Float64), sorted by query and rank.

    Raises
    ------
    DataError
        If the ranking cannot be read.
    OptionError
        If an option is invalid, or the grades do not fit the depth.

    Examples
    --------
    >>> import rankreport as rr
    >>> reference = {"q1": ["d1", "d2", "d3", "d4"]}
    >>> labels = rr.qrels_from_ranking(reference, depth=3, grades={1: 2, 3: 1})
    >>> labels.qrels.rows()
    [('q1', 'd1', 2.0), ('q1', 'd2', 1.0), ('q1', 'd3', 1.0)]
    >>> rr.evaluate(labels, {"new": {"q1": ["d2", "d1", "d9"]}}, ["P@2"]).summary().rows()
    [('new', 1.0)]
    """
    check_process()
    check_count("depth", depth)
    by_rank = pl.DataFrame(
        {RANK: range(1, depth + 1), RELEVANCE: _grades(grades, depth)},
        schema={RANK: pl.Int64, RELEVANCE: pl.Float64},
    )
    lists = ranked_lists(open_source(run, RUN, "the ranking"), ties)
    qrels = lists.join(by_rank, on=RANK, how="inner", maintain_order="left").select(
        pl.col(QUERY_ID).cast(pl.String), DOC_ID, RELEVANCE
    )
    is_file = isinstance(run, str | os.PathLike) and run != "-"
    return RankingLabels(stem(run) if is_file else "", depth, qrels)


def _grades(grades: Any, depth: int) -> list[float]:
    """Return the grade of each rank."""
    if grades is None:
        return [1.0] * depth
    values = grades.values() if isinstance(grades, Mapping) else grades
    held = [*grades, *values] if isinstance(grades, Iterable) else [grades]
    if isinstance(grades, str) or not all(isinstance(each, Real) for each in held):
        raise OptionError(f"grades={brief(grades)}: give numbers, such as grades=[3, 2, 1].")
    if isinstance(grades, Mapping):
        ends = sorted(grades)
        if not ends or ends[0] < 1 or ends[-1] != depth:
            raise OptionError(
                f"grades={brief(dict(grades))} must end at depth={depth}: its keys are the last "
                f"ranks of each grade, from 1."
            )
        found = [float(grades[next(e for e in ends if e >= rank)]) for rank in range(1, depth + 1)]
    else:
        found = [float(grade) for grade in grades]
        if len(found) != depth:
            raise OptionError(
                f"grades holds {len(found)} numbers; expected one for each of the first {depth} "
                f"ranks (depth={depth})."
            )
    if not all(map(math.isfinite, found)):
        raise OptionError(f"grades={brief(grades)} holds what is not a finite number.")
    return found
