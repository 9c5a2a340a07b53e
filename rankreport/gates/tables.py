"""The tables of a gate: all figures for computing, and one row per requirement for reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from rankreport.frames import BASELINE, MEASURE, SYSTEM
from rankreport.gates.findings_in_words import (
    change_of,
    digits_of,
    interval_of,
    named_with_group,
    reason_of,
)
from rankreport.gates.outcomes import FindingValues
from rankreport.gates.values import GateValues, findings_in_order
from rankreport.tables import Table
from rankreport.text import say

_COLUMNS: Mapping[str, tuple[type[pl.DataType], Callable[[FindingValues], Any]]] = {
    BASELINE: (pl.String, lambda each: each.difference.baseline),
    SYSTEM: (pl.String, lambda each: each.difference.system),
    "requirement": (pl.String, lambda each: each.requirement.text),
    "group": (pl.String, lambda each: each.group or None),
    "kind": (pl.String, lambda each: each.requirement.kind),
    MEASURE: (pl.String, lambda each: each.requirement.quantity),
    "threshold": (pl.Float64, lambda each: each.requirement.threshold),
    "n_queries": (pl.Int64, lambda each: each.difference.n_queries),
    "n_changed": (pl.Int64, lambda each: each.difference.n_changed),
    "delta": (pl.Float64, lambda each: each.difference.delta),
    "ci_low": (pl.Float64, lambda each: each.ci_low),
    "ci_high": (pl.Float64, lambda each: each.ci_high),
    "confidence": (pl.Float64, lambda each: each.confidence),
    "judged_delta": (pl.Float64, lambda each: each.on_judged and each.on_judged.delta),
    "judged_ci_low": (pl.Float64, lambda each: each.on_judged and each.on_judged.ci_low),
    "judged_ci_high": (pl.Float64, lambda each: each.on_judged and each.on_judged.ci_high),
    "lacks": (pl.Int64, lambda each: each.lacks or None),
    "all_unchanged": (pl.Float64, lambda each: each.all_unchanged),
    "outcome": (pl.String, lambda each: each.outcome),
    "decided_by": (pl.String, lambda each: each.decided_by),
    "judged_by": (pl.String, lambda each: each.judged_by),
    "reason": (pl.String, reason_of),
}
"""The columns of `Gate.table`: their types, and what they hold of a finding."""

OF_SOME = ("judged_delta", "judged_ci_low", "judged_ci_high", "lacks", "all_unchanged")
"""The columns that are known of few findings."""


def row_of(found: FindingValues) -> dict[str, Any]:
    """Return the figures of a row of `Gate.table`."""
    return {name: of(found) for name, (_, of) in _COLUMNS.items()}


def table(self: GateValues) -> pl.DataFrame:
    """Return the gate, one row per candidate and requirement; of one on groups, per group.

    Returns
    -------
    DataFrame
        ``baseline, system``; ``requirement`` as given, the ``group`` of queries (null where it
        is of all), its ``kind``, ``measure`` and ``threshold``; ``n_queries, n_changed, delta``
        as in `Comparison.table`; ``ci_low, ci_high``, the two-sided interval that decides, and
        its ``confidence`` (at 0.90, each end is a one-sided 95 % bound); ``judged_delta,
        judged_ci_low, judged_ci_high`` on judged documents alone, where these say otherwise; of an
        inconclusive group, how many queries it ``lacks``, and how often all groups would pass if
        nothing had changed, ``all_unchanged`` (null where not known); ``outcome``, what it is
        ``decided_by``, where a model and people judged also whose judgments it is ``judged_by``
        (``"both"`` or ``"people"``, else null; ``n_changed`` is by people's), and the ``reason`` in
        words.
    """
    rows = [row_of(one) for each in self.findings for one in each.groups or (each,)]
    return pl.DataFrame(rows, schema={name: dtype for name, (dtype, _) in _COLUMNS.items()})


def table_shown(self: GateValues) -> Table:
    """Return the gate as a readable table: a row per candidate and requirement.

    With many candidates, fails come first, then inconclusive outcomes, and within each the best
    candidates. Figures of one unit have the same decimals.
    """
    digits: dict[str, int] = {}
    for each in self.findings:
        unit = each.requirement.unit
        digits[unit] = max(digits.get(unit, 0), digits_of(each))
    rows = tuple(
        (
            each.difference.system,
            each.difference.baseline,
            named_with_group(each),
            say(each.outcome),
            say(
                "{part} of {whole}",
                part=f"{each.difference.n_changed:,}",
                whole=f"{each.n_compared:,}",
            ),
            change_of(each, digits[each.requirement.unit]),
            interval_of(each, digits[each.requirement.unit]),
        )
        for each in findings_in_order(self)
    )
    columns = (
        (say("system"), say("the candidate")),
        (say("baseline"), say("the system compared with")),
        (say("requirement"), say("what is required of the difference")),
        (say("outcome"), say("pass, fail, or inconclusive where the data allow both")),
        (say("changed"), say("queries on which the two differ")),
        (say("delta"), say("the mean difference, in the unit of the requirement")),
        (say("interval"), say("differences compatible with the data")),
    )
    headers, words = zip(*columns, strict=True)
    return Table(headers, rows, numeric=frozenset({4, 5}), help=words)
