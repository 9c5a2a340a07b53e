from __future__ import annotations

import pytest

import rankreport as rr
from rankreport.comparison.pool_and_order import split_by_query

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 1}}
OLD = {"q1": ["x", "a", "y"], "q2": ["a", "b", "x"]}


def comparison_of(new: dict[str, list[str]], **options) -> rr.Comparison:
    return rr.compare(rr.evaluate(QRELS, {"old": OLD, "new": new}, "P@2", **options))


def test_the_parts_of_a_difference_worked_by_hand():
    # On q1, old could have 1/2 and has it; new could have 1 and has 1/2. On q2, new could have 1/2.
    new = {"q1": ["x", "a", "b"], "q2": ["b", "x"]}
    rows = comparison_of(new).pool_and_order()
    assert rows.select("part", "mean_baseline", "mean_system", "delta").rows() == [
        ("pool", 0.75, 0.75, 0.0),
        ("order", 0.0, -0.25, -0.25),
        ("value", 0.75, 0.5, -0.25),
    ]
    split = split_by_query(comparison_of(new), rr.Pair("old", "new"))
    assert split is not None
    assert split.sort("query_id").rows() == [
        ("q1", "ranked low", 0.5, -0.5),
        ("q2", "not retrieved", -0.5, 0.0),
    ]


@pytest.mark.parametrize(
    ("first", "same"), [(["y", "x", "a"], True), (["y", "a", "z"], False), (["x", "a"], False)]
)
def test_the_same_pool_has_the_same_documents_judged_or_not(first, same):
    rows = comparison_of({"q1": first, "q2": ["x", "b", "a"]}).pool_and_order()
    assert rows["same_pool"].to_list() == [same] * 3


def test_the_parts_of_the_example_add_up():
    example = rr.load_example()
    comparison = rr.compare(example.qrels, example.runs, ["nDCG@10", "AP"], pairs="all")
    for measure in ("nDCG@10", "AP"):
        rows = comparison.pool_and_order(measure)
        table = comparison.table().filter(measure=measure)
        for pair in comparison.pairs:
            pool, order, value = rows.filter(**pair._asdict())["delta"]
            assert pool + order == pytest.approx(value, abs=1e-12)
            assert value == pytest.approx(table.filter(**pair._asdict())["delta"].item(), abs=1e-12)
