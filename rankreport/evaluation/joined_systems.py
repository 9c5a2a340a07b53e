"""Systems of a stored evaluation and those of a new one as one evaluation.

It is as if both had been evaluated at once, written and loaded: all that is stored is of a system,
but for which lists are equal, which unjudged documents are the same, and where lists are cut.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import polars as pl

from rankreport import io
from rankreport.errors import DataError
from rankreport.evaluation.depths import depths_of, equal_depths
from rankreport.evaluation.evaluation import without_query
from rankreport.evaluation.exports import to_store
from rankreport.evaluation.facts import FINGERPRINTS
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.remarks import of_copies
from rankreport.evaluation.repeats import OfRepeats, with_repeats
from rankreport.evaluation.stored import (
    BEST_VALUES,
    CONDENSED,
    POOL,
    TABLES,
    UNJUDGED,
    FromFile,
    within,
)
from rankreport.evaluation.values import EvaluationValues
from rankreport.frames import MEASURE, QUERY_ID, RELEVANCE, SYSTEM
from rankreport.io import Remark
from rankreport.measures import Measure

_Made = TypeVar("_Made", bound=EvaluationValues)


def join_systems(
    stored: EvaluationValues,
    names: Mapping[str, str],
    made: _Made,
    queries: Collection[str] | None = None,
    remarks: Sequence[Remark] = (),
) -> _Made:
    """Return stored systems, then those of a new evaluation, as one evaluation.

    Parameters
    ----------
    stored, names
        What was loaded, and its systems with the names that they have in the result.
    made
        The new evaluation, of the same judgments by the same rules; its measures are compared.
    queries
        The queries that count; all by default. What is not known by query, such as how many
        queries have equal scores, stays that of all.
    remarks
        What else is to say of the stored systems.

    Raises
    ------
    DataError
        If `stored` was not loaded, lacks a measure, is of other data sets, or of lists that are
        not cut as the new ones are.
    """
    origin = stored._origin  # noqa: SLF001 - values bound to the same class
    if not isinstance(origin, FromFile):
        raise DataError("Only scores that were loaded are joined. Evaluate both runs at once.")
    origin.check_held(made.measures)
    if origin.datasets() != made._origin.datasets():  # noqa: SLF001
        raise DataError(f"{origin.name} is of other data sets: {', '.join(stored.datasets)}.")
    before = origin.named(names, queries)
    now = to_store(made, joinable=True, beside=depths_of(before.table("depths")))
    now = now.named({name: name for name in made.systems}, queries)
    joined = _joined(before, now, made.measures)
    about = {**joined.about, "remarks": [*joined.remarks(), *remarks]}
    joined = replace(joined, about=about, texts=made.queries)
    systems, files = tuple(about["systems"]), stored.files | made.files
    return replace(made, systems=systems, files=files, _origin=joined, _own=None)


def join_runs(
    runs: Mapping[str, Any],
    made: _Made,
    queries: Collection[str] | None = None,
    remarks: Sequence[Remark] = (),
) -> _Made | None:
    """Return systems evaluated from their runs, as those of an evaluation are, and then these.

    None where it was not made of judgments and whole runs of one data set, without passages.

    Parameters
    ----------
    runs
        The runs, or lists of runs, by system.
    made
        The evaluation.
    queries
        The queries that count; all by default.
    remarks
        What else is to say of these systems.
    """
    origin = made._origin  # noqa: SLF001 - values bound to the same class
    if not isinstance(origin, FromRuns) or type(origin) not in {FromRuns, OfRepeats}:
        return None
    if origin.collapse is not None:
        return None
    known: dict[str, Any] = origin.as_given()
    whole: dict[str, io.Source] = {}
    for system, run in runs.items():
        whole |= io.opened_runs(system, run, _opened)
    said = {each.system: [r for r in remarks if r.system == each.system] for each in remarks}
    whole = {n: replace(run, remarks=(*run.remarks, *said.get(n, ()))) for n, run in whole.items()}
    opened = whole
    if origin.with_query:
        opened = {name: without_query(run) for name, run in whole.items()}
        known["with_query"] = {**whole, **origin.with_query}
    further = origin.further if isinstance(origin, OfRepeats) else {}
    known["systems"] = {**opened, **origin.systems, **further}
    if queries is not None:
        counts = pl.col(QUERY_ID).cast(pl.String).is_in(list(queries))
        known["qrels"] = origin.qrels.filtered(counts)
    joined = with_repeats(FromRuns(**known), made.measures)
    return replace(made, systems=(*runs, *made.systems), _origin=joined)


def _opened(run: Any, name: str) -> io.Source:
    return io.open_source(run, io.RUN, f"run {name!r}")


def _joined(one: FromFile, two: FromFile, measures: Sequence[Measure]) -> FromFile:
    """Return the results of two files, of other systems and the same judgments."""
    tables: dict[str, pl.DataFrame] = {}
    for name in TABLES:
        if parts := [part.frames[name] for part in (one, two) if name in part.frames]:
            tables[name] = pl.concat(parts, how="diagonal")
    known = [part.frames.get(CONDENSED, pl.DataFrame()).columns for part in (one, two)]
    of_both = [name for name in known[0] if name in known[1]]
    tables |= {CONDENSED: tables[CONDENSED].select(of_both)} if CONDENSED in tables else {}
    in_order = pl.Enum(list(dict.fromkeys(map(str, measures))))
    of_measure = pl.col(MEASURE).cast(in_order, strict=False)
    coverage = tables["coverage"].filter(of_measure.is_not_null())
    tables["coverage"] = coverage.sort(of_measure, maintain_order=True)
    judgments, *others = two.inputs()
    runs = [each for each in one.inputs() if each["role"].startswith("run ")]
    best, judges = _best(one, two), _judges(one, two)
    about = {
        **two.about,
        "systems": [*one.about["systems"], *two.about["systems"]],
        "inputs": [judgments, *runs, *others],
        "n_best": two.about["n_best"] if best else None,
        "ratings": two.about["ratings"] if judges else None,
    }
    tables |= {**best, **_within(one, two, measures), **_unjudged(one, two)}
    scores = pl.concat([part.values(measures) for part in (one, two)])
    joined = FromFile(one.name, scores, about, tables, judges)
    return replace(joined, about={**about, "remarks": _remarks(joined, one, two)})


def _remarks(joined: FromFile, one: FromFile, two: FromFile) -> list[Remark]:
    """Return the remarks on the judgments, on every run, and on runs that are equal."""
    both = [*one.remarks(), *two.remarks()]
    of_runs = [each for each in both if each.system and each.code != "identical_runs"]
    systems, prints = joined.about["systems"], joined.table(FINGERPRINTS)
    if {each.system for each in of_runs if each.code == "at_random"} != {*systems}:
        # which is said where it is so of all systems
        of_runs = [each for each in of_runs if each.code != "at_random"]
    known: dict[str, Any] = {
        each["role"].removeprefix("run "): each["sha256"] or each["role"]
        for each in joined.inputs()
    }
    if {*systems} <= {*prints[SYSTEM]}:
        known = dict(prints.select(SYSTEM, "whole").iter_rows())
    names = [*systems, *(name for name in known if name not in {*systems, "qrels"})]
    copies = of_copies({n: known[n] for n in names}, lambda *_: True)
    return [*(each for each in two.remarks() if not each.system), *of_runs, *copies]


def _within(one: FromFile, two: FromFile, measures: Sequence[Measure]) -> dict[str, pl.DataFrame]:
    """Return the scores of lists that are cut where systems are compared at equal depth."""
    found = {}
    for depth in equal_depths(depths_of(pl.concat([part.table("depths") for part in (one, two)]))):
        if deeper := [each for each in measures if each.looks_beyond(depth)]:
            try:
                parts = [part.values_within(deeper, depth) for part in (one, two)]
            except DataError:
                names = ", ".join(map(str, deeper))
                raise DataError(
                    f"{one.name} is of longer lists than {two.name}, which returned {depth:,} "
                    f"documents at most, and {names} would be compared on the first {depth:,} of "
                    f"both, of which there are no stored scores. Return more documents, or name "
                    f"measures with a cut-off up to @{depth}."
                ) from None
            found[within(depth)] = pl.concat(parts)
    return found


def _best(one: FromFile, two: FromFile) -> dict[str, pl.DataFrame]:
    """Return the highest values that documents allow, if those of both are of as many."""
    n = one.about["n_best"]
    if n is None or one.primary != two.primary or n != two.about["n_best"]:
        return {}
    best = pl.concat([part.table(BEST_VALUES) for part in (one, two)])
    prints = pl.concat([part.table(FINGERPRINTS) for part in (one, two)])
    known = dict(prints.select(SYSTEM, "first").iter_rows())
    first: dict[Any, str] = {}
    pools = {
        system: first.setdefault(known.get(system, system), system)
        for system in best[SYSTEM].unique(maintain_order=True)
    }
    return {BEST_VALUES: best.with_columns(pl.col(SYSTEM).replace(pools).alias(POOL))}


def _unjudged(one: FromFile, two: FromFile) -> dict[str, pl.DataFrame]:
    """Return the unjudged documents of both, if they are stored."""
    old, new = one.stored_unjudged, two.stored_unjudged
    if old is None or new is None or one.primary != two.primary:
        return {}
    lists, documents, grades = map(pl.concat, zip(old, new, strict=True))
    grades = grades.unique([QUERY_ID, RELEVANCE], keep="first", maintain_order=True)
    return dict(zip(UNJUDGED, (lists, documents, grades), strict=True))


def _judges(one: FromFile, two: FromFile) -> dict[str, FromFile | None]:
    """Return the scores by each judge of whom those of both are stored."""
    if one.primary != two.primary:
        return {}
    return {
        judge: before and now and _joined(before, now, now.asked)
        for judge, now in two.by_judge.items()
        if judge in one.by_judge
        for before in [one.by_judge[judge]]
    }
