"""Keywords of other tools, and what each is here."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any, NamedTuple


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
    made
        Returns arguments here for the value and all arguments, none if it changes nothing; None, or
        an error of Python, for values that do not fit, which the remedy answers.
    of_other_call
        Whether it belongs to a call of another function, so that the order here is no matter.
    """

    names: str
    ours: str
    remedy: str = ""
    made: Callable[[Any, Mapping[str, Any]], Mapping[str, Any] | None] | None = None
    of_other_call: bool = False


def _listed(given: Any) -> list[Any]:
    """Return values as a list; one by itself is a list of one."""
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]


def _at(measures: str, profile: str = "", *, own: bool = False) -> Any:
    """Return what makes measures of cut-offs.

    They are of the measures of the call, or else of these; with ``own``, of these in any case.
    """

    def made(cuts: Any, given: Mapping[str, Any]) -> Mapping[str, Any]:
        before = _listed(given.get("measures", ()))
        of = measures.split() if own or not before else before
        cut = {each: [each] if "@" in str(each) else None for each in of}
        found = [at for each in of for at in cut[each] or [f"{each}@{k}" for k in _listed(cuts)]]
        kept = {"profile": given.get("profile", profile)} if profile else {}
        return kept | {"measures": [*before, *found] if own else found}

    return made


