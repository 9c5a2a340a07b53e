"""What a profile translates: the tool's own names, and nothing of ours."""

from __future__ import annotations

import importlib

import polars as pl
import pytest

import rankreport as rr


@pytest.fixture(scope="module")
def ir_measures():
    return importlib.import_module("ir_measures")  # on first use, as it is slow


QRELS, RUN = {"q": {"a": 1}}, {"q": {"a": 1.0}}
RANKED = pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "rank": [1]})


def read(profile, given):
    run = RANKED if profile == "rectools" else RUN
    found = rr.evaluate(QRELS, {"mine": run}, given, profile=profile)
    return [str(measure) for measure in found.measures]


@pytest.mark.parametrize(
    ("profile", "text", "ours"),
    [
        # Our spelling, which the tool does not have
        ("rectools", "nDCG(gain='binary')@3", 'nDCG(gain="binary")@3'),
        ("rectools", "nDCG@3", "nDCG@3"),
        ("replay", "nDCG@3", "nDCG@3"),
        ("trec_eval-10", "RBP@10", "RBP@10"),
        ("trec_eval-10", "RBP(p=0.5)", "RBP(p=0.5)"),
        ("ranx", "RBP(p=0.95)", "RBP(p=0.95)"),
        ("xgboost", "nDCG@10", "nDCG@10"),
        ("lightgbm", "nDCG@10", "nDCG@10"),
        # A name of both, with parameters that only ours has
        ("quepid", 'nDCG(gain="binary")@3', 'nDCG(gain="binary")@3'),
        ("quepid", "ERR(max_grade=4)@5", "ERR(max_grade=4)@5"),
        ("ir_measures", "ERR(max_grade=2)@5", "ERR(max_grade=2)@5"),
        ("ir_measures", 'IPrec(rounding="trec_eval-10")@0.1', "IPrec@0.1"),
        ("rectools", "Accuracy(rel=2)@5", "Accuracy(rel=2)@5"),
        ("catboost", "ERR@5", "ERR@5"),  # CatBoost's is ERR:top=5
        # The tool's own
        ("rectools", "NDCG@3", 'nDCG(gain="binary", ideal="full")@3'),
        ("rectools", "ndcg@3", 'nDCG(gain="binary", ideal="full")@3'),
        ("quepid", "nDCG@3", 'nDCG(gain="exp", ideal="uncut")@3'),
        ("quepid", "ERR@3", "ERR(max_grade=3)@3"),
        ("ir_measures", "ERR@5", "ERR(max_grade=4)@5"),
        ("ir_measures", "IPrec(rel=2)@0.1", 'IPrec(rel=2, rounding="trec_eval-9")@0.1'),
        ("trec_eval-10", "rbp", 'RBP(p=0.9, gain="linear", max_of="query")'),
    ],
)
def test_only_the_tools_own_names_are_translated(profile, text, ours):
    assert read(profile, [text]) == [ours]


@pytest.mark.parametrize("profile", rr.PROFILES)
def test_a_measure_is_taken_as_it_stands_under_every_profile(profile):
    for measure in (rr.nDCG @ 3, rr.nDCG(gain="binary") @ 3, rr.ERR @ 5, rr.AP, rr.IPrec @ 0.1):
        assert rr.PROFILES[profile].read(measure) == measure


@pytest.mark.parametrize("profile", rr.PROFILES)
def test_ours_with_parameters_stays_ours_as_text_too(profile):
    for measure in (rr.nDCG(gain="binary") @ 3, rr.ERR(max_grade=2) @ 5, rr.RBP(p=0.5)):
        assert rr.PROFILES[profile].read(str(measure)) == measure


@pytest.mark.parametrize("text", ["nDCG@0", "nDCG@-1", "DCG@0", "ERR@0", "nDCG(k=0)", "ndcg@0"])
@pytest.mark.parametrize("profile", [None, "trec_eval-10", "quepid"])
def test_a_cut_off_that_is_none_gets_no_hint_of_another_tool(profile, text):
    with pytest.raises(rr.MeasureError, match="a cut-off is a whole number from 1") as caught:
        rr.evaluate(QRELS, {"mine": RUN}, [text], profile=profile)
    assert "profile=" not in str(caught.value)


def test_under_its_own_profile_a_tools_name_gets_no_hint_of_that_profile():
    with pytest.raises(rr.MeasureError, match="a cut-off is a whole number") as caught:
        rr.evaluate(QRELS, {"mine": RUN}, ["ndcg_score@0"], profile="sklearn")
    assert "profile=" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("nDCG@10", "nDCG@10"),
        ("nDCG(dcg='exp-log2')@10", 'nDCG(gain="exp")@10'),
        ("nDCG(gains={1:3,2:5})@5", "nDCG(gains={1: 3, 2: 5})@5"),
        ("nDCG(judged_only=True)", "nDCG(judged_only=True)"),
        ("AP", "AP"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("NumRet(rel=2)", "NumRelRet(rel=2)"),
        ("SetF(beta=2.0)", "SetF(beta=2)"),
        ("ERR@5", "ERR@5"),
        ("alpha_nDCG(alpha=0.8)@20", "alpha_nDCG(alpha=0.8)@20"),
    ],
)
def test_measures_of_ir_measures_are_accepted_as_they_are(ir_measures, text, ours):
    assert str(rr.parse(ir_measures.parse_measure(text))) == ours


