"""Segments whose difference depends on the data are no reason to decide for them on their own."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankreport as rr

N = 120
KINDS = pl.DataFrame(
    {
        "query_id": [f"q{q}" for q in range(N)],
        "kind": ["easy" if q % 2 else "hard" for q in range(N)],
    }
)


def compared(*, leave_out: str):
    """Compare two systems: the new one is better, but loses where it is left out of hard queries.

    It does not answer some of these, or has documents first that nobody judged.
    """
    rng = np.random.default_rng(5)
    qrels = {f"q{q}": {"r": 1, "s": 1, "n": 0} for q in range(N)}
    old, new = {}, {}
    for q in range(N):
        name, is_out = f"q{q}", q % 2 == 0 and rng.random() < 0.6
        old[name] = ["r", "n", "s"] if rng.random() < 0.7 else ["n", "r", "s"]
        new[name] = ["r", "s", "n"] if rng.random() < 0.7 else ["r", "n", "s"]
        if is_out and leave_out == "queries":
            del new[name]
        elif is_out and leave_out == "judgments":
            new[name] = [*(f"u{n}" for n in range(10)), *new[name]]
    return rr.compare(
        qrels, {"old": old, "new": new}, measures=["AP"], queries=KINDS, segments=["kind"]
    )


@pytest.mark.parametrize(
    ("leave_out", "depends"),
    [
        ("queries", "depends on queries not answered"),
        ("judgments", "depends on unjudged documents"),
    ],
)
def test_a_segment_may_depend_on_the_data(leave_out, depends):
    comparison = compared(leave_out=leave_out)
    rows = comparison.segments().to_polars()
    [hard] = rows.filter(segment="hard").iter_rows(named=True)
    assert (hard["differs"], hard["delta"] < 0) == (True, True)
    assert depends in hard["caution"]
    [easy] = rows.filter(segment="easy").iter_rows(named=True)
    assert (easy["delta"] > 0, easy["caution"]) == (True, "")
    opposite = [str(each) for each in comparison.cautions if each.code == "opposite_segment"]
    assert not any("hard" in each for each in opposite)
    [decided] = comparison.decision.pairs.values()
    assert [each.segment for each in decided.segments] == ["easy"]
