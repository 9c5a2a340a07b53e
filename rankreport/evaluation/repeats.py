"""The origin of an evaluation of which some systems ran several times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl
import polars.selectors as cs

from rankreport.errors import check_one_run
from rankreport.evaluation.facts import FINGERPRINTS, QUALITY, UNANSWERED, Fact
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.remarks import of_copies
from rankreport.frames import QUERY_ID, REPEAT, SYSTEM
from rankreport.io import Input, Remark, Source
from rankreport.measures import Measure, is_averaged, is_column, values_in_parts

_OF_LIST, _SAME = (SYSTEM, QUERY_ID), "identical_runs"


@dataclass(frozen=True, eq=False)
class OfRepeats(FromRuns):
    """Results of systems of which some have further runs.

    Values are means over the runs of a system; documents, and what is made of them, are those of
    its first run. Counts of a system are those of the run with the most.
    """

    further: Mapping[str, Source] = field(default_factory=dict)

    @cached_property
    def later(self) -> FromRuns:
        """The results of the further runs, each as those of a system."""
        return self._as_systems(self.further)

    @cached_property
    def _every_run(self) -> FromRuns:
        """The results of all runs, each as those of a system."""
        return self._as_systems({**self.systems, **self.further})

    def _as_systems(self, runs: Mapping[str, Source]) -> FromRuns:
        given = self.as_given()
        return FromRuns(**{**given, "systems": runs, "with_query": {}})

    def n_repeats(self) -> dict[str, int]:
        """Return the number of runs of the systems that have several."""
        of = [run.repeat_of for run in self.further.values()]
        return {system: 1 + of.count(system) for system in self.systems if system in of}

    def repeats(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Compute the values of each run of these systems."""
        every = self._every(lambda of: FromRuns.values(of, measures))
        runs = every.select(pl.int_range(pl.len()).over(_OF_LIST) + 1).to_series()
        every = every.select(SYSTEM, runs.alias(REPEAT), pl.exclude(SYSTEM))
        return pl.concat(
            every.filter(pl.col(SYSTEM) == system).sort(REPEAT, maintain_order=True)
            for system in self.n_repeats()
        )

    def _every(self, found: Callable[[FromRuns], pl.DataFrame]) -> pl.DataFrame:
        """Return what is found of all runs, the first of each system first."""
        names = {name: run.repeat_of for name, run in self.further.items()}
        every = pl.concat([found(self), found(self.later)])
        return every.with_columns(pl.col(SYSTEM).replace(names))

    def _averaged(self, values: Callable[[FromRuns], pl.DataFrame]) -> pl.DataFrame:
        """Return the means of values over runs, undefined where one is."""
        lists = self._every(values).group_by(_OF_LIST, maintain_order=True)
        return lists.agg(pl.when(pl.all().null_count() == 0).then(pl.all().mean()))

    def values(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the means over runs."""
        return self._averaged(lambda of: FromRuns.values(of, measures))

    def values_in_parts(self, measures: Sequence[Measure], most: int) -> Iterator[pl.DataFrame]:
        """Return the means over runs as `rankreport.measures.JudgedRows.in_parts` does."""
        return values_in_parts(self.values, measures, most)

    def values_within(self, measures: Sequence[Measure], depth: int) -> pl.DataFrame:
        """Return the means over runs of lists cut at a depth."""
        return self._averaged(lambda of: FromRuns.values_within(of, measures, depth))

    def tie_bounds(
        self, values: pl.DataFrame, measures: Sequence[Measure]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the means over runs under the worst and the best order of equal scores."""
        ranked = [each for each in measures if not is_column(each)]

        def bound(at: int) -> pl.DataFrame:
            found = self._averaged(
                lambda of: FromRuns.tie_bounds(of, FromRuns.values(of, ranked), ranked)[at]
            )
            return values.select(_OF_LIST).join(
                found, on=_OF_LIST, how="left", maintain_order="left"
            )

        return bound(0), bound(1)

    def condensed(self, measures: Sequence[Measure]) -> pl.DataFrame:
        """Return the means over runs without unjudged documents."""
        return self._averaged(lambda of: FromRuns.condensed(of, measures))

    def fact(self, fact: Fact) -> pl.DataFrame:
        """Find a fact of the first runs, but for counts and what is known of every run.

        Of counts, that of the run which has most; shares are of the first runs.
        """
        if fact.name == QUALITY.name:
            every = self._every(lambda of: FromRuns.fact(of, fact))
            runs = every.group_by(SYSTEM, maintain_order=True)
            return runs.agg(cs.integer().max(), cs.float().first())
        if fact.name == UNANSWERED.name:
            return self._every(lambda of: FromRuns.fact(of, fact)).unique(maintain_order=True)
        found = super().fact(fact)
        if fact.name == FINGERPRINTS:
            return pl.concat([found, self.later.fact(fact)])
        return found

    def remarks(self) -> list[Remark]:
        """Return the remarks on the judgments and every run, of which two may be the same."""
        of_later = [each for each in self.later.remarks() if each.system]
        keys = self.keys_of_lists() | self.later.keys_of_lists()
        apart = [each for each in (*super().remarks(), *of_later) if each.code != _SAME]
        return [*apart, *of_copies(keys, self._every_run.same_lists)]

    def inputs(self) -> list[Input]:
        """Return the provenance of the judgments and every run."""
        further = [each for each in self.later.inputs() if each["role"].startswith("run ")]
        return [*super().inputs(), *further]

    def places(self) -> dict[str, str]:
        """Return the paths and addresses of every run."""
        return {**self.later.places(), **super().places()}


def with_repeats(origin: FromRuns, measures: Sequence[Measure]) -> FromRuns:
    """Return an origin in which the further runs of a system are no systems, if there are any.

    Raises
    ------
    OptionError
        If an option or a measure cannot carry repeats.
    """
    further = {name: run for name, run in origin.systems.items() if run.repeat_of}
    if not further:
        return origin
    given: dict[str, Any] = origin.as_given()
    for name in ("systems", "with_query"):
        given[name] = {system: run for system, run in given[name].items() if system not in further}
    made = OfRepeats(**given, further=further)
    queries, limited = origin.settings["queries"], origin.memory_limit is not None
    refused = [f"queries={queries!r}"] if queries != "judged" else []
    refused += ["memory_limit"] if limited else []
    refused += [f"{each}, no mean over queries," for each in measures if not is_averaged(each)]
    for what in refused:
        check_one_run(made.n_repeats(), what)
    return made
