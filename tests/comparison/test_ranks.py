"""Ranks: by hand, as R's csranks gives them, and consistent with the verdicts and the means."""

import random
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankreport as rr
from rankreport.comparison import Basis, Pair, every_pair, paired_differences
from rankreport.comparison.decision import Decision, Relation, positions_of
from rankreport.comparison.paired_differences import Contrasts
from rankreport.comparison.pairs import Family
from rankreport.errors import OptionError
from rankreport.statistics import Draws, Structure

OPEN = Relation(0, Basis.INTERVAL)


def related(better, *, sure=True):
    """Return what is known where some systems, the first of each pair, are better than others."""
    known = {}
    for one, other in better:
        known.setdefault(one, {})[other] = Relation(1, Basis.INTERVAL, not sure, sure)
        known.setdefault(other, {})[one] = Relation(-1, Basis.INTERVAL, not sure, sure)
    return known


def ranks_of(found):
    return {each.system: (each.highest, each.lowest) for each in found}


def test_ranks_count_the_systems_surely_better_and_surely_worse():
    known = related([("a", "c"), ("a", "d"), ("b", "d")])
    found = positions_of("abcd", known)
    assert ranks_of(found) == {"a": (1, 2), "b": (1, 3), "c": (2, 4), "d": (3, 4)}
    assert Decision({}, found).groups == (("a", "b", "c", "d"),)


def test_what_holds_on_what_was_seen_alone_leaves_more_ranks_open():
    seen = related([("a", "c"), ("b", "c")], sure=False)
    seen["a"]["c"] = Relation(1, Basis.INTERVAL, seen_only=False, is_sure=True)
    seen["c"]["a"] = Relation(-1, Basis.INTERVAL, seen_only=False, is_sure=True)
    a, b, c = positions_of("abc", seen)
    assert [each.ranks for each in (a, b, c)] == ["1–2", "1–3 (1–2)", "2–3 (3)"]
    assert (b.may_be_best, c.may_be_best, c.seen_only) == (True, False, False)


def test_groups_are_cut_where_all_above_are_surely_better_than_all_below():
    found = positions_of("abcd", related([(x, y) for x in "ab" for y in "cd"]))
    assert Decision({}, found).groups == (("a", "b"), ("c", "d"))
    assert "a, b; c, d" in Decision({}, found).ranks_in_words


def test_doubts_leave_ranks_open_and_are_named():
    known = related([("a", "b")])
    known["a"]["c"] = known["c"] = {}
    known["a"] = {"b": known["a"]["b"], "c": Relation(0, Basis.UNJUDGED)}
    known["c"] = {"a": Relation(0, Basis.UNJUDGED)}
    a, b, c = positions_of("abc", known)
    assert (a.doubts, b.doubts, c.doubts) == ((Basis.UNJUDGED,), (), (Basis.UNJUDGED,))
    assert c.ranks == "1–3"


MEANS = st.lists(st.integers(0, 8), min_size=2, max_size=9).map(lambda m: sorted(m, reverse=True))


@given(MEANS, st.integers(1, 4))
def test_ranks_hold_the_order_and_shrink_with_the_distance_that_decides(means, distance):
    systems = [f"s{at}" for at in range(len(means))]
    spans = []
    for least in (distance, distance + 1):
        better = [
            (systems[i], systems[j])
            for i, j in combinations(range(len(means)), 2)
            if means[i] - means[j] >= least
        ]
        found = positions_of(systems, related(better))
        spans.append([(each.highest, each.lowest) for each in found])
        for place, (high, low) in enumerate(spans[-1], 1):
            assert high <= place <= low
        # The ranks that the true means have are among them, if none of the distances errs.
        for mean, (high, low) in zip(means, spans[-1], strict=True):
            assert high <= 1 + sum(each > mean for each in means)
            assert low >= sum(each >= mean for each in means)
    for (high, low), (higher, lower) in zip(*spans, strict=True):
        assert higher <= high
        assert low <= lower


CSRANKS = {
    (3, 300, 0.03, 1): ("2 1 1", "3 3 2"),
    (10, 300, 0.06, 2): ("8 6 4 3 2 2 2 1 1 1", "10 10 10 9 8 9 8 7 6 3"),
    (30, 300, 0.2, 3): (
        "26 26 24 23 22 22 22 21 18 17 17 17 15 15 11 11 10 9 8 7 7 5 6 4 2 2 2 1 1 1",
        "30 30 30 30 28 30 28 27 26 23 22 22 22 21 18 18 16 16 16 16 14 12 13 11 8 9 7 6 6 3",
    ),
}
"""Systems, queries, spread of the means and seed, with the ranks that csranks 1.2.2 gives in R:
csranks(colMeans(X), cov(X) / nrow(X), stepdown = FALSE, R = 10000), the same for five seeds."""


