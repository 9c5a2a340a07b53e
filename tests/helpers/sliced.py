"""Evaluations whose runs are read in slices, and what must be equal to those read at once."""

from __future__ import annotations

from dataclasses import fields, replace

import rankreport as rr
from rankreport.evaluation import FromRuns
from rankreport.evaluation.judged_slices import FromSlices
from rankreport.io import Partition


def in_slices(evaluation, n, *, judgments=False):
    """Return an evaluation that reads its runs, and judgments, in so many slices."""
    origin = evaluation._origin
    given = {each.name: getattr(origin, each.name) for each in fields(FromRuns)}
    runs = {name: replace(run, partition=Partition(n)) for name, run in origin.systems.items()}
    given["systems"] = runs
    if judgments:
        given["qrels"] = replace(origin.qrels, partition=Partition(n))
    kind = FromSlices if judgments else FromRuns
    return replace(evaluation, _origin=kind(**given))


def found_in(evaluation):
    """Return all results of an evaluation, or the error where there are none."""
    try:
        evaluation.per_query()
    except rr.RankReportError as error:
        return f"{type(error).__name__}: {error}"
    origin, queries = evaluation._origin, evaluation.query_ids
    frames = (
        *(evaluation.per_query(), evaluation.summary(), evaluation.quality),
        *(evaluation.ties(), evaluation.coverage(), evaluation.unanswered),
        *(evaluation.judged_documents(), evaluation.documents(queries, 1000)),
        *(
            evaluation.roc(),
            evaluation.means("t"),
            *origin.unjudged(evaluation.primary, evaluation.judged_share, 1),
        ),
        origin.condensed([evaluation.primary]),
    )
    remarks = [origin.remarks(), evaluation.inputs, [str(each) for each in evaluation.cautions]]
    looks = [
        (each.n_repeated, each.unjudged_queries.names.to_list(), each.n_sampled)
        for each in origin.judged.looks.values()
    ]
    return [(each.schema, each.rows()) for each in frames], remarks, looks
