"""Several data sets as one evaluation, and as one comparison."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

import rankreport as rr
from rankreport import statistics
from rankreport.comparison.data_sets import across

SIZES = {"law": 12, "arts": 30, "cqa/unix": 20, "cqa/games": 25, "news": 40, "med": 15}


def evaluated(n, systems=("old", "new", "next"), seed=0, measures=("RR", "AP"), **options):
    """Evaluate systems on n queries with one relevant document, on a place drawn at random."""
    draw = np.random.default_rng([n, seed])
    qrels = {f"q/{i}": {"d": 1, "x0": 0, "x1": 0, "x2": 0} for i in range(n)}
    runs = {
        system: {
            query: {"d": 2.5 - place, "x0": 2, "x1": 1, "x2": 0}
            for query, place in zip(qrels, draw.integers(0, 4 - at % 2, n), strict=True)
        }
        for at, system in enumerate(systems)
    }
    return rr.evaluate(qrels, runs, measures, **options)


@pytest.fixture(scope="module")
def sets():
    return {name: evaluated(n) for name, n in SIZES.items()}


@pytest.fixture(scope="module")
def whole(sets):
    return rr.join_datasets(sets)


@pytest.fixture(scope="module")
def comparison(sets):
    return rr.compare(sets, resamples=1000)


def differences(sets, system="new", baseline="old"):
    """Return the differences of the queries of each data set."""
    found = {}
    for name, each in sets.items():
        rows = each.per_query().pivot("system", index="query_id", values="RR")
        found[name] = (rows[system] - rows[baseline]).to_numpy()
    return found


def test_values_by_hand():
    """Two systems on three data sets, of which one has two parts."""
    right, wrong = {"q1": ["d1", "d2"]}, {"q1": ["d2", "d1"]}
    law = rr.evaluate({"q1": {"d1": 1}}, {"a": right, "b": wrong}, "RR")
    arts = rr.evaluate({"q1": {"d1": 1}}, {"a": wrong, "b": wrong}, "RR")
    made = rr.join_datasets({"law": law, "cqa/x": arts, "cqa/y": law, "arts": arts})
    assert made.datasets == ("law", "cqa", "arts")
    assert made.over_datasets().columns[:5] == [
        "system",
        "mean",
        "mean_rank",
        "borda",
        "n_datasets",
    ]
    assert made.over_datasets().rows() == [
        ("a", 0.75, 3.5 / 3, 2.5, 3, 1.0, 0.75, 0.5),
        ("b", 0.5, 5.5 / 3, 0.5, 3, 0.5, 0.5, 0.5),
    ]
    assert made.summary().rows() == [("a", 0.75), ("b", 0.5)]
    assert made.by_dataset().filter(system="a").rows() == [
        ("a", "law", 1, 1.0, 1.0, 0.625, 1.0),
        ("a", "cqa", 2, 0.75, 1.0, 0.75, 1.0),
        ("a", "arts", 1, 0.5, 1.5, 0.875, 1.0),
    ]


def test_the_mean_and_its_interval_agree_with_numpy(sets, whole, comparison):
    """The variance is that of a mean of means: s^2 / n of each part, by the square of its share."""
    by_set = differences(sets)
    share = {name: (0.5 if "/" in name else 1) / 5 for name in sets}
    delta = sum(share[name] * values.mean() for name, values in by_set.items())
    parts = {n: share[n] ** 2 * v.var(ddof=1) / len(v) for n, v in by_set.items()}
    variance = sum(parts.values())
    degrees = variance**2 / sum(part**2 / (len(by_set[n]) - 1) for n, part in parts.items())
    row = comparison.over_datasets().filter(system="new").row(0, named=True)
    assert row["delta"] == pytest.approx(delta, abs=1e-12)
    assert (row["n_datasets"], row["n_queries"]) == (5, sum(SIZES.values()))
    student = rr.compare(sets, "old", interval="t", correction="none").over_datasets()
    half = stats.t.ppf(0.975, degrees) * np.sqrt(variance)
    assert student["ci_low"][0] == pytest.approx(delta - half, abs=1e-12)
    means = whole.means("t").filter(system="new", measure="RR").row(0, named=True)
    assert means["mean"] == pytest.approx(whole.summary()["RR"][1], abs=1e-12)
    assert means["ci_low"] < means["mean"] < means["ci_high"]


def test_other_data_sets_by_hand(sets):
    """Student's t of the means of data sets, and the prediction interval."""
    found = rr.compare(sets, "old", correction="none").over_datasets().row(0, named=True)
    by_set = {name: values.mean() for name, values in differences(sets).items()}
    cqa = (by_set.pop("cqa/unix") + by_set.pop("cqa/games")) / 2
    means = np.array([*by_set.values(), cqa])
    t, spread = stats.t.ppf(0.975, 4), means.std(ddof=1)
    assert found["like_high"] == pytest.approx(means.mean() + t * spread / np.sqrt(5), abs=1e-12)
    high = means.mean() + t * spread * np.sqrt(1 + 1 / 5)
    assert found["next_high"] == pytest.approx(high, abs=1e-12)
    assert (found["lowest"], found["highest"]) == pytest.approx((means.min(), means.max()))
    assert found["reason"] is None


