"""The systems that paths and exports hold, by their names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankreport.errors import DataError
from rankreport.io.decompression import COMPRESSED
from rankreport.io.formats import SourceBegin, SourceFormat, format_of, json_exports
from rankreport.io.formats.beir import is_beir
from rankreport.io.formats.trec import has_fields
from rankreport.io.json_document import held_value
from rankreport.io.opening import (
    STDIN,
    RunNamedByColumn,
    begin_of_object,
    contents_of,
    contents_of_file,
    files_by_system,
    held_export,
)
from rankreport.io.roles import RUN
from rankreport.io.source import is_file
from rankreport.io.storage import is_partitioned, is_url, scanned_table
from rankreport.io.system_column import rows_by_system
from rankreport.shown_addresses import shown_address


def stem(path: str | os.PathLike[str]) -> str:
    """Return a file's name without the suffixes of format and compression.

    >>> stem("runs/bm25-k0.9.run.gz")
    'bm25-k0.9'
    """
    if path == STDIN:
        return "stdin"
    whole = Path(shown_address(path))
    if re.search(_PATTERN, whole.name) and not is_file(path):
        return _stem_of_pattern(whole)
    return _without_suffixes(whole.name)


_PATTERN = r"[*?]+|\[[^]]*\]"


def _stem_of_pattern(pattern: Path) -> str:
    """Return what the names of files have in common, or the name of their folder.

    >>> _stem_of_pattern(Path("runs/bm25-*.csv.gz")), _stem_of_pattern(Path("bm25/part-?/*.csv"))
    ('bm25', 'part')
    """
    for part in (_without_suffixes(pattern.name), *reversed(pattern.parent.parts)):
        common = re.sub(_PATTERN, "", part).strip("-_. /\\")
        if common:
            return common
    return _without_suffixes(pattern.name)


def _without_suffixes(name: str) -> str:
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    return Path(name).stem


def exported_systems(given: Any) -> dict[str, Any] | None:
    """Return what an export as a Python object holds, by the names of systems.

    Returns
    -------
    dict or None
        Each system's name with its part; an empty name where the export has none. None of all
        other objects.
    """
    value = held_value(given)
    export = held_export(value)
    if export is None:
        return None
    return _systems_in(export, begin_of_object(value), value) or {"": value}


def _systems_in(format_: SourceFormat, sample: SourceBegin, whole: Any) -> dict[str, Any]:
    """Return what a source holds by the names of systems, one of which may be all of it."""
    found: Mapping[str, Any] = {}
    if format_.systems is not None:
        found = format_.systems(sample)
    elif format_.table is not None and not sample.is_document:
        found = rows_by_system(sample, format_.table_of(sample, RUN))
    return by_column({name: whole if part is None else part for name, part in found.items()})


def by_column(runs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the runs of systems that a column names, sorted: rows need not keep their order."""
    if len(runs) < 2:
        return dict(runs)
    return {name: RunNamedByColumn(name, runs[name]) for name in sorted(runs)}


def systems_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a file of results holds, by the names of systems.

    Most files hold one run and are named by `stem`. Some hold the runs of several systems, or name
    the model: those of MTEB, of OpenSearch's Search Relevance, snapshots of Quepid, and tables
    with a column of systems.

    Returns
    -------
    dict
        Each system's name with the path, or with a part of the file.

    Raises
    ------
    DataError
        If it is not sure that a column names systems.
    """
    in_parts = not is_url(path) and not is_beir(Path(path)) and is_partitioned(path)
    if in_parts and (held := scanned_table(path)) is not None:
        contents, table = held
        return by_column(rows_by_system(SourceBegin(contents), table)) or {stem(path): path}
    if str(path) == STDIN or is_url(path) or not is_file(path):
        return by_column(files_by_system(path)) or {stem(path): path}
    sample = SourceBegin(contents_of_file(path))
    try:
        # Not to read a document only for its format, which its begin tells.
        formats = json_exports() if sample.is_document else [format_of(sample, RUN)]
    except DataError:  # reported when it is opened
        return {stem(path): path}
    found = (_systems_in(each, sample, path) for each in formats)
    return next(filter(None, found), {stem(path): path})


def run_tag(path: str | os.PathLike[str]) -> str:
    """Return the tag in the last field of a run in TREC text.

    Raises
    ------
    DataError
        If the file is not TREC text or does not exist.
    """
    if path == STDIN:
        raise DataError("Standard input cannot be named after its tag. Name it: name=-")
    sample = SourceBegin(contents_of(path))
    name = sample.contents.name
    if format_of(sample, RUN).name != "text" or not has_fields(sample.line, RUN):
        raise DataError(f"{name} is no TREC text, so it has no tag. Name it: name={name}")
    return sample.line.split()[-1]
