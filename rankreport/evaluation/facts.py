"""Facts: what is known of the data, found of some queries and joined by a declared rule.

The queries may be those of whole runs, of a slice on a disk or of a bucket on Spark: a fact is
found by one function in all of them. Where several parts are joined, names of queries are kept up
to a number, so that a fact takes little memory however large the data are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import polars as pl

from rankreport.evaluation.judging import Judged
from rankreport.evaluation.query_names import MOST, NAMED, Names
from rankreport.evaluation.unjudged import depth_of
from rankreport.frames import DOC_ID, MEASURE, QUERY_ID, RANK, RELEVANCE, SCORE, SYSTEM
from rankreport.measures import Measure

Rule = Callable[[pl.Expr], pl.Expr]
"""Joins the values of all parts."""


def total_where_known(values: pl.Expr) -> pl.Expr:
    """Return the sum, null where one is unknown."""
    return pl.when(values.null_count() == 0).then(values.sum())


def total_of_highest(value: str) -> Rule:
    """Return the rule for counts of the highest value: the sum where it is as high."""
    return lambda counts: counts.filter(pl.col(value) == pl.col(value).max()).sum()


def first_names(values: pl.Expr) -> pl.Expr:
    """Return the first names of lists of names."""
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
    """Return null, where parts do not say it."""
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
        """Count the lists of judged queries."""


@dataclass(frozen=True)
class Fact:
    """A fact, as a frame.

    Attributes
    ----------
    name
        Its name.
    of
        Finds it.
    by
        The columns whose values stand for themselves.
    rules
        How the values of the other columns are joined.
    """

    name: str
    of: Callable[[PartOfQueries], pl.DataFrame]
    by: tuple[str, ...]
    rules: Mapping[str, Rule]

    def joined(self, parts: Sequence[pl.DataFrame], systems: Sequence[str]) -> pl.DataFrame:
        """Join the fact of all parts, in the order of the systems.

        >>> fact = Fact("rows", lambda part: part.quality(), ("system",), {"n": pl.Expr.sum})
        >>> fact.joined([pl.DataFrame({"system": ["b", "a"], "n": [1, 2]})] * 2, ["a", "b"]).rows()
        [('a', 4), ('b', 2)]
        """
        of_all = [rule(pl.col(name)).alias(name) for name, rule in self.rules.items()]
        found = pl.concat(parts).group_by(self.by, maintain_order=True).agg(of_all)
        if SYSTEM not in self.by:
            return found
        return found.sort(pl.col(SYSTEM).cast(pl.Enum(systems)), maintain_order=True)


def _of_documents(**of: pl.Expr) -> Callable[[PartOfQueries], pl.DataFrame]:
    """Return what finds counts of the judged documents of each system."""
    return lambda part: part.judged.frame.group_by(SYSTEM, maintain_order=True).agg(**of)


UNSCORED = Fact(
    "unscored",
    _of_documents(n_unscored=pl.col(SCORE).null_count()),
    (SYSTEM,),
    {"n_unscored": pl.Expr.sum},
)
"""The number of judged documents without a score."""

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
)
"""The relevant documents of the queries evaluated."""

RETURNED = Fact(
    "returned",
    _of_documents(n_returned=((pl.col(RELEVANCE) > 0) & pl.col(RANK).is_not_null()).sum()),
    (SYSTEM,),
    {"n_returned": pl.Expr.sum},
)
"""The number of relevant documents that a system returned."""

HASHES = Fact(
    "hashes",
    _of_documents(of=pl.struct(QUERY_ID, DOC_ID, RANK).hash(0).sum()),
    (SYSTEM,),
    {"of": pl.Expr.sum},
)
"""A number that is equal for systems with equal judged lists."""

AS_JUDGED = Fact(
    "as judged",
    _of_documents(n_scored=pl.col(SCORE).count(), same=(pl.col(SCORE) == pl.col(RELEVANCE)).all()),
    (SYSTEM,),
    {"n_scored": pl.Expr.sum, "same": pl.Expr.all},
)
"""The number of judged documents with a score, and whether all of these are the grades."""

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
    """Return the fact of the bounds of a measure over orders of equal scores, where sums say it."""

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
    of_lists = (QUALITY, UNANSWERED, lengths(depth_of(primary)))
    return (*of_measures, *of_lists, GRADES, HASHES, AS_JUDGED)


# --- runs -----------------------------------------------------------------------------------------


class RunFacts(NamedTuple):
    """Counts of a run.

    Attributes
    ----------
    n_read, n_rows
        The number of rows, and of those that can be used, folded if rows are folded.
    lengths
        ``length, n``: how many lists have how many documents.
    n_scores
        The number of different scores of each query, summed.
    extra, unanswered, shared
        The queries without judgments, the judged ones without results, and those with both.
    """

    n_read: int
    n_rows: int
    lengths: pl.DataFrame
    n_scores: int
    extra: Names
    unanswered: Names
    shared: Names

    @staticmethod
    def lists_of(rows: pl.DataFrame) -> pl.DataFrame:
        """Count each list's documents and different scores: ``query_id, length, n_scores``."""
        return (
            rows.lazy()
            .group_by(QUERY_ID)
            .agg(pl.len().alias("length"), pl.col(SCORE).n_unique().alias("n_scores"))
            .with_columns(pl.col(QUERY_ID).cast(pl.String))
            .collect(engine="in-memory")
        )

    @classmethod
    def of(
        cls,
        lists: pl.DataFrame,
        judged: pl.Series,
        n_read: int,
        most: tuple[int, int] = (MOST, MOST),
    ) -> RunFacts:
        """Count lists of rows that can be used.

        Parameters
        ----------
        lists
            The result of `lists_of`.
        judged
            The judged queries, each once.
        n_read
            The number of all rows.
        most
            How many names are kept, at most, of queries that one side has, and of those of both.
        """
        judged, returned = judged.cast(pl.String), lists[QUERY_ID]
        answered = returned.is_in(judged.implode())
        one_side, both = most
        return cls(
            n_read,
            int(lists["length"].sum()),
            lists.group_by("length").len("n").cast(pl.Int64).sort("length"),
            int(lists["n_scores"].sum()),
            Names.of(returned.filter(~answered), one_side),
            Names.of(judged.filter(~judged.is_in(returned.implode())), one_side),
            Names.of(returned.filter(answered), both, by_digits=False),
        )

    @classmethod
    def joined(cls, several: Sequence[RunFacts]) -> RunFacts:
        """Join the counts of a run in all parts."""
        lengths = pl.concat([each.lengths for each in several])
        return cls(
            sum(each.n_read for each in several),
            sum(each.n_rows for each in several),
            lengths.group_by("length").agg(pl.sum("n")).sort("length"),
            sum(each.n_scores for each in several),
            Names.joined([each.extra for each in several]),
            Names.joined([each.unanswered for each in several]),
            Names.joined([each.shared for each in several]),
        )

    def without_rows(self) -> RunFacts:
        """Return the counts of a run of which no row can be used."""
        none = Names.of(pl.Series(QUERY_ID, [], pl.String))
        return self._replace(n_rows=0, extra=none, shared=none)

    @property
    def median_length(self) -> float:
        """The median number of documents of a list."""
        upto = self.lengths["n"].cum_sum()
        n = int(upto[-1])
        middle = (upto.search_sorted(k) for k in ((n + 1) // 2, n // 2 + 1))
        return sum(int(self.lengths["length"][place]) for place in middle) / 2
