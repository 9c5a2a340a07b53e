"""Wins and losses, query by query, with the documents of both systems."""

from __future__ import annotations

import datetime as dt
import json
import re

import nbformat
import polars as pl
import pytest
from hostile_texts import HOSTILE
from markup import by_id, named, parsed, rows, tag, words

import rankreport as rr
from rankreport.comparison import Pair
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.evaluation import origins
from rankreport.io import open_corpus
from rankreport.io.typed_json import plain, restored
from rankreport.reports.content import Content
from rankreport.reports.page import LONGEST_ID, Drilldown, ListedDocument, Picture
from rankreport.reports.sections.drilldown import changes_of, lists_shown, top_changes_of, why_lost
from rankreport.reports.stored import TAGS
from rankreport.tables import Table
from rankreport.text import both_ends, using_language


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


def content_of(evaluation, comparison=None, queries=None, documents=None):
    corpus = None if documents is None else open_corpus(documents)
    date = dt.date(2026, 11, 22)
    return Content(
        evaluation, comparison, None, "title", queries, None, (), None, date, corpus=corpus
    )


def small(measures=("nDCG@4",), *, queries=None, documents=None, **options):
    evaluation = rr.evaluate(QRELS, {"old": OLD, "new": NEW}, list(measures), **options)
    comparison = rr.compare(evaluation, resamples=200)
    return content_of(evaluation, comparison, queries, documents)


def drilldown_of(section):
    """Return the drill-down of a section, None if it has none."""
    found = [part for part in section.parts if isinstance(part, Drilldown)]
    return found[0] if found else None


def changes_in(section):
    drilldown = drilldown_of(section)
    return [c for side in drilldown.sides for c in side.changes] if drilldown else []


def change_of(content, query):
    (section,) = changes_of(content)
    return next(each for each in changes_in(section) if each.query == query)


def test_each_document_has_its_grade_and_both_ranks():
    (section,) = changes_of(small())
    loss, win = changes_in(section)
    assert drilldown_of(section).baseline == "old"
    assert drilldown_of(section).system == "new"
    assert (win.query, win.won, loss.query, loss.won) == ("q1", True, "q2", False)
    assert win.documents == (
        ListedDocument("a", 2.0, "high", 3, 1),
        ListedDocument("c", 1.0, "some", 4, 3),
        ListedDocument("w", None, "unjudged", None, 4),
        ListedDocument("b", 0.0, "none", 1, None),
        ListedDocument("u", None, "unjudged", 2, 2),
    )
    assert (loss.delta, loss.before, loss.after) == (-1.0, 1.0, 0.0)
    assert [(each.before, each.after) for each in loss.documents] == [(1, None), (2, None)]
    assert loss.brief == "not retrieved: it returned nothing"
    assert win.brief == "first relevant at rank 3 → 1"


def test_relevant_documents_that_left_come_first_and_unchanged_ones_last():
    qrels = {"q": {"A": 3, "B": 2, "C": 1, "x": 0, "y": 0}}
    before = {each: -at for at, each in enumerate("ABCxyz")}
    after = {each: -at for at, each in enumerate("1C2xyB")}
    evaluation = rr.evaluate(qrels, {"old": {"q": before}, "new": {"q": after}}, ["nDCG@6"])
    (section,) = changes_of(content_of(evaluation, rr.compare(evaluation, resamples=100)))
    (loss,) = changes_in(section)
    assert [each.document for each in loss.documents] == list("A1B2Czxy")
    assert [each.document for each in loss.first] == list("A1")
    assert (len(loss.rest), loss.n_unchanged) == (6, 2)
    assert [each.change for each in loss.documents] == [
        *("down", "up", "down", "up", "up", "down", "same", "same")
    ]


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
    for side in ("before", "after"):
        ranks = [getattr(each, side) for each in change.documents]
        assert sorted(filter(None, ranks)) == list(range(1, depth + 1))
    assert f"in the first {depth} of old → new" in drilldown_of(section).words


@pytest.mark.parametrize(
    ("measure", "levels"),
    [
        ("AP(rel=2)", {"a": "high", "b": "none", "c": "none"}),
        ("nDCG@4", {"a": "high", "b": "none", "c": "some"}),
    ],
)
def test_what_is_relevant_is_relevant_to_the_measure(measure, levels):
    win = change_of(small([measure]), "q1")
    assert {each.document: each.level for each in win.documents if each.level != "unjudged"} == (
        levels
    )


