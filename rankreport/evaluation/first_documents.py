"""The first documents of the systems' lists, for display only.

A scores file may store them for some queries, with the length of each list, so that a request for
more documents than stored raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from rankreport.errors import OptionError, brief, choose, expect
from rankreport.evaluation.judging import Judged
from rankreport.evaluation.ranking import Lists, judged_pairs, order_ties
from rankreport.evaluation.slices import RunReader
from rankreport.frames import (
    DOC_ID,
    LIST,
    N_RETRIEVED,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SYSTEM,
    whole_groups,
)
from rankreport.measures import TieRule

SHOWN = {
    SYSTEM: pl.String(),
    QUERY_ID: pl.String(),
    DOC_ID: pl.String(),
    RANK: pl.UInt32(),
    SCORE: pl.Float64(),
    RELEVANCE: pl.Float64(),
}
"""The columns of `rankreport.Evaluation.documents`."""

LISTS = {SYSTEM: pl.String(), QUERY_ID: pl.String(), N_RETRIEVED: pl.Int64()}
"""The columns of list lengths: the number of documents returned for a query."""

_KEYS = (SYSTEM, QUERY_ID)
_PLACE = "place"


class ListRequest(NamedTuple):
    """A request for lists: queries, systems and the number of documents of each."""

    queries: tuple[str, ...]
    systems: tuple[str, ...]
    k: int

    @property
    def lists(self) -> pl.DataFrame:
        """The lists in order: ``query_id, system``."""
        queries = pl.DataFrame({QUERY_ID: self.queries}, schema={QUERY_ID: pl.String})
        systems = pl.DataFrame({SYSTEM: self.systems}, schema={SYSTEM: pl.String})
        return queries.join(systems, how="cross")

    def contains(self, other: ListRequest) -> bool:
        """Return whether the documents of another request are among those of this one."""
        queries, systems = {*other.queries} <= {*self.queries}, {*other.systems} <= {*self.systems}
        return queries and systems and other.k <= self.k


def list_request(
    queries: Iterable[str],
    systems: Iterable[str] | None,
    k: int,
    *,
    counted: pl.Series,
    known: Sequence[str],
) -> ListRequest:
    """Check a request for lists, and return it without duplicates.

    Parameters
    ----------
    queries, systems, k
        As given by the user; None means all systems.
    counted
        The evaluated queries.
    known
        All systems.

    Raises
    ------
    OptionError
        If there is no such query or system, or ``k`` is invalid.
    """
    named = _each(known if systems is None else systems)
    chosen = tuple(choose("systems", name, known) for name in named)
    wanted = _each(queries)
    texts = pl.Series([query for query in wanted if isinstance(query, str)], dtype=pl.String)
    evaluated = set(counted.filter(counted.is_in(texts.implode())))
    unknown = next((each for each in wanted if each not in evaluated), None)
    if unknown is not None:
        raise OptionError(
            f"queries: {brief(unknown)} is not an evaluated query, such as {counted[0]!r}."
        )
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise OptionError(f"k={brief(k)} is not a number of documents; expected 1 or more.")
    return ListRequest(wanted, chosen, k)


def first_documents(
    grades: pl.DataFrame, reader_of: Callable[[str], RunReader], wanted: ListRequest
) -> pl.DataFrame:
    """Return the first documents of lists, reading only the rows of these queries from the runs.

    Parameters
    ----------
    grades
        ``query_id, doc_id, relevance`` of the judged documents, at least of these queries.
    reader_of
        Returns the reader of a system's run. If measures are means over all orders of equal
        scores, one order is shown.
    wanted
        The requested lists.

    Returns
    -------
    DataFrame
        The columns of `SHOWN`; ``relevance`` is null for unjudged documents.
    """
    of_these = pl.col(QUERY_ID).cast(pl.String).is_in(wanted.queries)
    lists = []
    for system in wanted.systems:
        ranked = ranked_lists(reader_of(system), of_these, grades, wanted.k)
        lists += [each.filter(pl.col(RANK) <= wanted.k) for each in ranked]
    return requested(wanted, pl.concat([pl.DataFrame(schema=SHOWN), *lists]))


def unjudged_documents(
    judged: Judged, readers: Sequence[RunReader], k: int
) -> Iterator[pl.DataFrame]:
    """Find the unjudged documents among the first of all lists.

    Parameters
    ----------
    judged
        The judgments and runs, joined.
    readers
        Those of all runs, by a rule for ties that does not order by grade.
    k
        The number of documents of each list.

    Yields
    ------
    DataFrame
        ``system, query_id, doc_id`` (String) and ``rank`` (UInt32), sorted by query, system and
        rank, of some queries at a time.
    """
    counted = judged.queries.filter("counted")
    queries = counted.select(pl.col(QUERY_ID).unique(maintain_order=True)).with_row_index(_QUERY)
    known = judged.frame.select(QUERY_ID, DOC_ID)
    if len(counted) == len(judged.queries):  # all systems have the same
        known = known.head(len(known) // len(readers))
    else:
        known = known.unique()
    known = known.cast({QUERY_ID: pl.Categorical})
    names = pl.Series([reader.system for reader in readers], dtype=pl.String)
    for number in range(max(reader.source.n_slices for reader in readers)):
        found = []
        for place, reader in enumerate(readers):
            part = reader._replace(source=reader.source.of_slice(number, *reader.columns))
            unknown = _unknown_within(part, k, queries, known)
            found.append(unknown.with_columns(pl.lit(place, pl.UInt32).alias(_PLACE)))
        rows = pl.concat(found)
        del found
        of_list = pl.col(_QUERY).cast(pl.Int64) * len(readers) + pl.col(_PLACE)
        key = rows.select(of_list * (k + 1) + pl.col(RANK)).to_series().to_numpy()
        rows = rows[np.argsort(key, kind="stable")]
        del key
        for some in whole_groups(rows, _QUERY, _AT_ONCE):
            yield some.select(
                names.gather(some[_PLACE]).alias(SYSTEM),
                queries[QUERY_ID].gather(some[_QUERY]),
                DOC_ID,
                RANK,
            )


def _unknown_within(
    reader: RunReader, k: int, queries: pl.DataFrame, known: pl.DataFrame
) -> pl.DataFrame:
    """Return the unjudged documents among the first of a system's lists, by the query's number."""
    [run] = reader.slices()
    lists = Lists.of(run, reader.ties)
    own = lists.queries.cast(pl.String).to_frame()
    numbers = own.join(queries, on=QUERY_ID, how="left", maintain_order="left")[_QUERY]
    rows = lists.rows_within(k)
    ranked = lists.ranked(rows)
    number = numbers.gather(ranked[LIST]).alias(_QUERY)
    shown = (
        run.select(QUERY_ID, DOC_ID)[rows]
        .with_columns(ranked[RANK], number)
        .filter(pl.col(RANK) <= k, pl.col(_QUERY).is_not_null())
    )
    unknown = np.ones(len(shown), bool)
    unknown[judged_pairs(shown, known)[0]] = False
    return shown.filter(pl.Series(unknown)).drop(QUERY_ID)


_AT_ONCE = 2**19
"""How many unjudged documents are numbered at once."""


_QUERY = "number of the query"


def ranked_lists(
    reader: RunReader, of_these: pl.Expr, grades: pl.DataFrame, k: int | None = None
) -> Iterator[pl.DataFrame]:
    """Rank the documents of a system's lists.

    Parameters
    ----------
    reader
        How its run is read.
    of_these
        The queries.
    grades
        ``query_id, doc_id, relevance``, at least of these queries.
    k
        How many documents of each list are needed at least; by default all.

    Yields
    ------
    DataFrame
        The columns of `SHOWN`, sorted by query and rank, for each slice of the run.
    """
    for run in reader.slices(of_these):
        lists = Lists.of(run, reader.ties)
        rows = np.arange(len(run)) if k is None else lists.rows_within(k)
        ranked = (
            run[rows]
            .lazy()
            .select(pl.lit(reader.system).alias(SYSTEM), pl.col(QUERY_ID).cast(pl.String), DOC_ID)
            .with_columns(lists.ranked(rows).drop(LIST))
            .join(grades.lazy(), on=[QUERY_ID, DOC_ID], how="left")
            .sort(QUERY_ID, RANK)
            .collect()
        )
        yield _with_unjudged(ranked, reader.ties).select(*SHOWN)


def set_side_by_side(documents: pl.DataFrame, baseline: str, system: str) -> pl.DataFrame:
    """Return two systems' lists side by side, with each document's rank in the other list.

    Parameters
    ----------
    documents
        The result of `first_documents` for both systems.
    baseline, system
        Names of the systems.

    Returns
    -------
    DataFrame
        The frame of `rankreport.Comparison.side_by_side`.
    """
    before, after = (documents.filter(pl.col(SYSTEM) == name) for name in (baseline, system))
    order = documents.select(QUERY_ID).unique(maintain_order=True).with_row_index(_PLACE)
    return (
        _moved(before, after, "baseline", lower="down to ", higher="up to ", nowhere="out")
        .join(
            _moved(after, before, "system", lower="up from ", higher="down from ", nowhere="new"),
            on=[QUERY_ID, RANK],
            how="full",
            coalesce=True,
        )
        .join(order, on=QUERY_ID)
        .sort(_PLACE, RANK)
        .drop(_PLACE)
    )


def _moved(
    rows: pl.DataFrame, others: pl.DataFrame, side: str, *, lower: str, higher: str, nowhere: str
) -> pl.DataFrame:
    """Return the documents of one list, each with a text on its rank in the other list."""
    elsewhere = others.select(QUERY_ID, DOC_ID, pl.col(RANK).alias(_PLACE))
    move = (
        pl.when(pl.col(_PLACE).is_null())
        .then(pl.lit(nowhere))
        .when(pl.col(_PLACE) > pl.col(RANK))
        .then(pl.format("{}{}", pl.lit(lower), _PLACE))
        .when(pl.col(_PLACE) < pl.col(RANK))
        .then(pl.format("{}{}", pl.lit(higher), _PLACE))
        .otherwise(pl.lit(""))
    )
    return rows.join(elsewhere, on=[QUERY_ID, DOC_ID], how="left").select(
        QUERY_ID,
        RANK,
        pl.col(DOC_ID).alias(f"doc_{side}"),
        pl.col(RELEVANCE).alias(f"relevance_{side}"),
        move.alias(f"move_{side}"),
    )


def storable(documents: pl.DataFrame, lengths: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return documents, and the lengths of their lists, as they are stored.

    Parameters
    ----------
    documents
        The result of `first_documents`.
    lengths
        The columns of `LISTS`, for at least these lists.

    Raises
    ------
    OptionError
        If ``documents`` is not such a frame.
    """
    expect(documents, (pl.DataFrame,), "documents: expected what Evaluation.documents returns")
    if not set(SHOWN) <= set(documents.columns):
        raise OptionError(f"documents: expected the columns {', '.join(SHOWN)}.")
    of_these = [pl.col(key).is_in(documents[key].unique().implode()) for key in _KEYS]
    return {
        "documents": documents.select(*SHOWN),
        "lengths": lengths.filter(of_these),
    }


