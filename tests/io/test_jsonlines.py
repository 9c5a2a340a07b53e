"""Values of another kind in JSON lines are reported with their line."""

from __future__ import annotations

import json

import pytest

import rankreport as rr

RUN = {"q": {"a": 1.0}}


def message(tmp_path, column, values):
    rows = [{"query_id": "q", "doc_id": f"d{i}", column: v} for i, v in enumerate(values)]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    graded = column == "relevance"
    with pytest.raises(rr.DataError) as raised:
        rr.evaluate(path if graded else {"q": {"d0": 1}}, RUN if graded else path).summary()
    return str(raised.value).partition("x.jsonl")[2]


@pytest.mark.parametrize("column", ["score", "relevance", "rank"])
@pytest.mark.parametrize("numbers", [[0.5], [2], [1, 0.5]])
@pytest.mark.parametrize("first", [True, False])
def test_a_truth_value_among_numbers(tmp_path, column, numbers, first):
    values, line = ([True, *numbers], 1) if first else ([*numbers, True], len(numbers) + 1)
    found = message(tmp_path, column, values)
    assert found.startswith(f", line {line} has true for {column}, where other lines have numbers")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1]], "column 'score' holds List(Int64) (line 1: '[1]')"),
        ([{"a": 1}], "column 'score' holds Struct of 1 field (line 1: '{\"a\": 1}')"),
        ([0.5, {"a": 1}], "column 'score' holds Struct of 1 field (line 2: '{\"a\": 1}')"),
        ([0.5, [1]], "line 2 has a list for score, where line 1 has a number: '[1]'"),
        ([True, "0.5"], "line 1 has 'true' where the score belongs"),
    ],
)
def test_a_value_that_is_no_number(tmp_path, values, words):
    assert words in message(tmp_path, "score", values)


def test_a_truth_value_in_another_column_is_none_of_them(tmp_path):
    path = tmp_path / "x.jsonl"
    lines = ['{"query_id": "q", "doc_id": "a", "score": 1, "more": true}', ""]
    lines.append('{"query_id": "q", "doc_id": "b", "score": 2, "more": 0.5}')
    path.write_text("\n".join(lines), encoding="utf-8")
    assert rr.evaluate({"q": {"a": 1}}, path, measures=["RR"]).summary()["RR"][0] == 0.5
