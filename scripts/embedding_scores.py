"""Values and files of BEIR, MTEB and sentence-transformers, which require PyTorch, for the tests.

What evaluates and writes needs no PyTorch, so the packages are unpacked, not installed, and PyTorch
is replaced by an empty module::

    pip download --no-deps -d wheels beir==2.2.0 mteb==2.26.24 sentence-transformers==6.2.0
    python -m zipfile -e wheels/beir-2.2.0-py3-none-any.whl beir
    python -m zipfile -e wheels/mteb-2.26.24-py3-none-any.whl mteb
    python -m zipfile -e wheels/sentence_transformers-6.2.0-py3-none-any.whl sentence
    python scripts/embedding_scores.py beir mteb sentence

It writes tests/helpers/beir_scores.json, the values of the tools for lists drawn at random, and
tests/helpers/exports: a small folder, a run and predictions by the writers of the tools. It needs
pytrec_eval and scikit-learn, which are development dependencies.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import random
import shutil
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

HELPERS = Path(__file__).parents[1] / "tests" / "helpers"
EXPORTS = HELPERS / "exports"
CUTOFFS = [1, 3, 10]

Lists = dict[str, dict[str, float]]

CORPUS = {
    "d1": {"title": "Jazz", "text": 'He said "play".'},
    "d2": {"title": "", "text": "Tab\there"},
    'd"3': {"title": "Quote", "text": "x"},
    "q2": {"title": "Same id", "text": "y"},
}
QUERIES = {"q1": "what is jazz?", "q2": 'who plays, "now"?', "q3": "of another split"}
RUN: Lists = {"q1": {'d"3': 2.5, "d1": 1.25, "d2": 0.5}, "q2": {"q2": 9.0, "d2": 3.0}}
OTHER: Lists = {"q1": {"d2": 2.5, "d1": 1.25, 'd"3': 0.5}, "q2": {"d2": 3.0}}


class Result(NamedTuple):
    """The result of MTEB's evaluation, which its package declares beside much else."""

    all_scores: Any
    ndcg: Any
    map: Any
    recall: Any
    precision: Any
    naucs: Any
    mrr: Any
    naucs_mrr: Any
    hit_rate: Any


def drawn(seed: int, *, tied: bool, all_answered: bool) -> tuple[Lists, Lists]:
    """Return judgments, and a run in which some documents have the id of the query."""
    rng = random.Random(seed)  # noqa: S311 - nothing secret
    documents = [f"d{number}" for number in range(60)] + [f"q{number}" for number in range(5)]
    qrels: Lists = {}
    run: Lists = {}
    for number in range(40):
        query = f"q{number}"
        qrels[query] = {name: rng.choice([0, 1, 1, 2]) for name in rng.sample(documents, 8)}
        qrels[query]["d0"] = 1
        if all_answered or number % 7:
            run[query] = {
                name: rng.randrange(8) / 4 if tied else round(rng.random(), 6) + 1e-7 * place
                for place, name in enumerate(rng.sample(documents, 30))
            }
            if query in documents:
                run[query][query] = 99.0
    return qrels, run


def by_beir(qrels: Lists, run: Lists, *, all_answered: bool) -> dict[str, float]:
    """Return the values of BEIR, which changes the run that it is given."""
    from beir.retrieval.evaluation import EvaluateRetrieval  # type: ignore[import-not-found]

    given = copy.deepcopy(run)
    scores: dict[str, float] = {}
    for each in EvaluateRetrieval.evaluate(qrels, given, CUTOFFS):
        scores |= each
    if all_answered:  # these are averaged over all judged queries
        for name in ("mrr", "accuracy"):
            scores |= EvaluateRetrieval.evaluate_custom(qrels, given, CUTOFFS, name)
    return scores


def by_mteb(metrics: Any, qrels: Lists, run: Lists) -> dict[str, float]:
    """Return the values of MTEB."""
    made = metrics.calculate_retrieval_scores(run, qrels, CUTOFFS)
    scores: dict[str, float] = metrics.make_score_dict(
        ndcg=made.ndcg,
        _map=made.map,
        recall=made.recall,
        precision=made.precision,
        mrr=made.mrr,
        naucs={},
        naucs_mrr={},
        hit_rate=made.hit_rate,
        task_scores={},
    )
    return scores


