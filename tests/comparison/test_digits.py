"""Printed digits: none that another seed would change by more than a unit."""

from __future__ import annotations

import re

import pytest

import rankreport as rr
from rankreport.text import reliable_decimals


@pytest.fixture(scope="module")
def evaluation() -> rr.Evaluation:
    example = rr.load_example()
    runs = {name: example.runs[name] for name in ("bm25", "char-ngrams")}
    return rr.evaluate(example.qrels, runs, ["nDCG@10", "RR@10"])


def printed(comparison: rr.Comparison) -> list[tuple[list[float], int]]:
    """Return the ends of each interval of the table, and their decimals."""
    place = comparison._shown().headers.index("95 % interval")
    ends = [re.findall(r"[-+]?\d+\.\d+", row[place]) for row in comparison._shown().rows]
    return [([float(end) for end in of], len(of[0].partition(".")[2])) for of in ends]


def test_the_default_interval_does_not_depend_on_the_seed(evaluation) -> None:
    tables = [
        rr.compare(evaluation, seed=seed).table().select("ci_low", "ci_high") for seed in range(3)
    ]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


@pytest.mark.parametrize("interval", ["bca", "percentile"])
def test_drawn_ends_have_only_digits_that_seeds_agree_on(evaluation, interval) -> None:
    made = [printed(rr.compare(evaluation, interval=interval, seed=seed)) for seed in range(5)]
    for rows in zip(*made, strict=True):
        # Of an end beside 0, one more tells on which side it lies.
        unit = 10.0 ** -min(digits for _, digits in rows)
        for ends in zip(*(found for found, _ in rows), strict=True):
            # A unit is at least one standard error, and five draws are some 2.3 apart.
            assert max(ends) - min(ends) <= 3 * unit + 1e-9


def test_four_decimals_would_print_what_seeds_do_not_agree_on(evaluation) -> None:
    ends = [
        rr.compare(evaluation, interval="bca", seed=seed).table()["ci_low"][0] for seed in range(5)
    ]
    assert max(ends) - min(ends) > 0.0005


def test_closed_forms_and_students_t_have_three_decimals(evaluation) -> None:
    for options in ({}, {"interval": "t"}):
        assert [digits for _, digits in printed(rr.compare(evaluation, **options))] == [3, 3]


def test_decimals_by_hand() -> None:
    assert [reliable_decimals(error) for error in (0.02, 0.01, 0.002, 0.001)] == [1, 2, 2, 3]
    assert reliable_decimals(None) == reliable_decimals(0.0) == 6
    assert reliable_decimals(5.0) == 1


def test_a_p_value_at_its_floor_is_printed_as_a_bound() -> None:
    qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(90)}
    right, wrong = {"d1": 2.0, "d2": 1.0}, {"d1": 1.0, "d2": 2.0}
    old = {f"q{i}": wrong if i % 5 else right for i in range(90)}
    new = {f"q{i}": right for i in range(90)}
    evaluation = rr.evaluate(qrels, {"old": old, "new": new}, ["RR"])
    for resamples, shown in ((10_000, "<= 0.0001"), (500, "<= 0.0020")):
        comparison = rr.compare(evaluation, resamples=resamples)
        assert shown in repr(comparison)
