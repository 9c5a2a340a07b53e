"""compare_rankings() and `RankingComparison`: how similar two rankings are, without judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Unpack

import numpy as np
import polars as pl

from rankreport import charts, io
from rankreport.call_hints import hinting
from rankreport.errors import DataError, OptionError, brief, check_confidence, choose, expect
from rankreport.frames import DOC_ID, MEASURE, QUERY_ID, RANK, SYSTEM, TIE_FIRST, TIE_LAST
from rankreport.labels.correlation import rank_correlations
from rankreport.labels.lists import ORDERS, check_count, ranked_lists
from rankreport.labels.overlap import (
    VARIANTS,
    Documents,
    Ints,
    Overlaps,
    Shared,
    rank_biased_overlap,
)
from rankreport.statistics import INTERVALS, Draws, Sample, check_draws
from rankreport.tables import Displayed, Table, to_table
from rankreport.text import (
    Caution,
    CautionKind,
    Concerned,
    between,
    counted,
    percent,
    say,
    short,
    with_names,
    worst_first,
)

if TYPE_CHECKING:
    from rankreport.charts import Chart

_DEPTHS: Final = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
"""Depths of curves, up to the longest list."""

_QUERY = "number of the query"
_OTHER = "_other"

RANKING_TIES: Mapping[str, str] = {
    "a": "equal scores are ties: agreement is its mean over their orders (variant a)",
    "b": "equal scores are ties, corrected for what they leave open (variant b)",
    "w": "equal scores are ties that share a rank (variant w)",
    **ORDERS,
}
"""What equal scores mean, by the value of ``ties``."""

ONE_SIDED = CautionKind(
    "queries_of_one_ranking",
    "queries of one ranking only",
    "Run both systems on the same queries.",
    "Queries that one ranking lacks are left out: {systems}.",
)
NO_DOCUMENT_SHARED = CautionKind(
    "no_document_shared",
    "no document is in both rankings",
    "Compare the ids of both: are they of the same collection, and spelled the same way?",
)
OTHER_DEPTH = CautionKind(
    "other_depth",
    "lists of different lengths",
    "Choose a depth to compare both down to the same rank.",
)
MANY_TIES = CautionKind(
    "many_ties",
    "many equal scores",
    "Their order is not known: choose the tie rule input if the order given is the ranking.",
    "Documents with the score of another document of the same query: {systems}.",
)
SAME_RANKING = CautionKind(
    "same_ranking",
    "the rankings are the same",
    "Check that the second file is another run.",
    "{one} and {other} rank the same documents in the same order for every query.",
)


@dataclass(frozen=True, eq=False, repr=False)
class RankingComparison(Displayed, io.FromFiles):
    """How similar two rankings are. See `rankreport.compare_rankings`.

    Attributes
    ----------
    names
        The names of the two rankings.
    settings
        The options: ``k, p, ties, depth, confidence, interval, resamples, seed``.
    missing
        The queries that only the other ranking has, by name.
    files
        The files that it was read from, which no output of it replaces.

    Examples
    --------
    >>> import rankreport as rr
    >>> found = rr.compare_rankings({"q1": ["d1", "d2"]}, {"q1": ["d1", "d3"]}, k=2)
    >>> found.per_query().select("query_id", "overlap@2").rows()
    [('q1', 0.5)]
    """

    names: tuple[str, str]
    settings: Mapping[str, Any]
    missing: Mapping[str, tuple[str, ...]]
    _values: pl.DataFrame = field(repr=False)
    _lists: tuple[pl.DataFrame, pl.DataFrame] = field(repr=False)
    _by_depth: Mapping[str, Any] = field(repr=False)
    _sources: tuple[io.Source, io.Source] = field(repr=False)

    @property
    def inputs(self) -> list[io.Input]:
        """The inputs: ``role``, ``name``, ``sha256`` (None for a table) and number of ``rows``."""
        return [
            io.input_of(f"run {name}", source.contents, self._by_depth["n_rows"][name])
            for name, source in zip(self.names, self._sources, strict=True)
        ]

    def quality(self) -> pl.DataFrame:
        """Return what both rankings hold.

        Returns
        -------
        DataFrame
            ``ranking`` (String), ``n_queries`` (Int64), which both have; ``n_missing`` (Int64),
            queries that only the other one has; ``mean_length`` (Float64) and ``longest`` (Int64)
            of its lists; ``tied`` (Float64), the share of its documents with the score of another
            document of the query.
        """
        lengths = [self._values[name] for name in ("n_a", "n_b")]
        return pl.DataFrame(
            {
                "ranking": self.names,
                "n_queries": [len(self._values)] * 2,
                "n_missing": [len(self.missing[name]) for name in self.names],
                "mean_length": [each.mean() for each in lengths],
                "longest": [each.max() for each in lengths],
                "tied": [self._by_depth["tied"][name] for name in self.names],
            }
        )

    def per_query(self) -> pl.DataFrame:
        """Return how similar the two lists of each query are.

        Returns
        -------
        DataFrame
            One row per query of both rankings, sorted by ``query_id`` (String): ``n_a, n_b,
            n_shared`` (Int64), the numbers of documents of the first list, of the second, and of
            both; ``rbo``, rank-biased overlap, 0 to 1, with its bounds ``rbo_min, rbo_max``;
            ``tau_b``, Kendall's tau-b, and ``tau_ap``, AP correlation, -1 to 1, of the documents of
            both lists, null where fewer than two ranks differ; ``overlap@k``, the share of the
            first k documents that both have, and ``jaccard@k``, the share of the documents that
            either has, 0 to 1 (all Float64).
        """
        return self._values

    def summary(self) -> pl.DataFrame:
        """Return the means over the queries, with intervals.

        Returns
        -------
        DataFrame
            ``measure`` (String), ``mean, ci_low, ci_high`` (Float64; the ends are null where all
            queries have the same value), ``n_queries`` (Int64), the number of queries with a value.
        """
        names = [name for name in self._values.columns if name not in _COUNTS]
        names = [name for name in names if name not in {"rbo_min", "rbo_max"}]
        lowest = np.where([name.startswith("tau") for name in names], -1.0, 0.0)
        values = self._values.select(names).to_numpy()
        return self._means(pl.DataFrame({MEASURE: names}), values, lowest)

    def by_depth(self) -> pl.DataFrame:
        """Return the mean overlap and rank-biased overlap of the lists down to several depths.

        Returns
        -------
        DataFrame
            ``measure`` (String, ``"overlap"`` or ``"RBO"``), ``k`` (Int64), ``mean, ci_low,
            ci_high`` (Float64). Lists shorter than k count with all their documents.
        """
        depths = pl.DataFrame({"k": self._by_depth["k"]}, schema={"k": pl.Int64})
        parts = (
            self._means(depths.select(pl.lit(name).alias(MEASURE), "k"), self._by_depth[name])
            for name in ("overlap", "RBO")
        )
        return pl.concat(parts).drop("n_queries")

    def most_different(self, n: int = 10) -> pl.DataFrame:
        """Return the rows of `per_query` with the lowest rank-biased overlap, the lowest first.

        Parameters
        ----------
        n
            Number of queries, at least 1.

        Raises
        ------
        OptionError
            If n is less than 1.
        """
        check_count("n", n)
        return self._values.sort("rbo", QUERY_ID).head(n)

    def side_by_side(self, query: str, k: int = 10) -> pl.DataFrame:
        """Return the first documents of both lists of a query.

        Parameters
        ----------
        query
            The id of a query of both rankings.
        k
            Number of documents of either list, at least 1.

        Returns
        -------
        DataFrame
            ``rank`` (Int64); ``doc_a`` (String), the document of the first ranking there, and
            ``rank_in_b`` (Int64), its rank in the second, null where it is not; ``doc_b`` and
            ``rank_in_a`` likewise. Null beyond the end of a list.

        Raises
        ------
        OptionError
            If there is no such query.
        """
        check_count("k", k)
        lists = [rows.filter(pl.col(QUERY_ID) == query).drop(QUERY_ID) for rows in self._lists]
        if lists[0].is_empty():
            raise OptionError(
                f"query={query!r} is not one of the {len(self._values)} queries of both rankings."
            )
        sides = []
        for own, other, names in (
            (lists[0], lists[1], ("doc_a", "rank_in_b")),
            (lists[1], lists[0], ("doc_b", "rank_in_a")),
        ):
            elsewhere = other.rename({RANK: names[1]})
            first = own.filter(pl.col(RANK) <= k).join(elsewhere, on=DOC_ID, how="left")
            sides.append(first.select(RANK, pl.col(DOC_ID).alias(names[0]), names[1]))
        return sides[0].join(sides[1], on=RANK, how="full", coalesce=True).sort(RANK)

    def plot(self, **options: Unpack[charts.ChartOptions]) -> Chart:
        """Return a chart of `by_depth`, a matplotlib figure that displays itself in Jupyter.

        Parameters
        ----------
        options
            Where and how large it is drawn, and in which style: see
            `rankreport.charts.ChartOptions`.
        """
        rows = self.by_depth().with_columns(
            pl.col(MEASURE).replace({"overlap": say("overlap")}).alias(SYSTEM)
        )
        return charts.curves(
            rows, measure=say("agreement"), confidence=self.settings["confidence"], **options
        )

    @property
    def sentence(self) -> str:
        """The result in a sentence, in the current language."""
        k = self.settings["k"][0]
        row = self.summary().row(by_predicate=pl.col(MEASURE) == f"overlap@{k}", named=True)
        fields = {
            "k": k,
            "share": _percent(row["mean"]),
            "queries": counted(row["n_queries"], "query", "queries"),
        }
        if row["ci_low"] is None:
            return say(
                "The two rankings share {share} of the top {k} on average, over {queries}.",
                **fields,
            )
        return say(
            "The two rankings share {share} of the top {k} on average ({confidence} interval "
            "{low} to {high}), over {queries}.",
            **fields,
            confidence=percent(self.settings["confidence"]),
            low=_percent(row["ci_low"]),
            high=_percent(row["ci_high"]),
        )

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before acting on the comparison, the worst first."""
        return worst_first(self._cautions())

    def to_polars(self) -> pl.DataFrame:
        """Return `summary`."""
        return self.summary()

    def _notes(self) -> Sequence[str]:
        """Return the result in a sentence, and how equal scores were treated."""
        ties = say("Ties: {rule}.", rule=say(RANKING_TIES[self.settings["ties"]]))
        return [self.sentence, ties]

    def _shown(self) -> Table:
        """Return `summary` as a table for display."""
        found = self.summary()
        rows = found.select(
            pl.Series(MEASURE, [_title(name) for name in found[MEASURE]]),
            "mean",
            pl.Series(
                "interval",
                [between(*ends) for ends in found.select("ci_low", "ci_high").iter_rows()],
            ),
            "n_queries",
        )
        one, other = (short(name) for name in self.names)
        return to_table(
            rows,
            headers=(
                say("measure"),
                say("mean"),
                say("{confidence} interval", confidence=percent(self.settings["confidence"])),
                say("queries"),
            ),
            caption=say("How similarly {one} and {other} rank", one=one, other=other),
        )

    def _means(self, about: pl.DataFrame, values: Any, lowest: Any = 0.0) -> pl.DataFrame:
        """Add the means of columns of values, with intervals that end at ``lowest`` and 1."""
        sample = Sample.of(np.asarray(values, dtype=np.float64))
        draws = Draws(self.settings["resamples"], self.settings["seed"])
        low, high = draws.interval(self.settings["interval"], sample, self.settings["confidence"])
        return about.with_columns(
            pl.Series("mean", sample.mean),
            pl.Series("ci_low", np.maximum(low, lowest)),
            pl.Series("ci_high", np.minimum(high, 1.0)),
            pl.Series("n_queries", sample.size, pl.Int64),
        ).with_columns(pl.col("mean", "ci_low", "ci_high").fill_nan(None))

    def _cautions(self) -> Iterator[Caution]:
        values = self._values
        yield from ONE_SIDED.of_each(
            Concerned((name,), with_names(counted(n, "query", "queries"), named, n), n)
            for name, named in self.missing.items()
            if (n := len(named))
        )
        if not values["n_shared"].sum():
            one, other = (rows[DOC_ID][0] for rows in self._lists)
            text = say(
                "No document is in both lists of any query: one ranking has documents such as "
                "{one}, the other such as {other}.",
                one=repr(one),
                other=repr(other),
            )
            yield NO_DOCUMENT_SHARED.caution("stop", text)
        else:
            yield from self._about_lists(values)

    def _about_lists(self, values: pl.DataFrame) -> Iterator[Caution]:
        """Yield what to know of the lists: their lengths, ties, and whether they are the same."""
        longest = [int(values[name].cast(pl.Int64).max() or 0) for name in ("n_a", "n_b")]  # type: ignore[arg-type]
        if longest[0] != longest[1]:
            (one, other), (n_one, n_other) = self.names, longest
            text = say(
                "{one} returns up to {n_one} documents per query, {other} up to {n_other}.",
                one=short(one),
                n_one=f"{n_one:,}",
                other=short(other),
                n_other=f"{n_other:,}",
            )
            yield OTHER_DEPTH.caution("note", text)
        yield from MANY_TIES.of_each(
            Concerned((name,), _percent(share))
            for name, share in self._by_depth["tied"].items()
            if share >= _MANY_TIES and self.settings["ties"] in VARIANTS
        )
        if ranks_the_same(self):
            one, other = map(short, self.names)
            yield SAME_RANKING.caution("look", one=one, other=other)


