"""The options of `rankreport.compare`: their checks, and what reports and notebooks record."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rankreport import statistics
from rankreport.comparison.pair_decisions import judges_with_doubts
from rankreport.comparison.pairs import ACROSS
from rankreport.comparison.values import ComparisonValues, all_pairs_by_default, one_baseline
from rankreport.errors import OptionError, check_confidence, choose, expect
from rankreport.text import say


def check_options(
    *,
    interval: str,
    test: Any,
    correction: str,
    across: str,
    confidence: float,
    margin: float | None,
    largest_error: float | None,
    largest_loss: float | None,
) -> None:
    """Check the options that depend on neither systems nor queries.

    Raises
    ------
    OptionError
        For the first invalid value.
    """
    choose("interval", interval, statistics.INTERVALS)
    if not callable(test):
        choose("test", test, statistics.TESTS)
    choose("correction", correction, statistics.CORRECTIONS)
    choose("across", across, ACROSS)
    check_confidence(confidence)
    _check_above_0("margin", margin, "the largest difference that does not matter")
    check_largest_loss(largest_loss)
    what = "the most that a model errs on a query, such as 0.5"
    _check_above_0("largest_error", largest_error, what)


def check_largest_loss(given: float | None) -> None:
    """Check the most that a query can lose: a number above 0, or None.

    Raises
    ------
    OptionError
        If it is neither.
    """
    _check_above_0("largest_loss", given, "the most that a query can lose, such as 0.5")


def _check_above_0(name: str, given: float | None, what: str) -> None:
    expect(given, (int, float, type(None)), f"{name} takes a number above 0, {what}")
    if given is not None and not 0 < given < math.inf:
        raise OptionError(f"{name}={given}: expected a number above 0, {what}.")


def settings_of(comparison: ComparisonValues) -> dict[str, Any]:
    """Return the arguments of `rankreport.compare` that reproduce the comparison.

    Data are not among them, nor is `memory_limit`, on which no figure depends.
    """
    every, judges = all_pairs_by_default(comparison), judges_with_doubts(comparison)
    metadata = comparison.query_metadata
    columns = metadata.structure_columns
    if metadata.of_datasets:  # which are strata without being named
        columns = {name: column for name, column in columns.items() if name != "strata"}
    recorded = {
        "baseline": None if every else one_baseline(comparison) or list(comparison.baselines),
        "pairs": "all" if every else None,  # otherwise baseline lists the resulting ones
        "interval": comparison.interval,
        "test": statistics.name_of_test(comparison.test),
        "correction": comparison.correction,
        "across": None if comparison.across == "systems" else comparison.across,
        "confidence": comparison.confidence,
        "margin": comparison.margin,
        **columns,
        "segments": list(metadata.segments) or None,
        "resamples": comparison.resamples,
        "seed": comparison.seed,
        "largest_loss": comparison.largest_loss,
        "sample": None if judges is None else judges.sample,
        "largest_error": None if judges is None else judges.largest_error,
        "null": list(comparison.null) or None,
    }
    return {name: value for name, value in recorded.items() if value is not None}


def comparison_provenance(comparison: ComparisonValues) -> Iterator[tuple[str, str]]:
    """Return the options for the provenance of a report, by label."""
    judges = judges_with_doubts(comparison)
    recorded = {
        "baseline": ", ".join(comparison.baselines),
        "interval": say(
            "{interval}, confidence {confidence}",
            interval=comparison.interval,
            confidence=f"{comparison.confidence:g}",
        ),
        "test": statistics.name_of_test(comparison.test),
        "correction": comparison.correction,
        "corrected across": comparison.across,
        "margin": _in_figures(comparison.margin),
        **comparison.query_metadata.structure_columns,
        "resamples": str(comparison.resamples),
        "seed": str(comparison.seed),
        "largest loss": _in_figures(comparison.largest_loss),
        "sample of people's queries": None if judges is None else str(judges.sample),
        "largest error of the model": None if judges is None else _in_figures(judges.largest_error),
        "further runs of the baseline": ", ".join(comparison.null) or None,
    }
    return ((label, words) for label, words in recorded.items() if words is not None)


def _in_figures(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"
