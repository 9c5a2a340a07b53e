from __future__ import annotations

import polars as pl
import pytest
from sliced import in_slices

import rankreport as rr

# "z" is not relevant, "u" unjudged.
QRELS = {"q1": {"a": 2, "b": 1, "c": 1, "z": 0}, "q2": {"a": 1}}
RUNS = {
    "old": {"q1": ["u", "z", "b", "a"], "q2": ["a"]},
    "new": {"q1": ["u", "a", "c", "b", "z"], "q2": ["u", "z"]},
}


def by_query(measure: str, **options) -> list[tuple]:
    parts = rr.evaluate(QRELS, RUNS, measure).pool_and_order(by_query=True, **options)
    columns = ("value", "ranked_low", "not_retrieved", "ideal", "mainly")
    rounded = [pl.col(name).round(6) for name in columns[:-1]]
    return parts.select(*rounded, "mainly").rows()


def test_precision_worked_by_hand():
    # min(3, 2) / 2 is the ideal of q1, min(1, 2) / 2 that of q2.
    assert by_query("P@2") == [
        (0.0, 1.0, 0.0, 1.0, "ranked low"),
        (0.5, 0.0, 0.0, 0.5, None),
        (0.5, 0.5, 0.0, 1.0, "ranked low"),
        (0.0, 0.0, 0.5, 0.5, "not retrieved"),
    ]


def test_recall_worked_by_hand():
    # min(2, 3) / 3 is the ideal of q1.
    assert by_query("R@2")[0] == (0.0, 0.666667, 0.0, 0.666667, "ranked low")


def test_dcg_worked_by_hand():
    # 2 + 1 / log2(3) + 1 / 2 is the ideal, 2 + 1 / log2(3) the best order of a and b; they rank
    # fourth and third: 1 / 2 + 2 / log2(5).
    assert by_query("DCG")[0] == (1.361353, 1.269577, 0.5, 3.13093, "ranked low")


def test_a_measure_without_a_cutoff_is_that_of_the_first_documents():
    # The lists of the system with the shorter ones have 4 documents, so the fifth does not count.
    first, _, second, _ = by_query("AP")
    assert first == (0.277778, 0.388889, 0.333333, 1.0, "ranked low")  # (1/3 + 2/4) / 3
    assert second == (0.638889, 0.361111, 0.0, 1.0, "ranked low")  # (1/2 + 2/3 + 3/4) / 3
    assert by_query("AP", n=2)[2] == (0.166667, 0.166667, 0.666667, 1.0, "not retrieved")


def test_means_add_up_and_have_intervals():
    example = rr.load_example()
    evaluation = rr.evaluate(example.qrels, example.runs, "nDCG@10")
    means = evaluation.means()
    for (system,), rows in evaluation.pool_and_order().group_by("system", maintain_order=True):
        mean = dict(rows.select("part", "mean").iter_rows())
        added = mean["value"] + mean["ranked_low"] + mean["not_retrieved"]
        assert added == pytest.approx(mean["ideal"], abs=1e-12)
        assert rows.row(0)[2:6] == pytest.approx(means.filter(system=system).row(0)[2:])


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("infAP", "sorting documents by grade does not make its mean highest"),
        ("GMAP", "sorting documents by grade does not make its mean highest"),
        ("AUC", "sorting documents by grade does not make its mean highest"),
        ("P", "it depends on how many documents are returned"),
        ("Bpref", "it passes over unjudged documents"),
        ("P(judged_only=True)@5", "it passes over unjudged documents"),
    ],
)
def test_other_measures_are_refused_by_name(measure, reason):
    with pytest.raises(rr.MeasureError) as error:
        rr.evaluate(QRELS, RUNS, "P@2").pool_and_order(measure)
    assert str(error.value).startswith(f"{rr.parse(measure)} does not tell what is not retrieved")
    assert reason in str(error.value)


def test_fewer_documents_than_the_cutoff_are_refused():
    evaluation = rr.evaluate(QRELS, RUNS, "P@2")
    with pytest.raises(rr.OptionError, match="P@5 looks at 5 documents, but n=4 of each list"):
        evaluation.pool_and_order("P@5")
    assert evaluation.pool_and_order("P@5", n=5)["n"].unique().item() == 5
    # No list is longer, so nothing is left out.
    short = rr.evaluate(QRELS, {"old": RUNS["old"]}, "P@5").pool_and_order()
    assert short["n"].unique().item() == 4


def test_a_loaded_evaluation_knows_the_primary_measure(tmp_path):
    path, evaluation = tmp_path / "scores.parquet", rr.evaluate(QRELS, RUNS, ["P@2", "AP"])
    evaluation.write_parquet(path)
    loaded = rr.load_evaluation(path)
    for by_query in (False, True):
        found, known = (e.pool_and_order(by_query=by_query) for e in (loaded, evaluation))
        assert found.equals(known.select(found.columns))
    with pytest.raises(rr.DataError, match="does not contain the highest values of AP"):
        loaded.pool_and_order("AP")
    with pytest.raises(rr.DataError, match="that the first 2 documents"):
        loaded.pool_and_order(n=2)
    one = rr.load_evaluation(path, systems=["old"])
    assert one.pool_and_order().equals(evaluation.pool_and_order().filter(system="old"))


def test_labelled_lists_hold_all_their_documents():
    labels, scores = [0, 2, 1, 0, 1], [0.5, 0.1, 0.3, 0.2, 0.4]
    evaluation = rr.evaluate_labelled(labels, scores, group=[3, 2], measures="nDCG@1")
    parts = evaluation.pool_and_order(by_query=True)
    assert parts["not_retrieved"].to_list() == [0.0, 0.0]
    assert parts["ranked_low"].to_list() == [1.0, 0.0]


@pytest.mark.parametrize("ties", ["trec", "expected"])
def test_slices_change_nothing(ties):
    example = rr.load_example()
    evaluation = rr.evaluate(example.qrels, example.runs, "AP", ties=ties)
    sliced = in_slices(evaluation, 3, judgments=True)
    assert sliced.pool_and_order(n=10).equals(evaluation.pool_and_order(n=10))