def ranks_the_same(self: RankingComparison) -> bool:
    """Return whether both rank the same documents in the same order, for every query."""
    return bool(self._by_depth["same"])


_COUNTS = (QUERY_ID, "n_a", "n_b", "n_shared")

_MANY_TIES = 0.5
"""The share of documents with equal scores from which the rule for them matters."""

TITLES = {
    "rbo": "Rank-biased overlap",
    "tau_b": "Kendall's tau-b of shared documents",
    "tau_ap": "AP correlation of shared documents",
}


def _title(name: str) -> str:
    """Return the title of a column of `per_query`, in the current language."""
    kind, at, k = name.partition("@")
    if not at:
        return say(TITLES[name])
    return say("Overlap at {k}", k=k) if kind == "overlap" else say("Jaccard index at {k}", k=k)


def _percent(share: float) -> str:
    return percent(round(share, 2))


@hinting()
@io.keeping_files
def compare_rankings(
    a: Any,
    b: Any,
    *,
    names: Iterable[str] | None = None,
    k: int | Iterable[int] = 10,
    p: float = 0.9,
    ties: str = "a",
    depth: int | None = None,
    confidence: float = 0.95,
    interval: str = "auto",
    resamples: int = 10_000,
    seed: int = 0,
) -> RankingComparison:
    """Compare two rankings of the same queries; no judgments are needed.

    It shows how much of what users see a new ranking would change, and on which queries, before
    anybody judges a document. It does not show which ranking is better.

    Parameters
    ----------
    a, b
        The rankings: anything that `read_run` accepts.
    names
        Their names. By default those of the files, otherwise ``"a"`` and ``"b"``.
    k
        Cut-offs of overlap and Jaccard index, at least 1.
    p
        Persistence of rank-biased overlap, between 0 and 1: the probability that a reader goes on
        to the next document. With 0.9, the first 10 documents have 86 % of the weight. With 1, it
        is the average overlap: the mean of the overlaps at all depths.
    ties
        What equal scores mean. Variants are of rank-biased overlap and correlations; overlap and
        Jaccard index need an order: with ``"a"``, ``"b"`` and ``"w"`` that of ``"trec"``.

        .. generated: ties of rankings

        - ``"a"``: equal scores are ties: agreement is its mean over their orders (variant a)
        - ``"b"``: equal scores are ties, corrected for what they leave open (variant b)
        - ``"w"``: equal scores are ties that share a rank (variant w)
        - ``"trec"``: equal scores are ordered by document id, descending, as trec_eval orders them
        - ``"input"``: equal scores keep the order in which they were given
        - ``"rank"``: documents are ordered by the rank column; scores are ignored

        .. end
    depth
        Compare only the first documents of each list; all by default.
    confidence
        Of the intervals of means over queries, between 0 and 1.
    interval
        The kind of interval, as for `rankreport.compare`.
    resamples, seed
        Number of bootstrap resamples, at least 100, and random seed.

    Returns
    -------
    RankingComparison
        With ``per_query()``, ``summary()``, ``by_depth()``, ``most_different()``,
        ``side_by_side()``, ``plot()`` and ``cautions``. Queries of one ranking only are left out,
        counted and named.

    Raises
    ------
    DataError
        If a ranking cannot be read, or the two have no query in common.
    OptionError
        If an option is invalid.

    References
    ----------
    Webber, Moffat and Zobel, TOIS 2010 (rank-biased overlap); Corsi and Urbano, SIGIR 2024 (its
    ties); Yilmaz, Aslam and Robertson, SIGIR 2008 (AP correlation); Urbano and Marrero, ICTIR 2017
    (its ties).

    Examples
    --------
    >>> import rankreport as rr
    >>> old = {"q1": ["d1", "d2", "d3"], "q2": ["d4", "d5"]}
    >>> new = {"q1": ["d1", "d3", "d2"], "q2": ["d6", "d7"]}
    >>> found = rr.compare_rankings(old, new, k=2)
    >>> found.per_query().select("query_id", "n_shared", "tau_b", "overlap@2").rows()
    [('q1', 3, 0.3333333333333333, 0.5), ('q2', 0, None, 0.0)]
    >>> found.most_different(1)["query_id"].to_list()
    ['q2']
    """
    io.check_process()
    settings = {
        "k": (k,) if isinstance(k, int) else tuple(dict.fromkeys(k)),
        "p": p,
        "ties": ties,
        "depth": depth,
        "confidence": confidence,
        "interval": interval,
        "resamples": resamples,
        "seed": seed,
    }
    _check(settings)
    sources = [
        io.open_source(run, io.RUN, name) for run, name in ((a, "ranking a"), (b, "ranking b"))
    ]
    named = _names(names, a, b)
    order = "trec" if ties in VARIANTS else ties
    lists = [ranked_lists(source, order) for source in sources]
    queries, missing = _queries(sources, lists, named)
    one, other = (_of_queries(rows, queries, depth, tied=ties in VARIANTS) for rows in lists)
    values, by_depth = _computed(queries, one, other, settings)
    return RankingComparison(
        names=named,
        settings=settings,
        missing=missing,
        _values=values,
        _lists=(_listed(one), _listed(other)),
        _by_depth={
            **by_depth,
            "tied": _shares_tied(lists, named),
            "n_rows": dict(zip(named, map(len, lists), strict=True)),
        },
        _sources=(sources[0], sources[1]),
    )


