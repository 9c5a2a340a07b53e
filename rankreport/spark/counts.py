"""What a check of data counts in each bucket, and the sums: no rows are collected.

Queries are counted, and names of some kept: the first ones, and about 50,000 that stand for all.
Those are kept whose digits have the lowest hashes, so that an id of one side is kept with the id of
the other side that would match it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl
import pyarrow as pa

from rankreport.errors import DataError
from rankreport.evaluation import (
    GROUP,
    Collapse,
    FromRuns,
    Lists,
    Positions,
    columns_of,
    depth_of,
    once_each,
    source_of_rows,
    unmatched_documents,
    usable_rows,
)
from rankreport.frames import (
    DOC_ID,
    MEASURE,
    N_RETRIEVED,
    QUERY_ID,
    RANK,
    RELEVANCE,
    SCORE,
    SYSTEM,
    VALUE,
    long,
)
from rankreport.io import BOM, Frame, Source, count_rows, faulty_rank, table_source
from rankreport.measures import TIES, Measure
from rankreport.spark.buckets import Plan
from rankreport.spark.tables import INCOMPLETE

_NAMED = 5
"""How many queries a caution names."""

_NAMES = 50_000
"""Of so many queries, about, the names of one side are compared with those of the other."""

SAMPLED = 300
"""The most queries of a system whose documents are compared."""

_DEPTH = 50
"""How many rows of a list are looked at."""

_KEY = "key"
_WEIGHT = "weight"


class Names(NamedTuple):
    """The names of some queries, of which there may be more.

    Attributes
    ----------
    n
        The number of queries.
    first
        The first ones by name.
    some
        ``query_id, key``: those with the lowest keys, in the order of these.
    whole
        Whether these are all.
    """

    n: int
    first: list[str]
    some: pl.DataFrame
    whole: bool

    @classmethod
    def of(cls, queries: pl.Series, most: int) -> Names:
        """Keep the names of some queries, ``most`` of them."""
        names = queries.cast(pl.String).rename(QUERY_ID).sort()
        # Ids that would match but for a prefix, a suffix, case, ".0" or zeros have the same digits.
        digits = pl.col(QUERY_ID).str.replace(r"\.0+$", "").str.replace_all(r"[^0-9]", "")
        digits = digits.str.strip_chars_start("0")
        key = pl.when(digits != "").then(digits).otherwise(pl.col(QUERY_ID).str.to_lowercase())
        some = names.to_frame().with_columns(key.hash(0).alias(_KEY)).sort(_KEY, QUERY_ID)
        return cls(len(names), names.head(_NAMED).to_list(), some.head(most), len(names) <= most)

    @classmethod
    def joined(cls, several: Sequence[Names]) -> Names:
        """Join the names of all buckets."""
        some = pl.concat([each.some for each in several]).sort(_KEY, QUERY_ID)
        # Above the lowest of the highest keys, a bucket may have left some out.
        highest = [each.some[_KEY].max() for each in several if not each.whole]
        if highest:
            some = some.filter(pl.col(_KEY) <= pl.Series(highest, dtype=pl.UInt64).min())
        first = sorted(name for each in several for name in each.first)[:_NAMED]
        return cls(sum(each.n for each in several), first, some, not highest)

    @property
    def names(self) -> pl.Series:
        """The names that were kept."""
        first = pl.Series(QUERY_ID, self.first, pl.String)
        return pl.concat([first, self.some[QUERY_ID]]).unique().sort()


class RunCounts(NamedTuple):
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
    misplaced
        ``query_id, rank`` of rows whose rank orders no documents.
    unfolded
        The errors of rows that cannot be folded.
    repeated
        Whether a document is repeated in a query; False where rows are folded.
    positions
        What is special about given ranks.
    """

    n_read: int
    n_rows: int
    lengths: pl.DataFrame
    n_scores: int
    extra: Names
    unanswered: Names
    shared: Names
    misplaced: pl.DataFrame
    unfolded: tuple[DataError, ...]
    repeated: bool
    positions: Positions

    def without_rows(self) -> RunCounts:
        """Return the counts of a run of which no row can be used."""
        none = Names(0, [], self.shared.some.clear(), whole=True)
        return self._replace(n_rows=0, extra=none, shared=none)

    @property
    def queries(self) -> list[str]:
        """The first queries, two at most."""
        return sorted([*self.extra.first, *self.shared.first])[:2]


