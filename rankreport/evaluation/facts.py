"""Facts: small tables about the data, such as counts of unanswered queries and of equal scores.

Each is declared with a function that finds it in a part of the queries, and a rule for each column
that joins the rows of all parts into one. A part is the whole data, a slice that is read from disk
or a bucket of queries on Spark, so that all of them give the same tables. At most `NAMED` names of
queries are kept, so that a fact takes little memory however large the data are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import polars as pl

from rankreport.evaluation.data_counts import counted, undefined, unjudged
from rankreport.evaluation.depths import Depth
from rankreport.evaluation.equal_lists import fingerprints, total_of_hashes
from rankreport.evaluation.first_documents import LISTS
from rankreport.evaluation.judging import Judged
from rankreport.evaluation.query_names import NAMED
from rankreport.evaluation.remarks import EXAMPLES
from rankreport.evaluation.slices import RunReader
from rankreport.evaluation.ties import tie_table
from rankreport.evaluation.unanswerable import is_unanswerable
from rankreport.evaluation.unjudged import depth_of
from rankreport.frames import DOC_ID, MEASURE, N_RETRIEVED, QUERY_ID, RANK, RELEVANCE, SCORE, SYSTEM
from rankreport.io import Source
from rankreport.measures import FalseAnswer, Measure

Rule = Callable[[pl.Expr], pl.Expr]
"""Aggregates one column over the parts' rows with equal keys; it may read their other columns."""


def total_where_known(values: pl.Expr) -> pl.Expr:
    """Return the sum, or null if one of the values is null."""
    return pl.when(values.null_count() == 0).then(values.sum())


def total_of_highest(column: str) -> Rule:
    """Return a rule that sums counts over the parts where `column` has its overall maximum.

    The number of longest lists, for example, counts only those parts that hold one of them.
    """
    return lambda counts: counts.filter(pl.col(column) == pl.col(column).max()).sum()


def first_query_names(lists: pl.Expr) -> pl.Expr:
    """Return the first `NAMED` of the sorted query names in all lists."""
    return lists.explode().drop_nulls().sort().head(NAMED)


def mean_by(weight: str | pl.Expr) -> Rule:
    """Return a rule that averages the parts' means, weighted by a column; nulls are left out."""

    def joined(values: pl.Expr) -> pl.Expr:
        known = pl.when(values.is_not_null()).then(weight)
        return pl.when(known.sum() > 0).then((values * known).sum() / known.sum())

    return joined


def geometric_mean_by(weight: str) -> Rule:
    """Return a rule that averages the parts' geometric means, as `mean_by`."""
    return lambda values: mean_by(weight)(values.log()).exp()


