import numpy as np
import polars as pl
import pytest

import rankreport as rr
from rankreport.comparison.query_kinds import query_kinds_of
from rankreport.reports.sections.data import data_of
from rankreport.reports.sections.query_kinds import kinds_of, none_found, query_kinds_section

N = 60


def compared(deltas, queries=None, relevant=None, copies=(), **options):
    """Compare systems whose first relevant document makes RR 1/rank, at ranks that give deltas."""
    ids = [f"q{at:03}" for at in range(len(deltas))]
    relevant = [1] * len(ids) if relevant is None else relevant
    qrels = {
        query: {f"d{at}": 1 for at in range(n)} for query, n in zip(ids, relevant, strict=True)
    }
    worse, better = {"x": 2.0, "d0": 1.0}, {"d0": 2.0, "x": 1.0}
    signs = np.sign(deltas)
    old = {q: worse if sign > 0 else better for q, sign in zip(ids, signs, strict=True)}
    new = {q: worse if sign < 0 else better for q, sign in zip(ids, signs, strict=True)}
    if queries is not None:
        queries = pl.DataFrame({"query_id": ids, **queries})
    runs = {"old": old, "new": new, **dict.fromkeys(copies, old)}
    evaluation = rr.evaluate(qrels, runs, ["RR"])
    return rr.compare(evaluation, queries=queries, **options)


def losing(n_in, n=N):
    """Nine of ten lose among the first, and a third of the others win."""
    return [-(at % 10 > 0) if at < n_in else int(at % 3 == 0) for at in range(n)]


def tried(comparison, **options):
    return {row["kind"]: row for row in comparison.query_kinds(**options).to_dicts()}


def test_a_kind_that_loses_is_found_with_its_figures():
    found = tried(compared(losing(20), {"type": ["brand"] * 20 + ["other"] * 40}))
    row = found["queries whose type is brand"]
    assert (row["feature"], row["n_queries"], row["n_elsewhere"]) == ("type", 20, 40)
    assert (row["delta"], row["delta_elsewhere"]) == pytest.approx((-0.45, 0.1625))
    assert row["ci_low"] < -0.45 < row["ci_high"] < 0
    assert row["differs"]
    assert row["p_adjusted"] < 0.001


def test_a_split_is_shown_from_the_side_that_loses():
    deltas = losing(20)
    found = tried(compared(deltas, {"brand": [False] * 20 + [True] * 40}))
    assert list(found) == ["queries whose brand is false"]
    found = tried(compared(deltas, {"text": ["shoe"] * 20 + ["shoe42"] * 40}))
    assert "queries without digits" in found


def test_intervals_are_wider_than_those_of_one_kind_alone():
    rng = np.random.default_rng(0)
    columns = {f"c{at}": rng.permutation(["a"] * 25 + ["b"] * 35) for at in range(9)}
    comparison = compared(losing(20), {"type": ["brand"] * 20 + ["other"] * 40, **columns})
    row = tried(comparison)["queries whose type is brand"]
    alone = compared(losing(20)[:20]).table().row(0, named=True)
    assert row["ci_low"] < alone["ci_low"] < alone["ci_high"] < row["ci_high"]


