"""The sections on systems that are compared with none: levels, curves, the hardest queries."""

from __future__ import annotations

import json

import polars as pl
import pytest
from hostile_texts import HOSTILE
from markup import by_id, caption, named, parsed, rows, words

import rankreport as rr
from rankreport.text import number, visible


@pytest.fixture(scope="module")
def known(example, tmp_path_factory):
    """One system, with the texts of the queries."""
    evaluation = rr.evaluate(example.qrels, {"bm25": example.runs["bm25"]})
    return evaluation, page_of(evaluation, tmp_path_factory, queries=example.queries)


def page_of(subject, folders, **about):
    path = folders.mktemp("alone") / "report.html"
    rr.report(subject, **about).to_html(path)
    return parsed(path.read_text(encoding="utf-8"))


def tables_of(section):
    """Return the tables that are not the data of a chart."""
    drawn = {id(table) for figure in named(section, "figure") for table in named(figure, "table")}
    return [table for table in named(section, "table") if id(table) not in drawn]


def test_levels_have_their_intervals(known):
    evaluation, tree = known
    section = by_id(tree, "levels")
    (table,) = tables_of(section)
    means = evaluation.means()
    for row, shown in zip(means.iter_rows(named=True), rows(table), strict=True):
        assert list(shown.values()) == [
            row["measure"],
            row["system"],
            *(number(row[name]) for name in ("mean", "ci_low", "ci_high")),
            str(row["n_queries"]),
        ]
    # The primary measure is drawn above, the others as those of a pair.
    wide, narrow = (svg.get("aria-label") for svg in named(section, "svg"))
    assert wide == narrow
    for mean in means["mean"][1:]:
        assert f"{number(mean, 3)}, 95" in wide
    assert words(named(section, "h2")[0]) == "By measure"
    method = words(by_id(tree, "method"))  # no word of it stands above that section
    assert "wider of the t and BCa intervals at each end, from 10,000 bootstrap resamples" in method
    assert "bootstrap" not in words(tree).partition(method)[0]
    assert "Intervals may overlap" not in words(tree)


def test_curves_have_bands(known):
    _, tree = known
    figures = named(by_id(tree, "curves"), "figure")
    assert len(figures) == 4
    for figure in figures:
        for row in rows(named(figure, "table")[0]):
            assert float(row["interval from"]) <= float(row["mean"]) <= float(row["interval to"])


QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}, "q3": {"d4": 1}}
RUN = {"q1": {"d9": 3.0, "d2": 2.0, "d1": 1.0}, "q2": {"d3": 1.0}}
CORPUS = {
    "d1": {"title": "All that <jazz>", "text": "..."},
    "d2": {"title": "", "text": "A text without a title. " * 9},
    "d3": "Plain text, with a comma",
}


def test_titles_of_documents_stand_with_the_hardest_queries(tmp_path_factory):
    evaluation = rr.evaluate(QRELS, RUN, ["RR@10"])
    tree = page_of(evaluation, tmp_path_factory, documents=CORPUS)
    (table,) = tables_of(by_id(tree, "hardest"))
    shown = {row["query"]: row for row in rows(table)}
    assert shown["q1"]["relevant documents"] == (
        "1 of 1 returned: d1: All that <jazz> (grade 2) at rank 3"
    )
    first = shown["q1"]["returned first"]
    assert first.startswith("d9 (unjudged); d2: A text without a title. A text")
    assert first.endswith("… (grade 0); d1: All that <jazz> (grade 2)")
    assert shown["q2"]["returned first"] == "d3: Plain text, with a comma (grade 1)"
    assert shown["q3"]["relevant documents"] == "0 of 1 returned: d4 (grade 1) not returned"
    assert shown["q3"]["returned first"] == "nothing returned"
    assert "2 of the 5 documents shown are not in the documents" in words(by_id(tree, "hardest"))
    with pytest.raises(rr.DataError, match="None of the 5 documents shown is in the documents"):
        page_of(evaluation, tmp_path_factory, documents={"other": "text"})


def test_the_measure_is_named_as_it_was_asked_for(tmp_path_factory):
    tree = page_of(rr.evaluate(QRELS, RUN, ["mrr@10"]), tmp_path_factory)
    (table,) = tables_of(by_id(tree, "hardest"))
    assert [row["mrr@10"] for row in rows(table)] == [number(v) for v in (0, 1 / 3, 1)]


