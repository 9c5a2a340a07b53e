"""Write the beginnings of the pooled documents' texts, for reports to show.

Usage: `python scripts/stdlib_collection/texts.py`

Only documents with a judgment are written: those are the first ten of every system.
"""

import polars as pl

from collection import JUDGMENTS, TEXTS
from corpus import build_corpus

LONGEST = 600
"""The number of characters kept of a docstring: enough to choose a passage from."""

SCHEMA = {"doc_id": pl.String, "text": pl.String}


def main() -> None:
    """Write the texts, and say how many."""
    pooled = set(pl.read_csv(JUDGMENTS)["doc_id"])
    rows = [
        (document.doc_id, f"{document.signature} {' '.join(document.docstring.split())}"[:LONGEST])
        for document in build_corpus()
        if document.doc_id in pooled
    ]
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row").with_columns(
        pl.col("text").str.strip_chars()
    )
    frame.write_parquet(TEXTS, compression="zstd", compression_level=19)
    print(f"{frame.height} of {len(pooled)} documents")


if __name__ == "__main__":
    main()
