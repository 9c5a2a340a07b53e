"""The report of systems that are compared with none: levels, curves, the hardest queries."""

from __future__ import annotations

import json

import polars as pl
import pytest
from hostile_texts import HOSTILE
from markup import by_id, caption, named, parsed, rows, words

import rankreport as rr
from rankreport.text.format import number, visible


@pytest.fixture(scope="module")
def known(example, tmp_path_factory):
    """One system, with the texts of the queries."""
    evaluation = rr.evaluate(example.qrels, {"bm25": example.runs["bm25"]})
    return evaluation, page_of(evaluation, tmp_path_factory, queries=example.queries)


def page_of(subject, folders, **about):
    path = folders.mktemp("alone") / "report.html"
    rr.report(subject, **about).to_html(path)
    return parsed(path.read_text(encoding="utf-8"))


def facts(tree):
    """Return the facts beside the verdict: value, label, and where each leads."""
    (listed,) = [node for node in named(tree, "dl") if node.get("class") == "facts"]
    return [
        (
            words(named(div, "dd")[0]),
            words(named(div, "dt")[0]),
            "".join(link.get("href") for link in named(div, "a")),
        )
        for div in named(listed, "div")
    ]


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
    (figure,) = named(section, "figure")
    drawn = rows(named(figure, "table")[0])
    assert [row["mean"] for row in drawn] == [number(mean) for mean in means["mean"]]
    assert "wider of the t and BCa intervals" in words(section)
    assert "10,000 bootstrap resamples" in words(section)
    assert "Intervals may overlap" not in words(section)
    assert words(named(section, "h2")[0]) == "How good is the system?"


def test_curves_have_bands(known):
    _, tree = known
    figures = named(by_id(tree, "curves"), "figure")
    assert len(figures) == 4
    for figure in figures:
        for row in rows(named(figure, "table")[0]):
            assert float(row["interval from"]) <= float(row["mean"]) <= float(row["interval to"])


def test_the_opening_answers_for_one_system(known):
    evaluation, tree = known
    row = evaluation.means().row(0, named=True)
    n_lowest = evaluation.per_query()["nDCG@10"].to_list().count(0.0)
    assert [caution.severity for caution in evaluation.cautions] == ["note"] * 2
    assert facts(tree) == [
        (f"{row['mean']:.3f} nDCG@10", "mean of bm25 over 60 queries", ""),
        (f"{row['ci_low']:.3f} to {row['ci_high']:.3f}", "95 % interval of that mean", ""),
        (
            f"0.000 on {n_lowest} of 60 queries",
            "worst nDCG@10: the hardest queries",
            "#hardest",
        ),
        ("2 cautions", "2 notes", "#data"),
    ]


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
    assert by_id(tree, "operating-points") is not None


def test_where_all_queries_are_alike_none_is_hardest(tmp_path_factory):
    qrels = {f"q{i}": {"a": 1} for i in range(3)}
    evaluation = rr.evaluate(qrels, {"mine": {q: {"a": 1.0} for q in qrels}}, ["RR"])
    tree = page_of(evaluation, tmp_path_factory)
    assert [node.get("id") for node in tree.iter() if node.get("id") == "hardest"] == []
    assert facts(tree) == [
        ("1.000 RR", "mean of mine over 3 queries", ""),
        ("–", "no interval: the values do not vary", ""),
        ("No cautions", "data checks passed", "#data"),
    ]


def test_a_query_without_a_value_makes_no_other_one_hard(tmp_path_factory):
    qrels = {"q0": {"a": 1}, **{f"q{i}": {"a": 1, "b": 0} for i in range(1, 4)}}
    run = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    tree = page_of(rr.evaluate(qrels, {"mine": run}, ["AUC"]), tmp_path_factory)
    assert [node for node in tree.iter() if node.get("id") == "hardest"] == []
    assert not any("worst" in label for _, label, _ in facts(tree))


def test_hard_queries_are_asked_of_each_system(tmp_path_factory):
    """The best system does equally well on all queries; the other one loses the first."""
    qrels = {f"q{i}": {"a": 1} for i in range(3)}
    right, wrong = {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 2.0}
    runs = {
        "even": dict.fromkeys(qrels, right),
        "uneven": {**dict.fromkeys(qrels, right), "q0": wrong},
    }
    tree = page_of(rr.evaluate(qrels, runs, ["RR"]), tmp_path_factory)
    assert not any("worst" in label for _, label, _ in facts(tree))
    (table,) = tables_of(by_id(tree, "hardest"))
    assert caption(table) == "Hardest queries for uneven"
    assert rows(table)[0]["query"] == "q0"


def test_a_loaded_evaluation_is_reported_without_documents(known, tmp_path, tmp_path_factory):
    evaluation, whole = known
    evaluation.write_parquet(tmp_path / "scores.parquet")
    tree = page_of(rr.load_evaluation(tmp_path / "scores.parquet"), tmp_path_factory)
    (table,) = tables_of(by_id(tree, "hardest"))
    assert list(rows(table)[0]) == ["query", "nDCG@10"]
    assert facts(tree) == facts(whole)


@pytest.mark.slow
def test_of_several_systems_each_has_its_hardest_queries(example, tmp_path_factory):
    names = ("bm25", "fusion")
    few = rr.evaluate(example.qrels, {name: example.runs[name] for name in names}, ["nDCG@10"])
    tree = page_of(few, tmp_path_factory)
    captions = [caption(table) for table in tables_of(by_id(tree, "hardest"))]
    assert captions == ["Hardest queries for bm25", "Hardest queries for fusion"]
    assert "Intervals may overlap" in words(by_id(tree, "levels"))
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