@pytest.mark.parametrize(("measure", "relevant"), [("nDCG", ["a", "c"]), ("RR(rel=0.5)", ["c"])])
def test_a_grade_below_1_may_be_relevant(measure, relevant):
    qrels = {"q1": {"a": 0.25, "b": 0.0, "c": 0.5}}
    runs = {"old": {"q1": {"b": 9, "u": 8, "a": 7}}, "new": {"q1": {"c": 9, "a": 8, "b": 7}}}
    evaluation = rr.evaluate(qrels, runs, [measure])
    (section,) = changes_of(content_of(evaluation, rr.compare(evaluation, resamples=200)))
    (win,) = changes_in(section)
    found = [each.document for each in win.documents if each.level in {"high", "some"}]
    assert sorted(found) == relevant


def test_orders_that_are_one_of_many_are_said_to_be():
    notes = [
        drilldown_of(next(changes_of(small(ties=ties)))).notes for ties in ("trec", "expected")
    ]
    assert ["in one of their possible orders" in str(each) for each in notes] == [False, True]


def test_signs_are_explained_where_they_occur():
    assert "◐" in drilldown_of(next(changes_of(small()))).words
    binary = {"q": {"a": 1, "b": 0}}
    runs = {"old": {"q": {"b": 2, "a": 1}}, "new": {"q": {"a": 2, "b": 1}}}
    evaluation = rr.evaluate(binary, runs, ["RR"])
    (section,) = changes_of(content_of(evaluation, rr.compare(evaluation, resamples=100)))
    found = drilldown_of(section).words
    assert ("◐" in found, "?" in found, "●" in found, "○" in found) == (False, False, True, True)


def test_no_comparison_and_no_change_have_no_lists():
    assert list(changes_of(content_of(rr.evaluate(QRELS, {"old": OLD})))) == []
    evaluation = rr.evaluate(QRELS, {"old": OLD, "new": OLD})
    (section,) = changes_of(content_of(evaluation, rr.compare(evaluation, resamples=100)))
    assert section.parts == ()


def test_losses_come_first_and_three_are_open(four):
    leads = leading_pair_of(four.comparison)
    for section in changes_of(four.report.content):
        pair = four.comparison.pairs[int(section.id.removeprefix("queries-"))]
        drilldown = drilldown_of(section)
        assert [side.id.split("-")[0] for side in drilldown.sides] == ["losses", "wins"]
        n = 10 if pair == leads else 3
        losses = four.comparison.losses(**pair._asdict()).head(n)["query_id"].to_list()
        wins = four.comparison.wins(**pair._asdict()).head(n)["query_id"].to_list()
        assert [change.query for change in changes_in(section)] == losses + wins
        opened = [change.query for change in changes_in(section) if change.opened]
        assert opened == (losses[:3] if pair == leads else [])


def test_lists_are_read_once_for_the_page_and_the_documents_behind_losses(monkeypatch, tmp_path):
    read, first_documents = [], origins.first_documents

    def counting(grades, reader_of, wanted):
        read.append(wanted)
        return first_documents(grades, reader_of, wanted)

    monkeypatch.setattr(origins, "first_documents", counting)
    # Where all is judged, nothing is to judge next.
    qrels = {q: {**OLD.get(q, {}), **NEW.get(q, {})} for q in QRELS}
    qrels = {q: dict.fromkeys(each, 0) | QRELS[q] for q, each in qrels.items()}
    comparison = rr.compare(rr.evaluate(qrels, {"old": OLD, "new": NEW}), resamples=100)
    assert len(comparison.losses()) == 1
    rr.report(comparison).to_html(tmp_path / "page.html")
    assert len(read) == 1


def test_a_win_is_open_where_there_is_no_loss():
    evaluation = rr.evaluate({"q1": QRELS["q1"]}, {"old": OLD, "new": NEW}, ["nDCG@4"])
    (section,) = changes_of(content_of(evaluation, rr.compare(evaluation, resamples=100)))
    assert [(each.won, each.opened) for each in changes_in(section)] == [(True, True)]


# --- reasons --------------------------------------------------------------------------------------


