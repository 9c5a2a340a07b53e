"""Where each system stands on each measure: who has the best mean, and who may be the best."""

from __future__ import annotations

import polars as pl

from rankreport.comparison import Comparison, differences_of_every_pair
from rankreport.evaluation import data_facts_of, equal_depth, looks_beyond
from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.measures import shown_name
from rankreport.text import comma_separated, listed, say


def standings(comparison: Comparison) -> pl.DataFrame:
    """Return where each system stands on each measure.

    Returns
    -------
    DataFrame
        ``system, measure``; ``mean`` (Float64); ``best`` (Boolean), whether it has the best mean,
        and ``same``, whether it may be the best: on the primary measure by the comparison's
        decision, on others if its difference from the system with the best mean is not clear.
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
    goals = {str(m): _GOALS[m.declaration.better] for m in comparison.evaluation.measures}
    decision, primary = comparison.decision, str(comparison.primary)
    means = comparison.means().select(SYSTEM, MEASURE, "mean")
    goal = pl.col(MEASURE).replace_strict(goals, return_dtype=pl.Float64)
    gained = means.with_columns(gained=(pl.col("mean") * goal).round(12))
    leaders = gained.sort("gained", descending=True, nulls_last=True, maintain_order=True)
    leader = leaders.group_by(MEASURE, maintain_order=True).agg(
        leader=pl.col(SYSTEM).first(), top=pl.col("gained").first()
    )
    from_leader = differences_of_every_pair(comparison).select(
        SYSTEM, MEASURE, pl.col(BASELINE).alias("leader"), "differs"
    )
    order = pl.DataFrame({SYSTEM: decision.order})
    known = goal.is_not_nan()
    same = (
        pl.when(pl.col(MEASURE) == primary)
        .then(pl.col(SYSTEM).is_in(decision.may_be_best))
        .otherwise(~pl.col("differs").fill_null(value=False))
    )
    return (
        order.join(gained, on=SYSTEM, how="left", maintain_order="left_right")
        .join(leader, on=MEASURE, how="left", maintain_order="left")
        .join(from_leader, on=[SYSTEM, MEASURE, "leader"], how="left", maintain_order="left")
        .select(
            SYSTEM,
            MEASURE,
            "mean",
            pl.when(known).then(pl.col("gained") == pl.col("top")).alias("best"),
            pl.when(known).then(same).alias("same"),
        )
    )


def first_on_others(comparison: Comparison) -> str:
    """Return which systems are first on other measures than the primary one, in a sentence.

    It is empty where the first system is the same, as far as measures have a better direction. A
    measure says so that looks beyond the lists of one of the two where these are cut.

    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> made = rr.evaluate(example.qrels, example.runs, ["RR@10", "R@100"])
    >>> first_on_others(rr.compare(made))
    'By other measures the first changes: fusion leads on R@100.'
    """
    first, depths = comparison.decision.order[0], data_facts_of(comparison.evaluation).depths
    measures = {str(each): each for each in comparison.evaluation.measures}
    best = standings(comparison).filter("best")
    leads: dict[str, list[str]] = {}
    for measure, systems in best.group_by(MEASURE, maintain_order=True).agg(SYSTEM).iter_rows():
        if first in systems:
            continue
        name, leader = shown_name([*measures.values()], measure), systems[0]
        depth = equal_depth(depths[first], depths[leader]) if depths else None
        if depth is not None and looks_beyond(measures[measure], depth):
            name = say("{measure} (lists of unequal length)", measure=name)
        leads.setdefault(leader, []).append(name)
    if not leads:
        return ""
    words = [
        say("{system} leads on {measures}", system=system, measures=listed(names))
        for system, names in leads.items()
    ]
    return say("By other measures the first changes: {found}.", found=comma_separated(words))


_GOALS = {"high": 1.0, "low": -1.0, "neither": float("nan")}
