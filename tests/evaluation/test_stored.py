"""A scores file that was changed or damaged is refused, with the file and the reason."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import tracemalloc
import zlib

import polars as pl
import pytest

import rankreport as rr
from rankreport.comparison.model_judge import decisive_differences
from rankreport.evaluation import Unjudged
from rankreport.evaluation.quality import unjudged_at_top
from rankreport.io import Remark, packed_numbers

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2, "d3": 1}}
RUNS = {"a": {"q1": {"d1": 2, "d2": 1}, "q2": {"d9": 1}}, "b": {"q1": {"d2": 2, "d1": 1}}}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    file = tmp_path_factory.mktemp("stored") / "scores.parquet"
    made = rr.evaluate(QRELS, RUNS, ["nDCG@10", "AP", "RR"])
    made.write_parquet(file, documents=made.documents(["q1"], k=2))
    return file


def rewritten(written, folder, change, scores=lambda frame: frame):
    """Write the file again with changed metadata or scores."""
    description = json.loads(pl.read_parquet_metadata(written)["rankreport"])
    text = change(description)
    text = text if isinstance(text, str) else json.dumps(description)
    target = folder / "scores.parquet"
    scores(pl.read_parquet(written)).write_parquet(target, metadata={"rankreport": text})
    return target


def test_a_remark_that_no_reader_takes_is_not_written(tmp_path, monkeypatch):
    made = rr.evaluate(QRELS, RUNS, ["AP"])
    unknown = Remark("folded", 1, about={"depth": 3})
    monkeypatch.setattr(type(made._origin), "remarks", lambda _: [unknown])
    with pytest.raises(ValueError, match="folded has"):
        made.write_parquet(tmp_path / "scores.parquet")
    assert not (tmp_path / "scores.parquet").exists()


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_an_infinite_value_of_a_bounded_measure_is_named(written, tmp_path, value):
    def infinite(frame):
        return frame.with_columns(
            value=pl.when(pl.int_range(pl.len()) > 0).then("value").otherwise(value)
        )

    system, query, measure, _ = pl.read_parquet(written).row(0)
    with pytest.raises(
        rr.DataError, match=f"{re.escape(measure)} of {system} for query {query} is "
    ):
        rr.load_evaluation(rewritten(written, tmp_path, lambda _: None, infinite))


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


def numbers(values):
    return packed_numbers(pl.Series(values))


def packed(values):
    return {"length": len(values), "numbers": numbers(values)}


def expanding(n):
    """Return numbers of which a few kilobytes expand to so many bytes."""
    text = base64.b64encode(zlib.compress(bytes(n))).decode()
    return {"kind": "u1", "blocks": [text]}


CHANGES = {
    "cut": lambda d: json.dumps(d)[:-40],
    "no JSON": lambda _: "\ud7ff{",
    "a list": lambda _: "[1]",
    "a number": lambda _: "3",
    "deep": lambda _: "[" * 100_000,
    "no schema": lambda d: d.pop("schema") and None,
    "a word for the schema": lambda d: d.update(schema="two"),
    "no systems": lambda d: d.pop("systems") and None,
    "systems that are numbers": lambda d: d.update(systems=[1, 2]),
    "a system twice": lambda d: d.update(systems=["a", "a"]),
    "an unknown system": lambda d: d.update(systems=["a", "c"]),
    "an unknown measure": lambda d: d.update(asked=["nDCG@10", "none"]),
    "a measure twice": lambda d: d.update(asked=["AP", "nDCG@10", "map"]),
    "a measure without scores": lambda d: d.update(asked=["nDCG@10", "P@5"]),
    "a name of another measure": lambda d: d.update(names={"AP": "P_5"}),
    "a name that is none": lambda d: d.update(names={"AP": "<b>map</b>"}),
    "a name of a measure that is not there": lambda d: d.update(names={"P@5": "P_5"}),
    "rows folded of fewer": lambda d: d.update(
        remarks=[{"system": "a", "code": "folded", "count": 5, "examples": ["4"]}]
    ),
    "texts of no number": lambda d: d.update(
        remarks=[{"system": None, "code": "unmatched_texts", "count": 1, "examples": ["x"]}]
    ),
    "repeated scores of fewer": lambda d: d.update(
        remarks=[{"system": "a", "code": "equal_scores", "count": 5, "examples": ["4"]}]
    ),
    "unusual grades of fewer": lambda d: d.update(
        remarks=[
            {"system": None, "code": "unusual_grades", "count": 5, "examples": ["far", "4", "1"]}
        ]
    ),
    "grades of which nothing is known": lambda d: d.update(
        remarks=[
            {"system": None, "code": "unusual_grades", "count": 1, "examples": ["odd", "4", "1"]}
        ]
    ),
    "a spelling cut short": lambda d: d.update(
        remarks=[
            {"system": "a", "code": "nearly_equal_ids", "count": 1, "examples": ["queries", "4"]}
        ]
    ),
    "another primary": lambda d: d.update(primary="P@5"),
    "an unknown rule": lambda d: d["settings"].update(ties="random"),
    "a setting more": lambda d: d["settings"].update(colour="red"),
    "a profile of no tool": lambda d: d["settings"].update(profile="nothing"),
    "a grade that is text": lambda d: d.update(top_grade="high"),
    "a depth that is text": lambda d: d["depths"].update(a="ten"),
    "counts that are text": lambda d: d["quality"][0].update(n_queries="two"),
    "counts of another name": lambda d: d["quality"][0].update(n_querys=2),
    "no counts": lambda d: d.update(quality=[]),
    "no name of the counts": lambda d: d["quality"][0].pop("n_tied") and None,
    "bounds that are lists": lambda d: d["ties"][0].update(best=[1]),
    "a list of nothing": lambda d: d.update(coverage=[None]),
    "lists that are not there": lambda d: d.update(unanswered=packed([4])),
    "more lists than there are numbers": lambda d: d["unanswered"].update(length=3),
    "fewer lists than none": lambda d: d["unanswered"].update(length=-1),
    "lists that are no number": lambda d: d["unanswered"].update(length="1"),
    "unanswered as rows": lambda d: d.update(unanswered=[{"system": "b", "query_id": "q2"}]),
    "documents that are short": lambda d: d["documents"][0].pop() and None,
    "ranks that are text": lambda d: d["documents"][0].__setitem__(3, "first"),
    "input without a name": lambda d: d["inputs"][0].pop("name") and None,
    "a digest that is a number": lambda d: d["inputs"][0].update(sha256=5),
    "unjudged without values": lambda d: d["unjudged"].pop("value") and None,
    "unjudged of another name": lambda d: d.update(unjudged={"counts": {}}),
    "more unjudged documents": lambda d: d["unjudged"].update(n_unjudged=numbers([9, 0, 1, 0])),
    "a number of them missing": lambda d: d["unjudged"].update(n_unjudged=numbers([0, None, 1, 0])),
    "ranks below the cut-off": lambda d: d["unjudged"].update(rank=numbers([11])),
    "a rank before the first": lambda d: d["unjudged"].update(rank=numbers([0])),
    "ranks that are floats": lambda d: d["unjudged"].update(rank=numbers([1.0])),
    "ranks of no known kind": lambda d: d["unjudged"]["rank"].update(kind="i4"),
    "ranks as a list": lambda d: d["unjudged"].update(rank=[1]),
    "ranks that are no text": lambda d: d["unjudged"]["rank"].update(blocks=[1]),
    "ranks that are not base64": lambda d: d["unjudged"]["rank"].update(blocks=["\u20ac"]),
    "ranks cut short": lambda d: d["unjudged"]["rank"].update(
        blocks=[d["unjudged"]["rank"]["blocks"][0][:-4]]
    ),
    "ranks that go on": lambda d: d["unjudged"].update(rank=expanding(10**8)),
    "grades of unknown queries": lambda d: d["unjudged"]["grades"].update(query=numbers([0, 1, 2])),
    "sums that are text": lambda d: d.update(of_rows={"system": ["a", "b"], "AP": ["x", "y"]}),
    "sums of one system": lambda d: d.update(of_rows={"system": ["a"], "AP": [0.5]}),
    "an integer too large": lambda d: d["quality"][0].update(n_queries=2**70),
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
}


@pytest.mark.parametrize("change", SCORES)
def test_changed_scores_are_refused(change, written, tmp_path):
    file = rewritten(written, tmp_path, lambda _: None, SCORES[change])
    with pytest.raises(rr.DataError, match="as written by write_parquet") as caught:
        rr.load_evaluation(file)
    assert str(file) in str(caught.value)


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


# Unjudged documents, as packed numbers


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
    assert loaded.unanswered.equals(made.unanswered)
    if len(made.systems) > 1:
        one, other = (rr.compare(each, resamples=200) for each in (loaded, made))
        assert one.table().equals(other.table())
        assert [str(each) for each in one.cautions] == [str(each) for each in other.cautions]
    loaded.write_parquet(tmp_path / "again.parquet")
    one, other = (
        json.loads(pl.read_parquet_metadata(tmp_path / name)["rankreport"])["unjudged"]
        for name in ("again.parquet", "scores.parquet")
    )
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
    assert loaded.lists.select("query_id", "n_unjudged").rows() == [("q1", 1), ("q2", 0), ("q3", 1)]
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


def test_there_may_be_no_unjudged_document_and_no_positive_grade():
    """There are frames without rows."""
    run = {"q1": {"d1": 1.0, "d2": 0.5}, "q2": {"d1": 1.0}, "q3": {"d1": 1.0}}
    qrels = {query: {"d1": 0, "d2": 0} for query in ("q1", "q2", "q3")}
    made = rr.evaluate(qrels, run, ["nDCG@10"])
    plain = made._origin.unjudged(made.primary).to_plain()
    lists = made.per_query().select("system", "query_id")
    again = Unjudged.of_plain(json.loads(json.dumps(plain)), lists)
    for found, expected in zip(again, made._origin.unjudged(made.primary), strict=True):
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
write_scores(Path(sys.argv[1]), values.with_columns(system=pl.lit("a")), {})
"""


def test_bytes_do_not_depend_on_the_number_of_threads(tmp_path):
    for n in ("1", "8"):
        environment = {**os.environ, "POLARS_MAX_THREADS": n}
        subprocess.run([sys.executable, "-c", WRITING, tmp_path / n], env=environment, check=True)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "8").read_bytes()
    scores = pl.read_parquet(tmp_path / "1")
    assert scores["measure"].rle().struct.field("value").to_list() == ["AP", "RR"]
    assert scores["query_id"].head(400_000).equals(scores["query_id"].tail(400_000))