def _check(settings: Mapping[str, Any]) -> None:
    """Check the options."""
    if not settings["k"]:
        raise OptionError("k is empty. Give at least one cut-off, such as k=10.")
    for each in settings["k"]:
        check_count("k", each)
    p = settings["p"]
    expect(p, (int, float), "p takes a number between 0 and 1, such as 0.9")
    if not 0 < p <= 1:
        raise OptionError(f"p={p} must lie between 0 and 1, such as 0.9.")
    choose("ties", settings["ties"], RANKING_TIES)
    if settings["depth"] is not None:
        check_count("depth", settings["depth"])
    check_confidence(settings["confidence"])
    choose("interval", settings["interval"], INTERVALS)
    check_draws(Draws(settings["resamples"], settings["seed"]))


def _names(names: Iterable[str] | None, a: Any, b: Any) -> tuple[str, str]:
    if names is not None:
        given = [names] if isinstance(names, str) else list(names)
        if len(given) != 2 or len(set(given)) != 2 or not all(isinstance(n, str) for n in given):
            raise OptionError(f"names takes two different names; found {brief(given)}.")
        return given[0], given[1]
    found = [
        io.stem(run) if isinstance(run, str | os.PathLike) and run != "-" else name
        for run, name in ((a, "a"), (b, "b"))
    ]
    return (found[0], found[1]) if found[0] != found[1] else ("a", "b")


