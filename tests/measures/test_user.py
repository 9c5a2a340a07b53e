"""Measures that follow a model of the reader, by hand and beside ir_measures and cwl_eval."""

from __future__ import annotations

import logging
import math
import random
from contextlib import suppress

import ir_measures
import numpy as np
import polars as pl
import pytest
from cwl.ruler.measures.cwl_bpm import BPMDCWLMetric
from cwl.ruler.ranking import Ranking
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expi

import rankreport as rr
from rankreport.measures import _attention, expression_of
from rankreport.measures.parameters import MAX_CUTOFF

# --- worked by hand -------------------------------------------------------------------------------

BY_HAND = [  # measure, grades in rank order (None: unjudged), grades not returned, value
    ("RBP(p=0.5, gain='linear', max_grade=4)", [4, None, 2], [], 0.5625),  # (1 + 1/2 / 4) / 2
    ("RBP(p=0.5, gain='linear')", [1, 2], [4], 0.25),  # (1/4 + 1/2 * 1/2) / 2
    ("RBP(p=0.5, gain='linear', max_of='query')", [1, 2], [4], 0.25),
    ("RBP(p=0.5, gain='exp', max_grade=2)", [1, 2], [], 5 / 12),  # (1/3 + 1/2 * 3/3) / 2
    ("RBP(p=0.5, gain='linear', max_grade=2)@1", [3, 2], [], 0.5),  # 3 counts as 2
    ("RBPResidual(p=0.5)", [1, None, 0], [1], 0.375),  # 1/4 at place 2, 1/8 from place 4 on
    ("RBPResidual(p=0.5)@2", [1, None, 0], [1], 0.5),  # 1/4 at place 2, 1/4 from place 3 on
    ("RBPResidual(p=0.5)", [1, 0], [], 0.25),
    ("RBPResidual(p=0.5)", [1, -1], [], 0.25),
    ("RBPResidual(p=0.5, all_judged='zero')", [1, 0], [1], 0),
    ("RBPResidual(p=0.5, all_judged='zero')", [1, -1], [], 0.5),  # 1/4 at place 2, 1/4 beyond
    ("RBPResidual(p=0.5, all_judged='zero')", [1, None], [], 0.5),
    ("RBPResidual(p=0.5, all_judged='zero')@1", [1, None], [], 0),
    ("RBPResidual", [], [1], 1),
    ("RBPResidual(all_judged='zero')", [], [1], 0),
    ("rbp_resid", [None, 1], [], 1 - 0.1 * 0.9),
    # R = 3/4, 0, 3/4: ERR = 3/4 + 1/4 * 3/4 / 3 = 13/16; best order 3/4 + 1/4 * 3/4 / 2 = 27/32
    ("nERR", [2, 0, 2], [], 26 / 27),
    ("nERR@2", [2, 0, 2], [], 24 / 27),
    ("nERR(max_grade=3)@1", [1], [3], 1 / 7),  # 1/8 over 7/8
    ("SDCG(max_rel=2)@3", [2, 0, 1], [], (1 + 0.5 / 2) / (1 + 1 / math.log2(3) + 0.5)),
    ("SDCG(max_rel=2)@1", [2], [2], 1),
    ("SDCG(min_rel=1, max_rel=3)@1", [2], [], 0.5),
    # V is 1, 4/9, 4/16 for T = 1: (2 / (i+1))^2
    ("INSQ(max_rel=1, depth=3)", [1, 0, 1], [], 1.25 / (1 + 4 / 9 + 1 / 4)),
    ("INSQ(max_rel=1, depth=2)", [1, 0, 1], [], 1 / (1 + 4 / 9)),
    # T = 1: C(1) = (1/2)^2 with T_1 = 0, C(2) = (2/3)^2, so V = 1, 1/4, 1/9
    ("INST(max_rel=1, depth=3)", [1, 0, 1], [], (10 / 9) / (1 + 1 / 4 + 1 / 9)),
    # unjudged, then half a gain: C(1) = (2/3)^2, T_2 = 1/2, C(2) = (2.5/3.5)^2
    ("INST(max_rel=2, depth=3)", [None, 1], [], (2 / 9) / (1 + 4 / 9 + 4 / 9 * 25 / 49)),
    ("ExpectedDepth(max_rel=1)@3", [1, 0, 1], [], 1 + 1 / 4 + 1 / 9),
    ("BPM(T=2, max_rel=1)@10", [1, 0, 0, 1, 1], [], 2 / 4),
    ("BPM(T=2, max_rel=1)@3", [1, 0, 0, 1, 1], [], 1 / 3),
    ("BPM(T=2, max_rel=1)@10", [1, 0], [], 1 / 10),  # goes on to the tenth place
    ("BPM(T=2, max_rel=1)", [1, 0], [], 1 / 2),
    ("BPM(T=1, max_rel=2)", [1, 0, 1, 2], [], 1 / 3),
    # wanted: 1, then 1 + 1/2 * (1/2 - 1/2) = 1, then 1 + 1/2 * (0 - 1/2) = 3/4; found 1/2, 1/2, 1
    ("BPM(T=1, max_rel=2, hb=0.5)@9", [1, 0, 1, 2], [], 1 / 3),
    # wanted: 1, then 1 - 1/2 * 1/2 = 3/4, then 1/2; found 0, 0, 1/2
    ("BPM(T=1, max_rel=2, hb=0.5)@9", [0, 0, 1, 2], [], (1 / 2) / 3),
    # documents allowed: 4, then 4 - 1/2 = 3.5, then 3, which the third is
    ("BPM(T=9, max_rel=1, hc=1)@4", [0, 0, 1, 1], [], 1 / 3),
    # documents allowed: 2, then 2 + 1/2, then 3, which the third is
    ("BPM(T=9, max_rel=1, hc=1)@2", [1, 1, 1, 1], [], 1),
    ("ExpectedDepth(model='BPM', T=2, max_rel=1)@10", [1, 0, 0, 1, 1], [], 4),
    # V is 1, 1/2, 1/2
    ("NERR8(max_rel=2)@3", [1, 0, 2], [], 1 / 2),
    ("NERR8(max_rel=2)@2", [1, 0, 2], [], (1 / 2) / (3 / 2)),
    ("NERR8(max_rel=2)", [1, 0], [2], (1 / 2) / (3 / 2)),
    ("ExpectedDepth(model='NERR8', max_rel=2)@3", [1, 0, 2], [], 2),
    # V is 1, 1/2 * 1/2, 1/3 * 1/2
    ("NERR9(max_rel=2)@3", [1, 0, 2], [], (1 / 2 + 1 / 6) / (1 + 1 / 4 + 1 / 6)),
    # V is 1, 1/4, 1/8, 0
    ("NERR10(p=0.5, max_rel=2)", [1, 0, 2], [], (5 / 8) / (11 / 8)),
    ("ExpectedDepth(model='NERR10', p=0.5, max_rel=2)", [1, 0, 2], [], 11 / 8),
    # V is 1, 4/9 * 1/2, 4/16 * 1/2, 0
    ("NERR11(max_rel=2)", [1, 0, 2], [], (5 / 8) / (1 + 2 / 9 + 1 / 8)),
    # ideal: third, first. Both lists hold 0 of 1, 1 of 2, 2 of 3: 1/2 * 1/2 + 1/4 * 2/3 = 5/12;
    # the ideal with itself 1 + 1/2 * 2/2 + 1/4 * 2/3 = 5/3; the weights 1 + 1/2 + 1/4 = 7/4
    ("Compat(p=0.5)", [1, 0, 2], [], 1 / 4),
    ("Compat(p=0.5, normalize=False)", [1, 0, 2], [], 5 / 21),
    # ideal: the second, the unreturned one. 0 of 1, 1 of 2 against 1 of 1, 2 of 2
    ("Compat(p=0.5)", [None, 7], [7], (1 / 4) / (3 / 2)),
    ("Compat", [9, 7, 7, 0, None], [], 1),
]


