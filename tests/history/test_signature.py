"""What two signatures say of each other: by name, with numbers worked by hand."""

from __future__ import annotations

import polars as pl
import pytest

import rankreport as rr
from rankreport.history import DIMENSIONS, signature_of

QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}, "q3": {"c": 1}}
RUN = {"q1": ["b", "a"], "q2": ["a"], "q3": ["d", "c"]}


def evaluated(qrels=QRELS, measures=("nDCG@10", "RR"), run=RUN, **options):
    return rr.evaluate(qrels, {"new": run}, list(measures), **options)


def said(now, then=None, **options):
    before = signature_of(then or evaluated())
    return {each.dimension: each for each in before.differences(signature_of(now, **options))}


def sentence(now, then=None):
    (only,) = said(now, then).values()
    assert only.is_known
    return only.sentence


def changed(**queries):
    return {name: grades for name, grades in {**QRELS, **queries}.items() if grades}


@pytest.mark.parametrize(
    "same",
    [
        evaluated(),
        evaluated(dict(reversed(QRELS.items()))),
        evaluated([(q, d, float(g)) for q, of in QRELS.items() for d, g in of.items()]),
        evaluated(run={"q1": ["a"]}),
        evaluated(measures=["RR"]),
    ],
    ids=["again", "order of queries", "another form", "another run", "fewer measures"],
)
def test_what_makes_no_difference(same):
    assert said(same, about={"index": "v8"}) == {}


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (changed(q1={"a": 2, "b": 0, "e": 1}), "judgments differ: 1 of 5 pairs added"),
        (changed(q1={"a": 2, "b": 1}), "judgments differ: 1 of 4 pairs changed"),
        (
            changed(q1={"a": 1, "e": 2, "f": 0}),
            "judgments differ: 2 of 6 pairs added, 1 changed, 1 removed",
        ),
        (changed(q4={"a": 1}), "queries differ: 1 of 4 added"),
        (changed(q3=None), "queries differ: 1 of 3 removed"),
    ],
)
def test_judgments_and_queries_are_counted(now, words):
    grades = {each: 1 for each in said(evaluated(now)) if each == "grades"}
    found = {
        name: each.sentence for name, each in said(evaluated(now)).items() if name not in grades
    }
    assert list(found.values()) == [words]


def test_judgments_of_other_queries_are_no_difference_of_judgments():
    assert set(said(evaluated(changed(q4={"a": 0, "b": 2})))) == {"queries"}


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (
            evaluated(ties="input"),
            "tie rules differ: ties=trec before, ties=input now",
        ),
        (evaluated(measures=["RR", "AP(rel=2)"]), "measures differ: AP(rel=2) not stored"),
        (
            evaluated(queries="answered"),
            "rules of the query set differ: queries=judged before, queries=answered now",
        ),
        (evaluated(collapse="max"), "rules for passages differ: none before, collapse=max now"),
    ],
)
def test_rules_are_named(now, words):
    assert sentence(now) == words


def test_a_profile_is_named_beside_the_rules_that_it_sets():
    found = said(evaluated(profile="trec_eval-9", queries="judged"))
    assert found["profile"].sentence == "profiles differ: none before, profile=trec_eval-9 now"
    assert {*found} - {"profile"} == {"ties", "grades"}


def test_a_scale_is_the_distinct_grades_and_of_many_its_ends():
    higher = changed(q2={"a": 4})
    assert said(evaluated(higher))["grades"].sentence == (
        "scales of grades differ: 0, 1, 2 before, 0, 1, 2, 4 now"
    )
    many = {"q1": {f"d{n}": n / 4 for n in range(20)}, **changed(q1=None)}
    assert said(evaluated(many))["grades"].sentence == (
        "scales of grades differ: 0, 1, 2 before, 0, 4.75 now"
    )


def test_labels_of_people_are_not_those_given_as_judgments():
    rows = [(q, d, judge, g) for q, of in QRELS.items() for d, g in of.items() for judge in "xy"]
    people = pl.DataFrame(rows, schema=["query_id", "doc_id", "judge", "relevance"], orient="row")
    now = evaluated(rr.qrels_from_judges(people, "median"))
    assert sentence(now) == "sources of labels differ: as given before, judges, median now"


def test_a_corpus_counts_where_both_have_one():
    few, more = (evaluated(corpus=[*"abcd", *others]) for others in ("", "e"))
    assert said(few) == {}
    assert said(more, few)["corpus"].sentence.startswith("ids of the corpus differ: 4, ")
    assert said(evaluated(corpus=[*"dcba"]), few) == {}


def test_what_is_not_known_is_not_taken_to_be_equal(tmp_path):
    evaluated().write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    for found in (said(loaded), said(evaluated(), loaded), said(loaded, loaded)):
        assert {name for name, each in found.items() if not each.is_known} == {
            "judgments",
            "grades",
        }
        assert set(found) == {"judgments", "grades"}
    assert said(loaded)["judgments"].sentence == (
        "judgments differ: the present ones are not known"
    )


def test_unanswerable_queries_are_compared_by_name():
    one, other = (evaluated(unanswerable=[name]) for name in ("q8", "q9"))
    assert set(said(other, one)) == {"queries", "unanswerable"}
    assert said(one, one) == {}


def test_every_dimension_has_a_value():
    assert set(signature_of(evaluated()).known) == set(DIMENSIONS)


def test_a_comparison_has_the_signature_of_its_evaluation():
    compared = rr.compare(QRELS, {"old": RUN, "new": {"q1": ["a"]}}, measures=["nDCG@10", "RR"])
    assert said(compared) == {}


def example(**options):
    rules = {"measures": ["RR"], **options}
    return rr.evaluate(QRELS, {"new": RUN}, **rules)


KINDS = {
    "subtopics": lambda: rr.evaluate(
        [("q1", "1", "a", 1), ("q1", "2", "b", 1)], RUN, ["alpha_nDCG@5"], subtopics=True
    ),
    "labelled": lambda: rr.evaluate_labelled(
        [1, 0, 1], {"new": [0.5, 0.2, 0.1]}, qid=[1, 1, 2], measures=["RR"]
    ),
    "retrieved": lambda: rr.evaluate_retrieved([["a"]], {"new": [["b", "a"]]}, measures=["RR"]),
    "data sets": lambda: rr.join_datasets({"one": example(), "two": example()}),
    "slices": lambda: example(memory_limit="600MB"),
    "empty": lambda: rr.evaluate(QRELS, {"new": {}}, ["RR"], allow_empty=True),
    "repeats": lambda: rr.evaluate(QRELS, {"new": [RUN, RUN]}, ["RR"]),
    "profile": lambda: example(profile="beir"),
    "passages": lambda: example(collapse="max"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_any_kind_is_stored_and_equals_itself(kind, tmp_path):
    made = KINDS[kind]()
    entry = rr.History(tmp_path / "h").add(made)
    assert entry.evaluation.per_query().equals(made.per_query())
    assert entry.signature.differences(signature_of(made)) == ()
    assert signature_of(made).differences(entry.signature) == ()


def test_items_from_memory_are_not_known_and_those_of_files_are(tmp_path):
    made = example(history={"q1": ["z"]})
    assert {name: each.is_known for name, each in said(made, made).items()} == {"items": False}
    (tmp_path / "one.csv").write_text("user_id,item_id\nq1,z\n")
    (tmp_path / "other.csv").write_text("user_id,item_id\nq1,y\n")
    one, other = (example(history=str(tmp_path / f"{name}.csv")) for name in ("one", "other"))
    assert said(one, one) == {}
    assert {name: each.is_known for name, each in said(other, one).items()} == {"items": True}
