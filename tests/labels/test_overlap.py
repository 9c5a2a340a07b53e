"""Rank-biased overlap equals another implementation, and what follows from its definition."""

from __future__ import annotations

import json
from itertools import accumulate, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankreport.labels import overlap
from rankreport.labels.overlap import Documents, Shared, rank_biased_overlap

CASES = json.loads(
    (Path(__file__).parents[1] / "helpers" / "rbo_values.json").read_text(encoding="utf-8")
)["cases"]


def blocks(text):
    return [block.split("=") for block in text.split(" > ")]


def documents(lists):
    """Return the documents of lists of blocks, one list per query, and their names."""
    rows, names = [], []
    for query, ranking in enumerate(lists):
        rank = 0
        for block in ranking:
            for place, name in enumerate(block):
                rows.append((query, rank + place + 1, rank + 1, rank + len(block)))
                names.append((query, name))
            rank += len(block)
    return Documents(*np.array(rows).T), names


def overlaps(pairs, p, variant="a", depths=None):
    (one, one_names), (other, other_names) = (documents(side) for side in zip(*pairs, strict=True))
    place = {name: row for row, name in enumerate(other_names)}
    rows = [(i, place[name]) for i, name in enumerate(one_names) if name in place]
    here, there = np.array(rows, dtype=int).reshape(-1, 2).T
    shared = Shared(one.of(here), other.of(there))
    return rank_biased_overlap(one, other, shared, p=p, variant=variant, depths=depths)


@pytest.mark.parametrize("variant", overlap.VARIANTS)
@pytest.mark.parametrize("p", sorted({case["p"] for case in CASES}))
def test_it_equals_the_code_of_corsi_and_urbano(p, variant):
    cases = [case for case in CASES if case["p"] == p]
    found = overlaps([(blocks(case["x"]), blocks(case["y"])) for case in cases], p, variant)
    expected = np.array([case[variant] for case in cases]).T
    for values, wanted in zip(found[:3], expected, strict=True):
        np.testing.assert_allclose(values, wanted, rtol=0, atol=1e-12)


def test_values_worked_by_hand():
    # Agreement 0, 1, ... of <a b> and <b a>: (1 - p)/p * p^2 * 1 + p^2 * 1 = .25 + .25 at p = .5.
    swapped = [[["a"], ["b"]], [["b"], ["a"]]]
    assert overlaps([swapped], 0.5).extrapolated[0] == pytest.approx(0.5)
    # Bounds: beyond depth 2 nothing or everything agrees: the sum over d > 2 of .5^d 2/d or 1.
    found = overlaps([swapped], 0.5)
    assert found.greatest[0] == pytest.approx(0.5)
    assert found.least[0] == pytest.approx(0.25 + 2 * (np.log(2) - 0.5 - 0.125))
    # a, then {b c}, against a, b, c: at depth 2 the tie has .5 of b and .5 of c.
    tied = [[["a"], ["b", "c"]], [["a"], ["b"], ["c"]]]
    agreement = np.array([1, 1.5 / 2, 1])
    expected = (agreement * 0.5 ** np.arange(1, 4)).sum() + 0.5**3
    assert overlaps([tied], 0.5, "a").extrapolated[0] == pytest.approx(expected)
    # Variant w: at depth 2 the tie counts b and c: 2 * 2 / (3 + 2).
    agreement[1] = 4 / 5
    expected = (agreement * 0.5 ** np.arange(1, 4)).sum() + 0.5**3
    assert overlaps([tied], 0.5, "w").extrapolated[0] == pytest.approx(expected)
    # Variant b: 1.5 over the root of (1 + .25 + .25) * 2.
    agreement[1] = 1.5 / np.sqrt(1.5 * 2)
    expected = (agreement * 0.5 ** np.arange(1, 4)).sum() + 0.5**3
    assert overlaps([tied], 0.5, "b").extrapolated[0] == pytest.approx(expected)


