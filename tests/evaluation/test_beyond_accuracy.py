"""Measures beyond accuracy: the values that the tests of other tools state, and a plain program."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from itertools import combinations
from math import exp, log2, sqrt
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sliced import in_slices

import rankreport as rr
from rankreport.comparison.other_decisions import other_measures_of
from rankreport.evaluation.exposure import SystemValue, coverage_of, gini_of, personalisation_of


def values(recommended, measure, relevant=None, **options):
    """Return the values of a measure by user, of recommended items, the best first."""
    relevant = relevant or {user: [items[0]] for user, items in recommended.items()}
    made = rr.evaluate(relevant, recommended, measure, name="own", ties="input", **options)
    per_query = made.per_query().sort("query_id")
    return per_query[str(made.primary)].to_list()


def mean(recommended, measure, relevant=None, **options):
    found = values(recommended, measure, relevant, **options)
    known = [value for value in found if value is not None]
    return sum(known) / len(known)


class TestRecTools:
    """Of the tests of RecTools 0.19."""

    def test_mean_inverse_user_frequency(self):
        history = {"u1": ["i1", "i2"], "u2": ["i1"], "u3": ["i1"]}
        shown = {"u1": ["i3"], "u2": ["i2", "i3"], "u3": ["i1", "i2"]}
        bits = log2(3)
        for k, expected in {1: [bits, bits, 0], 2: [bits, bits, bits / 2]}.items():
            found = values(shown, f"MeanInvUserFreq@{k}", history=history, profile="rectools")
            assert found == pytest.approx(expected)

    @pytest.mark.parametrize(
        ("shown", "k", "expected"),
        [
            ({"u1": "ab", "u2": "cab", "u3": "cb"}, 1, [3, 1, 1]),
            ({"u1": "ab", "u2": "cab", "u3": "cb"}, 3, [2.5, 2, 1.5]),
            ({"u1": "ab", "u2": "cad", "u3": "cb"}, 3, [2.5, 4 / 3, 1.5]),
        ],
    )
    def test_average_popularity(self, shown, k, expected):
        history = {"u1": ["a", "b"], "u2": ["a", "c"], "u3": ["a", "b"]}
        lists = {user: list(items) for user, items in shown.items()}
        found = values(lists, f"AvgRecPopularity@{k}", history=history, profile="rectools")
        assert found == pytest.approx(expected)
        theirs = f"AvgRecPopularity(normalize=True)@{k}"
        found = values(lists, theirs, history=history, profile="rectools")
        assert found == pytest.approx([value / 6 for value in expected])

    @pytest.mark.parametrize(("k", "expected"), [(1, [0, 0.25, 0, 0.25]), (2, [0, 0.5, 0, 0.125])])
    def test_serendipity(self, k, expected):
        history = {"u1": ["i1", "i2"], "u2": ["i1", "i2"], "u3": ["i1"]}
        relevant = {"u1": ["i1", "i2"], "u2": ["i2", "i3"], "u3": ["i2"], "u4": ["i2"]}
        shown = {"u1": ["i1", "i2"], "u2": ["i2", "i3"], "u3": ["i3"], "u4": ["i2", "i3"]}
        items = pl.DataFrame({"item_id": ["i1", "i2", "i3", "i4"]})
        found = values(
            shown, f"Serendipity@{k}", relevant, history=history, items=items, profile="rectools"
        )
        assert found == pytest.approx(expected)

    @pytest.mark.parametrize(
        ("k", "expected"), [(1, [0, 0, 0]), (2, [1, None, 0]), (3, [4 / 3, None, 0])]
    )
    def test_intra_list_diversity_by_features_that_differ(self, k, expected):
        items = pl.DataFrame({"item_id": ["i1", "i2", "i3"], "one": [0, 0, 1], "two": [0, 1, 1]})
        shown = {"u1": ["i1", "i2", "i3"], "u2": ["i1", "i4"], "u3": ["i1"]}
        found = values(shown, f"IntraListDiversity@{k}", items=items, profile="rectools")
        assert found == [each if each is None else pytest.approx(each) for each in expected]


OF_REPLAY = {"1": [3, 7, 10, 11, 2], "2": [5, 8, 11, 1, 3], "3": [4, 9, 2]}
SEEN_IN_REPLAY = {"1": [5, 6, 7, 8, 9, 10], "2": [6, 7, 4, 10, 11], "3": [1, 2, 3, 4, 5]}


@pytest.mark.parametrize(
    ("measure", "history", "expected"),
    [
        ("Novelty@3", OF_REPLAY, 0),
        ("Novelty@3", SEEN_IN_REPLAY, 0.444444),
        ("Novelty@5", SEEN_IN_REPLAY, 0.577777),
        ("Surprisal@3", OF_REPLAY, 0.78969),
        ("Surprisal@5", OF_REPLAY, 0.614294),
        ("Surprisal@3", SEEN_IN_REPLAY, 0.719586),
        ("Surprisal@5", SEEN_IN_REPLAY, 0.698418),
        ("CategoricalDiversity@3", OF_REPLAY, 1.0),
        ("CategoricalDiversity@5", OF_REPLAY, 0.866666),
        ("CategoricalDiversity@20", OF_REPLAY, 0.21666),
    ],
)
def test_values_of_the_tests_of_replay(measure, history, expected):
    items = {item: str(item) for item in range(1, 12)}
    found = mean(OF_REPLAY, measure, history=history, items=items, profile="replay")
    assert found == pytest.approx(expected, abs=1e-5)


def test_unexpectedness_of_replay_is_precision_against_the_other_recommendations():
    assert 1 - mean(OF_REPLAY, "P@5", OF_REPLAY) == pytest.approx(0.133333, abs=1e-5)


HISTORY = {"1": [1, 2, 4], "2": [3, 4], "3": [3, 4, 5]}
SHOWN = {"1": [3, 5], "2": [2, 5], "3": [1, 2]}
RELEVANT = {"1": {3: 1, 5: 0}, "2": {2: 1, 5: 1}, "3": {1: 1, 2: 0}}


class TestRecommenders:
    """Of the tests of Microsoft's Recommenders."""

    items = pl.DataFrame(
        {
            "ItemId": [1, 2, 3, 4, 5],
            "features": [
                [0.0, 1.0, 1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0, 1.0, 0.0],
                [0.0, 0.0, 1.0, 1.0, 0.0],
                [0.0, 0.0, 1.0, 0.0, 1.0],
                [0.0, 0.0, 0.0, 1.0, 1.0],
            ],
        }
    )

    @pytest.mark.parametrize(
        ("measure", "expected"),
        [
            ("Novelty(per='interactions')", [2.5, 3.0, 3.0]),
            ("ILD(by='users')", [0.29289, 1.0, 0.0]),
            ("ILD(by='features')", [0.5, 0.5, 0.5]),
            ("Serendipity(by='users')", [0.363915, 0.53455, 0.403775]),
            ("Serendipity(by='features')", [0.25, 0.625, 0.33333]),
        ],
    )
    def test_values_by_user(self, measure, expected):
        found = values(SHOWN, measure, RELEVANT, history=HISTORY, items=self.items)
        assert found == pytest.approx(expected, abs=1e-4)

    def test_accuracy(self):
        rated = {1: [3, 1, 2], 2: [1, 4, 5, 6, 7], 3: [2, 5, 6, 8, 9, 10, 11, 12, 13, 14]}
        predicted = {
            1: {12: 12, 3: 14, 10: 13},
            2: {10: 14, 3: 13, 5: 12, 11: 11, 13: 10},
            3: {4: 14, 10: 13, 7: 12, 13: 11, 1: 10, 3: 9, 5: 8, 2: 7, 11: 6, 14: 5},
        }
        stated = {
            "ndcg_at_10": 0.38172,
            "map(k=10)": 0.23613,
            "map_at_10": 0.23613,
            "precision_at_k(k=10)": 0.26666,
            "recall_at_10": 0.37777,
            "r_precision_at_3": 0.21111,
            "r_precision_at_5": 0.24444,
            "r_precision_at_10": 0.37777,
        }
        for theirs, expected in stated.items():
            found = mean(predicted, theirs, rated, profile="recommenders")
            assert found == pytest.approx(expected, abs=1e-4), theirs
        missed = {user: {100: 1.0} for user in rated}
        assert mean(missed, "ndcg_at_10", rated, profile="recommenders") == 0.0


