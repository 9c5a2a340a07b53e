"""Where the judgments of an evaluation come from: several judges, clicks, another ranking."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from rankreport import io, labels
from rankreport.caching import cached
from rankreport.errors import DataError, OptionError
from rankreport.evaluation.origins import FromRuns, Origin
from rankreport.evaluation.stored import FromFile
from rankreport.evaluation.values import EvaluationValues


def label_source_of(self: EvaluationValues) -> labels.LabelSource | None:
    """Return where the judgments come from: several judges, clicks or another ranking.

    None if they were given as judgments.
    """
    return self._origin.label_source()


def judge_labels_of(self: EvaluationValues) -> labels.JudgeLabels | None:
    """Return the judgments of several judges; None if they are not, or are not stored."""
    known = self._origin.labels if isinstance(self._origin, FromRuns | FromFile) else None
    return known if known and isinstance(known, labels.JudgeLabels) else None


@cached
def known_judges_of(self: EvaluationValues) -> tuple[str, ...]:
    """Return the judges whose own scores are known: all, or those of a file."""
    if isinstance(self._origin, FromFile):
        return tuple(sorted(self._origin.by_judge))
    return () if (judges := judge_labels_of(self)) is None else judges.judges


def click_labels_of(self: EvaluationValues) -> labels.ClickLabels | None:
    """Return the judgments from clicks; None if they are not, or the scores were loaded."""
    known = self._origin.labels if isinstance(self._origin, FromRuns) else None
    return known if known and isinstance(known, labels.ClickLabels) else None


def origin_by(self: EvaluationValues, judge: str) -> Origin:
    """Return the origin of the scores by one of several judges."""
    judges = judge_labels_of(self)
    if judges is None or judge not in known_judges_of(self):
        raise OptionError(f"The scores by {judge!r} alone are not known.")
    if isinstance(self._origin, FromFile):
        stored = self._origin.by_judge[judge]
        if stored is None:
            raise DataError(f"{judge!r} judged no query of the runs.")
        return stored
    if not isinstance(self._origin, FromRuns):
        raise OptionError("The judgments are not those of several judges.")
    qrels = io.open_source(judges.of(judge), io.QRELS, f"the judgments of {judge!r}")
    return replace(self._origin, qrels=qrels, by_subtopic=None, labels=None)


_Judged = TypeVar("_Judged", bound=EvaluationValues)


def judged_by(self: _Judged, judge: str) -> _Judged:
    """Return the evaluation of the primary measure under one of several judges.

    Raises
    ------
    DataError
        If the scores are stored, and the judge judged no query of the runs.
    """
    return replace(self, measures=(self.primary,), _origin=origin_by(self, judge))
