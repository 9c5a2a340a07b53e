"""The script that people write for themselves: the mean nDCG of ``label qid score`` lines.

Lines are grouped by query, sorted by score, highest first, equal scores in the order of the lines
(Python's sort is stable). The gain is the label, the discount log2(1 + rank), the ideal the best
order of the same labels; a query without a positive label scores 0, and all queries count alike.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable


def dcg(labels: Iterable[float], k: int | None) -> float:
    return sum(label / math.log2(rank + 2) for rank, label in enumerate([*labels][:k]))


def ndcg(rows: list[tuple[float, float]], k: int | None = None) -> float:
    ranked = [label for _, label in sorted(rows, key=lambda row: -row[0])]
    best = dcg(sorted(ranked, reverse=True), k)
    return dcg(ranked, k) / best if best > 0 else 0.0


def mean_ndcg(lines: Iterable[str], k: int | None = None) -> float:
    queries: dict[str, list[tuple[float, float]]] = {}
    for line in lines:
        label, query, score = line.split()
        queries.setdefault(query, []).append((float(score), float(label)))
    return sum(ndcg(rows, k) for rows in queries.values()) / len(queries)


if __name__ == "__main__":
    sys.stdout.write(repr(mean_ndcg(sys.stdin, int(sys.argv[1]) if len(sys.argv) > 1 else None)))
