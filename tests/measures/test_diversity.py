"""The measures of diversity, and judgments of subtopics from file to value."""

from __future__ import annotations

import itertools
import math
import random

import polars as pl
import pyndeval
import pytest
from drawn import identifiers, scores
from hypothesis import given, settings
from hypothesis import strategies as st

import rankreport as rr
from rankreport.measures import expression_of

# --- worked by hand -------------------------------------------------------------------------------

TEXTBOOK = [
    set(subtopics.split())
    for subtopics in (
        "before mid after",  # a
        "mid after",  # b
        "before after",  # c
        "none mid",  # d
        "before none",  # e
        "before after",  # f
        "mid after",  # g
    )
]


def test_the_textbook_list():
    # gains: a 1+1+1, b 1/2+1/2, c 1/2+1/4, d 1+1/4, e 1/4+1/2, f 1/8+1/8, g 1/8+1/16
    gains = [3, 1, 0.75, 1.25, 0.75, 0.25, 0.1875]
    by_hand = sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))
    # The greedy ideal is a e g d f c b, the larger of e and d (1 + 1/2), of g, d and b (1/2 + 1/2),
    # of f and c (1/4 + 1/4): 3, 1+1/2, 1/2+1/2, 1/2+1/4, 1/4+1/4, 1/8+1/8, 1/8+1/16.
    ideal = [3, 1.5, 1, 0.75, 0.5, 0.25, 0.1875]
    ideal_by_hand = sum(gain / math.log2(place + 1) for place, gain in enumerate(ideal, 1))
    found = rr.score(rr.alpha_DCG(norm=False) @ 7, TEXTBOOK)
    share = rr.score(rr.alpha_nDCG @ 7, TEXTBOOK)
    assert found == pytest.approx(by_hand, abs=1e-12) == pytest.approx(4.985967, abs=5e-7)
    assert found / share == pytest.approx(ideal_by_hand) == pytest.approx(5.114380, abs=5e-7)
    assert share == pytest.approx(0.974892, abs=5e-7)


def test_before_the_sixth_document_both_its_subtopics_were_seen_three_times():
    sixth, fifth = (rr.score(rr.alpha_DCG(norm=False) @ k, TEXTBOOK) for k in (6, 5))
    assert (sixth - fifth) * math.log2(7) == pytest.approx(2 * 0.5**3)


LIST = [{"a", "b"}, None, {"a"}, {"c"}]  # the second is not judged
REST = [{"a", "b", "c"}]
PRINTED = [
    ("alpha_DCG(norm=False)", 2 + 0.5 / 2 + 1 / math.log2(5)),
    ("alpha_DCG(norm=False, alpha=0)@3", 2 + 1 / 2),
    ("alpha_DCG(norm=False, alpha=1)", 2 + 1 / math.log2(5)),
    ("alpha_DCG(norm=False, judged_only=True)", 2 + 0.5 / math.log2(3) + 1 / 2),
    ("alpha_DCG(norm=False, judged_only=True)@2", 2 + 0.5 / math.log2(3)),
    # of 3 subtopics, 3 and 3/2 are the most at the first two places
    ("alpha_DCG@2", 2 / (3 + 1.5 / math.log2(3))),
    ("alpha_DCG@1", 2 / 3),
    # the ideal begins with all three, then a and b, and then either single one
    ("alpha_nDCG@2", 2 / (3 + 1 / math.log2(3))),
    ("alpha_nDCG@3", 2.25 / (3 + 1 / math.log2(3) + 0.5 / 2)),
    ("ERR_IA(norm=False)", 2 + 0.5 / 3 + 1 / 4),
    ("ERR_IA(norm=False, judged_only=True)@2", 2 + 0.5 / 2),
    ("ERR_IA@3", (2 + 0.5 / 3) / (3 + 1.5 / 2 + 0.75 / 3)),
    ("ERR_IA", (2 + 0.5 / 3 + 1 / 4) / (3 + 1.5 / 2 + 0.75 / 3 + 0.375 / 4)),
    ("nERR_IA@2", 2 / (3 + 1 / 2)),
    ("NRBP(norm=False)", 2 + 0.5 * 0.25 + 1 * 0.125),
    ("NRBP", (2 + 0.5 * 0.25 + 1 * 0.125) * (1 - 0.25) / 3),
    ("NRBP(beta=0)", 2 / 3),
    ("NRBP(alpha=0.2, beta=0.9)", (2 + 0.8 * 0.81 + 0.729) * (1 - 0.72) / 3),
    ("nNRBP", 2.25 / (3 + 1 * 0.5 + 0.5 * 0.25 + 0.25 * 0.125)),  # worth at the end: c 1/2, a 1/4
    ("AP_IA", ((1 + 2 / 3) / 3 + 1 / 2 + (1 / 4) / 2) / 3),
    ("AP_IA(judged_only=True)", ((1 + 2 / 2) / 3 + 1 / 2 + (1 / 3) / 2) / 3),
    ("P_IA@3", 3 / 9),
    ("P_IA", 4 / 12),
    ("P_IA(judged_only=True)", 4 / 9),
    ("P_IA(judged_only=True)@2", 3 / 6),
    ("P_IA@8", 4 / 24),
    ("P_IA@1000000", 4 / 3e6),
    ("ERR_IA@1000000", (2 + 0.5 / 3 + 1 / 4) / (3 * 2 * math.log(2))),  # 2^(1-i) / i: 2 ln 2
    ("StRecall@3", 2 / 3),
    ("StRecall", 1),
]