def test_reasons_are_those_of_the_lists(four):
    content, comparison = four.report.content, four.comparison
    pair = leading_pair_of(comparison)
    (section,) = [
        each
        for each in changes_of(content)
        if changes_in(each) and each.id.endswith(f"-{comparison.pairs.index(pair)}")
    ]
    losses = comparison.losses(**pair._asdict()).frame.head(3)
    found = top_changes_of(comparison, pair, losses)
    assert list(found) == losses["query_id"].to_list()
    reasons = dict(comparison.reasons(**pair._asdict()).select("query_id", "reason").iter_rows())
    shown = {change.query: change for change in changes_in(section)}
    for query, change in found.items():
        assert why_lost(reasons[query], change.brief) == shown[query].brief


def test_reasons_need_documents(tmp_path):
    content = small()
    content.evaluation.write_parquet(tmp_path / "scores.parquet")
    evaluation = rr.load_evaluation(tmp_path / "scores.parquet")
    bare = content_of(evaluation, rr.compare(evaluation, resamples=100))
    losses = bare.comparison.losses().frame
    assert top_changes_of(bare.comparison, Pair("old", "new"), losses) == {}
    assert list(top_changes_of(content.comparison, Pair("old", "new"), losses)) == ["q2"]


# --- texts ----------------------------------------------------------------------------------------

TEXTS = {
    "a": {"title": "All about jazz", "text": "Jazz is music.", "url": "https://example.org/a"},
    "b": {"text": "x " * 500 + "the history of jazz and its musicians " + "y " * 500},
    "c": {"title": "", "text": "", "url": "javascript:alert(1)"},
}
QUERIES = pl.DataFrame({"query_id": ["q1", "q2"], "text": ["Jazz history", None]})


def by_document(content, query="q1"):
    return {each.document: each for each in change_of(content, query).documents}


def test_texts_reach_their_documents_with_the_words_of_the_query_marked():
    found = by_document(small(queries=QUERIES, documents=TEXTS))
    assert found["a"].title == ("All about ", "jazz")
    assert found["a"].passage == ("", "Jazz", " is music.")
    assert found["a"].url == "https://example.org/a"
    assert found["b"].title == ()
    assert found["b"].passage[1::2] == ("history", "jazz")
    assert len("".join(found["b"].passage)) <= 202
    opened = by_document(small(queries=QUERIES, documents=TEXTS), "q2")
    assert len("".join(opened["b"].passage)) <= 112
    assert (found["c"].title, found["c"].passage, found["c"].url) == ((), (), "")
    assert (found["u"].title, found["u"].passage) == ((), ())


def test_without_a_text_of_the_query_passages_are_beginnings():
    found = by_document(small(queries=QUERIES, documents=TEXTS), "q2")
    assert found["a"].passage == ("Jazz is music.",)
    assert found["b"].passage[0].startswith("x x x")


def test_documents_without_texts_are_counted():
    (section,) = changes_of(small(documents=TEXTS))
    (note,) = drilldown_of(section).notes
    assert note == "2 of the 5 documents shown are not in the documents; their ids are shown."
    whole = dict.fromkeys("abcuvw", "text")
    assert drilldown_of(next(changes_of(small(documents=whole)))).notes == ()


def test_ids_of_another_kind_are_an_error_with_both_spellings():
    with pytest.raises(rr.DataError) as caught:
        list(changes_of(small(documents={"doc:1": "text", "doc:2": "text"})))
    words_of_error = str(caught.value)
    assert "None of the 5 documents shown is in the documents" in words_of_error
    assert "The runs name 'a'; the documents has 'doc:1' and 'doc:2'" in words_of_error


def test_a_folder_of_beir_brings_its_documents(tmp_path):
    folder = beir(tmp_path, '{"_id": "a", "title": "On jazz", "text": "Jazz."}\n')
    evaluation = rr.evaluate(folder, {"old": OLD, "new": NEW}, ["nDCG@4"])
    comparison = rr.compare(evaluation, resamples=100)
    made = rr.report(comparison)
    assert by_document(made.content)["a"].title == ("On ", "jazz")
    assert dict(made._summary.page.provenance)["documents"] == "corpus.jsonl"
    assert rr.report(comparison, documents=False).content.corpus is None
    other = rr.report(comparison, documents={"a": "mine"})
    assert by_document(other.content)["a"].passage == ("mine",)