class PartOfQueries(Protocol):
    """The results of some queries, of which facts are found, as `FromRuns` has them."""

    @property
    def systems(self) -> Mapping[str, Source]:
        """The run of each system."""

    @property
    def judged(self) -> Judged:
        """The judged frame, with its counts."""

    @property
    def answerable(self) -> pl.DataFrame:
        """The counts of the queries that have an answer."""

    def unanswerable(self) -> tuple[str, ...]:
        """Return the queries declared to have no answer."""

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores of these measures."""

    def values_as_ordered(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores without means over orders of equal scores."""

    def summary(self, values: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
        """Aggregate scores over queries: ``system`` and a column per measure."""

    def tie_bounds(
        self, values: pl.DataFrame, measures: Sequence[Measure]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the scores under the worst and the best order of equal scores."""

    def reader_of(self, system: str) -> RunReader:
        """Return how a system's run is read."""

    def fact(self, fact: Fact) -> pl.DataFrame:
        """Find another fact."""


class Fact(NamedTuple):
    """How to find a small table about the data in a part of the queries, and to join all parts.

    Attributes
    ----------
    name
        Under which its tables are kept.
    find
        Finds the table of one part, of which it needs something of `PartOfQueries`.
    keys
        The columns that identify a row. Rows of several parts with equal keys become one.
    rules
        How each of the other columns is aggregated; without any, distinct rows are kept.
    of_documents
        Whether it is found in documents, which may be read part by part. Other facts are found in
        counts of lists, which are held of all queries.
    where
        The values that some columns have in this fact, of all that may be kept under its name.
    """

    name: str
    find: Callable[[Any], pl.DataFrame]
    keys: tuple[str, ...]
    rules: Mapping[str, Rule]
    of_documents: bool = False
    where: Mapping[str, Sequence[object]] = MappingProxyType({})

    def found_in(self, part: object) -> pl.DataFrame:
        """Return the table of one part, without what only joining needs."""
        return self.find(part).select(*self.keys, *self.rules)

    def of(self, kept: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of this fact among those that are kept under its name."""
        if not self.where:
            return kept
        return kept.filter(pl.col(name).is_in(list(some)) for name, some in self.where.items())

    def joined(self, parts: Sequence[pl.DataFrame], systems: Sequence[str]) -> pl.DataFrame:
        """Return the table of all parts, in the order of the systems.

        >>> fact = Fact("rows", pl.DataFrame.clone, ("system",), {"n": pl.Expr.sum})
        >>> fact.joined([pl.DataFrame({"system": ["b", "a"], "n": [1, 2]})] * 2, ["a", "b"]).rows()
        [('a', 4), ('b', 2)]
        """
        of_all = [rule(pl.col(name)).alias(name) for name, rule in self.rules.items()]
        found = pl.concat(parts).group_by(self.keys, maintain_order=True).agg(of_all)
        if SYSTEM not in self.keys:
            return found
        return found.sort(pl.col(SYSTEM).cast(pl.Enum(systems)), maintain_order=True)


def _by_system(**columns: pl.Expr) -> Callable[[PartOfQueries], pl.DataFrame]:
    """Return a function that aggregates the judged documents of a part by system.

    Their score and rank are null where the system did not return them.
    """
    return lambda part: part.judged.frame.group_by(SYSTEM, maintain_order=True).agg(**columns)


UNSCORED = Fact(
    "unscored",
    _by_system(n_unscored=pl.col(SCORE).null_count()),
    (SYSTEM,),
    {"n_unscored": pl.Expr.sum},
    of_documents=True,
)
"""The number of judged documents that a system did not return."""

GRADES = Fact(
    "grades",
    lambda part: part.judged.frame.group_by(RELEVANCE, maintain_order=True).agg(n=pl.len()),
    (RELEVANCE,),
    {"n": pl.Expr.sum},
    of_documents=True,
)
"""The grades of the queries evaluated, each with its number of documents over all systems."""

RELEVANT = Fact(
    "relevant",
    lambda part: part.judged.frame.filter(pl.col(RELEVANCE) > 0).select(QUERY_ID, DOC_ID).unique(),
    (QUERY_ID, DOC_ID),
    {},
    of_documents=True,
)
"""The relevant documents of the queries evaluated."""

RELEVANT_RETURNED = Fact(
    "relevant returned",
    _by_system(n_returned=((pl.col(RELEVANCE) > 0) & pl.col(RANK).is_not_null()).sum()),
    (SYSTEM,),
    {"n_returned": pl.Expr.sum},
    of_documents=True,
)
"""The number of relevant documents that a system returned."""

LIST_HASHES = Fact(
    "list hashes",
    _by_system(hash=pl.struct(QUERY_ID, DOC_ID, RANK).hash(0).sum()),
    (SYSTEM,),
    {"hash": pl.Expr.sum},
    of_documents=True,
)
"""A hash of a system's judged documents and their ranks.

Systems with different hashes have different lists; the lists of systems with equal hashes are
compared. It is a sum that wraps around, so that it does not depend on how queries are divided.
"""

SCORES_AS_GRADES = Fact(
    "scores as grades",
    _by_system(n_scored=pl.col(SCORE).count(), same=(pl.col(SCORE) == pl.col(RELEVANCE)).all()),
    (SYSTEM,),
    {"n_scored": pl.Expr.sum, "same": pl.Expr.all},
    of_documents=True,
)
"""The number of judged documents with a score, and whether each score equals the grade.

If so, the judgments may have been given as a run.
"""


FINGERPRINTS = "fingerprints"


def fingerprints_within(n: int | None) -> Fact:
    """Return the fact of two hashes of each system: of its lists, and of their first ``n`` as sets.

    Equal lists or sets have equal hashes, and different ones hardly ever have.
    """
    return Fact(
        FINGERPRINTS,
        lambda part: fingerprints(part.judged, [*map(part.reader_of, part.systems)], n),
        (SYSTEM,),
        dict.fromkeys(("whole", "first"), total_of_hashes),
        of_documents=True,
    )


_COUNTS = ("n_queries", "n_unanswered", "n_left_out", "n_unjudged", "n_no_relevant", "n_tied")
_N_ANSWERED = pl.col("n_queries") - pl.col("n_unanswered")

QUALITY = Fact(
    "quality",
    lambda part: counted(
        part.judged._replace(queries=part.answerable), part.fact(UNSCORED), part.values_as_ordered
    ),
    (SYSTEM,),
    {
        **dict.fromkeys((*_COUNTS, "n_unscored"), pl.Expr.sum),
        "judged_at_10": mean_by(_N_ANSWERED),
    },
)
"""The counts of `rankreport.Evaluation.quality`."""

UNANSWERED = Fact(
    "unanswered",
    lambda part: part.judged.queries.filter(pl.col("counted") & (pl.col(N_RETRIEVED) == 0)),
    (SYSTEM, QUERY_ID),
    {},
)
"""The judged queries for which a system returned nothing."""

FIRST_UNANSWERED = Fact(
    UNANSWERED.name,
    lambda part: part.fact(UNANSWERED).group_by(SYSTEM).agg(pl.col(QUERY_ID).sort().head(NAMED)),
    (SYSTEM,),
    {QUERY_ID: first_query_names},
)
"""The first of these queries of each system, as a list."""

RANKED_ALONE = Fact(
    "ranked alone",
    lambda part: pl.DataFrame(
        {SYSTEM: [name for name, run in part.systems.items() if not run.scored]},
        schema={SYSTEM: pl.String},
    ),
    (SYSTEM,),
    {},
)
"""The systems whose runs have ranks but no scores."""

LENGTHS = Fact(
    "lengths",
    lambda part: part.judged.queries.select(pl.col(name).cast(t) for name, t in LISTS.items()),
    tuple(LISTS),
    {},
)
"""The number of documents of each list of judged queries, with the columns of `LISTS`."""


def list_lengths(k: int) -> Fact:
    """Return the fact of the longest lists of judged queries, and of those shorter than ``k``.

    The columns are ``system``; ``n_short`` and ``examples``, the number of the short lists and some
    of their queries; ``n_lists``; ``longest``, the length of the longest list, and ``n_longest``,
    the number of lists of that length.
    """

    def find(part: PartOfQueries) -> pl.DataFrame:
        length, short = pl.col(N_RETRIEVED).cast(pl.Int64), pl.col(N_RETRIEVED) < k
        queries = part.answerable.filter(pl.col(N_RETRIEVED) > 0)
        return queries.group_by(SYSTEM, maintain_order=True).agg(
            n_short=short.sum().cast(pl.Int64),
            n_lists=pl.len().cast(pl.Int64),
            longest=length.max(),
            n_longest=(length == length.max()).sum().cast(pl.Int64),
            examples=pl.col(QUERY_ID).cast(pl.String).filter(short).sort().head(EXAMPLES),
        )

    rules = {
        "n_short": pl.Expr.sum,
        "n_lists": pl.Expr.sum,
        "examples": first_query_names,
        "longest": pl.Expr.max,
        "n_longest": total_of_highest("longest"),
    }
    return Fact("lists", find, (SYSTEM,), rules)


DEPTHS = Fact("depths", lambda part: part.fact(list_lengths(1)), (SYSTEM, *Depth._fields), {})
"""How deep each system's lists are."""

SHORT_LISTS: Mapping[str, Any] = {
    SYSTEM: pl.String(),
    "n_short": pl.Int64(),
    "n_lists": pl.Int64(),
    "k": pl.Int64(),
    "examples": pl.List(pl.String()),
}
"""The columns of `short_lists`."""


def short_lists(k: int) -> Fact:
    """Return the fact of the systems of which some lists hold fewer than ``k`` documents.

    The columns are ``system``; ``n_short`` and ``n_lists``, the number of short lists and of all
    lists of judged queries; ``k``; and ``examples``, the first queries of short lists. Systems that
    returned all judged documents have no short lists, nor those with no others.
    """

    def find(part: PartOfQueries) -> pl.DataFrame:
        some = part.fact(UNSCORED).filter(pl.col("n_unscored") > 0)[SYSTEM]
        short = pl.col("n_short").is_between(1, pl.col("n_lists").cast(pl.Int64) - 1)
        found = part.fact(list_lengths(k)).filter(pl.col(SYSTEM).is_in(some.implode()), short)
        found = found.with_columns(k=pl.lit(k, pl.Int64))
        return found.select(pl.col(name).cast(kind) for name, kind in SHORT_LISTS.items())

    return Fact("short lists", find, tuple(SHORT_LISTS), {}, where={"k": [k]})


def undefined_values(measures: Sequence[Measure], values: pl.DataFrame | None = None) -> Fact:
    """Return the fact of how many queries have no value of each measure, of those with an answer.

    The columns are ``system, measure, n_undefined, n_queries``. ``values`` are the scores if they
    are known.
    """

    def find(part: PartOfQueries) -> pl.DataFrame:
        known, none = part.values(measures) if values is None else values, part.unanswerable()
        if none:  # most measures are undefined for them anyway
            known = known.filter(~is_unanswerable(none)).drop(str(FalseAnswer), strict=False)
        return undefined(known)

    rules = {"n_undefined": pl.Expr.sum, "n_queries": pl.Expr.sum}
    return Fact("undefined", find, (SYSTEM, MEASURE), rules)


def shares_unjudged(measures: Sequence[Measure]) -> Fact:
    """Return the fact of the share of unjudged documents within the cut-off of each measure."""

    def find(part: PartOfQueries) -> pl.DataFrame:
        answered = part.answerable.filter(pl.col("counted") & (pl.col(N_RETRIEVED) > 0))
        n_answered = answered.group_by(SYSTEM).len("n_answered")
        shares = unjudged(part.values_as_ordered, measures)
        return shares.join(n_answered, on=SYSTEM, how="left", maintain_order="left")

    keys, names = (SYSTEM, MEASURE, "k"), [*map(str, measures)]
    rules = {"unjudged": mean_by("n_answered")}
    return Fact("coverage", find, keys, rules, where={MEASURE: names})


TIES = "ties"


def tie_bounds(measures: Sequence[Measure], values: pl.DataFrame | None = None) -> Fact:
    """Return the fact of the bounds of measures over all orders of equal scores.

    The bounds of several parts are joined for sums, means and geometric means over queries; for
    other aggregates, such as quantiles, they are null. ``values`` are the scores if they are known.
    """

    def find(part: PartOfQueries) -> pl.DataFrame:
        known = part.values(measures) if values is None else values
        answerable = known.filter(~is_unanswerable(part.unanswerable()))
        worst, best = part.tie_bounds(answerable, measures)
        counts = undefined(known.select(SYSTEM, QUERY_ID, *dict.fromkeys(map(str, measures))))
        defined = counts.select(
            SYSTEM, MEASURE, n_defined=pl.col("n_queries").cast(pl.Int64) - pl.col("n_undefined")
        )
        found = tie_table(worst, best, known, measures, part.summary)
        return found.join(defined, on=[SYSTEM, MEASURE], how="left", maintain_order="left")

    of_aggregate = {
        "sum": pl.Expr.sum,
        "mean": mean_by("n_defined"),
        "geometric": geometric_mean_by("n_defined"),
    }
    names = {
        kind: [str(each) for each in measures if each.declaration.aggregate == kind]
        for kind in of_aggregate
    }

    def bound(parts: pl.Expr) -> pl.Expr:
        measure = pl.col(MEASURE).first()
        return pl.coalesce(
            pl.when(measure.is_in(some)).then(of_aggregate[kind](parts))
            for kind, some in names.items()
        )

    def n_queries(parts: pl.Expr) -> pl.Expr:
        joinable = pl.col(MEASURE).first().is_in([*chain.from_iterable(names.values())])
        return pl.when(joinable).then(total_where_known(parts))

    rules = {"n_queries": n_queries, **dict.fromkeys(("worst", "value", "best"), bound)}
    where = {MEASURE: [*map(str, measures)]}
    return Fact(TIES, find, (SYSTEM, MEASURE), rules, where=where)


def facts_of_check(measures: Sequence[Measure], primary: Measure) -> tuple[Fact, ...]:
    """Return the facts that a data check needs."""
    return (
        *(shares_unjudged(measures), undefined_values(measures), tie_bounds([primary])),
        list_lengths(depth_of(primary)),
        *(QUALITY, FIRST_UNANSWERED, UNSCORED, GRADES, RELEVANT_RETURNED),
        *(LIST_HASHES, SCORES_AS_GRADES),
    )
