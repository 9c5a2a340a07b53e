"""Files of an evaluation, and objects of other tools."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from rankreport import io
from rankreport.errors import DataError
from rankreport.evaluation.label_source import judge_labels_of, known_judges_of, origin_by
from rankreport.evaluation.lists import grades_of
from rankreport.evaluation.origins import Origin
from rankreport.evaluation.quality import short_lists_of, unjudged_at_top
from rankreport.evaluation.runs import as_ranx, write_trec
from rankreport.evaluation.scores import values
from rankreport.evaluation.stored import (
    MOST_JUDGES,
    MOST_RATINGS,
    described,
    scores_by_judge,
    write_scores,
)
from rankreport.evaluation.unjudged import Unjudged
from rankreport.evaluation.values import EvaluationValues
from rankreport.measures import Measure, parse, shown_names


def write_parquet(
    self: EvaluationValues,
    path: str | os.PathLike[str],
    also: Sequence[str | Measure] = (),
    documents: pl.DataFrame | None = None,
    grades: Collection[str] = (),
) -> None:
    """Write scores and settings to a Parquet file, for `load_evaluation`.

    Of judgments by `qrels_from_judges`, the ratings and the scores by each judge are written
    too (of up to 100,000 ratings, and the 20 judges with the most).

    Parameters
    ----------
    path
        The file to write. It contains the frame `scores`, and the settings as metadata.
    also
        Further measures to write, such as the points of a curve.
    documents
        The result of `documents`, to write too.
    grades
        Queries whose grades are written too, so that `Comparison.judges` knows how far a model
        and people agree.

    Raises
    ------
    OptionError
        If the path has the suffix of another format.
    OutputError
        If it cannot be written; an existing file is kept.
    """
    io.check_process()
    target = io.check_suffix(path, "write_parquet", *io.PARQUET, inputs=self.files)
    more = dict.fromkeys(m for m in map(parse, also) if m not in self.measures)
    found = values(self, (*self.measures, *more))
    about = {
        "systems": self.systems,
        "asked": [str(m) for m in self.measures],
        **({"names": shown_names(self.measures)} if shown_names(self.measures) else {}),
        "primary": str(self.primary),
        "settings": dict(self.settings),
    }
    metadata = described(
        self._origin,
        found,
        (*self.measures, *more),
        documents,
        unjudged=lambda: unjudged_at_top(self),
        **about,
        **({"short": short.rows()} if (short := short_lists_of(self)).height else {}),
        **({"grades": grades_of(self, grades).to_dict(as_series=False)} if grades else {}),
        **_judges_to_store(self, about),
    )
    with io.replacing(target) as file:
        write_scores(file, found, metadata)


def _judges_to_store(self: EvaluationValues, about: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ratings of several judges, and the scores by each, unless there are many."""
    labels = judge_labels_of(self)
    if labels is None or labels.n_ratings > MOST_RATINGS:
        return {}
    known = set(known_judges_of(self))
    origins: dict[str, tuple[Origin, Unjudged | None] | None] = {}
    for judge in labels.busiest(MOST_JUDGES):
        if judge in known:
            try:
                origin = origin_by(self, judge)
                origins[judge] = origin, unjudged_at_top(replace(self, _origin=origin))
            except DataError:
                origins[judge] = None
    return {"judges": scores_by_judge(labels, origins, self.measures, **about)}


def to_trec(self: EvaluationValues, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write the judgments and runs as TREC text, which trec_eval and this package read.

    Parameters
    ----------
    folder
        Where ``qrels.txt`` and ``{system}.run`` are written; it is made if it does not exist.

    Returns
    -------
    tuple of Path
        The files. Documents are in order of their scores, and of equal scores in the order
        given; trec_eval orders those by their ids.

    Raises
    ------
    DataError
        If this evaluation was loaded from a file, which contains no runs, or an id holds white
        space.
    OptionError
        If a system's name is no name of a file.
    OutputError
        If a file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import rankreport as rr
    >>> evaluation = rr.evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.5, "d1": 1}}, name="mine")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     qrels, run = evaluation.to_trec(folder)
    ...     print(run.name, run.read_text().splitlines())
    mine.run ['q1 Q0 d2 1 2.5 mine', 'q1 Q0 d1 2 1.0 mine']
    """
    return write_trec(self._origin, folder, self.files)


def to_ranx(self: EvaluationValues) -> tuple[Any, list[Any]]:
    """Return the judgments as ``ranx.Qrels`` and the runs as a list of ``ranx.Run``.

    They go on to ranx's fusion, for instance. Ranks without scores become scores -1, -2, ...

    Raises
    ------
    DataError
        If this evaluation was loaded from a file, or grades are no whole numbers.
    OptionError
        If ranx is not installed.
    """
    return as_ranx(self._origin)
