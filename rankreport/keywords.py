"""Keywords of other tools, and what each is here."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator
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
        What to say, where the values mean something else here; ``{name}`` is the keyword. Without
        it they mean the same, and the keyword is accepted.
    line
        What to write instead, after the remedy; ``{name}`` likewise.
    beside
        Keywords, separated by spaces: the entry is for calls that have all of them.
    """

    names: str
    ours: str
    remedy: str = ""
    line: str = ""
    beside: str = ""


_AT = "Cut-offs belong to measures"
_EACH = "measures=[f'{}@{{{{k}}}}' for k in {{name}}]"
_OF = "measures=[f'{{{{{}}}}}@{{{{k}}}}' for k in eval_at], profile='lightgbm'"
_EXPONENTIAL = "XGBoost and LightGBM have the exponential gain"
_HAVE = "Measures have it"
_PLACE = "Name them, and a baseline that is a number"
_NAMED = "runs=dict(zip(names, runs))"
_USE = "Use rr."
_REPORT = _USE + "report(rr.compare(qrels, runs{})).to_html(path)."

_COLUMNS = "Give columns themselves, that of the queries too"
_RENAME = "Names of columns are found; scores of recommendations are called score."
_BOTH = "measures=[f'{{m}}@{{k}}' for m in metrics for k in topk]"

FOREIGN = (
    Foreign("topk metrics", "measures", _AT, _BOTH, "topk metrics"),
    Foreign("eval_at metric", "group", _AT, _OF.format("metric"), "eval_at metric"),
    Foreign("eval_at eval_metric", "group", _AT, _OF.format("eval_metric"), "eval_at eval_metric"),
    Foreign("eval_metric", "measures", beside="profile"),
    Foreign("eval_metric", "group", _EXPONENTIAL, "measures=eval_metric, profile='xgboost'"),
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
    Foreign("names", "baseline", _PLACE, _NAMED + ", baseline=names[baseline]", "baseline"),
    *(
        Foreign("names", ours, "Name them", f"{ours}=dict(zip(names, {ours}))")
        for ours in ("runs", "y_score", "models", "retrieved")
    ),
    Foreign("eval_at", "group", _AT, _EACH.format("ndcg") + ", profile='lightgbm'"),
    Foreign("k_values topk eval_at cutoffs ndcg_at_k", "measures", _AT, _EACH.format("nDCG")),
    Foreign("mrr_at_k", "measures", _AT, _EACH.format("RR")),
    Foreign("accuracy_at_k", "measures", _AT, _EACH.format("Success")),
    Foreign("k cutoff top_k", "measures", _AT, "measures=[f'nDCG@{{{name}}}']"),
    Foreign("rel relevance_level", "measures", _HAVE, "measures=[f'AP(rel={{{name}}})']"),
    Foreign("label_gain", "measures", _HAVE, "measures=[rr.nDCG(gains=dict(enumerate({name})))]"),
    Foreign("ignore_ties", "ties", "Equal scores as they are given", "ties='input'"),
    Foreign("label score", "y_score", _COLUMNS, "y_true=frame[label], y_score=frame[score]"),
    Foreign("query_column item_column rating_column", "models", _RENAME),
    Foreign("sep delimiter", "columns", "Leave {name} out: the separator is found."),
    Foreign("round rounding_digits", "runs", "Leave {name} out: .to_polars() has all digits."),
    Foreign("max_p alpha", "confidence", "It is 1 minus the confidence", "confidence=1 - {name}"),
    Foreign("make_comparable", "runs", "Leave {name} out: a query without results scores 0."),
    Foreign("groups", "qid", "Give qid=groups, or group=groups if they are numbers of documents."),
    Foreign("groups", "segments", "Groups of queries are segments=, or clusters=."),
    Foreign("group", "evaluation", _USE + "evaluate_labelled(y_true, y_score, group=group) first."),
    Foreign("group qid", "runs", _USE + "evaluate_labelled(y_true, y_score, {name}={name})."),
    Foreign(
        "profile ties", "evaluation", _USE + "compare(rr.evaluate(qrels, runs, {name}={name}))."
    ),
    Foreign("baseline correction", "runs", _USE + "compare(qrels, runs, {name}={name})."),
    Foreign("perquery return_mean", "runs", _USE + "evaluate(qrels, runs).per_query()."),
    Foreign("recommendations reco recs", "models", _USE + "evaluate(test, {name})."),
    Foreign("measures metrics metric", "subject", _REPORT.format(", {name}")),
    Foreign("qrels runs", "subject", _REPORT.format("")),
    Foreign("path output", "subject", "Write it: rr.report(subject).to_html({name})."),
)
"""The keywords; of several entries for one, the first that fits function and call counts."""

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
    ...     print(name, *filter(None, foreign[1:]))
    metrics measures
    k_values measures Cut-offs belong to measures measures=[f'nDCG@{k}' for k in k_values]
    """
    found: set[str] = set()
    for each in FOREIGN:
        fits = each.ours in taken and all(name in given for name in each.beside.split())
        for name in each.names.split() if fits else ():
            if name in given and name not in taken and name not in found:
                found.add(name)
                said = (each.remedy.format(name=name), each.line.format(name=name))
                yield name, each._replace(remedy=said[0], line=said[1])


def joined(lines: Iterable[str]) -> str:
    """Return the arguments of several lines as one line, with all of their measures.

    >>> joined(["measures=[f'RR@{k}' for k in ks]", "measures=['AP'], ties='input'"])
    "measures=[*[f'RR@{k}' for k in ks], *['AP']], ties='input'"
    """
    whole: dict[str | None, dict[str, None]] = {}
    for line in lines:
        for each in ast.parse(f"dict({line})").body[0].value.keywords:  # type: ignore[attr-defined]
            whole.setdefault(each.arg, {})[ast.unparse(each.value)] = None
    return ", ".join(
        f"{ours}=[*{', *'.join(texts)}]" if len(texts) > 1 else f"{ours}={''.join(texts)}"
        for ours, texts in whole.items()
    )
