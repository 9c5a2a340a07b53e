"""What the order of equal scores could change, what was never judged, and weights of queries."""

from __future__ import annotations

import polars as pl
import pytest

import rankreport as rr

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}, "q3": {"a": 1}}
RUN = {
    "q1": {"a": 1.0, "b": 1.0, "x": 1.0},  # a may stand first, second or third
    "q2": {"c": 2.0, "a": 2.0, "y": 1.0},  # both relevant: RR stays 1
    "q3": {"x": 3.0, "a": 2.0},
}


def test_bounds_of_ties_by_hand():
    # RR by q1: first of three at best, last at worst; under "trec" x, b, a: 1/3.
    found = rr.evaluate(QRELS, {"mine": RUN}, ["RR", "P@1", "NumRel"]).ties()
    assert found.columns == ["system", "measure", "n_queries", "worst", "value", "best"]
    rest = 1.0 + 0.5
    rows = {row[1]: row[2:] for row in found.rows()}
    assert rows["RR"] == pytest.approx((1, (1 / 3 + rest) / 3, (1 / 3 + rest) / 3, (1 + rest) / 3))
    assert rows["P@1"] == pytest.approx((1, 1 / 3, 1 / 3, 2 / 3))
    assert rows["NumRel"] == (0, 4.0, 4.0, 4.0)


def test_ties_of_graded_documents_change_graded_measures():
    found = rr.evaluate(QRELS, {"mine": RUN}, ["nDCG@1"]).ties()
    # q2: the grade 1 first (1 / 2) or the grade 2 (1); under "trec", c before a.
    assert found.row(0)[2:] == pytest.approx((2, (0 + 0.5) / 3, (0 + 0.5) / 3, (1 + 1) / 3))


def test_the_bounds_are_the_values_under_best_and_worst():
    measures = ["nDCG@2", "AP", "RR", "P@1"]
    found = rr.evaluate(QRELS, {"mine": RUN}, measures)
    for rule in ("best", "worst"):
        same = rr.evaluate(QRELS, {"mine": RUN}, measures, ties=rule).summary().drop("system")
        assert found.ties()[rule].to_list() == list(same.row(0))


CUT = [
    each(k=2)
    for each in rr.catalogue()
    if each.takes_cutoff and each.moves == "up" and each.declaration.rows == "documents"
]


def test_ties_below_the_cut_off_do_not_move_a_bound():
    # Of q1 and q3, no block reaches rank 2; that of q2 is cut there, and those of q4 lie about it.
    grades = {"a": 2, "b": 1, "c": 0, "d": 1, "e": 2, "f": 0}
    run = {
        "q1": {"a": 9.0, "x": 8.0, "b": 7.0, "c": 7.0, "d": 7.0, "e": 1.0},
        "q2": {"c": 9.0, "b": 8.0, "a": 8.0, "y": 8.0, "e": 8.0, "f": 7.0},
        "q3": {"f": 9.0, "e": 8.5, "z": 2.0, "d": 2.0, "a": 2.0},
        "q4": {"b": 9.0, "e": 9.0, "f": 2.0, "d": 2.0, "a": 2.0},
        "q5": {"x": 9.0, "y": 8.0, "a": 7.0, "c": 7.0, "d": 7.0},  # first of the judged ones
    }
    judged_only = [each(judged_only=True) for each in CUT if "judged_only" in parameters_of(each)]
    qrels = dict.fromkeys(run, grades)
    assert len(CUT) > 10
    assert judged_only
    measures = [*CUT, *judged_only]
    found = rr.evaluate(qrels, {"mine": run}, measures).ties()
    assert found["measure"].to_list() == list(map(str, measures))
    for rule in ("best", "worst"):
        same = rr.evaluate(qrels, {"mine": run}, measures, ties=rule).summary()
        assert dict(zip(found["measure"], found[rule], strict=True)) == (
            same.drop("system").row(0, named=True)
        ), rule


def parameters_of(measure):
    return measure.declaration.parameters


def test_where_ranks_decide_there_are_no_ties():
    rows = [("q1", "a", 1.0, 1), ("q1", "b", 1.0, 2)]
    run = pl.DataFrame(rows, schema=["query_id", "doc_id", "score", "rank"], orient="row")
    found = rr.evaluate({"q1": {"a": 1}}, {"mine": run}, ["RR"], ties="rank")
    assert found.ties().row(0) == ("mine", "RR", 0, 1.0, 1.0, 1.0)