@pytest.mark.parametrize(
    ("theirs", "relevant", "shown", "expected"),
    [
        ("average_precision_at_3", [1, 2, 3], [1, 5, 4, 3, 2], 1 / 3),
        ("average_precision_at_k(k=5)", [1, 2, 3], [1, 5, 4, 3, 2], 0.7),
        ("average_precision_at_4", range(1, 7), [1, 7, 3, 4, 5, 2, 10, 8, 9, 6], 0.604167),
        ("mean_average_precision_at_10", range(1, 6), [1, 10, 3, 9, 6, 5, 7, 8, 4, 2], 0.622222),
        ("average_recall_at_2", [2], [1, 2, 3], 0.5),
        ("mean_average_recall_at_1", [2], [1, 2, 3], 0.0),
        ("hits_at_1", range(1, 7), [1, 7, 3, 4, 5, 2, 10, 8, 9, 6], 1 / 6),
        ("hits_at_5", range(1, 7), [1, 7, 3, 4, 5, 2, 10, 8, 9, 6], 4 / 6),
        ("mean_rank", ["a", "b", "c"], ["b", "c", "a"], 2.0),
    ],
)
def test_values_of_the_tests_of_rexmex(theirs, relevant, shown, expected):
    found = mean({"u": shown}, theirs, {"u": list(relevant)}, profile="rexmex")
    assert found == pytest.approx(expected, abs=1e-6)


OF_EVIDENTLY = {
    "1b": ["0a", "1a", "5a", "6a"],
    "2b": ["0a", "1a", "5a", "6a"],
    "3b": ["0a", "4a", "6a", "10a"],
}


