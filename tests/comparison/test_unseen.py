"""Losses not seen: what few large ones could do to a verdict."""

from __future__ import annotations

import polars as pl
import pytest

import rankreport as rr


@pytest.fixture(autouse=True)
def declared():
    """A measure whose value is the score of a query's document."""

    @rr.measure(
        title="The value that a test wants", family="test", formula="s", source="none", range=(0, 1)
    )
    def Wanted() -> pl.Expr:
        """Whatever the test wants it to be."""
        return pl.col("score").first()


def compared(deltas, **options):
    queries = [f"q{at:03}" for at in range(len(deltas))]
    old = {query: {"r": 0.5} for query in queries}
    new = {query: {"r": 0.5 + delta} for query, delta in zip(queries, deltas, strict=True)}
    evaluation = rr.evaluate({q: {"r": 1} for q in queries}, {"old": old, "new": new}, ["Wanted"])
    return rr.compare(evaluation, resamples=500, **options)


def warned(comparison):
    return [each for each in comparison.cautions if each.code == "unseen_losses"]


SMALL_WINS = [0.01 + at / 1000 for at in range(30)]


@pytest.mark.parametrize(("sign", "word"), [(1, "better"), (-1, "worse")])
def test_a_verdict_on_small_changes_to_one_side_is_looked_at(sign, word):
    comparison = compared([*(sign * win for win in SMALL_WINS), *[0.0] * 30])
    assert comparison.verdict().word == word
    (caution,) = warned(comparison)
    assert caution.text.startswith("Few queries went against the result")
    assert "new against old (0 of 60 went the other way; with such changes " in caution.text
    assert ("may end at -0.0" if sign > 0 else "may end at +0.0") in caution.text
    assert caution.severity == "look"
    # The table says so too.
    assert comparison.table()["caution"].item().endswith("few large changes could undo it")


def test_clusters_that_went_the_other_way_are_called_clusters():
    clusters = {f"q{at:03}": at // 2 for at in range(60)}
    (caution,) = warned(compared([*SMALL_WINS, *[0.0] * 30], clusters=clusters))
    assert caution.text.startswith("Few clusters of queries went against the result")
    assert "new against old (0 of 30 clusters went the other way; " in caution.text


def test_with_ten_queries_on_the_other_side_the_interval_knows():
    ties = [0.0] * 30
    nine, ten = (compared([*SMALL_WINS, *[-0.001] * n, *ties]) for n in (9, 10))
    assert nine.verdict().word == ten.verdict().word == "better"
    assert warned(nine)
    assert not warned(ten)


def test_large_wins_outweigh_what_could_be_lost():
    comparison = compared([0.4 + win for win in SMALL_WINS])
    assert comparison.verdict().word == "better"
    assert not warned(comparison)


def test_nothing_is_said_without_a_verdict_or_with_weights():
    assert not warned(compared([0.01, -0.01] * 30))
    weights = {f"q{at:03}": 1.0 + at % 2 for at in range(60)}
    assert not warned(compared([*SMALL_WINS, *[0.0] * 30], weights=weights))
