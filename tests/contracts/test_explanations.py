"""docs/explanations.md: what it says of several comparisons is so."""

from __future__ import annotations

import pytest

import rankreport as rr


@pytest.fixture(scope="module")
def widths():
    """Return, by correction, how wide the intervals of three systems are, and the default's."""
    example = rr.load_example()
    evaluation = rr.evaluate(example.qrels, example.runs, ["nDCG@10"])
    found = {}
    for options in ({}, *({"correction": x} for x in ("max-t", "bonferroni", "holm", "none"))):
        frame = rr.compare(evaluation, baseline="bm25", **options).to_polars()
        found[options.get("correction")] = (frame["ci_high"] - frame["ci_low"]).to_list()
    return found


def test_several_comparisons_widen_intervals_by_any_correction_but_none(widths):
    assert widths[None] == widths["max-t"]
    assert widths["bonferroni"] == widths["holm"]
    every = zip(widths["none"], widths["max-t"], widths["bonferroni"], strict=True)
    assert all(none < default < bonferroni for none, default, bonferroni in every)