# The first screen, of values that are no means, of counts, and of equal systems.


def first_screen(measure, runs, qrels):
    page = rr.report(rr.evaluate(qrels, runs, [measure]))._shown.page
    return page.sentence, [(fact.value, fact.label) for fact in page.facts[:2]]


GRADED = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 2, "b": 1, "c": 0}}
MIXED = {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}, "q2": {"a": 1.0, "b": 3.0, "c": 2.0}}
"""Of three pairs of documents the first query has 2 in order and 1 not, the second 1 and 2."""


def test_a_pooled_value_is_called_no_mean():
    assert first_screen("PairRatio", {"mine": MIXED}, GRADED) == (
        "mine reaches PairRatio 1.000 over 2 queries.",
        [
            ("1.000 PairRatio", "mine, 2 queries pooled"),
            ("–", "no interval: not an arithmetic mean over queries"),
        ],
    )


def test_a_geometric_mean_is_called_one():
    # The values are 1 and 1/4, and the root of their product is 1/2.
    qrels = {"q1": {"a": 1}, "q2": {"d": 1}}
    run = {"q1": {"a": 1.0}, "q2": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    assert first_screen("GMAP", {"mine": run}, qrels) == (
        "mine reaches GMAP 0.500 over 2 queries.",
        [
            ("0.500 GMAP", "geometric mean of mine over 2 queries"),
            ("–", "no interval: not an arithmetic mean over queries"),
        ],
    )


def test_a_weighted_mean_is_called_one():
    sentence, (level, interval) = first_screen("GAUC", {"mine": MIXED}, GRADED)
    assert sentence.startswith("mine reaches GAUC ")
    assert level[1] == "weighted mean of mine over 2 queries"
    assert interval[1] == "no interval: not an arithmetic mean over queries"


def test_a_measure_without_any_value_has_no_interval_for_that_reason():
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    sentence, (level, interval) = first_screen("AUC", {"mine": run}, qrels)
    assert sentence == "AUC has no value on any query."
    assert level == ("– AUC", "mean of mine over 0 queries")
    assert interval == ("–", "no interval: no query has a value")


def test_a_level_is_over_the_queries_that_have_a_value():
    qrels = {"q0": {"a": 1}, **{f"q{i}": {"a": 1, "b": 0} for i in range(1, 4)}}
    run = {"q3": {"b": 2.0, "a": 1.0}} | {q: {"a": 2.0, "b": 1.0} for q in ("q0", "q1", "q2")}
    sentence, (level, _) = first_screen("AUC", {"mine": run}, qrels)
    assert sentence == "mine reaches AUC 0.667 over 3 queries."
    assert level[1] == "mean of mine over 3 queries"


@pytest.mark.parametrize(("n_second", "level"), [(3, "3"), (2, "2.500")])
def test_a_count_is_per_query_wherever_it_stands(n_second, level):
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    run["q2"] = dict(list(run["q1"].items())[:n_second])
    sentence, (value, _) = first_screen("NumRet", {"mine": run}, qrels)
    assert sentence == f"mine reaches NumRet {level} per query over 2 queries."
    assert value == (f"{level} NumRet per query", "mean of mine over 2 queries")


def test_the_lowest_count_is_a_whole_number(tmp_path_factory):
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 1}}
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}
    found = facts(page_of(rr.evaluate(qrels, {"mine": run}, ["NumRelRet"]), tmp_path_factory))
    assert found[2][:2] == ("1 on 1 of 2 queries", "worst NumRelRet: the hardest queries")


@pytest.mark.parametrize(
    ("ranks", "sentence"),
    [
        ((1, 1), "Each of the 2 systems reaches RR 1.000 over 1 query."),
        ((2, 2, 2), "Each of the 3 systems reaches RR 0.500 over 1 query."),
        ((2, 1, 1), "s1 and 1 other system, the highest of 3, reach RR 1.000 over 1 query."),
        ((1, 2, 1, 1), "s0 and 2 other systems, the highest of 4, reach RR 1.000 over 1 query."),
        ((2, 1, 3), "s1, the highest of 3, reaches RR 1.000 over 1 query."),
    ],
)
def test_systems_that_are_equally_good_share_the_first_sentence(ranks, sentence):
    documents = ("a", "b", "c")
    runs = {
        f"s{place}": {"q": {d: -float(i) for i, d in enumerate(rotated(documents, rank))}}
        for place, rank in enumerate(ranks)
    }
    assert first_screen("RR", runs, {"q": {"a": 1}})[0] == sentence


def rotated(documents, rank):
    """Return the documents with the first one at a rank."""
    first, *others = documents
    return [*others[: rank - 1], first, *others[rank - 1 :]]


def test_of_systems_that_are_equally_low_where_low_is_better():
    qrels = {"q": {"good": 1, "bad": 0}}
    right, wrong = {"q": {"good": 1.0, "bad": 0.0}}, {"q": {"good": 1.0, "bad": 2.0}}
    runs = {"a": wrong, "b": right, "c": right}
    assert first_screen("FPR(t=1)", runs, qrels)[0] == (
        "b and 1 other system, the lowest of 3, reach FPR(t=1) 0.000 over 1 query."
    )