@pytest.mark.parametrize(("measure", "ranking", "unreturned", "value"), BY_HAND)
def test_a_measure_gives_the_value_worked_by_hand(measure, ranking, unreturned, value):
    assert rr.score(rr.parse(measure), ranking, unreturned) == pytest.approx(value, abs=1e-12)


def test_the_weights_of_insq_have_a_closed_sum():
    # T = 1: the squares of 2/2, 2/3, 2/4 ... add up to 4 (pi^2/6 - 1), less what lies below 10^6
    whole = 4 * (math.pi**2 / 6 - 1)
    deep = rr.score(rr.INSQ(max_rel=1, depth=10**6), [1])
    assert deep == pytest.approx(1 / whole, rel=2e-6)
    assert rr.score(rr.INST(max_rel=1, depth=10**6), [0, 0]) == 0
    depth = rr.score(rr.ExpectedDepth(max_rel=1) @ 10**6, [0])
    assert depth == pytest.approx(whole, rel=2e-6)


def test_the_highest_grade_is_that_of_all_the_judgments_or_of_the_query():
    qrels, run = {"a": {"x": 1}, "b": {"y": 4}}, {"a": {"x": 1}, "b": {"y": 1}}
    measures = [
        rr.RBP(p=0.5, gain="linear"),
        rr.RBP(p=0.5, gain="linear", max_of="query"),
        rr.NERR8 @ 1,
        rr.NERR8(max_rel=2) @ 1,
    ]
    values = rr.evaluate(qrels, {"mine": run}, measures).per_query()
    assert values.row(0)[2:] == (0.125, 0.5, 0.25, 0.5)


