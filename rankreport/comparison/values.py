"""The values that a comparison consists of, and what follows from them alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankreport import evaluation
from rankreport.caching import Caching, cached
from rankreport.comparison.pairs import Family, Pair, systems_of
from rankreport.errors import OptionError, choose
from rankreport.io import FromFiles, check_process
from rankreport.measures import Measure, one_of
from rankreport.statistics import REPEATS, Structure, refusal

if TYPE_CHECKING:
    from rankreport.comparison.query_metadata import QueryMetadata
    from rankreport.evaluation import Evaluation

MeasureLike = str | Measure | None
"""A measure, or None for the primary one."""


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonValues(Caching, FromFiles):
    """The values that a `Comparison` consists of; all its figures are functions of them."""

    evaluation: Evaluation
    pairs: tuple[Pair, ...]
    interval: str
    test: str | Callable[..., Any]
    correction: str
    across: str
    confidence: float
    margin: float | None
    query_metadata: QueryMetadata
    resamples: int
    seed: int
    memory: int | None
    largest_loss: float | None = None
    null: tuple[str, ...] = ()
    _by_model: ComparisonValues | None = None
    _sample: int | str = 0
    _by_default: bool = False
    _largest_error: float | None = None

    @property
    def baselines(self) -> tuple[str, ...]:
        """The baselines."""
        return tuple(dict.fromkeys(pair.baseline for pair in self.pairs))

    @property
    def baseline(self) -> str:
        """The first baseline."""
        return self.baselines[0]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems compared with a baseline, in the order of the evaluation."""
        compared = {pair.system for pair in self.pairs}
        return tuple(system for system in self.evaluation.systems if system in compared)

    @property
    def primary(self) -> Measure:
        """The primary measure."""
        return self.evaluation.primary


def compares_all(comparison: ComparisonValues) -> bool:
    """Return whether every two of the systems were compared."""
    return len(comparison.pairs) == math.comb(len(systems_of(comparison.pairs)), 2)


def all_pairs_by_default(self: ComparisonValues) -> bool:
    """Return whether every two of several systems were compared, and nobody named the baseline."""
    return self._by_default and len(self.pairs) > 1 and compares_all(self)


def one_baseline(comparison: ComparisonValues) -> str | None:
    """Return the baseline, or None if there are several."""
    return comparison.baseline if len(comparison.baselines) == 1 else None


def family_of(comparison: ComparisonValues) -> Family:
    """Return the differences that are corrected together."""
    n_measures = len(comparison.evaluation.measures)
    return Family(comparison.correction, comparison.across, len(comparison.pairs), n_measures)


@cached
def structure_of(comparison: ComparisonValues) -> Structure:
    """Return weights, clusters and strata of the queries."""
    return comparison.query_metadata.structure(comparison.evaluation.query_ids)


def block_of_draws(comparison: ComparisonValues) -> int:
    """Return the memory for a block of resamples."""
    return (
        evaluation.block_of(evaluation.memory_limit_of(comparison.evaluation))
        if comparison.memory is None
        else comparison.memory
    )


def structure_kinds(comparison: ComparisonValues) -> tuple[str, ...]:
    """Return the kinds of structure of the queries, and that systems have several runs."""
    repeats = (REPEATS,) if comparison.evaluation.n_repeats else ()
    return (*comparison.query_metadata.structure_columns, *repeats)


def refusal_of(
    comparison: ComparisonValues,
    *,
    interval: str | None = None,
    test: str | Callable[..., Any] | None = None,
) -> str | None:
    """Return why these queries do not allow a kind, or None."""
    return refusal(
        structure_kinds(comparison),
        interval=interval or comparison.interval,
        test=test or comparison.test,
        correction=comparison.correction,
        n_tests=family_of(comparison).n_tests,
    )


def measure_named(comparison: ComparisonValues, measure: MeasureLike) -> str:
    """Return the name of an evaluated measure; the primary one for None.

    Raises
    ------
    OptionError
        If it was not evaluated.
    """
    wanted = comparison.primary
    if measure is not None:
        # A name that only a profile has is known as it was asked.
        wanted = one_of(comparison.evaluation.measures, measure)
    return choose("measure", str(wanted), map(str, comparison.evaluation.measures))


def pairs_matching(
    comparison: ComparisonValues, system: str | None = None, baseline: str | None = None
) -> tuple[Pair, ...]:
    """Return the pairs with this system and baseline; None matches any.

    Raises
    ------
    OptionError
        If there are none.
    """
    check_process()
    if system is not None:
        choose("system", system, dict.fromkeys(pair.system for pair in comparison.pairs))
    if baseline is not None:
        choose("baseline", baseline, comparison.baselines)
    chosen = tuple(
        pair
        for pair in comparison.pairs
        if system in {None, pair.system} and baseline in {None, pair.baseline}
    )
    if not chosen:
        wanted, listed = Pair(baseline or "", system or ""), ", ".join(map(str, comparison.pairs))
        raise OptionError(f"{wanted} was not compared. Compared: {listed}.")
    return chosen
