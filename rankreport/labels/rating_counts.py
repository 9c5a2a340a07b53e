"""Counts of the grades that several judges gave: what their agreement is computed from.

All measures are functions of sums over queries (`agreement`), so that the bootstrap, which draws
queries, needs no more than what each query adds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from rankreport.frames import DOC_ID, QUERY_ID, RELEVANCE
from rankreport.io import JUDGE
from rankreport.labels.agreement import WEIGHTS, cohen, fleiss, fleiss_by_grade, krippendorff
from rankreport.labels.cautions import HARDLY_SHARED, LOW_AGREEMENT, NEVER_DIFFER, LabelRemark
from rankreport.statistics import ratio
from rankreport.tables import Table, to_table
from rankreport.text import between, counted, percent, say, short

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FEW_SHARED = 30
_LOW = 0.667
"""The alpha below which Krippendorff (2004, p. 241) advises against conclusions."""

MOST_PAIRS = 300
"""The most pairs of judges of whom Cohen's kappa is computed."""

JUDGE_SUMS = ("apart", "documents", "equal", "pairs")
"""What `per_judge` needs of each query and judge, of documents that others judged too.

The sum of the differences from the mean grade of the others; how many documents; and how many
grades of others are equal, of how many.
"""

_BLOCK, _MOST_DRAWN = 256, 1 << 26
"""How many resamples are drawn at once, and how many numbers at the most."""


class CountedRatings(NamedTuple):
    """Counts of the grades of documents that several judges graded, of some queries.

    Attributes
    ----------
    documents
        ``query_id``; for each grade, how many judges gave it; ``times``, to how many documents.
    pairs
        ``query_id, judge, judge_other, grade, grade_other, times``: for each pair of judges, how
        many documents got these grades of them, which are numbered. Of more than `MOST_PAIRS`
        pairs, some alone.
    """

    documents: pl.DataFrame
    pairs: pl.DataFrame

    @classmethod
    def of(cls, rows: pl.DataFrame, grades: Sequence[float]) -> CountedRatings:
        """Count ratings: ``query_id, doc_id, judge, relevance``; all grades are known."""
        number = pl.col(RELEVANCE).replace_strict([*grades], range(len(grades)))
        several = _shared(rows).with_columns(number.cast(pl.Int64).alias("grade"))
        given = {f"grade {at}": (pl.col("grade") == at).sum() for at in range(len(grades))}
        documents = several.group_by(_DOCUMENT).agg(**given).group_by(QUERY_ID, *given)
        other = several.select(*_DOCUMENT, JUDGE, "grade")
        both = several.join(other, on=_DOCUMENT, suffix="_other")
        both = both.filter(pl.col(JUDGE) < pl.col(f"{JUDGE}_other"))
        pairs = both.group_by(QUERY_ID, *_PAIR, "grade", "grade_other").agg(times=pl.len())
        named = pairs.unique(_PAIR)
        if len(named) > MOST_PAIRS:
            pairs = named.head(MOST_PAIRS + 1)
        return cls(documents.agg(times=pl.len()), pairs)


_DOCUMENT, _PAIR = [QUERY_ID, DOC_ID], [JUDGE, f"{JUDGE}_other"]


