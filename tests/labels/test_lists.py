"""Tests of ranked lists: the rank of each document by a tie rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankreport.io import RUN, open_source
from rankreport.labels import lists
from rankreport.measures import TIES, TieRule

if TYPE_CHECKING:
    import pytest


def test_lists_are_ordered_by_the_declaration_of_a_tie_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_id = TieRule("id", "by id, ascending", within_block=pl.col("doc_id").rank("ordinal"))
    monkeypatch.setattr(lists, "TIES", {**TIES, "id": by_id})
    monkeypatch.setattr(lists, "ORDERS", {**lists.ORDERS, "id": by_id.words})
    source = open_source({"q": {"d2": 1.0, "d3": 2.0, "d1": 1.0, "d4": 0.5}}, RUN)
    ranked = lists.ranked_lists(source, "id")
    assert ranked["doc_id"].to_list() == ["d3", "d1", "d2", "d4"]
    assert ranked.select("rank", "tie_first", "tie_last").rows() == [
        (1, 1, 1),
        (2, 2, 3),
        (3, 2, 3),
        (4, 4, 4),
    ]


def test_lists_have_the_tie_rules_that_give_one_order() -> None:
    assert {"trec", "input", "rank"} <= set(lists.ORDERS)
    assert not {"expected", "best", "worst"} & set(lists.ORDERS)
