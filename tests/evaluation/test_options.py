"""Runs and their names, in every form."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import rankreport as rr
from rankreport.io import named_runs

RUN = {"q1": {"d1": 2.0, "d2": 1.0}}
ROWS = [("q1", "d1", 2.0), ("q1", "d2", 1.0)]
FRAME = pl.DataFrame(ROWS, schema=["qid", "docno", "score"], orient="row")


@pytest.mark.parametrize(
    "runs",
    [RUN, {"q1": ["d1", "d2"]}, {"q1": [("d1", 2.0)]}, {"q0": [], "q1": ["d1"]}, {"q0": {}, **RUN}],
)
def test_a_dictionary_of_queries_is_one_run(runs):
    assert named_runs(runs) == {"run": runs}
    assert named_runs(runs, "mine") == {"mine": runs}


@pytest.mark.parametrize(
    "run", [RUN, ROWS, FRAME, FRAME.to_pandas(), "a.run", Path("b.run"), {"q1": ["d1"]}]
)
def test_a_dictionary_of_runs_names_them(run):
    named = named_runs({"old": run, 2: run})
    assert list(named) == ["old", "2"]
    assert named["old"] is run


@pytest.mark.parametrize("runs", [FRAME, FRAME.lazy(), FRAME.to_pandas(), ROWS, iter(ROWS)])
def test_rows_are_one_run(runs):
    (run,) = named_runs(runs, "mine").values()
    assert rr.read_run(run).collect().rows() == ROWS


def test_paths_are_named_after_their_files():
    assert list(named_runs("runs/bm25.run.gz")) == ["bm25"]
    assert list(named_runs(["a.run", Path("b.run")])) == ["a", "b"]
    assert named_runs("a.run", "mine") == {"mine": "a.run"}


def long(column, values):
    return pl.concat([FRAME, FRAME]).with_columns(pl.Series(column, values))


def test_systems_that_a_column_names_are_sorted():
    frame = long("System", ["new", "old", "old", "new"])
    named = named_runs(frame)
    assert {
        name: rr.read_run(run).collect()["doc_id"].to_list() for name, run in named.items()
    } == {
        "new": frame["docno"].gather([0, 3]).to_list(),
        "old": frame["docno"].gather([1, 2]).to_list(),
    }
    records = long("tag", ["b", "b", "a", "a"]).to_dicts()
    assert list(named_runs(records)) == ["a", "b"]


def test_one_system_in_a_column_names_the_run_unless_named():
    frame = FRAME.with_columns(tag=pl.lit("bm25"))
    assert list(named_runs(frame)) == ["bm25"]
    assert list(named_runs(frame, "mine")) == ["mine"]


def test_a_column_that_may_not_name_systems_is_refused():
    films = FRAME.with_columns(name=pl.Series(["Alien", "Brazil"]))
    with pytest.raises(rr.DataError, match=r"column 'name' with 2 values.*call it 'system'.*drop"):
        named_runs(films)
    assert list(named_runs(films.rename({"name": "system"}))) == ["Alien", "Brazil"]


@pytest.mark.parametrize(
    ("runs", "name", "error", "words"),
    [
        ({"a": RUN}, "b", rr.OptionError, "name='b' is for a run by itself.*names: a"),
        (["a.run", "b.run"], "c", rr.OptionError, "these have names: a, b"),
        (long("system", ["a", "a", "b", "b"]), "c", rr.OptionError, "these have names: a, b"),
        (RUN, 5, rr.OptionError, "name takes the name of a run"),
        (RUN, " ", rr.OptionError, r"says nothing to a reader\..* or mine=FILE on the"),
        (long("system", ["a", None, "b", "b"]), None, rr.DataError, "row 2 has no system"),
        (None, None, rr.OptionError, "(?s)found NoneType.*\n  {system: run} of several runs"),
        ([("q1", "d1")], None, rr.DataError, "Give each row its score"),
    ],
)
def test_what_names_no_run_is_refused(runs, name, error, words):
    with pytest.raises(error, match=words):
        named_runs(runs, name)


def test_measures_of_a_set_are_in_the_order_of_their_names():
    found = rr.evaluate({"q": {"d": 1}}, {"q": ["d"]}, {"recip_rank", "ndcg_cut_10", "map"})
    assert [measure.shown for measure in found.measures] == ["map", "ndcg_cut_10", "recip_rank"]
    assert found.primary.shown == "map"
