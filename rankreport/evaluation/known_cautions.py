"""The cautions that an evaluation has."""

from __future__ import annotations

from typing import Any

from rankreport.evaluation.cautions import data_cautions, data_notes
from rankreport.evaluation.label_source import label_source_of
from rankreport.evaluation.quality import data_facts_of, remarks_of
from rankreport.evaluation.values import EvaluationValues
from rankreport.text import Caution, Severity, worst_first


def cautions_of_means(
    evaluation: EvaluationValues, *, weighted: bool = False, of_judgments: Severity = "look"
) -> tuple[Caution, ...]:
    """Return the cautions for a reader who sees weighted or unweighted means.

    A run that holds the judgments is as severe as is asked for.
    """
    options: Any = {"weighted": weighted, "of_judgments": of_judgments}
    found = data_cautions(
        evaluation.measures, evaluation.primary, **data_facts_of(evaluation), **options
    )
    return worst_first(label_cautions_of(evaluation), found)


def label_cautions_of(evaluation: EvaluationValues) -> tuple[Caution, ...]:
    """Return the cautions on judgments that know where they come from."""
    source = label_source_of(evaluation)
    return () if source is None else source.cautions


def data_notes_of(evaluation: EvaluationValues) -> tuple[Caution, ...]:
    """Return what the data check and the section on data say in addition to the cautions."""
    return tuple(
        data_notes(
            cautions_of_means(evaluation), remarks_of(evaluation), evaluation.settings["ties"]
        )
    )
