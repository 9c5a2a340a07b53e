"""Comparisons on Spark: what was judged is collected, and everything is as on one machine."""

from __future__ import annotations

import json
import re
from datetime import date
from functools import cache

import polars as pl
import pytest
from awkward import AWKWARD, N_QUERIES, plain
from polars.testing import assert_frame_equal
from xxhash64 import xxhash64

import rankreport as rr
from rankreport import spark
from rankreport.errors import DataError, OptionError

SEGMENTS = pl.DataFrame(
    {
        "query_id": [f"q{q}" for q in range(N_QUERIES)],
        "kind": ["short" if q % 2 else "long" for q in range(N_QUERIES)],
    }
)


OPTIONS = {"segments": "kind", "queries": SEGMENTS, "margin": 0.2}


def evaluated(remote, made, n_buckets=2):
    """Evaluate a collection on Spark."""
    runs = {name: remote(run) for name, run in made.runs.items()}
    return spark.evaluate(
        remote(made.qrels), runs, made.measures, n_buckets=n_buckets, **made.options
    )


def here(made):
    """Evaluate a collection on this machine."""
    return rr.evaluate(made.qrels, made.runs, made.measures, **made.options)


@cache
def local_of(collection):
    """Compare a collection on this machine."""
    return rr.compare(here(AWKWARD[collection]()), **OPTIONS)


def figures(shown):
    """Return the frame of a table."""
    return shown if isinstance(shown, pl.DataFrame) else shown.frame


PLAIN = {
    "plain",
    "prefixed documents in two thirds of a run",
    "a run that holds the judgments",
    "half of the queries missing",
    "equal scores",
    "fractional grades",
    "one query with half of the rows",
    "lists cut in half",
    "subtopics",
    "whole numbers as ids, written as floats",
}
"""Collections whose ids, orders, grades, sizes or options come another way; of the others, the same
facts are established at the same places."""


@pytest.mark.parametrize(
    "collection",
    [each if each in PLAIN else pytest.param(each, marks=pytest.mark.slow) for each in AWKWARD],
)
def test_everything_is_as_on_one_machine(remote, collection):
    """Scores to the last bit, all figures, wins and losses, gates, the verdict and all cautions."""
    made = AWKWARD[collection]()
    there, local = evaluated(remote, made).compare(**OPTIONS), local_of(collection)
    assert there.evaluation.scores.equals(local.evaluation.scores)
    for name in ("table", "deltas", "wins", "losses", "segments", "ratios"):
        frames = [figures(getattr(each, name)()) for each in (there, local)]
        assert_frame_equal(*frames, check_exact=True)
    assert there.cautions == local.cautions
    assert there.verdict() == local.verdict()
    required = [f"{made.measures[0]} >= -0.1", f"{made.measures[0]} >= -0.1 in every kind"]
    outcomes = [rr.gate(each, required).table() for each in (there, local)]
    assert_frame_equal(*outcomes, check_exact=True)


def test_awkward_collections_are_awkward():
    """Each says something of its data that the plain one does not, or has figures of its own."""
    assert len(AWKWARD) >= 20
    found = {each.code for name in AWKWARD for each in local_of(name).cautions}
    assert found >= {
        *("nearly_equal_ids", "nothing_judged", "extra_queries", "one_sided", "swapped"),
        *("equal_scores", "ties_reverse", "unusual_grades", "rated", "mostly_positive"),
        *("nothing_relevant", "same_scores", "short_lists", "judged_only", "left_out"),
        "unequal_depth",
    }


def without_origin(page):
    """Return what a page holds, but for where the judgments and runs are."""
    return json.loads(page.replace("a DataFrame of Spark", "a table in memory"))


def test_the_page_is_that_of_one_machine(remote):
    made = AWKWARD["prefixed documents in two thirds of a run"]()
    pages = [
        rr.report(rr.compare(each), date=date(2026, 11, 24)).to_json()
        for each in (evaluated(remote, made).to_evaluation(), here(made))
    ]
    there, local = map(without_origin, pages)
    assert there.keys() == local.keys()
    for part in local:
        assert there[part] == local[part], part


def test_neither_buckets_nor_partitions_matter(remote):
    made = plain()
    runs = {name: remote(run).repartition(3) for name, run in made.runs.items()}
    other = spark.evaluate(remote(made.qrels).repartition(2), runs, made.measures, n_buckets=5)
    one = evaluated(remote, made, n_buckets=1)
    for options in ({}, {"n_queries": 12, "seed": 4}):
        found = [each.compare(**options) for each in (one, other)]
        assert found[0].table().equals(found[1].table())
        assert found[0].pool_and_order().equals(found[1].pool_and_order())
    means = [each.evaluation.exact_means for each in found]
    assert_frame_equal(*means, rel_tol=1e-12)


