"""Where each system stands on each measure: who has the best mean, and who may be the best."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from rankreport.caching import cached
from rankreport.comparison import GOALS, Comparison, Position, decision_between, positions_on
from rankreport.evaluation import silent_systems
from rankreport.frames import MEASURE, SYSTEM
from rankreport.measures import shown_name
from rankreport.text import listed, say, separated


@cached
def standings(comparison: Comparison) -> pl.DataFrame:
    """Return where each system stands on each measure.

    Returns
    -------
    DataFrame
        ``system, measure``; ``mean`` (Float64); ``best`` (Boolean), whether it has the best mean,
        and ``same``, whether it may be the best: on the primary measure by the comparison's
        decision, on others if its difference from the system with the best mean is not clear. A
        system that returned nothing is not, whatever its mean.
        Nulls where a measure has no better direction. In the order of the means of the primary
        measure, the best first.

    Examples
    --------
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> compared = rr.compare(rr.evaluate(example.qrels, example.runs, ["nDCG@10"]))
    >>> standings(compared).select("system", "best", "same").rows()[-1]
    ('char-ngrams', False, False)
    """
    means, may_be_best = _means_with_best(comparison), set[tuple[str, str]]()
    for (measure,), rows in means.filter("known").group_by(MEASURE, maintain_order=True):
        positions = _positions_on(comparison, str(measure), rows)
        may_be_best |= {(each.system, str(measure)) for each in positions if each.may_be_best}
    every = means.select(SYSTEM, MEASURE).iter_rows()
    same = pl.Series([each in may_be_best for each in every], dtype=pl.Boolean)
    return means.with_columns(same=pl.when("known").then(~pl.col("silent") & same)).select(
        SYSTEM, MEASURE, "mean", "best", "same"
    )


def _positions_on(comparison: Comparison, measure: str, means: pl.DataFrame) -> Sequence[Position]:
    """Return the position of each system on a measure, given the means on it."""
    if measure == str(comparison.primary):
        return comparison.decision.positions
    order = means.sort("gained", descending=True, nulls_last=True, maintain_order=True)[SYSTEM]
    return positions_on(comparison, measure, tuple(order), tuple(means.filter("best")[SYSTEM]))


def _means_with_best(comparison: Comparison) -> pl.DataFrame:
    """Return the first columns of `standings`.

    ``known`` is whether the measure has a better direction, ``silent`` whether a system returned
    nothing.
    """
    goals = {str(m): GOALS[m.declaration.better] for m in comparison.evaluation.measures}
    means = comparison.means().select(SYSTEM, MEASURE, "mean")
    goal = pl.col(MEASURE).replace_strict(goals, return_dtype=pl.Float64)
    silent = pl.col(SYSTEM).is_in(silent_systems(comparison.evaluation))
    of_answers = pl.when(~silent).then(pl.col("mean") * goal)
    gained = means.with_columns(gained=of_answers.round(12), silent=silent, known=goal.is_not_nan())
    order = pl.DataFrame({SYSTEM: comparison.decision.order})
    is_top = pl.col("gained") == pl.col("gained").max().over(MEASURE)
    return order.join(gained, on=SYSTEM, how="left", maintain_order="left_right").with_columns(
        best=pl.when("known").then(~pl.col("silent") & is_top)
    )


def first_on_others(comparison: Comparison) -> str:
    """Return which systems are first on other measures than the primary one, in a sentence.

    It is empty where the first system is the same, as far as measures have a better direction.
    What leaves it open who is better of the two, such as equal scores, stands with the measure.

    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> made = rr.evaluate(example.qrels, example.runs, ["RR@10", "R@100"])
    >>> first_on_others(rr.compare(made))
    'Other measures, each by itself: fusion has the best mean of R@100, not clearly.'
    """
    first, found = comparison.decision.order[0], standings(comparison)
    rivals = found.filter(pl.col(SYSTEM) == first, "same")[MEASURE].to_list()
    leads: dict[tuple[str, ...], list[str]] = {}
    ahead: dict[tuple[str, ...], list[str]] = {}
    best = found.filter("best").group_by(MEASURE, maintain_order=True)
    for measure, systems in best.agg(SYSTEM).iter_rows():
        if first in systems:
            continue
        name = _qualified(comparison, first, (*systems,), measure)
        (ahead if measure in rivals else leads).setdefault((*systems,), []).append(name)
    words = [
        *(_lead_on(systems, listed(names)) for systems, names in leads.items()),
        *(_best_on(systems, listed(names)) for systems, names in ahead.items()),
    ]
    if not words:
        return ""
    return say("Other measures, each by itself: {found}.", found=separated("; ", words))


def _qualified(comparison: Comparison, first: str, leaders: tuple[str, ...], measure: str) -> str:
    """Return the name of a measure, with what leaves open which of two systems is better on it."""
    name = shown_name(comparison.evaluation.measures, measure)
    found = [decision_between(comparison, measure, each, first, leaders) for each in leaders]
    if doubt := next((each.decided_by.doubt for each in found if each.decided_by.doubt), ""):
        return say("{measure} ({doubt})", measure=name, doubt=doubt)
    seen_only = any(each.seen_only for each in found)
    return say("{found} on these queries", found=name) if seen_only else name


def _lead_on(systems: tuple[str, ...], measures: str) -> str:
    if len(systems) > 1:
        return say("{systems} lead on {measures}", systems=listed(systems), measures=measures)
    return say("{system} leads on {measures}", system=systems[0], measures=measures)


def _best_on(systems: tuple[str, ...], measures: str) -> str:
    if len(systems) > 1:
        named = listed(systems)
        return say("{systems} have the best mean of {of}, not clearly", systems=named, of=measures)
    return say("{system} has the best mean of {of}, not clearly", system=systems[0], of=measures)