def test_nothing_is_said_of_others_from_few_data_sets(sets):
    four = {name: each for name, each in sets.items() if name != "med"}
    found = rr.compare(four, resamples=100).over_datasets()
    assert found["like_low"].null_count() == found["next_high"].null_count() == 2
    assert found["reason"][0] == "4 data sets; 5 are needed"
    same = across(np.full((6, 1), 0.25), 0.95)
    assert same["reason"][0] == "the difference is the same on all data sets"


def test_one_data_set_is_as_alone(sets, whole, comparison):
    """Scores and intervals on a data set are those of its own evaluation, to the last bit."""
    own, found = sets["arts"].per_query(), whole.per_query()
    rows = found.filter(pl.col("query_id").str.starts_with("arts/"))
    assert_frame_equal(rows.drop("query_id"), own.drop("query_id"))
    assert rows["query_id"].str.strip_prefix("arts/").to_list() == own["query_id"].to_list()
    # Of one measure: sums of two columns side by side may differ in their last bit.
    alone = rr.compare(evaluated(30, measures="RR"), correction="none").table()
    rows = comparison.by_dataset().filter(dataset="arts")
    for name in ("delta", "ci_low", "ci_high", "mean_baseline"):
        assert rows[name].to_list() == alone[name].to_list()


def test_leaving_one_out_is_the_comparison_without_it(sets, comparison):
    without = rr.compare({n: e for n, e in sets.items() if n != "news"}, resamples=1000)
    rows = comparison.by_dataset().filter(dataset="news")
    other = without.over_datasets()
    for name, of_others in {"delta_without": "delta", "low_without": "ci_low"}.items():
        assert rows[name].to_list() == pytest.approx(other[of_others].to_list(), abs=1e-12)
    words = [each.found.by_interval for each in without.decision.pairs.values()]
    assert rows["verdict_without"].to_list() == words
    every = comparison.by_dataset()
    whole = {pair.system: each for pair, each in comparison.decision.pairs.items()}
    decides = [
        word != whole[system].found.by_interval
        for system, word in every.select("system", "verdict_without").iter_rows()
    ]
    assert every["decides"].to_list() == decides
    signs = every["delta"].to_numpy() * [whole[s].found.delta for s in every["system"]]
    assert every["reverses"].to_list() == (signs < 0).tolist()