def test_a_corpus_that_was_not_asked_for_may_be_of_other_documents(tmp_path):
    folder = beir(tmp_path, '{"_id": "other", "text": "Jazz."}\n')
    evaluation = rr.evaluate(folder, {"old": OLD, "new": NEW}, ["nDCG@4"])
    (section,) = changes_of(rr.report(rr.compare(evaluation, resamples=100)).content)
    (note,) = drilldown_of(section).notes
    assert "are not in corpus.jsonl" in note


def beir(folder, corpus):
    """Write a folder of BEIR with the judgments above."""
    (folder / "qrels").mkdir()
    lines = [f"{q}\t{d}\t{g}" for q, judged in QRELS.items() for d, g in judged.items()]
    header = "query-id\tcorpus-id\tscore"
    (folder / "qrels" / "test.tsv").write_text("\n".join([header, *lines]) + "\n")
    (folder / "queries.jsonl").write_text(
        "".join(f'{{"_id": "{q}", "text": "Jazz {q}"}}\n' for q in QRELS)
    )
    (folder / "corpus.jsonl").write_text(corpus)
    return folder


def test_a_faulty_source_is_an_error_at_once():
    with pytest.raises(rr.DataError, match="found int"):
        rr.report(small().comparison, documents=3)


# --- metadata of queries --------------------------------------------------------------------------


def test_columns_of_the_query_are_shown_and_long_ones_folded():
    turns = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Yes?"}]
    queries = pl.DataFrame(
        {
            "query_id": ["q1", "q2"],
            "text": ["jazz", "blues"],
            "topic": ["music", None],
            "weight": [0.5, 1.0],
            "conversation": [turns, []],
            "notes": ["word " * 40, "short"],
            "tags": [["a", "b"], ["c"]],
            "size": [3, 4],
            "more": ["x", "y"],
        }
    )
    win = change_of(small(queries=queries), "q1")
    assert win.about == (("topic", "music"), ("weight", "0.5"), ("tags", "a, b"), ("size", "3"))
    assert win.folded == (
        ("conversation", "user: Hello\nassistant: Yes?"),
        ("notes", ("word " * 40).strip()),
        ("more", "x"),
    )
    loss = change_of(small(queries=queries), "q2")
    assert "topic" not in dict(loss.about + loss.folded)


# --- on the page ----------------------------------------------------------------------------------


def page_of(content, folder, documents=None):
    made = rr.report(content.comparison, queries=content.queries, documents=documents)
    made.to_html(folder / "small.html")
    return parsed((folder / "small.html").read_text(encoding="utf-8"))


def queries_in(section):
    return [node for node in named(section, "details") if node.get("data-query") is not None]


def test_page_says_it_in_words(tmp_path):
    section = by_id(page_of(small(), tmp_path), "queries-0")
    lost, won = queries_in(section)
    assert [node.get("id") for node in (lost, won)] == ["change-0-q1", "change-0-q2"]
    assert [node.get("data-query") for node in (lost, won)] == ["q2", "q1"]
    assert (lost.get("open") is not None, won.get("open") is not None) == (True, False)
    tables = named(won, "table")
    assert [tuple(row.values()) for table in tables for row in rows(table)] == [
        ("3 → 1", "● 2", "a"),
        ("4 → 3", "◐ 1", "c"),
        ("new → 4", "?", "w"),
        ("1 → out", "○ 0", "b"),
        ("2 → 2", "?", "u"),
    ]
    labels = [node.get("aria-label") for node in named(won, "span") if node.get("role") == "img"]
    assert labels == [
        *("relevant: 2", "partly relevant: 1", "unjudged"),
        *("not relevant: 0", "unjudged"),
    ]
    assert words(named(won, "summary")[-1]) == "1 more, 1 unchanged"
    assert words(named(lost, "summary")[0]) == ("−1.0000 q2 not retrieved: it returned nothing")
    assert words(named(lost, "p")[0]).endswith("nothing. nDCG@4 1.0000 → 0.0000")
    won_why = "first relevant at rank 3 → 1. nDCG@4"
    assert words(named(won, "p")[0]).startswith(won_why)
    # nDCG@4 of a list with 2 and 1 at places 3 and 4, over that of the best order
    before_score = (2 / 2 + 1 / 2.321928) / (2 + 1 / 1.584963)
    assert f"nDCG@4 {before_score:.4f} → " in words(won)


