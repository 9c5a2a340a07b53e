"""The options of `rankreport.evaluate`, checked before anything is read."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Real
from typing import Any

import polars as pl

from rankreport import io
from rankreport.addresses import shown_address
from rankreport.errors import DataError, MeasureError, OptionError, brief, choose, expect
from rankreport.evaluation.judging import GRADES, NO_RELEVANT, PRECISION, QUERIES
from rankreport.evaluation.profiles import PROFILES, Profile
from rankreport.frames import QUERY_ID
from rankreport.measures import TIES, Measure, is_averaged, package_of

_OURS = Profile("rankreport", {})
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
        expect(given, (Iterable,), "measures takes names such as 'nDCG@10'")
        # A set, as pytrec_eval takes it, has no order of its own.
        several = sorted(given, key=str) if isinstance(given, AbstractSet) else list(given)
    chosen = tuple(dict.fromkeys(profile.read(one) for each in several for one in _listed(each)))
    if not chosen:
        raise OptionError("measures is empty: name at least one, such as 'nDCG@10'.")
    rule = TIES[settings["ties"]]
    for each in chosen:
        each.expression(expected=rule.expected)
        if rule.is_bound and each.moves == "either":
            raise MeasureError(
                f"{each}: whether it rises when a better document moves up is not known, so "
                f"ties={rule.name!r} is no bound of it. Use ties='trec'."
            )
    return chosen


def decided(
    measures: tuple[Measure, ...], primary: Iterable[Measure]
) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures, with the primary one among them, and the primary one, or the first."""
    first = next(iter(primary), measures[0])
    all_measures = measures if first in measures else (first, *measures)
    # Of two names of one measure, the first is shown.
    return all_measures, all_measures[all_measures.index(first)]


def measures_of(
    given: str | Measure | Iterable[str | Measure],
    primary: str | Measure | None,
    settings: Mapping[str, str],
) -> tuple[tuple[Measure, ...], Measure]:
    """Return the measures, with the primary one among them, and the primary one, or the first.

    Raises
    ------
    MeasureError, OptionError
        As `chosen_measures`.
    """
    chosen = chosen_measures(given, settings)
    return decided(chosen, () if primary is None else chosen_measures(primary, settings))


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
    for each in given:
        if each.declaration.family == "counts" and not each.takes_cutoff:
            continue
        if each.takes_cutoff and each.k and each.k <= depth:
            continue
        example = f"{each.name}@{depth}" if each.takes_cutoff else f"nDCG@{depth}"
        raise OptionError(
            f"{each} looks deeper than {runs[system].name}, an export of the first {depth} "
            f"documents of each query. Use a cut-off of at most {depth}, such as {example}, or "
            f"export longer lists."
        )
    return given


_CUTS = re.compile(r"(?P<name>[A-Za-z]\w*)[._](?P<cuts>[\d.]+(?:,[\d.]+)+)")
"""trec_eval's ``P.5,10``: one measure at several cut-offs."""


def _listed(given: object) -> list[object]:
    cuts = _CUTS.fullmatch(given.strip()) if isinstance(given, str) else None
    return [f"{cuts['name']}_{cut}" for cut in cuts["cuts"].split(",")] if cuts else [given]


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


def named_runs(runs: Any, name: str | None = None) -> dict[str, Any]:
    """Return the runs by system name.

    Parameters
    ----------
    runs
        ``{system: run}``, one or more paths, one run in any other form that `open_source` accepts,
        a table or records with a column that names the system, or runs of ranx.
    name
        The name of a run by itself.

    Raises
    ------
    OptionError
        If there are no runs, a name is repeated, empty or not valid Unicode, ``name`` is given to
        several runs, or ``runs`` has another type.
    DataError
        If ``runs`` are rows that differ in kind.
    """
    expect(name, (str, type(None)), "name takes the name of a run")
    named = _named(runs, name)
    if not named:
        raise OptionError("runs is empty: give at least one system.")
    if name is not None and list(named) != [name]:
        raise OptionError(
            f"name={brief(name)} is for a run by itself; these have names: {', '.join(named)}."
        )
    check_names(named)
    return named


def check_names(names: Iterable[str]) -> None:
    """Check the names of systems.

    Raises
    ------
    OptionError
        If one is empty, not valid Unicode, or an address that may hold a secret.
    """
    for each in names:
        if not each.strip():
            raise OptionError(
                f"The name {each!r} says nothing to a reader. Name the run: {{'mine': ...}}, or "
                f"mine=FILE on the command line."
            )
        if "://" in each and shown_address(each) != each:
            raise OptionError(
                f"A name is the address {shown_address(each)} with what may be secret, and every "
                f"output would show it. Name the run: {{'mine': ...}}."
            )
        try:
            each.encode()
        except UnicodeEncodeError:  # possible in file names
            raise OptionError(
                f"The name {each!r} is not valid Unicode. Name the run: {{'mine': ...}}, or "
                f"mine=FILE on the command line."
            ) from None