def joined_runs(several: Sequence[RunCounts]) -> RunCounts:
    """Join the counts of a run in all buckets."""
    lengths = pl.concat([each.lengths for each in several])
    return RunCounts(
        sum(each.n_read for each in several),
        sum(each.n_rows for each in several),
        lengths.group_by("length").agg(pl.sum("n")).sort("length"),
        sum(each.n_scores for each in several),
        Names.joined([each.extra for each in several]),
        Names.joined([each.unanswered for each in several]),
        Names.joined([each.shared for each in several]),
        pl.concat([each.misplaced for each in several]).sort(QUERY_ID, RANK),
        tuple(error for each in several for error in each.unfolded),
        any(each.repeated for each in several),
        Positions.summed(each.positions for each in several),
    )


class Judging(NamedTuple):
    """What is counted of the judged documents of each system, for cautions.

    Attributes
    ----------
    n_judgments
        The number of judgments.
    quality, coverage, ties, short
        The frames of an evaluation; ties of the primary measure.
    undefined
        ``system, measure, n_undefined, n_queries``.
    unanswered
        ``system, query_id``: the first queries without results.
    lists
        ``system``; ``n_retrieved``, the length of the longest list; ``n_short, n_lists, examples``:
        how many lists are shorter than the primary measure looks, of how many, and the first.
    copies
        ``system``; ``key``, equal for equal lists; ``n_scored``, the number of judged documents
        with a score, and ``same``, whether all of these are their grades.
    grades
        The grades that occur.
    """

    n_judgments: int
    quality: pl.DataFrame
    coverage: pl.DataFrame
    ties: pl.DataFrame
    undefined: pl.DataFrame
    unanswered: pl.DataFrame
    lists: pl.DataFrame
    copies: pl.DataFrame
    grades: pl.Series


class Sample(NamedTuple):
    """Documents of some queries of a system.

    Attributes
    ----------
    judgments, run
        The judgments, and the first rows of the lists.
    judged, returned
        Documents that only one side has, as of `rankreport.evaluation.unmatched_documents`.
    """

    judgments: pl.DataFrame
    run: pl.DataFrame
    judged: pl.DataFrame
    returned: pl.DataFrame