def by_sentence_transformers(sentence: Path, qrels: Lists, run: Lists) -> dict[str, float]:
    """Return the values of InformationRetrievalEvaluator, by its method, for the lists of a run."""
    path = "sentence_transformers/sentence_transformer/evaluation/information_retrieval.py"
    source = (sentence / path).read_text(encoding="utf-8")
    begin, end = (source.index(f"    def {name}(") for name in ("compute_metrics", "output_scores"))
    gain = source[source.index("    @staticmethod\n    def compute_dcg_at_k(") :]
    space: dict[str, Any] = {"np": np}
    exec(f"class Evaluator:\n{source[begin:end]}{gain}", space)  # noqa: S102 - of a known release
    relevant = {query: {d for d, grade in row.items() if grade} for query, row in qrels.items()}
    evaluator: Any = space["Evaluator"]()
    vars(evaluator).update(queries_ids=list(relevant), queries=relevant, relevant_docs=relevant)
    names = ("mrr", "ndcg", "accuracy", "precision_recall", "map")
    vars(evaluator).update({f"{name}_at_k": CUTOFFS for name in names})
    hits = [
        [{"corpus_id": d, "score": score} for d, score in run[query].items()] for query in relevant
    ]
    return {
        f"cosine_{name.removesuffix('@k')}@{k}": float(value)
        for name, values in evaluator.compute_metrics(hits).items()
        for k, value in values.items()
    }


def loaded_metrics(mteb: Path) -> Any:
    """Load the module that evaluates, without the package around it."""
    package, types = ModuleType("mteb"), ModuleType("mteb.types")
    package.__path__ = [str(mteb / "mteb")]
    types.RetrievalEvaluationResult = Result  # type: ignore[attr-defined]
    sys.modules |= {"mteb": package, "mteb.types": types}
    path = mteb / "mteb" / "_evaluators" / "retrieval_metrics.py"
    spec = importlib.util.spec_from_file_location("mteb_metrics", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is missing: unpack MTEB 2.26.24 there.")
    metrics: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(metrics)
    metrics.evaluate_abstention = lambda *_: {}
    return metrics


def write_folder() -> None:
    """Write a small collection and a run by BEIR's own functions."""
    from beir.util import save_runfile, write_to_json, write_to_tsv

    folder = EXPORTS / "beir"
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    write_to_json(str(folder / "corpus.jsonl"), CORPUS)
    write_to_json(str(folder / "queries.jsonl"), QUERIES)
    write_to_tsv(str(folder / "qrels/test.tsv"), {"q1": {"d1": 1, 'd"3': 2}, "q2": {"d2": 1}})
    write_to_tsv(str(folder / "qrels/dev.tsv"), {"q3": {"d1": 1}})
    save_runfile(str(EXPORTS / "beir.run"), RUN)
    (EXPORTS / "beir.json").write_text(json.dumps(RUN) + "\n", encoding="utf-8")


def write_predictions(mteb: Path) -> None:
    """Write predictions by the method of MTEB's tasks, which needs nothing else of a task."""
    source = (mteb / "mteb" / "abstasks" / "abstask.py").read_text(encoding="utf-8")
    begin = source.index("    def _save_task_predictions(")
    method = source[begin : source.index("    @property\n    def prediction_file_name", begin)]
    head = "from __future__ import annotations\nclass Task:\n"
    named = "    prediction_file_name = 'SmallRetrieval_predictions.json'\n"
    space: dict[str, Any] = {"json": json, "Path": Path}
    exec(head + named + method, space)  # noqa: S102 - the method of a known release
    write = getattr(space["Task"](), "_save_task_predictions")  # noqa: B009 - its only writer

    def model(name: str, revision: str) -> SimpleNamespace:
        return SimpleNamespace(mteb_model_meta=SimpleNamespace(name=name, revision=revision))

    one, two = EXPORTS / "mteb", EXPORTS / "mteb-overwritten"
    for folder in (one, two):
        shutil.rmtree(folder, ignore_errors=True)
    small, large = model("org/small", "abc"), model("org/large", "def")
    write(RUN, small, one, "test", "default")
    write(RUN, small, two, "test", "default")
    write(OTHER, large, two, "test", "default")
    write(RUN, small, two, "dev", "de")
    for path in EXPORTS.glob("mteb*/*.json"):
        path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")


def main(beir: Path, mteb: Path, sentence: Path) -> None:
    """Write everything."""
    sys.path[:0] = [str(beir), str(mteb)]
    for name in ("torch", "requests"):
        sys.modules[name] = ModuleType(name)
    sys.modules["torch"].Tensor = object  # type: ignore[attr-defined]
    write_folder()
    made = {}
    metrics = loaded_metrics(mteb)
    for name, seed, answered in (("tied", 7, False), ("distinct", 8, True)):
        qrels, run = drawn(seed, tied=name == "tied", all_answered=answered)
        of_beir = by_beir(qrels, run, all_answered=answered)
        of_mteb = by_mteb(metrics, qrels, run)
        made[name] = {"qrels": qrels, "run": run, "beir": of_beir, "mteb": of_mteb}
        if answered:
            values = by_sentence_transformers(sentence, qrels, run)
            made[name]["sentence-transformers"] = values
    text = json.dumps(made, separators=(",", ":")) + "\n"
    (HELPERS / "beir_scores.json").write_text(text, encoding="utf-8")
    write_predictions(mteb)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
