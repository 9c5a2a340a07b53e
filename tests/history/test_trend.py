"""A trend compares results with one frozen baseline, query by query, and never across a change."""

from __future__ import annotations

import polars as pl
import pytest

import rankreport as rr
from rankreport.errors import OptionError

QUERIES = [f"q{i:02}" for i in range(40)]
QRELS = {query: {"a": 1} for query in QUERIES}
LATER = {query: {"a": 1, "b": 1} if query < "q10" else {"a": 1} for query in QUERIES}
"""Judgments by which other documents of ten queries are relevant too."""


def found_at(*places):
    """Return lists whose first queries have the document "a" at these places, the others at 2."""
    wanted = dict(zip(QUERIES, places, strict=False))
    others = ["b", "c", "d", "e"]
    return {
        query: [*others[: (place := wanted.get(query, 2)) - 1], "a", *others[place - 1 :]]
        for query in QUERIES
    }


NIGHTS = [found_at(), found_at(1, 1), found_at(4, 1, 1, 1), found_at(1, 3, 4)]


def stored(folder, *nights, keep_runs=False, **options):
    """Store evaluations of runs, each with its judgments, or by the first ones."""
    history = rr.History(folder)
    for day, night in enumerate(nights, 1):
        run, qrels = night if isinstance(night, tuple) else (night, QRELS)
        made = rr.evaluate(qrels, {"nightly": run}, ["RR"], **options)
        history.add(made, date=f"2026-01-{day:02}", note=f"night {day}", keep_runs=keep_runs)
    return history


def test_differences_are_of_the_first_result_query_by_query(tmp_path):
    rows = stored(tmp_path, *NIGHTS).trend()
    # Of 40 queries at 1/2: two at 1; one at 1/4 and three at 1; at 1, 1/3 and 1/4.
    expected = [0, 2 * 0.5, -0.25 + 3 * 0.5, 0.5 - 1 / 6 - 0.25]
    assert rows["delta"].to_list() == pytest.approx([total / 40 for total in expected], abs=1e-15)
    means = [0.5 + total / 40 for total in expected]
    assert rows["mean"].to_list() == pytest.approx(means, abs=1e-15)
    assert rows["number"].to_list() == [1, 2, 3, 4]
    assert rows["against"].to_list() == [1, 1, 1, 1]
    assert rows["n_queries"].to_list() == [40] * 4
    assert rows["break"].null_count() == 4
    assert rows.row(0, named=True)["ci_low"] is None


def test_intervals_are_those_of_a_comparison(tmp_path):
    rows = stored(tmp_path, *NIGHTS).trend()
    runs = {"first": NIGHTS[0], "third": NIGHTS[2]}
    by_itself = rr.compare(rr.evaluate(QRELS, runs, ["RR"])).table().row(0, named=True)
    third = rows.row(2, named=True)
    for name in ("delta", "ci_low", "ci_high", "n_queries"):
        assert third[name] == by_itself[name]
    assert third["word"] == rr.compare(rr.evaluate(QRELS, runs, ["RR"])).verdict().word


def test_the_line_breaks_where_judgments_changed(tmp_path):
    rows = stored(tmp_path, *NIGHTS[:2], (NIGHTS[2], LATER), (NIGHTS[3], LATER)).trend()
    assert rows["break"].to_list() == [None, None, "judgments", None]
    assert rows["change"][2] == "judgments differ: 10 of 50 pairs added"
    assert rows["against"].to_list() == [1, 1, 3, 3]
    assert not rows["judged_again"].any()
    assert rows["delta"][2] == 0
    # By the later judgments, b is relevant in the first ten: at 1, 1/3 and 1/4 of "a", b is at 2
    # where "a" is first, and first elsewhere; on the third night a or b is always first.
    assert rows["delta"][3] == 0


def test_with_kept_runs_the_baseline_is_judged_again_to_the_last_bit(tmp_path):
    nights = [*NIGHTS[:2], (NIGHTS[2], LATER), (NIGHTS[3], LATER)]
    rows = stored(tmp_path, *nights, keep_runs=True).trend()
    assert rows["against"].to_list() == [1, 1, 1, 1]
    assert rows["judged_again"].to_list() == [False, False, True, True]
    runs = {"first": NIGHTS[0], "third": NIGHTS[2], "fourth": NIGHTS[3]}
    table = rr.compare(rr.evaluate(LATER, runs, ["RR"]), correction="none").table()
    figures = ["delta", "ci_low", "ci_high"]
    assert rows[2:].select(figures).rows() == table.select(figures).rows()