def test_a_caution_says_what_ties_could_do_to_the_measure_that_decides():
    (caution,) = [
        c for c in rr.evaluate(QRELS, {"mine": RUN}, ["P@1"]).cautions if c.code == "equal_scores"
    ]
    words = "would change P@1 of mine in 1 query (mean 0.3333 to 0.6667). Here equal scores are"
    assert words in caution.text
    assert caution.severity == "note"


def test_ties_and_coverage_are_kept_in_a_file(tmp_path):
    made = rr.evaluate(QRELS, {"mine": RUN}, ["nDCG@1", "AP", "P@2"])
    made.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert loaded.ties().equals(made.ties())
    assert loaded.coverage().equals(made.coverage())
    assert loaded.cautions == made.cautions


def test_coverage_by_hand():
    # Under "trec" q1 is x, b, a: unjudged 1 of 1 and 1 of 2; q2 c, a; q3 x, a.
    found = rr.evaluate(QRELS, {"mine": RUN}, ["P@1", "P@2", "AP", "NumRel"]).coverage()
    by_hand = {"P@1": (1 + 0 + 1) / 3, "P@2": (1 / 2 + 0 + 1 / 2) / 3, "AP": (1 + 1 + 1.5) / 9}
    assert found["measure"].to_list() == list(by_hand)  # NumRel looks at no list
    assert found["k"].to_list() == [1, 2, None]
    assert found["unjudged"].to_list() == pytest.approx(list(by_hand.values()))


def test_queries_without_results_leave_nothing_unjudged():
    found = rr.evaluate(QRELS, {"mine": {"q3": RUN["q3"]}}, ["P@1"])
    assert found.coverage()["unjudged"].item() == 1.0


def test_a_caution_looks_as_far_as_the_measure_that_decides():
    found = rr.evaluate(QRELS, {"mine": RUN}, ["P@1", "P@10"]).cautions
    (caution,) = [c for c in found if c.code == "hardly_judged"]
    assert caution.text == (
        "Few of the first 1 documents were judged, and the others count as not relevant: mine "
        "(33 %)."
    )
    assert caution.remedy.startswith("Judge the documents at the top of the lists")


def test_weights_of_queries():
    found = rr.evaluate(QRELS, {"mine": RUN}, ["RR", "NumRel", "GMAP", "GAUC"])
    weighted = found.summary({"q1": 1, "q3": 3})
    assert weighted["RR"].item() == pytest.approx((1 / 3 + 3 * 0.5) / 4)
    assert weighted["NumRel"].item() == 4.0  # a sum stays one
    # AP is 1/3 and 1/2: the weighted geometric mean.
    assert weighted["GMAP"].item() == pytest.approx(((1 / 3) * (1 / 2) ** 3) ** (1 / 4))
    assert found.summary()["RR"].item() == pytest.approx((1 / 3 + 1 + 0.5) / 3)


def test_auc_is_weighted_by_results_unless_weights_are_given():
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0, "b": 2.0, "x": 0.5, "y": 0.4}}
    found = rr.evaluate(qrels, {"mine": run}, ["GAUC"])
    assert found.summary()["GAUC"].item() == pytest.approx((2 * 1 + 4 * 0) / 6)
    assert found.summary({"q1": 1, "q2": 1})["GAUC"].item() == 0.5


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({"q1": -1}, "-1 of query 'q1' is invalid"),
        ({"q1": float("nan")}, "nan of query 'q1' is invalid"),
        ({"q1": "3"}, "weights takes numbers, and for query 'q1' too; found str"),
        ("traffic", "weights takes {query_id: weight}; found str"),
        ({"other": 1}, "no query that counts has a weight above 0. Given: 'other'"),
    ],
)
def test_weights_that_say_nothing_are_refused(weights, words):
    with pytest.raises(rr.OptionError, match=words):
        rr.evaluate(QRELS, {"mine": RUN}, ["RR"]).summary(weights)


@pytest.mark.parametrize("measure", ["GMAP", "GAUC", "PooledAUC", "PairRatio"])
def test_a_comparison_refuses_what_is_no_mean_over_queries(measure):
    both = rr.evaluate(QRELS, {"old": RUN, "new": RUN}, ["RR", measure])
    with pytest.raises(rr.MeasureError, match=rf"^{measure} is .*not the mean of the queries'"):
        rr.compare(both)


