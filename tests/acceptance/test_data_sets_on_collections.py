"""Real collections as data sets: their means are those of each, and what is missing is named."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from real_collections import CODEC, COVID, CRANFIELD, ROBUST

import rankreport as rr

pytestmark = pytest.mark.slow


def evaluated(collection, *names):
    """Evaluate the first runs of a collection under these names, or under their own."""
    runs = dict(zip(names, collection.runs.values(), strict=False)) or dict(
        islice(collection.runs.items(), 3)
    )
    return rr.evaluate(collection.qrels, runs, ["nDCG@10", "AP"])


@pytest.mark.skipif(not ROBUST.qrels.is_file(), reason="the collections are not here")
def test_systems_of_one_collection_alone_are_named():
    with pytest.raises(rr.OptionError, match=r"need two .* has results on codec-document alone"):
        rr.join_datasets({each.name: evaluated(each) for each in (CODEC, ROBUST, CRANFIELD)})


@pytest.mark.skipif(not ROBUST.qrels.is_file(), reason="the collections are not here")
def test_the_mean_is_that_of_the_collections():
    systems = {CODEC: "ab", ROBUST: "abc", CRANFIELD: "cab", COVID: "abc"}
    sets = {each.name: evaluated(each, *names) for each, names in systems.items()}
    comparison = rr.compare(sets, "a", resamples=2000)
    evaluation = comparison.evaluation
    assert evaluation.datasets == ("robust2003", "cranfield", "trec-covid-r1")
    shared = [sets[name].summary() for name in evaluation.datasets]
    means = {
        name: np.mean([dict(each.rows_by_key("system"))[name] for each in shared], axis=0)
        for name in "abc"
    }
    for row in evaluation.summary().iter_rows():
        assert row[1:] == pytest.approx(means[row[0]].ravel(), abs=1e-12)
    assert [each.examples for each in evaluation.cautions if each.code == "missing_datasets"]
    pair = comparison.over_datasets("AP").row(0, named=True)
    ends = comparison.by_dataset("AP").filter(system="b")
    assert pair["delta"] == pytest.approx(ends["delta"].mean(), abs=1e-12)
    # The variance of the mean of three is a ninth of the sum of theirs.
    widths = (ends["ci_high"] - ends["ci_low"]).to_numpy()
    assert pair["ci_high"] - pair["ci_low"] == pytest.approx(np.hypot.reduce(widths) / 3, rel=0.25)