def test_kept_runs_have_no_score_of_queries_they_were_not_run_on(tmp_path):
    half = QUERIES[:20]
    first = {query: NIGHTS[0][query] for query in half}
    history = rr.History(tmp_path)
    for run, qrels in ((first, {query: QRELS[query] for query in half}), (NIGHTS[1], LATER)):
        history.add(rr.evaluate(qrels, {"nightly": run}, ["RR"]), keep_runs=True)
    rows = history.trend()
    assert rows["break"].to_list() == [None, "queries, judgments"]
    assert rows["judged_again"].to_list() == [False, True]
    assert rows["n_queries"].to_list() == [20, 20]
    # On the shared 20, "b" is relevant too in ten: there both are 1. Elsewhere nothing changed.
    assert rows["delta"].to_list() == [0.0, 0.0]


def test_a_later_tie_rule_judges_kept_runs_again(tmp_path):
    tied = {query: {"a": 1.0, "b": 1.0} for query in QUERIES}
    history = rr.History(tmp_path)
    for ties in ("trec", "best"):
        made = rr.evaluate(QRELS, {"nightly": tied}, ["RR"], ties=ties)
        history.add(made, keep_runs=True)
    rows = history.trend()
    assert rows["break"].to_list() == [None, "ties"]
    assert rows["mean"].to_list() == [0.5, 1.0]
    assert rows["delta"].to_list() == [0.0, 0.0]


def test_of_changed_queries_the_shared_ones_are_compared(tmp_path):
    fewer = {query: QRELS[query] for query in QUERIES[1:]}
    rows = stored(tmp_path, NIGHTS[0], (NIGHTS[2], fewer)).trend()
    assert rows["break"].to_list() == [None, "queries"]
    assert rows["against"].to_list() == [1, 1]
    assert rows["n_queries"].to_list() == [40, 39]
    assert rows["delta"][1] == pytest.approx(3 * 0.5 / 39, abs=1e-15)


def test_results_without_a_shared_query_are_not_compared(tmp_path):
    halves = ({query: QRELS[query] for query in some} for some in (QUERIES[:20], QUERIES[20:]))
    rows = stored(tmp_path, *((NIGHTS[1], half) for half in halves), keep_runs=True).trend()
    assert rows["against"].to_list() == [1, 2]
    assert rows["delta"].to_list() == [0, 0]


def test_what_is_not_known_is_not_compared(tmp_path):
    file = tmp_path / "scores.parquet"
    history = rr.History(tmp_path / "history")
    for night in NIGHTS[:2]:
        rr.evaluate(QRELS, {"nightly": night}, ["RR"]).write_parquet(file)
        history.add(rr.load_evaluation(file))
    rows = history.trend()
    assert rows["against"].to_list() == [1, 2]
    assert "judgments differ" in rows["change"][1]
    assert "not known" in rows["change"][1]


@pytest.mark.parametrize("baseline", ["night 2", 2, "2026-01-02"])
def test_another_baseline_is_chosen_by_name_number_or_date(tmp_path, baseline):
    rows = stored(tmp_path, *NIGHTS).trend(baseline=baseline)
    assert rows["against"].to_list() == [2, 2, 2, 2]
    assert rows["delta"][0] == -1 / 40
    assert rows["delta"][1] == 0


def test_a_system_is_followed_by_its_name_and_alone_by_its_entries(tmp_path):
    history = rr.History(tmp_path)
    history.add(rr.evaluate(QRELS, {"run-0103": NIGHTS[0]}, ["RR"]))
    history.add(rr.evaluate(QRELS, {"bm25": NIGHTS[2], "run-0104": NIGHTS[1]}, ["RR"]))
    history.add(rr.evaluate(QRELS, {"bm25": NIGHTS[0], "run-0104": NIGHTS[0]}, ["RR"]))
    assert history.trend()["system"].to_list() == ["run-0103", "run-0104", "run-0104"]
    assert history.trend()["delta"].to_list() == [0, 1 / 40, 0]
    named = history.trend("bm25")
    assert named["number"].to_list() == [2, 3]
    assert named["delta"].to_list() == pytest.approx([0, -1.25 / 40], abs=1e-15)


def test_entries_without_the_measure_are_left_out_and_counted(tmp_path):
    history = rr.History(tmp_path)
    for measures in (["P@1"], ["RR", "P@1"], ["RR", "P@1"]):
        history.add(rr.evaluate(QRELS, {"nightly": NIGHTS[1]}, measures))
    assert history.trend()["number"].to_list() == [2, 3]
    assert history.measured().n_without == 1
    assert history.trend(measure="P@1")["number"].to_list() == [1, 2, 3]
    assert history.trend(measure="P@1")["break"].null_count() == 3


def test_dates_leave_the_order(tmp_path):
    history = rr.History(tmp_path)
    for date, night in zip(["2026-01-05", "2026-01-03"], NIGHTS, strict=False):
        history.add(rr.evaluate(QRELS, {"nightly": night}, ["RR"]), date=date)
    trend = history.measured()
    assert trend.rows["number"].to_list() == [1, 2]
    assert trend.rows["delta"].to_list() == [0, 1 / 40]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"system": "weekly"}, "system='weekly' is not one of 'nightly'"),
        ({"measure": "AP"}, "measure='AP' is not one of 'RR'"),
        ({"baseline": "release 9"}, "no entry"),
    ],
)
def test_what_is_not_stored_is_refused_by_name(tmp_path, options, said):
    history = stored(tmp_path, *NIGHTS[:2])
    with pytest.raises(OptionError, match=said):
        history.trend(**options)


