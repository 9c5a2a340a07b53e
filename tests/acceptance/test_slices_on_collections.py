"""Real runs that are read in slices: every result is that of reading them at once."""

from __future__ import annotations

import pytest
from real_collections import DATA
from sliced import found_in, in_slices

import rankreport as rr

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="real data are not at hand")

COLLECTIONS = {
    "robust2003": ("qrels.txt.gz", "runs/*", {}),
    "web2012": ("qrels.diversity.txt.gz", "runs/*", {"subtopics": True}),
    "cranfield": ("qrels.txt", "runs/*", {"ties": "input"}),
    "codec-document": ("qrels.txt", "runs/*", {"collapse": "max", "queries": "answered"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COLLECTIONS)
def test_three_systems_in_seven_slices(name):
    qrels, pattern, options = COLLECTIONS[name]
    runs = sorted((DATA / name).glob(pattern))[:3]
    assert len(runs) == 3
    measures = ["nDCG@10", "AP", "RR", "P@10"]
    evaluation = rr.evaluate(
        DATA / name / qrels, {run.name: run for run in runs}, measures, **options
    )
    found = found_in(evaluation)
    assert not isinstance(found, str)
    assert found_in(in_slices(evaluation, 7)) == found
