"""The measures of trec_eval: worked by hand, and agreed with pytrec_eval (trec_eval 9.0.8)."""

from __future__ import annotations

import math
import random

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import rankreport as rr

HOLES = [1, None, 0, 1, -1, 1]
"""A relevant document at 1, 4 and 6; one judged not relevant, one pooled only, one neither."""

BY_HAND = [  # measure, grades in rank order, grades not returned, value
    ("SetF", [1, 0, 1, 0], [1], 4 / 7),  # 2 * 2 / (3 + 4)
    ("SetF(beta=4)", [1, 0, 1, 0], [1, 1, 1, 1], 5 * (1 / 2) * (1 / 3) / (4 / 2 + 1 / 3)),
    ("SetF(judged_only=True)", HOLES, [], 2 * (3 / 4) * 1 / (3 / 4 + 1)),  # 3 of 4 judged
    ("SetAP", HOLES, [1], (3 / 6) * (3 / 4)),
    ("SetAP(judged_only=True)", HOLES, [1], (3 / 4) * (3 / 4)),
    ("RelP@2", HOLES, [1], 1 / 2),  # of 2 places
    ("RelP@9", HOLES, [1], 3 / 4),  # of 4 relevant ones
    ("RelP", [0, 1], [1, 1], 1 / 2),  # of the 2 returned
    ("RelP(judged_only=True)@3", HOLES, [1], 2 / 3),  # 1, 0, 1 are left
    ("Utility", HOLES, [1], 3 - 3),
    ("Utility(a=2, b=-0.5, c=-1)", HOLES, [1, 1], 6 - 1.5 - 2),
    # 6 were returned and 2 missed, so 12 of 20 were rightly left out
    ("Utility(d=0.25, n_documents=20)", HOLES, [1, 1], 3 - 3 + 12 / 4),
    ("Utility(c=-1)", [], [1, 1], -2),
    # 2 of R = 3 judged not relevant stand above the second; N = 2 is the smaller number
    ("Bpref", [1, 0, None, 0, 1], [1], (1 + (1 - 2 / 2)) / 3),
    ("Bpref(over='relevant')", [1, 0, None, 0, 1], [1], (1 + (1 - 2 / 3)) / 3),
    # no more than R = 1 of those above count
    ("Bpref", [0, 0, 0, 1], [], 0),
    ("Bpref(over='relevant')", [0, 0, 0, 1], [], 0),
    ("Bpref", [None, 1, -1, 1], [1, -2], 2 / 3),  # none judged not relevant
    ("Bpref(rel=2)", [0, 1, 2], [3, 0], (1 - 2 / 2) / 2),
    # 1; at 4: 1 of the 2 judged above, 2 pooled above; at 6: 2 of 3 judged, 4 pooled above
    ("infAP", HOLES, [], (1 + (1 + 2 * 1 / 2) / 4 + (1 + 4 * 2 / 3) / 6) / 3),
    ("IPrec", [0, 1, 1], [1], 2 / 3),  # precisions 1/2 and 2/3
    ("IPrec@0.5", [1, 0, 1, 0, 1], [1], 2 / 3),  # from 2 of 4 on: 2/3 and 3/5
    ("IPrec@0.8", [1, 0, 1, 0, 1], [1], 3 / 5),  # 3.2 of 4 are 3
    ("IPrec(rounding='trec_eval-9')@0.8", [1, 0, 1, 0, 1], [1], 0),  # or 4, of which 1 is missed
    ("IPrec@1", [1, 0, 1, 0, 1], [], 3 / 5),
    ("IPrec(judged_only=True)@1", HOLES, [], 3 / 4),
    # R = 3 with precisions 1, 2/3, 3/5. To the nearest: 1 to level .4, 2 from .5 on, 3 from .9 on
    ("IPrec11", [1, 0, 1, 0, 1], [], (5 * 1 + 4 * 2 / 3 + 2 * 3 / 5) / 11),
    # up from a tenth on: 1 to level .3, 2 from .4 on, 3 from .8 on (.7 * 3 is just below 2.1)
    ("IPrec11(rounding='trec_eval-9')", [1, 0, 1, 0, 1], [], (4 * 1 + 4 * 2 / 3 + 3 * 3 / 5) / 11),
    ("RprecMult", [1, 0, 1, 0], [1], 2 / 3),
    ("RprecMult@0.5", [1, 0, 1, 0], [1], 1 / 2),  # 1.5 makes 2
    ("RprecMult@2", [1, 0, 1, 0], [1], 2 / 6),
    ("NumNonRelJudgedRet", HOLES, [0], 1),
    ("NumNonRelJudgedRet(rel=2)@3", HOLES, [0], 2),
    ("NumUnjudgedRet", HOLES, [0], 2),
    ("NumUnjudgedRet(negative='judged')@5", HOLES, [0], 1),
    ("Unjudged@5", HOLES, [0], 2 / 5),
    ("Unjudged@8", HOLES, [0], 2 / 8),
    ("Unjudged(over='returned')@8", HOLES, [0], 2 / 6),
    ("Unjudged(negative='judged')", HOLES, [0], 1 / 6),
    ("Judged", HOLES, [0], 5 / 6),
    ("Judged(negative='unjudged')@5", HOLES, [0], 3 / 5),
    ("NumQ", HOLES, [], 1),
    ("NumQ", [], [1, 1], 1),
    ("GMAP", [1, 0, 1], [1], (1 + 2 / 3) / 3),
    ("GMbpref", [1, 0, None, 0, 1], [1], 1 / 3),
    ("YAAP", [1, 0, 1], [1], math.log((1 + 5 / 3) / (1 + 3 - 5 / 3))),  # precisions 1 and 2/3
    ("YAAP", [0], [1, 1], math.log(1 / 3)),
    ("YAAP", [], [1, 1], math.log(1 / 3)),
    ("YAAP", [1, 1], [], math.log(3)),
    # gains 1, 0, 2 against 2, 1, 0: 3 - 1 + 1 = 3 behind at 1; at 3, (2 + 1 + 1) - 3 = 1
    ("G", [1, 0, 2], [], (1 / math.log2(2 + 1) + 2 / math.log2(2 + 1)) / 3),
    ("G", [2, 1], [], 1),
    ("G", [1], [3], (1 / math.log2(2 + 3 - 1)) / 4),
    ("G(gain='exp')", [1, 2], [], (1 / math.log2(2 + 3 - 1) + 3 / math.log2(2 + 4 - 4)) / 4),
    ("G(gains={1: 4})", [1, None], [2], (4 / math.log2(2 + 4 - 4)) / 6),
    ("binG", HOLES, [1], (1 + 1 / math.log2(2 + 2) + 1 / math.log2(2 + 3)) / 4),
    # the ideal list 2, 1 changes its gain after 1 and after 2
    ("RnDCG", [1, 0, 2], [], (1 / 2 + 1 / (2 + 1 / math.log2(3))) / 2),
    # a fourth place makes the end of the list count
    (
        "RnDCG",
        [1, 0, 2, None],
        [],
        (1 / 2 + 1 / (2 + 1 / math.log2(3)) + 2 / (2 + 1 / math.log2(3))) / 3,
    ),
    ("RnDCG(gains={2: 1})", [2], [1], 1 / (1 + 1 / math.log2(3))),  # one gain alone: at 2
    ("nDCG_rel", [1, 0, 2], [], (1 / 2 + 2 / (2 + 1 / math.log2(3))) / 2),
    # the one that is missing gets the end of the list
    ("nDCG_rel", [1, 0], [2], (1 / 2 + 1 / (2 + 1 / math.log2(3))) / 2),
]


