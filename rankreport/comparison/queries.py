"""The queries of a comparison: differences, wins, losses and documents side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import polars as pl

from rankreport.caching import cached
from rankreport.comparison.columns import HEADINGS, PAIRED
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.pairs import Pair
from rankreport.comparison.values import (
    ComparisonValues,
    MeasureLike,
    measure_named,
    pairs_matching,
)
from rankreport.evaluation import set_side_by_side, unjudged_at_top
from rankreport.frames import N_UNJUDGED, QUERY_ID, SYSTEM, TEXT, with_texts
from rankreport.measures import shown_name
from rankreport.tables import ResultTable, Words
from rankreport.text import visible

_UNJUDGED = ("unjudged_baseline", "unjudged_system")
"""Columns of `Comparison.wins` that are null where nearly all documents are judged."""


def deltas(
    self: ComparisonValues,
    measure: MeasureLike = None,
    system: str | None = None,
    baseline: str | None = None,
) -> pl.DataFrame:
    """Return the differences by query, the biggest win first.

    Parameters
    ----------
    measure
        A measure of the evaluation; the primary one by default.
    system, baseline
        Select pairs; all by default.

    Returns
    -------
    DataFrame
        ``baseline, system, query_id`` (String), ``score_baseline, score_system, delta``
        (Float64).

    Raises
    ------
    OptionError
        If the measure was not evaluated, or no pair matches.
    """
    name = measure_named(self, measure)
    return pl.concat(
        scores_of_pair(self, pair, name) for pair in pairs_matching(self, system, baseline)
    )


def wins(
    self: ComparisonValues,
    measure: MeasureLike = None,
    system: str | None = None,
    baseline: str | None = None,
) -> ResultTable:
    """Return the queries on which systems beat their baseline, the biggest win first.

    Parameters are those of `deltas`.

    Returns
    -------
    ResultTable
        The columns of `deltas`, with ``text`` (String) next to the ids if `compare` was given
        queries with texts, and ``unjudged_baseline, unjudged_system`` (Int64): unjudged
        documents within the cut-off of the primary measure (the first 10 if it has none), which
        count as not relevant; null where nearly all documents there are judged, and of a system
        that has several runs.
    """
    return _of_queries(
        self, measure_named(self, measure), pairs_matching(self, system, baseline), 1
    )


def losses(
    self: ComparisonValues,
    measure: MeasureLike = None,
    system: str | None = None,
    baseline: str | None = None,
) -> ResultTable:
    """Return the queries on which systems lose to their baseline, the biggest loss first.

    Parameters and columns are those of `wins`.
    """
    return _of_queries(
        self, measure_named(self, measure), pairs_matching(self, system, baseline), -1
    )


def _of_queries(
    comparison: ComparisonValues, measure: str, pairs: Sequence[Pair], side: int
) -> ResultTable:
    """Return the queries won (side 1) or lost (-1), to read."""
    frame = queries_on_one_side(comparison, measure, pairs, side)
    same = (*PAIRED, *(name for name in _UNJUDGED if frame[name].null_count() == len(frame)))
    names = {f"score_{side}": system for side, system in pairs[0]._asdict().items()}
    return to_read(
        comparison, frame, pairs, measure, left_out=same, names=names if len(pairs) == 1 else None
    )


def side_by_side(
    self: ComparisonValues,
    queries: Iterable[str],
    k: int = 10,
    system: str | None = None,
    baseline: str | None = None,
) -> ResultTable:
    """Return the top documents of a system and its baseline side by side, by rank.

    Parameters
    ----------
    queries, k
        Queries and number of documents, as for `rankreport.Evaluation.documents`.
    system, baseline
        Select the pair; that of the `verdict` by default.

    Returns
    -------
    ResultTable
        ``query_id``, ``text`` if known (String) and ``rank`` (UInt32); then, for the baseline's
        and the system's document at this rank, ``doc_baseline, doc_system`` (String),
        ``relevance_baseline, relevance_system`` (Float64), null if unjudged, and
        ``move_baseline, move_system`` (String), its rank in the other list: ``out`` or ``new``
        if not in the top ``k``, such as ``down to 5`` or ``up from 3`` otherwise, and empty if
        the same. Null after the end of a list.

    Raises
    ------
    OptionError
        As for `rankreport.Evaluation.documents`, or if no pair matches.

    Examples
    --------
    >>> import rankreport as rr
    >>> old, new = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"b": 2.0, "c": 1.0}}
    >>> comparison = rr.compare(rr.evaluate({"q1": {"b": 1}}, {"old": old, "new": new}))
    >>> shown = comparison.side_by_side(["q1"])
    >>> shown.select("rank", "doc_baseline", "move_baseline", "doc_system", "move_system")
    new minus old, q1
    rank  old  move     new  move
    ----  ---  -------  ---  ---------
       1  a    out      b    up from 2
       2  b    up to 1  c    new
    """
    pair = leading_pair_of(self, system, baseline)
    documents = self.evaluation.documents(queries, k, systems=pair)
    names = {f"doc_{side}": name for side, name in pair._asdict().items()}
    lists = set_side_by_side(documents, **pair._asdict())
    shown = with_texts(lists.select(QUERY_ID).unique(), self.query_metadata.queries)
    if len(shown) != 1:
        return to_read(self, lists, [pair], names=names)
    query = visible(": ".join(filter(None, shown.row(0))), _LONGEST)
    return to_read(self, lists, [pair], about=query, left_out=(QUERY_ID, TEXT), names=names)


_LONGEST = 200
"""The most characters of a query in a caption."""


def scores_of_pair(comparison: ComparisonValues, pair: Pair, measure: str) -> pl.DataFrame:
    """Return one pair's scores by query, the biggest win first, without queries of weight 0.

    Those of the last pair are cached: charts, wins and losses are of the same queries.
    """
    last = _last_queries(comparison)
    if (pair, measure) not in last:
        found = _sorted_queries(comparison, pair, measure)
        last.clear()
        last[pair, measure] = found
    return last[pair, measure].clone()


@cached
def _last_queries(_: ComparisonValues) -> dict[tuple[Pair, str], pl.DataFrame]:
    return {}


def _sorted_queries(comparison: ComparisonValues, pair: Pair, measure: str) -> pl.DataFrame:
    """Return the frame of `scores_of_pair`."""
    contrasts = contrasts_of(comparison)
    scores, place = contrasts.scores, contrasts.measures.index(measure)
    frame = pl.DataFrame(
        {
            QUERY_ID: comparison.evaluation.query_ids,
            "score_baseline": scores[pair.baseline][:, place],
            "score_system": scores[pair.system][:, place],
            "delta": contrasts.deltas[pair][:, place],
        },
        nan_to_null=True,
    ).filter(pl.Series(contrasts.weighed))
    names = [pl.lit(name).alias(side) for side, name in pair._asdict().items()]
    by_delta = frame.sort("delta", QUERY_ID, descending=[True, False], nulls_last=True)
    return by_delta.select(*names, pl.all())


def queries_on_one_side(
    comparison: ComparisonValues, measure: str, pairs: Sequence[Pair], side: int
) -> pl.DataFrame:
    """Return the queries won (side 1) or lost (-1), the biggest first."""
    contrasts = contrasts_of(comparison)
    goal = contrasts.goals[contrasts.measures.index(measure)]
    won = pl.col("delta") * goal * side
    return pl.concat(
        with_unjudged(
            comparison,
            scores_of_pair(comparison, pair, measure)
            .filter((won > 0) & won.is_not_nan())
            .sort(-won, QUERY_ID),
            pair,
        )
        for pair in pairs
    )


@cached
def biggest_changes(comparison: ComparisonValues, pair: Pair, side: int, n: int) -> pl.DataFrame:
    """Return the `n` queries of a pair won or lost by most on the primary measure.

    They are cached: a report asks for them in several places, and sorting takes long.
    """
    every = queries_on_one_side(comparison, str(comparison.primary), [pair], side)
    # A slice would keep all of them in memory.
    return every[list(range(min(n, len(every))))]


def with_unjudged(comparison: ComparisonValues, queries: pl.DataFrame, pair: Pair) -> pl.DataFrame:
    """Add the numbers of unjudged documents at the top of both lists, null if not examined."""
    unjudged = unjudged_at_top(comparison.evaluation)
    lists = pl.DataFrame(schema={SYSTEM: pl.String, QUERY_ID: pl.String, N_UNJUDGED: pl.Int64})
    if unjudged is not None:  # of systems with several runs, they are of the first one
        lists = unjudged.lists.filter(~pl.col(SYSTEM).is_in([*comparison.evaluation.n_repeats]))
    for side, system in pair._asdict().items():
        counts = lists.filter(pl.col(SYSTEM) == system)
        counts = counts.select(QUERY_ID, pl.col(N_UNJUDGED).alias(f"unjudged_{side}"))
        queries = queries.join(counts, on=QUERY_ID, how="left", maintain_order="left")
    return queries


def to_read(
    comparison: ComparisonValues,
    frame: pl.DataFrame,
    pairs: Sequence[Pair],
    measure: str = "",
    *,
    about: str = "",
    left_out: Iterable[str] = (),
    names: Mapping[str, Words] | None = None,
    signed: tuple[str, ...] = ("delta",),
) -> ResultTable:
    """Return a frame to read: with texts, headings, and one pair in the caption alone."""
    alone = len(pairs) == 1
    shown = frozenset() if alone else frozenset(PAIRED)
    words: list[Words] = [partial(str, pairs[0])] if alone else []
    words += [about] if about else []
    return ResultTable(
        with_texts(frame, comparison.query_metadata.queries)
        if QUERY_ID in frame.columns
        else frame,
        (*words, *([shown_name(comparison.evaluation.measures, measure)] if measure else [])),
        HEADINGS,
        names or {},
        signed,
        frozenset(left_out) - shown,
    )
