"""The options of `rankreport.evaluate`, checked before anything is read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from numbers import Real

import polars as pl

from rankreport import io
from rankreport.errors import MeasureError, OptionError, brief, choose, expect
from rankreport.evaluation.applied_rules import GRADES, NO_RELEVANT, PRECISION, QUERIES
from rankreport.evaluation.tool_profiles import PROFILES, Profile
from rankreport.foreign_keywords import OF_CUTOFFS
from rankreport.frames import QUERY_ID
from rankreport.measures import TIES, Measure, expression_of, is_averaged, package_of

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR@10", "P@10", "R@100")
"""The default measures; the first is the primary measure."""

MEMORY_HELP = (
    "Memory that may be used, such as 2GB: larger files are read in slices, through temporary "
    "files in TMPDIR."
)
"""What the option is for, on the command line."""

_OURS = Profile("rankreport", {})
_TREC_EVAL = PROFILES["trec_eval-9"]
_OF_TREC_EVAL = {n: each for n, each in _TREC_EVAL.families.items() if n not in {"P", "recall"}}
"""Names that trec_eval alone has, and no other tool, of several measures."""

_RULES: Mapping[str, Mapping[str, object]] = {
    "ties": TIES,
    "queries": QUERIES,
    "no_relevant": NO_RELEVANT,
    "precision": PRECISION,
    "grades": GRADES,
}
_DEFAULTS = {name: next(iter(rules)) for name, rules in _RULES.items()}


def settled(profile: str | None, **given: str | None) -> dict[str, str]:
    """Return all settings: as given, else from the profile, else the default.

    Raises
    ------
    OptionError
        If a profile or setting is unknown.
    """
    for name, each in PROFILES.items():
        if profile not in {None, *PROFILES} and str(profile).casefold() in each.tool.casefold():
            raise OptionError(f"profile={brief(profile)} is profile={name!r} here.")
    chosen = {} if profile is None else PROFILES[choose("profile", profile, PROFILES)].settings
    settings = {**_DEFAULTS, **chosen, **{k: v for k, v in given.items() if v is not None}}
    settings = {name: choose(name, settings[name], _RULES[name]) for name in _RULES}
    return settings if profile is None else {**settings, "profile": profile}


def chosen_measures(
    given: str | Measure | Iterable[str | Measure], settings: Mapping[str, str]
) -> tuple[Measure, ...]:
    """Parse the measures, and check that they are available with these settings.

    Raises
    ------
    MeasureError
        If a measure is unknown, has invalid parameters, or is not available with the tie rule.
    OptionError
        If no measure is given.
    """
    profile = PROFILES[settings["profile"]] if "profile" in settings else _OURS
    if isinstance(given, str | Measure) or package_of(given) == "ir_measures":
        several: list[object] = [given]
    else:
        if isinstance(given, Mapping) and not any(
            isinstance(each, Iterable) and not isinstance(each, str) for each in given.values()
        ):
            given = list(given.values())  # by names of their own, as RecTools takes them
        if not isinstance(given, Iterable) or isinstance(given, Mapping):
            order = "after judgments and runs, which are {'old': old, 'new': new} if several"
            expect(given, (), f"measures takes names such as 'nDCG@10', {order}")
        # A set, as pytrec_eval takes it, has no order of its own.
        several = sorted(given, key=str) if isinstance(given, AbstractSet) else list(given)
    read: dict[Measure, None] = {}
    faults: list[str] = []
    by_itself = [one for each in several for one in _listed(each, {})]
    for one in (
        one for each in several for one in _listed(each, {**_OF_TREC_EVAL, **profile.families})
    ):
        try:
            tool = profile if one in by_itself or profile.families else _TREC_EVAL
            measure = tool.read(one)
            # A name that a family of the tool lists is the tool's, whatever it means elsewhere.
            read[measure if one in by_itself else replace(measure, asked=str(one))] = None
        except MeasureError as error:
            faults.append(str(error))
    if faults:
        raise MeasureError("\n".join(faults))
    chosen = tuple(read)
    if not chosen:
        raise OptionError("measures is empty: name at least one, such as 'nDCG@10'.")
    rule = TIES[settings["ties"]]
    for each in chosen:
        expression_of(each, expected=rule.expected)
        if rule.is_bound and each.moves == "either":
            raise MeasureError(
                f"{each}: whether it rises when a better document moves up is not known, so "
                f"ties={rule.name!r} is no bound of it. Use ties='trec'."
            )
    return chosen


def with_primary(
    measures: tuple[Measure, ...], primary: Iterable[Measure]
) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures, with the primary one among them, and the primary one.

    By default that is the first that needs judgments, or if none does the first.
    """
    accuracy = (each for each in measures if each.declaration.rows != "shown")
    first = next(iter(primary), next(accuracy, measures[0]))
    all_measures = measures if first in measures else (first, *measures)
    # Of two names of one measure, the first is shown.
    return all_measures, all_measures[all_measures.index(first)]