def test_aggregates_are_kept_in_a_file(tmp_path):
    measures = ["GMAP", "GAUC", "PooledAUC", "PairRatio", "NumQ", "RR"]
    made = rr.evaluate(QRELS, {"mine": RUN}, measures)
    made.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet").summary().equals(made.summary())


def test_bounds_are_refused_where_they_are_not_known():
    with pytest.raises(rr.MeasureError, match=r"ties='best' is no bound of it"):
        rr.evaluate(QRELS, {"mine": RUN}, ["Judged@2"], ties="best")
    with pytest.raises(rr.MeasureError, match=r"no closed form of its mean"):
        rr.evaluate(QRELS, {"mine": RUN}, ["ERR"], ties="expected")


def test_what_measures_of_scores_leave_out_is_counted_and_said():
    qrels = {"q1": {"a": 1, "b": 0, "c": 0}}
    found = rr.evaluate(qrels, {"mine": {"q1": {"a": 2.0, "b": 1.0}}}, ["AUC", "RR"])
    assert found.quality["n_unscored"].to_list() == [1]
    (caution,) = [c for c in found.cautions if c.code == "unscored"]
    assert caution.text == (
        "Judged documents without a score are left out of AUC: mine (1 document)."
    )
    assert (caution.severity, caution.count, caution.concerns) == ("note", 1, (("mine",),))


def test_the_points_of_curves_need_documents(tmp_path):
    found = rr.evaluate(QRELS, {"mine": RUN}, ["AUC"])
    assert found.precision_recall(per_query=True).columns[:2] == ["system", "query_id"]
    found.write_parquet(tmp_path / "scores.parquet")
    with pytest.raises(rr.DataError, match=r"scores\.parquet contains scores, not documents"):
        rr.load_evaluation(tmp_path / "scores.parquet").roc()


@pytest.mark.parametrize(
    ("measure", "says"), [("FPR", "better where it is low"), ("NumRet", "nei")]
)
def test_what_is_not_better_where_it_is_higher_decides_no_comparison(measure, says):
    both = rr.evaluate(QRELS, {"old": RUN, "new": RUN}, [measure, "RR"])
    with pytest.raises(rr.MeasureError, match=rf"^{measure} is .*{says}.*cannot decide"):
        rr.compare(both)
    rr.compare(rr.evaluate(QRELS, {"old": RUN, "new": RUN}, ["RR", measure]))  # it may describe


def test_a_caution_speaks_of_the_measure_that_decides_wherever_it_stands():
    found = rr.evaluate(QRELS, {"mine": RUN}, ["NumRet", "P@1"], primary="P@1")
    assert any("would change P@1 of mine" in caution.text for caution in found.cautions)


def test_an_undefined_value_is_counted_and_said_with_its_reason():
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    found = rr.evaluate(qrels, {"mine": {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}}, ["AUC"])
    (caution,) = [c for c in found.cautions if c.code == "undefined"]
    assert caution.text.startswith("AUC is undefined for some queries (")
    assert caution.text.endswith("), which are left out: mine (1 of 2 queries).")
    assert (caution.severity, caution.count) == ("look", 1)


def test_infinite_values_are_not_moved_by_ties():
    qrels = {"q": {"a": 2, "b": 1, "c": 1}}
    found = rr.evaluate(qrels, {"mine": {"q": {"a": 3.0, "b": 2.0, "c": 2.0}}}, ["PairRatio"])
    inf = float("inf")
    assert found.ties().row(0) == ("mine", "PairRatio", 0, inf, inf, inf)
    assert not any("another order would change" in caution.text for caution in found.cautions)


def test_a_sum_at_many_cut_offs_is_charted_by_the_queries_of_its_own_system():
    runs = {"one": {"q3": RUN["q3"]}, "all": RUN}
    found = rr.evaluate(QRELS, runs, ["NumRelRet"], queries="answered")
    chart = found.plot_curve("NumRelRet", k=[2])
    assert chart.data.select("system", "mean").rows() == [("one", 1.0), ("all", 1.0)]


