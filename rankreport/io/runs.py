"""The runs that a caller gives, by the names of their systems."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any

import polars as pl

from rankreport.column_names import ALIASES, find_columns, folded
from rankreport.errors import DataError, EmptyError, OptionError, brief, expect
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, REPEAT, SCORE, SYSTEM
from rankreport.io.arrays import is_pandas
from rankreport.io.formats import opening_once
from rankreport.io.hits import document_values, list_field
from rankreport.io.ids import by_name, name_text
from rankreport.io.objects import frames_of_queries, is_answer, is_ranx, object_rows
from rankreport.io.opening import STDIN, holds_export, open_source
from rankreport.io.roles import ACCEPTED, QRELS, RUN, USERS, Role
from rankreport.io.source import Selection, Source, is_file
from rankreport.io.storage import is_url
from rankreport.io.system_column import systems_named
from rankreport.io.system_names import by_column, exported_systems, systems_of
from rankreport.io.tables import Frame
from rankreport.shown_addresses import shown_address


def named_runs(runs: Any, name: str | None = None) -> dict[str, Any]:
    """Return the runs by system name, of a system with several in a list.

    Parameters
    ----------
    runs
        ``{system: run}`` or ``{system: [run, run]}``, one or more paths, one run in any other form
        that `open_source` accepts, a table or records with a column that names the system, or runs
        of ranx.
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


def open_sources(
    qrels: Any,
    runs: Any,
    role: Role = QRELS,
    name: str | None = None,
    columns: str | Iterable[str] | None = None,
    *,
    empty: bool = False,
) -> tuple[Source, dict[str, Source]]:
    """Open judgments and runs; parameters are as for `named_runs` and `open_source`.

    Runs may be `empty` where these are systems that returned nothing.
    """
    opened: dict[str, Source] = {}
    with opening_once():
        given = named_runs(runs, name)
        check_standard_input(qrels, *given.values())
        judgments = open_source(qrels, role, "qrels")
        for system, run in given.items():
            opened |= opened_runs(
                system, run, lambda run, name: _open_run(run, f"run {name!r}", columns, empty=empty)
            )
    return judgments, opened


def opened_runs(
    system: str, given: Any, opened: Callable[[Any, str], Source | None]
) -> dict[str, Source]:
    """Open the runs of a system, which a list or a column ``repeat`` tells apart.

    Parameters
    ----------
    system
        The name of the system.
    given
        A run, or a list of runs.
    opened
        Opens a run by its name; None where it cannot be read.

    Returns
    -------
    dict
        The first run has the name of the system, others those of `names_of_repeats`.

    Raises
    ------
    DataError
        If a row is of no repeat, or as `opened`.
    """
    runs = given if _are_repeats(given) else [given]
    names = names_of_repeats(system, len(runs))
    sources = [opened(run, name) for name, run in zip(names, runs, strict=True)]
    parts = [part for source in sources if source is not None for part in _by_repeat(source)]
    named = dict(zip(names_of_repeats(system, len(parts)), parts, strict=True)) if parts else {}
    return {n: replace(part, repeat_of="" if n == system else system) for n, part in named.items()}


def _by_repeat(source: Source) -> Iterator[Source]:
    """Yield the parts of a run that a column ``repeat`` tells apart."""
    own = next((name for name in source.others if folded(name) == REPEAT), None)
    if own is None:
        yield source
        return
    wide = source.with_column(own)
    names = wide.read(own)[own].unique()
    if names.null_count():
        raise DataError(f"{source.name} has rows without a value in column {own!r}.")
    for name in sorted(names, key=lambda name: (len(name), name)):  # 9 before 10
        yield replace(wide.filtered(pl.col(own) == name), others=(), extended=None)


def names_of_repeats(system: str, n: int) -> list[str]:
    """Return the names under which the runs of a system are checked.

    >>> names_of_repeats("dense", 3)
    ['dense', 'dense, repeat 2', 'dense, repeat 3']
    """
    return [system, *(f"{system}, {REPEAT} {number}" for number in range(2, n + 1))]


def _are_repeats(given: object) -> bool:
    """Return whether an object is a list of runs, rather than of the documents of a query."""
    if not isinstance(given, list | tuple) or not given:
        return False
    if all(isinstance(each, str | os.PathLike) for each in given):
        return any(not isinstance(each, str) or is_file(each) or is_url(each) for each in given)
    are_runs = (is_ranx(each) or isinstance(each, pl.LazyFrame) or _is_run(each) for each in given)
    return all(are_runs) and document_values(given) is None


