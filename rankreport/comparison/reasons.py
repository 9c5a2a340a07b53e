"""Why queries are lost: one reason each, and the documents that are behind several losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

from rankreport.caching import cached
from rankreport.comparison.columns import PAIRED
from rankreport.comparison.differences import condensed_of
from rankreport.comparison.pairs import Pair
from rankreport.comparison.pool_and_order import split_by_query
from rankreport.comparison.queries import queries_on_one_side
from rankreport.comparison.top_changes import RANKS, both_lists, depth_shown
from rankreport.comparison.values import ComparisonValues, pairs_matching
from rankreport.errors import DataError, OptionError
from rankreport.evaluation import least_relevant, vanished_labels, weights_of_datasets
from rankreport.frames import DATASET, DOC_ID, QUERY_ID, RELEVANCE
from rankreport.measures import EQUAL

REASON, MAINLY = "reason", "mainly"
"""The columns of why a query is lost, and of what it mainly misses."""

_MOST_LOSSES = 50_000
"""The number of losses whose documents are read; of more, the largest."""


def reasons(
    self: ComparisonValues, system: str | None = None, baseline: str | None = None
) -> pl.DataFrame:
    """Return why each losing query is lost on the primary measure, the biggest loss first.

    The reason is the first that holds:

    - ``label vanished``: a relevant document that the baseline ranks higher, within the cut-off, is
      not in the corpus.
    - ``unjudged``: on judged documents alone, the query is not lost, and no relevant document that
      counts for the baseline has fallen below twice the cut-off. Only where unjudged documents are
      many, or more in one system.
    - ``few relevant``: the only relevant document is one rank lower.
    - ``not retrieved``: the system did not return a relevant document that counts for the baseline,
      and most of those that fell were not returned, or more of the loss is due to what was
      retrieved than to its order (see `pool_and_order`).
    - ``ranked low``: any other loss.

    Parameters
    ----------
    system, baseline
        Select pairs; all by default.

    Returns
    -------
    DataFrame
        ``baseline, system, query_id`` (String), ``delta`` (Float64), ``reason`` (String; null if
        not known, as where one of the two has several runs).

    Raises
    ------
    OptionError
        If no pair matches.

    Examples
    --------
    >>> import rankreport as rr
    >>> old, new = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"b": 2.0, "a": 1.0}}
    >>> rr.compare({"q1": {"a": 1}}, {"old": old, "new": new}).reasons()["reason"].to_list()
    ['few relevant']
    """
    return pl.concat(reasons_of(self, pair) for pair in pairs_matching(self, system, baseline))


class _Kind(NamedTuple):
    """A kind of reason: its name, what happened to these losses in words, and where it holds."""

    name: str
    words: str
    holds: pl.Expr


REASONS = (
    _Kind(
        "label vanished",
        "labels are of documents that are not in the corpus",
        pl.col("vanished"),
    ),
    # Judged documents alone look good where one that was thrown out has few others above it.
    _Kind(
        "unjudged",
        "unjudged documents alone are the reason",
        (pl.col("on_judged") >= -EQUAL) & ~pl.col("far"),
    ),
    _Kind("few relevant", "the only relevant document is one rank lower", pl.col("by_one_rank")),
    # The best order counts a document that the baseline itself ranks below the cut-off, too.
    _Kind(
        "not retrieved",
        "relevant documents were not returned",
        pl.col("mostly_gone") | (pl.col("gone") & (pl.col("pool") < pl.col("order") - EQUAL)),
    ),
    # Scores in a file may tell the order, but not which documents were retrieved.
    _Kind(
        "ranked low",
        "relevant documents were returned, but ranked lower",
        pl.all_horizontal(pl.col("order", "gone").is_not_null()),
    ),
)
"""The kinds of reasons, in order of precedence."""


@cached
def reasons_of(comparison: ComparisonValues, pair: Pair) -> pl.DataFrame:
    """Return the frame of `reasons` of one pair."""
    lost = queries_on_one_side(comparison, str(comparison.primary), [pair], -1)
    known = (
        _of_relevant(comparison, pair, lost[QUERY_ID].to_list()),
        _on_judged(comparison, pair),
        split_by_query(comparison, pair),
    )
    for frame in known:
        lost = lost.join(frame, on=QUERY_ID, how="left", maintain_order="left")
    held = (pl.when(kind.holds).then(pl.lit(kind.name)) for kind in REASONS)
    return lost.select(*PAIRED, QUERY_ID, "delta", pl.coalesce(held).alias(REASON))


def _of_relevant(comparison: ComparisonValues, pair: Pair, lost: Sequence[str]) -> pl.DataFrame:
    """Return whether relevant documents of each loss fell, how far, and whether they are gone."""
    primary, (before, after) = comparison.primary, map(pl.col, RANKS)
    counts = before <= (primary.k or before)
    gone, fell = counts & after.is_null(), counts & (after.is_null() | (after > before))
    found = {
        "vanished": (fell & pl.col("vanished")).any(),
        "by_one_rank": (pl.len() == 1) & (after == before + 1).any(),
        "far": (gone | (counts & (after > 2 * (primary.k or after)))).any(),
        "gone": gone.any(),
        "mostly_gone": 2 * gone.sum() > fell.sum(),
    }
    lost = [] if comparison.evaluation.n_repeats.keys() & pair else lost  # lists of first runs
    try:
        relevant = comparison.evaluation.relevant(lost, least_relevant(primary))
    except DataError:  # the evaluation was loaded without documents
        return pl.DataFrame(schema={QUERY_ID: pl.String, **dict.fromkeys(found, pl.Boolean)})
    lists = both_lists(relevant, lost, pair)
    labels = vanished_labels(comparison.evaluation)
    vanished = lists.select(QUERY_ID, DOC_ID).clear() if labels is None else labels
    marked = vanished.with_columns(vanished=pl.lit(value=True))
    return lists.join(marked, on=[QUERY_ID, DOC_ID], how="left").group_by(QUERY_ID).agg(**found)


def _on_judged(comparison: ComparisonValues, pair: Pair) -> pl.DataFrame:
    """Return the differences on judged documents alone; null where unjudged ones do not matter."""
    condensed = condensed_of(comparison)
    values = None if condensed is None else condensed.deltas[pair][:, 0]
    rows = {QUERY_ID: comparison.evaluation.query_ids, "on_judged": values}
    return pl.DataFrame(rows, schema_overrides={"on_judged": pl.Float64}, nan_to_null=True)


def documents_behind_losses(
    self: ComparisonValues, system: str | None = None, baseline: str | None = None
) -> pl.DataFrame:
    """Return documents that are behind several losses on the primary measure, the most first.

    Only the first documents count: those within the cut-off, at most 10.

    Parameters
    ----------
    system, baseline
        Select pairs; all by default.

    Returns
    -------
    DataFrame
        ``baseline, system, doc_id`` (String); ``change`` (String), ``pushed in`` if the document is
        not relevant (or unjudged) and the system ranks it above a relevant document that the
        baseline ranks above it, or ``pushed out`` if it is relevant and the baseline alone has it;
        ``n_losses`` (UInt32), the queries lost in which it is so, two or more; ``delta``
        (Float64), the sum of their differences, which other documents may have caused, too; of
        several data sets also ``dataset`` (String), whose document it is. Empty for an evaluation
        loaded without documents, and where one of the two has several runs; of more than 50,000
        losses, the largest count.

    Raises
    ------
    OptionError
        If no pair matches.

    Examples
    --------
    >>> import rankreport as rr
    >>> old = {"q1": ["a", "x"], "q2": ["b", "x"]}
    >>> new = {"q1": ["hub", "a"], "q2": ["hub", "b"]}
    >>> comparison = rr.compare({"q1": {"a": 1}, "q2": {"b": 1}}, {"old": old, "new": new}, "RR")
    >>> comparison.documents_behind_losses().select("doc_id", "change", "n_losses", "delta").rows()
    [('hub', 'pushed in', 2, -1.0)]
    """
    pairs = pairs_matching(self, system, baseline)
    return pl.concat(_documents_behind(self, pair) for pair in pairs)


def losses_looked_at(comparison: ComparisonValues, pair: Pair) -> pl.DataFrame:
    """Return the losses of a pair whose documents are read, the biggest first."""
    return queries_on_one_side(comparison, str(comparison.primary), [pair], -1).head(_MOST_LOSSES)


@cached
def _documents_behind(comparison: ComparisonValues, pair: Pair) -> pl.DataFrame:
    """Return the frame of `documents_behind_losses` of one pair."""
    lost = losses_looked_at(comparison, pair)
    lost = lost.clear() if comparison.evaluation.n_repeats.keys() & pair else lost  # as there
    names, k = lost[QUERY_ID].to_list(), depth_shown(comparison.primary)
    try:
        documents = comparison.evaluation.documents(names, k, systems=pair)
    except OptionError:  # the evaluation was loaded without documents
        names, documents = [], comparison.evaluation.documents([], k, systems=pair)
    relevant = (pl.col(RELEVANCE) >= least_relevant(comparison.primary)).fill_null(value=False)
    lists = both_lists(documents, names, pair).with_columns(
        *(pl.col(rank).fill_null(k + 1) for rank in RANKS), relevant=relevant
    )
    found = pl.concat(_behind(lists, k)).join(lost.select(QUERY_ID, "delta"), on=QUERY_ID)
    keys = [*PAIRED, DOC_ID, "change"]
    if comparison.evaluation.datasets:  # each has documents of its own
        of = weights_of_datasets(comparison.evaluation).select(QUERY_ID, DATASET)
        found, keys = found.join(of, on=QUERY_ID), [*keys, DATASET]
    return (
        # Sums and ties are those of one order.
        found.sort(QUERY_ID, DOC_ID, "change")
        .group_by(keys, maintain_order=True)
        .agg(pl.len().alias("n_losses"), pl.col("delta").sum())
        .filter(pl.col("n_losses") > 1)
        .sort(-pl.col("n_losses").cast(pl.Int64), "delta", *keys)
    )


def _behind(lists: pl.DataFrame, k: int) -> Iterator[pl.DataFrame]:
    """Yield the documents that are behind a loss, by query, from ranks that are k + 1 if below."""
    before, after = map(pl.col, RANKS)
    passed = lists.filter("relevant").select(QUERY_ID, was=before, now=after)
    raised = lists.filter(~pl.col("relevant")).join(passed, on=QUERY_ID)
    above = (after < pl.col("now")) & (before > pl.col("was"))
    kept = (*PAIRED, DOC_ID, QUERY_ID)
    yield raised.filter(above).select(*kept, pl.lit("pushed in").alias("change")).unique()
    out = lists.filter("relevant", before <= k, after > k)
    yield out.select(*kept, pl.lit("pushed out").alias("change"))
