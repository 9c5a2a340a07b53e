"""The rules of BEIR and MTEB, by definition over pytrec_eval.

`tests/contracts/test_agreement_of_profiles.py` holds their own output.
"""

from __future__ import annotations

import math

import pytest
import pytrec_eval

import rankreport as rr

QRELS = {"q1": {"a": 1, "q1": 1, "b": 2}, "q2": {"a": 1}, "q3": {"a": 0}, "q4": {"c": 1}}
RUN = {
    "q1": {"q1": 9.0, "b": 1.0, "a": 1.0, "x": 1.0},
    "q2": {"x": 0.123456789012, "a": 0.123456789011},
    "q3": {"a": 1.0},
}


def theirs(run, names):
    scores = pytrec_eval.RelevanceEvaluator(QRELS, names).evaluate(run)
    measures = next(iter(scores.values()))
    return {m: sum(row[m] for row in scores.values()) / len(scores) for m in measures}


def ours(name, measures, run=RUN):
    (means,) = rr.evaluate(QRELS, {"mine": run}, measures, profile=name).summary().rows()
    return means[1:]


def test_beir_drops_documents_with_the_id_of_the_query_and_says_so():
    dropped = {q: {d: s for d, s in docs.items() if d != q} for q, docs in RUN.items()}
    expected = theirs(dropped, {"ndcg_cut.3", "map_cut.3", "recall.3", "P.3"})
    found = ours("beir", ["NDCG@3", "MAP@3", "Recall@3", "P@3"])
    names = ["ndcg_cut_3", "map_cut_3", "recall_3", "P_3"]
    assert found == pytest.approx([expected[n] for n in names], abs=1e-12)
    evaluation = rr.evaluate(QRELS, {"mine": RUN, "other": dropped}, ["P@3"], profile="beir")
    (caution,) = [c for c in evaluation.cautions if c.code == "identical"]
    assert (caution.count, caution.concerns) == (1, (("mine",),))
    assert evaluation.documents(["q1"]).filter(doc_id="q1").is_empty()
    # Elsewhere they count.
    assert ours("beir", ["P@1"], {"q1": RUN["q1"]}) == (0.0,)
    assert ours("mteb", ["P@1"], {"q1": RUN["q1"]}) == (1.0,)


def test_mteb_keeps_them_and_averages_over_the_queries_answered():
    expected = theirs(RUN, {"ndcg_cut.3", "success.1", "recall.1"})
    found = ours("mteb", ["ndcg_at_3", "hit_rate_at_1", "accuracy"])
    names = ["ndcg_cut_3", "success_1", "recall_1"]
    assert found == pytest.approx([expected[n] for n in names], abs=1e-12)


def test_a_query_without_a_relevant_document_counts_for_both():
    for name in ("beir", "mteb"):
        found = rr.evaluate(QRELS, {"mine": RUN}, ["P@1"], profile=name)
        assert found.query_ids == ["q1", "q2", "q3"]


def test_sentence_transformers_by_hand():
    """Two hits in the list of q1 and one in that of q2, whose only relevant document is first."""
    qrels = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1}, "q3": {"a": 0}}
    run = {"q1": {"x": 0.5, "a": 0.5, "b": 0.5}, "q2": {"a": 0.9, "b": 0.1}, "q3": {"a": 1.0}}
    second = 1 / math.log2(3)
    expected = {
        "cosine_ndcg@2": (second / (1 + second) + 1) / 2,
        "cosine_map@2": (1 / 2 / 2 + 1) / 2,
        "cosine_map@100": ((1 / 2 + 2 / 3) / 2 + 1) / 2,
        "nq_dot_mrr@10": (1 / 2 + 1) / 2,
        "cosine-Accuracy@1": 1 / 2,
        "cos_sim_precision@2": 1 / 2,
        "recall@2": (1 / 2 + 1) / 2,
    }
    found = rr.evaluate(qrels, {"mine": run}, list(expected), profile="sentence-transformers")
    assert found.query_ids == ["q1", "q2"]
    assert found.summary().row(0)[1:] == pytest.approx(list(expected.values()), abs=1e-15)
    [note] = [each.text for each in found.cautions if "sentence-transformers" in each.text]
    assert "equal scores by document id, ascending" in note


@pytest.mark.parametrize(
    ("profile", "name"),
    [("beir", "R_cap@10"), ("beir", "Hole@10"), ("mteb", "nauc_ndcg_at_10_max"), ("mteb", "p-MRR")],
)
def test_measures_that_cannot_be_reproduced_are_refused(profile, name):
    with pytest.raises(rr.MeasureError, match="cannot be reproduced"):
        ours(profile, [name])


def test_a_fault_of_a_run_without_them_names_its_line(tmp_path):
    (tmp_path / "run.txt").write_text("a Q0 a 1 2 t\na Q0 b 1 x t\n")
    with pytest.raises(rr.DataError, match="line 2 has 'x'"):
        rr.evaluate({"a": {"b": 1}}, tmp_path / "run.txt", ["RR"], profile="beir").summary()