def restored(
    name: str,
    documents: pl.DataFrame,
    lengths: pl.DataFrame,
    unanswered: pl.DataFrame,
    wanted: ListRequest,
) -> pl.DataFrame:
    """Restore the result of `first_documents` from that of `storable`.

    Parameters
    ----------
    name
        The name of the file in messages.
    documents, lengths
        What is stored.
    unanswered
        ``system, query_id`` of the lists that are known to be empty.
    wanted
        The requested lists.

    Raises
    ------
    OptionError
        If some of the documents were not stored.
    """
    found = requested(wanted, documents)
    empty = unanswered.select(*_KEYS, pl.lit(0, pl.Int64).alias(N_RETRIEVED))
    lacking = (
        wanted.lists.join(
            pl.concat([lengths, empty]).unique(), on=_KEYS, how="left", maintain_order="left"
        )
        .join(found.group_by(_KEYS).len("n_found"), on=_KEYS, how="left", maintain_order="left")
        .with_columns(pl.col("n_found").fill_null(0))
        .filter(
            pl.col(N_RETRIEVED).is_null()
            | (pl.col("n_found") < pl.min_horizontal(N_RETRIEVED, pl.lit(wanted.k)))
        )
    )
    if not lacking.is_empty():
        first = lacking.row(0, named=True)
        raise OptionError(
            f"{name} contains {first['n_found'] or 'none'} of the first {wanted.k} documents of "
            f"{first[SYSTEM]} for query {first[QUERY_ID]!r}. Evaluate the runs again, or write it "
            f"with them: evaluation.write_parquet(path, documents=evaluation.documents(queries))."
        )
    return found


def requested(wanted: ListRequest, documents: pl.DataFrame) -> pl.DataFrame:
    """Return the requested documents, sorted by query, system and rank."""
    first = documents.filter(pl.col(RANK) <= wanted.k).sort(RANK)
    return wanted.lists.join(first, on=_KEYS, maintain_order="left_right").select(*SHOWN)


def _with_unjudged(ranked: pl.DataFrame, ties: TieRule) -> pl.DataFrame:
    """Order equal scores by grade if the tie rule does so, unjudged documents lowest."""
    lowest = ranked.with_columns(pl.col(RELEVANCE).fill_null(float("-inf")))
    judged = pl.col(RELEVANCE).is_finite()
    return order_ties(lowest, ties).with_columns(pl.when(judged).then(RELEVANCE))


def _each(names: str | Iterable[str]) -> tuple[str, ...]:
    held = [names] if isinstance(names, str) else list(names)
    odd = next((each for each in held if not isinstance(each, str)), "")
    expect(odd, (str,), "queries and systems take names")
    return tuple(dict.fromkeys(held))
