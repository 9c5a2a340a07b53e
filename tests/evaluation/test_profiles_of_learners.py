"""The numbers of LightGBM, XGBoost and CatBoost, as installed, under their profiles."""

from __future__ import annotations

from importlib.metadata import version

import polars as pl
import pytest
from learners import LEARNERS, Lists, drawn, lists_of, values
from packaging.version import Version
from peers import ALL, Collection
from real_collections import DATA, nested

import rankreport as rr

pytestmark = pytest.mark.slow  # the tools take seconds to import

BARREN = Collection(
    {"barren": {"a": 0, "b": 0, "c": 0}}, {"barren": {"a": 3.0, "b": 2.0, "c": 1.0}}
)


def ours(profile, names, given, **options):
    found = rr.evaluate(given.qrels, {"mine": given.run}, names, profile=profile, **options)
    by_query = found.per_query()
    (means,) = found.summary().iter_rows(named=True)
    read = rr.PROFILES[profile].read
    return {
        name: dict(zip(by_query["query_id"], by_query[str(read(name))], strict=True))
        | {ALL: means[str(read(name))]}
        for name in names
    }


@pytest.mark.parametrize(
    ("tool", "names", "grades"),
    [
        ("lightgbm", ["ndcg@1", "ndcg@5", "ndcg@100", "map@1", "map@5"], (0, 0, 1, 2, 4)),
        ("lightgbm", ["ndcg@5", "map@5", "map@100"], (0, 1)),
        ("xgboost", ["ndcg", "ndcg@1", "ndcg@5", "ndcg-", "ndcg@5-"], (0, 0, 1, 2, 4)),
        ("xgboost", ["map", "map@1", "map@5", "map-", "map@5-", "pre@1", "ndcg@5"], (0, 1)),
        (
            "catboost",
            [
                *("NDCG", "NDCG:top=5", "NDCG:top=5;type=Base", "NDCG:top=5;type=Exp"),
                *("DCG:top=5", "DCG:top=5;type=Exp", "MRR", "MRR:top=5", "MAP", "MAP:top=5"),
                *("MRR:top=5;border=1.5", "PrecisionAt", "PrecisionAt:top=1"),
                *("RecallAt:top=5", "RecallAt:top=5;border=0.5", "MAP:top=5;border=2.5"),
            ],
            (0, 0, 1, 2, 4),
        ),
    ],
)
def test_under_its_profile_every_query_and_mean_is_the_tools(tool, names, grades):
    given = drawn(1, grades)
    theirs, mine = values(tool, names, given), ours(tool, names, given)
    for name in names:
        assert mine[name] == pytest.approx(theirs[name], rel=1e-9, abs=1e-9), name
    assert len(theirs[names[0]]) == 41


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("lightgbm", {"ndcg@2": 1, "map@2": 1}),
        ("xgboost", {"ndcg@2": 1, "ndcg@2-": 0, "map@2": 1, "map@2-": 0, "ndcg-": 0, "pre@2": 0}),
        (
            "catboost",
            {
                "NDCG:top=2": 1,
                "NDCG:top=2;type=Exp": 1,
                "RecallAt:top=2": 1,
                "MAP:top=2": 0,
                "MRR:top=2": 0,
                "PrecisionAt:top=2": 0,
                "DCG:top=2": 0,
            },
        ),
    ],
)
def test_where_nothing_is_relevant(tool, expected):
    theirs = LEARNERS[tool](expected, lists_of(BARREN))
    mine = ours(tool, list(expected), BARREN)
    assert theirs == expected
    assert {name: of_query["barren"] for name, of_query in mine.items()} == expected


EQUAL = {"first": {"a": 2, "b": 0, "c": 1}, "middle": {"a": 0, "b": 2, "c": 1}}


@pytest.mark.parametrize(
    ("tool", "name", "kept"),
    [
        ("lightgbm", "ndcg@1", (1.0, 0.0)),
        ("lightgbm", "map@1", (1.0, 0.0)),
        ("xgboost", "ndcg@1", (1.0, 0.0)),
        ("catboost", "NDCG:top=1", (0.0, 0.0)),
        ("catboost", "MRR:top=1", (0.0, 0.0)),
        ("catboost", "MAP:top=1", (0.0, 0.0)),
        ("catboost", "PrecisionAt:top=1", (0.0, 0.0)),
        ("catboost", "RecallAt:top=1", (0.0, 0.0)),
    ],
)
def test_equal_scores_keep_their_order_or_the_worst_is_first(tool, name, kept):
    given = Collection(EQUAL, {query: dict.fromkeys(row, 1.0) for query, row in EQUAL.items()})
    theirs = values(tool, [name], given)[name]
    assert (theirs["first"], theirs["middle"]) == kept
    assert ours(tool, [name], given)[name] == pytest.approx(theirs)


def test_equal_scores_keep_their_order_in_xgboosts_map_and_in_long_lists():
    lists = Lists(["q"], [[1, *[0] * 99]], [[1.0] * 100])
    names = ["map@5", "pre@1", "ndcg@5"]
    assert LEARNERS["xgboost"](names, lists) == dict.fromkeys(names, 1.0)
    lists = Lists(["q"], [[*[0] * 99, 1]], [[1.0] * 100])
    assert LEARNERS["xgboost"](names, lists) == dict.fromkeys(names, 0.0)
    assert LEARNERS["lightgbm"](["ndcg@5"], lists) == {"ndcg@5": 0.0}