def _queries(
    sources: list[io.Source], lists: list[pl.DataFrame], names: tuple[str, str]
) -> tuple[pl.Series, dict[str, tuple[str, ...]]]:
    """Return the queries of both rankings in order, and those that each ranking lacks."""
    one, other = (rows[QUERY_ID].unique().cast(pl.String) for rows in lists)
    shared = one.filter(one.is_in(other.implode())).sort()
    if shared.is_empty():
        raise DataError(
            f"{sources[0].name} and {sources[1].name} have no query in common: one has queries "
            f"such as {one.sort()[0]!r}, the other such as {other.sort()[0]!r}. Rankings of the "
            f"same queries are expected."
        )
    lacking = {
        names[0]: tuple(other.filter(~other.is_in(one.implode())).sort()),
        names[1]: tuple(one.filter(~one.is_in(other.implode())).sort()),
    }
    return shared, lacking


def _of_queries(
    rows: pl.DataFrame, queries: pl.Series, depth: int | None, *, tied: bool
) -> pl.DataFrame:
    """Return the lists of the queries, with the number of each query."""
    numbers = pl.DataFrame({QUERY_ID: queries, _QUERY: np.arange(len(queries))})
    kept = (
        rows.with_columns(pl.col(QUERY_ID).cast(pl.String))
        .join(numbers, on=QUERY_ID, how="inner", maintain_order="left")
        .sort(_QUERY, RANK)
    )
    if not tied:
        kept = kept.with_columns(pl.col(RANK).alias(TIE_FIRST), pl.col(RANK).alias(TIE_LAST))
    if depth is not None:
        last = pl.col(TIE_LAST).clip(upper_bound=depth)
        kept = kept.filter(pl.col(RANK) <= depth).with_columns(last)
    return kept


