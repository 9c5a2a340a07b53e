"""Judgments removed from fully judged collections: what is said of them holds for the truth.

Lists are cut down to judged documents, so that all is judged, and the truth is known. Judgments are
then removed of some queries only, or of one.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import polars as pl
import pytest
from real_collections import CODEC, COVID, CRANFIELD, DATA, ROBUST, WEB, Collection
from scipy import stats

import rankreport as rr
from rankreport.comparison.model_judge import decisive_differences
from rankreport.comparison.paired_differences import contrasts_of
from rankreport.comparison.unjudged import difference_bounds

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.exists(), reason="needs the real collections"),
]

KEYS = ["query_id", "doc_id"]
DEPTH, QUERIES = 10, 100
COLLECTIONS = {
    each.name: each
    for each in (
        CRANFIELD,
        CODEC,
        COVID,
        ROBUST,
        WEB,
        Collection("quepid-haystack", 0, refused=("with-vector",)),
    )
}
LEARNED = "ltr-lightgbm"
NAMES = [*COLLECTIONS, LEARNED]


def learned():
    """Labelled lists, in which every document is judged as it is."""
    rows = pl.read_parquet(DATA / LEARNED / "test_scores.parquet").with_columns(
        query_id=pl.col("qid").cast(pl.String), doc_id=pl.format("d{}", "row")
    )
    rankers = sorted({*rows.columns} - {*KEYS, "qid", "row", "label"})
    runs = {name: rows.select(*KEYS, score=name) for name in (rankers[0], rankers[-1])}
    return rows.select(*KEYS, relevance="label"), runs


@cache
def fully_judged(name, systems=()):
    """Return judgments of some queries, and two runs of ten judged documents each."""
    if name == LEARNED:
        qrels, runs = learned()
    else:
        of = COLLECTIONS[name].runs
        chosen = systems or (min(of), max(of))
        qrels = rr.read_qrels(COLLECTIONS[name].qrels).collect().select(*KEYS, "relevance")
        runs = {system: rr.read_run(of[system]).collect() for system in chosen}
    queries = rr.sample_queries(qrels, min(QUERIES, qrels["query_id"].n_unique()))
    qrels = qrels.filter(pl.col("query_id").is_in(queries)).cast({"relevance": pl.Float64})
    lists = {
        system: run.join(qrels, on=KEYS, how="semi")
        .sort("query_id", "score", "doc_id", descending=[False, True, True])
        .group_by("query_id", maintain_order=True)
        .head(DEPTH)
        .select(*KEYS, "score")
        for system, run in runs.items()
    }
    return qrels, lists


def listed_in(lists, k=DEPTH):
    """Return the documents within the cut-off of either list."""
    tops = [
        run.group_by("query_id", maintain_order=True).head(k).select(KEYS) for run in lists.values()
    ]
    return pl.concat(tops).unique().sort(KEYS)


def removed_from(qrels, lists, share, *, queries=None, seed=0, k=DEPTH):
    """Choose judgments of listed documents at random; at least one of each query stays."""
    rng = np.random.default_rng(seed)
    listed = listed_in(lists, k)
    if queries is not None:
        listed = listed.filter(pl.col("query_id").is_in(queries))
    chosen = listed.filter(pl.Series(rng.random(len(listed)) < share))
    left = qrels.join(chosen, on=KEYS, how="anti")
    emptied = chosen.join(left, on="query_id", how="anti").unique("query_id", keep="first")
    return chosen.join(emptied, on=KEYS, how="anti")


def without(qrels, removed):
    return qrels.join(removed, on=KEYS, how="anti")


def deltas_of(comparison, measure):
    return dict(comparison.deltas(measure).select("query_id", "delta").iter_rows())


def delta_of(comparison, measure):
    """Return the difference of the means, without the intervals of a table."""
    return comparison.deltas(measure)["delta"].mean()


def bounds_of(comparison):
    """Return how low and high the difference of each query could be."""
    evaluation = comparison.evaluation
    [pair] = comparison.pairs
    place = contrasts_of(comparison).measures.index(str(comparison.primary))
    scores = {name: each[:, place] for name, each in contrasts_of(comparison).scores.items()}
    unjudged = evaluation._origin.unjudged(evaluation.primary, {}, 1)
    found = difference_bounds(
        unjudged, evaluation.primary, [pair], scores, comparison.evaluation.query_ids
    )
    return dict(zip(comparison.evaluation.query_ids, zip(*found[pair], strict=True), strict=True))


# --- bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "measure"),
    [*((name, "nDCG@10") for name in NAMES), ("robust2003", "P@10"), (LEARNED, "RR@10")],
)
def test_bounds_hold_the_truth_of_each_query_and_of_the_mean(name, measure):
    qrels, lists = fully_judged(name)
    full = rr.compare(qrels, lists, measures=measure)
    truth = deltas_of(full, measure)
    holed = rr.sample_queries(sorted(truth), len(truth) // 2, seed=3)
    removed = removed_from(qrels, lists, 0.7, queries=holed)
    comparison = rr.compare(without(qrels, removed), lists, measures=measure)
    bounds, seen = bounds_of(comparison), deltas_of(comparison, measure)
    assert {*bounds} == {*truth}
    touched = {*removed["query_id"]}
    for query, (low, high) in bounds.items():
        assert low - 1e-12 <= truth[query] <= high + 1e-12, query
        assert low - 1e-12 <= seen[query] <= high + 1e-12, query
        if query not in touched:
            assert low == pytest.approx(high, abs=1e-12)
            assert seen[query] == pytest.approx(truth[query], abs=1e-12)
    # Judgments that are gone matter, and the bounds say more than the range of the measure.
    assert any(abs(seen[query] - truth[query]) > 0.01 for query in touched)
    assert np.mean([high - low for low, high in bounds.values()]) < 1.2
    [found] = decisive_differences(comparison).values()
    [whole] = decisive_differences(full).values()
    lowest, highest = np.array(list(bounds.values())).mean(axis=0)
    assert lowest <= whole.delta <= highest
    if name == "cranfield":  # 88 % of its judgments are relevant, so that the others decide nothing
        assert (found.lowest, found.highest) == (None, None)
    else:
        assert (found.lowest, found.highest) == pytest.approx((lowest, highest), abs=1e-12)


def graded_in_every_way(qrels, lists, query, unknown, grades):
    """Return judgments and lists of a copy of the query for every choice of grades."""
    choices = list(product(grades, repeat=len(unknown)))
    copies = pl.DataFrame({"copy": range(len(choices))})
    given = [
        (copy, document, grade)
        for copy, choice in enumerate(choices)
        for document, grade in zip(unknown["doc_id"], choice, strict=True)
    ]
    schema = ["copy", "doc_id", "relevance"]
    known = without(qrels, unknown).filter(query_id=query).join(copies, how="cross").select(schema)
    rows = pl.concat([known, pl.DataFrame(given, schema=known.schema, orient="row")])
    name = pl.format(f"{query}|{{}}", "copy").alias("query_id")
    copied = {
        system: run.filter(query_id=query).join(copies, how="cross").select(name, "doc_id", "score")
        for system, run in lists.items()
    }
    return rows.select(name, "doc_id", "relevance"), copied, choices


@pytest.mark.parametrize("name", ["cranfield", "trec-covid-r1", LEARNED])
def test_bounds_are_the_least_and_greatest_of_every_choice_of_grades(name):
    qrels, lists = fully_judged(name)
    measures = ["nDCG@3", "P@3", "RR@3", "R@3"]
    grades = sorted({0.0, *qrels.filter(pl.col("relevance") > 0)["relevance"]})
    for query in rr.sample_queries(qrels, 4, seed=1):
        unknown = removed_from(qrels, lists, 1, queries=[query], k=3).head(4)
        given, copied, _ = graded_in_every_way(qrels, lists, query, unknown, grades)
        every = rr.compare(given, copied, measures=measures)
        left = without(qrels, unknown)
        for measure in measures:
            deltas = every.deltas(measure)["delta"]
            low, high = bounds_of(rr.compare(left, lists, measures=measure))[query]
            assert (low, high) == pytest.approx((deltas.min(), deltas.max()), abs=1e-9)


# --- judge these next -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_holes_of_one_query_are_listed_with_what_they_move(name):
    qrels, lists = fully_judged(name)
    some = rr.sample_queries(qrels, 12, seed=2)
    qrels = qrels.filter(pl.col("query_id").is_in(some))
    lists = {s: run.filter(pl.col("query_id").is_in(some)) for s, run in lists.items()}
    for query in some[:2]:
        removed = removed_from(qrels, lists, 0.8, queries=[query])
        left = without(qrels, removed)
        top = left["relevance"].max()
        comparison = rr.compare(left, lists, measures="nDCG@10")
        found = rr.judge_next(comparison)
        frame = found.to_polars()
        assert {*frame.select(KEYS).rows()} == {*removed.rows()}
        places = {
            system: run.filter(query_id=query)["doc_id"].to_list() for system, run in lists.items()
        }
        baseline, system = comparison.evaluation.systems
        assert (found.pair.baseline, found.pair.system) == (baseline, system)
        for row in frame.iter_rows(named=True):
            for side, of in (("rank_baseline", baseline), ("rank_system", system)):
                assert row[side] == (
                    places[of].index(row["doc_id"]) + 1 if row["doc_id"] in places[of] else None
                )
            one = pl.DataFrame([(query, row["doc_id"], top)], schema=qrels.schema, orient="row")
            after = rr.compare(pl.concat([left, one]), lists, measures="nDCG@10")
            moved = delta_of(after, "nDCG@10") - found.delta
            assert row["move"] == pytest.approx(moved, abs=1e-12)
        # With the grades that people gave, the difference is that of full judgments.
        tasks = removed.join(qrels, on=KEYS)
        again = rr.compare(pl.concat([left, tasks]), lists, measures="nDCG@10")
        full = rr.compare(qrels, lists, measures="nDCG@10")
        assert delta_of(again, "nDCG@10") == pytest.approx(delta_of(full, "nDCG@10"), abs=1e-12)


@cache
def holed(name, seed):
    """Return what is left of the judgments of ten queries, the runs, and what was removed."""
    qrels, lists = fully_judged(name)
    queries = rr.sample_queries(qrels, 10, seed=seed)
    some = qrels.filter(pl.col("query_id").is_in(queries))
    runs = {s: run.filter(pl.col("query_id").is_in(queries)) for s, run in lists.items()}
    removed = removed_from(some, runs, 0.5, seed=seed, k=3)
    return without(some, removed), runs, removed


MEASURES = ("P@3", "RR@3", "DCG@3", "nDCG@3")


@cache
def graded_both_ways(name, seed):
    """Compare copies of the queries for every choice of no or the highest grade.

    Returns the query and the number of relevant documents of each copy too.
    """
    left, lists, removed = holed(name, seed)
    top = left["relevance"].max()
    given, copied, chosen = [], {system: [] for system in lists}, {}
    for query in sorted({*left["query_id"]}):
        unknown = removed.filter(query_id=query)
        rows, runs, choices = graded_in_every_way(left, lists, query, unknown, (0.0, top))
        given.append(rows)
        for system, run in runs.items():
            copied[system].append(run)
        chosen |= {
            f"{query}|{i}": (query, sum(g > 0 for g in choice)) for i, choice in enumerate(choices)
        }
    every = {system: pl.concat(runs) for system, runs in copied.items()}
    return rr.compare(pl.concat(given), every, measures=MEASURES), chosen


def fewest_by_trying_all(name, seed, measure):
    """Return the fewest documents that, with the highest grade, undo the difference, or None.

    For each query and number of documents, the lowest difference is that of all ways to choose so
    many; then the numbers are shared out among the queries in every way.
    """
    left, lists, _ = holed(name, seed)
    side = np.sign(delta_of(rr.compare(left, lists, measures=measure), measure))
    made, chosen = graded_both_ways(name, seed)
    lowest = {}
    for copy, delta in deltas_of(made, measure).items():
        query, n = chosen[copy]
        of_query = lowest.setdefault(query, {})
        of_query[n] = min(of_query.get(n, np.inf), side * delta)
    reachable = {0: 0.0}
    for of_query in lowest.values():
        shared = {}
        for (n, total), (more, delta) in product(reachable.items(), of_query.items()):
            shared[n + more] = min(shared.get(n + more, np.inf), total + delta)
        reachable = shared
    return min((n for n, total in reachable.items() if total < 1e-12), default=None)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", ["web2012", "trec-covid-r1", LEARNED])
def test_the_marked_documents_are_the_fewest_that_undo_the_difference(name, measure):
    counts = []
    for seed in range(5):
        left, runs, _ = holed(name, seed)
        found = rr.judge_next(rr.compare(left, runs, measures=measure))
        expected = fewest_by_trying_all(name, seed, measure)
        if expected == 0:
            assert abs(found.delta) < 1e-12
            expected = None  # there is no difference to undo
        counts.append((found.n_overturning, expected))
        if found.n_overturning is None:
            continue
        marked = found.to_polars().filter("overturns").select(KEYS)
        top = left["relevance"].max()
        given = pl.concat([left, marked.with_columns(relevance=pl.lit(top))])
        after = delta_of(rr.compare(given, runs, measures=measure), measure)
        assert np.sign(found.delta) * after < 1e-12
    assert max(expected or 0 for _, expected in counts) > 1
    if measure == "nDCG@3":  # whose ideal moves, so that fewer could do
        assert all(n is None or n >= expected for n, expected in counts)
    else:
        assert all(n == expected for n, expected in counts)


# --- the tipping rate -----------------------------------------------------------------------------


def dcg(gains):
    return float(np.sum(np.asarray(gains) / np.log2(np.arange(2, len(gains) + 2))))


def value_of(measure, grades, judged):
    """Return nDCG@10 or P@10 of the grades of a list, and those of all judged documents."""
    if measure == "P@10":
        return sum(grade >= 1 for grade in grades) / DEPTH
    ideal = dcg(sorted((max(g, 0.0) for g in judged), reverse=True)[:DEPTH])
    return dcg([max(grade, 0.0) for grade in grades]) / ideal if ideal else 0.0


def low_end(deltas, rng):
    """Return the lower end of the wider of the t and the BCa interval, by SciPy."""
    mean, error = deltas.mean(), stats.sem(deltas)
    student = stats.t.interval(0.95, len(deltas) - 1, mean, error)[0]
    boot = stats.bootstrap((deltas,), np.mean, n_resamples=1000, method="BCa", rng=rng)
    return min(student, boot.confidence_interval.low)


CLEAR = {
    "robust2003": ("InexpC2", "SABIR03BASE"),
    "codec-document": ("ance-maxp", "ance-maxp+t5-maxp"),
    "web2012": ("indri-ql-cata", "indri-ql-cata-filtered"),
}
"""Runs with a clear difference."""


def near_ends(lists, qrels, removed, *, rate, behind, measure, draws):
    """Return the ends near 0 of intervals where unjudged documents are relevant at this rate.

    The documents are those of the system that is behind; each relevant one has the grade of a
    judged document, drawn at random from the relevant ones in both lists.
    """
    rng = np.random.default_rng(9)
    judged = {}
    for query, document, grade in without(qrels, removed).iter_rows():
        judged.setdefault(query, {})[document] = grade
    tops = {
        system: dict(run.group_by("query_id").agg("doc_id").iter_rows())
        for system, run in lists.items()
    }
    shown = [(query, document) for top in tops.values() for query in top for document in top[query]]
    grades = np.array([judged[q][d] for q, d in shown if judged[q].get(d, 0) >= 1])
    hidden = {*removed.rows()}
    found = []
    for _ in range(draws):
        deltas = []
        for query, of_query in judged.items():
            known = dict(of_query)
            for document in tops[behind].get(query, ()):
                if (query, document) in hidden and rng.random() < rate:
                    known[document] = rng.choice(grades)
            values = {
                system: value_of(
                    measure, [known.get(d, 0.0) for d in top.get(query, ())], [*known.values()]
                )
                for system, top in tops.items()
            }
            ahead = values.pop(next(name for name in values if name != behind))
            deltas.append(ahead - values[behind])
        found.append(low_end(np.array(deltas), rng))
    return np.array(found)


@pytest.mark.parametrize(
    ("name", "measure", "clear"),
    [
        ("robust2003", "nDCG@10", True),
        ("codec-document", "P@10", True),
        ("web2012", "P@10", True),
        ("web2012", "nDCG@10", False),
    ],
)
def test_the_tipping_rate_is_where_half_of_random_draws_hold_0(name, measure, clear):
    qrels, lists = fully_judged(name, CLEAR[name])
    holed = rr.sample_queries(qrels, qrels["query_id"].n_unique() // 2, seed=5)
    removed = removed_from(qrels, lists, 0.3, queries=holed)
    comparison = rr.compare(without(qrels, removed), lists, measures=measure)
    tipping = rr.judge_next(comparison).tipping
    [row] = comparison.table().to_dicts()
    behind = row["baseline"] if row["delta"] > 0 else row["system"]
    own = lists[behind]
    assert tipping.system == behind
    assert tipping.n_documents == len(own.join(removed, on=KEYS, how="semi"))
    # Beside it: how often judged documents are relevant at the ranks of unjudged ones.
    ranked = own.with_columns(rank=pl.int_range(pl.len()).over("query_id")).join(
        without(qrels, removed), on=KEYS, how="left"
    )
    by_rank = {
        rank: (part.drop_nulls()["relevance"] >= 1).mean()
        for (rank,), part in ranked.group_by("rank")
    }
    at = ranked.filter(pl.col("relevance").is_null())["rank"]
    assert tipping.judged_rate == pytest.approx(np.mean([by_rank[rank] for rank in at]))

    def share(rate, draws):
        options = {"rate": rate, "behind": behind, "measure": measure, "draws": draws}
        return np.mean(near_ends(lists, qrels, removed, **options) <= 0)

    assert tipping.clear == (share(0, 1) == 0) == clear
    if clear:
        below, at, above = (
            share(tipping.rate + more, draws) for more, draws in ((-0.1, 20), (0, 50), (0.1, 20))
        )
        assert below < 0.2
        assert 0.25 < at < 0.75
        assert above > 0.8
