from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from drawn import collections
from hypothesis import given, settings

import rankreport as rr
from rankreport.io import Source

QRELS = {"q1": {"d1": 2, "d2": 1}, "q2": {"d7": 1}}
OLD = {"q1": {"d2": 3.1, "d9": 3.0}}
NEW = {"q1": {"d1": 0.9, "d2": 0.8}, "q5": {"d1": 1}}
RUNS = {"old": OLD, "new": NEW}


def evaluation(measures=("nDCG@10", "RR", "NumRelRet"), **options):
    return rr.evaluate(QRELS, RUNS, list(measures), **options)


def test_scores_are_long_and_complete():
    scores = evaluation().scores
    assert scores.schema == {
        "system": pl.String,
        "query_id": pl.String,
        "measure": pl.String,
        "value": pl.Float64,
    }
    assert scores.height == 2 * 2 * 3
    assert scores.filter(system="new", query_id="q1")["value"].to_list() == [1.0, 1.0, 2.0]


def test_a_summary_averages_measures_and_sums_counts():
    summary = evaluation().summary()
    assert summary.columns == ["system", "nDCG@10", "RR", "NumRelRet"]
    assert summary.select("system", "RR", "NumRelRet").rows() == [
        ("old", 0.5, 1.0),
        ("new", 0.5, 2.0),
    ]


@pytest.mark.parametrize("of", ["summary", "coverage"])
def test_means_of_many_systems_are_the_same_to_the_last_bit_each_time(of):
    # Polars sums parts of groups side by side or does not, as it guesses how many groups there are;
    # of 50 in 10,000 rows its guess, from a random sample, falls now on one side, now on the other.
    rng = np.random.default_rng(0)
    qrels = pl.DataFrame({"query_id": [f"q{at:03}" for at in range(200)], "doc_id": "d0"})
    rows = qrels.select("query_id").join(
        pl.DataFrame({"doc_id": [f"d{at}" for at in range(3)]}), how="cross"
    )
    runs = {f"s{at}": rows.with_columns(score=rng.random(600)) for at in range(50)}
    found = rr.evaluate(qrels.with_columns(relevance=1), runs, ["RR", "RR@3"])
    assert len({getattr(found, of)().write_csv() for _ in range(80)}) == 1


def test_per_query_has_a_row_for_each_system_and_query():
    wide = evaluation(["RR", "P@1"]).per_query()
    assert wide.rows() == [
        ("old", "q1", 1.0, 1.0),
        ("old", "q2", 0.0, 0.0),
        ("new", "q1", 1.0, 1.0),
        ("new", "q2", 0.0, 0.0),
    ]


def test_a_curve_has_the_values_of_the_measure_at_each_cut():
    found = evaluation()
    curve = found.curve(["nDCG(gain='exp')", "NumRelRet"], k=[1, 2, 5])
    assert curve.columns == ["system", "measure", "k", "value"]
    for system, measure, k, value in curve.iter_rows():
        at = rr.parse(measure) @ k
        alone = rr.evaluate(QRELS, RUNS, [at]).summary().filter(system=system)
        assert value == alone[str(at)].item()
    assert curve.height == 2 * 2 * 3


@pytest.mark.parametrize(
    ("measure", "k", "error", "words"),
    [
        ("GMAP", [1], rr.MeasureError, "takes no cut-off"),
        ("P@5", [1], rr.MeasureError, "give P, not P@5"),
        ("P", [], rr.OptionError, "k is empty"),
        ("P", [0], rr.MeasureError, "from 1 to 1,000,000"),
    ],
)
def test_a_curve_that_cannot_be_is_refused(measure, k, error, words):
    with pytest.raises(error, match=words):
        evaluation().curve([measure], k=k)


def test_one_measure_spelled_twice_is_one_column():
    assert evaluation(["map", "AP", rr.AP]).summary().columns == ["system", "AP"]


def test_the_primary_measure_is_the_first_or_the_one_named():
    assert evaluation().primary == rr.nDCG @ 10
    assert evaluation(primary="RR").primary == rr.RR
    assert evaluation(primary="P@3").measures[0] == rr.P @ 3


def test_the_measures_are_the_usual_ones_unless_named():
    assert [str(m) for m in rr.evaluate(QRELS, RUNS).measures] == list(rr.DEFAULT_MEASURES)


