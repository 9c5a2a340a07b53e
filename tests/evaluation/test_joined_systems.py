"""Systems of a stored evaluation joined with new ones equal both evaluated at once and loaded."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rankreport as rr
from rankreport.evaluation import data_facts_of, join_systems
from rankreport.evaluation.quality import unjudged_at_top, values_on_judged
from rankreport.evaluation.some_queries import of_queries

N_QUERIES = 30

SHAPES = {
    "ties": {"rounded": True},
    "unjudged": {"judged": 0.5},
    "hardly judged on one side": {"judged": 0.9, "new_ids": 3},
    "unjudged on one side alone": {"new_ids": 5},
    "candidate deeper": {"depths": (6, 12)},
    "missing queries": {"missing": 0.3},
    "one run": {"same": True},
    "one pool": {"reordered": True},
    "answered": {"missing": 0.3, "options": {"queries": "answered"}},
    "expected": {"rounded": True, "judged": 0.6, "options": {"ties": "expected"}},
    "best": {"rounded": True, "judged": 0.6, "options": {"ties": "best"}},
    "unanswerable": {"missing": 0.4, "options": {"unanswerable": ["none", "too"]}},
    "corpus": {"options": {"corpus": [f"d{n}" for n in range(10)]}},
    "profile": {"options": {"profile": "trec_eval-9"}},
}
PAGES = ("hardly judged on one side", "one pool")
"""Shapes of which the whole page is compared too."""


def drawn(
    seed,
    depths=(12, 12),
    *,
    rounded=False,
    judged=1.0,
    missing=0.0,
    new_ids=0,
    same=False,
    reordered=False,
):
    """Return judgments and two runs."""
    rng = np.random.default_rng(seed)
    queries = [f"q{at}" for at in range(N_QUERIES)]
    qrels = {
        q: {f"d{n}": int(rng.integers(0, 3)) for n in range(15) if n == 0 or rng.random() < judged}
        for q in queries
    }
    runs = {}
    for system, depth in zip(("old", "new"), depths, strict=True):
        own = [f"d{n}" for n in range(15 - depth // 4)]
        own += [f"n{n}" for n in range(new_ids if system == "new" else 0)]
        run = {}
        for q in queries:
            scores = rng.normal(size=len(own)).round(0 if rounded else 9)
            if q == "q0" or rng.random() >= missing:
                ranked = sorted(zip(own, scores.tolist(), strict=True), key=lambda each: -each[1])
                run[q] = dict(ranked[:depth])
        runs[system] = run
    if same:
        runs["new"] = {q: {d: s + 5 for d, s in found.items()} for q, found in runs["old"].items()}
    if reordered:
        runs["new"] = {q: {d: -s for d, s in found.items()} for q, found in runs["old"].items()}
    return qrels, runs


def at_once_and_joined(folder, qrels, runs, measures, names=("old",), **options):
    """Return the loaded evaluation of all runs, and the loaded one joined with the new one."""
    rr.evaluate(qrels, runs, measures, **options).write_parquet(folder / "both.parquet")
    old = rr.evaluate(qrels, {name: runs[name] for name in names}, measures, **options)
    old.write_parquet(folder / "old.parquet", joinable=True)
    others = {name: run for name, run in runs.items() if name not in names}
    made = rr.evaluate(qrels, others, measures, **options)
    stored = rr.load_evaluation(folder / "old.parquet")
    joined = join_systems(stored, {name: name for name in names}, made)
    return rr.load_evaluation(folder / "both.parquet"), joined


def known(evaluation):
    """Return all that is known of an evaluation, but for numbers of unjudged documents."""
    unjudged = unjudged_at_top(evaluation)
    facts = data_facts_of(evaluation)
    return {
        "systems": evaluation.systems,
        "scores": evaluation.scores,
        "summary": evaluation.summary(),
        "quality": evaluation.quality,
        "ties": evaluation.ties(),
        "coverage": evaluation.coverage(),
        "unanswered": evaluation.unanswered,
        "unanswerable": evaluation.unanswerable,
        "repeats": evaluation.repeats(),
        "depths": facts.depths,
        "short lists": facts.short_lists,
        "cautions": evaluation.cautions,
        "inputs": sorted(evaluation.inputs, key=lambda read: read["role"]),
        "unjudged": unjudged and (unjudged.lists, unjudged.documents["rank"]),
        "values on judged": values_on_judged(evaluation),
        "grades": unjudged and unjudged.grades.sort("query_id", "relevance"),
        "n unjudged": unjudged and unjudged.n_documents(evaluation.systems),
        "datasets": evaluation.datasets,
        "exact means": evaluation.exact_means,
    }


def compared(evaluation, *, page=False):
    """Return what a comparison of two systems says."""
    comparison = rr.compare(evaluation, resamples=100, margin=0.02)
    gate = rr.gate(comparison, [f"{each} > -0.05" for each in evaluation.measures])
    return {
        "table": comparison.table(),
        "comparison": comparison.cautions,
        "verdict": str(comparison.verdict()),
        "gate": str(gate),
        "pool and order": attempt(comparison.pool_and_order),
        "page": page and rr.report(comparison, gate=gate, date="2026-11-28").to_json(),
    }


def attempt(find):
    try:
        return find()
    except rr.RankReportError as error:
        return type(error)


def differing(one, other):
    """Return the names of what differs between two mappings."""

    def equal(a, b):
        if isinstance(a, pl.DataFrame | pl.Series):
            return a.equals(b)
        if isinstance(a, tuple | list):
            return len(a) == len(b) and all(map(equal, a, b))
        return a == b

    return [name for name, value in one.items() if not equal(value, other[name])]


@pytest.mark.parametrize("shape", SHAPES)
def test_joined_systems_are_those_evaluated_at_once(shape, tmp_path):
    given = dict(SHAPES[shape])
    options = given.pop("options", {})
    qrels, runs = drawn(7, **given)
    once, joined = at_once_and_joined(tmp_path, qrels, runs, ["nDCG@10", "AP", "P@3"], **options)
    assert differing(known(once), known(joined)) == []
    page = shape in PAGES
    assert differing(compared(once, page=page), compared(joined, page=page)) == []


@pytest.mark.parametrize(
    ("shape", "several"),
    [
        *(("ties", 1), ("one run", 1), ("unjudged", 1), ("missing queries", 1), ("expected", 1)),
        *(("ties", 2), ("unjudged", 2)),
    ],
)
def test_gates_on_groups_of_stored_systems_are_those_of_their_runs(shape, several, tmp_path):
    given = dict(SHAPES[shape])
    options = given.pop("options", {})
    qrels, runs = drawn(12, **given)
    if several > 1:
        again = drawn(13, **given)[1]
        runs = {name: [runs[name], again[name]] for name in runs}
    once, joined = at_once_and_joined(tmp_path, qrels, runs, ["P@3", "nDCG@5"], **options)
    live = rr.evaluate(qrels, runs, ["P@3", "nDCG@5"], **options)
    groups = {"query_id": list(qrels), "group": ["ab"[at % 3 > 0] for at in range(N_QUERIES)]}
    some = of_queries(live, [*qrels][::3])
    assert_frame_equal(some.ties(), of_queries(once, [*qrels][::3]).ties())
    assert_frame_equal(some.ties(), of_queries(joined, [*qrels][::3]).ties())
    allowed = [f"{each} > -0.2" for each in live.measures]

    def gated(evaluation):
        comparison = rr.compare(evaluation, queries=pl.DataFrame(groups), segments=["group"])
        gate = rr.gate(comparison, [*allowed, *(f"{each} in every group" for each in allowed)])
        return gate.table(), str(gate)

    assert differing(dict(enumerate(gated(live))), dict(enumerate(gated(once)))) == []
    assert differing(dict(enumerate(gated(live))), dict(enumerate(gated(joined)))) == []


def test_ties_may_all_be_in_the_queries_that_are_joined(tmp_path):
    qrels, runs = drawn(7)
    tied = drawn(7, rounded=True)[1]
    some = [f"q{at}" for at in range(5)]
    runs = {name: {q: (tied if q in some else runs)[name][q] for q in qrels} for name in runs}
    rr.evaluate(qrels, {"old": runs["old"]}, ["AP", "P@3"]).write_parquet(
        tmp_path / "old.parquet", joinable=True
    )
    stored = rr.load_evaluation(tmp_path / "old.parquet")
    made = rr.evaluate(qrels, {"new": runs["new"]}, ["AP", "P@3"])
    joined = join_systems(stored, {"old": "before"}, made, some)
    alone = rr.evaluate(
        {q: qrels[q] for q in some},
        {
            name: {q: run[q] for q in some}
            for name, run in zip(("before", "new"), runs.values(), strict=True)
        },
        ["AP", "P@3"],
    )
    assert_frame_equal(joined.ties(), alone.ties())


def test_pooled_and_weighted_means_are_joined(tmp_path):
    qrels, runs = drawn(7)
    once, joined = at_once_and_joined(tmp_path, qrels, runs, ["GAUC", "nDCG@5", "PairRatio"])
    assert differing(known(once), known(joined)) == []


def test_three_systems_of_which_two_are_stored_under_other_names(tmp_path):
    qrels, runs = drawn(7, judged=0.6, rounded=True)
    three = {"old": runs["old"], "own": runs["new"], "new": runs["new"]}
    once, joined = at_once_and_joined(tmp_path, qrels, three, ["AP", "P@3"], ("old", "own"))
    assert differing(known(once), known(joined)) == []
    stored = rr.load_evaluation(tmp_path / "old.parquet")
    made = rr.evaluate(qrels, {"own": runs["new"]}, ["AP", "P@3"])
    one = join_systems(stored, {"own": "own 2026-11-27"}, made)
    at_once = rr.evaluate(qrels, {"own 2026-11-27": runs["new"], "own": runs["new"]}, ["AP", "P@3"])
    at_once.write_parquet(tmp_path / "again.parquet")
    assert differing(known(rr.load_evaluation(tmp_path / "again.parquet")), known(one)) == []


def test_systems_that_ran_several_times(tmp_path):
    qrels, runs = drawn(7, judged=0.6)
    several = {name: [runs["old"], runs["new"], runs[name]] for name in runs}
    once, joined = at_once_and_joined(tmp_path, qrels, several, ["nDCG@10", "AP"])
    assert differing(known(once), known(joined)) == []
    assert differing(compared(once), compared(joined)) == []


def test_columns_of_the_users_own(tmp_path):
    qrels, runs = drawn(7)
    factors = {"old": 1.0, "new": 2.0}
    rows = [(s, f"q{n}", n * each) for s, each in factors.items() for n in range(25)]
    table = pl.DataFrame(rows, schema=["system", "query_id", "latency"], orient="row")

    def made(*names):
        evaluation = rr.evaluate(qrels, {name: runs[name] for name in names}, ["AP"])
        own = table.filter(pl.col("system").is_in(names))
        return evaluation.with_columns(own, better={"latency": "low"})

    made("old", "new").write_parquet(tmp_path / "both.parquet")
    made("old").write_parquet(tmp_path / "old.parquet", joinable=True)
    once = rr.load_evaluation(tmp_path / "both.parquet")
    joined = join_systems(rr.load_evaluation(tmp_path / "old.parquet"), {"old": "old"}, made("new"))
    assert differing(known(once), known(joined)) == ["inputs"]  # the table, with fewer rows
    assert differing(compared(once), compared(joined)) == []


def test_several_data_sets_are_joined_by_name_and_others_refused(tmp_path):
    sets = {name: drawn(seed) for seed, name in enumerate(("arts", "law", "news"))}

    def made(names, *systems):
        return rr.join_datasets(
            {
                name: rr.evaluate(sets[name][0], {s: sets[name][1][s] for s in systems}, ["AP"])
                for name in names
            }
        )

    made(sets, "old", "new").write_parquet(tmp_path / "both.parquet")
    made(sets, "old").write_parquet(tmp_path / "old.parquet", joinable=True)
    once, old = (rr.load_evaluation(tmp_path / f"{name}.parquet") for name in ("both", "old"))
    joined = join_systems(old, {"old": "old"}, made(sets, "new"))
    assert differing(known(once), known(joined)) == []
    assert differing(compared(once), compared(joined)) == []
    assert once.by_dataset().equals(joined.by_dataset())
    with pytest.raises(rr.DataError, match="of other data sets: arts, law, news"):
        join_systems(old, {"old": "old"}, made(["arts", "law"], "new"))


@pytest.mark.parametrize("measures", [["AP", "GAUC", "PairRatio"], ["GAUC"]])
def test_pooled_and_weighted_means_of_several_data_sets_are_stored(measures, tmp_path):
    sets = {name: drawn(seed) for seed, name in enumerate(("arts", "law"))}
    made = rr.join_datasets({name: rr.evaluate(*given, measures) for name, given in sets.items()})
    made.write_parquet(tmp_path / "made.parquet")
    loaded = rr.load_evaluation(tmp_path / "made.parquet")
    assert loaded.summary().equals(made.summary())
    assert loaded.ties().equals(made.ties())
    assert loaded.cautions == made.cautions


def test_judgments_of_several_judges(tmp_path):
    qrels, runs = drawn(7, judged=0.7)
    rows = [
        (query, doc, judge, (grade + at) % 3)
        for query, found in qrels.items()
        for doc, grade in found.items()
        for at, judge in enumerate(("ann", "bob", "cy"))
    ]
    schema = ["query_id", "doc_id", "judge", "relevance"]
    labels = rr.qrels_from_judges(pl.DataFrame(rows, schema=schema, orient="row"))
    once, joined = at_once_and_joined(tmp_path, labels, runs, ["nDCG@10", "AP"])
    assert differing(known(once), known(joined)) == []
    one, other = (rr.compare(each, resamples=100).judges for each in (once, joined))
    assert str(one) == str(other)


def test_what_is_not_stored_is_refused(tmp_path):
    qrels, runs = drawn(7, depths=(12, 6))
    rr.evaluate(qrels, {"old": runs["old"]}, ["AP", "P@3"]).write_parquet(tmp_path / "old.parquet")
    old = rr.load_evaluation(tmp_path / "old.parquet")
    with pytest.raises(rr.DataError, match="does not contain RR, but AP, P@3"):
        join_systems(old, {"old": "old"}, rr.evaluate(qrels, {"new": runs["new"]}, ["AP", "RR"]))
    message = "longer lists than new, which returned 6 .* AP would be compared on the first 6"
    with pytest.raises(rr.DataError, match=message):
        join_systems(old, {"old": "old"}, rr.evaluate(qrels, {"new": runs["new"]}, ["AP"]))
    shallow = rr.evaluate(qrels, {"new": runs["new"]}, ["P@3"])
    assert join_systems(old, {"old": "old"}, shallow).systems == ("old", "new")
    with pytest.raises(rr.DataError, match="Evaluate both runs at once"):
        join_systems(shallow, {"new": "old"}, shallow)


def test_scores_of_some_queries_are_joined(tmp_path):
    qrels, runs = drawn(7, judged=0.6, missing=0.2)
    _, whole = at_once_and_joined(tmp_path, qrels, runs, ["nDCG@10", "AP"])
    old = rr.load_evaluation(tmp_path / "old.parquet")
    some = [f"q{n}" for n in range(5, 25)]
    made = rr.evaluate(qrels, {"new": runs["new"]}, ["nDCG@10", "AP"])
    part = join_systems(old, {"old": "old"}, made, some)
    kept = pl.col("query_id").is_in(some)
    assert part.scores.equals(whole.scores.filter(kept))
    assert part.unanswered.equals(whole.unanswered.filter(kept))
    of_some = {query: qrels[query] for query in some}
    alone = rr.compare(rr.evaluate(of_some, runs, ["nDCG@10", "AP"]), resamples=100).table()
    assert rr.compare(part, resamples=100).table().drop("caution").equals(alone.drop("caution"))
