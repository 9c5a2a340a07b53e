"""qrels_from_clicks(): values of each model, grades, what is read and what is refused."""

from __future__ import annotations

import gzip
import json

import numpy as np
import polars as pl
import pytest
from click_logs import APPEAL, N_DOCUMENTS, N_QUERIES, appeal_of, patient_users

import rankreport as rr
from rankreport.labels import click_models

COUNTS = pl.DataFrame(
    {
        "query_id": ["q"] * 4,
        "doc_id": ["a", "b", "b", "c"],
        "rank": [1, 2, 1, 2],
        "impressions": [100, 80, 20, 20],
        "clicks": [40, 8, 8, 0],
    }
)


def values(labels):
    return {row["doc_id"]: row for row in labels.pairs().iter_rows(named=True)}


def test_click_through_rates_worked_by_hand():
    found = values(rr.qrels_from_clicks(COUNTS, "ctr", smoothing=0))
    assert {doc: row["value"] for doc, row in found.items()} == {"a": 0.4, "b": 0.16, "c": 0}
    # Drawn towards 56 of 220 as if each had been shown 10 times more.
    found = values(rr.qrels_from_clicks(COUNTS, "ctr", smoothing=10))
    assert found["b"]["value"] == pytest.approx((16 + 10 * 56 / 220) / 110)
    assert found["b"]["value_low"] < found["b"]["value"] < found["b"]["value_high"]
    assert found["b"]["mean_rank"] == pytest.approx(1.8)


def test_clicks_over_expected_clicks_worked_by_hand():
    labels = rr.qrels_from_clicks(COUNTS, "coec", smoothing=0)
    found = values(labels)
    # At rank 1, 48 of 120; at rank 2, 8 of 100.
    assert found["a"]["expected"] == pytest.approx(40)
    assert found["b"]["expected"] == pytest.approx(80 * 0.08 + 20 * 0.4)
    assert found["b"]["value"] == pytest.approx(16 / 14.4)
    assert labels.position_bias()["bias"].to_list() == [1, pytest.approx(0.2)]
    assert labels.position_bias()["ci_low"][0] is None
    smooth = values(rr.qrels_from_clicks(COUNTS, "coec", smoothing=22))
    assert smooth["b"]["value"] == pytest.approx((16 + 5.6) / (14.4 + 5.6))


def test_the_position_based_model_divides_by_examination():
    # Rank 2 is examined half as often: b at rank 2 is as good as a at rank 1.
    log = pl.DataFrame(
        {
            "query_id": ["q"] * 4,
            "doc_id": ["a", "a", "b", "b"],
            "rank": [1, 2, 1, 2],
            "impressions": [1000, 100, 100, 1000],
            "clicks": [400, 20, 40, 200],
        }
    )
    labels = rr.qrels_from_clicks(log, smoothing=0)
    found = values(labels)
    assert found["a"]["value"] == pytest.approx(0.4)
    assert found["b"]["value"] == pytest.approx(0.4)
    assert found["b"]["expected"] == pytest.approx(600)
    bias = labels.position_bias().row(1, named=True)
    assert bias["bias"] == pytest.approx(0.5)
    assert bias["ci_low"] < 0.5 < bias["ci_high"]


def test_the_cascade_reads_down_to_the_first_click():
    rows = [
        *(("s1", "a", 1, 0), ("s1", "b", 2, 1), ("s1", "c", 3, 1)),
        *(("s2", "a", 1, 1), ("s2", "b", 2, 0), ("s2", "c", 3, 0)),
        *(("s3", "a", 1, 0), ("s3", "b", 2, 0), ("s3", "c", 3, 0)),
    ]
    log = pl.DataFrame(rows, schema=["session", "doc_id", "rank", "clicked"], orient="row")
    log = log.with_columns(query_id=pl.lit("q"))
    labels = rr.qrels_from_clicks(log, "cascade", smoothing=0, min_impressions=1)
    found = values(labels)
    assert {doc: (row["impressions"], row["clicks"]) for doc, row in found.items()} == {
        "a": (3, 1),
        "b": (2, 1),
        "c": (1, 0),
    }
    assert labels.position_bias()["bias"].to_list() == pytest.approx([1, 2 / 3, 1 / 3])
    assert {c.code for c in labels.cautions} == {"few_clicks", "later_clicks"}


