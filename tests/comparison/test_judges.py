"""compare_by_judge(): the comparison under each judge by itself."""

from __future__ import annotations

import polars as pl
import pytest

import rankreport as rr
from rankreport.evaluation.label_source import label_source_of

N = 40
QUERIES = [f"q{n:02}" for n in range(N)]
OLD = {query: ["b", "a", "c"] for query in QUERIES}
NEW = {query: ["a", "b", "c"] for query in QUERIES}


def ratings(**prefers):
    """Return the grades of judges who find one document relevant, by the share of queries."""
    return pl.DataFrame(
        [
            (query, document, judge, float(document == ("a" if n % 10 < tenths else "b")))
            for judge, tenths in prefers.items()
            for n, query in enumerate(QUERIES)
            for document in "abc"
        ],
        schema=["query_id", "doc_id", "judge", "relevance"],
        orient="row",
    )


def compared(rows, combine="mean", **options):
    labels = rr.qrels_from_judges(rows, combine)
    evaluation = rr.evaluate(labels, {"old": OLD, "new": NEW}, ["nDCG@10", "P@1"])
    return labels, rr.compare(evaluation, **options)


def test_each_row_is_the_comparison_under_that_judge():
    labels, comparison = compared(ratings(ann=9, bob=8, eve=5), confidence=0.9)
    found = rr.compare_by_judge(comparison)
    rows = found.to_polars().rows_by_key("judge", named=True, unique=True)
    assert list(rows) == [None, "ann", "bob", "eve"]
    columns = ["n_queries", "n_changed", "delta", "ci_low", "ci_high"]
    for judge in labels.judges:
        runs = {"old": OLD, "new": NEW}
        alone = rr.compare(rr.evaluate(labels.of(judge), runs, ["nDCG@10"]), confidence=0.9)
        expected = alone.table().select(columns).row(0, named=True)
        assert {name: rows[judge][name] for name in columns} == pytest.approx(expected)
        assert rows[judge]["verdict"] == alone.verdict().word
    combined = comparison.table().filter(measure="nDCG@10").select(columns).row(0, named=True)
    assert {name: rows[None][name] for name in columns} == pytest.approx(combined)


def test_a_verdict_that_survives():
    _, comparison = compared(ratings(ann=9, bob=8))
    found = rr.compare_by_judge(comparison)
    assert found.survives
    assert found.sentence == "Under each of 2 judges alone, the verdict is the same."
    assert found.sentence in repr(found)


def test_a_verdict_that_is_reversed_or_open_under_a_judge():
    _, comparison = compared(ratings(ann=10, bob=10, eve=1, zoe=5))
    assert comparison.verdict().word == "better"
    found = rr.compare_by_judge(comparison)
    assert not found.survives
    assert found.sentence == (
        "Under 2 of 4 judges alone, the verdict is the same. It is reversed under eve: agree on "
        "what the grades mean before you act on it. Inconclusive: zoe."
    )
    assert found._shown().caption == "nDCG@10, new minus old, by judge"
    assert [row[:2] for row in found._shown().rows] == [
        ("all, combined", "Better"),
        *(("ann", "Better"), ("bob", "Better"), ("eve", "Worse"), ("zoe", "Inconclusive")),
    ]


def test_judges_who_judged_some_queries_or_none():
    of_bob = pl.col("judge") == "bob"
    some = ratings(ann=9, bob=9).filter(~of_bob | pl.col("query_id").is_in(QUERIES[:12]))
    stranger = pl.DataFrame(
        {"query_id": ["other"], "doc_id": ["a"], "judge": ["zoe"], "relevance": [1.0]}
    )
    _, comparison = compared(pl.concat([some, stranger]))
    found = rr.compare_by_judge(comparison)
    rows = found.to_polars()
    assert rows.filter(judge="bob")["n_queries"].item() == 12
    zoe = rows.filter(judge="zoe").row(0, named=True)
    assert (zoe["verdict"], zoe["n_queries"], zoe["delta"]) == (None, 0, None)
    assert found.sentence.endswith("No query in common: zoe.")


