"""Groups of options of a comparison, and the comparison with them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

import rankreport as rr
from rankreport import statistics
from rankreport.cli.grouping import option_of
from rankreport.cli.options import (
    LabelledOptions,
    Memory,
    RuleOptions,
    Wanted,
    named_runs,
    paths_of,
)
from rankreport.cli.storing import StoreOptions
from rankreport.comparison import ACROSS
from rankreport.errors import OptionError

if TYPE_CHECKING:
    from rankreport.comparison import Comparison
    from rankreport.evaluation import Evaluation


_COLUMN = "Column of --queries"


@dataclass(frozen=True)
class ResamplingOptions:
    """Intervals, corrections and resampling."""

    interval: Annotated[str, option_of("KIND", f"Interval: {', '.join(statistics.INTERVALS)}.")] = (
        "auto"
    )
    correction: Annotated[
        str,
        option_of("KIND", f"Correction for several systems: {', '.join(statistics.CORRECTIONS)}."),
    ] = "max-t"
    confidence: Annotated[float, option_of("SHARE", "Confidence level of the intervals.")] = 0.95
    resamples: Annotated[int, option_of("N", "Number of bootstrap resamples.")] = 10_000
    seed: Annotated[int, option_of("N", "Random seed.")] = 0
    largest_loss: Annotated[
        float | None,
        option_of(
            "LOSS",
            "The most that a query can lose; decides where failures may be rare. [default: the "
            "measure's range]",
        ),
    ] = None
    memory: Memory = None


@dataclass(frozen=True)
class StructureOptions:
    """Query metadata: weights, clusters, strata and segments."""

    queries: Annotated[
        str | None,
        option_of("FILE", "Table of queries: query_id, text, other columns."),
    ] = None
    weights: Annotated[
        str | None,
        option_of("COLUMN", f"{_COLUMN}: weight, such as share of the traffic."),
    ] = None
    clusters: Annotated[
        str | None,
        option_of("COLUMN", f"{_COLUMN}: cluster, such as a user or session."),
    ] = None
    strata: Annotated[
        str | None,
        option_of("COLUMN", f"{_COLUMN}: stratum that the query was drawn from."),
    ] = None
    segment: Annotated[
        list[str] | None,
        option_of("COLUMN", f"{_COLUMN} to break the comparison down by; repeatable."),
    ] = None


@dataclass(frozen=True)
class ComparisonOptions:
    """Pairs to compare, and tests."""

    baselines: Annotated[
        list[str] | None,
        option_of(
            "NAME",
            "Baseline system; repeatable. [default: the first run; of those that a column names, "
            "the first by name]",
            "--baseline",
        ),
    ] = None
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Compare every system with every other.")
    ] = False
    test: Annotated[str, option_of("KIND", f"Test: {', '.join(statistics.TESTS)}.")] = "sign-flip"
    across: Annotated[
        str,
        option_of("WHAT", f"Correct p-values and intervals across {' or '.join(ACROSS)}."),
    ] = "systems"
    margin: Annotated[float | None, option_of("X", "Largest difference that does not matter.")] = (
        None
    )
    null: Annotated[
        list[str] | None,
        option_of(
            "RUN",
            "A further run of the baseline, which is not compared: path or name=path; repeatable.",
        ),
    ] = None

    def with_null(
        self, runs: list[str] | None, rules: RuleOptions
    ) -> tuple[list[str] | None, ComparisonOptions]:
        """Return all runs, and the options with the names of the baseline's further ones."""
        if not self.null:
            return runs, self
        named = [*named_runs(self.null, rules.name_from)]
        return [*(runs or ()), *self.null], replace(self, null=named)


@dataclass(frozen=True)
class Judges:
    """Judgments of some queries by people, where a model judged all."""

    human: Annotated[
        str | None,
        option_of(
            "FILE",
            "Judgments of a random sample of the queries by people; QRELS are a model's of all.",
        ),
    ] = None
    sample: Annotated[
        str,
        option_of("HOW", "How that sample was drawn: the seed of sample_queries(), or random."),
    ] = "0"
    largest_error: Annotated[
        float | None,
        option_of(
            "X",
            "The most by which a model's difference is off on a query. [default: half the "
            "measure's range]",
        ),
    ] = None

    def of_model(self, rules: RuleOptions) -> RuleOptions:
        """Return the rules by which QRELS are evaluated: those of a model are of one judge."""
        return rules if self.human is None else replace(rules, combine=None)

    def by_people(
        self,
        labelled: LabelledOptions,
        runs: Sequence[str],
        rules: RuleOptions,
        wanted: Wanted,
    ) -> Evaluation | None:
        """Evaluate the runs by people's judgments; None without them.

        Where several people judged, ``--combine`` is of their grades.

        Raises
        ------
        OptionError
            If there are no judgments and runs.
        """
        if self.human is None:
            return None
        if labelled.option is not None:
            raise OptionError("--human FILE goes with QRELS, the judgments of a model.")
        return rules.evaluation(self.human, runs, wanted)

    def evaluations(
        self,
        labelled: LabelledOptions,
        qrels: str | None,
        runs: Mapping[str, str | Sequence[str] | None],
        rules: RuleOptions,
        wanted: Wanted,
    ) -> tuple[Evaluation, Evaluation | None]:
        """Evaluate as `LabelledOptions.evaluation`, and `by_people` where a model judged.

        Raises
        ------
        OptionError
            As these do.
        """
        made = labelled.evaluation(qrels, runs, self.of_model(rules), wanted)
        return made, self.by_people(labelled, paths_of(runs), rules, wanted)


