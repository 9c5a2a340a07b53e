"""Comparisons drawn at random, with what outputs could disagree on: the same for each number.

Two to eight systems of planted quality, on few or enough queries, some of them without any effect;
equal scores, unjudged documents, missing queries, margins, gates, segments, weights, several
baselines or all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import rankreport as rr

N_DOCUMENTS = 8

SHARES = {
    "unjudged": 0.3,
    "ties": 0.3,
    "missing": 0.1,
    "margin": 0.3,
    "segments": 0.2,
    "weights": 0.1,
    "uncorrected": 0.2,
    "all pairs": 0.25,
    "two baselines": 0.15,
    "gate": 0.5,
    "another baseline": 0.2,
    "across measures": 0.1,
}
"""What is drawn, with its probability."""

RARE = {"clusters": 0.15, "heavy weights": 0.15, "unanswered": 0.15, "model judge": 0.15}
"""What is drawn apart, so that comparisons without them stay the same."""

TRADED = 0.15
"""How often a system has more relevant documents than the first one, but lower, drawn apart too."""

SHORT = 0.25
"""How often one system's lists are short, drawn apart from these too."""

DEEP = 0.5
"""How often the primary measure then looks beyond these lists."""

TWICE = 0.3
"""How often a gate has a second requirement on the primary measure, drawn apart too."""

COLUMN = 0.2
"""How often a column names the systems, in rows of any order."""


@dataclass(frozen=True)
class Generated:
    """A comparison and its gate, or None, with what was drawn."""

    comparison: rr.Comparison
    gate: rr.Gate | None
    traits: frozenset[str]


def generated(number: int) -> Generated:
    """Return the comparison of a number."""
    rng = np.random.default_rng(number)
    traits = frozenset(name for name, share in SHARES.items() if rng.random() < share)
    apart = np.random.default_rng([number, 1])
    traits |= {name for name, share in RARE.items() if apart.random() < share}
    if "model judge" in traits:  # which can be combined with none of these
        traits -= {"weights", "heavy weights", "clusters", "segments", "across measures"}
    if "heavy weights" in traits:
        traits -= {"weights"}
    queries = [f"q{at}" for at in range(int(rng.choice([8, 24, 40, 60])))]
    n_systems = int(rng.choice([2, 2, 3, 3, 4, 5, 8]))
    qrels, runs = _lists(rng, traits, queries, n_systems)
    measures = ["nDCG@5", "RR"] if rng.random() < 0.5 else ["P@2"]
    more = np.random.default_rng([number, 2])
    if more.random() < SHORT:  # a gate fails for one system, whatever its primary measure says
        traits |= {"short lists"}
        system = f"s{more.integers(1, n_systems)}"
        runs[system] = {
            query: dict(sorted(found.items(), key=lambda each: -each[1])[:4])
            for query, found in runs[system].items()
        }
        measures = ["R@8", *measures] if more.random() < DEEP else [*measures, "R@8"]
    if np.random.default_rng([number, 3]).random() < TRADED:
        traits |= {"traded"}
        runs["s1"] = {query: _traded(found, qrels[query]) for query, found in runs["s0"].items()}
        measures = list(dict.fromkeys([*measures, "RR", "R@5"]))
    options = {"resamples": 200, "seed": number, **_options(rng, traits, queries, n_systems)}
    if "unanswered" in traits:
        partly = runs[f"s{apart.integers(n_systems)}"]
        for query in [*partly][1::2]:
            del partly[query]
    if "model judge" in traits:
        judges = {"model": qrels, "human": {query: qrels[query] for query in queries[::2]}}
        made = rr.compare(runs, judges=judges, measures=measures, sample="random", **options)
    else:
        rows = np.random.default_rng([number, 3])
        given: Any = runs
        if rows.random() < COLUMN:
            traits |= {"column"}
            given = _shuffled(runs, rows)
        made = rr.compare(rr.evaluate(qrels, given, measures), **options)
    gate = None
    if "gate" in traits:
        limit = rng.choice(["> -0.2", "> -0.05", "> 0", "> 0.1"])
        required = [f"{measures[0]} {limit}", *(f"{other} > -0.1" for other in measures[1:])]
        twice = np.random.default_rng([number, 4]).random() < TWICE
        required += [f"abs({measures[0]}) < 0.15"] * twice
        gate = rr.gate(made, required)
    return Generated(made, gate, traits)