def test_of_several_pairs_all_are_held_and_that_of_the_verdict_is_shown():
    labels = rr.qrels_from_judges(ratings(ann=9, bob=9))
    runs = {"old": OLD, "new": NEW, "same": OLD}
    comparison = rr.compare(rr.evaluate(labels, runs, ["nDCG@10"]))
    found = rr.compare_by_judge(comparison, ["bob"])
    rows = found.to_polars()
    assert rows.select("system", "judge").rows() == [
        *(("new", None), ("new", "bob"), ("same", None), ("same", "bob"))
    ]
    assert [row[0] for row in found._shown().rows] == ["all, combined", "bob"]


def test_what_cannot_be_split_is_refused():
    labels, comparison = compared(ratings(ann=9, bob=9))
    with pytest.raises(rr.OptionError, match="judge='eve' is not one of"):
        rr.compare_by_judge(comparison, ["eve"])
    with pytest.raises(rr.OptionError, match="judges is empty"):
        rr.compare_by_judge(comparison, [])
    plain = rr.compare(rr.evaluate(labels.qrels, {"old": OLD, "new": NEW}, ["RR"]))
    with pytest.raises(rr.OptionError, match="not those of several judges"):
        rr.compare_by_judge(plain)
    with pytest.raises(rr.OptionError, match="takes what compare"):
        rr.compare_by_judge(comparison.evaluation)


# --- stored scores --------------------------------------------------------------------------------


@pytest.fixture
def stored(tmp_path):
    """Return how an evaluation is written and loaded."""

    def loaded(evaluation, **options):
        path = tmp_path / f"scores-{len(list(tmp_path.iterdir()))}.parquet"
        evaluation.write_parquet(path)
        return rr.load_evaluation(path, **options)

    return loaded


def test_stored_scores_hold_the_ratings_and_each_judges_scores(stored):
    labels, comparison = compared(ratings(ann=9, bob=8, eve=5))
    loaded = stored(comparison.evaluation)
    again = rr.compare_by_judge(rr.compare(loaded))
    assert again.to_polars().equals(rr.compare_by_judge(comparison).to_polars())
    assert str(again) == str(rr.compare_by_judge(comparison))
    assert again.labels.qrels.equals(labels.qrels)
    assert again.labels.agreement().equals(labels.agreement())
    (before,), (after,) = (
        [each for each in rr.report(one)._shown.page.sections if each.id == "judges"]
        for one in (comparison, rr.compare(loaded))
    )
    assert (before.paragraphs, before.parts) == (after.paragraphs, after.parts)
    twice = rr.compare_by_judge(rr.compare(stored(loaded)))
    assert twice.to_polars().equals(again.to_polars())


def test_stored_scores_of_some_systems_hold_those_of_each_judge(stored):
    labels, _ = compared(ratings(ann=9, bob=8))
    runs = {"old": OLD, "new": NEW, "third": OLD}
    evaluation = rr.evaluate(labels, runs, ["RR", "P@1"])
    loaded = stored(evaluation, systems=["old", "new"], measures=["P@1"])
    direct = rr.evaluate(labels, {"old": OLD, "new": NEW}, ["P@1"])
    found, expected = (rr.compare_by_judge(rr.compare(one)).to_polars() for one in (loaded, direct))
    assert found.equals(expected)


def test_a_judge_of_no_query_of_the_runs_is_one_in_stored_scores_too(stored):
    elsewhere = ratings(eve=9).with_columns(query_id=pl.col("query_id") + "x")
    _, comparison = compared(pl.concat([ratings(ann=9, bob=8), elsewhere]))
    found = rr.compare_by_judge(rr.compare(stored(comparison.evaluation)))
    assert found.to_polars().equals(rr.compare_by_judge(comparison).to_polars())
    assert found.judges["eve"] is None
    assert "No query in common: eve." in found.sentence