# --- beside the peers -----------------------------------------------------------------------------

PEERS = [
    *(f"RBP(p={p}, rel={rel})" for p in (0.5, 0.95) for rel in (1, 3)),
    *(f"INST(T={t}, max_rel=4)" for t in (0.5, 1.0, 2.5)),
    *(f"INSQ(T={t}, max_rel=4)" for t in (0.5, 1.0, 3.0)),
    *(f"BPM(T={t}, max_rel=4)@{k}" for t in (1.0, 2.0) for k in (1, 5, 20)),
    *(f"{name}(max_rel=4)@{k}" for name in ("SDCG", "NERR8", "NERR9") for k in (1, 10, 200)),
    *(f"NERR10(p={p}, max_rel=4)" for p in (0.5, 0.9, 0.99)),
    *(f"NERR11(T={t}, max_rel=4)" for t in (1.0, 2.0)),
    "INST(min_rel=1, max_rel=3)",
    "NERR8(min_rel=2, max_rel=3)@10",
    "Compat(p=0.8)",
    "Compat(p=0.95)",
    "Compat(p=0.8, normalize=False)",
]
DEPTHS = [
    ("INST(T=2.0, max_rel=4)", "ExpectedDepth(T=2, max_rel=4)"),
    ("BPM(T=2.0, max_rel=4)@10", "ExpectedDepth(model='BPM', T=2, max_rel=4)@10"),
    ("NERR8(max_rel=4)@10", "ExpectedDepth(model='NERR8', max_rel=4)@10"),
    ("NERR9(max_rel=4)@10", "ExpectedDepth(model='NERR9', max_rel=4)@10"),
    ("NERR10(p=0.8, max_rel=4)", "ExpectedDepth(model='NERR10', p=0.8, max_rel=4)"),
    ("NERR11(max_rel=4)", "ExpectedDepth(model='NERR11', max_rel=4)"),
]


def drawn(seed, n_queries=30, n_documents=60):
    """Judgments of grades 0 to 4 and a run of distinct scores, each with gaps."""
    draw = random.Random(seed)
    names = [f"d{i}" for i in range(n_documents)]
    queries = [f"q{i}" for i in range(n_queries)]
    qrels = {
        q: {d: draw.choice([0, 0, 1, 2, 3, 4]) for d in draw.sample(names, draw.randint(1, 40))}
        for q in queries
    }
    run = {q: {d: draw.random() for d in draw.sample(names, draw.randint(1, 60))} for q in queries}
    return qrels, run


def theirs(measure, qrels, run):
    provider = ir_measures.compat if measure.startswith("Compat") else ir_measures.cwl_eval
    logging.getLogger("ir_measures.cwl_eval").disabled = True  # it warns of grades beyond max_rel
    return list(provider.iter_calc([ir_measures.parse_measure(measure)], qrels, run))


def ours(measure, qrels, run):
    values = rr.evaluate(qrels, {"mine": run}, rr.parse(measure)).per_query()
    return dict(zip(values["query_id"], values.to_series(2), strict=True))


