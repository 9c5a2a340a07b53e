"""Requirements on groups of the queries: by a column of theirs, or by data set.

In every group is an intersection-union test: each group passes at its own level, without a
correction. That a group is shown beyond the threshold is one of several such claims: Holm's
correction over the groups decides on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import product

from rankreport.comparison import Comparison, Pair, queries_by
from rankreport.errors import OptionError, choose
from rankreport.evaluation import of_queries
from rankreport.frames import DATASET, QUERY_ID
from rankreport.gates.findings import Finding
from rankreport.gates.outcomes import WORST_LAST
from rankreport.gates.requirements import Requirement

_MANY_NUMBERS = 20
"""A column of numbers with more values is no column of groups."""


Found = dict[tuple[Pair, Requirement], Finding]
"""The finding on each requirement, of each pair."""


def judged_by_group(
    comparison: Comparison,
    required: Sequence[Requirement],
    judge: Callable[[Comparison, Sequence[Requirement]], Found],
) -> Found:
    """Judge requirements on groups by one column.

    Groups that fail at their own level are judged at that at which Holm's correction decides.
    """
    parts = parts_of(comparison, required[0])

    @cache
    def at(group: str, n: int) -> Found:
        """Judge a group at its level divided by a number."""
        part = parts[group]
        confidence = 1 - (1 - part.confidence) / n
        return judge(part if n == 1 else replace(part, confidence=confidence), required)

    def of(one: tuple[Pair, Requirement]) -> Finding:
        own = {group: at(group, 1)[one] for group in parts}
        decided = {**own}

        def fails(group: str, n: int) -> bool:
            if own[group].by_figures == "fail":
                decided[group] = at(group, n)[one]
            return decided[group].by_figures == "fail"

        shown_by_holm(own, fails)
        known = [each.unchanged.passes for each in own.values() if each.unchanged]
        share = math.prod(known) if known and len(known) == len(own) else None
        groups = tuple(
            replace(each, group=group, unchanged=own[group].unchanged, all_unchanged=share)
            for group, each in decided.items()
        )
        return replace(max(groups, key=_severity), groups=groups)

    return {one: of(one) for one in product(comparison.pairs, required)}


def _severity(each: Finding) -> tuple[int, bool, float]:
    """Return a key by which the worst group comes last: what more queries do not settle, does."""
    delta = each.difference.delta or 0.0
    if each.requirement.kind == "equivalence":
        delta = -abs(delta)
    order = WORST_LAST.index(each.outcome)
    return order, each.is_open_by_data, -delta if each.requirement.rises else delta


def shown_by_holm(groups: Iterable[str], fails: Callable[[str, int], bool]) -> set[str]:
    """Return the groups that fail after Holm's correction.

    Parameters
    ----------
    groups
        All groups.
    fails
        Whether a group fails at the level divided by a number.

    Examples
    --------
    >>> p = {"a": 0.01, "b": 0.024, "c": 0.04, "d": 0.06}
    >>> sorted(shown_by_holm(p, lambda name, n: p[name] <= 0.08 / n))
    ['a', 'b', 'c', 'd']
    >>> sorted(shown_by_holm(p, lambda name, n: p[name] <= 0.05 / n))
    ['a']
    """
    left, shown = {*groups}, set[str]()
    while new := {name for name in left if fails(name, len(left))}:
        shown, left = shown | new, left - new
    return shown


def parts_of(comparison: Comparison, required: Requirement) -> dict[str, Comparison]:
    """Return the comparison on each group, the largest first.

    Raises
    ------
    OptionError
        If there is no such column, its values make no groups, or a model judged.
    """
    text, by, metadata = required.text, required.by, comparison.query_metadata
    if comparison.judges is not None:
        raise OptionError(f"{text!r}: a model's judgments are corrected for all queries alone.")
    if metadata.queries is None:
        raise OptionError(
            f"{text!r} is on groups by a column of the queries, but no table of queries was given. "
            f"Give it: --queries FILE, or rr.compare(..., queries=...)."
        )
    if metadata.of_datasets and by != DATASET:
        raise OptionError(f"{text!r}: of several data sets, these are the groups: in every dataset")
    choose("column", by, [n for n in metadata.queries.columns if n != QUERY_ID])
    values = metadata.queries[by]
    if values.dtype.is_numeric() and values.n_unique() > _MANY_NUMBERS:
        raise OptionError(
            f"{text!r}: column {by!r} has {values.n_unique()} numbers. Make groups of them: "
            f"queries = queries.with_columns((pl.col({by!r}).rank() * 4 / pl.len()).ceil()"
            f".cast(pl.Int64).alias({by + '_group'!r}))"
        )
    if not metadata.of_datasets:
        metadata.checked_segments([by])
    return {
        name: replace(
            comparison,
            evaluation=of_queries(comparison.evaluation, queries),
            # Without a source, the queries that are not in the table are a group.
            query_metadata=replace(metadata, segments=(), source=None),
            test="t",  # which no gate reads, and takes little time
        )
        for name, queries in queries_by(comparison, by).items()
    }
