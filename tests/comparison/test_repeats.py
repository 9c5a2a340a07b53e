"""Systems that ran several times: their values, intervals, flips, and what cannot carry them."""

import json
import re

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats
from typer.testing import CliRunner

import rankreport as rr
from rankreport.cli.app import app
from rankreport.comparison import Method

QUERIES = [f"q{i:02}" for i in range(24)]
QRELS = {query: {"a": 1, "b": 0, "c": 0} for query in QUERIES}


def run(places):
    """Return the relevant document at these places, the others before and after it."""
    found = {}
    for query, place in zip(QUERIES, places, strict=True):
        listed = ["b", "c"]
        listed.insert(place - 1, "a")
        found[query] = listed
    return found


def drawn(seed, n, share):
    rng = np.random.default_rng(seed)
    return [run(np.where(rng.random(24) < share, 1, rng.integers(2, 4, 24))) for _ in range(n)]


@pytest.fixture(scope="module")
def runs():
    return {"old": drawn(1, 3, 0.4), "new": drawn(2, 2, 0.9)}


@pytest.fixture(scope="module")
def comparison(runs):
    return rr.compare(rr.evaluate(QRELS, runs, ["RR", "P@1"]), interval="t")


def values_of(run):
    return np.array([1 / (run[query].index("a") + 1) for query in QUERIES])


def test_the_interval_is_that_of_queries_and_runs(runs, comparison):
    old, new = (np.stack([values_of(each) for each in runs[name]]) for name in ("old", "new"))
    deltas = new.mean(axis=0) - old.mean(axis=0)
    of_queries = deltas.var(ddof=1) / 24
    variance, terms = of_queries, of_queries**2 / 23
    of_runs = of_both = 0.0
    for each in (old, new):
        n = len(each)
        between = each.mean(axis=1).var(ddof=1) / n
        rest = each - each.mean(axis=0) - each.mean(axis=1, keepdims=True) + each.mean()
        within = np.square(rest).sum() / (23 * (n - 1)) / (24 * n)
        of_runs, of_both = of_runs + between, of_both + within
        terms += between**2 / (n - 1) + within**2 / (23 * (n - 1))
    variance = max(of_queries + of_runs - of_both, of_queries, of_runs)
    degrees = max(variance**2 / terms, 1)
    row = comparison.table().row(0, named=True)
    error, delta = np.sqrt(variance), deltas.mean()
    assert row["delta"] == pytest.approx(delta)
    distance = stats.t.ppf(0.975, degrees) * error
    assert row["ci_low"] == pytest.approx(delta - distance)
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(delta) / error, degrees))


def test_a_value_is_the_mean_over_runs(runs, comparison):
    evaluation = comparison.evaluation
    assert evaluation.n_repeats == {"old": 3, "new": 2}
    kept = evaluation.repeats(["RR"])
    alone = [rr.evaluate(QRELS, each, ["RR"]).per_query()["RR"] for each in runs["old"]]
    of_runs = kept.filter(pl.col("system") == "old").partition_by("repeat")
    assert [each["RR"].to_list() for each in of_runs] == [each.to_list() for each in alone]
    old = evaluation.per_query().filter(pl.col("system") == "old")["RR"]
    np.testing.assert_allclose(old, np.mean([each.to_numpy() for each in alone], axis=0))


def test_the_means_of_the_runs(runs, comparison):
    row = comparison.between_runs().row(0, named=True)
    means = [values_of(each).mean() for each in runs["old"]]
    assert (row["system"], row["measure"], row["n_runs"]) == ("old", "RR", 3)
    figures = [np.mean(means), min(means), max(means), np.std(means, ddof=1)]
    assert [row[n] for n in ("mean", "lowest", "highest", "deviation")] == pytest.approx(figures)
    assert row["deviation_high"] / row["deviation"] == pytest.approx(6.285, rel=1e-3)


def test_no_deviation_is_larger_than_the_measure_allows():
    # Two runs of RR 1 and 0.5: a deviation of 0.354, of chi-square 0.158 to 11.3; but of values
    # from 0 to 1, none is above 0.5. A count has no limit.
    measures = ["RR", "NumRet"]
    made = rr.compare(
        QRELS, {"old": [run([1] * 24), run([2] * 24)], "new": run([1] * 24)}, measures
    )
    of_rr, of_count = made.between_runs().rows(named=True)
    ends = [of_rr[name] for name in ("deviation", "deviation_low", "deviation_high")]
    assert ends == pytest.approx([0.3536, 0.1577, 0.5], abs=1e-4)
    assert of_count["deviation_high"] == of_count["deviation"] == 0.0


