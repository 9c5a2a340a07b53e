"""Many pairs of systems: which rows a page lists, what it leaves out, and what stands beside it."""

from __future__ import annotations

import itertools
import json

import numpy as np
import polars as pl
import pytest
from markup import by_id, named, parsed, rows, words
from printed import embedded

import rankreport as rr
from rankreport.comparison.every_pair import best_systems_of
from rankreport.comparison.leading_pair import leading_pair_of
from rankreport.reports._report import load_report
from rankreport.reports.sections import _parts
from rankreport.reports.sections._parts import ListedRows
from rankreport.reports.sections.data import data_of
from rankreport.reports.sections.depth import depth_sections
from rankreport.reports.sections.drilldown import changes_of

N_QUERIES = 30


def evaluated(n_systems, measures=("nDCG@5", "RR")):
    """Evaluate systems that see the grades the better the later they come."""
    rng = np.random.default_rng(7)
    ids = [f"q{at:02}" for at in range(N_QUERIES)]
    keys = list(itertools.product(ids, [f"d{at}" for at in range(8)]))
    grades = rng.integers(0, 3, len(keys))
    qrels = pl.DataFrame(keys, schema=["query_id", "doc_id"], orient="row")
    runs = {
        f"s{at:02}": qrels.with_columns(score=pl.Series(rng.normal(grades * at / n_systems)))
        for at in range(n_systems)
    }
    return rr.evaluate(qrels.with_columns(relevance=grades), runs, list(measures))


def compared(n_systems, **options):
    return rr.compare(evaluated(n_systems), resamples=200, **options)


@pytest.fixture(scope="module")
def every():
    """The comparison of each of 33 systems with each other: 528 pairs."""
    made = compared(33, pairs="all")
    return compared(33, baseline=best_systems_of(made)[:0:-1])


@pytest.fixture(scope="module")
def written(every, tmp_path_factory):
    """Write its page, and return the folder."""
    folder = tmp_path_factory.mktemp("many")
    rr.report(every, date="2026-01-01").to_html(folder / "page.html")
    return folder


def test_twelve_pairs_are_listed_with_their_wins_and_losses():
    comparison = compared(13)
    assert ListedRows.of(comparison).is_all(comparison)
    content = rr.report(comparison).content
    leading, others = changes_of(content)
    (sentence,) = leading.paragraphs
    assert sentence == (
        "In all 2 losses relevant documents were returned, but ranked lower. "
        "To try kinds of query, give texts or columns of the queries."
    )
    assert len(others.parts) == 11


def test_of_thirteen_the_wins_and_losses_of_one_are_shown():
    comparison = compared(14)
    (leading,) = changes_of(rr.report(comparison).content)
    assert leading.paragraphs[0] == "Of 13 pairs, that of the verdict is shown."


def test_of_all_pairs_those_with_the_best_are_printed_and_where_the_others_are():
    comparison = compared(7, pairs="all")
    best = comparison.decision.reference
    table = comparison._shown()
    assert len(table.rows) == 6
    assert all(row[0] == "nDCG@5" and best in row[1:3] for row in table.rows)
    assert f"Of 21 pairs, these are the 6 with {best}" in table.caption
    report = rr.report(comparison)
    assert table.to_text() in repr(report)
    assert table.to_markdown() in report.to_markdown()
    assert len(compared(7, baseline=["s00", "s01", "s02"], pairs="baseline")._shown().rows) == 30


@pytest.mark.parametrize(
    ("most", "n_pairs", "n_measures"), [(200, 91, 2), (182, 91, 2), (181, 91, 1), (90, 13, 1)]
)
def test_rows_are_left_out_where_there_are_too_many(monkeypatch, most, n_pairs, n_measures):
    monkeypatch.setattr(_parts, "MOST_LISTED", most)
    comparison = compared(14, pairs="all")
    listed = ListedRows.of(comparison)
    assert (len(listed.pairs), len(listed.measures)) == (n_pairs, n_measures)
    if n_pairs < 91:
        best = best_systems_of(comparison)[0]
        assert all(best in pair for pair in listed.pairs)
    assert leading_pair_of(comparison) in listed.pairs
    assert listed.measures[0] == "nDCG@5"
    assert len(listed.table(comparison).rows) == n_pairs * n_measures


