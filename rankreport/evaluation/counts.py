"""Counts that cautions on the data need, of parts of the queries: they add up without any row.

Of single queries there are at most a few names, of those that a caution names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from rankreport.evaluation.diagnostics import QUALITY
from rankreport.evaluation.judging import summed
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.ranking import Positions
from rankreport.evaluation.unjudged import depth_of
from rankreport.frames import MEASURE, QUERY_ID, RELEVANCE, SYSTEM, VALUE, long
from rankreport.measures import Measure

_NAMED = 5
"""How many queries are named of each kind and system."""

_MOST_GRADES = 1_000
"""More distinct grades are not counted one by one."""

_N = "n"
_ENDS = ("worst", "value", "best")


@dataclass(frozen=True, eq=False)
class DataCounts:
    """What cautions need to know of the judgments and runs of some queries.

    Attributes
    ----------
    n_judgments, n_ranked, n_folded
        As of `rankreport.evaluation.Judged`.
    n_unjudged, unjudged
        By system, the number of queries that it answered without judgments, and the first of them.
    n_repeated
        By system, the number of rows that repeat a score of their query; without systems whose
        scores do not order.
    positions
        By system, what is special about given ranks.
    n_identical
        By system, the number of documents left out for having the id of their query.
    grades
        How often each grade occurs: ``relevance, count``; empty if there are very many grades.
    positive
        The positive grades of evaluated queries; empty if there are very many.
    quality, coverage, ties, undefined
        As of `rankreport.Evaluation`, coverage and ties of the primary measure alone, with ``n``,
        the number of queries that the means of a row are over.
    unanswered
        The first queries for which each system returned nothing: ``system, query_id``.
    depths
        The length of each system's longest list.
    lists
        How many lists are shorter than the primary measure looks: ``system, n_short, n_lists,
        examples``.
    positives_only
        Whether all judged documents have a positive grade.
    """

    n_judgments: int
    n_ranked: Mapping[str, int]
    n_folded: Mapping[str, int]
    n_unjudged: Mapping[str, int]
    unjudged: Mapping[str, Sequence[str]]
    n_repeated: Mapping[str, int]
    positions: Mapping[str, Positions]
    n_identical: Mapping[str, int]
    grades: pl.DataFrame
    positive: frozenset[float]
    quality: pl.DataFrame
    coverage: pl.DataFrame
    ties: pl.DataFrame
    undefined: pl.DataFrame
    unanswered: pl.DataFrame
    depths: Mapping[str, int]
    lists: pl.DataFrame
    positives_only: bool

    @classmethod
    def of(cls, origin: FromRuns, values: pl.DataFrame, primary: Measure) -> DataCounts:
        """Count the rows of an origin with these scores.

        Examples
        --------
        >>> import rankreport as rr
        >>> e = rr.evaluate({"q1": {"d": 1}, "q2": {"d": 1}}, {"mine": {"q1": ["d"]}}, ["RR"])
        >>> found = DataCounts.of(e._origin, e.per_query(), e.primary)
        >>> found.unanswered.rows(), found.depths
        ([('mine', 'q2')], {'mine': 1})
        """
        judged, name = origin.judged, str(primary)
        looks = judged.looks.items()
        quality = origin.quality()
        answered = quality.select(SYSTEM, (pl.col("n_queries") - pl.col("n_unanswered")).alias(_N))
        undefined = long(
            values.group_by(SYSTEM, maintain_order=True).agg(
                pl.exclude(SYSTEM, QUERY_ID).null_count()
            ),
            [SYSTEM],
        ).rename({VALUE: "n_undefined"})
        undefined = undefined.join(
            values.group_by(SYSTEM, maintain_order=True).len("n_queries"), on=SYSTEM
        )
        counted = undefined.filter(pl.col(MEASURE) == name).select(
            SYSTEM, (pl.col("n_queries") - pl.col("n_undefined")).cast(pl.Int64).alias(_N)
        )
        coverage, ties = pl.DataFrame(), pl.DataFrame()
        if len(values):
            coverage = origin.coverage([primary]).join(answered, on=SYSTEM)
            of_primary = values.select(SYSTEM, QUERY_ID, name)
            ties = origin.ties(of_primary, [primary]).join(counted, on=SYSTEM)
        of_first = pl.col(SYSTEM) == next(iter(origin.systems))
        rows = judged.frame.filter(of_first & (pl.col(RELEVANCE) > 0))
        positive = rows[RELEVANCE].unique().to_list()
        lists = origin.lists(depth_of(primary))
        first = origin.unanswered().group_by(SYSTEM, maintain_order=True).head(_NAMED)
        return cls(
            judged.n_judgments,
            judged.n_ranked,
            judged.n_folded,
            judged.n_unjudged_queries,
            {system: look.unjudged_queries.head(_NAMED).to_list() for system, look in looks},
            {s: look.n_repeated for s, look in looks if look.n_repeated is not None},
            {system: look.positions for system, look in looks},
            origin.n_identical,
            _few(judged.grades.cast({"count": pl.Int64})),
            frozenset(positive if len(positive) <= _MOST_GRADES else ()),
            quality.with_columns(answered[_N]),
            coverage,
            ties,
            undefined,
            first,
            origin.depths(),
            # Copied, as a part of a column keeps the names of all queries.
            pl.DataFrame(lists.to_dict(as_series=False), lists.schema),
            origin.positives_only(),
        )

    @classmethod
    def joined(
        cls, parts: Sequence[DataCounts], systems: Sequence[str], primary: Measure
    ) -> DataCounts:
        """Add up the counts of all parts, with systems in this order."""
        means = primary.declaration.aggregate != "sum"
        n_unjudged = summed(part.n_unjudged for part in parts)
        quality = _added(
            [part.quality for part in parts],
            [SYSTEM],
            systems,
            sums=[each for each in QUALITY if each not in {SYSTEM, "judged_at_10"}],
            means=["judged_at_10"],
        )
        quality = quality.with_columns(
            pl.col(SYSTEM).replace_strict(n_unjudged, return_dtype=pl.Int64).alias("n_unjudged")
        )
        return cls(
            sum(part.n_judgments for part in parts),
            summed(part.n_ranked for part in parts),
            summed(part.n_folded for part in parts),
            n_unjudged,
            {s: _first(part.unjudged.get(s, ()) for part in parts) for s in systems},
            summed(part.n_repeated for part in parts),
            {s: Positions.summed(p.positions.get(s, Positions()) for p in parts) for s in systems},
            summed(part.n_identical for part in parts),
            _grades(parts),
            frozenset().union(*(part.positive for part in parts)),
            quality.select(*QUALITY),
            _added(
                [part.coverage for part in parts], _KEYS, systems, same=["k"], means=["unjudged"]
            ),
            _added(
                [part.ties for part in parts],
                _KEYS,
                systems,
                sums=["n_queries", *(() if means else _ENDS)],
                means=_ENDS if means else (),
            ),
            _added(
                [part.undefined for part in parts],
                _KEYS,
                systems,
                sums=["n_undefined", "n_queries"],
            ),
            pl.concat([part.unanswered for part in parts])
            .sort(QUERY_ID)
            .group_by(SYSTEM, maintain_order=True)
            .head(_NAMED),
            {s: max(part.depths.get(s, 0) for part in parts) for s in systems},
            pl.concat([part.lists for part in parts])
            .group_by(pl.col(SYSTEM).cast(pl.Enum(list(systems))))
            .agg(
                pl.sum("n_short", "n_lists"),
                pl.col("examples").explode().drop_nulls().sort().head(_NAMED),
            )
            .sort(SYSTEM)
            .cast({SYSTEM: pl.String}),
            all(part.positives_only for part in parts),
        )


_KEYS = (SYSTEM, MEASURE)


def _added(
    frames: Iterable[pl.DataFrame],
    keys: Sequence[str],
    systems: Sequence[str],
    *,
    sums: Sequence[str] = (),
    means: Sequence[str] = (),
    same: Sequence[str] = (),
) -> pl.DataFrame:
    """Add up columns of the rows of the same keys, and average others by their column ``n``."""
    rows = pl.concat([frame for frame in frames if len(frame)], how="vertical_relaxed")
    place = pl.col(SYSTEM).replace_strict(
        {system: at for at, system in enumerate(systems)}, return_dtype=pl.UInt32
    )
    weighed = [
        (pl.col(name) * pl.col(_N)).sum() / pl.col(_N).filter(pl.col(name).is_not_null()).sum()
        for name in means
    ]
    known = [pl.col(name).is_not_null().any() for name in means]
    columns = [name for name in rows.columns if name != _N]
    return (
        rows.group_by(keys, maintain_order=True)
        .agg(
            *(
                pl.when(pl.col(name).is_not_null().any()).then(pl.col(name).sum()).alias(name)
                for name in sums
            ),
            *(
                pl.when(some).then(mean).alias(name)
                for name, mean, some in zip(means, weighed, known, strict=True)
            ),
            *(pl.col(name).first() for name in same),
        )
        .sort(place, maintain_order=True)
        .select(columns)
    )


def _grades(parts: Sequence[DataCounts]) -> pl.DataFrame:
    """Add up how often each grade occurs; empty if there are very many grades."""
    total = pl.concat([part.grades for part in parts]).group_by(RELEVANCE).agg(pl.sum("count"))
    many = any(part.n_judgments and part.grades.is_empty() for part in parts)
    return total.clear() if many else _few(total.sort(RELEVANCE))


def _few(grades: pl.DataFrame) -> pl.DataFrame:
    return grades if len(grades) <= _MOST_GRADES else grades.clear()


def _first(several: Iterable[Sequence[str]]) -> list[str]:
    return sorted(name for names in several for name in names)[:_NAMED]