def ranked(documents):
    """Return a list of some documents in blocks of equal scores."""
    return st.lists(st.integers(0, 2), min_size=len(documents), max_size=len(documents)).map(
        lambda scores: [
            [d for d, own in zip(documents, scores, strict=True) if own == score]
            for score in sorted({*scores})
        ]
    )


def orders(blocks):
    for order in product(*map(permutations, blocks)):
        yield [[document] for block in order for document in block]


def value_and_mean(one, other, p):
    """Return variant a of two lists with ties, and its mean over all orders; three values each."""
    untied = overlaps(list(product(orders(one), orders(other))), p)
    means = [values.mean() for values in untied[:3]]
    return [values[0] for values in overlaps([(one, other)], p, "a")[:3]], means


EVEN = ranked(["d0", "d1", "d2", "d3"])


@given(EVEN, EVEN, st.sampled_from([0.3, 0.8, 0.95]))
def test_variant_a_is_the_mean_over_all_orders_of_equal_scores(one, other, p):
    found, means = value_and_mean(one, other, p)
    assert found == pytest.approx(means)


@given(ranked(["d0", "d1"]), ranked(["d0", "d2", "d3"]), EVEN, st.sampled_from([0.3, 0.8, 0.95]))
def test_so_it_is_of_uneven_lists_without_ties_beyond_the_end_of_the_shorter(two, three, four, p):
    for one, other in ((two, three), (two, four), (three, four)):
        (value, least, most), means = value_and_mean(one, other, p)
        assert least == pytest.approx(means[1])
        n_short = sum(map(len, one))
        ends = accumulate(map(len, other))
        beyond = [len(each) for each, end in zip(other, ends, strict=True) if end > n_short]
        if set(beyond) == {1}:
            assert [value, most] == pytest.approx([means[0], means[2]])


def test_with_ties_beyond_it_the_value_is_lower_than_the_mean():
    (value, least, _), means = value_and_mean([["d0"]], [["d0"], ["d1", "d2"]], 0.5)
    # At depth 2 the unseen document is d1 or d2, which each contribute a half: (1 + 1/2) / 2.
    agreement = np.array([1, 1.5 / 2, 1])
    assert value == pytest.approx((agreement * 0.5 ** np.arange(1, 4)).sum() + 0.5**3)
    assert means[0] == 1.0
    assert least == pytest.approx(means[1])


@pytest.mark.parametrize("variant", overlap.VARIANTS)
def test_queries_do_not_affect_each_other_however_they_are_grouped(variant, monkeypatch):
    pairs = [(blocks(case["x"]), blocks(case["y"])) for case in CASES]
    depths = np.array([1, 3, 40])
    together = overlaps(pairs, 0.9, variant, depths)
    monkeypatch.setattr(overlap, "_CELLS", 50)
    for values, wanted in zip(overlaps(pairs, 0.9, variant, depths), together, strict=True):
        np.testing.assert_allclose(values, wanted, rtol=0, atol=1e-13)


def test_a_depth_shows_the_lists_down_to_it():
    pairs = [(blocks(case["x"]), blocks(case["y"])) for case in CASES]
    untied = [(x, y) for x, y in pairs if all(len(block) == 1 for block in (*x, *y))]
    assert len(untied) > 20
    depths = np.arange(1, 31)
    found = overlaps(untied, 0.9, depths=depths).at
    for depth, values in zip(depths, found.T, strict=True):
        cut = overlaps([(x[:depth], y[:depth]) for x, y in untied], 0.9)
        np.testing.assert_allclose(values, cut.extrapolated, atol=1e-13)


@given(st.sampled_from(CASES), st.sampled_from("abw"))
def test_the_bounds_hold_the_value_and_sides_may_be_swapped(case, variant):
    pair = blocks(case["x"]), blocks(case["y"])
    value, least, greatest, _ = overlaps([pair], case["p"], variant)
    assert -1e-12 <= least[0] <= value[0] + 1e-12 <= greatest[0] + 2e-12 <= 1 + 3e-12
    turned = overlaps([pair[::-1]], case["p"], variant)
    assert turned.extrapolated[0] == pytest.approx(value[0])
