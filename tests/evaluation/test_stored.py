"""A scores file that was changed or damaged is refused, with the file and the reason."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
import tracemalloc
import zlib

import polars as pl
import pytest

import rankreport as rr
from rankreport.comparison.model_judge import decisive_differences
from rankreport.evaluation.quality import unjudged_at_top, values_on_judged

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2, "d3": 1}}
RUNS = {"a": {"q1": {"d1": 2, "d2": 1}, "q2": {"d9": 1}}, "b": {"q1": {"d2": 2, "d1": 1}}}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    file = tmp_path_factory.mktemp("stored") / "scores.parquet"
    made = rr.evaluate(QRELS, RUNS, ["nDCG@10", "AP", "RR"])
    made.write_parquet(file, documents=made.documents(["q1"], k=2))
    return file


def repacked(description, name, change):
    """Change a frame that is stored."""
    rows = change(pl.read_parquet(zlib.decompress(base64.b64decode(description["tables"][name]))))
    file = io.BytesIO()
    rows.write_parquet(file)
    packed = base64.b64encode(zlib.compress(file.getvalue())).decode("ascii")
    description["tables"][name] = packed


def rewritten(written, folder, change, scores=lambda frame: frame):
    """Write the file again with changed metadata or scores."""
    about = pl.read_parquet_metadata(written)
    description = json.loads(about["rankreport"])
    text = change(description)
    about["rankreport"] = text if isinstance(text, str) else json.dumps(description)
    target = folder / "scores.parquet"
    del about["ARROW:schema"]
    scores(pl.read_parquet(written)).write_parquet(target, metadata=about)
    return target


def test_pair_ratios_that_are_infinite_are_read(tmp_path):
    one = rr.evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 2, "d2": 1}}, ["PairRatio"])
    assert one.scores["value"].item() == float("inf")
    one.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet").scores.equals(one.scores)


def test_an_unchanged_file_is_read(written, tmp_path):
    same = rr.load_evaluation(rewritten(written, tmp_path, lambda _: None))
    assert same.scores.equals(rr.load_evaluation(written).scores)
    assert same.primary == rr.parse("nDCG@10")
    assert same.documents(["q1"], k=2).height == 4


CHANGES = {
    "cut": lambda d: json.dumps(d)[:-40],
    "no JSON": lambda _: "\ud7ff{",
    "a list": lambda _: "[1]",
    "a number": lambda _: "3",
    "deep": lambda _: "[" * 100_000,
    "no schema": lambda d: d.pop("schema") and None,
    "a word for the schema": lambda d: d.update(schema="two"),
    "another primary": lambda d: d.update(primary="AP"),
    "a count of another number": lambda d: repacked(
        d, "quality", lambda rows: rows.with_columns(n_queries=3)
    ),
    "a rank of another document": lambda d: repacked(
        d, "documents", lambda rows: rows.with_columns(rank=2)
    ),
    "a frame less": lambda d: d["tables"].pop("quality") and None,
    "a frame that is none": lambda d: d["tables"].update(quality="=="),
    "another spacing": lambda d: json.dumps(d, indent=1),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changed_metadata_are_refused(change, written, tmp_path):
    file = rewritten(written, tmp_path, CHANGES[change])
    with pytest.raises(rr.DataError) as caught:
        rr.load_evaluation(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


SCORES = {
    "another name": lambda f: f.rename({"value": "score"}),
    "values that are text": lambda f: f.cast({"value": pl.String}),
    "no rows": lambda f: f.clear(),
    "a row less": lambda f: f.head(-1),
    "a row twice": lambda f: pl.concat([f, f.head(1)]),
    "no names": lambda f: f.with_columns(query_id=pl.lit(None, pl.String)),
    "another order": lambda f: f.reverse().sort("measure", maintain_order=True).tail(8).reverse(),
    "another system": lambda f: f.with_columns(system=pl.lit("c")),
    "names of systems the other way round": lambda f: f.with_columns(
        pl.col("system").replace({"a": "b", "b": "a"})
    ),
    "one value": lambda f: f.with_columns(value=pl.col("value") + (pl.int_range(pl.len()) == 1)),
    "a value of nothing": lambda f: f.with_columns(
        value=pl.when(pl.int_range(pl.len()) != 1).then("value")
    ),
    "an infinite value": lambda f: f.with_columns(
        value=pl.when(pl.int_range(pl.len()) != 1).then("value").otherwise(float("inf"))
    ),
}


@pytest.mark.parametrize("change", SCORES)
def test_changed_scores_are_refused(change, written, tmp_path):
    file = rewritten(written, tmp_path, lambda _: None, SCORES[change])
    with pytest.raises(rr.DataError, match="as written by write_parquet") as caught:
        rr.load_evaluation(file)
    assert str(file) in str(caught.value)


def test_scores_without_a_digest_are_refused(written, tmp_path):
    about = {"rankreport": pl.read_parquet_metadata(written)["rankreport"]}
    pl.read_parquet(written).write_parquet(tmp_path / "scores.parquet", metadata=about)
    with pytest.raises(rr.DataError, match="as written by write_parquet"):
        rr.load_evaluation(tmp_path / "scores.parquet")


@pytest.mark.parametrize("kept", [0, 3, 8, 100, -1, -9])
def test_a_cut_file_is_refused(kept, written, tmp_path):
    file = tmp_path / "scores.parquet"
    file.write_bytes(written.read_bytes()[:kept])
    with pytest.raises(rr.DataError, match=r"scores\.parquet cannot be read as a Parquet file"):
        rr.load_evaluation(file)


# Some of what was written


@pytest.fixture(scope="module")
def of_four(tmp_path_factory):
    """Return an evaluation of four systems, and the file that it was written to."""
    example = rr.load_example()
    whole = rr.evaluate(example.qrels, example.runs, ["nDCG@10", "AP", "GAUC"])
    path = tmp_path_factory.mktemp("four") / "scores.parquet"
    whole.write_parquet(path, also=["P@5"], documents=whole.documents(whole.query_ids[:3]))
    return whole, path


def test_some_systems_are_loaded_as_if_evaluated_alone(of_four):
    _, path = of_four
    example = rr.load_example()
    names = ("fusion", "bm25")
    alone = rr.evaluate(
        example.qrels, {name: example.runs[name] for name in reversed(names)}, ["nDCG@10", "AP"]
    )
    loaded = rr.load_evaluation(path, systems=names, measures=["nDCG@10", "AP"])
    assert loaded.systems == ("bm25", "fusion")  # as they were written
    assert loaded.scores.equals(alone.scores)
    assert loaded.quality.equals(alone.quality)
    assert loaded.ties().equals(alone.ties())
    assert loaded.coverage().equals(alone.coverage())
    assert loaded.unanswered.equals(alone.unanswered)
    assert loaded.inputs == alone.inputs
    assert [str(each) for each in loaded.cautions] == [str(each) for each in alone.cautions]
    queries = loaded.query_ids[:3]
    assert loaded.documents(queries).equals(alone.documents(queries))
    again = rr.compare(loaded, resamples=200).table()
    assert again.equals(rr.compare(alone, resamples=200).table())


def test_aggregates_of_all_queries_follow_their_system(of_four):
    whole, path = of_four
    loaded = rr.load_evaluation(path, systems="fusion", measures="GAUC")
    assert loaded.summary().equals(
        whole.summary().filter(pl.col("system") == "fusion").select("system", "GAUC")
    )


def test_measures_are_those_that_are_stored(of_four):
    whole, path = of_four
    loaded = rr.load_evaluation(path, measures=["P@5", "AP"])
    assert list(map(str, loaded.measures)) == ["P@5", "AP"]
    assert str(loaded.primary) == "P@5"
    assert str(rr.load_evaluation(path, primary="AP").primary) == "AP"
    assert str(rr.load_evaluation(path, measures=["AP", "nDCG@10"]).primary) == "nDCG@10"
    assert loaded.per_query()["AP"].equals(whole.per_query()["AP"])
    message = r"scores.parquet does not contain ERR@20, but nDCG@10, AP, GAUC\. Evaluate the runs"
    with pytest.raises(rr.DataError, match=message):
        rr.load_evaluation(path, measures=["ERR@20"])
    with pytest.raises(rr.DataError, match="does not contain ERR@20"):
        rr.load_evaluation(path, primary="ERR@20")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"systems": ["fusio"]}, "systems='fusio' is not one of .*Did you mean 'fusion'"),
        ({"systems": []}, "systems is empty"),
        ({"measures": []}, "measures is empty"),
    ],
)
def test_what_is_not_there_is_refused(of_four, given, message):
    with pytest.raises(rr.OptionError, match=message):
        rr.load_evaluation(of_four[1], **given)


# Unjudged documents


ODD = ["q 2", "\u7b2c\u4e09", "a\tb\n", "=1+1", "0", "00", "q'\"8", "\u0000"]


def partly_judged(systems=("a", "b\u00e4r"), **options):
    """Return an evaluation of queries with many, few and no unjudged documents."""
    qrels = {q: {f"d{n}": n % 3 for n in range(2 + 2 * place)} for place, q in enumerate(ODD)}
    runs = {
        system: {
            query: {f"d{(n * 7 + place) % 19}": 1.0 / (n + 1) for n in range(12)}
            for query in ODD[place:]  # the last systems answer fewer queries
        }
        for place, system in enumerate(systems)
    }
    return rr.evaluate(qrels, runs, ["nDCG@10", "AP"], **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"queries": "answered"},
        {"queries": "intersection", "no_relevant": "skip"},
        {"systems": ("a",)},
        {"systems": ("a", "b", "c"), "primary": "AP"},
    ],
    ids=str,
)
def test_unjudged_documents_are_read_as_they_were_written(options, tmp_path):
    made = partly_judged(**options)
    made.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert unjudged_at_top(made) is not None
    assert len(unjudged_at_top(made).documents) > 30
    for found, expected in zip(unjudged_at_top(loaded), unjudged_at_top(made), strict=True):
        assert found.schema == expected.schema
        assert found.equals(expected)
    assert values_on_judged(loaded).equals(values_on_judged(made))
    assert loaded.unanswered.equals(made.unanswered)
    if len(made.systems) > 1:
        one, other = (rr.compare(each, resamples=200) for each in (loaded, made))
        assert one.table().equals(other.table())
        assert [str(each) for each in one.cautions] == [str(each) for each in other.cautions]
    loaded.write_parquet(tmp_path / "again.parquet")
    one, other = (
        json.loads(pl.read_parquet_metadata(tmp_path / name)["rankreport"])
        for name in ("again.parquet", "scores.parquet")
    )
    assert {"unjudged", "unjudged documents", "unjudged grades"} <= one["tables"].keys()
    assert one == other


def test_unjudged_documents_are_read_where_some_queries_have_no_answer(tmp_path):
    made = rr.evaluate(
        {query: {"d1": 1, "d2": 0, "d3": 0} for query in ("q1", "q3")},
        {"a": {q: {"d1": 2, "d9": 1} for q in ("q1", "q2", "q3")}},
        ["P@2"],
        unanswerable=["q2"],
    )
    made.write_parquet(tmp_path / "scores.parquet")
    loaded = unjudged_at_top(rr.load_evaluation(tmp_path / "scores.parquet"))
    assert loaded.lists.equals(unjudged_at_top(made).lists)
    assert loaded.lists.select("query_id", "n_unjudged").rows() == [("q1", 1), ("q3", 1)]
    assert loaded.documents["rank"].to_list() == [2, 2]


def test_unjudged_documents_of_some_systems_are_those_of_these_alone(tmp_path):
    partly_judged(("a", "b", "c")).write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet", systems=["c", "a"])
    alone = partly_judged(("a", "b", "c"))
    kept = pl.col("system") != "b"
    assert unjudged_at_top(loaded).lists.equals(unjudged_at_top(alone).lists.filter(kept))
    assert loaded.unanswered.equals(alone.unanswered.filter(kept))
    one, other = (
        decisive_differences(rr.compare(each, baseline="a", resamples=200))
        for each in (loaded, alone)
    )
    [pair] = one
    assert (one[pair].lowest, one[pair].highest) == (other[pair].lowest, other[pair].highest)
    assert one[pair].lowest is not None


def test_there_may_be_no_unjudged_document_and_no_positive_grade(tmp_path):
    """There are frames without rows."""
    run = {"q1": {"d1": 1.0, "d2": 0.5}, "q2": {"d1": 1.0}, "q3": {"d1": 1.0}}
    qrels = {query: {"d1": 0, "d2": 0} for query in ("q1", "q2", "q3")}
    made = rr.evaluate(qrels, run, ["nDCG@10"])
    made.write_parquet(tmp_path / "scores.parquet", joinable=True)
    again = rr.load_evaluation(tmp_path / "scores.parquet")._origin.stored_unjudged
    for found, expected in zip(again, made._origin.unjudged(made.primary, {}, 1), strict=True):
        assert found.equals(expected)
        assert found.schema == expected.schema
    assert again.documents.is_empty()
    assert again.grades.is_empty()


def test_a_million_documents_take_no_python_object_each(tmp_path):
    """Beside what Polars and NumPy hold: a list of a million numbers takes 8 MB, its JSON more."""
    n_queries, n = 50_000, 10
    rows = pl.select(
        query_id=pl.int_range(n_queries * n).floordiv(n).cast(pl.String),
        doc_id=(pl.int_range(n_queries * n) % 97).cast(pl.String),
        score=-pl.int_range(n_queries * n) % n / 1.0,
    )
    qrels = rows.gather_every(n).select("query_id", "doc_id", relevance=pl.lit(1))
    qrels = pl.concat([qrels, qrels.with_columns(doc_id=pl.lit("x"), relevance=pl.lit(0))])
    made = rr.evaluate(qrels, {"a": rows, "b": rows.reverse()}, ["nDCG@10"])
    assert len(unjudged_at_top(made).documents) > 800_000
    tracemalloc.start()
    made.write_parquet(tmp_path / "scores.parquet")
    written = tracemalloc.get_traced_memory()[1]
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    both = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert max(written, both) < 60 * 10**6, (written, both)
    assert (tmp_path / "scores.parquet").stat().st_size < 3 * 10**6
    assert unjudged_at_top(loaded).documents.equals(unjudged_at_top(made).documents)


WRITING = """
import sys
from pathlib import Path
import polars as pl
from rankreport.evaluation.stored import write_scores

of = pl.int_range(400_000, eager=True)
values = pl.DataFrame({"query_id": of.cast(pl.String), "AP": of % 991 / 7, "RR": of % 7 / 9})
write_scores(Path(sys.argv[1]), values.with_columns(system=pl.lit("a")), {"rankreport": "{}"})
"""


def test_bytes_do_not_depend_on_the_number_of_threads(tmp_path):
    for n in ("1", "8"):
        environment = {**os.environ, "POLARS_MAX_THREADS": n}
        subprocess.run([sys.executable, "-c", WRITING, tmp_path / n], env=environment, check=True)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "8").read_bytes()
    scores = pl.read_parquet(tmp_path / "1")
    assert scores["measure"].rle().struct.field("value").to_list() == ["AP", "RR"]
    assert scores["query_id"].head(400_000).equals(scores["query_id"].tail(400_000))