def test_without_titles_there_are_ids_alone(tmp_path_factory, tmp_path):
    evaluation = rr.evaluate(QRELS, RUN, ["RR@10"])
    evaluation.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    for subject, given in ((evaluation, False), (loaded, CORPUS)):
        tree = page_of(subject, tmp_path_factory, documents=given)
        assert "returned first" not in words(by_id(tree, "hardest"))
        assert "jazz" not in words(tree)


def test_the_hardest_queries_are_listed_with_their_documents(known, example):
    evaluation, tree = known
    (table,) = tables_of(by_id(tree, "hardest"))
    assert caption(table) == "Hardest queries for bm25"
    shown = rows(table)
    hardest = evaluation.hardest(10)
    assert [row["query"] for row in shown] == hardest["query_id"].to_list()
    assert [row["nDCG@10"] for row in shown] == [number(v) for v in hardest["value"]]
    texts = dict(rr.read_queries(example.queries).select("query_id", "text").iter_rows())
    assert [row["text"] for row in shown] == [texts[row["query"]] for row in shown]
    documents = {row["query"]: row["relevant documents"] for row in shown}
    assert documents["q08"] == "1 of 1 returned: os.path.splitext (grade 2) at rank 29"
    assert documents["q05"].startswith("0 of 3 returned: os.makedirs (grade 3) not returned, ")
    assert documents["q46"].startswith("7 of 7 returned: ")
    assert documents["q46"].endswith(", and 2 more")


def test_a_query_that_nothing_is_relevant_to(tmp_path_factory):
    qrels = {"q1": {"a": 0}, "q2": {"a": 1}}
    evaluation = rr.evaluate(qrels, {"mine": {"q1": {"a": 1.0}, "q2": {"a": 1.0}}}, ["RR"])
    tree = page_of(evaluation, tmp_path_factory)
    first, second = rows(tables_of(by_id(tree, "hardest"))[0])
    assert first["relevant documents"] == "none judged relevant"
    assert second["relevant documents"] == "1 of 1 returned: a (grade 1) at rank 1"


def test_the_level_that_makes_a_document_relevant_is_the_measures(tmp_path_factory):
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {"a": 2}}
    evaluation = rr.evaluate(qrels, {"mine": {"q2": {"a": 1.0}}}, ["AP(rel=2)"])
    first, _ = rows(tables_of(by_id(page_of(evaluation, tmp_path_factory), "hardest"))[0])
    assert first["relevant documents"] == "0 of 1 returned: b (grade 2) not returned"


RATES = {"q1": {"a": 0.25, "b": 0.0}, "q2": {"a": 0.5, "b": 0.0}}
"""Judgments that are click rates: little, and yet more than nothing."""

ORDERS = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 2.0, "b": 1.0}}


def test_a_grade_below_1_is_relevant_to_a_measure_that_weighs_grades(tmp_path_factory):
    tree = page_of(rr.evaluate(RATES, {"mine": ORDERS}, ["nDCG"]), tmp_path_factory)
    first, second = rows(tables_of(by_id(tree, "hardest"))[0])
    assert first["relevant documents"] == "1 of 1 returned: a (grade 0.25) at rank 2"
    assert second["relevant documents"] == "1 of 1 returned: a (grade 0.5) at rank 1"


def test_hard_queries_are_asked_of_each_system(tmp_path_factory):
    """The best system does equally well on all queries; the other one loses the first."""
    qrels = {f"q{i}": {"a": 1} for i in range(3)}
    right, wrong = {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 2.0}
    runs = {
        "even": dict.fromkeys(qrels, right),
        "uneven": {**dict.fromkeys(qrels, right), "q0": wrong},
    }
    tree = page_of(rr.evaluate(qrels, runs, ["RR"]), tmp_path_factory)
    (table,) = tables_of(by_id(tree, "hardest"))
    assert caption(table) == "Hardest queries for uneven"
    assert rows(table)[0]["query"] == "q0"