class TestEvidently:
    """Of the tests of Evidently."""

    items = pl.DataFrame(
        {
            "item_id": ["0a", "1a", "2a", "4a", "5a", "6a", "10a"],
            "f1": [1.0, 1, 1, 1, 1, -0.1, -1],
            "f2": [0.0, 0.1, 0.2, 0.9, 1, 0.9, -1],
        }
    )

    def test_diversity(self):
        found = mean(OF_EVIDENTLY, 'ILD(by="features", over="items")@4', items=self.items)
        assert found == pytest.approx(1.0963345074906863)

    def test_serendipity(self):
        # In training, 10a has the features (-1, 0); in that of the recommendations, (-1, -1). The
        # former come first in the union.
        found = mean(
            OF_EVIDENTLY,
            "Serendipity@3",
            {"1b": {"5a": 1}, "2b": {"0a": 1}, "3b": {"0a": 0}},
            profile="evidently",
            history={"1b": ["10a"], "2b": ["2a"], "3b": ["5a"]},
            items=self.items.with_columns(
                f2=pl.when(pl.col("item_id") == "10a").then(0.0).otherwise("f2")
            ),
        )
        assert found == pytest.approx(0.8632630527478137)

    def test_serendipity_adds_the_similarities_of_relevant_items_and_needs_one(self):
        # Like the history by 1, 0 and 1/sqrt(2); c has no relevant item among the first two.
        items = pl.DataFrame({"item": ["h", "x", "y", "z"], "f": [1, 2, 0, 1], "g": [0, 0, 1, 1]})
        shown = {"a": ["x", "z"], "b": ["x", "y"], "c": ["x", "z", "y"]}
        relevant = {"a": ["x", "z"], "b": ["y"], "c": ["y"]}
        history = {user: ["h"] for user in "abc"}
        found = values(
            shown, "Serendipity@2", relevant, profile="evidently", history=history, items=items
        )
        assert found == [pytest.approx(1 - 1 - sqrt(0.5)), 1.0, None]

    @pytest.mark.parametrize(
        ("measure", "expected"),
        [("Novelty(cold='skip')@3", 1.18872199999), ("Popularity(cold='skip')@3", 1.5)],
    )
    def test_novelty_and_popularity_without_items_that_nobody_had(self, measure, expected):
        history, shown = {1: [1, 2], 2: [1], 3: [1]}, {1: [3], 2: [2, 3], 3: [1, 2]}
        assert mean(shown, measure, history=history) == pytest.approx(expected)


# --- values that the tools computed ---------------------------------------------------------------

STORED = json.loads(
    (Path(__file__).parents[1] / "helpers" / "beyond_accuracy_scores.json").read_text("utf-8")
)
"""Made by scripts/beyond_accuracy_scores.py, in an environment of each tool."""

OURS = {
    "evidently": {
        "Popularity": "Popularity(cold='skip')",
        "Popularity, normalized": "Popularity(cold='skip', over='top')",
    },
    "recommenders": {
        **{
            f"{name} by {by}": f"{ours}(by='{by}')"
            for name, ours in {"diversity": "ILD", "serendipity": "Serendipity"}.items()
            for by in ("users", "features")
        },
    },
    "rexmex": {"similarity": "ILD(by='features')"},
}
"""Our measures for what the profile of a tool does not read."""


@pytest.mark.parametrize("tool", STORED)
def test_values_that_the_tools_computed(tool):
    made = STORED[tool]
    table = pl.DataFrame(
        {"item_id": [*map(int, made["features"])], "category": [*made["category"].values()]}
    ).hstack(pl.DataFrame([*made["features"].values()], ["a", "b", "c"], orient="row"))
    given = made["relevant"], made["lists"]
    known = {"name": "own", "history": made["history"], "items": table}
    # The catalogue of RePlay is that of the history.
    catalogue = known | ({"items": None} if tool == "replay" else {})
    spread = rr.evaluate(*given, "P@1", **catalogue).exposure(
        [3, 6], among="shown" if tool == "evidently" else "catalogue"
    )
    of_all = {f"{name}@{k}": value for name, k, value in spread["measure", "k", "value"].rows()}
    for theirs in made["values"].keys() & of_all:
        close = 5e-4 if tool == "rexmex" else 1e-12  # it rounds
        assert of_all[theirs] == pytest.approx(made["values"][theirs], abs=close), theirs
    asked = [theirs for theirs in made["values"] if theirs not in of_all]
    names = [theirs.partition("@") for theirs in asked]
    ours = [f"{OURS.get(tool, {}).get(name, name)}@{k}" for name, _, k in names]
    found = rr.evaluate(*given, ours, profile=tool if tool in rr.PROFILES else None, **known)
    for theirs, measure in zip(asked, found.measures, strict=True):
        mine, values = found.per_query()["query_id", str(measure)], made["values"][theirs]
        if isinstance(values, dict):
            assert dict(mine.rows()) == pytest.approx(values, abs=1e-12), theirs
        else:
            mean = 1 - values if theirs == "similarity@3" else values
            assert mine[str(measure)].mean() == pytest.approx(mean, abs=1e-9), theirs


