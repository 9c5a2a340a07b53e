"""Files of an evaluation, and objects of other tools."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl

from rankreport import io
from rankreport.errors import DataError, OptionError, RankReportError
from rankreport.evaluation.depths import Depth, equal_depths
from rankreport.evaluation.documents import grades_of
from rankreport.evaluation.facts import (
    DEPTHS,
    LENGTHS,
    QUALITY,
    RANKED_ALONE,
    UNANSWERED,
    fingerprints_within,
    shares_unjudged,
)
from rankreport.evaluation.first_documents import storable
from rankreport.evaluation.given_inputs import origin_with_runs
from rankreport.evaluation.label_source import judge_labels_of, known_judges_of, origin_by
from rankreport.evaluation.pool_and_order import Splitting
from rankreport.evaluation.quality import unjudged_at_top, values_on_judged
from rankreport.evaluation.stored import (
    BEST,
    BEST_VALUES,
    COLUMN,
    CONDENSED,
    GRADES,
    MOST_JUDGES,
    MOST_RATINGS,
    MOVED_BY_TIES,
    OF_ROWS,
    POOL,
    RATINGS,
    UNJUDGED,
    FromFile,
    within,
    write_scores,
)
from rankreport.evaluation.ties import moved_by_ties
from rankreport.evaluation.unanswerable import is_unanswerable
from rankreport.evaluation.values import EvaluationValues, data_facts_of, memory_limit_of, values
from rankreport.frames import DATASET, DOC_ID, QUERY_ID, RANK, RELEVANCE, SCORE, SUBTOPIC, SYSTEM
from rankreport.io import write_fields
from rankreport.measures import Measure, is_column, parse, shown_names


def write_parquet(
    self: EvaluationValues,
    path: str | os.PathLike[str],
    also: Sequence[str | Measure] = (),
    documents: pl.DataFrame | None = None,
    grades: Collection[str] = (),
    *,
    joinable: bool = False,
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
    joinable
        Whether to write what a comparison with systems of other evaluations needs: the unjudged
        documents, even if they make no difference here, and what tells whether lists are equal.
        Not with a memory limit.

    Raises
    ------
    OptionError
        If the path has the suffix of another format.
    OutputError
        If it cannot be written; an existing file is kept.
    """
    io.check_process()
    target = io.check_suffix(path, "write_parquet", *io.PARQUET, inputs=self.files)
    found = to_store(self, also, documents, grades, joinable=joinable)
    with io.replacing(target) as file:
        write_scores(file, found.scores, found.to_plain())


def to_store(
    self: EvaluationValues,
    also: Sequence[str | Measure] = (),
    documents: pl.DataFrame | None = None,
    grades: Collection[str] = (),
    *,
    joinable: bool = False,
    beside: Mapping[str, Depth] = MappingProxyType({}),
) -> FromFile:
    """Return what a scores file holds.

    Parameters are those of `write_parquet`, and ``beside``: how deep the lists of systems are with
    which these are compared.
    """
    joinable &= memory_limit_of(self) is None
    stored = partial(_stored, joinable=joinable)
    labels, by_judge = judge_labels_of(self), _by_judge(self, stored)
    n, best = _best_values(self, beside)
    more: dict[str, pl.DataFrame] = {"short lists": data_facts_of(self).short_lists, **best}
    if joinable:
        more["fingerprints"] = self._origin.fact(fingerprints_within(n))
    if grades:
        more[GRADES] = grades_of(self, grades)
    if documents is not None:
        more |= storable(documents, self._origin.fact(LENGTHS))
    found = stored(self, dict.fromkeys(map(parse, also)), beside)
    about: dict[str, Any] = {**found.about, "n_best": n}
    if labels is not None and by_judge:
        about["ratings"], more[RATINGS] = (
            {"combine": labels.combine, **labels.settings},
            labels.ratings,
        )
    return replace(found, about=about, tables={**found.tables, **more}, judges=by_judge)


