"""Query metadata: text, weights, clusters, strata and segments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.errors import OptionError, brief, choose, expect
from rankreport.evaluation import weights_of_datasets
from rankreport.frames import QUERY_ID, shown_dtype
from rankreport.io import Input, by_name, read_queries_once
from rankreport.text import listed, say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankreport.evaluation import Evaluation

_QUERIES_NAMED = 3
"""The maximum number of queries named in an error."""

MANY_SEGMENTS = 200
"""The maximum number of values in a column of segments."""

ColumnLike = str | Mapping[str, Any] | None


UNKNOWN = "(not known)"
"""The segment of queries without a value."""


@dataclass(frozen=True, eq=False)
class QueryMetadata:
    """Query metadata.

    Attributes
    ----------
    queries
        Table of `query_id` and any columns, or None.
    weights, clusters, strata
        Columns of the table, or None.
    segments
        Columns that the comparison is broken down by.
    source
        Source of the table, or None.
    of_datasets
        Whether strata and weights are those of the evaluation's data sets.
    """

    queries: pl.DataFrame | None = None
    weights: str | None = None
    clusters: str | None = None
    strata: str | None = None
    segments: tuple[str, ...] = ()
    source: Input | None = None
    of_datasets: bool = False

    @property
    def structure_columns(self) -> dict[str, str]:
        """The columns of weights, clusters and strata by kind; data sets are strata alone."""
        kinds = ("clusters", "strata") if self.of_datasets else ("weights", "clusters", "strata")
        return {kind: column for kind in kinds if (column := getattr(self, kind)) is not None}

    def with_queries(self, given: Any) -> QueryMetadata:
        """Return the metadata extended by another query table.

        Parameters
        ----------
        given
            What `read_queries` accepts.

        Raises
        ------
        OptionError
            If it contradicts the metadata: other queries or values.
        """
        table, source = read_queries_once(given)
        if self.queries is None:
            return replace(self, queries=table, source=source)
        shared = [column for column in table.columns if column in self.queries.columns]
        both = [each.select(shared).sort(QUERY_ID) for each in (self.queries, table)]
        if not both[0].equals(both[1]):
            raise OptionError(
                f"queries differ from those given to compare(), in {', '.join(shared)}. Give the "
                f"same ones, or omit them from report()."
            )
        fresh = table.drop(name for name in shared if name != QUERY_ID)
        whole = self.queries.join(fresh, on=QUERY_ID, how="left", maintain_order="left")
        return replace(self, queries=whole, source=self.source or source)

    def of_evaluation(self, evaluation: Evaluation) -> QueryMetadata:
        """Return the metadata with the data sets of an evaluation, if several, as strata.

        Raises
        ------
        OptionError
            If there are other strata or weights, or segments.
        """
        if not evaluation.datasets:
            return self
        weights = weights_of_datasets(evaluation)
        if self.strata or self.weights or self.segments:
            raise OptionError(
                "strata, weights and segments cannot be combined with several data sets, which "
                "are strata of equal weight; by_dataset() breaks the comparison down."
            )
        columns = [name for name in weights.columns if name != QUERY_ID]
        table = weights
        if self.queries is not None:
            known = self.queries.drop(columns, strict=False)
            table = known.join(weights, on=QUERY_ID, how="full", coalesce=True)
        strata, weight = columns
        return replace(self, queries=table, strata=strata, weights=weight, of_datasets=True)

    def checked_segments(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns after checking that queries can be broken down by them.

        Raises
        ------
        OptionError
            If no column is named, one does not exist or has too many values, or queries have
            strata.
        """
        if not columns:
            raise OptionError("segments: name a column of the queries, such as 'category'.")
        if self.strata is not None:
            raise OptionError(
                "segments cannot be combined with strata, nor can groups of a gate: one may "
                "contain a single query of a stratum, so its variance is unknown. Omit strata or "
                "these."
            )
        for column in columns:
            _check_column("segments", column, self.queries)
            n_values = 0 if self.queries is None else self.queries[column].n_unique()
            if n_values > MANY_SEGMENTS:
                raise OptionError(
                    f"segments: column {column!r} has {n_values} values; at most "
                    f"{MANY_SEGMENTS} are allowed. Name a column whose values many queries share."
                )
        return tuple(columns)

    def structure(self, query_ids: Sequence[str]) -> statistics.Structure:
        """Return the weights, clusters and strata of these queries.

        A query without a weight has weight 0.

        Raises
        ------
        OptionError
            If no query is in the table, a weight is not a finite number of 0 or more, no weight is
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
        """Return how many of these queries are not in the query table."""
        if self.queries is None or self.source is None:
            return 0
        return len(set(query_ids).difference(self.queries[QUERY_ID]))

    def check_known(self, query_ids: Sequence[str]) -> None:
        """Check that the table contains some of these queries.

        Raises
        ------
        OptionError
            If it contains none.
        """
        if self.queries is None or not query_ids or self.n_unknown(query_ids) < len(query_ids):
            return
        found = f"such as {self.queries[QUERY_ID][0]!r}" if len(self.queries) else "none"
        raise OptionError(
            f"queries: none of the {len(query_ids)} queries evaluated, such as {query_ids[0]!r}, "
            f"is in the table; it has {found}. Are they of the same collection?"
        )

    def values(self, column: str, query_ids: Sequence[str]) -> pl.DataFrame:
        """Return a column for these queries, in order: `query_id, value`, null if unknown."""
        if self.queries is None:
            raise OptionError(f"{column!r} cannot be looked up: compare() was given no queries.")
        wanted = pl.DataFrame({QUERY_ID: query_ids}, schema={QUERY_ID: pl.String})
        known = self.queries.select(QUERY_ID, value=pl.col(column))
        if known.schema["value"].is_float():
            known = known.with_columns(pl.col("value").fill_nan(None))
        return wanted.join(known, on=QUERY_ID, how="left", maintain_order="left")

    @staticmethod
    def title(segment: str) -> str:
        """Return the display name of a segment.

        >>> QueryMetadata.title("brand"), QueryMetadata.title(UNKNOWN)
        ('brand', '(not known)')
        """
        return say("(not known)") if segment == UNKNOWN else segment

    def titles(self, column: str, query_ids: Sequence[str]) -> pl.Series:
        """Return the display names of the segments of these queries, by a column."""
        of = self.values(column, query_ids)["value"].cast(pl.String)
        return of.fill_null(self.title(UNKNOWN)).alias(column)

    def n_unweighted(self, query_ids: Sequence[str]) -> int:
        """Return how many of these queries have no weight and are left out."""
        if self.weights is None:
            return 0
        return self.values(self.weights, query_ids)["value"].null_count()

    def n_weightless(self, query_ids: Sequence[str]) -> int:
        """Return how many of these queries have the weight 0."""
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
                f"weights: column {self.weights!r} holds "
                f"{shown_dtype(found.schema['value'])}, not numbers. Name a column of "
                f"weights, 0 or more."
            ) from None
        wrong = weights.filter(~pl.col("value").is_finite() | (pl.col("value") < 0))
        if len(wrong):
            query, weight = wrong.row(0)
            raise OptionError(
                f"weights: {brief(weight)} of query {brief(query)} is invalid; expected 0 or more."
            )
        if not weights["value"].sum() > 0:
            raise OptionError(
                f"weights: no evaluated query, such as {next(iter(query_ids), None)!r}, has a "
                f"weight above 0."
            )
        return weights["value"].to_numpy()

    def _explain(self, query_ids: Sequence[str]) -> None:
        """Raise an error that names the invalid cluster or stratum."""
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
                f"strata, so each must lie in one stratum."
            )
        what = "query" if self.clusters is None else "cluster"
        alone = found.unique().filter(~pl.col("stratum").is_duplicated())["stratum"].sort()
        if len(alone):
            raise OptionError(
                f"strata: stratum {alone[0]!r} has a single {what} that counts, so its variance "
                f"cannot be estimated. Merge it with another stratum."
            )


def query_metadata_of(
    queries: Any,
    *,
    weights: ColumnLike = None,
    clusters: ColumnLike = None,
    strata: ColumnLike = None,
    segments: str | Iterable[str] | Mapping[str, Any] | None = None,
) -> QueryMetadata:
    """Read query metadata.

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
    >>> query_metadata_of(None, weights={"q1": 2.0}).queries.rows()
    [('q1', 2.0)]
    """
    table, source = (None, None) if queries is None else read_queries_once(queries)
    columns: dict[str, Any] = {}
    for kind, given in {"weights": weights, "clusters": clusters, "strata": strata}.items():
        if isinstance(given, Mapping):
            table = _with_column(table, kind, given)
        columns[kind] = kind if isinstance(given, Mapping) else given
    if isinstance(segments, Mapping):
        table = _with_column(table, "segments", segments)
        segments = "segments"
    if segments is not None:
        expect(segments, (Iterable,), "segments takes columns of the queries or {query_id: value}")
    wanted = [segments] if isinstance(segments, str) else list(() if segments is None else segments)
    named = {kind: [column] for kind, column in columns.items() if column is not None}
    for kind, several in {**named, "segments": wanted}.items():
        for column in several:
            _check_column(kind, column, table)
    found = QueryMetadata(table, **columns, segments=tuple(dict.fromkeys(wanted)), source=source)
    if found.segments:
        found.checked_segments(found.segments)
    return found


def _check_column(kind: str, column: str, table: pl.DataFrame | None) -> None:
    expect(column, (str,), f"{kind} takes the name of a column or {{query_id: value}}")
    if table is None:
        raise OptionError(
            f"{kind}={column!r} names a column of queries, but no queries were given."
        )
    choose(kind, column, [name for name in table.columns if name != QUERY_ID])
    if table.schema[column].is_nested():
        raise OptionError(
            f"{kind}: column {column!r} holds {shown_dtype(table.schema[column])}; expected one "
            f"value per query. Give {kind}={{query_id: value}}, or a column of the queries."
        )


def _with_column(table: pl.DataFrame | None, kind: str, given: Mapping[str, Any]) -> pl.DataFrame:
    """Add a mapping as a column named after its kind."""
    if not given:
        raise OptionError(f"{kind} is empty: give {{query_id: value}}, or omit it.")
    given = by_name(kind, given)
    values = [value for value in given.values() if value is not None]
    held = next((value for value in values if isinstance(value, Iterable)), "")
    expect(held, (str, bytes), f"{kind} takes one value per query, {{query_id: value}}")
    is_number = [isinstance(value, Real) and not isinstance(value, bool) for value in values]
    # Integers and floats can be mixed.
    of_floats = all(is_number) and not all(isinstance(value, Integral) for value in values)
    kinds = {kind: pl.Float64} if of_floats else {}
    try:
        column = pl.DataFrame(
            {QUERY_ID: list(given), kind: list(given.values())}, schema_overrides=kinds
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
            f"{kind} is given as a mapping, but the queries have a column {kind!r} too. Name the "
            f"column, or drop it."
        )
    return table.join(column, on=QUERY_ID, how="full", coalesce=True, maintain_order="left_right")


def _numbered(kind: str, found: pl.DataFrame) -> NDArray[np.intp]:
    """Return the number of each value in sorted order, which does not depend on the rows' order."""
    missing = found.filter(pl.col("value").is_null())[QUERY_ID]
    if len(missing):
        named = ", ".join(map(repr, missing.head(_QUERIES_NAMED)))
        raise OptionError(
            f"{kind}: {len(missing)} of {len(found)} queries have no value, such as {named}. Give "
            f"each query one."
        )
    return found["value"].cast(pl.String).rank("dense").to_numpy().astype(np.intp) - 1
