"""Several data sets: a folder of them, patterns of file names, or a column that names them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from rankreport import frames
from rankreport.call_hints import hinting
from rankreport.column_names import find_columns
from rankreport.errors import DataError, OptionError, choose
from rankreport.io.formats.beir import Collection, is_beir
from rankreport.io.roles import QRELS, Role
from rankreport.io.runs import open_sources
from rankreport.io.source import Source, collecting, is_folder
from rankreport.io.storage import files_of
from rankreport.io.system_names import stem

DATASET, SYSTEM = "{dataset}", "{system}"
"""What stands in a pattern for the names."""

_NAME = {DATASET: r"[^/]+(?:/[^/]+)?", SYSTEM: r"[^/]+"}
_EXPECTED = (
    "Expected FOLDER/{dataset}/qrels/test.tsv, as BEIR has it, or FOLDER/{dataset}/qrels.txt, with "
    "runs in FOLDER/runs/{system}/{dataset}.* or FOLDER/{dataset}/runs/{system}.*; or results of "
    "MTEB by rr.read_mteb_results(FOLDER) (evaluate --datasets FOLDER --from mteb)"
)

Opened = tuple[Source, dict[str, Source]]
"""Judgments, and the runs of the systems."""

_COLUMNS = {"system", "mean", "mean_rank", "borda", "n_datasets"}
"""What stands next to the data sets in tables of systems."""

_Run = tuple[str, str, str]
"""Data set, system and file of a run."""


@dataclass(frozen=True)
class DataSetFolder:
    """Data sets in a folder, accepted by `evaluate` as judgments.

    Attributes
    ----------
    place
        The folder, or a pattern of files of judgments with ``{dataset}``.
    split
        The split of the judgments.
    splits
        That of some data sets, by name, where it is another one.
    names
        The data sets that are read; all if there are none.
    """

    place: str
    split: str = "test"
    splits: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def judgments(self) -> dict[str, Any]:
        """Return the judgments of each data set, by name, also of those that are not read.

        Raises
        ------
        DataError
            If there are none, or a data set has none.
        OptionError
            If there is no data set of a name.
        """
        if DATASET in self.place:
            found: dict[str, Any] = {n: str(p) for n, _, p in _matching(self.place)}
        else:
            found = dict(self._in_folder())
        if not found:
            raise DataError(f"{self.place} holds no judgments of data sets. {_EXPECTED}.")
        for name in (*self.names, *self.splits):
            choose("names", name, found)
        return found

    def _in_folder(self) -> Iterator[tuple[str, Any]]:
        root = Path(self.place)
        known = {each.relative_to(root).as_posix(): of for each, of in _judgments_in(root)}
        for each in root.glob("*/queries.jsonl"):
            if each.parent.name not in known:
                raise DataError(f"{each.parent} holds no judgments. {_EXPECTED}.")
        for name, of in known.items():
            split = self.splits.get(name, self.split)
            yield name, Collection(of, split) if of.is_dir() else str(of)

    def sources(self, runs: Any) -> dict[str, tuple[Any, dict[str, Any]]]:
        """Return judgments and runs of each data set.

        Parameters
        ----------
        runs
            A folder or a pattern, several of them, or ``{system: pattern}``; None for those in
            folders named ``runs``.

        Raises
        ------
        DataError
            If a file is a run of no data set, two are the run of one system, or there is none.
        """
        judgments = self.judgments()
        read = self.names or judgments
        held: dict[str, dict[str, str]] = {name: {} for name in judgments}
        usual = _below(Path(self.place), [*held], in_runs=True)
        for name, system, path in usual if runs is None else _runs(runs, [*held]):
            if name not in held:
                raise DataError(f"{path} is a run of no data set. They are: {', '.join(held)}.")
            if (other := held[name].setdefault(system, path)) != path:
                raise DataError(f"{other} and {path} are both {system!r} on {name}.")
        if lacking := [name for name in read if not held[name]]:
            raise DataError(f"There is no run of {', '.join(lacking)}. {_EXPECTED}.")
        return {name: (judgments[name], held[name]) for name in held if name in read}


@hinting()
def read_datasets(
    folder: str | os.PathLike[str],
    split: str = "test",
    *,
    splits: Mapping[str, str] | None = None,
    names: Iterable[str] = (),
) -> DataSetFolder:
    """Name the data sets of a folder, for `evaluate`.

    Parameters
    ----------
    folder
        A folder that holds a folder for each data set: one of BEIR, or with a file ``qrels.*``. A
        folder of such folders is one data set, whose value is the mean of its parts
        (``cqadupstack/android``). Or a pattern of files of judgments, ``"data/{dataset}.qrels"``.
    split
        The split of the judgments.
    splits
        That of some data sets where it is another one, ``{"msmarco": "dev"}``.
    names
        Some of the data sets; all by default.

    Returns
    -------
    DataSetFolder
        Accepted by `evaluate` as judgments. Runs are then a folder or patterns with ``{dataset}``
        and ``{system}``; None finds those in ``runs`` of the folder, or of each data set.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rankreport as rr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, found in {"arts": "d1", "law": "d2"}.items():
    ...         Path(folder, name, "runs").mkdir(parents=True)
    ...         _ = Path(folder, name, "qrels.txt").write_text("q1 0 d1 1")
    ...         _ = Path(folder, name, "runs", "bm25.run").write_text(f"q1 Q0 {found} 1 9.5 bm25")
    ...     made = rr.evaluate(rr.read_datasets(folder), None, "RR")
    ...     made.over_datasets().rows()
    [('bm25', 0.5, 1.0, 0.0, 2, 1.0, 0.0)]
    """
    return DataSetFolder(os.fspath(folder), split, dict(splits or {}), tuple(names))


def open_datasets(
    qrels: Any,
    runs: Any,
    role: Role = QRELS,
    name: str | None = None,
    columns: str | Iterable[str] | None = None,
    *,
    empty: bool = False,
) -> dict[str, Opened]:
    """Open judgments and runs as `open_sources` does, by the names of data sets.

    The name is empty where there are no data sets.
    """
    folder = _folder(qrels)
    if folder is None:
        opened = open_sources(qrels, runs, role, name, columns, empty=empty)
        return _by_column(*opened) or {"": opened}
    open_all = partial(open_sources, role=role, columns=columns, empty=empty)
    found = {each: open_all(*given) for each, given in folder.sources(runs).items()}
    for _, systems in found.values():
        _check_runs(systems)
    return found


def check_dataset_names(names: Iterable[str]) -> None:
    """Check the names of data sets, which begin the names of their queries.

    Raises
    ------
    OptionError
        If one is empty, has several slashes, names both a data set and a part of one, or is a
        column of tables of data sets.
    """
    known = list(names)
    for each in known:
        if each in _COLUMNS:
            raise OptionError(
                f"{each!r} is a column of tables of data sets: give the data set another name."
            )
        parts = each.split("/")
        if len(parts) > 2 or not all(part.strip() for part in parts):
            raise OptionError(
                f"{each!r} is no name of a data set. A slash separates a part from the data set, "
                f"as in 'cqadupstack/android'."
            )
        if len(parts) == 2 and parts[0] in known:
            raise OptionError(f"{parts[0]!r} and its part {each!r} are both data sets.")


def _folder(qrels: Any) -> DataSetFolder | None:
    """Return the data sets that judgments name, if they name several."""
    if isinstance(qrels, DataSetFolder) or not isinstance(qrels, str | os.PathLike):
        return qrels if isinstance(qrels, DataSetFolder) else None
    text = os.fspath(qrels)
    holds = is_folder(text) and not is_beir(Path(text)) and any(_judgments_in(Path(text)))
    return DataSetFolder(text) if DATASET in text or holds else None


def _judgments_in(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the folders of data sets below a folder, with the folder or file of judgments."""
    for each in sorted(folder.glob("*/")) + sorted(folder.glob("*/*/")):
        if each.name[0] == "." or each.name == "runs":
            continue
        if is_beir(each):
            yield each, each
        elif len(files := [path for path in each.glob("qrels*") if path.is_file()]) == 1:
            yield each, files[0]