@pytest.mark.parametrize(
    ("texts", "kinds"),
    [
        (["a b"] * 20 + ["a b c d"] * 20, ["number of words"]),
        (["如何安装"] * 20 + ["数据"] * 20, ["number of characters"]),
        (["如何安装"] * 20 + ["数据安装"] * 20, ["question words"]),
        (["where a"] * 20 + ["some a"] * 20, ["question words"]),
        (["a 7"] * 15 + ["a b"] * 15, ["digits"]),
        (['"a b"'] * 15 + ["a b"] * 15, ["quotes or operators"]),
        (["a AND b"] * 15 + ["a and b"] * 15, ["quotes or operators"]),
        (["поиск"] * 15 + ["search"] * 15, ["Latin letters"]),
        ([f"a{chr(97 + at)}" for at in range(15)] + ["x y"] * 15, ["number of words"]),
        ([f"z a{chr(97 + at)}" for at in range(15)] + ["x y"] * 15, ["that no other"]),
    ],
)
def test_texts_are_split_by_what_they_have(texts, kinds):
    found = compared([1, -1] * (len(texts) // 2), {"text": texts}).query_kinds()
    features = found["feature"].to_list()
    assert len(features) == len(kinds)
    assert all(any(kind in feature for feature in features) for kind in kinds)


def test_queries_without_words_are_split_by_the_others():
    texts = ["red car"] * 20 + ["?!", "", None] * 5 + ["blue"] * 25
    found = tried(compared(losing(20), {"text": texts}))
    assert found["queries with 2 or more words"]["n_queries"] == 20


@pytest.mark.parametrize("kind", [int, float, str])
def test_numbers_are_split_at_the_nearest_share(kind):
    prices = [kind(at) for at in range(1, 101)]
    found = tried(compared(([1, -1, 0] * 34)[:100], {"price": prices}, relevant=[1, 2, 3, 4] * 25))
    assert {kind: row["n_queries"] for kind, row in found.items()} == {
        "queries whose price is less than 21": 20,
        "queries whose price is 81 or more": 20,
        "queries whose price is 21 or more, but less than 81": 60,
        "queries with fewer than 2 relevant documents": 25,
        "queries with 4 or more relevant documents": 25,
    }


def test_words_of_relevant_documents_are_a_feature_where_texts_are_given():
    comparison = compared(losing(20), {"text": ["blue bike"] * 20 + ["red car"] * 40})
    documents = {"d0": "Red, the car."}
    feature = "percentage of query words in relevant documents"
    assert feature not in comparison.query_kinds()["feature"]
    row = comparison.query_kinds(documents).row(
        by_predicate=pl.col("feature") == feature, named=True
    )
    assert (row["n_queries"], row["delta"]) == (20, pytest.approx(-0.45))


def test_unjudged_documents_of_both_systems_are_a_feature():
    ids = [f"q{at:02}" for at in range(60)]
    qrels = {q: {"a": 1, **({"b": 0} if at < 40 else {})} for at, q in enumerate(ids)}
    runs = {
        name: {q: {"a": 1.0, "b": 2.0 * (at % k == 0)} for at, q in enumerate(ids)}
        for name, k in (("old", 2), ("new", 3))
    }
    comparison = rr.compare(rr.evaluate(qrels, runs, ["nDCG@2"]))
    (row,) = tried(comparison).values()
    assert row["feature"] == "percentage of unjudged documents at the top"
    assert {row["n_queries"], row["n_elsewhere"]} == {20, 40}


def test_at_most_fifteen_splits_are_tried_in_turn():
    rng = np.random.default_rng(5)
    columns = {f"c{at}": rng.integers(0, 3, N).astype(str) for at in range(9)}
    texts = ["a " * (1 + at % 9) + "7" * (at % 2) for at in range(N)]
    found = compared([1, -1, 0] * 20, {"text": texts, **columns}).query_kinds()
    assert len(found) == 15
    features = set(found["feature"])
    assert {"number of words in the query", "digits", *columns} <= features


def test_missing_values_are_elsewhere_and_their_side_is_no_kind():
    types = ["a"] * 20 + ["b"] * 20 + [None] * 20
    found = tried(compared([0, 1, 1, -1] * 15, {"type": types}))
    assert set(found) == {"queries whose type is a", "queries whose type is b"}
    assert {row["n_elsewhere"] for row in found.values()} == {40}


@pytest.mark.parametrize("n", [2, 29])
def test_few_queries_have_no_kinds(n):
    found = compared(([1, -1] * n)[:n], {"type": (["a", "b"] * n)[:n]}).query_kinds()
    assert found.is_empty()
    assert found.schema["ci_low"] == pl.Float64


def test_queries_that_did_not_change_differ_nowhere():
    found = compared([0] * 60, {"type": ["a", "b"] * 30}).query_kinds()
    assert found.row(0, named=True)["p_adjusted"] == 1
    assert found["ci_low"].null_count() == 1
    assert not found["differs"].any()


@pytest.mark.parametrize("kind", ["weights", "clusters", "strata"])
def test_a_structure_of_the_queries_is_refused_by_name(kind):
    comparison = compared(
        [1, -1] * 30, {"c": [1, 1, 2, 2] * 15, "t": ["a", "b"] * 30}, **{kind: "c"}
    )
    with pytest.raises(rr.OptionError, match=f"{kind} \\('c'\\)"):
        comparison.query_kinds()
    assert query_kinds_of(comparison, comparison.pairs[0], None) == ()


def test_a_pair_is_chosen():
    comparison = compared(losing(20), {"type": ["brand"] * 20 + ["other"] * 40})
    assert comparison.query_kinds(system="new").equals(comparison.query_kinds())
    with pytest.raises(rr.OptionError):
        comparison.query_kinds(system="newer")


def test_a_less_good_kind_is_not_called_worse():
    deltas = [int(at % 2 == 0) if at < 30 else 1 for at in range(60)]
    comparison = compared(deltas, {"type": ["brand"] * 30 + ["other"] * 30})
    (kind,) = query_kinds_of(comparison, comparison.pairs[0], None)
    assert kind.differs
    assert not kind.is_worse
    assert kind.title.startswith("On queries whose type is ")


VALUES = [9] * 20 + [1] * 40


@pytest.mark.parametrize(
    ("given", "shown"), [({"queries": {"price": VALUES}}, True), ({"relevant": VALUES}, False)]
)
def test_a_kind_by_the_judgments_is_worse_but_stands_with_the_data(given, shown):
    comparison = compared(losing(20), **given)
    kind = query_kinds_of(comparison, comparison.pairs[0], None)[0]
    assert kind.is_worse
    assert kind.is_of_judgments is not shown
    report = rr.report(comparison)
    assert (kind in kinds_of(report.content)) is shown
    (data,) = data_of(report.content)
    assert any(kind.kind in each for each in data.paragraphs) is not shown


def test_a_kind_that_loses_stands_beside_the_advice_which_is_the_verdict_s():
    # Of the first 20 queries 18 lose, of the other 40 all win: (40 - 18) / 60 / 2 in the mean.
    deltas = [-(at % 10 > 0) if at < 20 else 1 for at in range(60)]
    comparison = compared(deltas, {"price": VALUES})
    screen = rr.report(comparison)._summary.page.screen
    assert screen.action == comparison.verdict().action == "Evidence favours new: try it live."
    (kind,) = screen.kinds
    assert kind.title == "Worse on queries whose price is 9 or more"
    assert "-0.450" in kind.text.replace("\N{MINUS SIGN}", "-")
    several = compared(deltas, {"price": VALUES}, copies=["same"])
    screen = rr.report(several)._summary.page.screen
    assert screen.action == several.verdict().action
    assert screen.kinds[0].title == "new is worse on queries whose price is 9 or more"


def test_kinds_that_were_tried_are_named():
    found = compared([1, -1, 0] * 20, {"type": ["a", "b"] * 30, "price": [*range(60)]})
    content = rr.report(found).content
    assert len(kinds_of(content)) == 4  # of numbers both ends, and what is between them
    assert none_found(content) == "No kind of query stands out; tried: type, price."


@pytest.mark.parametrize(
    ("queries", "words"),
    [
        (None, "To try kinds of query, give texts or columns of the queries."),
        ({"type": ["a"] * 60}, ""),
        ({"type": ["a"] * 50 + ["b"] * 10}, ""),
    ],
)
def test_what_no_kind_was_tried_for_is_said_where_it_helps(queries, words):
    assert none_found(rr.report(compared([1, -1, 0] * 20, queries)).content) == words


def test_a_kind_that_differs_without_a_gain_or_loss_of_its_own_has_the_section():
    # Where the type is a, wins and losses balance; elsewhere all win.
    found = compared([1, -1] * 15 + [1] * 30, {"type": ["a"] * 30 + ["b"] * 30})
    (kind,) = kinds_of(rr.report(found).content)
    (section,) = query_kinds_section(rr.report(found).content)
    assert (kind.differs, kind.delta, kind.delta_elsewhere) == (True, 0.0, 0.5)
    assert section.paragraphs[0] == f"On queries whose type is a: {kind.figures}."
    assert none_found(rr.report(found).content) == ""


def test_no_kind_is_offered_where_lists_of_unequal_length_decide():
    ids = [f"q{at:03}" for at in range(N)]
    others = [f"x{at}" for at in range(30)]
    qrels = {q: {"a": 1, "b": 1} for q in ids}
    whole = {q: ["a", *others[: 10 + at % 20], "b"] for at, q in enumerate(ids)}
    places = [1 + at % 7 if at < 20 else 0 for at in range(N)]
    cut = {q: [*others[:at], "a", *others[at:8]] for at, q in zip(places, ids, strict=True)}
    queries = pl.DataFrame({"query_id": ids, "type": ["brand"] * 20 + ["other"] * 40})
    comparison = rr.compare(rr.evaluate(qrels, {"old": whole, "new": cut}, ["AP"]), queries=queries)
    content = rr.report(comparison).content
    assert comparison.query_kinds()["differs"].any()
    assert kinds_of(content) == kinds_of(content, of_judgments=True) == ()
    assert none_found(content) == ""


def test_no_kind_is_offered_where_the_data_are_to_be_checked_first():
    ids = [f"q{at:03}" for at in range(N)]
    qrels = {q: {"a": 1, "b": 1} for q in ids}
    runs = {"old": {q: ["a", "x", "b"] for q in ids}}
    runs["new"] = {q: ["x", "a", "b"] if at < 20 else ["a", "b"] for at, q in enumerate(ids)}
    queries = pl.DataFrame({"query_id": ids, "type": ["brand"] * 20 + ["other"] * 40})
    known = rr.compare(rr.evaluate(qrels, runs, ["AP"]), queries=queries)
    assert kinds_of(rr.report(known).content)
    lacking = rr.evaluate(qrels, runs, ["AP"], corpus=["a", "x"])
    content = rr.report(rr.compare(lacking, queries=queries)).content
    assert (content.verdict.word, kinds_of(content), none_found(content)) == ("check first", (), "")


def test_columns_of_any_name_and_of_ids_are_split():
    columns = {"count": ["a", "b"] * 30, "value": [f"id{at}" for at in range(60)]}
    (kind,) = tried(compared([1, -1, 0] * 20, columns))
    assert kind in {"queries whose count is a", "queries whose count is b"}
