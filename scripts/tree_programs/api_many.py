"""Show a comparison of so many queries that buckets of them are drawn."""

from __future__ import annotations

import polars as pl

import rankreport as rr
from tree_programs.showing import called, show

N_QUERIES = 52_000


def main() -> None:
    """Compare two systems on more than 50,000 queries."""
    ids = [f"q{at:05}" for at in range(N_QUERIES)]
    qrels = pl.DataFrame({"query_id": ids, "doc_id": "d", "relevance": 1})
    runs = {
        name: pl.concat(
            [
                pl.DataFrame({"query_id": ids, "doc_id": "d"}).with_columns(
                    score=pl.Series([float((at * step) % 7) for at in range(N_QUERIES)])
                ),
                pl.DataFrame({"query_id": ids, "doc_id": "e", "score": 3.5}),
            ]
        )
        for name, step in (("one", 3), ("two", 5))
    }
    comparison = rr.compare(rr.evaluate(qrels, runs, ["RR"]), resamples=200)
    show("comparison", comparison)
    called(comparison, "table", "verdict", "cautions", "means")


if __name__ == "__main__":
    main()
