"""Means and bounds over all orders of equal scores, and lists without their unjudged documents."""

from __future__ import annotations

import random
import time
from itertools import combinations_with_replacement, permutations, product
from math import comb, factorial, prod

import ir_measures
import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, assume, example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score
from variants import variants

import rankreport as rr
from rankreport.evaluation.ranking import order_ties
from rankreport.measures import BEST, WORST, JudgedRows, expression_of

# --- every order of a list ------------------------------------------------------------------------

MOST_ORDERS = factorial(7)
SIZES = [  # of the blocks of a list, from the first place on
    sizes
    for n_blocks in range(1, 6)
    for some in combinations_with_replacement(range(1, 8), n_blocks)
    if sum(some) <= 9 and prod(map(factorial, some)) <= MOST_ORDERS
    for sizes in sorted(set(permutations(some)))
]
GRADES = st.sampled_from([1, None, 0, 2, 3, -1, 0.5, -2])


@st.composite
def tied_lists(draw, sizes=SIZES, n_grades=6):
    """Draw the grades of each block of equal scores, None if unjudged, and those not returned.

    The fewer different grades, the fewer orders there are to tell from each other.
    """
    grade = st.sampled_from(draw(st.lists(GRADES, min_size=1, max_size=n_grades, unique=True)))
    blocks = [tuple(draw(grade) for _ in range(size)) for size in draw(st.sampled_from(sizes))]
    unreturned = draw(st.lists(GRADES.filter(lambda grade: grade is not None), max_size=3))
    assume(unreturned or any(grade is not None for block in blocks for grade in block))
    return blocks, unreturned


def judged(lists, sizes, unreturned):
    """Make judged rows of lists of grades that have their blocks in common."""
    last = np.repeat(np.cumsum(sizes), sizes)
    size = np.repeat(sizes, sizes)
    n = len(last)
    rows = []
    for query, grades in enumerate(lists):
        for i, grade in enumerate(grades):
            places = i + 1, int(last[i] - size[i] + 1), int(last[i])
            rows.append((query, f"d{i:05}", grade, n, float(n - last[i]), *places))
        rows += [
            (query, f"u{i}", grade, n, None, None, None, None) for i, grade in enumerate(unreturned)
        ]
    names = ["query_id", "doc_id", "relevance", "n_retrieved", "score"]
    types = [pl.Int64, pl.String, pl.Float64, pl.UInt32, pl.Float64]
    places = dict.fromkeys(["rank", "tie_first", "tie_last"], pl.UInt32)
    schema = {**dict(zip(names, types, strict=True)), **places}
    frame = pl.DataFrame(rows, schema=schema, orient="row").drop_nulls("relevance")
    return frame.select(
        pl.lit("mine").alias("system"),
        pl.col("query_id").cast(pl.String).str.zfill(5),
        pl.exclude("query_id"),
        pl.col("relevance").max().alias("top_grade"),
    )


def values(frames, measures, **options):
    """Return for each frame what each measure gives: a column for each, a row for each query."""
    numbered = [
        frame.with_columns(pl.format(f"{i:03} {{}}", "query_id").alias("query_id"))
        for i, frame in enumerate(frames)
    ]
    found = JudgedRows(pl.concat(numbered), **options).of_queries(measures).drop("system")
    of_frame = pl.col("query_id").str.head(3)
    parts = found.with_columns(of_frame).partition_by("query_id", include_key=False)
    assert len(parts) == len(numbered)
    return parts


def every_order(blocks, unreturned):
    """Make the rows of each order of the blocks.

    Orders in which documents of one grade change places are one to a measure, and every order that
    is left stands for equally many of all.
    """
    orders = product(*(sorted(set(permutations(b)), key=str) for b in blocks))
    lists = [[grade for block in order for grade in block] for order in orders]
    return judged(lists, list(map(len, blocks)), unreturned)


def one_order(blocks, unreturned):
    lists = [[grade for block in blocks for grade in block]]
    return judged(lists, list(map(len, blocks)), unreturned)


def expected(measure, blocks, unreturned=()):
    rows = one_order(blocks, list(unreturned))
    return values([rows], [rr.parse(measure)], expected=True)[0].item()


