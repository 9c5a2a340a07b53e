"""Which queries count in the means of each system, and errors where none does."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation.mismatched_ids import fitting, query_spelling
from rankreport.frames import N_RETRIEVED, QUERY_ID, SYSTEM
from rankreport.io import Source
from rankreport.text import ENGLISH, using_language


def with_counted(
    lists: pl.DataFrame, *, queries: str, no_relevant: str, failed: list[tuple[str, str]]
) -> pl.DataFrame:
    """Add to each list whether it is counted."""
    counts = lists.lazy()
    counted = pl.lit(value=True)
    if queries == "intersection":
        counted &= (pl.col(N_RETRIEVED) > 0).all().over(QUERY_ID)
    if queries == "answered":
        counted &= pl.col(N_RETRIEVED) > 0
    if no_relevant == "skip":
        counted &= pl.col("n_relevant") > 0
    if failed:  # missing is not the same as answered with nothing
        schema = {SYSTEM: pl.String, QUERY_ID: pl.String}
        lost = pl.LazyFrame(failed, schema=schema, orient="row").unique()
        lost = lost.with_columns(pl.lit(value=True).alias("failed"))
        counts = counts.join(lost, on=[SYSTEM, QUERY_ID], how="left", maintain_order="left")
        counted &= pl.col("failed").is_null()
        return counts.with_columns(counted.alias("counted")).drop("failed").collect()
    return counts.with_columns(counted.alias("counted")).collect()


def check_systems_are_no_queries(only: Mapping[str, list[str]]) -> None:
    """Refuse runs of one query each, which are named after it."""
    if all(queries == [system] for system, queries in only.items()):
        named = next(iter(only))
        raise DataError(
            f"Each run holds one query, whose name it has, such as {named!r}: are they the queries "
            f"of one system? Expected {{system: run}}. Join them: pl.concat(runs.values()) of "
            f"Polars, pd.concat(runs.values()) of pandas."
        )


def no_query_left(lists: pl.DataFrame, queries: str, no_relevant: str) -> DataError:
    """Return the error for settings that leave no query."""
    text = f"No query is left under queries={queries!r}, no_relevant={no_relevant!r}"
    if no_relevant != "skip":
        return DataError(f"{text}.")
    n_judged = lists[QUERY_ID].n_unique()
    n_barren = lists.filter(pl.col("n_relevant") == 0)[QUERY_ID].n_unique()
    return DataError(
        f"{text}: {n_barren:,} of {n_judged:,} judged queries have no document of positive grade. "
        f"Check the grades, or count these queries, as 0: no_relevant='zero'."
    )


def no_query_shared(
    system: str, run: Source, returned: pl.Series, qrels: Source, judged: pl.Series
) -> tuple[str, str, str]:
    """Say that a run has no judged query, and what to do, in words and in code.

    Parameters
    ----------
    system
        The name of the run.
    run, qrels
        The sources.
    returned, judged
        Their queries.
    """
    run_query, judged_query = (ids.cast(pl.String).sort()[0] for ids in (returned, judged))
    with using_language(ENGLISH):  # as all errors
        found = query_spelling(judged, returned)
        fits, line = ("", "") if found is None else (fitting(found), found.code_for([system]))
    text = (
        f"{run.name} has no query in common with {qrels.name}: one has queries such as "
        f"{run_query!r}, the other such as {judged_query!r}."
    )
    return text, fits or "Are they of the same collection?", line
