"""The table of agreement with other tools, held against real collections, query by query.

The tools are asked anew. Those that take milliseconds for a measure of one query are asked about
some queries of each run only: every n-th, so that they are spread over all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import polars as pl
import pytest
from peers import TOOLS, Collection
from real_collections import COLLECTIONS, DATA, nested

import rankreport as rr
from agreement import Tally, compare, rows

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*unsafe cast:Warning"),  # ranx, as Numba compiles it
    pytest.mark.needs("perl"),  # gdeval of ir_measures
    pytest.mark.slow,
]

ASKED = {"ir_measures": 5, "ranx": 25, "sklearn": 10, "pyndeval": 20, "cwl": 3}
"""Of how many queries of each run the slow tools are asked at least, if there are as many."""


def ranked(collection) -> Iterator[tuple[str, Collection]]:
    """Yield each run of a collection of ranked documents."""
    for name, path in collection.runs.items():
        run = nested(rr.read_run(path).collect(), "score")
        yield name, Collection(collection.judgments, run)


def learned() -> Iterator[tuple[str, Collection]]:
    """Yield each ranker of the collection made for learning to rank."""
    scored = pl.read_parquet(DATA / "ltr-lightgbm" / "test_scores.parquet")
    scored = scored.rename({"qid": "query_id"}).with_columns(
        doc_id="d" + pl.col("row").cast(pl.String)
    )
    for ranker in scored.drop("row", "query_id", "doc_id", "label").columns:
        yield ranker, Collection(nested(scored, "label"), nested(scored, ranker))


def diverse() -> Iterator[tuple[str, Collection]]:
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
        yield path.name, Collection(qrels, run, subtopics)


def thinned(given: Collection, n_queries: int) -> Collection:
    """Keep every so many-th query, and at least so many if there are."""
    kept = list(given.qrels)[:: max(1, len(given.qrels) // n_queries)]
    parts = (given.qrels, given.run, given.subtopics)
    return Collection(*(part and {q: part[q] for q in kept if q in part} for part in parts))


def held(systems, *, subtopics):
    """Hold the table against every system of a collection, asking every tool."""
    tally, wrong, left_out = Tally(), [], {}
    for name, given in systems:
        for tool in TOOLS:
            asked = [row for row in rows(tool) if row.subtopics == subtopics]
            few = thinned(given, ASKED[tool]) if tool in ASKED else given
            of_one = compare(tool, asked, few)
            wrong += [(name, *found) for found in of_one.wrong]
            tally += of_one
            left_out[tool] = left_out.get(tool, Counter()) + of_one.left_out
    always = {
        row.theirs
        for tool in TOOLS
        for row in rows(tool)
        if row.subtopics == subtopics and not row.where
    }
    assert wrong == []
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
            "all scores above 0": 5,
            "fewer than 5 relevant returned": 59,
            "no equal scores": 49,
        },
        "ranx": {
            "grades 0 and 1 alone": 10,
            "no equal scores": 804,
        },
        "sklearn": {
            "grades 0 and 1 alone": 60,
            "no equal scores": 303,
            "one relevant of six or more returned": 19,
        },
    },
    "web2012-qrels.adhoc.txt.gz": {
        "ir_measures": {
            "all scores above 0": 45,
            "fewer than 5 relevant returned": 31,
        },
        "ranx": {
            "grades 0 and 1 alone": 23,
            "no equal scores": 606,
            "no grade below 0": 23,
        },
        "sklearn": {
            "grades 0 and 1 alone": 90,
            "no equal scores": 168,
            "no grade below 0": 180,
            "one relevant of six or more returned": 5,
        },
    },
    "codec-document-qrels.txt": {
        "ir_measures": {
            "a number for a name": 36,
            "all scores above 0": 36,
            "fewer than 5 relevant returned": 36,
        },
        "ranx": {
            "grades 0 and 1 alone": 132,
            "no equal scores": 360,
        },
        "sklearn": {
            "grades 0 and 1 alone": 66,
            "no equal scores": 102,
            "one relevant of six or more returned": 32,
        },
    },
    "trec-covid-r1-qrels.txt": {
        "ir_measures": {
            "fewer than 5 relevant returned": 15,
        },
        "ranx": {
            "grades 0 and 1 alone": 90,
        },
        "sklearn": {
            "grades 0 and 1 alone": 30,
            "one relevant of six or more returned": 30,
        },
    },
    "cranfield-qrels.txt": {
        "ir_measures": {
            "all scores above 0": 5,
            "fewer than 5 relevant returned": 31,
            "no equal scores": 31,
        },
        "ranx": {
            "grades 0 and 1 alone": 20,
            "no equal scores": 540,
        },
        "sklearn": {
            "grades 0 and 1 alone": 88,
            "no equal scores": 237,
            "one relevant of six or more returned": 9,
        },
    },
    "rec-ml-100k-qrels.txt": {
        "ir_measures": {
            "fewer than 5 relevant returned": 9,
            "no equal scores": 12,
            "no grade above 4": 30,
            "one judged 0 or higher returned": 7,
        },
        "ranx": {
            "grades 0 and 1 alone": 75,
            "no equal scores": 165,
            "relevant and not relevant ones judged": 75,
        },
        "sklearn": {
            "a judged one returned": 17,
            "a relevant one returned": 8,
            "grades 0 and 1 alone": 26,
            "more than one judged one returned": 29,
            "no equal scores": 69,
            "one relevant of six or more returned": 27,
        },
        "cwl": {
            "no grade above 4": 20,
        },
    },
    "quepid-haystack-qrels.txt": {
        "ir_measures": {
            "a number for a name": 12,
            "all scores above 0": 5,
            "fewer than 5 relevant returned": 5,
            "no equal scores": 4,
            "one judged 0 or higher returned": 2,
            "something returned": 2,
        },
        "ranx": {
            "grades 0 and 1 alone": 13,
            "no equal scores": 126,
            "relevant and not relevant ones judged": 2,
            "something returned": 2,
        },
        "sklearn": {
            "a judged one returned": 2,
            "a relevant one returned": 2,
            "grades 0 and 1 alone": 20,
            "more than one judged one returned": 2,
            "more than one returned": 4,
            "no equal scores": 39,
            "one relevant of six or more returned": 8,
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
            "all scores above 0": 16,
            "fewer than 5 relevant returned": 12,
        },
        "ranx": {
            "grades 0 and 1 alone": 38,
            "no equal scores": 150,
            "relevant and not relevant ones judged": 4,
        },
        "sklearn": {
            "grades 0 and 1 alone": 32,
            "no equal scores": 60,
            "one relevant of six or more returned": 20,
        },
    },
}


@pytest.mark.parametrize("collection", COLLECTIONS, ids=str)
def test_the_numbers_agree_on_real_collections(collection):
    assert held(ranked(collection), subtopics=False) == LEFT_OUT.get(str(collection), {})


def test_the_numbers_agree_where_documents_were_ranked_by_learners():
    assert held(learned(), subtopics=False) == LEFT_OUT.get("ltr-lightgbm", {})


def test_the_numbers_agree_where_judgments_are_of_subtopics():
    assert held(diverse(), subtopics=True) == {}
