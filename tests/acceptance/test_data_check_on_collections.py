"""The data check on real collections: what is known of them, and faults planted in them."""

from __future__ import annotations

import json

import polars as pl
import pytest
from real_collections import DATA, ROBUST

import rankreport as rr

CRANFIELD = DATA / "cranfield"
MOVIES = DATA / "rec-ml-100k"
CASES = json.loads((DATA / "edge-lab" / "edge_inputs.json").read_text(encoding="utf-8"))
STOPS = {
    "duplicate docno in run topic": ["repeated"],
    "duplicate docno in qrels topic (same grade)": ["repeated"],
    "duplicate docno in qrels topic (conflicting grade)": ["conflicting_grades"],
    "NaN score": ["invalid_rows"],
    "inf / -inf scores": ["invalid_rows"],
    "score in exponent / hex / comma notation": ["invalid_rows"],
    "run with 5 columns (no tag)": ["invalid_rows"],
    "run with 7 columns": ["invalid_rows"],
    "comment lines (# ...)": ["invalid_rows", "invalid_rows"],
    "empty run": ["unreadable"],
}
"""The awkward inputs that no evaluation can use."""

OTHERS = {
    "topic in qrels, missing from run (default)": "unanswered",
    "topic in run, not in qrels": "extra_queries",
    "topic with only non-relevant judgments": "nothing_relevant",
    "negative judgment -2 on a retrieved doc": "unusual_grades",
    "float grade 0.5 and 1.9 in qrels": "unusual_grades",
    "leading-zero topic ids 01 vs 1": "nearly_equal_ids",
    "grade of 5 billion (int overflow)": "unusual_grades",
}
"""Of the others, what is said of some."""


@pytest.fixture(scope="module")
def cranfield():
    qrels = rr.read_qrels(CRANFIELD / "qrels.txt").collect()
    return qrels, rr.read_run(CRANFIELD / "runs" / "bm25.run.gz").collect().drop("rank")


def checked(qrels, run, **options):
    return rr.check(qrels, {"bm25": run}, ["nDCG@10"], **options)


def few_queries(rows):
    return rows.filter(pl.col("query_id").cast(pl.Int64) <= 50)


def severe(found, *severities):
    return [each for each in found.cautions if each.severity in (severities or ("stop",))]


@pytest.mark.parametrize("name", CASES)
def test_an_awkward_input_stops_where_it_cannot_be_evaluated(name, tmp_path):
    paths = {}
    for role in ("qrels", "run"):
        paths[role] = tmp_path / role
        paths[role].write_bytes(CASES[name][role].encode())
    found = rr.check(paths["qrels"], {"mine": paths["run"]}, ["nDCG@2"])
    assert [each.code for each in severe(found)] == STOPS.get(name, [])
    assert OTHERS.get(name, "") in {"", *(each.code for each in found.cautions)}
    if name in STOPS:
        with pytest.raises(rr.DataError):
            _ = rr.evaluate(paths["qrels"], {"mine": paths["run"]}, ["nDCG@2"]).scores
    else:
        assert not rr.evaluate(paths["qrels"], {"mine": paths["run"]}, ["nDCG@2"]).scores.is_empty()


# Cranfield: judgments are sparse, and scores of the quantised run repeat


def test_cranfield_as_it_is():
    runs = {name: CRANFIELD / "runs" / f"{name}.run.gz" for name in ("bm25", "bm25-int")}
    found = rr.check(CRANFIELD / "qrels.txt", runs)
    assert severe(found) == []
    tied = [each for each in severe(found, "look") if each.code == "equal_scores"]
    assert [each.examples for each in tied] == [("bm25-int", "bm25")]  # the most first
    for row in found.table().iter_rows(named=True):
        assert (row["n_queries"], row["n_missing"], row["n_extra"]) == (225, 0, 0)