@pytest.mark.parametrize("measure", PEERS)
def test_a_measure_agrees_with_ir_measures(measure):
    qrels, run = drawn(1)
    values = ours(measure, qrels, run)
    found = theirs(measure, qrels, run)
    assert len(found) == len(qrels)
    for at in found:
        assert values[at.query_id] == pytest.approx(at.value, abs=1e-9), at.query_id


@pytest.mark.parametrize(("measure", "depth"), DEPTHS)
def test_the_expected_depth_is_cwl_evals_expected_items(measure, depth):
    qrels, run = drawn(2)
    values = ours(depth, qrels, run)
    evaluator = ir_measures.cwl_eval.evaluator([ir_measures.parse_measure(measure)], qrels)
    found = list(evaluator._iter_calc(run))
    assert len(found) == len(qrels)
    for at in found:
        assert values[at.query_id] == pytest.approx(at.expected_items, abs=1e-9)


GRADES = st.lists(st.integers(0, 4), min_size=1, max_size=30)


@given(GRADES, st.integers(1, 12), st.sampled_from([1, 2.5]), st.sampled_from([0, 0.5, 1]))
def test_bpm_with_a_moving_gain_agrees_with_cwl_eval(grades, k, goal, hb):
    theirs = BPMDCWLMetric(T=goal, K=k, hb=hb, hc=0).measure(
        Ranking("q", np.array(grades) / 4, np.ones(len(grades)))
    )
    mine = rr.score(rr.BPM(T=goal, max_rel=4, hb=hb) @ k, grades)
    assert mine == pytest.approx(theirs, abs=1e-9)


def test_cwl_eval_leaves_the_number_of_documents_of_bpm_where_it_is():
    grades = [0, 0, 1, 1]  # two disappointments: of 4 documents 3 are left, the third is the last
    theirs = BPMDCWLMetric(T=9, K=4, hb=0, hc=1).measure(
        Ranking("q", np.array(grades, dtype=float), np.ones(4))
    )
    assert theirs == pytest.approx(2 / 4)
    assert rr.score(rr.BPM(T=9, max_rel=1, hc=1) @ 4, grades) == pytest.approx(1 / 3)


def test_ir_measures_puts_what_was_not_returned_before_negative_scores():
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": -1.0}}
    assert ours("Compat(p=0.5)", qrels, run)["q"] == pytest.approx(1.25 / 1.5)  # ideal a, b
    (at,) = theirs("Compat(p=0.5)", qrels, run)
    assert at.value == pytest.approx(0.25 / 1.5)  # ideal b, a: the score of b counts as 0


def test_nearly_err_with_a_discount_has_err_above_the_line():
    qrels, run = drawn(3)
    # Gains of 0 or 1 stop as ERR's do where the highest grade satisfies surely.
    binary = {q: {d: float(g > 2) for d, g in of.items()} for q, of in qrels.items()}
    rate = ours("NERR9@10", binary, run)
    depth = ours("ExpectedDepth(model='NERR9')@10", binary, run)
    first = ours("RR@10", binary, run)
    for query, value in rate.items():
        assert value * depth[query] == pytest.approx(first[query])


# --- far beyond the list, and far above the usual grades -----------------------------------------


def harmonic(n):
    return math.log(n) + np.euler_gamma + 1 / (2 * n)


def of_logarithms(n):
    """Add 1 / log2(i + 1) over the places from 1 to n, by the integral li and what it leaves."""
    near = 100_000
    integral = [expi(math.log(place + 1.5)) for place in (near, n)]  # of 1 / ln(x + 1)
    first = math.fsum(1 / math.log2(i + 1) for i in range(1, near + 1))
    return first + math.log(2) * (integral[1] - integral[0])


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("SDCG(max_rel=1)", 1 / of_logarithms(MAX_CUTOFF)),
        ("nDCG(ideal='full')", 1 / of_logarithms(MAX_CUTOFF)),
        ("NERR8(max_rel=2)", 0.5 / (1 + (MAX_CUTOFF - 1) / 2)),  # half of the readers go on
        ("ExpectedDepth(model='NERR9', max_rel=2)", 1 + (harmonic(MAX_CUTOFF) - 1) / 2),
        ("AvgP", harmonic(MAX_CUTOFF) / MAX_CUTOFF),
        ("F(beta=100000)", (1 + 1e10) / (1e10 + MAX_CUTOFF)),
    ],
)
def test_a_cut_off_far_beyond_the_list_is_right(measure, value):
    assert rr.score(rr.parse(measure) @ MAX_CUTOFF, [1]) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("AvgP", harmonic(MAX_CUTOFF + 1) / (MAX_CUTOFF + 1)),
        ("SDCG(max_rel=1)", 1 / of_logarithms(MAX_CUTOFF + 1)),
    ],
)
def test_a_list_longer_than_any_cut_off_counts_whole_without_one(measure, value):
    ranking = [1, *[None] * MAX_CUTOFF]
    assert rr.score(rr.parse(measure), ranking) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("n", [100_000, 1_234_567])
