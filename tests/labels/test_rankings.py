"""compare_rankings(): values per query, means, cautions, and what is refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankreport as rr

OLD = {
    "q1": {"d1": 5.0, "d2": 4.0, "d3": 3.0, "d4": 2.0},
    "q2": {"d1": 2.0, "d2": 1.0},
    "q3": {"d7": 1.0},
}
NEW = {
    "q1": {"d1": 9.0, "d4": 8.0, "d9": 7.0, "d3": 6.0},
    "q2": {"d8": 2.0, "d9": 1.0},
    "q4": {"d7": 1.0},
}


@pytest.fixture
def found():
    return rr.compare_rankings(OLD, NEW, k=(2, 4), p=0.5)


def test_values_per_query_worked_by_hand(found):
    first, second = found.per_query().iter_rows(named=True)
    assert (first["query_id"], first["n_a"], first["n_b"], first["n_shared"]) == ("q1", 4, 4, 3)
    # Agreement 1, 1/2, 1/3, 3/4.
    agreement = np.array([1, 1 / 2, 1 / 3, 3 / 4])
    assert first["rbo"] == pytest.approx((agreement * 0.5 ** np.arange(1, 5)).sum() + 0.5**4 * 0.75)
    # d1, d3, d4 against d1, d4, d3.
    assert first["tau_b"] == pytest.approx(1 / 3)
    assert first["tau_ap"] == pytest.approx(0.5)
    assert (first["overlap@2"], first["overlap@4"]) == (0.5, 0.75)
    assert (first["jaccard@2"], first["jaccard@4"]) == (pytest.approx(1 / 3), 3 / 5)
    assert (second["query_id"], second["n_shared"], second["rbo"]) == ("q2", 0, 0)
    assert second["tau_b"] is None
    assert second["tau_ap"] is None
    assert (second["overlap@4"], second["jaccard@4"]) == (0, 0)


def test_with_a_persistence_of_1_it_is_the_average_overlap():
    found = rr.compare_rankings(OLD, NEW, p=1)
    first, second = found.per_query().iter_rows(named=True)
    average = (1 + 1 / 2 + 1 / 3 + 3 / 4) / 4
    assert [first[name] for name in ("rbo", "rbo_min", "rbo_max")] == [pytest.approx(average)] * 3
    assert second["rbo"] == 0
    by_depth = found.by_depth().filter(pl.col("measure") == "RBO")["mean"]
    agreements = np.cumsum([1, 1 / 2, 1 / 3, 3 / 4]) / np.arange(1, 5)
    assert by_depth.head(4).to_list() == pytest.approx(list(agreements / 2))
    # A short list agrees below its end as it does there, or in nothing, or in all it can.
    short = rr.compare_rankings({"q": ["a", "b"]}, {"q": ["a", "c", "b", "d"]}, p=1)
    row = short.per_query().row(0, named=True)
    assert row["rbo_min"] == pytest.approx((1 + 1 / 2 + 2 / 3 + 2 / 4) / 4)
    assert row["rbo_max"] == pytest.approx((1 + 1 / 2 + 3 / 3 + 4 / 4) / 4)
    assert row["rbo_min"] < row["rbo"] < row["rbo_max"]


def test_overlap_of_short_lists_is_of_the_longer_one():
    found = rr.compare_rankings({"q": ["a", "b"]}, {"q": ["b", "a", "c", "d"]}, k=10)
    row = found.per_query().row(0, named=True)
    assert (row["overlap@10"], row["jaccard@10"]) == (0.5, 0.5)
    assert rr.compare_rankings({"q": ["a"]}, {"q": ["a"]}).per_query()["overlap@10"][0] == 1


def test_means_are_over_queries_of_both_with_a_value(found):
    rows = {row["measure"]: row for row in found.summary().iter_rows(named=True)}
    assert list(rows) == [
        *("rbo", "tau_b", "tau_ap", "overlap@2", "overlap@4", "jaccard@2", "jaccard@4")
    ]
    assert rows["overlap@4"]["mean"] == 0.375
    assert (rows["overlap@4"]["n_queries"], rows["tau_b"]["n_queries"]) == (2, 1)
    assert rows["tau_b"]["ci_low"] is None
    assert 0 <= rows["rbo"]["ci_low"] <= rows["rbo"]["mean"] <= rows["rbo"]["ci_high"] <= 1


def test_an_interval_is_that_of_the_named_kind():
    example = rr.load_example()
    runs = [example.runs["bm25"], example.runs["fusion"]]
    for kind in ("t", "percentile"):
        made = rr.compare_rankings(*runs, interval=kind, confidence=0.9, resamples=500, seed=3)
        values = made.per_query()["rbo"].to_numpy()[:, np.newaxis]
        draws = rr.statistics.Draws(500, 3)
        low, high = draws.interval(kind, rr.statistics.Sample.of(values), 0.9)
        row = made.summary().row(0, named=True)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((low[0], high[0]))


def test_queries_of_one_ranking_are_counted_and_named(found):
    assert found.missing == {"a": ("q4",), "b": ("q3",)}
    [caution] = [each for each in found.cautions if each.code == "queries_of_one_ranking"]
    assert caution.text == (
        "Queries that one ranking lacks are left out: a (1 query: q4), b (1 query: q3)."
    )


def codes(*args, **options):
    return {caution.code for caution in rr.compare_rankings(*args, **options).cautions}


def test_cautions():
    assert codes({"q": ["a", "b"]}, {"q": ["c", "d"]}) == {"no_document_shared"}
    assert codes({"q": ["a", "b"]}, {"q": ["b"]}) == {"other_depth"}
    assert codes({"q": ["a", "b"]}, {"q": ["b"]}, depth=1) == {"no_document_shared"}
    tied = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    assert codes(tied, {"q": ["b", "a", "c"]}) == {"many_ties"}
    assert codes(tied, {"q": ["b", "a", "c"]}, ties="input") == set()
    assert codes({"q": ["a", "b"]}, {"q": ["a", "b"]}) == {"same_ranking"}
    assert codes(tied, {"q": ["c", "b", "a"]}) == {"many_ties"}  # in the order of trec_eval
    assert codes(tied, tied, ties="b") == {"many_ties", "same_ranking"}


def test_ties_are_treated_as_asked():
    tied, plain = {"q": {"a": 2.0, "b": 1.0, "c": 1.0}}, {"q": ["a", "b", "c"]}

    def values(ties, one=tied):
        return rr.compare_rankings(one, plain, ties=ties, p=0.5, k=2).per_query().row(0, named=True)

    assert values("input")["rbo"] == 1
    assert values("trec")["rbo"] < values("a")["rbo"] < 1
    assert values("a")["rbo"] < values("b")["rbo"]
    assert values("a")["tau_b"] == pytest.approx(2 / np.sqrt(2 * 3))
    assert values("input")["tau_b"] == 1
    # As trec_eval: c before b.
    assert values("a")["overlap@2"] == values("trec")["overlap@2"] == 0.5
    ranked = pl.DataFrame(
        {"query_id": ["q"] * 3, "doc_id": [*"abc"], "score": [1.0, 2.0, 3.0], "rank": [1, 2, 3]}
    )
    assert values("rank", ranked)["rbo"] == 1


def test_a_depth_cuts_both_lists():
    whole = rr.compare_rankings(OLD, NEW, depth=2).per_query()
    cut = rr.compare_rankings(
        {q: dict([*docs.items()][:2]) for q, docs in OLD.items()},
        {q: dict([*docs.items()][:2]) for q, docs in NEW.items()},
    ).per_query()
    assert whole.equals(cut)
    # A block of equal scores that the depth divides is as long as what is left of it.
    tied = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    cut = rr.compare_rankings(tied, tied, depth=2, ties="b").per_query()
    assert cut.row(0, named=True)["n_shared"] == 2
    assert cut["rbo"][0] == pytest.approx(1)


def test_queries_that_differ_most_and_their_lists(found):
    assert found.most_different(1)["query_id"].to_list() == ["q2"]
    assert found.most_different()["query_id"].to_list() == ["q2", "q1"]
    assert found.side_by_side("q1", 3).rows() == [
        (1, "d1", 1, "d1", 1),
        (2, "d2", None, "d4", 4),
        (3, "d3", 4, "d9", None),
    ]
    short = rr.compare_rankings({"q": ["a"]}, {"q": ["b", "a"]}).side_by_side("q")
    assert short.rows() == [(1, "a", 2, "b", None), (2, None, None, "a", 1)]
    with pytest.raises(rr.OptionError, match="query='q9' is not one of the 2 queries"):
        found.side_by_side("q9")


def test_by_depth_equals_overlap_at_each_depth(found):
    rows = found.by_depth()
    assert rows["k"].to_list() == [1, 2, 3, 4] * 2
    deep = rr.compare_rankings(OLD, NEW, k=(1, 2, 3, 4), p=0.5)
    means = dict(deep.summary().select("measure", "mean").iter_rows())
    overlap = rows.filter(pl.col("measure") == "overlap")
    for k, mean in overlap.select("k", "mean").iter_rows():
        assert mean == means[f"overlap@{k}"]
    assert rows["mean"][-1] == pytest.approx(means["rbo"])


def test_names_are_those_of_the_files(tmp_path):
    rr.read_run(OLD).collect().write_csv(tmp_path / "old.csv")
    rr.read_run(NEW).collect().write_parquet(tmp_path / "new.parquet")
    found = rr.compare_rankings(tmp_path / "old.csv", tmp_path / "new.parquet")
    assert found.names == ("old", "new")
    assert found.per_query().equals(rr.compare_rankings(OLD, NEW).per_query())
    same = rr.compare_rankings(tmp_path / "old.csv", tmp_path / "old.csv")
    assert same.names == ("a", "b")
    assert same.per_query()["rbo"].to_list() == pytest.approx([1, 1, 1])


def test_it_shows_itself(found):
    text = repr(found)
    assert "How similarly a and b rank" in text
    assert "The two rankings share 25 % of the top 2 on average" in text
    assert "Ties: equal scores are ties: agreement is its mean over their orders" in text
    assert "<table>" in found._repr_mimebundle_()["text/html"]
    assert found.to_polars().equals(found.summary())
    assert found.plot().alt.startswith("agreement")
    rr.set_language("zh")
    try:
        assert "前 2 位平均共有" in found.sentence
    finally:
        rr.set_language("en")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p": 1.1}, "p=1.1 must lie between 0 and 1"),
        ({"p": "x"}, "p takes a number"),
        ({"k": 0}, "k=0 must be at least 1"),
        ({"k": ()}, "k is empty"),
        ({"depth": 0}, "depth=0 must be at least 1"),
        ({"ties": "mean"}, "ties='mean' is not one of"),
        ({"interval": "x"}, "interval='x' is not one of"),
        ({"confidence": 95}, "confidence=95 must lie"),
        ({"resamples": 5}, "resamples=5 is too few"),
        ({"names": ["x", "x"]}, "names takes two different names"),
        ({"names": "xy"}, "names takes two different names"),
    ],
)
def test_invalid_options(options, message):
    with pytest.raises(rr.OptionError, match=message):
        rr.compare_rankings(OLD, NEW, **options)


def test_invalid_data():
    with pytest.raises(rr.DataError, match=r"no query in common: .* 'q1', the other such as 'x'"):
        rr.compare_rankings(OLD, {"x": ["d1"]})
    with pytest.raises(rr.DataError, match="no column for rank"):
        rr.compare_rankings(OLD, NEW, ties="rank")
    frame = pl.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "d"], "score": [1.0, 2.0]})
    with pytest.raises(rr.DataError, match="d"):
        rr.compare_rankings(frame, frame)
    with pytest.raises(rr.OptionError, match="n=0 must be at least 1"):
        rr.compare_rankings(OLD, NEW).most_different(0)


LISTS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3).map(float), min_size=1),
    min_size=1,
)


@given(LISTS, LISTS, st.sampled_from(["a", "b", "w", "trec", "input"]))
def test_sides_may_be_swapped_and_rows_in_any_order(one, other, ties):
    if not {*one} & {*other}:
        return
    here = rr.compare_rankings(one, other, ties=ties).per_query()
    there = rr.compare_rankings(other, one, ties=ties).per_query()
    there = there.rename({"n_a": "n_b", "n_b": "n_a"}).select(here.columns)
    for column in here.columns[1:]:
        np.testing.assert_allclose(
            here[column].cast(float), there[column].cast(float), rtol=0, atol=1e-9
        )
    if ties != "input":
        rows = rr.read_run(one).collect().reverse()
        again = rr.compare_rankings(rows, other, ties=ties).per_query()
        assert again.equals(here)
