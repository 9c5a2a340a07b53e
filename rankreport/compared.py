"""What a comparison is made of: its settings, and the figures behind what may be asked of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from rankreport.banding import batches, curve_bands
from rankreport.columns import BASELINE, COMPARISON, MEASURE, QUERY_ID, SYSTEM
from rankreport.contrasts import Contrasts
from rankreport.curves import Course, CurveBands
from rankreport.difference import MIN_CHANGED, Difference
from rankreport.drawing import Draws
from rankreport.errors import OptionError, choose
from rankreport.evaluation import Evaluation
from rankreport.families import Family
from rankreport.measures import Measure, parse
from rankreport.ordering import best_first, by_measure
from rankreport.outlooks import outlook
from rankreport.pairing import Pair, chosen_pairs, short_labels, systems_of
from rankreport.rendering.language import ENGLISH, say, speaking
from rankreport.rendering.latex import Lettered, lettered
from rankreport.segmenting import segment_rows
from rankreport.statistics import CORRECTIONS, TESTS, refusal
from rankreport.traits import Traits
from rankreport.verdict import caution

__all__ = ["FEW_PAIRS", "Asked", "Compared"]

Asked = str | Measure | None
"""A measure, or None for the one that decides."""

FEW_PAIRS = 4
"""More pairs are shown the best first, and drawn of the measure that decides alone."""

_FOUND = (
    BASELINE,
    SYSTEM,
    MEASURE,
    "n_queries",
    "n_changed",
    "n_telling",
    "delta",
    "ci_low",
    "ci_high",
)
"""The columns that a verdict is made of."""


@dataclass(frozen=True, eq=False, repr=False)
class Compared:
    """Pairs of systems of an evaluation, set against each other.

    Attributes
    ----------
    evaluation
        The scores compared.
    pairs
        Which systems are set against which: a delta is always system minus baseline.
    interval, test, correction, across
        The kind of interval, of p-value and of correction for several differences, and what that
        counts, by name.
    confidence
        Of the intervals, between 0 and 1; where several differences are corrected together, that
        all of their intervals hold at once.
    margin
        The difference that would not matter, or None.
    traits
        What is known of the queries: their table, weights, clusters, strata and segments.
    resamples, seed
        Of the bootstrap; all measures, systems and cut-offs share the same resamples.
    memory
        Bytes that a block of resamples may take.
    """

    evaluation: Evaluation
    pairs: tuple[Pair, ...]
    interval: str
    test: str
    correction: str
    across: str
    confidence: float
    margin: float | None
    traits: Traits
    resamples: int
    seed: int
    memory: int

    @property
    def baselines(self) -> tuple[str, ...]:
        """The systems that others are compared with."""
        return tuple(dict.fromkeys(pair.baseline for pair in self.pairs))

    @property
    def baseline(self) -> str:
        """The first of them."""
        return self.baselines[0]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems compared with a baseline, in the order of the evaluation."""
        compared = {pair.system for pair in self.pairs}
        return tuple(system for system in self.evaluation.systems if system in compared)

    @property
    def labels(self) -> dict[Pair, str]:
        """A short name for each pair: its system, where all have one baseline."""
        return short_labels(self.pairs)

    @property
    def primary(self) -> Measure:
        """The measure that decides."""
        return self.evaluation.primary

    @property
    def family(self) -> Family:
        """Which differences are corrected together."""
        n_measures = len(self.evaluation.measures)
        return Family(self.correction, self.across, len(self.pairs), n_measures)

    @property
    def n_effective(self) -> float | None:
        """How many queries of equal weight would be as precise; None without weights."""
        return self.contrasts.n_effective

    @property
    def bucketed(self) -> bool:
        """Whether there are so many queries that buckets of them are resampled."""
        return self.contrasts.bucketed

    @property
    def settings(self) -> dict[str, Any]:
        """What `compare` was told, by its names; what says nothing is left out."""
        told = {
            "baseline": self.one_baseline or list(self.baselines),
            "interval": self.interval,
            "test": self.test,
            "correction": self.correction,
            "across": None if self.across == "systems" else self.across,
            "confidence": self.confidence,
            "margin": self.margin,
            **self.traits.structure_columns,
            "segments": list(self.traits.segments) or None,
            "resamples": self.resamples,
            "seed": self.seed,
        }
        return {name: value for name, value in told.items() if value is not None}

    @cached_property
    def contrasts(self) -> Contrasts:
        """The pairs on all measures, as matrices."""
        return self.contrast(self.evaluation.measures)

    def contrast(self, measures: Sequence[Measure], across: str | None = None) -> Contrasts:
        """Return the pairs on these measures, as matrices, corrected as the comparison is.

        Of measures that are none of its own, such as those of a curve, `across` says how.
        """
        return Contrasts.of(
            self.evaluation,
            measures,
            self.pairs,
            correction=self.correction,
            across=self.across if across is None else across,
            draws=Draws(self.resamples, self.seed, self.memory),
            structure=self.traits.structure(self.query_ids),
        )

    @cached_property
    def _known_curves(self) -> dict[tuple[Measure, ...], CurveBands]:
        return {}

    def curves_of(self, courses: Sequence[Course]) -> list[CurveBands]:
        """Return the curves of several measures, each at its cut-offs, which are made once."""
        new = [course for course in courses if tuple(course) not in self._known_curves]
        n_lines = len(self.contrasts.scores) + len(self.pairs)
        for together in batches(new, n_lines):
            contrasts = self.contrast([point for course in together for point in course], "systems")
            made = curve_bands(contrasts, together, self.interval, self.confidence)
            self._known_curves.update(zip(map(tuple, together), made, strict=True))
        return [self._known_curves[tuple(course)] for course in courses]

    @property
    def query_ids(self) -> list[str]:
        """The queries, in the order of the matrices' rows."""
        return self.evaluation.query_ids

    @cached_property
    def figures(self) -> pl.DataFrame:
        """The frame described at `rankreport.Comparison.table`, its cautions in English."""
        with speaking(ENGLISH):
            return self.cautioned()

    def cautioned(self) -> pl.DataFrame:
        """Return the figures with what to mind of each, in the language of the context."""
        cautions = [caution(found) for found in self.found]
        column = pl.Series("caution", cautions, pl.String)
        return self.uncautioned.with_columns(column).select(COMPARISON)

    @cached_property
    def found(self) -> list[Difference]:
        """What was found of each pair on each measure, in the order of the table."""
        return self._found(self.uncautioned)

    @cached_property
    def uncautioned(self) -> pl.DataFrame:
        """The same without cautions, and with ``n_telling`` as `Contrasts.frame` has it."""
        contrasts = self.contrasts
        p_values = self.p_values(self.test)
        rows = contrasts.frame().with_columns(
            *contrasts.intervals(self.interval, self.confidence),
            p_values,
            contrasts.adjusted(self.test, p_values),
        )
        return by_measure(rows, self.evaluation.measures)

    @cached_property
    def _known_p_values(self) -> dict[str, pl.Series]:
        return {}

    def p_values(self, test: str) -> pl.Series:
        """Return the p-values of a kind of test, which are made once."""
        if test not in self._known_p_values:
            made = self.contrasts.p_values(test, str(self.primary))
            self._known_p_values[test] = made
        return self._known_p_values[test]

    @cached_property
    def ratio_figures(self) -> pl.DataFrame:
        """The frame described at `rankreport.Comparison.ratios`."""
        kind = "auto" if self.interval == "studentized" else self.interval
        return self.contrasts.ratios(kind, self.confidence)

    @cached_property
    def _known_segments(self) -> dict[tuple[tuple[str, ...], str, int], pl.DataFrame]:
        return {}

    def segments_of(self, columns: Sequence[str], measure: str, smallest: int) -> pl.DataFrame:
        """Return the frame described at `rankreport.Comparison.segments`, which is made once."""
        asked = (tuple(columns), measure, smallest)
        if asked not in self._known_segments:
            self._known_segments[asked] = segment_rows(
                self.contrast([parse(measure)]),
                self.traits,
                self.query_ids,
                columns,
                interval=self.interval,
                test=self.test,
                confidence=self.confidence,
                smallest=smallest,
            )
        return self._known_segments[asked]

    @cached_property
    def differences(self) -> dict[Pair, Difference]:
        """What was found of each pair on the measure that decides."""
        name = str(self.primary)
        decisive = [each for each in self.found if each.measure == name]
        return dict(zip(self.pairs, decisive, strict=True))

    def queries_of(self, pair: Pair, measure: str) -> pl.DataFrame:
        """Return one pair's scores query by query, the biggest win first.

        Queries that weigh nothing are left out, as they are of every mean.
        """
        scores, place = self.contrasts.scores, self.contrasts.measures.index(measure)
        frame = pl.DataFrame(
            {
                QUERY_ID: self.query_ids,
                "score_baseline": scores[pair.baseline][:, place],
                "score_system": scores[pair.system][:, place],
                "delta": self.contrasts.deltas[pair][:, place],
            },
            nan_to_null=True,
        ).filter(pl.Series(self.contrasts.weighed))
        names = [pl.lit(name).alias(side) for side, name in pair._asdict().items()]
        by_delta = frame.sort("delta", QUERY_ID, descending=[True, False], nulls_last=True)
        return by_delta.select(*names, pl.all())

    def on_one_side(self, measure: str, pairs: Sequence[Pair], side: int) -> pl.DataFrame:
        """Return the queries won (side 1) or lost (-1), the biggest first; none if neither is."""
        goal = self.contrasts.goals[self.contrasts.measures.index(measure)]
        won = pl.col("delta") * goal * side
        return pl.concat(
            self.queries_of(pair, measure).filter((won > 0) & won.is_not_nan()).sort(-won, QUERY_ID)
            for pair in pairs
        )

    def named(self, measure: Asked) -> str:
        """Return the name of a measure that was evaluated, the one that decides if None is given.

        Raises
        ------
        OptionError
            If it was not.
        """
        wanted = self.primary if measure is None else parse(measure)
        return choose("measure", str(wanted), map(str, self.evaluation.measures))

    def chosen(self, system: str | None = None, baseline: str | None = None) -> tuple[Pair, ...]:
        """Return the pairs of this system and baseline, of any where none is named."""
        return chosen_pairs(self.pairs, system, baseline)

    def leading(self, system: str | None = None, baseline: str | None = None) -> Pair:
        """Return the pair with the largest mean difference on the primary measure.

        Of several baselines, with the largest in size: which of a pair is the baseline may be
        chance there.
        """
        wanted = self.chosen(system, baseline)
        deltas = {pair: self.differences[pair].delta for pair in wanted}
        known = {pair: delta for pair, delta in deltas.items() if delta is not None}
        size = float if len({pair.baseline for pair in wanted}) == 1 else abs
        return max(known, key=lambda pair: size(known[pair])) if known else wanted[0]

    def kinds(
        self, option: str, asked: Iterable[str] | None, usual: Iterable[str], known: Iterable[str]
    ) -> list[str]:
        """Return the kinds asked for, or those of the usual ones that these queries allow.

        Raises
        ------
        OptionError
            If one asked for is not known, or cannot be made of these queries.
        """
        if asked is None:
            return [kind for kind in usual if self.refusal(**{option: kind}) is None]
        names = tuple(known)
        chosen = [choose(option, kind, names) for kind in asked]
        for kind in chosen:
            if reason := self.refusal(**{option: kind}):
                raise OptionError(reason)
        return chosen

    def refusal(self, *, interval: str | None = None, test: str | None = None) -> str | None:
        """Say why a kind cannot be made of these queries, or return None."""
        return refusal(
            self.traits.structure_columns,
            interval=interval or self.interval,
            test=test or self.test,
            correction=self.correction,
            n_tests=self.family.n_tests,
        )

    def labelled(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return rows of pairs with each pair's label for its system."""
        labels = {f"{pair.baseline}\0{pair.system}": name for pair, name in self.labels.items()}
        pair = pl.concat_str(BASELINE, SYSTEM, separator="\0").replace_strict(labels)
        return rows.with_columns(pair.alias(SYSTEM))

    def best_first(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return rows of many pairs with the best difference of each measure first."""
        if len(self.pairs) <= FEW_PAIRS:
            return rows
        return best_first(rows, self.evaluation.measures, "delta")

    @property
    def one_baseline(self) -> str | None:
        """The baseline, or None where there are several."""
        return self.baseline if len(self.baselines) == 1 else None

    def lettered(self) -> Lettered:
        """Return systems by measures, with letters for differences, as papers print them."""
        method = say(TESTS[self.test].title)
        if self.family.n_tests > 1:
            correction = say(CORRECTIONS[self.correction].title)
            method = say("{test}, with {correction}", test=method, correction=correction)
        compared = systems_of(self.pairs)
        return lettered(
            self.uncautioned,
            [system for system in self.evaluation.systems if system in compared],
            {str(m): m.declaration.better for m in self.evaluation.measures},
            level=1 - self.confidence,
            min_changed=MIN_CHANGED,
            method=method,
        )

    def _found(self, rows: pl.DataFrame) -> list[Difference]:
        """Return what a verdict is made of, row by row."""
        found = []
        for row in rows.iter_rows(named=True):
            pair, measure = Pair(row[BASELINE], row[SYSTEM]), row[MEASURE]
            ahead = outlook(self.contrasts, pair, measure, self.confidence, self.margin)
            figures: dict[str, Any] = {**{name: row[name] for name in _FOUND}, **ahead}
            figures |= {"confidence": self.confidence, "margin": self.margin}
            found.append(Difference(**figures))
        return found
