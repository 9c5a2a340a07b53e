"""`Entry`: a stored evaluation, what was decided of it, and what it depends on."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from rankreport.errors import DataError
from rankreport.evaluation import Evaluation, load_evaluation
from rankreport.frames import QUERY_ID
from rankreport.history.shared_frames import Objects
from rankreport.history.signature import Signature
from rankreport.io import contents_of

ENTRY, SCORES, OBJECTS = "entry.json", "scores.parquet", "objects"
"""The files of an entry, and the folder of the frames that entries share."""

_SCHEMA = 2


@dataclass(frozen=True, eq=False, kw_only=True)
class Entry:
    """A stored evaluation or comparison, as `History.load` returns it.

    Attributes
    ----------
    number
        Its number: entries are in this order.
    date
        When it was stored, or the date that was given, in UTC.
    commit, note
        What was given; None without.
    outcome
        What was given, such as the outcome of a gate; None without.
    systems, primary, n_queries
        The systems, the primary measure and the number of queries.
    means
        The mean of the primary measure by system.
    settings
        The rules of the evaluation, as `Evaluation.settings`.
    compared
        The arguments of `compare`, as `Comparison.settings`; None of an evaluation.
    decision
        What was decided, as `Decision.to_plain` returns it; None of an evaluation.
    versions
        The versions of rankreport, of the packages that compute, and of Python.
    about, known
        The values of its `signature`.
    folder
        Where it is stored.
    """

    number: int
    date: dt.datetime
    commit: str | None
    note: str | None
    outcome: str | None
    systems: tuple[str, ...]
    primary: str
    n_queries: int
    means: Mapping[str, float | None]
    settings: Mapping[str, Any] = field(repr=False)
    compared: Mapping[str, Any] | None = field(repr=False)
    decision: Mapping[str, Any] | None = field(repr=False)
    versions: Mapping[str, str] = field(repr=False)
    about: Mapping[str, str] = field(repr=False)
    known: Mapping[str, Any] = field(repr=False)
    folder: Path = field(repr=False)
    _runs: Mapping[str, Sequence[str]] = field(repr=False)
    _sha256: str = field(repr=False)

    @classmethod
    def read(cls, folder: Path) -> Entry:
        """Read an entry, without its scores.

        Raises
        ------
        DataError
            If it was changed or damaged, or is of another version.
        """
        stored = stored_in(folder)
        stored["date"] = dt.datetime.fromisoformat(stored["date"])
        stored["systems"] = tuple(stored["systems"])
        return cls(number=int(folder.name), folder=folder, **stored)

    @property
    def path(self) -> Path:
        """The scores, a file as `Evaluation.write_parquet` writes it.

        Raises
        ------
        DataError
            If it was changed or damaged.
        """
        path = self.folder / SCORES
        if contents_of(path).digest() != self._sha256:
            raise DataError(
                f"{path} was changed or damaged since it was stored. Restore it, or move the "
                f"folder {self.folder} elsewhere."
            )
        return path

    @cached_property
    def evaluation(self) -> Evaluation:
        """The scores, as `load_evaluation` loads them."""
        return load_evaluation(self.path)

    @property
    def scores(self) -> pl.DataFrame:
        """The scores, as `Evaluation.scores`: read much faster than an evaluation is loaded."""
        return pl.read_parquet(self.path)

    @cached_property
    def query_ids(self) -> list[str]:
        """The queries that were evaluated."""
        return self.scores[QUERY_ID].unique(maintain_order=True).to_list()

    @cached_property
    def qrels(self) -> pl.DataFrame | None:
        """The judgments; None where they were not known when scores were stored."""
        known = self.known["judgments"]
        return None if known is None else self._objects.read(known[1])

    @property
    def runs(self) -> dict[str, pl.DataFrame | list[pl.DataFrame]]:
        """The run of each system, or its runs, for `evaluate`; empty where they were not kept."""
        return {system: self.runs_of(system) for system in self.kept}

    @property
    def kept(self) -> tuple[str, ...]:
        """The systems whose runs were kept."""
        return tuple(self._runs)

    def runs_of(self, system: str) -> pl.DataFrame | list[pl.DataFrame]:
        """Return the run of a system that was kept, or its runs."""
        frames = [*map(self._objects.read, self._runs[system])]
        return frames if len(frames) > 1 else frames[0]

    def run_on(self, runs: pl.DataFrame | list[pl.DataFrame]) -> set[str]:
        """Return the queries that runs of its are of, or were evaluated on."""
        frames = runs if isinstance(runs, list) else [runs]
        return {*self.query_ids}.union(*(each[QUERY_ID] for each in frames))

    @cached_property
    def signature(self) -> Signature:
        """What the scores depend on, by dimension."""
        return Signature(self.known, self.about, lambda: self.query_ids, lambda: self.qrels)

    @property
    def _objects(self) -> Objects:
        return Objects(self.folder.parent / OBJECTS)


def stored_in(folder: Path) -> dict[str, Any]:
    """Return the values of an entry, which their hash must fit.

    Raises
    ------
    DataError
        If it does not, or is of another version.
    """
    path = folder / ENTRY
    try:
        head, _, values = path.read_bytes().partition(b"\n")
        stored: dict[str, Any] = json.loads(head + values)["entry"]
        is_whole = head == _head(values)
    except (LookupError, OSError, TypeError, ValueError):
        is_whole = False
    if not is_whole:
        raise DataError(
            f"{path} is no entry as this version of rankreport writes it. Was it changed or "
            f"damaged? Restore it, or move the folder {folder} elsewhere."
        )
    return stored


def text_of_entry(stored: Mapping[str, Any]) -> str:
    """Return JSON, of which the first line has the version and the hash of the second."""
    values = f'"entry": {json.dumps(stored)}}}'
    return f"{_head(values.encode()).decode()}\n{values}"


def _head(values: bytes) -> bytes:
    return b'{"schema": %d, "sha256": "%s",' % (
        _SCHEMA,
        hashlib.sha256(values).hexdigest().encode(),
    )
