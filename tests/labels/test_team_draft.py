"""interleaving(): wins of lists, and an interval that draws users."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankreport as rr


def drafted(n_users, preference, seed, *, lists=5, spread=0.0):
    """Return lists of four documents, drafted in turns, of users who lean to one side each."""
    rng = np.random.default_rng(seed)
    rows = []
    for user in range(n_users):
        leaning = np.clip(preference + rng.normal(0, spread), 0, 1)
        for number in range(lists):
            teams = [side for _ in range(2) for side in rng.permutation(["old", "new"])]
            chosen = "new" if rng.random() < leaning else "old"
            clicked = teams.index(chosen) if rng.random() < 0.8 else -1
            rows += [
                (f"u{user}-{number}", f"u{user}", team, int(place == clicked))
                for place, team in enumerate(teams)
            ]
    return pl.DataFrame(rows, schema=["session", "user", "team", "clicked"], orient="row")


def test_lists_are_counted_as_by_hand():
    rows = [
        *(("1", "u", "old", 0), ("1", "u", "new", 2)),
        *(("2", "u", "old", 1), ("2", "u", "new", 0), ("2", "u", "", 1)),
        *(("3", "v", "old", 1), ("3", "v", "new", 1)),
        *(("4", "v", "old", 0), ("4", "v", "new", 0)),
        *(("5", "w", "new", 1), ("5", "w", "new", 0)),
    ]
    log = pl.DataFrame(rows, schema=["session", "user", "team", "clicked"], orient="row")
    found = rr.interleaving(log, baseline="old")
    assert (found.system, found.baseline) == ("new", "old")
    assert (found.wins, found.losses, found.ties, found.without_clicks) == (2, 1, 1, 1)
    assert found.share == 2.5 / 4
    assert found.n_users == 3
    assert {c.code for c in found.cautions} == {"few_users", "one_team"}
    turned = rr.interleaving(log, baseline="new")
    assert (turned.wins, turned.losses, turned.share) == (1, 2, 1.5 / 4)
    assert turned.ci_low == pytest.approx(1 - found.ci_high, abs=0.02)
    assert rr.interleaving(log).baseline == "new"


def test_the_interval_is_that_of_users():
    log = drafted(60, 0.55, 1, lists=20, spread=0.4)
    found = rr.interleaving(log, baseline="old", interval="t")
    alone = rr.interleaving(log.drop("user"), baseline="old", interval="t")
    assert found.share == alone.share
    assert found.ci_high - found.ci_low > 1.5 * (alone.ci_high - alone.ci_low)
    assert [c.code for c in alone.cautions] == ["users_unknown"]
    assert found.cautions == ()
    # Cluster t by hand: of the sums of users over the mean number of their lists.
    lists = log.group_by("session", "user", maintain_order=True).agg(
        pl.col("clicked").filter(pl.col("team") == "new").sum()
        - pl.col("clicked").filter(pl.col("team") == "old").sum(),
        clicks=pl.col("clicked").sum(),
    )
    users = (
        lists.filter(pl.col("clicks") > 0).group_by("user").agg(pl.col("clicked").sum(), n=pl.len())
    )
    mean = users["clicked"].sum() / users["n"].sum()
    assert found.share == pytest.approx((1 + mean) / 2)
    residual = (users["clicked"] - mean * users["n"]).to_numpy() / users["n"].mean()
    error = residual.std(ddof=1) / np.sqrt(len(users))
    half = 2.001 * error / 2
    assert found.ci_high - found.share == pytest.approx(half, rel=0.05)


@pytest.mark.slow
def test_the_interval_covers_what_was_planted():
    inside = []
    for seed in range(300):
        found = rr.interleaving(drafted(60, 0.6, seed, spread=0.2), baseline="old", resamples=1000)
        inside.append(found.ci_low < 0.6 < found.ci_high)
    assert 0.92 < np.mean(inside) < 0.98


def test_sentences():
    assert rr.interleaving(drafted(80, 0.8, 1), baseline="old").sentence.startswith(
        "Users prefer new to old: its win share is "
    )
    assert rr.interleaving(drafted(80, 0.2, 1), baseline="old").sentence.startswith(
        "Users prefer old to new, whose win share is "
    )
    assert rr.interleaving(drafted(80, 0.5, 2), baseline="old").sentence.startswith(
        "No preference is proved: the win share of new against old is "
    )
    few = rr.interleaving(drafted(9, 1.0, 1), baseline="old")
    assert (few.share, few.n_decided) == (1, 9)
    assert few.sentence == (
        "The win share of new against old is 100 %: too few clicks to tell a preference."
    )
    text = repr(rr.interleaving(drafted(80, 0.8, 1), baseline="old"))
    assert "new interleaved with old" in text
    assert "win share" in text


def test_lists_that_all_agree_have_an_interval():
    log = drafted(50, 1.0, 1)
    found = rr.interleaving(log, baseline="old")
    assert found.losses == found.ties == 0
    assert 0.5 < found.ci_low < found.share == found.ci_high == 1
    assert found.to_polars().row(0, named=True)["wins"] == found.wins


def test_forms_of_the_log(tmp_path):
    log = drafted(10, 0.6, 4)
    log.write_csv(tmp_path / "log.csv")
    expected = rr.interleaving(log).to_polars()
    assert rr.interleaving(tmp_path / "log.csv").to_polars().equals(expected)
    assert rr.interleaving(log.to_dicts()).to_polars().equals(expected)
    assert rr.interleaving(log.reverse()).to_polars().equals(expected)


def test_users_who_count_their_sessions_have_lists_of_their_own():
    """Users 1 to 200 have sessions 1 to 3, whose lists are those of sessions with unique names."""
    log = drafted(200, 0.573, 7, lists=3)
    named = rr.interleaving(log, baseline="old")
    counted = log.with_columns(pl.col("session").str.extract("-(.*)").cast(pl.Int64))
    found = rr.interleaving(counted, baseline="old")
    assert (found.wins, found.losses, found.ties) == (named.wins, named.losses, named.ties)
    assert found.wins + found.losses > 400
    assert found.n_users == named.n_users


@pytest.mark.parametrize(
    ("column", "teams", "is_shared"),
    [
        ("session", ["old", "new"], True),
        ("session", ["old", "new", "old", "new"], False),
        ("search_id", ["old", "new", "old", "new"], True),
        ("impression_id", ["old", "new"], True),
    ],
)
def test_two_users_in_one_list(column, teams, is_shared):
    """One list cannot be told from two where each user has documents of both rankings."""
    half = len(teams) // 2
    log = pl.DataFrame(
        {column: "s", "user": ["u"] * half + ["v"] * half, "team": teams, "clicked": 1}
    )
    if is_shared:
        with pytest.raises(rr.DataError, match="two users in one list: session 's' has 'u' and 'v"):
            rr.interleaving(log)
    else:
        assert rr.interleaving(log).ties == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: log.drop("team"), r"no column for team \(or system"),
        (lambda log: log.with_columns(team=pl.lit("a")), "found 1: a"),
        (lambda log: log.with_columns(team=pl.col("session")), "found 10: "),
        (lambda log: log.with_columns(clicked=pl.lit("x")), "Row 1 of the log has no valid number"),
        (lambda log: log.with_columns(session=pl.lit(None)), "has no session"),
        (lambda log: log.with_columns(user=pl.lit(None)), "has no user"),
        (lambda log: log.with_columns(clicked=pl.lit(0)), "no click on a document"),
        (lambda _: [{"action_name": "click"}], "events of UBI are clicks alone"),
    ],
)
def test_invalid_logs(change, message):
    with pytest.raises(rr.DataError, match=message):
        rr.interleaving(change(drafted(2, 0.5, 1)))


def test_invalid_options():
    log = drafted(2, 0.5, 1)
    with pytest.raises(rr.OptionError, match="baseline='x' is not one of 'new', 'old'"):
        rr.interleaving(log, baseline="x")
    with pytest.raises(rr.OptionError, match="confidence=1 must lie"):
        rr.interleaving(log, confidence=1)
    with pytest.raises(rr.OptionError, match="interval='x' is not one of"):
        rr.interleaving(log, interval="x")
