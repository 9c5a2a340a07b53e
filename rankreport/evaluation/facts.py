"""Facts: small tables about the data, such as counts of unanswered queries and of equal scores.

Each is declared with a function that finds it in a part of the queries, and a rule for each column
that joins the rows of all parts into one. A part is the whole data, a slice that is read from disk
or a bucket of queries on Spark, so that all of them give the same tables. At most `NAMED` names of
queries are kept, so that a fact takes little memory however large the data are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import polars as pl

from rankreport.evaluation.judging import Judged
from rankreport.evaluation.query_names import NAMED
from rankreport.evaluation.unjudged import depth_of
from rankreport.frames import DOC_ID, MEASURE, QUERY_ID, RANK, RELEVANCE, SCORE, SYSTEM
from rankreport.measures import Measure

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


def mean_by(weight: str) -> Rule:
    """Return a rule that averages the parts' means, weighted by a column; nulls are left out."""

    def joined(values: pl.Expr) -> pl.Expr:
        known = pl.when(values.is_not_null()).then(pl.col(weight))
        return pl.when(known.sum() > 0).then((values * known).sum() / known.sum())

    return joined


def geometric_mean_by(weight: str) -> Rule:
    """Return a rule that averages the parts' geometric means, as `mean_by`."""
    return lambda values: mean_by(weight)(values.log()).exp()


def not_joinable(_: pl.Expr) -> pl.Expr:
    """Return null, for a value that cannot be computed from those of parts."""
    return pl.lit(None, pl.Float64)


class PartOfQueries(Protocol):
    """The results of some queries, as of `rankreport.evaluation.origins.FromRuns`."""

    @property
    def judged(self) -> Judged:
        """The judged frame, with its counts."""

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the scores of these measures."""

    def quality(self) -> pl.DataFrame:
        """Return the frame of `rankreport.Evaluation.quality`."""

    def ties(self, values: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the frame of `rankreport.Evaluation.ties`."""

    def coverage(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the frame of `rankreport.Evaluation.coverage`."""

    def undefined(self, values: pl.DataFrame) -> pl.DataFrame:
        """Count the queries without a value: ``system, measure, n_undefined, n_queries``."""

    def unanswered(self) -> pl.DataFrame:
        """Return the judged queries for which a system returned nothing: ``system, query_id``."""

    def lists(self, k: int) -> pl.DataFrame:
        """Count the lists of judged queries, and those shorter than ``k``, by system.

        The columns are ``system``; ``n_lists``; ``n_short`` and ``examples``, the number of the
        short lists and some of their queries; ``longest``, the length of the longest list, and
        ``n_longest``, the number of lists of that length.
        """


class Fact(NamedTuple):
    """How to find a small table about the data in a part of the queries, and to join all parts.

    Attributes
    ----------
    name
        Under which its tables are kept.
    find
        Finds the table of one part.
    keys
        The columns that identify a row. Rows of several parts with equal keys become one.
    rules
        How each of the other columns is aggregated; without any, distinct rows are kept.
    of_check
        Whether the data check needs it, too.
    """

    name: str
    find: Callable[[PartOfQueries], pl.DataFrame]
    keys: tuple[str, ...]
    rules: Mapping[str, Rule]
    of_check: bool = True

    def joined(self, parts: Sequence[pl.DataFrame], systems: Sequence[str]) -> pl.DataFrame:
        """Return the table of all parts, in the order of the systems.

        >>> fact = Fact("rows", PartOfQueries.quality, ("system",), {"n": pl.Expr.sum})
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
)
"""The number of judged documents that a system did not return."""

GRADES = Fact(
    "grades",
    lambda part: part.judged.frame.group_by(RELEVANCE, maintain_order=True).agg(n=pl.len()),
    (RELEVANCE,),
    {"n": pl.Expr.sum},
)
"""The grades of the queries evaluated, each with its number of documents over all systems."""

RELEVANT = Fact(
    "relevant",
    lambda part: part.judged.frame.filter(pl.col(RELEVANCE) > 0).select(QUERY_ID, DOC_ID).unique(),
    (QUERY_ID, DOC_ID),
    {},
    of_check=False,
)
"""The relevant documents of the queries evaluated."""

