"""What is known of the queries: their text, what they weigh, and what they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.columns import QUERY_ID
from rankreport.errors import OptionError, choose, expect
from rankreport.loading import Input, read_queries_once
from rankreport.rendering.text import listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Traits", "traits_of"]

_NAMED = 3
"""How many queries an error names."""

MANY_SEGMENTS = 200
"""A column with more values than these names queries, not segments of them."""

Trait = str | Mapping[str, Any] | None


@dataclass(frozen=True, eq=False)
class Traits:
    """What is known of the queries.

    Attributes
    ----------
    queries
        A table of `query_id` and what else there is, or None.
    weights, clusters, strata
        The columns of it that hold what a query weighs, which user or session it is of, and which
        part of the population it was drawn from; or None.
    segments
        The columns by which the comparison is broken down.
    source
        Where the table was read, or None.
    """

    queries: pl.DataFrame | None = None
    weights: str | None = None
    clusters: str | None = None
    strata: str | None = None
    segments: tuple[str, ...] = ()
    source: Input | None = None

    @property
    def structure_columns(self) -> dict[str, str]:
        """What the structure of the queries is made of: its kind, and the column."""
        kinds = ("weights", "clusters", "strata")
        return {kind: column for kind in kinds if (column := getattr(self, kind)) is not None}

    def with_queries(self, given: Any) -> Traits:
        """Return the same with what is told of the queries once more, or now.

        Parameters
        ----------
        given
            What `read_queries` accepts.

        Raises
        ------
        OptionError
            If it contradicts what is known: other queries, or another value of one.
        """
        table, source = read_queries_once(given)
        if self.queries is None:
            return replace(self, queries=table, source=source)
        shared = [column for column in table.columns if column in self.queries.columns]
        both = [each.select(shared).sort(QUERY_ID) for each in (self.queries, table)]
        if not both[0].equals(both[1]):
            raise OptionError(
                f"queries: others were given to compare(); they differ in {', '.join(shared)}. "
                f"Give the same ones, or leave them out of report()."
            )
        fresh = table.drop(name for name in shared if name != QUERY_ID)
        whole = self.queries.join(fresh, on=QUERY_ID, how="left", maintain_order="left")
        return replace(self, queries=whole, source=self.source or source)

    def checked_segments(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns, if queries can be broken down by them.

        Raises
        ------
        OptionError
            If none is named, there is no such column, it has a value for nearly every query, or
            queries lie in strata.
        """
        if not columns:
            raise OptionError("segments: name a column of the queries, such as 'category'.")
        if self.strata is not None:
            raise OptionError(
                "segments cannot be told of queries that lie in strata: a segment may hold one "
                "query of a stratum, which says nothing of it. Leave out strata, or segments."
            )
        for column in columns:
            _check_column("segments", column, self.queries)
            n_values = 0 if self.queries is None else self.queries[column].n_unique()
            if n_values > MANY_SEGMENTS:
                raise OptionError(
                    f"segments: column {column!r} has {n_values} values; {MANY_SEGMENTS} at the "
                    f"most. Name a column that many queries share a value of."
                )
        return tuple(columns)

    def structure(self, query_ids: Sequence[str]) -> statistics.Structure:
        """Return how these queries hang together.

        A query without a weight weighs nothing.

        Raises
        ------
        OptionError
            If none of them is in the table, a weight is no number, negative or not finite, none is
            above 0, a query has no cluster or stratum, or a cluster lies in two strata.
        """
        self.check_known(query_ids)
        weights = None if self.weights is None else self._weights(query_ids)
        clusters, strata = (
            None if column is None else _numbered(kind, self.values(column, query_ids))
            for kind, column in (("clusters", self.clusters), ("strata", self.strata))
        )
        try:
            return statistics.Structure(weights, clusters, strata)
        except ValueError:
            self._explain(query_ids)
            raise

    def n_unknown(self, query_ids: Sequence[str]) -> int:
        """Return of how many of these queries the table that was given knows nothing."""
        if self.queries is None or self.source is None:
            return 0
        return len(set(query_ids).difference(self.queries[QUERY_ID]))

    def check_known(self, query_ids: Sequence[str]) -> None:
        """Refuse a table that is of other queries altogether.

        Raises
        ------
        OptionError
            If none of these queries is in it.
        """
        if self.queries is None or not query_ids or self.n_unknown(query_ids) < len(query_ids):
            return
        found = f"such as {self.queries[QUERY_ID][0]!r}" if len(self.queries) else "none"
        raise OptionError(
            f"queries: none of the {len(query_ids)} queries evaluated, such as {query_ids[0]!r}, "
            f"is in the table; it has {found}. Are they of the same collection?"
        )

    def values(self, column: str, query_ids: Sequence[str]) -> pl.DataFrame:
        """Return a column for these queries in this order: `query_id, value`, null if not known."""
        if self.queries is None:
            raise OptionError(f"{column!r} cannot be looked up: compare() was given no queries.")
        wanted = pl.DataFrame({QUERY_ID: query_ids}, schema={QUERY_ID: pl.String})
        known = self.queries.select(QUERY_ID, value=pl.col(column))
        if known.schema["value"].is_float():
            known = known.with_columns(pl.col("value").fill_nan(None))
        return wanted.join(known, on=QUERY_ID, how="left", maintain_order="left")

    def n_unweighted(self, query_ids: Sequence[str]) -> int:
        """Return how many of these queries have no weight, and so do not count."""
        if self.weights is None:
            return 0
        return self.values(self.weights, query_ids)["value"].null_count()

    def n_weightless(self, query_ids: Sequence[str]) -> int:
        """Return how many of them have a weight, which is 0."""
        if self.weights is None:
            return 0
        return int((self._weights(query_ids) == 0).sum()) - self.n_unweighted(query_ids)

    def _weights(self, query_ids: Sequence[str]) -> NDArray[np.float64]:
        found = self.values(str(self.weights), query_ids)
        try:
            if found.schema["value"].is_temporal():
                raise pl.exceptions.InvalidOperationError
            weights = found.with_columns(pl.col("value").cast(pl.Float64).fill_null(0.0))
        except pl.exceptions.PolarsError:
            raise OptionError(
                f"weights: column {self.weights!r} holds {found.schema['value']}, which are no "
                f"numbers. Name a column of weights, 0 or more."
            ) from None
        wrong = weights.filter(~pl.col("value").is_finite() | (pl.col("value") < 0))
        if len(wrong):
            query, weight = wrong.row(0)
            raise OptionError(f"weights: {weight!r} of query {query!r} is no weight; 0 or more.")
        if not weights["value"].sum() > 0:
            raise OptionError(
                f"weights: no query that counts has a weight above 0. The queries are such as "
                f"{next(iter(query_ids), None)!r}."
            )
        return weights["value"].to_numpy()

    def _explain(self, query_ids: Sequence[str]) -> None:
        """Say in the user's own names why queries cannot hang together like that."""
        weights = self._weights(query_ids) if self.weights is not None else np.ones(len(query_ids))
        query_ids = [query for query, weight in zip(query_ids, weights, strict=True) if weight > 0]
        strata = self.values(str(self.strata), query_ids)
        units = pl.Series(query_ids, dtype=pl.String)
        if self.clusters is not None:
            units = self.values(self.clusters, query_ids)["value"].cast(pl.String)
        found = strata.select(stratum=pl.col("value").cast(pl.String), unit=units)
        across = found.unique().filter(pl.col("unit").is_duplicated()).sort("unit", "stratum")
        if len(across):
            raise OptionError(
                f"clusters and strata: cluster {across['unit'][0]!r} lies in strata "
                f"{across['stratum'][0]!r} and {across['stratum'][1]!r}. Clusters are drawn within "
                f"a stratum, so each must lie in one."
            )
        what = "query" if self.clusters is None else "cluster"
        alone = found.unique().filter(~pl.col("stratum").is_duplicated())["stratum"].sort()
        if len(alone):
            raise OptionError(
                f"strata: stratum {alone[0]!r} has a single {what} that counts, which tells "
                f"nothing of the spread in it. Join it with another one."
            )