def is_standard_input(given: Any) -> bool:
    """Return whether a source is standard input."""
    return isinstance(given, str) and given == io.STDIN


def check_standard_input(*given: Any) -> None:
    """Raise an error if more than one source is standard input.

    Raises
    ------
    OptionError
        If so.
    """
    if sum(map(is_standard_input, given)) > 1:
        raise OptionError("Only one input can come from standard input ('-').")


ALONE = "run"
"""The name of a run by itself, unless ``name`` is given."""


def _named(runs: Any, name: str | None) -> dict[str, Any]:
    stored = _stored(runs)
    if stored is not None:
        alone = len(stored) == 1
        return {(alone and name) or own or ALONE: run for own, run in stored.items()}
    if isinstance(runs, Mapping):
        single = any(
            io.document_values(value) for value in runs.values() if not io.holds_export(value)
        )
        single = single or (len(runs) > 1 and io.frames_of_queries(runs) is not None)
        if single:
            return {name or ALONE: runs}
        return io.by_name("runs", runs)
    if io.is_ranx(runs):
        return {name or runs.name or ALONE: runs}
    if isinstance(runs, Sequence) and (several := _several(runs)) is not None:
        return several
    try:
        rows = io.object_rows("runs", io.RUN, runs)
    except DataError as error:
        kind = DataError if isinstance(runs, Iterable | pl.LazyFrame) else OptionError
        more = "\n  {system: run} of several runs" if io.ACCEPTED in str(error) else ""
        raise kind(f"{error}{more}") from None
    return _by_system(rows, name)


def _stored(runs: Any) -> dict[str, Any] | None:
    """Return what a path or an export holds, by the names of systems; None of other objects."""
    if isinstance(runs, str | os.PathLike):
        return io.systems_of(runs)
    if isinstance(runs, io.Selection):
        return {runs.system: runs}
    return io.exported_systems(runs)


def _several(runs: Sequence[Any]) -> dict[str, Any] | None:
    """Return the runs of a sequence of paths, or of runs of ranx; None of a sequence of rows.

    Raises
    ------
    OptionError
        If two would have the same name, or they have no names.
    """
    if all(isinstance(path, str | os.PathLike) for path in runs):
        held = [each for path in runs for each in io.systems_of(path).items()]
        return _distinct([system for system, _ in held], [run for _, run in held])
    if all(map(io.is_ranx, runs)):
        return _distinct([run.name or f"{ALONE} {n}" for n, run in enumerate(runs, 1)], runs)
    if all(isinstance(run, pl.DataFrame | pl.LazyFrame) or _is_run(run) for run in runs):
        nameless = f"{len(runs)} runs without names. Name them: {{'old': run, 'new': run}}."
        one = "1 run without a name. Name it: {'mine': run}."
        raise OptionError(f"runs: {nameless if len(runs) > 1 else one}")
    return None


def _is_run(given: object) -> bool:
    """Return whether an object is a run by its looks: a table or a dictionary of documents."""
    if isinstance(given, Mapping):
        return io.list_field(given) is None and any(map(io.document_values, given.values()))
    return hasattr(given, "__arrow_c_stream__")


def _distinct(names: Sequence[str], runs: Sequence[Any]) -> dict[str, Any]:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"Two runs would be named {twice!r}. Name them: {{'first': path, ...}}."
        raise OptionError(msg)
    return dict(zip(names, runs, strict=True))


def _by_system(rows: pl.DataFrame, name: str | None) -> dict[str, Any]:
    """Return the run of each system that a column of a table names; one run without such a column.

    Raises
    ------
    DataError
        If a system is missing, or it is not sure that the column names systems.
    """
    own, systems = io.systems_named("runs", io.Frame(rows.lazy))
    if not systems or (name is not None and len(systems) == 1):
        return {name or ALONE: rows}
    named = rows.with_columns(io.name_text("runs", own, rows.schema[own]))
    parts = named.partition_by(own, as_dict=True)
    return io.by_column({str(system): part for (system,), part in parts.items()})


def check_decides(primary: Measure) -> None:
    """Raise an error if a measure cannot decide which of two systems is better.

    Raises
    ------
    MeasureError
        Unless higher values are better.
    """
    if primary.declaration.better != "high":
        reason = {"low": "is better where it is low", "neither": "is neither better high nor low"}
        raise MeasureError(
            f"{primary} {reason[primary.declaration.better]}, so it cannot decide a comparison. "
            f"Name another measure first, or as primary."
        )


def check_averaged(measures: Iterable[Measure]) -> None:
    """Raise an error if the difference in a measure is not a mean over queries.

    Raises
    ------
    MeasureError
        Naming the first such measure.
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