@pytest.mark.parametrize(("measure", "ranking", "unreturned", "value"), BY_HAND)
def test_a_measure_gives_the_value_worked_by_hand(measure, ranking, unreturned, value):
    # infAP is smoothed in its fifth digit
    allowed = 2e-5 if measure == "infAP" else 1e-12
    if ranking:
        found = rr.score(rr.parse(measure), ranking, unreturned)
    else:
        found = of_a_system_without_results(measure, unreturned)
    assert found == pytest.approx(value, abs=allowed)


def of_a_system_without_results(measure, grades):
    qrels = {"lacking": dict(zip("abc", grades, strict=False)), "there": {"a": 1}}
    values = rr.evaluate(qrels, {"mine": {"there": {"a": 1}}}, [measure]).per_query()
    return values.row(0)[-1]


def test_a_geometric_mean_counts_what_is_below_as_a_hundred_thousandth():
    qrels = {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1}}
    run = {"a": {"x": 1}, "b": {"y": 2, "x": 1}, "c": {"y": 1}}
    # AP 1, 1/2 and 0
    mean = rr.evaluate(qrels, {"mine": run}, ["gm_map"]).summary()["GMAP"].item()
    assert mean == pytest.approx((1 * 0.5 * 1e-5) ** (1 / 3))


def test_counts_are_summed_over_queries():
    qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 1}}
    run = {"a": {"x": 3, "y": 2, "z": 1}}
    summary = rr.evaluate(
        qrels, {"mine": run}, ["num_q", "num_nonrel_judged_ret", "NumUnjudgedRet"]
    )
    assert summary.summary().row(0)[1:] == (2.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("iprec_at_recall_1.00", "IPrec@1"),
        ("IPrec@0.3", "IPrec@0.3"),
        ("11pt_avg", "IPrec11"),
        ("Rprec_mult_0.20", "RprecMult@0.2"),
        ("relative_P_10", "RelP@10"),
        ("set_relative_P", "RelP"),
        ("SetRelP", "RelP"),
        ("set_map", "SetAP"),
        ("set_F", "SetF"),
        ("SetF(beta=2.0)", "SetF(beta=2)"),
        ("SetP(rel=2)", "P(rel=2)"),
        ("SetR", "R"),
        ("unj_5", "Unjudged@5"),
        ("bpref", "Bpref"),
        ("gm_bpref", "GMbpref"),
        ("infAP", "infAP"),
        ("infap", "infAP"),
        ("Rndcg", "RnDCG"),
        ("ndcg_rel", "nDCG_rel"),
        ("num_nonjudged_ret", "NumUnjudgedRet"),
        ("utility", "Utility"),
        ("yaap", "YAAP"),
    ],
)
def test_the_names_of_other_tools_are_read(text, canonical):
    assert str(rr.parse(text)) == canonical


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("SetF(beta=0)", "beta=0 must be above 0"),
        ("IPrec@1.5", "recall=1.5 must lie between 0 and 1"),
        ("RprecMult@0", "times=0 must be above 0"),
        ("Utility(n_documents=-1)", "n_documents=-1 must not be negative"),
    ],
)
def test_contradictory_parameters_are_refused(measure, words):
    with pytest.raises(rr.MeasureError, match=words):
        rr.score(rr.parse(measure), [1])


