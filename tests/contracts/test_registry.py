"""What must hold for every measure there is, declared now or later."""

from __future__ import annotations

import doctest
import inspect
import random
from itertools import cycle

import pytest
from drawn import collections
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from variants import known_items, variants

import rankreport as rr

EVERY = [m for plain in rr.catalogue() for m in variants(plain)]
GRADES = st.one_of(st.integers(-2, 4), st.floats(-1, 4, allow_nan=False))


def test_every_parameter_is_tried():
    for plain in rr.catalogue():
        changed = {name for m in variants(plain) for name, _ in m.settings}
        assert changed == set(plain.declaration.parameters), plain


def of_subtopics(qrels):
    """Judge two subtopics, so that the higher grade of each document is the one given."""
    return {
        query: {
            document: {"all": grade, "some": grade if document.encode()[-1] % 2 else min(grade, 0)}
            for document, grade in grades.items()
        }
        for query, grades in qrels.items()
    }


def evaluate(qrels, runs, measures, **options):
    options |= known_items(qrels)
    return rr.evaluate(of_subtopics(qrels), runs, measures, subtopics=True, **options)


def scores(qrels, run, measures=EVERY, **options):
    return evaluate(qrels, {"mine": run}, measures, **options).scores


FOUR = 4
A_QUARTER = settings.default.max_examples // FOUR
"""How many examples of four collections hold as many collections as the profile has examples."""


@st.composite
def several(draw, n=FOUR, systems=1):
    """Draw n collections as one: an evaluation of every measure costs as much for one query."""
    made = [draw(collections(grades=GRADES, systems=systems)) for _ in range(n)]
    return tuple(
        {f"{at} {query}": row for at, part in enumerate(parts) for query, row in part.items()}
        for parts in zip(*made, strict=True)
    )


@given(several())
@settings(max_examples=A_QUARTER)
def test_values_lie_within_the_declared_range(collection):
    per_query = evaluate(collection[0], {"mine": collection[1]}, EVERY).per_query()
    values = per_query.drop("system", "query_id")
    least, most = (each.row(0, named=True) for each in (values.min(), values.max()))
    wrong = {}
    for measure in EVERY:
        low, high = measure.declaration.range
        found = least[str(measure)], most[str(measure)]
        if found != (None, None) and not (
            (low is None or found[0] >= low) and (high is None or found[1] <= high)
        ):
            wrong[str(measure)] = found
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 7, 100, 2000])
def test_a_perfect_list_of_any_length_stays_within_the_range(length):
    qrels = {"q": {f"d{i}": 2 for i in range(length)}}
    run = {"q": {f"d{i}": -i for i in range(length)}}
    for measure, value in scores(qrels, run).select("measure", "value").rows():
        high = rr.parse(measure).declaration.range[1]
        assert high is None or value is None or value <= high, measure
        if rr.parse(measure).name in {"nDCG", "AP", "RR", "R", "F"} and "@" not in measure:
            assert value == 1.0, measure