def test_measures_of_ir_measures_stand_wherever_a_measure_may(ir_measures):
    given = [ir_measures.nDCG @ 10, ir_measures.AP, "RR"]
    found = rr.evaluate(QRELS, {"mine": RUN}, given, primary=ir_measures.AP)
    assert (list(map(str, found.measures)), str(found.primary)) == (["nDCG@10", "AP", "RR"], "AP")
    alone = rr.evaluate(QRELS, {"mine": RUN}, ir_measures.nDCG @ 10)
    assert list(map(str, alone.measures)) == ["nDCG@10"]
    assert alone.curve(ir_measures.P, k=[1, 2])["value"].to_list() == [1.0, 0.5]


def test_measures_of_ir_measures_are_that_tools_names_and_of_no_other(ir_measures):
    assert read("ir_measures", [ir_measures.ERR @ 5]) == ["ERR(max_grade=4)@5"]
    assert read("quepid", [ir_measures.nDCG @ 5, ir_measures.ERR @ 5]) == ["nDCG@5", "ERR@5"]


def test_what_is_no_measure_is_still_refused():
    with pytest.raises(rr.MeasureError, match=r"Expected a measure or its text, found 2\.5"):
        rr.evaluate(QRELS, {"mine": RUN}, [2.5])
    with pytest.raises(rr.OptionError, match="measures takes names"):
        rr.evaluate(QRELS, {"mine": RUN}, 3)


def test_rbp_of_trec_eval_10_is_claimed_by_nobody():
    found = rr.evaluate(QRELS, {"mine": RUN}, ["rbp", "map"], profile="trec_eval-10")
    (caution,) = (each.text for each in found.cautions if "RBP" in each.text)
    assert "may differ from that of trec_eval 10.0" in caution
    assert "changes with the compiler" in caution


@pytest.mark.parametrize(
    ("profile", "text", "ours"),
    [
        ("lightgbm", "ndcg@10", 'nDCG(gain="exp")@10'),
        ("lightgbm", "map@10", 'AP(over="min")@10'),
        ("xgboost", "ndcg@10", 'nDCG(gain="exp")@10'),
        ("xgboost", "ndcg@10-", 'nDCG(gain="exp", no_relevant="zero")@10'),
        ("xgboost", "ndcg-", 'nDCG(gain="exp", no_relevant="zero")'),
        ("xgboost", "map@10", 'AP(over="min")@10'),
        ("xgboost", "map@10-", 'AP(over="min", no_relevant="zero")@10'),
        ("xgboost", "pre@10", 'P(over="returned")@10'),
        ("catboost", "NDCG:top=10", "nDCG@10"),
        ("catboost", "NDCG:top=10;type=Base", "nDCG@10"),
        ("catboost", "NDCG:type=Exp;top=10;denominator=LogPosition", 'nDCG(gain="exp")@10'),
        ("catboost", "NDCG:top=-1", "nDCG"),
        ("catboost", "MRR:top=10", "RR@10"),
        ("catboost", "MAP:top=10", 'AP(over="min", no_relevant="zero")@10'),
        ("catboost", "PrecisionAt:top=10;border=1.5", 'P(rel=2, over="returned")@10'),
        ("catboost", "RecallAt:top=10", "R@10"),
    ],
)
def test_the_names_of_tools_for_learning_to_rank(profile, text, ours):
    assert read(profile, [text]) == [ours]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ERR:top=10", "probability"),
        ("NDCG:top=10;denominator=Position", "'denominator=Position' of CatBoost"),
        ("NDCG:depth=3", "'depth=3' of CatBoost has no counterpart"),
        ("RecallAt:top=10;border=1.5", "a border below 1"),
        ("MRR:type=Exp", "RR has no parameter 'gain'"),
    ],
)
def test_what_catboost_has_and_we_have_not_is_refused_with_the_reason(text, words):
    with pytest.raises(rr.MeasureError, match=words):
        read("catboost", [text])


@pytest.mark.parametrize(
    ("text", "profile"), [("ndcg@10-", "xgboost"), ("NDCG:top=10", "catboost")]
)
def test_marks_of_a_tool_are_refused_with_its_profile(text, profile):
    with pytest.raises(rr.MeasureError, match=f"profile='{profile}' reads its names"):
        rr.evaluate(QRELS, {"mine": RUN}, [text])