@pytest.mark.parametrize(
    ("column", "respelled", "remedy"),
    [
        ("doc_id", "cran-" + pl.col("doc_id"), "strip 'cran-' from the run"),
        ("doc_id", pl.col("doc_id") + ".txt", "strip '.txt' from the run"),
        ("doc_id", pl.col("doc_id") + ".0", "write them as whole numbers: strip '.0'"),
        ("doc_id", pl.col("doc_id").str.zfill(5), "strip the leading zeros"),
        ("doc_id", pl.col("doc_id") + " ", "strip the white space"),
        ("doc_id", pl.col("doc_id") + "#7", "strip '#7' from the run"),
        ("query_id", "q" + pl.col("query_id"), "strip 'q' from the run"),
        ("query_id", pl.col("query_id") + ".0", "write them as whole numbers: strip '.0'"),
    ],
)
def test_ids_that_match_only_when_respelled(cranfield, column, respelled, remedy):
    qrels, run = cranfield
    found = checked(qrels, run.with_columns(respelled.alias(column)))
    [stop] = severe(found)
    assert stop.code == ("nothing_judged" if column == "doc_id" else "no_shared_queries")
    assert remedy in stop.remedy
    back = checked(qrels.with_columns(respelled.alias(column)), run)
    assert remedy.replace("from the run", "from the judgments") in severe(back)[0].remedy


def test_a_tenth_of_the_documents_is_respelled(cranfield):
    qrels, run = cranfield
    tenth = pl.col("doc_id").str.ends_with("7")
    some = run.with_columns(
        doc_id=pl.when(tenth).then("cran-" + pl.col("doc_id")).otherwise("doc_id")
    )
    [caution] = [each for each in checked(qrels, some).cautions if each.code == "nearly_equal_ids"]
    assert "returned 'cran-817'" in caution.remedy
    assert "strip 'cran-' from the run" in caution.remedy
    rank = pl.col("score").rank("ordinal", descending=True).over("query_id")
    n = len(run.filter(rank <= 50).join(qrels, on=["query_id", "doc_id"], how="semi"))
    assert f"Then {n:,} of at most" in caution.remedy  # as before, in the documents looked at


def test_numbers_of_documents_do_not_match_by_chance(cranfield):
    qrels, run = cranfield
    other = run.with_columns(doc_id=(pl.col("doc_id").cast(pl.Int64) + 2000).cast(pl.String))
    [stop] = severe(checked(qrels, other))
    assert stop.remedy.startswith("Check that document ids")


def test_chunks_of_real_documents_are_folded_back(cranfield):
    qrels, run = (few_queries(rows) for rows in cranfield)
    chunks = pl.concat(
        run.with_columns(pl.col("doc_id") + f"#{i}", pl.col("score") - i / 8) for i in range(3)
    )
    [stop] = severe(checked(qrels, chunks))
    assert stop.line.startswith("collapse='max', document_of='#' ")
    folded = checked(qrels, chunks, collapse="max", document_of="#")
    assert severe(folded) == []
    assert folded.table().equals(checked(qrels, run).table())
    made, alone = (
        rr.evaluate(qrels, {"bm25": rows}, ["nDCG@10", "AP"], **options)
        for rows, options in ((chunks, {"collapse": "max", "document_of": "#"}), (run, {}))
    )
    assert made.scores.equals(alone.scores)


def test_real_judgments_and_run_are_swapped(cranfield):
    qrels, run = (few_queries(rows) for rows in cranfield)
    swapped = checked(run.rename({"score": "relevance"}), qrels.rename({"relevance": "score"}))
    assert [each.code for each in severe(swapped)] == ["swapped"]
    oracle = checked(qrels, qrels.rename({"relevance": "score"}))
    assert [each.code for each in severe(oracle)] == ["swapped"]


COLLECTIONS = {
    "robust2003": "qrels.txt.gz",
    "web2012": "qrels.adhoc.txt.gz",
    "codec-document": "qrels.txt",
    "trec-covid-r1": "qrels.txt",
    "cranfield": "qrels.txt",
    "quepid-haystack": "qrels.txt",
    "rec-ml-100k": "qrels.txt",
}


UNTOLD = {
    *(("vector-2.run", 5, 1000), ("vector-2.run", 5, 10)),  # in no order, with many equal scores
    ("mean-rating.run.gz", 5, 10),  # nearly all are 5
}