def _listed(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.select(QUERY_ID, DOC_ID, RANK)


def _documents(rows: pl.DataFrame, suffix: str = "") -> Documents:
    columns = (_QUERY, *(f"{name}{suffix}" for name in (RANK, TIE_FIRST, TIE_LAST)))
    return Documents(*(rows[column].to_numpy() for column in columns))


def _computed(
    queries: pl.Series, one: pl.DataFrame, other: pl.DataFrame, settings: Mapping[str, Any]
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the values of each query, and those at several depths."""
    cutoffs, p, ties = (settings[name] for name in ("k", "p", "ties"))
    joined = one.join(other, on=[_QUERY, DOC_ID], how="inner", suffix=_OTHER)
    a, b = _documents(one), _documents(other)
    shared = Shared(_documents(joined), _documents(joined, _OTHER))
    n_queries = len(queries)
    n_a, n_b = (np.bincount(side.query, minlength=n_queries) for side in (a, b))
    n_shared = np.bincount(shared.one.query, minlength=n_queries)
    longest = int(max(n_a.max(), n_b.max()))
    depths = np.array([d for d in _DEPTHS if d < longest] + [longest])
    variant = ties if ties in VARIANTS else "a"
    rbo: Overlaps = rank_biased_overlap(a, b, shared, p=p, variant=variant, depths=depths)
    tau_b, tau_ap = rank_correlations(
        shared.one.query, shared.one.first, shared.other.first, n_queries
    )
    reached = np.maximum(shared.one.rank, shared.other.rank)

    def common(depth: int) -> Ints:
        return np.bincount(shared.one.query[reached <= depth], minlength=n_queries)

    def overlap(depth: int) -> Any:
        return common(depth) / np.minimum(depth, np.maximum(n_a, n_b))

    def jaccard(depth: int) -> Any:
        n_common = common(depth)
        return n_common / (np.minimum(depth, n_a) + np.minimum(depth, n_b) - n_common)

    values = pl.DataFrame(
        {
            QUERY_ID: queries,
            "n_a": n_a,
            "n_b": n_b,
            "n_shared": n_shared,
            "rbo": rbo.extrapolated,
            "rbo_min": rbo.least,
            "rbo_max": rbo.greatest,
            "tau_b": tau_b,
            "tau_ap": tau_ap,
            **{f"overlap@{depth}": overlap(depth) for depth in cutoffs},
            **{f"jaccard@{depth}": jaccard(depth) for depth in cutoffs},
        },
        schema_overrides=dict.fromkeys(_COUNTS[1:], pl.Int64),
    ).with_columns(pl.col("tau_b", "tau_ap").fill_nan(None))
    in_place = np.logical_and.reduce([x == y for x, y in zip(*shared, strict=True)])
    same = bool((n_a == n_b).all() and len(in_place) == len(one) and in_place.all())
    by_depth = {
        "k": depths,
        "overlap": np.column_stack([overlap(int(depth)) for depth in depths]),
        "RBO": rbo.at,
        "same": same,
    }
    return values, by_depth


def _shares_tied(lists: list[pl.DataFrame], names: tuple[str, str]) -> dict[str, float]:
    """Return the share of each ranking's documents that share their score with another."""
    return {
        name: float((rows[TIE_FIRST] != rows[TIE_LAST]).mean() or 0.0)  # type: ignore[arg-type]
        for name, rows in zip(names, lists, strict=True)
    }
