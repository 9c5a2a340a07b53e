"""The position-based model finds what was planted; values are those of other implementations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click_logs import GO_ON, appeal_of, patient_users
from scipy import optimize

import rankreport as rr
from rankreport.labels.click_models import (
    Cells,
    Examination,
    Impressions,
    click_rates,
    misfit,
    position_based,
    separate_ranks,
)

VALUES = json.loads(
    (Path(__file__).parents[1] / "helpers" / "click_model_values.json").read_text(encoding="utf-8")
)
LISTS = pl.DataFrame(
    [
        (session, query, document, rank + 1, int(rank in clicks))
        for session, (query, documents, clicks) in enumerate(VALUES["lists"])
        for rank, document in enumerate(documents.split())
    ],
    schema=["session", "query_id", "doc_id", "rank", "clicked"],
    orient="row",
)
"""The log that another implementation was given."""


def fitted(model):
    return rr.qrels_from_clicks(LISTS, model, smoothing=0, min_impressions=1)


@pytest.mark.parametrize("model", ["ctr", "cascade", "pbm"])
def test_values_equal_those_of_another_implementation(model):
    """Scaled by the examination of the first rank, of which only products are known."""
    scale = VALUES["ranks"]["pbm"][0] if model == "pbm" else 1
    expected = {(query, d): value * scale for query, d, value in VALUES["documents"][model]}
    pairs = fitted(model).pairs()
    # A document that was never examined has no value here, and that of the prior there.
    assert len(pairs) >= 13
    for query, document, value in pairs.select("query_id", "doc_id", "value").iter_rows():
        assert value == pytest.approx(expected[query, document], rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("seed", range(40))
def test_few_clicks_give_an_interval_around_the_bias_or_none(seed):
    random = np.random.default_rng(seed)
    rows = [
        (session, "q", f"d{document}", rank, int(random.random() < 0.3))
        for session in range(6)
        for rank, document in enumerate(random.permutation(6)[:4], 1)
    ]
    schema = ["session", "query_id", "doc_id", "rank", "clicked"]
    log = pl.DataFrame(rows, schema=schema, orient="row")
    if log.filter(rank=1)["clicked"].sum() == 0:
        with pytest.raises(rr.DataError, match="first rank has no click"):
            rr.qrels_from_clicks(log, "pbm", min_impressions=1)
        return
    found = rr.qrels_from_clicks(log, "pbm", min_impressions=1).position_bias()
    assert found.filter(n_clicks=0)["ci_low"].is_null().all()
    known = found.drop_nulls("ci_low")
    assert (known["ci_low"] <= known["bias"]).all()
    assert (known["bias"] <= known["ci_high"]).all()


def test_position_bias_equals_that_of_another_implementation():
    examined, clicked = (np.array(VALUES["ranks"][name]) for name in ("pbm", "ctr"))
    found = {model: fitted(model).position_bias()["bias"] for model in ("pbm", "coec", "ctr")}
    np.testing.assert_allclose(found["pbm"], examined / examined[0], rtol=1e-5)
    np.testing.assert_allclose(found["coec"], clicked / clicked[0], rtol=1e-8)
    np.testing.assert_allclose(found["ctr"], clicked / clicked[0], rtol=1e-8)


def test_clicks_over_expected_clicks_are_those_over_the_rates_of_ranks_elsewhere():
    """The expected clicks of a document, by the click-through rates of another implementation."""
    rates = dict(enumerate(VALUES["ranks"]["ctr"], 1))
    rows = LISTS.with_columns(expected=pl.col("rank").replace_strict(rates))
    by_pair = rows.group_by("query_id", "doc_id").agg(pl.col("clicked", "expected").sum())
    values = fitted("coec").pairs().join(by_pair, on=["query_id", "doc_id"])
    np.testing.assert_allclose(values["value"], values["clicked"] / values["expected_right"])


def drawn(seed, n_pairs=6, n_ranks=4, shown=400):
    """Return counts of the position-based model itself."""
    rng = np.random.default_rng(seed)
    theta = 0.6 ** np.arange(n_ranks)
    alpha = rng.uniform(0.1, 0.9, n_pairs)
    pair, rank = (each.ravel() for each in np.indices((n_pairs, n_ranks)))
    n = rng.integers(1, shown, pair.size)
    clicks = rng.binomial(n, theta[rank] * alpha[pair])
    return Cells(pair, rank, n.astype(float), clicks.astype(float))


def likelihood(logits, cells, n_ranks):
    p = 1 / (1 + np.exp(-logits))
    both = p[:n_ranks][cells.rank] * p[n_ranks:][cells.pair]
    missed = cells.shown - cells.clicked
    return -(cells.clicked * np.log(both) + missed * np.log1p(-both)).sum()


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_maximum_that_a_general_optimiser_finds(seed):
    cells = drawn(seed)
    best = optimize.minimize(
        likelihood,
        np.zeros(10),
        (cells, 4),
        method="L-BFGS-B",
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9},
    )
    theta, alpha = np.split(1 / (1 + np.exp(-best.x)), [4])
    found = position_based(cells, None)
    assert found.converged
    np.testing.assert_allclose(found.share, theta / theta[0], rtol=2e-4)
    np.testing.assert_allclose(found.attraction, alpha * theta[0], rtol=2e-4)


def test_errors_are_those_of_the_inverse_information():
    cells = drawn(1)
    found = position_based(cells, None)
    theta, alpha = np.log(found.share), np.log(found.attraction)

    def minus_log_likelihood(x):
        p = np.exp(np.concatenate([[0.0], x[:3]])[cells.rank] + x[3:][cells.pair])
        return -(cells.clicked * np.log(p) + (cells.shown - cells.clicked) * np.log1p(-p)).sum()

    x, step = np.concatenate([theta[1:], alpha]), 1e-4
    eye = np.eye(len(x)) * step
    hessian = np.array(
        [
            [
                minus_log_likelihood(x + a + b)
                - minus_log_likelihood(x + a - b)
                - minus_log_likelihood(x - a + b)
                + minus_log_likelihood(x - a - b)
                for b in eye
            ]
            for a in eye
        ]
    ) / (4 * step**2)
    errors = np.sqrt(np.diag(np.linalg.inv(hessian)))[:3]
    np.testing.assert_allclose(found.error[1:], errors, rtol=0.05)
    assert found.error[0] == 0


def test_errors_by_unit_are_those_of_the_counts_where_clicks_are_independent():
    cells = drawn(2, shown=3000)
    repeats = cells.shown.astype(int)
    cell = np.repeat(np.arange(len(repeats)), repeats)
    clicked = np.concatenate(
        [np.arange(n) < c for n, c in zip(repeats, cells.clicked, strict=True)]
    ).astype(float)
    rows = Impressions(cell, np.random.default_rng(0).permutation(len(cell)), clicked)
    for fit in (position_based, click_rates):
        np.testing.assert_allclose(fit(cells, rows).error, fit(cells, None).error, rtol=0.1)
    # Twice the same impressions, of the same user each: the errors stay, as nothing was added.
    twice = Impressions(*(np.concatenate([column] * 2) for column in rows))
    doubled = cells._replace(shown=2 * cells.shown, clicked=2 * cells.clicked)
    for fit in (position_based, click_rates):
        once, again = fit(cells, rows), fit(doubled, twice)
        np.testing.assert_allclose(again.error, once.error, rtol=1e-3)
        assert (fit(doubled, None).error[1:] < 0.8 * once.error[1:]).all()


def test_planted_parameters_lie_within_their_intervals():
    labels = rr.qrels_from_clicks(patient_users(6000, 1))
    bias = labels.position_bias()[1:]
    planted = GO_ON ** (bias["rank"].to_numpy() - 1)
    inside = (bias["ci_low"].to_numpy() < planted) & (planted < bias["ci_high"].to_numpy())
    assert inside.mean() > 0.7
    np.testing.assert_allclose(bias["bias"], planted, rtol=0.2)
    pairs = labels.pairs()
    appeal = appeal_of(pairs)
    within = (pairs["value_low"].to_numpy() < appeal) & (appeal < pairs["value_high"].to_numpy())
    assert within.mean() > 0.85
    # Without the model, documents at the top seem better than they are.
    rates = rr.qrels_from_clicks(patient_users(6000, 1), "ctr").pairs()
    assert np.abs(rates["value"] - appeal).mean() > 2 * np.abs(pairs["value"] - appeal).mean()


@pytest.mark.slow
def test_intervals_cover_what_was_planted():
    inside, values = [], []
    for seed in range(100):
        labels = rr.qrels_from_clicks(patient_users(1500, 100 + seed), min_impressions=30)
        bias = labels.position_bias()[1:]
        planted = GO_ON ** (bias["rank"].to_numpy() - 1)
        low, high = (bias[end].to_numpy() for end in ("ci_low", "ci_high"))
        inside.append((low < planted) & (planted < high))
        pairs = labels.pairs()
        low, high = (pairs[end].to_numpy() for end in ("value_low", "value_high"))
        values.append(((low < appeal_of(pairs)) & (appeal_of(pairs) < high)).mean())
    assert 0.92 < np.mean(inside) < 0.98
    assert 0.89 < np.mean(values) < 0.98


def test_ranks_that_no_document_links_are_named():
    pair, rank = np.array([0, 0, 1, 1, 2]), np.array([0, 1, 2, 3, 1])
    shown = np.full(5, 10.0)
    assert separate_ranks(Cells(pair, rank, shown, np.full(5, 2.0))).tolist() == [2, 3]
    # A document without a click links nothing.
    clicks = np.array([0.0, 0.0, 1.0, 1.0, 2.0])
    assert separate_ranks(Cells(pair, rank, shown, clicks)).tolist() == [1, 2, 3]


# --- the check of fit -----------------------------------------------------------------------------

RANKS = np.arange(1, 6)


def lists_of(clicks, seed=1, n_lists=6000, n_queries=6):
    """Return counts, and impressions by list, of six queries whose seven documents are shuffled."""
    rng = np.random.default_rng(seed)
    appeal = np.random.default_rng(11).uniform(0.05, 0.6, (n_queries, 7))
    query = rng.integers(n_queries, size=(n_lists, 1))
    shown = rng.permuted(np.tile(np.arange(7), (n_lists, 1)), axis=1)[:, :5]
    clicked = clicks(rng, appeal[query, shown], shown)
    key = (((query * 7 + shown) * 5) + np.arange(5)).ravel()
    cell = np.unique(key, return_inverse=True)[1]
    found = np.unique(key)
    shown_often, clicked_often = np.bincount(cell), np.bincount(cell, weights=clicked.ravel())
    cells = Cells(found // 5, found % 5, shown_often.astype(float), clicked_often)
    lists = np.repeat(np.arange(n_lists), 5)
    return cells, np.arange(n_queries * 7) // 7, Impressions(cell, lists, clicked.ravel() * 1.0)


def independent(rng, p):
    return rng.random(p.shape) < p


def trusting(rng, appeal, _shown):
    return independent(rng, (appeal + 0.4 / RANKS * (1 - appeal)) / RANKS)


def stopping(rng, appeal, _shown):
    wanted = independent(rng, appeal)
    return wanted & (np.cumsum(wanted, axis=1) == 1)


def wanting(rng, appeal, shown):
    wanted = rng.integers(2, size=(len(appeal), 1)) == shown % 2
    return independent(rng, appeal / RANKS * np.where(wanted, 1.6, 0.4))


@pytest.mark.parametrize("clicks", [trusting, stopping])
def test_users_of_other_models_are_noticed(clicks):
    cells, query, lists = lists_of(clicks)
    found = misfit(cells, query, position_based(cells, lists), lists)
    assert found.p_value < 1e-4
    assert found.size > 0.2 > found.unnoticed


def test_clicks_that_go_together_by_what_users_want_are_no_misfit():
    cells, query, lists = lists_of(wanting)
    found = misfit(cells, query, position_based(cells, lists), lists)
    assert found.p_value > 0.01
    assert found.size < 0.1


def test_the_model_itself_is_rarely_rejected():
    found = [drawn(seed, n_pairs=12) for seed in range(60)]
    query = np.arange(12) // 4
    ps = np.array([misfit(cells, query, position_based(cells, None)).p_value for cells in found])
    assert (ps < 0.01).sum() <= 3
    assert 3 <= (ps < 0.3).sum() <= 30


def test_the_same_users_twice_say_nothing_more():
    cells, query, lists = lists_of(trusting, n_lists=400)
    twice = Impressions(*(np.concatenate([column] * 2) for column in lists))
    doubled = cells._replace(shown=2 * cells.shown, clicked=2 * cells.clicked)
    once, again = (
        misfit(counts, query, position_based(counts, of), of)
        for counts, of in ((cells, lists), (doubled, twice))
    )
    assert again.p_value == pytest.approx(once.p_value, rel=0.35)
    assert misfit(doubled, query, position_based(doubled, None)).p_value < 0.3 * once.p_value


def test_the_cascade_explains_its_own_users_up_to_their_click_and_no_others():
    for clicks, fits in ((stopping, True), (trusting, False)):
        cells, query, lists = lists_of(clicks, n_lists=3000)
        before = np.cumsum(lists.clicked.reshape(-1, 5), axis=1) - lists.clicked.reshape(-1, 5) == 0
        shown = np.bincount(lists.cell[before.ravel()], minlength=len(cells.pair)).astype(float)
        clicked = np.bincount(
            lists.cell[before.ravel()], lists.clicked[before.ravel()], len(cells.pair)
        )
        read = cells._replace(shown=np.maximum(shown, 1e-9), clicked=clicked)
        by_pair = [np.bincount(cells.pair, weights=each) for each in (clicked, shown)]
        ones = np.ones(5)
        found = Examination(ones, ones, by_pair[0] / by_pair[1])
        off = misfit(read, query, found, own_ranks=False)
        assert (off.p_value > 0.01) is fits


def test_a_log_says_how_many_swaps_would_do():
    rows = [
        ("q", doc, rank, int(at < 40 * clicks))
        for doc, rank, shown, clicks in [
            *(("a", 1, 90, 40), ("a", 2, 10, 3)),
            *(("b", 2, 90, 20), ("b", 1, 10, 4)),
        ]
        for at in range(40 * shown)
    ]
    log = pl.DataFrame(rows, schema=["query_id", "doc_id", "rank", "clicked"], orient="row")
    counted = rr.qrels_from_clicks(log, "pbm")
    (unchecked,) = [each for each in counted.cautions if each.code == "fit_unchecked"]
    assert unchecked.severity == "look"
    # Of 800 swaps, with an error of 40 %: four times less takes sixteen times as many.
    assert "may be off by 40 %" in unchecked.text
    assert "usual rank of a document: 800; about 13,000 would do." in unchecked.text


def test_nothing_is_known_of_the_fit_where_documents_keep_their_rank():
    cells = Cells(np.arange(4), np.arange(4), np.full(4, 100.0), np.full(4, 20.0))
    found = misfit(cells, np.zeros(4, int), position_based(cells, None))
    assert (found, found.stops) == ((1.0, 0.0, np.inf, np.inf), False)


def test_errors_of_values_are_those_of_the_whole_model():
    """The inverse of the numerical Hessian over examinations and attractions together."""
    cells = drawn(1)
    frame = pl.DataFrame(
        {
            "query_id": ["q"] * len(cells.pair),
            "doc_id": [f"d{pair}" for pair in cells.pair],
            "rank": cells.rank + 1,
            "impressions": cells.shown,
            "clicks": cells.clicked,
        }
    )
    pairs = rr.qrels_from_clicks(frame, smoothing=0, min_impressions=1).pairs()
    found = position_based(cells, None)
    p = found.share[cells.rank] * found.attraction[cells.pair]
    weight = cells.shown * p / (1 - p)
    design = np.zeros((len(p), 9))
    design[np.arange(len(p)), 3 + cells.pair] = 1
    later = cells.rank > 0
    design[np.flatnonzero(later), cells.rank[later] - 1] = 1
    expected = np.sqrt(np.diag(np.linalg.inv(design.T * weight @ design)))[3:]
    width = np.log(pairs["value_high"].to_numpy() / pairs["value_low"].to_numpy())
    np.testing.assert_allclose(width / (2 * 1.96), expected, rtol=0.2)


def test_counts_too_large_to_draw_from_are_halved():
    """Twelve pairs of the model itself, and of another, of thousands of millions of impressions."""
    cells, query = drawn(3, n_pairs=12), np.arange(12) // 4
    found = position_based(cells, None)
    exact = found.share[cells.rank] * found.attraction[cells.pair]
    many = cells._replace(shown=cells.shown * 1e8, clicked=cells.shown * 1e8 * exact)
    assert misfit(many, query, found).size < 0.01
    other = many._replace(clicked=many.shown * exact ** (1 + 0.2 * cells.rank))
    assert misfit(other, query, position_based(other, None)).size > 0.1
