"""What curves show, in a sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from rankreport.charts.curve_lines import BAND, ENDS
from rankreport.charts.sentences import baseline_name, sentence_of
from rankreport.rendering.language import say
from rankreport.rendering.text import counted, decimals, listed, number, percent, short, signed

COURSES = {
    ("above", "at the only k"): "{system} lies above {baseline}",
    ("below", "at the only k"): "{system} lies below {baseline}",
    ("equal", "at the only k"): "{system} equals {baseline}",
    ("above", "at every k"): "{system} lies above {baseline} at every k",
    ("below", "at every k"): "{system} lies below {baseline} at every k",
    ("equal", "at every k"): "{system} equals {baseline} at every k",
    ("above", "at some k"): "{system} lies above {baseline} at {some} of {n} cut-offs and equals "
    "it at the others",
    ("below", "at some k"): "{system} lies below {baseline} at {some} of {n} cut-offs and equals "
    "it at the others",
    ("above", "at all k but one"): "{system} lies above {baseline} at {some} of {n} cut-offs and "
    "equals it at the other",
    ("below", "at all k but one"): "{system} lies below {baseline} at {some} of {n} cut-offs and "
    "equals it at the other",
}
"""How it is said that a system lies on one side of the baseline, and at how many cut-offs."""


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
    told = told_at(ks)
    if differences is None:
        found = _levels_at(levels.filter(pl.col("k") == told), systems, confidence)
        return sentence_of(_head(measure, ks), [_at(told, found, ks)])
    clauses = []
    for system in systems:
        if system != baseline:
            course = differences.filter(pl.col("system") == system).sort("k")
            names = {"system": short(system), "baseline": baseline_name(baseline)}
            clauses.append(_course(course, names, several=len(ks) > 1))
            clauses.append(_difference_at(course, told, confidence, several=len(ks) > 1))
            clauses.append(_leaving_out_zero(course, several=len(ks) > 1))
            clauses.append(_without_band(course, several=len(ks) > 1))
    return sentence_of(_head(measure, ks), clauses)


def told_at(ks: Sequence[int]) -> int:
    """Choose the cut-off at which figures are told, and by which panels are ordered."""
    return 10 if 10 in ks else ks[-1]


def _head(measure: str, ks: Sequence[int]) -> str:
    if len(ks) == 1:
        return say("{measure} at k = {k}", measure=short(measure), k=ks[0])
    return say(
        "{measure} at k from {first} to {last}", measure=short(measure), first=ks[0], last=ks[-1]
    )


def _at(k: int, found: str, ks: Sequence[int]) -> str:
    """Say at which cut-off something was found, if there are several."""
    return say("at k = {k}, {found}", k=k, found=found) if len(ks) > 1 else found


def _levels_at(levels: pl.DataFrame, spoken: Sequence[str], confidence: float) -> str:
    best_first = levels.filter(pl.col("system").is_in(spoken)).sort(
        "mean", descending=True, nulls_last=True
    )
    told = []
    for place, row in enumerate(best_first.iter_rows(named=True)):
        named = {"system": short(row["system"]), "level": _level(row, "mean", confidence)}
        if place:
            told.append(say("{system} {level}", **named))
        else:
            told.append(say("{system} reaches {level}", **named))
    return listed(told)


def _level(row: Mapping[str, Any], name: str, confidence: float) -> str:
    """Write a mean or a difference and, where there is one, its interval."""
    figures, with_sign = [row[each] for each in (name, *ENDS)], name == "delta"
    digits = decimals(*figures) if with_sign else 3
    value, low, high = (number(figure, digits, signed=with_sign) for figure in figures)
    if None in (row["ci_low"], row["ci_high"]):
        return value
    return say(
        "{value} ({confidence} interval {low} to {high})",
        value=value,
        confidence=percent(confidence),
        low=low,
        high=high,
    )


def _course(differences: pl.DataFrame, names: Mapping[str, str], *, several: bool) -> str:
    """Say on which side of the baseline a system lies, at the cut-offs where both are defined."""
    defined = differences.drop_nulls("delta")
    above = defined.filter(pl.col("delta") > 0)["k"].to_list()
    below = defined.filter(pl.col("delta") < 0)["k"].to_list()
    n = len(defined)
    if not n:
        return say("{system} can't be set against {baseline}", **names)
    if above and below:
        return _crossing(above, below, defined["k"].to_list(), names)
    side = "above" if above else "below" if below else "equal"
    some = len(above) or len(below) or n
    if some < n:
        where = "at all k but one" if some == n - 1 else "at some k"
        return say(COURSES[side, where], some=some, n=n, **names)
    return say(COURSES[side, "at every k" if several else "at the only k"], **names)


def _crossing(
    above: Sequence[int], below: Sequence[int], cutoffs: Sequence[int], names: Mapping[str, str]
) -> str:
    unequal = [*above, *below]
    # Equal in between goes without saying; equal at either end does not.
    to_the_ends = min(unequal) == min(cutoffs) and max(unequal) == max(cutoffs)
    if to_the_ends and max(above) < min(below):
        return say(
            "{system} lies above {baseline} up to k = {last} and below from k = {first}",
            last=max(above),
            first=min(below),
            **names,
        )
    if to_the_ends and max(below) < min(above):
        return say(
            "{system} lies below {baseline} up to k = {last} and above from k = {first}",
            last=max(below),
            first=min(above),
            **names,
        )
    return say(
        "{system} lies above {baseline} at {above} and below at {below} of {n} cut-offs",
        above=len(above),
        below=len(below),
        n=len(cutoffs),
        **names,
    )


def _difference_at(differences: pl.DataFrame, k: int, confidence: float, *, several: bool) -> str:
    at_k = differences.drop_nulls("delta").filter(pl.col("k") == k)
    if at_k.is_empty():
        return ""
    difference = _level(at_k.row(0, named=True), "delta", confidence)
    if several:
        return say("at k = {k} the difference is {difference}", k=k, difference=difference)
    return say("the difference is {difference}", difference=difference)


def _leaving_out_zero(differences: pl.DataFrame, *, several: bool) -> str:
    """Say at how many cut-offs the interval of each leaves out 0, and at how many the band does.

    Without a band too few queries changed for a verdict, and such an interval would be read as one.
    """
    known = differences.drop_nulls("delta")
    enough = known.drop_nulls(_bands(known))
    if not several or enough["ci_low"].null_count() == len(enough):
        return ""
    told = {"n": len(_outside(enough, ENDS)), "all": len(enough)}
    whole = len(enough) == len(known)
    if not told["n"]:  # nor does the band, which is no narrower
        nowhere = say("no interval leaves out 0")
        return nowhere if whole else say("{found} where enough queries changed", found=nowhere)
    found = say("the interval leaves out 0 at {n} of {all} cut-offs", **told)
    if not whole:
        found = say(
            "the interval leaves out 0 at {n} of the {all} cut-offs where enough queries changed",
            **told,
        )
    if not _bands(known):
        return found
    if n := len(_outside(enough, BAND)):
        return say("{found}, the band for all k at {n}", found=found, n=n)
    return say("{found}, the band for all k at none", found=found)


def _bands(differences: pl.DataFrame) -> list[str]:
    return [column for column in BAND if column in differences.columns]


def _outside(differences: pl.DataFrame, ends: tuple[str, str]) -> pl.DataFrame:
    """Return the rows of which these ends lie on one side of 0."""
    low, high = map(pl.col, ends)
    return differences.filter((low > 0) | (high < 0))


def _without_band(differences: pl.DataFrame, *, several: bool) -> str:
    """Say why there is no band for all cut-offs, where none of them has one."""
    known = differences.drop_nulls("delta")
    if not several or known.is_empty() or len(known.drop_nulls(_bands(known))):
        return ""
    return say("there is no band for all k, as too few queries changed")


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
    """Say what panels of many systems show, of which the highest at the k told come first."""
    ks = frame["k"].unique().sort().to_list()
    told, head = told_at(ks), _head(measure, ks)
    at_k = frame.filter(pl.col("k") == told)
    if name == "mean":
        clauses = [_at(told, _levels_at(at_k, shown[:3], confidence), ks)]
    else:
        clauses = [_sides(frame), _apart(frame), _at(told, _ends_at(at_k, confidence), ks)]
        head = say("{head}, differences to {baseline}", head=head, baseline=baseline_name(baseline))
    clauses.append(say("a panel for each of {n} systems", n=len(shown)))
    if left_out:
        rest = counted(left_out, "other system is left out", "other systems are left out")
        clauses.append(rest)
    return sentence_of(head, clauses)


def _sides(differences: pl.DataFrame) -> str:
    """Count the systems that lie above the baseline at every cut-off, below, and on both sides."""
    ends = differences.group_by("system").agg(
        pl.col("delta").min().alias("least"), pl.col("delta").max().alias("most")
    )
    above, below = int((ends["least"] > 0).sum()), int((ends["most"] < 0).sum())
    told = counted(above, "system lies above", "systems lie above")
    if differences["k"].n_unique() > 1:
        told = counted(above, "system lies above at every k", "systems lie above at every k")
    return say(
        "{above}, {below} below and {neither} on neither side alone",
        above=told,
        below=below,
        neither=len(ends) - above - below,
    )


def _apart(differences: pl.DataFrame) -> str:
    """Count the systems of which the band for all cut-offs leaves out 0 at one of them."""
    if not _bands(differences) or differences[BAND[0]].null_count() == len(differences):
        return ""
    return say(
        "of {n} systems, {apart} have a band for all k at once that leaves out 0 at some k",
        n=differences["system"].n_unique(),
        apart=_outside(differences, BAND)["system"].n_unique(),
    )


def _ends_at(at_k: pl.DataFrame, confidence: float) -> str:
    """Name the systems with the largest and the smallest difference at a cut-off."""
    known = at_k.drop_nulls("delta").sort("delta", descending=True, maintain_order=True)
    if known.is_empty():
        return say("no system has a difference")
    if known["delta"].n_unique() == 1:
        n = counted(len(known), "system", "systems")
        return say("{difference} with {systems}", difference=signed(known["delta"][0]), systems=n)
    first, last = (
        say(
            "{system} {level}",
            system=short(row["system"]),
            level=_level(row, "delta", confidence),
        )
        for row in known[[0, -1]].iter_rows(named=True)
    )
    return say("from {first} down to {last}", first=first, last=last)
