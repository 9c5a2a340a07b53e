"""Real ratings of Quepid and judgments of OpenSearch, in the form of each tool's export."""

from __future__ import annotations

import csv
import gzip
import json
from collections import defaultdict

import polars as pl
import pytest
from real_collections import DATA

import rankreport as rr

QUEPID = DATA / "quepid-haystack"
ESCI = DATA / "ubi-esci"
pytestmark = pytest.mark.slow


def book(path):
    """Write the ratings as Quepid's book of judgments: a column per rater."""
    given = pl.read_csv(QUEPID / "judgments_by_rater.csv", schema_overrides={"doc_id": pl.String})
    rated = given.filter(pl.col("rating").is_not_null())
    wide = rated.pivot(on="rater", index=["query", "doc_id"], values="rating")
    wide.rename({"doc_id": "docid"}).with_columns(
        # A space precedes a text that a spreadsheet would take for a formula.
        pl.when(pl.col("query").str.contains(r"^[-=+@]"))
        .then(pl.lit(" ") + pl.col("query"))
        .otherwise(pl.col("query"))
        .alias("query")
    ).write_csv(path)
    return rated


def test_a_book_of_thirteen_raters(tmp_path):
    rated = book(tmp_path / "book.csv")
    ratings = defaultdict(list)
    for query, document, rating in rated.select("query", "doc_id", "rating").rows():
        ratings[query, document].append(rating)
    assert max(map(len, ratings.values())) == 2  # so grades are means, rounded half up
    expected = {key: int(sum(each) / len(each) + 0.5) for key, each in ratings.items()}
    found = rr.read_qrels(tmp_path / "book.csv").collect()
    assert {(q, d): grade for q, d, grade in found.rows()} == expected
    assert len(found) == 1_358


def run_of(path):
    """Return a run in the order of ranks, without the documents that it repeats."""
    names = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
    rows = pl.read_csv(path, separator=" ", has_header=False, new_columns=names, infer_schema=False)
    once = rows.unique(["query_id", "doc_id"], keep="first", maintain_order=True)
    return once.select("query_id", "doc_id", "rank")


def snapshots(path):
    """Write the runs as Quepid's snapshots: quoted where a comma is, marks always doubled."""
    texts = dict(pl.read_csv(QUEPID / "queries.csv").select("query_id", "query").rows())

    def field(text):
        doubled = text.strip().replace('"', '""')
        if any(mark in doubled for mark in ",\r\n"):
            doubled = f'"{doubled}"'
        return f" {doubled}" if doubled[:1] in "-=+@" else doubled

    lines = ["Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position"]
    for run in sorted(QUEPID.glob("runs/*.run")):
        for query, document, rank in run_of(run).rows():
            fields = (run.stem, "2026-01-01", "6", texts[query], document, rank)
            lines.append(",".join(map(field, fields)))
    path.write_text("\r\n".join(lines) + "\r\n", encoding="utf-8", newline="")
    return texts


def test_ratings_and_snapshots_give_the_scores_of_trec_files(tmp_path):
    texts = snapshots(tmp_path / "snapshots.csv")
    ratings = rr.read_qrels(QUEPID / "qrels.txt").collect().rows()
    with (tmp_path / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["query", "docid", "rating"])
        writer.writerows([texts[q], d, f"{grade:g}"] for q, d, grade in ratings)
    names = ["nDCG@10", "RR@10", "P@5"]
    found = rr.evaluate(tmp_path / "ratings.csv", tmp_path / "snapshots.csv", names)
    runs = {path.stem: run_of(path) for path in sorted(QUEPID.glob("runs/*.run"))}
    expected = rr.evaluate(QUEPID / "qrels.txt", runs, names).per_query()
    by_text = expected.with_columns(pl.col("query_id").replace_strict(texts))
    order = ["system", "query_id"]
    assert found.per_query().sort(order).equals(by_text.sort(order))
    assert found.systems == ("no-vector", "vector-2", "with-vector")
    assert len(found.query_ids) == 137


def test_a_ratings_file_of_a_shop():
    path = ESCI / "Chorus_Electronics_basic.csv"
    found = rr.read_qrels(path).collect()
    with path.open(encoding="utf-8", newline="") as file:
        expected = [
            (row["query"].strip(), row["docid"], float(row["rating"]))
            for row in csv.DictReader(file)
            if row["docid"]
        ]
    assert found.rows() == expected


def test_judgment_lists_of_search_relevance():
    for path in (ESCI / "esci_us_judgments.json.gz", ESCI / "chorus_art_judgments.json"):
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8") as file:
            lists = json.load(file)["judgmentRatings"]
        expected = [
            (each["query"].strip(), rating["docId"], float(rating["rating"]))
            for each in lists
            for rating in each["ratings"]
        ]
        assert rr.read_qrels(path).collect().rows() == expected
        assert len(expected) > 500