# --- a plain program ------------------------------------------------------------------------------


def drawn(seed, n_users=9, n_items=12):
    """Return lists of several lengths, relevant items, a history and a table of items."""
    rng = random.Random(seed)
    items = [f"i{n}" for n in range(n_items)]
    users = [f"u{n}" for n in range(n_users)]
    lists = {user: rng.sample(items, rng.randrange(1, 7)) for user in users}
    relevant = {user: rng.sample(items, 3) for user in users}
    history = {user: rng.sample(items[2:], rng.randrange(1, 5)) for user in users[1:]}
    table = pl.DataFrame(
        {
            "item_id": items[1:],
            "genre": ["|".join(sorted(rng.sample("abc", rng.randrange(1, 3)))) for _ in items[1:]],
            "year": [rng.random() for _ in items[1:]],
            "length": [rng.random() for _ in items[1:]],
        }
    )
    return lists, relevant, history, table


def vectors(by, history, table):
    if by == "users":
        items = {item for had in history.values() for item in had}
        found = {i: {u: 1.0 for u, had in history.items() if i in had} for i in items}
        return defaultdict(dict, found)
    rows = table.iter_rows(named=True)
    if by == "category":
        return {row["item_id"]: dict.fromkeys(row["genre"].split("|"), 1.0) for row in rows}
    return {row["item_id"]: {name: row[name] for name in ("year", "length")} for row in rows}


def cosine(one, other):
    product = sum(value * other.get(name, 0.0) for name, value in one.items())
    lengths = [sqrt(sum(value**2 for value in each.values())) for each in (one, other)]
    return product / (lengths[0] * lengths[1]) if all(lengths) else 0.0


def average(numbers):
    return sum(numbers) / len(numbers) if numbers else None


def by_hand(measure, by, user, k, data):
    lists, relevant, history, table = data
    shown, had = lists[user][:k], history.get(user, [])
    known = vectors(by, history, table) if by in {"users", "category", "features"} else {}
    there = [item for item in shown if by == "users" or item in known]
    counts = Counter(item for own in history.values() for item in own)
    if measure == "Novelty":
        return average([log2(len(history) / max(counts[item], 1)) for item in shown])
    if measure == "Popularity":
        if by == "nothing":
            return average([counts[item] for item in shown])
        own = average([counts[item] for item in had])
        return None if own is None else average([counts[item] - own for item in shown])
    if measure == "ILD":
        return average([1 - cosine(known[a], known[b]) for a, b in combinations(there, 2)])
    if measure == "Categories":
        return len({name for item in there for name in known[item]}) / k if there else None
    if by == "seen":
        surprise = {item: float(item not in had) for item in shown}
    else:
        past = [known[item] for item in had if by == "users" or item in known]
        each = {item: average([cosine(known[item], other) for other in past]) for item in there}
        surprise = {item: 1 - mean for item, mean in each.items() if mean is not None}
    hits = set(relevant[user]) if measure == "Serendipity" else set(shown)
    return average([value * (item in hits) for item, value in surprise.items()])


CASES = [
    ("Novelty", "users", "per"),
    ("Popularity", "nothing", "against"),
    ("Popularity", "history", "against"),
    ("Categories", "category", None),
    *(("ILD", by, "by") for by in ("category", "features", "users")),
    *(
        (measure, by, "by")
        for measure in ("Unexpectedness", "Serendipity")
        for by in ("seen", "category", "features", "users")
    ),
]


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.integers(1, 7))
def test_each_is_what_a_plain_program_computes(seed, k):
    data = drawn(seed)
    lists, relevant, history, table = data
    asked = [
        getattr(rr, measure)(**({} if name is None else {name: by})) @ k
        for measure, by, name in CASES
    ]
    made = rr.evaluate(relevant, lists, asked, name="own", history=history, items=table)
    for row in made.per_query().iter_rows(named=True):
        for measure, (name, by, _) in zip(asked, CASES, strict=True):
            expected = by_hand(name, by, row["query_id"], k, data)
            wanted = expected if expected is None else pytest.approx(expected, abs=1e-12)
            assert row[str(measure)] == wanted, (measure, row["query_id"])


def test_slices_give_the_same_values_and_a_loaded_evaluation_too(tmp_path):
    lists, relevant, history, table = drawn(3)
    asked = ["nDCG@3", "ILD@3", 'Serendipity(by="users")@3', "Novelty"]
    whole = rr.evaluate(relevant, lists, asked, name="own", history=history, items=table)
    sliced = in_slices(whole, 3, judgments=True)
    assert sliced.per_query().equals(whole.per_query())
    assert sliced.exposure(3).equals(whole.exposure(3))
    whole.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert loaded.per_query().equals(whole.per_query())
    with pytest.raises(rr.DataError, match="contains no lists"):
        loaded.exposure()


# --- of a system as a whole -----------------------------------------------------------------------


def exposure(lists, catalogue, k=10, **options):
    relevant = {user: items[:1] for user, items in lists.items()}
    made = rr.evaluate(relevant, lists, "P@1", name="own", items=dict.fromkeys(catalogue, "any"))
    found = made.exposure(k, **options)
    return {name: rest for name, *rest in found.select("measure", "value", "ci_low").rows()}


