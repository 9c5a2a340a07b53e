"""Rare failures not seen: what they could do to a verdict, and in which words."""

from __future__ import annotations

import polars as pl
import pytest
from scipy import stats

import rankreport as rr
from rankreport.reports.sections.leaderboard import leaderboard_sections


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


SMALL_WINS = [0.01 + at / 1000 for at in range(30)]


def shares(n, k=0, tail=0.025):
    """Clopper and Pearson's upper end, in the words of a verdict."""
    end = stats.binomtest(k, n).proportion_ci(1 - 2 * tail, method="exact").high
    return f"that up to {100 * end:.1f} % of all"


@pytest.mark.parametrize(("sign", "word"), [(1, "better"), (-1, "worse")])
def test_what_rare_failures_could_undo_holds_of_what_was_seen(sign, word):
    comparison = compared([*(sign * win for win in SMALL_WINS), *[0.0] * 70])
    verdict = comparison.verdict()
    assert (verdict.word, verdict.seen_only) == (word, True)
    assert f"new is {word} than old on Wanted, on these queries: " in str(verdict)
    went, go, undone = ("lost", "lose", "gain") if sign > 0 else ("gained", "gain", "loss")
    assert verdict.detail == (
        f"No query here {went}, but 100 queries cannot exclude that up to "
        f"3.6 % of all queries {go} the most possible (1), which could undo the {undone}."
    )
    some = compared([*(sign * win for win in SMALL_WINS), -sign * 0.01, *[0.0] * 69])
    assert some.verdict().detail.startswith(f"No query here {went} more than 0.5, but 100 queries")
    assert comparison.table()["caution"].item().endswith(f"{word} on these queries")
    assert verdict.decision.to_plain()["seen_only"] is True
    (pair,) = verdict.decision.to_plain()["pairs"]
    c = 1 - 0.025 ** (1 / 100)
    nearer = pair["deciding_low"] if sign > 0 else pair["deciding_high"]
    assert nearer == pytest.approx(comparison.table()["delta"].item() - sign * c)


@pytest.mark.parametrize("n_losers", [0, 9, 10, 30])
def test_how_many_lost_a_little_does_not_matter(n_losers):
    comparison = compared([*SMALL_WINS, *[-0.001] * n_losers, *[0.0] * 30])
    assert comparison.verdict().seen_only


LITTLE, MUCH = [*SMALL_WINS, *[0.0] * 70], [0.3 + at / 1000 for at in range(100)]


@pytest.mark.parametrize(
    ("systems", "pairs", "headline", "plain"),
    [
        ([LITTLE, LITTLE], "baseline", "s0 and s1 are better than old on Wanted, {seen}", ""),
        ([LITTLE, MUCH], "baseline", "s0 and s1 are better than old on Wanted, s0 {seen}", ""),
        ([LITTLE], "all", "s0 leads on Wanted; all others are below it, {seen}", ""),
        ([MUCH], "all", "s0 leads on Wanted; all others are below it", ""),
        (
            [LITTLE, LITTLE, MUCH, MUCH],
            "baseline",
            "Several systems are better than old on Wanted",
            "Better: s2, s3. Better {seen}: s0, s1.",
        ),
        (
            [[-each for each in LITTLE]] * 2,
            "baseline",
            "All systems are worse than old on Wanted, {seen}",
            "Worse {seen}: s0, s1.",
        ),
    ],
)
def test_of_several_systems_the_headline_says_what_holds_of_what_was_seen(
    systems, pairs, headline, plain
):
    every = {"old": [0.0] * 100, **{f"s{at}": deltas for at, deltas in enumerate(systems)}}
    if pairs == "all":
        every["equal"] = every["old"]
    queries = [f"q{at:03}" for at in range(100)]
    runs = {
        name: {query: {"r": 0.5 + delta} for query, delta in zip(queries, deltas, strict=True)}
        for name, deltas in every.items()
    }
    evaluation = rr.evaluate({q: {"r": 1} for q in queries}, runs, ["Wanted"])
    comparison = rr.compare(evaluation, resamples=200, pairs=pairs)
    screen = rr.report(comparison)._summary.page.screen
    assert screen.headline == headline.format(seen="on these queries")
    assert screen.plain == plain.format(seen="on these queries")