# --- agreed with pytrec_eval ----------------------------------------------------------------------

OURS = {"11pt_avg": 'IPrec11(rounding="trec_eval-9")', "relstring": None, "runid": None}


def drawn(seed, n_queries=60):
    """Draw lists of many lengths with ties, gaps and barren queries."""
    order = random.Random(seed)
    qrels, run = {}, {}
    for query in map(str, range(n_queries)):
        documents = [f"d{i}" for i in range(order.choice([3, 8, 30, 60]))]
        others = [f"x{i}" for i in range(10)]
        grades = order.choice([[0, 1], [-1, 0, 1, 2, 3, 4], [0], [1], [-1, 0, 0, 1], [0, 0, 0, 4]])
        judged = order.sample(documents, order.randint(1, len(documents)))
        returned = order.sample(documents + others, order.randint(1, len(documents)))
        qrels[query] = {d: order.choice(grades) for d in judged}
        # in single precision these are what they are in double precision
        run[query] = {d: order.choice([0.0, 0.5, 1.0, order.randint(0, 800) / 8]) for d in returned}
    return qrels, run


def named(name):
    return rr.parse(OURS.get(name, name))


def ours(name, rel, judged_only):
    measure = named(name)
    known = measure.declaration.parameters
    if "recall" in known:
        measure = measure(rounding="trec_eval-9")
    if judged_only:
        measure = measure(judged_only=True)
    return measure(rel=rel) if "rel" in known else measure


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("rel", [1, 2])
def test_every_measure_of_pytrec_eval_is_agreed_query_by_query(rel, judged_only):
    qrels, run = drawn(seed=10 * rel + judged_only)
    theirs = pytrec_eval.RelevanceEvaluator(
        qrels,
        pytrec_eval.supported_measures,
        relevance_level=rel,
        judged_docs_only_flag=judged_only,
    ).evaluate(run)
    names = {n for n in theirs["0"] if OURS.get(n, n) is not None}
    if judged_only:
        names = {n for n in names if "judged_only" in named(n).declaration.parameters}
    measures = {name: ours(name, rel, judged_only) for name in names}
    values = rr.evaluate(qrels, {"mine": run}, list(measures.values())).per_query()
    for row in values.iter_rows(named=True):
        grades = qrels[row["query_id"]].values()
        for name, measure in measures.items():
            value, other = row[str(measure)], theirs[row["query_id"]][name]
            if name.startswith("gm_"):
                value = math.log(max(value, 1e-5))
            if name == "Rndcg" and max(grades) < rel:
                assert other == 0.0  # -l is no threshold of gains, but makes this one 0
            elif math.isnan(other):
                # where none of the list is judged, trec_eval divides 0 by 0
                assert (value, judged_only) == (0.0, True)
            else:
                assert value == pytest.approx(other, abs=1e-9), (name, measure)


