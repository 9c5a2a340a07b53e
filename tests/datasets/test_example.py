"""The example data is what its README says it is."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import rankreport as rr

README = Path(__file__).parents[2] / "scripts" / "stdlib_collection" / "README.md"
SYSTEMS = ["bm25", "bm25-names", "char-ngrams", "fusion"]
EXAMPLE = rr.load_example()
FOLDER = EXAMPLE.qrels.parent


def rows(system):
    return rr.read_run(EXAMPLE.runs[system]).collect().rows()


@pytest.fixture(scope="module")
def runs():
    """Every system's rows, best first, as trec_eval orders them: by score, then id, descending."""
    ordered = {}
    for system in SYSTEMS:
        lists = {}
        for query, doc, score in rows(system):
            lists.setdefault(query, []).append((score, doc))
        ordered[system] = {query: sorted(docs, reverse=True) for query, docs in lists.items()}
    return ordered


def judgments(name="judgments.csv"):
    return pl.read_csv(FOLDER / name, schema_overrides={"query_id": pl.String}).rows(named=True)


def test_four_systems_answer_sixty_questions_to_a_depth_of_100(runs):
    assert list(EXAMPLE.runs) == SYSTEMS
    questions = set(rr.read_queries(EXAMPLE.queries)["query_id"])
    assert len(questions) == 60
    assert {row["query_id"] for row in judgments()} == questions
    for system, lists in runs.items():
        assert set(lists) <= questions
        assert len(lists) == (58 if system.startswith("bm25") else 60)
        lengths = [len(docs) for docs in lists.values()]
        assert max(lengths) == 100
        assert all(score > 0 for docs in lists.values() for score, _ in docs)
        for docs in lists.values():
            assert len({doc for _, doc in docs}) == len(docs)


def test_both_bm25_systems_leave_the_same_two_questions_unanswered():
    texts = dict(rr.read_queries(EXAMPLE.queries).select("query_id", "text").rows())
    unanswered = rr.evaluate(EXAMPLE.qrels, EXAMPLE.runs, ["RR"]).unanswered.rows()
    assert {system for system, _ in unanswered} == {"bm25", "bm25-names"}
    assert sorted(texts[query] for _, query in unanswered) == sorted(["strptme", "mkdirp"] * 2)


def test_some_scores_tie_above_all_in_fusion(runs):
    tied = {
        system: sum(a[0] == b[0] for docs in lists.values() for a, b in pairwise(docs))
        for system, lists in runs.items()
    }
    assert all(tied.values())
    assert tied["fusion"] == max(tied.values())
    quality = rr.evaluate(EXAMPLE.qrels, EXAMPLE.runs, ["RR"]).quality
    assert (quality["n_tied"] > 0).all()


def test_the_files_are_in_the_order_in_which_trec_eval_ranks(runs):
    for system in SYSTEMS:
        for query, docs in runs[system].items():
            stored = [(score, doc) for q, doc, score in rows(system) if q == query]
            assert stored == docs, (system, query)
            if query > "q05":  # a few are enough: every look reads the file
                break


def test_the_judged_documents_are_the_top_tens_of_all_systems(runs):
    pool = {
        (query, doc)
        for lists in runs.values()
        for query, docs in lists.items()
        for _, doc in docs[:10]
    }
    judged = [(row["query_id"], row["doc_id"]) for row in judgments()]
    assert len(judged) == len(set(judged))
    assert set(judged) == pool
    returned = {
        (query, doc) for lists in runs.values() for query, docs in lists.items() for _, doc in docs
    }
    assert len(returned - pool) > len(pool)  # most of what is returned nobody judged


def test_every_judgment_has_a_grade_and_a_reason():
    for name in ("judgments.csv", "second_judgments.csv"):
        given = judgments(name)
        assert list(given[0]) == ["query_id", "doc_id", "relevance", "reason"]
        assert {row["relevance"] for row in given} == {0, 1, 2, 3}
        assert all(row["reason"].strip() for row in given)
    relevant = {row["query_id"] for row in judgments() if row["relevance"] > 0}
    assert len(relevant) == 60


