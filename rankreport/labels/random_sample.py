"""sample_queries(): the queries that people judge, drawn at random from all."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from rankreport import io
from rankreport.call_hints import hinting
from rankreport.errors import DataError, OptionError, brief, expect
from rankreport.frames import QUERY_ID


@hinting()
def sample_queries(queries: Any, n: int, seed: int = 0) -> list[str]:
    """Draw queries for people to judge, where a model judges all.

    `compare` corrects the judgments of a model by those of people on such a sample. A larger sample
    with the same seed begins with the smaller one, so that people may judge more later.

    Parameters
    ----------
    queries
        All queries that the model judges: their ids, a mapping by query (judgments, a run, texts),
        a table with a column ``query_id``, or a path that `read_queries` reads.
    n
        How many are drawn, at least 1.
    seed
        Random seed. The same queries and seed give the same sample, in whatever order they come.

    Returns
    -------
    list of str
        The ids, in the order drawn.

    Raises
    ------
    DataError
        If the queries cannot be read.
    OptionError
        If there are fewer than n queries, or an option is invalid.

    Examples
    --------
    >>> import rankreport as rr
    >>> rr.sample_queries(["jazz", "blues", "soul", "funk"], 2)
    ['soul', 'jazz']
    >>> rr.sample_queries(["jazz", "blues", "soul", "funk"], 3)
    ['soul', 'jazz', 'funk']
    """
    io.check_process()
    expect(n, (int,), "n takes a whole number, how many queries are drawn")
    _check_seed(seed)
    names = _ids(queries)
    if not 1 <= n <= len(names):
        raise OptionError(f"n={n} must lie between 1 and {len(names):,}, the number of queries.")
    return _drawn(names, seed)[:n]


def check_sample(people: Collection[str], every: Collection[str], sample: int | str) -> None:
    """Check that people judged a random part of the queries that the model judged.

    Parameters
    ----------
    people, every
        The queries that people and the model judged.
    sample
        The seed of `sample_queries`, or ``"random"`` for a sample drawn otherwise.

    Raises
    ------
    DataError
        If people judged queries that the model did not, or others than `sample_queries` drew.
    OptionError
        If the sample is neither a seed nor ``"random"``.
    """
    if isinstance(sample, str) and sample != "random":
        raise OptionError(
            f'sample={brief(sample)}: give the seed of sample_queries(), or "random".'
        )
    beyond = sorted(set(people) - set(every))
    if beyond:
        raise DataError(
            f"People judged {len(beyond):,} queries that the model did not judge, such as "
            f"{beyond[0]!r}. The model judges all queries, people some of them."
        )
    if isinstance(sample, str):
        return
    _check_seed(sample)
    drawn = _drawn(_unique(every), sample)[: len(set(people))]
    lacking = [name for name in drawn if name not in set(people)]
    if lacking:
        raise DataError(
            f"People judged {len(set(people)):,} of {len(set(every)):,} queries, but not those of "
            f"sample_queries(queries, {len(set(people))}, seed={sample}): {lacking[0]!r} is "
            f"missing. Queries chosen by hand say nothing about the others. If these were drawn at "
            f'random in another way, say so by sample="random" (--sample random); with another '
            f"seed, by sample=SEED (--sample SEED)."
        )


def _check_seed(seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise OptionError(f"A seed is a whole number of 0 or more; found {brief(seed)}.")


def _drawn(names: list[str], seed: int) -> list[str]:
    """Return sorted names in random order."""
    # The raw bits are the same in all versions of numpy.
    keys = np.random.PCG64(np.random.SeedSequence(seed)).random_raw(len(names))
    return [names[place] for place in np.argsort(keys, kind="stable")]


def _ids(given: Any) -> list[str]:
    if isinstance(given, pl.Series):
        return _unique(io.identifiers("the queries", given).to_list())
    if isinstance(given, Mapping):
        return _unique(io.by_name("the queries", given))
    table = io.frame_of(given)
    if table is not None:
        rows = io.collected("The queries", table)
        found, missing = io.QUERIES.find(rows.columns)
        if missing:
            raise io.QUERIES.lacking("The table of queries", rows.columns, missing)
        own = found[QUERY_ID]
        return _unique(io.with_ids("the queries", rows, [own])[own].drop_nulls().to_list())
    if isinstance(given, str | os.PathLike):
        return _unique(io.read_queries(given)[QUERY_ID].to_list())
    if isinstance(given, Iterable):
        return _unique(io.exact_ids("the queries", QUERY_ID, given))
    raise DataError(f"Expected queries: ids, a mapping or a table; found {type(given).__name__}.")


def _unique(names: Iterable[str]) -> list[str]:
    return sorted(set(names))