def test_a_baseline_without_the_system_is_refused(tmp_path):
    history = stored(tmp_path, NIGHTS[0])
    history.add(rr.evaluate(QRELS, {"weekly": NIGHTS[1]}, ["RR"]))
    with pytest.raises(OptionError, match="baseline='1' is not one of '2'"):
        history.trend("weekly", baseline=1)


def test_a_measure_that_is_no_mean_has_no_trend(tmp_path):
    history = rr.History(tmp_path)
    history.add(rr.evaluate(QRELS, {"nightly": NIGHTS[0]}, ["GMAP"]))
    with pytest.raises(OptionError, match="GMAP, which is no mean over queries"):
        history.trend()


def test_nothing_stored_has_no_trend(tmp_path):
    with pytest.raises(rr.DataError, match="holds no stored evaluation"):
        rr.History(tmp_path).trend()


def test_dates_are_in_utc(tmp_path):
    assert stored(tmp_path, NIGHTS[0]).trend().schema["date"] == pl.Datetime("us", "UTC")


def test_since_the_last_one_is_the_last_of_the_system_on_the_same_signature(tmp_path):
    history = stored(tmp_path, *NIGHTS[:2], (NIGHTS[2], LATER))
    history.add(rr.evaluate(QRELS, {"weekly": NIGHTS[0]}, ["RR"]), date="2026-01-09")
    new = rr.evaluate(QRELS, {"bm25": NIGHTS[0], "nightly": NIGHTS[2]}, ["RR", "P@1"])
    said = history.since_last(new)
    # Of the third night 1.25 / 40 above the first, which the second has 1 / 40 above.
    assert said.startswith(
        "Since the last stored result of nightly (entry 2 of 2026-01-02): +0.006 on RR, on the "
        "same 40 queries; for queries like these, 95 % interval"
    )
    table = rr.compare(
        rr.evaluate(QRELS, dict(zip("ab", NIGHTS[1:3], strict=True)), ["RR"])
    ).table()
    assert said.endswith(f"interval {table['ci_low'][0]:+.3f} to {table['ci_high'][0]:+.3f}.")
    assert history.since_last(new, "bm25") == ""
    with pytest.raises(OptionError, match="system='weekly' is not one of 'bm25', 'nightly'"):
        history.since_last(new, "weekly")


def test_nothing_is_said_since_what_cannot_be_compared(tmp_path):
    history = stored(tmp_path, NIGHTS[0])
    ties = rr.evaluate(QRELS, {"nightly": NIGHTS[1]}, ["RR"], ties="best")
    assert history.since_last(ties) == ""
    assert rr.History(tmp_path / "nowhere").since_last(ties) == ""


def test_repeated_runs_and_subtopics_are_judged_again(tmp_path):
    repeated = {"nightly": [NIGHTS[0], NIGHTS[1]]}
    by_subtopic = [
        pl.DataFrame(
            [(query, subtopic, "a", 1) for query in QUERIES for subtopic in subtopics],
            schema=["query_id", "subtopic", "doc_id", "relevance"],
            orient="row",
        )
        for subtopics in ("x", "xy")
    ]
    kinds = {
        "RR": [rr.evaluate(qrels, repeated, ["RR"]) for qrels in (QRELS, LATER)],
        "alpha_nDCG@5": [
            rr.evaluate(qrels, {"nightly": NIGHTS[2]}, ["alpha_nDCG@5"], subtopics=True)
            for qrels in by_subtopic
        ],
    }
    for name, (before, after) in kinds.items():
        history = rr.History(tmp_path / name)
        for made in (before, after):
            history.add(made, keep_runs=True)
        rows = history.trend()
        assert rows["judged_again"].to_list() == [False, True]
        assert rows["delta"].to_list() == [0, 0]
        assert rows["mean"][1] == pytest.approx(after.summary()[name][0], abs=1e-12)
    assert rr.History(tmp_path / "RR").measured().is_repeated


def test_a_column_of_ones_own_is_not_judged_again(tmp_path):
    history = rr.History(tmp_path)
    for qrels in (QRELS, LATER):
        made = rr.evaluate(qrels, {"nightly": NIGHTS[1]}, ["RR"])
        seconds = made.values(["RR"]).rename({"RR": "seconds"})
        history.add(made.with_columns(seconds, better={"seconds": "low"}), keep_runs=True)
    rows = history.trend(measure="seconds")
    assert rows["against"].to_list() == [1, 2]
    assert not rows["judged_again"].any()
