"""How a comparison was made, in words."""

from __future__ import annotations

from rankreport import statistics
from rankreport.compared import Compared
from rankreport.difference import MIN_CHANGED
from rankreport.rendering.language import say
from rankreport.rendering.text import paragraph

__all__ = [
    "averaged",
    "interval_made_by",
    "interval_title_of",
    "made_by",
    "method_of",
    "units_drawn",
]


def method_of(comparison: Compared) -> str:
    """Say how intervals, p-values and the verdict were made."""
    return paragraph(
        made_by(comparison),
        _several(comparison),
        say(
            "The verdict comes from the interval alone, and with fewer than {enough} changed "
            "queries it is never better or worse.",
            enough=MIN_CHANGED,
        ),
    )


def made_by(comparison: Compared) -> str:
    """Say by what intervals and p-values were made."""
    return paragraph(
        interval_made_by(comparison),
        say("p: two-sided, {test}.", test=say(statistics.TESTS[comparison.test].title)),
    )


def averaged(comparison: Compared) -> str:
    """Say over what differences are averaged."""
    if comparison.traits.weights is not None:
        return say("averaged over queries by their weights")
    return say("averaged over queries")


def interval_title_of(comparison: Compared, kind: str | None = None) -> str:
    """Return what a kind of interval is, given how the queries hang together.

    That of the comparison unless one is named.
    """
    structure = comparison.traits.structure_columns
    return say(statistics.interval_title(kind or comparison.interval, structure))


def interval_made_by(comparison: Compared) -> str:
    """Say by what intervals were made."""
    title = interval_title_of(comparison)
    if title == interval_title_of(comparison, "t"):  # which "auto" is, too, of weighted queries
        return say("Intervals: {interval}.", interval=title)
    return say(
        "Intervals: {interval}, from {n} paired bootstrap resamples of {units} (seed {seed}), "
        "shared by all measures, systems and cut-offs.",
        interval=title,
        n=f"{comparison.resamples:,}",
        units=units_drawn(comparison),
        seed=comparison.seed,
    )


def units_drawn(comparison: Compared, *, pooled: bool = False) -> str:
    """Say what is drawn, be it of queries or of a pool of their documents, which has no weights.

    Nor has it strata then: see `rankreport.statistics.operating_curves`.
    """
    clusters, strata = comparison.traits.clusters, comparison.traits.strata
    if pooled and comparison.traits.weights is not None:
        strata = None
    units = say("the queries")
    if clusters is not None:
        units = say("the clusters of queries ({column})", column=clusters)
    if not comparison.bucketed:
        if strata is None:
            return units
        return say("{units} within strata ({column})", units=units, column=strata)
    buckets = {"n": f"{statistics.BUCKETS:,}", "units": units}
    if strata is None:
        return say("{n} buckets of {units}, filled at random", **buckets)
    return say(
        "{n} buckets of {units}, filled at random, within strata ({column})",
        **buckets,
        column=strata,
    )


def _several(comparison: Compared) -> str:
    """Say how intervals and p-values are corrected for several differences."""
    family, correction = comparison.family, statistics.CORRECTIONS[comparison.correction]
    if family.n_tests == 1:
        return ""
    several = say("{n} differences", n=family.n_tests)
    if family.across == "measures":
        several = say("{n} differences, of all measures,", n=family.n_tests)
    if not correction.short:
        return say(
            "Neither intervals nor p are corrected for comparing {several}, of which the best "
            "looks better than it is.",
            several=several,
        )
    return say(
        "{several} are looked at at once, and the best of several looks better than it is: "
        "intervals hold for all of them together ({level}), and p ({short}) is corrected by "
        "{correction}.",
        several=several,
        level=_level_of_each(comparison),
        short=correction.short,
        correction=say(correction.title),
    )


def _level_of_each(comparison: Compared) -> str:
    """Say how each interval is made for all of them to hold."""
    if comparison.correction != "max-t":
        return say("each at Bonferroni's level")
    if comparison.interval == "studentized":
        return say("by max-t, or where that is infinite, each at Bonferroni's level")
    return say(
        "each at Bonferroni's level, since it is not known how this kind of interval would do by "
        "max-t"
    )
