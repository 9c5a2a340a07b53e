"""The options of `rankreport.compare`, each declared once.

The signature stays explicit, and a contract test compares it with these declarations. Checks, the
command line, and the settings recorded in reports, notebooks and JSON are derived from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rankreport import statistics
from rankreport.comparison.pairs import ACROSS, PAIRS
from rankreport.comparison.values import all_pairs_by_default, one_baseline
from rankreport.errors import OptionError, check_confidence, choose, expect
from rankreport.evaluation import MEMORY_HELP
from rankreport.text import say

Recorded = Callable[[Any], Any]
"""Takes a `rankreport.Comparison` and returns the value to record, or None."""


@dataclass(frozen=True)
class Flag:
    """An option on the command line.

    Attributes
    ----------
    group
        Group of options that it belongs to.
    kind
        Type of the value.
    help
        One sentence.
    metavar
        Placeholder for the value in the help; None for a switch. COLUMN is a column of
        ``--queries``.
    flag, field
        Names of the flag and the parameter, if they differ from the option's.
    default
        Default, if it differs from the option's.
    value
        Converts the value for `rankreport.compare`.
    """

    group: str
    kind: Any
    help: str
    metavar: str | None
    flag: str = ""
    field: str = ""
    default: Any = ...
    value: Callable[[Any], Any] = lambda given: given


@dataclass(frozen=True)
class Option:
    """An option of `rankreport.compare`.

    Attributes
    ----------
    name, default
        As in the signature.
    command
        The option on the command line.
    choices
        Allowed values, if they are names.
    own
        Whether a function of one's own is allowed too.
    check
        Validates the value, if that needs neither systems nor queries.
    setting
        Returns the value for the settings of a comparison, its notebook and its JSON.
    provenance
        Returns the value for the provenance of a report.
    label
        Label in the provenance, if it differs from the name.
    """

    name: str
    default: Any
    command: Flag
    choices: Iterable[str] | None = None
    own: bool = False
    check: Callable[[Any], None] | None = None
    setting: Recorded | None = None
    provenance: Recorded | None = None
    label: str = ""

    @property
    def flag(self) -> str:
        """The flag on the command line."""
        return self.command.flag or f"--{self.name.replace('_', '-')}"

    @property
    def field(self) -> str:
        """The name of a command's parameter."""
        return self.command.field or self.name

    @property
    def given_unless_named(self) -> Any:
        """The default on the command line."""
        return self.default if self.command.default is ... else self.command.default


def check_options(**given: Any) -> None:
    """Validate options in the order of their declarations.

    Raises
    ------
    OptionError
        For the first invalid value.
    """
    for name, option in OPTIONS.items():
        if name not in given:
            continue
        if option.choices is not None and not (option.own and callable(given[name])):
            choose(name, given[name], option.choices)
        if option.check is not None:
            option.check(given[name])


def settings_of(comparison: Any) -> dict[str, Any]:
    """Return the arguments of `rankreport.compare` that reproduce the comparison."""
    recorded = {o.name: o.setting(comparison) for o in OPTIONS.values() if o.setting is not None}
    return {name: value for name, value in recorded.items() if value is not None}


def comparison_provenance(comparison: Any) -> Iterator[tuple[str, str]]:
    """Yield the options for the provenance of a report, by label."""
    for option in OPTIONS.values():
        words = None if option.provenance is None else option.provenance(comparison)
        if words is not None:
            yield option.label or option.name, words