@pytest.mark.parametrize(("measure", "value"), PRINTED)
def test_a_measure_gives_the_value_worked_by_hand(measure, value):
    assert rr.score(rr.parse(measure), LIST, REST) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("name", "second_gain"), [("a", 2), ("z", 1)])
def test_the_ideal_takes_the_largest_of_equal_ids(name, second_gain):
    # Each adds 2 at first. After 12, either other adds 1 alone; after 24 or 13, the other adds 2.
    qrels = {"q": {name: {"1": 1, "2": 1}, "b": {"1": 1, "3": 1}, "c": {"2": 1, "4": 1}}}
    run = {"q": {"c": 2, "b": 1}}
    ideal = 2 + second_gain / math.log2(3)
    found = value(qrels, run, rr.alpha_nDCG(alpha=1) @ 2)
    assert found == pytest.approx((2 + 2 / math.log2(3)) / ideal)


def test_a_list_may_beat_the_greedy_ideal():
    # A (4) and then 1 more, against B (3) and then 3 more; at most e / (e - 1) of the ideal.
    large, left, right = {1, 2, 3, 4}, {1, 2, 5}, {3, 4, 6}
    names = [{str(n) for n in each} for each in (left, right, large)]
    found = rr.score(rr.alpha_nDCG(alpha=1) @ 2, names)
    assert found == pytest.approx((3 + 3 / math.log2(3)) / (4 + 1 / math.log2(3)))
    assert 1 < found < math.e / (math.e - 1)


def test_a_grade_below_rel_is_as_none_at_all():
    qrels = {"q": {"a": {"x": 1, "y": 2}, "b": {"x": 2}, "c": {"z": 1}}}
    run = {"q": {"a": 3, "b": 2, "c": 1}}
    high = {"q": {"a": {"y": 1}, "b": {"x": 1}, "c": {"z": 0}}}
    for measure in FAMILY:
        assert value(qrels, run, measure(rel=2)) == value(high, run, measure)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (rr.alpha_nDCG(alpha=1.1), "alpha=1.1 must lie between 0 and 1"),
        (rr.ERR_IA(alpha=-0.1), "alpha=-0.1 must lie"),
        (rr.NRBP(beta=1), "beta=1 must be 0 or more, and below 1"),
    ],
    ids=str,
)
def test_parameters_beyond_their_range_are_refused(measure, words):
    with pytest.raises(rr.MeasureError, match=words):
        expression_of(measure)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("alpha-nDCG@20", "alpha_nDCG@20"),
        ("α_nDCG@20", "alpha_nDCG@20"),
        ("α_DCG(alpha=0.9)@5", "alpha_DCG(alpha=0.9)@5"),
        ("ERR-IA@20", "ERR_IA@20"),
        ("nERR-IA@5", "nERR_IA@5"),
        ("MAP-IA", "AP_IA"),
        ("MAP_IA", "AP_IA"),
        ("P-IA@10", "P_IA@10"),
        ("strec@10", "StRecall@10"),
    ],
)
def test_names_of_ndeval_and_ir_measures_are_read(text, canonical):
    assert str(rr.parse(text)) == canonical