@pytest.mark.parametrize(
    ("lists", "catalogue", "options", "measure", "expected"),
    [  # of the tests of RecTools, RePlay, Recommenders and Evidently
        ({1: [1, 2, 3], 2: [1], 3: [2]}, range(5), {"k": 2}, "coverage", 0.4),
        (OF_REPLAY, {i for row in OF_REPLAY.values() for i in row}, {"k": 3}, "coverage", 0.9),
        ({1: [3, 5], 2: [2, 5], 3: [1, 2]}, range(1, 6), {}, "coverage", 0.8),
        ({1: [3], 2: [2, 3], 3: [1, 2]}, [1, 2], {"among": "shown"}, "gini", 0.2),
        ({1: [1, 2, 3, 4], 2: [1, 2, 3, 4], 3: [1, 3, 2, 5]}, [1], {}, "personalisation", 1 / 6),
    ],
)
def test_what_other_tools_state_of_all_users(lists, catalogue, options, measure, expected):
    value, _ = exposure(lists, catalogue, **options)[measure]
    assert value == pytest.approx(expected)


SHOWN_AT_RANDOM = st.dictionaries(
    st.sampled_from("abcdefg"), st.lists(st.integers(0, 8), unique=True, max_size=5), min_size=2
)


@settings(max_examples=20)
@given(SHOWN_AT_RANDOM, st.integers(1, 5))
def test_values_of_all_users_are_what_a_plain_program_computes(lists, k):
    first = {user: items[:k] for user, items in lists.items() if items}
    if not first:
        return
    relevant = dict.fromkeys(lists, (0,))
    made = rr.evaluate(relevant, first, "P@1", name="own", items=dict.fromkeys(range(9), "any"))
    found = dict(made.exposure(k).select("measure", "value").rows())
    times = sorted(sum(item in items for items in first.values()) for item in range(9))
    assert found["coverage"] == pytest.approx(sum(n > 0 for n in times) / 9)
    apart = sum(abs(one - other) for one, other in combinations(times, 2))
    assert found["gini"] == pytest.approx(apart / (8 * sum(times)))
    alike = [
        len({*one} & {*other}) / sqrt(len(one) * len(other))
        for one, other in combinations(first.values(), 2)
    ]
    expected = 1 - average(alike) if alike else None
    assert found["personalisation"] == (expected and pytest.approx(expected, abs=1e-12))


USERS_DRAWN = np.random.default_rng(3)
LISTS = np.argsort(USERS_DRAWN.random((10, 40)) - 0.3 * (np.arange(40) < 6), axis=1)[:, :4]


def of_users(function, users, *sizes, lists=LISTS):
    """Return the estimate of a measure for some of these users."""
    return function(np.repeat(np.arange(len(users)), 4), lists[users].ravel(), len(users), *sizes)


def apart(users):
    """Return the sum of the differences between how often any two items are shown."""
    times = np.bincount(LISTS[users].ravel(), minlength=40)
    return np.abs(times[:, None] - times).sum() / 2


def without(*left):
    return [user for user in range(10) if user not in left]


def less(first, second, third=None):
    x = 2 * second / first
    spread = 0 if third is None else max(6 * third / first - x**2, 0)
    bends = (2 - (2 + 2 * x + x**2) * exp(-x)) / x**3
    return first * min((1 - exp(-x)) / x + bends * spread / 2, 1)


def variance(found):
    return (found.added**2).sum()


