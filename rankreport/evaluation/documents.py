"""The first documents of the systems' lists, for display; no figure is computed from them.

A scores file may store them for some queries, with the length of each list, so that a request for
more documents than stored is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from rankreport.errors import OptionError, choose, expect
from rankreport.evaluation.judging import Judged, as_precise
from rankreport.evaluation.ranking import order_ties, rank_hits
from rankreport.frames import DOC_ID, N_RETRIEVED, QUERY_ID, RANK, RELEVANCE, SCORE, SYSTEM
from rankreport.io import Source
from rankreport.measures import TieRule

__all__ = [
    "LISTS",
    "SHOWN",
    "ListRequest",
    "first_documents",
    "list_request",
    "restored",
    "set_side_by_side",
    "storable",
]

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
"""How many documents a system returned for a query."""

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


def list_request(
    queries: Iterable[str],
    systems: Iterable[str] | None,
    k: int,
    *,
    counted: pl.Series,
    known: Sequence[str],
) -> ListRequest:
    """Check a request for lists, and return it with each name once.

    Parameters
    ----------
    queries, systems, k
        As given; all systems if None are.
    counted
        The queries that count.
    known
        The systems there are.

    Raises
    ------
    OptionError
        If there is no such query or system, or ``k`` is no number of documents.
    """
    named = _each(known if systems is None else systems)
    chosen = tuple(choose("systems", name, known) for name in named)
    wanted, there_are = _each(queries), set(counted)
    strange = next((query for query in wanted if query not in there_are), None)
    if strange is not None:
        raise OptionError(
            f"queries: {strange!r} is not an evaluated query, such as {counted[0]!r}."
        )
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise OptionError(f"k={k!r} is not a number of documents; expected 1 or more.")
    return ListRequest(wanted, chosen, k)


def first_documents(
    judged: Judged,
    runs: Mapping[str, Source],
    wanted: ListRequest,
    *,
    ties: TieRule,
    precision: str,
) -> pl.DataFrame:
    """Return the first documents of lists, the runs being scanned for these few queries alone.

    Parameters
    ----------
    judged
        What was made of the runs, when they were checked.
    runs
        All systems.
    wanted
        Which lists.
    ties, precision
        As for `~rankreport.evaluation.judging.judge`. Where measures are means over all orders of
        equal scores, one of them is shown.

    Returns
    -------
    DataFrame
        The columns of `SHOWN`, ``relevance`` being null where nobody judged the document.
    """
    of_these = pl.col(QUERY_ID).cast(pl.String).is_in(wanted.queries)
    grades = judged.frame.lazy().filter(of_these).select(QUERY_ID, DOC_ID, RELEVANCE).unique()
    lists = []
    for system in wanted.systems:
        source = _narrowed(runs[system], of_these)
        run = as_precise(source.read(*([RANK] if ties.by_rank else [])), precision)
        ranked = (
            rank_hits(run, run.select(QUERY_ID, DOC_ID), ties)
            .select(pl.lit(system).alias(SYSTEM), pl.all())
            .cast({QUERY_ID: pl.String})
            .join(grades, on=[QUERY_ID, DOC_ID], how="left")
            .sort(QUERY_ID, RANK)
            .collect()
        )
        lists.append(_with_unjudged(ranked, ties).select(*SHOWN))
    return _in_order(wanted, pl.concat([pl.DataFrame(schema=SHOWN), *lists]))


def set_side_by_side(documents: pl.DataFrame, baseline: str, system: str) -> pl.DataFrame:
    """Return two systems' lists place by place, with where the other list has each document.

    Parameters
    ----------
    documents
        What `first_documents` returned, of both systems.
    baseline, system
        Which they are.

    Returns
    -------
    DataFrame
        As `rankreport.Comparison.side_by_side` has it.
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
    """Return the documents of one list, each with words on where it stands in the other one."""
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


def storable(documents: pl.DataFrame, lengths: pl.DataFrame) -> dict[str, list[Any]]:
    """Return documents, and the lengths of the lists they stand in, as values for JSON.

    Parameters
    ----------
    documents
        What `first_documents` returned.
    lengths
        The columns of `LISTS`, of these lists and of others.

    Raises
    ------
    OptionError
        If they are something else.
    """
    expect(documents, (pl.DataFrame,), "documents: expected what Evaluation.documents returns")
    if not set(SHOWN) <= set(documents.columns):
        raise OptionError(f"documents: expected the columns {', '.join(SHOWN)}.")
    of_these = [pl.col(key).is_in(documents[key].unique().implode()) for key in _KEYS]
    return {
        "documents": documents.select(*SHOWN).rows(),
        "lists": lengths.filter(of_these).rows(),
    }


def restored(
    name: str, stored: Mapping[str, Any], unanswered: pl.DataFrame, wanted: ListRequest
) -> pl.DataFrame:
    """Return what `first_documents` did, from what `storable` made of it.

    Parameters
    ----------
    name
        How messages call the file.
    stored
        Read from its JSON, among other things; what is lacking was never written.
    unanswered
        ``system, query_id`` of the lists that are known to be empty.
    wanted
        Which lists.

    Raises
    ------
    OptionError
        If not all of it was written.
    """
    documents = pl.DataFrame(stored.get("documents", []), schema=SHOWN, orient="row")
    found = _in_order(wanted, documents)
    empty = unanswered.select(*_KEYS, pl.lit(0, pl.Int64).alias(N_RETRIEVED))
    lengths = pl.DataFrame(stored.get("lists", []), schema=LISTS, orient="row")
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
            f"with write_parquet(..., documents=...)."
        )
    return found


def _in_order(wanted: ListRequest, documents: pl.DataFrame) -> pl.DataFrame:
    """Return the documents asked for: query by query, system by system, by rank."""
    first = documents.filter(pl.col(RANK) <= wanted.k).sort(RANK)
    return wanted.lists.join(first, on=_KEYS, maintain_order="left_right").select(*SHOWN)


def _narrowed(source: Source, of_these: pl.Expr) -> Source:
    """Return a source with the rows of some queries alone."""
    # What a scan cannot read is null, and has to be seen, so that the next one is tried.
    unread = pl.any_horizontal(pl.col(source.layout.columns).is_null())

    def narrowed(scan: Callable[[], pl.LazyFrame]) -> Callable[[], pl.LazyFrame]:
        return lambda: scan().filter(of_these | unread)

    return replace(source, scans=tuple(map(narrowed, source.scans)))


def _with_unjudged(ranked: pl.DataFrame, ties: TieRule) -> pl.DataFrame:
    """Order equal scores where grades decide, documents that nobody judged being the lowest."""
    lowest = ranked.with_columns(pl.col(RELEVANCE).fill_null(float("-inf")))
    judged = pl.col(RELEVANCE).is_finite()
    return order_ties(lowest, ties).with_columns(pl.when(judged).then(RELEVANCE))


def _each(names: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([names] if isinstance(names, str) else names))