def test_texts_are_on_the_page(tmp_path):
    section = by_id(page_of(small(queries=QUERIES), tmp_path, TEXTS), "queries-0")
    assert {words(node).lower() for node in named(section, "mark")} == {"jazz", "history"}
    every = named(section, "a")  # with those of the chart, which lead to queries
    links = [link for link in every if not link.get("href").startswith("#query=")]
    assert {node.get("href") for node in links} == {"https://example.org/a"}
    assert {node.get("rel") for node in links} == {"noopener noreferrer"}
    assert words(links[0]) == "All about jazz"


def test_lists_of_the_page_are_those_of_the_evaluation(four):
    tree = parsed(four.html)
    for at, pair in enumerate(four.comparison.pairs):
        shown = queries_in(by_id(tree, f"queries-{at}"))
        ids = [node.get("data-query") for node in shown]
        documents = four.evaluation.documents(ids, k=10, systems=pair)
        for node, query in zip(shown, ids, strict=True):
            read = [row for table in named(node, "table") for row in rows(table)]
            for place, system in enumerate(pair):
                there = documents.filter(query_id=query, system=system)
                ranked = sorted(
                    (int(rank), row["document"], grade(row["grade"]))
                    for row in read
                    if (rank := row["rank"].split(" → ")[place]).isdecimal()
                )
                assert ranked == there.select("rank", "doc_id", "relevance").rows()


def grade(shown):
    """Read a grade back."""
    assert shown == "?" or shown[0] in "●◐○"
    return None if shown == "?" else float(shown[1:])


@pytest.mark.slow
def test_of_many_pairs_the_leading_one_has_its_lists(tmp_path):
    runs = {"base": OLD} | {
        f"s{at}": OLD | {"q1": dict(list(NEW["q1"].items())[at:])} for at in range(4)
    }
    evaluation = rr.evaluate(QRELS, runs, ["nDCG@4"])
    content = content_of(evaluation, rr.compare(evaluation, resamples=100))
    own, others = changes_of(content)
    assert own.id == "queries-0"
    assert own.title == f"Query by query: {leading_pair_of(content.comparison).system}"
    assert drilldown_of(own) is not None
    assert others.id == "queries-others"
    assert [table.folded for table in others.parts] == ["s1", "s2", "s3"]
    assert [len(table.rows) for table in others.parts] == [1, 1, 1]
    section = by_id(page_of(content, tmp_path), "queries-others")
    assert len(named(section, "details")) == 3


def test_long_texts_are_cut_where_they_stand_among_others(tmp_path):
    text = "why " * 1000
    queries = pl.DataFrame({"query_id": ["q1", "q2"], "text": [text, None]})
    section = by_id(page_of(small(queries=queries), tmp_path), "queries-0")
    lost, won = queries_in(section)
    heading = words(named(named(won, "summary")[0], "bdi")[0])
    assert len(heading) <= 200
    assert heading.endswith("…")
    assert text.strip() in words(won)
    assert words(named(lost, "summary")[0]).endswith("it returned nothing")


