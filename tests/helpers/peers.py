"""Wrappers of the tools that rankreport is compared with.

Measures are named as in the tool and in `agreement.toml`. Tools are imported on first use, since
some take seconds.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import logging
import pkgutil
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

ALL = "all"
"""The key of a system's value, next to those of its queries."""


@dataclass(frozen=True, eq=False)
class Collection:
    """Judgments and the scores of one system, in order."""

    qrels: Mapping[str, Mapping[str, float]]
    run: Mapping[str, Mapping[str, float]]
    subtopics: Mapping[str, Mapping[str, Mapping[str, int]]] | None = None


@dataclass(frozen=True)
class Tool:
    """A wrapper of a tool.

    ``inventory`` returns the names of everything it offers, ``entry`` the names in the inventory
    that a text refers to, and ``values`` computes ``{text: {query: value}}``, with the system's
    value under `ALL`.
    """

    inventory: Callable[[], set[str]]
    entry: Callable[[str], set[str]]
    values: Callable[[Iterable[str], Collection], dict[str, dict[str, float]]]


def called(text: str) -> tuple[str, list[object], dict[str, object]]:
    """Parse ``name(1, word=2)``; a name alone is a call without arguments."""
    name, bracket, rest = text.partition("(")
    if not bracket:
        return text, [], {}
    node = ast.parse(f"f({rest}", mode="eval").body
    given = [ast.literal_eval(each) for each in node.args]
    return name, given, {word.arg: ast.literal_eval(word.value) for word in node.keywords}


# --- pytrec_eval ----------------------------------------------------------------------------------


def _of_pytrec_eval() -> set[str]:
    import pytrec_eval

    return set(pytrec_eval.supported_measures)


def _entry_of_pytrec_eval(text: str) -> set[str]:
    name = called(text)[0]
    known = [m for m in _of_pytrec_eval() if name == m or re.fullmatch(rf"{m}_[\d.]+", name)]
    return set(known)


def _with_pytrec_eval(texts: Iterable[str], given: Collection) -> dict[str, dict[str, float]]:
    import pytrec_eval

    calls: dict[tuple[object, ...], dict[str, str]] = {}
    for text in texts:
        name, _, options = called(text)
        # All set_F measures have the same name in the output, so each needs its own call.
        own = text if name.startswith("set_F") else ""
        calls.setdefault((own, *options.items()), {})[name] = text
    found = {}
    for (_, *options), names in calls.items():
        evaluator = pytrec_eval.RelevanceEvaluator(given.qrels, set(names), **dict(options))
        rows = evaluator.evaluate(given.run)
        for name, text in names.items():
            answers = "set_F" if name.startswith("set_F") else name
            values = {query: row[answers] for query, row in rows.items()}
            of_all = pytrec_eval.compute_aggregated_measure(name, list(values.values()))
            found[text] = values | {ALL: of_all}
    return found


# --- ir_measures ----------------------------------------------------------------------------------