def test_a_column_names_the_data_sets():
    """Ids of queries may be those of other data sets; the runs may be in one table."""
    qrels = pl.DataFrame(
        {
            "dataset": ["law"] * 4 + ["arts"] * 3,
            "query_id": ["1", "1", "2", "2", "1", "2", "3"],
            "doc_id": ["a", "b", "a", "b", "c", "c", "c"],
            "relevance": [1, 0, 0, 1, 1, 1, 1],
        }
    )
    run = qrels.rename({"relevance": "score"}).with_columns(pl.col("score").cast(pl.Float64))
    other = run.with_columns(score=-pl.col("score"))
    runs = pl.concat([run.with_columns(system=pl.lit("a")), other.with_columns(system=pl.lit("b"))])
    made = rr.evaluate(qrels, runs, "RR")
    assert made.over_datasets("RR").select("mean", "law", "arts").rows() == [
        (1.0, 1.0, 1.0),
        (0.75, 0.5, 1.0),
    ]
    assert made.query_ids == ["arts/1", "arts/2", "arts/3", "law/1", "law/2"]
    records = rr.evaluate(
        qrels.to_dicts(), {"a": run.rename({"dataset": "Data set"}).to_dicts()}, "RR"
    )
    assert records.over_datasets()["law"].to_list() == [1.0]
    with pytest.raises(rr.OptionError, match="one data set at a time; found law, arts"):
        rr.check(qrels, {"a": run})
    one = qrels.filter(pl.col("dataset") == "law")
    assert rr.evaluate(one, {"a": run.filter(pl.col("dataset") == "law")}, "RR").datasets == ()
    for judged, given, words in (
        (qrels, run.drop("dataset"), "run 'a' has no column 'dataset'"),
        (qrels.drop("dataset"), run, "qrels has no column 'dataset'"),
        (one, run, "run 'a' has results on 'arts', of which qrels has no judgments"),
        (
            qrels,
            run.with_columns(dataset=pl.when(pl.col("query_id") < "3").then("dataset")),
            "rows",
        ),
    ):
        with pytest.raises(rr.DataError, match=words):
            rr.evaluate(judged, {"a": given}, "RR")


def test_missing_results_are_named_and_in_no_mean(sets, tmp_path):
    """A system without a part of a data set lacks the data set."""
    given = {
        **sets,
        "law": evaluated(12, ("old", "new")),
        "cqa/unix": evaluated(20, ("new", "old")),
    }
    made = rr.join_datasets(given)
    assert made.datasets == ("arts", "news", "med")
    table = made.over_datasets()
    for name, mean, *cells in table.select("system", "mean", "arts", "news", "med").iter_rows():
        assert mean == pytest.approx(np.mean(cells)), name
    assert table.filter(system="next").select("law", "cqa").row(0) == (None, None)
    assert table["law"][0] == given["law"].summary()["RR"][0]
    [caution] = [each for each in made.cautions if each.code == "missing_datasets"]
    assert caution.concerns == (("next",),)
    assert "next (law, cqa)" in str(caution)
    made.write_parquet(tmp_path / "scores.parquet")
    stored = rr.load_evaluation(tmp_path / "scores.parquet")
    assert stored.datasets == made.datasets
    assert_frame_equal(stored.by_dataset("AP"), made.by_dataset("AP"))
    assert_frame_equal(stored.summary(), made.summary())
    assert_frame_equal(stored.ties(), made.ties())
    assert stored.cautions == made.cautions
    tables = [rr.compare(each, "old", resamples=200).table() for each in (made, stored)]
    assert_frame_equal(*tables)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ties": "input"}, "differ in ties: 'input' and 'trec'"),
        ({"measures": ("RR",)}, "differ in measures: RR and RR, AP"),
        ({"primary": "AP"}, "differ in the primary measure: AP and RR"),
        ({"profile": "trec_eval-9"}, "differ in queries: 'answered' and 'judged'"),
        (
            {"systems": ("other",)},
            "'old' has results on law alone. On law, 'other' has none",
        ),
        ({"memory_limit": "1GB"}, "'arts' cannot be joined"),
    ],
)
def test_what_is_not_alike_is_refused(sets, change, words):
    with pytest.raises(rr.OptionError, match=words):
        rr.join_datasets({"law": sets["law"], "arts": evaluated(30, **change)})


def test_what_no_comparison_can_use_is_refused(sets, whole):
    law = sets["law"]
    for given, words in (
        ({"law": law}, "need two .* 'old' has results on law alone"),
        ({"law": law, "a/b/c": law}, "'a/b/c' is no name"),
        ({"law": law, "law/eu": law}, "'law' and its part 'law/eu'"),
        ({"law": law, "one": evaluated(1)}, "'one' has a single query, 'one/q/0'"),
        ({"law": law, "arts": evaluated(30, queries="answered")}, "differ in queries"),
    ):
        with pytest.raises(rr.OptionError, match=words):
            rr.compare(given).table()
    for options in ({"strata": {"law/q/0": 1}}, {"segments": {"law/q/0": "a"}}):
        with pytest.raises(rr.OptionError, match="cannot be combined with several data sets"):
            rr.compare(whole, **options)
    flagged = pl.DataFrame(
        {"query_id": whole.query_ids, "unanswerable": [True] + [False] * (len(whole.query_ids) - 1)}
    )
    with pytest.raises(rr.OptionError, match=r"is of one data set.*join them: rr\.join_datasets"):
        rr.compare(whole, queries=flagged)
    with pytest.raises(rr.OptionError, match="judges and several data sets"):
        rr.compare(judges={"model": whole, "human": whole})
    with pytest.raises(rr.OptionError, match="is of one data set"):
        law.by_dataset()
    with pytest.raises(rr.OptionError, match="is of one data set"):
        rr.compare(law).by_dataset()


