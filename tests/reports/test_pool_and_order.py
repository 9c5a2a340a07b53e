"""The section on pool and order: its sentence, and when there is one."""

from __future__ import annotations

import pytest

import rankreport as rr
from rankreport.reports.sections.pool_and_order import pool_and_order_of

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 1}}
OLD = {"q1": ["x", "y", "a"], "q2": ["a", "x", "b"]}


def sections(subject):
    return list(pool_and_order_of(rr.report(subject).content))


def sentence_of(new, measure="P@2", n=1):
    """Return the sentence on the lists, each of which `n` queries have."""

    def several(lists):
        return {f"{query}-{at}": each for query, each in lists.items() for at in range(n)}

    systems = {"old": several(OLD), "new": several(new)}
    (section,) = sections(rr.compare(several(QRELS), systems, measure))
    return section.paragraphs[0].replace("\N{NO-BREAK SPACE}", " ")


def test_a_difference_is_that_of_the_pool_and_of_the_order():
    # Old could have 1/2 and 1, new 1 and 1; old loses 1/2 and 1/2 of it, new 1/2 and nothing.
    assert sentence_of({"q1": ["a", "x", "b"], "q2": ["b", "a"]}, n=10) == (
        "new minus old on P@2: +0.500 in all, +0.250 from finding more relevant "
        "documents, +0.250 from ordering them better."
    )
    assert sentence_of({"q1": ["x", "y", "z"], "q2": ["b", "a"]}, n=10) == (
        "new minus old on P@2: +0.250 in all, -0.250 from finding fewer relevant "
        "documents, +0.500 from ordering them better."
    )
    # AP of old is 1/6 of 1/2 and 5/6 of 1, that of new 7/12 of 1 twice.
    # The second queries are lost: their pool is the same, their order 7/12 of 1 in place of 5/6.
    assert sentence_of({"q1": ["x", "a", "b"], "q2": ["x", "a", "b"]}, "AP", n=20) == (
        "new minus old on AP of the first 3 documents: +0.083 in all, +0.250 from finding more "
        "relevant documents, -0.167 from ordering them worse. In the 20 queries that lost on AP of "
        "the first 3 documents: 0.000 from the documents found, -0.250 from their order."
    )


def test_no_change_is_clear_where_the_interval_of_a_part_holds_0():
    assert sentence_of({"q1": ["a", "x", "b"], "q2": ["b", "a"]}) == (
        "new minus old on P@2: +0.500 in all, +0.250 from the documents found (not clear), "
        "+0.250 from their order (not clear)."
    )


def test_the_same_pool_leaves_the_order_alone():
    assert sentence_of({"q1": ["a", "x", "y"], "q2": ["b", "x", "a"]}, "AP") == (
        "new minus old on AP of the first 3 documents: +0.167, by order alone: both return "
        "the same first 3 documents."
    )


def test_a_system_misses_what_is_not_retrieved_and_what_is_ranked_low():
    evaluation = rr.evaluate(QRELS, {"old": OLD}, "P@2")
    (section,) = sections(evaluation)
    assert section.paragraphs[0] == (
        "old reaches 0.250 of 1.000 possible on P@2: 0.250 is missed because relevant documents "
        "were not retrieved, 0.500 because they are ranked low."
    )


@pytest.mark.parametrize("measure", ["P", "AUC"])
def test_there_is_none_where_values_have_no_such_parts(measure):
    assert sections(rr.evaluate(QRELS, {"old": OLD}, measure)) == []


def test_a_loaded_comparison_has_the_same_section(tmp_path):
    path, new = tmp_path / "scores.parquet", {"q1": ["a", "x", "y"], "q2": ["b", "x", "a"]}
    evaluation = rr.evaluate(QRELS, {"old": OLD, "new": new}, "AP")
    evaluation.write_parquet(path)
    (section,), (loaded,) = (
        sections(rr.compare(each)) for each in (evaluation, rr.load_evaluation(path))
    )
    assert loaded.paragraphs == section.paragraphs
    assert loaded.parts == section.parts