def _as_named(ours: str) -> Any:
    """Return what names systems, or one by itself, and a baseline that is a number."""

    def made(names: Any, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
        systems, place = given[ours], given.get("baseline")
        names = _listed(names)
        if len(names) == 1 and not isinstance(systems, list | tuple):
            return {ours: {names[0]: systems}}
        named = dict(zip(names, systems, strict=True))
        if isinstance(systems, Mapping) or len(named) < len(systems):
            return None
        baseline = {} if type(place) is not int else {"baseline": names[place]}
        return {ours: named, **baseline}

    return made


def _of_level(level: Any, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return measures of which grades from a level on are relevant; those without one refuse it."""
    before = _listed(given["measures"])
    if not all(callable(each) or re.fullmatch(r"[A-Za-z_]+(@\d+)?", each) for each in before):
        return None
    parts = [each if callable(each) else each.partition("@") for each in before]
    texts = [p(rel=level) if callable(p) else f"{p[0]}(rel={level}){p[1]}{p[2]}" for p in parts]
    return {"measures": texts}


def _without(only: Container[object] = ()) -> Any:
    """Return what leaves a keyword out: always, or where its value is one of these."""
    return lambda value, _: {} if only == () or value in only else None


def _of_matrix(queries: Any, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return runs of a matrix of scores, with a query in each row, a document in each column."""
    documents = given["corpus_ids"]
    rows = [dict(zip(documents, row, strict=True)) for row in given["runs"]]
    return {"runs": dict(zip(queries, rows, strict=True))}


def _of_beir(drops: Any, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    profile = given.get("profile", "beir" if drops else None)
    if bool(drops) != (profile == "beir"):
        return None
    return {"profile": profile} if drops else {}


def _of_xgboost(measures: Any, given: Mapping[str, Any]) -> Mapping[str, Any]:
    own = {} if given.keys() & {"profile", "eval_at"} else {"profile": "xgboost"}
    return {"measures": measures, **own}


def _confidence(p: float, given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return None if "confidence" in given else {"confidence": 1 - p}


OF_CUTOFFS = "nDCG AP R P"
"""The measures of cut-offs that come without any, those of BEIR."""

_USE = "Use rr."
_REPORT = _USE + "report(rr.compare(qrels, runs{})).to_html(path)."
_HAVE = "Measures have it: measures=[{}]."
_PER_QUERY = _USE + "evaluate(qrels, runs).per_query()."
_RENAME = "Leave {name} out: columns are found by names, such as user_id, item_id, rating, score."
_KNOWN_COLUMNS = "userID itemID user_id item_id user_idx item_idx rating relevance score prediction"
_MATRIX = "Name rows and columns: {{q: dict(zip(corpus_ids, row)) for q, row in zip(ids, runs)}}."
_SBERT = "sentence-transformers"

FOREIGN = (
    Foreign("eval_metric", "group", made=_of_xgboost),
    Foreign("metrics metric eval_metrics eval_metric", "measures"),
    Foreign("metric", "measure"),
    Foreign("qrels", "evaluation"),
    Foreign("relevant_docs ground_truth interactions rating_true", "qrels"),
    Foreign("run results recommendations reco rating_pred", "runs"),
    Foreign("y label labels target", "y_true"),
    Foreign("score scores y_scores y_pred preds approx", "y_score"),
    Foreign("X_test", "X"),
    Foreign("y_test y_true", "y"),
    Foreign("qids query_id query_ids group_id indexes", "qid"),
    Foreign("groups", "qid"),
    Foreign("sizes group_sizes", "group"),
    Foreign("where", "mask"),
    Foreign("queries_ids", "runs", _MATRIX, made=_of_matrix),
    Foreign(
        "corpus_ids",
        "runs",
        _MATRIX,
        made=lambda _, given: {} if isinstance(given["runs"], Mapping) else None,
    ),
    Foreign(
        "ignore_identical_ids",
        "profile",
        "profile='beir' drops them, as BEIR does; others count them.",
        made=_of_beir,
    ),
    Foreign("dataset samples", "results"),
    Foreign("expected_ids reference_contexts reference_outputs targets relevant", "expected"),
    Foreign("ground_truth_documents reference references actual", "expected"),
    Foreign("retrieved_ids retrieved_contexts retrieved_documents outputs predicted", "retrieved"),
    Foreign("predictions", "retrieved"),
    Foreign("qid query_id query_ids queries inputs questions", "query"),
    Foreign("ground_truth interactions", "test"),
    Foreign("confidence_level", "confidence"),
    Foreign("n_resamples n_boot n_bootstrap", "resamples"),
    Foreign("random_state", "seed"),
    Foreign("stat_test", "test"),
    *(
        Foreign("names", ours, f"Name them: {ours}=dict(zip(names, {ours})).", made=_as_named(ours))
        for ours in ("runs", "y_score", "models", "retrieved")
    ),
    Foreign("label_gain", "measures", _HAVE.format("rr.nDCG(gains=dict(enumerate({name})))")),
    Foreign("eval_at", "group", made=_at("ndcg", "lightgbm")),
    Foreign("k_values topk eval_at cutoffs k cutoff top_k top", "measures", made=_at(OF_CUTOFFS)),
    *(
        Foreign(f"{each}_at_k", "measures", made=_at(each.replace("_", " "), _SBERT, own=True))
        for each in ("accuracy", "precision_recall", "mrr", "ndcg", "map")
    ),
    Foreign(
        "rel relevance_level threshold",
        "measures",
        _HAVE.format("rr.AP(rel={name})"),
        made=_of_level,
    ),
    Foreign("ignore_ties", "ties", made=lambda on, _: {"ties": "input" if on else "expected"}),
    Foreign(
        "query_column item_column rating_column col_user col_item col_rating col_prediction",
        "measures",
        _RENAME,
        made=_without(_KNOWN_COLUMNS.split()),
    ),
    Foreign("sep delimiter round rounding_digits make_comparable", "runs", made=_without()),
    Foreign("verbose filter_by_qrels batch_size show_percentages", "runs", made=_without()),
    Foreign("split", "qrels", "Use rr.evaluate(rr.read_beir(qrels, {name}), runs)."),
    Foreign("return_mean", "runs", _PER_QUERY, made=_without({True})),
    Foreign("perquery", "runs", _PER_QUERY, made=_without({False})),
    Foreign("max_p alpha", "confidence", "It is 1 minus the confidence.", made=_confidence),
    Foreign("groups", "segments", "Groups of queries are segments=, or clusters=."),
    Foreign(
        "group",
        "evaluation",
        _USE + "evaluate_labelled(y_true, y_score, group=group) first.",
        of_other_call=True,
    ),
    Foreign(
        "y_true y_score mask where groups",
        "runs",
        _USE + "evaluate_labelled(y_true, y_score, qid=qid).",
        of_other_call=True,
    ),
    Foreign(
        "group qid",
        "runs",
        _USE + "evaluate_labelled(y_true, y_score, {name}={name}).",
        of_other_call=True,
    ),
    Foreign(
        "profile ties", "evaluation", _USE + "compare(rr.evaluate(qrels, runs, {name}={name}))."
    ),
    Foreign("baseline correction", "runs", _USE + "compare(qrels, runs, {name}={name})."),
    Foreign("recommendations reco recs", "models", _USE + "evaluate(test, {name})."),
    Foreign("measures metrics metric", "subject", _REPORT.format(", {name}")),
    Foreign("qrels runs", "subject", _REPORT.format("")),
    Foreign("path output", "subject", "Write it: rr.report(subject).to_html({name})."),
)
"""The keywords; of several entries for one, the first that fits the function counts."""

FUNCTIONS = {
    "Experiment": "compare(qrels, runs, measures)",
    **dict.fromkeys(("calc_aggregate", "calc_metrics"), "evaluate(qrels, runs, measures)"),
    **dict.fromkeys(("RelevanceEvaluator", "Qrels", "Run"), "evaluate(qrels, runs, measures)"),
    "ndcg_score": "evaluate_labelled(y_true, y_score, measures='nDCG')",
}
"""Functions and classes of other tools, and calls of ours for the same."""

SAME = {
    ("test", "student"): "t",
    ("test", "fisher"): "sign-flip",
    ("correction", "fdr_bh"): "bh",
    ("correction", "fdr_by"): "by",
}
"""Values of options in other tools, and ours that mean the same."""

KNOWN = {name for each in FOREIGN for name in each.names.split()} | {name for name, _ in SAME}
"""Keywords that may need other names, or values."""


def foreign_keywords(given: Container[str], taken: Container[str]) -> Iterator[tuple[str, Foreign]]:
    """Yield the keywords of other tools among those given, with what they are of this function.

    Parameters
    ----------
    given, taken
        The keywords of a call, and the parameters of the function.

    Examples
    --------
    >>> for name, foreign in foreign_keywords(["metrics", "k_values"], ["runs", "measures"]):
    ...     print(name, foreign.ours)
    metrics measures
    k_values measures
    """
    found: set[str] = set()
    for each in FOREIGN:
        for name in each.names.split() if each.ours in taken else ():
            if name in given and name not in taken and name not in found:
                found.add(name)
                yield name, each._replace(remedy=each.remedy.format(name=name))
