"""Where each system stands on each measure: who has the best mean, and who may be the best."""

from __future__ import annotations

import polars as pl

from rankreport.comparison import (
    GOALS,
    Basis,
    Comparison,
    basis_on,
    differences_of_every_pair,
    differences_on_measures,
)
from rankreport.evaluation import data_facts_of, silent_systems
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import one_of, shown_name
from rankreport.text import listed, say, separated


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
    decision, means = comparison.decision, _means_with_leaders(comparison)
    best = means["leader"].unique(maintain_order=True).to_list()
    from_leader = differences_of_every_pair(comparison, best).select(
        SYSTEM, MEASURE, pl.col(BASELINE).alias("leader"), "differs"
    )
    same = (
        pl.when(pl.col(MEASURE) == str(comparison.primary))
        .then(pl.col(SYSTEM).is_in(decision.may_be_best))
        .otherwise(~(pl.col("silent") | pl.col("differs").fill_null(value=False)))
    )
    return means.join(
        from_leader, on=[SYSTEM, MEASURE, "leader"], how="left", maintain_order="left"
    ).select(
        SYSTEM,
        MEASURE,
        "mean",
        "best",
        pl.when("known").then(same).alias("same"),
    )


def _means_with_leaders(comparison: Comparison) -> pl.DataFrame:
    """Return the first columns of `standings`, with the ``leader`` of each measure.

    ``known`` is whether the measure has a better direction, ``silent`` whether a system returned
    nothing.
    """
    goals = {str(m): GOALS[m.declaration.better] for m in comparison.evaluation.measures}
    means = comparison.means().select(SYSTEM, MEASURE, "mean")
    goal = pl.col(MEASURE).replace_strict(goals, return_dtype=pl.Float64)
    silent = pl.col(SYSTEM).is_in(silent_systems(comparison.evaluation))
    of_answers = pl.when(~silent).then(pl.col("mean") * goal)
    gained = means.with_columns(gained=of_answers.round(12), silent=silent, known=goal.is_not_nan())
    leaders = gained.sort("gained", descending=True, nulls_last=True, maintain_order=True)
    leader = leaders.group_by(MEASURE, maintain_order=True).agg(
        leader=pl.col(SYSTEM).first(), top=pl.col("gained").first()
    )
    order = pl.DataFrame({SYSTEM: comparison.decision.order})
    return (
        order.join(gained, on=SYSTEM, how="left", maintain_order="left_right")
        .join(leader, on=MEASURE, how="left", maintain_order="left")
        .with_columns(
            best=pl.when("known").then(~pl.col("silent") & (pl.col("gained") == pl.col("top")))
        )
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
        name = _qualified(comparison, {first, systems[0]}, measure)
        (ahead if measure in rivals else leads).setdefault((*systems,), []).append(name)
    words = [
        *(_lead_on(systems, listed(names)) for systems, names in leads.items()),
        *(_best_on(systems, listed(names)) for systems, names in ahead.items()),
    ]
    if not words:
        return ""
    return say("Other measures, each by itself: {found}.", found=separated("; ", words))


def _qualified(comparison: Comparison, pair: set[str], measure: str) -> str:
    """Return the name of a measure, with what leaves open which of two systems is better on it."""
    evaluation = comparison.evaluation
    name = shown_name(evaluation.measures, measure)
    of_pair = [each for each in comparison.decision.pairs.values() if {*each.pair} == pair]
    others = [each for decided in of_pair for each in decided.others if each.measure == measure]
    doubts = [
        basis_on(comparison, each).doubt
        for each in differences_on_measures(comparison)
        if {*each.pair} == pair and each.measure == measure
    ]
    depths = data_facts_of(evaluation).depths
    one, other = pair
    depth = depths[one].equal_to(depths[other]) if pair <= depths.keys() else None
    if depth is not None and one_of(evaluation.measures, measure).looks_beyond(depth):
        doubts.insert(0, Basis.DEPTH.doubt)
    if doubt := next(filter(None, doubts), ""):
        return say("{measure} ({doubt})", measure=name, doubt=doubt)
    return others[0].qualified(name) if others else name


def _lead_on(systems: tuple[str, ...], measures: str) -> str:
    if len(systems) > 1:
        return say("{systems} lead on {measures}", systems=listed(systems), measures=measures)
    return say("{system} leads on {measures}", system=systems[0], measures=measures)


def _best_on(systems: tuple[str, ...], measures: str) -> str:
    if len(systems) > 1:
        named = listed(systems)
        return say("{systems} have the best mean of {of}, not clearly", systems=named, of=measures)
    return say("{system} has the best mean of {of}, not clearly", system=systems[0], of=measures)