def test_queries_that_flip_by_hand():
    # On q00 new wins 1/2 against 1 and 1/2: lost, tied; and 1 against both: tied, won.
    first, second = [1] * 24, [2] + [1] * 23
    made = rr.compare(QRELS, {"old": [run(first), run(second)], "new": [run(second), run(first)]})
    [row] = made.flips(measure="RR@10").rows(named=True)
    assert (row["query_id"], row["n_won"], row["n_lost"], row["n_tied"]) == ("q00", 1, 1, 2)
    assert (row["lowest"], row["delta"], row["highest"]) == (-0.5, 0.0, 0.5)


def as_rows(several):
    return pl.DataFrame(
        [
            {"qid": query, "docno": doc, "rank": rank, "Repeat": number}
            for number, each in enumerate(several, 9)  # 9 is before 10
            for query, listed in each.items()
            for rank, doc in enumerate(listed, 1)
        ]
    )


def test_a_column_tells_runs_apart(runs, comparison, tmp_path):
    tables = {name: as_rows(each) for name, each in runs.items()}
    every = pl.concat(rows.with_columns(system=pl.lit(name)) for name, rows in tables.items())
    every.write_csv(tmp_path / "all.csv")
    wanted = comparison.evaluation
    for given in (tables, tmp_path / "all.csv"):
        found = rr.evaluate(QRELS, given, ["RR", "P@1"])
        for system in ("old", "new"):
            of_system = pl.col("system") == system
            assert_frame_equal(
                found.repeats().filter(of_system), wanted.repeats().filter(of_system)
            )
    broken = as_rows(runs["new"]).with_columns(pl.col("Repeat").replace(10, None))
    with pytest.raises(rr.DataError, match="without a value in column 'Repeat'"):
        rr.evaluate(QRELS, {"new": broken})


def test_a_list_of_documents_is_no_list_of_runs():
    assert rr.evaluate(QRELS, {"q00": ["a", "b"], "q01": ["c"]}, ["RR"]).systems == ("run",)


def test_a_stored_file_keeps_every_run(comparison, tmp_path):
    comparison.evaluation.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    assert_frame_equal(loaded.repeats(), comparison.evaluation.repeats())
    again = rr.compare(loaded, interval="t")
    assert_frame_equal(again.table(), comparison.table())
    assert_frame_equal(again.flips(), comparison.flips())
    some = rr.load_evaluation(tmp_path / "scores.parquet", systems=["new"])
    assert some.n_repeats == {"new": 2}
    assert_frame_equal(some.means(), comparison.evaluation.means()[2:])


def test_runs_of_the_baseline_are_a_noise_floor(runs):
    given = {"old": runs["old"][0], "new": runs["new"][0], "again": runs["old"][1]}
    made = rr.compare(rr.evaluate(QRELS, given, ["RR"]), null="again")
    assert made.systems == ("new",)
    assert made.settings["null"] == ["again"]
    [row] = made.between_runs().rows(named=True)
    means = [values_of(each).mean() for each in runs["old"][:2]]
    assert (row["system"], row["n_runs"]) == ("old", 2)
    assert row["deviation"] == pytest.approx(np.std(means, ddof=1))
    without = rr.compare(rr.evaluate(QRELS, {n: given[n] for n in ("old", "new")}, ["RR"]))
    assert_frame_equal(made.table(), without.table())


def test_a_run_that_failed_is_found(runs):
    broken = {query: listed for query, listed in runs["new"][1].items() if query < "q06"}
    made = rr.evaluate(QRELS, {"old": runs["old"], "new": [runs["new"][0], broken]}, ["RR"])
    [found] = [each for each in made.cautions if each.code == "unanswered"]
    assert found.severity == "stop"
    assert "new (18 of 24" in str(found)


def test_what_cannot_carry_runs_is_refused(runs, comparison):
    evaluation = comparison.evaluation
    refused = [
        ("memory_limit", lambda: rr.evaluate(QRELS, runs, memory_limit="2GB")),
        ("queries='answered'", lambda: rr.evaluate(QRELS, runs, queries="answered")),
        ("GMAP", lambda: rr.evaluate(QRELS, runs, ["GMAP"])),
        ("plan", lambda: rr.plan(comparison)),
        ("judge_next", lambda: rr.judge_next(comparison)),
        ("pool_and_order", comparison.pool_and_order),
        ("aggregate='median'", comparison.aggregates),
        ("null", lambda: rr.compare(rr.evaluate(QRELS, {**runs, "a": QRELS}), null="a")),
        ("judges", lambda: rr.compare(judges={"model": QRELS, "human": QRELS}, runs=runs)),
    ]
    for what, call in refused:
        with pytest.raises(rr.OptionError, match=what):
            call()
    with pytest.raises(rr.OptionError, match="not available with repeats; use 't'"):
        rr.compare(evaluation, test="wilcoxon")


def test_runs_on_several_data_sets_are_refused(runs):
    sets = pl.DataFrame({"dataset": ["x", "y"]})
    qrels = sets.join(rr.read_qrels(QRELS).collect(), how="cross")
    tables = [sets.join(rr.read_run(each).collect(), how="cross") for each in runs["new"]]
    with pytest.raises(
        rr.OptionError, match="several runs, and the judgments have several data sets"
    ):
        rr.evaluate(qrels, {"new": tables, "old": tables[0]})