@pytest.mark.parametrize("measure", ["AUC", "Tau", "Bpref", "P(judged_only=True)@1"])
def test_measures_of_judged_documents_alone_are_not_warned_of_the_others(measure):
    def codes(of):
        return {caution.code for caution in rr.evaluate(QRELS, {"mine": RUN}, [of]).cautions}

    assert "hardly_judged" in codes("P@1")
    assert not {"hardly_judged", "unevenly_judged", "nothing_judged"} & codes(measure)


@pytest.mark.parametrize("rel", ["x", float("nan"), True])
def test_a_level_that_is_no_grade_is_refused(rel):
    with pytest.raises(rr.OptionError, match="is not a grade"):
        rr.evaluate(QRELS, {"mine": RUN}, ["AUC"]).roc(rel)


def test_wins_are_on_the_side_that_is_better():
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(3)}
    old = {q: {"a": 2.0, "b": 2.0} for q in qrels}  # b is let through everywhere
    new = {q: {"a": 2.0, "b": 2.0 if q == "q0" else 0.0} for q in qrels}
    both = rr.evaluate(qrels, {"old": old, "new": new}, ["RR", "FPR(t=1)", "NumRet"])
    comparison = rr.compare(both)
    rows = {row["measure"]: row for row in comparison.table().iter_rows(named=True)}
    low, neither = rows["FPR(t=1)"], rows["NumRet"]
    assert (low["delta"], low["wins"], low["ties"], low["losses"]) == (-2 / 3, 2, 1, 0)
    assert (neither["wins"], neither["ties"], neither["losses"]) == (None, 3, None)
    assert comparison.wins("FPR(t=1)")["query_id"].to_list() == ["q1", "q2"]
    assert comparison.losses("FPR(t=1)").frame.is_empty()
    assert comparison.wins("NumRet").frame.is_empty()
    net = comparison.effects().filter(measure="FPR(t=1)")["net_wins"].item()
    assert net == pytest.approx(2 / 3)
    assert "- / 3 / -" in repr(comparison)


def test_ranks_in_place_of_scores_are_told_where_they_matter(tmp_path):
    ranked = pl.DataFrame({"query_id": ["q1"] * 2, "doc_id": ["a", "b"], "rank": [1, 2]})
    runs = {"ranks": ranked, "scores": ranked.with_columns(score=pl.Series([2.0, 1.0]))}
    qrels = {"q1": {"a": 1, "b": 0}}
    evaluation = rr.evaluate(qrels, runs, ["AUC", "PooledAUC", "TPR(t=1)", "PairRatio"])
    (told,) = [caution for caution in evaluation.cautions if caution.code == "ranks_only"]
    assert told.text.partition(" the negated")[0] == (
        "ranks: the run has ranks but no scores. In PooledAUC, TPR(t=1)"
    )
    assert (told.severity, told.concerns) == ("look", (("ranks",),))
    assert told.remedy == "Use a run with scores for these measures."
    evaluation.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet").cautions == evaluation.cautions
    assert not rr.evaluate(qrels, {"ranks": ranked}, ["AUC", "AP"]).cautions


# What is minded first


def answered(n, document="r"):
    """Answer so many of 10 queries."""
    return {f"q{i}": {document: 2.0, "x": 1.0} for i in range(n)}


TEN = {f"q{i}": {"r": 1, "x": 0} for i in range(10)}


def weighed(qrels, runs, measures=("RR",), **options):
    return rr.evaluate(qrels, runs, measures, **options).cautions


@pytest.mark.parametrize(
    ("n", "severity", "words"),
    [
        (8, "note", "(2 of 10 queries: q8, q9)"),
        (7, "look", "(3 of 10 queries: q7, q8, q9)"),
        (5, "look", "(5 of 10 queries: q5, q6, q7, q8, q9)"),
        (4, "stop", "(6 of 10 queries: q4, q5, q6, q7, q8, and 1 more)"),
    ],
)
def test_unanswered_queries_are_one_caution_that_weighs_as_much_as_they_are(n, severity, words):
    (caution,) = weighed(TEN, {"mine": answered(n)})
    assert caution.severity == severity
    assert caution.text == f"Queries for which nothing was returned score 0: mine {words}."
    assert (caution.code, caution.count) == ("unanswered", 10 - n)
    assert caution.examples == tuple(f"q{i}" for i in range(n, 10))[:5]
    assert caution.concerns == (("mine",),)
    assert caution.remedy.startswith("Complete the run")
    assert str(caution) == f"{caution.text} {caution.remedy}"