def _open_run(run: Any, name: str, columns: str | Iterable[str] | None, *, empty: bool) -> Source:
    """Open a run, which may be empty."""
    ranked: Mapping[str, Sequence[str]] = {"": []}  # has ranks and scores, but no rows
    try:
        held = empty and isinstance(run, Sized) and not len(run)
        source = open_source(ranked if held else run, RUN, name, columns)
    except EmptyError:
        if not empty:
            raise
        source = open_source(ranked, RUN, name)
    return replace(source, may_be_empty=empty)


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
    return isinstance(given, str) and given == STDIN


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
        single = any(document_values(value) for value in runs.values() if not holds_export(value))
        single = single or (len(runs) > 1 and frames_of_queries(runs) is not None)
        single = single or is_answer(runs)
        if single and not any(map(_are_repeats, runs.values())):
            return {name or ALONE: runs}
        return by_name("runs", runs)
    if is_ranx(runs) or _is_alone(runs):
        return {name or (is_ranx(runs) and runs.name) or ALONE: runs}
    if isinstance(runs, Sequence) and (several := _several(runs)) is not None:
        return several
    try:
        rows = object_rows("runs", RUN, runs)
    except DataError as error:
        kind = DataError if isinstance(runs, Iterable | pl.LazyFrame) else OptionError
        more = "\n  {system: run} of several runs" if ACCEPTED in str(error) else ""
        raise kind(f"{error}{more}") from None
    is_faulty = isinstance(runs, pl.LazyFrame) and RUN.find(rows.columns)[1]
    return {name or ALONE: runs} if is_faulty else _by_system(rows, name)  # the error says of what


def _is_alone(runs: Any) -> bool:
    """Return whether a frame of pandas has no column that may name systems."""
    if not is_pandas(runs) or not hasattr(runs, "columns"):
        return False
    return not find_columns(map(str, [*runs.columns, *runs.index.names]), [SYSTEM])[0]


def _stored(runs: Any) -> dict[str, Any] | None:
    """Return what a path or an export holds, by the names of systems; None of other objects."""
    if isinstance(runs, str | os.PathLike):
        return systems_of(runs)
    if isinstance(runs, Selection):
        return {runs.system: runs}
    return exported_systems(runs)


def _several(runs: Sequence[Any]) -> dict[str, Any] | None:
    """Return the runs of a sequence of paths or runs; None of a sequence of rows.

    Raises
    ------
    OptionError
        If two would have the same name.
    """
    if all(isinstance(path, str | os.PathLike) for path in runs):
        held = [each for path in runs for each in systems_of(path).items()]
        return distinct([system for system, _ in held], [run for _, run in held])
    if all(is_ranx(run) or isinstance(run, pl.LazyFrame) or _is_run(run) for run in runs):
        named = [is_ranx(run) and run.name for run in runs]
        return distinct([name or f"{ALONE} {n}" for n, name in enumerate(named, 1)], runs)
    return None


def _is_run(given: object) -> bool:
    """Return whether an object is a run by its looks: a table or a dictionary of documents."""
    if isinstance(given, Mapping):
        lists = list_field(given) is None and any(map(document_values, given.values()))
        return lists or is_answer(given)
    return hasattr(given, "__arrow_c_stream__")


def judgments_first(given: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return arguments in our order, of those with runs, and perhaps topics, before judgments.

    This is PyTerrier's order. It is empty if the columns of tables do not say that it was used.

    >>> run = pl.DataFrame({"qid": ["q1"], "docno": ["d1"], "score": [0.5]})
    >>> qrels = pl.DataFrame({"qid": ["q1"], "docno": ["d1"], "label": [1]})
    >>> topics = pl.DataFrame({"qid": ["q1"], "query": ["who?"]})
    >>> ours = judgments_first({"qrels": [run], "runs": topics, "measures": qrels, 0: "RR"})
    >>> ours["qrels"] is qrels, ours["runs"][0] is run, ours["measures"]
    (True, True, 'RR')
    """
    first = "evaluation" if "evaluation" in given else "qrels"
    others = dict(given)
    runs, judgments = others.pop(first, None), others.pop("runs", None)
    if _held(judgments) == {QUERY_ID} and "measures" in others:
        judgments = others.pop("measures")
        others |= {"measures": others.pop(0)} if 0 in others else {}
    ranked, judged = _held(runs), _held(judgments)
    are_runs = (ranked & {RANK, SCORE, RELEVANCE} or {RELEVANCE}) <= {RANK, SCORE}
    are_judged = RELEVANCE in judged or _USER in judged & ranked
    if not (are_runs and are_judged) or judged & {DOC_ID, RANK, SCORE} != {DOC_ID}:
        return {}
    return {first: judgments, "runs": runs, **others}


def _held(given: Any) -> set[str]:
    """Return what the columns of a table hold; of several tables, what all hold."""
    tables = given.values() if isinstance(given, Mapping) else given
    tables = tables if isinstance(given, Mapping | list) else [given]
    if not tables or not all(isinstance(t, pl.DataFrame) or is_pandas(t) for t in tables):
        return set()
    wanted = [_USER, QUERY_ID, DOC_ID, RANK, SCORE, RELEVANCE]
    known = {**ALIASES, _USER: tuple(USERS)}
    columns = ([*map(str, getattr(table, "columns", ()))] for table in tables)
    return set.intersection(*({*find_columns(each, wanted, known)[0]} for each in columns))


_USER = "user"
"""What the column of queries may name: of users, items without a grade are those they took."""


def distinct(names: Sequence[str], runs: Sequence[Any]) -> dict[str, Any]:
    """Return runs, or scores, by their names.

    Raises
    ------
    OptionError
        If two have the same name.
    """
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
    own, systems = systems_named("runs", Frame(rows.lazy))
    if not systems or (name is not None and len(systems) == 1):
        return {name or ALONE: rows}
    named = rows.with_columns(name_text("runs", own, rows.schema[own]))
    parts = named.partition_by(own, as_dict=True)
    return by_column({str(system): part for (system,), part in parts.items()})