@pytest.mark.parametrize("case", CSRANKS, ids=str)
def test_ranks_by_the_intervals_are_those_of_csranks(case):
    n_systems, n_queries, spread, seed = case
    draw, rows = random.Random(seed).random, []
    for _ in range(n_queries):
        level = 0.5 * draw()
        row = [level + 0.3 * draw() + spread * j / (n_systems - 1) for j in range(n_systems)]
        rows.append([round(each, 6) for each in row])
    scores = dict(enumerate(np.array(rows).T[:, :, np.newaxis]))
    pairs = tuple(Pair(*two) for two in combinations(scores, 2))
    of = Contrasts(
        scores=scores,
        measures=("m",),
        goals=(1.0,),
        ranges=np.array([[0.0], [1.0]]),
        pairs=pairs,
        family=Family("max-t", "systems", len(pairs), 1),
        draws=Draws(2_000, seed=0),
        structure=Structure(),
    )
    lows, highs = of.intervals("t", 0.95)
    signs = [(low > 0) - (high < 0) for low, high in zip(lows, highs, strict=True)]
    better = [
        (pair.system, pair.baseline) if sign > 0 else (pair.baseline, pair.system)
        for pair, sign in zip(pairs, signs, strict=True)
        if sign
    ]
    found = ranks_of(positions_of([*scores], related(better)))
    highest, lowest = ([int(each) for each in line.split()] for line in CSRANKS[case])
    assert [found[j] for j in scores] == [*zip(highest, lowest, strict=True)]


def run_of(skill, seed):
    """Return lists in which the relevant document stands first in so many queries of ten."""
    return {
        f"q{i}": {"r": 2.0 if (i * 7 + seed) % 10 < skill else 0.5, "x": 1.0, "y": 0.75 - i % 2}
        for i in range(60)
    }


@pytest.fixture(scope="module")
def evaluation():
    qrels = {f"q{i}": {"r": 1, "x": 0, "y": 0} for i in range(60)}
    skills = {"a": (9, 0), "b": (8, 5), "c": (6, 3), "d": (5, 1), "e": (2, 0)}
    runs = {name: run_of(*skill) for name, skill in skills.items()}
    return rr.evaluate(qrels, runs, ["RR"])


@pytest.fixture(scope="module")
def of_all(evaluation):
    return rr.compare(evaluation, pairs="all", resamples=500)


def test_ranks_are_those_of_the_ends_that_decide_on_all_pairs(of_all):
    known = {name: [1, 5] for name in of_all.evaluation.systems}
    for pair, each in of_all.decision.pairs.items():
        low, high = each.found.deciding
        if each.direction and not low <= 0 <= high:
            better, worse = pair if high < 0 else pair[::-1]
            known[worse][0] += 1
            known[better][1] -= 1
    found = ranks_of(of_all.decision.positions)
    assert {name: list(ranks) for name, ranks in found.items()} == known
    assert len({*found.values()}) > 2


def test_ranks_are_the_same_whichever_pairs_are_compared(of_all, evaluation, monkeypatch):
    expected = ranks_of(of_all.decision.positions)
    for options in ({}, {"baseline": "c"}, {"baseline": ["a", "e"]}):
        found = rr.compare(evaluation, resamples=500, **options).decision
        assert ranks_of(found.positions) == expected
    # Of many systems, replicates and figures are made in parts.
    monkeypatch.setattr(paired_differences, "MOST_REPLICATES", 1_500)
    found = rr.compare(evaluation, resamples=500).decision
    assert ranks_of(found.positions) == expected


@pytest.mark.parametrize("options", [{}, {"interval": "studentized"}], ids=str)
def test_too_many_systems_have_no_ranks_and_it_is_said(evaluation, monkeypatch, options):
    monkeypatch.setattr(every_pair, "_MOST_DRAWN", 9)
    monkeypatch.setattr(every_pair, "MOST_REPLICATES", 9 * 500)
    found = rr.leaderboard(rr.compare(evaluation, resamples=500, **options))
    table = found.table()
    for name in ("rank_highest", "rank_lowest", "seen_highest", "seen_lowest", "group"):
        assert table[name].null_count() == 5
    assert "5 systems are too many for ranks" in repr(found)
    with pytest.raises(OptionError, match="too many for ranks"):
        found.plot_ranks()


def test_the_chart_has_the_ranks_and_what_else_leaves_them_open(of_all):
    chart = rr.leaderboard(of_all).plot_ranks()
    rows = {row["system"]: row for row in chart.data.iter_rows(named=True)}
    for each in of_all.decision.positions:
        row = rows[each.system]
        assert (row["rank_highest"], row["rank_lowest"]) == (each.highest, each.lowest)
        assert (row["seen_highest"], row["seen_lowest"]) == each.ranks_seen
    assert chart.alt.startswith("Ranks left open, all at once with 95 % confidence: a 1")
    doubted = rr.charts.ranks(chart.data.with_columns(doubts=pl.lit("unjudged documents")))
    assert "unjudged documents" in doubted.alt
    marks = {line.get_marker() for line in doubted.axes[0].lines}
    assert marks == {"s", "None"}