def test_large_losses_that_were_seen_are_counted():
    comparison = compared([*[0.3] * 90, -0.5, *[0.3] * 9], largest_loss=0.9)
    assert not comparison.verdict().seen_only  # large wins outweigh what could be lost
    few = compared([*[0.06 + at / 1000 for at in range(99)], -0.5], largest_loss=0.9)
    if few.verdict().seen_only:
        pytest.fail("an interval of -0.5 and 99 wins knows what a loss does")
    rare = compared([*[0.02 + at / 5000 for at in range(99)], -0.46], largest_loss=0.9)
    assert rare.verdict().detail == (
        f"1 of 100 queries lost more than 0.45, but 100 queries cannot exclude {shares(100, 1)} "
        "queries lose the most possible (0.9), which could undo the gain."
    )


def test_clusters_are_called_clusters():
    clusters = {f"q{at:03}": at // 2 for at in range(60)}
    verdict = compared([*SMALL_WINS, *[0.0] * 30], clusters=clusters).verdict()
    assert verdict.detail.startswith("No cluster here lost, but 30 clusters cannot exclude that")
    assert f"{shares(30)} clusters" in verdict.detail


def test_the_largest_loss_may_settle_it():
    wins = [*SMALL_WINS, *[0.0] * 30]
    assert compared(wins).verdict().seen_only
    verdict = compared(wins, largest_loss=0.1).verdict()
    assert (verdict.word, verdict.seen_only, verdict.detail) == ("better", False, "")


def test_no_worse_and_equivalent_allow_for_rare_failures():
    deltas = [0.001 * (-1) ** at for at in range(60)]
    assert compared(deltas, margin=0.01).verdict().word == "inconclusive"
    assert compared(deltas, margin=0.01, largest_loss=0.1).verdict().word == "equivalent"
    assert compared([0.0] * 60, margin=0.01).verdict().word == "unchanged"
    assert compared([0.0] * 60, margin=0.1).verdict().word == "equivalent"


def warned(comparison):
    return [each for each in comparison.cautions if each.code == "rare_failures"]


def test_where_they_are_not_allowed_for_the_output_says_what_would():
    weights = {f"q{at:03}": 1.0 + at % 2 for at in range(60)}
    (caution,) = warned(compared([*SMALL_WINS, *[0.0] * 30], weights=weights))
    assert caution.severity == "note"
    assert caution.text.endswith("with weights, no bound on them is known; without, they are.")
    assert not warned(compared([*SMALL_WINS, *[0.0] * 30]))
    assert not warned(compared([0.01, -0.01, -0.01, 0.01] * 15, weights=weights))


def test_a_measure_without_a_bound_needs_the_largest_loss():
    qrels = {f"q{at}": {"r": 1, "s": 1} for at in range(60)}
    old = {query: {"x": 3.0, "r": 2.0} for query in qrels}
    new = {query: {"r": 3.0, **({"s": 2.0} if at % 2 else {})} for at, query in enumerate(qrels)}
    evaluation = rr.evaluate(qrels, {"old": old, "new": new}, ["DCG@10"])
    unbounded = rr.compare(evaluation, resamples=200)
    (caution,) = warned(unbounded)
    assert "DCG@10 has no bound; give the largest loss that a query can have" in caution.text
    assert not unbounded.verdict().seen_only
    named = rr.compare(evaluation, resamples=200, largest_loss=30)
    assert named.verdict().seen_only
    assert not warned(named)


def test_the_section_of_a_leaderboard_says_what_the_verdict_says_of_the_best():
    queries = [f"q{at:03}" for at in range(100)]
    runs = {f"s{at}": {query: {"r": 0.5} for query in queries} for at in range(5)}
    runs["best"] = {query: {"r": 0.5 + delta} for query, delta in zip(queries, LITTLE, strict=True)}
    evaluation = rr.evaluate({q: {"r": 1} for q in queries}, runs, ["Wanted"])
    comparison = rr.compare(evaluation, baseline="best", resamples=200)
    (section,) = leaderboard_sections(rr.report(comparison).content)
    (words,) = section.paragraphs
    assert words == "best has the highest mean, and all others are below it on these queries."
    assert comparison.verdict().others.endswith(words)