def traits_of(
    queries: Any,
    *,
    weights: Trait = None,
    clusters: Trait = None,
    strata: Trait = None,
    segments: str | Iterable[str] | Mapping[str, Any] | None = None,
) -> Traits:
    """Read what is known of the queries.

    Parameters
    ----------
    queries
        What `read_queries` accepts, or None.
    weights, clusters, strata
        A column of the queries, or `{query_id: value}`.
    segments
        Columns of the queries, or `{query_id: value}`.

    Raises
    ------
    OptionError
        If there is no such column.
    DataError
        If the queries cannot be read.

    Examples
    --------
    >>> traits_of(None, weights={"q1": 2.0}).queries.rows()
    [('q1', 2.0)]
    """
    table, source = (None, None) if queries is None else read_queries_once(queries)
    columns: dict[str, str | None] = {}
    for kind, given in {"weights": weights, "clusters": clusters, "strata": strata}.items():
        if isinstance(given, Mapping):
            table = _with_column(table, kind, given)
        columns[kind] = kind if isinstance(given, Mapping) else given
    if isinstance(segments, Mapping):
        table = _with_column(table, "segments", segments)
        segments = "segments"
    wanted = [segments] if isinstance(segments, str) else list(segments or ())
    named = {kind: [column] for kind, column in columns.items() if column is not None}
    for kind, several in {**named, "segments": wanted}.items():
        for column in several:
            _check_column(kind, column, table)
    found = Traits(table, **columns, segments=tuple(dict.fromkeys(wanted)), source=source)
    if found.segments:
        found.checked_segments(found.segments)
    return found


