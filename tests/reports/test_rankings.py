"""The sections of two rankings without judgments."""

from __future__ import annotations

import polars as pl

import rankreport as rr
from rankreport.reports.page import Picture
from rankreport.reports.sections.rankings import ranking_sections, ranking_title
from rankreport.tables import Table


def made():
    example = rr.load_example()
    runs = {name: example.runs[name] for name in ("bm25", "fusion")}
    return rr.compare_rankings(*runs.values(), names=list(runs)), rr.read_queries(example.queries)


def test_what_is_shown_is_what_was_computed():
    found, queries = made()
    alike, differing = ranking_sections(found, queries)
    assert alike.paragraphs[0] == found.sentence
    assert [type(part) for part in alike.parts] == [Table, Picture]
    assert alike.figures[0].rows.equals(found.summary())
    table, *lists = differing.parts
    different = found.most_different(10)
    assert [row[0] for row in table.rows] == different["query_id"].to_list()
    assert table.headers[-1] == "text"
    assert len(lists) == 5
    text = dict(queries.select("query_id", "text").iter_rows())[different["query_id"][0]]
    assert lists[0].caption.startswith(different["query_id"][0])
    assert text[:20] in lists[0].caption
    first = found.side_by_side(different["query_id"][0])
    assert [row[1] for row in lists[0].rows] == first["doc_a"].to_list()
    assert [row[2] for row in lists[0].rows] == [
        "\N{EN DASH}" if rank is None else str(rank) for rank in first["rank_in_b"]
    ]
    assert ranking_title(found) == "bm25 and fusion: how alike they rank"


def test_queries_without_text_and_lists_of_different_lengths():
    found = rr.compare_rankings({"q": ["a"]}, {"q": ["b", "a"]})
    alike, differing = ranking_sections(found)
    assert "text" not in differing.parts[0].headers
    assert differing.parts[1].rows == (
        ("1", "a", "2", "b", "\N{EN DASH}"),
        ("2", "\N{EN DASH}", "", "a", "1"),
    )
    assert differing.parts[1].caption == "q"
    assert len(alike.paragraphs) == 2
    counts = found.per_query().select((pl.col("overlap@10") == 0).sum()).item()
    assert differing.paragraphs[0].startswith(f"Of 1 query, {counts} share no document")