def test_xgboost_compares_in_single_precision_and_the_others_do_not():
    # In double precision b is first; in single precision both are equal, and a was given first.
    given = Collection({"q": {"a": 0, "b": 1}}, {"q": {"a": 1.0, "b": 1.0 + 1e-12}})
    for tool, name, value in (
        ("xgboost", "ndcg@1", 0.0),
        ("lightgbm", "ndcg@1", 1.0),
        ("catboost", "NDCG:top=1", 1.0),
    ):
        assert values(tool, [name], given)[name]["q"] == value
        assert ours(tool, [name], given)[name]["q"] == value


def test_the_mean_under_query_weights():
    given = Collection(
        {"there": {"a": 0, "b": 1}, "barren": {"a": 0, "b": 0}},
        {"there": {"a": 2.0, "b": 1.0}, "barren": {"a": 2.0, "b": 1.0}},
    )
    weights = [1, 3]
    ndcg = 0.6309297535714575  # 1 / log2(3)
    weighted = (ndcg + 3 * 1) / 4
    own = {}
    for tool, names in (
        ("lightgbm", ["ndcg@5", "map@5"]),
        ("xgboost", ["ndcg@5", "ndcg@5-", "map@5", "map@5-"]),
        ("catboost", ["NDCG:top=5", "MAP:top=5", "RecallAt:top=1", "MRR:top=5"]),
    ):
        own |= LEARNERS[tool](names, lists_of(given), weights)
        found = rr.evaluate(given.qrels, {"mine": given.run}, names, profile=tool)
        means = found.summary(weights={"there": 1, "barren": 3}).row(0)[1:]
        for name, mean in zip(names, means, strict=True):
            own[name] = (own[name], mean)
    # The query with nothing relevant adds 1, not its weight of 3.
    assert own["ndcg@5"] == pytest.approx(((ndcg + 1) / 4, weighted))
    assert own["ndcg@5-"] == pytest.approx((ndcg / 4, ndcg / 4))
    assert own["map@5"] == pytest.approx(((0.5 + 3) / 4, (0.5 + 3) / 4))
    assert own["map@5-"] == pytest.approx((0.5 / 4, 0.5 / 4))
    assert own["NDCG:top=5"] == pytest.approx((weighted, weighted))
    assert own["MRR:top=5"] == pytest.approx((0.5 / 4, 0.5 / 4))
    # Without weights at all.
    assert own["MAP:top=5"] == pytest.approx((0.5 / 2, 0.5 / 4))
    assert own["RecallAt:top=1"] == pytest.approx(((0 + 1) / 2, (0 + 3) / 4))


def test_precision_divides_by_the_length_of_a_shorter_list():
    given = Collection({"q": {"a": 0, "b": 1, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}})
    for tool, name in (("xgboost", "pre@10"), ("catboost", "PrecisionAt:top=10")):
        assert values(tool, [name], given)[name]["q"] == pytest.approx(2 / 3)
        assert ours(tool, [name], given)[name]["q"] == pytest.approx(2 / 3)


def test_xgboost_without_exponential_gain_is_our_linear_gain():
    given = Collection({"q": {"a": 1, "b": 3}}, {"q": {"a": 2.0, "b": 1.0}})
    theirs = LEARNERS["xgboost"](["ndcg@2"], lists_of(given), ndcg_exp_gain=False)["ndcg@2"]
    assert ours("xgboost", ["nDCG@2"], given)["nDCG@2"]["q"] == pytest.approx(theirs)


@pytest.mark.parametrize("name", ["ERR:top=5", "PFound", "FilteredDCG", "AverageGain:top=2"])
def test_what_catboost_alone_has_is_a_measure_of_it_and_refused_here(name):
    assert LEARNERS["catboost"]([name], lists_of(BARREN))[name] >= 0
    with pytest.raises(rr.MeasureError, match=r"of CatBoost 1\.2\.10 cannot be reproduced"):
        rr.PROFILES["catboost"].read(name)


def test_the_tools_are_of_the_versions_of_the_profiles_or_newer():
    for tool in LEARNERS:
        package = {"mlflow": "mlflow-skinny"}.get(tool, tool)
        assert Version(version(package)) >= Version(rr.PROFILES[tool].tool.split()[1])


@pytest.mark.parametrize(
    ("tool", "names"),
    [
        ("lightgbm", ["ndcg@1", "ndcg@10", "map@1", "map@10"]),
        ("xgboost", ["ndcg@1", "ndcg@10", "ndcg", "ndcg@10-"]),
        ("catboost", ["NDCG:top=10;type=Exp", "NDCG:top=10", "MRR:top=10", "MAP:top=10"]),
    ],
)
def test_the_means_of_four_rankers_on_a_real_collection(tool, names):
    scored = pl.read_parquet(DATA / "ltr-lightgbm" / "test_scores.parquet").rename(
        {"qid": "query_id"}
    )
    scored = scored.with_columns(doc_id="d" + pl.col("row").cast(pl.String))
    for ranker in scored.drop("row", "query_id", "doc_id", "label").columns:
        given = Collection(nested(scored, "label"), nested(scored, ranker))
        theirs = LEARNERS[tool](names, lists_of(given))
        mine = ours(tool, names, given)
        found = {name: mine[name][ALL] for name in names}
        # XGBoost adds up in several parts.
        assert found == pytest.approx(theirs, abs=1e-12), ranker
