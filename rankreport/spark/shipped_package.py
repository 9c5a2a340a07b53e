"""Sending rankreport itself to the executors, as an archive of its modules."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pyspark.errors import UnsupportedOperationException

from rankreport.call_hints import hinting
from rankreport.errors import OptionError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@hinting()
def add_package(session: SparkSession) -> None:
    """Send the modules of rankreport to the executors of a session.

    Where executors have Polars, NumPy and PyArrow but not rankreport, this makes
    `rankreport.spark` work. It is `SparkSession.addArtifacts` with an archive of the modules that
    this process has imported, so both sides have the same version. Calling it again does no harm.

    Templates and example data are not in the archive: reports are written on the driver.

    Parameters
    ----------
    session
        A session of Spark 4, classic or Connect.

    Raises
    ------
    OptionError
        If it is no session, or its server takes no Python files.

    Examples
    --------
    >>> from pyspark.sql import DataFrame, SparkSession
    >>> from rankreport import spark
    >>> def scores(session: SparkSession, qrels: DataFrame, runs: DataFrame) -> DataFrame:
    ...     spark.add_package(session)
    ...     return spark.evaluate(qrels, runs).scores
    """
    if not hasattr(session, "addArtifacts"):
        raise OptionError(
            f"Expected a session of Spark 4, found {type(session).__name__}. Give the SparkSession "
            f"that made the DataFrames."
        )
    try:
        session.addArtifacts(str(_archive()), pyfile=True)
    except UnsupportedOperationException as error:
        raise OptionError(
            f"The server of this session takes no Python files: {error}. Install rankreport where "
            f"its executors run."
        ) from None


@cache
def _folder() -> TemporaryDirectory[str]:
    """Return a folder that stays until this process ends: executors may fetch the archive late."""
    return TemporaryDirectory(prefix="rankreport-")


@cache
def _archive() -> Path:
    """Write the archive, always with the same bytes: Spark refuses another one of its name."""
    from importlib.metadata import version

    package = Path(__file__).parents[1]
    path = Path(_folder().name) / f"rankreport-{version('rankreport')}.zip"
    files = sorted(file for kind in ("*.py", "*.pyi") for file in package.rglob(kind))
    with ZipFile(path, "w") as archive:
        for file in files:
            entry = ZipInfo(file.relative_to(package.parent).as_posix())
            entry.compress_type = ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    return path