def test_a_random_sample_is_compared_as_these_queries_are(remote, tmp_path):
    """The queries of the lowest hashes, with all of their rows; the page says of how many."""
    made, n, seed = plain(), 12, 7

    def signed(query):
        of = xxhash64(f"{seed}:{query}")
        return of - 2**64 if of >= 2**63 else of

    drawn = sorted(made.qrels["query_id"].unique(), key=signed)[:n]
    compared = evaluated(remote, made).compare(n_queries=n, seed=seed)
    assert set(compared.evaluation.query_ids) == set(drawn)
    of_drawn = pl.col("query_id").is_in(drawn)
    local = rr.compare(
        rr.evaluate(
            made.qrels.filter(of_drawn),
            {name: run.filter(of_drawn) for name, run in made.runs.items()},
            made.measures,
        ),
        seed=seed,
    )
    assert compared.table().equals(local.table())
    assert compared.verdict().sentence == local.verdict().sentence
    of_sample = [each for each in compared.cautions if each.code == "sampled_queries"]
    assert [each for each in compared.cautions if each not in of_sample] == list(local.cautions)
    assert f"{n} of {N_QUERIES} judged queries" in of_sample[0].text
    exact = here(made).summary().unpivot(index="system", variable_name="measure", value_name="mean")
    means = compared.evaluation.exact_means
    order = ["system", "measure"]
    assert_frame_equal(means.select(*order, "mean").sort(order), exact.sort(order), rel_tol=1e-12)
    check_outputs_of_sample(compared, means, tmp_path)


def check_outputs_of_sample(compared, means, folder):
    """Check that every output says that queries are a sample, and exact means stand alone."""
    report = rr.report(compared)
    stated = f"12 queries, drawn at random from {N_QUERIES}"
    assert stated in report.to_markdown()
    data = json.loads(report.to_json())
    assert len(data["exact_means"]) == len(means)
    report.to_html(folder / "page.html")
    page = (folder / "page.html").read_text("utf-8")
    assert stated in page
    section = re.search(r'<section[^>]*id="exact-means".*?</section>', page, re.DOTALL)[0]
    assert "95 %" not in section
    compared.evaluation.write_parquet(folder / "scores.parquet")
    stored = rr.load_evaluation(folder / "scores.parquet")
    assert stored.exact_means.equals(means)
    assert stored.cautions == compared.evaluation.cautions
    one = rr.load_evaluation(folder / "scores.parquet", systems=["new"])
    assert one.exact_means["system"].unique().to_list() == ["new"]
    report.to_notebook(folder / "page.ipynb")
    assert f"12 of {N_QUERIES} judged queries" in (folder / "page.ipynb").read_text("utf-8")


def test_a_sample_of_all_queries_is_none(remote):
    whole = evaluated(remote, plain()).compare(n_queries=10_000)
    assert whole.evaluation.exact_means is None
    assert whole.table()["n_queries"].max() == N_QUERIES


def test_too_little_memory_offers_a_sample_that_fits(remote, monkeypatch):
    """Nothing is collected before; the lines that it suggests run."""
    monkeypatch.setattr("rankreport.evaluation.memory._VALUE", 2 * 10**6)
    made = evaluated(remote, plain())
    with pytest.raises(OptionError, match="is too little: what was judged of") as raised:
        made.compare(memory_limit="500MB")
    text = str(raised.value)
    assert f"{N_QUERIES} queries and 2 systems" in text
    n_queries, limit = re.search(r"(n_queries=\d+), or give (memory_limit='[^']+')", text).groups()
    sample = eval(f"made.compare({n_queries}, memory_limit='500MB')", {"made": made})
    assert 1 < len(sample.evaluation.query_ids) < N_QUERIES
    whole = eval(f"made.compare({limit})", {"made": made})
    assert len(whole.evaluation.query_ids) == N_QUERIES


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ({"n_queries": 0}, "n_queries=0: expected a whole number, 1 or more"),
        ({"n_queries": 2.5}, "n_queries=2.5: expected a whole number"),
        ({"seed": -1}, "seed=-1: expected a whole number, 0 or more"),
        ({"memory_limit": "much"}, "memory_limit='much' is not a size"),
        ({"basline": "old"}, r"'basline'\. Did you mean 'baseline'"),
        ({"measures": ["AP"]}, "this evaluation has its own"),
    ],
    ids=str,
)
def test_wrong_options(remote, option, text):
    made = evaluated(remote, plain())
    with pytest.raises(OptionError, match=text):
        made.compare(**option)


def test_a_run_without_a_query_of_the_sample(remote):
    made = plain()
    made.runs["new"] = made.runs["new"].filter(pl.col("query_id") == "q3")
    sample = evaluated(remote, made).compare(n_queries=2)
    with pytest.raises(DataError, match=r"run 'new' has no row of the 2 queries drawn"):
        sample.table()


def test_systems_that_a_column_names_have_the_baseline_of_one_machine(remote):
    made = plain()
    rows = [run.with_columns(system=pl.lit(name)) for name, run in made.runs.items()]
    local = rr.compare(rr.evaluate(made.qrels, pl.concat(rows), made.measures))
    there = spark.evaluate(remote(made.qrels), remote(pl.concat(rows[::-1])), made.measures)
    there = there.compare()
    assert (local.baseline, there.baseline) == ("new", "new")
    assert there.verdict() == local.verdict()
    assert "baseline_by_name" in {each.code for each in there.cautions}