@pytest.mark.slow
def test_the_page_lists_the_pairs_with_the_best_and_says_where_the_others_are(every, written):
    section = by_id(parsed((written / "page.html").read_text("utf-8")), "differences")
    best = best_systems_of(every)[0]
    text = words(section)
    assert f"Of 528 pairs, the table has those with {best}" in text
    assert ".comparison.parquet and .comparison.csv" in text
    (table,) = named(section, "table")
    listed = rows(table)
    assert len(listed) == 32
    of_measure = every.table().filter(measure="nDCG@5")
    exact = {(row["baseline"], row["system"]): row for row in of_measure.iter_rows(named=True)}
    for row in listed:
        found = exact[row["against"], row["system"]]
        assert float(row["delta"]) == pytest.approx(found["delta"], abs=6e-4)


@pytest.mark.slow
def test_all_pairs_and_all_queries_stand_beside_the_page(every, written):
    files = {path.name for path in written.iterdir()}
    ends = ("comparison.csv", "comparison.parquet", "per-query.csv", "per-query.parquet")
    assert files == {"page.html", *(f"page.{end}" for end in ends)}
    assert pl.read_parquet(written / "page.comparison.parquet").equals(every.table())
    per_query = pl.read_parquet(written / "page.per-query.parquet")
    assert per_query.columns == ["system", "query_id", "nDCG@5", "RR"]
    assert len(per_query) == 33 * N_QUERIES


@pytest.mark.slow
def test_the_page_embeds_the_figures_that_it_shows(every, written):
    held = embedded(parsed((written / "page.html").read_text("utf-8")))
    whole = json.loads(rr.report(every, date="2026-01-01").to_json())
    assert whole["comparison"] == json.loads(every.table().write_json())
    pair = leading_pair_of(every)
    of_pair = [row for row in whole["comparison"] if (row["baseline"], row["system"]) == pair]
    listed = {tuple(pair) for pair in whole["listed"]["pairs"]}
    assert len(held["comparison"]) == 32 + len(of_pair) - 1
    assert {(row["baseline"], row["system"]) for row in held["comparison"]} == listed
    assert [row for row in of_pair if row not in held["comparison"]] == []
    for name in ("intervals", "tests", "outlook"):
        assert {(part["baseline"], part["system"]) for part in held[name]} == {pair}
    exact = every.intervals().filter(baseline=pair.baseline, system=pair.system)
    stored = pl.concat([pl.DataFrame(part) for part in held["intervals"]], how="diagonal")
    for end in ("ci_low", "ci_high"):
        np.testing.assert_allclose(stored[end], exact[end], atol=1e-12)


@pytest.mark.slow
def test_a_loaded_report_of_many_pairs_is_the_same(every, written, tmp_path):
    made = rr.report(every, date="2026-01-01")
    made.to_json(tmp_path / "report.json")
    loaded = load_report(tmp_path / "report.json")
    loaded.to_html(tmp_path / "loaded.html")
    assert (tmp_path / "loaded.html").read_bytes() == (written / "page.html").read_bytes()
    assert loaded.to_polars().equals(every.table())


@pytest.mark.slow
def test_a_page_does_not_grow_with_its_pairs(written, tmp_path):
    """528 pairs of 33 systems take hardly more bytes than 13, and no more charts."""
    few = compared(14)
    rr.report(few, date="2026-01-01").to_html(tmp_path / "few.html")
    sizes = [path.stat().st_size for path in (tmp_path / "few.html", written / "page.html")]
    assert sizes[1] < 400_000
    assert sizes[1] < 1.5 * sizes[0]
    charts = [
        len(named(parsed(path.read_text("utf-8")), "figure"))
        for path in (tmp_path / "few.html", written / "page.html")
    ]
    assert charts[1] <= charts[0] <= 6


def test_curves_of_many_systems_are_means_of_a_few():
    comparison = compared(14)
    (section,) = depth_sections(rr.report(comparison).content)
    (picture,) = section.parts
    shown = dict.fromkeys(row[0] for row in picture.data.rows)
    assert list(shown)[:2] == list(leading_pair_of(comparison))
    assert len(shown) == 4
    assert {*shown} - {comparison.baseline} <= {*best_systems_of(comparison)[:4]}
    means = comparison.evaluation.curve(["nDCG"], k=[5])
    for system in shown:
        (cell,) = [row[2] for row in picture.data.rows if row[:2] == (system, "5")]
        (exact,) = means.filter(system=system)["value"]
        assert float(cell) == pytest.approx(exact, abs=6e-4)
    assert "4 of 14 systems" in section.paragraphs[0]


def test_counts_of_many_systems_are_folded():
    for n_systems, folded in ((13, "Counts of each system"), (12, "")):
        (section,) = data_of(rr.report(evaluated(n_systems)).content)
        assert section.parts[0].folded == folded
