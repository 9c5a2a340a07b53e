"""The table of agreement with other tools, held against real collections, query by query.

The tools are asked about some of the queries of a collection, spread over all of them, each with
the documents that another of the runs returned. So they see what each of the runs is like, and one
evaluation of ours answers for all runs. `test_peers.py` asks pytrec_eval about every query of
every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import polars as pl
import pytest
from peers import TOOLS, Collection
from real_collections import DATA, DIFFERENT, nested

import rankreport as rr
from agreement import Tally, compare, rows

pytestmark = [
    pytest.mark.needs("perl"),  # gdeval of ir_measures
    pytest.mark.slow,
]

ASKED = {
    "pytrec_eval": 75,
    "ir_measures": 12,
    "ranx": 75,
    "sklearn": 24,
    "pyndeval": 40,
    "cwl": 12,
}
"""Of how many queries of a collection the tools are asked, if there are as many.

No collection has more runs than the least of these, so that every run is asked about.
"""


def ranked(collection) -> Iterator[Collection]:
    """Yield each run of a collection of ranked documents."""
    for path in collection.runs.values():
        run = nested(rr.read_run(path).collect(), "score")
        yield Collection(collection.judgments, run)


def learned() -> Iterator[Collection]:
    """Yield each ranker of the collection made for learning to rank."""
    scored = pl.read_parquet(DATA / "ltr-lightgbm" / "test_scores.parquet")
    scored = scored.rename({"qid": "query_id"}).with_columns(
        doc_id="d" + pl.col("row").cast(pl.String)
    )
    for ranker in scored.drop("row", "query_id", "doc_id", "label").columns:
        yield Collection(nested(scored, "label"), nested(scored, ranker))


def diverse() -> Iterator[Collection]:
    """Yield each run of the collection whose judgments are of subtopics."""
    folder = DATA / "web2012"
    judged = rr.read_qrels(folder / "qrels.diversity.txt.gz", subtopics=True).collect()
    subtopics: dict[str, dict[str, dict[str, int]]] = {}
    for row in judged.iter_rows(named=True):
        documents = subtopics.setdefault(row["query_id"], {})
        documents.setdefault(row["doc_id"], {})[row["subtopic"]] = int(row["relevance"])
    qrels = {
        query: {document: max(grades.values()) for document, grades in row.items()}
        for query, row in subtopics.items()
    }
    for path in sorted(folder.glob("runs/*")):
        run = nested(rr.read_run(path).collect(), "score")
        yield Collection(qrels, run, subtopics)


def in_turn(runs: list[Collection], n_queries: int) -> Collection:
    """Keep so many queries, spread over all, each with what the next of the runs returned."""
    qrels, subtopics = runs[0].qrels, runs[0].subtopics
    n = min(n_queries, len(qrels))
    kept = [list(qrels)[at * len(qrels) // n] for at in range(n)]
    of_query = dict(zip(kept, cycle(given.run for given in runs), strict=False))
    return Collection(
        {query: qrels[query] for query in kept},
        {query: run[query] for query, run in of_query.items() if query in run},
        subtopics and {query: subtopics[query] for query in kept},
    )


def held(systems, *, subtopics):
    """Hold the table against every system of a collection, asking every tool."""
    runs = list(systems)
    assert len(runs) <= min(ASKED.values())
    tally, left_out = Tally(), {}
    for tool in TOOLS:
        asked = [row for row in rows(tool) if row.subtopics == subtopics]
        of_one = compare(tool, asked, in_turn(runs, ASKED[tool]))
        tally += of_one
        left_out[tool] = of_one.left_out
    always = {
        row.theirs
        for tool in TOOLS
        for row in rows(tool)
        if row.subtopics == subtopics and not row.where
    }
    assert tally.wrong == []
    assert always - set(tally.compared) == set()
    return {tool: dict(counted) for tool, counted in left_out.items() if counted}


# How many queries are left out for each condition.
LEFT_OUT = {
    "trec_eval_test-qrels.test": {
        "ir_measures": {
            "fewer than 5 relevant returned": 3,
            "no equal scores": 3,
        },
        "ranx": {
            "no equal scores": 9,
        },
        "sklearn": {
            "no equal scores": 9,
        },
    },
    "robust2003-qrels.txt.gz": {
        "ir_measures": {
            "all scores above 0": 1,
            "fewer than 5 relevant returned": 11,
            "no equal scores": 10,
        },
        "ranx": {
            "grades 0 and 1 alone": 2,
            "no equal scores": 201,
        },
        "sklearn": {
            "grades 0 and 1 alone": 11,
            "no equal scores": 63,
            "one relevant of six or more returned": 3,
        },
    },
    "web2012-qrels.adhoc.txt.gz": {
        "ir_measures": {
            "all scores above 0": 12,
            "fewer than 5 relevant returned": 10,
        },
        "ranx": {
            "grades 0 and 1 alone": 8,
            "no equal scores": 126,
            "no grade below 0": 8,
        },
        "sklearn": {
            "a relevant one returned": 5,
            "grades 0 and 1 alone": 24,
            "no equal scores": 42,
            "no grade below 0": 48,
            "one relevant of six or more returned": 2,
        },
    },
    "codec-document-qrels.txt": {
        "ir_measures": {
            "a number for a name": 12,
            "all scores above 0": 12,
            "fewer than 5 relevant returned": 12,
        },
        "ranx": {
            "grades 0 and 1 alone": 22,
            "no equal scores": 60,
        },
        "sklearn": {
            "grades 0 and 1 alone": 24,
            "no equal scores": 33,
            "one relevant of six or more returned": 13,
        },
    },
    "rec-ml-100k-qrels.txt": {
        "ir_measures": {
            "fewer than 5 relevant returned": 2,
            "no equal scores": 5,
            "no grade above 4": 12,
            "one judged 0 or higher returned": 5,
        },
        "ranx": {
            "grades 0 and 1 alone": 44,
            "no equal scores": 93,
            "relevant and not relevant ones judged": 44,
        },
        "sklearn": {
            "a judged one returned": 8,
            "a relevant one returned": 13,
            "grades 0 and 1 alone": 12,
            "more than one judged one returned": 24,
            "no equal scores": 30,
            "one relevant of six or more returned": 11,
        },
        "cwl": {
            "no grade above 4": 12,
        },
    },
    "quepid-haystack-qrels.txt": {
        "ir_measures": {
            "a number for a name": 12,
            "all scores above 0": 6,
            "fewer than 5 relevant returned": 2,
            "no equal scores": 3,
            "one judged 0 or higher returned": 1,
            "one not relevant returned": 2,
            "something returned": 1,
        },
        "ranx": {
            "grades 0 and 1 alone": 20,
            "no equal scores": 153,
            "relevant and not relevant ones judged": 4,
            "something returned": 1,
        },
        "sklearn": {
            "a judged one returned": 2,
            "a relevant one returned": 8,
            "grades 0 and 1 alone": 18,
            "more than one judged one returned": 4,
            "more than one returned": 4,
            "no equal scores": 48,
            "one relevant of six or more returned": 7,
        },
    },
    "ir_measures_fixtures-compat.qrels": {
        "ir_measures": {
            "a number for a name": 2,
            "fewer than 5 relevant returned": 2,
        },
        "ranx": {
            "grades 0 and 1 alone": 2,
        },
        "sklearn": {
            "grades 0 and 1 alone": 2,
            "one relevant of six or more returned": 2,
        },
        "cwl": {
            "no grade above 4": 2,
        },
    },
    "ir_measures_fixtures-cwl.qrels": {
        "ir_measures": {
            "a number for a name": 3,
            "fewer than 5 relevant returned": 2,
        },
        "sklearn": {
            "one relevant of six or more returned": 3,
        },
    },
    "ltr-lightgbm": {
        "ir_measures": {
            "all scores above 0": 10,
            "fewer than 5 relevant returned": 11,
        },
        "ranx": {
            "grades 0 and 1 alone": 23,
            "no equal scores": 69,
            "relevant and not relevant ones judged": 1,
        },
        "sklearn": {
            "grades 0 and 1 alone": 21,
            "no equal scores": 39,
            "one relevant of six or more returned": 11,
        },
    },
}


@pytest.mark.parametrize("collection", DIFFERENT, ids=str)
def test_the_numbers_agree_on_real_collections(collection):
    assert held(ranked(collection), subtopics=False) == LEFT_OUT.get(str(collection), {})


def test_the_numbers_agree_where_documents_were_ranked_by_learners():
    assert held(learned(), subtopics=False) == LEFT_OUT.get("ltr-lightgbm", {})


def test_the_numbers_agree_where_judgments_are_of_subtopics():
    assert held(diverse(), subtopics=True) == {}