def with_value(rows, value):
    return rows.select(pl.col("query_id").cast(pl.String), "doc_id", value=value)


def first_queries(rows, n, depth):
    """Return the first queries, and the first documents of each."""
    kept = rows.filter(pl.col("query_id").is_in(rows["query_id"].unique().sort().head(n).implode()))
    return kept.group_by("query_id", maintain_order=True).head(depth)


def swapped(judged, run):
    made = rr.evaluate(
        judged.rename({"value": "relevance"}), run.rename({"value": "score"}), ["nDCG@10"]
    )
    return [each.severity for each in made.cautions if each.code == "swapped"]


@pytest.mark.slow
@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_run_is_told_from_its_judgments(name):
    """Integer scores with ties, means of ratings, counts, similarities; whole and the first ten."""
    qrels = with_value(rr.read_qrels(DATA / name / COLLECTIONS[name]).collect(), "relevance")
    for path in sorted((DATA / name / "runs").iterdir()):
        try:
            ranked = with_value(rr.read_run(path).collect(), "score")
        except rr.DataError as error:
            assert "repeats document" in str(error)  # noqa: PT017 - three of the runs are refused
            continue
        judged = qrels
        for n, depth in ((12, 1000), (5, 1000), (5, 10), (2, 4)):
            judged, ranked = first_queries(judged, n, 3000), first_queries(ranked, n, depth)
            assert swapped(judged, ranked) == [], (path, n, depth)
            if depth > 4 and (path.name, n, depth) not in UNTOLD:
                assert swapped(ranked, judged), (path, n, depth)


def test_several_faults_at_once(cranfield):
    qrels, run = cranfield
    wrong = pl.concat([qrels, qrels.head(4).with_columns(pl.col("relevance") + 1)])
    nan = pl.when(pl.int_range(pl.len()) == 9).then(float("nan")).otherwise("score")
    runs = {
        "nan": run.with_columns(nan.alias("score")),
        "twice": pl.concat([run, run.head(2)]),
        "topics": run.with_columns(query_id="t" + pl.col("query_id")),
        "documents": run.with_columns(doc_id=pl.col("doc_id") + "x"),
        "good": run,
        "copy": run,
    }
    found = rr.check(wrong, runs, ["nDCG@10"])
    assert sorted((each.code, each.concerns) for each in severe(found)) == [
        ("conflicting_grades", ()),
        ("invalid_rows", (("nan",),)),
        ("no_shared_queries", (("topics",),)),
        ("nothing_judged", (("documents",),)),
        ("repeated", (("twice",),)),
    ]
    [same] = [each for each in found.cautions if each.code == "identical_runs"]
    assert same.concerns[0][-2:] == ("good", "copy")


# Others


def test_robust_as_it_is():
    found = rr.check(ROBUST.qrels, {"humR03dc": ROBUST.runs["humR03dc"]})
    assert severe(found, "stop", "look") == []
    assert found.table().select("n_queries", "shortest", "longest").row(0) == (100, 100, 100)


def test_recommendations_have_positive_judgments_alone():
    runs = {name: MOVIES / "runs" / f"{name}.run.gz" for name in ("popularity", "mean-rating")}
    found = rr.check(MOVIES / "qrels.txt", runs)
    assert severe(found) == []
    assert {"mostly_positive", "shallow_lists"} <= {each.code for each in severe(found, "note")}


def test_a_rating_of_ten_stars_too_many():
    qrels = rr.read_qrels(MOVIES / "qrels.txt").collect()
    first = pl.int_range(pl.len()) == 0
    wrong = qrels.with_columns(relevance=pl.when(first).then(100.0).otherwise("relevance"))
    runs = {"popularity": MOVIES / "runs" / "popularity.run.gz"}
    [look] = [each for each in rr.check(wrong, runs).cautions if each.code == "unusual_grades"]
    assert (look.severity, look.count) == ("look", 1)
    assert rr.check(wrong, runs, scale=(0, 10)).exit_code == 1
