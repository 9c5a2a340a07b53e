"""The biggest wins and losses, with both systems' documents side by side."""

from __future__ import annotations

import json

import polars as pl
import pytest
from hostile_texts import HOSTILE
from markup import by_id, caption, named, parsed, rows, words

import rankreport as rr
from rankreport.io.json import plain, restored
from rankreport.reports.cells import documents_of
from rankreport.reports.content import Content
from rankreport.reports.page import LONGEST_ID, Lists, Place
from rankreport.reports.sections.queries import changes_of
from rankreport.reports.stored import TAGS
from rankreport.text.format import MISSING, both_ends


@pytest.fixture(params=["four", "two", "hostile"])
def compared(request):
    """Return a report on a comparison."""
    return request.getfixturevalue(request.param)


# q1 is won, q2 lost, q3 unchanged.
QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}, "q3": {"a": 1}}
OLD = {
    "q1": {"b": 9, "u": 8, "a": 7, "c": 6, "v": 5},
    "q2": {"a": 2, "b": 1},
    "q3": {"a": 1},
}
NEW = {"q1": {"a": 9, "u": 8, "c": 7, "w": 6}, "q3": {"a": 1}}


def content_of(evaluation, comparison=None, queries=None):
    return Content(evaluation, comparison, None, "title", queries, None, (), None)


def small(measures=("nDCG@4",), *, queries=None, **options):
    evaluation = rr.evaluate(QRELS, {"old": OLD, "new": NEW}, list(measures), **options)
    return content_of(evaluation, rr.compare(evaluation, resamples=200), queries)


def lists_of(section):
    return [part for part in section.parts if isinstance(part, Lists)]


def changes_in(section):
    return [c for part in lists_of(section) for group in part.groups for c in group.changes]


def test_each_document_has_its_grade_and_its_place_in_the_other_list():
    (section,) = changes_of(small())
    win, loss = changes_in(section)
    assert (win.query, win.before.system, win.after.system) == ("q1", "old", "new")
    assert win.before.places == (
        Place(1, "b", 0.0, relevant=False, elsewhere=None),
        Place(2, "u", None, relevant=False, elsewhere=2),
        Place(3, "a", 2.0, relevant=True, elsewhere=1),
        Place(4, "c", 1.0, relevant=True, elsewhere=3),
    )
    assert win.after.places == (
        Place(1, "a", 2.0, relevant=True, elsewhere=3),
        Place(2, "u", None, relevant=False, elsewhere=2),
        Place(3, "c", 1.0, relevant=True, elsewhere=4),
        Place(4, "w", None, relevant=False, elsewhere=None),
    )
    assert (loss.query, loss.delta, loss.after.places) == ("q2", -1.0, ())


@pytest.mark.parametrize(
    ("measure", "depth"), [("nDCG@2", 2), ("nDCG@100", 10), ("AP", 10), ("RR@3", 3)]
)
def test_no_more_documents_than_the_measure_looks_at(measure, depth):
    long = {"q1": {f"d{at:02}": -float(at) for at in range(30)}}
    qrels = {"q1": {"d00": 1, "d29": 1}}
    runs = {"old": {"q1": dict(reversed(long["q1"].items())) | {"d00": -30.0}}, "new": long}
    evaluation = rr.evaluate(qrels, runs, [measure])
    (section,) = changes_of(content_of(evaluation, rr.compare(evaluation, resamples=100)))
    (change,) = changes_in(section)
    assert [len(each.places) for each in (change.before, change.after)] == [depth, depth]
    assert f"first {depth} documents" in lists_of(section)[0].words


def test_what_is_relevant_is_relevant_to_the_measure():
    (section,) = changes_of(small(["AP(rel=2)"]))
    (win,) = changes_in(section)
    assert [place.document for place in win.after.places if place.relevant] == ["a"]


@pytest.mark.parametrize(("measure", "relevant"), [("nDCG", ["a", "c"]), ("RR(rel=0.5)", ["c"])])
def test_a_grade_below_1_may_be_relevant(measure, relevant):
    qrels = {"q1": {"a": 0.25, "b": 0.0, "c": 0.5}}
    runs = {"old": {"q1": {"b": 9, "u": 8, "a": 7}}, "new": {"q1": {"c": 9, "a": 8, "b": 7}}}
    evaluation = rr.evaluate(qrels, runs, [measure])
    (section,) = changes_of(content_of(evaluation, rr.compare(evaluation, resamples=200)))
    (win,) = changes_in(section)
    places = (*win.before.places, *win.after.places)
    assert sorted({place.document for place in places if place.relevant}) == relevant


