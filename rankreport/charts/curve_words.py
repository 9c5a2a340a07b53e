"""What curves show, in a sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from rankreport.charts.curve_lines import ENDS
from rankreport.rendering.text import counted, listed, number, percent, short


def curves_in_words(
    levels: pl.DataFrame,
    differences: pl.DataFrame | None,
    *,
    measure: str,
    baseline: str | None,
    confidence: float,
) -> str:
    """Say what is shown of each system, with the interval at k = 10 if there is one."""
    systems = levels["system"].unique(maintain_order=True).to_list()
    ks = levels["k"].unique().sort().to_list()
    told = 10 if 10 in ks else ks[-1]
    cutoffs = f"from {ks[0]} to {ks[-1]}" if len(ks) > 1 else f"= {told}"
    clauses: list[str] = []
    if differences is None:
        at = f"at k = {told}, " if len(ks) > 1 else ""
        clauses = [at + _levels_at(levels.filter(pl.col("k") == told), systems, confidence)]
    elif rest := [system for system in systems if system != baseline]:
        against = short(baseline or "the baseline")
        for system in rest:
            course = differences.filter(pl.col("system") == system).sort("k")
            clauses.append(f"{short(system)} {_course(course, against, several=len(ks) > 1)}")
            difference = _difference_at(course, told, confidence)
            clauses.append(f"at k = {told} " * (difference > "" and len(ks) > 1) + difference)
    return f"{short(measure)} at k {cutoffs}: {'; '.join(filter(None, clauses))}."


def _levels_at(levels: pl.DataFrame, spoken: Sequence[str], confidence: float) -> str:
    best_first = levels.filter(pl.col("system").is_in(spoken)).sort(
        "mean", descending=True, nulls_last=True
    )
    told = [
        f"{short(row['system'])} {'' if place else 'reaches '}{number(row['mean'], 3)}"
        f"{_interval(row, confidence)}"
        for place, row in enumerate(best_first.iter_rows(named=True))
    ]
    return listed(told)


def _interval(row: Mapping[str, Any], confidence: float, *, signed: bool = False) -> str:
    if None in (row["ci_low"], row["ci_high"]):
        return ""
    low, high = (number(row[end], 3, signed=signed) for end in ENDS)
    return f" ({percent(confidence)} interval {low} to {high})"


def _course(differences: pl.DataFrame, baseline: str, *, several: bool) -> str:
    """Say on which side of the baseline a system lies, at the cut-offs where both are defined."""
    defined = differences.drop_nulls("delta")
    above = defined.filter(pl.col("delta") > 0)["k"].to_list()
    below = defined.filter(pl.col("delta") < 0)["k"].to_list()
    n = len(defined)
    if not n:
        return f"can't be set against {baseline}"
    if above and below:
        return _crossing(above, below, defined["k"].to_list(), baseline)
    verb, count = ("lies above", len(above)) if above else ("lies below", len(below))
    if not count:
        verb, count = "equals", n
    where = "every k" if count == n else f"{count} of {n} cut-offs and equals it at the others"
    return f"{verb} {baseline}" + f" at {where}" * several


def _crossing(
    above: Sequence[int], below: Sequence[int], cutoffs: Sequence[int], baseline: str
) -> str:
    unequal = [*above, *below]
    # Equal in between goes without saying; equal at either end does not.
    to_the_ends = min(unequal) == min(cutoffs) and max(unequal) == max(cutoffs)
    if to_the_ends and max(above) < min(below):
        return f"lies above {baseline} up to k = {max(above)} and below from k = {min(below)}"
    if to_the_ends and max(below) < min(above):
        return f"lies below {baseline} up to k = {max(below)} and above from k = {min(above)}"
    where = f"at {len(above)} and below at {len(below)} of {len(cutoffs)} cut-offs"
    return f"lies above {baseline} {where}"


def _difference_at(differences: pl.DataFrame, k: int, confidence: float) -> str:
    at_k = differences.drop_nulls("delta").filter(pl.col("k") == k)
    for row in at_k.head(1).iter_rows(named=True):
        size = number(row["delta"], 3, signed=True)
        return f"the difference is {size}{_interval(row, confidence, signed=True)}"
    return ""


def panels_in_words(
    frame: pl.DataFrame,
    shown: Sequence[str],
    *,
    name: str,
    left_out: int,
    measure: str,
    baseline: str | None,
    confidence: float,
) -> str:
    """Say what panels of many systems show, of which the highest at the largest k come first."""
    ks = frame["k"].unique().sort().to_list()
    told = 10 if 10 in ks else ks[-1]
    several = len(ks) > 1
    cutoffs = f"from {ks[0]} to {ks[-1]}" if several else f"= {told}"
    at = f"at k = {told}, " if several else ""
    at_k = frame.filter(pl.col("k") == told)
    if name == "mean":
        found = at + _levels_at(at_k, shown[:3], confidence)
        head = f"{short(measure)} at k {cutoffs}"
    else:
        found = f"{_sides(frame)}; {at}{_ends_at(at_k, confidence)}"
        head = (
            f"{short(measure)} at k {cutoffs}, differences to {short(baseline or 'the baseline')}"
        )
    rest = f"; {counted(left_out, 'other system is', 'other systems are')} left out" * (
        left_out > 0
    )
    return f"{head}: {found}; a panel for each of {len(shown)} systems{rest}."


def _sides(differences: pl.DataFrame) -> str:
    """Count the systems that lie above the baseline at every cut-off, below, and on both sides."""
    ends = differences.group_by("system").agg(
        pl.col("delta").min().alias("least"), pl.col("delta").max().alias("most")
    )
    above, below = int((ends["least"] > 0).sum()), int((ends["most"] < 0).sum())
    neither = len(ends) - above - below
    throughout = " at every k" if differences["k"].n_unique() > 1 else ""
    return (
        f"{counted(above, 'system lies', 'systems lie')} above{throughout}, {below} below and "
        f"{neither} on neither side alone"
    )


def _ends_at(at_k: pl.DataFrame, confidence: float) -> str:
    """Name the systems with the largest and the smallest difference at a cut-off."""
    known = at_k.drop_nulls("delta").sort("delta", descending=True, maintain_order=True)
    told = (
        [
            f"{short(row['system'])} {number(row['delta'], 3, signed=True)}"
            f"{_interval(row, confidence, signed=True)}"
            for row in known[[0, -1]].iter_rows(named=True)
        ]
        if len(known)
        else []
    )
    return f"from {' down to '.join(told)}" if told else "no system has a difference"