@dataclass(frozen=True)
class BaselineOptions(StoreOptions):
    """A stored baseline, and what is stored."""

    allow: Annotated[
        list[str] | None,
        option_of(
            "DIMENSION",
            "A dimension, such as judgments, that may differ from a stored baseline or be unknown "
            "(docs/history.md); repeatable.",
        ),
    ] = None
    declared: Annotated[
        int | None,
        option_of(
            "K",
            "Share the error among K candidates that are compared on these queries: confidence "
            "1 - (1 - confidence) / K. With a stored baseline.",
        ),
    ] = None

    def named(self, baselines: Sequence[str] | None) -> str | None:
        """Return which entry of a history is the baseline; None if that is a run.

        Raises
        ------
        OptionError
            If there are other baselines, or options of a stored one without it.
        """
        found = [each for each in baselines or () if each.startswith(_PREFIX)]
        if not found and (self.allow or self.declared is not None):
            raise OptionError(f"--allow and --declared go with --baseline {_PREFIX}latest.")
        if found and len(baselines or ()) > 1:
            raise OptionError(f"--baseline {found[0]} is one baseline; leave the others out.")
        return found[0].removeprefix(_PREFIX) if found else None

    def joined(
        self,
        made: Evaluation,
        named: str | None,
        people: Evaluation | None = None,
        date: dt.date | None = None,
    ) -> Evaluation:
        """Return an evaluation with the entry that is named as its first system, if there is one.

        Its age is counted up to a date.

        Raises
        ------
        DataError, OptionError
            As `rankreport.History.with_baseline`, or if people judged some of its queries.
        """
        if named is None:
            return made
        if people is not None:
            raise OptionError(f"--human FILE needs a run as the baseline, not {_PREFIX}{named}.")
        history = rr.History(self.store or "history")
        return history.with_baseline(
            made, named, allow=self.allow or (), declared=self.declared, date=date
        )

    def shared(self, given: ResamplingOptions) -> ResamplingOptions:
        """Return options with the confidence at which each of the declared tests is made."""
        left = (1 - given.confidence) / (self.declared or 1)
        return given if self.declared is None else replace(given, confidence=1 - left)


_PREFIX = "history:"
"""What the name of a stored baseline begins with."""


def arguments_of(*groups: object) -> dict[str, Any]:
    """Return groups of options as arguments of `compare`, without judgments by people.

    Examples
    --------
    >>> arguments_of(StructureOptions(weights="share"))["weights"]
    'share'
    """
    given = {name: value for group in groups for name, value in vars(group).items()}
    given.pop("human", None)
    if "sample" in given and given["sample"].isdigit():
        given["sample"] = int(given["sample"])
    if "all_pairs" in given:
        given["pairs"] = "all" if given.pop("all_pairs") else "baseline"
    return {_IN_PYTHON.get(name, name): value for name, value in given.items()}


_IN_PYTHON = {"baselines": "baseline", "segment": "segments", "memory": "memory_limit"}
"""Options with another name in Python."""


def compared(
    evaluation: Evaluation, *groups: object, people: Evaluation | None = None
) -> Comparison:
    """Compare the systems of an evaluation with groups of options.

    With an evaluation by people's judgments, the first is that by a model's.

    Raises
    ------
    OptionError
        If a column is named without --queries, or as in `compare`.
    """
    options = arguments_of(*groups)
    for column in ("weights", "clusters", "strata", "segment"):
        if options[_IN_PYTHON.get(column, column)] and options["queries"] is None:
            raise OptionError(
                f"--{column} names a column of the table of queries; add --queries FILE."
            )
    if people is None:
        if options.pop("sample") != 0:
            raise OptionError("--sample says how the queries of --human FILE were drawn.")
        if options.pop("largest_error") is not None:
            raise OptionError("--largest-error is of a model corrected by --human FILE.")
        return rr.compare(evaluation, **options)
    return rr.compare(judges={"model": evaluation, "human": people}, **options)


def check_alone(*groups: object) -> None:
    """Check that a single run has no options of a comparison, which would be ignored.

    Raises
    ------
    OptionError
        For the first option that differs from its default.
    """
    for group in groups:
        for name, usual in vars(type(group)()).items():
            # The texts of queries are shown for a single run, too.
            if name not in {"queries", "memory"} and getattr(group, name) not in (usual, []):
                flag = name.removesuffix("s") if name == "baselines" else name.replace("_", "-")
                raise OptionError(f"--{flag} needs a second run to compare with it.{_hint(group)}")


def _hint(group: object) -> str:
    """Return how the means of a single run get other intervals."""
    if not isinstance(group, ResamplingOptions):
        return ""
    usual = ResamplingOptions()
    return (
        f" The means of one run have {usual.confidence:.0%} intervals from "
        f"{usual.resamples:,} resamples; for others use Evaluation.means() in Python."
    )