def test_users_who_count_their_sessions_have_lists_of_their_own():
    named = patient_users(400, 3)
    counted = named.with_columns(session=pl.lit(1))
    users = named.with_columns(pl.col("session").alias("user"))
    expected = rr.qrels_from_clicks(users, "cascade")
    found = rr.qrels_from_clicks(counted.with_columns(users["user"]), "cascade")
    assert found.pairs().equals(expected.pairs())
    assert found.source == expected.source
    assert "repeated_rows" not in {caution.code for caution in found.cautions}
    with pytest.raises(rr.DataError, match="two users in one list: session '1' has 's0' and "):
        rr.qrels_from_clicks(counted.with_columns(users["user"]).rename({"session": "serp_id"}))


def test_the_cascade_finds_what_was_planted():
    labels = rr.qrels_from_clicks(patient_users(8000, 3, stop=True), "cascade", min_impressions=30)
    pairs = labels.pairs()
    appeal = appeal_of(pairs)
    inside = (pairs["value_low"].to_numpy() < appeal) & (appeal < pairs["value_high"].to_numpy())
    assert inside.mean() > 0.88


def test_labels_are_accepted_wherever_judgments_are():
    labels = rr.qrels_from_clicks(patient_users(3000, 2))
    order = np.argsort(-APPEAL, axis=1)
    best = {f"q{q}": [f"d{d}" for d in order[q]] for q in range(N_QUERIES)}
    worst = {query: documents[::-1] for query, documents in best.items()}
    means = dict(rr.evaluate(labels, {"best": best, "worst": worst}, ["nDCG@5"]).summary().rows())
    assert means["best"] > 0.9
    assert means["worst"] < 0.6
    assert rr.read_qrels(labels).collect().equals(labels.qrels)
    assert len(labels.qrels) == N_QUERIES * N_DOCUMENTS


def test_grades_by_number_and_by_threshold():
    log = patient_users(3000, 2)
    plain = rr.qrels_from_clicks(log).pairs()
    mean = np.average(plain["value"], weights=plain["impressions"])
    three = rr.qrels_from_clicks(log, grades=3)
    counts = dict(three.qrels["relevance"].value_counts().iter_rows())
    assert counts[0.0] == (plain["value"] < mean).sum()
    assert max(counts[g] for g in (1.0, 2.0, 3.0)) - min(counts[g] for g in (1.0, 2.0, 3.0)) <= 1
    assert three.thresholds[0] == pytest.approx(mean)
    again = rr.qrels_from_clicks(log, grades=three.thresholds)
    assert again.qrels.equals(three.qrels)
    one = rr.qrels_from_clicks(log, grades=[0.2])
    assert one.qrels["relevance"].to_list() == (plain["value"] >= 0.2).cast(float).to_list()
    # Binary measures have something to count.
    run = {f"q{q}": [f"d{d}" for d in range(N_DOCUMENTS)] for q in range(N_QUERIES)}
    assert rr.evaluate(one, {"run": run}, ["P@5"]).summary()["P@5"][0] > 0


@pytest.mark.parametrize("grades", [None, 1, 3, [0.05]])
def test_where_only_the_first_rank_is_clicked_no_other_document_is_relevant(grades):
    log = pl.DataFrame(
        {
            "query_id": ["q"] * 4,
            "doc_id": ["a", "b", "c", "d"],
            "rank": [1, 2, 3, 1],
            "impressions": [500, 1000, 1000, 500],
            "clicks": [500, 0, 0, 0],
        }
    )
    found = rr.qrels_from_clicks(log, grades=grades)
    grade = dict(found.qrels.select("doc_id", "relevance").iter_rows())
    assert set(grade) == {"a", "d"}  # nothing is known of those that nobody examined
    assert grade["a"] > 0.9
    assert grade["d"] < 0.02


def test_values_drawn_to_a_high_mean_are_no_grade_without_a_click():
    log = COUNTS.with_columns(clicks=pl.when(pl.col("doc_id") == "a").then("clicks").otherwise(0))
    found = rr.qrels_from_clicks(log, "ctr", grades=[0.001], smoothing=1000, min_impressions=1)
    assert dict(found.qrels.select("doc_id", "relevance").iter_rows()) == {"a": 1, "b": 0, "c": 0}
    by_value = rr.qrels_from_clicks(log, "ctr", smoothing=1000, min_impressions=1)
    grade = dict(by_value.qrels.select("doc_id", "relevance").iter_rows())
    value = dict(by_value.pairs().select("doc_id", "value").iter_rows())
    assert grade == {"a": value["a"], "b": 0, "c": 0}
    assert value["b"] > 0