def test_what_one_run_each_speaks_of(runs, comparison):
    alone = rr.compare(QRELS, {name: each[0] for name, each in runs.items()}, measures="RR")
    mixed = rr.compare(QRELS, {"old": runs["old"], "new": runs["new"][0]}, measures="RR")
    assert "these two runs" in Method(alone).population
    assert "this run of new" in Method(mixed).population
    assert "not of other runs" not in Method(comparison).population


def test_runs_are_not_said_to_be_equal_to_those_of_another_group():
    one, two = ({"q1": {"d1": first, "d2": 2.0}} for first in (1.0, 3.0))
    made = rr.evaluate({"q1": {"d1": 1, "d2": 0}}, {"a": [one, two], "b": [one, two]}, "P@1")
    found = [each.text.partition(" returned")[0] for each in made.cautions]
    assert {"a, b", "a, repeat 2, b, repeat 2"} <= {*found}


@pytest.mark.parametrize("name", ["seed", "Trial", "run_id", "run"])
def test_a_column_that_may_tell_runs_apart_is_to_be_named_repeat(runs, name):
    rows = [
        ("old", at, query, document, -place)
        for at, each in enumerate(runs["old"])
        for query, listed in each.items()
        for place, document in enumerate(listed)
    ]
    frame = pl.DataFrame(rows, ["system", name, "query_id", "doc_id", "score"], orient="row")
    with pytest.raises(rr.DataError) as raised:
        rr.evaluate(QRELS, frame, "RR").summary()
    line = re.search(r"frame\.rename\(\{.*?\}\)", str(raised.value))[0]
    renamed = eval(line, {"frame": frame})
    made = rr.evaluate(QRELS, renamed, "RR")
    assert made.n_repeats == {"old": 3}
    of_runs = np.mean([values_of(each) for each in runs["old"]])
    assert made.summary()["RR"].item() == pytest.approx(of_runs)


def test_identical_runs_are_named_whichever_run_of_a_system_they_are(runs):
    first, second, third = runs["old"]
    for given in (
        {"a": [first, second, first], "b": third},
        {"a": second, "b": [third, second]},
        {"a": [first, second], "b": first},
    ):
        made, checked = rr.evaluate(QRELS, given, "RR"), rr.check(QRELS, given)
        found = [each.text for each in made.cautions if each.code == "identical_runs"]
        assert found == [each.text for each in checked.cautions if each.code == "identical_runs"]
        assert len(found) == 1


def test_the_noise_floor_is_printed_and_written(runs, tmp_path):
    first, again, other = runs["old"]
    given = {"old": first, "new": other, "again": again}
    comparison = rr.compare(QRELS, given, measures=["RR", "P@1"], null="again")
    means = [values_of(each).mean() for each in (first, again)]
    deviation = np.std(means, ddof=1)
    low, high = (min(deviation / np.sqrt(stats.chi2.ppf(p, 1)), 0.5) for p in (0.975, 0.025))
    assert (
        f"Noise floor: 2 runs of old have RR {min(means):.4f} to {max(means):.4f}, a standard "
        f"deviation of {deviation:.4f} (95 % interval {low:.4f} to {high:.4f})."
    ) in str(comparison)
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in QUERIES))
    for name, each in given.items():
        lines = [f"{q} Q0 {d} 1 {-at} x\n" for q in QUERIES for at, d in enumerate(each[q])]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    files = [str(tmp_path / each) for each in ("qrels.txt", "old.run", "new.run")]
    extent = rr.report(comparison)._summary.page.extent
    assert extent == f"{len(QUERIES)} queries"  # of two systems, whose number is not said
    output = tmp_path / "found.json"
    options = ["--null", str(tmp_path / "again.run"), "-m", "RR", "-o", str(output)]
    assert CliRunner().invoke(app, ["compare", *files, *options]).exit_code == 0
    [row] = json.loads(output.read_text())
    assert row["noise_floor"] == pytest.approx(deviation)
    assert (row["noise_floor_low"], row["noise_floor_high"]) == pytest.approx((low, high))


def test_shares_judged_are_of_first_runs_as_the_first_screen_says():
    judged, foreign = ["a", "b"], ["x", "y"]
    first = {query: [*judged, *foreign] for query in QUERIES}
    again = dict.fromkeys(QUERIES, judged)
    made = rr.evaluate(QRELS, {"old": [first, again], "new": [again, first]}, ["RR"])
    quality = dict(made.quality.select("system", "judged_at_10").rows())
    assert quality == {"old": 0.5, "new": 1.0}
    assert made.judged_share == quality
    page = rr.report(rr.compare(made, interval="t"))._shown.page
    [section] = [each for each in page.sections if each.id == "data"]
    words = "Counts are of the run that has most of each, shares of the first run."
    assert words in section.paragraphs
