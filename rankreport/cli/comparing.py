"""Groups of options of a comparison, and the comparison with them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

import rankreport as rr
from rankreport.cli.grouping import option_of
from rankreport.cli.options import (
    LabelledOptions,
    RuleOptions,
    Wanted,
    named_runs,
    paths_of,
)
from rankreport.cli.storing import StoreOptions
from rankreport.comparison import OPTIONS, Option
from rankreport.errors import OptionError

if TYPE_CHECKING:
    from rankreport.comparison import Comparison
    from rankreport.evaluation import Evaluation


class DeclaredOptions:
    """A group of options of `compare`, as `~rankreport.OPTIONS` declares them."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    declared: ClassVar[tuple[Option, ...]]

    def __init_subclass__(cls, group: str) -> None:
        """Make the class a dataclass of the group's options."""
        cls.declared = tuple(each for each in OPTIONS.values() if each.command.group == group)
        cls.__annotations__ = {each.field: _annotation(each) for each in cls.declared}
        for each in cls.declared:
            setattr(cls, each.field, each.given_unless_named)
        dataclass(frozen=True)(cls)

    def options(self) -> dict[str, Any]:
        """Return the options as arguments of `compare`."""
        return {each.name: each.command.value(getattr(self, each.field)) for each in self.declared}


def _annotation(option: Option) -> Any:
    flag = option.command
    return Annotated[flag.kind, typer.Option(option.flag, metavar=flag.metavar, help=flag.help)]


class ResamplingOptions(DeclaredOptions, group="resampling"):
    """Intervals, corrections and resampling."""

    memory: str | None
    confidence: float
    largest_loss: float | None


class StructureOptions(DeclaredOptions, group="structure"):
    """Query metadata: weights, clusters, strata and segments."""

    queries: str | None
    segment: list[str] | None


class ComparisonOptions(DeclaredOptions, group="comparison"):
    """Pairs to compare, and tests."""

    baselines: list[str] | None
    null: list[str] | None

    def with_null(
        self, runs: list[str] | None, rules: RuleOptions
    ) -> tuple[list[str] | None, ComparisonOptions]:
        """Return all runs, and the options with the names of the baseline's further ones."""
        if not self.null:
            return runs, self
        named = [*named_runs(self.null, rules.name_from)]
        return [*(runs or ()), *self.null], replace(self, null=named)


class Judges(DeclaredOptions, group="judges"):
    """Judgments of some queries by people, where a model judged all."""

    human: str | None

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
            "--allow",
            "DIMENSION",
            "A dimension, such as judgments, that may differ from a stored baseline or be unknown "
            "(docs/history.md); repeatable.",
        ),
    ] = None
    declared: Annotated[
        int | None,
        option_of(
            "--declared",
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


def compared(
    evaluation: Evaluation, *groups: DeclaredOptions, people: Evaluation | None = None
) -> Comparison:
    """Compare the systems of an evaluation with groups of options.

    With an evaluation by people's judgments, the first is that by a model's.

    Raises
    ------
    OptionError
        If a column is named without --queries, or as in `compare`.
    """
    options = {name: given for group in groups for name, given in group.options().items()}
    for name, option in OPTIONS.items():
        of_queries = option.command.metavar == "COLUMN"
        if of_queries and options.get(name) and options["queries"] is None:
            raise OptionError(
                f"{option.flag} names a column of the table of queries; add --queries FILE."
            )
    if people is None:
        if options.pop("sample", 0) != 0:
            raise OptionError("--sample says how the queries of --human FILE were drawn.")
        if options.pop("largest_error", None) is not None:
            raise OptionError("--largest-error is of a model corrected by --human FILE.")
        return rr.compare(evaluation, **{**options, "judges": None})
    options["judges"] = {"model": evaluation, "human": people}
    return rr.compare(**options)


def check_alone(*groups: DeclaredOptions) -> None:
    """Check that a single run has no options of a comparison, which would be ignored.

    Raises
    ------
    OptionError
        For the first option that differs from its default.
    """
    for group in groups:
        for each in group.declared:
            given, usual = getattr(group, each.field), each.given_unless_named
            # The texts of queries are shown for a single run, too.
            if each.name not in {"queries", "memory_limit"} and given not in (usual, []):
                raise OptionError(
                    f"{each.flag} needs a second run to compare with it.{_hint(group)}"
                )


def _hint(group: object) -> str:
    """Return how the means of a single run get other intervals."""
    if not isinstance(group, ResamplingOptions):
        return ""
    usual = ResamplingOptions().options()
    return (
        f" The means of one run have {usual['confidence']:.0%} intervals from "
        f"{usual['resamples']:,} resamples; for others use Evaluation.means() in Python."
    )