def stopping_users(n_lists=3000):
    """Return a log of users who stop at the first click, of shuffled lists."""
    rng = np.random.default_rng(2)
    appeal = np.array([0.1, 0.3, 0.6, 0.2, 0.4])
    shown = rng.permuted(np.tile(np.arange(5), (n_lists, 1)), axis=1)
    wanted = rng.random(shown.shape) < appeal[shown]
    return pl.DataFrame(
        {
            "session": np.repeat(np.arange(n_lists), 5),
            "query_id": "q",
            "doc_id": [f"d{d}" for d in shown.ravel()],
            "rank": np.tile(np.arange(1, 6), n_lists),
            "clicked": (wanted & (np.cumsum(wanted, axis=1) == 1)).ravel().astype(int),
        }
    )


def test_a_model_that_does_not_fit_stops_and_the_one_that_would_do_is_named():
    log = stopping_users()
    (found,) = rr.qrels_from_clicks(log).cautions
    assert (found.code, found.severity) == ("click_model_misfit", "stop")
    assert "The cascade model fits" in found.text
    # Without lists, how users read is not known.
    counts = log.group_by("query_id", "doc_id", "rank").agg(
        pl.len().alias("impressions"), pl.col("clicked").sum().alias("clicks")
    )
    (found,) = rr.qrels_from_clicks(counts).cautions
    assert "the model ctr" in found.text
    assert not rr.qrels_from_clicks(log, "cascade").cautions


@pytest.mark.parametrize(
    ("p_value", "highest", "codes"),
    [
        (0.001, 0.12, ["click_model_misfit"]),
        (0.001, 0.09, []),  # sure, and too small to matter
        (0.2, 0.2, []),
    ],
)
def test_a_misfit_stops_that_is_sure_and_may_be_large(p_value, highest, codes, monkeypatch):
    found = click_models.Misfit(p_value, 0.08, highest, unnoticed=0.05)
    monkeypatch.setattr("rankreport.labels.clicks.misfit", lambda *_, **__: found)
    assert [each.code for each in rr.qrels_from_clicks(stopping_users(300)).cautions] == codes


def test_pairs_shown_too_rarely_are_counted():
    labels = rr.qrels_from_clicks(COUNTS, "ctr", min_impressions=50)
    assert labels.qrels["doc_id"].to_list() == ["a", "b"]
    (caution,) = [c for c in labels.cautions if c.code == "few_impressions"]
    assert (caution.count, caution.text) == (
        1,
        "Pairs shown fewer than 50 times, or only where nobody clicks, are left out: 1 of 3 pairs.",
    )
    with pytest.raises(rr.DataError, match="shown 500 times; the most is 100"):
        rr.qrels_from_clicks(COUNTS, "ctr", min_impressions=500)


def test_positions_from_0_are_said():
    log = patient_users(500, 4)
    moved = log.with_columns(pl.col("rank") - 1)
    labels = rr.qrels_from_clicks(moved, min_impressions=5)
    assert "zero_based" in {c.code for c in labels.cautions}
    assert labels.qrels.equals(rr.qrels_from_clicks(log, min_impressions=5).qrels)
    with pytest.raises(rr.DataError, match="rank 0, but first_position=1"):
        rr.qrels_from_clicks(moved, first_position=1)
    later = log.filter(pl.col("rank") > 2)
    assert "later_first_rank" in {c.code for c in rr.qrels_from_clicks(later).cautions}
    as_given = rr.qrels_from_clicks(log.with_columns(pl.col("rank") + 1), first_position=1)
    assert as_given.position_bias()["rank"][0] == 2


def test_what_the_model_cannot_know_is_said(monkeypatch):
    fixed = COUNTS.filter(~((pl.col("doc_id") == "b") & (pl.col("rank") == 1)))
    labels = rr.qrels_from_clicks(fixed)
    (caution,) = [c for c in labels.cautions if c.code == "position_bias_unknown"]
    assert caution.severity == "stop"
    assert labels.position_bias()["bias"].to_list() == [1, None]
    monkeypatch.setattr(click_models, "_MOST_STEPS", 1)
    found = {c.code for c in rr.qrels_from_clicks(patient_users(500, 1)).cautions}
    assert "fit_unfinished" in found
    repeated = pl.concat([patient_users(50, 1)] * 2)
    found = {c.code for c in rr.qrels_from_clicks(repeated, "ctr").cautions}
    assert "repeated_rows" in found