def test_different_revisions_are_refused():
    def run(revision):
        meta = {"model_name": "org/small", "revision": revision}
        return {"mteb_model_meta": meta, "default": {"test": {"q1": {"d1": 0.9}}}}

    made = {
        name: rr.evaluate({"q1": {"d1": 1}}, {"small": run(revision)}, "RR")
        for name, revision in {"law": "1", "arts": "2"}.items()
    }
    with pytest.raises(rr.OptionError, match="'small' is org/small 1 on law, and org/small 2 on a"):
        rr.join_datasets(made)


def test_rare_failures_are_bounded_by_the_heaviest_queries():
    """Where each stratum has one weight, the bound is that of its largest, not infinite."""
    strata = np.repeat([0, 1, 2], [5, 20, 75])
    weights = 1 / np.array([5, 20, 75])[strata]
    sample = statistics.Sample.of(np.zeros((100, 1)), statistics.Structure(weights, None, strata))
    assert statistics.reach(sample) == pytest.approx([100 / (3 * 5)])
    mixed = np.where(np.arange(100) == 99, 0.001, weights)
    sample = statistics.Sample.of(np.zeros((100, 1)), statistics.Structure(mixed, None, strata))
    assert np.isinf(statistics.reach(sample))
    # The most that unseen failures can take, by brute force over their shares in the strata.
    worst, c = 0.0, (100 / 15) * (1 - 0.05 ** (1 / 100))
    for shares in itertools.product(np.linspace(0, 0.5, 26), repeat=3):
        if np.prod((1 - np.array(shares)) ** [5, 20, 75]) >= 0.05:
            worst = max(worst, float(np.mean(shares)))
    assert 0.7 * c < worst < c


def test_titles_and_settings_say_what_is_computed(comparison):
    """Weights of data sets are those of strata, which BCa allows for."""
    words = repr(comparison)
    assert "142 queries of 5 data sets of equal weight" in words
    standing = comparison.standing
    assert standing.words in words
    row = comparison.over_datasets().filter(system=comparison.decision.first_pair.system)
    assert standing.sure is (row["like_low"][0] > 0 or row["like_high"][0] < 0)
    assert "wider of the stratified t and stratified BCa intervals at each end" in words
    assert "strata" not in comparison.settings
    assert comparison.evaluation.datasets == ("law", "arts", "cqa", "news", "med")


def test_what_can_be_detected_and_what_is_missed_are_of_the_mean_of_means(comparison):
    """Power is that of the error, with the bound on rare failures of the smallest data set."""
    found = next(iter(comparison.decision.pairs.values())).found
    error = (found.ci_high - found.ci_low) / (2 * stats.norm.ppf(1 - 0.05 / 4))
    rare = 1 - 0.0125 ** (1 / 142)  # of 142 queries; one of law counts as 142 / (5 * 12)
    assert 2.5 * error < found.detectable < 4 * error + 142 / 60 * rare
    table = comparison.evaluation.pool_and_order()
    values = table.filter(part="value")["mean"].to_list()
    assert values == pytest.approx(comparison.evaluation.summary()["RR"].to_list(), abs=1e-12)


def test_a_quantile_over_data_sets_is_refused_as_that():
    comparison = rr.compare({name: evaluated(12) for name in ("law", "arts")})
    for asked in (lambda: rr.gate(comparison, "p95(RR) > -0.1"), comparison.aggregates):
        with pytest.raises(rr.OptionError, match="over several data sets, each of equal"):
            asked()