@pytest.mark.slow
@given(collections(grades=GRADES))
@settings(max_examples=5)
def test_asked_together_is_asked_alone(collection):
    together = evaluate(collection[0], {"mine": collection[1]}, EVERY)
    for measure in EVERY[:: len(EVERY) // 20]:
        alone = together.values([measure])
        assert alone[str(measure)].equals(together.per_query()[str(measure)]), measure


def shuffled(nested, seed):
    order = random.Random(seed)
    queries = order.sample(list(nested), len(nested))
    return {q: dict(order.sample(list(nested[q].items()), len(nested[q]))) for q in queries}


@pytest.mark.slow
@given(several(n=2 * FOUR), st.integers(0, 99))
@settings(max_examples=A_QUARTER // 5)
def test_the_order_of_the_rows_does_not_matter(collection, seed):
    qrels, run = collection
    assert scores(shuffled(qrels, seed), shuffled(run, seed)).equals(scores(qrels, run))


def test_the_order_of_the_rows_matters_where_it_is_the_tie_rule():
    qrels = {"q": {"a": 1}}
    orders = {"q": {"a": 1, "b": 1}}, {"q": {"b": 1, "a": 1}}
    found = [scores(qrels, run, ["RR"], ties="input")["value"].item() for run in orders]
    assert found == [1.0, 0.5]


def long_collection(n_queries, n_systems, n_documents=700):
    order = random.Random(0)
    names = [f"d{i}" for i in range(n_documents)]
    qrels = {
        f"q{i}": {d: order.randint(-1, 3) for d in order.sample(names, 40 * (i + 1))}
        for i in range(n_queries)
    }
    runs = [
        {
            q: {d: order.choice([1.5, 2.5, order.random()]) for d in names[i:]}
            for i, q in enumerate(qrels)
        }
        for _ in range(n_systems)
    ]
    return (qrels, *runs)


@pytest.mark.slow
@pytest.mark.parametrize(("n_queries", "n_systems"), [(2, 2), (9, 3)])
def test_long_lists_score_the_same_together_alone_and_shuffled(n_queries, n_systems):
    qrels, *runs = long_collection(n_queries, n_systems)
    named = {str(i): run for i, run in enumerate(runs)}
    together = evaluate(qrels, named, EVERY).per_query()
    again = {name: shuffled(run, 1) for name, run in named.items()}
    assert evaluate(shuffled(qrels, 2), again, EVERY).per_query().equals(together)
    for query, (name, run) in zip(qrels, cycle(named.items()), strict=False):  # each in turn
        one = evaluate({query: qrels[query]}, {name: run}, EVERY).per_query()
        same = together.filter(system=name, query_id=query)
        for measure in EVERY:
            known = measure.name == "ERR" or "full" in str(measure)  # of all queries at once
            known |= measure.declaration.family == "beyond accuracy"
            assert known or one[str(measure)].equals(same[str(measure)]), measure


@pytest.mark.slow
@given(several(n=2 * FOUR, systems=3))
@example(
    (  # of one row, Polars takes a power of p in another way, and its last bit may be another
        {"q": {"a": 3}},
        {"q": dict.fromkeys("bcdefg", 0.0)},
        {"q": dict.fromkeys("abcde", 0.0)},
        {"q": dict.fromkeys("bc", 0.0)},
    )
)
@settings(max_examples=2)
def test_several_systems_at_once_are_each_alone(collection):
    qrels, *runs = collection
    named = {"one": runs[0], "two": runs[1], "three": runs[2], "two again": runs[1]}
    at_once = evaluate(qrels, named, EVERY).per_query()
    of = at_once.partition_by("system", as_dict=True, include_key=False)
    for name, run in named.items():
        alone = evaluate(qrels, {name: run}, EVERY).per_query().drop("system")
        assert_frame_equal(of[(name,)], alone, rel_tol=1e-14, abs_tol=1e-15)
    assert of[("two",)].equals(of[("two again",)])


def test_a_query_without_results_gets_the_declared_value():
    qrels = {"lacking": {"d1": 2, "d2": 3, "d3": 0}, "there": {"d1": 1}}
    lacking, _ = rows(evaluate(qrels, {"mine": {"there": {"d1": 1}}}, EVERY))
    full, _ = rows(evaluate(qrels, {"mine": qrels}, EVERY))
    wrong = {}
    for measure, value in lacking.items():
        expected = measure.declaration.nothing_returned
        settings = dict(measure.settings)
        if settings.get("ideal") in {"returned", "length"} or "one_class" in settings:
            expected = 0.0
        if expected == "undefined":
            right = value is None
        elif measure.name in {"Utility", "YAAP", "RBPResidual"}:
            right = value is not None  # by hand in test_measures_trec and test_measures_user
        else:
            right = value == (full[measure] if expected == "by the formula" else expected)
        if not right:
            wrong[str(measure)] = (value, expected)
    assert wrong == {}


def test_a_query_with_nothing_relevant_gets_the_declared_value():
    qrels = {"barren": {"d1": 0, "d2": -1}, "there": {"d1": 4}}
    run = {"barren": {"d1": 1, "d2": 2, "d3": 3}, "there": {"d1": 1}}
    barren, _ = rows(evaluate(qrels, {"mine": run}, EVERY))
    relevant = {"barren": {"d1": 4, "d2": 4}, "there": {"d1": 4}}
    again, _ = rows(evaluate(relevant, {"mine": run}, EVERY))
    wrong = {}
    for measure, value in barren.items():
        expected = measure.declaration.nothing_relevant
        if measure.parameter("no_relevant") == "one":
            expected = 1.0
        if measure.parameter("one_class") == "valued":
            expected = 0.0
        if measure.name == "Serendipity" and measure.parameter("over") == "nothing":
            expected = "undefined"
        if expected == "undefined":
            right = value is None
        elif expected != "by the formula":
            # That of k documents of the highest grade of all the judgments is not of the query's.
            full = measure.name == "iDCG" and 'ideal="full"' in str(measure)
            right = full or value == expected
        else:  # the same as if all of it were relevant
            right = asks_what_is_irrelevant(measure) or value == again[measure]
        if not right:
            wrong[str(measure)] = (value, expected)
    assert wrong == {}


def rows(evaluation):
    """Return the values of each query by measure, the queries in the order of their names."""
    found = evaluation.per_query().sort("query_id").iter_rows(named=True)
    return [{measure: row[str(measure)] for measure in EVERY} for row in found]


def asks_what_is_irrelevant(measure):
    """Tell whether the value of a barren query hangs on its grades; its family works it by hand."""
    return (
        measure.declaration.family in {"pairs", "thresholds"}
        or measure.name in {"Utility", "NumNonRelJudgedRet", "ExpectedDepth", "FallOut"}
        or "negative" in measure.declaration.parameters
        or 'all_judged="zero"' in str(measure)
    )


@given(collections(grades=GRADES), st.integers(1, 8))
def test_measures_keep_to_each_other(collection, k):
    measures = [
        *(
            rr.RR @ k,
            rr.RR,
            rr.Success @ k,
            rr.AP @ k,
            rr.AP,
            rr.R @ k,
            rr.R,
            rr.CG @ k,
            rr.DCG @ k,
        ),
        *(rr.iDCG @ k, rr.nDCG @ k, rr.P @ k, rr.NumRelRet @ k, rr.NumRel, rr.ERR @ k, rr.ERR),
        rr.nDCG(ideal="full") @ k,
    ]
    rows = evaluate(collection[0], {"mine": collection[1]}, measures).per_query()
    for row in rows.iter_rows(named=True):
        at = {m: row[str(m)] for m in measures}
        assert at[rr.RR @ k] <= at[rr.RR] <= 1
        assert at[rr.RR @ k] <= at[rr.Success @ k]
        assert at[rr.AP @ k] <= at[rr.AP] <= at[rr.R] + 1e-12
        assert at[rr.R @ k] <= at[rr.R]
        assert at[rr.ERR @ k] <= at[rr.ERR]
        assert at[rr.DCG @ k] <= at[rr.CG @ k] + 1e-12
        assert at[rr.DCG @ k] <= at[rr.iDCG @ k] + 1e-12
        assert at[rr.nDCG(ideal="full") @ k] <= at[rr.nDCG @ k] + 1e-12
        assert at[rr.P @ k] * k == pytest.approx(at[rr.NumRelRet @ k])
        assert at[rr.R @ k] * at[rr.NumRel] == pytest.approx(at[rr.NumRelRet @ k])


def test_every_measure_is_documented_and_exported_as_itself():
    for measure in rr.catalogue():
        assert inspect.getdoc(measure.declaration.formulate)
        assert getattr(rr, measure.name, measure) == measure


@pytest.mark.parametrize("plain", rr.catalogue(), ids=str)
def test_the_example_of_every_measure_gives_what_it_says(plain):
    # A measure is no function, so that pytest does not find the examples of its docstring.
    public = {name: getattr(rr, name) for name in rr.__all__}
    made = doctest.DocTestParser().get_doctest(plain.declaration.doc, public, plain.name, None, 0)
    output = []
    assert doctest.DocTestRunner().run(made, out=output.append).failed == 0, "".join(output)