def agreement():
    """Pair the two grades of every document that was judged twice."""
    first = {(row["query_id"], row["doc_id"]): row["relevance"] for row in judgments()}
    return [
        (first[row["query_id"], row["doc_id"]], row["relevance"])
        for row in judgments("second_judgments.csv")
    ]


def kappa(pairs, power):
    """Cohen's weighted kappa, from the mean distance of the pairs and of all pairs by chance."""
    distances = [abs(a - b) ** power for a, b in pairs]
    by_chance = [abs(a - b) ** power for a, _ in pairs for _, b in pairs]
    return 1 - (sum(distances) / len(distances)) / (sum(by_chance) / len(by_chance))


def test_a_tenth_was_judged_twice_and_agrees_as_the_readme_says():
    pairs = agreement()
    assert len(pairs) == -(-len(judgments()) // 10)
    text = " ".join(README.read_text(encoding="utf-8").split())
    found_there = re.search(
        r"over (\d+) documents: \*\*weighted kappa ([\d.]+) \(linear weights\), ([\d.]+) "
        r"\(quadratic\)\*\*; (\d+) % have the same grade, and no two grades differ by more than "
        r"one",
        text,
    )
    assert found_there, "the README says it in other words now"
    same = sum(a == b for a, b in pairs) / len(pairs)
    found = (
        str(len(pairs)),
        f"{kappa(pairs, 1):.2f}",
        f"{kappa(pairs, 2):.2f}",
        f"{100 * same:.0f}",
    )
    assert found_there.groups() == found
    assert max(abs(a - b) for a, b in pairs) == 1
    assert round(10 * Counter(pairs)[0, 0] / len(pairs)) == 7  # "70 % are 0 in both passes"


def test_kappa_is_the_textbooks_on_a_case_worked_by_hand():
    # Agreement 3 of 4; by chance (2*1 + 2*3) / 16 = 1/2: kappa (3/4 - 1/2) / (1/2).
    assert kappa([(0, 0), (0, 1), (1, 1), (1, 1)], 1) == 0.5


def test_the_questions_have_columns_to_slice_by():
    questions = rr.read_queries(EXAMPLE.queries)
    assert questions.columns == ["query_id", "text", "topic", "length", "frequency"]
    assert not questions.null_count().sum_horizontal().item()
    assert questions["text"].n_unique() == 60
    assert set(questions["frequency"]) == {"head", "torso", "tail"}
    assert min(questions["topic"].value_counts()["count"]) >= 2
    for text, length in questions.select("text", "length").rows():
        words = len(text.split())
        assert length == ("short" if words <= 3 else "medium" if words <= 7 else "long"), text


def test_the_data_is_small_and_complete():
    files = {p.relative_to(FOLDER).as_posix(): p for p in FOLDER.rglob("*") if p.is_file()}
    assert set(files) == {
        *("judgments.csv", "second_judgments.csv", "questions.csv"),
        *("documents.parquet", "LICENSE-PSF"),
        *(f"runs/{system}.parquet" for system in SYSTEMS),
    }
    assert sum(path.stat().st_size for path in files.values()) < 1_000_000


def test_every_judged_document_has_a_text():
    documents = pl.read_parquet(EXAMPLE.documents)
    assert set(documents["doc_id"]) == {row["doc_id"] for row in judgments()}
    assert documents["doc_id"].is_unique().all()
    assert documents["text"].str.len_chars().is_between(1, 600).all()
    assert EXAMPLE.documents.stat().st_size < 200_000
    assert "Python Software Foundation" in (FOLDER / "LICENSE-PSF").read_text(encoding="utf-8")


def test_the_readme_counts_what_is_there():
    text = README.read_text(encoding="utf-8")
    assert "Sixty questions written for this collection" in text
    assert "at most 100 documents, none with\n   score 0" in text
    assert "`strptme`" in text
    assert "`mkdirp`" in text