def _runs(runs: Any, names: Sequence[str]) -> Iterator[_Run]:
    """Yield data set, system and file of the runs that folders and patterns name."""
    named = runs if isinstance(runs, Mapping) else dict.fromkeys(_several(runs))
    for own, given in named.items():
        place = os.fspath(own if given is None else given)
        if is_folder(place):
            yield from _below(Path(place), names)
            continue
        if DATASET not in place:
            raise OptionError(
                f"{place} is no folder, nor a pattern such as 'runs/{SYSTEM}/{DATASET}.trec'."
            )
        usual = own if given is not None else stem(place.replace(DATASET, "*"))
        found = [(name, system or usual, str(path)) for name, system, path in _matching(place)]
        if not found:
            raise DataError(f"{place} names no file.")
        yield from found


def _several(runs: Any) -> Sequence[Any]:
    return [runs] if isinstance(runs, str | os.PathLike) else runs


def _below(
    root: Path, names: Sequence[str], *, in_runs: bool = False
) -> Iterator[tuple[str, str, str]]:
    """Yield what the files below a folder are: ``{system}/{dataset}`` or ``{dataset}/{system}``."""
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        hidden = any(part[0] == "." for part in parts)
        if hidden or not path.is_file() or (in_runs and "runs" not in parts):
            continue
        text = "/".join(part for part in (*parts[:-1], stem(path)) if part != "runs")
        for name in names:
            if text.startswith(f"{name}/") or text.endswith(f"/{name}"):
                yield name, text.removeprefix(f"{name}/").removesuffix(f"/{name}"), str(path)
                break
        else:
            raise DataError(
                f"{path} is a run of no data set. They are: {', '.join(names)}. For other "
                f"names give a pattern: 'runs/{SYSTEM}/{DATASET}.trec'."
            )


