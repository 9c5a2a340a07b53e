"""Systems of a stored evaluation and those of a new one as one evaluation.

It is as if both had been evaluated at once, written and loaded: all that is stored is of a system,
but for which lists are equal, which unjudged documents are the same, and where lists are cut.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import polars as pl

from rankreport import io
from rankreport.errors import DataError
from rankreport.evaluation.depths import equal_depths
from rankreport.evaluation.evaluation import without_query
from rankreport.evaluation.exports import to_store
from rankreport.evaluation.origins import FromRuns
from rankreport.evaluation.remarks import of_copies
from rankreport.evaluation.repeats import OfRepeats, with_repeats
from rankreport.evaluation.stored import (
    BEST,
    BY_COLUMN,
    KEYED,
    FromFile,
    lists_of,
    packed_lists,
    plain_remark,
)
from rankreport.evaluation.unjudged import Unjudged
from rankreport.evaluation.values import EvaluationValues
from rankreport.frames import MEASURE, QUERY_ID, RELEVANCE, SYSTEM, long
from rankreport.io import Remark, packed_numbers
from rankreport.measures import Measure

_Made = TypeVar("_Made", bound=EvaluationValues)
_Description = Mapping[str, Any]


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
    values, description = to_store(made, joinable=True, beside=before.depths())
    now = FromFile(", ".join(made.systems), long(values), json.loads(json.dumps(description)))
    now = now.named({name: name for name in made.systems}, queries)
    joined = replace(_joined(before, now, made.measures), texts=made.queries)
    said = [*joined.description.get("remarks", []), *map(plain_remark, remarks)]
    joined = replace(joined, description={**joined.description, "remarks": said})
    systems, files = tuple(joined.description["systems"]), stored.files | made.files
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
    old, new, names = one.description, two.description, [*map(str, measures)]
    about = _of_both(old, new)
    about["coverage"] = [row for name in names for row in about["coverage"] if row[MEASURE] == name]
    frame = long(pl.concat([part.values(measures) for part in (one, two)]))
    unanswered = pl.concat([part.unanswered() for part in (one, two)])
    judgments, *others = new["inputs"]
    runs = [each for each in old["inputs"] if each["role"].startswith("run ")]
    about = {
        **new,
        **about,
        "unanswered": packed_lists(unanswered, lists_of(frame)),
        "inputs": [judgments, *runs, *others],
    }
    found = {
        "remarks": _remarks(about, old, new),
        "cut": _cut(one, two, measures),
        "best": _best(one, two),
        "unjudged": _unjudged(one, two),
        "judges": _judges(one, two),
    }
    about = {name: each for name, each in about.items() if name not in found}
    return FromFile(one.name, frame, {**about, **{n: each for n, each in found.items() if each}})


def _of_both(old: _Description, new: _Description) -> dict[str, Any]:
    """Return what is stored by system."""
    found: dict[str, Any] = {}
    for name in (*KEYED, "repeats"):
        parts = [each[name] for each in (old, new) if name in each]
        if parts:
            is_mapping = isinstance(parts[0], Mapping)
            found[name] = dict(parts[0]) if is_mapping else [*parts[0]]
            for part in parts[1:]:
                found[name] = {**found[name], **part} if is_mapping else [*found[name], *part]
    for name in BY_COLUMN:
        if name in new:
            of = old.get(name, {})
            found[name] = {n: [*of.get(n, ()), *column] for n, column in new[name].items()}
    return found


def _remarks(about: _Description, old: _Description, new: _Description) -> list[Any]:
    """Return the remarks on the judgments, on every run, and on runs that are equal."""
    both = [each for part in (old, new) for each in part.get("remarks", [])]
    of_runs = [each for each in both if each["system"] and each["code"] != "identical_runs"]
    at_random = [each["system"] for each in of_runs if each["code"] == "at_random"]
    if {*at_random} != {*about["systems"]}:  # which is said where it is so of all systems
        of_runs = [each for each in of_runs if each["code"] != "at_random"]
    systems, prints = about["systems"], about.get("prints", {})
    known: dict[str, Any] = {
        each["role"].removeprefix("run "): each["sha256"] or each["role"]
        for each in about["inputs"]
    }
    if {*systems} <= prints.keys():
        known = {name: lists for name, (lists, _) in prints.items()}
    names = [*systems, *(name for name in known if name not in {*systems, "qrels"})]
    copies = map(plain_remark, of_copies({n: known[n] for n in names}, lambda *_: True))
    return [*(each for each in new.get("remarks", []) if not each["system"]), *of_runs, *copies]


def _cut(one: FromFile, two: FromFile, measures: Sequence[Measure]) -> dict[str, Any]:
    """Return the scores of lists that are cut where systems are compared at equal depth."""
    found = {}
    for depth in equal_depths({**one.depths(), **two.depths()}):
        if deeper := [each for each in measures if each.looks_beyond(depth)]:
            try:
                values = pl.concat([part.values_within(deeper, depth) for part in (one, two)])
            except DataError:
                names = ", ".join(map(str, deeper))
                raise DataError(
                    f"{one.name} is of longer lists than {two.name}, which returned {depth:,} "
                    f"documents at most, and {names} would be compared on the first {depth:,} of "
                    f"both, of which there are no stored scores. Return more documents, or name "
                    f"measures with a cut-off up to @{depth}."
                ) from None
            found[str(depth)] = {str(m): packed_numbers(values[str(m)]) for m in deeper}
    return found


def _best(one: FromFile, two: FromFile) -> dict[str, Any]:
    """Return the highest values that documents allow, if those of both are of as many."""
    old, new = (part.description.get("best", {}) for part in (one, two))
    if not old or one.primary != two.primary or old["n"] != new.get("n"):
        return {}
    parts = [part.best_values(part.primary, old["n"]) for part in (one, two)]
    prints = {**one.fingerprints(old["n"]), **two.fingerprints(old["n"])}
    first: dict[Any, str] = {}
    pools = {
        system: first.setdefault(prints.get(system, [0, system])[1], system)
        for part in parts
        for system in part[SYSTEM].unique(maintain_order=True)
    }
    values = pl.concat(part.select(BEST) for part in parts)
    return {"n": old["n"], "pools": pools, **{n: packed_numbers(values[n]) for n in BEST}}


def _unjudged(one: FromFile, two: FromFile) -> dict[str, Any] | None:
    """Return the unjudged documents of both, if they are stored."""
    old, new = one.stored_unjudged, two.stored_unjudged
    if old is None or new is None or one.primary != two.primary:
        return None
    lists, documents, grades = map(pl.concat, zip(old, new, strict=True))
    grades = grades.unique([QUERY_ID, RELEVANCE], keep="first", maintain_order=True)
    return Unjudged(lists, documents, grades).to_plain()


def _judges(one: FromFile, two: FromFile) -> dict[str, Any] | None:
    """Return the scores by each judge of whom those of both are stored."""
    judges, old, new = two.description.get("judges"), one.by_judge, two.by_judge
    if judges is None or not old or one.primary != two.primary:
        return None
    scores: dict[str, Any] = {}
    for judge in (judge for judge in new if judge in old):
        before, now = old[judge], new[judge]
        both = before and now and _joined(before, now, now.asked)
        scores[judge] = both and both.to_plain()
    return {**judges, "scores": scores}