def test_dwell_and_purchases():
    log = pl.DataFrame(
        {
            "query": ["q"] * 20,
            "doc": ["a", "b"] * 10,
            "position": [1, 2] * 10,
            "click": [1, 1] * 10,
            "dwell_time": [5.0, 60.0] * 9 + [None, 60.0],
            "purchases": [0, 1] * 10,
        }
    )
    read = {"min_impressions": 1, "smoothing": 0}
    assert rr.qrels_from_clicks(log, "ctr", **read).qrels["relevance"].to_list() == [1, 1]
    long = rr.qrels_from_clicks(log, "ctr", min_dwell=30, **read)
    assert long.qrels["relevance"].to_list() == [0, 1]
    bought = rr.qrels_from_clicks(log, "ctr", signal="purchase", **read)
    assert bought.qrels["relevance"].to_list() == [0, 1]


def test_the_same_log_in_any_form(tmp_path):
    log = patient_users(300, 6)
    expected = rr.qrels_from_clicks(log).pairs()
    log.write_csv(tmp_path / "log.csv")
    log.write_parquet(tmp_path / "log.parquet")
    (tmp_path / "log.jsonl.gz").write_bytes(gzip.compress(log.write_ndjson().encode()))
    for name in ("log.csv", "log.parquet", "log.jsonl.gz"):
        assert rr.qrels_from_clicks(tmp_path / name).pairs().equals(expected)
    assert rr.qrels_from_clicks(log.to_pandas()).pairs().equals(expected)
    assert rr.qrels_from_clicks(log.to_dicts()).pairs().equals(expected)
    assert (
        rr.qrels_from_clicks(log.sample(fraction=1, shuffle=True, seed=1)).pairs().equals(expected)
    )
    counts = log.group_by("query_id", "doc_id", "rank").agg(
        impressions=pl.len(), clicks=pl.col("clicked").sum()
    )
    same = rr.qrels_from_clicks(counts).pairs()
    np.testing.assert_allclose(same["value"], expected["value"])


def event(query, action, document=None, position=None):
    attributes = {"object": {"object_id": document}, "position": {"ordinal": position}}
    return {
        "action_name": action,
        "query_id": query,
        "client_id": "c1",
        "user_query": "jazz",
        "event_attributes": attributes if document else None,
    }


def ubi(n=40):
    """Executions of one query: a shown first and clicked, b second, clicked in every fourth."""
    events = []
    for i in range(n):
        query = f"exec-{i}"
        events += [{"index": {}}, event(query, "search")]
        events += [event(query, "impression", "a", 0), event(query, "impression", "b", 1)]
        events.append(event(query, "product_click", "a", 0))
        if i % 4 == 0:
            events += [event(query, "product_click", "b", 1)] * 2
    return events


@pytest.mark.parametrize("form", ["records", "file", "frame"])
def test_ubi_events(form, tmp_path):
    log = ubi()
    if form == "file":
        log = tmp_path / "ubi.ndjson"
        log.write_text("".join(f"{json.dumps(each)}\n" for each in ubi()), encoding="utf-8")
    if form == "frame":
        log = pl.DataFrame([each for each in ubi() if "index" not in each])
    labels = rr.qrels_from_clicks(log, "ctr", clicks="product_click", smoothing=0)
    assert labels.qrels.rows() == [("jazz", "a", 1.0), ("jazz", "b", 0.25)]
    assert labels.position_bias()["rank"].to_list() == [1, 2]
    assert {c.code for c in labels.cautions} == {"few_clicks", "zero_based"}


def test_ubi_lists_may_be_those_of_the_queries():
    log = [each for each in ubi() if each.get("action_name") != "impression"]
    for each in log:
        each.pop("user_query", None)
    hits = ["a", "b", "c,d"]
    log += [
        {"query_id": f"exec-{i}", "user_query": "jazz", "query_response_hit_ids": hits}
        for i in range(40)
    ]
    log.append(event("exec-0", "product_click", "z", 9))
    labels = rr.qrels_from_clicks(log, "ctr", clicks=["product_click", "buy"], smoothing=0)
    assert labels.qrels.rows() == [("jazz", "a", 1.0), ("jazz", "b", 0.25), ("jazz", "c,d", 0.0)]
    assert labels.position_bias()["rank"].to_list() == [1, 2, 3]
    (caution,) = [c for c in labels.cautions if c.code == "clicks_without_list"]
    assert caution.count == 1


def test_ubi_actions_that_are_not_there_are_named():
    with pytest.raises(rr.DataError, match=r"no event click. Its actions: .*product_click"):
        rr.qrels_from_clicks(ubi())
    with pytest.raises(rr.DataError, match="no event view, and no query"):
        rr.qrels_from_clicks(ubi(), shown="view", clicks="product_click")


