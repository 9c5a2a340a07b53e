"""Parts of files and folders by the name of their format, where a path alone does not say all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankreport.call_hints import hinting
from rankreport.errors import DataError, OptionError, choose
from rankreport.frames import QUERY_ID
from rankreport.io.formats import FORMATS, SourceBegin, SystemOfFile, format_of
from rankreport.io.formats.beir import read_beir
from rankreport.io.formats.mteb import META, MTEB, Predictions, predictions_of
from rankreport.io.formats.search_engines import MSEARCH, answers_of
from rankreport.io.ids import exact_ids
from rankreport.io.json_document import held_value, written
from rankreport.io.opening import contents_of, contents_of_file
from rankreport.io.reading import read_queries
from rankreport.io.roles import Role
from rankreport.io.source import Contents, Selection, Source, is_file, is_folder

_BEIR = "beir"

NAMED_FORMATS: Mapping[str, str] = {
    _BEIR: "judgments and queries in a folder of BEIR, runs as JSON or in any other format",
    **{each.name: each.note for each in FORMATS if each.note},
}
"""The formats that can be named, and what each is of."""


@hinting()
def read_mteb(
    path: str | os.PathLike[str] | Mapping[str, Any],
    *,
    subset: str | None = None,
    split: str | None = None,
) -> Predictions:
    """Read a file of predictions that MTEB wrote.

    Parameters
    ----------
    path
        ``{task}_predictions.json``, as MTEB writes it to its ``prediction_folder``, or the
        dictionary that such a file holds.
    subset
        The subset, such as a language; not needed where the file has only one.
    split
        The split; by default the only one, or ``"test"``.

    Returns
    -------
    Predictions
        One subset and split, accepted wherever a run is, with the ``model_name`` and the
        ``revision`` that the file names.

    Raises
    ------
    DataError
        If the file is not MTEB's, or has no such part.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> import rankreport as rr
    >>> made = {
    ...     "mteb_model_meta": {"model_name": "org/small", "revision": "1"},
    ...     "default": {"test": {"q1": {"d1": 0.9, "d2": 0.8}}},
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "SciFact_predictions.json")
    ...     _ = path.write_text(json.dumps(made))
    ...     predictions = rr.read_mteb(path)
    >>> predictions.model_name, predictions.subset, predictions.split
    ('org/small', 'default', 'test')
    """
    return predictions_of(_contents("the predictions", path), subset=subset, split=split)


@hinting()
def read_msearch(path: str | os.PathLike[str] | Mapping[str, Any], queries: Any) -> SystemOfFile:
    """Read an answer of ``_msearch``, which does not name its queries.

    Parameters
    ----------
    path
        The answer as JSON, or as the engine's client returned it.
    queries
        The ids of the queries in the order asked, or anything that `read_queries` accepts.

    Returns
    -------
    SystemOfFile
        The answers, accepted wherever a run is. A search that failed is left out of its means.

    Raises
    ------
    DataError
        If the file is no such answer, or there are more or fewer answers than queries.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> import rankreport as rr
    >>> answer = {"responses": [{"hits": {"total": {"value": 1}, "hits": [{"_id": "d1"}]}}]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "answer.json")
    ...     _ = path.write_text(json.dumps(answer))
    ...     run = rr.read_msearch(path, queries=["q1"])
    ...     rr.evaluate({"q1": {"d1": 1}}, {"engine": run}, ["RR"]).summary().rows()
    [('engine', 1.0)]
    """
    if isinstance(queries, Sequence) and not isinstance(queries, str):
        ids = tuple(exact_ids("queries", QUERY_ID, queries))
    else:
        ids = tuple(read_queries(queries)[QUERY_ID])
    contents = _contents("the answer", path)
    return answers_of(contents, ids)


def _contents(name: str, given: Any) -> Contents:
    """Return the contents of a path, or of the JSON value that a file would hold."""
    if isinstance(given, str | os.PathLike):
        return contents_of(given)
    if isinstance(held_value(given), Mapping):
        return written(name, given)
    raise DataError(
        f"{name}: expected a path, or the dictionary that the file would hold; found "
        f"{type(given).__name__}."
    )


@dataclass(frozen=True)
class _OfFormat(Selection):
    """A file that is to be read as this format."""

    path: str
    format: str

    def open(self, role: Role) -> Source:
        """Open it, after checking that it is of the format."""
        sample = SourceBegin(contents_of(self.path))
        found = format_of(sample, role)
        if found.name != self.format:
            raise DataError(
                f"{sample.contents.name} is no export of {self.format}. Expected "
                f"{NAMED_FORMATS[self.format]}. It looks like {found.name}."
            )
        return found.open(sample, role)


def selected(
    qrels: str,
    runs: Mapping[str, Any],
    *,
    source_format: str | None = None,
    split: str | None = None,
    subset: str | None = None,
    query_order: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """Return judgments and runs as parts of the files named on a command line.

    Parameters
    ----------
    qrels, runs
        Paths, or parts of files.
    source_format
        A key of `NAMED_FORMATS`; by default each file is recognised.
    split, subset
        The split of a BEIR folder, and the part of files of MTEB.
    query_order
        The queries of an answer of ``_msearch``, in the order asked.

    Raises
    ------
    OptionError
        If the format is unknown, or an option has nothing to select from.
    DataError
        If a file is of another format.
    """
    if source_format is not None:
        choose("--from", source_format, NAMED_FORMATS)
    judgments: Any = qrels
    used: set[str] = set()
    if source_format == _BEIR or (split is not None and is_folder(qrels)):
        judgments = read_beir(qrels, split or "test")
        used.add("--split")
    elif source_format == "quepid":
        judgments = _OfFormat(qrels, source_format)
    chosen = {}
    for name, run in runs.items():
        several = run if isinstance(run, list) else [run]
        made = [_selected_run(one, source_format, split, subset, query_order) for one in several]
        used |= set().union(*(by for _, by in made))
        found = [selected for selected, _ in made]
        chosen[name] = found if isinstance(run, list) else found[0]
    given = {"--split": split, "--subset": subset, "--query-order": query_order}
    for option, value in given.items():
        if value is not None and option not in used:
            raise OptionError(f"{option} has nothing to select from: {_SELECTS[option]}.")
    return judgments, chosen


def _selected_run(
    run: Any, source_format: str | None, split: str | None, subset: str | None, query_order: Any
) -> tuple[Any, set[str]]:
    """Return a run, and the options by which a part of its file was selected."""
    if isinstance(run, Selection):
        return run, set()
    if source_format == MTEB.name or _holds_key(run, META):
        return read_mteb(run, subset=subset, split=split), {"--split", "--subset"}
    if source_format == MSEARCH.name or (query_order is not None and _holds_key(run, "responses")):
        if query_order is None:
            raise OptionError(
                "--from msearch needs --query-order FILE: the queries in the order asked."
            )
        return read_msearch(run, query_order), {"--query-order"}
    if source_format is not None and source_format != _BEIR:
        return _OfFormat(run, source_format), set()
    return run, set()


_SELECTS = {
    "--split": "it is for a BEIR folder as judgments, and for files of predictions of MTEB",
    "--subset": "it is for files of predictions of MTEB",
    "--query-order": "it is for answers of _msearch",
}


def _holds_key(path: str | os.PathLike[str], key: str) -> bool:
    """Return whether a file is a JSON document with a key near its begin."""
    if not is_file(path):
        return False
    try:
        return SourceBegin(contents_of_file(path)).holds(key)
    except DataError:  # reported when it is opened
        return False