# --- drawn at random ------------------------------------------------------------------------------

FAMILY = [measure for measure in rr.catalogue() if measure.declaration.family == "diversity"]
GREEDY = [rr.alpha_nDCG, rr.nERR_IA, rr.nNRBP]
ALPHAS = st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0])


def evaluated(qrels, run, measures, **options):
    return rr.evaluate(qrels, {"mine": run}, measures, subtopics=True, **options).per_query()


def value(qrels, run, measure, **options):
    return evaluated(qrels, run, [measure], **options)[str(measure)].item()


@st.composite
def collections(draw, subtopics=("1", "2", "3", "10")):
    """Draw judgments of subtopics and a run, with ties and gaps."""
    queries = draw(st.lists(identifiers, min_size=1, max_size=3, unique=True))
    documents = draw(st.lists(identifiers, min_size=2, max_size=9, unique=True))
    grades = st.dictionaries(st.sampled_from(subtopics), st.integers(-1, 2), min_size=1)
    judged = st.dictionaries(st.sampled_from(documents), grades, min_size=1)
    ranked = st.dictionaries(st.sampled_from(documents), scores, min_size=1)
    return {q: draw(judged) for q in queries}, {q: draw(ranked) for q in queries}


lists = st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=1, max_size=8)


def pyndeval_values(qrels, run, measures, **options):
    rows = [
        (query, subtopic, document, grade)
        for query, documents in qrels.items()
        for document, grades in documents.items()
        for subtopic, grade in grades.items()
    ]
    # Equal scores: it takes the smaller document id first, so that they are made unequal here.
    in_order = {
        q: sorted(found, key=lambda d: (found[d], d.encode()), reverse=True)
        for q, found in run.items()
    }
    ranked = [(q, d, -float(i)) for q, order in in_order.items() for i, d in enumerate(order)]
    return pyndeval.RelevanceEvaluator(rows, measures, **options).evaluate(ranked)


THEIRS = {
    "alpha-DCG@2": "alpha_DCG@2",
    "alpha-DCG@20": "alpha_DCG@20",
    "alpha-nDCG@1": "alpha_nDCG@1",
    "alpha-nDCG@3": "alpha_nDCG@3",
    "alpha-nDCG@20": "alpha_nDCG@20",
    "ERR-IA@2": "ERR_IA@2",
    "ERR-IA@20": "ERR_IA@20",
    "nERR-IA@1": "nERR_IA@1",
    "nERR-IA@20": "nERR_IA@20",
    "NRBP": "NRBP",
    "nNRBP": "nNRBP",
    "P-IA@1": "P_IA@1",
    "P-IA@3": "P_IA@3",
    "P-IA@20": "P_IA@20",
    "MAP-IA": "AP_IA",
    "strec@1": "StRecall@1",
    "strec@20": "StRecall@20",
}