def measures_of(
    given: str | Measure | Iterable[str | Measure],
    primary: str | Measure | None,
    settings: Mapping[str, str],
) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures, with the primary one among them, and the primary one.

    Raises
    ------
    MeasureError, OptionError
        As `chosen_measures`.
    """
    chosen = chosen_measures(given, settings)
    return with_primary(chosen, () if primary is None else chosen_measures(primary, settings))


def within_depth(
    given: tuple[Measure, ...], runs: Mapping[str, io.Source], qrels: io.Source, *, default: bool
) -> tuple[Measure, ...]:
    """Return the measures, after checking that they look no deeper than the lists were cut.

    Parameters
    ----------
    given
        The measures.
    runs, qrels
        The sources. Judgments that were part of a request may know how many results were asked for.
    default
        Whether nobody chose the measures: they are cut at that depth, then.

    Raises
    ------
    OptionError
        If a measure looks deeper.
    """
    depths = {
        name: max(run.depth, qrels.depth or 0)
        for name, run in runs.items()
        if run.depth is not None
    }
    if not depths:
        return given
    system = min(depths, key=lambda name: depths[name])
    depth = depths[system]
    if default:
        cut = (each(k=min(each.k or depth, depth)) for each in given)
        return tuple(dict.fromkeys(cut))
    of_lists = [m for m in given if m.takes_cutoff or m.declaration.family != "counts"]
    deeper = [m for m in of_lists if not m.k or m.k > depth]
    if not deeper:
        return given
    examples = [str(m(k=depth)) if m.takes_cutoff else f"nDCG@{depth}" for m in deeper]
    looks = "looks" if len(deeper) == 1 else "look"
    raise OptionError(
        f"{', '.join(map(str, deeper))} {looks} deeper than {runs[system].name}, an export of the "
        f"first {depth} documents of each query. Use a cut-off of at most {depth}, such as "
        f"{', '.join(dict.fromkeys(examples))}, or export longer lists."
    )


_CUTS = r"(?P<name>[A-Za-z]\w*)[._](?P<cuts>[\d.]+(?:,[\d.]+)+)"
"""trec_eval's ``P.5,10``: one measure at several cut-offs."""

_APART = r"(?<![@,\s])(?:\s*,\s*|\s+)(?![@,\s]|[\d.=]+(?:[,\s]|$)|[^(]*\))"
"""What separates measures in one text; not the comma of ``P.5,10`` or ``RBP(p=0.5, rel=2)``."""


def _listed(given: object, families: Mapping[str, str]) -> list[object]:
    """Return the measures that one text names, or a cut-off by itself, as BEIR takes it."""
    if type(given) is int:
        return [f"{name}@{given}" for name in OF_CUTOFFS.split()]
    found: list[object] = []
    for text in re.split(_APART, given.strip()) if isinstance(given, str) else ():
        if text in families:
            found += _listed(families[text], {**_TREC_EVAL.families, **families})
            continue
        cuts = re.fullmatch(_CUTS, text)
        found += [f"{cuts['name']}_{cut}" for cut in cuts["cuts"].split(",")] if cuts else [text]
    return found or [given]


def weights_of(given: Mapping[str, float] | None, scores: pl.DataFrame) -> pl.DataFrame | None:
    """Return query weights as ``query_id, weight``, one row per query of the scores.

    Raises
    ------
    OptionError
        If a weight is not a number, negative or not finite, or all weights are 0.
    """
    if given is None:
        return None
    expect(given, (Mapping,), "weights takes {query_id: weight}")
    for query, weight in given.items():
        expect(weight, (Real,), f"weights takes numbers, and for query {brief(query)} too")
        if not (math.isfinite(weight) and weight >= 0):
            raise OptionError(
                f"weights: {brief(weight)} of query {brief(query)} is invalid; expected 0 or more."
            )
    given = io.by_name("weights", given)
    queries = scores[QUERY_ID].unique(maintain_order=True)
    weights = [float(given.get(query, 0.0)) for query in queries]
    if not any(weights):
        named = ", ".join(map(brief, list(given)[:3])) or "none"
        raise OptionError(
            f"weights: no query that counts has a weight above 0. Given: {named}; the queries are "
            f"such as {queries[0]!r}."
        )
    return pl.DataFrame({QUERY_ID: queries, "weight": weights})


def check_compared(measures: Iterable[Measure], primary: Measure) -> None:
    """Raise an error if systems cannot be compared by these measures.

    Raises
    ------
    MeasureError
        If one is no mean over queries, or higher values of the primary one are not better.
    """
    for measure in measures:
        if not is_averaged(measure):
            aggregate = measure.declaration.aggregate
            words = {"geometric": "a geometric mean", "weighted": "a weighted mean"}
            raise MeasureError(
                f"{measure} is {words.get(aggregate, 'of all queries pooled')}, so its difference "
                f"is not the mean of the queries' differences, which a comparison tests. Evaluate "
                f"it, and compare by a measure that is averaged over queries."
            )
    if primary.declaration.better != "high":
        reason = {"low": "is better where it is low", "neither": "is neither better high nor low"}
        raise MeasureError(
            f"{primary} {reason[primary.declaration.better]}, so it cannot decide a comparison. "
            f"Name another measure first, or as primary."
        )