@pytest.mark.parametrize(
    ("runs", "measures", "words"),
    [
        ({}, ["AP"], "runs is empty"),
        ([], ["AP"], "runs is empty"),
        ({"": NEW, "old": OLD}, ["AP"], "The name '' says nothing to a reader. Name the run"),
        ({" \t": NEW}, ["AP"], "says nothing to a reader"),
        (5, ["AP"], "found int"),
        (["a/bm25.run", "b/bm25.run"], ["AP"], "Two runs would be named 'bm25'"),
        (RUNS, [], "measures is empty"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_at_once(runs, measures, words):
    with pytest.raises(rr.OptionError, match=words):
        rr.evaluate(QRELS, runs, measures)


def test_runs_given_as_paths_are_named_after_their_files(tmp_path):
    paths = [tmp_path / "bm25-k0.9.run.gz", tmp_path / "dense.txt"]
    for path in paths:
        path.write_text("q1 Q0 d1 1 1 t\n")
    assert rr.evaluate(QRELS, paths).systems == ("bm25-k0.9", "dense")
    assert rr.evaluate(QRELS, str(paths[1])).systems == ("dense",)


def test_inputs_are_named_without_their_folders_hashed_and_counted(tmp_path):
    file = tmp_path / "mine.run"
    file.write_text("q1 Q0 d1 1 1 t\n")
    qrels, run = rr.evaluate(QRELS, {"mine": file}).inputs
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert run == {"role": "run mine", "name": "mine.run", "sha256": digest, "rows": 1}
    held = sum(map(len, QRELS.values()))
    assert qrels == {"role": "qrels", "name": "a table in memory", "sha256": None, "rows": held}


@pytest.mark.parametrize("ties", ["trec", "rank"])
def test_every_row_of_an_input_is_counted_once_whatever_becomes_of_it(tmp_path, monkeypatch, ties):
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 d1 1\n\nq1 0 d2 0\n q2\t0 d3 -1\n")  # a blank line is no row
    compressed = tmp_path / "new.run.gz"
    compressed.write_bytes(gzip.compress(b"q1 Q0 d9 1 2 t\nq1 Q0 d1 2 1 t\nunknown Q0 d1 1 1 t\n"))
    table = pl.DataFrame({"qid": ["q1"], "docid": ["d1"], "score": [1.0], "rank": [1]})
    reads = []
    monkeypatch.setattr(Source, "read", lambda s, *more: reads.append(s.name) or _read(s, *more))
    made = rr.evaluate(qrels, {"new": compressed, "old": table}, ["P@1"], ties=ties)
    assert reads == []
    assert [read["rows"] for read in made.inputs] == [3, 3, 1]
    assert made.summary().rows() == [("new", 0.0), ("old", 0.5)]
    assert len(reads) == 3


_read = Source.read


def test_judgments_of_subtopics_are_counted_each():
    qrels = {"q1": {"d1": {"price": 1, "place": 0}, "d2": {"price": 1}}}
    made = rr.evaluate(qrels, {"mine": {"q1": {"d1": 1.0}}}, ["P@1"], subtopics=True)
    assert [read["rows"] for read in made.inputs] == [3, 1]


# --- writing and loading --------------------------------------------------------------------------


@given(collections(systems=2))
@settings(max_examples=8)
def test_what_is_written_is_loaded_to_the_last_bit(tmp_path_factory, collection):
    qrels, *runs = collection
    file = tmp_path_factory.mktemp("written") / "scores.parquet"
    written = rr.evaluate(
        qrels, {"a": runs[0], "b": runs[1]}, ["AP", "nDCG@3"], primary="nDCG@3", ties="input"
    )
    written.write_parquet(file, also=["P@1", "P@2", "AP"])
    loaded = rr.load_evaluation(file)
    for name in ("scores", "quality", "unanswered"):
        assert getattr(loaded, name).equals(getattr(written, name))
    for name in ("systems", "measures", "primary", "settings", "inputs"):
        assert getattr(loaded, name) == getattr(written, name)
    assert loaded.curve(["P"], k=[1, 2]).equals(written.curve(["P"], k=[1, 2]))
    assert loaded.summary().equals(written.summary())
    assert repr(loaded) == repr(written)


def test_what_is_written_twice_is_the_same_however_often_it_is_named(tmp_path):
    also = ["PooledAUC", "P@1", "PooledAUC", "P@1"]
    evaluation(["RR"]).write_parquet(tmp_path / "once.parquet", also=also)
    once = rr.load_evaluation(tmp_path / "once.parquet")
    once.write_parquet(tmp_path / "twice.parquet", also=also)
    twice = rr.load_evaluation(tmp_path / "twice.parquet")
    assert twice.summary().equals(once.summary())
    assert twice.curve("P", k=[1]).equals(evaluation().curve("P", k=[1]))


def test_a_file_holds_no_measures_but_those_written(tmp_path):
    evaluation(["AP"]).write_parquet(tmp_path / "s.parquet")
    words = r"s\.parquet does not contain P@1, P@2, but AP\..*also="
    with pytest.raises(rr.DataError, match=words):
        rr.load_evaluation(tmp_path / "s.parquet").curve(["P"], k=[1, 2])


def test_writing_twice_gives_the_same_bytes(tmp_path):
    for name in "ab":
        evaluation().write_parquet(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_files_that_are_not_ours_are_refused(tmp_path):
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "other.parquet")
    (tmp_path / "text").write_text("q1 Q0 d1 1 1 t\n")
    evaluation().write_parquet(tmp_path / "cut")
    (tmp_path / "cut").write_bytes((tmp_path / "cut").read_bytes()[:-20])
    (tmp_path / "empty").touch()
    for name, words in {
        "other.parquet": "contains no evaluation settings",
        "text": "cannot be read as a Parquet file",
        "cut": "Parquet file",
        "empty": "Parquet file",
        "missing": "does not exist",
        "": "is a folder; a file is expected",
    }.items():
        with pytest.raises(rr.DataError, match=words) as caught:
            rr.load_evaluation(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value)


def test_a_file_of_another_version_says_which(tmp_path):
    metadata = {"rankreport": '{"schema": 99}'}
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "new.parquet", metadata=metadata)
    with pytest.raises(rr.DataError, match="has schema 99; this version of rankreport reads 8"):
        rr.load_evaluation(tmp_path / "new.parquet")


def test_nothing_half_written_is_left_where_writing_fails(tmp_path, monkeypatch):
    file = tmp_path / "scores.parquet"
    evaluation().write_parquet(file)
    before = file.read_bytes()

    sink = pl.LazyFrame.sink_parquet

    def fail(rows, target, **options):
        if not isinstance(target, Path):  # a frame in the metadata
            return sink(rows, target, **options)
        target.write_bytes(b"half")
        raise KeyboardInterrupt

    found = evaluation(["AP"])
    monkeypatch.setattr(pl.LazyFrame, "sink_parquet", fail)
    with pytest.raises(KeyboardInterrupt):
        found.write_parquet(file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["scores.parquet"]


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    with pytest.raises(rr.OutputError, match="is a folder"):
        evaluation().write_parquet(tmp_path)
    with pytest.raises(rr.OutputError, match="Does its folder exist"):
        evaluation().write_parquet(tmp_path / "nowhere" / "scores.parquet")


# --- display --------------------------------------------------------------------------------------


def test_a_terminal_shows_a_table():
    assert repr(evaluation(["nDCG@10", "RR"])).split("\n\n")[1] == (
        "2 queries\n"
        "system  nDCG@10      RR\n"
        "------  -------  ------\n"
        "old      0.1900  0.5000\n"
        "new      0.5000  0.5000"
    )


HOSTILE = '<img src=x onerror=alert(1)>|&"\n\x1b[31m'


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, _):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def test_a_hostile_name_stays_text_in_every_form():
    found = rr.evaluate(QRELS, {HOSTILE: OLD}, ["AP"])
    bundle = found._repr_mimebundle_()
    parser = Tags()
    parser.feed(bundle["text/html"])
    assert "img" not in parser.tags
    assert "table" in parser.tags
    assert "<img src=x onerror=alert(1)>" in parser.text
    for text in (bundle["text/plain"], repr(found), found.to_markdown(), found.to_latex()):
        assert "\x1b" not in text
    assert [len(part.splitlines()) for part in repr(found).split("\n\n")] == [1, 4, 1]
    assert len(found.to_markdown().split("\n\n")) == 4
    assert r"\textless{}img" in found.to_latex()


def test_the_summary_is_exported_to_polars_and_pandas():
    found = evaluation(["AP"])
    assert found.to_polars().equals(found.summary())
    assert found.to_pandas().to_dict("list") == found.summary().to_dict(as_series=False)


# --- the same bits whatever the machine does ------------------------------------------------------

PROGRAM = """
import hashlib, random, sys
import rankreport as rr
from rankreport.io import Source
from variants import known_items

order = random.Random(0)
documents = [f"d{i}" for i in range(400)]
queries = [f"q{i}" for i in range(150)]
qrels = {
    q: {
        d: {subtopic: order.randint(-1, 3) for subtopic in order.sample("abc", 2)}
        for d in order.sample(documents, 60)
    }
    for q in queries
}
runs = {
    name: {q: {d: order.choice([1.0, 2.0, order.random()]) for d in documents} for q in queries}
    for name in ("one", "two")
}
shuffle = random.Random(int(sys.argv[1]))

def shuffled(nested):
    names = shuffle.sample(list(nested), len(nested))
    return {q: dict(shuffle.sample(list(nested[q].items()), len(nested[q]))) for q in names}

measures = [*rr.catalogue(), *(m @ 7 for m in rr.catalogue() if m.takes_cutoff)]
named = {n: shuffled(r) for n, r in runs.items()}
known = known_items(qrels)
found = rr.evaluate(shuffled(qrels), named, measures, subtopics=True, **known)
bits = found.per_query().write_csv() + found.summary().write_csv()
print(hashlib.sha256(bits.encode()).hexdigest())
"""


@pytest.mark.slow
def test_scores_are_the_same_bits_for_any_threads_and_row_order():
    digests = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, seed],
            env={
                **os.environ,
                "POLARS_MAX_THREADS": threads,
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads, seed in [("1", "1"), ("4", "1"), ("4", "2")]
    }
    assert len(digests) == 1


def test_judgments_and_run_swapped_are_a_caution_of_every_verdict(tmp_path):
    qrels = {f"q{i}": {f"d{j}": (i + j) % 3 for j in range(9)} for i in range(8)}
    runs = {
        name: {q: {d: 9.5 - (i * int(d[1:]) + 3) % 11 / 7 for d in row} for q, row in qrels.items()}
        for i, name in enumerate(["old", "new"], 1)
    }
    assert "swapped" not in [each.code for each in rr.evaluate(qrels, runs).cautions]
    made = rr.evaluate(runs["old"], {"mine": qrels, "new": runs["new"]})
    (caution,) = [each for each in made.cautions if each.code == "swapped"]
    assert (caution.severity, caution.concerns) == ("stop", (("mine",),))
    assert "mine has 3 different scores" in caution.text
    assert caution in rr.compare(made, resamples=100).cautions
    made.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet").cautions == made.cautions
    found = rr.check(runs["old"], {"mine": qrels, "new": runs["new"]})
    assert [each.code for each in found.cautions].count("swapped") == 1


def _ratings(levels, column="relevance"):
    rows = [
        (f"u{i}", f"i{j}", float(levels[(i + j) % len(levels)])) for i in range(9) for j in range(9)
    ]
    return pl.DataFrame(rows, ["userId", "movieId", column], orient="row")


def _rated(qrels, measures=("nDCG@10", "AP", "P@5")):
    run = qrels.select(qid="userId", doc="movieId", score=pl.int_range(pl.len()) * 1.0)
    made = rr.evaluate(qrels, {"mine": run}, measures)
    return [each for each in made.cautions if each.code == "rated"]


@pytest.mark.parametrize("column", ["rating", "relevance"])
@pytest.mark.parametrize("levels", [range(1, 6), [0.5 * i for i in range(1, 11)], range(1, 11)])
def test_low_ratings_that_count_as_relevant_are_a_caution(levels, column, tmp_path):
    qrels = _ratings(levels, column)
    (caution,) = _rated(qrels)
    high = max(levels)
    assert caution.severity == "note"  # the primary measure weighs ratings
    assert _rated(qrels, ["AP", "nDCG@10"])[0].severity == "look"
    assert caution.text == (
        f"The grades look like ratings: they go from {min(levels):g} to {high:g}, and none is 0. "
        f"For AP, P@5, a rating of 1 counts as relevant. nDCG@10 weighs ratings as they are."
    )
    liked = f"{0.8 * high:g}"
    assert caution.remedy == f"If only high ratings are relevant, count those from {liked} on."
    assert caution.line == f"AP(rel={liked}), or evaluate_recommenders(threshold={liked})"
    assert not _rated(qrels, [f"AP(rel={0.8 * high:g})", "nDCG"])
    made = rr.evaluate(qrels, {"mine": {"u0": {"i0": 1.0}}}, ["AP"])
    made.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet").cautions == made.cautions


@pytest.mark.parametrize(
    ("levels", "column"),
    [
        ([1, 2, 3], "relevance"),  # judgments that list what is relevant alone
        ([1, 3, 5], "relevance"),
        ([0, 1, 2, 3, 4, 5], "rating"),
        ([1, 2, 3, 4, 7, 57], "relevance"),  # counts
        ([1.3, 2.2, 3.1, 4, 5], "relevance"),
        ([1], "rating"),
        ([1, 2], "rating"),
    ],
)
def test_grades_that_are_no_ratings_are_no_caution(levels, column):
    assert _rated(_ratings(levels, column)) == []


def test_ratings_by_name_need_no_usual_scale():
    assert _rated(_ratings([1, 2, 4], "rating"))
    assert not _rated(_ratings([1, 2, 4]))


ASKED = ["NDCG_at_10", "hit_rate@1", "RR", "ndcg_cut_10"]


def asked():
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    return rr.evaluate(qrels, {"mine": {"q1": {"d1": 2}, "q2": {"d2": 1}}}, ASKED)


def test_measures_are_shown_by_the_name_that_was_asked_first():
    made = asked()
    assert str(made).splitlines()[1].split() == ["system", "NDCG_at_10", "hit_rate@1", "RR"]
    for shown in made._repr_mimebundle_().values():
        assert "hit" in shown
        assert "Success" not in shown


def test_frames_name_measures_by_their_canonical_text():
    made = asked()
    assert made.summary().columns == ["system", "nDCG@10", "Success@1", "RR"]
    assert (
        made.scores["measure"].unique(maintain_order=True).to_list() == made.summary().columns[1:]
    )


def test_values_take_names_of_measures_evaluated_or_not():
    made = asked()
    values = made.values("hit_rate@1")
    assert values["Success@1"].to_list() == [1.0, 0.0]
    assert made.values([rr.Success @ 1]).equals(values)
    assert made.values(["P@1", "RR"]).columns == ["system", "query_id", "P@1", "RR"]
    with pytest.raises(rr.MeasureError, match="mine"):
        made.values("mine")
    with pytest.raises(rr.OptionError, match=r"hardest.. takes n as int; found 'RR'"):
        made.hardest("RR")


def test_the_primary_measure_has_the_name_that_was_asked_first():
    qrels, run = {"q1": {"d1": 1}}, {"q1": ["d1"]}
    assert rr.evaluate(qrels, run, ["AP", "mrr"], primary="recip_rank").primary.shown == "mrr"
    assert rr.evaluate(qrels, run, ["AP"], primary="recip_rank").primary.shown == "recip_rank"


def test_names_as_asked_are_stored(tmp_path):
    asked().write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert str(loaded) == str(asked())
    assert loaded.primary.shown == "NDCG_at_10"


def test_names_that_a_profile_has_alone_are_stored(tmp_path):
    made = rr.evaluate({"q1": {"d1": 1}}, {"q1": ["d1"]}, "NDCG:top=10", profile="catboost")
    made.write_parquet(tmp_path / "scores.parquet")
    assert str(rr.load_evaluation(tmp_path / "scores.parquet")).split()[3] == "NDCG:top=10"


def test_cautions_and_charts_name_measures_as_asked():
    qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d2": 0}}
    tied = {"q1": {"d1": 1, "d2": 1}, "q2": {"d1": 2, "d2": 1}}
    made = rr.evaluate(qrels, tied, ["recip_rank", "recall@100"])
    (of_ties,) = (each.text for each in made.cautions if each.code == "equal_scores")
    assert "change recip_rank of run" in of_ties
    assert "recip_rank" in made.plot_means().alt
    assert made.plot_curve("Recall", k=[1, 2]).alt.startswith("Recall by cut-off")