def test_orders_that_are_one_of_many_are_said_to_be():
    notes = [lists_of(next(changes_of(small(ties=ties))))[0].words for ties in ("trec", "expected")]
    assert ["in one of their possible orders" in words for words in notes] == [False, True]


def test_no_comparison_and_no_change_have_no_lists():
    assert list(changes_of(content_of(rr.evaluate(QRELS, {"old": OLD})))) == []
    evaluation = rr.evaluate(QRELS, {"old": OLD, "new": OLD})
    (section,) = changes_of(content_of(evaluation, rr.compare(evaluation, resamples=100)))
    assert section.parts == ()


# --- on the page ----------------------------------------------------------------------------------


def page_of(content, folder):
    rr.report(content.comparison, queries=content.queries).to_html(folder / "small.html")
    return parsed((folder / "small.html").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_page_says_it_in_words(tmp_path):
    section = by_id(page_of(small(), tmp_path), "queries-0")
    won, lost = named(section, "details")
    assert won.get("open") is not None
    assert lost.get("open") is None
    before, after = named(won, "table")
    assert [caption(before), caption(after)] == ["old", "new"]
    assert [tuple(row.values()) for row in rows(before)] == [
        ("1", "b", "0", "out"),
        ("2", "u", "unjudged", ""),
        ("3", "a", "2 ✓", "up to 1"),
        ("4", "c", "1 ✓", "up to 3"),
    ]
    assert [tuple(row.values()) for row in rows(after)] == [
        ("1", "a", "2 ✓", "up from 3"),
        ("2", "u", "unjudged", ""),
        ("3", "c", "1 ✓", "up from 4"),
        ("4", "w", "unjudged", "new"),
    ]
    assert [caption(table) for table in named(lost, "table")] == ["old"]
    assert "new returned nothing." in words(lost)
    # nDCG@4 of a list with 2 and 1 at places 3 and 4, over that of the best order
    before_score = (2 / 2 + 1 / 2.321928) / (2 + 1 / 1.584963)
    assert f"nDCG@4: {before_score:.4f} → " in words(won)


def test_lists_of_the_page_are_those_of_the_evaluation(four):
    tree = parsed(four.html)
    for at, pair in enumerate(four.comparison.pairs):
        section = by_id(tree, f"queries-{at}")
        shown = [node for node in named(section, "details") if named(node, "bdi")]
        ids = [
            words(next(bdi for bdi in named(node, "bdi") if bdi.get("class") == "query"))
            for node in shown
        ]
        n = 10 if pair == four.comparison.leading() else 3
        wins, losses = (
            frame.head(n)["query_id"].to_list()
            for frame in (
                four.comparison.wins(**pair._asdict()),
                four.comparison.losses(**pair._asdict()),
            )
        )
        assert ids == wins + losses
        documents = four.evaluation.documents(ids, k=10, systems=pair)
        for node, query in zip(shown, ids, strict=True):
            tables = {caption(table): rows(table) for table in named(node, "table")}
            of_query = documents.filter(pl.col("query_id") == query)
            for system in pair:
                there = of_query.filter(pl.col("system") == system)
                read = [
                    (int(r["rank"]), r["document"], grade(r["grade"]))
                    for r in tables.get(system, [])
                ]
                assert read == there.select("rank", "doc_id", "relevance").rows()
                other = of_query.filter(pl.col("system") != system)
                places = dict(other.select("doc_id", "rank").iter_rows())
                for row in tables.get(system, []):
                    assert moved(row["moved"], int(row["rank"])) == places.get(row["document"])


def grade(shown):
    """Read a grade back."""
    assert ("✓" in shown) is (shown not in ("unjudged", "0"))
    return None if shown == "unjudged" else float(shown.removesuffix(" ✓"))


def moved(shown, rank):
    """Read the place in the other list back; None if it is not there."""
    if shown in ("new", "out"):
        return None
    other = rank if not shown else int(shown.rpartition(" ")[2])
    rises = shown.startswith("up")
    assert not shown or rises == ((other > rank) if "from" in shown else (other < rank))
    return other


@pytest.mark.slow
def test_of_many_pairs_the_leading_one_has_its_lists(tmp_path):
    runs = {"base": OLD} | {
        f"s{at}": OLD | {"q1": dict(list(NEW["q1"].items())[at:])} for at in range(4)
    }
    evaluation = rr.evaluate(QRELS, runs, ["nDCG@4"])
    content = content_of(evaluation, rr.compare(evaluation, resamples=100))
    own, others = changes_of(content)
    assert own.id == "queries-0"
    assert own.title.startswith(f"Where does {content.comparison.leading().system} ")
    assert len(lists_of(own)) == 1
    assert others.id == "queries-others"
    assert [table.folded for table in others.parts] == ["s1", "s2", "s3"]
    assert [len(table.rows) for table in others.parts] == [1, 1, 1]
    section = by_id(page_of(content, tmp_path), "queries-others")
    assert len(named(section, "details")) == 3


def test_long_texts_are_cut_where_they_stand_among_others(tmp_path):
    text = "why " * 1000
    queries = pl.DataFrame({"query_id": ["q1", "q2"], "text": [text, None]})
    section = by_id(page_of(small(queries=queries), tmp_path), "queries-0")
    won, lost = named(section, "details")
    brief = words(named(named(won, "summary")[0], "bdi")[1])
    assert len(brief) <= 200
    assert brief.endswith("…")
    assert text.strip() in words(won)
    assert MISSING in words(named(section, "table")[1])  # of q2 no text is known
    assert words(named(lost, "summary")[0]) == "-1.0000 q2"
    assert len(words(named(section, "table")[0])) < 400


def test_hostile_documents_are_text(hostile):
    tree = parsed(hostile.html)
    shown = set()
    for section in named(tree, "section"):
        if section.get("id", "").startswith("queries-"):
            for details in named(section, "details"):
                kinds = {node.tag.rpartition("}")[2] for node in details.iter()}
                assert kinds <= {
                    *("details", "summary", "b", "bdi", "p", "div"),
                    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
                }
                shown |= {
                    row["document"] for table in named(details, "table") for row in rows(table)
                }
    documents = documents_of(hostile.report.content)["doc_id"].unique()
    known = {" ".join(both_ends(text, LONGEST_ID).split()): text for text in documents}
    assert shown <= set(known)  # all lists are stored of so few queries
    assert len({known[text] for text in shown} & set(HOSTILE)) > 5


def test_lists_come_back_from_json(compared):
    for section in changes_of(compared.report.content):
        for part in lists_of(section):
            assert restored(Lists, json.loads(json.dumps(plain(part, TAGS))), TAGS) == part


def test_a_loaded_evaluation_shows_what_its_file_holds(four, tmp_path):
    whole, bare = tmp_path / "whole.parquet", tmp_path / "bare.parquet"
    four.evaluation.write_parquet(whole, documents=documents_of(four.report.content))
    four.evaluation.write_parquet(bare)
    parts = []
    for path in (whole, bare):
        evaluation = rr.load_evaluation(path)
        comparison = rr.compare(evaluation, baseline="bm25")
        content = content_of(evaluation, comparison, four.report.content.queries)
        parts.append([section.parts for section in changes_of(content)])
    assert parts[0] == [section.parts for section in changes_of(four.report.content)]
    assert [len(each) for each in parts[0]] == [3, 3, 3]
    assert parts[1] == [each[:2] for each in parts[0]]


# --- in a browser ---------------------------------------------------------------------------------

FIRST = ".lists details[open] table"


@pytest.mark.slow
@pytest.mark.browser
def test_lists_open_without_scripts(tab, four):
    with tab(four.page, java_script_enabled=False) as (page, watch):
        inner = page.locator("#queries-0 .lists details").nth(1).locator("td").first
        assert page.locator(FIRST).first.is_visible()
        assert not inner.is_visible()
        page.locator("#queries-0 .lists summary").nth(1).click()
        assert inner.is_visible()
        assert watch.messages == []


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize(("width", "beside"), [(360, False), (1280, True)])
def test_lists_stand_side_by_side_where_there_is_room(tab, four, width, beside):
    with tab(four.page, width=width) as (page, _):
        old, new = (page.locator(FIRST).nth(at).bounding_box() for at in (0, 1))
        assert (old["y"] == new["y"]) is beside
        assert (old["x"] == new["x"]) is not beside
        assert max(box["x"] + box["width"] for box in (old, new)) <= width


@pytest.mark.browser
def test_three_wins_and_three_losses_are_on_paper(tab, four):
    with tab(four.page, width=680) as (page, _):
        page.emulate_media(media="print")
        shown = page.evaluate(
            "[...document.querySelectorAll('#queries-0 .group')].map(group =>"
            " [...group.querySelectorAll('details')].map(each =>"
            "   each.querySelector('td').checkVisibility({contentVisibilityAuto: true})"
            "   && each.querySelector('td').getBoundingClientRect().height > 0))"
        )
        assert shown == [[True] * 3 + [False] * 7] * 2
        right = page.evaluate(
            "Math.max(...[...document.querySelectorAll('.pair table')]"
            ".map(table => table.getBoundingClientRect().right))"
        )
        assert right <= 681
