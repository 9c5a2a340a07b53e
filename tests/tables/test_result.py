"""Frames that people read: they display as tables, and their frame stays a Polars frame."""

from __future__ import annotations

import copy
import pickle
import re

import polars as pl
import pytest

import rankreport as rr

N = 30
TEXTS = {f"q{i:02}": f"question {i}" for i in range(N)} | {"q00": "x" * 300}
QRELS = {query: {"d": 1} for query in TEXTS}
RIGHT, WRONG = {"d": 2.0, "e": 1.0}, {"d": 1.0, "e": 2.0}
OLD = dict.fromkeys(TEXTS, WRONG)
NEW = {query: RIGHT if i < 25 else WRONG for i, query in enumerate(TEXTS)}
OTHER = {query: RIGHT if i % 2 else WRONG for i, query in enumerate(TEXTS)}
KINDS = {query: "long" if i % 3 else "short" for i, query in enumerate(TEXTS)}


def compared(*, queries=TEXTS, **runs):
    runs = {"old": OLD, "new": NEW, **runs}
    return rr.compare(rr.evaluate(QRELS, runs, ["RR"]), queries=queries, resamples=100)


@pytest.fixture(scope="module")
def wins():
    return compared().wins()


def test_the_texts_of_queries_stand_beside_their_ids(wins):
    assert wins.frame.columns == [
        *("baseline", "system", "query_id", "text", "score_baseline", "score_system", "delta"),
        *("unjudged_baseline", "unjudged_system"),
    ]
    assert {row["query_id"]: row["text"] for row in wins}.items() <= TEXTS.items()
    assert "text" not in compared(queries=None).wins().frame.columns
    assert "text" not in compared(queries=pl.DataFrame({"query_id": ["q01"]})).wins().frame.columns


def test_texts_of_a_collection_come_with_its_evaluation(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(f"{query}\td\t1\n" for query in TEXTS)
    )
    lines = [f'{{"_id": "{query}", "text": "{text}"}}\n' for query, text in TEXTS.items()]
    (tmp_path / "queries.jsonl").write_text("".join(lines))
    (tmp_path / "corpus.jsonl").write_text('{"_id": "d", "title": "", "text": "document"}\n')
    evaluation = rr.evaluate(tmp_path, {"old": OLD, "new": NEW}, ["RR"])
    hardest = evaluation.hardest(2, "new")
    assert hardest["text"].to_list() == ["question 25", "question 26"]
    assert rr.compare(evaluation, resamples=100).wins()["text"].to_list()[1] == "question 1"


def test_what_all_rows_share_is_in_the_caption_and_not_in_a_column(wins):
    lines = repr(wins).splitlines()
    assert lines[0] == "new minus old, RR; the first 20 of 25 rows"
    assert lines[1].split() == ["query", "text", "old", "new", "delta"]
    assert lines[4].split() == ["q01", "question", "1", "0.5000", "1.0000", "+0.5000"]
    assert len(lines) == 3 + 20
    several = repr(compared(other=OTHER).wins().head(1)).splitlines()
    assert several[0] == "RR"
    assert several[1].split()[:4] == ["against", "system", "query", "text"]


def test_columns_that_are_selected_are_displayed(wins):
    lines = repr(wins.select("system", "unjudged_system").head(1)).splitlines()
    assert lines[1].split() == ["system", "unjudged"]
    assert lines[3].split() == ["new", "–"]


def test_long_texts_are_cut_where_they_are_displayed_and_nowhere_else(wins):
    html = wins._repr_html_()
    assert "x" * 199 + "…" in html
    assert "x" * 200 not in html
    assert wins["text"][0] == TEXTS["q00"]