# --- which measures -------------------------------------------------------------------------------

CUTS = (1, 2, 3, 5, 8)
MORE = [
    *("AP(over='returned')", "AP(rel=2, over='returned')", "AP(over='min')", "AP(rel=2)"),
    *("RR(rel=2)", "Success(rel=3)", "AvgP(rel=2)", "P(rel=0)", "AP(rel=-1)"),
    *(f"nDCG(ideal='{ideal}')" for ideal in ("judged", "returned", "uncut")),
    *("nDCG(gain='exp')", "DCG(discount='jarvelin', base=3)", "CG(gains={1: 1, 2: 4, 3: 10})"),
    *("RBP(p=0.5)", "F(beta=2)", "R", "P"),
]
DOCUMENTS = [
    measure
    for plain in rr.catalogue()
    if plain.declaration.rows == "documents"
    for measure in [*variants(plain), *(plain @ k for k in CUTS if plain.takes_cutoff)]
]
DOCUMENTS += [rr.parse(text) for text in MORE]
DOCUMENTS += [rr.parse(text) @ k for text in MORE for k in CUTS]


def can_be_had(measure, **options):
    try:
        expression_of(measure, **options)
    except rr.MeasureError:
        return False
    return True


DOCUMENTS = [measure for measure in dict.fromkeys(DOCUMENTS) if can_be_had(measure)]
WITH_MEAN = [measure for measure in DOCUMENTS if can_be_had(measure, expected=True)]
BOUNDED = [measure for measure in DOCUMENTS if measure.moves == "up"]
UNMOVED = [measure for measure in DOCUMENTS if measure.moves == "none"]

PROMISED = [
    *("P", "R", "F", "Success", "RR", "AP", "AvgP", "Rprec"),
    *("CG", "DCG", "iDCG", "nDCG", "RBP"),
]