def _traded(found: dict[str, float], grades: dict[str, int]) -> dict[str, float]:
    """Return a list whose first document is second, and whose others are sorted by their grades."""
    first, second, *others = sorted(found, key=lambda doc: -found[doc])
    best_first = sorted(others, key=lambda doc: -grades.get(doc, 0))
    return {doc: -float(at) for at, doc in enumerate([second, first, *best_first])}


def one_system(number: int) -> rr.Evaluation:
    """Return the evaluation of one system alone."""
    rng = np.random.default_rng(number)
    qrels, runs = _lists(rng, frozenset({"missing"}), [f"q{at}" for at in range(40)], 1)
    return rr.evaluate(qrels, runs, ["nDCG@5", "RR"])


def _lists(
    rng: np.random.Generator, traits: frozenset[str], queries: list[str], n_systems: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return judgments and runs."""
    grades = rng.integers(0, 3, size=(len(queries), N_DOCUMENTS))
    judged = rng.random(grades.shape) < (0.6 if "unjudged" in traits else 1.0)
    judged[:, 0], grades[:, 0] = True, 1
    qrels = {
        query: {f"d{doc}": int(grades[at, doc]) for doc in np.flatnonzero(judged[at])}
        for at, query in enumerate(queries)
    }
    shared = rng.normal(size=grades.shape)
    runs = {}
    for system in range(n_systems):
        quality, noise = rng.choice([0.0, 0.0, 0.5, 1.5]), rng.choice([0.1, 1.0])
        scores = quality * grades + shared + noise * rng.normal(size=grades.shape)
        # Of unjudged documents, those of one system may be relevant, and count as not.
        scores += 1.0 * (~judged if system == n_systems - 1 else False)
        scores = np.round(scores) if "ties" in traits and rng.random() < 0.7 else scores
        kept = rng.random(len(queries)) < (0.5 if "missing" in traits and system == 0 else 1.0)
        kept[0] = True
        runs[f"s{system}"] = {
            query: {f"d{doc}": float(score) for doc, score in enumerate(scores[at])}
            for at, query in enumerate(queries)
            if kept[at]
        }
    return qrels, runs


def _shuffled(runs: dict[str, Any], rng: np.random.Generator) -> pl.DataFrame:
    """Return runs as one table, in rows of any order."""
    rows = [
        (system, query, doc, score)
        for system, run in runs.items()
        for query, found in run.items()
        for doc, score in found.items()
    ]
    columns = ["system", "query_id", "doc_id", "score"]
    return pl.DataFrame(rows, schema=columns, orient="row")[rng.permutation(len(rows))]


def _options(
    rng: np.random.Generator, traits: frozenset[str], queries: list[str], n_systems: int
) -> dict[str, Any]:
    """Return the options of `compare`."""
    pairs: dict[str, Any] = (
        {"baseline": f"s{n_systems - 1}"} if "another baseline" in traits else {}
    )
    if "two baselines" in traits and n_systems > 2:
        pairs = {"baseline": ["s0", "s1"]}
    heavy = {query: 30.0 if at < 2 else 1.0 for at, query in enumerate(queries)}
    known = {
        "clusters": {"clusters": {query: at // 3 for at, query in enumerate(queries)}},
        "margin": {"margin": float(rng.choice([0.01, 0.1, 0.3]))},
        "segments": {
            "segments": {query: "even" if at % 2 else "odd" for at, query in enumerate(queries)}
        },
        "weights": {"weights": {query: 1.0 + at % 3 for at, query in enumerate(queries)}},
        "heavy weights": {"weights": heavy},
        "uncorrected": {"correction": "none"},
        "across measures": {"across": "measures"},
        "all pairs": {"pairs": "all"},
    }
    drawn = {key: value for name in traits & {*known} for key, value in known[name].items()}
    return {**pairs, **drawn}