@pytest.mark.parametrize("weight", [0.5, 2, 4])
def test_the_weight_of_set_f_is_not_squared(weight):
    qrels, run = drawn(seed=3, n_queries=20)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {f"set_F_{float(weight)}"}).evaluate(run)
    values = rr.evaluate(qrels, {"mine": run}, [rr.SetF(beta=weight), rr.F(beta=weight**0.5)])
    for _, query, plain, squared in values.per_query().rows():
        assert plain == pytest.approx(squared, abs=1e-12)
        assert plain == pytest.approx(theirs[query]["set_F"], abs=1e-9)


# --- what holds among them ------------------------------------------------------------------------

lists = st.lists(st.sampled_from([None, -1, 0, 0, 1, 2]), min_size=1, max_size=12)
missing = st.lists(st.integers(-1, 2), max_size=4)


@given(lists, missing)
def test_measures_keep_to_each_other(ranking, unreturned):
    if all(grade is None for grade in [*ranking, *unreturned]):
        return

    def at(measure):
        return rr.score(measure, ranking, unreturned)

    levels = [at(rr.IPrec @ (tenth / 10)) for tenth in range(11)]
    assert levels == sorted(levels, reverse=True)
    assert at(rr.IPrec11) == pytest.approx(sum(levels) / 11)
    assert at(rr.RprecMult) == pytest.approx(at(rr.Rprec))
    assert at(rr.SetAP) == pytest.approx(at(rr.P) * at(rr.R))
    assert at(rr.RelP) == pytest.approx(max(at(rr.P), at(rr.R)))
    assert at(rr.Bpref) <= at(rr.Bpref(over="relevant")) <= at(rr.R) + 1e-12
    assert at(rr.NumRelRet) + at(rr.NumNonRelJudgedRet) + at(rr.NumUnjudgedRet) == len(ranking)
    assert at(rr.Unjudged) + at(rr.Judged(negative="unjudged")) == pytest.approx(1)
    assert at(rr.Utility) == at(rr.NumRelRet) * 2 - at(rr.NumRet)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=12), st.lists(st.just(0), max_size=4))
def test_with_the_whole_pool_judged_inferred_average_precision_is_ap(ranking, unreturned):
    exact = rr.score(rr.AP, ranking, unreturned)
    assert rr.score(rr.infAP, ranking, unreturned) == pytest.approx(exact, abs=2e-5)


RISING = ["Bpref", "Bpref(over='relevant')", "IPrec@0.5", "IPrec11", "RprecMult@0.7", "RelP@3"]
RISING += ["NumRelRet@2", "YAAP", "binG", "RnDCG"]


@given(
    st.lists(st.integers(-1, 3), min_size=2, max_size=9),
    missing,
    st.sampled_from(RISING),
    st.integers(0, 7),
)
def test_what_is_said_to_move_up_never_falls(grades, unreturned, name, place):
    place %= len(grades) - 1
    measure = rr.parse(name)
    assert measure.moves == "up"
    better = grades.copy()
    better[place : place + 2] = sorted(better[place : place + 2], reverse=True)
    raised = rr.score(measure, better, unreturned)
    assert raised >= rr.score(measure, grades, unreturned) - 1e-12
