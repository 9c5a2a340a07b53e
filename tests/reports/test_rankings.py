"""The page of two rankings without judgments: how alike they are, and where they differ most."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from hostile_texts import HOSTILE
from markup import by_id, parsed, words
from pages import measured

import rankreport as rr
from rankreport.reports.html import render_page
from rankreport.reports.page import Badge, Drilldown, Picture
from rankreport.tables import Table

DATE = "2026-11-22"


@pytest.fixture(scope="module")
def example():
    return rr.load_example()


@pytest.fixture(scope="module")
def rankings(example):
    runs = {name: example.runs[name] for name in ("bm25", "fusion")}
    return rr.compare_rankings(*runs.values(), names=list(runs))


@pytest.fixture(scope="module")
def made(rankings, example):
    return rr.report(rankings, queries=example.queries, date=DATE)


def page_of(found, **about):
    return rr.report(found, date=DATE, **about)._shown.page


def section(page, name):
    return next(each for each in page.sections if each.id == name)


def lists(*orders):
    return {f"q{n}": list(order) for n, order in enumerate(orders, 1)}


class TestScreen:
    @pytest.mark.parametrize(
        ("other", "headline"),
        [
            (["abcd", "efgh"], "a and b rank the same documents in the same order"),
            (["abdc", "efgh"], "a and b have the same top 4, in another order"),
            (["abcx", "efgy"], "a and b agree on most of the top 4"),
            (["abxy", "efzw"], "a and b agree on part of the top 4"),
            (["axyz", "xyzw"], "a and b agree on little of the top 4"),
            (["xyzw", "stuv"], "a and b share no document of the top 4"),
        ],
    )
    def test_the_headline_says_how_alike_they_are(self, other, headline):
        page = page_of(rr.compare_rankings(lists("abcd", "efgh"), lists(*other), k=4))
        assert page.screen.headline == headline
        assert page.screen.badges == (Badge("●", "Two rankings", "open"),)

    def test_its_figures_are_those_of_the_summary(self, made, rankings):
        screen = made._summary.page.screen
        rows = rankings.summary().rows_by_key("measure", named=True, unique=True)
        row = rows["overlap@10"]
        assert screen.amount.shown == f"{row['mean']:.3f}"
        assert screen.amount.levels == "mean share of the top 10 that both have"
        interval = f"95 % interval {row['ci_low']:.3f} to {row['ci_high']:.3f}"
        assert screen.amount.interval == interval
        assert (screen.strip.value, screen.strip.low) == (row["mean"], row["ci_low"])
        assert screen.strip.scale == screen.spread.scale == (0, 1)
        assert list(screen.spread.values) == rankings.per_query()["overlap@10"].to_list()
        first = sum(
            rankings.side_by_side(query, 1)["rank_in_b"].item() == 1
            for query in rankings.per_query()["query_id"]
        )
        assert screen.plain == f"The first document is the same for {first} of 58 queries."
        assert screen.judged == "No judgments"
        assert [look.title for look in screen.looks] == ["Queries of one ranking only"]
        assert screen.action.startswith(
            "This says how similar the rankings are, not which is better"
        )

    def test_it_lists_the_queries_that_share_least(self, made, rankings, example):
        page = made._shown.page
        by_overlap = rankings.per_query().sort("overlap@10", "rbo", "query_id").head(3)
        texts = dict(rr.read_queries(example.queries).select("query_id", "text").iter_rows())
        for query, row in zip(page.screen.queries, by_overlap.iter_rows(named=True), strict=True):
            assert query.query == row["query_id"]
            assert query.text == texts[row["query_id"]]
            assert query.amount == f"{row['overlap@10']:.2f}"
            assert query.why == f"{round(row['overlap@10'] * 10)} of 10 shared"
        tree = parsed(render_page(page))
        for query in page.screen.queries:
            target = by_id(tree, query.href.removeprefix("#"))
            assert query.text in " ".join(words(target).split())
            assert "open" in target.attrib

    def test_equal_rankings_leave_nothing_to_judge(self):
        tied = {"q": {"a": 1.0, "b": 1.0}}
        screen = page_of(rr.compare_rankings(tied, tied)).screen
        assert (screen.queries, screen.listed, screen.href) == ((), "", "")
        assert screen.action == "Users would see no difference: there is nothing to judge."
        assert screen.strip is screen.spread is None
        assert screen.amount.interval == "no interval: the values do not vary"

    def test_ids_that_do_not_match_are_to_be_checked_first(self):
        page = page_of(rr.compare_rankings(lists("ab"), lists("xy")))
        assert [stop.title for stop in page.screen.stops] == ["No document is in both rankings"]
        assert page.screen.action.startswith("Check the ids of the documents first")


class TestSections:
    def test_what_is_shown_is_what_was_computed(self, made, rankings):
        page = made._shown.page
        names = [each.id for each in page.sections]
        assert names == ["alike", "differing", "data", "all-queries", "method"]
        alike = section(page, "alike")
        assert [type(part) for part in alike.parts] == [Table, Picture]
        deepest = rankings.by_depth().filter(measure="overlap", k=100)["mean"].item()
        share = f"{round(deepest * 100)} %"
        assert alike.paragraphs == (f"Of all documents down to rank 100, {share} are shared.",)
        (table,) = section(page, "all-queries").parts
        every = rankings.per_query().sort("overlap@10", "rbo", "query_id")
        assert list(table.keys) == every["query_id"].to_list()
        assert table.headers[:2] == ("query", "text")

    def test_the_documents_of_both_lists_have_both_ranks(self, made, rankings):
        (drilldown,) = section(made._shown.page, "differing").parts
        assert isinstance(drilldown, Drilldown)
        assert not drilldown.graded
        (side,) = drilldown.sides
        assert len(side.changes) == 10
        for change in side.changes:
            both = rankings.side_by_side(change.query)
            wanted = set(both.select("doc_a", "rank", "rank_in_b").drop_nulls("doc_a").rows())
            wanted |= set(both.select("doc_b", "rank_in_a", "rank").drop_nulls("doc_b").rows())
            assert {(d.document, d.before, d.after) for d in change.documents} == wanted
            best = [min(rank for rank in row[1:] if rank) for row in wanted]
            shown = [min(filter(None, (d.before, d.after))) for d in change.documents]
            assert shown == sorted(best)

    def test_lists_of_different_lengths(self):
        page = page_of(rr.compare_rankings({"q": ["a"]}, {"q": ["b", "a"]}))
        (drilldown,) = section(page, "differing").parts
        [change] = drilldown.sides[0].changes
        ranks = [(d.document, d.before, d.after) for d in change.documents]
        assert ranks == [("a", 1, 2), ("b", None, 1)]
        assert change.brief == "1 of 2 shared"
        assert section(page, "alike").paragraphs == ()

    def test_texts_of_documents_are_shown_with_the_words_of_the_query(self):
        found = rr.compare_rankings({"q": ["a"]}, {"q": ["b"]})
        corpus = [{"doc_id": "a", "title": "Jazz", "text": "All that jazz."}]
        html = render_page(page_of(found, queries={"q": "jazz"}, documents=corpus))
        assert "All that <mark>jazz</mark>." in html
        assert "1 of the 2 documents shown are not in" in html
        with pytest.raises(rr.DataError, match="None of the 2 documents shown is in"):
            page_of(found, documents={"x": "text"})

    def test_the_data_of_both_rankings(self):
        one = {"q1": {"a": 2, "b": 2}, "q2": {"c": 1}}
        page = page_of(rr.compare_rankings(one, {"q1": {"a": 2, "b": 1, "c": 0.5}}))
        (table,) = section(page, "data").parts
        assert [row[:3] for row in table.rows] == [("a", "1", "0"), ("b", "1", "1")]
        assert [row[4] for row in table.rows] == ["2", "3"]
        assert any("left out: b (1 query: " in each for each in section(page, "data").paragraphs)
        provenance = dict(page.provenance)
        assert provenance["run a"] == "a table in memory, 3 rows"
        assert provenance["ties"] == "a"

    def test_of_many_queries_those_that_differ_most_are_listed(self):
        n = 2001
        one = {f"q{i:04}": ["a", "b"] for i in range(n)}
        other = {f"q{i:04}": ["a", "b" if i else "c"] for i in range(n)}
        page = page_of(rr.compare_rankings(one, other, k=2))
        every = section(page, "all-queries")
        assert len(every.parts[0].rows) == 500
        assert every.parts[0].keys[0] == "q0000"
        assert "The first 500 of 2,001 queries are listed" in every.paragraphs[0]
        assert sum(len(part["rbo"]) for part in page.data["rankings_per_query"]) == n


class TestOutputs:
    def test_json_is_loaded_as_it_was_written(self, made, tmp_path, rankings):
        file = tmp_path / "report.json"
        made.to_json(file)
        again = rr.load_report(file)
        assert again.to_json() == made.to_json()
        pages = [tmp_path / name for name in ("one.html", "other.html")]
        for report, page in zip((made, again), pages, strict=True):
            report.to_html(page)
        assert pages[0].read_bytes() == pages[1].read_bytes()
        assert again.to_polars().equals(rankings.summary())
        held = json.loads(file.read_text(encoding="utf-8"))
        per_query = pl.concat(pl.DataFrame(part) for part in held["rankings_per_query"])
        columns = rankings.per_query().columns
        assert per_query.select(columns).equals(rankings.per_query().select(columns))
        assert pl.DataFrame(held["rankings"], schema=rankings.summary().schema).equals(
            rankings.summary()
        )

    def test_a_stored_report_without_its_means_is_refused(self, made, tmp_path):
        held = json.loads(made.to_json())
        del held["rankings"]
        file = tmp_path / "report.json"
        file.write_text(json.dumps(held), encoding="utf-8")
        with pytest.raises(rr.DataError, match="is not a report"):
            rr.load_report(file)

    def test_every_format_but_a_notebook_is_written(self, made, tmp_path):
        for suffix in (".html", ".md", ".json", ".png", ".tex", ".csv", ".parquet"):
            path = tmp_path / f"report{suffix}"
            rr.reports.FORMATS[suffix].write(made, path)
            assert path.stat().st_size > 100
        with pytest.raises(rr.OptionError, match="This report has no notebook"):
            made.to_notebook(tmp_path / "report.ipynb")

    def test_markdown_opens_with_the_first_screen(self, made):
        lines = made.to_markdown().splitlines()
        assert lines[0] == "## bm25 and fusion: how similarly they rank"
        assert lines[2].startswith(
            "**● Two rankings.** bm25 and fusion agree on most of the top 10."
        )
        assert lines.index("") < 12
        assert "| Rank-biased overlap | 0.7068 |" in made.to_markdown()

    def test_under_a_cell_it_is_the_whole_report(self, made):
        html = made._repr_mimebundle_()["text/html"]
        assert "bm25 and fusion agree on most of the top 10" in html
        for title in ("On which queries do they differ most?", "Data", "All queries", "Method"):
            assert f"<summary>{title}</summary>" in html
        assert "to_notebook" not in html
        assert "unjudged" not in html
        assert "<th>grade" not in html

    def test_it_speaks_chinese(self, rankings):
        page = page_of(rankings, language="zh")
        assert page.screen.headline == "bm25 与 fusion 在前 10 位上大部分一致"
        assert section(page, "differing").title == "哪些查询差异最大？"

    def test_what_needs_judgments_is_refused(self, rankings, example):
        for options in ({"curves": "P"}, {"roc": True}):
            with pytest.raises(rr.OptionError, match="needs judgments: two rankings are reported"):
                rr.report(rankings, **options)
        with pytest.raises(rr.OptionError, match="none of the 58 queries"):
            rr.report(rankings, queries={"x": "text"})
        with pytest.raises(rr.OptionError, match="takes what compare"):
            rr.report(example.runs)

    def test_hostile_names_and_texts_are_shown_as_text(self):
        one = {text or "q": [text or "d", "x"] for text in HOSTILE if text.strip()}
        other = {query: ["y", *documents] for query, documents in one.items()}
        found = rr.compare_rankings(one, other, names=[HOSTILE[0] or "one", "other"])
        texts = dict.fromkeys(one, '"><script>alert(1)</script>')
        html = render_page(page_of(found, queries=texts))
        assert len(re.findall("<script", html)) == 2  # the data, and our own
        assert parsed(html) is not None


@pytest.mark.browser
def test_the_page_fits_its_screens(made, tmp_path, tab):
    """On a telephone and a wide screen: the answers without scrolling, nothing beyond the side."""
    made.to_html(tmp_path / "report.html")
    for width, height in ((1280, 900), (390, 844)):
        with tab(tmp_path / "report.html", width=width, height=height) as (page, watch):
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            foot = "document.querySelector('.act').getBoundingClientRect().bottom"
            assert page.evaluate(foot) <= height
            shown, screens, _ = measured(page)
            assert shown <= 1200
            assert screens <= 6
            assert not watch.messages