def n_names(n_buckets: int) -> int:
    """Return how many names of queries a bucket keeps: more than its share, if all are few."""
    return max(_NAMES // n_buckets, n_sampled(n_buckets))


def n_sampled(n_buckets: int) -> int:
    """Return the same of queries of which some are sampled."""
    return max(8 * SAMPLED // n_buckets, 20)


class Counted(NamedTuple):
    """What is counted of a bucket, or of all.

    Attributes
    ----------
    runs
        By system.
    judging
        Of the judged documents.
    repeated
        Whether a judged document is repeated in a query.
    """

    runs: dict[str, RunCounts]
    judging: Judging
    repeated: bool


class _Run(NamedTuple):
    """The rows of a run that can be used, folded, and what is wrong with them."""

    source: Source
    rows: pl.DataFrame
    misplaced: pl.DataFrame
    unfolded: tuple[DataError, ...]
    repeated: bool
    positions: Positions


def counted_in(
    plan: Plan, primary: Measure, kept: tuple[int, int], runs: pa.Table, qrels: pa.Table
) -> Counted:
    """Count the rows of a bucket.

    Parameters
    ----------
    plan
        What every bucket needs to know.
    primary
        The primary measure.
    kept
        How many names are kept, at most, of queries that one side has, and of those of both.
    runs, qrels
        The rows.
    """
    judgments, source, repeated = _judgments(plan, qrels)
    judged = judgments[QUERY_ID].cast(pl.String).unique()
    every = pl.DataFrame(runs)
    clean = {system: _usable_run(plan, system, every) for system in plan.systems}
    n_of = dict(every.group_by(SYSTEM).len().iter_rows())
    found = {
        system: _counted(n_of.get(system, 0), run, judged, kept) for system, run in clean.items()
    }
    judging = _judging_of(_origin(plan, source, clean), plan.measures, primary)
    return Counted(found, judging, repeated)


def _judgments(plan: Plan, qrels: pa.Table) -> tuple[pl.DataFrame, Source, bool]:
    """Return the judgments that can be used, each document once, and whether one was repeated."""
    given = pl.DataFrame(qrels).filter(~pl.col(INCOMPLETE)).select(plan.layout.columns)
    source = table_source("the qrels", plan.layout, Frame(given.lazy))
    usable = usable_rows(source.read(), source)
    rows = once_each(usable, plan.layout.keys)
    return rows, source_of_rows(source, rows.filter(_UNMARKED)), len(rows) < len(usable)


def _usable_run(plan: Plan, system: str, every: pl.DataFrame) -> _Run:
    given = plan.run(system, every.filter(pl.col(SYSTEM) == system, ~pl.col(INCOMPLETE)))
    rule, folding = TIES[plan.settings["ties"]], plan.collapse
    rows = usable_rows(given.read(*columns_of(system, rule, folding)), given)
    unfolded: tuple[DataError, ...] = ()
    repeated = folding is None and not count_rows(rows, given).valid
    if folding is not None:
        try:
            rows = folding.fold(rows, system, given, by_rank=rule.by_rank)
        except DataError as error:
            rows, unfolded = rows.clear(), (error,)
    elif repeated:
        rows = Collapse("max", {}, 1).fold(rows, system, given, by_rank=rule.by_rank)
    misplaced = pl.DataFrame(schema={QUERY_ID: pl.String, RANK: pl.Int64})
    if rule.by_rank:
        misplaced = faulty_rank(rows).cast({QUERY_ID: pl.String})
    columns = [QUERY_ID, DOC_ID, SCORE, *([RANK] if rule.by_rank else [])]
    # An evaluation would refuse these rows; they are told of all buckets.
    kept = rows.select(columns).filter(_UNMARKED) if misplaced.is_empty() else rows.clear()
    positions = Lists.of(kept, rule).positions if rule.by_rank else Positions()
    source = source_of_rows(given, kept.select(columns))
    return _Run(source, rows, misplaced, unfolded, repeated, positions)


_UNMARKED = ~pl.col(QUERY_ID).cast(pl.String).str.starts_with(BOM)


def _origin(plan: Plan, qrels: Source, runs: Mapping[str, _Run]) -> FromRuns:
    """Return results of the rows that can be used, which are folded already."""
    apart = {"collapse", "document_of"}
    rules = {name: rule for name, rule in plan.settings.items() if name not in apart}
    sources = {system: run.source for system, run in runs.items()}
    return FromRuns(qrels, sources, rules, top=plan.top_grade, part=True)


def _counted(n_read: int, run: _Run, judged: pl.Series, kept: tuple[int, int]) -> RunCounts:
    most, few = kept
    lists = (
        run.rows.lazy()
        .group_by(pl.col(QUERY_ID).cast(pl.String))
        .agg(pl.len().alias("length"), pl.col(SCORE).n_unique().alias("n_scores"))
        .collect()
    )
    returned = lists[QUERY_ID]
    answered = returned.is_in(judged.implode())
    lengths = lists.group_by("length").len("n")
    return RunCounts(
        n_read,
        len(run.rows),
        lengths.cast({"length": pl.Int64, "n": pl.Int64}),
        int(lists["n_scores"].sum()),
        Names.of(returned.filter(~answered), most),
        Names.of(judged.filter(~judged.is_in(returned.implode())), most),
        Names.of(returned.filter(answered), few),
        run.misplaced,
        run.unfolded,
        run.repeated,
        run.positions,
    )


def _judging_of(origin: FromRuns, measures: Sequence[Measure], primary: Measure) -> Judging:
    """Count what cautions need of some queries; means stand beside their weights."""
    judged = origin.judged
    frame, queries = judged.frame, judged.queries
    of_system = queries.group_by(SYSTEM, maintain_order=True)
    quality = origin.quality()
    answered = quality.select(SYSTEM, (pl.col("n_queries") - pl.col("n_unanswered")).alias(_WEIGHT))
    values = origin.values(measures)
    by_system = values.group_by(SYSTEM, maintain_order=True)
    undefined = long(by_system.agg(pl.exclude(SYSTEM, QUERY_ID).null_count()), [SYSTEM])
    defined = by_system.agg(pl.col(str(primary)).count().alias(_WEIGHT))
    nothing = pl.col("counted") & (pl.col(N_RETRIEVED) == 0)
    returned = pl.col(N_RETRIEVED) > 0
    short = returned & (pl.col(N_RETRIEVED) < depth_of(primary))
    names = pl.col(QUERY_ID)
    scored = pl.col(SCORE).is_not_null()
    key = pl.struct(QUERY_ID, DOC_ID, RANK).hash(0).sum()
    return Judging(
        judged.n_judgments,
        quality.join(answered, on=SYSTEM, maintain_order="left"),
        origin.coverage(measures).join(answered, on=SYSTEM, maintain_order="left"),
        origin.ties(values, [primary]).join(defined, on=SYSTEM, maintain_order="left"),
        undefined.rename({VALUE: "n_undefined"}).join(
            by_system.len("n_queries"), on=SYSTEM, maintain_order="left"
        ),
        of_system.agg(names.filter(nothing).sort().head(_NAMED)).explode(
            QUERY_ID, empty_as_null=False
        ),
        of_system.agg(
            pl.col(N_RETRIEVED).max(),
            n_short=short.sum(),
            n_lists=returned.sum(),
            examples=names.filter(short).sort().head(_NAMED),
        ),
        frame.group_by(SYSTEM, maintain_order=True).agg(
            key.alias(_KEY),
            n_scored=scored.sum(),
            same=(pl.col(SCORE) == pl.col(RELEVANCE)).all(),
        ),
        frame[RELEVANCE].unique(),
    )


def joined_counts(parts: Sequence[Counted], systems: Sequence[str], primary: Measure) -> Counted:
    """Join the counts of all buckets; parameters are as for `joined_judging`."""
    return Counted(
        {system: joined_runs([part.runs[system] for part in parts]) for system in systems},
        joined_judging([part.judging for part in parts], systems, primary),
        any(part.repeated for part in parts),
    )


def joined_judging(parts: Sequence[Judging], systems: Sequence[str], primary: Measure) -> Judging:
    """Join the counts of all buckets.

    Parameters
    ----------
    parts
        The counts.
    systems
        The systems, in the order of the results.
    primary
        The primary measure.
    """

    def joined(which: str) -> pl.LazyFrame:
        frames: list[pl.DataFrame] = [getattr(part, which) for part in parts]
        return pl.concat(frames).lazy()

    def of_systems(rows: pl.LazyFrame, *also: str) -> pl.DataFrame:
        place = pl.col(SYSTEM).cast(pl.Enum(systems))
        return rows.sort(place, *also, maintain_order=True).collect()

    counts = [name for name in parts[0].quality.columns if name.startswith("n_")]
    quality = (
        joined("quality")
        .group_by(SYSTEM)
        .agg(pl.col(counts).sum(), _mean(pl.col("judged_at_10")).alias("judged_at_10"))
    )
    return Judging(
        sum(part.n_judgments for part in parts),
        of_systems(quality.select(parts[0].quality.columns[:-1])),
        of_systems(
            joined("coverage")
            .group_by(SYSTEM, MEASURE, "k", maintain_order=True)
            .agg(_mean(pl.col("unjudged")).alias("unjudged"))
        ),
        of_systems(_joined_ties(joined("ties"), primary)),
        of_systems(
            joined("undefined")
            .group_by(SYSTEM, MEASURE, maintain_order=True)
            .agg(pl.sum("n_undefined", "n_queries"))
        ),
        of_systems(joined("unanswered"), QUERY_ID),
        of_systems(
            joined("lists")
            .group_by(SYSTEM)
            .agg(
                pl.max(N_RETRIEVED),
                pl.sum("n_short", "n_lists"),
                pl.col("examples").explode().drop_nulls().sort().head(_NAMED),
            )
        ),
        of_systems(
            joined("copies").group_by(SYSTEM).agg(pl.sum(_KEY, "n_scored"), pl.col("same").all())
        ),
        pl.concat([part.grades for part in parts]).unique(),
    )


def _mean(value: pl.Expr) -> pl.Expr:
    """Return the mean of means of parts, null where no part has one."""
    weight = pl.when(value.is_not_null()).then(pl.col(_WEIGHT))
    return pl.when(weight.sum() > 0).then((value * weight).sum() / weight.sum())


def _joined_ties(rows: pl.LazyFrame, primary: Measure) -> pl.LazyFrame:
    """Join the bounds over equal scores; they stay unknown where no sum says them."""
    bounds = [pl.col(name) for name in ("worst", "value", "best")]
    match primary.declaration.aggregate:
        case "sum":
            joined = [bound.sum() for bound in bounds]
        case "geometric":
            joined = [_mean(bound.log()).exp().alias(bound.meta.output_name()) for bound in bounds]
        case "mean":
            joined = [_mean(bound).alias(bound.meta.output_name()) for bound in bounds]
        case _:
            nothing = pl.lit(None, pl.Float64)
            joined = [nothing.alias(bound.meta.output_name()) for bound in bounds]
    known = primary.declaration.aggregate in {"sum", "geometric", "mean"}
    n = pl.col("n_queries")
    moved = pl.when(n.null_count() == 0).then(n.sum()) if known else pl.lit(None, pl.Int64)
    return rows.group_by(SYSTEM, MEASURE).agg(moved.alias("n_queries"), *joined)


def sampled_in(
    plan: Plan, queries: Mapping[str, Sequence[str]], runs: pa.Table, qrels: pa.Table
) -> dict[str, Sample]:
    """Return documents of some queries of each system, of a bucket."""
    every, found = pl.DataFrame(runs), {}
    name = pl.col(QUERY_ID).cast(pl.String)
    judgments = _judgments(plan, qrels)[0].with_columns(name)
    for system, some in queries.items():
        wanted = pl.Series(QUERY_ID, list(some), pl.String)
        own = judgments.filter(pl.col(QUERY_ID).is_in(wanted.implode()))
        rows = _usable_run(plan, system, every).rows.with_columns(name)
        rows = rows.filter(pl.col(QUERY_ID).is_in(wanted.implode()))
        judged, returned = unmatched_documents(own, rows, wanted)
        ordered = rows.sort(QUERY_ID, SCORE, DOC_ID, descending=[False, True, False])
        first = ordered.filter(pl.int_range(pl.len()).over(QUERY_ID) < _DEPTH)
        columns = [QUERY_ID, DOC_ID]
        found[system] = Sample(
            own.select(*columns, RELEVANCE), first.select(*columns, SCORE), judged, returned
        )
    return found


def joined_samples(several: Sequence[Sample]) -> Sample:
    """Join the documents of a system from all buckets."""
    first = several[0]
    columns = {which: [getattr(each, which) for each in several] for which in first._fields}
    order = {"judged": GROUP, "returned": GROUP}
    joined = {which: pl.concat(frames) for which, frames in columns.items()}
    return Sample(
        **{
            which: rows.sort(order.get(which, QUERY_ID), maintain_order=True)
            for which, rows in joined.items()
        }
    )


def alike_in(
    plan: Plan, pairs: Iterable[tuple[str, str]], runs: pa.Table, qrels: pa.Table
) -> list[bool]:
    """Return of pairs of systems whether their lists are the same, in a bucket."""
    source = _judgments(plan, qrels)[1]
    every = pl.DataFrame(runs)
    origin = _origin(plan, source, {s: _usable_run(plan, s, every) for s in plan.systems})
    return [origin.same_lists(one, other) for one, other in pairs]
