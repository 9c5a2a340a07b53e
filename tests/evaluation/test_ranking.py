from __future__ import annotations

import polars as pl
import pytest
from drawn import collections
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import rankreport as rr
from rankreport.evaluation.ranking import JUDGMENT, Lists
from rankreport.measures.ties import TIES

RUN = {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}


def places(run, ties="trec", judged=None, ranks=None):
    """Return ``{(query, document): (rank, tie_first, tie_last)}``."""
    rows = [(q, d, s) for q, row in run.items() for d, s in row.items()]
    return places_of_rows(rows, ties, judged, ranks)


def places_of_rows(rows, ties="trec", judged=None, ranks=None):
    """Return the same of ``(query, document, score)``."""
    frame = pl.DataFrame(rows, schema=RUN, orient="row")
    if ranks is not None:
        frame = frame.with_columns(pl.Series("rank", ranks, dtype=pl.Int64))
    keys = frame.select("query_id", "doc_id") if judged is None else judged
    hits = Lists.of(frame, TIES[ties]).hits(keys)
    placed = keys[hits[JUDGMENT]].hstack(hits.select("rank", "tie_first", "tie_last"))
    return {(q, d): tuple(rest) for q, d, *rest in placed.rows()}


def brute_force(row, ties):
    """Sort one query's documents as the rule says, with Python's own stable sort."""
    by_name = sorted(row, key=lambda d: d.encode(), reverse=True)
    order = sorted(by_name if ties == "trec" else row, key=lambda d: -row[d])
    by_score = sorted(row.values(), reverse=True)
    return {
        d: (
            order.index(d) + 1,
            by_score.index(row[d]) + 1,
            len(by_score) - by_score[::-1].index(row[d]),
        )
        for d in row
    }


