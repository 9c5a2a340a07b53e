"""The method of a comparison in words."""

from __future__ import annotations

from dataclasses import dataclass

from rankreport import statistics
from rankreport.comparison.contrasts import contrasts_of
from rankreport.comparison.difference import MIN_CHANGED
from rankreport.comparison.values import ComparisonValues, family_of
from rankreport.text import paragraph, say


@dataclass(frozen=True)
class Method:
    """How a comparison was made, by the names of its options.

    Attributes
    ----------
    interval, test, correction
        Kinds of interval, test and correction.
    across, n_tests
        What the correction counts, and how many differences that makes.
    resamples, seed
        Settings of the bootstrap.
    weights, clusters, strata
        Columns of the query table, or None.
    bucketed
        Whether buckets of queries are resampled.
    """

    interval: str
    test: str
    correction: str
    across: str
    n_tests: int
    resamples: int
    seed: int
    weights: str | None
    clusters: str | None
    strata: str | None
    bucketed: bool

    @property
    def is_plain(self) -> bool:
        """Whether queries have no weights, clusters or strata: "auto" then takes no resamples."""
        return self.weights is None and self.clusters is None and self.strata is None


def method_of(method: Method) -> str:
    """Return how intervals, p-values and the verdict were computed."""
    return paragraph(
        made_by(method),
        _several(method),
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


def made_by(method: Method) -> str:
    """Return how intervals and p-values were computed."""
    test = say(statistics.TESTS[method.test].title)
    if method.test in {"wilcoxon", "sign", "t"}:
        return paragraph(interval_made_by(method), say("p: two-sided, {test}.", test=test))
    return paragraph(
        interval_made_by(method),
        say(
            "p: two-sided, {test} ({n} resamples, seed {seed}).",
            test=test,
            n=f"{method.resamples:,}",
            seed=method.seed,
        ),
    )


def averaged(method: Method) -> str:
    """Return how differences are averaged."""
    if method.weights is not None:
        return say("averaged over queries by their weights")
    return say("averaged over queries")


def interval_title_of(method: Method, kind: str | None = None) -> str:
    """Return the title of a kind of interval (the method's by default), given the structure."""
    columns = {"weights": method.weights, "clusters": method.clusters, "strata": method.strata}
    structure = {name: column for name, column in columns.items() if column is not None}
    return say(statistics.interval_title(kind or method.interval, structure))


def interval_in_words(method: Method) -> str:
    """Return the kind of interval, and for how many differences it holds."""
    title = interval_title_of(method)
    if method.n_tests == 1 or method.correction == "none":
        return title
    return say("{interval}, simultaneous for {n} differences", interval=title, n=method.n_tests)


def interval_made_by(method: Method) -> str:
    """Return how intervals were computed."""
    title = interval_title_of(method)
    if title == interval_title_of(method, "t"):  # as is "auto" of weighted queries
        return say("Intervals: {interval}.", interval=title)
    if method.interval == "auto" and method.is_plain:
        return say("Intervals: {interval}, BCa in closed form.", interval=title)
    return say("Intervals: {interval}, from {draws}.", interval=title, draws=_draws(method))


def _draws(method: Method) -> str:
    """Return how units are resampled."""
    return say(
        "{n} paired bootstrap resamples of {units} (seed {seed})",
        n=f"{method.resamples:,}",
        units=units_drawn(method),
        seed=method.seed,
    )


def units_drawn(method: Method, *, pooled: bool = False) -> str:
    """Return what is resampled.

    Pooled documents have no weights, and with weights no strata: see
    `rankreport.statistics.operating_curves`.
    """
    clusters, strata = method.clusters, method.strata
    if pooled and method.weights is not None:
        strata = None
    units = say("the queries")
    if clusters is not None:
        units = say("the clusters of queries ({column})", column=clusters)
    if not method.bucketed:
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


def _several(method: Method) -> str:
    """Return how intervals and p-values are corrected for several differences."""
    correction = statistics.CORRECTIONS[method.correction]
    if method.n_tests == 1:
        return ""
    several = say("{n} differences", n=method.n_tests)
    if method.across == "measures":
        several = say("{n} differences, of all measures,", n=method.n_tests)
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
        level=_level_of_each(method),
        short=correction.short,
        correction=say(correction.title),
    )


def _level_of_each(method: Method) -> str:
    """Return how simultaneous intervals are computed."""
    if method.correction != "max-t":
        return say("each at Bonferroni's level")
    if method.interval == "studentized":
        return say("by max-t, or where that is infinite, each at Bonferroni's level")
    return say(
        "each at the level that max-t gives, from {draws}; a system with fewer than {enough} "
        "changed queries has none",
        draws=_draws(method),
        enough=MIN_CHANGED,
    )


def method_used(comparison: ComparisonValues) -> Method:
    """Return the method of intervals and p-values."""
    return Method(
        interval=comparison.interval,
        test=comparison.test,
        correction=comparison.correction,
        across=family_of(comparison).across,
        n_tests=family_of(comparison).n_tests,
        resamples=comparison.resamples,
        seed=comparison.seed,
        weights=comparison.query_metadata.weights,
        clusters=comparison.query_metadata.clusters,
        strata=comparison.query_metadata.strata,
        bucketed=contrasts_of(comparison).bucketed,
    )
