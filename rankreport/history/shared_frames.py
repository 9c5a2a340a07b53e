"""Frames that entries share: a Parquet file each, named after a hash of what it holds."""

from __future__ import annotations

import os
from collections.abc import Callable, Container
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rankreport.errors import DataError
from rankreport.frames import hash_of
from rankreport.io import contents_of, make_folder, read_parquet, replacing


@dataclass(frozen=True)
class Objects:
    """The frames of a folder, each stored once.

    Attributes
    ----------
    folder
        The folder, which need not exist.
    """

    folder: Path

    def write(self, name: str, rows: pl.DataFrame, part: Path) -> None:
        """Write a frame under its hash unless it is stored, by way of a folder on the same disk.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        target = self._place(name)
        if target.exists():
            return
        make_folder(self.folder)
        with replacing(part / target.name) as file:
            rows.write_parquet(file)
            to_disk(file)
        (part / target.name).replace(target)
        to_disk(self.folder)

    def read(self, name: str) -> pl.DataFrame:
        """Return a frame.

        Raises
        ------
        DataError
            If it is not stored, or was changed.
        """
        places = self._place(name), self._aside(name)
        path = next((each for each in places if each.exists()), places[0])
        rows, _ = read_parquet(contents_of(path))
        if hash_of(rows) != name:
            raise DataError(f"{path} was changed or damaged. Restore it, or store again.")
        return rows

    def prune(self, referenced: Callable[[], Container[str]]) -> None:
        """Remove the frames that are not `referenced`, also while others are being stored.

        Who stores an entry says what it refers to, then looks whether that is here. So frames are
        put aside first, and back if they are referenced then; until that is known, they are read
        where they are.
        """
        known = referenced()
        for path in self.folder.glob("[!.]*.parquet"):
            if path.stem not in known:
                path.replace(self._aside(path.stem))
        known = referenced()
        for path in self.folder.glob(".*.parquet"):
            name = path.stem.removeprefix(".")
            if name in known:
                path.replace(self._place(name))
            else:
                path.unlink(missing_ok=True)

    def _place(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"

    def _aside(self, name: str) -> Path:
        return self.folder / f".{name}.parquet"


def to_disk(path: Path) -> None:
    """Wait until a file is on the disk, or the names in a folder, where the system can do that."""
    is_folder = path.is_dir()
    with suppress(*([OSError] if is_folder else [])):
        handle = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