def _stored(
    self: EvaluationValues,
    also: Iterable[Measure] = (),
    beside: Mapping[str, Depth] = MappingProxyType({}),
    *,
    joinable: bool = False,
) -> FromFile:
    """Return what is stored of any evaluation."""
    origin, measures = self._origin, list(dict.fromkeys((*self.measures, *also)))
    scores = values(self, measures)
    own = [m.declaration for m in self.measures if is_column(m)]
    about = {
        "systems": list(self.systems),
        "asked": [str(m) for m in self.measures],
        "names": shown_names(m for m in self.measures if not is_column(m)),
        "columns": [{name: getattr(m, name) for name in COLUMN} for m in own],
        "primary": str(self.primary),
        "settings": dict(self.settings),
        "inputs": self.inputs,
        "remarks": data_facts_of(self).remarks,
        "top_grade": origin.top_grade(),
        "share_positive": origin.share_positive(),
        "datasets": list(origin.datasets()),
        "n_best": None,
        "ratings": None,
    }
    tables = {
        fact.name: origin.fact(fact)
        for fact in (
            *(QUALITY, shares_unjudged(measures)),
            *(UNANSWERED, RANKED_ALONE, DEPTHS),
        )
    }
    answerable = scores.filter(~is_unanswerable(origin.unanswerable()))
    tables[MOVED_BY_TIES] = moved_by_ties(*origin.tie_bounds(answerable, measures))
    ranked = [m for m in measures if not is_column(m)]
    if of_rows := [m for m in measures if m.declaration.aggregate in OF_ROWS]:
        tables["totals"] = origin.summary(scores, of_rows)
    for depth in equal_depths({**beside, **data_facts_of(self).depths}):
        if deeper := [m for m in ranked if m.looks_beyond(depth)]:
            tables[within(depth)] = origin.values_within(deeper, depth)
    if origin.n_repeats():
        tables["repeats"] = origin.repeats(ranked)
    if origin.datasets():
        of_all = pl.col(DATASET).is_in(origin.datasets())
        tables["cells"] = origin.cells(scores, measures).filter(~of_all)
    if (means := origin.exact_means()) is not None:
        tables["exact means"] = means
    if (condensed := values_on_judged(self, always=joinable)) is not None:
        tables[CONDENSED] = condensed
    # Last, since they take much memory.
    if (unjudged := unjudged_at_top(self, always=joinable)) is not None:
        tables |= dict(zip(UNJUDGED, unjudged, strict=True))
    return FromFile(", ".join(self.systems), scores, about, tables)


def _best_values(
    self: EvaluationValues, beside: Mapping[str, Depth]
) -> tuple[int | None, dict[str, pl.DataFrame]]:
    """Return the highest values of the primary measure that documents allow, if there are any.

    Of the first documents, whose number is returned too.
    """
    lengths = [each.longest for each in (*beside.values(), *data_facts_of(self).depths.values())]
    with suppress(RankReportError):
        of = Splitting.of(self, self.systems, n=min(lengths, default=1))
        pool = pl.col(SYSTEM).replace(of.pools).alias(POOL)
        return of.n, {BEST_VALUES: of.missed.select(SYSTEM, QUERY_ID, *BEST, pool)}
    return None, {}


def _by_judge(
    self: EvaluationValues, stored: Callable[[EvaluationValues], FromFile]
) -> dict[str, FromFile | None]:
    """Return the scores by each of several judges, unless there are many ratings."""
    labels, ranked = judge_labels_of(self), tuple(m for m in self.measures if not is_column(m))
    if labels is None or self.primary not in ranked or labels.n_ratings > MOST_RATINGS:
        return {}
    found: dict[str, FromFile | None] = {}
    for judge in labels.busiest(MOST_JUDGES):
        if judge in known_judges_of(self):
            found[judge] = None
            with suppress(DataError):
                origin = origin_by(self, judge)
                found[judge] = stored(replace(self, measures=ranked, _origin=origin, _own=None))
    return found


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
    qrels, runs = _rows(self)
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
    write_fields(folder, texts, self.files)
    return tuple(texts)


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
    qrels, runs = _rows(self)
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


def _rows(self: EvaluationValues) -> tuple[pl.DataFrame, Mapping[str, pl.DataFrame]]:
    origin = origin_with_runs(self)
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