def test_very_many_ratings_are_not_stored(stored, monkeypatch):
    monkeypatch.setattr("rankreport.evaluation.exports.MOST_RATINGS", 10)
    labels, comparison = compared(ratings(ann=9, bob=8))
    loaded = stored(comparison.evaluation)
    with pytest.raises(rr.OptionError, match="without the ratings"):
        rr.compare_by_judge(rr.compare(loaded))
    assert label_source_of(loaded) == labels.source


def test_of_many_judges_the_scores_by_the_busiest_are_stored(stored, monkeypatch):
    monkeypatch.setattr("rankreport.evaluation.exports.MOST_JUDGES", 1)
    _, comparison = compared(
        ratings(ann=9, bob=8).filter((pl.col("judge") == "bob") | (pl.col("query_id") > "q05"))
    )
    loaded = rr.compare(stored(comparison.evaluation))
    found = rr.compare_by_judge(loaded)
    assert list(found.judges) == ["bob"]
    assert "Judges listed: 1 of 2." in str(found)
    with pytest.raises(rr.OptionError, match="judge='ann' is not one of"):
        rr.compare_by_judge(loaded, ["ann"])
    (section,) = [s for s in rr.report(loaded)._shown.page.sections if s.id == "judges"]
    assert "Of 2 judges, the 1 with the most judgments are listed." in section.paragraphs


class TestSection:
    def section(self, subject, of="judges", **about):
        sections = rr.report(subject, **about)._shown.page.sections
        return [each for each in sections if each.id == of]

    def test_it_says_whether_the_verdict_survives(self):
        labels, comparison = compared(ratings(ann=10, bob=10, eve=1))
        (section,) = self.section(comparison)
        found = rr.compare_by_judge(comparison)
        assert section.paragraphs[0] == found.sentence
        by_judge, agreement, per_judge, per_grade, queries = section.parts
        assert [row[0] for row in per_judge.rows] == ["ann", "bob", "eve"]
        assert [row[0] for row in per_grade.rows] == ["0", "1"]
        assert queries.rows[0][0] == labels.most_different(1)["query_id"][0]
        assert by_judge.rows[0] == found._shown().rows[0]
        assert {row[0] for row in by_judge.rows[1:]} == {"ann", "bob", "eve"}
        assert agreement.rows == labels._shown().rows
        held = {each.name: each.rows for each in section.figures}
        assert held["agreement"].equals(labels.agreement())
        assert held["by_judge"].sort("judge").equals(found.to_polars().sort("judge"))
        # The caution on their agreement is among those on the data.
        (data,) = self.section(comparison, of="data")
        assert [text for text in data.paragraphs if "Krippendorff's alpha of the judges" in text]
        assert not any("alpha" in text for text in section.paragraphs)

    def test_of_many_judges_the_busiest_are_listed(self):
        many = ratings(**{f"judge{n:02}": 9 for n in range(12)})
        few = pl.col("judge").is_in(["judge00", "judge01"]) & (pl.col("query_id") > "q20")
        _, comparison = compared(many.filter(~few))
        (section,) = self.section(comparison)
        assert [row[0] for row in section.parts[0].rows[1:]] == [
            f"judge{n:02}" for n in range(2, 12)
        ]
        assert "Of 12 judges, the 10 with the most judgments are listed." in section.paragraphs

    def test_an_evaluation_alone_has_the_agreement(self):
        labels, comparison = compared(ratings(ann=9, bob=8))
        (section,) = self.section(comparison.evaluation)
        assert [part.caption for part in section.parts] == [
            labels._shown().caption,
            "Each judge next to the others",
            "Agreement by grade",
            "Queries on which judges differ most",
        ]

    def test_other_judgments_have_none(self):
        labels, _ = compared(ratings(ann=9, bob=8))
        runs = {"old": OLD, "new": NEW}
        assert self.section(rr.compare(rr.evaluate(labels.qrels, runs, ["RR"]))) == []

    def test_it_speaks_chinese(self):
        _, comparison = compared(ratings(ann=9, bob=8))
        (section,) = self.section(comparison, language="zh")
        assert section.title == "标注者"