@pytest.mark.parametrize("p", [0.5, 1 - 1e-6])
def test_sums_over_many_places_are_those_of_all_their_terms(n, p):
    weights = {  # and their sums
        (lambda i: p ** (i - 1.0)): (1 - p**n) / (1 - p),
        (lambda i: i): n * (n + 1) / 2,
        (lambda i: 1 / i): harmonic(n),
    }
    for weight, known in weights.items():
        at = pl.select(
            _attention.summed_up_to(pl.lit(pl.Series([n, None, 0, 1])), weight)
        ).to_series()
        assert at.to_list() == [pytest.approx(known, rel=1e-9), None, 0, weight(1.0)]
        assert _attention.sum_of_first(n, weight) == pytest.approx(at[0], rel=1e-12)


def test_a_grade_that_is_a_time_in_seconds_satisfies_most():
    # R = 2^(g - 2000), so that of the grades only the highest two are seen.
    assert rr.score(rr.ERR, [1999, 2000]) == 1 / 2 + 1 / 2 / 2
    assert rr.score(rr.nERR, [1999, 2000]) == 0.75 / 1
    assert rr.score(rr.ERR, [0, 1]) == 1 / 2 / 2


_ITEMS = {"item": ["a", "b", "c"], "category": ["x", "y", "y"], "feature": [0.0, 1.0, 2.0]}


@pytest.mark.slow
@pytest.mark.parametrize("measure", rr.catalogue(), ids=str)
def test_python_is_not_called_once_for_each_query(measure, monkeypatch):
    called = []
    map_batches = pl.Expr.map_batches

    def counted(expr, function, *args, **options):
        def noted(series):
            called.append(len(series))
            return function(series)

        return map_batches(expr, noted, *args, **options)

    monkeypatch.setattr(pl.Expr, "map_batches", counted)
    n_queries = 200
    qrels = {f"q{i}": {"a": {"s": 1}, "b": {"s": 0}} for i in range(n_queries)}
    run = {query: {"a": 1.0, "b": 1.0, "c": 1.0} for query in qrels}
    for ties in ("trec", "expected"):
        asked = []
        for plain in [measure, measure @ 2] if measure.takes_cutoff else [measure]:
            with suppress(rr.MeasureError):
                expression_of(plain, expected=ties == "expected")
                asked.append(plain)
        if asked:
            known = {"history": {q: ["a"] for q in qrels}, "items": pl.DataFrame(_ITEMS)}
            of = {"subtopics": True, "ties": ties, **known}
            rr.evaluate(qrels, {"mine": run}, asked, **of).summary()
    assert len(called) < n_queries / 4


# --- what must hold -------------------------------------------------------------------------------

SOME = st.lists(st.one_of(st.none(), st.integers(-1, 4)), max_size=20)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.integers(1, 20))
def test_an_ideal_list_has_a_normalised_err_of_1(grades, k):
    ideal = sorted(grades, reverse=True)
    value = rr.score(rr.nERR(max_grade=4) @ k, ideal)
    assert value == (1.0 if ideal[0] > 0 else 0.0)
    assert rr.score(rr.nERR(max_grade=4) @ k, grades) <= value
    assert rr.score(rr.Compat, ideal) == value


