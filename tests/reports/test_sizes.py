"""How large a page is: small enough for a mail, however many queries there are."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from markup import by_id, named, parsed

import rankreport as rr


def collection(n_queries, n_systems, n_documents=10):
    """Make judgments, runs that find them the better the later they come, and texts."""
    rng = np.random.default_rng(1)
    query = np.repeat([f"query-{at:05d}" for at in range(n_queries)], n_documents)
    doc = np.tile([f"document-{at:05d}" for at in range(n_documents)], n_queries)
    grades = rng.integers(0, 3, len(query))
    qrels = pl.DataFrame({"query_id": query, "doc_id": doc, "grade": grades})
    runs = {
        f"system-{at}": qrels.select(
            "query_id", "doc_id", score=pl.Series(rng.normal(grades * at / 4))
        )
        for at in range(n_systems)
    }
    names = qrels["query_id"].unique(maintain_order=True)
    words = np.array(["how", "to", "sort", "copy", "read", "a", "list", "of", "many", "names"])
    texts = [" ".join(rng.choice(words, 7)) for _ in names]
    return qrels, runs, pl.DataFrame({"query_id": names, "text": texts})


def written(folder, n_queries, n_systems, *measures):
    qrels, runs, queries = collection(n_queries, n_systems)
    evaluation = rr.evaluate(qrels, runs, *measures)
    path = folder / "report.html"
    _, *beside = rr.report(rr.compare(evaluation), queries=queries).to_html(path)
    return path, beside


@pytest.mark.slow
def test_a_page_of_fifty_queries_and_four_systems(tmp_path):
    path, beside = written(tmp_path, 50, 4)
    assert beside == []
    tree = parsed(path.read_text(encoding="utf-8"))
    tables = named(by_id(tree, "all-queries"), "table")
    assert [len(named(table, "tr")) - 1 for table in tables] == [50] * 3
    assert path.stat().st_size < 400_000


def test_a_page_of_sixty_queries_of_a_real_collection(four):
    assert four.page.stat().st_size < 400_000


def stored(beside):
    """Return the number of queries in each table beside a page."""
    return [pl.read_parquet(file).height for file in beside if file.suffix == ".parquet"]


def n_listed(path):
    """Return the number of queries in the only table of all queries."""
    (table,) = named(by_id(parsed(path.read_text(encoding="utf-8")), "all-queries"), "table")
    return len(named(table, "tr")) - 1


@pytest.mark.slow
def test_a_page_of_many_queries(tmp_path):
    path, beside = written(tmp_path, 2_000, 2, ["nDCG@10"])
    assert path.stat().st_size < 2_000_000
    assert n_listed(path) == 2_000
    assert stored(beside) == []


@pytest.mark.slow
def test_beyond_the_listed_queries_a_page_does_not_grow(tmp_path):
    sizes = []
    for n_queries in (5_000, 55_000):
        (folder := tmp_path / str(n_queries)).mkdir()
        path, beside = written(folder, n_queries, 2, ["nDCG@10"])
        assert n_listed(path) == 500
        assert stored(beside) == [n_queries]
        sizes.append(path.stat().st_size)
    assert sizes[1] < 1.03 * sizes[0]
