"""Requirements judged for every pair: which difference, and which ends of it, decide on each.

All requirements must hold, so intervals are not corrected for their number (an intersection-union
test keeps its level); they are corrected for the number of candidates, since the best of several
tends to look better than it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from rankreport.comparison import (
    Comparison,
    Unallowed,
    aggregates_of,
    contrasts_of,
    corrected_by_model,
    differences_on_measures,
    family_of,
    largest_losses,
    unallowed,
    unseen_of,
)
from rankreport.errors import OptionError
from rankreport.evaluation import same_lists
from rankreport.gates.all_users import findings_of_all_users
from rankreport.gates.doubts import with_doubt
from rankreport.gates.findings import Finding
from rankreport.gates.groups import Found, judged_by_group
from rankreport.gates.requirements import Requirement
from rankreport.gates.unchanged_groups import unchanged_of
from rankreport.statistics import aggregate_named


def judged(
    comparison: Comparison,
    required: Sequence[Requirement],
    scope: str,
    largest_loss: float | None,
) -> tuple[Finding, ...]:
    """Return the findings on all requirements of each pair.

    Raises
    ------
    OptionError
        If a requirement cannot be judged, or a query changed by more than the largest loss.
    """

    def judge(of: Comparison, some: Sequence[Requirement]) -> Found:
        # Corrected for the number of candidates, not of measures.
        family = of if of.across == "systems" else replace(of, across="systems")
        of_users = [each for each in some if each.is_of_all_users]
        others = [each for each in some if not each.is_of_all_users]
        found = [
            *_of_each_query(family, others, scope, largest_loss),
            *findings_of_all_users(family, of_users, scope),
        ]
        return {(each.difference.pair, each.requirement): with_doubt(of, each) for each in found}

    found: Found = {}
    for by in dict.fromkeys(each.by for each in required):
        some = [each for each in required if each.by == by]
        found |= judged_by_group(comparison, some, judge) if by else judge(comparison, some)
    return tuple(found[each] for each in product(comparison.pairs, required))


def _of_each_query(
    comparison: Comparison,
    required: Sequence[Requirement],
    scope: str,
    largest_loss: float | None,
) -> Iterator[Finding]:
    """Yield a finding for each pair and requirement on values of each query."""
    contrasts, judges = contrasts_of(comparison), comparison.judges
    named = {str(comparison.primary): comparison.largest_loss}
    if largest_loss is not None:
        named = {str(each.measure): largest_loss for each in required}
    losses = largest_losses(contrasts, named)
    levels = dict.fromkeys(each.level(comparison.confidence) for each in required)
    ends = {
        level: list(zip(*contrasts.decided(comparison.interval, level, losses), strict=True))
        for level in levels
    }
    alphas = {level: (1 - contrasts.levels(level)) / 2 for level in levels}
    known = {(each.pair, each.measure): each for each in differences_on_measures(comparison)}
    reaches = contrasts.reaches(losses)
    weighted = contrasts.structure.weighed == "queries"
    for pair in comparison.pairs:
        differences = [known[pair, str(each.measure)] for each in required]
        same = all(each.n_changed == 0 for each in differences)
        identical = same and same_lists(comparison.evaluation, *pair)
        for each, difference in zip(required, differences, strict=True):
            level = each.level(comparison.confidence)
            column = contrasts.column(pair, str(each.measure))
            largest = float(losses[column % len(losses)])
            *own, low, high = ends[level][column]
            alpha, shown, of_both = float(alphas[level][column]), difference, None
            if judges is not None:
                of_both = judges.difference(pair, str(each.measure))
                both = of_both.combined_at(family_of(comparison).level(level))
                if both is not None and scope != "these":
                    # These ends allow for the largest error of the model.
                    _, low, high = both
                    own, shown = [low, high], corrected_by_model(judges, difference)
            found = Finding(
                *(each, shown, low, high),
                own=(own[0], own[1]),
                unallowed=unallowed(largest, weighted=weighted),
                identical=identical,
                scope=scope,
                judged=of_both,
            )
            if each.aggregate != "mean":
                yield _of_aggregate(comparison, found)
                continue
            if not found.unallowed and difference.n_queries:
                unseen = unseen_of(contrasts, column, largest, alpha, below=found.decides_below)
                found = replace(found, unseen=unseen)
            if each.by and not each.in_any and scope != "these":
                unchanged = unchanged_of(contrasts, column, found, float(reaches[column]), alpha)
                found = replace(found, unchanged=unchanged)
            yield found


def _of_aggregate(comparison: Comparison, of_mean: Finding) -> Finding:
    """Return a finding on the aggregate that is required, instead of the mean.

    Raises
    ------
    OptionError
        If it never has an interval, which decides; or if a model judged.
    """
    required, found = of_mean.requirement, of_mean.difference
    if comparison.judges is not None:
        raise OptionError(f"{required.text!r}: a model's judgments are corrected for means alone.")
    if of_mean.scope != "these" and not aggregate_named(required.aggregate).tail:
        raise OptionError(
            f"{required.text!r}: no interval of a minimum or maximum is known. Require a quantile, "
            f"such as 'p10({required.measure}) > 0', or judge these queries only: scope='these'."
        )
    figures = aggregates_of(comparison, required.aggregate, of_mean.confidence, (required.measure,))
    place = comparison.pairs.index(found.pair)
    delta, low, high = figures.select("delta", "ci_low", "ci_high").row(place)
    alone = {"measure": required.quantity, "asked": "", "delta": delta, "end_error": None}
    why: Unallowed = "" if low is None else "aggregate"
    return replace(
        of_mean,
        difference=replace(found, **alone, ci_low=low, ci_high=high),
        ci_low=low,
        ci_high=high,
        own=(low, high),
        unallowed=why,
    )