def test_the_variance_of_coverage_is_of_what_users_pairs_and_threes_change():
    lone = [4, 0, 3, 0, 2, 1, 0, 5, 0]
    shown_to = [{user} for user, n in enumerate(lone) for _ in range(n)]
    shown_to += [{user, user + 1} for user in range(8)]
    shown_to += [{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, set(range(9))]
    rows = [(user, item) for item, users in enumerate(shown_to) for user in sorted(users)]
    found = coverage_of(*np.array(rows).T, 9, 40)
    assert found.value == 27 / 40
    first = (55 - 15**2 / 9) * 9 / 8
    expected = less(first, 8, 3)
    assert expected > 1.02 * less(first, 8)
    assert variance(found) == pytest.approx(expected / 1600)
    ratio = expected / (first * 8 / 9)
    assert found.added * 40 == pytest.approx((np.array(lone) - 15 / 9) * sqrt(ratio))
    assert found.own == pytest.approx(2 - first / expected)
    # Another set of users for every item, or the same for two: their squares count.
    twice = [(user, 30) for user in (0, 1)]
    found = coverage_of(*np.array(rows + twice).T, 9, 40)
    assert variance(found) == pytest.approx(less(first, 7 + 4, 3) / 1600)


def test_the_variance_of_gini_is_of_what_users_and_pairs_of_them_change():
    drawn = np.random.default_rng(0).permutation(10)
    both = [
        [apart(without()) - apart(without(i)) - apart(without(j)) + apart(without(i, j)) for j in b]
        for a, b in [(drawn[:5], drawn[5:])]
        for i in a
    ]
    both = np.array(both).reshape(5, 5)
    both = both - both.mean(axis=0) - both.mean(axis=1, keepdims=True) + both.mean()
    values = np.array([of_users(gini_of, without(user), 40).value for user in range(10)])
    second = (both**2).sum() / 16 * 45 / (40 * 39) ** 2
    found = of_users(gini_of, without(), 40)
    assert found.value == pytest.approx(apart(without()) / (40 * 39))
    assert variance(found) == pytest.approx(less(np.var(values) * 9, second))
    added = (values.mean() - values) * sqrt(9 / 10)
    curve = (added[drawn[:5]] @ both @ added[drawn[5:]]) / 25 * 45 / (40 * 39)
    assert found.curve == pytest.approx(curve)


def test_the_variance_of_personalisation_is_without_bias():
    likeness = np.array([[len({*one} & {*other}) / 4 for other in LISTS] for one in LISTS])
    pairs = list(combinations(range(10), 2))
    mean = average([likeness[i][j] for i, j in pairs])
    apart = average(
        [
            likeness[i][j] * likeness[k][m]
            for i, j in pairs
            for k, m in pairs
            if {i, j}.isdisjoint({k, m})
        ]
    )
    found = of_users(personalisation_of, without())
    assert found.value == pytest.approx(1 - mean)
    assert variance(found) == pytest.approx(mean**2 - apart)
    left = [1 - average([likeness[i][j] for i, j in pairs if u not in (i, j)]) for u in range(10)]
    added = np.array([1 - mean - each for each in left])
    added *= 8 / sqrt(90)
    curve = sum(added[i] * added[j] * -likeness[i][j] for i, j in pairs) / 45
    assert found.curve == pytest.approx(curve)


@pytest.mark.parametrize(
    ("curve", "few"), [(0.0, (0, 0)), (0.02, (0, 0)), (-5.0, (0, 0)), (0.0, (-1, 2))]
)
def test_the_ends_lie_where_the_value_is_as_far_as_their_own_variance_allows(curve, few):
    added = np.array([-0.4, -0.4, 0.2, 0.6])
    found = SystemValue(3.0, added, 0.5, curve, few)
    squares, fourth = 0.72, 2 * 0.0256 + 0.0016 + 0.1296
    degrees = 3.0 if any(few) else min(3.0, 2 / (fourth / squares**2 - 0.25))
    t = stats.t(degrees).ppf(0.975)
    cubes = -2 * 0.064 + 0.008 + 0.216
    curve = max(curve, -sqrt(2 / 27) * squares**1.5)
    moved = ((2 * t**2 + 1) / 6 * 0.5 * cubes + (t**2 + 1) * curve) / squares
    for end, slope in zip(found.ends(0.95), few, strict=True):
        # The variance is that at the end, if it rises by so much with the value.
        rises = slope or 2 * moved / t**2
        assert (end - 3.0) ** 2 == pytest.approx(t**2 * (squares + rises * (end - 3.0)))


def test_the_interval_of_coverage_is_wide_where_few_users_change_it():
    lists = {user: [1, 2, 3] for user in "abcdefghij"} | {"k": [4, 5, 6]}
    relevant = {user: items[:1] for user, items in lists.items()}
    made = rr.evaluate(relevant, lists, "P@1", name="own", items=dict.fromkeys(range(100), "any"))
    spread = made.exposure().filter(measure="coverage")
    low, high = spread.select("ci_low", "ci_high").row(0)
    assert spread["caution"].item() == "wide interval"
    # Of six items the variance is 9; one fewer may be shown, or three more for a further user.
    t = 2.22813885
    assert low == pytest.approx(max(6 - t**2 / 2 - sqrt(9 * t**2 + t**4 / 4), 0) / 100)
    assert high == pytest.approx((6 + 3 * t**2 / 2 + sqrt(9 * t**2 + 9 * t**4 / 4)) / 100)


@pytest.mark.parametrize(
    ("added", "few", "caution"),
    [
        ([0.1] * 14 + [0.0] * 91, (0, 0), "few users"),
        ([-0.1] * 16 + [0.0] * 91, (0, 0), ""),
        # Their squares are 4 and 1: (4 * 4 + 8)^2 / (4 * 16 + 8) is 8 users.
        ([0.2] * 4 + [0.1] * 8, (0, 0), "few users"),
        ([0.1] * 14, (0, 0), "few users"),
        ([0.2] * 4 + [0.1] * 24, (0, 0), ""),
        ([0.1] * 100, (0, -1), "wide interval"),
        ([0.0] * 100, (0, 0), "few users"),
        ([np.nan] * 100, (0, 0), ""),
    ],
)
def test_a_value_of_fewer_than_15_users_has_a_caution(added, few, caution):
    found = SystemValue(0.5, np.array(added), few=few)
    assert found.caution == caution
    assert found.minus(found, n_changed=0).caution == ("few users" if len(added) < 15 else "")


@pytest.mark.parametrize("function", [coverage_of, gini_of, personalisation_of])
def test_a_difference_of_the_same_lists_is_none(function):
    sizes = (40,) if function is not personalisation_of else ()
    one = of_users(function, without(), *sizes)
    assert one.minus(one).value == 0.0
    assert one.minus(one).ends(0.95).tolist() == [0.0, 0.0]


def test_a_difference_of_coverage_is_of_what_each_user_adds_to_both():
    one, other = (of_users(coverage_of, users, 40) for users in (without(), without()[::-1]))
    assert one.minus(other).added == pytest.approx(one.added - other.added)


def test_a_difference_is_curved_as_far_as_what_each_user_adds_to_it_is():
    added = np.array([-0.4, -0.4, 0.2, 0.6])
    one, half = SystemValue(3.0, added, curve=0.02), SystemValue(1.0, added / 2)
    # Half of what either adds: half the slope of each, and a quarter of the curve.
    assert one.minus(half).curve == pytest.approx(0.005)


ANEW = np.argsort(USERS_DRAWN.random((10, 40)) - 0.3 * (np.arange(40) < 6), axis=1)[:, :4]
OTHERS = np.where(np.arange(10)[:, None] % 2, LISTS, ANEW)


def alike(lists):
    return np.array([[len({*one} & {*other}) / 4 for other in lists] for one in lists])


def test_the_variance_of_a_difference_of_personalisation_is_without_bias():
    one, other = alike(LISTS), alike(OTHERS)
    apart = one - other
    pairs = list(combinations(range(10), 2))
    mean = average([apart[i][j] for i, j in pairs])
    of_two = average(
        [apart[i][j] * apart[k][m] for i, j in pairs for k, m in pairs if not {i, j} & {k, m}]
    )
    found = of_users(personalisation_of, without()).minus(
        of_users(personalisation_of, without(), lists=OTHERS)
    )
    assert found.value == pytest.approx(-mean)
    assert variance(found) == pytest.approx(mean**2 - of_two)
    # How the variance moves with each user: by what pairs with others change, times what they add.
    np.fill_diagonal(apart, 0)
    assert found.beside == pytest.approx(-2 / 90 * apart @ found.added)
    assert found.curve == pytest.approx(found.added @ found.beside / 2)
    rest = found.beside - found.beside @ found.added / variance(found) * found.added
    moved = found.added**2 + 2 * found.own * rest
    degrees = 2 * variance(found) ** 2 / (10 * moved.var())
    assert degrees < 9
    t = stats.t(degrees).ppf(0.975)
    shift = (2 * t**2 + 1) / 6 * found.own * (found.added**3).sum() + (t**2 + 1) * found.curve
    shift /= variance(found)
    middle = found.value + shift
    far = sqrt(t**2 * variance(found) + shift**2)
    assert found.ends(0.95) == pytest.approx([middle - far, middle + far])


def test_the_variance_of_a_difference_of_gini_is_less_what_pairs_change_in_it():
    one, other = (of_users(gini_of, without(), 40, lists=lists) for lists in (LISTS, OTHERS))
    left = np.array(
        [
            of_users(gini_of, without(user), 40).value
            - of_users(gini_of, without(user), 40, lists=OTHERS).value
            for user in range(10)
        ]
    )
    jackknife = np.var(left) * 9
    # What pairs change in either is what the jackknife has too much; of it, so much is the same.
    much, more = (variance(each) * (1 - each.own) for each in (one, other))
    same = np.corrcoef(one.pairs.ravel(), other.pairs.ravel())[0, 1]
    expected = jackknife - (much + more - 2 * same * sqrt(much * more))
    assert jackknife / 2 < expected < jackknife
    found = one.minus(other)
    assert variance(found) == pytest.approx(expected)
    assert found.own == pytest.approx(2 - jackknife / expected)
    assert one.own == pytest.approx(2 - np.var(own_of(LISTS)) * 9 / variance(one))


def own_of(lists):
    return [of_users(gini_of, without(user), 40, lists=lists).value for user in range(10)]


@pytest.mark.parametrize(("moves", "caution"), [(0.04, "few users"), (0.039, "")])
def test_a_value_whose_variance_few_users_tell_has_a_caution(moves, caution):
    # Forty users add as much; four of them move the variance by 2 * 0.04 / 0.4 besides, so that the
    # squares around 1 / 40 add up to 4 * 0.2^2 - 0.8^2 / 40: it is known as from 5.9 users.
    beside = np.zeros(40)
    beside[[0, 1, 20, 21]] = moves
    added = np.repeat([0.1, -0.1], 20)
    found = SystemValue(0.5, added, beside=beside)
    assert found.caution == caution
    known = 1 / (4 * (5 * moves) ** 2 - (20 * moves) ** 2 / 40 + 1 / 40)
    assert found.n_effective == pytest.approx(known * 15 / 6)


def test_lists_of_few_kinds_have_a_caution():
    def of_kinds(sizes):
        lists = np.repeat(np.arange(4 * len(sizes)).reshape(-1, 4), sizes, axis=0)
        users = np.repeat(np.arange(len(lists)), 4)
        return personalisation_of(users, lists.ravel(), len(lists))

    # Of nearly as many users each, it hardly matters which kind one user is of.
    found, other = of_kinds([26, 20, 14]), of_kinds([40, 15, 5])
    assert abs(found.curve) > sqrt(2 / 27) * variance(found) ** 1.5
    cautions = [each.caution for each in (found, other, found.minus(other), other.minus(found))]
    assert cautions == ["few groups", "", "few groups", "few groups"]


def test_differences_from_a_baseline_are_of_the_same_users():
    lists, relevant, history, _ = drawn(4)
    shorter = {user: items[:2] for user, items in lists.items()}
    both = {"old": lists, "same": lists, "new": shorter}
    made = rr.evaluate(relevant, both, "P@1", history=history)
    whole = made.exposure([1, 6]).select("system", "measure", "k", "value")
    found = made.exposure([1, 6, 1], baseline="old")
    assert found["system"].unique(maintain_order=True).to_list() == ["same", "new"]
    by = {row[:3]: row[3] for row in whole.rows()}
    for system, measure, k, value, _, low, high, *_ in found.rows():
        assert value == pytest.approx(by[system, measure, k] - by["old", measure, k])
        assert -1 <= low <= value <= high <= 1
        if system == "same" or k == 1:
            assert (low, high) == (0, 0)
    assert made.exposure(1, baseline="new")["system"].unique().len() == 2
    with pytest.raises(rr.OptionError, match=r"baseline='odl' .*'old'"):
        made.exposure(1, baseline="odl")


@pytest.mark.slow
@pytest.mark.parametrize("n_items", [50, 400])
def test_intervals_of_100_users_cover_what_other_users_give(n_items):
    rng = np.random.default_rng(5)
    places = np.arange(n_items)
    logits = np.log(np.where(places % 4 == np.arange(4)[:, None], 8, 1) / (places + 1))

    def drawn_lists():
        noise = logits[rng.integers(4, size=100)] + rng.gumbel(size=(100, n_items))
        first = np.argsort(-noise, axis=1)[:, :10]
        return {f"u{user:03}": items for user, items in enumerate(first.astype(str).tolist())}

    def found():
        lists = drawn_lists()
        relevant = {user: items[:1] for user, items in lists.items()}
        items = {str(item): "any" for item in range(n_items)}
        both = {"own": lists, "short": {user: items[:5] for user, items in lists.items()}}
        made = rr.evaluate(relevant, both, "P@1", items=items)
        spread = [made.exposure().filter(system="own"), made.exposure(baseline="own")]
        return pl.concat(spread).select("value", "ci_low", "ci_high").to_numpy()

    values = np.array([found() for _ in range(250)])
    expected = values[:, :, 0].mean(axis=0)
    within = ((values[:, :, 1] <= expected) & (expected <= values[:, :, 2])).mean(axis=0)
    has_interval = [n_items > 50, True, True] * 2  # nearly all of 50 items are shown
    assert (abs(within - 0.95) < 0.04)[has_interval].all(), within


@pytest.mark.parametrize("among", ["catalogue", "shown"])
def test_a_system_that_shows_nothing_covers_nothing(among):
    shown = {"some": {"ann": ["x"], "bob": ["y"]}, "none": {}}
    items = {"x": "a", "y": "b"}
    made = rr.evaluate({"ann": ["x"]}, shown, "P@1", items=items, allow_empty=True)
    values = made.exposure(among=among).filter(system="none")["value"]
    assert values.to_list() == [0.0, None, None]
    without = rr.evaluate({"ann": ["x"]}, shown, "P@1", history={"cid": ["x"]}, allow_empty=True)
    assert without.exposure().filter(system="none")["value"].to_list() == [0.0, None, None]


def test_it_decides_only_where_it_is_asked_for():
    lists, relevant, history, _ = drawn(2)
    asked = ["Novelty@3", "nDCG@3"]
    both = {"old": lists, "new": {user: items[::-1] for user, items in lists.items()}}
    made = rr.evaluate(relevant, both, asked, history=history)
    assert made.primary == rr.nDCG @ 3
    ((other,),) = other_measures_of(rr.compare(made, baseline="old")).values()
    assert (other.measure, other.goal) == ("Novelty@3", 0)
    assert rr.evaluate(relevant, lists, "Novelty@3", history=history).primary == rr.Novelty @ 3


def test_what_is_not_known_is_named():
    lists, relevant, history, _ = drawn(2)
    for measure, words, options in [
        ("Novelty", r"Novelty needs history= .*\(users\)", {}),
        ("ILD", r"ILD needs items= .*--items", {"history": history}),
    ]:
        with pytest.raises(rr.MeasureError, match=words):
            rr.evaluate(relevant, lists, measure, **options).summary()
    with pytest.raises(rr.DataError, match="items= has item 'i1' more than once"):
        values(lists, "ILD", items=pl.DataFrame({"item": ["i1", "i1"], "genre": ["a", "b"]}))
    with pytest.raises(rr.DataError, match="items= has no column for the item"):
        values(lists, "ILD", items=pl.DataFrame({"genre": ["a", "b"]}))