def _matching(pattern: str) -> Iterator[tuple[str, str, Path]]:
    """Yield the data set, the system and the path of files that a pattern names."""
    pattern = os.path.normpath(pattern)
    regex = re.escape(pattern)
    for mark, name in _NAME.items():
        group, again = mark[1:-1], f"(?P={mark[1:-1]})"
        regex = regex.replace(re.escape(mark), f"(?P<{group}>{name})", 1)
        regex = regex.replace(re.escape(mark), again)
    for wild in ("*", "*/*"):
        text = pattern.replace(SYSTEM, "*").replace(DATASET, wild)
        for path in files_of(text) or ():
            if found := re.fullmatch(regex, path.as_posix()):
                named = found.groupdict()
                yield named["dataset"], named.get("system", ""), path


def _by_column(judgments: Source, systems: Mapping[str, Source]) -> dict[str, Opened]:
    """Return the sources of each data set that a column names; none if it names one, or none does.

    Raises
    ------
    DataError
        If some of the sources have no such column, or runs are of data sets that are not judged.
    """
    judged = datasets_named(judgments)
    held = {system: datasets_named(run) for system, run in systems.items()}
    if max(map(len, (judged, *held.values()))) < 2:
        return {}
    _check_runs(systems)
    for system, names in held.items():
        unknown = [name for name in names if name not in judged]
        if not names or not judged:
            one, other = (judgments, systems[system]) if names else (systems[system], judgments)
            raise DataError(
                f"{one.name} has no column 'dataset', in which {other.name} names "
                f"{_listed(names or judged)}. Expected it in judgments and runs."
            )
        if unknown:
            raise DataError(
                f"{systems[system].name} has results on {_listed(unknown)}, of which "
                f"{judgments.name} has no judgments, but of {_listed(judged)}. Leave them out."
            )
    return {
        name: (
            _of_dataset(judgments, name),
            {s: _of_dataset(run, name) for s, run in systems.items() if name in held[s]},
        )
        for name in judged
    }


def _check_runs(systems: Mapping[str, Source]) -> None:
    """Refuse several runs of a system, of which intervals over data sets are not known."""
    for run in systems.values():
        if run.repeat_of:
            raise OptionError(
                f"{run.repeat_of!r} has several runs, and the judgments have several data sets. "
                f"Evaluate repeated runs on one data set at a time."
            )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def _column(source: Source) -> str | None:
    return find_columns(source.others, [frames.DATASET])[0].get(frames.DATASET)


def datasets_named(source: Source) -> list[str]:
    """Return the data sets that a column of a source names, if it has one."""
    own = _column(source)
    if own is None:
        return []
    with collecting(source.name, "as a table", ""):
        rows = source.with_column(own).in_order(own).select(pl.col(own).unique(maintain_order=True))
        names = rows.collect()[own]
    if names.null_count() and len(names) > 1:
        raise DataError(f"{source.name} has rows without a data set in column {own!r}.")
    return names.drop_nulls().to_list()


def _of_dataset(source: Source, name: str) -> Source:
    own = str(_column(source))
    return source.with_column(own).filtered(pl.col(own) == name)
