"""judge_next() and `JudgeNext`: which unjudged documents matter, and how many it would take.

Unjudged documents count as not relevant. *Judge these next* orders them by how far the difference
would move if one of them had the highest grade, and takes them from both sides: next is the first
of the side on which those before add up to less, so that judging the first n favours no system. The
*tipping rate* is how often the unjudged documents of the system that is behind must be relevant,
drawn at random, for the interval to hold 0; next to it stands how often its judged documents at
those ranks are relevant.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from rankreport import statistics
from rankreport.caching import cached
from rankreport.call_hints import hinting
from rankreport.comparison.comparison import Comparison
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.comparison.paired_differences import Contrasts, contrasts_of
from rankreport.comparison.pairs import Pair
from rankreport.comparison.top_changes import RANKS
from rankreport.comparison.unjudged import Gains, gains_of
from rankreport.comparison.values import pairs_matching
from rankreport.errors import DataError, OptionError, check_one_run, expect
from rankreport.evaluation import data_facts_of, depth_of, unjudged_at_top
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SYSTEM
from rankreport.io import FromFiles, check_process, check_suffix, guarded, replacing
from rankreport.measures import TIES, shown_name
from rankreport.tables import Displayed, Table
from rankreport.text import BRIEF_NAME, Caution, both_ends, counted, number, paragraph, percent, say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

_SHOWN: Final = 20
"""How many documents a table shows."""

_LONGEST_ID: Final = 60
"""The maximum length of ids in a table, in characters."""

_DRAWS: Final = 200
"""How many random sets of relevant documents the tipping rate is the median of."""

_STEPS: Final = 10
"""Halvings of the range of the tipping rate: to 0.001."""

SUFFIXES: Final = (".csv", ".jsonl", ".ndjson")


@dataclass(frozen=True)
class TippingRate:
    """How often unjudged documents must be relevant for an interval to hold 0.

    Attributes
    ----------
    system
        The system that is behind, whose unjudged documents are meant.
    n_documents
        Its unjudged documents within the cut-off.
    rate
        The share that must be relevant; None if the interval holds 0 already, or still excludes it
        if all are relevant.
    judged_rate
        The share that is relevant of its judged documents at those ranks; None if there are none.
    clear
        Whether the interval excludes 0 with unjudged documents not relevant.
    """

    system: str
    n_documents: int
    rate: float | None
    judged_rate: float | None
    clear: bool

    def __str__(self) -> str:
        """Return it in words."""
        if not self.clear:
            return say("The interval holds 0 as it is: no tipping rate.")
        documents = counted(self.n_documents, "unjudged document", "unjudged documents")
        if self.rate is None:
            found = say(
                "Even if all {documents} of {system} were relevant, the difference would be clear.",
                documents=documents,
                system=self.system,
            )
        else:
            found = say(
                "The difference would no longer be clear if {rate} of the {documents} of "
                "{system} were relevant.",
                rate=percent(self.rate, whole=self.rate >= _WHOLE),
                documents=documents,
                system=self.system,
            )
        if self.judged_rate is None:
            return found
        judged = say(
            "Of its judged documents at those ranks {rate} are, of unjudged ones usually fewer.",
            rate=percent(self.judged_rate, whole=True),
        )
        return paragraph(found, judged)


@dataclass(frozen=True)
class _Query:
    """The unjudged documents of a query, and what its judged ones give.

    Attributes
    ----------
    row
        The place of the query in the matrices.
    documents
        Their ids.
    ranks : shape (2, n_documents)
        The ranks of each in the lists of system and baseline, 0 where it is not.
    discounts : float64, shape (2, n_documents)
        What a document of gain 1 adds to each side.
    scores : float64, shape (2,)
        The values of both with unjudged documents not relevant.
    judged : float64
        The positive gains of judged documents, descending.
    """

    row: int
    documents: list[str]
    ranks: NDArray[np.int64]
    discounts: FloatArray
    scores: FloatArray
    judged: FloatArray

    def deltas(self, gains: Gains, given: FloatArray) -> FloatArray:
        """Return the difference if the documents had these gains.

        Parameters
        ----------
        gains
            What the measure makes of grades and ranks.
        given : float64, shape (n_documents, n_cases)
            The gain of each document in each case.

        Returns
        -------
        float64, shape (n_cases,)
        """
        if gains.first:
            alone = self.discounts[:, :, np.newaxis] * (given > 0)
            best = np.maximum(self.scores[:, np.newaxis], alone.max(axis=1, initial=0.0))
            return np.asarray(best[0] - best[1])
        added = self.discounts @ given
        if gains.ideal == "none":
            moved = self.scores[:, np.newaxis] + added
            return np.asarray(moved[0] - moved[1])
        before = self._ideal(gains, np.zeros((0, 1)))[0]
        ideal = self._ideal(gains, given)
        sums = self.scores[:, np.newaxis] * before + added
        shares = np.where(ideal > 0, sums / np.where(ideal > 0, ideal, 1.0), 0.0)
        # Where nothing is relevant, the values are what the rule for such queries says.
        moved = np.where(ideal > 0, shares, self.scores[:, np.newaxis])
        return np.asarray(moved[0] - moved[1])

    def _ideal(self, gains: Gains, given: FloatArray) -> FloatArray:
        known = np.repeat(self.judged[:, np.newaxis], given.shape[1], axis=1)
        every = np.concatenate([known, given])
        if gains.ideal == "all":
            return np.asarray(every.sum(axis=0))
        k = len(gains.discounts)
        best = -np.sort(-every, axis=0)[:k]
        return np.asarray(gains.discounts[: len(best)] @ best)


@dataclass(frozen=True, eq=False, repr=False)
class JudgeNext(Displayed, FromFiles):
    """The unjudged documents of a comparison, as returned by `judge_next`.

    Attributes
    ----------
    comparison
        The comparison, on whose primary measure the documents are ordered.
    pair
        The systems compared.
    files
        The files that it was read from, which no output of it replaces.
    """

    comparison: Comparison
    pair: Pair

    @property
    def measure(self) -> str:
        """The primary measure."""
        return str(self.comparison.primary)

    @cached_property
    def delta(self) -> float:
        """The difference with unjudged documents not relevant."""
        return float(self._contrasts.sampled(self._deltas[:, np.newaxis]).mean[0])

    @cached_property
    def tipping(self) -> TippingRate:
        """How often unjudged documents must be relevant for the interval to hold 0."""
        ahead = self.delta > 0
        behind = self.pair.baseline if ahead else self.pair.system
        side = 1 if ahead else 0
        n = int(sum((query.ranks[side] > 0).sum() for query in self._queries))
        own, other = self._near_end(np.zeros(1), side, ahead=ahead), None
        clear = bool(own > 0 if ahead else own < 0)
        if clear and n:
            other = self._rate(side, ahead=ahead)
        return TippingRate(behind, n, other, self._judged_rate(behind), clear)

    def to_polars(self) -> pl.DataFrame:
        """Return the documents, those that would move the difference most first, of both sides.

        Those that move it up and those that move it down are mixed, so that the moves of the first
        n nearly add up to 0, until one side has no more: judging them favours no system.

        Returns
        -------
        DataFrame
            ``query_id, doc_id`` (String); ``rank_baseline, rank_system`` (Int64), null where not
            within the cut-off; ``move`` (Float64), how the mean difference changes if the document
            has the highest grade; ``overturns`` (Boolean), whether it is one of the fewest that, so
            graded, would undo the difference: make it 0 or of the other sign. They are found one
            after the other, the one that moves it most first: exactly the fewest, except for
            measures with an ideal ranking, where fewer could do.
        """
        return self._documents

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the documents as a file of tasks (.csv, .jsonl), which `read_judged_tasks` reads.

        The difference they make is left out, so that who judges does not know what is hoped for.

        Raises
        ------
        OptionError
            If the suffix is another one.
        OutputError
            If the file cannot be written.
        """
        target = check_suffix(path, "write", *SUFFIXES, inputs=self.files)
        tasks = self._documents.select(QUERY_ID, DOC_ID, pl.lit(None, pl.Float64).alias(RELEVANCE))
        with replacing(target) as file:
            if target.suffix.lower() == ".csv":
                guarded(tasks).write_csv(file)
            else:
                tasks.write_ndjson(file)

    @property
    def n_overturning(self) -> int | None:
        """How many documents would undo the difference; None if all together would not."""
        return int(self._documents["overturns"].sum()) or None

    def _shown(self) -> Table:
        """Return the first documents as a table for display."""
        return self.table(_SHOWN)

    def table(self, n: int) -> Table:
        """Return the first n documents as a table, as the report's section on data shows them."""
        below = f"> {depth_of(self.comparison.primary)}"
        rows = tuple(
            (
                both_ends(row[QUERY_ID], _LONGEST_ID),
                both_ends(row[DOC_ID], _LONGEST_ID),
                *(below if row[each] is None else f"{row[each]}" for each in RANKS),
                number(row["move"], 4, signed=True),
            )
            for row in self._documents.head(n).iter_rows(named=True)
        )
        return Table(
            (
                say("query"),
                say("document"),
                say("rank in {system}", system=both_ends(self.pair.baseline, BRIEF_NAME)),
                say("rank in {system}", system=both_ends(self.pair.system, BRIEF_NAME)),
                say("moves the difference"),
            ),
            rows,
            frozenset({2, 3, 4}),
            say(
                "Judge these next: {shown} of {all}",
                shown=f"{len(rows):,}",
                all=counted(len(self._documents), "unjudged document", "unjudged documents"),
            ),
        )

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know before acting on the comparison, the worst first."""
        return self.comparison.cautions

    def effect(self) -> Iterator[str]:
        """Yield how unjudged documents might change the difference, in sentences."""
        fields = {
            "delta": number(self.delta, 4, signed=True),
            "measure": shown_name(self.comparison.evaluation.measures, self.measure),
            **self.pair._asdict(),
        }
        if abs(self.delta) <= _ROUNDING:
            pass  # there is no difference to undo
        elif self.n_overturning is None:
            yield say(
                "No grades of these documents undo the difference of {system} from {baseline} on "
                "{measure}, {delta}.",
                **fields,
            )
        else:
            yield say(
                "The difference of {system} from {baseline} on {measure}, {delta}, would be gone "
                "if {n} of the {documents} had the highest grade.",
                n=f"{self.n_overturning:,}",
                documents=counted(len(self._documents), "unjudged document", "unjudged documents"),
                **fields,
            )
        if self.tipping.n_documents:
            yield str(self.tipping)

    def _notes(self) -> Sequence[str]:
        """Return how many documents would undo the difference, and the tipping rate."""
        return list(self.effect())

    @cached_property
    def _gains(self) -> Gains:
        """What the measure makes of grades and ranks."""
        evaluation = self.comparison.evaluation
        found = gains_of(evaluation.primary)
        if found is None:
            raise OptionError(
                f"judge_next() takes P, R, RBP, CG, DCG, nDCG, RR or Success with a cut-off as "
                f"primary measure; found {evaluation.primary}."
            )
        if TIES[evaluation.settings["ties"]].expected:
            raise OptionError("judge_next() needs one order of the lists: not ties='expected'.")
        check_one_run(evaluation.n_repeats, "judge_next()")
        if data_facts_of(evaluation).share_positive == 1:
            raise OptionError(
                "These judgments name relevant documents alone, so that all others count as judged "
                "not relevant. Give judgments of documents that are not relevant, too."
            )
        return found

    @cached_property
    def _gain_of(self) -> dict[float, float]:
        """The gain of each grade there is."""
        return {grade: self._gains.gain(grade) for grade in self._grades[RELEVANCE].unique()}

    @cached_property
    def _levels(self) -> FloatArray:
        """The positive gains of judged documents, ascending; 1 if there are none."""
        known = sorted({gain for gain in self._gain_of.values() if gain > 0})
        return np.array(known or [1.0])

    @cached_property
    def _queries(self) -> list[_Query]:
        """The queries with unjudged documents."""
        sides = (self.pair.system, self.pair.baseline)
        values = np.stack([self._contrasts.scores[side][:, self._column] for side in sides])
        places = {name: row for row, name in enumerate(self.comparison.evaluation.query_ids)}
        judged: dict[str, list[float]] = {}
        for name, grade in self._grades.iter_rows():
            if (gain := self._gain_of[grade]) > 0:
                judged.setdefault(name, []).append(gain)
        found = []
        unknown = self._lists.filter(pl.col(RELEVANCE).is_null())
        wide = unknown.group_by(QUERY_ID, DOC_ID).agg(
            pl.col(RANK).filter(pl.col(SYSTEM) == side).first().fill_null(0).alias(side_name)
            for side, side_name in zip(sides, ("own", "other"), strict=True)
        )
        grouped = wide.sort(QUERY_ID, DOC_ID).group_by(QUERY_ID, maintain_order=True)
        discounts = np.concatenate([[0.0], self._gains.discounts])
        for name, documents, own, other in grouped.agg(DOC_ID, "own", "other").iter_rows():
            row = places[name]
            ranks = np.array([own, other], dtype=np.int64)
            if np.isnan(values[:, row]).any() or not self._weights[row]:
                continue
            gains = np.array(sorted(judged.get(name, []), reverse=True))
            found.append(_Query(row, documents, ranks, discounts[ranks], values[:, row], gains))
        return found

    @cached_property
    def _lists(self) -> pl.DataFrame:
        evaluation = self.comparison.evaluation
        k = depth_of(evaluation.primary)
        return evaluation.documents(evaluation.query_ids, k, systems=self.pair)

    @cached_property
    def _grades(self) -> pl.DataFrame:
        """The grades of the judged documents of each query."""
        rows = self.comparison.evaluation.judged_documents()
        one = rows.filter((pl.col(SYSTEM) == rows[SYSTEM][0]) & pl.col(RELEVANCE).is_not_null())
        return one.select(pl.col(QUERY_ID).cast(pl.String), pl.col(RELEVANCE).cast(pl.Float64))

    @property
    def _contrasts(self) -> Contrasts:
        return contrasts_of(self.comparison)

    @property
    def _column(self) -> int:
        """The column of the measure in the matrices of one system or pair."""
        return self._contrasts.measures.index(self.measure)

    @cached_property
    def _deltas(self) -> FloatArray:
        return self._contrasts.deltas[self.pair][:, self._column]

    @cached_property
    def _weights(self) -> FloatArray:
        """Each query's share of the mean."""
        given = self._contrasts.structure.weights
        weights = np.ones(len(self._deltas)) if given is None else np.asarray(given, dtype=float)
        known = np.where(np.isnan(self._deltas), 0.0, weights)
        return np.asarray(known / known.sum())

    # Judge these next

    @cached_property
    def _documents(self) -> pl.DataFrame:
        """The documents in order, the fewest that overturn the difference marked."""
        rows = []
        marked = self._fewest()
        for query in self._queries:
            moves = self._moves(query, np.zeros(len(query.documents)))
            for place, document in enumerate(query.documents):
                own, other = (int(rank) or None for rank in query.ranks[:, place])
                name = self.comparison.evaluation.query_ids[query.row]
                overturns = (query.row, place) in marked
                rows.append((name, document, other, own, float(moves[place]), overturns))
        schema = {
            **dict.fromkeys((QUERY_ID, DOC_ID), pl.String),
            **dict.fromkeys(RANKS, pl.Int64),
            "move": pl.Float64,
            "overturns": pl.Boolean,
        }
        # Moves that differ by rounding alone are equal.
        size = pl.col("move").abs().round(12)
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        frame = frame.sort(size, QUERY_ID, DOC_ID, descending=[True, False, False])
        before = (size.cum_sum() - size).over(pl.col("move") > 0).round(12)
        return frame.sort(size == 0, before, maintain_order=True)

    def _moves(self, query: _Query, given: FloatArray) -> FloatArray:
        """Return how the mean moves with each document, on top of the gains given to some."""
        n = len(given)
        cases = np.repeat(given[:, np.newaxis], n + 1, axis=1)
        cases[np.arange(n), np.arange(n)] = self._levels[-1]
        found = query.deltas(self._gains, cases)
        return np.asarray((found[:n] - found[n]) * self._weights[query.row])

    def _fewest(self) -> set[tuple[int, int]]:
        """Return the documents that undo the difference, found one after the other."""
        if abs(self.delta) <= _ROUNDING:
            return set()
        side = float(np.sign(self.delta))
        state = {query.row: np.zeros(len(query.documents)) for query in self._queries}
        by_row = {query.row: query for query in self._queries}
        heap: list[tuple[float, int, int]] = []

        def push(row: int) -> None:
            moves = side * self._moves(by_row[row], state[row])
            moves[state[row] > 0] = 0.0
            best = int(np.argmin(moves))
            if moves[best] < 0:
                heapq.heappush(heap, (float(moves[best]), row, best))

        for row in by_row:
            push(row)
        left, chosen = abs(self.delta), set()
        while heap:
            move, row, place = heapq.heappop(heap)
            chosen.add((row, place))
            left += move
            if left <= _ROUNDING:
                return chosen
            state[row][place] = self._levels[-1]
            push(row)
        return set()

    def _rate(self, side: int, *, ahead: bool) -> float | None:
        """Return the smallest rate at which the interval holds 0 in half of the draws."""

        def holds(rate: float) -> bool:
            end = self._near_end(np.array([rate]), side, ahead=ahead)
            return bool(end <= 0 if ahead else end >= 0)

        if not holds(1.0):
            return None
        low, high = 0.0, 1.0
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        return high

    def _near_end(self, rate: FloatArray, side: int, *, ahead: bool) -> float:
        """Return the median end, near 0, of the interval with this share of them relevant."""
        deltas = np.repeat(self._deltas[:, np.newaxis], _DRAWS if rate[0] else 1, axis=1)
        if rate[0]:
            for query, uniform, gains in zip(self._queries, *self._drawn, strict=True):
                listed = query.ranks[side] > 0
                given = np.where((uniform < rate[0]) & listed[:, np.newaxis], gains, 0.0)
                deltas[query.row] = query.deltas(self._gains, given)
        sample = self._contrasts.sampled(deltas)
        column = self._contrasts.column(self.pair, self.measure)
        level = float(self._contrasts.levels(self.comparison.confidence)[column])
        ends = statistics.student_t(sample, level)
        if sample.is_plain:
            closed = statistics.bca_of_mean(sample, level)
            ends = statistics.Interval(
                np.fmin(ends.low, closed.low), np.fmax(ends.high, closed.high)
            )
        widths = np.full(deltas.shape[1], self._contrasts.widths[column])
        equal = statistics.of_equal_values(sample, widths, level)
        near, exact = (ends.low, equal.low) if ahead else (ends.high, equal.high)
        return float(np.median(np.nan_to_num(np.where(np.isnan(near), exact, near))))

    @cached_property
    def _drawn(self) -> tuple[list[FloatArray], list[FloatArray]]:
        """Uniform numbers of each document and draw, and the gain it has if it is relevant."""
        rng = np.random.default_rng(self.comparison.seed)
        of_judged = self._relevant_gains()
        uniform, gains = [], []
        for query in self._queries:
            shape = (len(query.documents), _DRAWS)
            uniform.append(rng.random(shape))
            gains.append(of_judged[rng.integers(0, len(of_judged), shape)])
        return uniform, gains

    def _relevant_gains(self) -> FloatArray:
        """Return the gains of relevant judged documents in the lists, or the lowest there is."""
        grades = self._lists[RELEVANCE].drop_nulls()
        found = np.array([self._gain_of[grade] for grade in grades])
        positive = np.sort(found[found > 0]) if len(found) else found
        return positive if len(positive) else self._levels[:1]

    def _judged_rate(self, behind: str) -> float | None:
        """Return the share relevant of judged documents at the ranks of unjudged ones."""
        own = self._lists.filter(pl.col(SYSTEM) == behind)
        known = own.filter(pl.col(RELEVANCE).is_not_null())
        relevant = [self._gain_of[grade] > 0 for grade in known[RELEVANCE]]
        by_rank = (
            known.with_columns(pl.Series("relevant", relevant, pl.Boolean))
            .group_by(RANK)
            .agg(pl.col("relevant").mean())
        )
        lacking = own.filter(pl.col(RELEVANCE).is_null()).group_by(RANK).len("n")
        both = lacking.join(by_rank, on=RANK)
        if both.is_empty():
            return None
        return float(np.average(both["relevant"].to_numpy(), weights=both["n"].to_numpy()))


