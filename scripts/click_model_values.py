"""Write tests/helpers/click_model_values.json: click models fitted by another implementation.

It takes the path of a checkout of https://github.com/markovi/PyClick, the code of Chuklin, Markov
and de Rijke's Click Models for Web Search (2015):

    python scripts/click_model_values.py PATH

The log is drawn here: lists of documents with the places of the clicks. That code adds a click in
two impressions to every parameter; here this prior is so small that the values are those of maximum
likelihood.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "tests" / "helpers" / "click_model_values.json"
MADE = "By github.com/markovi/PyClick at commit 98e7e46: scripts/click_model_values.py."
PRIOR = 1e-9
STEPS = 4_000
N_LISTS, DEPTH, N_DOCUMENTS = 400, 5, 7
QUERIES = ("jazz", "blues")

Shown = tuple[str, list[str], list[int]]


def log(rng: random.Random) -> list[Shown]:
    """Draw lists in nearly one order, read from the top until patience ends."""
    appeal = {(query, d): rng.uniform(0.1, 0.8) for query in QUERIES for d in range(N_DOCUMENTS)}
    found = []
    for _ in range(N_LISTS):
        query = rng.choice(QUERIES)
        order = sorted(range(N_DOCUMENTS), key=lambda d: d + rng.gauss(0, 2))[:DEPTH]
        clicks, rank = [], 0
        while rank < DEPTH and (rank == 0 or rng.random() < 0.8):
            clicks += [rank] if rng.random() < appeal[query, order[rank]] else []
            rank += 1
        found.append((query, [f"d{d}" for d in order], clicks))
    return found


def sessions(lists: list[Shown], code: Any) -> list[Any]:
    """Return the lists as that code takes them."""
    found = []
    for query, documents, clicks in lists:
        session = code.SearchSession(query)
        session.web_results = [
            code.SearchResult(document, int(rank in clicks))
            for rank, document in enumerate(documents)
        ]
        found.append(session)
    return found


def main() -> None:
    """Write the file."""
    sys.path.insert(0, sys.argv[1])
    models = importlib.import_module("pyclick.click_models")
    param = importlib.import_module("pyclick.click_models.Param")
    ctr = importlib.import_module("pyclick.click_models.CTR")
    inference = importlib.import_module("pyclick.click_models.Inference")

    def vague(self: Any) -> None:
        self._numerator, self._denominator = PRIOR, 2 * PRIOR

    for kind in (param.ParamMLE, param.ParamEM):
        kind.__init__ = vague
    # A probability at the bound would keep its distance from 1.
    param.ParamEM.PROB_MIN = 1e-12
    lists = log(random.Random(23))  # noqa: S311 - test data
    read = sessions(lists, importlib.import_module("pyclick.search_session"))
    pairs = sorted({(query, d) for query, documents, _ in lists for d in documents})

    def of_pairs(model: Any, kind: str) -> list[list[Any]]:
        known = model.params[model.param_names[kind]]
        return [[query, document, known.get(query, document).value()] for query, document in pairs]

    def of_ranks(model: Any, kind: str) -> list[float]:
        known = model.params[model.param_names[kind]]
        return [known.get(rank).value() for rank in range(DEPTH)]

    rates, by_rank, cascade, position_based = ctr.DCTR(), ctr.RCTR(), models.CM(), models.PBM()
    for model in (rates, by_rank, cascade):
        model.train(read)
    inference.EMInference(STEPS).infer_params(position_based, read)
    documents = {
        "ctr": of_pairs(rates, "ctr"),
        "cascade": of_pairs(cascade, "attr"),
        "pbm": of_pairs(position_based, "attr"),
    }
    ranks = {"ctr": of_ranks(by_rank, "ctr"), "pbm": of_ranks(position_based, "exam")}
    values = {"made": MADE, "documents": documents, "ranks": ranks}
    rows = ",\n".join(json.dumps([query, " ".join(d), c]) for query, d, c in lists)
    head = json.dumps(values)[:-1]
    TARGET.write_text(f'{head},\n"lists": [\n{rows}\n]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
