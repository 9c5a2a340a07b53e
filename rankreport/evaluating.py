"""evaluate(): judgments and runs in, the scores of every system for every query out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rankreport.asking import chosen_measures, named_runs, settled
from rankreport.errors import OptionError
from rankreport.evaluation import Evaluation
from rankreport.loading import QRELS, RUN, STDIN, SUBTOPIC_QRELS, open_source
from rankreport.measures import Measure, parse
from rankreport.origins import FromRuns
from rankreport.score_files import FromFile

__all__ = ["DEFAULT_MEASURES", "evaluate", "load_evaluation"]

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR@10", "P@10", "R@100")
"""What is computed unless something else is asked for; the first is the primary measure."""


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    primary: str | Measure | None = None,
    profile: str | None = None,
    ties: str | None = None,
    queries: str | None = None,
    no_relevant: str | None = None,
    precision: str | None = None,
    subtopics: bool = False,
) -> Evaluation:
    """Evaluate the ranked results of one or more systems against relevance judgments.

    Parameters
    ----------
    qrels
        The judgments: whatever `read_qrels` accepts.
    runs
        ``{system: run}`` with whatever `read_run` accepts, or a path or several, each system then
        being named after its file.
    measures
        Measures or their texts.
    primary
        The measure that decides; the first one unless given.
    profile
        The tool whose numbers are wanted: a key of `rankreport.PROFILES`, such as
        ``"trec_eval-9"``. It sets the rules below unless they are given, and its names of measures
        mean what they mean there.
    ties
        ``"trec"`` (the default: equal scores by document id, descending), ``"input"`` (in the order
        given), ``"rank"`` (by the rank column, scores ignored), ``"expected"`` (the exact mean over
        all orders of equal scores), ``"best"`` or ``"worst"`` (its bounds).
    queries
        ``"judged"`` (the default: every judged query; one that a system lacks scores 0),
        ``"answered"`` (of each system, those that it answered) or ``"intersection"`` (those that
        every system answered).
    no_relevant
        ``"zero"`` (the default: a query without a document of positive grade scores 0) or
        ``"skip"``.
    precision
        In which scores are compared: ``"double"`` (the default) or ``"single"``.
    subtopics
        Whether the judgments are of subtopics, as the measures of diversity need them: see
        `read_qrels`. For all other measures a document's grade is its highest for any subtopic.

    Returns
    -------
    Evaluation
        Nothing is read before its first result is asked for.

    Raises
    ------
    DataError
        If a source cannot be opened; what is wrong with its rows is raised at the first result.
    MeasureError
        If a measure is not known or its parameters contradict each other.
    OptionError
        If an option has a value it cannot take.

    Examples
    --------
    >>> import rankreport as rr
    >>> qrels = {"q1": {"d1": 2, "d2": 1}, "q2": {"d7": 1}}
    >>> runs = {"old": {"q1": {"d2": 3.1, "d9": 3.0}}, "new": {"q1": {"d1": 0.9, "d2": 0.8}}}
    >>> rr.evaluate(qrels, runs, ["nDCG@10", "RR"])
    2 queries
    system  nDCG@10      RR
    ------  -------  ------
    old      0.1900  0.5000
    new      0.5000  0.5000
    """
    settings = settled(
        profile, ties=ties, queries=queries, no_relevant=no_relevant, precision=precision
    )
    chosen = chosen_measures(measures, settings)
    if primary is None:
        decisive = chosen[0]
    else:
        (decisive,) = chosen_measures(primary, settings)
        chosen = chosen if decisive in chosen else (decisive, *chosen)
    given = named_runs(runs)
    if sum(isinstance(one, str) and one == STDIN for one in (qrels, *given.values())) > 1:
        raise OptionError("Only one input can come from standard input ('-').")
    origin = FromRuns(
        open_source(qrels, SUBTOPIC_QRELS if subtopics else QRELS, "the qrels"),
        {name: open_source(run, RUN, f"run {name!r}") for name, run in given.items()},
        settings,
    )
    return Evaluation(tuple(given), chosen, decisive, settings, origin)


def load_evaluation(path: str | os.PathLike[str]) -> Evaluation:
    """Load what `Evaluation.write_parquet` wrote, settings included.

    Parameters
    ----------
    path
        The Parquet file.

    Returns
    -------
    Evaluation
        It holds the measures that were written, and no others.

    Raises
    ------
    DataError
        If there is no such file, or it is not one of ours.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rankreport as rr
    >>> example = rr.load_example()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "scores.parquet"
    ...     rr.evaluate(example.qrels, example.runs, ["AP", "RR"]).write_parquet(file)
    ...     rr.load_evaluation(file)
    60 queries
    system           AP      RR
    -----------  ------  ------
    bm25         0.6001  0.7631
    bm25-names   0.6540  0.7948
    char-ngrams  0.5045  0.6505
    fusion       0.6004  0.7201
    """
    origin = FromFile.read(Path(path))
    description = origin.description
    return Evaluation(
        tuple(description["systems"]),
        tuple(map(parse, description["asked"])),
        parse(description["primary"]),
        description["settings"],
        origin,
    )
