"""The data check: every fault planted by hand is found, named and explained, and no other."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

import rankreport as rr
from rankreport import io
from rankreport.evaluation import memory
from rankreport.text import using_language

QUERIES = [f"q{i}" for i in range(8)]
DOCS = [f"d{i}" for i in range(12)]
QRELS = pl.DataFrame(
    [(q, d, float((i + j) % 3)) for i, q in enumerate(QUERIES) for j, d in enumerate(DOCS)],
    ["query_id", "doc_id", "relevance"],
    orient="row",
)


def run(shift=0):
    rows = [
        (q, d, 20.5 - (3 * i + 5 * j + shift) % 12 - j / 100)
        for i, q in enumerate(QUERIES)
        for j, d in enumerate(DOCS)
    ]
    return pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row")


RUNS = {"old": run(), "new": run(4)}
COLUMN = pl.col


def found(qrels=QRELS, runs=RUNS, **options):
    return rr.check(qrels, runs, ["nDCG@10"], **options)


def codes(checked):
    return [(each.severity, each.code) for each in checked.cautions]


def only(checked, code, system=None):
    [one] = [
        each
        for each in checked.cautions
        if each.code == code and (system is None or each.concerns == ((system,),))
    ]
    return one


def with_new(frame):
    return {"old": RUNS["old"], "new": frame}


def test_good_data_has_no_caution():
    checked = found()
    assert codes(checked) == []
    assert checked.passed
    assert checked.headline == "Data checks passed"
    assert repr(checked).startswith("Data checks passed\n\nsystem  ")
    row = checked.table().row(1, named=True)
    assert row == {
        "system": "new",
        "n_rows": 96,
        "n_queries": 8,
        "n_missing": 0,
        "n_extra": 0,
        "shortest": 12,
        "median": 12.0,
        "longest": 12,
        "tied": 0.0,
        "judged@10": 1.0,
    }


# Rows


def test_all_faults_of_rows_are_listed_and_not_the_first_alone(tmp_path):
    path = tmp_path / "new.run"
    lines = [f"{q} Q0 {d} 1 {s} x" for q, d, s in RUNS["new"].iter_rows()]
    lines[3] += " surplus"
    lines[5] = lines[5].replace(lines[5].split()[4], "high")
    lines[7] = lines[7].replace(lines[7].split()[4], "nan")
    lines += lines[:2]
    path.write_text("\n".join(lines) + "\n")
    checked = found(runs=[path])
    texts = [each.text for each in checked.cautions if each.severity == "stop"]
    assert [text.partition(" ")[0] for text in texts] == [f"{path},"] * 4
    for text, words in zip(
        texts,
        ("line 4 has 7 fields", "line 6 has 'high'", "line 8 has score nan", "line 97 repeats"),
        strict=True,
    ):
        assert words in text
    assert "--collapse max" in texts[-1]
    assert checked.table()["n_rows"].to_list() == [93]  # the others are still checked
    with pytest.raises(rr.DataError, match="line 4 has 7 fields"):
        _ = rr.evaluate(QRELS, [path]).scores


def test_a_source_that_cannot_be_opened_does_not_hide_the_others(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    checked = found(runs={**RUNS, "lost": "nowhere.run", "other": tmp_path / "qrels.txt"})
    assert "does not exist" in only(checked, "unreadable").text
    assert "Are the two swapped?" in only(checked, "swapped").text
    assert checked.table()["n_rows"].to_list() == [96, 96, None, None]
    lost = rr.check("nowhere.qrels", {**RUNS, "twice": pl.concat([run(), run().head(1)])})
    assert codes(lost) == [("stop", "unreadable"), ("stop", "repeated")]


def test_a_mark_before_a_query_is_reported_once_and_hides_nothing():
    marked = pl.when(COLUMN("query_id") == "q0").then(pl.lit("\ufeffq0")).otherwise("query_id")
    new = run(4).with_columns(query_id=marked)
    checked = found(runs={"new": pl.concat([new, new.tail(1)])})
    assert codes(checked) == [
        ("stop", "repeated"),
        ("stop", "invalid_rows"),
        ("note", "unanswered"),
    ]
    assert "begins with a byte-order mark" in only(checked, "invalid_rows").text
    assert checked.table().select("n_queries", "n_missing", "n_extra").row(0) == (7, 1, 0)


def test_an_empty_run_is_found():
    checked = found(runs=with_new(run().clear()))
    assert "has no rows" in only(checked, "invalid_rows").text
    assert checked.table()["n_queries"].to_list() == [8, None]


def test_repeated_documents_stop_unless_they_are_folded():
    twice = with_new(pl.concat([run(4), run(4).head(5)]))
    checked = found(runs=twice)
    assert codes(checked) == [("stop", "repeated")]
    assert checked.exit_code == 1
    folded = found(runs=twice, collapse="max")
    assert codes(folded) == [("note", "folded")]
    assert only(folded, "folded").count == 5
    assert folded.table().equals(found().table())
    nameless = pl.concat([twice["new"], run(4).head(1).with_columns(doc_id=None)])
    folded = found(runs=with_new(nameless), collapse="max")
    assert codes(folded) == [("stop", "invalid_rows"), ("note", "folded")]


def test_passages_are_checked_as_documents():
    passages = pl.concat(
        [run(4).with_columns(COLUMN("doc_id") + f"#{i}", COLUMN("score") - i) for i in range(3)]
    )
    checked = found(runs=with_new(passages), collapse="sum", document_of={"new": "#"})
    assert codes(checked) == [("note", "folded")]
    wrong = found(runs=with_new(passages), collapse="max", document_of={"new": "::"})
    assert "neither a column nor in any id" in only(wrong, "invalid_rows").text
    unfolded = only(found(runs=with_new(passages)), "nothing_judged")
    assert unfolded.remedy.endswith(
        "fold passages, whose numbers follow '#'. Then 288 of at most 288 ids match."
    )
    assert unfolded.line == "collapse='max', document_of='#' (--collapse max --document-of '#')"


def test_ranks_that_decide_are_checked():
    ranked = run(4).with_columns(rank=pl.int_range(pl.len()).over("query_id"))
    ranked = ranked.with_columns(rank=pl.when(COLUMN("doc_id") == "d3").then(1).otherwise("rank"))
    checked = found(runs={"new": ranked}, ties="rank")
    assert "rank 1 more than once" in only(checked, "invalid_rows").text


def passages(text):
    return run(4).with_columns(COLUMN("doc_id") + text)


FAULTS = {
    "rows": (QRELS, with_new(pl.concat([run(4), run(4)[[3, 90]], run().head(2)])), {}),
    "ranks": (
        QRELS,
        with_new(run(4).with_columns(rank=pl.lit(1))) | {"old": run().with_row_index("rank")},
        {"ties": "rank"},
    ),
    "passages": (
        QRELS,
        with_new(pl.concat([passages("#1"), passages("#2")])),
        {"collapse": "mean", "document_of": {"new": "#"}},
    ),
    "separator": (QRELS, with_new(run(4)), {"collapse": "max", "document_of": {"new": "#"}}),
    "table": (
        QRELS,
        with_new(passages("#1")),
        {"collapse": "sum", "document_of": {"new": {f"{d}#1": d for d in DOCS[1:]}}},
    ),
    "documents": (QRELS, with_new(passages(".txt")), {}),
    "copies": (QRELS, with_new(run()), {"strict": True}),
}


@pytest.mark.parametrize("case", FAULTS)
def test_runs_that_are_read_in_slices_have_the_same_faults(case, monkeypatch):
    qrels, runs, options = FAULTS[case]
    expected = found(qrels, runs, **options)
    assert expected.cautions
    monkeypatch.setattr(memory, "_TIMES", 10**6)  # so that small runs take more than the limit
    writes = []
    write = io.Partition.write
    monkeypatch.setattr(
        io.Partition, "write", lambda self, *given: (writes.append(self.n), write(self, *given))
    )
    sliced = found(qrels, runs, **options, memory_limit="500MB")
    assert min(writes) > 1
    assert sliced.to_json() == expected.to_json()


def test_a_run_that_cannot_be_read_is_found_within_a_limit_too(tmp_path):
    path = tmp_path / "new.parquet"
    run(4).write_parquet(path)
    path.write_bytes(path.read_bytes()[:-100])
    checked = found(runs={"old": RUNS["old"], "new": path}, memory_limit="1GB")
    assert codes(checked)[0] == ("stop", "unreadable")
    assert checked.table()["n_rows"].to_list() == [96, None]


# Grades


def test_conflicting_grades_are_told_from_repeated_ones():
    again = QRELS.head(3).with_columns(relevance=COLUMN("relevance") + pl.Series([0, 1, 2]))
    checked = found(pl.concat([QRELS, again]))
    assert codes(checked) == [("stop", "repeated"), ("stop", "conflicting_grades")]
    conflicting, repeated = only(checked, "conflicting_grades"), only(checked, "repeated")
    assert (conflicting.count, conflicting.examples) == (2, ("d1", "d2"))
    assert f"'d1' of query 'q0': 1, 2 (rows 2, {len(QRELS) + 2})" in conflicting.text
    assert f"row {len(QRELS) + 1} repeats document 'd0' of query 'q0'" in repeated.text
    assert "same is wrong" not in repeated.text
    assert codes(found(pl.concat([QRELS, again.tail(2)]))) == [("stop", "conflicting_grades")]
    assert codes(found(pl.concat([QRELS, QRELS.head(1)]))) == [("stop", "repeated")]
    marked = QRELS.head(1).with_columns(query_id=pl.lit("\ufeffq0"))
    both = found(pl.concat([QRELS, again.tail(2), marked]))
    assert codes(both) == [("stop", "invalid_rows"), ("stop", "conflicting_grades")]


def test_subtopics_that_are_not_asked_for_are_named():
    qrels = pl.concat([QRELS.with_columns(subtopic=pl.lit(name)) for name in "ab"])
    assert "subtopics=True" in only(found(qrels), "repeated").text
    assert codes(found(qrels, subtopics=True)) == []


@pytest.mark.parametrize(
    ("grade", "severity", "words"),
    [
        (33.0, "look", "Of 96 grades, 1 (33): far above all others."),
        (1262304000.0, "look", "Of 96 grades, 1 (1.2623e+09): far above all others."),
        (-2.0, "note", "1 (-2): negative, so that these documents count as not relevant."),
        (0.5, "note", "1 (0.5): fractional, which some tools cut to whole numbers."),
    ],
)
def test_unusual_grades(grade, severity, words):
    of_first = pl.int_range(pl.len()) == 0
    qrels = QRELS.with_columns(
        pl.when(of_first).then(grade).otherwise("relevance").alias("relevance")
    )
    if grade == 33.0:
        qrels = pl.concat([qrels, QRELS.with_columns(doc_id="x" + COLUMN("doc_id"))])
        words = words.replace("96", "192")
    caution = only(found(qrels), "unusual_grades")
    assert (caution.severity, caution.count) == (severity, 1)
    assert words in caution.text


def test_grades_that_are_times():
    """Seconds since 1970 under the name of the grade: no grade is far above the others."""
    seconds = 1262304000 + 86400 * COLUMN("relevance")
    qrels = QRELS.with_columns(relevance=seconds)
    caution = only(found(qrels), "unusual_grades")
    assert (caution.severity, caution.count) == ("look", 96)
    assert ": above 1,000, as times, identifiers and counts are." in caution.text
    made = rr.evaluate(qrels, RUNS, ["nDCG@10"])
    assert caution in made.cautions
    labelled = rr.evaluate_labelled(qrels["relevance"], RUNS["old"]["score"], group=[96])
    assert "unusual_grades" in {each.code for each in labelled.cautions}
    grades = {each["doc_id"]: each["relevance"] for each in qrels.head(9).to_dicts()}
    assert only(found({"q0": grades}, {"old": {"q0": {"d1": 1}}}), "unusual_grades").count == 9


def test_a_scale_says_which_grades_there_should_be():
    checked = found(scale=(0, 1))
    caution = only(checked, "unusual_grades")
    assert (caution.severity, caution.count) == ("stop", 32)
    assert "32 (2): not on the scale from 0 to 1." in caution.text
    assert codes(found(scale=(0, 2))) == []


@pytest.mark.parametrize("scale", [3, (1,), (3, 0), "ab", (0, float("nan"))])
def test_a_scale_is_two_numbers(scale):
    with pytest.raises(rr.OptionError, match="is not a lowest and a highest grade"):
        found(scale=scale)


def test_nothing_relevant():
    checked = found(QRELS.with_columns(relevance=0.0))
    assert codes(checked) == [("stop", "nothing_relevant")]
    some = COLUMN("query_id").is_in(["q1", "q2"])
    partly = QRELS.with_columns(relevance=pl.when(some).then(0.0).otherwise("relevance"))
    caution = only(found(partly), "nothing_relevant")
    assert (caution.severity, caution.count) == ("note", 2)
    assert caution.text == "No document is relevant to 2 of 8 judged queries."


# Queries


def test_missing_and_extra_queries():
    fewer = run(4).filter(COLUMN("query_id") != "q1")
    more = pl.concat([fewer, run().head(12).with_columns(query_id=pl.lit("extra"))])
    checked = found(runs=with_new(more))
    assert codes(checked) == [("note", "extra_queries"), ("note", "unanswered")]
    extra = only(checked, "extra_queries")
    assert extra.examples == ("extra",)
    assert extra.text == (
        "Documents returned for queries without judgments are left out: new (1 query: extra)."
    )
    assert only(rr.evaluate(QRELS, with_new(more), ["nDCG@10"]), "extra_queries") == extra
    assert only(checked, "unanswered").examples == ("q1",)
    assert checked.table().select("n_queries", "n_missing", "n_extra").row(1) == (8, 1, 1)


def test_no_query_in_common_names_the_spelling():
    other = run(4).with_columns(query_id="topic-" + COLUMN("query_id"))
    checked = found(runs=with_new(other))
    caution = only(checked, "no_shared_queries")
    assert caution.severity == "stop"
    assert caution.remedy == (
        "Judged 'q0', returned 'topic-q0': strip 'topic-' from the run. Then 8 of at most 8 ids "
        "match."
    )
    assert "names = ['new']" in caution.line
    assert """.with_columns(pl.col("query_id").str.strip_prefix('topic-'))""" in caution.line
    assert checked.table().select("n_missing", "judged@10").rows() == [(0, 1.0), (8, None)]
    with pytest.raises(rr.DataError, match=r"no query in common.*strip 'topic-' from the run"):
        _ = rr.evaluate(QRELS, {"new": other}).scores


def test_the_error_is_in_english_in_any_language():
    other = {"new": run(4).with_columns(query_id="topic-" + COLUMN("query_id"))}
    with using_language("zh"), pytest.raises(rr.DataError, match="strip 'topic-' from the run"):
        _ = rr.evaluate(QRELS, other).scores


def test_runs_that_share_no_query_leave_none_to_compare():
    halves = {
        name: run().filter(COLUMN("query_id").is_in(queries))
        for name, queries in (("old", QUERIES[:4]), ("new", QUERIES[4:]))
    }
    caution = only(found(runs=halves, queries="intersection"), "no_shared_queries")
    assert caution.text.startswith("No query is left under queries='intersection'")
    assert "no_shared_queries" not in [code for _, code in codes(found(runs=halves))]


def test_queries_of_another_collection_have_no_spelling():
    other = run(4).with_columns(query_id="x" + COLUMN("query_id").str.reverse())
    caution = only(found(runs=with_new(other)), "no_shared_queries")
    assert caution.remedy == "Are they of the same collection?"


def test_some_queries_that_nearly_match():
    half = COLUMN("query_id").is_in(QUERIES[:4])
    other = run(4).with_columns(
        query_id=pl.when(half).then(COLUMN("query_id") + " ").otherwise("query_id")
    )
    caution = only(found(runs=with_new(other)), "nearly_equal_ids")
    assert (caution.severity, caution.count) == ("look", 4)
    assert "strip the white space" in caution.remedy


def test_extra_queries_of_many_systems_are_one_caution():
    more = pl.concat([run(4), run().head(12).with_columns(query_id=pl.lit("extra"))])
    caution = only(found(runs={f"s{i}": more for i in range(6)}), "extra_queries")
    assert caution.count == 6
    assert len(caution.concerns) == 6


# Documents


@pytest.mark.parametrize(
    ("respelled", "remedy"),
    [
        ("doc_" + COLUMN("doc_id"), "strip 'doc_' from the run"),
        (COLUMN("doc_id") + ".html", "strip '.html' from the run"),
        (COLUMN("doc_id").str.to_uppercase(), "write them in the same case"),
        (" " + COLUMN("doc_id"), "strip the white space"),
        (COLUMN("doc_id").str.slice(1), "strip 'd' from the judgments"),
    ],
)
def test_documents_that_nearly_match(respelled, remedy, tmp_path):
    runs = with_new(run(4).with_columns(doc_id=respelled))
    checked = found(runs=runs)
    caution = only(checked, "nothing_judged")
    assert caution.severity == "stop"
    assert caution.remedy.startswith("Judged 'd")
    assert caution.remedy.endswith(f": {remedy}. Then 96 of at most 96 ids match.")
    assert only(rr.evaluate(QRELS, runs, ["nDCG@10"]), "nothing_judged") == caution
    made = rr.evaluate(QRELS, runs, ["nDCG@10"])
    made.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet").cautions == made.cautions


def test_numbers_that_were_read_as_fractions():
    qrels = QRELS.with_columns(COLUMN("doc_id").str.slice(1))
    runs = {"new": run(4).with_columns(COLUMN("doc_id").str.slice(1) + ".0")}
    caution = only(found(qrels, runs), "nothing_judged")
    assert caution.remedy == (
        "Judged '11', returned '11.0': write them as whole numbers: strip '.0'. Then 96 of at most "
        "96 ids match."
    )
    assert r"""pl.col("doc_id").str.replace('^([+-]?\\d+)\\.0+$', '$1')""" in caution.line


def test_some_documents_that_nearly_match():
    some = COLUMN("doc_id").is_in(DOCS[:3])
    runs = with_new(
        run(4).with_columns(doc_id=pl.when(some).then(COLUMN("doc_id") + " ").otherwise("doc_id"))
    )
    checked = found(runs=runs)
    caution = only(checked, "nearly_equal_ids")
    assert (caution.severity, caution.count) == ("look", 24)
    assert caution.text == (
        "Ids that would match judged ones are spelled differently: new (24 unjudged documents)."
    )


# Runs


def test_judgments_in_the_place_of_a_run():
    alike = QRELS.rename({"relevance": "score"})
    assert only(found(runs=with_new(alike)), "swapped", "new").severity == "stop"
    oracle = rr.evaluate(QRELS, with_new(alike), ["nDCG@10"])  # as the best possible run
    assert only(oracle, "swapped").severity == "look"


def test_judgments_and_run_swapped_although_both_can_be_read():
    graded = QRELS.rename({"relevance": "score"})
    checked = rr.check(run().rename({"score": "relevance"}), {"new": graded})
    assert ("stop", "swapped") in codes(checked)
    mapping = {q: {d: int(r) for d, r in zip(DOCS, range(12), strict=True)} for q in QUERIES}
    assert "swapped" not in [code for _, code in codes(found(runs={"new": mapping}))]


def test_whole_scores_of_few_kinds_may_be_grades():
    coarse = run(4).with_columns((COLUMN("score") / 6).floor())
    caution = only(found(runs=with_new(coarse)), "swapped")
    assert caution.severity == "look"
    assert "3 different scores, all whole numbers: are they grades?" in caution.text
    in_order = coarse.sort("query_id", "score", descending=[False, True])
    assert "swapped" not in [code for _, code in codes(found(runs=with_new(in_order)))]


@pytest.mark.parametrize("scores", [[5, 4, 3, 2, 1], [1, 1, 1, 1, 1]])
@pytest.mark.parametrize("step", [1, 0.01])
def test_places_in_a_list_and_one_score_for_all_are_no_grades(scores, step):
    rows = run(4).sort("query_id", "score", descending=[False, True])
    top = rows.group_by("query_id", maintain_order=True).head(5)
    places = top.with_columns(score=pl.Series(scores * 8, dtype=pl.Float64))
    order = pl.int_range(pl.len()).over("query_id")
    qrels = QRELS.with_columns(relevance=COLUMN("relevance") + order * (1 - step))
    assert "swapped" not in [code for _, code in codes(found(qrels, with_new(places)))]


def test_identical_runs():
    runs = {
        "a": run(),
        "b": run().reverse(),
        "c": run().with_columns(COLUMN("score") * 2),
        "d": run(4),
    }
    caution = only(found(runs=runs), "identical_runs")
    assert caution.severity == "look"
    assert caution.concerns == (("a", "b", "c"),)


def test_runs_alike_in_the_judged_documents_are_not_identical():
    few = QRELS.filter(COLUMN("doc_id").is_in(DOCS[:6]))
    other = run().with_columns(COLUMN("doc_id").replace("d11", "z11"))
    assert "identical_runs" not in [code for _, code in codes(found(few, {"a": run(), "b": other}))]


def test_short_lists():
    short = run(4).filter((COLUMN("query_id") != "q3") | (COLUMN("doc_id") < "d5"))
    caution = only(found(runs=with_new(short)), "short_lists")
    assert (caution.severity, caution.count, caution.examples) == ("note", 1, ("q3",))
    assert caution.text == "Lists of fewer than 10 documents: new (1 of 8 lists)."


def test_what_the_check_says_is_in_the_section_on_data(tmp_path):
    short = COLUMN("query_id").is_in(["q3", "q4"]) & (COLUMN("doc_id") > "d4")
    queries = ["q7", "q6"]
    extra = pl.concat([run().filter(COLUMN("query_id").is_in(queries))]).with_columns(
        query_id="x" + COLUMN("query_id").str.reverse()
    )
    tied = pl.when(COLUMN("query_id") == "q2").then(COLUMN("score") // 2).otherwise("score")
    new = pl.concat([run(4).filter(~short), extra]).with_columns(score=tied)
    runs = with_new(new)
    made = rr.evaluate(QRELS, runs, ["RR@10"])
    assert only(made, "short_lists").severity == "look"
    assert only(made, "extra_queries").examples == ("x6q", "x7q")
    checked = rr.check(QRELS, runs, ["RR@10"])
    assert set(checked.cautions) == {*made.cautions}
    rr.report(rr.compare(made, resamples=100)).to_html(tmp_path / "page.html")
    page = re.sub(r"\s+", " ", (tmp_path / "page.html").read_text(encoding="utf-8"))
    data = page[page.index('id="data"') :].partition("<script")[0]
    for caution in checked.cautions:
        assert data.count(caution.text) == 1, caution.code


def test_equal_scores():
    tied = run(4).with_columns(score=1.25)
    caution = only(found(runs=with_new(tied)), "equal_scores")
    assert caution.severity == "look"
    assert caution.text.startswith("Documents with equal scores: new (92 %).")  # 11 of 12
    assert "another order would change nDCG@10 of new" in caution.text
    assert caution.text.count("documents by id") + caution.text.count("document id") == 1
    ranked = run(4).drop("score").with_columns(rank=pl.int_range(pl.len()).over("query_id"))
    assert found(runs={"new": ranked}).table()["tied"].to_list() == [None]


def test_the_share_judged_at_each_cut_off():
    few = QRELS.filter(COLUMN("doc_id").is_in(["d1", "d2"]))
    checked = rr.check(few, {"old": run()}, ["P@12", "nDCG@12", "RR@6", "AP"])
    assert checked.table().columns[-2:] == ["judged@12", "judged@6"]
    assert checked.table()["judged@12"][0] == pytest.approx(2 / 12)
    assert only(checked, "hardly_judged").severity == "look"


# The result


def test_strict_fails_on_what_is_to_be_looked_at():
    same = {"old": run(), "new": run()}
    assert found(runs=same).passed
    assert found(runs=same).exit_code == 0
    assert not found(runs=same, strict=True).passed
    assert found(runs=same, strict=True).exit_code == 1
    fewer = with_new(run(4).filter(COLUMN("query_id") != "q1"))
    assert found(runs=fewer, strict=True).passed  # a note


def test_every_output_says_the_same(tmp_path):
    checked = found(runs={"old": run(), "<b>new</b>": run()})
    [caution] = checked.cautions
    assert checked.to_polars().row(0) == (
        "look",
        "identical_runs",
        caution.text,
        caution.remedy,
        "",
        2,
    )
    assert str(caution) in repr(checked)
    html = checked._repr_html_()
    assert "&lt;b&gt;new" in html
    assert "<b>new" not in html
    assert checked._repr_mimebundle_()["text/html"] == html
    held = json.loads(checked.to_json())
    assert (held["passed"], held["cautions"][0]["code"]) == (True, "identical_runs")
    assert held["systems"] == checked.table().to_dicts()
    assert checked.to_markdown(tmp_path / "check.md") == (tmp_path / "check.md",)
    assert "- Look: " in (tmp_path / "check.md").read_text(encoding="utf-8")


def test_it_is_said_in_chinese_too():
    with using_language("zh"):
        checked = found(runs={"old": run(), "new": run()})
        assert "数据检查" in repr(checked)
        assert "same" not in repr(checked)


def test_the_check_agrees_with_the_evaluation_on_the_example():
    example = rr.load_example()
    checked = rr.check(example.qrels, example.runs)
    made = rr.evaluate(example.qrels, example.runs)
    known = [(each.code, each.text) for each in checked.cautions]
    for each in made.cautions:
        assert any(code == each.code and text.endswith(each.text) for code, text in known)
    assert checked.table()["n_missing"].to_list() == made.quality["n_unanswered"].to_list()
    assert checked.table()["judged@10"].to_list() == made.quality["judged_at_10"].to_list()


# What the check finds is in the evaluation, too, and on the page


def planted():
    """A grade far above the others, a copy, ids with a prefix, ties, and a query misspelled."""
    first = pl.int_range(pl.len()) == 0
    qrels = QRELS.with_columns(relevance=pl.when(first).then(300.0).otherwise("relevance"))
    tenth = COLUMN("doc_id").is_in(["d3", "d7"])
    prefixed = run(4).with_columns(
        query_id=COLUMN("query_id").replace({"q6": "Q6", "q7": "Q7"}),
        doc_id=pl.when(tenth).then("x-" + COLUMN("doc_id")).otherwise("doc_id"),
    )
    tied = run(7).with_columns(score=COLUMN("score") // 9)
    return qrels, {"old": run(), "copy": run().reverse(), "prefixed": prefixed, "tied": tied}


ALSO = ("identical_runs", "unusual_grades", "nearly_equal_ids", "equal_scores")


def also(cautions):
    return {(e.severity, e.code, e.text, e.remedy, e.concerns) for e in cautions if e.code in ALSO}


def test_an_evaluation_says_what_the_check_finds(tmp_path):
    qrels, runs = planted()
    checked = rr.check(qrels, runs, ["nDCG@10"])
    made = rr.evaluate(qrels, runs, ["nDCG@10"])
    assert {code for _, code, *_ in also(made.cautions)} == set(ALSO)
    assert len(also(made.cautions)) == 5  # ids of queries and of documents
    assert also(made.cautions) == also(checked.cautions)
    for cautions in (made.cautions, checked.cautions):
        assert len(set(cautions)) == len(cautions)
    made.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert loaded.cautions == made.cautions
    some = rr.load_evaluation(tmp_path / "scores.parquet", systems=["old", "prefixed"])
    assert {code for _, code, *_ in also(some.cautions)} == {"unusual_grades", "nearly_equal_ids"}


def test_the_page_says_it_once(tmp_path):
    qrels, runs = planted()
    made = rr.evaluate(qrels, runs, ["nDCG@10"])
    rr.report(made).to_html(tmp_path / "page.html")
    page = re.sub(r"\s+", " ", (tmp_path / "page.html").read_text(encoding="utf-8"))
    data = page[page.index('id="data"') :].partition("<script")[0]
    for _, code, text, *_ in also(made.cautions):
        assert data.count(text) == 1, code


def test_ids_are_said_once_where_no_document_is_judged():
    prefixed = run(4).with_columns(doc_id="x-" + COLUMN("doc_id"))
    cautions = rr.evaluate(QRELS, {"new": prefixed}, ["nDCG@10"]).cautions
    assert [each.code for each in cautions] == ["nothing_judged"]
    assert "strip 'x-' from the run" in cautions[0].remedy


def test_repeated_scores_that_are_few_or_change_nothing_are_left_to_the_check():
    few = pl.when(COLUMN("doc_id") == "d1").then(20.5 - 3 * 0).otherwise("score")
    assert rr.evaluate(QRELS, {"new": run(4)}, ["nDCG@10"]).cautions == ()
    tied = run(4).with_columns(score=few)
    known = [e.text for e in rr.evaluate(QRELS, {"new": tied}, ["nDCG@10"]).cautions]
    assert not any("Documents with equal scores" in text for text in known)


def test_runs_of_other_order_or_length_are_no_copies():
    other = run().with_columns(COLUMN("doc_id").replace("d11", "z11"))
    few = QRELS.filter(COLUMN("doc_id").is_in(DOCS[:6]))
    runs = {"a": run(), "b": other, "c": run().filter(COLUMN("doc_id") != "d10"), "d": run(3)}
    assert also(rr.evaluate(few, runs, ["nDCG@10"]).cautions) == set()


SMALL = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}


@pytest.mark.parametrize(
    ("scores", "is_seen"),
    [
        ((12.5, 11.0, 9.1, 8.2), True),  # BM25
        ((0.83, 0.71, 0.9, 0.12), True),  # cosine
        ((4.0, 3.0, 2.0, 1.0), False),  # no sign on the side of the grades
        ((1.0, 0.5, 0.75, 0.5), False),  # grades of a scale
    ],
)
def test_few_judgments_and_scores_swapped(scores, is_seen):
    first, second, third, fourth = scores
    returned = {"q1": {"d1": first, "d9": second}, "q2": {"d3": third, "d4": fourth}}
    for cautions in (
        rr.check(returned, SMALL, ["nDCG@10"]).cautions,
        rr.evaluate(returned, SMALL, ["nDCG@10"]).cautions,
    ):
        assert [e.severity for e in cautions if e.code == "swapped"] == ["look"] * is_seen
    for cautions in (
        rr.check(SMALL, returned, ["nDCG@10"]).cautions,
        rr.evaluate(SMALL, returned, ["nDCG@10"]).cautions,
    ):
        assert "swapped" not in [each.code for each in cautions]


@pytest.mark.parametrize(
    ("scores", "is_seen"),
    [
        ((14.2, 12.5, 11.4, 16.1), True),
        ((0.6, 0.52, 0.41, 0.9), True),
        ((0.41, 0.52, 0.6, 0.9), False),  # in no order of a run
        ((3, 2, 1, 3), False),
        ((1.0, 0.75, 0.5, 1.0), False),  # grades of a scale
    ],
)
def test_few_scores_and_lists_of_what_is_relevant_swapped(scores, is_seen):
    # As RePlay takes them: recommendations first, and judgments without grades.
    shown = {1: list(zip((3, 7, 10), scores, strict=False)), 2: [(8, scores[3])]}
    chosen = {1: [7, 9], 2: [8]}
    cautions = rr.evaluate(shown, chosen, ["R@2"]).cautions
    assert [e.severity for e in cautions if e.code == "swapped"] == ["look"] * is_seen
    assert "swapped" not in [e.code for e in rr.evaluate(chosen, shown, ["R@2"]).cautions]


def test_few_whole_scores_and_judgments_swapped():
    counts = {"q1": {"d1": 526, "d9": 484, "d2": 33}, "q2": {"d3": 526, "d4": 484}}
    percentages = {"q1": {"d1": 100, "d9": 80, "d2": 35}, "q2": {"d3": 100, "d4": 5}}
    for grades, n in ((counts, 1), (percentages, 0)):
        cautions = rr.evaluate(grades, SMALL, ["nDCG@10"]).cautions
        assert [e.severity for e in cautions if e.code == "swapped"] == ["look"] * n


# Lists of a run, by what its scores are; judgments, with some grades in no order
LISTS = [(f"q{i}", f"d{(3 * i + 7 * j) % 41}", j) for i in range(6) for j in range(10)]
MARKED = [
    (f"q{i}", f"d{(5 * i + 11 * j) % 41}", (i * j) % 3) for i in range(6) for j in range(9 - i)
]
SCORES = {
    "whole": [57, 55, 52, 52, 47, 40, 33, 29, 18, 12],
    "counts": [526, 484, 450, 431, 420, 413, 402, 398, 392, 388],
    "mean ratings": [5, 5, 4.67, 4.5, 4.33, 4.31, 4.29, 4.25, 4.12, 4.08],
    "cosine": [0.93, 0.91, 0.88, 0.87, 0.85, 0.81, 0.77, 0.73, 0.71, 0.63],
}


@pytest.mark.parametrize("what", SCORES)
@pytest.mark.parametrize("levels", [(0, 1, 2), (1.5, 3.0, 4.5), (20, 60, 80), (1, 1, 1)])
def test_every_kind_of_score_is_told_from_grades(what, levels):
    each = 0.01 if what in {"cosine", "mean ratings"} else 1
    steps = [0, each, 2 * each]  # scores differ between queries
    run = [(q, d, SCORES[what][j] + steps[int(q[1]) % 3]) for q, d, j in LISTS]
    judged = [(q, d, levels[grade]) for q, d, grade in MARKED]
    right = rr.evaluate(judged, tuples(run), ["nDCG@10"]).cautions
    assert "swapped" not in [each.code for each in right]
    wrong = rr.evaluate(tuples(run), tuples(judged), ["nDCG@10"]).cautions
    found = [each.severity for each in wrong if each.code == "swapped"]
    if levels == (1, 1, 1):
        assert found == ["look"]
    else:
        assert found == ["look" if levels[0] == 20 else "stop"]


@pytest.mark.parametrize("what", SCORES)
def test_ranked_lists_in_the_place_of_judgments_are_told_unless_rates_of_clicks_are(what):
    """Lists of relevant documents, given as a run, are ranked lists; rates of clicks have order."""
    run = [(q, d, SCORES[what][j] + int(q[1]) / 100) for q, d, j in LISTS]
    lists = {}
    for q, d, _ in MARKED:
        lists.setdefault(q, []).append(d)
    found = [e.severity for e in rr.evaluate(tuples(run), lists).cautions if e.code == "swapped"]
    assert found == ["look"] * (what != "cosine")


def tuples(rows):
    return pl.DataFrame(rows, ["query_id", "doc_id", "score"], orient="row", strict=False)


def test_places_beside_mean_grades_are_not_swapped():
    grades = {"q1": {"d1": 2.33, "d2": 1.67}, "q2": {"d3": 0.4, "d4": 2.9}}
    places = {"q1": {"d2": 2, "d1": 1}, "q2": {"d3": 3, "d4": 2, "d9": 1}}
    assert "swapped" not in [e.code for e in rr.check(grades, places).cautions]
    assert "swapped" not in [e.code for e in rr.evaluate(grades, places).cautions]


def test_repeated_and_invalid_rows_of_parquet_are_found(tmp_path):
    """Metadata of Parquet say how many rows there are, of which some are not used."""
    path = tmp_path / "rows.parquet"
    pl.concat([QRELS, QRELS.head(1)]).write_parquet(path)
    assert [c.code for c in found(path).cautions if c.severity == "stop"] == ["repeated"]
    pl.concat([RUNS["old"], RUNS["old"].head(1)]).write_parquet(path)
    of_run = found(runs={"old": path, "new": RUNS["new"]})
    assert [c.code for c in of_run.cautions if c.severity == "stop"] == ["repeated"]
    RUNS["old"].with_columns(score=pl.lit(float("nan"))).write_parquet(path)
    assert "invalid_rows" in {c.code for c in found(runs={"old": path}).cautions}
