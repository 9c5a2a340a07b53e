"""Judgments and runs of an evaluation, handed back: as TREC text, and as objects of ranx."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from rankreport.errors import DataError, OptionError
from rankreport.evaluation.origins import FromRuns, Origin
from rankreport.frames import DOC_ID, QUERY_ID, RANK, RELEVANCE, SCORE, SUBTOPIC
from rankreport.io import check_apart, check_writable, make_folder, replacing, together

_GAP = r"\s"


def write_trec(
    origin: Origin, folder: str | os.PathLike[str], inputs: Iterable[Path]
) -> tuple[Path, ...]:
    """Write ``qrels.txt`` and a file ``{system}.run`` for each system, and return the paths.

    Raises
    ------
    DataError
        If there are no runs, or an identifier holds white space, which separates fields.
    OptionError
        If the name of a system is no name of a file, or the runs are read in slices.
    OutputError
        If a file cannot be written, or is one of the inputs.
    """
    qrels, runs = _rows(origin)
    iteration = pl.col(SUBTOPIC) if SUBTOPIC in qrels.columns else pl.lit("0")
    grade = pl.col(RELEVANCE)
    # trec_eval reads whole grades only.
    whole = bool((qrels[RELEVANCE] == qrels[RELEVANCE].floor()).all())
    texts = {
        Path(folder, "qrels.txt"): qrels.select(
            QUERY_ID, iteration.alias("iteration"), DOC_ID, grade.cast(pl.Int64) if whole else grade
        )
    }
    for system, run in runs.items():
        if Path(system).name != system or system.startswith("."):
            raise OptionError(f"The system {system!r} cannot name a file. Rename it.")
        ranked = run.sort(QUERY_ID, SCORE, descending=[False, True], maintain_order=True)
        texts[Path(folder, f"{system}.run")] = ranked.select(
            QUERY_ID,
            pl.lit("Q0").alias("iteration"),
            DOC_ID,
            pl.int_range(1, pl.len() + 1).over(QUERY_ID).alias(RANK),
            SCORE,
            pl.lit("_".join(system.split())).alias("tag"),
        )
    for path, rows in texts.items():
        _check_gaps(path, rows)
        check_apart(path, inputs)
    make_folder(folder)
    for path in texts:
        check_writable(path)
    with together():
        for path, rows in texts.items():
            with replacing(path) as file:
                rows.write_csv(file, include_header=False, separator=" ", quote_style="never")
    return tuple(texts)


def as_ranx(origin: Origin) -> tuple[Any, list[Any]]:
    """Return ``ranx.Qrels``, and a ``ranx.Run`` for each system.

    Raises
    ------
    DataError
        If there are no runs, or a grade is no whole number, which ranx would cut off.
    OptionError
        If ranx is not installed, or the runs are read in slices.
    """
    qrels, runs = _rows(origin)
    if SUBTOPIC in qrels.columns:
        raise DataError("ranx has no judgments of subtopics.")
    fractions = qrels.filter(pl.col(RELEVANCE) != pl.col(RELEVANCE).floor())
    if not fractions.is_empty():
        raise DataError(
            f"ranx takes whole grades; {len(fractions)} are not whole, such as "
            f"{fractions[RELEVANCE][0]}."
        )
    try:
        ranx = importlib.import_module("ranx")
    except ImportError:
        raise OptionError("to_ranx needs ranx: python -m pip install ranx") from None
    graded = qrels.with_columns(pl.col(RELEVANCE).cast(pl.Int64))
    return ranx.Qrels(_nested(graded, RELEVANCE)), [
        ranx.Run(_nested(run, SCORE), name=system) for system, run in runs.items()
    ]


def _rows(origin: Origin) -> tuple[pl.DataFrame, Mapping[str, pl.DataFrame]]:
    if not isinstance(origin, FromRuns):
        raise DataError(
            "This evaluation was loaded from a file, which contains no runs. Evaluate the runs."
        )
    text = pl.col(QUERY_ID).cast(pl.String)
    if any(run.partition is not None for run in origin.systems.values()):
        raise OptionError(
            "Runs are handed back whole, which would exceed memory_limit. Evaluate them without it."
        )
    runs = {name: run.read().with_columns(text) for name, run in origin.systems.items()}
    return origin.qrels.read().with_columns(text), runs


def _nested(rows: pl.DataFrame, value: str) -> dict[str, dict[str, Any]]:
    lists = rows.group_by(QUERY_ID, maintain_order=True).agg(DOC_ID, value)
    return {q: dict(zip(d, v, strict=True)) for q, d, v in lists.iter_rows()}


def _check_gaps(path: Path, rows: pl.DataFrame) -> None:
    for column in (QUERY_ID, DOC_ID):
        broken = rows.filter(pl.col(column).str.contains(_GAP))
        if not broken.is_empty():
            raise DataError(
                f"{path.name}: {column} {broken[column][0]!r} holds white space, which separates "
                f"the fields of TREC text. Give other ids, or write Parquet: "
                f"rr.read_run(run).sink_parquet(path)."
            )
