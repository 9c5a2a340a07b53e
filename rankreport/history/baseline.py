"""A stored system as the baseline of a new evaluation: whether, and on which queries, they compare.

Where its run is kept, it is evaluated again as the new one is. Otherwise its stored scores join the
new ones, and what they depend on must be the same, or be allowed to differ by name.
"""

from __future__ import annotations

import datetime as dt
import re
import subprocess
from collections.abc import Iterable, Sequence

from rankreport.errors import DataError, OptionError, choose
from rankreport.evaluation import Evaluation, join_runs, join_systems
from rankreport.frames import QUERY_ID
from rankreport.history.entry import Entry
from rankreport.history.signature import DIMENSIONS, Differing, Signature, signature_of
from rankreport.io import Remark


def joined_with(
    entries: Sequence[Entry],
    entry: Entry,
    made: Evaluation,
    time: dt.datetime,
    *,
    named: str,
    allow: Iterable[str],
    declared: int | None,
) -> Evaluation:
    """Return a new evaluation with a system of an entry before its own.

    Parameters are those of `rankreport.History.with_baseline`, all entries, and the present time.

    Raises
    ------
    DataError, OptionError
        As there.
    """
    known = [each for each in DIMENSIONS if each != "measures"]
    allowed = [choose("allow", each, known) for each in allow]
    if declared is not None and declared < 1:
        raise OptionError(f"declared={declared} is no number of tests; expected 1 or more.")
    system = _system_of(entry, named, made)
    name = _name_of(system, entry, entries, made)
    before, now = entry.signature, signature_of(made)
    differing = before.differences(now)
    later = [each for each in entries if each.number > entry.number]
    n_since = sum(each.known["queries"] == now.known["queries"] for each in later)
    several = Remark("several_tests", n_since, system=name, about={"declared": declared})
    about = {
        "entry": entry.number,
        "date": f"{entry.date:%Y-%m-%d}",
        "days": (time.date() - entry.date.date()).days,
        "commits": _commits_since(entry.commit),
        "outcome": entry.outcome,
    }
    if system in entry.kept:
        runs = entry.runs_of(system)
        run_on = entry.run_on(runs)
        lacking = not {*now.queries()} <= run_on
        hinder = [each for each in differing if each.dimension == "queries" and lacking]
        _check(entry, hinder, allowed)
        queries = sorted({*now.queries()} & run_on) if hinder else None
        judged = tuple(str(each.sentence) for each in differing if each not in hinder)
        stored = Remark("stored_baseline", 1, judged, name, {**about, "again": True})
        said = [stored, several, *_allowed(hinder, name, queries, made)]
        if (again := join_runs({name: runs}, made, queries, said)) is not None:
            return again
    _check(entry, differing, allowed)
    by_query = {"queries", "judgments"} & {each.dimension for each in differing}
    queries = _shared(before, now) if by_query else None
    stored = Remark("stored_baseline", 1, system=name, about={**about, "again": False})
    said = [stored, several, *_allowed(differing, name, queries, made)]
    return join_systems(entry.evaluation, {system: name}, made, queries, said)


def _allowed(
    differing: Iterable[Differing], name: str, queries: Sequence[str] | None, made: Evaluation
) -> Iterable[Remark]:
    """Yield what is allowed to differ, and how many queries are compared, of how many."""
    of = len(made.query_ids)
    n = of if queries is None else len(queries)
    if not n:
        raise DataError(f"The baseline {name} shares no query with the same judgments.")
    for each in differing:
        about = {"of": of, "dimension": each.dimension}
        yield Remark("allowed_difference", n, (str(each.sentence),), name, about)


def _check(entry: Entry, differing: Sequence[Differing], allowed: Sequence[str]) -> None:
    """Refuse a baseline of which something differs, or is not known, that is not allowed to."""
    found = [each for each in differing if each.dimension not in allowed]
    if not found:
        return
    what = "; ".join(each.sentence for each in found)
    start = f"Entry {entry.number} of {entry.date:%Y-%m-%d} cannot be the baseline: {what}."
    if any(each.dimension == "measures" for each in found):
        stored = ", ".join(map(str, entry.known["measures"] or ()))
        raise DataError(f"{start} Stored are {stored}: compare on these, or store it again.")
    options = " ".join(f"--allow {each.dimension}" for each in found)
    raise DataError(
        f"{start} Compare on what both share ({options}; in Python, allow="
        f"{[each.dimension for each in found]}), or keep runs (--keep-runs, keep_runs=True), which "
        f"are evaluated again by later judgments."
    )


def _shared(before: Signature, now: Signature) -> list[str]:
    """Return the queries that both have, without those whose judgments are known to differ."""
    both = {*before.queries()} & {*now.queries()}
    old, new = before.judgments(), now.judgments()
    if old is not None and new is not None:
        on = [column for column in old.columns if column in new.columns]
        differ = (one.join(two, on=on, how="anti") for one, two in ((old, new), (new, old)))
        both -= {query for rows in differ for query in rows[QUERY_ID]}
    return sorted(both)


def _system_of(entry: Entry, named: str, made: Evaluation) -> str:
    """Return which system of an entry is the baseline: the one named, its own name, or the only.

    Raises
    ------
    OptionError
        If there are several.
    """
    same = [system for system in entry.systems if system in made.systems]
    for found in ([named] if named in entry.systems else [], same, entry.systems):
        if len(found) == 1:
            return found[0]
    raise OptionError(
        f"Entry {entry.number} has several systems: {', '.join(entry.systems)}. Name the baseline, "
        f"such as history:{entry.systems[0]}, which is the last entry with this system."
    )


def _name_of(system: str, entry: Entry, entries: Sequence[Entry], made: Evaluation) -> str:
    """Return a name that no new system has: with the date, and the number if others have both."""
    if system not in made.systems:
        return system
    dates = [each.date.date() for each in entries if system in each.systems]
    dated = f"{system} {entry.date:%Y-%m-%d}"
    unique = dates.count(entry.date.date()) <= 1 and dated not in made.systems
    return dated if unique else f"{dated} ({entry.number})"


def _commits_since(commit: str | None) -> int | None:
    """Return the number of commits after one in this work tree; None if that is not known."""
    found = re.match(r"[0-9a-f]{7,64}(?=-dirty$|$)", commit or "")
    if found is None:
        return None
    command = ["git", "--no-optional-locks", "rev-list", "--count", f"{found[0]}..HEAD"]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):  # no git, no work tree, no such commit
        return None
    return int(made.stdout)