def test_an_execution_of_ubi_has_one_user():
    log = ubi()
    log[3]["client_id"] = "c2"
    with pytest.raises(rr.DataError, match="session 'exec-0' has 'c1' and 'c2'; 1 lists do"):
        rr.qrels_from_clicks(log, clicks="product_click")


def test_it_shows_itself():
    labels = rr.qrels_from_clicks(patient_users(500, 4))
    assert "click" in labels.provenance
    assert labels.provenance in repr(labels)
    assert "position-based model: the 10 pairs" in repr(labels)
    assert labels.plot_position_bias().alt.startswith("position bias, relative to rank 1")
    without = rr.qrels_from_clicks(COUNTS.drop("rank"), "ctr")
    assert without.position_bias().is_empty()
    assert values(without)["a"]["mean_rank"] is None
    with pytest.raises(rr.OptionError, match="no ranks"):
        without.plot_position_bias()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "dbn"}, "model='dbn' is not one of"),
        ({"signal": "view"}, "signal='view' is not one of"),
        ({"grades": 0}, "grades=0 must be at least 1"),
        ({"grades": [0.2, 0.1]}, "ascending order"),
        ({"grades": "five"}, "grades takes a number or thresholds"),
        ({"min_impressions": 0}, "min_impressions=0 must be at least 1"),
        ({"smoothing": -1}, "smoothing=-1 must be 0 or more"),
        ({"first_position": 2}, "first_position=2 must be 0 or 1"),
        ({"confidence": 2}, "confidence=2 must lie"),
        ({"clicks": ()}, "Actions are names"),
        ({"model": "cascade"}, "needs the sessions"),
    ],
)
def test_invalid_options(options, message):
    with pytest.raises(rr.OptionError, match=message):
        rr.qrels_from_clicks(COUNTS, **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: log.drop("clicked"), r"no column for clicked \(or click, .*Its columns: sess"),
        (lambda log: log.drop("rank"), "no column for rank"),
        (lambda log: log.clear(), "no rows"),
        (lambda log: log.with_columns(clicked=pl.lit(0)), "no click"),
        (
            lambda log: log.with_columns(clicked=pl.col("rank") - 1).filter(pl.col("rank") < 3),
            "first rank has no click.*Leave out its rows, or use model='ctr'",
        ),
        (lambda log: log.with_columns(clicked=pl.lit(2)), "Row 1 of the log has more clicks than"),
        (lambda log: log.with_columns(clicked=pl.lit("x")), "has no valid number of clicks"),
        (lambda log: log.with_columns(rank=pl.lit(1.5)), "has no valid rank"),
        (lambda log: log.with_columns(rank=pl.lit(-1)), "has no valid rank"),
        (lambda log: log.with_columns(doc_id=pl.lit(None)), "has no doc_id"),
        (lambda log: log.with_columns(query_id=pl.lit(None)), "has no query_id"),
        (lambda log: log.with_columns(session=pl.lit(None)), "has no session"),
        (lambda log: log.drop("session").with_columns(user=pl.lit(None)), "without a user"),
        (lambda _: 5, "found int"),
        (lambda _: [], "found nothing"),
        (lambda _: [3], "found int"),
        (lambda _: "missing.csv", "does not exist"),
    ],
)
def test_invalid_logs(change, message):
    with pytest.raises(rr.DataError, match=message):
        rr.qrels_from_clicks(change(patient_users(20, 1)))


def test_text_without_a_header_is_no_log(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("q1 d1 1 0\n", encoding="utf-8")
    with pytest.raises(rr.DataError, match=r"has no header\. Expected a click log"):
        rr.qrels_from_clicks(path)


def test_a_check_knows_that_labels_are_the_judgments():
    """Fractional grades are meant, and a run of four scores is a run."""
    keys = [(f"q{query}", f"d{at}") for query in range(3) for at in range(4)]
    shown = {"rank": 1, "impressions": 100}
    rows = [
        {"query_id": query, "doc_id": document, **shown, "clicks": 3 * number + 1}
        for number, (query, document) in enumerate(keys)
    ]
    labels = rr.qrels_from_clicks(rows, "ctr")
    run = {query: {f"d{at}": float(3 - at) for at in range(4)} for query, _ in keys}

    def codes(judgments):
        return {each.code for each in rr.check(judgments, {"mine": run}, ["nDCG@10"]).cautions}

    told = codes(labels.qrels) - codes(labels)
    assert told == {"swapped", "unusual_grades"}
    assert codes(labels) == {each.code for each in labels.cautions}
