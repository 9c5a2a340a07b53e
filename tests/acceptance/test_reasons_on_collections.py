"""Reasons of losses, and documents behind them, next to what the runs themselves say."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest
from real_collections import CODEC, CRANFIELD, DATA, ROBUST

import rankreport as rr

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.exists(), reason="needs the real collections"),
]

K = 10
PAIRS = [
    (ROBUST, "uwmtCR0", "InexpC2"),
    (CRANFIELD, "bm25", "minilm"),
    (CODEC, "entity-feedback-tuned+t5-maxp", "ance-maxp"),
]
KEYS = ["query_id", "doc_id"]
by_pair = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0].name)


@cache
def compared(pair):
    """Return the comparison, the grades and the ranked lists of a pair."""
    collection, *systems = pair
    qrels = rr.read_qrels(collection.qrels).collect().select(*KEYS, "relevance")
    runs = {name: rr.read_run(collection.runs[name]).collect() for name in systems}
    comparison = rr.compare(qrels, runs, measures=f"nDCG@{K}")
    grades = {(query, doc): grade for query, doc, grade in qrels.rows()}
    lists = {}
    for name, run in runs.items():
        ranked = run.sort("query_id", "score", "doc_id", descending=[False, True, True])
        of_query = ranked.group_by("query_id", maintain_order=True).agg("doc_id")
        lists[name] = dict(of_query.rows())
    return comparison, qrels, runs, grades, lists


def reasons_of(comparison):
    return dict(comparison.reasons().select("query_id", "reason").iter_rows())


@by_pair
def test_reasons_are_those_of_the_runs(pair):
    comparison, qrels, runs, grades, lists = compared(pair)
    reasons = reasons_of(comparison)
    assert list(reasons) == comparison.losses()["query_id"].to_list()
    assert None not in reasons.values()
    known = {name: run.join(qrels, on=KEYS, how="semi") for name, run in runs.items()}
    on_judged = dict(
        rr.compare(qrels, known, measures=f"nDCG@{K}").deltas().select("query_id", "delta").rows()
    )
    _, baseline, system = pair
    for query, reason in reasons.items():
        if reason == "unjudged":
            assert on_judged[query] >= 0
        relevant = {doc for of, doc in grades if of == query and grades[of, doc] > 0}
        at_top = relevant & {*lists[baseline][query][:K]}
        if reason == "not retrieved":
            assert at_top - {*lists[system].get(query, [])}


@by_pair
def test_documents_behind_losses_are_those_of_the_runs(pair):
    comparison, _, _, grades, lists = compared(pair)
    found, (_, baseline, system) = defaultdict(set), pair
    for query in comparison.losses()["query_id"]:
        before, after = (
            {doc: rank for rank, doc in enumerate(lists[name].get(query, [])[:K])}
            for name in (baseline, system)
        )
        relevant = {doc for doc in before if grades.get((query, doc), 0) > 0}
        for doc, rank in after.items():
            if grades.get((query, doc), 0) <= 0 and any(
                before[each] < before.get(doc, K) and rank < after.get(each, K) for each in relevant
            ):
                found[doc, "pushed in"].add(query)
        for doc in relevant - after.keys():
            found[doc, "pushed out"].add(query)
    rows = comparison.documents_behind_losses().select("doc_id", "change", "n_losses").rows()
    wanted = {(*key, len(queries)) for key, queries in found.items() if len(queries) > 1}
    assert {*rows} == wanted
    assert len(rows) == len(wanted)


def test_systems_that_order_the_same_documents_lose_by_order_alone():
    runs = {name: CODEC.runs[name] for name in ("bm25-tuned", "bm25-tuned+t5-maxp")}
    comparison = rr.compare(CODEC.qrels, runs, measures=f"nDCG@{K}")
    assert set(comparison.reasons()["reason"]) == {"ranked low"}
