"""Write tests/helpers/rbo_values.json: rank-biased overlap with ties by another implementation.

It takes the path of rbo/Python/rbo.py of https://github.com/julian-urbano/sigir2024-rbo, the code
that Corsi and Urbano published with their paper (SIGIR 2024):

    python scripts/rbo_values.py PATH/rbo.py

The rankings are drawn here; a ranking is written with > between ranks and = between documents with
equal scores.
"""

from __future__ import annotations

import json
import random
import runpy
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

TARGET = Path(__file__).parents[1] / "tests" / "helpers" / "rbo_values.json"
MADE = (
    "By rbo.py of github.com/julian-urbano/sigir2024-rbo at commit 0338fd9 under numpy "
    f"{np.__version__}: scripts/rbo_values.py."
)
COLUMNS = "extrapolated, least and greatest rank-biased overlap, by how ties are treated"

Ranking = list[list[str]]


def drawn(rng: random.Random, pool: list[str], n: int) -> Ranking:
    """Draw a ranking of n documents, with blocks of equal scores."""
    documents, blocks = rng.sample(pool, n), []
    while documents:
        size = rng.choice([1, 1, 1, 2, 3, 5]) if rng.random() < 0.8 else len(documents)
        blocks.append(documents[:size])
        documents = documents[size:]
    return blocks


def pairs(rng: random.Random) -> list[tuple[Ranking, Ranking, float]]:
    """Draw pairs of rankings: with ties and without, of equal documents and of others."""
    found = []
    for number in range(150):
        pool = [f"d{i}" for i in range(rng.choice([8, 14, 30]))]
        x, y = (drawn(rng, pool, rng.randint(1, len(pool) * 3 // 4)) for _ in range(2))
        if number % 5 == 0:
            x, y = ([[d] for block in ranking for d in block] for ranking in (x, y))
        if number % 25 == 1:
            y = x
        if number % 25 == 2:
            y = [[f"{d}x" for d in block] for block in y]
        found.append((x, y, rng.choice([0.5, 0.8, 0.9, 0.95, 0.99])))
    return found


def main() -> None:
    """Write the file."""
    vars(np)["in1d"] = np.isin  # removed from numpy since that code was written
    rbo = runpy.run_path(sys.argv[1])["rbo"]
    warnings.simplefilter("ignore")  # of means over no document
    cases = []
    for x, y, p in pairs(random.Random(19)):  # noqa: S311 - test data
        case: dict[str, Any] = {"x": written(x), "y": written(y), "p": p}
        for variant in "abw":
            values = rbo(as_sets(x), as_sets(y), p, variant)
            case[variant] = [float(values[kind]) for kind in ("ext", "min", "max")]
        cases.append(json.dumps(case))
    head = f'{{\n"made": {json.dumps(MADE)},\n"columns": {json.dumps(COLUMNS)},\n"cases": [\n'
    TARGET.write_text(head + ",\n".join(cases) + "\n]\n}\n", encoding="utf-8")


def as_sets(ranking: Ranking) -> list[Any]:
    """Return a ranking as that code takes it."""
    return [block[0] if len(block) == 1 else set(block) for block in ranking]


def written(ranking: Ranking) -> str:
    """Return a ranking as text."""
    return " > ".join("=".join(block) for block in ranking)


if __name__ == "__main__":
    main()
