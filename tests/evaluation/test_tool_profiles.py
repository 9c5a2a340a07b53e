"""The numbers of other tools, by the name of their rules."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import pytrec_eval

import rankreport as rr

PROFILES = rr.PROFILES


@pytest.mark.parametrize("name", PROFILES)
def test_every_name_of_a_profile_means_a_measure(name):
    profile = PROFILES[name]
    for theirs, ours in profile.spelled.items():
        assert str(profile.read(theirs)) == str(rr.parse(ours))
    for measure in profile.warnings:
        assert measure == "*" or str(rr.parse(measure)) == measure


def evaluated(name, qrels, run, measures, **options):
    found = rr.evaluate(qrels, {"mine": run}, measures, profile=name, **options)
    return found.per_query().drop("system", "query_id").rows()


def test_trec_eval_9_compares_in_single_precision_and_leaves_out_what_a_run_lacks():
    qrels = {"near": {"a": 1, "b": 0}, "far": {"a": 1}, "lacking": {"a": 1}}
    # In single precision, a and b have one score, and b is the larger id.
    run = {"near": {"a": 0.123456789012, "b": 0.123456789011}, "far": {"a": 2.0, "b": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "gm_map"}).evaluate(run)
    assert {query: row["map"] for query, row in theirs.items()} == {"near": 0.5, "far": 1.0}

    found = rr.evaluate(qrels, {"mine": run}, ["map"], profile="trec_eval-9")
    assert found.per_query().rows() == [("mine", "far", 1.0), ("mine", "near", 0.5)]
    assert found.summary()["AP"].item() == 0.75
    (caution,) = [c for c in found.cautions if c.code == "left_out"]
    assert caution.text == (
        "Queries for which nothing was returned are left out of the means: mine (1 of 3 judged "
        "queries)."
    )
    assert (caution.severity, caution.count) == ("look", 1)  # fewer than 8 in 10 are left
    # Without the profile: in double precision a stands first, and "lacking" scores 0.
    assert rr.evaluate(qrels, {"mine": run}, ["map"]).summary()["AP"].item() == 2 / 3


def test_systems_that_answered_different_queries_are_compared_on_those_of_both():
    qrels = {f"q{i}": {"a": 1} for i in range(4)}
    right, wrong = {"a": 1.0}, {"b": 1.0}
    old = {"q0": wrong, "q1": wrong, "q2": right}
    new = {"q1": right, "q2": right, "q3": right}
    both = rr.evaluate(qrels, {"old": old, "new": new}, ["RR"], queries="answered")
    assert both.summary().rows() == [("old", 1 / 3), ("new", 1.0)]
    (row,) = rr.compare(both).table().iter_rows(named=True)
    assert (row["n_queries"], row["mean_baseline"], row["mean_system"]) == (2, 0.5, 1.0)
    deltas = rr.compare(both).deltas().select("query_id", "delta").rows()
    assert deltas == [("q1", 1.0), ("q2", 0.0), ("q0", None), ("q3", None)]


def ranked(lists):
    """Return ``user_id, item_id, rank`` as recommenders hold them."""
    rows = [(user, item, n) for user, items in lists.items() for n, item in enumerate(items, 1)]
    return pl.DataFrame(rows, schema=["user_id", "item_id", "rank"], orient="row")


def test_rectools_documented_example():
    # The inputs and values of the docstrings of RecTools 0.19, rectools/metrics/ranking.py.
    reco = ranked({1: [7, 8], 2: [1, 2], 3: [1, 2, 3, 4], 4: [1, 2, 3]})
    seen = {1: [1, 2], 2: [1], 3: [1, 3, 4], 4: [1, 2, 3]}
    qrels = {str(u): {str(i): 1 for i in items} for u, items in seen.items()}
    found = evaluated("rectools", qrels, reco, ["MAP@1", "MAP@3", "NDCG@3", "MRR@3"])
    assert [tuple(round(value, 8) for value in row) for row in found] == [
        (0.0, 0.0, 0.0, 0.0),
        (1.0, 1.0, 0.46927873, 1.0),
        (0.33333333, 0.55555556, 0.70391809, 1.0),
        (0.33333333, 1.0, 1.0, 1.0),
    ]


def test_replay_documented_example():
    # The inputs and values of the docstring of RePlay 0.22, replay/metrics/offline_metrics.py.
    run = {
        "1": {"3": 0.6, "7": 0.5, "10": 0.4, "11": 0.3, "2": 0.2},
        "2": {"5": 0.6, "8": 0.5, "11": 0.4, "1": 0.3, "3": 0.2},
        "3": {"4": 1.0, "9": 0.5, "2": 0.1},
    }
    seen = {"1": [5, 6, 7, 8, 9, 10], "2": [6, 7, 4, 10, 11], "3": [1, 2, 3, 4, 5]}
    qrels = {user: {str(item): 1 for item in items} for user, items in seen.items()}
    names = ["Precision@2", "Recall@2", "MAP@2", "MRR@2", "NDCG@2", "HitRate@2"]
    found = rr.evaluate(qrels, {"mine": run}, names, profile="replay")
    means = found.summary().drop("system").row(0)
    expected = (1 / 3, 0.12222222222222223, 0.25, 0.5, 1 / 3, 2 / 3)
    assert means == pytest.approx(expected, abs=1e-15)
    assert [str(m) for m in found.measures][2:5:2] == ['AP(over="min")@2', 'nDCG(gain="binary")@2']


def test_scikit_learn_documented_example():
    # y_true, y_score of the docstrings of dcg_score and ndcg_score: two share the highest score.
    grades = {"a": 10, "b": 0, "c": 0, "d": 1, "e": 5}
    tied = {"a": 1, "b": 0, "c": 0, "d": 0, "e": 1}
    found = evaluated("sklearn", {"q": grades}, {"q": tied}, ["dcg_score@1", "ndcg_score@1"])
    assert found == [(7.5, 0.75)]


def test_quepid_divides_by_all_that_was_rated():
    # DCG@1 = 2^1 - 1 = 1; the ideal goes on to the second document: 3 / log2(2) + 1 / log2(3).
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}}
    ((whole, cut),) = evaluated("quepid", qrels, run, ["nDCG@1", "nDCG_cut@1"])
    assert whole == pytest.approx(1 / (3 + 1 / 1.584962500721156))
    assert cut == pytest.approx(1 / 3)


def test_what_a_tool_has_and_we_cannot_reproduce_is_refused_with_the_reason():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    with pytest.raises(rr.MeasureError, match=r"'rbp\.80' of ranx .* multiplies by the grade"):
        rr.evaluate(qrels, {"mine": run}, ["rbp.80"], profile="ranx")
    with pytest.raises(rr.MeasureError, match=r"'MCC@5' of RecTools"):
        rr.evaluate(qrels, {"mine": run}, ["MCC@5"], profile="rectools")
    # Ours bears no name of theirs.
    assert evaluated("ranx", qrels, run, ["RBP"]) == [(pytest.approx(0.2),)]


def test_where_numbers_may_differ_from_the_tool_there_is_a_caution():
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    found = rr.evaluate(qrels, {"mine": run}, ["ndcg@3"], profile="ranx")
    texts = [caution.text for caution in found.cautions if caution.code == "other_tool"]
    assert any("a grade below 1, or below -l, gains 0" in text for text in texts)
    assert any("shuffles more" in text for text in texts)


def test_the_hits_of_ranx_are_a_mean_over_queries():
    # Two and one of the first two are relevant; the third query has no answer.
    qrels = {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 0}, "c": {"x": 1}}
    run = {"a": {"x": 2.0, "y": 1.0}, "b": {"x": 2.0, "y": 1.0}}
    found = rr.evaluate(qrels, {"mine": run}, ["hits@2", "hits@2-l2"], profile="ranx")
    assert found.summary().row(0)[1:] == (1.0, pytest.approx(1 / 3))
    assert found.per_query()["Hits@2"].to_list() == [2.0, 1.0, 0.0]


def test_an_option_that_is_given_comes_before_the_profile():
    qrels, run = {"q": {"a": 1}}, {"q": {"b": 1.0, "a": 1.0}}
    assert evaluated("ranx", qrels, run, ["mrr"]) == [(0.5,)]
    assert evaluated("ranx", qrels, run, ["mrr"], ties="best") == [(1.0,)]
    settings = rr.evaluate(qrels, {"mine": run}, profile="ranx", ties="best").settings
    assert (settings["ties"], settings["profile"]) == ("best", "ranx")


def test_a_profile_that_is_not_there_is_refused_with_a_hint():
    with pytest.raises(rr.OptionError, match=r"profile='trec_eval'.*trec_eval-9"):
        rr.evaluate({"q": {"a": 1}}, {"mine": {"q": {"a": 1.0}}}, profile="trec_eval")


def test_a_name_that_tools_define_differently_means_ours_without_a_profile():
    assert str(rr.parse("MAP@10")) == "AP@10"
    assert str(PROFILES["replay"].read("MAP@10")) == 'AP(over="min")@10'
    assert str(PROFILES["rectools"].read("NDCG@10")) == 'nDCG(gain="binary", ideal="full")@10'


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        # trec_eval: as printed, and as options of -m
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("Rprec_mult_0.20", "RprecMult@0.2"),
        ("ndcg_cut.10", "nDCG@10"),
        ("ndcg.1=3,2=9", "nDCG(gains={1: 3, 2: 9})"),
        ("11pt_avg", "IPrec11"),
        ("gm_map", "GMAP"),
        ("set_relative_P", "RelP"),
        # ir_measures
        ("nDCG(dcg='exp-log2')@10", 'nDCG(gain="exp")@10'),
        ('nDCG(dcg="log2", judged_only=True)@10', "nDCG(judged_only=True)@10"),
        ("P(cutoff=5, rel=2)", "P(rel=2)@5"),
        ("NumRet(rel=2)", "NumRelRet(rel=2)"),
        ("SetP(relative=True)", "RelP"),
        ("SetF(beta=2)", "SetF(beta=2)"),
        ("SDCG(dcg='log2',max_rel=4)@5", "SDCG(max_rel=4)@5"),
        ("IPrec@0.1", "IPrec@0.1"),
        # ranx
        ("map@10-l2", "AP(rel=2)@10"),
        ("ndcg@10-l2", "nDCG(gains={1: 0})@10"),
        ("ndcg@10-l1", "nDCG@10"),
        ("r-precision", "Rprec"),
        # in another case
        ("auc", "AUC"),
        ("rprec", "Rprec"),
    ],
)
def test_names_of_other_tools_are_read_without_a_profile(theirs, ours):
    assert str(rr.parse(theirs)) == ours


QRELS = {"q1": {"a": 1, "b": 0, "c": 2, "d": -1}, "q2": {"a": 0, "b": 1, "e": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}, "q2": {"a": 2.0, "b": 2.0, "y": 0.5}}
SETS = ["P", "recall", "ndcg_cut", "map_cut", "success", "iprec_at_recall", "relative_P"]
SETS += ["Rprec_mult", "official", "set", "all_trec"]


@pytest.mark.parametrize("profile", ["trec_eval-9", "pytrec_eval"])
@pytest.mark.parametrize("name", SETS)
def test_a_name_without_cut_offs_is_the_set_of_measures_of_trec_eval(name, profile):
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {name})
    theirs = evaluator.evaluate(RUN)
    wanted = [each for each in theirs["q1"] if each not in {"runid", "relstring"}]
    found = rr.evaluate(QRELS, {"mine": RUN}, name, profile=profile)
    assert list(found.measures) == [PROFILES[profile].read(each) for each in wanted]
    for query, values in zip(("q1", "q2"), found.per_query().drop("system").rows(), strict=True):
        assert values[0] == query
        for each, value in zip(wanted, values[1:], strict=True):
            logged = each in {"gm_map", "gm_bpref"}  # of a query, it gives the logarithm
            expected = theirs[query][each]
            close = pytest.approx(np.exp(expected) if logged else expected, abs=1e-9)
            assert max(value, 1e-5) == close if logged else value == close, each


@pytest.mark.parametrize("name", ["official", "all_trec", "set"])
def test_a_set_that_trec_eval_alone_has_needs_no_profile(name):
    theirs = pytrec_eval.RelevanceEvaluator(QRELS, {name}).evaluate(RUN)
    found = rr.evaluate(QRELS, {"mine": RUN}, name)
    wanted = [each for each in theirs["q1"] if each not in {"runid", "relstring"}]
    assert [each.shown for each in found.measures] == wanted
    for query, values in zip(("q1", "q2"), found.per_query().drop("system").rows(), strict=True):
        for each, value in zip(wanted, values[1:], strict=True):
            expected = theirs[query][each]
            expected = np.exp(expected) if each in {"gm_map", "gm_bpref"} else expected
            assert max(value, 1e-5) == pytest.approx(max(expected, 1e-5), abs=1e-9), each


def test_a_set_of_trec_eval_stands_with_other_names_and_only_in_its_profile():
    named = "P.5,10 success ndcg_cut.10"
    found = rr.evaluate(QRELS, {"mine": RUN}, [named, rr.P], profile="trec_eval-10")
    cut = [rr.P @ 5, rr.P @ 10, *(rr.Success @ k for k in (1, 5, 10)), rr.nDCG @ 10, rr.P]
    assert list(found.measures) == cut
    assert rr.evaluate(QRELS, {"mine": RUN}, "P Success").measures == (rr.P, rr.Success)
    ten = rr.evaluate(QRELS, {"mine": RUN}, "all_trec", profile="trec_eval-10").measures
    assert len(ten) == 98
    assert ten[-3:] == tuple(rr.Unjudged @ k for k in (5, 10, 20))
    nine = rr.evaluate(QRELS, {"mine": RUN}, "all_trec", profile="trec_eval-9").measures
    levels = [f"iprec_at_recall_{level / 10:.2f}" for level in range(11)]  # as it prints them
    shown = [each.shown for each in nine]
    assert [name for name in shown if "recall_0." in name or "1.00" in name][:11] == levels
    assert {"11pt_avg", "ndcg_cut_10", "set_F"} < {*shown}
    assert not [name for name in shown if "(" in name or "@" in name]
    assert "rbp" in [each.shown for each in ten]
    with pytest.raises(rr.OptionError, match="'success' names several measures"):
        found.pool_and_order("success")


def test_one_name_at_several_cut_offs_is_several_measures():
    found = rr.evaluate({"q": {"a": 1}}, {"mine": {"q": {"a": 1.0}}}, ["P.5,10", "RR"])
    assert list(map(str, found.measures)) == ["P@5", "P@10", "RR"]


def test_a_name_that_only_a_profile_knows_is_refused_with_that_profile():
    run = {"mine": {"q": {"a": 1.0}}}
    with pytest.raises(rr.MeasureError, match=r"scikit-learn.* has it: nDCG.*profile='sklearn'"):
        rr.evaluate({"q": {"a": 1}}, run, ["ndcg_score@5"])
    with pytest.raises(rr.MeasureError, match=r"judgments of several people"):
        rr.evaluate({"q": {"a": 1}}, run, ["P_avgjg_10"], profile="trec_eval-10")


@pytest.mark.parametrize("text", ["P(rel=1,rel=2)", "P(k=5)@3"])
def test_a_parameter_given_twice_is_refused(text):
    with pytest.raises(rr.MeasureError, match="is given twice"):
        rr.parse(text)


def test_trec_eval_cuts_fractions_off_grades():
    grades, run = {"a": 1.9, "b": 0.5, "c": 2.0}, {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}
    whole = {"q": {"a": 1, "b": 0, "c": 2}}
    theirs = pytrec_eval.RelevanceEvaluator(whole, {"ndcg"}).evaluate(run)["q"]["ndcg"]
    ((ours,),) = evaluated("trec_eval-9", {"q": grades}, run, ["ndcg"])
    assert ours == pytest.approx(theirs, abs=1e-12)
    assert evaluated("ranx", {"q": grades}, run, ["ndcg"])[0][0] != pytest.approx(theirs, abs=1e-3)


def test_a_run_without_ranks_is_told_which_rule_asks_for_them():
    with pytest.raises(rr.DataError, match=r"no column for rank.*ties='rank' needs it; ties='inp"):
        evaluated("rectools", {"q": {"a": 1}}, {"q": {"a": 1.0}}, ["MAP@5"])