_WHOLE = 0.01
"""Smaller rates have a decimal."""


@hinting()
def judge_next(
    comparison: Comparison, system: str | None = None, baseline: str | None = None
) -> JudgeNext:
    """Return which unjudged documents to judge next, and how many it takes to overturn a result.

    Unjudged documents count as not relevant. Those that stand high in the list of one system alone
    could move the difference most.

    Parameters
    ----------
    comparison
        The comparison, on whose primary measure the documents are ordered.
    system, baseline
        Select the pair; that of the verdict by default.

    Returns
    -------
    JudgeNext
        With `to_polars`, the documents; `write`, a file of them to be judged; `tipping`, how often
        they must be relevant for the interval to hold 0.

    Raises
    ------
    OptionError
        If the primary measure is not one of P, R, RBP, CG, DCG, nDCG, RR and Success with a
        cut-off, equal scores are averaged over, or judgments name relevant documents alone.
    DataError
        If the evaluation was loaded from a file, which contains no documents.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    >>> old = {"q1": ["b", "x"], "q2": ["a", "b"]}
    >>> new = {"q1": ["a", "y"], "q2": ["a", "z"]}
    >>> comparison = rr.compare(qrels, {"old": old, "new": new}, measures="P@2")
    >>> found = rr.judge_next(comparison)
    >>> found.to_polars().select("query_id", "doc_id", "move", "overturns").rows()
    [('q1', 'x', -0.25, True), ('q1', 'y', 0.25, False), ('q2', 'z', 0.25, False)]
    """
    expect(comparison, (Comparison,), "judge_next() takes what compare() returns")
    check_process()
    pairs = pairs_matching(comparison, system, baseline)
    pair = pairs[0] if len(pairs) == 1 else leading_pair_of(comparison, system, baseline)
    found = JudgeNext(comparison, pair, files=comparison.files)
    found.to_polars()  # what does not allow it is an error here
    return found


_ROUNDING = 1e-12


_MOST_UNJUDGED = 10_000
"""With more unjudged documents than this, none are listed: ordering them would take long."""


@cached
def worth_judging(comparison: Comparison) -> JudgeNext | None:
    """Return the unjudged documents in the order to judge them, if they might matter."""
    unjudged = unjudged_at_top(comparison.evaluation)
    if unjudged is None or len(unjudged.documents) > _MOST_UNJUDGED:
        return None
    try:
        found = judge_next(comparison)
    except (DataError, OptionError):  # of scores from a file, or of a measure without known bounds
        return None
    return None if found.to_polars().is_empty() else found
