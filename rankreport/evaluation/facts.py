"""Facts: what is known of the data, found of some queries and joined by a declared rule.

The queries may be those of whole runs, of a slice on a disk or of a bucket on Spark: a fact is
found by one function in all of them. Where several parts are joined, at most `NAMED` names of
queries are kept, so that a fact takes little memory however large the data are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import polars as pl

from rankreport.evaluation.judging import Judged
from rankreport.evaluation.query_names import NAMED
from rankreport.evaluation.unjudged import depth_of
from rankreport.frames import DOC_ID, MEASURE, QUERY_ID, RANK, RELEVANCE, SCORE, SYSTEM
from rankreport.measures import Measure

Rule = Callable[[pl.Expr], pl.Expr]
"""Joins the values of all parts, of rows with equal keys; it may read other columns of these."""


def total_where_known(values: pl.Expr) -> pl.Expr:
    """Return the sum, null where one is unknown."""
    return pl.when(values.null_count() == 0).then(values.sum())


def total_of_highest(value: str) -> Rule:
    """Return a rule for counts: the sum over the parts whose column `value` has its maximum."""
    return lambda counts: counts.filter(pl.col(value) == pl.col(value).max()).sum()


def first_names(values: pl.Expr) -> pl.Expr:
    """Return the first `NAMED` of all names in lists of names of queries, sorted."""
    return values.explode().drop_nulls().sort().head(NAMED)


def mean_by(weight: str) -> Rule:
    """Return the rule for means of parts with weights: null where no part has one."""

    def joined(values: pl.Expr) -> pl.Expr:
        known = pl.when(values.is_not_null()).then(pl.col(weight))
        return pl.when(known.sum() > 0).then((values * known).sum() / known.sum())

    return joined


def geometric_mean_by(weight: str) -> Rule:
    """Return the same rule for geometric means."""
    return lambda values: mean_by(weight)(values.log()).exp()


def unknown(values: pl.Expr) -> pl.Expr:
    """Return null, for values that do not follow from those of parts."""
    return pl.lit(None, pl.Float64).alias(values.meta.output_name())


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
        """Count the queries for which a measure has no value."""

    def unanswered(self) -> pl.DataFrame:
        """Return the judged queries for which a system returned nothing."""

    def lists(self, k: int) -> pl.DataFrame:
        """Count the lists of judged queries, and those shorter than ``k``, by system.

        The columns are ``n_lists``; ``n_short`` and ``examples``, names of their queries;
        ``longest``, a length, and ``n_longest``, the number of lists as long.
        """


@dataclass(frozen=True)
class Fact:
    """What is known of the data, as a frame: how it is found of a part, and how parts are joined.

    Attributes
    ----------
    name
        Its name.
    find
        Finds it of some queries.
    keys
        The columns that identify a row; rows of equal keys of several parts are joined.
    rules
        How the values of the other columns are joined.
    of_check
        Whether a check of data that are not here, as on Spark, knows it.
    """

    name: str
    find: Callable[[PartOfQueries], pl.DataFrame]
    keys: tuple[str, ...]
    rules: Mapping[str, Rule]
    of_check: bool = True

    def joined(self, parts: Sequence[pl.DataFrame], systems: Sequence[str]) -> pl.DataFrame:
        """Join the fact of all parts, in the order of the systems.

        >>> fact = Fact("rows", lambda part: part.quality(), ("system",), {"n": pl.Expr.sum})
        >>> fact.joined([pl.DataFrame({"system": ["b", "a"], "n": [1, 2]})] * 2, ["a", "b"]).rows()
        [('a', 4), ('b', 2)]
        """
        of_all = [rule(pl.col(name)).alias(name) for name, rule in self.rules.items()]
        found = pl.concat(parts).group_by(self.keys, maintain_order=True).agg(of_all)
        if SYSTEM not in self.keys:
            return found
        return found.sort(pl.col(SYSTEM).cast(pl.Enum(systems)), maintain_order=True)


def _by_system(**of: pl.Expr) -> Callable[[PartOfQueries], pl.DataFrame]:
    """Return a function that finds counts of judged documents of a part, a row per system."""
    return lambda part: part.judged.frame.group_by(SYSTEM, maintain_order=True).agg(**of)


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

RETURNED = Fact(
    "returned",
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
"""Numbers, of which two systems with equal judged lists have the same; the lists are then compared.

Sums of hashes wrap around, so that they do not depend on how queries are parted.
"""

SCORES_AS_GRADES = Fact(
    "scores as grades",
    _by_system(n_scored=pl.col(SCORE).count(), same=(pl.col(SCORE) == pl.col(RELEVANCE)).all()),
    (SYSTEM,),
    {"n_scored": pl.Expr.sum, "same": pl.Expr.all},
)
"""The number of judged documents with a score, and whether all of these are the grades.

Then the judgments may have been given as a run.
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
    {QUERY_ID: first_names},
)
"""The first judged queries for which a system returned nothing."""


def undefined(measures: Sequence[Measure]) -> Fact:
    """Return the fact of how many queries have no value of a measure."""
    return Fact(
        "undefined",
        lambda part: part.undefined(part.values(measures)),
        (SYSTEM, MEASURE),
        {"n_undefined": pl.Expr.sum, "n_queries": pl.Expr.sum},
    )


def coverage(measures: Sequence[Measure]) -> Fact:
    """Return the fact of the share unjudged within the cut-off of each measure."""

    def of(part: PartOfQueries) -> pl.DataFrame:
        answered = part.quality().select(SYSTEM, _N_ANSWERED)
        return part.coverage(measures).join(answered, on=SYSTEM, maintain_order="left")

    return Fact("coverage", of, (SYSTEM, MEASURE, "k"), {"unjudged": mean_by("n_answered")})


def lengths(k: int) -> Fact:
    """Return the fact of the longest lists, and of those shorter than ``k``."""
    rules = {
        "n_short": pl.Expr.sum,
        "n_lists": pl.Expr.sum,
        "examples": first_names,
        "longest": pl.Expr.max,
        "n_longest": total_of_highest("longest"),
    }
    return Fact("lists", lambda part: part.lists(k), (SYSTEM,), rules)


def ties(measure: Measure) -> Fact:
    """Return the fact of the bounds of a measure over all orders of equal scores.

    They are null for measures whose values do not follow from those of parts, such as quantiles.
    """

    def of(part: PartOfQueries) -> pl.DataFrame:
        values = part.values([measure])
        defined = values.group_by(SYSTEM).agg(pl.col(str(measure)).count().alias("n_defined"))
        return part.ties(values, [measure]).join(defined, on=SYSTEM, maintain_order="left")

    rules = {
        "sum": pl.Expr.sum,
        "mean": mean_by("n_defined"),
        "geometric": geometric_mean_by("n_defined"),
    }
    aggregate = measure.declaration.aggregate
    bounds = dict.fromkeys(("worst", "value", "best"), rules.get(aggregate, unknown))
    n_queries = total_where_known if aggregate in rules else unknown
    return Fact("ties", of, (SYSTEM, MEASURE), {"n_queries": n_queries, **bounds})


def facts_of_check(measures: Sequence[Measure], primary: Measure) -> tuple[Fact, ...]:
    """Return what a check of data needs to know of the judged documents."""
    of_measures = (coverage(measures), undefined(measures), ties(primary))
    declared = (each for each in globals().values() if isinstance(each, Fact) and each.of_check)
    return (*of_measures, lengths(depth_of(primary)), *declared)