ELEMENTS = {
    *("details", "summary", "b", "bdi", "p", "div", "span", "dl", "dt", "dd", "br", "mark", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


def documents_shown(comparison):
    queries, systems = lists_shown(comparison)
    return comparison.evaluation.documents(queries, 10, systems=systems)


def test_hostile_documents_are_text(hostile):
    shown = set()
    for section in named(parsed(hostile.html), "section"):
        if section.get("id", "").startswith("queries-"):
            for details in queries_in(section):
                assert {tag(node) for node in details.iter()} <= ELEMENTS
                shown |= {
                    row["document"] for table in named(details, "table") for row in rows(table)
                }
    documents = documents_shown(hostile.comparison)["doc_id"].unique()
    assert shown == {" ".join(both_ends(text, LONGEST_ID).split()) for text in documents}
    assert len(set(HOSTILE) & set(documents)) > 5


@pytest.fixture(scope="module")
def hostile_texts(hostile, tmp_path_factory):
    """A page whose documents have hostile titles, texts and links."""
    documents = documents_shown(hostile.comparison)["doc_id"].unique(maintain_order=True)
    texts = {
        doc_id: {
            "title": HOSTILE[at % len(HOSTILE)],
            "text": " ".join(HOSTILE[at % 7 :]),
            "url": HOSTILE[at % len(HOSTILE)],
        }
        for at, doc_id in enumerate(documents)
    }
    path = tmp_path_factory.mktemp("hostile") / "texts.html"
    rr.report(hostile.comparison, queries=hostile.report.content.queries, documents=texts).to_html(
        path
    )
    return path


def test_hostile_texts_are_text(hostile_texts):
    page = hostile_texts.read_text(encoding="utf-8")
    assert not re.search("[\x00-\x09\x0b-\x1f\u2028\u202a-\u202e]", page)
    for details in queries_in(parsed(page)):
        for node in details.iter():
            assert tag(node) in ELEMENTS
            assert not any(name.startswith("on") or name == "style" for name in node.attrib)
            if tag(node) == "a":
                assert node.get("href") == "http://example.org/?q=1"
    assert "⟨U+202E⟩" in words(by_id(parsed(page), "queries-0"))
    assert named(parsed(page), "mark")


def test_lists_come_back_from_json(compared):
    for section in changes_of(compared.report.content):
        part = drilldown_of(section)
        if part is not None:
            assert restored(Drilldown, json.loads(json.dumps(plain(part, TAGS))), TAGS) == part


def test_a_report_with_texts_is_loaded_as_it_was(tmp_path):
    content = small(queries=QUERIES)
    made = rr.report(content.comparison, queries=QUERIES, documents=TEXTS)
    made.to_json(tmp_path / "report.json")
    made.to_html(tmp_path / "made.html")
    rr.load_report(tmp_path / "report.json").to_html(tmp_path / "again.html")
    pages = [(tmp_path / name).read_bytes() for name in ("made.html", "again.html")]
    assert pages[0] == pages[1]


def test_a_stored_link_of_another_kind_is_refused(tmp_path):
    made = rr.report(small().comparison, documents=TEXTS)
    path = tmp_path / "report.json"
    path.write_text(made.to_json().replace("https://example.org/a", "javascript:alert(1)"))
    with pytest.raises(rr.DataError, match="a link to 'javascript"):
        rr.load_report(path)


def test_it_is_said_in_chinese():
    with using_language("zh"):
        (section,) = changes_of(small(documents=TEXTS))
    found = drilldown_of(section)
    assert "前 4 位" in found.words
    assert changes_in(section)[0].brief.endswith("系统没有返回任何结果")


# --- in the notebook ------------------------------------------------------------------------------


@pytest.mark.drawn
def test_notebook_makes_its_lists_again_from_the_file(compared):
    cells = {cell.id: cell for cell in nbformat.read(compared.notebook, as_version=4).cells}
    shown: list[object] = []
    evaluation = rr.load_evaluation(compared.scores)
    queries = compared.report.content.queries
    again = rr.compare(evaluation, queries=queries, **compared.comparison.settings)
    names = {"rr": rr, "pl": pl, "evaluation": evaluation, "comparison": again}
    names["display"] = lambda *values: shown.extend(values)
    for name in ("queries", "lists"):
        shown.clear()
        exec(cells[name].source, names)
        bundles = [each._repr_mimebundle_() for each in shown]
        assert bundles == [output.data for output in cells[name].outputs]
    assert len(shown) == 6 * len(compared.comparison.pairs)


def test_notebook_has_the_lists_of_the_page_side_by_side(four):
    """Of each pair those of the biggest losses and wins, which the page shows query by query."""
    comparison = four.comparison
    cells = {cell.id: cell for cell in nbformat.read(four.notebook, as_version=4).cells}
    captions = [output.data["text/plain"].splitlines()[0] for output in cells["lists"].outputs]
    of_page = {section.id: changes_in(section) for section in changes_of(four.report.content)}
    for at, pair in enumerate(comparison.pairs):
        sides = [side(**pair._asdict()) for side in (comparison.losses, comparison.wins)]
        queries = [query for side in sides for query in side["query_id"][:3]]
        on_page = {change.query: change.text for change in of_page[f"queries-{at}"]}
        assert {f"{query}: {on_page[query]}" for query in queries} <= set(captions)


def test_a_loaded_evaluation_shows_what_its_file_holds(four, tmp_path):
    whole, bare = tmp_path / "whole.parquet", tmp_path / "bare.parquet"
    four.evaluation.write_parquet(whole, documents=documents_shown(four.comparison))
    four.evaluation.write_parquet(bare)
    parts, shown = [], []
    for path in (whole, bare):
        evaluation = rr.load_evaluation(path)
        comparison = rr.compare(evaluation, baseline="bm25")
        content = content_of(evaluation, comparison, four.report.content.queries)
        sections = list(changes_of(content))
        parts.append([section.parts for section in sections])
        shown.append([each.documents for section in sections for each in changes_in(section)])
    # Reasons need the judgments, too.
    sections = list(changes_of(four.report.content))
    assert shown[0] == [each.documents for section in sections for each in changes_in(section)]
    leading = comparison.pairs.index(leading_pair_of(comparison))
    others = len(comparison.pairs) - leading - 1
    kinds = [[type(part) for part in each] for each in parts[0]]
    assert kinds == [[Drilldown]] * leading + [[Picture, Drilldown]] + [[Drilldown]] * others
    captions = [[each.caption for each in part if isinstance(each, Table)] for part in parts[1]]
    assert (
        captions
        == [["Worse: the largest changes in nDCG@10", "Better: the largest changes in nDCG@10"]] * 3
    )


# --- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def with_texts(example, tmp_path_factory):
    """The page of the demo."""
    pair = {name: example.runs[name] for name in ("bm25", "bm25-names")}
    comparison = rr.compare(rr.evaluate(example.qrels, pair), resamples=500)
    path = tmp_path_factory.mktemp("texts") / "report.html"
    rr.report(comparison, queries=example.queries, documents=example.documents).to_html(path)
    return path


@pytest.mark.slow
@pytest.mark.browser
def test_lists_open_without_scripts(tab, with_texts):
    with tab(with_texts, java_script_enabled=False) as (page, watch):
        changes = page.locator("#queries-0 .change")
        assert changes.nth(2).locator("td").first.is_visible()
        won = page.locator("#wins-0 .change").first
        assert not won.locator("td").first.is_visible()
        won.locator("summary").first.click()
        assert won.locator("td").first.is_visible()
        assert watch.messages == []


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 390, 1280])
def test_nothing_is_wider_than_the_page(tab, with_texts, width):
    with tab(with_texts, width=width) as (page, _):
        page.evaluate("document.querySelectorAll('.drilldown details').forEach(d => d.open = true)")
        right = page.evaluate(
            "Math.max(...[...document.querySelectorAll('.drilldown *')]"
            ".map(each => each.getBoundingClientRect().right))"
        )
        assert right <= width


