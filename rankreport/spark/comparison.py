"""`SparkComparison`: differences of systems whose scores by query stay on Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NoReturn

import polars as pl

from rankreport.comparison import (
    OPTIONS,
    Comparison,
    Contrasts,
    Method,
    Pair,
    QueryMetadata,
    SummedContrasts,
    check_options,
    pairs_of,
    without_queries,
)
from rankreport.errors import OptionError, suggestion
from rankreport.evaluation import check_averaged, check_decides
from rankreport.measures import Measure
from rankreport.spark.sums import SummedEvaluation
from rankreport.statistics import Draws, check_draws
from rankreport.text import strung

_MOST_COLUMNS = 2_000
"""The most differences whose sums are brought home: some hundred megabytes."""

_KINDS = {
    "interval": ("auto", "t", "percentile", "basic", "bca"),
    "test": ("sign-flip", "t"),
}
"""The methods that sums allow: others need the differences of single queries."""


@dataclass(frozen=True, eq=False, repr=False)
class SparkComparison(Comparison):
    """Differences between pairs of systems, from sums: as `SparkEvaluation.compare` returns them.

    It is a `rankreport.Comparison`: `table`, `verdict`, `means`, `ratios`, `intervals`, `tests`,
    `cautions` and charts of means are those of the same scores on one machine; `rankreport.report`,
    `gate` and `leaderboard` take it. What needs the scores of single queries (`deltas`, `wins`,
    `losses`, `side_by_side`, `segments`, `effects`, `curve`, their charts) raises an `OptionError`.
    """

    evaluation: SummedEvaluation

    @cached_property
    def _contrasts(self) -> Contrasts:
        return self._contrast(self.evaluation.measures)

    def _contrast(
        self,
        measures: Sequence[Measure],
        across: str | None = None,
        values: pl.DataFrame | None = None,
    ) -> SummedContrasts:
        del values  # those of single queries are not held
        if not {*measures} <= {*self.evaluation.measures}:
            raise without_queries("Measures at other cut-offs need")
        return SummedContrasts.of_sums(
            self.evaluation.sums,
            measures,
            self.pairs,
            correction=self.correction,
            across=self.across if across is None else across,
            draws=Draws(self.resamples, self.seed, self._block),
        )

    @property
    def _method(self) -> Method:
        return replace(super()._method, by_hash=True)

    @cached_property
    def _condensed(self) -> Contrasts | None:
        found = self.evaluation.on_judged
        if found is None:
            return None
        contrasts = self._contrast([self.primary], "systems")
        return replace(contrasts, sums=found.sums)

    def _mean_bounds(
        self, condensed: Contrasts, pairs: Sequence[Pair]
    ) -> Mapping[Pair, tuple[float, float]]:
        del condensed
        found = self.evaluation.on_judged
        known = {} if found is None else {pair: found.mean_bounds(pair) for pair in pairs}
        return {pair: ends for pair, ends in known.items() if ends is not None}

    @property
    def _query_ids(self) -> NoReturn:
        raise without_queries("This needs")

    def _win_and_loss(
        self, pair: Pair, *, answered: bool = False
    ) -> tuple[float | None, float | None]:
        del answered  # which queries were answered is not held
        return self._contrast([self.primary]).sides(pair)

    @cached_property
    def _caution_inputs(self) -> dict[str, Any]:
        inputs = self.evaluation._caution_inputs
        contrasts = self._contrast(self.evaluation.measures)
        return {
            **{name: inputs[name] for name in ("ties", "quality")},
            "judged": self.evaluation.judged_share,
            "leading": self._own_differences[self._leading()],
            "alike": contrasts.alike,
            "beyond": self._beyond(),
            "p_differs": self._p_differs,
            "missing": contrasts.sums.one_sided(self.pairs, str(self.primary)),
        }

    def _refusal(self, *, interval: str | None = None, test: str | None = None) -> str | None:
        for option, kind in {"interval": interval, "test": test}.items():
            wanted = kind or getattr(self, option)
            if wanted not in _KINDS[option]:
                return (
                    f"{option} {wanted!r} needs the differences of single queries, and this "
                    f"comparison holds sums of them; use {strung(list(map(repr, _KINDS[option])))}."
                )
        return None

    # What needs scores

    def effects(self) -> NoReturn:
        """Raise an `OptionError`: it needs the scores of single queries."""
        raise without_queries("effects() needs")

    def side_by_side(self, *_: object, **__: object) -> NoReturn:
        """Raise an `OptionError`: it needs the documents of single queries."""
        raise without_queries("side_by_side() needs")

    def _by_segment(self, *_: object) -> NoReturn:
        raise without_queries("Segments need")

    def _curves_of(self, *_: object) -> NoReturn:
        raise without_queries("Curves need")

    def _queries_of(self, *_: object) -> NoReturn:
        raise without_queries("Differences by query need")


def compare_sums(
    evaluation: SummedEvaluation,
    *,
    baseline: Any,
    pairs: str,
    margin: float | None,
    resamples: int,
    seed: int,
    **methods: Any,
) -> SparkComparison:
    """Compare the systems of an evaluation of sums, as `SparkEvaluation.compare`.

    Raises
    ------
    MeasureError, OptionError
        As for `rankreport.compare`.
    """
    check_averaged(evaluation.measures)
    check_decides(evaluation.primary)
    n = len(evaluation.systems)
    if n < _PAIR:
        raise OptionError("A comparison needs two systems or more; this evaluation has one.")
    check_options(**methods, margin=margin)
    check_draws(Draws(resamples, seed))
    n_columns = n * (n - 1) // 2 * len(evaluation.measures)
    if n_columns > _MOST_COLUMNS:
        raise OptionError(
            f"{n} systems and {len(evaluation.measures)} measures make {n_columns:,} differences, "
            f"too many to bring home the sums of; at most {_MOST_COLUMNS:,}. Compare fewer systems "
            f"or measures."
        )
    made = SparkComparison(
        evaluation=evaluation,
        pairs=pairs_of(evaluation.systems, baseline, pairs),
        margin=margin,
        query_metadata=QueryMetadata(),
        resamples=resamples,
        seed=seed,
        memory=None,
        **methods,
    )
    if reason := made._refusal():
        raise OptionError(reason)
    return made


_PAIR = 2


def check_unknown(given: dict[str, Any]) -> None:
    """Refuse options of `rankreport.compare` that sums do not allow.

    Raises
    ------
    OptionError
        Naming the first, and the nearest if `rankreport.compare` has no such option either.
    """
    for name in given:
        if name in OPTIONS:
            raise without_queries(f"{name} needs")
        near = suggestion(name, OPTIONS)
        raise OptionError(f"compare() got an unexpected keyword argument {name!r}. {near}")
