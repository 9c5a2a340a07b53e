"""Keywords of other tools, and what each is here."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple


class Foreign(NamedTuple):
    """Keywords of other tools for one thing.

    Attributes
    ----------
    names
        The keywords, separated by spaces.
    ours
        A parameter of ours: the entry is for functions that have it.
    remedy
        What to write, where the values mean something else here; ``{name}`` is the keyword and
        ``{ours}`` the parameter. Without it they mean the same, and the keyword is accepted.
    """

    names: str
    ours: str
    remedy: str = ""


_AT = "Cut-offs belong to measures: measures={}."
_USE = "Use rr."

FOREIGN = (
    Foreign("metrics metric eval_metrics eval_metric", "measures"),
    Foreign("metric", "measure"),
    Foreign("qrels", "evaluation"),
    Foreign("relevant_docs ground_truth interactions", "qrels"),
    Foreign("run results recommendations reco", "runs"),
    Foreign("y labels", "y_true"),
    Foreign("scores y_scores y_pred preds", "y_score"),
    Foreign("X_test", "X"),
    Foreign("y_test y_true", "y"),
    Foreign("qids query_id query_ids group_id", "qid"),
    Foreign("sizes group_sizes", "group"),
    Foreign("expected_ids reference_contexts reference_outputs targets", "expected"),
    Foreign("ground_truth_documents reference references", "expected"),
    Foreign("retrieved_ids retrieved_contexts retrieved_documents outputs", "retrieved"),
    Foreign("qid query_id query_ids queries inputs", "query"),
    Foreign("ground_truth interactions", "test"),
    Foreign("confidence_level", "confidence"),
    Foreign("n_resamples n_boot n_bootstrap", "resamples"),
    Foreign("random_state", "seed"),
    Foreign("stat_test", "test"),
    *(
        Foreign("names", ours, "Name them: {ours}=dict(zip(names, {ours})).")
        for ours in ("runs", "y_score", "models", "retrieved")
    ),
    Foreign("k_values eval_at cutoffs", "measures", _AT.format("[f'nDCG@{{k}}' for k in {name}]")),
    Foreign("ndcg_at_k", "measures", _AT.format("[f'nDCG@{{k}}' for k in ndcg_at_k]")),
    Foreign("mrr_at_k", "measures", _AT.format("[f'RR@{{k}}' for k in mrr_at_k]")),
    Foreign("accuracy_at_k", "measures", _AT.format("[f'Success@{{k}}' for k in accuracy_at_k]")),
    Foreign("k cutoff top_k", "measures", _AT.format("f'nDCG@{{{name}}}'")),
    Foreign("rel relevance_level", "measures", "Measures have it: measures=f'AP(rel={{{name}}})'."),
    Foreign("max_p alpha", "confidence", "It is 1 minus the confidence: confidence=1 - {name}."),
    Foreign("make_comparable", "runs", "Leave it out: a judged query without results scores 0."),
    Foreign("groups", "qid", "Give qid=groups, or group=groups if they are numbers of documents."),
    Foreign("groups", "segments", "Groups of queries are segments=, or clusters=."),
    Foreign("group", "evaluation", _USE + "evaluate_labelled(y_true, y_score, group=group) first."),
    Foreign("group qid", "runs", _USE + "evaluate_labelled(y_true, y_score, {name}={name})."),
    Foreign(
        "profile ties", "evaluation", _USE + "compare(rr.evaluate(qrels, runs, {name}={name}))."
    ),
    Foreign("baseline correction", "runs", _USE + "compare(qrels, runs, {name}={name})."),
    Foreign("perquery return_mean", "runs", _USE + "evaluate(qrels, runs).per_query()."),
    Foreign("path output", "subject", "Write it: rr.report(subject).to_html({name})."),
)
"""The keywords; of several entries for one, the first whose parameter a function has counts."""

FUNCTIONS = {
    "Experiment": "compare(qrels, runs, measures)",
    **dict.fromkeys(("calc_aggregate", "calc_metrics"), "evaluate(qrels, runs, measures)"),
    **dict.fromkeys(("RelevanceEvaluator", "Qrels", "Run"), "evaluate(qrels, runs, measures)"),
    "ndcg_score": "evaluate_labelled(y_true, y_score, measures='nDCG')",
}
"""Functions and classes of other tools, and calls of ours for the same."""

NEAREST = {"student": "t", "fisher": "sign-flip", "bonferroni": "holm", "fdr_bh": "bh"}
"""Values of options in other tools, and the nearest of ours."""

KNOWN = frozenset(name for each in FOREIGN for name in each.names.split())


def foreign_keywords(given: Container[str], taken: Container[str]) -> Iterator[tuple[str, Foreign]]:
    """Yield the keywords of other tools among those given, with what they are of this function.

    Parameters
    ----------
    given, taken
        The keywords of a call, and the parameters of the function.

    Examples
    --------
    >>> for name, foreign in foreign_keywords(["metrics", "k_values"], ["runs", "measures"]):
    ...     print(name, foreign.ours, foreign.remedy)
    metrics measures
    k_values measures Cut-offs belong to measures: measures=[f'nDCG@{k}' for k in k_values].
    """
    found: set[str] = set()
    for each in FOREIGN:
        for name in each.names.split() if each.ours in taken else ():
            if name in given and name not in taken and name not in found:
                found.add(name)
                remedy = each.remedy.format(name=name, ours=each.ours)
                yield name, each._replace(remedy=remedy)