def same(value, other):
    """Whether two values, or two nulls, are equal but for rounding."""
    if value is None or other is None:
        return value is other
    return value == pytest.approx(other, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("name", PROMISED)
def test_the_mean_is_known_for_every_parameter_but_judged_only(name):
    of_name = [measure for measure in DOCUMENTS if measure.name == name]
    unknown = [measure for measure in of_name if measure not in WITH_MEAN]
    lacking = [each for each in of_name if each.parameter("judged_only") or is_of_returned(each)]
    assert unknown == lacking


def is_of_returned(measure):
    """Whether it averages over what is returned above a cut-off, which depends on the order."""
    return (
        measure.parameter("over") == "returned" and measure.name == "AP" and measure.k is not None
    )


def test_the_mean_of_average_precision_of_what_is_returned_above_a_cut_off_is_refused():
    with pytest.raises(rr.MeasureError, match=r"not known with over='returned' and a cut-off"):
        expected("AP(over='returned')@1", [(1, 0)])


# --- the mean, and the bounds, are those of the orders --------------------------------------------


SEVERAL = st.lists(tied_lists(), min_size=1, max_size=4)
OF_FEW_GRADES = st.lists(tied_lists(n_grades=3), min_size=1, max_size=4)
EXAMPLES = settings.default.max_examples
WITHOUT_SHRINKING = [Phase.explicit, Phase.reuse, Phase.generate]
"""Every smaller example costs all measures for all orders again: minutes in all."""


@given(SEVERAL)
@settings(max_examples=EXAMPLES // 4, phases=WITHOUT_SHRINKING)
def test_the_expected_value_is_the_mean_over_all_orders(collections):
    orders = values([every_order(*each) for each in collections], WITH_MEAN)
    means = values([one_order(*each) for each in collections], WITH_MEAN, expected=True)
    for of_each_order, mean in zip(orders, means, strict=True):
        for measure in map(str, WITH_MEAN):
            some = of_each_order[measure]
            assert some.null_count() in (0, len(some)), measure
        names = map(str, WITH_MEAN)
        wrong = [m for m in names if not same(mean[m].item(), of_each_order[m].mean())]
        assert not wrong


@pytest.mark.slow
@given(st.lists(tied_lists(n_grades=3), min_size=4, max_size=7))  # one evaluation, for speed
@example([([(2, 1, None), (0, 1, 3, 2)], [1])])
@settings(max_examples=EXAMPLES // 8, phases=WITHOUT_SHRINKING)
def test_no_order_is_above_the_best_or_below_the_worst(collections):
    lists = [one_order(*each) for each in collections]
    frames = [every_order(*each) for each in collections]
    frames += [order_ties(rows, rule) for rule in (BEST, WORST) for rows in lists]
    found = values(frames, BOUNDED)
    parts = (found[at :: len(lists)] for at in range(len(lists)))
    for of_each_order, highest, lowest in parts:
        names = list(map(str, BOUNDED))
        exceeded = [m for m in names if not same(highest[m].item(), of_each_order[m].max())]
        undercut = [m for m in names if not same(lowest[m].item(), of_each_order[m].min())]
        assert (exceeded, undercut) == ([], [])


@given(OF_FEW_GRADES)
@settings(max_examples=EXAMPLES // 2, phases=WITHOUT_SHRINKING)
def test_the_order_does_not_matter_to_a_measure_that_says_so(collections):
    for of_each_order in values([every_order(*each) for each in collections], UNMOVED):
        for measure in map(str, UNMOVED):
            some = of_each_order[measure]
            assert some.null_count() in (0, len(some)), measure
            assert same(some.min(), some.max()), measure


@pytest.mark.slow
@given(st.lists(tied_lists(sizes=[(1,) * n for n in range(1, 10)]), min_size=10, max_size=14))
@settings(max_examples=EXAMPLES // 20, phases=WITHOUT_SHRINKING)
def test_without_ties_the_expected_value_is_the_value(collections):
    lists = [one_order(*each) for each in collections]
    plain, means = values(lists, WITH_MEAN), values(lists, WITH_MEAN, expected=True)
    for value, mean in zip(plain, means, strict=True):
        wrong = [m for m in value.columns if not same(mean[m].item(), value[m].item())]
        assert not wrong


@pytest.mark.slow
@given(st.lists(tied_lists(), min_size=2, max_size=3))
@settings(max_examples=EXAMPLES // 20, phases=WITHOUT_SHRINKING)
def test_a_list_among_others_has_the_mean_it_has_alone(collections):
    lists = [one_order(*each) for each in collections]
    together = values(lists, WITH_MEAN, expected=True)
    for rows, among_others in zip(lists, together, strict=True):
        (alone,) = values([rows], WITH_MEAN, expected=True)
        assert alone.equals(among_others)


# --- worked by hand -------------------------------------------------------------------------------

WORKED = [  # measure, blocks of equal scores, grades not returned, mean
    ("AP", [(1, 0)], [], (1 + 1 / 2) / 2),
    ("RR", [(1, 0)], [], (1 + 1 / 2) / 2),
    ("P@2", [(1, 0, None)], [], 2 / 3 / 2),  # above the cut in 2 of 3 orders
    ("R@2", [(1, 0, None)], [], 2 / 3),
    ("R@2", [(1, 0, None)], [1], 2 / 3 / 2),
    ("F@2", [(1, 0, None)], [], 2 / 3 * (2 / 3)),  # where found, P = 1/2, R = 1, F = 2/3
    ("Success@2", [(1, 0, None)], [], 2 / 3),
    ("RR@2", [(1, 0, None)], [], (1 + 1 / 2 + 0) / 3),
    ("AP@2", [(1, 0, None)], [], (1 + 1 / 2 + 0) / 3),
    # 110 -> (1/1 + 2/2)/2, 101 -> (1 + 2/3)/2, 011 -> (1/2 + 2/3)/2
    ("AP", [(1, 1, 0)], [], (1 + 5 / 6 + 7 / 12) / 3),
    ("AP(over='min')@2", [(1, 1, 0)], [1], (1 + 1 / 2 + 1 / 4) / 3),
    ("RR", [(0,), (1, 1, 0)], [], (1 / 2 + 1 / 2 + 1 / 3) / 3),
    ("Success@2", [(1, 1, 0, 0)], [], 5 / 6),  # of the 6 pairs above the cut, one has none
    ("Success@2", [(0,), (1, 1, 0, 0)], [], 1 / 2),
    ("Rprec", [(1, 1, 0)], [], 2 * 2 / 3 / 2),
    ("AvgP@2", [(1, 0)], [], ((1 + 1 / 2) / 2 + (0 + 1 / 2) / 2) / 2),
    ("CG@1", [(3, 1)], [], 2.0),
    ("DCG", [(3, 0, 0)], [], (3 + 3 / np.log2(3) + 3 / 2) / 3),
    ("nDCG@1", [(3, 0)], [], 1 / 2),
    ("RBP(p=0.5)", [(1, 0)], [], (1 / 2 + 1 / 4) / 2),
]


@pytest.mark.parametrize(("measure", "blocks", "unreturned", "mean"), WORKED)
def test_the_mean_worked_by_hand(measure, blocks, unreturned, mean):
    assert expected(measure, blocks, unreturned) == pytest.approx(mean, rel=1e-14)


def test_an_evaluation_gives_the_mean_and_the_bounds():
    qrels = {"q": {"a": 1, "c": 2}}
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}
    found = {
        ties: rr.evaluate(qrels, {"mine": run}, ["RR", "nDCG@1"], ties=ties).summary().row(0)[1:]
        for ties in ("best", "worst", "expected")
    }
    assert found["best"] == (1.0, 1.0)
    assert found["worst"] == (1 / 2, 0.0)
    assert found["expected"] == pytest.approx(((1 + 1 + 1 / 2) / 3, (2 / 2 + 1 / 2 + 0) / 3))


# --- where the bounds are none --------------------------------------------------------------------


def test_a_relevant_document_that_comes_in_may_lower_the_mean_of_those_returned():
    assert (rr.AP(over="returned") @ 4).moves == "either"
    assert rr.AP(over="returned").moves == rr.AP(over="min").moves == (rr.AP @ 4).moves == "up"
    below, above = [1, 0, 0, 0, 1], [1, 0, 0, 1, 0]
    measure = rr.AP(over="returned") @ 4
    assert rr.score(measure, below) == 1.0 > rr.score(measure, above) == 0.75


@pytest.mark.parametrize("gains", [{1: 1, 2: 4, 3: 10}, {3: 3}, {2: 0}, {1: 10}])
def test_with_a_table_of_gains_no_bounds_are_known(gains):
    for measure in (rr.CG, rr.DCG, rr.nDCG @ 5, rr.RnDCG):
        assert measure(gains=gains).moves == "either"
        assert measure.moves == measure(gain="exp").moves == "up"
    # The table does not name grade 2, which gains less than grade 1 by it.
    assert rr.score(rr.DCG(gains={1: 10}) @ 1, [1, 2]) == 10
    assert rr.score(rr.DCG(gains={1: 10}) @ 1, [2, 1]) == 2


# --- agreement with scikit-learn, which takes the mean over ties ----------------------------------


def test_gain_agrees_with_scikit_learn_where_scores_are_tied():
    draw = np.random.default_rng(0)
    for n in (2, 3, 10, 60):
        for k in (None, 1, 4, n):
            grades = draw.integers(0, 5, n)
            scores = draw.integers(0, max(2, n // 4), n)
            qrels = {"q": {f"d{i}": int(grade) for i, grade in enumerate(grades)}}
            run = {"q": {f"d{i}": float(score) for i, score in enumerate(scores)}}
            measures = [rr.DCG(k=k), rr.nDCG(k=k, ideal="returned")]
            ours = rr.evaluate(qrels, {"mine": run}, measures, ties="expected").summary()
            theirs = [f([grades], [scores], k=k) for f in (dcg_score, ndcg_score)]
            assert ours.row(0)[1:] == pytest.approx(theirs, rel=1e-12)


# --- long blocks ----------------------------------------------------------------------------------


def tied_run(n, relevant):
    """Make a list of n documents of one score, 1 in so many of the judged half relevant."""
    grades = [1.0] * relevant + [0.0] * (n // 2 - relevant) + [None] * (n - n // 2)
    return one_order([tuple(grades)], [1.0] * 5)


def test_a_run_of_ten_thousand_ties_is_no_trouble():
    rows = tied_run(10_000, 100)
    for measure in WITH_MEAN:
        start = time.perf_counter()
        value = values([rows], [measure], expected=True)[0].item()
        assert time.perf_counter() - start < 1, measure
        if value is not None:
            low, high = measure.declaration.range
            assert low is None or value >= low, measure
            assert high is None or value <= high, measure
            assert np.isfinite(value), measure


def test_long_blocks_have_the_means_of_whole_number_arithmetic():
    n, r = 2_000, 30
    block = (1.0,) * r + (0.0,) * (n - r)
    first_at = [comb(n - j, r - 1) / comb(n, r) for j in range(1, n + 1)]
    reciprocal = sum(chance / j for j, chance in enumerate(first_at, 1))
    assert expected("RR", [block]) == pytest.approx(reciprocal, rel=1e-12)
    above = sum(chance / j for j, chance in enumerate(first_at[:50], 1))
    assert expected("RR@50", [block]) == pytest.approx(above, rel=1e-12)
    some = 1 - comb(n - r, 50) / comb(n, 50)
    assert expected("Success@50", [block]) == pytest.approx(some, rel=1e-12)
    places = range(1, n + 1)
    precision = sum((1 + (i - 1) * (r - 1) / (n - 1)) / i for i in places) / n
    assert expected("AP", [block]) == pytest.approx(precision, rel=1e-12)


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_a_pair_far_down_a_long_list_loses_no_digits(depth):
    rows = pl.DataFrame(
        {
            "system": "mine",
            "query_id": "q",
            "doc_id": ["a", "b"],
            "relevance": [1.0, 0.0],
            "score": 0.0,
            "rank": [depth + 1, depth + 2],
            "tie_first": depth + 1,
            "tie_last": depth + 2,
            "n_retrieved": depth + 2,
            "top_grade": 1.0,
        }
    ).cast(dict.fromkeys(["rank", "tie_first", "tie_last", "n_retrieved"], pl.UInt32))
    pair = np.array([depth + 1, depth + 2])
    worked = {
        "RR": (1 / pair).mean(),
        "AP": (1 / pair).mean(),
        "DCG": (1 / np.log2(pair + 1)).mean(),
    }
    (means,) = values([rows], list(map(rr.parse, worked)), expected=True)
    for measure, mean in worked.items():
        assert means[measure].item() == pytest.approx(mean, rel=1e-12), measure


# --- judged documents only ------------------------------------------------------------------------


JUDGED_ONLY = {
    rr.P(judged_only=True) @ 3: ir_measures.P(judged_only=True) @ 3,
    rr.P(judged_only=True, rel=2) @ 10: ir_measures.P(judged_only=True, rel=2) @ 10,
    rr.P(judged_only=True): ir_measures.SetP(judged_only=True),
    rr.F(judged_only=True): ir_measures.SetF(judged_only=True),
    rr.R(judged_only=True) @ 3: ir_measures.R(judged_only=True) @ 3,
    rr.R(judged_only=True, rel=2) @ 5: ir_measures.R(judged_only=True, rel=2) @ 5,
    rr.RR(judged_only=True): ir_measures.RR(judged_only=True),
    rr.RR(judged_only=True, rel=3): ir_measures.RR(judged_only=True, rel=3),
    rr.AP(judged_only=True): ir_measures.AP(judged_only=True),
    rr.AP(judged_only=True, rel=2) @ 4: ir_measures.AP(judged_only=True, rel=2) @ 4,
    rr.nDCG(judged_only=True): ir_measures.nDCG(judged_only=True),
    rr.nDCG(judged_only=True) @ 4: ir_measures.nDCG(judged_only=True) @ 4,
    rr.Rprec(judged_only=True): ir_measures.Rprec(judged_only=True),
    rr.Rprec(judged_only=True, rel=2): ir_measures.Rprec(judged_only=True, rel=2),
    rr.Success(judged_only=True) @ 2: ir_measures.Success(judged_only=True) @ 2,
}


@pytest.mark.parametrize("seed", range(5))
def test_lists_without_their_unjudged_documents_agree_with_ir_measures(seed):
    draw = random.Random(seed)
    names = [f"d{i:02}" for i in range(30)]
    qrels = {
        f"q{i}": {d: draw.choice([0, 0, 1, 2, 3]) for d in draw.sample(names, draw.randint(1, 20))}
        for i in range(20)
    }
    run = {
        q: dict(zip(draw.sample(names, 15), draw.sample(range(100), 15), strict=True))
        for q in qrels
    }
    ours = rr.evaluate(qrels, {"mine": run}, list(JUDGED_ONLY)).per_query()
    for measure, theirs in JUDGED_ONLY.items():
        found = {
            each.query_id: each.value
            for each in ir_measures.pytrec_eval.iter_calc([theirs], qrels, run)
        }
        assert found.keys() == set(ours["query_id"])
        for query, value in ours.select("query_id", str(measure)).rows():
            assert value == pytest.approx(found[query], abs=1e-12), (measure, query)


@pytest.mark.parametrize(
    ("measure", "ranking", "unreturned", "value"),
    [
        (rr.P, [None, 1, None, 0], [1], 1 / 2),  # 1 of the 2 judged that were returned
        (rr.P @ 3, [None, 1, None, 0], [1], 1 / 3),
        (rr.F, [None, 1, None, 0], [1], 1 / 2),
        (rr.R @ 1, [None, 1, None, 0], [1], 1 / 2),
        (rr.RR, [None, 0, None, 1], [], 1 / 2),
        (rr.RR @ 1, [None, None, 1], [], 1.0),
        (rr.Success @ 1, [None, None, 1], [], 1.0),
        (rr.AP, [None, 1, None, 0, 1], [1], (1 + 2 / 3) / 3),
        (rr.AP(over="returned") @ 2, [None, 1, None, 0, 1], [1], 1.0),
        (rr.AvgP, [None, 1, None, 0], [], (1 + 1 / 2) / 2),
        (rr.AvgP @ 3, [None, 1, None, 0], [], (1 + 1 / 2 + 1 / 3) / 3),
        (rr.Rprec, [None, 1, None, 0, 1], [], 1 / 2),
        (rr.nDCG @ 1, [None, 2, 1], [], 1.0),
        (rr.P @ 1, [None, None], [1], 0.0),
        # A negative grade was pooled, not judged: it leaves the list, as under trec_eval -J.
        (rr.RR, [-1, None, 1], [], 1.0),
        (rr.P, [-1, None, 1], [], 1.0),
        (rr.AP, [-2, 1, -1, 1], [], 1.0),
        (rr.nDCG, [-1, 2, -1, 1], [], 1.0),
    ],
    ids=str,
)
def test_a_list_without_its_unjudged_documents_worked_by_hand(measure, ranking, unreturned, value):
    condensed = measure(judged_only=True)
    assert rr.score(condensed, ranking, unreturned) == pytest.approx(value, abs=1e-15)


@given(tied_lists())
def test_where_all_is_judged_a_list_without_the_unjudged_is_the_list(collection):
    blocks, unreturned = collection
    whole = [tuple(max(grade or 0, 0) for grade in block) for block in blocks]
    both = [m for m in DOCUMENTS if m.parameter("judged_only")]
    assert {m.name for m in both} >= {*PROMISED[:8], "DCG", "nDCG"}
    plain = [measure(judged_only=False) for measure in both]
    (rows,) = values([one_order(whole, unreturned)], [*both, *plain])
    for measure in both:
        of_list = rows[str(measure(judged_only=False))].item()
        assert same(rows[str(measure)].item(), of_list), measure


CONDENSED = [m for m in DOCUMENTS if m.parameter("judged_only") and m.moves != "none"]


@pytest.mark.parametrize("measure", CONDENSED, ids=str)
def test_the_mean_over_ties_of_a_list_without_its_unjudged_documents_is_refused(measure):
    with pytest.raises(rr.MeasureError, match="Use ties='trec'"):
        rr.evaluate({"q": {"a": 1}}, {"mine": {"q": {"a": 1}}}, [measure], ties="expected")