def test_texts_are_escaped():
    hostile = {**TEXTS, "q00": "<script>alert(1)</script>"}
    html = compared(queries=hostile).wins()._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_it_is_used_as_a_frame_is_in_a_notebook(wins):
    frame = wins.frame
    narrow = [
        (wins.head(3), frame.head(3)),
        (wins.head(-3), frame.head(-3)),
        (wins.tail(3), frame.tail(3)),
        (wins.filter(pl.col("query_id") > "q20"), frame.filter(pl.col("query_id") > "q20")),
        (wins.filter(query_id="q03"), frame.filter(query_id="q03")),
        (wins.select("query_id", double=pl.col("delta") * 2), None),
        (wins.sort("query_id", descending=True), frame.sort("query_id", descending=True)),
        (wins.drop("system", "nothing", strict=False), frame.drop("system")),
        (wins[2:5], frame[2:5]),
        (wins[["query_id", "delta"]], frame[["query_id", "delta"]]),
    ]
    for found, expected in narrow:
        assert isinstance(found, rr.ResultTable)
        assert expected is None or found.frame.equals(expected)
    assert wins["delta"].equals(frame["delta"])
    assert wins[0, "query_id"] == "q00"
    assert len(wins) == 25 == len(list(wins))
    assert next(iter(wins)) == frame.row(0, named=True)
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        wins.drop("nothing")


def test_it_becomes_any_other_frame(wins):
    assert pl.DataFrame(wins).equals(wins.frame)
    assert wins.to_polars() is wins.frame
    assert wins.to_pandas().shape == wins.frame.shape
    assert rr.to_table(wins).headers == tuple(wins.frame.columns)
    for other in (copy.deepcopy(wins), pickle.loads(pickle.dumps(wins))):
        assert other.frame.equals(wins.frame)
        assert repr(other) == repr(wins)


def test_what_it_lacks_is_an_error_that_says_where_it_is(wins):
    with pytest.raises(AttributeError, match=re.escape("frame: .to_polars()")):
        wins.group_by("text")
    with pytest.raises(AttributeError, match="has no 'grup_by'"):
        wins.grup_by("text")


def test_markdown_and_latex_hold_every_row(wins):
    lines = wins.to_markdown().splitlines()
    assert lines[0] == "new minus old, RR"
    assert lines[2] == "| query | text | old | new | delta |"
    assert len(lines) == 4 + 25
    assert wins.to_latex().count(r"\\") == 1 + 25


def test_both_lists_and_segments_are_to_be_read_too():
    sides = ["rank", "old", "grade", "move", "new", "grade", "move"]
    caption, heads, *_ = repr(compared().side_by_side(["q01"])).splitlines()
    assert (caption, heads.split()) == ("new minus old, q01: question 1", sides)
    caption, heads, *_ = repr(compared().side_by_side(["q00", "q01"])).splitlines()
    assert (caption, heads.split()) == ("new minus old", ["query", "text", *sides])
    segmented = rr.compare(
        rr.evaluate(QRELS, {"old": OLD, "new": NEW}, ["RR"]), segments=KINDS, resamples=100
    )
    lines = repr(segmented.segments(smallest=5)).splitlines()
    assert lines[0] == "new minus old, RR"
    assert re.split(r"\s{2,}", lines[1])[:5] == [
        *("column", "segment", "queries", "delta", "interval from")
    ]
    assert re.split(r"\s{2,}", lines[3])[:4] == ["segments", "long", "20", "+0.4000"]


def test_headings_follow_the_language(wins):
    rr.set_language("zh")
    try:
        shown = repr(wins)
        assert "query" not in shown
        assert "文本" in shown.splitlines()[1]
    finally:
        rr.set_language("en")


def test_measures_are_called_as_they_were_asked_for():
    evaluation = rr.evaluate(QRELS, {"old": OLD, "new": NEW}, ["hit_rate@1"])
    assert repr(rr.compare(evaluation, resamples=100).wins()).startswith(
        "new minus old, hit_rate@1"
    )
    assert repr(evaluation.hardest(1, "old")).splitlines()[1].split() == ["query", "hit_rate@1"]
