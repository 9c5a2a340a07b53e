"""The method of a comparison in words."""

from __future__ import annotations

from rankreport import statistics
from rankreport.comparison.difference import MIN_CHANGED
from rankreport.comparison.values import ComparisonValues, family_of
from rankreport.text import paragraph, say


def method_of(comparison: ComparisonValues) -> str:
    """Return how intervals, p-values and the verdict were computed."""
    return paragraph(
        made_by(comparison),
        _several(comparison),
        say(
            "The verdict comes from the interval, never from a p-value. With fewer than {enough} "
            "changed queries it is never better or worse, and where judged documents alone say "
            "otherwise it is to check first.",
            enough=MIN_CHANGED,
        ),
        population_of(),
    )


def population_of() -> str:
    """Return of which queries intervals speak, and what they do not cover."""
    return say(
        "Intervals speak of all queries like these, taken as a random sample of them. They do not "
        "cover other collections, other kinds of query, or errors of the judges."
    )


def made_by(comparison: ComparisonValues) -> str:
    """Return how intervals and p-values were computed."""
    test = say(statistics.TESTS[comparison.test].title)
    if comparison.test in {"wilcoxon", "sign", "t"}:
        return paragraph(interval_made_by(comparison), say("p: two-sided, {test}.", test=test))
    return paragraph(
        interval_made_by(comparison),
        say(
            "p: two-sided, {test} ({n} resamples, seed {seed}).",
            test=test,
            n=f"{comparison.resamples:,}",
            seed=comparison.seed,
        ),
    )


def averaged(comparison: ComparisonValues) -> str:
    """Return how differences are averaged."""
    if comparison.query_metadata.weights is not None:
        return say("averaged over queries by their weights")
    return say("averaged over queries")


def interval_title_of(comparison: ComparisonValues, kind: str | None = None) -> str:
    """Return the title of a kind of interval (the method's by default), given the structure."""
    structure = comparison.query_metadata.structure_columns
    return say(statistics.interval_title(kind or comparison.interval, structure))


def interval_in_words(comparison: ComparisonValues) -> str:
    """Return the kind of interval, and for how many differences it holds."""
    title = interval_title_of(comparison)
    if family_of(comparison).n_tests == 1 or comparison.correction == "none":
        return title
    return say(
        "{interval}, simultaneous for {n} differences",
        interval=title,
        n=family_of(comparison).n_tests,
    )


def interval_made_by(comparison: ComparisonValues) -> str:
    """Return how intervals were computed."""
    title = interval_title_of(comparison)
    if title == interval_title_of(comparison, "t"):  # as is "auto" of weighted queries
        return say("Intervals: {interval}.", interval=title)
    if comparison.interval == "auto" and not comparison.query_metadata.structure_columns:
        return say("Intervals: {interval}, BCa in closed form.", interval=title)
    return say("Intervals: {interval}, from {draws}.", interval=title, draws=_draws(comparison))


def _draws(comparison: ComparisonValues) -> str:
    """Return how units are resampled."""
    return say(
        "{n} paired bootstrap resamples of {units} (seed {seed})",
        n=f"{comparison.resamples:,}",
        units=units_drawn(comparison),
        seed=comparison.seed,
    )


def units_drawn(comparison: ComparisonValues, *, pooled: bool = False) -> str:
    """Return what is resampled.

    Pooled documents have no weights, and with weights no strata: see
    `rankreport.statistics.operating_curves`.
    """
    clusters, strata = comparison.query_metadata.clusters, comparison.query_metadata.strata
    if pooled and comparison.query_metadata.weights is not None:
        strata = None
    units = say("the queries")
    if clusters is not None:
        units = say("the clusters of queries ({column})", column=clusters)
    if strata is None:
        return units
    return say("{units} within strata ({column})", units=units, column=strata)


def _several(comparison: ComparisonValues) -> str:
    """Return how intervals and p-values are corrected for several differences."""
    correction = statistics.CORRECTIONS[comparison.correction]
    if family_of(comparison).n_tests == 1:
        return ""
    several = say("{n} differences", n=family_of(comparison).n_tests)
    if comparison.across == "measures":
        several = say("{n} differences, of all measures,", n=family_of(comparison).n_tests)
    if not correction.short:
        return say(
            "Neither intervals nor p-values are corrected for comparing {several}, of which the "
            "best tends to look better than it is.",
            several=several,
        )
    return say(
        "{several} are compared, and the best of several tends to look better than it is: "
        "intervals hold simultaneously for all of them ({level}), and p-values ({short}) are "
        "corrected by {correction}.",
        several=several,
        level=_level_of_each(comparison),
        short=correction.short,
        correction=say(correction.title),
    )


def _level_of_each(comparison: ComparisonValues) -> str:
    """Return how simultaneous intervals are computed."""
    if comparison.correction != "max-t":
        return say("each at Bonferroni's level")
    if comparison.interval == "studentized":
        return say("by max-t, or where that is infinite, each at Bonferroni's level")
    return say(
        "each at the level that max-t gives, from {draws}; a system with fewer than {enough} "
        "changed queries has none",
        draws=_draws(comparison),
        enough=MIN_CHANGED,
    )