def _shared(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the ratings of documents with several judges."""
    return rows.filter(pl.len().over(_DOCUMENT) > 1)


def sums_by_judge(rows: pl.DataFrame) -> pl.DataFrame:
    """Sum up ratings for `per_judge`: ``query_id, judge`` and `JUDGE_SUMS`."""
    others = (
        rows.join(rows, on=_DOCUMENT, suffix="_other")
        .filter(pl.col(JUDGE) != pl.col(f"{JUDGE}_other"))
        .sort(*_DOCUMENT, *_PAIR)  # sums in the same order, whatever the join does
    )
    own, theirs = pl.col(RELEVANCE), pl.col(f"{RELEVANCE}_other")
    by_document = others.group_by(*_DOCUMENT, JUDGE, maintain_order=True).agg(
        apart=(own - theirs).mean(), equal=(own == theirs).sum(), pairs=pl.len()
    )
    of_query = by_document.group_by(QUERY_ID, JUDGE, maintain_order=True)
    return of_query.agg(pl.col("apart", "equal", "pairs").sum(), documents=pl.len())


@dataclass(frozen=True, eq=False)
class RatingCounts:
    """Counts of the grades of documents that several judges graded.

    Attributes
    ----------
    settings
        ``confidence``, ``resamples`` and ``seed``, as of `rankreport.qrels_from_judges`.
    grades
        All grades, ascending.
    n_queries
        The number of queries with such a document.
    counts
        How many judges gave a document each grade, ``(n_rows, n_grades)``.
    query, times
        For each row, the number of the query, from 0, in the order of their ids, and how many
        documents of the query have these counts.
    pairs
        ``pair, query, grade, grade_other`` (numbers from 0), ``times``: for each pair of judges,
        how many documents of a query got these grades of them. Empty if there are more than
        `MOST_PAIRS` pairs.
    """

    settings: Mapping[str, Any]
    grades: Floats
    n_queries: int
    counts: Floats
    query: Ints
    times: Floats
    pairs: pl.DataFrame

    @classmethod
    def of(
        cls,
        parts: Sequence[CountedRatings],
        grades: Sequence[float],
        settings: Mapping[str, Any],
    ) -> RatingCounts:
        """Join the counts of all parts, each of other queries."""
        documents = pl.concat([part.documents for part in parts])
        documents = documents.sort(documents.columns)
        queries = documents.select(QUERY_ID).unique().sort(QUERY_ID).with_row_index("query")
        pairs = pl.concat([part.pairs for part in parts]).join(queries, on=QUERY_ID)
        numbered = pairs.select(
            (pl.struct(_PAIR).rank("dense").cast(pl.Int64) - 1).alias("pair"),
            pl.col("query").cast(pl.Int64),
            "grade",
            "grade_other",
            "times",
        )
        few = numbered["pair"].n_unique() <= MOST_PAIRS
        return cls(
            settings,
            np.array(grades),
            len(queries),
            documents.drop(QUERY_ID, "times").to_numpy().astype(np.float64),
            documents[QUERY_ID].rle_id().to_numpy().astype(np.int64),
            documents["times"].to_numpy().astype(np.float64),
            numbered if few else numbered.clear(),
        )

    @property
    def n_documents(self) -> int:
        """The number of documents that several judges graded."""
        return int(self.times.sum())

    def agreement(self) -> pl.DataFrame:
        """Return the frame of `rankreport.JudgeLabels.agreement`."""
        computed = self._statistics()

        def statistics(sums: Floats) -> list[Floats]:
            return [np.asarray(each(sums))[..., np.newaxis] for each in computed.values()]

        found = _with_ends(self.settings, self._sums, [*computed], statistics)
        columns = {
            column: pl.concat([found[f"{name}{end}"] for name in computed])
            for column, end in (("value", ""), ("ci_low", "_low"), ("ci_high", "_high"))
        }
        return pl.DataFrame({"measure": [*computed], **columns})

    def per_grade(self) -> pl.DataFrame:
        """Return the frame of `rankreport.JudgeLabels.per_grade`."""
        counts, k = self.counts, len(self.grades)
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
                "grade": self.grades,
                "n_ratings": (self.times @ counts).astype(np.int64),
                **_with_ends(
                    self.settings, self._by_query(of_document), ("agreement", "kappa"), statistics
                ),
            }
        )

    def table(self, judges: Sequence[str]) -> Table:
        """Return `agreement` of these judges as a table for display."""
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
        names = [short(judge) for judge in judges]
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
                documents=counted(self.n_documents, "document", "documents"),
            ),
        )

    def remarks(self, n_documents: int) -> Iterator[LabelRemark]:
        """Yield what to know before relying on the judgments of so many documents."""
        n_shared = self.n_documents
        if n_shared < _FEW_SHARED:
            yield LabelRemark(HARDLY_SHARED.code, "note", {"n": n_shared, "documents": n_documents})
        elif (np.count_nonzero(self.counts, axis=1) == 1).all():
            yield LabelRemark(NEVER_DIFFER.code, "look", {"n": n_shared})
        else:
            alpha = float(self._statistics()["alpha ordinal"](self._sums.sum(axis=0)))
            if alpha < _LOW:
                yield LabelRemark(LOW_AGREEMENT.code, "look", {"alpha": alpha})

    @cached_property
    def _n_pairs(self) -> int:
        return self.pairs["pair"].n_unique()

    @cached_property
    def _sums(self) -> Floats:
        """What each query adds: coincidences, shares, equal pairs, documents; grades of pairs."""
        counts, k = self.counts, len(self.grades)
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
            cell = (self.pairs["pair"] * k + self.pairs["grade"]) * k + self.pairs["grade_other"]
            rows = self.pairs["query"].to_numpy()
            places = (rows, of_document.shape[1] + cell.to_numpy())
            np.add.at(sums, places, self.pairs["times"].to_numpy())
        return sums

    def _by_query(self, of_document: Floats) -> Floats:
        """Return the sums over the documents of each query."""
        sums = np.zeros((self.n_queries, of_document.shape[1]))
        np.add.at(sums, self.query, of_document * self.times[:, np.newaxis])
        return sums

    def _statistics(self) -> dict[str, Callable[[Floats], Floats]]:
        """Return the measures, as functions of sums over queries of shape ``(..., n_columns)``."""
        k, grades = len(self.grades), self.grades
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


def per_judge(
    of_query: pl.DataFrame,
    judges: Sequence[str],
    ratings: pl.DataFrame,
    settings: Mapping[str, Any],
) -> pl.DataFrame:
    """Return the frame of `rankreport.JudgeLabels.per_judge`.

    Parameters
    ----------
    of_query
        The frame of `sums_by_judge`, of all queries.
    judges
        The names of the judges, in order.
    ratings
        ``judge``, ``n_ratings`` (Int64) and ``mean`` (Float64), of all their grades.
    settings
        As of `RatingCounts`.
    """
    sums = np.zeros((of_query[QUERY_ID].n_unique(), len(JUDGE_SUMS), len(judges)))
    query = of_query[QUERY_ID].rank("dense").to_numpy().astype(np.int64) - 1
    judge = of_query[JUDGE].cast(pl.Enum(judges)).to_physical().to_numpy()
    sums[query, :, judge] = of_query.select(JUDGE_SUMS).to_numpy()

    def statistics(drawn: Floats) -> tuple[Floats, Floats]:
        parts = drawn.reshape(*drawn.shape[:-1], len(JUDGE_SUMS), len(judges))
        apart, documents, equal, pairs = (parts[..., i, :] for i in range(len(JUDGE_SUMS)))
        return ratio(apart, documents), ratio(equal, pairs)

    flat = sums.reshape(len(sums), len(JUDGE_SUMS) * len(judges))
    compared = pl.DataFrame(
        {
            "judge": judges,
            "n_shared": sums[:, 1].sum(axis=0).astype(np.int64),
            **_with_ends(settings, flat, ("bias", "equal"), statistics),
        }
    )
    columns = ("judge", "n_ratings", "n_shared", "mean")
    joined = ratings.join(compared, on="judge", how="left")
    return joined.select(*columns, pl.exclude(*columns)).sort("judge")


def _drawn(sums: Floats, settings: Mapping[str, Any]) -> Iterator[Floats]:
    """Yield sums of resampled queries, block by block; the same queries whatever is summed."""
    n_queries, resamples = len(sums), settings["resamples"]
    if not n_queries:
        return
    rng = np.random.default_rng(settings["seed"])
    even = np.full(n_queries, 1 / n_queries)
    block = max(min(_BLOCK, _MOST_DRAWN // n_queries), 1)
    for begin in range(0, resamples, block):
        yield rng.multinomial(n_queries, even, size=min(block, resamples - begin)) @ sums


def _with_ends(
    settings: Mapping[str, Any],
    sums: Floats,
    names: Sequence[str],
    statistics: Callable[[Floats], Sequence[Floats]],
) -> dict[str, pl.Series]:
    """Return statistics of the sums over queries, then the ends of their intervals, by name."""
    blocks = [statistics(drawn) for drawn in _drawn(sums, settings)]
    found = dict(zip(names, statistics(sums.sum(axis=0)), strict=True))
    tails = (1 - settings["confidence"]) / 2
    for i, name in enumerate(names):
        columns = np.concatenate([np.zeros((0, len(found[name]))), *(b[i] for b in blocks)]).T
        known = [column[np.isfinite(column)] for column in columns]
        for end, tail in (("low", tails), ("high", 1 - tails)):
            found[f"{name}_{end}"] = np.array(
                [np.quantile(column, tail) if len(column) else np.nan for column in known]
            )
    return {
        name: pl.Series(name, values, pl.Float64).fill_nan(None) for name, values in found.items()
    }