RELEVANT_RETURNED = Fact(
    "relevant returned",
    _by_system(n_returned=((pl.col(RELEVANCE) > 0) & pl.col(RANK).is_not_null()).sum()),
    (SYSTEM,),
    {"n_returned": pl.Expr.sum},
)
"""The number of relevant documents that a system returned."""

LIST_HASHES = Fact(
    "list hashes",
    _by_system(hash=pl.struct(QUERY_ID, DOC_ID, RANK).hash(0).sum()),
    (SYSTEM,),
    {"hash": pl.Expr.sum},
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
)
"""The number of judged documents with a score, and whether each score equals the grade.

If so, the judgments may have been given as a run.
"""

_N_ANSWERED = (pl.col("n_queries") - pl.col("n_unanswered")).alias("n_answered")
_COUNTS = ("n_queries", "n_unanswered", "n_left_out", "n_unjudged", "n_no_relevant", "n_tied")

QUALITY = Fact(
    "quality",
    lambda part: part.quality().with_columns(_N_ANSWERED),
    (SYSTEM,),
    {
        **dict.fromkeys((*_COUNTS, "n_unscored", "n_answered"), pl.Expr.sum),
        "judged_at_10": mean_by("n_answered"),
    },
)
"""The counts of `rankreport.Evaluation.quality`."""

UNANSWERED = Fact(
    "unanswered",
    lambda part: part.unanswered().group_by(SYSTEM).agg(pl.col(QUERY_ID).sort().head(NAMED)),
    (SYSTEM,),
    {QUERY_ID: first_query_names},
)
"""The first judged queries for which a system returned nothing."""


def undefined_values(measures: Sequence[Measure]) -> Fact:
    """Return the fact of how many queries have no value of each measure."""
    return Fact(
        "undefined",
        lambda part: part.undefined(part.values(measures)),
        (SYSTEM, MEASURE),
        {"n_undefined": pl.Expr.sum, "n_queries": pl.Expr.sum},
    )


def shares_unjudged(measures: Sequence[Measure]) -> Fact:
    """Return the fact of the share of unjudged documents within the cut-off of each measure."""

    def find(part: PartOfQueries) -> pl.DataFrame:
        answered = part.quality().select(SYSTEM, _N_ANSWERED)
        return part.coverage(measures).join(answered, on=SYSTEM, maintain_order="left")

    return Fact("coverage", find, (SYSTEM, MEASURE, "k"), {"unjudged": mean_by("n_answered")})


def list_lengths(k: int) -> Fact:
    """Return the fact of the longest lists, and of those shorter than ``k``."""
    rules = {
        "n_short": pl.Expr.sum,
        "n_lists": pl.Expr.sum,
        "examples": first_query_names,
        "longest": pl.Expr.max,
        "n_longest": total_of_highest("longest"),
    }
    return Fact("lists", lambda part: part.lists(k), (SYSTEM,), rules)


def tie_bounds(measure: Measure) -> Fact:
    """Return the fact of the bounds of a measure over all orders of equal scores.

    The bounds of several parts are joined for sums, means and geometric means over queries; for
    other aggregates, such as quantiles, they are null.
    """

    def find(part: PartOfQueries) -> pl.DataFrame:
        values = part.values([measure])
        defined = values.group_by(SYSTEM).agg(pl.col(str(measure)).count().alias("n_defined"))
        return part.ties(values, [measure]).join(defined, on=SYSTEM, maintain_order="left")

    rules = {
        "sum": pl.Expr.sum,
        "mean": mean_by("n_defined"),
        "geometric": geometric_mean_by("n_defined"),
    }
    aggregate = measure.declaration.aggregate
    bounds = dict.fromkeys(("worst", "value", "best"), rules.get(aggregate, not_joinable))
    n_queries = total_where_known if aggregate in rules else not_joinable
    return Fact("ties", find, (SYSTEM, MEASURE), {"n_queries": n_queries, **bounds})


def facts_of_check(measures: Sequence[Measure], primary: Measure) -> tuple[Fact, ...]:
    """Return the facts that a data check needs: of the measures, and those declared above."""
    of_measures = (shares_unjudged(measures), undefined_values(measures), tie_bounds(primary))
    declared = (each for each in globals().values() if isinstance(each, Fact) and each.of_check)
    return (*of_measures, list_lengths(depth_of(primary)), *declared)