def test_what_nothing_is_worth_is_not_always_0():
    own = [m for m in rr.catalogue() if m.declaration.rows == "documents"]
    one = next(m for m in own if m.declaration.nothing_returned != 0)
    texts = [caution.text for caution in weighed(TEN, {"mine": answered(4)}, [one])]
    assert any(" get each measure's value for an empty result: mine (" in text for text in texts)


def test_ids_that_match_none_come_before_all_and_are_said_once():
    runs = {"bm25": {q: {"r": 9.0} | {f"y{i}": 1.0 for i in range(9)} for q in TEN}}
    runs["other"] = {q: {f"D{d}": s for d, s in docs.items()} for q, docs in runs["bm25"].items()}
    first, second, *others = weighed(TEN, runs, ["RR@10"])
    assert [each.code for each in others] == ["equal_scores"]
    assert (first.severity, second.severity) == ("stop", "look")
    assert first.text.startswith("other returned no judged document in the first 10 of any query")
    # And not that the two differ by 10 points.
    assert (second.code, second.concerns) == ("hardly_judged", (("bm25",),))


def test_where_all_judgments_are_positive_the_share_judged_is_no_caution():
    positive = {q: {"r": 1} for q in TEN}
    lists = {q: {"r": 9.0} | {f"y{i}": 1.0 for i in range(9)} for q in TEN}
    runs = {"mine": lists, "short": {q: {"r": 2.0} for q in TEN}}
    note = [c for c in weighed(positive, runs, ["RR@10"]) if c.severity == "note"]
    assert [c.code for c in note] == ["mostly_positive"]
    others = [c.code for c in weighed(positive, runs, ["RR@10"]) if c.severity != "note"]
    assert others == ["same_scores", "equal_scores"]
    # With two documents judged not relevant, the same lists are hardly and unevenly judged.
    judged = {**positive, **{q: {"r": 1, "x": 0} for q in ("q0", "q1")}}
    codes = [c.code for c in weighed(judged, runs, ["RR@10"])]
    assert codes == ["same_scores", "hardly_judged", "unevenly_judged", "equal_scores"]
    # Where no document at the top is unjudged, there is nothing to say.
    assert weighed(positive, {"short": runs["short"]}, ["RR@10"]) == ()


def test_nothing_relevant_is_one_caution_for_all_measures():
    nothing = {q: {"r": 0, "x": 0} for q in TEN}
    measures = ["RR", "P@2", "nDCG@2", "AP(rel=2)"]
    (caution,) = weighed(nothing, {"mine": answered(10)}, measures)
    assert caution.severity == "stop"
    assert caution.text.startswith("No document has a positive grade")
    (caution,) = weighed(TEN, {"mine": answered(10)}, ["RR", "P(rel=2)@2", "AP(rel=2)"])
    assert caution.severity == "look"
    assert caution.text.startswith("P(rel=2)@2, AP(rel=2): no document is relevant")
    (caution,) = weighed(TEN, {"mine": answered(10)}, ["AP(rel=2)", "RR"])
    assert caution.severity == "stop"  # it decides


def test_a_measure_without_any_value_weighs_most_where_it_decides():
    alone = {q: {"r": 1} for q in TEN}  # no other document to be above
    runs = {name: answered(10) for name in "ab"}
    (decides, *_) = weighed(alone, runs, ["AUC"])
    assert decides.severity == "stop"
    assert (decides.code, decides.concerns) == ("undefined", (("a",), ("b",)))
    describes = next(c for c in weighed(alone, runs, ["RR", "AUC"]) if c.code == "undefined")
    assert describes.severity == "note"


def test_what_is_true_of_many_systems_is_said_once():
    docs = {f"y{i}": 1.0 for i in range(9)}
    few = {f"s{n}": {q: {"r": 9.0, f"z{n}": 2.0, **docs} for q in TEN} for n in range(5)}
    _, each, _ = weighed(TEN, few, ["RR@10"])
    assert (each.code, each.concerns) == ("hardly_judged", tuple((name,) for name in few))
    few["s5"] = {q: {"r": 9.0, "x": 8.0, **docs} for q in TEN}
    _, caution, spread, _ = weighed(TEN, few, ["RR@10"])
    assert spread.text.startswith(
        "The share judged of the first 10 documents differs by 10 percentage points"
    )
    assert caution.text.endswith(": s0, s1, s2, s3 and s4 (each 10 %), s5 (20 %).")
    # Of 7 systems one answered all; what the others did not is as severe as it is much.
    runs = {f"s{n}": answered(10 - n) for n in range(7)}
    assert [(each.severity, each.concerns, each.counts) for each in weighed(TEN, runs)] == [
        ("stop", (("s6",),), (6,)),
        ("look", (("s3",), ("s4",), ("s5",)), (3, 4, 5)),
        ("note", (("s1",), ("s2",)), (1, 2)),
    ]
    strange = {f"s{n}": answered(10, "z") for n in range(7)}
    first = weighed({q: {"r": 1} for q in TEN}, strange, ["RR"])[0]
    assert first.text.startswith("s0, s1, s2, s3, s4, and 2 more returned no judged document")


