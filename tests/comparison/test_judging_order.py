"""Judge these next, and the tipping rate: against evaluating with the grades themselves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import rankreport as rr

DOCUMENTS = [f"d{i}" for i in range(9)]
MEASURES = [
    *("P@4", "R@4", "RBP@4", "CG@4", "DCG@4", "nDCG@4", "nDCG(gain='exp')@4", "RR@4"),
    *("Success@4", "P(rel=2)@4", "RR(rel=2)@4"),
]


def made(seed, n=12, unjudged=0.4):
    """Return judgments of some documents, and two runs."""
    rng = np.random.default_rng(seed)
    qrels, runs = {}, {"old": {}, "new": {}}
    for i in range(n):
        name = f"q{i:02}"
        grades = {doc: int(rng.integers(0, 4)) for doc in DOCUMENTS}
        qrels[name] = {doc: g for doc, g in grades.items() if rng.random() > unjudged}
        qrels[name]["never returned"] = int(rng.integers(0, 4))
        for run in runs.values():
            run[name] = list(rng.permutation(DOCUMENTS)[:6])
    qrels["q00"]["never returned"] = 3
    return qrels, runs


def delta_of(qrels, runs, measure):
    means = rr.evaluate(qrels, runs, measure).summary()
    ((new,), (old,)) = (
        means.filter(system=name).select(pl.last()).row(0) for name in ("new", "old")
    )
    return new - old


def graded(qrels, documents, grade=3):
    """Return the judgments with more documents of that grade."""
    more = {name: dict(of_query) for name, of_query in qrels.items()}
    for query, document in documents:
        more[query][document] = grade
    return more


def judge_next(qrels, runs, measure, **options):
    return rr.judge_next(rr.compare(qrels, runs, measures=measure, **options))


# --- judge these next -----------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_moves_are_those_of_evaluating_with_the_grade(measure):
    qrels, runs = made(1, n=7)
    found = judge_next(qrels, runs, measure)
    frame = found.to_polars()
    assert found.delta == pytest.approx(delta_of(qrels, runs, measure))
    assert len(frame) >= 12
    # Each query as it is, and with each document, is a query of one collection.
    listed = frame.select("query_id", "doc_id").rows()
    copies = {(query, None): qrels[query] for query in qrels}
    for query, document in listed:
        copies[query, document] = graded(qrels, [(query, document)])[query]
    ids = {copy: f"{n}" for n, copy in enumerate(copies)}
    lists = {
        system: {name: run[query] for (query, _), name in ids.items()}
        for system, run in runs.items()
    }
    judged = {ids[copy]: judgments for copy, judgments in copies.items()}
    scores = rr.evaluate(judged, lists, measure).per_query().rows_by_key(["system", "query_id"])

    def delta(*copy):
        ((new,),), ((old,),) = (scores[system, ids[copy]] for system in ("new", "old"))
        return new - old

    moves = [(delta(query, doc) - delta(query, None)) / len(qrels) for query, doc in listed]
    assert frame["move"].to_list() == pytest.approx(moves, abs=1e-12)
    of_sides = [frame.filter(side) for side in (pl.col("move") > 0, pl.col("move") < 0)]
    assert all(each["move"].abs().round(12).is_sorted(descending=True) for each in of_sides)


def test_judging_the_first_n_favours_no_system():
    qrels, runs = made(5)
    for query in runs["new"]:  # of a system that finds much that nobody judged
        runs["new"][query] = [f"new {n}" for n in range(3)] + runs["new"][query][:1]
    found = judge_next(qrels, runs, "RBP@4")
    documents, moves = (
        found.to_polars().select("query_id", "doc_id").rows(),
        found.to_polars()["move"],
    )
    one = moves.abs().max()
    both = moves.to_list().index(moves.filter(moves < 0)[-1]) + 1
    # If all are relevant, or each with the same chance, the difference stays within one move.
    moved = moves.head(both).cum_sum()
    assert moved.abs().max() <= one + 1e-12
    judged = delta_of(graded(qrels, documents[: both // 2]), runs, "RBP@4")
    assert judged - found.delta == pytest.approx(moved[both // 2 - 1])
    assert moves.sort(descending=True).head(both // 2).sum() > 5 * one  # of one system alone
    assert both < len(moves)  # after those of the other system have all been judged


def test_the_unjudged_documents_within_the_cut_off_are_listed_with_their_ranks():
    qrels, runs = made(2)
    frame = judge_next(qrels, runs, "P@4").to_polars()
    expected = set()
    for query in qrels:
        for document in {*runs["old"][query][:4], *runs["new"][query][:4]} - set(qrels[query]):
            ranks = [
                run[query].index(document) + 1 if document in run[query][:4] else None
                for run in runs.values()
            ]
            expected.add((query, document, *ranks))
    assert set(frame.drop("move", "overturns").rows()) == expected


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", ["P@4", "RBP@4", "RR@4"])
def test_the_marked_documents_are_the_fewest_that_undo_the_difference(measure, seed):
    qrels, runs = made(seed, n=4, unjudged=0.6)
    found = judge_next(qrels, runs, measure)
    side = np.sign(found.delta)
    frame = found.to_polars()
    marked = frame.filter("overturns").select("query_id", "doc_id").rows()
    against = frame.filter(pl.col("move") * side < 0).select("query_id", "doc_id").rows()

    def undone(documents):
        return side * delta_of(graded(qrels, documents), runs, measure) < 1e-12

    if found.n_overturning is None:
        assert side == 0 or not undone(against)
        return
    assert undone(marked)
    if len(marked) <= 3:
        assert not any(undone(chosen) for chosen in combinations(against, len(marked) - 1))
    else:
        assert not undone(marked[:-1])


@pytest.mark.parametrize("measure", ["nDCG@4", "R@4"])
def test_marked_documents_undo_the_difference_of_measures_with_an_ideal(measure):
    known = 0
    for seed in range(5):
        qrels, runs = made(seed, n=5, unjudged=0.6)
        found = judge_next(qrels, runs, measure)
        if found.n_overturning is None:
            continue
        known += 1
        marked = found.to_polars().filter("overturns").select("query_id", "doc_id").rows()
        after = delta_of(graded(qrels, marked), runs, measure)
        assert np.sign(found.delta) * after < 1e-12
    assert known >= 3


def test_judgments_missing_of_one_query_concern_that_query_alone():
    qrels, runs = made(3, unjudged=0)
    full = delta_of(qrels, runs, "nDCG@4")
    for query in ("q03", "q07"):
        listed = {*runs["old"][query][:4], *runs["new"][query][:4]}
        holed = {**qrels, query: {"never returned": qrels[query]["never returned"]}}
        found = judge_next(holed, runs, "nDCG@4")
        frame = found.to_polars()
        assert set(frame.select("query_id", "doc_id").rows()) == {(query, d) for d in listed}
        given = [(query, doc) for doc in sorted(listed)]
        restored = {query: {**holed[query], **{doc: qrels[query][doc] for _, doc in given}}}
        # Below the cut-off, only the ideal differs.
        others = {doc: g for doc, g in qrels[query].items() if doc not in restored[query]}
        whole = {**holed, query: {**restored[query], **others}}
        assert delta_of(whole, runs, "nDCG@4") == pytest.approx(full)


def test_weights_count():
    qrels, runs = made(4)
    weights = {name: 1.0 + i for i, name in enumerate(qrels)}
    comparison = rr.compare(rr.evaluate(qrels, runs, ["P@4"]), weights=weights)
    frame = rr.judge_next(comparison).to_polars()
    query, document, move = frame.select("query_id", "doc_id", "move").row(0)
    after = rr.compare(
        rr.evaluate(graded(qrels, [(query, document)]), runs, ["P@4"]), weights=weights
    )
    assert move == pytest.approx(after.table()["delta"][0] - comparison.table()["delta"][0])


def test_the_pair_can_be_chosen():
    qrels, runs = made(5)
    runs["other"] = {name: documents[::-1] for name, documents in runs["old"].items()}
    comparison = rr.compare(qrels, runs, measures="P@4")
    for name in ("new", "other"):
        found = rr.judge_next(comparison, name)
        alone = judge_next(qrels, {"old": runs["old"], name: runs[name]}, "P@4")
        assert found.to_polars().equals(alone.to_polars())


# --- the tipping rate -----------------------------------------------------------------------------


def one_sided(n=60):
    """Return a system with a relevant document at rank 1, and a baseline with an unjudged one."""
    qrels = {f"q{i:02}": {"good": 1, "bad": 0} for i in range(n)}
    new = {name: ["good", "bad"] for name in qrels}
    old = {name: ["unknown" if i % 4 else "bad", "good"] for i, name in enumerate(qrels)}
    return qrels, {"old": old, "new": new}


def test_the_rate_at_which_the_interval_holds_0():
    """45 of 60 baselines have an unjudged document: with all relevant, 15 queries are won of 60."""
    qrels, runs = one_sided()
    found = judge_next(qrels, runs, "P@1").tipping
    assert (found.system, found.n_documents, found.clear) == ("old", 45, True)
    # P@1 of the system is 1, so that even 15 wins of 60 exclude 0.
    assert found.rate is None
    assert "Even if all 45 unjudged documents of old were relevant" in str(found)


def test_the_rate_agrees_with_evaluating_documents_drawn_at_random():
    qrels, runs = made(6, n=80, unjudged=0.5)
    for name in list(qrels)[:55]:
        relevant = sorted(qrels[name], key=qrels[name].get, reverse=True)
        runs["new"][name] = [doc for doc in relevant if doc != "never returned"][:4]
    options = {"measures": "P@4", "resamples": 1000}
    comparison = rr.compare(qrels, runs, **options)
    found = rr.judge_next(comparison)
    assert found.delta > 0
    rate = found.tipping.rate
    assert 0.05 < rate < 0.95
    documents = found.to_polars().drop_nulls("rank_baseline").select("query_id", "doc_id").rows()
    assert found.tipping.n_documents == len(documents)

    def share_holding(share, draws=12):
        rng = np.random.default_rng(8)
        lows = []
        for _ in range(draws):
            chosen = [each for each in documents if rng.random() < share]
            after = rr.compare(graded(qrels, chosen, grade=1), runs, **options).table()
            lows.append(after["ci_low"][0])
        return np.mean(np.array(lows) <= 0)

    assert share_holding(rate - 0.15) < 0.3
    assert 0.25 < share_holding(rate) < 0.75
    assert share_holding(rate + 0.15) > 0.7


def test_the_rate_of_judged_documents_is_at_the_same_ranks():
    """Rank 1 of the baseline: 20 judged, half of them relevant; rank 2 is judged throughout."""
    qrels, old = {}, {}
    for i in range(60):
        name = f"q{i:02}"
        qrels[name] = {"a": i % 2, "b": 1, "x": 0, "good": 1}
        old[name] = ["a" if i < 20 else "unknown", "b"]
    new = {name: ["good", "b"] for name in qrels}
    found = judge_next(qrels, {"old": old, "new": new}, "P@2").tipping
    assert found.n_documents == 40
    assert found.judged_rate == pytest.approx(0.5)
    assert "Of its judged documents at those ranks 50 % are, of unjudged" in str(found)


def test_an_interval_that_holds_0_has_no_tipping_rate():
    qrels, runs = made(7)
    found = judge_next(qrels, runs, "P@4").tipping
    assert (found.clear, found.rate) == (False, None)
    assert "no tipping rate" in str(found)


def test_a_worse_system_is_behind_itself():
    qrels, runs = one_sided()
    found = judge_next(qrels, {"new": runs["new"], "old": runs["old"]}, "P@1").tipping
    assert (found.system, found.clear) == ("old", True)


def test_the_same_seed_gives_the_same_rate():
    qrels, runs = made(6, n=80, unjudged=0.5)
    runs["new"] = {name: sorted(qrels[name], key=qrels[name].get)[::-1][:4] for name in qrels}
    first, again = (judge_next(qrels, runs, "nDCG@4").tipping for _ in range(2))
    assert first == again


# --- display, files and errors --------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_file_of_tasks_can_be_graded_and_read(tmp_path, suffix):
    qrels, runs = made(1)
    found = judge_next(qrels, runs, "P@4")
    path = tmp_path / f"next{suffix}"
    found.write(path)
    tasks = pl.read_csv(path) if suffix == ".csv" else pl.read_ndjson(path)
    assert tasks.columns == ["query_id", "doc_id", "relevance"]
    judged = rr.read_judged_tasks(tasks.with_columns(relevance=pl.lit(0)))
    assert judged.select("query_id", "doc_id").equals(
        found.to_polars().select("query_id", "doc_id")
    )
    with pytest.raises(rr.OptionError, match=r"ends in \.txt"):
        found.write(tmp_path / "next.txt")


def test_it_shows_the_first_documents_and_says_what_they_could_do():
    qrels, runs = made(1)
    found = judge_next(qrels, runs, "P@4")
    n = len(found.to_polars())
    text = str(found)
    assert f"Judge these next: 20 of {n} unjudged documents" in text
    undo = f"would be gone if {found.n_overturning} of the {n} unjudged documents had the highest"
    assert undo in text
    assert len(found.table(5).rows) == 5


def test_fully_judged_lists_have_nothing_to_judge():
    qrels, runs = made(1, unjudged=0)
    found = judge_next(qrels, runs, "P@4")
    assert found.to_polars().is_empty()
    assert "No grades of these documents undo" in str(found)


@pytest.mark.parametrize(
    ("measure", "options", "why"),
    [
        ("AP", {}, "takes P, R, RBP, CG, DCG, nDCG, RR or Success with a cut-off"),
        ("P@4", {"ties": "expected"}, "not ties='expected'"),
    ],
)
def test_measures_without_known_bounds_are_refused(measure, options, why):
    comparison = rr.compare(rr.evaluate(*made(1), [measure], **options))
    with pytest.raises(rr.OptionError, match=why):
        rr.judge_next(comparison)


def test_scores_from_a_file_are_refused(tmp_path):
    rr.evaluate(*made(1), ["P@4"]).write_parquet(tmp_path / "scores.parquet")
    comparison = rr.compare(rr.load_evaluation(tmp_path / "scores.parquet"))
    with pytest.raises(rr.DataError, match="contains scores, not documents"):
        rr.judge_next(comparison)


def test_judgments_of_relevant_documents_alone_are_refused():
    qrels, runs = made(1)
    positive = {name: {d: 1 for d, g in of.items() if g} for name, of in qrels.items()}
    with pytest.raises(rr.OptionError, match="name relevant documents alone"):
        judge_next(positive, runs, "P@4")
    with pytest.raises(rr.OptionError, match=r"judge_next\(\) takes what compare\(\) returns"):
        rr.judge_next(qrels)


def test_a_difference_of_0_by_rounding_alone_is_none_to_undo():
    """0.1 + 0.2 - 0.3 is not 0 in floating point."""
    relevant = ["r1", "r2", "r3"]
    qrels = {f"q{i}": {**dict.fromkeys(relevant, 1), "bad": 0} for i in range(3)}
    old = {"q0": ["x"], "q1": ["bad"], "q2": relevant}
    new = {"q0": relevant[:1], "q1": relevant[:2], "q2": ["bad", "x"]}
    found = judge_next(qrels, {"old": old, "new": new}, "P@10")
    assert 0 < abs(found.delta) < 1e-12
    assert found.n_overturning is None
    assert "undo the difference" not in str(found)