def _check_column(kind: str, column: str, table: pl.DataFrame | None) -> None:
    expect(column, (str,), f"{kind} takes the name of a column or {{query_id: value}}")
    if table is None:
        raise OptionError(f"{kind}={column!r} names a column of queries, and none were given.")
    choose(kind, column, [name for name in table.columns if name != QUERY_ID])
    if table.schema[column].is_nested():
        raise OptionError(
            f"{kind}: column {column!r} holds {table.schema[column]}; expected one value per query."
        )


def _with_column(table: pl.DataFrame | None, kind: str, given: Mapping[str, Any]) -> pl.DataFrame:
    """Put a mapping beside the other columns, under the name of what it is."""
    if not given:
        raise OptionError(f"{kind} is empty: give {{query_id: value}}, or leave it out.")
    values = [value for value in given.values() if value is not None]
    is_number = [isinstance(value, Real) and not isinstance(value, bool) for value in values]
    # Among Python's numbers 1 and 0.5 are one kind.
    of_floats = all(is_number) and not all(isinstance(value, Integral) for value in values)
    kinds = {kind: pl.Float64} if of_floats else {}
    try:
        column = pl.DataFrame(
            {QUERY_ID: list(map(str, given)), kind: list(given.values())}, schema_overrides=kinds
        )
    except (pl.exceptions.PolarsError, TypeError):
        found = listed(sorted({type(value).__name__ for value in values}))
        raise OptionError(f"{kind}: expected values of one kind, found {found}.") from None
    except UnicodeEncodeError as error:
        raise OptionError(f"{kind}: {error.object!r} is not valid Unicode.") from None
    if table is None:
        return column
    if kind in table.columns:
        raise OptionError(
            f"{kind} is given as a mapping, and the queries have a column {kind!r} too. Name the "
            f"column, or drop it."
        )
    return table.join(column, on=QUERY_ID, how="full", coalesce=True, maintain_order="left_right")


def _numbered(kind: str, found: pl.DataFrame) -> NDArray[np.intp]:
    """Return each value's number, in the values' own order: that of the rows changes nothing."""
    missing = found.filter(pl.col("value").is_null())[QUERY_ID]
    if len(missing):
        named = ", ".join(map(repr, missing.head(_NAMED)))
        raise OptionError(
            f"{kind}: {len(missing)} of {len(found)} queries have none, such as {named}. Give each "
            f"query one."
        )
    return found["value"].cast(pl.String).rank("dense").to_numpy().astype(np.intp) - 1
