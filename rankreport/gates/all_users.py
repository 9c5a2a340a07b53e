"""Findings on measures of all users at once, such as coverage: of their differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np

from rankreport.comparison import Comparison, Difference, family_of
from rankreport.errors import OptionError, check_one_run
from rankreport.evaluation import USUAL_K, knows_items, spread_of
from rankreport.gates.findings import Finding
from rankreport.gates.requirements import Requirement


def findings_of_all_users(
    comparison: Comparison, required: Iterable[Requirement], scope: str
) -> Iterator[Finding]:
    """Yield what each pair shows of each requirement, with the interval that decides on it.

    Several pairs are corrected at Bonferroni's level.

    Raises
    ------
    OptionError
        If the comparison has weights, clusters, strata or several runs of a system, or nothing is
        known of the items.
    """
    wanted = [(each, each.measure.k or USUAL_K) for each in required]
    for each, _ in wanted:
        _check(comparison, each)
    cuts = dict.fromkeys(k for _, k in wanted)
    # All systems at all cut-offs at once, against each baseline.
    spreads = {
        baseline: spread_of(comparison.evaluation, cuts, among="catalogue", baseline=baseline)
        for baseline in dict.fromkeys(pair.baseline for pair in comparison.pairs if cuts)
    }
    for each, _ in wanted:
        if each.measure.name != "personalisation" and not knows_items(comparison.evaluation):
            raise OptionError(
                f"{each.text!r} needs the catalogue: evaluate with items= (--items) or history= "
                f"(--history)."
            )
    for pair, (each, k) in product(comparison.pairs, wanted):
        found = spreads[pair.baseline][pair.system, k][each.measure.name]
        level = family_of(comparison).level(each.level(comparison.confidence))
        ends = found.ends(level).clip(-1.0, 1.0)
        known = bool(np.isfinite(found.value))
        low, high = map(float, ends) if known else (None, None)
        difference = Difference(
            *(pair.system, pair.baseline, str(each.measure)),
            n_queries=len(found.added) if known else 0,
            n_changed=found.n_changed or 0,
            delta=float(found.value) if known else None,
            ci_low=low,
            ci_high=high,
            confidence=comparison.confidence,
            detectable=None,
            n_changed_effective=found.n_effective,
        )
        yield Finding(
            *(each, difference, low, high),
            own=(low, high),
            unallowed="aggregate",
            identical=difference.is_unchanged,
            scope=scope,
        )


def _check(comparison: Comparison, required: Requirement) -> None:
    """Check that its difference has an interval."""
    text = repr(required.text)
    if required.by:
        of_all = required.text.partition(" in ")[0]
        raise OptionError(f"{text} is of all users at once, not of groups. Require {of_all!r}.")
    for kind in comparison.query_metadata.structure_columns:
        raise OptionError(
            f"{text} is of all users at once, whose interval knows no {kind}. Compare without."
        )
    check_one_run(comparison.evaluation.n_repeats, text)