@pytest.mark.parametrize("ties", ["trec", "input"])
@given(collection=collections())
@settings(max_examples=settings.default.max_examples * 3 // 2)
def test_documents_stand_where_sorting_puts_them(ties, collection):
    _, run = collection
    expected = {(q, d): p for q, row in run.items() for d, p in brute_force(row, ties).items()}
    assert places(run, ties) == expected


@pytest.mark.parametrize("ties", ["trec", "input"])
@given(collections(), st.randoms(use_true_random=False))
def test_rows_of_all_queries_may_be_mixed(ties, collection, order):
    _, run = collection
    rows = [(q, d, s) for q, row in run.items() for d, s in row.items()]
    order.shuffle(rows)
    mixed = {}
    for query, document, score in rows:
        mixed.setdefault(query, {})[document] = score
    expected = {(q, d): p for q, row in mixed.items() for d, p in brute_force(row, ties).items()}
    assert places_of_rows(rows, ties) == expected


@given(collection=collections())
def test_documents_with_equal_hashes_are_told_apart(collection):
    _, run = collection
    expected = places(run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pl.Expr, "hash", lambda each, *_: each.str.len_bytes().cast(pl.UInt64))
        assert places(run) == expected


@given(collections(), st.data())
def test_a_place_does_not_depend_on_what_else_was_judged(collection, data):
    _, run = collection
    everything = places(run)
    some = data.draw(st.lists(st.sampled_from(sorted(everything)), unique=True, min_size=1))
    judged = pl.DataFrame(some, schema=["query_id", "doc_id"], orient="row")
    assert places(run, judged=judged) == {key: everything[key] for key in some}


@given(collections(), st.randoms(use_true_random=False))
def test_ranks_alone_decide_where_they_are_the_rule(collection, order):
    _, run = collection
    ranks, expected = [], {}
    for query, row in run.items():
        own = order.sample(range(50), len(row))
        ranks += own
        expected |= {(query, d): r + (min(own) == 0) for d, r in zip(row, own, strict=True)}
    placed = places(run, "rank", ranks=ranks)
    assert placed == {key: (place,) * 3 for key, place in expected.items()}


def test_zero_and_minus_zero_are_equal_scores():
    placed = places({"q": {"a": 0.0, "b": -0.0, "c": 0.0}})
    assert placed == {("q", "c"): (1, 1, 3), ("q", "b"): (2, 1, 3), ("q", "a"): (3, 1, 3)}


def test_names_are_compared_byte_by_byte():
    names = ["Z", "a", "é", "中", "\ufffd", "😀", "10", "9", "a1", "a\u00a0"]
    order = sorted(names, key=lambda d: d.encode(), reverse=True)
    placed = places({"q": dict.fromkeys(names, 1.0)})
    assert sorted(names, key=lambda d: placed["q", d]) == order
    assert order[0] == "😀"  # UTF-16 would put it below the replacement character


def test_scores_that_differ_only_in_double_precision_differ():
    placed = places({"q": {"a": 0.123456789012, "b": 0.123456789011}})
    assert placed == {("q", "a"): (1, 1, 1), ("q", "b"): (2, 2, 2)}


@pytest.mark.parametrize(("first", "value"), [(0, 1 / 2), (1, 1 / 2), (7, 1 / 8)])
def test_ranks_start_at_0_or_1_and_else_have_a_gap(tmp_path, first, value):
    file = tmp_path / "run"
    file.write_text("".join(f"q Q0 d{i} {first + i} {i} t\n" for i in range(3)))
    evaluation = rr.evaluate({"q": {"d1": 1}}, {"mine": file}, ["RR"], ties="rank")
    assert evaluation.summary()["RR"].item() == value
    assert rr.evaluate({"q": {"d2": 1}}, {"mine": file}, ["RR"]).summary()["RR"].item() == 1.0
    found = [(each.code, each.severity) for each in evaluation.cautions if "rank" in each.code]
    assert found == {0: [("ranks_from_0", "note")], 1: [], 7: [("rank_gaps", "look")]}[first]


GAPS = {"q1": {"a": 1, "b": 2, "c": 5, "d": 9}, "q2": {"b": 3, "x": 4}, "q3": {"a": 0, "c": 3}}
"""The rank of each document: with gaps, from 3 on, and from 0 with a gap."""
GRADES_OF_GAPS = {
    "q1": {"a": 0, "c": 2, "d": 1, "e": 1},
    "q2": {"b": 1, "c": 0, "d": 2},
    "q3": {"a": 1, "c": 1, "f": 2},
    "q4": {"a": 1},
}


def rows_of(lists):
    """Return a run of ranked lists, in no order, with scores that say otherwise."""
    rows = [(q, d, r, float(ord(d[0]))) for q, row in lists.items() for d, r in row.items()]
    schema = ["query_id", "doc_id", "rank", "score"]
    return pl.DataFrame(rows[::-1], schema=schema, orient="row")


def filled():
    """Return the same lists, with unjudged documents where one is missing, from rank 1."""
    whole = {}
    for query, row in GAPS.items():
        places = {rank + (min(row.values()) == 0): d for d, rank in row.items()}
        whole[query] = {places.get(r, f"none{r}"): r for r in range(1, max(places) + 1)}
    return whole


def everything_of(run, **options):
    """Return all figures under ties='rank' that depend on the ranks of documents."""
    measures = [m for m in rr.catalogue() if m.declaration.rows == "documents"]
    cut = [m @ k for m in measures if m.takes_cutoff for k in (3, 5)]
    some = [m for m in (*measures, *cut) if str(m) not in {"iDCG", "nDCG"}]
    found = rr.evaluate(GRADES_OF_GAPS, {"mine": run}, some, ties="rank", **options)
    yield found.per_query()
    yield found.summary()
    yield found.coverage()
    yield found.quality
    yield found.judged_documents()
    yield found.curve("RR", k=[1, 2, 4, 8])
    yield found.relevant(["q1", "q2", "q3"])
    yield found.documents(["q1", "q2", "q3"], 6).filter(~pl.col("doc_id").str.contains("none"))


def test_a_rank_is_a_position_for_every_measure_and_list():
    gaps = rows_of(GAPS)
    zipped = zip(everything_of(gaps), everything_of(rows_of(filled())), strict=True)
    for found, whole in zipped:
        assert_frame_equal(found, whole, abs_tol=0, rel_tol=0)


def test_what_is_said_of_ranks_is_kept_stored_and_checked(tmp_path):
    gaps = rows_of(GAPS)
    found = rr.evaluate(GRADES_OF_GAPS, {"mine": gaps}, ["RR"], ties="rank")
    texts = [each.text for each in found.cautions if each.code.startswith("rank")]
    gaps_of, zero_based = texts
    assert gaps_of == (
        "Ranks are missing. A rank is a position, so documents that are missing count as not "
        "relevant: mine (3 of 3 lists)."
    )
    assert zero_based == "Ranks start at 0; 1 was added: mine (1 of 3 lists)."
    found.write_parquet(tmp_path / "scores.parquet")
    loaded = rr.load_evaluation(tmp_path / "scores.parquet")
    checked = rr.check(GRADES_OF_GAPS, {"mine": gaps}, ["RR"], ties="rank")
    for other in (loaded, checked):
        assert [e.text for e in other.cautions if e.code.startswith("rank")] == texts
    of_scores = rr.evaluate(GRADES_OF_GAPS, {"mine": gaps}, ["RR"])
    assert not [each for each in of_scores.cautions if each.code.startswith("rank")]


def test_folded_documents_are_ranked_anew():
    # Of passages 1 to 4, d's are the first and the second: e is the second document.
    run = rows_of({"q": {"d#1": 1, "d#2": 2, "e#1": 3, "f#1": 4}})
    folding = {"collapse": "max", "document_of": "#"}
    found = rr.evaluate({"q": {"e": 1}}, {"m": run}, ["RR"], ties="rank", **folding)
    assert found.summary()["RR"].item() == 1 / 2
    assert not [each for each in found.cautions if each.code.startswith("rank")]


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        (["1", "2", "2"], ["query 'q' has rank 2 more than once", "ties='trec'"]),
        (["1", "first", "2"], ["query 'q' has a rank that is not a whole number"]),
        (["1", "1.5", "2"], ["a rank that is not a whole number"]),
        (["1", "-1", "2"], ["query 'q' has rank -1. ties='rank' needs a unique rank from 0 or 1"]),
        (["1", "1000001", "2"], ["query 'q' has rank 1000001. ", "to 1,000,000 for each"]),
    ],
)
@pytest.mark.parametrize("kind", ["text", "csv"])
def test_ranks_that_give_no_order_are_refused(tmp_path, kind, ranks, words):
    file = tmp_path / "run"
    if kind == "text":
        file.write_text("".join(f"q Q0 d{i} {rank} 1 t\n" for i, rank in enumerate(ranks)))
    else:
        rows = [f"q,d{i},{rank},1\n" for i, rank in enumerate(ranks)]
        file.write_text("".join(["qid,doc,rank,score\n", *rows]))
    with pytest.raises(rr.DataError) as caught:
        _ = rr.evaluate({"q": {"d1": 1}}, {"mine": file}, ties="rank").scores
    for word in [str(file), *words]:
        assert word in str(caught.value)
    assert rr.evaluate({"q": {"d1": 1}}, {"mine": file}).summary().height == 1


def test_a_rank_column_of_floats_is_read_where_they_are_whole():
    run = pl.DataFrame({"qid": ["q", "q"], "doc": ["a", "b"], "score": [1, 2], "rank": [1.0, 2.0]})
    found = rr.evaluate({"q": {"a": 1}}, {"mine": run}, ["RR"], ties="rank").summary()
    assert found["RR"].item() == 1.0
    halves = run.with_columns(pl.col("rank") / 2)
    with pytest.raises(rr.DataError, match="not a whole number"):
        _ = rr.evaluate({"q": {"a": 1}}, {"mine": halves}, ties="rank").scores


def test_a_run_without_ranks_cannot_be_ordered_by_them():
    with pytest.raises(rr.DataError, match="run 'mine' has no column for rank"):
        _ = rr.evaluate({"q": {"a": 1}}, {"mine": {"q": {"a": 1}}}, ties="rank").scores


def test_a_rule_that_is_not_known_is_refused_with_the_nearest():
    with pytest.raises(rr.OptionError, match=r"ties='inptu'.*Did you mean 'input'\?"):
        rr.evaluate({"q": {"a": 1}}, {"mine": {"q": {"a": 1}}}, ties="inptu")
    assert all(rule.words for rule in TIES.values())