def _in_figures(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"


def _check_above_0(name: str, what: str) -> Callable[[float | None], None]:
    """Return the check of a number above 0, of which the message says `what` it is, or None."""

    def check(given: float | None) -> None:
        expect(given, (int, float, type(None)), f"{name} takes a number above 0, {what}")
        if given is not None and not 0 < given < math.inf:
            raise OptionError(f"{name}={given}: expected a number above 0, {what}.")

    return check


_check_margin = _check_above_0("margin", "the largest difference that does not matter")
_check_largest_error = _check_above_0(
    "largest_error", "the most that a model errs on a query, such as 0.5"
)
check_largest_loss = _check_above_0("largest_loss", "the most that a query can lose, such as 0.5")


def _column(name: str, what: str) -> Option:
    """Declare an option that names a column of the query table."""
    command = Flag("structure", str | None, f"Column of --queries: {what}.", "COLUMN")

    def given(comparison: Any) -> Any:
        metadata = comparison.query_metadata
        own = metadata.of_datasets and name == "strata"
        return None if own else metadata.structure_columns.get(name)

    def used(comparison: Any) -> Any:
        return comparison.query_metadata.structure_columns.get(name)

    return Option(name, None, command, setting=given, provenance=used)


_DECLARED = (
    Option(
        "baseline",
        None,
        Flag(
            "comparison",
            list[str] | None,
            "Baseline system; repeatable. [default: the first run; of those that a column names, "
            "the first by name]",
            "NAME",
            field="baselines",
        ),
        setting=lambda c: None if all_pairs_by_default(c) else one_baseline(c) or list(c.baselines),
        provenance=lambda c: ", ".join(c.baselines),
    ),
    Option(
        "pairs",
        "baseline",
        Flag(
            "comparison",
            bool,
            "Compare every system with every other.",
            None,
            flag="--all-pairs",
            field="all_pairs",
            default=False,
            value=lambda given: "all" if given else "baseline",
        ),
        choices=PAIRS,
        # Otherwise baseline lists the resulting baselines.
        setting=lambda c: "all" if all_pairs_by_default(c) else None,
    ),
    Option(
        "interval",
        "auto",
        Flag("resampling", str, f"Interval: {', '.join(statistics.INTERVALS)}.", "KIND"),
        choices=statistics.INTERVALS,
        setting=lambda c: c.interval,
        provenance=lambda c: say(
            "{interval}, confidence {confidence}",
            interval=c.interval,
            confidence=f"{c.confidence:g}",
        ),
    ),
    Option(
        "test",
        "sign-flip",
        Flag("comparison", str, f"Test: {', '.join(statistics.TESTS)}.", "KIND"),
        choices=statistics.TESTS,
        own=True,
        setting=lambda c: statistics.name_of_test(c.test),
        provenance=lambda c: statistics.name_of_test(c.test),
    ),
    Option(
        "correction",
        "max-t",
        Flag(
            "resampling",
            str,
            f"Correction for several systems: {', '.join(statistics.CORRECTIONS)}.",
            "KIND",
        ),
        choices=statistics.CORRECTIONS,
        setting=lambda c: c.correction,
        provenance=lambda c: c.correction,
    ),
    Option(
        "across",
        "systems",
        Flag(
            "comparison",
            str,
            f"Correct p-values and intervals across {' or '.join(ACROSS)}.",
            "WHAT",
        ),
        choices=ACROSS,
        setting=lambda c: None if c.across == "systems" else c.across,
        provenance=lambda c: c.across,
        label="corrected across",
    ),
    Option(
        "confidence",
        None,
        Flag("resampling", float, "Confidence level of the intervals.", "SHARE", default=0.95),
        check=check_confidence,
        setting=lambda c: c.confidence,
    ),
    Option(
        "margin",
        None,
        Flag("comparison", float | None, "Largest difference that does not matter.", "X"),
        check=_check_margin,
        setting=lambda c: c.margin,
        provenance=lambda c: _in_figures(c.margin),
    ),
    Option(
        "queries",
        None,
        Flag("structure", str | None, "Table of queries: query_id, text, other columns.", "FILE"),
    ),
    _column("weights", "weight, such as share of the traffic"),
    _column("clusters", "cluster, such as a user or session"),
    _column("strata", "stratum that the query was drawn from"),
    Option(
        "segments",
        None,
        Flag(
            "structure",
            list[str] | None,
            "Column of --queries to break the comparison down by; repeatable.",
            "COLUMN",
            flag="--segment",
            field="segment",
        ),
        setting=lambda c: list(c.query_metadata.segments) or None,
    ),
    Option(
        "resamples",
        10_000,
        Flag("resampling", int, "Number of bootstrap resamples.", "N"),
        setting=lambda c: c.resamples,
        provenance=lambda c: str(c.resamples),
    ),
    Option(
        "seed",
        0,
        Flag("resampling", int, "Random seed.", "N"),
        setting=lambda c: c.seed,
        provenance=lambda c: str(c.seed),
    ),
    Option(
        "largest_loss",
        None,
        Flag(
            "resampling",
            float | None,
            "The most that a query can lose; decides where failures may be rare. [default: the "
            "measure's range]",
            "LOSS",
        ),
        check=check_largest_loss,
        setting=lambda c: c.largest_loss,
        provenance=lambda c: _in_figures(c.largest_loss),
        label="largest loss",
    ),
    # Not recorded: no figure depends on it.
    Option(
        "memory_limit",
        None,
        Flag("resampling", str | None, MEMORY_HELP, "SIZE", flag="--memory", field="memory"),
    ),
    # Not recorded: the judgments are named in the data.
    Option(
        "judges",
        None,
        Flag(
            "judges",
            str | None,
            "Judgments of a random sample of the queries by people; QRELS are a model's of all.",
            "FILE",
            flag="--human",
            field="human",
        ),
    ),
    Option(
        "sample",
        0,
        Flag(
            "judges",
            str,
            "How that sample was drawn: the seed of sample_queries(), or random.",
            "HOW",
            default="0",
            value=lambda given: int(given) if given.isdigit() else given,
        ),
        setting=lambda c: None if c.judges is None else c.judges.sample,
        provenance=lambda c: None if c.judges is None else str(c.judges.sample),
        label="sample of people's queries",
    ),
    Option(
        "largest_error",
        None,
        Flag(
            "judges",
            float | None,
            "The most by which a model's difference is off on a query. [default: half the "
            "measure's range]",
            "X",
        ),
        check=_check_largest_error,
        setting=lambda c: None if c.judges is None else c.judges.largest_error,
        provenance=lambda c: None if c.judges is None else _in_figures(c.judges.largest_error),
        label="largest error of the model",
    ),
    Option(
        "null",
        None,
        Flag(
            "comparison",
            list[str] | None,
            "A further run of the baseline, which is not compared: path or name=path; repeatable.",
            "RUN",
        ),
        setting=lambda c: list(c.null) or None,
        provenance=lambda c: ", ".join(c.null) or None,
        label="further runs of the baseline",
    ),
)


OPTIONS: Mapping[str, Option] = MappingProxyType({each.name: each for each in _DECLARED})
"""The options by name, in the order of the signature."""
