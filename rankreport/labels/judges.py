"""qrels_from_judges() and `JudgeLabels`: judgments of several people, and how far they agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.errors import DataError, OptionError, check_confidence, choose
from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE, find_columns, folded
from rankreport.io import check_process, read_log, restored
from rankreport.labels.agreement import WEIGHTS, cohen, fleiss, fleiss_by_grade, krippendorff
from rankreport.labels.cautions import HARDLY_SHARED, LOW_AGREEMENT, NEVER_DIFFER, LabelRemark
from rankreport.labels.source import COMBINED, Labels, LabelSource
from rankreport.statistics import Draws, check_draws, ratio
from rankreport.tables import Table, to_table
from rankreport.text import (
    between,
    counted,
    percent,
    say,
    short,
)

__all__ = ["JudgeLabels", "qrels_from_judges"]

Floats = NDArray[np.float64]

JUDGE = "judge"
_IDS = (QUERY_ID, DOC_ID, JUDGE)
_JUDGES = ("judge", "judge_id", "rater", "rater_id", "annotator", "assessor", "worker", "worker_id")

_FEW_SHARED = 30
_LOW = 0.667
"""The alpha below which Krippendorff (2004, p. 241) advises against conclusions."""

_MOST_PAIRS = 300
"""The most pairs of judges of whom Cohen's kappa is computed."""

_BLOCK = 256


