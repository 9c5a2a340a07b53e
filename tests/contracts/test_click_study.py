"""The study of clicks plants what it says, and finds it or says that it does not."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
try:
    import click_study
finally:
    sys.path.pop(0)

NAMES = [users.name for users in click_study.USERS]
KINDS = [kind.name for kind in click_study.KINDS]
ATTRACTION = np.array([0.1, 0.5, 0.2, 0.4])


@pytest.mark.parametrize("users", click_study.USERS[:3], ids=lambda users: users.name)
def test_the_model_holds_for_each_pair_with_users_of_whom_it_is_said(users):
    rng = np.random.default_rng(1)
    documents = rng.permuted(np.tile(np.arange(4), (60_000, 1)), axis=1)
    clicks, examined = users.clicks(rng, ATTRACTION[documents], documents)
    for document in range(4):
        rates = [clicks[documents[:, rank] == document, rank].mean() for rank in range(4)]
        np.testing.assert_allclose(rates, examined * ATTRACTION[document], atol=0.015)


KNOWN = [users for users in click_study.USERS if users.rates is not None]


@pytest.mark.parametrize("users", KNOWN, ids=lambda users: users.name)
def test_users_click_as_often_as_the_best_test_knows(users):
    rng = np.random.default_rng(1)
    documents = np.tile(np.arange(4), (60_000, 1))
    a = ATTRACTION[documents]
    clicks, _ = users.clicks(rng, a, documents)
    np.testing.assert_allclose(clicks.mean(axis=0), users.rates(a[:1])[0], atol=0.01)


def test_users_of_a_cascade_click_once():
    rng = np.random.default_rng(1)
    cascade = click_study.USERS[NAMES.index("cascade")]
    documents = np.tile(np.arange(4), (60_000, 1))
    clicks, examined = cascade.clicks(rng, ATTRACTION[documents], documents)
    assert clicks.sum(axis=1).max() == 1
    np.testing.assert_allclose(examined, [1, 0.9, 0.45, 0.36], atol=0.01)


def test_a_sound_and_a_poor_cell_are_reported_apart():
    shuffled = KINDS.index("shuffled")
    cells = [
        click_study.measured((NAMES.index(name), shuffled), 2)
        for name in ("by position", "very trusting")
    ]
    sound, poor = cells
    assert sound["stopped"] == 0
    assert sound["bias"] > 80
    assert sound["values"] > 80
    assert poor["stopped"] == 100
    assert poor["bias"] < 20
    text = click_study.page([*cells, {**cells[1], "users": NAMES.index("cascade")}], 2)
    every = click_study.tables(cells, 2)
    assert "| very trusting | shuffled |" in every
    assert every.count("shuffled 100 % (least 100 %)") == 2  # by the best tests
    assert "0.0 % of logs are stopped" in text
    assert text.count("shuffled 100 % (least 100 %)") == 1
    assert "named in 0 % of logs of cascade users, and in 0 % of the others" in text