def _ir_measure(text: str):
    import ir_measures

    _, _, name = text.rpartition(": ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # ast.Num, from Python 3.12 on
        return ir_measures.parse_measure(name)


@cache
def provider(text: str) -> str:
    """Return the provider of a measure: the one named in the text, or the default."""
    import ir_measures

    named, colon, _ = text.rpartition(": ")
    if colon:
        return named
    for each in ir_measures.DefaultPipeline.providers:
        if each.supports(_ir_measure(text)) and each.is_available():
            return each.NAME
    raise ValueError(text)


def _of_ir_measures() -> set[str]:
    import ir_measures

    names = {str(measure) for measure in ir_measures.measures.registry.values()}
    pairs = {
        f"{name}: {measure.NAME}"
        for name, each in ir_measures.providers.registry.items()
        for measure in each.SUPPORTED_MEASURES
    }
    parameters = {
        f"{measure.NAME}({parameter})"
        for measure in ir_measures.measures.registry.values()
        for parameter in measure.SUPPORTED_PARAMS
    }
    return names | pairs | parameters


def _entry_of_ir_measures(text: str) -> set[str]:
    measure = _ir_measure(text)
    found = {f"{provider(text)}: {measure.NAME}", measure.NAME, str(measure)}
    return found | {f"{measure.NAME}({parameter})" for parameter in measure.params}


def _with_ir_measures(texts: Iterable[str], given: Collection) -> dict[str, dict[str, float]]:
    import ir_measures

    logging.getLogger("ir_measures.cwl_eval").setLevel("ERROR")  # warns about clipped grades
    by_provider: dict[str, list[str]] = {}
    for text in texts:
        by_provider.setdefault(provider(text), []).append(text)
    found: dict[str, dict[str, float]] = {}
    for name, of_provider in by_provider.items():
        qrels = given.qrels
        if name == "pyndeval" and given.subtopics is not None:
            qrels = [
                ir_measures.Qrel(query, document, grade, subtopic)
                for query, documents in given.subtopics.items()
                for document, grades in documents.items()
                for subtopic, grade in grades.items()
            ]
        calls: dict[object, list[str]] = {}
        for text in of_provider:
            # Some are wrong when computed together: with and without gains, judged_only with
            # NumRet, and in pyndeval all but those with the first parameters.
            alone = text if name == "pyndeval" else ("gains" in text, "judged_only" in text)
            calls.setdefault(alone, []).append(text)
        for call in calls.values():
            measures = {_ir_measure(text): text for text in call}
            aggregators = {measure: measure.aggregator() for measure in measures}
            for metric in ir_measures.providers.registry[name].iter_calc(
                list(measures), qrels, given.run
            ):
                found.setdefault(measures[metric.measure], {})[metric.query_id] = metric.value
                aggregators[metric.measure].add(metric.value)
            for measure, text in measures.items():
                found.setdefault(text, {})[ALL] = aggregators[measure].result()
    return found


# --- ranx -----------------------------------------------------------------------------------------


@cache
def _ranx():
    """Import ranx, not compiled: Numba compiles it for a minute, Python runs it in seconds.

    The functions are the same. What the compiled ranx gave on real collections is held against
    ours in `acceptance/test_peers.py`.
    """
    import numba

    numba.config.DISABLE_JIT = True
    return importlib.import_module("ranx")


def _of_ranx() -> set[str]:
    metric_switch = _ranx().metrics.metric_switch

    def is_known(word: object) -> bool:
        try:
            return metric_switch(word) is not None
        except ValueError:
            return False

    return {str(word) for word in metric_switch.__code__.co_consts if is_known(word)}


def _entry_of_ranx(text: str) -> set[str]:
    return {re.split(r"[@.]|-l", text)[0]}


def _with_ranx(texts: Iterable[str], given: Collection) -> dict[str, dict[str, float]]:
    ranx = _ranx()
    run, qrels = ranx.Run(given.run), ranx.Qrels(given.qrels)
    names = list(texts)
    with np.errstate(all="ignore"):  # as where it is compiled: 0 / 0 is no warning
        ranx.evaluate(qrels, run, names, make_comparable=True)
    found = {text: dict(run.scores[text]) for text in names}
    for values in found.values():
        values[ALL] = float(np.mean(list(values.values())))
    return found


# --- scikit-learn ---------------------------------------------------------------------------------


def _of_sklearn() -> set[str]:
    import sklearn.metrics

    return {name for name in sklearn.metrics.__all__ if inspect.isfunction(_sklearn(name))}


def _sklearn(name: str):
    import sklearn.metrics

    return getattr(sklearn.metrics, name)


def _entry_of_sklearn(text: str) -> set[str]:
    return {text.partition("(")[0]}


def _with_sklearn(texts: Iterable[str], given: Collection) -> dict[str, dict[str, float]]:
    """Call scikit-learn once per query, or once for all.

    In the texts, ``rel=1`` passes whether the grade is at least 1 instead of the grade, ``t=0.5``
    whether the score exceeds 0.5 instead of the score, ``documents="judged"`` leaves out unjudged
    documents, which otherwise have the grade 0, and ``, all queries`` at the end pools all lists.
    """
    found = {}
    for text in texts:
        pooled = text.endswith(", all queries")
        name, _, options = called(text.removesuffix(", all queries"))
        rel, t = options.pop("rel", None), options.pop("t", None)
        judged = options.pop("documents", "returned") == "judged"
        lists = {}
        for query in set(given.qrels) & set(given.run):
            grades = given.qrels[query]
            documents = [d for d in given.run[query] if d in grades or not judged]
            truth = np.array([float(grades.get(d, 0)) for d in documents])
            scores = np.array([given.run[query][d] for d in documents])
            lists[query] = (truth, scores)
        if pooled:
            lists = {ALL: tuple(np.concatenate(part) for part in zip(*lists.values(), strict=True))}
        found[text] = {}
        for query, (truth, scores) in lists.items():
            y_true = truth if rel is None else (truth >= rel).astype(int)
            y_score = scores if t is None else (scores > t).astype(int)
            found[text][query] = _from_sklearn(name, y_true, y_score, options)
        if not pooled:
            found[text][ALL] = float(np.mean(list(found[text].values())))
    return found


MATRICES = re.compile("n?dcg_score|label_ranking_.*|coverage_error")
"""Functions of scikit-learn that take one row per list."""


def _from_sklearn(name: str, truth, scores, options) -> float:
    # Errors and warnings, such as for a list without relevant documents, give NaN.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            if MATRICES.fullmatch(name):
                return float(_sklearn(name)([truth], [scores], **options))
            if name == "top_k_accuracy_score":  # classes are documents, one is relevant
                classes = np.arange(len(truth))
                return float(_sklearn(name)([truth.argmax()], [scores], labels=classes, **options))
            return float(_sklearn(name)(truth, scores, **options))
        except (ValueError, UserWarning):
            return float("nan")


# --- pyndeval -------------------------------------------------------------------------------------


def _of_pyndeval() -> set[str]:
    import pyndeval

    return set(pyndeval.SUPPORTED_MEASURES)


def _entry_of_pyndeval(text: str) -> set[str]:
    return {called(text)[0].partition("@")[0]}


def _with_pyndeval(texts: Iterable[str], given: Collection) -> dict[str, dict[str, float]]:
    import pyndeval

    judged = given.subtopics or {
        query: {document: {"0": grade} for document, grade in row.items()}
        for query, row in given.qrels.items()
    }
    qrels = [
        (query, subtopic, document, grade)
        for query, documents in judged.items()
        for document, grades in documents.items()
        for subtopic, grade in grades.items()
    ]
    run = [(q, d, score) for q, row in given.run.items() for d, score in row.items()]
    calls: dict[tuple[object, ...], dict[str, str]] = {}
    for text in texts:
        name, _, options = called(text)
        calls.setdefault(tuple(options.items()), {})[name] = text
    found = {}
    for options, names in calls.items():
        evaluator = pyndeval.RelevanceEvaluator(qrels, list(names), **dict(options))
        rows = evaluator.evaluate(run)
        for name, text in names.items():
            found[text] = {query: row[name] for query, row in rows.items()}
            found[text][ALL] = float(np.mean(list(found[text].values())))
    return found


# --- cwl-eval -------------------------------------------------------------------------------------

OUTPUTS = ("utility", "total_utility", "cost", "total_cost", "items")


@cache
def _cwl_classes() -> dict[str, type]:
    import cwl.ruler.measures as package

    classes = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # escapes in its strings
        for module in pkgutil.iter_modules(package.__path__):
            inside = importlib.import_module(f"{package.__name__}.{module.name}")
            classes |= dict(inspect.getmembers(inside, inspect.isclass))
    return classes


def _of_cwl() -> set[str]:
    outputs = {f"expected_{name}" for name in OUTPUTS}
    return {*_cwl_classes(), *outputs, *(f"residual_{name}" for name in outputs)}


def _read_cwl(text: str) -> tuple[str, str, float | None]:
    metric, _, gains = text.partition(", gains=grade/")
    call, _, output = metric.rpartition(").")
    return f"{call})", output, float(gains) if gains else None


def _entry_of_cwl(text: str) -> set[str]:
    call, output, _ = _read_cwl(text)
    return {called(call)[0], output}


def _with_cwl(texts: Iterable[str], given: Collection) -> dict[str, dict[str, float]]:
    """Call cwl-eval with each list sorted, equal scores in the order given.

    The gain of a document is 1 if its grade is at least 1; with ``gains=grade/4`` it is a quarter
    of the grade, from 0 to 1.
    """
    from cwl.ruler.ranking import Ranking

    metrics: dict[tuple[str, float | None], list[tuple[str, str]]] = {}
    for text in texts:
        call, output, gains = _read_cwl(text)
        metrics.setdefault((call, gains), []).append((text, output))
    found: dict[str, dict[str, float]] = {text: {} for text in texts}
    for (call, top), outputs in metrics.items():
        name, parameters, options = called(call)
        metric = _cwl_classes()[name](*parameters, **options)
        metric.residuals = any(output.startswith("residual") for _, output in outputs)
        for query in set(given.qrels) & set(given.run):
            gain = {d: _gain(grade, top) for d, grade in given.qrels[query].items()}
            row = given.run[query]
            order = sorted(row, key=lambda d: -row[d])
            ranking = Ranking(query, [gain.get(d, np.nan) for d in order], [np.nan] * len(order))
            ranking.total_qrel_gain = sum(gain.values())
            ranking.total_qrel_rels = float(sum(each > 0 for each in gain.values()))
            metric.measure(ranking)
            for text, output in outputs:
                found[text][query] = float(getattr(metric, output))
    for values in found.values():
        values[ALL] = float(np.mean(list(values.values())))
    return found


def _gain(grade: float, top: float | None) -> float:
    return float(grade >= 1) if top is None else min(max(grade / top, 0.0), 1.0)


TOOLS = {
    "pytrec_eval": Tool(_of_pytrec_eval, _entry_of_pytrec_eval, _with_pytrec_eval),
    "ir_measures": Tool(_of_ir_measures, _entry_of_ir_measures, _with_ir_measures),
    "ranx": Tool(_of_ranx, _entry_of_ranx, _with_ranx),
    "sklearn": Tool(_of_sklearn, _entry_of_sklearn, _with_sklearn),
    "pyndeval": Tool(_of_pyndeval, _entry_of_pyndeval, _with_pyndeval),
    "cwl": Tool(_of_cwl, _entry_of_cwl, _with_cwl),
}