@dataclass(frozen=True, eq=False, repr=False)
class JudgeLabels(Labels):
    """Judgments of several people, accepted wherever judgments are. See `qrels_from_judges`.

    Attributes
    ----------
    combine
        How grades are combined, a key of `COMBINED`.
    judges
        The names of the judges, in order.
    settings
        ``confidence``, ``resamples`` and ``seed``.
    """

    combine: str
    judges: tuple[str, ...]
    settings: Mapping[str, Any]
    _rows: pl.DataFrame = field(repr=False)

    @property
    def qrels(self) -> pl.DataFrame:
        """The combined judgments: ``query_id, doc_id`` (String), ``relevance`` (Float64)."""
        grades = pl.col(RELEVANCE)
        combined = {
            "mean": grades.mean(),
            "median": grades.median(),
            "lowest": grades.min(),
            "majority": grades.mode().min(),
        }[self.combine]
        by_document = self._rows.group_by(QUERY_ID, DOC_ID, maintain_order=True)
        return by_document.agg(combined.alias(RELEVANCE))

    def of(self, judge: str) -> pl.DataFrame:
        """Return the judgments of one judge, to compare systems under this judge alone.

        Raises
        ------
        OptionError
            If there is no such judge.
        """
        choose("judge", judge, self.judges)
        return self._rows.filter(pl.col(JUDGE) == judge).drop(JUDGE)

    def agreement(self) -> pl.DataFrame:
        """Return how far the judges agree on the documents that several of them judged.

        Returns
        -------
        DataFrame
            ``measure`` (String): ``"alpha ordinal"``, ``"alpha nominal"``, ``"alpha interval"``
            (Krippendorff), ``"fleiss"``, ``"cohen"``, ``"cohen linear"`` and ``"cohen quadratic"``
            (of several pairs of judges, the mean weighted by their documents) and ``"equal"``, the
            share of equal pairs of grades; ``value, ci_low, ci_high`` (Float64; 1 is full
            agreement, 0 is chance; the interval is the bootstrap's, which draws queries; null
            where unknown).
        """
        replicates = self._replicates
        tails = (1 - self.settings["confidence"]) / 2
        rows = []
        for name, statistic in self._statistics().items():
            value = float(statistic(self._sums.sum(axis=0)))
            drawn = statistic(replicates)
            known = drawn[np.isfinite(drawn)]
            low, high = np.quantile(known, [tails, 1 - tails]) if len(known) else (np.nan, np.nan)
            rows.append((name, value, float(low), float(high)))
        schema = {"measure": pl.String, **dict.fromkeys(("value", "ci_low", "ci_high"), pl.Float64)}
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
            pl.col("value", "ci_low", "ci_high").fill_nan(None)
        )

    def per_grade(self) -> pl.DataFrame:
        """Return the agreement on each grade.

        Returns
        -------
        DataFrame
            ``grade`` (Float64); ``n_ratings`` (Int64), of documents with several judges;
            ``agreement`` (Float64), the share of other judges of the same document who gave the
            same grade; ``kappa`` (Float64), Fleiss' kappa of the grade against all others; then
            the ends of their bootstrap intervals, such as ``kappa_low`` and ``kappa_high``.
        """
        counts, k = self._counts, len(self._grades)
        n = counts.sum(axis=1)[:, np.newaxis]
        of_document = np.column_stack(
            [
                counts * (counts - 1),  # pairs with the same grade
                counts * (n - 1),  # and all pairs with this grade
                counts / n,
                counts * (n - counts) / (n * (n - 1)),
                np.ones(len(counts)),
            ]
        )

        def statistics(sums: Floats) -> tuple[Floats, Floats]:
            same, pairs, shares, unequal = (sums[..., i * k : (i + 1) * k] for i in range(4))
            kappa = fleiss_by_grade(shares, unequal, np.maximum(sums[..., 4 * k :], 1))
            return ratio(same, pairs), kappa

        return pl.DataFrame(
            {
                "grade": self._grades,
                "n_ratings": counts.sum(axis=0).astype(np.int64),
                **self._with_ends(self._by_query(of_document), ("agreement", "kappa"), statistics),
            }
        )

    def per_judge(self) -> pl.DataFrame:
        """Return how each judge differs from the others on the documents that they share.

        Returns
        -------
        DataFrame
            ``judge`` (String), ``n_ratings, n_shared`` (Int64), the documents judged, and those
            that others judged too; ``mean`` (Float64), the mean grade; ``bias``, the mean
            difference from the mean grade of the others; ``equal``, the share of grades of others
            that are the same; then the ends of their bootstrap intervals, such as ``bias_low`` and
            ``bias_high``.
        """
        key = [QUERY_ID, DOC_ID]
        others = self._rows.join(self._rows, on=key, suffix="_other").filter(
            pl.col(JUDGE) != pl.col(f"{JUDGE}_other")
        )
        own, theirs = pl.col(RELEVANCE), pl.col(f"{RELEVANCE}_other")
        by_document = others.group_by(JUDGE, *key).agg(
            (own - theirs).mean().alias("apart"),
            (own == theirs).sum().alias("equal"),
            pl.len().alias("pairs"),
        )
        columns = ("apart", "documents", "equal", "pairs")
        of_query = by_document.group_by(JUDGE, QUERY_ID).agg(
            pl.col("apart", "equal", "pairs").sum(), pl.len().alias("documents")
        )
        queries = self._shared[QUERY_ID].unique(maintain_order=True)
        sums = np.zeros((len(queries), len(columns), len(self.judges)))
        if len(queries):
            place = of_query.select(
                pl.col(QUERY_ID).replace_strict(queries, range(len(queries))),
                pl.col(JUDGE).replace_strict(list(self.judges), range(len(self.judges))),
            )
            at, judge = (place[name].to_numpy() for name in (QUERY_ID, JUDGE))
            for i, name in enumerate(columns):
                sums[at, i, judge] = of_query[name].to_numpy()

        def statistics(drawn: Floats) -> tuple[Floats, Floats]:
            parts = drawn.reshape(*drawn.shape[:-1], len(columns), len(self.judges))
            apart, documents, equal, pairs = (parts[..., i, :] for i in range(len(columns)))
            return ratio(apart, documents), ratio(equal, pairs)

        flat = sums.reshape(len(sums), len(columns) * len(self.judges))
        compared = pl.DataFrame(
            {
                JUDGE: self.judges,
                "n_shared": sums[:, 1].sum(axis=0).astype(np.int64),
                **self._with_ends(flat, ("bias", "equal"), statistics),
            }
        )
        return (
            self._rows.group_by(JUDGE)
            .agg(pl.len().cast(pl.Int64).alias("n_ratings"), own.mean().alias("mean"))
            .join(compared, on=JUDGE, how="left")
            .select(
                JUDGE,
                "n_ratings",
                "n_shared",
                "mean",
                pl.exclude("n_ratings", "n_shared", "mean", JUDGE),
            )
            .sort(JUDGE)
        )

    def most_different(self, n: int = 10) -> pl.DataFrame:
        """Return the queries on which judges differ most.

        Parameters
        ----------
        n
            Number of queries.

        Returns
        -------
        DataFrame
            ``query_id`` (String), ``n_documents`` (Int64), with several judges, and ``difference``
            (Float64), the mean over these of the distance between the highest and the lowest
            grade; the largest first.
        """
        grades = pl.col(RELEVANCE)
        return (
            self._rows.group_by(QUERY_ID, DOC_ID)
            .agg(pl.len().alias("n"), (grades.max() - grades.min()).alias("apart"))
            .filter(pl.col("n") > 1)
            .group_by(QUERY_ID)
            .agg(
                pl.len().cast(pl.Int64).alias("n_documents"),
                pl.col("apart").mean().alias("difference"),
            )
            .sort("difference", QUERY_ID, descending=[True, False])
            .head(n)
        )

    def busiest(self, n: int) -> tuple[str, ...]:
        """Return the names of the n judges with the most judgments, the busiest first."""
        counts = self._rows.group_by(JUDGE).len().sort("len", JUDGE, descending=[True, False])
        return tuple(counts[JUDGE].head(n))

    @property
    def n_ratings(self) -> int:
        """How many grades all judges gave."""
        return len(self._rows)

    def to_plain(self) -> dict[str, Any]:
        """Return ratings and settings as values for JSON: ids once, and their places."""
        names = {name: self._rows[name].unique(maintain_order=True) for name in _IDS}
        places = {
            name: self._rows[name].replace_strict(own, pl.int_range(len(own), eager=True))
            for name, own in names.items()
        }
        return {
            "combine": self.combine,
            "settings": dict(self.settings),
            "names": {name: own.to_list() for name, own in names.items()},
            "rows": {name: own.to_list() for name, own in places.items()},
            "grades": self._rows[RELEVANCE].to_list(),
        }

    @classmethod
    def of_plain(cls, stored: Mapping[str, Any]) -> JudgeLabels:
        """Return what `to_plain` stored.

        Raises
        ------
        ValueError, LookupError, TypeError or RankReportError
            If it was not made by `to_plain`.
        """
        names = {name: restored(list[str], stored["names"][name]) for name in _IDS}
        places = {name: restored(list[int], stored["rows"][name]) for name in _IDS}
        grades = restored(list[float], stored["grades"])
        if len({len(grades), *map(len, places.values())}) > 1:
            raise ValueError("judges: columns of different length")
        columns = {
            name: pl.Series(own, dtype=pl.String).gather(places[name])
            for name, own in names.items()
        }
        rows = pl.DataFrame({**columns, RELEVANCE: pl.Series(grades, dtype=pl.Float64)})
        settings = restored(Mapping[str, float], stored["settings"])
        whole = {name: int(settings[name]) for name in ("resamples", "seed")}
        return qrels_from_judges(
            rows, stored["combine"], judge=JUDGE, confidence=settings["confidence"], **whole
        )

    def _remarks(self) -> Iterator[LabelRemark]:
        """Yield what to know before relying on the judgments."""
        n_shared = len(self._counts)
        if n_shared < _FEW_SHARED:
            yield LabelRemark(HARDLY_SHARED.code, "note", (n_shared, len(self.qrels)))
        elif (np.count_nonzero(self._counts, axis=1) == 1).all():
            yield LabelRemark(NEVER_DIFFER.code, "look", (n_shared,))
        else:
            alpha = float(self._statistics()["alpha ordinal"](self._sums.sum(axis=0)))
            if alpha < _LOW:
                yield LabelRemark(LOW_AGREEMENT.code, "look", (alpha,))

    @cached_property
    def source(self) -> LabelSource:
        """Where the judgments come from, in numbers."""
        qrels = self.qrels
        return LabelSource(
            "judges",
            self.combine,
            len(qrels),
            qrels[QUERY_ID].n_unique(),
            judges=len(self.judges),
            remarks=tuple(self._remarks()),
        )

    def _shown(self) -> Table:
        """Return `agreement` as a table for display."""
        found = self.agreement()
        titles = {
            "alpha ordinal": say("Krippendorff's alpha, ordinal"),
            "alpha nominal": say("Krippendorff's alpha, nominal"),
            "alpha interval": say("Krippendorff's alpha, interval"),
            "fleiss": say("Fleiss' kappa"),
            "cohen": say("Cohen's kappa"),
            "cohen linear": say("Cohen's kappa, linear weights"),
            "cohen quadratic": say("Cohen's kappa, quadratic weights"),
            "equal": say("equal grades"),
        }
        ends = found.select("ci_low", "ci_high").iter_rows()
        names = [short(judge) for judge in self.judges]
        return to_table(
            found.select(
                pl.Series("measure", [titles[name] for name in found["measure"]]),
                "value",
                pl.Series("interval", [between(*each) for each in ends]),
            ),
            headers=(
                say("measure"),
                say("value"),
                say("{confidence} interval", confidence=percent(self.settings["confidence"])),
            ),
            caption=say(
                "Agreement of {judges} on {documents}",
                judges=" / ".join(names)
                if len(names) == 2
                else counted(len(names), "judge", "judges"),
                documents=counted(len(self._counts), "document", "documents"),
            ),
        )

    # Sums of each query, of which all measures of agreement are functions.

    @cached_property
    def _grades(self) -> Floats:
        return self._rows[RELEVANCE].unique().sort().to_numpy()

    @cached_property
    def _shared(self) -> pl.DataFrame:
        """The grades of documents with several judges; grade, document and query as numbers."""
        several = self._rows.filter(pl.len().over(QUERY_ID, DOC_ID) > 1).sort(
            QUERY_ID, DOC_ID, JUDGE
        )
        return several.with_columns(
            pl.Series("grade", np.searchsorted(self._grades, several[RELEVANCE].to_numpy())),
            pl.struct(QUERY_ID, DOC_ID).rle_id().cast(pl.Int64).alias("document"),
            pl.col(QUERY_ID).rle_id().cast(pl.Int64).alias("query"),
        )

    @cached_property
    def _counts(self) -> Floats:
        """How many judges gave each document each grade, ``(n_documents, n_grades)``."""
        n_documents = self._shared["document"].n_unique()
        counts = np.zeros((n_documents, len(self._grades)))
        np.add.at(
            counts, (self._shared["document"].to_numpy(), self._shared["grade"].to_numpy()), 1
        )
        return counts

    @cached_property
    def _pairs(self) -> pl.DataFrame:
        """Both grades of each document and pair of judges."""
        other = self._shared.select("document", JUDGE, "grade")
        joined = self._shared.select("query", "document", JUDGE, "grade").join(
            other, on="document", suffix="_other"
        )
        pairs = joined.filter(pl.col(JUDGE) < pl.col(f"{JUDGE}_other"))
        return pairs.with_columns(
            pl.struct(JUDGE, f"{JUDGE}_other").rank("dense").cast(pl.Int64).alias("pair") - 1
        )

    @cached_property
    def _sums(self) -> Floats:
        """What each query adds: coincidences, shares, equal pairs, documents; grades of pairs."""
        counts, k = self._counts, len(self._grades)
        n = counts.sum(axis=1)
        coincidences = counts[:, :, np.newaxis] * counts[:, np.newaxis, :]
        coincidences[:, np.arange(k), np.arange(k)] -= counts
        coincidences /= (n - 1)[:, np.newaxis, np.newaxis]
        equal = (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
        of_document = np.column_stack(
            [
                coincidences.reshape(len(counts), k * k),
                counts / n[:, np.newaxis],
                equal,
                np.ones(len(n)),
            ]
        )
        of_query = self._by_query(of_document)
        sums = np.zeros((len(of_query), of_document.shape[1] + self._n_pairs * k * k))
        sums[:, : of_document.shape[1]] = of_query
        if self._n_pairs:
            cell = (self._pairs["pair"] * k + self._pairs["grade"]) * k + self._pairs["grade_other"]
            rows = self._pairs["query"].to_numpy()
            np.add.at(sums, (rows, of_document.shape[1] + cell.to_numpy()), 1)
        return sums

    def _by_query(self, of_document: Floats) -> Floats:
        """Return the sums over the documents of each query."""
        query_of = self._shared.unique("document", keep="first", maintain_order=True)["query"]
        sums = np.zeros((self._shared["query"].n_unique(), of_document.shape[1]))
        np.add.at(sums, query_of.to_numpy(), of_document)
        return sums

    @cached_property
    def _n_pairs(self) -> int:
        n_pairs = self._pairs["pair"].n_unique()
        return n_pairs if n_pairs <= _MOST_PAIRS else 0

    @cached_property
    def _replicates(self) -> Floats:
        return np.concatenate([np.zeros((0, self._sums.shape[1])), *self._drawn(self._sums)])

    def _drawn(self, sums: Floats) -> Iterator[Floats]:
        """Yield sums of resampled queries, block by block; the same queries whatever is summed."""
        n_queries, resamples = len(sums), self.settings["resamples"]
        if not n_queries:
            return
        rng = np.random.default_rng(self.settings["seed"])
        even = np.full(n_queries, 1 / n_queries)
        for begin in range(0, resamples, _BLOCK):
            yield rng.multinomial(n_queries, even, size=min(_BLOCK, resamples - begin)) @ sums

    def _with_ends(
        self,
        sums: Floats,
        names: Sequence[str],
        statistics: Callable[[Floats], Sequence[Floats]],
    ) -> dict[str, pl.Series]:
        """Return statistics of the sums over queries, then the ends of their intervals, by name."""
        blocks = [statistics(drawn) for drawn in self._drawn(sums)]
        found = dict(zip(names, statistics(sums.sum(axis=0)), strict=True))
        tails = (1 - self.settings["confidence"]) / 2
        for i, name in enumerate(names):
            columns = np.concatenate([np.zeros((0, len(found[name]))), *(b[i] for b in blocks)]).T
            known = [column[np.isfinite(column)] for column in columns]
            for end, tail in (("low", tails), ("high", 1 - tails)):
                found[f"{name}_{end}"] = np.array(
                    [np.quantile(column, tail) if len(column) else np.nan for column in known]
                )
        return {
            name: pl.Series(name, values, pl.Float64).fill_nan(None)
            for name, values in found.items()
        }

    def _statistics(self) -> dict[str, Callable[[Floats], Floats]]:
        """Return the measures, as functions of sums over queries of shape ``(..., n_columns)``."""
        k, grades = len(self._grades), self._grades
        square = k * k

        def alpha(level: str) -> Callable[[Floats], Floats]:
            def of_sums(sums: Floats) -> Floats:
                return krippendorff(
                    sums[..., :square].reshape(*sums.shape[:-1], k, k), level, grades
                )

            return of_sums

        def kappa(weights: str) -> Callable[[Floats], Floats]:
            def of_sums(sums: Floats) -> Floats:
                tables = sums[..., square + k + 2 :].reshape(*sums.shape[:-1], self._n_pairs, k, k)
                each, n = cohen(tables, weights), tables.sum(axis=(-2, -1))
                known = np.where(np.isfinite(each), n, 0.0)
                return ratio((np.nan_to_num(each) * known).sum(axis=-1), known.sum(axis=-1))

            return of_sums

        shares, equal, n = slice(square, square + k), square + k, square + k + 1
        return {
            **{f"alpha {level}": alpha(level) for level in ("ordinal", "nominal", "interval")},
            "fleiss": lambda sums: fleiss(sums[..., shares], sums[..., equal], sums[..., n]),
            **{("cohen" if w == "none" else f"cohen {w}"): kappa(w) for w in WEIGHTS},
            "equal": lambda sums: ratio(sums[..., equal], sums[..., n]),
        }


def qrels_from_judges(
    ratings: Any,
    combine: str = "mean",
    *,
    judge: str | None = None,
    confidence: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> JudgeLabels:
    """Combine the judgments of several people, and measure how far they agree.

    Parameters
    ----------
    ratings
        A path (CSV or TSV with a header, Parquet, JSON lines), a table of any library, or records:
        a row for each grade, with ``query_id, doc_id, judge`` and ``relevance``; or a row for each
        document with a column of grades for each judge, as Quepid's book. Missing grades are left
        out.
    combine
        ``"mean"``, ``"median"``, ``"majority"`` (of equally frequent grades the lower) or
        ``"lowest"``.
    judge
        The column that names the judge; by default one called ``judge``, ``rater``, ``annotator``,
        ``assessor`` or ``worker``.
    confidence
        Of the intervals of agreement, between 0 and 1.
    resamples, seed
        Number of bootstrap resamples of queries, at least 100, and random seed.

    Returns
    -------
    JudgeLabels
        Accepted wherever judgments are; with ``qrels``, ``agreement()``, ``per_grade()``,
        ``per_judge()``, ``most_different()`` and ``of(judge)``.

    Raises
    ------
    DataError
        If the ratings cannot be read, lack a column, or a judge gave a document two grades.
    OptionError
        If an option is invalid.

    Examples
    --------
    >>> import polars as pl
    >>> import rankreport as rr
    >>> book = pl.DataFrame({"query": ["q1", "q1", "q2"], "docid": ["d1", "d2", "d3"],
    ...                      "ann": [2, 0, 1], "bob": [2, 1, 1]})
    >>> labels = rr.qrels_from_judges(book)
    >>> labels.qrels["relevance"].to_list()
    [2.0, 0.5, 1.0]
    >>> labels.agreement().filter(measure="equal")["value"].round(3).to_list()
    [0.667]
    """
    check_process()
    choose("combine", combine, COMBINED)
    check_confidence(confidence)
    check_draws(Draws(resamples, seed))
    given = read_log(ratings, "the ratings")
    if isinstance(given, pl.Series):
        raise DataError("Events of UBI hold no grades. Use qrels_from_clicks.")
    rows = _long(given, judge)
    twice = rows.filter(pl.struct(QUERY_ID, DOC_ID, JUDGE).is_duplicated())
    if not twice.is_empty():
        query, document, name, _ = twice.row(0)
        raise DataError(
            f"{name!r} gave document {document!r} of query {query!r} several grades; expected one "
            f"grade per judge and document."
        )
    return JudgeLabels(
        combine=combine,
        judges=tuple(rows[JUDGE].unique().sort()),
        settings={"confidence": confidence, "resamples": resamples, "seed": seed},
        _rows=rows,
    )


def _long(given: pl.DataFrame, judge: str | None) -> pl.DataFrame:
    """Return a row for each grade: ``query_id, doc_id, judge, relevance``."""
    found, missing = find_columns(given.columns, [QUERY_ID, DOC_ID])
    if missing:
        raise DataError(
            f"The ratings have no column for {', '.join(missing)}. Their columns: "
            f"{', '.join(given.columns)}."
        )
    if judge is not None and judge not in given.columns:
        raise OptionError(f"judge={judge!r} is not one of the columns {', '.join(given.columns)}.")
    by_name = {folded(name): name for name in given.columns}
    named = judge or next((by_name[name] for name in _JUDGES if name in by_name), None)
    keys = [pl.col(own).cast(pl.String).alias(name) for name, own in found.items()]
    if named is not None:
        graded, lacking = find_columns(given.columns, [RELEVANCE])
        if lacking:
            raise DataError(
                f"The ratings have no column for relevance (or rating, grade, label). Their "
                f"columns: {', '.join(given.columns)}."
            )
        rows = given.select(
            *keys,
            pl.col(named).cast(pl.String).alias(JUDGE),
            pl.col(graded[RELEVANCE]).alias(RELEVANCE),
        )
    else:
        raters = [name for name in given.columns if name not in found.values()]
        if len(raters) < 2:
            raise DataError(
                f"Expected a column that names the judge, or a column of grades for each of "
                f"several judges. The columns: {', '.join(given.columns)}."
            )
        texts = [pl.col(name).cast(pl.String) for name in raters]
        rows = given.select(*keys, *texts).unpivot(
            index=[QUERY_ID, DOC_ID], variable_name=JUDGE, value_name=RELEVANCE
        )
    graded_rows = rows.filter(
        pl.col(RELEVANCE).is_not_null() & (pl.col(RELEVANCE).cast(pl.String) != "")
    )
    numbers = graded_rows.with_columns(pl.col(RELEVANCE).cast(pl.Float64, strict=False))
    wrong = graded_rows.filter(~numbers[RELEVANCE].is_finite().fill_null(value=False))
    if not wrong.is_empty():
        query, document, name, value = wrong.row(0)
        raise DataError(
            f"The grade of {name!r} for document {document!r} of query {query!r} is {value!r}. A "
            f"number is expected. In a table with a column for each judge, drop all others."
        )
    if numbers.is_empty():
        raise DataError("The ratings hold no grade.")
    nameless = numbers.filter(pl.any_horizontal(pl.col(QUERY_ID, DOC_ID, JUDGE).is_null()))
    if not nameless.is_empty():
        raise DataError(f"{len(nameless):,} ratings have no query_id, doc_id or judge.")
    return numbers