@given(
    collections(),
    st.sampled_from([0.25, 0.5, 0.75, 1.0]),
    st.sampled_from([0.3, 0.5]),
    st.sampled_from([1, 2]),
)
@settings(max_examples=settings.default.max_examples * 3 // 2)
def test_pyndeval_agrees(collection, alpha, beta, rel):
    qrels, run = collection
    theirs = pyndeval_values(qrels, run, THEIRS, alpha=alpha, beta=beta, relevance_level=rel)
    given_to_all = {"alpha": alpha, "beta": beta, "rel": rel}
    measures = {}
    for name, text in THEIRS.items():
        plain = rr.parse(text)
        takes = plain.declaration.parameters
        measures[name] = plain(**{p: v for p, v in given_to_all.items() if p in takes})
    rows = evaluated(qrels, run, measures.values()).rows_by_key("query_id", named=True, unique=True)
    for query, row in rows.items():
        for name, measure in measures.items():
            expected = theirs[query][name]
            if math.isnan(expected):  # it divides by 0 where nothing is relevant
                assert row[str(measure)] == 0
            else:
                assert row[str(measure)] == pytest.approx(expected, abs=1e-9), measure


@given(collections())
def test_pyndeval_agrees_on_lists_without_their_unjudged_documents(collection):
    qrels, run = collection
    judged = {q: {d: s for d, s in found.items() if d in qrels[q]} for q, found in run.items()}
    theirs = pyndeval_values(qrels, judged, THEIRS)
    all_measures = {name: rr.parse(text) for name, text in THEIRS.items()}
    measures = {
        name: measure(judged_only=True)
        for name, measure in all_measures.items()
        if "judged_only" in measure.declaration.parameters
    }
    for row in evaluated(qrels, run, measures.values()).iter_rows(named=True):
        for name, measure in measures.items():
            expected = theirs.get(row["query_id"], {}).get(name, 0.0)
            assert row[str(measure)] == pytest.approx(expected, abs=1e-9), measure


def test_pyndeval_leaves_the_first_place_as_it_is():
    # It divides by the best of all lists from the second place on; ours divides everywhere.
    qrels, run = {"q": {"d": {"a": 1, "b": 1}, "e": {"c": 1}}}, {"q": {"d": 1}}
    theirs = pyndeval_values(qrels, run, ["alpha-DCG@1", "ERR-IA@1", "alpha-DCG@2"])["q"]
    assert theirs["alpha-DCG@1"] == theirs["ERR-IA@1"] == 2
    assert value(qrels, run, rr.alpha_DCG @ 1) == value(qrels, run, rr.ERR_IA @ 1) == 2 / 3
    assert theirs["alpha-DCG@2"] == pytest.approx(value(qrels, run, rr.alpha_DCG @ 2))


def test_pyndeval_takes_the_smaller_of_equal_scores_first():
    qrels, run = {"q": {"d": {"a": 1}, "e": {"a": 0}}}, {"q": {"d": 1, "e": 1}}
    tied = [("q", "d", 1.0), ("q", "e", 1.0)]
    theirs = pyndeval.ndeval([("q", "a", "d", 1), ("q", "a", "e", 0)], tied, ["P-IA@1"])
    assert theirs["q"]["P-IA@1"] == 1
    assert value(qrels, run, rr.P_IA @ 1) == 0


@given(collections())
def test_values_lie_within_the_declared_range(collection):
    measures = [*FAMILY, *(m @ 2 for m in FAMILY if m.takes_cutoff)]
    rows = evaluated(*collection, measures)
    for measure in measures:
        low, high = measure.declaration.range
        if high is None:  # without a bound only if it is not normalised
            high = 1
        assert rows[str(measure)].is_between(low, high).all(), measure


@given(lists, st.sampled_from([0.3, 0.5, 1.0]))
def test_no_order_beats_the_greedy_ideal_by_more_than_its_bound(documents, alpha):
    orders = itertools.islice(itertools.permutations(range(len(documents))), 0, None, 997)
    run = {
        f"q{number}": {str(d): -place for place, d in enumerate(order)}
        for number, order in enumerate(orders)
    }
    judged = {str(d): dict.fromkeys(about, 1) for d, about in enumerate(documents)}
    asked = [measure(alpha=alpha) for measure in GREEDY]
    rows = evaluated(dict.fromkeys(run, judged), run, [*asked, asked[0] @ 2])
    for found in rows.iter_columns():
        assert found.dtype == pl.String or found.max() <= math.e / (math.e - 1)


@given(lists, ALPHAS)
def test_the_greedy_ideal_scores_1(documents, alpha):
    """Lists are made greedily here by a second, slow way."""
    left = dict(enumerate(documents))
    seen = dict.fromkeys("abcd", 0)
    order = []
    while left:
        # score() names documents in the order given, so that the ideal's order of equals is free.
        gains = {n: sum((1 - alpha) ** seen[s] for s in left[n]) for n in left}
        best = max(gains.values())
        chosen = max(n for n in left if gains[n] > best - 1e-12)
        order.append(chosen)
        for subtopic in left.pop(chosen):
            seen[subtopic] += 1
    qrels = {"q": {f"d{n:02}": dict.fromkeys(s, 1) for n, s in enumerate(documents)}}
    run = {"q": {f"d{n:02}": -place for place, n in enumerate(order)}}
    asked = [m(alpha=alpha) for m in GREEDY]
    asked += [m @ k for m in asked if m.takes_cutoff for k in (1, 2, 3)]
    rows = evaluated(qrels, run, [*asked])
    for measure in asked:
        assert rows[str(measure)].item() == 1.0, measure


@given(collections(), st.integers(0, 99))
def test_the_order_of_the_rows_does_not_matter(collection, seed):
    qrels, run = collection
    rows = [
        (query, subtopic, document, grade)
        for query, documents in qrels.items()
        for document, grades in documents.items()
        for subtopic, grade in grades.items()
    ]
    columns = ["topic", "subtopic", "docno", "rel"]
    random.Random(seed).shuffle(rows)
    shuffled = pl.DataFrame(rows, schema=columns, orient="row")
    assert evaluated(shuffled, run, FAMILY).equals(evaluated(qrels, run, FAMILY))


@given(lists, st.integers(1, 9))
def test_with_alpha_0_each_subtopic_gains_as_a_grade_would(documents, k):
    counts = [len(each) for each in documents]
    for diverse, graded in ((rr.alpha_DCG(norm=False), rr.DCG), (rr.alpha_nDCG, rr.nDCG)):
        found = rr.score(diverse(alpha=0) @ k, documents)
        assert found == pytest.approx(rr.score(graded @ k, counts), abs=1e-12)
    by_place = sum(count / place for place, count in enumerate(counts[:k], 1))
    assert rr.score(rr.ERR_IA(alpha=0, norm=False) @ k, documents) == pytest.approx(by_place)


@given(st.lists(st.sampled_from([{"a"}, {"b"}, {"a", "b"}]), min_size=1), st.integers(1, 9))
def test_with_alpha_1_a_subtopic_counts_where_it_is_met_first(documents, k):
    first = {
        name: next((i for i, about in enumerate(documents, 1) if name in about), math.inf)
        for name in "ab"
    }
    met = [place for place in first.values() if place <= k]
    reciprocal = sum(1 / place for place in met)
    found = rr.score(rr.ERR_IA(alpha=1, norm=False) @ k, documents)
    assert found == pytest.approx(reciprocal)


one = st.lists(st.sampled_from([set(), {"a"}]), min_size=1, max_size=9).filter(any)


@given(one, st.integers(1, 9))
def test_of_a_single_subtopic_the_measures_are_those_of_documents(documents, k):
    grades = [len(each) for each in documents]

    def same(diverse, plain, factor=1.0):
        expected = factor * rr.score(plain, grades)
        assert rr.score(diverse, documents) == pytest.approx(expected, abs=1e-12)

    same(rr.AP_IA, rr.AP)
    same(rr.P_IA @ k, rr.P @ k)
    same(rr.StRecall @ k, rr.Success @ k)
    same(rr.ERR_IA(alpha=1) @ k, rr.RR @ k)
    # A relevant document satisfies with probability 1/2, which ERR-IA leaves out of the sum.
    same(rr.ERR_IA(norm=False) @ k, rr.ERR(max_grade=1) @ k, 2.0)
    # Nothing is redundant: the discounts are those of nDCG and of RBP.
    same(rr.alpha_nDCG(alpha=0) @ k, rr.nDCG @ k)
    same(rr.NRBP(alpha=0, beta=0.8), rr.RBP(p=0.8))


@given(collections(), st.integers(1, 5))
def test_intent_aware_measures_are_means_over_the_subtopics(collection, k):
    qrels, run = collection
    asked = {rr.AP_IA: rr.AP, rr.P_IA @ k: rr.P @ k, rr.StRecall @ k: rr.Success @ k}
    single = {  # each subtopic as a query of its own
        f"{query} {name}": {d: grades.get(name, 0) for d, grades in qrels[query].items()}
        for query in qrels
        for name in ("1", "2", "3", "10")
    }
    runs = {"mine": {query: run[query.rsplit(" ", 1)[0]] for query in single}}
    of_each = rr.evaluate(single, runs, list(asked.values())).per_query()
    relevant = [query for query, grades in single.items() if max(grades.values()) > 0]
    means = (
        of_each.filter(pl.col("query_id").is_in(relevant))
        .group_by(pl.col("query_id").str.replace(r" \d+$", ""))
        .agg(pl.col(map(str, asked.values())).mean())
        .rows_by_key("query_id", named=True, unique=True)
    )
    for row in evaluated(qrels, run, [*asked]).iter_rows(named=True):
        for measure, plain in asked.items():
            mean = means.get(row["query_id"], {}).get(str(plain), 0.0)
            assert row[str(measure)] == pytest.approx(mean, abs=1e-12)


# --- and the other measures -----------------------------------------------------------------------


@given(collections())
def test_for_other_measures_a_documents_grade_is_its_highest(collection):
    qrels, run = collection
    highest = {
        q: {d: max(grades.values()) for d, grades in documents.items()}
        for q, documents in qrels.items()
    }
    measures = ["nDCG", "AP", "ERR", "P@2", "NumRel", "Judged"]
    plain = rr.evaluate(highest, {"mine": run}, measures).per_query()
    assert evaluated(qrels, run, measures).equals(plain)


def test_measures_of_both_kinds_stand_in_the_order_asked():
    qrels, run = {"q": {"d": {"a": 1}}}, {"q": {"d": 1}}
    rows = evaluated(qrels, run, ["P_IA@1", "AP", "StRecall", "RR"])
    assert rows.columns == ["system", "query_id", "P_IA@1", "AP", "StRecall", "RR"]


def test_judgments_without_subtopics_are_refused():
    with pytest.raises(rr.MeasureError, match="alpha_nDCG@5 needs judgments of subtopics"):
        _ = rr.evaluate({"q": {"d": 1}}, {"mine": {"q": {"d": 1}}}, ["alpha_nDCG@5"]).scores


def test_long_lists_and_several_systems_score_what_each_scores_alone():
    order = random.Random(3)
    names = [f"d{i}" for i in range(300)]
    qrels = {
        f"q{i}": {
            d: {str(s): order.randint(0, 1) for s in order.sample(range(7), 4)}
            for d in order.sample(names, 40 * (i + 1))
        }
        for i in range(5)
    }
    runs = {
        str(n): {q: {d: order.random() for d in order.sample(names, 200)} for q in qrels}
        for n in range(3)
    }
    asked = [*FAMILY, rr.alpha_nDCG(alpha=0.9) @ 20, rr.ERR_IA(judged_only=True) @ 20]
    together = rr.evaluate(qrels, runs, asked, subtopics=True).per_query()
    for name, run in runs.items():
        for query, judged in qrels.items():
            alone = evaluated({query: judged}, {query: run[query]}, asked)
            same = together.filter(system=name, query_id=query)
            assert same.drop("system").equals(alone.drop("system"))