@pytest.mark.slow
@pytest.mark.browser
def test_open_lists_are_short(tab, with_texts):
    with tab(with_texts) as (page, _):
        lists = page.locator("#queries-0 .drilldown")
        assert len(lists.inner_text().split()) <= 480
        assert lists.bounding_box()["height"] < 1800


@pytest.mark.browser
def test_three_losses_are_on_paper(tab, with_texts):
    with tab(with_texts, width=680) as (page, _):
        page.emulate_media(media="print")
        shown = page.evaluate(
            "[...document.querySelectorAll('#queries-0 .change')].map(each =>"
            " each.querySelector('td').checkVisibility({contentVisibilityAuto: true})"
            " && each.querySelector('td').getBoundingClientRect().height > 0)"
        )
        assert shown == [True] * 3 + [False] * 17
        right = page.evaluate(
            "Math.max(...[...document.querySelectorAll('.change[open] table')]"
            ".map(table => table.getBoundingClientRect().right))"
        )
        assert right <= 681


@pytest.mark.browser
def test_hostile_texts_are_inert(tab, hostile_texts):
    with tab(hostile_texts) as (page, watch):
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        for at in range(min(10, page.locator(".drilldown td").count())):
            page.locator(".drilldown td").nth(at).hover()
        page.wait_for_timeout(300)
        assert watch.requests == [hostile_texts.as_uri()]
        assert watch.messages == watch.dialogs == []
        kinds = "img, form, iframe, object, .drilldown svg, .drilldown script"
        assert page.locator(kinds).count() == 0