@given(SOME, st.integers(1, 25), st.sampled_from([0.3, 0.8, 0.95]))
def test_what_is_known_and_what_may_come_stay_within_1(ranking, k, p):
    for gain in ("binary", "linear", "exp"):
        top = {} if gain == "binary" else {"max_grade": 4}
        rbp = rr.score(rr.RBP(p=p, gain=gain, **top) @ k, ranking, [0])
        residual = rr.score(rr.RBPResidual(p=p) @ k, ranking, [0])
        assert rbp + residual <= 1 + 1e-12
        # What is judged cannot grow; all else may gain 1: the most that any judgments could give.
        best = [4 if grade is None else grade for grade in ranking] + [4] * 2000
        at_best = rr.score(rr.RBP(p=p, gain=gain, **top), best[:k] + [4] * 2000)
        assert rbp + residual == pytest.approx(at_best, abs=1e-9)


@given(st.lists(st.integers(0, 4), max_size=20), st.integers(1, 25))
def test_trec_evals_residual_is_0_where_all_is_judged(grades, k):
    assert rr.score(rr.RBPResidual(all_judged="zero"), grades, [1]) == 0
    assert rr.score(rr.RBPResidual(all_judged="zero") @ k, grades, [1]) == 0
    holed = [*grades, None]
    zero, tail = (rr.score(rr.RBPResidual(all_judged=a), holed, [1]) for a in ("zero", "tail"))
    assert zero == tail > 0


@given(SOME.filter(len), st.sampled_from(["INST", "NERR8", "NERR9", "NERR10", "NERR11", "BPM"]))
def test_rate_times_depth_is_no_more_than_all_there_is_to_gain(ranking, model):
    rate = rr.score(rr.parse(model)(max_rel=4), ranking, [0])
    depth = rr.score(rr.ExpectedDepth(model=model, max_rel=4), ranking, [0])
    gains = [max(0, grade or 0) / 4 for grade in ranking]
    assert depth >= 1 - 1e-12
    assert rate * depth <= sum(gains) + 1e-9


def test_a_reader_of_nothing_has_no_depth():
    assert rr.score(rr.ExpectedDepth, [], [1]) is None


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("RBP(p=0)", "p=0 must lie between"),
        ("RBP(max_grade=2)", "belong to gain='linear'"),
        ("RBP(max_of='query')", "belong to gain='linear'"),
        ("RBP(gain='linear', rel=2)", "rel=2 belongs to gain='binary'"),
        ("RBP(gain='linear', max_grade=2, max_of='query')", "no max_grade then"),
        ("RBP(gain='exp', max_grade=0)", "max_grade=0 must be above 0"),
        ("RBPResidual(p=1)", "p=1 must lie between"),
        ("nERR(max_grade=-1)", "max_grade=-1 must be above 0"),
        ("INST(T=0.2)", "T=0.2 must be at least 0.5"),
        ("INSQ(T=0)", "T=0 must be above 0"),
        ("INST(depth=2.5)", "depth=2.5 must be a whole number"),
        ("INSQ(depth=1000001)", "depth=1000001 must be a whole number from 1 to 1,000,000"),
        ("INST(min_rel=-1)", "min_rel=-1 must not be below 0"),
        ("INST(min_rel=2, max_rel=2)", "max_rel=2 must be above min_rel=2"),
        ("BPM(hc=1)", "give a k"),
        ("BPM(hb=-1)@3", "must not be negative"),
        ("BPM(gain_med=2)@3", "between 0 and 1"),
        ("NERR10(p=1)", "p=1 must lie between"),
        ("ExpectedDepth(p=0.5)", "p=0.5 is not of INST"),
        ("ExpectedDepth(model='NERR8', T=2)@9", "T=2 is not of NERR8"),
        ("Compat(p=1.5)", "p=1.5 must lie between"),
    ],
)
def test_contradictory_parameters_are_refused(measure, words):
    with pytest.raises(rr.MeasureError, match=words):
        rr.score(rr.parse(measure), [1])


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("rbp_resid", 'RBPResidual(p=0.9, all_judged="zero")'),
        ("NDCG-k@10", "SDCG@10"),
        ("NERR-EQ8@10", "NERR8@10"),
        ("INST(T=1.0, max_rel=4)", "INST(max_rel=4)"),
        ("BPM(T=2.0,min_rel=0,max_rel=4)@10", "BPM(T=2, max_rel=4)@10"),
        ("Compat(p=0.8,normalize=False)", "Compat(p=0.8, normalize=False)"),
    ],
)
def test_the_names_of_the_peers_are_read(text, canonical):
    assert str(rr.parse(text)) == canonical
