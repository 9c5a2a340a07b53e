"""The method of a comparison in words."""

from __future__ import annotations

from dataclasses import dataclass

from rankreport import statistics
from rankreport.comparison.difference import MIN_CHANGED
from rankreport.comparison.differences import differences_on_measures, differences_without_model
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.pairs import systems_of
from rankreport.comparison.values import ComparisonValues, family_of, structure_kinds
from rankreport.text import paragraph, percent, runs_in_words, say


@dataclass(frozen=True)
class Method:
    """How a comparison was computed, in words."""

    comparison: ComparisonValues

    @property
    def words(self) -> str:
        """How intervals, p-values and the verdict were computed."""
        return paragraph(
            self.computation,
            self._several,
            say(
                "The verdict comes from the interval, never from a p-value. With fewer than "
                "{enough} changed queries it is never better or worse, and where judged documents "
                "alone say otherwise it is to check first.",
                enough=MIN_CHANGED,
            ),
            self.population,
            say(
                "A true difference that would often be missed is found clear in fewer than 80 % of "
                "samples of as many queries."
            ),
        )

    @property
    def population(self) -> str:
        """Of which queries intervals speak, and what they do not cover."""
        several = self.comparison.evaluation.n_repeats
        alone = [name for name in systems_of(self.comparison.pairs) if name not in several]
        runs = say("these runs") if len(alone) > 2 else say("these two runs")
        runs = say("this run of {system}", system=alone[0]) if len(alone) == 1 else runs
        return paragraph(
            say("Intervals speak of all queries like these, taken as a random sample of them."),
            say("They speak of {runs}, not of other runs of a system that varies.", runs=runs)
            if alone
            else "",
            say(
                "Better or worse on these queries means that failures too rare to show in them "
                "could undo it."
            )
            if any(each.seen_only for each in differences_without_model(self.comparison).values())
            else "",
            say(
                "They do not cover other collections, other kinds of query, or errors of the "
                "judges."
            ),
        )

    @property
    def computation(self) -> str:
        """How intervals and p-values were computed."""
        return paragraph(self._of_methods, self.of_runs)

    @property
    def of_runs(self) -> str:
        """How often systems ran, and what that adds to intervals; empty if each ran once."""
        contrasts = contrasts_of(self.comparison)
        if contrasts.runs is None:
            return ""
        pair, primary = leading_pair_of(self.comparison), self.comparison.primary
        share = contrasts.runs.share(contrasts.sample)[contrasts.column(pair, str(primary))]
        several = self.comparison.evaluation.n_repeats
        return say(
            "{runs}: intervals and p cover queries and runs (with Satterthwaite's degrees of "
            "freedom). Runs make {share} of the variance of {system} minus {baseline} "
            "on {measure}.",
            runs=runs_in_words(systems_of(self.comparison.pairs), several),
            share=percent(round(float(share), 2)),
            **pair._asdict(),
            measure=primary.shown,
        )

    @property
    def _of_methods(self) -> str:
        given = self.comparison.test
        name = statistics.name_of_test(given)
        if callable(given):
            p = say("p: {name}, which was given.", name=name)
        elif name in {"wilcoxon", "sign", "t"}:
            p = say("p: two-sided, {test}.", test=say(statistics.TESTS[name].title))
        else:
            p = say(
                "p: two-sided, {test} ({n} resamples, seed {seed}).",
                test=say(statistics.TESTS[name].title),
                n=f"{self.comparison.resamples:,}",
                seed=self.comparison.seed,
            )
        return paragraph(self.of_intervals, p)

    @property
    def averaged(self) -> str:
        """How differences are averaged."""
        if self.comparison.evaluation.datasets:
            return say("averaged over data sets")
        if self.comparison.query_metadata.weights is not None:
            return say("averaged over queries by their weights")
        return say("averaged over queries")

    def title(self, kind: str | None = None) -> str:
        """Return the title of a kind of interval (the method's by default), given the structure."""
        structure = structure_kinds(self.comparison)
        return say(statistics.interval_title(kind or self.comparison.interval, structure))

    def full_title(self, kind: str) -> str:
        """Return the title of a kind of interval, and whether its BCa ends are in closed form."""
        if kind == "auto" and not self.comparison.query_metadata.structure_columns:
            return say("{interval}, BCa in closed form", interval=self.title(kind))
        return self.title(kind)

    @property
    def interval(self) -> str:
        """The kind of interval, and for how many differences it holds."""
        n = family_of(self.comparison).n_tests
        if n == 1 or self.comparison.correction == "none":
            return self.title()
        return say("{interval}, simultaneous for {n} differences", interval=self.title(), n=n)

    @property
    def of_intervals(self) -> str:
        """How intervals were computed, and where differently."""
        differences = differences_on_measures(self.comparison)
        equal = [each.are_equal and each.ci_low is not None for each in differences]
        if equal and all(equal):
            return say("Intervals: exact binomial, as all differences are equal.")
        where = say("Where all differences are equal: exact binomial.")
        return paragraph(self._of_kind, where if any(equal) else "")

    @property
    def _of_kind(self) -> str:
        title, full = self.title(), self.full_title(self.comparison.interval)
        if title == self.title("t") or full != title:  # as is "auto" of weighted queries
            return say("Intervals: {interval}.", interval=full)
        return say("Intervals: {interval}, from {draws}.", interval=title, draws=self._draws)

    @property
    def _draws(self) -> str:
        """How units are resampled."""
        return say(
            "{n} paired bootstrap resamples of {units} (seed {seed})",
            n=f"{self.comparison.resamples:,}",
            units=self.units_drawn(),
            seed=self.comparison.seed,
        )

    def units_drawn(self, *, pooled: bool = False) -> str:
        """Return what is resampled.

        Pooled documents have no weights, and with weights no strata: see
        `rankreport.statistics.operating_curves`.
        """
        metadata = self.comparison.query_metadata
        strata = None if pooled and metadata.weights is not None else metadata.strata
        units = say("the queries")
        if metadata.clusters is not None:
            units = say("the clusters of queries ({column})", column=metadata.clusters)
        if strata is None:
            return units
        return say("{units} within strata ({column})", units=units, column=strata)

    @property
    def _several(self) -> str:
        """How intervals and p-values are corrected for several differences."""
        correction = statistics.CORRECTIONS[self.comparison.correction]
        n = family_of(self.comparison).n_tests
        if n == 1:
            return ""
        several = say("{n} differences", n=n)
        if self.comparison.across == "measures":
            several = say("{n} differences, of all measures,", n=n)
        if not correction.short:
            return say(
                "Neither intervals nor p-values are corrected for comparing {several}, of which "
                "the best tends to look better than it is.",
                several=several,
            )
        return say(
            "{several} are compared, and the best of several tends to look better than it is: "
            "intervals hold simultaneously for all of them ({level}), and p-values ({short}) are "
            "corrected by {correction}.",
            several=several,
            level=self._level_of_each,
            short=correction.short,
            correction=say(correction.title),
        )

    @property
    def _level_of_each(self) -> str:
        """How simultaneous intervals are computed."""
        if self.comparison.correction != "max-t":
            return say("each at Bonferroni's level")
        if self.comparison.interval == "studentized":
            return say("by max-t, or where that is infinite, each at Bonferroni's level")
        return say(
            "each at the level that max-t gives, from {draws}; a system with fewer than {enough} "
            "changed queries has none",
            draws=self._draws,
            enough=MIN_CHANGED,
        )