@pytest.mark.parametrize(
    ("measures", "depth", "deeper"),
    [
        (["nDCG@10", "R@100", "AP"], 10, "R@100, AP"),
        (["nDCG@20", "R@100", "AP"], 100, ""),
        (["nDCG@10", "R@100"], 99, "R@100"),
        (["RR@10"], 10, ""),
        (["NumRel"], 10, ""),  # looks at no list
        (["AP"], 9, ""),  # a collection so small that there may be no more
    ],
)
def test_a_list_cut_off_above_where_a_measure_looks(measures, depth, deeper, tmp_path):
    docs = [f"d{i:03}" for i in range(depth)]
    qrels = {q: dict.fromkeys(docs, 1) for q in ("q1", "q2")}
    lists = {"q1": {doc: 200.0 - i for i, doc in enumerate(docs)}, "q2": {"d001": 1.0}}
    made = rr.evaluate(qrels, {"short": lists}, measures)
    made.write_parquet(tmp_path / "scores.parquet")
    assert rr.load_evaluation(tmp_path / "scores.parquet").cautions == made.cautions
    words = (
        f"short returned at most {depth} documents per query, but {deeper} would look deeper: "
        "documents below that depth count as not returned."
    )
    found = [c for c in made.cautions if "at most" in c.text]
    assert [c.text for c in found] == ([words] if deeper else [])
    assert [c.remedy for c in found] == (
        ["Return more documents per query, or use a lower cut-off."] if deeper else []
    )


def test_a_list_that_holds_all_that_was_judged_is_not_cut_off():
    docs = [f"d{i:03}" for i in range(12)]
    qrels = {q: dict.fromkeys(docs, 1) for q in TEN}
    whole = {q: {doc: 200.0 - i for i, doc in enumerate(docs)} for q in TEN}
    less = {q: dict(list(found.items())[:11]) for q, found in whole.items()}
    told = rr.evaluate(qrels, {"whole": whole, "less": less}, ["AP"]).cautions
    assert [c.text.partition(",")[0] for c in told if c.code == "shallow_lists"] == [
        "less returned at most 11 documents per query"
    ]


def test_of_ties_those_that_matter_most_are_told_first():
    qrels = {q: {"good": 1} for q in TEN}

    def tied(n):
        return {q: {"good": 1.0, "bad": 1.0 if at < n else 0.5} for at, q in enumerate(qrels)}

    runs = {"one": tied(1), "none": tied(0), "many": tied(7)}
    found = rr.evaluate(qrels, runs, ["RR"]).cautions
    (caution,) = [c for c in found if c.code == "equal_scores"]
    assert caution.text.startswith(
        "Equal scores: another order would change RR of many in 7 queries (mean 0.6500 to "
        "1.0000), of one in 1 query (mean 0.9500 to 1.0000). Here"
    )


def test_ties_that_change_no_digit_are_not_told():
    many = [f"q{at}" for at in range(100)]
    qrels = {q: {"good": 1} for q in many}
    docs = [f"z{at:03}" for at in range(120)]
    run = {q: {"good": 2.0, "bad": 1.0} for q in many}
    last = [*docs, "good", "y"]  # good is the 121st or the 122nd: 1 / 121 - 1 / 122 is 0.00007
    run["q0"] = {doc: 0.0 if doc in {"good", "y"} else 1.0 + at for at, doc in enumerate(last)}
    evaluation = rr.evaluate(qrels, {"run": run}, ["RR"])
    assert evaluation.ties()["n_queries"].to_list() == [1]
    assert "equal_scores" not in {caution.code for caution in evaluation.cautions}
