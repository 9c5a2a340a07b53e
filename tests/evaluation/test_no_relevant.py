"""``no_relevant="one"``: 1 where nothing is relevant, in measures that are 0 / 0 there."""

from __future__ import annotations

import polars as pl
import pytest
from variants import variants

import rankreport as rr
from rankreport.evaluation.quality import values_on_judged

QRELS = {"barren": {"a": 0, "b": -1}, "there": {"a": 0, "b": 2, "c": 1}}
RUN = {"mine": {"barren": {"a": 2.0, "x": 1.0}, "there": {"a": 3.0, "b": 2.0, "c": 1.0}}}

NORMALISED = {
    *("nDCG", "AP", "R", "Rprec", "RelP", "SetAP", "RprecMult", "GMAP", "GMbpref", "Bpref"),
    *("infAP", "G", "binG", "RnDCG", "nDCG_rel", "nERR", "Compat", "TPR"),
    *("AR", "LRAP", "PartialAUC"),
    *("alpha_nDCG", "nERR_IA", "nNRBP", "AP_IA", "StRecall"),
}
EVERY = [each for plain in rr.catalogue() for each in variants(plain)]
DOCUMENTS = [m for m in EVERY if m.declaration.rows == "documents"]


def barren(measures, qrels=QRELS, run=RUN, **options):
    found = rr.evaluate(qrels, run, measures, **options).per_query()
    row = found.row(by_predicate=pl.col("query_id") == "barren", named=True)
    return {measure: row[str(measure)] for measure in measures}


def test_the_measures_that_divide_by_what_is_relevant():
    assert {m.name for m in rr.catalogue() if m.normalised} == NORMALISED
    assert not rr.nDCG(ideal="full").normalised  # by what is relevant to any query
    assert not rr.Compat(normalize=False).normalised
    assert all(m.declaration.nothing_relevant == 0 for m in rr.catalogue() if m.normalised)


@pytest.mark.parametrize("ties", ["trec", "input"])
def test_they_are_1_and_all_others_stay_as_they_are(ties):
    zero, one = (barren(DOCUMENTS, ties=ties, no_relevant=rule) for rule in ("zero", "one"))
    for measure in DOCUMENTS:
        own = measure.parameter("no_relevant")
        if own in {"zero", "one"}:
            assert zero[measure] == one[measure] == (own == "one"), measure
        else:
            assert one[measure] == (1.0 if measure.normalised else zero[measure]), measure


def test_they_are_1_in_every_order_of_equal_scores_too():
    run = {"mine": {"barren": {"a": 1.0, "b": 1.0, "x": 1.0}, "there": {"a": 1.0, "b": 1.0}}}
    names = [rr.nDCG @ 2, rr.AP, rr.R @ 1, rr.Rprec, rr.RR]
    for ties in ("expected", "best", "worst"):
        found = barren(names, run=run, ties=ties, no_relevant="one")
        assert list(found.values()) == [1.0, 1.0, 1.0, 1.0, 0.0]
    bounds = rr.evaluate(QRELS, run, names, no_relevant="one").ties()
    assert (bounds["worst"] <= bounds["value"] + 1e-12).all()
    assert (bounds["value"] <= bounds["best"] + 1e-12).all()
    assert bounds.filter(pl.col("measure") == "R@1")["worst"].to_list() == [0.5]


def test_measures_of_subtopics_are_1_too():
    qrels = {"barren": {"a": {"s": 0}}, "there": {"a": {"s": 1}, "b": {"t": 1}}}
    names = [m for m in EVERY if m.declaration.rows == "subtopics"]
    run = {"mine": {"barren": {"a": 1.0}, "there": {"b": 1.0}}}
    found = barren(names, qrels, run, subtopics=True, no_relevant="one")
    assert {m.name for m, value in found.items() if value == 1} == {
        name for name in NORMALISED if getattr(rr, name).declaration.rows == "subtopics"
    }


def test_a_query_with_nothing_returned_and_nothing_relevant_is_1_and_no_caution_says_0():
    run = {"mine": {"there": {"a": 1.0}}}
    evaluation = rr.evaluate(QRELS, run, ["AP", "RR"], no_relevant="one")
    assert evaluation.per_query()["AP"].to_list() == [1.0, 0.0]
    assert not any("score 0" in each.text for each in evaluation.cautions)


def test_the_mean_counts_it():
    found = rr.evaluate(QRELS, RUN, ["AP", "P@2"], no_relevant="one").summary()
    assert found.row(0) == ("mine", pytest.approx((1 + 7 / 12) / 2), 0.25)


def test_a_level_above_all_grades_of_a_query_is_no_matter_of_it():
    # "there" has documents of positive grade, none of which is relevant from 3 on.
    found = rr.evaluate(QRELS, RUN, ["AP(rel=3)"], no_relevant="one").per_query()
    assert found["AP(rel=3)"].to_list() == [1.0, 0.0]


def test_it_is_kept_and_read_back(tmp_path):
    found = rr.evaluate(QRELS, RUN, ["nDCG@10", "AP(no_relevant='zero')"], no_relevant="one")
    found.write_parquet(tmp_path / "scores.parquet")
    again = rr.load_evaluation(tmp_path / "scores.parquet")
    assert again.settings["no_relevant"] == "one"
    assert again.per_query().equals(found.per_query())
    assert found.per_query().row(0) == ("mine", "barren", 1.0, 0.0)


def test_the_values_of_judged_documents_alone_follow_it():
    found = values_on_judged(rr.evaluate(QRELS, RUN, ["nDCG@2"], no_relevant="one"))
    assert found is not None
    assert found.filter(query_id="barren")["nDCG@2"].to_list() == [1.0]