def test_a_loaded_evaluation_is_reported_without_documents(known, tmp_path, tmp_path_factory):
    evaluation, _ = known
    evaluation.write_parquet(tmp_path / "scores.parquet")
    tree = page_of(rr.load_evaluation(tmp_path / "scores.parquet"), tmp_path_factory)
    (table,) = tables_of(by_id(tree, "hardest"))
    assert list(rows(table)[0]) == ["query", "nDCG@10"]


@pytest.mark.slow
def test_of_several_systems_each_has_its_hardest_queries(example, tmp_path_factory):
    names = ("bm25", "fusion")
    few = rr.evaluate(example.qrels, {name: example.runs[name] for name in names}, ["nDCG@10"])
    tree = page_of(few, tmp_path_factory)
    captions = [caption(table) for table in tables_of(by_id(tree, "hardest"))]
    assert captions == ["Hardest queries for bm25", "Hardest queries for fusion"]
    assert "Intervals may overlap" in words(by_id(tree, "method"))
    systems = [row["system"] for row in rows(tables_of(by_id(tree, "levels"))[0])]
    assert systems == ["bm25", "fusion"]  # the best first
    many = rr.evaluate(example.qrels, example.runs, ["nDCG@10"])
    captions = [
        caption(table) for table in tables_of(by_id(page_of(many, tmp_path_factory), "hardest"))
    ]
    assert captions == ["Hardest queries for bm25-names"]


@pytest.mark.slow
def test_the_notebook_makes_the_hardest_queries_again(known, example, tmp_path):
    evaluation, _ = known
    report = rr.report(evaluation, queries=example.queries)
    report.to_notebook(tmp_path / "report.ipynb")
    cells = {c["id"]: c for c in json.loads((tmp_path / "report.ipynb").read_text())["cells"]}
    scope = {
        "rr": rr,
        "display": lambda *values: shown.extend(values),
        "evaluation": rr.load_evaluation(tmp_path / "report.scores.parquet"),
        "queries": rr.read_queries(tmp_path / "report.queries.parquet"),
    }
    for name in ("means", "hardest"):
        shown: list[object] = []
        exec("".join(cells[name]["source"]), scope)
        ready = ["".join(output["data"]["text/plain"]) for output in cells[name]["outputs"]]
        assert [value._repr_mimebundle_()["text/plain"] for value in shown] == ready != []


def test_hostile_names_stay_text(tmp_path_factory):
    qrels = {query: {doc: 1} for query, doc in zip(HOSTILE, HOSTILE[1:] + HOSTILE[:1], strict=True)}
    run = {query: {doc: 1.0} for query, doc in list(qrels.items())[::2] for doc in qrels[query]}
    texts = pl.DataFrame({"query_id": HOSTILE, "text": HOSTILE[::-1]})
    evaluation = rr.evaluate(qrels, {HOSTILE[0]: run}, ["RR"])
    tree = page_of(evaluation, tmp_path_factory, queries=texts)
    shown = rows(tables_of(by_id(tree, "hardest"))[0])
    hardest = evaluation.hardest(10)["query_id"]
    assert [row["query"] for row in shown] == [" ".join(visible(q, 60).split()) for q in hardest]
    assert not {node.tag for node in by_id(tree, "hardest").iter()} & {"script", "img", "b"}


@pytest.mark.slow
def test_where_low_is_better_the_system_that_is_best_shows_its_highest_first(tmp_path_factory):
    qrels = {f"q{at}": {"good": 1, "bad": 0, "worse": 0} for at in range(3)}
    scores = [{"bad": 2, "worse": 2}, {"bad": 2}, {}]  # how far above the good one, of each query
    runs = {
        f"s{step}": {
            query: {"good": 1, "bad": step, "worse": step, **(above if step else {})}
            for query, above in zip(qrels, scores, strict=True)
        }
        for step in (2, 0, *range(3, 12))
    }
    runs["s0"]["q1"]["bad"] = 2
    tree = page_of(rr.evaluate(qrels, runs, ["FPR(t=1)"]), tmp_path_factory)
    section = by_id(tree, "all-queries")
    (table,) = tables_of(section)
    assert caption(table).startswith("FPR(t=1) and the other measures of s0")
    assert [list(row.values())[:2] for row in rows(table)] == [
        ["q1", "0.5000"],
        ["q0", "0.0000"],
        ["q2", "0.0000"],
    ]
    assert "The highest scores come first. Of 11 systems, the one with the best mean" in words(
        section
    )
