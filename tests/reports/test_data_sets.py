"""Pages on several data sets: who leads, for which data sets it is sure, and where not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

import rankreport as rr
from rankreport.cli.app import app
from rankreport.comparison import Pair
from rankreport.comparison.data_sets import of_pair
from rankreport.reports.sections.datasets import datasets_of, datasets_shown


def evaluated(places):
    """Evaluate systems on as many queries as have a place of their one relevant document."""
    names = [f"x{i}" for i in range(9)]
    n = len(next(iter(places.values())))
    runs = {
        system: {
            f"q{i}": [*names[: place - 1], "d", *names[place - 1 :]] for i, place in enumerate(of)
        }
        for system, of in places.items()
    }
    return rr.evaluate({f"q{i}": {"d": 1} for i in range(n)}, runs, ["RR", "R@1"])


HALF = [1, 2] * 6
"""Twelve queries, whose reciprocal ranks are 1 and 1/2, with a mean of 0.75."""


def benchmark(**lost):
    """Return five data sets on which new is better than old, and what is lost on others."""
    better = {"old": [2] * 12, "new": HALF, "none": [5] * 12}
    return {**{f"set{i}": evaluated(better) for i in range(5)}, **lost}


def lost():
    return evaluated({"old": [1] * 12, "new": [2] * 11 + [1], "none": [5] * 12})


@pytest.fixture(scope="module")
def comparison():
    return rr.compare(benchmark(law=lost()), pairs="all", resamples=500)


def table_of(evaluation):
    """Return the table of the section, which has nothing else without a comparison."""
    [section] = datasets_of(rr.report(evaluation).content)
    [table] = section.parts
    return table


@pytest.mark.slow
def test_the_page_and_its_json(comparison):
    figures = json.loads(rr.report(comparison).to_json())
    page = figures["page"]["told"]["page"]
    assert [each["text"] for each in page["screen"]["badges"]] == [
        "new is best, on average of these data sets"
    ]
    assert page["screen"]["segments"][0]["title"] == "new is worse on law"
    assert page["extent"] == "3 systems, 6 data sets, 72 queries"
    [section] = [each for each in page["sections"] if each["id"] == "datasets"]
    assert "new is clearly worse on law." in section["paragraphs"][0]
    assert figures["over_datasets"][1]["system"] == "new"
    assert figures["over_datasets"][1]["law"] == pytest.approx(13 / 24)
    assert len(figures["datasets"]) == len(figures["differences_by_dataset"]) == 18
    assert len(figures["differences_over_datasets"]) == 3
    ordinary = json.loads(rr.report(rr.compare(lost())).to_json())
    assert not {"over_datasets", "datasets"} & ordinary.keys()


def test_the_first_screen_says_for_which_data_sets_the_verdict_is_sure(comparison):
    words = comparison.standing.words
    # Means of 0.25 five times, and of -11/24: Student's t of six, by Bonferroni for three pairs.
    means = np.array([0.25] * 5 + [-11 / 24])
    half = stats.t.ppf(1 - 0.05 / 6, 5) * means.std(ddof=1) / 6**0.5
    low, high = means.mean() - half, means.mean() + half
    assert words == (
        "On average of these 6 data sets new is above old. For other data sets like these it is "
        "open: the mean of new minus old is "
        f"{low:.3f} to +{high:.3f}."
    )
    four = dict([*benchmark().items()][:4])
    few = rr.compare(four, resamples=100).standing.words
    assert few == "On average of these 4 data sets new is above old."
    alike = {
        f"set{i}": evaluated({"old": [2] * 12, "new": [*HALF[i:], *[1] * i]}) for i in range(6)
    }
    like = rr.compare(alike, resamples=100).standing.words
    assert "For other data sets like these it is sure: the mean of new minus old is +0." in like


def test_losses_decisive_data_sets_and_those_of_few_queries_are_named(comparison):
    assert [(each.title, each.text) for each in datasets_shown(comparison)][1:] == [
        ("Few queries", "set0 (12), set1 (12), set2 (12), set3 (12), set4 (12), and 1 more")
    ]
    decisive = evaluated({"old": [9] * 40, "new": [1] * 40})
    same = {"old": HALF * 4, "new": [*HALF[1:], 1] * 4}
    sets = {**{f"set{i}": evaluated(same) for i in range(5)}, "law": decisive}
    [found] = datasets_shown(rr.compare(sets, resamples=500))
    assert found.title == "law decides between new and old"
    assert found.text.startswith("without it new minus old is 0.000 (-")


def test_the_table_has_systems_by_data_sets():
    table = table_of(rr.join_datasets(benchmark(law=lost())))
    rows = {name: values for name, *values in table.rows}
    assert table.headers == ("data set", "new", "old", "none")
    assert rows["set0 (12)"] == ["0.750", "0.500", "0.200"]
    assert rows["law (12)"] == ["0.542", "1.000", "0.200"]
    assert rows["mean"] == ["0.715", "0.583", "0.200"]
    assert (rows["mean rank"], rows["Borda"]) == (["1.17", "1.83", "3.00"], ["11", "7", "0"])


def test_missing_values_are_dashes():
    partial = evaluated({"old": [2] * 12, "new": HALF})
    rows = table_of(rr.join_datasets(benchmark(law=partial))).rows
    assert ("law (12)", "0.750", "0.500", "\N{EN DASH}") in rows
    assert rows[0] == ("mean", "0.750", "0.500", "0.200")  # of the five others


def test_of_many_systems_each_is_a_row():
    places = {f"s{i}": [1 + (i + j) % 3 for j in range(12)] for i in range(7)}
    table = table_of(rr.join_datasets({"d0": evaluated(places), "d1": evaluated(places)}))
    assert len(table.rows) == 7
    assert table.headers[-1] == "d1 (12)"


@pytest.mark.slow
def test_of_many_data_sets_the_largest_differences_are_drawn():
    sets = {f"d{i}": evaluated({"old": HALF, "new": [*HALF[1:], 1 + i % 9]}) for i in range(22)}
    drawn = rr.compare(sets, resamples=100).plot_datasets().data
    assert drawn["system"].to_list()[:3] == [
        *("for these data sets", "for data sets like these", "the next data set"),
    ]
    assert len(drawn) == 3 + 15


@pytest.mark.slow
def test_thirteen_data_sets_by_one_command(tmp_path, monkeypatch):
    """What is planted in the example of the gallery is on the first screen of the page."""
    root = Path(__file__).parents[2]
    example = (root / "docs" / "examples" / "several_data_sets.py").read_text("utf-8")
    made = example[example.index("# Queries, and") : example.index("\n# %%")].strip()
    notebook = json.loads((root / "notebooks" / "data-sets.ipynb").read_text("utf-8"))
    assert made in ["".join(cell["source"]) for cell in notebook["cells"]]
    monkeypatch.chdir(tmp_path)
    exec(example[: example.index("\n# %%")], {})
    line = ["report", "--datasets", "benchmark", "--all-pairs", "-m", "nDCG@10", "-o", "page.json"]
    assert CliRunner().invoke(app, line).exit_code == 0
    page = json.loads(Path("page.json").read_text("utf-8"))["page"]["told"]["page"]
    screen = page["screen"]
    assert page["extent"] == "4 systems, 13 data sets, 540 queries"
    assert screen["headline"] == "hybrid leads on nDCG@10; all others are below it"
    assert (
        "For other data sets like these it is open: the mean of hybrid minus sparse is -"
        in screen["plain"]
    )
    assert [each["title"] for each in screen["segments"]] == [
        "hybrid is worse on arguments",
        "hybrid is worse on claims",
        "entities decides between hybrid and sparse",
        "Few queries",
    ]


def test_a_pair_is_turned_round():
    rows = rr.compare(benchmark(law=lost()), "new", resamples=100).by_dataset()
    turned = of_pair(rows, Pair(baseline="old", system="new")).to_dicts()[-1]
    given = of_pair(rows, Pair(baseline="new", system="old")).to_dicts()[-1]
    assert (turned["delta"], turned["ci_low"]) == (-given["delta"], -given["ci_high"])
    assert turned["mean_system"] == given["mean_baseline"] == pytest.approx(13 / 24)


def test_every_output_says_for_which_data_sets_the_verdict_holds(comparison):
    words = comparison.verdict().words
    assert words.like_these == comparison.standing.words
    order = "for other data sets like these the order of new and old is open"
    condition = f"But new is clearly worse on law; {order}."
    assert (words.turned, words.action.partition(" But")[0]) == (
        "",
        "Evidence favours new: try it live.",
    )
    report = rr.report(comparison)
    told = [str(comparison), str(comparison.verdict()), str(report), comparison.to_markdown()]
    for each in (*told, report.to_markdown().replace("\\", "")):
        assert each.count(words.like_these) == 1
        assert each.count(condition) == 1
    verdict = json.loads(report.to_json())["verdict"]
    assert verdict["like_these"] == words.like_these


@pytest.mark.parametrize("baseline", ["old", "new"])
def test_the_system_that_is_ahead_on_a_data_set_is_named_whichever_is_the_baseline(baseline):
    two = {"old": [1] * 12, "new": [2] * 11 + [1]}
    sets = {f"set{i}": evaluated({"old": [2] * 12, "new": HALF}) for i in range(5)}
    found = rr.compare({**sets, "law": evaluated(two)}, baseline, resamples=200).verdict().words
    assert found.like_these.startswith("On average of these 6 data sets new is above old.")
    assert "But new is clearly worse on law;" in found.action


def test_a_report_subtracts_the_other_system_from_the_better_one():
    places = {"b": [2] * 12, "a": [5] * 12, "c": [1, 2, *[1] * 10]}
    sets = {name: evaluated(places) for name in ("x", "y")}
    worse = rr.compare(sets, pairs="all", resamples=200)
    assert [str(pair) for pair in worse.pairs] == ["a minus b", "c minus b", "c minus a"]
    report = rr.report(worse)
    turned = report.content.comparison
    assert [str(pair) for pair in turned.pairs] == ["b minus a", "c minus a", "c minus b"]
    figures = json.loads(report.to_json())
    titles = [each["title"] for each in figures["page"]["told"]["page"]["sections"]]
    assert "Query by query: c against b" in titles
    assert all(row["delta"] > 0 for row in figures["comparison"] if row["measure"] == "RR")
    again = rr.report(rr.compare(worse.evaluation, **turned.settings)).content.comparison
    assert again.table().equals(turned.table())
    named = rr.compare(sets, baseline="c", pairs="all", resamples=200)
    assert rr.report(named).content.comparison.pairs == named.pairs
    gate = rr.gate(worse, "RR > -0.1")
    assert rr.report(worse, gate=gate).content.comparison is worse


def test_the_table_is_in_the_order_of_its_chart_with_the_best_in_bold(comparison, tmp_path):
    [section] = datasets_of(rr.report(comparison).content)
    drawn, table, *_ = section.parts
    names = [row[0] for row in table.rows]
    assert names[:3] == ["mean", "mean rank", "Borda"]
    assert names[3:] == [row[1] for row in drawn.data.rows][3:]
    assert names[-1] == "law (12)"
    bold = dict(zip(names, table.bold, strict=True))
    assert table.headers == ("data set", "new", "old", "none")
    assert (bold["mean rank"], bold["set0 (12)"], bold["law (12)"]) == ({1}, {1}, {2})
    rr.report(comparison).to_html(tmp_path / "page.html")
    assert "<b>1.000</b>" in (tmp_path / "page.html").read_text("utf-8")


def test_what_an_action_depends_on_is_of_the_systems_that_it_names():
    """new leads by far on five data sets and loses on one; alt is a little better on each."""
    ranks = {
        "old": [3, 3, 3, 3, 3, 3],
        "new": [1, 1, 1, 1, 1, 7],
        "alt": [2, 2, 2, 2, 2, 2],
    }
    sets = {}
    for at, name in enumerate("abcdef"):
        qrels = {f"q{i}": {"r": 1} for i in range(40)}
        runs = {
            system: {
                # In one query of four nothing changes, so that differences vary.
                f"q{i}": [*"stuvwx"[: (places[at] if i % 4 else 4) - 1], "r"]
                for i in range(40)
            }
            for system, places in ranks.items()
        }
        sets[name] = rr.evaluate(qrels, runs, "RR")
    comparison = rr.compare(sets, resamples=500)
    judged = rr.gate(comparison, ["RR > -0.02 in every dataset"])
    assert judged.verdict().decision.advised.systems == ("alt",)
    assert "new is clearly worse on f" not in judged.action
    assert judged.action == "Evidence favours alt: try it live."
    assert comparison.verdict().action.endswith("But new is clearly worse on f.")
    of_all = rr.compare(sets, pairs="all", resamples=500).verdict()
    assert "new is clearly worse on f" in of_all.action
    assert of_all.words.like_these.startswith("On average of these 6 data sets new is above alt.")


def test_where_the_order_is_open_both_are_named_where_they_lose():
    won, flat = {"old": [2] * 12, "new": [1] * 11 + [2]}, {"old": HALF, "new": HALF}
    turned = {"old": won["new"], "new": won["old"]}
    sets = {"law": evaluated(won), "shop": evaluated(turned), "web": evaluated(flat)}
    comparison = rr.compare(sets, resamples=200)
    assert comparison.verdict().word == "inconclusive"
    assert "new is clearly worse on shop; old is clearly worse on law." in str(comparison)
    shown = [(each.title, each.tone) for each in datasets_shown(comparison)]
    assert shown[:2] == [("new is worse on shop", "worse"), ("new is better on law", "better")]
